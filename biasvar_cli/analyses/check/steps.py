"""What the files of a check support: commands that run on them, and what is blocked by what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from biasvar_cli.analyses.check.reports import CLASH, HOLE, NOT_RUN
from biasvar_cli.clusters import Clusters
from biasvar_cli.errors import BiasVarError, DataError, UsageError, keep_warnings
from biasvar_cli.nulls.verdicts import LEAST_QUERIES, LEAST_RUNS
from biasvar_cli.readers.score_formats.names import is_known
from biasvar_cli.readers.sources import model_name
from biasvar_cli.readers.unpacking import size_text
from biasvar_cli.scoring import TrackRequest, evaluator, labels, scorer, track
from biasvar_cli.scoring.judge_scores import files_by_ending, judge_name
from biasvar_cli.scoring.labels import common_ending
from biasvar_cli.specs.limits import FEWEST_QUERIES
from biasvar_cli.words import argument, as_typed, counted, listed, shell_word, verb

if TYPE_CHECKING:
    from biasvar_cli.analyses.check.reports import FileReport
    from biasvar_cli.readers.qrels import Qrels
    from biasvar_cli.readers.score_formats.records import ScoreFile

_ALL = "all other commands"
_BASELINES = (  # names of the run that others are compared with; the first pattern that one run alone has
    r"(?:baseline|base|reference|control|orig|original)(?:\.\w+)*",
    r"(?:bm25|ql|qld|lm|tf-?idf)(?:\.\w+)*",
    r".*\bbaseline\b.*",
)
_REFERENCES = re.compile(  # names of judges that others are compared with
    r"(?:.*[-_.])?(?:humans?|people|truth|gold|nist|official|assessors?|experts?|manual|reference)(?:[-_.].*)?",
    re.IGNORECASE,
)
_REPLICATES = re.compile("([-_.]?(?:seed|fold|epoch|replicate|rep|trial|pass|run)[-_.]?)[0-9]+", re.IGNORECASE)
_CLUSTERS = ("(.*)_[0-9]+", "(.*)-[0-9]+", "(.*)[.][0-9]+")
_MOST_LEFT_OUT = 3  # files with an error that a command leaves out
_NOT_TYPED = ("inputs", "qrels", "measures", "jobs", "dask", "dask_timeout", "needs_runs", "auxiliary")


@dataclass(frozen=True)
class Step:
    """A ``command`` that runs, and ``why`` somebody would type it; where it is ``blocked``, ``why`` says by what."""

    command: str
    why: str
    blocked: bool = False

    @property
    def document(self) -> dict[str, str]:
        """What JSON says of it."""
        if self.blocked:
            return {"blocked": self.command, "by": self.why}
        return {"command": self.command, "why": self.why}

    def __str__(self) -> str:
        return f"Blocked: {self.command} ({self.why})." if self.blocked else f"Next: {self.command}  # {self.why}"


@dataclass(frozen=True)
class _Inputs:
    """What commands are given, what has been found in it, and the judgments: ``others`` are files shaped like them."""

    request: TrackRequest
    reports: Sequence[FileReport]
    judgments: Qrels | None

    @property
    def others(self) -> list[str]:
        known = self.request.qrels
        return [report.path for report in self.reports if report.kind == "qrels" and report.path != known]

    @property
    def errors(self) -> set[str]:
        """The kinds of the errors in the files."""
        return {finding.kind for report in self.reports for finding in report.findings if finding.level == "error"}

    def typed(self, command: str, *options: str, **changes: Any) -> str:
        """A command on these inputs, with the options that were typed and further ones."""
        judgments = {self.request.qrels, changes.get("qrels"), *self.others}
        left = [name for name in self.request.inputs if name not in judgments] or self.request.inputs
        words = [*map(shell_word, left), *_options(replace(self.request, **changes))]
        return " ".join(["biasvar", command, *words, *options])


def steps(reports: Sequence[FileReport], request: TrackRequest, judgments: Qrels | None) -> list[Step]:
    """The commands that the files support, most useful first, then what is blocked."""
    inputs = _Inputs(request, reports, judgments)
    wrong = [report.path for report in reports if report.has_error]
    if wrong:
        what = f"{counted(len(wrong), 'file')} {verb(len(wrong), 'has', 'have')} an error"
        if inputs.errors <= {HOLE, NOT_RUN}:
            without = as_typed(f"all commands without {argument(topics='intersection')}")
            return [*_of_scores(inputs), Step(without, what, blocked=True)]
        further = [*_judges_by_file(inputs), *_without(inputs, wrong), *_recursive(inputs), *_models(inputs)]
        return [*further, Step(_ALL, what, blocked=True)]
    are_runs = [report.kind == "run" for report in reports if report.runs]
    if not are_runs:
        return [Step(_ALL, "none of the files is a run or has scores", blocked=True)]
    if all(are_runs):
        return list(_of_runs(inputs))
    if any(are_runs):
        return list(_of_both(inputs))
    return [*_judges_by_ending(inputs)] or [*_of_scores(inputs)]


def _judges_by_file(inputs: _Inputs) -> Iterator[Step]:
    """The comparison of judges, where all files have scores of the same runs, which is an error elsewhere."""
    files = [report for report in inputs.reports if report.kind != "qrels"]
    by_name: dict[str, str] = {}
    for report in files:
        by_name.setdefault(judge_name(report.path), report.path)
    contents = {path: content for report in files if (content := report.content) is not None for path in [report.path]}
    if inputs.errors != {CLASH} or len(contents) < len(files) or len(by_name) < 2:
        return
    judges = {path: contents[path] for name, path in sorted(by_name.items(), key=lambda judge: _is_judge(judge[0]))}
    axes = ([set(content.runs) for content in judges.values()], [set(content.queries) for content in judges.values()])
    measures = _measures_of_judges(judges)
    if measures is None or any(len(set.intersection(*names)) < 2 for names in axes):
        return
    common = measures.pop("", None)
    typed = tuple(f"{path}:{measures[path]}" if path in measures else path for path in judges)
    by_file = replace(inputs.request, inputs=typed, recursive=False, glob=None, exclude=())
    options = ("-m", shell_word(common)) if common else ()
    command = replace(inputs, request=by_file).typed("judges", *options)
    yield Step(command, "what the scores of the same runs by other judges change")


def _measures_of_judges(judges: Mapping[str, ScoreFile]) -> dict[str, str] | None:
    """The measure to name behind the files of judges, or under "" the one to choose of all; None where none is alike.

    A known measure stands for no other known one.
    """
    names = {
        path: [name for name in content.measures if name is not None and name not in content.others]
        for path, content in judges.items()
    }
    first, *others = names
    common = [name for name in names[first] if all(name in names[path] for path in others)]
    if common:
        chosen = next(name for name in ("nDCG@10", "AP", *common) if name in common)
        return {"": chosen} if any(len(of_file) > 1 for of_file in names.values()) else {}
    if not all(names.values()):
        return {} if not any(names.values()) else None
    reference = names[first][0]
    chosen_by = {path: next((name for name in names[path] if name == reference), names[path][0]) for path in others}
    if any(name != reference and is_known(name) and is_known(reference) for name in chosen_by.values()):
        return None
    several = {first: reference} if len(names[first]) > 1 else {}
    return several | {path: name for path, name in chosen_by.items() if len(names[path]) > 1 or name != reference}


def _is_judge(name: str) -> bool:
    """Whether a judge is one of those that are compared with people, by its name."""
    return _REFERENCES.fullmatch(name) is None


def _judges_by_ending(inputs: _Inputs) -> Iterator[Step]:
    """The comparison of judges whose files are RUN.JUDGE, each of one run, and what is of the reference alone."""
    files = [report for report in inputs.reports if report.content is not None and report.kind != "qrels"]
    by_ending = files_by_ending([report.path for report in files])
    if not by_ending or any(len(report.runs) != 1 for report in files):
        return
    judges = sorted(by_ending, key=_is_judge)
    folders = {judge: {path.rpartition("/")[0] for path in by_ending[judge]} for judge in judges}
    if any(len(of) > 1 for of in folders.values()):
        return
    patterns = ["/".join(filter(None, (*folders[judge], f"*.{judge}"))) for judge in judges]
    by_file = replace(inputs.request, inputs=tuple(patterns), recursive=False, glob=None, exclude=())
    command = replace(inputs, request=by_file).typed("judges")
    yield Step(command, f"what {listed(judges[1:], None)} would change of {judges[0]}")
    if len(inputs.request.inputs) == 1 and len(set().union(*folders.values())) == 1:
        yield Step(inputs.typed("check", glob=f"*.{judges[0]}"), f"the runs under {judges[0]} alone")


def _without(inputs: _Inputs, wrong: Sequence[str]) -> Iterator[Step]:
    """The check of the files without an error, where they are few, and no judgments, and others are left."""
    left = [report for report in inputs.reports if report.runs and report.path not in wrong]
    if left and len(wrong) <= _MOST_LEFT_OUT and inputs.request.qrels not in wrong:
        names = tuple(dict.fromkeys(path.rpartition("/")[2] for path in wrong))
        if not any(re.search(r"[*?[\]]", name) for name in names):
            exclude = (*inputs.request.exclude, *names)
            yield Step(inputs.typed("check", exclude=exclude), f"without {listed(names, None)}")


def _recursive(inputs: _Inputs) -> Iterator[Step]:
    """The check of the folders of a directory that has nothing else."""
    whats = [finding.what for report in inputs.reports if report.kind == "directory" for finding in report.findings]
    if any("holds only folders" in what for what in whats):
        yield Step(inputs.typed("check", recursive=True), "goes into the folders")


def _models(inputs: _Inputs) -> Iterator[Step]:
    """The errors of query models, where all files are some and one of them is called as the true one is."""
    are_models = [any("query model" in finding.what for finding in report.findings) for report in inputs.reports]
    true = [report.path for report in inputs.reports if model_name(report.path) == "true"]
    if all(are_models) and len(true) == 1 and len(are_models) > 2:
        request = replace(TrackRequest(inputs=inputs.request.inputs), exclude=inputs.request.exclude)
        command = replace(inputs, request=request).typed("models", "--true", shell_word(true[0]))
        yield Step(command, "bias², variance and total error of query models")


def _of_both(inputs: _Inputs) -> Iterator[Step]:
    """The steps of runs beside scores: those of the runs, where the scores are theirs, or else of each part alone."""
    runs = [report for report in inputs.reports if report.kind == "run"]
    scores = [report for report in inputs.reports if report.content is not None]
    of_runs = {run.removesuffix(".res") for report in runs for run in report.runs if run.endswith(".res")}
    if inputs.judgments is not None and of_runs.issuperset(run for report in scores for run in report.runs):
        others = [report for report in inputs.reports if report.content is None]
        yield from _of_runs(replace(inputs, reports=others))
        return
    for part, others in (("runs", scores), ("scores", runs)):
        names = [report.path.rpartition("/")[2] for report in others]
        ending = common_ending(names)
        left_out = names if len(names) <= _MOST_LEFT_OUT or not ending else [f"*{ending}"]
        if len(left_out) <= _MOST_LEFT_OUT and not any(re.search(r"[?[\]]", name) for name in left_out):
            exclude = (*inputs.request.exclude, *left_out)
            yield Step(inputs.typed("check", exclude=exclude), f"the {part} alone")
    yield Step(_ALL, "some files are runs and others have scores", blocked=True)


def _of_runs(inputs: _Inputs) -> Iterator[Step]:
    qrels, others = inputs.judgments, inputs.others
    if qrels is None:
        if others:
            yield Step(
                inputs.typed("check", qrels=others[0]), f"runs need judgments, and {others[0]} is shaped like them"
            )
        yield Step(_ALL, as_typed(f"runs need relevance judgments: {argument('qrels QRELS')}"), blocked=True)
        return
    if qrels.subtopics and find_spec("pyndeval") is None:
        yield Step(_ALL, "judgments of subtopics need the package pyndeval, of the extra measures", blocked=True)
        return
    runs = [run for report in inputs.reports for run in report.runs]
    queries = evaluator.judged_queries(qrels, keep_empty=inputs.request.keep_empty_topics)
    options = ("-m", _measure_of(qrels))
    yield from _analyses(inputs, options, runs, queries)
    if len(runs) < 2:
        return
    if others:
        more = (word for path in others for word in ("-q", shell_word(path)))
        yield Step(inputs.typed("judges", *more, *options), "what the other judgments change")
    else:
        yield Step("judges", "it needs a second -q, the judgments of another judge", blocked=True)


def _measure_of(qrels: Qrels) -> str:
    """The measure that judgments allow: of subtopics, of grades, of one relevant document a topic, or of any others."""
    if qrels.subtopics:
        return "alpha_nDCG@20"
    if qrels.grades.max() > 1:
        return "nDCG@10"
    counts = qrels.relevant_counts()
    return "RR@10" if counts[counts > 0].max(initial=0) == 1 else "AP"


def _of_scores(inputs: _Inputs) -> Iterator[Step]:
    """The steps of files of scores, which are put together here as the other commands do it."""
    measures: tuple[str, ...] = ()
    contents = [report.content for report in inputs.reports if report.content is not None]
    named = [[name for name in content.measures if name not in content.others] for content in contents]
    common = [name for name in named[0] if name is not None and all(name in names for names in named)]
    if max(map(len, named)) > 1:
        if not common:
            yield Step(_ALL, "the files have no measure in common", blocked=True)
            return
        measures = (next(name for name in ("nDCG@10", "AP", *common) if name in common),)
    request = replace(inputs.request, measures=measures)
    loaded = _loaded(inputs, request)
    if not isinstance(loaded, track.Track) and inputs.request.topics is None:
        inputs = replace(inputs, request=replace(inputs.request, topics="intersection"))
        again = _loaded(inputs, replace(request, topics="intersection"))
        loaded = again if isinstance(again, track.Track) else loaded
    if not isinstance(loaded, track.Track):
        yield Step(_ALL, loaded, blocked=True)
        return
    scores = loaded.scored[0].scores
    options = ("-m", shell_word(measures[0])) if measures else ()
    yield from _analyses(inputs, options, scores.runs, scores.queries)


def _loaded(inputs: _Inputs, request: TrackRequest) -> track.Track | str:
    """The track of the files of scores, or why there is none."""
    try:
        with keep_warnings():
            listed, pool = track.input_sources(request, [request.qrels])
            by_path = {report.path: report.content for report in inputs.reports}
            contents = {
                source: content for source in (*listed, *pool) if (content := by_path.get(source.path)) is not None
            }
            return track.track_of(request, scorer.Scorer(request, inputs.judgments), contents, listed)
    except BiasVarError as error:
        return error.typed.split("\n")[0]


def _analyses(inputs: _Inputs, options: Sequence[str], runs: Sequence[str], queries: Sequence[str]) -> Iterator[Step]:
    """What the runs and queries allow, under one measure."""
    if len(runs) == 1:
        yield Step(inputs.typed("scores", *options), "the score of every query")
        yield Step(inputs.typed("decompose", *options), "bias², variance and total error of the run")
        yield Step("compare", "it takes two runs, and here is one", blocked=True)
        return
    pattern = _replicates(runs)
    if pattern and len(queries) >= FEWEST_QUERIES:
        what = "which systems differ significantly, beyond their runs"
        yield Step(inputs.typed("compare", *options, "--replicates", shell_word(pattern)), what)
    baseline = _baseline(runs)
    against = ("--baseline", shell_word(baseline)) if baseline else ()
    why = f"which runs differ significantly from {baseline}" if baseline else "which runs differ significantly"
    if len(queries) >= FEWEST_QUERIES:
        yield Step(inputs.typed("compare", *options, *against), why)
    yield Step(inputs.typed("decompose", *options), "bias², variance and total error of each run")
    cluster = _clusters(queries)
    if cluster:
        what = "tests that allow for queries of one cluster"
        yield Step(inputs.typed("compare", *options, "--clusters", shell_word(cluster)), what)
    yield Step(inputs.typed("summary", *options, *against), "the table of a paper")
    if baseline:
        yield Step(inputs.typed("risk", *options, *against), f"what each run gains and loses against {baseline}")
    if len(queries) < FEWEST_QUERIES:
        what = f"a test needs {FEWEST_QUERIES} queries, and here are {len(queries)}"
        yield Step("compare", what, blocked=True)
    if len(runs) < LEAST_RUNS or len(queries) < LEAST_QUERIES:
        here = f"here are {counted(len(runs), 'run')} and {counted(len(queries), 'query')}"
        what = f"a verdict needs {LEAST_RUNS} runs and {LEAST_QUERIES} queries, and {here}"
        yield Step("tradeoff", what, blocked=True)


def _baseline(runs: Sequence[str]) -> str | None:
    """The one run whose name says that others are compared with it."""
    for pattern in _BASELINES:
        named = [run for run in runs if re.fullmatch(pattern, run, re.IGNORECASE)]
        if len(named) == 1:
            return named[0]
    return None


def _replicates(runs: Sequence[str]) -> str | None:
    """The pattern that is left out of the names of runs, where it makes systems of several runs of them."""
    for stem in dict.fromkeys(match[1] for run in runs if (match := _REPLICATES.search(run))):
        pattern = f"{stem.replace('.', '[.]')}[0-9]+"
        with suppress(DataError, UsageError):
            systems = list(labels.systems_of(runs, pattern).values())
            if 1 < len(set(systems)) < len(systems):
                return pattern
    return None


def _clusters(queries: Sequence[str]) -> str | None:
    """The pattern of query ids, where it makes as many clusters as a test takes, of two queries or more on average."""
    for pattern in _CLUSTERS:
        if all(re.fullmatch(pattern, query) for query in queries):
            clusters: Clusters = labels.clusters_of(queries, pattern)
            if FEWEST_QUERIES <= clusters.n <= len(queries) / 2:
                return pattern
    return None


def _options(request: TrackRequest) -> Iterator[str]:
    """The options of a request that differ from the defaults, as they are typed."""
    for field in fields(request):
        value = getattr(request, field.name)
        if field.name in _NOT_TYPED or value == field.default:
            continue
        option = f"--{field.name.replace('_', '-')}"
        if value is True:
            yield option
            continue
        for part in value if isinstance(value, tuple) else (value,):
            yield from (option, shell_word(size_text(part) if field.name == "max_size" else str(part)))
    if request.qrels is not None:
        yield from ("-q", shell_word(request.qrels))
