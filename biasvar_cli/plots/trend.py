"""The correlation of bias² and variance over the years of a series."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from biasvar_cli.analyses.tradeoff import USUAL_SIZE, Design
from biasvar_cli.errors import DataError
from biasvar_cli.plots.axes import quantity
from biasvar_cli.plots.chart import chart
from biasvar_cli.plots.correlations import correlation_axis
from biasvar_cli.plots.legend import by_series, legend_rows
from biasvar_cli.plots.quantities import BIAS2
from biasvar_cli.plots.spec import Datum, Rows, Spec, layer
from biasvar_cli.plots.style import Style
from biasvar_cli.plots.words import design_words
from biasvar_cli.tables.render import number
from biasvar_cli.tables.table import measure_words
from biasvar_cli.tracks.trends import SeriesTrend
from biasvar_cli.tracks.values import SAMPLINGS, TrackTradeoff
from biasvar_cli.words import Coefficient, counted

_DASHES = {"title": None, "orient": "bottom", "columns": 1, "symbolType": "stroke", "symbolSize": 400}
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
    x = quantity("at", "Year", scale=_years(years), axis={"format": "d", "tickMinStep": 1, "values": _ticks(years)})
    y = correlation_axis(coefficient, "score", rows)
    series = by_series("sampling", samplings, style)
    dash = {"field": "line", "scale": {"domain": lines}, "legend": _DASHES}
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
        caption=_trend_caption(whole, over, design, coefficient, rows),
        style=style,
        height=(0.42 if style.wide else 0.62) * style.width,
        legend_rows=legend_rows(samplings, style) + (len(lines) if len(lines) > 1 else 0),
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
    rows: Rows = []
    for each in sorted(whole, key=lambda each: (each.series, each.year)):
        line = ", ".join(part for part in (each.series, measure_words(each.measure), f"target {each.target}") if part)
        for place, (sampling, values) in enumerate(each.correlations.items()):
            if not isfinite(getattr(values, coefficient)):
                continue
            beside = each.null.get(sampling, {}).get("common", {}).get(coefficient, {})
            row: Datum = {"line": line, "track": each.track, "year": each.year, "sampling": _of_track(sampling)}
            row |= {"at": round(each.year + (place - 1.5) * aside, 4), "observed": getattr(values, coefficient)}
            row |= {key: beside.get(key) for key in ("median", "low", "high")}
            rows.append(row)
    return rows


def _years(years: Sequence[int]) -> Spec:
    room = max(0.05 * (years[-1] - years[0]), 0.3)
    return {"domain": [years[0] - room, years[-1] + room], "nice": False}


def _ticks(years: Sequence[int]) -> list[int]:
    """The years themselves, or as many of them as have room.

    >>> _ticks(range(1992, 2012))
    [1992, 1995, 1998, 2001, 2004, 2007, 2010]
    """
    return list(years[:: -(-len(years) // 8)])


def _numbers(whole: Sequence[TrackTradeoff]) -> str:
    """How many samples the null models of the tracks have."""
    numbers = sorted({each.n_samples for each in whole if each.n_samples})
    return " to ".join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))


def _trend_caption(
    whole: Sequence[TrackTradeoff],
    over: Sequence[SeriesTrend],
    design: Design,
    coefficient: Coefficient,
    rows: Rows,
) -> list[str]:
    lines = list(dict.fromkeys(row["line"] for row in rows))
    sentences = [f"{counted(len(whole), 'track')}{'' if len(lines) > 1 else ' of ' + lines[0]}; score form"]
    size = next(iter(design.subset_sizes), USUAL_SIZE)
    sentences.append(f"Subsets of {counted(size, 'query')}; {design_words(design)}")
    sentences.append("Points of a year stand side by side")
    if any(row["low"] is not None for row in rows):
        sentences.append(f"Thin lines: 95 % interval of the null model ({_numbers(whole)} samples)")
    if len(lines) == 1:
        words = []
        for sampling in SAMPLINGS:
            each = next((each.trend for each in over if each.quantity == f"{sampling}_{coefficient}"), None)
            if each is not None and isfinite(each.tau):
                tau = number(each.tau, 2).replace("-", "−")
                words.append(f"({_LETTERS[sampling]}) {tau} (p {number(each.p, 3)})")
        sentences += [f"Kendall’s τ with the year: {', '.join(words)}"] if words else []
    else:
        sentences.append("Kendall’s τ of each series with the year: biasvar tracks")
    undefined = len(SAMPLINGS) * len(whole) - len(rows)
    if undefined:
        sentences.append(f"{counted(undefined, 'correlation')} undefined and left out")
    return sentences
