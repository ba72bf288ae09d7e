"""What the text says of a tradeoff: verdicts, notes, and the names of samplings."""

from collections.abc import Iterator, Sequence
from dataclasses import astuple
from math import isnan

import numpy as np

from biasvar_cli.analyses.tradeoff.answer import Detail, TradeoffAnswer
from biasvar_cli.arrays import is_least
from biasvar_cli.decomposition import SINGLE, Sampling
from biasvar_cli.decomposition.generalised import TradeoffRow, ease, of_single
from biasvar_cli.nulls.models import Null
from biasvar_cli.scoring.families import LEAST_MEMBERS, Family
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.stats.correlation import LEAST_POINTS, correlations
from biasvar_cli.tables import null_words
from biasvar_cli.tables.null_words import POINTS, how_notes, side_words, signed
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.rows import top_note
from biasvar_cli.words import QUERIES, RUN, RUNS, SAMPLING_KINDS, argument, counted, in_nouns, listed, verb

_MOST_OUTSIDE = 3  # correlations outside their range that have a sentence each
_ROUNDING = 1e-9
_GAP_NOTE = "gap form: variance of target - score."


def label(sampling: Sampling) -> str:
    """A sampling as the text calls it, with its letter in CIKM'14.

    >>> [label(sampling) for sampling in (SINGLE, Sampling("difficulty", 10, True), Sampling("single", 1, True))]
    ['(a) single', '(d) normalised', '(a) normalised']
    """
    if not sampling.normalised:
        return f"{sampling.letter} {sampling.kind}".lstrip()
    return f"{_letter(sampling) or sampling.kind} normalised"


def _letter(sampling: Sampling) -> str:
    """The letter of a sampling for people, in tables, figures and on the page: that of CIKM'14, without (d) for (a)."""
    return sampling.letter or (SINGLE.letter if sampling.kind == "single" else "")


def sampling_words(sampling: Sampling) -> str:
    """A sampling in words, for a sentence.

    >>> sampling_words(Sampling("difficulty", 10)), sampling_words(Sampling("single", 1, True))
    ('(c) subsets of 10 queries by difficulty', '(a) single queries, normalised')
    """
    words = {
        "single": f"single {QUERIES}",
        "random": f"subsets of {sampling.size} {QUERIES} drawn at random",
        "random-exact": f"all random subsets of {sampling.size} {QUERIES}",
        "difficulty": f"subsets of {sampling.size} {QUERIES} by difficulty",
        "groups": "the given groups",
    }[sampling.kind]
    return f"{_letter(sampling)} {words}{', normalised' * sampling.normalised}".lstrip()


def sample_words(sizes: Sequence[int]) -> str:
    """What the variance is over in (a) to (d), with subsets of these sizes.

    >>> sample_words([5, 10]).split("; ")[1]
    '(b) subsets of 5 or 10 queries drawn at random'
    """
    if not sizes:
        adds = f"{argument('subset_size')} adds subsets of the {QUERIES}"
        return f"Variance over (a) single {QUERIES}; {adds}, (b) to (d)."
    size = listed(map(str, sizes), None, "or")
    following = f"the next {size}" if len(sizes) == 1 else "as many of the next"
    return (
        f"Variance over (a) single {QUERIES}; (b) subsets of {size} {QUERIES} drawn at random; (c) the {size} hardest "
        f"{QUERIES}, {following} and so on; (d) as (c). normalised: each score or mean divided by the target's."
    )


def reading_order(answer: TradeoffAnswer) -> list[int]:
    """The indices of the rows that people are shown: the score form first, (a) to (d) of CIKM'14 before others.

    The expectation over random subsets is left out where its correlations are those of single queries, as they are
    whenever subsets are weighed by their size.
    """
    rows, single = answer.rows, of_single(answer.rows)

    def is_repeated(row: TradeoffRow) -> bool:
        if row.sampling.kind != "random-exact" or row.form not in single:
            return False
        exact, of_queries = astuple(row.correlations), astuple(single[row.form].correlations)
        return bool(np.allclose(exact, of_queries, rtol=0, atol=_ROUNDING))

    def order(index: int) -> tuple[bool, bool, bool, int, int]:
        sampling, form = rows[index].sampling, rows[index].form
        is_beyond = sampling.normalised and not sampling.letter
        return form == "gap", is_beyond, sampling.normalised, SAMPLING_KINDS.index(sampling.kind), sampling.size or 0

    return sorted((index for index, row in enumerate(rows) if not is_repeated(row)), key=order)


