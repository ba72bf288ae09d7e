"""The background of smoothing: how often every term is in the collection, ``term<TAB>count``, or its probability."""

from __future__ import annotations

from biasvar_cli.errors import DataError
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.readers.text import NUMBER, decoded, finite_number, line_feeds, shown


def read_background(path: str, *, max_size: int | None = None) -> dict[str, float]:
    """The counts or probabilities of terms, in the order of the file; for errors see `parse_background`."""
    return parse_background(read_bytes(path, max_size=max_size), path)


def parse_background(data: bytes, path: str) -> dict[str, float]:
    """The counts of terms, all positive; blank lines, ``#`` lines, a header and counts of 0 are skipped.

    Raises `DataError`, with the line, for a line of another number of columns, a term given twice, and a count that is
    negative or no finite number; and for a file without a term.

    >>> parse_background(b"frequenc\\t3054\\nus\\t2978\\n", "background.tsv")
    {'frequenc': 3054.0, 'us': 2978.0}
    >>> parse_background(b"us\\t3\\nus\\t4\\n", "background.tsv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: background.tsv:2: term us is given twice; add its counts up in one line
    """
    found: dict[str, float] = {}
    seen = False
    for number, line in enumerate(decoded(line_feeds(data), path).split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells) or line.startswith("#"):
            continue
        if len(cells) != 2 or not cells[0]:
            words = f"expected term and count separated by a tab, found {shown(', '.join(cells))}"
            raise DataError(words, path=path, line=number)
        term, text = cells
        if not seen and term.lower() in ("term", "token", "word") and not NUMBER.fullmatch(text):
            seen = True
            continue
        seen = True
        count = finite_number(text, f"the count of {shown(term)}", path, number, remedy="give every term a count")
        if count < 0:
            raise DataError(f"the count of {shown(term)} is negative: {shown(text)}", path=path, line=number)
        if term in found:
            raise DataError(f"term {shown(term)} is given twice; add its counts up in one line", path=path, line=number)
        found[term] = count
    counts = {term: count for term, count in found.items() if count > 0}
    if not counts:
        raise DataError("the background has no term with a positive count", path=path)
    return counts
