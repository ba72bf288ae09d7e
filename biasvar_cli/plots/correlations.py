"""The correlation of bias² and variance beside its reference (CIKM'14, Table 2), and over years."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from biasvar_cli.analyses.null import Null
from biasvar_cli.analyses.tradeoff import Design, Form, Sampling, TradeoffRow
from biasvar_cli.decomposition.target import Aim
from biasvar_cli.errors import DataError
from biasvar_cli.plots.style import (
    Row,
    Rows,
    Spec,
    Style,
    by_series,
    chart,
    layer,
    legend_rows,
    quantity,
)
from biasvar_cli.plots.text import width_of_text
from biasvar_cli.plots.words import BIAS2, VAR_GAP, form_words
from biasvar_cli.tables.render import number
from biasvar_cli.tables.table import about, listed, measure_words
from biasvar_cli.tracks.compute import SAMPLINGS, SeriesTrend, TrackTradeoff
from biasvar_cli.words import counted

NAMES = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ", "kendall": "Kendall’s τ"}
_AND_VAR = {"score": "Var", "gap": VAR_GAP}
_DASHES = {"title": None, "orient": "bottom", "columns": 1, "symbolType": "stroke", "symbolSize": 400}
_LETTERS = dict(zip(SAMPLINGS, "abcd", strict=True))  # columns of CIKM'14


@dataclass(frozen=True, eq=False)
class Observed:
    """The correlations of one measure and target under every sampling, with their references if any."""

    aim: Aim
    rows: Sequence[TradeoffRow]
    null: Null | None


def tradeoff(
    found: Sequence[Observed],
    design: Design,
    *,
    coefficient: str = "pearson",
    form: Form = "score",
    remarks: Sequence[str] = (),
    style: Style | None = None,
) -> Spec:
    """The observed correlation on the interval and the median of its reference, by sampling, measure and target.

    Normalised rows are in both forms: their gap form is the same. Rows that are undefined are left out and counted;
    raises `DataError` if none is defined.
    """
    style = style or Style()
    names = _names(found)
    held = [row for name, each in zip(names, found, strict=True) for row in _rows(each, name, coefficient, form)]
    rows = [row for row in held if row["observed"] is not None]
    if not rows:
        raise DataError(
            "no correlation is defined: it needs at least 3 runs that differ in bias² and variance, and for the gap "
            "form a target with a score per query"
        )
    samplings = list(dict.fromkeys(row["sampling"] for row in rows))
    x = quantity("observed", f"{NAMES[coefficient]} of {BIAS2} and {_AND_VAR[form]}", scale=_from_minus_one(rows))
    y: Spec = {"field": "sampling", "type": "nominal", "title": None, "scale": {"domain": samplings}}
    y["axis"] = {"grid": True, "labelLimit": 0}
    indent = max(map(width_of_text, samplings)) + 12
    place = {"y": y, "yOffset": {"field": "of", "type": "nominal", "scale": {"domain": names}}}
    bar = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, **place}
    tick = {"x": {**x, "field": "median"}, **place}
    series = by_series("of", names, style, indent=indent) if len(names) > 1 else {}
    alone = {} if series else {"color": style.colours.series[0]}
    grey = style.colours.grey
    return chart(
        [
            layer("rows", "rule", bar, strokeWidth=4, color=grey, opacity=0.45),
            layer("rows", "tick", tick, color=style.colours.text, size=7, thickness=1, orient="vertical"),
            layer("rows", "point", {"x": x, **place, **series}, filled=True, size=32, **alone),
        ],
        {"rows": rows},
        title=f"Correlation of {BIAS2} and variance over the runs",
        caption=[*_caption(found, design, form, len(held) - len(rows)), *remarks],
        style=style,
        height=(10 + 9 * len(names)) * len(samplings),
        legend_rows=legend_rows(names, style, indent=indent) if len(names) > 1 else 0,
    )


def _names(found: Sequence[Observed]) -> list[str]:
    """What tells the measures and targets apart in the legend."""
    targets = {each.aim.target.label for each in found}
    return [
        measure_words(each.aim.scores.measure) + (f", target {each.aim.target.label}" if len(targets) > 1 else "")
        for each in found
    ]


def _rows(each: Observed, name: str, coefficient: str, form: Form) -> Rows:
    rows = []
    for index, row in enumerate(each.rows):
        if row.form != form and not row.sampling.normalised:
            continue
        common = None if each.null is None or each.null.common is None else each.null.common[index]
        reference = None if common is None else getattr(common, coefficient)
        observed = getattr(row.correlations, coefficient)
        rows.append(
            {
                "of": name,
                "sampling": _words(row.sampling),
                "observed": observed if isfinite(observed) else None,
                **{key: getattr(reference, key, None) for key in ("median", "low", "high", "p")},
            }
        )
    return rows


def _words(sampling: Sampling) -> str:
    """A sampling as the axis names it, with its letter in CIKM'14.

    >>> _words(Sampling("difficulty", 10)), _words(Sampling("single", 1, True))
    ('(c) by difficulty, 10', 'single, normalised')
    """
    words = {
        "single": "single",
        "random": f"random, {sampling.subset_size}",
        "random-exact": f"random, {sampling.subset_size}, expected",
        "difficulty": f"by difficulty, {sampling.subset_size}",
        "groups": "given groups",
    }[sampling.kind]
    letters = {("single", False): "(a) ", ("random", False): "(b) ", ("difficulty", False): "(c) "}
    letters["difficulty", True] = "(d) "
    letter = letters.get((sampling.kind, sampling.normalised), "")
    return f"{letter}{words}{', normalised' if sampling.normalised else ''}"


def _from_minus_one(rows: Rows) -> Spec:
    """From -1 to 0, or to 1 where something is positive."""
    values = [row[key] for row in rows for key in ("observed", "low", "high") if row[key] is not None]
    return {"domain": [-1, 1 if max(values) > 0 else 0], "nice": False}


def _caption(found: Sequence[Observed], design: Design, form: Form, n_undefined: int) -> list[str]:
    first = found[0]
    scores = first.aim.scores
    if len(found) == 1:
        words = about(scores.measure, first.aim.target, scores.n_runs, scores.n_queries)
    else:
        targets = list(dict.fromkeys(each.aim.target.label for each in found))
        words = f"Target {listed(targets)}, {counted(scores.n_runs, 'run')}, {counted(scores.n_queries, 'query')}"
    sentences = [f"{words}; {form_words(form)}", *_sampling_words(first.rows, scores.n_queries, design)]
    dropped = sum(row.n_dropped for each in found for row in each.rows if row.n_subsets)
    if dropped:
        sentences.append(f"{counted(dropped, 'subset')} dropped because the target is 0 there")
    modelled = next((each.null for each in found if each.null is not None and each.null.common is not None), None)
    if modelled is not None:
        sentences.append(
            "Bar and tick: 95 % interval and median of the reference, runs equally effective and equally alike with "
            f"one common law of scatter ({modelled.request.n_samples} samples)"
        )
    sentences += [
        f"No reference for {measure_words(each.aim.scores.measure)}: {each.null.why}"
        for each in found
        if each.null is not None and each.null.common is None
    ]
    if n_undefined:
        sentences.append(f"{counted(n_undefined, 'correlation')} undefined and left out")
    return sentences


def _sampling_words(rows: Sequence[TradeoffRow], n_queries: int, design: Design) -> list[str]:
    """How the queries were sampled; what is as ever is not said."""
    if not any(row.sampling.kind == "random" for row in rows):
        return [f"No subsets of {counted(n_queries, 'query')}: --subset-size chooses a size"]
    return ["Numbers beside a sampling are queries in a subset", design_words(design)]


def design_words(design: Design) -> str:
    """The random partitions and their seed, and whatever else is not as CIKM'14 has it.

    >>> design_words(Design())
    'random: 10 partitions, seed 0'
    >>> design_words(Design(difficulty="mean", normalisation="maxmin"))
    'random: 10 partitions, seed 0; difficulty by the mean score; normalised by maxmin, which is inferred'
    """
    usual = Design()
    words = {
        "difficulty": "difficulty by the mean score",
        "remainder": f"remainder: {design.remainder}",
        "subset_weights": "subsets of equal weight",
        "normalisation": f"normalised by {design.normalisation}, which is inferred",
        "zero_target": f"where the target is 0: {design.zero_target}",
    }
    other = [text for name, text in words.items() if getattr(design, name) != getattr(usual, name)]
    drawn = f"random: {counted(design.repeats, 'partition')}, seed {design.seed}"
    return "; ".join([drawn, *other])


def trend(
    whole: Sequence[TrackTradeoff],
    over: Sequence[SeriesTrend],
    design: Design,
    n_samples: int | None = None,
    *,
    coefficient: str = "pearson",
    style: Style | None = None,
) -> Spec:
    """The correlations of (a) to (d) of CIKM'14 over the years, a line for each sampling in each series.

    Thin lines are the references' intervals, of ``n_samples`` each. Tracks of one series under different measures or
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
    y = quantity("observed", f"{NAMES[coefficient]} of {BIAS2} and Var", scale=_from_minus_one(rows))
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
        caption=_trend_caption(whole, over, design, n_samples, coefficient, rows),
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


