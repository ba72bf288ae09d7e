"""Clusters of queries that belong together, such as the turns of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.specs.limits import FEWEST_QUERIES

_UNEVEN = 0.025  # beyond which t errs in more than .07 at 5 % (docs/validation.md, "Queries in clusters")


@dataclass(frozen=True, eq=False)
class Clusters:
    """Queries that belong together: the cluster of each, (n,), as numbers from 0 on in the order of first occurrence.

    Queries of one cluster (variants of a question, turns of a conversation, forums of one collection) are alike, so
    that n of them say less than n independent ones. The clusters take the place of the queries as what is independent:

    * a resample draws C of the C clusters with all their queries, and a mean is the ratio of two sums: of the scores
      that were drawn, and of how many these are (`weights`);
    * the variance of a mean is the cluster-robust one,

          C / (C - 1) sum_c (sum_{i in c} (z_i - mean))^2 / n^2,

      and Student's t has C - 1 degrees of freedom. It is the usual variance of the mean of C numbers, one for each
      cluster (`terms`);
    * a sign that is turned, a permutation and a half of the queries take whole clusters (`sums`).

    Where each query is a cluster of its own, all of these are the queries' own numbers, to the last digit.

    Sources: Cameron and Miller, "A practitioner's guide to cluster-robust inference", Journal of Human Resources 50,
    2015; for evaluations: Miller, "Adding error bars to evals", arXiv 2411.00640, 2024; clusters that are drawn: Field
    and Welsh, "Bootstrapping clustered data", JRSS B 69, 2007. How often the tests err is measured by
    `benchmarks/clusters.py`.

    >>> clusters = Clusters.named(["a", "a", "b", "b", "b", "c"])
    >>> clusters.n, clusters.sizes.tolist(), clusters.of_query.tolist()
    (3, [2, 3, 1], [0, 0, 1, 1, 1, 2])
    """

    of_query: IntArray

    @classmethod
    def named(cls, names: Sequence[str]) -> Clusters:
        """The clusters of queries by the name of each one's cluster."""
        number = {name: at for at, name in enumerate(dict.fromkeys(names))}
        return cls(np.array([number[name] for name in names], dtype=np.int64))

    @classmethod
    def of_single_queries(cls, n_queries: int) -> Clusters:
        """Each query as a cluster of its own."""
        return cls(np.arange(n_queries))

    @cached_property
    def n(self) -> int:
        """C, the number of clusters."""
        return int(self.of_query.max()) + 1

    @property
    def n_queries(self) -> int:
        return len(self.of_query)

    @cached_property
    def sizes(self) -> IntArray:
        """The number of queries in each cluster, (C,)."""
        return np.bincount(self.of_query)

    @property
    def are_single(self) -> bool:
        """Whether each query is a cluster of its own."""
        return self.n == self.n_queries

    @property
    def are_few(self) -> bool:
        """Whether there are too few clusters for a test or an interval; single queries are no clusters."""
        return self.n < FEWEST_QUERIES and not self.are_single

    @property
    def are_uneven(self) -> bool:
        """Whether their sizes differ so much that Student's t errs too often.

        It is so where sum_c (n_c / n - 1 / C)^2 is above .025. A cluster of 12 queries and 17 of one have .1359, three
        of one query and three of two have 6 / 18^2 = .0185:

        >>> [Clusters(np.repeat(np.arange(len(n)), n)).are_uneven for n in ([12, *[1] * 17], [1, 1, 1, 2, 2, 2])]
        [True, False]
        """
        return float(((self.sizes / self.n_queries - 1 / self.n) ** 2).sum()) > _UNEVEN

    def sums(self, values: FloatArray) -> FloatArray:
        """The sum over the queries of each cluster: (..., n) to (..., C).

        >>> Clusters.named("aabbbc").sums(np.array([0.2, 0.4, 0.1, 0.3, 0.2, -0.1])).round(12).tolist()
        [0.6, 0.6, -0.1]
        """
        if self.are_single:
            return values
        order = np.argsort(self.of_query, kind="stable")
        starts = np.cumsum(self.sizes) - self.sizes
        return np.add.reduceat(values[..., order], starts, axis=-1)

    def terms(self, values: FloatArray) -> FloatArray:
        """C numbers for each row: their mean is that of the row, the variance of their mean the one above.

        They are mean + C / n sum_{i in c} (z_i - mean), for clusters of one size the means of the clusters. Those of a
        difference of two rows are the differences of their terms. (..., n) to (..., C).

        Six differences in clusters of 2, 3 and 1 have the mean .18333; the sums of the deviations are .23333, .05 and
        -.28333, the variance is 3 / 2 * .137222 / 36 = .005718, and t = 2.4246 with two degrees of freedom. As six
        single queries they have t = 2.6073 with five.

        >>> from biasvar_cli.stats.paired import paired_t
        >>> z = np.array([[0.2, 0.4, 0.1, 0.3, 0.2, -0.1]])
        >>> clustered = paired_t(Clusters.named("aabbbc").terms(z))
        >>> round(float(clustered.mean[0]), 6), round(float(clustered.sd[0] ** 2 / 3), 6), clustered.t.round(4).tolist()
        (0.183333, 0.005718, [2.4246])
        >>> clustered.df, paired_t(z).t.round(4).tolist()
        (2, [2.6073])
        """
        if self.are_single:
            return values
        mean = values.mean(axis=-1, keepdims=True)
        return mean + self.sums(values - mean) * (self.n / self.n_queries)

    def weights(self, of_clusters: FloatArray) -> FloatArray:
        """Weights of the queries, (B, n), from those of clusters, (B, C): all rows have the sum 1.

        >>> Clusters.named("aab").weights(np.array([[0.5, 0.5], [0.0, 1.0]])).round(6).tolist()
        [[0.333333, 0.333333, 0.333333], [0.0, 0.0, 1.0]]
        """
        if self.are_single:
            return of_clusters
        spread = np.take(of_clusters, self.of_query, axis=1)
        spread /= spread.sum(axis=1, keepdims=True)
        return spread

    def excess(self, drawn: FloatArray, moved: FloatArray, deviations: FloatArray) -> FloatArray | float:
        """What the mean square of the deviations in a resample lacks where clusters differ in size: (..., B) or 0.

        ``deviations`` are the terms u less their mean, (..., C), ``drawn`` the weights w of the clusters, (B, C), and
        ``moved`` the mean a = sum w u of each resample. Its t is that of a ratio: the residuals are u - m a / s, for
        the sizes m over their mean and s = sum w m. The excess makes sum w u^2 the sum of their squares and a^2, which
        it is for clusters of one size.

        Clusters of 1 and 3 queries, the first drawn once and the second twice: w = 1/3, 2/3 and m = .5, 1.5. With
        u = 1, -1 is a = -1/3 and s = 7/6; the residuals are 8/7 and -4/7, and their squares and a^2 make .764172 where
        the mean of u^2 is 1.

        >>> clusters = Clusters.named("abbb")
        >>> clusters.excess(np.array([[1 / 3, 2 / 3]]), np.array([-1 / 3]), np.array([1.0, -1.0])).round(6).tolist()
        [-0.235828]
        """
        if np.ptp(self.sizes) == 0:
            return 0.0
        sizes = self.sizes * (self.n / self.n_queries)
        size, of_squares = drawn @ sizes, drawn @ sizes**2
        return moved**2 * (1 + of_squares / size**2) - 2 * moved * ((deviations * sizes) @ drawn.T) / size

    def without(self) -> Iterator[BoolArray]:
        """Which queries, (n,), are left without each cluster in turn."""
        for cluster in range(self.n):
            yield self.of_query != cluster


def units_of(n_queries: int, clusters: Clusters | None) -> Clusters:
    """What is independent: the clusters, or single queries where there are none."""
    return Clusters.of_single_queries(n_queries) if clusters is None else clusters
