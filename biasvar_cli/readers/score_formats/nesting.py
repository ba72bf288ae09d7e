"""What the keys of objects within objects are: JSON in files and dicts in Python are read by the same rules.

pytrec_eval, ranx and dicts of dicts have scores in objects within objects. Their keys show what they are, by their
names alone: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from biasvar_cli.readers.score_formats.names import is_count, is_id_or_count, is_known, summary

Level = Literal["run", "query", "measure"]
Doubt = Literal[
    "uneven", "no measure", "query or run", "measure or run", "id or count", "run as query", "query outside"
]
_LEVELS: tuple[Level, ...] = ("run", "measure", "query")
_QUERY_ID = re.compile(r"(q|query|topic)?[ _-]?\d+([._-]\d+)*", re.IGNORECASE)


class UnclearKeys(ValueError):
    """Keys that do not show what they are: the ``doubt``, and the ``key`` that raises it, None if there is none."""

    def __init__(self, doubt: Doubt, key: Any = None) -> None:
        super().__init__(doubt)
        self.doubt, self.key = doubt, key


class Entry(NamedTuple):
    """A value with its keys: a run of None is not named, neither is a measure of None."""

    run: Any
    measure: Any
    query: Any
    value: Any


def are_queries(names: Iterable[str]) -> bool:
    """Whether names look like query ids: numbers, maybe after a word.

    >>> are_queries(["301", "q302", "topic-303"]), are_queries(["FT911-1"])
    (True, False)
    """
    return all(map(_QUERY_ID.fullmatch, names))


def levels_of(document: Mapping[str, Any], is_measure: Callable[[Any], bool] = is_known) -> tuple[Level, ...]:
    """What the keys of a dict of dicts are, from the outside in.

    Two levels are those of {query: {measure: value}}, {measure: {query: value}} or {run: {query: score}}; three have
    runs outside and queries and measures either way round. ``is_measure`` tells which keys name measures. Raises
    `UnclearKeys`.

    >>> levels_of({"301": {"map": 0.25, "P_5": 0.2}}), levels_of({"bm25": {"301": 0.25}, "rm3": {"301": 0.5}})
    (('query', 'measure'), ('run', 'query'))
    >>> levels_of({"bm25": {"map": {"301": 0.25}}})
    ('run', 'measure', 'query')
    """
    second = _keys_below(document.values())
    values = [value for by in document.values() for value in by.values()]
    if any(isinstance(value, Mapping) for value in values):
        return _three_levels(document, second, _keys_below(values), is_measure)
    measures_outside, measures_below = (all(map(is_measure, keys)) for keys in (document, second))
    if are_queries(document) and _are_measures(second, is_measure):
        return "query", "measure"
    if measures_below and not measures_outside:
        raise UnclearKeys("query or run", next(iter(document)))
    if measures_outside and not measures_below:
        return "measure", "query"
    _require_runs(document)
    return "run", "query"


def entries(document: Mapping[str, Any], levels: tuple[Level, ...]) -> Iterator[Entry]:
    """The values of a dict of dicts whose keys are of these levels.

    >>> list(entries({"map": {"301": 0.25}}, ("measure", "query")))
    [Entry(run=None, measure='map', query='301', value=0.25)]
    """
    run, measure, query = (levels.index(level) if level in levels else -1 for level in _LEVELS)
    for outer, by in document.items():
        for inner, below in by.items():
            for innermost, value in below.items() if len(levels) == 3 else ((None, below),):
                keys = (outer, inner, innermost, None)
                yield Entry(keys[run], keys[measure], keys[query], value)


def _three_levels(
    document: Mapping[str, Any], second: Collection[Any], third: Collection[Any], is_measure: Callable[[Any], bool]
) -> tuple[Level, ...]:
    measure_first = all(map(is_measure, second)) and not all(map(is_measure, third))
    measures, queries = (second, third) if measure_first else (third, second)
    if not _are_measures(measures, is_measure):
        raise UnclearKeys("no measure", next(name for name in measures if not is_measure(name)))
    if are_queries(document) and not are_queries(map(str, queries)):
        raise UnclearKeys("run as query", next(iter(queries)))
    return ("run", "measure", "query") if measure_first else ("run", "query", "measure")


def _keys_below(objects: Iterable[Any]) -> Collection[Any]:
    """The keys of some objects. Raises `UnclearKeys` where one of them is something else, or has none."""
    keys: dict[Any, None] = {}
    for below in objects:
        if not isinstance(below, Mapping) or not below:
            raise UnclearKeys("uneven")
        keys |= dict.fromkeys(below)
    if not keys:
        raise UnclearKeys("uneven")
    return keys


def _are_measures(names: Collection[Any], is_measure: Callable[[Any], bool]) -> bool:
    """Whether all names are those of measures, or at least half: beside them a table may have more, such as times.

    A count or a single letter does not show that the others are measures.
    """
    known = [name for name in names if is_measure(name) and len(str(name)) > 1 and not is_count(str(name))]
    return (bool(known) and 2 * len(known) >= len(names)) or all(map(is_measure, names))


def _require_runs(names: Collection[str]) -> None:
    """Raise `UnclearKeys` unless the names can be those of runs."""
    for name in names:
        if is_known(name) and not summary(name):
            raise UnclearKeys("measure or run", name)
    unlike = next((name for name in names if is_id_or_count(name)), None)
    if unlike is not None and list(names) != ["run"]:  # what programs call a run without a name
        raise UnclearKeys("id or count", unlike)
    if are_queries(names):
        raise UnclearKeys("query outside", next(iter(names)))
