"""Whether intervals hold what they say: how often they contain the number that they are about.

    python benchmarks/coverage.py --track trec5-adhoc-ap.csv --queries 25,50,150 --sets 300 --jobs 2
    python benchmarks/coverage.py --track trec5-adhoc-ap.csv --queries 25,50 --from topics --only correlations

Takes a track (a score matrix with a header line, one column per run and one line per query), and draws sets of new
queries, whose truth is known, with the best of the same runs as the target:

* `--from model`, the first: queries of a model fitted to the track; the truth is that of 40 000 of them. It is the
  model of `biasvar_cli.nulls`, but every run scatters by a precision of its own: queries are drawn with
  replacement from the fitted ones, and their scores are quantiles of Beta distributions at normal variates that are
  correlated as the runs' residuals are.
* `--from topics`: the track's own queries, drawn with replacement; the truth is that of the track.

The coverage of a quantity is a mean over the runs and the sets, and its standard error is over sets, since the runs of
a set share its queries; `below` and `above` are the shares of truths on either side of the interval. `none` is the
share of intervals that are not defined, which have no part in the others.

The first rule of a quantity is the tool's; the others are for comparison: `percentile` the quantiles of the resamples,
`bca`, `log-jackknife-t`, and for correlations `basic`. `--only` leaves out all but the correlations, or
all but Pearson's r, which takes a tenth of the time. The last table has the mean of the coverage over tracks and
numbers of queries, and the lowest.
Seeded; the number of jobs changes nothing. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.decompose import Deviations, Moments, best_of_runs
from biasvar_cli.decomposition.intervals import Intervals, intervals
from biasvar_cli.decomposition.over_queries import over_queries
from biasvar_cli.errors import DataWarning
from biasvar_cli.nulls.surface import fit_surface, rasch_parameters
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.stats.correlation import kendall, pearson, spearman
from biasvar_cli.stats.resampling import bca, log_jackknife_t, percentile, resample_weights
from biasvar_cli.words import COEFFICIENTS, FORMS, QUANTITIES, Coefficient

TRUTH = 40_000  # queries
GRID = 1000  # quantiles of every Beta distribution
Ends = tuple[FloatArray, FloatArray]
Rank = Callable[[FloatArray, FloatArray], FloatArray]
CORRELATIONS: dict[Coefficient, Rank] = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
TITLES: dict[Coefficient, str] = {"pearson": "r", "spearman": "rho", "kendall": "tau"}


class Model(NamedTuple):
    """Scores by quantile, (R, n, GRID), and the likeness of the runs, (R, n)."""

    scores: FloatArray
    likeness: FloatArray

    @classmethod
    def fit(cls, values: FloatArray, rng: np.random.Generator) -> Model:
        """The null models' expectations, and for every run the precision that its own scatter gives."""
        surface = fit_surface(values)
        precision = own_precision(values)[:, None]
        a, b = (np.maximum(p * precision, 1e-6)[..., None] for p in (surface.expected, 1 - surface.expected))
        return cls(np.sort(rng.beta(a, b, size=(*values.shape, GRID)), axis=2), surface.normal_scores)

    def draw(self, rng: np.random.Generator, n_queries: int) -> FloatArray:
        """Scores on new queries, (R, n_queries)."""
        n_runs, n_fitted = self.likeness.shape
        cuts = np.array([NormalDist().inv_cdf(at / GRID) for at in range(1, GRID)])
        query = rng.integers(0, n_fitted, n_queries)
        normal = self.likeness @ rng.standard_normal((n_fitted, n_queries)) / np.sqrt(n_fitted)
        scores: FloatArray = self.scores[np.arange(n_runs)[:, None], query, np.searchsorted(cuts, normal)]
        return scores


def own_precision(values: FloatArray) -> FloatArray:
    """phi of each run, (R,): the null model's formula, with the sums over the run alone."""
    n_runs, n_queries = values.shape
    run, query = rasch_parameters(values)
    p = 1 / (1 + np.exp(-(run[:, None] + query)))
    scatter = ((values - p) ** 2).sum(axis=1) * n_runs * n_queries / ((n_runs - 1) * (n_queries - 1))
    precision: FloatArray = np.maximum(0.05, (p * (1 - p)).sum(axis=1) / scatter - 1)
    return precision


