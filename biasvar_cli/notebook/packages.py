"""What other packages give as objects, by their attributes alone: runs and judgments of ranx, records of ir-measures.

Neither package is imported. Nothing that comes in is changed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard, runtime_checkable

import pandas as pd

from biasvar_cli.errors import UsageError


@runtime_checkable
class RanxRun(Protocol):
    """A ``ranx.Run``."""

    @property
    def run(self) -> Any: ...

    @property
    def name(self) -> Any: ...

    def to_dict(self) -> Any: ...


@runtime_checkable
class RanxQrels(Protocol):
    """A ``ranx.Qrels``."""

    @property
    def qrels(self) -> Any: ...

    def to_dict(self) -> Any: ...


@runtime_checkable
class Retrieved(Protocol):
    """An ``ir_measures.ScoredDoc``."""

    @property
    def query_id(self) -> Any: ...

    @property
    def doc_id(self) -> Any: ...

    @property
    def score(self) -> Any: ...


@runtime_checkable
class Judgment(Protocol):
    """An ``ir_measures.Qrel``."""

    @property
    def query_id(self) -> Any: ...

    @property
    def doc_id(self) -> Any: ...

    @property
    def relevance(self) -> Any: ...


@runtime_checkable
class Value(Protocol):
    """An ``ir_measures.Metric``: what a measure gives for one query."""

    @property
    def query_id(self) -> Any: ...

    @property
    def measure(self) -> Any: ...

    @property
    def value(self) -> Any: ...


_COLUMNS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (Retrieved, ("query_id", "doc_id", "score")),
    (Judgment, ("query_id", "doc_id", "relevance")),
    (Value, ("query_id", "measure", "value")),
)


def is_ranx_run(value: object) -> TypeGuard[RanxRun]:
    """Whether a value is a run of ranx; a DataFrame may have columns that are called as its attributes are."""
    return isinstance(value, RanxRun) and not isinstance(value, pd.DataFrame | pd.Series | Mapping)


def is_ranx_qrels(value: object) -> TypeGuard[RanxQrels]:
    """Whether a value is ranx' relevance judgments."""
    return isinstance(value, RanxQrels) and not isinstance(value, pd.DataFrame | pd.Series | Mapping)


def opened(values: Any) -> Any:
    """A generator as a list, inside a dict too; any other value as it is.

    >>> opened(path for path in ("a.gz", "b.gz")), opened("a.gz")
    (['a.gz', 'b.gz'], 'a.gz')
    """
    if isinstance(values, Mapping):
        return {name: opened(value) if hasattr(value, "__next__") else value for name, value in values.items()}
    return list(values) if hasattr(values, "__next__") else values


def with_records(value: Any) -> Any:
    """Records of ir-measures as a DataFrame, a row a record; other values as they are.

    >>> import ir_measures
    >>> with_records([ir_measures.ScoredDoc("q1", "d1", 2.5)]).to_dict("list")
    {'query_id': ['q1'], 'doc_id': ['d1'], 'score': [2.5]}
    >>> with_records(["a.gz"])
    ['a.gz']
    """
    if not isinstance(value, list | tuple) or not value or isinstance(value[0], str | os.PathLike):
        return value
    samples = {type(record): record for record in value}.values()
    for kind, names in _COLUMNS:
        if all(isinstance(record, kind) for record in samples):
            columns = {name: [getattr(record, name) for record in value] for name in names}
            if kind is Judgment and all(hasattr(record, "iteration") for record in samples):
                columns["iteration"] = [record.iteration for record in value]
            return pd.DataFrame(columns, dtype=object)
    return value


def ranx_names(runs: list[RanxRun], argument: str) -> list[tuple[str, RanxRun]]:
    """Runs of ranx by their names. Raises `UsageError` for one without a name."""
    for number, run in enumerate(runs, 1):
        if not isinstance(run.name, str) or not run.name.strip():
            what = f"run {number} of the list has no name"
            raise UsageError(f"{argument}: {what}; name it, as Run(..., name='bm25') does, or give {{name: run}}")
    return [(run.name.strip(), run) for run in runs]
