"""How often `risk` calls a run safe, risky or deviant that is not, and how often it finds a run that is.

    python benchmarks/risk_verdicts.py --track trec5-adhoc-ap.csv --simulations 500 --jobs 2

A world is a population of queries with the differences of 20 runs from a baseline. A simulated track draws queries from
it with replacement. In three made-up worlds the differences are normal, skewed, or sparse, which is 0 for most queries;
in the others they are those of 20 runs of a real track, drawn anew each time, from the mean of its runs or from one of
the other runs. The runs are moved by a constant (where most differences are 0, their losses are scaled), so that over
the population

* risky: mean delta(alpha) = 0, which is E U_risk = 0, at alpha 1 and 5;
* safe: mean d = 0;
* deviant: mean d = 0 and mean abs(d) is the same for all; then once more with the first run's d doubled.

Printed for each claim is the share of simulated tracks on which it is made of any run: by t_risk beyond 2 or -2, as it
used to be, and by the step-down test, as it is (`risk.inference`). "Share of equal runs" is that of single runs of mean
d = 0 with t_risk_1 below -2. "Found" is how often the doubled run is called deviant. Two further worlds show what no
such test can do: rare losses that are as large as all gains together, and a baseline that is chosen as the best run of
the track and tested as if it had been named; beside it stands the test of all pairs, which allows for the choice.
Seeded; the number of jobs changes nothing. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from biasvar_cli.analyses.risk.losses import deviations, weighed
from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track
from biasvar_cli.specs.limits import LEVEL, is_significant
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import Pairs, paired_t
from biasvar_cli.stats.step_down import step_down, step_down_of_pairs

N_RUNS = 20
N_POPULATION = 5000  # queries of a made-up world
ALPHAS = (1.0, 5.0)

World = Callable[[np.random.Generator], Mapping[float, FloatArray]]
CLAIMS: Mapping[str, str] = {
    **{f"risky {alpha:g}": f"risky at weight {alpha:g}, E U = 0" for alpha in ALPHAS},
    **{f"t < -2 {alpha:g}": f"t_risk_{alpha:g} below -2, E U = 0" for alpha in ALPHAS},
    **{f"t > 2 {alpha:g}": f"t_risk_{alpha:g} above 2, E U = 0" for alpha in ALPHAS},
    "equal t < -2": "share of equal runs with t_risk_1 below -2",
    "safe": "safe, equal means",
    "t > 2 0": "t_risk_0 above 2, equal means",
    "deviant": "deviant, equal mean abs(d)",
    "found": "found: twice the noise",
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--track", action="append", default=[], help="a score matrix; repeatable")
    parser.add_argument("--simulations", type=int, default=500, help="simulated tracks of each world (500)")
    parser.add_argument("--samples", type=int, default=1999, help="resamples of a test (1999)")
    parser.add_argument("--queries", default="10,25,50,100", help="queries of a simulated track (10,25,50,100)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    asked = parser.parse_args(arguments)
    sizes = tuple(map(int, asked.queries.split(",")))
    numbers = range(asked.simulations)
    print(f"{asked.simulations} tracks a world; the standard error of .05 is {_error(0.05, asked.simulations):.3f}\n")
    print(f"| world | claim | {' | '.join(f'n = {size}' for size in sizes)} |\n|---|---|{'---|' * len(sizes)}")
    of_worlds: dict[str, list[list[float]]] = {}
    with ProcessPoolExecutor(asked.jobs) as pool:
        for name, world in worlds(asked.track).items():
            simulated = [list(pool.map(partial(rates, world, n, asked.samples), numbers)) for n in sizes]
            for key, claim in CLAIMS.items():
                found = [[track[key] for track in tracks] for tracks in simulated]
                of_worlds.setdefault(claim, []).append([float(np.mean(tracks)) for tracks in found])
                print(_row(name, claim, found), flush=True)
        for claim, of_world in of_worlds.items():
            cells = (f"{mean:.3f} / {largest:.3f}" for mean, largest in zip(*_over_worlds(of_world), strict=True))
            print(f"| all worlds: mean / largest | {claim} | {' | '.join(cells)} |", flush=True)
        for (name, claim), limit in LIMITS.items():
            claims = [list(pool.map(partial(limit, n, asked.samples), numbers)) for n in sizes]
            print(_row(name, claim, claims), flush=True)


def worlds(paths: Sequence[str]) -> dict[str, World]:
    """What gives each world's differences, (20, N), with mean delta(alpha) = 0 for alpha 0, 1 and 5."""
    found: dict[str, World] = {made.__name__: partial(made_up, made) for made in (normal, skewed, sparse)}
    for path in paths:
        values = load_track(TrackRequest(inputs=(path,))).scored[0].scores.values
        for baseline in ("mean", "run"):
            found[f"{Path(path).stem}, {baseline}"] = partial(real, values, baseline)
    return found


