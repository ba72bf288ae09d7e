"""Two judges of the same runs: the split of their difference, what stays true, and whom one of them favours."""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from pathlib import Path

import conftest
import numpy as np
import pytest
from conftest import COARSE, UNIT, scores_of
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from biasvar_cli.decomposition.decompose import moments
from biasvar_cli.decomposition.judge_differences import (
    JudgeSplit,
    PairClasses,
    favour,
    hardest_shared,
    judge_split,
    mean_p,
    pair_classes,
    passes_split,
    ranking_taus,
)
from biasvar_cli.decomposition.spread import true_slope
from biasvar_cli.errors import keep_warnings
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import Pairs
from biasvar_cli.stats.step_down import significant_signs, step_down

close = partial(conftest.close, tolerance=1e-11, relative=1e-9)
PARTS = ("shift", "query", "compression", "favour", "rest")
A = np.array([[0.9, 0.5, 0.1], [0.6, 0.4, 0.2], [0.3, 0.3, 0.0], [0.2, 0.0, 0.1]])
B = np.array([[0.8, 0.8, 0.4], [0.7, 0.5, 0.5], [0.5, 0.6, 0.1], [0.4, 0.4, 0.3]])


def drawn(n_samples: int = 500, stream: Stream = Stream.FAVOUR) -> Draws:
    return Draws(n_samples, partial(generator, stream, 0))


def parts_of(split: JudgeSplit) -> np.ndarray:
    return np.array([getattr(split, name) for name in PARTS])


def judges(n_judges: int, runs: tuple[int, int] = (1, 6), queries: tuple[int, int] = (1, 9)) -> st.SearchStrategy:
    """Scores of several judges, (n_judges, R, n): of one kind, with ties or without, or of constant ones; any sign."""
    shapes = st.tuples(st.just(n_judges), st.integers(*runs), st.integers(*queries))
    elements = st.sampled_from((UNIT, COARSE, st.just(0.3)))
    signs = st.sampled_from((1.0, -1.0, 40.0))
    return st.tuples(shapes, elements, signs).flatmap(
        lambda chosen: scores_of(chosen[0], chosen[1]).map(lambda scores: scores * chosen[2])
    )


def by_definition(a: np.ndarray, b: np.ndarray) -> tuple[float, list[float]]:
    """Slope and parts, each by its own formula; the slope by numpy's least squares."""
    d, of_a, of_b = b - a, a.mean(axis=1), b.mean(axis=1)
    if np.ptp(of_a) <= 1e-12 * max(abs(a).max(), abs(b).max()):
        slope, compression, rest_of_means = float("nan"), 0.0, np.var(of_b)
    else:
        slope = np.linalg.lstsq((of_a - of_a.mean())[:, None], of_b - of_b.mean(), rcond=None)[0][0]
        compression, rest_of_means = (slope - 1) ** 2 * np.var(of_a), np.var(of_b - slope * of_a)
    of_runs, of_queries = d.mean(axis=1, keepdims=True), d.mean(axis=0, keepdims=True)
    rest = ((d - of_runs - of_queries + d.mean()) ** 2).mean()
    return slope, [d.mean() ** 2, np.var(of_queries), compression, rest_of_means, rest]


# ---- the split


@given(judges(2))
def test_the_parts_are_those_of_the_definition_and_sum_to_the_mean_squared_difference(scores):
    a, b = scores
    split = judge_split(a, b)
    slope, parts = by_definition(a, b)
    assert close(parts_of(split), parts)
    assert close(split.slope, slope, nan=True)
    assert close(split.mean, b.mean())
    assert close(split.msd, ((b - a) ** 2).mean())
    assert close(parts_of(split).sum(), split.msd)


@given(judges(1, (2, 6), (2, 9)), st.sampled_from((0.0, 0.5, 1.0, -0.5, 1.1)), st.sampled_from((0.0, 0.1, 0.3)))
def test_what_moves_all_scores_queries_or_differences_alike_is_exactly_that_part(scores, slope, shift):
    """A lenient judge that compresses: the residuals are rounding, and no part or test shows it as favour."""
    a, n = scores[0], scores.shape[2]
    of_queries = np.linspace(-0.1, 0.1, n)
    b = slope * a + shift + of_queries
    split, tested = judge_split(a, b), favour(a, b, 0.95, drawn())
    varies = not np.isnan(split.slope)
    assert close([split.shift, split.favour], [(b - a).mean() ** 2, 0.0])
    assert split.favour == 0
    assert close(split.slope, slope if varies else np.nan, tolerance=1e-9, nan=True)
    assert not tested.residual.any()
    assert np.isnan(tested.p).all() if n < 6 else (tested.p == 1).all()


