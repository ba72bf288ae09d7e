"""Many tracks and their trends over the years as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from biasvar_cli.analyses.tradeoff import USUAL_SIZE, Design
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.table import Note, Table, listed, records
from biasvar_cli.tracks.trends import SeriesTrend, quantities
from biasvar_cli.tracks.values import BrokenTrack, TrackTradeoff
from biasvar_cli.words import COEFFICIENTS, counted


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
        notes=tuple(map(Note, _notes(whole, broken, design))),
        document={
            "tracks": None,
            "null": records(null_models_table(whole).columns),
            "trends": records(trends_table(over).columns),
            "errors": [asdict(each) for each in broken],
        },
        rows_key="tracks",
    )


def null_models_table(found_tracks: Sequence[TrackTradeoff]) -> Table:
    """One row per track, null model, sampling and coefficient that has one: the observed number and the model's."""
    names = ("series", "year", "track", "model", "quantity", "observed", "median", "low", "high", "p")
    rows = [
        {
            **{key: getattr(each, key) for key in ("series", "year", "track")},
            "model": model,
            "quantity": f"{sampling}_{name}",
            "observed": getattr(each.correlations[sampling], name),
            **found[name],
        }
        for each in found_tracks
        for sampling, models in each.null.items()
        for model, found in models.items()
        for name in COEFFICIENTS
    ]
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in names}
    what = "what simulated runs with the same means and no stability of their own give"
    notes = [f"common: {what} through the same sampling and target; median, 95 %, two-sided p"]
    notes.append("exchangeable: the same where scores are shuffled among runs within each query")
    notes.append("Most of a negative correlation is there without any tradeoff; normalised rows depend on the model")
    return Table("Null models of each correlation", columns, notes=tuple(map(Note, notes)), rows_key="null")


def trends_table(found: Sequence[SeriesTrend]) -> Table:
    """One row per series and quantity, the normalised correlations first."""
    columns: dict[str, list[Any]] = {
        name: [getattr(each, name) for each in found] for name in ("series", "measure", "target", "quantity")
    }
    for name in ("n_years", "n_undefined", "tau", "p", "least_p"):
        columns[name] = [getattr(each.trend, name) for each in found]
    what = "tau: Kendall's of the year and the quantity; p: exact, two-sided"
    notes = [f"{what}; least_p: the least p that so many years, with the ties they have, can give"]
    if any(each.trend.tau != each.trend.tau for each in found):
        notes.append(f"Undefined (-): fewer than {LEAST_POINTS} years, or the same value every year")
    return Table("Trends over the years of a series", columns, notes=tuple(map(Note, notes)), rows_key="trends")


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


def _notes(found: Sequence[TrackTradeoff], broken: Sequence[BrokenTrack], design: Design) -> list[str]:
    size = next(iter(design.subset_sizes), USUAL_SIZE)
    drawn = f"{counted(design.repeats, 'partition')} into subsets of {size} drawn with seed {design.seed}"
    notes = [
        f"In CIKM'14 single is (a), random (b), difficulty (c), normalised (d), all in the score form; random: {drawn}",
        f"difficulty: subsets of {size} by {design.difficulty} score; normalised: the same over the target's",
        "Where random is nearer to 0 than single, that is the noise of few partitions and no smoother variance",
        "A negative value alone shows no tradeoff: bounded scores have a negative correlation of their own",
    ]
    if len({each.n_runs for each in found}) > 1:
        notes.append(
            "target_mean: the best score over more runs is higher for that alone. target_rarefied, the expected "
            "best of as many runs as the smallest track of the series has, can be compared over years"
        )
    if any(
        value != value for each in found for values in each.correlations.values() for value in vars(values).values()
    ):
        notes.append(
            f"Undefined (-): fewer than {LEAST_POINTS} runs, bias² or variance the same for every run, too few queries "
            "for subsets, or a target that nothing can be divided by"
        )
    if broken:
        notes.append(
            f"{counted(len(broken), 'track')} could not be computed: {listed([each.track for each in broken])}"
        )
    return notes
