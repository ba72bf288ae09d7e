"""Whether a number rises or falls over years: Kendall's tau-b with the exact test of no trend (Mann-Kendall)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

import numpy as np

from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.stats.correlation import LEAST_POINTS


@dataclass(frozen=True)
class Trend:
    """Kendall's tau-b of the year and a value, in [-1, 1], with its exact two-sided p.

    ``n_years`` years were used and ``n_undefined`` left out because their value is not finite. ``least_p`` is the least
    p that so many years, with the ties they have, can give at all: what is above the level asked for cannot be reached.
    ``tau``, ``p`` and ``least_p`` are nan for fewer than 3 years and where all values are equal.
    """

    n_years: int
    n_undefined: int
    tau: float
    p: float
    least_p: float


def trend(years: Sequence[int], values: FloatArray) -> Trend:
    """The trend of values of shape (n,) over n distinct years, in any order.

    S is the number of pairs of years over which the value rises minus those over which it falls,
    tau_b = S / sqrt(all pairs * pairs of different values), and p the share of all orders of the values, each as likely
    as any other, whose abs(S) is as large or larger (Kendall, Biometrika 30, 1938; as a test against trend Mann,
    Econometrica 13, 1945). It is exact with ties among the values too, and takes it that no year depends on another.
    Values are compared after `equalised`. Time O(n^3).

    The least p of seven years is 2/7!, and that of three years 1/3, with two of their values tied 2/3:

    >>> falling = trend(range(1993, 2000), np.array([-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, -0.7]))
    >>> falling.tau, falling.p == falling.least_p == 2 / 5040
    (-1.0, True)
    >>> trend([2010, 2011, 2012], np.array([0.1, 0.3, 0.2]))
    Trend(n_years=3, n_undefined=0, tau=0.3333333333333333, p=1.0, least_p=0.3333333333333333)
    >>> trend([2010, 2011, 2012], np.array([0.1, 0.3, 0.3])).p == 2 / 3
    True
    """
    assert np.shape(values) == (len(years),), "one value a year"
    assert len(set(years)) == len(years), "a year is there once"
    defined = np.isfinite(values)
    n_years = int(defined.sum())
    n_undefined = len(years) - n_years
    ordered = equalised(values[defined])[np.argsort(np.asarray(years)[defined])]
    counts = [int((ordered == value).sum()) for value in sorted(set(ordered.tolist()))]
    if n_years < LEAST_POINTS or len(counts) == 1:
        return Trend(n_years, n_undefined, float("nan"), float("nan"), float("nan"))
    s = sum(int((ordered[:i] < ordered[i]).sum() - (ordered[:i] > ordered[i]).sum()) for i in range(1, n_years))
    orders = inversions(counts)
    pairs = len(orders) - 1
    as_large = sum(number for fell, number in enumerate(orders) if abs(pairs - 2 * fell) >= abs(s))
    tau = s / sqrt(comb(n_years, 2) * pairs)
    n_orders = sum(orders)
    return Trend(n_years, n_undefined, tau, as_large / n_orders, 2 / n_orders)


def inversions(counts: Sequence[int]) -> list[int]:
    """How many orders of a multiset have 0, 1, 2, ... inversions; ``counts`` says how often each of its values occurs.

    With n = sum of counts they are the coefficients of the Gaussian multinomial in q (Stanley, Enumerative
    Combinatorics 1, 2nd edition, proposition 1.7.1), without ties the Mahonian numbers:

        prod over i = 1..n of (1 - q^i) / prod over each count m, over j = 1..m, of (1 - q^j)

    The last one is of as many inversions as there are pairs of different values. All of it is in whole numbers.

    Of 3 values, 1 2 3 has no inversion, 1 3 2 and 2 1 3 have one, 2 3 1 and 3 1 2 two, 3 2 1 three; of 1 2 2, 2 1 2
    has one and 2 2 1 two:

    >>> inversions([1, 1, 1]), inversions([1, 2])
    ([1, 2, 2, 1], [1, 1, 1])
    """
    n = sum(counts)
    most = comb(n, 2) - sum(comb(count, 2) for count in counts)
    orders = [1] + [0] * most
    for factor in range(1, n + 1):
        for k in range(most, factor - 1, -1):
            orders[k] -= orders[k - factor]
    for factor in (factor for count in counts for factor in range(1, count + 1)):
        for k in range(factor, most + 1):
            orders[k] += orders[k - factor]
    return orders
