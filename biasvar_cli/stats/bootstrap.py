"""Bootstrap and jackknife on arrays: weights of resamples, moments under them, and the ends of intervals.

Sources: BCa: Efron, "Better bootstrap confidence intervals", JASA 82, 1987; percentiles: Davison and Hinkley, Bootstrap
Methods and their Application, 1997; jackknife: Miller, "Jackknifing variances", Annals of Mathematical Statistics 39,
1968.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray
from biasvar_cli.errors import UsageError
from biasvar_cli.stats.student import t_quantile

Rule = Literal["bca", "log-jackknife-t", "basic", "percentile", "test-inversion"]

_BLOCK = 500  # resamples that are worked on together
_LARGEST_LOG = 700.0  # of an end; beyond that exp overflows


def require_resamples(level: float, n_resamples: int) -> None:
    """Raises `UsageError` for a level outside (0, 1), and for resamples too few to have one beyond each end."""
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval is between 0 and 1, found {level:g}")
    least = int(np.ceil(2 / (1 - level)))
    if n_resamples < least:
        raise UsageError(f"an interval at {level:g} needs at least {least} resamples, found {n_resamples}")


def resample_weights(
    n_units: int, n_resamples: int, rng: np.random.Generator, *, size: int = _BLOCK
) -> Iterator[FloatArray]:
    """Weights of resampled queries or runs, in blocks of ``size`` resamples: (size, n_units), each row sums to 1.

    A row has the counts of n draws with replacement over n: a multinomial variate. The draws are one stream of random
    numbers, so that blocks of any size hold the same rows.

    >>> blocks = list(resample_weights(4, 5, np.random.default_rng(0), size=3))
    >>> [len(block) for block in blocks], blocks[0][0].tolist()
    ([3, 2], [0.0, 0.25, 0.5, 0.25])
    """
    for start in range(0, n_resamples, size):
        rows = min(size, n_resamples - start)
        drawn = rng.integers(0, n_units, size=(rows, n_units)) + n_units * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * n_units).reshape(rows, n_units) / n_units


def bca(
    resampled: FloatArray, estimate: FloatArray, left_out: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """The ends of the BCa interval (Efron 1987) of each row; (R, B), (R,) and (R, n) give two of (R,).

    They are the quantiles of the resamples at Phi(z0 + (z0 + z) / (1 - a (z0 + z))) for z = the normal quantiles of
    both ends. z0 is the normal quantile of the share of resamples below the estimate; those equal to it (up to 1e-12 of
    the largest) count half, since means of few or coarse scores tie with it (a mid-p), and it is kept 1 / (2 B) from 0
    and 1. a = sum d^3 / (6 (sum d^2)^1.5), the acceleration, is that of d = mean - value of the estimates with each
    query left out. Where nothing varies, both ends are the estimate.

    A symmetric example has z0 = a = 0, and the quantiles are plain ones: of 0, ..., 100 at .05 and .95.

    >>> low, high = bca(np.arange(101.0)[None], np.array([50.0]), np.array([[49.0, 50.0, 51.0]]), 0.9)
    >>> low.round(9).tolist(), high.round(9).tolist()
    ([5.0], [95.0])
    """
    from scipy.special import ndtri

    n_resamples = resampled.shape[1]
    tolerance = ROUNDING * np.abs(resampled).max(axis=1)
    below = np.count_nonzero(resampled < (estimate - tolerance)[:, None], axis=1)
    at_most = np.count_nonzero(resampled <= (estimate + tolerance)[:, None], axis=1)
    middle = np.clip((below + at_most) / (2 * n_resamples), 0.5 / n_resamples, 1 - 0.5 / n_resamples)
    shift, acceleration, ordered = ndtri(middle), _acceleration(left_out), np.sort(resampled, axis=1)
    low, high = (
        _quantiles(ordered, _adjusted(ndtri(tail), shift, acceleration)) for tail in ((1 - level) / 2, (1 + level) / 2)
    )
    return low, high


def percentile(resampled: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """The quantiles of each row that leave (1 - level) / 2 beyond each end; (R, B) gives two of (R,).

    >>> low, high = percentile(np.arange(101.0)[None], 0.9)
    >>> low.round(9).tolist(), high.round(9).tolist()
    ([5.0], [95.0])
    """
    ordered = np.sort(resampled, axis=1)
    low, high = (_quantiles(ordered, np.full(len(resampled), at)) for at in ((1 - level) / 2, (1 + level) / 2))
    return low, high


def log_jackknife_t(estimate: FloatArray, left_out: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """exp(mean -+ t sd / sqrt n) of the pseudo-values n ln V - (n - 1) ln V_(-q) (Miller 1968); two of (R,).

    ``estimate`` V has the shape (R,), ``left_out`` (R, n) has V without each query; t is Student's quantile with n - 1
    degrees of freedom, sd has the divisor n - 1. The ends are nan where a value is 0, which has no logarithm. Half the
    width on the scale of the logarithm is near 2 sd / sqrt n, from which the queries for a wanted width follow.

    >>> low, high = log_jackknife_t(np.array([0.08 / 3]), np.array([[0.01, 0.04, 0.01]]), 0.95)  # by hand: `intervals`
    >>> low.round(5).tolist(), high.round(3).tolist()
    ([0.00141], [4.013])
    """
    n = left_out.shape[1]
    known = (estimate > 0) & (left_out.min(axis=1) > 0)
    whole, parts = np.where(known, estimate, 1.0), np.where(known[:, None], left_out, 1.0)
    pseudo = n * np.log(whole)[:, None] - (n - 1) * np.log(parts)
    centre, half = pseudo.mean(axis=1), t_quantile((1 + level) / 2, n - 1) * pseudo.std(axis=1, ddof=1) / np.sqrt(n)
    limits = np.clip([centre - half, centre + half], -_LARGEST_LOG, _LARGEST_LOG)
    low, high = np.where(known, np.exp(limits), np.nan)
    return low, high


def _acceleration(left_out: FloatArray) -> FloatArray:
    """sum d^3 / (6 (sum d^2)^1.5) of each row, (R, n) to (R,); 0 where nothing varies."""
    deviations = left_out.mean(axis=1, keepdims=True) - left_out
    largest = np.abs(deviations).max(axis=1, keepdims=True)
    unit = deviations / np.where(largest > 0, largest, 1.0)
    acceleration: FloatArray = (unit**3).sum(axis=1) / (6 * np.maximum((unit**2).sum(axis=1), 1.0) ** 1.5)
    return acceleration


def _adjusted(z: float, z0: FloatArray, acceleration: FloatArray) -> FloatArray:
    """Phi(z0 + (z0 + z) / (1 - a (z0 + z))), (R,); beyond the pole, the end that it runs off to."""
    from scipy.special import ndtr

    bent = 1 - acceleration * (z0 + z)
    beyond = np.where(z0 + z > 0, np.inf, -np.inf)
    np.divide(z0 + z, bent, out=beyond, where=bent > 0)
    adjusted: FloatArray = ndtr(z0 + beyond)
    return adjusted


def _quantiles(ordered: FloatArray, at: FloatArray) -> FloatArray:
    """The quantile of each ascending row at its own probability, (R, B) and (R,) to (R,); linear, as numpy's."""
    place = at * (ordered.shape[1] - 1)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, ordered.shape[1] - 1)
    rows = np.arange(len(ordered))
    low, high = ordered[rows, below], ordered[rows, above]
    quantiles: FloatArray = low + (place - below) * (high - low)
    return quantiles
