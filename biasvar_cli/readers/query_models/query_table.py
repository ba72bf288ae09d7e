"""Tables of PyTerrier: a csv or tsv with the columns qid and query, or query_toks, a dict of terms and weights."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.rows import IDS, ModelRows, Opened, collected_queries, unique_pairs
from biasvar_cli.readers.query_models.terrier import terrier_weights
from biasvar_cli.readers.text import quoted, table_rows


def recognise(file: Opened) -> bool:
    """Whether the first line of a file is the header of such a table."""
    cells = {cell.strip().strip('"') for cell in re.split(r"[,;\t]", file.first)}
    return not cells.isdisjoint(IDS) and not cells.isdisjoint(("query", "query_toks"))


def read(text: str, path: str) -> ModelRows:
    """The terms of the queries in a csv or tsv of PyTerrier: ``query_toks``, or else ``query``.

    Raises `DataError`, with the line, for what cannot be read.

    >>> rows = read("qid,query,query_toks\\n1,dog,\\"{'dog': 2.0, 'cat': 1}\\"\\n", "rm3.csv")
    >>> rows.terms, rows.weights.tolist()
    (['dog', 'cat'], [2.0, 1.0])
    """

    rows = table_rows(text, path)
    first, header = next(rows, (1, []))
    id_at = next((header.index(name) for name in IDS if name in header), None)
    content = next((name for name in ("query_toks", "query") if name in header), None)
    if id_at is None or content is None:
        expected = f"expected the columns qid and query or query_toks, found {quoted(', '.join(header))}"
        raise DataError(expected, path=path, line=first)
    at = header.index(content)

    def cells() -> Iterator[tuple[int, str, str]]:
        for line, row in rows:
            if len(row) != len(header):
                expected = f"expected {len(header)} columns, as in the header, found {len(row)}"
                raise DataError(f"{expected}; quote a cell that contains a separator", path=path, line=line)
            yield line, row[id_at], row[at]

    return collected_queries(cells(), _tokens if content == "query_toks" else terrier_weights, path)


def _tokens(cell: str, path: str, line: int) -> Mapping[str, Any]:
    """A dict of terms and weights as Python or JSON writes it. Raises `DataError` for anything else, and for a term
    given twice.
    """
    for read in (_json_pairs, _python_pairs):
        try:
            pairs = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if pairs is not None and all(isinstance(term, str) for term, _ in pairs):
            return unique_pairs(pairs, path, line)
    raise DataError(f"query_toks: expected {{term: weight, ...}}, found {quoted(cell)}", path=path, line=line)


def _json_pairs(cell: str) -> list[tuple[str, Any]] | None:
    """The pairs of a JSON object, None for another value."""
    value = json.loads(cell, object_pairs_hook=list)
    return value if cell.lstrip().startswith("{") else None


def _python_pairs(cell: str) -> list[tuple[Any, Any]] | None:
    """The pairs of a dict of Python, None for another value."""
    value = ast.parse(cell.strip(), mode="eval").body
    if not isinstance(value, ast.Dict) or None in value.keys:
        return None
    keys = [ast.literal_eval(key) for key in value.keys if key is not None]
    return list(zip(keys, map(ast.literal_eval, value.values), strict=True))
