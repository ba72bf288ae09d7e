"""Estimates from a few replicates of a system beside the truth: variances over seeds and queries, and that of the mean.

    python benchmarks/replicates.py --trials 4000

A system is trained from K seeds, and ``--replicates`` says of it var_queries, var_replicates and sd_replicates. Here
the law of the seeds is known: v is the mean over the queries of the variance of a score over seeds, sigma the standard
deviation over seeds of the mean of a run, and V the variance over the queries of the expected scores. The queries stay
as they are. The worlds, none of which a model of the program makes:

* `beta`: a Beta law about the expected score of each query, independent between queries;
* `zeros`: like AP. A fifth of the queries has 0 from every seed, on three tenths a seed fails with a probability of .05
  to .5 and scores 0, elsewhere scores are small and skewed;
* `shift`: a seed moves the scores on all queries alike (uniform, +-.1), beside a scatter of each score a third as wide;
* `heavy`: Student's t with 4 degrees of freedom, wider on some queries than on others.

Every trial is one system of K runs, decomposed by the program; the table has means over the trials:

* ``var_replicates / v``, with its 5 % and 95 % points, beside (K - 1) / K;
* ``var_queries - V``, over v, beside two estimates of it, over v too: ``by var_replicates``, var_replicates / (K - 1),
  for seeds that are independent between queries, and ``by both``, var_replicates / (K - 1) - sd_replicates^2 / K, for
  all seeds;
* ``var / (V + v)``, beside 1 - sigma^2 / K (V + v);
* ``sd_replicates / sigma``, with its 5 % and 95 % points, beside c4(K), its mean if the means of runs are normal.

Seeded. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, lgamma, sqrt
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.decompose import ReplicateVariance
from biasvar_cli.score_matrix import ScoreMatrix

QUERIES, REPLICATES = (25, 50, 150), (2, 3, 5, 10)


class World(NamedTuple):
    """A system on some queries: what its seeds draw, and the truth of it.

    ``draw`` gives the scores of so many seeds, (seeds, n). ``expected`` are the expected scores, (n,), ``variances``
    those over seeds, (n,), and ``of_mean`` the variance over seeds of the mean over the queries.
    """

    draw: Callable[[np.random.Generator, int], FloatArray]
    expected: FloatArray
    variances: FloatArray
    of_mean: float

    @classmethod
    def independent(
        cls, draw: Callable[[np.random.Generator, int], FloatArray], expected: FloatArray, variances: FloatArray
    ) -> World:
        """A world whose seeds are independent between queries."""
        return cls(draw, expected, variances, float(variances.sum()) / len(variances) ** 2)


def beta(rng: np.random.Generator, n_queries: int) -> World:
    """Expected scores Beta(1.5, 2.5), of precision 15 to 60 over seeds."""
    mean, precision = np.clip(rng.beta(1.5, 2.5, n_queries), 0.01, 0.99), rng.uniform(15, 60, n_queries)

    def draw(rng: np.random.Generator, n_seeds: int) -> FloatArray:
        return rng.beta(mean * precision, (1 - mean) * precision, (n_seeds, n_queries))

    return World.independent(draw, mean, mean * (1 - mean) / (precision + 1))


def zeros(rng: np.random.Generator, n_queries: int) -> World:
    """A score is 0 with probability z_q, else Beta of precision 20 about m_q: v = (1 - z) w + z (1 - z) m^2."""
    zero = np.zeros(n_queries)
    never, sometimes = round(n_queries / 5), round(3 * n_queries / 10)
    zero[:never], zero[never : never + sometimes] = 1, rng.uniform(0.05, 0.5, sometimes)
    mean, precision = np.clip(rng.beta(1, 4, n_queries), 0.01, 0.99), 20.0
    within = mean * (1 - mean) / (precision + 1)

    def draw(rng: np.random.Generator, n_seeds: int) -> FloatArray:
        scores = rng.beta(mean * precision, (1 - mean) * precision, (n_seeds, n_queries))
        return np.where(rng.random(scores.shape) < zero, 0.0, scores)

    return World.independent(draw, (1 - zero) * mean, (1 - zero) * within + zero * (1 - zero) * mean**2)


def shift(rng: np.random.Generator, n_queries: int) -> World:
    """Expected scores from .15 to .85; a uniform shift of +-.1 of a seed, and one of +-.033 of each of its scores."""
    mean, wide, narrow = rng.uniform(0.15, 0.85, n_queries), 0.1, 0.1 / 3

    def draw(rng: np.random.Generator, n_seeds: int) -> FloatArray:
        scatter = rng.uniform(-narrow, narrow, (n_seeds, n_queries))
        return np.asarray(mean + rng.uniform(-wide, wide, (n_seeds, 1)) + scatter)

    return World(draw, mean, np.full(n_queries, (wide**2 + narrow**2) / 3), (wide**2 + narrow**2 / n_queries) / 3)


def heavy(rng: np.random.Generator, n_queries: int) -> World:
    """Expected scores N(0, 1), such as of logs, and t_4 times .1 to .6: v is twice the square of the factor."""
    mean, scale = rng.standard_normal(n_queries), rng.uniform(0.1, 0.6, n_queries)

    def draw(rng: np.random.Generator, n_seeds: int) -> FloatArray:
        return np.asarray(mean + scale * rng.standard_t(4, (n_seeds, n_queries)))

    return World.independent(draw, mean, 2 * scale**2)


WORLDS: Mapping[str, Callable[[np.random.Generator, int], World]] = {
    law.__name__: law for law in (beta, zeros, shift, heavy)
}


class Row(NamedTuple):
    """What is said of the systems of one world, number of queries and number of replicates, in units of the truth."""

    world: str
    queries: int
    replicates: int
    var_replicates: FloatArray
    excess: FloatArray
    by_replicates: FloatArray
    by_both: FloatArray
    var: FloatArray
    of_var: float
    sd: FloatArray


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=4000, help="systems of each row (4000)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    heads = (
        "world", "queries", "K", "var_replicates / v", "5 %, 95 %", "(K - 1) / K", "var_queries - V",
        "by var_replicates", "by both", "var / (V + v)", "1 - sigma^2 / K (V + v)", "sd_replicates / sigma",
        "5 %, 95 %", "c4",
    )  # fmt: skip
    print(f"| {' | '.join(heads)} |", f"|{' --- |' * len(heads)}", sep="\n")
    largest = 0.0
    for row in rows(asked.trials, asked.seed):
        k = row.replicates
        cells = (
            row.world, row.queries, k, *_mean_and_points(row.var_replicates), f"{(k - 1) / k:.3f}",
            *(f"{values.mean():.3f}" for values in (row.excess, row.by_replicates, row.by_both, row.var)),
            f"{row.of_var:.3f}", *_mean_and_points(row.sd), f"{c4(k):.3f}",
        )  # fmt: skip
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        errors = (row.var_replicates - (k - 1) / k, row.excess - row.by_both, row.var - row.of_var)
        largest = max(largest, *(abs(values.mean()) / (values.std() / sqrt(len(values))) for values in errors))
    print(f"\nThe largest deviation of a mean from what holds for all worlds: {largest:.1f} standard errors")


def rows(trials: int, seed: int) -> Iterator[Row]:
    """Every world with every number of queries and replicates; the queries of a world are the same for each K."""
    for number, (name, law) in enumerate(WORLDS.items()):
        for n_queries in QUERIES:
            world = law(np.random.default_rng([seed, number, n_queries]), n_queries)
            for k in REPLICATES:
                values = world.draw(np.random.default_rng([seed, number, n_queries, k]), trials * k)
                yield _row(name, world, values, k)


def _row(name: str, world: World, values: FloatArray, k: int) -> Row:
    """What the program says of the systems, k rows of values each."""
    runs = tuple(map(str, range(len(values))))
    matrix = ScoreMatrix(values, runs, tuple(map(str, range(values.shape[1]))), None)
    scores = ScoreMatrix.of_systems(matrix, {run: f"{number // k:06}" for number, run in enumerate(runs)})
    parts = ReplicateVariance.of(scores)
    assert parts is not None, "the rows are systems"
    v, of_queries = float(world.variances.mean()), float(np.var(world.expected, ddof=0))
    by_replicates = parts.replicates / (k - 1)
    return Row(
        name,
        values.shape[1],
        k,
        parts.replicates / v,
        (parts.queries - of_queries) / v,
        by_replicates / v,
        (by_replicates - parts.sd**2 / k) / v,
        (parts.queries + parts.replicates) / (of_queries + v),
        1 - world.of_mean / (k * (of_queries + v)),
        parts.sd / sqrt(world.of_mean),
    )


def _mean_and_points(values: FloatArray) -> tuple[str, str]:
    low, high = np.quantile(values, [0.05, 0.95])
    return f"{values.mean():.3f}", f"{low:.2f}, {high:.2f}"


def c4(k: int) -> float:
    """The mean of the standard deviation, divisor k - 1, of k normal numbers over the true one.

    >>> round(c4(2), 4), round(c4(10), 4)
    (0.7979, 0.9727)
    """
    return sqrt(2 / (k - 1)) * exp(lgamma(k / 2) - lgamma((k - 1) / 2))


if __name__ == "__main__":
    main()
