"""Queries of Terrier, lines ``qid query``: terms with weights, and its matching operators.

Source: Terrier's documentation of its matching operators (#combine multiplies the weights within, and divides by
nothing), which are written as Indri's, and PyTerrier's of the formats of queries.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from collections.abc import Iterator

from biasvar_cli.readers.query_models.indri import QueryText, Token, Weights, number_of
from biasvar_cli.readers.query_models.rows import ModelRows, Opened, collected_queries
from biasvar_cli.readers.text import quoted

_LOOKED_AT = 10_000  # lines, for a query with weights: the first ones of a file may have none
_WEIGHTED = re.compile(r"\S+\s+(?:.*\s)?(?:applypipeline:\w+|#\w+[^\s(]*\(|[^\s()]+\^[\d.])")
_REQUIRED = re.compile(r"[+-]")
_OF_FIELD = re.compile(r"[^:^]+:.")
_INDEX = re.compile(r"[0-9]{1,9}")


def recognise(file: Opened) -> bool:
    """Whether one of the first lines of a file is a query with weights."""
    return any(_WEIGHTED.match(line.strip()) for line in itertools.islice(file.text.split("\n"), _LOOKED_AT))


def read(text: str, path: str) -> ModelRows:
    """The terms of queries, one a line, the id first; blank lines and ``#`` lines are skipped.

    Raises `DataError`, with the line, for a query given twice or empty, and for what `terrier_weights` refuses.

    >>> rows = read("301 applypipeline:off dog^0.6 cat^0.4\\n", "bo1.txt")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['dog', 'cat'], [0.6, 0.4])
    """

    def lines() -> Iterator[tuple[int, str, str]]:
        for number, line in enumerate(text.split("\n"), 1):
            query, _, rest = line.strip().replace("\t", " ").partition(" ")
            if query and not query.startswith("#"):
                yield number, query, rest

    return collected_queries(lines(), terrier_weights, path)


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
    terms: Weights = {}
    index = 0
    while True:
        token = tokens.next()
        if token is None or token.kind == "close":
            tokens.require_closed(token, outermost=outermost)
            beyond = [at for at in weights if at >= index]
            if beyond:
                raise tokens.wrong(f"#combine has a weight for place {beyond[0]}, but {index} places, counted from 0")
            return terms
        if token.kind == "word" and token.text.startswith("applypipeline:"):
            continue
        inner = _terrier_word(token.text, tokens) if token.kind == "word" else _terrier_operator(token, tokens)
        for term, weight in inner.items():
            terms[term] = terms.get(term, 0.0) + weights.get(index, 1.0) * weight
        index += 1


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
        raise tokens.wrong(f"#base64: {quoted(word.text)} stands for no text") from None


def _indexed(token: Token, tokens: QueryText) -> dict[int, float]:
    """The weights ``:0=2:1=1`` of an operator by place; what else is set there, a tag or a weighting model, is none."""
    by_index: dict[int, float] = {}
    for part in token.parts.split(":")[1:]:
        index, _, text = part.partition("=")
        if not _INDEX.fullmatch(index):
            continue
        if int(index) in by_index:
            raise tokens.wrong(f"#{token.text} has two weights for place {int(index)}; keep one")
        by_index[int(index)] = number_of(Token("word", text), tokens)
    return by_index


def _terrier_word(text: str, tokens: QueryText) -> Weights:
    term, mark, weight = text.rpartition("^")
    if _REQUIRED.match(text):
        raise tokens.wrong(f"{quoted(text)} is a condition and no weighted term; write the query without it")
    if _OF_FIELD.match(text):
        raise tokens.wrong(f"{quoted(text)} is a term of one field or a control, no weighted term; write it without")
    if not mark:
        return {text: 1.0}
    if not term:
        raise tokens.wrong(f"{quoted(text)} has no term before its weight")
    if "^" in term:
        raise tokens.wrong(f"{quoted(text)} has two weights; keep one")
    return {term: number_of(Token("word", weight), tokens)}
