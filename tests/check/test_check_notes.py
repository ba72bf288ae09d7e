"""Sentences of check, on files with known findings, and the next steps that names and numbers allow."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import assert_says

from biasvar_cli.analyses.check import steps
from biasvar_cli.analyses.check import table as notes
from biasvar_cli.analyses.check.reports import FileReport, Finding
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.tables.rows import View

ERROR, WARNING, NOTICE = (
    Finding("error", "bad line"),
    Finding("warning", "ties", 2.0, "queries"),
    Finding("notice", "few"),
)


def reports(*findings: tuple[Finding, ...]) -> list[FileReport]:
    return [FileReport(f"f{number}", "run", of_file) for number, of_file in enumerate(findings)]


@pytest.mark.parametrize(
    ("findings", "text"),
    [
        ([()], "No file has an error. No file has a warning."),
        ([(ERROR, WARNING)], "1 file has an error; errors stop an evaluation. No file has a warning."),
        ([(WARNING, NOTICE), (WARNING,)], ("No file has an error. 2 files have a warning, which may change what "
         "numbers mean.")),
        ([(NOTICE,), (ERROR,), (ERROR,)], ("2 files have an error; errors stop an evaluation. No file has a warning; "
         "1 file has only notices, which are usual in real files.")),
    ],
)  # fmt: skip
def test_files_are_counted_by_the_worst_of_their_findings(findings: Any, text: str):
    assert_says(notes.verdict_of(reports(*findings)), text)


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [(None, "", ""), (1.0, "lines", " (1 line)"), (2.0, "lines", " (2 lines)"), (12.34, "%", " (12.3 %)")],
)
def test_how_much_of_a_finding_a_file_has(number: float | None, unit: str, text: str):
    row = notes.FileFinding(reports(())[0], Finding("warning", "ties", number, unit))
    assert row.extent == text


@pytest.mark.parametrize(
    ("findings", "view", "titles"),
    [
        ([(ERROR, WARNING)], View(table="summary"), ["Check of 1 file: run (1)", "Warnings and notices"]),
        ([(ERROR,)], View(table="summary"), ["Check of 1 file: run (1)"]),
        ([(WARNING,)], View(table="summary"), ["Check of 1 file: run (1)"]),
        ([(WARNING,)], View(table="files"), ["Check of 1 file: run (1)"]),
        ([(WARNING,)], View(table="summary", format="csv"), ["Check of 1 file: run (1)"]),
    ],
)
def test_a_summary_has_the_errors_in_full(findings: Any, view: View, titles: list[str]):
    tables = notes.tables([SimpleNamespace(files=reports(*findings), steps=[])], view)
    assert [table.title for table in tables] == titles
    if view.for_people and view.table == "summary":
        assert ("f0: bad line" in tables[0].notes) == (ERROR in findings[0])


def test_of_several_steps_the_last_lines_say_what_is_blocked():
    found = [steps.Step(f"c{number}", "why") for number in range(9)] + [steps.Step("b", "why", blocked=True)] * 4
    (table,) = notes._with_steps([notes.Table("", {})], found)
    assert [line.split()[1] for line in table.notes] == ["c0", "c1", "c2", "b", "b", "b"]
    (few,) = notes._with_steps([notes.Table("", {})], [found[0], found[-1]])
    assert [line.split()[1] for line in few.notes] == ["c0", "b"]


def qrels(grades: list[int], counts: list[int], *, subtopics: bool = False) -> Any:
    return SimpleNamespace(subtopics=subtopics, grades=np.array(grades), relevant_counts=lambda: np.array(counts))


@pytest.mark.parametrize(
    ("judgments", "measure"),
    [
        (qrels([0, 1], [1, 1], subtopics=True), "alpha_nDCG@20"),
        (qrels([0, 2], [1, 1]), "nDCG@10"),
        (qrels([0, 1], [1, 0, 1]), "RR@10"),
        (qrels([0, 1], [1, 2]), "AP"),
        (qrels([0, 0], [0, 0]), "AP"),
    ],
)
def test_the_measure_is_the_one_that_judgments_allow(judgments: Any, measure: str):
    assert steps._measure_of(judgments) == measure


@pytest.mark.parametrize(
    ("runs", "baseline"),
    [
        (["baseline.txt", "bm25", "x"], "baseline.txt"),
        (["bm25", "ql", "x"], None),
        (["BM25.gz", "x"], "BM25.gz"),
        (["my-baseline-2", "x"], "my-baseline-2"),
        (["x", "y"], None),
    ],
)
def test_one_name_says_that_others_are_compared_with_it(runs: list[str], baseline: str | None):
    assert steps._baseline(runs) == baseline


@pytest.mark.parametrize(
    ("names", "replicates", "clusters"),
    [
        (["a-seed1", "a-seed2", "b-seed1"], "-seed[0-9]+", None),
        (["a-seed1", "b-seed2"], None, None),
        (["a.run1", "a.run2"], None, None),
        (["a.run1", "a.run2", "b.run1"], "[.]run[0-9]+", None),
        ([f"t{topic}_{query}" for topic in range(6) for query in range(2)], None, "(.*)_[0-9]+"),
        ([f"t{topic}-{query}" for topic in range(6) for query in range(2)], None, "(.*)-[0-9]+"),
        ([f"t{topic}_{query}" for topic in range(5) for query in range(2)], None, None),
        ([f"t{topic}_1" for topic in range(12)], None, None),
    ],
)
def test_names_say_which_runs_and_queries_belong_together(
    names: list[str], replicates: str | None, clusters: str | None
):
    assert (steps._replicates(names), steps._clusters(names)) == (replicates, clusters)


@pytest.mark.parametrize(
    ("n_runs", "n_queries", "options", "commands", "blocked"),
    [
        (1, 6, ("-m", "AP"), ["scores", "decompose"], {"compare": "it takes two runs, and here is one"}),
        (1, 6, (), ["scores", "decompose"], {"compare": "it takes two runs, and here is one"}),
        (2, 5, (), ["decompose", "summary"], {"compare": "a test needs 6 queries, and here are "
         "5", "tradeoff": "a verdict needs 10 runs and … queries, and here are 2 runs and 5 queries"}),
        (10, 100, (), ["compare", "decompose", "summary"], {}),
        (9, 100, (), ["compare", "decompose", "summary"], {"tradeoff": "a verdict needs 10 runs and … queries, and "
         "here are 9 runs and 100 queries"}),
        (10, 6, (), ["compare", "decompose", "summary"], {"tradeoff": "… here are 10 runs and 6 queries"}),
    ],
)  # fmt: skip
def test_runs_and_queries_allow_some_analyses(
    n_runs: int, n_queries: int, options: tuple[str, ...], commands: list[str], blocked: dict[str, str]
):
    inputs = steps._Inputs(TrackRequest(inputs=("x",)), [], None)
    runs, queries = (
        [f"{kind}{'abcdefghij'[number % 10]}{number // 10 * 'x'}" for number in range(n)]
        for kind, n in (("s", n_runs), ("q", n_queries))
    )
    found = list(steps._analyses(inputs, options, runs, queries))
    assert [step.command.split()[1] for step in found if not step.blocked] == commands
    said = {step.command: step.why for step in found if step.blocked}
    assert said.keys() == blocked.keys()
    for command, why in blocked.items():
        assert_says(said[command], why)


def test_subtopics_need_their_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(steps, "find_spec", lambda _: None)
    inputs = steps._Inputs(TrackRequest(inputs=("x",)), reports(()), qrels([1], [1], subtopics=True))
    (step,) = steps._of_runs(inputs)
    assert_says(
        str(step),
        "Blocked: all other commands (judgments of subtopics need the package pyndeval, of the extra measures).",
    )
    monkeypatch.setattr(steps, "find_spec", lambda name: name)
    monkeypatch.setattr(steps.evaluator, "judged_queries", lambda *_, **__: ["q"])
    runs = replace(inputs, reports=[FileReport("x", "run", (), runs=("A",))])
    assert next(steps._of_runs(runs)).command == "biasvar scores x -m alpha_nDCG@20"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, []),
        ({"recursive": True, "qrels": "my qrels"}, ["--recursive", "-q", "'my qrels'"]),
        ({"exclude": ("a", "b c"), "max_size": 2**20}, ["--exclude", "a", "--exclude", "'b c'", "--max-size", "1M"]),
    ],
)
def test_options_are_typed_again(asked: dict[str, Any], words: list[str]):
    assert sorted(steps._options(TrackRequest(inputs=("x",), **asked))) == sorted(words)


def scores(
    path: str,
    *measures: str,
    others: tuple[str, ...] = (),
    runs: tuple[str, ...] = ("A", "B"),
    queries: str = "abc",
    kind: str = steps.CLASH,
) -> Any:
    content = SimpleNamespace(measures=measures, others=others, runs=runs, queries=tuple(queries))
    return SimpleNamespace(
        path=path, kind="scores", content=content, findings=(Finding("error", "", kind=kind),), runs=runs
    )


@pytest.mark.parametrize(
    ("files", "commands"),
    [
        ([scores("x", "AP"), scores("y", "AP")], ["biasvar judges x y"]),
        ([scores("x", "AP"), scores("y", "RR")], []),
        ([scores("x", "AP"), scores("y", "AP", queries="cde")], []),
        ([scores("x", "AP"), scores("y", "AP", runs=("A", "C"))], []),
        ([scores("x", "AP", runs=("A",)), scores("y", "AP", runs=("A",))], []),
        ([scores("x", "AP"), scores("y", "AP", kind="")], []),
    ],
)
def test_scores_of_the_same_runs_may_be_those_of_judges(files: list[Any], commands: list[str]):
    found = steps._judges_by_file(steps._Inputs(TrackRequest(inputs=("x", "y")), files, None))
    assert [step.command for step in found] == commands


def test_without_a_common_measure_nothing_is_computed():
    files = [scores("x", "AP", "RR"), scores("y", "P@5", "R@5")]
    (step,) = steps._of_scores(steps._Inputs(TrackRequest(inputs=("x", "y")), files, None))
    assert_says(str(step), "Blocked: all other commands (the files have no measure in common).")


@pytest.mark.parametrize(
    ("wrong", "qrels", "text"),
    [
        (["d/x.run"], None, "Next: biasvar check d --exclude x.run  # without x.run"),
        (["d/x.run"], "d/x.run", ""),
        (["d/x*.run"], None, ""),
        ([f"d/{name}" for name in "abcd"], None, ""),
    ],
)
def test_a_few_files_with_an_error_are_left_out(wrong: list[str], qrels: str | None, text: str):
    files = [FileReport(path, "run", (ERROR,), runs=("r",)) for path in wrong]
    inputs = steps._Inputs(
        TrackRequest(inputs=("d",), qrels=qrels), [*files, FileReport("d/ok", "run", (), runs=("r",))], None
    )
    assert_says(map(str, steps._without(inputs, wrong)), text)
    assert [*steps._without(replace(inputs, reports=files), wrong)] == []


def test_a_file_that_is_asked_for_alone_is_alone_in_json():
    view = View(table="files", format="json", top=1)
    assert [file["path"] for file in notes._files_table(reports((ERROR,), (NOTICE,)), view).document["files"]] == ["f0"]
    best = View(table="files", format="csv", best_first=True)
    assert notes._files_table(reports((NOTICE,), (ERROR,)), best).columns["file"] == ["f1", "f0"]
