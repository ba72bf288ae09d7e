"""The same runs through score files of every form that `scores` writes give the same table, up to printed digits."""

from __future__ import annotations

import json

import pytest
from conftest import ROOT

pytestmark = pytest.mark.anew

QRELS = ROOT / "qrels" / "npl.qrels.txt"
RUNS = [ROOT / "sample_runs" / f"{name}.gz" for name in ("comb-0.3", "comb-0.9", "nrr-0.4", "nrr-1.0", "orig", "rm")]


FORMS = {"trec_eval": 5e-5, "csv": 0, "tsv": 0, "json": 0}  # and by how much a score is rounded


def _table(biasvar, *arguments):
    options = ("-m", "AP", "-m", "nDCG@10", "--detail", "difficulty", "--no-null", "-f", "json")
    result = biasvar("tradeoff", *arguments, *options)
    assert result.code == 0, result.err
    return json.loads(result.out)["results"]


@pytest.fixture
def expected(biasvar):
    return _table(biasvar, *RUNS, "-q", QRELS)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_table_of_the_runs(biasvar, tmp_path, expected, form):
    folder = tmp_path / "scores"
    folder.mkdir()
    for path in RUNS:
        text = biasvar("scores", path, "-q", QRELS, "-m", "AP", "-m", "nDCG@10", "-f", form, "--quiet").out
        (folder / (path.stem if form == "trec_eval" else f"{path.stem}.{form}")).write_text(text)
    _compare(_table(biasvar, folder), expected, FORMS[form])


def _compare(found, expected, rounding):
    """Means and the roots of squares differ by as much as the scores are rounded, at most."""
    assert len(found) == len(expected) == 2
    for ours, theirs in zip(found, expected, strict=True):
        assert (ours["measure"], ours["n_runs"], ours["n_queries"]) == (theirs["measure"], 6, 93)
        assert ours["target"]["mean"] == pytest.approx(theirs["target"]["mean"], abs=rounding or 1e-15)
        for row, other in zip(ours["runs"], theirs["runs"], strict=True):
            assert row["run"] == other["run"]
            assert row["mean"] == pytest.approx(other["mean"], abs=rounding or 1e-15)
            for name in ("var", "var_gap", "total", "total_gap"):  # a value x in [0, 1] off by d has x^2 off by 2d
                assert row[name] == pytest.approx(other[name], abs=4 * rounding or 1e-15), name
