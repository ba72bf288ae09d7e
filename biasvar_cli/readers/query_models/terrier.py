"""Queries of Terrier and PyTerrier: lines ``qid query``, or a table with qid and query or query_toks."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, collected
from biasvar_cli.readers.query_models.terrier_query import terrier_weights
from biasvar_cli.readers.text import shown, table_rows

IDS = ("qid", "query_id", "id", "topic")


def parse_terrier(text: str, path: str) -> ModelRows:
    """The terms of queries, one a line, the id first; blank lines and ``#`` lines are skipped.

    Raises `DataError`, with the line, for a query given twice or empty, and for what `terrier_query.terrier_weights`
    refuses.

    >>> rows = parse_terrier("301 applypipeline:off dog^0.6 cat^0.4\\n", "bo1.txt")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['dog', 'cat'], [0.6, 0.4])
    """

    def lines() -> Iterator[tuple[int, str, str]]:
        for number, line in enumerate(text.split("\n"), 1):
            query, _, rest = line.strip().replace("\t", " ").partition(" ")
            if query and not query.startswith("#"):
                yield number, query, rest

    return collected(
        (
            entry
            for number, query, rest in once(lines(), path)
            for entry in weighted(number, query, terrier_weights(rest, path, number), path)
        ),
        path,
    )


def parse_query_table(text: str, path: str) -> ModelRows:
    """The terms of the queries in a csv or tsv of PyTerrier: ``query_toks``, or else ``query``.

    Raises `DataError`, with the line, for what cannot be read.

    >>> rows = parse_query_table("qid,query,query_toks\\n1,dog,\\"{'dog': 2.0, 'cat': 1}\\"\\n", "rm3.csv")
    >>> rows.terms, rows.weights.tolist()
    (['dog', 'cat'], [2.0, 1.0])
    """

    def entries() -> Iterator[Entry]:
        rows = table_rows(text, path)
        first, header = next(rows, (1, []))
        id_at = next((header.index(name) for name in IDS if name in header), None)
        has_tokens = "query_toks" in header
        if id_at is None or not (has_tokens or "query" in header):
            found = shown(", ".join(header))
            raise DataError(f"expected the columns qid and query or query_toks, found {found}", path=path, line=first)
        at = header.index("query_toks" if has_tokens else "query")

        def cells() -> Iterator[tuple[int, str, str]]:
            for line, row in rows:
                if len(row) != len(header):
                    found = f"expected {len(header)} columns, as in the header, found {len(row)}"
                    raise DataError(f"{found}; quote a cell that contains a separator", path=path, line=line)
                yield line, row[id_at], row[at]

        for line, query, cell in once(cells(), path):
            terms = tokens(cell, path, line) if has_tokens else terrier_weights(cell, path, line)
            yield from weighted(line, query, terms, path)

    return collected(entries(), path)


def tokens(cell: str, path: str, line: int) -> Mapping[str, Any]:
    """A dict of terms and weights as Python or JSON writes it. Raises `DataError` for anything else, and for a term
    given twice.
    """
    for read in (_json_pairs, _python_pairs):
        try:
            pairs = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if pairs is not None and all(isinstance(term, str) for term, _ in pairs):
            return each_once(pairs, path, line)
    raise DataError(f"query_toks: expected {{term: weight, ...}}, found {shown(cell)}", path=path, line=line)


def each_once(pairs: Sequence[tuple[str, Any]], path: str, line: int | None) -> dict[str, Any]:
    """The dict of some pairs. Raises `DataError` for a key that is given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{shown(twice)} is given twice in one object; keep one", path=path, line=line)
    return found


def _json_pairs(cell: str) -> list[tuple[str, Any]] | None:
    """The pairs of a JSON object, None for another value."""
    found = json.loads(cell, object_pairs_hook=list)
    return found if cell.lstrip().startswith("{") else None


def _python_pairs(cell: str) -> list[tuple[Any, Any]] | None:
    """The pairs of a dict of Python, None for another value."""
    found = ast.parse(cell.strip(), mode="eval").body
    if not isinstance(found, ast.Dict) or None in found.keys:
        return None
    keys = [ast.literal_eval(key) for key in found.keys if key is not None]
    return list(zip(keys, map(ast.literal_eval, found.values), strict=True))


def once(rows: Iterator[tuple[int, str, str]], path: str) -> Iterator[tuple[int, str, str]]:
    """The lines of queries. Raises `DataError` for an id that is blank, or given twice."""
    first: dict[str, int] = {}
    for line, query, rest in rows:
        require_once(query, line, first, path)
        yield line, query, rest


def require_once(query: str, line: int, first: dict[str, int], path: str) -> None:
    """Keep the line of a query in ``first``. Raises `DataError` for an id that is blank, or there already."""
    if not query:
        raise DataError("the id of the query is blank", path=path, line=line)
    if query in first:
        twice = f"query {shown(query)} is given twice, first in line {first[query]}; keep one"
        raise DataError(twice, path=path, line=line)
    first[query] = line


def weighted(line: int, query: str, terms: Mapping[str, Any], path: str) -> Iterator[Entry]:
    """The entries of one query. Raises `DataError` for a term that is blank or has blanks around it or tabs within."""
    for term, weight in terms.items():
        if not term or term != term.strip() or "\t" in term or "\n" in term:
            raise DataError(
                f"query {shown(query)} has no term in {term!r}; no blanks around a term", path=path, line=line
            )
        yield Entry(line, query, term, weight)
