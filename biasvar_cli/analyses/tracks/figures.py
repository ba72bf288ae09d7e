"""The correlation of bias² and variance over the years of a series."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from biasvar_cli.analyses.tracks.answer import SAMPLINGS, TrackTradeoff
from biasvar_cli.analyses.tracks.trends import SeriesTrend
from biasvar_cli.decomposition.design import Design
from biasvar_cli.drawing.axes import correlation_axis, quantity
from biasvar_cli.drawing.captions import design_words
from biasvar_cli.drawing.chart import chart
from biasvar_cli.drawing.legend import by_series, legend_rows
from biasvar_cli.drawing.quantities import BIAS2
from biasvar_cli.drawing.spec import Datum, Rows, Spec, layer
from biasvar_cli.drawing.style import Style
from biasvar_cli.drawing.text import LABEL, width_of_text
from biasvar_cli.errors import DataError
from biasvar_cli.tables.render import number
from biasvar_cli.tables.table import measure_words
from biasvar_cli.words import Coefficient, counted

_DASHES = ([1, 0], [5, 2], [1, 1.5], [7, 1.5, 1, 1.5], [2.5, 2.5], [10, 2], [4, 1, 1, 1, 1, 1], [1, 4])
_LEGEND = {"title": None, "orient": "bottom", "columns": 1, "symbolType": "stroke", "symbolSize": 500}
_AXIS_ROOM = 50.0  # points, about what stands beside the plot
_LETTERS = dict(zip(SAMPLINGS, "abcd", strict=True))  # columns of CIKM'14


def trend_figure(
    whole: Sequence[TrackTradeoff],
    over: Sequence[SeriesTrend],
    design: Design,
    *,
    coefficient: Coefficient = "pearson",
    style: Style | None = None,
) -> Spec:
    """The correlations of (a) to (d) of CIKM'14 over the years, a line for each sampling in each series.

    Thin lines are the null models' intervals. Tracks of one series under different measures or
    targets are not joined. Raises `DataError` if no correlation is defined.
    """
    style = style or Style()
    rows = _track_rows(whole, coefficient)
    if not rows:
        raise DataError("no correlation is defined in any track: it needs at least 3 runs")
    samplings = [name for name in map(_of_track, SAMPLINGS) if name in {row["sampling"] for row in rows}]
    lines = list(dict.fromkeys(row["line"] for row in rows))
    years = sorted({row["year"] for row in rows})
    x = quantity("at", "Year", scale={"domain": _domain(years), "nice": False}, axis=_year_axis(years, style))
    y = correlation_axis(coefficient, "score", rows)
    series = by_series("sampling", samplings, style)
    dashes = [_DASHES[place % len(_DASHES)] for place in range(len(lines))]
    dash = {"field": "line", "scale": {"domain": lines, "range": dashes}, "legend": _LEGEND}
    colour = {"color": series["color"]}
    joined = {"x": x, "y": y, **colour, **({"strokeDash": dash} if len(lines) > 1 else {"detail": {"field": "line"}})}
    interval = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, **colour}
    return chart(
        [
            layer("rows", "rule", interval, strokeWidth=1, opacity=0.45),
            layer("rows", "line", joined, strokeWidth=1),
            layer("rows", "point", {"x": x, "y": y, **series}, filled=True, size=26),
        ],
        {"rows": rows},
        title=f"Correlation of {BIAS2} and variance over the years",
        caption=_trend_caption(whole, over, design, coefficient, rows, lines),
        style=style,
        height=(0.42 if style.wide else 0.62) * style.width,
        legend_rows=legend_rows(samplings, style) + (2 * len(lines) if len(lines) > 1 else 0),
    )


def _of_track(sampling: str) -> str:
    """One of `SAMPLINGS` as the legend has it.

    >>> _of_track("normalised")
    '(d) normalised'
    """
    return f"({_LETTERS[sampling]}) {'by ' * (sampling == 'difficulty')}{sampling}"


def _track_rows(whole: Sequence[TrackTradeoff], coefficient: Coefficient) -> Rows:
    """A row for every track and sampling with a defined correlation; ``at`` is the year, moved a little aside."""
    years = [each.year for each in whole]
    aside = 0.008 * max(max(years) - min(years), 2) if years else 0
    names = _line_names(whole)
    rows: Rows = []
    for each, line in sorted(zip(whole, names, strict=True), key=lambda held: (held[0].series, held[0].year)):
        for place, (sampling, values) in enumerate(each.correlations.items()):
            if not isfinite(getattr(values, coefficient)):
                continue
            beside = each.null.get(sampling, {}).get("means", {}).get(coefficient, {})
            row: Datum = {"line": line, "track": each.track, "year": each.year, "sampling": _of_track(sampling)}
            row |= {"at": round(each.year + (place - 1.5) * aside, 4), "observed": getattr(values, coefficient)}
            row |= {key: beside.get(key) for key in ("median", "low", "high")}
            rows.append(row)
    return rows


def _line_names(whole: Sequence[TrackTradeoff]) -> list[str]:
    """The name of each track's line: its series, and measure and target where lines differ in them."""
    named = [(each.series, measure_words(each.measure), f"target {each.target}") for each in whole]
    parts = [place for place in range(3) if len({name[place] for name in named}) > 1] or [0, 1, 2]
    return [", ".join(name[place] for place in parts if name[place]) or "no series" for name in named]


