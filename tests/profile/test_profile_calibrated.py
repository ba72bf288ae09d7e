"""``biasvar profile --calibrate``: the run beside others, with the queries that a judge alone judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import only

from biasvar_cli.decomposition.calibrated import Calibrated
from biasvar_cli.stats.paired import Pairs

N_BOTH, N_ALONE = 12, 40
QUICK = ("--samples", "200", "--quiet")


def judged() -> tuple[np.ndarray, np.ndarray]:
    """Scores of five runs under people, who judged the first queries, and under a model that judged all."""
    rng = np.random.default_rng(3)
    truth = np.linspace(0.3, 0.6, 5)[:, None] + rng.uniform(-0.15, 0.15, N_BOTH + N_ALONE)
    truth = truth + rng.uniform(-0.08, 0.08, truth.shape)
    return truth[:, :N_BOTH], 0.1 + truth + rng.uniform(-0.05, 0.05, truth.shape)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for name, values in zip(("people", "model"), judged(), strict=True):
        queries = pd.Index([f"q{query}" for query in range(1, values.shape[1] + 1)], name="AP")
        pd.DataFrame(values.T, columns=list("abcde"), index=queries).to_csv(tmp_path / f"{name}.csv")
    return [tmp_path / "people.csv", tmp_path / "model.csv"]


def test_the_pair_with_a_baseline_and_those_with_the_run_are_calibrated(biasvar, files):
    people, model = judged()
    expected = Calibrated(people, model[:, :N_BOTH], model[:, N_BOTH:])
    pair = expected.differences(Pairs(np.array([2]), np.array([0])))
    found = only(biasvar("profile", "c", *files, "--baseline", "a", "--calibrate", *QUICK, "-f", "json"))
    best, baseline = found["versus"]
    low, high = (float(end[0]) for end in pair.interval(0.95))
    assert (baseline["calibrated"], baseline["calibrated_p"]) == (
        pytest.approx(pair.value[0]),
        pytest.approx(pair.p[0]),
    )
    assert (baseline["calibrated_low"], baseline["calibrated_high"]) == (pytest.approx(low), pytest.approx(high))
    assert baseline["calibrated_worth"] == pytest.approx(pair.worth[0])
    assert baseline["delta"] == pytest.approx(people[2].mean() - people[0].mean())
    of_pair = expected.differences(Pairs(np.array([2]), np.array([4])))
    assert (best["run"], best["calibrated"]) == ("e", pytest.approx(of_pair.value[0]))
    assert best["calibrated_high"] > of_pair.interval(0.95)[1][0]  # that of four pairs together
    assert found["calibrated"] == {
        "reference": "people", "judge": "model", "n_both": 12, "n_alone": 40,
        "lambda_differences": pytest.approx(expected.lambda_differences),
    }  # fmt: skip


def test_the_sentences_name_people_model_and_both_numbers_of_queries(said, files):
    text = said("profile", "c", *files, "--baseline", "a", "--calibrate", *QUICK)
    assert "Calibrated by model it is significantly better than a (difference +0." in text
    assert ": 12 queries judged by people tell as much of this as " in text
    assert (
        "t test of this one pair; 12 queries judged by people and model, 40 more by model alone; prediction-powered "
        "inference with the weight 0."
    ) in text
    assert "step-down bootstrap for 4 comparisons with c; 12 queries" in text


def test_a_model_that_says_nothing_changes_nothing(said, files):
    scores = pd.read_csv(files[1], index_col=0) * 0 + 0.5
    scores.to_csv(files[1])
    text = said("profile", "c", *files, "--baseline", "a", "--calibrate", *QUICK)
    assert "model says nothing of differences that people follows" in text


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("people.csv --calibrate", 2, "give -q for each, or a score file for each"),
        ("people.csv model.csv --calibrate --clusters (.*)", 2, "queries in clusters cannot be calibrated"),
        ("people.csv model.csv --calibrate --log floor", 2, "--log: judges are compared by the scores themselves"),
        ("people.csv same.csv --calibrate", 1, "people judged every query that same judged"),
        ("few.csv model.csv --calibrate", 1, "found 5 and 47"),
        ("people.csv some.csv --calibrate", 1, "found 12 and 3"),
        ("people.csv model.csv some.csv --calibrate", 2, "--calibrate takes one judge beside people, found 2"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(refused, files, tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    people, model = (pd.read_csv(file, index_col=0) for file in files)
    for name, scores in (("same", model[:N_BOTH]), ("some", model[: N_BOTH + 3]), ("few", people[:5])):
        scores.to_csv(f"{name}.csv")
    refused(code, message, "profile", "c", *words.split(), *QUICK)


@pytest.mark.usefixtures("in_the_checkout")
def test_judgments_of_two_judges_are_for_calibration(refused, biasvar):
    qrels = ("-q", "people=qrels/npl-few.qrels.txt", "-q", "qrels/npl-half.qrels.txt")
    refused(2, "expected one, found 2; a judge's are for --calibrate", "profile", "rm", "sample_runs", *qrels, *QUICK)
    few = ("--glob", "*r*", "-f", "json", *QUICK)
    found = only(biasvar("profile", "rm", "sample_runs", *qrels, "--calibrate", *few))
    assert (found["calibrated"]["reference"], found["calibrated"]["n_both"]) == ("people", 29)
    assert found["n_queries"] == 30
    one = only(biasvar("profile", "rm", "sample_runs", *qrels[:2], *few))
    assert one["versus"][0]["delta"] == found["versus"][0]["delta"]
    assert "calibrated" not in one
    assert "calibrated" not in one["versus"][0]
