"""Scores of runs on queries, for notebooks: computed from runs and judgments, read from files, or given."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import pandas as pd

from biasvar_cli.errors import Messages, UsageError
from biasvar_cli.measures import asked_names, is_measure_object
from biasvar_cli.notebook.arguments import Reading, warning_there
from biasvar_cli.notebook.frames import shown_value
from biasvar_cli.notebook.memory import (
    JUDGMENTS,
    Judgments,
    Path,
    Runs,
    has_scores,
    is_of_documents,
    path_of,
    paths,
    paths_and_runs,
    qrels_of,
)
from biasvar_cli.notebook.score_frames import scores_of
from biasvar_cli.readers.listing import warn_of_idle_patterns
from biasvar_cli.readers.sources import STDIN
from biasvar_cli.scoring.request import TrackRequest
from biasvar_cli.scoring.scorer import LoadedSource, Memory
from biasvar_cli.scoring.track import Scored, Track, load_track
from biasvar_cli.specs import available_cores
from biasvar_cli.words import TOPICS


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of runs on queries under one measure; `evaluate` makes them.

    Two are equal if their measures, runs, queries and numbers are.
    """

    scored: Scored
    jobs: int
    messages: Messages = field(default_factory=Messages.none)

    def noted(self, messages: Messages) -> Scores:
        """The same scores with the messages of their making."""
        return replace(self, messages=messages)

    @property
    def measures(self) -> tuple[str | None, ...]:
        """The measures."""
        return (self.measure,)

    @property
    def track(self) -> Track:
        """The track of these scores alone."""
        return Track((self.scored,))

    @property
    def measure(self) -> str | None:
        """The measure, by ir-measures' name; None if it is not known."""
        return self.scored.scores.measure

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.scored.scores.runs

    @property
    def queries(self) -> tuple[str, ...]:
        """The ids of the queries."""
        return self.scored.scores.queries

    def frame(self) -> pd.DataFrame:
        """A row a query and a column a run."""
        matrix = self.scored.scores
        index = pd.Index(matrix.queries, name="query_id")
        return pd.DataFrame(matrix.values.T.copy(), index=index, columns=list(matrix.runs))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return self.measure == other.measure and self.frame().equals(other.frame())

    def __hash__(self) -> int:
        return hash((self.measure, self.runs, self.queries))

    def __repr__(self) -> str:
        return f"Scores({self.measure or 'unknown measure'}, {len(self.runs)} runs, {len(self.queries)} queries)"


ScoresLike = Scores | pd.DataFrame | Path | Iterable[Path]


@warning_there
def evaluate(runs: Runs, qrels: Judgments, measure: object = "AP", **reading: Unpack[Reading]) -> Scores:
    """The scores of runs under a measure, on every judged query with a relevant document.

    ``runs`` are paths of runs or folders, a DataFrame (columns ``qid docno score`` or ``query_id doc_id score``, and
    ``run`` or ``name`` if it holds several), or dicts: ``{query: {document: score}}`` for one run, by name for several.
    PyTerrier's own ``docid`` and ``query`` are not read where ``docno`` and ``qid`` stand beside them.
    ``qrels`` are a path, ``irds:ID`` for a data set of ir_datasets, a DataFrame (``qid docno label`` or ``query_id
    doc_id relevance``) or ``{query: {document: grade}}``. ``measure`` is a name of ir-measures or trec_eval, or a
    measure object of ir-measures. For the others see `Reading`.

    Raises `BiasVarError` for what is wrong in the data and for what cannot be asked.

    >>> judged = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
    >>> run = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}
    >>> evaluate({"bm25": run}, judged, "RR").frame()["bm25"].to_dict()
    {'q1': 0.5, 'q2': 1.0}
    """
    files, loaded = paths_and_runs(runs)
    if qrels is None:
        raise UsageError("qrels: runs need relevance judgments, found None")
    return _loaded(files, Memory(inputs=loaded), qrels, measure, reading)


