"""The same runs through score files of every producer give the same table, up to the digits that were printed."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

pytestmark = pytest.mark.anew

QRELS = ROOT / "qrels" / "npl.qrels.txt"
RUNS = [ROOT / "sample_runs" / f"{name}.gz" for name in ("comb-0.3", "comb-0.9", "nrr-0.4", "nrr-1.0", "orig", "rm")]
NAMES = [path.name.removesuffix(".gz") for path in RUNS]


def _with_biasvar(biasvar, folder, form, suffix):
    for path, name in zip(RUNS, NAMES, strict=True):
        text = biasvar("scores", path, "-q", QRELS, "-m", "AP", "-m", "nDCG@10", "-f", form, "--quiet").out
        (folder / f"{name}{suffix}").write_text(text)


def _with_ir_measures(folder, *options):
    """ir_measures breaks ties as trec_eval does, for these measures."""
    for path, name in zip(RUNS, NAMES, strict=True):
        plain = folder.parent / f"{name}.plain"
        plain.write_bytes(gzip.decompress(path.read_bytes()))
        command = [sys.executable, "-m", "ir_measures", str(QRELS), str(plain), "AP", "nDCG@10", "-q", *options]
        result = subprocess.run(command, capture_output=True, text=True, check=True)
        (folder / name).write_text(result.stdout)


PRODUCERS = {
    "trec_eval": (lambda biasvar, folder: _with_biasvar(biasvar, folder, "trec_eval", ""), 5e-5),
    "ir_measures": (lambda _, folder: _with_ir_measures(folder), 5e-5),
    "ir_measures, all digits": (lambda _, folder: _with_ir_measures(folder, "-p", "12"), 5e-13),
    "ir_measures, JSON lines": (lambda _, folder: _with_ir_measures(folder, "-p", "12", "-o", "jsonl"), 1e-12),
    "biasvar scores, csv": (lambda biasvar, folder: _with_biasvar(biasvar, folder, "csv", ".csv"), 0),
    "biasvar scores, tsv": (lambda biasvar, folder: _with_biasvar(biasvar, folder, "tsv", ".tsv"), 0),
    "biasvar scores, json": (lambda biasvar, folder: _with_biasvar(biasvar, folder, "json", ".json"), 0),
}


def _table(biasvar, *arguments):
    result = biasvar("tradeoff", *arguments, "-m", "AP", "-m", "nDCG@10", "--detail", "difficulty", "-f", "json")
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
    write(biasvar, folder)
    _compare(_table(biasvar, folder), expected, rounding)


def test_producers_may_be_mixed_in_one_folder(biasvar, tmp_path, expected):
    folder = tmp_path / "mixed"
    folder.mkdir()
    for name, producer in zip(NAMES, list(PRODUCERS)[:6], strict=True):
        own = tmp_path / producer.replace(" ", "-")
        own.mkdir()
        PRODUCERS[producer][0](biasvar, own)
        suffix = next(path.name for path in own.iterdir() if path.name.startswith(name)).removeprefix(name)
        shutil.copy(own / f"{name}{suffix}", folder)
    _compare(_table(biasvar, folder), expected, 5e-5)


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
