"""Small tables that map an id to something: a query to a target's score or to a group, a run to a family or a team."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_records import shown
from biasvar_cli.readers.sources import read_bytes

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LINE_END = re.compile(r"[\r\n]")


class Member(NamedTuple):
    """A run's family, and its parameter there as the file writes it, None where it has none."""

    family: str
    parameter: str | None


def read_target(path: str) -> dict[str, float]:
    """Scores by query id from a csv with the columns ``query_id`` and ``score``; other columns are ignored.

    Raises `DataError`, with the line, for a column that is not there, a query given twice, or a score that is no
    finite number.
    """
    rows = _rows(decoded(read_bytes(path), path), path)
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


def read_groups(path: str) -> dict[str, str]:
    """The group of each query, in the order of the file, from the columns ``query`` (or ``query_id``) and ``group``.

    For the form of the file and the errors see `parse_map`.
    """
    held = parse_map(read_bytes(path), path, key=("query", "query_id"), value="group")
    return {query: group for query, (group, _) in held.items()}


def read_families(path: str) -> dict[str, Member]:
    """The family of each run, in the order of the file, from the columns ``run``, ``family`` and maybe ``parameter``.

    A blank parameter, or no such column, stands for none: not every member is a setting of something. For the form of
    the file and the errors see `parse_map`.
    """
    held = parse_map(read_bytes(path), path, key=("run",), value="family", maybe="parameter")
    return {run: Member(family, parameter or None) for run, (family, parameter) in held.items()}


def read_teams(path: str) -> dict[str, str]:
    """The team of each run, in the order of the file, from the columns ``run`` and ``team``.

    For the form of the file and the errors see `parse_map`.
    """
    held = parse_map(read_bytes(path), path, key=("run",), value="team")
    return {run: team for run, (team, _) in held.items()}


def parse_map(
    data: bytes, path: str, *, key: Sequence[str], value: str, maybe: str | None = None
) -> dict[str, tuple[str, str]]:
    """What each id is mapped to: its cell in the column ``value``, and that in the column ``maybe``, "" without one.

    The file is UTF-8, comma-separated, or tab-separated if its header holds a tab. Its first row that is not blank is
    the header; one of the names in ``key`` heads the ids. Other columns and blank rows are ignored, cells are stripped.

    Raises `DataError`, with the line, for a wanted column that is not there or is there twice, a row of another length
    than the header's, an id or value that is blank, and an id given twice; and for a file without a row below its
    header.

    >>> teams = b"run\\tteam\\tyear\\nbm25.1\\twaterloo\\t1994\\nbm25.2\\twaterloo\\t1994\\n"
    >>> parse_map(teams, "teams.tsv", key=("run",), value="team")
    {'bm25.1': ('waterloo', ''), 'bm25.2': ('waterloo', '')}
    >>> parse_map(b"run,team\\nbm25,waterloo\\nbm25,cornell\\n", "teams.csv", key=("run",), value="team")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: teams.csv:3: run bm25 is given twice, first in line 2; keep one
    """
    text = decoded(data, path)
    rows = _rows(text, path, delimiter="\t" if "\t" in _header_line(text) else ",")
    header_line, header = next(rows, (1, []))
    key_at, value_at, maybe_at = _places(header, key, value, maybe, path, header_line)
    held: dict[str, tuple[str, str]] = {}
    first: dict[str, int] = {}
    for line, row in rows:
        if len(row) != len(header):
            found = f"expected {len(header)} columns, as in the header, found {len(row)}"
            raise DataError(f"{found}; quote a cell that holds a separator", path=path, line=line)
        name = row[key_at]
        for column in (key_at, value_at):
            if not row[column]:
                raise DataError(f"column {header[column]} is blank; fill it in or drop the row", path=path, line=line)
        if name in held:
            twice = f"{key[0]} {shown(name)} is given twice, first in line {first[name]}; keep one"
            raise DataError(twice, path=path, line=line)
        held[name], first[name] = (row[value_at], "" if maybe_at is None else row[maybe_at]), line
    if not held:
        raise DataError(f"the file lists no {key[0]} below its header", path=path)
    return held


def decoded(data: bytes, path: str) -> str:
    """The text that UTF-8 bytes stand for. Raises `DataError`, with the line, for bytes that are no UTF-8.

    >>> decoded("é".encode("latin-1"), "teams.csv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: teams.csv:1: not UTF-8 text: byte 0xe9; save it as UTF-8
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = data[error.start : error.start + 1].hex()
        raise DataError(f"not UTF-8 text: byte 0x{found}; save it as UTF-8", path=path, line=line) from None


def _header_line(text: str) -> str:
    return next((line for line in _LINE_END.split(text) if line.strip()), "")


def _places(
    header: Sequence[str], key: Sequence[str], value: str, maybe: str | None, path: str, line: int
) -> tuple[int, int, int | None]:
    """Where in the header the wanted columns are."""
    found = shown(", ".join(header)) if header else "nothing"
    keys = [index for index, name in enumerate(header) if name in key]
    values = [index for index, name in enumerate(header) if name == value]
    others = [index for index, name in enumerate(header) if name == maybe]
    if len(keys) > 1 or len(values) > 1 or len(others) > 1:
        wanted = " or ".join(key) if len(keys) > 1 else value if len(values) > 1 else maybe
        raise DataError(f"there are two columns {wanted} in {found}; keep one", path=path, line=line)
    if not keys or not values:
        wanted = f"{key[0]}{''.join(f' (or {other})' for other in key[1:])} and {value}"
        raise DataError(f"expected the columns {wanted}, found {found}; name them in a header", path=path, line=line)
    return keys[0], values[0], others[0] if others else None


def _rows(text: str, path: str, *, delimiter: str = ",") -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, their cells stripped, with the number of the line that each starts in."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True, skipinitialspace=True)
    start = 1
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise DataError(f"cannot be read as csv: {error}; check the quotes", path=path, line=start) from None


def _finite(text: str, path: str, line: int) -> float:
    if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    if _NUMBER.fullmatch(text) or text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise DataError(f"score {text} is not finite", path=path, line=line)
    raise DataError(f"score {text!r} is not a number", path=path, line=line)
