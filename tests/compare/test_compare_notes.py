"""Every sentence of compare, on answers to scores whose means and differences are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import assert_says, spaced, track_of

from biasvar_cli.analyses.compare import CompareRequest, notes, table
from biasvar_cli.analyses.compare import answer as compare
from biasvar_cli.analyses.compare.answer import CompareAnswer
from biasvar_cli.analyses.compare.table import CompareView, compare_table
from biasvar_cli.words import Better

FAR, TWO = spaced(0.6, 0.4, 0.2), spaced(0.6, 0.4)
NEAR = spaced(0.6, 0.599, 0.2)  # a difference of .001 has a t of .1
EQUAL = np.array([[0.5, 0.4, 0.3, 0.2, 0.1, 0.6, 0.7]] * 3)
MANY = spaced(0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
SHIFTED = EQUAL[:2] + np.array([[0.1], [0.0]])  # the same difference on every query
CLUSTERS = "aabbccddeeffgghh"  # of 16 queries
SIX_CLUSTERS = spaced(0.6, 0.4, n_queries=16)
T: dict[str, Any] = {"test": ("t",)}
FOR_T = "Test: paired, two-sided t test with Holm's correction, p < 0.05 for"


def answer(values: object, *, better: Better = "more", clusters: str = "", **asked: Any) -> CompareAnswer:
    """The first answer; of few samples and splits, which decide nothing here."""
    track = track_of(values, better=better, clusters=clusters)
    return compare.answer(track, CompareRequest(**{"samples": 500, "splits": 50, **asked}))[0]


def verdict(answer: CompareAnswer, table: str = "runs") -> Any:
    return notes.verdict_notes(answer, table)


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (FAR, {}, ("r0 (0.6000), significantly better than each of the other 2 runs. 3 of 3 pairs of runs differ "
         "significantly: every pair more than … apart. Test: paired, two-sided step-down bootstrap, p < 0.05 for all 3 "
         "pairs of runs together.")),
        (TWO, T, ("r0 (0.6000), significantly better than the other run. Test: paired, two-sided t test, p < 0.05 for "
         "one pair; p is not adjusted.")),
        (NEAR, T, ("r0 (0.6000), significantly better than 1 of the other 2 runs. 1 run does not differ significantly "
         f"from it: r1. 2 of 3 pairs of runs differ significantly. {FOR_T} all 3 pairs of runs together.")),
        (spaced(0.6, 0.6, 0.599, 0.2), T, ("r0 and r1 (0.6000), significantly better than 1 of the other 2 runs. 1 run "
         f"does not differ significantly from them: r2. 3 of 6 pairs of runs differ significantly. {FOR_T} all 6 "
         "pairs of runs together.")),
        (spaced(0.6, 0.599, 0.598, 0.2), T, ("…better than 1 of the other 3 runs. 2 runs do not differ significantly "
         "from it: r1 and r2. 3 of 6 …")),
        (EQUAL, T, f"r0, r1 and r2 (0.4000). No two runs differ significantly. {FOR_T} all 3 pairs of runs together."),
        (FAR[:, :5], T, ("r0 (…). No run is called significantly better or worse than another: that takes at least 6 "
         "queries, and there are 5.")),
        (FAR, {**T, "correction": "none"}, ("…significantly. Test: paired, two-sided t test, p < 0.05 for each pair "
         "alone: p-values are not corrected for the number of pairs (3).")),
        (FAR, {**T, "correction": "bh"}, ("…t test with Benjamini and Hochberg's correction, p < 0.05 for all 3 pairs "
         "of runs together; of the differences called significant, 5 % are expected to be false.")),
        (FAR, {"test": ("randomisation",), "samples": 100, "level": 0.995}, ("…(0.6000). No run is called "
         "significantly better or worse than another: 100 samples are too few for this level and 3 pairs; raise "
         "--samples.")),
        (TWO, {"test": ("randomisation",), "samples": 100, "level": 0.995}, ("… 100 samples are too few for this "
         "level; raise --samples.")),
    ],
)  # fmt: skip
def test_the_best_run_has_beside_it_those_that_it_beats(values: object, asked: dict[str, Any], text: str):
    assert_says(verdict(answer(values, **asked)), f"Best mean: {text}")


@pytest.mark.parametrize(
    ("values", "baseline", "text"),
    [
        (FAR, "r1", f"better than r1: r0. Significantly worse than r1: r2. {FOR_T} both comparisons with r1 together."),
        (MANY, "r5", ("better than r5: no run. Significantly worse than r5: 5 runs (r0, r1, r2, r3 and 1 more). "
         f"{FOR_T} all 5 comparisons with r5 together.")),
        (MANY, "r0", ("better than r0: 5 runs (r5, r4, r3, r2 and 1 more). Significantly worse than r0: no run. "
         f"{FOR_T} all 5 comparisons with r0 together.")),
        (NEAR, "r0", ("better than r0: no run. Significantly worse than r0: r2. Not significantly different: the other "
         f"run. {FOR_T} both …")),
        (spaced(0.6, 0.599, 0.598, 0.2), "r0", "…worse than r0: r3. Not significantly different: the other 2 runs. …"),
        (EQUAL, "r0", ("better than r0: no run. Significantly worse than r0: no run. Not significantly different: both "
         "runs. …")),
        (spaced(0.6, 0.599), "r0", ("…Not significantly different: the other run. Test: paired, two-sided t test, p < "
         "0.05 for one pair; …")),
        (FAR, "top", (f"better than r0: no run. Significantly worse than r0: r2 and r1. {FOR_T} all 3 pairs of runs "
         "together, since r0 was chosen for its mean.")),
    ],
)  # fmt: skip
def test_runs_are_better_and_worse_than_a_baseline(values: object, baseline: str, text: str):
    assert_says(verdict(answer(values, baseline=(baseline,), **T)), f"Significantly {text}")


def test_a_baseline_is_not_called_beaten_where_nothing_is_tested():
    few = answer(FAR[:, :5], baseline=("r1",), **T)
    assert_says(
        verdict(few),
        "No run is called significantly better or worse than r1: that takes at least 6 queries, and there are 5.",
    )
    within = answer(NEAR, baseline=("r0",))
    assert_says(verdict(within), "…different: the other run, whose mean is within … of that of r0. …")


def test_a_total_error_is_better_where_it_is_less():
    """Against the best scores r0, which has all of them, has only variance."""
    of_totals = answer(FAR, of="total", **T)
    assert_says(verdict(of_totals), "Least total error: r0 (0.0004), …")
    assert_says(
        notes.title_of(of_totals),
        "AP of 3 runs on 8 queries. Virtual target: the best score of each query over the runs, mean 0.6000",
    )
    assert_says(
        notes._pairs_notes(of_totals), "delta: total error of run minus that of versus, so below 0 run is better. …"
    )
    assert_says(notes._runs_notes(of_totals), "…rank: the possible ranks by total error; …")


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({}, ""),
        ({"baseline": ("r1",)}, " Baseline: r1, mean 0.4000"),
        ({"baseline": ("top",)}, " Baseline: r0, the run with the best mean, mean 0.6000"),
        ({"baseline": ("r1",), "of": "total"}, "… Baseline: r1, total error 0.0404"),  # .2² + .02²
    ],
)
def test_the_title_names_the_baseline(asked: dict[str, Any], text: str):
    assert_says(
        notes.title_of(answer(FAR, **T, **asked)),
        f"AP of 3 runs on 8 queries.{text}" if not text.startswith("…") else f"AP of 3 runs on 8 queries{text}",
    )


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (FAR, {}, ("3 of 3 pairs of runs differ significantly (the step-down bootstrap, p < 0.05): discriminative "
         "power 1.0000.")),
        (NEAR, T, ("2 of 3 pairs of runs differ significantly (the paired t test with Holm's correction, p < 0.05): "
         "discriminative power 0.6667.")),
        (spaced(0.6, 0.599, 0.598), {**T, "correction": "none"}, ("0 of 3 pairs of runs differ significantly (the "
         "paired t test, p < 0.05): discriminative power 0.0000.")),
        (TWO, {"test": ("sign",)}, ("The one pair of runs differs significantly (the …sign test…, p < 0.05): "
         "discriminative power 1.0000.")),
        (FAR[:, :5], {}, ("How many pairs of runs differ significantly is not known: that takes at least 6 queries, "
         "and there are 5.")),
        (FAR, {"test": ("sign", "t"), "samples": 100, "level": 0.995}, ("0 of 3 pairs of runs differ significantly "
         "(the sign test with Holm's correction, …")),
    ],
)  # fmt: skip
def test_the_table_of_power_is_of_the_test_that_decides(values: object, asked: dict[str, Any], text: str):
    assert_says(verdict(answer(values, **asked), "power"), text)


@pytest.mark.parametrize(
    ("values", "clusters", "text"),
    [
        (FAR, "", ("All differences between two runs on 4 queries are at least …. At most 5 % of them are reversed on "
         "4 other queries.")),
        (NEAR, "", ("Differences of at least 0.03 between two runs on 4 queries are reversed on 4 other queries in at "
         "most 5 % of comparisons. 66.7 % of all comparisons differ by at least that much.")),
        (EQUAL[:, :6], "", ("Differences of any size between two runs on 3 queries are reversed on 3 other queries in "
         "at most 5 % of comparisons.")),
        ([[0.0, 1.0], [1.0, 0.0]], "", "Even of the largest differences more than 5 % are reversed on the other half."),
        (SIX_CLUSTERS, CLUSTERS, ("All differences between two runs on 4 clusters of queries are at least …reversed on "
         "4 other clusters of queries.")),
    ],
)  # fmt: skip
def test_halves_of_the_queries_order_runs_alike_from_a_difference_on(values: object, clusters: str, text: str):
    """On halves of NEAR the first two runs, of three pairs one differ by at most .021, which turns round."""
    swapped = answer(values, clusters=clusters)
    assert_says(notes._swap_note(swapped), text)
    what = "clusters of queries" if clusters else "queries"
    assert_says(
        notes.table_notes(swapped, "swap"),
        f"50 random splits of the {what} into two halves of {swapped.compared.swaps.half}. A comparison …second half.",
    )


RUNS = "beats, beaten by: runs significantly worse, better than this one. top group: no run is significantly better."
RANKS = "rank: the possible ranks by mean; the ranges hold for all runs together (95 %)."
FEWER = "To compare fewer runs, name only these as INPUTS; to compare all with one: --baseline NAME."
SIZE = (
    "For a pair of runs with median spread, an uncorrected t test (p < 0.05) on 8 queries finds a true difference of … "
    "in 80 % of samples"
)
ROWS_FOR_ALL = "tukey, stepdown and rows with a correction allow for all pairs together, the other rows for one pair."
HIGHER = "A measure with a higher share tells more pairs of runs apart."


@pytest.mark.parametrize(
    ("values", "table", "asked", "text"),
    [
        (FAR, "runs", {}, f"{RUNS} {RANKS} {FEWER}"),
        (TWO, "runs", {}, f"{RUNS} {RANKS}"),
        (FAR, "runs", {"marks": "letters"}, ("Letters a to c behind a mean name the runs that this one is "
         f"significantly better than. {RUNS} {RANKS} {FEWER}")),
        (FAR, "runs", {**T, "correction": "none"}, (f"{RUNS} No ranks: uncorrected p-values do not allow for all 3 "
         f"pairs together. {FEWER}")),
        (FAR, "runs", {**T, "baseline": ("r1",)}, "The comparisons with the baseline are in --table pairs."),
        (FAR, "runs", {**T, "baseline": ("r0",)}, ("r0 has the best mean. If it was chosen for that, use --baseline "
         "top: its p-values allow for the choice. The …")),
        (FAR, "runs", {**T, "baseline": ("top",)}, f"{RUNS} {RANKS}"),
        (FAR[:, :5], "runs", {}, ""),
        (FAR, "runs", {"log": "add", "eps": 0.01}, f"Scores are logarithms (--log add --eps 0.01). {RUNS} …"),
        (FAR, "runs", {"test": ("sign",)}, (f"{RUNS} No ranks: the …sign test does not compare means. {FEWER} Wilcoxon "
         "and sign do not test whether means are equal: …")),
        (FAR, "runs", {"power": 0.9}, f"{RUNS} … {SIZE.replace('80', '90')}."),
        (FAR, "pairs", {"detect": 0.01}, (f"delta: mean of run minus that of versus. … {SIZE}; a difference of 0.01 "
         "needs 74 queries.")),
        (FAR, "power", {}, f"{HIGHER} {ROWS_FOR_ALL} {SIZE}."),
        (FAR, "power", {**T, "correction": "none"}, f"{HIGHER} {ROWS_FOR_ALL} {SIZE}."),
        (FAR, "power", {**T, "correction": "bh"}, f"{HIGHER} {SIZE}."),
    ],
)  # fmt: skip
def test_the_lines_under_a_table(values: object, table: str, asked: dict[str, Any], text: str):
    assert_says(notes.table_notes(answer(values, **asked), table), text)


INTERVAL = "Student's t with Bonferroni's correction."


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (FAR, {}, "The interval, p (t, Holm) and p (step-down) are adjusted for all 3 pairs."),
        (FAR, T, f"The interval and p (t, Holm) are adjusted for all 3 pairs. The interval is {INTERVAL}"),
        (FAR, {**T, "correction": "none"}, "The interval and p (t) are for one pair alone."),
        (FAR, {**T, "correction": "bh"}, ("The interval is for one pair alone. p (t, Benjamini-Hochberg): Benjamini "
         "and Hochberg's correction; of the pairs below 0.05, 5 % are expected to be false.")),
        (FAR, {"test": ("tukey", "t"), "correction": "none"}, ("The interval and p (Tukey) are adjusted for all 3 "
         "pairs; p (t) is for one pair alone.")),
        (FAR[:, :5], {"test": ("sign", "t")}, ("p (t, Holm) and p (sign, Holm) are adjusted for all 3 pairs; the "
         "interval is for one pair alone.")),
        (TWO, T, ""),
    ],
)  # fmt: skip
def test_what_p_values_and_intervals_allow_for(values: object, asked: dict[str, Any], text: str):
    assert_says(notes._p_notes(answer(values, **asked)), text)


def test_pairs_that_only_a_later_step_calls_different_are_counted():
    """t of the least difference is 2.7, p .03: below .05 for the last step of Holm, above .05 / 3."""
    later = answer(spaced(0.629, 0.6, 0.2), **T)
    assert_says(
        notes._p_notes(later),
        f"… {INTERVAL} 1 pair differs by a later step of the test, although the interval contains 0.",
    )


@pytest.mark.parametrize(
    ("values", "test", "text"),
    [(TWO[:, :4], "wilcoxon", ("… Wilcoxon's p is rough where fewer than … queries differ: 1 "
    "pair.")), (spaced(0.6, 0.4, n_queries=32), "wilcoxon", "delta: …worse.")],
)  # fmt: skip
def test_a_rough_p_is_counted(values: object, test: Any, text: str):
    assert_says(notes._pairs_notes(answer(values, test=(test,))), text)


def test_the_difference_is_positive_for_the_better_run():
    assert_says(notes._pairs_notes(answer(FAR, **T)), "delta: mean of run minus that of versus. wins…")
    assert_says(notes._pairs_notes(answer(FAR, better="less", **T)), "delta: mean of versus minus that of run. wins…")
    assert_says(verdict(answer(FAR, better="less", **T)), "Best mean: r2 (0.2000), significantly better than each…")


KEEPS = (
    "The step-down bootstrap keeps the chance of any false difference among all 3 pairs at about 5 % (measured rates: "
    "docs/validation.md)."
)
CSV = "In csv and JSON, beats, beaten by and top group are the columns better, worse and best."
FRIEDMAN = "Friedman's test of all 3 runs: chi-square(2) = 16.0000, p 0.0003: the runs are not all equal (p < 0.05)."
PAPER = 'For a paper: "We compared AP of …'


@pytest.mark.parametrize(
    ("values", "table", "asked", "text"),
    [
        (FAR, "runs", {}, (f"{KEEPS} {CSV} {SIZE}. ANOVA of all 3 runs: F(2, 14) = 700.0000, p <.0001: the runs are "
         f"not all equal (p < 0.05). {FRIEDMAN} {PAPER}")),
        (TWO, "pairs", {}, "The studentised bootstrap keeps the chance of a false difference at about 5 % …"),
        (FAR, "pairs", T, f"{SIZE}. ANOVA … {PAPER}"),
        (FAR, "power", T, f"ANOVA … {FRIEDMAN}"),
        (FAR, "swap", T, f"ANOVA … {FRIEDMAN}"),
        (FAR[:, :5], "runs", {}, f"{SIZE.replace('8', '5', 1)}. ANOVA …. Friedman… {PAPER}"),
        (SHIFTED, "pairs", T, ("The effect size is undefined (-) where the difference is the same on every query. "
         "Which differences these queries can find is undefined: the median pair differs equally on each. ANOVA of "
         "all runs is undefined: the runs differ by the same on every query. Friedman's test of both runs: "
         "chi-square(1) = 7.0000, …")),
        (EQUAL, "power", T, "…Friedman's test of all runs is undefined: all runs are equal on every query."),
        (spaced(0.6, 0.599, 0.598), "power", T, ("ANOVA of all 3 runs: …: no significant difference. Friedman's …: no "
         "significant difference.")),
    ],
)  # fmt: skip
def test_what_full_notes_add(values: object, table: str, asked: dict[str, Any], text: str):
    """Of FAR the mean squares are .32 and .0064 / 14; Friedman's statistic of k runs in one order is n (k - 1)."""
    assert_says(notes.full_notes(answer(values, **asked), table), text)


