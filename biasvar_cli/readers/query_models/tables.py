"""Query models as tables and JSON, and the background of smoothing.

A line of a query model is ``query<TAB>term<TAB>weight``, a line of the background ``term<TAB>count``; blank lines and
``#`` lines are skipped. PyTerrier's csv and tsv have the columns qid and query, or query_toks, a dict of terms and
weights. JSON has ``{"qid": ..., "model": {"term": weight}}`` in each line, or one array of such objects; ``query_toks``
may take the place of ``model``, and without both, ``query`` is read as Terrier reads it.
"""

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.languages import terrier_weights
from biasvar_cli.readers.query_models.rows import IDS, Entry, ModelRows, Opened, checked, collected, collected_queries
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.readers.text import NUMBER, array_elements, finite_number, of_length, plain_text, quoted, table_rows

_TAB, _LINE_FEED = 9, 10
_HEADER = ("qid", "query", "query_id", "topic", "topic_id")


def recognise_terms(file: Opened) -> bool:
    """Whether the first line of a file has three columns."""
    return file.first.count("\t") == 2


def read_terms(text: str, path: str) -> ModelRows:
    """The rows of a table of terms and weights, with a header or without.

    Raises `DataError`, with the line, for a line of another number of columns, and a blank query or term; for the other
    errors see `collected`.

    >>> rows = read_terms("# RM1\\n1\\tmicrowav\\t0.06\\n1\\tliquid\\t0.05\\n", "rm.tsv")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['1', '1'], ['microwav', 'liquid'], [0.06, 0.05])
    >>> read_terms("1\\tliquid\\n", "rm.tsv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: rm.tsv:1: expected query, term and weight separated by tabs, found 2: 1, liquid
    """
    plain = _plain_columns(text)
    if plain is not None:
        return checked(ModelRows(path, *plain))

    def entries() -> Iterator[Entry]:
        for number, (query, term, weight) in _rows(text, path, ("query", "term", "weight"), _HEADER):
            if not query or not term:
                raise DataError(f"the {'query' if not query else 'term'} is blank", path=path, line=number)
            yield number, query, term, weight

    return collected(entries(), path)


def _plain_columns(text: str) -> tuple[list[str], list[str], FloatArray] | None:
    """The three columns of a table if every line has three cells and no cell is unusual, else None.

    This is three times as fast as reading line by line, with the same result: numpy parses numbers as Python does.
    """
    body = text if text.endswith("\n") else text + "\n"
    codes = np.frombuffer(body.encode(), dtype=np.uint8)
    marks = codes[(codes == _TAB) | (codes == _LINE_FEED)]
    if len(marks) % 3 or not (marks.reshape(-1, 3) == (_TAB, _TAB, _LINE_FEED)).all():
        return None
    cells = body.replace("\n", "\t").split("\t")[:-1]
    queries, terms, texts = cells[0::3], cells[1::3], cells[2::3]
    if not all(map(NUMBER.fullmatch, texts)) or not _are_words(set(queries)) or not _are_words(set(terms)):
        return None
    weights = np.array(texts, dtype=np.float64)
    return (queries, terms, weights) if (weights >= 0).all() and np.isfinite(weights).all() else None


def _are_words(cells: set[str]) -> bool:
    """Whether all cells are stripped words, and do not start a comment."""
    return all(cell and cell == cell.strip() and not cell.startswith("#") for cell in cells)


def read_background(path: str, *, max_size: int | None = None) -> dict[str, float]:
    """The counts or probabilities of terms, in the order of the file; for errors see `parse_background`."""
    return parse_background(read_bytes(path, max_size=max_size), path)


