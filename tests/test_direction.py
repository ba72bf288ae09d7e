"""Measures of which less is better: the same scores with their sign changed give the same result in every analysis.

What is printed of scores (means, targets, ends of their intervals) has its sign changed, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import COARSE, UNIT, assert_refused, matrix_of, only, rows_of, score_arrays, write_manifest, write_scores
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples
from page.browser import choose, texts_of

import biasvar_cli as bv
from biasvar_cli.errors import UsageError
from biasvar_cli.notebook.results import Result

ESL = {  # of three runs on eight queries: the means are 14 / 8, 28 / 8 and 107 / 8
    "good": (1, 2, 0, 3, 1, 2, 4, 1),
    "mid": (3, 5, 2, 4, 3, 3, 6, 2),
    "bad": (10, 14, 9, 20, 11, 13, 18, 12),
}
SCORES = {"mean", "score", "baseline_score", "target_mean", "switch", "gmap"}  # keys of JSON, not of differences
ENDS = {"mean_low": "mean_high", "switch_low": "switch_high"}
CASES: Sequence[tuple[str, Mapping[str, Any]]] = (
    ("decompose", {"null": False, "rank": True, "pareto": True, "weights": (1.0, 2.0), "baseline": "top"}),
    ("decompose", {"null": False, "target": ("best:0.9", "run:r1"), "ci": 0.9, "resamples": 100}),
    ("decompose", {"null_samples": 100, "stability": True}),
    ("tradeoff", {"null_samples": 100, "subset_size": 3, "repeats": 2}),
    ("tradeoff", {"null": False, "detail": "single", "normalise": "maxmin"}),
    ("target", {"difficulty": "mean", "subset_size": 3}),
    ("target", {"rarefied": 2}),
    ("sensitivity", {"target": ("best", "best:0.75"), "splits": 5}),
    ("risk", {"baseline": ("mean", "run:r0", "median", "top", "best"), "with_decomposition": True}),
    ("risk", {"ci": 0.9, "resamples": 100}),
    ("compare", {"samples": 100, "splits": 5, "test": ("stepdown", "t", "wilcoxon", "tukey")}),
    ("compare", {"samples": 100, "splits": 5, "baseline": ("r0", "top"), "of": "total", "test": ("stepdown", "t")}),
    ("summary", {"samples": 100, "errors": True}),
    ("summary", {"samples": 100, "baseline": "r1"}),
)
TRACKS = score_arrays((3, 6), (6, 8), UNIT, COARSE)


def frame_of(values: np.ndarray) -> pd.DataFrame:
    """A row a query and a column a run."""
    matrix = matrix_of(values)
    return pd.DataFrame(values.T, index=matrix.queries, columns=matrix.runs)


def turned(value: Any, *, of: str = "mean") -> Any:
    """What JSON has, with the sign of scores changed and the ends of their intervals in the other's place."""
    if isinstance(value, list):
        return [turned(each, of=of) for each in value]
    if not isinstance(value, dict):
        return value
    of, ends = value.get("of", of), dict(ENDS)
    if "run" in value and {"mean", "low"} <= value.keys():  # a comparison bar
        ends["low"] = "high"
    others = ends | {high: low for low, high in ends.items()}
    made = {}
    for name, each in value.items():
        is_score = (name in SCORES or name in others) and of == "mean"
        if name == "target" and isinstance(each, dict):
            made[name] = {key: negated(part) if key == "mean" else part for key, part in each.items()}
        elif name == "ranking_holds":
            made[name] = {"low": negated(each["high"]), "high": negated(each["low"])}
        elif is_score and not isinstance(each, dict | list):
            made[name] = negated(value[others.get(name, name)])
        else:
            made[name] = turned(each, of=of)
    return made


def negated(value: float | None) -> float | None:
    return None if value is None else -value


