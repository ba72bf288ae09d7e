"""How often the ranges of ranks of `compare` and `profile` contain the true ranks.

    python benchmarks/rank_coverage.py --track trec5-adhoc-ap.csv --tracks 400 --samples 499 --jobs 2

Worlds of 20 runs on 10, 25 and 50 queries: *equal* runs; *spread* runs, of which no two have the same mean; and *two
levels*, ten runs above ten others. Populations of queries are the synthetic ones of `familywise`, and every track given
(a score matrix), of which some runs are drawn anew each time, on queries drawn with replacement. Spread runs of a track
have their own means; in the other worlds they are moved to one mean, or to two.

The true ranks of a run are 1 + the number of runs with a higher true mean, up to the number of runs minus those with a
lower one: all of 1 to 20 for equal runs. *All runs* is the share of simulated tracks on which the ranges of all 20 runs
contain all their true ranks, by the primary test and by t with Holm's correction; *one run* the share on which the
range of a run named beforehand does, from its 19 pairs: of the first, the middle and the last run in the true order,
the least of the three. *Width* is the mean number of ranks in a range, of all runs and of one. The level is 95 %, so
that .95 is wanted at least. Seeded; the number of jobs changes nothing. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
from familywise import SYNTHETIC

from biasvar_cli.analyses.compare import CompareRequest
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.ranks import RunRanks
from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.stats.significance import PRIMARY, Test

World = Literal["equal", "spread", "two levels"]
N_RUNS, QUERIES = 20, (10, 25, 50)
STEP, LEVELS = 0.01, 0.1  # between the means of spread runs, and of two levels, where a population has one mean
ONE = (0, N_RUNS // 2, N_RUNS - 1)  # runs named beforehand, by their place in the true order


class Sample(NamedTuple):
    """Scores, (n_runs, n_queries), of runs in descending order of their true ``means``, (n_runs,)."""

    scores: FloatArray
    means: FloatArray


Population = Callable[[np.random.Generator, World, int], Sample]


def moved(world: World) -> FloatArray:
    """What is added to the means of equal runs, in descending order: (n_runs,)."""
    means = np.zeros(N_RUNS)
    if world == "spread":
        means += STEP * np.arange(N_RUNS)[::-1]
    if world == "two levels":
        means[: N_RUNS // 2] = LEVELS
    return means


def synthetic(name: str, rng: np.random.Generator, world: World, n_queries: int) -> Sample:
    """Runs of a synthetic population, all of one mean, moved to those of the world."""
    means = moved(world)
    return Sample(SYNTHETIC[name](rng, N_RUNS, n_queries) + means[:, None], means)


def of_track(values: FloatArray, rng: np.random.Generator, world: World, n_queries: int) -> Sample:
    """Some runs of a track on queries drawn with replacement; spread runs have their own means."""
    runs = values[rng.choice(len(values), N_RUNS, replace=False)]
    if world != "spread":
        runs = runs - runs.mean(axis=1, keepdims=True) + moved(world)[:, None]
    runs = runs[np.argsort(-runs.mean(axis=1), kind="stable")]
    means = runs.mean(axis=1) if world == "spread" else moved(world)
    return Sample(runs[:, rng.integers(0, values.shape[1], n_queries)], means)


def true_ranks(means: FloatArray) -> tuple[IntArray, IntArray]:
    """The least and the greatest true rank of every run.

    >>> [ranks.tolist() for ranks in true_ranks(np.array([0.5, 0.4, 0.4, 0.1]))]
    [[1, 2, 2, 4], [1, 3, 3, 4]]
    """
    above = (means[None, :] > means[:, None]).sum(axis=1)
    below = (means[None, :] < means[:, None]).sum(axis=1)
    return 1 + above, len(means) - below


Rates = dict[tuple[World, int, str], float]


def coverage(population: Population, n_samples: int, seed: int) -> Rates:
    """Whether the ranges contain the true ranks, and their widths, by world, number of queries and kind of range."""
    rates: Rates = {}
    for place, world in enumerate(get_args(World)):
        for n_queries in QUERIES:
            sample = population(np.random.default_rng([seed, place, n_queries]), world, n_queries)
            least, greatest = true_ranks(sample.means)
            names = tuple(map(str, range(N_RUNS)))
            tests: tuple[Test, ...] = (PRIMARY, "t")
            for test in tests:
                request = CompareRequest(test=(test,), samples=n_samples, seed=seed)
                low, high = map(np.array, RunRanks(PairTests(names, sample.scores, request)).ends)
                rates[world, n_queries, f"all {test}"] = float(np.all((low <= least) & (high >= greatest)))
                rates[world, n_queries, f"width {test}"] = float((1 + high - low).mean())
            request = CompareRequest(test=(PRIMARY,), samples=n_samples, seed=seed)
            widths = []
            for run in ONE:
                lowest, greatest_of = RunRanks(PairTests(names, sample.scores, request, run)).ends
                lower, upper = lowest[run], greatest_of[run]
                assert lower is not None
                assert upper is not None
                rates[world, n_queries, f"one {run}"] = float(lower <= least[run] and upper >= greatest[run])
                widths.append(1 + upper - lower)
            rates[world, n_queries, "width one"] = float(np.mean(widths))
    return rates


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--track", action="append", default=[], help="a score matrix of at least 20 runs; repeatable")
    parser.add_argument("--tracks", type=int, default=400, help="simulated tracks in each cell (400)")
    parser.add_argument("--samples", type=int, default=499, help="samples of the tests (499)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    asked = parser.parse_args(arguments)
    populations: dict[str, Population] = {name: partial(synthetic, name) for name in SYNTHETIC}
    for path in asked.track:
        values = load_track(TrackRequest(inputs=(path,))).scored[0].scores.values
        populations[Path(path).stem] = partial(of_track, values)
    with ProcessPoolExecutor(asked.jobs) as pool:
        rates = {
            name: _means(list(pool.map(partial(coverage, population, asked.samples), range(asked.tracks), chunksize=4)))
            for name, population in populations.items()
        }
    print(report(rates, asked.tracks), flush=True)


def _means(tracks: Sequence[Rates]) -> Rates:
    return {key: float(np.mean([track[key] for track in tracks])) for key in tracks[0]}


def report(rates: Mapping[str, Rates], n_tracks: int) -> str:
    """Tables in markdown: the ranges of all runs, those of one run, and their widths."""
    error = np.sqrt(0.05 * 0.95 / n_tracks)
    lines = [f"{n_tracks} simulated tracks in each cell; standard error of a rate of .95: {error:.3f}"]
    kinds: dict[str, Callable[[Rates, World, int], float]] = {
        "All runs, the primary test": lambda cell, world, n: cell[world, n, f"all {PRIMARY}"],
        "All runs, t + Holm": lambda cell, world, n: cell[world, n, "all t"],
        "One run, the primary test": lambda cell, world, n: min(cell[world, n, f"one {run}"] for run in ONE),
        "Width, all runs": lambda cell, world, n: cell[world, n, f"width {PRIMARY}"],
        "Width, one run": lambda cell, world, n: cell[world, n, "width one"],
    }
    for words, kind in kinds.items():
        lines += ["", words, "", f"| runs | queries | {' | '.join(rates)} |", f"|{'---|' * (len(rates) + 2)}"]
        for world in get_args(World):
            for n in QUERIES:
                cells = [f"{kind(cell, world, n):.{1 if 'Width' in words else 3}f}" for cell in rates.values()]
                lines.append(f"| {world} | {n} | {' | '.join(cell.removeprefix('0') for cell in cells)} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
