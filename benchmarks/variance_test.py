"""How often the test of the ratio of two variances rejects a true equality at 5 %.

    python benchmarks/variance_test.py --trials 4000

Pairs of runs have Beta scores of given means with a variance of .04, skewed as scores of real runs are; their normal
scores correlate by .3 or .7. The rate should be .05. Beside the jackknife, which ``biasvar_cli.decomposition.baseline``
uses, stands the test of Pitman (1939) and Morgan (1939), Pearson's r of sum and difference, which is for normal scores.
Seeded. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import numpy as np
from scipy import stats

from biasvar_cli.decomposition.baseline import variance_ratio

MEANS = ((0.2, 0.2), (0.15, 0.3), (0.2, 0.45))
LIKENESS = (0.3, 0.7)
VARIANCE = 0.04


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Simulate the size of the test of equal variances.")
    parser.add_argument("--queries", type=int, default=50, help="queries of a pair of runs (50)")
    parser.add_argument("--trials", type=int, default=4000, help="pairs of runs (4000)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    print("| means | likeness | jackknife | Pitman and Morgan |", "| --- | --- | --- | --- |", sep="\n")
    for means, likeness, jackknife, pitman in rates(asked.queries, asked.trials, asked.seed):
        print(f"| {means[0]}, {means[1]} | {likeness} | {jackknife:.3f} | {pitman:.3f} |", flush=True)


def rates(n_queries: int, trials: int, seed: int) -> Iterator[tuple[tuple[float, float], float, float, float]]:
    """Means, likeness, and the share of trials with p < .05 by either test."""
    rng = np.random.default_rng(seed)
    for means in MEANS:
        for likeness in LIKENESS:
            common = rng.standard_normal((trials, 1, n_queries))
            normal = np.sqrt(likeness) * common + np.sqrt(1 - likeness) * rng.standard_normal((trials, 2, n_queries))
            mean = np.array(means)[:, None]
            precision = mean * (1 - mean) / VARIANCE - 1
            pairs = stats.beta.ppf(stats.norm.cdf(normal), mean * precision, (1 - mean) * precision)
            jackknife = np.array([variance_ratio(pair, 0).p[1] for pair in pairs])
            pitman = stats.pearsonr(pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1], axis=1).pvalue
            yield means, likeness, float((jackknife < 0.05).mean()), float((pitman < 0.05).mean())


if __name__ == "__main__":
    main()
