"""How often `compare` calls runs different that are equal, and how many of the real differences it finds.

    python benchmarks/familywise.py --track trec5-adhoc-ap.csv --tracks 400 --samples 999 --jobs 2

Populations of queries: three synthetic ones (`SYNTHETIC`), and that of every track given (a score matrix): some of its
runs, drawn anew each time, each moved to one mean over the queries, on queries drawn with replacement. Families: one
pair; five runs against another; all 190 pairs of 20 runs; and of 30 runs all others against the one that happens to
have the best mean (top). Each on 6, 10, 25 and 50 queries.

The familywise error is the share of simulated tracks on which any pair is called different at 5 %. *Primary* is the
test that says so in `compare` where none is named, *raw* the step-down bootstrap without Student's t; raw and t with
Holm's correction test top as if it had been chosen beforehand; *t + Holm, all pairs* is what `compare` and `decompose`
make of top. Real differences: the runs of a track as they are; the share of all pairs that is found. Seeded; the number
of jobs changes nothing. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import CompareRequest
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.specs.limits import LEVEL, is_significant, threshold
from biasvar_cli.stats.significance import TESTS, USUAL, Test
from biasvar_cli.stats.step_down import mapped_p, method_for

QUERIES = (6, 10, 25, 50)
SINGLE = tuple(name for name, test in TESTS.items() if test.corrected)
Rates = dict[tuple[str, int, str], float]  # by family, number of queries and test
Population = Callable[[np.random.Generator, int, int], FloatArray]  # scores of so many runs on so many queries


OTHERS = ("raw", "t + Holm", "t + Holm, all pairs", "Tukey")  # tests beside the primary one


class Family(NamedTuple):
    """Which pairs of so many runs are tested: all, or those with a baseline, the first run or the best one (top)."""

    words: str
    n_runs: int
    baseline: str | None


FAMILIES = (
    Family("one pair", 2, None),
    Family("5 runs against one", 6, "first"),
    Family("all pairs of 20", 20, None),
    Family("30 runs, top", 30, "top"),
)


# ---- populations in which all runs have one mean


def spread(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Skewed scores, alike on a query, and runs that differ in spread: mean .25, deviations .1 to .29."""
    from scipy.special import betaincinv, ndtr

    common, own = rng.normal(size=n_queries), rng.normal(size=(n_runs, n_queries))
    scores = betaincinv(1, 3, ndtr(np.sqrt(0.7) * common + np.sqrt(0.3) * own))
    factors = rng.uniform(0.5, 1.5, size=(n_runs, 1))
    drawn: FloatArray = 0.25 + factors * (scores - 0.25)
    return drawn


