"""What the text says of the tradeoff: the verdict, correlations beside their null models, samples, and families."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan

import numpy as np

from biasvar_cli.analyses.tradeoff.answer import Detail, TradeoffAnswer
from biasvar_cli.arrays import is_least
from biasvar_cli.decomposition.design import SINGLE, Sampling
from biasvar_cli.decomposition.generalised import ease
from biasvar_cli.decomposition.tradeoff import TradeoffRow, of_single
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.registry import DECIDING
from biasvar_cli.nulls.rows import Side
from biasvar_cli.scoring.families import LEAST_MEMBERS, Family
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.stats.correlation import LEAST_POINTS, correlations
from biasvar_cli.tables.null import (
    ALONE,
    IN_MODELS,
    NO_CONCLUSION,
    POINTS,
    QUESTION,
    how_notes,
    null_note,
    one_run_notes,
    side_words,
    signed,
)
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.table import listed
from biasvar_cli.tables.view import shown_note
from biasvar_cli.words import COEFFICIENTS, FORMS, QUERIES, RUN, RUNS, TOTAL, VAR, argument, counted, in_nouns, verb

_MOST_OUTSIDE = 3  # correlations that have a sentence of their own
_ROUNDING = 1e-9
_ORDER = ("single", "random", "random-exact", "difficulty", "groups")
_EXACT = "as (b), with the average over all ways to draw the subsets in place of a few"
_GAP = "gap form: variance of target - score."
RANGES = (
    f"r {IN_MODELS} ({', '.join(model.name for model in DECIDING)}): from the lowest to the highest end of their "
    "central 95 % ranges."
)


def label(sampling: Sampling) -> str:
    """A sampling as the text calls it, with its letter in CIKM'14.

    >>> [label(sampling) for sampling in (SINGLE, Sampling("difficulty", 10, True), Sampling("single", 1, True))]
    ['(a) single', '(d) normalised', '(a) normalised']
    """
    if not sampling.normalised:
        return f"{sampling.letter} {sampling.kind}".lstrip()
    return f"{sampling.letter or SINGLE.letter if sampling.kind != 'groups' else 'groups'} normalised"


def sample_words(sizes: Sequence[int]) -> str:
    """What the variance is over in (a) to (d), with subsets of these sizes.

    >>> sample_words([5, 10]).split("; ")[1]
    '(b) subsets of 5 or 10 queries drawn at random'
    """
    if not sizes:
        return f"Variance over (a) single {QUERIES}; --subset-size adds subsets of the {QUERIES}, (b) to (d)."
    size = " or ".join(part for part in (", ".join(map(str, sizes[:-1])), str(sizes[-1])) if part)
    following = f"the next {size}" if len(sizes) == 1 else "as many of the next"
    return (
        f"Variance over (a) single {QUERIES}; (b) subsets of {size} {QUERIES} drawn at random; (c) the {size} hardest "
        f"{QUERIES}, {following} and so on; (d) as (c). normalised: each score or mean divided by the target's."
    )


def reading_order(answer: TradeoffAnswer) -> list[int]:
    """The places of the rows that people are shown: the score form first, (a) to (d) of CIKM'14 before others.

    The expectation over random subsets is left out where its correlations are those of single queries, as they are
    whenever subsets are weighed by their size.
    """
    rows, single = answer.rows, of_single(answer.rows)

    def order(index: int) -> tuple[bool, bool, bool, int, int]:
        sampling, form = rows[index].sampling, rows[index].form
        beyond = sampling.normalised and not sampling.letter
        return form == "gap", beyond, sampling.normalised, _ORDER.index(sampling.kind), sampling.size or 0

    return sorted((index for index, row in enumerate(rows) if not _repeats(row, single.get(row.form))), key=order)


def _repeats(row: TradeoffRow, single: TradeoffRow | None) -> bool:
    """Whether a row has nothing but the correlations of single queries."""
    if row.sampling.kind != "random-exact" or single is None:
        return False
    exact, of_queries = ([getattr(r.correlations, name) for name in COEFFICIENTS] for r in (row, single))
    return bool(np.allclose(exact, of_queries, rtol=0, atol=_ROUNDING))


def verdict_notes(answer: TradeoffAnswer) -> Iterator[str]:
    """The question and the verdict, then the other correlations beside the ranges of their null models."""
    score, null = of_single(answer.rows)["score"], answer.null
    yield f"{in_nouns(QUESTION)} {null_note(score, null, with_p=True)}"
    yield from one_run_notes(answer.decomposition, score, null)
    if null is None or not null.fitted:
        return
    rows = [answer.rows[index] for index in reading_order(answer)]
    known = [(row, where) for row in rows if (where := null.side(row)) is not None and row.key != score.key]
    outside = [(row, where) for row, where in known if where != "within"]
    if len(outside) > _MOST_OUTSIDE:
        yield from _outside_together(outside, rows)
    else:
        yield from (_outside_note(row, where, rows, null) for row, where in outside)
    if known:
        within = [row for row, where in known if where == "within"]
        tested = (row_null := null.of(score)) is not None and row_null.verdict is not None
        yield _within_note(within, rows, any_outside=bool(outside), tested=tested)


def _name(row: TradeoffRow, rows: Sequence[TradeoffRow]) -> str:
    """A row in words, with the size of its subsets where the rows of its sampling differ in that."""
    name = label(row.sampling)
    sizes = {other.sampling.size for other in rows if label(other.sampling) == name}
    size = f" of {row.sampling.size}" if len(sizes) > 1 else ""
    return f"{name}{size}" if row.sampling.normalised else f"{name}{size}, {row.form} form"


def _outside_note(row: TradeoffRow, where: Side, rows: Sequence[TradeoffRow], null: Null) -> str:
    simulated, r = null.rows[row.key].pearson, row.correlations.pearson
    ends = f"{signed(simulated.low)} to {signed(simulated.high)}"
    return f"{_name(row, rows)}: r = {signed(r)} is {side_words(where, r)} ({ends}), which points {POINTS[where]}."


def _outside_together(outside: Sequence[tuple[TradeoffRow, Side]], rows: Sequence[TradeoffRow]) -> Iterator[str]:
    """The correlations outside the range of their null models, those on one side in a sentence."""
    for where, points in POINTS.items():
        names = [f"{_name(row, rows)} ({signed(row.correlations.pearson)})" for row, side in outside if side == where]
        if names:
            number, are = counted(len(names), "correlation"), verb(len(names), "is", "are")
            yield f"{number} {are} {side_words(where, 0.0)}, which points {points}: {'; '.join(names)}."


def _within_note(within: Sequence[TradeoffRow], rows: Sequence[TradeoffRow], *, any_outside: bool, tested: bool) -> str:
    """How many correlations lie within the range of their null models, with the oddest, and which one is tested."""
    test = "Only r of (a) single in the score form is tested." if tested else "None of these correlations is tested."
    if not within:
        return test
    number = f"{'The' if any_outside else 'All'} {counted(len(within), 'other correlation')}"
    lies, its = verb(len(within), "lies", "lie"), verb(len(within), "its", "their")
    single = {form: row.correlations.pearson for form, row in of_single(rows).items()}
    odd = [row for row in within if row.correlations.pearson * single.get(row.form, 0.0) < 0]
    even = ""
    if odd:
        oddest = max(odd, key=lambda row: abs(row.correlations.pearson))
        even = f", even r = {signed(oddest.correlations.pearson)} of {_name(oddest, rows)}"
    return f"{number} {lies} within the range of {its} null models{even}. {test}"


def tradeoff_notes(answer: TradeoffAnswer, top: int | None = None) -> Iterator[str]:
    """The few lines under the table: what the rows are, why some are undefined, and what the range is of."""
    order = reading_order(answer)
    yield from shown_note(top, len(order))
    sizes = answer.request.design.sizes(answer.scores.n_queries)
    groups = " groups: those of --groups." if answer.request.design.groups is not None else ""
    yield f"{sample_words(sizes)}{groups}"
    if any(answer.rows[index].sampling.kind == "random-exact" for index in order):
        yield f"random-exact: {_EXACT}."
    null = answer.null if answer.null is not None and answer.null.fitted and answer.null.rows else None
    yield f"{_GAP} {RANGES}" if null is not None else _GAP
    if null is not None and null.of_systems:
        yield NO_CONCLUSION
    yield from _log_words(answer)
    yield from _why_undefined(answer)
    yield from _dropped(answer)


def _log_words(answer: TradeoffAnswer) -> Iterator[str]:
    transform = log_transform(answer.request)
    if transform is not None:
        yield f"Scores are logarithms ({argument(log=transform.form, eps=transform.eps)})."


def _why_undefined(answer: TradeoffAnswer) -> Iterator[str]:
    undefined = [row for row in answer.rows if isnan(row.correlations.pearson)]
    if undefined and answer.scores.n_runs < LEAST_POINTS:
        yield f"Undefined (-) for {counted(answer.scores.n_runs, 'run')}: at least {LEAST_POINTS} are needed."
        return
    is_mean = answer.target.scores is None
    if undefined and is_mean:
        yield "Undefined (-): a target that is a mean alone has no gap form and no normalised form."
    elif any(row.n_subsets == 0 for row in undefined):
        yield "Undefined (-): the target is 0 or negative where scores are divided by it."
    if any(row.n_subsets and (row.form == "score" or not is_mean) for row in undefined):
        yield f"Undefined (-): bias² or variance is the same for every {RUN}."


def _dropped(answer: TradeoffAnswer) -> Iterator[str]:
    """What the normalised rows leave out."""
    words = []
    for row in answer.rows:
        if row.dropped and row.n_subsets:
            number = counted(row.dropped + row.n_subsets, "query" if row.sampling.kind == "single" else "subset")
            size = f" of {row.sampling.size}" if row.sampling.kind == "difficulty" else ""
            words.append(f"{row.dropped} of {number}{size}")
    if words:
        yield f"Normalised scores leave out {listed(words)}, where the target's score is 0."


def tradeoff_details(answer: TradeoffAnswer) -> Iterator[str]:
    """How the samples of the queries and of the null models were drawn."""
    design, null = answer.request.design, answer.null
    kinds = {row.sampling.kind for row in answer.rows}
    yield "(a) to (d) are the columns of Table 2 in CIKM'14, which has the score form alone."
    if "random" in kinds:
        yield (
            f"(b) random: bias² and variance are averaged over {counted(design.repeats, 'partition')} of the "
            f"{QUERIES}, drawn with seed {design.seed}. random-exact is the expectation over all partitions; where r "
            "of (b) is nearer to 0, that is the noise of few partitions."
        )
    if len(reading_order(answer)) < len(answer.rows):
        yield "random-exact has the correlations of (a), so that csv and json alone show it."
    if "difficulty" in kinds:
        keys = ease(answer.targeted.pool.values, design.difficulty)
        tied = len(keys) - len(set(keys.tolist()))
        ties = f"; {counted(tied, 'query')} as hard as another in order of id" if tied else ""
        yield f"(c) difficulty: {QUERIES} in ascending order of their {design.difficulty} score over the pool{ties}."
    normalised = "the mean of a subset divided by the target's"
    if design.normalise == "maxmin":
        least = "least in the pool"
        normalised = f"(mean of a subset - {least}) / (the target's - {least}), a formula that is inferred"
    yield f"normalised: {normalised}. Its gap form is the same."
    if null is not None and null.fitted:
        yield from how_notes(null, of_single(answer.rows)["score"])
        yield f"Simulated tracks have the same samples of the {QUERIES}, normalisation, target and form as the data."


def detail_verdict(detail: Detail) -> Iterator[str]:
    """The runs of least bias², variance and total under a sampling, and the correlation of the first two."""
    errors, runs = detail.errors, detail.answer.scores.runs
    over = f"Over {sampling_words(detail.sampling)}"
    if not errors.n_subsets:
        is_mean = detail.answer.target.scores is None
        what = "is a mean alone" if is_mean else "is 0 or negative where scores are divided by it"
        yield f"{over}, nothing is defined (-): the target {what}."
        return
    minima: dict[str, list[str]] = {}  # by the runs that have them
    for name, title in (("bias2", "bias²"), (VAR["score"], "variance"), (TOTAL["score"], "total")):
        values = getattr(errors, name)
        least = [runs[run] for run in np.flatnonzero(is_least(values))]
        have = f"{listed(least, 2)} {verb(len(least), 'has', 'have')} the least"
        minima.setdefault(have, []).append(f"{title} ({num(values.min())})")
    yield f"{over}, {listed([f'{have} {listed(titles)}' for have, titles in minima.items()])}."
    r, r_gap = (correlations(errors.bias2, getattr(errors, VAR[form])).pearson for form in FORMS)
    if not isnan(r):
        gap = "" if isnan(r_gap) or detail.sampling.normalised else f" (gap form: {signed(r_gap)})"
        with_null = "biasvar tradeoff compares that with null models"
        yield f"Bias² and variance correlate with r = {signed(r)}{gap}; {with_null}."


def detail_notes(detail: Detail) -> Iterator[str]:
    """How many subsets there are, and what the columns are."""
    errors = detail.errors
    if not errors.n_subsets:
        return
    dropped = f"; {errors.n_dropped} more are left out, where the target's score is 0" if errors.n_dropped else ""
    yield f"var: variance of the means over {counted(errors.n_subsets, 'subset')}{dropped}."
    if np.isfinite(detail.between).any():
        yield f"between: the share of the {RUN}'s variance over single {QUERIES} that lies between the subsets."
    yield f"least: which of bias², variance and total are least in this {RUN} (score form)."


def sampling_words(sampling: Sampling) -> str:
    """A sampling in words, for a sentence.

    >>> sampling_words(Sampling("difficulty", 10)), sampling_words(Sampling("single", 1, True))
    ('(c) subsets of 10 queries by difficulty', 'single queries, normalised')
    """
    by_kind = {
        "single": f"single {QUERIES}",
        "random": f"subsets of {sampling.size} {QUERIES} drawn at random",
        "random-exact": f"all random subsets of {sampling.size} {QUERIES}",
        "difficulty": f"subsets of {sampling.size} {QUERIES} by difficulty",
        "groups": "the given groups",
    }
    return f"{sampling.letter} {by_kind[sampling.kind]}{', normalised' * sampling.normalised}".lstrip()


def families_verdict(answer: TradeoffAnswer) -> Iterator[str]:
    """Within which families there is a tradeoff by the verdict, which have none, and who is below the baseline."""
    null = answer.null
    if null is None or not null.fitted:
        why = f"without null models ({argument('null')})" if null is None else f"without a null model ({null.why})"
        yield f"{in_nouns(QUESTION)} No verdict {why}. {ALONE}."
    else:
        judged = any(row_null.verdict is not None for row_null in null.rows.values())
        alone = [] if judged else [f"{ALONE}."]
        yield " ".join([in_nouns(QUESTION), *_family_verdicts(answer.families, null), *alone])
    if answer.request.baseline is not None:
        yield _below_note(answer, answer.request.baseline)


def _family_verdicts(families: Sequence[Family], null: Null) -> Iterator[str]:
    """The verdicts on the score form within families, those of one kind in a sentence, tradeoffs first."""
    verdicts: dict[str, list[str]] = {}
    for family in families:
        verdicts.setdefault(_family_verdict(family, null), []).append(family.name)
    for text in sorted(verdicts, key=lambda text: (not text.startswith("Tradeoff"), text.startswith("No verdict"))):
        yield text.replace("NAMES", listed(verdicts[text]))


def _family_verdict(family: Family, null: Null) -> str:
    """The verdict on a family in words, with NAMES for all the families that have it."""
    row_null, r = null.of(family.rows[0]) if family.has_null else None, family.rows[0].correlations.pearson
    if row_null is None or row_null.verdict is None:
        reason = f"fewer than {LEAST_MEMBERS} members" if row_null is None else row_null.reason
        return f"No verdict on NAMES ({reason})."
    if row_null.verdict == "stronger" and r < 0:
        return "Tradeoff within NAMES: r is more negative than differences in means explain."
    if r >= 0:
        return "No evidence of a tradeoff within NAMES: r is not negative."
    less = ": r is less negative than differences in means explain" if row_null.verdict == "weaker" else ""
    return f"No evidence of a tradeoff within NAMES{less}."


def families_notes(answer: TradeoffAnswer) -> Iterator[str]:
    """What the correlations and the ranges beside them are, and which families have none."""
    families, null = answer.families, answer.null
    yield f"Correlation of bias² and variance over the {RUNS} of a family; {_GAP}"
    small = [family.name for family in families if not family.has_null]
    if null is not None and null.fitted and len(small) < len(families):
        yield f"{RANGES} Only the score form has p and a verdict."
    if null is not None and null.fitted and small:
        over = f"over fewer than {LEAST_MEMBERS} simulated {RUNS} r can be nearly anything"
        yield f"No null models (-) of {listed(small)}: {over}."
    alone = answer.scores.n_runs - sum(len(family.members) for family in families)
    if alone:
        yield f"{counted(alone, 'run')} in no family."


def _below_note(answer: TradeoffAnswer, baseline: str) -> str:
    """Which members of each family have less of both parts of the error than a baseline, by form."""
    words = []
    for family in answer.families:
        for row in family.rows:
            below = getattr(family, f"below_{row.form}") or ()
            if below:
                which = f"all {len(below)}" if len(below) == len(family.members) > 1 else listed(below, 99)
                words.append(f"{family.name} ({row.form}): {which}")
    return f"Members with less bias² and less variance than {baseline}: {'; '.join(words) or 'none'}."
