"""Monte Carlo tests: samples of a model, and the median, interval and p-value that they give an observed number.

Every use of random numbers has a stream of its own behind the one seed that the user gives. In one analysis of one
track no two streams meet. `PARTITIONS` and `HALVES` are started by a number of queries, all others by a word of their
own, and those that are drawn in blocks by the number of the block besides. A partition into subsets of one query, or
into one subset, has the number of another stream; but there is nothing to draw in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import nullcontext
from enum import Enum, unique
from math import isnan, nan
from threading import Event
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray
from biasvar_cli.progress import finished

if TYPE_CHECKING:
    Generators = Callable[[int], np.random.Generator]  # that of each block


@unique
class Stream(Enum):
    """The uses of random numbers, each by what starts it and a word that no other of its kind has."""

    PARTITIONS = "number", 0  # random partitions of the queries; started by the subset size
    HALVES = "number", 1  # halves of the queries, whose rankings are compared; started by the number of queries
    QUERIES = "word", 0  # bootstrap over queries
    RUNS = "word", 1  # bootstrap over runs or teams
    NULL = "block", 0  # samples of the null model
    NULL_FRESH = "block", 1  # more samples of it, to which no line was fitted
    SHUFFLED = "block", 2  # scores shuffled among the runs
    CROSS_HALVES = "block", 3  # halves of the queries, bias² on one and variance on the other
    SUBSETS = "block", 4  # subsets of the queries, on which rank correlations are computed again
    SIGNS = "block", 5  # signs of the differences of two runs
    PAIRED = "block", 6  # bootstrap of single pairs of runs
    TUKEY = "block", 7  # scores shuffled among the runs, for the largest difference of all pairs
    STEP_DOWN = "block", 8  # bootstrap of all pairs of runs together
    SWAPS = "block", 9  # two halves of the queries, on which pairs of runs may change places
    FAVOUR = "block", 10  # bootstrap of all runs together, of which a judge may favour some


def generator(stream: Stream, seed: int, number: int = 0) -> np.random.Generator:
    """The generator of a stream; ``number`` is the number of queries that starts it, or the block.

    >>> first, again, other = (generator(stream, 0, 5) for stream in (Stream.HALVES, Stream.HALVES, Stream.NULL))
    >>> first.random() == again.random() != other.random()
    True
    """
    start, word = stream.value
    if start == "block":
        return np.random.default_rng(np.random.SeedSequence([seed, word], spawn_key=(number,)))
    return np.random.default_rng([seed, number if start == "number" else word])


Item = TypeVar("Item")
Result = TypeVar("Result")

USUAL_SAMPLES = 300
FEWEST_SAMPLES = 100
AT_ONCE = 100  # samples of a block that a thread works on at a time
LARGE_SAMPLE = 2**16  # scores of a sample from which on it is worked on alone, with its queries first
_FEW_AT_ONCE = 10  # samples of a block of 100 that a thread works on at a time where they are large
_SMALL_BLOCK = 250  # samples of `Draws.blocks`: what is made of them stays small
_BLOCK_SCORES = 2**25  # scores of one block, 256 MB
_SCORES_OF_A_RUN = 40  # that cost as much time as a run's place among the others


def over_blocks(
    draw: Callable[[np.random.Generator, int], FloatArray],
    statistic: Callable[[FloatArray], FloatArray],
    n_samples: int,
    generators: Generators,
    *,
    size: int = USUAL_SAMPLES,
    jobs: int = 1,
    first: int = 0,
    n_models: int = 1,
    finish: Callable[[FloatArray], FloatArray] = np.asarray,
) -> FloatArray:
    """A statistic of each sample, (size, R, n) to (size, ...), over samples in blocks of ``size``: (n_samples, ...).

    Every block has a generator of its own and is drawn whole: the first samples are the same however many are asked
    for, and blocks from the ``first`` on add to earlier ones.

    As many blocks are in memory as there are jobs, which are threads; a single block is shared by them. Their
    number changes nothing in the result. What ``finish`` makes of the statistics of some samples, if more than one in
    less time, takes their place. Each sample counts as one of each of ``n_models`` in `progress.finished`.

    >>> draw, best = lambda rng, n_samples: rng.random((n_samples, 2, 3)), lambda samples: samples.max(axis=1)
    >>> one, two = (over_blocks(draw, best, 7, np.random.default_rng, size=3, jobs=jobs) for jobs in (1, 2))
    >>> one.shape, bool((one == two).all())
    ((7, 3), True)
    """
    n_blocks, together = -(-n_samples // size), max(1, _FEW_AT_ONCE // size)
    alone = n_blocks == 1

    def report(values: FloatArray) -> None:
        finished("simulated", n_models * len(values))

    def of_block(number: int) -> FloatArray:
        samples = draw(generators(first + number), size)[: n_samples - number * size]
        at_once = AT_ONCE if samples[0].size <= LARGE_SAMPLE else _FEW_AT_ONCE
        some = [samples[start : start + at_once] for start in range(0, len(samples), at_once)]
        if not alone:
            return np.concatenate([statistic(part) for part in some])
        return np.concatenate(by_threads(lambda part: finish(statistic(part)), some, jobs, report))

    if alone:
        return of_block(0)

    def of_blocks(start: int) -> FloatArray:
        return finish(np.concatenate([of_block(number) for number in range(n_blocks)[start : start + together]]))

    return np.concatenate(by_threads(of_blocks, range(0, n_blocks, together), jobs, report))


def by_threads(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int,
    report: Callable[[Result], None] | None = None,
) -> list[Result]:
    """What ``work`` makes of each item, in their order, by as many threads as there are jobs.

    The caller's own thread calls ``report`` with every result, in the same order.

    >>> by_threads(abs, [-1, 2], 2, print)
    1
    2
    [1, 2]
    """
    with ThreadPoolExecutor(min(jobs, len(items))) if jobs > 1 and len(items) > 1 else nullcontext() as pool:
        results = []
        for result in (map if pool is None else pool.map)(work, items):
            if report is not None:
                report(result)
            results.append(result)
    return results


class Draws(NamedTuple):
    """How the samples of a test are drawn: their number, the generator of each block, and the number of threads.

    Each block that is finished is told to `progress.finished`, unless the samples are drawn ``again``.
    """

    n_samples: int
    generators: Generators
    jobs: int = 1
    again: bool = False

    def finished(self, n_samples: int | None = None) -> None:
        """Say that samples are finished: all of them, where none had to be drawn."""
        if not self.again:
            finished("tested", self.n_samples if n_samples is None else n_samples)

    def blocks(self, work: Callable[[np.random.Generator, int], Result]) -> Iterator[Result]:
        """What ``work`` makes of blocks of samples, in their order, from a generator and a number of samples each.

        The blocks do not depend on ``jobs``. An error or an interrupt ends the work: blocks that have not been started
        never are.

        >>> draws = Draws(600, np.random.default_rng, jobs=2)
        >>> [len(block) for block in draws.blocks(lambda rng, size: rng.random(size))]
        [250, 250, 100]
        """
        sizes = [min(_SMALL_BLOCK, self.n_samples - start) for start in range(0, self.n_samples, _SMALL_BLOCK)]
        ended = Event()

        def of_block(number: int) -> Result:
            if ended.is_set():
                raise CancelledError  # never seen: blocks start in order, so the error that ended the work comes before
            try:
                return work(self.generators(number), sizes[number])
            except BaseException:
                ended.set()
                raise

        with ThreadPoolExecutor(self.jobs) as pool:
            made = (map if self.jobs == 1 else pool.map)(of_block, range(len(sizes)))
            try:
                for size, result in zip(sizes, made, strict=True):
                    self.finished(size)
                    yield result
            finally:
                ended.set()
                pool.shutdown(wait=False, cancel_futures=True)


def block_size(n_runs: int, n_queries: int) -> int:
    """How many samples to draw together: 300, fewer of a large matrix, at least 100.

    A sample costs its scores and 40 more for every run, which has to be ranked; a block costs 2^25, or 256 MB.

    >>> block_size(143, 48), block_size(1000, 250), block_size(5000, 5)
    (300, 115, 149)
    """
    return max(FEWEST_SAMPLES, min(USUAL_SAMPLES, affordable_samples(n_runs, n_queries)))


def affordable_samples(n_runs: int, n_queries: int) -> int:
    """How many samples of a matrix cost no more than one block may: see `block_size`."""
    return _BLOCK_SCORES // (n_runs * (n_queries + _SCORES_OF_A_RUN))


class Simulated(NamedTuple):
    """What the samples of a model say of a number: their median, their central 95 %, and the p-value of the number.

    ``n_samples`` counts the samples that have a number, ``n_undefined`` those left out. All is nan where none has one,
    and ``p`` where there is no observed number.
    """

    median: float
    low: float
    high: float
    p: float
    n_samples: int
    n_undefined: int


class Tails(NamedTuple):
    """What the samples of a model say of a number: their median, their central 95 %, and the p of both tails.

    ``n_undefined`` samples have no such number and are left out. All is nan where no sample has one.
    """

    median: float
    low: float
    high: float
    p_lower: float
    p_upper: float
    n_samples: int
    n_undefined: int


def tails(observed: float, samples: FloatArray) -> Tails:
    """The observed number among samples, shape (n_samples,): p = (1 + #{samples as extreme}) / (B + 1) in each tail.

    Samples that are not finite are left out and counted, B without them. Those that equal the observed number up to
    rounding count in both tails.

    >>> tails(-0.5, np.array([-0.9, -0.8, -0.7, np.nan]))[3:]
    (1.0, 0.25, 3, 1)
    """
    drawn = samples[np.isfinite(samples)]
    if not len(drawn):
        return Tails(nan, nan, nan, nan, nan, 0, len(samples))
    low, median, high = middle(drawn)
    p_lower, p_upper = upper_p(-observed, -drawn), upper_p(observed, drawn)
    return Tails(median, low, high, p_lower, p_upper, len(drawn), len(samples) - len(drawn))


def summarise(observed: float, samples: FloatArray, *, upper: bool = False) -> Simulated:
    """The samples of a number, shape (n_samples,), beside the observed one: `tails` with one p.

    It is min(1, 2 min of both tails), or with ``upper`` that of the upper tail.

    >>> summarise(-0.5, np.array([-0.9, -0.8, -0.7, -0.6, np.nan])).p, summarise(-0.5, np.array([-0.9])).median
    (0.4, -0.9)
    >>> summarise(0.3, np.array([0.1 + 0.2, 0.1, 0.2, 0.2])).p, summarise(0.0, np.array([0.1, 0.2, 0.3])).p
    (0.8, 0.5)
    """
    of_model = tails(observed, samples)
    is_one_tail = upper or isnan(of_model.p_upper)
    p = of_model.p_upper if is_one_tail else min(1.0, 2 * of_model.p_lower, 2 * of_model.p_upper)
    return Simulated(of_model.median, of_model.low, of_model.high, p, of_model.n_samples, of_model.n_undefined)


def middle(samples: FloatArray) -> tuple[float, float, float]:
    """The 2.5 %, 50 % and 97.5 % quantiles of samples, shape (n_samples,), between which values are interpolated.

    As numpy.quantile has them, which loads much that a short command has no other use for (type 7 of Hyndman and Fan,
    The American Statistician 50, 1996).

    >>> middle(np.array([0.0, 1.0, 4.0, 2.0, 3.0]))
    (0.1, 2.0, 3.9)
    """
    n_steps = len(samples) - 1
    steps = [0.025 * n_steps, 0.5 * n_steps, 0.975 * n_steps]
    low, median, high = np.interp(steps, np.arange(len(samples)), np.sort(samples)).tolist()
    return low, median, high


def upper_p(observed: float, samples: FloatArray) -> float:
    """(1 + #{samples at least as large}) / (B + 1); nan samples are left out, B without them.

    Samples that differ from the observed number by rounding alone, 1e-12 of the largest, count as equal.

    >>> upper_p(0.3, np.array([0.1 + 0.2, 0.1, 0.2]))
    0.5
    """
    samples = samples[np.isfinite(samples)]
    if not np.isfinite(observed) or not len(samples):
        return float("nan")
    tolerance = ROUNDING * max(abs(observed), float(np.abs(samples).max()))
    return (1 + int(np.count_nonzero(samples >= observed - tolerance))) / (len(samples) + 1)
