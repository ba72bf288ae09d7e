"""Where the variance of scores comes from: runs, queries, judges; and how reliable a ranking is.

Sources: Brennan, "Generalizability theory", Springer 2001; for test collections Bodoff, SIGIR 2007, and Urbano, Marrero
and Martin, "On the measurement of test collection reliability", SIGIR 2013, whose program gt4ireval prints the same
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil, inf, nan

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray

FACETS = ("runs", "queries", "judges")
REST = "rest"


@dataclass(frozen=True)
class Components:
    """The variance of scores by where it comes from, of R runs on n queries under J judges.

    ``variances`` are those of `FACETS`, of two of them such as ``runs x queries``, and of the `REST`; with one judge of
    runs, queries and the rest. They are without bias, so that one may be below 0, and counts as 0 from then on.
    """

    variances: Mapping[str, float]
    n_runs: int
    n_queries: int
    n_judges: int

    @cached_property
    def shares(self) -> dict[str, float]:
        """The share of each in their sum, nan where that is 0."""
        positive = {name: max(variance, 0.0) for name, variance in self.variances.items()}
        total = sum(positive.values())
        return {name: variance / total if total else nan for name, variance in positive.items()}

    def _part(self, *facets: str) -> float:
        return max(self.variances.get(" x ".join(facets), 0.0), 0.0)

    def reliability(self, n_queries: float, n_judges: float = 1) -> float:
        """The share of the variance of run means on other queries, and under other judges, that is due to the runs.

        E rho^2 = s_runs / (s_runs + s_runs-x-queries / n' + s_runs-x-judges / J' + s_rest / (n' J')). Infinite numbers
        give its limit. With one judge, whose part in the rest nobody knows, J' is 1. nan where nothing varies.
        """
        error = self._part("runs", "queries") / n_queries + self._part("runs", "judges") / n_judges
        error += self._part(REST) / (n_queries * n_judges)
        total = self._part("runs") + error
        return self._part("runs") / total if total else nan

    def queries_needed(self, reliability: float, n_judges: float = 1) -> float:
        """How many queries bring the reliability to this value; infinite where no number does.

        >>> components(np.array([[0.1, 0.4], [0.3, 0.5], [0.6, 0.6]])).queries_needed(0.8)  # s_runs .025, rest .011667
        2
        """
        if not self._part("runs"):
            return inf
        room = self._part("runs") * (1 / reliability - 1) - self._part("runs", "judges") / n_judges
        per_query = self._part("runs", "queries") + self._part(REST) / n_judges
        if room <= 0:
            return inf
        return max(1, ceil(round(per_query / room, 9)))

    def dependability_queries(self, dependability: float) -> float:
        """How many queries bring Phi = s_runs / (s_runs + (s_queries + s_rest) / n') to this value, under one judge."""
        if not self._part("runs"):
            return inf
        error = self._part("queries") + self._part("runs", "queries") + self._part(REST)
        return max(1, ceil(round(error * dependability / (1 - dependability) / self._part("runs"), 9)))


def components(scores: FloatArray) -> Components:
    """The components of variance of scores, (R, n) or (R, n, J) with J >= 2, R and n >= 2.

    Each mean square MS of the analysis of variance without replication has as its expectation the sum of the components
    that have all of its facets, each times the numbers of the facets that it lacks. So with three facets, each
    component from the rest on:

        s_rest = MS_rest, s_rq = (MS_rq - MS_rest) / J, s_r = (MS_r - MS_rq - MS_rj + MS_rest) / (n J), and so on

    With two, s_r = (MS_r - MS_rest) / n and s_q = (MS_q - MS_rest) / R.

    Four runs on three queries under two judges, by hand:

    >>> a = np.array([[0.9, 0.5, 0.1], [0.6, 0.4, 0.2], [0.3, 0.3, 0.0], [0.2, 0.0, 0.1]])
    >>> b = np.array([[0.8, 0.8, 0.4], [0.7, 0.5, 0.5], [0.5, 0.6, 0.1], [0.4, 0.4, 0.3]])
    >>> for name, variance in components(np.stack([a, b], axis=2)).variances.items():
    ...     print(f"{name:17} {variance:9.6f}")
    runs               0.021667
    queries            0.024583
    judges             0.019167
    runs x queries     0.011667
    runs x judges     -0.002083
    queries x judges   0.001667
    rest               0.009583
    """
    n_facets = scores.ndim
    rounding = ROUNDING * float(np.abs(scores).max(initial=0.0))
    sets = [chosen for size in range(1, n_facets + 1) for chosen in combinations(range(n_facets), size)]
    squares: dict[tuple[int, ...], float] = {}
    effects: dict[tuple[int, ...], FloatArray] = {(): np.asarray(scores.mean(keepdims=True))}
    for chosen in sets:
        others = tuple(axis for axis in range(n_facets) if axis not in chosen)
        effect = scores.mean(axis=others, keepdims=True) if others else scores
        for part, known in effects.items():
            if set(part) < set(chosen):
                effect = effect - known
        effect = np.where(np.abs(effect) <= rounding, 0.0, effect)
        effects[chosen] = effect
        repeats = scores.size / effect.size
        df = float(np.prod([scores.shape[axis] - 1 for axis in chosen]))
        squares[chosen] = repeats * float((effect**2).sum()) / df
    variances: dict[str, float] = {}
    for chosen in sets:
        above = [other for other in sets if set(chosen) <= set(other)]
        signed = sum((-1) ** (len(other) - len(chosen)) * squares[other] for other in above)
        lacking = float(np.prod([scores.shape[axis] for axis in range(n_facets) if axis not in chosen]))
        name = REST if len(chosen) == n_facets else " x ".join(FACETS[axis] for axis in chosen)
        variances[name] = signed / lacking
    n_judges = scores.shape[2] if n_facets == 3 else 1
    return Components(variances, scores.shape[0], scores.shape[1], n_judges)
