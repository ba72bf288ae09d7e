"""What a user can set, declared once: a field of a request, with the words of its help.

The option of the command line (`console.options.option_of`), the argument of the function for notebooks
(`notebook.results`) and the reference are made of it. Nothing here knows a terminal.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, field, fields
from typing import Any, NamedTuple, TypeVar

Value = TypeVar("Value")

COMMON, INPUT_DETAILS, QUERY_SAMPLES, STATISTICS, OUTPUT = HEADINGS = (
    "Common",
    "Input details",
    "Query samples",
    "Statistics",
    "Output",
)
GROUPS_HELP = "A csv of query,group: groups of queries of your own."
FAMILIES_HELP = (
    "a csv of run,family,parameter, or a pattern of run names with family and parameter in brackets, such as "
    "'(comb|nrr)-(.*)'."
)
FAMILIES_BRIEF = "Families of runs: a csv, or a pattern of names."
BELOW_HELP = "With --families: name members with less bias² and variance than this run."


class Completion(NamedTuple):
    """What a shell offers for a value: ``words``, and names of ``runs`` and of ``files`` behind ``run:`` and ``file:``.

    ``names`` are names of runs both alone and behind ``run:``, ``paths`` files and folders alone.
    """

    words: tuple[str, ...] = ()
    runs: bool = False
    names: bool = False
    files: bool = False
    paths: bool = False


class Setting(NamedTuple):
    """How a field of a request is set: the ``heading`` and the ``help`` of its option, and its further attributes.

    Where the help of a command differs from that of its figures, ``help`` is a function: of True it gives the help of
    the command, of False that of a figure. ``completion`` is what a shell offers. A field of several values that is
    ``single`` takes one value in Python; one that ``may_be_empty`` has an empty tuple as its default there, not None.
    Text that is the path of a ``file`` is checked before anything is read. ``limits`` is the name in
    `specs.limits.LIMITS` of the range of a number, if that is not the field's own name. ``parse`` makes the value of
    text, such as ``1,0.5`` for two weights; it raises `ValueError` with what is wrong. A setting of inputs belongs to a
    ``stage`` and may be said ``in_manifest`` for each track (`readers.settings`).
    """

    heading: str
    help: str | Callable[[bool], str]
    completion: Completion | None = None
    single: bool = False
    may_be_empty: bool = False
    file: bool = False
    limits: str = ""
    parse: Callable[[str], Any] | None = None
    stage: str = ""
    in_manifest: bool = False
    attributes: Mapping[str, Any] = {}

    def words(self, *, of_command: bool) -> str:
        """The help of a command, or of a figure."""
        return self.help(of_command) if callable(self.help) else self.help


def setting(
    default: Value,
    heading: str,
    help: str | Callable[[bool], str],  # noqa: A002
    *,
    completion: Completion | None = None,
    single: bool = False,
    may_be_empty: bool = False,
    file: bool = False,
    limits: str = "",
    parse: Callable[[str], Any] | None = None,
    stage: str = "",
    in_manifest: bool = False,
    **attributes: Any,
) -> Value:
    """A field of a request that a user can set; ``attributes`` are those of its option, such as ``metavar``.

    >>> from dataclasses import dataclass, fields
    >>> @dataclass(frozen=True)
    ... class Request:
    ...     splits: int = setting(100, STATISTICS, "How often to split the queries.", metavar="N")
    >>> Request().splits, setting_of(fields(Request)[0]).heading
    (100, 'Statistics')
    """
    declared = Setting(
        heading, help, completion, single, may_be_empty, file, limits, parse, stage, in_manifest, attributes
    )
    value: Value = field(default=default, metadata={"setting": declared})
    return value


def setting_of(declared: Field[Any]) -> Setting | None:
    """How a field is set; None for one that no user sets."""
    setting: Setting | None = declared.metadata.get("setting")
    return setting


def part(kind: type) -> Any:
    """A field of a request that is a request itself, whose settings are set as those of the whole."""
    return field(default_factory=kind, metadata={"part": kind})


def settings_of(request: type) -> Iterator[tuple[type, Field[Any]]]:
    """The fields of a request that users set, with the request that has them: itself, or a part of it.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Samples:
    ...     repeats: int = setting(10, STATISTICS, "How often to draw them.")
    >>> @dataclass(frozen=True)
    ... class Request:
    ...     top: int = setting(5, OUTPUT, "How many rows.")
    ...     samples: Samples = part(Samples)
    >>> [(owner.__name__, field.name) for owner, field in settings_of(Request)]
    [('Request', 'top'), ('Samples', 'repeats')]
    >>> requested(Request, {"top": 3, "repeats": 20, "digits": 4})
    Request(top=3, samples=Samples(repeats=20))
    """
    for declared in fields(request):
        if "part" in declared.metadata:
            yield from settings_of(declared.metadata["part"])
        elif setting_of(declared) is not None:
            yield request, declared


def settings_by_name(request: type) -> dict[str, Setting]:
    """How the fields of a request that users set are set, by their names."""
    return {field.name: field.metadata["setting"] for _, field in settings_of(request)}


def requested(kind: Callable[..., Value], values: Mapping[str, Any], **others: Any) -> Value:
    """A request of those ``values``, by name, that are fields of it or settings of its parts, and of ``others``.

    For a field of several values, a tuple by default, one of them may stand alone; each counts once.
    """
    all_values = {**values, **others}
    for declared in fields(kind):  # type: ignore[arg-type]
        if "part" in declared.metadata and declared.name not in others:
            others[declared.name] = requested(declared.metadata["part"], all_values)
        elif declared.name in values and declared.name not in others:
            value = values[declared.name]
            others[declared.name] = several(value) if isinstance(declared.default, tuple) else value
    return kind(**others)


def several(values: Value | Sequence[Value] | None) -> tuple[Value, ...]:
    """The values, each once, of what may be one of them alone, or None for none.

    >>> several(5), several((0, 1, 1)), several("tukey"), several(None)
    ((5,), (0, 1), ('tukey',), ())
    """
    if values is None:
        return ()
    return tuple(dict.fromkeys([values] if isinstance(values, str | int | float) else values))  # type: ignore[arg-type]


def same_setting(request: type, name: str, **changes: Any) -> Any:
    """The field of another request, of the same name and default; ``changes`` are of its `Setting`, such as the help.

    >>> from dataclasses import dataclass, fields
    >>> @dataclass(frozen=True)
    ... class Request:
    ...     splits: int = setting(100, STATISTICS, "How often to split the queries.", metavar="N")
    >>> @dataclass(frozen=True)
    ... class Other(Request):
    ...     splits: int = same_setting(Request, "splits", help="How often to halve them.")
    >>> setting_of(fields(Other)[0]).help, Other().splits
    ('How often to halve them.', 100)
    """
    (declared,) = (declared for declared in fields(request) if declared.name == name)
    setting = setting_of(declared)
    assert setting is not None, f"{name} is set by users"
    return field(default=declared.default, metadata={"setting": setting._replace(**changes)})


class Function(NamedTuple):
    """The function for notebooks of an analysis, which `notebook.results` makes of its ``request``.

    ``words`` are its docstring. ``first`` is the setting behind the scores, ``null`` says whether null models may be
    fitted beside the answer. ``without`` are settings that only figures have, and ``text`` has the settings of the
    text. ``tables`` names the tables of a result, the first one first: none for those of ``TABLES`` in their order.
    """

    request: type
    words: str
    first: str = "target"
    null: bool = False
    without: tuple[str, ...] = ()
    text: type | None = None
    tables: Callable[[Any], tuple[str, ...]] = lambda _: ()
