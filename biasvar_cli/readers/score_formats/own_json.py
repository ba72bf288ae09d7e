"""The JSON that ``biasvar scores -f json`` writes, read as arrays where it is as it was written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.arrays import plain_layout
from biasvar_cli.readers.score_formats.format import ScoreOptions
from biasvar_cli.readers.score_formats.json_objects import name_text, unexpected, value_text
from biasvar_cli.readers.score_formats.layout import Layout, Record
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble
from biasvar_cli.readers.text import shown

_OWN = re.compile(rb'\{\s*("version"\s*:\s*"[^"\\]{0,100}"\s*,\s*)?"results"\s*:\s*\[')


def is_own(data: bytes) -> bool:
    """Whether a JSON text starts as that of ``scores`` does.

    >>> is_own(b'{"version": "1.0", "results": []}'), is_own(b'{"301": {"map": 0.25}}')
    (True, False)
    """
    return _OWN.match(data) is not None


def own_arrays(data: bytes, path: str, options: ScoreOptions) -> ScoreFile | None:
    """The scores of the JSON that ``scores`` writes; None for any other text, and for what needs a second look.

    >>> text = b'{"results": [{"measure": "AP", "queries": ["301"], "runs": [{"run": "bm25", "scores": [0.25]}]}]}'
    >>> file = own_arrays(text, "scores.json", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25',), ('AP',), ('301',), [[[0.25]]])
    """
    layout = _layout(data, path) if is_own(data) else None
    return layout and assemble(layout, allow_range=options.allow_range)


def _layout(data: bytes, path: str) -> Layout | None:
    names: tuple[dict[Any, int], ...] = ({}, {}, {})  # of runs, measures and queries
    places, values = [], []
    try:
        for result in json.loads(data, object_pairs_hook=_once)["results"]:
            scores = [row["scores"] for row in result["runs"]]
            if any(not set(map(type, row)) <= {float, int} for row in scores):
                return None
            matrix = np.array(scores, dtype=np.float64)
            if matrix.ndim != 2 or matrix.shape[1] != len(result["queries"]):
                return None
            own = ([row["run"] for row in result["runs"]], [result["measure"]], result["queries"])
            at = np.meshgrid(*map(_numbers, own, names), indexing="ij")
            places.append(np.stack([index.ravel() for index in at], axis=1))
            values.append(matrix.ravel())
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None
    if not sum(map(len, values)):
        return None
    whole = np.concatenate(values)
    return plain_layout(path, list(map(list, names)), np.concatenate(places), whole, [None] * len(whole))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that has no key twice."""
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("a key twice")
    return unique


def _numbers(names: Iterable[Any], known: dict[Any, int]) -> IntArray:
    """The numbers of names by their first appearance."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def own_records(document: Any, path: str) -> Iterator[Record]:
    """The records of ``biasvar scores -f json``, whose line numbers would say nothing."""
    try:
        for result in document["results"]:
            measure = result["measure"]
            name = None if measure is None else canonical(name_text(measure, path))
            queries = [name_text(query, path) for query in result["queries"]]
            for row in result["runs"]:
                run, scores = name_text(row["run"], path), row["scores"]
                if not isinstance(scores, list) or len(scores) != len(queries):
                    raise DataError(f"run {shown(run)} does not have one score for each of the queries", path=path)
                for query, score in zip(queries, scores, strict=True):
                    yield Record(None, run, name, query, value_text(score), f"the score of run {run} on query {query}")
    except (KeyError, TypeError):
        raise unexpected(document, path) from None
