"""Expected scores of runs that differ only in effectiveness, and what is left of the scores.

A run's effectiveness s and a query's difficulty t are those of Rasch's model; a smooth surface over both takes the
place of its logistic link, so that no link between effectiveness, difficulty and score has to be assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.stats.correlation import mid_ranks
from biasvar_cli.words import QUERIES, RUNS, counted

EDGE = 1e-4  # means are kept that far from 0 and 1
_LEAST_PRECISION = 0.05
_FARTHEST_MARGIN = 40.0  # from 0, for a parameter on the logit scale; beyond that no score differs
_SWEEPS = 500
_DEGREES = (2, 3)  # of the polynomial in effectiveness and in difficulty
N_TERMS = (_DEGREES[0] + 1) * (_DEGREES[1] + 1)
_FARTHEST_STANDARD = 3.0  # standard deviations of effectiveness or difficulty
_FARTHEST_LOGIT = 12.0
_RIDGE = 0.01
_STEPS = 25
LEAST_DISPERSION, MOST_DISPERSION = 0.001, 1 / 1.05


@dataclass(frozen=True, eq=False)
class Link:
    """eta = s_f + t_q + sum_ij beta_ij a^i b^j, where a and b are s and t standardised by the fitted constants.

    ``beta`` has the shape (3, 4); ``run`` and ``query`` are mean and standard deviation of s and of t.
    """

    beta: FloatArray
    run: tuple[float, float]
    query: tuple[float, float]

    def logit(self, run: FloatArray, query: FloatArray) -> FloatArray:
        """eta within [-12, 12] of effectiveness (..., R, 1) or (R, n) and difficulty (n,): (R, n)."""
        a, b = _standardised(run, *self.run), _standardised(query, *self.query)
        bent = np.zeros(np.broadcast_shapes(a.shape, b.shape))
        for i, row in enumerate(self.beta):
            bent = bent + a**i * (row @ b ** np.arange(len(row))[:, None])
        return np.asarray(np.clip(run + query + bent, -_FARTHEST_LOGIT, _FARTHEST_LOGIT))


@dataclass(frozen=True, eq=False)
class Surface:
    """A matrix of scores taken apart: what a null model is fitted to.

    ``values`` are the scores (R, n); ``runs`` and ``queries`` say which have a mean other than 0 and 1 and so are
    *interior*. ``effectiveness`` s and ``difficulty`` t are Rasch's parameters, ``shrunk_effectiveness`` that drawn to
    its mean. ``raw`` is the expected score of each cell under s and t, ``expected`` that under the shrunken ones, which
    samples are drawn about. ``dispersion`` is psi: the variance of a score is psi p (1 - p); ``correction`` makes up
    for the fitted parameters. The rows of ``likeness`` are normal scores of what is left, (R, n), of unit mean square.
    """

    values: FloatArray
    runs: BoolArray
    queries: BoolArray
    effectiveness: FloatArray
    difficulty: FloatArray
    shrunk_effectiveness: FloatArray
    link: Link
    raw: FloatArray
    expected: FloatArray
    precision: float
    dispersion: float
    correction: float
    likeness: FloatArray

    @cached_property
    def factor(self) -> FloatArray:
        """A square root of the correlations of ``likeness``, (R, min(R, n)): factor @ normal deviates has them."""
        upper: FloatArray = np.asarray(np.linalg.qr(self.likeness.T, mode="r"))
        return np.asarray(upper.T / np.sqrt(self.likeness.shape[1]))

    @property
    def fixed(self) -> IntArray:
        """The queries on which every run has 0, or 1: they stay as they are in every sample."""
        return np.flatnonzero(~self.queries)


def fit_surface(values: FloatArray) -> Surface:
    """Fit the expected scores to a matrix of runs and queries, shape (n_runs, n_queries).

    Quasi-binomial least squares (IRLS) for beta over interior cells, with a ridge of .01; psi = c sum (S - raw)^2 / sum
    raw (1 - raw) with c = R n / ((R - 1)(n - 1) - 11), kept in [.001, 1 / 1.05].

    Raises `DataError` for a score outside [0, 1], for too few runs or queries, and where nothing scatters.

    >>> values = np.random.default_rng(0).beta(1, 3, size=(20, 30))
    >>> surface = fit_surface(values)
    >>> bool(abs(surface.expected.mean() - values.mean()) < 1e-9), bool((surface.likeness**2).mean().round(9) == 1)
    (True, True)
    """
    require_fit(values)
    n_runs, n_queries = values.shape
    run, query = rasch_margins(values)
    precision = common_precision(values, run, query)
    runs, queries = interior(values, axis=1), interior(values, axis=0)
    if min(runs.sum(), queries.sum()) < 2:
        raise DataError(f"the null models need two {RUNS} and two {QUERIES} whose scores are not all 0 or all 1")
    _, spread = expectations(run[:, None] + query)
    near_run = shrunk(run, 1 / ((precision + 1) * spread.sum(axis=1)), runs)
    near_query = shrunk(query, 1 / ((precision + 1) * spread.sum(axis=0)), queries)
    link = _fitted_link(values[np.ix_(runs, queries)], run[runs], query[queries])
    raw = _off_edges(expectations(link.logit(run[:, None], query))[0])
    expected = _with_mean(link.logit(near_run[:, None], near_query), values, queries)
    correction = n_runs * n_queries / ((n_runs - 1) * (n_queries - 1) - N_TERMS + 1)
    cells = np.ix_(runs, queries)
    spread, residual = raw * (1 - raw), values - raw
    dispersion = correction * float((residual[cells] ** 2).sum() / spread[cells].sum())
    return Surface(
        values=values,
        runs=runs,
        queries=queries,
        effectiveness=run,
        difficulty=query,
        shrunk_effectiveness=near_run,
        link=link,
        raw=raw,
        expected=expected,
        precision=precision,
        dispersion=float(np.clip(dispersion, LEAST_DISPERSION, MOST_DISPERSION)),
        correction=correction,
        likeness=_normal_scores(residual / np.sqrt(spread)),
    )


def require_fit(values: FloatArray) -> None:
    """Raises `DataError` for too few runs or queries, and for a score outside [0, 1]."""
    n_runs, n_queries = values.shape
    if values.min() < -1e-9 or values.max() > 1 + 1e-9:
        worst = values.min() if values.min() < -1e-9 else values.max()
        raise DataError(f"the null models need scores from 0 to 1, found {worst:g}")
    if (n_runs - 1) * (n_queries - 1) < 2 * N_TERMS:
        size = f"{counted(n_runs, 'run')} on {counted(n_queries, 'query')}"
        raise DataError(
            f"too few scores for null models: {size}; ({RUNS} - 1)({QUERIES} - 1) has to be at least {2 * N_TERMS}"
        )


def _fitted_link(values: FloatArray, run: FloatArray, query: FloatArray) -> Link:
    """The link of interior cells, by IRLS: the moments of the design are those of its two margins."""
    link = Link(np.zeros([degree + 1 for degree in _DEGREES]), _scale(run), _scale(query))
    a, b = _standardised(run, *link.run), _standardised(query, *link.query)
    of_run, of_query = (
        np.stack([margin**power for power in range(2 * degree + 1)])
        for margin, degree in zip((a, b), _DEGREES, strict=True)
    )
    i, j = (index.reshape(-1) for index in np.indices(link.beta.shape))
    for _ in range(_STEPS):
        p, spread = expectations(link.logit(run[:, None], query))
        information = (of_run @ spread @ of_query.T)[i[:, None] + i, j[:, None] + j]
        score = (of_run @ (values - p) @ of_query.T)[i, j] - _RIDGE * link.beta.reshape(-1)
        step = np.clip(np.linalg.solve(information + _RIDGE * np.eye(N_TERMS), score), -1, 1)
        link = Link(link.beta + step.reshape(link.beta.shape), link.run, link.query)
        if np.abs(step).max() < 1e-10:
            break
    return link


def _scale(parameter: FloatArray) -> tuple[float, float]:
    return float(parameter.mean()), float(parameter.std(ddof=0))


def _standardised(parameter: FloatArray, mean: float, sd: float) -> FloatArray:
    """Within three standard deviations of the mean; 0 where all were equal."""
    if sd <= 0:
        return np.zeros(parameter.shape)
    return np.asarray(np.clip((parameter - mean) / sd, -_FARTHEST_STANDARD, _FARTHEST_STANDARD))


def _with_mean(logit: FloatArray, values: FloatArray, queries: BoolArray) -> FloatArray:
    """sigmoid(eta + c), with the c that gives it the mean of the values over some queries; (R, n), kept off 0 and 1."""
    targeted = np.array([np.clip(values[:, queries].mean(), EDGE, 1 - EDGE)])
    some, shift = logit[:, queries].reshape(1, -1), np.zeros(1)
    for _ in range(10 * _STEPS):
        step = newton_step(targeted, *expectations(some + shift), axis=1)
        shift = shift + step
        if abs(step[0]) < 1e-13:
            break
    return _off_edges(expectations(logit + shift)[0])


def _off_edges(p: FloatArray) -> FloatArray:
    return np.asarray(np.clip(p, EDGE, 1 - EDGE))


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
        run_step = newton_step(run_mean, *expectations(run[:, None] + query), axis=1)
        run = np.clip(run + run_step, -_FARTHEST_MARGIN, _FARTHEST_MARGIN)
        query_step = newton_step(query_mean, *expectations(run[:, None] + query), axis=0)
        query = np.clip(query + query_step, -_FARTHEST_MARGIN, _FARTHEST_MARGIN)
        run, query = run + query.mean(), query - query.mean()
        # opposite steps can go on for ever: means kept from 0 and 1 need not have the same sum by rows and by columns
        if max(run_step.max() + query_step.max(), -run_step.min() - query_step.min()) < 1e-12:
            break
    return run, query


def common_precision(values: FloatArray, run: FloatArray, query: FloatArray) -> float:
    """phi = sum p (1 - p) / [sum (S - p)^2 R n / ((R - 1)(n - 1))] - 1, at least .05, where p = sigmoid(s_f + t_q).

    Raises `DataError` for scores that follow from the means of runs and queries without any scatter.

    >>> common_precision(np.array([[0.3, 0.5], [0.5, 0.3]]), np.full(2, np.log(2 / 3)), np.zeros(2))  # .96 / .16 - 1
    5.0
    """
    n_runs, n_queries = values.shape
    p, spread = expectations(run[:, None] + query)
    scatter = float(((values - p) ** 2).sum()) * n_runs * n_queries / ((n_runs - 1) * (n_queries - 1))
    if scatter <= ROUNDING * float(spread.sum()):
        raise DataError(f"the null models find no scatter: the means of {RUNS} and {QUERIES} explain every score")
    precision: float = round(float(spread.sum()) / scatter - 1, 12)
    return max(_LEAST_PRECISION, precision)


def interior(values: FloatArray, *, axis: int) -> BoolArray:
    """Which rows (axis 1) or columns (axis 0) have a mean other than 0 and 1, by more than 1e-4.

    >>> interior(np.array([[0.0, 0.5], [0.0, 0.3]]), axis=0).tolist()
    [False, True]
    """
    mean = values.mean(axis=axis)
    return np.asarray((mean > EDGE) & (mean < 1 - EDGE))


def shrunk(parameter: FloatArray, error2: FloatArray, known: BoolArray) -> FloatArray:
    """Parameters drawn to their mean by sqrt(1 - mean squared standard error / variance), or onto it.

    Only those ``known`` take part: the errors of parameters that nothing but the edge of 1e-4 keeps finite would swamp
    all others.

    >>> shrunk(np.array([-1.0, 1.0, 9.0]), np.array([0.75, 0.75, 99.0]), np.array([True, True, False])).tolist()
    [-0.5, 0.5, 9.0]
    """
    nearer = parameter.copy()
    if known.any():
        centre, var = parameter[known].mean(), parameter[known].var(ddof=0)
        factor = np.sqrt(max(0.0, 1 - error2[known].mean() / var)) if var > 0 else 0.0
        nearer[known] = centre + factor * (parameter[known] - centre)
    return nearer


def expectations(logit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """p = sigmoid(logit) and p (1 - p), of any shape.

    >>> [float(part) for part in expectations(np.array(0.0))]
    [0.5, 0.25]
    """
    p = 1 / (1 + np.exp(-logit))
    return p, p / (1 + np.exp(logit))


def newton_step(mean: FloatArray, p: FloatArray, spread: FloatArray, *, axis: int) -> FloatArray:
    """The Newton step on the logit scale towards these means of p, at most 1 in size."""
    return np.clip((mean - p.mean(axis=axis)) / spread.mean(axis=axis), -1, 1)
