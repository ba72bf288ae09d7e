"""Tests of systems of several runs: worked numbers, another calculation with scipy, and what must change nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples
from scipy import optimize, stats

from biasvar_cli.clusters import Clusters
from biasvar_cli.stats.paired import PairedRows
from biasvar_cli.stats.systems import Plan, SystemRows

A = (
    np.array([[62, 48, 30, 71, 55, 40, 66, 25], [58, 52, 35, 69, 50, 45, 70, 20], [65, 45, 28, 75, 58, 38, 62, 30]])
    / 100
)
B = np.array([[55, 44, 33, 60, 52, 35, 61, 22], [60, 50, 36, 66, 56, 41, 64, 27]]) / 100
C = np.array([[50, 41, 25, 58, 47, 33, 55, 18]]) / 100


def rows_of(*systems, clusters=None, paired=False, baseline=None):
    means = np.array([runs.mean(axis=0) for runs in systems])
    sizes = np.array([len(runs) for runs in systems])
    return SystemRows(PairedRows(means, baseline, clusters), np.concatenate(systems), sizes, paired)


# ---- worked by hand, on 8 queries


def test_three_systems():
    found = rows_of(A, B, C)
    assert found.of_systems == pytest.approx([0.00000625, 0.001128125, 0], rel=1e-9)
    assert found.delta == pytest.approx([0.0225, 0.09, 0.0675])
    assert found.parts.variance[0, 0] == pytest.approx(0.000156448, abs=5e-10)
    assert found.variance == pytest.approx([0.000847247, 0.000220387, 0.000591741], abs=5e-10)
    assert found.df == pytest.approx([2.17725, 5.23165, 1.10017], abs=5e-6)
    assert found.p == pytest.approx([0.514606, 0.00150221, 0.201501], rel=3e-6)
    assert found.half_width(0.95) == pytest.approx([0.115959, 0.0376587, 0.24991], rel=3e-6)


@pytest.mark.parametrize(
    ("systems", "variance", "half_width", "p"),
    [((A, C), 0.0000957341, 0.023549, 0.000137004), ((B, C), None, 0.297321, 0.215241)],
)
def test_few_runs_in_all_are_weighted_by_their_own_quantiles(systems, variance, half_width, p):
    found = rows_of(*systems)
    assert variance is None or found.variance == pytest.approx([variance], rel=1e-6)
    assert found.half_width(0.95) == pytest.approx([half_width], rel=3e-5)
    assert found.p == pytest.approx([p], rel=3e-6)


def test_queries_in_clusters():
    found = rows_of(A, B, C, clusters=Clusters.named("11223344"))
    assert found.variance[0] == pytest.approx(0.000697164, abs=5e-10)
    assert found.parts.variance[0, 0] == pytest.approx(0.00000636574, abs=5e-12)
    assert (found.df[0], found.p[0]) == pytest.approx((1.48995, 0.509052), abs=5e-6)


def test_runs_that_belong_together():
    found = rows_of(A[:2], B, paired=True)
    assert found.variance == pytest.approx([0.000664955], abs=5e-10)
    assert (found.p[0], found.half_width(0.95)[0]) == pytest.approx((0.540348, 0.264004), abs=5e-7)


def test_what_more_runs_and_queries_do():
    plan = rows_of(A, B).plan(0)
    assert plan.interaction == pytest.approx((0.00166905, 0.0000821400), abs=5e-9)
    assert plan.of_runs == pytest.approx((0, 0.00111786), abs=5e-9)
    assert plan.of_queries == pytest.approx(0.00065417, abs=5e-9)
    assert plan.share == pytest.approx(0.781306, abs=5e-7)
    variances = plan.variance(), plan.variance(sizes=(5, 5)), plan.variance(n=16)
    assert variances == pytest.approx((0.00071538, 0.00034912, 0.00063715), abs=5e-9)
    assert (plan.runs_needed(0.03, 0.95), plan.queries_needed(0.03, 0.95)) == (9, None)
    assert (plan.runs_needed(0.05, 0.95), plan.queries_needed(0.05, 0.95)) == (3, 14)


# ---- by scipy, pair by pair


def by_scipy(one, other, systems, clusters):
    """v, df, p and half a 95 % interval of one pair, from the formulas, with scipy's distributions and root finding."""
    d = one.mean(axis=0) - other.mean(axis=0)
    n = len(d)
    v_q, f = d.var(ddof=1) / n, n - 1
    if clusters is not None:
        c = clusters.n
        sums = [sum((d - d.mean())[clusters.of_query == number]) for number in range(c)]
        v_q, f = c / (c - 1) * sum(total**2 for total in sums) / n**2, c - 1
    several = [runs for runs in systems if len(runs) > 1]
    df_runs = sum(len(runs) - 1 for runs in several)
    spread = {id(runs): runs.mean(axis=1).var(ddof=1) for runs in several}
    pooled = sum((len(runs) - 1) * spread[id(runs)] for runs in several) / df_runs
    parts = [(v_q, f)]
    for runs in (one, other):
        if len(runs) > 1:
            own = max(spread[id(runs)], pooled) if len(runs) < 5 else spread[id(runs)]
            parts.append((own / len(runs), len(runs) - 1))
    v = sum(part for part, _ in parts)
    size = abs(d.mean())
    if df_runs <= 2 and len(parts) > 1:

        def quantile(p):
            return sum(part * stats.t.isf(p / 2, df) for part, df in parts)

        p = np.exp(optimize.brentq(lambda ln_p: quantile(np.exp(ln_p)) - size * v**0.5, -600, 0, xtol=1e-14))
        return v, None, p, quantile(0.05) / v**0.5
    df = v**2 / sum(part**2 / df for part, df in parts)
    return v, df, 2 * stats.t.sf(size / v**0.5, df), stats.t.isf(0.025, df) * v**0.5


