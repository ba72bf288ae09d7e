"""How often the verdict on the tradeoff is false for systems of several replicates, beside that for single runs.

    python benchmarks/replicate_verdicts.py --tracks 100 --systems 20

With ``--replicates`` the null models are fitted to the mean scores of the systems, and every simulated system has the
variance over replicates of the data. In the worlds here systems differ in nothing but expected effectiveness, and all
replicates of a system follow its law, so that any verdict would be false. The laws are those of `null_worlds`, where
the normal draw z of a cell has a part of each replicate: z = sqrt(1 - share) z_system + sqrt(share) z_replicate. In
`ranked-AP` this is so of the noise of the ranking; in `shift` a replicate is better or worse on all queries alike.

Each track is looked at in five ways: its first replicates alone, as runs; 3 and 5 replicates of each system, by the
rule for runs; the means of the 5 in place of runs, where the variance over replicates has no part in r; and 5
replicates with models that are fitted to all runs, whose simulated runs make the simulated systems. The table has the
shares of tracks that the rule would call `stronger` / `weaker`, in brackets those at a level of .05. ``of var`` is the
mean of var_replicates / var, of 5 replicates. Seeded. Nothing here is asserted. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from math import sqrt

import numpy as np
from null_worlds import beta, effects, factors, independent, logistic, relevance
from simulated_rankings import SHARED, average_precision

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition import Design
from biasvar_cli.decomposition.decompose import TargetedScores, best_of_runs
from biasvar_cli.decomposition.generalised import tradeoff_rows
from biasvar_cli.nulls import DECIDING
from biasvar_cli.nulls.models import null_models
from biasvar_cli.nulls.surface import fit_surface
from biasvar_cli.nulls.verdicts import TAIL_LEVEL
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.stats.correlation import pearson
from biasvar_cli.stats.monte_carlo import tails

MOST = 5  # replicates of a system
SAMPLES, BLOCK = 600, 100  # of each model, and how many of all runs at a time
SHARES = (0.1, 0.4, 1.0)  # of the scatter of a cell
QUERIES = 50
WIDE = 0.05  # a level at which more tracks tell of a shift
Law = Callable[[np.random.Generator, int, int, float], FloatArray]


def of_replicates(rng: np.random.Generator, z: FloatArray, share: float) -> FloatArray:
    """The normal draws of all replicates, (K, R, n), for those of the systems, (R, n)."""
    return np.asarray(sqrt(1 - share) * z + sqrt(share) * rng.standard_normal((MOST, *z.shape)))


def logit_alike(rng: np.random.Generator, n_systems: int, n_queries: int, share: float) -> FloatArray:
    """As in `null_worlds`: Beta about logistic(s_f + t_q), with likeness."""
    s, t = effects(rng, n_systems, n_queries)
    return beta(of_replicates(rng, factors(rng, n_systems, n_queries), share), logistic(s + t))


def loglog(rng: np.random.Generator, n_systems: int, n_queries: int, share: float) -> FloatArray:
    """As in `null_worlds`: Beta about exp(-exp(-(s_f + t_q))), cells independent."""
    s, t = effects(rng, n_systems, n_queries, -0.4, 0.3, 0.6)
    return beta(of_replicates(rng, independent(rng, n_systems, n_queries), share), np.exp(-np.exp(-(s + t))))


def slope_by_query(rng: np.random.Generator, n_systems: int, n_queries: int, share: float) -> FloatArray:
    """As in `null_worlds`: Beta about logistic(-1.1 + b_q (s_f + 1.1) + t_q), with likeness."""
    s, t = effects(rng, n_systems, n_queries)
    slope = np.exp(rng.normal(0, 0.6, (1, n_queries)))
    z = of_replicates(rng, factors(rng, n_systems, n_queries), share)
    return beta(z, logistic(-1.1 + slope * (s + 1.1) + t))


def logit_normal(rng: np.random.Generator, n_systems: int, n_queries: int, share: float) -> FloatArray:
    """As in `null_worlds`: logistic(s_f + t_q + .9 z), with likeness."""
    s, t = effects(rng, n_systems, n_queries)
    return logistic(s + t + 0.9 * of_replicates(rng, factors(rng, n_systems, n_queries), share))


def shift(rng: np.random.Generator, n_systems: int, n_queries: int, share: float) -> FloatArray:
    """As `logit_alike`, but a replicate has s_fk = s_f + sqrt(share) N(0, .5^2) on all queries, and all share z."""
    s, t = effects(rng, n_systems, n_queries)
    shifted = s + sqrt(share) * rng.normal(0, 0.5, (MOST, n_systems, 1))
    return beta(factors(rng, n_systems, n_queries), logistic(shifted + t))


def ranked_ap(rng: np.random.Generator, n_systems: int, n_queries: int, share: float) -> FloatArray:
    """AP of simulated rankings as in `null_worlds`; the noise of a run has a part of the system and one of its own."""
    s, t = effects(rng, n_systems, n_queries, -0.2, 0.3, 0.5)
    judged = relevance(rng, n_queries, 15)
    utility, shape = np.where(judged > 0, (judged + 1) / 2, 0.0), (n_systems, *judged.shape)
    common, of_system = rng.standard_normal(judged.shape), rng.standard_normal(shape)
    scores = []
    for _ in range(MOST):
        mixed = sqrt(1 - share) * of_system + sqrt(share) * rng.standard_normal(shape)
        noise = sqrt(SHARED) * common + sqrt(1 - SHARED) * mixed
        order = np.argsort(-(np.exp(s + t)[..., None] * utility + noise), axis=2)
        scores.append(average_precision(np.take_along_axis(np.broadcast_to(judged, shape), order, axis=2)))
    return np.array(scores)


WAYS = ("1 run", "3 replicates", "5 replicates", "means of 5", "models of all runs")
WORLDS: Mapping[str, tuple[Law, str | None]] = {
    "logit-alike": (logit_alike, None),
    "loglog": (loglog, None),
    "slope-by-query": (slope_by_query, None),
    "logit-normal": (logit_normal, None),
    "shift": (shift, None),
    "ranked-AP": (ranked_ap, "AP"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tracks", type=int, default=100, help="simulated tracks of each row (100)")
    parser.add_argument("--systems", type=int, default=20, help="systems of a track (20)")
    parser.add_argument("--world", action="append", choices=WORLDS, help="a world; repeatable (all)")
    parser.add_argument("--share", type=float, action="append", help="share of the replicates; repeatable (.1, .4, 1)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    print(f"{asked.tracks} tracks of {asked.systems} systems and {QUERIES} queries a row\n")
    print(f"| world | share | of var | {' | '.join(WAYS)} |", "| --- |" + " --- |" * (2 + len(WAYS)), sep="\n")
    everything = []
    for name in asked.world or WORLDS:
        for share in asked.share or SHARES:
            tracks = np.array([_of_track(name, share, asked.systems, asked.seed, at) for at in range(asked.tracks)])
            everything.append(tracks)
            cells = " | ".join(_rates(way) for way in tracks[:, :-1].transpose(1, 0, 2))
            print(f"| {name} | {share:g} | {tracks[:, -1].mean():.2f} | {cells} |", flush=True)
    ways = np.concatenate(everything)[:, :-1].transpose(1, 0, 2)
    print(f"| **all** | | | {' | '.join(map(_rates, ways))} |")


def _of_track(name: str, share: float, n_systems: int, seed: int, number: int) -> FloatArray:
    """The largest p over the models in both tails by each way, (6, 2), whose last row is var_replicates / var."""
    law, measure = WORLDS[name]
    rng = np.random.default_rng([seed, list(WORLDS).index(name), round(1000 * share), n_systems, number])
    values = law(rng, n_systems, QUERIES, share)
    looks = (values[:1], values[:3], values, values.mean(axis=0, keepdims=True))
    within = values.var(axis=0).mean(axis=-1)
    part = float((within / (within + values.mean(axis=0).var(axis=-1))).mean())
    return np.array([*(_of_systems(some, measure, number) for some in looks), _of_runs(values, number), (part, part)])


def _of_systems(values: FloatArray, measure: str | None, seed: int) -> tuple[float, float]:
    """Both p of the systems of one track, (K, R, n), by the models of the program."""
    n_replicates, n_systems, n_queries = values.shape
    names = tuple(f"{system:03}-{replicate}" for replicate in range(n_replicates) for system in range(n_systems))
    scores = ScoreMatrix(values.reshape(-1, n_queries), names, tuple(map(str, range(n_queries))), measure)
    if n_replicates > 1:
        scores = ScoreMatrix.of_systems(scores, {name: name[:3] for name in names})
    targeted, design = TargetedScores(scores, scores, best_of_runs(scores)), Design(seed=seed)
    row = tradeoff_rows(targeted, design)[:1]
    null = null_models(targeted, row, design, NullRequest(null_samples=SAMPLES, seed=seed, shuffled=False)).of(row[0])
    assert null is not None, "there are null models"
    models = null.models.values()
    return max(model.p_lower for model in models), max(model.p_upper for model in models)


def _of_runs(values: FloatArray, seed: int) -> tuple[float, float]:
    """Both p of the systems of one track, (K, R, n), by the same models of its runs."""
    surface, observed, models = fit_surface(values.reshape(-1, values.shape[-1])), float(_r(values[None])[0]), []
    for model in DECIDING:
        sampler, rng = model.fit(surface), np.random.default_rng(seed)
        drawn = [_r(sampler.draw(rng, BLOCK).reshape(-1, *values.shape)) for _ in range(0, SAMPLES, BLOCK)]
        models.append(tails(observed, np.concatenate(drawn)))
    return max(model.p_lower for model in models), max(model.p_upper for model in models)


def _r(samples: FloatArray) -> FloatArray:
    """r of bias^2 and the whole variance of systems against their best, (B, K, R, n) to (B,)."""
    means = samples.mean(axis=1)
    bias = means.max(axis=1).mean(axis=-1)[:, None] - means.mean(axis=-1)
    return pearson(bias**2, means.var(axis=-1) + samples.var(axis=1).mean(axis=-1))


def _rates(p: FloatArray) -> str:
    """The shares of tracks called `stronger` / `weaker`, and those at the wider level."""
    narrow, wide = ((p <= level).mean(axis=0) for level in (TAIL_LEVEL, WIDE))
    return f"{narrow[0]:.3f} / {narrow[1]:.3f} ({wide[0]:.3f} / {wide[1]:.3f})"


if __name__ == "__main__":
    main()
