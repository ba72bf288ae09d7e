"""Small tables that map an id to a value: a query to a score of the target or to a group, a run to a family or a team.

Such a file is UTF-8, and separated by commas, or by tabs if its header has a tab. Its first row that is not blank is
the header, in small or capital letters. Other columns and blank rows are ignored; cells are stripped.
"""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.readers.text import (
    decoded,
    finite_number,
    loads,
    of_length,
    plain_text,
    quoted,
    table_rows,
    value_text,
)
from biasvar_cli.specs.machine import is_file
from biasvar_cli.words import argument


class Member(NamedTuple):
    """The family of a run, and the run's parameter as the file writes it, None without a parameter."""

    family: str
    parameter: str | None


Families = str | os.PathLike[str] | Mapping[str, Member]  # a file, a pattern of names, or the members themselves


class _Mapped(NamedTuple):
    """A row of a map: the number of its line, the id, its value, and its ``other`` cell, "" without such a column."""

    line: int
    name: str
    value: str
    other: str


def read_target(path: str, measure: str | None = None) -> dict[str, float]:
    """Scores by query id, in the order of the file, from the columns ``query_id`` and ``score``.

    A column ``measure`` has to name the wanted ``measure``; blank cells are not checked, nor is anything if ``measure``
    is None. Raises `DataError`, with the line, for another measure, and for a score that is not a finite number; for
    the other errors see `_parse_map`.
    """
    entries = _parse_map(read_bytes(path), path, key=("query_id",), value="score", other="measure")
    for entry in entries:
        if measure is not None and entry.other and canonical(entry.other) != canonical(measure):
            name = quoted(entry.other)
            what = f"this score is of {name}, but the runs are evaluated with {measure}"
            remedy = f"give scores of {measure}, or use {argument(measure=name)}"
            raise DataError(f"{what}; {remedy}", path=path, line=entry.line)
    return {entry.name: finite_number(entry.value, "column score", path, entry.line) for entry in entries}


def read_groups(path: str) -> dict[str, str]:
    """The group of each query, in the order of the file, from the columns ``query`` (or ``query_id``) and ``group``.

    For the errors see `_parse_map`.
    """
    return _values(path, ("query", "query_id"), "group")


def read_clusters(path: str) -> dict[str, str]:
    """The cluster of each query, in the order of the file, from the columns ``query_id`` (or ``query``), ``cluster``.

    For the errors see `_parse_map`.
    """
    return _values(path, ("query_id", "query"), "cluster")


def read_families(path: str) -> dict[str, Member]:
    """The family of each run, in the order of the file, from the columns ``run``, ``family`` and maybe ``parameter``.

    A run with a blank parameter has none; so have all runs without that column. For the errors see `_parse_map`.
    """
    entries = _parse_map(read_bytes(path), path, key=("run",), value="family", other="parameter")
    return {entry.name: Member(entry.value, entry.other or None) for entry in entries}


def families_named(families: Families) -> Mapping[str, Member] | str:
    """The families that a file lists; a text that names no file is returned, for it is a pattern of names of runs.

    Members stay as they are. Raises `UsageError` for anything else; for the errors of a file see `_parse_map`.

    >>> families_named("(comb|nrr)-(.*)")
    '(comb|nrr)-(.*)'
    """
    if isinstance(families, Mapping) and all(isinstance(member, Member) for member in families.values()):
        return families
    text = os.fspath(families) if isinstance(families, os.PathLike) else families
    if not isinstance(text, str):
        raise UsageError(f"expected a file or a pattern of names, found {families!r}", option="families")
    return read_families(text) if is_file(text) else text


def read_teams(path: str) -> dict[str, str]:
    """The team of each run, in the order of the file, from the columns ``run`` and ``team``.

    Two other layouts are read: ``runtag`` and ``org``, as in the JSON lines TASK.jl of Evalbase, TREC's submission
    system (isoboroff/submit-system, runs_table.py), and ``runid`` and ``participant``, as in JSON of the TREC Browser
    (usnistgov/trec-browser, models.py). For the errors see `_parse_map`.
    """
    data = read_bytes(path)
    if data.lstrip().startswith((b"{", b"[")):
        return _teams_in_json(data, path)
    header = re.split(r"\W+", data.lstrip().partition(b"\n")[0].decode("utf-8", "replace").lower())
    key, value = ("runtag", "org") if {"runtag", "org"} <= set(header) else ("run", "team")
    return _mapped(_parse_map(data, path, key=(key,), value=value))