class Topics(NamedTuple):
    """The queries of a track, (R, n)."""

    scores: FloatArray

    def draw(self, rng: np.random.Generator, n_queries: int) -> FloatArray:
        """Scores on queries drawn with replacement, (R, n_queries)."""
        drawn: FloatArray = self.scores[:, rng.integers(0, self.scores.shape[1], n_queries)]
        return drawn


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="The coverage of the intervals, by simulation.")
    parser.add_argument("--track", type=Path, action="append", required=True, help="a score matrix; repeatable")
    parser.add_argument("--from", dest="source", choices=["model", "topics"], default="model", help="of new queries")
    parser.add_argument("--queries", default="50", help="numbers of queries of a set, with commas between (50)")
    parser.add_argument("--sets", type=int, default=300, help="sets of queries (300)")
    parser.add_argument("--resamples", type=int, default=2000, help="resamples of each (2000)")
    parser.add_argument("--level", type=float, default=0.95)
    parser.add_argument("--only", choices=["correlations", "pearson"])
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    cells = {}
    for path in asked.track:
        values = np.loadtxt(path, delimiter=",", skiprows=1).T
        source: Model | Topics = Topics(values)
        truth = numbers(values)
        if asked.source == "model":
            source = Model.fit(values, np.random.default_rng([asked.seed, 0]))
            truth = numbers(source.draw(np.random.default_rng([asked.seed, 1]), TRUTH))
        for n_queries in (int(number) for number in asked.queries.split(",")):
            one = partial(covered, source, n_queries, asked.resamples, asked.level, truth, asked.only)
            with ProcessPoolExecutor(asked.jobs) as pool:
                found = list(pool.map(one, [[asked.seed, 2, number] for number in range(asked.sets)], chunksize=5))
            print(report(f"{path.stem}: {len(values)} runs, {n_queries} queries, {asked.sets} sets", found), flush=True)
            cells[f"{path.stem} at {n_queries}"] = found
    print(summary(cells))


def matrix(values: FloatArray) -> ScoreMatrix:
    runs, queries = (tuple(str(number) for number in range(size)) for size in values.shape)
    return ScoreMatrix(values, runs, queries, None)


def numbers(values: FloatArray) -> dict[str, FloatArray]:
    """The columns of the decomposition, (R,), and the correlations, (1,), of scores (R, n)."""
    scores = matrix(values)
    moments = Deviations.of(scores, best_of_runs(scores)).moments
    return {name: column(moments, name) for name in QUANTITIES} | correlations(moments)


def column(moments: Moments, name: str) -> FloatArray:
    values: FloatArray = getattr(moments, name)
    return values


def correlations(moments: Moments) -> dict[str, FloatArray]:
    """The three correlations of both forms, of moments (R,): (1,) each."""
    return {
        TITLES[name] + "_gap" * (form == "gap"): np.atleast_1d(of(moments.bias2, moments.variance(form)))
        for name, of in CORRELATIONS.items()
        for form in FORMS
    }


