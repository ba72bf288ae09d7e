"""The null models, and statistics on batches of samples, which equal those on single matrices."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from conftest import matrix_of, real_matrix
from hypothesis import example, given, reject
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mutations import examples
from scipy import special, stats

from biasvar_cli.decomposition.decompose import best_of_runs, decompose
from biasvar_cli.decomposition.generalised import (
    Partition,
    by_difficulty,
    generalise,
    normalise,
    single_queries,
    subset_sizes,
)
from biasvar_cli.decomposition.samples import decompose_samples, generalise_samples, normalise_samples
from biasvar_cli.errors import DataError
from biasvar_cli.nulls import (
    DECIDING,
    EMPIRICAL,
    NULLS,
    CorrelatedScores,
    ShuffledScores,
    cross_fitted,
    dispersion_ratios,
)
from biasvar_cli.nulls.laws import PROBABILITIES, BetaLaw, beta_quantiles
from biasvar_cli.nulls.statistic import Stability, cross_half, least_extreme, mean_and_variance, stability
from biasvar_cli.nulls.surface import fit_surface, newton_step, rasch_parameters, rasch_precision
from biasvar_cli.nulls.verdicts import together, undecided, verdict
from biasvar_cli.stats import correlation
from biasvar_cli.stats.correlation import pearson
from biasvar_cli.stats.monte_carlo import (
    Simulated,
    Stream,
    Tails,
    generator,
    middle,
    over_blocks,
    summarise,
    tails,
    upper_p,
)

pytestmark = pytest.mark.anew

WORKED = {  # by an implementation written apart from ours, 4000 samples: median, ends of the 95 %, p of the upper tail
    "trec5-adhoc-ap": {
        "common": (-0.936, -0.967, -0.859, 0.055),
        "by-query": (-0.918, -0.957, -0.819, 0.159),
        "empirical": (-0.934, -0.964, -0.869, 0.042),
    },
    "web2011-err20": {
        "common": (-0.891, -0.950, -0.758, 0.031),
        "by-query": (-0.884, -0.945, -0.756, 0.036),
        "empirical": (-0.877, -0.941, -0.744, 0.047),
    },
    "trec3-adhoc-ap": {
        "common": (-0.935, -0.965, -0.879, 0.006),
        "by-query": (-0.934, -0.963, -0.877, 0.012),
        "empirical": (-0.937, -0.964, -0.889, 0.004),
    },
}
PRECISIONS = {"trec5-adhoc-ap": 7.8115, "web2011-err20": 12.6019, "trec3-adhoc-ap": 16.0529}
UNIT = st.integers(0, 20).map(lambda value: value / 20)
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 6), st.integers(1, 9))
SAMPLES = SHAPES.flatmap(lambda shape: arrays(float, shape, elements=UNIT))


def correlations_of(samples: np.ndarray) -> np.ndarray:
    """Pearson under (a), (c), (d) and gap, for every sample: (B, R, n) gives (B, 4)."""
    target = samples.max(axis=1)
    order, sizes = by_difficulty(samples), np.array(subset_sizes(samples.shape[2], 10))
    single = decompose_samples(samples, target)
    others = generalise_samples(samples, target, [order], sizes), normalise_samples(samples, target, order, sizes)
    found = [pearson(each.bias2, each.var) for each in (single, *others)]
    return np.stack([*found, pearson(single.bias2, single.var_gap)], axis=1)


@pytest.mark.parametrize("name", WORKED)
def test_the_worked_figures_of_the_three_models(shared, name):
    """Medians and ends of 1000 samples differ from seed to seed by about .003 and .008, p by .01 where it is .1."""
    values = real_matrix(shared, name).values
    surface = fit_surface(values)
    assert rasch_precision(values, *rasch_parameters(values)) == pytest.approx(PRECISIONS[name], abs=5e-5)
    observed = correlations_of(values[None])[0, 0]
    for model in DECIDING:
        draw = model.fit(surface).draw
        drawn = over_blocks(draw, correlations_of, 1000, partial(generator, Stream.NULL, 0), size=500)[:, 0]
        median, low, high, p = WORKED[name][model.name]
        found = tails(observed, drawn)
        assert found.median == pytest.approx(median, abs=0.005), model.name
        assert found.low == pytest.approx(low, abs=0.008), model.name
        assert found.high == pytest.approx(high, abs=0.018), model.name
        assert found.p_upper == pytest.approx(p, abs=0.008 + 0.15 * p), model.name


def test_of_several_models_the_least_extreme_stability_counts():
    calm, wild = (
        Stability(np.array(z), spread, Simulated(1, 0.8, 1.2, p, 9, 0), trend, Simulated(0, -0.5, 0.5, 1 - p, 9, 0))
        for z, spread, p, trend in (([0.5, -2.0, np.nan], 1.1, 0.3, -0.4), ([-0.4, 1.0, np.nan], 1.6, 0.01, 0.1))
    )
    found = least_extreme([wild, calm])
    assert found.z.tolist() == pytest.approx([-0.4, 1.0, np.nan], nan_ok=True)
    assert (found.spread, found.spread_null.p, found.trend, found.trend_null.p) == (1.1, 0.3, 0.1, 0.99)


def test_cross_half_is_the_mean_over_splits_both_ways():
    values = np.random.default_rng(1).random((6, 7))
    found = cross_half(values, np.random.default_rng(2), 5)
    orders = np.random.default_rng(2).permuted(np.tile(np.arange(7), (5, 1)), axis=1)
    other, same = [], []
    for order in orders:
        halves = map(matrix_of, np.split(values[:, order], [3], axis=1))
        one, two = (decompose(half, best_of_runs(half)) for half in halves)
        other += [correlation.kendall(one.bias2, two.var), correlation.kendall(two.bias2, one.var)]
        same += [correlation.kendall(half.bias2, half.var) for half in (one, two)]
    assert (found.other.kendall, found.same.kendall) == pytest.approx((np.mean(other), np.mean(same)), abs=1e-12)


@given(st.integers(2, 7), st.integers(2, 9), st.integers(0, 99))
def test_rasch_parameters_have_the_means_of_the_rows_and_columns(n_runs, n_queries, seed):
    values = np.random.default_rng(seed).beta(0.8, 2.4, (n_runs, n_queries))
    run, query = rasch_parameters(values)
    p = 1 / (1 + np.exp(-(run[:, None] + query)))
    assert np.allclose(p.mean(axis=1), values.mean(axis=1), rtol=0, atol=1e-9)
    assert np.allclose(p.mean(axis=0), values.mean(axis=0), rtol=0, atol=1e-9)
    assert query.mean() == pytest.approx(0, abs=1e-12)


def test_rasch_parameters_of_a_query_that_no_run_answers_are_found_in_few_sweeps(monkeypatch):
    """Its mean is kept from 0, so the means by rows and by columns differ in their sums, and opposite steps go on."""
    steps = []

    def counted(*arguments, **axis):
        steps.append(newton_step(*arguments, **axis))
        return steps[-1]

    monkeypatch.setattr("biasvar_cli.nulls.surface.newton_step", counted)
    values = np.random.default_rng(0).beta(0.8, 2.4, (7, 9))
    values[:, 0] = 0.0
    run, query = rasch_parameters(values)
    assert len(steps) < 80
    p = 1 / (1 + np.exp(-(run[:, None] + query)))
    assert np.allclose(p.mean(axis=0), np.clip(values.mean(axis=0), 1e-4, None), rtol=0, atol=1e-9)
    assert np.ptp(values.mean(axis=1) - p.mean(axis=1)) < 1e-5  # what the kept mean adds, on every run


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50))
def test_the_middle_of_samples_is_numpys(samples):
    expected = np.quantile(samples, [0.025, 0.5, 0.975])
    assert middle(np.array(samples)) == pytest.approx(tuple(expected), rel=1e-12, abs=1e-15)


def test_the_surface_is_what_its_formulas_say(shared):
    """Against the design matrix of twelve columns, cell by cell, and scipy's least squares at the solution."""
    values = real_matrix(shared, "trec5-adhoc-ap").values
    surface = fit_surface(values)
    run, query = rasch_parameters(values)
    p = 1 / (1 + np.exp(-(run[:, None] + query)))
    n_runs, n_queries = values.shape
    freedom = (n_runs - 1) * (n_queries - 1) / (n_runs * n_queries)
    phi = (p * (1 - p)).sum() / (((values - p) ** 2).sum() / freedom) - 1
    assert rasch_precision(values, run, query) == pytest.approx(phi, abs=1e-9)
    a, b = (np.clip((each - each.mean()) / each.std(), -3, 3) for each in (run, query))
    design = np.stack([np.outer(a**i, b**j).reshape(-1) for i in range(3) for j in range(4)], axis=1)
    offset = (run[:, None] + query).reshape(-1)
    raw = 1 / (1 + np.exp(-np.clip(offset + design @ surface.link.beta.reshape(-1), -12, 12)))
    assert np.allclose(surface.raw_expected.reshape(-1), np.clip(raw, 1e-4, 1 - 1e-4), rtol=0, atol=1e-9)
    score = design.T @ (values.reshape(-1) - raw) - 0.01 * surface.link.beta.reshape(-1)
    assert np.abs(score).max() < 1e-6  # of the penalised quasi-likelihood, at its maximum
    raw = surface.raw_expected.reshape(-1)
    psi = ((values.reshape(-1) - raw) ** 2).sum() / (raw * (1 - raw)).sum()
    assert surface.dispersion == pytest.approx(psi * n_runs * n_queries / ((n_runs - 1) * (n_queries - 1) - 11))
    assert surface.expected.mean() == pytest.approx(values.mean(), abs=1e-6)  # but for the edges
    spread = p * (1 - p)
    error2 = 1 / ((phi + 1) * spread.sum(axis=1))
    shrunken = surface.shrunk_effectiveness.std() / run.std()
    assert shrunken == pytest.approx(np.sqrt(1 - error2.mean() / run.var()), abs=1e-9)
    residual = (values - surface.raw_expected) / np.sqrt(surface.raw_expected * (1 - surface.raw_expected))
    ranks = stats.rankdata(residual.round(9), axis=1)
    scores = stats.norm.ppf((ranks - 0.5) / n_queries)
    expected = scores / np.sqrt((scores**2).mean(axis=1, keepdims=True))
    assert np.allclose(surface.normal_scores, expected, rtol=0, atol=1e-9)


