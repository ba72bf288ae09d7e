"""The query languages of Indri, Terrier and Lucene.

Three kinds of files have them: the output of ``IndriRunQuery -printQuery=true``, with ``# query:`` and ``# expanded:``
lines above the results; Terrier's queries, ``qid query`` in each line; and the log of Anserini's ``-rm3.outputQuery``.

Sources: Indri's query language, and its QueryExpander, which writes expanded queries in it (#weight divides weights by
their sum, #combine has equal weights); Terrier's documentation of its matching operators, which look like Indri's
(#combine multiplies the weights in its brackets, and does not divide by their sum); PyTerrier's documentation of the
formats of queries; Anserini's Rm3Reranker.java.
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
    """A word of a query, or an operator with the nodes in its brackets.

    ``parts`` are the settings of an operator, such as ``:0=2:1=1``, and a double quote for a word in quotes.
    """

    text: str
    parts: str = ""
    inner: list[Node] | None = None  # of an operator


Wrong = Callable[[str], DataError]  # makes an error about the query from a message


def parsed(text: str, wrong: Wrong) -> list[Node]:
    """The words and the operators of a query. Raises `DataError` for anything else, and for unmatched brackets.

    >>> [node.text for node in parsed('#combine(radio "wave") iron', DataError)]
    ['combine', 'iron']
    """
    nodes: list[Node] = []
    levels, position = [nodes], 0
    while position < len(text.rstrip()):
        match = _TOKEN.match(text, position)
        if match is None:
            raise wrong(f"cannot read the query from {quoted(text[position : position + 40])} on")
        position = match.end()
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
            raise wrong(f"the phrase {quoted(phrase)} is not a weighted term")
        else:
            levels[-1].append(Node(phrase.strip(), '"'))
    if len(levels) > 1:
        raise wrong("a bracket is not closed")
    return nodes


def number_of(node: Node, wrong: Wrong) -> float:
    """The weight in a node. Raises `DataError` for a weight that is negative or not a finite number."""
    if node.inner is None and NUMBER.fullmatch(node.text) and float(node.text) < float("inf"):
        value = float(node.text)
        if value < 0:
            raise wrong(f"the weight {node.text} is negative; weights are probabilities")
        return value
    raise wrong(f"expected a weight, found {quoted(node.text if node.inner is None else f'#{node.text}(')}")


def _no_operator(node: Node, wrong: Wrong) -> DataError:
    """The error for an operator that does not weight terms."""
    return wrong(f"#{node.text} does not weight terms; write the query without it")


def recognise_indri(file: Opened) -> bool:
    """Whether a line of a file starts like a query that Indri prints; in other formats such lines are comments."""
    return any(file.text.startswith(mark) or f"\n{mark}" in file.text for mark in (_QUERY, _EXPANDED))


def read_indri(text: str, path: str) -> ModelRows:
    """The terms of the printed queries, expanded ones if there are any; the result below a query has its id.

    Queries without a result have no id and are left out with a warning. Raises `DataError` if no query has a result,
    and for a query that is printed twice; for the other errors see `_indri_weights`.

    >>> printed = "# query: radio\\n# expanded: #weight( 0.75 \\"radio\\" 0.25 \\"wave\\" )\\n301 Q0 D1 1 -4.2 indri\\n"
    >>> rows = read_indri(printed, "rm.log")
    >>> rows.queries, rows.terms, rows.weights.tolist()
    (['301', '301'], ['radio', 'wave'], [0.75, 0.25])
    """

    def printed() -> Iterator[tuple[int, str, str]]:
        query: tuple[int, str] | None = None  # a printed query, with its line, whose result has not come yet
        n_read = n_lost = 0
        for number, line in enumerate(text.split("\n"), 1):
            mark = next((mark for mark in (_QUERY, _EXPANDED) if line.startswith(mark)), None)
            if mark is not None:
                n_lost += mark == _QUERY and query is not None
                query = number, line[len(mark) :].strip()
                continue
            words = line.split()  # of a result: query, Q0, document, rank, score, run
            is_result = len(words) >= 6 and words[1] == "Q0" and words[3].isdecimal() and NUMBER.fullmatch(words[4])
            if query is not None and is_result:
                yield query[0], words[0], query[1]
                query, n_read = None, n_read + 1
        n_lost += query is not None
        remedy = "print results in TREC format (-trecFormat=true -count=1)"
        if not n_read:
            raise DataError(f"no result follows a printed query, so no query has an id; {remedy}", path=path)
        if n_lost:
            what = f"left out {counted(n_lost, 'printed query')} without a result, which would have the id"
            warn(f"{path}: {what}; {remedy}")

    return collected_queries(printed(), _indri_weights, path)


def _indri_weights(text: str, path: str, line: int) -> Weights:
    """The share of each term in an Indri query of #weight, #combine and terms; the shares sum to 1.

    Raises `DataError`, with the line, for any other operator, and for a text that is not a query.

    >>> _indri_weights('#weight( 0.5 #combine( radio wave ) 0.5 #weight( 0.02 "radio" 0.06 "iron" ) )', "rm.log", 1)
    {'radio': 0.375, 'wave': 0.25, 'iron': 0.375}
    >>> _indri_weights("#1(radio wave)", "rm.log", 1)
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: rm.log:1: #1 does not weight terms; write the query without it
    """
    wrong = partial(DataError, path=path, line=line)
    return _indri_shares(parsed(text, wrong), wrong, weighted=False)


def _indri_shares(nodes: Iterable[Node], wrong: Wrong, *, weighted: bool) -> Weights:
    """The share of each term in an operator or a query; if ``weighted``, weights and parts alternate.

    Parts without terms do not count.
    """
    children: list[tuple[float, Weights]] = []
    nodes = iter(nodes)
    for node in nodes:
        weight, part = (number_of(node, wrong), next(nodes, None)) if weighted else (1.0, node)
        if part is None:
            raise wrong("no term follows the last weight")
        if part.inner is not None:
            if part.text not in ("weight", "combine") or part.parts:
                raise _no_operator(part, wrong)
            children.append((weight, _indri_shares(part.inner, wrong, weighted=part.text == "weight")))
        elif not part.parts and _OF_FIELD.fullmatch(part.text):
            raise wrong(f"{quoted(part.text)} is a term of one field; write it without the field")
        else:
            children.append((weight, {part.text: 1.0}))
    parts = [(weight, terms) for weight, terms in children if weight > 0 and terms]
    total = sum(weight for weight, _ in parts)
    shares: Weights = {}
    for weight, terms in parts:
        for term, share in terms.items():
            shares[term] = shares.get(term, 0.0) + weight / total * share
    return shares


_MOST_LINES = 10_000  # in which a query with weights has to come; the first queries of a file may have none
_WEIGHTED = re.compile(r"\S+\s+(?:.*\s)?(?:applypipeline:\w+|#\w+[^\s(]*\(|[^\s()]+\^[\d.])")
_FIELD_OR_CONTROL = re.compile(r"[^:^]+:.")
_INDEX = re.compile(r"[0-9]{1,9}")


def recognise_terrier(file: Opened) -> bool:
    """Whether one of the first lines of a file is a query with weights."""
    return any(_WEIGHTED.match(line.strip()) for line in itertools.islice(file.text.split("\n"), _MOST_LINES))


def read_terrier(text: str, path: str) -> ModelRows:
    """The terms of queries, one query in each line after its id; blank lines and ``#`` lines are skipped.

    Raises `DataError`, with the line, for a query given twice; for the other errors see `terrier_weights`.

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
    """The weight of each term in a query of Terrier, ``term^weight``, #combine or #base64; the default weight is 1.

    Raises `DataError`, with the line, for any other operator, and for a text that is not a query.

    >>> terrier_weights("applypipeline:off dog^0.6 cat^0.2 dog", "bo1.tsv", 1)
    {'dog': 1.6, 'cat': 0.2}
    >>> terrier_weights("#combine:0=2:1=1(chemic reaction)", "bo1.tsv", 1)
    {'chemic': 2.0, 'reaction': 1.0}
    """
    wrong = partial(DataError, path=path, line=line)
    return _terrier_terms(parsed(text, wrong), {}, wrong)