def made_up(draw: Callable[[np.random.Generator], FloatArray], _: np.random.Generator) -> Mapping[float, FloatArray]:
    """One population, the same for all simulated tracks."""
    return _made_up(draw)


@lru_cache
def _made_up(draw: Callable[[np.random.Generator], FloatArray]) -> Mapping[float, FloatArray]:
    return all_balanced(draw(np.random.default_rng(0)))


def normal(rng: np.random.Generator) -> FloatArray:
    """Differences of runs of unequal spread, half of whose variance is the baseline's, (20, N)."""
    own = rng.normal(size=(N_RUNS, N_POPULATION)) * np.linspace(0.5, 1.5, N_RUNS)[:, None]
    return own - rng.normal(size=N_POPULATION)


def skewed(rng: np.random.Generator) -> FloatArray:
    """Differences of scores whose logs are normal: most are small, a few large, (20, N)."""
    topics = rng.normal(size=N_POPULATION)
    scores = np.exp(0.7 * (topics + rng.normal(size=(N_RUNS + 1, N_POPULATION))))
    differences: FloatArray = scores[1:] - scores[0]
    return differences


def sparse(rng: np.random.Generator) -> FloatArray:
    """Differences of which six in ten are 0 and the others a few tenths, as under P@10, (20, N)."""
    steps = rng.choice(
        [-0.3, -0.2, -0.1, 0.1, 0.2, 0.3], p=[0.05, 0.1, 0.35, 0.35, 0.1, 0.05], size=(N_RUNS, N_POPULATION)
    )
    differences: FloatArray = np.where(rng.random((N_RUNS, N_POPULATION)) < 0.6, 0.0, steps)
    return differences


def real(values: FloatArray, baseline: str, rng: np.random.Generator) -> Mapping[float, FloatArray]:
    """Differences of 20 runs of a track, (R, N), from the mean of its runs or from one of the others.

    Copies of the baseline are left out.
    """
    against = values.mean(axis=0) if baseline == "mean" else values[rng.integers(len(values))]
    differences = values - against
    others = differences[differences.any(axis=1)]
    return all_balanced(others[rng.permutation(len(others))[:N_RUNS]])


def all_balanced(gains: FloatArray) -> Mapping[float, FloatArray]:
    return {alpha: balanced(gains, alpha) for alpha in (0.0, *ALPHAS)}


def balanced(gains: FloatArray, alpha: float) -> FloatArray:
    """The rows with mean delta(alpha) = 0: moved by a constant, or with scaled losses where more than half are 0."""
    if (gains == 0).mean() > 0.5:
        reward, lost = (np.maximum(sign * gains, 0).mean(axis=1, keepdims=True) for sign in (1, -1))
        return np.where(gains < 0, gains * reward / ((1 + alpha) * lost), gains)
    low, high = -gains.max(axis=1, keepdims=True), -gains.min(axis=1, keepdims=True)
    for _ in range(60):  # delta grows with what is added
        middle = (low + high) / 2
        below = weighed(gains + middle, alpha).mean(axis=1, keepdims=True) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    moved: FloatArray = gains + (low + high) / 2
    return moved


def rates(world: World, n_queries: int, n_samples: int, number: int) -> dict[str, float]:
    """Whether each claim is made of any run on one simulated track of each kind."""
    rng = np.random.default_rng([number, n_queries])
    populations = world(rng)
    equal = populations[0.0]
    queries = rng.integers(0, equal.shape[1], n_queries)
    p_of = partial(p_values, n_samples=n_samples, number=number)
    made: dict[str, float] = {}
    for alpha in ALPHAS:
        delta = weighed(populations[alpha][:, queries], alpha)
        made[f"risky {alpha:g}"] = float(claimed(delta, p_of(delta), -1).any())
        t_risk = paired_t(delta).t
        made[f"t < -2 {alpha:g}"] = float((t_risk < -2).any())
        made[f"t > 2 {alpha:g}"] = float((t_risk > 2).any())
    gains = equal[:, queries]
    made["equal t < -2"] = float((paired_t(weighed(gains, 1.0)).t < -2).mean())
    made["safe"] = float((claimed(gains, p_of(gains), 1) & (weighed(gains, 1.0).mean(axis=1) > 0)).any())
    made["t > 2 0"] = float((paired_t(gains).t > 2).any())
    alike = (equal / np.abs(equal).mean(axis=1, keepdims=True))[:, queries]
    apart = deviations(alike)
    made["deviant"] = float(claimed(apart, p_of(apart), 1).any())
    apart = deviations(alike * np.where(np.arange(N_RUNS) == 0, 2.0, 1.0)[:, None])
    made["found"] = float(claimed(apart, p_of(apart), 1)[0])
    return made


