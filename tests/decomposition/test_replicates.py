"""Systems of several runs: identities of the decomposition, and every result beside that of the stacked replicates."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from types import ModuleType

import conftest
import numpy as np
import pytest
from conftest import COARSE, ROOT, UNIT, matrix_of, scores_of
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mutations import examples
from scipy import stats

from biasvar_cli.analyses.compare.differences import values_to_compare
from biasvar_cli.analyses.sensitivity.answer import influence, switch_points
from biasvar_cli.decomposition import Design
from biasvar_cli.decomposition.baseline import compare
from biasvar_cli.decomposition.decompose import (
    Decomposition,
    Deviations,
    ReplicateVariance,
    TargetedScores,
    VirtualTarget,
    best_of_runs,
    decompose,
    mean_target,
)
from biasvar_cli.decomposition.generalised import generalised_under, single_rows, tradeoff_rows, var_replicates
from biasvar_cli.decomposition.over_queries import over_queries
from biasvar_cli.decomposition.reliability import origin, precision, split_half
from biasvar_cli.score_matrix import LogTransform, ScoreMatrix
from biasvar_cli.stats.correlation import pearson
from biasvar_cli.stats.monte_carlo import Stream, generator
from biasvar_cli.words import RANKED

close = partial(conftest.close, tolerance=1e-11, relative=1e-9)
COLUMNS = ("mean", "bias", "bias2", "var", "total", "var_gap", "total_gap")
Stacks = Sequence[np.ndarray]  # (K, n) of each system


def errors_of(stacks: Stacks, target: np.ndarray) -> dict[str, np.ndarray]:
    """The errors of all systems by their definitions, by name, over all K n scores of a system at once."""
    formulas = {
        "mean": np.mean,
        "bias": lambda stack: target.mean() - stack.mean(),
        "bias2": lambda stack: (target.mean() - stack.mean()) ** 2,
        "var": np.var,
        "total": lambda stack: ((target.mean() - stack) ** 2).mean(),
        "var_gap": lambda stack: np.var(target - stack),
        "total_gap": lambda stack: ((target - stack) ** 2).mean(),
    }
    return {name: np.array([formula(stack) for stack in stacks]) for name, formula in formulas.items()}


def systems(stacks: Stacks) -> ScoreMatrix:
    """The systems s0, s1, ... of the runs s0-0, s0-1, ..."""
    names = [f"s{index}-{number}" for index, stack in enumerate(stacks) for number in range(len(stack))]
    queries = tuple(f"q{index}" for index in range(stacks[0].shape[1]))
    runs = ScoreMatrix(np.vstack(stacks), tuple(names), queries, "AP")
    return ScoreMatrix.of_systems(runs, {name: name.partition("-")[0] for name in names})


def aimed(stacks: Stacks) -> tuple[ScoreMatrix, VirtualTarget]:
    """Systems, and the best score of each query as their target."""
    scores = systems(stacks)
    return scores, best_of_runs(scores)


@st.composite
def replicated(
    draw, n_systems=(2, 5), n_queries=(1, 8), replicates=(1, 6), elements=(UNIT, COARSE)
) -> list[np.ndarray]:
    """The scores of some systems, of several runs or one, (K, n) each."""
    sizes = draw(st.lists(st.integers(*replicates), min_size=n_systems[0], max_size=n_systems[1]))
    n = draw(st.integers(*n_queries))
    values = draw(scores_of((sum(sizes), n), draw(st.sampled_from(elements))))
    return np.split(values, np.cumsum(sizes)[:-1])


def drawn_stacks(seed: int, sizes: Sequence[int] = (3, 1, 5, 2, 4), n_queries: int = 12) -> list[np.ndarray]:
    """Random scores of systems of different means."""
    rng = np.random.default_rng(seed)
    return [rng.beta(1 + index, 3, size=(size, n_queries)) for index, size in enumerate(sizes)]


# ---- the decomposition


@given(replicated())
def test_both_totals_are_the_squared_error_of_a_replicate_drawn_at_random(stacks):
    scores, target = aimed(stacks)
    result, expected = decompose(scores, target), errors_of(stacks, target.scores)
    for name, values in expected.items():
        assert close(getattr(result, name), values), name
    assert close(decompose(scores, mean_target(0.45)).total, [((0.45 - stack) ** 2).mean() for stack in stacks])


@given(replicated())
def test_the_variance_is_that_over_queries_and_that_over_replicates(stacks):
    scores = systems(stacks)
    result = decompose(scores, best_of_runs(scores))
    parts, several = result.parts, np.array([len(stack) > 1 for stack in stacks])
    assert parts.n_replicates.tolist() == [len(stack) for stack in stacks]
    for stack, *values in zip(stacks, parts.queries, parts.replicates, parts.sd, strict=True):
        if len(stack) > 1:
            by_definition = [np.var(stack.mean(axis=0)), np.var(stack, axis=0).mean(), stack.mean(axis=1).std(ddof=1)]
            assert close(values, by_definition)
        else:
            assert np.isnan(values).all()
    assert close((parts.queries + parts.replicates)[several], result.var[several])
    gaps = np.array([np.var(result.target.scores - stack.mean(axis=0)) for stack in stacks])
    assert close((gaps + parts.replicates)[several], result.var_gap[several])


@given(replicated(replicates=(1, 1)), st.integers(2, 6))
def test_equal_replicates_are_one_run(stacks, times):
    runs, scores = matrix_of(np.vstack(stacks)), systems([np.repeat(stack, times, axis=0) for stack in stacks])
    assert np.array_equal(scores.values, runs.values)
    one, several = (decompose(entry, best_of_runs(entry)) for entry in (runs, scores))
    assert not several.parts.replicates.any()
    assert not scores.within.any()
    assert close(several.parts.sd, 0)
    for name in COLUMNS:
        assert np.array_equal(getattr(one, name), getattr(several, name)), name
    assert np.array_equal(several.parts.queries, one.var)


@given(replicated(n_systems=(2, 5)), st.randoms())
def test_selected_systems_keep_their_replicates(stacks, random):
    scores, some = systems(stacks), list(range(len(stacks)))
    random.shuffle(some)
    some = some[: 1 + len(some) // 2]
    chosen = scores.select([f"s{index}" for index in some])
    assert np.array_equal(chosen.values, scores.values[some])
    assert np.array_equal(chosen.within, scores.within[some])
    assert chosen.replicates.systems == chosen.runs


@given(replicated(elements=(UNIT,)))
def test_logs_are_those_of_the_replicates(stacks):
    logs = LogTransform("floor", 1e-5)
    scores = logs.matrix(systems(stacks))
    expected = [np.log(np.maximum(stack, 1e-5)) for stack in stacks]
    target = best_of_runs(scores)
    assert close(target.scores, np.max([stack.mean(axis=0) for stack in expected], axis=0))
    result = decompose(scores, target)
    for name, values in errors_of(expected, target.scores).items():
        assert close(getattr(result, name), values, tolerance=1e-9), name


# ---- samples of queries

DESIGNS = [
    {"subset_size": (2,), "repeats": 3, "remainder": "merge"},
    {"subset_size": (3,), "repeats": 3, "subset_weights": "equal", "difficulty": "mean"},
    {"subset_size": (1, 2), "repeats": 2, "normalise": "maxmin", "remainder": "balanced"},
    {"subset_size": (2,), "zero_target": "one", "subset_weights": "equal"},
]


@pytest.mark.parametrize("options", DESIGNS)
@given(replicated(n_systems=(2, 4), n_queries=(3, 8)))
@examples(20)  # each of which is tried under every sampling of its design
def test_under_every_sampling_the_total_is_the_mean_of_the_totals_of_the_replicates(options, stacks):
    scores = systems(stacks)
    n = scores.n_queries
    design = Design(**options, groups={query: str(int(query[1:]) % 2) for query in scores.queries})
    target = best_of_runs(scores)
    targeted = TargetedScores(scores, scores, target)
    runs = TargetedScores(scores.replicates.runs, scores, target)
    for sampling in design.samplings(n):
        result, single = (generalised_under(sampling, design, entry) for entry in (targeted, runs))
        if result is None or single is None:
            assert result is None or design.zero_target == "one"
            continue
        if result.n_dropped != single.n_dropped:
            assert (design.zero_target, np.isnan(result.var).all()) == ("one", True)
            continue
        of_system = np.repeat(np.arange(len(stacks)), scores.replicates.sizes)
        for name in ("total", "total_gap", "mean", "bias"):
            means = [getattr(single, name)[of_system == index].mean() for index in range(len(stacks))]
            assert close(getattr(result, name), means, tolerance=1e-9), (sampling, name)


@given(replicated(n_systems=(2, 4), n_queries=(2, 8), elements=(UNIT,)))
def test_without_replicates_there_is_nothing_to_add(stacks):
    runs = systems(stacks).replicates.runs
    targeted = TargetedScores(runs, runs, best_of_runs(runs))
    design = Design(subset_size=(2,))
    assert all(var_replicates(entry, design, targeted) is None for entry in design.samplings(runs.n_queries))
    one = systems([stack[:1] for stack in stacks])
    targeted = TargetedScores(one, one, best_of_runs(one))
    for sampling in design.samplings(one.n_queries):
        added = var_replicates(sampling, design, targeted)
        assert close(added[np.isfinite(added)], 0)


def test_the_correlations_are_of_bias2_and_the_whole_variance():
    stacks = drawn_stacks(1)
    scores, target = aimed(stacks)
    expected = errors_of(stacks, target.scores)
    score, gap = (row.correlations for row in single_rows(decompose(scores, target)))
    assert score.pearson == pytest.approx(np.corrcoef(expected["bias2"], expected["var"])[0, 1], abs=1e-12)
    assert gap.pearson == pytest.approx(np.corrcoef(expected["bias2"], expected["var_gap"])[0, 1], abs=1e-12)
    of_score, of_gap, *_ = tradeoff_rows(TargetedScores(scores, scores, target), Design())
    assert vars(of_score.correlations) == pytest.approx(vars(score), abs=1e-12)
    assert vars(of_gap.correlations) == pytest.approx(vars(gap), abs=1e-12)


# ---- other queries


def without(query: int, stacks: Stacks, target: np.ndarray) -> tuple[Stacks, np.ndarray]:
    """All but a query."""
    return [np.delete(stack, query, axis=1) for stack in stacks], np.delete(target, query)


def same_moments(computed: object, stacks: Stacks, target: np.ndarray, index: object) -> bool:
    expected = errors_of(stacks, target).items()
    return all(close(getattr(computed, name)[index], values, tolerance=1e-10) for name, values in expected)


@given(replicated(n_queries=(1, 8)), st.data())
def test_a_resample_is_the_decomposition_of_the_drawn_queries(stacks, data):
    scores = systems(stacks)
    n = scores.n_queries
    target = best_of_runs(scores)
    drawn = data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    weights = np.bincount(drawn, minlength=n)[None] / n
    computed = Deviations.of(scores, target).resampled(weights)
    assert same_moments(computed, [stack[:, drawn] for stack in stacks], target.scores[drawn], 0)


@given(replicated(n_queries=(2, 8)))
def test_without_each_query_it_is_the_decomposition_of_the_others(stacks):
    scores, target = aimed(stacks)
    computed = Deviations.of(scores, target).left_out()
    for query in range(scores.n_queries):
        assert same_moments(computed, *without(query, stacks, target.scores), (slice(None), query))


def test_the_interval_of_a_correlation_over_queries_is_not_given():
    scores = systems(drawn_stacks(5))
    computed = over_queries(scores, best_of_runs(scores))
    assert {entry.reason for forms in computed.values() for entry in forms.values()} == {"replicates"}
    assert np.isnan([entry.low for forms in computed.values() for entry in forms.values()]).all()


@given(replicated(n_systems=(3, 5), n_queries=(2, 9)))
def test_halves_are_ranked_by_the_errors_of_all_replicates(stacks):
    scores, target = aimed(stacks)
    n = scores.n_queries
    computed = split_half(scores, target, n_splits=4, seed=3)
    order = generator(Stream.HALVES, 3, n).permuted(np.tile(np.arange(n), (4, 1)), axis=1)
    half = n // 2
    halves = (order[:, :half], order[:, half : 2 * half])
    parts = [[errors_of([stack[:, of] for stack in stacks], target.scores[of]) for of in rows] for rows in halves]
    for name in RANKED:
        pairs = zip(*([errors[name].round(10) for errors in side] for side in parts), strict=True)
        taus = [stats.kendalltau(*pair).statistic for pair in pairs]
        known = [tau for tau in taus if np.isfinite(tau)]
        expected = np.mean(known) if known else np.nan
        assert close(getattr(computed, name), expected, tolerance=1e-9, nan=True), name


@given(replicated(n_systems=(3, 5), n_queries=(3, 8), elements=(UNIT,)))
def test_the_influence_of_a_query_is_the_change_without_it(stacks):
    scores, target = aimed(stacks)
    computed = influence(scores, target)
    for query in range(scores.n_queries):
        rest = errors_of(*without(query, stacks, target.scores))
        for values, var in ((computed.pearson, "var"), (computed.pearson_gap, "var_gap")):
            scatter = min(np.ptp(rest["bias2"]), np.ptp(rest[var]))
            if scatter > 1e-4:
                assert values[query] == pytest.approx(pearson(rest["bias2"], rest[var]).item(), abs=1e-6)
        assert computed.mean[query] == pytest.approx(np.delete(target.scores, query).mean(), abs=1e-12)
        assert computed.least[:, query].any()
        assert rest["total"][computed.least[:, query]] == pytest.approx(rest["total"].min(), abs=1e-10)
    assert computed.whole == pytest.approx(single_rows(decompose(scores, target))[0].correlations.pearson, nan_ok=True)


# ---- a baseline, and pairs


def differences(one: np.ndarray, other: np.ndarray, target: np.ndarray) -> dict[str, np.ndarray]:
    """What is tested of two systems, (n,): differences on a query, means over the replicates of each."""
    middle = target.mean()
    losses = ((one - middle) ** 2).mean(axis=0) - ((other - middle) ** 2).mean(axis=0)
    return {
        "bias": other.mean(axis=0) - one.mean(axis=0),
        "total": losses - 2 * (one.mean() - other.mean()) * (target - middle),
        "total_gap": ((one - target) ** 2).mean(axis=0) - ((other - target) ** 2).mean(axis=0),
    }


@given(replicated(n_systems=(2, 4), n_queries=(3, 8), elements=(UNIT,)))
def test_comparisons_with_a_baseline_are_those_of_the_stacked_replicates(stacks):
    scores, target = aimed(stacks)
    computed, errors = compare(scores, target, "s0"), errors_of(stacks, target.scores)
    for index, stack in enumerate(stacks[1:], 1):
        for name, values in differences(stack, stacks[0], target.scores).items():
            compared = getattr(computed, name)
            assert close(compared.value[index], errors[name][index] - errors[name][0]), name
            assert close(compared.value[index], values.mean()), name
            if np.ptp(values) > 1e-3:
                tested, found = stats.ttest_1samp(values, 0), [compared.t[index], compared.p[index]]
                assert close(found, [tested.statistic, tested.pvalue], relative=1e-6), name
        for name in ("var", "var_gap"):
            both = [errors[name][index], errors[name][0]]
            if min(both) > 1e-6:
                assert getattr(computed, name).value[index] == pytest.approx(both[0] / both[1], rel=1e-8)


def test_the_ratio_of_variances_is_tested_by_the_jackknife_of_all_replicates():
    stacks = drawn_stacks(6)
    scores, target = aimed(stacks)
    n = scores.n_queries
    computed = compare(scores, target, "s1")
    for name, index in product(("var", "var_gap"), (0, 2, 3, 4)):
        whole = errors_of(stacks, target.scores)[name]
        left_out = [errors_of(*without(query, stacks, target.scores))[name] for query in range(n)]
        left = np.array([np.log(part[index] / part[1]) for part in left_out])
        tested = stats.ttest_1samp(n * np.log(whole[index] / whole[1]) - (n - 1) * left, 0)
        compared = getattr(computed, name)
        assert (compared.t[index], compared.p[index]) == pytest.approx((tested.statistic, tested.pvalue), rel=1e-8)


@given(replicated(replicates=(2, 4), n_systems=(2, 3), n_queries=(2, 6)))
def test_systems_of_the_same_replicates_do_not_differ(stacks):
    scores = systems([*stacks, stacks[0]])
    computed = compare(scores, best_of_runs(scores), "s0")
    for name in ("bias", "total", "total_gap"):
        assert (getattr(computed, name).value[-1], getattr(computed, name).p[-1]) == (0, 1)
    assert computed.var.value[-1] == 1 or computed.var.reason[-1] is not None


@given(replicated(n_queries=(1, 8)))
def test_the_mean_of_the_losses_is_the_total(stacks):
    scores, target = aimed(stacks)
    result = decompose(scores, target)
    assert close(values_to_compare(scores, target, "total").mean(axis=1), result.total)
    assert close(values_to_compare(scores, target, "total_gap").mean(axis=1), result.total_gap)
    of_mean = mean_target(0.4)
    assert close(values_to_compare(scores, of_mean, "total").mean(axis=1), decompose(scores, of_mean).total)


# ---- other targets, and what makes the variance


@given(replicated(n_systems=(2, 5), n_queries=(1, 6), elements=(UNIT,)))
def test_two_systems_have_one_total_at_their_switch_point(stacks):
    scores = systems(stacks)
    computed = switch_points(scores, best_of_runs(scores))
    totals = errors_of(stacks, best_of_runs(scores).scores)["total"]
    assert (np.diff(totals[computed.order]) >= -1e-10).all()
    for point, one, other in zip(computed.point, computed.order[:-1], computed.order[1:], strict=True):
        means = [stacks[index].mean() for index in (one, other)]
        if abs(means[0] - means[1]) > 1e-3:
            at_point = [((point - stacks[index]) ** 2).mean() for index in (one, other)]
            assert at_point[0] == pytest.approx(at_point[1], abs=1e-8 * max(1, point**2))
        elif means[0] == means[1]:
            assert np.isnan(point)


def test_how_many_queries_a_variance_needs_is_of_all_replicates():
    stacks = drawn_stacks(8)
    scores = systems(stacks)
    n, computed = scores.n_queries, precision(scores.values, 0.2, within=scores.within)
    for index, stack in enumerate(stacks):
        left = np.log([np.var(np.delete(stack, query, axis=1)) for query in range(n)])
        half = stats.t.ppf(0.975, n - 1) * (n - 1) * left.std() / np.sqrt(n - 1)
        assert computed.half_width[index] == pytest.approx(half, rel=1e-9)
        assert computed.needed[index] == np.ceil(n * (half / 0.2) ** 2)


@given(replicated(n_systems=(2, 4), n_queries=(2, 6), elements=(UNIT,)))
def test_the_variance_is_that_of_the_track_and_the_rest(stacks):
    scores = systems(stacks)
    computed = origin(scores, scores)
    assume(np.isfinite(computed.slope).all())
    means = np.array([stack.mean(axis=0) for stack in stacks]).mean(axis=0)
    assume(np.ptp(means) > 1e-3)
    for index, stack in enumerate(stacks):
        slope = np.polyfit(means, stack.mean(axis=0), 1)[0]
        assert computed.slope[index] == pytest.approx(slope, abs=1e-6)
    assert close(computed.of_track + computed.rest, [np.var(stack) for stack in stacks], tolerance=1e-9)


# ---- the pool


def test_replicates_of_the_pool_join_the_target_alone():
    listed, more = drawn_stacks(9, sizes=(2, 3)), drawn_stacks(10, sizes=(2, 1))
    pairs = list(zip(listed, more, strict=True))
    scores, pool = systems(listed), systems([np.vstack(pair) for pair in pairs])
    target = best_of_runs(pool)
    assert close(target.scores, np.max([np.vstack(pair).mean(axis=0) for pair in pairs], axis=0))
    result: Decomposition = decompose(scores, target)
    expected = errors_of(listed, target.scores)
    assert all(close(getattr(result, name), expected[name]) for name in COLUMNS)
    assert result.parts.n_replicates.tolist() == [2, 3]


# ---- what a few replicates tell of all that might have been


@given(arrays(float, st.tuples(st.just(3), st.integers(1, 5)), elements=UNIT), st.integers(2, 3))
def test_how_far_the_parts_are_from_those_of_all_seeds_on_average(population, size):
    # every draw of `size` of three equally probable seeds, with replacement: expectations without a simulation
    draws = [population[list(seeds)] for seeds in product(range(3), repeat=size)]
    scores = systems(draws)
    parts, result = ReplicateVariance.of(scores), decompose(scores, mean_target(0.6))
    within, of_mean = population.var(axis=0).mean(), population.mean(axis=1).var()
    of_queries = population.mean(axis=0).var()
    assert parts.replicates.mean() == pytest.approx((size - 1) / size * within, abs=1e-12)
    assert (parts.sd**2).mean() == pytest.approx(of_mean, abs=1e-12)
    excess = parts.replicates / (size - 1) - parts.sd**2 / size
    assert parts.queries.mean() - of_queries == pytest.approx(excess.mean(), abs=1e-12)
    assert result.var.mean() == pytest.approx(of_queries + within - of_mean / size, abs=1e-12)
    assert result.bias2.mean() == pytest.approx((0.6 - population.mean()) ** 2 + of_mean / size, abs=1e-12)
    assert result.total.mean() == pytest.approx(((0.6 - population) ** 2).mean(), abs=1e-12)


def test_the_note_says_so(biasvar, tmp_path):
    (tmp_path / "runs.csv").write_text("AP,A-1,A-2,B-1,B-2\nq1,.3,.5,.6,.4\nq2,.1,.2,.08,.12\n")
    result = biasvar("decompose", tmp_path / "runs.csv", "--replicates", "-[12]", "--notes", "full")
    text = " ".join(result.out.split())
    assert "var_replicates is too small by the factor (runs - 1) / runs on average" in text
    assert "var_queries is too large by var_replicates / (runs - 1) - sd_replicates² / runs" in text


@pytest.fixture(scope="module")
def simulated() -> Iterator[ModuleType]:
    """The simulation of benchmarks/."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        yield importlib.import_module("replicates")
        sys.modules.pop("replicates", None)


@pytest.mark.parametrize("name", ["beta", "zeros", "shift", "heavy"])
def test_the_simulated_worlds_have_the_truth_they_name(simulated, name):
    assert list(simulated.WORLDS) == ["beta", "zeros", "shift", "heavy"]
    world = simulated.WORLDS[name](np.random.default_rng(1), 20)
    scores = world.draw(np.random.default_rng(2), 40_000)
    assert scores.mean(axis=0) == pytest.approx(world.expected, abs=0.02)
    assert scores.var(axis=0) == pytest.approx(world.variances, rel=0.2, abs=1e-5)
    assert scores.var(axis=0).mean() == pytest.approx(world.variances.mean(), rel=0.03)
    assert scores.mean(axis=1).var() == pytest.approx(world.of_mean, rel=0.05)


def test_the_simulation_is_of_the_program_and_the_same_each_time(simulated):
    one, two = (next(simulated.rows(200, 3)) for _ in range(2))
    assert np.array_equal(one.sd, two.sd)
    assert one.excess.mean() == pytest.approx(one.by_both.mean(), abs=0.1)
    assert simulated.c4(2) == pytest.approx(np.sqrt(2 / np.pi))
