"""The destination and the format of a result, with their options.

An output that is one of the files that a command reads, files of a manifest included, is refused.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from biasvar_cli import words
from biasvar_cli.console import completion, streams
from biasvar_cli.console.options import Decorator, group, option, whole
from biasvar_cli.console.terminal import Session, noticed, reported, session, width
from biasvar_cli.errors import BiasVarError, DataError
from biasvar_cli.settings import COMMON, OUTPUT
from biasvar_cli.tables import layout, render
from biasvar_cli.tables.column import Column, Declared, expanded
from biasvar_cli.whole_files import require_writable, write_whole
from biasvar_cli.words import counted, listed

if TYPE_CHECKING:
    from biasvar_cli.query_models import ModelRequest
    from biasvar_cli.readers.listing import Selection
    from biasvar_cli.readers.manifest import ManifestTrack
    from biasvar_cli.scoring import TrackRequest
    from biasvar_cli.tables.table import Table


ViewOf = TypeVar("ViewOf")


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The order and number of rows as typed: ``sort`` is a column, or None for the default; ``top`` is a number."""

    sort: str | None
    top: int | None


@dataclass(frozen=True, kw_only=True)
class Destination:
    """The file of a result, None for standard output; ``strict`` refuses a result after a warning."""

    file: str | None
    strict: bool

    @property
    def files(self) -> Mapping[str, str]:
        """The files that are written; the keys are the options as typed."""
        return {} if self.file is None else {f"-o {self.file}": self.file}

    def write(self, result: str | bytes) -> None:
        """Write a result whole or not at all. Raises `BiasVarError` after a warning if ``strict``."""
        warnings = reported()
        if self.strict and warnings:
            first = f": {warnings[0]}" if session().quiet else ""  # otherwise all warnings follow
            n_warnings = counted(len(warnings), "warning")
            raise BiasVarError(f"{n_warnings}, and --strict allows none; nothing was written{first}")
        if self.file is not None:
            write_whole(self.file, _bytes(result))
            return
        sys.stdout.flush()
        if isinstance(result, str) and sys.stdout.isatty():  # escape characters that would move the cursor
            result = "\n".join("\t".join(map(words.printable, line.split("\t"))) for line in result.split("\n"))
        raw = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)
        streams.write_to_end(raw.write, sys.stdout.fileno, _bytes(result))


@dataclass(frozen=True, kw_only=True)
class Output(Destination):
    """The destination and the layout of tables; ``declared`` are the columns of each table of the command."""

    format: str
    digits: int = 4
    notes: layout.NotesChoice = "short"
    wide: bool = False
    columns: tuple[str, ...] = ()
    declared: Mapping[str, Declared[Any]] = field(default_factory=dict)

    @property
    def rows_alone(self) -> bool:
        """Whether the format has only rows, without notes."""
        return self.format in render.ROWS_ALONE

    @property
    def for_people(self) -> bool:
        """Whether the format is for people, with rounded numbers."""
        return self.format in render.ROUNDED

    def view(self, rows: Rows, kind: Callable[..., ViewOf], **fields: Any) -> ViewOf:
        """A view of the type ``kind`` with these rows and this format; ``fields`` are its further fields."""
        return kind(sort=rows.sort, top=rows.top, format=self.format, **fields)

    def emit(self, tables: Sequence[Table]) -> None:
        """Render tables and write them. Raises `UsageError` for a chosen column that no table has."""
        looks = layout.Layout(
            digits=self.digits,
            notes=self.notes,
            wide=self.wide or bool(self.columns),
            width=width() if self.file is None else layout.FILE_WIDTH,
            warnings=reported(),
            notices=noticed(),
        )
        chosen = layout.with_columns(tables, self.columns, self._declared(tables)) if self.columns else tables
        self.write(render.FORMATS[self.format].render(chosen, looks))

    def _declared(self, tables: Sequence[Table]) -> Iterator[Column[Any]]:
        """The declared columns of these tables, without those of the other tables of the command."""
        for columns in (list(expanded(declared)) for declared in self.declared.values()):
            names = {column.name for column in columns}
            if any(table.declared.keys() <= names for table in tables):
                yield from columns


