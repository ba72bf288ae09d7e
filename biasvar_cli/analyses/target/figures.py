"""The virtual target: its suppliers, the gap of every run to it, and how it grows with the number of runs pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.arrays import difference
from biasvar_cli.drawing.chart import (
    BIAS2,
    HOURGLASS,
    RING,
    by_bias2,
    by_series,
    chart,
    extent,
    hardest_first,
    legend_rows,
    one_answer,
    quantity,
    query_axis,
    remarks_on,
    require_runs,
    rounded,
    tick_format,
    unambiguous,
)
from biasvar_cli.drawing.run_axis import run_axis
from biasvar_cli.drawing.style import Rows, Spec, Style, layer
from biasvar_cli.scoring.targets import log_transform, targeted_scores
from biasvar_cli.specs import BEST
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import counted

_SUPPLIERS = 5  # that have a sign of their own
_OTHER, _SEVERAL, _NONE = "another run", "several runs", "no run"
_SIGNS = {_OTHER: HOURGLASS, _SEVERAL: "cross", _NONE: RING}
_LINE = 7.5  # points that a name below another needs
_LOWEST = 165.0  # points of a heat map, so that its title has room beside it
_TALLEST = 300.0  # points of a heat map, so that text has room on its page
_THINNEST = 1.5  # points of a row of a heat map, as far as it has room
_NAMES = 6  # points, of the names beside a heat map
_NAMES_SHARE = 0.3  # of the width of the figure, that these names take at most
_BESIDE = 24.0  # points beside a heat map, but for the names
_SIZES = (1, 10, 30)  # numbers of runs whose mean is written out


def target_figure(answers: Sequence[TargetAnswer], *, style: Style | None = None) -> Spec:
    """The target's score of each query in order of difficulty, by its supplier, over the spread of the runs.

    The thin line is from the lowest to the highest score of the pool, the thick one the middle half, the tick the
    median. Runs that supply most queries have a sign of their own; of another target than the best those that reach it.
    There is one answer. Raises `DataError` for a pool of one run, `UsageError` for several answers.
    """
    style, answer = style or Style(), _one(answers)
    pool, target = answer.pool, answer.target
    require_runs(pool.runs)
    leading, rows = _query_rows(answer)
    shown = [name for name in (*leading, _OTHER, _SEVERAL, _NONE) if any(row["supplier"] == name for row in rows)]
    order = [row["query_id"] for row in rows]
    x, ids = query_axis(order, style.width - 40, hardest_first(answer.request.difficulty), style)
    step = (style.width - 40) / len(order)
    y = quantity("score", measure_words(pool.measure))
    grey = style.colours.grey
    series = by_series("supplier", shown, style, _SIGNS)
    whole = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    half = {"x": x, "y": {**y, "field": "lower"}, "y2": {"field": "upper"}}
    median = {"x": x, "y": {**y, "field": "median"}}
    words = about(pool.measure, target, pool.n_runs, pool.n_queries)
    by = "by its supplier" if target.is_best else "by the run that reaches it"
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
        title="The virtual target and its suppliers" if target.is_best else "The target on each query",
        caption=[words, points, lines, *remarks_on([answer])],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width + ids,
        legend_rows=legend_rows(shown, style),
    )


def _one(answers: Sequence[TargetAnswer]) -> TargetAnswer:
    return one_answer(answers, measure=lambda answer: answer.measure)


def _of_best(answer: TargetAnswer) -> TargetAnswer:
    """The answer on the target best, of which the target of fewer runs is made."""
    if answer.target.is_best:
        return answer
    request = replace(answer.request, target=("best",), rarefied=None)
    return replace(answer, request=request, targeted=targeted_scores(answer.scored, BEST, log_transform(request)))


def _share(step: float, most: float) -> float:
    """The width of the mark of a query, in points, which leaves space between the marks."""
    return round(min(most, 0.7 * step), 2)


def _query_rows(answer: TargetAnswer) -> tuple[list[str], Rows]:
    """The leading suppliers, and a row for each query, the hardest first."""
    pool, contributions = answer.pool, answer.contributions
    most = [index for index in contributions.order[:_SUPPLIERS] if contributions.supplies[index].any()]
    leading = [unambiguous(pool.runs[index], _SIGNS, "run") for index in most]
    names = ("low", "lower", "median", "upper", "high")
    spread = dict(zip(names, np.quantile(pool.values, [0, 0.25, 0.5, 0.75, 1], axis=0), strict=True))
    rows = []
    for index in np.argsort(answer.difficulty.rank, kind="stable").tolist():
        suppliers = [unambiguous(name, _SIGNS, "run") for name in answer.suppliers(index)]
        rows.append(
            {
                "query_id": pool.queries[index],
                "score": float(answer.scores[index]),
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


def queries_figure(answers: Sequence[TargetAnswer], *, style: Style | None = None) -> Spec:
    """A heat map of the gap target - score: a row a run in order of bias², a column a query from hard to easy.

    There is one answer. Where a run is above the target the cell has another colour, and a point for grey print. Raises
    `DataError` for a single run, `UsageError` for several answers.
    """
    style, answer = style or Style(), _one(answers)
    scores = answer.targeted.scores
    require_runs(scores.runs)
    order, hard = by_bias2(answer.decomposition), np.argsort(answer.difficulty.rank, kind="stable").tolist()
    gap = difference(answer.scores, scores.values)
    rows = [
        {"run": scores.runs[run], "query_id": scores.queries[query], "gap": float(gap[run, query])}
        for run in order
        for query in hard
    ]
    above = [row for row in rows if row["gap"] < 0]
    height = min(_TALLEST, max(_LOWEST, (_LINE if _LINE * len(order) <= _TALLEST else _THINNEST) * len(order)))
    names, title = [scores.runs[index] for index in order], f"Runs in order of {BIAS2}, the least on top"
    axis = run_axis(names, title, height, style, side="y", longest=style.width * _NAMES_SHARE, size=_NAMES)
    y = axis.channel
    ordered = [scores.queries[index] for index in hard]
    hardest = hardest_first(answer.request.difficulty)
    x, ids = query_axis(ordered, style.width - axis.length - _BESIDE, hardest, style)
    cells = {"x": x, "y": y, "color": _colour([row["gap"] for row in rows], style)}
    dots = layer("above", "point", {"x": x, "y": y}, filled=True, size=3, color=style.colours.text)
    note = [f"Points: the run is above the target ({counted(len(above), 'score')})"] if above else []
    words = about(scores.measure, answer.target, scores.n_runs, scores.n_queries)
    return chart(
        [layer("cells", "rect", cells), *([dots] if above else []), *axis.layers],
        {"cells": rows, **({"above": above} if above else {}), **axis.data},
        title="Gap of every run to the target",
        caption=[words, f"Gap: target − score in {measure_words(scores.measure)}", *note, *remarks_on([answer])],
        style=style,
        height=height + ids,
        legend_rows=2,
    )


def _colour(gaps: Sequence[float], style: Style) -> Spec:
    """The channel of the gap: one ramp from 0 up, and below it another colour, so that 0 can be seen."""
    least, largest = min(gaps), max(gaps)
    ramp = list(style.colours.ramp)
    up = np.linspace(0.0, max(largest, 0.0) or 1.0, len(ramp)).tolist()
    scale: Spec = {"domain": up, "range": ramp}
    if least < 0:
        scale = {"domain": [least, *up], "range": [style.colours.below, *ramp], "interpolate": "rgb"}
    legend: Spec = {"title": "gap", "orient": "bottom", "direction": "horizontal", "titleOrient": "left"}
    legend |= {"gradientLength": 120, "gradientThickness": 7, "tickCount": 4}
    legend |= tick_format(max(-least, largest))
    return {"field": "gap", "type": "quantitative", "scale": scale, "legend": legend}


def rarefaction_figure(answers: Sequence[TargetAnswer], *, style: Style | None = None) -> Spec:
    """The mean of the best scores of r runs drawn at random, for r from 1 to all of the pool; some are written out.

    There is one answer, whose target does not matter. Raises `DataError` for a pool of one run, `UsageError` for
    several answers.
    """
    style, answer = style or Style(), _of_best(_one(answers))
    pool, means = answer.pool, answer.means
    require_runs(pool.runs)
    rows = [{"n_runs": size, "mean": mean} for size, mean in zip(answer.sizes, means.tolist(), strict=True)]
    written = [size for size in _SIZES if size < pool.n_runs] + [pool.n_runs]
    words = {size: number(rows[size - 1]["mean"], 3).replace("-", "−") for size in written}
    marked = [{**rows[size - 1], "label": f"{size}: {mean}"} for size, mean in words.items()]
    beside = max(0.03 * pool.n_runs, 0.1)
    x = quantity("n_runs", "Runs pooled", scale={"domain": [1 - beside, pool.n_runs + beside], "nice": False})
    x["axis"] = {"tickMinStep": 1, "format": "d"}
    low, high = extent(means, share=0.1)
    domain = [low, rounded(high + 0.05 * (high - low))]  # with room for what is written over the last mean
    y = quantity("mean", f"Mean target, {measure_words(pool.measure)}", scale={"domain": domain, "nice": False})
    both = {"x": x, "y": y}
    text = {**both, "text": {"field": "label"}}
    colour = style.colours.series[0]
    last = {"filter": {"field": "n_runs", "equal": pool.n_runs}}
    first = {"filter": {"field": "n_runs", "lt": pool.n_runs}}
    what = about(pool.measure, answer.target, pool.n_runs, pool.n_queries)
    how = "Expected mean of the target if it is made of fewer runs, drawn at random"
    return chart(
        [
            layer("means", "line", both, color=colour, strokeWidth=1.2),
            layer("marked", "point", both, color=colour, filled=True, size=28),
            {**layer("marked", "text", text, align="left", dx=5, dy=5), "transform": [first]},
            {**layer("marked", "text", text, align="right", dx=0, dy=-8), "transform": [last]},
        ],
        {"means": rows, "marked": marked},
        title="The target grows with the pool",
        caption=[what, how, *remarks_on([answer])],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width,
    )


FIGURES: Mapping[str, Callable[..., Spec]] = {
    "target": target_figure,
    "queries": queries_figure,
    "rarefaction": rarefaction_figure,
}