@given(st.floats(1e-4, 1 - 1e-4), st.floats(0.05, 999))
def test_beta_quantiles_are_those_of_scipy(mean, precision):
    found = beta_quantiles(np.array([mean]), np.array([precision]))[0]
    exact = special.betaincinv(mean * precision, (1 - mean) * precision, PROBABILITIES)
    assert np.allclose(found, exact, rtol=0, atol=0.003)


@pytest.mark.parametrize("precision", [0.5, 8.0, 60.0])
def test_draws_have_the_margins_and_the_likeness_of_the_model(precision):
    """Against Beta's own mean and variance, and the correlation of the runs' normal scores."""
    likeness = np.random.default_rng(0).standard_normal((3, 40))
    likeness[1] = 0.6 * likeness[0] + 0.8 * likeness[1]
    likeness /= np.sqrt((likeness**2).mean(axis=1, keepdims=True))
    expected = np.tile([[0.2], [0.5], [0.7]], 40)
    fitted = fit_surface(np.random.default_rng(2).beta(1, 1, (3, 40)))
    surface = replace(fitted, normal_scores=likeness, expected=expected)
    law = BetaLaw.of(expected, np.full(40, 1 / (precision + 1)))
    samples = CorrelatedScores(surface, law).draw(np.random.default_rng(1), 4000)
    assert np.allclose(samples.mean(axis=0), expected, rtol=0, atol=0.03)  # 4.5 standard errors
    var = (expected * (1 - expected) / (precision + 1))[:, 0]
    assert np.allclose(samples.var(axis=0).mean(axis=1), var, rtol=0.03)
    ranks = stats.rankdata(samples, axis=0)
    normal = stats.norm.ppf((ranks - 0.5) / 4000)
    found = np.einsum("bfq,bgq->fg", normal, normal) / normal[:, 0].size
    assert np.allclose(found, likeness @ likeness.T / 40, atol=0.03)


