"""How tables are laid out for people: which notes and columns, how wide the lines of text, and the last lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from biasvar_cli.errors import UsageError
from biasvar_cli.tables.column import Column, added_by
from biasvar_cli.tables.rounding import display_width
from biasvar_cli.words import NEARLY_EQUAL, argument

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table

NotesChoice = Literal["short", "full"]
FILE_WIDTH = 100  # columns of text in a file or a pipe
_NARROWEST = 40
_WORDS = re.compile(r"[ \t\n]*[^ \t\n]+(?: %[^ \t\n]*)?")  # with the blanks before them; no line ends between 95 and %
_MOST_NOTICES = 3


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How tables are rendered; ``notes``, ``width`` and ``wide`` are for people alone, ``warnings`` for JSON.

    ``width`` is that of lines of text, in columns; tables keep to it too unless they are ``wide``.
    """

    digits: int = 4
    notes: NotesChoice = "short"
    width: int = FILE_WIDTH
    wide: bool = False
    warnings: Sequence[str] = ()
    notices: Sequence[str] = ()


def wrapped(line: str, width: int) -> list[str]:
    """A line of text as lines that are not too wide; those after the first are indented, and no word is broken.

    >>> wrapped("The order by total is stable between halves.", 40)
    ['The order by total is stable between', '  halves.']
    """
    lines: list[str] = []
    for word in _WORDS.findall(line):
        if lines and display_width(lines[-1] + word) <= max(width, _NARROWEST):
            lines[-1] += word
        else:
            lines.append(f"  {word.lstrip()}" if lines else word)
    return lines or [line]


def with_columns(tables: Sequence[Table], names: Sequence[str], declared: Iterable[Column[Any]] = ()) -> list[Table]:
    """The tables with the chosen columns alone, in that order, behind their keys and the column that names the rows.

    A table that has none of them is left out, unless there are sentences alone. Raises `UsageError` for a name that no
    table has; ``declared`` are all that there may be.

    >>> from biasvar_cli.tables.table import Table
    >>> table = Table("Two runs", {"run": ["A", "B"], "mean": [0.2, 0.34], "bias": [0.3, 0.16]})
    >>> list(with_columns([table], ["bias"])[0].columns)
    ['run', 'bias']
    """
    possible = list(declared)
    there = list(dict.fromkeys(name for table in tables for name in table.columns))
    known = there or [column.name for column in possible]
    for name in names:
        if name not in known:
            hint = added_by(name, possible) or f"the columns are {', '.join(known)}"
            raise UsageError(f"{argument(columns=name)}: there is no such column; {hint}")
    if not there:
        return list(tables)
    return [_with_columns(table, names) for table in tables if set(names) & set(table.columns)]


def _with_columns(table: Table, names: Sequence[str]) -> Table:
    first = next(name for name in table.columns if name not in table.keys)
    wanted = [name for name in dict.fromkeys([*table.keys, first, *names]) if name in table.columns]
    columns = {name: table.columns[name] for name in wanted}
    return replace(table, columns=columns, hidden=table.hidden - set(names))


def last_lines(tables: Sequence[Table], layout: Layout) -> list[str]:
    """What stands under the last table: the notices in a line, and what shows more."""
    lines = notices_line(tables, layout)
    more = list(dict.fromkeys(name for table in tables for name in table.more))
    parts = [part for table in tables for part in whole(table, layout)]
    if layout.notes == "short" and any(part.details or part.appendix or part.signature for part in parts):
        more.insert(0, "--notes full")
    if more:
        lines.append(f"More: {', '.join(more)}")
    joined = " ".join(lines)
    return [joined] if lines and display_width(joined) <= layout.width else lines


def notices_line(tables: Sequence[Table], layout: Layout) -> list[str]:
    """The notices on the files in one line; none where no table shows notices.

    Notices that ``check`` prints too have priority. Runs with nearly equal scores, which only scores can tell, are
    mentioned where there are few other notices, or with ``--notes full``.
    """
    with_notices = layout.notes == "full" or any(table.with_notices for table in tables)
    messages = layout.notices if with_notices else ()
    of_files = [message for message in messages if NEARLY_EQUAL not in message]
    if layout.notes == "short" and len(messages) > _MOST_NOTICES:
        messages = of_files
    many = len(messages) > _MOST_NOTICES and layout.notes == "short"
    notices = f"{len(messages)} notices on the files" if many else "; ".join(messages)
    return [f"{notices}{' (biasvar check)' if of_files else ''}."] if notices else []


def whole(table: Table, layout: Layout) -> Iterator[Table]:
    """A table and the small tables under it, with ``--notes full`` those of its appendix too."""
    yield table
    yield from table.second
    if layout.notes == "full":
        yield from table.appendix


def details_of(table: Table, layout: Layout) -> Iterator[str]:
    """What ``--notes full`` adds under everything else, the signature last."""
    yield from (note for part in whole(table, layout) for note in part.details)
    if table.signature:
        yield f"Signature: {table.signature}"


def joined(
    tables: Sequence[Table],
    layout: Layout,
    blocks_of: Callable[[Table, Layout], Iterator[list[str]]],
    last: Sequence[str],
) -> str:
    """All tables, with the last lines in the last block."""
    blocks = [block for table in tables for block in blocks_of(table, layout)]
    blocks = [*blocks[:-1], [*blocks[-1], *last]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
