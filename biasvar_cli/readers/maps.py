"""Small csv files that map an id to something: a target's score per query."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator

from biasvar_cli.errors import DataError
from biasvar_cli.readers.sources import read_bytes

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def read_target(path: str) -> dict[str, float]:
    """Scores by query id from a csv with the columns ``query_id`` and ``score``; other columns are ignored.

    Raises `DataError`, with the line, for a column that is not there, a query given twice, or a score that is no
    finite number.
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"not UTF-8 text: {error.reason} at offset {error.start}", path=path) from None
    rows = _rows(text, path)
    _, header = next(rows, (1, []))
    if header.count("query_id") != 1 or header.count("score") != 1:
        found = ", ".join(header) or "nothing"
        raise DataError(f"expected the columns query_id and score, found {found}", path=path, line=1)
    query_at, score_at = header.index("query_id"), header.index("score")
    held: dict[str, float] = {}
    for line, row in rows:
        if len(row) != len(header):
            raise DataError(f"expected {len(header)} columns, found {len(row)}", path=path, line=line)
        query = row[query_at]
        if query in held:
            raise DataError(f"query {query} is given twice", path=path, line=line)
        held[query] = _finite(row[score_at], path, line)
    return held


def _rows(text: str, path: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, their cells stripped, with the number of the line that each ends in."""
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        for row in reader:
            if any(row):
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise DataError(f"cannot be read as csv: {error}", path=path, line=reader.line_num) from None


def _finite(text: str, path: str, line: int) -> float:
    if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    if _NUMBER.fullmatch(text) or text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise DataError(f"score {text} is not finite", path=path, line=line)
    raise DataError(f"score {text!r} is not a number", path=path, line=line)
