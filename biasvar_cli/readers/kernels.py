"""The functions of Arrow that the readers of runs and qrels call.

Importing them from `pyarrow.compute` would take a twelfth of the time of a small `biasvar decompose`: its import writes
the documentation of three hundred functions. The module of Arrow that runs them is loaded in any case.
"""

from __future__ import annotations

import pyarrow as pa

try:
    from pyarrow._compute import CastOptions, RankOptions, RunEndEncodeOptions, TakeOptions, call_function
except ImportError:  # another release of Arrow may have moved them
    from pyarrow.compute import CastOptions, RankOptions, RunEndEncodeOptions, TakeOptions, call_function


def integers(words: pa.Array) -> pa.Array:
    """Text as integers. Raises `pyarrow.ArrowInvalid` for text that is no integer.

    >>> integers(pa.array([b"10", b"2"])).to_pylist()
    [10, 2]
    """
    return _cast(_cast(words, pa.string()), pa.int64())


def unique(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The distinct values of a column, in the order of their first occurrence.

    >>> unique(pa.chunked_array([["1", "0"], ["1"]])).to_pylist()
    ['1', '0']
    """
    return call_function("unique", [column])


def dictionary_encode(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The distinct values of a column, and for each entry the index of its value.

    >>> encoded = dictionary_encode(pa.array(["b", "a", "b"]))
    >>> encoded.dictionary.to_pylist(), encoded.indices.to_pylist()
    (['b', 'a'], [0, 1, 0])
    """
    return call_function("dictionary_encode", [column])


def take(column: pa.Array, positions: pa.Array) -> pa.Array:
    """The entries of a column at some positions.

    >>> take(pa.array(["a", "b"]), pa.array([1, 0])).to_pylist()
    ['b', 'a']
    """
    return call_function("take", [column, positions], TakeOptions())


def less(one: pa.Array, other: pa.Array) -> pa.Array:
    """1 where the value of ``one`` is less than the value of ``other`` at the same position, and 0 elsewhere.

    >>> less(pa.array(["a", "b"]), pa.array(["b", "a"])).to_pylist()
    [1, 0]
    """
    return _cast(call_function("less", [one, other]), pa.int32())


def equal(one: pa.Array, other: pa.Array) -> pa.Array:
    """1 where the two columns have the same value at the same position, and 0 elsewhere.

    >>> equal(pa.array(["a", "b"]), pa.array(["b", "b"])).to_pylist()
    [0, 1]
    """
    return _cast(call_function("equal", [one, other]), pa.int32())


def descending_ranks(values: pa.Array) -> pa.Array:
    """The rank of each value in descending order, from 1; equal values keep their order.

    >>> descending_ranks(pa.array(["a", "c", "b"])).to_pylist()
    [3, 1, 2]
    """
    return call_function("rank", [values], RankOptions(sort_keys="descending", tiebreaker="first"))


def run_ends(values: pa.Array) -> pa.Array:
    """Where each run of equal values ends.

    >>> run_ends(pa.array(["8", "9", "9"])).to_pylist()
    [1, 3]
    """
    return call_function("run_end_encode", [values], RunEndEncodeOptions(run_end_type=pa.int64())).run_ends


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    return call_function("cast", [column], CastOptions.safe(kind))
