"""``bv.check``: the findings of the command check, in a notebook."""

from __future__ import annotations

import json
import pickle
from shutil import copy

import pandas as pd
import pytest
from conftest import ROOT, rows_of, typed

import biasvar_cli as bv

RUNS, QRELS = str(ROOT / "sample_runs"), str(ROOT / "qrels" / "npl.qrels.txt")
OPTIONS = ({"files": True}, {"exclude": ("comb-*", "rel*"), "name_by": "tag"}, {"pool": QRELS, "recursive": True})


@pytest.fixture
def odd(tmp_path, monkeypatch):
    """A run that cannot be read, one whose ranks disagree with its scores, one without fault, and judgments."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "runs" / "bad").write_text("1 Q0 a 1 9 bad\n1 Q0 b\n")
    (tmp_path / "runs" / "good").write_text("1 Q0 a 1 9 good\n2 Q0 a 1 9 good\n")
    (tmp_path / "runs" / "ranks").write_text("1 Q0 a 2 9 ranks\n1 Q0 b 1 8 ranks\n2 Q0 a 1 9 ranks\n")
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def some_runs(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder of some of the sample runs."""
    folder = tmp_path_factory.mktemp("runs")
    for run in ("orig", "rm", "rel-fb", "comb-0.1", "comb-0.5"):
        copy(ROOT / "sample_runs" / f"{run}.gz", folder)
    return str(folder)


@pytest.mark.parametrize("options", [{}, {"glob": "comb-*"}, {"max_size": 1000, "jobs": 1}, *OPTIONS], ids=str)
def test_it_shows_what_the_command_prints(biasvar, some_runs, options):
    result = bv.check(some_runs, QRELS, **options)
    words = ["check", some_runs, "-q", QRELS, *typed(options)]
    printed = biasvar(*words)
    in_python = printed.out.replace("Hidden (--wide)", "Hidden (wide=True)")  # paths of the tests may be long
    assert (repr(result), int(result.has_errors)) == (in_python, printed.code)
    assert result.to_dict() == json.loads(biasvar(*words, "-f", "json").out)
    assert result.to_markdown() == biasvar(*words, "-f", "markdown").out
    latex = biasvar(*words, "-f", "latex").out
    assert result.to_latex() == latex.replace("--columns chooses", "columns chooses")


def test_its_rows_are_those_of_the_csv_the_worst_first(biasvar, odd):
    table = bv.check("runs", "qrels").frame()
    rows = rows_of(biasvar("check", "runs", "-q", "qrels", "-f", "csv"), code=1)
    assert list(table) == list(rows[0])
    assert sorted(zip(table["file"], table["what"], strict=True)) == sorted((row["file"], row["what"]) for row in rows)
    levels = ["notice" if notice else level for level, notice in zip(table["level"], table["notice"], strict=True)]
    assert levels == sorted(levels, key=["error", "oddity", "notice", "ok"].index)
    assert table["file"][0] == "runs/bad"


def test_files_with_errors_are_a_result_and_no_exception(odd):
    result = bv.check("runs", "qrels")
    assert result.has_errors
    assert result.verdict.splitlines()[0] == "1 file has an error; errors stop an evaluation."
    assert "runs/bad: line 2: expected 6 columns, found 3" in repr(result)
    assert not bv.check(["runs/good", "runs/ranks"], "qrels").has_errors


def test_the_summary_has_a_row_a_kind(odd):
    table = bv.check("runs", "qrels").frame("summary")
    assert list(table) == ["level", "what", "files", "examples"]
    assert table["what"][0] == "ranks and scores disagree; scores are used"
    with pytest.raises(bv.BiasVarError, match="there is no table 'runs'; there are summary and files"):
        bv.check("runs").frame("runs")


def test_it_is_shown_pickled_and_compared(odd):
    result, every = bv.check("runs", "qrels"), bv.check("runs", "qrels", files=True)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301
    assert result != bv.check("runs/good")
    assert "ranks and scores disagree" in result._repr_html_()
    assert "runs/good" in every._repr_html_()
    assert "runs/good" not in repr(result)
    assert result.to_text("files") == repr(every)
    assert every.to_text("summary").startswith("Check of 4 files")


@pytest.mark.parametrize("name", ["runs", "qrels", "pool"])
@pytest.mark.parametrize("value", [pd.DataFrame({"qid": ["1"]}), {"q1": {"d1": 1}}])
def test_what_is_in_memory_has_no_files_to_check(name, value):
    arguments = {"runs": RUNS} | {name: value}
    with pytest.raises(bv.BiasVarError, match=f"^{name}: expected paths, found a .*; evaluate refuses what is wrong"):
        bv.check(**arguments)
