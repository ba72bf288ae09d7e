"""Every sentence of summary, on answers to scores whose means and differences are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import assert_says, spaced, track_of

from biasvar_cli.analyses.summary import SummaryRequest, notes
from biasvar_cli.analyses.summary import answer as summary
from biasvar_cli.analyses.summary.answer import SummaryAnswer
from biasvar_cli.analyses.summary.table import SummaryView, summary_table
from biasvar_cli.scoring.track import Track
from biasvar_cli.specs.targets import parse_target

FAR, NEAR = spaced(0.6, 0.4, 0.2), spaced(0.6, 0.599, 0.2)
FOUR, TWO_ALIKE = spaced(0.6, 0.4, 0.3, 0.2), spaced(0.6, 0.599, 0.3, 0.2)
LEVEL = spaced(0.6, 0.599, 0.598, 0.597, 0.596)
T: dict[str, Any] = {"test": "t"}


def answer(
    *scores: object, names: tuple[str, ...] = (), better: Any = "more", clusters: str = "", **asked: Any
) -> SummaryAnswer:
    """Several scores are measures m0, m1, ..., or with names tracks."""
    request = SummaryRequest(**{"samples": 500, **asked})
    one = len(scores) == 1
    measured = [
        track_of(
            values, measure="AP" if one or names else f"m{i}", better=better if i == 0 else "more", clusters=clusters
        )
        for i, values in enumerate(scores)
    ]
    if names:
        tracks = [
            summary.NamedTrack(name, track, parse_target("best")) for name, track in zip(names, measured, strict=True)
        ]
    else:
        whole = Track(tuple(scored for track in measured for scored in track.scored))
        tracks = [summary.NamedTrack(None, whole, parse_target("best"))]
    return summary.answer(tracks, request)


@pytest.mark.parametrize(
    ("scores", "asked", "text"),
    [
        ((FAR,), {}, "r0 has the best AP (0.6000). r0 is significantly better than every other run."),
        ((FAR[:2],), {}, "r0 has the best AP (0.6000). r0 is significantly better than the other run."),
        ((spaced(0.6, 0.599),), {}, "r0 has the best AP (0.6000). r0 is not significantly better than r1."),
        ((NEAR,), {}, "r0 has the best AP (0.6000). r0 is not significantly better than r1."),
        ((LEVEL[:3],), {}, "r0 has the best AP (0.6000). r0 is not significantly better than any other run."),
        (
            (np.vstack([LEVEL, FAR[2:]]),),
            {},
            ("…r0 is not significantly better than 4 other runs, such as r1, r2 and r3."),
        ),
        ((NEAR[[0, 0, 2]],), {}, "r0 and r1 have the best AP (0.6000). r0 is not significantly better than r1."),
        ((FAR[:1],), {}, "There is one run, r0: nothing to compare it with."),
        (
            (FAR[:, :5],),
            {},
            (
                "r0 has the best AP (…). No run is called better than another: that takes at least 6 queries, and "
                "there are 5."
            ),
        ),
        (
            (FAR, FAR),
            {},
            (
                "r0 has the best m0 (0.6000) and m1 (0.6000). r0 is significantly better than every other run under "
                "both measures."
            ),
        ),
        (
            (FAR, NEAR),
            {},
            (
                "r0 has the best m0 (0.6000) and m1 (0.6000). r0 is significantly better than every other run under "
                "m0. r0 is not significantly better than r1 under m1."
            ),
        ),
        (
            (FAR, FAR[::-1], FAR),
            {},
            (
                "r0 has the best m0 (0.6000) and m2 (0.6000). r2 has the best m1 (0.6000). r0 is significantly better "
                "than every other run under m0 and m2. r2 is significantly better than every other run under m1."
            ),
        ),
        ((FAR, FAR[::-1], FAR[[1, 0, 2]]), {}, "Best m0: r0 (0.6000); m1: r2 (0.6000); m2: r1 (0.6000). …"),
        (
            (*[FAR, FAR[::-1], FAR[[1, 0, 2]]] * 2, FAR),
            {},
            (
                "Best m0: r0 (0.6000); …; m5: r1 (0.6000); and 1 more. r0 is significantly better than every other run "
                "under m0, m3 and m6. …"
            ),
        ),
        (
            tuple(np.roll(FOUR, shift, axis=0) for shift in range(4)),
            {},
            (
                "Best m0: r0 (0.6000); … r1 is significantly better than every other run under m1. Every other run is "
                "significantly below the best under m2 and m3."
            ),
        ),
        (
            tuple(np.roll(TWO_ALIKE, shift, axis=0) for shift in range(4)),
            {},
            "Best … 1 other run is not significantly below the best under m2 and m3.",
        ),
        (
            (*[NEAR, NEAR[::-1], NEAR[[1, 0, 2]]] * 2, FAR),
            {},
            "Best …. …0 to 1 other runs are not significantly below the best under m2, m5 and m6.",
        ),
        (
            (FAR,),
            {"baseline": "r1"},
            (
                "r0 has the best AP (0.6000). Compared with r1, significantly better (†): r0; significantly worse "
                "(‡): r2."
            ),
        ),
        (
            (NEAR,),
            {"baseline": "r0", **T},
            ("… Compared with r0, significantly worse (‡): r2; not significantly different: 1 run."),
        ),
        ((LEVEL,), {"baseline": "r1", **T}, "… No run differs significantly from r1."),
        (
            (FAR[:, :5],),
            {"baseline": "r1"},
            ("… No run is called better than another: that takes at least 6 queries, and there are 5."),
        ),
        (
            (*[NEAR, FAR, FAR[::-1], NEAR[::-1], FAR[[1, 0, 2]]],),
            {"baseline": "r1", **T},
            (
                "Best … Compared with r1 under …. Number of runs significantly better than r1: 0 to 1, significantly "
                "worse: …"
            ),
        ),
    ],
)
def test_the_best_and_who_differs(scores: Any, asked: dict[str, Any], text: str):
    assert_says(notes.verdict_notes(answer(*scores, **asked), 1.0), text)


def test_of_costs_the_worse_runs_are_above():
    less = answer(FAR, better="less", **T)
    assert_says(
        notes.verdict_notes(less, 100.0),
        "r2 has the best AP (20.0000). r2 is significantly better than every other run.",
    )
    assert_says(
        notes.legend_notes(less),
        "▽ significantly worse than the best run: paired t test, p < 0.05, corrected (Holm) for all 3 pairs of runs.",
    )
    assert_says(notes.table_notes(less, top=None, percent=True), "All numbers are times 100. Less is better (↓): AP.")
    mixed = answer(*[FAR, FAR[::-1], FAR[[1, 0, 2]]] * 2, better="less")
    assert notes.side_words(mixed.measures) == "worse than"


@pytest.mark.parametrize(
    ("names", "scores", "asked", "evaluated", "verdict"),
    [
        (
            ("A", "B"),
            (FAR, FAR[:, :7]),
            {},
            "AP of 3 runs on 2 tracks: A (8 queries) and B (7 queries).",
            (
                "r0 has the best AP on A (0.6000) and AP on B (…). r0 is significantly better than every other run on "
                "both tracks."
            ),
        ),
        (
            ("A", "B"),
            (FAR, FAR[:2]),
            {"baseline": "r2"},
            "…, compared with r2.",
            (
                "… No run is called better than another under AP on B: there is no run r2. Compared with r2 under AP "
                "on A, significantly better (†): r0 and r1."
            ),
        ),
        (("A", "B"), (FAR, NEAR), {"baseline": "top"}, "…, compared with r0, the run with the best AP on A.", "…"),
        (
            ("A", "B", "C", "D", "E"),
            (FAR,) * 5,
            {},
            ("AP of 3 runs on 5 tracks: A (8 queries), B (8 queries), C (8 queries), D (8 queries) and 1 more."),
            "… on all 5 tracks.",
        ),
    ],
)
def test_tracks_are_named(names: tuple[str, ...], scores: Any, asked: dict[str, Any], evaluated: str, verdict: str):
    found = answer(*scores, names=names, **T, **asked)
    assert_says(notes.evaluated_note(found), evaluated)
    assert_says(notes.verdict_notes(found, 1.0), verdict)


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (
            FAR,
            {},
            ("▽ significantly below the best run: step-down bootstrap, p < 0.05, corrected for all 3 pairs of runs."),
        ),
        (
            FAR,
            T,
            ("▽ significantly below the best run: paired t test, p < 0.05, corrected (Holm) for all 3 pairs of runs."),
        ),
        (FAR[:2], T, "▽ …, corrected (Holm) for the one pair of runs."),
        (FAR, {**T, "correction": "none"}, "▽ …, not corrected for the 3 pairs of runs."),
        (
            FAR,
            {**T, "baseline": "r1"},
            (
                "† significantly better than r1, ‡ significantly worse: …, corrected (Holm) for both comparisons "
                "with it."
            ),
        ),
        (FAR[:2], {**T, "baseline": "r1"}, "† …, corrected (Holm) for the one comparison."),
        (
            FAR,
            {**T, "baseline": "top"},
            ("† significantly better than r0, …for all 3 pairs of runs, since r0 was chosen for its mean."),
        ),
        (
            FAR,
            {**T, "marks": "letters"},
            ("Letters a to c behind a mean name the runs that this one is significantly better than: …"),
        ),
        (
            FAR,
            {"test": "sign"},
            ("▽ …sign test, p < 0.05, corrected (Holm) for all 3 pairs of runs. Wilcoxon and sign do not …"),
        ),
        (FAR[:, :5], {}, ""),
    ],
)
def test_the_legend(values: np.ndarray, asked: dict[str, Any], text: str):
    found = answer(values, **asked)
    assert_says(notes.legend_notes(found), text)
    assert_says(
        notes.paper_note(found, 1.0), "For a paper: …" + ("Test, paired and two-sided: …" if text else 'there are 5."')
    )


def test_under_several_measures_the_test_is_of_each():
    assert_says(
        notes.test_notes(answer(FAR, NEAR, **T)), "…, corrected (Holm) for all 3 pairs of runs under each measure."
    )
    assert_says(
        notes.test_notes(answer(FAR, FAR[:2], names=("A", "B"), **T)), "…for all pairs of runs under each measure."
    )


@pytest.mark.parametrize(
    ("scores", "asked", "looks", "text"),
    [
        ((FAR,), {}, {}, ""),
        ((FAR,), {}, {"percent": True}, "All numbers are times 100."),
        ((FAR,), {}, {"top": 2}, "2 of 3 runs shown; every number is of all 3."),
        (
            (FAR,),
            {"errors": True},
            {},
            (
                "Virtual target: the best score of each query over the runs. bias²: (target's mean - mean)²; var: "
                "variance over queries; total: bias² + var."
            ),
        ),
        ((FAR,), {"baseline": "r0"}, {}, "r0 has the best mean. If …choice."),
        ((FAR,), {"baseline": "top"}, {}, ""),
        ((FAR,), {"baseline": "r1"}, {}, ""),
    ],
)
def test_the_lines_under_the_table(scores: Any, asked: dict[str, Any], looks: dict[str, Any], text: str):
    assert_says(notes.table_notes(answer(*scores, **T, **asked), **{"top": None, "percent": False, **looks}), text)


def test_means_that_are_missing_are_counted():
    found = answer(FAR, FAR[:1], FAR[:2], names=("A", "B", "C"), **T)
    assert_says(
        notes.table_notes(found, top=None, percent=False), "3 means missing (-): 2 runs are not in every track."
    )


ROWS = (
    "Rows are systems: 2 systems with 2 runs each (4 runs in all). Scores are means over these runs. ±: standard "
    "deviation of the means of a system's runs. The tests ask …queries."
)


@pytest.mark.parametrize(
    ("half_width", "text"),
    [
        (None, ""),
        (0.3, ("For intervals of ±0.3: up to 1 run of each system, or up to 4 queries.")),
        (
            0.0001,
            ("For intervals of ±0.0001: no number of runs of each system will do, or no number of queries will do."),
        ),
    ],
)
def test_systems_of_several_runs(half_width: float | None, text: str):
    runs = np.array(
        [
            [0.1, 0.5, 0.3, 0.2, 0.6, 0.4],
            [0.3, 0.6, 0.5, 0.1, 0.7, 0.6],
            [0.2, 0.4, 0.1, 0.3, 0.2, 0.5],
            [0.4, 0.3, 0.2, 0.6, 0.3, 0.4],
        ]
    )
    track = track_of(runs).of_systems({"r0": "A", "r1": "A", "r2": "B", "r3": "B"})
    request = SummaryRequest(half_width=half_width)
    found = summary.answer([summary.NamedTrack(None, track, parse_target("best"))], request)
    assert_says(notes._system_notes(found, typed=True), f"{ROWS} {text}".strip())


@pytest.mark.parametrize("looks", [{"format": "json"}, {"format": "csv"}, {}])
def test_the_best_run_comes_first_for_people(looks: dict[str, Any]):
    made = summary_table(answer(FAR[::-1], **T), SummaryView(**looks))
    assert made.columns["run"][0] == ("r0" if looks else "r2")
    assert ("signature" in made.top, bool(made.document)) == (looks.get("format") == "json",) * 2
    assert bool(made.verdict) == (not looks)


def test_errors_stand_beside_means_and_leave_first():
    made = summary_table(answer(FAR, errors=True, **T), SummaryView(percent=True))
    assert made.columns["AP"] == pytest.approx([60, 40, 20])
    assert [made.declared[name].head for name in ("AP", "AP_total")] == ["mean ↑", "total ↓"]
    assert [made.declared[name].priority for name in ("AP", "AP_total", "AP_bias2")] == [0, 1, 2]
    assert set(made.groups.values()) == {"AP"}
    assert summary_table(answer(FAR, **T), SummaryView()).declared["AP"].head == "AP ↑"
    assert not summary_table(answer(FAR, **T), SummaryView()).groups


def test_json_has_what_all_measures_share_and_null_where_they_differ():
    """Of 8 queries in 4 clusters, and of tracks of 8 and of 6 queries; below 6 queries nothing is tested."""
    view = SummaryView(format="json")
    one = summary_table(answer(FAR, **T), view).document
    assert (one["n_runs"], one["n_queries"], one["test"], one["measures"][0]["best"]) == (3, 8, "t", "r0")
    assert "n_clusters" not in one
    two = summary_table(answer(FAR, FAR[:, :6], names=("A", "B"), **T), view).document
    assert (two["n_queries"], [each["track"] for each in two["measures"]]) == (None, ["A", "B"])
    assert summary_table(answer(FAR[:, :5], **T), view).document["test"] is None
    clustered = answer(FAR, clusters="aabbccdd", **T)
    named = replace(clustered, request=replace(clustered.request, clusters="(.).*"))
    assert summary_table(named, view).document["n_clusters"] == 4
