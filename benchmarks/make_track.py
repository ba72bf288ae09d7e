"""A seeded generator of tracks of any size, for timing: the scores mean nothing.

    python benchmarks/make_track.py OUT --runs 100 --topics 50 --depth 1000

writes OUT/qrels.txt and OUT/runs/run000 ... Every run ranks documents of its topic's own collection of three times the
depth, in the usual shape (one space, six columns, ranks from 1), with a few ties in it. 1700 documents of a topic are
judged, about as many as on TREC-8; ``--judged 1`` is the shape of MS MARCO.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

JUDGED = 1700  # documents of a topic


def write_track(out: Path, *, runs: int, topics: int, depth: int, judged: int = JUDGED, seed: int = 0) -> None:
    """Write the track below ``out``; the same arguments give the same bytes. A single judgment is a grade of 1."""
    (out / "runs").mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    size = 3 * depth
    numbers = np.arange(topics * size).reshape(topics, size)
    docs = np.char.mod("clueweb09-en%07d-00", numbers)
    quality = rng.random((topics, size))
    chosen = [rng.choice(size, min(judged, size), replace=False) for _ in range(topics)]
    with (out / "qrels.txt").open("w") as file:
        for topic in range(topics):
            for doc in chosen[topic].tolist():
                grade = int(4 * max(0.0, quality[topic, doc] - 0.5) + 0.5) if judged > 1 else 1
                file.write(f"{topic + 1} 0 {docs[topic, doc]} {grade}\n")
    ranks = [str(rank) for rank in range(1, depth + 1)]
    for run in range(runs):
        name = f"run{run:04}"
        noise = rng.random() * 2
        lines = []
        for topic in range(topics):
            belief = np.round(quality[topic] + noise * rng.random(size), 4)
            order = np.argsort(-belief, kind="stable")[:depth]
            scores = (10 * belief[order]).tolist()
            lines += [
                f"{topic + 1} Q0 {doc} {rank} {score:.4f} {name}\n"
                for doc, rank, score in zip(docs[topic, order].tolist(), ranks, scores, strict=True)
            ]
        (out / "runs" / name).write_text("".join(lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--judged", type=int, default=JUDGED, help="documents of a topic")
    parser.add_argument("--seed", type=int, default=0)
    write_track(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
