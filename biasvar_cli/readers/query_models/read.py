"""A file to a query model, whichever system wrote it: the format is recognised by the content."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Literal

from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.anserini import LOGGED, parse_anserini
from biasvar_cli.readers.query_models.indri import parse_indri
from biasvar_cli.readers.query_models.json_lines import parse_json_lines
from biasvar_cli.readers.query_models.rows import ModelRows
from biasvar_cli.readers.query_models.terrier import IDS, parse_query_table, parse_terrier
from biasvar_cli.readers.query_models.tsv import parse_tsv
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.readers.text import decoded, line_feeds, shown

ModelKind = Literal["tsv", "json", "indri", "anserini", "terrier", "table"]

_LOOKED_AT = 10_000  # lines, for a query with weights: the first ones of a file may have none
_PRINTED = ("# query:", "# expanded:")  # looked for first: an expression takes long over a large file
_INDRI = re.compile(r"^# (?:query|expanded):", re.MULTILINE)
_TERRIER = re.compile(r"\S+\s+(?:.*\s)?(?:applypipeline:\w+|#\w+[^\s(]*\(|[^\s()]+\^[\d.])")
_PARSERS: dict[ModelKind, Callable[[str, str], ModelRows]] = {
    "tsv": parse_tsv,
    "json": parse_json_lines,
    "indri": parse_indri,
    "anserini": parse_anserini,
    "terrier": parse_terrier,
    "table": parse_query_table,
}


class NoModel(DataError):
    """A file that is of no known format."""


def read_model(path: str, *, max_size: int | None = None) -> ModelRows:
    """The terms and weights in a file, a URL or standard input, compressed or not; for errors see `parse_model`."""
    return parse_model(read_bytes(path, max_size=max_size), path)


def parse_model(data: bytes, path: str) -> ModelRows:
    """The terms and weights in the content of a file. Raises `NoModel` for one of no known format, `DataError` for bad
    lines.

    >>> parse_model(b"301 dog^0.6 cat^0.4", "bo1.txt").terms
    ['dog', 'cat']
    """
    text = decoded(line_feeds(data), path)
    return _PARSERS[model_kind(text, path)](text, path)


def model_kind(text: str, path: str) -> ModelKind:
    """What a text is, by its first line that is not blank; logs, what Indri prints and queries by any line.

    >>> model_kind("q1\\tradio\\t0.5\\n", "rm.tsv"), model_kind('{"qid": "q1", "model": {"radio": 1}}', "rm.jsonl")
    ('tsv', 'json')
    >>> model_kind("301 Q0 D1 1 2.5 bm25\\n", "bm25")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    biasvar_cli.readers.query_models.read.NoModel: bm25:1: no query model: expected query, term and weight ...
    """
    if any(mark in text for mark in _PRINTED) and _INDRI.search(text):
        return "indri"
    number, first = next(
        (
            (number, line)
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip() and not line.startswith("#")
        ),
        (0, ""),
    )
    if not first:
        raise NoModel("the file is empty" if not text.strip() else "the file has nothing but comments", path=path)
    if first.lstrip().startswith(("{", "[{", "[\n")) or first.strip() == "[":
        return "json"
    if _is_query_table(first):
        return "table"
    if first.count("\t") == 2:
        return "tsv"
    if any(map(LOGGED.fullmatch, text.split("\n"))):
        return "anserini"
    if any(_TERRIER.match(line.strip()) for line in itertools.islice(text.split("\n"), _LOOKED_AT)):
        return "terrier"
    if "\t" in first:
        return "tsv"
    expected = "query, term and weight separated by tabs, JSON lines, or what Indri, Anserini or Terrier write"
    raise NoModel(f"no query model: expected {expected}, found {shown(first.strip())}", path=path, line=number)


def _is_query_table(first: str) -> bool:
    """Whether a line is the header of a table of queries."""
    cells = {cell.strip().strip('"') for cell in re.split(r"[,;\t]", first)}
    return not cells.isdisjoint(IDS) and not cells.isdisjoint(("query", "query_toks"))
