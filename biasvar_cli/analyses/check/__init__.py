"""The columns of the tables of check: every file with what was found in it, and summaries for people."""

from typing import Any

from biasvar_cli.tables.column import Declared, attribute

TABLES: dict[str, Declared[Any]] = {
    "files": (
        attribute("file", "the path of the file", "report.path"),
        attribute("kind", "what the file is, by its content", "report.kind", priority=3),
        attribute(
            "queries", "how many queries it holds; empty where it cannot be read", "report.n_queries", priority=2
        ),
        attribute("lines", "how many results, judgments or scores it holds", "report.n_lines", priority=2),
        attribute("level", "`error`, `oddity` or `ok`; for people an oddity is a `warning` or a `notice`"),
        attribute("what", "what is wrong or odd", "finding.what"),
        attribute("number", "how often, in `unit`; empty where nothing is counted", "finding.number"),
        attribute("unit", "what is counted, or `%`", "finding.unit"),
        attribute("notice", "whether the oddity is usual in real files", hidden=True),
    ),
    "summary": (
        attribute("level", "`warning` or `notice`"),
        attribute("what", "what is odd"),
        attribute("files", "how many files have it"),
        attribute("examples", "the files that have most of it, and how much", "extents", priority=1),
    ),
}
