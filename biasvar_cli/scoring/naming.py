"""What people are shown in place of the names of runs in their files, and which runs are to be marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from biasvar_cli.errors import DataError, UsageError, full_name
from biasvar_cli.readers.maps import read_names
from biasvar_cli.words import RUN, RUN_SUFFIXES, RUNS, RunName, argument


def run_names(runs: Collection[str], names: Sequence[str] = (), highlight: Sequence[str] = ()) -> dict[str, RunName]:
    """What each run is shown by, and whether it is marked, by its name in the files.

    ``names`` are OLD=NEW or the path of a csv of old,new, and ``highlight`` names of runs or unique beginnings of them.
    A suffix of `words.RUN_SUFFIXES` is dropped where no other run is shown by what is left. Runs that have been
    renamed, or marked where none is to be now, stay so.

    Raises `DataError` for a run that is not there, `UsageError` for a name that several runs would have.

    >>> [f"{name}" for name in run_names(["bm25.run", "rm.run", "rm.txt"], ["rm.txt=RM"]).values()]
    ['bm25', 'rm', 'RM']
    """
    earlier = {run for run in runs if isinstance(run, RunName)}
    files = sorted(map(str, runs))
    renamed = {str(run): run.shown for run in earlier if run.renamed} | _renamed(names, files)
    short = {run: renamed.get(run, _without_suffix(run)) for run in files}
    counts = Counter(short.values())
    shown = {run: run if counts[name] > 1 and run not in renamed else name for run, name in short.items()}
    _require_distinct(shown)
    plain = [RunName(run, name) for run, name in shown.items()]
    marked = {full_name(argument(highlight=name), name, plain) for name in highlight}
    marked = marked or {run for run in earlier if run.highlighted}
    return {run: RunName(run, name, renamed=run in renamed, highlighted=run in marked) for run, name in shown.items()}


def _without_suffix(run: str) -> str:
    suffix = next((suffix for suffix in RUN_SUFFIXES if run.endswith(suffix)), "")
    return run.removesuffix(suffix) or run


def _renamed(names: Sequence[str], runs: Sequence[str]) -> dict[str, str]:
    """The new names that users chose, by those in the files."""
    renamed: dict[str, str] = {}
    for text in names:
        pairs = dict([_pair(text, runs)]) if "=" in text else _listed(text, runs)
        renamed |= pairs
    return renamed


def _listed(path: str, runs: Sequence[str]) -> dict[str, str]:
    """The new names in a file, which may list other runs too."""
    listed = read_names(path)
    short = {_without_suffix(run): run for run in runs}
    renamed = {run: new for old, new in listed.items() if (run := old if old in runs else short.get(old)) is not None}
    if not renamed:
        raise DataError(f"none of its {len(listed)} names is that of {RUN:a}; the {RUNS} are {runs[0]}, ...", path=path)
    return renamed


def _require_distinct(shown: Mapping[str, str]) -> None:
    """Raises `UsageError` for a name that several runs would be shown by."""
    twice = [name for name, count in Counter(shown.values()).items() if count > 1]
    if twice:
        owners = " and ".join(run for run, name in shown.items() if name == twice[0])
        raise UsageError(f"{owners} would all be called {twice[0]}; give each {RUN} a name of its own", option="names")


def _pair(text: str, runs: Sequence[str]) -> tuple[str, str]:
    """A run and its new name, of OLD=NEW in which both may have an equals sign."""
    pairs = list(_splits(text))
    for old, new in pairs:
        if old in runs and new:
            return old, new
    old, new = pairs[0]
    return full_name(argument(names=text), old, runs), new


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """The texts on both sides of each equals sign.

    >>> list(_splits("k1=1.2=BM25"))
    [('k1', '1.2=BM25'), ('k1=1.2', 'BM25')]
    """
    for index, sign in enumerate(text):
        if sign == "=":
            yield text[:index], text[index + 1 :]
