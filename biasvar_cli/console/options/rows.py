"""Which rows of a table are shown, in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from biasvar_cli.console.options import completion
from biasvar_cli.console.options.group import Decorator, group
from biasvar_cli.console.options.heading import OUTPUT, option
from biasvar_cli.console.options.shared import top_option
from biasvar_cli.tables.column import Declared


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows as typed: ``sort`` is a column, or None for the usual order; ``top`` is how many are shown."""

    sort: str | None
    top: int | None


def row_options(tables: Mapping[str, Declared[Any]], usual: str, by: str = "run") -> Decorator:
    """Order and number of the rows, as ``rows``.

    ``usual`` says in words which order is the default for people, ``by`` which one is for scripts.
    """
    sort = option(
        OUTPUT,
        "--sort",
        metavar="COLUMN",
        shell_complete=completion.column_of(tables),
        help=f"Order of the rows; -COLUMN: largest first. Default: {usual}; in csv, tsv, parquet and json by {by}, "
        "unless --top is given.",
    )
    return group("rows", Rows, sort, top_option)
