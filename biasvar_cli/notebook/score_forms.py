"""Scores in memory in any form that a notebook has them: DataFrames, dicts, arrays, records of ir-measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import spelled_names
from biasvar_cli.notebook.memory import are_documents, has_scores, paths_and_runs
from biasvar_cli.notebook.nested_scores import checked_names, has_measures, is_plain_row, scores_in, scores_of_array
from biasvar_cli.notebook.packages import opened, with_records
from biasvar_cli.notebook.score_frames import scores_of
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.scoring.scorer import LoadedSource
from biasvar_cli.words import counted, examples


def sources_of(
    scores: Any,
    measures: tuple[str, ...],
    reading: Mapping[str, Any],
    argument: str = "scores",
    *,
    runs: object = None,
    queries: object = None,
) -> tuple[LoadedSource, ...]:
    """The scores in what is in memory; none where it is something else, such as paths.

    ``measures`` are the names asked for, ``reading`` the options of how inputs are read. ``runs`` and ``queries`` are
    the names of an array, ``queries`` those of lists by run as well. Raises `UsageError` for what lacks names, and for
    names beside what has its own; `DataError` for bad scores.

    >>> sources_of(["ap.csv"], (), {})
    ()
    >>> (source,) = sources_of({"bm25": [0.25, 0.5]}, ("AP",), {}, queries=["q1", "q2"])
    >>> source.content.values.tolist()
    [[[0.25, 0.5]]]
    """
    values = opened(scores)
    plain = _plain(values, argument, runs, queries)
    if reading.get("orient") == "runs" and (plain is not None or isinstance(values, Mapping)):
        raise UsageError("orient: the scores of an array or a dict do not lie the other way round; transpose an array")
    wanted, allow_range = tuple(spelled_names(measures)), bool(reading.get("allow_range", False))
    if plain is not None:
        measure = wanted[0] if len(wanted) == 1 else None
        return (scores_of_array(*plain, argument, measure=measure, allow_range=allow_range),)
    if isinstance(values, Mapping) and values and all(isinstance(value, pd.DataFrame) for value in values.values()):
        return tuple(_of_run(str(name), frame, measures, reading, argument) for name, frame in values.items())
    if isinstance(values, Mapping):
        by_query = reading.get("orient") == "queries"
        return (scores_in(values, argument, measures=wanted, by_query=by_query, allow_range=allow_range),)
    records = with_records(values)
    if not isinstance(records, pd.DataFrame):
        return ()
    where = "the DataFrame of scores" if argument == "scores" else "the DataFrame of the pool"
    return (_of_frame(records, measures, reading, argument if records is not values else where),)


def refuse_names(runs: object, queries: object) -> None:
    """Raise `UsageError` for the names of an array beside what has its own."""
    for argument, names in (("runs", runs), ("queries", queries)):
        if names is not None:
            raise UsageError(f"{argument}: runs= and queries= are the names of an array, and this has its own")


def _plain(values: Any, argument: str, runs: object, queries: object) -> tuple[Any, list[str], list[str]] | None:
    """An array with a row a query, the names of its runs and its queries; None for what has its own names."""
    by_run = isinstance(values, Mapping) and bool(values) and all(map(is_plain_row, values.values()))
    is_array = isinstance(values, np.ndarray) and (values.ndim > 1 or values.dtype.kind not in "USO")
    if by_run:
        refuse_names(runs, None)
        if queries is None:
            raise UsageError(f"{argument}: lists of scores do not name their queries; give queries=[...]")
        down = checked_names("queries", queries)
        return _columns(values, len(down), argument), checked_names(argument, values.keys()), down
    if isinstance(values, str | Mapping | pd.DataFrame) or (runs is None and not is_array):
        refuse_names(runs, queries)
        return None
    if runs is None or queries is None:
        lacking = [f"{name}=[...]" for name, names in (("runs", runs), ("queries", queries)) if names is None]
        raise UsageError(f"{argument}: an array does not name its rows and columns; give {' and '.join(lacking)}")
    return values, checked_names("runs", runs), checked_names("queries", queries)


def pool_of(
    pool: Any, measures: tuple[str, ...], reading: Mapping[str, Any], *, has_qrels: bool
) -> tuple[tuple[str, ...], tuple[LoadedSource, ...]]:
    """The paths of a pool, and what of it is in memory: runs where there are judgments for them, or else scores."""
    values = opened(pool)
    has_runs = has_qrels and isinstance(values, Mapping) and not _has_scores(values, spelled_names(measures))
    if are_documents(values) or has_runs:
        return paths_and_runs(values, "pool run", "pool")
    sources = sources_of(values, measures, reading, "pool")
    return ((), sources) if sources else paths_and_runs(values, "pool run", "pool")


def _has_scores(by_run: Mapping[Any, Any], wanted: list[str]) -> bool:
    tables = [with_records(value) for value in by_run.values()]
    if tables and all(isinstance(table, pd.DataFrame) for table in tables):
        return all(map(has_scores, tables))
    return has_measures(by_run, wanted)


def _columns(rows: Mapping[Any, Any], n_queries: int, argument: str) -> Any:
    """Lists of scores by run as an array with a row a query."""
    for name, row in rows.items():
        if np.ndim(row) != 1 or len(row) != n_queries:
            there = counted(len(row), "score") if np.ndim(row) == 1 else f"an array of {np.ndim(row)} axes"
            wanted = f"a score for each of {counted(n_queries, 'query')}"
            raise UsageError(f"{argument}: run {name} should have {wanted}, found {there}")
    return np.array([list(row) for row in rows.values()], dtype=object).T


def _of_run(
    name: str, frame: pd.DataFrame, measures: tuple[str, ...], reading: Mapping[str, Any], argument: str
) -> LoadedSource:
    """A DataFrame that has the scores of one run, whose name it does not say."""
    source = _of_frame(frame, measures, reading, f"{argument} of {name}")
    content = source.content
    assert isinstance(content, ScoreFile), "a DataFrame of scores has scores"
    if not content.is_run:
        what = f"expected the scores of one run, a row a query and a column a measure, found {examples(content.runs)}"
        raise DataError(what, path=source.path)
    return replace(source, name=name, content=content.named(name))


def _of_frame(frame: pd.DataFrame, measures: tuple[str, ...], reading: Mapping[str, Any], where: str) -> LoadedSource:
    return scores_of(
        frame,
        measures=measures,
        orient=reading.get("orient"),
        id_column=reading.get("id_column"),
        allow_range=reading.get("allow_range", False),
        holes=reading.get("topics") == "intersection",
        where=where,
    )
