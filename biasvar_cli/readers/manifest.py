"""MANIFEST.toml: the tracks of an analysis over years, where their files are, and how to score each track.

The first half of the module checks a manifest: its keys, their values, and tracks that contradict each other.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from biasvar_cli.errors import DataError, UsageError, raise_all
from biasvar_cli.measures import parse_measures, spelled_names
from biasvar_cli.readers.listing import Selection, expand
from biasvar_cli.readers.settings import InputSettings
from biasvar_cli.readers.sources import STDIN, is_data_set, is_url, kind_of, names_files, read_bytes
from biasvar_cli.readers.text import decoded, quoted
from biasvar_cli.readers.unpacking import parse_size
from biasvar_cli.settings import settings_by_name
from biasvar_cli.specs.limits import LIMITS
from biasvar_cli.specs.targets import TARGETS, TargetSpec, parse_target
from biasvar_cli.words import TOPICS, listed, near_names

_TomlTable = dict[str, Any]

_NO_DEFAULT = ("track", "year")
_INPUTS = {"scores", "runs"}
_SYNONYMS = {  # other words for our keys
    **dict.fromkeys(("name", "title", "id"), "track"),
    **dict.fromkeys(("qrel", "judgments", "judgements", "relevance"), "qrels"),
    **dict.fromkeys(("metric", "metrics", "measures"), "measure"),
    **dict.fromkeys(("inputs", "input", "files", "run", "systems"), "runs"),
    **dict.fromkeys(("score", "matrix", "evaluations"), "scores"),
    **dict.fromkeys(("date", "edition"), "year"),
    **dict.fromkeys(("group", "collection"), "series"),
    **dict.fromkeys(("pattern", "include"), "glob"),
    "queries": "topics",
}
_LONGEST = 60  # letters of a value that a message shows


class _Rule(NamedTuple):
    """What the value of a key must be, in words; the function that checks a value; and words to suggest for a typo.

    ``file`` gives the file that a value names beside the inputs, None for a value that names no file.
    """

    expected: str
    allows: Callable[[Any], bool]
    words: tuple[str, ...] = ()
    file: Callable[[Any], str | None] = lambda _: None


class Entry(NamedTuple):
    """A ``[[track]]``, with its number from 1: the keys ``stated`` there, and ``full``, which adds the defaults."""

    number: int
    stated: _TomlTable
    full: _TomlTable

    @property
    def label(self) -> str:
        """The track as messages call it."""
        name = self.stated.get("track")
        return f"track {name}" if _is_name(name) else f"[[track]] number {self.number}"


def entries(document: _TomlTable) -> list[Entry]:
    """The tracks of a manifest, from its TOML. A track with scores or runs takes neither from the defaults.

    >>> document = {"defaults": {"measure": "AP"}, "track": [{"track": "TREC-3", "measure": "P@10"}, {"year": 1994}]}
    >>> [(entry.label, entry.full["measure"]) for entry in entries(document)]
    [('track TREC-3', 'P@10'), ('[[track]] number 2', 'AP')]
    """
    defaults, rows, tracks = _defaults(document), [], document.get("track")
    tables = [table for table in tracks if isinstance(table, dict)] if isinstance(tracks, list) else []
    for number, stated in enumerate(tables, 1):
        without = {*_NO_DEFAULT, *(_INPUTS if _INPUTS & stated.keys() else ())}
        inherited = {key: value for key, value in defaults.items() if key not in without}
        rows.append(Entry(number, stated, inherited | stated))
    return rows


def faults(document: _TomlTable) -> Iterator[str]:
    """All that is wrong with a manifest: its shape, its keys and values, and tracks that contradict each other.

    >>> list(faults({"track": [{"track": "TREC-3", "year": "1994", "scores": "ap.csv"}]}))
    ["track TREC-3: year: expected a whole number from 1 to 9999, found '1994'"]
    """
    for key in (key for key in document if key not in ("defaults", "track")):
        near = _hint(_near(key, ("defaults", "track"))) or "; a manifest has [defaults] and [[track]]"
        below = "; write it below [defaults] or a [[track]]"
        yield f"unknown key {quoted(key)}{below if key in _RULES else near}"
    if not isinstance(document.get("defaults", {}), dict):
        yield f"defaults: expected a table, found {_described(document['defaults'])}; write [defaults] above its keys"
    stated, tracks = document.get("track", []), entries(document)
    if not isinstance(stated, list) or len(tracks) < len(stated):
        yield f"track: expected tables, found {_described(stated)}; write [[track]] above the keys of each track"
    elif not stated:
        yield "there is no track; write [[track]] above the keys of each track"
    yield from _faults_of_keys(_defaults(document), "[defaults]")
    for entry in tracks:
        yield from _faults_of_keys(entry.stated, entry.label)
        yield from _faults_of_track(entry)
    yield from _faults_between(tracks)


def _defaults(document: _TomlTable) -> _TomlTable:
    defaults = document.get("defaults")
    return defaults if isinstance(defaults, dict) else {}


def _faults_of_keys(table: _TomlTable, label: str) -> Iterator[str]:
    """What is wrong with the keys of a table, and with their values one by one."""
    for key, value in table.items():
        rule = _RULES.get(key)
        if rule is None:
            yield f"{label}: unknown key {quoted(key)}{_hint(_intended(key)) or f'; the keys are {_KEYS}'}"
        elif key in _NO_DEFAULT and label == "[defaults]":
            yield f"{label}: {key} cannot have a default; give it in each [[track]]"
        elif not rule.allows(value):
            hint = _hint(_near(value, rule.words)) if isinstance(value, str) else ""
            yield f"{label}: {key}: expected {rule.expected}, found {_described(value)}{hint}"
    if "scores" in table and "runs" in table:
        yield f"{label}: there are both scores and runs; keep one of them, and make another track of the other"


def _faults_of_track(entry: Entry) -> Iterator[str]:
    """The keys that a track lacks, defaults included, and a measure that cannot score its runs."""
    label, full = entry.label, entry.full
    if "track" not in full and not any(_intended(key) == "track" for key in entry.stated):
        yield f'{label}: there is no name; add one, such as track = "TREC-3"'
    if "scores" not in full and "runs" not in full:
        yield f"{label}: there are neither scores nor runs; add the paths of score files or of runs"
    if "qrels" not in full:
        needs = {"runs": "runs" in full, "keep_empty_topics": full.get("keep_empty_topics") is True}
        needs |= {"topics = qrels": full.get("topics") == "qrels", "target = ideal": full.get("target") == "ideal"}
        for key in (key for key, is_stated in needs.items() if is_stated):
            yield f"{label}: {key} needs relevance judgments; add the path of qrels"
    if "runs" in full and _is_text(full.get("measure")):
        try:
            parse_measures([full["measure"]])
        except UsageError as error:
            yield f"{label}: {error.message}"


def _faults_between(entries: Sequence[Entry]) -> Iterator[str]:
    """Tracks with the same name, or with the same series and year."""
    names: dict[Any, int] = {}
    years: dict[tuple[Any, Any], str] = {}
    for entry in entries:
        name, year, series = entry.stated.get("track"), entry.stated.get("year"), entry.full.get("series", "")
        if _is_name(name) and names.setdefault(name, entry.number) != entry.number:
            yield f"{entry.label} is given twice, as [[track]] {names[name]} and {entry.number}; give one another name"
        elif isinstance(series, str) and _is_year(year):
            first = years.setdefault((series, year), entry.label)
            if first != entry.label:
                where = f"series {series}" if series else "the series without a name"
                remedy = "give one another year or series, or leave the year out"
                yield f"{first} and {entry.label} are both of {year} in {where}; {remedy}"


def _near(word: str, known: Iterable[str]) -> str | None:
    return next(iter(near_names(word.lower()[:_LONGEST], known)), None)


def _intended(key: str) -> str | None:
    """The key that an unknown one probably stands for: its synonym, or a key with a similar spelling."""
    word = key.replace("-", "_")
    return _SYNONYMS.get(word.lower()) or _near(word, _RULES)


def _hint(word: str | None) -> str:
    return f"; did you mean {word}?" if word else ""


def _described(value: object) -> str:
    """A value of TOML as a message shows it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}...")
    if isinstance(value, int | float):
        return "a number of too many digits" if isinstance(value, int) and abs(value) >= 10**_LONGEST else str(value)
    kinds: dict[type, str] = {list: "a list" if value else "an empty list", dict: "a table"}
    return kinds.get(type(value), "a date or time")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_name(value: object) -> bool:
    """Whether a text can stand in a message and in a table as it is."""
    return isinstance(value, str) and bool(value) and value.isprintable() and value == value.strip()


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_year(value: Any) -> bool:
    return _is_whole(value) and 1 <= value <= 9999


