"""Scores of runs on queries, for notebooks: computed, read from files, or given; and the means of runs on tracks.

`evaluate` and `means` make scores, and answer no request: they are no analyses.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Unpack

import numpy as np
import pandas as pd

from biasvar_cli.errors import Messages, UsageError
from biasvar_cli.measures import direction, is_measure_object, names_among
from biasvar_cli.notebook import arguments, frames, memory, score_forms
from biasvar_cli.notebook.arguments import Reading, RunReading, warning_there
from biasvar_cli.notebook.memory import Judgments, Path, Runs, path_of, paths_and_runs
from biasvar_cli.readers import listing, manifest, sources
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.scorer import LoadedSource, Memory
from biasvar_cli.scoring.track import Scored, Track, load_track, load_tracks, names_of, score_file, track_means
from biasvar_cli.settings import several
from biasvar_cli.specs.machine import available_cores, is_file
from biasvar_cli.tables.column import MEASURE, QUERY, RUN
from biasvar_cli.tables.table import measure_words
from biasvar_cli.words import QUERIES, RUNS, TOPICS, listed, use_nouns, worded


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of runs on queries under one measure or several; `evaluate` makes them.

    ``track`` has them as the analyses take them, with all measures as auxiliary ones, whichever are chosen. Two are
    equal if their measures, runs, queries and numbers are.

    >>> judged = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
    >>> scores = evaluate({"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}, judged, ["RR", "P@1"])
    >>> scores.measures, scores["P_1"].frame()["run"].to_dict()
    (('RR', 'P@1'), {'q1': 0.0, 'q2': 1.0})
    """

    track: Track
    jobs: int
    messages: Messages = field(default_factory=Messages.none)

    def with_messages(self, messages: Messages) -> Scores:
        """The same scores with the messages of their making."""
        return replace(self, messages=messages)

    @property
    def scored(self) -> Scored:
        """The scores of the only measure. Raises `BiasVarError` where there are several."""
        if len(self.track.scored) > 1:
            names = listed(map(measure_words, self.measures), None)
            what = f"these scores have several measures, {names}"
            raise UsageError(f"{what}: choose one, as scores[{self.measures[0]!r}] does, or use .measures")
        return self.track.scored[0]

    @property
    def measures(self) -> tuple[str | None, ...]:
        """The measures, by ir-measures' names, in the order asked; None for one that is not known."""
        return tuple(scored.scores.measure for scored in self.track.scored)

    @property
    def measure(self) -> str | None:
        """The only measure, None if it is not known. Raises `BiasVarError` where there are several (``measures``)."""
        return self.scored.scores.measure

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.track.scored[0].scores.runs

    @property
    def queries(self) -> tuple[str, ...]:
        """The ids of the queries."""
        return self.track.scored[0].scores.queries

    def __getitem__(self, measure: object) -> Scores:
        """The scores of one of the measures, or of several of them, by any spelling of their names.

        Raises `BiasVarError` for a measure that is not there.
        """
        names = names_among(measure_names(measure), [name for name in self.measures if name is not None])
        absent = [name for name in names if name not in self.measures]
        if absent:
            there = listed(map(measure_words, self.measures), None)
            what = f"measure: these scores are of {there}, not of {listed(absent, None)}"
            raise UsageError(f"{what}; give all the measures to evaluate")
        by_name = dict(zip(self.measures, self.track.scored, strict=True))
        return replace(self, track=replace(self.track, scored=tuple(by_name[name] for name in names)))

    def __iter__(self) -> Iterator[str | None]:
        """The measures, as a dict has its keys."""
        return iter(self.measures)

    def __contains__(self, measure: object) -> bool:
        """Whether a measure of this name is there, by any spelling."""
        try:
            return bool(self[measure])
        except UsageError:
            return False

    def frame(self, table: str | None = None) -> pd.DataFrame:
        """A row a query and a column a run; several measures one after the other, with a first column ``measure``.

        ``frame("long")`` has a row a run, measure and query, with the columns that ``biasvar scores`` writes. Raises
        `BiasVarError` for another table.
        """
        if table not in (None, "queries", "long"):
            raise UsageError(f"there is no table {table!r}; there are queries, long")
        matrices = [scored.scores.in_unit for scored in self.track.scored]
        if table == "long":
            return pd.concat(map(_long, matrices), ignore_index=True)
        blocks = []
        for matrix in matrices:
            index = pd.Index(matrix.queries, name=QUERY.name)
            blocks.append(pd.DataFrame(matrix.values.T.copy(), index=index, columns=list(matrix.runs)))
        if len(blocks) > 1:
            for block, name in zip(blocks, self.measures, strict=True):
                block.insert(0, MEASURE.name, name, allow_duplicates=True)
        return pd.concat(blocks)

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.frame()._repr_html_()}"  # type: ignore[operator]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return self.measures == other.measures and self.frame().equals(other.frame())

    def __hash__(self) -> int:
        return hash((self.measures, self.runs, self.queries))

    def __repr__(self) -> str:
        names = ", ".join(map(measure_words, self.measures))
        with worded(self.track.nouns):
            return f"Scores({names}, {len(self.runs)} {RUNS}, {len(self.queries)} {QUERIES})"


