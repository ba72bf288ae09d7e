"""The terms and weights of a query model as they stand in a file, whatever its format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import finite_number, shown

_SUFFIXES = (".tsv", ".csv", ".jsonl", ".json", ".txt", ".log")


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
