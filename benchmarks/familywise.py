"""How often the tests of `compare` find differences between runs that are equal, and how many they find among others.

    python benchmarks/familywise.py --track trec5-adhoc-ap.csv --simulations 300 --samples 1000 --jobs 2

The population is the queries of a track (a score matrix). A simulated track has some of its runs, drawn anew each time,
on queries drawn with replacement. All runs equal: every run is moved to one mean over the population. Two groups of
equals: the better half of the runs is moved to its mean, the other half to its own. As they are: no run is moved.
The familywise error is the share of simulated tracks on which a family of tests finds any difference between runs of
equal means; of single pairs, the share of all pairs is printed. The baseline is the first run drawn. p below .05 is
a difference found. Seeded; the number of jobs changes nothing. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from biasvar_cli.analyses.pairs import PairRequest, PairTests, Test, compare_pairs
from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.scoring.scorer import Request
from biasvar_cli.scoring.track import load_track

ALL: tuple[Test, ...] = ("t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "stepdown")
AGAINST_ONE: tuple[Test, ...] = ("t", "stepdown")
FAMILIES: Mapping[str, tuple[str, Test]] = {
    "all pairs: randomised Tukey": ("all", "tukey"),
    "all pairs: t + Holm": ("all", "t"),
    "all pairs: step-down": ("all", "stepdown"),
    "baseline: t + Holm": ("baseline", "t"),
    "baseline: step-down": ("baseline", "stepdown"),
}
SINGLE: tuple[Test, ...] = ("t", "randomisation", "bootstrap", "wilcoxon", "sign")
LEVEL = 0.95


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--track", action="append", required=True, help="a score matrix; repeatable")
    parser.add_argument("--simulations", type=int, default=300, help="simulated tracks of each kind (300)")
    parser.add_argument("--samples", type=int, default=1000, help="samples of the tests that draw (1000)")
    parser.add_argument("--runs", type=int, default=20, help="runs of a simulated track (20)")
    parser.add_argument("--queries", type=int, default=50, help="queries of a simulated track (50)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    asked = parser.parse_args(arguments)
    found = {}
    for path in asked.track:
        values = load_track(Request(inputs=(path,))).scored[0].scores.values
        one = partial(simulated, values, asked.runs, asked.queries, asked.samples)
        with ProcessPoolExecutor(asked.jobs) as pool:
            tracks = list(pool.map(one, range(asked.simulations), chunksize=4))
        found[Path(path).stem] = {key: float(np.mean([track[key] for track in tracks])) for key in tracks[0]}
    print(report(found, asked.simulations), flush=True)


def simulated(values: FloatArray, n_runs: int, n_queries: int, n_samples: int, number: int) -> dict[str, float]:
    """What each family does on one simulated track of each kind, and each test of single pairs where all are equal."""
    rng = np.random.default_rng([number, n_runs, n_queries])
    runs = rng.choice(len(values), min(n_runs, len(values)), replace=False)
    queries = rng.integers(0, values.shape[1], n_queries)
    drawn = values[runs]
    better = (np.argsort(np.argsort(-drawn.mean(axis=1), kind="stable")) < len(runs) // 2).astype(np.int64)
    kinds = {"equal": np.zeros(len(runs), dtype=np.int64), "groups": better, "as they are": np.arange(len(runs))}
    rates: dict[str, float] = {}
    for kind, group in kinds.items():
        track = moved(drawn, group)[:, queries]
        tested = compared(track, ALL if kind == "equal" else ("t", "tukey", "stepdown"), n_samples, number, None)
        against = compared(track, AGAINST_ONE, n_samples, number, 0)
        for name, (which, test) in FAMILIES.items():
            pairs = tested if which == "all" else against
            significant = pairs.adjusted.get(test, pairs.p[test]) < 1 - LEVEL
            same = group[pairs.run] == group[pairs.versus]
            rates[f"{kind}: {name}"] = float(significant.mean() if kind == "as they are" else significant[same].any())
        if kind == "equal":
            rates |= {f"single: {test}": float((tested.p[test] < 1 - LEVEL).mean()) for test in SINGLE}
    return rates


def moved(values: FloatArray, group: IntArray) -> FloatArray:
    """Each run with the mean of its group over the population; values (R, n), groups (R,)."""
    means = values.mean(axis=1)
    wanted = np.array([means[group == each].mean() for each in group])
    shifted: FloatArray = values + (wanted - means)[:, None]
    return shifted


def compared(values: FloatArray, tests: tuple[Test, ...], n_samples: int, seed: int, baseline: int | None) -> PairTests:
    names = tuple(map(str, range(len(values))))
    request = PairRequest(tests=tests, level=LEVEL, n_samples=n_samples, seed=seed)
    return compare_pairs(values, names, "mean", request, baseline)


def report(found: Mapping[str, Mapping[str, float]], n_simulations: int) -> str:
    """Two markdown tables: the families, each cell with one figure for every track, and the tests of single pairs."""
    error = np.sqrt(0.05 * 0.95 / n_simulations)
    lines = [
        f"{', '.join(found)}: {n_simulations} simulated tracks each; standard error of a rate of .05: {error:.3f}",
        "",
        "| family | all equal | two groups of equals | share of pairs found |",
        "|---|---|---|---|",
    ]
    for name in FAMILIES:
        cells = (_figures(found, f"{kind}: {name}") for kind in ("equal", "groups", "as they are"))
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", "| single pairs, all equal | found |", "|---|---|"]
    lines += [f"| {test} | {_figures(found, f'single: {test}')} |" for test in SINGLE]
    return "\n".join([*lines, ""])


def _figures(found: Mapping[str, Mapping[str, float]], key: str) -> str:
    return " ".join(f"{rates[key]:.3f}".removeprefix("0") for rates in found.values())


if __name__ == "__main__":
    main()