def covered(
    source: Model | Topics,
    n_queries: int,
    n_resamples: int,
    level: float,
    truth: dict[str, FloatArray],
    only: str | None,
    seed: list[int],
) -> dict[tuple[str, str], FloatArray]:
    """The shares of runs, by quantity and rule, whose truth is inside the interval, below it, and above.

    Each is the array of `outcome`, (5,).
    """
    scores = matrix(source.draw(np.random.default_rng(seed), n_queries))
    target = best_of_runs(scores)
    data = Deviations.of(scores, target)
    blocks = [
        data.resampled(weights) for weights in resample_weights(n_queries, n_resamples, np.random.default_rng(seed))
    ]
    drawn = Moments(*(np.concatenate(each) for each in zip(*(vars(block).values() for block in blocks), strict=True)))
    found: dict[tuple[str, str], Ends] = {}
    if only is None:
        tool = intervals(scores, target, level=level, n_resamples=n_resamples, seed=seed[-1])
        found |= of_runs(tool, data, drawn, level)
    wanted = COEFFICIENTS[:1] if only == "pearson" else COEFFICIENTS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        by_inversion = over_queries(scores, target, wanted, level=level, seed=seed[-1])
    for name, forms in by_inversion.items():
        for form, interval in forms.items():
            title = TITLES[name] + "_gap" * (form == "gap")
            estimate, resampled = (CORRELATIONS[name](of.bias2, of.variance(form)) for of in (data.moments, drawn))
            low, high = percentile(resampled[np.isfinite(resampled)][None], level)
            found[title, f"{interval.rule} (tool)"] = np.array([interval.low]), np.array([interval.high])
            found[title, "percentile"] = low, high
            found[title, "basic"] = np.clip(2 * estimate - high, -1, 1), np.clip(2 * estimate - low, -1, 1)
    return {key: outcome(truth[key[0]], *ends) for key, ends in found.items()}


def of_runs(tool: Intervals, data: Deviations, drawn: Moments, level: float) -> dict[tuple[str, str], Ends]:
    """The intervals of the runs, the tool's and others."""
    left_out = data.left_out()
    found: dict[tuple[str, str], Ends] = {}
    for name in QUANTITIES:
        interval = getattr(tool, name)
        found[name, f"{interval.rule} (tool)"] = (interval.low, interval.high)
        estimate, left = (column(each, name) for each in (data.moments, left_out))
        resampled = np.ascontiguousarray(column(drawn, name).T)
        found[name, "percentile"] = percentile(resampled, level)
        if name not in ("mean", "bias", "bias2"):
            found[name, "log-jackknife-t"] = log_jackknife_t(estimate, left, level)
        if name in ("var", "var_gap"):
            found[name, "bca"] = bca(resampled, estimate, left, level)
    return found


def outcome(truth: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """The shares of truths inside, below and above, the median width, and the share of undefined intervals: (5,)."""
    known = np.isfinite(low)
    if not known.any():
        return np.array([np.nan, np.nan, np.nan, np.nan, 1.0])
    truth, low, high = truth[known], low[known], high[known]
    below, above = (truth < low).mean(), (truth > high).mean()
    return np.array([1 - below - above, below, above, np.median(high - low), 1 - known.mean()])


def report(title: str, found: Sequence[dict[tuple[str, str], FloatArray]]) -> str:
    """A markdown table of the coverage by quantity and rule."""
    lines = [
        title,
        "",
        "| quantity | rule | coverage | error | below | above | width | none |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, rule in found[0]:
        each = np.array([one[name, rule] for one in found])
        none = each[:, 4].mean()
        each = each[np.isfinite(each).all(axis=1)]
        inside, below, above, width, _ = each.mean(axis=0)
        error = each[:, 0].std(ddof=1) / np.sqrt(len(each))
        lines.append(
            f"| {name} | {rule} | {inside:.3f} | {error:.3f} | {below:.3f} | {above:.3f} | {width:.4g} | {none:.3f} |"
        )
    return "\n".join([*lines, ""])


def summary(cells: Mapping[str, Sequence[dict[tuple[str, str], FloatArray]]]) -> str:
    """A markdown table of the mean and the lowest coverage over tracks and numbers of queries."""
    lines = ["All", "", "| quantity | rule | mean | lowest | error there | where |", "|---|---|---|---|---|---|"]
    for name, rule in next(iter(cells.values()))[0]:
        inside = {where: np.array([one[name, rule][0] for one in found]) for where, found in cells.items()}
        inside = {where: each[np.isfinite(each)] for where, each in inside.items()}
        means = {where: each.mean() for where, each in inside.items()}
        lowest = min(means, key=lambda where: means[where])
        error = inside[lowest].std(ddof=1) / np.sqrt(len(inside[lowest]))
        mean = np.mean([*means.values()])
        lines.append(f"| {name} | {rule} | {mean:.3f} | {means[lowest]:.3f} | {error:.3f} | {lowest} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
