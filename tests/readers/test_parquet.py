"""Parquet files are read as the csv of the same table is, and refused in the same words."""

from __future__ import annotations

import io
import json
import random

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples, result_or_error

from biasvar_cli.errors import DataError
from biasvar_cli.readers.unpacking import as_csv

MATRIX = pd.DataFrame({"topic": ["301", "302"], "bm25": [0.5, 1.0], "rm3": [0.25, 0.1 + 0.2]})
LONG = MATRIX.melt("topic", var_name="run", value_name="score").assign(measure="AP")
WIDE = pd.DataFrame({"run": ["bm25", "bm25"], "topic": [301, 302], "map": [0.5, 1.0], "note": ["a, b", 'say "c"']})
INDEXED = MATRIX.set_index("topic")


@pytest.mark.parametrize("table", [MATRIX, LONG, WIDE, INDEXED, INDEXED.rename_axis(None), INDEXED.rename_axis("AP")])
def test_a_table_has_the_scores_of_its_csv(biasvar, in_an_empty_folder, table):
    """Under a name that says nothing; an index of pandas has the ids."""
    index = "topic" not in table
    table.to_csv("table", index=index)
    of_csv = biasvar("scores", "table", "-f", "csv")
    table.to_parquet("table", index=index)
    assert of_csv.code == 0
    assert biasvar("scores", "table", "-f", "csv") == of_csv


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd"])
def test_numbers_survive_the_way_through_parquet(biasvar, in_an_empty_folder, compression):
    values = np.random.default_rng(41).random((5000, 2))  # more rows than are turned into text at once
    table = pd.DataFrame({"topic": range(5000), "bm25": values[:, 0], "rm3": values[:, 1]})
    table.to_parquet("ap", compression=compression)
    result = biasvar("scores", "ap", "-f", "json")
    assert result.code == 0, result.err
    back = pd.json_normalize(json.loads(result.out)["results"], ["runs"])
    assert back["scores"].tolist() == [values[:, 0].tolist(), values[:, 1].tolist()]


def test_what_scores_writes_is_decomposed_to_the_same_numbers(biasvar, in_an_empty_folder):
    LONG.to_csv("ap.csv", index=False)
    for suffix in ("csv", "parquet"):
        assert biasvar("scores", "ap.csv", "-o", f"again.{suffix}").code == 0
    by_csv, by_parquet = (biasvar("decompose", f"again.{suffix}", "-f", "csv") for suffix in ("csv", "parquet"))
    assert by_csv.code == 0
    assert by_parquet == by_csv


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (MATRIX.assign(rm3=[0.25, np.nan]), "x:3: column rm3 is empty; give every query a score; "),
        (MATRIX.assign(rm3=["0.25", "good"]), "x:3: column rm3: good is not a number"),
        (
            MATRIX.assign(rm3=[[0.25], [0.5]]),
            "x:1: column rm3 has no numbers, but text such as [0.25]; if bm25 is a measure",
        ),
        (MATRIX.iloc[:0], "x: the file has a header and no scores"),
        (LONG.assign(docno="d1"), "has the results of a run, or judgments; call the column of scores score"),
    ],
)
def test_a_wrong_cell_is_refused_by_its_line(biasvar, in_an_empty_folder, table, message):
    table.to_parquet("x", index=False)
    result = biasvar("scores", "x")
    assert (result.code, result.out) == (1, "")
    assert message in result.err.replace(" --exclude x leaves it out", "")


def test_a_file_that_is_cut_off_or_damaged_is_refused():
    out = io.BytesIO()
    MATRIX.to_parquet(out)
    data = out.getvalue()
    for end in (4, 8, len(data) // 2, len(data) - 1):
        with pytest.raises(DataError, match=r"^x: the Parquet file is cut off or damaged \(.*write it again"):
            as_csv(data[:end], "x")


def test_a_file_may_not_be_larger_than_it_may_be():
    out = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"topic": ["301"] * 100_000}), out)
    with pytest.raises(DataError, match="holds more than 1000 bytes; for more give max_size"):
        as_csv(out.getvalue(), "x", 1000)


@examples(50)
@given(st.integers(0, 2**32))
def test_damaged_bytes_are_a_table_or_an_error(seed):
    out = io.BytesIO()
    MATRIX.to_parquet(out)
    data, pick = bytearray(out.getvalue()), random.Random(seed)  # noqa: S311
    for _ in range(3):
        data[pick.randrange(len(data))] = pick.randrange(256)
    result_or_error(lambda: as_csv(bytes(data), "the-file"))


ODD = [
    b'{"index_columns": 5}',
    b'{"index_columns": null}',
    b'{"index_columns": {"a": 1}}',
    b'"x"',
    b"5",
    b"[1]",
    b"null",
]


@pytest.mark.parametrize("metadata", [*ODD, b"{", b"\xff", b"[" * 100_000, b""])
def test_metadata_that_pandas_does_not_write_are_an_error(refused, in_an_empty_folder, metadata):
    table = pa.Table.from_pandas(MATRIX).replace_schema_metadata({b"pandas": metadata})
    pyarrow.parquet.write_table(table, "ap.parquet")
    message = "it is nested too deeply" if len(metadata) > 100 else "the Parquet file is cut off or damaged ("
    refused(1, f"biasvar: error: ap.parquet: {message}", "decompose", "ap.parquet")


@pytest.mark.parametrize(
    "metadata", [b"{}", b'{"index_columns": []}', b'{"index_columns": [["a"], 5, {"kind": "range"}]}']
)
def test_metadata_without_an_index_are_read(biasvar, in_an_empty_folder, metadata):
    table = pa.Table.from_pandas(MATRIX)
    pyarrow.parquet.write_table(table, "ap.parquet")
    expected = biasvar("scores", "ap.parquet").out
    pyarrow.parquet.write_table(table.replace_schema_metadata({b"pandas": metadata}), "ap.parquet")
    assert biasvar("scores", "ap.parquet").out == expected