def test_queries_in_clusters_are_independent_by_cluster():
    few = answer(FAR, clusters="aabbccdd", **T)
    text = "Which differences these queries can find is undefined: that takes at least 6 clusters, and there are 4."
    assert_says(notes._size_note(few), text)
    clustered = answer(SIX_CLUSTERS, clusters=CLUSTERS, detect=0.05, **T)
    assert_says(
        notes._equality_notes(clustered),
        "ANOVA and Friedman's test of all runs take queries for independent; in clusters they are not.",
    )
    assert_says(
        notes._size_note(clustered),
        "…on 16 queries in 8 clusters finds …; a difference of 0.05 needs … clusters as large as these.",
    )


@pytest.mark.parametrize(
    ("values", "table", "asked", "text"),
    [
        (FAR, "runs", {}, "Test: …together. top group: no run is significantly better"),
        (FAR, "runs", {"marks": "letters"}, "Test: …together. Letters a to c …than. top group: no run is …ly better"),
        (FAR, "runs", {**T, "baseline": ("r1",)}, f"{FOR_T} both comparisons with r1 together."),
        (FAR[:, :5], "runs", T, ""),
        (FAR, "pairs", T, f"{FOR_T} all 3 pairs of runs together. The interval and p (t, Holm) are adjusted …"),
    ],
)  # fmt: skip
def test_the_caption_has_the_test(values: object, table: str, asked: dict[str, Any], text: str):
    assert_says(notes.caption_notes(answer(values, **asked), table), text)


