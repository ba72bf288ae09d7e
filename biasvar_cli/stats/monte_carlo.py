"""Monte Carlo tests: samples of a model, and the median, interval and p-value that they give an observed number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import FloatArray

Draw = Callable[[np.random.Generator, int], FloatArray]

_BLOCK = 500  # samples that are drawn together
_BLOCK_SCORES = 2**25  # scores of one block, 256 MB


def in_blocks(draw: Draw, n_samples: int, seed: int | list[int], size: int = _BLOCK) -> Iterator[FloatArray]:
    """Samples in blocks of ``size``, the last one cut to what is missing, so that memory stays bounded.

    Every block has a generator of its own, the child of the seed with its number, and is drawn whole: the first samples
    are the same however many are asked for.

    >>> draw = lambda rng, n_samples: rng.random((n_samples, 1, 1))
    >>> [len(block) for block in in_blocks(draw, 7, seed=0, size=3)]
    [3, 3, 1]
    """
    for number, start in enumerate(range(0, n_samples, size)):
        yield _block(draw, seed, number, size)[: n_samples - start]


def over_blocks(
    draw: Draw,
    statistic: Callable[[FloatArray], FloatArray],
    n_samples: int,
    seed: int | list[int],
    *,
    size: int = _BLOCK,
    jobs: int = 1,
) -> FloatArray:
    """A statistic of each sample, (size, R, n) to (size, ...), over `in_blocks`: shape (n_samples, ...).

    As many blocks are in memory as there are jobs, which are threads; the result is the same whatever their number.

    >>> draw, best = lambda rng, n_samples: rng.random((n_samples, 2, 3)), lambda samples: samples.max(axis=1)
    >>> one, two = (over_blocks(draw, best, 7, seed=0, size=3, jobs=jobs) for jobs in (1, 2))
    >>> one.shape, bool((one == two).all())
    ((7, 3), True)
    """
    numbers = range(-(-n_samples // size))
    if jobs == 1 or len(numbers) == 1:
        return np.concatenate([statistic(block) for block in in_blocks(draw, n_samples, seed, size)])
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(lambda number: statistic(_block(draw, seed, number, size)), numbers))
    return np.concatenate(found)[:n_samples]


def block_size(n_runs: int, n_queries: int) -> int:
    """How many samples to draw together: 500, or less where a block of them would exceed 256 MB, but at least 100.

    >>> block_size(143, 48), block_size(1000, 250)
    (500, 134)
    """
    return max(100, min(_BLOCK, _BLOCK_SCORES // (n_runs * n_queries)))


@dataclass(frozen=True)
class Reference:
    """What a reference model says of a number: the median and the central 95 % of its samples, and the p-value.

    ``n_samples`` counts the samples that have a number, ``n_undefined`` those left out. All is nan where none has one,
    and ``p`` where there is no observed number.
    """

    median: float
    low: float
    high: float
    p: float
    n_samples: int
    n_undefined: int


def compare(observed: float, samples: FloatArray, *, upper: bool = False) -> Reference:
    """An observed number beside samples of it, shape (n_samples,); ``upper`` asks for the p-value of the upper tail.

    >>> compare(-0.5, np.array([-0.9, -0.8, -0.7, -0.6, np.nan])).p, compare(-0.5, np.array([-0.9])).median
    (0.4, -0.9)
    """
    drawn = samples[np.isfinite(samples)]
    if not len(drawn):
        nan = float("nan")
        return Reference(nan, nan, nan, nan, 0, len(samples))
    low, median, high = (float(value) for value in np.quantile(drawn, [0.025, 0.5, 0.975]))
    p = (upper_p if upper else two_sided_p)(observed, drawn)
    return Reference(median, low, high, p, len(drawn), len(samples) - len(drawn))


def two_sided_p(observed: float, samples: FloatArray) -> float:
    """min(1, 2 min over both tails of (1 + #{samples as extreme}) / (B + 1)); nan samples are left out, B without them.

    Samples that differ from the observed number by rounding alone, 1e-12 of the largest, count as equal, in both tails.

    >>> two_sided_p(0.3, np.array([0.1 + 0.2, 0.1, 0.2, 0.2])), two_sided_p(0.0, np.array([0.1, 0.2, 0.3]))
    (0.8, 0.5)
    """
    above, below = upper_p(observed, samples), upper_p(-observed, -samples)
    return above if np.isnan(above) else min(1.0, 2 * above, 2 * below)


def upper_p(observed: float, samples: FloatArray) -> float:
    """(1 + #{samples at least as large}) / (B + 1), with ties and nan as in `two_sided_p`.

    >>> upper_p(0.3, np.array([0.1 + 0.2, 0.1, 0.2]))
    0.5
    """
    samples = samples[np.isfinite(samples)]
    if not np.isfinite(observed) or not len(samples):
        return float("nan")
    tolerance = 1e-12 * max(abs(observed), float(np.abs(samples).max()))
    return (1 + int(np.count_nonzero(samples >= observed - tolerance))) / (len(samples) + 1)


def _block(draw: Draw, seed: int | list[int], number: int, size: int) -> FloatArray:
    """Block ``number`` of the samples of a seed: what SeedSequence(seed).spawn gives it to draw with."""
    return draw(np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,))), size)
