"""What is said of a judge that is calibrated by the reference, and what JSON has of it."""

from collections.abc import Iterator

import numpy as np

from biasvar_cli.analyses.judges.calibration import Calibration
from biasvar_cli.decomposition.calibrated import MOST_QUERIES
from biasvar_cli.specs.limits import is_significant, threshold
from biasvar_cli.tables.rounding import num, p_words
from biasvar_cli.words import QUERIES, RUN, RUNS, counted, verb

_FEW_FOR_TOTALS = 15  # queries; with fewer the intervals of total_gap are too narrow
_OF = {"mean": "means", "bias": "biases", "total_gap": "total errors (gap form)"}


def verdict(calibration: Calibration) -> str:
    """What the queries that a judge alone judged are worth, how many pairs differ, and what must not be read off."""
    return " ".join([worth_words(calibration), _pairs(calibration), _model(calibration), *_cautions(calibration)])


def worth_words(calibration: Calibration) -> str:
    """What the model is worth, a sentence."""
    both, judge, reference = calibration.n_both, calibration.judge, calibration.reference
    if calibration.calibrated.lambda_differences == 0:
        return (
            f"{judge} says nothing of differences that {reference} follows: these are those of {both} {QUERIES} alone."
        )
    tell = f"the {both} judged by {reference} tell differences as well as {calibration.worth:.0f} would"
    return f"With {judge} on {calibration.n_alone} more {QUERIES}, {tell}."


def _pairs(calibration: Calibration) -> str:
    if calibration.baseline is not None:
        better, worse = calibration.counts(calibration.versus_by_people)
        return f"{compared_words(calibration)}; with {calibration.reference} alone {better} and {worse}."
    n_runs, alone = len(calibration.rank), calibration.n_significant_reference
    pairs = n_runs * (n_runs - 1) // 2
    differ = f"{calibration.n_significant} {verb(calibration.n_significant, 'differs', 'differ')} significantly"
    return f"Of {pairs} pairs of {RUNS} {differ}, {alone} with {calibration.reference} alone."


def compared_words(calibration: Calibration) -> str:
    """How many runs are better and worse than the baseline, or what is said of two runs."""
    assert calibration.baseline is not None, "a baseline was named"
    runs, (better, worse) = calibration.people.scores.runs, calibration.counts(calibration.versus)
    versus, n_others = runs[calibration.baseline], len(runs) - 1
    are = verb(better, "is", "are")
    return f"Of {counted(n_others, f'other {RUN}')} {better} {are} significantly better than {versus} and {worse} worse"


def _model(calibration: Calibration) -> str:
    outside, n_runs = int(np.count_nonzero(calibration.model_outside)), len(calibration.rank)
    what = f"the {_OF[calibration.request.of]} by {calibration.judge} alone"
    if not outside:
        return f"{what[0].upper()}{what[1:]} lie in the calibrated intervals of all {RUNS}."
    where = f"for {outside} of {counted(n_runs, 'run')} they lie outside the calibrated interval"
    return f"Do not read {what} as those of {calibration.reference}: {where}."


def _cautions(calibration: Calibration) -> Iterator[str]:
    """What the sample of queries, their number and a half-width make a reader do."""
    request, p = calibration.request, calibration.sample_p
    if is_significant(p, request.level):
        easier = "easier" if calibration.is_easier else "harder"
        judged = f"The {QUERIES} that {calibration.reference} judged are {easier} under {calibration.judge} than others"
        yield f"{judged} ({p_words(p, request.level)}); nothing here corrects that."
    if request.of == "total_gap" and calibration.n_both < _FEW_FOR_TOTALS:
        yield f"With fewer than {_FEW_FOR_TOTALS} judged {QUERIES} the intervals of total errors are too narrow."
    if request.half_width is not None:
        needed = f"more than {counted(MOST_QUERIES, 'query')} judged by {calibration.reference}"
        if calibration.queries_needed is not None:
            more = calibration.queries_needed - calibration.n_both
            how_many = f"{more} more than now" if more > 0 else "no more than now"
            needed = f"{counted(calibration.queries_needed, 'query')} judged by {calibration.reference}, {how_many}"
        width = num(request.half_width) if request.half_width >= 0.0001 else f"{request.half_width:g}"
        yield f"A difference of two {RUNS} within ±{width} takes {needed}."


def paper_sentence(calibration: Calibration, measure: str | None) -> str:
    """What may be written of the calibrated values."""
    request, weights = calibration.request, calibration.calibrated
    what = f"{'Means' if request.of == 'mean' else request.of} of {measure or 'scores'}"
    level, differences = num(weights.lambda_level, 2), num(weights.lambda_differences, 2)
    n_runs, number = counted(len(calibration.rank), "run"), calibration.n_significant
    differ = f"{number} pairs of {n_runs} {verb(number, 'differs', 'differ')} significantly"
    n_pairs = len(calibration.rank) - 1
    pairs = "all pairs" if calibration.baseline is None else f"these {n_pairs} pairs"
    if calibration.baseline is not None:
        differ = f"of{compared_words(calibration).removeprefix('Of')}"
    test = "t test" if n_pairs == 1 else f"step-down bootstrap over {pairs}"
    differ += f" ({test}, p < {threshold(request.level):g})"
    weighed = f"weight of {calibration.judge} {level} in {_OF[request.of]}, {differences} in differences"
    by = f"prediction-powered inference; {weighed}"
    return f"{what} are calibrated: {calibration.words} ({by}); {differ}."


def column_note(level: float, reference: str, *, compared: bool) -> str:
    """What the columns mean, also of runs that are ``compared`` with a baseline."""
    moved = f"moved by what the judge says of the {QUERIES} that it alone judged"
    sample = f"The {QUERIES} that {reference} judged are taken for a random sample of all."
    start = f"people: {reference} alone; calibrated: {moved}; "
    if compared:
        together = f"{100 * level:g} %, for all {RUNS} together, and so is p"
        return f"{start}delta: the calibrated difference from the baseline; interval: {together}. {sample}"
    return (
        f"{start}interval: {100 * level:g} %, of each {RUN} by itself; worth: {QUERIES} of {reference} alone that "
        f"would tell as much of this {RUN}; ranks hold for all {RUNS} together. {sample}"
    )
