"""Runs in the plane of bias² and variance, or of bias² and total error (SIGIR'13, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import equalised
from biasvar_cli.decomposition.decompose import Decomposition, pareto_front
from biasvar_cli.drawing.axes import extent, quantity, rounded, tick_format
from biasvar_cli.drawing.captions import about_form
from biasvar_cli.drawing.chart import chart
from biasvar_cli.drawing.guides import INSIDE, equal_totals, label_of, line_layers, no_variance
from biasvar_cli.drawing.labels import Box, Place, Side, box_of, label_layers, placed
from biasvar_cli.drawing.legend import RING, by_series, legend_rows, unambiguous
from biasvar_cli.drawing.quantities import BIAS2, InForm, in_form, require_runs
from biasvar_cli.drawing.spec import Rows, Spec, layer
from biasvar_cli.drawing.style import Style
from biasvar_cli.scoring.families import Family
from biasvar_cli.tables.table import listed
from biasvar_cli.words import TOTAL, VAR, Form, counted

_ERROR = {"var": "variance", "total": "total error"}
_ALONE = "no family"
_OTHERS = "other families"
_COLOURED = 7  # families; the eighth sign is for the others
_AXIS_ROOM = 42.0  # points, about what the vertical axis takes
_NAMED = 12  # runs outside families that are labelled; more names would not be read


class _Plot(NamedTuple):
    """The plot itself: what is on its vertical axis, the domains of bias² and of that, and its size in points.

    ``on_plane`` says that the vertical axis is the variance, not the total.
    """

    on_plane: bool
    field: str
    title: str
    x: list[float]
    y: list[float]
    size: Place

    def place(self, bias2: float, value: float) -> Place:
        """Where two values are on the page, in points from the upper left corner of the plot."""
        (left, right), (low, high) = self.x, self.y
        return (bias2 - left) / (right - left) * self.size[0], (high - value) / (high - low) * self.size[1]

    def places(self, rows: Rows) -> list[Place]:
        """The places of some runs."""
        return [self.place(row["bias2"], row[self.field]) for row in rows]


class Words(NamedTuple):
    """What a figure of other things than runs says: its title, what it is of and in which unit, what its points are."""

    title: str
    about: str
    noun: str


def plane_figure(
    result: Decomposition,
    families: Sequence[Family] = (),
    baseline: str | None = None,
    *,
    against: Literal["var", "total"] = "var",
    form: Form = "score",
    remarks: Sequence[str] = (),
    words: Words | None = None,
    style: Style | None = None,
) -> Spec:
    """Bias² against variance, or total error; the Pareto front; families coloured and joined in order.

    Grey lines are those of equal total, or the one on which the variance is 0. The names are those of ``baseline``, of
    the ends of each family and of the runs of no family; without families those of least total on the front, or of all
    runs if these are few. Raises `DataError` for a single run, `UsageError` for a gap form that is not defined.
    """
    style, own = style or Style(), in_form(result, form)
    words = words or Words(f"{BIAS2.capitalize()} and {_ERROR[against]}", about_form(result, form), "run")
    require_runs(result.runs, words.noun)
    rows, shown = _rows(result, own, families)
    plot = _plot(rows, own, against == "var", style)
    ticks_of = {"tickCount": 5, **tick_format(float(own.total.max()))}
    x, y = (
        quantity(name, title, scale={"domain": domain, "nice": False}, axis=ticks_of)
        for name, title, domain in (("bias2", BIAS2, plot.x), (plot.field, plot.title, plot.y))
    )
    held = _datasets(rows, plot, baseline)
    named = _named(rows, families, baseline, TOTAL[form])
    places, rings = plot.places(rows), plot.places(held["front"])
    sides = placed([row["run"] for row in named], plot.places(named), places, plot.size, _taken(plot, held), rings)
    names, label_data = label_layers(named, sides, x, y, style.colours)
    return chart(
        [
            *line_layers(x, y, style),
            *(_baseline_layers(x, y, style) if baseline is not None else []),
            *_mark_layers(x, y, shown, bool(families), style),
            *_front_layers(x, y, plot.on_plane, style),
            *names,
        ],
        {**held, **label_data},
        title=words.title,
        caption=[*_caption(result, own, plot.on_plane, families, baseline, sides, words), *remarks],
        style=style,
        height=plot.size[1],
        legend_rows=legend_rows(shown, style) if families else 0,
    )


def _plot(rows: Rows, own: InForm, on_plane: bool, style: Style) -> _Plot:
    """The domains of what the rows hold."""
    field = (VAR if on_plane else TOTAL)[own.form]
    unit = float(own.total.max())
    columns = [np.array([row[name] for row in rows]) for name in ("bias2", field)]
    x, y = (_from_zero(extent(values, share=0.09, unit=unit)) for values in columns)
    size = (style.width - _AXIS_ROOM, (0.5 if style.wide else 0.72) * style.width)
    return _Plot(on_plane, field, own.var_title if on_plane else own.total_title, x, y, size)


def _datasets(rows: Rows, plot: _Plot, baseline: str | None) -> dict[str, Rows]:
    """The runs, the front from left to right, the ends of grey lines with their labels, and the baseline if any."""
    lines = (equal_totals if plot.on_plane else no_variance)(plot.x, plot.y)
    return {
        "runs": rows,
        "front": sorted((row for row in rows if row["front"]), key=lambda row: (row["bias2"], row[plot.field])),
        "lines": [end for line in lines for end in line["ends"]],
        "ticks": [label_of(line, plot.x, plot.y) for line in lines if line["label"]],
        **({"baseline": [row for row in rows if row["run"] == baseline]} if baseline is not None else {}),
    }


def _taken(plot: _Plot, held: dict[str, Rows]) -> list[Box]:
    """Where no name may stand: on labels of lines, on the line of the front, on the lines through the baseline."""
    taken = [box_of("0.00", *plot.place(tick["bias2"], tick["y"]), INSIDE) for tick in held["ticks"]]
    if plot.on_plane:
        taken += _stairs(plot.places(held["front"]))
    for left, top in plot.places(held.get("baseline", [])):
        taken += [(left - 1, 0.0, left + 1, plot.size[1]), (0.0, top - 1, plot.size[0], top + 1)]
    return taken


def _rows(result: Decomposition, own: InForm, families: Sequence[Family]) -> tuple[Rows, list[str]]:
    """A row a run, in the order of runs; and the names of the families as the legend has them."""
    largest = sorted(families, key=lambda family: -len(family.members))[:_COLOURED]
    coloured = [_family_name(family.name) for family in families if family in largest]
    of_run = {
        run: (name if name in coloured else _OTHERS, family.name, place)
        for family, name in ((family, _family_name(family.name)) for family in families)
        for place, run in enumerate(family.members, 1)
    }
    front = pareto_front(result.bias2, own.var).tolist()
    rows = []
    for index, run in enumerate(result.runs):
        shown, family, place = of_run.get(run, (_ALONE, None, None))
        numbers = {
            "bias2": float(result.bias2[index]),
            VAR[own.form]: float(own.var[index]),
            TOTAL[own.form]: float(own.total[index]),
        }
        rows.append({"run": run, **numbers, "front": front[index], "shown": shown, "family": family, "place": place})
    used = {row["shown"] for row in rows}
    return rows, [name for name in (*coloured, _OTHERS, _ALONE) if name in used]


def _family_name(name: str) -> str:
    return unambiguous(name, (_ALONE, _OTHERS), "family")


def _from_zero(domain: Sequence[float]) -> list[float]:
    """The domain of a squared quantity: hardly below 0, so that no tick is."""
    return [max(domain[0], rounded(-0.02 * domain[1])), domain[1]]


def _named(rows: Rows, families: Sequence[Family], baseline: str | None, total_field: str) -> Rows:
    """The rows whose names are wanted, those that matter most first."""
    by_name = {row["run"]: row for row in rows}
    least = min(rows, key=lambda row: (row[total_field], row["run"]))
    first = [by_name[baseline]] if baseline is not None else []
    if families:
        ends = [by_name[run] for family in families for run in (family.members[0], family.members[-1])]
        alone = [row for row in rows if row["family"] is None]
        rest = [*ends, *(alone if len(alone) <= _NAMED else [])]
    else:
        order = sorted(rows, key=lambda row: (not row["front"], row[total_field], row["run"]))
        rest = [row for row in order if row["front"] or len(rows) <= _NAMED][:_NAMED]
    return list({row["run"]: row for row in [*first, least, *rest]}.values())


def _stairs(front: Sequence[Place]) -> list[Box]:
    """What the line of the front covers: to the right from each of its runs, then down to the next."""
    steps = list(pairwise(front))
    across = [(x, y - 0.5, right, y + 0.5) for (x, y), (right, _) in steps]
    return across + [(right - 0.5, y, right + 0.5, low) for (_, y), (right, low) in steps]


def _mark_layers(x: Spec, y: Spec, shown: Sequence[str], in_families: bool, style: Style) -> list[Spec]:
    """The runs, those of a family joined in order of their parameter."""
    colours = style.colours
    if not in_families:
        return [layer("runs", "point", {"x": x, "y": y}, filled=True, size=16, color=colours.series[0], opacity=0.7)]
    series = by_series("shown", shown, style, {_ALONE: "cross", _OTHERS: RING})
    path = {"x": x, "y": y, "color": series["color"], "detail": {"field": "family"}, "order": {"field": "place"}}
    joined = layer("runs", "line", path, strokeWidth=0.8, opacity=0.7)
    joined["transform"] = [{"filter": "datum.place !== null"}]
    return [joined, layer("runs", "point", {"x": x, "y": y, **series}, filled=True, size=24, opacity=0.9)]


def _front_layers(x: Spec, y: Spec, stairs: bool, style: Style) -> list[Spec]:
    colour = style.colours.text
    line = layer("front", "line", {"x": x, "y": y}, interpolate="step-after", color=colour, strokeWidth=0.7, aria=False)
    ring = layer("front", "point", {"x": x, "y": y}, shape="circle", size=48, color=colour, strokeWidth=0.7)
    return [line, ring] if stairs else [ring]


def _baseline_layers(x: Spec, y: Spec, style: Style) -> list[Spec]:
    """A line through the baseline each way: what is lower on both sides has less of both."""
    line = {"color": style.colours.text, "strokeWidth": 0.6, "strokeDash": [1, 2], "aria": False}
    return [layer("baseline", "rule", {"x": x}, **line), layer("baseline", "rule", {"y": y}, **line)]


def _caption(
    result: Decomposition,
    own: InForm,
    on_plane: bool,
    families: Sequence[Family],
    baseline: str | None,
    sides: Sequence[Side | None],
    own_words: Words,
) -> list[str]:
    lines = f"Grey lines: equal {own.total_title}" if on_plane else f"Grey line: {own.var_title} = 0"
    on_front = counted(int(pareto_front(result.bias2, own.var).sum()), own_words.noun)
    words = [own_words.about, f"{lines}; rings: Pareto front of {BIAS2} and {own.var_title}, {on_front}"]
    if families:
        words.append("Families joined in order of their parameter")
    if baseline is not None:
        below = [getattr(family, f"below_{own.form}") or () for family in families]
        counts = [
            f"{family.name} {len(members)} of {len(family.members)}"
            for family, members in zip(families, below, strict=True)
        ]
        words.append(f"Less {BIAS2} and {own.var_title} than {baseline}: {', '.join(counts)}")
    total = equalised(own.total)
    least = listed([result.runs[index] for index in np.flatnonzero(total == total.min())], 2)
    words.append(f"Least {own.total_title}: {least}")
    n_named = sum(side is not None for side in sides)
    if n_named < len(result.runs):
        words.append(f"{n_named} of {counted(len(result.runs), own_words.noun)} labelled")
    return words
