"""``biasvar decompose --ci``: columns, notes, keys, seeds, and data that have no interval."""

from __future__ import annotations

import itertools
import json

import conftest
import pytest
from conftest import SAMPLE_TEAMS, only, rows_of

pytestmark = pytest.mark.usefixtures("in_the_checkout")
SAMPLE = (*conftest.SAMPLE, "--no-null")
NAMES = ("mean", "bias", "bias2", "var", "total", "var_gap", "total_gap")


def test_every_column_has_its_ends_and_lies_between_them(biasvar):
    rows = rows_of(biasvar("decompose", *SAMPLE, "-f", "csv", "--ci", 0.95))
    for row, name in itertools.product(rows, NAMES):
        assert float(row[f"{name}_low"]) <= float(row[name]) <= float(row[f"{name}_high"]), (row["run"], name)


@pytest.fixture
def over_all(written):
    """Intervals for new queries, runs, teams, and queries and teams."""
    over = [word for name in ("runs", "teams", "both") for word in ("--over", name)]
    return ("decompose", *SAMPLE, "--ci", "0.95", *over, "--teams", written(SAMPLE_TEAMS, "teams.csv"))


def test_json_has_the_intervals_of_correlations(biasvar, over_all):
    found = only(biasvar(*over_all, "-f", "json"))
    held = found["intervals"]
    assert (held["level"], held["resamples"], held["seed"], held["method"]) == (0.95, 2000, 0, "auto")
    assert [each["over"] for each in held["pearson"]] == ["topics", "runs", "teams", "both"]
    for each in held["pearson"]:
        assert each["score"]["value"] == pytest.approx(found["tradeoff"]["score"]["pearson"])
        assert -1 <= each["score"]["low"] <= each["score"]["high"] <= 1
        assert (each["score"]["corrected"] is None) == (each["over"] != "topics")
    for name, form in itertools.product(("spearman", "kendall"), ("score", "gap")):
        (over_queries,) = held[name]
        each = over_queries[form]
        assert (over_queries["over"], each["value"]) == ("topics", found["tradeoff"][form][name])
        assert -1 <= each["low"] <= each["corrected"] <= each["high"] <= 1


def test_text_has_the_intervals_with_what_they_are_about(biasvar, said, over_all):
    found, text = only(biasvar(*over_all, "-f", "json")), said(*over_all, "--notes", "full")
    assert " total var 95 % total 95 % --" in text  # there is no width for those of bias²
    assert " bias² 95 % var 95 % total 95 % --" in said(*over_all, "--wide")
    low, high = (float(found["runs"][0][f"total_{end}"]) for end in ("low", "high"))
    assert f"[{low:.4f}, {high:.4f}]" in text
    assert "mean_low" not in text
    for words, each in zip(
        ("queries", "runs", "teams", "queries and teams"), found["intervals"]["pearson"], strict=True
    ):
        assert f" {words} score pearson {each['score']['value']:+.4f} [{each['score']['low']:+.4f}," in text
    for words in (
        "for new queries of the same kind and the best of the same runs: BCa",
        "2000 resamples of the queries, seed 0",
        "Intervals of correlations for new queries: test-inversion",
        "Intervals of correlations for new runs, teams: percentile",
        "Intervals of correlations for new queries and teams: basic",
        "the interval is about that, and may leave out the correlation of these queries itself",
    ):
        assert words in text


def test_percentiles_have_no_corrected_estimate_and_no_intervals_of_ranks(biasvar, said):
    words = ("decompose", *SAMPLE, "--ci", "0.95", "--ci-method", "percentile")
    held = only(biasvar(*words, "-f", "json"))["intervals"]
    assert (held["spearman"], held["kendall"]) == ([], [])
    ((over, score, gap),) = [each.values() for each in held["pearson"]]
    assert over == "topics"
    assert (score["method"], score["corrected"], gap["corrected"]) == ("percentile", None, None)
    text = said(*words)
    assert "corrected" not in text
    assert "Spearman's rho," not in text


def test_a_warning_says_that_few_runs_have_intervals_that_are_too_narrow(biasvar):
    few = "with 22 runs the intervals of correlations are too narrow; 30 or more are needed"
    sample = [word for word in SAMPLE if word != "--quiet"]
    result = biasvar("decompose", *sample, "--ci", "0.95", "-f", "json")
    assert f"biasvar: warning: {few}" in result.err
    assert json.loads(result.out)["warnings"].count(few) == 1
    assert few not in biasvar("decompose", *sample, "--ci", "0.95", "--ci-method", "percentile").err
    assert few not in biasvar("decompose", *sample).err


def test_noise_that_is_all_the_runs_differ_by_leaves_no_corrected_estimate(biasvar, said, written):
    """Three runs that differ by chance alone: bias^2 varies less over them than its scatter."""
    cells = [".1,.9,.3", ".8,.2,.6", ".4,.5,.7", ".9,.3,.2", ".2,.6,.9", ".6,.4,.1"]
    path = written("topic,f,g,h\n" + "".join(f"{query},{row}\n" for query, row in enumerate(cells, 1)))
    arguments = ("decompose", path, "--target", "perfect", "--ci", "0.95", "--quiet", "--no-null")
    score = only(biasvar(*arguments, "-f", "json"))["intervals"]["pearson"][0]["score"]
    assert (score["low"], score["high"], score["corrected"]) == (-1, 1, None)
    text = biasvar(*arguments, "--notes", "full").out
    (row,) = [line.split() for line in text.split("\n") if line.split()[:3] == ["queries", "score", "pearson"]]
    assert row[-1] == "-"
    assert "none (-) where this noise is all that the runs differ by" in said(*arguments, "--notes", "full")


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ("f,g,h\n1,.1,.2,.3\n2,.2,.1,.4\n3,.4,.2,.6\n4,.4,.3,.5\n", "at least 5 queries are needed"),
        ("f,g,h\n1,.1,.2,.3\n", "one query has no spread"),
        ("f,g,h\n1,.1,.2,.3\n2,.2,.1,.3\n3,.4,.2,.3\n", "The variance of run h is 0: no interval of var."),
        ("f,g,h\n1,.1,.2,.3\n2,.1,.1,.4\n3,.4,.2,.5\n", "run f is 0 (as without one query that of g): no interval of"),
        ("f,g\n1,.1,.2\n2,.2,.1\n3,.4,.2\n", "r is undefined"),
        ("f,g,h\n1,0,0,0\n2,0,0,0\n3,0,0,0\n", "The variance of runs f, g and h is 0: no interval"),
    ],
)
def test_where_there_is_no_interval_the_reason_is_reported(biasvar, said, written, matrix, why):
    words = ("decompose", written(f"topic,{matrix}"), "--ci", "0.95", "--no-null", "--quiet")
    for form in ("text", "json"):
        result = biasvar(*words, "-f", form)
        assert (result.code, result.err) == (0, "")
        assert "nan" not in result.out.lower()
        assert "inf" not in result.out
    assert why in said(*words)
    assert "the target is a mean alone" in said(*words, "--target", "mean:0.5")
