"""Intervals of the correlations of bias^2 and variance for the same runs on new queries, by inversion of a test.

Bias^2 and variance of every run are estimates from the same few queries. Their scatter weakens the correlation over the
runs, and shifts it, for both come from the same scores; a resample has that scatter twice. So the interval is of what
the correlation would be without it, on infinitely many queries (`stats.attenuated`). It may leave out the correlation
of the data itself, which has it; ``corrected`` is the estimate that does not.

Pearson's r is freed from the scatter by co-moments of distinct queries (`stats.attenuated`), and its test has the
jackknife's standard error. Ranks have no such co-moments: for them x = abs(bias) and y = the standard deviation, whose
orders are those of bias^2 and variance, the scatter of both is that of their linear terms (the delta method), and
subsets without a fifth of the queries take the place of the jackknife, which fails for ranks.

`benchmarks/coverage.py` measures how often these intervals hold the truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, starmap
from typing import Literal

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.decomposition.decompose import Deviations, VirtualTarget
from biasvar_cli.errors import warn
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.limits import LEVEL
from biasvar_cli.stats import attenuated, correlation, monte_carlo, paired, resampling, variance
from biasvar_cli.stats.attenuated import Attenuated, Kernel
from biasvar_cli.words import COEFFICIENTS, FORMS, Coefficient, Form, counted

NoCorrelation = Literal[
    "mean-only",
    "undefined",
    "replicates",
    "clusters",
    "few-queries",
    "few-clusters",
    "few-teams",
    "resamples-undefined",
    "subsets-undefined",
]

_FEW_RUNS = 30
_CORRELATIONS = {"pearson": correlation.pearson, "spearman": correlation.spearman, "kendall": correlation.kendall}
_SUBSETS = 500
_SHARE = 5  # one query in five is left out of a subset
_VALUES = 2**18  # of one quantity, over runs, queries and subsets, that are held at a time
_LARGEST_LOG = 700.0  # beyond that exp overflows
_NAN = float("nan")


@dataclass(frozen=True)
class CorrelationInterval:
    """A correlation of bias^2 and variance with its interval; ``n_undefined`` resamples had none and are left out.

    ``corrected`` is the estimate without the scatter that the queries add, nan where the rule has none, or where that
    scatter is all there is. ``reason`` says, where the ends are nan, why: the target is ``mean-only``, the correlation
    is ``undefined`` (fewer than three runs, or equal ones), the rule is not derived for systems of ``replicates`` or
    for ``clusters`` of queries, there are ``few-queries``, ``few-clusters`` or ``few-teams``, or it is undefined for
    more than half of the resamples, or of the subsets of the queries.
    """

    estimate: float
    low: float
    high: float
    rule: resampling.Rule
    n_undefined: int
    reason: NoCorrelation | None
    corrected: float = _NAN


def over_queries(
    scores: ScoreMatrix,
    target: VirtualTarget,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    *,
    level: float = LEVEL,
    seed: int = 0,
) -> dict[Coefficient, dict[Form, CorrelationInterval]]:
    """The intervals of the coefficients in both forms; the seed is of the subsets for ranks, Pearson's r draws nothing.

    Undefined for fewer than five queries or three runs. Warns below 30 runs, where the intervals are too narrow.

    >>> from biasvar_cli.decomposition.decompose import best_of_runs
    >>> values = np.random.default_rng(1).beta(1, 2, size=(30, 12)) ** np.linspace(0.5, 2, 30)[:, None]
    >>> runs = ScoreMatrix(values, tuple(map(str, range(30))), tuple("abcdefghijkl"), "AP")
    >>> found = over_queries(runs, best_of_runs(runs))
    >>> [each["score"].low <= each["score"].corrected <= each["score"].high for each in found.values()]
    [True, True, True]
    """
    data = Deviations.of(scores, target)
    none = CorrelationInterval(_NAN, _NAN, _NAN, "test-inversion", 0, "mean-only")
    by_form = {
        form: dict.fromkeys(coefficients, none)
        if form == "gap" and target.scores is None
        else _form_intervals(data, form, coefficients, level, seed)
        for form in FORMS
    }
    results = {name: {form: by_form[form][name] for form in FORMS} for name in coefficients}
    computed = [interval for forms in results.values() for interval in forms.values() if interval.reason is None]
    if scores.n_runs < _FEW_RUNS and computed:
        what = f"with {counted(scores.n_runs, 'run')} the intervals of correlations are too narrow"
        warn(f"{what}; {_FEW_RUNS} or more are needed")
    return results


def _form_intervals(
    data: Deviations, form: Form, coefficients: Sequence[Coefficient], level: float, seed: int
) -> dict[Coefficient, CorrelationInterval]:
    """The intervals of the coefficients in one form; if one of them is undefined, all are."""
    n_queries, ranks = data.score.shape[1], [name for name in coefficients if name != "pearson"]
    estimates = {
        name: _CORRELATIONS[name](data.moments.bias2, data.moments.variance(form)).item() for name in coefficients
    }
    undefined = any(map(np.isnan, estimates.values()))
    clustered = not data.units.are_single
    if undefined or n_queries < attenuated.LEAST_QUERIES or data.within is not None or clustered:
        few = n_queries < attenuated.LEAST_QUERIES
        not_derived: NoCorrelation = "clusters" if clustered else "replicates"
        why: NoCorrelation = "undefined" if undefined else "few-queries" if few else not_derived
        return {
            name: CorrelationInterval(estimate, _NAN, _NAN, "test-inversion", 0, why)
            for name, estimate in estimates.items()
        }
    left_out = {name: 1 if name == "pearson" else max(1, n_queries // _SHARE) for name in coefficients}
    seen: dict[Coefficient, Attenuated] = {"pearson": by_co_moments(data, form)} if "pearson" in coefficients else {}
    if ranks:
        size = max(1, _VALUES // data.score.size)
        seen |= by_linear_terms(data, form, ranks, random_subsets(n_queries, left_out[ranks[0]], seed, size=size))
    return {
        name: _interval(name, estimate, seen[name], level, n_queries, left_out[name])
        for name, estimate in estimates.items()
    }


def by_co_moments(data: Deviations, form: Form) -> Attenuated:
    """Pearson's r with its shift and scale: of all queries first, then without each in turn, (n + 1,).

    C are the variances and the covariance of bias^2 and variance over the runs, U the same without the queries' part:
    shift = (Cxy - Uxy) / sqrt(Cxx Cyy); scale = e^(v / 8) sqrt(Uxx Uyy / (Cxx Cyy)), from 0 to 1, where no negative U
    counts, and v, the jackknife's variance of ln(Cxx / Cyy), offsets that the root is concave.
    """
    (gaps, values), (unit, of_values) = _unit_scores(data, form)
    left_out, n_queries = data.left_out(), gaps.shape[1]
    x = np.column_stack([data.moments.bias2, left_out.bias2]) / unit**2
    y = np.column_stack([data.moments.variance(form), left_out.variance(form)]) / of_values**2
    observed = correlation.pearson(x.T, y.T)
    xx, yy, xy = _covariances(x, y)
    xx, yy = (np.where(squares > 0, squares, 1.0) for squares in (xx, yy))
    of_x, of_y = Kernel.squared_mean(gaps), Kernel.variance(values)
    pairs = (of_x, of_x), (of_y, of_y), (of_x, of_y)
    free_xx, free_yy, free_xy = (
        np.array([whole, *without]) for whole, without in starmap(attenuated.unbiased_covariance, pairs)
    )
    ratios = np.log(xx / yy)[1:][np.isfinite(observed[1:])]
    v = (n_queries - 1) * float(ratios.var()) if len(ratios) else 0.0
    free = np.sqrt(np.maximum(0.0, free_xx / xx)) * np.sqrt(np.maximum(0.0, free_yy / yy))
    scale = np.minimum(1.0, np.exp(min(v / 8, _LARGEST_LOG)) * free)
    return Attenuated(observed, (xy - free_xy) / np.sqrt(xx * yy), scale)


def by_linear_terms(
    data: Deviations, form: Form, coefficients: Iterable[Coefficient], subsets: Iterable[IntArray]
) -> dict[Coefficient, Attenuated]:
    """Rank correlations with their shift and scale: of all queries first, then of each subset of them.

    ``subsets`` are blocks of them, each with the places of its queries in a row.

    C are the variances and the covariance of abs(bias) and the standard deviation over the runs, N the same of their
    scatter by the queries: shift = Nxy / sqrt(Cxx Cyy); scale = sqrt((1 - Nxx / Cxx) (1 - Nyy / Cyy)), where no
    negative factor counts.
    """
    (gaps, values), _ = _unit_scores(data, form)
    blocks = chain([np.arange(gaps.shape[1])[None]], subsets)
    parts = [_linear_terms(gaps[:, kept], values[:, kept]) for kept in blocks]
    x, y, noise_xx, noise_yy, noise_xy = (np.concatenate(terms, axis=-1) for terms in zip(*parts, strict=True))
    xx, yy = (np.where(squares > 0, squares, 1.0) for squares in _covariances(x, y)[:2])
    scale = np.sqrt(np.maximum(0.0, 1 - noise_xx / xx)) * np.sqrt(np.maximum(0.0, 1 - noise_yy / yy))
    shift = noise_xy / np.sqrt(xx * yy)
    return {name: Attenuated(_CORRELATIONS[name](x.T**2, y.T**2), shift, scale) for name in coefficients}


def _linear_terms(gaps: FloatArray, values: FloatArray) -> tuple[FloatArray, ...]:
    """abs(bias) and the standard deviation of runs, (R, B), and Nxx, Nyy, Nxy, (B,), of gaps and values (R, B, n).

    The scatter of a mean over queries is that of the terms it is made of, those that all runs share left out; the term
    of a standard deviation y is ((D - mean D)^2 - y^2) / 2 y, 0 where y is 0.
    """
    n_queries = gaps.shape[-1]
    bias, var = gaps.mean(axis=-1, keepdims=True), variance.population_variance(values)[..., None]
    sd = np.sqrt(var)
    of_bias = np.sign(bias) * (gaps - bias)
    squares = (values - values.mean(axis=-1, keepdims=True)) ** 2 - var
    of_sd = np.divide(squares, 2 * sd, out=np.zeros_like(squares), where=sd > 0)
    noise = (products.sum(axis=-1) / (n_queries * (n_queries - 1)) for products in _covariances(of_bias, of_sd))
    return np.abs(bias[..., 0]), sd[..., 0], *noise


def _interval(
    coefficient: Coefficient, estimate: float, observed: Attenuated, level: float, n_queries: int, left_out: int
) -> CorrelationInterval:
    """The interval from a correlation of all queries, and of subsets without ``left_out`` of them."""
    whole, parts = (Attenuated(*(values[some] for values in observed)) for some in (0, slice(1, None)))
    known = parts.known()
    n_undefined = len(parts.observed) - len(known.observed)
    if 2 * len(known.observed) < len(parts.observed):
        return CorrelationInterval(estimate, _NAN, _NAN, "test-inversion", n_undefined, "subsets-undefined")
    low, high = attenuated.inverted(
        whole,
        known,
        attenuated.LATENT[coefficient],
        quantile=paired.t_quantile((1 + level) / 2, n_queries - 1),
        inflation=(n_queries - left_out) / left_out,
    )
    corrected = attenuated.without_noise(whole, attenuated.LATENT[coefficient])
    return CorrelationInterval(estimate, low, high, "test-inversion", n_undefined, None, corrected)


def _unit_scores(data: Deviations, form: Form) -> tuple[tuple[FloatArray, FloatArray], tuple[float, float]]:
    """The gaps and the values of a form, (R, n), each over its largest: no square overflows; and these largest."""
    scores = data.moments.bias[:, None] + data.gap, data.score if form == "score" else data.gap
    gaps, values = (float(np.abs(part).max()) for part in scores)
    return (scores[0] / gaps, scores[1] / values), (gaps, values)


def _covariances(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The variances of x and of y over the runs, the first axis, and their covariance: (R, ...) to three of (...)."""
    dx, dy = (values - values.mean(axis=0) for values in (x, y))
    return (dx * dx).mean(axis=0), (dy * dy).mean(axis=0), (dx * dy).mean(axis=0)


def random_subsets(n_queries: int, left_out: int, seed: int, *, size: int = _SUBSETS) -> Iterator[IntArray]:
    """The places of the queries of random subsets, (n - left_out,) each, in blocks of at most ``size`` subsets."""
    rng = monte_carlo.generator(monte_carlo.Stream.SUBSETS, seed)
    for start in range(0, _SUBSETS, size):
        block = range(start, min(start + size, _SUBSETS))
        yield np.array([np.sort(rng.permutation(n_queries)[left_out:]) for _ in block])
