"""A zoo of worlds in which the verdict on the tradeoff is tested: laws of scores whose truth is known.

In a *null world* runs differ in nothing but expected effectiveness: each run has one number s_f, and the law of its
score on a query follows from s_f and the query alone. The only right verdict there is "none". Runs may resemble each
other: the draws of two runs may be correlated, but the law of each is still that of its s_f. In an *alternative* the
runs also differ in how much their scores scatter, or in how strongly they react to the difficulty of a query.

A law takes a generator, a number of runs and one of queries, and gives scores in [0, 1], shape (R, n). The worlds are
written from the description of the verdict, not from the models behind it: apart from loading score matrices, they use
nothing of the program.

Notation: s_f the effectiveness of a run, N(-1.1, .6^2) on the scale of the link unless said otherwise; t_q the ease of
a query, N(0, 1.1^2); p the expected score of a cell, z its standard normal draw, which gives a score by quantile. In
worlds with likeness, z of two runs is correlated by three factors of each query, with loadings of one length for
every run: z_fq = sqrt(.4) L_f . F_q / |L_f| + sqrt(.6) e_fq.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import simulated_rankings as rankings
from scipy.special import betaincinv, ndtr

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track

Law = Callable[[np.random.Generator, int, int], FloatArray]
PRECISION = 8.0  # of a Beta law: variance p (1 - p) / (precision + 1)
TRACKS = {  # score matrices of at least 60 runs, and their measures
    "trec5-adhoc-ap": "AP",
    "trec6-adhoc-ap": "AP",
    "web2010-ndcg20": "nDCG@20",
    "web2011-err20": "ERR@20",
    "terabyte06-ap-named": "AP",
}
_PASSES = 6  # of swaps between neighbours
_DOCUMENTS = 300  # ranked for each query of a simulated ranking
_GRADES = (0.65, 0.25, 0.1)  # shares of the grades 1, 2, 3 among relevant documents


class World(NamedTuple):
    """A law of scores; ``differs`` says that runs differ in more than their means; ``measure`` is known to rankings."""

    law: Law
    differs: bool = False
    measure: str | None = None


# What the laws are made of


def effects(
    rng: np.random.Generator, n_runs: int, n_queries: int, centre: float = -1.1, sd: float = 0.6, ease: float = 1.1
) -> tuple[FloatArray, FloatArray]:
    """s_f, shape (R, 1), and t_q, shape (1, n)."""
    return rng.normal(centre, sd, (n_runs, 1)), rng.normal(0, ease, (1, n_queries))


def independent(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """z, (R, n): every cell by itself."""
    return rng.standard_normal((n_runs, n_queries))


def factors(rng: np.random.Generator, n_runs: int, n_queries: int, share: float = 0.4) -> FloatArray:
    """z, (R, n), with likeness: three factors of each query, a ``share`` of the variance of every run.

    >>> z = factors(np.random.default_rng(0), 4, 100_000)
    >>> bool(np.allclose(z.std(axis=1), 1, atol=0.01)), bool(np.abs(np.corrcoef(z)[0, 1:]).max() > 0.1)
    (True, True)
    """
    loadings = rng.normal(0.5, 1, (n_runs, 3))
    loadings /= np.linalg.norm(loadings, axis=1, keepdims=True)
    common = loadings @ rng.standard_normal((3, n_queries))
    return np.asarray(np.sqrt(share) * common + np.sqrt(1 - share) * independent(rng, n_runs, n_queries))


def logistic(x: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-x)))


def beta(z: FloatArray, p: FloatArray, precision: float | FloatArray = PRECISION) -> FloatArray:
    """The score with mean p and variance p (1 - p) / (precision + 1) at the quantile of z; all broadcast to (R, n)."""
    p = np.clip(p, 1e-4, 1 - 1e-4)
    return np.asarray(np.clip(betaincinv(p * precision, (1 - p) * precision, ndtr(z)), 0, 1))


# Null worlds: other links between effectiveness, ease and score; Beta scatter of one precision


def logit(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = logistic(s_f + t_q), Beta, cells independent. Null: p is all that differs between runs."""
    s, t = effects(rng, n_runs, n_queries)
    return beta(independent(rng, n_runs, n_queries), logistic(s + t))