def scores_from(scores: ScoresLike, measure: object | None, qrels: Judgments | None, reading: Reading) -> Scores:
    """The scores that are meant: those of `evaluate`, of a DataFrame, or of files; raises what `evaluate` raises."""
    if isinstance(scores, Scores):
        given = [name for name, value in {"measure": measure, "qrels": qrels, **reading}.items() if value is not None]
        if given:
            raise UsageError(f"{' and '.join(given)}: these scores are made; give that to evaluate")
        return scores
    if isinstance(scores, pd.DataFrame):
        if is_of_documents(scores):
            raise UsageError("scores: these are retrieved documents; give them to evaluate, with their judgments")
        source = _in_memory(scores, measure, reading, "the DataFrame of scores")
        return _loaded((), Memory(inputs=(source,)), qrels, measure, reading)
    if isinstance(scores, Mapping):
        raise UsageError("scores: expected scores as paths, a DataFrame, or what evaluate gives; found a dict")
    return _loaded(paths(scores, "scores", "what evaluate gives"), Memory(), qrels, measure, reading)


def _loaded(
    inputs: tuple[str, ...], memory: Memory, qrels: Judgments | None, measure: object | None, reading: Reading
) -> Scores:
    options: dict[str, Any] = {"jobs": available_cores(), **reading}
    pool = options.pop("pool", None)
    if pool is not None:
        options["pool"] = ()
        if isinstance(pool, pd.DataFrame) and has_scores(pool):
            memory = memory._replace(pool=(_in_memory(pool, measure, reading, "the DataFrame of the pool"),))
        else:
            options["pool"], sources = paths_and_runs(pool, "pool run", "pool")
            memory = memory._replace(pool=sources)
    if qrels is not None and not isinstance(qrels, str | os.PathLike):
        judged = qrels_of(qrels)
        memory = memory._replace(qrels=judged.qrels, left_out=judged.left_out)
        options["qrels"] = JUDGMENTS
    elif qrels is not None:
        options["qrels"] = path_of(qrels, "qrels")
    if "topics" in options:
        options["topics"] = _topics(options["topics"])
    asked = () if measure is None else (_one(measure),)
    request = TrackRequest(inputs=inputs, measures=asked, **options)
    (scored,) = load_track(request, memory=memory).scored
    warn_of_idle_patterns((*request.inputs, *request.pool), request.selection)
    return Scores(scored, options["jobs"])


def _topics(topics: str) -> str:
    """The queries to evaluate on: a word, or the path of a list. Raises `UsageError` for anything else."""
    if topics.lower() in TOPICS and not os.path.exists(topics):  # noqa: PTH110
        return topics.lower()
    if topics not in (*TOPICS, STDIN) and not os.path.isfile(topics):  # noqa: PTH113
        raise UsageError(f"topics: expected {', '.join(TOPICS)} or the path of a list, found {shown_value(topics)}")
    return topics


def _in_memory(frame: pd.DataFrame, measure: object | None, reading: Reading, where: str) -> LoadedSource:
    name = None if measure is None else _one(measure)
    return scores_of(
        frame,
        measure=name,
        orient=reading.get("orient"),
        id_column=reading.get("id_column"),
        allow_range=reading.get("allow_range", False),
        where=where,
    )


def _one(measure: object) -> str:
    """The name of one measure. Raises `UsageError` for several, and for what is no measure."""
    if isinstance(measure, list | tuple | set):
        raise UsageError(f"measure: one measure at a time, found {len(measure)}; call this for each")
    name = str(measure) if is_measure_object(measure) else measure
    if not isinstance(name, str) or not name.strip():
        raise UsageError(f"measure: expected a name or a measure of ir-measures, found {shown_value(measure)}")
    several = asked_names([name])
    if len(several) > 1:
        raise UsageError(f"measure: one measure at a time, found {' and '.join(several)}; call this for each")
    return name
