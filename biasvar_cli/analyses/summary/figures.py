"""Means of runs under several measures, a panel each, with what the test says of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil, floor, inf, isfinite
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.summary.answer import MeasureAnswer, SummaryAnswer
from biasvar_cli.analyses.summary.notes import BETTER, WORSE, legend_notes, side_words, untested_notes
from biasvar_cli.analyses.summary.table import signs
from biasvar_cli.arrays import FloatArray
from biasvar_cli.drawing import axes, chart, run_axis
from biasvar_cli.drawing.style import AXIS, LABEL, Rows, Spec, Style, as_title, layer, width_of_text
from biasvar_cli.measures import value_range
from biasvar_cli.specs.limits import threshold
from biasvar_cli.stats.significance import TESTS
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.table import measure_words
from biasvar_cli.words import RUNS, counted, counted_queries, in_nouns, is_highlighted, listed

_NARROWEST, _GAP = 38.0, 9.0  # points of a panel, and between two
_NAMES, _SHORT_NAMES = 0.36, 0.23  # of the width, at most for the names of the runs; the less, if one row then does
_NAMES_IN_TITLE = 0.45  # of the width, at most for the names of runs that the title has
_FRAME = 1.0  # points that the lines around the panels need on either side
_BEHIND = 8.0  # points of a mark behind its bar
_ASIDE, _ASIDE_OF_LARGE = 3.5, 6.0  # points from the middle of a point, or of a highlighted one, to its mark
_DIGITS = 4  # of means, by which the best are found
_MORE, _LESS, _NEITHER = f"{BETTER} significantly better", f"{WORSE} significantly worse", "not significantly different"
_UNTESTED = "not tested"
_BARS = (
    "Bars: mean ± half the critical difference ({}); runs whose bars do not overlap differ significantly. "
    "Dashed line: the {} end of the best run’s bar"
)
_BAND = "Band: the baseline’s mean ± the critical difference ({}); runs outside it differ from the baseline"


class Panel(NamedTuple):
    """The runs under one measure, as arrays of the shape (n_runs,): their states, and the ends of their bars.

    Without a baseline the bar of a run has half the critical difference on either side of its mean, and ``line`` is the
    end of the best run's. With one there are no bars, for no two other runs are compared: ``line`` is its mean, and
    ``band`` has the critical difference on either side. Where nothing is tested there is none of these.
    """

    answer: MeasureAnswer
    title: str
    states: list[str]
    low: FloatArray
    high: FloatArray
    line: float | None
    band: tuple[float, float] | None


def summary_figure(answers: Sequence[SummaryAnswer], *, top: int | None = None, style: Style | None = None) -> Spec:
    """The means of the ``top`` runs, a panel for each measure: the baseline first, then the best by the first measure.

    Without a baseline two runs whose bars do not overlap differ by the test of all pairs, and a line shows how far the
    bar of the best run reaches. With one a run differs from it whose mean lies outside the band. The marks are those of
    the table. Raises `DataError` for a single run.
    """
    style = style or Style()
    (answer,) = answers
    chart.require_runs(answer.run_labels)
    order = [row for rank, row in enumerate(answer.best_first) if run_axis.is_drawn(answer.runs[row], rank, top)]
    panels = [_panel(answer, measure) for measure in answer.measures]
    runs = {answer.runs[row] for row in order}
    rows = [row for panel in panels for row in _rows(answer, panel, runs)]
    bands = [panel.band or (None, None) for panel in panels]
    tests = [
        {"measure": panel.answer.label, "line": panel.line, "low": low, "high": high}
        for panel, (low, high) in zip(panels, bands, strict=True)
    ]
    axis, per_row, width = _layout(answer, panels, order, style)
    without_names = {**axis.channel, "axis": {"labels": False, "ticks": False, "domain": False, "grid": True}}
    indent = chart.PADDING + axis.width
    series = _series(answer, rows, panels, indent, style)
    domains = [_domain(panel, rows, width) for panel in panels]
    bars = (
        (row["high"] - row["low"]) / (domain[1] - domain[0]) * width
        for panel, (domain, _) in zip(panels, domains, strict=True)
        for row in rows
        if row["measure"] == panel.answer.label and row["low"] < row["high"]
    )
    size = min(run_axis.dot_size(min(bars, default=inf)), axis.step**2)
    signed = axis.step >= run_axis.ROW  # there is room for the marks of the table
    looks = {"size": size, "height": axis.height, "width": width, "signed": signed}
    views = []
    for column, (panel, domain) in enumerate(zip(panels, domains, strict=True)):
        first = column % per_row == 0
        view = _view(panel, domain, axis.channel if first else without_names, series, looks, style)
        views.append({**view, "layer": [*view["layer"], *axis.layers]} if first else view)
    lines = [
        {"hconcat": views[start : start + per_row], "spacing": _GAP, "bounds": "flush"}
        for start in range(0, len(views), per_row)
    ]
    return chart.framed(
        lines[0] if len(lines) == 1 else {"vconcat": lines, "spacing": _GAP},
        {"runs": rows, "tests": tests, **axis.data},
        **_heading(answer),
        caption=[*_caption(answer, panels, len(order)), *chart.remarks_on(answer.measures)],
        style=style,
    )


def _panel(answer: SummaryAnswer, measure: MeasureAnswer) -> Panel:
    words = measure.label if answer.of_tracks else measure.measure or "score"
    side = side_words(answer.measures)
    title = f"{words} (less is better)" if measure.better == "less" else words
    mean, critical = measure.printed_mean, measure.critical
    if not isfinite(critical):
        return Panel(measure, title, _states(measure, side), mean, mean, None, None)
    least, largest = (measure.measure and value_range(measure.measure)) or (-np.inf, np.inf)
    limits = min(least, float(mean.min())), max(largest, float(mean.max()))
    if measure.baseline is not None:
        line = float(mean[measure.baseline])
        band = float(np.clip(line - critical, *limits)), float(np.clip(line + critical, *limits))
        return Panel(measure, title, _states(measure, side), mean, mean, line, band)
    low, high = (np.clip(mean + sign * critical / 2, *limits) for sign in (-1, 1))
    line = float((low if measure.better == "more" else high)[measure.leaders[0]])
    return Panel(measure, title, _states(measure, side), low, high, line, None)


def _states(measure: MeasureAnswer, side: str) -> list[str]:
    """What the test says of each run, as the legend has it."""
    if measure.untested is not None:
        return [_UNTESTED] * measure.scores.n_runs
    best, other = _beside_best(side)
    words = {"better": _MORE, "worse": _LESS, "not-below-best": best}
    other = other if measure.baseline is None else _NEITHER
    states = [words[mark] if mark is not None else other for mark in measure.marks]
    if measure.baseline is not None:
        states[measure.baseline] = "the baseline"
    return states


def _beside_best(side: str) -> tuple[str, str]:
    """What the legend says of runs that do not differ from the best one, and of those that do."""
    return in_nouns(f"not significantly {side} the best run"), f"significantly {side} it (triangle)"


def _rows(answer: SummaryAnswer, panel: Panel, runs: set[str]) -> Rows:
    """A row for each of the runs shown that is in the track."""
    marks = signs(panel.answer)
    return [
        {
            "run": answer.names[run],
            "measure": panel.answer.label,
            "mean": float(panel.answer.printed_mean[row]),
            "low": float(panel.low[row]),
            "high": float(panel.high[row]),
            "what": panel.states[row],
            "sign": marks[row],
            "aside": _ASIDE_OF_LARGE if is_highlighted(answer.names[run]) else _ASIDE,
        }
        for row, run in enumerate(panel.answer.scores.runs)
        if run in runs
    ]


def _series(answer: SummaryAnswer, rows: Rows, panels: Sequence[Panel], indent: float, style: Style) -> Spec:
    """The channels of the states that there are, under words on the bars or the band; without a test no legend."""
    best, below = _beside_best(side_words([panel.answer for panel in panels]))
    grey = {"the baseline": "diamond", _NEITHER: chart.RING, below: "circle", _UNTESTED: "circle"}
    states = {row["what"] for row in rows}
    order = ("the baseline", best, below, _MORE, _LESS, _NEITHER, _UNTESTED)
    domain = [state for state in order if state in states]
    colours = [_MORE, *domain] if _LESS in domain and _MORE not in domain else domain  # worse is always the second
    series = chart.by_series("what", colours, style, grey, indent=indent)
    words = _test_words(answer)
    if any(panel.line is not None for panel in panels):
        words = in_nouns(_BAND.format(words)) if any(panel.band for panel in panels) else _bar_words(answer, panels)
    for channel in series.values():
        channel["legend"] = None if domain == [_UNTESTED] else {**channel["legend"], "values": domain}
        if channel["legend"]:
            channel["legend"] |= {"title": as_title(style.wrapped(words, width=style.width - indent - chart.PADDING))}
    return series


def _test_words(answer: SummaryAnswer) -> str:
    """The test and its level."""
    test = answer.request.test
    words = dict.fromkeys(measure.tests.words(test) for measure in answer.measures if measure.tests)
    return f"{listed(words)}, p < {threshold(answer.request.level):g}"


def _bar_words(answer: SummaryAnswer, panels: Sequence[Panel]) -> str:
    """What the bars and the line are."""
    ends = {"lower" if panel.answer.better == "more" else "upper" for panel in panels}
    end = ends.pop() if len(ends) == 1 else "worse"
    return in_nouns(_BARS.format(_test_words(answer), end))


def _layout(
    answer: SummaryAnswer, panels: Sequence[Panel], order: Sequence[int], style: Style
) -> tuple[run_axis.RunAxis, int, float]:
    """The axis of the runs, how many panels stand side by side, and how wide each of them is."""
    runs = [answer.run_labels[row] for row in order]
    longest_word = max(width_of_text(word, AXIS) for panel in panels for word in panel.title.split())
    in_title = max(width_of_text(run) for measure in answer.measures for run in _leaders(answer, measure))
    longest = max(_NAMES * style.width, min(in_title, _NAMES_IN_TITLE * style.width))
    for points in (longest, _NAMES * style.width, _SHORT_NAMES * style.width, longest):
        axis = run_axis.run_axis(runs, style, longest=points)
        width = style.width - 2 * chart.PADDING - 2 * _FRAME - axis.width
        columns, panel_width = _columns(len(panels), width, longest_word)
        if columns == len(answer.measures):
            break
    return axis, columns, panel_width


def _heading(answer: SummaryAnswer) -> Spec:
    """Which run is the best by each measure, as a title, and what was evaluated.

    By a measure of no test, and where the best differ, the title says no more than which they are.
    """
    labels: dict[tuple[str, ...], list[str]] = {}
    for measure in answer.measures:
        labels.setdefault(tuple(_leaders(answer, measure)), []).append(measure.label)
    title = f"Best mean: {'; '.join(f'{listed(runs, 1)} by {listed(by, 3)}' for runs, by in labels.items())}"
    if len(labels) == 1:
        ((runs, by),) = labels.items()
        title = f"Best mean by {by[0] if len(by) == 1 else 'each measure'}: {listed(runs, 2)}"
    first = answer.measures[0]
    measures = listed(dict.fromkeys(measure_words(measure.measure) for measure in answer.measures))
    size, order = counted_queries(first.n_queries, first.n_clusters), first.measure or "the mean"
    if answer.of_tracks:
        size, order = counted(len({measure.track for measure in answer.measures}), "track"), first.label
    subtitle = f"{measures}, {counted(len(answer.runs), 'run')} in order of {order}, {size}"
    return {"title": title, "subtitle": subtitle}


def _leaders(answer: SummaryAnswer, measure: MeasureAnswer) -> list[str]:
    """The runs whose mean is the best one when both are rounded, by the names they are shown by."""
    means = [number(mean, _DIGITS) for mean in measure.printed_mean.tolist()]
    equal = [row for row, mean in enumerate(means) if mean == means[measure.leaders[0]]]
    return [answer.names[measure.runs[row]] for row in dict.fromkeys([*measure.leaders, *equal])]


def _columns(n_panels: int, width: float, longest: float) -> tuple[int, float]:
    """How many panels stand side by side within a width, in rows that are about as long, and how wide each is.

    No panel is narrower than the ``longest`` word of the titles.

    >>> _columns(3, 190, 30), _columns(4, 190, 50)
    ((3, 57), (2, 90))
    """
    most = max(1, floor((width + _GAP) / (max(_NARROWEST, longest) + _GAP)))
    columns = ceil(n_panels / ceil(n_panels / most))
    return columns, floor((width - _GAP * (columns - 1)) / columns)


def _domain(panel: Panel, rows: Rows, width: float) -> tuple[list[float], Spec]:
    """The domain of a panel's axis, with room for a mark behind the longest bar, and its ticks."""
    here = [row for row in rows if row["measure"] == panel.answer.label]
    ends = [end for row in here for end in (row["low"], row["high"])]
    ends += [] if panel.line is None else [panel.line, *(panel.band or ())]
    low, high = axes.extent(np.array(ends))
    _, largest = (panel.answer.measure and value_range(panel.answer.measure)) or (-inf, inf)
    high = high if max(ends) > largest else min(high, largest)
    behind = (high - low) * _BEHIND / (width - _BEHIND)
    high = max([high, *(row["high"] + behind for row in here if row["sign"])])
    return axes.ticks_with_room(low, high, width, (_GAP / 3, chart.PADDING))


