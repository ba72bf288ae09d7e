"""Small csv files that map an id to something: a target's score per query."""

from __future__ import annotations

import csv
import math

from biasvar_cli.errors import DataError
from biasvar_cli.readers.sources import read_bytes


def read_target(path: str) -> dict[str, float]:
    """Scores by query id from a csv with the columns ``query_id`` and ``score``; other columns are ignored.

    Raises `DataError`, with the line, for a column that is not there, a query given twice, or a score that is no
    finite number.
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 text: {error.reason} at offset {error.start}", path=path) from None
    reader = csv.reader(text.splitlines())
    header = [cell.strip() for cell in next(reader, [])]
    if not {"query_id", "score"} <= set(header):
        found = ", ".join(header) or "nothing"
        raise DataError(f"expected the columns query_id and score, found {found}", path=path, line=1)
    query_at, score_at = header.index("query_id"), header.index("score")
    held: dict[str, float] = {}
    for row in filter(None, reader):
        if len(row) != len(header):
            raise DataError(f"expected {len(header)} columns, found {len(row)}", path=path, line=reader.line_num)
        query = row[query_at].strip()
        if query in held:
            raise DataError(f"query {query} is given twice", path=path, line=reader.line_num)
        held[query] = _finite(row[score_at], path, reader.line_num)
    return held


def _finite(text: str, path: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        raise DataError(f"score {text!r} is not a number", path=path, line=line) from None
    if not math.isfinite(value):
        raise DataError(f"score {text} is not finite", path=path, line=line)
    return value
