"""Many tracks, their null models, and their trends over the years as tables, with their sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite, isnan, nan

from biasvar_cli import words
from biasvar_cli.analyses.tracks import HEADS, LETTERS, NULL, RANGE_ENDS, SAMPLINGS, SIGNS, TABLES, WITH_RANGES
from biasvar_cli.analyses.tracks.answer import NullRow, SeriesTrend, TracksAnswer, TrackTradeoff
from biasvar_cli.analyses.tradeoff.notes import sample_words
from biasvar_cli.nulls import BESIDE
from biasvar_cli.nulls.verdicts import Side, side
from biasvar_cli.specs.limits import LEVEL, is_significant, threshold
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.null_words import ALONE, IN_MODELS, QUESTION, RANGE, sample_notes
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.rows import View, row_order, top_note
from biasvar_cli.tables.table import Table, explained, signature
from biasvar_cli.words import COEFFICIENTS, QUERIES, QUERY, RUN, RUNS, counted, in_nouns, listed, verb

_MOST_NAMES = 4


@dataclass(frozen=True, kw_only=True)
class TracksView(View):
    """Which table to show, which of its rows, and the correlations that people see.

    With ``top`` every format has the rows that people see.
    """

    table: str = "tracks"
    correlation: Sequence[words.Coefficient] = ("pearson",)

    @property
    def others(self) -> tuple[words.Coefficient, ...]:
        """The coefficients that are not shown."""
        return tuple(name for name in COEFFICIENTS if name not in self.correlation)

    def order(self, cells: Cells, order: Sequence[int], names: str) -> list[int]:
        """The rows in the order that is shown, before ``top``, where ``order`` is the usual one.

        Raises `UsageError` for an unknown column.
        """
        order = list(order)
        if "quantity" in cells.columns and (self.for_people or self.top is not None):
            quantities = cells.columns["quantity"]
            order = [index for index in order if quantities[index].rpartition("_")[2] not in self.others]
        if self.sort is not None:
            rows = row_order(cells.rows(order).columns, self.sort, names=names, declared=TABLES[self.table])
            order = [order[row] for row in rows]
        return order


VIEW = TracksView


def tables(answers: Sequence[TracksAnswer], view: TracksView) -> list[Table]:
    """A table for each answer."""
    return [tracks_table(answer, view) for answer in answers]


def tracks_table(answer: TracksAnswer, view: TracksView) -> Table:
    """The table that a view asks for; JSON has all of them, and the errors of broken tracks.

    Raises `UsageError` for a column to sort by that is not there.
    """
    tracks, design = answer.whole, answer.request.design
    numbers = [track.n_samples for track in tracks if track.n_samples]
    basis = signature(
        ", ".join(dict.fromkeys(track.measure or "unknown measure" for track in tracks)),
        (counted(len(tracks), "track"), f"target {', '.join(dict.fromkeys(track.target for track in tracks))}"),
        *design.words(max(track.n_queries for track in tracks)),
        f"null models {_span(numbers)} seed {design.seed}" if numbers else "",
    )
    table = {"tracks": _tracks_table, "null": _null_table, "trends": _trends_table}[view.table](answer, view)
    table = replace(table, name="tracks", signature=basis)
    if view.for_people:
        return replace(table, hidden=table.hidden | _same(answer).keys())
    records = filled(TABLES["tracks"], answer).rows(_usual_order(tracks)).records()
    if view.table == "tracks":
        records = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
    leading, better = ("series", "year", "track", "measure"), {track.track: track.better for track in tracks}
    document = {
        "tracks": [{**{name: row[name] for name in leading}, "better": better[row["track"]], **row} for row in records],
        "null": filled(NULL, answer.null_rows).rows(_usual_order(answer.null_rows)).records(),
        "trends": filled(TABLES["trends"], answer.trends).records(),
        "errors": [asdict(track) for track in answer.broken],
    }
    return replace(table, document=document, rows_key="" if view.table == "tracks" else table.rows_key)


def _usual_order(rows: Sequence[TrackTradeoff | NullRow]) -> list[int]:
    """Rows of tracks by series and year, those without a year behind the others in the order of the manifest."""
    return sorted(range(len(rows)), key=lambda row: (rows[row].series, rows[row].year is None, rows[row].year or 0))


def _tracks_table(answer: TracksAnswer, view: TracksView) -> Table:
    """One row per track: what it is made of, and the correlations of bias² and variance of (a) to (d) of CIKM'14.

    People see the ranges of the null models beside single queries.
    """
    cells = filled(TABLES["tracks"], answer)
    order = view.order(cells, _usual_order(answer.whole), "track")
    if view.for_people and any(track.beside_single for track in answer.whole):
        cells = filled(WITH_RANGES, answer)
    compared = answer.sizes_differ and any(track.rarefied for track in answer.whole)
    trends = _trends_table(answer, TracksView(table="trends", correlation=view.correlation))
    trends = replace(trends, title="Trends over the years of a series", hidden=trends.hidden | _same(answer).keys())
    return Table.of(
        _tracks_title(answer),
        cells.rows(order[: view.top]),
        verdict=(*verdict_notes(answer), trend_note(_trends(answer, view))),
        notes=(*top_note(view.top, len(order)), *_track_notes(answer)),
        details=tuple(_track_details(answer)),
        appendix=(trends,) if _has_trend(answer.trends) else (),
        intervals={
            f"{SIGNS[name]} {IN_MODELS}": (f"single_{name}_low", f"single_{name}_high") for name in view.correlation
        },
        hidden=frozenset(
            {
                "target_mean" if compared else "target_rarefied",  # one of them is enough for people
                *(f"{sampling}_{name}" for sampling in SAMPLINGS for name in view.others),
                *(column.name for name in view.others for column in RANGE_ENDS[name]),
            }
        ),
        more=("--table null", "--table trends"),
        rows_key="tracks",
    )


def _trends(answer: TracksAnswer, view: TracksView) -> list[SeriesTrend]:
    """The trends of what people see."""
    return [row for row in answer.trends if row.quantity.rpartition("_")[2] not in view.others]


def _null_table(answer: TracksAnswer, view: TracksView) -> Table:
    """One row per track, sampling, coefficient and null model: the observed number and those of the model."""
    cells = filled(NULL, answer.null_rows)
    order = view.order(cells, range(len(answer.null_rows)), "track")
    if view.for_people:  # the p of shuffled scores is not that of a verdict
        rows = zip(answer.null_rows, cells.columns["p"], strict=True)
        cells.columns["p"] = [None if row.model == "shuffled" else p for row, p in rows]
        cells.columns["quantity"] = [HEADS[row.quantity] for row in answer.null_rows]
    return Table.of(
        _tracks_title(answer),
        cells.rows(order[: view.top]),
        verdict=tuple(verdict_notes(answer)),
        notes=(
            *top_note(view.top, len(order)),
            sample_words([answer.size]),
            f"means: three models in which {RUNS} differ only in their means; the widest of their central 95 % ranges.",
            *(in_nouns(f"{model.name}: {model.words}. {model.undeciding}.") for model in BESIDE),
            f"p and verdict are those of means, for single {QUERIES} alone; csv and JSON have p of shuffled, too.",
        ),
        details=tuple(_null_details(answer)),
        intervals={"95 %": ("low", "high")},
        rows_key="null",
    )


def _trends_table(answer: TracksAnswer, view: TracksView) -> Table:
    """One row per series and quantity, the normalised correlations first."""
    cells = filled(TABLES["trends"], answer.trends)
    order = view.order(cells, range(len(answer.trends)), "quantity")
    cells = cells.rows(order[: view.top])
    verdict = (trend_note(_trends(answer, view)),)
    if view.for_people and not _has_trend(answer.trends):  # a table of dashes
        return Table(_tracks_title(answer), {}, verdict=verdict, rows_key="trends")
    undefined = f"Undefined (-): fewer than {LEAST_POINTS} years, or the same value every year."
    return Table.of(
        _tracks_title(answer),
        cells,
        verdict=verdict,
        notes=(
            *top_note(view.top, len(order)),
            explained(cells.declared, "tau", "p", "least_p"),
            *([] if all(isfinite(row.trend.tau) for row in answer.trends) else [undefined]),
        ),
        rows_key="trends",
        hidden=frozenset() if any(cells.columns["n_undefined"]) else frozenset({"n_undefined"}),
    )


def _same(answer: TracksAnswer) -> dict[str, str]:
    """Series, measure and target, those of them that are the same for all tracks, which the title has."""
    values = {name: {getattr(track, name) for track in answer.whole} for name in ("series", "measure", "target")}
    return {name: str(next(iter(of_all)) or "") for name, of_all in values.items() if len(of_all) == 1}


def _tracks_title(answer: TracksAnswer) -> str:
    """What was evaluated: how many tracks of which size, with the measure, series and target that all of them have."""
    tracks = answer.whole
    n_runs, n_queries = ([getattr(track, name) for track in tracks] for name in ("n_runs", "n_queries"))
    years = [track.year for track in tracks if track.year is not None]
    same = _same(answer)
    about = ", ".join(filter(None, (same.get("series"), _span(years) if years else "")))
    number = f"{counted(len(tracks), 'track')}{f' ({about})' if about else ''}"
    runs = f"{_span(n_runs)} {verb(max(n_runs), f'{RUN}', f'{RUNS}')}"
    queries = f"{_span(n_queries)} {verb(max(n_queries), f'{QUERY}', f'{QUERIES}')}"
    size = f"{number}, {runs} on {queries}{' each' * (len(tracks) > 1)}."
    subject = f"{same['measure'] or 'Scores (unknown measure)'} of " if "measure" in same else ""
    target = f" Virtual target: {same['target']}." if "target" in same else ""
    return f"{subject}{size}{target}"


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def verdict_notes(answer: TracksAnswer) -> Iterator[str]:
    """How many tracks have a tradeoff by their verdicts, and on which side of the null models' range they lie."""
    tracks, question = answer.whole, in_nouns(QUESTION)
    if answer.request.null is None:
        yield f"{question} No verdict without null models ({words.argument('null')}). {ALONE}."
    else:
        yield f"{question} {_judged(tracks)}"
    rs = [track.correlations["single"].pearson for track in tracks]
    n_negative, n_defined = sum(r < 0 for r in rs), sum(not isnan(r) for r in rs)
    names: dict[Side, list[str]] = {"within": [], "above": [], "below": []}
    for track, r in zip(tracks, rs, strict=True):
        simulated = track.beside_single.get("pearson", {})
        ends = (nan if (end := simulated.get(name)) is None else end for name in ("low", "high"))
        where = side(r, *ends)
        if where is not None:
            names[where].append(track.track)
    sides: list[str] = []
    for where, beside in names.items():
        if beside:
            which = "" if where == "within" else f" ({listed(beside, _MOST_NAMES)})"
            null_range = "it" if sides else "the range of its null models"
            sides.append(f"{where} {null_range}" + (f" in {len(beside)}{which}" if n_defined > 1 else ""))
    if n_defined:
        lies = f" It lies {listed(sides)}." if sides else ""
        is_negative = f"is negative in {n_negative} of {n_defined} tracks"
        if n_defined == 1:
            is_negative = "is negative" if n_negative else "is not negative"
        yield f"Pearson's r over single {QUERIES} (a) {is_negative}.{lies}"