def results_of(result: Result) -> list[dict[str, Any]]:
    """The results of a document; what the signature says of the direction is left out."""
    found: list[dict[str, Any]] = json.loads(json.dumps(result.to_dict()))["results"]
    for each in found:
        each["signature"] = each.pop("signature", "").replace(" | less is better", "")
    return found


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
@pytest.mark.parametrize(("analysis", "arguments"), CASES)
@given(values=TRACKS)
@examples(3)
def test_the_sign_of_the_scores_and_the_direction_change_nothing_else(analysis, arguments, values):
    frame, function = frame_of(values), getattr(bv, analysis)
    more = function(frame, measure="own", **arguments)
    less = function(-frame, measure="own", lower_is_better=True, **arguments)
    assert results_of(less) == json.loads(json.dumps(turned(results_of(more))).replace('"more"', '"less"'))
    assert more.tables == less.tables


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
@given(values=TRACKS, mean=st.integers(0, 100).map(lambda number: number / 100))
@examples(10)
def test_so_it_is_with_a_target_and_a_baseline_from_elsewhere(values, mean, tmp_path):
    frame = frame_of(values)
    for name, sign in (("more.csv", 1), ("less.csv", -1)):
        write_scores(tmp_path / name, sign * values[0], ["score"], measure="query_id")
    more = bv.decompose(frame, (f"mean:{mean}", f"file:{tmp_path}/more.csv"), measure="own", null=False)
    targets = (f"mean:{-mean}", f"file:{tmp_path}/less.csv")
    less = bv.decompose(-frame, targets, measure="own", null=False, lower_is_better=True)
    for one, other in zip(results_of(less), results_of(more), strict=True):
        assert one["runs"] == turned(other)["runs"]
        assert (one["target"]["mean"], one["target"]["var"]) == (-other["target"]["mean"], other["target"]["var"])
    above = bv.risk(frame, f"file:{tmp_path}/more.csv", measure="own")
    below = bv.risk(-frame, f"file:{tmp_path}/less.csv", measure="own", lower_is_better=True)
    assert results_of(below)[0]["runs"] == turned(results_of(above))[0]["runs"]


@pytest.mark.parametrize("function", [bv.target, bv.decompose])
def test_the_target_of_a_result_has_the_scores_themselves(function):
    frame = pd.DataFrame({name: np.array(scores, float) for name, scores in ESL.items()})
    target = function(frame, measure="ESL", lower_is_better=True).target
    assert target.scores.tolist() == frame.min(axis=1).tolist()
    assert target.mean == 14 / 8


@pytest.fixture
def costs(tmp_path):
    """The scores of ``ESL`` in a file."""
    rows = (f"{run},q{place},ESL,{score}\n" for run, scores in ESL.items() for place, score in enumerate(scores, 1))
    path = tmp_path / "esl.csv"
    path.write_text("run,query,measure,score\n" + "".join(rows))
    return path


def words(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("command", "sentences"),
    [
        # 8 queries of 3 runs: the differences of good and mid are 2, 3, 2, 1, 2, 1, 2 and 1, mean 14 / 8
        ("compare", ["Best mean: good (1.7500), significantly better than each of the other 2 runs."]),
        ("compare --baseline mid", ["Significantly better than mid: good.", "Significantly worse than mid: bad."]),
        ("risk", ["mean 6.2083", "Safe (mean significantly below the baseline's", "Risky", "1 of 3 runs: bad."]),
        ("decompose", ["mean 1.7500", "Least total error: good (1.4375), which has the best mean too"]),
        ("decompose --target ideal", ["Virtual target: the least possible score, mean 0.0000"]),
        ("decompose --target perfect", ["Virtual target: a score of 0 on every query, mean 0.0000"]),
        ("target", ["is from 0.0000 to 4.0000", "Hardest queries by the best score of the runs: q7 (4.0000)"]),
        ("target --table rarefied", ["The target's mean falls from 6.2083 for one run to 1.7500 for all 3"]),
        ("sensitivity", ["good has the least total error", "for any target mean of at most 2.7143 (now 1.7500)"]),
        ("tradeoff", ["Less is better (ESL)"]),
        ("summary", ["good has the best ESL (1.750).", "good is significantly better than every other run."]),
    ],
)
def test_the_run_of_the_least_mean_is_the_best(biasvar, costs, command, sentences):
    result = biasvar(*command.split(), costs, "--quiet")
    assert result.code == 0, result.err
    assert [sentence for sentence in sentences if sentence not in words(result.out)] == []


