"""How well a measure tells runs apart: the share of pairs that a test finds, and the differences that it takes.

Source: discriminative power: Sakai, SIGIR 2006 (Sakai 2013, slides 51 and 52).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

import numpy as np

from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import FloatArray
from biasvar_cli.stats.paired import detectable, queries_needed


@dataclass(frozen=True)
class Power:
    """What one test finds: ``correction`` is None for p-values as they are and for tests of all pairs together.

    ``smallest_significant`` and ``largest_not_significant`` are sizes of differences, nan where there is none. A test
    without p-values, for which there are too few queries, has ``n_significant`` None and ``share`` nan.
    """

    test: str
    correction: str | None
    n_pairs: int
    n_significant: int | None
    share: float
    smallest_significant: float
    largest_not_significant: float


@dataclass(frozen=True)
class SampleSize:
    """What so many queries can find: ``sd`` is the median deviation of a difference, over the pairs.

    ``detectable`` is the difference that a paired t test finds with this ``power``; ``queries`` those needed for the
    difference ``detect`` that was asked for. Each is nan where it is not defined, or not asked for.
    """

    power: float
    sd: float
    detectable: float
    detect: float
    queries: float


def power_of_tests(found: PairTests) -> list[Power]:
    """A row for every test, and one for its corrected p-values; significant is p < 1 - level, strictly."""
    rows = []
    size = np.abs(found.delta)
    for test, p in found.p.items():
        rows.append(_power(test, None, p, size, found.request.level))
        if test in found.adjusted:
            rows.append(_power(test, found.request.correction, found.adjusted[test], size, found.request.level))
    return rows


def sample_size(found: PairTests, power: float, detect: float | None = None) -> SampleSize:
    """The difference that the queries of a track find with this power, and the queries that another one needs."""
    sd = float(np.median(found.sd))
    level, n_queries = found.request.level, found.values.shape[1]
    nan = float("nan")
    queries = nan if detect is None or sd == 0 else queries_needed(detect, sd, level=level, power=power)
    queries = queries if isfinite(queries) else nan
    return SampleSize(
        power, sd, detectable(n_queries, sd, level=level, power=power), nan if detect is None else detect, queries
    )


def _power(test: str, correction: str | None, p: FloatArray, size: FloatArray, level: float) -> Power:
    nan = float("nan")
    if np.isnan(p).any():
        return Power(test, correction, len(p), None, nan, nan, nan)
    significant = p < 1 - level
    some, none = size[significant], size[~significant]
    return Power(
        test,
        correction,
        len(p),
        len(some),
        len(some) / len(p),
        float(some.min()) if len(some) else nan,
        float(none.max()) if len(none) else nan,
    )
