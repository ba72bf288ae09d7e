"""Many tracks: the correlation of bias² and variance of each (CIKM'14), and its trend over the years of a series."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.analyses.tracks import LETTERS, SAMPLINGS, TracksRequest
from biasvar_cli.decomposition import Design, contribution, generalised
from biasvar_cli.errors import BiasVarError, DataError, DataErrors, keep_warnings, notice, warn
from biasvar_cli.nulls import NULLS
from biasvar_cli.nulls.models import null_models
from biasvar_cli.progress import counting
from biasvar_cli.readers import manifest, maps, sources
from biasvar_cli.score_matrix import in_unit
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.targets import targeted_scores
from biasvar_cli.scoring.track import load_track
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.stats.correlation import UNDEFINED, Correlations, Trend, trend
from biasvar_cli.words import COEFFICIENTS, VERSION, Better, counted, examples

_NullDocument = dict[str, Any]  # as `RowNull.document` gives it
_BY_LETTER = {f"({letter})": name for name, letter in LETTERS.items()}
_COMPUTING = (  # what decides a result by its version
    "cwl-eval",
    "ir-measures",
    "numpy",
    "pyarrow",
    "pyndeval",
    "pytrec-eval-terrier",
    "scipy",
)


@dataclass(frozen=True)
class TrackTradeoff:
    """What one track gives: plain values, which can be kept as JSON.

    ``correlations`` has those of each of `SAMPLINGS`, score form: (a) to (d) of CIKM'14. ``null`` is what the null
    models say of them, by sampling and model: ``means`` for those in which runs differ only in their means, and
    the names of those beside them, without those that there are not. ``n_samples`` were drawn of each model.
    ``rarefied`` is the mean of the best score of r runs drawn at random, for r = 1 to the number of runs, and empty for
    another target than best. ``n_teams`` is None where the manifest names no team map, ``fingerprint`` empty unless
    results are kept.
    """

    track: str
    series: str
    year: int | None
    measure: str | None
    target: str
    n_runs: int
    n_queries: int
    n_teams: int | None
    target_mean: float
    rarefied: tuple[float, ...]
    correlations: dict[str, Correlations]
    null: dict[str, dict[str, _NullDocument]]
    warnings: tuple[str, ...]
    notices: tuple[str, ...] = ()
    n_samples: int = 0
    fingerprint: str = ""
    better: Better = "more"

    @classmethod
    def of_document(cls, document: dict[str, Any]) -> TrackTradeoff:
        """The track that `dataclasses.asdict` made this of, after a way through JSON."""
        correlations = {name: Correlations(**values) for name, values in document["correlations"].items()}
        lists = {name: tuple(document[name]) for name in ("rarefied", "warnings", "notices")}
        return cls(**{**document, **lists, "correlations": correlations})

    @property
    def beside_single(self) -> _NullDocument:
        """What the models in which runs differ only in their means say of single queries; empty without them."""
        return self.null.get("single", {}).get("means", {})

    @property
    def trend_key(self) -> tuple[str, str | None, str]:
        """Series, measure and target: tracks that differ in one of them are in different trends."""
        return self.series, self.measure, self.target


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


class NullRow(NamedTuple):
    """One correlation of a track, and what null models say of it."""

    series: str
    year: int | None
    track: str
    model: str
    quantity: str
    observed: float
    median: float
    low: float
    high: float
    p: float
    verdict: str | None


@dataclass(frozen=True, eq=False)
class TracksAnswer:
    """The tracks that could be computed, in the order given, and those that could not."""

    request: TracksRequest
    whole: Sequence[TrackTradeoff]
    broken: Sequence[BrokenTrack] = ()

    @property
    def size(self) -> int:
        """Queries in a subset."""
        return self.request.design.first_size

    @property
    def sizes_differ(self) -> bool:
        """Whether the tracks have different numbers of runs, so that their targets cannot be compared as they are."""
        return len({track.n_runs for track in self.whole}) > 1

    @cached_property
    def quantities(self) -> dict[str, list[float]]:
        """What may have a trend, of each track: the correlations, normalised first as in CIKM'14, the target's mean.

        The latter is made comparable between the tracks of a series: the expected best of as many runs as the track
        with the fewest has, nan for another target than best.
        """
        least: dict[tuple[str, str | None, str], int] = {}
        for track in self.whole:
            n_runs = len(track.rarefied)
            least[track.trend_key] = min(least.get(track.trend_key, n_runs), n_runs)
        correlations = {
            f"{sampling}_{name}": [getattr(track.correlations[sampling], name) for track in self.whole]
            for sampling in reversed(SAMPLINGS)
            for name in COEFFICIENTS
        }
        rarefied = [
            track.rarefied[least[track.trend_key] - 1] if least[track.trend_key] else float("nan")
            for track in self.whole
        ]
        return {**correlations, "target_rarefied": rarefied}

    @cached_property
    def trends(self) -> list[SeriesTrend]:
        """The trend of every quantity over the years of each series; tracks without a year are in none."""
        series: dict[tuple[str, str | None, str], dict[int, int]] = {}
        for index, track in enumerate(self.whole):
            if track.year is not None:
                series.setdefault(track.trend_key, {})[index] = track.year
        return [
            SeriesTrend(*key, name, trend([*years.values()], np.array([values[index] for index in years])))
            for key, years in series.items()
            for name, values in self.quantities.items()
        ]

    @property
    def undated(self) -> list[str]:
        """The names of the tracks without a year."""
        return [track.track for track in self.whole if track.year is None]

    @cached_property
    def null_rows(self) -> list[NullRow]:
        """What the null models say of every correlation that has one."""
        return [
            NullRow(
                *(track.series, track.year, track.track, model, f"{sampling}_{name}"),
                getattr(track.correlations[sampling], name),
                **document[name],
                verdict=document.get("verdict") if name == "pearson" else None,
            )
            for track in self.whole
            for sampling, models in track.null.items()
            for model, document in models.items()
            for name in COEFFICIENTS
        ]

    def require_whole(self) -> None:
        """Raises `DataErrors` with all that is wrong with the tracks that could not be computed, if there are any."""
        errors = [f"track {track.track}: {error}" for track in self.broken for error in track.errors]
        if errors:
            raise DataErrors(list(map(DataError, errors)))


def answer(
    tracks: Sequence[manifest.ManifestTrack],
    request: TracksRequest,
    *,
    complete: bool = False,
    kept: Mapping[str, TrackTradeoff] | None = None,
) -> TracksAnswer:
    """Every track's tradeoff; a broken track does not stop the others. Warnings are issued with the track's name.

    ``kept`` are earlier results by their fingerprint, taken where nothing has changed since; None if none are kept.
    With ``complete`` broken tracks are an error, `DataErrors`: in a figure a gap would look like data.
    """
    at_once = max(1, min(request.jobs, len(tracks)))
    alone = replace(request, jobs=max(1, request.jobs // at_once))

    def compute(track: manifest.ManifestTrack) -> TrackTradeoff | BrokenTrack:
        try:
            key = fingerprint(track, request.design, request.null) if kept is not None else ""
            return kept[key] if kept and key in kept else _compute(track, alone, key)
        except BiasVarError as error:
            return BrokenTrack(track.name, tuple(error.message.split("\n")))

    with ThreadPoolExecutor(at_once) as executor:
        results = list(counting("tracks", executor.map(compute, tracks), len(tracks)))
    result = TracksAnswer(
        request,
        [track for track in results if isinstance(track, TrackTradeoff)],
        [track for track in results if isinstance(track, BrokenTrack)],
    )
    if complete:
        result.require_whole()
    for track in result.whole:
        for message in track.warnings:
            warn(f"{track.track}: {message}")
        for message in track.notices:
            notice(f"{track.track}: {message}")
    return result


def _compute(track: manifest.ManifestTrack, request: TracksRequest, key: str) -> TrackTradeoff:
    track.require_files()
    with keep_warnings() as messages:
        loaded = load_track(TrackRequest(**track.request_options(), jobs=request.jobs))
        targeted = targeted_scores(loaded.scored[0], track.target)
        rows = {
            _BY_LETTER[row.sampling.letter]: row
            for row in generalised.tradeoff_rows(targeted, request.design)
            if row.sampling.letter and row.form == "score"
        }
        n_teams, null = _n_teams(track.teams, targeted.scores.runs), None
        if request.null is not None:
            null = null_models(targeted, [*rows.values()], request.design, replace(request.null, jobs=request.jobs))
    rarefied = contribution.rarefied_means(targeted.pool).tolist() if targeted.target.is_best else []
    documents: dict[str, dict[str, _NullDocument]] = {}
    if null is not None:
        for name, row in rows.items():
            models = {"means": null.of(row), **null.beside(row)}
            documents[name] = {model: row_null.document() for model, row_null in models.items() if row_null is not None}
    return TrackTradeoff(
        track=track.name,
        series=track.series,
        year=track.year,
        measure=targeted.scores.measure,
        target=targeted.target.label,
        n_runs=targeted.scores.n_runs,
        n_queries=targeted.scores.n_queries,
        n_teams=n_teams,
        target_mean=targeted.target.in_unit.mean,
        rarefied=tuple(in_unit(mean, targeted.pool.better) for mean in rarefied),
        correlations={name: rows[name].correlations if name in rows else UNDEFINED for name in SAMPLINGS},
        null={name: documents[name] for name in SAMPLINGS if name in documents},
        warnings=tuple(dict.fromkeys(messages.warnings)),
        notices=tuple(dict.fromkeys(messages.notices)),
        n_samples=0 if null is None else null.n_samples,
        fingerprint=key,
        better=targeted.scores.better,
    )


def _n_teams(path: str | None, runs: Sequence[str]) -> int | None:
    """How many teams the runs are of; None without a map. Raises `DataError` for a run without a team."""
    if path is None:
        return None
    teams = maps.read_teams(path)
    absent = [run for run in runs if run not in teams]
    if absent:
        raise DataError(f"no team for {counted(len(absent), 'run')}: {examples(absent)}", path=path)
    return len({teams[run] for run in runs})


def fingerprint(track: manifest.ManifestTrack, design: Design, null: NullRequest | None = None) -> str:
    """A hash of all that a track's result depends on: its entry, every file's name and bytes, options, and versions.

    Raises `DataError` for a file that cannot be read.
    """
    track.require_files()
    versions: dict[str, str | None] = {"biasvar": VERSION, "python": ".".join(map(str, sys.version_info[:3]))}
    for name in _COMPUTING:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    entry = {**vars(track), "options": dict(track.options)}
    of_null = None if null is None else (null.null_samples, null.seed, null.shuffled, list(NULLS))
    inputs = [versions, entry, {**vars(design), "groups": dict(design.groups or {})}, of_null]
    digest = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode())
    max_size = track.options.get("max_size")
    for path in sorted(track.contents):
        digest.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        data = sources.read_bytes(path, max_size=max_size if isinstance(max_size, int) else None)
        digest.update(hashlib.sha256(data).digest())
    return digest.hexdigest()


def as_state(results: Sequence[TrackTradeoff]) -> str:
    """Tracks as JSON, to be kept beside an output, with a digest that shows whether anybody has changed them."""
    tracks = [asdict(result) for result in results]
    return json.dumps({"version": VERSION, "digest": _digest(tracks), "tracks": tracks}, indent=1) + "\n"


def of_state(text: str) -> dict[str, TrackTradeoff]:
    """What `as_state` wrote, by fingerprint. Raises ValueError for anything else, and for what was changed since.

    >>> of_state(as_state([]))
    {}
    >>> of_state('{"tracks": []}')
    Traceback (most recent call last):
    ValueError: not what was written
    """
    try:
        document = json.loads(text)
        if document["digest"] != _digest(document["tracks"]):
            raise ValueError("not what was written")
        return {track["fingerprint"]: TrackTradeoff.of_document(track) for track in document["tracks"]}
    except (RecursionError, KeyError, TypeError, AttributeError):
        raise ValueError("not what was written") from None


def read_state(path: str) -> dict[str, TrackTradeoff]:
    """The tracks kept beside an earlier output, none where there are none; what cannot be read is reported."""
    if not Path(path).exists():
        return {}
    try:
        return of_state(Path(path).read_text("utf-8"))
    except (OSError, ValueError):
        warn(f"{path}: not the results of biasvar tracks; everything is computed again")
        return {}


def _digest(tracks: Any) -> str:
    return hashlib.sha256(json.dumps(tracks, sort_keys=True).encode()).hexdigest()
