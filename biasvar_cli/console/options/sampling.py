"""How samples of queries are taken, and whether null models are fitted beside the correlations."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import click

from biasvar_cli.console.options.heading import Decorator, group, option, option_of, whole
from biasvar_cli.console.options.shared import COUNT
from biasvar_cli.decomposition.design import Design
from biasvar_cli.settings import STATISTICS, setting_of
from biasvar_cli.specs import NullRequest
from biasvar_cli.tables.render import ROWS_ALONE
from biasvar_cli.words import enumerated


@dataclass(frozen=True, kw_only=True)
class NullChoice:
    """What was typed of null models: ``wanted`` is None where neither ``--null`` nor ``--no-null`` was."""

    wanted: bool | None
    n_samples: int | None

    def __post_init__(self) -> None:
        if self.wanted is False and self.n_samples is not None:
            raise click.UsageError("--null-samples is of the null models, which --no-null leaves out")

    @property
    def asked(self) -> bool:
        """Whether null models were asked for; to say how many samples asks for them."""
        return self.wanted or (self.wanted is None and self.n_samples is not None)

    def refuse(self, where: str, instead: str) -> None:
        """Refuse null models that were asked for and have no place there. Raises `click.UsageError`."""
        if self.asked:
            raise click.UsageError(f"--null, --null-samples: {where} has no place for null models; {instead}")

    def request(
        self, *, seed: int, jobs: int, unasked: bool = True, shuffled: bool = True, stability: bool = False
    ) -> NullRequest | None:
        """The null models to fit, None where none is wanted; ``unasked`` says what holds where nothing was typed.

        The stability of runs is made of null models. Raises `click.UsageError` where it is asked for without them.
        """
        if stability and self.wanted is False:
            raise click.UsageError("--stability is made of null models, which --no-null leaves out")
        if self.wanted is False or not (self.asked or unasked or stability):
            return None
        return NullRequest(null_samples=self.n_samples, seed=seed, jobs=jobs, shuffled=shuffled, stability=stability)


def null_options(*, by_format: bool = True) -> Decorator:
    """Null models beside the correlations, as ``null``; ``by_format`` where the output may have no place for them."""
    default = f"yes, but not in {enumerated(ROWS_ALONE, 'and')}" if by_format else "yes"
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
