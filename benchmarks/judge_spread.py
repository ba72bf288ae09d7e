"""How often a judge is said to spread the runs less or more, where it spreads their true means as far, and where half.

    python benchmarks/judge_spread.py --tracks 1000
    python benchmarks/judge_spread.py --tracks 1000 --matrix human.csv --matrix gpt-4o.csv

Worlds in which two judges see the same runs. The true score of run r on query q is T_rq = m_r + t_q + e_rq, and both
judges see it with errors: the deviations of m_r, e_rq and the errors are those of `WORLDS`, and t_q has .2. The other
judge's true means are those of the reference times a factor: 1 for the level, `LESS` for power. In the world ``graded``
scores are in quarters and each query's judges change places at random, as they do in ``skewed``, whose scores are
squares, so that both judges spread the runs alike whatever their law.

With two files of scores, a row a query and a column a run, the track itself is a world: the runs are all, chosen at
random, or neighbours by their means; the deviations of the other judge from the mean of a query are stretched so that
the run means of the file spread as far as the reference's, and queries are drawn with replacement.

Level: the share of tracks on which the test rejects at 5 %. Coverage: the share of tracks with a ratio whose interval
has the factor in it, and in brackets that of tracks with a ratio. Seeded. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.spread import spread
from biasvar_cli.specs.limits import is_significant

LEVEL, LESS = 0.95, 0.5
SIZES = ((4, 15), (4, 50), (8, 25), (20, 15), (20, 50), (60, 25), (60, 100))  # runs and queries
Pair = tuple[FloatArray, FloatArray]  # of the reference and of the other judge, (R, n) both


class World(NamedTuple):
    """Deviations of the runs' abilities, of cells, of each judge's errors and of those that both share."""

    ability: float = 0.05
    cell: float = 0.12
    noise: float = 0.1
    other_noise: float = 0.1
    shared: float = 0.0
    swapped: Callable[[FloatArray], FloatArray] | None = None


WORLDS: Mapping[str, World] = {
    "alike": World(),
    "close runs": World(ability=0.01),
    "distant runs": World(ability=0.15),
    "noisy judge": World(other_noise=0.3),
    "noisy reference": World(noise=0.3),
    "shared errors": World(shared=0.2),
    "no error of the reference": World(noise=0.0, other_noise=0.2),
    "graded": World(swapped=lambda scores: np.clip(np.round(4 * scores) / 4, 0, 1)),
    "skewed": World(swapped=lambda scores: np.clip(scores, 0, None) ** 4),
}


def made(rng: np.random.Generator, world: World, factor: float, n_runs: int, n_queries: int) -> Pair:
    """The scores of runs under both judges."""
    shape = (n_runs, n_queries)
    ability = rng.normal(0, world.ability, n_runs)[:, None]
    around = 0.5 + rng.normal(0, 0.2, n_queries) + rng.normal(0, world.cell, shape)
    around += world.shared * rng.standard_normal(shape)
    reference = ability + around + world.noise * rng.standard_normal(shape)
    other = factor * ability + around + world.other_noise * rng.standard_normal(shape)
    if world.swapped is None:
        return reference, other
    reference, other = map(world.swapped, (reference, other))
    turned = rng.random(n_queries) < 0.5
    return np.where(turned, other, reference), np.where(turned, reference, other)


def drawn(rng: np.random.Generator, track: Pair, runs: str, factor: float, n_runs: int, n_queries: int) -> Pair:
    """The scores of some runs of a track on queries that are drawn from it."""
    reference, other = track
    if runs == "neighbours":
        order = np.argsort(reference.mean(axis=1))
        first = rng.integers(len(order) - n_runs + 1)
        chosen = order[first : first + n_runs]
    else:
        chosen = rng.permutation(len(reference))[:n_runs]
    reference, other = reference[chosen], other[chosen]
    stretch = factor * reference.mean(axis=1).std() / other.mean(axis=1).std()
    other = other.mean(axis=0) + stretch * (other - other.mean(axis=0))
    queries = rng.integers(reference.shape[1], size=n_queries)
    return reference[:, queries], other[:, queries]


def tested(draw: Callable[[np.random.Generator], Pair], factor: float, seeds: Iterable[list[int]]) -> tuple[float, ...]:
    """The shares of tracks that are called, whose interval has the factor in it, and that have a ratio."""
    found = [spread(*draw(np.random.default_rng(seed))) for seed in seeds]
    called = np.mean([is_significant(one.p, LEVEL) for one in found])
    covered = [one.low <= factor <= one.high for one in found if one.ratio == one.ratio]
    return float(called), float(np.mean(covered)) if covered else float("nan"), len(covered) / len(found)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracks", type=int, default=1000, help="simulated tracks of each cell (1000)")
    parser.add_argument("--matrix", action="append", default=[], help="scores under the reference, then under a judge")
    options = parser.parse_args(arguments)
    track = [pd.read_csv(path, index_col=0).to_numpy(dtype=float).T for path in options.matrix]
    print(f"{options.tracks} tracks a cell; standard error of .05: {np.sqrt(0.05 * 0.95 / options.tracks):.4f}")
    draws = {name: partial(made, world=world) for name, world in WORLDS.items()}
    if track:
        draws = {runs: partial(drawn, track=(track[0], track[1]), runs=runs) for runs in ("at random", "neighbours")}
    sizes = [size for size in SIZES if not track or size[0] <= len(track[0])]
    for factor, title in ((1.0, "Level"), (LESS, f"Power, the true ratio is {LESS:g}")):
        print(f"\n{title}; coverage (with a ratio)\n")
        print(f"| world | {' | '.join(f'{n_runs} runs, {n_queries} queries' for n_runs, n_queries in sizes)} |")
        print(f"|{'---|' * (len(sizes) + 1)}")
        rates = []
        for row, (name, draw) in enumerate(draws.items()):
            if factor != 1 and not track and WORLDS[name].swapped is not None:
                continue
            cells = []
            for n_runs, n_queries in sizes:
                draw_one = partial(draw, factor=factor, n_runs=n_runs, n_queries=n_queries)
                seeds = ([row, n_runs, n_queries, number] for number in range(options.tracks))
                called, covered, with_ratio = tested(draw_one, factor, seeds)
                rates.append(called)
                cells.append(f"{called:.3f}; {covered:.3f} ({with_ratio:.2f})")
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
        print(f"\n{len(rates)} cells: mean {np.mean(rates):.3f}, largest {np.max(rates):.3f}")


if __name__ == "__main__":
    main()
