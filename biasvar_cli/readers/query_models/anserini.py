"""The log of Anserini's ``-rm3.outputQuery``: the terms of a query stand below its ``QID:`` line.

Older versions log the new query, ``Running new query: (kabila)^0.044 (dissid)^0.166``; newer ones ``Feedback Query:``
in the same form and each ``Feedback term: k -> v`` besides. Several threads write to one log, each with its name in
square brackets: the lines of one are paired by that name (Anserini, Rm3Reranker.java). Levels and times may stand in
brackets, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from biasvar_cli.errors import DataError, warn
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, Opened, collected
from biasvar_cli.readers.text import DECIMAL, quoted
from biasvar_cli.words import counted, examples

_LOGGED = re.compile(
    r"(?P<head>(?:.*?\s)?)(?P<what>QID|Running new query|Feedback Query|Feedback term):\s+(?P<rest>.*)"
)
_BRACKETS = re.compile(r"\[([^\]]+)\]")
_NO_THREAD = re.compile(  # a level, a time or a date
    r"\s*(?:(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)|.*\d:\d\d.*|\d+[-/.]\d+[-/.]\d+)\s*", re.IGNORECASE
)
_CONDITION = re.compile(r"[+-]|[^:]+:.")  # Lucene's words that must be there or must not, and those of another field
_CLAUSE = re.compile(
    rf"\s*(?:\((?P<within>[^\s()\"]+)\)|(?P<bare>[^\s()^\"]+))(?:\^(?P<boost>{DECIMAL}))?(?=\s|$)", re.ASCII
)


@dataclass
class _Query:
    """What is logged of one query: its id, its line, and its terms, from the whole query and one at a time."""

    query: str
    line: int
    lines: dict[str, int] = field(default_factory=dict)  # of each kind of whole query
    whole: list[Entry] = field(default_factory=list)
    single: list[Entry] = field(default_factory=list)


def recognise(file: Opened) -> bool:
    """Whether any line of a file is one that Anserini logs of a query."""
    return any(map(_LOGGED.fullmatch, file.text.split("\n")))


def read(text: str, path: str) -> ModelRows:
    """The terms of every query in a log.

    Raises `DataError`, with the line, for a query that is logged twice, a new query without a ``QID:`` line of its
    thread above it or with another below the same one, two ``QID:`` lines in a row where no thread is named, and what
    cannot be read. Warns of queries whose new query is not in the log.

    >>> log = "INFO [pool-1] Rm3 - QID: 301\\nINFO [pool-1] Rm3 - Running new query: (kabila)^0.25 (dissid)^0.5\\n"
    >>> rows = read(log, "rm3.log")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['kabila', 'dissid'], [0.25, 0.5])
    """
    queries = _queries(text, path)
    without = [query.query for query in queries if not _is_complete(query)]
    if without and len(without) < len(queries):
        warn(f"{path}: {counted(len(without), 'query')} logged without a new query left out: {examples(without)}")
    return collected((entry for query in queries for entry in query.single or query.whole), path)


def _is_complete(query: _Query) -> bool:
    return bool(query.whole or query.single)


def _queries(text: str, path: str) -> list[_Query]:
    of_thread: dict[str, _Query] = {}
    by_id: dict[str, _Query] = {}
    for number, line in enumerate(text.split("\n"), 1):
        logged = _LOGGED.fullmatch(line.rstrip())
        if logged is None:
            continue
        what, rest = logged["what"], logged["rest"].strip()
        names = (name.strip() for name in _BRACKETS.findall(logged["head"]) if not _NO_THREAD.fullmatch(name))
        thread = next(names, "")
        if what == "QID":
            _require_new(rest, by_id, of_thread.get("") if not thread else None, path, number)
            of_thread[thread] = by_id[rest] = _Query(rest, number)
            continue
        if thread not in of_thread:
            whose = f" of the thread {quoted(thread)}" if thread else ""
            raise DataError(f"no QID: line{whose} above this one; keep the whole log", path=path, line=number)
        query = of_thread[thread]
        if what == "Feedback term":
            term, arrow, weight = rest.rpartition(" -> ")
            if not arrow:
                expected = f"expected a term and its weight, k -> v, found {quoted(rest)}"
                raise DataError(expected, path=path, line=number)
            query.single.append(Entry(number, query.query, term.strip(), weight))
        elif what in query.lines:
            twice = f"a second {what}: of query {quoted(query.query)}, the first is in line {query.lines[what]}"
            raise DataError(f"{twice}; log the threads' names, or use one thread", path=path, line=number)
        else:
            query.lines[what] = number
            query.whole.extend(_clauses(rest, query.query, path, number))
    return list(by_id.values())


def _require_new(query: str, logged: dict[str, _Query], before: _Query | None, path: str, line: int) -> None:
    """Raise `DataError` for a query that is logged already, and where the one before, of no thread, has no terms."""
    if query in logged:
        twice = f"query {quoted(query)} is logged twice, first in line {logged[query].line}; keep the log of one run"
        raise DataError(twice, path=path, line=line)
    if before is not None and not _is_complete(before):
        mixed = (
            f"query {quoted(query)} begins before the new query of {quoted(before.query)} is logged, and no thread is"
        )
        raise DataError(f"{mixed} named; log the threads' names, or use one thread", path=path, line=line)


def _clauses(text: str, query: str, path: str, line: int) -> Iterator[Entry]:
    """The terms of a query as Lucene prints it; a clause without a boost counts 1."""
    at = 0
    while at < len(text):
        clause = _CLAUSE.match(text, at)
        if clause is None:
            rest = quoted(text[at : at + 40].strip())
            raise DataError(f"expected (term)^weight, found {rest}", path=path, line=line)
        term = clause["within"] or clause["bare"]
        if _CONDITION.match(term):
            raise DataError(
                f"{quoted(term)} is a condition or of another field, no plain term; log the query without it",
                path=path,
                line=line,
            )
        yield Entry(line, query, term, clause["boost"] or "1")
        at = clause.end()
