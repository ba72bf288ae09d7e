"""How often the tests of `compare` call equal runs different where queries are in clusters, known to them or not.

    python benchmarks/clusters.py --tracks 600 --jobs 1

Simulated tracks of six equal runs: a score is a beta variate (.8, 1.2) of a normal one that is made of a part common to
the cluster, with the weight of the intra-cluster correlation 0, .2, .5 or .9, and of the query's own. There are 6, 10,
20 or 40 clusters of three sorts: of equal size (5 queries each), of unequal sizes (1, 3, 5, 7 and 9 in turn), and one
that is large (40 % of all queries, the others with 3 each).

The tests: Student's t, the step-down test and the randomisation test of one pair, and the step-down test of all 15
pairs; each with the clusters and, as if they were not known, without. A number is the share of tracks on which any pair
is called different at 5 %. Seeded; the number of jobs changes nothing. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.clusters import Clusters
from biasvar_cli.specs import LEVEL, is_significant
from biasvar_cli.stats.significance import Test

CORRELATIONS = (0.0, 0.2, 0.5, 0.9)
NUMBERS = (6, 10, 20, 40)
SORTS = ("equal", "unequal", "one large")
N_RUNS = 6
SINGLE: tuple[Test, ...] = ("t", "stepdown", "randomisation")  # of one pair
MOST = 0.07  # of tracks: a higher share is printed bold


class Cell(NamedTuple):
    """One kind of track."""

    sort: str
    n_clusters: int
    correlation: float

    @property
    def sizes(self) -> IntArray:
        """The numbers of queries of the clusters, (C,)."""
        if self.sort == "equal":
            return np.full(self.n_clusters, 5)
        if self.sort == "unequal":
            return np.resize([1, 3, 5, 7, 9], self.n_clusters)
        sizes = np.full(self.n_clusters, 3)
        sizes[0] = 2 * (self.n_clusters - 1)  # 40 % of 5 (C - 1)
        return sizes


def simulated(cell: Cell, rng: np.random.Generator) -> tuple[FloatArray, Clusters]:
    """The scores of equal runs on queries in clusters, (N_RUNS, n_queries)."""
    from scipy.special import betaincinv, ndtr

    clusters = Clusters(np.repeat(np.arange(cell.n_clusters), cell.sizes))
    common = rng.normal(size=(N_RUNS, cell.n_clusters))[:, clusters.of_query]
    own = rng.normal(size=common.shape)
    normal = np.sqrt(cell.correlation) * common + np.sqrt(1 - cell.correlation) * own
    scores: FloatArray = betaincinv(0.8, 1.2, ndtr(normal))
    return scores, clusters


def rejections(cell: Cell, number: int, n_samples: int) -> list[bool]:
    """Whether each test calls any pair of a simulated track different, with the clusters first, then without."""
    rng = np.random.default_rng([number, *map(ord, cell.sort), cell.n_clusters, round(100 * cell.correlation)])
    values, clusters = simulated(cell, rng)
    names = tuple(map(str, range(N_RUNS)))
    one = CompareRequest(test=SINGLE, correction="none", samples=n_samples, seed=number)
    made = []
    for known in (clusters, None):
        pair = PairTests(names[:2], values[:2], one, clusters=known)
        made += [bool(is_significant(pair.p[test], LEVEL).any()) for test in SINGLE]
        many = PairTests(
            names, values, CompareRequest(test=("stepdown",), samples=n_samples, seed=number), clusters=known
        )
        made.append(bool(is_significant(many.primary.p, LEVEL).any()))
    return made


def rates(cell: Cell, n_tracks: int, n_samples: int) -> FloatArray:
    """The share of tracks with a false difference, of each test with and without clusters, (2 (n + 1),)."""
    made = np.mean([rejections(cell, number, n_samples) for number in range(n_tracks)], axis=0)
    shares: FloatArray = np.asarray(made)
    return shares


def rows(cells: list[Cell], made: list[FloatArray]) -> Iterator[str]:
    """A table of Markdown: each number with the clusters, and in brackets without."""
    heads = ("clusters", "number", "queries", "correlation", "t", "step-down", "randomisation", "step-down, 15 pairs")
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for cell, shares in zip(cells, made, strict=True):
        known, unknown = np.split(shares, 2)
        pairs = zip(known.tolist(), unknown.tolist(), strict=True)
        numbers = [f"**{one:.3f}** ({other:.2f})" if one > MOST else f"{one:.3f} ({other:.2f})" for one, other in pairs]
        head = (cell.sort, str(cell.n_clusters), str(cell.sizes.sum()), f"{cell.correlation:g}")
        yield f"| {' | '.join([*head, *numbers])} |"


def main() -> None:
    """Simulate every cell and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracks", type=int, default=600, help="Simulated tracks of each kind.")
    parser.add_argument("--samples", type=int, default=999, help="Samples of each test.")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    cells = [Cell(*parts) for parts in product(SORTS, NUMBERS, CORRELATIONS)]
    with ProcessPoolExecutor(options.jobs) as pool:
        size = len(cells)
        made = list(pool.map(rates, cells, [options.tracks] * size, [options.samples] * size))
    print("\n".join(rows(cells, made)))


if __name__ == "__main__":
    main()
