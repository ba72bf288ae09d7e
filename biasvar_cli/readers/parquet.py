"""Parquet files as csv: whatever reads a csv reads them, by the same rules.

The first line is the header, so that a message about row 1 says line 2.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.unpacking import MOST, too_large

MAGIC = b"PAR1"
_ROWS = 4096  # that are turned into csv at once
_NAMELESS = "__index_level_0__"  # what pandas calls an index without a name


def as_csv(data: bytes, path: str, max_size: int | None = None) -> bytes:
    """The csv of a Parquet file, an index of pandas first. A cell with a list or an object has its JSON.

    Raises `DataError` for a file that is cut off or damaged, for a type that csv has no text for, and for more than
    ``max_size`` bytes of csv (None: 2 GiB).

    >>> import pyarrow as pa, pyarrow.parquet
    >>> out = io.BytesIO()
    >>> pyarrow.parquet.write_table(pa.table({"topic": [301, 302], "bm25": [0.25, None]}), out)
    >>> as_csv(out.getvalue(), "ap.parquet").decode().splitlines()
    ['topic,bm25', '301,0.25', '302,']
    """
    import pyarrow as pa
    from pyarrow import parquet

    most = max_size or MOST
    try:
        file = parquet.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        schema = file.schema_arrow
        index = (schema.pandas_metadata or {}).get("index_columns", [])
        order = sorted(range(len(schema.names)), key=lambda column: schema.names[column] not in index)
        names = ["" if schema.names[column] == _NAMELESS else schema.names[column] for column in order]
        header = io.StringIO()
        csv.writer(header, lineterminator="\n").writerow(names)
        out = io.BytesIO(header.getvalue().encode())
        size = out.seek(0, io.SEEK_END)
        for batch in file.iter_batches(batch_size=_ROWS, use_threads=False):
            size += out.write(_rows([_plain(batch.column(column)) for column in order]))
            if size > most:
                raise too_large(path, most)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        what = str(error).split("\n")[0][:200]
        raise DataError(f"the Parquet file is cut off or damaged ({what}); write it again", path=path) from None
    return out.getvalue()


def _rows(columns: Sequence[Any]) -> bytes:
    """The lines of columns; text is quoted where one of them has to be."""
    import pyarrow as pa
    import pyarrow.csv

    table = pa.table(list(columns), names=list(map(str, range(len(columns)))))
    for quoting in ("none", "needed"):
        out = io.BytesIO()
        try:
            options = pyarrow.csv.WriteOptions(include_header=False, quoting_style=quoting)
            pyarrow.csv.write_csv(table, out, options)
        except pa.ArrowInvalid:
            if quoting == "needed":
                raise
        else:
            break
    return out.getvalue()


def _plain(column: Any) -> Any:
    """A column without types inside of it, which csv has no text for."""
    import pyarrow as pa

    if not pa.types.is_nested(column.type):
        return column
    return pa.array([None if cell is None else json.dumps(cell, default=str) for cell in column.to_pylist()])
