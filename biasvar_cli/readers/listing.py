"""The files that INPUTS name: single files, and the visible files of directories."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from biasvar_cli import words
from biasvar_cli.errors import DataError, NotInput, warn
from biasvar_cli.readers.sources import STDIN, Source, is_marked_hidden, is_url, kind_of, remote, run_name
from biasvar_cli.words import argument, counted, either, examples, shell_word

# Files about a collection, which are left out of directories silently; mteb writes model_meta.json beside its results.
# No pattern matches a name that a run may have, such as origin or licensed.gz.
_ABOUT = re.compile(
    r"(readme|licen[cs]e|copying)([._ -].*)?|origin\.(md|txt|rst|html?|pdf)|model_meta\.json", re.IGNORECASE
)


@dataclass(frozen=True)
class Selection:
    """Which files of directories are read: files whose names match ``glob``, in folders too if ``recursive``.

    Files and folders that match a pattern of ``exclude`` are left out, even files that the user named. A pattern with
    a slash is compared with the path below the directory, any other pattern with the name alone. A pattern that ends
    in a slash matches only folders, even directories that the user named; the comparison ignores this last slash. On
    Windows a backslash is a slash.
    """

    glob: str | None = None
    exclude: tuple[str, ...] = ()
    recursive: bool = False

    def __post_init__(self) -> None:
        if words.ON_WINDOWS:
            object.__setattr__(self, "glob", self.glob and self.glob.replace("\\", "/"))
            object.__setattr__(self, "exclude", tuple(pattern.replace("\\", "/") for pattern in self.exclude))

    def leaves_out(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether ``exclude`` leaves out the file or folder with this path below its directory.

        >>> selection = Selection(exclude=("*.bak", "2011/*", "old/"))
        >>> [selection.leaves_out(path) for path in ("2012/bm25.bak", "2011/bm25", "2012/bm25", "2012/old")]
        [True, True, False, False]
        >>> selection.leaves_out("2012/old", is_folder=True)
        True
        """
        return any(_leaves_out(pattern, path, is_folder=is_folder) for pattern in self.exclude)


ALL = Selection()


class _Entry(NamedTuple):
    """A file, folder or the like in a directory: its path below the directory, its whole path, and its kind."""

    below: str
    path: str
    kind: str


def expand(inputs: Sequence[str], selection: Selection = ALL, *, by_path: bool = False) -> list[Source]:
    """The files that INPUTS name and the visible files of directories, in order of name and path.

    A file that is named twice counts once, whatever the spelling of its path. With ``by_path`` the name of a file in a
    directory is its path below the directory. Raises `DataError` for a directory without a file to read.
    """
    sources: dict[str, Source] = {}
    for name in inputs:
        base, entries = Path(name).name, list[_Entry]()
        if _is_directory(name):
            if not any(_leaves_out_named(pattern, base) for pattern in selection.exclude):
                entries = _listing(name, selection)
        elif name == STDIN or not selection.leaves_out(base):
            entries = [_Entry(base, name, "file")]
        for entry in entries:
            folder, slash, file = entry.below.rpartition("/") if by_path else ("", "", entry.path)
            source = Source(f"{os.fsencode(folder).decode('utf-8', 'replace')}{slash}{run_name(file)}", entry.path)
            known = sources.get(source.identity)
            sources[source.identity] = source if known is None else min(known, source)
    return sorted(sources.values())


def warn_of_idle_patterns(inputs: Sequence[str], selection: Selection) -> None:
    """Warn of a pattern of ``exclude`` that leaves nothing out, and of a ``glob`` if no input is a directory.

    A mistyped pattern leaves a run in the evaluation, which changes the numbers of all other runs.
    """
    folders = [name for name in inputs if _is_directory(name)] if selection.glob or selection.exclude else []
    if selection.glob is not None and not folders:
        pattern = f"{argument('glob')} {selection.glob!r}"
        warn(f"{pattern} has no effect: it chooses files of directories, and no input is a directory")
    if not selection.exclude:
        return
    files = [_Entry(Path(name).name, name, "file") for name in inputs if name != STDIN and name not in folders]
    entries = [*files, *(entry for folder in folders for entry in _walk(folder, selection))]
    for pattern in dict.fromkeys(selection.exclude):
        has_match = any(_leaves_out(pattern, entry.below, is_folder=entry.kind == "folder") for entry in entries)
        if not has_match and not any(_leaves_out_named(pattern, Path(folder).name) for folder in folders):
            hint = ": it matches no file or folder that would be read"
            if "/" in pattern.rstrip("/"):
                hint = "; a pattern with a slash is compared with the path below the directory"
            elif any(_matches(Path(folder).name, pattern) for folder in folders):
                hint = f"; {f'{pattern}/'!r} leaves out the directory of that name"
            warn(f"{argument('exclude')} {pattern!r} leaves nothing out{hint}")


def visible_files(folder: str, selection: Selection = ALL) -> Iterator[str]:
    """The paths of the files of a directory that `expand` would list, without its errors and warnings.

    Raises `DataError` for a folder that cannot be read.
    """
    return (entry.path for entry in _walk(folder, selection) if _is_wanted(entry, selection))


