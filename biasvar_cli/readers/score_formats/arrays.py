"""Plain csv, tsv and JSON read as arrays: millions of values in seconds.

A text in the usual shape may still have what only the tolerant rules of the other readers know, or what they refuse
with its line. It is left to them then: what is read here is read without a guess, to the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.layout import LONGEST, Layout
from biasvar_cli.readers.score_formats.summaries import summary
from biasvar_cli.readers.score_formats.summary_rows import SUMMARIES

_BLOCK = 1 << 20  # bytes that Arrow parses at once; a row has to fit into them
_MOST_EMPTY = 4  # entries of the array for each value: what has more is looked at by the other readers


def plain_header(data: bytes) -> list[str]:
    """The header of a csv or tsv, each name once, without quotes and white space to strip; empty for any other text.

    >>> plain_header(b"run,query_id,score\\nbm25,301,0.25\\n"), plain_header(b'"run",query_id,score\\n')
    (['run', 'query_id', 'score'], [])
    """
    line = data[: max(data.find(b"\n"), 0)]
    if not line or line.startswith(b"sep=") or any(odd in line for odd in (b";", b'"')):
        return []
    try:
        names = line.decode("utf-8").split(_delimiter(line))
    except UnicodeDecodeError:
        return []
    return names if all(name == name.strip() for name in names) and len(set(names)) == len(names) else []


def csv_columns(data: bytes, header: Sequence[str], words: Sequence[str], numbers: Sequence[str]) -> pa.Table | None:
    """The columns of a text with a `plain_header`, ``words`` as dictionaries.

    None where ``numbers`` are none, and for quotes, blank lines and a row of another length.
    """
    if any(odd in data for odd in (b'"', b"\r", b"\n\n")):
        return None
    csv = pyarrow.csv
    names = pa.dictionary(pa.int32(), pa.string())
    first = data.find(b"\n")
    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(
                column_names=header, skip_rows=1, block_size=max(_BLOCK, 100 * first), use_threads=False
            ),
            parse_options=csv.ParseOptions(delimiter=_delimiter(data[:first]), quote_char=False),
            convert_options=csv.ConvertOptions(
                column_types={
                    **dict.fromkeys(header, pa.string()),  # which has to be UTF-8, read or not
                    **dict.fromkeys(words, names),
                    **dict.fromkeys(numbers, pa.float64()),
                },
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    return table.unify_dictionaries() if len(table) else None


def plain_layout(
    path: str,
    names: Sequence[Sequence[Any]],
    places: IntArray,
    values: FloatArray,
    lines: Sequence[int | None],
    *,
    runs_named: bool = True,
) -> Layout | None:
    """The layout of these ``names`` of runs, measures and queries and of the values, None for what needs a second look.

    ``places``, (n_values, 3), indexes the names; ``values`` and ``lines`` have the shape (n_values,). A measure may be
    None. Without ``runs_named`` the file is the run, which may have any name.
    """
    runs, measures, queries = names
    given = [*(runs if runs_named else ()), *queries, *(name for name in measures if name is not None)]
    if not all(isinstance(name, str) and is_plain(name) for name in given):
        return None
    spelled = [None if name is None else canonical(name) for name in measures]
    known = {name: number for number, name in enumerate(dict.fromkeys(spelled))}
    if len(known) < len(measures):
        places[:, 1] = np.array([known[name] for name in spelled])[places[:, 1]]
    if not np.isfinite(values).all() or _repeats(places, (len(runs), len(known), len(queries))):
        return None
    none = np.broadcast_to(np.int64(0), len(values))  # no value is a summary, whose decimals would matter
    return Layout(path, list(runs), list(known), list(queries), places, values, lines, none)


def _delimiter(header: bytes) -> str:
    return "\t" if b"\t" in header else ","


def is_plain(name: str) -> bool:
    """Whether a name needs no stripping, is neither empty nor too long, and is not one of a summary.

    >>> is_plain("bm25"), is_plain("mean"), is_plain(" bm25")
    (True, False, False)
    """
    return name == name.strip() and 0 < len(name) < LONGEST and name not in SUMMARIES and summary(name) is None


def _repeats(places: IntArray, shape: tuple[int, ...]) -> bool:
    """Whether one of the ``places``, (n_values, 3), is there twice, or most places of this shape have no value."""
    if math.prod(shape) > _MOST_EMPTY * len(places):
        return True
    return bool((np.bincount(np.ravel_multi_index(tuple(places.T), shape)) > 1).any())
