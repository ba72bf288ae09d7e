"""``import biasvar_cli as bv``: the numbers of the command line, from files, DataFrames and dicts."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, SAMPLE_RUNS, only, rows_of

import biasvar_cli as bv
from biasvar_cli.cli import main
from biasvar_cli.notebook.arguments import RunReading
from biasvar_cli.readers.settings import InputSettings
from biasvar_cli.settings import settings_by_name

RUNS, QRELS = str(ROOT / "sample_runs"), str(ROOT / "qrels" / "npl.qrels.txt")
SAMPLE = (RUNS, "-q", QRELS, "--quiet")
JUDGED = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 0, "d4": 1}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0, "d9": 1.0}, "q2": {"d4": 1.0}}


@pytest.fixture(scope="module")
def scores() -> bv.Scores:
    return bv.evaluate(RUNS, QRELS, "AP")


@pytest.fixture(scope="module")
def track(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The sample track's scores as the command writes them, for other commands, which need not score again."""
    path = str(tmp_path_factory.mktemp("track") / "ap.csv")
    assert main(["scores", *SAMPLE, "-f", "matrix", "-o", path]) == 0
    return path, "--quiet"


def test_importing_loads_nothing_and_using_a_name_does():
    code = """if True:
        import sys, biasvar_cli as bv
        heavy = {'numpy', 'pandas', 'pyarrow', 'ir_measures', 'click'}
        assert not heavy & set(sys.modules), heavy & set(sys.modules)
        assert 'evaluate' in dir(bv)
        bv.evaluate
        assert 'pandas' in sys.modules"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_name_is_there_and_others_are_not():
    assert all(getattr(bv, name) is not None for name in bv.__all__)
    assert set(bv.__all__) <= set(dir(bv))
    with pytest.raises(AttributeError, match="no attribute 'decomposed'"):
        bv.decomposed  # noqa: B018


def test_scores_are_those_of_the_command(biasvar, scores):
    frame = scores.frame()
    assert (scores.measure, scores.runs, frame.index.name) == ("AP", tuple(SAMPLE_RUNS), "query_id")
    rows = rows_of(biasvar("scores", *SAMPLE, "-f", "matrix"))
    assert frame.to_dict("index") == {row.pop("AP"): {run: float(value) for run, value in row.items()} for row in rows}


def test_correlations_and_target_are_those_of_the_json(biasvar, scores, track):
    result = bv.decompose(scores, seed=5, null_samples=100)
    found = only(biasvar("decompose", *track, "--seed", "5", "--null-samples", "100", "-f", "json"))
    for form in ("score", "gap"):
        row, expected = result.correlations.loc[form], found["tradeoff"][form]
        null = expected["null"]["pearson"]
        for name in ("pearson", "spearman", "kendall"):
            assert row[name] == expected[name]
        assert [row["null_r"], row["null_low"], row["null_high"]] == [null[name] for name in ("median", "low", "high")]
        assert row["p"] == null["p"] or (np.isnan(row["p"]) and null["p"] is None)
    target = {name: getattr(result.target, name) for name in ("kind", "label", "mean", "var", "n_pool")}
    assert target == found["target"]
    assert (result.measure, result.n_runs, result.n_queries) == ("AP", found["n_runs"], found["n_queries"])


def test_subtopics_in_a_frame_are_subtopics():
    judged = pd.DataFrame({"query_id": "q1", "subtopic_id": ["1", "2"], "doc_id": "a", "relevance": 1})
    with pytest.raises(bv.BiasVarError, match="the judgments: column 2 holds subtopics"):
        bv.evaluate({"q1": {"a": 2.0, "b": 1.0}}, judged, "AP")


def test_a_pool_in_memory_counts_for_the_target_alone():
    with_pool = bv.evaluate({"a": RUN}, JUDGED, pool={"b": {"q1": {"d3": 1.0}, "q2": {"d4": 1.0}}})
    assert bv.target(with_pool).frame("runs").index.tolist() == ["b", "a"]
    with pytest.raises(bv.BiasVarError, match="two runs are called a: run a and pool run a"):
        bv.evaluate({"a": RUN}, JUDGED, pool={"a": RUN})


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (bv.decompose, {"measure": "RR"}, "measure: these scores are of AP, not of RR"),
        (bv.decompose, {"topics": "union"}, "topics: these scores are made"),
        (bv.target, {"target": "mean:0.5"}, "has no score per query"),
        (bv.risk, {"baseline": "meen"}, "there is no such run; did you mean mean"),
    ],
)
def test_what_cannot_be_asked_is_refused(scores, function, arguments, message):
    with pytest.raises(bv.BiasVarError, match=message):
        function(scores, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bogus": 1}, r"^bv\.decompose has no argument 'bogus'; help\(bv\.decompose\)"),
        ({"resample": 9}, r"^bv\.decompose has no argument 'resample'; did you mean resamples"),
        ({"topic": "union"}, r"^bv\.decompose has no argument 'topic'; did you mean topics"),
    ],
)
def test_an_argument_that_is_not_there_is_named(scores, arguments, message):
    with pytest.raises(TypeError, match=message):
        bv.decompose(scores, **arguments)
    with pytest.raises(TypeError, match=r"^bv\.evaluate: missing a required argument: 'qrels'$"):
        bv.evaluate(RUN)


def test_a_target_is_shown_in_a_few_words(scores):
    assert re.fullmatch(r"VirtualTarget\(best, mean 0\.\d{4}, of 22 runs\)", repr(bv.decompose(scores).target))
    assert repr(bv.decompose(scores, "perfect").target) == "VirtualTarget(perfect, mean 1.0000)"


def test_frames_are_scored_on_a_cluster_too():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "dashboard_address": ":0"}
    with distributed.LocalCluster(protocol="tcp", host="127.0.0.1", **options) as cluster:
        found = bv.evaluate({"a": RUN}, JUDGED, dask=cluster.scheduler_address).frame()
    assert found["a"].to_dict() == {"q1": 0.25, "q2": 1.0}


def test_the_lines_of_the_page_run(capsys):
    """Those of its first part are the notebook's, which test_notebook_page runs."""
    first, mark, reference = (ROOT / "docs" / "python.md").read_text("utf-8").partition("## What goes in")
    assert mark
    ten_lines, *_ = re.findall(r"```python\n(.*?)```", first, re.DOTALL)
    assert len([line for line in ten_lines.splitlines() if line]) <= 10
    names: dict[str, Any] = {"bv": bv}
    for block in re.findall(r"```python\n(.*?)```", reference, re.DOTALL):
        exec(block, names)  # noqa: S102
    assert capsys.readouterr().out.count("Name: total, dtype: float64") >= 2


def test_how_inputs_are_read_is_said_as_on_the_command_line():
    """The arguments of ``reading`` are the settings of inputs, but for the judgments and the measure."""
    settings = settings_by_name(InputSettings).keys() - {"qrels", "measures"}
    assert get_type_hints(RunReading).keys() == settings
