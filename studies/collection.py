"""A test collection as counts of terms: documents, topics and judgments, read from a folder and analysed.

A folder has ``docs.tsv.gz`` (``doc_id<TAB>text``), ``topics.tsv`` (``query_id<TAB>text``) and ``qrels.txt`` (TREC). The
analyser: lower case, tokens ``[a-z0-9]+`` of two characters or more, without the words of ``stop_words.txt``, Porter's
stemmer as PyStemmer has it.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import Stemmer
from scipy import sparse

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
Analyser = Callable[[str], list[str]]

FILES = ("docs.tsv.gz", "topics.tsv", "qrels.txt")

_TOKEN = re.compile(r"[a-z0-9]{2,}")
_STOP_WORDS = Path(__file__).with_name("stop_words.txt")


class Collection(NamedTuple):
    """Documents and terms in order of their names, their counts, and the queries with their relevant documents.

    ``counts`` and ``queries`` have a column for each term. A query has the terms that occur in the collection.
    Queries without a relevant document are not there.
    """

    documents: list[str]
    terms: list[str]
    counts: sparse.csr_matrix  # (n_documents, n_terms)
    query_ids: list[str]
    queries: FloatArray  # (n_queries, n_terms)
    relevant: list[IntArray]  # rows of ``counts``, for each query


def analyser() -> Analyser:
    """The function that turns a text into terms.

    >>> analyser()("Measurement of the DIELECTRIC constants of liquids, by x-rays (1954)")
    ['measur', 'dielectr', 'constant', 'liquid', 'rai', '1954']
    """
    lines = _STOP_WORDS.read_text(encoding="ascii").splitlines()
    stop_words = {word for line in lines if not line.startswith("#") for word in line.split()}
    stem = Stemmer.Stemmer("porter").stemWords

    def terms(text: str) -> list[str]:
        found: list[str] = stem([word for word in _TOKEN.findall(text.lower()) if word not in stop_words])
        return found

    return terms


def read_collection(folder: Path) -> Collection:
    """Read and analyse the three files of a folder; what is wrong with them ends the program."""
    for name in FILES:
        if not (folder / name).is_file():
            raise SystemExit(f"{folder / name}: not there; a collection has {FILES[0]}, {FILES[1]} and {FILES[2]}")
    analyse = analyser()
    texts = dict(sorted(_texts(folder / FILES[0]).items()))
    found = [Counter(analyse(text)) for text in texts.values()]
    terms = sorted(set().union(*found))
    columns = {term: number for number, term in enumerate(terms)}
    counts = _matrix(found, columns)
    relevant = _relevant(folder / FILES[2], {document: number for number, document in enumerate(texts)})
    asked = _texts(folder / FILES[1])
    _say_without_text([topic for topic in relevant if topic not in asked], folder / FILES[1])
    topics = {topic: Counter(analyse(text)) for topic, text in asked.items() if topic in relevant}
    queries = _matrix(topics.values(), columns).toarray()
    _check(topics, queries, counts, relevant)
    return Collection(list(texts), terms, counts, list(topics), queries, [relevant[topic] for topic in topics])


def _say_without_text(topics: list[str], path: Path) -> None:
    if topics:
        shown = ", ".join(topics[:3]) + ", ..." * (len(topics) > 3)
        print(f"{path}: judged queries without a text here, left out: {len(topics)} ({shown})", file=sys.stderr)


def _texts(path: Path) -> dict[str, str]:
    """Texts by id."""
    found: dict[str, str] = {}
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            name, tab, text = line.rstrip("\n").partition("\t")
            if not tab:
                raise SystemExit(f"{path}:{number}: no tab between id and text: {line.rstrip()!r}")
            if name in found:
                raise SystemExit(f"{path}:{number}: {name} is there twice")
            found[name] = text
    return found


def _matrix(rows: Iterable[dict[str, int]], columns: dict[str, int]) -> sparse.csr_matrix:
    """Counts of terms as a matrix, a row for each text; terms that have no column are left out."""
    ends, places, values = [0], list[int](), list[int]()
    for row in rows:
        known = sorted((columns[term], n) for term, n in row.items() if term in columns)
        places += [place for place, _ in known]
        values += [n for _, n in known]
        ends.append(len(places))
    return sparse.csr_matrix((np.array(values, dtype=float), places, ends), shape=(len(ends) - 1, len(columns)))


def _relevant(path: Path, places: dict[str, int]) -> dict[str, IntArray]:
    """The relevant documents (grade 1 or more) of every query that has one."""
    found: dict[str, list[int]] = {}
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split()
        if len(cells) != 4 or not cells[3].lstrip("-").isdigit():
            raise SystemExit(f"{path}:{number}: expected query, 0, document and grade, found {line!r}")
        topic, _, document, grade = cells
        if document not in places:
            raise SystemExit(f"{path}:{number}: no document {document} in {FILES[0]}")
        first = seen.setdefault((topic, document), number)
        if first != number:
            raise SystemExit(f"{path}:{number}: {document} is judged twice for query {topic}, first in line {first}")
        if int(grade) > 0:
            found.setdefault(topic, []).append(places[document])
    return {topic: np.array(sorted(rows)) for topic, rows in found.items()}


def _check(
    topics: Iterable[str], queries: FloatArray, counts: sparse.csr_matrix, relevant: dict[str, IntArray]
) -> None:
    """Stop at a query that has no model: none of its words, or no word at all of its relevant documents, is a term."""
    for topic, query in zip(topics, queries, strict=True):
        if not query.any():
            raise SystemExit(f"query {topic}: none of its words is in the documents; leave it out of the topics")
        if not counts[relevant[topic]].nnz:
            raise SystemExit(f"query {topic}: its relevant documents are all empty; leave it out of the topics")
