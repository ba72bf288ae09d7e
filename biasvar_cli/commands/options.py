"""Options that commands share, each declared once, handed over as one value. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from biasvar_cli.commands.output import decorated
from biasvar_cli.commands.terminal import available_cores

if TYPE_CHECKING:
    from biasvar_cli.analyses.null import NullRequest
    from biasvar_cli.analyses.tradeoff import Design
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import Request
    from biasvar_cli.target_spec import TargetSpec

Command = TypeVar("Command", bound=Callable[..., Any])


class _PathOrUrl(click.Path):
    """A path that exists, ``-``, or a URL, which is looked up when it is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


_INPUT = _PathOrUrl(exists=True, allow_dash=True)
FILE = _PathOrUrl(exists=True, dir_okay=False, allow_dash=True)


def files_options(command: Command) -> Command:
    """INPUTS and the options that say which files to read and how; the command hands them to `request_of`."""
    return decorated(command, _FILES_OPTIONS)


def scoring_options(command: Command) -> Command:
    """The options that say how to score what was read; the command hands them to `request_of`."""
    return decorated(command, _SCORING_OPTIONS)


def target_options(command: Command) -> Command:
    """The options that say what runs are measured against; the command hands them to `targets_of`."""
    return decorated(command, _TARGET_OPTIONS)


def sampling_options(command: Command) -> Command:
    """The options that say how samples of queries are taken; the command hands them to `design_of`."""
    return decorated(command, (*_SAMPLING_OPTIONS, _GROUPS_OPTION))


def subset_options(command: Command) -> Command:
    """The same without groups of one's own, which are of one track's queries."""
    return decorated(command, _SAMPLING_OPTIONS)


def null_options(command: Command) -> Command:
    """The options of the reference models; the command hands them to `null_of`."""
    return decorated(command, _NULL_OPTIONS)


def names_in(options: Callable[[Any], Any]) -> frozenset[str]:
    """The parameters that one of these groups of options declares.

    >>> sorted(names_in(null_options))
    ['null', 'null_samples']
    """

    def command() -> None: ...

    return frozenset(str(parameter.name) for parameter in options(command).__click_params__)


