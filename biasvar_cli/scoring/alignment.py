"""The contents of several files as one table: the same measures and the same queries for every run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.errors import DataError, Oddity, UsageError, warn
from biasvar_cli.measures import direction, matching, meant, names_among, parse_measures
from biasvar_cli.measures.catalogue import sounds_like_a_cost
from biasvar_cli.readers.score_formats.items import Items, other_items, remedy_of, told_apart
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.score_formats.samples import files_of_task
from biasvar_cli.readers.sources import Source, read_bytes, run_name
from biasvar_cli.readers.text import quoted
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.evaluator import RunScores
from biasvar_cli.words import (
    QUERIES,
    QUERY,
    Better,
    argument,
    counted,
    either,
    examples,
    in_nouns,
    listed,
    near_names,
    shell_word,
    verb,
)

Contents = Mapping[Source, RunScores | ScoreFile]


class OtherMeasures(DataError):
    """A file has several measures, or not the one that is ``missing``: those that it has are ``known``."""

    def __init__(self, message: str, *, path: str, known: Sequence[str], missing: str = "") -> None:
        super().__init__(message, path=path)
        self.known, self.missing = tuple(known), missing


def joined(contents: Contents, listed: Collection[Source]) -> Contents:
    """The same contents, all files that have parts of one run as one file, under the source of the first of them.

    Those among the ``listed`` sources make one file, the others another. Raises `DataError` for a query that two parts
    of a run have.
    """
    whole: dict[Source, RunScores | ScoreFile] = {}
    parts: dict[tuple[tuple[str, ...], bool], tuple[Source, list[ScoreFile]]] = {}
    for source, content in contents.items():
        if isinstance(content, ScoreFile) and content.is_part:
            parts.setdefault((content.runs, source in listed), (source, []))[1].append(content)
        else:
            whole[source] = content
    return whole | {source: _joined_parts(files) for source, files in parts.values()}


def _joined_parts(files: Sequence[ScoreFile]) -> ScoreFile:
    """Parts of one run as one file, with the measures that all of them have, but for those that have holes alone."""
    first = files[0]
    paths: dict[str, str] = {}
    for file in files:
        for query in file.queries:
            if query in paths:
                what = f"{file.runs[0]} has scores on {query} in {paths[query]} and in {file.path}"
                raise DataError(f"{what}; leave one out, or make a run of each folder with {argument(name_by='path')}")
            paths[query] = file.path
    scored = [file for file in files if np.isfinite(file.values).any()] or files
    known = [{*file.measures, *(hole.measure for hole in file.holes)} for file in scored]
    names = dict.fromkeys(name for file in scored for name in file.measures)
    measures = [name for name in names if all(name in of_file for of_file in known)]
    if not measures:
        raise DataError(f"the files of {first.runs[0]} have no measure in common", path=first.path)
    queries = natural_order(paths)
    index = {query: at for at, query in enumerate(paths)}
    values = []
    for file in files:
        rows = [file.values[:, file.measures.index(name)] if name in file.measures else None for name in measures]
        absent = np.full((1, len(file.queries)), np.nan)
        values.append(np.stack([absent if row is None else row for row in rows], axis=1))
    counts: dict[Oddity, int] = {}
    for odd in (odd for file in files for odd in file.oddities):
        counts[odd._replace(number=0)] = counts.get(odd._replace(number=0), 0) + odd.number
    return replace(
        first,
        measures=tuple(measures),
        queries=tuple(queries),
        values=np.concatenate(values, axis=2)[:, :, [index[query] for query in queries]],
        others=tuple(name for name in scored[0].others if name in measures),
        oddities=tuple(odd._replace(number=number) for odd, number in counts.items()),
        holes=tuple(hole for file in files for hole in file.holes),
        items={query: facts for file in files for query, facts in file.items.items()},
    )


def measure_names(request: TrackRequest, contents: Contents) -> list[str | None]:
    """The measures to analyse: those asked for, or AP for runs, or the score files' only one.

    Warns of a name that is no measure's but is spelled like one, where scores without a measure have it.
    """
    files = [content for content in contents.values() if isinstance(content, ScoreFile)]
    if len(files) < len(contents):  # some are runs
        names: list[str | None] = [str(measure) for measure in parse_measures(request.run_measures)]
    elif request.measures:
        known = (name for file in files for name in file.measures if name is not None)
        names = [*names_among(request.measures, known)]
    else:
        names = [_only_measure(files)]
    if len(names) == 1 and any(file.measures == (names[0],) for file in files):
        measure = meant(str(names[0]))
        if measure is not None:
            label = argument(measure=str(names[0]))
            warn(f"{label}: no measure is called that, so it is a label; did you mean {measure}?")
    return names


def _only_measure(files: Sequence[ScoreFile]) -> str | None:
    """The one measure of score files. Raises `DataError` where a file has several, or two files have different ones."""
    paths: dict[str | None, str] = {}
    for file in files:
        measures = [measure for measure in file.measures if measure not in file.others]
        measures = measures or [hole.measure for hole in file.holes][:1]
        if len(measures) > 1:
            named = ", ".join(str(measure) for measure in measures[:8]) + (", ..." if len(measures) > 8 else "")
            beside = f"; {examples(file.others)} can be chosen too" if file.others else ""
            choose = f"choose with {argument('measure')}: {named}{beside}"
            known = [str(measure) for measure in measures]
            raise OtherMeasures(f"has {len(measures)} measures; {choose}", path=file.path, known=known)
        paths.setdefault(measures[0], file.path)
    if len(paths) > 1:
        (one, first), (two, second) = ((name or "of an unknown measure", path) for name, path in [*paths.items()][:2])
        what = f"the scores of {first} are {one}, those of {second} {two}"
        raise DataError(f"{what}; name one with {argument('measure')}")
    return next(iter(paths), None)


def under_measures(
    content: RunScores | ScoreFile, names: Sequence[str | None], judged: tuple[str, ...], *, holes: bool = False
) -> ScoreFile:
    """The scores under these measures alike, whether a file has them or they were computed for a run.

    Raises `DataError` for measures that the file does not have, with near ones that it has and the first of them all,
    for a value under a chosen one that is no number and, unless it may have ``holes``, for one of these.
    """
    if isinstance(content, RunScores):
        runs, values = (content.name,), content.values[None]
        return ScoreFile(content.path, runs, tuple(names), judged, values, numbered=False, oddities=content.oddities)
    known = [measure for measure in content.measures if measure is not None]
    chosen = [name if name is None else matching(name, known) or name for name in names]
    hole = content.first_hole(chosen, faults_only=holes)
    if hole is not None:
        raise hole
    if not set(chosen) <= set(content.measures):
        missing = [str(name) for name in chosen if name not in known]
        near = list(dict.fromkeys(other for name in missing for other in near_names(name, known)))
        hint = f"did you mean {' or '.join(near[:3])}? " if near else ""
        has = examples(known, 8) if known else "an unknown measure"
        what = f"has no {' and no '.join(missing)}; {hint}it has {has}"
        raise OtherMeasures(what, path=content.path, known=known, missing=" and no ".join(missing))
    columns = [content.measures.index(name) for name in chosen]
    for run, values in zip(content.runs, content.values[:, columns], strict=True) if content.holes else ():
        if np.isnan(values).all():
            raise DataError(f"run {quoted(run)} has no score at all; leave it out", path=content.path)
    oddities = (*content.oddities, *content.holes_of(chosen), *content.others_but(chosen))
    return replace(content, measures=tuple(names), values=content.values[:, columns], oddities=oddities, others=())


def without_copies(
    files: Mapping[Source, ScoreFile], contents: Contents, listed: Collection[Source]
) -> dict[Source, ScoreFile]:
    """The same files without scores that a program computed of runs which are here too: those of NAME.res.gz as NAME.

    PyTerrier leaves both. Scores are copies if they are those of the run, to 4 digits, on every query of theirs. Each
    file that loses some is a warning. What is ``listed`` and what shapes the target alone are apart.
    """
    inputs = set(listed)
    of_runs = {
        (name.removesuffix(".res"), source in inputs): (file.queries, file.values[0])
        for source, file in files.items()
        for name in file.runs
        if name.endswith(".res") and isinstance(contents[source], RunScores)
    }
    kept = dict(files)
    for source, file in files.items():
        if isinstance(contents[source], RunScores):
            continue
        same = [of_runs.get((run, source in inputs)) for run in file.runs]
        copies = [run is not None and _are_same(file, at, *run) for at, run in enumerate(same)]
        if any(copies):
            names = examples(list(compress(file.runs, copies)))
            warn(f"{file.path}: the scores of {names} are those of runs that are read too, and are left out")
            runs = [run for run, copy in zip(file.runs, copies, strict=True) if not copy]
            kept[source] = replace(file, runs=tuple(runs), values=file.values[[not copy for copy in copies]])
    return {source: file for source, file in kept.items() if file.runs}


def _are_same(file: ScoreFile, row: int, queries: Sequence[str], values: FloatArray) -> bool:
    """Whether a row of a file has these values, (n_measures, n_queries), on all of its queries."""
    column = {query: at for at, query in enumerate(queries)}
    if not set(file.queries) <= column.keys():
        return False
    return bool(np.allclose(file.values[row], values[:, [column[query] for query in file.queries]], rtol=0, atol=5e-5))


def require_distinct_runs(files: Collection[ScoreFile]) -> None:
    """Raise `DataError` for two runs of one name, and for queries without ids that cannot be matched."""
    paths: dict[str, str] = {}
    for file in files:
        for run in file.runs:
            if run in paths:
                by_file = bool(file.model) or run in map(run_name, (paths[run], file.path))
                above = argument(recursive=True, name_by="path")
                remedy = f", or give the folder above both with {above}" if by_file else ""
                what = f"two runs are called {run}: {paths[run]} and {file.path}"
                task = files_of_task(file.path)
                if task and task != files_of_task(paths[run]):
                    chosen = either(f"--glob {shell_word(task)}", argument(glob=task))
                    raise DataError(f"{what}; one task of all models: give the folder and {chosen}")
                raise DataError(f"{what}; give one another name{remedy}")
            paths[run] = file.path
    plain = [file for file in files if file.numbered]
    named = [file for file in files if not file.numbered]
    if plain and named:
        what = f"the rows of {plain[0].path} have no {QUERY} ids, those of {named[0].path} have"
        raise DataError(f"{what}; they cannot be matched safely: add a column of ids")
    for file in plain[1:]:
        if len(file.queries) != len(plain[0].queries):
            what = f"{plain[0].path} has {len(plain[0].queries)} rows and {file.path} {len(file.queries)}"
            raise DataError(f"{what}, without {QUERY} ids to match them by: add a column of ids")


def require_same_items(files: Collection[ScoreFile], queries: Collection[str]) -> None:
    """Raise `DataError` where one of the queries is another item in one file than in another one, as the files say."""
    first: dict[str, ScoreFile] = {}
    for file in files:
        for other in {id(first[query]): first[query] for query in file.items if query in first}.values():
            shared = [query for query in queries if first.get(query) is other]
            words = other_items_words(place_of(other), other.items, place_of(file), file.items, shared)
            if words:
                raise DataError(words)
        first = dict.fromkeys(file.items, file) | first


def place_of(file: ScoreFile) -> str:
    """What a message calls a file, by its run where it is a part of one."""
    return file.runs[0] if file.is_part else file.path


def other_items_words(first: str, one: Items, second: str, other: Items, queries: Sequence[str]) -> str:
    """That queries are other items in the second place than in the first, with one of them and the remedy.

    Empty where none is.
    """
    odd = other_items(one, other, queries)
    if not odd:
        return ""
    query, name = next(iter(odd.items()))
    texts = told_apart(one[query][name], other[query][name])
    many = f"{len(odd)} of {counted(len(queries), 'query')} {verb(len(odd), 'is another item', 'are other items')}"
    items = f"{name} of {quoted(query)}: {texts[0]} there, {texts[1]} here"
    return f"{second}: {many} than in {first} ({items}); {remedy_of(name, query, one, other)}"


def evaluated_queries(
    request: TrackRequest, files: Collection[ScoreFile], judged: Sequence[str] | None
) -> tuple[str, ...]:
    """The queries to evaluate on, in natural order, by the rule of --topics.

    A run has scored a query for which it has a score under any measure, under ``intersection`` one under all measures.
    """
    complete = request.topics == "intersection"
    sets: list[set[str]] = []
    for file in files:
        present = (np.all if complete else np.any)(np.isfinite(file.values), axis=1)
        sets += [set(compress(file.queries, line)) for line in present]
    if judged is None:
        base = set().union(*sets)
    else:
        plain = next((file for file in files if file.numbered), None)
        if plain is not None:
            what = f"the rows have no {QUERY} ids, so {argument('qrels')} cannot restrict them"
            raise DataError(what, path=plain.path)
        base = set(judged)
    match request.topics:
        case None | "qrels":
            if request.topics and judged is None:
                raise UsageError(f"{argument(topics='qrels')} needs {argument('qrels QRELS')}")
            chosen = base
        case "union":
            chosen = base & set().union(*sets)
        case "intersection":
            chosen = base.intersection(*sets)
        case path:
            chosen = _listed_topics(path, base, request.max_size)
    if not chosen and request.topics == "union":
        raise DataError(f"none of the {QUERIES} of the runs is in the qrels")
    if not chosen:
        raise DataError(f"there is no {QUERY} that the runs have in common ({argument(topics='intersection')})")
    return tuple(natural_order(chosen))


def _listed_topics(path: str, base: set[str], max_size: int | None) -> set[str]:
    """The query ids in a file, the first word of each line; each must be among those that can be evaluated."""
    wanted: set[str] = set()
    for number, line in enumerate(read_bytes(path, max_size=max_size).splitlines(), 1):
        words = line.decode("utf-8", "replace").split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] not in base:
            what = f"{QUERY} {words[0]} cannot be evaluated; the {QUERIES} are {examples(natural_order(base))}"
            raise DataError(what, path=path, line=number)
        wanted.add(words[0])
    if not wanted:
        raise DataError(f"the file lists no {QUERY}", path=path)
    return wanted


def directions(names: Sequence[str | None], *, lower_is_better: bool) -> list[Better]:
    """Whether more or less of each measure is better; ``lower_is_better`` says it of those that are not known.

    Warns of measures that are not known and sound like costs, where nothing says so. Raises `UsageError` where it can
    say nothing, since more of all of the measures is better.

    >>> directions(["AP", "response time", "ESL"], lower_is_better=True)
    ['more', 'less', 'less']
    """
    known = [direction(name) for name in names]
    if lower_is_better and set(known) == {"more"}:
        what = f"more is better for {listed(map(str, names), None)}"
        raise UsageError(f"{what}; this is for measures that are not known", option="lower_is_better")
    doubtful = [str(name) for name in names if direction(name) is None and sounds_like_a_cost(name)]
    if doubtful and not lower_is_better:
        what = f"more {listed(doubtful, None)} is taken to be better"
        warn(f"{what}; if less is, say so with {argument(lower_is_better=True)}")
    return [better or ("less" if lower_is_better else "more") for better in known]


def filled(
    files: Collection[ScoreFile], queries: tuple[str, ...], better: Sequence[Better], *, chosen: bool
) -> tuple[dict[str, FloatArray], list[Oddity]]:
    """Per run the scores of these queries, shape (n_measures, n_queries), 0 where there is none, which is counted.

    Scores on other queries are counted too, unless the user has ``chosen`` the queries. ``better`` is the direction of
    each measure: raises `DataError` where there is no score and less is better, since 0 would be the best one, and
    where the query was not run (`ScoreFile.zero`).
    """
    by_run: dict[str, FloatArray] = {}
    oddities: list[Oddity] = []
    known: dict[tuple[str, ...], tuple[IntArray, int]] = {}  # most files have the same queries
    for file in files:
        if file.queries not in known:
            column = {query: index for index, query in enumerate(file.queries)}
            extra = len(column.keys() - set(queries))
            known[file.queries] = np.array([column.get(query, -1) for query in queries]), extra
        columns, extra = known[file.queries]
        for run, values in zip(file.runs, file.values, strict=True):
            wanted = np.where(columns >= 0, values[:, columns], np.nan)
            absent = np.isnan(wanted)
            if absent.all():
                what = f"run {run} has none of the {len(queries)} {QUERIES} ({examples(queries)})"
                raise DataError(f"{what}; it has {examples(file.queries)}", path=file.path)
            by_measure = zip(file.measures, better, wanted, strict=True)
            for measure, direction_of, scores in by_measure if absent.any() else ():
                why = "" if file.zero(measure) else "what was not run does not count as 0"
                if direction_of == "less":
                    why = "less is better, and a missing score does not count as 0, which would be the best"
                if why and np.isnan(scores).any():
                    lacking = [queries[index] for index in np.flatnonzero(np.isnan(scores))]
                    what = f"run {run} has no {measure or 'score'} on {counted(len(lacking), 'query')}"
                    remedy = f"evaluate the {QUERIES} that all runs have with {argument(topics='intersection')}"
                    if measure is None and direction_of == "more":
                        remedy += f", or name the measure if it is one of rankings, as in {argument(measure='AP')}"
                    raise DataError(f"{what} ({examples(lacking)}); {why}: {remedy}", path=file.path)
            missing = int(absent.any(axis=0).sum())
            if missing:
                oddities.append(Oddity(in_nouns("no results for a query, scored 0"), run, missing, "query"))
            if extra and not chosen:
                oddities.append(Oddity(f"{QUERIES} outside the evaluated ones left out", run, extra, "query"))
            by_run[run] = np.where(absent, 0.0, wanted) if missing else wanted
            dead = [str(file.measures[index] or "all") for index in np.flatnonzero(~by_run[run].any(axis=1))]
            if dead:
                oddities.append(Oddity("scores of nothing but 0", run, 0, examples(dead)))
    measures = next((file.measures for file in files), ())
    for index, (measure, direction_of) in enumerate(zip(measures, better, strict=True)):
        by_name = {run: scores[index] for run, scores in by_run.items()}
        within = {run: scores for run, scores in by_name.items() if 0 <= scores.min() <= scores.max() <= 100}
        fractions = [scores.mean() for scores in within.values() if scores.max() <= 1]
        for run, scores in within.items() if direction_of == "more" and fractions else ():
            if scores.mean() > max(1, _FAR * max(fractions)):
                what = "scores up to 100 beside runs with scores up to 1: are they percentages?"
                oddities.append(Oddity(what, run, 0, str(measure or "scores")))
    return by_run, oddities


_FAR = 10  # times the mean of runs with scores from 0 to 1, from which on other scores may be percentages
