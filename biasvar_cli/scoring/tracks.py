"""Several tracks: those of a manifest, and the means of runs on them, as scores whose queries are the tracks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli.errors import BiasVarError, DataError, DataErrors, UsageError, keep_warnings, notice, warn
from biasvar_cli.readers.maps import read_systems
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.sources import is_data_set, run_name
from biasvar_cli.scores import ScoreMatrix
from biasvar_cli.scoring.replicates import compiled_pattern
from biasvar_cli.scoring.request import TrackRequest
from biasvar_cli.scoring.track import Track
from biasvar_cli.specs import is_file
from biasvar_cli.words import argument, counted, enumerated, examples

if TYPE_CHECKING:
    from biasvar_cli.readers.manifest import ManifestTrack


def load_tracks(
    listed: Sequence[ManifestTrack],
    load: Callable[[TrackRequest], Track],
    *,
    measures: Sequence[str] = (),
    **options: Any,
) -> list[Track]:
    """The scores of every track, in the order of the manifest; ``load`` is `load_track`, or shows its progress.

    ``measures`` take the place of those of the manifest, unless there are none; ``options`` are further keyword
    arguments of a `TrackRequest`. Raises `DataErrors` with the errors of every track.
    """
    replicates = options.get("replicates")
    if isinstance(replicates, str) and is_file(replicates):
        options["replicates"] = read_systems(replicates)  # once: it may be a pipe
    elif isinstance(replicates, str):
        compiled_pattern(replicates)  # what was typed is wrong once, not on every track
    tracks: list[Track] = []
    errors: list[DataError] = []
    for entry in listed:
        arguments = entry.request_options() | options | ({"measures": tuple(measures)} if measures else {})
        with keep_warnings() as messages:
            try:
                entry.require_files()
                tracks.append(load(TrackRequest(**arguments)))
            except BiasVarError as error:
                errors += [DataError(f"track {entry.name}: {line}") for line in error.message.split("\n")]
        for message in dict.fromkeys(messages.warnings):
            warn(f"{entry.name}: {message}")
        for message in dict.fromkeys(messages.notices):
            notice(f"{entry.name}: {message}")
    if errors:
        raise DataErrors(errors)
    return tracks


def track_means(tracks: Mapping[str, Track]) -> list[ScoreMatrix]:
    """The mean score of every run on every track, a matrix a measure: its queries are the tracks, in their order.

    ``tracks`` are named and all have the same measures. The runs are those of the first track, in its order.

    Raises `DataErrors` for runs that a track lacks, `DataError` for tracks of other measures: a mean over some of the
    tracks, or of several measures, is comparable with no other. Raises `UsageError` for systems of several runs, whose
    runs would be lost.

    >>> from biasvar_cli.scoring.track import Scored
    >>> matrix = ScoreMatrix(np.array([[0.5, 0.25], [1, 0]]), ("bm25", "ql"), ("1", "2"), "AP")
    >>> (means,) = track_means({"TREC-3": Track((Scored(matrix, matrix, None, None),))})
    >>> means.queries, means.runs, means.values.tolist()
    (('TREC-3',), ('bm25', 'ql'), [[0.375], [0.5]])
    """
    if any(scored.scores.replicates is not None for track in tracks.values() for scored in track.scored):
        raise UsageError("give it to the analysis of these means, which keep every run", option="replicates")
    first, *others = tracks
    for name in others:
        one, two = _measures(tracks[first]), _measures(tracks[name])
        if one != two:
            what = f"track {first} has {enumerated(one, 'and')}, track {name} {enumerated(two, 'and')}"
            raise DataError(f"{what}: means of different measures do not compare; name one with {argument('measure')}")
        if [scored.scores.better for scored in tracks[first].scored] != [
            scored.scores.better for scored in tracks[name].scored
        ]:
            what = f"less is better on one of the tracks {first} and {name}, more on the other"
            raise DataError(f"{what}; give both the same lower_is_better")
    _require_all_runs(tracks)
    matrices = []
    for index, scored in enumerate(tracks[first].scored):
        runs = scored.scores.runs
        means = [track.scored[index].scores.select(runs).values.mean(axis=1) for track in tracks.values()]
        matrix = ScoreMatrix(np.array(means).T, runs, tuple(tracks), scored.scores.measure)
        matrices.append(replace(matrix, better=scored.scores.better))
    return matrices


def score_file(matrices: Sequence[ScoreMatrix]) -> ScoreFile:
    """Matrices of the same runs and queries, one a measure, as what a reader makes of a file of them."""
    measures = tuple(matrix.measure for matrix in matrices)
    values = np.stack([matrix.in_unit.values for matrix in matrices], axis=1)
    runs, queries = matrices[0].runs, matrices[0].queries
    return ScoreFile("the means", runs, measures, queries, values, numbered=False, oddities=())


def track_name(request: TrackRequest) -> str:
    """What a track is called that no manifest names: by its judgments, or without these by its first input.

    >>> track_name(TrackRequest(inputs=("runs/bm25.gz",), qrels="qrels/robust04.txt.gz"))
    'robust04.txt'
    >>> track_name(TrackRequest(inputs=("runs",), qrels="irds:beir/arguana")), track_name(TrackRequest(inputs=("ap/",)))
    ('beir/arguana', 'ap')
    """
    source = request.inputs[0] if request.qrels is None else request.qrels
    if is_data_set(source):
        return source.partition(":")[2]
    return run_name(source) or source


def _measures(track: Track) -> list[str]:
    return [scored.scores.measure or "an unknown measure" for scored in track.scored]


def _require_all_runs(tracks: Mapping[str, Track]) -> None:
    """Raises `DataErrors` for the runs that a track lacks and others have."""
    runs = {name: set(track.scored[0].scores.runs) for name, track in tracks.items()}
    all_runs = set().union(*runs.values())
    errors = []
    for name, present in runs.items():
        absent = sorted(all_runs - present)
        if absent:
            what = f"track {name} has no scores of {counted(len(absent), 'run')} of other tracks: {examples(absent)}"
            errors.append(DataError(f"{what}; add them, or leave these runs out of all tracks"))
    if errors:
        raise errors[0] if len(errors) == 1 else DataErrors(errors)
