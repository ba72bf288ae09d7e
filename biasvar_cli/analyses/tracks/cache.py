"""Results that are kept beside an output: what each depends on, and the file that holds them."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

from biasvar_cli.decomposition.design import Design
from biasvar_cli.errors import warn
from biasvar_cli.nulls.registry import NULLS
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.readers.manifest import ManifestTrack
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.words import VERSION

Result = TypeVar("Result")

_COMPUTING = ("cwl-eval", "ir-measures", "numpy", "pyarrow", "pyndeval", "pytrec-eval-terrier", "scipy")


def fingerprint(track: ManifestTrack, design: Design, null: NullRequest | None = None) -> str:
    """A hash of all that a track's result depends on: its entry, every file's name and bytes, options, and versions.

    Raises `DataError` for a file that cannot be read.
    """
    track.require_files()
    digest = hashlib.sha256()
    entry = {**vars(track), "options": dict(track.options)}
    of_null = None if null is None else (null.null_samples, null.seed, null.shuffled, list(NULLS))
    inputs = [_versions(), entry, {**vars(design), "groups": dict(design.groups or {})}, of_null]
    digest.update(json.dumps(inputs, sort_keys=True).encode())
    max_size = track.options.get("max_size")
    for path in sorted(track.contents):
        digest.update(f"\0{path}\0".encode("utf-8", "surrogateescape"))
        data = read_bytes(path, max_size=max_size if isinstance(max_size, int) else None)
        digest.update(hashlib.sha256(data).digest())
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


def as_state(results: Sequence[Any]) -> str:
    """Dataclasses as JSON, to be kept beside an output, with a digest that shows whether anybody has changed them."""
    tracks = [asdict(result) for result in results]
    return json.dumps({"version": VERSION, "digest": _digest(tracks), "tracks": tracks}, indent=1) + "\n"


def of_state(text: str, build: Callable[[dict[str, Any]], Result]) -> dict[str, Result]:
    """What `as_state` wrote, by fingerprint; ``build`` makes a result of what JSON has of it.

    Raises ValueError for anything else, and for what was changed since.

    >>> of_state(as_state([]), dict)
    {}
    >>> of_state('{"tracks": []}', dict)
    Traceback (most recent call last):
    ValueError: not what was written
    """
    try:
        document = json.loads(text)
        if document["digest"] != _digest(document["tracks"]):
            raise ValueError("not what was written")
        return {track["fingerprint"]: build(track) for track in document["tracks"]}
    except (RecursionError, KeyError, TypeError, AttributeError):
        raise ValueError("not what was written") from None


def read_state(path: str, build: Callable[[dict[str, Any]], Result]) -> dict[str, Result]:
    """The results kept beside an earlier output, none where there are none; what cannot be read is reported."""
    if not Path(path).exists():
        return {}
    try:
        return of_state(Path(path).read_text("utf-8"), build)
    except (OSError, ValueError):
        warn(f"{path}: not the results of biasvar tracks; everything is computed again")
        return {}


def _digest(tracks: Any) -> str:
    return hashlib.sha256(json.dumps(tracks, sort_keys=True).encode()).hexdigest()
