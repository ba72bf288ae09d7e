"""The function of an analysis in a notebook, made of the settings of its request; stubs have its types for editors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, fields
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, Signature
from typing import Any, Unpack, get_args, get_origin, get_type_hints

from biasvar_cli.notebook.arguments import Reading, requested, warning_there
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.results import Result, Shown
from biasvar_cli.notebook.scores import ScoresLike, scores_from
from biasvar_cli.settings import setting_of
from biasvar_cli.tables.table import Table


def notebook_function(
    analysis: str,
    request: type,
    words: str,
    *,
    first: str = "target",
    result: type[Result] = Result,
    without: tuple[str, ...] = (),
    first_table: Callable[[Any], str] | None = None,
) -> Callable[..., Any]:
    """The function of an analysis: the scores, the settings of its request, and how inputs are read.

    ``first`` is the setting behind the scores, ``without`` are settings that only figures have, and ``words`` are the
    docstring. ``first_table`` names the table of a request that a result shows first, by default the first one.
    """
    signature = signature_of(request, first, without, result)
    defaults = {name: parameter.default for name, parameter in signature.parameters.items() if name != "reading"}

    def function(**arguments: Any) -> Result:
        reading: Any = {name: value for name, value in arguments.items() if name not in defaults}
        values = defaults | arguments
        loaded = scores_from(values["scores"], values["measure"], values["qrels"], reading)
        jobs = {"jobs": loaded.jobs} if hasattr(request, "jobs") else {}
        made = requested(request, values, **jobs)
        answers, columns, figures = (_room(analysis, name) for name in ("answer", "columns", "figures"))
        names = tuple(columns.TABLES)
        if first_table is not None:
            start = first_table(made)
            names = tuple(sorted(names, key=lambda name: name != start))
        return result.made(
            analysis,
            answers.answer(loaded.track, made),
            names,
            partial(_tables, analysis),
            scores=loaded,
            figures=getattr(figures, "FIGURES", {}),
        )

    function.__name__ = function.__qualname__ = analysis
    function.__module__, function.__doc__ = f"biasvar_cli.analyses.{analysis}.notebook", words
    function.__annotations__ = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    function.__signature__ = signature  # type: ignore[attr-defined]
    return warning_there(function)


def signature_of(request: type, first: str, without: tuple[str, ...], result: type[Result]) -> Signature:
    """The scores, the setting behind them, target, measure and judgments, other settings, and how inputs are read."""
    hints = get_type_hints(request)
    settings = {
        field.name: Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=_default(field), annotation=_hint(field, hints)
        )
        for field in fields(request)
        if setting_of(field) is not None and field.name not in without
    }
    second = settings.pop(first).replace(kind=Parameter.POSITIONAL_OR_KEYWORD)
    scores = Parameter("scores", Parameter.POSITIONAL_OR_KEYWORD, annotation=ScoresLike)
    measure = Parameter("measure", Parameter.KEYWORD_ONLY, default=None, annotation=object | None)
    qrels = Parameter("qrels", Parameter.KEYWORD_ONLY, default=None, annotation=Judgments | None)
    reading = Parameter("reading", Parameter.VAR_KEYWORD, annotation=Unpack[Reading])
    target = [settings.pop("target")] if "target" in settings else []
    parameters = [scores, second, *target, measure, qrels, *settings.values(), reading]
    return Signature(parameters, return_annotation=result)


def _hint(field: Field[Any], hints: Mapping[str, Any]) -> Any:
    """The type of an argument: of several values, or one of them alone."""
    hint = hints[field.name]
    if get_origin(hint) is not tuple or get_args(hint)[-1] is not Ellipsis:
        return hint
    one: Any = get_args(hint)[0]
    setting = setting_of(field)
    if setting is not None and setting.single:
        return one
    return one | Sequence[one] | None if _default(field) is None else one | Sequence[one]


def _default(field: Field[Any]) -> Any:
    """The default of an argument: of a single value that value, and None for none."""
    default = field.default
    if not isinstance(default, tuple):
        return default
    return default[0] if len(default) == 1 else default or None


def _room(analysis: str, name: str) -> Any:
    """A module of an analysis; None for the figures of one that has none."""
    path = f"biasvar_cli.analyses.{analysis}.{name}"
    return None if name == "figures" and find_spec(path) is None else import_module(path)


def _tables(analysis: str, answers: Sequence[Any], shown: Shown) -> list[Table]:
    room = _room(analysis, "table")
    tables: list[Table] = room.tables(answers, shown.view(room.VIEW, table=shown.table))
    return tables
