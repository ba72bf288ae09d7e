"""The query languages of Indri and Terrier: what Indri prints of its queries, and lines ``qid query`` of Terrier.

``IndriRunQuery -printQuery=true`` prints ``# query:`` and ``# expanded:`` lines above the results.

Sources: Indri's query language, and its QueryExpander, which writes expanded queries in it (#weight divides its weights
by their sum, #combine has equal ones); Terrier's documentation of its matching operators (#combine multiplies the
weights within, and divides by nothing), which are written as Indri's, and PyTerrier's of the formats of queries.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

from biasvar_cli.errors import DataError, warn
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, Opened, collected, collected_queries
from biasvar_cli.readers.text import NUMBER, quoted
from biasvar_cli.words import counted

Weights = dict[str, float]  # of terms

_QUERY, _EXPANDED = "# query:", "# expanded:"
_OF_FIELD = re.compile(r"\w+\.[^\W\d].*")  # title in a.title
_TOKEN = re.compile(
    r'\s*(?:#(?P<operator>\w*)(?P<parts>(?::[^:()\s]+)*)\s*(?P<open>\()|(?P<close>\))|"(?P<quoted>[^"]*)"'
    r"|(?P<word>[^\s()\"]+))"
)


class Token(NamedTuple):
    """A word, an operator with what it opens, or a closing bracket; ``parts`` of a word in quotes are the quotes."""

    kind: str  # word, operator, close
    text: str
    parts: str = ""


class QueryText:
    """The tokens of a query, one after the other, and the place to name in an error."""

    def __init__(self, text: str, path: str, line: int) -> None:
        self._path, self._line, self._at = path, line, 0
        self._tokens = list(self._split(text))

    def _split(self, text: str) -> list[Token]:
        tokens, at = [], 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.wrong(f"cannot read the query from {quoted(text[at : at + 40])} on")
            at = match.end()
            if match["open"]:
                tokens.append(Token("operator", match["operator"], match["parts"]))
            elif match["close"]:
                tokens.append(Token("close", ")"))
            else:
                phrase = match["quoted"]
                if phrase is not None and len(phrase.split()) != 1:
                    raise self.wrong(f"the phrase {quoted(phrase)} is no weighted term")
                tokens.append(Token("word", match["word"]) if phrase is None else Token("word", phrase.strip(), '"'))
        return tokens

    def wrong(self, what: str) -> DataError:
        """The error of this query."""
        return DataError(what, path=self._path, line=self._line)

    def next(self) -> Token | None:
        """The next token, None at the end."""
        self._at += 1
        return self._tokens[self._at - 1] if self._at <= len(self._tokens) else None

    def require_closed(self, end: Token | None, *, outermost: bool) -> None:
        """Raise `DataError` where a query ends within brackets, or a bracket closes none."""
        if (end is None) != outermost:
            raise self.wrong("a bracket is not closed" if end is None else "a bracket is closed twice")

    def no_operator(self, token: Token) -> DataError:
        """The error of an operator that is no weighting of terms."""
        what = f"#{token.text} is no weighting of terms"
        return self.wrong(f"{what}; write the query without it")


def number_of(token: Token, tokens: QueryText) -> float:
    """A weight. Raises `DataError` for one that is negative or no finite number."""
    if token.kind == "word" and NUMBER.fullmatch(token.text) and float(token.text) < float("inf"):
        value = float(token.text)
        if value < 0:
            raise tokens.wrong(f"the weight {token.text} is negative; weights are probabilities")
        return value
    words = token.text if token.kind == "word" else f"#{token.text}(" if token.kind == "operator" else ")"
    raise tokens.wrong(f"expected a weight, found {quoted(words)}")


class _Printed(NamedTuple):
    """A printed query: the number of its line, and what it says."""

    line: int
    text: str


def recognise_indri(file: Opened) -> bool:
    """Whether a line of a file begins as Indri prints queries; elsewhere such lines are comments."""
    return any(file.text.startswith(mark) or f"\n{mark}" in file.text for mark in (_QUERY, _EXPANDED))


def read_indri(text: str, path: str) -> ModelRows:
    """The terms of every printed query, the expanded one where there is one; its id is that of the results below it.

    Queries without a result have no id and are left out with a warning. Raises `DataError` where none has one, for a
    query that is printed twice, and for what `indri_weights` refuses.

    >>> printed = "# query: radio\\n# expanded: #weight( 0.75 \\"radio\\" 0.25 \\"wave\\" )\\n301 Q0 D1 1 -4.2 indri\\n"
    >>> rows = read_indri(printed, "rm.log")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['radio', 'wave'], [0.75, 0.25])
    """
    return collected(_indri_entries(text, path), path)


def _indri_entries(text: str, path: str) -> Iterator[Entry]:
    first: dict[str, int] = {}
    for query, printed in _printed(text, path):
        if query in first:
            twice = f"query {quoted(query)} is printed twice, first in line {first[query]}; keep one"
            raise DataError(twice, path=path, line=printed.line)
        first[query] = printed.line
        for term, share in indri_weights(printed.text, path, printed.line).items():
            yield Entry(printed.line, query, term, share)


def _printed(text: str, path: str) -> Iterator[tuple[str, _Printed]]:
    """Every printed query with its id."""
    waiting: _Printed | None = None
    n_read = n_lost = 0
    for number, line in enumerate(text.split("\n"), 1):
        start = next((mark for mark in (_QUERY, _EXPANDED) if line.startswith(mark)), None)
        if start is not None:
            n_lost += start == _QUERY and waiting is not None
            waiting = _Printed(number, line[len(start) :].strip())
            continue
        words = line.split()  # of a result: query, Q0, document, rank, score, run
        is_result = len(words) >= 6 and words[1] == "Q0" and words[3].isdecimal() and NUMBER.fullmatch(words[4])
        if waiting is not None and is_result:
            yield words[0], waiting
            waiting, n_read = None, n_read + 1
    n_lost += waiting is not None
    remedy = "print results in TREC format (-trecFormat=true -count=1)"
    if not n_read:
        raise DataError(f"no result line follows a printed query, so it has no id; {remedy}", path=path)
    if n_lost:
        lost = f"{counted(n_lost, 'printed query')} without a result line and so without an id left out"
        warn(f"{path}: {lost}; {remedy}")


def indri_weights(text: str, path: str, line: int) -> Weights:
    """The share of each term in an Indri query of #weight, #combine and terms; the shares sum to 1.

    Raises `DataError`, with the line, for any other operator and what is no query.

    >>> indri_weights('#weight( 0.5 #combine( radio wave ) 0.5 #weight( 0.02 "radio" 0.06 "iron" ) )', "rm.log", 1)
    {'radio': 0.375, 'wave': 0.25, 'iron': 0.375}
    >>> indri_weights("#1(radio wave)", "rm.log", 1)
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: rm.log:1: #1 is no weighting of terms; write the query without it
    """
    tokens = QueryText(text, path, line)
    return _indri_node(tokens, weighted=False, outermost=True)


def _indri_node(tokens: QueryText, *, weighted: bool, outermost: bool) -> Weights:
    """The shares of what stands within one operator, or of the whole query."""
    children: list[tuple[float, Weights]] = []
    while True:
        token = tokens.next()
        if token is None or token.kind == "close":
            tokens.require_closed(token, outermost=outermost)
            return _shares(children)
        weight = 1.0
        if weighted:
            weight = number_of(token, tokens)
            token = tokens.next()
        if token is None or token.kind == "close":
            raise tokens.wrong("a weight has no term behind it")
        children.append((weight, _indri_child(token, tokens)))


def _indri_child(token: Token, tokens: QueryText) -> Weights:
    if token.kind == "word":
        if not token.parts and _OF_FIELD.fullmatch(token.text):
            raise tokens.wrong(f"{quoted(token.text)} is a term of one field; write the term alone")
        return {token.text: 1.0}
    if token.text not in ("weight", "combine") or token.parts:
        raise tokens.no_operator(token)
    return _indri_node(tokens, weighted=token.text == "weight", outermost=False)


def _shares(children: list[tuple[float, Weights]]) -> Weights:
    """The sum of the parts of an operator, each with its share of the weights; parts without a term have none."""
    parts = [(weight, terms) for weight, terms in children if weight > 0 and terms]
    total = sum(weight for weight, _ in parts)
    shares: Weights = {}
    for weight, terms in parts:
        for term, share in terms.items():
            shares[term] = shares.get(term, 0.0) + weight / total * share
    return shares


_LOOKED_AT = 10_000  # lines, for a query with weights: the first ones of a file may have none
_WEIGHTED = re.compile(r"\S+\s+(?:.*\s)?(?:applypipeline:\w+|#\w+[^\s(]*\(|[^\s()]+\^[\d.])")
_REQUIRED = re.compile(r"[+-]")
_FIELD_OR_CONTROL = re.compile(r"[^:^]+:.")
_INDEX = re.compile(r"[0-9]{1,9}")


def recognise_terrier(file: Opened) -> bool:
    """Whether one of the first lines of a file is a query with weights."""
    return any(_WEIGHTED.match(line.strip()) for line in itertools.islice(file.text.split("\n"), _LOOKED_AT))


def read_terrier(text: str, path: str) -> ModelRows:
    """The terms of queries, one a line, the id first; blank lines and ``#`` lines are skipped.

    Raises `DataError`, with the line, for a query given twice or empty, and for what `terrier_weights` refuses.

    >>> rows = read_terrier("301 applypipeline:off dog^0.6 cat^0.4\\n", "bo1.txt")
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
    if _FIELD_OR_CONTROL.match(text):
        raise tokens.wrong(f"{quoted(text)} is a term of one field or a control, no weighted term; write it without")
    if not mark:
        return {text: 1.0}
    if not term:
        raise tokens.wrong(f"{quoted(text)} has no term before its weight")
    if "^" in term:
        raise tokens.wrong(f"{quoted(text)} has two weights; keep one")
    return {term: number_of(Token("word", weight), tokens)}
