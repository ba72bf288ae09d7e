"""Tables of quantiles at steps of the standard normal deviate, and how samples are read from them.

A score is drawn as the quantile of its law at Phi(z). The deviates z of a query are correlated between runs, as the
runs' own scores are; the laws are tables over a grid of z, and a score is read from them by two look-ups and a straight
line between.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray

STEP = 0.2
Z = np.round(np.arange(-3.6, 3.6 + STEP / 2, STEP), 1)  # the grid of deviates
PROBABILITIES = np.array([NormalDist().cdf(z) for z in Z])  # Phi(z)
WEIGHTS = np.diff(
    [NormalDist().cdf(cut) for cut in (-np.inf, *(Z[:-1] + STEP / 2), np.inf)]
)  # normal mass about each z

_NODES = 401  # at which the density of a Beta distribution is added up
_TAIL = 45.0  # on the logit scale; beyond it the density is that of a power of x, or of 1 - x


class Deviates(NamedTuple):
    """Standard normal deviates, as places on the grid: the step below, and the way from there to the next in [0, 1]."""

    below: IntArray
    fraction: FloatArray

    @classmethod
    def of(cls, z: FloatArray) -> Deviates:
        """Deviates beyond the grid are put on its ends.

        >>> Deviates.of(np.array([-9.0, 0.1, 9.0]))
        Deviates(below=array([ 0, 18, 35]), fraction=array([0. , 0.5, 1. ]))
        """
        place = np.clip((z - Z[0]) / STEP, 0, len(Z) - 1)
        index = np.minimum(place.astype(np.intp), len(Z) - 2)
        place -= index
        return cls(index, place)

    def read(self, tables: FloatArray, rows: IntArray) -> FloatArray:
        """The quantiles at these deviates in the rows of some tables, (T, len(Z)); ``rows`` broadcast to the deviates.

        >>> Deviates.of(np.array([-3.6, 0.1, 3.6])).read(Z[None], np.zeros(3, dtype=int)).round(9).tolist()
        [-3.6, 0.1, 3.6]
        """
        flat, place = tables.reshape(-1), rows * len(Z) + self.below
        low = flat.take(place)
        place += 1
        high = flat.take(place)
        high -= low
        high *= self.fraction
        high += low
        return high


def beta_quantiles(mean: FloatArray, precision: FloatArray) -> FloatArray:
    """The quantiles of Beta(p phi, (1 - p) phi) at Phi(`Z`), for laws (L,) with mean p and precision phi: (L, len(Z)).

    The density of y = logit x, proportional to x^a (1 - x)^b, is added up by the trapezoidal rule over nodes that lie
    close together near the mean and far apart in the tails; beyond 45 from it the mass is that of e^(a y), or e^(-b y).
    Within .002 of the exact quantiles; scipy has them exactly, but its import alone costs
    more than all tables of a track.

    >>> beta_quantiles(np.array([0.5]), np.array([2.0]))[0, [0, 18, 36]].round(4).tolist()  # uniform: Phi(z) itself
    [0.0002, 0.5, 0.9998]
    """
    a, b = mean * precision, (1 - mean) * precision
    logit = np.log(mean / (1 - mean))
    width = 1 / np.sqrt(precision * mean * (1 - mean) + 0.1)
    reach = np.arcsinh((_TAIL + np.abs(logit)) / width)
    steps = np.linspace(-1, 1, _NODES) * reach[:, None]
    y = logit[:, None] + width[:, None] * np.sinh(steps)
    log_density = -a[:, None] * np.logaddexp(0, -y) - b[:, None] * np.logaddexp(0, y)
    log_density -= log_density.max(axis=1, keepdims=True)
    density = np.exp(log_density)
    pieces = (density[:, 1:] + density[:, :-1]) / 2 * np.diff(y, axis=1)
    below, above = density[:, :1] / a[:, None], density[:, -1:] / b[:, None]
    mass = np.cumsum(np.concatenate([below, pieces], axis=1), axis=1)
    total = mass[:, -1:] + above
    mass /= total
    return np.stack([_inverse(*each) for each in zip(mass, y, a, b, strict=True)])


def _inverse(mass: FloatArray, y: FloatArray, a: float, b: float) -> FloatArray:
    """The quantiles of x = sigmoid(y) at `PROBABILITIES`, where ``mass`` is the probability below each y."""
    found = np.interp(PROBABILITIES, mass, y)
    low, high = mass[0] > PROBABILITIES, mass[-1] < PROBABILITIES
    with np.errstate(over="ignore"):
        found[low] = y[0] + np.log(PROBABILITIES[low] / mass[0]) / a
        found[high] = y[-1] - np.log((1 - PROBABILITIES[high]) / (1 - mass[-1])) / b
        quantile: FloatArray = 1 / (1 + np.exp(-found))
    return quantile
