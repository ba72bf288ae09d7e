"""Which runs of a track differ, by which test, and how well the measure tells them apart."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, nan

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest, for_rows
from biasvar_cli.analyses.compare.differences import require_two_runs, values_to_compare
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.ranks import RunRanks, letters_of
from biasvar_cli.arrays import ROUNDING, FloatArray, IntArray, in_order
from biasvar_cli.clusters import Clusters, units_of
from biasvar_cli.decomposition.decompose import TargetedScores, VirtualTarget
from biasvar_cli.errors import DataError
from biasvar_cli.progress import finished
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.targets import AnswerOfScores, listed_run, targeted_track
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs.limits import is_significant
from biasvar_cli.stats import paired, significance, variance
from biasvar_cli.stats.monte_carlo import Stream, generator
from biasvar_cli.words import QUERIES, Better

WIDTH, N_BINS = 0.01, 21  # of the bins of swaps, of which the last one is open
TOLERATED = 0.05  # of comparisons that are swaps
_AT_ONCE = 500  # splits


@dataclass(frozen=True)
class Power:
    """What one test finds: ``correction`` is None for p-values as they are and for tests of all pairs together.

    ``smallest_significant`` and ``largest_not_significant`` are sizes of differences, nan where there is none. A test
    without p-values, for which there are too few queries, has ``n_significant`` None and ``share`` nan.
    """

    test: significance.Test
    correction: significance.Correction | None
    n_pairs: int
    n_significant: int | None
    share: float
    smallest_significant: float
    largest_not_significant: float


@dataclass(frozen=True)
class SampleSize:
    """The differences that the queries can find: ``sd`` is the median deviation of a difference, over the pairs.

    ``detectable`` is the difference that a paired t test finds with this ``power``; ``queries`` is the number of
    queries that a difference of ``detect`` needs. All are nan where they are undefined or the request has none. Where
    queries are in clusters, these take their place: ``sd`` is of their terms (`clusters.Clusters.terms`), and
    ``queries`` counts clusters.
    """

    power: float
    sd: float
    detectable: float
    detect: float
    queries: float


def power_of_tests(tests: PairTests) -> list[Power]:
    """A row for every test, and one for its corrected p-values; significant is p < 1 - level, strictly."""
    size, correction, rows = np.abs(tests.delta), tests.request.correction, []
    for test in tests.p:
        for of_correction, some_p in ((None, tests.p), (correction, tests.adjusted)):
            if test not in some_p:
                continue
            p, significant = some_p[test], is_significant(some_p[test], tests.request.level)
            if np.isnan(p).any():
                rows.append(Power(test, of_correction, len(p), None, nan, nan, nan))
                continue
            smallest = float(size[significant].min()) if significant.any() else nan
            largest = float(size[~significant].max()) if not significant.all() else nan
            n = int(np.count_nonzero(significant))
            rows.append(Power(test, of_correction, len(p), n, n / len(p), smallest, largest))
    return rows


def sample_size(tests: PairTests) -> SampleSize:
    """The difference that the queries find with the power of the request, and the number of queries for another."""
    level, power, detect = tests.request.level, tests.request.power, tests.request.detect
    sd = nan if tests.units.are_few else float(np.median(tests.rows.moments.student.sd))
    queries = nan if detect is None or sd == 0 else paired.queries_needed(detect, sd, level=level, power=power)
    return SampleSize(
        power,
        sd,
        paired.detectable(tests.units.n, sd, level=level, power=power),
        nan if detect is None else detect,
        queries if isfinite(queries) else nan,
    )


@dataclass(frozen=True, eq=False)
class Swaps:
    """Comparisons by the size of the difference on the first half: how many there are, and how many are swaps.

    ``low`` are the lower ends of the bins, ``n`` and ``swaps`` have the shape (21,). ``needed`` is the least lower end
    from which on at most 5 % of every bin are swaps, and ``share`` that of the comparisons that are as large; both are
    nan where there is none. ``half`` counts queries, or clusters of them.
    """

    n_splits: int
    half: int
    low: FloatArray
    n: IntArray
    swaps: IntArray
    needed: float
    share: float
    of_clusters: bool = False

    @property
    def high(self) -> list[float | None]:
        """The upper ends of the bins, None for the last one."""
        return [*self.low[1:].tolist(), None]

    @property
    def rate(self) -> FloatArray:
        """The share of swaps in each bin, nan for an empty one."""
        rate: FloatArray = np.divide(self.swaps, self.n, out=np.full(N_BINS, nan), where=self.n > 0)
        return rate


def swap_rates(
    values: FloatArray,
    *,
    n_splits: int = 1000,
    seed: int = 0,
    clusters: Clusters | None = None,
) -> Swaps:
    """The swaps of all pairs of rows, (n_runs, n_queries), on random disjoint halves of the queries.

    A comparison is a pair on one split. It is a swap if the difference on the second half has the other sign; none of
    0 has a sign. Queries of one of the ``clusters`` are in the same half. Raises `DataError` for fewer than two runs,
    queries or clusters.

    >>> rates = swap_rates(np.array([[0.5, 0.5, 0.5, 0.5], [0.45, 0.45, 0.45, 0.45]]), n_splits=10)
    >>> int(rates.n[5]), int(rates.swaps.sum()), rates.needed
    (10, 0, 0.0)
    """
    n_runs, n_queries = values.shape
    require_two_runs(n_runs)
    units = units_of(n_queries, clusters)
    half = units.n // 2
    if half < 1:
        what = QUERIES if units.are_single else "clusters"
        raise DataError(f"swaps are counted between two halves of the {what}: at least 2 {what} are needed, found 1")
    rng, least = generator(Stream.SWAPS, seed), ROUNDING * np.abs(values).max(initial=0.0)
    n, swaps = (np.zeros(N_BINS, dtype=np.int64) for _ in range(2))
    pairs = paired.Pairs.of_all(n_runs)
    for start in range(0, n_splits, _AT_ONCE):
        size = min(_AT_ONCE, n_splits - start)
        order = rng.permuted(np.broadcast_to(np.arange(units.n), (size, units.n)), axis=1)
        halves = np.zeros((2, size, units.n))  # the weights of both, rows of sum 1
        for weights, chosen in zip(halves, (order[:, :half], order[:, half : 2 * half]), strict=True):
            np.put_along_axis(weights, chosen, 1 / half, axis=1)
        of_queries = np.hstack([units.weights(weights) for weights in halves])
        distinct, times = np.unique(of_queries, axis=0, return_counts=True)  # of few queries there are few splits
        first, second = (values @ weights.T for weights in np.hsplit(distinct, 2))
        of_split = N_BINS * np.arange(len(distinct))
        for row, fan in pairs.fans():
            others = pairs.second[fan]
            one, two = (half_means[row] - half_means[others] for half_means in (first, second))
            for differences in (one, two):
                differences[np.abs(differences) <= least] = 0.0
            bins = np.minimum(np.abs(one) / WIDTH + 1e-9, N_BINS - 1).astype(np.int64) + of_split
            for count, some in ((n, bins.ravel()), (swaps, bins[one * two < 0])):
                count += times @ np.bincount(some, minlength=N_BINS * len(distinct)).reshape(-1, N_BINS)
        finished("tested", size)
    low = np.round(WIDTH * np.arange(N_BINS), 2)
    too_many = np.flatnonzero(swaps > TOLERATED * n)
    at = int(too_many[-1]) + 1 if len(too_many) else 0  # the bin from which on none has too many
    needed, share = (float(low[at]), float(n[at:].sum() / n.sum())) if n[at:].any() else (nan, nan)
    return Swaps(n_splits, half, low, n, swaps, needed, share, of_clusters=clusters is not None)


@dataclass(frozen=True, eq=False)
class Compared:
    """What is compared of all runs, (n_runs, n_queries), and what knows no baseline: computed when it is first used.

    ``targeted`` are the scores against the target, or their logarithms, ``scored`` all that was read.
    """

    request: CompareRequest
    scored: Scored
    targeted: TargetedScores
    values: FloatArray

    @cached_property
    def anova(self) -> variance.Anova | None:
        """The analysis of variance of runs and queries; None where queries are in clusters, unknown to it."""
        return variance.anova(self.values) if self.targeted.scores.clusters is None else None

    @cached_property
    def friedman(self) -> variance.Friedman | None:
        """Friedman's test of all runs; None where queries are in clusters, of which it takes no account."""
        return variance.friedman(self.values) if self.targeted.scores.clusters is None else None

    @cached_property
    def swaps(self) -> Swaps:
        """How often two runs change places between halves of the queries."""
        n_splits, seed, clusters = self.request.splits, self.request.seed, self.targeted.scores.clusters
        return swap_rates(self.values, n_splits=n_splits, seed=seed, clusters=clusters)

    @cached_property
    def all_pairs(self) -> PairTests:
        """The tests of all pairs of runs."""
        return self.pairs_with(None)

    def pairs_with(self, baseline: int | None) -> PairTests:
        """The tests of the pairs with a run that is named, an index; None for all pairs."""
        targeted = self.targeted
        return PairTests.of(targeted.scores, self.request, baseline, target=targeted.target)