def _terrier_terms(nodes: Iterable[Node], weights: dict[int, float], wrong: Wrong) -> Weights:
    """The weight of each term in a query or a #combine; ``weights`` are those of its parts, by their index."""
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
        raise wrong(f"#combine has a weight for part {beyond[0]} (the first is 0), but only {counted(index, 'part')}")
    return terms


def _terrier_operator(node: Node, inner: list[Node], wrong: Wrong) -> Weights:
    """The weight of each term in an operator: #combine with weights such as ``:0=2:1=1``, or #base64 with a term.

    Other settings of #combine, a tag or a weighting model, are ignored.
    """
    if node.text == "combine":
        weights: dict[int, float] = {}
        for part in node.parts.split(":")[1:]:
            index, _, text = part.partition("=")
            if not _INDEX.fullmatch(index):
                continue
            if int(index) in weights:
                raise wrong(f"#combine has two weights for part {int(index)}; keep one")
            weights[int(index)] = number_of(Node(text), wrong)
        return _terrier_terms(inner, weights, wrong)
    if node.text != "base64":
        raise _no_operator(node, wrong)
    if len(inner) != 1 or inner[0].inner is not None:
        raise wrong("#base64 needs one term in its brackets")
    try:
        return {base64.b64decode(inner[0].text, validate=True).decode("utf-8"): 1.0}
    except (binascii.Error, UnicodeDecodeError):
        raise wrong(f"#base64: {quoted(inner[0].text)} is not text in Base64") from None


