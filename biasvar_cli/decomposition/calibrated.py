"""Few queries judged by people and many by a model: means and differences of runs that make use of both.

People judged n queries, which the model judged too; N more were judged by the model alone. Scores under the model are
wrong in a way that the n queries show, so that the mean under people is moved by what the model says of the others, as
far as that pays: nothing is taken from a model that people do not follow.

Sources: Angelopoulos, Duchi and Zrnic, "PPI++: efficient prediction-powered inference", arXiv 2311.01453, 2023, for one
mean and its weight, lambda. Here one weight is pooled over the runs for their differences and one is of their level, so
that few queries do not choose a weight for each run; t in place of the normal distribution, and the step-down test of
all pairs, are derived here. `benchmarks/calibrated.py` measures how often intervals hold the truth and how often the
tests err.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, settled
from biasvar_cli.stats import step_down
from biasvar_cli.stats.monte_carlo import Draws
from biasvar_cli.stats.paired import Pairs, t_quantile, t_test_p

MOST_QUERIES = 1_000_000  # that are said to be needed


class Estimate(NamedTuple):
    """Calibrated means or differences, their standard errors and degrees of freedom: arrays of one shape.

    ``worth`` is how many queries judged by people alone would tell as much.
    """

    value: FloatArray
    error: FloatArray
    df: FloatArray
    worth: FloatArray

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """The ends of the interval of each."""
        from scipy.special import stdtrit

        reach = stdtrit(self.df, (1 + level) / 2) * self.error
        return self.value - reach, self.value + reach

    @property
    def p(self) -> FloatArray:
        """p of the test that each is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(self.value == 0, 0.0, self.value / self.error)
        return t_test_p(t, self.df)


def weight(people: FloatArray, model: FloatArray, alone: FloatArray) -> float:
    """How far the model is followed, lambda, pooled over rows; Y and F of (R, n), G of (R, N).

    lambda = sum_r Cov(Y_r, F_r) / ((1 + n / N) sum_r Var(F_r and G_r together)), divisors n - 1 and n + N - 1, within
    [0, 1]; 0 where the model does not vary. It makes the variance of Y. - lambda (F. - G.) least.

    The covariance is .02, the variance of .1 .5 .3 .3 is .08 / 3, and 1 + n / N is 2:

    >>> round(weight(np.array([[0.2, 0.3]]), np.array([[0.1, 0.5]]), np.array([[0.3, 0.3]])), 6)
    0.375
    """
    n, n_alone = people.shape[1], alone.shape[1]
    together = np.hstack([model, alone])
    spread = ((together - together.mean(axis=1, keepdims=True)) ** 2).sum() / (n + n_alone - 1)
    if spread <= (ROUNDING * np.abs(together).max(initial=0.0)) ** 2 * together.size:
        return 0.0
    common = ((people - people.mean(axis=1, keepdims=True)) * model).sum() / (n - 1)
    return float(np.clip(common / ((1 + n / n_alone) * spread), 0, 1))


