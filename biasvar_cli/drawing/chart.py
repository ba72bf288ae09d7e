"""What figures have in common: the frame with title, caption and axes, a legend of series, quantities and sentences."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import ceil, floor, log10
from typing import Any, NamedTuple, Protocol, TypeVar

from biasvar_cli import words
from biasvar_cli.arrays import ROUNDING, FloatArray, in_order
from biasvar_cli.decomposition import Design
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.drawing.style import (
    AXIS,
    LABEL,
    TITLE,
    Datum,
    Rows,
    Spec,
    Style,
    as_title,
    cleaned,
    config,
    highlighted,
    shortened,
    width_of_text,
    with_highlights,
)
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.score_matrix import LogTransform
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.scoring.track import Scored
from biasvar_cli.specs.limits import require_one
from biasvar_cli.specs.requests import TargetedRequest
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.rows import sizes_words
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import (
    VAR_TITLES,
    Better,
    Coefficient,
    Form,
    argument,
    counted,
    is_highlighted,
    listed,
    printable,
)

BIAS2 = "bias²"
Answer = TypeVar("Answer")


class InForm(NamedTuple):
    """One form of a decomposition: bias², its variance and total, with their names on axes and in captions."""

    form: Form
    bias2: FloatArray
    var: FloatArray
    total: FloatArray

    @property
    def var_title(self) -> str:
        return VAR_TITLES[self.form]

    @property
    def total_title(self) -> str:
        return f"{BIAS2} + {self.var_title}"

    def point(self, run: int) -> Datum:
        """The errors of a run by the names of their columns."""
        names = ("bias2", words.VAR[self.form], words.TOTAL[self.form])
        return {name: float(errors[run]) for name, errors in zip(names, self[1:], strict=True)}


def in_form(result: Decomposition, form: Form) -> InForm:
    """The variance and the total of one form. Raises `UsageError` for the gap form of a target that is a mean alone.

    >>> import numpy as np
    >>> from biasvar_cli.decomposition.decompose import decompose
    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> from biasvar_cli.decomposition.decompose import mean_target
    >>> result = decompose(ScoreMatrix(np.array([[0.3, 0.1]]), ("A",), ("q1", "q2"), "AP"), mean_target(0.45))
    >>> in_form(result, "score").total_title
    'bias² + variance'
    """
    if form == "gap" and result.target.scores is None:
        needs = f"{argument(form='gap')} needs the target's score per {words.QUERY}"
        raise UsageError(f"{needs}; {result.target.label} is a mean alone")
    return InForm(form, result.bias2, getattr(result, words.VAR[form]), getattr(result, words.TOTAL[form]))


def one_answer(answers: Sequence[Answer], **values: Callable[[Answer], object]) -> Answer:
    """The answer of a figure that shows one. ``values`` say what each argument was for an answer.

    Raises `UsageError` for answers that differ in such an argument.

    >>> one_answer(["AP", "RR"], measure=str)
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: measure: expected one, found AP and RR
    """
    for option, value in values.items():
        require_one(option, map(value, answers))
    return answers[0]


def by_bias2(result: Decomposition) -> list[int]:
    """The places of the runs in ascending order of bias², differences by rounding aside, then of their names."""
    return in_order(result.bias2, result.runs)


def require_runs(runs: Sequence[str], noun: str = "run") -> None:
    """Raises `DataError` for a single run, and for two whose names look the same; messages call a run by ``noun``."""
    if len(runs) < 2:
        there = counted(len(runs), noun)
        raise DataError(f"the figure compares {words.plural(noun)}: it needs at least 2, found {there}")
    alike = [name for name, count in Counter(map(printable, runs)).items() if count > 1]
    if alike:
        raise DataError(f"two {words.plural(noun)} would both be shown as {min(alike)}: give one of them another name")


def remarks(scored: Scored, transform: LogTransform | None) -> list[str]:
    """The sentences of every figure on scores that are not just those of the listed runs: systems, a pool, logarithms.

    >>> import numpy as np
    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> runs = ScoreMatrix(np.array([[0.3, 0.0]]), ("A",), ("q1", "q2"), "AP")
    >>> remarks(Scored(runs, runs, None, None), LogTransform("floor", 1e-5))
    ['Scores are ln(max(AP, 1e-05)); 1 of 2 lie below 1e-05']
    """
    sentences = []
    if scored.scores.replicates is not None:
        sentences.append(f"Systems of several runs: {sizes_words(scored.scores.replicates)}")
    if scored.pool.n_runs > scored.scores.n_runs:
        sentences.append(f"The target is of {counted(scored.pool.n_runs, 'run')} with the pool’s")
    if transform is not None:
        measure, values = measure_words(scored.scores.measure), scored.scores.in_unit.of_single_runs
        inner = f"max({measure}, {transform.eps:g})" if transform.form == "floor" else f"{measure} + {transform.eps:g}"
        below = f"{int((values < transform.eps).sum())} of {values.size} lie below {transform.eps:g}"
        sentences.append(f"Scores are ln({inner}); {below}")
    return sentences


class Targeted(Protocol):
    """An answer on scores against a target: what was asked, and of which scores."""

    @property
    def request(self) -> TargetedRequest: ...

    @property
    def scored(self) -> Scored: ...


def remarks_on(answers: Iterable[Targeted]) -> list[str]:
    """The `remarks` on the scores of some answers, each once."""
    transforms = ((answer.scored, log_transform(answer.request)) for answer in answers)
    return list(dict.fromkeys(line for scored, transform in transforms for line in remarks(scored, transform)))


def about_result(result: Decomposition, order: str = "") -> str:
    """What a figure of a decomposition is of, and what its runs are in order of."""
    return about(result.measure, result.target, len(result.runs), result.n_queries, order=order)


def unit_words(result: Decomposition, form: Form) -> str:
    """The form of a decomposition and the unit of its numbers."""
    return f"{form_words(form).capitalize()}; unit: {result.measure or 'the measure'} squared"


def form_words(form: Form) -> str:
    """A form as captions have it.

    >>> form_words("score"), form_words("gap")
    ('score form', 'gap form (gap = target − score)')
    """
    return "score form" if form == "score" else "gap form (gap = target − score)"


def design_words(design: Design) -> str:
    """The random partitions and their seed, and whatever else is not as CIKM'14 has it.

    >>> design_words(Design())
    'drawn at random: 10 partitions, seed 0'
    >>> design_words(Design(difficulty="mean", normalise="maxmin"))
    'drawn at random: 10 partitions, seed 0; difficulty by the mean score; normalised by maxmin, which is inferred'
    """
    drawn = f"drawn at random: {counted(design.repeats, 'partition')}, seed {design.seed}"
    settings = {
        "difficulty": "difficulty by the mean score",
        "remainder": f"remainder: {design.remainder}",
        "subset_weights": "subsets of equal weight",
        "normalise": f"normalised by {design.normalise}, which is inferred",
        "zero_target": f"where the target is 0: {design.zero_target}",
    }
    usual = Design()
    return "; ".join(
        [drawn, *(text for name, text in settings.items() if getattr(design, name) != getattr(usual, name))]
    )


SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "triangle-right", "triangle-left")
RING = "M-1,0A1,1 0 1,1 1,0A1,1 0 1,1 -1,0ZM-0.55,0A0.55,0.55 0 1,0 0.55,0A0.55,0.55 0 1,0 -0.55,0Z"
HOLLOW = "M-1,0A1,1 0 1,1 1,0A1,1 0 1,1 -1,0ZM-0.8,0A0.8,0.8 0 1,0 0.8,0A0.8,0.8 0 1,0 -0.8,0Z"  # a thinner ring
DASHES = ([1, 0], [5, 2], [1, 1.5], [7, 1.5, 1, 1.5], [2.5, 2.5], [10, 2], [4, 1, 1, 1, 1, 1], [1, 4])  # of lines
_INDENT = 40.0  # points from the left edge to where a legend begins, below a vertical axis of numbers


def by_series(
    field: str,
    domain: Sequence[str],
    style: Style,
    grey_shapes: Mapping[str, str] | None = None,
    *,
    indent: float = _INDENT,
) -> Spec:
    """The channels that distinguish series, by colour and by shape; those in ``grey_shapes`` are grey.

    The legend begins ``indent`` points from the left edge, where the plot does.
    """
    names, grey_shapes = list(domain), grey_shapes or {}
    coloured = [name for name in names if name not in grey_shapes]
    colours = {name: style.colours.series[index % len(style.colours.series)] for index, name in enumerate(coloured)}
    shapes = {name: SHAPES[index % len(SHAPES)] for index, name in enumerate(coloured)} | dict(grey_shapes)
    width = round(style.width - indent - 20)
    columns = legend_columns(names, style, indent=indent)
    legend: Spec = {"title": None, "orient": "bottom", "columns": columns, "symbolOpacity": 1, "labelLimit": width}
    printed, labels = [printable(name) for name in names], shortened(names, width)
    if labels not in (None, printed):
        legend["labelExpr"] = f"{json.dumps(dict(zip(printed, labels, strict=True)))}[datum.label]"
    ranges = {"color": [colours.get(name, style.colours.grey) for name in names], "shape": [shapes[n] for n in names]}
    return by_range(field, names, ranges, legend)


def by_range(field: str, domain: Sequence[str], ranges: Mapping[str, Sequence[Any]], legend: Spec) -> Spec:
    """The channels that distinguish the names of a domain, with the range of each and one legend."""
    scales = {channel: {"domain": list(domain), "range": list(values)} for channel, values in ranges.items()}
    named = {"field": field, "type": "nominal"}
    return {channel: {**named, "scale": scale, "legend": legend} for channel, scale in scales.items()}


BAR = "M-1.4,-0.55H1.4V0.55H-1.4Z"
STROKE = "M-0.13,-1.4H0.13V1.4H-0.13Z"


def legend_rows(names: Sequence[str], style: Style, *, indent: float = _INDENT) -> int:
    """How many rows the legend of `by_series` has."""
    return -(-len(names) // legend_columns(names, style, indent=indent))


def legend_columns(names: Sequence[str], style: Style, *, indent: float = _INDENT) -> int:
    """How many columns the legend of `by_series` has."""
    longest = max((width_of_text(name) for name in names), default=0) + 22
    return max(1, min(len(names), int((style.width - indent) / longest)))


def unambiguous(name: str, reserved: Collection[str], kind: str) -> str:
    """A name for a legend; one that equals a word of the legend's own has its kind added.

    >>> unambiguous("bm25", ["no run"], "run"), unambiguous("no run", ["no run"], "run")
    ('bm25', 'no run (run)')
    """
    return f"{name} ({kind})" if name in reserved else name


def chart(
    layers: Sequence[Spec],
    datasets: Mapping[str, Rows],
    *,
    title: str,
    subtitle: str,
    caption: Sequence[str],
    style: Style,
    height: float,
    legend_rows: int | None = 0,
) -> Spec:
    """A figure of layers over named data. ``height`` is that of the plot itself, in points.

    With a number of ``legend_rows`` it is about that height, and the page has room for so many; with None it is exact,
    and the page as high as it has to be. The width is the whole one, axes and legend included. ``subtitle`` says what
    was evaluated, in one line or two under the title. ``title`` is the finding, ``caption`` what is drawn, in sentences
    of which the first stands before the ``subtitle``; the description has them all.
    """
    heading = style.wrapped(title, 1.1 * TITLE)
    over = (TITLE + 2) * len(heading) + TITLE + (LABEL + 2) * len(_in_two_lines(subtitle, style)) if style.titled else 0
    exact = legend_rows is None
    body = {
        "width": round(style.width, 2),
        "height": round(height, 2) if exact else round(height + over + 4 * AXIS + 1.8 * LABEL * (legend_rows or 0)),
        "autosize": {"type": "fit-x" if exact else "fit", "contains": "padding"},
        "layer": list(layers),
    }
    return framed(body, datasets, title=title, subtitle=subtitle, caption=caption, style=style)


PADDING = 3  # points around a figure


def framed(
    body: Spec, datasets: Mapping[str, Rows], *, title: str, subtitle: str, caption: Sequence[str], style: Style
) -> Spec:
    """A figure with its title, caption and data around a ``body``, which has the sizes of the plots.

    Highlighted runs are on top.
    """
    runs = highlighted(datasets)
    marked = [f"Highlighted: {listed(runs)}"] if runs else []
    spec: Spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": f"{'. '.join([title, caption[0], subtitle, *caption[1:], *marked])}.",
        "padding": PADDING,
        "background": style.colours.background,
        "config": config(style),
        "datasets": dict(datasets),
        **with_highlights(body, datasets, style.colours),
    }
    if style.titled:
        heading = style.wrapped(title, 1.1 * TITLE)
        spec["title"] = {"text": as_title(heading), "subtitle": _in_two_lines(subtitle, style)}
    return dict(cleaned(spec))


def _in_two_lines(subtitle: str, style: Style) -> list[str]:
    """The lines of a subtitle, broken after its last semicolon that lets both fit.

    A subtitle that needs more than two lines loses its middle, and has one.
    """
    lines, parts = style.wrapped(subtitle), subtitle.split("; ")
    for size in range(len(parts) - 1, 0, -1) if len(lines) == 2 else ():
        halves = ["; ".join(parts[:size]) + ";", "; ".join(parts[size:])]
        if all(len(style.wrapped(half)) == 1 for half in halves):
            return halves
    return lines if len(lines) <= 2 else shortened([subtitle], style.width - 8) or lines[:1]


_QUERY = 6.0  # points that a query's id beside another needs
_LONGEST_ID = 80.0  # points; cqadupstack-mathematica needs 77
_IDS = 6  # points, of the ids of queries
_BETWEEN_TICKS = 6.0  # points between the labels of two ticks, at least
_STEP = 0.2  # between correlations at which their axis may end
_LEAST = 0.4  # what an axis of correlations spans at least


def quantity(field: str, title: str | list[str] | None, domain: Sequence[float] | None = None, **more: Any) -> Spec:
    """A number on an axis, which has just the ``domain``, if there is one.

    Layers that share the axis name it alike, or it would have both titles.
    """
    scale = {} if domain is None else {"scale": {"domain": list(domain), "nice": False}}
    return {"field": field, "type": "quantitative", "title": title, **scale, **more}


def labelled(names: Sequence[str], labels: Sequence[str], style: Style) -> Spec:
    """What an axis of names needs to show labels instead of them, in the same order; highlighted runs are bold."""
    axis: Spec = {"labelLimit": 0}
    if runs := [printable(name) for name in names if is_highlighted(name)]:
        test, colours = {"test": f"indexof({runs!r}, datum.value) >= 0"}, style.colours
        axis["labelFontWeight"] = {"condition": {**test, "value": "bold"}, "value": "normal"}
        axis["labelColor"] = {"condition": {**test, "value": colours.highlight}, "value": colours.text}
    if [printable(name) for name in names] != list(labels):
        axis["labelExpr"] = f"{json.dumps(list(labels))}[round(datum.index * {len(names) - 1})]"
    return axis


def in_lines(axis_labels: Sequence[Sequence[str]]) -> Spec:
    """What a vertical axis of names needs to show labels of several lines instead of them, in the same order."""
    lines, index = json.dumps(list(map(list, axis_labels))), f"round(datum.index * {len(axis_labels) - 1})"
    higher = [
        {"test": f"length({lines}[{index}]) == {number}", "value": -(LABEL + 2) * (number - 1) / 2}
        for number in sorted({len(label) for label in axis_labels} - {1})
    ]
    offset = {"labelOffset": {"condition": higher, "value": 0}} if higher else {}
    return {"labelLimit": 0, "labelExpr": f"{lines}[{index}]", "labelLineHeight": LABEL + 2, **offset}


def hardest_first(key: str, better: Better = "more") -> str:
    """The title of an axis of queries in order of their difficulty.

    >>> hardest_first("best")
    'Queries, hardest (lowest best score) first'
    """
    return f"{words.QUERIES:title}, hardest ({'lowest' if better == 'more' else 'highest'} {key} score) first"


def query_axis(
    order: list[str], width: float, title: str, style: Style, *, n_together: int = 1, some: bool = True
) -> tuple[Spec, float]:
    """The queries in some order, with as many of their ids as fit a width; and how high these are, in points.

    Where queries are drawn ``n_together``, ``order`` has the first ones. Without ``some``, all ids are shown or none.
    """
    axis: Spec = {"labels": False, "ticks": False}
    step, height = ceil(_QUERY * len(order) / width), 0.0
    ids = shortened(order, _LONGEST_ID, _IDS) if some or step == 1 else None
    title += f"; {n_together} in a column" if n_together > 1 else ""
    if ids is None:
        title += f"; {words.QUERY} ids not shown"
    else:
        title += f"; one id of {step * n_together} shown" if step * n_together > 1 else ""
        labels = ["" if index % step else label for index, label in enumerate(ids)]
        axis = {"labelAngle": -90, "labelFontSize": _IDS, **labelled(order, labels, style)}
        height = max(width_of_text(label, _IDS) for label in labels)
    axis["grid"], lines = False, style.wrapped(title, AXIS, width)
    spec = {"field": "query_id", "type": "nominal", "title": as_title(lines), "scale": {"domain": order}, "axis": axis}
    return spec, height + (len(lines) - 1) * (AXIS + 2)


def extent(values: FloatArray, *, share: float = 0.07, unit: float = 0.0) -> list[float]:
    """The domain of an axis: from the least to the largest value and a little more.

    Values that differ by no more than rounding, of themselves or of ``unit``, are taken to be equal.

    >>> import numpy as np
    >>> extent(np.array([0.0, 1.0]), share=0.1), extent(np.array([0.5])), extent(np.array([0.0, 1e-33]), unit=0.2)
    ([-0.1, 1.1], [0.45, 0.55], [-0.02, 0.02])
    """
    least, largest = float(values.min()), float(values.max())
    size = max(abs(least), abs(largest), unit)
    spread = largest - least
    margin = share * spread if spread > ROUNDING * size else 0.1 * size or 0.01
    return [rounded(least - margin), rounded(largest + margin)]


def rounded(value: float) -> float:
    """A number to twelve significant digits, without what sums in binary leave behind.

    >>> rounded(0.1 + 0.2), rounded(1e-18 / 3)
    (0.3, 3.33333333333e-19)
    """
    return float(f"{value:.12g}")


def round_step(rough: float) -> float:
    """1, 2 or 5 times a power of ten, at least as large.

    >>> round_step(0.013), round_step(0.3)
    (0.02, 0.5)
    """
    power = 10.0 ** floor(log10(rough))
    return next(rounded(factor * power) for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def tick_format(largest: float) -> Spec:
    """How an axis up to so large a number writes its ticks: with an exponent where zeros would fill the page.

    >>> tick_format(0.2), tick_format(1e-18)
    ({}, {'format': '~g'})
    """
    return {} if 1e-4 <= largest < 1e6 or largest == 0 else {"format": "~g"}


def ticks_with_room(
    low: float, high: float, width: float, beside: tuple[float, float] = (0.0, 0.0)
) -> tuple[list[float], Spec]:
    """The domain of an axis and its ticks: round values whose labels have room on it, two at least.

    Labels may reach so many points ``beside`` its ends. Where there are fewer, the domain reaches to the next round
    value.
    """
    step, written = round_step((high - low) / 10), tick_format(max(abs(low), abs(high))).get("format", "")
    while True:
        form = written or f".{max(0, -floor(log10(step) + 1e-9))}f"
        wide = max(width_of_text(f"{step * at:{form.lstrip('~')}}") for at in (floor(low / step), ceil(high / step)))
        point = (high - low) / width
        left, right = (max(0.0, wide / 2 - room) * point for room in beside)
        first, last = ceil((low + left) / step - 1e-9), floor((high - right) / step + 1e-9)
        if (wide + _BETWEEN_TICKS) / width * (high - low) > step:
            step = round_step(1.01 * step)
        elif first >= last:
            below, above = step * (first - 1) - 1.2 * left, step * (last + 1) + 1.2 * right
            low, high = (below, high) if low - below <= above - high else (low, above)
        else:
            values = [rounded(step * at) for at in range(first, last + 1)]
            return [rounded(low), rounded(high)], {"values": values, "format": form, "labelOverlap": False}


def correlation_range(rows: Rows) -> str:
    """The least and the largest correlation, the title where none is judged.

    >>> correlation_range([{"observed": -0.5}, {"observed": 0.25}])
    'Correlations of bias² and variance from −0.50 to 0.25'
    """
    low, high = (number(end(row["observed"] for row in rows), 2).replace("-", "−") for end in (min, max))
    return f"Correlations of {BIAS2} and variance from {low} to {high}"


def outside_words(rows: Rows) -> str:
    """How many correlations are outside the range of their null models, where there are any.

    >>> outside_words([{"observed": -0.5, "low": -0.4, "high": 0.1}, {"observed": 0.0, "low": -0.4, "high": 0.1}])
    '1 of 2 correlations is outside its range'
    """
    tested = [row for row in rows if row["low"] is not None]
    outside = [row for row in tested if not row["low"] <= row["observed"] <= row["high"]]
    if not outside:
        return "No correlation is outside its range"
    some = f"{len(outside)} of {counted(len(tested), 'correlation')}"
    return f"{some} {'is outside its range' if len(outside) == 1 else 'are outside their ranges'}"


def correlation_axis(coefficient: Coefficient, form: Form, rows: Rows) -> Spec:
    """The observed correlations of some rows and their intervals, from one fifth to another and a little more.

    >>> axis = correlation_axis("kendall", "score", [{"observed": -0.95, "low": None, "high": -0.3}])
    >>> axis["title"], axis["scale"]["domain"]
    ('Kendall’s τ of bias² and variance', [-1.04, -0.16])
    """
    values = [row[key] for row in rows for key in ("observed", "low", "high") if row[key] is not None]
    low, high = _STEP * floor(min(values) / _STEP), _STEP * ceil(max(values) / _STEP)
    if high - low < _LEAST:
        low, high = (low, low + _LEAST) if low + _LEAST <= 1 else (1 - _LEAST, 1.0)
    margin = 0.05 * (high - low)
    title = f"{words.COEFFICIENT_TITLES[coefficient]} of {BIAS2} and {VAR_TITLES[form]}"
    return quantity("observed", title, [rounded(low - margin), rounded(high + margin)])
