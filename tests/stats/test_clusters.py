"""Queries in clusters: sums, terms, weights and every test of pairs that knows them."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import PairedRows
from biasvar_cli.stats.resampling import resample_weights, studentised
from biasvar_cli.stats.significance import TESTS
from biasvar_cli.stats.step_down import differs_from, mapped_p, step_down, step_down_of_pairs
from biasvar_cli.stats.variance import leave_one_out_mean, leave_one_out_variance

CLUSTERED = [name for name, test in TESTS.items() if test.clustered]
DRAWS = Draws(199, partial(generator, Stream.STEP_DOWN, 0))


@st.composite
def rows_in_clusters(draw, n_rows=3, least=2, most=8):
    """Rows of scores, and the name of the cluster of each query; every cluster has a query."""
    n_clusters = draw(st.integers(least, most))
    names = draw(st.permutations([*range(n_clusters), *draw(st.lists(st.integers(0, n_clusters - 1), max_size=10))]))
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).random((n_rows, len(names))), list(map(str, names))


def by_formula(z, names):
    """The mean, and the cluster-robust variance as it is written: C/(C-1) sum_c (sum (z - mean))^2 / n^2."""
    mean, labels = z.mean(), sorted(set(names))
    sums = [sum(z[at] - mean for at, name in enumerate(names) if name == label) for label in labels]
    return mean, len(labels) / (len(labels) - 1) * sum(total**2 for total in sums) / len(z) ** 2


@given(rows_in_clusters())
def test_t_is_that_of_the_formula(track):
    values, names = track
    clusters = Clusters.named(names)
    student = PairedRows(values, 0, clusters).moments.student
    for other in (1, 2):
        mean, variance = by_formula(values[0] - values[other], names)
        assert student.mean[other - 1] == pytest.approx(mean)
        assert student.sd[other - 1] ** 2 / clusters.n == pytest.approx(variance)
        assert student.t[other - 1] == pytest.approx(mean / np.sqrt(variance))
    assert student.df == clusters.n - 1


@given(rows_in_clusters())
def test_the_terms_of_a_difference_are_the_difference_of_the_terms(track):
    values, names = track
    clusters = Clusters.named(names)
    assert clusters.terms(values[0] - values[1]) == pytest.approx(clusters.terms(values)[0] - clusters.terms(values)[1])
    assert clusters.terms(values).mean(axis=1) == pytest.approx(values.mean(axis=1))


def test_the_variance_is_that_of_all_resamples_of_clusters():
    """All 4^4 resamples of four clusters of two queries: their means vary by (C - 1) / C of the unbiased variance."""
    z, names = np.array([0.3, 0.1, -0.2, 0.4, 0.0, 0.5, 0.1, 0.2]), list("aabbccdd")
    means = [np.mean([z[2 * cluster : 2 * cluster + 2] for cluster in drawn]) for drawn in product(range(4), repeat=4)]
    assert np.var(means) == pytest.approx(3 / 4 * by_formula(z, names)[1])


@given(rows_in_clusters(), st.integers(0, 99))
def test_a_resample_has_the_ratio_of_the_sums_of_the_clusters_that_were_drawn(track, seed):
    values, names = track
    clusters = Clusters.named(names)
    weights = next(resample_weights(clusters, 5, np.random.default_rng(seed)))
    counts = next(resample_weights(clusters.n, 5, np.random.default_rng(seed))) * clusters.n
    members = [np.flatnonzero(clusters.of_query == cluster) for cluster in range(clusters.n)]
    for row, count in zip(weights, counts.round().astype(int), strict=True):
        queries = np.concatenate([members[cluster] for cluster in range(clusters.n) for _ in range(count[cluster])])
        assert values @ row == pytest.approx(values[:, queries].mean(axis=1))


@pytest.mark.parametrize("test", CLUSTERED)
@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_each_query_its_own_cluster_changes_no_digit(test, seed):
    values = np.random.default_rng(seed).random((3, 9))
    clusters = Clusters.named(list("ihgfedcba"))
    for baseline in (None, 1) if TESTS[test].family != "all" else (None,):
        rows = (PairedRows(values, baseline, known) for known in (None, clusters))
        alone, clustered = (TESTS[test](each, n_samples=199) for each in rows)
        assert alone.p.tobytes() == clustered.p.tobytes()
        assert repr(alone.critical) == repr(clustered.critical)


@pytest.mark.parametrize("test", CLUSTERED)
@settings(max_examples=10)
@given(rows_in_clusters(least=6), st.randoms(use_true_random=False))
def test_names_of_clusters_and_the_order_of_their_queries_do_not_matter(test, track, random):
    values, names = track
    clusters = Clusters.named(names)
    order = np.arange(len(names))
    for cluster in range(clusters.n):
        places = np.flatnonzero(clusters.of_query == cluster)
        order[places] = random.sample(places.tolist(), len(places))
    renamed = Clusters.named([f"x{name}" for name in names])
    one = TESTS[test](PairedRows(values, None, clusters), n_samples=199)
    other = TESTS[test](PairedRows(values[:, order], None, renamed), n_samples=199)
    assert one.p == pytest.approx(other.p, abs=0.02)  # a resample may tie but for rounding


@pytest.mark.parametrize("test", CLUSTERED)
@pytest.mark.parametrize("copies", [2, 3])
@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_copies_of_a_query_in_one_cluster_tell_nothing_more(test, copies, seed):
    values = np.random.default_rng(seed).random((3, 8))
    clusters = Clusters.named(np.repeat(list("abcdefgh"), copies).tolist())
    once = TESTS[test](PairedRows(values), n_samples=199)
    copied = TESTS[test](PairedRows(np.repeat(values, copies, axis=1), None, clusters), n_samples=199)
    assert copied.p == pytest.approx(once.p, abs=0.02)
    assert (copied.critical is None) == (once.critical is None)


def test_all_signs_of_clusters_are_taken():
    """The sums .5, .3 and -.1 make .7; of the eight signs ++ and either one reach it, and so do their reverses."""
    rows = PairedRows(np.array([[0.2, 0.3, 0.3, -0.1], [0.0] * 4]), None, Clusters.named(list("aabc")))
    assert TESTS["randomisation"](rows, n_samples=1000).p.tolist() == [0.5]


def test_a_pair_is_tested_by_the_studentised_bootstrap_over_clusters_with_ratios():
    """The same draws, each worked out by itself: a mean is a ratio, its error that of the residuals of the clusters."""
    rng = np.random.default_rng(3)
    names = list("aabbbcddddeefghhh")
    z = rng.normal(0.1, 0.3, len(names)).round(2)
    clusters = Clusters.named(names)
    members = [np.flatnonzero(clusters.of_query == cluster) for cluster in range(clusters.n)]

    def t(queries):
        mean = z[np.concatenate(queries)].mean()
        sums = [(z[some] - mean).sum() for some in queries]
        error = np.sqrt(clusters.n / (clusters.n - 1) * np.square(sums).sum()) / len(np.concatenate(queries))
        return (mean - z.mean()) / error, z.mean() / error

    draws = DRAWS._replace(n_samples=200)
    shares = np.concatenate(list(draws.blocks(lambda rng, size: next(resample_weights(clusters.n, size, rng)))))
    observed = abs(t(members)[1])
    drawn = [np.repeat(np.arange(clusters.n), np.rint(share * clusters.n).astype(int)) for share in shares]
    resampled = [abs(t([members[cluster] for cluster in some])[0]) for some in drawn]
    expected = (1 + np.sum(np.array(resampled) >= observed * (1 - 1e-9))) / 201
    assert step_down(z[None], 0.95, draws, clusters=clusters).p.tolist() == [expected]
    stream = Draws(200, partial(generator, Stream.STEP_DOWN, 0))
    paired = PairedRows(np.array([z, np.zeros(len(z))]), None, clusters)
    assert studentised(paired, stream).p.tolist() == [expected]


def test_the_step_down_maps_with_the_number_of_clusters():
    rng = np.random.default_rng(5)
    names = [str(cluster) for cluster in range(8) for _ in range(cluster % 3 + 1)]
    rows, clusters = rng.normal(0.2, 0.4, (3, len(names))), Clusters.named(names)
    weights = np.concatenate(list(DRAWS.blocks(lambda rng, size: next(resample_weights(clusters, size, rng)))))
    moved = np.abs(rows @ weights.T - rows.mean(axis=1)[:, None])
    order = np.argsort(-np.abs(rows.mean(axis=1)))
    raw = [(1 + np.sum(moved[order[at:]].max(axis=0) >= abs(rows[order[at]].mean()) - 1e-12)) / 200 for at in range(3)]
    expected = mapped_p(np.maximum.accumulate(raw), 8)
    assert step_down(rows, 0.95, DRAWS, clusters=clusters).p[order] == pytest.approx(expected)


@given(rows_in_clusters(n_rows=4, least=6, most=12))
def test_marks_without_p_are_those_of_p(track):
    values, names = track
    clusters = Clusters.named(names)
    p = step_down_of_pairs(values, 0.7, DRAWS, clusters=clusters).p
    assert differs_from(values, 0, 0.7, DRAWS, clusters)[1:].tolist() == (p[:3] < 0.3 - 1e-12).tolist()


def test_fewer_than_six_clusters_are_not_tested():
    rows = np.random.default_rng(0).normal(1, 0.1, (2, 20))
    clusters = Clusters.named([str(at % 5) for at in range(20)])
    assert clusters.are_few
    assert not units_of(5, None).are_few  # single queries have rules of their own
    tested = step_down_of_pairs(rows, 0.95, DRAWS, clusters=clusters)
    assert tested.method == "none"
    assert np.isnan(tested.p).all()


@given(rows_in_clusters())
def test_what_is_left_without_each_cluster(track):
    values, names = track
    clusters = Clusters.named(names)
    kept = [np.array([name != left_out for name in names]) for left_out in dict.fromkeys(names)]
    variances = np.array([values[:, some].var(axis=1, ddof=0) for some in kept]).T
    means = np.array([values[:, some].mean(axis=1) for some in kept]).T
    assert leave_one_out_variance(values, clusters) == pytest.approx(variances)
    assert leave_one_out_mean(values, clusters) == pytest.approx(means)
