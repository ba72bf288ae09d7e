"""What to evaluate and how, as a user asks for it. Nothing here computes: the command line reads the fields."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.readers.listing import Selection, expand
from biasvar_cli.readers.sources import Source, names_files
from biasvar_cli.specs import DASK_TIMEOUT, MAX_GRADE, Systems
from biasvar_cli.words import NameBy, Nouns, Orient, TiePrecision

_LONGEST = 30
_SINGULAR = ("ss", "us", "is", "series", "species", "lens", "news", "runs")  # runs is refused with a reason of its own
_NOUN = re.compile(rf"(?=[^\W\d_])(?:[^\W\d_]|[ -](?=[^\W\d_])){{1,{_LONGEST}}}")


@dataclass(frozen=True, kw_only=True)
class TrackRequest:
    """What to evaluate, as the user asked for it.

    ``inputs`` and ``pool`` are paths, ``qrels`` a path or None, ``measures`` names (empty: the default). ``topics`` is
    ``qrels``, ``union``, ``intersection``, a path, or None for the default of the kind of input. ``max_size`` is the
    most bytes of a file, None for the default (`readers.sources.read_bytes`). ``needs_runs`` is the option that score
    files are refused for, None where they will do. ``auxiliary`` are measures that an analysis needs besides.
    ``replicates`` says which runs are of one system (`scoring.replicates.systems_of`), None where rows are runs.
    ``lower_is_better`` says that less of the measures is better whose direction is not known (`measures.direction`).
    ``unit`` is what sentences call a query, a noun in the singular. ``names`` are OLD=NEW, a run and the name that
    people are shown, or paths of csv of old,new; ``highlight`` names the runs that are marked. Raises `UsageError` for
    what is no noun and no name.

    >>> TrackRequest(inputs=("beir.csv",), unit="collection").nouns
    Nouns(query='collection', run='run')
    >>> TrackRequest(inputs=("beir.csv",), unit="{}")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: unit: expected a noun in the singular, of at most 30 letters, blanks and hyphens, \
found '{}'
    """

    inputs: tuple[str, ...]
    pool: tuple[str, ...] = ()
    qrels: str | None = None
    measures: tuple[str, ...] = ()
    glob: str | None = None
    exclude: tuple[str, ...] = ()
    recursive: bool = False
    name_by: NameBy = "file"
    topics: str | None = None
    keep_empty_topics: bool = False
    orient: Orient | None = None
    id_column: str | None = None
    allow_range: bool = False
    lower_is_better: bool = False
    tie_precision: TiePrecision = "single"
    max_grade: int = MAX_GRADE
    max_size: int | None = None
    jobs: int = 1
    dask: str | None = None
    dask_timeout: int = DASK_TIMEOUT
    needs_runs: str | None = None
    auxiliary: tuple[str, ...] = ()
    replicates: Systems | None = None
    unit: str = "query"
    names: tuple[str, ...] = ()
    highlight: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        expected = f"expected a noun in the singular, of at most {_LONGEST} letters, blanks and hyphens"
        if not _NOUN.fullmatch(self.unit):
            raise UsageError(f"{expected}, found {self.unit!r}", option="unit")
        if self.unit[1:].islower():
            object.__setattr__(self, "unit", self.unit.lower())  # Query at the start of a sentence is query elsewhere
        if self.unit.endswith("s") and not self.unit.endswith(_SINGULAR):
            raise UsageError(f"{expected}, found {self.unit!r}, which looks like a plural", option="unit")
        if self.unit in ("run", "runs") or (self.unit == "system" and self.replicates is not None):
            raise UsageError(f"{self.unit} is what the rows of results are called; give another noun", option="unit")
        for text in self.names:
            old, equals, new = text.partition("=")
            if equals and not (old.strip() and new.strip() and new.isprintable()):
                raise UsageError(f"expected OLD=NEW, found {text}", option="names")

    @property
    def nouns(self) -> Nouns:
        """What sentences call queries and runs while inputs are read; rows become systems after that."""
        return Nouns(query=self.unit)

    @property
    def name_files(self) -> tuple[str, ...]:
        """The files that names are read from."""
        return tuple(text for text in self.names if "=" not in text)

    @property
    def selection(self) -> Selection:
        """Which files of directories are read."""
        return Selection(self.glob, self.exclude, self.recursive)

    def sources(self, inputs: Sequence[str]) -> list[Source]:
        """The files that some of the inputs name, each with its run's name by the file or the path.

        With ``orient="queries"`` those that name the runs of a matrix are read with it (`readers.sources.names_files`).
        """
        sources = expand(inputs, self.selection, by_path=self.name_by == "path")
        if self.orient != "queries":
            return sources
        named = {os.path.realpath(file) for source in sources for file in names_files(source.path)}
        return [source for source in sources if source.identity not in named]
