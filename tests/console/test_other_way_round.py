"""What people type in another order or place than the program takes, and what is said of it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, SCORED, Result, rows_of

import biasvar_cli as bv
from biasvar_cli.errors import BiasVarError

Command = Callable[..., Result]
MATRIX = "AP,A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\nq3,0.2,0.3,0.4\n"
TYPED = re.compile(r"(?<!-)--[a-z]|\bbiasvar [a-z]|\bMore: ")  # an option or a command, in what Python prints


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three runs in one folder and three files of judgments in another."""
    for folder in ("runs", "qrels"):
        (tmp_path / folder).mkdir()
    for run in ("orig", "rm", "rel-fb"):
        shutil.copy(ROOT / "sample_runs" / f"{run}.gz", tmp_path / "runs")
    lines = (ROOT / "qrels" / "npl.qrels.txt").read_text().splitlines()
    for name, step in (("a", 1), ("b", 2), ("c", 3)):
        (tmp_path / "qrels" / f"{name}.txt").write_text("\n".join(lines[::step]) + "\n")
    (tmp_path / "ap.csv").write_text(MATRIX)
    monkeypatch.chdir(tmp_path)


QRELS = ("qrels/a.txt", "qrels/b.txt", "qrels/c.txt")


def test_a_pattern_behind_q_is_named(biasvar: Command) -> None:
    result = biasvar("scores", "runs", "-q", *QRELS)
    assert result.code == 0
    assert "left out: qrels/b.txt, qrels/c.txt; a pattern behind -q gives it the first file alone; judges" in result.err
    result = biasvar("judges", "runs", "-q", *QRELS)
    assert result.code == 2
    assert "give -q for each" in result.err
    assert "a pattern behind -q gives it the first file alone, and INPUTS are qrels/b.txt, qrels/c.txt" in result.err


def test_files_shaped_like_qrels_that_stand_elsewhere_are_no_pattern(biasvar: Command) -> None:
    shutil.copy("qrels/b.txt", "runs/b.txt")
    for inputs in (("runs",), ("runs", "runs/b.txt")):
        result = biasvar("scores", *inputs, "-q", "qrels/a.txt")
        assert (result.code, "shaped like qrels left out" in result.err, "pattern" in result.err) == (0, True, False)


def test_a_folder_of_judgments_is_its_files_each_a_judge(biasvar: Command) -> None:
    few = ("--samples", 500, "-f", "csv", "--quiet")
    folder = biasvar("judges", "runs", "-q", "qrels", *few)
    files = biasvar("judges", "runs", *(word for name in QRELS for word in ("-q", name)), *few)
    assert folder == files
    assert [row["judge"] for row in rows_of(folder)] == ["b", "c"]
    some = biasvar("judges", "runs", "-q", "qrels", "--exclude", "b.txt", *few)
    assert [row["judge"] for row in rows_of(some)] == ["c"]


@pytest.mark.parametrize(
    ("command", "words", "again"),
    [
        (("profile", "runs", "rm", "-q", QRELS[0]), "The run comes first: rm runs", ("rm", "runs", "-q", QRELS[0])),
        (("summary", QRELS[0], "-q", "runs"), "before -q: runs -q QRELS", ("runs", "-q", QRELS[0])),
        (("compare", "-q", "runs", QRELS[0]), "before -q: runs -q QRELS", ("runs", "-q", QRELS[0])),
    ],
)
def test_the_other_way_round_is_said_and_works(
    biasvar: Command, command: tuple[str, ...], words: str, again: tuple[str, ...]
) -> None:
    result = biasvar(*command)
    assert (result.code, result.out) == (2, "")
    assert "the other way round" in result.err
    assert words in result.err
    assert biasvar(command[0], *again).code == 0


def test_a_run_and_a_file_that_are_not_there_are_not_the_other_way_round(biasvar: Command) -> None:
    for command in (("profile", "rm", "none", "-q", QRELS[0]), ("profile", "runs", "one", "two", "-q", QRELS[0])):
        result = biasvar(*command)
        assert (result.code, "other way" in result.err) == (2, False)


def test_a_page_names_the_best_run_where_top_is_its_baseline(biasvar: Command) -> None:
    result = biasvar("report", "runs", "-q", QRELS[0], "--baseline", "top", "-o", "x.html")
    assert result.code == 1
    assert "give its name; rel-fb has the best mean AP" in result.err


def test_a_manifest_in_python_is_read_by_tracks() -> None:
    Path("shelf.toml").write_text('[[track]]\ntrack = "A"\nyear = 2001\nscores = "ap.csv"\n')
    with pytest.raises(BiasVarError, match=r"bv\.tracks\(FILE\) reads it"):
        bv.summary("shelf.toml")


@pytest.mark.parametrize("name", ["top", "sort", "columns", "digits", "notes"])
def test_what_tables_take_is_said_to_be_of_them(name: str) -> None:
    with pytest.raises(TypeError, match=rf"bv\.summary\(\.\.\.\)\.to_text\({name}=\.\.\.\)"):
        bv.summary("ap.csv", **{name: 1})
    assert "B" not in bv.summary("ap.csv").to_text(top=1).partition("---")[2]


@pytest.mark.parametrize("analysis", SCORED)
def test_what_python_prints_names_no_option_and_no_command(analysis: str) -> None:
    """Text, and the words of a notebook, of which Python shows the verdict alone too."""
    best = {"baseline": "run:rel-fb"} if analysis in ("compare", "risk", "decompose") else {}
    result = getattr(bv, analysis)("runs", qrels=QRELS[0], **best, **({"run": "rm"} if analysis == "profile" else {}))
    for notes in ("short", "full"):
        for text in (result.to_text(notes=notes), result.to_markdown(notes=notes), result.to_latex(notes=notes)):
            words = [
                line for line in text.splitlines() if "Signature" not in line and not re.fullmatch(r"[-| :]+", line)
            ]
            assert not [line for line in words if TYPED.search(line)]
    markup = re.sub("<style>.*?</style>", "", result._repr_html_(), flags=re.DOTALL)
    for text in (markup, result.verdict):
        assert not re.findall(r"(?<![\w-])--[a-z]|\bINPUTS\b", text)
