"""Scores in dicts of dicts, as pytrec_eval, ranx and JSON files have them.

The names of the keys show what they are, and nothing is guessed. Files of JSON and dicts in Python are read by the same
rules: `levels_of` tells what the keys are, `entries` gives the values one by one, and `nested_file` makes the arrays.
The two readers, `json_scores` and `notebook.nested_scores`, word each doubt of `UnclearKeys` for their users.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import is_count, is_id_or_count, is_known, is_like_a_measure, summary
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble

Level = Literal["run", "query", "measure"]
Doubt = Literal[
    "uneven",  # not all values are dicts, or one is empty
    "no measure",  # of three levels none names measures
    "query or run",  # measures below what looks like no query: its scores, or averages of a run
    "measure or run",  # the name of a measure beside names of runs
    "id or count",  # a run called as ids or counts are
    "run as query",  # of three levels the outer one has queries, and the one below it runs
    "query outside",  # queries with scores by run
]
_QUERY_ID = re.compile(r"(q|query|topic)?[ _-]?\d+([._-]\d+)*", re.IGNORECASE)


class UnclearKeys(ValueError):
    """Keys that do not show what they are: the ``doubt``, and the ``key`` that raises it, None if there is none."""

    def __init__(self, doubt: Doubt, key: Any = None) -> None:
        super().__init__(doubt)
        self.doubt, self.key = doubt, key


def are_queries(names: Iterable[str]) -> bool:
    """Whether names look like query ids: numbers, maybe after a word.

    >>> are_queries(["301", "q302", "topic-303"]), are_queries(["FT911-1"])
    (True, False)
    """
    return all(map(_QUERY_ID.fullmatch, names))


def levels_of(document: Mapping[str, Any], is_measure: Callable[[Any], bool] = is_known) -> tuple[Level, ...]:
    """The meaning of the keys of a dict of dicts, from the outside in.

    Two levels are {query: {measure: value}}, {measure: {query: value}} or {run: {query: score}}; three have runs
    outside and queries and measures either way round. ``is_measure`` tells which keys name measures. Raises
    `UnclearKeys`, also for measures below names that look like no query ids, which may be averages of runs.

    >>> levels_of({"301": {"map": 0.25, "P_5": 0.2}}), levels_of({"bm25": {"301": 0.25}, "rm3": {"301": 0.5}})
    (('query', 'measure'), ('run', 'query'))
    >>> levels_of({"bm25": {"map": {"301": 0.25}}})
    ('run', 'measure', 'query')
    """
    second = _keys_below(document.values())
    values = [value for by in document.values() for value in by.values()]
    if any(isinstance(value, Mapping) for value in values):
        third = _keys_below(values)
        measure_first = all(map(is_measure, second)) and not all(map(is_measure, third))
        measures, queries = (second, third) if measure_first else (third, second)
        if not are_measures(measures, is_measure):
            raise UnclearKeys("no measure", next(name for name in measures if not is_measure(name)))
        if are_queries(document) and not are_queries(map(str, queries)):
            raise UnclearKeys("run as query", next(iter(queries)))
        return ("run", "measure", "query") if measure_first else ("run", "query", "measure")
    if are_queries(document) and are_measures(second, is_measure):
        return "query", "measure"
    measures_outside, measures_below = all(map(is_measure, document)), are_measures(second, is_measure)
    if measures_below and not measures_outside:
        raise UnclearKeys("query or run", next(iter(document)))
    if measures_outside and not measures_below:
        return "measure", "query"
    for name in document:
        if is_known(name) and not summary(name):  # "map" may be the mean over the runs, which is checked later
            raise UnclearKeys("measure or run", name)
    unlike = next((name for name in document if is_id_or_count(name)), None)
    if unlike is not None and list(document) != ["run"]:  # what programs call a run without a name
        raise UnclearKeys("id or count", unlike)
    if are_queries(document):
        raise UnclearKeys("query outside", next(iter(document)))
    return "run", "query"


def _keys_below(objects: Iterable[Any]) -> Collection[Any]:
    """The keys of some objects. Raises `UnclearKeys` if one of them is no object, or is empty."""
    keys: dict[Any, None] = {}
    for below in objects:
        if not isinstance(below, Mapping) or not below:
            raise UnclearKeys("uneven")
        keys |= dict.fromkeys(below)
    if not keys:
        raise UnclearKeys("uneven")
    return keys


def are_measures(names: Collection[Any], is_measure: Callable[[Any], bool] = is_known) -> bool:
    """Whether all names are measures, or at least half of them without counts and single letters.

    The others may be columns such as latency.
    """
    known = [name for name in names if is_measure(name) and len(str(name)) > 1 and not is_count(str(name))]
    return (bool(known) and 2 * len(known) >= len(names)) or all(map(is_measure, names))


def entries(document: Mapping[str, Any], levels: tuple[Level, ...]) -> Iterator[tuple[Any, Any, Any, Any]]:
    """The run, measure, query and value of each value of a dict of dicts whose keys are of these levels.

    Run and measure are None where no level names them.

    >>> list(entries({"map": {"301": 0.25}}, ("measure", "query")))
    [(None, 'map', '301', 0.25)]
    """
    # the last of four keys is None, for a level that is not there
    run, measure, query = (levels.index(level) if level in levels else -1 for level in ("run", "measure", "query"))
    for outer, by in document.items():
        for inner, below in by.items():
            for innermost, value in below.items() if len(levels) == 3 else ((None, below),):
                keys = (outer, inner, innermost, None)
                yield keys[run], keys[measure], keys[query], value


def nested_file(
    records: Iterable[Record],
    levels: tuple[Level, ...],
    path: str,
    *,
    measures: Collection[str] = (),
    allow_range: bool = False,
) -> ScoreFile:
    """The score file of the records of a dict with these levels; without one of runs the whole dict is a run.

    Measures that are neither known nor among ``measures`` are `ScoreFile.others`, read only where they are named,
    unless none of the measures is known. Raises `DataError` for what `layout_of` and `assemble` refuse.
    """
    file = assemble(layout_of(records, path), runs_named="run" in levels, allow_range=allow_range, wanted=measures)
    named = [name for name in file.measures if name is not None]
    others = tuple(name for name in named if not (is_like_a_measure(name) or name in measures))
    return replace(file, others=others) if len(others) < len(named) else file
