"""Runs in the plane of bias² and variance, or of bias² and total error (SIGIR'13, Figures 1 and 2)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, dist, floor, log10
from operator import itemgetter
from typing import Literal, NamedTuple

import numpy as np

from biasvar_cli.arrays import is_least
from biasvar_cli.decomposition.decompose import Decomposition, pareto_front
from biasvar_cli.drawing import axes, chart, labels, run_names
from biasvar_cli.drawing.labels import Box, Point, over_lines
from biasvar_cli.drawing.run_names import Plot
from biasvar_cli.drawing.style import Datum, Rows, Spec, Style, layer, width_of_text
from biasvar_cli.scoring.families import Family
from biasvar_cli.words import RUN, TOTAL, VAR, Form, counted, is_highlighted, listed

_ERROR = {"var": "variance", "total": "total error"}
_ALONE = "no family"
_OTHERS = "other families"
_COLOURED = 7  # families; the eighth sign is for the others
_AXIS_WIDTH = 42.0  # points, about what the vertical axis takes
_GOOD = 0.25  # of the best mean: a run with less is a grey point
_SYSTEM, _REPLICATE = "system", "one run of a system"  # in legends
_SPOKE = (  # a line with a ring at its end
    "M-1.4,-0.09H0.25V0.09H-1.4ZM1.4,0A0.6,0.6 0 1,0 0.2,0A0.6,0.6 0 1,0 1.4,0Z"
    "M1.15,0A0.35,0.35 0 1,1 0.45,0A0.35,0.35 0 1,1 1.15,0Z"
)
_MANY = 60  # replicates, from which on they are fainter
_STAIR = (  # a ring on a line of the front, in the legend
    "M-1.8,-0.07H-1V0.07H-1.8ZM1,-0.07H1.8V0.07H1ZM-1,0A1,1 0 1,1 1,0A1,1 0 1,1 -1,0Z"
    "M-0.8,0A0.8,0.8 0 1,0 0.8,0A0.8,0.8 0 1,0 -0.8,0Z"
)


class Replicated(NamedTuple):
    """The decomposition of single runs, and the system of each, whose replicates they are."""

    result: Decomposition
    system_of: Mapping[str, str]


class Words(NamedTuple):
    """What a figure shows whose points are no runs, of what, in which unit, and the noun of a point."""

    drawn: str
    about: str
    unit: str
    noun: str


def plane_chart(
    result: Decomposition,
    families: Sequence[Family] = (),
    baseline: str | None = None,
    *,
    against: Literal["var", "total"] = "var",
    form: Form = "score",
    remarks: Sequence[str] = (),
    words: Words | None = None,
    replicates: Replicated | None = None,
    style: Style | None = None,
) -> Spec:
    """Bias² against variance, or total error; the Pareto front; families coloured, and joined in order of a number.

    Grey lines are those of equal total, with their values, or the one on which the variance is 0. Names stand where
    there is space: beside the highlighted runs, the ``baseline``, the least total, the best mean and the ends of the
    front, then beside the ends of each family (the least total of one that is not joined) and the runs of no family, or
    without families beside the other runs, from the outside in. Without families, runs that find hardly anything,
    whose mean is below a quarter of the best, are small grey points, and the axes end without them. The ``replicates``
    of systems are small faint points, each joined to that of its system. Raises `DataError` for a single run,
    `UsageError` for a gap form that is not defined.
    """
    style, errors = style or Style(), chart.in_form(result, form)
    of_runs = words is None and not families and replicates is None
    finding = _finding(result, errors, with_mean=words is None)
    drawn = f"{chart.BIAS2.capitalize()} and {_ERROR[against]} of each {RUN}"
    words = words or Words(drawn, chart.about_result(result), chart.unit_words(result, form), "run")
    chart.require_runs(result.runs, words.noun)
    low, bound = _low(result) if of_runs else (set(), 0.0)
    all_rows, series = _rows(result, errors, families, alone=_ALONE if families or replicates is None else _SYSTEM)
    rows = [row for row in all_rows if row["run"] not in low]
    spokes = [] if replicates is None else _replicate_rows(rows, replicates, errors)
    series = [*series, _REPLICATE] if spokes else series if families else []
    series.append(f"Pareto front of {chart.BIAS2} and {errors.var_title}")
    plot = _plot([*rows, *spokes], errors, against == "var", style)
    ticks = {"tickCount": 5, **axes.tick_format(float(errors.total.max()))}
    x, y = (
        axes.quantity(name, title, domain, axis=ticks)
        for name, title, domain in (("bias2", chart.BIAS2, plot.x), (plot.field, plot.title, plot.y))
    )
    grey = [row for row in all_rows if row["run"] in low and plot.has(row)]
    datasets = _datasets(rows, plot, baseline) | ({"replicates": spokes} if spokes else {})
    marks, faint, boxes = plot.points(rows), plot.points([*spokes, *grey]), _boxes(plot, datasets)
    if low:
        note, box = _note(_low_words(len(grey), len(low), bound), plot, [*marks, *faint])
        datasets |= {"low": grey, "note": [note]}
        boxes.append(box)
    first, others = run_names.wanted_names(result, errors, rows, families, baseline, plot)
    rings = plot.points([*datasets["front"], *(group[0] for group in (*first, *others))])
    names = run_names.Names(
        plot, [row["run"] for row in rows], marks, faint, boxes, _drawn(plot, datasets["lines"], rows)
    )
    for group in first:
        names.write_first(group, rings)
    if families or len(rows) <= run_names.NAMED:
        names.write(others, rings)
        others = []
    values, covered = _values(plot, datasets["lines"], ticks.get("format") is not None, [*marks, *faint], names.boxes)
    names.boxes += covered
    names.write(others, rings)  # where the values of lines leave room
    name_layers, label_data = labels.label_layers(names.rows, names.sides, x, y, style.colours)
    labelled = {row["total"] for row in values}
    datasets["lines"] = [end for end in datasets["lines"] if end["total"] in labelled]
    n_front = sum(row["front"] for row in all_rows)
    few = f"{counted(len(low), 'run')} with a mean below a quarter of the best ({bound:.3g})"
    middle = (
        f"A system has the mean total of its runs, with less {chart.BIAS2} and more {plot.variance} than they have on "
        "average: the difference is the variance of their means"
    )
    return chart.chart(
        [
            *(_low_layers(x, y, style) if low else []),
            *_layers(x, y, series, plot, baseline is not None, len(spokes), style),
            *name_layers,
        ],
        {**datasets, "values": values, **label_data},
        title=finding,
        subtitle=words.about,
        caption=[
            words.drawn,
            *_caption(errors, plot, datasets, n_front, families, baseline, words),
            *([f"{'Small grey points, without rings and names' if grey else 'Not shown'}: {few}"] if low else []),
            *(["The axes end without them"] if low and len(grey) < len(low) else []),
            *([f"{names.n_runs} of {counted(len(all_rows), words.noun)} labelled"] if names.n_runs < len(rows) else []),
            *(["Small points: the runs of each system, joined to it", middle] if spokes else []),
            *remarks,
        ],
        style=style,
        height=plot.size[1],
        legend_rows=chart.legend_rows(series, style),
    )


def _plot(rows: Rows, errors: chart.InForm, on_plane: bool, style: Style) -> Plot:
    """The plot whose domains have room for the rows; both are of squares, and begin hardly below 0, without a tick."""
    field = (VAR if on_plane else TOTAL)[errors.form]
    shares = {"bias2": 0.09, field: 0.09 if on_plane else 0.2}  # the least total is the lowest point, and has a name
    domains = (
        axes.extent(np.array([row[name] for row in rows]), share=share, unit=float(errors.total.max()))
        for name, share in shares.items()
    )
    x, y = ([max(low, axes.rounded(-0.02 * high)), high] for low, high in domains)
    size = (style.width - _AXIS_WIDTH, (0.5 if style.wide else 0.72) * style.width)
    title = errors.var_title if on_plane else f"total error: {errors.total_title}"
    return Plot(on_plane, field, title, errors.var_title, x, y, size)


def _datasets(rows: Rows, plot: Plot, baseline: str | None) -> dict[str, Rows]:
    """The runs, the front from left to right, the ends of grey lines, and the baseline if any."""
    return {
        "runs": rows,
        "front": sorted((row for row in rows if row["front"]), key=lambda row: (row["bias2"], row[plot.field])),
        "lines": _lines(plot),
        **({"baseline": [row for row in rows if row["run"] == baseline]} if baseline is not None else {}),
    }


def _lines(plot: Plot) -> Rows:
    """The ends of the lines bias² + variance = c, for round values of c, the upper end first; or of total = bias².

    A line that crosses no more than a corner is left out.
    """
    (left, right), (low, high) = plot.x, plot.y
    if not plot.on_plane:
        start, end = max(left, low), min(right, high)
        is_long = end - start > 0.2 * min(right - left, high - low)
        return [{"bias2": at, "y": at, "total": None} for at in (start, end)] if is_long else []
    step, ends = _total_step(plot.x, plot.y), list[Datum]()
    for index in range(max(1, ceil((left + low) / step)), floor((right + high) / step) + 1):
        total = axes.rounded(index * step)
        first, last = max(left, total - high), min(right, total - low)
        if last - first > 0.03 * (right - left):
            ends += [{"bias2": bias2, "y": total - bias2, "total": total} for bias2 in (first, last)]
    return ends


def _drawn(plot: Plot, lines: Rows, rows: Rows) -> list[tuple[Point, Point]]:
    """The ends of the grey lines and of those that join the members of families."""
    ends = [plot.point(end["bias2"], end["y"]) for end in lines]
    joined = sorted((row for row in rows if row["place"] is not None), key=itemgetter("family", "place"))
    points = zip(pairwise(joined), pairwise(plot.points(joined)), strict=True)
    paths = [line for (row, after), line in points if row["family"] == after["family"]]
    return [*zip(ends[::2], ends[1::2], strict=True), *paths]


def _total_step(x: Sequence[float], y: Sequence[float]) -> float:
    return axes.round_step((x[1] + y[1] - x[0] - y[0]) / 8)


def _values(
    plot: Plot, lines: Rows, short: bool, marks: Sequence[Point], boxes: Sequence[Box]
) -> tuple[Rows, list[Box]]:
    """The words on grey lines, or else a number alone, where they cover nothing; and the boxes that they cover.

    ``short`` says that an axis writes its numbers so.
    """
    digits = "g" if short else f".{max(0, -floor(log10(_total_step(plot.x, plot.y)) + 1e-9))}f"
    rows, taken = [], []
    for first, last in zip(lines[::2], lines[1::2], strict=True):
        texts = [f"{plot.variance} = 0"]
        if first["total"] is not None:
            texts = [f"total {first['total']:{digits}}", f"{first['total']:{digits}}"]
        line = plot.point(first["bias2"], first["y"]), plot.point(last["bias2"], last["y"])
        for label in texts:
            middle = labels.along(label, line, marks, boxes, plot.size)
            if middle is None:
                continue
            share = dist(line[0], middle) / dist(*line)
            bias2, y = (axes.rounded(first[name] + share * (last[name] - first[name])) for name in ("bias2", "y"))
            rows.append({"bias2": bias2, "y": y, "label": label, "total": first["total"]})
            taken += labels.on_line(label, line, middle)
            break
    return rows, taken


def _boxes(plot: Plot, datasets: dict[str, Rows]) -> list[Box]:
    """Where no name may stand: on the line of the front, on the lines through the baseline."""
    boxes: list[Box] = []
    if plot.on_plane:  # to the right from each run of the front, then down to the next
        steps = list(pairwise(plot.points(datasets["front"])))
        boxes += [(x, y - 1, right, y + 1) for (x, y), (right, _) in steps]
        boxes += [(right - 1.5, y, right + 1.5, low) for (_, y), (right, low) in steps]
    for left, top in plot.points(datasets.get("baseline", [])):
        boxes += [(left - 1, 0.0, left + 1, plot.size[1]), (0.0, top - 1, plot.size[0], top + 1)]
    return boxes


def _rows(
    result: Decomposition, errors: chart.InForm, families: Sequence[Family], alone: str
) -> tuple[Rows, list[str]]:
    """A row a run, in the order of runs; and the names of the families as the legend has them.

    A run of no family is shown as ``alone``.
    """
    largest = sorted(families, key=lambda family: -len(family.members))[:_COLOURED]
    reserved = (_ALONE, _OTHERS, _REPLICATE)
    coloured = {
        family.name: chart.unambiguous(family.name, reserved, "family") for family in families if family in largest
    }
    memberships = {
        run: (coloured.get(family.name, _OTHERS), family.name, rank if family.is_numeric else None)
        for family in families
        for rank, run in enumerate(family.members, 1)
    }
    front = pareto_front(result.bias2, errors.var).tolist()
    rows = []
    for index, run in enumerate(result.runs):
        entry, family, rank = memberships.get(run, (alone, None, None))
        words = {"front": front[index], "shown": entry, "family": family, "place": rank}
        rows.append({"run": run, **errors.point(index), **words})
    used = {row["shown"] for row in rows}
    return rows, [name for name in (*coloured.values(), _OTHERS, alone) if name in used]


def _low(result: Decomposition) -> tuple[set[str], float]:
    """The runs that find hardly anything and are not highlighted, and the mean that they are below."""
    means = result.mean
    bound = _GOOD * float(means.max())
    if means.min() < 0:  # of errors and logarithms
        return set(), bound
    low = zip(result.runs, means.tolist(), strict=True)
    return {run for run, mean in low if mean < bound and not is_highlighted(run)}, bound


def _low_words(n_grey: int, n_low: int, bound: float) -> str:
    """What the plot says of runs that find hardly anything.

    >>> _low_words(0, 12, 0.1626), _low_words(1, 1, 0.1)
    ('Mean below 0.163: 12 runs, not shown', 'Mean below 0.1: 1 run, grey')
    >>> _low_words(2, 12, 0.16)
    'Mean below 0.16: 12 runs, grey or outside the axes'
    """
    where = "not shown" if n_grey == 0 else "grey" if n_grey == n_low else "grey or outside the axes"
    return f"Mean below {bound:.3g}: {counted(n_low, 'run')}, {where}"


def _note(words: str, plot: Plot, marks: Sequence[Point]) -> tuple[Datum, Box]:
    """Small words in the first corner of the plot that has no marks, and the box that they take."""
    width, (across, down) = width_of_text(words, labels.SMALL) + 4, plot.size
    tried = []
    for high, right in ((False, True), (True, True), (True, False), (False, False)):
        left, top = (across - width if right else 0.0), (0.0 if high else down - 12)
        box = left, top, left + width, top + 12
        n_covered = sum(left - 3 < x < box[2] + 3 and top - 3 < y < box[3] + 3 for x, y in marks)
        corner = {"bias2": plot.x[int(right)], "y": plot.y[int(high)], "label": words}
        aside = {"align": "right" if right else "left", "dx": -4 if right else 4, "dy": 7 if high else -6}
        tried.append((n_covered, {**corner, **aside}, box))
    _, row, box = min(tried, key=itemgetter(0))
    return row, box


def _low_layers(x: Spec, y: Spec, style: Style) -> list[Spec]:
    """The runs that find hardly anything, and what is said of them."""
    colour = style.colours.grey
    offsets = {name: {"expr": f"datum.{name}"} for name in ("align", "dx", "dy")}
    words = {"x": x, "y": {**y, "field": "y"}, "text": {"field": "label"}}
    return [
        layer("low", "point", {"x": x, "y": y}, filled=True, size=7, color=colour, opacity=0.6),
        *over_lines("note", words, style.colours, 2, color=colour, fontSize=labels.SMALL, aria=False, **offsets),
    ]


def _finding(result: Decomposition, errors: chart.InForm, *, with_mean: bool) -> str:
    """The run with the least total, and that with the best mean."""
    least, best = (
        [result.runs[index] for index in np.flatnonzero(is_least(values))] for values in (errors.total, -result.mean)
    )
    if with_mean and least == best:
        return f"Least total error and best mean: {listed(least, 2)}"
    return f"Least total error: {listed(least, 2)}{f'; best mean: {listed(best, 2)}' if with_mean else ''}"


def _layers(
    x: Spec, y: Spec, series: Sequence[str], plot: Plot, has_baseline: bool, n_replicates: int, style: Style
) -> list[Spec]:
    """Grey lines with their values, lines through the baseline, the runs, families joined, and the Pareto front.

    Replicates are under the words on lines and all that follows.
    """
    xy, grey, dark = {"x": x, "y": y}, style.colours.grey, style.colours.text
    ends = {"x": x, "y": {**y, "field": "y"}}
    path = {**ends, "detail": {"field": "total"}}
    layers = [layer("lines", "line", path, aria=False, color=grey, strokeWidth=0.6, opacity=0.7)]
    signs = _signs(series, style, plot.on_plane)
    if n_replicates:
        layers += _replicate_layers(xy, signs["color"], n_replicates)
    (left, right), (low, high) = plot.x, plot.y
    sign = "" if plot.on_plane else "-"
    angle = {"expr": f"{sign}atan2(height / {high - low!r}, width / {right - left!r}) * 180 / PI"}
    values = {**ends, "text": {"field": "label"}}
    layers += over_lines("values", values, style.colours, 4, angle=angle, color=grey, fontSize=labels.SMALL, aria=False)
    if has_baseline:  # what is lower on both sides has less of both
        dashed = {"color": dark, "strokeWidth": 0.6, "strokeDash": [1, 2], "aria": False}
        layers += [layer("baseline", "rule", {channel: axis}, **dashed) for channel, axis in xy.items()]
    if len(series) > 1:
        path = {**xy, "color": signs["color"], "detail": {"field": "family"}, "order": {"field": "place"}}
        joined = layer("runs", "line", path, strokeWidth=0.8, opacity=0.7)
        layers.append({**joined, "transform": [{"filter": "datum.place !== null"}]})
        layers.append(layer("runs", "point", {**xy, **signs}, filled=True, size=24, opacity=0.9))
    else:
        layers.append(layer("runs", "point", xy, filled=True, size=16, color=style.colours.series[0], opacity=0.7))
        (front,) = series
        entry = {
            name: {"datum": front, "scale": sign["scale"], "legend": sign["legend"]} for name, sign in signs.items()
        }
        layers.append(layer("front", "point", {**xy, **entry}, filled=True, opacity=0, aria=False))
    if plot.on_plane:
        stairs = {"interpolate": "step-after", "color": dark, "strokeWidth": 0.7, "aria": False}
        layers.append(layer("front", "line", xy, **stairs))
    return [*layers, layer("front", "point", xy, shape="circle", size=48, color=dark, strokeWidth=0.7)]


def _signs(series: Sequence[str], style: Style, stairs: bool) -> Spec:
    """The colours and shapes of families, or of systems where there are none, of the replicates and the front."""
    front = {series[-1]: _STAIR if stairs else chart.HOLLOW}
    signs = chart.by_series("shown", series, style, {_ALONE: "cross", _OTHERS: chart.RING, _REPLICATE: _SPOKE, **front})
    colours = signs["color"]["scale"]["range"]
    if _SYSTEM in series:
        colours[:] = [style.colours.series[0]] * len(series)
    colours[-1] = style.colours.text
    signs["color"]["legend"]["symbolStrokeWidth"] = 0  # a stroke would fill the small rings
    return signs


def _caption(
    errors: chart.InForm,
    plot: Plot,
    datasets: Mapping[str, Rows],
    n_front: int,
    families: Sequence[Family],
    baseline: str | None,
    words: Words,
) -> Iterator[str]:
    """What the figure's lines, rings and families are, and which members have less of both errors than the baseline."""
    n_rings, lines = len(datasets["front"]), ""
    if datasets["lines"]:
        about = f"lines: equal total ({errors.total_title})" if plot.on_plane else f"line: {errors.var_title} = 0"
        lines = f"Grey {about}. "
    beyond = f" and {n_front - n_rings} in grey or outside the axes" if n_front > n_rings else ""
    yield words.unit
    yield f"{lines}Rings: Pareto front of {chart.BIAS2} and {errors.var_title}, {counted(n_rings, words.noun)}{beyond}"
    joined = [family.name for family in families if family.is_numeric]
    others = [family.name for family in families if not family.is_numeric]
    if joined:
        yield f"Lines join the members of {listed(joined, 3) if others else 'a family'} in order of their parameter"
    if others:
        yield f"Not joined, as not all parameters are numbers: {listed(others, 3)}"
    if baseline is not None:
        below = {family: getattr(family, f"below_{errors.form}") or () for family in families}
        counts = [f"{family.name} {len(runs)} of {len(family.members)}" for family, runs in below.items()]
        yield f"Less {chart.BIAS2} and {errors.var_title} than {baseline}: {', '.join(counts)}"


