"""Results that are kept beside an output: what each depends on, and the file that holds them."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from biasvar_cli.analyses.tracks.answer import TrackTradeoff
from biasvar_cli.decomposition.design import Design
from biasvar_cli.errors import DataError
from biasvar_cli.nulls.registry import NULLS
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.readers.listing import expand
from biasvar_cli.readers.manifest import ManifestTrack
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.words import VERSION

_COMPUTING = ("cwl-eval", "ir-measures", "numpy", "pyarrow", "pyndeval", "pytrec-eval-terrier", "scipy")


def fingerprint(track: ManifestTrack, design: Design, null: NullRequest | None = None) -> str:
    """A hash of all that a track's result depends on: its entry, every file's name and bytes, options, and versions.

    Raises `DataError` for a file that cannot be read.
    """
    digest = hashlib.sha256()
    entry = {**vars(track), "options": dict(track.options)}
    of_null = None if null is None else (null.n_samples, null.seed, null.shuffled, list(NULLS))
    inputs = [_versions(), entry, {**vars(design), "groups": dict(design.groups or {})}, of_null]
    digest.update(json.dumps(inputs, sort_keys=True).encode())
    max_size = track.options.get("max_size")
    for path in _files(track):
        digest.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        digest.update(
            hashlib.sha256(read_bytes(path, max_size=max_size if isinstance(max_size, int) else None)).digest()
        )
    return digest.hexdigest()


def _versions() -> dict[str, str | None]:
    """The versions of what computes; None for what is not installed."""
    versions: dict[str, str | None] = {"biasvar": VERSION, "python": ".".join(map(str, sys.version_info[:3]))}
    for name in _COMPUTING:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return versions


def _files(track: ManifestTrack) -> list[str]:
    """Every file that a track is made of, in a fixed order."""
    require_files(track)
    runs = [source.path for source in expand(track.inputs, track.selection)]
    return [*sorted(runs), *track.others]


def require_files(track: ManifestTrack) -> None:
    """Raises `DataError` for files of a track that are not there."""
    if track.missing:
        raise DataError(f"there is no such file: {', '.join(track.missing)}")


def as_state(results: Sequence[TrackTradeoff]) -> str:
    """Results as JSON, to be kept beside an output, with a digest that shows whether anybody has changed them."""
    tracks = [asdict(each) for each in results]
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
        return {held["fingerprint"]: _result(held) for held in document["tracks"]}
    except (RecursionError, KeyError, TypeError, AttributeError):
        raise ValueError("not what was written") from None


def _digest(tracks: Any) -> str:
    return hashlib.sha256(json.dumps(tracks, sort_keys=True).encode()).hexdigest()


def _result(held: dict[str, Any]) -> TrackTradeoff:
    correlations = {name: Correlations(**values) for name, values in held["correlations"].items()}
    lists = {name: tuple(held[name]) for name in ("rarefied", "warnings", "notices")}
    return TrackTradeoff(**{**held, **lists, "correlations": correlations})
