"""What to read and how to score it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.commands.options.group import Decorator, group, together
from biasvar_cli.commands.options.shared import FILE, INPUT, jobs_option
from biasvar_cli.commands.output import Destination
from biasvar_cli.words import TOPICS

if TYPE_CHECKING:
    from biasvar_cli.scoring.scorer import Request


def request_options(*, scoring: bool = True, several: bool = True) -> Decorator:
    """INPUTS and the options that say how they are read and scored, as ``request``.

    Without ``scoring`` nothing is scored; without ``several`` there is one measure.
    """
    options = (_FILES, _measure_option(several), _SCORING) if scoring else (_FILES,)
    return group("request", partial(_request, several=several), *options)


def request_files(request: Request) -> tuple[str, ...]:
    """Every file that a request names: inputs, pool, judgments, a list of topics."""
    named = (*request.inputs, *request.pool, request.qrels, listed_topics(request))
    return tuple(each for each in named if each is not None)


def listed_topics(request: Request) -> str | None:
    """The file that lists the topics, None where ``--topics`` names no file."""
    return None if request.topics in (None, *TOPICS) else request.topics


def require_apart(output: Destination, *files: str | None, glob: str | None = None) -> None:
    """Refuse a second ``-`` among the files that a command reads, and an output that is one of them.

    ``glob`` says which files of folders are read. Raises `click.UsageError`.
    """
    if files.count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once.")
    if output.file and _is_among(output.file, files, glob):
        raise click.UsageError(f"-o {output.file} is among the inputs, which are never written over.")


def require_one(option: str, values: Sequence[object]) -> None:
    """Refuse several values of an option where one thing is looked at. Raises `click.UsageError`."""
    if len(values) > 1:
        raise click.UsageError(f"{option} is given {len(values)} times; this command looks at one.")


_FILES = together(
    click.argument("inputs", nargs=-1, required=True, type=INPUT, metavar="INPUTS..."),
    click.option(
        "-q", "--qrels", type=FILE, help="Relevance judgments. TREC runs need them; they restrict score files."
    ),
    click.option(
        "--pool",
        multiple=True,
        type=INPUT,
        help="Runs or scores that shape the target without being listed. Repeatable.",
    ),
    click.option("--glob", metavar="PATTERN", help="Which files of directories to read, such as '*.gz'."),
    click.option(
        "--name-by",
        type=click.Choice(["file", "tag"]),
        default="file",
        show_default=True,
        help="Name runs by file or by run tag.",
    ),
    click.option("--orient", type=click.Choice(["queries", "runs"]), help="What the rows of a score matrix are."),
    click.option(
        "--id-column",
        metavar="NAME|none",
        help="The column of ids of a table of scores, or none. Columns that are named like other ids or counts, or not "
        "at all, are then left out.",
    ),
    click.option(
        "--allow-range", is_flag=True, help="Read scores that their measure cannot have, such as percentages of AP."
    ),
    jobs_option("Files to read"),
)
_SCORING = together(
    click.option(
        "--topics",
        metavar="qrels|intersection|union|PATH",
        help="Queries to evaluate on: the judged topics, those that all or any of the runs have, or a file of ids. "
        "Default: qrels with -q, else union.",
    ),
    click.option("--keep-empty-topics", is_flag=True, help="Keep judged topics without a relevant document."),
    click.option(
        "--tie-precision",
        type=click.Choice(["single", "double"]),
        default="single",
        show_default=True,
        help="Compare retrieval scores as 32-bit or 64-bit floats.",
    ),
    click.option(
        "--dask",
        metavar="ADDRESS",
        help="Score the files on the Dask cluster whose scheduler is there (tcp://host:port); it must see the files.",
    ),
    click.option(
        "--max-grade",
        type=click.IntRange(min=1),
        default=4,
        show_default=True,
        help="The highest grade that ERR allows for.",
    ),
)


def _measure_option(several: bool) -> Decorator:
    repeatable = " Repeatable." if several else ""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="NAME",
        help=f"Measure, as ir-measures or trec_eval names it (nDCG@20, ndcg_cut_20).{repeatable} Default: AP, or the "
        "only measure of the score files.",
    )


def _request(*, several: bool, **typed: Any) -> Request:
    from biasvar_cli.scoring.scorer import Request

    request = Request(**typed)
    if not several:
        require_one("--measure", request.measures)
    listed = listed_topics(request)
    if listed not in (None, "-") and not Path(str(listed)).is_file():
        raise click.UsageError(f"--topics {listed}: neither qrels, intersection or union, nor a file that exists.")
    return request


def _is_among(output: str, inputs: Iterable[str | None], glob: str | None) -> bool:
    """Whether a file that would be written is one of the inputs, or is read already as one of their folders' files."""
    path, name = Path(output).resolve(), Path(output).name
    places = {Path(each).resolve() for each in inputs if each and each != "-" and "://" not in each}
    is_read = path.is_file() and not name.startswith(".") and fnmatchcase(name, glob or "*")
    return path in places or (is_read and path.parent in places)
