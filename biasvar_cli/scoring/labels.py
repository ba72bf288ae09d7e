"""Systems of runs, clusters of queries, and other names of runs, as patterns, files and mappings of users have them."""

import os
import re
import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from biasvar_cli.clusters import Clusters
from biasvar_cli.errors import DataError, UsageError, full_name, warn
from biasvar_cli.readers.maps import read_clusters, read_names, read_systems
from biasvar_cli.specs.machine import is_file
from biasvar_cli.specs.requests import QueryClusters, Systems
from biasvar_cli.words import QUERY, RUN, RUN_SUFFIXES, RUNS, RunName, argument, counted, examples

_SYSTEMS_FILE = "a csv of run,system"
_CLUSTERS_FILE = "a csv of query_id,cluster"


def systems_of(runs: Sequence[str], replicates: Systems) -> dict[str, str]:
    """The system of each run: itself where nothing else is said of it.

    ``replicates`` is the path of a csv of run,system, the same as a mapping, or a regular expression. One with a group
    has to match the whole name of a run, and the group is the name of its system; what one without a group matches is
    left out of the name.

    Raises `UsageError` for what is no regular expression and for a name that is empty or no text, and `DataError` where
    no run has a system, where every run is a system of its own, where a pattern makes one system of all runs, and where
    a run that is a system of its own has the name of another one.

    >>> runs = ["bm25", "bert-seed1", "bert-seed2", "t5-seed1"]
    >>> systems_of(runs, "-seed[0-9]+")
    {'bm25': 'bm25', 'bert-seed1': 'bert', 'bert-seed2': 'bert', 't5-seed1': 't5'}
    >>> systems_of(runs, "(.*)-seed[0-9]+") == systems_of(runs, "-seed[0-9]+")
    True
    >>> systems_of(runs, "-fold[0-9]+")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: replicates='-fold[0-9]+': no file of that name, and no run matches; the runs are \
bm25, bert-seed1, ...
    """
    text = _text_or_mapping(replicates, "replicates", f"a pattern of names or {_SYSTEMS_FILE}")
    option = argument(replicates=text) if isinstance(text, str) else argument("replicates")
    is_listed = isinstance(text, Mapping) or is_file(text)
    if isinstance(text, str) and not is_listed:
        systems = _systems_by_pattern(option, text, runs)
    else:
        systems = _listed_systems(option, text, runs)
    named = set(systems.values())
    if len(named) == len(systems):
        pairs = ", ".join(f"{run} is of {system}" for run, system in list(systems.items())[:2])
        raise DataError(f"{option}: no two runs are of one system: {pairs}")
    for run in runs:
        if run in named and run not in systems:
            members = [other for other, system in systems.items() if system == run]
            remedy = f"list {run} too" if is_listed else f"list the systems in {_SYSTEMS_FILE}, {run} too"
            what = f"{run} is a run, and the name of the system of {examples(members)}"
            raise DataError(f"{option}: {what}; {remedy}, as a run of that system or of another one")
    return {run: systems.get(run, run) for run in runs}


def clusters_of(queries: Sequence[str], clusters: QueryClusters, *, elsewhere: Collection[str] = ()) -> Clusters:
    """The cluster of each query.

    ``clusters`` is the path of a csv of query_id,cluster, the same as a mapping, or a regular expression that matches
    whole ids, whose group is the name of the cluster. Queries ``elsewhere`` may be listed too.

    Raises `UsageError` for what is no regular expression, or has no group or several, and `DataError` for a query
    without a cluster; warns of queries that are listed and not evaluated.

    >>> clusters_of(["31_1", "31_2", "32_1"], "(.*)_[0-9]+").of_query.tolist()
    [0, 0, 1]
    >>> clusters_of(["31_1", "31_2", "q7"], "(.*)_[0-9]+")
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: clusters='(.*)_[0-9]+': no file of that name, and as a pattern it does not match 1 \
query as a whole: q7
    """
    text = _text_or_mapping(clusters, "clusters", f"a pattern of query ids or {_CLUSTERS_FILE}")
    option = argument(clusters=text) if isinstance(text, str) else argument("clusters")
    if isinstance(text, str) and not is_file(text):
        return Clusters.named(_clusters_by_pattern(option, text, queries))
    listed = read_clusters(text) if isinstance(text, str) else text
    missing = [query for query in queries if query not in listed]
    others = sorted(listed.keys() - set(queries) - set(elsewhere))
    if missing:
        hint = f"; it has one for {examples(others)}, which is not evaluated" if others else ""
        raise DataError(f"{option}: no cluster for {counted(len(missing), 'query')}: {examples(missing)}{hint}")
    if others:
        warn(f"{option}: {counted(len(others), 'query')} outside the evaluated ones left out: {examples(others)}")
    return Clusters.named([listed[query] for query in queries])


