"""Options that several commands or groups have: single ones, the rows of a table, families of runs, query samples, and
whether null models are fitted beside the correlations.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli import words
from biasvar_cli.console import completion
from biasvar_cli.console.options import FILE, INPUT, MANIFEST, Decorator, group, option, option_of, together, whole
from biasvar_cli.console.output import Rows
from biasvar_cli.decomposition.design import Design
from biasvar_cli.errors import UsageError
from biasvar_cli.readers.unpacking import MOST, parse_size, size_text
from biasvar_cli.settings import (
    BELOW_HELP,
    FAMILIES_BRIEF,
    FAMILIES_HELP,
    GROUPS_HELP,
    INPUT_DETAILS,
    OUTPUT,
    QUERY_SAMPLES,
    STATISTICS,
    setting_of,
)
from biasvar_cli.specs import NullRequest, available_cores, is_file, named_run
from biasvar_cli.tables.column import Declared
from biasvar_cli.tables.render import FOR_PROGRAMS, ROWS_ALONE
from biasvar_cli.words import COEFFICIENTS, FORMS, listed

if TYPE_CHECKING:
    from biasvar_cli.readers.maps import Member


class _Inputs(click.Argument):
    """Files and folders. The shells of Windows leave patterns such as ``runs\\*.gz`` to the program."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        if words.ON_WINDOWS:
            from glob import glob

            is_pattern = re.compile(r"(?!.*://).*[*?]").match
            files = [sorted(glob(name)) if is_pattern(name) else [] for name in value or ()]  # noqa: PTH207
            value = [path for name, paths in zip(value or (), files, strict=True) for path in paths or [name]]
        return super().type_cast_value(ctx, value)


