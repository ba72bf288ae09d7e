"""The same runs through score files of every producer give the same table, up to the digits that were printed."""

from __future__ import annotations

import gzip
import io
import json
import sys
from contextlib import redirect_stdout

import ir_measures
import pytest
from conftest import ROOT
from ir_measures.__main__ import main_cli

from biasvar_cli.measures import parse_measures

pytestmark = pytest.mark.anew

QRELS = ROOT / "qrels" / "npl.qrels.txt"
RUNS = [ROOT / "sample_runs" / f"{name}.gz" for name in ("comb-0.3", "comb-0.9", "nrr-0.4", "nrr-1.0", "orig", "rm")]


def _with_biasvar(biasvar, folder, runs, form, suffix):
    for path in runs:
        text = biasvar("scores", path, "-q", QRELS, "-m", "AP", "-m", "nDCG@10", "-f", form, "--quiet").out
        (folder / f"{path.stem}{suffix}").write_text(text)


def _with_ir_measures(folder, runs, *options):
    """ir_measures breaks ties as trec_eval does, for these measures."""
    for path in runs:
        plain, printed = folder.parent / f"{path.stem}.plain", io.StringIO()
        plain.write_bytes(gzip.decompress(path.read_bytes()))
        words = ["ir_measures", str(QRELS), str(plain), "AP", "nDCG@10", "-q", *options]
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
            patch.setattr(sys, "argv", words)
            # which reads names with ast.Num: Python 3.12 warns of that, and Python 3.14 has it no more
            patch.setattr(ir_measures, "parse_measure", lambda name: parse_measures([name])[0])
            main_cli()
        (folder / path.stem).write_text(printed.getvalue())


PRODUCERS = {
    "trec_eval": (lambda biasvar, *where: _with_biasvar(biasvar, *where, "trec_eval", ""), 5e-5),
    "ir_measures": (lambda _, *where: _with_ir_measures(*where), 5e-5),
    "ir_measures, all digits": (lambda _, *where: _with_ir_measures(*where, "-p", "12"), 5e-13),
    "ir_measures, JSON lines": (lambda _, *where: _with_ir_measures(*where, "-p", "12", "-o", "jsonl"), 1e-12),
    "biasvar scores, csv": (lambda biasvar, *where: _with_biasvar(biasvar, *where, "csv", ".csv"), 0),
    "biasvar scores, tsv": (lambda biasvar, *where: _with_biasvar(biasvar, *where, "tsv", ".tsv"), 0),
    "biasvar scores, json": (lambda biasvar, *where: _with_biasvar(biasvar, *where, "json", ".json"), 0),
}


def _table(biasvar, *arguments):
    options = ("-m", "AP", "-m", "nDCG@10", "--detail", "difficulty", "--no-null", "-f", "json")
    result = biasvar("tradeoff", *arguments, *options)
    assert result.code == 0, result.err
    return json.loads(result.out)["results"]


@pytest.fixture
def expected(biasvar):
    return _table(biasvar, *RUNS, "-q", QRELS)


@pytest.mark.parametrize("producer", PRODUCERS)
def test_every_producer_gives_the_table_of_the_runs(biasvar, tmp_path, expected, producer):
    write, rounding = PRODUCERS[producer]
    folder = tmp_path / "scores"
    folder.mkdir()
    write(biasvar, folder, RUNS)
    _compare(_table(biasvar, folder), expected, rounding)


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
