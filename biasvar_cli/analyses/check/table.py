"""What is wrong or odd in files as tables: a summary for people, and every file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from biasvar_cli.analyses.check.answer import FileReport, Finding
from biasvar_cli.tables.table import Note, Table, listed
from biasvar_cli.words import counted

_EXAMPLES = 3
_WIDEST, _SHORTEST = 100, 12  # of the summary, and of the name of a file in it
_LEVELS = "Errors stop an evaluation. Warnings may change what numbers mean. Notices are usual in real files."
_EVERY_FILE = "biasvar check --files lists every file with what was found in it."

Found = tuple[FileReport, Finding]


def summary_tables(reports: Sequence[FileReport]) -> list[Table]:
    """The errors of every file in full; then a row per kind of warning and notice, with the files that have it."""
    found = list(_findings(reports))
    errors = [each for each in found if each[1].level == "error"]
    odd = [each for each in found if each[1].level in ("warning", "notice")]
    title = _title(reports)
    if not errors:
        return [_odd_table(odd, title) if odd else _kinds_table(reports, title)]
    lines = tuple(Note(f"{report.path}: {finding.what}") for report, finding in errors)
    return [Table(title, {}, notes=lines), *([_odd_table(odd, "Warnings and notices")] if odd else [])]


def warnings_of(reports: Sequence[FileReport]) -> list[str]:
    """A line for each kind of warning, with the number of files that have it."""
    found = [each for each in _findings(reports) if each[1].level == "warning"]
    return [f"{row['what']}: in {counted(row['files'], 'file')}: {row['examples']}" for row in _kinds(found)]


def _kinds_table(reports: Sequence[FileReport], title: str) -> Table:
    """What the files are, where nothing else is to be said of them."""
    kinds = Counter(report.kind for report in reports)
    return Table(title, {"kind": list(kinds), "files": list(kinds.values())})


def _odd_table(odd: Sequence[Found], title: str) -> Table:
    """A row per kind, warnings first and then what most files have.

    ``total`` adds up what is counted, unless that is a percentage; ``most`` is the number of the first example, which
    has most of it. No more examples are named than there is room for.
    """
    rows = _kinds(odd)
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    left = _WIDEST - sum(_width(name, column) for name, column in columns.items() if name not in ("names", "examples"))
    columns["examples"] = [_fitting(row["names"], left) for row in rows]
    del columns["names"]
    return Table(title, columns, notes=(Note(_LEVELS), Note(_EVERY_FILE)))


def _kinds(odd: Sequence[Found]) -> list[dict[str, Any]]:
    """Findings of one level, kind and unit as one row."""
    kinds: dict[tuple[str, str, str], list[Found]] = {}
    for report, finding in odd:
        kinds.setdefault((finding.level, finding.kind, finding.unit), []).append((report, finding))
    rows = [_summed(key, held) for key, held in kinds.items()]
    return sorted(rows, key=lambda row: (row["level"] == "notice", -row["files"]))


def _summed(key: tuple[str, str, str], held: Sequence[Found]) -> dict[str, Any]:
    """One kind of finding over all files that have it, those with the most of it first."""
    level, kind, unit = key
    worst = sorted(held, key=lambda each: (-(each[1].number or 0), each[0].path))
    numbers = [finding.number for _, finding in worst if finding.number is not None]
    return {
        "level": level,
        "what": kind,
        "files": len(held),
        "total": sum(numbers) if numbers and unit != "%" else None,
        "most": _with_unit(numbers[0], unit) if numbers else None,
        "names": [report.path.rpartition("/")[2] for report, _ in worst[:_EXAMPLES]],
        "examples": listed([report.path.rpartition("/")[2] for report, _ in worst], _EXAMPLES),
    }


def _with_unit(value: float, unit: str) -> str:
    return f"{value:.1f} %" if unit == "%" else f"{value:g} {unit}"


def _width(name: str, column: Sequence[Any]) -> int:
    """How many characters a column takes, with the blanks before the next."""
    cells = [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in column]
    return max(len(name) + 2, *map(len, cells)) + 2  # tabulate gives a head two more


def _fitting(names: Sequence[str], width: int) -> str:
    """The first names, as many as fit; of one that is too long, its start."""
    found = names[0] if len(names[0]) <= max(width, _SHORTEST) else f"{names[0][: max(width, _SHORTEST) - 3]}..."
    for name in names[1:]:
        if len(found) + 2 + len(name) > width:
            break
        found += f", {name}"
    return found


def files_table(reports: Sequence[FileReport], *, for_people: bool) -> Table:
    """One row per finding, and one for every file without any; ``document`` has all of them for JSON."""
    found = list(_findings(reports))
    columns: dict[str, list[Any]] = {
        "file": [report.path for report, _ in found],
        "kind": [report.kind for report, _ in found],
        "queries": [report.n_queries for report, _ in found],
        "lines": [report.n_lines for report, _ in found],
        "level": [finding.level if for_people else _machine_level(finding) for _, finding in found],
        **{name: [getattr(finding, name) for _, finding in found] for name in ("what", "number", "unit")},
        "notice": [finding.level == "notice" for _, finding in found],
    }
    return Table(
        title=_title(reports),
        columns=columns,
        document={"files": [_document(report) for report in reports]},
        rows_key="",
        hidden=frozenset({"notice"}),
    )


def _findings(reports: Sequence[FileReport]) -> Iterator[Found]:
    """Every finding with its file; a file without any has one that says so."""
    for report in reports:
        yield from ((report, finding) for finding in report.findings or (Finding("ok", ""),))


def _title(reports: Sequence[FileReport]) -> str:
    levels = [{finding.level for finding in report.findings} for report in reports]
    wrong = sum("error" in found for found in levels)
    odd = sum("warning" in found and "error" not in found for found in levels)
    usual = sum(found == {"notice"} for found in levels)
    files = counted(len(reports), "file")
    return f"Check of {files}: {wrong} with errors, {odd} more with warnings, {usual} with notices alone"


def _machine_level(finding: Finding) -> str:
    """Programs know oddities; whether one is a notice stands in a column of its own."""
    return "oddity" if finding.level in ("warning", "notice") else finding.level


def _document(report: FileReport) -> dict[str, Any]:
    """What JSON says of a file."""
    odd = [finding for finding in report.findings if finding.level in ("warning", "notice")]
    return {
        "path": report.path,
        "kind": report.kind,
        "runs": list(report.runs),
        "queries": report.n_queries,
        "lines": report.n_lines,
        "errors": [finding.what for finding in report.findings if finding.level == "error"],
        "oddities": [
            {"what": each.what, "number": each.number, "unit": each.unit, "notice": each.level == "notice"}
            for each in odd
        ],
    }