def _size(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    try:
        return None if value is None else parse_size(value)
    except UsageError as error:
        raise click.BadParameter(error.typed) from None


COUNT = whole("count")

inputs_argument = click.argument("inputs", cls=_Inputs, nargs=-1, required=True, type=INPUT, metavar="INPUTS...")
manifest_argument = click.argument("manifest", type=MANIFEST, metavar="MANIFEST.toml")
selection_options = together(
    option(INPUT_DETAILS, "--glob", metavar="PATTERN", help="Which files of a directory to read, such as '*.gz'."),
    option(
        INPUT_DETAILS,
        "--exclude",
        metavar="PATTERN",
        multiple=True,
        help="Files and folders to leave out, such as '*.bak', or folders alone, such as 2011/. Repeatable.",
    ),
    option(INPUT_DETAILS, "--recursive", is_flag=True, help="Read the folders of directories too."),
)
top_option = option(
    OUTPUT,
    "--top",
    type=COUNT,
    metavar="N",
    brief="Show the first N rows only.",
    help="Show the first N rows only, the same ones in every format; every number is still of all runs.",
)
drawn_option = option(
    OUTPUT,
    "--top",
    type=COUNT,
    metavar="N",
    brief="Show the first N runs.",
    help="Show the first N runs and those highlighted; numbers are of all runs.",
)
max_size_option = option(
    INPUT_DETAILS,
    "--max-size",
    metavar="SIZE",
    callback=_size,
    help=f"The largest file that is read, unpacked. Default: {size_text(MOST)}.",
)
groups_option = option(QUERY_SAMPLES, "--groups", type=FILE, help=GROUPS_HELP)
form_option = option(
    STATISTICS,
    "--form",
    type=click.Choice(FORMS),
    default="score",
    show_default=True,
    help="Variance of the scores, or of the gaps (target - score).",
)


def jobs_option(what: str) -> Decorator:
    """``--jobs``: how many of something at once, by default as many as there are cores."""
    return option(
        INPUT_DETAILS,
        "--jobs",
        type=whole("jobs"),
        metavar="N",
        callback=lambda _, __, value: value or available_cores(),
        help=f"{what} at once. Default: one for each core.",
    )


def baseline_option(what: str, brief: str | None = None) -> Decorator:
    """``--baseline RUN``, the run that others are compared with; ``run:RUN`` means the same."""
    return option(
        STATISTICS,
        "--baseline",
        metavar="RUN",
        shell_complete=completion.run_name,
        callback=lambda _, __, value: None if value is None else named_run(value),
        brief=brief,
        help=what,
    )


def correlation_option(*, several: bool, of: str = "") -> Decorator:
    """``--correlation``: the coefficient to show, or, with ``several``, the coefficients."""
    return option(
        STATISTICS,
        "--correlation",
        type=click.Choice(COEFFICIENTS),
        multiple=several,
        default=("pearson",) if several else "pearson",
        show_default=True,
        help=of or "The coefficient to show.",
    )


def row_options(tables: Mapping[str, Declared[Any]], usual: str, by: str = "run") -> Decorator:
    """Order and number of the rows, as ``rows``.

    ``usual`` says in words which order is the default for people, ``by`` which one is for scripts; empty: the same one.
    """
    for_scripts = f"; in {listed(FOR_PROGRAMS, None)} by {by}, unless --top is given" if by else ""
    sort = option(
        OUTPUT,
        "--sort",
        metavar="COLUMN",
        shell_complete=completion.column_of(tables),
        brief="Order of the rows; -COLUMN: largest first.",
        help=f"Order of the rows; -COLUMN: largest first. Default: {usual}{for_scripts}.",
    )
    return group("rows", Rows, sort, top_option)


@dataclass(frozen=True, kw_only=True)
class FamilyChoice:
    """Families as typed: a file or a pattern, and the run that their members are compared with."""

    text: str
    baseline: str | None = None

    @property
    def file(self) -> str | None:
        """The file that says which families there are; None for a pattern."""
        return self.text if is_file(self.text) else None

    def read(self) -> Mapping[str, Member] | str:
        """The families that the file lists; the pattern itself, which needs the runs."""
        from biasvar_cli.readers.maps import families_named

        return families_named(self.text)


def families_options(what: str, *, baseline: bool = True) -> Decorator:
    """``--families``, and the run that their members are compared with, as ``families``."""
    families = option(
        STATISTICS,
        "--families",
        metavar="FILE|PATTERN",
        shell_complete=completion.words_or_path(),
        brief=FAMILIES_BRIEF,
        help=f"{what}: {FAMILIES_HELP}",
    )
    compared = [baseline_option(BELOW_HELP)] if baseline else []

    def choice(families: str | None, baseline: str | None = None) -> FamilyChoice | None:
        if baseline is not None and families is None:
            raise click.UsageError("--baseline needs --families")
        return FamilyChoice(text=families, baseline=baseline) if families is not None else None

    return group("families", choice, families, *compared)


@dataclass(frozen=True, kw_only=True)
class NullChoice:
    """What was typed of null models: ``wanted`` is None where neither ``--null`` nor ``--no-null`` was."""

    wanted: bool | None
    n_samples: int | None

    def __post_init__(self) -> None:
        if self.wanted is False and self.n_samples is not None:
            raise click.UsageError("--null-samples is of the null models, which --no-null leaves out")

    @property
    def is_wanted(self) -> bool:
        """Whether null models were asked for; to say how many samples asks for them."""
        return self.wanted or (self.wanted is None and self.n_samples is not None)

    def refuse(self, where: str, instead: str) -> None:
        """Refuse null models that were asked for and have no place there. Raises `click.UsageError`."""
        if self.is_wanted:
            raise click.UsageError(f"--null, --null-samples: {where} has no place for null models; {instead}")

    def request(
        self, *, seed: int, jobs: int, unasked: bool = True, shuffled: bool = True, stability: bool = False
    ) -> NullRequest | None:
        """The null models to fit, None where none is wanted; ``unasked`` says what holds where nothing was typed.

        The stability of runs is made of null models. Raises `click.UsageError` where it is asked for without them.
        """
        if stability and self.wanted is False:
            raise click.UsageError("--stability is made of null models, which --no-null leaves out")
        if self.wanted is False or not (self.is_wanted or unasked or stability):
            return None
        return NullRequest(null_samples=self.n_samples, seed=seed, jobs=jobs, shuffled=shuffled, stability=stability)


def null_options(*, by_format: bool = True) -> Decorator:
    """Null models beside the correlations, as ``null``; ``by_format`` where the output may have no place for them."""
    default = f"yes, but not in {listed(ROWS_ALONE, None)}" if by_format else "yes"
    return group(
        "null",
        lambda null, null_samples: NullChoice(wanted=null, n_samples=null_samples),
        option(
            STATISTICS,
            "--null/--no-null",
            default=None,
            help=f"Compare the correlations with null models. Default: {default}.",
        ),
        option(
            STATISTICS,
            "--null-samples",
            type=whole("null_samples"),
            metavar="N",
            help="Samples of each null model. Default: 300, or 2000 for a close verdict; fewer of a large track.",
        ),
    )


def sampling_options(*, several: bool = True) -> Decorator:
    """How query samples are taken, as ``design``; without ``several`` there is one size of subsets."""
    names = [field.name for field in fields(Design) if setting_of(field) is not None]
    single = {"type": COUNT, "metavar": "K", "callback": lambda _, __, size: () if size is None else (size,)}
    size = {"multiple": False, **({"type": str, "callback": subset_sizes} if several else single)}
    attributes: dict[str, dict[str, Any]] = {"subset_size": size}
    options = (option_of(Design, name, of_command=several, **attributes.get(name, {})) for name in names)
    return group("design", Design, *options)


def subset_sizes(context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, ...]:
    sizes = [] if text is None else text.split(",")
    if not all(size.strip().isdecimal() for size in sizes):
        raise click.BadParameter(f"{text!r} is not K or K,K, such as 5,10,25")
    return tuple(int(COUNT(size, option, context)) for size in sizes)
