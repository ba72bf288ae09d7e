"""A virtual target as tables: its queries, the runs it is made of, and what fewer runs would have given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from biasvar_cli.analyses.contribution import Contributions, Difficulty
from biasvar_cli.arrays import FloatArray
from biasvar_cli.tables.table import KEYS, Note, Table, document_of, keyed, listed, measure_words, records, target_words
from biasvar_cli.words import counted

TargetTable = Literal["queries", "runs", "rarefied"]
Columns = Mapping[str, list[Any]]

_SHOWN = 3  # suppliers named in a cell or a note
_COMMON_SIZES = (10, 30)  # of pools, at which targets are compared


@dataclass(frozen=True, kw_only=True)
class TargetView:
    """Which of the three tables to show, and for whom: people read a few suppliers and the greatest of them first."""

    table: TargetTable = "queries"
    for_people: bool = True


def target_table(result: Contributions, hardness: Difficulty, means: FloatArray, *, view: TargetView) -> Table:
    """One of the three tables as ``view`` says; its JSON holds all three.

    ``means`` are the means of the rarefied target for 1, 2, ... runs, shape (n_runs,).
    """
    queries, runs, rarefied = _queries(result, hardness), _runs(result), _rarefied(means)
    measure, target = result.pool.measure, result.target
    shown = {
        "queries": {**queries, "suppliers": [_names(each, view) for each in queries["suppliers"]]},
        "runs": _leading_first(runs) if view.for_people else runs,
        "rarefied": rarefied,
    }[view.table]
    return Table(
        title=_title(result, view),
        columns=keyed(measure, target, shown),
        keys=KEYS,
        notes=_notes(result, hardness, means, view),
        target_row=_mean_row(result, hardness) if view.table == "queries" else None,
        document={
            **document_of(measure, target, result.pool.n_runs, result.pool.n_queries),
            "queries": records(queries),
            "runs": records(runs),
            "rarefied": records(rarefied),
        },
        rows_key="",
    )


def _queries(result: Contributions, hardness: Difficulty) -> dict[str, list[Any]]:
    """A row per query, in the order of queries; suppliers are lists of names."""
    pool, scores = result.pool, result.target.scores
    assert scores is not None, "contributions are of a target with scores"
    return {
        "query_id": list(pool.queries),
        "score": scores.tolist(),
        "suppliers": [[pool.runs[index] for index in np.flatnonzero(column)] for column in result.supplies.T],
        "n_suppliers": result.supplies.sum(axis=0).tolist(),
        "mean": hardness.mean.tolist(),
        "sd": hardness.sd.tolist(),
        "difficulty": hardness.rank.tolist(),
        "group": hardness.group.tolist(),
    }


def _runs(result: Contributions) -> dict[str, list[Any]]:
    """A row per run of the pool, by name."""
    order = sorted(range(result.pool.n_runs), key=lambda index: result.pool.runs[index])
    columns: dict[str, list[Any]] = {"run": [result.pool.runs[index] for index in order]}
    for name in ("supplied", "alone", "unique", "bias", "bias_loro"):
        columns[name] = getattr(result, name)[order].tolist()
    return columns


def _rarefied(means: FloatArray) -> dict[str, list[Any]]:
    return {"n_runs": list(range(1, len(means) + 1)), "mean": means.tolist()}


def _leading_first(runs: Columns) -> Columns:
    """The same rows, the run that supplies most queries first, equal ones by name."""
    order = sorted(range(len(runs["run"])), key=lambda index: (-runs["supplied"][index], runs["run"][index]))
    return {name: [column[index] for index in order] for name, column in runs.items()}


def _names(suppliers: Sequence[str], view: TargetView) -> str | None:
    """The suppliers of one query in a cell: the first of them for people, all for machines."""
    if not suppliers:
        return None
    return listed(suppliers, _SHOWN) if view.for_people else " ".join(suppliers)


def _mean_row(result: Contributions, hardness: Difficulty) -> dict[str, Any]:
    return {"query_id": "mean", "score": result.target.mean, "mean": float(hardness.mean.mean())}


def _title(result: Contributions, view: TargetView) -> str:
    pool, measure = result.pool, measure_words(result.pool.measure)
    size = f"{counted(pool.n_runs, 'run')}, {counted(pool.n_queries, 'query')}"
    what = {
        "queries": f"Virtual target of {measure}, target {result.target.label}",
        "runs": f"Suppliers of the virtual target of {measure}, target {result.target.label}",
        "rarefied": f"Virtual target of {measure}, best of fewer runs",
    }[view.table]
    return f"{what}: {size}"


def _notes(result: Contributions, hardness: Difficulty, means: FloatArray, view: TargetView) -> tuple[Note, ...]:
    of_table = {
        "queries": [*_supplier_notes(result), _difficulty_note(result, hardness)],
        "runs": [*_supplier_notes(result), _runs_note(result)],
        "rarefied": [_rarefied_note(result)],
    }[view.table]
    of_maximum = view.table == "rarefied" or result.target.is_best
    return (*of_table, *(_maximum_notes(means) if of_maximum else []))


def _supplier_notes(result: Contributions) -> list[Note]:
    n_runs = result.pool.n_runs
    supplied, alone = result.supplied, result.alone
    order = [index for index in np.argsort(-supplied, kind="stable").tolist() if supplied[index]]
    leading = [
        f"{result.pool.runs[i]} ({counted(int(supplied[i]), 'query')}, {alone[i]} alone)" for i in order[:_SHOWN]
    ]
    reach = "Suppliers of a query are the runs that reach this score, ties included"
    notes = [Note(f"{target_words(result.target)}. {reach}")]
    if order:
        notes.append(
            Note(f"Runs that supply a query: {len(order)} of {n_runs}; the leading ones: {', '.join(leading)}")
        )
    of_all = int(result.supplies.all(axis=0).sum())
    if of_all and n_runs > 1:
        notes.append(Note(f"On {counted(of_all, 'query')} every run reaches the target and counts as its supplier"))
    return notes


def _difficulty_note(result: Contributions, hardness: Difficulty) -> Note:
    tied = counted(hardness.n_tied, "query")
    of_ties = f" ({tied} as hard as one before, in the order of queries)" if hardness.n_tied else ""
    return Note(
        f"mean and sd (divisor n) are over {counted(result.pool.n_runs, 'run')}. difficulty 1 is the hardest query, of "
        f"the pool's lowest {hardness.key} score{of_ties}; group 1 holds the hardest {hardness.subset_size}, and so on"
    )


def _runs_note(result: Contributions) -> Note:
    words = (
        "supplied: queries on which the run reaches the target; alone: on which no other run does; unique: what the "
        "target's mean would lose without the run, which a near-duplicate of it hides; bias_loro: bias against the "
        "target of the other runs, bias - unique"
    )
    if not np.isnan(result.unique).any():
        return Note(words)
    why = "there is no other run" if result.pool.n_runs == 1 else f"of --target best only, not of {result.target.label}"
    return Note(f"{words} (both undefined: {why})")


def _rarefied_note(result: Contributions) -> Note:
    return Note(
        "mean: that of the best score of each query over n_runs runs drawn at random from the pool, as expected over "
        f"all draws, exact; for 1 it is the mean over runs, for {result.pool.n_runs} that of the target best"
    )


def _maximum_notes(means: FloatArray) -> list[Note]:
    """Why targets of different pools are not comparable, and at which numbers of runs they are."""
    n_runs = len(means)
    notes = [
        Note(
            "A maximum of noisy scores is no unbiased estimate of what can be reached: it grows with the number of "
            "runs, so targets of pools of different size are not comparable"
        )
    ]
    sizes = [size for size in _COMMON_SIZES if size < n_runs]
    if sizes:
        drawn = ", ".join(f"{{}} for {size} runs" for size in sizes)
        values = tuple(float(means[size - 1]) for size in (*sizes, n_runs))
        notes.append(
            Note(
                f"At equal numbers of runs they are: expected mean {drawn}, {{}} for all {n_runs}", values, signed=False
            )
        )
    return notes