def _terrier_word(text: str, wrong: Wrong) -> Weights:
    """The term and the weight in a word. Raises `DataError` for a word that is not a plain term."""
    term, mark, weight = text.rpartition("^")
    if text.startswith(("+", "-")):
        raise wrong(f"{quoted(text)} is a condition, not a weighted term; write the query without it")
    if _FIELD_OR_CONTROL.match(text):
        raise wrong(f"{quoted(text)} is a term of one field, or a control; write the term alone, without a control")
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
_CONDITION = re.compile(r"[+-]|[^:]+:.")  # in Lucene, a required or forbidden word, or a word of another field
_CLAUSE = re.compile(
    rf"\s*(?:\((?P<within>[^\s()\"]+)\)|(?P<bare>[^\s()^\"]+))(?:\^(?P<boost>{DECIMAL}))?(?=\s|$)", re.ASCII
)


@dataclass
class _Query:
    """A query in a log: its id, the line of its id, and its terms as logged in one line, and one by one."""

    query: str
    line: int
    lines: dict[str, int] = field(default_factory=dict)  # the line of each kind of logged query
    whole: list[Entry] = field(default_factory=list)
    single: list[Entry] = field(default_factory=list)


def recognise_anserini(file: Opened) -> bool:
    """Whether any line of a file is one that Anserini logs about a query."""
    return any(map(_LOGGED.fullmatch, file.text.split("\n")))


def read_anserini(text: str, path: str) -> ModelRows:
    """The terms of the queries in a log of Anserini, which follow the ``QID:`` line of each query.

    Older versions log the new query as ``Running new query: (kabila)^0.044 (dissid)^0.166``. Newer versions log
    ``Feedback Query:`` in the same form, and also each ``Feedback term: k -> v``. Several threads write to one log,
    with their names in square brackets, which tell what lines belong together; levels and times may also be in
    brackets. Queries without a new query in the log are left out with a warning.

    Raises `DataError`, with the line, for a query that is logged twice, a new query without a ``QID:`` line of its
    thread above it, a second new query after one ``QID:`` line, two successive ``QID:`` lines without names of threads,
    and a line that cannot be read.

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
    """The queries in a log of Anserini, in order; for the errors see `read_anserini`."""
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
            of_its_thread = f" of the thread {quoted(thread)}" if thread else ""
            raise DataError(f"no QID: line{of_its_thread} above this one; keep the whole log", path=path, line=number)
        query = of_thread[thread]
        if what == "Feedback term":
            term, arrow, weight = rest.rpartition(" -> ")
            if not arrow:
                expected = f"expected a term and its weight, k -> v, found {quoted(rest)}"
                raise DataError(expected, path=path, line=number)
            query.single.append((number, query.query, term.strip(), weight))
        elif what in query.lines:
            repeated = f"a second {what}: of query {quoted(query.query)}, the first is in line {query.lines[what]}"
            raise DataError(f"{repeated}; log the threads' names, or use one thread", path=path, line=number)
        else:
            query.lines[what] = number
            query.whole.extend(_clauses(rest, query.query, path, number))
    return list(by_id.values())


def _require_new(query: str, logged: dict[str, _Query], before: _Query | None, path: str, line: int) -> None:
    """Raise `DataError` for a query that is logged twice, and if the query before has no thread and no terms yet."""
    if query in logged:
        what = f"query {quoted(query)} is logged twice, first in line {logged[query].line}; keep the log of one run"
        raise DataError(what, path=path, line=line)
    if before is not None and not _is_complete(before):
        what = f"query {quoted(query)} begins before the new query of {quoted(before.query)} is logged"
        remedy = "log the threads' names, or use one thread"
        raise DataError(f"{what}, and no thread is named; {remedy}", path=path, line=line)


def _clauses(text: str, query: str, path: str, line: int) -> Iterator[Entry]:
    """The terms of a query as Lucene prints it; the default weight is 1."""
    position = 0
    while position < len(text):
        clause = _CLAUSE.match(text, position)
        if clause is None:
            rest = quoted(text[position : position + 40].strip())
            raise DataError(f"expected (term)^weight, found {rest}", path=path, line=line)
        term = clause["within"] or clause["bare"]
        if _CONDITION.match(term):
            what = f"{quoted(term)} is a condition, or a term of another field, not a plain term"
            raise DataError(f"{what}; log the query without it", path=path, line=line)
        yield line, query, term, clause["boost"] or "1"
        position = clause.end()
