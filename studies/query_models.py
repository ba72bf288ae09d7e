"""Make query models and runs from a test collection: the material of SIGIR 2013 and IP&M 2014.

    python studies/query_models.py COLLECTION --out DIR        COLLECTION holds docs.tsv.gz, topics.tsv and qrels.txt

Writes DIR/runs/NAME.gz (TREC runs), DIR/models/NAME.tsv.gz (query models, ``query_id<TAB>term<TAB>weight``),
DIR/background.tsv.gz (``term<TAB>count`` in the collection) and DIR/without-feedback.txt (the queries without a
relevant document among the feedback documents). ``models.py`` says what the models are, ``collection.py`` how texts
become terms. ``biasvar`` then computes what they show: docs/study.md.

Nothing is drawn at random, and nothing comes from a network. The gzip files carry no time and no name: the same files,
but for another zlib's way to pack them.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from collection import Collection, FloatArray, read_collection
from models import NAMES, Ranking, Settings, default_mu, index_of, query_models, rank, scores_of


class Study(NamedTuple):
    """By model: a line of text for each term of each query, and for each document that a query retrieves."""

    models: dict[str, list[str]]
    runs: dict[str, list[str]]
    without_feedback: list[str]


def study(collection: Collection, settings: Settings, depth: int, names: Sequence[str] = NAMES) -> Study:
    """Make the models of ``names`` for every query, and rank the documents under them."""
    index = index_of(collection, settings.mu)
    found = Study({name: [] for name in names}, {name: [] for name in names}, [])
    for query, counts, relevant in zip(collection.query_ids, collection.queries, collection.relevant, strict=True):
        models = query_models(index, counts, relevant, settings)
        scores = scores_of(index, np.array([models[name] for name in names]))
        for name, row in zip(names, scores, strict=True):
            found.models[name] += model_lines(query, collection.terms, models[name])
            found.runs[name] += _run_lines(query, collection.documents, rank(row, depth), name)
        if np.array_equal(models["rel-fb"], models["orig"]):
            found.without_feedback.append(query)
    return found


def write_study(out: Path, collection: Collection, found: Study) -> None:
    """Write runs, models, background and the list of queries without feedback under ``out``."""
    for name, lines in found.runs.items():
        write_lines(out / "runs" / f"{name}.gz", lines)
    for name, lines in found.models.items():
        write_lines(out / "models" / f"{name}.tsv.gz", lines)
    write_lines(out / "background.tsv.gz", background_lines(collection))
    write_lines(out / "without-feedback.txt", [f"{query}\n" for query in found.without_feedback])


def background_lines(collection: Collection) -> Iterator[str]:
    """How often each term occurs in the collection, the most frequent first."""
    counts = np.asarray(collection.counts.sum(axis=0)).ravel().astype(int)
    for column in np.argsort(-counts, kind="stable").tolist():
        yield f"{collection.terms[column]}\t{counts[column]}\n"


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a text, compressed where the name ends in .gz, without a time or a file name in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = "".join(lines).encode("utf-8")
    if path.suffix == ".gz":
        with path.open("wb") as raw, gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as packed:
            packed.write(data)
    else:
        path.write_bytes(data)


def model_lines(query: str, terms: Sequence[str], model: FloatArray) -> Iterator[str]:
    """The terms of a model and their weights, six digits each, the heaviest first."""
    columns = np.flatnonzero(model).tolist()
    weights = [f"{weight:.6g}" for weight in model[columns].tolist()]
    for row in np.argsort([-float(weight) for weight in weights], kind="stable").tolist():
        yield f"{query}\t{terms[columns[row]]}\t{weights[row]}\n"


def _run_lines(query: str, documents: Sequence[str], ranking: Ranking, name: str) -> Iterator[str]:
    """A query's part of a run, in the six columns of TREC."""
    pairs = zip(ranking.documents.tolist(), ranking.scores.tolist(), strict=True)
    for place, (number, score) in enumerate(pairs, 1):
        yield f"{query} Q0 {documents[number]} {place} {score / 1e6:.6f} {name}\n"


def at_least_one(text: str) -> int:
    """A whole number above 0, as an option has it.

    >>> at_least_one("30")
    30
    """
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not above 0")
    return number


def main() -> None:
    """Read a collection, make everything, say what was made."""
    parser = argparse.ArgumentParser(description="Query models and runs of the papers, from a test collection.")
    parser.add_argument("collection", type=Path, help="folder with docs.tsv.gz, topics.tsv and qrels.txt")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where to write")
    parser.add_argument(
        "--depth", type=at_least_one, default=1000, help="documents for each query of a run (%(default)s)"
    )
    parser.add_argument(
        "--mu", type=at_least_one, help="of Dirichlet smoothing (four times the mean length, rounded to tens)"
    )
    parser.add_argument("--feedback", type=at_least_one, default=30, help="feedback documents (%(default)s)")
    parser.add_argument("--terms", type=at_least_one, default=100, help="expansion terms (%(default)s)")
    asked = parser.parse_args()
    collection = read_collection(asked.collection)
    settings = Settings(asked.mu if asked.mu is not None else default_mu(collection), asked.feedback, asked.terms)
    found = study(collection, settings, asked.depth)
    write_study(asked.out, collection, found)
    print(f"{len(collection.documents)} documents, {len(collection.terms)} terms, mu = {settings.mu}")
    print(f"{len(found.runs)} models of {len(collection.query_ids)} queries, and their runs: {asked.out}")
    print(f"queries without a relevant feedback document, where nrr-1.0 is orig: {len(found.without_feedback)}")


if __name__ == "__main__":
    main()
