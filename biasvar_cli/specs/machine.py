"""The files that arguments name, and the cores of the machine: what readers ask that know no setting."""

import os
from contextlib import suppress
from pathlib import Path


def is_file(path: str) -> bool:
    """Whether there is a file of that name, or a pipe; a name that no file can have, or may be seen, is none.

    A shell gives the name of a pipe for ``<(command)``.
    """
    try:
        return Path(path).is_file() or Path(path).is_fifo()
    except (OSError, ValueError):
        return False


def files_and_measure(text: str) -> tuple[list[str], str | None]:
    """The files, or a folder, and the measure behind them, of FILE:MEASURE, in which FILE may be a pattern.

    The text itself where there is no such file.

    >>> files_and_measure("no such file:GRADE")
    (['no such file:GRADE'], None)
    """
    path, _, measure = text.rpartition(":")
    pairs = ((text, None), (path, measure)) if path and measure and "://" not in text else ((text, None),)
    return next(((files, behind) for name, behind in pairs if (files := _matching(name))), ([text], None))


def _matching(pattern: str) -> list[str]:
    """The path itself if it is there, or else the files that it is a pattern of, in order of their names."""
    from glob import glob

    with suppress(OSError, ValueError):
        return [pattern] if pattern == "-" or Path(pattern).exists() else sorted(glob(pattern))  # noqa: PTH207
    return []


def available_cores() -> int:
    """The cores this process may run on.

    >>> available_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