def verdict_notes(answer: TradeoffAnswer) -> Iterator[str]:
    """The question and the verdict, then the other correlations beside the ranges of their null models."""
    score, null = of_single(answer.rows)["score"], answer.null
    yield f"{in_nouns(null_words.QUESTION)} {null_words.null_note(score, null, with_p=True)}"
    yield from null_words.one_run_notes(answer.decomposition, score, null)
    if null is None or not null.fitted:
        return
    rows = [answer.rows[index] for index in reading_order(answer)]
    sides = [(row, side) for row in rows if (side := null.side(row)) is not None and row.key != score.key]
    outside = [(row, side) for row, side in sides if side != "within"]
    if len(outside) > _MOST_OUTSIDE:
        for side, points in POINTS.items():
            names = [f"{_name(row, rows)} ({signed(row.correlations.pearson)})" for row, of in outside if of == side]
            if names:
                are = f"{counted(len(names), 'correlation')} {verb(len(names), 'is', 'are')}"
                yield f"{are} {side_words(side, 0.0)}, which points {points}: {'; '.join(names)}."
    else:
        for row, side in outside:
            simulated, r = null.rows[row.key].pearson, row.correlations.pearson
            ends = f"{signed(simulated.low)} to {signed(simulated.high)}"
            yield f"{_name(row, rows)}: r = {signed(r)} is {side_words(side, r)} ({ends}), which points {POINTS[side]}."
    within = [row for row, side in sides if side == "within"]
    has_verdict = (row_null := null.of(score)) is not None and row_null.verdict is not None
    test = "Only r of (a) single in the score form is" if has_verdict else "None of these correlations is"
    if within:
        which = "All" if len(within) > 1 and not outside else "The"
        others = f"{which} {counted(len(within), 'other correlation')}"
        lie = verb(len(within), "lies within the range of its null models", "lie within the range of their null models")
        yield f"{others} {lie}{_oddest(within, rows)}. {test} tested."
    elif sides:
        yield f"{test} tested."


def _oddest(within: Sequence[TradeoffRow], rows: Sequence[TradeoffRow]) -> str:
    """The correlation farthest from 0 of those that have another sign than that of single queries; empty for none."""
    single = {form: row.correlations.pearson for form, row in of_single(rows).items()}
    odd = [row for row in within if row.correlations.pearson * single.get(row.form, 0.0) < 0]
    if not odd:
        return ""
    oddest = max(odd, key=lambda row: abs(row.correlations.pearson))
    return f", even r = {signed(oddest.correlations.pearson)} of {_name(oddest, rows)}"


def _name(row: TradeoffRow, rows: Sequence[TradeoffRow]) -> str:
    """A row in words, with the size of its subsets where the rows of its sampling differ in that."""
    name = label(row.sampling)
    sizes = {other.sampling.size for other in rows if label(other.sampling) == name}
    size = f" of {row.sampling.size}" if len(sizes) > 1 else ""
    return f"{name}{size}" if row.sampling.normalised else f"{name}{size}, {row.form} form"


def table_notes(answer: TradeoffAnswer, top: int | None) -> Iterator[str]:
    """The few lines under the table: what the rows are, why some are undefined, and what the range is of."""
    order, null, transform = reading_order(answer), answer.null, log_transform(answer.request)
    yield from top_note(top, len(order))
    groups = " groups: those of --groups." if answer.request.design.groups is not None else ""
    yield f"{sample_words(answer.request.design.sizes(answer.scores.n_queries))}{groups}"
    if any(answer.rows[index].sampling.kind == "random-exact" for index in order):
        yield "random-exact: as (b), with the average over all ways to draw the subsets in place of a few."
    if null is not None and null.fitted and null.rows:
        yield f"{_GAP_NOTE} {null_words.RANGE}"
        if null.of_systems:
            yield null_words.NO_CONCLUSION
    else:
        yield _GAP_NOTE
    if transform is not None:
        yield f"Scores are logarithms ({argument(log=transform.form, eps=transform.eps)})."
    yield from _why_undefined(answer)
    dropped = [
        f"{row.dropped} of {counted(row.dropped + row.n_subsets, 'query' if kind == 'single' else 'subset')}"
        f"{f' of {row.sampling.size}' if kind == 'difficulty' else ''}"
        for row in answer.rows
        if row.dropped and row.n_subsets and (kind := row.sampling.kind)
    ]
    if dropped:
        yield f"Normalised scores leave out {listed(dropped)}, where the target's score is 0."


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