def _judged(tracks: Sequence[TrackTradeoff]) -> str:
    """The verdicts of all tracks in words."""
    names, verdict = _by_verdict(tracks), verdict_words(tracks)
    without = listed(names.pop(None, []), _MOST_NAMES)
    if not names:
        return f"{verdict}. {ALONE}."
    weaker = names.get("weaker", [])
    rest = f" In {listed(weaker, _MOST_NAMES)} r is less negative than differences in means explain." if weaker else ""
    rest += f" No verdict on {without}." if without else ""
    more = ": r is more negative than differences in means explain" if "stronger" in names else ""
    return f"{verdict}{more}.{rest}"


def verdict_words(tracks: Sequence[TrackTradeoff]) -> str:
    """In which tracks there is evidence of a tradeoff, in short: the title of the figure."""
    names = _by_verdict(tracks)
    without, stronger = names.pop(None, []), names.get("stronger", [])
    n_judged = sum(map(len, names.values()))
    if not names:
        return f"No verdict on {listed(without, _MOST_NAMES)}"
    if stronger:
        return f"Tradeoff in {len(stronger)} of {counted(n_judged, 'track')} ({listed(stronger, _MOST_NAMES)})"
    where = (
        f"{verb(n_judged - 1, 'either', 'any')} of {n_judged} tracks" if n_judged > 1 else next(iter(names.values()))[0]
    )
    return f"No evidence of a tradeoff in {where}"


