"""Options with a heading in the help, and groups of options that a command receives as one value.

`option_of` makes an option from a field of a request (`settings.setting`): type, choices, default and help are the
field's, and the range of a number is in `specs.limits.LIMITS`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import lru_cache, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import click

from biasvar_cli.console import completion
from biasvar_cli.console.help import Helped, first_sentence, refusals
from biasvar_cli.settings import COMMON, HEADINGS, INPUT_DETAILS, OUTPUT, requested, setting_of, settings_of
from biasvar_cli.specs.limits import LIMITS
from biasvar_cli.words import shell_word

if TYPE_CHECKING:
    from click.core import ParameterSource
    from click.parser import _OptionParser


class _PathOrUrl(click.Path):
    """A path that exists, ``-``, or a URL, which is not looked up before it is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


class _Qrels(_PathOrUrl):
    """A file of judgments, or a data set of ir_datasets, which is not looked up before it is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from biasvar_cli.readers.sources import is_data_set, is_folder

        if not self.dir_okay and is_folder(str(value)):
            what = f"{value} is a folder, and judgments are one file; is it the other way round?"
            self.fail(f"{what} Then write the folder before -q: {shell_word(str(value))} -q QRELS", param, ctx)
        return value if is_data_set(str(value)) else super().convert(value, param, ctx)


class _Judge(_Qrels):
    """A file of judgments, or NAME=FILE if no file has this name; the value is the text as typed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name, equals, file = str(value).partition("=")
        if equals and name and file and not Path(str(value)).exists():
            super().convert(file, param, ctx)
            return value
        return super().convert(value, param, ctx)