def or_excluded(error: DataError, path: str, n_inputs: int) -> DataError:
    """The error for one of several INPUTS; if the file is of an unknown kind, it says how to leave the file out.

    >>> or_excluded(NotInput("the file is empty", path="runs/my notes.txt"), "runs/my notes.txt", 2).typed
    "runs/my notes.txt: the file is empty; --exclude 'my notes.txt' leaves it out"
    """
    if path == STDIN or n_inputs < 2 or not isinstance(error, NotInput):
        return error
    name = Path(path).name
    return DataError.of(error, f"; {either(f'--exclude {shell_word(name)}', f'exclude={name!r}')} leaves it out")


def _leaves_out_named(pattern: str, folder: str) -> bool:
    """Whether a pattern leaves out a directory among INPUTS, which takes a pattern that ends in a slash."""
    return pattern.endswith("/") and _leaves_out(pattern, folder, is_folder=True)


def _is_directory(path: str) -> bool:
    if path == STDIN:
        return False
    if is_url(path):
        with remote(path) as (system, location):
            return bool(system.isdir(location))
    return kind_of(path) == "folder"


def _listing(folder: str, selection: Selection) -> list[_Entry]:
    """The visible files of a directory, by path; pipes and sockets are left out with a warning.

    A device stays, and reading it is an error: a link to a device is in a directory on purpose.
    """
    entries = list(_walk(folder, selection))
    files = [entry for entry in entries if entry.kind != "folder" and not _is_about(entry)]
    if not files:
        raise _no_file(folder, selection, entries)
    wanted = sorted(entry for entry in files if _is_wanted(entry, selection))
    if not wanted:
        if selection.glob is not None and not any(_matches(entry.below, selection.glob) for entry in files):
            hint = f", and {selection.glob!r} a folder: add a *" if selection.glob.endswith("/") else ""
            what = f"no file in the directory matches {argument('glob')} {selection.glob!r}"
        else:
            what, hint = f"{argument('exclude')} leaves out every file of the directory", ""
        raise DataError(f"{what}; it has {examples(sorted(entry.below for entry in files))}{hint}", path=folder)
    for kind in ("pipe", "socket"):
        paths = [entry.below for entry in wanted if entry.kind == kind]
        if paths:
            warn(f"{counted(len(paths), kind)} in {folder} left out: {examples(paths)}; name one to read it")
            wanted = [entry for entry in wanted if entry.kind != kind]
    if not wanted:
        raise DataError("the directory has nothing but pipes and sockets to read; name one to read it", path=folder)
    return wanted


def _no_file(folder: str, selection: Selection, entries: Sequence[_Entry]) -> DataError:
    """The error for a directory without a file to read; it names ``recursive`` if the directory has folders."""
    folders = [entry.below for entry in entries if entry.kind == "folder"]
    excluded = [name for name in folders if selection.leaves_out(name, is_folder=True)]
    if len(excluded) < len(folders) and not selection.recursive:
        what = f"the directory holds only folders ({examples(sorted(folders))})"
        return DataError(f"{what}; {argument(recursive=True)} goes into them", path=folder)
    about = sorted(entry.below for entry in entries if entry.kind != "folder")
    what = f"nothing but {examples(about)}" if about else "no visible file"
    where = " or in its folders" if folders and selection.recursive else ""
    left_out = f"; {argument('exclude')} leaves out {examples(sorted(excluded))}" if excluded else ""
    return DataError(f"there is {what} in the directory{where}{left_out}", path=folder)


def _is_about(entry: _Entry) -> bool:
    return _ABOUT.fullmatch(entry.below.rpartition("/")[2]) is not None


def _is_wanted(entry: _Entry, selection: Selection) -> bool:
    matches = selection.glob is None or _matches(entry.below, selection.glob)
    return entry.kind != "folder" and matches and not _is_about(entry) and not selection.leaves_out(entry.below)


def _walk(folder: str, selection: Selection) -> Iterator[_Entry]:
    """The visible files and folders of a directory, and of its folders if ``recursive``.

    Links may form a circle: the entries of a folder come once.
    """
    waiting, known = [("", folder)], {Source("", folder).identity}
    while waiting:
        below, path = waiting.pop(0)
        within = f"{path.rstrip('/')}/" if is_url(path) else str(Path(path) / "_")[:-1]
        for name, kind in sorted(_entries(path)):
            if name.startswith("."):
                continue
            entry = _Entry(f"{below}{name}", f"{within}{name}", kind)
            yield entry
            goes_in = kind == "folder" and selection.recursive and not selection.leaves_out(entry.below, is_folder=True)
            if goes_in and (identity := Source("", entry.path).identity) not in known:
                known.add(identity)
                waiting.append((f"{entry.below}/", entry.path))


def _entries(folder: str) -> list[tuple[str, str]]:
    """The names in a directory, and their kinds."""
    if is_url(folder):
        kinds = {"file": "file", "directory": "folder"}  # anything else is skipped like a pipe
        with remote(folder) as (system, location):
            entries = system.ls(location, detail=True)
            return [(Path(entry["name"]).name, kinds.get(entry["type"], "pipe")) for entry in entries]
    try:
        return [(entry.name, kind_of(entry)) for entry in Path(folder).iterdir() if not is_marked_hidden(entry)]
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=folder) from None


def _leaves_out(pattern: str, path: str, *, is_folder: bool) -> bool:
    """Whether a pattern of ``--exclude`` matches a file or a folder."""
    if pattern.endswith("/"):
        return is_folder and _matches(path, pattern.rstrip("/"))
    return _matches(path, pattern)


def _matches(path: str, pattern: str) -> bool:
    return fnmatchcase(path if "/" in pattern else path.rpartition("/")[2], pattern)