def _by_verdict(tracks: Sequence[TrackTradeoff]) -> dict[str | None, list[str]]:
    """The names of the tracks by their verdict; a tradeoff is a negative r with the verdict ``stronger``."""
    names: dict[str | None, list[str]] = {}
    for track in tracks:
        verdict, r = track.beside_single.get("verdict"), track.correlations["single"].pearson
        names.setdefault("none" if verdict == "stronger" and not r < 0 else verdict, []).append(track.track)
    return names


def _has_trend(trends: Sequence[SeriesTrend]) -> bool:
    """Whether the trend of anything is defined."""
    return any(isfinite(row.trend.tau) for row in trends)


def trend_note(trends: Sequence[SeriesTrend]) -> str:
    """Which correlations, or targets, rise or fall over the years, or why no trend can be shown.

    Of a single series without a trend the first quantity is named, which is the one that CIKM'14 rests its trend on.
    """
    defined = [row for row in trends if not isnan(row.trend.tau)]
    if not defined:
        return f"Trend not computed: a series needs at least {LEAST_POINTS} years and values that differ."
    least, years = min((row.trend.least_p, row.trend.n_years) for row in defined)
    if not is_significant(least, LEVEL):
        return f"No trend can be shown: with {years} years no p is below {num(least, 2)}."
    several = len({(row.series, row.measure, row.target) for row in defined}) > 1
    clear, n, level = [row for row in defined if is_significant(row.trend.p, LEVEL)], len(defined), threshold(LEVEL)
    if clear:
        tested = "one quantity" if n == 1 else f"{n} quantities, each tested alone"
        changes = [
            f"{_quantity_words(row, several=several)} {'rises' if row.trend.tau > 0 else 'falls'} "
            f"(tau {num(row.trend.tau, 2, signed=True)}, p {num(row.trend.p, 3)})"
            for row in clear
        ]
        return f"Trends over the years with p below {level:g}, of {tested}: {listed(changes)}."
    none = "the one quantity tested has no" if n == 1 else f"none of the {n} quantities, each tested alone, has"
    if several:
        return f"No trend over the years: {none} p below {level:g}."
    tau, p = num(defined[0].trend.tau, 2, signed=True), num(defined[0].trend.p, 3)
    first = f"{_quantity_words(defined[0], several=False)} has tau {tau} with the year (p {p})"
    return f"No trend over the years: {none} p below {level:g}; {first}."


