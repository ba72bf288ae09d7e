"""The rows of means in a score file (``all``, ``amean``), compared with the rows of its queries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.measures import COUNTS
from biasvar_cli.readers.oddities import Oddity

SUMMARIES = ("all", "amean")  # what trec_eval and ir_measures, gdeval and ndeval print in place of a query id
_NO_MEAN = "rank_first_rel"  # trec_eval 8 prints it per query only
_LAST_DIGITS = 1e-9  # by which a mean may differ where the order of the sum does


def missing_means(
    runs: Sequence[str], measures: Sequence[str | None], rows: FloatArray, means: FloatArray, *, left_out: bool = False
) -> list[Oddity]:
    """Measures with values on queries, but no row of means; shapes as in `wrong_means`.

    ``left_out`` where the program may have been told to print none: then that is a notice.

    >>> missing_means(["bm25"], ["AP"], np.array([[[0.25]]]), np.array([[np.nan]]))[0].extent
    '1 measure'
    """
    lacking = ~np.isnan(rows).all(axis=2) & np.isnan(means)
    usual = [measure != _NO_MEAN for measure in measures]
    numbers = lacking[:, usual].sum(axis=1).tolist()
    what, words = "no `all` row, so the file may be cut off", ""
    if left_out:
        what = words = "no `all` rows"
    return [
        Oddity(what, run, number, "measure", notice=words) for run, number in zip(runs, numbers, strict=True) if number
    ]


def wrong_means(
    runs: Sequence[str],
    measures: Sequence[str | None],
    rows: FloatArray,
    means: FloatArray,
    label: str,
    *,
    rounding: float,
) -> list[Oddity]:
    """Means, shape (n_runs, n_measures), that differ from those of the rows, shape (n_runs, n_measures, n_queries).

    nan stands for no value. ``rounding`` is how far a printed mean may be from the mean of the printed values. The
    ``all`` of a count is the sum. trec_eval 9 with -c divides by num_q, which counts topics that it prints no row for.

    >>> rows, means = np.array([[[0.5, 0.25]]]), np.array([[0.5]])
    >>> odd = wrong_means(["bm25"], ["AP"], rows, means, "all", rounding=1e-4)[0]
    >>> odd.what, odd.where, odd.extent
    ('the `all` rows are not the means of the others', 'bm25', '1 measure')
    """
    number_of = (~np.isnan(rows)).sum(axis=2)
    summed = np.array([label == "all" and _is_count(measure) for measure in measures])
    with np.errstate(all="ignore"):
        total = np.nansum(rows, axis=2)
        tolerance = np.where(summed, 0.0, rounding) + _LAST_DIGITS * (1 + np.abs(means))
        off = (number_of > 0) & (np.abs(means - np.where(summed, total, total / number_of)) > tolerance)
    counted = with_missing(measures, rows, means, label, rounding=rounding)
    oddities = missing_topics(runs, measures, rows, means, label, off & counted)
    for run, wrong in zip(runs, (off & ~counted).sum(axis=1).tolist(), strict=True):
        if wrong:
            oddities.append(Oddity(f"the `{label}` rows are not the means of the others", run, wrong, "measure"))
    return oddities


def with_missing(
    measures: Sequence[str | None], rows: FloatArray, means: FloatArray, label: str, *, rounding: float
) -> BoolArray:
    """Which means count topics that have no row, as num_q says; shapes as in `wrong_means`."""
    evaluated = _n_evaluated(measures, rows, means)
    summed = np.array([label == "all" and _is_count(measure) for measure in measures])
    with np.errstate(all="ignore"):
        total = np.nansum(rows, axis=2)
        tolerance = np.where(summed, 0.0, rounding) + _LAST_DIGITS * (1 + np.abs(means))
        fits = np.where(summed, means >= total, np.abs(means - total / evaluated) <= tolerance)
        return np.asarray((evaluated > (~np.isnan(rows)).sum(axis=2)) & fits)


def missing_topics(
    runs: Sequence[str],
    measures: Sequence[str | None],
    rows: FloatArray,
    means: FloatArray,
    label: str,
    counted: BoolArray,
) -> list[Oddity]:
    """How many topics without a row the means count, for the runs that have any such mean in ``counted``."""
    what = f"the `{label}` rows count topics that have no row, as trec_eval 9 does with -c"
    evaluated = _n_evaluated(measures, rows, means)[:, 0]
    number_of = (~np.isnan(rows)).sum(axis=2).max(axis=1)
    return [
        Oddity(what, runs[index], int(evaluated[index]) - int(number_of[index]), "topic")
        for index in np.flatnonzero(counted.any(axis=1)).tolist()
    ]


def _n_evaluated(measures: Sequence[str | None], rows: FloatArray, means: FloatArray) -> FloatArray:
    """How many queries each run was evaluated on, as num_q says, shape (n_runs, 1); nan where it does not say."""
    evaluated = np.full((len(means), 1), np.nan)
    if "NumQ" in measures:
        column = measures.index("NumQ")
        given = np.isnan(rows[:, column]).all(axis=1) & (means[:, column] > 0)
        evaluated[given, 0] = means[given, column]
    return evaluated


def _is_count(measure: str | None) -> bool:
    name = measure or ""
    return name.startswith("num_") or name.partition("(")[0].partition("@")[0] in COUNTS
