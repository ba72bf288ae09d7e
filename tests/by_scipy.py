"""What is expected of a score matrix with target best, worked with numpy and scipy alone: nothing of ours is called.

``values`` has a row for each run and a column for each query.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

COEFFICIENTS = ("pearson", "spearman", "kendall")


def errors(values: np.ndarray) -> dict[str, np.ndarray]:
    """The columns of ``decompose``, an entry for each run."""
    target, mean = values.max(axis=0), values.mean(axis=1)
    return {
        "mean": mean,
        "bias2": (target.mean() - mean) ** 2,
        "var": values.var(axis=1),
        "total": ((values - target.mean()) ** 2).mean(axis=1),
        "var_gap": (target - values).var(axis=1),
    }


def tradeoffs(values: np.ndarray) -> dict[str, tuple[float, float, float]]:
    """The three correlations of bias2 and variance under (a), (c) and (d) of CIKM'14, and in the gap form of (a).

    (c) and (d) are of tens of queries by their best score, ascending, with weights by size; (d) divides by the target.
    """
    target, found = values.max(axis=0), errors(values)
    tens = np.split(np.argsort(target, kind="stable"), range(10, len(target), 10))
    weights = np.array([len(each) for each in tens]) / len(target)
    means = np.array([values[:, each].mean(axis=1) for each in tens]).T
    ratio = means / np.array([target[each].mean() for each in tens])
    centre = (ratio @ weights)[:, None]
    return {
        "(a)": correlations(found["bias2"], found["var"]),
        "(c)": correlations(found["bias2"], (means - found["mean"][:, None]) ** 2 @ weights),
        "(d)": correlations((1 - centre[:, 0]) ** 2, (ratio - centre) ** 2 @ weights),
        "gap": correlations(found["bias2"], found["var_gap"]),
    }


def correlations(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Pearson's, Spearman's and Kendall's coefficients; what differs by rounding alone ties in the ranks."""
    ranks = np.round(x, 12), np.round(y, 12)
    pearson, spearman, kendall = stats.pearsonr(x, y), stats.spearmanr(*ranks), stats.kendalltau(*ranks)
    return pearson.statistic, spearman.statistic, kendall.statistic


def given_up(values: np.ndarray) -> np.ndarray:
    """How much the target falls on each query without each run: to the second best score where the run is the best."""
    ascending = np.sort(values, axis=0)
    return np.where(values == ascending[-1], ascending[-1] - ascending[-2], 0)
