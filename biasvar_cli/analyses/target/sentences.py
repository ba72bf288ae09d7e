"""What the text says of a virtual target: how hard the queries are, who makes the target, and how it grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.arrays import equalised, is_below, is_least
from biasvar_cli.scores import ScoreMatrix, in_unit, negated
from biasvar_cli.tables.table import Note, listed, minus, plain
from biasvar_cli.tables.view import shown_note
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, argument, counted

_NAMED = 3  # runs or queries named in a sentence
_COMMON_SIZES = (10, 30)  # of pools, at which targets are compared


def verdict_notes(answer: TargetAnswer, table: str) -> Iterator[Note]:
    """The answer to the question of a table: of the queries, of the runs, or of the number of runs."""
    if table == "queries":
        yield from _spread_notes(answer)
        yield from _difficulty_notes(answer)
        yield _supplier_note(answer)
    if table == "runs":
        yield _supplier_note(answer)
        yield from _unique_notes(answer)
    if table == "rarefied":
        yield from _growth_notes(answer)


def _spread_notes(answer: TargetAnswer) -> Iterator[Note]:
    """How much the target's score differs between the queries; nothing of one query."""
    scores, n = negated(answer.scores) if answer.better == "less" else answer.scores, answer.pool.n_queries
    low, high = float(scores.min()), float(scores.max())
    if n > 1 and low == high:
        yield Note(f"The target has the same score on every {QUERY}.")
    elif n > 1:
        text = f"Over the {QUERIES} the target's score is from {{}} to {{}} (standard deviation {{}})."
        yield Note(text, (low, high, float(np.std(answer.scores, ddof=0))), signed=False)


def _difficulty_notes(answer: TargetAnswer) -> Iterator[Note]:
    """The queries on which no run scores, and the hardest and the easiest of the others; nothing of one query.

    Where less is better a score of 0 is a good one.
    """
    pool, by_best = answer.pool, answer.difficulty.key == "best"
    unanswered = (answer.scored.pool.values.max(axis=0) <= 0) & (answer.better == "more")
    names = [name for name, bare in zip(pool.queries, unanswered, strict=True) if bare]
    if names:
        yield Note(f"No {RUN} scores above 0 on {counted(len(names), 'query')}: {listed(names)}.")
    ease = equalised(pool.values.max(axis=0) if by_best else answer.difficulty.mean)
    ranked = np.argsort(answer.difficulty.rank, kind="stable").tolist()
    order = [query for query in ranked if not unanswered[query]]
    if len(order) < 2:
        return
    others, key = "other " * bool(names), f"{'best' if by_best else 'mean'} score of the {RUNS}"
    if ease[order[0]] == ease[order[-1]]:
        text = f"All {others}{QUERIES} are equally hard: the {key} is {{}} on each."
        yield Note(text, (in_unit(float(ease[order[0]]), answer.better),), signed=False)
        return
    alike = {value: [query for query in order if ease[query] == value] for value in dict.fromkeys(ease[order].tolist())}
    *harder, easiest = alike.items()
    hard, values, n_named = list[str](), list[float](), 0
    for value, queries in harder:
        if n_named < _NAMED:
            hard.append(f"{_tied_names(pool, queries, _NAMED - n_named)} ({{}})")
            values.append(in_unit(value, answer.better))
            n_named += len(queries)
    noun = QUERY if n_named == 1 else QUERIES
    hard_words = listed(hard) if n_named == len(hard) else ", ".join(hard)
    easy = _tied_names(pool, easiest[1], _NAMED - 1)
    text = f"Hardest {others}{noun} by the {key}: {hard_words}; easiest: {easy} ({{}})."
    yield Note(text, (*values, in_unit(easiest[0], answer.better)), signed=False)


def _tied_names(pool: ScoreMatrix, queries: Sequence[int], most: int) -> str:
    """Equally hard queries, the first ones if they are many; of half of all queries and more only their number."""
    if 2 * len(queries) >= pool.n_queries > 2 and len(queries) > 1:
        return f"{len(queries)} of the {counted(pool.n_queries, 'query')}, which are tied"
    return plain(listed([pool.queries[query] for query in queries], most))