def _is_path(value: object) -> bool:
    return _is_text(value) and value != STDIN


def _is_size(value: object) -> bool:
    try:
        return (_is_whole(value) or isinstance(value, str)) and parse_size(str(value)) > 0
    except (UsageError, ValueError):  # ValueError: Python's limit on digits
        return False


def _is_target(value: object) -> bool:
    """Whether a text is the specification of a target; whether the data have that target is not known here."""
    try:
        name = parse_target(value).name if isinstance(value, str) else STDIN
    except UsageError:
        return False
    return name is None or _is_path(name)


def _several(allows: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A check that allows a value, or a list that is not empty of such values."""
    return lambda value: bool(value) and all(map(allows, value)) if isinstance(value, list) else allows(value)


_PATH = _Rule("a path", _is_path, file=str)
_PATHS = _Rule("a path or a list of paths", _several(_is_path))
_FLAG = _Rule("true or false", lambda value: isinstance(value, bool))
_PLAIN_TARGETS = tuple(form.written for form in TARGETS.values() if not form.argument)
_TEXTS = {  # rules for options whose value is text
    "glob": _Rule("a pattern such as *.gz", _is_text),
    "exclude": _Rule("a pattern or a list of patterns", _several(_is_text)),
    "id_column": _Rule("the name of a column, or none", _is_text),
    "topics": _Rule(
        "qrels, intersection, union or a path", _is_path, file=lambda value: None if value in TOPICS else value
    ),
    "max_size": _Rule("a size such as 500M or 4G", _is_size),
}


def _rule_of(name: str, kind: Any) -> _Rule:
    """The rule for an option, by its type: true or false, text, one of several words, or a number within its limits."""
    if kind is bool or name in _TEXTS:
        return _FLAG if kind is bool else _TEXTS[name]
    words = next((get_args(part) for part in (kind, *get_args(kind)) if get_origin(part) is Literal), ())
    if words:
        return _Rule(" or ".join(words), lambda value: isinstance(value, str) and value in words, words)
    limits = LIMITS[name]
    return _Rule(f"a whole number {limits.words}", lambda value: _is_whole(value) and value in limits)


_HINTS = get_type_hints(InputSettings)
_OPTIONS = {
    name: _rule_of(name, _HINTS[name])
    for name, setting in settings_by_name(InputSettings).items()
    if setting.in_manifest and name not in ("qrels", "pool")  # qrels is among the keys below; a track has no pool
}
_RULES = {
    "track": _Rule("a name, without blanks around it", _is_name),
    "series": _Rule("a name, or nothing between the quotes", lambda value: value == "" or _is_name(value)),
    "year": _Rule("a whole number from 1 to 9999", _is_year),
    "scores": _PATHS,
    "runs": _PATHS,
    "qrels": _PATH,
    "measure": _Rule("the name of one measure", lambda value: _is_text(value) and len(spelled_names([value])) == 1),
    "target": _Rule(listed(TARGETS, None, "or"), _is_target, _PLAIN_TARGETS, lambda value: parse_target(value).file),
    "teams": _PATH,
    **_OPTIONS,
}
_KEYS = ", ".join(_RULES)


@dataclass(frozen=True)
class ManifestTrack:
    """One track: ``inputs`` are its runs or score files, as paths from the current folder.

    By default ``year``, ``qrels``, ``measure`` and ``teams`` are None, ``series`` is "" and ``target`` best.
    ``options`` are the other fields of a `scoring.TrackRequest` that the manifest gives. ``others`` are the files
    beside the inputs: judgments, teams, a list of topics, a target. ``missing`` are the paths that do not exist; a
    track with such paths cannot be analysed, but the other tracks can.
    """

    name: str
    series: str
    year: int | None
    inputs: tuple[str, ...]
    qrels: str | None
    measure: str | None
    target: TargetSpec
    teams: str | None
    options: Mapping[str, Any]
    missing: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def selection(self) -> Selection:
        """The selection of files in folders among the inputs."""
        return Selection(**{key: self.options[key] for key in ("glob", "exclude", "recursive") if key in self.options})

    @property
    def files(self) -> tuple[str, ...]:
        """The files and folders that the manifest names for the track."""
        return (*self.inputs, *self.others)

    @property
    def contents(self) -> tuple[str, ...]:
        """All files that the track is read from, in folders and beside a file too: their bytes decide its results."""
        paths = (source.path for source in expand(self.inputs, self.selection))
        return (*(file for path in paths for file in (path, *names_files(path))), *self.others)

    def require_files(self) -> None:
        """Raise `DataError` for files of the track that do not exist."""
        if self.missing:
            raise DataError(f"there is no such file: {', '.join(self.missing)}")

    def request_options(self) -> dict[str, Any]:
        """The fields of a `scoring.TrackRequest` that the manifest gives; the others keep their defaults.

        >>> text = b'[[track]]\\ntrack = "TREC-3"\\nyear = 1994\\nscores = "ap.csv"\\norient = "runs"\\n'
        >>> parse_manifest(text, "trec/MANIFEST.toml").tracks[0].request_options()
        {'inputs': ('trec/ap.csv',), 'qrels': None, 'measures': (), 'orient': 'runs'}
        """
        measures = () if self.measure is None else (self.measure,)
        return {"inputs": self.inputs, "qrels": self.qrels, "measures": measures, **self.options}


@dataclass(frozen=True)
class Manifest:
    """The tracks of a manifest, in the order of the file; no two have the same name, or the same series and year."""

    tracks: tuple[ManifestTrack, ...]


def read_manifest(path: str) -> Manifest:
    """The manifest in a file; for its form and the errors see `parse_manifest`."""
    return parse_manifest(read_bytes(path), path)


def parse_manifest(data: bytes, path: str) -> Manifest:
    """The manifest in a TOML text in UTF-8: a ``[[track]]`` for each track, maybe ``[defaults]`` for all of them.

    A track inherits the defaults for the keys that it lacks; a track with ``scores`` or ``runs`` inherits neither.
    Relative paths start from the folder of the manifest, or from the current folder if the manifest comes from standard
    input or a pipe. No other file is read.

    Raises `DataError`, with the line, for text that is not TOML, and `DataErrors` for all other faults: unknown keys,
    values of a wrong type, unknown words, keys that lack a key they need, and tracks with the same name, or with the
    same series and year.

    >>> text = b'defaults.measure = "AP"\\n[[track]]\\ntrack = "TREC-3"\\nyear = 1994\\nscores = "trec3.csv"\\n'
    >>> track = parse_manifest(text, "tracks/MANIFEST.toml").tracks[0]
    >>> track.name, track.year, track.measure, track.inputs, track.missing
    ('TREC-3', 1994, 'AP', ('tracks/trec3.csv',), ('tracks/trec3.csv',))
    >>> parse_manifest(text.replace(b"year", b"yaer"), "MANIFEST.toml")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: MANIFEST.toml: track TREC-3: unknown key yaer; did you mean year?
    """
    text = decoded(data, path)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        what = str(error).removesuffix(" (at end of document)")
        at = re.search(r" \(at line (\d+), column (\d+)\)$", what)
        line = int(at[1]) if at else text.rstrip().count("\n") + 1
        where = f"{what[: at.start()]}, in column {at[2]}" if at else f"{what}, at the end"
        raise DataError(f"not TOML: {where}; correct it", path=path, line=line) from None
    except ValueError:  # Python's limit
        raise DataError("a number has too many digits; write a shorter one", path=path) from None
    except RecursionError:
        raise DataError("brackets are nested too deeply; a manifest needs no more than one level", path=path) from None
    raise_all([DataError(fault, path=path) for fault in faults(document)])
    return Manifest(tuple(_track(entry.full, path) for entry in entries(document)))


def _track(full: _TomlTable, manifest: str) -> ManifestTrack:
    """A track without faults; its paths become paths from the current folder."""
    names = full["scores"] if "scores" in full else full["runs"]
    file_names = ((key, rule.file(full[key])) for key, rule in _RULES.items() if key in full)
    files = {key: _path(name, manifest) for key, name in file_names if name is not None}
    options = {key: full[key] for key in _OPTIONS if key in full}
    if "exclude" in options:
        options["exclude"] = tuple(_listed(options["exclude"]))
    if "max_size" in options:
        options["max_size"] = parse_size(str(options["max_size"]))
    if "topics" in files:
        options["topics"] = files["topics"]
    inputs, others = tuple(_path(name, manifest) for name in _listed(names)), tuple(files.values())
    return ManifestTrack(
        name=full["track"],
        series=full.get("series", ""),
        year=full.get("year"),
        inputs=inputs,
        qrels=files.get("qrels"),
        measure=full.get("measure"),
        target=parse_target(f"file:{files['target']}" if "target" in files else full.get("target", "best")),
        teams=files.get("teams"),
        options=options,
        missing=tuple(dict.fromkeys(filter(_is_missing, (*inputs, *others)))),
        others=others,
    )


def _listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts


def _path(name: str, manifest: str) -> str:
    """A path of a manifest as a path from the current folder."""
    if is_url(name) or is_data_set(name) or Path(name).is_absolute():
        return name
    if is_url(manifest):
        return f"{manifest.rpartition('/')[0]}/{name}"
    is_stream = manifest == STDIN or kind_of(manifest) == "pipe"
    path = name if is_stream else str(Path(manifest).parent / name)
    return f"./{path}" if path == STDIN else path


def _is_missing(path: str) -> bool:
    """Whether no file or folder has this path; a URL is not looked up before it is read."""
    try:
        return not (is_url(path) or is_data_set(path) or Path(path).exists())
    except (OSError, ValueError):  # a folder without permission to read, a name that no file can have
        return True
