"""What the text says of many tracks: their verdicts, where the correlations lie, and trends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from biasvar_cli.analyses.tracks.answer import SeriesTrend, TracksAnswer, TrackTradeoff
from biasvar_cli.analyses.tracks.columns import SIGNS
from biasvar_cli.analyses.tracks.request import LETTERS
from biasvar_cli.analyses.tradeoff.sentences import RANGES, sample_words
from biasvar_cli.nulls.registry import BESIDE
from biasvar_cli.nulls.rows import Side, side
from biasvar_cli.specs import LEVEL
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.stats.level import is_significant, threshold
from biasvar_cli.tables.null import ALONE, JUDGED, QUESTION, RANGE, WEAKENED, models_words
from biasvar_cli.tables.table import Note, listed, plain
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, argument, counted, in_nouns

_MOST_NAMES = 4
_NAN = float("nan")


def tracks_title(answer: TracksAnswer) -> str:
    """What was evaluated: how many tracks of which size, with the measure, series and target that all of them have."""
    tracks = answer.whole
    n_runs, n_queries = ([getattr(track, name) for track in tracks] for name in ("n_runs", "n_queries"))
    years = [track.year for track in tracks if track.year is not None]
    about = ", ".join(filter(None, (common(answer, "series"), _span(years) if years else "")))
    runs = f"{_span(n_runs)} {RUNS if max(n_runs) > 1 else RUN}"
    queries = f"{_span(n_queries)} {QUERIES if max(n_queries) > 1 else QUERY}"
    measure = common(answer, "measure", unknown="Scores (unknown measure)")
    target = common(answer, "target")
    number = f"{counted(len(tracks), 'track')}{f' ({about})' if about else ''}"
    words = f"{number}, {runs} on {queries}{' each' * (len(tracks) > 1)}."
    return f"{measure}{' of ' * bool(measure)}{words}{f' Virtual target: {target}.' if target else ''}"


def common(answer: TracksAnswer, name: str, unknown: str = "") -> str:
    """What all tracks have of a kind, such as their series; empty where they differ in it, or there is none."""
    values = {getattr(track, name) for track in answer.whole}
    return (str(next(iter(values)) or "") or unknown) if len(values) == 1 else ""


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return str(low) if low == high else f"{low} to {high}"


def verdict_notes(answer: TracksAnswer) -> Iterator[Note]:
    """How many tracks have a tradeoff by their verdicts, and on which side of the null models' range they lie."""
    tracks = answer.whole
    if answer.request.null is None:
        yield Note(f"{in_nouns(QUESTION)} No verdict without null models ({argument('null')}). {ALONE}.")
    else:
        yield Note(f"{in_nouns(QUESTION)} {_judged(tracks)}")
    observed = [track.correlations["single"].pearson for track in tracks]
    negative, known = sum(r < 0 for r in observed), sum(r == r for r in observed)
    if known:
        text = f"Pearson's r over single {QUERIES} (a) is negative in {negative} of {counted(known, 'track')}."
        yield Note(f"{text}{_sides(tracks)}")


def _judged(tracks: Sequence[TrackTradeoff]) -> str:
    """The verdicts of all tracks in words; a tradeoff is a negative r with the verdict ``stronger``."""
    verdicts = {track.track: track.beside_single.get("verdict") for track in tracks}
    judged = [name for name, verdict in verdicts.items() if verdict is not None]
    without = listed([name for name, verdict in verdicts.items() if verdict is None], _MOST_NAMES)
    if not judged:
        return f"No verdict on {without}. {ALONE}."
    stronger = [
        track.track
        for track in tracks
        if verdicts[track.track] == "stronger" and track.correlations["single"].pearson < 0
    ]
    weaker = [name for name, verdict in verdicts.items() if verdict == "weaker"]
    rest = f" In {listed(weaker, _MOST_NAMES)} r is less negative than differences in means explain." if weaker else ""
    rest += f" No verdict on {without}." if without else ""
    if stronger:
        where = f"{len(stronger)} of {counted(len(judged), 'track')} ({listed(stronger, _MOST_NAMES)})"
        return f"Tradeoff in {where}: r is more negative than differences in means explain.{rest}"
    where = f"any of {len(judged)} tracks" if len(judged) > 1 else judged[0]
    return f"No evidence of a tradeoff in {where}.{rest}"


def _sides(tracks: Sequence[TrackTradeoff]) -> str:
    """In how many tracks r over single queries lies within the range of its null models, above it, and below it."""
    names: dict[Side, list[str]] = {"within": [], "above": [], "below": []}
    for track in tracks:
        simulated = track.beside_single.get("pearson", {})
        ends = (_NAN if (end := simulated.get(name)) is None else end for name in ("low", "high"))
        where = side(track.correlations["single"].pearson, *ends)
        if where is not None:
            names[where].append(track.track)
    words: list[str] = []
    for where, own in names.items():
        if own:
            which = "" if where == "within" else f" ({listed(own, _MOST_NAMES)})"
            words.append(f"{where} {'the range of its null models' if not words else 'it'} in {len(own)}{which}")
    return f" It lies {listed(words)}." if words else ""


def has_trend(trends: Sequence[SeriesTrend]) -> bool:
    """Whether the trend of anything is defined."""
    return any(isfinite(row.trend.tau) for row in trends)


