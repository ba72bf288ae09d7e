"""Many tracks: the correlation of bias² and variance of each (CIKM'14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from biasvar_cli.analyses.tracks.answer import SAMPLINGS, BrokenTrack, NullDocument, TrackTradeoff
from biasvar_cli.analyses.tracks.cache import fingerprint, require_files
from biasvar_cli.decomposition.contribution import rarefied_means
from biasvar_cli.decomposition.design import Design, Sampling
from biasvar_cli.decomposition.tradeoff import TradeoffRow, tradeoff_rows
from biasvar_cli.errors import BiasVarError, DataError, DataErrors, keep_warnings, notice, warn
from biasvar_cli.nulls.models import Null, null_models
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.readers.manifest import ManifestTrack
from biasvar_cli.readers.maps import read_teams
from biasvar_cli.scoring.scorer import TrackRequest
from biasvar_cli.scoring.targets import targeted_scores
from biasvar_cli.scoring.track import load_track
from biasvar_cli.stats.correlation import UNDEFINED
from biasvar_cli.words import counted, examples


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
    """Every track's tradeoff, their warnings and notices reported: for a figure, in which a gap would look like data.

    Raises `DataErrors` for broken tracks, with all that is wrong with them.
    """
    found = compute_tracks(tracks, design, null=null, jobs=jobs)
    raise_broken(found)
    return report_warnings(found)


def report_warnings(found: Sequence[TrackTradeoff | BrokenTrack]) -> list[TrackTradeoff]:
    """The tracks that could be computed, after their warnings and notices were reported, with the track's name."""
    whole = [each for each in found if isinstance(each, TrackTradeoff)]
    for each in whole:
        for message in each.warnings:
            warn(f"{each.track}: {message}")
        for message in each.notices:
            notice(f"{each.track}: {message}")
    return whole


def raise_broken(found: Sequence[TrackTradeoff | BrokenTrack]) -> None:
    """Raises `DataErrors` with all that is wrong with the tracks that could not be computed, if there are any."""
    broken = [each for each in found if isinstance(each, BrokenTrack)]
    if broken:
        raise DataErrors([DataError(f"track {each.track}: {error}") for each in broken for error in each.errors])


def _compute(track: ManifestTrack, design: Design, null: NullRequest | None, jobs: int, key: str) -> TrackTradeoff:
    require_files(track)
    with keep_warnings() as kept:
        loaded = load_track(TrackRequest(**track.request_options(), jobs=jobs))
        targeted = targeted_scores(loaded.scored[0], track.target)
        rows = [row for row in tradeoff_rows(targeted, design) if _name(row.sampling) and row.form == "score"]
        teams = _teams(track, targeted.scores.runs)
        models = None if null is None else null_models(targeted, rows, design, replace(null, jobs=jobs))
        beside = {} if models is None else _documents(rows, models)
    found = {_name(row.sampling): row.correlations for row in rows}
    return TrackTradeoff(
        track=track.name,
        series=track.series,
        year=track.year,
        measure=targeted.scores.measure,
        target=targeted.target.label,
        n_runs=targeted.scores.n_runs,
        n_queries=targeted.scores.n_queries,
        n_teams=teams,
        target_mean=targeted.target.mean,
        rarefied=tuple(rarefied_means(targeted.pool).tolist()) if targeted.target.is_best else (),
        correlations={name: found.get(name, UNDEFINED) for name in SAMPLINGS},
        null={name: beside[name] for name in SAMPLINGS if name in beside},
        warnings=tuple(dict.fromkeys(kept.warnings)),
        notices=tuple(dict.fromkeys(kept.notices)),
        n_samples=0 if models is None else models.n_samples,
        fingerprint=key,
    )


def _documents(rows: Sequence[TradeoffRow], null: Null) -> dict[str, dict[str, NullDocument]]:
    """Of each row's sampling, by model, what the models say; without one that has no fit or is not asked for."""
    found: dict[str, dict[str, NullDocument]] = {}
    for row in rows:
        models = {"means": null.of(row), "shuffled": null.shuffled(row)}
        found[str(_name(row.sampling))] = {name: held.document() for name, held in models.items() if held is not None}
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
        raise DataError(f"no team for {counted(len(absent), 'run')}: {examples(absent)}", path=track.teams)
    return len({held[run] for run in runs})
