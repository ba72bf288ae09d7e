"""``bv.judges``: what other judgments of the same runs change, in a notebook."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from biasvar_cli.analyses.judges import TABLES, JudgesRequest
from biasvar_cli.analyses.judges.answer import answer
from biasvar_cli.errors import UsageError
from biasvar_cli.notebook.arguments import JudgedReading, warning_there, with_settings
from biasvar_cli.notebook.memory import Judgments, Runs, path_of, paths_and_runs, qrels_of
from biasvar_cli.notebook.results import Result
from biasvar_cli.notebook.scores import Scores, measure_names, scores_from
from biasvar_cli.readers.qrels import Qrels
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.judge_scores import JudgeFiles, judge_files, tracks_of_judges
from biasvar_cli.scoring.judged_tracks import Judges, load_judges, named_judges, same_runs
from biasvar_cli.scoring.track import Track
from biasvar_cli.settings import requested
from biasvar_cli.specs.machine import available_cores, files_and_measure
from biasvar_cli.specs.requests import QueryClusters
from biasvar_cli.words import use_nouns


@warning_there
@with_settings(JudgesRequest, without=("log", "eps"))
def judges(
    scores: Runs | Mapping[str, Any] | Sequence[Any],
    qrels: Mapping[str, Judgments] | Sequence[str] | None = None,
    *,
    measure: object | None = None,
    clusters: QueryClusters | None = None,
    settings: Mapping[str, Any],
    **reading: Unpack[JudgedReading],
) -> Result:
    """What other judgments of the same runs change: rankings, significant differences, favoured runs.

    ``scores`` are runs as in `evaluate`, and ``qrels`` the judgments of each judge by name, or a list of paths; the
    first ones are the reference. Or ``scores`` are those of each judge, ``{name: scores}`` as in `decompose`, or a list
    of paths, without ``qrels``. ``replicates`` names judges that are passes of one. ``frame("runs")`` has a row a run
    under each judge, ``frame("queries")`` a row a query. With ``calibrate`` it has the means under the reference too,
    moved by what a judge says of the queries that it alone judged, and with ``baseline`` the differences from this run.
    """
    options: dict[str, Any] = {"jobs": available_cores(), **reading}
    loaded = _scores(scores, measure, options) if qrels is None else _runs(scores, qrels, measure, options)
    request = requested(JudgesRequest, settings, jobs=options["jobs"])
    tables = sorted(TABLES, key=lambda table: table != ("runs" if request.calibrate else "judges"))
    return Result.from_answers("judges", answer(loaded, request), tuple(tables))


def _scores(scores: Any, measure: object | None, options: Mapping[str, Any]) -> Judges:
    """The scores of each judge."""
    if not isinstance(scores, Mapping):
        if isinstance(scores, str | os.PathLike | Scores) or not isinstance(scores, list | tuple):
            raise UsageError("scores: expected those of each judge, {name: scores} or a list of paths; or give qrels")
        files = judge_files([path_of(path, "scores") for path in scores])
    else:
        files = {str(name): _files_of(of) for name, of in scores.items()}
    contents = {name: list(of.paths) if len(of.paths) > 1 else of.paths[0] for name, of in files.items() if of.paths}
    contents = {str(name): of for name, of in scores.items()} | contents if isinstance(scores, Mapping) else contents
    reading: Any = dict(options)

    def load(name: str, measures: tuple[str, ...]) -> Track:
        made = isinstance(contents[name], Scores)
        chosen = None if not measures else measures[0] if len(measures) == 1 else list(measures)
        return scores_from(contents[name], chosen, None, {} if made else reading).track

    return same_runs(*tracks_of_judges(files, measure_names(measure), load))


def _files_of(of_judge: object) -> JudgeFiles:
    """The files of a judge, none for what is no path."""
    if not isinstance(of_judge, str | os.PathLike):
        return JudgeFiles(())
    typed = os.fspath(of_judge)
    paths, measure = files_and_measure(typed)
    return JudgeFiles(tuple(paths), measure, typed.removesuffix(f":{measure}") if measure else typed)


def _runs(runs: Any, qrels: Any, measure: object | None, options: dict[str, Any]) -> Judges:
    """The runs under the judgments of each judge."""
    if not isinstance(qrels, Mapping):
        if isinstance(qrels, str | os.PathLike):
            raise UsageError("qrels: expected the judgments of each judge, {name: judgments} or a list of paths")
        qrels = named_judges([path_of(path, "qrels") for path in qrels])
    judgments: dict[str, str | Qrels] = {
        str(name): path_of(judged, "qrels") if isinstance(judged, str | os.PathLike) else qrels_of(judged).qrels
        for name, judged in qrels.items()
    }
    files, memory = paths_and_runs(runs)
    request = TrackRequest(inputs=files, measures=measure_names(measure), needs_runs="qrels", **options)
    use_nouns(request.nouns)
    return load_judges(request, judgments, loaded=memory)