class _Scores(_PathOrUrl):
    """The scores of a judge, or a pattern of files, with or without a measure; the value is the text as typed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from biasvar_cli.specs.machine import files_and_measure

        return value if files_and_measure(str(value)) != ([value], None) else super().convert(value, param, ctx)


INPUT = _PathOrUrl(exists=True, allow_dash=True)
FILE = _PathOrUrl(exists=True, dir_okay=False, allow_dash=True)
QRELS = _Qrels(exists=True, dir_okay=False, allow_dash=True)
SCORES = _Scores(exists=True, allow_dash=True)
JUDGE = _Judge(exists=True, allow_dash=True)
JUDGE_FILE = _Judge(exists=True, dir_okay=False, allow_dash=True)
MANIFEST = click.Path(exists=True, dir_okay=False, allow_dash=True)


Command = Callable[..., Any]


@dataclass(frozen=True)
class Decorator:
    """A decorator that adds options to a command, and the ``names`` of the arguments that it passes to the command."""

    add: Callable[[Command], Command]
    names: tuple[str, ...]

    def __call__(self, command: Command) -> Command:
        return self.add(command)


def together(*decorators: Decorator) -> Decorator:
    """Several decorators as one; the help lists the options of the first one first."""

    def add(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return Decorator(add, tuple(name for decorator in decorators for name in decorator.names))


def group(key: str, build: Callable[..., object], *options: Decorator) -> Decorator:
    """A decorator that adds options to a command, and passes it ``build(**values of these options)`` as ``key``.

    Groups are built in the order of the decorators of a command, before its body runs.

    >>> seconds = group("time", lambda hours, minutes: 3600 * hours + 60 * minutes,
    ...                 option(COMMON, "--hours", default=0), option(COMMON, "--minutes", default=0))
    >>> command = click.command()(seconds(lambda time: time))
    >>> command.main(["--hours", "1", "--minutes", "2"], standalone_mode=False)
    3720
    """
    all_options = together(*options)

    def add(command: Command) -> Command:
        @wraps(command)
        def with_value(**typed: Any) -> Any:
            result = build(**{name: typed.pop(name) for name in all_options.names})
            return command(**typed, **{key: result})

        return all_options(with_value)

    return Decorator(add, (key,))


def argument(name: str, **attributes: Any) -> Decorator:
    """``click.argument`` as a `Decorator`."""
    return Decorator(click.argument(name, **attributes), (name,))


_WIDEST, _WIDEST_BRIEF = 32, 24  # columns; longer names of options are on a line of their own


class HeadedOption(click.Option):
    """An option with a heading in the help, which may be given once unless it is ``multiple``.

    The short help lists the options with a ``brief`` help; under `COMMON` its default is the first sentence of the
    help.

    click silently keeps the last of several values. This option refuses several values, and also an empty value, such
    as a variable that a script forgot to set.
    """

    def __init__(self, *names: Any, heading: str, brief: str | None = None, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.heading = heading
        self.brief = brief or (first_sentence(self.help or "") if heading == COMMON else None)

    def add_to_parser(self, parser: _OptionParser, ctx: click.Context) -> None:
        """Make the parser collect all values of an option that takes one value, or that is a pair of on and off."""
        if self.multiple or (self.is_flag and not self.secondary_opts):
            super().add_to_parser(parser, ctx)
        elif self.is_flag:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append_const", const=True)
            parser.add_option(obj=self, opts=self.secondary_opts, dest=self.name, action="append_const", const=False)
        else:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """The value typed, or the default. Raises `click.UsageError` for an empty value and for several values.

        While a shell completes the line nothing is refused. A flag may be repeated.
        """
        typed, name = opts.get(str(self.name)), self.opts[-1]
        if not isinstance(typed, list):
            return super().consume_value(ctx, opts)
        if not ctx.resilient_parsing:
            if any(isinstance(value, str) and not value.strip() for value in typed):
                raise click.UsageError(f"{name} is given an empty value", ctx)
            if self.is_flag and len(set(typed)) > 1:
                raise click.UsageError(f"{name} and {self.secondary_opts[-1]} contradict each other", ctx)
            if not self.is_flag and not self.multiple and len(typed) > 1:
                values = " and ".join(map(str, typed))
                raise click.UsageError(f"{name} takes one value and is given {len(typed)} times: {values}", ctx)
        return super().consume_value(ctx, opts if self.multiple else {**opts, str(self.name): typed[-1]})


class HeadedCommand(Helped):
    """A command whose help lists its options under `HEADINGS`, in that order.

    If ``details_of`` names another command, the help lists the options of `INPUT_DETAILS` by name only and refers to
    that command, which explains them.
    """

    def __init__(self, *arguments: Any, details_of: str | None = None, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.details_of = details_of

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a `UsageError` of its request or the data becomes an error of this command."""
        with refusals(ctx):
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; an error of the parser becomes an error of this command."""
        with refusals(ctx):
            return super().parse_args(ctx, args)

    def format_usual(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that most people use."""
        usual = [option for option in self.get_params(ctx) if isinstance(option, HeadedOption) and option.brief]
        usual.sort(key=lambda option: HEADINGS.index(option.heading))
        records = [(option.get_help_record(ctx) or ("", ""), option.brief or "") for option in usual]
        with formatter.section("Options"):
            formatter.write_dl([(names, brief) for (names, _), brief in records], col_max=_WIDEST_BRIEF)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings; ``--help``, which click adds, is under the last one."""
        options = [option for option in self.get_params(ctx) if isinstance(option, click.Option) and not option.hidden]
        if self.details_of is not None:
            listed = [option.opts[-1] for option in options if _heading(option) == INPUT_DETAILS]
            options = [option for option in options if _heading(option) != INPUT_DETAILS]
        records = [(_heading(option), option.get_help_record(ctx) or ("", "")) for option in options]
        width = max((len(names) for _, (names, _) in records if len(names) <= _WIDEST), default=0)
        for heading in HEADINGS:
            lines = [
                (names.ljust(width), text) for option_heading, (names, text) in records if option_heading == heading
            ]
            if lines:
                with formatter.section(heading):
                    formatter.write_dl(lines, col_max=width)
            elif heading == INPUT_DETAILS and self.details_of is not None:
                with formatter.section(f"{heading}, explained by biasvar {self.details_of} --help"):
                    names = textwrap.wrap(" ".join(listed), formatter.width - 2, break_on_hyphens=False)
                    formatter.write("".join(f"  {line}\n" for line in names))


def option(heading: str, *names: str, **attributes: Any) -> Decorator:
    """``click.option`` with a heading, as a `Decorator`.

    >>> command = click.command(cls=HeadedCommand)(option("Statistics", "--seed", help="A number.")(lambda seed: None))
    >>> print(command.get_help(click.Context(command, info_name="demo")).replace("\\n\\n", "\\n"))
    Usage: demo [OPTIONS]
    Statistics:
      --seed TEXT  A number.
    Output:
      -h           Show the short help, with the options that most people use, and
                   exit.
      --help       Show this message and exit.
    """
    passed = (str(click.Option(names).name),) if attributes.get("expose_value", True) else ()
    return Decorator(click.option(*names, cls=HeadedOption, heading=heading, **attributes), passed)


def _heading(option: click.Option) -> str:
    return str(getattr(option, "heading", OUTPUT))


def command(name: str | None = None, **attributes: Any) -> Callable[[Command], HeadedCommand]:
    """``click.command`` for a `HeadedCommand`."""
    return click.command(name, cls=HeadedCommand, **attributes)


class Number(click.ParamType[float]):
    """A number within the limits of ``name``; the error for another number has the words of `Limits.expected`.

    >>> Number("jobs", whole=True).convert("8", None, None)
    8
    """

    name = "number"

    def __init__(self, name: str, *, whole: bool) -> None:
        self.limits, self.whole = LIMITS[name], whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number typed. Raises `click.BadParameter` for a number outside the range, and for nan."""
        number: float = (click.INT if self.whole else click.FLOAT).convert(value, param, ctx)
        if number not in self.limits:
            self.fail(f"expected {self.limits.expected(whole=self.whole)}, found {value}", param, ctx)
        return number


