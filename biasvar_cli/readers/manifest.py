"""MANIFEST.toml: the tracks of an analysis over years, where their files are and how each is to be scored."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from biasvar_cli.errors import DataError, DataErrors
from biasvar_cli.readers.listing import Selection
from biasvar_cli.readers.manifest_rules import OPTIONS, TomlTable, entries, faults
from biasvar_cli.readers.sources import STDIN, is_data_set, is_url, read_bytes
from biasvar_cli.readers.text import decoded
from biasvar_cli.readers.unpacking import parse_size
from biasvar_cli.specs import TargetSpec, parse_target
from biasvar_cli.words import TOPICS

_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True)
class ManifestTrack:
    """One track of one year: ``inputs`` are its runs or score files, as paths from the current folder.

    ``qrels``, ``measure`` and ``teams`` are None where the manifest does not say, ``series`` is "" and ``target`` best.
    ``options`` are the other keyword arguments of a `scoring.Request` that the manifest gives. ``missing`` are the
    paths of the track where there is nothing: it cannot be analysed, but the others can.
    """

    name: str
    series: str
    year: int
    inputs: tuple[str, ...]
    qrels: str | None
    measure: str | None
    target: TargetSpec
    teams: str | None
    options: Mapping[str, Any]
    missing: tuple[str, ...] = ()

    @property
    def others(self) -> tuple[str, ...]:
        """The files that the track is read from beside its inputs: judgments, teams, a list of topics, a target."""
        topics = self.options.get("topics")
        of_topics = None if topics in (None, *TOPICS) else str(topics)
        of_target = self.target.name if self.target.kind == "file" else None
        return tuple(path for path in (self.qrels, self.teams, of_topics, of_target) if path is not None)

    @property
    def selection(self) -> Selection:
        """Which files of the folders among the inputs are read."""
        return Selection(**{key: self.options[key] for key in ("glob", "exclude", "recursive") if key in self.options})

    @property
    def files(self) -> tuple[str, ...]:
        """Every file and folder that the track is read from."""
        return (*self.inputs, *self.others)

    def request_options(self) -> dict[str, Any]:
        """The keyword arguments of `scoring.Request` that the manifest gives; the others keep their defaults.

        >>> text = b'[[track]]\\ntrack = "TREC-3"\\nyear = 1994\\nscores = "ap.csv"\\norient = "runs"\\n'
        >>> parse_manifest(text, "trec/MANIFEST.toml").tracks[0].request_options()
        {'inputs': ('trec/ap.csv',), 'qrels': None, 'measures': (), 'orient': 'runs'}
        """
        measures = () if self.measure is None else (self.measure,)
        return {"inputs": self.inputs, "qrels": self.qrels, "measures": measures, **self.options}


@dataclass(frozen=True)
class Manifest:
    """The tracks of a manifest, in the order of the file: no two of one name, and one a year in each series."""

    path: str
    tracks: tuple[ManifestTrack, ...]


def read_manifest(path: str) -> Manifest:
    """The manifest in a file; for its form and the errors see `parse_manifest`."""
    return parse_manifest(read_bytes(path), path)


def parse_manifest(data: bytes, path: str) -> Manifest:
    """The manifest in a TOML text in UTF-8: a ``[[track]]`` for each track, maybe ``[defaults]`` for all of them.

    A default stands in for a key that a track does not give; what a track says of ``scores`` or ``runs`` stands in for
    both. Paths are relative to the manifest's folder, apart from absolute ones and URLs. Only the manifest is
    read: ``missing`` names what is not there.

    Raises `DataError`, with the line, for what is not TOML, and `DataErrors` with all that is wrong otherwise: unknown
    keys, values of a wrong type, words that are no choice, keys that need another, two tracks of one name, or of one
    series and year.

    >>> text = b'defaults.measure = "AP"\\n[[track]]\\ntrack = "TREC-3"\\nyear = 1994\\nscores = "trec3.csv"\\n'
    >>> track = parse_manifest(text, "tracks/MANIFEST.toml").tracks[0]
    >>> track.name, track.year, track.measure, track.inputs, track.missing
    ('TREC-3', 1994, 'AP', ('tracks/trec3.csv',), ('tracks/trec3.csv',))
    >>> parse_manifest(text.replace(b"year", b"yaer"), "MANIFEST.toml")
    Traceback (most recent call last):
    biasvar_cli.errors.DataErrors: MANIFEST.toml: track TREC-3: unknown key yaer; did you mean year?
    MANIFEST.toml: track TREC-3: there is no year; add one, such as year = 1994
    """
    document = _toml(data, path)
    errors = [DataError(fault, path=path) for fault in faults(document)]
    if errors:
        raise errors[0] if len(errors) == 1 else DataErrors(errors)
    return Manifest(path, tuple(_track(entry.full, path) for entry in entries(document)))


def _toml(data: bytes, path: str) -> TomlTable:
    """What is in a TOML text. Raises `DataError`, with the line where it is known."""
    text = decoded(data, path)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what = str(error).removesuffix(" (at end of document)")
        at = _AT_LINE.search(what)
        line = int(at[1]) if at else text.rstrip().count("\n") + 1
        where = f"{what[: at.start()]}, in column {at[2]}" if at else f"{what}, at the end"
        raise DataError(f"not TOML: {where}; correct it", path=path, line=line) from None
    except ValueError:  # Python's limit
        raise DataError("a number has too many digits; write a shorter one", path=path) from None
    except RecursionError:
        raise DataError("brackets are nested too deeply; a manifest needs no more than one level", path=path) from None


def _track(full: TomlTable, manifest: str) -> ManifestTrack:
    """A track in which there is no fault, with its paths from the current folder."""
    names = full["scores"] if "scores" in full else full["runs"]
    qrels, teams = (_placed(full[key], manifest) if key in full else None for key in ("qrels", "teams"))
    options = {key: full[key] for key in OPTIONS if key in full}
    if "exclude" in options:
        options["exclude"] = tuple(_listed(options["exclude"]))
    if "max_size" in options:
        options["max_size"] = parse_size(str(options["max_size"]))
    if options.get("topics") not in (None, *TOPICS):
        options["topics"] = _placed(options["topics"], manifest)
    target = parse_target(full.get("target", "best"))
    if target.kind == "file":
        target = parse_target(f"file:{_placed(str(target.name), manifest)}")
    track = ManifestTrack(
        name=full["track"],
        series=full.get("series", ""),
        year=full["year"],
        inputs=tuple(_placed(name, manifest) for name in _listed(names)),
        qrels=qrels,
        measure=full.get("measure"),
        target=target,
        teams=teams,
        options=options,
    )
    return replace(track, missing=tuple(dict.fromkeys(path for path in track.files if not _is_there(path))))


def _listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


def _placed(name: str, manifest: str) -> str:
    """A path of a manifest as a path from the current folder."""
    if is_url(name) or is_data_set(name) or Path(name).is_absolute():
        return name
    if is_url(manifest):
        return f"{manifest.rpartition('/')[0]}/{name}"
    placed = str(Path(manifest).parent / name)
    return f"./{placed}" if placed == STDIN else placed


def _is_there(path: str) -> bool:
    """Whether there is a file or folder, or may be: URLs are looked up when they are read."""
    try:
        return is_url(path) or is_data_set(path) or Path(path).exists()
    except (OSError, ValueError):  # a folder that may not be read, a name that no file can have
        return False