def _replicate_rows(rows: Rows, replicates: Replicated, errors: chart.InForm) -> Rows:
    """A row for each replicate, with the point of its system, one of ``rows``; none for a system of one run."""
    systems, system_of, runs = {row["run"]: row for row in rows}, replicates.system_of, replicates.result.runs
    sizes = Counter(system_of[run] for run in runs)
    points, lines = chart.in_form(replicates.result, errors.form), []
    for index, run in enumerate(runs):
        system = systems[system_of[run]]
        if sizes[system["run"]] > 1:
            values = points.point(index)
            ends = {f"system_{name}": system[name] for name in values}
            lines.append({"run": run, "system": system["run"], **values, **ends, "shown": system["shown"]})
    return lines


def _replicate_layers(xy: Spec, color: Spec, number: int) -> list[Spec]:
    """The replicates as small hollow points, each joined to its system; many of them are fainter."""
    faint = number > _MANY
    ends = {f"{channel}2": {"field": f"system_{axis['field']}"} for channel, axis in xy.items()}
    line = {"strokeWidth": 0.35 if faint else 0.5, "opacity": 0.35 if faint else 0.55}
    point = {"size": 4 if faint else 8, "strokeWidth": 0.5, "opacity": 0.5 if faint else 0.75}
    return [
        layer("replicates", "rule", {**xy, **ends, "color": color}, aria=False, **line),
        layer("replicates", "point", {**xy, "color": color}, shape="circle", filled=False, aria=False, **point),
    ]
