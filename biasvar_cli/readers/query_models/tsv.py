"""Query models as tables: ``query<TAB>term<TAB>weight``, a line a term; blank lines and ``#`` lines are skipped."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, checked, collected
from biasvar_cli.readers.text import NUMBER, shown

_TAB, _LINE_FEED = 9, 10
_HEADER = ("qid", "query", "query_id", "topic", "topic_id")


def parse_tsv(text: str, path: str) -> ModelRows:
    """The rows of a table of terms and weights, with a header or without.

    Raises `DataError`, with the line, for a line of another number of columns, a blank query or term, and for what
    `collected` refuses.

    >>> rows = parse_tsv("# RM1\\n1\\tmicrowav\\t0.06\\n1\\tliquid\\t0.05\\n", "rm.tsv")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['1', '1'], ['microwav', 'liquid'], [0.06, 0.05])
    >>> parse_tsv("1\\tliquid\\n", "rm.tsv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: rm.tsv:1: expected query, term and weight separated by tabs, found 2: 1, liquid
    """
    plain = _plain_columns(text)
    if plain is not None:
        return checked(ModelRows(path, *plain))
    return collected(_entries(text, path), path)


def _plain_columns(text: str) -> tuple[list[str], list[str], FloatArray] | None:
    """The three columns of a table in which every line has them and no cell needs a second look; else None.

    numpy reads a number as Python does, so that both ways give the same; they are three times as fast as one line at a
    time.
    """
    body = text if text.endswith("\n") else text + "\n"
    codes = np.frombuffer(body.encode(), dtype=np.uint8)
    marks = codes[(codes == _TAB) | (codes == _LINE_FEED)]
    if len(marks) % 3 or not (marks.reshape(-1, 3) == (_TAB, _TAB, _LINE_FEED)).all():
        return None
    cells = body.replace("\n", "\t").split("\t")[:-1]
    queries, terms, texts = cells[0::3], cells[1::3], cells[2::3]
    if not all(map(NUMBER.fullmatch, texts)) or not _are_words(set(queries)) or not _are_words(set(terms)):
        return None
    weights = np.array(texts, dtype=np.float64)
    return (queries, terms, weights) if (weights >= 0).all() and np.isfinite(weights).all() else None


def _are_words(cells: set[str]) -> bool:
    """Whether all cells are words that no line skips: not blank, nothing to strip, no comment."""
    return all(cell and cell == cell.strip() and not cell.startswith("#") for cell in cells)


def _entries(text: str, path: str) -> Iterator[Entry]:
    first = True
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells) or line.startswith("#"):
            continue
        if len(cells) != 3:
            mismatch = f"found {len(cells)}: {shown(', '.join(cells))}"
            raise DataError(f"expected query, term and weight separated by tabs, {mismatch}", path=path, line=number)
        query, term, weight = cells
        if first and query.lower() in _HEADER and not NUMBER.fullmatch(weight):
            first = False
            continue
        first = False
        if not query or not term:
            raise DataError(f"the {'query' if not query else 'term'} is blank", path=path, line=number)
        yield Entry(number, query, term, weight)
