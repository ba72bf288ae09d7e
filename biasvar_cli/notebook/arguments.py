"""What a notebook gives as an argument, checked by the type that the function declares and by the shared limits.

A ``Literal`` has the choices, ``bool`` is a switch, ``int`` and ``float`` are numbers within `specs.limits.LIMITS`,
``str`` is text, and a ``Sequence`` of these is several; a single one need not be in a list. What a function declares as
anything else (runs, scores, judgments, a measure) is checked where it is read.
"""

import re
import textwrap
import types
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from functools import lru_cache, wraps
from inspect import Parameter, Signature, cleandoc, signature
from numbers import Integral, Real
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from biasvar_cli.errors import DataWarning, UsageError, keep_warnings
from biasvar_cli.notebook import frames, memory
from biasvar_cli.readers.settings import InputSettings
from biasvar_cli.settings import FAMILIES_HELP, requested, setting_of, settings_of
from biasvar_cli.specs.limits import LIMITS
from biasvar_cli.specs.requests import NullRequest, Systems
from biasvar_cli.words import NameBy, Nouns, Orient, TiePrecision, listed, near_names, worded

_KINDS = (str, bool, int, float)
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class JudgedReading(TypedDict, total=False):
    """How inputs are read and scored, whoever judges: the options of the command line of these names."""

    pool: memory.Runs
    topics: str
    keep_empty_topics: bool
    glob: str
    exclude: str | Sequence[str]
    recursive: bool
    name_by: NameBy
    orient: Orient
    id_column: str
    allow_range: bool
    allow_unjudged: bool
    ignore_identical_ids: bool
    lower_is_better: bool
    tie_precision: TiePrecision
    max_grade: int
    max_size: int
    jobs: int
    dask: str
    dask_timeout: int
    unit: str
    highlight: str | Sequence[str]
    names: Mapping[str, str] | str | Sequence[str]


class RunReading(JudgedReading, total=False):
    """How inputs are read and scored: the options of the command line of these names, with the same defaults."""

    replicates: Systems


class Reading(RunReading, total=False):
    """How inputs are read, and the names of the ``runs`` and the ``queries`` of an array, which has a row a query."""

    runs: Sequence[str | int]
    queries: Sequence[str | int]


def meanings_of(request: object) -> dict[str, str]:
    """What the settings of a request mean, as the help of the command line has it, options by their names in Python.

    Anything but a request has none.
    """
    meanings = {}
    for _, declared in settings_of(request) if isinstance(request, type) and is_dataclass(request) else ():
        setting = setting_of(declared)
        if setting is not None:
            text = setting.words(of_command=True).replace("Repeatable.", "One or several.")
            text = re.sub("-[q],", "judgments,", text)
            meanings[declared.name] = re.sub("-{2}([a-z-]+)", lambda option: option[1].replace("-", "_"), text)
    return meanings


MEANINGS = meanings_of(InputSettings) | {  # and of arguments that no request declares, or that are others in Python
    "scores": "What `evaluate` gives; paths of scores, or with qrels of runs; a DataFrame with a row a query and a "
    "column a run, or with a row a score (name qid measure value); a dict or an array.",
    "measure": 'One of the measures of the scores, or several: `["map", "P_10"]`. Default: all that `evaluate` was '
    "asked for; a DataFrame, dict or file of several needs it.",
    "qrels": "Relevance judgments of runs: a path, irds:ID, a DataFrame or a dict.",
    "null": "Simulate null models, in which runs differ only in their means.",
    "null_samples": "How many samples of each null model. Default: enough for the verdict.",
    "reading": "How inputs are read and scored, as in `evaluate`.",
    "pool": "Runs or scores that count for the target and are not listed, in any form that the listed ones have.",
    "max_size": "The most bytes that a file may hold once it is unpacked. Default: 2 GiB.",
    "jobs": "How many files or tracks are worked on at once. Default: one per core.",
    "families": f"Families of runs, or of models: {FAMILIES_HELP}",
    "names": "What people are shown in place of the names of runs: a dict, or a csv of old,new.",
    "replicates": "Which runs are of one system (seeds, folds), whose rows are means over them: a pattern, of which a "
    "group is the name of the system, or which is left out of the name; a csv of run,system; or a dict.",
}


def explain(function: Callable[..., Any], meanings: Mapping[str, str], names: Iterable[str]) -> None:
    """Add what arguments mean to the end of a function's docstring.

    >>> def risk(alpha=1):
    ...     '''Risk of runs.'''
    >>> explain(risk, {"alpha": "Weight of a loss."}, ["alpha"])
    >>> print(risk.__doc__)
    Risk of runs.
    <BLANKLINE>
    Arguments:
        alpha: Weight of a loss.
    """
    lines = [
        textwrap.fill(f"{name}: {meanings[name]}", 110, initial_indent=" " * 4, subsequent_indent=" " * 8)
        for name in names
        if name in meanings
    ]
    function.__doc__ = "\n".join([cleandoc(function.__doc__ or ""), "", "Arguments:", *lines])