def _view(panel: Panel, domain: tuple[list[float], Spec], y: Spec, series: Spec, looks: Spec, style: Style) -> Spec:
    """One panel: the band or the bars of the test, its line, the means and their marks."""
    x = axes.quantity("mean", panel.title, scale={"domain": domain[0], "nice": False}, axis=domain[1])
    x["title"] = as_title(style.wrapped(panel.title, AXIS, looks["width"]))
    here = {"transform": [{"filter": {"field": "measure", "equal": panel.answer.label}}]}
    text, at_end = style.colours.text, {"x": {**x, "field": "high"}, "y": y, "text": {"field": "sign"}}
    layers = []
    if panel.band:
        band = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
        layers.append({**layer("tests", "rect", band, color=style.colours.faint, opacity=0.5), **here})
    elif panel.line is not None:
        bars = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "y": y, "color": series["color"]}
        layers.append({**layer("runs", "rule", bars, strokeWidth=1.4 if looks["signed"] else 0.8), **here})
    if panel.line is not None:
        line = {"x": {**x, "field": "line"}}
        layers.append({**layer("tests", "rule", line, color=text, strokeWidth=0.7, strokeDash=[3, 2]), **here})
    layers.append({**layer("runs", "point", {"x": x, "y": y, **series}, filled=True, size=looks["size"]), **here})
    if looks["signed"]:
        aside = {"expr": "datum.aside"}
        layers.append({**layer("runs", "text", at_end, align="left", dx=aside, fontSize=LABEL), **here})
    return {"width": looks["width"], "height": looks["height"], "layer": layers}


