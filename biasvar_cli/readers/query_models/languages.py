"""The query languages of Indri, Terrier and Lucene: what Indri prints of its queries, lines ``qid query`` of Terrier,
and the log of Anserini's ``-rm3.outputQuery``.

``IndriRunQuery -printQuery=true`` prints ``# query:`` and ``# expanded:`` lines above the results.

Sources: Indri's query language, and its QueryExpander, which writes expanded queries in it (#weight divides its weights
by their sum, #combine has equal ones); Terrier's documentation of its matching operators (#combine multiplies the
weights within, and divides by nothing), which are written as Indri's, and PyTerrier's of the formats of queries;
Anserini's Rm3Reranker.java.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from biasvar_cli.errors import DataError, warn
from biasvar_cli.readers.query_models.rows import Entry, ModelRows, Opened, collected, collected_queries
from biasvar_cli.readers.text import DECIMAL, NUMBER, quoted
from biasvar_cli.words import counted, examples

Weights = dict[str, float]  # of terms

_QUERY, _EXPANDED = "# query:", "# expanded:"
_OF_FIELD = re.compile(r"\w+\.[^\W\d].*")  # title in a.title
_TOKEN = re.compile(
    r'\s*(?:#(?P<operator>\w*)(?P<parts>(?::[^:()\s]+)*)\s*(?P<open>\()|(?P<close>\))|"(?P<quoted>[^"]*)"'
    r"|(?P<word>[^\s()\"]+))"
)


class Node(NamedTuple):
    """A word of a query, or an operator and what its brackets hold; ``parts`` of a word in quotes are the quotes."""

    text: str
    parts: str = ""
    inner: list[Node] | None = None  # of an operator


Wrong = Callable[[str], DataError]  # the error of the query that is read


def parsed(text: str, wrong: Wrong) -> list[Node]:
    """The words and the operators of a query. Raises `DataError` for another sign, and for brackets that do not match.

    >>> [node.text for node in parsed('#combine(radio "wave") iron', DataError)]
    ['combine', 'iron']
    """
    nodes: list[Node] = []
    levels, at = [nodes], 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise wrong(f"cannot read the query from {quoted(text[at : at + 40])} on")
        at = match.end()
        phrase = match["quoted"]
        if match["open"]:
            inner: list[Node] = []
            levels[-1].append(Node(match["operator"], match["parts"], inner))
            levels.append(inner)
        elif match["close"]:
            levels.pop()
            if not levels:
                raise wrong("a bracket is closed twice")
        elif phrase is None:
            levels[-1].append(Node(match["word"]))
        elif len(phrase.split()) != 1:
            raise wrong(f"the phrase {quoted(phrase)} is no weighted term")
        else:
            levels[-1].append(Node(phrase.strip(), '"'))
    if len(levels) > 1:
        raise wrong("a bracket is not closed")
    return nodes


def number_of(node: Node, wrong: Wrong) -> float:
    """A weight. Raises `DataError` for one that is negative or no finite number."""
    if node.inner is None and NUMBER.fullmatch(node.text) and float(node.text) < float("inf"):
        value = float(node.text)
        if value < 0:
            raise wrong(f"the weight {node.text} is negative; weights are probabilities")
        return value
    raise wrong(f"expected a weight, found {quoted(node.text if node.inner is None else f'#{node.text}(')}")


def _no_operator(node: Node, wrong: Wrong) -> DataError:
    """The error of an operator that is no weighting of terms."""
    return wrong(f"#{node.text} is no weighting of terms; write the query without it")


def recognise_indri(file: Opened) -> bool:
    """Whether a line of a file begins as Indri prints queries; elsewhere such lines are comments."""
    return any(file.text.startswith(mark) or f"\n{mark}" in file.text for mark in (_QUERY, _EXPANDED))


def read_indri(text: str, path: str) -> ModelRows:
    """The terms of every printed query, or of its expanded form; the id stands in the results below.

    Queries without a result have no id and are left out with a warning. Raises `DataError` where none has one, for a
    query that is printed twice, and for what `_indri_weights` refuses.

    >>> printed = "# query: radio\\n# expanded: #weight( 0.75 \\"radio\\" 0.25 \\"wave\\" )\\n301 Q0 D1 1 -4.2 indri\\n"
    >>> rows = read_indri(printed, "rm.log")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['radio', 'wave'], [0.75, 0.25])
    """

    def printed() -> Iterator[tuple[int, str, str]]:
        waiting: tuple[int, str] | None = None
        n_read = n_lost = 0
        for number, line in enumerate(text.split("\n"), 1):
            start = next((mark for mark in (_QUERY, _EXPANDED) if line.startswith(mark)), None)
            if start is not None:
                n_lost += start == _QUERY and waiting is not None
                waiting = number, line[len(start) :].strip()
                continue
            words = line.split()  # of a result: query, Q0, document, rank, score, run
            is_result = len(words) >= 6 and words[1] == "Q0" and words[3].isdecimal() and NUMBER.fullmatch(words[4])
            if waiting is not None and is_result:
                yield waiting[0], words[0], waiting[1]
                waiting, n_read = None, n_read + 1
        n_lost += waiting is not None
        remedy = "print results in TREC format (-trecFormat=true -count=1)"
        if not n_read:
            raise DataError(f"no result line follows a printed query, so it has no id; {remedy}", path=path)
        if n_lost:
            lost = f"{counted(n_lost, 'printed query')} without a result line and so without an id left out"
            warn(f"{path}: {lost}; {remedy}")

    return collected_queries(printed(), _indri_weights, path)


def _indri_weights(text: str, path: str, line: int) -> Weights:
    """The share of each term in an Indri query of #weight, #combine and terms; the shares sum to 1.

    Raises `DataError`, with the line, for any other operator and what is no query.

    >>> _indri_weights('#weight( 0.5 #combine( radio wave ) 0.5 #weight( 0.02 "radio" 0.06 "iron" ) )', "rm.log", 1)
    {'radio': 0.375, 'wave': 0.25, 'iron': 0.375}
    >>> _indri_weights("#1(radio wave)", "rm.log", 1)
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: rm.log:1: #1 is no weighting of terms; write the query without it
    """
    wrong = partial(DataError, path=path, line=line)
    return _indri_shares(parsed(text, wrong), wrong, weighted=False)


def _indri_shares(nodes: Iterable[Node], wrong: Wrong, *, weighted: bool) -> Weights:
    """The share of each term in an operator, ``weighted`` or not, or in a query; parts without a term have none."""
    children: list[tuple[float, Weights]] = []
    nodes = iter(nodes)
    for node in nodes:
        weight, part = (number_of(node, wrong), next(nodes, None)) if weighted else (1.0, node)
        if part is None:
            raise wrong("a weight has no term behind it")
        if part.inner is not None:
            if part.text not in ("weight", "combine") or part.parts:
                raise _no_operator(part, wrong)
            children.append((weight, _indri_shares(part.inner, wrong, weighted=part.text == "weight")))
        elif not part.parts and _OF_FIELD.fullmatch(part.text):
            raise wrong(f"{quoted(part.text)} is a term of one field; write the term alone")
        else:
            children.append((weight, {part.text: 1.0}))
    parts = [(weight, terms) for weight, terms in children if weight > 0 and terms]
    total = sum(weight for weight, _ in parts)
    shares: Weights = {}
    for weight, terms in parts:
        for term, share in terms.items():
            shares[term] = shares.get(term, 0.0) + weight / total * share
    return shares


_LOOKED_AT = 10_000  # lines, for a query with weights: the first ones of a file may have none
_WEIGHTED = re.compile(r"\S+\s+(?:.*\s)?(?:applypipeline:\w+|#\w+[^\s(]*\(|[^\s()]+\^[\d.])")
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
    wrong = partial(DataError, path=path, line=line)
    return _terrier_terms(parsed(text, wrong), {}, wrong)


def _terrier_terms(nodes: Iterable[Node], weights: dict[int, float], wrong: Wrong) -> Weights:
    """The weight of each term in one #combine, whose parts have these ``weights`` by their number, or in a query."""
    terms: Weights = {}
    index = 0
    for node in nodes:
        if node.inner is None and node.text.startswith("applypipeline:"):
            continue
        inner = _terrier_word(node.text, wrong) if node.inner is None else _terrier_operator(node, node.inner, wrong)
        for term, weight in inner.items():
            terms[term] = terms.get(term, 0.0) + weights.get(index, 1.0) * weight
        index += 1
    beyond = [number for number in weights if number >= index]
    if beyond:
        raise wrong(f"#combine has a weight for place {beyond[0]}, but {index} places, counted from 0")
    return terms


