"""The one rule of outputs: none is among the files that a command reads, those of a manifest included."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from biasvar_cli.errors import DataError

if TYPE_CHECKING:
    from biasvar_cli.console.output import Destination
    from biasvar_cli.readers.listing import Selection
    from biasvar_cli.readers.manifest import ManifestTrack

_LOCAL = ("file://", "local://")
_STDIN, _STDOUT = 0, 1


def require_separate(
    output: Destination,
    *files: str | None,
    selection: Selection | None = None,
    tracks: Sequence[ManifestTrack] = (),
    beside: str | None = None,
) -> None:
    """Refuse a second ``-`` among the files that a command reads, and an output that is one of them.

    ``selection`` says which files of folders are read, ``tracks`` are those of a manifest, whose files are read as
    well, and ``beside`` is a file that is written beside the output. Links, symbolic and hard, count as the file that
    they lead to. Raises `click.UsageError`.
    """
    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once.")
    read = [(tuple(filter(None, files)), selection)]
    read += [(track.files, track.selection) for track in tracks]
    outputs: dict[str, str | int] = {"standard output": _STDOUT} if output.file is None else {}
    if output.file is not None:
        outputs[f"-o {output.file}"] = output.file
    if beside is not None:
        outputs[f"{beside}, which is written beside -o,"] = beside
    for words, target in outputs.items():
        if any(_is_among(target, names, chosen) for names, chosen in read):
            raise click.UsageError(f"{words} is among the inputs, which are never written over.")


def _is_among(output: str | int, names: Collection[str], selection: Selection | None) -> bool:
    """Whether a file that would be written is one of those that are read, maybe under another name."""
    path = None if isinstance(output, int) else os.path.realpath(output)
    there = _regular(output)
    for name in map(_local, names):
        if path is not None and name != "-" and os.path.realpath(name) == path:
            return True
        if there is not None and there in map(_regular, _files_of(name, selection)):
            return True
    return False


def _files_of(name: str, selection: Selection | None) -> Iterator[str | int]:
    """The files that are read for a name: of a folder those that are selected."""
    from biasvar_cli.readers.listing import ALL, visible_files

    if name == "-":
        yield _STDIN
    elif not _is_folder(name):
        yield name
    else:
        with contextlib.suppress(DataError):
            yield from visible_files(name, selection or ALL)


def _is_folder(name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name).st_mode)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def _regular(file: str | int) -> tuple[int, int] | None:
    """What is the same for all names of a regular file; None for anything else, and for nothing."""
    try:
        status = os.stat(file)  # noqa: PTH116
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _local(name: str) -> str:
    """A URL of this machine as a path."""
    for scheme in _LOCAL:
        name = name.removeprefix(scheme)
    return name
