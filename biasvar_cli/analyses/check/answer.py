"""What is wrong or odd in a run, in qrels, in a score file, without computing a measure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress

import numpy as np
import pyarrow as pa

from biasvar_cli.analyses.check.reports import CLASH, HOLE, NOT_RUN, FileReport, Finding, Level
from biasvar_cli.analyses.check.steps import Step, steps
from biasvar_cli.errors import DataError, NotInput, Oddity, reading
from biasvar_cli.readers import listing
from biasvar_cli.readers.qrels import Qrels, RunAsQrels, parse_qrels, recognised
from biasvar_cli.readers.runs import Run, parse_run
from biasvar_cli.readers.score_formats import parse_scores, unrecognised
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.score_formats.tables import ScoreOptions
from biasvar_cli.readers.sources import Source, read_bytes
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.scoring import TrackRequest, alignment, coverage, evaluator, in_flight, scorer
from biasvar_cli.scoring.coverage import Coverage
from biasvar_cli.scoring.equal_runs import group_words, groups_of_equals, key_of_run, keys_of_scores
from biasvar_cli.scoring.ranking import Judgments, rank_order
from biasvar_cli.words import argument, as_typed, counted, examples, plural

_DEAD = "scores of nothing but 0"


@dataclass(frozen=True)
class Checked:
    """What was found in files, one report a file, and the ``steps`` that they support."""

    files: Sequence[FileReport]
    steps: Sequence[Step]

    @property
    def has_error(self) -> bool:
        return any(report.has_error for report in self.files)


def answer(request: TrackRequest) -> Checked:
    """Read every file that the request names, the qrels first; one report a file, by name.

    An error in one file does not stop the others: here it is a finding. Raises `DataError` where ``--exclude`` leaves
    out every input.
    """
    reports, judgments, swap = [], None, False
    if request.qrels is not None:
        try:
            with reading(request.qrels):
                judgments = parse_qrels(read_bytes(request.qrels, max_size=request.max_size), request.qrels)
            reports.append(_qrels_report(judgments))
        except DataError as error:
            reports.append(_unread(request.qrels, "qrels", error))
            swap = isinstance(error, RunAsQrels)
    judged = Source("", request.qrels).identity if request.qrels is not None else None
    inputs = []
    for name in (*request.inputs, *request.pool):
        try:
            request.sources([name])
            inputs.append(name)
        except DataError as error:
            reports.append(_unread(name, "directory", error))
    sources = [source for source in request.sources(inputs) if source.identity != judged]
    if not sources and inputs and request.exclude:
        raise DataError(f"{argument('exclude')} leaves out every input")
    listing.warn_of_idle_patterns(inputs, request.selection)
    report = partial(_report, request=request, qrels=judgments, n_inputs=len(sources))
    reports.extend(in_flight.in_parallel(report, sources, request.jobs))
    path = next((report.path for report in reports[1:] if report.kind == "qrels"), None)
    if swap and path is not None:  # a run in place of qrels: say which file is shaped like qrels
        (finding,) = reports[0].findings
        finding = replace(finding, what=f"{finding.what}{as_typed(scorer.swapped(path))}")
        reports[0] = replace(reports[0], findings=(finding,))
    if judgments is not None:
        shares = [report.coverage for report in reports if report.coverage is not None]
        doubt = coverage.doubt(judgments, shares)
        if doubt is not None:
            reports[0] = reports[0].with_finding(Finding(doubt.level, as_typed(doubt.what)))
    reports = _with_items_not_run(_with_other_items(reports))
    files = _with_equal_runs(_with_repeated_names(_with_none_judged(reports, request.qrels)))
    return Checked(files, steps(files, request, judgments))


def check_run(run: Run, qrels: Qrels | None) -> tuple[list[Finding], Coverage | None]:
    """Oddities of a run: tags, order of topics, ranks against scores, ties; with qrels, topics and judged results.

    With qrels, too, how much of the top of the run is judged.
    """
    findings = [_reader_finding(odd) for odd in run.oddities]
    blocks = int(np.count_nonzero(np.diff(run.topic))) + 1
    if blocks > len(run.topics):
        findings.append(Finding("notice", "topics are not contiguous", blocks, "blocks"))
    findings += _rank_findings(run)
    tied = sum(len(rank_order(part.topic, part.scores, part.docs)[1]) for part, _ in run.parts())
    if evaluator.has_equal_scores(run):
        findings.append(Finding("warning", evaluator.EQUAL_SCORES, tied, "topics"))
    elif tied:
        findings.append(Finding("notice", "tied scores (as 32-bit floats)", tied, "topics"))
    if evaluator.ranks_itself(run):
        remedy = f"{as_typed(argument(ignore_identical_ids=True))} leaves them out, as BEIR does"
        findings.append(Finding("notice", f"queries among their own results ({remedy})"))
    if qrels is None:
        return findings, None
    judged, share = _judged_findings(run, qrels)
    return [*findings, *judged], share


def _check_qrels(qrels: Qrels) -> list[Finding]:
    """Oddities of qrels: repeated and negative judgments, subtopics, topics without a relevant document."""
    findings = [_reader_finding(odd) for odd in qrels.oddities]
    if qrels.subtopics:
        findings.append(Finding("warning", "column 2 holds subtopics: only measures of subtopics can use it"))
    negative = int((qrels.grades < 0).sum())
    if negative:
        findings.append(Finding("notice", f"negative grades, down to {qrels.grades.min()}", negative, "judgments"))
    empty = int((qrels.relevant_counts() == 0).sum())
    if empty:
        findings.append(Finding("warning", "topics without a relevant document", empty, "topics"))
    return findings


def _check_scores(scores: ScoreFile) -> list[Finding]:
    """Oddities of a score file: those its reader found, and queries that some of its runs or measures lack."""
    findings = [
        replace(_reader_finding(odd._replace(what=f"{odd.what} ({odd.where})")), kind=as_typed(odd.what))
        for odd in (*scores.oddities, *scores.others_but(()))
    ]
    hole = scores.first_hole(scores.measures) if len(scores.measures) < 2 else None
    if hole is not None:
        findings.append(Finding("error", _place_and_fault(scores.path, hole), kind=HOLE))
    dead = [run for run, values in zip(scores.runs, scores.values, strict=True) if not np.nan_to_num(values).any()]
    if dead and not scores.is_part:
        findings.append(Finding("warning", f"{_DEAD}: {examples(dead)}", kind=_DEAD))
    holes = int(np.isnan(scores.values).sum())
    if holes:
        findings.append(Finding("warning", "no score for a run, measure and query", holes, "scores"))
    return findings


def _qrels_report(qrels: Qrels) -> FileReport:
    return FileReport(qrels.path, "qrels", tuple(_check_qrels(qrels)), len(qrels.topics), len(qrels.grades))


def _unread(path: str, kind: str, error: DataError) -> FileReport:
    """The report of a file that cannot be read, and why."""
    return FileReport(path, kind, (Finding("error", _place_and_fault(path, error)),))


def _place_and_fault(path: str, error: DataError) -> str:
    """The error of a file without the name of the file."""
    return re.sub(r"^:(\d+)", r"line \1", error.typed.removeprefix(path)).removeprefix(": ")


def _report(source: Source, request: TrackRequest, qrels: Qrels | None, n_inputs: int) -> FileReport:
    kind = "unknown"
    path = source.path
    try:
        with reading(path):
            data = read_bytes(path, max_size=request.max_size)
            topics = () if qrels is None else qrels.topics
            format_name, data, doubt = recognised(data, path, request.orient, topics, named=path in request.inputs)
            kind = format_name or kind
            if format_name is None:
                raise NotInput(unrecognised(data), path=path)
            if kind == "qrels":
                return _qrels_report(parse_qrels(data, path))
            if kind == "run":
                run = parse_run(data, path, name=source.name, name_by=request.name_by, ranks=True).with_oddities(doubt)
                size = len(run.topics), len(run.scores)
                findings, share = check_run(run, qrels)
                return FileReport(path, kind, (*findings,), *size, (run.name,), (key_of_run(run),), coverage=share)
            options = ScoreOptions(request.orient, request.id_column, allow_range=request.allow_range)
            scores = parse_scores(data, path, kind, options, name=source.name, name_by=request.name_by)
            size = len(scores.queries), int(np.isfinite(scores.values).sum())
            keys = (None,) if scores.is_part else tuple(keys_of_scores(scores))
            return FileReport(
                path, kind, tuple(_check_scores(scores)), *size, scores.runs, keys, scores.is_part, scores
            )
    except DataError as error:
        return _unread(path, kind, listing.or_excluded(error, path, n_inputs))


def _rank_findings(run: Run) -> list[Finding]:
    """Whether the rank column is made of whole numbers and agrees with the order of the scores."""
    try:
        faults = run.rank_faults()
    except pa.ArrowInvalid:
        return [Finding("notice", "ranks not all whole numbers; ranks are not read")]
    disagreeing = Finding("warning", "ranks and scores disagree; scores are used", faults.disagreeing, "topics")
    repeated = Finding("notice", "a rank given twice; ranks are not read", faults.repeated, "topics")
    return [finding for finding in (disagreeing, repeated) if finding.number]


def _judged_findings(run: Run, qrels: Qrels) -> tuple[list[Finding], Coverage | None]:
    findings = []
    missing, unjudged = set(qrels.topics) - set(run.topics), set(run.topics) - set(qrels.topics)
    if len(missing) == len(qrels.topics):
        return [Finding("error", evaluator.no_common_topic(run.topics, qrels.path, qrels.topics))], None
    if missing:
        findings.append(Finding("warning", "judged topics without results", len(missing), "topics"))
    if unjudged:
        findings.append(Finding("warning", "topics that are not judged", len(unjudged), "topics"))
    ranking = Judgments.of(qrels, qrels.topics).judge(run)
    if not ranking.judged.any():
        kind = evaluator.none_judged(qrels.path)
        return [*findings, Finding("warning", f"{kind}: {evaluator.ids_of_both(run, ranking)}", kind=kind)], None
    if not (ranking.grade > 0).any():
        findings.append(Finding("warning", f"no relevant document in any topic: {_DEAD}"))
    share = Coverage.of(ranking)
    if share.unjudged:
        findings.append(Finding("notice", f"unjudged results in the top {coverage.TOP}", 100 * share.unjudged, "%"))
    return findings, share


def _with_other_items(reports: Sequence[FileReport]) -> list[FileReport]:
    """The reports, with an error at every file whose queries are other items than in an earlier one, as both say."""
    first: dict[str, ScoreFile] = {}
    result = []
    for report in reports:
        file = report.scores
        items = {} if file is None else file.items
        for other in {first[query].path: first[query] for query in items if query in first}.values():
            shared = [query for query in items if first.get(query) is other]
            words = alignment.other_items_words(alignment.place_of(other), other.items, "", items, shared)
            if words:
                report = report.with_finding(Finding("error", as_typed(words.removeprefix(": ")), kind="other items"))
        result.append(report)
        if file is not None:
            first = dict.fromkeys(items, file) | first
    return result


def _with_items_not_run(reports: Sequence[FileReport]) -> list[FileReport]:
    """The reports, with an error at every run that lacks items that others have where what is absent was not run."""
    scored: dict[str, set[str]] = {}
    for report in reports:
        if report.scores is not None and report.scores.may_lack_items:
            for run, values in zip(report.scores.runs, report.scores.values, strict=True):
                present = np.isfinite(values).any(axis=0).tolist()
                scored.setdefault(run, set()).update(compress(report.scores.queries, present))
    all_queries = set().union(*scored.values())
    result = []
    for report in reports:
        lacking = {run: natural_order(all_queries - scored.pop(run)) for run in report.runs if run in scored}
        for run, queries in lacking.items():
            if queries:
                what = f"{run} has no score on {counted(len(queries), 'query')} that other runs have"
                remedy = f"what was not run does not count as 0; {argument(topics='intersection')} leaves it out"
                what = as_typed(f"{what} ({examples(queries)}); {remedy}")
                report = report.with_finding(Finding("error", what, kind=NOT_RUN))
        result.append(report)
    return result


def _with_none_judged(reports: Sequence[FileReport], qrels: str | None) -> list[FileReport]:
    """The reports, with an error for a warning where not one run has a judged document: then nothing can be scored."""
    kind = evaluator.none_judged(str(qrels))
    runs = [report for report in reports if report.kind == "run" and report.runs]
    if not all(any(finding.kind == kind for finding in report.findings) for report in runs):
        return list(reports)

    def judged(finding: Finding) -> Finding:
        return replace(finding, level="error") if finding.kind == kind else finding

    return [replace(report, findings=tuple(map(judged, report.findings))) for report in reports]


def _with_repeated_names(reports: Sequence[FileReport]) -> list[FileReport]:
    """The reports, with an error at every file whose run has the name of an earlier file's."""
    owner: dict[str, str] = {}
    result = []
    for report in reports:
        known = [run for run in report.runs if run in owner and not report.is_part]
        if len(known) == 1:
            clash = Finding("error", f"the run is called {known[0]}, as that of {owner[known[0]]} is", kind=CLASH)
        elif known:
            what = f"runs are called {examples(known)}, as those of {owner[known[0]]} are"
            clash = Finding("error", what, len(known), "runs", CLASH)
        result.append(report.with_finding(clash) if known else report)
        owner.update({run: report.path for run in report.runs if run not in owner})
    return result


def _with_equal_runs(reports: Sequence[FileReport]) -> list[FileReport]:
    """The reports, with a notice at every file with runs that equal others, whatever they are called."""
    runs = [(run, key) for report in reports for run, key in zip(report.runs, report.keys, strict=True)]
    groups = groups_of_equals([run for run, _ in runs], [key for _, key in runs])
    result = []
    for report in reports:
        equals = [group for group in groups if not set(group).isdisjoint(report.runs)]
        kind = f"the same {'ranking' if report.kind == 'run' else 'scores'} as another run"
        what = f"{kind}, and all of them are counted: {group_words(equals)}"
        number = sum(run in group for group in equals for run in report.runs)
        equal = Finding("notice", what, kind=kind) if number == 1 else Finding("notice", what, number, "runs", kind)
        result.append(report.with_finding(equal) if equals else report)
    return result


def _reader_finding(odd: Oddity) -> Finding:
    level: Level = "notice" if odd.notice else "warning"
    what = as_typed(odd.what)
    if odd.number:
        return Finding(level, what, odd.number, plural(odd.unit))
    return Finding(level, f"{what}: {odd.unit}", kind=what)
