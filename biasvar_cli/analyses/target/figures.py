"""The virtual target and who supplies it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biasvar_cli.decomposition.contribution import Contributions, Difficulty
from biasvar_cli.drawing.axes import hardest_first, quantity, query_axis
from biasvar_cli.drawing.chart import chart
from biasvar_cli.drawing.legend import HOURGLASS, RING, by_series, legend_rows, unambiguous
from biasvar_cli.drawing.quantities import require_runs
from biasvar_cli.drawing.spec import Rows, Spec, layer
from biasvar_cli.drawing.style import Style
from biasvar_cli.tables.table import about, measure_words

_SUPPLIERS = 5  # that have a sign of their own
_OTHER, _SEVERAL, _NONE = "another run", "several runs", "no run"
_APART = {_OTHER: HOURGLASS, _SEVERAL: "cross", _NONE: RING}


def target_figure(
    result: Contributions, hardness: Difficulty, *, remarks: Sequence[str] = (), style: Style | None = None
) -> Spec:
    """The target's score of each query in order of difficulty, by its supplier, over the spread of the runs.

    The thin line is from the lowest to the highest score of the pool, the thick one the middle half, the tick the
    median. Runs that supply most queries have a sign of their own; of another target than the best those that reach it.
    Raises `DataError` for a pool of one run.
    """
    style = style or Style()
    require_runs(result.pool.runs)
    leading, rows = _query_rows(result, hardness)
    shown = [name for name in (*leading, _OTHER, _SEVERAL, _NONE) if any(row["supplier"] == name for row in rows)]
    order = [row["query_id"] for row in rows]
    x, ids = query_axis(order, style.width - 40, hardest_first(hardness.key), style)
    step = (style.width - 40) / len(order)
    y = quantity("score", measure_words(result.pool.measure))
    grey = style.colours.grey
    series = by_series("supplier", shown, style, _APART)
    whole = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    half = {"x": x, "y": {**y, "field": "lower"}, "y2": {"field": "upper"}}
    median = {"x": x, "y": {**y, "field": "median"}}
    words = about(result.pool.measure, result.target, result.pool.n_runs, result.pool.n_queries)
    by = "by its supplier" if result.target.is_best else "by the run that reaches it"
    points = f"Points: the target’s score, {by}"
    lines = "Thin lines: all runs; thick: the middle half; ticks: the median"
    return chart(
        [
            layer("queries", "rule", whole, strokeWidth=0.7, color=grey, opacity=0.7),
            layer("queries", "rule", half, strokeWidth=_share(step, 3), color=grey, opacity=0.45),
            layer("queries", "tick", median, color=style.colours.text, width=_share(step, 5)),
            layer("queries", "point", {"x": x, "y": y, **series}, filled=True, size=28),
        ],
        {"queries": rows},
        title="The virtual target and its suppliers" if result.target.is_best else "The target on each query",
        caption=[words, points, lines, *remarks],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width + ids,
        legend_rows=legend_rows(shown, style),
    )


def _share(step: float, most: float) -> float:
    """The width of a mark of a query, in points, so that it stays apart from those beside it."""
    return round(min(most, 0.7 * step), 2)


def _query_rows(result: Contributions, hardness: Difficulty) -> tuple[list[str], Rows]:
    """The leading suppliers, and a row for each query, the hardest first."""
    pool, scores = result.pool, result.target.scores
    assert scores is not None, "contributions are of a target with scores"
    supplied = result.supplied
    ranked = sorted(range(pool.n_runs), key=lambda index: (-supplied[index], pool.runs[index]))
    leading = [unambiguous(pool.runs[index], _APART, "run") for index in ranked[:_SUPPLIERS] if supplied[index]]
    low, lower, median, upper, high = np.quantile(pool.values, [0, 0.25, 0.5, 0.75, 1], axis=0)
    rows = []
    for index in np.argsort(hardness.rank, kind="stable").tolist():
        suppliers = [unambiguous(pool.runs[run], _APART, "run") for run in np.flatnonzero(result.supplies[:, index])]
        spread = {"low": low, "lower": lower, "median": median, "upper": upper, "high": high}
        rows.append(
            {
                "query_id": pool.queries[index],
                "score": float(scores[index]),
                "supplier": _supplier(suppliers, leading),
                "n_suppliers": len(suppliers),
                **{name: float(values[index]) for name, values in spread.items()},
            }
        )
    return leading, rows


def _supplier(suppliers: list[str], leading: list[str]) -> str:
    """The sign of a query.

    >>> _supplier(["A"], ["A"]), _supplier(["B"], ["A"]), _supplier(["A", "B"], ["A"])
    ('A', 'another run', 'several runs')
    """
    if len(suppliers) != 1:
        return _SEVERAL if suppliers else _NONE
    return suppliers[0] if suppliers[0] in leading else _OTHER
