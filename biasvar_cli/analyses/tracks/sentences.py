"""What stands under the tables of many tracks, of their trends and of their null models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from biasvar_cli.analyses.tracks.answer import SeriesTrend, TracksAnswer
from biasvar_cli.nulls.registry import BESIDE
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.table import Note, listed
from biasvar_cli.words import counted

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
