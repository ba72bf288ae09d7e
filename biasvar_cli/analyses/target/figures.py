"""The virtual target: its suppliers, the gap of every run to it, and how it grows with the number of runs pooled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from math import ceil, floor

import numpy as np

from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.arrays import FloatArray, difference
from biasvar_cli.decomposition.contribution import Contributions
from biasvar_cli.drawing import axes, chart
from biasvar_cli.drawing.run_axis import ROW, run_axis
from biasvar_cli.drawing.style import (
    TITLE,
    Rows,
    Spec,
    Style,
    highlighted_layers,
    highlighted_scores,
    layer,
    shortened,
    width_of_text,
)
from biasvar_cli.score_matrix import negated
from biasvar_cli.scoring.targets import log_transform, targeted_scores
from biasvar_cli.specs.targets import BEST
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.table import about, measure_words, minus
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, Better, counted, in_nouns, is_highlighted, listed

_OTHER, _SEVERAL, _NONE, _TIED = "another run", "several runs", "no run", "equally hard"
_LINES = 12  # runs that have a line of their own below the target, at most
_IDS = 6  # points, of the numbers of suppliers
_LOWEST = 80.0  # points of a heat map
_NAMES_SHARE, _SHORT_NAMES = 0.34, 0.17  # of the width, at most for the names of runs; the less, if all ids then fit
_ID = 6.1  # points of a query with its id
_BESIDE = 2 * chart.PADDING + 2.0  # points beside a plot, but for the names
_AXIS_WIDTH = 36.0  # points of a vertical axis of numbers
_NARROWEST = 0.5  # points of a column of a heat map: what is narrower is not seen, and takes long to draw
_SIZES = (1, 10, 30)  # numbers of runs whose mean is written out
_LAST = 10  # runs, of which a title says how much they change
_AT_END = 10.0  # points by which the labels at the ends of a legend stand nearer to the others, and may reach out
_NAME = 14.0  # points that the names of highlighted runs need over the scores
_GAP = 5.0  # points between the scores and the lines of their suppliers
_STEP, _THIN_STEP = "M-1.4,-0.25H1.4V0.25H-1.4Z", "M-1.4,-0.12H1.4V0.12H-1.4Z"  # in the legend


def target_figure(answers: Sequence[TargetAnswer], *, style: Style | None = None) -> Spec:
    """The target's score on each query in order of difficulty, over the spread of the runs; below it, its suppliers.

    Bands have the scores of all runs of the pool and the middle half of them. Each run that alone supplies many queries
    has a line with these queries; those of other runs are on one line, and those of several runs on another. Of another
    target than the best the suppliers are the runs that reach it. Queries that are equally hard are joined, for their
    order is that of their ids. There is one answer. Raises `DataError` for a pool of one run, `UsageError` for several
    answers.
    """
    style, answer = style or Style(), _one(answers)
    pool, target = answer.pool, answer.target
    chart.require_runs(pool.runs)
    leading, rows = _query_rows(answer)
    order, ties = [row["query_id"] for row in rows], _ties(answer)
    names = {row["supplier"] for row in rows}
    lines = [name for name in (*leading, *map(in_nouns, (_OTHER, _SEVERAL, _NONE))) if name in names]
    lines += [_TIED] if ties else []
    axis = run_axis(lines, style, longest=_longest_name(order, style))
    beside = ceil(max(axis.width, _AXIS_WIDTH))
    extents = {"minExtent": beside, "maxExtent": beside}
    y_lines = {**axis.channel, "axis": {**axis.channel["axis"], **extents, "zindex": 0}}  # the grid below the marks
    width = floor(style.width - beside - _BESIDE)
    width -= max(2, round((_ID - width / len(order)) / 2))  # for the end of a line, and half of the last id
    title = axes.hardest_first(answer.request.difficulty, answer.better)
    if ties and (ties[0]["first"], ties[0]["last"]) == (order[0], order[-1]):
        title = f"{QUERIES:title}, all equally hard"
    x, _ = axes.query_axis(order, width, title, style)
    steps = [{**row, "at": position + end} for position, row in enumerate(rows) for end in (0, 1)]
    marked = [{**row, "at": order.index(row["query_id"]) + 0.5} for row in highlighted_scores(pool)]
    spread = np.array([row[key] for row in rows for key in ("low", "high", "score")])
    at = axes.quantity("at", None, [0, len(order)], axis=None)
    ticks = axes.tick_format(float(np.abs(spread).max()))
    height = (0.4 if style.wide else 0.55) * style.width
    low, high = axes.extent(spread, share=0.04)
    room = _NAME / height * (high - low) if marked else 0.0  # over all scores, for the names of highlighted runs
    y = axes.quantity("score", measure_words(pool.measure), [low, axes.rounded(high + room)], axis=ticks)
    by = "its supplier" if target.is_best else f"the {RUN} that reaches it"
    marks, marked_data = highlighted_layers(at, y, marked)
    scores = [*_spread_layers(at, y, beside + _BESIDE, style), *marks]
    suppliers = _supplier_layers(rows, lines, ties, x, y_lines, width / len(order), style)
    has_numbers = any(part["mark"]["type"] == "text" for part in suppliers)
    plots = [(height, scores), (axis.height, suppliers)]
    views = [{"width": width, "height": points, "layer": layers} for points, layers in plots]
    return chart.framed(
        {"vconcat": views, "spacing": _GAP, "bounds": "flush"},
        {
            "queries": rows,
            "steps": steps,
            "signs": [{"what": in_nouns(name), "at": 0.5, "score": rows[0]["score"]} for name in _SIGNS],
            **({"ties": ties} if ties else {}),
            **marked_data,
        },
        title=_finding(answer, style),
        subtitle=about(pool.measure, target, pool.n_runs, pool.n_queries),
        caption=[
            f"The target’s score on each {QUERY} with the spread of the {RUNS}",
            f"Below: {by}" + (f"; numbers: of several {RUNS}" if has_numbers else ""),
            *_tie_words(answer),
            *chart.remarks_on([answer]),
        ],
        style=style,
    )


_SIGNS = {
    "the target": _STEP,
    "median of the runs": _THIN_STEP,
    "middle half of the runs": chart.BAR,
    "all runs": chart.BAR,
}


def _spread_layers(x: Spec, y: Spec, indent: float, style: Style) -> list[Spec]:
    """The bands of the runs, their median and the target, and the signs of the legend, which stand in it alone."""
    colours = style.colours
    paints = (colours.text, colours.dark_fill, colours.light_fill, colours.faint)
    names = list(map(in_nouns, _SIGNS))
    columns = chart.legend_columns(names, style, indent=indent)
    legend = {"title": None, "orient": "top", "columns": columns, "symbolOpacity": 1}
    signs = chart.by_range("what", names, {"color": paints, "shape": tuple(_SIGNS.values())}, legend)
    target, median, half, whole = paints
    return [
        layer("signs", "point", {"x": x, "y": y, **signs}, filled=True, opacity=0, aria=False),
        layer("steps", "area", {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}, color=whole),
        layer("steps", "area", {"x": x, "y": {**y, "field": "lower"}, "y2": {"field": "upper"}}, color=half),
        layer("steps", "line", {"x": x, "y": {**y, "field": "median"}}, color=median, strokeWidth=0.8),
        layer("steps", "line", {"x": x, "y": y}, color=target, strokeWidth=1.4),
    ]


def _supplier_layers(
    rows: Rows, lines: Sequence[str], ties: Rows, x: Spec, y: Spec, step: float, style: Style
) -> list[Spec]:
    """The queries of each supplier, the numbers of several where these have room, and lines that join ties."""
    grey, several = style.colours.grey, in_nouns(_SEVERAL)
    others = [*map(in_nouns, (_OTHER, _SEVERAL, _NONE))]
    marked = [line for line in lines if is_highlighted(line)]
    paints = ((others, grey), (marked, style.colours.highlight))
    tests = [{"test": {"field": "supplier", "oneOf": names}, "value": paint} for names, paint in paints if names]
    colour = {"condition": tests, "value": style.colours.dark_fill}
    supplier, shares = {**y, "field": "supplier"}, {"height": {"band": 0.7}, "width": {"band": 0.8}}
    cells = layer("queries", "rect", {"x": x, "y": supplier, "color": colour}, **shares)
    ends = {"x": {**x, "field": "first", "bandPosition": 0.1}, "x2": {"field": "last", "bandPosition": 0.9}}
    joined = layer("ties", "rule", {**ends, "y": supplier}, color=grey, strokeWidth=2)
    numbers = [str(row["n_suppliers"]) for row in rows if row["supplier"] == several]
    if not numbers or max(width_of_text(number, _IDS) for number in numbers) + 1 > step:
        return [cells, *([joined] if ties else [])]
    is_several = {"field": "supplier", "equal": several}
    number = {"x": x, "y": supplier, "text": {"field": "n_suppliers"}}
    text = layer("queries", "text", number, fontSize=_IDS, baseline="middle")
    return [
        {**cells, "transform": [{"filter": {"not": is_several}}]},
        {**text, "transform": [{"filter": is_several}]},
        *([joined] if ties else []),
    ]


def _ties(answer: TargetAnswer) -> Rows:
    """The first and the last query of each group that is equally hard, the hardest group first."""
    queries, alike, ties = answer.pool.queries, answer.difficulty.alike.tolist(), []
    order = iter(np.argsort(answer.difficulty.rank, kind="stable").tolist())
    for first in order:
        others = list(islice(order, alike[first] - 1))
        if others:
            ties.append({"first": queries[first], "last": queries[others[-1]], "supplier": _TIED})
    return ties


def _longest_name(queries: Sequence[str], style: Style) -> float:
    """How many points names of runs may have beside the queries: few where all names of these then fit."""
    beside = style.width - _BESIDE - 3 - _ID * len(queries)
    most = _NAMES_SHARE * style.width
    are_numbers = all(query.isdigit() for query in queries)  # which matter less than whole names of runs
    return min(beside, most) if beside >= _SHORT_NAMES * style.width and not are_numbers else most


def _finding(answer: TargetAnswer, style: Style) -> str:
    """The run that alone has the best score of most queries; of another target, on how many no run reaches it."""
    contributions, runs = answer.contributions, answer.pool.runs
    n_queries = counted(answer.pool.n_queries, "query")
    if not answer.target.is_best:
        n_missed = int((~contributions.supplies.any(axis=0)).sum())
        missed = f"No {RUN} reaches the target on {n_missed} of {n_queries}"
        return missed if n_missed else f"A {RUN} reaches the target on every {QUERY}"
    most = int(contributions.alone.max())
    leading = [runs[index] for index in np.flatnonzero(contributions.alone == most)]
    if not most:
        return f"No {RUN} alone has the best score on a {QUERY}"
    if len(leading) > 1:
        return f"{listed(leading, 2)} alone have the best score on {most} of {n_queries} each"
    leader = (shortened(leading, 0.6 * style.width, TITLE) or leading)[0]
    return f"{leader} alone has the best score on {most} of {n_queries}"


def _tie_words(answer: TargetAnswer) -> list[str]:
    """How many queries of the axis are tied; nothing where none is."""
    n_tied = int((answer.difficulty.alike > 1).sum())
    n_queries = counted(len(answer.difficulty.alike), "query")
    return [f"{n_tied} of {n_queries} are tied; ties are ordered by {QUERY} id"] if n_tied else []


def _one(answers: Sequence[TargetAnswer]) -> TargetAnswer:
    return chart.one_answer(answers, measure=lambda answer: answer.measure)


def _query_rows(answer: TargetAnswer) -> tuple[list[str], Rows]:
    """The leading suppliers, and a row for each query, the hardest first."""
    pool, contributions = answer.pool, answer.contributions
    reserved = [*map(in_nouns, (_OTHER, _SEVERAL, _NONE)), _TIED]
    leading = [chart.unambiguous(pool.runs[index], reserved, str(RUN)) for index in _leading(contributions)]
    names = ("low", "lower", "median", "upper", "high")
    printed, scores = pool.in_unit.values, answer.target.in_unit.scores
    assert scores is not None, "a request is of a target with scores"
    spread = dict(zip(names, np.quantile(printed, [0, 0.25, 0.5, 0.75, 1], axis=0), strict=True))
    rows = []
    for index in np.argsort(answer.difficulty.rank, kind="stable").tolist():
        suppliers = [chart.unambiguous(name, reserved, str(RUN)) for name in answer.suppliers(index)]
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


def _leading(contributions: Contributions) -> list[int]:
    """The runs that alone supply most queries, and the highlighted ones; of equal ones all or none, if it can be."""
    alone, runs = contributions.alone.tolist(), contributions.pool.runs
    order = sorted((run for run in contributions.order if alone[run]), key=lambda run: (-alone[run], runs[run]))
    fewest = alone[order[_LINES]] if len(order) > _LINES else 0
    first = [run for run in order[:_LINES] if alone[run] > fewest] or order[:_LINES]
    return first + [run for run in order if is_highlighted(runs[run]) and run not in first]


def _supplier(suppliers: list[str], leading: list[str]) -> str:
    """The sign of a query.

    >>> _supplier(["A"], ["A"]), _supplier(["B"], ["A"]), _supplier(["A", "B"], ["A"])
    ('A', 'another run', 'several runs')
    """
    if len(suppliers) != 1:
        return in_nouns(_SEVERAL) if suppliers else in_nouns(_NONE)
    return suppliers[0] if suppliers[0] in leading else in_nouns(_OTHER)


def queries_figure(answers: Sequence[TargetAnswer], *, style: Style | None = None) -> Spec:
    """A heat map of the gap target - score: a row a run in order of bias², a column a query from hard to easy.

    There is one answer. Where a run is above the target the cell has another colour, and a point for grey print. Where
    queries have too little width, a column is the mean of several neighbours. Raises `DataError` for a single run,
    `UsageError` for several answers.
    """
    style, answer = style or Style(), _one(answers)
    scores = answer.targeted.scores
    chart.require_runs(scores.runs)
    order, hard = chart.by_bias2(answer.decomposition), np.argsort(answer.difficulty.rank, kind="stable")
    names = [scores.runs[index] for index in order]
    longest = _longest_name(scores.queries, style)
    axis = run_axis(names, style, longest=longest, lowest=_LOWEST)
    y = {**axis.channel, "axis": {**axis.channel["axis"], "grid": False}}
    width = style.width - axis.width - _BESIDE
    n_together = ceil(_NARROWEST * len(hard) / width)
    gaps = _means_of_neighbours(difference(answer.target_scores, scores.values)[:, hard], n_together)
    ordered = [scores.queries[index] for index in hard[::n_together]]
    rows = [
        {"run": scores.runs[run], "query_id": query, "gap": mean}
        for run in order
        for query, mean in zip(ordered, gaps[run].tolist(), strict=True)
    ]
    above = [row for row in rows if row["gap"] < 0]
    hardest = axes.hardest_first(answer.request.difficulty, answer.better)
    x, _ = axes.query_axis(ordered, width, hardest, style, n_together=n_together)
    cells = {"x": x, "y": y, "color": _colour([row["gap"] for row in rows], width, style)}
    dot = 3 if axis.step >= ROW else 1
    dots = layer("above", "point", {"x": x, "y": y}, filled=True, size=dot, color=style.colours.text)
    side = "above" if answer.better == "more" else "below"
    counted_above = counted(len(above), "score" if n_together == 1 else "mean")
    note = [f"Points: the {RUN} is {side} the target ({counted_above})"] if above else []
    note += [f"Columns: means of up to {n_together} {QUERIES} of similar difficulty"] if n_together > 1 else []
    words = about(scores.measure, answer.target, scores.n_runs, scores.n_queries, order=chart.BIAS2)
    gap = minus("target", "score", answer.better).replace("-", "−")
    what = f"Gap of every {RUN} to the target ({gap})"
    return chart.chart(
        [layer("cells", "rect", cells), *([dots] if above else []), *axis.layers],
        {"cells": rows, **({"above": above} if above else {}), **axis.data},
        title=f"Least {chart.BIAS2}: {names[0]}; most: {names[-1]}",
        subtitle=words,
        caption=[
            f"{what}, least {chart.BIAS2} on top",
            *note,
            *_tie_words(answer),
            *chart.remarks_on([answer]),
        ],
        style=style,
        height=axis.height,
        legend_rows=None,
    )


def _means_of_neighbours(values: FloatArray, n_together: int) -> FloatArray:
    """The means of so many neighbours along the last axis, of fewer at the end; (R, n) to (R, ceil(n / n_together)).

    >>> _means_of_neighbours(np.array([[1.0, 3.0, 5.0]]), 2).tolist()
    [[2.0, 5.0]]
    """
    starts = np.arange(0, values.shape[1], n_together)
    means: FloatArray = np.add.reduceat(values, starts, axis=1) / np.diff(starts, append=values.shape[1])
    return means


def _colour(gaps: Sequence[float], width: float, style: Style) -> Spec:
    """The channel of the gap: one ramp from 0 up, and below it another colour, so that 0 can be seen.

    The legend is no wider than the plot, which has so much ``width``.
    """
    least, largest = min(gaps), max(gaps)
    ramp = list(style.colours.ramp)
    up = np.linspace(0.0, max(largest, 0.0) or 1.0, len(ramp)).tolist()
    scale: Spec = {"domain": up, "range": ramp}
    if least < 0:
        scale = {"domain": [least, *up], "range": [style.colours.below, *ramp], "interpolate": "rgb"}
    title = "gap to the target"
    length = min(120, floor(width - width_of_text(title) - 20))
    _, ticks = axes.ticks_with_room(min(least, 0.0), up[-1], length - 2 * _AT_END, (_AT_END, _AT_END))
    legend: Spec = {"title": title, "orient": "bottom", "direction": "horizontal", "titleOrient": "left"}
    legend |= {"gradientLength": length, "gradientThickness": 7, **ticks}
    return {"field": "gap", "type": "quantitative", "scale": scale, "legend": legend}


def rarefaction_figure(answers: Sequence[TargetAnswer], *, style: Style | None = None) -> Spec:
    """The mean of the best scores of r runs drawn at random, for r from 1 to all of the pool; some are written out.

    There is one answer, whose target does not matter. Raises `DataError` for a pool of one run, `UsageError` for
    several answers.
    """
    style, answer = style or Style(), _one(answers)
    if not answer.target.is_best:
        request = replace(answer.request, target=("best",), rarefied=None)
        answer = replace(answer, request=request, targeted=targeted_scores(answer.scored, BEST, log_transform(request)))
    pool, means = answer.pool, answer.means if answer.better == "more" else negated(answer.means)
    chart.require_runs(pool.runs)
    rows = [{"n_runs": size, "mean": mean} for size, mean in zip(answer.sizes, means.tolist(), strict=True)]
    written = [size for size in _SIZES if size < pool.n_runs] + [pool.n_runs]
    words = {size: number(rows[size - 1]["mean"], 3).replace("-", "−") for size in written}
    marked = [{**rows[size - 1], "label": f"{size}: {mean}"} for size, mean in words.items()]
    beside = max(0.03 * pool.n_runs, 0.1)
    step = max(1, round(axes.round_step(pool.n_runs / 6)))
    ticks = [1, *(size for size in range(step, pool.n_runs + 1, step) if size > 1 + step / 2)]
    x_domain, axis = [1 - beside, pool.n_runs + beside], {"values": ticks, "format": "d"}
    x = axes.quantity("n_runs", f"{RUNS:title} pooled", x_domain, axis=axis)
    low, high = axes.extent(means, share=0.1)
    domain = [low, axes.rounded(high + 0.05 * (high - low))]  # with room for what is written over the last mean
    y = axes.quantity("mean", f"Mean target, {measure_words(pool.measure)}", domain)
    both = {"x": x, "y": y}
    text = {**both, "text": {"field": "label"}}
    colour = style.colours.series[0]
    last = {"filter": {"field": "n_runs", "equal": pool.n_runs}}
    first = {"filter": {"field": "n_runs", "lt": pool.n_runs}}
    what = about(pool.measure, answer.target, pool.n_runs, pool.n_queries)
    how = f"The target’s mean if it is made of fewer {RUNS}"
    return chart.chart(
        [
            layer("means", "line", both, color=colour, strokeWidth=1.2),
            layer("marked", "point", both, color=colour, filled=True, size=28),
            {**layer("marked", "text", text, align="left", dx=5, dy=5), "transform": [first]},
            {**layer("marked", "text", text, align="right", dx=0, dy=-8), "transform": [last]},
        ],
        {"means": rows, "marked": marked},
        title=_rarefied(means, answer.better),
        subtitle=f"{what}; expected over random draws of {RUNS}",
        caption=[how, *chart.remarks_on([answer])],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width,
    )


def _rarefied(means: FloatArray, better: Better) -> str:
    """How the target's mean changes from one run to all, and what the last of these add.

    >>> _rarefied(np.array([0.3, 0.4, 0.45]), "more")
    'The target’s mean rises from 0.300 (1 run) to 0.450 (3); the last 2 runs add 0.150'
    >>> _rarefied(np.linspace(30, 10, 21), "less")
    'The target’s mean falls from 30.000 (1 run) to 10.000 (21); the last 10 runs take off 10.000'
    """
    n_runs, n_last = len(means), min(_LAST, len(means) - 1)
    first, last, late = (
        number(value, 3).replace("-", "−") for value in (means[0], means[-1], abs(means[-1] - means[-1 - n_last]))
    )
    how, part = ("rises", "add") if better == "more" else ("falls", "take off")
    runs = f"the last {n_last} {RUNS} {part}" if n_last > 1 else f"the last {RUN} {part}s"
    return f"The target’s mean {how} from {first} ({counted(1, 'run')}) to {last} ({n_runs}); {runs} {late}"


FIGURES: Mapping[str, Callable[..., Spec]] = {
    "target": target_figure,
    "queries": queries_figure,
    "rarefaction": rarefaction_figure,
}
