"""How notebooks say that inputs are read, and which arguments a function has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter, signature
from typing import Any, TypedDict

from biasvar_cli.notebook.memory import Runs
from biasvar_cli.readers.runs import NameBy
from biasvar_cli.readers.score_formats.format import Orient
from biasvar_cli.scoring.ranking import TiePrecision
from biasvar_cli.words import near_names


class Reading(TypedDict, total=False):
    """How inputs are read and scored: the options of the command line of these names, with the same defaults.

    ``pool`` are runs or scores that count for the target and are not listed, in any form that the listed ones have.
    ``jobs`` is how many files are read at once, by default as many as there are cores; ``dask`` the address of a
    scheduler, such as ``tcp://host:8786``.
    """

    pool: Runs
    topics: str
    keep_empty_topics: bool
    glob: str
    exclude: str | Sequence[str]
    recursive: bool
    name_by: NameBy
    orient: Orient
    id_column: str
    allow_range: bool
    tie_precision: TiePrecision
    max_grade: int
    max_size: int
    jobs: int
    dask: str
    dask_timeout: int


def require_arguments(function: Callable[..., Any], given: Iterable[str]) -> None:
    """Raises `TypeError` for an argument that neither a function nor the reading of inputs has.

    >>> def risk(scores, *, alpha=0, **reading): ...
    >>> require_arguments(risk, ["alpha", "topics"])
    >>> require_arguments(risk, ["aplha"])
    Traceback (most recent call last):
        ...
    TypeError: bv.risk has no argument 'aplha'; did you mean alpha?
    """
    own = [each.name for each in signature(function).parameters.values() if each.kind != Parameter.VAR_KEYWORD]
    known = [*own, *Reading.__annotations__]
    for name in given:
        if name not in known:
            near = near_names(name, known)
            remedy = f"did you mean {' or '.join(near)}?" if near else f"help(bv.{function.__name__}) lists them"
            raise TypeError(f"bv.{function.__name__} has no argument {name!r}; {remedy}")
