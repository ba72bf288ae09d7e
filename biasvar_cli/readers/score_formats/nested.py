"""Scores in dicts of dicts, as pytrec_eval, ranx and JSON files have them.

The keys show which level has runs, queries or measures; unclear keys are an error, not a guess. Files of JSON and dicts
in Python are read by the same rules: `levels_of` finds the levels, `entries` yields the values one by one, and
`nested_file` makes the arrays. The two readers, `json_scores` and `notebook.nested_scores`, have messages for each
doubt of `UnclearKeys`.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from biasvar_cli.readers.score_formats.crossed import crossed, two_measures
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import is_count, is_id_or_count, is_known, is_like_a_measure, summary
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble

Level = Literal["run", "query", "measure"]
Doubt = Literal[
    "uneven",  # not all values are dicts, or one is empty
    "no measure",  # none of three levels has names of measures
    "query or run",  # measures below a key that does not look like a query: it may be a run with averages
    "measure or run",  # the name of a measure beside names of runs
    "id or count",  # a run with a name of ids or a count
    "run as query",  # the outer one of three levels has queries, and the next one runs
    "query outside",  # the outer one of two levels has queries, and the inner one runs
    "run and measure",  # names with a run and a measure, such as A_map and A_ndcg
]
_QUERY_ID = re.compile(r"(q|query|topic)?[ _-]?\d+([._-]\d+)*", re.IGNORECASE)


class UnclearKeys(ValueError):
    """Keys that do not show whether they are runs, queries or measures.

    ``doubt`` is the reason, and ``key`` the key that causes it, None if no single one does.
    """

    def __init__(self, doubt: Doubt, key: Any = None) -> None:
        super().__init__(doubt)
        self.doubt, self.key = doubt, key


def are_queries(names: Iterable[str]) -> bool:
    """Whether all names look like query ids: a number, perhaps after q, query or topic.

    >>> are_queries(["301", "q302", "topic-303"]), are_queries(["FT911-1"])
    (True, False)
    """
    return all(map(_QUERY_ID.fullmatch, names))


def levels_of(document: Mapping[str, Any], is_measure: Callable[[Any], bool] = is_known) -> tuple[Level, ...]:
    """The levels of a dict of dicts, from the outside in.

    Two levels are {query: {measure: value}}, {measure: {query: value}} or {run: {query: score}}; three are
    {run: {query: {measure: value}}} or {run: {measure: {query: value}}}. ``is_measure`` tells which keys are measures.
    Raises `UnclearKeys`, also for measures below keys that do not look like query ids, for they may be averages of
    runs.

    >>> levels_of({"301": {"map": 0.25, "P_5": 0.2}}), levels_of({"bm25": {"301": 0.25}, "rm3": {"301": 0.5}})
    (('query', 'measure'), ('run', 'query'))
    >>> levels_of({"bm25": {"map": {"301": 0.25}}})
    ('run', 'measure', 'query')
    """
    second = _keys_below(document.values())
    values = [value for inner in document.values() for value in inner.values()]
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
    outer_are_measures, inner_are_measures = all(map(is_measure, document)), are_measures(second, is_measure)
    if inner_are_measures and not outer_are_measures:
        raise UnclearKeys("query or run", next(iter(document)))
    if outer_are_measures and not inner_are_measures:
        return "measure", "query"
    for name in document:
        if is_known(name) and not summary(name):  # "map" may be the mean over the runs, which is checked later
            raise UnclearKeys("measure or run", name)
    unlike = next((name for name in document if is_id_or_count(name)), None)
    if unlike is not None and list(document) != ["run"]:  # programs write it for a run without a name
        raise UnclearKeys("id or count", unlike)
    if are_queries(document):
        raise UnclearKeys("query outside", next(iter(document)))
    header = list(map(str, document))
    columns = crossed(header)
    if columns:
        raise UnclearKeys("run and measure", two_measures(header, columns))
    return "run", "query"


def _keys_below(objects: Iterable[Any]) -> Collection[Any]:
    """The keys of some dicts. Raises `UnclearKeys` if one of them is empty, or is not a dict."""
    keys: dict[Any, None] = {}
    for entry in objects:
        if not isinstance(entry, Mapping) or not entry:
            raise UnclearKeys("uneven")
        keys |= dict.fromkeys(entry)
    if not keys:
        raise UnclearKeys("uneven")
    return keys


def are_measures(names: Collection[Any], is_measure: Callable[[Any], bool] = is_known) -> bool:
    """Whether all names are measures, or at least half of them are measures other than counts and single letters.

    Names beside measures may be quantities such as latency.
    """
    known = [name for name in names if is_measure(name) and len(str(name)) > 1 and not is_count(str(name))]
    return (bool(known) and 2 * len(known) >= len(names)) or all(map(is_measure, names))


def entries(document: Mapping[str, Any], levels: tuple[Level, ...]) -> Iterator[tuple[Any, Any, Any, Any]]:
    """The run, measure, query and value of each entry of a dict of dicts with these levels.

    Run and measure are None if no level has them.

    >>> list(entries({"map": {"301": 0.25}}, ("measure", "query")))
    [(None, 'map', '301', 0.25)]
    """
    run, measure, query = (levels.index(level) if level in levels else -1 for level in ("run", "measure", "query"))
    for outer, entry in document.items():
        for inner, below in entry.items():
            for innermost, value in below.items() if len(levels) == 3 else ((None, below),):
                keys = (outer, inner, innermost, None)  # the last one is the key of a level that is not there
                yield keys[run], keys[measure], keys[query], value


def nested_file(
    records: Iterable[Record],
    levels: tuple[Level, ...],
    path: str,
    *,
    measures: Collection[str] = (),
    allow_range: bool = False,
) -> ScoreFile:
    """The score file of the records of a dict with these levels; without a level of runs the whole dict is one run.

    Beside known measures, those that are neither known nor among ``measures`` become `ScoreFile.others`. For the errors
    see `layout_of` and `assemble`.
    """
    file = assemble(layout_of(records, path), runs_named="run" in levels, allow_range=allow_range, wanted=measures)
    if file.measures == (None,):
        file = replace(file, absent_is_zero=False)  # only a measure of rankings is 0 where a run found nothing
    named = [name for name in file.measures if name is not None]
    others = tuple(name for name in named if not (is_like_a_measure(name) or name in measures))
    return replace(file, others=others) if len(others) < len(named) else file
