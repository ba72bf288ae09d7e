"""Files that are none, that never end, or that stand for more than there is room for: an error or a counted warning."""

from __future__ import annotations

import contextlib
import gzip
import os
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, assert_refused, unix
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples
from test_bad_input import BAD, COMPRESSIONS, GOOD, QRELS, error, write

from biasvar_cli.errors import DataError, DataWarning, UsageError
from biasvar_cli.readers import unpacking
from biasvar_cli.readers.listing import expand
from biasvar_cli.readers.manifest import parse_manifest
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.readers.unpacking import parse_size, size_text, unpacked

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")
FOLDER = ("decompose", "runs", "-q", "qrels", "-f", "csv")
FILES = {"qrels": QRELS, "runs/good": GOOD, "runs/bad": BAD}
MIB = 1 << 20
Done = subprocess.CompletedProcess[bytes]
COMMAND = (sys.executable, "-m", "biasvar_cli")


def shell(command: str, program: str = f"{shlex.quote(sys.executable)} -m biasvar_cli") -> Done:
    """A line for bash, in which ``biasvar`` is the command."""
    line = f'biasvar() {{ {program} "$@"; }}; {command}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(["bash", "-c", line], capture_output=True, timeout=60, env=environment, check=False)


# ---- what is no file


@unix
@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_pipe_or_socket_in_a_directory_is_left_out_with_a_warning_once(biasvar, kind):
    write(FILES)
    expected = biasvar(*FOLDER)
    if kind == "pipe":
        os.mkfifo("runs/odd")
    else:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("runs/odd")
    said = f"biasvar: warning: 1 {kind} in runs left out: odd; name one to read it\n"
    result = biasvar(*FOLDER)
    assert (result.code, result.out, result.err) == (0, expected.out, said + expected.err)
    assert biasvar("check", "runs", "-q", "qrels").err == said
    assert biasvar(*FOLDER, "--glob", "[gb]*") == expected
    alone = biasvar(*FOLDER, "--glob", "o*")
    assert_refused(alone, 1, "error: runs: the directory has nothing but pipes and sockets to read")


@unix
def test_a_pipe_in_a_directory_named_by_url_is_left_out_too():
    pytest.importorskip("fsspec", reason="the extra dask is not installed")
    write(FILES)
    os.mkfifo("runs/odd")
    with pytest.warns(DataWarning, match="1 pipe in file://.*/runs left out: odd"):
        assert [source.name for source in expand([f"file://{Path.cwd()}/runs"])] == ["bad", "good"]


@unix
def test_a_pipe_that_is_named_is_read(biasvar):
    write({"qrels": QRELS, "good": GOOD})
    expected = biasvar("decompose", "good", "-q", "qrels", "-f", "csv")
    Path("good").unlink()
    os.mkfifo("good")
    writer = threading.Thread(target=lambda: Path("good").write_text(GOOD))
    writer.start()
    assert biasvar("decompose", "good", "-q", "qrels", "-f", "csv") == expected
    writer.join()


@unix
@pytest.mark.parametrize(
    "command", ["gzip -c good | biasvar scores /dev/stdin -q qrels", "biasvar scores <(gzip -c good) -q <(xz -c qrels)"]
)
def test_standard_input_and_process_substitution_are_read_by_whatever_name(program, command):
    write({"qrels": QRELS, "good": GOOD})
    result = shell(command, program) if "stdin" in command else shell(command)  # which alone has other open files
    assert result.returncode == 0, result.stderr
    assert [line.partition(b",")[2] for line in result.stdout.splitlines()[1:]] == [b"1,AP,1.0", b"2,AP,1.0"]


@unix
def test_check_reads_what_can_be_read_once_once(program):
    write({"qrels": QRELS})
    result = shell("biasvar check - < qrels", program)
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"No file has an error." in result.stdout
    assert b"the file has no judgments" not in result.stdout


def test_standard_input_that_does_not_wait_is_no_end_of_the_file():
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.write(writing, GOOD.encode())
    write({"qrels": QRELS})
    with os.fdopen(reading, "rb") as pipe:
        result = subprocess.run(
            [*COMMAND, "decompose", "-", "-q", "qrels"], stdin=pipe, capture_output=True, timeout=60, check=False
        )
    os.close(writing)
    assert (result.returncode, result.stdout) == (1, b"")
    assert result.stderr.startswith(b"biasvar: error: -: cannot be read: it has no data at the moment")


@unix
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused_by_name_in_a_directory_and_alone(biasvar, device):
    write(FILES)
    Path("runs/odd").symlink_to(device)
    refusal = error("runs/odd: is a device, not a file; name a file, or - for standard input")
    target = ("runs/good", "-q", "qrels", "--target", "file:runs/odd")
    for words in (("runs", "-q", "qrels"), ("runs/odd", "-q", "qrels"), ("runs/good", "-q", "runs/odd"), target):
        assert biasvar("decompose", *words) == (1, "", refusal)
    found = biasvar("check", "runs", "-q", "qrels", "-f", "csv")
    assert found.code == 1
    assert "is a device, not a file" in found.out


