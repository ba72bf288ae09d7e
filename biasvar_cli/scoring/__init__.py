"""From files to score matrices and targets. Here is the request: which files to read, and how, to load a `Track`."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.readers.listing import Selection, expand
from biasvar_cli.readers.settings import InputSettings
from biasvar_cli.readers.sources import Source, names_files
from biasvar_cli.specs.machine import is_file
from biasvar_cli.words import TOPICS, Nouns

_LONGEST = 30
_SINGULAR_ENDINGS = ("ss", "us", "is", "series", "species", "lens", "news")  # nouns that end in s and are no plural
_NOUN = re.compile(rf"(?=[^\W\d_])(?:[^\W\d_]|[ -](?=[^\W\d_])){{1,{_LONGEST}}}")


@dataclass(frozen=True, kw_only=True)
class TrackRequest(InputSettings):
    """What to evaluate, as the user asked for it.

    ``inputs`` and ``pool`` are paths, ``qrels`` a path or None, ``measures`` names (empty: the default). ``topics`` is
    ``qrels``, ``union``, ``intersection``, a path, or None for the default of the kind of input. ``max_size`` is the
    most bytes of a file, None for the default (`readers.sources.read_bytes`). ``needs_runs`` is the option that works
    on runs alone, which the error names if an input has scores; None where scores are accepted. ``auxiliary`` are
    further measures that an analysis needs; ``documents`` says that it needs those of runs, too. ``replicates`` says
    which runs are of one system (`scoring.labels.systems_of`), None where rows are runs. ``lower_is_better`` says that
    lower scores are better under measures of unknown direction (`measures.direction`). ``unit`` is what sentences call
    a query, a noun in the singular. Each of ``names`` is OLD=NEW, a run and its name in the output, or the path of a
    csv of old,new; ``highlight`` names the runs that are marked. The help explains the others. Raises `UsageError` if
    ``unit`` is no noun or an entry of ``names`` has an empty side.

    >>> TrackRequest(inputs=("beir.csv",), unit="collection").nouns
    Nouns(query='collection', run='run')
    >>> TrackRequest(inputs=("beir.csv",), unit="{}")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: unit: expected a noun in the singular, of at most 30 letters, blanks and hyphens, \
found '{}'
    """

    inputs: tuple[str, ...]
    needs_runs: str | None = None
    auxiliary: tuple[str, ...] = ()
    documents: bool = False

    def __post_init__(self) -> None:
        expected = f"expected a noun in the singular, of at most {_LONGEST} letters, blanks and hyphens"
        if not _NOUN.fullmatch(self.unit):
            raise UsageError(f"{expected}, found {self.unit!r}", option="unit")
        if self.unit[1:].islower():  # Topic becomes topic; TREC topic keeps its capitals
            object.__setattr__(self, "unit", self.unit.lower())
        if self.unit in ("run", "runs") or (self.unit == "system" and self.replicates is not None):
            raise UsageError(f"{self.unit} is what the rows of results are called; give another noun", option="unit")
        if self.unit.endswith("s") and not self.unit.endswith(_SINGULAR_ENDINGS):
            raise UsageError(f"{expected}, found {self.unit!r}, which looks like a plural", option="unit")
        for text in self.names:
            old, equals, new = text.partition("=")
            if equals and not (old.strip() and new.strip() and new.isprintable()):
                raise UsageError(f"expected OLD=NEW, found {text}", option="names")

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that is named: inputs, pool, judgments, the topics, the systems, and names of runs."""
        of_names = (text for text in self.names if "=" not in text)
        named = (*self.inputs, *self.pool, self.qrels, self.topics_file, self.systems_file, *of_names)
        return tuple(name for name in named if name is not None)

    @property
    def run_measures(self) -> tuple[str, ...]:
        """The measures by which runs are scored: those that are named, or AP."""
        return self.measures or ("AP",)

    @property
    def topics_file(self) -> str | None:
        """The file that lists the topics; None where ``topics`` is a word."""
        return None if self.topics in (None, *TOPICS) else self.topics

    @property
    def systems_file(self) -> str | None:
        """The file that lists the systems of runs; None where ``replicates`` is a pattern."""
        return self.replicates if isinstance(self.replicates, str) and is_file(self.replicates) else None

    @property
    def nouns(self) -> Nouns:
        """What sentences call queries and runs while inputs are read; rows become systems after that."""
        return Nouns(query=self.unit)

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
