"""What is odd in files as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasvar_cli.scoring.checks import FileReport, Finding
from biasvar_cli.tables.table import Table
from biasvar_cli.words import counted


def check_table(reports: Sequence[FileReport]) -> Table:
    """One row per finding, and one for every file without any."""
    found = [(report, finding) for report in reports for finding in report.findings or (Finding("ok", ""),)]
    columns: dict[str, list[Any]] = {
        "file": [report.path for report, _ in found],
        "kind": [report.kind for report, _ in found],
        "queries": [report.n_queries for report, _ in found],
        "lines": [report.n_lines for report, _ in found],
        **{name: [getattr(finding, name) for _, finding in found] for name in ("level", "what", "number", "unit")},
    }
    n_errors = sum(report.has_error for report in reports)
    odd = sum(bool(report.findings) and not report.has_error for report in reports)
    return Table(
        title=f"Check: {counted(len(reports), 'file')}, {n_errors} with errors, {odd} more with oddities",
        columns=columns,
        document={
            "files": [
                {
                    "path": report.path,
                    "kind": report.kind,
                    "runs": list(report.runs),
                    "queries": report.n_queries,
                    "lines": report.n_lines,
                    "errors": [finding.what for finding in report.findings if finding.level == "error"],
                    "oddities": [
                        {"what": finding.what, "number": finding.number, "unit": finding.unit}
                        for finding in report.findings
                        if finding.level == "oddity"
                    ],
                }
                for report in reports
            ]
        },
        rows_key="",
    )
