"""Every sentence of profile, on answers to scores whose means and differences are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import assert_says, spaced, track_of

from biasvar_cli.analyses.profile import ProfileRequest
from biasvar_cli.analyses.profile import answer as profile
from biasvar_cli.analyses.profile import table as notes
from biasvar_cli.analyses.profile.answer import ProfileAnswer
from biasvar_cli.tables.rows import View

pytestmark = pytest.mark.filterwarnings("ignore:.*pool is one run")
FAR, NEAR = spaced(0.6, 0.4, 0.2), spaced(0.6, 0.599, 0.2)
T: dict[str, Any] = {"test": "t"}


def answer(
    values: np.ndarray, run: str = "r1", *, better: Any = "more", z: float | None = None, **asked: Any
) -> ProfileAnswer:
    """The run ``r1``, or another one, whose variance is ``z`` deviations above that expected at its mean."""
    request = ProfileRequest(**{"run": run, "samples": 500, **asked})
    (found,) = profile.answer(track_of(values, better=better), request)
    found.__dict__["stability"] = z
    return found


GAINS = "Against r0 it loses most on queries … and gains on no query."
OTHERS = "better on 0 queries, worse on 8"


@pytest.mark.parametrize(
    ("values", "run", "asked", "text"),
    [
        (FAR, "r1", {}, ("Significantly worse than the best run, r0 (0.6000; difference -0.2000, simultaneous 95 % "
         f"interval … to …, adjusted p …): {OTHERS}. {GAINS}")),
        (FAR, "r0", {}, ("Significantly better than the best other run, r1 (0.4000; difference +0.2000, …): better on "
         "8 queries, worse on 0. Against r1 it loses on no query, and gains most on ….…")),
        (NEAR, "r1", T, "Not significantly different from the best run, r0 (0.6000; difference -0.0010, …): …"),
        (FAR[:1], "r0", {}, "There is one run: nothing to compare it with."),
        (FAR[:, :1], "r1", {}, ("There is one query: no difference can be tested. Against r0 it loses most on query q0 "
         "(-0.20…), and gains on no query.")),
        (FAR[:, :5], "r1", {}, ("Below the best run, r0 (0.6040; difference -…, not tested): better on 0 queries, "
         "worse on 5. …")),
        (FAR[:, :5], "r0", {}, "Above the best other run, r1 (…; difference +…, not tested): …"),
        (FAR[[0, 0, 2]], "r1", {}, ("The same mean as the best other run, r0 (0.6000; …): better on 0 queries, worse "
         "on 0, equal on 8. Against r0 it loses on no query, and gains on no query. It has the same score on every "
         "query as r0.")),
        (FAR * [[1], [0], [1]], "r1", {}, "Significantly worse than …. Its score is 0 on every query."),
        (FAR, "r1", {"baseline": ("r2",)}, ("Significantly worse than the best run, r0 (…): … Significantly better "
         "than the baseline, r2 (0.2000; difference +0.2000, 95 % interval … to …, p …): better on 8 queries, worse "
         "on 0. Against r2 …")),
        (FAR, "r1", {"baseline": ("r0",)}, ("Significantly worse than the baseline and best run, r0 (0.6000; "
         "difference -0.2000, 95 % interval …, p …): …")),
        (FAR, "r1", {"baseline": ("top",)}, "Significantly worse than the best run and baseline, r0 (…): …"),
        (FAR, "r1", {**T, "correction": "none"}, ("Significantly worse than the best run, r0 (0.6000; difference "
         "-0.2000, 95 % interval of this pair alone … to …, p …): …")),
        (FAR[:2], "r1", T, ("Significantly worse than the best run, r0 (0.6000; difference -0.2000, 95 % interval … to "
         "…, p …): …")),
    ],
)  # fmt: skip
def test_the_run_beside_the_best_and_the_baselines(values: np.ndarray, run: str, asked: dict[str, Any], text: str):
    assert_says(
        notes._verdict_notes(answer(values, run, **asked)),
        text,
    )


@pytest.mark.parametrize(
    ("n_runs", "z", "text"),
    [
        (10, 1.0, ("is in the range expected of a run with its mean (1.0 standard deviations above the variance "
         "expected at this mean; unusual beyond 1.96).")),
        (10, 2.5, ("is higher than expected of a run with its mean (2.5 standard deviations above the variance "
         "expected at this mean; unusual beyond 1.96).")),
        (10, -2.5, ("is lower than expected of a run with its mean (2.5 standard deviations below the variance "
         "expected at this mean; unusual beyond 1.96).")),
        (10, -1.0, "is in the range expected of a run with its mean (1.0 standard deviations below …)."),
        (9, 2.5, None),
        (10, None, None),
    ],
)  # fmt: skip
def test_how_evenly_the_run_scores(n_runs: int, z: float | None, text: str | None):
    """All runs of ``spaced`` are .02 above and below their means: a variance of .0004."""
    found = answer(spaced(*np.linspace(0.2, 0.7, n_runs)), z=z, **T)
    if text is None:
        assert "Its variance" not in " ".join(notes._verdict_notes(found))
        return
    _, evenly, _ = notes._verdict_notes(found)
    assert_says(evenly, f"Its variance over the queries, 0.0004, {text}")


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ("r0", ("Significantly worse than the best run, r2 (0.2000; worse by 0.4000, simultaneous 95 % interval +0.3… "
         "to +0.4…, adjusted p …): …")),
        ("r2", ("Significantly better than the best other run, r1 (0.4000; better by 0.2000, simultaneous 95 % "
         "interval +… to +…, …): …")),
    ],
)  # fmt: skip
def test_of_costs_the_difference_is_in_words(run: str, text: str):
    assert_says(next(notes._verdict_notes(answer(FAR, run, better="less", **T))), text)
    few = next(notes._verdict_notes(answer(FAR[:, :5], run, better="less", **T)))
    assert_says(
        few,
        {
            "r0": "Above the best run, r2 (0.2120; difference +0.3920, not tested): better on 0 queries, …",
            "r2": "Below the best other run, r1 (0.4040; difference -0.1920, not tested): better on 5 queries, …",
        }[run],
    )


BY_T = "two-sided paired t test"
STEPDOWN = "two-sided paired step-down bootstrap"


@pytest.mark.parametrize(
    ("values", "run", "asked", "text"),
    [
        (FAR, "r1", T, ("r1 (AP 0.4000) is significantly worse than the best of the other 2 runs, r0 (0.6000; "
         f"difference -0.2000, …; {BY_T} with Holm's correction for both comparisons with r1, adjusted p …; 8 "
         "queries).")),
        (spaced(0.6, 0.4, 0.3, 0.2), "r1", T, (f"… r0 (…; {BY_T} with Holm's correction for all 3 comparisons with r1, "
         "adjusted p …; 8 queries).")),
        (spaced(0.6, 0.4, 0.3, 0.2), "r1", {**T, "baseline": ("r3", "r2", "r0")}, ("…is significantly better than r3 "
         f"(…; {BY_T} with Holm's correction for 3 comparisons with r1, adjusted p …; 8 queries). …")),
        (NEAR, "r1", T, ("r1 (AP 0.5990) does not differ significantly from the best of the other 2 runs, r0 (0.6000; "
         f"…; {BY_T} …; 8 queries).")),
        (FAR[:2], "r1", {}, ("r1 (AP 0.4000) is significantly worse than the other run, r0 (0.6000; …; two-sided "
         "paired studentised bootstrap of this one pair, p …; 8 queries).")),
        (FAR, "r1", {**T, "correction": "none"}, (f"…; {BY_T} of this pair, not corrected for 2 comparisons, p …; 8 "
         "queries).")),
        (FAR[[0, 0, 2]], "r1", T, ("r1 (AP 0.6000) has the same mean as the best of the other 2 runs, r0; their scores "
         "are the same on all 8 queries.")),
        (FAR[:, :5], "r1", T, ("r1 (AP …) has a lower mean than the best of the other 2 runs, r0 (…; difference -…; 5 "
         "queries, not tested).")),
        (FAR[:, :5], "r0", T, ("r0 (AP …) has a higher mean than the best of the other 2 runs, r1 (…; difference +…; 5 "
         "queries, not tested).")),
        (FAR, "r1", {**T, "baseline": ("r2",)}, (f"r1 (AP 0.4000) is significantly better than r2 (0.2000; …; {BY_T} "
         "of this one pair, p …; 8 queries). r1 (AP 0.4000) is significantly worse than the best of …")),
    ],
)  # fmt: skip
def test_what_may_be_written_of_the_run(values: np.ndarray, run: str, asked: dict[str, Any], text: str):
    assert_says(notes._paper_sentences(answer(values, run, **asked)), text)


def test_of_costs_less_is_better_in_a_paper():
    assert_says(
        notes._paper_sentences(answer(FAR, better="less", **T)),
        "r1 (AP 0.4000, less is better) is significantly worse than the best of the other 2 runs, r2 (0.2000; worse "
        "by 0.2000, …",
    )
    few = notes._paper_sentences(answer(FAR[:, :5], better="less", **T))
    assert_says(few, "r1 (AP …, less is better) has a higher mean than the best of the other 2 runs, r2 (…")


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (FAR, T, "Tests: p of the best run and the range of ranks allow for both pairs with r1."),
        (spaced(0.6, 0.4, 0.3, 0.2), T, ("Tests: p of the best run and the range of ranks allow for all 3 pairs with "
         "r1.")),
        (FAR[:2], T, "Tests: p of the best run and the range of ranks allow for one pair."),
        (FAR, {**T, "baseline": ("r2",)}, "Tests: the baseline is one pair; p of …"),
        (FAR, {**T, "baseline": ("r2", "r0")}, ("Tests: the 2 baselines are a family; p of …r1. r0 has the best mean "
         "of the other runs. If it was chosen for that, use --baseline top: its p allows for both pairs with r1.")),
        (FAR[:2], {**T, "baseline": ("r0",)}, ("Tests: the baseline is one pair; p of the best run and the range of "
         "ranks allow for one pair.")),
        (FAR, {**T, "correction": "none"}, ("No range of ranks: uncorrected p-values do not allow for both pairs "
         "together.")),
        (FAR, {"test": "sign"}, "No range of ranks: the sign test does not compare means. Wilcoxon and sign do not …"),
        (FAR[:, :5], T, "No test: that takes at least 6 queries, and there are 5."),
        (FAR[:1], {"run": "r0"}, ""),
    ],
)  # fmt: skip
def test_what_the_tests_allow_for(values: np.ndarray, asked: dict[str, Any], text: str):
    assert_says(notes._test_notes(answer(values, **asked)), text)


TARGET = (
    "Virtual target: the best score of each query over the runs. bias: its mean - mean; var: variance of the scores "
    "over the queries; total: bias² + var."
)


BEST = (
    "rank: 1 is the {} mean, and the least bias, var and total. best other: {}. median: over all runs, of each row "
    "by itself."
)


def test_the_lines_under_the_table():
    assert_says(notes._notes(answer(FAR, **T)), f"For a paper: …Tests: … {TARGET} {BEST.format('highest', 'r0')}")
    assert_says(notes._notes(answer(FAR, better="less", **T)), f"…Virtual target: … {BEST.format('least', 'r2')}")
    assert_says(notes._notes(answer(FAR[:1], "r0", **T)), TARGET)
    assert_says(
        notes._notes(answer(FAR, log="add", eps=0.1, **T)), "…Scores are logarithms (--log add --eps 0.1). Virtual …"
    )


def test_the_title_has_the_rank_and_its_range():
    assert_says(
        notes.title_of(answer(FAR, **T)), "AP of r1 among 3 runs on 8 queries: 0.4000, rank 2 (95 % range 2 to 2)"
    )
    assert_says(
        notes.title_of(answer(NEAR, **T)), "AP of r1 among 3 runs on 8 queries: 0.5990, rank 2 (95 % range 1 to 2)"
    )
    assert_says(notes.title_of(answer(FAR[:, :5], **T)), "AP of r1 among 3 runs on 5 queries: …, rank 2")
    assert_says(notes.title_of(answer(FAR[:1], "r0", **T)), "AP of r0 on 8 queries: 0.6000")


@pytest.mark.parametrize(
    ("table", "looks", "names"),
    [
        ("queries", {}, ["q0", "q1", "q2", "q3"]),
        ("queries", {"top": 1}, ["q3"]),
        ("queries", {"sort": "score"}, ["q1", "q3", "q0", "q2"]),
        ("versus", {"top": 1}, ["r0"]),
    ],
)
def test_json_has_the_rows_that_are_asked_for(table: str, looks: dict[str, Any], names: list[str]):
    values = np.array([[0.5, 0.5, 0.5, 0.9], [0.6, 0.4, 0.7, 0.5]])
    made = notes.profile_table(answer(values, **T), View(table=table, format="json", **looks)).document
    assert [row["query_id" if table == "queries" else "run"] for row in made[table]] == names
    assert len(made["quantities"]) == 5


@pytest.mark.parametrize(
    ("baseline", "hidden", "caption", "signature"),
    [
        ((), {"baseline", "low", "high"}, 1, "run r1 | t correction"),
        (("r2",), {"low", "high"}, 2, "run r1 | baseline r2 | t correction"),
        (("r2", "top"), {"low", "high"}, 2, "run r1 | baseline r2, top | t correction"),
    ],
)
def test_columns_without_a_value_are_hidden(baseline: tuple[str, ...], hidden: set[str], caption: int, signature: str):
    made = notes.profile_table(answer(FAR, baseline=baseline, **T), View(table="quantities"))
    assert {*made.hidden} & {"baseline", "low", "high", "family_low"} == hidden
    assert len(made.caption) == caption
    assert signature in made.signature
    of_pairs = notes.profile_table(answer(FAR, baseline=baseline, **{**T, "correction": "none"}), View(table="versus"))
    assert {*of_pairs.hidden} & {"baseline", "low", "high", "family_low"} == (
        {"low", "high"} if baseline else {"family_low"}
    )
    (people,) = notes.tables([answer(FAR, **T)], View(table="queries"))
    assert people.columns["query_id"][0] == answer(FAR, **T).scores.queries[answer(FAR, **T).worst_first[0]]


def test_ranks_that_contradict_the_scores_of_the_run_are_named(biasvar, tmp_path):
    for name, scores in (("a", (0.1, 0.9)), ("b", (0.9, 0.1))):
        lines = (f"q{n} Q0 d{rank} {rank} {score} {name}\n" for n in (1, 2) for rank, score in enumerate(scores, 1))
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    said = "The ranks in its file contradict the scores, which are used: are they distances?"
    for name in ("a", "b"):
        result = biasvar("profile", name, tmp_path / "a", tmp_path / "b", "-q", tmp_path / "qrels")
        assert (said in result.out) == (name == "a")
