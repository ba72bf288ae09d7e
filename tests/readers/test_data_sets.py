"""Relevance judgments by the id of a data set of ir_datasets: sets registered here, so that no network is needed."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import ROOT, assert_refused, only, rows_of

ir_datasets = pytest.importorskip("ir_datasets", reason="the extra datasets is not installed")

RUNS, QRELS = str(ROOT / "sample_runs"), ROOT / "qrels" / "npl.qrels.txt"


class Generic(NamedTuple):
    """A judgment of a data set that was not made for TREC: it has no iteration."""

    query_id: str
    doc_id: str
    relevance: Any


class Judgments:
    """What ir_datasets asks of the maker of judgments."""

    def __init__(self, rows: Sequence[Any], fault: Exception | None = None) -> None:
        self.rows, self.fault = rows, fault

    def qrels_handler(self) -> Judgments:
        return self

    def qrels_iter(self) -> Iterator[Any]:
        if self.fault is not None:
            raise self.fault
        return iter(self.rows)

    def qrels_cls(self) -> type:
        return type(self.rows[0])


class Documents:
    """A data set without judgments."""


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Register a data set for one test."""
    known = dict(ir_datasets.registry._registered)
    monkeypatch.setattr(ir_datasets.registry, "_registered", known)

    def register(name: str, *components: Any) -> str:
        known[name] = ir_datasets.Dataset(*components)
        return f"irds:{name}"

    return register


def sample_rows() -> list[Any]:
    made = ir_datasets.formats.TrecQrel
    lines = [line.split() for line in Path(QRELS).read_text().splitlines()]
    return [made(topic, doc, int(grade), iteration) for topic, iteration, doc, grade in lines]


@pytest.fixture
def sample(registered):
    return registered("sample", Judgments(sample_rows()))


def test_a_data_set_gives_what_its_file_gives(biasvar, sample):
    from_set = biasvar("decompose", RUNS, "-q", sample, "-f", "json", "--no-null")
    from_file = biasvar("decompose", RUNS, "-q", QRELS, "-f", "json", "--no-null")
    assert (from_set.code, from_set.out) == (0, from_file.out)
    assert biasvar("decompose", RUNS, "-q", sample, "--target", "ideal", "-f", "csv", "--quiet").code == 0


def test_judgments_without_an_iteration_and_with_subtopics(biasvar, registered, tmp_path):
    plain = registered("plain", Judgments([Generic("1", "a", 1), Generic("1", "b", 0), Generic("2", "a", 2)]))
    (tmp_path / "run").write_text("1 Q0 b 1 2 run\n1 Q0 a 2 1 run\n2 Q0 a 1 1 run\n")
    found = only(biasvar("decompose", tmp_path / "run", "-q", plain, "-f", "json"))
    assert found["runs"][0]["mean"] == pytest.approx((1 / 2 + 1) / 2)
    sub = ir_datasets.formats.TrecSubQrel
    both = registered("sub", Judgments([sub("1", "a", 1, "1"), sub("1", "a", 1, "2"), sub("2", "a", 1, "1")]))
    result = biasvar("decompose", tmp_path / "run", "-q", both)
    assert_refused(result, 1, "irds:sub: column 2 holds subtopics", "a measure of subtopics such as alpha_nDCG@20")
    assert "column 2 holds subtopics" in biasvar("check", tmp_path / "run", "-q", both).out


def test_a_track_of_a_manifest_may_name_a_data_set_and_is_kept(biasvar, sample, tmp_path):
    manifest, output = tmp_path / "MANIFEST.toml", tmp_path / "tracks.csv"
    text = f'[[track]]\ntrack = "s"\nyear = 2001\nruns = "{RUNS}"\nqrels = '
    manifest.write_text(f'{text}"{sample}"\n')
    for _ in range(2):
        assert biasvar("tracks", manifest, "--resume", "-o", output, "-f", "csv", "--quiet").code == 0
    manifest.write_text(f'{text}"{QRELS}"\n')
    assert output.read_text() == biasvar("tracks", manifest, "-f", "csv", "--quiet").out


@pytest.mark.parametrize(
    ("typed", "code", "words"),
    [
        ("irds:sampel", 2, "irds:sampel: ir_datasets has no data set of that id; did you mean sample"),
        ("irds:judged-here", 2, "ir_datasets has no data set of that id; did you mean docs/judged-here?"),
        (
            "irds:docs",
            2,
            "the data set has no relevance judgments; give a part of it that has, such as docs/judged-here",
        ),
        ("irds:broken", 1, "irds:broken: ir_datasets cannot download it (ConnectionError: no route); check the netw"),
        ("irds:all", 1, "irds:all: ir_datasets cannot download it (TimeoutError: timed out); check the network"),
        ("irds:cut", 1, "irds:cut: ir_datasets cannot load it: ValueError: cut off\n"),
        ("irds:", 2, "irds: has no id of a data set; give one, such as irds:vaswani\n"),
        ("irds:odd", 1, "irds:odd:1: grade 0.5 is not an integer"),
        ("irds:blank", 1, "irds:blank:1: expected 4 columns, found 5"),
    ],
)
def test_what_cannot_be_had_is_said(biasvar, registered, sample, typed, code, words):
    mirrors = [("one", ConnectionError("refused")), ("two", TimeoutError("timed out"))]
    for name, component in {
        "docs": Documents(),
        "docs/judged-here": Judgments([Generic("1", "a", 1)]),
        "broken": Judgments([], ConnectionError("no route\nto there")),
        "all": Judgments([], RuntimeError("All download sources failed", mirrors)),
        "cut": Judgments([], ValueError("cut off")),
        "odd": Judgments([Generic("1", "a", 0.5)]),
        "blank": Judgments([Generic("1", "a b", 1)]),
    }.items():
        registered(name, component)
    result = biasvar("decompose", RUNS, "-q", typed)
    assert (result.code, result.out) == (code, "")
    assert words in result.err


def test_the_log_of_ir_datasets_stays_unsaid(biasvar, registered):
    class Loud(Judgments):
        def qrels_iter(self) -> Iterator[Any]:
            ir_datasets.log.easy("loud").warn("[starting] a download")
            return super().qrels_iter()

    result = biasvar("check", RUNS, "-q", registered("loud", Loud(sample_rows())))
    assert (result.code, result.err) == (0, "")
    assert not logging.root.manager.disable


def test_without_ir_datasets_the_extra_is_named(biasvar, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    result = biasvar("decompose", RUNS, "-q", "irds:vaswani")
    assert_refused(result, 2, "a data set of ir_datasets needs another package: ", "[datasets]'")


def test_a_file_of_that_name_is_read_by_its_path(biasvar, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irds:qrels").write_bytes(QRELS.read_bytes())
    assert len(rows_of(biasvar("decompose", RUNS, "-q", "./irds:qrels", "-f", "csv", "--quiet"))) > 0
