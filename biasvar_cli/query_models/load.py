"""A request for query models: every file beside the true model, one at a time, so that memory holds two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasvar_cli.arrays import BoolArray
from biasvar_cli.errors import DataError, DataErrors, warn
from biasvar_cli.query_models.estimation import Estimation
from biasvar_cli.query_models.measured import Measure, Measured, fault_of
from biasvar_cli.query_models.request import ModelRequest
from biasvar_cli.readers.listing import expand, warn_of_idle_patterns
from biasvar_cli.readers.query_models.rows import model_name
from biasvar_cli.readers.sources import Source, read_bytes
from biasvar_cli.words import counted, examples

Progress = Callable[[Iterable[Any], int], Iterable[Any]]

_MUCH = 0.5  # of the true model's mass, on terms that a model lacks


@dataclass(frozen=True, eq=False)
class QueryModels:
    """Query models as loaded: the estimation under every setting, and under those ``beside``.

    ``no_feedback`` are the queries that fell back to the original one, None where no original model is named;
    ``n_excluded`` says how many queries were left out.
    """

    request: ModelRequest
    estimations: tuple[Estimation, ...]
    beside: tuple[Estimation, ...]
    no_feedback: tuple[str, ...] | None
    n_excluded: int


def load_models(request: ModelRequest, *, progress: Progress | None = None) -> QueryModels:
    """Read every model beside the true one and measure its error on every query under every setting.

    Raises `DataErrors` with the first error of every file that has one; issues a `DataWarning` for what is odd.
    """
    sources = _sources(request)
    try:
        measure = Measure(request, sources)
    except DataError as error:
        _require_none([error, *map(fault_of, sources)])
        raise
    measured = list(progress(map(measure, sources), len(sources)) if progress else map(measure, sources))
    _require_none(measured)
    warn_of_idle_patterns(request.inputs, request.selection)
    models = {
        source.name: model for source, model in zip(sources, measured, strict=True) if isinstance(model, Measured)
    }
    queries = measure.true.queries
    without = _without_feedback(models, queries, request.original)
    kept = _kept(request, queries, without)
    _warn_of_models(models, kept, request.background, measure.lacking)
    estimations = [
        Estimation(
            setting,
            tuple(models),
            tuple(query for query, keep in zip(queries, kept, strict=True) if keep),
            np.array([model.errors[place][kept] for model in models.values()]),
            np.array([model.missing[kept].mean() for model in models.values()]),
            np.array([model.sizes[kept].mean() for model in models.values()]),
            model_name(request.true),
            request.sum,
        )
        for place, setting in enumerate((*request.settings, *request.beside))
    ]
    n_shown = len(request.settings)
    return QueryModels(request, tuple(estimations[:n_shown]), tuple(estimations[n_shown:]), without, int((~kept).sum()))


def _require_none(results: Sequence[Measured | DataError | None]) -> None:
    """Raise the errors among some results, all together."""
    wrong = list({str(error): error for error in results if isinstance(error, DataError)}.values())
    if wrong:
        raise wrong[0] if len(wrong) == 1 else DataErrors(wrong)


def _sources(request: ModelRequest) -> list[Source]:
    """The files of the models, by name, without those that the request names for something else."""
    listed = [Source(model_name(source.path), source.path) for source in expand(request.inputs, request.selection)]
    named = (request.true, request.background, request.exclude_queries, *request.other_files)
    own = {Source("", path).identity for path in named if path is not None}
    sources = sorted(source for source in listed if source.identity not in own)
    if not sources:
        raise DataError("none of the inputs is a query model beside the true one")
    owner: dict[str, str] = {}
    for source in sources:
        if source.name in owner:
            both = f"{owner[source.name]} and {source.path}"
            raise DataError(f"two models are called {source.name}: {both}; give one another name")
        owner[source.name] = source.path
    return sources


def _without_feedback(
    models: dict[str, Measured], queries: tuple[str, ...], original: str | None
) -> tuple[str, ...] | None:
    """The queries on which some model is the original one; None where no original model is named.

    A model that is the original on more than half of the queries that it has is a copy and counts for none.
    """
    if original is None:
        return None
    copies = [name for name, model in models.items() if model.original.sum() > (~model.empty).sum() / 2]
    others = [name for name in copies if name != original]
    if others:
        warn(
            f"{counted(len(others), 'model')} equal to {original} on more than half of its queries, taken to be a copy "
            f"and not to show which queries have no feedback: {examples(others)}"
        )
    fell_back = np.zeros(len(queries), dtype=bool)
    for name, model in models.items():
        if name not in copies:
            fell_back |= model.original
    return tuple(query for query, fell in zip(queries, fell_back, strict=True) if fell)


def _kept(request: ModelRequest, queries: tuple[str, ...], without: tuple[str, ...] | None) -> BoolArray:
    """Which queries are evaluated. Raises `DataError` where none is left."""
    left_out = set(without or ()) if request.exclude_no_feedback else set()
    if request.exclude_queries is not None:
        left_out |= set(_listed(request.exclude_queries, queries, request.max_size))
    kept = np.array([query not in left_out for query in queries])
    if not kept.any():
        raise DataError("every query is left out; nothing can be evaluated")
    return kept


def _listed(path: str, queries: tuple[str, ...], max_size: int | None) -> Iterator[str]:
    """The query ids in a file, the first word of each line; each must be a query of the true model."""
    for number, line in enumerate(read_bytes(path, max_size=max_size).splitlines(), 1):
        words = line.decode("utf-8", "replace").split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] not in queries:
            what = f"query {words[0]} is none of the true model's; these are {examples(queries)}"
            raise DataError(what, path=path, line=number)
        yield words[0]


def _warn_of_models(
    models: Mapping[str, Measured], kept: BoolArray, background: str | None, lacking: Mapping[int, Sequence[str]]
) -> None:
    """Warn of what is odd in models by name on the queries that are kept, (n_queries,).

    ``lacking`` are the true model's terms that the background has not, by the place of the query.
    """
    terms = "without a term for a query, estimated there by the background alone (error 1 under js)"
    _warn_of_some({name: int(model.empty[kept].sum()) for name, model in models.items()}, "query", terms)
    twice = "with terms given twice for a query, whose weights are summed"
    _warn_of_some({name: int(model.n_twice[kept].sum()) for name, model in models.items()}, "term", twice)
    others = "with queries that the true model lacks, left out"
    _warn_of_some({name: model.n_other for name, model in models.items()}, "query", others)
    same = [name for name, model in models.items() if not model.errors[:, kept].any()]
    if same:
        warn(f"{counted(len(same), 'model')} equal to the true one, without any error: {examples(same)}")
    absent = {
        term
        for by_query in (lacking, *(model.lacking for model in models.values()))
        for place, terms in by_query.items()
        if kept[place]
        for term in terms
    }
    if absent:
        warn(
            f"{background}: {counted(len(absent), 'term')} of the models not in the background, taken to be as likely "
            f"as its least likely one: {examples(sorted(absent))}"
        )
    unseen = [name for name, model in models.items() if model.missing[kept].mean() > _MUCH]
    if unseen:
        warn(
            f"{counted(len(unseen), 'model')} without the terms of more than half of the true model's mass (unseen): "
            f"{examples(unseen)}; were all terms made by the same analyser and stemmer?"
        )


def _warn_of_some(counts: Mapping[str, int], noun: str, what: str) -> None:
    """Warn of the models that have any of something."""
    words = [f"{name} ({counted(number, noun)})" for name, number in counts.items() if number]
    if words:
        warn(f"{counted(len(words), 'model')} {what}: {examples(words)}")
