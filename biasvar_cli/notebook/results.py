"""What the functions for notebooks give: tables as DataFrames, each made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from biasvar_cli.decomposition.decompose import decompose
from biasvar_cli.decomposition.design import Design
from biasvar_cli.decomposition.target import TargetedScores, VirtualTarget
from biasvar_cli.decomposition.tradeoff import single_rows, tradeoff
from biasvar_cli.errors import UsageError
from biasvar_cli.nulls.models import null_models
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.tables.null import null_columns
from biasvar_cli.tables.table import Table
from biasvar_cli.words import COEFFICIENTS

if TYPE_CHECKING:
    import pandas as pd

_INDEX = {"runs": "run", "queries": "query_id"}  # of tables with one row each


@dataclass(frozen=True, eq=False)
class Result:
    """A result as tables, which have the columns of the command's csv; the first one is what `frame` gives.

    ``measure`` is None where it is not known. Two results are equal if all their tables are.
    """

    measure: str | None
    n_runs: int
    n_queries: int
    tables: Mapping[str, Callable[[], Table]]

    @classmethod
    def of(cls, scores: ScoreMatrix, tables: Mapping[str, Callable[[], Table]]) -> Self:
        """A result on these scores."""
        return cls(scores.measure, scores.n_runs, scores.n_queries, tables)

    def frame(self, table: str | None = None) -> pd.DataFrame:
        """One of the tables as a DataFrame, unrounded; the index is the run or the query where a row is of one.

        Raises `UsageError` for a table that the result does not have.
        """
        name = next(iter(self.tables)) if table is None else table
        if name not in self.tables:
            raise UsageError(f"there is no table {name!r}; there are {', '.join(self.tables)}")
        made = self.tables[name]()
        frame = made.frame().drop(columns=list(made.keys))
        return frame.set_index(_INDEX[name]) if name in _INDEX else frame

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result) or type(self) is not type(other) or list(self.tables) != list(other.tables):
            return NotImplemented
        same = self.measure == other.measure
        return same and all(self.frame(name).equals(other.frame(name)) for name in self.tables)

    def __hash__(self) -> int:
        return hash((type(self), self.measure, self.n_runs, self.n_queries))

    def __repr__(self) -> str:
        about = f"{self.measure or 'unknown measure'}, {self.n_runs} runs, {self.n_queries} queries"
        return f"{type(self).__name__}({about}; .frame() of {', '.join(self.tables)})"


@dataclass(frozen=True, eq=False, repr=False)
class DecompositionResult(Result):
    """A decomposition: ``frame()`` has a row a run, ``correlations`` those of bias² and variance over the runs.

    ``target`` has ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` in the order of the queries, or None.
    """

    targeted: TargetedScores
    null: NullRequest | None

    @property
    def target(self) -> VirtualTarget:
        """The virtual target."""
        return self.targeted.target

    @cached_property
    def correlations(self) -> pd.DataFrame:
        """Pearson, Spearman and Kendall in both forms, and Pearson's r under three null models, in which runs differ
        only in their means.

        ``null_low`` to ``null_high`` is the widest of their central 95 %, ``null_r`` the median of the first, ``p`` is
        two-sided, and ``verdict`` is stronger, weaker or none; the gap form has no p and no verdict. ``null=False``
        leaves these five out.
        """
        rows = single_rows(tradeoff(decompose(self.targeted.scores, self.targeted.target)), self.n_queries)
        null = {} if self.null is None else null_columns(rows, null_models(self.targeted, rows, Design(), self.null))
        columns: dict[str, list[Any]] = {
            name: [getattr(row.correlations, name) for row in rows] for name in COEFFICIENTS
        }
        table = Table("Correlations", {"form": [row.form for row in rows], **columns, **null})
        return table.frame().set_index("form")


@dataclass(frozen=True, eq=False, repr=False)
class TargetResult(Result):
    """A virtual target: ``frame()`` has a row a query; ``target`` is as in `DecompositionResult`."""

    target: VirtualTarget
