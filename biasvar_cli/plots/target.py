"""The virtual target: who supplies it, the gaps to it, and how it grows with the number of runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biasvar_cli.analyses.contribution import Contributions, Difficulty, rarefied_means
from biasvar_cli.arrays import difference
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.decomposition.target import Aim
from biasvar_cli.errors import UsageError
from biasvar_cli.plots.style import (
    HOURGLASS,
    RING,
    Rows,
    Spec,
    Style,
    by_series,
    chart,
    extent,
    labelled,
    layer,
    legend_rows,
    quantity,
    tick_format,
)
from biasvar_cli.plots.text import AXIS, as_title, shortened, width_of_text
from biasvar_cli.plots.words import BIAS2, by_bias2, require_runs, told_apart
from biasvar_cli.tables.render import number
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import counted

_SUPPLIERS = 5  # that have a sign of their own
_OTHER, _SEVERAL, _NONE = "another run", "several runs", "no run"
_APART = {_OTHER: HOURGLASS, _SEVERAL: "cross", _NONE: RING}
_LINE = 7.5  # points that a name below another needs
_QUERY = 6.2  # points that a query's id beside another needs
_LOWEST = 165.0  # points of a heat map, so that its title has room beside it
_TALLEST = 560.0  # points of a heat map, a page less its caption
_LONGEST_ID = 60.0  # points
_IDS, _NAMES = 6, 6  # points, of the ids of queries and of the names beside a heat map
_SIZES = (1, 10, 30)  # numbers of runs that are named


def target(
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
    x, ids = _query_axis(order, style.width - 40, hardness.key, style)
    step = (style.width - 40) / len(order)
    y = quantity("score", measure_words(result.pool.measure))
    grey = style.colours.grey
    series = by_series("supplier", shown, style, _APART)
    whole = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    half = {"x": x, "y": {**y, "field": "lower"}, "y2": {"field": "upper"}}
    words = about(result.pool.measure, result.target, result.pool.n_runs, result.pool.n_queries)
    by = "by its supplier" if result.target.is_best else "by the run that reaches it"
    signs = f"Signs: the target’s score, {by}"
    lines = "Thin lines: all runs; thick: the middle half; ticks: the median"
    return chart(
        [
            layer("queries", "rule", whole, strokeWidth=0.7, color=grey, opacity=0.7),
            layer("queries", "rule", half, strokeWidth=_share(step, 3), color=grey, opacity=0.45),
            layer(
                "queries",
                "tick",
                {"x": x, "y": {**y, "field": "median"}},
                color=style.colours.text,
                width=_share(step, 5),
            ),
            layer("queries", "point", {"x": x, "y": y, **series}, filled=True, size=28),
        ],
        {"queries": rows},
        title="The virtual target and its suppliers" if result.target.is_best else "The target on each query",
        caption=[words, signs, lines, *remarks],
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
    leading = [told_apart(pool.runs[index], _APART, "run") for index in ranked[:_SUPPLIERS] if supplied[index]]
    low, lower, median, upper, high = np.quantile(pool.values, [0, 0.25, 0.5, 0.75, 1], axis=0)
    rows = []
    for index in np.argsort(hardness.rank, kind="stable").tolist():
        suppliers = [told_apart(pool.runs[run], _APART, "run") for run in np.flatnonzero(result.supplies[:, index])]
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


def queries(
    aim: Aim,
    result: Decomposition,
    hardness: Difficulty,
    *,
    remarks: Sequence[str] = (),
    style: Style | None = None,
) -> Spec:
    """A heat map of the gap target - score: a row a run in order of bias², a column a query from hard to easy.

    Where a run is above the target the cell has another colour, and a point for grey print. Raises `DataError` for a
    single run, `UsageError` for a target that is a mean alone.
    """
    style = style or Style()
    require_runs(aim.scores.runs)
    if aim.target.scores is None:
        raise UsageError(f"the target {aim.target.label} is a mean alone: it has no score per query to compare with")
    order = by_bias2(result)
    hard = np.argsort(hardness.rank, kind="stable").tolist()
    gap = difference(aim.target.scores, aim.scores.values)
    rows = [
        {"run": aim.scores.runs[run], "query_id": aim.scores.queries[query], "gap": float(gap[run, query])}
        for run in order
        for query in hard
    ]
    names = [result.runs[index] for index in order]
    labels = shortened(names, style.width * 0.3, _NAMES) if len(names) * _LINE <= _TALLEST else None
    longest = max(width_of_text(label, _NAMES) for label in labels) if labels is not None else 0.0
    ordered = [aim.scores.queries[index] for index in hard]
    x, ids = _query_axis(ordered, style.width - longest - 60, hardness.key, style)
    shown = {"labels": False} if labels is None else {"labelFontSize": _NAMES, **labelled(names, labels)}
    height = min(_TALLEST, max(260.0, 2.2 * len(names))) if labels is None else max(_LOWEST, _LINE * len(names))
    title = f"Runs in order of {BIAS2}, the least on top" + ("" if labels else f" ({len(names)} names left out)")
    axis = {**shown, "ticks": False, "grid": False}
    y = {"field": "run", "type": "nominal", "title": as_title(style.wrapped(title, AXIS, height)), "axis": axis}
    y["scale"] = {"domain": names}
    ramp = _ramp(float(gap.min()), float(gap.max()), style)
    legend = {"title": "gap", "gradientLength": 70, "gradientThickness": 7, "tickCount": 4}
    legend |= tick_format(float(np.abs(gap).max()))
    above = [row for row in rows if row["gap"] < 0]
    cells = {"x": x, "y": y, "color": {"field": "gap", "type": "quantitative", "scale": ramp, "legend": legend}}
    dots = layer("above", "point", {"x": x, "y": y}, filled=True, size=3, color=style.colours.text)
    note = [f"Points: the run is above the target ({counted(len(above), 'score')})"] if above else []
    words = about(result.measure, result.target, len(names), result.n_queries)
    return chart(
        [layer("cells", "rect", cells), *([dots] if above else [])],
        {"cells": rows, **({"above": above} if above else {})},
        title="Gap of every run to the target",
        caption=[words, f"Gap: target − score in {measure_words(result.measure)}", *note, *remarks],
        style=style,
        height=height + ids,
    )


def _ramp(least: float, largest: float, style: Style) -> Spec:
    """The scale of the gap: one ramp from 0 up, and below it another colour, so that 0 can be seen."""
    ramp = list(style.colours.ramp)
    up = np.linspace(0.0, max(largest, 0.0) or 1.0, len(ramp)).tolist()
    if least >= 0:
        return {"domain": up, "range": ramp}
    return {"domain": [least, *up], "range": [style.colours.below, *ramp], "interpolate": "rgb"}


def _query_axis(order: list[str], room: float, key: str, style: Style) -> tuple[Spec, float]:
    """The queries from hard to easy, with their ids where they have room; and how high these are, in points."""
    labels = shortened(order, _LONGEST_ID, _IDS) if room / len(order) >= _QUERY else None
    title = f"Queries, hardest ({'lowest best' if key == 'best' else 'lowest mean'} score) first"
    title += "" if labels else f"; {len(order)} ids left out"
    shown: Spec = {"labels": False, "ticks": False}
    if labels:
        shown = {"labelAngle": -90, "labelFontSize": _IDS, **labelled(order, labels)}
    axis = {**shown, "grid": False}
    words = style.wrapped(title, AXIS, room)
    height = max((width_of_text(label, _IDS) for label in labels), default=0.0) if labels else 0.0
    spec = {"field": "query_id", "type": "nominal", "title": as_title(words), "scale": {"domain": order}, "axis": axis}
    return spec, height + (len(words) - 1) * (AXIS + 2)


def rarefaction(aim: Aim, *, remarks: Sequence[str] = (), style: Style | None = None) -> Spec:
    """The mean of the best scores of r runs drawn at random, for r from 1 to all of the pool; some are written out.

    Raises `DataError` for a pool of one run, `UsageError` for another target than best.
    """
    style = style or Style()
    pool = aim.pool
    require_runs(pool.runs)
    if not aim.target.is_best:
        raise UsageError(f"rarefaction is of --target best, not {aim.target.label}")
    means = rarefied_means(pool)
    rows = [{"n_runs": place, "mean": mean} for place, mean in enumerate(means.tolist(), 1)]
    told = [size for size in _SIZES if size < pool.n_runs] + [pool.n_runs]
    words = {size: number(rows[size - 1]["mean"], 3).replace("-", "−") for size in told}
    marked = [{**rows[size - 1], "label": f"{size}: {mean}"} for size, mean in words.items()]
    x = quantity("n_runs", "Runs pooled", scale={"domain": [0, 1.03 * pool.n_runs], "nice": False})
    x["axis"] = {"tickMinStep": 1, "format": "d"}
    y = quantity("mean", f"Mean target, {measure_words(pool.measure)}", scale={"domain": extent(means), "nice": False})
    place = {"x": x, "y": y}
    text = {**place, "text": {"field": "label"}}
    colour = style.colours.series[0]
    last = {"filter": {"field": "n_runs", "equal": pool.n_runs}}
    first = {"filter": {"field": "n_runs", "lt": pool.n_runs}}
    what = about(pool.measure, aim.target, pool.n_runs, pool.n_queries)
    how = "The mean of the best scores of so many runs drawn at random, exact expectation"
    return chart(
        [
            layer("means", "line", place, color=colour, strokeWidth=1.2),
            layer("marked", "point", place, color=colour, filled=True, size=28),
            {**layer("marked", "text", text, align="left", dx=5, dy=5), "transform": [first]},
            {**layer("marked", "text", text, align="right", dx=0, dy=-8), "transform": [last]},
        ],
        {"means": rows, "marked": marked},
        title="The target grows with the pool",
        caption=[what, how, *remarks],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width,
    )
