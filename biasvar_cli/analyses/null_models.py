"""Null models: what a correlation of bias^2 and variance would be if runs had no stability of their own.

Scores are bounded, so that the variance of a run follows from its mean to a large part, and the correlation is negative
without any tradeoff. Two models say how negative:

* N1, `fit_common_scatter`: every run keeps its mean, every query its difficulty, the runs their likeness to each other;
  how much a score scatters follows from its expectation by one law for all runs. A parametric bootstrap.
* N2, `exchangeable`: the scores of each query are shuffled among the runs (the null of the randomised Tukey HSD).

Sources: Rasch's model of persons and items for the margins; Beta scatter of one precision; the likeness of the runs is
put into the draws by the method of Iman and Conover (1982). None of it is in the papers of the decomposition.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from biasvar_cli.arrays import ROUNDING, FloatArray, settle
from biasvar_cli.errors import DataError
from biasvar_cli.stats.correlation import mid_ranks
from biasvar_cli.stats.monte_carlo import AT_ONCE, by_threads

EDGE = 1e-4  # means are kept that far from 0 and 1
_LEAST_PRECISION = 0.05
_LEAST_PARAMETER = 1e-6  # of a Beta distribution
_FARTHEST = 40.0  # from 0, for a parameter on the logit scale; beyond that no score differs
_SWEEPS = 500
_QUERIES_AT_ONCE = 8  # one line of the cache
_AT_ONCE = 2**22  # scores that are put in order at a time


@dataclass(frozen=True, eq=False)
class CommonScatter:
    """The model N1 as fitted: arrays of the shape (n_runs, n_queries).

    A score is Beta(p phi, (1 - p) phi), where p is its ``expected`` value and ``phi`` the ``precision`` of all; its
    variance is p (1 - p) / (phi + 1). The rows of ``likeness`` are normal scores, of unit mean square: the runs are
    drawn with their correlations.
    """

    expected: FloatArray
    precision: float
    likeness: FloatArray

    def draw(self, rng: np.random.Generator, n_samples: int, *, jobs: int = 1) -> FloatArray:
        """Samples of the whole matrix, shape (n_samples, n_runs, n_queries), by as many threads as there are jobs.

        Some queries at a time have a generator of their own; the threads change nothing in the samples.

        z* = Z G / sqrt(n) with standard normal G, so that every new query is drawn with the runs' own correlation. With
        Z' = Q U (Householder) that is U' (Q' G) / sqrt(n), where Q' G is standard normal too, of as many rows as there
        are runs or queries, whichever are fewer: the work grows with the queries and not with their square. Then the
        draws of each cell are put in the order of its z* (Iman and Conover 1982). The margins are exact whatever
        the number of samples; the likeness is as good as ranks among n_samples can say it, hence no less than 100.

        >>> model = CommonScatter(np.array([[0.1, 0.5], [0.1, 0.5]]), 8.0, np.array([[1.0, -1.0], [1.0, -1.0]]))
        >>> samples = model.draw(np.random.default_rng(0), 500)
        >>> samples.mean(axis=0).round(1).tolist()
        [[0.1, 0.5], [0.1, 0.5]]
        >>> bool(np.corrcoef(samples[:, 0, 0], samples[:, 1, 0])[0, 1] > 0.9)  # the same likeness, hence alike
        True
        """
        n_runs, n_queries = self.expected.shape
        a = np.maximum(self.expected * self.precision, _LEAST_PARAMETER)[..., None]
        b = np.maximum((1 - self.expected) * self.precision, _LEAST_PARAMETER)[..., None]
        upper: FloatArray = np.asarray(np.linalg.qr(self.likeness.T, mode="r"))
        factor = upper.T / np.sqrt(n_queries)
        samples = np.empty((n_samples, n_runs, n_queries))
        at_once = max(1, min(_QUERIES_AT_ONCE, _AT_ONCE // (n_runs * n_samples)))
        starts = range(0, n_queries, at_once)

        def fill(start: int, own: np.random.Generator) -> None:
            some = slice(start, min(start + at_once, n_queries))
            shape = (n_runs, some.stop - start, n_samples)
            normal = own.standard_normal((factor.shape[1], shape[1] * n_samples))
            place = np.argsort((factor @ normal).reshape(shape), axis=2)
            place += np.arange(0, place.size, n_samples).reshape(*shape[:2], 1)  # in all of them and not in the cell
            ascending = np.asarray(own.beta(a[:, some], b[:, some], size=shape))
            ascending.sort(axis=2)
            drawn = np.empty(shape)
            drawn.reshape(-1)[place] = ascending
            samples[:, :, some] = drawn.transpose(2, 0, 1)

        by_threads(lambda each: fill(*each), list(zip(starts, rng.spawn(len(starts)), strict=True)), jobs)
        return samples


def fit_common_scatter(values: FloatArray) -> CommonScatter:
    """Fit N1 to the scores of runs on queries, shape (n_runs, n_queries).

    p = sigmoid(s_f + t_q) has the means of every run and query (`rasch_margins`), and the precision is
    phi = sum p (1 - p) / [sum (S - p)^2 R n / ((R - 1)(n - 1))] - 1, at least .05. The expected scores are this p with
    s and t drawn to their means, by their squared standard errors 1 / ((phi + 1) sum p (1 - p)), and shifted to the
    grand mean of the data. The likeness is in the residuals (S - p) / sqrt(p (1 - p)) under the first p, as normal
    scores of their ranks within each run. Runs and queries with a mean of 0 or 1 stay out of the shrinking: errors of
    parameters that only the edge of 1e-4 keeps finite would swamp all others.

    Raises `DataError` for fewer than two runs or queries, a score outside [0, 1], and scores that follow from the means
    of runs and queries without any scatter.

    >>> model = fit_common_scatter(np.array([[0.3, 0.5], [0.5, 0.3]]))  # p = .4; .96 / (.04 * 4) - 1
    >>> round(model.precision, 9), model.expected.round(9).tolist()
    (5.0, [[0.4, 0.4], [0.4, 0.4]])
    """
    require_fit(values)
    n_runs, n_queries = values.shape
    run, query = rasch_margins(values)
    expected, spread = _expectations(run, query)
    residual = settle(values - expected)
    scatter = float((residual**2).sum()) * n_runs * n_queries / ((n_runs - 1) * (n_queries - 1))
    if scatter <= ROUNDING * float(spread.sum()):
        raise DataError("the null model finds no scatter: the means of runs and queries explain every score")
    precision = max(_LEAST_PRECISION, float(spread.sum()) / scatter - 1)
    run = _shrunk(run, 1 / ((precision + 1) * spread.sum(axis=1)), values.mean(axis=1))
    query = _shrunk(query, 1 / ((precision + 1) * spread.sum(axis=0)), values.mean(axis=0))
    return CommonScatter(
        _with_mean(run, query, float(values.mean())), precision, _normal_scores(residual / np.sqrt(spread))
    )


def require_fit(values: FloatArray) -> None:
    """Raises `DataError` for fewer than two runs or queries, and for a score outside [0, 1]."""
    n_runs, n_queries = values.shape
    if min(n_runs, n_queries) < 2:
        raise DataError(f"the null model needs two runs and two queries, found {n_runs} and {n_queries}")
    if values.min() < -1e-9 or values.max() > 1 + 1e-9:
        worst = values.min() if values.min() < -1e-9 else values.max()
        raise DataError(f"the null model needs scores from 0 to 1, found {worst:g}")


def rasch_margins(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """s and t, of the runs and the queries, with which sigmoid(s_f + t_q) has the row and column means of the values.

    Means are kept in [1e-4, 1 - 1e-4], s and t in [-40, 40]; t has a mean of 0. Alternating Newton steps of at most 1.

    >>> run, query = rasch_margins(np.array([[0.1, 0.5, 0.3], [0.3, 0.6, 0.2]]))
    >>> fitted = 1 / (1 + np.exp(-(run[:, None] + query)))
    >>> fitted.mean(axis=1).round(9).tolist(), fitted.mean(axis=0).round(9).tolist()
    ([0.3, 0.366666667], [0.2, 0.55, 0.25])
    """
    run_mean, query_mean = (np.clip(values.mean(axis=axis), EDGE, 1 - EDGE) for axis in (1, 0))
    run, query = np.log(run_mean / (1 - run_mean)), np.zeros(len(query_mean))
    for _ in range(_SWEEPS):
        run_step = _newton(run_mean, *_expectations(run, query), axis=1)
        run = np.clip(run + run_step, -_FARTHEST, _FARTHEST)
        query_step = _newton(query_mean, *_expectations(run, query), axis=0)
        query = np.clip(query + query_step, -_FARTHEST, _FARTHEST)
        run, query = run + query.mean(), query - query.mean()
        if max(np.abs(run_step).max(), np.abs(query_step).max()) < 1e-12:
            break
    return run, query


def exchangeable(values: FloatArray, rng: np.random.Generator, n_samples: int, *, jobs: int = 1) -> FloatArray:
    """Samples of N2, shape (n_samples, n_runs, n_queries): the scores of each query in a random order over the runs.

    The best score of every query, and with it the target and its difficulty, stays as it is. Some samples at a time
    have a generator of their own; the threads, of which there are ``jobs``, change nothing.

    >>> samples = exchangeable(np.array([[0.1, 0.4], [0.3, 0.2]]), np.random.default_rng(0), 5)
    >>> samples.max(axis=1).tolist() == [[0.3, 0.4]] * 5
    True
    """
    shuffled = np.empty((n_samples, *values.shape))
    starts = range(0, n_samples, AT_ONCE)

    def fill(start: int, own: np.random.Generator) -> None:
        some = shuffled[start : start + AT_ONCE]
        own.permuted(np.broadcast_to(values, some.shape), axis=1, out=some)

    by_threads(lambda each: fill(*each), list(zip(starts, rng.spawn(len(starts)), strict=True)), jobs)
    return shuffled


def _expectations(run: FloatArray, query: FloatArray) -> tuple[FloatArray, FloatArray]:
    """p = sigmoid(s_f + t_q) and p (1 - p), both (R, n)."""
    logit = run[:, None] + query
    p = 1 / (1 + np.exp(-logit))
    return p, p / (1 + np.exp(logit))


def _newton(mean: FloatArray, p: FloatArray, spread: FloatArray, *, axis: int) -> FloatArray:
    """The step towards these means of p, at most 1."""
    step: FloatArray = np.clip((mean - p.mean(axis=axis)) / spread.mean(axis=axis), -1, 1)
    return step


def _shrunk(parameter: FloatArray, error2: FloatArray, mean: FloatArray) -> FloatArray:
    """Parameters drawn to their mean by sqrt(1 - mean squared standard error / variance), or onto it.

    Those of a mean score of 0 or 1 are left out, and stay where they are.
    """
    known = (mean > EDGE) & (mean < 1 - EDGE)
    shrunk = parameter.copy()
    if known.any():
        centre, var = parameter[known].mean(), parameter[known].var(ddof=0)
        factor = np.sqrt(max(0.0, 1 - error2[known].mean() / var)) if var > 0 else 0.0
        shrunk[known] = centre + factor * (parameter[known] - centre)
    return shrunk


def _with_mean(run: FloatArray, query: FloatArray, mean: float) -> FloatArray:
    """sigmoid(s_f + t_q + c), with the c that gives it this grand mean; (R, n)."""
    aim = np.array([np.clip(mean, EDGE, 1 - EDGE)])
    shift = np.zeros(1)
    for _ in range(_SWEEPS):
        p, spread = _expectations(run + shift, query)
        step = _newton(aim, p.reshape(1, -1), spread.reshape(1, -1), axis=1)
        shift = shift + step
        if abs(step[0]) < 1e-13:
            break
    return _expectations(run + shift, query)[0]


def _normal_scores(residual: FloatArray) -> FloatArray:
    """The normal scores (rank - 1/2) / n of each row, of unit mean square; a row of equal values keeps its order."""
    n_queries = residual.shape[1]
    ranks = mid_ranks(residual)
    ranks[np.ptp(ranks, axis=1) == 0] = np.arange(1, n_queries + 1)
    # NormalDist, not scipy: this is on the path of a plain decompose
    quantile = np.array([NormalDist().inv_cdf(half / (2 * n_queries)) for half in range(1, 2 * n_queries)])
    scores: FloatArray = quantile[np.rint(2 * ranks - 2).astype(np.int64)]
    scores /= np.sqrt((scores**2).mean(axis=1, keepdims=True))
    return scores