def run_names(runs: Collection[str], names: Sequence[str] = (), highlight: Sequence[str] = ()) -> dict[str, RunName]:
    """What people are shown in place of each name of a run in the files, and whether the run is marked.

    ``names`` are OLD=NEW or the path of a csv of old,new, and ``highlight`` names of runs or unique beginnings of them.
    An ending that all runs have, ``.autoargue.tot``, and a suffix of `words.RUN_SUFFIXES` are dropped where no other
    run is shown by what is left. Runs that have been renamed, or marked where none is to be now, stay so.

    Raises `DataError` for a run that is not there, `UsageError` for a name that several runs would have.

    >>> [f"{name}" for name in run_names(["bm25.run", "rm.run", "rm.txt"], ["rm.txt=RM"]).values()]
    ['bm25', 'rm', 'RM']
    >>> [f"{name}" for name in run_names(["bm25-0.9.autoargue.tot", "rm-0.9.autoargue.tot"]).values()]
    ['bm25-0.9', 'rm-0.9']
    """
    earlier = {run for run in runs if isinstance(run, RunName)}
    files = sorted(map(str, runs))
    renamed = {str(run): run.label for run in earlier if run.renamed}
    ending = common_ending(files)
    without = {run: run.removesuffix(ending) if ending else _without_suffix(run) for run in files}
    by_name = {name: run for run, name in without.items()} | {run: run for run in files}
    for text in names:
        if "=" in text:
            old, new = _old_and_new(text, files)
            renamed[old] = new
            continue
        listed = read_names(text)  # of other runs too
        known = {by_name[old]: new for old, new in listed.items() if old in by_name}
        if not known:
            what = f"none of its {len(listed)} names is that of {RUN:a}; the {RUNS} are {files[0]}, ..."
            raise DataError(what, path=text)
        renamed |= known
    short = {run: renamed.get(run, without[run]) for run in files}
    counts = Counter(short.values())
    labels = {run: run if counts[name] > 1 and run not in renamed else name for run, name in short.items()}
    twice = [name for name, count in Counter(labels.values()).items() if count > 1]
    if twice:
        owners = " and ".join(run for run, name in labels.items() if name == twice[0])
        raise UsageError(f"{owners} would all be called {twice[0]}; give each {RUN} a name of its own", option="names")
    plain = [RunName(run, name) for run, name in labels.items()]
    typed = dict.fromkeys(full_name(argument(highlight=name), name, plain) for name in highlight)
    marked = {run: number for number, run in enumerate(typed, 1)}
    marked = marked or {run: run.highlighted for run in earlier}
    return {
        run: RunName(run, name, renamed=run in renamed, highlighted=marked.get(run, 0)) for run, name in labels.items()
    }


def compiled_pattern(pattern: str, *, option: str = "replicates", noun: str = "system") -> re.Pattern[str]:
    """A pattern of names, whose group is the name of a ``noun``.

    Raises `UsageError` for what is no regular expression, and for several groups.
    """
    option = argument(**{option: pattern})
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # of a set in a set, which will mean something else
        compiled = compiled_expression(pattern, option)
    if compiled.groups > 1:
        what = f"has {compiled.groups} groups, and one is the name of the {noun}"
        raise UsageError(f"{option}: {what}; write the others as (?:...)")
    return compiled


def compiled_expression(pattern: str, option: str) -> re.Pattern[str]:
    """A regular expression. Raises `UsageError` that begins with the ``option`` for what is none.

    >>> compiled_expression("a{99999999999}", argument(families="a{99999999999}"))
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: families='a{99999999999}': no file of that name, and no regular expression: \
the repetition number is too large
    """
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, FutureWarning) as error:
        raise UsageError(f"{option}: no file of that name, and no regular expression: {error}") from None