def coarse(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Precision at 10: tenths, many of them 0, of queries that are more or less hard for all runs."""
    chance = rng.beta(0.7, 1.4, size=n_queries)
    drawn: FloatArray = rng.binomial(10, chance, size=(n_runs, n_queries)) / 10
    return drawn


def reciprocal(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Reciprocal ranks of the one relevant document, which is as easy to find for all runs, but found by each alone."""
    chance = rng.beta(0.5, 1.0, size=n_queries).clip(0.01)
    drawn: FloatArray = 1 / rng.geometric(chance, size=(n_runs, n_queries))
    return drawn


SYNTHETIC: Mapping[str, Population] = {"spread": spread, "coarse": coarse, "reciprocal": reciprocal}


def of_track(values: FloatArray, equal: bool, rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Some runs of a track, on queries drawn with replacement; if ``equal``, each is moved to one mean before."""
    drawn = values[rng.choice(len(values), min(n_runs, len(values)), replace=False)]
    if equal:
        drawn = drawn - drawn.mean(axis=1, keepdims=True) + drawn.mean()
    resampled: FloatArray = drawn[:, rng.integers(0, values.shape[1], n_queries)]
    return resampled


# ---- what is found


def findings(
    values: FloatArray, family: Family, n_samples: int, seed: int, *, with_tukey: bool
) -> Iterator[tuple[str, BoolArray]]:
    """Which pairs each test calls different: the name of the test, and one truth value a pair."""
    names = tuple(map(str, range(len(values))))
    tests: tuple[Test, ...] = (*USUAL, "tukey") if with_tukey else USUAL
    request = CompareRequest(test=tests, level=LEVEL, samples=n_samples, seed=seed)
    n_queries = values.shape[1]
    raw_limit = float(mapped_p(threshold(LEVEL), n_queries))  # p is below it exactly where the raw p is below the level
    found = PairTests(names, values, request, 0 if family.baseline == "first" else None)
    fixed = found  # the pairs as they are tested where the baseline was chosen beforehand
    if family.baseline == "top":
        best = int(values.mean(axis=1).argmax())
        found, fixed = found.against_top(best), PairTests(names, values, request, best)
    raw = fixed
    if method_for(n_queries, len(found.delta)) == "studentised":  # the pair twice is a family of two, of the same w*
        raw = PairTests(names[:1] * 3, values[[0, 1, 1]], request, 0)
    yield "primary", found.differs
    yield "raw", raw.primary.p < raw_limit
    yield "t + Holm", is_significant(fixed.adjusted["t"], LEVEL)
    if family.baseline == "top":
        yield "t + Holm, all pairs", is_significant(found.adjusted["t"], LEVEL)
    if with_tukey:
        yield "Tukey", is_significant(found.p["tukey"], LEVEL)


def of_equal_runs(population: Population, n_samples: int, seed: int) -> Rates:
    """Whether each test finds any pair of equal runs, by family and number of queries; shares of single pairs."""
    rates: Rates = {}
    for place, family in enumerate(FAMILIES):
        for n_queries in QUERIES:
            values = population(np.random.default_rng([seed, place, n_queries]), family.n_runs, n_queries)
            tested = findings(values, family, n_samples, seed, with_tukey=family.n_runs == 20)
            rates |= {(family.words, n_queries, test): float(found.any()) for test, found in tested}
    values = population(np.random.default_rng([seed, len(FAMILIES)]), 20, QUERIES[-1])
    request = CompareRequest(test=SINGLE, level=LEVEL, samples=n_samples, seed=seed)
    alone = PairTests(tuple(map(str, range(len(values)))), values, request)
    return rates | {
        ("single", QUERIES[-1], test): float(is_significant(alone.p[test], LEVEL).mean()) for test in SINGLE
    }


def of_real_runs(population: Population, n_samples: int, seed: int) -> Rates:
    """The share of pairs that each test finds, by family and number of queries."""
    rates: Rates = {}
    for place, family in enumerate(FAMILIES):
        for n_queries in QUERIES:
            values = population(np.random.default_rng([seed, place, n_queries]), family.n_runs, n_queries)
            tested = findings(values, family, n_samples, seed, with_tukey=family.n_runs == 20)
            rates |= {(family.words, n_queries, test): float(found.mean()) for test, found in tested}
    return rates


# ---- what is printed


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--track", action="append", default=[], help="a score matrix; repeatable")
    parser.add_argument("--tracks", type=int, default=400, help="simulated tracks of each kind (400)")
    parser.add_argument("--samples", type=int, default=999, help="samples of the tests that draw (999)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    asked = parser.parse_args(arguments)
    real = {Path(path).stem: load_track(TrackRequest(inputs=(path,))).scored[0].scores.values for path in asked.track}
    equal: dict[str, Population] = {
        **SYNTHETIC,
        **{name: partial(of_track, values, True) for name, values in real.items()},
    }
    as_they_are = {name: partial(of_track, values, False) for name, values in real.items()}
    with ProcessPoolExecutor(asked.jobs) as pool:
        means = partial(_means, pool, asked.tracks)
        errors = {name: means(partial(of_equal_runs, each, asked.samples)) for name, each in equal.items()}
        found = {name: means(partial(of_real_runs, each, asked.samples)) for name, each in as_they_are.items()}
    print(report(errors, found, asked.tracks), flush=True)


def _means(pool: ProcessPoolExecutor, n_tracks: int, work: Callable[[int], Rates]) -> Rates:
    tracks = list(pool.map(work, range(n_tracks), chunksize=4))
    return {key: float(np.mean([track[key] for track in tracks])) for key in tracks[0]}


def report(equal: Mapping[str, Rates], real: Mapping[str, Rates], n_tracks: int) -> str:
    """Tables of the familywise error, of the real differences found, and of the tests of single pairs, in markdown."""
    error = np.sqrt(0.05 * 0.95 / n_tracks)
    lines = [
        f"{n_tracks} simulated tracks in each cell; standard error of a rate of .05: {error:.3f}",
        "",
        "Any false difference, all runs equal: the primary test on each population, of the others the worst of them",
        "",
        f"| family | queries | {' | '.join(equal)} | {' | '.join(OTHERS)} |",
        f"|{'---|' * (len(equal) + 2 + len(OTHERS))}",
    ]
    for family in FAMILIES:
        for n in QUERIES:
            own = [_figure(rates[family.words, n, "primary"]) for rates in equal.values()]
            others = [_worst(equal, family, n, test) for test in OTHERS]
            lines.append(f"| {family.words} | {n} | {' | '.join([*own, *others])} |")
    lines += ["", "Share of pairs found, runs as they are: primary (raw, t + Holm)", ""]
    lines += [f"| family | queries | {' | '.join(real)} |", f"|{'---|' * (len(real) + 2)}"]
    for family in FAMILIES:
        for n in QUERIES:
            cells = (_found(rates, family, n) for rates in real.values())
            lines.append(f"| {family.words} | {n} | {' | '.join(cells)} |")
    lines += ["", "Single pairs of equal runs found at 5 %, 50 queries", ""]
    lines += [f"| test | {' | '.join(equal)} |", f"|{'---|' * (len(equal) + 1)}"]
    for test in SINGLE:
        cells = (_figure(rates["single", QUERIES[-1], test]) for rates in equal.values())
        lines.append(f"| {test} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _found(rates: Rates, family: Family, n: int) -> str:
    primary, raw, holm = (_figure(rates[family.words, n, test]) for test in ("primary", "raw", "t + Holm"))
    return f"{primary} ({raw}, {holm})"


def _worst(found: Mapping[str, Rates], family: Family, n: int, test: str) -> str:
    key = (family.words, n, test)
    return _figure(max(rates[key] for rates in found.values())) if key in next(iter(found.values())) else ""


def _figure(rate: float) -> str:
    return f"{rate:.3f}".removeprefix("0")


if __name__ == "__main__":
    main()
