"""The tracks of a manifest, loaded together: all that is wrong with any of them, and warnings with the track's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from biasvar_cli.errors import BiasVarError, DataError, DataErrors, keep_warnings, notice, warn
from biasvar_cli.readers.manifest import ManifestTrack
from biasvar_cli.readers.maps import read_systems
from biasvar_cli.scoring.replicates import compiled_pattern
from biasvar_cli.scoring.request import TrackRequest
from biasvar_cli.scoring.track import Track
from biasvar_cli.specs import is_file


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