def _bytes(result: str | bytes) -> bytes:
    return result.encode("utf-8", "backslashreplace") if isinstance(result, str) else result


_STDIN, _STDOUT = 0, 1


def require_separate(
    output: Destination,
    inputs: TrackRequest | ModelRequest | None,
    *others: str | None,
    tracks: Sequence[ManifestTrack] = (),
    beside: str | None = None,
) -> None:
    """Raise `click.UsageError` for a second ``-`` among the input files, and for an output that is an input file.

    ``others`` and the files of ``tracks``, the tracks of a manifest, are inputs too; ``beside`` is a further output.
    Symbolic and hard links count as the file that they lead to.
    """
    files = (*(() if inputs is None else inputs.files), *filter(None, others))
    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once")
    read = [(files, None if inputs is None else inputs.selection)]
    read += [(track.files, track.selection) for track in tracks]
    outputs: dict[str, str | int] = {"standard output": _STDOUT} if output.file is None else {}
    outputs |= output.files
    if beside is not None:
        outputs[f"{beside}, which is written beside -o,"] = beside
    for name, target in outputs.items():
        if any(_is_among(target, names, chosen) for names, chosen in read):
            raise click.UsageError(f"{name} is among the inputs, which are never written over")


def _is_among(output: str | int, names: Collection[str], selection: Selection | None) -> bool:
    """Whether an output file is one of the input files, possibly under another name."""
    path = None if isinstance(output, int) else os.path.realpath(output)
    there = _regular(output)
    for name in map(_local, names):
        if path is not None and name != "-" and os.path.realpath(name) == path:
            return True
        if there is not None and there in map(_regular, _files_of(name, selection)):
            return True
    return False


def _files_of(name: str, selection: Selection | None) -> Iterator[str | int]:
    """The files that are read for a name: the file itself, or the selected files of a folder."""
    from biasvar_cli.readers.listing import ALL, visible_files
    from biasvar_cli.readers.sources import names_files

    if name == "-":
        yield _STDIN
    elif not os.path.isdir(name):  # noqa: PTH112
        yield from (name, *names_files(name))
    else:
        with contextlib.suppress(DataError):
            for path in visible_files(name, selection or ALL):
                yield from (path, *names_files(path))


def _regular(file: str | int) -> tuple[int, int] | None:
    """The device and inode of a regular file, the same for all its names; None for anything else."""
    try:
        status = os.stat(file)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _local(name: str) -> str:
    """The path of a URL of a local file; any other name is returned as it is."""
    path = name
    for scheme in ("file://", "local://"):
        path = path.removeprefix(scheme)
    return path.lstrip("/") if path != name and words.ON_WINDOWS else path  # file:///C:/runs


def output_options(
    formats: Sequence[str], default: str, tables: Mapping[str, Declared[Any]], *, digits: int = 4
) -> Decorator:
    """The options of the format and destination of tables, as ``output``.

    ``default`` is the format of a file without a suffix; ``tables`` are the columns of each table of the command, and
    ``digits`` the default number of decimals.
    """

    def output(format: str | None, file: str | None, **typed: Any) -> Output:  # noqa: A002
        target = _writable(file)
        chosen = format or _format_of(target, formats, default)
        if chosen in render.BINARY and target is None and sys.stdout.isatty():
            raise click.UsageError(f"-f {chosen} is not text, which a terminal shows; write it with -o FILE")
        if chosen == "json" and typed.get("columns"):
            raise click.UsageError("--columns has no place in JSON, whose keys are fixed")
        return Output(file=target, format=chosen, declared=tables, **typed)

    suffixes = " ".join(_suffixes(formats))
    choice = option(
        COMMON,
        "-f",
        "--format",
        type=click.Choice(formats),
        metavar="FORMAT",
        help=f"{listed(formats, None, 'or')}. Default: by the suffix of -o ({suffixes}; any "
        f"other needs -f), or {default} without a suffix.",
    )
    decimals = option(
        OUTPUT,
        "--digits",
        type=whole("digits"),
        default=digits,
        show_default=True,
        metavar="N",
        help=f"Decimals in {', '.join(render.ROUNDED)}.",
    )
    what = "Write to FILE: the whole output, or nothing after an error."
    file = _file_option(what, "Write to FILE, not to standard output.", required=False)
    columns = option(
        OUTPUT,
        "--columns",
        metavar="LIST",
        shell_complete=completion.columns_of(tables),
        callback=_column_names,
        help="Columns to show, in this order, with commas between. Not for json.",
    )
    for_people = [decimals, _NOTES, columns, _WIDE] if set(formats) & set(render.ROUNDED) else []
    return group("output", output, choice, file, *for_people, _STRICT, _QUIET)


