"""What differs on Windows, as far as another system can show it: names, streams, code pages, files in use, quotes.

`windows` tells the program that it runs there; the functions that Windows does not have are taken away.
"""

from __future__ import annotations

import errno
import io
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import ROOT, assert_refused, rows_of, write_scores
from test_help import ALL

from biasvar_cli import whole_files, words
from biasvar_cli.console import streams
from biasvar_cli.errors import BiasVarError, needs_extra
from biasvar_cli.readers.listing import Selection
from biasvar_cli.whole_files import fault_on_windows, write_whole

SCORES = "AP,A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\n"
CODE_PAGES = ["cp1252", "cp437"]

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows as the program sees it: no file locks, no owners, no reading without waiting."""
    monkeypatch.setattr(words, "ON_WINDOWS", True)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    for name in ("chown", "O_NONBLOCK", "sched_getaffinity", "sysconf"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setattr(whole_files, "_PATIENCE", 0.2)


def tool(*arguments: str, before: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own, in which ``before`` is run first."""
    code = f"{before}\nimport sys; from biasvar_cli.__main__ import run; sys.exit(run())"
    return _python(code, *arguments, **environment)


def tools(commands: Sequence[str], before: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Several commands of the program in one process, which writes their exit codes to stderr at its end."""
    code = f"""{before}
import sys
from biasvar_cli.cli import main
from biasvar_cli.console.streams import set_up
set_up()
print([main(words.split()) for words in sys.argv[1:]], file=sys.stderr)
"""
    return _python(code, *commands, **environment)


def _python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **environment}
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, env=variables, check=False)


def raising(error: BaseException) -> Callable[..., None]:
    """A function that fails."""

    def fail(*_: object) -> None:
        raise error

    return fail


def hidden() -> list[str]:
    return [path.name for path in Path().iterdir() if path.name.startswith(".")]


# Files that are written.


def test_a_file_is_written_and_replaced_while_no_handle_of_it_is_open(windows, monkeypatch):
    """Windows renames no file that is open; the descriptors of this process say whether one is."""
    descriptors, replace = Path("/proc/self/fd"), os.replace
    if not descriptors.is_dir():
        pytest.skip("this system does not list the files that are open")

    def refusing(name, target):
        if str(Path(name).resolve()) in {str(path.readlink()) for path in descriptors.iterdir() if path.is_symlink()}:
            raise PermissionError(errno.EACCES, "in use")
        replace(name, target)

    monkeypatch.setattr(os, "replace", refusing)
    for content in (b"one", b"two"):
        write_whole("out.csv", content)
        assert Path("out.csv").read_bytes() == content
    assert hidden() == []


def test_a_file_that_another_program_has_open_is_an_error_that_says_so(windows, monkeypatch):
    Path("out.csv").write_text("before")
    monkeypatch.setattr(os, "replace", raising(PermissionError(errno.EACCES, "Access is denied")))
    with pytest.raises(BiasVarError, match=r"out\.csv: cannot be written: .* another program has it open"):
        write_whole("out.csv", b"after")
    assert (Path("out.csv").read_text(), hidden()) == ("before", [])


def test_a_file_that_is_in_use_for_a_moment_is_waited_for(windows, monkeypatch):
    replace, refusals = os.replace, [PermissionError(errno.EACCES, "Access is denied")] * 2

    def busy(name, target):
        if refusals:
            raise refusals.pop()
        replace(name, target)

    monkeypatch.setattr(os, "replace", busy)
    write_whole("out.csv", b"after")
    assert Path("out.csv").read_bytes() == b"after"


def test_elsewhere_a_refusal_is_not_tried_again(monkeypatch):
    calls = []

    def refused(*names):
        calls.append(names)
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(BiasVarError, match=r"out\.csv: cannot be written: Permission denied$"):
        write_whole("out.csv", b"after")
    assert len(calls) == 1


def test_without_locks_what_was_left_long_ago_is_removed_and_a_young_file_is_not(windows):
    write_whole("out.csv", b"one")
    prefix = whole_files._prefix(Path("out.csv"))
    for name, age in (("old", 7200), ("young", 60)):
        path = Path(prefix + name)
        path.write_text("theirs")
        os.utime(path, (time.time() - age,) * 2)
    write_whole("out.csv", b"two")
    assert hidden() == [f"{prefix}young"]


NO_NAMES = ["con.csv", "AUX.tex", "nul.json", "com1.csv", "lpt9.txt", "a:b.csv", "what?.csv", "a|b.md"]


@pytest.mark.parametrize("name", NO_NAMES)
def test_names_that_windows_does_not_have_are_refused_before_anything_is_computed(windows, biasvar, monkeypatch, name):
    Path("ap.csv").write_text(SCORES)
    monkeypatch.setattr("biasvar_cli.scoring.track.load_track", None)
    result = biasvar("decompose", "ap.csv", "-o", name, "-f", "csv")
    assert_refused(result, 1, f"biasvar: error: {name}: cannot be written: on Windows ")
    assert [path.name for path in Path().iterdir()] == ["ap.csv"]


@pytest.mark.parametrize("name", ["nul", "CON", "console.csv", "com10.csv", "aux-runs.csv", "null.csv", "².csv"])
def test_other_names_are_not_refused_nor_is_any_elsewhere(name):
    assert fault_on_windows(name) is None
    write_whole("con.csv", b"scores")
    assert Path("con.csv").read_bytes() == b"scores"


# Streams.


@pytest.mark.parametrize("encoding", CODE_PAGES)
def test_every_help_is_shown_whatever_the_code_page(encoding):
    done = tools([f"{name} --help" for name in ALL], PYTHONIOENCODING=encoding)
    assert done.stderr.decode() == f"{[0] * len(ALL)}\n"
    assert done.stdout.decode(encoding).count("Usage: biasvar") == len(ALL)


def test_a_sign_that_the_code_page_lacks_is_an_escape():
    code = 'from biasvar_cli.console.streams import set_up; set_up(); print("²", "ρ", "→")'
    done = _python(code, PYTHONIOENCODING="cp1252")
    assert (done.stdout, done.stderr) == (b"\xb2 \\u03c1 \\u2192\n", b"")


def test_results_are_the_same_bytes_whatever_the_code_page():
    Path("ap.csv").write_text(SCORES.replace("A", "Ω-β²", 2), "utf-8")
    asked = ["decompose ap.csv --no-null", "decompose ap.csv -f csv", "risk ap.csv --baseline run:ψ²"]
    expected = tools(asked, PYTHONIOENCODING="utf-8")
    assert expected.stdout.decode("utf-8").count("Ω") >= 2
    for encoding in CODE_PAGES:
        done = tools(asked, PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stdout) == (0, expected.stdout), done.stderr
        message, codes = done.stderr.decode(encoding).splitlines()
        assert message.startswith("biasvar: error: --baseline run:\\u03c8²: there is no such run")
        assert codes == "[0, 0, 1]"


TEXT_MODE = """
import io
class Text(io.TextIOWrapper):
    def __init__(self, buffer, *arguments, newline=None, **options):
        super().__init__(buffer, *arguments, newline="\\r\\n" if newline is None else newline, **options)
io.TextIOWrapper = Text
import sys
sys.stdout.reconfigure(newline="\\r\\n")
"""


def test_lines_end_in_a_line_feed_where_python_writes_two_signs():
    Path("ap.csv").write_text(SCORES)
    done = tools(["--help", "decompose -h", "decompose ap.csv -f csv", "scores ap.csv"], before=TEXT_MODE)
    assert done.stderr == b"[0, 0, 0, 0]\n"
    assert done.stdout.count(b"\n") > 40
    assert b"measure,target,run," in done.stdout
    assert b"run,query_id,measure,score\n" in done.stdout
    assert b"\r" not in done.stdout


def test_a_console_gets_its_bytes_through_the_stream_that_python_has_for_it(monkeypatch):
    """A console whose code page is not UTF-8: only Python's own stream shows UTF-8 there."""

    class _WindowsConsoleIO(io.RawIOBase):
        shown = b""

        def writable(self):
            return True

        def write(self, data):
            type(self).shown += bytes(data[:5])  # as much as it takes at once
            return len(data[:5])

    console = io.TextIOWrapper(io.BufferedWriter(_WindowsConsoleIO()), encoding="utf-8", write_through=True)
    stream = streams._text(streams._Output(1, console), console)
    print("bias² of A → B", file=stream)
    assert _WindowsConsoleIO.shown.decode("utf-8") == "bias² of A → B\n"


def test_a_pipe_that_nobody_reads_is_silent_and_elsewhere_the_same_error_is_reported(request):
    write = raising(OSError(errno.EINVAL, "Invalid argument"))
    with pytest.raises(BiasVarError, match="standard output cannot be written: Invalid argument"):
        streams.write_to_end(write, int, b"result")
    request.getfixturevalue("windows")
    with pytest.raises(streams.ClosedPipe):
        streams.write_to_end(write, int, b"result")


# Paths and patterns.


def test_backslashes_in_patterns_are_slashes_and_elsewhere_parts_of_names(request):
    assert Selection(exclude=("20\\11",)).leaves_out("20\\11")
    request.getfixturevalue("windows")
    chosen = Selection(glob="2012\\*.gz", exclude=("2011\\", "2012\\*.bak"))
    assert (chosen.glob, chosen.exclude) == ("2012/*.gz", ("2011/", "2012/*.bak"))
    assert chosen.leaves_out("2011", is_folder=True)
    assert chosen.leaves_out("2012/bm25.bak")
    assert not chosen.leaves_out("2012/bm25.gz")


def test_patterns_among_the_inputs_are_expanded_where_the_shell_does_not(request, biasvar):
    for name in ("b.csv", "a.csv", "note.txt"):
        write_scores(Path(name), [[0.3, 0.1]], name[0])
    assert biasvar("scores", "?.csv").code == 2  # elsewhere it is the name of a file
    request.getfixturevalue("windows")
    assert {row["run"] for row in rows_of(biasvar("scores", "?.csv"))} == {"a", "b"}
    assert "no/*.gz" in biasvar("scores", "no/*.gz").err


def test_a_file_that_windows_hides_is_not_read(windows, biasvar, monkeypatch):
    Path("runs").mkdir()
    Path("runs/ap.csv").write_text(SCORES)
    Path("runs/desktop.ini").write_text("[.ShellClassInfo]\n")
    assert biasvar("scores", "runs").code == 1
    seen = Path.stat

    def marked(path, **options):
        attributes = stat.FILE_ATTRIBUTE_HIDDEN if path.name == "desktop.ini" else 0
        status = seen(path, **options)
        return SimpleNamespace(st_mode=status.st_mode, st_size=status.st_size, st_file_attributes=attributes)

    monkeypatch.setattr(Path, "stat", marked)
    result = biasvar("scores", "runs")
    assert result.code == 0, result.err


def test_a_url_of_this_machine_leads_to_its_drive(windows):
    from biasvar_cli.console.output import _local

    assert _local("file:///C:/runs/ap.csv") == "C:/runs/ap.csv"
    assert _local("C:\\runs\\ap.csv") == "C:\\runs\\ap.csv"


def test_commands_in_messages_are_quoted_for_cmd_and_powershell(windows, biasvar):
    assert words.shell_word("my notes.txt") == '"my notes.txt"'
    assert words.shell_word("C:\\runs\\bm25.gz") == "C:\\runs\\bm25.gz"
    assert '-m pip install -e "' in str(needs_extra("this", "plot"))
    Path("runs").mkdir()
    Path("runs/ap.csv").write_text(SCORES)
    Path("runs/my notes.txt").write_text("")
    assert '--exclude "my notes.txt" leaves it out' in biasvar("scores", "runs").err


# Other things that other systems lack.


def test_a_track_is_read_without_what_only_unix_has(windows, biasvar, monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", raising(TypeError("argument 1 must be str, not None")))
    monkeypatch.setitem(sys.modules, "resource", None)
    shutil.copytree(ROOT / "sample_runs", "runs")
    options = ("-q", ROOT / "qrels" / "npl.qrels.txt", "-f", "csv", "--quiet", "--no-null")
    result = biasvar("decompose", "runs", *options)
    assert result.code == 0, result.err
    monkeypatch.undo()
    assert result.out == biasvar("decompose", ROOT / "sample_runs", *options).out


SPAWNED = """
import multiprocessing
import biasvar_cli as bv

def decomposed(scores):
    return bv.decompose(scores)

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    with multiprocessing.Pool(1) as pool:
        (result,) = pool.map(decomposed, ["ap.csv"])
    print(result == bv.decompose("ap.csv"))
"""


@pytest.mark.long
def test_a_process_that_is_spawned_imports_the_package_and_sends_its_results():
    Path("ap.csv").write_text(SCORES)
    Path("spawned.py").write_text(SPAWNED)
    command = [sys.executable, "-W", "ignore", "spawned.py"]
    assert subprocess.check_output(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120) == b"True\n"


def test_a_shell_without_completion_is_told_so():
    done = tool(_BIASVAR_COMPLETE="cmd_source")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"biasvar: error: there is no completion for cmd; bash, zsh and fish have it")


UNIX_ALONE = {"fcntl", "grp", "pty", "pwd", "resource", "termios"}


def test_no_module_imports_at_its_top_what_only_unix_has():
    imported = re.compile(rf"^(?:import|from) (?:.*, )?(?:{'|'.join(UNIX_ALONE)})\b", re.MULTILINE)
    folders = ("benchmarks", "biasvar_cli", "docs", "studies", "tests")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert [path for path in files if imported.search(path.read_text("utf-8"))] == []
