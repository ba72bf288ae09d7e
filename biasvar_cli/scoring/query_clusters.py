"""Which queries belong together: by the group of a pattern of their ids, by a file, or as a notebook says."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from biasvar_cli.clusters import Clusters
from biasvar_cli.errors import DataError, UsageError, warn
from biasvar_cli.readers.maps import read_clusters
from biasvar_cli.scoring.replicates import compiled_pattern
from biasvar_cli.specs import QueryClusters, is_file
from biasvar_cli.words import QUERY, argument, counted, examples

_FILE = "a csv of query_id,cluster"


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
    text = os.fspath(clusters) if isinstance(clusters, os.PathLike) else clusters
    if isinstance(text, Mapping):
        names = _listed(argument("clusters"), text, queries, elsewhere)
    elif not isinstance(text, str):
        raise UsageError(f"expected a pattern of query ids or {_FILE}, found {text!r}", option="clusters")
    elif is_file(text):
        names = _listed(argument(clusters=text), read_clusters(text), queries, elsewhere)
    else:
        names = _by_pattern(text, queries)
    return Clusters.named(names)


def _by_pattern(pattern: str, queries: Sequence[str]) -> list[str]:
    """The name of the cluster of each query, by the group of a pattern."""
    compiled = compiled_pattern(pattern, option="clusters", noun="cluster")
    option = argument(clusters=pattern)
    if not compiled.groups:
        group = "its group is the name of the cluster, as in '(.*)_[0-9]+'"
        raise UsageError(f"{option}: no file of that name, and a pattern without a group; {group}")
    matches = [compiled.fullmatch(query) for query in queries]
    missing = [query for query, match in zip(queries, matches, strict=True) if match is None]
    if missing:
        does_not = f"as a pattern it does not match {counted(len(missing), 'query')} as a whole"
        raise DataError(f"{option}: no file of that name, and {does_not}: {examples(missing)}")
    names = ["" if match is None else match[1] or "" for match in matches]
    if "" in names:
        query = queries[names.index("")]
        raise DataError(f"{option}: leaves no name for the cluster of {QUERY} {query}")
    return names


def _listed(option: str, listed: Mapping[str, str], queries: Sequence[str], elsewhere: Collection[str]) -> list[str]:
    """The name of the cluster of each query, as a file or a mapping lists it."""
    missing = [query for query in queries if query not in listed]
    others = sorted(listed.keys() - set(queries) - set(elsewhere))
    if missing:
        hint = f"; it has one for {examples(others)}, which is not evaluated" if others else ""
        raise DataError(f"{option}: no cluster for {counted(len(missing), 'query')}: {examples(missing)}{hint}")
    if others:
        warn(f"{option}: {counted(len(others), 'query')} outside the evaluated ones left out: {examples(others)}")
    return [listed[query] for query in queries]
