"""Whether null models are fitted beside the correlations, and how many samples are drawn of each."""

from __future__ import annotations

from dataclasses import dataclass

import click

from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import STATISTICS, option
from biasvar_cli.console.options.ranges import whole
from biasvar_cli.nulls.request import NullRequest


@dataclass(frozen=True, kw_only=True)
class NullChoice:
    """What was typed of null models: ``wanted`` is None where neither ``--null`` nor ``--no-null`` was."""

    wanted: bool | None
    n_samples: int | None

    def __post_init__(self) -> None:
        if self.wanted is False and self.n_samples is not None:
            raise click.UsageError("--null-samples is of the null models, which --no-null leaves out.")

    @property
    def asked(self) -> bool:
        """Whether null models were asked for; to say how many samples asks for them."""
        return self.wanted or (self.wanted is None and self.n_samples is not None)

    def refuse(self, where: str, instead: str) -> None:
        """Refuse null models that were asked for and have no place there. Raises `click.UsageError`."""
        if self.asked:
            raise click.UsageError(f"--null, --null-samples: {where} has no place for null models; {instead}.")

    def request(
        self, *, seed: int, jobs: int, unasked: bool = True, shuffled: bool = True, stability: bool = False
    ) -> NullRequest | None:
        """The null models to fit, None where none is wanted; ``unasked`` says what holds where nothing was typed.

        The stability of runs is made of null models. Raises `click.UsageError` where it is asked for without them.
        """
        if stability and self.wanted is False:
            raise click.UsageError("--stability is made of null models, which --no-null leaves out.")
        if self.wanted is False or not (self.asked or unasked or stability):
            return None
        return NullRequest(n_samples=self.n_samples, seed=seed, jobs=jobs, shuffled=shuffled, stability=stability)


def null_options(*, by_format: bool = True) -> Decorator:
    """Null models beside the correlations, as ``null``; ``by_format`` where the output may have no place for them."""
    default = "yes, but not in csv, tsv and parquet" if by_format else "yes"
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
