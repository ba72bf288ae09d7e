"""Whether the p-values of the null model hold what they say, on data that obey the model.

    python benchmarks/calibrate_null.py --track trec5-adhoc-ap.csv --draws 500 --samples 200 --jobs 2

The model is fitted to a track (a score matrix with a header line, one column per run and one line per query), and every
draw from it stands in for data: the model is fitted to the draw and sampled anew, and the draw's numbers are compared
with the samples'. The p-values should be uniform: 5 % of them at most .05, and the deciles .1, .2 and so on. Rows are
Pearson's correlation of bias^2 and variance over (a) single queries, (c) the difficulty partition in tens, (d) the same
normalised, and (gap) in the gap form over single queries; H and D are the spread and the trend of stability beyond the
mean. Seeded; the number of jobs changes nothing. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from biasvar_cli.analyses.null_models import fit_common_scatter

from biasvar_cli.analyses.stability import mean_and_variance, stability
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.partitions import by_difficulty, subset_sizes
from biasvar_cli.decomposition.samples import decompose_samples, generalise_samples, normalise_samples
from biasvar_cli.stats.correlation import pearson
from biasvar_cli.stats.monte_carlo import over_blocks, summarise

ROWS = ("(a)", "(c)", "(d)", "gap", "H", "D")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Calibrate the p-values of the null model by simulation.")
    parser.add_argument("--track", type=Path, action="append", required=True, help="a score matrix; repeatable")
    parser.add_argument("--draws", type=int, default=500, help="simulated tracks (500)")
    parser.add_argument("--samples", type=int, default=200, help="samples of the null model of each (200)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    for path in asked.track:
        values = np.loadtxt(path, delimiter=",", skiprows=1).T
        print(report(path.stem, *calibrate(values, asked.draws, asked.samples, asked.jobs, asked.seed)), flush=True)


def calibrate(values: FloatArray, draws: int, samples: int, jobs: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """The p-values of every draw, shape (draws, rows), and the share of runs with |z| > 1.96 in it, (draws,)."""
    drawn = fit_common_scatter(values).draw(np.random.default_rng([seed, 0]), draws)
    seeds = [[seed, 1, number] for number in range(draws)]
    with ProcessPoolExecutor(jobs) as pool:
        found = list(pool.map(partial(p_values, n_samples=samples), drawn, seeds, chunksize=4))
    p, beyond = zip(*found, strict=True)
    return np.array(p), np.array(beyond)


def p_values(values: FloatArray, seed: list[int], n_samples: int) -> tuple[list[float], float]:
    """The p-value of each row for one matrix under the model fitted to it, and the share of runs with |z| > 1.96."""
    model = fit_common_scatter(values)
    sampled = over_blocks(model.draw, numbers, n_samples, partial(_block, [*seed, 0]), size=n_samples)
    fresh = over_blocks(model.draw, mean_and_variance, n_samples, partial(_block, [*seed, 1]), size=n_samples)
    steady = stability(values, sampled[:, len(ROWS) - 2 :].reshape(n_samples, 2, -1), fresh)
    observed = numbers(values[None])[0]
    p = [summarise(float(observed[row]), sampled[:, row]).p for row in range(len(ROWS) - 2)]
    return [*p, steady.spread_null.p, steady.trend_null.p], float((np.abs(steady.z) > 1.96).mean())


def _block(seed: list[int], number: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def numbers(samples: FloatArray) -> FloatArray:
    """The four correlations of each sample, then its moments in a row: (B, R, n) gives (B, 4 + 2 R)."""
    n_queries = samples.shape[2]
    target = samples.max(axis=1)
    subsets = by_difficulty(samples), np.array(subset_sizes(n_queries, 10))
    single = decompose_samples(samples, target)
    tens, normalised = (of(samples, target, *subsets) for of in (generalise_samples, normalise_samples))
    correlations = [pearson(each.bias2, each.var) for each in (single, tens, normalised)]
    correlations.append(pearson(single.bias2, single.var_gap))
    return np.column_stack([*correlations, mean_and_variance(samples).reshape(len(samples), -1)])


def report(name: str, p: FloatArray, beyond: FloatArray) -> str:
    """A markdown table: rejections at 5 %, the Kolmogorov-Smirnov distance from uniform, and the deciles of p."""
    tenths = np.arange(1, 10) / 10
    lines = [
        f"{name}: {len(p)} draws; |z| > 1.96 in {beyond.mean():.1%} of the runs",
        "",
        "| | rejected | KS | " + " | ".join(f"{tenth:.0%}" for tenth in tenths) + " |",
        "|---|" + "---|" * (2 + len(tenths)),
    ]
    for row, values in zip(ROWS, p.T, strict=True):
        known = np.sort(values[np.isfinite(values)])
        deciles = " | ".join(f"{value:.2f}" for value in np.quantile(known, tenths))
        lines.append(f"| {row} | {(known <= 0.05).mean():.1%} | {distance(known):.3f} | {deciles} |")
    return "\n".join([*lines, ""])


def distance(p: FloatArray) -> float:
    """The Kolmogorov-Smirnov distance of ascending p-values from the uniform distribution."""
    steps = np.arange(len(p) + 1) / len(p)
    return float(max(np.max(steps[1:] - p), np.max(p - steps[:-1])))


if __name__ == "__main__":
    main()
