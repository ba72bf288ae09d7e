"""What several null models say of one number together: their range, and whether it lies beyond all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.stats.monte_carlo import Simulated, upper_p

Verdict = Literal["stronger", "weaker", "none"]

LEVEL = 0.015  # of one tail in every model; simulation says so: docs/definitions.md
NEAR = (0.004, 0.045)  # p that 300 samples cannot tell from the level


class Tails(NamedTuple):
    """What the samples of one model say of a number: their median, their central 95 %, and the p of both tails.

    ``n_undefined`` samples have no such number and are left out. All is nan where no sample has one.
    """

    median: float
    low: float
    high: float
    p_lower: float
    p_upper: float
    n_samples: int
    n_undefined: int

    @property
    def p_least(self) -> float:
        """The p of the smaller tail."""
        return min(self.p_lower, self.p_upper)


def tails(observed: float, samples: FloatArray) -> Tails:
    """The observed number among samples, shape (n_samples,): p = (1 + #{samples as extreme}) / (B + 1) in each tail.

    Samples that equal the observed number up to rounding count in both tails.

    >>> tails(-0.5, np.array([-0.9, -0.8, -0.7, np.nan]))[3:]
    (1.0, 0.25, 3, 1)
    """
    drawn = samples[np.isfinite(samples)]
    if not len(drawn):
        nan = float("nan")
        return Tails(nan, nan, nan, nan, nan, 0, len(samples))
    low, median, high = (float(value) for value in np.quantile(drawn, [0.025, 0.5, 0.975]))
    return Tails(
        median,
        low,
        high,
        upper_p(-observed, -drawn),
        upper_p(observed, drawn),
        len(drawn),
        len(samples) - len(drawn),
    )


def together(models: Mapping[str, Tails]) -> Simulated:
    """The widest range of some models, the median of the first, and p = min(1, 2 max over models of the smaller tail).

    >>> first = Tails(-0.9, -0.95, -0.8, 0.99, 0.01, 300, 0)
    >>> together({"common": first, "by-query": first._replace(low=-0.97, p_upper=0.02)})[:4]
    (-0.9, -0.97, -0.8, 0.04)
    """
    said = list(models.values())
    return Simulated(
        median=said[0].median,
        low=min(model.low for model in said),
        high=max(model.high for model in said),
        p=min(1.0, 2 * max(model.p_least for model in said)),
        n_samples=min(model.n_samples for model in said),
        n_undefined=max(model.n_undefined for model in said),
    )


def verdict(models: Mapping[str, Tails]) -> Verdict:
    """``stronger`` (more negative) or ``weaker`` where the number lies beyond all models at the `LEVEL`, else ``none``.

    >>> first = Tails(-0.9, -0.95, -0.8, 0.99, 0.01, 300, 0)
    >>> verdict({"common": first}), verdict({"common": first, "by-query": first._replace(p_upper=0.02)})
    ('weaker', 'none')
    """
    if all(model.p_lower <= LEVEL for model in models.values()):
        return "stronger"
    return "weaker" if all(model.p_upper <= LEVEL for model in models.values()) else "none"


def undecided(models: Mapping[str, Tails]) -> bool:
    """Whether the p that decides is too near the `LEVEL` to be told from it by a few hundred samples.

    >>> first = Tails(-0.9, -0.95, -0.8, 0.99, 0.01, 300, 0)
    >>> undecided({"common": first}), undecided({"common": first._replace(p_upper=0.2)})
    (True, False)
    """
    decides = min(max(getattr(model, tail) for model in models.values()) for tail in ("p_lower", "p_upper"))
    return bool(NEAR[0] <= decides <= NEAR[1])
