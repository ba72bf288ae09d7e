"""One query model measured against the true one, and what is odd in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import SINGLE_ROUNDING, BoolArray, FloatArray, IntArray
from biasvar_cli.errors import DataError, absent_run, reading, warn
from biasvar_cli.query_models.estimation import errors, unseen_mass
from biasvar_cli.query_models.model import QueryModel, Terms
from biasvar_cli.query_models.request import ModelRequest
from biasvar_cli.readers.listing import or_excluded, read_listed
from biasvar_cli.readers.query_models.read import NoModel, parse_model, read_model
from biasvar_cli.readers.query_models.rows import ModelRows
from biasvar_cli.readers.query_models.tsv import read_background
from biasvar_cli.readers.sources import Source
from biasvar_cli.readers.text import shown
from biasvar_cli.scores import natural_order
from biasvar_cli.words import counted, examples

_LEAST_PRODUCT = 1e-280  # of epsilon and a probability: far above what a double rounds to 0


@dataclass(frozen=True, eq=False)
class Measured:
    """What is kept of a model: its errors (n_settings, n_queries), vectors (n_queries,), and what was odd.

    ``lacking`` has the terms that the background has not, by the place of the query; ``n_other`` is how many queries
    the true model lacks.
    """

    errors: FloatArray
    unseen: FloatArray
    n_terms: FloatArray
    empty: BoolArray
    original: BoolArray
    n_twice: IntArray
    lacking: Mapping[int, Sequence[str]]
    n_other: int


class Measure:
    """The true model and what models are measured by; called with a source, measures the model in it."""

    def __init__(self, request: ModelRequest, sources: Sequence[Source]) -> None:
        self._request = request
        rows = read_model(request.true, max_size=request.max_size)
        counts = None if request.background is None else read_background(request.background, max_size=request.max_size)
        original = self._original_rows(request, sources)
        self._rows_of_original = original
        self.terms = Terms.of(counts, rows, *([original] if original is not None else []))
        named = natural_order(dict.fromkeys(rows.queries))
        self.true = QueryModel.of(rows, named, self.terms)
        if self.true.empty.any():
            bare = [query for query, empty in zip(named, self.true.empty, strict=True) if empty]
            warn(f"{request.true}: {counted(len(bare), 'query')} without a term left out: {examples(bare)}")
            self.true = QueryModel.of(rows, [query for query in named if query not in set(bare)], self.terms)
        n_known = 0 if self.terms.background is None else len(self.terms.background)
        self._beside = {number: term for term, number in self.terms.number.items() if number >= n_known}
        self._require_numbers()
        self.lacking = self._lacking(self.true)
        self._original = self._model(original) if original is not None else None

    def _require_numbers(self) -> None:
        """Raise `DataError` where smoothing would multiply to 0: a term that is too rare for the epsilon."""
        epsilons = [each.epsilon for each in self._request.settings if each.epsilon is not None]
        if not epsilons:
            return
        known = self.terms.background
        least = float(known.min()) if known is not None else 1.0
        if least * min(epsilons) < _LEAST_PRODUCT:
            what = f"with epsilon {min(epsilons):g} the numbers are too small to be computed; give a larger --epsilon"
            if known is not None:
                rare = next(term for term, number in self.terms.number.items() if number == int(known.argmin()))
                what = f"term {shown(rare)} has a share of {least:.3g} of all counts: {what}, or leave the term out"
            raise DataError(what, path=self._request.background)

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

    def __call__(self, source: Source) -> Measured | DataError:
        """What is to be known of a model, or what is wrong with its file."""
        try:
            with reading(source.path):
                rows = self._read(source)
                model = self._model(rows)
        except DataError as error:
            return error
        return Measured(
            errors(self.true, model, self.terms, (*self._request.settings, *self._request.beside)),
            unseen_mass(self.true, model),
            model.n_terms.astype(np.float64),
            model.empty,
            self._is_original(model),
            model.n_twice,
            self._lacking(model),
            len(set(rows.queries) - set(self.true.queries)),
        )

    def _read(self, source: Source) -> ModelRows:
        """The rows of a model; the original one has been read already, maybe from standard input."""
        known = self._rows_of_original
        if known is not None and known.path == source.path:
            return known
        return _rows_of(source, self._request.max_size)

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

    def _lacking(self, model: QueryModel) -> dict[int, list[str]]:
        """The terms of a model that the background has not, by the place of the query."""
        found: dict[int, list[str]] = {}
        if self.terms.background is not None:
            beyond, n_shared = model.term >= len(self.terms.background), len(self.terms.number)
            for place, number in zip(model.query[beyond].tolist(), model.term[beyond].tolist(), strict=True):
                name = self._beside[number] if number < n_shared else model.lacking[number - n_shared]
                found.setdefault(place, []).append(name)
        return found

    def _is_original(self, model: QueryModel) -> BoolArray:
        """On which queries a model is the original query: the same terms and weights, up to six digits."""
        original, n_queries = self._original, len(self.true.queries)
        if original is None:
            return np.zeros(n_queries, dtype=bool)
        both = _common(original, model)
        same = np.bincount(both, minlength=n_queries)
        return np.asarray((same == original.n_terms) & (same == model.n_terms) & ~model.empty)


def fault_of(source: Source) -> DataError | None:
    """What is wrong with a file, where nothing can be measured."""
    try:
        with reading(source.path):
            _rows_of(source, None)
    except DataError as error:
        return error
    return None


def _rows_of(source: Source, max_size: int | None) -> ModelRows:
    """The rows of one of the INPUTS. The error of what is no model names ``--exclude``."""
    try:
        return parse_model(read_listed(source, max_size), source.path)
    except NoModel as error:
        raise DataError(f"{error}{or_excluded(source.path)}") from None


def _common(one: QueryModel, other: QueryModel) -> IntArray:
    """The queries of the terms that two models have with the same weight up to six digits, one for each term."""
    if not len(one.key):
        return one.query
    at = np.minimum(np.searchsorted(one.key, other.key), len(one.key) - 1)
    alike = (one.key[at] == other.key) & (np.abs(one.probability[at] - other.probability) <= SINGLE_ROUNDING)
    found: IntArray = other.query[alike]
    return found