def test_a_precision_for_each_query_is_drawn_to_one_and_averages_to_it(shared):
    surface = fit_surface(real_matrix(shared, "trec5-adhoc-ap").values)
    ratios = dispersion_ratios(surface)
    weight = (surface.raw_expected * (1 - surface.raw_expected)).sum(axis=0)
    assert (weight * ratios).sum() / weight.sum() == pytest.approx(1, abs=1e-12)
    own = ((surface.values - surface.raw_expected) ** 2).sum(axis=0) / weight
    assert stats.spearmanr(own, ratios).statistic == pytest.approx(1)
    assert ratios.std() < (own / own.mean()).std()


def test_empirical_draws_have_the_expected_scores_and_the_law_of_the_data(shared):
    values = real_matrix(shared, "web2011-err20").values
    surface = fit_surface(values)
    samples = EMPIRICAL.fit(surface).draw(np.random.default_rng(0), 1500)
    assert np.allclose(samples.mean(axis=0), surface.expected, rtol=0, atol=0.04)
    assert abs(samples.mean(axis=0) - surface.expected).mean() < 0.006
    assert (samples == 0).mean() == pytest.approx((values == 0).mean(), abs=0.05)  # zeros are drawn as zeros


def test_a_cross_fitted_score_does_not_follow_the_score_itself():
    """On the queries of its own fold a score has no part in what is expected of it."""
    values = np.random.default_rng(0).beta(np.arange(1, 13)[:, None] / 3, 3, (12, 30))
    surface = fit_surface(values)
    expected = cross_fitted(surface)
    changed = values.copy()
    changed[3, 7] = 0.95
    again = cross_fitted(replace(surface, values=changed))
    assert again[3, 7] == expected[3, 7]
    assert (np.delete(again[3], 7) != np.delete(expected[3], 7)).sum() == 24  # four folds of six queries


