"""How often the tests of `compare` call equal runs different where queries are in clusters, known to them or not.

    python benchmarks/clusters.py --tracks 300 --samples 499

Simulated tracks of six equal runs: a score is a beta variate (.8, 1.2) of a normal one that is made of a part common to
the cluster, with the weight of the intra-cluster correlation 0, .2, .5 or .9, and of the query's own. There are 6, 10,
20 or 40 clusters of three sorts: of equal size (5 queries each), of unequal sizes (1, 3, 5, 7 and 9 in turn), and one
that is large (40 % of all queries, the others with 3 each).

The tests: Student's t, the step-down test and the randomisation test of one pair, and the step-down test of all 15
pairs; each with the clusters and, as if they were not known, without. A number is the share of tracks on which any pair
is called different at 5 %. Seeded; the number of jobs changes nothing. Nothing here is asserted.

    python benchmarks/clusters.py --sizes

How often Student's t errs for many sets of sizes, on 8000 tracks of normal scores each, beside the sum over clusters of
(n_c / n - 1 / C)^2: there is a warning where that is above .025 (`biasvar_cli.score_matrix`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.clusters import Clusters
from biasvar_cli.specs.limits import LEVEL, is_significant
from biasvar_cli.stats.paired import paired_t
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


def sets_of_sizes() -> dict[str, IntArray]:
    """Sizes of clusters, from alike to very different."""
    sets = {f"1 3 5 7 9 ..., {n}": np.resize([1, 3, 5, 7, 9], n) for n in (6, 8, 10, 12, 15, 20, 40)}
    sets |= {f"1 2 ..., {n}": np.resize([1, 2], n) for n in (6, 8, 10, 16)}
    sets |= {f"1 1 1 2 3 5 8 13 20 30 ..., {n}": np.resize([1, 1, 1, 2, 3, 5, 8, 13, 20, 30], n) for n in (20, 40)}
    for n in (10, 20, 40):
        for share in (0.15, 0.2, 0.25, 0.3, 0.4):
            large = round(share / (1 - share) * (n - 1) * 3)
            sets[f"{large} 3 3 ..., {n}"] = np.array([large, *[3] * (n - 1)])
    return sets


def rate_of_t(sizes: IntArray, correlation: float, n_tracks: int = 8000) -> float:
    """The share of tracks of normal differences in clusters of these sizes for which t has p < .05."""
    rng = np.random.default_rng([*sizes.tolist(), round(100 * correlation)])
    clusters = Clusters(np.repeat(np.arange(len(sizes)), sizes))
    common = rng.normal(size=(n_tracks, clusters.n))[:, clusters.of_query]
    own = rng.normal(size=common.shape)
    differences = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
    return float(is_significant(paired_t(clusters.terms(differences)).p, LEVEL).mean())


def rows_of_sizes() -> Iterator[str]:
    """A table of Markdown: a row for each set of sizes, in ascending order of how much their shares differ."""
    sets = sets_of_sizes()
    spread = {name: float(((sizes / sizes.sum() - 1 / len(sizes)) ** 2).sum()) for name, sizes in sets.items()}
    yield f"| sizes | sum of squares | {' | '.join(f'correlation {one:g}' for one in CORRELATIONS)} |"
    yield f"|{' --- |' * (2 + len(CORRELATIONS))}"
    for name in sorted(sets, key=lambda name: spread[name]):
        made = [f"{rate_of_t(sets[name], correlation):.3f}" for correlation in CORRELATIONS]
        yield f"| {name} | {spread[name]:.3f} | {' | '.join(made)} |"


def main() -> None:
    """Simulate every cell and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracks", type=int, default=300, help="Simulated tracks of each kind.")
    parser.add_argument("--samples", type=int, default=499, help="Samples of each test.")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sizes", action="store_true", help="Student's t for many sets of sizes instead.")
    options = parser.parse_args()
    if options.sizes:
        print("\n".join(rows_of_sizes()))
        return
    cells = [Cell(*parts) for parts in product(SORTS, NUMBERS, CORRELATIONS)]
    with ProcessPoolExecutor(options.jobs) as pool:
        size = len(cells)
        made = list(pool.map(rates, cells, [options.tracks] * size, [options.samples] * size))
    print("\n".join(rows(cells, made)))


if __name__ == "__main__":
    main()
