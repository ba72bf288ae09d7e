"""The study script against the figures of an independent prototype, in ``study.csv`` of each collection."""

from __future__ import annotations

import csv
import doctest
import gzip
import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from conftest import ROOT

COMBINED = [f"comb-0.{tenths}" for tenths in range(1, 10)]
REMOVED = [f"nrr-0.{tenths}" for tenths in range(1, 10)] + ["nrr-1.0"]
COLLECTIONS = {"vaswani-npl": (11429, 93, 100, 6), "cranfield": (1400, 225, 400, 16)}


@pytest.fixture(scope="module")
def studies():
    """The modules of the script by name."""
    pytest.importorskip("Stemmer", reason="PyStemmer is not here (extra studies)")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "studies")
        names = ("collection", "models", "query_models")
        yield {name: importlib.import_module(name) for name in names}
        for name in names:
            sys.modules.pop(name, None)


class Made(NamedTuple):
    """What the script makes of a collection: AP of every model, (n_queries,), and the models, (n_queries, n_terms)."""

    collection: Any
    mu: int
    scores: dict[str, np.ndarray]
    models: dict[str, np.ndarray]


@pytest.fixture(scope="module", params=COLLECTIONS)
def made(request: pytest.FixtureRequest, shared: Path, studies: dict[str, ModuleType]) -> tuple[str, Made]:
    models = studies["models"]
    collection = studies["collection"].read_collection(shared / request.param)
    mu = models.default_mu(collection)
    index = models.index_of(collection, mu)
    scores = {name: [] for name in models.NAMES}
    kept = {name: [] for name in models.NAMES}
    for counts, relevant in zip(collection.queries, collection.relevant, strict=True):
        found = models.query_models(index, counts, relevant, models.Settings(mu))
        values = models.scores_of(index, np.array([found[name] for name in models.NAMES]))
        for name, row in zip(models.NAMES, values, strict=True):
            scores[name].append(_average_precision(models.rank(row, 1000).documents, relevant))
            kept[name].append(found[name])
    return request.param, Made(
        collection, mu, {n: np.array(s) for n, s in scores.items()}, {n: np.array(m) for n, m in kept.items()}
    )


def _average_precision(documents: np.ndarray, relevant: np.ndarray) -> float:
    ranks = np.flatnonzero(np.isin(documents, relevant)) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum() / len(relevant))


def _study(shared: Path, name: str) -> dict[str, dict[str, float]]:
    with (shared / name / "study.csv").open() as lines:
        return {row.pop("model"): {key: float(value) for key, value in row.items()} for row in csv.DictReader(lines)}


def test_settings_are_those_of_the_note(made):
    name, found = made
    n_without = int((found.models["target"] == found.models["orig"]).all(axis=1).sum())
    assert (len(found.collection.documents), len(found.collection.query_ids), found.mu, n_without) == COLLECTIONS[name]


def test_effectiveness_is_that_of_the_prototype(made, shared):
    name, found = made
    expected = _study(shared, name)
    assert found.scores.keys() == expected.keys()
    for model, ap in found.scores.items():
        gap = found.scores["true"] - ap
        assert (ap.mean(), ap.var(), gap.var()) == pytest.approx(
            [expected[model][key] for key in ("mean", "var", "var_gap_to_true")], abs=1e-6
        ), model


def test_the_examples_of_the_script_are_true(studies):
    assert [doctest.testmod(module).failed for module in studies.values()] == [0, 0, 0]


def test_a_query_that_has_no_model_stops_the_script(studies, tmp_path):
    with gzip.open(tmp_path / "docs.tsv.gz", "wt") as file:
        file.write("d1\tvery empty\nd2\t\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    for topics, message in (
        ("q1\tfull\n", "query q1: none of its words is in the documents"),
        ("q1\tempty\nq2\tempty\n", "query q2: its relevant documents are all empty"),
    ):
        (tmp_path / "topics.tsv").write_text(topics)
        with pytest.raises(SystemExit, match=message):
            studies["collection"].read_collection(tmp_path)
