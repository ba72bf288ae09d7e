"""The settings for reading, scoring and naming the inputs of an analysis, each declared once.

The options of the command line, the keys of a track in a manifest and the request that loads a track are made from
them.
"""

from dataclasses import dataclass

from biasvar_cli.readers.unpacking import MOST, size_text
from biasvar_cli.settings import COMMON, INPUT_DETAILS, OUTPUT, Completion, setting
from biasvar_cli.specs.limits import DASK_TIMEOUT, MAX_GRADE
from biasvar_cli.specs.requests import Systems
from biasvar_cli.words import TOPICS, NameBy, Orient, TiePrecision

READING, SCORING, SYSTEMS, DISPLAY = STAGES = ("reading", "scoring", "systems", "display")


@dataclass(frozen=True, kw_only=True)
class InputSettings:
    """The settings for inputs, in the order of the help.

    A setting belongs to a stage: reading files, scoring runs, grouping runs into systems, or naming runs. A setting
    that is ``in_manifest`` is a key of each track there.
    """

    qrels: str | None = setting(
        None,
        COMMON,
        "Relevance judgments: runs need them, score files keep to their queries. Or irds:ID, a data set.",
        names=("-q", "--qrels"),
        metavar="FILE",
        brief="Relevance judgments; runs need them.",
        stage=READING,
        in_manifest=True,
    )
    pool: tuple[str, ...] = setting(
        (),
        INPUT_DETAILS,
        "Runs or scores that count for the target but are not listed. Repeatable.",
        metavar="PATH",
        stage=READING,
        in_manifest=True,
    )
    glob: str | None = setting(
        None,
        INPUT_DETAILS,
        "Which files of a directory to read, such as '*.gz'.",
        metavar="PATTERN",
        stage=READING,
        in_manifest=True,
    )
    exclude: tuple[str, ...] = setting(
        (),
        INPUT_DETAILS,
        "Files and folders to leave out, such as '*.bak', or folders alone, such as 2011/. Repeatable.",
        metavar="PATTERN",
        stage=READING,
        in_manifest=True,
    )
    recursive: bool = setting(
        False, INPUT_DETAILS, "Read the folders of directories too.", stage=READING, in_manifest=True
    )
    name_by: NameBy = setting(
        "file",
        INPUT_DETAILS,
        "Name runs by their file, by their path below the directory given, or by their tag.",
        stage=READING,
        in_manifest=True,
    )
    orient: Orient | None = setting(
        None,
        INPUT_DETAILS,
        "What the rows of a score matrix are, even if a run is called like a measure.",
        stage=READING,
        in_manifest=True,
    )
    id_column: str | None = setting(
        None,
        INPUT_DETAILS,
        "Which column of a table has the ids; none: it has no ids.",
        metavar="NAME|none",
        stage=READING,
        in_manifest=True,
    )
    allow_range: bool = setting(
        False,
        INPUT_DETAILS,
        "Accept scores that the measure cannot have, such as an AP of 30.",
        stage=READING,
        in_manifest=True,
    )
    lower_is_better: bool = setting(
        False,
        INPUT_DETAILS,
        "Less is better for scores whose measure is not known, such as response times. For known measures, such as AP "
        "and ESL, biasvar knows which is better.",
        stage=READING,
        in_manifest=True,
    )
    max_size: int | None = setting(
        None,
        INPUT_DETAILS,
        f"The largest file that is read, unpacked. Default: {size_text(MOST)}.",
        metavar="SIZE",
        stage=READING,
        in_manifest=True,
    )
    jobs: int = setting(
        1, INPUT_DETAILS, "Files to read at once. Default: one for each core.", metavar="N", stage=READING
    )
    measures: tuple[str, ...] = setting(
        (),
        COMMON,
        "Measure, such as nDCG@20, 'map P.5,10' or ndcg_cut_20 as trec_eval writes it. Default: AP, or the only one of "
        "the score files.",
        names=("-m", "--measure", "measures"),
        metavar="NAME",
        brief="Measure, such as nDCG@20. Default: AP.",
        stage=SCORING,
    )
    topics: str | None = setting(
        None,
        INPUT_DETAILS,
        "Queries to evaluate on: qrels (the judged ones), union or intersection (those of any run, or of all), or a "
        "file of ids. Default: qrels with -q, else union.",
        completion=Completion(TOPICS, paths=True),
        metavar="TOPICS",
        stage=SCORING,
        in_manifest=True,
    )
    unit: str = setting(
        "query",
        INPUT_DETAILS,
        "What a query is called in sentences and figures: collection, topic, ...",
        metavar="NOUN",
        stage=SCORING,
    )
    replicates: Systems | None = setting(
        None,
        INPUT_DETAILS,
        "Which runs are replicates of one system (seeds, folds); a row is then the mean over them. A pattern whose "
        "group is the name of the system, '(.*)-seed[0-9]+', or a pattern to delete from names of runs, "
        "'-seed[0-9]+'; or a csv of run,system.",
        completion=Completion(paths=True),
        metavar="REGEX|FILE",
        stage=SYSTEMS,
    )
    keep_empty_topics: bool = setting(
        False, INPUT_DETAILS, "Keep judged topics without a relevant document.", stage=SCORING, in_manifest=True
    )
    allow_unjudged: bool = setting(
        False,
        INPUT_DETAILS,
        "Score runs whose first documents are hardly judged. By default they are an error: the qrels seem wrong.",
        stage=SCORING,
        in_manifest=True,
    )
    ignore_identical_ids: bool = setting(
        False,
        INPUT_DETAILS,
        "Leave out results whose document has the id of its query, as BEIR does (ArguAna).",
        stage=SCORING,
        in_manifest=True,
    )
    tie_precision: TiePrecision = setting(
        "single", INPUT_DETAILS, "Compare retrieval scores as 32-bit or 64-bit floats.", stage=SCORING, in_manifest=True
    )
    dask: str | None = setting(
        None,
        INPUT_DETAILS,
        "Score on a Dask cluster that sees the files, such as tcp://host:8786.",
        metavar="ADDRESS",
        stage=SCORING,
    )
    dask_timeout: int = setting(
        DASK_TIMEOUT, INPUT_DETAILS, "How long to wait for the cluster.", metavar="SECONDS", stage=SCORING
    )
    max_grade: int = setting(
        MAX_GRADE,
        INPUT_DETAILS,
        "The highest grade that the qrels may have; ERR needs it.",
        metavar="N",
        stage=SCORING,
        in_manifest=True,
    )
    highlight: tuple[str, ...] = setting(
        (),
        OUTPUT,
        "Mark this run (or a unique beginning) in tables and figures. Repeatable.",
        metavar="NAME",
        brief="Mark this run in tables and figures.",
        stage=DISPLAY,
    )
    names: tuple[str, ...] = setting(
        (),
        OUTPUT,
        "Show a run by another name, or several by a csv of old,new. Repeatable.",
        completion=Completion(paths=True),
        metavar="OLD=NEW|FILE",
        stage=DISPLAY,
    )
