"""Which runs are safe and which are risky against a baseline: what a test over all runs together says of them.

With d = S_f - b on a query and delta_q(alpha) as in `analyses.risk`,

    U_risk(alpha) = (1 + alpha / 2) mean d - (alpha / 2) mean abs(d),

so that a run of the baseline's own mean that merely differs from it has E U_risk < 0 for every alpha above 0. That
t_risk is below -2 is therefore no sign of more risk than chance brings: it is true of more and more of such runs the
more queries there are. What can be tested is the sign of a mean over the queries. Three of them are:

* safe: the mean of d is above 0, and so is U_risk;
* risky at weight alpha: the mean of delta_q(alpha) is below 0: the losses, counted 1 + alpha times, exceed the gains;
* deviant: the mean of abs(d_f) - mean over the other runs of abs(d) is above 0.

Each is a test of its own, of all runs together by `stats.step_down`: any false claim of a kind has a chance of about
the level. `benchmarks/risk_verdicts.py` measures it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from biasvar_cli.analyses.risk.losses import differences, weighed
from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.stats.monte_carlo import Done, Draws, Stream, generator, unwatched
from biasvar_cli.stats.significance import USUAL_RESAMPLES
from biasvar_cli.stats.step_down import step_down

LEVEL = 0.95
N_TESTS = 3


@dataclass(frozen=True, eq=False)
class RiskVerdicts:
    """What is said of each run at one alpha; arrays of the shape (n_runs,), in the order of the runs.

    ``deviation`` is the mean of abs(d) less that of the other runs. ``mean_p``, ``risk_p`` and ``deviation_p`` are the
    two-sided p-values of the means of d and of delta_q(alpha) and of the deviation, each adjusted for the
    ``n_compared`` runs. They are nan for the baseline itself, and for all runs where there are too few queries for the
    test. ``safe``, ``risky`` and ``deviant`` are claimed where p is below 1 - `LEVEL` on the side in question, and of
    no other run.
    """

    alpha: float
    n_compared: int
    n_resamples: int
    seed: int
    deviation: FloatArray
    mean_p: FloatArray
    risk_p: FloatArray
    deviation_p: FloatArray
    safe: BoolArray
    risky: BoolArray
    deviant: BoolArray


def risk_verdicts(
    scores: ScoreMatrix,
    baseline: FloatArray,
    alpha: float,
    *,
    baseline_run: str | None = None,
    n_resamples: int = USUAL_RESAMPLES,
    seed: int = 0,
    jobs: int = 1,
    done: Done = unwatched,
) -> RiskVerdicts:
    """The claims of all runs against a baseline, shape (n_queries,), at the weight ``alpha`` of losses.

    ``baseline_run`` is the run that the baseline is, which is not compared with itself; None if it is no run. ``done``
    is called with numbers of resamples, ``N_TESTS * n_resamples`` in all.

    One run is .1 above the baseline on every query, one .1 below; the third one takes turns, and deviates as they do.
    Of equal sizes, none is larger than the others'.

    >>> turns = np.tile([0.1, -0.1], 6)
    >>> values = 0.5 + np.array([np.full(12, 0.1), np.full(12, -0.1), turns])
    >>> runs = ScoreMatrix(values, ("up", "down", "turns"), tuple("abcdefghijkl"), "AP")
    >>> found = risk_verdicts(runs, np.full(12, 0.5), 1)
    >>> found.safe.tolist(), found.risky.tolist(), found.deviant.tolist()
    ([True, False, False], [False, True, False], [False, False, False])
    """
    compared = np.array([run != baseline_run for run in scores.runs])
    gains = differences(scores.values[compared], baseline)
    draws = Draws(n_resamples, partial(generator, Stream.STEP_DOWN, seed), jobs, done)

    def tested(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Means and p-values of rows, each of the shape (n_runs,), 0 and nan for the baseline."""
        mean, p = np.zeros(scores.n_runs), np.full(scores.n_runs, np.nan)
        mean[compared] = rows.mean(axis=1)
        p[compared] = step_down(rows, LEVEL, draws).p
        return mean, p

    mean, mean_p = tested(gains)
    u_risk, risk_p = tested(weighed(gains, alpha))
    deviation, deviation_p = tested(deviations(gains))
    return RiskVerdicts(
        alpha=alpha,
        n_compared=len(gains),
        n_resamples=n_resamples,
        seed=seed,
        deviation=deviation,
        mean_p=mean_p,
        risk_p=risk_p,
        deviation_p=deviation_p,
        safe=(mean_p < 1 - LEVEL) & (mean > 0) & (u_risk > 0),
        risky=(risk_p < 1 - LEVEL) & (u_risk < 0),
        deviant=(deviation_p < 1 - LEVEL) & (deviation > 0),
    )


def deviations(gains: FloatArray) -> FloatArray:
    """abs(d) of each run less the mean of the other runs' on the same query, (n_runs, n_queries); 0 for a single run.

    What differs by rounding alone is exactly 0, as in `losses.differences`.

    >>> deviations(np.array([[0.3, -0.1], [-0.3, 0.2], [0.0, 0.0]])).round(12).tolist()
    [[0.15, 0.0], [0.15, 0.15], [-0.3, -0.15]]
    """
    size = np.abs(gains)
    if len(size) < 2:
        return np.zeros_like(size)
    return differences(size, (size.sum(axis=0) - size) / (len(size) - 1))
