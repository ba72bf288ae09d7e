"""``bv.unjudged``: what unjudged documents can change, in a notebook."""

from collections.abc import Mapping
from typing import Any, Unpack

from biasvar_cli.analyses.unjudged import TABLES, UnjudgedRequest
from biasvar_cli.analyses.unjudged.answer import answer
from biasvar_cli.errors import UsageError
from biasvar_cli.notebook.arguments import RunReading, warning_there, with_settings
from biasvar_cli.notebook.memory import Judgments, Runs, paths_and_runs
from biasvar_cli.notebook.results import Result
from biasvar_cli.notebook.scores import Scores, loaded_scores, measure_names
from biasvar_cli.scoring.scorer import Memory
from biasvar_cli.settings import requested


@warning_there
@with_settings(UnjudgedRequest)
def unjudged(
    runs: Runs,
    qrels: Judgments,
    *,
    measure: object | None = None,
    settings: Mapping[str, Any],
    **reading: Unpack[RunReading],
) -> Result:
    """What unjudged documents can change: the highest mean of every run, and the ranks that it could have.

    ``runs`` and ``qrels`` are as in `evaluate`, whose scores do not do: they have no documents. ``frame("teams")`` has
    what each team would lose, with ``teams``.

    >>> from biasvar_cli import unjudged
    >>> judged = {"q1": {"d1": 1, "d2": 0}}
    >>> run = {"q1": {"d1": 3.0, "d5": 2.0, "d2": 1.0}}
    >>> unjudged({"bm25": run}, judged, measure="P@2").frame()[["mean", "high", "unjudged"]].loc["bm25"].tolist()
    [0.5, 1.0, 0.5]
    """
    if isinstance(runs, Scores):
        raise UsageError("runs: these are scores; give the runs, whose documents are needed, and their qrels")
    request, (files, loaded) = requested(UnjudgedRequest, settings), paths_and_runs(runs)
    memory, names = Memory(inputs=loaded), measure_names(measure)
    scores = loaded_scores(files, memory, qrels, names, reading, documents=True, needs_runs="unjudged")
    tables = tuple(TABLES)[: 1 if request.teams is None else None]
    return Result.from_answers("unjudged", answer(scores.track, request), tables, scores=scores)
