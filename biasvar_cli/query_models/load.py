"""A request for query models: every file beside the true model, one at a time, so that memory holds two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasvar_cli.arrays import SINGLE_ROUNDING, BoolArray, FloatArray, IntArray
from biasvar_cli.errors import DataError, DataErrors, UsageError, absent_run, reading, warn
from biasvar_cli.query_models.divergence import Setting
from biasvar_cli.query_models.estimation import Estimation, Sum, errors, unseen_mass
from biasvar_cli.query_models.model import QueryModel, Terms
from biasvar_cli.readers.listing import Selection, expand
from biasvar_cli.readers.query_models.background import read_background
from biasvar_cli.readers.query_models.read import read_model
from biasvar_cli.readers.query_models.rows import ModelRows, model_name
from biasvar_cli.readers.sources import Source, read_bytes
from biasvar_cli.scores import natural_order
from biasvar_cli.words import counted, examples

Progress = Callable[[Iterable[Any], int], Iterable[Any]]


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """Which query models to compare with which true one, as the user asked for it; paths and names as typed.

    ``original`` is the model of the original query, with which models are compared to find the queries without
    feedback; ``without_feedback`` is ``exclude`` to leave those queries out. ``excluded`` is a file that lists queries
    to be left out.
    """

    inputs: tuple[str, ...]
    true: str
    background: str | None
    settings: tuple[Setting, ...]
    sum: Sum = "squared"
    original: str | None = None
    exclude_no_feedback: bool = False
    excluded: str | None = None
    glob: str | None = None
    max_size: int | None = None


@dataclass(frozen=True, eq=False)
class Loaded:
    """The estimation under every setting; ``no_feedback`` are the queries that fell back to the original one.

    ``no_feedback`` is None where no original model is named; ``excluded`` says how many queries were left out.
    """

    estimations: tuple[Estimation, ...]
    background: str | None
    original: str | None
    no_feedback: tuple[str, ...] | None
    no_feedback_excluded: bool
    n_excluded: int


@dataclass(frozen=True, eq=False)
class _Measured:
    """What is kept of a model: its errors (n_settings, n_queries), three vectors (n_queries,), and what was odd."""

    errors: FloatArray
    unseen: FloatArray
    n_terms: FloatArray
    empty: BoolArray
    original: BoolArray
    lacking: tuple[str, ...]
    n_twice: int
    n_other: int


class _Measure:
    """The true model and what models are measured by; called with a source, measures the model in it."""

    def __init__(self, request: ModelRequest, sources: Sequence[Source]) -> None:
        rows = read_model(request.true, max_size=request.max_size)
        counts = None if request.background is None else read_background(request.background, max_size=request.max_size)
        original = self._original_rows(request, sources)
        self.terms = Terms.of(counts, rows, *([original] if original is not None else []))
        self._request = request
        named = natural_order(dict.fromkeys(rows.queries))
        self.true = QueryModel.of(rows, named, self.terms)
        if self.true.empty.any():
            bare = [query for query, empty in zip(named, self.true.empty, strict=True) if empty]
            warn(f"{request.true}: {counted(len(bare), 'query')} without a term left out: {examples(bare)}")
            self.true = QueryModel.of(rows, [query for query in named if query not in set(bare)], self.terms)
        self.lacking = self._lacking(self.true)
        self._original = self._model(original) if original is not None else None

    @staticmethod
    def _original_rows(request: ModelRequest, sources: Sequence[Source]) -> ModelRows | None:
        """The model of the original query, None where none is named."""
        if request.original is None:
            return None
        path = next((source.path for source in sources if source.name == request.original), None)
        if path is None:
            raise absent_run(
                f"--original {request.original}", request.original, [each.name for each in sources], "model"
            )
        return read_model(path, max_size=request.max_size)

    def __call__(self, source: Source) -> _Measured | DataError:
        """What is to be known of a model, or what is wrong with its file."""
        try:
            with reading(source.path):
                rows = read_model(source.path, max_size=self._request.max_size)
                model = self._model(rows)
        except DataError as error:
            return error
        return _Measured(
            errors(self.true, model, self.terms, self._request.settings),
            unseen_mass(self.true, model),
            model.n_terms.astype(np.float64),
            model.empty,
            self._is_original(model),
            self._lacking(model),
            model.n_twice,
            len(set(rows.queries) - set(self.true.queries)),
        )

    def _model(self, rows: ModelRows) -> QueryModel:
        """The model on the queries of the true one. Raises `DataError` where it has none of them."""
        queries = self.true.queries
        if set(queries).isdisjoint(rows.queries):
            there = examples(natural_order(set(rows.queries)))
            raise DataError(
                f"the model has none of the queries of the true model ({examples(queries)}); it has {there}",
                path=rows.path,
            )
        return QueryModel.of(rows, queries, self.terms)

    def _lacking(self, model: QueryModel) -> tuple[str, ...]:
        """The terms of a model that the background has not."""
        if self.terms.background is None:
            return ()
        known = len(self.terms.background)
        of_true = {number: term for term, number in self.terms.number.items() if number >= known}
        return (*model.lacking, *(of_true[each] for each in set(model.term.tolist()) & of_true.keys()))

    def _is_original(self, model: QueryModel) -> BoolArray:
        """On which queries a model is the original query: the same terms and weights, up to six digits."""
        original, n_queries = self._original, len(self.true.queries)
        if original is None:
            return np.zeros(n_queries, dtype=bool)
        both = _common(original, model)
        same = np.bincount(both, minlength=n_queries)
        return np.asarray((same == original.n_terms) & (same == model.n_terms) & ~model.empty)


def _common(one: QueryModel, other: QueryModel) -> IntArray:
    """The queries of the terms that two models have with the same weight up to six digits, one for each term."""
    at = np.minimum(np.searchsorted(one.key, other.key), len(one.key) - 1)
    alike = (one.key[at] == other.key) & (np.abs(one.probability[at] - other.probability) <= SINGLE_ROUNDING)
    found: IntArray = other.query[alike]
    return found


def load_models(request: ModelRequest, *, progress: Progress | None = None) -> Loaded:
    """Read every model beside the true one and measure its error on every query under every setting.

    Raises `DataErrors` with the first error of every file that has one; issues a `DataWarning` for what is odd.
    """
    sources = _sources(request)
    measure = _Measure(request, sources)
    found = list(progress(map(measure, sources), len(sources)) if progress else map(measure, sources))
    wrong = [each for each in found if isinstance(each, DataError)]
    if wrong:
        raise wrong[0] if len(wrong) == 1 else DataErrors(wrong)
    models = {source.name: each for source, each in zip(sources, found, strict=True) if isinstance(each, _Measured)}
    _warn_of(models, measure, request)
    without = _without_feedback(models, measure.true.queries) if request.original is not None else None
    kept = _kept(request, measure.true.queries, without)
    return Loaded(
        tuple(
            _estimation(models, measure.true.queries, kept, place, request) for place in range(len(request.settings))
        ),
        request.background,
        request.original,
        without,
        request.exclude_no_feedback,
        int((~kept).sum()),
    )


def _sources(request: ModelRequest) -> list[Source]:
    """The files of the models, by name, without the true one's and the background's own."""
    listed = [Source(model_name(each.path), each.path) for each in expand(request.inputs, Selection(glob=request.glob))]
    own = {Source("", path).identity for path in (request.true, request.background) if path is not None}
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
    models: dict[str, _Measured], queries: tuple[str, ...], kept: BoolArray, place: int, request: ModelRequest
) -> Estimation:
    """The estimation under one setting on the queries that are kept."""
    every = list(models.values())
    return Estimation(
        request.settings[place],
        tuple(models),
        tuple(query for query, keep in zip(queries, kept, strict=True) if keep),
        np.array([each.errors[place][kept] for each in every]),
        np.array([each.unseen[kept].mean() for each in every]),
        np.array([each.n_terms[kept].mean() for each in every]),
        model_name(request.true),
        request.sum,
    )


def _without_feedback(models: dict[str, _Measured], queries: tuple[str, ...]) -> tuple[str, ...]:
    """The queries on which some model is the original query, though it is not so on all."""
    fell_back = np.zeros(len(queries), dtype=bool)
    for each in models.values():
        if not each.original.all():
            fell_back |= each.original
    return tuple(query for query, fell in zip(queries, fell_back, strict=True) if fell)


def _kept(request: ModelRequest, queries: tuple[str, ...], without: tuple[str, ...] | None) -> BoolArray:
    """Which queries are evaluated. Raises `DataError` where none is left."""
    if request.exclude_no_feedback and without is None:
        raise UsageError("--exclude-no-feedback needs --original MODEL, the model that such queries fall back to")
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


def _warn_of(models: dict[str, _Measured], measure: _Measure, request: ModelRequest) -> None:
    """Warn of what is odd in the models, once for each kind."""
    _of_models(models, lambda each: int(each.empty.sum()), "query", "without a term, estimated by the background alone")
    _of_models(models, lambda each: each.n_twice, "term", "given twice for a query, weights summed")
    _of_models(models, lambda each: each.n_other, "query", "outside the true model's left out")
    _of_models(models, lambda each: 0 if each.errors.any() else 1, "", "the same as the true model: every error is 0")
    lacking = Counter(term for each in models.values() for term in set(each.lacking)) | Counter(measure.lacking)
    if lacking:
        warn(
            f"{request.background}: {counted(len(lacking), 'term')} of the models not in the background, taken to be "
            f"as likely as its least likely: {examples(sorted(lacking))}"
        )
    unseen = [name for name, each in models.items() if each.unseen.mean() > 0.5]
    if unseen:
        warn(
            f"{counted(len(unseen), 'model')} without the terms of more than half of the true model's mass "
            f"({examples(unseen)}): see unseen; are all terms made by the same analyser and stemmer?"
        )


def _of_models(models: dict[str, _Measured], number: Callable[[_Measured], int], noun: str, what: str) -> None:
    """Warn of something that some models have so many of; without a noun, that they are so."""
    found = {name: count for name, each in models.items() if (count := number(each))}
    if not found:
        return
    words = [f"{name} ({counted(count, noun)})" if noun else name for name, count in found.items()]
    of = plural_of(noun, what)
    warn(f"{counted(len(found), 'model')} {of}: {examples(words)}")


def plural_of(noun: str, what: str) -> str:
    """What is odd, as a warning says it."""
    return f"with {'queries' if noun == 'query' else 'terms'} {what}" if noun else what
