"""Query samples: the worked example of CIKM'14's forms by hand, all partitions enumerated, and the exact identities."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from conftest import aimed, matrix_of, score_arrays
from hypothesis import assume, given
from hypothesis import strategies as st

from biasvar_cli.decomposition import Design
from biasvar_cli.decomposition.decompose import TargetedScores, best_of_runs, decompose, mean_target, run_target
from biasvar_cli.decomposition.generalised import (
    Partition,
    by_difficulty,
    expected_over_random,
    generalise,
    listed_groups,
    normalise,
    random_orders,
    single_queries,
    subset_sizes,
    tradeoff_rows,
    weighted_variance,
)
from biasvar_cli.errors import DataError

F = [0.10, 0.20, 0.30, 0.40, 0.60]
G = [0.05, 0.30, 0.20, 0.50, 0.45]
RUNS = matrix_of([F, G, np.maximum(F, G)])  # f, g and the virtual target as a run
TARGET = best_of_runs(RUNS)
BY_TWO = Partition.of(by_difficulty(RUNS.values), [2, 2, 1])

SCORES = score_arrays((2, 5), (1, 12), st.floats(0, 1, width=16))


def test_worked_example_of_the_difficulty_partition():
    result = generalise(RUNS, TARGET, [BY_TWO])
    assert result.bias == pytest.approx([0.04, 0.06, 0])
    assert result.bias2 == pytest.approx([0.0016, 0.0036, 0])
    assert result.var == pytest.approx([0.0276, 0.01175, 0.0224])
    assert result.total == pytest.approx([0.0292, 0.01535, 0.0224])
    single = decompose(RUNS, TARGET)
    assert single.var == pytest.approx([0.0296, 0.0270, 0.0304])
    assert result.var / single.var == pytest.approx([0.932432, 0.435185, 0.736842], abs=5e-7)


def test_worked_example_with_equal_weights_in_which_the_target_has_a_bias():
    result = generalise(RUNS, TARGET, [Partition.of(by_difficulty(RUNS.values), [2, 2, 1], "equal")])
    assert result.bias == pytest.approx([-0.006667, 0.035, -0.04], abs=5e-7)
    assert result.bias2 == pytest.approx([0.000044, 0.001225, 0.0016], abs=5e-7)
    assert result.var == pytest.approx([0.033889, 0.012917, 0.026667], abs=5e-7)


def test_worked_example_of_the_normalised_form():
    result = normalise(RUNS, TARGET, BY_TWO)
    assert result.bias2 == pytest.approx([0.0225, 0.0225, 0])
    assert result.var == pytest.approx([0.00875, 0.0025, 0])
    assert result.total == pytest.approx([0.03125, 0.025, 0])
    single = normalise(RUNS, TARGET, single_queries(5))
    assert 1 - single.bias == pytest.approx([0.893333, 0.783333, 1], abs=5e-7)
    assert single.bias2 == pytest.approx([0.011378, 0.046944, 0], abs=5e-7)
    assert single.var == pytest.approx([0.018844, 0.037778, 0], abs=5e-7)


@pytest.mark.parametrize("weights", ["size", "equal"])
@pytest.mark.parametrize("sizes", [[1, 1], [2, 1], [2, 2], [2, 2, 1], [3, 2], [4, 2], [2, 2, 2], [3, 2, 1], [6]])
def test_expectation_is_the_mean_over_all_partitions(sizes, weights):
    """Every order of up to six queries, in the score form and in the gap form, with a bias that varies and without."""
    n = sum(sizes)
    runs, target = aimed(np.random.default_rng(n).random((3, n)) ** 2)
    orders = [np.array(order) for order in itertools.permutations(range(n))]
    every = generalise(runs, target, [Partition.of(order, sizes, weights) for order in orders])
    single = decompose(runs, target)
    partition = Partition.of(np.arange(n), sizes, weights)
    expected = expected_over_random(single, n, partition)
    for name in ("bias", "bias2", "var", "var_gap"):
        assert getattr(expected, name) == pytest.approx(getattr(every, name), abs=1e-12), name


@given(SCORES, st.integers(1, 12), st.sampled_from(["last", "balanced", "merge"]), st.data())
def test_bias_is_kept_and_variance_splits_in_any_partition(values, size, remainder, data):
    """Weights by size: the bias is that of single queries, and Var = Var between + Var within."""
    runs, target = aimed(values)
    n = runs.n_queries
    order = np.array(data.draw(st.permutations(range(n))))
    partition = Partition.of(order, subset_sizes(n, size, remainder))
    result, single = generalise(runs, target, [partition]), decompose(runs, target)
    within = partition.weights @ [values[:, queries].var(axis=1) for queries in _subsets(partition)]
    assert result.bias == pytest.approx(single.bias, abs=1e-12)
    assert result.var + within == pytest.approx(single.var, abs=1e-12)
    assert (result.var >= 0).all()


def _subsets(partition):
    return np.split(partition.order, np.cumsum(partition.sizes)[:-1])


@given(SCORES)
def test_subsets_of_one_are_single_queries_and_one_subset_has_no_variance(values):
    runs, target = aimed(values)
    n = runs.n_queries
    single = decompose(runs, target)
    ones = generalise(runs, target, [Partition.of(by_difficulty(runs.values), np.ones(n, dtype=int))])
    whole = generalise(runs, target, [Partition.of(np.arange(n), [n])])
    assert ones.var == pytest.approx(single.var, abs=1e-12)
    assert ones.var_gap == pytest.approx(single.var_gap, abs=1e-12)
    assert whole.var.tolist() == whole.var_gap.tolist() == [0.0] * runs.n_runs


@given(SCORES, st.integers(1, 12))
def test_normalised_error_is_the_squared_distance_from_one(values, size):
    """E (Y - 1)^2 = Bias^2 + Var over the subsets whose target is not 0."""
    runs, target = aimed(values)
    partition = Partition.of(by_difficulty(runs.values), subset_sizes(runs.n_queries, size))
    result = normalise(runs, target, partition)
    ceiling = np.array([target.scores[q].mean() for q in _subsets(partition)])
    keep = ceiling > 0
    assert (result is None) == (not keep.any())
    assume(result is not None)
    means = np.array([[row[q].mean() for q in _subsets(partition)] for row in values])
    ratio, weights = means[:, keep] / ceiling[keep], partition.weights[keep] / partition.weights[keep].sum()
    assert result.total == pytest.approx(((ratio - 1) ** 2) @ weights, abs=1e-12)
    assert result.n_dropped == int((~keep).sum())
    assert (ratio <= 1 + 1e-12).all()


def test_a_share_of_the_target_is_a_bias_alone_in_the_normalised_form():
    runs, target = aimed([TARGET.scores, 0.6 * TARGET.scores])
    result = normalise(runs, target, single_queries(5))
    assert (result.bias, result.var) == (pytest.approx([0, 0.4]), pytest.approx([0, 0], abs=1e-12))


@given(SCORES)
def test_rank_correlations_are_those_of_mean_and_variance_whatever_the_target(values):
    """Bias^2 falls strictly with the mean while no run beats the target, so ranks do not know the target."""
    runs = matrix_of(values)
    all_targeted = [TargetedScores(runs, runs, target) for target in (best_of_runs(runs), mean_target(1.5))]
    for best, other in zip(*(tradeoff_rows(targeted, Design()) for targeted in all_targeted), strict=True):
        if (
            best.form == "score"
            and not best.sampling.normalised
            and best.correlations.spearman == best.correlations.spearman
        ):
            assert best.correlations.spearman == pytest.approx(other.correlations.spearman, abs=1e-9)
            assert best.correlations.kendall == pytest.approx(other.correlations.kendall, abs=1e-9)


def test_target_of_zero_is_dropped_counted_set_to_one_or_an_error():
    runs, target = aimed([[0.0, 0.2, 0.4], [0.0, 0.4, 0.2]])
    single = single_queries(3)
    dropped = normalise(runs, target, single)
    assert (dropped.n_subsets, dropped.n_dropped) == (2, 1)
    assert 1 - dropped.bias == pytest.approx([0.75, 0.75])
    one = normalise(runs, target, single, zero_target="one")
    assert (one.n_subsets, one.n_dropped) == (3, 0)
    assert 1 - one.bias == pytest.approx([2.5 / 3, 2.5 / 3])
    with pytest.raises(DataError, match="the target is 0 on query q0, by which no run can be divided"):
        normalise(runs, target, single, zero_target="error")


def test_a_run_above_a_target_of_zero_is_never_divided_by_it():
    runs = matrix_of([[0.0, 0.2], [0.3, 0.4]])
    result = normalise(runs, run_target(runs, "r0"), single_queries(2), zero_target="one")
    assert (result.n_subsets, result.n_dropped) == (1, 1)
    assert 1 - result.bias == pytest.approx([1, 2])


def test_normalised_form_needs_a_positive_target_per_query():
    runs = matrix_of([[-1.0, -0.5], [-0.2, -0.1]])
    assert normalise(runs, best_of_runs(runs), single_queries(2)) is None
    assert normalise(runs, mean_target(0.5), single_queries(2)) is None
    nothing = matrix_of([[0.0, 0.0]] * 2)
    assert normalise(nothing, best_of_runs(nothing), single_queries(2)) is None


def test_maxmin_takes_the_least_of_the_pool_from_both():
    runs = matrix_of([[0.2, 0.5], [0.4, 0.1], [0.3, 0.3]])
    result = normalise(runs, best_of_runs(runs), single_queries(2), by="maxmin")
    assert 1 - result.bias == pytest.approx([0.5, 0.5, 0.5])
    assert result.var == pytest.approx([0.25, 0.25, 0])
    pool = matrix_of([[0.2, 0.5], [0.4, 0.1], [0.3, 0.3], [0.0, 0.0]])
    against = normalise(runs, best_of_runs(runs), single_queries(2), by="maxmin", pool=pool)
    assert 1 - against.bias == pytest.approx([0.75, 0.6, 0.675])


def test_difficulty_keeps_the_order_of_tied_queries():
    runs = matrix_of([[0.5, 0.1 + 0.2, 0.3, 0.1], [0.2, 0.1, 0.3, 0.1]])
    assert by_difficulty(runs.values).tolist() == [3, 1, 2, 0]
    assert by_difficulty(runs.values, "mean").tolist() == [3, 1, 2, 0]


@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from(["last", "balanced", "merge"]))
def test_subset_sizes_cover_every_query(n_queries, size, remainder):
    sizes = subset_sizes(n_queries, size, remainder)
    assert sum(sizes) == n_queries
    assert min(sizes) > 0
    if remainder == "balanced":
        assert max(sizes) - min(sizes) <= 1
    if remainder == "last":
        assert set(sizes[:-1]) <= {size}
    if size > n_queries:
        assert sizes == [n_queries]


def test_random_orders_depend_on_seed_and_size_alone():
    first = [order.tolist() for order in random_orders(20, 5, 3, seed=7)]
    assert first == [order.tolist() for order in random_orders(20, 5, 3, seed=7)]
    assert first[0] == random_orders(20, 5, 1, seed=7)[0].tolist()
    assert first != [order.tolist() for order in random_orders(20, 5, 3, seed=8)]


def test_groups_have_to_hold_every_query():
    with pytest.raises(DataError, match=r"g\.csv: no group for 1 query: 2; it has a group for 3, which is not eval"):
        listed_groups({"1": "a", "3": "b"}, ("1", "2"), "g.csv")


def test_weighted_variance_is_exactly_zero_for_a_constant():
    assert weighted_variance(np.full((2, 3), 0.1), np.array([0.5, 0.25, 0.25])).tolist() == [0.0, 0.0]


def test_subset_larger_than_the_topic_set_is_refused():
    with pytest.raises(DataError, match="subset_size=60 is more than there are: 50 queries"):
        Design(subset_size=(10, 60)).sizes(50)


@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_a_subset_of_zeros_is_dropped_wherever_its_queries_stand(size, seed):
    """The means of a subset of zeros are exactly 0, whatever the scores of the queries before them."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([np.zeros((4, size)), rng.random((4, 3 * size))], axis=1)
    order = rng.permutation(4 * size)
    plain, shuffled = matrix_of(values), matrix_of(values[:, order])
    found = []
    for runs in (plain, shuffled):
        partition = Partition.of(by_difficulty(runs.values), subset_sizes(runs.n_queries, size))
        found.append(normalise(runs, best_of_runs(runs), partition))
    assert [each.n_dropped for each in found] == [1, 1]
    assert found[0].bias2 == pytest.approx(found[1].bias2, abs=1e-12)
    assert found[0].var == pytest.approx(found[1].var, abs=1e-12)
