"""What a file is, and what was found in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.scoring.coverage import Coverage

CLASH = "runs of one name in two files"  # the kind of such an error
HOLE, NOT_RUN = "a hole", "not run"  # the kinds of the errors that --topics intersection passes
Level = Literal["error", "warning", "notice", "ok"]  # the worst first


@dataclass(frozen=True)
class Finding:
    """One thing about one file. ``number`` counts it, in ``unit``.

    An error makes an evaluation impossible, a warning may change what its numbers mean, and a notice is usual in real
    files. ``kind`` is what findings in several files have in common, empty where ``what`` says no more.
    """

    level: Level
    what: str
    number: float | None = None
    unit: str = ""
    kind: str = ""


@dataclass(frozen=True)
class FileReport:
    """What a file is and what was found in it; ``n_queries`` and ``n_lines`` are None where it could not be read.

    ``keys`` are digests of its runs, equal for equal ones; None for a run that is not to be compared. Where ``is_part``
    is true, other files may have further queries of its run. ``content`` are its scores, if it has some.
    ``coverage`` says how much of the top of a run is judged, None where nothing is or there are no qrels.
    """

    path: str
    kind: str
    findings: tuple[Finding, ...]
    n_queries: int | None = None
    n_lines: int | None = None
    runs: tuple[str, ...] = ()
    keys: tuple[bytes | None, ...] = ()
    is_part: bool = False
    content: ScoreFile | None = None
    coverage: Coverage | None = None

    @property
    def scores(self) -> ScoreFile | None:
        """The scores, where they say which items their queries are, or that what is absent was not run."""
        file = self.content
        return file if file is not None and (file.items or file.may_lack_items) else None

    @property
    def has_error(self) -> bool:
        return any(finding.level == "error" for finding in self.findings)

    def with_finding(self, finding: Finding) -> FileReport:
        """The same report with one more finding."""
        return replace(self, findings=(*self.findings, finding))
