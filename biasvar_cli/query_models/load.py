"""A request for query models: every file beside the true model, one at a time, so that memory holds two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasvar_cli.arrays import BoolArray
from biasvar_cli.errors import DataError, DataErrors, warn
from biasvar_cli.query_models.estimation import Estimation
from biasvar_cli.query_models.measured import Measure, Measured, fault_of
from biasvar_cli.query_models.oddities import warn_of_models
from biasvar_cli.query_models.request import ModelRequest
from biasvar_cli.readers.listing import expand, warn_of_idle_patterns
from biasvar_cli.readers.query_models.rows import model_name
from biasvar_cli.readers.sources import Source, read_bytes
from biasvar_cli.words import counted, examples

Progress = Callable[[Iterable[Any], int], Iterable[Any]]


@dataclass(frozen=True, eq=False)
class Loaded:
    """The estimation under every setting, and under those ``beside``.

    ``no_feedback`` are the queries that fell back to the original one, None where no original model is named;
    ``n_excluded`` says how many queries were left out.
    """

    estimations: tuple[Estimation, ...]
    beside: tuple[Estimation, ...]
    background: str | None
    original: str | None
    no_feedback: tuple[str, ...] | None
    no_feedback_excluded: bool
    n_excluded: int


def load_models(request: ModelRequest, *, progress: Progress | None = None) -> Loaded:
    """Read every model beside the true one and measure its error on every query under every setting.

    Raises `DataErrors` with the first error of every file that has one; issues a `DataWarning` for what is odd.
    """
    sources = _sources(request)
    try:
        measure = Measure(request, sources)
    except DataError as error:
        _require_none([error, *map(fault_of, sources)])
        raise
    found = list(progress(map(measure, sources), len(sources)) if progress else map(measure, sources))
    _require_none(found)
    warn_of_idle_patterns(request.inputs, request.selection)
    models = {source.name: each for source, each in zip(sources, found, strict=True) if isinstance(each, Measured)}
    without = _without_feedback(models, measure.true.queries, request.original)
    kept = _kept(request, measure.true.queries, without)
    warn_of_models(models, kept, request.background, measure.lacking)
    every = (*request.settings, *request.beside)
    found_under = [_estimation(models, measure.true.queries, kept, place, request) for place in range(len(every))]
    n_shown = len(request.settings)
    return Loaded(
        tuple(found_under[:n_shown]),
        tuple(found_under[n_shown:]),
        request.background,
        request.original,
        without,
        request.exclude_no_feedback,
        int((~kept).sum()),
    )


def _require_none(found: Sequence[Measured | DataError | None]) -> None:
    """Raise the errors that were found, all together."""
    wrong = list({str(each): each for each in found if isinstance(each, DataError)}.values())
    if wrong:
        raise wrong[0] if len(wrong) == 1 else DataErrors(wrong)


def _sources(request: ModelRequest) -> list[Source]:
    """The files of the models, by name, without those that the request names for something else."""
    listed = [Source(model_name(each.path), each.path) for each in expand(request.inputs, request.selection)]
    named = (request.true, request.background, request.excluded, *request.other_files)
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


def _estimation(
    models: dict[str, Measured], queries: tuple[str, ...], kept: BoolArray, place: int, request: ModelRequest
) -> Estimation:
    """The estimation under one setting on the queries that are kept."""
    every = list(models.values())
    return Estimation(
        (*request.settings, *request.beside)[place],
        tuple(models),
        tuple(query for query, keep in zip(queries, kept, strict=True) if keep),
        np.array([each.errors[place][kept] for each in every]),
        np.array([each.unseen[kept].mean() for each in every]),
        np.array([each.n_terms[kept].mean() for each in every]),
        model_name(request.true),
        request.sum,
    )


def _without_feedback(
    models: dict[str, Measured], queries: tuple[str, ...], original: str | None
) -> tuple[str, ...] | None:
    """The queries on which some model is the original one; None where no original model is named.

    A model that is the original on more than half of the queries that it has is a copy and counts for none.
    """
    if original is None:
        return None
    copies = [name for name, each in models.items() if each.original.sum() > (~each.empty).sum() / 2]
    others = [name for name in copies if name != original]
    if others:
        warn(
            f"{counted(len(others), 'model')} equal to {original} on more than half of its queries, taken to be a copy "
            f"and not to show which queries have no feedback: {examples(others)}"
        )
    fell_back = np.zeros(len(queries), dtype=bool)
    for name, each in models.items():
        if name not in copies:
            fell_back |= each.original
    return tuple(query for query, fell in zip(queries, fell_back, strict=True) if fell)


def _kept(request: ModelRequest, queries: tuple[str, ...], without: tuple[str, ...] | None) -> BoolArray:
    """Which queries are evaluated. Raises `DataError` where none is left."""
    left_out = set(without or ()) if request.exclude_no_feedback else set()
    if request.excluded is not None:
        left_out |= set(_listed(request.excluded, queries, request.max_size))
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