ScoresLike = Scores | Runs | np.ndarray[Any, Any] | Iterable[frames.Value]  # runs where their judgments are given too


@warning_there
def evaluate(runs: Runs, qrels: Judgments, measure: object = "AP", **reading: Unpack[RunReading]) -> Scores:
    """The scores of runs under one measure or several, on every judged query with a relevant document.

    ``runs`` are paths of runs or folders, a DataFrame (columns ``qid docno score`` or ``query_id doc_id score``, and
    ``run`` or ``name`` if it holds several), or dicts: ``{query: {document: score}}`` for one run, by name for several;
    or a ``ranx.Run`` or several, or what ir-measures reads of a run. PyTerrier's own ``docid`` and ``query`` are not
    read where ``docno`` and ``qid`` stand beside them. ``qrels`` are a path, ``irds:ID`` for a data set of ir_datasets,
    a DataFrame (``qid docno label`` or ``query_id doc_id relevance``), ``{query: {document: grade}}``, a ``ranx.Qrels``
    or what ir-measures reads. ``measure`` is a name of ir-measures or trec_eval, or a measure object of ir-measures, or
    a list of these.

    Raises `BiasVarError` for what is wrong in the data and for what cannot be asked.

    >>> judged = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
    >>> run = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}
    >>> evaluate({"bm25": run}, judged, "RR").frame()["bm25"].to_dict()
    {'q1': 0.5, 'q2': 1.0}
    """
    if qrels is None:
        raise UsageError("qrels: runs need relevance judgments, found None")
    if isinstance(runs, Scores):
        raise UsageError("runs: these are scores, which every other function takes")
    files, loaded = paths_and_runs(runs)
    return loaded_scores(files, Memory(inputs=loaded), qrels, measure_names(measure), reading)


arguments.explain(evaluate, arguments.MEANINGS, (*arguments.JudgedReading.__annotations__, "replicates"))


def scores_from(
    scores: ScoresLike,
    measure: object | None,
    qrels: Judgments | None,
    reading: Reading,
    auxiliary: Sequence[str] = (),
    **further: Any,
) -> Scores:
    """The scores that are meant: those of `evaluate`, or of a DataFrame, a dict, an array or files.

    Of what `evaluate` gives, ``measure`` chooses. ``auxiliary`` are measures that an analysis needs besides; what
    `evaluate` gives has those that it was asked for; ``further`` is as in `loaded_scores`. Raises what
    `evaluate` raises.
    """
    if isinstance(scores, Scores):
        named = [name for name, value in {"qrels": qrels, **reading}.items() if value is not None]
        others = [name for name in named if name not in ("replicates", "unit", "names", "highlight")]
        if others:
            raise UsageError(f"{' and '.join(others)}: these scores are made; give that to evaluate")
        scores = replace(scores, track=_system_track(scores.track, reading))
        use_nouns(scores.track.nouns)
        return scores if measure is None else scores[measure]
    names = measure_names(measure)
    options: dict[str, Any] = {**reading}
    runs, queries = options.pop("runs", None), options.pop("queries", None)
    content = frames.opened(scores)
    documents = memory.are_documents(content)
    if documents and qrels is None:
        raise UsageError("scores: these are retrieved documents; give them to evaluate, with their judgments")
    if documents:
        score_forms.refuse_names(runs, queries)
    loaded = () if documents else score_forms.sources_of(content, names, options, runs=runs, queries=queries)
    files: tuple[str, ...] = ()
    if not loaded:
        files, loaded = paths_and_runs(content, argument="scores")
    return loaded_scores(files, Memory(inputs=loaded), qrels, names, options, auxiliary, **further)


