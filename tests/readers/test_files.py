"""Output files: whole or as they were, whatever their name and whoever owns them; and never among the inputs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path

import pytest
from conftest import ROOT, assert_refused, matrix_of, only, unix
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples
from test_bad_input import write

from biasvar_cli.errors import BiasVarError
from biasvar_cli.whole_files import write_whole

SCORES = "AP,A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\n"
LOOP = "Too many levels of symbolic links"


@pytest.fixture(autouse=True)
def files(in_an_empty_folder):
    Path("ap.csv").write_text(SCORES)


def names() -> set[str]:
    return {path.name for path in Path().iterdir()}


@pytest.mark.parametrize("length", [1, 237, 238, 246, 247, 255])
def test_a_name_may_be_as_long_as_the_system_allows(biasvar, length):
    for _ in range(2):  # the second time it is replaced
        assert biasvar("decompose", "ap.csv", "-f", "csv", "-o", "x" * length) == (0, "", "")
    assert names() == {"ap.csv", "x" * length}


NO_FILE = "No such file or directory"
NOT_WRITTEN = {"x" * 256: "File name too long", "no/out.csv": NO_FILE, "to-no-folder": NO_FILE}
NOT_WRITTEN |= {"ap.csv/out.csv": "Not a directory", "loop": LOOP, "loop/out.csv": LOOP, "": "Is a directory"}


@unix
@pytest.mark.parametrize(("name", "why"), NOT_WRITTEN.items())
def test_a_file_that_cannot_be_written_is_refused_by_name_before_anything_is_read(biasvar, name, why):
    Path("loop").symlink_to("other")
    Path("other").symlink_to("loop")
    Path("to-no-folder").symlink_to("no/out.csv")
    Path("bad.csv").write_text("AP,A\nq1,x\n")
    before = names()
    result = biasvar("decompose", "bad.csv", "-o", name)
    if name:
        assert result == (1, "", f"biasvar: error: {name}: cannot be written: {why}\n")
    assert result.code in (1, 2)
    assert Path("loop").is_symlink()
    assert names() == before


def test_names_that_no_file_can_have_are_not_said_of_standard_output(biasvar):
    long = "x" * 300
    result = biasvar("decompose", "ap.csv", "--topics", long)
    assert_refused(result, 2, f"--topics {long}: neither qrels, intersection or union, nor a file that exists")
    assert biasvar("tradeoff", "ap.csv", "--families", f"({'|'.join('ABC' * 100)})(.*)", "--no-null").code == 0


@unix
def test_a_link_stays_a_link_to_the_file_that_is_replaced(biasvar):
    Path("link").symlink_to("out.csv")
    for _ in range(2):  # at first it leads to nothing
        assert biasvar("decompose", "ap.csv", "-f", "csv", "-o", "link").code == 0
        assert Path("link").is_symlink()
        assert Path("out.csv").read_text().startswith("measure,")


@unix
def test_permissions_and_group_of_a_file_that_is_replaced_are_kept():
    path = Path("out.csv")
    path.write_text("before")
    path.chmod(0o640)
    if os.getuid() == 0:
        os.chown(path, 12345, 54321)
    before = path.stat()
    write_whole("out.csv", b"after")
    after = path.stat()
    assert path.read_bytes() == b"after"
    assert (after.st_mode, after.st_gid) == (before.st_mode, before.st_gid)
    assert after.st_ino != before.st_ino


@unix
def test_a_group_that_cannot_be_kept_is_no_error(monkeypatch):
    Path("out.csv").write_text("before")
    Path("out.csv").chmod(0o604)

    def refused(*_):
        raise PermissionError

    monkeypatch.setattr(os, "chown", refused)
    write_whole("out.csv", b"after")
    assert Path("out.csv").stat().st_mode & 0o777 == 0o604


@unix
def test_a_new_file_has_the_permissions_of_any_new_file():
    mask = os.umask(0o027)
    try:
        write_whole("out.csv", b"new")
    finally:
        os.umask(mask)
    assert Path("out.csv").stat().st_mode & 0o777 == 0o640


@unix
def test_a_read_only_folder_and_a_read_only_file_are_refused():
    code = "import sys; sys.path.insert(0, sys.argv[1]); from biasvar_cli.whole_files import write_whole\n"
    code += "for name in ('folder/new', 'folder/old', 'old'):\n"
    code += " try: write_whole(name, b'after')\n except Exception as error: print(error)\n"
    as_user = [] if os.getuid() else ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
    if as_user and not shutil.which("setpriv"):
        pytest.skip("root may write everywhere")
    write({"folder/old": "before", "old": "before"})
    Path("old").chmod(0o444)
    Path("folder").chmod(0o555)
    done = subprocess.run([*as_user, sys.executable, "-c", code, str(ROOT)], capture_output=True, text=True)
    Path("folder").chmod(0o755)
    refused = ("folder/new", "folder/old", "old")
    assert done.stdout == "".join(f"{name}: cannot be written: Permission denied\n" for name in refused), done.stderr
    assert Path("folder/old").read_text() == Path("old").read_text() == "before"


# What a kill leaves behind.

HALF = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
from biasvar_cli import whole_files

def waiting(name, *_):
    print(name, flush=True)
    time.sleep(60)

whole_files._rename = waiting
whole_files.write_whole("out.csv", b"theirs")
"""