def _format_of(file: str | None, formats: Sequence[str], default: str) -> str:
    """The format that belongs to the suffix of a file. Raises `click.UsageError` for any other suffix."""
    suffix = Path(file or "").suffix
    if suffix in ("", "."):
        return default
    known = _suffixes(formats)
    if suffix.lower() not in known:
        raise click.UsageError(
            f"-o {file}: {suffix} is the suffix of no format; take one of {' '.join(known)}, or choose with -f"
        )
    return _SUFFIXES[suffix.lower()]


def _suffixes(formats: Sequence[str]) -> list[str]:
    return [suffix for suffix, name in _SUFFIXES.items() if name in formats]


_SUFFIXES = {**render.SUFFIXES, ".tot": "tot", ".jsonl": "jsonl"}  # the last two are formats of the command scores only


def _column_names(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...]:
    """The names in a list with commas. Raises `click.BadParameter` for an empty name."""
    if text is None:
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise click.BadParameter(f"{text!r} is not a list of columns with commas between")
    return names


def file_options(
    what: str, require: Callable[[str], None], *more: Decorator, build: Callable[..., Destination] = Destination
) -> Decorator:
    """The options of a destination that must be a file, as ``output``.

    ``require`` raises for a wrong name before anything is read. ``build`` gets the values of the ``more`` options.
    """

    def destination(file: str, **typed: Any) -> Destination:
        require(file)
        return build(file=_writable(file), **typed)

    return group("output", destination, _file_option(what, required=True), *more, _STRICT, _QUIET)


def _writable(file: str | None) -> str | None:
    """The file that was typed, None for standard output. Raises for a file that cannot be written."""
    if file is None or file in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        return None
    if file.lower().endswith((".gz", ".bz2", ".xz", ".zst")):
        plain = file[: file.rindex(".")]
        raise click.UsageError(f"-o {file}: biasvar writes no compressed files; write {plain} and compress that")
    require_writable(file)
    return file


def _file_option(what: str, brief: str | None = None, *, required: bool) -> Decorator:
    return option(
        COMMON,
        "-o",
        "--output",
        "file",
        required=required,
        type=click.Path(dir_okay=False),
        metavar="FILE",
        brief=brief,
        help=what,
    )


def _set_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    started = context.find_object(Session)
    if started is not None and value:
        started.quiet = True


_NOTES = option(
    OUTPUT,
    "--notes",
    type=click.Choice(get_args(layout.NotesChoice)),
    default="short",
    show_default=True,
    help=f"How much is said under the tables of {', '.join(render.ROUNDED)}.",
)
_WIDE = option(
    OUTPUT,
    "--wide",
    is_flag=True,
    help="Show all columns of a text table, however wide it is.",
)
_STRICT = option(OUTPUT, "--strict", is_flag=True, help="Treat warnings as errors: exit 1, write nothing.")
_QUIET = option(
    OUTPUT,
    "--quiet",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_set_quiet,
    help="Nothing on stderr but errors.",
)
