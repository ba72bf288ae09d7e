"""A request for query models: every file beside the true model, one at a time, so that memory holds two of them.

Each query model is measured against the true one, and what is odd in it is reported.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from biasvar_cli import progress
from biasvar_cli.arrays import SINGLE_ROUNDING, BoolArray, FloatArray, IntArray
from biasvar_cli.errors import DataError, full_name, raise_all, reading, warn
from biasvar_cli.query_models import ModelRequest
from biasvar_cli.query_models.estimation import Estimation, QueryModel, Terms, errors, unseen_mass
from biasvar_cli.readers.listing import expand, or_excluded, warn_of_idle_patterns
from biasvar_cli.readers.query_models import read_model
from biasvar_cli.readers.query_models.rows import ModelRows
from biasvar_cli.readers.query_models.tables import read_background
from biasvar_cli.readers.sources import Source, model_name, read_bytes
from biasvar_cli.readers.text import quoted
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.words import argument, counted, examples, verb

_LEAST_PRODUCT = 1e-280  # of epsilon and a probability: far above what a double rounds to 0


@dataclass(frozen=True, eq=False)
class _Measured:
    """A model as measured: its errors (n_settings, n_queries), vectors (n_queries,), and what was odd.

    ``missing`` is the mass of the true model on terms that the model lacks, ``sizes`` how many terms the model has.
    ``lacking`` has the terms that are not in the background, by the index of the query; ``n_other`` is how many of its
    queries the true model lacks.
    """

    errors: FloatArray
    missing: FloatArray
    sizes: FloatArray
    empty: BoolArray
    original: BoolArray
    n_twice: IntArray
    lacking: Mapping[int, Sequence[str]]
    n_other: int


class Measure:
    """The true model and the settings of the measurement; called with a source, it measures the model in it."""

    def __init__(self, request: ModelRequest, sources: Sequence[Source]) -> None:
        self._request = request
        rows = read_model(request.true, max_size=request.max_size)
        counts = None if request.background is None else read_background(request.background, max_size=request.max_size)
        original = None
        if request.original is not None:
            (path,) = (source.path for source in sources if source.name == request.original)
            original = read_model(path, max_size=request.max_size)
        self._rows_of_original = original
        self.terms = Terms.of(counts, rows, *([original] if original is not None else []))
        named = natural_order(dict.fromkeys(rows.queries))
        self.true = QueryModel.of(rows, named, self.terms)
        if self.true.empty.any():
            bare = [query for query, empty in zip(named, self.true.empty, strict=True) if empty]
            few = f"{counted(len(bare), 'query')} {verb(len(bare), 'has', 'have')} no term"
            warn(f"{request.true}: {few} and {verb(len(bare), 'is', 'are')} left out: {examples(bare)}")
            self.true = QueryModel.of(rows, [query for query in named if query not in set(bare)], self.terms)
        self._require_numbers()
        self.lacking = self._lacking(self.true)
        self._original = self._model(original) if original is not None else None

    def _require_numbers(self) -> None:
        """Raise `DataError` where smoothing would multiply to 0: a term that is too rare for the epsilon."""
        epsilons = [setting.epsilon for setting in self._request.settings if setting.epsilon is not None]
        if not epsilons:
            return
        known = self.terms.background
        least = float(known.min()) if known is not None else 1.0
        if least * min(epsilons) < _LEAST_PRODUCT:
            what = f"with epsilon {min(epsilons):g} the numbers are too small to be computed"
            what = f"{what}; give a larger {argument('epsilon')}"
            if known is not None:
                rare = next(term for term, number in self.terms.number.items() if number == int(known.argmin()))
                what = f"term {quoted(rare)} has a share of {least:.3g} of all counts: {what}, or leave the term out"
            raise DataError(what, path=self._request.background)

    def __call__(self, source: Source) -> _Measured | DataError:
        """The model as measured, or what is wrong with its file."""
        try:
            with reading(source.path):
                rows = self._rows_of_original  # which has been read already, maybe from standard input
                if rows is None or rows.path != source.path:
                    rows = read_model(source.path, max_size=self._request.max_size)
                model = self._model(rows)
        except DataError as error:
            return error
        return _Measured(
            errors(self.true, model, self.terms, (*self._request.settings, *self._request.beside)),
            unseen_mass(self.true, model),
            model.sizes.astype(np.float64),
            model.empty,
            self._is_original(model),
            model.n_twice,
            self._lacking(model),
            len(set(rows.queries) - set(self.true.queries)),
        )

    def _model(self, rows: ModelRows) -> QueryModel:
        """The model on the queries of the true one. Raises `DataError` where it has none of them."""
        queries = self.true.queries
        if set(queries).isdisjoint(rows.queries):
            there = f"({examples(queries)}); it has {examples(natural_order(set(rows.queries)))}"
            raise DataError(f"the model has none of the queries of the true model {there}", path=rows.path)
        return QueryModel.of(rows, queries, self.terms)

    def _lacking(self, model: QueryModel) -> dict[int, list[str]]:
        """The terms of a model that are not in the background, by the index of the query."""
        lacking: dict[int, list[str]] = {}
        if self.terms.background is not None:
            names, beyond = [*self.terms.number, *model.lacking], model.term >= len(self.terms.background)
            for index, number in zip(model.query[beyond].tolist(), model.term[beyond].tolist(), strict=True):
                lacking.setdefault(index, []).append(names[number])
        return lacking

    def _is_original(self, model: QueryModel) -> BoolArray:
        """The queries on which a model is the original query: the same terms and weights, up to six digits."""
        original = self._original
        if original is None or not len(original.key):
            return np.zeros(len(self.true.queries), dtype=bool)
        at = np.minimum(np.searchsorted(original.key, model.key), len(original.key) - 1)
        differences = np.abs(original.probability[at] - model.probability)
        alike = (original.key[at] == model.key) & (differences <= SINGLE_ROUNDING)
        same = np.bincount(model.query[alike], minlength=len(self.true.queries))
        return np.asarray((same == original.sizes) & (same == model.sizes) & ~model.empty)


def _fault_of(source: Source) -> DataError | None:
    """What is wrong with a file, where nothing can be measured."""
    try:
        with reading(source.path):
            read_model(source.path)
    except DataError as error:
        return error
    return None


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


def load_models(request: ModelRequest) -> QueryModels:
    """Read every model beside the true one and measure its error on every query under every setting.

    Raises `DataErrors` with the first error of every file that has one; issues a `DataWarning` for what is odd.
    """
    sources = _sources(request)
    try:
        if request.original is not None:
            names = [source.name for source in sources]
            request = replace(
                request, original=full_name(argument(original=request.original), request.original, names, "model")
            )
        measure = Measure(request, sources)
    except DataError as error:
        _require_none([error, *map(_fault_of, sources)], sources)
        raise
    measured = list(progress.counting("models", map(measure, sources), len(sources)))
    _require_none(measured, sources)
    warn_of_idle_patterns(request.inputs, request.selection)
    models = {
        source.name: model for source, model in zip(sources, measured, strict=True) if isinstance(model, _Measured)
    }
    queries = measure.true.queries
    without = _without_feedback(models, queries, request.original)
    evaluated = _evaluated(request, queries, without)
    _warn_of_models(models, evaluated, request.background, measure.lacking)
    estimations = [
        Estimation(
            setting,
            tuple(models),
            tuple(query for query, keep in zip(queries, evaluated, strict=True) if keep),
            np.array([model.errors[index][evaluated] for model in models.values()]),
            np.array([model.missing[evaluated].mean() for model in models.values()]),
            np.array([model.sizes[evaluated].mean() for model in models.values()]),
            model_name(request.true),
            request.sum,
        )
        for index, setting in enumerate((*request.settings, *request.beside))
    ]
    n_settings = len(request.settings)
    return QueryModels(
        request, tuple(estimations[:n_settings]), tuple(estimations[n_settings:]), without, int((~evaluated).sum())
    )


def _require_none(results: Sequence[_Measured | DataError | None], sources: Sequence[Source]) -> None:
    """Raise the errors among some results, all together; those of ``sources`` of no known format name ``--exclude``."""
    paths = [source.path for source in sources]
    faults = {str(error): error for error in results if isinstance(error, DataError)}.values()
    raise_all([or_excluded(error, str(error.path), len(paths) * (error.path in paths)) for error in faults])


def _sources(request: ModelRequest) -> list[Source]:
    """The files of the models, by name, without those that the request names for something else."""
    listed = [Source(model_name(source.path), source.path) for source in expand(request.inputs, request.selection)]
    named = (request.true, request.background, request.exclude_queries, *request.other_files)
    others = {Source("", path).identity for path in named if path is not None}
    sources = sorted(source for source in listed if source.identity not in others)
    if not sources:
        raise DataError("none of the inputs is a query model beside the true one")
    owner: dict[str, str] = {}
    for source in sources:
        if source.name in owner:
            both = f"{owner[source.name]} and {source.path}"
            raise DataError(f"two models are called {source.name}: {both}; rename one of them")
        owner[source.name] = source.path
    return sources


def _without_feedback(
    models: dict[str, _Measured], queries: tuple[str, ...], original: str | None
) -> tuple[str, ...] | None:
    """The queries on which some model is the original one; None where no original model is named.

    A model that is the original on more than half of the queries that it has is a copy and counts for none.
    """
    if original is None:
        return None
    copies = [name for name, model in models.items() if model.original.sum() > (~model.empty).sum() / 2]
    others = [name for name in copies if name != original]
    if others:
        few = f"{counted(len(others), 'model')} {verb(len(others), 'equals', 'equal')} {original}"
        count = verb(len(others), "it counts as a copy", "they count as copies")
        why = f"which does not show the queries without feedback: {examples(others)}"
        warn(f"{few} on more than half of the queries; {count}, {why}")
    fell_back = np.zeros(len(queries), dtype=bool)
    for name, model in models.items():
        if name not in copies:
            fell_back |= model.original
    return tuple(query for query, fell in zip(queries, fell_back, strict=True) if fell)


def _evaluated(request: ModelRequest, queries: tuple[str, ...], without: tuple[str, ...] | None) -> BoolArray:
    """Which queries are evaluated. Raises `DataError` where none is left, and for one to exclude that is not there."""
    left_out = set(without or ()) if request.exclude_no_feedback else set()
    if request.exclude_queries is not None:
        content = read_bytes(request.exclude_queries, max_size=request.max_size)
        for number, line in enumerate(content.splitlines(), 1):
            words = line.decode("utf-8", "replace").split()
            if words and not words[0].startswith("#"):
                if words[0] not in queries:
                    what = f"query {words[0]} is not in the true model, whose queries are {examples(queries)}"
                    raise DataError(what, path=request.exclude_queries, line=number)
                left_out.add(words[0])
    evaluated = np.array([query not in left_out for query in queries])
    if not evaluated.any():
        raise DataError("every query is left out; nothing can be evaluated")
    return evaluated


def _warn_of_models(
    models: Mapping[str, _Measured], evaluated: BoolArray, background: str | None, lacking: Mapping[int, Sequence[str]]
) -> None:
    """Warn of what is odd in models by name on the queries that are evaluated, (n_queries,).

    ``lacking`` are the terms of the true model that are not in the background, by the index of the query.
    """
    empty = {name: int(model.empty[evaluated].sum()) for name, model in models.items()}
    _warn_of_some(empty, "query", "no term for a query; the background alone is the estimate there (error 1 under js)")
    twice = {name: int(model.n_twice[evaluated].sum()) for name, model in models.items()}
    _warn_of_some(twice, "term", "terms that are given twice for a query; their weights are summed")
    others = {name: model.n_other for name, model in models.items()}
    _warn_of_some(others, "query", "queries that are not in the true model; these are left out")
    same = [name for name, model in models.items() if not model.errors[:, evaluated].any()]
    if same:
        few = f"{counted(len(same), 'model')} {verb(len(same), 'equals', 'equal')} the true model"
        warn(f"{few} and {verb(len(same), 'has', 'have')} no error: {examples(same)}")
    absent = {
        term
        for by_query in (lacking, *(model.lacking for model in models.values()))
        for index, terms in by_query.items()
        if evaluated[index]
        for term in terms
    }
    if absent:
        few = f"{counted(len(absent), 'term')} of the models {verb(len(absent), 'is', 'are')} not in the background"
        likely = f"{verb(len(absent), 'counts', 'count')} as likely as its least likely term"
        warn(f"{background}: {few} and {likely}: {examples(sorted(absent))}")
    unseen = [name for name, model in models.items() if model.missing[evaluated].mean() > _MUCH]
    if unseen:
        few = f"{counted(len(unseen), 'model')} {verb(len(unseen), 'lacks', 'lack')} the terms"
        mass = f"of more than half of the true model's mass (unseen): {examples(unseen)}"
        warn(f"{few} {mass}; check that all models use the same analyser and stemmer")


def _warn_of_some(counts: Mapping[str, int], noun: str, what: str) -> None:
    """Warn of the models that have some of what is counted."""
    words = [f"{name} ({counted(number, noun)})" for name, number in counts.items() if number]
    if words:
        warn(f"{counted(len(words), 'model')} {verb(len(words), 'has', 'have')} {what}: {examples(words)}")