def _terrier_operator(node: Node, inner: list[Node], wrong: Wrong) -> Weights:
    """The weights in #combine, with its own ``:0=2:1=1``, and of the term in #base64.

    What else is set in #combine, a tag or a weighting model, is no weight.
    """
    if node.text == "combine":
        weights: dict[int, float] = {}
        for part in node.parts.split(":")[1:]:
            index, _, text = part.partition("=")
            if not _INDEX.fullmatch(index):
                continue
            if int(index) in weights:
                raise wrong(f"#combine has two weights for place {int(index)}; keep one")
            weights[int(index)] = number_of(Node(text), wrong)
        return _terrier_terms(inner, weights, wrong)
    if node.text != "base64":
        raise _no_operator(node, wrong)
    if len(inner) != 1 or inner[0].inner is not None:
        raise wrong("#base64 has one term in its brackets")
    try:
        return {base64.b64decode(inner[0].text, validate=True).decode("utf-8"): 1.0}
    except (binascii.Error, UnicodeDecodeError):
        raise wrong(f"#base64: {quoted(inner[0].text)} stands for no text") from None


def _terrier_word(text: str, wrong: Wrong) -> Weights:
    term, mark, weight = text.rpartition("^")
    if text.startswith(("+", "-")):
        raise wrong(f"{quoted(text)} is a condition and no weighted term; write the query without it")
    if _FIELD_OR_CONTROL.match(text):
        raise wrong(f"{quoted(text)} is a term of one field or a control, no weighted term; write it without")
    if not mark:
        return {text: 1.0}
    if not term:
        raise wrong(f"{quoted(text)} has no term before its weight")
    if "^" in term:
        raise wrong(f"{quoted(text)} has two weights; keep one")
    return {term: number_of(Node(weight), wrong)}


