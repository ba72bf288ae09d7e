"""Queries of Terrier and PyTerrier: lines ``qid query``, or a table with qid and query or query_toks.

Source: Terrier's documentation of its matching operators (#combine multiplies the weights within, and divides by
nothing), and PyTerrier's of the formats of queries.
"""

from __future__ import annotations

import ast
import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biasvar_cli.errors import DataError
from biasvar_cli.readers.query_models.operators import QueryText, Token, Weights, number_of
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, collected
from biasvar_cli.readers.text import shown, table_rows

_REQUIRED = re.compile(r"[+-]")
_OF_FIELD = re.compile(r"[^:^]+:.")
_PLACE = re.compile(r"[0-9]{1,9}")
IDS = ("qid", "query_id", "id", "topic")


def terrier_weights(text: str, path: str, line: int) -> Weights:
    """The weight of each term in a query of Terrier: ``term^weight``, #combine, #base64; without a weight it is 1.

    Raises `DataError`, with the line, for any other operator and what is no query.

    >>> terrier_weights("applypipeline:off dog^0.6 cat^0.2 dog", "bo1.tsv", 1)
    {'dog': 1.6, 'cat': 0.2}
    >>> terrier_weights("#combine:0=2:1=1(chemic reaction)", "bo1.tsv", 1)
    {'chemic': 2.0, 'reaction': 1.0}
    """
    tokens = QueryText(text, path, line)
    return _terrier_node(tokens, {}, outermost=True)


def _terrier_node(tokens: QueryText, weights: dict[int, float], *, outermost: bool) -> Weights:
    """The weights of what stands within one #combine, or of the whole query."""
    total: Weights = {}
    place = 0
    while True:
        token = tokens.next()
        if token is None or token.kind == "close":
            if (token is None) != outermost:
                raise tokens.wrong("a bracket is not closed" if token is None else "a bracket is closed twice")
            _require_places(weights, place, tokens)
            return total
        if token.kind == "word" and token.text.startswith("applypipeline:"):
            continue
        inner = _terrier_word(token.text, tokens) if token.kind == "word" else _terrier_operator(token, tokens)
        for term, weight in inner.items():
            total[term] = total.get(term, 0.0) + weights.get(place, 1.0) * weight
        place += 1


def _require_places(weights: dict[int, float], n_places: int, tokens: QueryText) -> None:
    """Raise `DataError` for a weight of a place where nothing stands."""
    beyond = [place for place in weights if place >= n_places]
    if beyond:
        raise tokens.wrong(f"#combine has a weight for place {beyond[0]}, but {n_places} places, counted from 0")


def _terrier_operator(token: Token, tokens: QueryText) -> Weights:
    if token.text == "combine":
        return _terrier_node(tokens, _indexed(token, tokens), outermost=False)
    if token.text != "base64":
        raise tokens.no_operator(token)
    word, end = tokens.next(), tokens.next()
    if word is None or word.kind != "word" or end is None or end.kind != "close":
        raise tokens.wrong("#base64 has one term in its brackets")
    try:
        return {base64.b64decode(word.text, validate=True).decode("utf-8"): 1.0}
    except (binascii.Error, UnicodeDecodeError):
        raise tokens.wrong(f"#base64: {shown(word.text)} stands for no text") from None


def _indexed(token: Token, tokens: QueryText) -> dict[int, float]:
    """The weights ``:0=2:1=1`` of an operator by place; what else is set there, a tag or a weighting model, is none."""
    by_place: dict[int, float] = {}
    for part in token.parts.split(":")[1:]:
        place, _, text = part.partition("=")
        if not _PLACE.fullmatch(place):
            continue
        if int(place) in by_place:
            raise tokens.wrong(f"#{token.text} has two weights for place {int(place)}; keep one")
        by_place[int(place)] = number_of(Token("word", text), tokens)
    return by_place


def _terrier_word(text: str, tokens: QueryText) -> Weights:
    term, mark, weight = text.rpartition("^")
    if _REQUIRED.match(text):
        raise tokens.wrong(f"{shown(text)} is a condition and no weighted term; write the query without it")
    if _OF_FIELD.match(text):
        raise tokens.wrong(f"{shown(text)} is a term of one field or a control, no weighted term; write it without")
    if not mark:
        return {text: 1.0}
    if not term:
        raise tokens.wrong(f"{shown(text)} has no term before its weight")
    if "^" in term:
        raise tokens.wrong(f"{shown(text)} has two weights; keep one")
    return {term: number_of(Token("word", weight), tokens)}


