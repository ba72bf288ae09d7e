"""Scores as a table, as a matrix, and in the layouts of trec_eval and TREC AutoJudge."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

from biasvar_cli.analyses.scores import TABLES
from biasvar_cli.errors import UsageError
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.render import separated
from biasvar_cli.tables.table import Table, measure_words
from biasvar_cli.words import RUN


def scores_table(scores: ScoreMatrix) -> Table:
    """One row per run and query, run by run.

    >>> import numpy as np
    >>> matrix = ScoreMatrix(np.array([[0.5, 0.25]]), ("bm25",), ("1", "2"), "AP")
    >>> list(scores_table(matrix).rows())
    [('bm25', '1', 'AP', 0.5), ('bm25', '2', 'AP', 0.25)]
    """
    rows = [{"run": run, "scores": row} for run, row in zip(scores.runs, scores.values.tolist(), strict=True)]
    document = {"measure": scores.measure, "queries": list(scores.queries), "runs": rows}
    title = f"Scores: {measure_words(scores.measure)}"
    return Table.of(title, filled(TABLES["scores"], scores), document=document, rows_key="")


def score_matrix(matrices: Sequence[ScoreMatrix]) -> str:
    """A csv with a row per query and a column per run, the measure's name in the first header cell.

    Raises `UsageError` for several measures.

    >>> import numpy as np
    >>> print(score_matrix([ScoreMatrix(np.array([[0.5, 0.25]]), ("bm25",), ("1", "2"), "AP")]), end="")
    AP,bm25
    1,0.5
    2,0.25
    """
    if len(matrices) > 1:
        raise UsageError(f"-f matrix holds one measure, found {len(matrices)}; choose one with -m")
    (matrix,) = matrices
    values = matrix.values.T.tolist()

    def rows() -> Iterator[list[Any]]:
        yield [matrix.measure or "query_id", *matrix.runs]
        yield from ([query, *row] for query, row in zip(matrix.queries, values, strict=True))

    return separated(rows, ",")


def trec_eval(matrices: Sequence[ScoreMatrix]) -> str:
    """The scores of one run in the layout of ``trec_eval -q -c``: four decimals, counts as integers, ``all`` last.

    The ``all`` row is the mean, and the sum of a count. Raises `UsageError` for several runs.

    >>> import numpy as np
    >>> print(trec_eval([ScoreMatrix(np.array([[0.5, 0.25]]), ("bm25",), ("1", "2"), "AP")]).expandtabs(), end="")
    map                     1       0.5000
    map                     2       0.2500
    map                     all     0.3750
    """
    from biasvar_cli.measures import is_count, trec_eval_name

    runs = matrices[0].runs
    if len(runs) > 1:
        raise UsageError(f"-f trec_eval holds exactly one {RUN}, found {len(runs)}: {', '.join(runs[:3])}")
    names = [trec_eval_name(matrix.measure or "unknown") for matrix in matrices]
    counts = [matrix.measure is not None and is_count(matrix.measure) for matrix in matrices]
    rows = [matrix.values[0] for matrix in matrices]
    overall = [row.sum() if count else row.mean() for row, count in zip(rows, counts, strict=True)]
    return "".join(
        f"{name:<22}\t{query}\t{int(value) if count else format(value, '6.4f')}\n"
        for query, *values in [*zip(matrices[0].queries, *rows, strict=True), ("all", *overall)]
        for name, value, count in zip(names, values, counts, strict=True)
    )


def tot(matrices: Sequence[ScoreMatrix]) -> str:
    """A leaderboard of TREC AutoJudge: run, measure, topic and value, with the mean of each run and measure as ``all``.

    The ``all`` of a count is the sum. Raises `UsageError` for a measure that is not known, and for a name with a blank,
    which separates the columns.

    >>> import numpy as np
    >>> print(tot([ScoreMatrix(np.array([[0.5, 0.25]]), ("bm25",), ("1", "2"), "AP")]).expandtabs(8), end="")
    bm25    AP      1       0.5
    bm25    AP      2       0.25
    bm25    AP      all     0.375
    """
    lines = []
    for run, measure, query, value in _leaderboard(matrices):
        odd = next((name for name in (run, measure, query) if len(name.split()) != 1), None)
        if odd is not None:
            raise UsageError(f"-f tot has no names with blanks, such as {odd!r}; -f jsonl has")
        lines.append(f"{run}\t{measure}\t{query}\t{value!r}\n")
    return "".join(lines)


def jsonl(matrices: Sequence[ScoreMatrix]) -> str:
    """The same leaderboard as JSON lines. Raises `UsageError` for a measure that is not known.

    >>> import numpy as np
    >>> print(jsonl([ScoreMatrix(np.array([[0.5]]), ("bm25",), ("1",), "AP")]).partition("\\n")[0])
    {"run_id": "bm25", "topic_id": "1", "measure": "AP", "value": 0.5}
    """
    records = (
        {"run_id": run, "topic_id": query, "measure": measure, "value": value}
        for run, measure, query, value in _leaderboard(matrices)
    )
    return "".join(f"{json.dumps(record)}\n" for record in records)


def _leaderboard(matrices: Sequence[ScoreMatrix]) -> Iterator[tuple[str, str, str, float]]:
    """The run, measure, query and value of each line, run by run; the last query of a run is ``all``."""
    from biasvar_cli.measures import is_count

    if any(matrix.measure is None for matrix in matrices):
        raise UsageError("a leaderboard names its measure; name it with -m")
    for row, run in enumerate(matrices[0].runs):
        for matrix in matrices:
            values, measure = matrix.values[row].tolist(), str(matrix.measure)
            overall = math.fsum(values) / (1 if is_count(measure) else len(values))
            rows = zip((*matrix.queries, "all"), (*values, overall), strict=True)
            yield from ((f"{run!s}", measure, query, value) for query, value in rows)


TEXTS = {"matrix": score_matrix, "trec_eval": trec_eval, "tot": tot, "jsonl": jsonl}  # formats that are no tables