_LOGGED = re.compile(
    r"(?P<head>(?:.*?\s)?)(?P<what>QID|Running new query|Feedback Query|Feedback term):\s+(?P<rest>.*)"
)
_NO_THREAD = re.compile(  # a level, a time or a date
    r"\s*(?:(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)|.*\d:\d\d.*|\d+[-/.]\d+[-/.]\d+)\s*", re.IGNORECASE
)
_CONDITION = re.compile(r"[+-]|[^:]+:.")  # Lucene's words that must be there or must not, and those of another field
_CLAUSE = re.compile(
    rf"\s*(?:\((?P<within>[^\s()\"]+)\)|(?P<bare>[^\s()^\"]+))(?:\^(?P<boost>{DECIMAL}))?(?=\s|$)", re.ASCII
)


@dataclass
class _Query:
    """What is logged of one query: its id, its line, and its terms, from the whole query and one at a time."""

    query: str
    line: int
    lines: dict[str, int] = field(default_factory=dict)  # of each kind of whole query
    whole: list[Entry] = field(default_factory=list)
    single: list[Entry] = field(default_factory=list)


def recognise_anserini(file: Opened) -> bool:
    """Whether any line of a file is one that Anserini logs of a query."""
    return any(map(_LOGGED.fullmatch, file.text.split("\n")))