def parse_terrier(text: str, path: str) -> ModelRows:
    """The terms of queries, one a line, the id first; blank lines and ``#`` lines are skipped.

    Raises `DataError`, with the line, for a query given twice or empty, and for what `terrier_weights`
    refuses.

    >>> rows = parse_terrier("301 applypipeline:off dog^0.6 cat^0.4\\n", "bo1.txt")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['dog', 'cat'], [0.6, 0.4])
    """

    def lines() -> Iterator[tuple[int, str, str]]:
        for number, line in enumerate(text.split("\n"), 1):
            query, _, rest = line.strip().replace("\t", " ").partition(" ")
            if query and not query.startswith("#"):
                yield number, query, rest

    return collected(
        (
            entry
            for number, query, rest in once(lines(), path)
            for entry in weighted(number, query, terrier_weights(rest, path, number), path)
        ),
        path,
    )


def parse_query_table(text: str, path: str) -> ModelRows:
    """The terms of the queries in a csv or tsv of PyTerrier: ``query_toks``, or else ``query``.

    Raises `DataError`, with the line, for what cannot be read.

    >>> rows = parse_query_table("qid,query,query_toks\\n1,dog,\\"{'dog': 2.0, 'cat': 1}\\"\\n", "rm3.csv")
    >>> rows.terms, rows.weights.tolist()
    (['dog', 'cat'], [2.0, 1.0])
    """

    def entries() -> Iterator[Entry]:
        rows = table_rows(text, path)
        first, header = next(rows, (1, []))
        id_at = next((header.index(name) for name in IDS if name in header), None)
        has_tokens = "query_toks" in header
        if id_at is None or not (has_tokens or "query" in header):
            names = shown(", ".join(header))
            raise DataError(f"expected the columns qid and query or query_toks, found {names}", path=path, line=first)
        at = header.index("query_toks" if has_tokens else "query")

        def cells() -> Iterator[tuple[int, str, str]]:
            for line, row in rows:
                if len(row) != len(header):
                    mismatch = f"expected {len(header)} columns, as in the header, found {len(row)}"
                    raise DataError(f"{mismatch}; quote a cell that contains a separator", path=path, line=line)
                yield line, row[id_at], row[at]

        for line, query, cell in once(cells(), path):
            terms = tokens(cell, path, line) if has_tokens else terrier_weights(cell, path, line)
            yield from weighted(line, query, terms, path)

    return collected(entries(), path)


def tokens(cell: str, path: str, line: int) -> Mapping[str, Any]:
    """A dict of terms and weights as Python or JSON writes it. Raises `DataError` for anything else, and for a term
    given twice.
    """
    for read in (_json_pairs, _python_pairs):
        try:
            pairs = read(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if pairs is not None and all(isinstance(term, str) for term, _ in pairs):
            return each_once(pairs, path, line)
    raise DataError(f"query_toks: expected {{term: weight, ...}}, found {shown(cell)}", path=path, line=line)


def each_once(pairs: Sequence[tuple[str, Any]], path: str, line: int | None) -> dict[str, Any]:
    """The dict of some pairs. Raises `DataError` for a key that is given twice."""
    unique = dict(pairs)
    if len(unique) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{shown(twice)} is given twice in one object; keep one", path=path, line=line)
    return unique


def _json_pairs(cell: str) -> list[tuple[str, Any]] | None:
    """The pairs of a JSON object, None for another value."""
    value = json.loads(cell, object_pairs_hook=list)
    return value if cell.lstrip().startswith("{") else None


def _python_pairs(cell: str) -> list[tuple[Any, Any]] | None:
    """The pairs of a dict of Python, None for another value."""
    value = ast.parse(cell.strip(), mode="eval").body
    if not isinstance(value, ast.Dict) or None in value.keys:
        return None
    keys = [ast.literal_eval(key) for key in value.keys if key is not None]
    return list(zip(keys, map(ast.literal_eval, value.values), strict=True))


def once(rows: Iterator[tuple[int, str, str]], path: str) -> Iterator[tuple[int, str, str]]:
    """The lines of queries. Raises `DataError` for an id that is blank, or given twice."""
    first: dict[str, int] = {}
    for line, query, rest in rows:
        require_once(query, line, first, path)
        yield line, query, rest


def require_once(query: str, line: int, first: dict[str, int], path: str) -> None:
    """Keep the line of a query in ``first``. Raises `DataError` for an id that is blank, or there already."""
    if not query:
        raise DataError("the id of the query is blank", path=path, line=line)
    if query in first:
        twice = f"query {shown(query)} is given twice, first in line {first[query]}; keep one"
        raise DataError(twice, path=path, line=line)
    first[query] = line


def weighted(line: int, query: str, terms: Mapping[str, Any], path: str) -> Iterator[Entry]:
    """The entries of one query. Raises `DataError` for a term that is blank or has blanks around it or tabs within."""
    for term, weight in terms.items():
        if not term or term != term.strip() or "\t" in term or "\n" in term:
            raise DataError(
                f"query {shown(query)} has no term in {term!r}; no blanks around a term", path=path, line=line
            )
        yield Entry(line, query, term, weight)