def test_means_are_those_of_the_scores_and_arrows_point_down(biasvar, costs):
    means = {row["run"]: float(row["mean"]) for row in rows_of(biasvar("decompose", costs, "-f", "csv"))}
    assert means == {"good": 14 / 8, "mid": 28 / 8, "bad": 107 / 8}
    assert "ESL ↓" in biasvar("summary", costs).out
    assert "\\textbf{1.750}" in biasvar("summary", costs, "-f", "latex").out
    best_first = [row["run"] for row in rows_of(biasvar("decompose", costs, "--sort", "-mean", "-f", "csv"))]
    assert best_first == ["good", "mid", "bad"]


def test_gains_are_scores_below_the_baseline(biasvar, costs):
    """Against mid, good gains 14 / 8 and loses nothing; bad loses 79 / 8, which counts twice with alpha 1."""
    found = {row["run"]: row for row in rows_of(biasvar("risk", costs, "--baseline", "mid", "-f", "csv"))}
    for run, values in {"good": (14 / 8, 8, 0, 14 / 8), "bad": (-79 / 8, 0, 8, -2 * 79 / 8)}.items():
        assert tuple(float(found[run][name]) for name in ("delta", "wins", "losses", "u_risk_1")) == values
        assert found[run]["z_risk_1"] == found[run]["geo_risk_1"] == found[run]["gmap"] == ""
    text = words(biasvar("risk", costs, "--wide").out)
    assert "u_risk is that of the negated scores" in text
    assert "z_risk, geo_risk and gmap are undefined (-): they are of scores of which more is better." in text


def test_the_line_beside_the_bars_is_the_upper_end_of_the_best_one(drawn, costs):
    """Bars of half the critical difference, .3125: the best run's reaches up to 2.0625."""
    spec = drawn("summary", costs)
    (test,) = spec["datasets"]["tests"]
    assert test["line"] == pytest.approx(14 / 8 + 0.625 / 2)
    bars = {row["run"]: (row["low"], row["high"]) for row in spec["datasets"]["runs"]}
    assert bars["mid"] == pytest.approx((28 / 8 - 0.625 / 2, 28 / 8 + 0.625 / 2))
    assert "Dashed line: the upper end of the best run’s bar" in words(json.dumps(spec, ensure_ascii=False))
    compared = {row["run"]: row for row in drawn("compare", costs)["datasets"]["runs"]}
    assert (compared["mid"]["low"], compared["mid"]["high"]) == pytest.approx(bars["mid"])


def test_scores_stay_as_they_are(biasvar, costs):
    rows = rows_of(biasvar("scores", costs))
    assert {run: tuple(float(row["score"]) for row in rows if row["run"] == run) for run in ESL} == ESL
    assert "No file has a warning." in biasvar("check", costs).out
    made = costs.with_name("matrix.csv")
    made.write_text(biasvar("scores", costs, "-f", "matrix").out)
    assert made.read_text().splitlines()[:2] == ["ESL,bad,good,mid", "q1,10.0,1.0,3.0"]
    assert biasvar("decompose", made, "-f", "csv").out == biasvar("decompose", costs, "-f", "csv").out


def test_in_a_notebook_the_target_has_the_scores_of_the_measure(costs):
    target = bv.decompose(str(costs), null=False).target
    assert (target.mean, target.scores.tolist()) == (14 / 8, [float(score) for score in ESL["good"]])
    assert repr(target) == "VirtualTarget(best, mean 1.7500, of 3 runs)"


def test_logarithms_of_costs_have_the_direction_of_the_costs(biasvar, costs):
    """ln(1 + ESL): less is better, and the best score of each query is the least."""
    found = only(biasvar("decompose", costs, "--log", "add", "--eps", "1", "-f", "json", "--quiet"))
    assert found["better"] == "less"
    means = {run: float(np.log1p(scores).mean()) for run, scores in ESL.items()}
    for row in found["runs"]:
        assert row["mean"] == pytest.approx(means[row["run"]])
        assert row["bias"] == pytest.approx(means[row["run"]] - means["good"])


@pytest.mark.parametrize("target", ["ideal", "perfect"])
def test_a_best_score_that_is_not_known_is_asked_for(biasvar, tmp_path, target):
    path = write_scores(tmp_path / "ms.csv", [[3, 4], [5, 3]], measure="latency")
    why = f"--target {target}: less of latency is better, and its least value is not known"
    assert_refused(biasvar("decompose", path, "--target", target), 2, why, "--target mean:X")