@unix
def test_a_loop_of_links_and_a_link_to_nothing_are_errors_that_name_them(biasvar):
    write(FILES)
    Path("runs/loop").symlink_to("loop")
    assert biasvar(*FOLDER) == (1, "", error("runs/loop: cannot be read: Too many levels of symbolic links"))
    Path("runs/up").symlink_to("..")  # a folder, which is not searched
    Path("runs/loop").unlink()
    assert biasvar(*FOLDER).code == 0


def test_a_file_that_vanishes_after_it_was_listed_is_an_error_that_names_it(biasvar, monkeypatch):
    def listed(*arguments, **options):
        found = expand(*arguments, **options)
        Path("runs/bad").unlink(missing_ok=True)
        return found

    write(FILES)
    monkeypatch.setattr("biasvar_cli.scoring.expand", listed)
    assert biasvar(*FOLDER) == (1, "", error("runs/bad: cannot be read: No such file or directory"))


@unix
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be someone else for a while")
@pytest.mark.parametrize(("mode", "refused"), [(0o000, "runs"), (0o111, "runs"), (0o444, "runs/bad")])
def test_a_directory_without_permission_is_an_error_that_names_it(biasvar, tmp_path, mode, refused):
    write(FILES)
    tmp_path.chmod(0o755)
    Path("runs").chmod(mode)
    os.seteuid(65534)
    try:
        result = biasvar(*FOLDER)
    finally:
        os.seteuid(0)
        Path("runs").chmod(0o755)
    assert (result.code, result.out) == (1, "")
    assert result.err.splitlines()[0] == f"biasvar: error: {refused}: cannot be read: Permission denied"


# ---- what is larger than it looks


def test_little_that_unpacks_to_much_is_an_error_that_names_it_unless_it_is_meant_to(biasvar, monkeypatch):
    """The other compressions are held to their limit below."""
    assert unpacking._SMALL == 64 * MIB
    monkeypatch.setattr(unpacking, "_SMALL", MIB)
    write(FILES)
    expected = biasvar(*FOLDER)
    write({"runs/bad": gzip.compress(b"#" * (MIB - 100) + b"\n" + BAD.encode())})
    assert biasvar(*FOLDER) == expected
    write({"runs/bad": gzip.compress(b"#" * (3 * MIB) + b"\n" + BAD.encode())})
    refusal = error(
        "runs/bad: unpacks to more than 500 times its own size and more than 1 MiB; if that is right, allow it with "
        "--max-size 2G"
    )
    assert biasvar(*FOLDER) == (1, "", refusal)
    assert biasvar(*FOLDER, "--max-size", "4M") == expected


@unix
@pytest.mark.parametrize("kind", ["plain", "gz", "bz2", "xz", "zst"])
@pytest.mark.parametrize("name", ["file", "stdin", "pipe", "url"])
def test_more_than_max_size_is_refused_and_as_much_is_read(monkeypatch, kind, name):
    content = GOOD.encode() * 1000
    packed = COMPRESSIONS.get(kind, bytes)(content)
    with as_input(name, packed, monkeypatch) as path:
        assert read_bytes(path, max_size=len(content)) == content
    refusal = f"holds more than {len(content) - 1} bytes; for more give max_size"
    with as_input(name, packed, monkeypatch) as path, pytest.raises(DataError, match=refusal):
        read_bytes(path, max_size=len(content) - 1)


