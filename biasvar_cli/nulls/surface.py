"""Expected scores of runs that differ only in their effectiveness, and the residuals of the data from them.

Run f has an effectiveness s_f and query q an easiness t_q, both on the logit scale. In Rasch's model the expected score
is sigmoid(s_f + t_q). `fit_surface` adds a polynomial in s and t to s_f + t_q, so that the relation of effectiveness,
easiness and score may have another form than the logistic one.

Sources: Rasch, Probabilistic Models for Some Intelligence and Attainment Tests, 1960, for s and t; McCullagh and
Nelder, Generalized Linear Models, 1989, for quasi-binomial fits. The surface itself is derived in docs/definitions.md,
"Null models".

In docstrings, R is the number of runs, n the number of queries, S the scores (R, n), and p an expected score.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.stats.correlation import mid_ranks
from biasvar_cli.words import QUERIES, RUNS, counted

EDGE = 1e-4  # means and expected scores are clipped to [EDGE, 1 - EDGE]
LEAST_DISPERSION, MOST_DISPERSION = 0.001, 1 / 1.05  # bounds of psi
_LEAST_PRECISION = 0.05  # lower bound of the precision about Rasch's model
_PARAMETER_BOUND = 40.0  # s and t are clipped to [-40, 40]; larger ones change no expected score
_LOGIT_BOUND = 12.0  # the logit of an expected score is clipped to [-12, 12]
_STANDARD_BOUND = 3.0  # standardised s and t are clipped to [-3, 3]
_DEGREES = (2, 3)  # of the polynomial, in s and in t
_N_TERMS = (_DEGREES[0] + 1) * (_DEGREES[1] + 1)  # of the polynomial
_RIDGE = 0.01  # penalty of the squared coefficients of the polynomial
_MOST_SWEEPS = 500  # iterations of the fit of s and t
_MOST_STEPS = 25  # iterations of the fit of the polynomial


class Scale(NamedTuple):
    """The mean and the population standard deviation by which a parameter is standardised."""

    mean: float
    sd: float

    @classmethod
    def of(cls, parameter: FloatArray) -> Scale:
        """The scale of s or t, shape (k,)."""
        return cls(float(parameter.mean()), float(parameter.std(ddof=0)))

    def standardised(self, parameter: FloatArray) -> FloatArray:
        """(parameter - mean) / sd, clipped to [-3, 3], of the same shape; 0 if the standard deviation is 0.

        >>> Scale(1.0, 2.0).standardised(np.array([1.0, 2.0, 99.0])).tolist()
        [0.0, 0.5, 3.0]
        """
        if self.sd <= 0:
            return np.zeros(parameter.shape)
        return np.clip((parameter - self.mean) / self.sd, -_STANDARD_BOUND, _STANDARD_BOUND)


@dataclass(frozen=True, eq=False)
class Link:
    """The logit of an expected score: eta = s_f + t_q + sum_ij beta_ij a_f^i b_q^j.

    a and b are s and t standardised by ``effectiveness_scale`` and ``easiness_scale``. ``beta`` are the coefficients
    of the polynomial, shape (3, 4).
    """

    beta: FloatArray
    effectiveness_scale: Scale
    easiness_scale: Scale

    def logit(self, effectiveness: FloatArray, easiness: FloatArray) -> FloatArray:
        """eta, shape (R, n), clipped to [-12, 12].

        ``effectiveness`` has the shape (R, 1), or (R, n) if it differs between queries; ``easiness`` has (n,).

        >>> link = Link(np.zeros((3, 4)), Scale(0.0, 1.0), Scale(0.0, 1.0))  # without a polynomial: s + t
        >>> link.logit(np.array([[1.0], [20.0]]), np.array([0.5, -0.5])).tolist()
        [[1.5, 0.5], [12.0, 12.0]]
        """
        a = self.effectiveness_scale.standardised(effectiveness)
        b = self.easiness_scale.standardised(easiness)
        b_powers = b ** np.arange(self.beta.shape[1])[:, None]
        polynomial = np.zeros(np.broadcast_shapes(a.shape, b.shape))
        for i, coefficients in enumerate(self.beta):
            polynomial = polynomial + a**i * (coefficients @ b_powers)
        return np.clip(effectiveness + easiness + polynomial, -_LOGIT_BOUND, _LOGIT_BOUND)


@dataclass(frozen=True, eq=False)
class Surface:
    """The fit of the expected scores to a matrix of scores, from which the null models are made (`nulls`).

    * ``values``: the scores S, (R, n).
    * ``interior_runs``: whether the mean of a run is neither 0 nor 1, (R,); other runs take no part in the fit.
    * ``interior_queries``: whether the mean of a query is neither 0 nor 1, (n,); other queries take no part in the fit.
    * ``effectiveness``: s of Rasch's model, (R,).
    * ``easiness``: t of Rasch's model, (n,); its mean is 0.
    * ``shrunk_effectiveness``: s shrunk to its mean, because the scatter of s includes its estimation error, (R,).
    * ``link``: the logit of an expected score as a function of s and t.
    * ``raw_expected``: the expected scores under s and t, (R, n).
    * ``expected``: the expected scores under the shrunk s and t, (R, n); samples of the null models have these means.
    * ``dispersion``: psi; the variance of a score about its expected score p is psi p (1 - p).
    * ``dof_correction``: the factor by which sums of squared residuals are multiplied, because parameters were fitted.
    * ``normal_scores``: the residuals of every run as normal scores with a mean square of 1, (R, n).
    """

    values: FloatArray
    interior_runs: BoolArray
    interior_queries: BoolArray
    effectiveness: FloatArray
    easiness: FloatArray
    shrunk_effectiveness: FloatArray
    link: Link
    raw_expected: FloatArray
    expected: FloatArray
    dispersion: float
    dof_correction: float
    normal_scores: FloatArray

    @property
    def interior_cells(self) -> tuple[IntArray, IntArray]:
        """The index of the scores of interior runs on interior queries in an array of shape (R, n)."""
        runs, queries = np.ix_(np.flatnonzero(self.interior_runs), np.flatnonzero(self.interior_queries))
        return runs, queries

    @property
    def constant_queries(self) -> IntArray:
        """The indices of the queries on which every run has 0, or every run has 1; no sample changes them."""
        return np.flatnonzero(~self.interior_queries)

    @cached_property
    def correlation_root(self) -> FloatArray:
        """L with L L' = Z Z' / n, shape (R, min(R, n)), where Z are the ``normal_scores``.

        If g is a vector of independent standard normal numbers, then L g has the correlations between the runs.
        """
        upper = np.asarray(np.linalg.qr(self.normal_scores.T, mode="r"))
        return upper.T / np.sqrt(self.normal_scores.shape[1])


def fit_surface(values: FloatArray) -> Surface:
    """Fit the expected scores to a matrix of scores, shape (R, n).

    1. s and t are fitted by Rasch's model (`rasch_parameters`), and shrunk to their means (`shrunk`). The squared
       standard error of s_f is 1 / ((phi + 1) sum_q p (1 - p)), where phi is `rasch_precision`; likewise for t_q.
    2. The polynomial is fitted to the interior scores by quasi-binomial least squares with a ridge penalty of .01. The
       expected scores under the shrunk s and t have a constant added to their logits, so that their mean is that of
       the scores.
    3. psi = c sum (S - raw)^2 / sum raw (1 - raw) over the interior scores, clipped to [.001, 1 / 1.05], where raw are
       the expected scores under the unshrunk s and t, and c = R n / ((R - 1)(n - 1) - 11).

    Raises `DataError` for a score outside [0, 1], for too few runs or queries, and where the means of runs and queries
    explain every score.

    >>> values = np.random.default_rng(0).beta(1, 3, size=(20, 30))
    >>> surface = fit_surface(values)
    >>> bool(abs(surface.expected.mean() - values.mean()) < 1e-9), bool((surface.normal_scores**2).mean().round(9) == 1)
    (True, True)
    """
    _require_fittable(values)
    n_runs, n_queries = values.shape
    effectiveness, easiness = rasch_parameters(values)
    precision = rasch_precision(values, effectiveness, easiness)
    interior_runs, interior_queries = _interior(values, axis=1), _interior(values, axis=0)
    if min(interior_runs.sum(), interior_queries.sum()) < 2:
        raise DataError(f"the null models need two {RUNS} and two {QUERIES} whose scores are not all 0 or all 1")
    _, rasch_variance = bernoulli_moments(effectiveness[:, None] + easiness)
    effectiveness_error2 = 1 / ((precision + 1) * rasch_variance.sum(axis=1))
    easiness_error2 = 1 / ((precision + 1) * rasch_variance.sum(axis=0))
    shrunk_effectiveness = shrunk(effectiveness, effectiveness_error2, interior_runs)
    shrunk_easiness = shrunk(easiness, easiness_error2, interior_queries)

    cells = np.ix_(interior_runs, interior_queries)
    link = _fit_link(values[cells], effectiveness[interior_runs], easiness[interior_queries])
    raw_expected = np.clip(bernoulli_moments(link.logit(effectiveness[:, None], easiness))[0], EDGE, 1 - EDGE)
    shrunk_logit = link.logit(shrunk_effectiveness[:, None], shrunk_easiness)
    expected = _expected_with_mean_of(values, shrunk_logit, interior_queries)

    dof_correction = n_runs * n_queries / ((n_runs - 1) * (n_queries - 1) - _N_TERMS + 1)
    variance, residual = raw_expected * (1 - raw_expected), values - raw_expected
    dispersion = dof_correction * float((residual[cells] ** 2).sum() / variance[cells].sum())
    return Surface(
        values=values,
        interior_runs=interior_runs,
        interior_queries=interior_queries,
        effectiveness=effectiveness,
        easiness=easiness,
        shrunk_effectiveness=shrunk_effectiveness,
        link=link,
        raw_expected=raw_expected,
        expected=expected,
        dispersion=float(np.clip(dispersion, LEAST_DISPERSION, MOST_DISPERSION)),
        dof_correction=dof_correction,
        normal_scores=_normal_scores(residual / np.sqrt(variance)),
    )


def _require_fittable(values: FloatArray) -> None:
    """Raise `DataError` for a score outside [0, 1], and for too few runs or queries."""
    n_runs, n_queries = values.shape
    if values.min() < -1e-9 or values.max() > 1 + 1e-9:
        worst = values.min() if values.min() < -1e-9 else values.max()
        raise DataError(f"the null models need scores from 0 to 1, found {worst:g}")
    if (n_runs - 1) * (n_queries - 1) < 2 * _N_TERMS:
        size = f"{counted(n_runs, 'run')} on {counted(n_queries, 'query')}"
        needs = f"({RUNS} - 1)({QUERIES} - 1) has to be at least {2 * _N_TERMS}"
        raise DataError(f"too few scores for null models: {size}; {needs}")


def rasch_parameters(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """s, shape (R,), and t, (n,), with which sigmoid(s_f + t_q) has the means of the scores by run and by query.

    The means are clipped to [1e-4, 1 - 1e-4] first, s and t to [-40, 40]; the mean of t is 0. Newton steps for s and
    for t alternate until they are below 1e-12, at most 500 times.

    >>> s, t = rasch_parameters(np.array([[0.1, 0.5, 0.3], [0.3, 0.6, 0.2]]))
    >>> p = 1 / (1 + np.exp(-(s[:, None] + t)))
    >>> p.mean(axis=1).round(9).tolist(), p.mean(axis=0).round(9).tolist()
    ([0.3, 0.366666667], [0.2, 0.55, 0.25])
    """
    run_mean, query_mean = (np.clip(values.mean(axis=axis), EDGE, 1 - EDGE) for axis in (1, 0))
    s, t = np.log(run_mean / (1 - run_mean)), np.zeros(len(query_mean))
    for _ in range(_MOST_SWEEPS):
        s_step = newton_step(run_mean, *bernoulli_moments(s[:, None] + t), axis=1)
        s = np.clip(s + s_step, -_PARAMETER_BOUND, _PARAMETER_BOUND)
        t_step = newton_step(query_mean, *bernoulli_moments(s[:, None] + t), axis=0)
        t = np.clip(t + t_step, -_PARAMETER_BOUND, _PARAMETER_BOUND)
        s, t = s + t.mean(), t - t.mean()
        # If means were clipped, those of runs and of queries may have different overall means. No s and t have both;
        # then s_step and t_step converge to constants that cancel, so it is their sums that have to vanish.
        if max(s_step.max() + t_step.max(), -s_step.min() - t_step.min()) < 1e-12:
            break
    return s, t


def rasch_precision(values: FloatArray, effectiveness: FloatArray, easiness: FloatArray) -> float:
    """The precision phi of the scores, (R, n), about Rasch's model: their variance there is p (1 - p) / (phi + 1).

    phi = sum p (1 - p) / [sum (S - p)^2 R n / ((R - 1)(n - 1))] - 1, at least .05, where p = sigmoid(s_f + t_q).

    Raises `DataError` where p explains every score.

    >>> s, t = np.full(2, np.log(2 / 3)), np.zeros(2)
    >>> rasch_precision(np.array([[0.3, 0.5], [0.5, 0.3]]), s, t)  # p = .4, so .96 / .16 - 1
    5.0
    """
    n_runs, n_queries = values.shape
    p, variance = bernoulli_moments(effectiveness[:, None] + easiness)
    scatter = float(((values - p) ** 2).sum()) * n_runs * n_queries / ((n_runs - 1) * (n_queries - 1))
    if scatter <= ROUNDING * float(variance.sum()):
        raise DataError(f"the null models find no scatter: the means of {RUNS} and {QUERIES} explain every score")
    return max(_LEAST_PRECISION, round(float(variance.sum()) / scatter - 1, 12))


def _interior(values: FloatArray, *, axis: int) -> BoolArray:
    """Whether the means along an axis are more than 1e-4 from 0 and from 1: of runs with axis 1, of queries with 0.

    >>> _interior(np.array([[0.0, 0.5], [0.0, 0.3]]), axis=0).tolist()
    [False, True]
    """
    mean = values.mean(axis=axis)
    return (mean > EDGE) & (mean < 1 - EDGE)


def shrunk(parameter: FloatArray, error2: FloatArray, is_interior: BoolArray) -> FloatArray:
    """s or t, shape (k,), shrunk to their mean by the factor sqrt(1 - mean of ``error2`` / variance), at least 0.

    ``error2`` are the squared standard errors, (k,). Mean, variance and errors are those of interior runs or queries
    (`_interior`), and only these are shrunk: the parameters of others are finite only because means are clipped, and
    have very large errors.

    >>> shrunk(np.array([-1.0, 1.0, 9.0]), np.array([0.75, 0.75, 99.0]), np.array([True, True, False])).tolist()
    [-0.5, 0.5, 9.0]
    """
    result = parameter.copy()
    if is_interior.any():
        mean, var = parameter[is_interior].mean(), parameter[is_interior].var(ddof=0)
        factor = np.sqrt(max(0.0, 1 - error2[is_interior].mean() / var)) if var > 0 else 0.0
        result[is_interior] = mean + factor * (parameter[is_interior] - mean)
    return result


def _fit_link(values: FloatArray, effectiveness: FloatArray, easiness: FloatArray) -> Link:
    """The link that fits interior scores, (r, k), by iteratively reweighted least squares (IRLS) with a ridge penalty.

    A column of the design matrix is a_f^i b_q^j, a row a score. The matrix is never made: its products with weights and
    residuals are sums over f and q of powers of a times powers of b.
    """
    link = Link(np.zeros([degree + 1 for degree in _DEGREES]), Scale.of(effectiveness), Scale.of(easiness))
    a, b = link.effectiveness_scale.standardised(effectiveness), link.easiness_scale.standardised(easiness)
    a_powers = np.stack([a**power for power in range(2 * _DEGREES[0] + 1)])
    b_powers = np.stack([b**power for power in range(2 * _DEGREES[1] + 1)])
    i, j = (index.reshape(-1) for index in np.indices(link.beta.shape))  # the exponents of each term
    for _ in range(_MOST_STEPS):
        p, variance = bernoulli_moments(link.logit(effectiveness[:, None], easiness))
        # the product of terms (i, j) and (k, l) has the exponents (i + k, j + l)
        information = (a_powers @ variance @ b_powers.T)[i[:, None] + i, j[:, None] + j]
        gradient = (a_powers @ (values - p) @ b_powers.T)[i, j] - _RIDGE * link.beta.reshape(-1)
        step = np.clip(np.linalg.solve(information + _RIDGE * np.eye(_N_TERMS), gradient), -1, 1)
        link = Link(link.beta + step.reshape(link.beta.shape), link.effectiveness_scale, link.easiness_scale)
        if np.abs(step).max() < 1e-10:
            break
    return link


def _expected_with_mean_of(values: FloatArray, logit: FloatArray, interior_queries: BoolArray) -> FloatArray:
    """sigmoid(logit + c), shape (R, n), with the constant c that gives it the mean of ``values`` on interior queries.

    The result is clipped to [1e-4, 1 - 1e-4].
    """
    mean = np.array([np.clip(values[:, interior_queries].mean(), EDGE, 1 - EDGE)])
    interior_logit, shift = logit[:, interior_queries].reshape(1, -1), np.zeros(1)
    for _ in range(10 * _MOST_STEPS):
        step = newton_step(mean, *bernoulli_moments(interior_logit + shift), axis=1)
        shift = shift + step
        if abs(step[0]) < 1e-13:
            break
    return np.clip(bernoulli_moments(logit + shift)[0], EDGE, 1 - EDGE)


def _normal_scores(residual: FloatArray) -> FloatArray:
    """Normal scores of each row, shape (R, n), scaled to a mean square of 1.

    The normal score of the residual of rank k in its row is the standard normal quantile of (k - 1/2) / n. Equal
    residuals share their mean rank; a row of equal residuals alone has the ranks 1 to n in order.
    """
    n_queries = residual.shape[1]
    ranks = mid_ranks(residual)
    ranks[np.ptp(ranks, axis=1) == 0] = np.arange(1, n_queries + 1)
    # Mean ranks are multiples of 1/2, so a table of 2 n - 1 quantiles has all normal scores. NormalDist makes it
    # because decompose does without scipy, whose import takes long.
    quantiles = np.array([NormalDist().inv_cdf(half / (2 * n_queries)) for half in range(1, 2 * n_queries)])
    scores: FloatArray = quantiles[np.rint(2 * ranks - 2).astype(np.int64)]
    scores /= np.sqrt((scores**2).mean(axis=1, keepdims=True))
    return scores


def bernoulli_moments(logit: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean p = sigmoid(logit) and the variance p (1 - p) of a 0/1 variable; of any shape.

    >>> mean, variance = bernoulli_moments(np.array(0.0))
    >>> float(mean), float(variance)
    (0.5, 0.25)
    """
    p, variance = np.negative(logit, out=np.empty(logit.shape)), np.exp(logit, out=np.empty(logit.shape))
    np.exp(p, out=p)
    for exponential, above in ((p, 1.0), (variance, p)):  # in place: there may be a million
        exponential += 1
        np.divide(above, exponential, out=exponential)
    return p, variance


def newton_step(mean: FloatArray, p: FloatArray, variance: FloatArray, *, axis: int) -> FloatArray:
    """The Newton step, clipped to [-1, 1], of the logits that gives p the ``mean`` along an axis.

    ``p`` and ``variance`` are `bernoulli_moments`, shape (R, n); the step and ``mean`` have (R,) with axis 1, (n,)
    with axis 0.

    >>> newton_step(np.array([0.6]), np.array([[0.5, 0.5]]), np.array([[0.25, 0.25]]), axis=1).round(9).tolist()
    [0.4]
    """
    return np.clip((mean - p.mean(axis=axis)) / variance.mean(axis=axis), -1, 1)