def parse_background(data: bytes, path: str) -> dict[str, float]:
    """The positive counts or probabilities of terms in the background of smoothing, ``term<TAB>count``.

    Blank lines, ``#`` lines, a header and counts of 0 are skipped. Raises `DataError`, with the line, for a line of
    another number of columns, a term given twice, and a count that is negative or not a finite number; and for a file
    without positive counts.

    >>> parse_background(b"frequenc\\t3054\\nus\\t2978\\n", "background.tsv")
    {'frequenc': 3054.0, 'us': 2978.0}
    >>> parse_background(b"us\\t3\\nus\\t4\\n", "background.tsv")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: background.tsv:2: term us is given twice; add its counts up in one line
    """
    counts: dict[str, float] = {}
    text = plain_text(data, path)
    for number, (term, word) in _rows(text, path, ("term", "count"), ("term", "token", "word")):
        count = finite_number(word, f"the count of {quoted(term)}", path, number, remedy="give every term a count")
        if count < 0:
            raise DataError(f"the count of {quoted(term)} is negative: {quoted(word)}", path=path, line=number)
        if term in counts:
            raise DataError(
                f"term {quoted(term)} is given twice; add its counts up in one line", path=path, line=number
            )
        counts[term] = count
    positive = {term: count for term, count in counts.items() if count > 0}
    if not positive:
        raise DataError("the background has no term with a positive count", path=path)
    return positive


