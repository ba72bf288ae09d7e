"""``bv.means``: the means of runs on tracks, as scores that every analysis takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from biasvar_cli.errors import UsageError
from biasvar_cli.notebook.arguments import warning_there
from biasvar_cli.notebook.memory import Path, path_of
from biasvar_cli.notebook.scores import Scores, measure_names, scores_of_memory
from biasvar_cli.readers.manifest import read_manifest
from biasvar_cli.scoring.listed_tracks import load_tracks
from biasvar_cli.scoring.track import Track, load_track
from biasvar_cli.scoring.track_means import score_file, track_means
from biasvar_cli.specs import available_cores


@warning_there
def means(tracks: Mapping[str, Scores] | Path, *, measure: object | None = None, jobs: int | None = None) -> Scores:
    """The mean score of every run on every track, as scores in which the tracks take the place of queries.

    ``tracks`` are ``{name: scores}`` of `evaluate`, or the path of a manifest (``docs/tracks.toml`` is an example).
    ``measure`` chooses among the measures, or takes the place of those of the manifest; ``jobs`` files of a manifest
    are read at once, by default as many as there are cores.

    Raises `BiasVarError` for a run that a track lacks and others have, and for tracks of other measures.

    >>> from biasvar_cli.notebook.scores import evaluate
    >>> judged = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    >>> one = evaluate({"bm25": {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}}, judged, "RR")
    >>> two = evaluate({"bm25": {"q2": {"d3": 1.0}}}, {"q2": {"d3": 1}}, "RR")
    >>> means({"MED": one, "NPL": two}).frame()["bm25"].to_dict()
    {'MED': 0.75, 'NPL': 1.0}
    """
    jobs = jobs or available_cores()
    loaded = track_means(_loaded(tracks, measure, jobs))
    return scores_of_memory(score_file(loaded), tuple(str(matrix.measure) for matrix in loaded if matrix.measure), jobs)


def _loaded(tracks: Any, measure: object | None, jobs: int) -> dict[str, Track]:
    """The tracks by name."""
    if not isinstance(tracks, Mapping):
        listed = read_manifest(path_of(tracks, "tracks")).tracks
        loaded = load_tracks(listed, load_track, measures=measure_names(measure), jobs=jobs)
        return {entry.name: track for entry, track in zip(listed, loaded, strict=True)}
    if not tracks or not all(isinstance(scores, Scores) for scores in tracks.values()):
        raise UsageError("tracks: expected the path of a manifest, or scores of evaluate by the name of their track")
    return {str(name): (scores if measure is None else scores[measure]).track for name, scores in tracks.items()}
