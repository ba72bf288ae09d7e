"""Pearson, Spearman and Kendall correlations of vectors, or of many pairs at once; tau_AP; the trend over years.

scipy.stats has them for one pair, at 0.6 s of import. Here ``x`` and ``y`` have the same shape (..., n): the result has
the shape (...), and each of its values is what the two vectors alone give.

Sources of tau_AP: Yilmaz, Aslam and Robertson, "A new rank correlation coefficient for information retrieval", SIGIR
2008; ties as the mean over all orders of what is tied: Urbano and Marrero, "The treatment of ties in AP correlation",
ICTIR 2017, for ties in the first ranking (their tau_AP,a), and here in both. Pairs of values in one order are counted
by merging: Knight, "A computer method for calculating Kendall's tau with ungrouped data", Journal of the American
Statistical Association 61, 1966.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from typing import Any

import numpy as np

from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray, equalised, rises

_BLOCK = 64  # values that are compared with each other one by one; no count of theirs exceeds a byte
_NARROW = 2**15  # values up to which 32 bits hold a sum of places


def concordance(x: IntArray, y: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Concordant minus discordant pairs, and the pairs not tied in x and not tied in y: (B, n) to three of (B,).

    Both hold integers from 0 to less than 2^31. Time O(n log n) for each row.

    Of six pairs one is tied in x, and the other five are in opposite orders:

    >>> [pairs.tolist() for pairs in concordance(np.array([[1, 2, 2, 4]]), np.array([[4, 3, 2, 1]]))]
    [[-5], [5], [6]]
    """
    pairs = (x << 31) | y
    pairs.sort(axis=1)  # by x, equal ones by y: what then stands in the wrong order in y is discordant
    tied_x, tied_y, tied_both = _tied(pairs >> 31), _tied(np.sort(y, axis=1)), _tied(pairs)
    discordant = inversions(pairs & (2**31 - 1))
    n_pairs = x.shape[1] * (x.shape[1] - 1) // 2
    score: IntArray = n_pairs - tied_x - tied_y + tied_both - 2 * discordant
    return score, n_pairs - tied_x, n_pairs - tied_y