def test_equal_judges_differ_by_exactly_nothing():
    for b in (A, A.copy()):
        assert judge_split(A, b) == JudgeSplit(float(A.mean()), 1.0, *[0.0] * 6)
    lenient = judge_split(A, A + 0.1)  # .2 + .1 is no exact sum
    assert (lenient.slope, *parts_of(lenient)[1:]) == (1, 0, 0, 0, 0)
    assert lenient.shift == pytest.approx(0.01, abs=1e-15)


# ---- passes of one judge


@given(st.integers(2, 4).flatmap(lambda n_passes: judges(n_passes + 1)))
def test_a_pass_differs_by_the_split_of_the_mean_and_the_variance_between_passes(scores):
    a, passes = scores[0], scores[1:]
    of_mean, var_passes = passes_split(a, passes)
    splits = [judge_split(a, b) for b in passes]
    assert close(np.mean([split.msd for split in splits]), of_mean.msd + var_passes)
    assert close(var_passes, passes.var(axis=0).mean())
    between = np.mean([parts_of(split) for split in splits], axis=0) - parts_of(of_mean)
    assert close(between.sum(), var_passes)
    assert (between >= -1e-11 * max(1, (scores**2).max())).all()


def test_what_a_few_passes_miss_of_all_that_the_judge_makes():
    """All 3^2 ways to draw two of three passes: msd of the mean, less var_passes / (K - 1), is that of all passes."""
    passes, n_passes = np.array([[[0.1, 0.9]], [[0.4, 0.3]], [[0.7, 0.3]]]), 2
    a = np.array([[0.2, 0.5]])
    of_all, var_of_all = passes_split(a, passes)
    pairs = [passes_split(a, passes[list(chosen)]) for chosen in product(range(3), repeat=n_passes)]
    assert np.mean([var for _, var in pairs]) == pytest.approx(var_of_all * (n_passes - 1) / n_passes, abs=1e-15)
    corrected = [of_mean.msd - var / (n_passes - 1) for of_mean, var in pairs]
    assert np.mean(corrected) == pytest.approx(of_all.msd, abs=1e-15)


def test_one_pass_has_no_variance_between_passes():
    of_mean, var_passes = passes_split(A, B[None])
    assert of_mean == judge_split(A, B)
    assert np.isnan(var_passes)


# ---- what stays true


@given(judges(2, (2, 7)))
def test_the_taus_are_those_of_scipy(scores):
    errors = []
    for values in scores:
        best = values.max(axis=0)
        mean, bias = values.mean(axis=1), best.mean() - values.mean(axis=1)
        var, var_gap = values.var(axis=1), (best - values).var(axis=1)
        errors.append([mean, bias**2 + var, var, bias**2 + var_gap, var_gap])
    pairs = [(x.round(9), y.round(9)) for x, y in zip(*errors, strict=True)]
    expected = [np.nan if len(x) < 3 else stats.kendalltau(x, y).statistic for x, y in pairs]
    taus = ranking_taus(*(moments(values, values.max(axis=0), values.max(axis=0).mean()) for values in scores))
    assert close(np.array(taus), np.array(expected), tolerance=1e-9, nan=True)


@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), max_size=20))
def test_a_pair_is_in_one_class(signs):
    reference, other = (np.array([pair[at] for pair in signs], dtype=int) for at in (0, 1))
    words = {(1, 1): "both", (-1, -1): "both", (1, -1): "reversed", (-1, 1): "reversed", (0, 0): "neither"}
    named = [words.get(pair, "lost" if pair[1] == 0 else "gained") for pair in signs]
    assert pair_classes(reference, other) == PairClasses(*map(named.count, PairClasses._fields))