@contextlib.contextmanager
def as_input(name: str, content: bytes, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Some content under a name that it can be read by."""

    def fill() -> None:
        with contextlib.suppress(BrokenPipeError):
            path.write_bytes(content)

    path = Path("input")
    path.unlink(missing_ok=True)
    if name == "pipe":
        os.mkfifo(path)
        writer = threading.Thread(target=fill)
        writer.start()
        yield "input"
        writer.join()
        return
    fill()
    if name == "url":
        pytest.importorskip("fsspec", reason="the extra dask is not installed")
    with path.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        yield {"file": "input", "stdin": "-", "url": f"file://{path.absolute()}"}[name]


@unix
def test_what_never_ends_is_an_error(program):
    write({"qrels": QRELS})
    result = shell("biasvar decompose - -q qrels --max-size 20M < /dev/zero", program)
    assert result.returncode == 1
    said = "-: holds more than 20971520 bytes; for more give --max-size, such as --max-size 40M"
    assert result.stderr.decode() == error(said)


def test_the_limit_of_2_gib_holds_without_max_size_for_plain_and_for_packed_files(monkeypatch):
    monkeypatch.setattr(unpacking, "MOST", 1000)
    for name in ("plain", "gz", "xz"):
        Path(name).write_bytes(COMPRESSIONS.get(name, bytes)(GOOD.encode() * 50))
        with pytest.raises(DataError, match=f"^{name}: holds more than 1000 bytes"):
            read_bytes(name)
        assert read_bytes(name, max_size=2000) == GOOD.encode() * 50


def test_every_file_that_a_command_reads_is_held_to_max_size(biasvar):
    files = {**FILES, "topics": "1\n"}
    for name in ("qrels", "topics"):
        write({**files, name: f"{files[name]}# {'x' * 2000}"})
        result = biasvar(*FOLDER, "--topics", "topics", "--max-size", "1K")
        assert_refused(result, 1, f"biasvar: error: {name}: holds more than 1024 bytes; for more give --max-size")
        checked = biasvar("check", "runs", "-q", "qrels", "--max-size", "1K", "-f", "csv")
        assert ("holds more than 1024 bytes" in checked.out) == (name == "qrels")
    write(files)
    assert biasvar(*FOLDER, "--topics", "topics", "--max-size", "1K").code == 0


def test_max_size_of_a_manifest():
    track = '[[track]]\ntrack = "A"\nyear = 1994\nscores = "ap.csv"\nmax_size = '
    for written, size in (('"4G"', 4 << 30), ("5000", 5000), ('"1.5 KiB"', 1536)):
        (found,) = parse_manifest(f"{track}{written}\n".encode(), "M.toml").tracks
        assert found.request_options()["max_size"] == size
    for written in ('"4X"', "0", "true", "2.5", '""', "9" * 5000):
        with pytest.raises(DataError, match=r"track A: max_size: expected a size such as 500M or 4G|too many digits"):
            parse_manifest(f"{track}{written}\n".encode(), "M.toml")


@pytest.mark.parametrize("size", ["0", "-1", "4X", "nan", "1e400", "9" * 30, "1025T", "٣"])
def test_a_size_that_is_none_is_wrong_usage(biasvar, size):
    write(FILES)
    assert_refused(biasvar(*FOLDER, "--max-size", size), 2, "is not a size from 1 to 1024T; write it as 500M or 4G")


@pytest.mark.parametrize("where", ["parse_run", "recognised", "parse_scores"])
def test_want_of_memory_amid_the_work_names_the_file_too(biasvar, monkeypatch, where):
    def fails(*_: object, **__: object) -> None:
        raise MemoryError

    write({"qrels": QRELS, "good": GOOD if where != "parse_scores" else "AP,A,B\nq1,0.3,0.6\nq2,0.1,0.08\n"})
    said = "good: there is not enough memory; free some, or give fewer or smaller files"
    monkeypatch.setattr(f"biasvar_cli.scoring.scorer.{where}", fails)
    assert biasvar("decompose", "good", "-q", "qrels") == (1, "", error(said))
    monkeypatch.setattr(f"biasvar_cli.analyses.check.answer.{where}", fails)
    assert "not enough memory" in biasvar("check", "good", "-f", "csv").out


# ---- unpacking


@pytest.mark.parametrize("library", ["zlib", "isal.isal_zlib"])
@examples(20)
@given(
    st.lists(st.binary(max_size=200), min_size=1, max_size=4),
    st.sampled_from(sorted(COMPRESSIONS)),
    st.integers(1, 400),
    st.integers(1, 50),
    st.integers(0, 3),
)
def test_members_are_unpacked_whole_or_refused_whatever_the_pieces(library, contents, kind, most, piece, padding):
    """Against the contents themselves; padding of zeros between members is allowed where gzip and xz allow it."""
    zeros = b"" if kind == "zst" else bytes(4 * padding)
    packed = zeros.join(map(COMPRESSIONS[kind], contents)) + zeros
    whole = b"".join(contents)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unpacking, "_PIECE", piece)
        patch.setattr(unpacking, "inflating", pytest.importorskip(library))
        if len(whole) > most:
            with pytest.raises(DataError, match="holds more than"):
                unpacked(packed, "file", most)
        else:
            assert unpacked(packed, "file", most) == whole
        cut = packed[: len(packed) - len(zeros) - 1]
        with pytest.raises(DataError, match=r"cut off or damaged|holds more than"):
            unpacked(cut, "file", most)


@examples(20)
@given(st.integers(1, 1 << 50), st.text("0123456789.-+eKMGTiBbx ٣²\t\n", max_size=8))
def test_a_size_is_a_number_of_bytes_as_it_is_shown_or_wrong_usage(size, text):
    assert parse_size(size_text(size)) == size
    with contextlib.suppress(UsageError):
        assert 1 <= parse_size(text) <= 1 << 50


def test_thousands_of_members_are_read_as_one_file():
    """As bgzip writes them."""
    member = gzip.compress(os.urandom(1000))
    packed = member * 6000
    assert len(unpacked(packed, "file")) == 6_000_000
