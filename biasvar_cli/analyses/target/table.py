"""A virtual target as tables: its queries, the runs it is made of, and what fewer runs would have given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.contribution import Contributions, Difficulty
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
        notes=tuple(_notes(result, hardness, means, view)),
        details=tuple(_details(result, hardness, means, view)),
        hidden=frozenset({"n_suppliers"}),
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


def _notes(result: Contributions, hardness: Difficulty, means: FloatArray, view: TargetView) -> Iterator[Note]:
    """The lines that everybody sees."""
    if view.table == "rarefied":
        yield Note(
            "mean: of the best score of each query over n_runs runs drawn at random, as expected over all draws."
        )
    else:
        yield Note(f"{target_words(result.target)}. suppliers: the runs that have it, ties included.")
        yield from _supplier_notes(result)
    if view.table == "queries":
        yield from _query_notes(result, hardness)
    if view.table == "runs":
        yield from _run_notes(result)
    if view.table == "rarefied" or result.target.is_best:
        yield from _maximum_notes(means, view)


def _supplier_notes(result: Contributions) -> Iterator[Note]:
    """Who reaches the target, and on how many queries."""
    n_runs, supplied = result.pool.n_runs, result.supplied
    order = [index for index in np.argsort(-supplied, kind="stable").tolist() if supplied[index]]
    leading = [f"{result.pool.runs[index]} ({counted(int(supplied[index]), 'query')})" for index in order[:_SHOWN]]
    if order:
        yield Note(f"{len(order)} of {counted(n_runs, 'run')} supply a query, most often {', '.join(leading)}.")
    else:
        yield Note(f"None of {counted(n_runs, 'run')} reaches the target on any query.")
    of_all = int(result.supplies.all(axis=0).sum())
    if of_all and n_runs > 1:
        yield Note(f"On {counted(of_all, 'query')} every run is a supplier.")


def _query_notes(result: Contributions, hardness: Difficulty) -> Iterator[Note]:
    size = hardness.subset_size
    yield Note(f"mean, sd: of the scores of {counted(result.pool.n_runs, 'run')} on the query.")
    text = f"difficulty: 1 is the hardest query (lowest {hardness.key} score)."
    yield Note(f"{text} group: 1 has the hardest {size}, 2 the next.")


def _run_notes(result: Contributions) -> Iterator[Note]:
    yield Note("supplied: queries on which the run reaches the target; alone: on which no other run does.")
    if not np.isnan(result.unique).any():
        yield Note("unique: what the target's mean would lose without the run; 0 where another run is as good.")
        yield Note("bias_loro: the run's bias against the best of the other runs (leave one run out), bias - unique.")
        return
    why = "there is no other run" if result.pool.n_runs == 1 else f"of --target best only, not of {result.target.label}"
    yield Note(f"unique and bias_loro are undefined (-): {why}.")


def _maximum_notes(means: FloatArray, view: TargetView) -> Iterator[Note]:
    """Why targets of pools of different size are not comparable, and what fewer runs would give."""
    n_runs = len(means)
    sizes = [size for size in _COMMON_SIZES if size < n_runs and view.table != "rarefied"]
    only = "compare the targets of pools of equal size only."
    if not sizes:
        yield Note(f"The best score grows with the number of runs: {only}")
        return
    drawn = ", ".join(f"{{}} for {size} runs" for size in sizes)
    values = tuple(float(means[size - 1]) for size in (*sizes, n_runs))
    text = f"The best score grows with the number of runs (expected mean {drawn}, {{}} for all {n_runs}): {only}"
    yield Note(text, values, signed=False)


def _details(result: Contributions, hardness: Difficulty, means: FloatArray, view: TargetView) -> Iterator[Note]:
    """What ``--notes full`` adds."""
    if view.table == "queries":
        yield Note(
            "sd has the divisor n. A score of the target that no run has, as of --target perfect, has no supplier."
        )
        if hardness.n_tied:
            yield Note(
                f"difficulty: {counted(hardness.n_tied, 'query')} as hard as one before, in the order of queries."
            )
    if view.table == "runs":
        yield Note("unique is 0 for near-duplicates, each of which the other one stands in for.")
    if view.table == "rarefied":
        yield Note(
            f"The mean for 1 run is the mean over runs, for {len(means)} that of the target best; all are exact."
        )
    if view.table == "rarefied" or result.target.is_best:
        yield Note("A best of noisy scores is no unbiased estimate of what can be reached.")