def test_a_missing_cost_is_no_cost_of_0(biasvar, costs):
    lines = costs.read_text().splitlines(keepends=True)
    costs.write_text("".join(line for line in lines if line != "mid,q3,ESL,2\n"))
    assert_refused(biasvar("compare", costs), 1, "run mid has no ESL on 1 query (q3)", "--topics intersection")
    found = only(biasvar("compare", costs, "--topics", "intersection", "-f", "json"))
    assert {row["run"]: row["mean"] for row in found["runs"]} == {"good": 14 / 7, "mid": 26 / 7, "bad": 98 / 7}


def test_only_unknown_measures_take_a_direction(biasvar, tmp_path, costs):
    path = write_scores(tmp_path / "ap.csv", [[0.5, 0.4, 0.4], [0.2, 0.3, 0.1]])
    result = biasvar("decompose", path, "--lower-is-better")
    assert_refused(result, 2, "--lower-is-better: more is better for AP")
    with pytest.raises(UsageError, match="lower_is_better: more is better for AP"):
        bv.decompose(str(path), lower_is_better=True)
    assert only(biasvar("compare", costs, "--lower-is-better", "-f", "json"))["better"] == "less"
    assert only(biasvar("decompose", path, "-f", "json"))["better"] == "more"


@pytest.mark.parametrize("command", ["decompose", "summary"])
def test_a_name_that_sounds_like_a_cost_is_asked_about(biasvar, tmp_path, command):
    path = write_scores(tmp_path / "times.csv", [[3, 4, 4], [2, 3, 1], [4, 5, 6]], measure="responseTime")
    line = "warning: more responseTime is taken to be better; if less is, say so with --lower-is-better"
    assert line in biasvar(command, path, "-m", "responseTime").err
    assert_refused(biasvar(command, path, "-m", "responseTime", "--strict"), 1, line)
    other = biasvar(command, path, "-m", "responseTime", "--lower-is-better")
    assert "Less is better" in other.out
    assert other.err == ""


