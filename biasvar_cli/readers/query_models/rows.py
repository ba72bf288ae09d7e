"""The terms and weights of a query model in a file of any format."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.text import finite_number, quoted

Query = TypeVar("Query")  # the content of a query, a type that each format chooses

# One term of one query: the line number, the id of the query, the term, and its weight as in the file.
Entry = tuple[int, str, str, str | float]
IDS = ("qid", "query_id", "id", "topic")  # names of the column or key of the query's id


class Opened(NamedTuple):
    """The text of a file, and its first line that is neither blank nor a comment, or ""."""

    text: str
    first: str


class ModelRows(NamedTuple):
    """The terms of all queries of a model: three columns of one length, in the order of the file.

    No weight is negative, and at least one is positive. A term that occurs twice in a query has two rows.
    """

    path: str
    queries: list[str]
    terms: list[str]
    weights: FloatArray


def collected(entries: Iterable[Entry], path: str) -> ModelRows:
    """The rows of a model from its terms, one at a time.

    Raises `DataError`, with the line, for a weight that is negative or not a finite number; and for a model without
    positive weights.

    >>> rows = collected([(1, "q1", "radio", "0.75"), (2, "q1", "wave", ".25")], "rm.tsv")
    >>> rows.terms, rows.weights.tolist()
    (['radio', 'wave'], [0.75, 0.25])
    >>> collected([(1, "q1", "radio", "-1")], "rm.tsv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: rm.tsv:1: the weight of radio in query q1 is negative: -1; weights are probabilities
    """
    queries, terms, weights = [], [], []
    for line, query, term, text in entries:
        what = f"the weight of {quoted(term)} in query {quoted(query)}"
        weight = finite_number(str(text).strip(), what, path, line, remedy="give every term a weight")
        if weight < 0:
            negative = f"{what} is negative: {quoted(str(text))}"
            raise DataError(f"{negative}; weights are probabilities", path=path, line=line)
        queries.append(query)
        terms.append(term)
        weights.append(weight)
    return checked(ModelRows(path, queries, terms, np.array(weights, dtype=np.float64)))


def checked(rows: ModelRows) -> ModelRows:
    """The rows of a model. Raises `DataError` if no weight is positive, or if the sum of the weights is infinite."""
    if not (rows.weights > 0).any():
        raise DataError("the model is empty: no term has a positive weight", path=rows.path)
    with np.errstate(over="ignore"):
        total = rows.weights.sum()
    if not np.isfinite(total):
        raise DataError("the weights are too large to be summed; divide them all by one number", path=rows.path)
    return rows


def collected_queries(
    queries: Iterable[tuple[int, str, Query]], weights: Callable[[Query, str, int], Mapping[str, Any]], path: str
) -> ModelRows:
    """The rows of a model from the lines, ids and contents of its queries; ``weights`` reads the terms in a content.

    Raises `DataError`, with the line, for an id that is blank or given twice, and for a term that is blank, has blanks
    around it, or has tabs or line feeds in it; for the other errors see `collected`.

    >>> queries = [(1, "q1", "radio wave")]
    >>> collected_queries(queries, lambda words, path, line: dict.fromkeys(words.split(), 1), "rm.txt").terms
    ['radio', 'wave']
    """

    def entries() -> Iterator[Entry]:
        first: dict[str, int] = {}
        for line, query, content in queries:
            if not query:
                raise DataError("the id of the query is blank", path=path, line=line)
            if query in first:
                what = f"query {quoted(query)} is given twice, first in line {first[query]}; keep one"
                raise DataError(what, path=path, line=line)
            first[query] = line
            for term, weight in weights(content, path, line).items():
                if not term or term != term.strip() or "\t" in term or "\n" in term:
                    what = f"query {quoted(query)} has {term!r}, which is not a term; a term has no blanks around it"
                    raise DataError(what, path=path, line=line)
                yield line, query, term, weight

    return collected(entries(), path)