def _supplier_note(answer: TargetAnswer) -> Note:
    """Which runs reach the target, and which are the only ones to do so."""
    pool, supplies = answer.pool, answer.contributions.supplies
    shared = supplies.all(axis=0) & (pool.n_runs > 1)
    n_suppliers = int(supplies[:, ~shared].any(axis=1).sum())
    if not n_suppliers:
        return Note(
            f"All {RUNS} have the target's score on every {QUERY}."
            if shared.all()
            else f"No {RUN} reaches the target's score on any {QUERY}."
        )
    n_others = pool.n_runs - n_suppliers
    some = f"{n_suppliers} of {counted(pool.n_runs, 'run')}" if n_others else _every(pool.n_runs)
    text = f"{some} {_reach(answer, n_suppliers)} on at least one {QUERY}"
    if n_others:
        text += f", the {f'other {n_others}' if n_others > 1 else 'other one'} on none"
    if shared.any():
        text += f" (not counting {counted(int(shared.sum()), 'query')} on which all {RUNS} do)"
    if pool.n_runs == 1:
        return Note(f"The target is the {RUN} {pool.runs[0]} itself." if answer.target.is_best else f"{text}.")
    alone = answer.contributions.alone
    order = sorted(np.flatnonzero(alone).tolist(), key=lambda run: (-alone[run], pool.runs[run]))
    if not order:
        return Note(f"{text}; no {RUN} does so alone.")
    counts = [counted(int(alone[order[0]]), "query"), *map(str, alone[order[1:_NAMED]].tolist())]
    first = [f"{pool.runs[run]} ({count})" for run, count in zip(order, counts, strict=False)]
    return Note(f"{text}. Most often alone: {listed(first)}.")


def _every(n_runs: int) -> str:
    """All runs, in words: two of them are both."""
    return f"Both {RUNS}" if n_runs == 2 else f"All {n_runs} {RUNS}"


def _reach(answer: TargetAnswer, n_runs: int) -> str:
    """What suppliers do: they have the best score, or reach that of another target."""
    if answer.target.is_best:
        return "have the best score" if n_runs > 1 else "has the best score"
    return "reach the target's score" if n_runs > 1 else "reaches the target's score"


def _unique_notes(answer: TargetAnswer) -> Iterator[Note]:
    """What the target loses without single runs, or why that is not known."""
    unique, pool = answer.contributions.left_out.unique, answer.pool
    if np.isnan(unique).any():
        why = (
            f"there is no other {RUN}"
            if pool.n_runs == 1
            else f"of {argument(target='best')} only, not of {answer.target.label}"
        )
        yield Note(f"unique and bias_loro are undefined (-): {why}.")
        return
    if not unique.max() > 0:
        yield Note(f"Without any single {RUN} the target stays the same: another {RUN} has each of its scores.")
        return
    most, n_none = np.flatnonzero(is_least(-unique)), int((unique == 0).sum())
    names = plain(listed([pool.runs[run] for run in most], _NAMED))
    without = f"any one of {names}" if len(most) > 1 else names
    text = f"The target's mean {_falls(answer)} most without {without}, by {{}}"
    none = f"; leaving out any one of {n_none} {RUNS} does not change it" if n_none > 1 else ""
    yield Note(f"{text}{none}.", (float(unique[most[0]]),), signed=False)


def _falls(answer: TargetAnswer) -> str:
    """How the target's mean changes without a run."""
    return "falls" if answer.better == "more" else "rises"


def _growth_notes(answer: TargetAnswer) -> Iterator[Note]:
    """With how many runs the target gets near to that of all."""
    means, n_runs = answer.means, answer.pool.n_runs
    rise = float(means[-1] - means[0])
    if not rise > 0:
        yield Note(f"The target does not {'rise' if answer.better == 'more' else 'fall'} with the number of {RUNS}.")
        return
    sizes = [int(is_below(means, float(means[0]) + share * rise).sum()) + 1 for share in (0.5, 0.9)]
    way = "rise" if answer.better == "more" else "fall"
    text = f"The target's mean {way}s from {{}} for one {RUN} to {{}} for all {n_runs}"
    reached = f"half of the {way} takes {sizes[0]} {RUNS}, nine tenths {sizes[1]}"
    ends = tuple(in_unit(float(mean), answer.better) for mean in (means[0], means[-1]))
    yield Note(f"{text}: {reached}.", ends, signed=False)


