"""Where a result goes and how it looks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from biasvar_cli.console.streams import write_to_end
from biasvar_cli.console.terminal import noticed, reported, width
from biasvar_cli.errors import BiasVarError
from biasvar_cli.tables.column import Column, Declared, expanded
from biasvar_cli.tables.layout import FILE_WIDTH, Layout, NotesChoice, with_columns
from biasvar_cli.tables.render import FORMATS, ROUNDED, ROWS_ALONE
from biasvar_cli.tables.rounding import printable
from biasvar_cli.whole_files import write_whole
from biasvar_cli.words import counted

if TYPE_CHECKING:
    from biasvar_cli.tables.table import Table


ViewOf = TypeVar("ViewOf")


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows as typed: ``sort`` is a column, or None for the usual order; ``top`` is how many are shown."""

    sort: str | None
    top: int | None


@dataclass(frozen=True, kw_only=True)
class Destination:
    """Where a result goes: a file, or standard output for None; ``strict`` refuses it after a warning."""

    file: str | None
    strict: bool

    @property
    def files(self) -> Mapping[str, str]:
        """What is written, by the option as typed."""
        return {} if self.file is None else {f"-o {self.file}": self.file}

    def write(self, result: str | bytes) -> None:
        """Write a result whole or not at all. Raises `StrictError` where ``strict`` finds a warning."""
        self.require_strict()
        if self.file is None:
            _print(result)
        else:
            write_whole(self.file, _bytes(result))

    def require_strict(self) -> None:
        """Raises `StrictError` where ``strict`` finds a warning."""
        warnings = reported()
        if self.strict and warnings:
            raise StrictError(f"{counted(len(warnings), 'warning')}, and --strict allows none; nothing was written")


@dataclass(frozen=True, kw_only=True)
class Output(Destination):
    """Where tables go and how they look."""

    format: str
    digits: int = 4
    notes: NotesChoice = "short"
    wide: bool = False
    columns: tuple[str, ...] = ()
    declared: Mapping[str, Declared[Any]] = field(default_factory=dict)

    @property
    def rows_alone(self) -> bool:
        """Whether the format has rows and no place for notes."""
        return self.format in ROWS_ALONE

    @property
    def for_people(self) -> bool:
        """Whether people read the format, whose numbers are rounded."""
        return self.format in ROUNDED

    def view(self, rows: Rows, kind: Callable[..., ViewOf], **fields: Any) -> ViewOf:
        """The view of these rows in this format, of a kind that may have fields of its own."""
        return kind(sort=rows.sort, top=rows.top, format=self.format, **fields)

    def emit(self, tables: Sequence[Table]) -> None:
        """Render tables and write them. Raises `UsageError` for a chosen column that is in none."""
        layout = Layout(
            digits=self.digits,
            notes=self.notes,
            wide=self.wide or bool(self.columns),
            width=width() if self.file is None else FILE_WIDTH,
            warnings=reported(),
            notices=noticed(),
        )
        chosen = with_columns(tables, self.columns, self._declared(tables)) if self.columns else tables
        self.write(FORMATS[self.format].render(chosen, layout))

    def _declared(self, tables: Sequence[Table]) -> Iterator[Column[Any]]:
        """The columns that these tables, and not the other ones of the command, may have."""
        for columns in (list(expanded(declared)) for declared in self.declared.values()):
            names = {column.name for column in columns}
            if any(table.declared.keys() <= names for table in tables):
                yield from columns


class StrictError(BiasVarError):
    """There were warnings, and the user wants none."""


def _print(result: str | bytes) -> None:
    """Write a result to standard output, to its end; a terminal is shown escapes for what would move its cursor."""
    sys.stdout.flush()
    if isinstance(result, str) and sys.stdout.isatty():
        result = "\n".join("\t".join(map(printable, line.split("\t"))) for line in result.split("\n"))
    raw = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
    write_to_end(raw.write, sys.stdout.fileno, _bytes(result))


def _bytes(result: str | bytes) -> bytes:
    return result.encode("utf-8", "backslashreplace") if isinstance(result, str) else result
