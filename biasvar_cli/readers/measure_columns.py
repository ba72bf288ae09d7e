"""Which columns of a table are named as measures, where a table of measures and a matrix of runs look alike."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.measures import asked_name, canonical, is_measure, value_range
from biasvar_cli.readers.score_names import is_count, is_id, is_known
from biasvar_cli.readers.score_summaries import equals_summary, summary
from biasvar_cli.readers.text import HOLES, NUMBER, Row


def named_as_measures(
    header: Sequence[str], rows: Sequence[Row], places: Sequence[int], asked: Collection[str] = ()
) -> list[int]:
    """The columns, of those at ``places``, whose names show that a table has measures and not runs.

    These are names of ir-measures, trec_eval and ranx, and those that are ``asked`` for. A count shows nothing,
    for it may stand beside runs; nor does a column that equals the summary of the others that its name says.

    >>> rows = [(2, ["301", "0.2", "0.4", "0.3"]), (3, ["302", "0.1", "0.5", "0.3"])]
    >>> named_as_measures(["topic", "AP", "P@10", "latency"], rows, [1, 2, 3])
    [1, 2]
    >>> named_as_measures(["topic", "bm25", "rm3", "map"], rows, [1, 2, 3])  # the mean of both
    []
    """
    found = [place for place in places if _is_name(header[place]) or (asked and canonical(header[place]) in asked)]
    if not found:
        return []
    others = [place for place in places if place not in found and has_numbers(rows, place)]
    return [place for place in found if not (others and _sums_up(header[place], rows, place, others))]


def is_like_a_measure(name: str) -> bool:
    """Whether a name is a measure's in any spelling that some program has, where columns have measures.

    >>> is_like_a_measure("ERR-IA@5"), is_like_a_measure("err@20"), is_like_a_measure("latency")
    (True, True, False)
    """
    return is_known(name) or asked_name(name) is not None or value_range(name) is not None


def unlike_measures(header: Sequence[str], rows: Sequence[Row], places: Sequence[int]) -> list[int]:
    """The columns, of those at ``places``, that could be runs: no name of a measure, an id or a count, and numbers."""
    return [
        place
        for place in places
        if not (is_like_a_measure(header[place]) or is_id(header[place]) or is_count(header[place]))
        and has_numbers(rows, place)
    ]


def has_numbers(rows: Sequence[Row], place: int) -> bool:
    """Whether any cell of a column is a number."""
    return any(NUMBER.fullmatch(cells[place]) for _, cells in rows)


def is_full(rows: Sequence[Row], place: int) -> bool:
    """Whether every cell of a column is a finite number."""
    return all(NUMBER.fullmatch(cells[place]) and np.isfinite(float(cells[place])) for _, cells in rows)


def _is_name(name: str) -> bool:
    """Whether a name is a measure's; runs may be called by a letter, such as trec_eval's G."""
    return (is_measure(name) or (len(name) > 1 and is_known(name))) and not is_count(name)


def _sums_up(name: str, rows: Sequence[Row], place: int, others: Sequence[int]) -> bool:
    """Whether a column equals the summary of the others that its name says, to the digits that they have."""
    meaning = summary(name)
    rows = [row for row in rows if not any(map(summary, row[1]))]  # without rows of summaries
    if meaning is None or not rows or any(cells[place].lower() in HOLES for _, cells in rows):
        return False
    given, values = _numbers(rows, [place])[:, 0], _numbers(rows, others)
    slack, printed = (_half_digit(rows, columns) for columns in (others, [place]))
    return bool(equals_summary(meaning, given, values, slack=slack, printed=printed).all())


def _numbers(rows: Sequence[Row], places: Sequence[int]) -> FloatArray:
    """The numbers of some columns, shape (n_rows, n_columns), nan for what is none."""
    texts = [[cells[place] for place in places] for _, cells in rows]
    return np.array([[float(text) if NUMBER.fullmatch(text) else np.nan for text in row] for row in texts])


def _half_digit(rows: Sequence[Row], places: Sequence[int]) -> float:
    """Half of the last digit of the most exact number in some columns."""
    digits = [len(cells[place].partition(".")[2]) for _, cells in rows for place in places]
    return float(0.5 * 10.0 ** -max(digits, default=0))
