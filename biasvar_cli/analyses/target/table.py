"""A virtual target as tables, with their sentences: its queries, the runs that supply it, and fewer runs."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from biasvar_cli.analyses.target import TABLES
from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.arrays import equalised, is_below, is_least
from biasvar_cli.score_matrix import negated
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.rows import View, chosen_rows, top_note, with_row_notes
from biasvar_cli.tables.table import Table, explained, falls, minus, targeted_table
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, all_of, argument, counted, listed, verb

_USUAL = {"queries": "difficulty", "runs": "-supplied", "rarefied": "n_runs"}  # order for people, and with --top
_NAMED = 3  # runs or queries named in a sentence
_COMMON_SIZES = (10, 30)  # of pools, at which targets are compared


VIEW = View


def tables(answers: Sequence[TargetAnswer], view: View) -> list[Table]:
    """A table for each answer."""
    return [target_table(answer, view) for answer in answers]


@with_row_notes("scores")
def target_table(answer: TargetAnswer, view: View) -> Table:
    """One of the three tables as ``view`` says; its JSON holds all three.

    People read the best rows first, and the first supplier of a query.

    Raises `UsageError` for a column to sort by that is not there.
    """
    tables = {name: filled(columns, answer) for name, columns in TABLES.items()}
    n_rows = len(next(iter(tables[view.table].columns.values())))
    view = replace(view, sort=view.sort or (_USUAL[view.table] if view.is_best_first else None))
    names = "run" if view.table == "runs" else ""
    tables[view.table] = cells = chosen_rows(tables[view.table], view, names=names, declared=TABLES[view.table])
    document = {name: table.records() for name, table in tables.items()}
    is_queries = view.table == "queries"
    if is_queries:
        suppliers = cells.columns["suppliers"]
        names_of = [listed(names, 1) if view.for_people else " ".join(names) for names in suppliers]
        cells.columns["suppliers"] = [names or None for names in names_of]
    mean = {"query_id": "mean", "score": answer.target.mean, "mean": float(answer.difficulty.mean.mean())}
    others = [name for name in TABLES if name != view.table and (name != "rarefied" or answer.target.is_best)]
    return targeted_table(
        answer,
        cells,
        f"difficulty {answer.request.difficulty} in groups of {answer.request.subset_size}",
        scores=answer.pool,
        verdict=tuple(_verdict(answer, view.table)),
        notes=(*top_note(view.top, n_rows), *_notes(answer, view.table, cells)),
        details=tuple(_details(answer, view.table)),
        more=tuple(f"--table {name}" for name in others),
        name="target" if is_queries else f"target-{view.table}",
        target_row=mean if is_queries else None,
        document=document,
        rows_key="",
    )


def _verdict(answer: TargetAnswer, table: str) -> Iterator[str]:
    """The answer to the question of a table: of the queries, of the runs, or of the number of runs."""
    if table == "rarefied":
        yield _growth_note(answer)
        return
    if table == "queries":
        scores = negated(answer.target_scores) if answer.better == "less" else answer.target_scores
        low, high = scores.min(), scores.max()
        if len(scores) > 1 and low == high:
            yield f"The target has the same score on every {QUERY}."
        elif len(scores) > 1:
            sd = num(float(np.std(scores, ddof=0)))
            yield f"Over the {QUERIES} the target's score is from {num(low)} to {num(high)} (standard deviation {sd})."
        yield from _difficulty_notes(answer)
    yield _supplier_note(answer)
    if table == "runs":
        yield _unique_note(answer)


def _difficulty_notes(answer: TargetAnswer) -> Iterator[str]:
    """The queries on which no run scores, and the hardest and the easiest of the others; nothing of one query.

    Where less is better a score of 0 is a good one.
    """
    pool, by_best = answer.pool, answer.difficulty.key == "best"
    unanswered = (answer.scored.pool.values.max(axis=0) <= 0) & (answer.better == "more")
    names = [name for name, bare in zip(pool.queries, unanswered, strict=True) if bare]
    if names:
        yield f"No {RUN} scores above 0 on {counted(len(names), 'query')}: {listed(names)}."
    ease = equalised(pool.values.max(axis=0) if by_best else answer.difficulty.mean)
    ranked = np.argsort(answer.difficulty.rank, kind="stable").tolist()
    order = [query for query in ranked if not unanswered[query]]
    if len(order) < 2:
        return
    others, key = "other " * bool(names), f"{'best' if by_best else 'mean'} score of the {RUNS}"
    if ease[order[0]] == ease[order[-1]]:
        score = num(ease[order[0]], better=answer.better)
        yield f"All {others}{QUERIES} are equally hard: the {key} is {score} on each."
        return
    *harder, easiest = (list(tied) for _, tied in groupby(order, ease.__getitem__))

    def named(queries: Sequence[int], most: int) -> str:
        """Equally hard queries with their score, the first ones if they are many; of half of all only their number."""
        names = listed([pool.queries[query] for query in queries], most)
        if 2 * len(queries) >= pool.n_queries > 2 and len(queries) > 1:
            names = f"{len(queries)} of the {counted(pool.n_queries, 'query')}, which are tied"
        return f"{names} ({num(ease[queries[0]], better=answer.better)})"

    hard, n_named = list[str](), 0
    for queries in harder:
        if n_named < _NAMED:
            hard.append(named(queries, _NAMED - n_named))
            n_named += len(queries)
    hardest, easy = listed(hard) if n_named == len(hard) else ", ".join(hard), named(easiest, _NAMED - 1)
    yield f"Hardest {others}{verb(n_named, f'{QUERY}', f'{QUERIES}')} by the {key}: {hardest}; easiest: {easy}."


def _supplier_note(answer: TargetAnswer) -> str:
    """Which runs reach the target, and which are the only ones to do so."""
    pool, supplies = answer.pool, answer.contributions.supplies
    shared = supplies.all(axis=0) & (pool.n_runs > 1)
    n_suppliers = int(supplies[:, ~shared].any(axis=1).sum())
    if shared.all():
        return f"All {RUNS} have the target's score on every {QUERY}."
    if not n_suppliers:
        return f"No {RUN} reaches the target's score on any {QUERY}."
    if pool.n_runs == 1 and answer.target.is_best:
        return f"The target is the {RUN} {pool.runs[0]} itself."
    n_others = pool.n_runs - n_suppliers
    all_runs = f"Both {RUNS}" if pool.n_runs == 2 else f"All {pool.n_runs} {RUNS}"
    some = f"{n_suppliers} of {counted(pool.n_runs, 'run')}" if n_others else all_runs
    reach = verb(n_suppliers, "reaches the target's score", "reach the target's score")
    if answer.target.is_best:
        reach = verb(n_suppliers, "has the best score", "have the best score")
    text = f"{some} {reach} on at least one {QUERY}"
    if n_others:
        text += f", the {f'other {n_others}' if n_others > 1 else 'other one'} on none"
    if shared.any():
        text += f" (not counting {counted(int(shared.sum()), 'query')} on which all {RUNS} do)"
    if pool.n_runs == 1:
        return f"{text}."
    alone = answer.contributions.alone
    order = sorted(np.flatnonzero(alone).tolist(), key=lambda run: (-alone[run], pool.runs[run]))
    if not order:
        return f"{text}; no {RUN} does so alone."
    counts = [counted(int(alone[order[0]]), "query"), *map(str, alone[order[1:_NAMED]].tolist())]
    first = [f"{pool.runs[run]} ({count})" for run, count in zip(order, counts, strict=False)]
    return f"{text}. Most often alone: {listed(first)}."


def _unique_note(answer: TargetAnswer) -> str:
    """What the target loses without single runs, or why that is not known."""
    unique, pool = answer.contributions.left_out.unique, answer.pool
    if np.isnan(unique).any() and pool.n_runs == 1:
        return f"unique and bias_loro are undefined (-): there is no other {RUN}."
    if np.isnan(unique).any():
        of_best = f"of {argument(target='best')} only, not of {answer.target.label}"
        return f"unique and bias_loro are undefined (-): {of_best}."
    if not unique.max() > 0:
        return f"Without any single {RUN} the target stays the same: another {RUN} has each of its scores."
    most, n_none = np.flatnonzero(is_least(-unique)), int((unique == 0).sum())
    names = listed([pool.runs[run] for run in most], _NAMED)
    without = f"any one of {names}" if len(most) > 1 else names
    text = f"The target's mean {falls(answer.better)} most without {without}, by {num(unique[most[0]])}"
    return f"{text}; leaving out any one of {n_none} {RUNS} does not change it." if n_none > 1 else f"{text}."


def _growth_note(answer: TargetAnswer) -> str:
    """With how many runs the target gets near to that of all."""
    means, n_runs = answer.means, answer.pool.n_runs
    rise = means[-1] - means[0]
    way, changes = ("rise", "rises") if answer.better == "more" else ("fall", "falls")
    if not rise > 0:
        return f"The target does not {way} with the number of {RUNS}."
    half, most = (int(is_below(means, means[0] + share * rise).sum()) + 1 for share in (0.5, 0.9))
    first, last = (num(mean, better=answer.better) for mean in (means[0], means[-1]))
    text = f"The target's mean {changes} from {first} for one {RUN} to {last} for all {n_runs}"
    return f"{text}: half of the {way} takes {half} {RUNS}, nine tenths {most}."


def _notes(answer: TargetAnswer, table: str, cells: Cells) -> Iterator[str]:
    """The lines under a table."""
    n_runs, better = answer.pool.n_runs, answer.better
    if table == "queries":
        runs = f"the {RUN}" if n_runs == 1 else f"{all_of(n_runs)} {RUNS}"
        yield f"suppliers: the {RUNS} that have this score, ties included. mean, sd: of the scores of {runs}."
        size, n_tied = answer.difficulty.subset_size, int((answer.difficulty.alike > 1).sum())
        hardest = f"{'lowest' if better == 'more' else 'highest'} {answer.difficulty.key} score"
        ties = f" {n_tied} of the {QUERIES} are tied, in order of their ids." if n_tied else ""
        group = f"group: 1 has the hardest {size}, 2 the next {size}"
        yield f"difficulty: 1 is the hardest {QUERY} ({hardest}); {group}.{ties}"
    if table == "runs":
        yield explained(cells.declared, "supplied", "alone")
        if not np.isnan(answer.contributions.left_out.unique).any():
            change = f"by how much the target's mean {falls(better)} without the {RUN}"
            yield f"unique: {change} (0 where others are as good)."
            bias = minus("target's mean", "mean", better)
            yield f"bias: {bias}; bias_loro: bias against the best of the other {RUNS}, bias - unique."
    if table == "rarefied":
        yield explained(cells.declared, "mean")
    if table == "rarefied" or answer.target.is_best:  # why targets of pools of different size are not comparable
        more, only = f"More {RUNS} make a", f"compare only targets of equally many {RUNS}"
        higher = "higher" if better == "more" else "lower"
        sizes = [size for size in _COMMON_SIZES if size < n_runs and table != "rarefied"]
        if sizes:
            fewer = " and ".join(f"{num(answer.means[size - 1], better=better)} with {size}" for size in sizes)
            expected = f"expected mean {fewer} of these {RUNS}"
            yield f"{more} {higher} target ({expected}): {only} ({argument(rarefied=sizes[0])})."
        else:
            yield f"{more} {higher} target: {only} ({argument('rarefied R')})."


def _details(answer: TargetAnswer, table: str) -> Iterator[str]:
    """What ``--notes full`` adds."""
    if table == "queries":
        yield "sd has divisor n (population)."
        yield f"A target's score that no {RUN} has, as with {argument(target='perfect')}, has no supplier."
    if table == "runs":
        yield f"unique is 0 for two {RUNS} with nearly the same scores, because either one replaces the other."
    if table == "rarefied" or answer.target.is_best:
        over = "overestimates" if answer.better == "more" else "underestimates"
        yield f"The best of noisy scores {over} the score that can be reached."
