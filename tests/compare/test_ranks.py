"""Ranges of ranks: by the test that decides, for all runs together, or for one run from the pairs with it."""

import json

import numpy as np
import pytest
from conftest import COARSE, SAMPLE, UNIT, only, rows_of, score_arrays
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.arrays import ranks

TRACKS = score_arrays((2, 6), (6, 9), UNIT, COARSE)
FEW = ("--samples", "299")


def compared(values: np.ndarray, request: CompareRequest, baseline: int | None = None) -> PairTests:
    return PairTests(tuple(map(str, range(len(values)))), values, request, baseline)


@pytest.mark.usefixtures("in_the_checkout")
def test_a_rank_is_one_more_than_the_runs_that_are_better(biasvar):
    found = only(biasvar("compare", *SAMPLE, *FEW, "-f", "json"))
    assert found["no_ranks"] is None
    for row in found["runs"]:
        assert (row["rank_low"], row["rank_high"]) == (1 + row["worse"], 22 - row["better"])
    (summary,) = json.loads(biasvar("summary", *SAMPLE, *FEW, "-f", "json").out)["results"]
    assert [
        tuple(score[end] for end in ("rank_low", "rank_high")) for run in summary["runs"] for score in run["scores"]
    ] == [(row["rank_low"], row["rank_high"]) for row in found["runs"]]


@examples(30)
@given(TRACKS, st.sampled_from(["stepdown", "t", "randomisation", "tukey"]), st.sampled_from(["mean", "total"]))
def test_the_rank_by_mean_is_in_its_range(values, test, of):
    """Mogstad, Romano, Shaikh and Wilhelm, 2024: a run significantly better has the better mean."""
    request = CompareRequest(test=(test,), samples=100, of=of, level=0.8)
    sign = 1 if request.lower_is_better else -1
    positions = ranks(sign * values.mean(axis=1))
    low, high = compared(values, request).ranks
    assert all(least <= position <= most for least, position, most in zip(low, positions, high, strict=True))
    assert sum(least == 1 for least in low) >= 1


@examples(30)
@given(TRACKS, st.integers(0, 1))
def test_the_rank_of_one_run_comes_from_the_pairs_with_it(values, baseline):
    tests = compared(values, CompareRequest(samples=100, level=0.8), baseline)
    n_better, n_worse = (np.count_nonzero(tests.differs & (side * tests.delta > 0)) for side in (1, -1))
    low, high = tests.ranks
    assert (low[baseline], high[baseline]) == (1 + n_better, len(values) - n_worse)
    others = set(range(len(values))) - {baseline}
    assert len(values) == 2 or {low[run] for run in others} == {high[run] for run in others} == {None}


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--test", "t", "--correction", "bh"), "p-values with Benjamini and Hochberg's correction do not"),
        (("--test", "t", "--correction", "none"), "uncorrected p-values do not allow for all 231 pairs together"),
        (("--test", "sign"), "the sign test does not compare means"),
        (("--samples", "100", "--test", "randomisation"), "100 samples are too few for this level"),
        (("--baseline", "orig"), "the pairs with orig are tested, which give its rank alone"),
    ],
)  # fmt: skip
def test_tests_that_do_not_hold_for_all_runs_give_no_ranks(biasvar, sample_scores, options, reason):
    found = only(biasvar("compare", sample_scores, *options, "-f", "json"))
    assert found["no_ranks"].startswith(reason)
    assert {row["rank_low"] for row in found["runs"] if row["run"] != "orig"} == {None}
    assert {row["rank_high"] for row in found["runs"] if row["run"] != "orig"} == {None}


@pytest.mark.usefixtures("in_an_empty_folder")
def test_few_queries_have_no_ranks(biasvar, tmp_path):
    (tmp_path / "few.csv").write_text("AP,A,B,C\nq1,.1,.2,.3\nq2,.2,.3,.5\nq3,.1,.3,.2\n", encoding="utf-8")
    for command in ("compare", "summary"):
        found = only(biasvar(command, "few.csv", "-f", "json"))
        reason = found["no_ranks"] if command == "compare" else found["measures"][0]["no_ranks"]
        assert reason == "ranks need at least 6 queries, and there are 3"
    assert {row["rank_low"] for row in rows_of(biasvar("compare", "few.csv", "--table", "runs", "-f", "csv"))} == {""}


def test_one_pair_needs_no_correction():
    values = np.random.default_rng(0).normal(size=(2, 30)) + np.array([[0.0], [2.0]])
    for correction in ("none", "bh", "holm"):
        assert compared(values, CompareRequest(test=("t",), correction=correction)).ranks == ([2, 1], [2, 1])


@pytest.mark.usefixtures("in_the_checkout")
def test_text_has_a_range_in_one_column(biasvar, sample_scores):
    text = biasvar("compare", sample_scores, *FEW).out
    assert "rank: the possible ranks by mean; the ranges hold for all runs together (95 %)." in text
    rows = {line.split()[0]: line for line in text.splitlines() if line}
    assert rows["rel-fb"].endswith(" 1")
    assert rows["rm"].endswith(" to 22")
    assert max(map(len, text.splitlines())) <= 100