def trend_note(trends: Sequence[SeriesTrend]) -> Note:
    """Which correlations, or targets, rise or fall over the years, or why no trend can be shown.

    Of a single series without a trend the first quantity is named, which is the one that CIKM'14 rests its trend on.
    """
    known = [row for row in trends if row.trend.tau == row.trend.tau]
    if not known:
        return Note(f"Trend not computed: a series needs at least {LEAST_POINTS} years and values that differ.")
    least, years = min((row.trend.least_p, row.trend.n_years) for row in known)
    if not is_significant(least, LEVEL):
        return Note(f"No trend can be shown: with {years} years no p is below {{}}.", (least,), signed=False, digits=2)
    several = len({(row.series, row.measure, row.target) for row in known}) > 1
    clear = [row for row in known if is_significant(row.trend.p, LEVEL)]
    tested = "one quantity" if len(known) == 1 else f"{len(known)} quantities, each tested alone"
    if clear:
        names = [_named(row, several=several) for row in clear]
        moves = ["rises" if row.trend.tau > 0 else "falls" for row in clear]
        words = [f"{name} {move} (tau {{}}, p {{}})" for name, move in zip(names, moves, strict=True)]
        text = f"Trends over the years with p below {threshold(LEVEL):g}, of {tested}: {listed(words)}"
    else:
        none = "the one quantity tested has no" if len(known) == 1 else f"none of the {tested}, has"
        text = f"No trend over the years: {none} p below {threshold(LEVEL):g}"
        if not several:
            clear = known[:1]
            text += f"; {_named(known[0], several=False)} has tau {{}} with the year (p {{}})"
    values = tuple(value for row in clear for value in (row.trend.tau, row.trend.p))
    return Note(f"{text}.", values, signed=(True, False) * len(clear), digits=(2, 3) * len(clear))


def _named(row: SeriesTrend, *, several: bool) -> str:
    """A quantity as the table of tracks heads it, with its series where there are several."""
    sampling, _, name = row.quantity.rpartition("_")
    own = f"({LETTERS[sampling]}) {SIGNS[name]}" if sampling in LETTERS else row.quantity
    series = row.series or row.measure or row.target
    return f"{plain(series)}: {own}" if several else own


def track_notes(answer: TracksAnswer) -> Iterator[Note]:
    """The few lines under the tracks."""
    yield Note(sample_words([answer.size]))
    if any(track.beside_single for track in answer.whole):
        yield Note(RANGES)
    correlations = (values for track in answer.whole for values in track.correlations.values())
    if any(value != value for values in correlations for value in vars(values).values()):
        yield Note(
            f"Undefined (-): fewer than {LEAST_POINTS} {RUNS}, bias² or variance the same for every {RUN}, too few "
            f"{QUERIES} for subsets, or a target of 0 that scores would be divided by."
        )
    if answer.undated:
        yield Note(f"Without a year, so in no trend: {listed(answer.undated, _MOST_NAMES)}.")
    if answer.broken:
        names = listed([track.track for track in answer.broken])
        yield Note(f"{counted(len(answer.broken), 'track')} could not be computed: {names}.")


def track_details(answer: TracksAnswer) -> Iterator[Note]:
    """How the samples of the queries and of the null models were drawn, and why some tracks have no verdict."""
    design = answer.request.design
    partitions = counted(design.repeats, "partition")
    yield Note("All correlations are of the score form.")
    yield Note(
        f"(b): {partitions} of the {QUERIES}, drawn with seed {design.seed}. Where r of (b) is nearer to 0 than that "
        "of (a), that is the noise of few partitions."
    )
    yield Note(f"(c): {QUERIES} in ascending order of their {design.difficulty} score over the pool.")
    if answer.sizes_differ:
        yield Note(
            f"target_rarefied: the target's mean, as expected of as many {RUNS} as the smallest track of the series "
            "has. "
            f"The best score over more {RUNS} is higher for that alone; target_rarefied can be compared over years."
        )
    for track in answer.whole:
        reason = track.beside_single.get("reason")
        if reason:
            yield Note(f"{track.track}: {reason}.")
    yield from null_details(answer)


def null_details(answer: TracksAnswer) -> Iterator[Note]:
    """How the null models were made; nothing where there are none."""
    numbers = sorted({track.n_samples for track in answer.whole if track.n_samples})
    if numbers:
        yield Note(
            f"Null models: {_span(numbers)} simulated tracks of each, seed {answer.request.design.seed}, in which "
            f"{RUNS} differ only in their means. {models_words()}"
        )
        yield from (Note(in_nouns(words)) for words in (RANGE, JUDGED, WEAKENED))


def null_notes() -> Iterator[Note]:
    """The lines under the null models of all correlations."""
    yield Note(
        f"means: three models in which {RUNS} differ only in their means; the widest of their central 95 % ranges."
    )
    yield from (Note(in_nouns(f"{model.name}: {model.words}. {model.undeciding}.")) for model in BESIDE)
    yield Note(f"p and verdict are those of means, for single {QUERIES} alone; csv and JSON have p of shuffled, too.")


def trends_notes(trends: Sequence[SeriesTrend]) -> Iterator[Note]:
    """What the columns of the trends are, and why some are undefined."""
    yield Note("tau: Kendall's, of the year and the quantity. p: exact, two-sided.")
    yield Note("least_p: the least p that so many years, with the ties that their values have, can give.")
    if any(row.trend.tau != row.trend.tau for row in trends):
        yield Note(f"Undefined (-): fewer than {LEAST_POINTS} years, or the same value every year.")
