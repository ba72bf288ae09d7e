"""A file to a query model, whichever system wrote it: the format is recognised by the content."""

from __future__ import annotations

from biasvar_cli.readers.query_models.rows import ModelRows
from biasvar_cli.readers.query_models.tsv import parse_tsv
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.readers.text import decoded, line_feeds


def read_model(path: str, *, max_size: int | None = None) -> ModelRows:
    """The terms and weights in a file, a URL or standard input, compressed or not; for errors see `parse_model`."""
    return parse_model(read_bytes(path, max_size=max_size), path)


def parse_model(data: bytes, path: str) -> ModelRows:
    """The terms and weights in the content of a file."""
    return parse_tsv(decoded(line_feeds(data), path), path)
