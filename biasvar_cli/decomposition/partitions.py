"""Query samples: partitions of the queries into subsets, whose means take the place of single scores (CIKM'14).

CIKM'14: Zhang et al., "Generalized Bias-Variance Evaluation of TREC Participated Systems", CIKM 2014, Eq. 3 to 7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray, equalised
from biasvar_cli.decomposition.design import Remainder, SubsetWeights
from biasvar_cli.errors import DataError, warn
from biasvar_cli.stats.streams import Stream, generator
from biasvar_cli.words import DifficultyKey as DifficultyKey
from biasvar_cli.words import counted, examples


@dataclass(frozen=True, eq=False)
class Partition:
    """The queries split into m disjoint subsets that cover them.

    ``order`` lists the queries subset by subset, shape (n_queries,); ``sizes`` and ``weights`` have the shape (m,), and
    the weights sum to 1.
    """

    order: IntArray
    sizes: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, order: IntArray, sizes: Sequence[int] | IntArray, weights: SubsetWeights = "size") -> Partition:
        """Consecutive subsets of ``order``, weighted by their sizes (CIKM'14 with p_s = k_s / n) or equally.

        >>> Partition.of(np.arange(5), [2, 2, 1]).weights.tolist()
        [0.4, 0.4, 0.2]
        """
        sizes = np.asarray(sizes, dtype=np.int64)
        assert sizes.min() > 0, "no subset is empty"
        assert sizes.sum() == len(order), "the subsets cover every query"
        share = sizes / len(order) if weights == "size" else np.full(len(sizes), 1 / len(sizes))
        return cls(order, sizes, share)

    def means(self, values: FloatArray) -> FloatArray:
        """The mean of each subset: values of shape (..., n_queries) give (..., m).

        Deviations from the first value of each subset are averaged, so that the mean of a constant subset is exactly
        that constant, 0 above all.

        >>> Partition.of(np.arange(5), [2, 2, 1]).means(np.array([0.1, 0.2, 0.3, 0.4, 0.6])).round(12).tolist()
        [0.15, 0.35, 0.6]
        """
        if (self.sizes == 1).all():
            return values[..., self.order]
        ordered, starts = values[..., self.order], np.cumsum(self.sizes) - self.sizes
        first = ordered[..., starts]
        deviations = ordered - np.repeat(first, self.sizes, axis=-1)
        means: FloatArray = first + np.add.reduceat(deviations, starts, axis=-1) / self.sizes
        return means


def subset_sizes(n_queries: int, size: int, remainder: Remainder = "last") -> list[int]:
    """The sizes of the subsets of ``size`` queries; ``remainder`` says what becomes of a rest.

    ``last``: it is a smaller last subset. ``balanced``: round(n / k) subsets whose sizes differ by at most one.
    ``merge``: it joins the subset before. No query is ever dropped.

    >>> [subset_sizes(48, 10, rest) for rest in ("last", "balanced", "merge")]
    [[10, 10, 10, 10, 8], [10, 10, 10, 9, 9], [10, 10, 10, 18]]
    """
    whole, rest = divmod(n_queries, size)
    if remainder == "balanced":
        number = max(1, (2 * n_queries + size) // (2 * size))
        least, more = divmod(n_queries, number)
        return [least + 1] * more + [least] * (number - more)
    if rest and whole and remainder == "merge":
        return [size] * (whole - 1) + [size + rest]
    return [size] * whole + ([rest] if rest else [])


def single_queries(n_queries: int) -> Partition:
    """Every query is a subset (CIKM'14, configuration a).

    >>> single_queries(2).sizes.tolist()
    [1, 1]
    """
    return Partition.of(np.arange(n_queries), np.ones(n_queries, dtype=np.int64))


def random_orders(n_queries: int, size: int, repeats: int, seed: int) -> list[IntArray]:
    """Random orders of the queries (CIKM'14, configuration b), the same for all runs.

    The seed and the subset size start the stream, so that one size is drawn alike whatever others are.

    >>> [sorted(order.tolist()) for order in random_orders(3, 2, 2, seed=0)]
    [[0, 1, 2], [0, 1, 2]]
    """
    rng = generator(Stream.PARTITIONS, seed, size)
    return [rng.permutation(n_queries) for _ in range(repeats)]


def ease(pool: FloatArray, key: DifficultyKey = "best") -> FloatArray:
    """How easy each query is: its best or its mean score over the runs of a pool, (..., R, n) to (..., n).

    Queries that are as easy as one another up to rounding are equal.

    >>> ease(np.array([[0.1, 0.5], [0.3, 0.2]])).tolist()
    [0.3, 0.5]
    """
    return equalised(pool.max(axis=-2) if key == "best" else pool.mean(axis=-2), axis=-1)


def by_difficulty(pool: FloatArray, key: DifficultyKey = "best") -> IntArray:
    """The queries from hard to easy (CIKM'14, configuration c), (..., R, n) to (..., n); ties keep their order.

    >>> f, g = [0.10, 0.20, 0.30, 0.40, 0.60], [0.05, 0.30, 0.20, 0.50, 0.45]
    >>> by_difficulty(np.array([g, f])).tolist()
    [0, 1, 2, 3, 4]
    """
    return np.argsort(ease(pool, key), axis=-1, kind="stable")


def given_groups(groups: Mapping[str, str], queries: Sequence[str], path: str) -> tuple[IntArray, list[int]]:
    """The queries group by group, groups in order of their names, and the sizes of the groups.

    Raises `DataError` for a query without a group; groups of other queries are left out with a warning.

    >>> order, sizes = given_groups({"1": "long", "2": "short", "3": "long"}, ("1", "2", "3"), "groups.csv")
    >>> order.tolist(), sizes
    ([0, 2, 1], [2, 1])
    """
    missing = [query for query in queries if query not in groups]
    others = [query for query in groups if query not in set(queries)]
    if missing:
        hint = f"; it has a group for {examples(others)}, which is not evaluated" if others else ""
        raise DataError(f"no group for {counted(len(missing), 'query')}: {examples(missing)}{hint}", path=path)
    if others:
        warn(f"{path}: {counted(len(others), 'query')} outside the evaluated ones left out: {examples(others)}")
    _, group, sizes = np.unique([groups[query] for query in queries], return_inverse=True, return_counts=True)
    return np.argsort(group, kind="stable"), sizes.tolist()
