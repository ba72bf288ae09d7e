"""Tables for programs: csv, tsv, Parquet and JSON, at full precision."""

from __future__ import annotations

import csv as csv_module
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO, StringIO
from math import isnan
from typing import TYPE_CHECKING, Any

from biasvar_cli.words import VERSION

if TYPE_CHECKING:
    import pyarrow as pa

    from biasvar_cli.tables.layout import Layout
    from biasvar_cli.tables.table import Table


def csv(tables: Sequence[Table], _: Layout) -> str:
    """Comma-separated values at full precision, one header, undefined numbers empty.

    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.table import Table
    >>> csv([Table("One run", {"run": ["A"], "mean": [float("nan")]})], Layout())
    'run,mean\\nA,\\n'
    """
    return _separated(tables, ",")


def tsv(tables: Sequence[Table], _: Layout) -> str:
    """Tab-separated values at full precision.

    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.table import Table
    >>> tsv([Table("One run", {"run": ["A"], "mean": [0.25]})], Layout())
    'run\\tmean\\nA\\t0.25\\n'
    """
    return _separated(tables, "\t")


def parquet(tables: Sequence[Table], _: Layout) -> bytes:
    """Apache Parquet with the columns of csv, undefined numbers null; binary, for a file or a pipe.

    >>> import io
    >>> import pyarrow.parquet
    >>> from biasvar_cli.tables.layout import Layout
    >>> from biasvar_cli.tables.table import Table
    >>> data = parquet([Table("Two runs", {"run": ["A", "B"], "mean": [0.25, float("nan")]})], Layout())
    >>> pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()
    [{'run': 'A', 'mean': 0.25}, {'run': 'B', 'mean': None}]
    """
    import pyarrow as pa
    from pyarrow import parquet as pq

    columns = {name: [cell for table in tables for cell in table.columns[name]] for name in tables[0].columns}
    arrays = {name: _arrow(column, of_words=name in tables[0].keys) for name, column in columns.items()}
    out = BytesIO()
    pq.write_table(pa.table(arrays), out)
    return out.getvalue()


def _arrow(column: Sequence[Any], *, of_words: bool) -> pa.Array:
    """A column of one type: truth values, whole numbers, numbers or text. ``of_words``: without a value, it is text."""
    import pyarrow as pa

    cells = [" ".join(cell) if isinstance(cell, list) else None if cell != cell else cell for cell in column]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds == {int}:
        return pa.array(cells, pa.int64())
    if kinds <= {int, float} and not (of_words and not kinds):
        return pa.array(cells, pa.float64())
    return pa.array([None if cell is None else str(_cell(cell)) for cell in cells], pa.string())


def json_document(tables: Sequence[Table], layout: Layout) -> str:
    """JSON at full precision, undefined numbers null, with the version, the warnings and the notices."""
    return json.dumps(document(tables, layout), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def document(tables: Sequence[Table], layout: Layout) -> dict[str, Any]:
    """What JSON holds, undefined numbers as None: the results, the version, the warnings and the notices."""
    results = []
    for table in tables:
        names = [name for name in table.columns if name not in table.keys]
        rows = [dict(zip(names, row[len(table.keys) :], strict=True)) for row in table.rows()]
        result = {**table.document, table.rows_key: rows} if table.rows_key else dict(table.document)
        signed = table.signature and "signature" not in table.top
        results.append(result | ({"signature": table.signature} if signed else {}))
    messages = {"warnings": list(layout.warnings), "notices": list(layout.notices)}
    top = {key: value for table in tables for key, value in table.top.items()}
    whole: dict[str, Any] = _plain({"version": VERSION, **top, "results": results, **messages})
    return whole


def _separated(tables: Sequence[Table], separator: str) -> str:
    def rows() -> Iterator[Iterable[Any]]:
        yield tables[0].columns
        for table in tables:
            yield from (map(_cell, row) for row in table.rows())

    return separated(rows, separator)


def separated(rows: Callable[[], Iterable[Iterable[Any]]], separator: str) -> str:
    r"""Rows as csv or tsv; a cell with a line feed or a carriage return is quoted, so that it can be read back.

    >>> separated(lambda: [["run", "mean"], ["a\rb", 0.25]], ",")
    'run,mean\n"a\rb",0.25\n'
    """
    out = StringIO()
    csv_module.writer(out, delimiter=separator, lineterminator="\n").writerows(rows())
    text = out.getvalue()
    return text if "\r" not in text else "".join(_line(row, separator) for row in rows())


def _line(row: Iterable[Any], separator: str) -> str:
    """One row; before Python 3.13 a carriage return is quoted only where it ends the lines."""
    out = StringIO()
    csv_module.writer(out, delimiter=separator, lineterminator="\r\n").writerow(row)
    return out.getvalue().removesuffix("\r\n") + "\n"


def _cell(value: Any) -> Any:
    """A value as csv and tsv hold it: undefined is empty, true is a word."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, list):
        return " ".join(value)
    return str(value).lower() if isinstance(value, bool) else value


def _plain(value: Any) -> Any:
    """The same document with undefined numbers as null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return None if isinstance(value, float) and isnan(value) else value
