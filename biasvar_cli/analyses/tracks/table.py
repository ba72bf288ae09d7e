"""Many tracks and their trends over the years as tables, with the notes under them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from biasvar_cli.analyses.tracks.answer import SeriesTrend, TracksAnswer
from biasvar_cli.analyses.tracks.columns import NULL, TABLES
from biasvar_cli.nulls.registry import BESIDE
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.quantities import COEFFICIENTS
from biasvar_cli.tables.table import Note, Table, listed
from biasvar_cli.words import Coefficient, counted

_LEVEL = 0.05  # p of a trend


def track_notes(answer: TracksAnswer) -> Iterator[str]:
    """The lines under the tracks that everybody sees."""
    size = answer.size
    yield (
        f"(a) to (d) of CIKM'14: single, each query; random, random subsets of {size} queries; difficulty, subsets of "
        f"{size} queries as hard as each other; normalised, these divided by the target."
    )
    yield "A negative correlation alone shows no tradeoff: bounded scores have one of their own."
    if answer.sizes_differ:
        yield "target_rarefied: the target's mean, as expected of as many runs as the smallest track of the series has."
    correlations = (values for track in answer.whole for values in track.correlations.values())
    if any(value != value for values in correlations for value in vars(values).values()):
        yield (
            f"Undefined (-): fewer than {LEAST_POINTS} runs, bias² or variance the same for every run, too few queries "
            "for subsets, or a target that nothing can be divided by."
        )
    if answer.broken:
        names = listed([track.track for track in answer.broken])
        yield f"{counted(len(answer.broken), 'track')} could not be computed: {names}."


def track_details(answer: TracksAnswer) -> Iterator[str]:
    """What ``--notes full`` adds under the tracks."""
    design = answer.request.design
    partitions = counted(design.repeats, "partition")
    yield f"random: {partitions} of the queries drawn with seed {design.seed}. All correlations are of the score form."
    yield "Where random is nearer to 0 than single, that is the noise of few partitions and no smoother variance."
    yield f"difficulty: queries in the order of their {design.difficulty} score over the pool."
    if answer.sizes_differ:
        yield "The best score over more runs is higher for that alone; target_rarefied can be compared over years."


def null_notes() -> Iterator[str]:
    """The lines under the null models of all correlations."""
    yield (
        "means: three models in which runs differ only in their means, through the same sampling and target; the "
        "widest of their 95 %, the median of the first, two-sided p and verdict."
    )
    yield from (f"{model.name}: {model.words}." for model in BESIDE)
    yield "Most of a negative correlation is there without any tradeoff. Single queries alone have a p and a verdict."


def single_null_notes(verdicts: Sequence[str | None], sign: str) -> Iterator[str]:
    """The lines under the null models over single queries; ``sign`` is that of the coefficient, such as r."""
    yield f"null {sign}: its median and range in models in which runs differ only in their means."
    judged = [verdict for verdict in verdicts if verdict is not None]
    without = len(verdicts) - len(judged)
    if judged and len(verdicts) > 1:
        counts = ", ".join(f"{verdict} {judged.count(verdict)}" for verdict in ("stronger", "weaker", "none"))
        rest = f"; {counted(without, 'track')} without a verdict" if without else ""
        yield f"Verdicts on {counted(len(judged), 'track')}: {counts}{rest}."
    yield "All null models: --table null."


def trend_notes(trends: Sequence[SeriesTrend]) -> Iterator[Note]:
    """Which trends are significant, or why none can be."""
    if all(row.trend.tau != row.trend.tau for row in trends):
        yield Note(f"No trends: a series needs at least {LEAST_POINTS} years.")
        return
    least = min(row.trend.least_p for row in trends if row.trend.least_p == row.trend.least_p)
    if least > _LEVEL:
        yield Note("Too few years for a trend: no p can be below {}.", (least,), signed=False)
    else:
        clear = [row for row in trends if row.trend.p < _LEVEL]
        words = [f"{row.series} {row.quantity} ({'up' if row.trend.tau > 0 else 'down'})" for row in clear]
        yield Note(f"Trends with p below {_LEVEL:g}: {listed(words) or 'none'}.")
    yield Note("tau: Kendall's, of the year and the quantity; p: exact, two-sided.")
    if any(row.trend.tau != row.trend.tau for row in trends):
        yield Note(f"Undefined (-): fewer than {LEAST_POINTS} years, or the same value every year.")


def trend_details() -> Iterator[str]:
    """What ``--notes full`` adds under the trends."""
    yield "least_p: the least p that so many years, with the ties they have, can give."


@dataclass(frozen=True, kw_only=True)
class TracksView:
    """Which table to show, and the correlations that people see; None is all tables for people, or else the tracks."""

    table: str | None = None
    correlation: Sequence[Coefficient] = ("pearson",)
    for_people: bool = True


def tracks_table(answer: TracksAnswer, view: TracksView) -> Table:
    """The table that a view asks for."""
    tables = {"tracks": _tracks_table, "null": _null_table, "trends": _trends_table}
    if view.for_people and view.table is None:
        return _whole_table(answer, view.correlation)
    table = tables[view.table or "tracks"](answer)
    return for_people(table, view.correlation) if view.for_people else table


def _tracks_table(answer: TracksAnswer) -> Table:
    """One row per track: what it is made of, and the correlations of bias² and variance of (a) to (d) of CIKM'14.

    In JSON the trends and the errors of broken tracks are part of it.
    """
    cells = filled(TABLES["tracks"], answer)
    order = sorted(range(len(answer.whole)), key=lambda row: (answer.whole[row].series, answer.whole[row].year))
    compared = answer.sizes_differ and any(track.rarefied for track in answer.whole)
    null = filled(NULL, answer.null_rows).records()
    return Table.of(
        f"Correlation of bias² and variance over the runs of {counted(len(order), 'track')}",
        cells.rows(order),
        notes=tuple(map(Note, track_notes(answer))),
        details=tuple(map(Note, track_details(answer))),
        document={
            "tracks": None,
            "null": sorted(null, key=lambda row: (row["series"], row["year"])),
            "trends": filled(TABLES["trends"], answer.trends).records(),
            "errors": [asdict(track) for track in answer.broken],
        },
        rows_key="tracks",
        hidden=frozenset({"target_mean" if compared else "target_rarefied"}),  # one of them is enough for people
    )


def _null_table(answer: TracksAnswer) -> Table:
    """One row per track, null model, sampling and coefficient that has one: the observed number and the model's."""
    return Table.of(
        "Null models of each correlation",
        filled(NULL, answer.null_rows),
        notes=tuple(map(Note, null_notes())),
        intervals={"95 %": ("low", "high")},
        rows_key="null",
    )


