"""From files to score matrices and targets. Here is the request: which files to read, and how, to load a `Track`."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from biasvar_cli.errors import UsageError
from biasvar_cli.readers.listing import Selection, expand
from biasvar_cli.readers.sources import Source, names_files
from biasvar_cli.settings import COMMON, INPUT_DETAILS, OUTPUT, Completion, setting
from biasvar_cli.specs import DASK_TIMEOUT, MAX_GRADE, Systems, is_file
from biasvar_cli.words import TOPICS, NameBy, Nouns, Orient, TiePrecision

_LONGEST = 30
_SINGULAR_ENDINGS = ("ss", "us", "is", "series", "species", "lens", "news")  # nouns that end in s and are no plural
_NOUN = re.compile(rf"(?=[^\W\d_])(?:[^\W\d_]|[ -](?=[^\W\d_])){{1,{_LONGEST}}}")


@dataclass(frozen=True, kw_only=True)
class TrackRequest:
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
    pool: tuple[str, ...] = ()
    qrels: str | None = setting(
        None,
        COMMON,
        "Relevance judgments: runs need them, score files keep to their queries. Or irds:ID, a data set.",
        names=("-q", "--qrels"),
        metavar="FILE",
        brief="Relevance judgments; runs need them.",
    )
    measures: tuple[str, ...] = ()
    glob: str | None = None
    exclude: tuple[str, ...] = ()
    recursive: bool = False
    name_by: NameBy = setting(
        "file", INPUT_DETAILS, "Name runs by their file, by their path below the directory given, or by their tag."
    )
    topics: str | None = setting(
        None,
        INPUT_DETAILS,
        "Queries to evaluate on: qrels (the judged ones), union or intersection (those of any run, or of all), or a "
        "file of ids. Default: qrels with -q, else union.",
        completion=Completion(TOPICS, paths=True),
        metavar="TOPICS",
    )
    keep_empty_topics: bool = setting(False, INPUT_DETAILS, "Keep judged topics without a relevant document.")
    orient: Orient | None = setting(
        None, INPUT_DETAILS, "What the rows of a score matrix are, even if a run is called like a measure."
    )
    id_column: str | None = setting(
        None, INPUT_DETAILS, "Which column of a table has the ids; none: it has no ids.", metavar="NAME|none"
    )
    allow_range: bool = setting(
        False, INPUT_DETAILS, "Accept scores that the measure cannot have, such as an AP of 30."
    )
    lower_is_better: bool = setting(
        False,
        INPUT_DETAILS,
        "Less is better for scores whose measure is not known, such as response times. Of known measures, such as AP "
        "and ESL, biasvar knows it.",
    )
    allow_unjudged: bool = setting(
        False, INPUT_DETAILS, "Score runs of whose first documents nearly none is judged: else the qrels seem wrong."
    )
    ignore_identical_ids: bool = setting(
        False, INPUT_DETAILS, "Leave out results that are their own query, by its id, as BEIR does (ArguAna)."
    )
    tie_precision: TiePrecision = setting(
        "single", INPUT_DETAILS, "Compare retrieval scores as 32-bit or 64-bit floats."
    )
    max_grade: int = setting(
        MAX_GRADE, INPUT_DETAILS, "The highest grade that the qrels may have; ERR needs it.", metavar="N"
    )
    max_size: int | None = None
    jobs: int = 1
    dask: str | None = setting(
        None,
        INPUT_DETAILS,
        "Score on a Dask cluster that sees the files, such as tcp://host:8786.",
        metavar="ADDRESS",
    )
    dask_timeout: int = setting(DASK_TIMEOUT, INPUT_DETAILS, "How long to wait for the cluster.", metavar="SECONDS")
    needs_runs: str | None = None
    auxiliary: tuple[str, ...] = ()
    documents: bool = False
    replicates: Systems | None = setting(
        None,
        INPUT_DETAILS,
        "Which runs are of one system (seeds, folds), whose rows are means over them: a pattern, of which a group is "
        "the name of the system, '(.*)-seed[0-9]+', or which is left out of the name, '-seed[0-9]+'; or a csv of "
        "run,system.",
        completion=Completion(paths=True),
        metavar="REGEX|FILE",
    )
    unit: str = setting(
        "query",
        INPUT_DETAILS,
        "What a query is called in sentences and figures: collection, topic, ...",
        metavar="NOUN",
    )
    names: tuple[str, ...] = setting(
        (),
        OUTPUT,
        "Show a run by another name, or several by a csv of old,new. Repeatable.",
        completion=Completion(paths=True),
        metavar="OLD=NEW|FILE",
    )
    highlight: tuple[str, ...] = setting(
        (),
        OUTPUT,
        "Mark this run (or a unique beginning) in tables and figures. Repeatable.",
        metavar="NAME",
        brief="Mark this run in tables and figures.",
    )

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