def _text_or_mapping(
    value: str | os.PathLike[str] | Mapping[str, str], option: str, expected: str
) -> str | Mapping[str, str]:
    """A pattern or a path as text, a mapping as it is; raises `UsageError` for anything else."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str | Mapping):
        raise UsageError(f"expected {expected}, found {text!r}", option=option)
    return text


def _systems_by_pattern(option: str, pattern: str, runs: Sequence[str]) -> dict[str, str]:
    """The systems of the runs that a pattern matches."""
    compiled = compiled_pattern(pattern)
    systems: dict[str, str] = {}
    for run in runs:
        match = compiled.fullmatch(run) if compiled.groups else compiled.search(run)
        if match is None or (not compiled.groups and not match[0]):
            continue
        systems[run] = (match[1] or "") if compiled.groups else run[: match.start()] + run[match.end() :]
        if not systems[run]:
            raise DataError(f"{option}: leaves no name for the system of {run}; match a part of the name only")
    if not systems:
        whole = " as a whole (its group is the name of the system)" if compiled.groups else ""
        raise DataError(f"{option}: no file of that name, and no run matches{whole}; the runs are {examples(runs, 2)}")
    if len(set(systems.values())) == 1 and len(systems) == len(runs) > 1:
        system = systems[runs[0]]
        raise DataError(f"{option}: makes one system, {system}, of all {len(runs)} runs; {_SYSTEMS_FILE} can say so")
    return systems


def _listed_systems(option: str, replicates: str | Mapping[str, str], runs: Sequence[str]) -> dict[str, str]:
    """The systems of the runs that a file or a mapping lists; others that it lists are left out with a warning."""
    listed = read_systems(replicates) if isinstance(replicates, str) else dict(replicates)
    for run, system in listed.items():
        if not (isinstance(run, str) and run and isinstance(system, str) and system):
            pair = {run: system}
            raise UsageError(f"expected the name of the system of each run, found {pair!r}", option="replicates")
    absent = sorted(listed.keys() - set(runs))
    if len(absent) == len(listed):
        raise DataError(f"{option}: none of the runs is listed; the runs are {examples(runs, 2)}")
    if absent:
        warn(f"{option}: {counted(len(absent), 'run')} outside the evaluated ones left out: {examples(absent)}")
    return {run: system for run, system in listed.items() if run in set(runs)}


def _clusters_by_pattern(option: str, pattern: str, queries: Sequence[str]) -> list[str]:
    """The name of the cluster of each query, by the group of a pattern."""
    compiled = compiled_pattern(pattern, option="clusters", noun="cluster")
    if not compiled.groups:
        group = "its group is the name of the cluster, as in '(.*)_[0-9]+'"
        raise UsageError(f"{option}: no file of that name, and a pattern without a group; {group}")
    matches = {query: compiled.fullmatch(query) for query in queries}
    missing = [query for query, match in matches.items() if match is None]
    if missing:
        does_not = f"as a pattern it does not match {counted(len(missing), 'query')} as a whole"
        raise DataError(f"{option}: no file of that name, and {does_not}: {examples(missing)}")
    names = ["" if match is None else match[1] or "" for match in matches.values()]
    if "" in names:
        query = queries[names.index("")]
        raise DataError(f"{option}: leaves no name for the cluster of {QUERY} {query}")
    return names


def common_ending(names: Sequence[str]) -> str:
    """The longest ending that all of some names have, from a full stop and a letter on; empty where there is none.

    >>> common_ending(["a.v1.gpt-4.1", "b.v2.gpt-4.1"]), common_ending(["k1=1.2", "k1=0.2"]), common_ending(["a.run"])
    ('.gpt-4.1', '', '')
    """
    if len(names) < 2:
        return ""
    endings = (names[0][match.start() :] for match in re.finditer(r"(?<=.)\.(?=[A-Za-z])", names[0]))
    return next((end for end in endings if all(name.endswith(end) and name != end for name in names)), "")


def _without_suffix(run: str) -> str:
    suffix = next((suffix for suffix in RUN_SUFFIXES if run.endswith(suffix)), "")
    return run.removesuffix(suffix) or run


def _old_and_new(text: str, runs: Sequence[str]) -> tuple[str, str]:
    """A run and its new name, of OLD=NEW in which both may have an equals sign.

    >>> _old_and_new("k1=1.2=BM25", ["k1=1.2"])
    ('k1=1.2', 'BM25')
    """
    pairs = [(text[:at], text[at + 1 :]) for at, sign in enumerate(text) if sign == "="]
    for old, new in pairs:
        if old in runs and new:
            return old, new
    old, new = pairs[0]
    return full_name(argument(names=text), old, runs), new
