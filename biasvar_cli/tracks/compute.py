"""Many tracks: the correlation of bias² and variance of each, and its trend over the years of a series (CIKM'14)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

import numpy as np

from biasvar_cli import __version__
from biasvar_cli.analyses.contribution import rarefied_means
from biasvar_cli.analyses.null import Null, NullRequest, null_models
from biasvar_cli.analyses.tradeoff import Design, Sampling, TradeoffRow, tradeoff_rows
from biasvar_cli.errors import BiasVarError, DataError, DataErrors, keep_warnings, warn
from biasvar_cli.readers.manifest import ManifestTrack
from biasvar_cli.readers.maps import read_teams
from biasvar_cli.readers.sources import expand, read_bytes
from biasvar_cli.scoring.scorer import Request
from biasvar_cli.scoring.targets import aim
from biasvar_cli.scoring.track import load_track
from biasvar_cli.stats.correlation import UNDEFINED, Correlations
from biasvar_cli.stats.trend import Trend, trend

NullDocument = dict[str, dict[str, float]]
SAMPLINGS = ("single", "random", "difficulty", "normalised")
COEFFICIENTS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True)
class TrackTradeoff:
    """What one track gives: plain values, which can be kept as JSON.

    ``correlations`` holds those of `SAMPLINGS`, score form, in this order: (a) to (d) of CIKM'14. ``rarefied`` is the
    mean of the best score of r runs drawn at random, for r = 1 to the number of runs, and empty for another target than
    best. ``references`` are those for ``correlations``, by model (``common``, ``exchangeable``), None where there are
    none. ``n_teams`` is None where the manifest names no team map, ``fingerprint`` empty unless results are kept.
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
    correlations: tuple[Correlations, ...]
    references: tuple[dict[str, NullDocument] | None, ...]
    warnings: tuple[str, ...]
    fingerprint: str = ""


@dataclass(frozen=True)
class BrokenTrack:
    """A track that could not be computed, and why."""

    track: str
    errors: tuple[str, ...]


class SeriesTrend(NamedTuple):
    """The trend of one quantity over the years of a series under one measure and target."""

    series: str
    measure: str | None
    target: str
    quantity: str
    trend: Trend