def _track_rows(whole: Sequence[TrackTradeoff], coefficient: str) -> Rows:
    """A row for every track and sampling with a defined correlation; ``at`` is the year, moved a little aside."""
    years = [each.year for each in whole]
    aside = 0.008 * max(max(years) - min(years), 2) if years else 0
    rows: list[Row] = []
    for each in sorted(whole, key=lambda each: (each.series, each.year)):
        line = ", ".join(part for part in (each.series, measure_words(each.measure), f"target {each.target}") if part)
        held = zip(SAMPLINGS, each.correlations, each.references, strict=True)
        for place, (sampling, values, reference) in enumerate(held):
            if not isfinite(getattr(values, coefficient)):
                continue
            common = reference.get("common") if reference is not None else None
            beside = common[coefficient] if common is not None else {}
            row: Row = {"line": line, "track": each.track, "year": each.year, "sampling": _of_track(sampling)}
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


def _trend_caption(
    whole: Sequence[TrackTradeoff],
    over: Sequence[SeriesTrend],
    design: Design,
    n_samples: int | None,
    coefficient: str,
    rows: Rows,
) -> list[str]:
    lines = list(dict.fromkeys(row["line"] for row in rows))
    sentences = [f"{counted(len(whole), 'track')}{'' if len(lines) > 1 else ' of ' + lines[0]}; score form"]
    size = next(iter(design.subset_sizes), 10)
    sentences.append(f"Subsets of {counted(size, 'query')}; {design_words(design)}")
    sentences.append("Signs of a year stand side by side")
    if any(row["low"] is not None for row in rows):
        sentences.append(f"Thin lines: 95 % interval of the reference, one common law of scatter ({n_samples} samples)")
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
