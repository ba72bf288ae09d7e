"""Rows and columns of summaries in tables of scores (``mean``, ``std``, ``total``), compared with what they sum up.

A name alone proves nothing: a run may be called ``total``. What equals the summary of the others is one; for what does
not, the user has to say what it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray

SUMMARIES = ("all", "amean")  # what trec_eval and ir_measures, gdeval and ndeval print in place of a query id
_LAST_DIGITS = 1e-9  # by which a sum may differ where its order does
_LEAST = 1e-5  # what trec_eval's gm_map has in place of smaller scores

_NAMES = {
    "mean": ("mean", "means", "average", "averages", "avg", "ave", "amean", "map", "mrr", "overall", "mean ap"),
    "mean or sum": ("all", "total", "totals", "grand total"),
    "sum": ("sum",),
    "median": ("median", "med", "50%"),
    "standard deviation": ("std", "stdev", "stddev", "std dev", "sd", "standard deviation"),
    "variance": ("var", "variance"),
    "geometric mean": ("gmean", "gm map", "gmap", "geomean", "geometric mean"),
    "smallest": ("min", "minimum"),
    "largest": ("max", "maximum"),
    "lower quartile": ("25%",),
    "upper quartile": ("75%",),
    "number": ("count",),
}
_MEANING = {name: meaning for meaning, names in _NAMES.items() for name in names}


def summary(name: str) -> str | None:
    """What a row or column of this name sums up to, None for a name that is no summary's.

    >>> summary("AVG"), summary("std.dev"), summary("gm_map"), summary("bm25")
    ('mean', 'standard deviation', 'geometric mean', None)
    """
    words = name.lower().replace("_", " ").replace(".", " ").replace("-", " ")
    return _MEANING.get(" ".join(words.split()))


def summed_up(meaning: str, values: FloatArray) -> FloatArray:
    """The summary of the last axis, nan standing for no value; a population's for the standard deviation.

    >>> summed_up("mean", np.array([0.25, 0.5, np.nan])).item()
    0.375
    """
    with np.errstate(all="ignore"):
        return _ALTERNATIVES[meaning][0](values)


def equals_summary(meaning: str, given: FloatArray, values: FloatArray, *, slack: float, printed: float) -> BoolArray:
    """Where ``given``, shape (...), is the summary of ``values``, shape (..., n), to the digits printed.

    ``slack`` is how far a value may be from the one that was summed up, ``printed`` how far the summary may be from
    its own; nan stands for no value. A mean may count what is missing as 0.

    >>> values = np.array([[0.33, 0.11]])
    >>> equals_summary("mean", np.array([0.222]), values, slack=0.005, printed=0.0005).tolist()
    [True]
    >>> equals_summary("mean", np.array([0.232]), values, slack=0.005, printed=0.0005).tolist()
    [False]
    """
    equal = np.zeros(given.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for statistic in _ALTERNATIVES[meaning]:
            # Each grows with every value, or moves by at most twice as much as the values do.
            low, high = statistic(values - slack), statistic(values + slack)
            if meaning in _SPREADS:
                low, high = _spread_bounds(statistic, values, slack, squared=meaning == "variance")
            tolerance = printed + _LAST_DIGITS * (1 + np.abs(given))
            equal |= (given >= low - tolerance) & (given <= high + tolerance)
    return equal


def _spread_bounds(
    statistic: Callable[[FloatArray], FloatArray], values: FloatArray, slack: float, *, squared: bool
) -> tuple[FloatArray, FloatArray]:
    """A standard deviation moves by at most sqrt(2) times what the values do (n >= 2), since it is a norm."""
    deviation = np.sqrt(statistic(values)) if squared else statistic(values)
    low, high = np.maximum(deviation - 1.5 * slack, 0), deviation + 1.5 * slack
    return (low**2, high**2) if squared else (low, high)


def _number(values: FloatArray) -> FloatArray:
    return np.asarray((~np.isnan(values)).sum(axis=-1), dtype=np.float64)


def _sum(values: FloatArray) -> FloatArray:
    return np.where(_number(values) > 0, np.nansum(values, axis=-1), np.nan)


def _mean(values: FloatArray) -> FloatArray:
    return _sum(values) / _number(values)


def _mean_of_all(values: FloatArray) -> FloatArray:
    return np.asarray(_sum(values) / values.shape[-1])


def _variance(values: FloatArray, lost: int = 0) -> FloatArray:
    return np.asarray(_sum((values - _mean(values)[..., None]) ** 2) / (_number(values) - lost))


def _geometric_mean(values: FloatArray) -> FloatArray:
    return np.asarray(np.exp(_mean(np.log(np.maximum(values, _LEAST)))))


def _quantile(share: float) -> Callable[[FloatArray], FloatArray]:
    def quantile(values: FloatArray) -> FloatArray:
        """Between the two nearest values in proportion, as pandas and R do."""
        ordered = np.sort(values, axis=-1)  # nan last
        last = np.maximum(_number(values) - 1, 0)
        place = share * last
        below = np.floor(place).astype(np.int64)
        above = np.minimum(below + 1, last.astype(np.int64))
        low = np.take_along_axis(ordered, below[..., None], axis=-1)[..., 0]
        high = np.take_along_axis(ordered, above[..., None], axis=-1)[..., 0]
        return np.asarray(low + (place - below) * (high - low))

    return quantile


_SPREADS = ("standard deviation", "variance")
_MEANS = (_mean, _mean_of_all)
_ALTERNATIVES: dict[str, tuple[Callable[[FloatArray], FloatArray], ...]] = {
    "mean": _MEANS,
    "mean or sum": (*_MEANS, _sum),
    "sum": (_sum,),
    "median": (_quantile(0.5),),
    "standard deviation": (lambda values: np.sqrt(_variance(values)), lambda values: np.sqrt(_variance(values, 1))),
    "variance": (_variance, lambda values: _variance(values, 1)),
    "geometric mean": (_geometric_mean,),
    "smallest": (_quantile(0.0),),
    "largest": (_quantile(1.0),),
    "lower quartile": (_quantile(0.25),),
    "upper quartile": (_quantile(0.75),),
    "number": (_number,),
}
