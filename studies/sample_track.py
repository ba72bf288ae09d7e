"""Write the sample track of this repository again: the case study of SIGIR 2013 on the NPL collection.

    python studies/sample_track.py COLLECTION [--out DIR]      COLLECTION is the NPL (Vaswani) collection

Writes DIR/sample_runs (22 runs to rank 100), DIR/sample_models (seven query models) and DIR/qrels/npl.qrels.txt, the
collection's judgments as they are, DIR/qrels/npl-half.qrels.txt, every second one of them,
DIR/qrels/npl-few.qrels.txt, those of the first 30 topics, and DIR/qrels/npl-pool.qrels.txt, those of a pool of three
runs.
``qrels/ORIGIN.md`` says where they come from and on which terms.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from collection import read_collection
from models import SIGIR_2013, Settings, default_mu
from query_models import study, write_lines

MODELS = ["orig", "rm", "comb-0.1", "comb-0.5", "nrr-1.0", "rel-fb", "true"]
DEPTH = 100
POOLED, POOL_DEPTH = ["orig", "comb-0.5", "rel-fb"], 10
FEW = 30  # topics


def main() -> None:
    """Rewrite the sample track."""
    top = Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description="Write the sample track: sample_runs, sample_models and qrels.")
    parser.add_argument("collection", type=Path, help="folder of the NPL collection")
    parser.add_argument("--out", type=Path, default=top, metavar="DIR", help="where to write (%(default)s)")
    asked = parser.parse_args()
    collection = read_collection(asked.collection)
    found = study(collection, Settings(default_mu(collection)), DEPTH, [*SIGIR_2013, "true"])
    for name in SIGIR_2013:
        write_lines(asked.out / "sample_runs" / f"{name}.gz", found.runs[name])
    for name in MODELS:
        write_lines(asked.out / "sample_models" / f"{name}.tsv.gz", found.models[name])
    judgments = (asked.collection / "qrels.txt").read_text(encoding="utf-8")
    write_lines(asked.out / "qrels" / "npl.qrels.txt", judgments)
    lines = judgments.splitlines(keepends=True)
    write_lines(asked.out / "qrels" / "npl-half.qrels.txt", "".join(lines[::2]))
    few = "".join(line for line in lines if int(line.split()[0]) <= FEW)
    write_lines(asked.out / "qrels" / "npl-few.qrels.txt", few)
    write_lines(
        asked.out / "qrels" / "npl-pool.qrels.txt", pool(["".join(found.runs[name]) for name in POOLED], judgments)
    )


def pool(runs: Iterable[str], judgments: str) -> str:
    """The judgments of the first documents of some runs; what the collection does not list is not relevant.

    >>> pool(["1 Q0 a 1 2.5 x\\n1 Q0 b 2 1.5 x\\n", "1 Q0 a 1 7 y\\n"], "1 0 a 1\\n1 0 c 1\\n")
    '1 0 a 1\\n1 0 b 0\\n'
    """
    relevant = {(topic, doc) for topic, _, doc, _ in map(str.split, judgments.splitlines())}
    lines = (line.split() for run in runs for line in run.splitlines())
    pooled = {(line[0], line[2]) for line in lines if int(line[3]) <= POOL_DEPTH}
    ordered = sorted(pooled, key=lambda pair: (int(pair[0]), pair[1]))
    return "".join(f"{topic} 0 {doc} {int((topic, doc) in relevant)}\n" for topic, doc in ordered)


if __name__ == "__main__":
    main()
