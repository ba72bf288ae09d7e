"""Which query models to compare with which true one, and how, as the user asked for it."""

from __future__ import annotations

from dataclasses import dataclass

from biasvar_cli.query_models.divergence import Setting
from biasvar_cli.query_models.estimation import Sum
from biasvar_cli.readers.listing import Selection


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """Which query models to compare with which true one, as the user asked for it; paths and names as typed.

    ``beside`` are settings whose order of the models is compared with that under ``settings``. ``original`` names the
    model of the original query, with which models are compared to find the queries without feedback;
    ``exclude_no_feedback`` leaves those out. ``excluded`` is a file that lists queries to be left out;
    ``other_files`` are no models, wherever they lie.
    """

    inputs: tuple[str, ...]
    true: str
    background: str | None
    settings: tuple[Setting, ...]
    beside: tuple[Setting, ...] = ()
    sum: Sum = "squared"
    original: str | None = None
    exclude_no_feedback: bool = False
    excluded: str | None = None
    other_files: tuple[str, ...] = ()
    glob: str | None = None
    exclude: tuple[str, ...] = ()
    recursive: bool = False
    max_size: int | None = None

    @property
    def selection(self) -> Selection:
        """Which files of directories are read."""
        return Selection(self.glob, self.exclude, self.recursive)