@dataclass(frozen=True, eq=False)
class CompareAnswer(AnswerOfScores):
    """All pairs of the runs under one measure, or all runs against one ``baseline``, an index of them.

    ``is_top`` says that the baseline was chosen as the best run, so that its tests allow for all pairs. ``is_single``
    says that there is no other baseline.
    """

    compared: Compared
    baseline: int | None = None
    is_top: bool = False
    is_single: bool = True

    @property
    def request(self) -> CompareRequest:
        """The options of the command."""
        return self.compared.request

    @property
    def scores(self) -> ScoreMatrix:
        """The scores of the listed runs, or their logarithms."""
        return self.compared.targeted.scores

    @property
    def better(self) -> Better:
        """Whether more or less is better of the scores that are compared; total errors are as they are printed."""
        return self.scores.better if self.request.of == "mean" else "more"

    @cached_property
    def means(self) -> FloatArray:
        """The mean over the queries of what is compared, (n_runs,)."""
        means: FloatArray = self.compared.values.mean(axis=1)
        return means

    @cached_property
    def letters(self) -> list[str] | None:
        """The letter of each run, the best first; None where none are asked for. Raises what `letters_of` raises."""
        if self.request.marks != "letters":
            return None
        return letters_of(in_order(self.means if self.request.lower_is_better else -self.means, self.runs))

    @property
    def target(self) -> VirtualTarget:
        """What total errors are measured against."""
        return self.compared.targeted.target

    @property
    def baseline_name(self) -> str | None:
        """The run that all others are compared with."""
        return None if self.baseline is None else self.runs[self.baseline]

    @cached_property
    def tests(self) -> PairTests:
        """The tests of the pairs. Raises `DataError` for a single run or query."""
        if self.baseline is None:
            return self.compared.all_pairs
        if self.is_top:
            return self.compared.all_pairs.against_top(self.baseline)
        return self.compared.pairs_with(self.baseline)

    @cached_property
    def ranks(self) -> RunRanks:
        """The runs that each run beats, and the range of its rank."""
        return RunRanks(self.tests)

    @cached_property
    def power(self) -> list[Power]:
        """How many pairs each test finds."""
        return power_of_tests(self.tests)

    @cached_property
    def size(self) -> SampleSize:
        """The differences that the queries can find."""
        return sample_size(self.tests)


def answer(track: Track, request: CompareRequest) -> list[CompareAnswer]:
    """The runs compared, for every measure of a track, every target of totals, and every baseline.

    Raises `DataError` for a baseline that is not there, `UsageError`
    for a target that what is compared cannot have.
    """
    if not request.lower_is_better:  # a mean score has no target
        request = replace(request, target=request.target[:1])
    answers = []
    for scored, targeted in targeted_track(track.in_clusters(request.clusters), request):
        scores, wanted = targeted.scores, for_rows(request, targeted.scores)
        compared = Compared(wanted, scored, targeted, values_to_compare(scores, targeted.target, request.of))
        named = ((scores.runs.index(listed_run(spec, scores)), spec.kind == "top") for spec in request.specs)
        baselines = list(dict.fromkeys(named))
        answers += [CompareAnswer(compared, *baseline, len(baselines) == 1) for baseline in baselines]
        answers += [] if baselines else [CompareAnswer(compared)]
    return answers
