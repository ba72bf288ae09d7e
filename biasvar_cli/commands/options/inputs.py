"""What to read and how to score it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.commands.options.group import Decorator, group, together
from biasvar_cli.commands.options.shared import FILE, INPUT, is_file, jobs_option, max_size_option
from biasvar_cli.words import LARGEST_GRADE, TOPICS

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
        "--exclude",
        metavar="PATTERN",
        multiple=True,
        help="Files and folders to leave out: '*.bak'. Repeatable.",
    ),
    click.option("--recursive", is_flag=True, help="Read the folders of directories too."),
    click.option(
        "--name-by",
        type=click.Choice(["file", "path", "tag"]),
        default="file",
        show_default=True,
        help="Name runs by file, by path below the directory given, or by run tag.",
    ),
    click.option("--orient", type=click.Choice(["queries", "runs"]), help="What the rows of a score matrix are."),
    click.option(
        "--id-column",
        metavar="NAME|none",
        help="The column of ids of a table, or none; other ids and counts are left out.",
    ),
    click.option("--allow-range", is_flag=True, help="Read scores that their measure cannot have."),
    max_size_option,
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
        help="Score on this Dask cluster (tcp://host:port); it must see the files.",
    ),
    click.option(
        "--dask-timeout",
        type=click.IntRange(1, 86400),
        default=30,
        metavar="SECONDS",
        help="How long to wait for scheduler and workers. Default: 30.",
    ),
    click.option(
        "--max-grade",
        type=click.IntRange(1, LARGEST_GRADE),
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
    if listed not in (None, "-") and not is_file(str(listed)):
        raise click.UsageError(f"--topics {listed}: neither qrels, intersection or union, nor a file that exists.")
    return request