def logit_alike(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """As `logit`, with likeness. Null: the law of each run is that of its s_f, whichever runs it resembles."""
    s, t = effects(rng, n_runs, n_queries)
    return beta(factors(rng, n_runs, n_queries), logistic(s + t))


def clusters(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Groups of four runs with a common centre of s_f (sd .55, within .25) and z = sqrt(.75) z_group + sqrt(.25) e.

    Null: runs of one group resemble each other, and the law of each follows from its s_f.
    """
    s, t = effects(rng, n_runs, n_queries, sd=0.25)
    group = np.arange(n_runs) // 4
    s = s + rng.normal(0, 0.55, group[-1] + 1)[group, None]
    shared = independent(rng, group[-1] + 1, n_queries)[group]
    z = np.sqrt(0.75) * shared + np.sqrt(0.25) * independent(rng, n_runs, n_queries)
    return beta(z, logistic(s + t))


def poor_runs(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """As `logit_alike`, but s_f of a sixth of the runs is lower by 1 to 4. Null: they are poor by the same law."""
    s, t = effects(rng, n_runs, n_queries, centre=-0.8, sd=0.4)
    s = s - np.where(rng.random(s.shape) < 1 / 6, rng.uniform(1, 4, s.shape), 0)
    return beta(factors(rng, n_runs, n_queries), logistic(s + t))


def probit(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = Phi(s_f + t_q), s N(-.65, .35^2), t N(0, .7^2), Beta, likeness. Null: p alone differs between runs."""
    s, t = effects(rng, n_runs, n_queries, -0.65, 0.35, 0.7)
    return beta(factors(rng, n_runs, n_queries), ndtr(s + t))


def cloglog(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = 1 - exp(-exp(s_f + t_q)), s N(-1.3, .5^2), t N(0, .9^2), Beta, likeness. Null: p alone differs."""
    s, t = effects(rng, n_runs, n_queries, -1.3, 0.5, 0.9)
    return beta(factors(rng, n_runs, n_queries), -np.expm1(-np.exp(s + t)))


def loglog(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = exp(-exp(-(s_f + t_q))), s N(-.4, .3^2), t N(0, .6^2), Beta, cells independent. Null: p alone differs."""
    s, t = effects(rng, n_runs, n_queries, -0.4, 0.3, 0.6)
    return beta(independent(rng, n_runs, n_queries), np.exp(-np.exp(-(s + t))))


def additive(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = s_f + t_q clipped to [.01, .99], s N(.3, .08^2), t N(0, .18^2), Beta, likeness. Null: p alone differs."""
    s, t = effects(rng, n_runs, n_queries, 0.3, 0.08, 0.18)
    return beta(factors(rng, n_runs, n_queries), np.clip(s + t, 0.01, 0.99))


def multiplicative(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = e_f d_q, e Beta(8, 4), d Beta(1.2, 1.8), Beta scatter, likeness. Null: p alone differs between runs."""
    e, d = rng.beta(8, 4, (n_runs, 1)), rng.beta(1.2, 1.8, (1, n_queries))
    return beta(factors(rng, n_runs, n_queries), e * d)


def power(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = d_q^g_f, d uniform on [.02, .98], ln g N(.9, .35^2), Beta, cells independent. Null: p alone differs."""
    d, g = rng.uniform(0.02, 0.98, (1, n_queries)), np.exp(rng.normal(0.9, 0.35, (n_runs, 1)))
    return beta(independent(rng, n_runs, n_queries), d**g)


def either(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """1 - p = (1 - e_f)(1 - d_q), e Beta(2, 14), d Beta(.8, 3), Beta, likeness. Null: p alone differs between runs.

    A score is earned by the run or by the ease of the query: runs come nearest to each other on easy queries.
    """
    e, d = rng.beta(2, 14, (n_runs, 1)), rng.beta(0.8, 3, (1, n_queries))
    return beta(factors(rng, n_runs, n_queries), 1 - (1 - e) * (1 - d))


# Null worlds: other laws of scatter around p = logistic(s_f + t_q)


def logit_normal(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Score = logistic(s_f + t_q + .9 z), likeness. Null: one scatter for all runs on the scale of the link."""
    s, t = effects(rng, n_runs, n_queries)
    return logistic(s + t + 0.9 * factors(rng, n_runs, n_queries))


def heavy_tails(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Score = logistic(s_f + t_q + .35 x), x Student's t with 2 degrees of freedom. Null: one law of x for all runs."""
    s, t = effects(rng, n_runs, n_queries)
    return logistic(s + t + 0.35 * rng.standard_t(2, (n_runs, n_queries)))


def uniform_mixture(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Uniform on the widest interval about p within [0, 1], in half of the cells on its middle third, likeness.

    Null: p alone differs between runs.
    """
    s, t = effects(rng, n_runs, n_queries)
    p = logistic(s + t)
    width = np.minimum(p, 1 - p) * np.where(rng.random(p.shape) < 0.5, 1, 1 / 3)
    return np.asarray(p + width * (2 * ndtr(factors(rng, n_runs, n_queries)) - 1))


def zero_inflated(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """0 with probability .6 (1 - p)^3, else Beta about p, cells independent. Null: both follow from p alone."""
    s, t = effects(rng, n_runs, n_queries, centre=-0.8)
    p = logistic(s + t)
    found = rng.random(p.shape) >= 0.6 * (1 - p) ** 3
    return np.asarray(found * beta(independent(rng, n_runs, n_queries), p))


def coarse(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Binomial(5, x) / 5 with x Beta about p, likeness: few different scores. Null: p alone differs between runs."""
    s, t = effects(rng, n_runs, n_queries)
    return np.asarray(rng.binomial(5, beta(factors(rng, n_runs, n_queries), logistic(s + t))) / 5)


# Null worlds: queries that differ in more than their ease


def zero_queries(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """As `logit_alike`, but a fifth of the queries give every run a score of 0. Null: the same queries for all."""
    values = logit_alike(rng, n_runs, n_queries)
    values[:, rng.random(n_queries) < 0.2] = 0
    return values


def precision_by_query(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Beta, likeness, precision 8 exp(N(0, 1)) of each query. Null: it is the same for all runs."""
    s, t = effects(rng, n_runs, n_queries)
    precision = PRECISION * np.exp(rng.normal(0, 1, (1, n_queries)))
    return beta(factors(rng, n_runs, n_queries), logistic(s + t), precision)


def slope_by_query(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = logistic(-1.1 + b_q (s_f + 1.1) + t_q), ln b N(0, .6^2), Beta, likeness.

    Null: some queries tell runs apart better than others, but s_f is still the only number of a run.
    """
    s, t = effects(rng, n_runs, n_queries)
    slope = np.exp(rng.normal(0, 0.6, (1, n_queries)))
    return beta(factors(rng, n_runs, n_queries), logistic(-1.1 + slope * (s + 1.1) + t))


# Null worlds: measures of simulated rankings


def relevance(rng: np.random.Generator, n_queries: int, typical: float) -> IntArray:
    """The grades of the documents of each query, (n, D): the relevant ones are log-normal in number, from 1 to 120.

    >>> grades = relevance(np.random.default_rng(0), 1000, 15)
    >>> number = (grades > 0).sum(axis=1)
    >>> int(number.min()), int(number.max()), bool(abs(np.median(number) - 15) <= 2), int(grades.max())
    (1, 120, True, 3)
    """
    number = np.clip(np.rint(np.exp(rng.normal(np.log(typical), 0.9, n_queries))), 1, 120)
    grades = rng.choice([1, 2, 3], (n_queries, _DOCUMENTS), p=_GRADES)
    return np.where(np.arange(_DOCUMENTS) < number[:, None], grades, 0)


def of_rankings(
    measure: Callable[[IntArray], FloatArray], typical: float, rng: np.random.Generator, n_runs: int, n_queries: int
) -> FloatArray:
    """A measure of rankings by signal x utility + noise, with the signal exp(s_f + t_q), s N(-.2, .3^2), t N(0, .5^2).

    Null: s_f, the logarithm of a signal-to-noise ratio, is the only number of a run; the documents, their relevance and
    a share of the noise are common to all runs (`simulated_rankings`).
    """
    s, t = effects(rng, n_runs, n_queries, -0.2, 0.3, 0.5)
    return measure(rankings.ranked_grades(rng, np.exp(s + t), relevance(rng, n_queries, typical)))


# Null worlds: real tracks whose runs of nearly the same mean have been mixed


def swapped(track: FloatArray, rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Queries drawn from a real ``track`` with replacement; within each, scores of runs adjacent in mean are swapped.

    The runs are sorted by mean; in six passes, of even and odd pairs in turn, each pair of neighbours swaps its scores
    with probability 1/2, for every query anew; then ``n_runs`` of the runs are drawn, and shown in a random order.
    Null, nearly: a run's law is a mixture of those of runs about as good, so that no stability of its own is left. What
    stability has to do with effectiveness in the track, smoothly, is left.
    """
    ordered = track[np.argsort(track.mean(axis=1), kind="stable")]
    values = ordered[:, rng.integers(0, track.shape[1], n_queries)]
    for number in range(_PASSES):
        first = np.arange(number % 2, len(values) - 1, 2)
        swap = rng.random((len(first), n_queries)) < 0.5
        low, high = values[first], values[first + 1]
        values[first], values[first + 1] = np.where(swap, high, low), np.where(swap, low, high)
    return values[rng.permutation(len(values))[:n_runs]]


# Alternatives: runs differ in stability


def falling(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Beta, likeness, precision 8 exp(-.8 (s_f + 1.1) / .6): better runs are less steady. A tradeoff: `stronger`."""
    s, t = effects(rng, n_runs, n_queries)
    precision = PRECISION * np.exp(-0.8 * (s + 1.1) / 0.6)
    return beta(factors(rng, n_runs, n_queries), logistic(s + t), precision)


def rising(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Beta, likeness, precision 8 exp(+.8 (s_f + 1.1) / .6): better runs are steadier. No tradeoff: `weaker`."""
    s, t = effects(rng, n_runs, n_queries)
    precision = PRECISION * np.exp(0.8 * (s + 1.1) / 0.6)
    return beta(factors(rng, n_runs, n_queries), logistic(s + t), precision)


def idiosyncratic(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """Beta, likeness, precision 8 exp(N(0, 1)) of each run: steadiness of its own, whatever its mean: `weaker`."""
    s, t = effects(rng, n_runs, n_queries)
    precision = PRECISION * np.exp(rng.normal(0, 1, (n_runs, 1)))
    return beta(factors(rng, n_runs, n_queries), logistic(s + t), precision)


def amplifying(rng: np.random.Generator, n_runs: int, n_queries: int) -> FloatArray:
    """p = logistic(s_f + b_f t_q), ln b N(0, .35^2), Beta, likeness: some runs amplify difficulty: `weaker`."""
    s, t = effects(rng, n_runs, n_queries)
    slope = np.exp(rng.normal(0, 0.35, (n_runs, 1)))
    return beta(factors(rng, n_runs, n_queries), logistic(s + slope * t))


# The zoo

_NULL = (
    logit, logit_alike, clusters, poor_runs, probit, cloglog, loglog, additive, multiplicative, power, either,
    logit_normal, heavy_tails, uniform_mixture, zero_inflated, coarse, zero_queries, precision_by_query, slope_by_query,
)  # fmt: skip
_ALTERNATIVES = (falling, rising, idiosyncratic, amplifying)
MEASURES: Mapping[str, tuple[Callable[[IntArray], FloatArray], float]] = {  # and the usual number of relevant documents
    "AP": (rankings.average_precision, 15),
    "nDCG@10": (rankings.ndcg, 15),
    "ERR@20": (rankings.expected_reciprocal_rank, 15),
    "RR": (rankings.reciprocal_rank, 2),
    "P@10": (rankings.precision, 15),
}


def zoo(tracks: Path) -> dict[str, World]:
    """Every world by its name, null worlds first; real tracks are those of `TRACKS` that are in the folder.

    >>> worlds = zoo(Path("nowhere"))
    >>> sum(not world.differs for world in worlds.values()), [name for name in worlds if worlds[name].differs]
    (24, ['falling', 'rising', 'idiosyncratic', 'amplifying'])
    """
    laws = {law.__name__.replace("_", "-"): World(law) for law in _NULL}
    ranked = {f"ranked {name}": World(partial(of_rankings, *of), measure=name) for name, of in MEASURES.items()}
    return laws | ranked | _real(tracks) | {law.__name__: World(law, differs=True) for law in _ALTERNATIVES}


def _real(tracks: Path) -> dict[str, World]:
    """The real tracks that are there, to be swapped."""
    found = {}
    for name, measure in TRACKS.items():
        path = tracks / f"{name}.csv"
        if path.exists():
            values = load_track(TrackRequest(inputs=(str(path),))).scored[0].scores.values
            found[f"swapped {name.removesuffix('-named')}"] = World(partial(swapped, values), measure=measure)
    return found