@given(st.lists(st.integers(1, 6), min_size=2, max_size=4), st.integers(2, 12), st.booleans(), st.integers(0, 999))
@examples(25)
def test_every_pair_is_the_formula(sizes, n_queries, clustered, seed):
    rng = np.random.default_rng(seed)
    if sum(sizes) == len(sizes):
        sizes[0] = 2
    shift = rng.normal(0, 0.05, len(sizes))
    ease = rng.random(n_queries)
    systems = [
        0.5 * ease + 0.1 * rng.random((size, n_queries)) + rng.normal(0, 0.03, (size, 1)) + at
        for size, at in zip(sizes, shift, strict=True)
    ]
    clusters = Clusters.named([str(min(query // 2, 4)) for query in range(n_queries)]) if clustered else None
    if clusters is not None and clusters.n < 2:
        clusters = None
    found = rows_of(*systems, clusters=clusters)
    for pair, (first, second) in enumerate(zip(*found.rows.pairs, strict=True)):
        v, df, p, half_width = by_scipy(systems[first], systems[second], systems, clusters)
        assert found.variance[pair] == pytest.approx(v, rel=1e-9)
        assert df is None or found.df[pair] == pytest.approx(df, rel=1e-9)
        assert found.p[pair] == pytest.approx(p, rel=1e-6)
        assert found.half_width(0.95)[pair] == pytest.approx(half_width, rel=1e-6)


# ---- what must be so


def drawn(sizes, n_queries, seed):
    rng = np.random.default_rng(seed)
    ease = rng.random(n_queries)
    return [0.5 * ease + 0.3 * rng.random((size, n_queries)) + rng.normal(0, 0.05, (size, 1)) for size in sizes]


SIZES = st.lists(st.integers(1, 6), min_size=2, max_size=4)


@given(st.integers(2, 5), st.integers(2, 12), st.integers(0, 999))
@examples(15)
def test_systems_of_one_run_have_the_paired_t_test(n_systems, n_queries, seed):
    systems = drawn([1] * n_systems, n_queries, seed)
    found = rows_of(*systems)
    for pair, (first, second) in enumerate(zip(*found.rows.pairs, strict=True)):
        result = stats.ttest_rel(systems[first][0], systems[second][0])
        assert found.p[pair] == pytest.approx(result.pvalue, rel=1e-8)
        ends = result.confidence_interval(0.9)
        assert found.half_width(0.9)[pair] == pytest.approx((ends.high - ends.low) / 2)


@given(SIZES, st.integers(2, 12), st.booleans(), st.integers(0, 999))
@examples(15)
def test_equal_runs_leave_the_queries_alone(sizes, n_queries, paired, seed):
    single = drawn([1] * len(sizes), n_queries, seed)
    if paired:
        sizes = [max(sizes)] * len(sizes)
    found = rows_of(*(np.repeat(runs, size, axis=0) for runs, size in zip(single, sizes, strict=True)), paired=paired)
    alone = rows_of(*single)
    assert found.variance == pytest.approx(alone.variance)
    assert found.df == pytest.approx(alone.df)
    assert found.p == pytest.approx(alone.p, rel=1e-6)


@given(SIZES, st.integers(2, 12), st.integers(0, 999), st.randoms(use_true_random=False))
@examples(15)
def test_the_order_of_runs_changes_nothing(sizes, n_queries, seed, random):
    systems = drawn(sizes, n_queries, seed)
    shuffled = [runs[random.sample(range(len(runs)), len(runs))] for runs in systems]
    one, other = rows_of(*systems), rows_of(*shuffled)
    assert other.p == pytest.approx(one.p, rel=1e-6)
    assert other.half_width(0.95) == pytest.approx(one.half_width(0.95))
    assert [other.plan(pair).share for pair in range(len(one.p))] == pytest.approx(
        [one.plan(pair).share for pair in range(len(one.p))], nan_ok=True
    )


@given(st.integers(1, 6), st.integers(1, 6), st.integers(2, 12), st.booleans(), st.integers(0, 999))
@examples(15)
def test_swapping_both_systems_turns_the_difference(one, other, n_queries, paired, seed):
    a, b = drawn([one, one if paired else other], n_queries, seed)
    found, swapped = rows_of(a, b, paired=paired), rows_of(b, a, paired=paired)
    assert swapped.t == pytest.approx(-found.t)
    assert (swapped.p, swapped.df) == (pytest.approx(found.p), pytest.approx(found.df))
    assert swapped.plan(0).share == pytest.approx(found.plan(0).share, nan_ok=True)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("systems", [(A, B, C), (A, C), (B, C)])
def test_p_is_below_the_level_where_the_interval_leaves_0_out(systems, level):
    found = rows_of(*systems)
    left_out = np.abs(found.delta) > found.half_width(level)
    assert (left_out == (found.p < 1 - level)).all()


def test_what_does_not_vary():
    flat = np.full((2, 4), 0.5)
    same, apart = rows_of(flat, flat), rows_of(flat, flat + 0.1)
    assert (same.p[0], same.t[0], same.df[0]) == (1, 0, 3)
    assert (apart.p[0], abs(apart.t[0])) == (0, np.inf)
    assert np.isnan(same.plan(0).share)
    assert isinstance(apart.plan(0), Plan)