def _system_track(track: Track, reading: Reading) -> Track:
    """A track whose rows are the systems that ``replicates`` names, if any, and called as ``reading`` says."""
    if reading.get("replicates") is not None:
        track = track.of_systems(reading["replicates"])
    if reading.get("unit") is not None:
        track = replace(track, nouns=track.nouns._replace(query=TrackRequest(inputs=(), unit=reading["unit"]).unit))
    return named([track], reading)[0]


def named(tracks: Sequence[Track], reading: Mapping[str, Any]) -> list[Track]:
    """The tracks with the ``names`` of their runs, and those to ``highlight``, each a run of any of them."""
    request = TrackRequest(inputs=(), names=_pairs(reading.get("names")), highlight=several(reading.get("highlight")))
    if not request.names and not request.highlight:
        return list(tracks)
    names = names_of(tracks, request.names, request.highlight)
    return [track.named(names) for track in tracks]


def _pairs(names: Mapping[str, str] | str | Sequence[str] | None) -> tuple[str, ...]:
    """OLD=NEW of each name, or the paths of csv, as the command line takes them."""
    if isinstance(names, Mapping):
        for name in (*names, *names.values()):
            arguments.read_argument("names", name, str)
        return tuple(f"{old}={new}" for old, new in names.items())
    return several(arguments.read_argument("names", names, str | Sequence[str] | None))


def loaded_scores(
    inputs: tuple[str, ...],
    content: Memory,
    qrels: Judgments | None,
    measures: tuple[str, ...],
    reading: Mapping[str, Any],
    auxiliary: Sequence[str] = (),
    **others: Any,
) -> Scores:
    """The scores of inputs and of what is in memory; ``others`` are further arguments of a `TrackRequest`."""
    options: dict[str, Any] = {"jobs": available_cores(), **reading}
    pool = options.pop("pool", None)
    if isinstance(pool, Scores):
        pool = pool.frame("long")
    if pool is not None:
        options["pool"], of_pool = score_forms.pool_of(pool, measures, reading, has_qrels=qrels is not None)
        content = content._replace(pool=of_pool)
    if qrels is not None and not isinstance(qrels, str | os.PathLike):
        judged = memory.qrels_of(qrels)
        content = content._replace(qrels=judged.qrels, left_out=judged.left_out)
        options["qrels"] = memory.JUDGMENTS
    elif qrels is not None:
        options["qrels"] = path_of(qrels, "qrels")
    if "topics" in options:
        options["topics"] = _topics(options["topics"])
    options["names"] = _pairs(options.get("names"))
    request = TrackRequest(inputs=inputs, measures=measures, auxiliary=tuple(auxiliary), **options, **others)
    use_nouns(request.nouns)
    track = load_track(request, memory=content)
    use_nouns(track.nouns)
    listing.warn_of_idle_patterns((*request.inputs, *request.pool), request.selection)
    by_measure = {scored.scores.measure: scored for scored in track.scored}
    return Scores(replace(track, auxiliary={**by_measure, **track.auxiliary}), options["jobs"])


