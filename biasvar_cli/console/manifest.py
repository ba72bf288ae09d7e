"""A MANIFEST.toml in place of INPUTS, for commands that take either."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import click

from biasvar_cli.console.options.inputs import input_files
from biasvar_cli.console.options.output import require_separate
from biasvar_cli.console.output import Destination
from biasvar_cli.console.terminal import load

if TYPE_CHECKING:
    from biasvar_cli.readers.manifest import ManifestTrack
    from biasvar_cli.scoring.request import TrackRequest
    from biasvar_cli.scoring.track import Track

# what is typed beside a manifest
_BESIDE = ("inputs", "measures", "jobs", "dask", "dask_timeout", "replicates", "unit", "names", "highlight")
_OF_ALL = ("inputs", "measures", "names", "highlight")  # of these, what the tracks have together


def manifest_among(inputs: TrackRequest) -> str | None:
    """The manifest that stands in place of INPUTS, None where there is none.

    Raises `click.UsageError` for further inputs, and for options that a manifest has for each of its tracks.
    """
    manifests = [name for name in inputs.inputs if name.lower().endswith(".toml")]
    if not manifests:
        return None
    if len(inputs.inputs) > 1:
        raise click.UsageError(f"{manifests[0]}: a manifest stands alone among INPUTS")
    for field in fields(inputs):
        if field.name not in _BESIDE and getattr(inputs, field.name) != field.default:
            name = field.name.replace("_", "-")
            raise click.UsageError(f"--{name}: {manifests[0]} says this for each of its tracks")
    return manifests[0]


def load_manifest(
    manifest: str, inputs: TrackRequest, output: Destination, *files: str | None
) -> list[tuple[ManifestTrack, Track]]:
    """The tracks of a manifest with their scores, in its order; ``files`` are others that the command reads."""
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.scoring.track import names_of
    from biasvar_cli.scoring.tracks import load_tracks

    listed = read_manifest(manifest).tracks
    require_separate(output, *input_files(inputs), *files, tracks=listed)
    options = {name: getattr(inputs, name) for name in _BESIDE if name not in _OF_ALL}
    tracks = load_tracks(listed, load, measures=inputs.measures, **options)
    names = names_of(tracks, inputs.names, inputs.highlight)
    return [(entry, track.named(names)) for entry, track in zip(listed, tracks, strict=True)]