def full_notes(answer: TradeoffAnswer) -> Iterator[str]:
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
        n_tied = len(keys) - len(set(keys.tolist()))
        ties = f"; {counted(n_tied, 'query')} as hard as another in order of id" if n_tied else ""
        yield f"(c) difficulty: {QUERIES} in ascending order of their {design.difficulty} score over the pool{ties}."
    if design.normalise == "maxmin":
        formula = (
            "(mean of a subset - least in the pool) / (the target's - least in the pool), a formula that is inferred"
        )
        yield f"normalised: {formula}. Its gap form is the same."
    else:
        yield "normalised: the mean of a subset divided by the target's. Its gap form is the same."
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
    for name, title in (("bias2", "bias²"), ("var", "variance"), ("total", "total")):
        values = getattr(errors, name)
        least = [runs[run] for run in np.flatnonzero(is_least(values))]
        have = f"{listed(least, 2)} {verb(len(least), 'has', 'have')} the least"
        minima.setdefault(have, []).append(f"{title} ({num(values.min())})")
    yield f"{over}, {listed([f'{have} {listed(titles)}' for have, titles in minima.items()])}."
    r, r_gap = (correlations(errors.bias2, var).pearson for var in (errors.var, errors.var_gap))
    if not isnan(r):
        gap = "" if isnan(r_gap) or detail.sampling.normalised else f" (gap form: {signed(r_gap)})"
        with_null = "biasvar tradeoff compares that with null models"
        yield f"Bias² and variance correlate with r = {signed(r)}{gap}; {with_null}."


def families_verdict(answer: TradeoffAnswer) -> Iterator[str]:
    """Within which families there is a tradeoff by the verdict, which have none, and who is below the baseline."""
    null, baseline, question = answer.null, answer.request.baseline, in_nouns(null_words.QUESTION)
    if null is None or not null.fitted:
        models = f"null models ({argument('null')})" if null is None else f"a null model ({null.why})"
        yield f"{question} No verdict without {models}. {null_words.ALONE}."
    else:
        names: dict[str, list[str]] = {}
        for family in answer.families:
            names.setdefault(_family_verdict(family, null), []).append(family.name)
        order = sorted(names, key=lambda text: (not text.startswith("Tradeoff"), text.startswith("No verdict")))
        verdicts = [text.replace("NAMES", listed(names[text])) for text in order]
        any_verdict = any(row_null.verdict is not None for row_null in null.rows.values())
        yield " ".join([question, *verdicts, *([] if any_verdict else [f"{null_words.ALONE}."])])
    if baseline is not None:
        words = []
        for family in answer.families:
            for row in family.rows:
                if below := getattr(family, f"below_{row.form}"):
                    members = f"all {len(below)}" if len(below) == len(family.members) > 1 else listed(below, None)
                    words.append(f"{family.name} ({row.form}): {members}")
        yield f"Members with less bias² and less variance than {baseline}: {'; '.join(words) or 'none'}."


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
    yield f"Correlation of bias² and variance over the {RUNS} of a family; {_GAP_NOTE}"
    small = [family.name for family in families if not family.has_null]
    if null is not None and null.fitted and len(small) < len(families):
        yield f"{null_words.RANGE} Only the score form has p and a verdict."
    if null is not None and null.fitted and small:
        over = f"over fewer than {LEAST_MEMBERS} simulated {RUNS} r can be nearly anything"
        yield f"No null models (-) of {listed(small)}: {over}."
    alone = answer.scores.n_runs - sum(len(family.members) for family in families)
    if alone:
        yield f"{counted(alone, 'run')} in no family."