def _caption(answer: SummaryAnswer, panels: Sequence[Panel], n_drawn: int) -> Iterator[str]:
    yield f"Means of the {RUNS}{' by each measure' if len(panels) > 1 else ''}"
    by = f" by {panels[0].answer.label}" if len(panels) > 1 else ""
    part = f"{n_drawn} of {counted(len(answer.runs), 'run')} shown, " if n_drawn < len(answer.runs) else ""
    order = "the best first" if answer.baseline is None else f"{answer.baseline} and then the best first"
    yield f"{part or f'{RUNS:title}: '}{order}{by}"
    yield from (note.rstrip(".") for note in legend_notes(answer))
    sizes = ", ".join(
        number(panel.answer.critical, 4) + (f" ({panel.answer.label})" if len(panels) > 1 else "")
        for panel in panels
        if isfinite(panel.answer.critical)
    )
    if sizes:
        yield _bar_words(answer, panels) if answer.baseline is None else in_nouns(_BAND.format(_test_words(answer)))
        yield f"Critical difference: {sizes}"
    elif any(measure.untested is None for measure in answer.measures) and TESTS[answer.request.test].corrected:
        yield in_nouns("No bars: a test of single pairs has no critical difference")
    yield from (note.rstrip(".") for note in untested_notes(answer))


FIGURES: Mapping[str, Callable[..., Spec]] = {"summary": summary_figure}