def _quantity_words(row: SeriesTrend, *, several: bool) -> str:
    """A quantity as the table of tracks heads it, with its series where there are several."""
    sampling, _, name = row.quantity.rpartition("_")
    quantity = f"({LETTERS[sampling]}) {SIGNS[name]}" if sampling in LETTERS else row.quantity
    return f"{row.series or row.measure or row.target}: {quantity}" if several else quantity


def _track_notes(answer: TracksAnswer) -> Iterator[str]:
    """The few lines under the tracks."""
    yield sample_words([answer.size])
    if any(track.beside_single for track in answer.whole):
        yield RANGE
    correlations = [values for track in answer.whole for values in track.correlations.values()]
    if any(isnan(value) for values in correlations for value in vars(values).values()):
        yield (
            f"Undefined (-): fewer than {LEAST_POINTS} {RUNS}, bias² or variance the same for every {RUN}, too few "
            f"{QUERIES} for subsets, or a target of 0 that scores would be divided by."
        )
    if answer.undated:
        yield f"Without a year, so in no trend: {listed(answer.undated, _MOST_NAMES)}."
    if answer.broken:
        names = listed([track.track for track in answer.broken])
        yield f"{counted(len(answer.broken), 'track')} could not be computed: {names}."


def _track_details(answer: TracksAnswer) -> Iterator[str]:
    """How the samples of the queries and of the null models were drawn, and why some tracks have no verdict."""
    design = answer.request.design
    yield "All correlations are of the score form."
    yield (
        f"(b): {counted(design.repeats, 'partition')} of the {QUERIES}, drawn with seed {design.seed}. Where r of (b) "
        "is nearer to 0 than that of (a), that is the noise of few partitions."
    )
    yield f"(c): {QUERIES} in ascending order of their {design.difficulty} score over the pool."
    if answer.sizes_differ:
        yield (
            f"target_rarefied: the target's mean, as expected of as many {RUNS} as the smallest track of the series "
            f"has. The best score over more {RUNS} is higher for that alone; target_rarefied can be compared over "
            "years."
        )
    for track in answer.whole:
        if track.beside_single.get("reason"):
            yield f"{track.track}: {track.beside_single['reason']}."
    yield from _null_details(answer)


def _null_details(answer: TracksAnswer) -> Iterator[str]:
    """How the null models were made; nothing where there are none."""
    numbers = [track.n_samples for track in answer.whole if track.n_samples]
    if numbers:
        yield from sample_notes(_span(numbers), answer.request.design.seed)
