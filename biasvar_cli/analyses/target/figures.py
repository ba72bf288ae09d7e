"""The virtual target: its suppliers, the gap of every run to it, and how it grows with the number of runs pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.arrays import FloatArray, difference
from biasvar_cli.decomposition.contribution import Contributions
from biasvar_cli.drawing.chart import (
    BIAS2,
    HOURGLASS,
    RING,
    SHAPES,
    by_bias2,
    by_series,
    chart,
    extent,
    hardest_first,
    legend_columns,
    legend_rows,
    one_answer,
    quantity,
    query_axis,
    remarks_on,
    require_runs,
    round_step,
    rounded,
    tick_format,
    unambiguous,
)
from biasvar_cli.drawing.highlights import SCORES, highlighted_layers, highlighted_names
from biasvar_cli.drawing.run_axis import ROW, run_axis
from biasvar_cli.drawing.style import TITLE, Rows, Spec, Style, layer, shortened, width_of_text
from biasvar_cli.scores import negated
from biasvar_cli.scoring.targets import log_transform, targeted_scores
from biasvar_cli.specs import BEST
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.table import about, measure_words, minus
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, counted, in_nouns, is_highlighted

_OTHER, _SEVERAL, _NONE = "another run", "several runs", "no run"
_SIGNS = {_OTHER: RING, _SEVERAL: "cross", _NONE: HOURGLASS}
_NUMBER = 6.0  # points that the number of suppliers over a query needs
_NAME = 6.5  # points that a name over a mark needs
_BESIDE_LINE = 10.0  # points that a name beside the line of a query needs
_ABOVE = 14.0  # points over the highest mark, for the number over it
_LONGEST_NAME = 80.0  # points
_IDS = 6  # points, of what stands beside the queries
_HOW_MANY = " (number above)"
_OVER = 7.0  # points from a mark to the number over it
_LOWEST = 80.0  # points of a heat map
_NAMES_SHARE, _SHORT_NAMES = 0.3, 0.17  # of the width, at most for the names of runs; the less, if all ids then fit
_ID = 6.1  # points of a column of a heat map with its id
_BESIDE = 10.0  # points beside a heat map, but for the names
_NARROWEST = 0.5  # points of a column of a heat map: what is narrower is not seen, and takes long to draw
_SIZES = (1, 10, 30)  # numbers of runs whose mean is written out


def target_figure(answers: Sequence[TargetAnswer], *, style: Style | None = None) -> Spec:
    """The target's score of each query in order of difficulty, by its supplier, over the spread of the runs.

    The thin line is from the lowest to the highest score of the pool, the thick one the middle half, the tick the
    median. Runs that alone supply most queries have a sign of their own; the names of the others stand beside the lines
    where there is room, and over a query of several runs their number. Of another target than the best these are the
    runs that reach it. There is one answer. Raises `DataError` for a pool of one run, `UsageError` for several answers.
    """
    style, answer = style or Style(), _one(answers)
    pool, target = answer.pool, answer.target
    require_runs(pool.runs)
    leading, rows = _query_rows(answer)
    entries = [
        name
        for name in (*leading, *map(in_nouns, (_OTHER, _SEVERAL, _NONE)))
        if any(row["supplier"] == name for row in rows)
    ]
    order = [row["query_id"] for row in rows]
    x, ids = query_axis(order, style.width - 40, hardest_first(answer.request.difficulty, answer.better), style)
    step = (style.width - 40) / len(order)
    height = (0.4 if style.wide else 0.6) * style.width
    least = min(min(row["low"], row["score"]) for row in rows)
    most = max(max(row["high"], row["score"]) for row in rows)
    y = quantity("score", measure_words(pool.measure))
    if most > least:
        y["scale"] = {"domainMax": rounded(most + _ABOVE / height * (most - min(least, 0))), "nice": False}
    grey, numbered = style.colours.grey, step >= _NUMBER
    series, n_rows = _series(entries, style, numbered=numbered)
    named = _named(rows, answer, height, step) if step >= _NAME else []
    counts = [row for row in rows if row["supplier"] == in_nouns(_SEVERAL)] if numbered else []
    numbers = {"x": x, "y": y, "text": {"field": "n_suppliers"}}
    whole = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}}
    half = {"x": x, "y": {**y, "field": "lower"}, "y2": {"field": "upper"}}
    median = {"x": x, "y": {**y, "field": "median"}}
    scores = pool.in_unit
    mine: Rows = [
        {"run": run, "query_id": query, "score": score}
        for run in pool.runs
        if is_highlighted(run)
        for query, score in zip(pool.queries, scores.row(run).tolist(), strict=True)
    ]
    words = about(pool.measure, target, pool.n_runs, pool.n_queries)
    by = "by its supplier" if target.is_best else f"by the {RUN} that reaches it"
    points = f"Points: the target’s score, {by}"
    lines = f"Thin lines: all {RUNS}; thick: the middle half; ticks: the median"
    return chart(
        [
            layer("queries", "rule", whole, strokeWidth=0.7, color=grey, opacity=0.7),
            layer("queries", "rule", half, strokeWidth=_share(step, 3), color=grey, opacity=0.45),
            layer("queries", "tick", median, color=style.colours.text, width=_share(step, 5)),
            layer("queries", "point", {"x": x, "y": y, **series}, filled=True, size=28),
            *([layer("counts", "text", numbers, fontSize=_IDS, dy=-_OVER, baseline="middle")] if counts else []),
            *_name_layers(named, x, y),
            *highlighted_layers(x, y, mine),
        ],
        {
            "queries": rows,
            **({"counts": counts} if counts else {}),
            **({"named": named} if named else {}),
            **({SCORES: mine, f"{SCORES}-names": highlighted_names(mine)} if mine else {}),
        },
        title=_finding(answer, style),
        subtitle=words,
        caption=[points, lines, *_tie_words(answer), *remarks_on([answer])],
        style=style,
        height=height + ids,
        legend_rows=n_rows,
    )


def _finding(answer: TargetAnswer, style: Style) -> str:
    """The run that alone has the best score of most queries, and of how many."""
    alone, runs = answer.contributions.alone, answer.pool.runs
    leading = np.flatnonzero(alone == alone.max())
    if not answer.target.is_best or not alone.max() or len(leading) > 1:
        return "The virtual target and its suppliers" if answer.target.is_best else f"The target on each {QUERY}"
    n_queries = counted(answer.pool.n_queries, "query")
    leader = (shortened([runs[leading[0]]], 0.6 * style.width, TITLE) or [""])[0]
    return f"{leader} alone has the best score on {alone.max()} of {n_queries}"


def _tie_words(answer: TargetAnswer) -> list[str]:
    """How many queries of the axis are tied; nothing where none is."""
    n_tied = int((answer.difficulty.alike > 1).sum())
    n_queries = counted(len(answer.difficulty.alike), "query")
    return [f"{n_tied} of {n_queries} are tied; ties are ordered by {QUERY} id"] if n_tied else []


def _signs() -> dict[str, str]:
    """The shapes of queries whose supplier has no sign of its own, by their words in the legend."""
    return {in_nouns(word): shape for word, shape in _SIGNS.items()}


def _series(entries: Sequence[str], style: Style, *, numbered: bool) -> tuple[Spec, int]:
    """The channels of the suppliers and the rows of their legend; several runs are dark, the other runs grey."""
    series = by_series("supplier", entries, style, _signs())
    colours = series["color"]["scale"]["range"]
    several = in_nouns(_SEVERAL)
    if several in entries:
        colours[entries.index(several)] = style.colours.text
    if several in entries and numbered:
        legend = series["color"]["legend"]
        others = legend.get("labelExpr", "datum.label")
        legend["labelExpr"] = f"datum.label == '{several}' ? '{several}{_HOW_MANY}' : {others}"
        entries = [f"{name}{_HOW_MANY}" if name == several else name for name in entries]
        legend["columns"] = legend_columns(entries, style)
    return series, legend_rows(entries, style)


def _named(rows: Rows, answer: TargetAnswer, height: float, step: float) -> Rows:
    """A row for each query of another run whose name has room over its mark, or else below it beside the line."""
    low = min(0.0, *(min(row["low"], row["score"]) for row in rows))
    high = max(max(row["high"], row["score"]) for row in rows)
    of_others = [row for row in rows if row["supplier"] == in_nouns(_OTHER)]
    places = {query: index for index, query in enumerate(answer.pool.queries)}
    runs = [answer.suppliers(places[row["query_id"]])[0] for row in of_others]
    different = list(dict.fromkeys(runs))
    labels = dict(zip(different, shortened(different, _LONGEST_NAME, _IDS) or (), strict=False))
    named = []
    for row, run in zip(of_others, runs, strict=True):
        if run not in labels:
            continue
        below, needed = (row["score"] - low) / (high - low or 1.0) * height, width_of_text(labels[run], _IDS) + _OVER
        side = "above" if needed < height - below else "below" if needed < below and step >= _BESIDE_LINE else ""
        if side:
            named.append({"query_id": row["query_id"], "score": row["score"], "name": labels[run], "side": side})
    return named


def _name_layers(named: Rows, x: Spec, y: Spec) -> list[Spec]:
    """The names over their marks, and those below."""
    layers = []
    names, turned = {"x": x, "y": y, "text": {"field": "name"}}, {"angle": -90, "fontSize": _IDS, "baseline": "middle"}
    for side, where in (
        ("above", {"align": "left", "yOffset": 1 - _OVER}),
        ("below", {"align": "right", "yOffset": 4, "xOffset": 5}),
    ):
        if any(row["side"] == side for row in named):
            text = layer("named", "text", names, aria=False, **turned, **where)
            layers.append({**text, "transform": [{"filter": {"field": "side", "equal": side}}]})
    return layers


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
    leading = [unambiguous(pool.runs[index], _signs(), str(RUN)) for index in _leading(contributions)]
    names = ("low", "lower", "median", "upper", "high")
    printed, scores = pool.in_unit.values, answer.target.in_unit.scores
    assert scores is not None, "a request is of a target with scores"
    spread = dict(zip(names, np.quantile(printed, [0, 0.25, 0.5, 0.75, 1], axis=0), strict=True))
    rows = []
    for index in np.argsort(answer.difficulty.rank, kind="stable").tolist():
        suppliers = [unambiguous(name, _signs(), str(RUN)) for name in answer.suppliers(index)]
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
    """The runs that alone supply most queries, as many as there are shapes; of equal ones all or none, if it can be."""
    alone, runs = contributions.alone.tolist(), contributions.pool.runs
    order = sorted((run for run in contributions.order if alone[run]), key=lambda run: (-alone[run], runs[run]))
    first, rest = order[: len(SHAPES)], order[len(SHAPES) :]
    fewest = alone[rest[0]] if rest else 0
    return [run for run in first if alone[run] > fewest] or first


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
    require_runs(scores.runs)
    order, hard = by_bias2(answer.decomposition), np.argsort(answer.difficulty.rank, kind="stable")
    names, ids = [scores.runs[index] for index in order], _ID * len(hard)
    longest = min(_NAMES_SHARE * style.width, max(_SHORT_NAMES * style.width, style.width - _BESIDE - 3 - ids))
    axis = run_axis(names, style, longest=longest, lowest=_LOWEST)
    y = {**axis.channel, "axis": {**axis.channel["axis"], "grid": False}}
    width = style.width - axis.width - _BESIDE
    n_together = ceil(_NARROWEST * len(hard) / width)
    gap = means_of_neighbours(difference(answer.target_scores, scores.values)[:, hard], n_together)
    ordered = [scores.queries[index] for index in hard[::n_together]]
    rows = [
        {"run": scores.runs[run], "query_id": query, "gap": mean}
        for run in order
        for query, mean in zip(ordered, gap[run].tolist(), strict=True)
    ]
    above = [row for row in rows if row["gap"] < 0]
    hardest = hardest_first(answer.request.difficulty, answer.better)
    x, _ = query_axis(ordered, width, hardest, style, n_together=n_together)
    cells = {"x": x, "y": y, "color": _colour([row["gap"] for row in rows], style)}
    dot = 3 if axis.step >= ROW else 1
    dots = layer("above", "point", {"x": x, "y": y}, filled=True, size=dot, color=style.colours.text)
    side = "above" if answer.better == "more" else "below"
    counted_above = counted(len(above), "score" if n_together == 1 else "mean")
    note = [f"Points: the {RUN} is {side} the target ({counted_above})"] if above else []
    note += [f"Columns: means of up to {n_together} {QUERIES} of similar difficulty"] if n_together > 1 else []
    words = about(scores.measure, answer.target, scores.n_runs, scores.n_queries)
    gap_words = minus("target", "score", answer.better).replace("-", "−")
    return chart(
        [layer("cells", "rect", cells), *([dots] if above else []), *axis.layers],
        {"cells": rows, **({"above": above} if above else {}), **axis.data},
        title=f"Gap of every {RUN} to the target, least {BIAS2} on top",
        subtitle=words,
        caption=[
            f"Gap: {gap_words} in {measure_words(scores.measure)}",
            *note,
            *_tie_words(answer),
            *remarks_on([answer]),
        ],
        style=style,
        height=axis.height,
        legend_rows=None,
    )


def means_of_neighbours(values: FloatArray, n_together: int) -> FloatArray:
    """The means of so many neighbours along the last axis, of fewer at the end; (R, n) to (R, ceil(n / n_together)).

    >>> means_of_neighbours(np.array([[1.0, 3.0, 5.0]]), 2).tolist()
    [[2.0, 5.0]]
    """
    starts = np.arange(0, values.shape[1], n_together)
    means: FloatArray = np.add.reduceat(values, starts, axis=1) / np.diff(starts, append=values.shape[1])
    return means


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
    pool, means = answer.pool, answer.means if answer.better == "more" else negated(answer.means)
    require_runs(pool.runs)
    rows = [{"n_runs": size, "mean": mean} for size, mean in zip(answer.sizes, means.tolist(), strict=True)]
    written = [size for size in _SIZES if size < pool.n_runs] + [pool.n_runs]
    words = {size: number(rows[size - 1]["mean"], 3).replace("-", "−") for size in written}
    marked = [{**rows[size - 1], "label": f"{size}: {mean}"} for size, mean in words.items()]
    beside = max(0.03 * pool.n_runs, 0.1)
    x = quantity("n_runs", f"{RUNS:title} pooled", scale={"domain": [1 - beside, pool.n_runs + beside], "nice": False})
    step = max(1, round(round_step(pool.n_runs / 6)))
    ticks = [1, *(size for size in range(step, pool.n_runs + 1, step) if size > 1 + step / 2)]
    x["axis"] = {"values": ticks, "format": "d"}
    low, high = extent(means, share=0.1)
    domain = [low, rounded(high + 0.05 * (high - low))]  # with room for what is written over the last mean
    y = quantity("mean", f"Mean target, {measure_words(pool.measure)}", scale={"domain": domain, "nice": False})
    both = {"x": x, "y": y}
    text = {**both, "text": {"field": "label"}}
    colour = style.colours.series[0]
    last = {"filter": {"field": "n_runs", "equal": pool.n_runs}}
    first = {"filter": {"field": "n_runs", "lt": pool.n_runs}}
    what = about(pool.measure, answer.target, pool.n_runs, pool.n_queries)
    how = f"Expected mean of the target if it is made of fewer {RUNS}, drawn at random"
    return chart(
        [
            layer("means", "line", both, color=colour, strokeWidth=1.2),
            layer("marked", "point", both, color=colour, filled=True, size=28),
            {**layer("marked", "text", text, align="left", dx=5, dy=5), "transform": [first]},
            {**layer("marked", "text", text, align="right", dx=0, dy=-8), "transform": [last]},
        ],
        {"means": rows, "marked": marked},
        title=f"The target {'grows' if answer.better == 'more' else 'falls'} with the pool",
        subtitle=what,
        caption=[how, *remarks_on([answer])],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width,
    )


FIGURES: Mapping[str, Callable[..., Spec]] = {
    "target": target_figure,
    "queries": queries_figure,
    "rarefaction": rarefaction_figure,
}
