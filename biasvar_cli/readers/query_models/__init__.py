"""Query models from files of any system: the content shows the format."""

from collections.abc import Callable
from typing import NamedTuple

from biasvar_cli.errors import NotInput
from biasvar_cli.readers.query_models import languages, tables
from biasvar_cli.readers.query_models.rows import ModelRows, Opened
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.readers.text import plain_text, quoted


class ModelFormat(NamedTuple):
    """A format of query models: functions that recognise a file and read its terms and weights.

    ``in_comments``: all its lines may be comments in the other formats.
    """

    recognise: Callable[[Opened], bool]
    read: Callable[[str, str], ModelRows]
    in_comments: bool = False


_TERMS = ModelFormat(tables.recognise_terms, tables.read_terms)
FORMATS = (  # in the order of recognition
    ModelFormat(languages.recognise_indri, languages.read_indri, in_comments=True),
    ModelFormat(tables.recognise_json, tables.read_json),
    ModelFormat(tables.recognise_queries, tables.read_queries),
    _TERMS,
    ModelFormat(languages.recognise_anserini, languages.read_anserini),
    ModelFormat(languages.recognise_terrier, languages.read_terrier),
)


class NoModel(NotInput):
    """A file is in no known format of query models."""


def read_model(path: str, *, max_size: int | None = None) -> ModelRows:
    """The terms and weights in a file, a URL or standard input, compressed or not; for errors see `parse_model`."""
    return parse_model(read_bytes(path, max_size=max_size), path)


def parse_model(data: bytes, path: str) -> ModelRows:
    """The terms and weights in the content of a file.

    Raises `NoModel` for an unknown format, and `DataError` for a wrong line.

    >>> parse_model(b"301 dog^0.6 cat^0.4", "bo1.txt").terms
    ['dog', 'cat']
    """
    text = plain_text(data, path)
    return format_of(text, path).read(text, path)


def format_of(text: str, path: str) -> ModelFormat:
    """The format of a text. Most formats show in the first line; Indri's output, logs and queries may show later.

    >>> format_of("q1\\tradio\\t0.5\\n", "rm.tsv").read is tables.read_terms
    True
    >>> format_of("301 Q0 D1 1 2.5 bm25\\n", "bm25")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    biasvar_cli.readers.query_models.NoModel: bm25:1: no query model: expected query, term and weight ...
    """
    lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip() and line[0] != "#")
    number, first = next(lines, (0, ""))
    for form in FORMATS:
        if (first or form.in_comments) and form.recognise(Opened(text, first)):
            return form
    if not first:
        raise NoModel("the file is empty" if not text.strip() else "the file has nothing but comments", path=path)
    if "\t" in first:
        return _TERMS
    expected = "query, term and weight separated by tabs, JSON lines, or what Indri, Anserini or Terrier write"
    raise NoModel(f"no query model: expected {expected}, found {quoted(first.strip())}", path=path, line=number)
