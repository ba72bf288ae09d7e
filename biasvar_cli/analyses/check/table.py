"""What is wrong or odd in files as tables: a summary for people, and every file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple, get_args

from biasvar_cli.analyses.check import TABLES
from biasvar_cli.analyses.check.answer import Checked
from biasvar_cli.analyses.check.reports import FileReport, Finding, Level
from biasvar_cli.analyses.check.steps import Step
from biasvar_cli.errors import grouped
from biasvar_cli.tables import layout, rounding
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.rows import View, chosen_rows
from biasvar_cli.tables.table import Table
from biasvar_cli.words import counted, listed, verb

_EXAMPLES, _MOST_STEPS = 3, 6
_ODD = ("warning", "notice")


class FileFinding(NamedTuple):
    """A finding and the file that it was made in."""

    report: FileReport
    finding: Finding

    @property
    def level(self) -> str:
        """The level for programs, which know oddities; whether one is a notice stands in a column of its own."""
        return "oddity" if self.finding.level in _ODD else self.finding.level

    @property
    def notice(self) -> bool:
        return self.finding.level == "notice"

    @property
    def extent(self) -> str:
        """How much of the finding the file has, in brackets; empty where nothing is counted."""
        number, unit = self.finding.number, self.finding.unit
        if number is None:
            return ""
        unit = unit.removesuffix("s") if number == 1 else unit
        return f" ({number:.1f} %)" if unit == "%" else f" ({number:g} {unit})"


class _FindingKind(NamedTuple):
    """One kind of finding over all files that have it.

    ``names`` are the files, those with the most of it first, and ``extents`` says how much of it the first ones have.
    """

    level: str
    what: str
    files: int
    names: list[str]
    extents: list[str]


VIEW = View


def tables(answers: Sequence[Checked], view: View) -> list[Table]:
    """Every file with what was found in it, or a summary.

    A summary for people has the errors of every file in full; then a row per kind of warning and notice, with the files
    that have it. Raises `UsageError` for a column to sort by that is not there.
    """
    (checked,) = answers
    reports = checked.files
    if view.for_json or (view.table == "files" and not view.for_people):
        table = _files_table(reports, view)
        return [replace(table, top={"next": [step.document for step in checked.steps]})]
    if view.table == "files" and view.for_people:
        return _with_steps([_files_table(reports, view)], checked.steps)
    findings, verdict, kinds = _findings(reports), verdict_of(reports), _kinds_table(reports, view)
    if not view.for_people:
        return [kinds]
    wrong_files = [(report.path, finding.what) for report, finding in findings if finding.level == "error"]
    errors = tuple(grouped([(path, f"{path}: {what}") for path, what in wrong_files]))
    odd = any(row.finding.level in _ODD for row in findings)
    if odd and not errors:
        return _with_steps([replace(kinds, verdict=verdict)], checked.steps)
    wrong = Table(_title(reports), {}, verdict=verdict, notes=errors)
    second = [replace(kinds, title="Warnings and notices")] if odd else []
    return _with_steps([wrong, *second], checked.steps)


def warnings_of(reports: Sequence[FileReport]) -> list[str]:
    """A line for each kind of warning, with the number of files that have it."""
    kinds = _kinds([row for row in _findings(reports) if row.finding.level == "warning"])
    return [f"{kind.what}: in {counted(kind.files, 'file')}: {listed(kind.names, _EXAMPLES)}" for kind in kinds]


def _with_steps(tables: Sequence[Table], steps: Sequence[Step]) -> list[Table]:
    """The tables, with the first steps in lines below the last of them: commands, and then what is blocked."""
    *first, last = tables
    blocked = [step for step in steps if step.blocked][: _MOST_STEPS // 2]
    commands = [step for step in steps if not step.blocked][: _MOST_STEPS - len(blocked)]
    lines = map(str, (*commands, *blocked))
    return [*first, replace(last, notes=(*last.notes, *lines))]


def _kinds_table(reports: Sequence[FileReport], view: View) -> Table:
    """A row per kind, warnings first and then what most files have, with as many examples as there is room for.

    Raises `UsageError` for a column to sort by that is not there.
    """
    odd = _kinds([row for row in _findings(reports) if row.finding.level in _ODD])
    cells = filled(TABLES["summary"], odd)
    width = layout.FILE_WIDTH
    for name, column in cells.columns.items():
        if name != "examples":  # tabulate gives a head two more, and two blanks stand before the next column
            texts = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in column]
            width -= max([rounding.display_width(name) + 2, *map(rounding.display_width, texts)]) + 2
    cells.columns["examples"] = [_fitting(kind.extents, width) for kind in odd]
    cells = chosen_rows(cells, view, names="what", declared=TABLES["summary"])
    notes = ("--files lists every file with what was found in it.",)
    return Table.of(_title(reports), cells, notes=notes, name="check")


def _fitting(examples: Sequence[str], width: int) -> str:
    """The first examples, as many as fit."""
    texts = list(accumulate(examples, "{}, {}".format))
    return next((text for text in reversed(texts) if rounding.display_width(text) <= width), texts[0])


def _kinds(findings: Sequence[FileFinding]) -> list[_FindingKind]:
    """Findings of one level, kind and unit together."""
    groups: dict[tuple[str, str, str], list[FileFinding]] = {}
    for row in findings:
        kind = row.finding.kind or row.finding.what
        groups.setdefault((row.finding.level, kind, row.finding.unit), []).append(row)
    kinds = []
    for (level, what, _), rows in groups.items():
        rows.sort(key=lambda row: (-(row.finding.number or 0), row.report.path))
        names = [Path(row.report.path).name for row in rows]
        extents = [f"{name}{row.extent}" for name, row in zip(names[:_EXAMPLES], rows, strict=False)]
        kinds.append(_FindingKind(level, what, len(rows), names, extents))
    return sorted(kinds, key=lambda kind: (kind.level == "notice", -kind.files))


def _files_table(reports: Sequence[FileReport], view: View) -> Table:
    """One row per finding, and one for every file without any; ``document`` has the files of these rows for JSON.

    Where the view asks for the best rows first, errors come first, then warnings and notices. Raises `UsageError` for a
    column to sort by that is not there.
    """
    findings = _findings(reports)
    if view.best_first:
        findings.sort(key=lambda row: get_args(Level).index(row.finding.level))
    cells = filled(TABLES["files"], findings)
    if view.for_people:
        cells.columns["level"] = [row.finding.level for row in findings]
    cells = chosen_rows(cells, view, names="file", declared=TABLES["files"])
    by_path = {report.path: report for report in reports}
    paths = by_path if view.sort is None and view.top is None else dict.fromkeys(cells.columns["file"])
    document = {"files": [_document(by_path[path]) for path in paths]}
    return Table.of(_title(reports), cells, verdict=verdict_of(reports), document=document, rows_key="", name="check")


def _findings(reports: Sequence[FileReport]) -> list[FileFinding]:
    """Every finding with its file; a file without any has one that says so."""
    return [FileFinding(report, finding) for report in reports for finding in report.findings or (Finding("ok", ""),)]


def _title(reports: Sequence[FileReport]) -> str:
    kinds = Counter(report.kind for report in reports)
    return f"Check of {counted(len(reports), 'file')}: {', '.join(f'{kind} ({n})' for kind, n in kinds.items())}"


def verdict_of(reports: Sequence[FileReport]) -> tuple[str, str]:
    """How many files would stop an evaluation, and how many may change what its numbers mean."""
    levels = [{finding.level for finding in report.findings} for report in reports]
    wrong = sum("error" in kinds for kinds in levels)
    odd = sum("warning" in kinds and "error" not in kinds for kinds in levels)
    usual = sum(kinds == {"notice"} for kinds in levels)
    errors = f"{_have(wrong)} an error; errors stop an evaluation." if wrong else "No file has an error."
    warnings = f"{_have(odd)} a warning, which may change what numbers mean" if odd else "No file has a warning"
    notices = f"; {_have(usual)} only notices, which are usual in real files." if usual else "."
    return errors, f"{warnings}{notices}"


def _have(number: int) -> str:
    return f"{counted(number, 'file')} {verb(number, 'has', 'have')}"


def _document(report: FileReport) -> dict[str, Any]:
    """What JSON says of a file."""
    return {
        "path": report.path,
        "kind": report.kind,
        "runs": list(report.runs),
        "queries": report.n_queries,
        "lines": report.n_lines,
        "errors": [finding.what for finding in report.findings if finding.level == "error"],
        "oddities": [
            {"what": odd.what, "number": odd.number, "unit": odd.unit, "notice": odd.level == "notice"}
            for odd in report.findings
            if odd.level in _ODD
        ],
    }