def compute_tracks(
    tracks: Sequence[ManifestTrack],
    design: Design,
    *,
    null: NullRequest | None = None,
    jobs: int = 1,
    kept: Mapping[str, TrackTradeoff] | None = None,
) -> list[TrackTradeoff | BrokenTrack]:
    """Every track's tradeoff, in the order given; a broken track does not stop the others.

    ``kept`` are earlier results by their fingerprint, taken where nothing has changed since; None if none are kept.
    """
    at_once = max(1, min(jobs, len(tracks)))

    def compute(track: ManifestTrack) -> TrackTradeoff | BrokenTrack:
        try:
            key = fingerprint(track, design, null) if kept is not None else ""
            return kept[key] if kept and key in kept else _compute(track, design, null, max(1, jobs // at_once), key)
        except BiasVarError as error:
            return BrokenTrack(track.name, tuple(str(error).split("\n")))

    with ThreadPoolExecutor(at_once) as executor:
        return list(executor.map(compute, tracks))


def compute_whole(
    tracks: Sequence[ManifestTrack], design: Design, *, null: NullRequest | None = None, jobs: int = 1
) -> list[TrackTradeoff]:
    """Every track's tradeoff, their warnings told: for a figure, in which a gap would look like data.

    Raises `DataErrors` for broken tracks, with all that is wrong with them.
    """
    found = compute_tracks(tracks, design, null=null, jobs=jobs)
    raise_broken(found)
    return tell_warnings(found)


def tell_warnings(found: Sequence[TrackTradeoff | BrokenTrack]) -> list[TrackTradeoff]:
    """The tracks that could be computed, after their warnings were told, each with the track's name."""
    whole = [each for each in found if isinstance(each, TrackTradeoff)]
    for each in whole:
        for message in each.warnings:
            warn(f"{each.track}: {message}")
    return whole


def raise_broken(found: Sequence[TrackTradeoff | BrokenTrack]) -> None:
    """Raises `DataErrors` with all that is wrong with the tracks that could not be computed, if there are any."""
    broken = [each for each in found if isinstance(each, BrokenTrack)]
    if broken:
        raise DataErrors([DataError(f"track {each.track}: {error}") for each in broken for error in each.errors])


def fingerprint(track: ManifestTrack, design: Design, null: NullRequest | None = None) -> str:
    """A hash of all that a track's result depends on: its entry, every file's name and bytes, options and version.

    Raises `DataError` for a file that cannot be read.
    """
    digest = hashlib.sha256()
    entry = {**vars(track), "options": dict(track.options)}
    of_null = None if null is None else (null.n_samples, null.seed)
    told = [__version__, entry, {**vars(design), "groups": dict(design.groups or {})}, of_null]
    digest.update(json.dumps(told, sort_keys=True).encode())
    for path in _files(track):
        digest.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(read_bytes(path)).digest())
    return digest.hexdigest()


def _files(track: ManifestTrack) -> list[str]:
    """Every file that a track is made of, in a fixed order."""
    _require(track)
    pattern, topics = (track.options.get(name) for name in ("glob", "topics"))
    runs = [source.path for source in expand(track.inputs, glob=None if pattern is None else str(pattern))]
    of_target = track.target.name if track.target.kind == "file" else None
    others = [track.qrels, track.teams, str(topics or ""), of_target]
    return sorted(runs) + [path for path in others if path and path not in ("qrels", "union", "intersection")]


def _require(track: ManifestTrack) -> None:
    if track.missing:
        raise DataError(f"there is no such file: {', '.join(track.missing)}")


def _compute(track: ManifestTrack, design: Design, null: NullRequest | None, jobs: int, key: str) -> TrackTradeoff:
    _require(track)
    with keep_warnings() as warnings:
        loaded = load_track(Request(**track.request_options(), jobs=jobs))
        aimed = aim(loaded.scored[0], track.target)
        rows = [row for row in tradeoff_rows(aimed, design) if _name(row.sampling) and row.form == "score"]
        teams = _teams(track, aimed.scores.runs)
        beside = {} if null is None else _references(rows, null_models(aimed, rows, design, replace(null, jobs=jobs)))
    found = {_name(row.sampling): row.correlations for row in rows}
    return TrackTradeoff(
        track=track.name,
        series=track.series,
        year=track.year,
        measure=aimed.scores.measure,
        target=aimed.target.label,
        n_runs=aimed.scores.n_runs,
        n_queries=aimed.scores.n_queries,
        n_teams=teams,
        target_mean=aimed.target.mean,
        rarefied=tuple(rarefied_means(aimed.pool).tolist()) if aimed.target.is_best else (),
        correlations=tuple(found.get(name, UNDEFINED) for name in SAMPLINGS),
        references=tuple(beside.get(name) for name in SAMPLINGS),
        warnings=tuple(dict.fromkeys(warnings)),
        fingerprint=key,
    )


def _references(rows: Sequence[TradeoffRow], null: Null) -> dict[str | None, dict[str, NullDocument]]:
    """Of each row's sampling, by model, what the models say; without one that has no fit or is not asked for."""
    found: dict[str | None, dict[str, NullDocument]] = {}
    for row in rows:
        models = {"common": null.of(row), "exchangeable": null.shuffled(row)}
        found[_name(row.sampling)] = {name: held.document() for name, held in models.items() if held is not None}
    return found


def _name(sampling: Sampling) -> str | None:
    """Which of `SAMPLINGS` a sampling is, if any."""
    if sampling.normalised:
        return "normalised" if sampling.kind == "difficulty" else None
    return sampling.kind if sampling.kind in SAMPLINGS else None


def _teams(track: ManifestTrack, runs: Sequence[str]) -> int | None:
    """How many teams the runs are of. Raises `DataError` for a run without a team."""
    if track.teams is None:
        return None
    held = read_teams(track.teams)
    absent = [run for run in runs if run not in held]
    if absent:
        raise DataError(f"no team for {len(absent)} of the runs, such as {absent[0]}", path=track.teams)
    return len({held[run] for run in runs})


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
                    for sampling, values in zip(SAMPLINGS, each.correlations, strict=True)
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


def as_state(results: Sequence[TrackTradeoff]) -> str:
    """Results as JSON, to be kept beside an output."""
    return json.dumps({"version": __version__, "tracks": [asdict(each) for each in results]}, indent=1) + "\n"


def of_state(text: str) -> dict[str, TrackTradeoff]:
    """What `as_state` wrote, by fingerprint; ValueError, KeyError, TypeError or AttributeError for anything else.

    >>> of_state(as_state([]))
    {}
    """
    results = {}
    for held in json.loads(text)["tracks"]:
        correlations = tuple(Correlations(**values) for values in held["correlations"])
        lists = {name: tuple(held[name]) for name in ("rarefied", "references", "warnings")}
        results[held["fingerprint"]] = TrackTradeoff(**{**held, **lists, "correlations": correlations})
    return results
