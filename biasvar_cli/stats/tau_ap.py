"""A rank correlation in which changes of order near the top weigh most.

Sources: Yilmaz, Aslam and Robertson, "A new rank correlation coefficient for information retrieval", SIGIR 2008; ties
as the mean over all orders of what is tied: Urbano and Marrero, "The treatment of ties in AP correlation", ICTIR 2017,
for ties in the first ranking (their tau_AP,a), and here in both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort

import numpy as np

from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.stats.correlation import LEAST_POINTS


def tau_ap(places: FloatArray, other: FloatArray) -> float:
    """tau_AP of two rankings of the same N items, given as numbers of which the least is the first; shapes (N,).

    tau_AP = 2 / (N - 1) sum_{i=2}^{N} C(i) / (i - 1) - 1: of the items above the one at place i of the first ranking,
    C(i) stand above it in the other too. It is in [-1, 1], 1 for the same order and -1 for the reverse one, and not
    symmetric: the places, and so the weights, are those of the first ranking. Numbers that are equal up to rounding
    are tied: tau_AP is its mean over all orders of what is tied. Of t tied items after p others, the one at the k-th
    of their places has C(p + k) = A / t + (k - 1) / 2 in the mean, A the pairs of one of the t and one of the p that
    stand in the same order in the other ranking, a tie there being half a pair.

    nan for fewer than three items, for a ranking that is one tie, and where a number is not finite, as Kendall's.

    Of four items the other ranking has the last two in reverse: C is 1, 2, 2; with the first two it is 0, 2, 3.

    >>> first = np.array([1.0, 2, 3, 4])
    >>> round(tau_ap(first, np.array([1.0, 2, 4, 3])), 6)  # 2 / 3 (1 / 1 + 2 / 2 + 2 / 3) - 1
    0.777778
    >>> round(tau_ap(first, np.array([2.0, 1, 3, 4])), 6)  # 2 / 3 (0 + 2 / 2 + 3 / 3) - 1
    0.333333
    >>> round(tau_ap(first, np.array([1.0, 1, 3, 4])), 6)  # the mean of 1 / 3 and 1
    0.666667
    """
    n = len(places)
    if n < LEAST_POINTS or not (np.isfinite(places).all() and np.isfinite(other).all()):
        return float("nan")
    own, others = equalised(places), equalised(other)
    if np.ptp(own) == 0 or np.ptp(others) == 0:
        return float("nan")
    order = np.argsort(own, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(own[order])) + 1, n)
    above: list[float] = []
    total, start = 0.0, 0
    for end in ends.tolist():
        group = others[order[start:end]].tolist()
        agreeing = sum(bisect_left(above, value) + bisect_right(above, value) for value in group) / 2
        total += sum((agreeing / len(group) + k / 2) / (start + k) for k in range(len(group)) if start + k)
        for value in group:
            insort(above, value)
        start = end
    return min(1.0, max(-1.0, 2 * total / (n - 1) - 1))
