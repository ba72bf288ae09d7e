"""How often the intervals of U_risk and GeoRisk hold the truth: real queries drawn with replacement from a real track.

    python benchmarks/risk_coverage.py MATRIX.csv... [--queries 25,50] [--simulations 500]

The population is the queries of the matrix, so that the truth is the number of the whole matrix, and a simulated track
is a draw of queries from it. Printed for each alpha: the mean over the runs of the share of tracks whose interval of
95 % holds the truth, and the lowest run. The baseline is the mean of the runs on each query.
"""

from __future__ import annotations

import argparse

import numpy as np

from biasvar_cli.analyses.risk.inference import RiskIntervals, risk_intervals
from biasvar_cli.analyses.risk.losses import geo_risk, risk
from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.track import load_track

ALPHAS = (0.0, 1.0, 5.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("matrices", nargs="+", metavar="MATRIX")
    parser.add_argument("--queries", default="25,50")
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=1000)
    asked = parser.parse_args()
    print("matrix                  n  alpha   U_risk: mean lowest   GeoRisk: mean lowest")
    for path in asked.matrices:
        whole = load_track(TrackRequest(inputs=(path,))).scored[0].scores
        name = path.rpartition("/")[2].removesuffix(".csv")
        for n_queries in map(int, asked.queries.split(",")):
            held = _coverage(whole, n_queries, asked.simulations, asked.resamples)
            for alpha, (u_risk, geo) in zip(ALPHAS, held.transpose(1, 0, 2), strict=True):
                shares = f"{u_risk.mean():12.3f} {u_risk.min():.3f} {geo.mean():16.3f} {geo.min():.3f}"
                print(f"{name:22} {n_queries:3} {alpha:6g} {shares}", flush=True)


def _coverage(whole: ScoreMatrix, n_queries: int, n_simulations: int, n_resamples: int) -> FloatArray:
    """The share of simulated tracks whose interval holds the truth: (2, n_alphas, n_runs)."""
    truth = _both(whole)
    held = np.zeros(truth.shape)
    for number in range(n_simulations):
        drawn = np.random.default_rng([n_queries, number]).integers(0, whole.n_queries, n_queries)
        values, queries = whole.values[:, drawn], tuple(map(str, range(n_queries)))
        track = ScoreMatrix(values, whole.runs, queries, None)
        made = risk_intervals(track, track, values.mean(axis=0), ALPHAS, n_resamples=n_resamples, seed=number)
        held += _holds(made, truth)
    return held / n_simulations


def _both(track: ScoreMatrix) -> FloatArray:
    """U_risk and GeoRisk, (2, n_alphas, n_runs)."""
    found = risk(track, track.values.mean(axis=0), ALPHAS)
    return np.stack([np.stack([each.u_risk for each in found.at]), geo_risk(track, track, ALPHAS).geo_risk])


def _holds(made: RiskIntervals, truth: FloatArray) -> BoolArray:
    low, high = (
        np.array([[getattr(each, end) for each in ends] for ends in (made.u_risk, made.geo_risk)])
        for end in ("low", "high")
    )
    return (low <= truth) & (truth <= high)


if __name__ == "__main__":
    main()
