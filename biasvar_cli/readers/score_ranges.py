"""Scores that no measure could give: beyond the range of their measure, or whole numbers among fractions."""

from __future__ import annotations

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, out_of_range
from biasvar_cli.errors import DataError
from biasvar_cli.measures import range_words, value_range
from biasvar_cli.readers.score_aside import Messages
from biasvar_cli.readers.score_layout import Layout

ALLOW = "--allow-range reads the values as they are"


def refuse_out_of_range(layout: Layout, kept: Messages) -> None:
    """Raise `DataError` for the first score in the file that its measure cannot have, by `measures.value_range`."""
    for index, measure in enumerate(layout.measures):
        bounds = value_range(measure) if measure is not None else None
        if bounds is None:
            continue
        outside = out_of_range(layout.values, bounds) & (layout.places[:, 1] == index)
        if outside.any():
            outside &= layout.belongs(0, kept.runs) & layout.belongs(2, kept.queries)
        if outside.any():
            first = int(np.flatnonzero(outside)[0])
            value = layout.values[first]
            percent = "divide percentages by 100; " if bounds[1] == 1 and value > 1 else ""
            what = f"{layout.name_of(first)} is {value:.10g}, but {range_words(str(measure))}"
            raise DataError(f"{what}; {percent}{ALLOW}", path=layout.path, line=layout.lines[first])


def whole_numbers_among_fractions(values: FloatArray) -> int | None:
    """The first row that has whole numbers alone, one of them above 1, where all other rows are from 0 to 1.

    Such a row of a matrix, shape (n, m), counts something or is made of ids. None if there is none, or if the others
    have no fractions.

    >>> whole_numbers_among_fractions(np.array([[0.25, 0.5], [301, 302]]))
    1
    """
    with np.errstate(invalid="ignore"):
        whole: BoolArray = np.all(np.isnan(values) | (values == np.round(values)), axis=1)
        suspect = whole & (np.nan_to_num(values).max(axis=1) > 1)
        others = values[~suspect]
        usual = others.size > 0 and np.nanmin(others) >= 0 and np.nanmax(others) <= 1
        if suspect.any() and usual and np.any(others != np.round(others), where=~np.isnan(others)):
            return int(np.flatnonzero(suspect)[0])
    return None