@dataclass(frozen=True, eq=False)
class Calibrated:
    """Scores of R runs under people and the model on n queries, Y and F, and under the model on N others, G.

    With y_. the mean over the runs, lambda_level = weight(y_., f_., g_.), of one row, and lambda_differences =
    weight(Y - y_., F - f_., G - g_.), of R rows:

        Z_L = y_. - lambda_level f_. + (Y - y_.) - lambda_differences (F - f_.)         on the n queries
        Z_U = lambda_level g_. + lambda_differences (G - g_.)                           on the N others

    A run's calibrated mean is that of its row of Z_L plus that of its row of Z_U; the variance is Var(Z_L) / n +
    Var(Z_U) / N, divisors n - 1 and N - 1, with Welch's degrees of freedom. lambda_level is estimated with the runs'
    common mean, which costs a degree of freedom of a single run where it is not 0; it drops out of differences. With
    both weights 0 everything is that of people alone.

    Two runs, three queries and three more; a judge that copies people:

    >>> y = np.array([[0.1, 0.5, 0.3], [0.2, 0.3, 0.1]])
    >>> copied = Calibrated(y, y, y)
    >>> round(copied.lambda_level, 6), round(copied.lambda_differences, 6)  # 1 / 2 times 5 / 4
    (0.625, 0.625)
    """

    people: FloatArray
    model: FloatArray
    alone: FloatArray

    @cached_property
    def lambda_level(self) -> float:
        return weight(*(scores.mean(axis=0, keepdims=True) for scores in self._scores))

    @cached_property
    def lambda_differences(self) -> float:
        return weight(*(scores - scores.mean(axis=0) for scores in self._scores))

    @property
    def _scores(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return self.people, self.model, self.alone

    @cached_property
    def parts(self) -> tuple[FloatArray, FloatArray]:
        """Z_L, (R, n), and Z_U, (R, N)."""
        followed = [
            self.lambda_level * scores.mean(axis=0) + self.lambda_differences * (scores - scores.mean(axis=0))
            for scores in (self.model, self.alone)
        ]
        return self.people - followed[0], followed[1]

    def runs(self) -> Estimate:
        """The mean of each run, (R,)."""
        return self._estimate(self.people, *self.parts, lost=self.lambda_level > 0)

    def differences(self, pairs: Pairs) -> Estimate:
        """The differences of pairs, first minus second run, (k,)."""
        rows = (scores[pairs.first] - scores[pairs.second] for scores in (self.people, *self.parts))
        return self._estimate(*rows, lost=False)

    def _estimate(self, people: FloatArray, both: FloatArray, alone: FloatArray, *, lost: bool) -> Estimate:
        """The means of both parts together; the variance of the first has n - 2 degrees where one is ``lost``."""
        n, n_alone = both.shape[1], alone.shape[1]
        squares = [((part - part.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) for part in (people, both, alone)]
        of_people, of_both, of_alone = (
            of / size / df
            for of, size, df in zip(squares, (n, n, n_alone), (n - 1, n - 1 - lost, n_alone - 1), strict=True)
        )
        variance = of_both + of_alone
        with np.errstate(invalid="ignore", divide="ignore"):
            df = variance**2 / (of_both**2 / (n - 1 - lost) + of_alone**2 / (n_alone - 1))
            worth = n * of_people / variance
        value = settled(both.mean(axis=1) + alone.mean(axis=1), ROUNDING * float(np.abs(both).max(initial=0.0)))
        return Estimate(value, np.sqrt(variance), np.where(variance > 0, df, n - 1.0), worth)

    @cached_property
    def by_people(self) -> Calibrated:
        """The same runs by people alone: both weights are 0."""
        return Calibrated(self.people, np.zeros_like(self.model), np.zeros_like(self.alone))

    def family(self, pairs: Pairs, level: float, draws: Draws) -> tuple[FloatArray, FloatArray]:
        """p of the step-down test of pairs of runs together, (k,), and half the widths of simultaneous intervals.

        Each resample draws n of the n and N of the N queries; the weights stay as they are. p is that of t for V_L =
        sum_p Var(Z_L of the pair's difference) / n and V_U likewise, with df = (V_L + V_U)^2 / (V_L^2 / (n - 1) +
        V_U^2 / (N - 1)), at the distance of the normal distribution times sqrt((V_L (n - 1) / n + V_U (N - 1) / N) /
        (V_L + V_U)). A single pair is tested by t. With lambda_differences 0 it is the test of people alone.
        """
        if len(pairs.first) == 1:
            draws.finished()
            difference = self.differences(pairs)
            return difference.p, difference.interval(level)[1] - difference.value
        rows = self.parts if self.lambda_differences else (self.people, np.zeros_like(self.alone))
        p, half_width = step_down.step_down_of_two_samples(*rows, pairs, level, draws)
        return p, np.full(len(p), half_width)

    def p_of_pairs(self, level: float, draws: Draws) -> FloatArray:
        """p of the step-down test of all pairs of runs, (R (R - 1) / 2,), in the order of `Pairs.of_all`."""
        return self.family(Pairs.of_all(len(self.people)), level, draws)[0]

    def sample_p(self) -> float:
        """p of Welch's test that the model's mean over the runs is the same on the n queries and on the N others."""
        both, alone = (scores.mean(axis=0) for scores in (self.model, self.alone))
        variances = [float(of.var(ddof=1)) / len(of) for of in (both, alone)]
        difference, total = float(both.mean() - alone.mean()), sum(variances)
        if total <= (ROUNDING * np.abs(self.model).max(initial=0.0)) ** 2:
            return 1.0
        df = total**2 / sum(of**2 / (len(scores) - 1) for of, scores in zip(variances, (both, alone), strict=True))
        return float(t_test_p(difference / total**0.5, df))

    def queries_needed(self, half_width: float, level: float) -> int | None:
        """How many queries people would have to judge for intervals of differences of this half-width, at the level.

        They judge more of the n + N queries, and when these are used up, others. The pair has the mean variances and
        covariance of all pairs, those of Y - y_. and F - f_. times 2 / (R - 1), and the weight is the best of its
        number of queries. None for more than `MOST_QUERIES`. With divisors n - 1: s_yy, s_yf, s_ff, M = n + N,

            Var(m) = s_yy / m - (1 - m / M) s_yf^2 / (s_ff m), for m <= M with s_yf > 0; s_yy / m for m > M
        """
        n_both, n_alone = self.people.shape[1], self.alone.shape[1]
        everything = n_both + n_alone
        y, f, g = (scores - scores.mean(axis=0) for scores in self._scores)
        size = (n_both - 1) * (len(y) - 1) / 2
        deviations = y - y.mean(axis=1, keepdims=True)
        together = np.hstack([f, g])
        s_yy, s_yf = float((deviations**2).sum() / size), max(float((deviations * f).sum() / size), 0.0)
        together -= together.mean(axis=1, keepdims=True)
        s_ff = float((together**2).sum() * 2 / (everything - 1) / (len(y) - 1))
        gain = min(s_yf**2 / s_ff, s_yy) if s_ff > 0 else 0.0

        def reaches(m: int) -> bool:
            variance = (s_yy - max(1 - m / everything, 0.0) * gain) / m
            return t_quantile((1 + level) / 2, m - 1) * variance**0.5 <= half_width

        if not reaches(MOST_QUERIES):
            return None
        high = 2
        while not reaches(high):
            high *= 2
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reaches(middle) else (middle, high)
        return high
