"""Scores in memory in any form that a notebook has them: DataFrames, dicts, arrays, records of ir-measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import asked_names
from biasvar_cli.notebook.memory import are_documents, has_scores, paths_and_runs
from biasvar_cli.notebook.nested_scores import has_measures, is_plain_row, names_given, scores_in, scores_of_array
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
    given = opened(scores)
    plain = _plain(given, argument, runs, queries)
    if reading.get("orient") == "runs" and (plain is not None or isinstance(given, Mapping)):
        raise UsageError("orient: the scores of an array or a dict do not lie the other way round; transpose an array")
    asked, allow_range = tuple(asked_names(measures)), bool(reading.get("allow_range", False))
    if plain is not None:
        measure = asked[0] if len(asked) == 1 else None
        return (scores_of_array(*plain, argument, measure=measure, allow_range=allow_range),)
    if isinstance(given, Mapping) and given and all(isinstance(value, pd.DataFrame) for value in given.values()):
        return tuple(_of_run(str(name), frame, measures, reading, argument) for name, frame in given.items())
    if isinstance(given, Mapping):
        by_query = reading.get("orient") == "queries"
        return (scores_in(given, argument, measures=asked, by_query=by_query, allow_range=allow_range),)
    records = with_records(given)
    if not isinstance(records, pd.DataFrame):
        return ()
    where = "the DataFrame of scores" if argument == "scores" else "the DataFrame of the pool"
    return (_of_frame(records, measures, reading, argument if records is not given else where),)


def refuse_names(runs: object, queries: object) -> None:
    """Raise `UsageError` for the names of an array beside what has its own."""
    for argument, names in (("runs", runs), ("queries", queries)):
        if names is not None:
            raise UsageError(f"{argument}: runs= and queries= are the names of an array, and this has its own")


def _plain(given: Any, argument: str, runs: object, queries: object) -> tuple[Any, list[str], list[str]] | None:
    """An array with a row a query, the names of its runs and its queries; None for what has its own names."""
    by_run = isinstance(given, Mapping) and bool(given) and all(map(is_plain_row, given.values()))
    is_array = isinstance(given, np.ndarray) and (given.ndim > 1 or given.dtype.kind not in "USO")
    if by_run:
        refuse_names(runs, None)
        if queries is None:
            raise UsageError(f"{argument}: lists of scores do not name their queries; give queries=[...]")
        down = names_given("queries", queries)
        return _columns(given, len(down), argument), names_given(argument, given.keys()), down
    if isinstance(given, str | Mapping | pd.DataFrame) or (runs is None and not is_array):
        refuse_names(runs, queries)
        return None
    if runs is None or queries is None:
        lacking = [f"{name}=[...]" for name, names in (("runs", runs), ("queries", queries)) if names is None]
        raise UsageError(f"{argument}: an array does not name its rows and columns; give {' and '.join(lacking)}")
    return given, names_given("runs", runs), names_given("queries", queries)


def pool_of(
    pool: Any, measures: tuple[str, ...], reading: Mapping[str, Any], *, has_qrels: bool
) -> tuple[tuple[str, ...], tuple[LoadedSource, ...]]:
    """The paths of a pool, and what of it is in memory: runs where there are judgments for them, or else scores."""
    given = opened(pool)
    has_runs = has_qrels and isinstance(given, Mapping) and not _has_scores(given, asked_names(measures))
    if are_documents(given) or has_runs:
        return paths_and_runs(given, "pool run", "pool")
    sources = sources_of(given, measures, reading, "pool")
    return ((), sources) if sources else paths_and_runs(given, "pool run", "pool")


def _has_scores(by_run: Mapping[Any, Any], asked: list[str]) -> bool:
    tables = [with_records(value) for value in by_run.values()]
    if tables and all(isinstance(table, pd.DataFrame) for table in tables):
        return all(map(has_scores, tables))
    return has_measures(by_run, asked)


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
