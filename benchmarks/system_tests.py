"""How often `compare` calls equal systems of several runs different, and how often its intervals miss.

    python benchmarks/system_tests.py --tracks 500
    python benchmarks/system_tests.py --tracks 500 --infer runs
    python benchmarks/system_tests.py --tracks 200 --power

The answer function of `biasvar compare` is asked on simulated tracks, as the command line asks it: all pairs, or all
systems against a fixed run. All systems of a track have the same expected score on every query. A run differs from its
system by a shift on all queries, N(0, seeds^2) for each run, in some cells two and four times as large by system, and
by noise on every query. The worlds are

* normal: .45 + N(0, .2^2) of the query + shift + N(0, .08^2) of the system and the query, and the same of the run;
* P@5: a fifth of a binomial number of 5 with the chance .2 to .8 of the query + the others, kept in 0 to 1;
* RR: 1 / rank of the first relevant document, each document relevant with such a chance.

Queries in clusters of 3 share a part of what the system has on a query. A track errs if any difference is significant
(``any``); an interval misses if a simultaneous interval of any pair leaves 0 out (``missed``). With --power the first
system is better, runs differ by noise on single queries alone, and the share of tracks in which the first pair is found
stands beside that with `--infer runs`. Seeded. Nothing here is asserted. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest, Infer
from biasvar_cli.analyses.compare.answer import answer
from biasvar_cli.arrays import FloatArray
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring.track import Scored, Track

NOISE = 0.08  # of a cell
DEPTH = 20  # documents of a ranking


class Cell(NamedTuple):
    """A kind of track: the runs of each system, 0 for a fixed run whose expected scores are those of the systems."""

    world: str
    n_queries: int
    sizes: tuple[int, ...]
    seeds: float
    uneven: bool = False
    clusters: bool = False

    @property
    def words(self) -> str:
        sizes = " ".join(map(str, self.sizes)) if len(set(self.sizes)) > 1 else f"{len(self.sizes)} of {self.sizes[0]}"
        extra = ", 1 2 4 times" * self.uneven + ", clusters" * self.clusters
        return f"| {self.world} | {self.n_queries} | {sizes} | {self.seeds:g}{extra} |"


CELLS = (
    *(Cell("normal", n, sizes, 0.03) for n in (10, 25, 100) for sizes in ((2, 2), (3, 3), (5, 5), (2, 6), (0, 5))),
    *(Cell("normal", 50, sizes, seeds) for sizes in ((2, 2), (3, 3), (5, 5)) for seeds in (0.0, 0.01, 0.1)),
    *(Cell("normal", 50, sizes, 0.03, uneven=True) for sizes in ((2, 2, 2), (3, 3, 3), (5, 5, 5), (6, 4, 2), (4,) * 6)),
    *(Cell("normal", 50, sizes, 0.03) for sizes in ((2,) * 5, (5,) * 5, (3,) * 10, (0, 3, 3, 3), (0, 2), (6, 6))),
    *(Cell("normal", 60, sizes, 0.03, clusters=True) for sizes in ((2, 2), (3, 3), (5, 5), (3,) * 5)),
    *(Cell("P@5", n, sizes, 0.04) for n in (10, 50) for sizes in ((2, 2), (3, 3), (5, 5), (3,) * 5)),
    *(Cell("P@5", 50, sizes, 0.04, uneven=True) for sizes in ((3, 3, 3), (5, 5))),
    *(Cell("RR", n, sizes, 0.04) for n in (10, 50) for sizes in ((2, 2), (3, 3), (5, 5), (3,) * 5)),
)
POWER = tuple(Cell("normal", n, sizes, 0.0) for n in (25, 50) for sizes in ((2, 2), (3, 3), (5, 5), (0, 5)))


def track_of(cell: Cell, rng: np.random.Generator, better: float = 0.0) -> tuple[Track, dict[str, str]]:
    """A track of systems, and the cluster of each query."""
    n, n_clusters = cell.n_queries, cell.n_queries // 3
    ease = rng.normal(0, 0.2, n) if cell.world == "normal" else rng.uniform(-0.25, 0.25, n)
    cluster = np.arange(n) % n_clusters if cell.clusters else np.arange(n)
    runs, names, system_of = [], [], {}
    for number, size in enumerate(cell.sizes):
        own = sqrt(1 - 0.5 * cell.clusters) * rng.normal(0, NOISE, n)
        own += cell.clusters * sqrt(0.5) * rng.normal(0, NOISE, n_clusters)[cluster % n_clusters]
        spread = cell.seeds * (2.0 ** (number % 3) if cell.uneven else 1.0)
        for run in range(max(size, 1)):
            shift = rng.normal(0, spread) if size else 0.0
            expected = 0.45 + ease + own + shift + (better if number == 0 else 0.0)
            names.append(f"{number:02}-{run}")
            system_of[names[-1]] = f"{number:02}"
            runs.append(_scores(cell.world, expected, rng))
    queries = tuple(f"{query:03}" for query in range(n))
    scores = ScoreMatrix.of_systems(ScoreMatrix(np.array(runs), tuple(names), queries, None), system_of)
    return Track((Scored(scores, scores, None, None),)), dict(zip(queries, map(str, cluster), strict=True))


def _scores(world: str, expected: FloatArray, rng: np.random.Generator) -> FloatArray:
    """The scores of one run on all queries."""
    if world == "normal":
        return expected + rng.normal(0, NOISE, len(expected))
    chance = np.clip(expected + 0.05, 0.0, 1.0)
    if world == "P@5":
        return rng.binomial(5, chance) / 5
    relevant = rng.random((len(chance), DEPTH)) < chance[:, None]
    return np.where(relevant.any(axis=1), 1 / (1 + relevant.argmax(axis=1)), 0.0)


def level(cell: Cell, n_tracks: int, seed: int, infer: Infer) -> tuple[float, float]:
    """The share of tracks with any significant difference, and with any simultaneous interval that misses."""
    errors = np.zeros(2)
    for number in range(n_tracks):
        rng = np.random.default_rng([seed, CELLS.index(cell), number])
        track, clusters = track_of(cell, rng)
        asked = CompareRequest(
            baseline=("00",) if cell.sizes[0] == 0 else (),
            clusters=clusters if cell.clusters else None,
            infer=infer,
            samples=999,
        )
        tests = answer(track, asked)[0].tests
        errors += tests.differs.any(), ((tests.family_low > 0) | (tests.family_high < 0)).any()
    return float(errors[0] / n_tracks), float(errors[1] / n_tracks)


def power(cell: Cell, n_tracks: int, seed: int) -> tuple[float, float]:
    """The share of tracks in which the better system is found, by the tests of systems and of these runs."""
    found = np.zeros(2)
    better = 3 * NOISE / sqrt(cell.n_queries)
    ways: tuple[Infer, Infer] = "systems", "runs"
    for number in range(n_tracks):
        track, _ = track_of(cell, np.random.default_rng([seed, 1, POWER.index(cell), number]), better)
        for way, infer in enumerate(ways):
            request = CompareRequest(infer=infer, samples=999)
            tests = answer(track, request)[0].tests
            found[way] += bool((tests.differs & (tests.run == 0)).any())
    return float(found[0] / n_tracks), float(found[1] / n_tracks)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracks", type=int, default=500, help="simulated tracks of each row (500)")
    parser.add_argument("--power", action="store_true", help="the share of real differences found, in place of errors")
    parser.add_argument("--infer", choices=("systems", "runs"), default="systems", help="what errors are of (systems)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    heads = ("systems", "runs") if asked.power else ("any", "missed")
    print(
        f"{asked.tracks} tracks a row\n\n| world | queries | runs | seeds | {' | '.join(heads)} |",
        "|" + " --- |" * 6,
        sep="\n",
    )
    rates = []
    for cell in POWER if asked.power else CELLS:
        of_cell = (cell, asked.tracks, asked.seed)
        rates.append(power(*of_cell) if asked.power else level(*of_cell, asked.infer))
        print(cell.words, " | ".join(f"{rate:.3f}" for rate in rates[-1]), "|", flush=True)
    if not asked.power:
        worst, missed = np.max(rates, axis=0)
        error = sqrt(0.05 * 0.95 / asked.tracks)
        print(f"\n{len(rates)} cells; largest {worst:.3f}, missed {missed:.3f}; standard error of .05: {error:.4f}")


if __name__ == "__main__":
    main()
