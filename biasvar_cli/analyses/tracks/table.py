"""Many tracks and their trends over the years as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from biasvar_cli.analyses.tracks.answer import SAMPLINGS, BrokenTrack, TrackTradeoff
from biasvar_cli.analyses.tracks.sentences import (
    COEFFICIENT_NAMES,
    null_notes,
    single_null_notes,
    track_details,
    track_notes,
    trend_details,
    trend_notes,
)
from biasvar_cli.analyses.tracks.trends import SeriesTrend, quantities
from biasvar_cli.decomposition.design import Design
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.table import Note, Table, records
from biasvar_cli.words import COEFFICIENTS, Coefficient, counted


def tracks_table(found: Sequence[TrackTradeoff | BrokenTrack], over: Sequence[SeriesTrend], design: Design) -> Table:
    """One row per track: what it is made of, and the correlations of bias² and variance of (a) to (d) of CIKM'14.

    In JSON the trends and the errors of broken tracks are part of it.
    """
    whole = sorted(
        (each for each in found if isinstance(each, TrackTradeoff)), key=lambda each: (each.series, each.year)
    )
    broken = [each for each in found if isinstance(each, BrokenTrack)]
    held = quantities(whole)
    names = ("series", "year", "track", "measure", "target", "n_runs", "n_queries")
    columns: dict[str, list[Any]] = {name: [getattr(each, name) for each in whole] for name in names}
    if any(each.n_teams is not None for each in whole):
        columns["n_teams"] = [each.n_teams for each in whole]
    columns["target_mean"] = [each.target_mean for each in whole]
    last = [name for name in (held[0] if held else {}) if name != "target_rarefied"]
    for name in ["target_rarefied", *last]:
        columns[name] = [row[name] for row in held]
    return Table(
        title=f"Correlation of bias² and variance over the runs of {counted(len(whole), 'track')}",
        columns=columns,
        notes=tuple(map(Note, track_notes(whole, broken, design))),
        details=tuple(map(Note, track_details(whole, design))),
        signed=frozenset(f"{sampling}_{name}" for sampling in SAMPLINGS for name in COEFFICIENTS),
        document={
            "tracks": None,
            "null": records(null_models_table(whole).columns),
            "trends": records(trends_table(over).columns),
            "errors": [asdict(each) for each in broken],
        },
        rows_key="tracks",
        hidden=_one_mean(whole, columns["target_rarefied"]),
    )


def _one_mean(found: Sequence[TrackTradeoff], rarefied: Sequence[float]) -> frozenset[str]:
    """The mean of the target that people are not shown: the one that compares over years is enough."""
    compared = len({each.n_runs for each in found}) > 1 and any(value == value for value in rarefied)
    return frozenset({"target_mean" if compared else "target_rarefied"})


def null_models_table(found_tracks: Sequence[TrackTradeoff]) -> Table:
    """One row per track, null model, sampling and coefficient that has one: the observed number and the model's."""
    names = ("series", "year", "track", "model", "quantity", "observed", "median", "low", "high", "p", "verdict")
    rows = [
        {
            **{key: getattr(each, key) for key in ("series", "year", "track")},
            "model": model,
            "quantity": f"{sampling}_{name}",
            "observed": getattr(each.correlations[sampling], name),
            **found[name],
            "verdict": found.get("verdict") if name == "pearson" else None,
        }
        for each in found_tracks
        for sampling, models in each.null.items()
        for model, found in models.items()
        for name in COEFFICIENTS
    ]
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in names}
    return Table(
        "Null models of each correlation",
        columns,
        notes=tuple(map(Note, null_notes())),
        intervals={"95 %": ("low", "high")},
        signed=frozenset({"observed", "median", "low"}),
        rows_key="null",
    )


