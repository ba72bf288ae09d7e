"""The terms and weights of a query model as they stand in a file, whatever its format, and those of a background."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.sources import read_bytes, run_name
from biasvar_cli.readers.text import NUMBER, decoded, finite_number, line_feeds, shown

_SUFFIXES = (".tsv", ".csv", ".jsonl", ".json", ".txt", ".log")


def read_background(path: str, *, max_size: int | None = None) -> dict[str, float]:
    """The counts or probabilities of terms, in the order of the file; for errors see `parse_background`."""
    return parse_background(read_bytes(path, max_size=max_size), path)


def parse_background(data: bytes, path: str) -> dict[str, float]:
    """The counts of terms, all positive; blank lines, ``#`` lines, a header and counts of 0 are skipped.

    Raises `DataError`, with the line, for a line of another number of columns, a term given twice, and a count that is
    negative or no finite number; and for a file without a term.

    >>> parse_background(b"frequenc\\t3054\\nus\\t2978\\n", "background.tsv")
    {'frequenc': 3054.0, 'us': 2978.0}
    >>> parse_background(b"us\\t3\\nus\\t4\\n", "background.tsv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: background.tsv:2: term us is given twice; add its counts up in one line
    """
    counts_by_term: dict[str, float] = {}
    seen = False
    for number, line in enumerate(decoded(line_feeds(data), path).split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells) or line.startswith("#"):
            continue
        if len(cells) != 2 or not cells[0]:
            words = f"expected term and count separated by a tab, found {shown(', '.join(cells))}"
            raise DataError(words, path=path, line=number)
        term, text = cells
        if not seen and term.lower() in ("term", "token", "word") and not NUMBER.fullmatch(text):
            seen = True
            continue
        seen = True
        count = finite_number(text, f"the count of {shown(term)}", path, number, remedy="give every term a count")
        if count < 0:
            raise DataError(f"the count of {shown(term)} is negative: {shown(text)}", path=path, line=number)
        if term in counts_by_term:
            raise DataError(f"term {shown(term)} is given twice; add its counts up in one line", path=path, line=number)
        counts_by_term[term] = count
    counts = {term: count for term, count in counts_by_term.items() if count > 0}
    if not counts:
        raise DataError("the background has no term with a positive count", path=path)
    return counts


class Entry(NamedTuple):
    """One term of one query: the number of its line, the query's id, the term, and its weight as the file has it."""

    line: int
    query: str
    term: str
    weight: str | float


class ModelRows(NamedTuple):
    """The terms of all queries of a model: three columns of one length, in the order of the file.

    No weight is negative, and at least one is positive. A term that a query has twice stands in two rows.
    """

    path: str
    queries: list[str]
    terms: list[str]
    weights: FloatArray


def model_name(path: str) -> str:
    """The name of a query model by its file, which pairs it with the run of that name.

    As `run_name`, and without .tsv, .csv, .jsonl, .json, .txt or .log.

    >>> model_name("models/rm.tsv.gz"), model_name("comb-0.1"), model_name("-")
    ('rm', 'comb-0.1', 'stdin')
    """
    name = run_name(path)
    suffix = next((ending for ending in _SUFFIXES if name.endswith(ending) and name != ending), "")
    return name.removesuffix(suffix)


def collected(entries: Iterable[Entry], path: str) -> ModelRows:
    """The rows of a model from its terms, one at a time.

    Raises `DataError`, with the line, for a weight that is negative or no finite number; and for a model in which no
    term has a positive weight.

    >>> rows = collected([Entry(1, "q1", "radio", "0.75"), Entry(2, "q1", "wave", ".25")], "rm.tsv")
    >>> rows.terms, rows.weights.tolist()
    (['radio', 'wave'], [0.75, 0.25])
    >>> collected([Entry(1, "q1", "radio", "-1")], "rm.tsv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: rm.tsv:1: the weight of radio in query q1 is negative: -1; weights are probabilities
    """
    listed = list(entries)
    weights = np.array([_weight(entry, path) for entry in listed], dtype=np.float64)
    return checked(ModelRows(path, [entry.query for entry in listed], [entry.term for entry in listed], weights))


def checked(rows: ModelRows) -> ModelRows:
    """The rows of a model. Raises `DataError` where no term has a positive weight, or their sum is no number."""
    if not (rows.weights > 0).any():
        raise DataError("the model is empty: no term has a positive weight", path=rows.path)
    with np.errstate(over="ignore"):
        total = rows.weights.sum()
    if not np.isfinite(total):
        raise DataError("the weights are too large to be summed; divide them all by one number", path=rows.path)
    return rows


def _weight(entry: Entry, path: str) -> float:
    what = f"the weight of {shown(entry.term)} in query {shown(entry.query)}"
    weight = finite_number(str(entry.weight).strip(), what, path, entry.line, remedy="give every term a weight")
    if weight < 0:
        text = shown(str(entry.weight))
        raise DataError(f"{what} is negative: {text}; weights are probabilities", path=path, line=entry.line)
    return weight