def whole(name: str) -> Number:
    """The type of an option for a whole number within the limits of ``name``."""
    return Number(name, whole=True)


class _Text(click.ParamType[Any]):
    """Text that the ``parse`` function of a setting turns into a value (`settings.Setting`)."""

    name = "text"

    def __init__(self, parse: Callable[[str], Any]) -> None:
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The parsed value. Raises `click.BadParameter` for text that cannot be parsed."""
        try:
            return self.parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(f"{value!r} is not {error}", param, ctx)


def request_options(request: type, *more: Decorator, without: Collection[str] = ()) -> Decorator:
    """The options of all settings of a request, and ``more``; the command gets the request as ``request``."""
    names = [field.name for _, field in settings_of(request) if field.name not in without]
    return request_of(request, *(option_of(request, name) for name in names), *more)


def request_of(request: type, *options: Decorator) -> Decorator:
    """Options for settings of a request; the command gets the request made from them as ``request``."""
    return group("request", lambda **typed: requested(request, typed), *options)


_hints = lru_cache(maxsize=64)(get_type_hints)


def option_of(request: type, name: str, *, of_command: bool = True, **attributes: Any) -> Decorator:
    """The option of a field of a request, a dataclass: name, type, choices, default and help are the field's.

    The field may belong to a request that the request contains. The option of a tuple may be repeated. ``attributes``
    are attributes of click's option, and take precedence over the field.

    >>> from dataclasses import dataclass
    >>> from biasvar_cli.settings import STATISTICS, setting
    >>> @dataclass(frozen=True)
    ... class Request:
    ...     of: Literal["mean", "total"] = setting("mean", STATISTICS, "What is compared.")
    ...     tie_eps: float = 0.0
    >>> print(click.command()(option_of(Request, "of")(lambda of: None)).params[0].type)
    Choice(['mean', 'total'])
    """
    known = (*((request, field) for field in fields(request)), *settings_of(request))
    owner, field = next((owner, field) for owner, field in known if field.name == name)
    declared = setting_of(field)
    if declared is not None:
        offered = {} if declared.completion is None else {"shell_complete": completion.of(declared.completion)}
        path = {"type": FILE} if declared.file else {}
        words = declared.words(of_command=of_command)
        attributes = {"heading": declared.heading, "help": words, **path, **offered, **declared.attributes} | attributes
    heading = attributes.pop("heading")
    default = None if field.default is MISSING else field.default
    hint = _hints(owner)[name]
    several = get_origin(hint) is tuple
    kind = get_args(hint)[0] if several else hint
    if isinstance(kind, UnionType) or (get_origin(kind) is not Literal and NoneType in get_args(kind)):
        kind = next(part for part in get_args(kind) if part is not NoneType)
    if "type" in attributes:
        kind = attributes["type"]
    elif declared is not None and declared.parse is not None:
        kind, several = _Text(declared.parse), False
        default = ",".join(f"{value:g}" for value in default or ())
    elif get_origin(kind) is Literal:
        kind = click.Choice(get_args(kind))
    elif kind in (int, float):
        limits = declared.limits if declared is not None else ""
        kind = Number(limits or name, whole=kind is int)
    values: dict[str, Any] = {"is_flag": True} if kind is bool else {"type": kind, "multiple": several}
    if kind is not bool and default not in (None, (), ""):
        values |= {"default": default, "show_default": True}
    names = attributes.pop("names", (f"--{name.replace('_', '-')}", name))
    return option(heading, *names, **(values | attributes))
