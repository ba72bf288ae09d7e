"""How far two judges spread the true means of the runs: worked numbers, definitions, swapping, a real track."""

from __future__ import annotations

from functools import partial
from itertools import permutations

import conftest
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_judge_differences import judged, judges

from biasvar_cli.clusters import Clusters
from biasvar_cli.decomposition.spread import spread, true_slope

close = partial(conftest.close, tolerance=1e-11, relative=1e-8)
A = np.array(
    [
        [0.9, 0.8, 0.7, 0.9, 0.6, 0.8, 0.9, 0.7],
        [0.7, 0.6, 0.6, 0.8, 0.4, 0.5, 0.8, 0.6],
        [0.4, 0.5, 0.3, 0.6, 0.2, 0.4, 0.5, 0.3],
        [0.3, 0.2, 0.1, 0.4, 0.2, 0.1, 0.3, 0.2],
    ]
)
B = np.array(
    [
        [0.8, 0.8, 0.7, 0.9, 0.7, 0.8, 0.8, 0.7],
        [0.8, 0.6, 0.7, 0.8, 0.6, 0.6, 0.8, 0.7],
        [0.6, 0.7, 0.5, 0.7, 0.5, 0.6, 0.6, 0.5],
        [0.6, 0.4, 0.4, 0.6, 0.5, 0.4, 0.5, 0.5],
    ]
)


def numbers(a, b, clusters=None):
    found = spread(a, b, clusters)
    return [*found.variances, *found[1:]]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((A, B), [0.060714, 0.015476, -9.072655, 0.000040, 0.504878, 0.444912, 0.561258]),
        ((B, A), [0.015476, 0.060714, 9.072655, 0.000040, 1.980676, 1.781713, 2.247637]),
    ],
)
def test_worked_example(scores, expected):
    assert close(numbers(*scores), expected, tolerance=6e-7)


def test_worked_example_of_clusters():
    found = spread(A, B, Clusters.named("aabccdef"))
    assert close([*found.variances, found.t], [0.061442, 0.015833, -7.298291], tolerance=6e-7)


def by_definition(values: np.ndarray) -> float:
    """The mean over pairs of different queries of the products of their deviations, summed over the runs."""
    a, n = values - values.mean(axis=0), values.shape[1]
    return sum(a[:, one] @ a[:, two] for one, two in permutations(range(n), 2)) / (n * (n - 1) * (len(a) - 1))


@given(judges(2, (2, 5), (6, 9)))
def test_variances_and_their_jackknife_are_those_of_the_definition(scores):
    a, b = scores
    n = a.shape[1]
    found = spread(a, b)
    of_a, of_b = by_definition(a), by_definition(b)
    assert close(found.variances, (of_a, of_b))
    without = [np.delete(np.arange(n), query) for query in range(n)]
    pseudo = np.array(
        [
            [n * whole - (n - 1) * by_definition(values[:, rest]) for rest in without]
            for whole, values in ((of_a, a), (of_b, b))
        ]
    )
    differences = pseudo[1] - pseudo[0]
    if np.ptp(differences) > 1e-6:
        assert close(found.p, stats.ttest_1samp(differences, 0).pvalue, tolerance=1e-6)
    if not np.isnan(found.ratio) and found.low > 0:  # at its ends the ratio of the variances is not rejected, just so
        for end in (found.low, found.high):
            moved = pseudo[1] - end**2 * pseudo[0]
            if np.ptp(moved) > 1e-6:
                assert close(stats.ttest_1samp(moved, 0).pvalue, 0.05, tolerance=1e-5)


@given(judges(2, (2, 5), (2, 9)))
def test_the_slope_of_true_means_is_of_products_of_different_queries(scores):
    a, b = (values - values.mean(axis=0) for values in scores)
    pairs = [*permutations(range(a.shape[1]), 2)]
    product, square = (sum(a[:, one] @ of[:, two] for one, two in pairs) for of in (b, a))
    expected = product / square if square > 1e-9 * np.abs(scores[0]).max() ** 2 else 1.0
    if abs(square) > 1e-6:
        assert close(true_slope(*scores), expected)