_FILES_OPTIONS = (
    click.argument("inputs", nargs=-1, required=True, type=_INPUT, metavar="INPUTS..."),
    click.option(
        "-q", "--qrels", type=FILE, help="Relevance judgments. TREC runs need them; they restrict score files."
    ),
    click.option(
        "--pool",
        multiple=True,
        type=_INPUT,
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
    click.option("--id-column", metavar="NAME|none", help="The column of ids of a score matrix, or none."),
    click.option(
        "--jobs", type=click.IntRange(min=1), metavar="N", help="Files to read at once. Default: the cores there are."
    ),
)
_SCORING_OPTIONS = (
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="NAME",
        help="Measure, as ir-measures or trec_eval names it (nDCG@20, ndcg_cut_20). Repeatable. Default: AP, or the "
        "only measure of the score files.",
    ),
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


_TARGET_OPTIONS = (
    click.option(
        "--target",
        "targets",
        multiple=True,
        default=("best",),
        show_default=True,
        metavar="TARGET",
        help="best, best:Q (quantile), perfect, ideal, run:NAME, mean:X or file:PATH. Repeatable.",
    ),
    click.option(
        "--log",
        "log",
        type=click.Choice(["floor", "add"]),
        help="Analyse ln max(score, eps) or ln(score + eps): the bias-variance of GMAP.",
    ),
    click.option("--eps", type=click.FloatRange(min=0, min_open=True), help="The constant of --log. Default: 1e-05."),
)
_SAMPLING_OPTIONS = (
    click.option(
        "--subset-size",
        "subset_sizes",
        metavar="K[,K...]",
        help="Queries in a subset; several sizes at once. Default: 10, where there are more queries than that.",
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="Random partitions to average over; the exact expectation stands beside them.",
    ),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of what is random."),
    click.option(
        "--difficulty",
        type=click.Choice(["best", "mean"]),
        default="best",
        show_default=True,
        help="A query's difficulty: its best or its mean score over the pool.",
    ),
    click.option(
        "--remainder",
        type=click.Choice(["last", "balanced", "merge"]),
        default="last",
        show_default=True,
        help="Where the size does not divide the queries: a smaller last subset, sizes that differ by one at most, or "
        "the rest joined to the subset before.",
    ),
    click.option(
        "--subset-weights",
        type=click.Choice(["size", "equal"]),
        default="size",
        show_default=True,
        help="Weigh subsets by size, which leaves the bias as it is, or equally.",
    ),
    click.option(
        "--normalise",
        "normalisation",
        type=click.Choice(["ratio", "maxmin"]),
        default="ratio",
        show_default=True,
        help="Divide by the target; or take the least subset mean from both first (inferred, not the papers').",
    ),
    click.option(
        "--zero-target",
        type=click.Choice(["drop", "one", "error"]),
        default="drop",
        show_default=True,
        help="Where the target of a subset is 0, in the normalised form.",
    ),
)
_GROUPS_OPTION = click.option("--groups", type=FILE, help="A csv of query,group: samples of your own making.")


_NULL_OPTIONS = (
    click.option(
        "--null/--no-null",
        default=None,
        help="Reference models beside the correlations. Default: yes, but for csv and tsv.",
    ),
    click.option(
        "--null-samples",
        type=click.IntRange(min=100),
        default=500,
        show_default=True,
        help="Samples of each reference model.",
    ),
)


def null_of(
    options: dict[str, Any],
    *,
    seed: int,
    jobs: int,
    format: str = "",  # noqa: A002
    exchangeable: bool = True,
    stability: bool = False,
) -> NullRequest | None:
    """The options of `null_options`, taken out of a command's own; None where no reference is wanted.

    The formats csv and tsv have no place for one, unless a column needs it.
    """
    from biasvar_cli.analyses.null import NullRequest

    wanted, n_samples = options.pop("null"), options.pop("null_samples")
    if wanted is None:
        wanted = stability or format not in ("csv", "tsv")
    if stability and not wanted:
        raise click.UsageError("--stability is made of reference models, which --no-null leaves out.")
    if not wanted:
        return None
    return NullRequest(n_samples=n_samples, seed=seed, jobs=jobs, exchangeable=exchangeable, stability=stability)


def targets_of(options: dict[str, Any]) -> tuple[tuple[TargetSpec, ...], LogTransform | None]:
    """The options of `target_options`, taken out of a command's own: the targets as asked for, and the log.

    Raises `click.UsageError` for ``--eps`` without ``--log``.
    """
    from biasvar_cli.scores import LARGEST, LogTransform
    from biasvar_cli.target_spec import parse_target

    targets, log, eps = (options.pop(name) for name in ("targets", "log", "eps"))
    if eps is not None and not 0 < eps <= LARGEST:
        raise click.BadParameter(f"{eps:g} is not a finite number above 0.", param_hint="--eps")
    if eps is not None and log is None:
        raise click.UsageError("--eps needs --log floor or --log add.")
    return tuple(parse_target(text) for text in dict.fromkeys(targets)), LogTransform(log, eps or 1e-5) if log else None


def design_of(options: dict[str, Any]) -> Design:
    """The options of `sampling_options`, taken out of a command's own, as one value; reads the file of groups.

    Raises `click.BadParameter` for subset sizes that are none.
    """
    from dataclasses import fields

    from biasvar_cli.analyses.tradeoff import Design
    from biasvar_cli.readers.maps import read_groups

    chosen = {field.name: options.pop(field.name) for field in fields(Design) if field.name in options}
    sizes = (chosen["subset_sizes"] or "").split(",") if chosen["subset_sizes"] is not None else []
    if not all(size.strip().isdecimal() and int(size) > 0 for size in sizes):
        raise click.BadParameter(
            f"{chosen['subset_sizes']!r} is not K or K,K, such as 5,10,25.", param_hint="--subset-size"
        )
    chosen["subset_sizes"] = tuple(map(int, sizes))
    if chosen.get("groups") is not None:
        chosen["groups_path"] = chosen["groups"]
        chosen["groups"] = read_groups(chosen["groups"])
    return Design(**chosen)


def request_of(options: dict[str, Any]) -> Request:
    """The options of `files_options` and `scoring_options`, taken out of a command's own, as one value.

    Raises `click.UsageError` for a second ``-``, for a list of topics that is not there, and for an output that is one
    of the inputs.
    """
    from dataclasses import fields

    from biasvar_cli.scoring.scorer import Request

    chosen = {field.name: options.pop(field.name) for field in fields(Request) if field.name in options}
    topics = chosen.get("topics")
    listed = [topics] if topics not in (None, "qrels", "union", "intersection") else []
    typed = click.get_current_context().params  # all of them, whoever takes them out of the options
    targets = [target.removeprefix("file:") for target in typed.get("targets", ()) if target.startswith("file:")]
    others = [*listed, *targets, *(typed.get(name) for name in ("groups", "teams", "families"))]
    if [*chosen["inputs"], *chosen["pool"], chosen["qrels"], *others].count("-") > 1:
        raise click.UsageError("standard input (-) can be read only once.")
    if listed and listed != ["-"] and not Path(listed[0]).is_file():
        raise click.UsageError(f"--topics {listed[0]}: neither qrels, intersection or union, nor a file that exists.")
    named = [*chosen["inputs"], *chosen["pool"], chosen["qrels"], *others]
    if typed.get("file") and _is_among(typed["file"], named, chosen["glob"]):
        raise click.UsageError(f"-o {typed['file']} is among the inputs, which are never written over.")
    chosen["jobs"] = chosen["jobs"] or available_cores()
    return Request(**chosen)


def _is_among(output: str, inputs: Iterable[str | None], glob: str | None) -> bool:
    """Whether a file that would be written is one of the inputs, or is read already as one of their folders' files."""
    path, name = Path(output).resolve(), Path(output).name
    places = {Path(each).resolve() for each in inputs if each and each != "-" and "://" not in each}
    is_read = path.is_file() and not name.startswith(".") and fnmatchcase(name, glob or "*")
    return path in places or (is_read and path.parent in places)
