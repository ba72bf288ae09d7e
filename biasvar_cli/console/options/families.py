"""Families of runs, from a file or by a pattern."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from biasvar_cli.console.options import completion
from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import STATISTICS, option
from biasvar_cli.console.options.shared import baseline_option, is_file

if TYPE_CHECKING:
    from biasvar_cli.readers.maps import Member


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
        """The families that the file holds; the pattern itself, which needs the runs."""
        from biasvar_cli.readers.maps import read_families

        return self.text if self.file is None else read_families(self.file)


_BASELINE = "With --families: name members with less bias² and variance than this run."


def families_options(what: str, *, baseline: bool = True) -> Decorator:
    """``--families``, and the run that their members are compared with, as ``families``."""
    families = option(
        STATISTICS,
        "--families",
        metavar="FILE|PATTERN",
        shell_complete=completion.words_or_path(),
        help=f"{what}: a csv of run,family,parameter, or a pattern of run names with family and parameter in brackets, "
        "such as '(comb|nrr)-(.*)'.",
    )
    compared = [baseline_option(_BASELINE)] if baseline else []
    return group("families", _choice, families, *compared)


def _choice(families: str | None, baseline: str | None = None) -> FamilyChoice | None:
    if baseline is not None and families is None:
        raise click.UsageError("--baseline needs --families.")
    return FamilyChoice(text=families, baseline=baseline) if families is not None else None