def _teams_in_json(data: bytes, path: str) -> dict[str, str]:
    """The team of each run in a list of objects, or in one object a line."""
    text, line = plain_text(data, path), 1
    records: list[tuple[int, Any]] = []
    try:
        if text.lstrip().startswith("["):
            records = [(1, record) for record in loads(text, path)]
        else:
            for line, part in enumerate(text.split("\n"), 1):  # an error names this line
                records += [(line, loads(part, path, line))] if part.strip() else []
    except ValueError as error:
        raise DataError(f"cannot be read as JSON: {error}", path=path, line=line) from None
    teams: dict[str, str] = {}
    for line, record in records:
        keys = record if isinstance(record, dict) else {}
        participant = keys.get("participant")
        keys = {**keys, **participant} if isinstance(participant, dict) else keys
        run, team = (
            next((keys[name].strip() for name in names if isinstance(keys.get(name), str)), "")
            for names in (("run", "runtag", "runid"), ("team", "org", "pid"))
        )
        if not (run and team):
            what = "expected an object with a run and its team, such as runtag and org"
            raise DataError(f"{what}; found {quoted(value_text(record))}", path=path, line=line)
        if teams.setdefault(run, team) != team:
            what = f"run {quoted(run)} has two teams, {teams[run]} and {team}; keep one"
            raise DataError(what, path=path, line=line)
    if not teams:
        raise DataError("the file lists no run", path=path)
    return teams


def read_systems(path: str) -> dict[str, str]:
    """The system of each run, in the order of the file, from the columns ``run`` and ``system``.

    For the errors see `_parse_map`.
    """
    return _values(path, ("run",), "system")


def read_names(path: str) -> dict[str, str]:
    """The name to show for each run, in the order of the file, from the columns ``old`` and ``new``.

    For the errors see `_parse_map`.
    """
    return _values(path, ("old",), "new")


def read_names_of_runs(path: str) -> list[str]:
    """The names of runs, in the order of the file, from the column ``run``; without that column, one name a line.

    Raises `DataError` for a line of several cells in a file without that column, a blank name, and a file without runs.
    """
    rows = [row for row in table_rows(decoded(read_bytes(path), path), path) if any(row[1])]
    header = [cell.lower() for cell in rows[0][1]] if rows else []
    column = header.index("run") if "run" in header else 0
    for line, cells in rows:
        if (len(cells) > 1 and "run" not in header) or len(cells) <= column or not cells[column]:
            what = f"expected the name of a run, or a column run, found {quoted(', '.join(cells))}"
            raise DataError(what, path=path, line=line)
    names = [cells[column] for _, cells in rows["run" in header :]]
    if not names:
        raise DataError("the file lists no run", path=path)
    return list(dict.fromkeys(names))


def _values(path: str, key: Sequence[str], value: str) -> dict[str, str]:
    """The value of each id in a file with two columns."""
    return _mapped(_parse_map(read_bytes(path), path, key=key, value=value))


def _mapped(entries: Sequence[_Mapped]) -> dict[str, str]:
    return {entry.name: entry.value for entry in entries}


def _parse_map(data: bytes, path: str, *, key: Sequence[str], value: str, other: str | None = None) -> list[_Mapped]:
    """The rows of a map: ``key`` has the possible names of the column of ids, ``value`` the name of the values' column.

    Raises `DataError`, with the line, for a column that is missing or given twice, a row whose length differs from the
    header's, a blank id or value, and a repeated id; and for a file without a row below its header.

    >>> teams = b"run\\tteam\\tyear\\nbm25.1\\twaterloo\\t1994\\nbm25.2\\twaterloo\\t1994\\n"
    >>> _parse_map(teams, "teams.tsv", key=("run",), value="team")[1]
    _Mapped(line=3, name='bm25.2', value='waterloo', other='')
    >>> _parse_map(b"run,team\\nbm25,waterloo\\nbm25,cornell\\n", "teams.csv", key=("run",), value="team")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: teams.csv:3: run bm25 is given twice, first in line 2; keep one
    """
    rows = (row for row in table_rows(decoded(data, path), path) if any(row[1]))
    line, header = next(rows, (1, []))
    listed = quoted(", ".join(header)) if header else "nothing"
    wanted = (key, (value,), (other,) if other else ())
    columns = [[index for index, name in enumerate(header) if name.lower() in names] for names in wanted]
    repeated = next((names for names, indices in zip(wanted, columns, strict=True) if len(indices) > 1), None)
    if repeated is not None:
        raise DataError(f"there are two columns {' or '.join(repeated)} in {listed}; keep one", path=path, line=line)
    if not columns[0] or not columns[1]:
        names = f"{key[0]}{''.join(f' (or {name})' for name in key[1:])} and {value}"
        raise DataError(f"expected the columns {names}, found {listed}; name them in a header", path=path, line=line)
    key_column, value_column = columns[0][0], columns[1][0]
    noun = key[0].removesuffix("_id")
    first: dict[str, int] = {}
    entries = []
    for line, cells in of_length(rows, len(header), path, hint=True):
        for column in (key_column, value_column):
            if not cells[column]:
                raise DataError(f"column {header[column]} is blank; fill it in or drop the row", path=path, line=line)
        name = cells[key_column]
        if name in first:
            what = f"{noun} {quoted(name)} is given twice, first in line {first[name]}; keep one"
            raise DataError(what, path=path, line=line)
        first[name] = line
        entries.append(_Mapped(line, name, cells[value_column], cells[columns[2][0]] if columns[2] else ""))
    if not entries:
        raise DataError(f"the file lists no {noun} below its header", path=path)
    return entries
