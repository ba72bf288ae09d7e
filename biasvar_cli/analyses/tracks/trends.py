"""The numbers of each track, and their trends over the years of a series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.tracks.answer import SAMPLINGS, TrackTradeoff
from biasvar_cli.stats.trend import Trend, trend
from biasvar_cli.words import COEFFICIENTS


class SeriesTrend(NamedTuple):
    """The trend of one quantity over the years of a series under one measure and target."""

    series: str
    measure: str | None
    target: str
    quantity: str
    trend: Trend


def quantities(found: Sequence[TrackTradeoff]) -> list[dict[str, float]]:
    """For each track, by name: the twelve correlations, and ``target_rarefied``.

    The latter is the target's mean made comparable between the tracks of a series: the expected best of as many runs as
    the track with the fewest has, nan for another target than best.
    """
    least: dict[tuple[str, str | None, str], int] = {}
    for each in found:
        key = _group(each)
        least[key] = min(least.get(key, len(each.rarefied)), len(each.rarefied))
    rows = []
    for each in found:
        n_drawn = least[_group(each)]
        rows.append(
            {
                **{
                    f"{sampling}_{name}": getattr(values, name)
                    for sampling, values in each.correlations.items()
                    for name in COEFFICIENTS
                },
                "target_rarefied": each.rarefied[n_drawn - 1] if n_drawn else float("nan"),
            }
        )
    return rows


def trends(found: Sequence[TrackTradeoff]) -> list[SeriesTrend]:
    """The trend of every quantity over the years of each series, the normalised correlations first as in CIKM'14.

    Tracks of one series under different measures or targets are different trends.
    """
    held = quantities(found)
    names = [f"{sampling}_{name}" for sampling in reversed(SAMPLINGS) for name in COEFFICIENTS] + ["target_rarefied"]
    result = []
    for key in dict.fromkeys(_group(each) for each in found):
        places = [index for index, each in enumerate(found) if _group(each) == key]
        years = [found[index].year for index in places]
        for name in names:
            values = np.array([held[index][name] for index in places])
            result.append(SeriesTrend(*key, name, trend(years, values)))
    return result


def _group(each: TrackTradeoff) -> tuple[str, str | None, str]:
    return each.series, each.measure, each.target
