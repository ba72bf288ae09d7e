"""What ``IndriRunQuery -printQuery=true`` prints: ``# query:`` and ``# expanded:`` lines above the results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from biasvar_cli.errors import DataError, warn
from biasvar_cli.readers.query_models.indri_query import indri_weights
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, collected
from biasvar_cli.readers.text import NUMBER, shown
from biasvar_cli.words import counted

_QUERY, _EXPANDED = "# query:", "# expanded:"


class _Printed(NamedTuple):
    """A printed query: the number of its line, and what it says."""

    line: int
    text: str


def parse_indri(text: str, path: str) -> ModelRows:
    """The terms of every printed query, the expanded one where there is one; its id is that of the results below it.

    Queries without a result have no id and are left out with a warning. Raises `DataError` where none has one, for a
    query that is printed twice, and for what `indri_query.indri_weights` refuses.

    >>> printed = "# query: radio\\n# expanded: #weight( 0.75 \\"radio\\" 0.25 \\"wave\\" )\\n301 Q0 D1 1 -4.2 indri\\n"
    >>> rows = parse_indri(printed, "rm.log")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['radio', 'wave'], [0.75, 0.25])
    """
    return collected(_entries(text, path), path)


def _entries(text: str, path: str) -> Iterator[Entry]:
    first: dict[str, int] = {}
    for query, printed in _printed(text, path):
        if query in first:
            twice = f"query {shown(query)} is printed twice, first in line {first[query]}; keep one"
            raise DataError(twice, path=path, line=printed.line)
        first[query] = printed.line
        for term, share in indri_weights(printed.text, path, printed.line).items():
            yield Entry(printed.line, query, term, share)


def _is_result(words: list[str]) -> bool:
    """Whether the words of a line are a result in TREC format: query, Q0, document, rank, score, run."""
    return len(words) >= 6 and words[1] == "Q0" and words[3].isdecimal() and bool(NUMBER.fullmatch(words[4]))


def _printed(text: str, path: str) -> Iterator[tuple[str, _Printed]]:
    """Every printed query with its id."""
    waiting: _Printed | None = None
    n_found = n_lost = 0
    for number, line in enumerate(text.split("\n"), 1):
        start = next((mark for mark in (_QUERY, _EXPANDED) if line.startswith(mark)), None)
        if start is not None:
            n_lost += start == _QUERY and waiting is not None
            waiting = _Printed(number, line[len(start) :].strip())
            continue
        words = line.split()
        if waiting is not None and _is_result(words):
            yield words[0], waiting
            waiting, n_found = None, n_found + 1
    n_lost += waiting is not None
    remedy = "print results in TREC format (-trecFormat=true -count=1)"
    if not n_found:
        raise DataError(f"no result line follows a printed query, so it has no id; {remedy}", path=path)
    if n_lost:
        lost = f"{counted(n_lost, 'printed query')} without a result line and so without an id left out"
        warn(f"{path}: {lost}; {remedy}")