def _rows(text: str, path: str, columns: Sequence[str], header: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The rows with their line numbers, without a first row that has a name of the ``header`` and no number.

    Raises `DataError` for a row without these ``columns``.
    """
    first = True
    for number, line in enumerate(text.split("\n"), 1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not any(cells) or line.startswith("#"):
            continue
        if len(cells) != len(columns) or (len(columns) == 2 and not cells[0]):
            tabs, count = ("tabs", f"{len(cells)}: ") if len(columns) > 2 else ("a tab", "")
            expected = f"{', '.join(columns[:-1])} and {columns[-1]} separated by {tabs}"
            raise DataError(f"expected {expected}, found {count}{quoted(', '.join(cells))}", path=path, line=number)
        if not (first and cells[0].lower() in header and not NUMBER.fullmatch(cells[-1])):
            yield number, cells
        first = False


def recognise_queries(file: Opened) -> bool:
    """Whether the first line of a file is the header of a table of queries."""
    cells = {cell.strip().strip('"') for cell in re.split(r"[,;\t]", file.first)}
    return not cells.isdisjoint(IDS) and not cells.isdisjoint(("query", "query_toks"))


def read_queries(text: str, path: str) -> ModelRows:
    """The terms of the queries in a csv or tsv of PyTerrier: ``query_toks``, or else ``query``.

    Raises `DataError`, with the line, for a content that cannot be read.

    >>> rows = read_queries("qid,query,query_toks\\n1,dog,\\"{'dog': 2.0, 'cat': 1}\\"\\n", "rm3.csv")
    >>> rows.terms, rows.weights.tolist()
    (['dog', 'cat'], [2.0, 1.0])
    """
    rows = table_rows(text, path)
    first, header = next(rows, (1, []))
    id_column = next((header.index(name) for name in IDS if name in header), None)
    name = next((name for name in ("query_toks", "query") if name in header), None)
    if id_column is None or name is None:
        expected = f"expected the columns qid and query or query_toks, found {quoted(', '.join(header))}"
        raise DataError(expected, path=path, line=first)
    column = header.index(name)
    queries = ((line, row[id_column], row[column]) for line, row in of_length(rows, len(header), path, hint=True))
    return collected_queries(queries, _tokens if name == "query_toks" else terrier_weights, path)


def _tokens(cell: str, path: str, line: int) -> Mapping[str, Any]:
    """The terms and weights in a dict of Python or an object of JSON.

    Raises `DataError` for anything else, and for a term given twice.
    """
    readers: list[Callable[[str], list[tuple[Any, Any]]]] = [_python_pairs]
    if cell.lstrip().startswith("{"):
        readers.insert(0, partial(json.loads, object_pairs_hook=list))
    for read in readers:
        try:
            pairs = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if all(isinstance(term, str) for term, _ in pairs):
            return _unique(pairs, path, line)
    raise DataError(f"query_toks: expected {{term: weight, ...}}, found {quoted(cell)}", path=path, line=line)


def _unique(pairs: Sequence[tuple[str, Any]], path: str, line: int | None) -> dict[str, Any]:
    """Pairs as a dict. Raises `DataError` for a key that is given twice."""
    by_key = dict(pairs)
    if len(by_key) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{quoted(repeated)} is given twice in one object; keep one", path=path, line=line)
    return by_key


def _python_pairs(cell: str) -> list[tuple[Any, Any]]:
    """The pairs of a dict of Python. Raises ValueError for another value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of backslashes, which terms may have
        value = ast.parse(cell.strip(), mode="eval").body
    if not isinstance(value, ast.Dict) or None in value.keys:
        raise ValueError("not a dict of terms and weights")
    keys = [ast.literal_eval(key) for key in value.keys if key is not None]
    return list(zip(keys, map(ast.literal_eval, value.values), strict=True))


def recognise_json(file: Opened) -> bool:
    """Whether the first line of a file starts an object, or an array of objects."""
    return file.first.lstrip().startswith(("{", "[{")) or file.first.strip() == "["


def read_json(text: str, path: str) -> ModelRows:
    """The terms of the queries in JSON lines, or in an array of objects.

    Raises `DataError`, with the line, for any other value, a key or a query given twice, and a weight that is not a
    number.

    >>> rows = read_json('{"qid": "301", "model": {"dog": 0.6, "cat": 0.4}}\\n', "rm.jsonl")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['dog', 'cat'], [0.6, 0.4])
    """

    def queries() -> Iterator[tuple[int, str, dict[str, Any]]]:
        if text.lstrip().startswith("["):
            for number, value in array_elements(text, path, lambda at, number: _value(text, at, path, number)):
                yield _query(value, path, number)
            return
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                value, end = _value(line, len(line) - len(line.lstrip()), path, number)
                if line[end:].strip():
                    raise DataError(f"not JSON: extra data in column {end + 1}", path=path, line=number)
                yield _query(value, path, number)

    return collected_queries(queries(), _terms, path)


def _value(text: str, at: int, path: str, line: int) -> tuple[Any, int]:
    """The value that starts at the position ``at``, in this line, and the position of its end."""
    decoder = json.JSONDecoder(object_pairs_hook=partial(_unique, path=path, line=line))
    try:
        return decoder.raw_decode(text, at)
    except json.JSONDecodeError as error:
        error_line = line + text.count("\n", at, error.pos)
        raise DataError(f"not JSON: {error.msg} in column {error.colno}", path=path, line=error_line) from None
    except ValueError:
        raise DataError("a number has too many digits to be read", path=path, line=line) from None
    except RecursionError:
        raise DataError("brackets are nested too deeply for weights of terms", path=path, line=line) from None


def _query(value: Any, path: str, line: int) -> tuple[int, str, dict[str, Any]]:
    """The line, the id of the query, and the object. Raises `DataError` for anything but an object with an id."""
    if not isinstance(value, dict):
        expected = 'expected {"qid": ..., "model": {term: weight}}'
        raise DataError(f"{expected}, found {quoted(json.dumps(value))}", path=path, line=line)
    name = next((name for name in IDS if name in value), None)
    if name is None or isinstance(value[name], dict | list | float | bool | None):
        content = quoted(", ".join(value)) if name is None else quoted(json.dumps(value[name]))
        raise DataError(f"expected qid, the id of the query, found {content}", path=path, line=line)
    return line, str(value[name]).strip(), value


def _terms(content: dict[str, Any], path: str, line: int) -> dict[str, Any]:
    """The terms and weights in the object of a query."""
    name = next((name for name in ("model", "query_toks") if name in content), None)
    if name is None:
        if isinstance(content.get("query"), str):
            return terrier_weights(content["query"], path, line)
        raise DataError(
            f"expected model, the weights of terms, found {quoted(', '.join(content))}", path=path, line=line
        )
    terms = content[name]
    if not isinstance(terms, dict):
        raise DataError(f"{name}: expected {{term: weight}}, found {quoted(json.dumps(terms))}", path=path, line=line)
    for term, weight in terms.items():
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            what = f"the weight of {quoted(term)} is not a number: {quoted(json.dumps(weight))}"
            raise DataError(what, path=path, line=line)
    return terms