def inversions(y: IntArray) -> IntArray:
    """How many pairs of each row have the larger value first, (B, n) to (B,); integers from 0 to less than 2^31.

    Blocks of at most 64 values are compared value by value. Then neighbouring blocks are joined until one is left. A
    value of the left one at place p of the joined and sorted block has p minus its place on the left as values of the
    right one before it, which are less; equal ones are sorted behind it.

    >>> inversions(np.array([[4, 2, 3, 1], [1, 2, 2, 3]])).tolist()
    [5, 0]
    """
    n_rows, n = y.shape
    n_blocks = 1
    while n_blocks * _BLOCK < n:
        n_blocks *= 2
    width = -(-n // n_blocks)
    most = int(y.max(initial=0))
    kind: Any = np.int32 if n < _NARROW and most < 2**30 else np.int64
    values = np.full((n_rows, n_blocks * width), most, dtype=kind)  # what is filled up stands last and is in order
    values[:, :n] = y
    columns = np.ascontiguousarray(values.reshape(n_rows * n_blocks, width).T)
    of_blocks = np.zeros(n_rows * n_blocks, dtype=np.int64)
    for column in range(1, width):
        of_blocks += np.add.reduce((columns[:column] > columns[column]).view(np.int8), axis=0, dtype=np.int8)
    count: IntArray = of_blocks.reshape(n_rows, n_blocks).sum(axis=1)
    while n_blocks > 1:
        n_blocks //= 2
        joined = values.reshape(n_rows, n_blocks, 2, width)
        joined <<= 1
        joined[:, :, 1] |= 1  # the block that a value is of
        values = joined.reshape(n_rows, n_blocks, 2 * width)
        values.sort(axis=2)
        in_both, on_left = width * (2 * width - 1), width * (width - 1) // 2  # sums over both blocks, and on the left
        of_right = ((values & 1) @ np.arange(2 * width, dtype=kind)).sum(axis=1, dtype=np.int64)
        count += n_blocks * (in_both - on_left) - of_right
        values >>= 1
        width *= 2
    return count


def _tied(ordered: IntArray) -> IntArray:
    """How many pairs of each row are equal, (B, n) in ascending order to (B,)."""
    equal = ordered[:, 1:] == ordered[:, :-1]
    if not equal.any():
        return np.zeros(len(ordered), dtype=np.int64)
    column = np.arange(ordered.shape[1])
    first = np.zeros(ordered.shape, dtype=np.int64)
    np.maximum.accumulate(np.where(equal, 0, column[1:]), axis=1, out=first[:, 1:])
    return (column - first).sum(axis=1)


LEAST_POINTS = 3  # two points always lie on a line: a correlation of them means nothing
_LEFT = 1e-8  # of a sum of squares that a point is taken from, which is more than its rounding
_SLICE = 2**16  # values that are ranked at a time


@dataclass(frozen=True)
class Correlations:
    """Pearson's r, Spearman's rho and Kendall's tau-b, each in [-1, 1], nan where undefined."""

    pearson: float
    spearman: float
    kendall: float


UNDEFINED = Correlations(float("nan"), float("nan"), float("nan"))


def correlations(x: FloatArray, y: FloatArray) -> Correlations:
    """The three correlations of two vectors, shape (n,).

    All are nan for n < 3, for a vector that is constant up to rounding, and where a value is not finite.

    >>> round(correlations(np.array([0.0625, 0.0121, 0.0121]), np.array([0.01, 0.0676, 0.0961])).kendall, 4)
    -0.8165
    """
    return Correlations(*(coefficient.item() for coefficient in all_correlations(x, y)))


def all_correlations(x: FloatArray, y: FloatArray) -> list[FloatArray]:
    """Pearson's, Spearman's and Kendall's correlations of each row, (..., n) to three of (...); nan as above.

    >>> bias2 = np.array([[0.0625, 0.0121, 0.0121], [0.2, 0.2, 0.2]])
    >>> var = np.array([[0.01, 0.0676, 0.0961], [0.1, 0.2, 0.3]])
    >>> all_correlations(bias2, var)[2].round(4).tolist()
    [-0.8165, nan]
    """

    def statistics(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        ranks = mid_ranks(a), mid_ranks(b)
        return _pearson(a, b), _pearson(*ranks), _tau_b(*ranks)

    return _by_row(statistics, x, y, 3)


def pearson(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's product-moment correlation, (..., n) to (...); nan where it is undefined.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2) (Sakai 2013, slide 38).

    >>> round(float(pearson(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 5]))), 6)
    0.982708
    """
    return _by_row(lambda a, b: (_pearson(a, b),), x, y, 1)[0]


def pearson_without(x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson's correlation of two vectors without each of their points in turn, (n,) to (n,); nan where undefined.

    Without a point whose deviations from the means are a and b, sum (x - mean x)^2 is less by a^2 n / (n - 1), and the
    sum of products by a b n / (n - 1). Where less than 1e-8 of a sum is left, which may be its rounding alone, r is
    computed anew. Time O(n).

    The last of these points alone makes r negative. Without the first, the sums are 2, 266/3 and -11:

    >>> pearson_without(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, -9])).round(6).tolist()
    [-0.826033, -0.644902, -0.914807, 1.0]
    """
    n = len(x)
    if n <= LEAST_POINTS or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return np.full(n, np.nan)
    with np.errstate(invalid="ignore"):
        a, b = (_deviations(values[None])[0] for values in (x, y))
    sums = [(product.sum(), product.sum() - product * n / (n - 1)) for product in (a * a, b * b, a * b)]
    (xx, left_x), (yy, left_y), (_, left_xy) = sums
    sure = (left_x > _LEFT * xx) & (left_y > _LEFT * yy)
    r: FloatArray = np.full(n, np.nan)
    np.divide(left_xy, np.sqrt(left_x * left_y, where=sure, out=np.ones(n)), out=r, where=sure)
    for point in np.flatnonzero(~sure):
        r[point] = pearson(np.delete(x, point), np.delete(y, point))
    return np.asarray(np.clip(r, -1, 1))


def spearman(x: FloatArray, y: FloatArray) -> FloatArray:
    """Spearman's rank correlation, (..., n) to (...): Pearson's of the mid-ranks; nan where it is undefined.

    >>> round(float(spearman(np.array([1.0, 2, 2, 4]), np.array([4.0, 3, 2, 1]))), 6)
    -0.948683
    """
    return _by_row(lambda a, b: (_pearson(mid_ranks(a), mid_ranks(b)),), x, y, 1)[0]


def kendall(x: FloatArray, y: FloatArray) -> FloatArray:
    """Kendall's tau-b, (..., n) to (...); nan where it is undefined. Time O(n log n) for each row.

    tau_b = (concordant - discordant) / sqrt((pairs - ties in x)(pairs - ties in y)).

    >>> round(float(kendall(np.array([1.0, 2, 2, 4]), np.array([4.0, 3, 2, 1]))), 6)
    -0.912871
    """
    return _by_row(lambda a, b: (_tau_b(mid_ranks(a), mid_ranks(b)),), x, y, 1)[0]


def mid_ranks(x: FloatArray) -> FloatArray:
    """The ranks from 1 within each row, ties (up to rounding) at their mean rank: (B, n) gives (B, n).

    >>> mid_ranks(np.array([[0.2, 0.1, 0.2, 0.4]])).tolist()
    [[2.5, 1.0, 2.5, 4.0]]
    """
    columns, order = np.arange(x.shape[1]), np.argsort(x, axis=1)  # of equal values in any order: they get one rank
    differs = rises(np.take_along_axis(x, order, axis=1))
    ranks = np.empty(x.shape)
    if differs.all():
        np.put_along_axis(ranks, order, columns[None] + 1.0, axis=1)
        return ranks
    first, last = np.zeros(x.shape, dtype=np.int64), np.full(x.shape, x.shape[1] - 1)
    np.maximum.accumulate(np.where(differs, columns[1:], 0), axis=1, out=first[:, 1:])
    np.minimum.accumulate(np.where(differs, columns[:-1], columns[-1:])[:, ::-1], axis=1, out=last[:, -2::-1])
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def weighted_pearson(x: FloatArray, y: FloatArray, share: FloatArray | None = None) -> FloatArray:
    """Pearson's correlation of each row of x and y, (B, R) or one (R,) for all, with weights (B, R) that are >= 0.

    Without weights all are equal. nan where it is undefined: fewer than three values, and where all that have a weight
    are equal up to rounding.

    >>> x, y = np.array([1.0, 2, 3, 4, 9]), np.array([1.0, 2, 3, 5, 0])
    >>> weighted_pearson(x, y, np.array([[1.0, 1, 1, 1, 0], [0, 1, 0, 0, 0]])).round(6).tolist()
    [0.982708, nan]
    """
    n_runs = x.shape[-1]
    weights = np.full((1, n_runs), 1 / n_runs) if share is None else share / share.sum(axis=1, keepdims=True)
    scaled = []
    for values in (np.atleast_2d(x), np.atleast_2d(y)):
        largest = np.abs(values).max(axis=1, keepdims=True)
        unit = values / np.where(largest > 0, largest, 1.0)  # no square overflows or underflows
        scaled.append(unit - (unit * weights).sum(axis=1, keepdims=True))
    dx, dy = scaled
    xx, yy, xy = ((product * weights).sum(axis=1) for product in (dx * dx, dy * dy, dx * dy))
    defined = (np.minimum(xx, yy) > ROUNDING**2) & (n_runs >= LEAST_POINTS)
    return np.clip(np.divide(xy, np.sqrt(xx * yy), out=np.full(len(xy), np.nan), where=defined), -1, 1)


def _by_row(
    statistics: Callable[[FloatArray, FloatArray], tuple[FloatArray, ...]],
    x: FloatArray,
    y: FloatArray,
    n_statistics: int,
) -> list[FloatArray]:
    """``statistics`` of the rows of x and y, (..., n) to so many of (...): nan where no correlation is defined.

    Some rows at a time, few enough for the cache. One number, not an array, for two vectors.
    """
    n = x.shape[-1]
    if n < LEAST_POINTS:
        return [np.full(x.shape[:-1], np.nan)[()]] * n_statistics
    rows, others = (np.ascontiguousarray(values.reshape(-1, n)) for values in (x, y))
    result = np.full((n_statistics, len(rows)), np.nan)
    step = max(1, _SLICE // n)
    for start in range(0, len(rows), step):
        a, b = rows[start : start + step], others[start : start + step]
        defined = _defined(a, b)
        result[:, start + np.flatnonzero(defined)] = statistics(a[defined], b[defined])
    return [values.reshape(x.shape[:-1])[()] for values in result]


def _defined(a: FloatArray, b: FloatArray) -> BoolArray:
    """Which rows have a correlation, (B, n) to (B,): finite values that are not constant up to rounding."""
    defined = np.asarray((np.isfinite(a) & np.isfinite(b)).all(axis=1))
    for values in (a, b):
        least, most = values.min(axis=1), values.max(axis=1)
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = most - least <= values.shape[1] * ROUNDING * np.maximum(np.abs(least), np.abs(most))
        if narrow.any():  # in wider rows one value at least rises by more than rounding
            defined[narrow] &= rises(np.sort(values[narrow], axis=1)).any(axis=1)
    return defined


def _pearson(a: FloatArray, b: FloatArray) -> FloatArray:
    """Pearson's correlation of each row, (B, n) to (B,), where it is defined."""
    dx, dy = _deviations(a), _deviations(b)
    squares = (dx * dx).sum(axis=1) * (dy * dy).sum(axis=1)
    return np.clip((dx * dy).sum(axis=1) / np.sqrt(squares), -1, 1)


def _tau_b(a: FloatArray, b: FloatArray) -> FloatArray:
    """Kendall's correlation of each row of two rankings, (B, n) mid-ranks to (B,), where it is defined."""
    score, untied_a, untied_b = concordance(*((2 * ranks).astype(np.int64) for ranks in (a, b)))
    return np.clip(score / np.sqrt(untied_a.astype(np.float64) * untied_b), -1, 1)


def _deviations(x: FloatArray) -> FloatArray:
    """Each row minus its mean, over the largest deviation, so that no square underflows."""
    deviations: FloatArray = x - x.mean(axis=1, keepdims=True)
    deviations /= np.abs(deviations).max(axis=1, keepdims=True)
    return deviations


def tau_ap(ranking: FloatArray, other: FloatArray) -> float:
    """tau_AP of two rankings of the same N items, in which changes near the top weigh most.

    They are given as numbers of which the least is the first; shapes (N,).

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
    n = len(ranking)
    if n < LEAST_POINTS or not (np.isfinite(ranking).all() and np.isfinite(other).all()):
        return float("nan")
    ranks, others = equalised(ranking), equalised(other)
    if np.ptp(ranks) == 0 or np.ptp(others) == 0:
        return float("nan")
    order = np.argsort(ranks, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(ranks[order])) + 1, n)
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
    orders = orders_by_inversions(counts)
    pairs = len(orders) - 1
    as_large = sum(number for fell, number in enumerate(orders) if abs(pairs - 2 * fell) >= abs(s))
    tau = s / sqrt(comb(n_years, 2) * pairs)
    n_orders = sum(orders)
    return Trend(n_years, n_undefined, tau, as_large / n_orders, 2 / n_orders)


def orders_by_inversions(counts: Sequence[int]) -> list[int]:
    """How many orders of a multiset have 0, 1, 2, ... inversions; ``counts`` says how often each of its values occurs.

    With n = sum of counts they are the coefficients of the Gaussian multinomial in q (Stanley, Enumerative
    Combinatorics 1, 2nd edition, proposition 1.7.1), without ties the Mahonian numbers:

        prod over i = 1..n of (1 - q^i) / prod over each count m, over j = 1..m, of (1 - q^j)

    The last one is of as many inversions as there are pairs of different values. All of it is in whole numbers.

    Of 3 values, 1 2 3 has no inversion, 1 3 2 and 2 1 3 have one, 2 3 1 and 3 1 2 two, 3 2 1 three; of 1 2 2, 2 1 2
    has one and 2 2 1 two:

    >>> orders_by_inversions([1, 1, 1]), orders_by_inversions([1, 2])
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