@pytest.fixture
def half_way():
    """Another writer of out.csv, which has written all of it and not yet given it its name."""
    command = [sys.executable, "-c", HALF, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert Path(process.stdout.readline().strip()).read_text() == "theirs"
        yield process
        process.kill()


def hidden():
    return [name for name in names() if name.startswith(".")]


@unix
def test_what_a_kill_left_an_hour_ago_is_removed_by_the_next_writer_of_the_same_file(half_way):
    (theirs,) = hidden()
    half_way.send_signal(signal.SIGKILL)
    half_way.wait(60)
    write_whole("out.csv", b"ours")
    assert hidden() == [theirs]
    os.utime(theirs, (time.time() - 3601,) * 2)
    write_whole("other.csv", b"of another name")
    assert hidden() == [theirs]
    write_whole("out.csv", b"ours")
    assert hidden() == []
    assert Path("out.csv").read_bytes() == b"ours"


def test_what_a_living_writer_has_begun_is_left_alone(half_way):
    (theirs,) = hidden()
    write_whole("out.csv", b"ours")
    assert hidden() == [theirs]
    assert Path(theirs).read_text() == "theirs"


def test_writers_at_once_leave_one_whole_file_and_nothing_else():
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from biasvar_cli.whole_files import write_whole\n"
    code += "for _ in range(150): write_whole('out.csv', sys.argv[1].encode() * 5000)"
    writers = [subprocess.Popen([sys.executable, "-c", code, letter]) for letter in "ab"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if Path("out.csv").exists():
            seen.add(Path("out.csv").read_bytes())
        time.sleep(0.01)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert seen <= {b"a" * 5000, b"b" * 5000}
    assert hidden() == []


def test_an_error_leaves_the_file_as_it_was(monkeypatch):
    Path("out.csv").write_text("before")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(BiasVarError, match=r"out\.csv: cannot be written: No space left on device"):
        write_whole("out.csv", b"after")
    assert Path("out.csv").read_text() == "before"
    assert hidden() == []


# Outputs and inputs.


@pytest.fixture
def manifest():
    """A manifest that reads files in each of its ways, under three names of its own."""
    text = '[[track]]\ntrack = "T"\nyear = 1994\nscores = ["ap.csv"]\nteams = "teams.csv"\n'
    text += 'topics = "topics.csv"\ntarget = "file:target.csv"\nqrels = "qrels.csv"\n'
    text += '[[track]]\ntrack = "U"\nyear = 1995\nscores = "runs"\nglob = "r*"\n'
    write(dict.fromkeys(("m.toml", "m.json", "m.html"), text))
    write({"runs/r1.csv": SCORES, "teams.csv": "run,team\nA,x\nB,y\nC,y\n", "topics.csv": "q1\nq2\n"})
    write({"target.csv": "query_id,score\nq1,0.9\nq2,0.8\n", "qrels.csv": "q1 0 d 1\nq2 0 d 1\n"})


AMONG = "is among the inputs"
NAMED = ("ap.csv", "teams.csv", "topics.csv", "target.csv", "qrels.csv", "runs/r1.csv")


@unix
@pytest.mark.parametrize("name", [*NAMED, "m.toml"])
def test_no_file_of_a_manifest_is_written_over(biasvar, manifest, name):
    kind = Path(name).suffix
    before = Path(name).read_bytes()
    Path("hard" + kind).hardlink_to(name)
    Path("soft" + kind).symlink_to(name)
    for output in (name, "hard" + kind, "soft" + kind, str(Path(name).absolute())):
        result = biasvar("tracks", "m.toml", "-f", "csv", "-o", output)
        assert_refused(result, 2, f"-o {output} is among the inputs, which are never written over")
        assert Path(name).read_bytes() == before


@unix
def test_figures_and_the_page_do_not_write_over_a_manifest_or_its_files(biasvar, manifest):
    Path("ap.json").hardlink_to("ap.csv")
    Path("ap.html").hardlink_to("ap.csv")
    Path("other.csv").write_text(SCORES)
    for output in ("m.json", "ap.json"):
        assert AMONG in biasvar("plot", "trend", "m.json", "-o", output).err
    for output in ("m.html", "ap.html"):
        assert AMONG in biasvar("report", "other.csv", "--manifest", "m.html", "-o", output).err
    assert Path("ap.csv").read_text() == SCORES


def test_the_file_of_resume_is_no_input_either(biasvar):
    Path("out.csv.state.json").write_text(SCORES)
    Path("m.toml").write_text('[[track]]\ntrack = "T"\nyear = 1994\nscores = "out.csv.state.json"\n')
    result = biasvar("tracks", "m.toml", "-f", "csv", "-o", "out.csv", "--resume")
    assert_refused(result, 2, "out.csv.state.json, which is written beside -o, is among the inputs")
    assert Path("out.csv.state.json").read_text() == SCORES


def test_a_file_that_a_folder_does_not_give_is_no_input(biasvar):
    write({"folder/a.csv": SCORES, "folder/.hidden": SCORES, "folder/out.txt": "before"})
    for output in ("folder/.hidden", "folder/out.txt"):
        assert biasvar("decompose", "folder", "--glob", "*.csv", "-o", output).code == 0
    for output in ("folder/a.csv", "folder/out.txt"):
        result = biasvar("decompose", "folder", "-o", output)
        assert (result.code, AMONG in result.err) == (2, True)


def test_urls_of_this_machine_and_redirected_files_are_files(biasvar, tmp_path):
    pytest.importorskip("fsspec")
    assert AMONG in biasvar("scores", f"file://{tmp_path}/ap.csv", "-o", "ap.csv").err
    tool = [sys.executable, "-m", "biasvar_cli", "scores"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for stream, arguments in (("stdin", ["-", "-o", "ap.csv"]), ("stdout", ["ap.csv"])):
        with Path("ap.csv").open("r+b") as both:
            done = subprocess.run(
                [*tool, *arguments], stderr=subprocess.PIPE, text=True, env=environment, **{stream: both}
            )
        assert (done.returncode, AMONG in done.stderr) == (2, True)
        assert Path("ap.csv").read_text() == SCORES


# Names in csv.


NAMES = st.text("ab\r\n\",'\x1b\x85\u2028", min_size=1, max_size=5)


@examples(20)
@given(names=st.lists(NAMES, min_size=1, max_size=3, unique=True))
def test_any_name_can_be_read_back_from_csv(names):
    from biasvar_cli.analyses.scores.table import score_matrix, scores_table
    from biasvar_cli.readers.score_formats import parse_scores
    from biasvar_cli.tables.layout import Layout
    from biasvar_cli.tables.render import FORMATS

    runs = tuple(f"x{name}x" for name in names)
    held = replace(matrix_of([[0.25, 0.5]] * len(runs)), runs=runs)
    for text in (FORMATS["csv"].render([scores_table(held)], Layout()), score_matrix([held])):
        assert set(parse_scores(text.encode(), "back.csv", "table").runs) == set(runs)


def test_carriage_returns_in_names_of_files_come_back(biasvar):
    write({"c\rd": "1 Q0 a 1 1 x\n", "qrels": "1 0 a 1\n"})
    assert biasvar("scores", "c\rd", "-q", "qrels", "-o", "back.csv").code == 0
    assert '"c\rd",1,AP,1.0' in Path("back.csv").read_bytes().decode()
    assert [row["run"] for row in only(biasvar("decompose", "back.csv", "-f", "json"))["runs"]] == ["c\rd"]


# The state of --resume.


def test_a_state_that_was_changed_is_not_taken_over(biasvar):
    Path("m.toml").write_text('[[track]]\ntrack = "T"\nyear = 1994\nscores = "ap.csv"\n')
    arguments = ("tracks", "m.toml", "-f", "json", "-o", "out.json", "--resume", "--no-null")
    assert biasvar(*arguments) == (0, "", "")
    first, state = Path("out.json").read_bytes(), Path("out.json.state.json")
    good = json.loads(state.read_text())

    def paths(value, *above):
        """The keys that lead to a value and to all those in it."""
        keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        return [above, *(path for key in keys for path in paths(value[key], *above, key))]

    for *above, last in [path for path in paths({"all": good}) if path][::3]:
        document = json.loads(json.dumps({"all": good}))
        reduce(getitem, above, document)[last] = {"nested": [[0]]}
        state.write_text(json.dumps(document["all"]))
        result = biasvar(*arguments)
        assert result.code == 0
        is_warned = "not the results of biasvar tracks; everything is computed again" in result.err
        assert is_warned or json.loads(state.read_text()) == good
        assert json.loads(Path("out.json").read_text())["results"] == json.loads(first)["results"]
    for text in ("[" * 100_000, '{"tracks": ' * 100_000, "\udcff", "9" * 10_000):
        state.write_bytes(text.encode("utf-8", "surrogateescape"))
        assert "everything is computed again" in biasvar(*arguments).err


def test_results_depend_on_the_versions_of_what_computes(monkeypatch):
    from biasvar_cli.analyses.tracks import answer as kept
    from biasvar_cli.decomposition import Design
    from biasvar_cli.readers.manifest import read_manifest

    Path("m.toml").write_text('[[track]]\ntrack = "T"\nyear = 1994\nscores = "ap.csv"\n')
    (track,) = read_manifest("m.toml").tracks
    first = kept.fingerprint(track, Design())
    assert kept.fingerprint(track, Design()) == first
    installed = kept.version
    for name in ("numpy", "scipy", "ir-measures", "pyarrow", "pytrec-eval-terrier"):
        monkeypatch.setattr(kept, "version", lambda each, name=name: "0" if each == name else installed(each))
        assert kept.fingerprint(track, Design()) != first, name
