"""Which files of directories are read, and what their runs are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import unix

from biasvar_cli.errors import DataError
from biasvar_cli.readers.listing import Selection, expand, visible_files, warn_of_idle_patterns

QRELS = "1 0 a 1\n2 0 a 1\n"
RUN = "1 Q0 a 1 2 tag\n2 Q0 a 1 2 tag\n"

pytestmark = pytest.mark.usefixtures("tree")


@pytest.fixture
def tree(in_an_empty_folder: None) -> None:
    """Runs in folders of folders, and what may stand beside them."""
    names = ("runs/2011/bm25.gz", "runs/2011/old/input.ql", "runs/2012/rm3", "runs/top")
    hidden = ("runs/.hidden", "runs/2012/.cache/run", "runs/.git/HEAD")
    about = ("runs/README.md", "runs/2011/readme", "runs/2012/LICENSE-MIT", "runs/COPYING", "runs/2011/ORIGIN.md")
    for name in (*names, *hidden, *about):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(RUN if name in names else "Runs of the track.\n")
    Path("qrels").write_text(QRELS)


def names(*inputs: str, by_path: bool = False, **options: Any) -> list[str]:
    return [source.name for source in expand(inputs, Selection(**options), by_path=by_path)]


def refusal(folder: str = "runs", **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        expand([folder], Selection(**options))
    return caught.value.typed


def test_folders_are_gone_into_if_asked_and_hidden_files_and_readmes_are_not_read() -> None:
    assert names("runs") == ["top"]
    assert names("runs", recursive=True) == ["bm25", "ql", "rm3", "top"]
    assert names("runs/README.md") == ["README.md"]  # named by hand


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"glob": "*.gz"}, ["2011/bm25"]),
        ({"glob": "2011/*"}, ["2011/bm25", "2011/old/ql"]),
        ({"exclude": ("old",)}, ["2011/bm25", "2012/rm3", "top"]),
        ({"exclude": ("2011/*",)}, ["2012/rm3", "top"]),
        ({"exclude": ("*.gz", "rm?")}, ["2011/old/ql", "top"]),
        ({"exclude": ("top",), "glob": "*[!z]"}, ["2011/old/ql", "2012/rm3"]),
        ({"exclude": ("2012/",)}, ["2011/bm25", "2011/old/ql", "top"]),
        ({"exclude": ("old/",)}, ["2011/bm25", "2012/rm3", "top"]),
        ({"exclude": ("2011/old/",)}, ["2011/bm25", "2012/rm3", "top"]),
        ({"exclude": ("20??//", "top/")}, ["top"]),  # top is a file
        ({"exclude": ("*/",)}, []),  # runs is a folder too
    ],
)
def test_patterns_choose_by_name_and_with_a_slash_by_path(options: dict[str, Any], expected: list[str]) -> None:
    assert names("runs", by_path=True, recursive=True, **options) == expected


def test_exclude_leaves_out_what_is_named_too_but_not_standard_input() -> None:
    assert names("runs/top", "runs/2012/rm3", "-", exclude=("t*",)) == ["rm3", "stdin"]


def test_a_pattern_with_a_slash_at_its_end_leaves_out_directories_that_are_named() -> None:
    folders = ("runs/2011", "runs/2012/", "./runs/2012")
    assert names(*folders, exclude=("2012/",)) == ["bm25"]
    assert names(*folders, exclude=("2012",)) == ["bm25", "rm3"]  # a pattern of files, such as run* for those of runs
    assert names("runs/top", exclude=("top/",)) == ["top"]


@pytest.mark.parametrize(
    ("inputs", "options", "expected"),
    [
        (["runs"], {"exclude": ("*.bak", "top")}, "--exclude '*.bak' leaves nothing out: it matches no file or folder"),
        (["runs"], {"exclude": ("top/",)}, "--exclude 'top/' leaves nothing out: it matches no file or folder"),
        (["runs"], {"exclude": ("bm25.gz",)}, "--exclude 'bm25.gz' leaves nothing out: it matches no file or folder"),
        (["runs"], {"exclude": ("runs/2012/",)}, "a pattern with a slash is compared with the path below"),
        (["runs"], {"exclude": ("",)}, "--exclude '' leaves nothing out"),
        (["runs/2011", "runs/2012"], {"exclude": ("2012",)}, "; '2012/' leaves out the directory of that name"),
        (["runs/top"], {"exclude": ("t?",)}, "--exclude 't?' leaves nothing out"),
        (["runs/top"], {"glob": "*.gz"}, "--glob '*.gz' has no effect: it chooses files of directories"),
        (["runs"], {"exclude": ("2012/", "README*", "t?p")}, None),  # 2012 is there, whether it is gone into or not
        (["runs"], {"exclude": ("bm25.gz", "old/", "*m3"), "recursive": True}, None),
        (["runs", "runs/top"], {"glob": "to*"}, None),
        (["runs/2012"], {"exclude": ("2012/",)}, None),
    ],
)
def test_a_pattern_that_does_nothing_is_a_warning(
    inputs: list[str], options: dict[str, Any], expected: str | None, recwarn: pytest.WarningsRecorder
) -> None:
    warn_of_idle_patterns(inputs, Selection(**options))
    assert [expected in each.message.typed for each in recwarn] == [True] * (expected is not None)  # type: ignore[operator,union-attr]


def test_runs_are_named_by_the_path_below_the_directory_given() -> None:
    assert names("runs", recursive=True, by_path=True) == ["2011/bm25", "2011/old/ql", "2012/rm3", "top"]
    assert names("runs/2011", "runs/2012/rm3", recursive=True, by_path=True) == ["bm25", "old/ql", "rm3"]


@unix
def test_a_file_counts_once_however_often_it_is_found() -> None:
    Path("runs/2012/up").symlink_to("..")
    Path("runs/2012/again").symlink_to("../top")
    found = expand(["runs", "runs/2012", "runs/top"], Selection(recursive=True), by_path=True)
    assert [source.name for source in found] == ["2011/bm25", "2011/old/ql", "2012/again", "2012/rm3"]
    assert len({source.identity for source in found}) == 4


def test_directories_that_are_named_by_url_are_gone_into_too() -> None:
    pytest.importorskip("fsspec")
    url = f"file://{Path.cwd()}/runs"
    assert names(url, recursive=True, by_path=True) == ["2011/bm25", "2011/old/ql", "2012/rm3", "top"]
    assert names(url, recursive=True, exclude=("2011",)) == ["rm3", "top"]


def test_a_directory_without_anything_to_read_says_what_it_has() -> None:
    Path("f/2012").mkdir(parents=True)
    only_folders = "f: the directory holds only folders (2012); --recursive goes into them"
    assert refusal("f") == only_folders
    Path("f/README").touch()
    assert refusal("f") == only_folders
    assert refusal("f", recursive=True) == "f: there is nothing but README in the directory or in its folders"
    excluded = "f: there is nothing but README in the directory; --exclude leaves out 2012"
    assert refusal("f", exclude=("2012",)) == excluded
    Path("f/2012/bm25").write_text(RUN)
    nothing = "f: --exclude leaves out every file of the directory; it has 2012/bm25"
    assert refusal("f", recursive=True, exclude=("bm25",)) == nothing
    no_match = "f: no file in the directory matches --glob '*.gz'; it has 2012/bm25"
    assert refusal("f", recursive=True, glob="*.gz") == no_match
    assert refusal(glob="2011/", recursive=True).endswith(", and '2011/' a folder: add a *")


@pytest.mark.parametrize("name", ["origin", "original.gz", "licensed", "readmes.run", "copyings", "origin.gz"])
def test_runs_whose_names_begin_as_those_of_readmes_do_are_read(name: str) -> None:
    Path("f").mkdir()
    Path("f", name).write_text(RUN)
    assert len(list(visible_files("f"))) == 1


# ---- from the command line


def test_every_command_reads_the_same_files(biasvar: Callable[..., Any]) -> None:
    options = ("runs", "-q", "qrels", "--recursive", "--name-by", "path", "--exclude", "old")
    csv = ("-f", "csv")
    for command in (("decompose", *csv), ("target", *csv), ("check", "--files"), ("scores",), ("risk", *csv)):
        result = biasvar(*command, *options)
        assert result.code == 0, result.err
        assert "2011/bm25" in result.out
        assert "2012/rm3" in result.out
        assert "old" not in result.out.partition("Next: ")[0]  # whose commands leave it out too
    pool = biasvar("decompose", "runs/top", "--pool", "runs", *options[1:], "-f", "json")
    assert '"n_pool": 3' in pool.out


def test_every_command_warns_of_a_pattern_that_leaves_nothing_out(biasvar: Callable[..., Any]) -> None:
    Path("models").mkdir()
    for name in ("m", "other"):
        Path(f"models/{name}.tsv").write_text("1\ta\t1\n")
    models = ("models", "models", "--true", "models/m.tsv")
    for command in (("decompose", "runs", "-q", "qrels"), ("check", "runs"), models):
        result = biasvar(*command, "--exclude", "2O12/")
        assert result.code == 0, result.err
        assert "biasvar: warning: --exclude '2O12/' leaves nothing out" in result.err
        assert biasvar(*command, "--exclude", "2O12/", "--strict").code == 1
    pool = ("--pool", "runs/2012", "--exclude", "rm3")
    assert "leaves nothing out" not in biasvar("decompose", "runs/top", "-q", "qrels", *pool).err


def test_what_is_no_score_file_among_runs_says_how_to_leave_it_out(biasvar: Callable[..., Any]) -> None:
    Path("runs/leaderboard.csv").write_text("run,team,MAP\ntop,here,0.25\n")
    result = biasvar("decompose", "runs", "-q", "qrels")
    assert result.code == 1
    assert result.err.startswith("biasvar: error: runs/leaderboard.csv:1: ")
    assert result.err.endswith("; --exclude leaderboard.csv leaves it out\n")
    assert biasvar("decompose", "runs", "-q", "qrels", "--exclude", "leader*").code == 0
    assert "--exclude" not in biasvar("decompose", "runs/leaderboard.csv").err
    for command in ("decompose", "check"):
        result = biasvar(command, "runs/top", "--exclude", "top")
        assert (result.code, result.out, result.err) == (1, "", "biasvar: error: --exclude leaves out every input\n")


@unix
def test_no_file_of_a_folder_is_written_over(biasvar: Callable[..., Any]) -> None:
    options = ("decompose", "runs", "-q", "qrels", "--quiet")
    Path("link").symlink_to("runs/2012")
    output = ("-f", "csv", "-o", "link/rm3")
    result = biasvar(*options, "--recursive", *output)
    assert (result.code, Path("runs/2012/rm3").read_text()) == (2, RUN)
    assert "is among the inputs, which are never written over" in result.err
    assert biasvar(*options, "--recursive", "--exclude", "rm3", *output).code == 0  # then it is none
    Path("runs/2012/rm3").write_text(RUN)
    assert biasvar(*options, *output).code == 0


def test_a_manifest_chooses_files_as_the_command_line_does(biasvar: Callable[..., Any]) -> None:
    Path("runs/2012/qrels.txt").write_text(QRELS)
    text = '[[track]]\ntrack = "A"\nyear = 2011\nruns = "runs"\nqrels = "runs/2012/qrels.txt"\n'
    for more, n_runs in (
        ("recursive = true\n", 4),
        ('recursive = true\nexclude = ["old", "top"]\nname_by = "path"\n', 2),
        ('exclude = "2012"\n', 1),
    ):
        Path("MANIFEST.toml").write_text(text + more)
        assert f'"n_runs": {n_runs},' in biasvar("tracks", "MANIFEST.toml", "-f", "json", "--quiet").out


def test_runs_and_qrels_the_wrong_way_round_are_said_to_be(biasvar: Callable[..., Any]) -> None:
    found = "biasvar: error: runs/top:1: expected 4 columns, found 6: this is a run"
    result = biasvar("decompose", "qrels", "-q", "runs/top")
    asked = "qrels is shaped like qrels; is it the other way round? Then give -q qrels"
    assert (result.code, result.err) == (1, f"{found}, and {asked}\n")
    checked = biasvar("check", "qrels", "-q", "runs/top", "-f", "json")
    assert f"this is a run, and {asked}" in checked.out
    assert "the other way round" not in biasvar("check", "runs/2012/rm3", "-q", "runs/top").out
    assert f"{found}\n" in biasvar("decompose", "runs/2012/rm3", "-q", "runs/top").err
    missing = biasvar("decompose", "runs", "qrels")
    assert (missing.code, missing.err.splitlines()[-1]) == (2, "biasvar decompose runs -q qrels")
    Path("eval").write_text("map\t1\t0.5\nmap\t2\t0.5\n")
    assert "these look like scores; judgments have 4 columns" in biasvar("decompose", "runs", "-q", "eval").err


def test_the_run_tag_of_trec_eval_names_a_file_that_has_one(biasvar: Callable[..., Any]) -> None:
    rows = "map\t1\t0.5\nmap\t2\t0.25\n"
    Path("a.eval").write_text(f"{rows}runid\tall\tbm25\nmap\tall\t0.375\n")
    Path("b.eval").write_text(f"{rows}map\tall\t0.375\n")
    Path("long.csv").write_text("run,query_id,score\nql,1,0.5\nql,2,0.25\n")
    result = biasvar("decompose", "a.eval", "b.eval", "long.csv", "--name-by", "tag", "-m", "AP", "-f", "csv")
    assert [line.split(",")[2] for line in result.out.splitlines()] == ["run", "b.eval", "bm25", "ql"]
    assert result.err == "biasvar: warning: no run tag, so named by the file: in b.eval (file b.eval)\n"
    Path("b.eval").write_text(f"{rows}runid\tall\tbm25\nrunid\tall\tql\n")
    assert "needs one runid in the file, found bm25 and ql" in biasvar("decompose", "b.eval", "--name-by", "tag").err


def test_a_score_file_is_named_by_its_path(biasvar: Callable[..., Any]) -> None:
    for name in ("evals/a/bm25.eval", "evals/b/bm25.eval"):
        Path(name).parent.mkdir(parents=True)
        Path(name).write_text("map\t1\t0.5\nmap\t2\t0.25\n")
    result = biasvar("decompose", "evals", "--recursive", "--name-by", "path", "-f", "csv")
    assert [line.split(",")[2] for line in result.out.splitlines()[1:]] == ["a/bm25.eval", "b/bm25.eval"]
    assert "may be cut off: in 2 runs: a/bm25.eval (1 measure), b/bm25.eval (1 measure)" in result.err
