"""Sentences of tradeoff on answers with scores and null models whose numbers are known."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest
from conftest import assert_says, swinging, track_of

from biasvar_cli.analyses.tradeoff import TradeoffRequest, notes, table
from biasvar_cli.analyses.tradeoff import answer as tradeoff
from biasvar_cli.analyses.tradeoff.answer import TradeoffAnswer
from biasvar_cli.decomposition import SINGLE, Design, Sampling
from biasvar_cli.decomposition.generalised import TradeoffRow
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.verdicts import RowBeside, RowNull
from biasvar_cli.scoring.families import Family
from biasvar_cli.scoring.track import Track
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.stats.monte_carlo import Simulated, Tails
from biasvar_cli.tables import null_words
from biasvar_cli.tables.rows import View

pytestmark = pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
RISING = swinging((0.3, 0.1), (0.4, 0.2), (0.5, 0.3), n_queries=24)  # the better, the more variance
ZERO = np.hstack([RISING[:, :4], np.zeros((3, 4))])  # no run has anything on the last four queries
QUESTION = "Do runs with less bias² (more effective) have more variance over the queries (less stable)?"


def answer(values: object, *, track: Track | None = None, **asked: Any) -> TradeoffAnswer:
    design = Design(**{"subset_size": (2,), "repeats": 3, **asked.pop("design", {})})
    request = TradeoffRequest(**{"null": None, "design": design, **asked})
    return tradeoff.answer(track_of(values) if track is None else track, request)[0]


@pytest.mark.parametrize(
    ("values", "asked", "text"),
    [
        (RISING, {"target": ("perfect",)}, ""),
        (RISING[:2], {}, "Undefined (-) for 2 runs: at least 3 are needed."),
        (RISING, {"target": ("mean:0.9",)}, ("Undefined (-): a target that is a mean alone has no gap form and no "
         "normalised form.")),
        (np.zeros((3, 8)), {}, ("Undefined (-): the target is 0 or negative where scores are divided by it. Undefined "
         "(-): bias² or variance is the same for every run.")),
        (swinging((0.3, 0.1), (0.4, 0.1), (0.5, 0.1)), {"target": ("perfect",), "form": "score"}, ("Undefined (-): "
         "bias² or variance is the same for every run.")),
    ],
)  # fmt: skip
def test_why_a_correlation_is_undefined(values: np.ndarray, asked: dict[str, Any], text: str):
    assert_says(
        notes._why_undefined(answer(values, design={"subset_size": (1,)} if text == "" else {}, **asked)), text or "…"
    )


def test_the_lines_under_the_table():
    found = answer(ZERO, log=None, target=("best",))
    assert_says(
        notes.table_notes(found, 2),
        "2 of … rows shown; --top changes no number. Variance over (a) single queries; (b) subsets of 2 queries drawn "
        "at random; … gap form: variance of target - score. Normalised scores leave out 2 of 4 subsets of 2 and 4 of "
        "8 queries, where the target's score is 0.",
    )
    of_logs = answer(RISING, log="add", eps=0.01)
    assert_says(notes.table_notes(of_logs, None), "…Scores are logarithms (--log add --eps 0.01).…")
    grouped = answer(RISING, design={"groups": {f"q{i}": str(i % 3) for i in range(24)}})
    assert_says(notes.table_notes(grouped, None), "… groups: those of --groups. …")
    weighed = answer(RISING, design={"subset_weights": "equal", "subset_size": (5,)})
    assert_says(
        notes.table_notes(weighed, None),
        "… random-exact: as (b), with the average over all ways to draw the subsets in place of a few. …",
    )


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ({}, ["averaged over 3 partitions of the queries, drawn with seed 0.", ("random-exact has the correlations of "
         "(a)"), ("(c) difficulty: queries in ascending order of their best score over the pool; 22 queries as hard as "
         "another in order of id."), "normalised: the mean of a subset divided by the target's."]),
        ({"normalise": "maxmin"}, [("normalised: (mean of a subset - least in the pool) / (the target's - least in the "
         "pool)")]),
        ({"subset_weights": "equal", "subset_size": (5,)}, []),
    ],
)  # fmt: skip
def test_what_full_notes_add(asked: dict[str, Any], parts: list[str]):
    """24 scores in two levels: all but one of either are as hard as another."""
    said = " ".join(notes.full_notes(answer(RISING, design=asked)))
    assert [part for part in parts if part not in said] == []
    assert ("random-exact has the correlations of (a)" in said) == ("subset_weights" not in asked)


def test_without_subsets_there_is_nothing_on_them():
    said = " ".join(notes.full_notes(answer(RISING[:, :6], design={"subset_size": ()})))
    assert "(b) random" not in said
    assert "(c) difficulty" not in said
    distinct = answer(np.arange(24.0).reshape(1, 24) / 24 + [[0.0], [0.1], [0.3]])
    assert "as hard as another" not in " ".join(notes.full_notes(distinct))


@pytest.mark.parametrize(
    ("values", "detail", "asked", "text"),
    [
        (RISING, "single", {"target": ("perfect",)}, ("Over (a) single queries, r2 has the least bias² (0.2500) and "
         "total (0.3400) and r0 has the least variance (0.0100). Bias² and variance correlate with r = -0.98 (gap "
         "form: -0.98); biasvar tradeoff compares that with null models.")),
        (RISING, "single-normalised", {"target": ("perfect",)}, ("Over (a) single queries, normalised, r2 has … "
         "correlate with r = -0.98; biasvar …")),
        (RISING[:2], "single", {}, "Over (a) single queries, r1 has the least bias² … total (…)."),
        (RISING, "single", {"target": ("mean:0.9",)}, "…Bias² and variance correlate with r = -0.98; biasvar …"),
        (RISING, "single-normalised", {"target": ("mean:0.9",)}, ("Over (a) single queries, normalised, nothing is "
         "defined (-): the target is a mean alone.")),
        (np.zeros((3, 8)), "single-normalised", {}, ("…nothing is defined (-): the target is 0 or negative where "
         "scores are divided by it.")),
    ],
)  # fmt: skip
def test_the_runs_under_a_sampling(values: np.ndarray, detail: str, asked: dict[str, Any], text: str):
    """Against 1 bias² is .49, .36 and .25, and variance .01, .04 and .09: r by hand is -.9817."""
    (of_sampling,) = answer(values, detail=detail, **asked).details
    assert_says(notes.detail_verdict(of_sampling), text)
    defined = "nothing is defined" not in text
    made = table.detail_table(of_sampling, View())
    assert bool(made.notes) == defined
    assert ("between" in made.hidden) == ("normalised" in detail)
    assert ("between: " in " ".join(made.notes)) == (defined and "between" not in made.hidden)
    assert made.columns["run"][0] == ("r1" if len(values) == 2 else "r2" if defined else "r0")  # the least bias² first
    assert table.tables([answer(values, detail=detail, **asked)], View(format="csv"))[0].columns["run"][0] == "r0"


def test_subsets_that_are_left_out_are_counted():
    (of_sampling,) = answer(ZERO, detail="single-normalised").details
    assert_says(
        table.detail_table(of_sampling, View()).notes,
        "var: variance of the means over 4 subsets; 4 more are left out, where the target's score is 0. …",
    )


def row(r: float, form: Any = "score", sampling: Sampling = SINGLE) -> TradeoffRow:
    return TradeoffRow(sampling, form, Correlations(r, r, r), 50, 0)


SINGLE_SCORE = row(-0.7)


def family(name: str, r: float, n: int = 10, below: tuple[str, ...] = ()) -> Family:
    members = tuple(f"{name}{i}" for i in range(n))
    rows = tuple(TradeoffRow(SINGLE, form, Correlations(r, r, r), 50, 0, name) for form in ("score", "gap"))
    return Family(name, members, rows, below, members if below else (), is_numeric=False)


def null_of(families: list[Family], verdicts: list[Any], why: str = "") -> Null:
    simulated = Simulated(-0.8, -0.9, -0.5, 0.5, 500, 0)
    said = {
        each.rows[0].key: RowNull(*[simulated] * 3, {}, verdict, "found 8")
        for each, verdict in zip(families, verdicts, strict=True)
        if each.has_null
    }
    return Null({} if why else said, {}, why, 0 if why else 500, 0)


ALONE = f"{null_words.ALONE}."
LESS = "r is less negative than differences in means explain."


@pytest.mark.parametrize(
    ("families", "verdicts", "why", "text"),
    [
        ([family("a", -0.95), family("b", -0.96)], ["stronger", "stronger"], "", ("Tradeoff within a and b: r is more "
         "negative than differences in means explain.")),
        ([family("a", -0.4), family("b", -0.6), family("c", -0.95)], ["weaker", "none", "stronger"], "", ("Tradeoff "
         f"within c: r is more negative than differences in means explain. No evidence of a tradeoff within a: {LESS} "
         "No evidence of a tradeoff within b.")),
        ([family("a", 0.4)], ["stronger"], "", "No evidence of a tradeoff within a: r is not negative."),
        ([family("a", -0.4, 9), family("b", -0.4)], [None, "none"], "", ("No evidence of a tradeoff within b. No "
         "verdict on a (fewer than 10 members).")),
        ([family("a", -0.4)], [None], "", f"No verdict on a (found 8). {ALONE}"),
        ([family("a", -0.4)], [None], "too few", f"No verdict without a null model (too few). {ALONE}"),
        ([family("a", -0.4)], None, "", f"No verdict without null models (--null). {ALONE}"),
    ],
)  # fmt: skip
def test_families_by_their_verdicts(families: list[Family], verdicts: Any, why: str, text: str):
    found = answer(RISING)
    found.__dict__.update(families=families, null=None if verdicts is None else null_of(families, verdicts, why))
    assert_says(notes.families_verdict(found), f"{QUESTION} {text}")


@pytest.mark.parametrize(
    ("below", "text"),
    [
        ((), "none"),
        (("a0",), "a (score): a0; a (gap): all 3"),
        (("a0", "a1", "a2"), ("a (score): all 3; a (gap): all 3")),
    ],
)
def test_members_below_the_baseline_are_named(below: tuple[str, ...], text: str):
    found = answer(RISING, design={"subset_size": ()}, families="(r)([01])", baseline="r2")
    found.__dict__.update(families=[family("a", -0.4, 3, below)])
    assert_says(notes.families_verdict(found), f"…Members with less bias² and less variance than r2: {text}.")


OVER = "Correlation of bias² and variance over the runs of a family; gap form: variance of target - score."


@pytest.mark.parametrize(
    ("families", "has_null", "text"),
    [
        ([family("a", 0.1, 3)], False, OVER),
        ([family("a", 0.1, 2)], False, f"{OVER} 1 run in no family."),
        ([family("a", 0.1, 3)], True, (f"{OVER} No null models (-) of a: over fewer than 10 simulated runs r can be "
         "nearly anything.")),
        ([family("a", 0.1)], True, f"{OVER} r in 3 null models … Only the score form has p and a verdict.…"),
    ],
)  # fmt: skip
def test_the_lines_under_the_families(families: list[Family], has_null: bool, text: str):
    found = answer(RISING)
    null = null_of(families, ["none"] * len(families)) if has_null else None
    found.__dict__.update(families=families, null=null)
    assert_says(
        notes.families_notes(found),
        text if "p and a" not in text else f"{OVER} … Only the score form has p and a verdict. …",
    )


def test_the_tables_that_are_asked_for():
    found = answer(RISING, design={"subset_size": ()}, families="(r)([01])", baseline="r2")
    (families,) = table.tables([found], View())
    assert (families.name, families.columns["family"]) == ("tradeoff-families", ["r", "r"])
    (turned,) = table.tables([found], View(sort="-kendall", top=1))
    assert len(turned.columns["family"]) == 1
    (rows,) = table.tables([answer(RISING)], View(format="csv", best_first=True))
    assert len(rows.columns["sampling"]) == len(answer(RISING).rows)
    (shown,) = table.tables([answer(RISING)], View())
    assert "(a) single" in shown.columns["sampling"]
    assert len(shown.columns["sampling"]) < len(rows.columns["sampling"])
    assert "subset_size" in shown.hidden
    (several,) = table.tables([answer(RISING, design={"subset_size": (2, 3)})], View())
    assert "subset_size" not in several.hidden
    unfitted = answer(RISING)
    unfitted.__dict__["null"] = Null({}, {}, "too few", 0, 0)
    (without,) = table.tables([unfitted], View(format="csv"))
    assert without.hidden >= table._OF_NULL
    fitted = answer(RISING)
    fitted.__dict__["null"] = Null({}, {}, "", 500, 0)
    (with_null,) = table.tables([fitted], View(format="csv"))
    assert not with_null.hidden & table._OF_NULL


@pytest.mark.parametrize(
    ("r", "other", "where", "text"),
    [
        (-0.7, 0.6, 0.6, ("The 1 other correlation lies within the range of its null models, even r = +0.60 of (c) "
         "difficulty, score form. Only r of (a) single in the score form is tested.")),
        (-0.7, -0.6, -0.6, "The 1 other correlation lies within the range of its null models. Only …"),
        (-0.7, -0.6, 0.9, ("(c) difficulty, score form: r = -0.60 is more negative than expected from the means alone "
         "(+0.80 to +1.00), which points towards a tradeoff. Only …tested.")),
    ],
)  # fmt: skip
def test_other_correlations_lie_within_their_ranges_or_outside(r: float, other: float, where: float, text: str):
    rows = [row(r), row(other, sampling=Sampling("difficulty", 2))]
    middles = (r, where)
    said = {
        each.key: RowNull(*[Simulated(middle, middle - 0.1, middle + 0.1, 0.5, 500, 0)] * 3, {}, "none", "")
        for each, middle in zip(rows, middles, strict=True)
    }
    found = answer(RISING)
    found.__dict__.update(rows=rows, null=Null(said, {}, "", 500, 0))
    _, *rest = notes.verdict_notes(found)
    assert_says(rest, text)


def test_many_correlations_on_one_side_share_a_sentence():
    rows = [row(-0.7), *(row(0.6, form, Sampling("difficulty", size)) for form in ("score", "gap") for size in (2, 3))]
    found = answer(RISING)
    said = {each.key: RowNull(*[Simulated(-0.7, -0.8, -0.6, 0.5, 500, 0)] * 3, {}, "none", "") for each in rows}
    found.__dict__.update(rows=rows, null=Null(said, {}, "", 500, 0))
    _, *rest = notes.verdict_notes(found)
    assert_says(
        rest,
        "4 correlations are higher than expected from the means alone, which points away from a "
        "tradeoff: (c) difficulty of 2, score form (+0.60); …. Only r of (a) single in the score form is tested.",
    )


def test_json_has_the_null_models_of_a_family_as_documents_before_its_members():
    found = answer(RISING, design={"subset_size": ()}, families="(r)([01])", baseline="r2")
    families = [family("a", -0.4, below=("a0",))]
    found.__dict__.update(families=families, null=null_of(families, ["none"]))
    made, flat = (table.families_table(found, View(format=form)) for form in ("json", "csv"))
    assert [*made.columns][-2:] == ["n_below", "below"]
    assert {*null_words.NULL_KEYS} <= {*made.columns}
    score, gap = made.columns["null"]
    assert (score["pearson"]["median"], gap) == (-0.8, None)
    assert not {*null_words.NULL_KEYS} & {*flat.columns}
    assert flat.columns["null_r"] == [-0.8, None]
    assert "null_r" not in flat.hidden
    assert "null_r" in table.families_table(found, View()).hidden
    found.__dict__["null"] = None
    assert not {*null_words.NULL_KEYS} & {*table.families_table(found, View(format="json")).columns}


@pytest.mark.parametrize(("median", "other", "n_tables"), [(-0.8, 0.1, 1), (nan, 0.1, 0), (-0.8, None, 0)])
def test_each_null_model_has_a_row_where_all_of_them_are_there(median: float, other: float | None, n_tables: int):
    found = answer(RISING)
    key, deciding = SINGLE_SCORE.key, Tails(median, -0.9, -0.5, 0.25, 0.75, 500, 0)
    simulated = Simulated(-0.8, -0.9, -0.5, 0.5, 500, 0)
    others = {} if other is None else {"shuffled": {key: RowBeside(*[simulated] * 3, deciding._replace(median=other))}}
    models = {key: RowNull(*[simulated] * 3, {"means": deciding}, "none", "")}
    found.__dict__.update(rows=[SINGLE_SCORE], null=Null(models, others, "", 500, 0))
    made = [*table._null_models(found)]
    assert len(made) == n_tables
    for each in made:
        assert each.columns["null model"] == ["means", "shuffled"]
        assert each.columns["median"] == [median, other]
        assert each.columns["p_lower"] == [0.25, 0.25]
