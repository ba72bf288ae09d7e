"""An interval of a correlation that is seen through noise, by the inversion of a test.

The points of a correlation may themselves be estimates, from data that all of them share. Noise of the points' own
draws the correlation towards 0, and noise that is common to both coordinates moves it. What is observed is then near

    scale * f(rho) + shift,    0 <= scale <= 1,

where rho is the correlation without noise, and f(rho) is rho, or for ranks the correlation of normal variates with this
one of their ranks. An interval of the observed value itself, as resampling has it, would be about another number.

Sources: attenuation: Spearman, "The proof and measurement of association between two things", American Journal of
Psychology 15, 1904; intervals by inversion: Neyman, "Outline of a theory of statistical estimation based on the
classical theory of probability", Philosophical Transactions A 236, 1937; ranks of normal variates: Kruskal, "Ordinal
measures of association", JASA 53, 1958; jackknife without more than one: Shao and Wu, "A general theory for jackknife
variance estimation", Annals of Statistics 17, 1989.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray

_GRID = np.linspace(-1, 1, 401)
_HALVINGS = 45  # of a step of the grid: to the last digit
_VALUES = 2**20  # that are worked on together
_LARGEST = 1 - 1e-12  # of a correlation, for its transform


class Latent(NamedTuple):
    """f, which makes a correlation of normal variates of one of their ranks, and its inverse.

    >>> LATENT["spearman"].of(np.array([-1.0, 0.0, 1.0])).round(12).tolist()
    [-1.0, 0.0, 1.0]
    >>> round(float(LATENT["kendall"].of(np.array(1 / 3))), 12), round(float(LATENT["kendall"].back(np.array(0.5))), 12)
    (0.5, 0.333333333333)
    """

    of: Callable[[FloatArray], FloatArray]
    back: Callable[[FloatArray], FloatArray]


LATENT = {
    "pearson": Latent(lambda r: r, lambda r: r),
    "spearman": Latent(lambda rho: 2 * np.sin(np.pi * rho / 6), lambda r: 6 / np.pi * np.arcsin(r / 2)),
    "kendall": Latent(lambda tau: np.sin(np.pi * tau / 2), lambda r: 2 / np.pi * np.arcsin(r)),
}


class Attenuated(NamedTuple):
    """A correlation as observed, and what noise does to it: arrays of one shape."""

    observed: FloatArray
    shift: FloatArray
    scale: FloatArray

    def known(self) -> Attenuated:
        """Those of which all three are finite."""
        finite = np.isfinite(self.observed) & np.isfinite(self.shift) & np.isfinite(self.scale)
        return Attenuated(*(each[finite] for each in self))


def without_noise(whole: Attenuated, latent: Latent) -> float:
    """The correlation that would be observed as it is, in [-1, 1]: f^-1((f(observed) - shift) / scale).

    nan for a scale of 0: noise alone makes the points differ.

    >>> round(without_noise(Attenuated(*map(np.array, (-0.6, -0.1, 0.8))), LATENT["pearson"]), 12)
    -0.625
    """
    if not whole.scale > 0:
        return float("nan")
    return float(latent.back(np.clip((latent.of(whole.observed) - whole.shift) / whole.scale, -1, 1)))


def inverted(
    whole: Attenuated, parts: Attenuated, latent: Latent, *, quantile: float, inflation: float
) -> tuple[float, float]:
    """The ends of the interval: between them is every rho that a test does not reject. ``parts`` are (B,).

    h(rho) = artanh f(observed) - artanh(scale f(rho) + shift) falls as rho rises. Its standard error s(rho) is the
    standard deviation of the h of ``parts``, of subsets of the data, times the root of ``inflation``: n - 1 where each
    of n is left out in turn, (n - d) / d where d are. The low end is the largest rho with h > quantile s, or -1, the
    high one the smallest with h < -quantile s, or 1. A scale of 0 leaves only the sign: all that is rejected is on one
    side of 0.

    Without noise, and with subsets that scatter by .3 on the scale of h, it is tanh(artanh(.5) -+ 2 * .3):

    >>> whole = Attenuated(*map(np.array, (0.5, 0.0, 1.0)))
    >>> parts = Attenuated(np.tanh(np.arctanh(0.5) + np.array([-0.3, 0.3])), np.zeros(2), np.ones(2))
    >>> low, high = inverted(whole, parts, LATENT["pearson"], quantile=2, inflation=1)
    >>> np.array([low, high]).round(6).tolist(), np.tanh(np.arctanh(0.5) + np.array([-0.6, 0.6])).round(6).tolist()
    ([-0.05065, 0.817524], [-0.05065, 0.817524])
    """

    def beyond(sign: int, rho: FloatArray) -> FloatArray:
        """Above 0 where rho, (k,), is rejected as too low (sign 1) or as too high (-1)."""
        apart = _apart(whole, rho[:, None], latent)[:, 0]
        found: FloatArray = sign * apart - quantile * np.sqrt(inflation) * _spread(parts, rho, latent)
        return found

    if whole.scale > 0:
        return _end(1, beyond), _end(-1, beyond)
    too_low, too_high = (bool(beyond(sign, np.zeros(1))[0] > 0) for sign in (1, -1))
    return 0.0 if too_low else -1.0, 0.0 if too_high else 1.0


def _end(sign: int, beyond: Callable[[int, FloatArray], FloatArray]) -> float:
    """The innermost rho that is rejected from below (sign 1) or from above (-1); -1 or 1 where none is."""
    grid = sign * _GRID
    rejected = np.flatnonzero(beyond(sign, grid) > 0)
    if not len(rejected):
        return -float(sign)
    outside, inside = grid[rejected[-1]], grid[min(rejected[-1] + 1, len(grid) - 1)]
    for _ in range(_HALVINGS):
        middle = (outside + inside) / 2
        outside, inside = (middle, inside) if beyond(sign, np.array([middle]))[0] > 0 else (outside, middle)
    return float(outside)


def _apart(found: Attenuated, rho: FloatArray, latent: Latent) -> FloatArray:
    """h(rho), for observed values (B,) and rho (k, 1): (k, B)."""
    expected = np.clip(found.scale * latent.of(rho) + found.shift, -_LARGEST, _LARGEST)
    apart: FloatArray = np.arctanh(np.clip(latent.of(found.observed), -_LARGEST, _LARGEST)) - np.arctanh(expected)
    return apart


def _spread(parts: Attenuated, rho: FloatArray, latent: Latent) -> FloatArray:
    """The standard deviation of h(rho) over the parts: (k,) to (k,)."""
    step = max(1, _VALUES // len(parts.scale))
    blocks = [rho[start : start + step, None] for start in range(0, len(rho), step)]
    spread: FloatArray = np.concatenate([_apart(parts, each, latent).std(axis=1) for each in blocks])
    return spread