@pytest.mark.parametrize(
    "name",
    [
        *("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "mae", "brier_score"),  # the harness
        *("wer", "cer", "mer", "wil", "ter", "TER"),  # jiwer, sacreBLEU
        *(
            "WordErrorRate",
            "edit_distance",
            "kl_divergence",
            "mean_squared_error",
            "mse",
            "rmse",
            "ece",
        ),  # torchmetrics
        *("nll", "fpr", "miss_rate", "duration", "elapsed", "mae,none"),
    ],
)
def test_what_programs_declare_as_costs_are_costs(biasvar, tmp_path, name):
    """The means are 3, 2 and 5: the second is the best of costs, and the third of all other measures."""
    path = write_scores(tmp_path / "f.csv", [[2, 4, 3], [1, 3, 2], [4, 5, 6]], "abc", measure="query_id")
    found = only(biasvar("compare", path, "-m", name, "-f", "json"))
    assert (found["better"], [row["run"] for row in found["runs"] if row["mean"] == 2]) == ("less", ["b"])
    assert "Best mean: b" in biasvar("compare", path, "-m", name).out


@pytest.mark.parametrize(
    "name",
    [
        *("distance", "price", "tokens", "n_tokens", "val_loss", "response seconds", "false_positives", "ttft"),
        *("refusal_rate", "error_rate", "violations", "PII Leakage", "Role Violation", "Misuse", "gender_bias"),
        *(
            "attack_success_rate",
            "toxic_fraction",
            "noise_sensitivity_relevant",
            "predictive_entropy",
            "HarmfulContent",
        ),
    ],
)
def test_what_may_be_a_cost_is_warned_of(biasvar, tmp_path, name):
    path = write_scores(tmp_path / "f.csv", [[2, 4, 3], [1, 3, 2]], "ab", measure="query_id")
    assert f"more {name} is taken to be better; if less is" in biasvar("compare", path, "-m", name).err


@pytest.mark.parametrize("name", ["faithfulness", "harmlessness", "Answer Relevancy", "attachment"])
def test_what_is_no_cost_is_not_warned_of(biasvar, tmp_path, name):
    path = write_scores(tmp_path / "f.csv", [[2, 4, 3], [1, 3, 2]], "ab", measure="query_id")
    assert "taken to be better" not in biasvar("compare", path, "-m", name).err


def test_columns_that_are_costs_alone_are_measures_of_one_run(biasvar, written):
    path = written("topic,wer,cer\nq1,0.25,0.5\nq2,0.75,0.5\n")
    assert [row["score"] for row in rows_of(biasvar("scores", path, "-m", "wer"))] == ["0.25", "0.75"]
    assert_refused(biasvar("scores", path), 1, "has 2 measures; choose with -m: wer, cer")
    assert biasvar("scores", written("topic,wer,mine\nq1,0.25,0.5\n"), "-f", "matrix", "-m", "f").code == 0  # two runs


def test_a_track_of_a_manifest_has_its_own_direction(biasvar, tmp_path):
    """The first track is of times, of which less is better: a has the best mean, 2, and b in the second, .4."""
    write_scores(tmp_path / "times.csv", [[1.5, 2.5, 2], [4, 3, 3], [3, 6, 7]], "abc", measure="query_id")
    write_scores(tmp_path / "ap.csv", [[0.1, 0.2, 0.2], [0.4, 0.5, 0.3], [0.3, 0.1, 0.1]], "abc")
    times = {"track": "T", "year": 2001, "scores": "times.csv", "lower_is_better": True}
    manifest = write_manifest(tmp_path / "m.toml", times, {"track": "U", "year": 2002, "scores": "ap.csv"})
    tracks = only(biasvar("tracks", manifest, "-f", "json", "--quiet"))["tracks"]
    assert [(row["track"], row["better"]) for row in tracks] == [("T", "less"), ("U", "more")]
    assert [row["target_mean"] for row in tracks] == pytest.approx([2, 1.2 / 3])
    measures = only(biasvar("summary", manifest, "-f", "json", "--quiet"))["measures"]
    assert [tuple(each[key] for key in ("better", "best")) for each in measures] == [("less", "a"), ("more", "b")]


def test_null_models_of_costs_are_left_out_with_the_reason(biasvar, tmp_path):
    queries = np.arange(12)
    costs = write_scores(tmp_path / "esl.csv", [queries % 3, queries % 4 + 1, queries % 5, queries % 7], measure="ESL")
    text = words(biasvar("tradeoff", costs, "--notes", "full").out)
    assert "the null models need scores from 0 to 1 of which more is better" in text


def test_the_page_orders_runs_and_gaps_by_what_is_better(made, undrawn, costs):
    """The gap of bad on q7 is 18 - 4; the target of each query is the least score."""
    text, data = made(costs, "--no-null")
    (panel,) = data["panels"]
    assert panel["better"] == "less"
    assert panel["target_scores"] == list(ESL["good"])
    assert panel["spread"][0] == list(ESL["good"])
    assert panel["spread"][4] == list(ESL["bad"])
    assert panel["scores"] == [list(map(float, ESL[run])) for run in ("bad", "good", "mid")]
    assert "Best mean: good (1.7500)" in text
    assert "The target falls with the pool" in text
    assert "of the gap score − target" in text


def test_the_script_of_the_page_goes_by_what_is_better(opened, costs):
    """good is the first row; the scores of mid are 14 / 8 more on average; a click on mean puts the least first."""
    page = opened(costs, "--no-null")
    page.click('[data-sheet="t0-runs"] tbody .pick')
    choose(page, "#second", 2)  # mid
    (text,) = texts_of(page, ".chosen .summary")
    assert "reaches the target on 8 of 8 queries" in text
    assert "Against mid: better on 8, worse on 0, equal on 0; mean difference 1.7500" in text
    assert texts_of(page, "[data-sheet=t0-own] tbody tr td:last-child") == ["win"] * 8
    assert len(texts_of(page, "[data-figure=second] rect.win")) == 8
    page.click('[data-sheet="t0-runs"] [data-sort="mean"]')
    assert texts_of(page, "[data-sheet=t0-runs] .pick") == ["good", "mid", "bad"]