def table_notes(answer: TargetAnswer, table: str, top: int | None, n_rows: int) -> Iterator[Note]:
    """The lines under a table of ``n_rows`` rows, of which the first ``top`` are shown."""
    n_runs, hardness = answer.pool.n_runs, answer.difficulty
    yield from shown_note(top, n_rows)
    if table == "queries":
        runs = f"the {RUN}" if n_runs == 1 else f"all {n_runs} {RUNS}"
        yield Note(f"suppliers: the {RUNS} that have this score, ties included. mean, sd: of the scores of {runs}.")
        size, lowest = hardness.subset_size, "lowest" if answer.better == "more" else "highest"
        text = f"difficulty: 1 is the hardest {QUERY} ({lowest} {hardness.key} score); group: 1 has the hardest {size}"
        yield Note(f"{text}, 2 the next {size}.{_ties(answer)}")
    if table == "runs":
        yield Note(
            f"supplied: on how many {QUERIES} the {RUN} has the target's score; alone: on how many no other {RUN} has."
        )
        if not np.isnan(answer.contributions.left_out.unique).any():
            change = f"by how much the target's mean {_falls(answer)} without the {RUN}"
            yield Note(f"unique: {change} (0 where others are as good).")
            bias = minus("target's mean", "mean", answer.better)
            yield Note(f"bias: {bias}; bias_loro: bias against the best of the other {RUNS}, bias - unique.")
    if table == "rarefied":
        yield Note(f"mean: expected mean over the {QUERIES} of the best score of n_runs {RUNS} drawn at random, exact.")
    if table == "rarefied" or answer.target.is_best:
        yield _size_note(answer, table)


def _ties(answer: TargetAnswer) -> str:
    """How many queries are tied, in a sentence that goes on; nothing where none is."""
    n_tied = int((answer.difficulty.alike > 1).sum())
    return f" {n_tied} of the {QUERIES} are tied, in order of their ids." if n_tied else ""


def _size_note(answer: TargetAnswer, table: str) -> Note:
    """Why targets of pools of different size are not comparable, and what fewer runs would give."""
    sizes = [size for size in _COMMON_SIZES if size < answer.pool.n_runs and table != "rarefied"]
    only = f"compare only targets of equally many {RUNS}"
    higher = "higher" if answer.better == "more" else "lower"
    if not sizes:
        return Note(f"More {RUNS} make a {higher} target: {only} ({argument('rarefied R')}).")
    fewer = " and ".join(f"{{}} with {size}" for size in sizes)
    expected = f"expected mean {fewer} of these {RUNS}"
    text = f"More {RUNS} make a {higher} target ({expected}): {only} ({argument(rarefied=sizes[0])})."
    values = tuple(in_unit(float(answer.means[size - 1]), answer.better) for size in sizes)
    return Note(text, values, signed=False)


def table_details(answer: TargetAnswer, table: str) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    n_runs = answer.pool.n_runs
    if table == "queries":
        yield Note("sd has divisor n (population).")
        yield Note(f"A target's score that no {RUN} has, as with {argument(target='perfect')}, has no supplier.")
    if table == "runs":
        yield Note(f"unique is 0 for two {RUNS} with nearly the same scores, because either one replaces the other.")
    if table == "rarefied":
        yield Note(f"The mean with 1 {RUN} is the mean over the {RUNS}, and with {n_runs} that of the target best.")
    if table == "rarefied" or answer.target.is_best:
        over = "over" if answer.better == "more" else "under"
        yield Note(f"The best of noisy scores {over}estimates the score that can be reached.")


def first_of(suppliers: Sequence[str]) -> str | None:
    """The suppliers of one query in a cell for people: the first one, and how many more there are.

    >>> first_of(["A", "B", "C"]), first_of(["A"]), first_of([])
    ('A and 2 more', 'A', None)
    """
    return listed(suppliers, 1) if suppliers else None
