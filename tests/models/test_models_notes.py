"""Every sentence of models, on errors whose means and variances are known."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from conftest import assert_says

from biasvar_cli.analyses.models import EstimationRequest
from biasvar_cli.analyses.models import answer as models
from biasvar_cli.analyses.models import table as notes
from biasvar_cli.analyses.models.answer import EstimationAnswer
from biasvar_cli.query_models import ModelRequest, Setting
from biasvar_cli.query_models.estimation import Estimation
from biasvar_cli.query_models.load import QueryModels
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.track import Scored
from biasvar_cli.tables.rows import View

pytestmark = pytest.mark.filterwarnings("ignore:.*intervals of correlations are too narrow")  # of few models

TRADEOFF = ((1, 3), (2, 6**0.5), (3, 1))  # bias² 1, 4, 9 and variance 9, 6, 1: r = -1, and totals of 10
AGREE = ((0.1, 0.2), (0.2, 0.3), (0.3, 0.4))
RUNS = np.array([[0.1, 0.1], [0.2, 0.3], [0.5, 0.4]])


def estimation(
    *errors: tuple[float, float], epsilon: float | None = None, n_queries: int = 2, plain: bool = False
) -> Estimation:
    """Models m0, m1, ... by the mean of their errors, and how far half of them are above and below it."""
    sides = np.array([1, -1] * (n_queries // 2)) if n_queries > 1 else np.zeros(1)
    values = np.array([mean + deviation * sides for mean, deviation in errors])
    names, queries = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("mq", values.shape, strict=True))
    setting, ones = Setting("js" if epsilon is None else "kl-fwd", epsilon), np.ones(len(errors))
    return Estimation(setting, names, queries, values, ones, ones, sum="plain" if plain else "squared")


def answer(
    *errors: tuple[float, float],
    asked: Mapping[str, Any] = MappingProxyType({}),
    models_asked: Mapping[str, Any] = MappingProxyType({}),
    beside: tuple[Estimation, ...] = (),
    no_feedback: tuple[str, ...] | None = None,
    n_excluded: int = 0,
    runs: np.ndarray | None = None,
    members: str | None = None,
    **others: Any,
) -> EstimationAnswer:
    of = estimation(*errors, **others)
    request = ModelRequest(inputs=("models",), true="true", original="m0", **models_asked)
    loaded, scored = QueryModels(request, (of,), beside, no_feedback, n_excluded), None
    if runs is not None:
        scores = ScoreMatrix(runs, of.models, of.queries, "AP")
        scored = Scored(scores, scores, None, None)
    (found,) = models.answer(loaded, EstimationRequest(**asked), members=members, runs=scored)
    return found


@pytest.mark.parametrize(
    ("errors", "others", "text"),
    [
        (AGREE, {}, "m0 (total_est 0.0500: bias² 0.0100, variance 0.0400); next m1 (0.1300)."),
        (AGREE, {"plain": True}, "m0 (total_est 0.1400: bias 0.1000, variance 0.0400); next m1 (0.2900)."),
        (AGREE[1:2], {}, "m0 (total_est 0.1300: bias² 0.0400, variance 0.0900)."),
        ((*AGREE, AGREE[0]), {}, "m0 and m3 (total_est 0.0500: …); next m1 (0.1300)."),
    ],
)
def test_the_nearest_model(errors: Any, others: dict[str, Any], text: str):
    assert_says(notes._nearest_note(answer(*errors, **others)), f"Nearest to the true model: {text}")


@pytest.mark.parametrize(
    ("errors", "others", "text"),
    [
        (
            AGREE,
            {},
            (
                "Bias² is 31 % of total_est (median of the models), and ranking by total_est is close to ranking by "
                "bias_est (Kendall's tau 1.00). The error of m0 varies least over the queries (var_est 0.0400); this "
                "model is number 1 of 3 by total_est."
            ),
        ),
        (
            ((3, 0.1), (2, 3), (1, 4)),
            {},
            (
                "Bias² is 31 % of … ranking by total_est reverses ranking by bias_est (Kendall's tau -1.00). The "
                "error of m0 varies least over the queries (var_est 0.0100); this model is number 1 of 3 by total_est."
            ),
        ),
        (((1, 2), (1, 3), (1, 4)), {}, "Bias² is 10 % of total_est (median of the models). The error of m0 …"),
        (((1, 2), (2, 2), (3, 2)), {}, "Bias² is 50 % …(Kendall's tau 1.00)."),
        (
            ((3, 1), (1, 2)),
            {},
            (
                "The error of m0 varies least over the queries (var_est 1.0000); this model is number 2 of 2 by "
                "total_est."
            ),
        ),
        (AGREE[:1], {}, ""),
        (AGREE, {"plain": True}, "The error of m0 varies …"),
        (AGREE, {"n_queries": 1}, ""),
        (
            AGREE,
            {"asked": {"baseline": "m0"}, "n_queries": 8},
            ("Bias²… No model has less bias² and less variance than m0."),
        ),
        (
            AGREE,
            {"asked": {"baseline": "m2"}, "n_queries": 8},
            (
                "Bias²… Less bias² and less variance than m2: 2 of 2 models (m0 and m1), … with both 95 % intervals "
                "below."
            ),
        ),
    ],
)
def test_the_verdict(errors: Any, others: dict[str, Any], text: str):
    nearest, *rest = notes._verdict(answer(*errors, **others))
    assert nearest.startswith("Nearest")
    assert_says(rest, text)


@pytest.mark.parametrize(
    ("errors", "runs", "text"),
    [
        (
            AGREE,
            RUNS,
            (
                "Ranking by total_est reverses ranking of the models' runs by total error in AP (Kendall's tau -1.00, "
                "by bias -1.00, by variance …); the best mean AP is that of the run of m2 (0.4500), number 3 of 3 by "
                "total_est."
            ),
        ),
        (
            AGREE,
            RUNS[::-1],
            (
                "Ranking by total_est is close to ranking …(Kendall's tau 1.00, by bias 1.00, by variance …); the "
                "best mean AP is that of the run of m0 (0.4500), number 1 of 3 by total_est."
            ),
        ),
        (AGREE[:2], RUNS[:2], "The best mean AP is that of the run of m1 (0.2500), number 2 of 2 by total_est."),
        (AGREE, RUNS[[0, 2, 2]], "…; the best mean AP is that of the run of m1 and m2 (0.4500)."),
        (
            AGREE,
            np.array([[0.1, 0.3], [0.3, 0.1], [0.2, 0.2]]),
            (
                "… total error in AP (Kendall's tau …, by variance …); the best mean AP is that of the run of m0, m1 "
                "and m2 (0.2000)."
            ),
        ),
        (((0.1, 0.2), (0.2, 0.2), (0.3, 0.2)), RUNS, "… total error in AP (Kendall's tau -1.00, by bias -1.00); …"),
    ],
)
def test_the_runs_of_the_models(errors: Any, runs: Any, text: str):
    """Of runs of one mean the bias has no order, of models of one variance the variance has none."""
    joint = answer(*errors, runs=runs).joint
    assert joint is not None
    assert_says(notes._joint_note(joint), text)
    assert_says([*notes._verdict(answer(*errors, runs=runs))][-1], text)


SUMS = "bias_est: mean error over the queries; var_est: variance of the errors; total_est: bias² + variance. unseen: …."
R = "Correlation of bias² and variance over the 3 models: Pearson"


@pytest.mark.parametrize(
    ("errors", "others", "text"),
    [
        (TRADEOFF, {}, f"{SUMS} {R} -1.0000, Spearman -1.0000, Kendall -1.0000"),
        (AGREE, {}, f"{SUMS} {R} +0.9…, Spearman +1.0000, Kendall +1.0000"),
        (AGREE[:2], {}, f"{SUMS} No correlation over 2 models: at least 3 are needed."),
        (((1, 2), (1, 3), (1, 4)), {}, f"{SUMS} No correlation: bias² or variance is the same for every model."),
        (AGREE, {"plain": True}, "…; total_est: bias + variance, whose units differ. unseen: …"),
        (
            AGREE,
            {"no_feedback": ()},
            f"{SUMS} {R}… 0 queries without feedback (some model equals orig).".replace("orig", "m0"),
        ),
        (
            AGREE,
            {"no_feedback": ("q1",)},
            (
                f"{SUMS} {R}… 1 query without feedback (some model equals m0): q1; --exclude-no-feedback leaves them "
                "out."
            ),
        ),
        (
            AGREE,
            {"no_feedback": ("q1", "q2"), "models_asked": {"exclude_no_feedback": True}},
            (f"{SUMS} {R}… 2 queries without feedback (some model equals m0)."),
        ),
        (AGREE, {"n_excluded": 3}, f"{SUMS} {R}… 3 queries of the true model left out."),
    ],
)
def test_the_lines_under_the_models(errors: Any, others: dict[str, Any], text: str):
    found = answer(*errors, **others)
    assert_says(notes._notes(found, notes.filled(notes.ESTIMATION, found), None), text)


def test_the_rows_that_are_shown_are_counted():
    found = answer(*AGREE)
    assert_says(
        notes._notes(found, notes.filled(notes.ESTIMATION, found), 2),
        "2 of 3 models shown; every number is of all 3. bias_est: …",
    )


TURNED = ((0.3, 0.4), (0.2, 0.3), (0.1, 0.2))


@pytest.mark.parametrize(
    ("beside", "text"),
    [
        ((), ""),
        ((estimation(*AGREE, epsilon=0.5),), "1.00 with epsilon 0.5; the nearest model is the same."),
        ((estimation(*TURNED, epsilon=0.5),), "-1.00 with epsilon 0.5; the nearest model is m2 with 0.5."),
        (
            (estimation(*TURNED, epsilon=0.5), estimation(*AGREE, epsilon=0.01)),
            ("1.00 with epsilon 0.01 and -1.00 with epsilon 0.5; the nearest model is m2 with 0.5."),
        ),
        ((estimation(*AGREE, epsilon=0.1),), ""),
        ((estimation(*AGREE),), ""),
    ],
)
def test_other_epsilons(beside: tuple[Estimation, ...], text: str):
    found = answer(*AGREE, epsilon=0.1, beside=beside)
    assert_says(
        notes._epsilon_notes(found),
        text and f"Kendall's tau of the ranking by total_est with that of other epsilons: {text}",
    )
    assert [table.title[:20] for table in notes._appendix(found, ["m0"])] == (
        ["Ranking with another", ("total_est by epsilon")] if text else []
    )


def test_smoothing_and_the_background_are_named():
    assert_says(notes.divergence_words(answer(*AGREE)), "…Jensen-Shannon…")
    assert_says(
        notes.divergence_words(answer(*AGREE, epsilon=0.2)),
        "Kullback-Leibler divergence KL(true || model), smoothed with epsilon 0.2 and a uniform background",
    )
    assert_says(
        notes.divergence_words(answer(*AGREE, epsilon=0.2, models_asked={"background": "x/counts.tsv"})),
        "…and the background counts.tsv",
    )
    assert_says(next(notes._details(answer(*AGREE, epsilon=0.2))), "…; both are smoothed: 0.8 p + 0.2 p(background).")
    assert (
        notes._document(answer(*AGREE, epsilon=0.2, models_asked={"background": "x/counts.tsv"}))["background"]
        == "x/counts.tsv"
    )
    assert notes._document(answer(*AGREE, models_asked={"background": "x/counts.tsv"}))["background"] is None


FAMILIES = {"m0": ("f", 0.0), "m1": ("f", 1.0)}


@pytest.mark.parametrize(
    ("asked", "details", "note"),
    [
        ({}, "", ""),
        (
            {"ci": 0.9, "resamples": 200, "seed": 3},
            (
                "90 % intervals for new queries of the same kind: BCa, of variances log-jackknife-t; 200 resamples of "
                "the queries, seed 3."
            ),
            "",
        ),
        (
            {"baseline": "m2"},
            "d_: …(Holm). Members with less bias² and less variance than m2: f: m0, m1.".replace("m0, m1", "m0 and m1"),
            ("below: members with less bias² and less variance than m2; by_interval: those whose intervals say so."),
        ),
        ({"baseline": "m0"}, "d_: …(Holm).", "below: members …than m0; …"),
    ],
)
def test_what_full_notes_add(asked: dict[str, Any], details: str, note: str):
    found = answer(*AGREE, n_queries=8, asked=asked, members="(m)([01])")
    how = "The error of a query is …. var_est has divisor n (population). IPM'14 …inferred."
    assert_says(notes._details(found), f"{how} {details}".strip().replace("f: ", "m: "))
    families = notes.families_table(found)
    assert_says(families.notes, note)
    assert_says(families.details, "A family of fewer than 3 members has no correlation (-). 1 model is in no family.")


def test_tables_under_the_models_are_those_that_were_asked_for():
    everything = answer(*AGREE, n_queries=8, asked={"ci": 0.9, "resamples": 200, "baseline": "m2"}, members="(m)([01])")
    tables = notes.models_table(everything, View())
    assert [table.title[:17] for table in tables.second] == [
        "Intervals of the ",
        "Models with less ",
        ("Correlation of bi"),
    ]
    assert tables.more == ("--runs",)
    plain = notes.models_table(answer(*AGREE), View())
    assert (plain.second, plain.appendix, plain.more) == ((), (), ("--runs", "--baseline"))
    few = answer(*AGREE[:2], n_queries=8, asked={"ci": 0.9, "resamples": 200})
    assert notes.models_table(few, View()).second == ()
    (families,) = notes.tables([everything], View(table="families"))
    assert families.title.startswith("Correlation of bias² and variance within families")


def test_models_in_no_family_are_counted():
    assert_says(notes.families_table(answer(*AGREE, members="(m)([012])")).details, "A family of fewer than 3 …")
    alone = notes.families_table(answer(*AGREE, members="(m)([0])")).details
    assert_says(alone, "A family of fewer than 3 … 2 models are in no family.")
