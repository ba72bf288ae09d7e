"""What ``scores`` writes, csv, tsv and JSON, read as arrays: millions of values in seconds.

A text in that shape may still have what only the tolerant rules of the other readers know, or what they refuse with its
line. It is left to them then: what is read here is read without a guess, to the same numbers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.measures import canonical
from biasvar_cli.readers.columns import flat, values_of
from biasvar_cli.readers.score_layout import LONGEST, Layout
from biasvar_cli.readers.score_means import SUMMARIES
from biasvar_cli.readers.score_summaries import summary

_HEADER = ("run", "query_id", "measure", "score")
_OWN = re.compile(rb'\{\s*("version"\s*:\s*"[^"\\]{0,100}"\s*,\s*)?"results"\s*:\s*\[')
_BLOCK = 1 << 20  # bytes that Arrow parses at once
_MOST_EMPTY = 4  # places of the array for each value: what has more is looked at by the other readers


def plain_layout(data: bytes, path: str) -> Layout | None:
    """The scores of a long table in exactly the shape that ``scores`` writes; None for any other text.

    None, too, for what needs a second look: a value that is no finite number or is given twice, a row of another
    length, quotes, a name with white space around it, and one that may be a summary's.

    >>> layout = plain_layout(b"run,query_id,measure,score\\nbm25,301,AP,0.25\\nbm25,302,AP,0.5\\n", "scores.csv")
    >>> layout.runs, layout.measures, layout.queries, layout.places.tolist(), layout.values.tolist()
    (['bm25'], ['AP'], ['301', '302'], [[0, 0, 0], [0, 0, 1]], [0.25, 0.5])
    >>> plain_layout(b"topic,bm25\\n301,0.25\\n", "ap.csv") is None
    True
    """
    delimiter = next((each for each in ",\t" if data.startswith(f"{each.join(_HEADER)}\n".encode())), None)
    if delimiter is None or any(odd in data for odd in (b'"', b"\r", b"\n\n")):
        return None
    table = _table(data, delimiter)
    if table is None or not len(table):
        return None
    names = [[str(name) for name in flat(table[role]).dictionary.to_pylist()] for role in _HEADER[:3]]
    places = np.stack([values_of(flat(table[role]).indices).astype(np.int64) for role in _HEADER[:3]], axis=1)
    runs, queries, measures = names
    values = values_of(table["score"])
    return _layout(path, runs, measures, queries, places[:, [0, 2, 1]], values, range(2, len(values) + 2))


def own_layout(data: bytes, path: str) -> Layout | None:
    """The scores of the JSON that ``scores`` writes; None for any other text, and for what `plain_layout` leaves.

    >>> text = b'{"results": [{"measure": "AP", "queries": ["301"], "runs": [{"run": "bm25", "scores": [0.25]}]}]}'
    >>> layout = own_layout(text, "scores.json")
    >>> layout.runs, layout.measures, layout.queries, layout.values.tolist()
    (['bm25'], ['AP'], ['301'], [0.25])
    """
    if not is_own(data):
        return None
    names: tuple[dict[Any, int], ...] = ({}, {}, {})  # of runs, measures and queries
    places, values = [], []
    try:
        for result in json.loads(data, object_pairs_hook=_once)["results"]:
            scores = [row["scores"] for row in result["runs"]]
            if any(not set(map(type, row)) <= {float, int} for row in scores):
                return None
            held = np.array(scores, dtype=np.float64)
            if held.ndim != 2 or held.shape[1] != len(result["queries"]):
                return None
            own = ([row["run"] for row in result["runs"]], [result["measure"]], result["queries"])
            at = np.meshgrid(*map(_numbers, own, names), indexing="ij")
            places.append(np.stack([each.ravel() for each in at], axis=1))
            values.append(held.ravel())
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None
    if not sum(map(len, values)):
        return None
    found, whole = np.concatenate(values), np.concatenate(places)
    runs, measures, queries = map(list, names)
    return _layout(path, runs, measures, queries, whole, found, [None] * len(found))


def is_own(data: bytes) -> bool:
    """Whether a JSON text starts as that of ``scores`` does.

    >>> is_own(b'{"version": "1.0", "results": []}'), is_own(b'{"301": {"map": 0.25}}')
    (True, False)
    """
    return _OWN.match(data) is not None


def _layout(
    path: str,
    runs: Sequence[str],
    measures: Sequence[str | None],
    queries: Sequence[str],
    places: IntArray,
    values: FloatArray,
    lines: Sequence[int | None],
) -> Layout | None:
    """The layout of these names and values, None for what needs a second look.

    ``places``, (n_values, 3), indexes runs, measures and queries; ``values`` and ``lines`` have the shape (n_values,).
    """
    if not all(isinstance(name, str) and _is_plain(name) for name in [*runs, *queries, *measures] if name is not None):
        return None
    if None in runs or None in queries:
        return None
    spelled = [None if name is None else canonical(name) for name in measures]
    known = dict.fromkeys(spelled)
    order = {name: place for place, name in enumerate(known)}
    places[:, 1] = np.array([order[name] for name in spelled])[places[:, 1]]
    if not np.isfinite(values).all() or _repeats(places, (len(runs), len(known), len(queries))):
        return None
    none = np.broadcast_to(np.int64(0), len(values))  # no value is a summary, whose decimals would matter
    return Layout(path, list(runs), list(known), list(queries), places, values, lines, none)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object that has no key twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _numbers(names: Iterable[Any], known: dict[Any, int]) -> IntArray:
    """The numbers of names by their first appearance."""
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def _table(data: bytes, delimiter: str) -> pa.Table | None:
    csv = pyarrow.csv
    words = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(block_size=_BLOCK, use_threads=False),
            parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types={**dict.fromkeys(_HEADER[:3], words), "score": pa.float64()}, null_values=[]
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table.unify_dictionaries()


def _is_plain(name: str) -> bool:
    return name == name.strip() and 0 < len(name) < LONGEST and name not in SUMMARIES and summary(name) is None


def _repeats(places: IntArray, shape: tuple[int, ...]) -> bool:
    """Whether one of the ``places``, (n_values, 3), is there twice, or most places of this shape have no value."""
    if math.prod(shape) > _MOST_EMPTY * len(places):
        return True
    return bool((np.bincount(np.ravel_multi_index(tuple(places.T), shape)) > 1).any())
