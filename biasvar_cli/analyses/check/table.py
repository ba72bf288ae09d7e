"""What is wrong or odd in files as tables: a summary for people, and every file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from biasvar_cli.analyses.check.answer import FileReport, Finding
from biasvar_cli.analyses.check.columns import TABLES
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.table import Note, Table, listed
from biasvar_cli.words import counted

_EXAMPLES = 3
_WIDEST, _SHORTEST = 100, 12  # of the summary, and of the name of a file in it
_LEVELS = "Errors stop an evaluation. Warnings may change what numbers mean. Notices are usual in real files."
_EVERY_FILE = "biasvar check --files lists every file with what was found in it."
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


class FindingKind(NamedTuple):
    """One kind of finding over all files that have it.

    ``total`` adds up what is counted, unless that is a percentage. ``names`` are the files, those with the most of it
    first, and ``most`` is the number of the first one.
    """

    level: str
    what: str
    files: int
    total: float | None
    most: str | None
    names: list[str]

    @property
    def examples(self) -> str:
        return listed(self.names, _EXAMPLES)


def summary_tables(reports: Sequence[FileReport]) -> list[Table]:
    """The errors of every file in full; then a row per kind of warning and notice, with the files that have it."""
    findings = _findings(reports)
    errors = [row for row in findings if row.finding.level == "error"]
    odd = _kinds([row for row in findings if row.finding.level in _ODD])
    title = _title(reports)
    if errors:
        lines = tuple(Note(f"{report.path}: {finding.what}") for report, finding in errors)
        return [Table(title, {}, notes=lines), *([_odd_table(odd, "Warnings and notices")] if odd else [])]
    if odd:
        return [_odd_table(odd, title)]
    kinds = Counter(report.kind for report in reports)
    return [Table.of(title, filled(TABLES["kinds"], list(kinds.items())))]


def warnings_of(reports: Sequence[FileReport]) -> list[str]:
    """A line for each kind of warning, with the number of files that have it."""
    kinds = _kinds([row for row in _findings(reports) if row.finding.level == "warning"])
    return [f"{kind.what}: in {counted(kind.files, 'file')}: {kind.examples}" for kind in kinds]


def _odd_table(odd: Sequence[FindingKind], title: str) -> Table:
    """A row per kind, warnings first and then what most files have, with as many examples as there is room for."""
    cells = filled(TABLES["summary"], odd)
    left = _WIDEST - sum(_width(name, column) for name, column in cells.columns.items() if name != "examples")
    cells.columns["examples"] = [_fitting(kind.names[:_EXAMPLES], left) for kind in odd]
    return Table.of(title, cells, notes=(Note(_LEVELS), Note(_EVERY_FILE)))


def _kinds(findings: Sequence[FileFinding]) -> list[FindingKind]:
    """Findings of one level, kind and unit together."""
    groups: dict[tuple[str, str, str], list[FileFinding]] = {}
    for row in findings:
        groups.setdefault((row.finding.level, row.finding.kind, row.finding.unit), []).append(row)
    kinds = []
    for (level, what, unit), rows in groups.items():
        rows.sort(key=lambda row: (-(row.finding.number or 0), row.report.path))
        numbers = [row.finding.number for row in rows if row.finding.number is not None]
        total = sum(numbers) if numbers and unit != "%" else None
        most = (f"{numbers[0]:.1f} %" if unit == "%" else f"{numbers[0]:g} {unit}") if numbers else None
        names = [row.report.path.rpartition("/")[2] for row in rows]
        kinds.append(FindingKind(level, what, len(rows), total, most, names))
    return sorted(kinds, key=lambda kind: (kind.level == "notice", -kind.files))


def _width(name: str, column: Sequence[Any]) -> int:
    """How many characters a column takes, with the blanks before the next."""
    cells = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in column]
    return max(len(name) + 2, *map(len, cells)) + 2  # tabulate gives a head two more


def _fitting(names: Sequence[str], width: int) -> str:
    """The first names, as many as fit; of one that is too long, its start."""
    first = max(width, _SHORTEST)
    text = names[0] if len(names[0]) <= first else f"{names[0][: first - 3]}..."
    for name in names[1:]:
        if len(text) + 2 + len(name) > width:
            break
        text += f", {name}"
    return text


def files_table(reports: Sequence[FileReport], for_people: bool) -> Table:
    """One row per finding, and one for every file without any; ``document`` has all of them for JSON."""
    findings = _findings(reports)
    cells = filled(TABLES["files"], findings)
    if for_people:
        cells.columns["level"] = [row.finding.level for row in findings]
    return Table.of(_title(reports), cells, document={"files": [_document(report) for report in reports]}, rows_key="")


def _findings(reports: Sequence[FileReport]) -> list[FileFinding]:
    """Every finding with its file; a file without any has one that says so."""
    return [FileFinding(report, finding) for report in reports for finding in report.findings or (Finding("ok", ""),)]


def _title(reports: Sequence[FileReport]) -> str:
    levels = [{finding.level for finding in report.findings} for report in reports]
    wrong = sum("error" in own for own in levels)
    odd = sum("warning" in own and "error" not in own for own in levels)
    usual = sum(own == {"notice"} for own in levels)
    files = counted(len(reports), "file")
    return f"Check of {files}: {wrong} with errors, {odd} more with warnings, {usual} with notices alone"


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