@given(judges(2, (1, 4), (1, 25)), st.data())
def test_the_hardest_queries_that_both_share_do_not_depend_on_the_order_of_the_queries(scores, data):
    a, b = scores
    shared, size = hardest_shared(a, b)
    assert size == -(-a.shape[1] // 10)
    assert hardest_shared(a, a) == (pytest.approx(size), size)
    assert hardest_shared(b, a) == (shared, size)
    order = data.draw(st.permutations(range(a.shape[1])))
    assert close(hardest_shared(a[:, order], b[:, order]).shared, shared)
    best = [values.max(axis=0) for values in scores]
    if all(np.unique(values.round(9)).size == a.shape[1] for values in best):
        one, other = (set(np.argsort(values)[:size].tolist()) for values in best)
        assert shared == len(one & other)


# ---- whom a judge favours


def off_the_curve(a: np.ndarray, b: np.ndarray, degree: int) -> np.ndarray:
    """The distances from the polynomial through the run means, by query: (R, n), with the derivative by numpy."""
    x = a.mean(axis=1) - a.mean()
    fit = np.polynomial.Polynomial.fit(x, b.mean(axis=1), degree)
    deviations = (a - a.mean(axis=0)) - x[:, None]
    moved = fit.deriv()(x)[:, None] * deviations
    of_mean = (b.mean(axis=1) - fit(x))[:, None]
    rows = (b - b.mean(axis=0)) - (b.mean(axis=1) - b.mean())[:, None] - moved + moved.mean(axis=0) + of_mean
    return np.where(np.abs(rows) < 1e-9, 0.0, rows)


def off_by_slope(a: np.ndarray, b: np.ndarray, rows: np.ndarray, slope: float) -> np.ndarray:
    """The distances from a line or a curve with another slope in the place of that of the means."""
    rows = rows - (slope - by_definition(a, b)[0]) * (a - a.mean(axis=0))
    return np.where(np.abs(rows) < 1e-9, 0.0, rows)


@given(judges(2, (4, 6), (6, 9)))
def test_a_run_is_favoured_that_is_off_the_line_and_off_the_parabola_of_the_means(scores):
    a, b = scores
    if len(np.unique(a.mean(axis=1).round(6))) < 4:
        return  # a parabola through three points is no test, and numpy's may be any
    line, curve = (off_the_curve(a, b, degree) for degree in (1, 2))
    curve = off_by_slope(a, b, curve, true_slope(a, b))
    tested = favour(a, b, 0.95, drawn())
    of_line, of_curve = (step_down(rows, 0.95, drawn()) for rows in (line, curve))
    assert close(tested.residual, line.mean(axis=1), tolerance=1e-8)
    same_side = np.sign(line.mean(axis=1).round(12)) == np.sign(curve.mean(axis=1).round(12))
    assert close(tested.p, of_line.p, tolerance=1e-9)
    assert close(tested.curve_p, np.where(same_side, of_curve.p, 1.0), tolerance=1e-9)
    assert (tested.signs(0.95) != 0).tolist() == (tested.p < 0.05).tolist()
    assert (tested.signs(0.95, curved=True) != 0).tolist() == ((tested.p < 0.05) & (tested.curve_p < 0.05)).tolist()


@given(judges(2, (2, 3), (6, 9)))
def test_no_run_is_favoured_among_three(scores):
    assert not favour(*scores, 0.95, drawn()).signs(0.95, curved=True).any()


def test_a_judge_whose_best_scores_cannot_rise_favours_no_run():
    """The means lie on a parabola: off their line the runs at its ends would be called."""
    rng = np.random.default_rng(3)
    ability = np.linspace(0.1, 0.9, 30)
    a = ability[:, None] + rng.normal(size=60) * 0.1 + rng.normal(size=(30, 60)) * 0.05
    bent = ability[:, None] * (2 - ability[:, None]) + rng.normal(size=60) * 0.1 + rng.normal(size=(30, 60)) * 0.05
    assert (step_down(off_the_curve(a, bent, 1), 0.95, drawn()).p < 0.05).sum() > 5
    tested = favour(a, bent, 0.95, drawn())
    assert tested.signs(0.95).any()
    assert not tested.signs(0.95, curved=True).any()


@given(judges(2, (1, 6), (6, 12)))
def test_a_judge_is_lenient_by_a_t_test_over_the_queries(scores):
    a, b = scores
    differences = (b - a).mean(axis=0)
    if np.ptp(differences) > 1e-9:
        assert close(mean_p(a, b), stats.ttest_1samp(differences, 0).pvalue, tolerance=1e-9)


def test_a_favoured_run_and_a_disfavoured_one_are_named_and_a_judge_that_compresses_favours_none():
    rng = np.random.default_rng(1)
    a = np.linspace(0.2, 0.7, 10)[:, None] + rng.normal(size=40) * 0.1 + rng.normal(size=(10, 40)) * 0.1
    compressed = 0.3 + 0.5 * a + rng.normal(size=a.shape) * 0.05
    assert not favour(a, compressed, 0.95, drawn()).signs(0.95).any()
    partial_judge = compressed + np.array([0, 0, 0.2, 0, 0, 0, -0.2, 0, 0, 0])[:, None]
    assert favour(a, partial_judge, 0.95, drawn()).signs(0.95)[[2, 6]].tolist() == [1, -1]
    without_slope = step_down((compressed - a) - (compressed - a).mean(axis=0), 0.95, drawn())
    assert (without_slope.p[[0, -1]] < 0.05).all()  # weak runs would seem favoured, strong ones disfavoured


# ---- 63 runs of TREC Deep Learning 2021 under the judgments of people and of language models


@cache
def judged(runs: Path, qrels: Path) -> np.ndarray:
    request = TrackRequest(inputs=(str(runs),), qrels=str(qrels), measures=("nDCG@10",))
    with keep_warnings():  # of a run whose ranks contradict its scores
        return load_track(request).scored[0].scores.values


SPLITS = {
    "umbrela-gpt-4o": (0.671, 1.10, 0.0395, 0.0104, 0.0202, 0.0001, 0.0002, 0.0086),
    "exam-gpt-4": (0.754, 0.72, 0.0744, 0.0342, 0.0256, 0.0010, 0.0009, 0.0126),
}
TAUS = {"umbrela-gpt-4o": (0.94, 0.93, 0.69, 0.93, 0.78), "exam-gpt-4": (0.85, 0.80, 0.59, 0.82, 0.69)}
CLASSES = {"umbrela-gpt-4o": (742, 0, 28, 71), "exam-gpt-4": (380, 0, 390, 15)}
FAVOURED = {"umbrela-gpt-4o": (0, 0), "exam-gpt-4": (3, 1)}  # and disfavoured


@pytest.mark.parametrize("judge", SPLITS)
def test_judges_of_a_real_track(shared, judge):
    """All figures were computed by another program.

    The pairs that are significant are those of the largest mean differences, so that the four classes follow from how
    many there are under each judge; this number alone has a Monte Carlo error, of a standard deviation of about 16.
    """
    folder = shared / "dl21-judges"
    a, b = (judged(folder / "runs", folder / "qrels" / f"{name}.txt") for name in ("human", judge))
    assert a.shape == (63, 53)
    split = tuple(map(round, vars(judge_split(a, b)).values(), (3, 2, *[4] * 6)))
    assert split == SPLITS[judge]
    errors = [moments(values, values.max(axis=0), values.max(axis=0).mean()) for values in (a, b)]
    assert tuple(round(tau, 2) for tau in ranking_taus(*errors)) == TAUS[judge]
    both, _, lost, gained = CLASSES[judge]
    significant = ((a, both + lost), (b, both + gained))
    assert pair_classes(*(signs_of_largest(*of) for of in significant))[:4] == CLASSES[judge]
    for values, number in significant:
        tested = significant_signs(values, 0.95, drawn(1000, Stream.STEP_DOWN))
        assert tested is not None
        assert abs(np.count_nonzero(tested) - number) < 50
    line = off_the_curve(a, b, 1)
    called = np.where(step_down(line, 0.95, drawn(1000)).p < 0.05, np.sign(line.mean(axis=1)), 0)
    assert (np.count_nonzero(called > 0), np.count_nonzero(called < 0)) == FAVOURED[judge]
    marks = favour(a, b, 0.95, drawn(1000)).signs(0.95)
    assert not (marks * called < 0).any()
    assert np.count_nonzero(marks) <= np.count_nonzero(called)


def signs_of_largest(values: np.ndarray, number: int) -> np.ndarray:
    """The signs of so many of the largest mean differences of all pairs, 0 of the others."""
    means, pairs = values.mean(axis=1), Pairs.of_all(len(values))
    delta = means[pairs.first] - means[pairs.second]
    return np.sign(delta) * (np.abs(delta) >= np.sort(np.abs(delta))[-number])