@given(judges(2, (2, 6), (6, 12)))
def test_swapping_the_judges_takes_the_reciprocal(scores):
    one, other = spread(*scores), spread(*scores[::-1])
    assert close(one.t, -other.t) or abs(one.t) > 1e6
    assert close(one.p, other.p)
    if one.low > 1e-3 and other.low > 1e-3:
        assert close([one.ratio, one.low, one.high], [1 / other.ratio, 1 / other.high, 1 / other.low], relative=1e-6)


@given(judges(1, (2, 6), (6, 12)), st.sampled_from((0.5, 2.0, -3.0)), st.sampled_from((0.0, 0.3)))
def test_a_judge_whose_scores_are_a_multiple_spreads_the_runs_by_its_size(scores, factor, shift):
    (a,) = scores
    found = spread(a, factor * a + shift)
    if not np.isnan(found.ratio):
        assert close([found.ratio, found.low, found.high], [abs(factor)] * 3, relative=1e-6)


@given(judges(1, (2, 6), (6, 12)), st.sampled_from((0.0, 0.3)))
def test_a_judge_that_is_lenient_alone_spreads_the_runs_as_far(scores, shift):
    found = spread(scores[0], scores[0] + shift)
    assert (found.t, found.p) == (0, 1)


def test_exchangeable_judges_are_not_both_called_less():
    """Six equal runs: the slope of each on the other would be near 0."""
    a, b = np.random.default_rng(0).normal(size=(2, 6, 50))
    assert spread(a, b).p > 0.05
    assert np.isnan(spread(a, b).ratio)


@pytest.mark.parametrize("shape", [(1, 8), (4, 5)])
def test_one_run_and_few_queries_are_not_tested(shape):
    a, b = np.random.default_rng(0).random((2, *shape))
    assert np.isnan(spread(a, b)[1:]).all()


OF_DL_2021 = {  # V under the judge, ratio, low, high
    "umbrela-gpt-4o": (0.0154069, 1.10941, 1.04141, 1.18609),
    "umbrela-gpt-4": (None, 1.0558, 0.987693, 1.13439),
    "binary-gpt-4": (None, 1.00527, 0.915318, 1.0985),
    "exam-gpt-4": (None, 0.760938, 0.656771, 0.858103),
    "umbrela-llama3.2-pass1": (None, 0.480862, 0.399365, 0.558598),
}
TESTED = {  # t or p
    "umbrela-gpt-4o": {"t": 3.26467, "p": 0.00194},
    "umbrela-gpt-4": {"p": 0.108956},
    "binary-gpt-4": {"p": 0.906715},
    "exam-gpt-4": {"t": -4.67012},
    "umbrela-llama3.2-pass1": {"t": -8.40211},
}


@pytest.mark.parametrize("judge", OF_DL_2021)
def test_63_runs_of_trec_deep_learning_2021(shared, judge):
    """The numbers are those of a program of its own."""
    folder = shared / "dl21-judges"
    a, b = (judged(folder / "runs", folder / "qrels" / f"{name}.txt") for name in ("human", judge))
    found = spread(a, b)
    of_judge, *ratio = OF_DL_2021[judge]
    assert round(found.variances[0], 7) == 0.0125179
    assert of_judge is None or round(found.variances[1], 7) == of_judge
    assert close(found[3:], ratio, tolerance=6e-6, relative=0)
    for name, value in TESTED[judge].items():
        assert close(getattr(found, name), value, tolerance=6e-6, relative=0)


def test_three_passes_of_a_model_on_the_same_track(shared):
    folder = shared / "dl21-judges"
    a = judged(folder / "runs", folder / "qrels" / "human.txt")
    names = [f"umbrela-llama3.2-pass{number}.txt" for number in (1, 2, 3)]
    passes = np.mean([judged(folder / "runs", folder / "qrels" / name) for name in names], axis=0)
    assert close(spread(a, passes)[3:], [0.499231, 0.435001, 0.563447], tolerance=6e-7, relative=0)