@pytest.mark.parametrize("looks", [{"top": 1}, {"sort": "mean"}, {"sort": "-mean", "top": 2}, {}])
def test_json_has_the_rows_that_are_asked_for(looks: dict[str, Any]):
    """The best run first with --top; without a choice, by name."""
    names = {"top=1": ["r2"], "sort=mean": ["r0", "r1", "r2"], "sort=-mean top=2": ["r2", "r1"], "": ["r0", "r1", "r2"]}
    view = CompareView(table="runs", format="json", **looks)
    document = compare_table(answer(spaced(0.2, 0.4, 0.6), **T), view).document
    assert [row["run"] for row in document["runs"]] == names[
        " ".join(f"{key}={value}" for key, value in sorted(looks.items()))
    ]
    assert len(document["pairs"]) == 3


@pytest.mark.parametrize(
    ("table", "baseline", "first", "hidden"),
    [
        ("runs", (), "r2", {"letter"}),
        ("runs", ("r1",), "r2", {"better", "worse", "best", "rank_low", "rank_high"}),
        ("runs", ("top",), "r2", set()),
        ("pairs", (), "r2", {"t_p", "low", "high"}),
        ("pairs", ("r1",), "r2", {"t_p", "low", "high", "versus"}),
    ],
)
def test_people_see_the_best_first_and_no_empty_column(
    table: str, baseline: tuple[str, ...], first: str, hidden: set[str]
):
    made = compare_table(answer(spaced(0.2, 0.4, 0.6), baseline=baseline, **T), CompareView(table=table))
    assert made.columns["run"][0] == first
    assert {name for name in made.hidden if name in hidden} == hidden & {*made.columns}
    assert ("rank_low" in made.hidden) == (table == "runs" and baseline == ("r1",))


