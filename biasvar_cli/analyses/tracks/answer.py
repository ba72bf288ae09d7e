"""What one track gives, as plain values, which can be kept as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biasvar_cli.stats.correlation import Correlations

NullDocument = dict[str, Any]  # as `RowNull.document` gives it
SAMPLINGS = ("single", "random", "difficulty", "normalised")  # (a) to (d) of CIKM'14


@dataclass(frozen=True)
class TrackTradeoff:
    """What one track gives: plain values, which can be kept as JSON.

    ``correlations`` has those of each of `SAMPLINGS`, score form: (a) to (d) of CIKM'14. ``null`` is what the null
    models say of them, by sampling and model: ``means`` for those in which runs differ only in their means, and
    ``shuffled``, without those that there are not.
    ``n_samples`` were drawn of each model.
    ``rarefied`` is the mean of the best score of r runs drawn at random, for r = 1 to the number of runs, and empty for
    another target than best. ``n_teams`` is None where the manifest names no team map, ``fingerprint`` empty unless
    results are kept.
    """

    track: str
    series: str
    year: int
    measure: str | None
    target: str
    n_runs: int
    n_queries: int
    n_teams: int | None
    target_mean: float
    rarefied: tuple[float, ...]
    correlations: dict[str, Correlations]
    null: dict[str, dict[str, NullDocument]]
    warnings: tuple[str, ...]
    notices: tuple[str, ...] = ()
    n_samples: int = 0
    fingerprint: str = ""


@dataclass(frozen=True)
class BrokenTrack:
    """A track that could not be computed, and why."""

    track: str
    errors: tuple[str, ...]
