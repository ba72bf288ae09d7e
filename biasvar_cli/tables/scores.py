"""Scores as a table."""

from __future__ import annotations

from typing import Any

from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.tables.table import Table, measure_words


def scores_table(scores: ScoreMatrix) -> Table:
    """One row per run and query, run by run.

    >>> import numpy as np
    >>> matrix = ScoreMatrix(np.array([[0.5, 0.25]]), ("bm25",), ("1", "2"), "AP")
    >>> list(scores_table(matrix).rows())
    [('bm25', '1', 'AP', 0.5), ('bm25', '2', 'AP', 0.25)]
    """
    n_rows = scores.n_runs * scores.n_queries
    columns: dict[str, list[Any]] = {
        "run": [run for run in scores.runs for _ in scores.queries],
        "query_id": list(scores.queries) * scores.n_runs,
        "measure": [scores.measure] * n_rows,
        "score": scores.values.ravel().tolist(),
    }
    rows = [{"run": run, "scores": row} for run, row in zip(scores.runs, scores.values.tolist(), strict=True)]
    document = {"measure": scores.measure, "queries": list(scores.queries), "runs": rows}
    return Table(f"Scores: {measure_words(scores.measure)}", columns, document=document, rows_key="")
