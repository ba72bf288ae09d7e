"""What judges change: the parts of each judge's difference, and the means of the runs under judge and reference."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil

import numpy as np

from biasvar_cli.analyses.judges.answer import MARKS, JudgeAnswer, Judged, JudgesAnswer
from biasvar_cli.analyses.judges.calibrated_figure import calibrated_figure
from biasvar_cli.arrays import FloatArray
from biasvar_cli.drawing import axes, chart
from biasvar_cli.drawing.labels import Side, label_layers, placed
from biasvar_cli.drawing.style import AXIS, Rows, Spec, Style, as_title, layer, shortened, width_of_text
from biasvar_cli.errors import DataError
from biasvar_cli.score_matrix import negated
from biasvar_cli.specs.limits import threshold
from biasvar_cli.words import RUN, RUNS, counted, is_highlighted, listed

_PARTS = ("shift", "query", "compression", "favour", "rest")
_BAR, _GAP = 15.0, 10.0  # points of a bar, and between two rows of panels
_TICKS = 24.0  # points of the labels of a vertical axis of scores
_SMALLEST, _LARGEST, _MOST_IN_ROW = 52.0, 150.0, 4  # points of a panel, and panels side by side
_NAMES = 0.34  # of the width, for the names of judges
_NEITHER = "neither"
_LINE, _EQUAL = "line of all runs", "equal means"
_SHAPES = {"favoured": "triangle-up", "disfavoured": "triangle-down"}
_SIGNS = {"favoured": "▲", "disfavoured": "▼"}


def judges_figure(answers: Sequence[JudgesAnswer], *, style: Style | None = None) -> Spec:
    """The parts of each judge's mean squared difference as one bar, and a panel of the runs' means for each judge.

    In a panel the dashed line is where both means are equal, the other one the line of all runs; favoured and
    disfavoured runs have triangles and names. All panels have the same axes. Raises `DataError` for a single run,
    `UsageError` for answers on several measures.
    """
    style = style or Style()
    answer = chart.one_answer(answers, measure=lambda answer: answer.measure)
    if answer.n_runs < 2:
        raise DataError(f"the figure compares {RUNS}: it needs at least 2, found 1 {RUN}")
    names = [judge.name for judge in answer.judges]
    labels = shortened(names, _NAMES * style.width) or names
    width_of_names = max(ceil(max(map(width_of_text, labels))) + 6, ceil(_TICKS))
    bars, parts = _bars(answer, labels, width_of_names, style)
    views = [answer.reference, *(judge.judge for judge in answer.judges)]
    domain = axes.extent(np.concatenate(list(map(_means, views))))
    width = style.width - 2 * chart.PADDING - width_of_names - 3
    most = min(_MOST_IN_ROW, max(1, int((width + _TICKS) / (_SMALLEST + _TICKS))))
    per_row = ceil(len(names) / ceil(len(names) / most))
    side = min(_LARGEST, (width + _TICKS) / per_row - _TICKS)
    domain, ticks = axes.ticks_with_room(domain[0], domain[1], side, (_TICKS / 3, chart.PADDING))
    datasets: dict[str, Rows] = {"parts": parts}
    panels = []
    titles = [f"mean under {judge.name}" for judge in answer.judges]
    if any(width_of_text(title, AXIS) > side + _TICKS / 2 for title in titles):
        titles = [(shortened([name], side + _TICKS / 2, AXIS) or [name])[0] for name in names]
    legend = _legend(answer)
    for number, judge in enumerate(answer.judges):
        panel, rows = _panel(judge, f"runs{number}", titles[number], (domain, ticks), legend, side, style)
        panels.append(panel)
        datasets |= rows
    rows_of_panels = [
        {"hconcat": panels[start : start + per_row], "spacing": _TICKS, "bounds": "flush"}
        for start in range(0, len(panels), per_row)
    ]
    independent = {"resolve": {"scale": {"color": "independent"}, "legend": {"color": "independent"}}}
    return chart.framed(
        {"vconcat": [bars, *rows_of_panels], "spacing": _GAP, "align": "none", **independent},
        datasets,
        **_words(answer),
        style=style,
    )


def _means(judged: Judged) -> FloatArray:
    """The means of the runs, as the measure has them."""
    return judged.run_means if judged.better == "more" else negated(judged.run_means)


def _bars(answer: JudgesAnswer, labels: Sequence[str], width_of_names: int, style: Style) -> tuple[Spec, Rows]:
    """The parts of the mean squared difference, a bar for each judge."""
    names = [judge.name for judge in answer.judges]
    rows = [
        {"judge": judge.name, "part": part, "number": number, "value": getattr(judge.split, part)}
        for judge in answer.judges
        for number, part in enumerate(_PARTS)
    ]
    colour = chart.by_series("part", _PARTS, style, indent=width_of_names + chart.PADDING)["color"]
    largest = max(judge.split.msd for judge in answer.judges)
    width, end = style.width - 2 * chart.PADDING - width_of_names - 3, 1.05 * largest or 1
    title = as_title(style.wrapped(f"mean squared difference from {answer.reference.name}", AXIS, width))
    x = axes.quantity("value", title, stack="zero", scale={"domain": [0, end], "nice": False})
    x["axis"] = axes.ticks_with_room(0, end, width, (width_of_names, chart.PADDING))[1]
    axis = {"minExtent": width_of_names, "maxExtent": width_of_names, "ticks": False}
    axis |= axes.labelled(names, labels, style)
    y = {"field": "judge", "type": "nominal", "title": None, "scale": {"domain": names}, "axis": axis}
    encoding = {"x": x, "y": y, "color": colour, "order": {"field": "number"}}
    return {"width": width, "height": _BAR * len(names), "layer": [layer("parts", "bar", encoding, height=9)]}, rows


def _legend(answer: JudgesAnswer) -> Spec:
    """The legend of the lines, and of the triangles that there are."""
    marked = {mark for judge in answer.judges for mark in MARKS if judge.marked(mark, curved=True)}
    signs = [f"{sign}: {mark}" for mark, sign in _SIGNS.items() if mark in marked]
    legend = {"title": f"{', '.join(signs)} (p < {threshold(answer.request.level):g})" if signs else None}
    return legend | {"orient": "bottom", "symbolType": "stroke", "symbolSize": 200, "columns": 2}


def _panel(
    judge: JudgeAnswer,
    data: str,
    title: str,
    axis: tuple[list[float], Spec],
    legend: Spec,
    side: float,
    style: Style,
) -> tuple[Spec, dict[str, Rows]]:
    """The means of the runs under a judge over those under the reference, with their line.

    Both axes have the domain of an ``axis``, and the horizontal one its ticks. Favoured and disfavoured runs have names
    if all of them have room for one.
    """
    domain, ticks = axis
    before, after = _means(judge.reference), _means(judge.judge)
    rows: Rows = [
        {"run": run, "label": f"{run}", "reference": float(x), "mean": float(y), "mark": mark or _NEITHER}
        for run, x, y, mark in zip(judge.runs, before, after, judge.marks(curved=True), strict=True)
    ]
    scale = {"domain": list(domain), "nice": False}
    under = as_title(style.wrapped(f"mean under {judge.reference.name}", AXIS, side))
    x = axes.quantity("reference", under, scale=scale)
    y = axes.quantity("mean", None, scale=scale)
    x["axis"] = ticks
    y["axis"] = {**axes.tick_format(float(np.abs(domain).max())), "tickCount": 4}
    colours = style.colours
    scale_of_lines = {"domain": [_LINE, _EQUAL], "range": [[1, 0], [3, 2]]}
    dashes = {"strokeDash": {"field": "of", "scale": scale_of_lines, "legend": legend}}
    ends = {"x": {**x, "field": "from"}, "y": {**y, "field": "at"}, "x2": {"field": "to"}, "y2": {"field": "until"}}
    lines: Rows = [{"from": domain[0], "at": domain[0], "to": domain[1], "until": domain[1], "of": _EQUAL}]
    if np.isfinite(judge.split.slope):
        low, high = float(before.min()), float(before.max())
        at, until = (float(after.mean() + judge.split.slope * (end - before.mean())) for end in (low, high))
        line = dict(zip(("from", "at", "to", "until"), map(axes.rounded, (low, at, high, until)), strict=True))
        lines.append({**line, "of": _LINE})
    layers = [
        layer(f"{data}-lines", "rule", {**ends, **dashes}, color=colours.text, strokeWidth=0.8, clip=True),
        {**layer(data, "point", {"x": x, "y": y}, filled=True, size=14, opacity=0.6, color=colours.text)}
        | {"transform": [{"filter": {"field": "mark", "equal": _NEITHER}}]},
    ]
    for number, (mark, shape) in enumerate(_SHAPES.items()):
        point = layer(data, "point", {"x": x, "y": y}, filled=True, size=34, shape=shape, color=colours.series[number])
        layers.append({**point, "transform": [{"filter": {"field": "mark", "equal": mark}}]})
    named = [row for row in rows if row["mark"] != _NEITHER or is_highlighted(row["run"])]

    def on_page(x: float, y: float) -> tuple[float, float]:
        return side * (x - domain[0]) / (domain[1] - domain[0]), side * (domain[1] - y) / (domain[1] - domain[0])

    def points(rows: Rows) -> list[tuple[float, float]]:
        return [on_page(row["reference"], row["mean"]) for row in rows]

    drawn = [(on_page(line["from"], line["at"]), on_page(line["to"], line["until"])) for line in lines]

    def beside(named: Rows) -> list[Side | None]:
        names = [row["label"] for row in named]
        return placed(names, points(named), points(rows), (side, side), lines=drawn)

    sides = beside(named)
    if None in sides:
        named = [row for row in named if is_highlighted(row["run"])]
        sides = beside(named)
    labels, label_data = label_layers(named, sides, x, y, colours)
    for label in labels:
        label["data"] = {"name": f"{data}-{label['data']['name']}"}
    datasets = {data: rows, f"{data}-lines": lines, **{f"{data}-{name}": of for name, of in label_data.items()}}
    above = {"text": title, "fontSize": AXIS, "fontWeight": "normal", "offset": 3}
    return {"width": side, "height": side, "title": above, "layer": [*layers, *labels]}, datasets


def _words(answer: JudgesAnswer) -> Spec:
    """How many runs the judges favour or disfavour, as a title; what was evaluated; and what is drawn."""
    marked = {judge.name: [run for mark in MARKS for run in judge.marked(mark, curved=True)] for judge in answer.judges}
    n_marked = len({run for names in marked.values() for run in names})
    runs = f"{n_marked} of {counted(answer.n_runs, 'run')}" if n_marked else f"no {RUN}"
    conjunction = "or" if n_marked else "and"
    title = f"The judges favour {conjunction} disfavour {runs} significantly"
    if len(answer.judges) == 1:
        title = f"{answer.judges[0].name} favours {conjunction} disfavours {runs} significantly"
    size = f"{counted(answer.n_runs, 'run')}, {counted(answer.n_queries, 'query')}"
    measure = f"{answer.measure}, " if answer.measure else ""
    triangles = f"favoured (up) and disfavoured (down) {RUNS}, p < {threshold(answer.request.level):g}"
    signs = f"dashed: equal means; line: least squares; triangles: {triangles}"
    return {
        "title": title,
        "subtitle": f"{measure}{size}, {counted(len(answer.judges), 'judge')} beside the reference",
        "caption": [
            f"What judges change beside the reference, {answer.reference.name}",
            f"Bars: the parts of the mean squared difference of the scores of {RUNS}, whose sum it is",
            f"Panels: means of the {RUNS} under reference and judge; {signs}",
            *(f"Under {judge}: {listed(names)}" for judge, names in marked.items() if names),
            *chart.remarks(answer.reference.scored, None),
        ],
    }


FIGURES: Mapping[str, Callable[..., Spec]] = {"judges": judges_figure, "calibrated": calibrated_figure}
