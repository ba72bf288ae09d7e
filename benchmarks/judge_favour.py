"""How often a judge is said to favour a run, where it favours none and where it favours one; and to be lenient.

    python benchmarks/judge_favour.py --tracks 400 --jobs 2

Worlds in which two judges see the same runs, and the other judge's mean of a run follows from the reference's up to
chance. In those of scores, the true score of run r on query q is T_rq = m_r + t_q + e_rq: few runs are far below the
others, and the deviations over runs, queries and cells are about .11, .2 and .12, as in nDCG@10 of TREC's Deep Learning
track. Both judges see A = T + errors and B = shift + slope T + shift_q + errors, with the errors of `SCORED`. In those
of rankings, `RANKED`, every document has a relevance, both judges turn it with errors into grades 0 to 3, runs order
the documents by relevance and noise, and the scores are nDCG@10 of these grades.

Level: the share of tracks on which any run is called favoured or disfavoured at 5 %, and in brackets that with the
slope of the run means in place of that of the true means. In the two worlds that are ``bent`` the best scores cannot
rise any more, so that the run means lie on a curve, and not on a line. A failed run, far below all others, pulls the
line to itself.

Power: one run of the track is favoured. In the worlds of scores all of its scores under the other judge are higher, by
`GAINS`; in those of rankings the other judge shares a part of the noise by which the run orders documents. The share of
tracks on which this run is called favoured, and in brackets the share on which another run is called anything; the line
of all runs is drawn towards the favoured one.

Lenient: the share of tracks of the worlds of scores on which the judge is called lenient or strict, at 5 %. Where shift
is 0 it is a level, elsewhere power. `judge_spread.py` has the same of what is said of the spread of the runs.

Seeded; the number of jobs changes nothing. Nothing here is asserted. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple
from unittest import mock

import numpy as np
from simulated_rankings import ndcg

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.decomposition import judge_differences
from biasvar_cli.decomposition.judge_differences import favour, judge_split, mean_p
from biasvar_cli.specs.limits import is_significant
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator

LEVEL = 0.95
SIZES = ((10, 10), (10, 50), (60, 25), (60, 50), (150, 50))  # runs and queries
GAINS = (0.05, 0.1)
SHARED_NOISE = (0.1, 0.2)  # of the favoured run, in units of the relevance of a grade
CUTS = (1.0, 1.7, 2.4)  # the relevance from which a document has the grades 1, 2 and 3
DOCUMENTS = 60  # of a query
Pair = tuple[FloatArray, FloatArray]  # of the reference and of the other judge, (R, n) both


class Scored(NamedTuple):
    """How two judges see true scores: ``noise`` and ``other_noise`` are theirs alone, ``shared`` is of both judges.

    ``query`` is the deviation of shift_q; ``lost`` is the chance that the other judge sees nothing relevant in what
    a run finds for a query; scores under the other judge are at most ``highest``; the last run is worse by ``failed``;
    ``ability`` is how far runs are below the best.
    """

    slope: float = 1.0
    shift: float = 0.0
    query: float = 0.0
    noise: float = 0.05
    other_noise: float = 0.1
    shared: float = 0.0
    lost: float = 0.0
    highest: float = np.inf
    failed: float = 0.0
    ability: float = 0.11


class Ranked(NamedTuple):
    """How two judges grade a document: errors of the relevance, how much is added to it, and how it is stretched."""

    noise: float = 0.3
    other_noise: float = 0.5
    lenience: float = 0.0
    stretch: float = 1.0


SCORED: Mapping[str, Scored] = {
    "alike": Scored(),
    "lenient": Scored(shift=0.15, query=0.15),
    "compressing": Scored(slope=0.5, shift=0.35, query=0.15),
    "noisy": Scored(noise=0.1, other_noise=0.25),
    "noisy reference": Scored(noise=0.25),
    "close runs": Scored(ability=0.03),
    "close, noisy reference": Scored(ability=0.03, noise=0.25, other_noise=0.05),
    "shared errors": Scored(slope=0.6, shift=0.2, shared=0.2),
    "blind at times": Scored(shift=0.1, lost=0.1),
    "a failed run": Scored(slope=0.5, shift=0.35, query=0.15, failed=0.4),
    "bent": Scored(shift=0.15, highest=0.9),
    "bent, a failed run": Scored(shift=0.15, highest=0.9, failed=0.4),
}
RANKED: Mapping[str, Ranked] = {
    "grades": Ranked(),
    "lenient grades": Ranked(lenience=0.7),
    "noisy grades": Ranked(other_noise=1.2),
    "binary-like grades": Ranked(lenience=-1.5, stretch=3.0),
}
WORLDS = (*SCORED, *RANKED)
STEPS = (0, 1, 2)  # no gain, the lesser one, the larger one


# ---- tracks; the first run is favoured by the gain


def scored(rng: np.random.Generator, world: Scored, gain: float, n_runs: int, n_queries: int) -> Pair:
    """The scores of runs under both judges."""
    shape = (n_runs, n_queries)
    ability = 0.65 - np.minimum(rng.exponential(world.ability, n_runs), 0.5)
    ability[-1] -= world.failed
    truth = ability[:, None] + rng.normal(0, 0.2, n_queries) + rng.normal(0, 0.12, shape)
    shared = world.shared * rng.standard_normal(shape)
    reference = truth + shared + world.noise * rng.standard_normal(shape)
    moved = world.shift + world.query * rng.standard_normal(n_queries)
    other = world.slope * truth + moved + shared + world.other_noise * rng.standard_normal(shape)
    other[rng.random(shape) < world.lost] = 0.0
    other[0] += gain
    return reference, np.minimum(other, world.highest)


def ranked(rng: np.random.Generator, world: Ranked, gain: float, n_runs: int, n_queries: int) -> Pair:
    """nDCG@10 of runs under both judges."""
    judged = (n_queries, DOCUMENTS)
    relevance = rng.exponential(0.8, judged)
    noise = rng.standard_normal((n_runs, *judged))
    signal = np.exp(rng.normal(0.3, 0.5, (n_runs, 1, 1)))
    order = np.argsort(-(signal * relevance + noise), axis=2)
    grades = _grades(relevance + world.noise * rng.standard_normal(judged))
    seen = relevance + world.other_noise * rng.standard_normal(judged) + gain * noise[0]
    other = _grades(1 + world.stretch * (seen - 1) + world.lenience)
    reference_scores, other_scores = (
        ndcg(np.take_along_axis(np.broadcast_to(labels, order.shape), order, axis=2)) for labels in (grades, other)
    )
    return reference_scores, other_scores


def _grades(relevance: FloatArray) -> IntArray:
    return np.searchsorted(CUTS, relevance, side="right").astype(np.int64)


def track(name: str, step: int, n_runs: int, n_queries: int, number: int) -> Pair:
    """One track of a world, in which the first run has the gain of this step."""
    rng = np.random.default_rng([WORLDS.index(name), step, n_runs, n_queries, number])
    if name in SCORED:
        return scored(rng, SCORED[name], (0, *GAINS)[step], n_runs, n_queries)
    return ranked(rng, RANKED[name], (0, *SHARED_NOISE)[step], n_runs, n_queries)


def called(name: str, step: int, size: tuple[int, int], n_samples: int, number: int) -> tuple[bool, bool]:
    """Whether the first run is called favoured, and whether another run is called anything."""
    draws = Draws(n_samples, partial(generator, Stream.FAVOUR, number))
    signs = favour(*track(name, step, *size, number), LEVEL, draws).signs(LEVEL, curved=True)
    return bool(signs[0] > 0), bool(signs[1:].any() or signs[0] < 0)


def by_the_slope_of_means(name: str, size: tuple[int, int], n_samples: int, number: int) -> bool:
    """Whether any run is called where the slope of the run means takes the place of that of the true means."""
    draws = Draws(n_samples, partial(generator, Stream.FAVOUR, number))
    with mock.patch.object(judge_differences, "true_slope", lambda a, b, _: judge_split(a, b).slope):
        return bool(favour(*track(name, 0, *size, number), LEVEL, draws).signs(LEVEL, curved=True).any())


def lenient(name: str, size: tuple[int, int], number: int) -> bool:
    """Whether the judge is called lenient or strict."""
    return bool(is_significant(mean_p(*track(name, 0, *size, number)), LEVEL))


# ---- what is printed


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracks", type=int, default=400, help="simulated tracks of each cell (400)")
    parser.add_argument("--samples", type=int, default=999, help="resamples of the test (999)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--world", action="append", choices=WORLDS, help="a world; repeatable (all)")
    options = parser.parse_args(arguments)
    errors = (f"{np.sqrt(rate * (1 - rate) / options.tracks):.3f} at {rate:g}" for rate in (0.05, 0.5))
    print(f"{options.tracks} tracks a cell; standard error of a rate: {', '.join(errors)}")
    heads = " | ".join(f"{n_runs} runs, {n_queries} queries" for n_runs, n_queries in SIZES)
    titles = (
        "Level: any run called, none favoured (with the slope of the run means)",
        *(
            f"Power: one run favoured by {gain:g} (rankings: by {noise:g} of its noise)"
            for gain, noise in zip(GAINS, SHARED_NOISE, strict=True)
        ),
    )
    with ProcessPoolExecutor(options.jobs) as pool:
        for step, title in zip(STEPS, titles, strict=True):
            print(f"\n{title}\n", f"| world | {heads} |", f"|{'---|' * (len(SIZES) + 1)}", sep="\n")
            for name in options.world or WORLDS:
                cells = []
                for size in SIZES:
                    work = partial(called, name, step, size, options.samples)
                    calls = np.array(list(pool.map(work, range(options.tracks), chunksize=8)))
                    first, others = calls.mean(axis=0)
                    if step:
                        cells.append(f"{first:.2f} ({others:.3f})")
                        continue
                    beside = partial(by_the_slope_of_means, name, size, options.samples)
                    of_means = np.mean(list(pool.map(beside, range(options.tracks), chunksize=8)))
                    cells.append(f"{calls.any(axis=1).mean():.3f} ({of_means:.3f})")
                print(f"| {name} | {' | '.join(cells)} |", flush=True)
        title = "Lenient or strict (shift of the world in brackets)"
        print(f"\n{title}\n", f"| world | {heads} |", f"|{'---|' * (len(SIZES) + 1)}", sep="\n")
        for name in [name for name in options.world or WORLDS if name in SCORED]:
            cells = []
            for size in SIZES:
                calls = np.array(list(pool.map(partial(lenient, name, size), range(options.tracks), chunksize=8)))
                cells.append(f"{calls.mean():.3f}")
            print(f"| {name} ({SCORED[name].shift:g}) | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
