"""What figures have in common: the frame with title and caption, a legend of series, and sentences."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from biasvar_cli import words
from biasvar_cli.arrays import FloatArray, in_order
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
from biasvar_cli.tables.rows import sizes_words
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import (
    VAR_TITLES,
    Form,
    argument,
    counted,
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
