"""The correlation of bias² and variance over the years of a series."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import isfinite

from biasvar_cli.analyses.tracks import LETTERS, SAMPLINGS
from biasvar_cli.analyses.tracks.answer import TracksAnswer, TrackTradeoff
from biasvar_cli.analyses.tracks.table import verdict_words
from biasvar_cli.analyses.tradeoff.notes import sampling_words
from biasvar_cli.decomposition import SINGLE, Sampling
from biasvar_cli.drawing import axes, chart, run_axis
from biasvar_cli.drawing.style import LABEL, Datum, Rows, Spec, Style, layer, width_of_text
from biasvar_cli.errors import DataError
from biasvar_cli.tables.rounding import number
from biasvar_cli.words import QUERY, RUNS, Coefficient, counted

_LEGEND = {"title": None, "orient": "bottom", "columns": 1, "symbolType": "stroke", "symbolSize": 500}
_LEAST_OF_LINE = 3  # tracks of a series, as for a trend
_AXIS_ROOM = 50.0  # points, about what stands beside the plot
_RANGE, _OUTSIDE = "95 % range of the null models", "outside it"  # in the legend
_ACROSS = "M-1.4,-0.13H1.4V0.13H-1.4Z"  # the line of a range there
_NAMES = 0.34  # of the width, at most for the names of tracks
_ASIDE = 5.0  # points of a sampling of a track


def trend_figure(
    answers: Sequence[TracksAnswer], *, correlation: Coefficient = "pearson", style: Style | None = None
) -> Spec:
    """The correlations of (a) to (d) of CIKM'14 in all tracks, over the years with a line for each sampling.

    There is one answer. Thin lines are the null models' intervals. Tracks of one series under different measures or
    targets are not joined. Where a track has no year, or no series has three tracks, there is nothing to join: the
    tracks stand side by side, in the order of the manifest. Raises `DataErrors` for broken tracks, since a gap would
    look like data, and `DataError` if no correlation is defined.
    """
    style, (answer,) = style or Style(), answers
    answer.require_whole()
    rows = _track_rows(answer, correlation)
    if not rows:
        raise DataError(f"no correlation is defined in any track: it needs at least 3 {RUNS}")
    over_years = _has_lines(answer)
    samplings = [name for name in _names(answer).values() if name in {row["sampling"] for row in rows}]
    outside = [row for row in rows if row["low"] is not None and not row["low"] <= row["observed"] <= row["high"]]
    signs = {_RANGE: chart.STROKE if over_years else _ACROSS} if any(row["low"] is not None for row in rows) else {}
    signs |= {_OUTSIDE: chart.HOLLOW} if outside else {}
    entries = [*samplings, *signs]
    lines = list(dict.fromkeys(row["line"] for row in rows)) if over_years else []
    value = axes.correlation_axis(correlation, "score", rows)
    series = chart.by_series("sampling", entries, style, signs)
    series["color"]["legend"]["symbolStrokeWidth"] = 0  # a stroke would fill the ring
    colour = {"color": series["color"]}
    if over_years:
        channels: Spec = {"x": _year_axis(rows, style)}
        value_channel, joined = "y", [{**channels, "y": value, **colour, **_dashes(lines)}]
        names, data, height = [], {}, (0.42 if style.wide else 0.62) * style.width
    else:
        tracks = list(dict.fromkeys(row["track"] for row in rows))
        axis = run_axis.run_axis(
            tracks, style, longest=_NAMES * style.width, row=_ASIDE * (len(samplings) + 1), noun="track"
        )
        aside = {"field": "sampling", "type": "nominal", "scale": {"domain": samplings, "paddingOuter": 0.6}}
        channels = {"y": {**axis.channel, "field": "track"}, "yOffset": aside}
        value_channel, joined = "x", []
        names, data, height = axis.layers, axis.data, axis.height
    at = {**channels, value_channel: value, **series}
    rings = {channel: encoding for channel, encoding in at.items() if channel not in ("color", "shape")}
    ring = {"shape": "circle", "size": 70, "color": style.colours.text, "strokeWidth": 0.7}
    interval = {**channels, value_channel: {**value, "field": "low"}, f"{value_channel}2": {"field": "high"}, **colour}
    return chart.chart(
        [
            layer("rows", "rule", interval, strokeWidth=1, opacity=0.45),
            *(layer("rows", "line", line, strokeWidth=1) for line in joined),
            layer("rows", "point", at, filled=True, size=26 if over_years else 16),
            *([layer("outside", "point", rings, **ring)] if outside else []),
            *names,
        ],
        {"rows": rows, **({"outside": outside} if outside else {}), **data},
        title=_title(answer, correlation, rows),
        **_words(answer, correlation, rows, lines),
        style=style,
        height=height,
        legend_rows=chart.legend_rows(entries, style) + (2 * len(lines) if len(lines) > 1 else 0)
        if over_years
        else None,
    )


def _title(answer: TracksAnswer, coefficient: Coefficient, rows: Rows) -> str:
    """The verdict as the text has it, or the range of the correlations where those are not judged."""
    is_judged = coefficient == "pearson" and any(row["low"] is not None for row in rows)
    return verdict_words(answer.whole) if is_judged else axes.correlation_range(rows)


def _has_lines(answer: TracksAnswer) -> bool:
    """Whether all tracks have a year, and enough are of one series for a line."""
    sizes = Counter(track.trend_key for track in answer.whole)
    return not answer.undated and max(sizes.values()) >= _LEAST_OF_LINE


def _dashes(lines: Sequence[str]) -> Spec:
    """What tells the lines of several series apart."""
    if len(lines) < 2:
        return {"detail": {"field": "line"}}
    dashes = [chart.DASHES[index % len(chart.DASHES)] for index in range(len(lines))]
    return {"strokeDash": {"field": "line", "scale": {"domain": lines, "range": dashes}, "legend": _LEGEND}}


def _year_axis(rows: Rows, style: Style) -> Spec:
    """The years, turned where they have no room side by side; the samplings of a track stand a little aside of them."""
    years = sorted({row["year"] for row in rows})
    step, room = 0.008 * max(years[-1] - years[0], 2), max(0.05 * (years[-1] - years[0]), 0.3)
    for row in rows:
        row["at"] = round(row["year"] + row.pop("aside") * step, 4)
    low, high = years[0] - room, years[-1] + room
    points = (style.width - _AXIS_ROOM) / (high - low)
    flat = with_room(years, (width_of_text("2000") + 4) / points)
    axis: Spec = {"format": "d", "labelOverlap": False, "values": flat}
    if len(flat) < len(years):  # as many as have room then
        axis |= {"values": with_room(years, (LABEL + 1) / points), "labelAngle": -90}
    return axes.quantity("at", "Year", scale={"domain": [low, high], "nice": False}, axis=axis)


def _names(answer: TracksAnswer) -> dict[str, str]:
    """The names of `SAMPLINGS` in the legend."""
    random, difficulty = Sampling("random", answer.size), Sampling("difficulty", answer.size)
    samplings = (SINGLE, random, difficulty, difficulty._replace(normalised=True))
    return dict(zip(SAMPLINGS, map(sampling_words, samplings), strict=True))


def _track_rows(answer: TracksAnswer, coefficient: Coefficient) -> Rows:
    """A row for every track and sampling with a defined correlation; ``aside`` orders the samplings of a track.

    With lines the rows are in order of series and year, else in that of the manifest.
    """
    names, line_parts = _names(answer), _line_parts(answer.whole)
    rows: Rows = []
    # a line is named by its series, and by measure and target where lines differ in them
    parts = [part for part in range(3) if len({line[part] for line in line_parts}) > 1] or [0, 1, 2]
    lines = [", ".join(line[part] for part in parts if line[part]) or "no series" for line in line_parts]
    tracks = list(zip(answer.whole, lines, strict=True))
    if _has_lines(answer):
        tracks.sort(key=lambda row: (row[0].series, row[0].year or 0))
    for track, line in tracks:
        for index, (sampling, values) in enumerate(track.correlations.items()):
            observed = getattr(values, coefficient)
            if not isfinite(observed):
                continue
            null = track.null.get(sampling, {}).get("means", {}).get(coefficient, {})
            row: Datum = {"line": line, "track": track.track, "year": track.year, "sampling": names[sampling]}
            row |= {"aside": index - 1.5, "observed": observed}
            row |= {key: null.get(key) for key in ("median", "low", "high")}
            rows.append(row)
    return rows


def _line_parts(whole: Sequence[TrackTradeoff]) -> list[tuple[str, ...]]:
    return [(track.series, track.measure or "", f"target {track.target}") for track in whole]


def with_room(years: Sequence[int], distance: float) -> list[int]:
    """Those of some ascending years that are at least so far from each other, the first and the last among them.

    >>> with_room([1994, 1996, 1997, 2006, 2010, 2011], 1.5)
    [1994, 1996, 2006, 2011]
    """
    ticks = [years[0]]
    for year in years[1:]:
        if year - ticks[-1] >= distance:
            ticks.append(year)
    if ticks[-1] != years[-1]:
        ticks = [year for year in ticks[:-1] if years[-1] - year >= distance] + [years[-1]]
    return ticks


def _words(answer: TracksAnswer, coefficient: Coefficient, rows: Rows, lines: Sequence[str]) -> Spec:
    """What the subtitle says of all tracks, and what the caption says of the correlations."""
    in_common = [same[0] for same in zip(*_line_parts(answer.whole), strict=True) if len(set(same)) == 1 and same[0]]
    about = ", ".join([counted(len(answer.whole), "track"), *in_common])
    if in_common[-1:] == ["target best"]:
        about = f"{about.removesuffix(', target best')}; target: best score of each {QUERY}"
    where = "over the years" if _has_lines(answer) else "in each track"
    sentences = [f"Correlation of {chart.BIAS2} and variance {where}", chart.form_words("score").capitalize()]
    sentences.append(f"Subsets of {counted(answer.size, 'query')}; {chart.design_words(answer.request.design)}")
    if any(row["low"] is not None for row in rows):
        numbers = sorted({track.n_samples for track in answer.whole if track.n_samples})
        samples = " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))
        sentences.append(f"Lines: 95 % range of the null models ({samples} samples each)")
        sentences += [axes.outside_words(rows), f"Only Pearson’s r of ({LETTERS['single']}) is tested"]
    trends = {row.quantity.removesuffix(f"_{coefficient}"): row.trend for row in answer.trends if len(lines) == 1}
    words = [
        f"({letter}) {number(trends[sampling].tau, 2).replace('-', '−')} (p {number(trends[sampling].p, 2)})"
        for sampling, letter in LETTERS.items()
        if sampling in trends and isfinite(trends[sampling].tau)
    ]
    sentences += [f"Kendall’s τ with the year: {', '.join(words)}"] if words else []
    undefined = len(SAMPLINGS) * len(answer.whole) - len(rows)
    if undefined:
        sentences.append(f"{counted(undefined, 'correlation')} undefined and left out")
    return {"subtitle": about, "caption": sentences}


FIGURES: Mapping[str, Callable[..., Spec]] = {"trend": trend_figure}