def warning_there(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The same function, each of whose warnings is issued once, as a `DataWarning` of the line that calls it.

    Its arguments are checked first (`checked`). What is usual in real tracks, such as tied scores, is
    no warning (`errors.notice`). The nouns of its sentences are those of the scores, which it sets with
    `words.use_nouns`.
    """

    @wraps(function)
    def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        arguments = checked(function, args, kwargs)
        with worded(Nouns()), keep_warnings() as messages:
            try:
                result = function(**arguments)  # type: ignore[call-arg]
            finally:
                for message in dict.fromkeys(messages.warnings):
                    warnings.warn(DataWarning(message), stacklevel=2)
        return result.with_messages(messages) if hasattr(result, "with_messages") else result

    return call


def of_settings(request: type, without: Collection[str] = ()) -> dict[str, Parameter]:
    """A keyword-only argument for each setting of a request, by name, but for those ``without``.

    A field of several values, ``tuple[T, ...]``, is an argument ``T | Sequence[T]``, whose default is that of the field
    or its only value, with ``| None`` if it may be empty; or ``T`` if its setting is ``single``.
    """
    parameters = {}
    for owner, declared in settings_of(request):
        name, default, setting = declared.name, declared.default, setting_of(declared)
        assert setting is not None, "settings have one"
        hint: Any = frames.ClustersLike | None if name == "clusters" else get_type_hints(owner)[name]
        if isinstance(default, tuple) and not setting.may_be_empty:
            default = default[0] if len(default) == 1 else default or None
        if get_origin(hint) is tuple and get_args(hint)[-1] is Ellipsis:
            value_type: Any = get_args(hint)[0]
            hint = value_type if setting.single else value_type | Sequence[value_type]
            hint = hint | None if default is None else hint
        if name not in without:
            parameters[name] = keyword(name, default, hint)
    return parameters


def keyword(name: str, default: Any, annotation: Any) -> Parameter:
    """An argument that is given by its name."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def with_settings(
    *requests: type, without: Collection[str] = ()
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """The same function with an argument for each setting of some requests, in place of its argument ``settings``.

    ``settings`` has the values of all arguments by name. An argument that the function has itself stays as it is.

    >>> from biasvar_cli.specs.requests import TargetedRequest
    >>> @with_settings(TargetedRequest, without=["log", "eps"])
    ... def best(scores: str, *, settings: Mapping[str, Any]) -> str:
    ...     return f"{scores} against {settings['target']}"
    >>> list(signature(best).parameters), best(scores="runs", target="mean")
    (['scores', 'target'], 'runs against mean')
    """

    def decorate(function: Callable[..., Result]) -> Callable[..., Result]:
        hints, written = get_type_hints(function), signature(function)
        made: dict[str, Parameter] = {}
        for request in requests:
            made |= of_settings(request, {*written.parameters, *without})
        parameters: list[Parameter] = []
        for name, parameter in written.parameters.items():
            parameters += made.values() if name == "settings" else [parameter.replace(annotation=hints[name])]
        defaults = {one.name: one.default for one in parameters if one.kind != Parameter.VAR_KEYWORD}

        def call(**typed: Any) -> Result:
            others = {name: value for name, value in typed.items() if name not in made}
            return function(**others, settings=defaults | typed)

        call.__name__ = call.__qualname__ = function.__name__
        call.__module__, call.__doc__ = function.__module__, function.__doc__
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        call.__signature__ = Signature(parameters, return_annotation=hints["return"])  # type: ignore[attr-defined]
        return call

    return decorate


def null_request(
    arguments: Mapping[str, Any], jobs: int, *, shuffled: bool = True, stability: bool = False
) -> NullRequest | None:
    """The null models that arguments ask for: ``null``, ``null_samples`` and ``seed``; None where none is wanted.

    Raises `UsageError` if something else that is asked for is computed from null models.

    >>> null_request({"null": False, "null_samples": 500, "seed": 0}, jobs=1)
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: null_samples: is an argument of the null models, which null=False leaves out
    """
    if arguments["null"]:
        return requested(NullRequest, arguments, jobs=jobs, shuffled=shuffled, stability=stability)
    if stability:
        raise UsageError("is computed from null models, which null=False leaves out", option="stability")
    if arguments["null_samples"] is not None:
        raise UsageError("is an argument of the null models, which null=False leaves out", option="null_samples")
    return None


def checked(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name, as the function means them: a choice in its own spelling, plain numbers.

    What says how inputs are read and is None counts as not given. Raises `TypeError` for an argument that the function
    does not have, `UsageError` for a value that it cannot take.

    >>> def compare(scores: object, *, test: Sequence[Literal["t", "sign"]] = (), level: float = 0.95) -> None: ...
    >>> checked(compare, ["ap.csv"], {"test": "Sign"})
    {'scores': 'ap.csv', 'test': ('sign',)}
    >>> checked(compare, ["ap.csv"], {"level": 95})
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: level: expected a level between 0 and 1, found 95
    >>> checked(compare, ["ap.csv"], {"tset": "sign"})
    Traceback (most recent call last):
    TypeError: bv.compare has no argument 'tset'; did you mean test?
    """
    parameters = [
        name for name, parameter in signature(function).parameters.items() if parameter.kind != Parameter.VAR_KEYWORD
    ]
    hints = _hints(function)
    read = _hints(get_args(hints["reading"])[0]) if "reading" in hints else {}
    known = [*parameters, *read]
    for name in kwargs:
        if name not in known:
            if name in _OF_ROWS and function.__name__ != "evaluate":
                what = f"{name} is of a table: bv.{function.__name__}(...).to_text({name}=...), to_markdown or to_latex"
                raise TypeError(f"bv.{function.__name__} has no argument {name!r}; {what}")
            near = near_names(name, known)
            remedy = f"did you mean {' or '.join(near)}?" if near else f"help(bv.{function.__name__}) lists them"
            raise TypeError(f"bv.{function.__name__} has no argument {name!r}; {remedy}")
    try:
        arguments = signature(function).bind(*args, **kwargs).arguments
    except TypeError as error:
        raise TypeError(f"bv.{function.__name__}: {error}") from None
    reading = arguments.pop("reading", {})
    values = {name: read_argument(name, value, hints[name]) for name, value in arguments.items()}
    for name, value in values.items():
        if isinstance(value, tuple) and not value and signature(function).parameters[name].default:
            raise UsageError(f"{name}: expected at least one, found none")
    if "clusters" in values:
        values["clusters"] = frames.clusters_named(values["clusters"])
    return values | {
        name: read_argument(name, value, read[name]) for name, value in reading.items() if value is not None
    }


def read_argument(name: str, value: Any, hint: Any) -> Any:
    """The value of an argument of this type. Raises `UsageError` for another, see `checked`."""
    kinds = list(_alternatives(hint))
    if not all(_is_checked(kind) for kind in kinds):
        return value
    if value is None and types.NoneType in kinds:
        return None
    sequence = next((kind for kind in kinds if get_origin(kind) is Sequence), None)
    if sequence is not None:
        (kind,) = get_args(sequence)
        return tuple(_single(name, part, kind, several=True) for part in _several(value))
    (kind,) = (kind for kind in kinds if kind is not types.NoneType)
    if get_origin(kind) is tuple:
        parts = _several(value)
        if len(parts) != len(get_args(kind)):
            raise UsageError(f"{name}: expected {len(get_args(kind))} numbers, found {frames.quoted_value(value)}")
        return tuple(
            _single(name, part, kind_of_part, several=True)
            for part, kind_of_part in zip(parts, get_args(kind), strict=True)
        )
    return _single(name, value, kind)


_OF_ROWS = ("top", "sort", "columns", "digits", "notes")  # what the commands take and the tables of results too
_hints = lru_cache(maxsize=64)(get_type_hints)


def _alternatives(hint: Any) -> Iterator[Any]:
    """The types that a type stands for: the members of a union."""
    if get_origin(hint) in (Union, types.UnionType):
        for kind in get_args(hint):
            yield from _alternatives(kind)
    else:
        yield hint


def _is_checked(kind: Any) -> bool:
    if get_origin(kind) in (Sequence, tuple):
        return all(map(_is_checked, get_args(kind)))
    return kind in _KINDS or kind is types.NoneType or get_origin(kind) is Literal


def _several(value: Any) -> list[Any]:
    """The values of what may be one alone; text is one, and so is an array without axes."""
    if isinstance(value, str | bytes | Mapping):
        return [value]
    try:
        return list(value)
    except TypeError:
        return [value]


def _single(name: str, value: Any, kind: Any, *, several: bool = False) -> Any:
    if get_origin(kind) is Literal:
        for choice in get_args(kind):
            if isinstance(value, str) and value.strip().lower() == choice.lower():
                return choice
        expected = listed(get_args(kind), None, "or")
    elif kind is bool:
        if isinstance(value, bool | np.bool_):
            return bool(value)
        expected = "True or False"
    elif kind is str:
        if frames.is_text(value):
            return str(value)
        expected = "text"
    else:
        number = None
        is_number = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
        if is_number:
            with suppress(OverflowError):
                number = kind(value)
        if number is not None and number in LIMITS[name]:
            return number + kind()  # -0.0 is 0
        expected = LIMITS[name].expected(whole=kind is int, several=several)
    raise UsageError(f"{name}: expected {expected}, found {frames.quoted_value(value)}")
