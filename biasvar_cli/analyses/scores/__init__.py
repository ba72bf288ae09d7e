"""The columns of scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.column import MEASURE, QUERY, RUN, Column, Declared

if TYPE_CHECKING:
    from biasvar_cli.score_matrix import ScoreMatrix


_SCORES: Declared[ScoreMatrix] = (
    replace(RUN, values=lambda scores: [run for run in scores.runs for _ in scores.queries]),
    replace(QUERY, values=lambda scores: list(scores.queries) * scores.n_runs),
    replace(MEASURE, values=lambda scores: [scores.measure] * scores.values.size, key=False),
    Column("score", "the score of the run on the query", lambda scores: scores.values.ravel(), better="more"),
)
TABLES: dict[str, Declared[Any]] = {"scores": _SCORES}
