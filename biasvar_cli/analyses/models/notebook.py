"""``bv.models``: query models in a notebook."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from biasvar_cli.analyses.models import EstimationRequest
from biasvar_cli.analyses.models.answer import answer
from biasvar_cli.notebook.arguments import warning_there, with_settings
from biasvar_cli.notebook.memory import JUDGMENTS, Judgments, Path, path_of, paths
from biasvar_cli.notebook.results import Result, only
from biasvar_cli.notebook.scores import ScoresLike, measure_names, scores_from
from biasvar_cli.query_models import ModelRequest
from biasvar_cli.query_models.load import load_models
from biasvar_cli.readers.maps import families_named
from biasvar_cli.settings import requested

_RUNS = "the runs"  # what the request calls those in memory


@warning_there
@with_settings(ModelRequest, EstimationRequest)
def models(
    inputs: Path | Iterable[Path],
    true: Path,
    *,
    background: Path | None = None,
    exclude_queries: Path | None = None,
    glob: str | None = None,
    exclude: str | Sequence[str] = (),
    recursive: bool = False,
    max_size: int | None = None,
    families: str | None = None,
    runs: ScoresLike | None = None,
    qrels: Judgments | None = None,
    measure: object | None = None,
    jobs: int | None = None,
    settings: Mapping[str, Any],
) -> Result:
    """Estimation bias², variance and total error of query models: how far they are from the true model (IPM'14).

    ``inputs`` are files of query models, or folders of them, ``true`` is the file of the true model, ``background`` one
    of counts of terms for smoothing. ``runs`` are the scores of runs with the names of the models, in any form that
    `decompose` takes, whose performance is shown beside the estimation. ``families`` is a csv of run,family or a
    pattern of names, and ``frame("families")`` has a row for each of them.
    """
    named = families_named(families) if families is not None else None
    files = {"true": true, "background": background, "exclude_queries": exclude_queries}
    model_request = requested(
        ModelRequest,
        settings,
        inputs=paths(inputs, "inputs", "a list of them"),
        compare_epsilons=True,
        other_files=() if families is None or isinstance(named, str) else (families,),
        **{name: None if path is None else path_of(path, name) for name, path in files.items()},
    )
    request = requested(
        EstimationRequest,
        settings,
        runs=() if runs is None else (_RUNS,),
        qrels=None if qrels is None else JUDGMENTS,
        measure=() if measure is None else measure_names(measure),
        jobs=1,
    )
    performance = None
    if runs is not None:
        loaded = scores_from(runs, measure, qrels, {} if jobs is None else {"jobs": jobs})
        performance = only(loaded.track.scored, "measures")
    answers = answer(load_models(model_request), request, members=named, runs=performance)
    tables = ("models",) if families is None else ("models", "families")
    return Result.from_answers("models", answers, tables)