def _domain(years: Sequence[int]) -> list[float]:
    room = max(0.05 * (years[-1] - years[0]), 0.3)
    return [years[0] - room, years[-1] + room]


def _year_axis(years: Sequence[int], style: Style) -> Spec:
    """The years side by side if all have room, or else turned, as many of them as have room then."""
    low, high = _domain(years)
    points = (style.width - _AXIS_ROOM) / (high - low)
    flat = with_room(years, (width_of_text("2000") + 4) / points)
    axis: Spec = {"format": "d", "labelOverlap": False}
    if len(flat) == len(years):
        return {**axis, "values": flat}
    return {**axis, "values": with_room(years, (LABEL + 1) / points), "labelAngle": -90}


def with_room(years: Sequence[int], apart: float) -> list[int]:
    """Those of some ascending years that are so far from each other, the first and the last among them.

    >>> with_room([1994, 1996, 1997, 2006, 2010, 2011], 1.5)
    [1994, 1996, 2006, 2011]
    """
    found = [years[0]]
    for year in years[1:]:
        if year - found[-1] >= apart:
            found.append(year)
    if found[-1] != years[-1]:
        found = [year for year in found[:-1] if years[-1] - year >= apart] + [years[-1]]
    return found


def _numbers(whole: Sequence[TrackTradeoff]) -> str:
    """How many samples the null models of the tracks have."""
    numbers = sorted({each.n_samples for each in whole if each.n_samples})
    return " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))


def _in_common(whole: Sequence[TrackTradeoff]) -> list[str]:
    """The series, the measure and the target of tracks, as far as they are the same in all."""
    named = [(each.series, measure_words(each.measure), f"target {each.target}") for each in whole]
    return [same[0] for same in zip(*named, strict=True) if len(set(same)) == 1 and same[0]]


def _trend_words(over: Sequence[SeriesTrend], coefficient: Coefficient) -> list[str]:
    """The correlation of each sampling's values with the year, where it is defined."""
    found = {each.quantity: each.trend for each in over}
    words = []
    for sampling in SAMPLINGS:
        trend = found.get(f"{sampling}_{coefficient}")
        if trend is not None and isfinite(trend.tau):
            words.append(f"({_LETTERS[sampling]}) {number(trend.tau, 2).replace('-', '−')} (p {number(trend.p, 2)})")
    return words


def _trend_caption(
    whole: Sequence[TrackTradeoff],
    over: Sequence[SeriesTrend],
    design: Design,
    coefficient: Coefficient,
    rows: Rows,
    lines: Sequence[str],
) -> list[str]:
    sentences = [", ".join([counted(len(whole), "track"), *_in_common(whole)]) + "; score form"]
    size = design.first_size
    sentences.append(f"Subsets of {counted(size, 'query')}; {design_words(design)}")
    if any(row["low"] is not None for row in rows):
        sentences.append(f"Vertical lines: range of the null models ({_numbers(whole)} samples each)")
    words = _trend_words(over, coefficient) if len(lines) == 1 else []
    sentences += [f"Kendall’s τ with the year: {', '.join(words)}"] if words else []
    undefined = len(SAMPLINGS) * len(whole) - len(rows)
    if undefined:
        sentences.append(f"{counted(undefined, 'correlation')} undefined and left out")
    return sentences