def test_shuffled_scores_stay_with_their_query():
    values = np.random.default_rng(0).random((7, 11))
    samples = ShuffledScores(values).draw(np.random.default_rng(1), 300)
    assert np.array_equal(np.sort(samples, axis=1), np.tile(np.sort(values, axis=0), (300, 1, 1)))
    assert np.array_equal(samples.max(axis=1), np.tile(values.max(axis=0), (300, 1)))
    assert np.allclose(samples.mean(axis=0), values.mean(axis=0), rtol=0, atol=0.09)  # 5 standard errors
    ranks = samples.argsort(axis=1)
    assert (ranks[:, :, 0] == ranks[:, :, 1]).all(axis=1).sum() <= 2  # each query on its own: one in 5040 by chance


@pytest.mark.parametrize("model", NULLS)
def test_samples_do_not_depend_on_how_many_are_asked_for_nor_on_the_jobs(model):
    values = np.random.default_rng(0).beta(1, 3, (5, 12))
    draws = NULLS[model].fit(fit_surface(values)).draw
    first, other = (partial(generator, Stream.NULL, seed) for seed in (0, 1))
    whole = over_blocks(draws, np.asarray, 250, first, size=100)
    assert whole.shape == (250, 5, 12)
    assert np.array_equal(over_blocks(draws, np.asarray, 130, first, size=100), whole[:130])
    assert np.array_equal(draws(first(1), 100), whole[100:200])
    assert np.array_equal(draws(first(1), 100, jobs=3), whole[100:200])
    for jobs in (1, 3):
        found = over_blocks(draws, mean_and_variance, 250, first, size=100, jobs=jobs)
        assert np.array_equal(found, mean_and_variance(whole))
    assert np.array_equal(over_blocks(draws, np.asarray, 150, first, size=100, first=1), whole[100:])
    assert not np.array_equal(over_blocks(draws, np.asarray, 100, other, size=100), whole[:100])


def test_no_two_streams_meet_in_one_analysis_of_one_track():
    """A subset has 2 queries and more, and less than all; halves have the number of all queries."""
    for n_queries in (4, 5, 50):
        sized = {Stream.PARTITIONS: range(2, n_queries), Stream.HALVES: [n_queries]}
        starts = [(stream, number) for stream in Stream for number in sized.get(stream, range(5))]
        draws = {(key[0], generator(*key[:1], 0, key[1]).integers(2**62)) for key in starts}
        alone = [key for key in starts if key[0] in (Stream.QUERIES, Stream.RUNS)]  # no number starts these
        assert len({drawn for _, drawn in draws}) == len(starts) - len(alone) + 2


FEW_CELLS = np.zeros((8, 9))  # of which the common law makes samples that hardly scatter
FEW_CELLS[[0, 1, 3, 5, 7, 7, 7], [0, 1, 3, 6, 2, 3, 4]] = [0.5, 0.5, 1, 0.5, 0.5, 1, 0.5]


