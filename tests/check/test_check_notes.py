"""Sentences of check, on files with known findings, and the next steps that names and numbers allow."""

from __future__ import annotations

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
        (1, 6, (), ["decompose"], {"compare": "it takes two runs, and here is one"}),
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
