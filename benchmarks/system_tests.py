"""How often equal systems of several runs are called different, or risky, and how often intervals miss.

    python benchmarks/system_tests.py --tracks 500
    python benchmarks/system_tests.py --tracks 500 --infer runs
    python benchmarks/system_tests.py --tracks 200 --power
    python benchmarks/system_tests.py --tracks 300 --of sentences
    python benchmarks/system_tests.py --tracks 300 --of paired
    python benchmarks/system_tests.py --tracks 300 --of risky

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
stands beside that with `--infer runs`.

With --of sentences, other statements about the same tracks are counted: `profile` calls the first system significantly
better or worse than the second one, named (``named``), or than the best of the others (``best``); `summary` without a
baseline calls any system significantly worse than the best (``summary``); `risk` any system safe, against the first one
(``safe``) or the mean (``mean``). Of systems of as many runs, all alike, `compare --of total` calls any two different
(``total``), and `risk` any system deviating (``deviates``).
With --of paired half of the variance of a shift is shared by the runs of one number, of which `--paired-replicates` is
told. With --of risky the first system is worse by so much that E u_risk_1 of each other one is 0, and once more for
u_risk_5; any system that is called risky is an error. How much is found by bisection on 100 simulated tracks.

Seeded. Nothing here is asserted. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest, Infer
from biasvar_cli.analyses.compare.answer import answer
from biasvar_cli.analyses.profile import ProfileRequest
from biasvar_cli.analyses.profile import answer as profile
from biasvar_cli.analyses.risk import RiskRequest
from biasvar_cli.analyses.risk import answer as risk
from biasvar_cli.analyses.risk.inference import RiskVerdicts
from biasvar_cli.analyses.risk.losses import weighed
from biasvar_cli.analyses.summary import SummaryRequest
from biasvar_cli.analyses.summary import answer as summary
from biasvar_cli.arrays import FloatArray
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs.targets import parse_target

NOISE = 0.08  # of a cell
DEPTH = 20  # documents of a ranking
ALPHAS = (1.0, 5.0)
N_BALANCED = 100  # tracks


class Cell(NamedTuple):
    """A kind of track: the runs of each system, 0 for a fixed run whose expected scores are those of the systems."""

    world: str
    n_queries: int
    sizes: tuple[int, ...]
    seeds: float
    uneven: bool = False
    clusters: bool = False
    paired: bool = False

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
PAIRED = tuple(
    Cell(world, n, sizes, 0.04, clusters=world == "clusters", paired=True)
    for world in ("normal", "P@5", "RR")
    for n in (10, 50, 100)
    for sizes in ((2, 2), (3, 3), (5, 5), (4, 4, 4), (0, 5, 5))
)
POWER = tuple(Cell("normal", n, sizes, 0.0) for n in (25, 50) for sizes in ((2, 2), (3, 3), (5, 5), (0, 5)))


def track_of(cell: Cell, rng: np.random.Generator, better: float = 0.0) -> tuple[Track, dict[str, str]]:
    """A track of systems, of which the first is better by so much, and the cluster of each query."""
    n, n_clusters = cell.n_queries, cell.n_queries // 3
    ease = rng.normal(0, 0.2, n) if cell.world == "normal" else rng.uniform(-0.25, 0.25, n)
    cluster = np.arange(n) % n_clusters if cell.clusters else np.arange(n)
    runs, names, system_of = [], [], {}
    shared = rng.normal(0, cell.seeds, max(cell.sizes)) * sqrt(0.5) if cell.paired else np.zeros(max(cell.sizes))
    for number, size in enumerate(cell.sizes):
        own = sqrt(1 - 0.5 * cell.clusters) * rng.normal(0, NOISE, n)
        own += cell.clusters * sqrt(0.5) * rng.normal(0, NOISE, n_clusters)[cluster % n_clusters]
        spread = cell.seeds * (2.0 ** (number % 3) if cell.uneven else 1.0)
        for run in range(max(size, 1)):
            shift = rng.normal(0, spread * sqrt(1 - 0.5 * cell.paired)) + shared[run] if size else 0.0
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
        rng = np.random.default_rng([seed, *_place(cell), number])
        track, clusters = track_of(cell, rng)
        asked = CompareRequest(
            baseline=("00",) if cell.sizes[0] == 0 else (),
            clusters=clusters if cell.clusters else None,
            infer=infer,
            paired_replicates=cell.paired and infer == "systems",
            samples=999,
        )
        tests = answer(track, asked)[0].tests
        errors += tests.differs.any(), ((tests.family_low > 0) | (tests.family_high < 0)).any()
    return float(errors[0] / n_tracks), float(errors[1] / n_tracks)


def _place(cell: Cell) -> tuple[int, ...]:
    return (2, PAIRED.index(cell)) if cell.paired else (CELLS.index(cell),)


def _is_even(cell: Cell) -> bool:
    """Whether all systems have as many runs from seeds of one variance, so that sizes of errors are alike too."""
    return len(set(cell.sizes)) == 1 and not cell.uneven


def sentences(cell: Cell, n_tracks: int, seed: int, infer: Infer) -> list[float]:
    """The share of tracks on which each of `SENTENCES` is said of any system."""
    errors = np.zeros(len(SENTENCES))
    for number in range(n_tracks):
        track, clusters = track_of(cell, np.random.default_rng([seed, *_place(cell), number]))
        asked: Any = {"infer": infer, "clusters": clusters if cell.clusters else None}
        (profiled,) = profile.answer(track, ProfileRequest(run="00", baseline=("01",), **asked))
        of_role = {versus.role: versus.outcome in ("better", "worse") for versus in profiled.compared.versus}
        named = summary.NamedTrack(None, track, parse_target("best"))
        summed = summary.answer([named], SummaryRequest(**asked)).measures[0]
        total = answer(track, CompareRequest(of="total", **asked))[0].tests
        against, mean = (
            _verdicts(risky) for risky in risk.answer(track, RiskRequest(baseline=("run:00", "mean"), **asked))
        )
        errors += np.array(
            [
                of_role["baseline"],
                of_role.get("best", False),
                summed.tests is not None and summed.tests.differs.any(),
                _is_even(cell) and total.differs.any(),
                against.safe.any(),
                mean.safe.any(),
                _is_even(cell) and (against.deviant.any() or mean.deviant.any()),
            ],
            dtype=float,
        )
    return [float(rate) for rate in errors / n_tracks]


def _verdicts(of: risk.RiskAnswer) -> RiskVerdicts:
    assert of.verdicts is not None, "there are others than the baseline"
    return of.verdicts


def risky(cell: Cell, n_tracks: int, seed: int, infer: Infer) -> list[float]:
    """The share of tracks on which any system is called risky at each of `ALPHAS`, E u_risk of all being 0."""
    rates = []
    for alpha in ALPHAS:
        better, errors = _balanced(cell, alpha), 0
        for number in range(n_tracks):
            track, clusters = track_of(cell, np.random.default_rng([seed, 3, *_place(cell), number]), better)
            request = RiskRequest(
                baseline=("run:00",), alpha=(alpha,), infer=infer, clusters=clusters if cell.clusters else None
            )
            errors += int(_verdicts(risk.answer(track, request)[0]).risky.any())
        rates.append(errors / n_tracks)
    return rates


def _balanced(cell: Cell, alpha: float) -> float:
    """By how much the first system is worse, so that E u_risk of the second one against it is 0."""
    rngs = [np.random.default_rng([4, *_place(cell), number]) for number in range(N_BALANCED)]
    states = [rng.bit_generator.state for rng in rngs]
    low, high = -0.3, 0.1
    for _ in range(9):
        middle, u_risk = (low + high) / 2, 0.0
        for rng, state in zip(rngs, states, strict=True):
            rng.bit_generator.state = state
            values = track_of(cell, rng, middle)[0].scored[0].scores.values
            u_risk += float(weighed(values[1] - values[0], alpha).mean())
        low, high = (middle, high) if u_risk > 0 else (low, middle)
    return (low + high) / 2


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
    parser.add_argument("--of", choices=tuple(OF), default="pairs", help="the statements that are counted (pairs)")
    parser.add_argument("--each", type=int, default=1, metavar="N", help="every N-th kind of track alone (1)")
    parser.add_argument("--infer", choices=("systems", "runs"), default="systems", help="what errors are of (systems)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    heads, cells, rates = OF[asked.of]
    if asked.power:
        heads, cells, rates = ("systems", "runs"), POWER, lambda *of_cell: power(*of_cell[:3])
    print(
        f"{asked.tracks} tracks a row\n\n| world | queries | runs | seeds | {' | '.join(heads)} |",
        "|" + " --- |" * (4 + len(heads)),
        sep="\n",
    )
    of_cells = []
    for cell in cells[:: asked.each]:
        of_cells.append(rates(cell, asked.tracks, asked.seed, asked.infer))
        print(cell.words, " | ".join(f"{rate:.3f}" for rate in of_cells[-1]), "|", flush=True)
    if not asked.power:
        worst = ", ".join(f"{head} {rate:.3f}" for head, rate in zip(heads, np.max(of_cells, axis=0), strict=True))
        means = ", ".join(f"{head} {rate:.3f}" for head, rate in zip(heads, np.mean(of_cells, axis=0), strict=True))
        error = sqrt(0.05 * 0.95 / asked.tracks)
        print(f"\n{len(of_cells)} kinds; largest: {worst}; mean: {means}; standard error of .05: {error:.4f}")


SENTENCES = ("named", "best", "summary", "total", "safe", "mean", "deviates")
OF: Mapping[str, tuple[Sequence[str], Sequence[Cell], Callable[..., Sequence[float]]]] = {
    "pairs": (("any", "missed"), CELLS, level),
    "sentences": (SENTENCES, CELLS, sentences),
    "paired": (("any", "missed"), PAIRED, level),
    "risky": (tuple(f"risky at {alpha:g}" for alpha in ALPHAS), CELLS, risky),
}


if __name__ == "__main__":
    main()
