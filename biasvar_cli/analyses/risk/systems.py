"""Risk of systems that have several runs: would runs from other seeds, on other queries, say the same?

The tests are those of `stats.systems` with Holm's correction. A mean difference is a weighted sum of the systems'
scores. U_risk and the size of a difference are not: they bend where a run is as good as the baseline. Their part of the
runs is by the delta method, with the derivatives of delta_q(alpha) and abs(d_q) by the score of each system, which are
1 or 1 + alpha, and 1 or -1, by the sign of d_q, times those of d_q. Those of a baseline are 1 for a system, 1 / R for
the mean, 1 for the system that has the median or the best score of a query, and none for a file.

U_risk and sizes of differences are of the means over the runs at hand, and what is tested are their expectations for so
many runs: noise of single runs adds losses, and the mean of fewer runs has more of it.
`benchmarks/system_tests.py` measures how often the tests err.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

import numpy as np

from biasvar_cli.analyses.risk.losses import deviations, differences, weighed
from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.score_matrix import Replicates, ScoreMatrix
from biasvar_cli.scoring.targets import Baseline
from biasvar_cli.specs.limits import LEVEL
from biasvar_cli.stats.paired import PairedRows
from biasvar_cli.stats.significance import CORRECTIONS
from biasvar_cli.stats.systems import Plan, SystemFunctions, SystemRows


@dataclass(frozen=True, eq=False)
class RiskSystems:
    """Systems against a baseline, which may be one of them.

    ``scores`` are those of the listed ones, ``pool`` those of all that the baseline and the floor of variances are made
    from. ``half_width`` asks for the numbers of runs and of queries that an interval of plus and minus so much of the
    mean difference takes; ``paired`` says that the runs of one number belong together.

    Results have the shape (n_runs,), in the order of the listed systems.
    """

    scores: ScoreMatrix
    pool: ScoreMatrix
    baseline: Baseline
    paired: bool = False
    half_width: float | None = None

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the systems of the pool, in the order of ``sizes``."""
        return self.pool.runs

    @property
    def sizes(self) -> IntArray:
        """How many runs each system of the pool has."""
        return self._replicates.sizes

    @cached_property
    def _replicates(self) -> Replicates:
        assert self.pool.replicates is not None, "rows are systems"
        return self.pool.replicates.by_number if self.paired else self.pool.replicates

    @cached_property
    def _gains(self) -> FloatArray:
        return differences(self.scores.values, self.baseline.scores)

    def _slopes(self, row: int) -> FloatArray:
        """The derivatives of the difference of a listed system by the score of each one of the pool, (R, n)."""
        slopes = -self._of_baseline
        slopes[self.pool.runs.index(self.scores.runs[row])] += 1
        return slopes

    @cached_property
    def _of_baseline(self) -> FloatArray:
        """Those of the baseline; equal scores share one."""
        values = self.pool.values
        match self.baseline.kind:
            case "run":
                chosen = np.repeat([[run == self.baseline.run] for run in self.pool.runs], self.pool.n_queries, axis=1)
            case "mean":
                chosen = np.ones(values.shape, dtype=bool)
            case "median":
                middle = np.sort(values, axis=0)[[(len(values) - 1) // 2, len(values) // 2]]
                chosen = (values == middle[0]) | (values == middle[1])
            case "best" | "top":
                chosen = values == values.max(axis=0)
            case "file":
                return np.zeros(values.shape)
            case _:
                assert_never(self.baseline.kind)
        shares: FloatArray = chosen / chosen.sum(axis=0)
        return shares

    def _functions(self, values: FloatArray, slopes: Callable[[int], FloatArray]) -> SystemFunctions:
        runs = self._replicates
        return SystemFunctions(values, slopes, runs.runs.values, runs.sizes, self.paired, self.pool.units)

    def u_risk(self, alpha: float) -> SystemFunctions:
        """Of delta_q(alpha) of all listed systems; with alpha 0 of the differences."""
        gains = self._gains
        weights = 1 + alpha * ((gains < 0) + (gains == 0) / 2)  # halfway where there are two derivatives
        return self._functions(weighed(gains, alpha), lambda row: weights[row] * self._slopes(row))

    def deviations(self, compared: BoolArray) -> SystemFunctions:
        """Of abs(d) less the mean of the other systems', of those ``compared``."""
        gains, rows = self._gains[compared], np.flatnonzero(compared).tolist()
        sizes = np.array([sign * self._slopes(row) for sign, row in zip(np.sign(gains), rows, strict=True)])
        total, n_others = sizes.sum(axis=0), max(len(rows) - 1, 1)
        return self._functions(deviations(gains), lambda index: sizes[index] - (total - sizes[index]) / n_others)

    def p_beside_top(self) -> FloatArray:
        """p of no difference from the baseline, where it was chosen as the best: in the test of all pairs of the pool.

        It is nan for the baseline.
        """
        rows, runs = PairedRows(self.pool.values, None, self.pool.clusters), self._replicates
        pairs, top = rows.pairs, self.pool.runs.index(str(self.baseline.run))
        adjusted = CORRECTIONS["holm"].adjust(SystemRows(rows, runs.runs.values, runs.sizes, self.paired).p)
        with_top, p = (pairs.first == top) | (pairs.second == top), np.full(self.pool.n_runs, np.nan)
        p[(pairs.first + pairs.second - top)[with_top]] = adjusted[with_top]
        return p[[self.pool.runs.index(run) for run in self.scores.runs]]

    # ---- of the mean differences

    @cached_property
    def _differences(self) -> SystemFunctions:
        return self.u_risk(0.0)

    @property
    def df(self) -> FloatArray:
        """The degrees of freedom of the test of each mean difference; nan for the baseline, and for one query."""
        return np.where(self._untested, np.nan, 1.0 if all(self._untested) else self._differences.df)

    @cached_property
    def plans(self) -> list[Plan | None]:
        """What more runs and more queries would do; None for the baseline, and for one query."""
        return [None if none else self._differences.plan(row) for row, none in enumerate(self._untested)]

    @property
    def share_replicates(self) -> list[float | None]:
        """The share of the squared standard error that is due to the runs."""
        return [plan and plan.share for plan in self.plans]

    @property
    def replicates_needed(self) -> list[int | None] | None:
        """How many runs of each system the half-width takes; None where no number will do."""
        width = self.half_width
        return None if width is None else [plan and plan.runs_needed(width, LEVEL) for plan in self.plans]

    @property
    def queries_needed(self) -> list[int | None] | None:
        """How many queries the half-width takes; None where no number will do."""
        width = self.half_width
        return None if width is None else [plan and plan.queries_needed(width, LEVEL) for plan in self.plans]

    @property
    def _untested(self) -> list[bool]:
        return [run == self.baseline.run or self.pool.units.n < 2 for run in self.scores.runs]