def read_anserini(text: str, path: str) -> ModelRows:
    """The terms of every query in a log of Anserini: they stand below the ``QID:`` line of the query.

    Older versions log the new query, ``Running new query: (kabila)^0.044 (dissid)^0.166``; newer ones ``Feedback
    Query:`` in the same form and each ``Feedback term: k -> v`` besides. Several threads write to one log, each with
    its name in square brackets: the lines of one are paired by that name. Levels and times may stand in brackets, too.

    Raises `DataError`, with the line, for a query that is logged twice, a new query without a ``QID:`` line of its
    thread above it or with another below the same one, two ``QID:`` lines in a row where no thread is named, and what
    cannot be read. Warns of queries whose new query is not in the log.

    >>> log = "INFO [pool-1] Rm3 - QID: 301\\nINFO [pool-1] Rm3 - Running new query: (kabila)^0.25 (dissid)^0.5\\n"
    >>> rows = read_anserini(log, "rm3.log")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['kabila', 'dissid'], [0.25, 0.5])
    """
    queries = _queries(text, path)
    without = [query.query for query in queries if not _is_complete(query)]
    if without and len(without) < len(queries):
        warn(f"{path}: {counted(len(without), 'query')} logged without a new query left out: {examples(without)}")
    return collected((entry for query in queries for entry in query.single or query.whole), path)


def _is_complete(query: _Query) -> bool:
    return bool(query.whole or query.single)


def _queries(text: str, path: str) -> list[_Query]:
    of_thread: dict[str, _Query] = {}
    by_id: dict[str, _Query] = {}
    for number, line in enumerate(text.split("\n"), 1):
        logged = _LOGGED.fullmatch(line.rstrip())
        if logged is None:
            continue
        what, rest = logged["what"], logged["rest"].strip()
        bracketed = re.findall(r"\[([^\]]+)\]", logged["head"])
        thread = next((name.strip() for name in bracketed if not _NO_THREAD.fullmatch(name)), "")
        if what == "QID":
            _require_new(rest, by_id, of_thread.get("") if not thread else None, path, number)
            of_thread[thread] = by_id[rest] = _Query(rest, number)
            continue
        if thread not in of_thread:
            whose = f" of the thread {quoted(thread)}" if thread else ""
            raise DataError(f"no QID: line{whose} above this one; keep the whole log", path=path, line=number)
        query = of_thread[thread]
        if what == "Feedback term":
            term, arrow, weight = rest.rpartition(" -> ")
            if not arrow:
                expected = f"expected a term and its weight, k -> v, found {quoted(rest)}"
                raise DataError(expected, path=path, line=number)
            query.single.append((number, query.query, term.strip(), weight))
        elif what in query.lines:
            twice = f"a second {what}: of query {quoted(query.query)}, the first is in line {query.lines[what]}"
            raise DataError(f"{twice}; log the threads' names, or use one thread", path=path, line=number)
        else:
            query.lines[what] = number
            query.whole.extend(_clauses(rest, query.query, path, number))
    return list(by_id.values())


def _require_new(query: str, logged: dict[str, _Query], before: _Query | None, path: str, line: int) -> None:
    """Raise `DataError` for a query that is logged twice, and if the query before, without a thread, has no terms."""
    if query in logged:
        twice = f"query {quoted(query)} is logged twice, first in line {logged[query].line}; keep the log of one run"
        raise DataError(twice, path=path, line=line)
    if before is not None and not _is_complete(before):
        mixed = f"query {quoted(query)} begins before the new query of {quoted(before.query)} is logged"
        remedy = "log the threads' names, or use one thread"
        raise DataError(f"{mixed}, and no thread is named; {remedy}", path=path, line=line)


def _clauses(text: str, query: str, path: str, line: int) -> Iterator[Entry]:
    """The terms of a query as Lucene prints it; a clause without a boost counts 1."""
    at = 0
    while at < len(text):
        clause = _CLAUSE.match(text, at)
        if clause is None:
            rest = quoted(text[at : at + 40].strip())
            raise DataError(f"expected (term)^weight, found {rest}", path=path, line=line)
        term = clause["within"] or clause["bare"]
        if _CONDITION.match(term):
            what = f"{quoted(term)} is a condition or of another field, no plain term"
            raise DataError(f"{what}; log the query without it", path=path, line=line)
        yield line, query, term, clause["boost"] or "1"
        at = clause.end()