@pytest.mark.parametrize("model", DECIDING)
@examples(15)
@given(arrays(float, st.tuples(st.integers(4, 9), st.integers(9, 14)), elements=st.sampled_from([0.0, 0.0, 0.5, 1.0])))
@example(FEW_CELLS)
def test_degenerate_scores_are_fitted_or_refused(model, values):
    try:
        sampler = model.fit(fit_surface(values))
    except DataError:
        reject()
    samples = sampler.draw(np.random.default_rng(0), 20)
    assert samples.min() >= 0
    assert samples.max() <= 1
    assert np.isfinite(samples).all()
    found = stability(values, mean_and_variance(samples), mean_and_variance(sampler.draw(np.random.default_rng(1), 20)))
    assert np.isnan(found.spread) or found.spread >= 0
    assert correlations_of(samples).shape == (20, 4)


GRID = np.add.outer(np.arange(6), np.arange(8)) / 100


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.full((1, 50), 0.1), "too few scores for null models: 1 run on 50 queries"),
        (np.full((9, 3), 0.1), "too few scores for null models: 9 runs on 3 queries"),
        (np.where(GRID == 0, -0.2, GRID), "scores from 0 to 1, found -0.2"),
        (np.where(GRID == 0, 1.3, GRID), "scores from 0 to 1, found 1.3"),
        (np.tile(np.arange(1, 9) / 10, (6, 1)), "no scatter"),
        (np.zeros((6, 8)), "two runs and two queries whose scores are not all 0 or all 1"),
    ],
)
def test_what_the_models_refuse(values, message):
    with pytest.raises(DataError, match=message):
        fit_surface(values)


@pytest.mark.parametrize("model", DECIDING)
def test_a_copy_of_a_run_is_drawn_alike(model):
    values = np.random.default_rng(0).beta(1, 3, (6, 20))
    samples = model.fit(fit_surface(np.vstack([values, values[:1]]))).draw(np.random.default_rng(0), 500)
    least = 0.9 if model is EMPIRICAL else 0.999  # which draws one of two laws for each of them
    assert stats.spearmanr(samples[:, 0, 3], samples[:, 6, 3]).statistic > least


@pytest.mark.parametrize("model", DECIDING)
@pytest.mark.parametrize("score", [0.0, 1.0])
def test_a_run_and_a_query_of_one_score_take_nothing_from_the_others(model, score):
    """Their standard errors, of parameters that the edge of 1e-4 alone keeps finite, would shrink all to their mean."""
    values = np.random.default_rng(0).beta(2 + np.arange(8)[:, None] / 2 + np.arange(20) / 4, 12, (8, 20))
    more = np.full((9, 21), score)
    more[:8, :20] = values
    surface, alone = fit_surface(more), fit_surface(values)
    assert np.allclose(surface.expected[:8, :20], alone.expected, rtol=0, atol=0.03)
    assert np.allclose(surface.expected[8, :20], score, rtol=0, atol=0.02)
    samples = model.fit(surface).draw(np.random.default_rng(0), 500)
    assert (samples[:, :, 20] == score).all()  # a query that says nothing stays as it is
    assert np.isfinite(correlations_of(samples)).all()


def test_a_verdict_needs_all_models():
    beyond = Tails(-0.9, -0.95, -0.8, 0.99, 0.014, 300, 0)
    models = {"common": beyond, "by-query": beyond, "empirical": beyond._replace(p_upper=0.016, low=-0.97, high=-0.7)}
    assert verdict(models) == "none"
    assert together(models)[:4] == (-0.9, -0.97, -0.7, 0.032)
    assert verdict(models | {"empirical": beyond}) == "weaker"
    assert verdict({"common": beyond._replace(p_lower=0.001, p_upper=1.0)}) == "stronger"
    assert undecided(models)
    assert not undecided({"common": beyond._replace(p_upper=0.003)})


