"""Variances and covariances over runs of squared means and of variances, without the part that the queries add.

The mean of a run over n queries, and its variance, scatter about their values on all queries. This scatter widens the
plug-in variances over runs, and since the same queries are behind both, it moves their covariance too. An unbiased
estimate has no query twice in a product: it is a U-statistic over quadruples of distinct queries.

Source: Hoeffding, "A class of statistics with asymptotically normal distribution", Annals of Mathematical Statistics
19, 1948.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray

LEAST_QUERIES = 5  # a quadruple, and one to leave out


class Kernel(NamedTuple):
    """h(i, j) = sum over p of a_p(i) b_p(j) for queries i != j of each run, symmetric; ``a`` and ``b`` are (p, R, n).

    The part of h that all runs share is left out: it has no covariance with anything over runs.
    """

    a: FloatArray
    b: FloatArray

    @classmethod
    def squared_mean(cls, values: FloatArray) -> Kernel:
        """x_i x_j, whose mean over pairs estimates the square of the mean, of values (R, n).

        With c the mean over runs and d = x - c it is c_i d_j + d_i x_j, and c_i c_j, which all runs share.
        """
        shared = values.mean(axis=0)
        own = values - shared
        return cls._of((shared, own), (own, values))

    @classmethod
    def variance(cls, values: FloatArray) -> Kernel:
        """(x_i - x_j)^2 / 2, whose mean over pairs estimates the variance, of values (R, n).

        With c and d as above, and e = c d + d^2 / 2, it is e_i + e_j - c_i d_j - d_i x_j, and (c_i - c_j)^2 / 2, which
        all runs share.
        """
        shared = values.mean(axis=0)
        own = values - shared
        square, one = own * (shared + own / 2), np.ones(1)
        return cls._of((square, one, -shared, -own), (one, square, own, values))

    @classmethod
    def _of(cls, a: tuple[FloatArray, ...], b: tuple[FloatArray, ...]) -> Kernel:
        return cls(np.stack(np.broadcast_arrays(*a)), np.stack(np.broadcast_arrays(*b)))

    @property
    def diagonal(self) -> FloatArray:
        """h(i, i) of each run, (R, n), which has no part in the sums."""
        on: FloatArray = (self.a * self.b).sum(axis=0)
        return on

    @property
    def rows(self) -> FloatArray:
        """The sum over j != i of h(i, j), by run and i: (R, n)."""
        return self.times(np.ones(self.a.shape[2]))

    def times(self, vector: FloatArray) -> FloatArray:
        """The sum over j != i of h(i, j) v(j), by run and i; v is (n,) or (R, n)."""
        inner = (self.b * vector).sum(axis=2)
        along: FloatArray = np.einsum("prn,pr->rn", self.a, inner) - self.diagonal * vector
        return along


def unbiased_covariance(one: Kernel, other: Kernel) -> tuple[float, FloatArray]:
    """The covariance of two kernels over runs without bias: of all queries, and without each in turn, (n,).

    It is the mean over all ordered quadruples of distinct queries i, j, k, l of the covariance over runs (divisor R) of
    h1(i, j) and h2(k, l). The sum of h1(i, j) h2(k, l) over the quadruples is

        sum_ij h1 sum_ij h2 - 4 sum_i (sum_j h1)(sum_j h2) + 2 sum_ij h1 h2

    with sums over i != j; its mean over runs is taken, less the same of the kernels' means over runs. Needs n >= 5.
    Time O(R n min(R, n)); no array is larger than 4 R n, or min(4 R, n)^2.

    A run with x = 1 on four queries of five, and one that is 0 on all. h1(i, j) h1(k, l) is 1 for the 24 quadruples of
    these four, of 120; the covariance over two runs of which one is 0 is a quarter of its mean, .05, and .25 without
    the fifth query.

    >>> kernel = Kernel.squared_mean(np.array([[1.0, 1, 1, 1, 0], [0, 0, 0, 0, 0]]))
    >>> whole, without = unbiased_covariance(kernel, kernel)
    >>> round(whole, 12), np.abs(without).round(12).tolist()
    (0.05, [0.0, 0.0, 0.0, 0.0, 0.25])
    """
    n = one.a.shape[2]
    assert n >= LEAST_QUERIES, "a quadruple of queries is left without one"
    rows, common = (one.rows, other.rows), (one.rows.mean(axis=0), other.rows.mean(axis=0))
    by_run = _over_quadruples(*rows, _products(one, other), one.times(rows[1]) + other.times(rows[0]))
    crossed = one.times(common[1]) + other.times(common[0])
    of_mean = _over_quadruples(*common, _products_of_means(one, other), crossed.mean(axis=0))
    whole, without = (each.mean(axis=0) - mean for each, mean in zip(by_run, of_mean, strict=True))
    return float(whole) / (n * (n - 1) * (n - 2) * (n - 3)), without / ((n - 1) * (n - 2) * (n - 3) * (n - 4))


def _over_quadruples(
    rows: FloatArray, others: FloatArray, products: FloatArray, crossed: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The sum of h1(i, j) h2(k, l) over distinct queries, and without each: of (..., n) to (...) and (..., n).

    ``rows`` and ``others`` are the sums over j of h1 and of h2, ``products`` that of h1 h2, ``crossed`` that of
    h1(i, j) others(j) + h2(i, j) rows(j).
    """

    def together(one: FloatArray, other: FloatArray, ends: FloatArray, both: FloatArray) -> FloatArray:
        return one * other - 4 * ends + 2 * both

    one, other, ends, both = (each.sum(axis=-1, keepdims=True) for each in (rows, others, rows * others, products))
    without_ends = ends - rows * others - crossed + products
    without = together(one - 2 * rows, other - 2 * others, without_ends, both - 2 * products)
    return together(one, other, ends, both)[..., 0], without


def _products(one: Kernel, other: Kernel) -> FloatArray:
    """The sum over j != i of h1(i, j) h2(i, j), by run and i: (R, n)."""
    inner = np.einsum("prn,srn->psr", one.b, other.b)
    along: FloatArray = np.einsum("prn,srn,psr->rn", one.a, other.a, inner, optimize=True)
    return along - one.diagonal * other.diagonal


def _products_of_means(one: Kernel, other: Kernel) -> FloatArray:
    """The same of the means of the kernels over runs: (n,).

    h1 and h2 are then sums over runs and p, s that are multiplied out in the order that needs less work.
    """
    n_runs, n_queries = one.a.shape[1:]
    a, b, c, d = (each.reshape(-1, n_queries) for each in (*one, *other))
    by_queries = n_queries <= len(a)
    along = ((a.T @ b) * (c.T @ d)).sum(axis=1) if by_queries else (a * ((b @ d.T) @ c)).sum(axis=0)
    products: FloatArray = along / n_runs**2 - one.diagonal.mean(axis=0) * other.diagonal.mean(axis=0)
    return products
