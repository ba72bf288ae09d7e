"""Switch points: the means of the target at which two runs change places in the ranking by total error.

The total error of a run against a target of mean m is E S^2 - 2 m E S + m^2 (SIGIR'13 Eq. 3, written out), so that two
runs of unlike means have the same total at one m.

Source: SIGIR'13: Zhang, Song, Wang, Hou, "Bias-Variance Decomposition of IR Evaluation", SIGIR 2013, for the total; the
switch points are derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray, difference, equalised
from biasvar_cli.decomposition.moments import moments
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.scores import ScoreMatrix


@dataclass(frozen=True, eq=False)
class SwitchPoints:
    """At which means of the target the ranking by total changes, in the score form.

    ``order`` has the places of the runs from the least total up, (n_runs,). ``point``, (n_runs - 1,), is the mean at
    which the run at each place of the order and the next one change places, nan if they never do; ``within`` is whether
    that is on the way from the present ``mean`` to 1. ``low`` and ``high``, (n_runs,) in the order of ``runs``, are the
    nearest means below and above at which the run changes places with any other, infinite if there are none.
    ``lowest`` and ``highest`` bound the means under which the whole ranking is as it is.
    """

    runs: tuple[str, ...]
    mean: float
    order: IntArray
    point: FloatArray
    within: BoolArray
    low: FloatArray
    high: FloatArray

    @property
    def lowest(self) -> float:
        return float(self.low.max())

    @property
    def highest(self) -> float:
        return float(self.high.min())


def switch_point(f: FloatArray, g: FloatArray) -> FloatArray:
    """The mean of the target at which two runs have the same total: scores (..., n) and (..., n) give (...).

    m* = (E S_f^2 - E S_g^2) / (2 (E S_f - E S_g)); nan where the means are equal. Above m* the run of the higher mean
    has the smaller total, below it the other one.

    The runs A and B of SIGIR'13, Table 1: (.05 - .1832) / (2 (.2 - .34)):

    >>> switch_point(np.array([0.3, 0.1]), np.array([0.6, 0.08])).round(6)
    np.float64(0.475714)
    """
    apart = difference(f, g)
    gap = np.asarray(difference(np.asarray(f.mean(axis=-1)), np.asarray(g.mean(axis=-1))))
    point: FloatArray = np.full(gap.shape, np.nan)
    np.divide((apart * (f + g)).mean(axis=-1), 2 * gap, out=point, where=gap != 0)
    return point


def switch_points(scores: ScoreMatrix, target: VirtualTarget) -> SwitchPoints:
    """Where the ranking by total, in the score form, changes as the mean of the target moves.

    Between two neighbours in the ranking it changes at their `switch_point`, and the nearest of these on either side is
    the end of the present ranking. A run keeps its own rank up to the nearest switch point with any run. Runs that are
    equal now, up to rounding, switch at the present mean.

    With a target of mean .45 A is before B and C (SIGIR'13, Table 1); B and C have equal means and never switch:

    >>> from biasvar_cli.decomposition.target import given_mean
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])
    >>> runs = ScoreMatrix(values, ("A", "B", "C"), ("q1", "q2"), "AP")
    >>> found = switch_points(runs, given_mean(0.45))
    >>> found.order.tolist(), found.point.round(6).tolist(), found.within.tolist()
    ([0, 1, 2], [0.475714, nan], [True, False])
    >>> found.low.tolist(), found.high.round(4).tolist()
    ([-inf, -inf, -inf], [0.4757, 0.4757, 0.5775])
    """
    values, mean = scores.values, target.mean
    order = np.argsort(equalised(moments(values, None, mean).total), kind="stable")
    low, high = np.full(scores.n_runs, -np.inf), np.full(scores.n_runs, np.inf)
    for run, row in enumerate(values):
        points = _snapped(switch_point(row, values), mean)
        low[run] = points.max(where=points <= mean, initial=-np.inf)
        high[run] = points.min(where=points >= mean, initial=np.inf)
    point = _snapped(switch_point(values[order[:-1]], values[order[1:]]), mean)
    within = (min(mean, 1.0) <= point) & (point <= max(mean, 1.0))
    return SwitchPoints(scores.runs, mean, order, point, within, low, high)


def _snapped(points: FloatArray, mean: float) -> FloatArray:
    """The switch points, and exactly the mean where they differ from it by rounding alone."""
    return np.where(np.abs(points - mean) <= ROUNDING * max(1.0, abs(mean)), mean, points)