@given(SAMPLES)
def test_batches_equal_single_matrices(samples):
    """Row by row what `decomposition` and `generalised` give: bias, variances, difficulty, the normalised form."""
    n_queries = samples.shape[2]
    sizes = np.array(subset_sizes(n_queries, 4))
    target = samples.max(axis=1)
    orders = by_difficulty(samples)
    batches = (
        decompose_samples(samples, target),
        generalise_samples(samples, target, [orders], sizes),
        normalise_samples(samples, target, orders, sizes),
        normalise_samples(samples, target, np.arange(n_queries), np.ones(n_queries, dtype=int)),
    )
    for b, matrix in enumerate(map(matrix_of, samples)):
        best = best_of_runs_quietly(matrix)
        assert np.array_equal(orders[b], by_difficulty(matrix.values))
        partition = Partition.of(orders[b], sizes)
        single = (
            decompose(matrix, best),
            generalise(matrix, best, [partition]),
            normalise(matrix, best, partition),
            normalise(matrix, best, single_queries(n_queries)),
        )
        for batch, one in zip(batches, single, strict=True):
            for field in ("bias2", "var", "var_gap"):
                expected = np.nan if one is None else getattr(one, field)
                assert np.allclose(getattr(batch, field)[b], expected, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("one_order", [True, False])
def test_many_subsets_have_the_same_means_as_few(one_order):
    """Above 64 subsets their means are gathered, below they are a product of matrices."""
    rng = np.random.default_rng(0)
    samples = rng.random((2, 4, 201))
    sizes = np.array(subset_sizes(201, 2))
    orders = np.array([rng.permutation(201)] * 2 if one_order else [rng.permutation(201) for _ in range(2)])
    target = samples.max(axis=1)
    found = generalise_samples(samples, target, [orders[0] if one_order else orders], sizes)
    for b, values in enumerate(samples):
        one = generalise(matrix_of(values), best_of_runs(matrix_of(values)), [Partition.of(orders[b], sizes)])
        for field in ("bias2", "var", "var_gap"):
            assert np.allclose(getattr(found, field)[b], getattr(one, field), rtol=0, atol=1e-12)


def best_of_runs_quietly(matrix):
    return best_of_runs(matrix_of(np.vstack([matrix.values, matrix.values[:1]])))  # a pool of one run would warn


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=30), st.integers(-6, 6))
def test_p_values_count_ties_on_both_sides(drawn, observed):
    """In whole numbers, where ties are plain; the same in tenths moved by rounding."""
    n = len(drawn)
    above, below = (sum(sign * (each - observed) >= 0 for each in drawn) for sign in (1, -1))
    expected = min(1, 2 * min(1 + above, 1 + below) / (n + 1))
    samples = np.array(drawn, dtype=float)
    assert summarise(float(observed), samples).p == pytest.approx(expected)
    assert summarise(observed / 10, samples * 0.1).p == pytest.approx(expected)
    assert upper_p(float(observed), np.append(samples, np.nan)) == pytest.approx((1 + above) / (n + 1))


def test_undefined_samples_are_left_out_and_counted():
    samples = np.array([0.1, np.nan, 0.3, 0.2, np.nan])
    found, nan = (summarise(observed, samples) for observed in (0.25, np.nan))
    assert (found.median, found.n_samples, found.n_undefined, found.p) == (0.2, 3, 2, 1.0)
    assert (nan.median, np.isnan(nan.p)) == (0.2, True)
    nothing = summarise(0.1, np.full(4, np.nan))
    assert np.isnan([nothing.median, nothing.low, nothing.high, nothing.p]).all()
    assert (nothing.n_samples, nothing.n_undefined) == (0, 4)


def test_z_of_stability_is_the_distance_from_the_line_of_each_run():
    rng = np.random.default_rng(0)
    drawn, fresh, values = rng.random((50, 2, 4)), rng.random((60, 2, 4)), rng.random((4, 9))
    found = stability(values, drawn, fresh)
    mean, var = values.mean(axis=1), values.var(axis=1)
    z = []
    for f in range(4):
        slope, intercept = np.polyfit(drawn[:, 0, f], drawn[:, 1, f], 1)
        residual = drawn[:, 1, f] - slope * drawn[:, 0, f] - intercept
        z.append((var[f] - slope * mean[f] - intercept) / residual.std())
    assert np.allclose(found.z, z, rtol=0, atol=1e-9)
    assert found.spread == pytest.approx(np.std(z), abs=1e-9)
    assert found.trend == pytest.approx(stats.spearmanr(z, mean).statistic, abs=1e-9)
    assert found.spread_null.n_samples == found.trend_null.n_samples == 60


def test_a_run_whose_samples_have_no_scatter_have_no_z():
    rng = np.random.default_rng(0)
    drawn, fresh = rng.random((50, 2, 4)), rng.random((60, 2, 4))
    drawn[:, :, 1] = fresh[:, :, 1] = 0
    found = stability(rng.random((4, 9)), drawn, fresh)
    assert np.isnan(found.z).tolist() == [False, True, False, False]
    assert np.isfinite([found.spread, found.trend, found.spread_null.p, found.trend_null.p]).all()
    empty = stability(rng.random((4, 9)), np.zeros((50, 2, 4)), fresh)
    assert np.isnan([empty.spread, empty.trend, empty.spread_null.p]).all()
