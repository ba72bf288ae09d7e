"""What reading a file gives, scores or what is wrong with it, and the errors that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from biasvar_cli.errors import BiasVarError, DataError, DataErrors, UsageError
from biasvar_cli.readers.json_trec import RunAsQrels
from biasvar_cli.readers.listing import or_excluded
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.sources import Source
from biasvar_cli.scoring.evaluator import RunScores


class NoScores(DataError):
    """What is wrong with a file that was taken for scores."""


class Fault(NamedTuple):
    """Why nothing at all can be scored."""

    error: BiasVarError


# ``qrels`` for a file shaped like them, None for a run that was read but not scored, since the qrels are wrong
Result = RunScores | ScoreFile | DataError | Fault | Literal["qrels"] | None


def shaped_like_qrels(sources: Sequence[Source], results: Sequence[Result]) -> list[str]:
    """The files that are shaped like qrels and left out."""
    return [source.path for source, result in zip(sources, results, strict=True) if result == "qrels"]


def raise_first(
    sources: Sequence[Source], results: Sequence[Result], qrels: str | None, qrels_error: DataError | None
) -> None:
    """Raise why nothing can be scored, or else the first error of each file, that of the ``qrels`` first."""
    left_out = shaped_like_qrels(sources, results)
    for result in results:
        if isinstance(result, Fault):
            if qrels is None and left_out and isinstance(result.error, UsageError):
                raise UsageError(f"{result.error}; {left_out[0]} is shaped like qrels")
            raise result.error
    found = [qrels_error, *_with_remedy(sources, results)]
    errors = [result for result in found if isinstance(result, DataError)]
    if isinstance(qrels_error, RunAsQrels) and left_out:
        errors[0] = DataError(f"{qrels_error}{swapped(left_out[0])}")
    if errors:
        raise errors[0] if len(errors) == 1 else DataErrors(errors)


def swapped(path: str) -> str:
    """What the error of a run in place of qrels goes on with, where another file is shaped like qrels."""
    return f", and {path} is shaped like qrels; is it the other way round? Then give -q {path}"


def _with_remedy(sources: Sequence[Source], results: Sequence[Result]) -> list[Result]:
    """The results; among runs, the error of a file of scores says how to leave it out: it may be something else."""
    runs = any(isinstance(result, RunScores) for result in results)
    return [
        DataError(f"{result}{or_excluded(source.path)}") if runs and isinstance(result, NoScores) else result
        for source, result in zip(sources, results, strict=True)
    ]
