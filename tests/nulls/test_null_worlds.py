"""The simulated worlds of benchmarks/: measures beside ir-measures, and laws that are what they say."""

import doctest
import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import ir_measures
import numpy as np
import pytest

from biasvar_cli.measures import parse_measures

ROOT = Path(__file__).parents[2]
MODULES = ("simulated_rankings", "null_worlds", "null_claims", "calibrate_null")
NO_PERL = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval needs perl, which is not here")


@pytest.fixture(scope="module")
def modules() -> Iterator[dict[str, ModuleType]]:
    """The modules of the benchmark by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            sys.modules.pop(name, None)


@pytest.mark.parametrize("name", MODULES)
def test_the_worked_examples_hold(modules, name):
    assert doctest.testmod(modules[name]).failed == 0


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RR", "P@10", pytest.param("ERR@20", marks=NO_PERL)])
def test_measures_of_simulated_rankings_equal_those_of_ir_measures(modules, name):
    rankings, worlds = modules["simulated_rankings"], modules["null_worlds"]
    rng = np.random.default_rng(5)
    judged = worlds.relevance(rng, 12, 4)[:, :60]
    grades = rankings.ranked_grades(rng, np.exp(rng.normal(0, 0.5, (3, 12))), judged)
    qrels, docs = [], []
    for (run, query, rank), grade in np.ndenumerate(grades):  # a query of its own for every run
        qrels.append(ir_measures.Qrel(str(100 * run + query), f"d{rank}", int(grade)))
        docs.append(ir_measures.ScoredDoc(str(100 * run + query), f"d{rank}", 100.0 - rank))
    found = {each.query_id: each.value for each in ir_measures.iter_calc(parse_measures([name]), qrels, docs)}
    theirs = np.array([[found[str(100 * run + query)] for query in range(12)] for run in range(3)])
    assert worlds.MEASURES[name][0](grades) == pytest.approx(theirs, abs=5.0001e-6 if name == "ERR@20" else 1e-12)


def test_every_world_gives_scores_of_the_size_that_is_wanted_the_same_each_time(modules, shared):
    worlds = modules["null_worlds"].zoo((shared / "score-matrices" / "trec5-adhoc-ap.csv").parent)
    assert "swapped trec5-adhoc-ap" in worlds
    for name, world in worlds.items():
        values, again = (world.law(np.random.default_rng(3), 12, 20) for _ in range(2))
        assert values.shape == (12, 20), name
        assert 0 <= values.min() <= values.max() <= 1, name
        assert (values == again).all(), name


def test_swapping_keeps_the_scores_of_every_query(modules):
    track = np.random.default_rng(0).random((8, 5))
    values = modules["null_worlds"].swapped(track, np.random.default_rng(1), 8, 30)
    columns = {tuple(column) for column in np.sort(track, axis=0).T}
    assert {tuple(column) for column in np.sort(values, axis=0).T} <= columns


def test_claims_are_those_of_the_program(modules):
    values = np.random.default_rng(0).beta(1, 3, size=(12, 16))
    one = modules["null_claims"].claims(values, 0, verdict_alone=True)
    assert one == dict.fromkeys(["stronger", "weaker", "rule stronger", "rule weaker"], False)  # runs that are alike
    of_few_runs = modules["null_claims"].claims(values[:9], 0)
    assert (of_few_runs["stronger"], of_few_runs["weaker"]) == (False, False)


def test_rates_are_read_back_and_not_simulated_again(modules, tmp_path, capsys, monkeypatch):
    calibrate = modules["calibrate_null"]
    out = tmp_path / "zoo.csv"
    asked = ["--out", str(out), "--tracks", str(tmp_path), "--world", "logit", "--world", "falling"]
    cells = [calibrate.Cell(name, 24, 50, 4, 0) for name in ("logit", "falling")]
    for cell, rates in zip(cells, ({"stronger": 0.25, "weaker": 0.5}, {"stronger": 1.0, "weaker": 0.0}), strict=True):
        calibrate.write(out, cell, rates, differs=cell.world == "falling")
    before = out.read_bytes()
    assert before.splitlines()[1] == b"logit,0,24,50,4,0,stronger,1,0.25,0.2165"  # sqrt(.25 * .75 / 4)
    monkeypatch.setattr(calibrate, "ProcessPoolExecutor", lambda _jobs: memoryview(b""))  # nothing is submitted
    calibrate.main([*asked, "--runs", "24", "--queries", "50", "--each", "4"])
    assert out.read_bytes() == before
    assert "| **all null worlds** | .25 / .50 |" in capsys.readouterr().out
