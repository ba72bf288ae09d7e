"""One run on every query: its score beside that of a baseline and of the target."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from math import ceil

import numpy as np

from biasvar_cli.analyses.profile.answer import ProfileAnswer, Versus
from biasvar_cli.analyses.profile.table import LOSSES, best_words, is_tied, paper_sentence, versus_p
from biasvar_cli.drawing import axes, chart
from biasvar_cli.drawing.style import (
    LABEL,
    Rows,
    Spec,
    Style,
    as_title,
    highlighted_layers,
    highlighted_scores,
    layer,
    shortened,
    width_of_text,
)
from biasvar_cli.tables.rounding import in_words, number
from biasvar_cli.tables.table import about, measure_words, minus
from biasvar_cli.words import QUERIES, QUERY

_AXIS_WIDTH = 40.0  # points, about what the vertical axis takes
_LINE = LABEL + 1.5  # points, of a named loss below another
_DIGITS, _DIGITS_OF_LOSS = 4, 3  # of the caption, and of a named loss
_NEAR, _BESIDE = 2.0, 5.0  # points from the line of a named loss to its name, and beside both
_LEAST_NAME, _LONGEST_NAME = 10.0, 110.0  # points of the id of a named query
_TICKS = 6  # on the vertical axis, at most about
_LONGEST = 0.6  # of the width, for a name in the legend
_LARGEST, _SMALLEST = 5.3, 1.8  # points of the mark of a query
_SHAPES = {"better": "triangle-up", "worse": "triangle-down", "equal": "circle"}  # others are bars


def profile_figure(answers: Sequence[ProfileAnswer], *, style: Style | None = None) -> Spec:
    """The run's score on every query, the largest gain over the baseline first, with those of baseline and target.

    A line joins the scores of both on a query. The largest losses are named. The baseline is the first one, or the
    best of the other runs. There is one answer. Raises `DataError` for a single run, `UsageError` for several answers.
    """
    style = style or Style()
    answer = chart.one_answer(answers, measure=lambda answer: answer.measure, target=lambda answer: answer.target.label)
    chart.require_runs(answer.scores.runs)
    other = answer.compared.reference
    assert other is not None, "there are several runs"
    rows = _rows(answer, other)
    step = (style.width - _AXIS_WIDTH) / len(rows)
    queries = [row["query_id"] for row in rows]
    x, _ = axes.query_axis(queries, style.width - _AXIS_WIDTH, f"{QUERIES:title}, largest gain first", style)
    x["scale"] |= {"type": "point", "padding": 0.5}  # for ticks a scale of bands would be usual
    marked = highlighted_scores(answer.scores, answer.run)
    height = (0.4 if style.wide else 0.6) * style.width
    losses = _named_losses(rows, step)
    values = [row[name] for row in rows for name in ("score", "baseline", "target") if row[name] is not None]
    low, high = axes.extent(np.array([*values, *(row["score"] for row in marked)]), share=0.04)
    top = _top(rows, losses, step, height, (low, high), above=bool(marked))
    line = _LINE / height * (top - low)
    for index, row in enumerate(losses, start=bool(marked)):
        row["at"] = axes.rounded(top - (index + 0.7) * line)
    y = axes.quantity("score", measure_words(answer.measure), scale={"domain": [low, top], "nice": False})
    y["axis"] = {**axes.tick_format(max(map(abs, values))), "values": _ticks(low, high)}
    marks, marked_data = highlighted_layers(x, y, marked)
    share = min(_LARGEST, max(_SMALLEST, 1.3 * step))
    tick = {"width": min(5.0, 0.8 * step), "thickness": 1}
    colours = style.colours
    series = _series(rows, answer, other, style)
    sticks = {"x": x, "y": {**y, "field": "baseline"}, "y2": {"field": "score"}, "color": series["color"]}
    leaders = {"x": x, "y": {**y, "field": "at"}, "y2": {"field": "highest"}}
    names = {"x": x, "y": {**y, "field": "at"}, "text": {"field": "label"}}
    has_target = answer.target.scores is not None
    target = {"width": max(min(2.0, step), tick["width"]), "thickness": 1.5, "color": _of_target(style)}
    targets = layer("queries", "tick", {"x": x, "y": {**y, "field": "target"}}, **target)
    is_chosen = not answer.compared.names
    versus = next((pair for pair in answer.compared.versus if pair.run == other and pair.chosen == is_chosen), None)
    return chart.chart(
        [
            *([targets] if has_target else []),
            layer("queries", "rule", sticks, strokeWidth=round(min(1.5, 0.6 * step), 2)),
            layer("queries", "tick", {"x": x, "y": {**y, "field": "baseline"}}, color=colours.text, **tick),
            layer("queries", "point", {"x": x, "y": y, **series}, filled=True, size=round(share**2, 1)),
            *marks,
            *([layer("losses", "rule", leaders, color=colours.grey, strokeWidth=0.5)] if losses else []),
            *([layer("losses", "text", names, align="right", baseline="middle", dx=-_NEAR)] if losses else []),
        ],
        {
            "queries": rows,
            **({"losses": losses} if losses else {}),
            **marked_data,
        },
        **_words(answer, versus, other, {row["what"] for row in rows}),
        style=style,
        height=height,
        legend_rows=None,
    )


def _rows(answer: ProfileAnswer, other: str) -> Rows:
    """A row for each query, the largest gain first."""
    scores, target, delta = answer.scores.in_unit, answer.target.in_unit.scores, answer.delta
    assert delta is not None, "there are several runs"
    run, baseline = scores.row(answer.run), scores.row(other)
    return [
        {
            "query_id": scores.queries[query],
            "score": float(run[query]),
            "baseline": float(baseline[query]),
            "target": None if target is None else float(target[query]),
            "delta": float(delta[query]),
            "what": "better" if delta[query] > 0 else "worse" if delta[query] < 0 else "equal",
        }
        for query in np.argsort(-delta, kind="stable").tolist()
    ]


def _named_losses(rows: Rows, step: float) -> Rows:
    """A row for each of the largest losses, the largest first, with its words, which end at the line of its query.

    Near the left edge, where there is no room for both, the query's id stands alone.
    """
    worst = [(index, row) for index, row in enumerate(rows) if row["delta"] < 0][-LOSSES:]
    named = []
    for index, row in reversed(worst):
        loss = f" ({number(row['delta'], _DIGITS_OF_LOSS).replace('-', '−')})"
        room = (index + 0.5) * step - _BESIDE
        if room - width_of_text(loss) < _LEAST_NAME:
            loss = ""
        (query,) = shortened([row["query_id"]], min(_LONGEST_NAME, room - width_of_text(loss))) or [row["query_id"]]
        highest = max(row[name] for name in ("score", "baseline", "target") if row[name] is not None)
        named.append({"query_id": row["query_id"], "label": f"{query}{loss}", "highest": highest})
    return named


def _top(rows: Rows, losses: Rows, step: float, height: float, ends: tuple[float, float], *, above: bool) -> float:
    """The end of the vertical axis, with room for the names of losses over the scores that they stand over.

    With ``above`` a line of other names stands over all scores, at the top.
    """
    low, high = ends
    tops = [high]
    places = {row["query_id"]: number for number, row in enumerate(rows)}
    for line, loss in enumerate(losses, start=1 + above):
        last = places[loss["query_id"]]
        first = max(0, last - ceil((width_of_text(loss["label"]) + _NEAR + _BESIDE) / step))
        below = [row[name] for row in rows[first : last + 1] for name in ("score", "baseline", "target")]
        highest = max(value for value in below if value is not None)
        tops.append(low + (highest - low) / (1 - (_LINE * line + 2) / height))
    if above:
        tops.append(low + (high - low) / (1 - (_LINE + 2) / height))
    return axes.rounded(max(tops))


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers for the ticks of an axis, which has names above ``high``.

    >>> _ticks(-0.04, 1.04)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    step = axes.round_step((high - low) / _TICKS)
    first = int(np.ceil(low / step))
    return [axes.rounded(index * step) + 0.0 for index in range(first, int(np.floor(high / step)) + 1)]


def _series(rows: Rows, answer: ProfileAnswer, other: str, style: Style) -> Spec:
    """The channels of the signs by what they mean."""
    numbers = {what: sum(row["what"] == what for row in rows) for what in ("better", "worse", "equal")}
    words = {what: f"{answer.run} {what} ({size})" for what, size in numbers.items() if size}
    words |= {"equal": f"both equal ({numbers['equal']})"} if numbers["equal"] else {}
    words["baseline"] = f"{other}"
    if answer.target.scores is not None:
        words["target"] = f"target {answer.target.label}"
    labels = shortened(list(words.values()), style.width * _LONGEST) or list(words.values())
    colours = style.colours
    paints = {"better": colours.dark_fill, "worse": colours.below, "baseline": colours.text}
    paints["target"] = _of_target(style)
    title = style.wrapped(f"Each line leads from {other} to {answer.run}", width=style.width - _AXIS_WIDTH)
    legend: Spec = {
        "title": as_title(title),
        "orient": "bottom",
        "columns": chart.legend_columns(labels, style),
        "labelExpr": f"{json.dumps(dict(zip(words, labels, strict=True)))}[datum.label]",
        "symbolOpacity": 1,
    }
    ranges = {
        "color": [paints.get(what, colours.grey) for what in words],
        "shape": [_SHAPES.get(what, chart.BAR) for what in words],
    }
    return chart.by_range("what", list(words), ranges, legend)


def _of_target(style: Style) -> str:
    """The colour of the target's dashes."""
    return style.colours.series[2]


