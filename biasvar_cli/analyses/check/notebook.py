"""``bv.check``: what is wrong or odd in files, in a notebook.

Its arguments are written out: it has no request but that of the inputs, of which it takes only what concerns files.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from biasvar_cli.analyses.check import answer, table
from biasvar_cli.errors import UsageError
from biasvar_cli.notebook.arguments import warning_there
from biasvar_cli.notebook.memory import Path, path_of, paths
from biasvar_cli.notebook.results import Result
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.settings import requested
from biasvar_cli.specs.machine import available_cores
from biasvar_cli.words import NameBy, Orient


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CheckResult(Result):
    """What is wrong or odd in files; ``has_errors`` says whether an evaluation of them would stop."""

    @property
    def has_errors(self) -> bool:
        """Whether a file has an error, which stops an evaluation."""
        return any(checked.has_error for checked in self.answers)

    @property
    def next(self) -> list[dict[str, str]]:
        """The commands that the files support, and what is blocked by what, as JSON has them."""
        return [step.document for checked in self.answers for step in checked.steps]

    @cached_property
    def verdict(self) -> str:
        """How many files have errors, warnings and notices, a line each."""
        return "\n".join(line for checked in self.answers for line in table.verdict_of(checked.files))

    def frame(self, table: str | None = None) -> pd.DataFrame:
        """A row a file and finding, errors first, then warnings, notices and files without any.

        With ``"summary"`` a row a kind of warning or notice, those that most files have first. Raises `BiasVarError`
        for another table.
        """
        return super().frame("files" if table is None else table)


@warning_there
def check(
    runs: Path | Iterable[Path],
    qrels: Path | None = None,
    *,
    files: bool = False,
    pool: Path | Iterable[Path] = (),
    glob: str | None = None,
    exclude: str | Sequence[str] = (),
    recursive: bool = False,
    name_by: NameBy = TrackRequest.name_by,
    orient: Orient | None = None,
    id_column: str | None = None,
    allow_range: bool = False,
    max_size: int | None = None,
    jobs: int | None = None,
) -> CheckResult:
    """What is wrong or odd in files of runs and of scores, and in judgments, without computing a measure.

    ``runs`` and ``pool`` are paths of files or folders, ``qrels`` is a path or ``irds:ID``. The text is a summary, with
    ``files`` every file. ``frame()`` has a row a file and finding, ``frame("summary")`` a row a kind of warning or
    notice.

    A file with an error raises nothing: ``has_errors`` tells. ``next`` has the commands that run on the files. Raises
    `BiasVarError` for what is in memory, which has no files; other functions refuse what is wrong in it.
    """
    arguments = locals()
    for name in ("runs", "qrels", "pool"):
        if isinstance(arguments[name], pd.DataFrame | Mapping):
            what = f"expected paths, found a {type(arguments[name]).__name__}"
            raise UsageError(f"{what}, which has no files to check; evaluate refuses what is wrong in it", option=name)
    request = requested(
        TrackRequest,
        arguments,
        inputs=paths(runs, "runs", "a list of them"),
        pool=paths(pool, "pool", "a list of them") if pool != () else (),
        qrels=None if qrels is None else path_of(qrels, "qrels"),
        jobs=jobs or available_cores(),
    )
    tables = ("files", "summary") if files else ("summary", "files")
    return CheckResult.from_answers("check", [answer.answer(request)], tables)
