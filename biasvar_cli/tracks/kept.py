"""Results that are kept beside an output: what each depends on, and the file that holds them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict

from biasvar_cli import __version__
from biasvar_cli.analyses.null import NullRequest
from biasvar_cli.analyses.tradeoff import Design
from biasvar_cli.errors import DataError
from biasvar_cli.readers.manifest import ManifestTrack
from biasvar_cli.readers.sources import expand, read_bytes
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.tracks.values import TrackTradeoff
from biasvar_cli.words import TOPICS


def fingerprint(track: ManifestTrack, design: Design, null: NullRequest | None = None) -> str:
    """A hash of all that a track's result depends on: its entry, every file's name and bytes, options and version.

    Raises `DataError` for a file that cannot be read.
    """
    digest = hashlib.sha256()
    entry = {**vars(track), "options": dict(track.options)}
    of_null = None if null is None else (null.n_samples, null.seed)
    inputs = [__version__, entry, {**vars(design), "groups": dict(design.groups or {})}, of_null]
    digest.update(json.dumps(inputs, sort_keys=True).encode())
    max_size = track.options.get("max_size")
    for path in _files(track):
        digest.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        digest.update(hashlib.sha256(read_bytes(path, max_size=None if max_size is None else int(max_size))).digest())
    return digest.hexdigest()


def _files(track: ManifestTrack) -> list[str]:
    """Every file that a track is made of, in a fixed order."""
    require_files(track)
    pattern, topics = (track.options.get(name) for name in ("glob", "topics"))
    runs = [source.path for source in expand(track.inputs, glob=None if pattern is None else str(pattern))]
    of_target = track.target.name if track.target.kind == "file" else None
    of_topics = None if topics in (None, *TOPICS) else str(topics)
    return sorted(runs) + [path for path in (track.qrels, track.teams, of_topics, of_target) if path is not None]


def require_files(track: ManifestTrack) -> None:
    """Raises `DataError` for files of a track that are not there."""
    if track.missing:
        raise DataError(f"there is no such file: {', '.join(track.missing)}")


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
        correlations = {name: Correlations(**values) for name, values in held["correlations"].items()}
        lists = {name: tuple(held[name]) for name in ("rarefied", "warnings")}
        results[held["fingerprint"]] = TrackTradeoff(**{**held, **lists, "correlations": correlations})
    return results