def _trends_table(answer: TracksAnswer) -> Table:
    """One row per series and quantity, the normalised correlations first."""
    cells = filled(TABLES["trends"], answer.trends)
    return Table.of(
        "Trends over the years of a series",
        cells,
        notes=tuple(trend_notes(answer.trends)),
        details=tuple(map(Note, trend_details())),
        rows_key="trends",
        hidden=frozenset() if any(cells.columns["n_undefined"]) else frozenset({"n_undefined"}),
    )


def _whole_table(answer: TracksAnswer, correlation: Sequence[Coefficient]) -> Table:
    """What people are shown: the tracks, and as small tables their trends and the null model over single queries."""
    main = for_people(_tracks_table(answer), correlation)
    trends = for_people(_trends_table(answer), correlation)
    small = [_single_null(answer, name) for name in correlation]
    if any(row.trend.n_years >= LEAST_POINTS for row in answer.trends):
        small.insert(0, replace(trends, details=()))
    else:
        main = replace(main, notes=(*main.notes, *trends.notes))
    return replace(main, second=tuple(table for table in small if table.columns["series"]))


def _single_null(answer: TracksAnswer, coefficient: Coefficient) -> Table:
    """One row per track: its correlation over single queries, and what models give whose runs differ only in means."""
    wanted = ("means", f"single_{coefficient}")
    rows = [row for row in answer.null_rows if (row.model, row.quantity) == wanted]
    rows.sort(key=lambda row: (row.series, row.year))
    left_out = {"model", "quantity"} if coefficient == "pearson" else {"model", "quantity", "p", "verdict"}
    name, _, sign = COEFFICIENTS[coefficient].heading.rpartition(" ")  # Pearson's $r$
    letter = sign.strip("$\\")
    columns = {column.name: column for column in NULL if column.name not in left_out}
    columns["median"] = replace(columns["median"], head=f"null {letter}", latex=f"null {sign}")
    verdicts = [row.verdict for row in rows] if coefficient == "pearson" else []
    return Table.of(
        f"{name} {letter} over single queries beside its null models",
        filled(tuple(columns.values()), rows),
        notes=tuple(map(Note, single_null_notes(verdicts, letter))),
        intervals={"null 95 %": ("low", "high")},
    )


def for_people(table: Table, correlation: Sequence[str]) -> Table:
    """The table of tracks or of trends with these coefficients alone: all of them are too wide to read.

    The measure and the target go into the title where they are the same for all.

    >>> table = Table("Tracks", {"track": ["A"], "measure": ["AP"], "single_pearson": [-0.8], "single_kendall": [-0.6]})
    >>> shown = for_people(table, ["kendall"])
    >>> shown.title, list(shown.columns)
    ('Tracks, AP', ['track', 'single_kendall'])
    """
    others = COEFFICIENTS.keys() - set(correlation)
    columns: dict[str, list[Any]] = {
        name: values for name, values in table.columns.items() if name.rpartition("_")[2] not in others
    }
    if "quantity" in columns:
        shown = [row for row, name in enumerate(columns["quantity"]) if name.rpartition("_")[2] not in others]
        columns = {name: [values[row] for row in shown] for name, values in columns.items()}
    words = [str(table.title)]
    for name, before in (("measure", ""), ("target", "target ")):
        if len(set(columns.get(name, []))) == 1 and columns[name][0] is not None:
            words.append(f"{before}{columns.pop(name)[0]}")
    return replace(table, title=", ".join(words), columns=columns)