def rare_losses(n_queries: int, n_samples: int, number: int) -> float:
    """Safe, of one run alone with mean d = 0: it gains about .05 on 19 of 20 queries, and loses .95 on the other."""
    rng = np.random.default_rng([number, n_queries])
    lost = rng.random((1, n_queries)) < 0.05
    gains = np.where(lost, -0.95, 0.05) * rng.uniform(0.5, 1.5, size=lost.shape)
    made = claimed(gains, p_values(gains, n_samples, number), 1)
    return float((made & (weighed(gains, 1.0).mean(axis=1) > 0)).any())


def chosen_baseline(
    alpha: float, mean: float, n_queries: int, n_samples: int, number: int, *, all_pairs: bool = False
) -> float:
    """Risky, where the run of the best mean is the baseline, and was chosen for that.

    Twenty runs are equal, and one has E U_risk = 0 against each of them; with alpha 0 it is equal too, and a claim
    about any run is false. The scores are normal with variance 1 / 2, so that a difference has the variance 1. With
    ``all_pairs`` a run is risky if its mean is below the best one's by the test of all pairs, as in `risk`.
    """
    rng = np.random.default_rng([number, n_queries])
    scores = rng.normal(size=(N_RUNS + 1, n_queries)) * np.sqrt(0.5)
    scores[0] += mean
    best = int(scores.mean(axis=1).argmax())
    gains = np.delete(scores, best, axis=0) - scores[best]
    if all_pairs:
        draws = Draws(n_samples, partial(generator, Stream.STEP_DOWN, number))
        first, second = Pairs.of_all(len(scores))
        p = step_down_of_pairs(scores, LEVEL, draws).p[(first == best) | (second == best)]
        made = claimed(gains, p, -1)
    else:
        delta = weighed(gains, alpha)
        made = claimed(delta, p_values(delta, n_samples, number), -1)
    return float(made.any() if alpha == 0 else best != 0 and made[0])


LIMITS: Mapping[tuple[str, str], Callable[[int, int, int], float]] = {
    ("one run, rare losses", "safe, equal means"): rare_losses,
    ("best run as baseline", "risky at weight 0, E U = 0"): partial(chosen_baseline, 0.0, 0.0),
    ("best run as baseline", "risky at weight 1, E U = 0"): partial(chosen_baseline, 1.0, 0.2760),
    ("best run as baseline, all pairs", "risky at weight 0, E U = 0"): partial(
        chosen_baseline, 0.0, 0.0, all_pairs=True
    ),
    ("best run as baseline, all pairs", "risky at weight 1, E U = 0"): partial(
        chosen_baseline, 1.0, 0.2760, all_pairs=True
    ),
}


def p_values(rows: FloatArray, n_samples: int, number: int) -> FloatArray:
    return step_down(rows, LEVEL, Draws(n_samples, partial(generator, Stream.STEP_DOWN, number))).p


def claimed(rows: FloatArray, p: FloatArray, side: int) -> BoolArray:
    """Of which rows, (20, n), it is said that their mean is on a side of 0."""
    made: BoolArray = is_significant(p, LEVEL) & (side * rows.mean(axis=1) > 0)
    return made


def _row(world: str, claim: str, found: Sequence[Sequence[float]]) -> str:
    """A row of the table: the rate, and its standard error, for every number of queries."""
    means = [(float(np.mean(tracks)), len(tracks)) for tracks in found]
    cells = (f"{rate:.3f} ({_error(rate, n_tracks):.3f})" for rate, n_tracks in means)
    return f"| {world} | {claim} | {' | '.join(cells)} |"


def _over_worlds(rates_of_worlds: Sequence[Sequence[float]]) -> tuple[list[float], list[float]]:
    """The mean and the largest rate over the worlds, for every number of queries."""
    found = np.array(rates_of_worlds)
    return found.mean(axis=0).tolist(), found.max(axis=0).tolist()


def _error(rate: float, n_tracks: int) -> float:
    """The standard error of a rate; of the share of single runs it is smaller than this."""
    return float(np.sqrt(rate * (1 - rate) / n_tracks))


if __name__ == "__main__":
    main()
