"""Options: each stands under a heading of the help, and a group of them reaches a command as one value.

What a request declares (`settings.setting`) is made into an option by `option_of`: type, choices, default and help come
from the field, the range of a number from `specs.limits.LIMITS`.
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
    """A path that exists, ``-``, or a URL, which is looked up when it is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if "://" in str(value) else super().convert(value, param, ctx)


class _Qrels(_PathOrUrl):
    """A file of judgments, or a data set of ir_datasets, which is looked up when it is read."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from biasvar_cli.readers.sources import is_data_set, is_folder

        if not self.dir_okay and is_folder(str(value)):
            what = f"{value} is a folder, and judgments are one file; is it the other way round?"
            self.fail(f"{what} Then write the folder before -q: {shell_word(str(value))} -q QRELS", param, ctx)
        return value if is_data_set(str(value)) else super().convert(value, param, ctx)


class _Judge(_Qrels):
    """A file of judgments, behind NAME= where that is no file by itself; the text stays as it was typed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name, equals, file = str(value).partition("=")
        if equals and name and file and not Path(str(value)).exists():
            super().convert(file, param, ctx)
            return value
        return super().convert(value, param, ctx)


class _Scores(_PathOrUrl):
    """Scores of a judge, or a pattern of its files, maybe with the measure behind; the text stays as it was typed."""

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
    """A decorator that adds options to a command, and the ``names`` under which it passes their values."""

    add: Callable[[Command], Command]
    names: tuple[str, ...]

    def __call__(self, command: Command) -> Command:
        return self.add(command)


def together(*decorators: Decorator) -> Decorator:
    """Several decorators as one; what the first adds stands first in the help."""

    def add(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return Decorator(add, tuple(name for decorator in decorators for name in decorator.names))


def group(key: str, build: Callable[..., object], *options: Decorator) -> Decorator:
    """A decorator that adds options to a command, and passes it as ``key`` what ``build`` makes of exactly these.

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
    """``click.argument``."""
    return Decorator(click.argument(name, **attributes), (name,))


_WIDEST, _WIDEST_BRIEF = 32, 24  # columns; an option's names that need more stand on a line of their own


class HeadedOption(click.Option):
    """An option that knows its heading in the help, and that is given once unless it is ``multiple``.

    The short help has the options under `COMMON` and those with a ``brief``, a shorter help; by default it shows the
    first sentence of the help.

    click keeps the last of several values without a word. Here the parser collects them, and several are wrong usage.
    So is an empty value, such as that of a variable that a script forgot to set.
    """

    def __init__(self, *names: Any, heading: str, brief: str | None = None, **attributes: Any) -> None:
        super().__init__(*names, **attributes)
        self.heading = heading
        self.brief = brief or (first_sentence(self.help or "") if heading == COMMON else None)

    def add_to_parser(self, parser: _OptionParser, ctx: click.Context) -> None:
        """Let the parser collect all that is typed of an option that takes one value, or that is on or off."""
        if self.multiple or (self.is_flag and not self.secondary_opts):
            super().add_to_parser(parser, ctx)
        elif self.is_flag:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append_const", const=True)
            parser.add_option(obj=self, opts=self.secondary_opts, dest=self.name, action="append_const", const=False)
        else:
            parser.add_option(obj=self, opts=self.opts, dest=self.name, action="append", nargs=self.nargs)

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> tuple[Any, ParameterSource]:
        """What was typed, or else the default. Raises `click.UsageError` for an empty value, and several of one.

        A shell that completes a line is not interrupted, and to switch something on twice is harmless.
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
    """A command whose help has its options under `HEADINGS`, in that order.

    Where ``details_of`` names another command, that one's help explains the details of the input, and this one's only
    lists them.
    """

    def __init__(self, *arguments: Any, details_of: str | None = None, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.details_of = details_of

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what its request or the data refuse is wrong usage of this command."""
        with refusals(ctx):
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed; what cannot be understood is wrong usage of this command."""
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
        """Write the options; ``--help``, which click adds, stands under the last heading."""
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
    """``click.option`` with the heading under which the help shows it.

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
    """``click.command`` whose help has headings."""
    return click.command(name, cls=HeadedCommand, **attributes)


class Number(click.ParamType[float]):
    """A number within the limits of its name; another is refused in the words of `Limits.expected`.

    >>> Number("jobs", whole=True).convert("8", None, None)
    8
    """

    name = "number"

    def __init__(self, name: str, *, whole: bool) -> None:
        self.limits, self.whole = LIMITS[name], whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number typed. Fails, as click does, for one that is outside the range, and for nan."""
        number: float = (click.INT if self.whole else click.FLOAT).convert(value, param, ctx)
        if number not in self.limits:
            self.fail(f"expected {self.limits.expected(whole=self.whole)}, found {value}", param, ctx)
        return number


def whole(name: str) -> Number:
    """The type of an option that takes a whole number within the limits of this name."""
    return Number(name, whole=True)


class _Text(click.ParamType[Any]):
    """Text whose value a setting says how to make (`settings.Setting`)."""

    name = "text"

    def __init__(self, parse: Callable[[str], Any]) -> None:
        self.parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value that is parsed from the text. Fails, as click does, for text that cannot be parsed."""
        try:
            return self.parse(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(f"{value!r} is not {error}", param, ctx)


def request_options(request: type, *more: Decorator, without: Collection[str] = ()) -> Decorator:
    """The options of all fields of a request that a user can set, and ``more``, as ``request``."""
    names = [field.name for _, field in settings_of(request) if field.name not in without]
    return request_of(request, *(option_of(request, name) for name in names), *more)


def request_of(request: type, *options: Decorator) -> Decorator:
    """Options for the settings of a request; the command gets the request that they make as ``request``."""
    return group("request", lambda **typed: requested(request, typed), *options)


_hints = lru_cache(maxsize=64)(get_type_hints)


def option_of(request: type, name: str, *, of_command: bool = True, **attributes: Any) -> Decorator:
    """The option of a field of a request, a dataclass: its name, type, choices, default and help are the field's.

    The field is one of the request or of a request that it contains. The option of a tuple may be repeated.
    ``attributes`` are those of click's option, which replace what the field says.

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
