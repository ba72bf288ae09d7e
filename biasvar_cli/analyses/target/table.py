"""A virtual target as tables and in words: its queries, the runs it is made of, and what fewer runs would give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.analyses.target.columns import TABLES
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.table import Note, Table, document_of, listed, measure_words, target_words
from biasvar_cli.words import counted

_SHOWN = 3  # suppliers named in a cell or a note
_COMMON_SIZES = (10, 30)  # of pools, at which targets are compared


@dataclass(frozen=True, kw_only=True)
class TargetView:
    """Which of the three tables to show, and for whom: people read a few suppliers and the greatest of them first."""

    table: str = "queries"
    for_people: bool = True


def target_table(answer: TargetAnswer, view: TargetView) -> Table:
    """One of the three tables as ``view`` says; its JSON holds all three."""
    tables = {name: filled(columns, answer) for name, columns in TABLES.items()}
    document = {name: cells.records() for name, cells in tables.items()}
    cells = tables[view.table]
    if view.table == "queries":
        cells.columns["suppliers"] = [_names(names, view) for names in cells.columns["suppliers"]]
    if view.table == "runs" and view.for_people:
        cells = cells.rows(answer.contributions.order)
    mean = {"query_id": "mean", "score": answer.target.mean, "mean": float(answer.difficulty.mean.mean())}
    return Table.of(
        _title(answer, view),
        cells,
        notes=tuple(_notes(answer, view)),
        details=tuple(_details(answer, view)),
        target_row=mean if view.table == "queries" else None,
        document={**document_of(answer.measure, answer.target, answer.pool.n_runs, answer.pool.n_queries), **document},
        rows_key="",
    )


def _names(suppliers: list[str], view: TargetView) -> str | None:
    """The suppliers of one query in a cell: the first of them for people, all for machines."""
    if not suppliers:
        return None
    return listed(suppliers, _SHOWN) if view.for_people else " ".join(suppliers)


def _title(answer: TargetAnswer, view: TargetView) -> str:
    pool, measure = answer.pool, measure_words(answer.measure)
    size = f"{counted(pool.n_runs, 'run')}, {counted(pool.n_queries, 'query')}"
    what = {
        "queries": f"Virtual target of {measure}, target {answer.target.label}",
        "runs": f"Suppliers of the virtual target of {measure}, target {answer.target.label}",
        "rarefied": f"Virtual target of {measure}, best of fewer runs",
    }[view.table]
    return f"{what}: {size}"


def _notes(answer: TargetAnswer, view: TargetView) -> Iterator[Note]:
    """The lines that everybody sees."""
    if view.table == "rarefied":
        yield Note(
            "mean: of the best score of each query over n_runs runs drawn at random, as expected over all draws."
        )
    else:
        yield Note(f"{target_words(answer.target)}. suppliers: the runs that have it, ties included.")
        yield from _supplier_notes(answer)
    if view.table == "queries":
        hardness = answer.difficulty
        yield Note(f"mean, sd: of the scores of {counted(answer.pool.n_runs, 'run')} on the query.")
        text = f"difficulty: 1 is the hardest query (lowest {hardness.key} score)."
        yield Note(f"{text} group: 1 has the hardest {hardness.subset_size}, 2 the next.")
    if view.table == "runs":
        yield from _run_notes(answer)
    if view.table == "rarefied" or answer.target.is_best:
        yield _maximum_note(answer, view)


def _supplier_notes(answer: TargetAnswer) -> Iterator[Note]:
    """Who reaches the target, and on how many queries."""
    n_runs, supplied = answer.pool.n_runs, answer.contributions.supplied
    order = [index for index in answer.contributions.order if supplied[index]]
    leading = [f"{answer.pool.runs[index]} ({counted(int(supplied[index]), 'query')})" for index in order[:_SHOWN]]
    if order:
        yield Note(f"{len(order)} of {counted(n_runs, 'run')} supply a query, most often {', '.join(leading)}.")
    else:
        yield Note(f"None of {counted(n_runs, 'run')} reaches the target on any query.")
    of_all = int(answer.contributions.supplies.all(axis=0).sum())
    if of_all and n_runs > 1:
        yield Note(f"On {counted(of_all, 'query')} every run is a supplier.")


def _run_notes(answer: TargetAnswer) -> Iterator[Note]:
    yield Note("supplied: queries on which the run reaches the target; alone: on which no other run does.")
    if not np.isnan(answer.contributions.left_out.unique).any():
        yield Note("unique: what the target's mean would lose without the run; 0 where another run is as good.")
        yield Note("bias_loro: the run's bias against the best of the other runs (leave one run out), bias - unique.")
        return
    why = "there is no other run" if answer.pool.n_runs == 1 else f"of --target best only, not of {answer.target.label}"
    yield Note(f"unique and bias_loro are undefined (-): {why}.")


def _maximum_note(answer: TargetAnswer, view: TargetView) -> Note:
    """Why targets of pools of different size are not comparable, and what fewer runs would give."""
    n_runs = answer.pool.n_runs
    sizes = [size for size in _COMMON_SIZES if size < n_runs and view.table != "rarefied"]
    only = "compare the targets of pools of equal size only."
    if not sizes:
        return Note(f"The best score grows with the number of runs: {only}")
    drawn = ", ".join(f"{{}} for {size} runs" for size in sizes)
    values = tuple(float(answer.means[size - 1]) for size in (*sizes, n_runs))
    text = f"The best score grows with the number of runs (expected mean {drawn}, {{}} for all {n_runs}): {only}"
    return Note(text, values, signed=False)


def _details(answer: TargetAnswer, view: TargetView) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    n_tied, n_runs = answer.difficulty.n_tied, answer.pool.n_runs
    if view.table == "queries":
        yield Note(
            "sd has the divisor n. A score of the target that no run has, as of --target perfect, has no supplier."
        )
        if n_tied:
            yield Note(f"difficulty: {counted(n_tied, 'query')} as hard as one before, in the order of queries.")
    if view.table == "runs":
        yield Note("unique is 0 for near-duplicates, each of which the other one stands in for.")
    if view.table == "rarefied":
        yield Note(f"The mean for 1 run is the mean over runs, for {n_runs} that of the target best; all are exact.")
    if view.table == "rarefied" or answer.target.is_best:
        yield Note("A best of noisy scores is no unbiased estimate of what can be reached.")
