"""``bv.summary``: the table of a paper, in a notebook."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

from biasvar_cli.analyses.summary import DIGITS, PERCENT_DIGITS, SummaryRequest
from biasvar_cli.analyses.summary.answer import NamedTrack, answer
from biasvar_cli.notebook.arguments import Reading, warning_there, with_settings
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result
from biasvar_cli.notebook.scores import Scores, ScoresLike, named, scores_from
from biasvar_cli.settings import requested
from biasvar_cli.words import USUAL_NOUNS, use_nouns


@warning_there
@with_settings(SummaryRequest)
def summary(
    scores: ScoresLike | Mapping[str, Scores],
    baseline: str | None = None,
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    target: str = "best",
    percent: bool = False,
    settings: Mapping[str, Any],
    **reading: Unpack[Reading],
) -> Result:
    """The table of a paper: a row a run, a column a measure, and p-values beside the best run or a baseline.

    ``scores`` are as in `decompose`, of one measure or several, or ``{name: scores}`` of several tracks, whose columns
    are called NAME/MEASURE. ``errors`` adds bias², variance and total against the ``target``. With ``percent`` the
    text shows all numbers times 100.
    """
    names: list[str | None] = [None]
    if isinstance(scores, Mapping) and scores and all(isinstance(value, Scores) for value in scores.values()):
        names = [str(name) for name in scores]
        others: Any = {name: value for name, value in reading.items() if name not in ("names", "highlight")}
        loaded = [scores_from(value, measure, qrels, others) for value in scores.values()]
        tracks = named([read.track for read in loaded], reading)
        loaded = [replace(read, track=track) for read, track in zip(loaded, tracks, strict=True)]
        nouns = {read.track.nouns for read in loaded}
        use_nouns(nouns.pop() if len(nouns) == 1 else USUAL_NOUNS)
    else:
        loaded = [scores_from(scores, measure, qrels, reading)]
    request = requested(SummaryRequest, settings, jobs=loaded[0].jobs)
    (spec,) = request.targets
    result = answer([NamedTrack(name, read.track, spec) for name, read in zip(names, loaded, strict=True)], request)
    only = loaded[0] if names == [None] else None
    digits = PERCENT_DIGITS if percent else DIGITS
    return Result.from_answers("summary", [result], ("runs",), scores=only, digits=digits, text={"percent": percent})
