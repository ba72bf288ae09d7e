"""The log of Anserini's ``-rm3.outputQuery``: the terms of a query stand below its ``QID:`` line.

Older versions log the new query, ``Running new query: (kabila)^0.044 (dissid)^0.166``; newer ones ``Feedback Query:``
in the same form and each ``Feedback term: k -> v`` besides. Several threads write to one log, each with its name in
square brackets: the lines of one are paired by that name (Anserini, Rm3Reranker.java).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, collected
from biasvar_cli.readers.text import DECIMAL, shown

LOGGED = re.compile(r"(?P<head>(?:.*?\s)?)(?P<what>QID|Running new query|Feedback Query|Feedback term):\s+(?P<rest>.*)")
_THREAD = re.compile(r"\[([^\]]+)\]")
_CLAUSE = re.compile(
    rf"\s*(?:\((?P<within>[^\s()\"]+)\)|(?P<bare>[^\s()^\"]+))(?:\^(?P<boost>{DECIMAL}))?(?=\s|$)", re.ASCII
)


@dataclass
class _Query:
    """What is logged of one query: its id, its line, and its terms, from the whole query and one at a time."""

    query: str
    line: int
    whole: list[Entry] = field(default_factory=list)
    single: list[Entry] = field(default_factory=list)


def parse_anserini(text: str, path: str) -> ModelRows:
    """The terms of every query in a log.

    Raises `DataError`, with the line, for a query that is logged twice, a new query without a ``QID:`` line of its
    thread above it, and what cannot be read.

    >>> log = "INFO [pool-1] Rm3 - QID: 301\\nINFO [pool-1] Rm3 - Running new query: (kabila)^0.25 (dissid)^0.5\\n"
    >>> rows = parse_anserini(log, "rm3.log")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['kabila', 'dissid'], [0.25, 0.5])
    """
    return collected((entry for each in _queries(text, path) for entry in each.single or each.whole), path)


def _queries(text: str, path: str) -> list[_Query]:
    of_thread: dict[str, _Query] = {}
    found: dict[str, _Query] = {}
    for number, line in enumerate(text.split("\n"), 1):
        logged = LOGGED.fullmatch(line.rstrip())
        if logged is None:
            continue
        named = _THREAD.findall(logged["head"])
        thread, rest = named[0] if named else "", logged["rest"].strip()
        if logged["what"] == "QID":
            if rest in found:
                twice = (
                    f"query {shown(rest)} is logged twice, first in line {found[rest].line}; keep the log of one run"
                )
                raise DataError(twice, path=path, line=number)
            of_thread[thread] = found[rest] = _Query(rest, number)
            continue
        if thread not in of_thread:
            of = f" of the thread {shown(thread)}" if thread else ""
            raise DataError(f"no QID: line{of} above this one; keep the whole log", path=path, line=number)
        query = of_thread[thread]
        if logged["what"] == "Feedback term":
            query.single.append(_term(rest, query.query, path, number))
        else:
            query.whole.extend(_clauses(rest, query.query, path, number))
    return list(found.values())


def _term(text: str, query: str, path: str, line: int) -> Entry:
    term, arrow, weight = text.rpartition(" -> ")
    if not arrow:
        raise DataError(f"expected a term and its weight, k -> v, found {shown(text)}", path=path, line=line)
    return Entry(line, query, term.strip(), weight)


def _clauses(text: str, query: str, path: str, line: int) -> Iterator[Entry]:
    """The terms of a query as Lucene prints it; a clause without a boost counts 1."""
    at = 0
    while at < len(text):
        clause = _CLAUSE.match(text, at)
        if clause is None:
            found = shown(text[at : at + 40].strip())
            raise DataError(f"expected (term)^weight, found {found}", path=path, line=line)
        yield Entry(line, query, clause["within"] or clause["bare"], clause["boost"] or "1")
        at = clause.end()
