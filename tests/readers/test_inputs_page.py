"""The examples of docs/inputs.md are read as the page says; every one has the same two queries."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from biasvar_cli.readers import score_formats

PAGE = (ROOT / "docs" / "inputs.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"<!-- (\S+) -->\n```\w*\n(.*?)```\n", PAGE, flags=re.DOTALL))
SCORES = (0.5, 1.0)  # of the queries 301 and 302, AP by hand: the relevant document is at rank 2, and at rank 1
SAMPLES = "llama-3/samples_squad_2026-08-21T10-15-00.000000.jsonl"
HELM = "koala/per_instance_stats.json"
OPTIONS = {
    "bm25": ("-q", "qrels.txt", "-m", "AP"),
    "run.json": ("-q", "qrels.txt", "-m", "AP"),
    "ap.mat": ("--orient", "queries", "-m", "AP"),
    "ragas.csv": ("-m", "faithfulness"),
    **dict.fromkeys(
        (SAMPLES, "inspect.json", "test_run.json", "answers.jsonl", "koala_samples.jsonl", HELM, "details.jsonl"), ()
    ),
}
QUERIES = {"ap.mat": ("1", "2"), "ragas.csv": ("Who wrote Emma?", "When?")}
RUNS = {
    SAMPLES: "llama-3",
    "inspect.json": "openai/gpt-4o",
    "answers.jsonl": "llama-3",
    "koala_samples.jsonl": "org/koala",
    HELM: "koala",
}


@pytest.fixture
def examples(in_an_empty_folder: None) -> None:
    """The files of the page."""
    for name, text in EXAMPLES.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def test_the_page_shows_every_example_of_a_format() -> None:
    assert len(EXAMPLES) == PAGE.count("```") // 2
    forms = [
        *score_formats.TABLE_FORMATS,
        *(form for kind, form in score_formats.SCORE_FORMATS.items() if kind != "table"),
    ]
    assert all(form.examples for form in forms)
    assert {
        **score_formats.EXAMPLES,
        **{name: EXAMPLES[name] for name in ("bm25", "qrels.txt", "run.json", "test.tsv")},
    } == EXAMPLES


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    "name", [name for name in EXAMPLES if name not in ("qrels.txt", "test.tsv") and "SciFact" not in name]
)
def test_an_example_is_read_right(biasvar: Callable[..., Any], name: str, end: str) -> None:
    for path in (Path(name), Path("qrels.txt")):
        path.write_bytes(path.read_text().replace("\n", end).encode())
    if name == "ap.mat":
        Path("ap.mat.runs").write_bytes(f"bm25{end}rm3{end}".encode())
    result = biasvar("scores", name, *OPTIONS.get(name, ("-m", "AP")), "-f", "json", "--quiet")
    assert result.code == 0, result.err
    (found,) = json.loads(result.out)["results"]
    queries = QUERIES.get(name, ("301", "302"))
    rows = {row["run"]: dict(zip(found["queries"], row["scores"], strict=True)) for row in found["runs"]}
    own = RUNS.get(name, name if name in rows else "bm25")  # of one run, or of two that the file names
    others = {"rm3": dict(zip(queries, (0.25, 0.5), strict=True))} if own == "bm25" != name else {}
    assert rows == {own: dict(zip(queries, SCORES, strict=True)), **others}


@pytest.mark.usefixtures("in_an_empty_folder")
@pytest.mark.parametrize(("by", "name"), re.findall(r"^\| `(file|path)` \| `(\S+)`:", PAGE, flags=re.MULTILINE))
def test_a_run_is_named_as_the_page_says(biasvar: Callable[..., Any], by: str, name: str) -> None:
    Path("runs/2012").mkdir(parents=True)
    Path("runs/2012/input.bm25.gz").write_text(EXAMPLES["bm25"])
    Path("qrels.txt").write_text(EXAMPLES["qrels.txt"])
    result = biasvar("scores", "runs", "-q", "qrels.txt", "--recursive", "--name-by", by, "-f", "csv", "--quiet")
    assert result.out.splitlines()[1].startswith(f"{name},301,AP,")