def test_the_tests_of_all_pairs_have_their_critical_difference():
    both = table.tests_table(answer(FAR, test=("t", "tukey")))
    assert both.columns["test"] == ["paired t", "paired t, Holm", "randomised Tukey HSD"]
    sizes = both.columns["critical difference"]
    assert both.columns["pairs"] == [3, 3, sum(difference > sizes[2] for difference in (0.2, 0.2, 0.4))]
    assert [size is None for size in sizes] == [True, True, False]
    assert "critical difference" not in table.tests_table(answer(FAR, **T)).columns


@pytest.mark.parametrize(
    ("view", "tests", "n_samples"),
    [
        ({"table": "runs"}, ("t", "stepdown"), 100),
        ({"table": "runs", "format": "csv"}, ("t", "stepdown"), 0),  # only the test that decides
        ({"table": "runs", "format": "csv"}, ("stepdown", "t"), 100),
        ({"table": "runs", "format": "json"}, ("t",), 107),  # which has the step-down bootstrap too
        ({"table": "pairs", "format": "csv"}, ("t", "stepdown", "tukey"), 200),
        ({"table": "power"}, ("sign",), 0),
        ({"table": "swap"}, ("stepdown",), 7),
        ({"table": "swap", "format": "json"}, ("stepdown",), 107),
    ],
)
def test_a_table_takes_the_samples_of_what_it_shows(view: dict[str, Any], tests: Any, n_samples: int):
    request = CompareRequest(test=tests, samples=100, splits=7)
    assert CompareView(**view).n_samples(request) == n_samples