def _topics(topics: str) -> str:
    """The queries to evaluate on: a word, or the path of a list. Raises `UsageError` for anything else."""
    if topics.lower() in TOPICS and not os.path.exists(topics):  # noqa: PTH110
        return topics.lower()
    if topics not in (*TOPICS, sources.STDIN) and not is_file(topics):
        expected = f"{', '.join(TOPICS)} or the path of a list"
        raise UsageError(f"topics: expected {expected}, found {frames.quoted_value(topics)}")
    return topics


def measure_names(measure: object) -> tuple[str, ...]:
    """The names of measures that a notebook asks for: one or a list of names or of ir-measures' objects; none for None.

    Raises `UsageError` for an empty list, for a set, which has no order, and for what is no measure.

    >>> measure_names("map ndcg"), measure_names(["AP", "nDCG@10"])
    (('map ndcg',), ('AP', 'nDCG@10'))
    """
    if measure is None:
        return ()
    if isinstance(measure, Set):
        raise UsageError("measure: a set has no order; give a list")
    is_one = isinstance(measure, str | Mapping) or is_measure_object(measure) or not isinstance(measure, Iterable)
    several: list[Any] = [measure] if is_one else list(measure)  # type: ignore[call-overload]
    if not several:
        raise UsageError("measure: expected at least one, found none")
    names = [str(name) if is_measure_object(name) else name for name in several]
    for name in names:
        if not isinstance(name, str) or not name.strip():
            raise UsageError(f"measure: expected names or measures of ir-measures, found {frames.quoted_value(name)}")
    return tuple(dict.fromkeys(names))


def _long(matrix: ScoreMatrix) -> pd.DataFrame:
    """A row a run and query, in the order and with the columns of ``biasvar scores``."""
    columns = {
        RUN.name: np.repeat(matrix.runs, matrix.n_queries),
        QUERY.name: np.tile(matrix.queries, matrix.n_runs),
        MEASURE.name: matrix.measure,
        "score": matrix.values.ravel(),
    }
    return pd.DataFrame(columns)


@warning_there
def means(tracks: Mapping[str, Scores] | Path, *, measure: object | None = None, jobs: int | None = None) -> Scores:
    """The mean score of every run on every track, as scores in which the tracks take the place of queries.

    ``tracks`` are ``{name: scores}`` of `evaluate`, or the path of a manifest (``docs/tracks.toml`` is an example).
    ``measure`` chooses among the measures, or takes the place of those of the manifest; ``jobs`` files of a manifest
    are read at once, by default as many as there are cores.

    Raises `BiasVarError` for a run that a track lacks and others have, and for tracks of other measures.

    >>> judged = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    >>> one = evaluate({"bm25": {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}}, judged, "RR")
    >>> two = evaluate({"bm25": {"q2": {"d3": 1.0}}}, {"q2": {"d3": 1}}, "RR")
    >>> means({"MED": one, "NPL": two}).frame()["bm25"].to_dict()
    {'MED': 0.75, 'NPL': 1.0}
    """
    jobs, by_name = jobs or available_cores(), {}
    if not isinstance(tracks, Mapping):
        listed = manifest.read_manifest(path_of(tracks, "tracks")).tracks
        loaded = load_tracks(listed, load_track, measures=measure_names(measure), jobs=jobs)
        by_name = {entry.name: track for entry, track in zip(listed, loaded, strict=True)}
    elif tracks and all(isinstance(scores, Scores) for scores in tracks.values()):
        by_name = {str(name): (scores if measure is None else scores[measure]).track for name, scores in tracks.items()}
    else:
        raise UsageError("tracks: expected the path of a manifest, or scores of evaluate by the name of their track")
    matrices = track_means(by_name)
    names = tuple(str(matrix.measure) for matrix in matrices if matrix.measure)
    lower = any(matrix.better == "less" and direction(matrix.measure) is None for matrix in matrices)
    file = score_file(matrices)
    inputs = (LoadedSource(file.path, file.path, content=file),)
    return loaded_scores((), Memory(inputs=inputs), None, names, {"jobs": jobs, "lower_is_better": lower})