def trends_table(found: Sequence[SeriesTrend]) -> Table:
    """One row per series and quantity, the normalised correlations first."""
    columns: dict[str, list[Any]] = {
        name: [getattr(each, name) for each in found] for name in ("series", "measure", "target", "quantity")
    }
    for name in ("n_years", "n_undefined", "tau", "p", "least_p"):
        columns[name] = [getattr(each.trend, name) for each in found]
    return Table(
        "Trends over the years of a series",
        columns,
        notes=tuple(trend_notes(found)),
        details=tuple(map(Note, trend_details())),
        signed=frozenset({"tau"}),
        rows_key="trends",
        hidden=frozenset() if any(columns["n_undefined"]) else frozenset({"n_undefined"}),
    )


def whole_table(
    found: Sequence[TrackTradeoff | BrokenTrack],
    over: Sequence[SeriesTrend],
    design: Design,
    coefficients: Sequence[Coefficient],
) -> Table:
    """What people are shown: the tracks, and as small tables their trends and the null model over single queries."""
    main = for_people(tracks_table(found, over, design), coefficients)
    whole = [each for each in found if isinstance(each, TrackTradeoff)]
    trends = for_people(trends_table(over), coefficients)
    small = [single_null(whole, name) for name in coefficients]
    if any(each.trend.n_years >= LEAST_POINTS for each in over):
        small.insert(0, replace(trends, details=()))
    elif over:
        main = replace(main, notes=(*main.notes, *trends.notes))
    return replace(main, second=tuple(each for each in small if each.columns["series"]))


def single_null(found: Sequence[TrackTradeoff], coefficient: Coefficient) -> Table:
    """One row per track: its correlation over single queries, and what models give whose runs differ only in means."""
    held = [(each, each.null["single"]["means"]) for each in found if "means" in each.null.get("single", {})]
    held.sort(key=lambda pair: (pair[0].series, pair[0].year))
    ranges = [null[coefficient] for _, null in held]
    columns: dict[str, list[Any]] = {
        name: [getattr(each, name) for each, _ in held] for name in ("series", "year", "track")
    }
    columns["observed"] = [getattr(each.correlations["single"], coefficient) for each, _ in held]
    sign = COEFFICIENT_NAMES[coefficient].split()[-1]
    columns[f"null {sign}"] = [null["median"] for null in ranges]
    columns |= {name: [null[name] for null in ranges] for name in ("low", "high")}
    verdicts: list[str | None] = []
    if coefficient == "pearson":
        columns["p"] = [null["p"] for null in ranges]
        columns["verdict"] = verdicts = [null["verdict"] for _, null in held]
    return Table(
        f"{COEFFICIENT_NAMES[coefficient]} over single queries beside its null models",
        columns,
        notes=tuple(map(Note, single_null_notes(verdicts, sign))),
        intervals={"null 95 %": ("low", "high")},
        signed=frozenset({"observed", f"null {sign}", "low"}),
    )


def for_people(table: Table, coefficients: Sequence[str]) -> Table:
    """The table of tracks or of trends with these coefficients alone: all of them are too wide to read.

    The measure and the target go into the title where they are the same for all.

    >>> table = Table("Tracks", {"track": ["A"], "measure": ["AP"], "single_pearson": [-0.8], "single_kendall": [-0.6]})
    >>> shown = for_people(table, ["kendall"])
    >>> shown.title, list(shown.columns)
    ('Tracks, AP', ['track', 'single_kendall'])
    """
    columns = dict(table.columns)
    others = {name for name in COEFFICIENTS if name not in coefficients}
    columns = {name: column for name, column in columns.items() if name.rpartition("_")[2] not in others}
    if "quantity" in columns:
        keep = [index for index, name in enumerate(columns["quantity"]) if name.rpartition("_")[2] not in others]
        columns = {name: [column[index] for index in keep] for name, column in columns.items()}
    words = []
    for name, before in (("measure", ""), ("target", "target ")):
        if len(set(columns.get(name, [None]))) == 1 and columns.get(name, [None])[0] is not None:
            words.append(before + str(columns.pop(name)[0]))
    return replace(table, title=", ".join([table.title, *words]), columns=columns)