def _words(answer: ProfileAnswer, versus: Versus | None, other: str, outcomes: Collection[str]) -> Spec:
    """What the test says of the run and the other one, as a title; what was evaluated; and what is drawn and named."""
    run = answer.run
    title = f"{run} and {other} on every {QUERY}"
    subtitle = about(answer.measure, answer.target, answer.n_runs, answer.n_queries, answer.n_clusters)
    if versus is not None and versus.outcome != "untested":
        compared = best_words(answer, versus) if versus.chosen else other
        if is_tied(answer, versus):
            title = f"{run} has the same mean as {compared}"
        else:
            title = f"{run} is significantly {versus.outcome} than {compared}"
            subtitle += f"; {versus_p(answer, versus)}, {versus.tests.deciding_words}"
            if versus.outcome == "neither":
                title = f"{run} does not differ significantly from {compared}"
    signs = "Triangles and circles" if "equal" in outcomes else "Triangles"
    dashes = f"{other} (dark) and the target (green)" if answer.target.scores is not None else f"{other}"
    caption = [f"{signs}: the score of {run}; dashes: {dashes}; lines: from {other} to {run}"]
    if versus is not None:
        caption.append(in_words(paper_sentence(answer, versus), _DIGITS).removesuffix("."))
    if "worse" in outcomes:
        difference = minus(f"{run}", f"{other}", answer.better).replace(" - ", " − ")
        caption.append(f"Named: the largest losses, {difference} in brackets")
    return {"title": title, "subtitle": subtitle, "caption": [*caption, *chart.remarks_on([answer])]}


FIGURES: Mapping[str, Callable[..., Spec]] = {"profile": profile_figure}
