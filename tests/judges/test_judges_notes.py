"""Sentences of judges, on answers whose taus, tests and counts are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import assert_says

from biasvar_cli.analyses.judges import calibrated_table, components_table
from biasvar_cli.analyses.judges import table as notes
from biasvar_cli.clusters import Clusters
from biasvar_cli.decomposition.components import components
from biasvar_cli.decomposition.judge_differences import PairClasses
from biasvar_cli.tables.component_words import limit_sentence, needed_sentence, reliability_sentence

nan = float("nan")


def judged(name: str = "A", best: str = "r0", mean: float = 0.5, halves: tuple[float, float] = (0.9, 0.7)) -> Any:
    bias, var = halves
    return SimpleNamespace(
        name=name,
        best=best,
        mean=mean,
        pearson=-0.5,
        decomposed=SimpleNamespace(halves=SimpleNamespace(bias=bias, var=var)),
    )


def judge(name: str = "B", **others: Any) -> Any:
    """Another judge, who changes nothing and of whom no test says anything."""
    marked = others.pop("marked", {})
    usual = {
        "name": name, "judge": judged(name, others.pop("best", "r0"), others.pop("mean", 0.5)), "best_is_beaten": None,
        "taus": SimpleNamespace(mean=0.9, var=0.9), "classes": None, "on_curve": [], "mean_p": 0.5, "hardest": (2, 3),
        "split": SimpleNamespace(mean=0.4), "favour": SimpleNamespace(method="none"),
        "spread": SimpleNamespace(p=0.5, t=1.0, ratio=1.5, low=1.2, high=1.9),
    }  # fmt: skip
    return SimpleNamespace(**usual | others, marked=lambda mark, **_: marked.get(mark, []))


def answer(
    *judges: Any,
    n_runs: int = 4,
    reference: Any = None,
    clusters: str = "abcdef",
    better: str = "more",
    calibrate: bool = False,
    remarks: tuple[str, ...] = (),
) -> Any:
    return SimpleNamespace(
        judges=judges, reference=reference or judged(), n_runs=n_runs, n_queries=6, n_clusters=None, measure="AP",
        better=better, remarks=remarks, calibrations=[],
        request=SimpleNamespace(level=0.95, calibrate=calibrate, baseline=None),
        scores=SimpleNamespace(units=Clusters.named(clusters)),
    )  # fmt: skip


BEST = "The best run is r0 under both."


@pytest.mark.parametrize(
    ("taus", "halves", "text"),
    [
        ((0.9, 0.85), (0.9, 0.7), ("B ranks the runs by mean much as A does (Kendall's tau 0.90; random halves of the "
         "queries agree with 0.90), and by variance too (0.85; halves 0.70).")),
        ((0.5, 0.1), (0.9, 0.7), ("… only partly as A does (Kendall's tau 0.50; …), by variance without relation to A "
         "(0.10; halves 0.70).")),
        ((-0.5, nan), (nan, nan), "B ranks the runs by mean in reverse of A (Kendall's tau -0.50)."),
        ((-0.5, 0.9), (nan, nan), ("B ranks the runs by mean in reverse of A (Kendall's tau -0.50), by variance much "
         "as A does (0.90).")),
        ((nan, nan), (0.9, 0.7), "B: no two rankings to compare; that takes three runs of which the means differ."),
    ],
)  # fmt: skip
def test_how_a_judge_ranks(taus: tuple[float, float], halves: tuple[float, float], text: str):
    of_judge = judge(taus=SimpleNamespace(mean=taus[0], var=taus[1]))
    assert_says(notes._rankings(answer(of_judge, reference=judged(halves=halves)), of_judge), text)


@pytest.mark.parametrize(
    ("classes", "text"),
    [
        ((3, 0, 0, 0, 0), "all 3 significant differences stand"),
        ((1, 0, 0, 0, 0), "the one significant difference stands"),
        ((2, 0, 0, 1, 0), "all 2 significant differences stand; 1 is new"),
        ((2, 0, 1, 2, 0), "of 3 significant differences 2 stand and 1 is lost; 2 are new"),
        ((1, 1, 2, 0, 0), "of 4 significant differences 1 stands, 2 are lost and 1 is reversed"),
        ((0, 0, 2, 0, 0), "of 2 significant differences none stands: 2 are lost"),
        ((0, 0, 0, 2, 1), "no difference is significant under A; 2 are new"),
        ((0, 0, 0, 0, 1), "no difference is significant under A"),
    ],
)
def test_which_differences_stand(classes: tuple[int, ...], text: str):
    assert_says(notes._differences_that_stand(answer(), PairClasses(*classes)), text)


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ({}, BEST),
        ({"best": "r1", "best_is_beaten": True}, "The best run is r1 in place of r0, significantly better there."),
        ({"best": "r1", "best_is_beaten": False}, "The best run is r1 in place of r0, not significantly better there."),
        ({"best": "r1"}, ""),
        ({"classes": PairClasses(3, 0, 0, 0, 0)}, f"{BEST} All 3 significant differences stand."),
        ({"mean_p": 0.01, "mean": 0.6}, f"{BEST} It is lenient (mean 0.400)."),
        ({"on_curve": ["r2"]}, f"{BEST} r2 lies off the line of all runs, but not off a curve of them."),
        ({"on_curve": ["r2", "r3"]}, f"{BEST} r2 and r3 lie off …"),
    ],
)
def test_what_a_judge_changes(others: dict[str, Any], text: str):
    of_judge = judge(**others)
    assert_says(notes._differences(answer(of_judge), of_judge), text)


@pytest.mark.parametrize(
    ("n_runs", "others", "text"),
    [
        (4, {"mean_p": 0.01, "mean": 0.6}, "is lenient (mean 0.400)"),
        (4, {"mean_p": 0.01, "mean": 0.4}, "is strict (mean 0.400)"),
        (4, {"spread": SimpleNamespace(p=0.01, t=1.0, ratio=1.5, low=1.2, high=1.9)}, ("spreads the runs more (1.50 "
         "times A's spread, 1.20 to 1.90)")),
        (4, {"spread": SimpleNamespace(p=0.01, t=-1.0, ratio=nan, low=nan, high=nan)}, "spreads the runs less"),
        (4, {"favour": SimpleNamespace(method="stepdown")}, "favours no run"),
        (3, {"favour": SimpleNamespace(method="stepdown")}, ""),
        (4, {"favour": SimpleNamespace(method="stepdown"), "marked": {"favoured": ["r1"],
         "disfavoured": ["r2", "r3"]}}, "favours r1 disfavours r2 and r3"),
        (4, {"favour": SimpleNamespace(method="stepdown"), "marked": {"favoured": ["r1"]}}, "favours r1"),
        (4, {"favour": SimpleNamespace(method="stepdown"), "marked": {"disfavoured": ["r1"]}}, "disfavours r1"),
    ],
)  # fmt: skip
def test_traits_of_a_judge(n_runs: int, others: dict[str, Any], text: str):
    of_judge = judge(**others)
    assert_says(notes._traits(answer(of_judge, n_runs=n_runs), of_judge), text)


def test_of_many_judges_each_has_a_line():
    """Three judges and more: one of the best run under all, or how many have it."""
    undefined = judge("C", taus=SimpleNamespace(mean=nan, var=nan), classes=PairClasses(1, 0, 0, 0, 0))
    same = answer(judge(), judge("D", taus=SimpleNamespace(mean=0.5, var=nan)), undefined)
    assert_says(
        notes._verdict(same),
        "B: rankings much alike (Kendall's tau 0.90, by variance 0.90). D: rankings partly alike (Kendall's tau "
        "0.50, by variance undefined). C: the one significant difference stands. The best run is r0 under every "
        "judge.",
    )
    assert_says(
        notes._verdict(answer(judge(), judge("C", best="r1"), judge("D"))),
        "… The best run under A, r0, is the best under 2 of the 3 others.",
    )
    assert_says(
        notes._verdict(answer(*(judge(name, best="r1") for name in "BCD"))),
        "… The best run under A, r0, is the best under none of the 3 others.",
    )
    assert_says(notes._verdict(answer(judge())), f"B ranks … {BEST}")


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ({"classes": PairClasses(1, 0, 0, 0, 0)}, ("…have a Kendall's tau of 0.90 (6 queries); the one significant "
         "difference stands (step-down bootstrap over all pairs, p < 0.05).")),
        ({"taus": SimpleNamespace(mean=nan, var=nan)}, ("The rankings of 4 runs by mean AP under A and under B have "
         "no Kendall's tau (6 queries); differences were not tested.")),
    ],
)  # fmt: skip
def test_what_may_be_written_of_a_judge(others: dict[str, Any], text: str):
    assert_says(notes._paper_sentence(answer(), judge(**others)), text)


SPREAD = "spread: …rest."


@pytest.mark.parametrize(
    ("table", "others", "text"),
    [
        ("judges", {}, f'For a paper: "…" {SPREAD}'),
        ("judges", {"clusters": "aabbcc"}, ("Nothing is tested: that takes at least 6 clusters, and there are 3. For "
         f"a paper: … {SPREAD}")),
        ("judges", {"n_runs": 3}, ("Whether a judge favours a run takes at least 4 runs, and there are 3. For a "
         f"paper: … {SPREAD}")),
        ("judges", {"n_runs": 1}, "Whether …, and there is 1. For …"),
        ("judges", {"remarks": ("grades differ",)}, f"Grades differ. For a paper: … {SPREAD}"),
        ("queries", {}, "difference: of the mean over the runs; rest: what differs by run on the query."),
        ("runs", {}, "residual: distance of the mean from the line of all runs. Favoured or disfavoured: p < 0.05 …"),
        ("agreement", {}, "kappa: grades as names; …of the ten best under A; …None of these is a test."),
        ("runs", {"calibrate": True}, "people: A alone; calibrated: … interval: 95 %, …"),
        ("queries", {"better": "less"}, "difference: … Less is better (AP): …"),
    ],
)  # fmt: skip
def test_the_lines_under_a_table(table: str, others: dict[str, Any], text: str):
    assert_says(notes._notes(answer(judge(), **others), table), text)


def test_what_full_notes_add():
    single = answer(judge())
    assert_says(
        notes._details(single),
        "B shares 2 of the 3 hardest queries with A. Pearson's r of bias² and variance over the runs: A -0.50, B "
        "-0.50. …t tests over the queries, …Fieller's, 95 %.",
    )
    single.n_clusters = 3
    assert_says([*notes._details(single)][-1], "…t tests over the clusters of queries, …")


def calibration(**others: Any) -> Any:
    """20 queries judged by people, 80 by B alone; four runs."""
    asked = {"of": "mean", "level": 0.95, "half_width": None} | others.pop("asked", {})
    weights = {"lambda_level": 0.8, "lambda_differences": 0.5} | others.pop("weights", {})
    usual = {
        "judge": "B", "reference": "A", "n_both": 20, "n_alone": 80, "worth": 30.4, "rank": np.arange(4),
        "n_significant": 3, "n_significant_reference": 1, "model_outside": np.array([False] * 4), "sample_p": 0.5,
        "is_easier": True, "queries_needed": None, "words": "words", "baseline": None,
    }  # fmt: skip
    return SimpleNamespace(**usual | others, request=SimpleNamespace(**asked), calibrated=SimpleNamespace(**weights))


AGAINST = {
    "baseline": 1, "people": SimpleNamespace(scores=SimpleNamespace(runs=("a", "bm25", "c", "d"))),
    "versus": (2, 1), "versus_by_people": (1, 0), "counts": lambda counts: counts,
}  # fmt: skip


@pytest.mark.parametrize(
    ("others", "text"),
    [
        ({}, ("With B on 80 more queries, the 20 judged by A tell differences as well as 30 would. Of 6 pairs of runs "
         "3 differ significantly, 1 with A alone. The means by B alone lie in the calibrated intervals of all runs.")),
        ({"weights": {"lambda_differences": 0}}, ("B says nothing of differences that A follows: these are those of "
         "20 queries alone. Of …")),
        ({"n_significant": 1}, "… 1 differs significantly, …"),
        ({"model_outside": np.array([True, False, True, False])}, ("… Do not read the means by B alone as those of A: "
         "for 2 of 4 runs they lie outside the calibrated interval.")),
        ({"sample_p": 0.01}, ("… The queries that A judged are easier under B than others (p = 0.01); nothing here "
         "corrects that.")),
        ({"sample_p": 0.01, "is_easier": False}, "… are harder under B than others …"),
        ({"asked": {"of": "total_gap"}, "n_both": 9}, ("… With fewer than … judged queries the intervals of total "
         "errors are too narrow.")),
        ({"asked": {"of": "total_gap"}, "n_both": 90}, "… of all runs."),
        ({"queries_needed": 50, "asked": {"half_width": 0.1}}, ("… A difference of two runs within ±0.1000 takes 50 "
         "queries judged by A, 30 more than now.")),
        ({"queries_needed": 20, "asked": {"half_width": 0.1}}, "… takes 20 queries judged by A, no more than now."),
        (AGAINST, ("… Of 3 other runs 2 are significantly better than bm25 and 1 worse; with A alone 1 and 0. …")),
    ],
)  # fmt: skip
def test_what_the_queries_of_one_judge_are_worth(others: dict[str, Any], text: str):
    assert_says(calibrated_table.verdict(calibration(**others)), text)


@pytest.mark.parametrize(
    ("measure", "of", "start"),
    [
        ("AP", "mean", "Means of AP are"),
        (None, "mean", "Means of scores are"),
        ("AP", "total_gap", ("total_gap of AP are")),
    ],
)
def test_calibrated_values_in_a_paper(measure: str | None, of: str, start: str):
    text = calibrated_table.paper_sentence(calibration(asked={"of": of}), measure)
    assert_says(
        text,
        f"{start} calibrated: words (prediction-powered inference; weight of B 0.80 in …, 0.50 in differences); 3 "
        "pairs of 4 runs differ significantly (step-down bootstrap over all pairs, p < 0.05).",
    )


def test_runs_beside_a_baseline_in_a_paper():
    assert_says(
        calibrated_table.paper_sentence(calibration(**AGAINST), "AP"),
        "… weight of B 0.80 in means, 0.50 in differences); of 3 other runs 2 are significantly better than bm25 and 1 "
        "worse (step-down bootstrap over these 3 pairs, p < 0.05).",
    )


ONE_JUDGE = np.array([[0.1, 0.4], [0.3, 0.5], [0.6, 0.6]])


def test_components_of_one_judge_and_of_two():
    one = components(ONE_JUDGE)
    said = [*components_table._verdict(answer(), one)]
    assert said == [
        reliability_sentence(one),
        needed_sentence(one),
        ("What a judge other than A would change is not known: give a second one."),
    ]
    assert {row["n_judges"] for row in components_table.reliabilities(one)} == {1}
    two = components(np.array([ONE_JUDGE, ONE_JUDGE[[0, 2, 1]]]))
    assert [*components_table._verdict(answer(), two)] == [reliability_sentence(two), limit_sentence(two)]
    assert {row["n_judges"] for row in components_table.reliabilities(two)} == {1, 2, 3, 5}
    assert_says(
        components_table._verdict(answer(), components(np.full((3, 2), 0.5))),
        "All runs have the same scores: no ranking is reliable.",
    )
    assert_says(
        needed_sentence(components(np.array([[0.1, 0.9], [0.9, 0.1]]))),
        "No number of queries makes the ranking reliable: the runs do not differ more than by chance.",
    )


@pytest.mark.parametrize(
    ("variances", "text"),
    [
        ({"runs": 0.1, "rest": 0.2}, ""),
        ({"runs": -0.1, "queries": nan, "rest": 0.2}, (" Below 0, and 0 in shares: runs.")),
    ],
)
def test_components_below_0_are_named(variances: dict[str, float], text: str):
    assert_says(components_table._notes(SimpleNamespace(variances=variances)), f"variance: …other judges.{text}")


@pytest.mark.parametrize(
    ("agreement", "passes", "text"),
    [
        ((None, 0, nan, nan), 1, "B: no grades to compare; these are scores."),
        ((None, 0, nan, nan), 2, "B: no grades to compare; passes that are one judge have several."),
        ((0, nan, nan, nan), 1, "B and A judged no query and document in common."),
        ((8, 1.0, nan, nan), 1, ("B and A give 100.0 % of 8 documents the same grade, the only one that they use on "
         "these: no kappa and no alpha.")),
        ((8, 0.75, 0.5, 0.25), 1, ("B and A give 75.0 % of 8 documents the same grade (Cohen's kappa 0.50, "
         "Krippendorff's alpha 0.25).")),
    ],
)  # fmt: skip
def test_how_far_two_judges_give_the_same_grades(agreement: tuple[Any, ...], passes: int, text: str):
    """The table of agreement has a sentence for each judge, and no other table has these."""
    found = answer(judge(agreement=agreement, n_passes=passes), reference=judged())
    found.reference.passes = [()]
    assert_says(notes._verdict_of(found, "agreement"), text)
    assert notes._verdict_of(found, "judges") == notes._verdict(found)


@pytest.mark.parametrize(
    ("hardest", "text"),
    [
        ((2, 3), "B shares 2 of the 3 hardest"),
        ((1, 1), "B shares the hardest"),
        ((0, 1), "B does not share the hardest"),
    ],
)
def test_full_notes_have_the_hardest_queries(hardest: tuple[int, int], text: str):
    noun = "queries" if hardest[1] > 1 else "query"
    assert_says(
        notes._details(answer(judge(hardest=hardest))),
        f"{text} {noun} with A. Pearson's r of bias² and variance over the runs: A -0.50, B -0.50. Significant …",
    )
