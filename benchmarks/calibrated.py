"""How often calibrated intervals hold the truth, and how often the step-down test of all pairs errs.

    python benchmarks/calibrated.py --sets 300 --jobs 2
    python benchmarks/calibrated.py --sets 300 --matrix human.csv --matrix gpt-4o.csv

Two files of scores under people and under a model, a row a query and a column a run, are a population: n queries that
people judge and N that the model alone judges are drawn from it with replacement, and the truth is people's mean over
all of the file. The two made worlds are populations of 20 000 queries: in ``faithful`` the model sees a part of what
people see, in ``partial`` it favours every third run by .1 and is lenient where queries are hard.

Coverage: the share of runs, and of all pairs of runs, whose interval of 95 % holds the truth, with people alone beside
it, and the median width of pairs over that of people alone. Familywise: all runs are moved to one mean under people, so
that any significant pair is false; the share of sets with one, among all pairs and among those with the first run, as
with ``--baseline``. Seeded; the number of jobs changes nothing. Nothing here
is asserted. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pandas as pd

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.calibrated import Calibrated, Estimate
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import Pairs

LEVEL, POPULATION, RUNS = 0.95, 20_000, 20
SIZES = ((6, 50), (10, 100), (25, 50), (25, 300), (50, 300))  # queries that people judge, and others
Population = tuple[FloatArray, FloatArray]  # under people and under the model, (R, M) both


def made(name: str) -> Population:
    """A made population of runs."""
    rng = np.random.default_rng(0)
    ability, difficulty = rng.normal(0.5, 0.08, RUNS)[:, None], rng.normal(0, 0.15, POPULATION)
    seen = ability + difficulty + rng.normal(0, 0.12, (RUNS, POPULATION))
    people = np.clip(seen + rng.normal(0, 0.08, seen.shape), 0, 1)
    if name == "faithful":
        return people, np.clip(0.15 + 0.9 * seen + rng.normal(0, 0.08, seen.shape), 0, 1)
    favoured = np.where(np.arange(RUNS) % 3 == 0, 0.1, 0.0)[:, None]
    lenient = 0.3 - 0.5 * difficulty
    return people, np.clip(favoured + lenient + 0.6 * seen + rng.normal(0, 0.15, seen.shape), 0, 1)


def drawn(population: Population, size: tuple[int, int], number: int) -> Calibrated:
    """The scores on queries drawn from a population."""
    (people, model), (n, n_alone) = population, size
    rng = np.random.default_rng([n, n_alone, number])
    both, alone = (rng.integers(people.shape[1], size=count) for count in size)
    return Calibrated(people[:, both], model[:, both], model[:, alone])


def held(estimate: Estimate, truth: FloatArray) -> float:
    """The share of the intervals that hold the truth; those of width 0 hold a difference of exactly 0."""
    low, high = estimate.interval(LEVEL)
    return float(((low - 1e-12 <= truth) & (truth <= high + 1e-12)).mean())


def coverage(population: Population, size: tuple[int, int], number: int) -> tuple[float, ...]:
    """Runs and pairs that are held, calibrated and by people alone, and the ratio of the widths of pairs."""
    found = drawn(population, size, number)
    alone = found.by_people
    means, pairs = population[0].mean(axis=1), Pairs.of_all(len(population[0]))
    deltas = means[pairs.first] - means[pairs.second]
    of_pairs, of_people = found.differences(pairs), alone.differences(pairs)
    varies = of_people.error > 1e-12
    widths = np.median(of_pairs.error[varies] / of_people.error[varies])
    of_runs = held(found.runs(), means), held(alone.runs(), means)
    return (*of_runs, held(of_pairs, deltas), held(of_people, deltas), float(widths))


def familywise(population: Population, size: tuple[int, int], n_samples: int, number: int) -> tuple[bool, bool]:
    """Whether any pair, and any with the first run, is called different though all have one mean under people."""
    people, model = population
    people = people - people.mean(axis=1, keepdims=True) + people.mean()
    found = drawn((people, model), size, number)
    draws = Draws(n_samples, partial(generator, Stream.STEP_DOWN, number))
    families = (Pairs.of_all(len(people)), Pairs.against(len(people), 0))
    of_all, of_baseline = (bool((found.family(pairs, LEVEL, draws)[0] < 1 - LEVEL).any()) for pairs in families)
    return of_all, of_baseline


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=300, help="sets of queries of each cell (300)")
    parser.add_argument("--samples", type=int, default=499, help="resamples of the test (499)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--matrix", action="append", default=[], help="scores under people, then under the model")
    options = parser.parse_args(arguments)
    track = [pd.read_csv(path, index_col=0).sort_index().to_numpy(dtype=float).T for path in options.matrix]
    populations = {"track": (track[0], track[1])} if track else {name: made(name) for name in ("faithful", "partial")}
    print(f"{options.sets} sets a cell; standard error of .05 of sets: {np.sqrt(0.05 * 0.95 / options.sets):.3f}\n")
    print(
        "| population | people, others | runs (people alone) | pairs (people alone) | width | familywise | baseline |"
    )
    print("|---|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.jobs) as pool:
        for name, population in populations.items():
            for size in SIZES:
                rates = np.array(list(pool.map(partial(coverage, population, size), range(options.sets), chunksize=8)))
                runs, runs_alone, pairs, pairs_alone, width = rates.mean(axis=0)
                test = partial(familywise, population, size, options.samples)
                errs, of_baseline = np.mean(list(pool.map(test, range(options.sets), chunksize=8)), axis=0)
                cells = f"{runs:.3f} ({runs_alone:.3f}) | {pairs:.3f} ({pairs_alone:.3f}) | {width:.2f}"
                print(f"| {name} | {size[0]}, {size[1]} | {cells} | {errs:.3f} | {of_baseline:.3f} |", flush=True)


if __name__ == "__main__":
    main()
