"""Files that have parts of a run, such as a file a task: they become one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.sources import Source
from biasvar_cli.scores import natural_order
from biasvar_cli.scoring.evaluator import RunScores
from biasvar_cli.words import argument


def joined(
    contents: Mapping[Source, RunScores | ScoreFile], listed: Collection[Source]
) -> dict[Source, RunScores | ScoreFile]:
    """The same contents, all parts of a run as one file, under the source of the first of them.

    Those among the ``listed`` sources make one file, the others another. Raises `DataError` for a query that two parts
    of a run have.
    """
    whole: dict[Source, RunScores | ScoreFile] = {}
    parts: dict[tuple[tuple[str, ...], bool], list[Source]] = {}
    for source, content in contents.items():
        if isinstance(content, ScoreFile) and content.is_part:
            parts.setdefault((content.runs, source in listed), []).append(source)
        else:
            whole[source] = content
    for sources in parts.values():
        files = [content for source in sources if isinstance(content := contents[source], ScoreFile)]
        whole[sources[0]] = _one(files)
    return whole


def _one(files: Sequence[ScoreFile]) -> ScoreFile:
    """Parts of one run as one file, with the measures that all of them have."""
    first = files[0]
    paths: dict[str, str] = {}
    for file in files:
        for query in file.queries:
            if query in paths:
                what = f"{file.runs[0]} has scores on {query} in {paths[query]} and in {file.path}"
                raise DataError(f"{what}; leave one out, or make a run of each folder with {argument(name_by='path')}")
            paths[query] = file.path
    measures = [name for name in first.measures if all(name in file.measures for file in files)]
    if not measures:
        raise DataError(f"the files of {first.runs[0]} have no measure in common", path=first.path)
    queries = natural_order(paths)
    places = [[file.measures.index(name) for name in measures] for file in files]
    values = np.concatenate([file.values[:, at] for file, at in zip(files, places, strict=True)], axis=2)
    place = {query: index for index, query in enumerate(query for file in files for query in file.queries)}
    counts: dict[Oddity, int] = {}
    for odd in (odd for file in files for odd in file.oddities):
        counts[odd._replace(number=0)] = counts.get(odd._replace(number=0), 0) + odd.number
    return replace(
        first,
        measures=tuple(measures),
        queries=tuple(queries),
        values=values[:, :, [place[query] for query in queries]],
        others=tuple(name for name in first.others if name in measures),
        oddities=tuple(odd._replace(number=number) for odd, number in counts.items()),
        holes=tuple(hole for file in files for hole in file.holes),
    )
