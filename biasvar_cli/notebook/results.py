"""The functions of analyses in a notebook, and their results: DataFrames, text, HTML, LaTeX, and figures.

A function is made of the settings of the request of its analysis; stubs have its types for editors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, Signature, signature
from typing import Any, Self, TypedDict, TypeVar, Unpack, get_args, get_origin, get_type_hints

import pandas as pd

from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.errors import Messages, UsageError, keep_warnings
from biasvar_cli.notebook.arguments import (
    MEANINGS,
    Reading,
    explain,
    meanings_of,
    null_request,
    read_argument,
    requested,
    warning_there,
)
from biasvar_cli.notebook.figure import Draw, Figure, drawn, figure_of
from biasvar_cli.notebook.frames import ClustersLike
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import Scores, ScoresLike, scores_from
from biasvar_cli.settings import Function, setting_of, settings_of
from biasvar_cli.tables.data_formats import document
from biasvar_cli.tables.html import html
from biasvar_cli.tables.layout import Layout, NotesChoice, with_columns
from biasvar_cli.tables.render import FORMATS
from biasvar_cli.tables.rounding import in_words
from biasvar_cli.tables.table import Table
from biasvar_cli.tables.view import View
from biasvar_cli.words import USUAL_NOUNS, Nouns, as_typed, enumerated, in_python, nouns_in_use, worded

_INDEX = {"runs": "run", "queries": "query_id", "run": "query_id", "models": "model"}  # of tables with one row each
_DIGITS = 4

Value = TypeVar("Value")


class Looks(TypedDict, total=False):
    """How a table is shown, as on the command line: decimals, notes, columns, and the order and number of rows."""

    digits: int | None
    notes: NotesChoice
    columns: str | Sequence[str]
    sort: str | None
    top: int | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result:
    """The result of an analysis. In a notebook it shows its sentences and its table, as text what the command prints.

    ``analysis`` is the name of the analysis, and ``answers`` has its answer for each measure, target and baseline that
    was asked for. ``tables`` are the names that `frame` takes, ``figures`` those that `plot` takes, and sentences have
    the ``nouns``. ``text`` are fields of the view of the analysis that only text shows. Two results are equal if all
    their tables are. Numbers that take long are computed when they are first used.
    """

    analysis: str
    answers: tuple[Any, ...]
    tables: tuple[str, ...]
    scores: Scores | None = None
    text: Mapping[str, Any] = field(default_factory=dict)
    digits: int = _DIGITS
    messages: Messages = field(default_factory=Messages.none)
    nouns: Nouns = USUAL_NOUNS

    @classmethod
    def made(cls, analysis: str, answers: Sequence[Any], tables: tuple[str, ...], **others: Any) -> Self:
        """A result whose first table has been made, so that errors and warnings are those of the call.

        The others are further fields of this class.
        """
        result = cls(analysis=analysis, answers=tuple(answers), tables=tables, nouns=nouns_in_use(), **others)
        result._made(View(table=tables[0], format="csv", best_first=True))
        return result

    def noted(self, messages: Messages) -> Self:
        """The same result with further messages, each once; those of its scores come first."""
        earlier = self.messages if self.scores is None else self.scores.messages
        return replace(self, messages=_joined(earlier, messages))

    @property
    def figures(self) -> Mapping[str, Draw]:
        """The functions that draw the figures of the analysis, by the name of the figure."""
        module = _module(self.analysis, "figures")
        figures: Mapping[str, Draw] = {} if module is None else module.FIGURES
        return figures

    @property
    def measures(self) -> tuple[str | None, ...]:
        """The measures, by ir-measures' names; None for one that is not known."""
        return () if self.scores is None else self.scores.measures

    @property
    def measure(self) -> str | None:
        """The measure; None if it is not known. Raises `BiasVarError` where there are several or none."""
        return only(self.measures, "measures")

    @property
    def n_runs(self) -> int | None:
        """How many runs were evaluated; None for an analysis of something else."""
        return None if self.scores is None else len(self.scores.runs)

    @property
    def n_queries(self) -> int | None:
        """How many queries the runs were evaluated on; None for an analysis of something else."""
        return None if self.scores is None else len(self.scores.queries)

    def frame(self, table: str | None = None) -> pd.DataFrame:
        """One of the tables as a DataFrame with the columns of the command's csv, unrounded, the best rows first.

        The index is the run, the query or the model where a row is of one. Columns that say what a result is of, such
        as ``measure`` and ``target``, are there where it is of several. Raises `BiasVarError` for a table that the
        result does not have.
        """
        name = self._named(table)
        tables, _ = self._tables(View(table=name, format="csv", best_first=True))
        if len(tables) == 1:
            frame = tables[0].frame().drop(columns=list(tables[0].keys))
        else:
            frame = pd.DataFrame(_stacked([part.columns for part in tables]))
        index = _INDEX.get(name.partition(":")[0])
        return frame.set_index(index) if index in frame.columns else frame

    @cached_property
    def verdict(self) -> str:
        """The sentences that answer the question of the analysis, a line each, as on the command line.

        Where the result is of several measures or targets, the sentences of each follow a line that names it.
        """
        tables, _ = self._tables(View(table=self.tables[0]))
        told = [[in_words(note, self.digits, in_python) for note in table.verdict] for table in tables]
        if len(tables) > 1:
            told = [
                [in_words(table.title, self.digits, in_python), *lines]
                for table, lines in zip(tables, told, strict=True)
            ]
        return "\n\n".join("\n".join(lines) for lines in told if lines)

    @cached_property
    def signature(self) -> str:
        """What the numbers depend on, so that they can be computed again; a line for each part of the result."""
        tables, _ = self._tables(View(table=self.tables[0]))
        return "\n".join(dict.fromkeys(table.signature for table in tables if table.signature))

    def to_text(self, table: str | None = None, *, wide: bool = False, **looks: Unpack[Looks]) -> str:
        """A table as the command line prints it; ``wide`` shows all columns. The others are as in `to_markdown`."""
        return self._rendered("text", table, wide=wide, **looks)

    def to_markdown(self, table: str | None = None, **looks: Unpack[Looks]) -> str:
        """A table in markdown, with its sentences and notes, as ``-f markdown`` of the command.

        ``digits``, ``notes`` (short or full), ``columns``, ``sort`` and ``top`` are as on the command line. Raises
        `BiasVarError` for a table or a column that is not there.
        """
        return self._rendered("markdown", table, **looks)

    def to_latex(self, table: str | None = None, **looks: Unpack[Looks]) -> str:
        """A table in LaTeX, for booktabs, as ``-f latex`` of the command. The arguments are as in `to_markdown`."""
        return self._rendered("latex", table, **looks)

    def to_dict(self) -> dict[str, Any]:
        """The whole result as ``-f json`` of the command has it, unrounded; an undefined number is None."""
        tables, messages = self._tables(View(table=self.tables[0], format="json"))
        with worded(self.nouns):
            return document(tables, self._layout(messages))

    def plot(self, figure: str | None = None, **options: Any) -> Figure:
        """A figure as ``biasvar plot`` draws it, the first one without a name; ``figures`` lists them.

        ``options`` are those of the figure, such as ``form`` and ``families``, and ``width`` (one, two, or 9cm),
        ``theme`` (light or dark) and ``title=False``. Raises `BiasVarError` for a figure that there is not, and where
        the result is of several measures or targets and the figure of one; `TypeError` for an unknown option.
        """
        with worded(self.nouns):
            return drawn(figure_of(self.figures, figure), self.answers, options)

    def _repr_html_(self) -> str:
        tables, messages = self._tables(View(table=self.tables[0]))
        with worded(self.nouns):
            return html(tables, self._layout(messages))

    def __repr__(self) -> str:
        return self._rendered("text", None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result) or self.analysis != other.analysis or self.tables != other.tables:
            return NotImplemented if not isinstance(other, Result) else False
        same = self.measures == other.measures and len(self.answers) == len(other.answers)
        return same and all(self.frame(name).equals(other.frame(name)) for name in self.tables if "NAME" not in name)

    def __hash__(self) -> int:
        return hash((self.analysis, self.measures, self.n_runs, self.n_queries))

    def _named(self, table: str | None) -> str:
        """The name of a table; of those whose names have a part that varies, such as run:NAME, with its run."""
        name = self.tables[0] if table is None else table
        if name not in self.tables and f"{name.partition(':')[0]}:NAME" not in self.tables:
            raise UsageError(f"there is no table {name!r}; there are {enumerated(self.tables, 'and')}")
        return name

    def _made(self, view: View) -> list[Table]:
        """The tables of a view."""
        module = _module(self.analysis, "table")
        tables: list[Table] = module.tables(self.answers, module.VIEW(**vars(view), **self.text))
        return tables

    def _tables(self, view: View) -> tuple[list[Table], Messages]:
        """The tables of a view, and all messages so far."""
        with worded(self.nouns), keep_warnings() as messages:
            return self._made(view), _joined(self.messages, messages)

    def _rendered(
        self,
        form: str,
        table: str | None,
        *,
        digits: int | None = None,
        notes: NotesChoice = "short",
        columns: str | Sequence[str] = (),
        sort: str | None = None,
        top: int | None = None,
        wide: bool = False,
    ) -> str:
        sort, top = read_argument("sort", sort, str | None), read_argument("top", top, int | None)
        digits = read_argument("digits", digits, int | None)
        names = read_argument("columns", columns, str | Sequence[str])
        tables, messages = self._tables(View(table=self._named(table), format=form, sort=sort, top=top))
        layout = replace(
            self._layout(messages),
            digits=self.digits if digits is None else digits,
            notes=read_argument("notes", notes, NotesChoice),
            wide=wide or bool(names),
        )
        tables = with_columns(tables, names) if names else tables
        with worded(self.nouns):
            text = FORMATS[form].render(tables, layout)
        assert isinstance(text, str), "formats for people are text"
        return text

    def _layout(self, messages: Messages) -> Layout:
        warned, noticed = (list(map(as_typed, lines)) for lines in messages)
        return Layout(digits=self.digits, warnings=warned, notices=noticed)


def _stacked(tables: Sequence[Mapping[str, Sequence[Any]]]) -> dict[str, list[Any]]:
    """The rows of several tables in one, with None where a table lacks a column.

    >>> _stacked([{"run": ["A"], "mean": [0.2]}, {"run": ["B"], "p": [0.1]}])
    {'run': ['A', 'B'], 'mean': [0.2, None], 'p': [None, 0.1]}
    """
    names = dict.fromkeys(name for columns in tables for name in columns)
    return {
        name: [value for columns in tables for value in columns.get(name, [None] * len(next(iter(columns.values()))))]
        for name in names
    }


def _joined(*several: Messages) -> Messages:
    """Messages together, each once."""
    return Messages(*(list(dict.fromkeys(line for messages in several for line in messages[kind])) for kind in (0, 1)))


def only(values: Sequence[Value], noun: str) -> Value:
    """The only one of some values. Raises `UsageError` where there are others."""
    if len(values) != 1:
        raise UsageError(f"the result is of {len(values)} {noun}")
    return values[0]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TargetResult(Result):
    """A virtual target: ``frame()`` has a row a query."""

    @property
    def target(self) -> VirtualTarget:
        """The target: ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` in the order of the queries.

        Raises `UsageError` for several.
        """
        targets: list[VirtualTarget] = [answer.target for answer in self.answers]
        return only(targets, "measures")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecompositionResult(Result):
    """A decomposition: ``frame()`` has a row a run, ``correlations`` those of bias² and variance over the runs."""

    @property
    def target(self) -> VirtualTarget:
        """The virtual target: ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` of the queries, or None.

        Raises `UsageError` for several.
        """
        targets: list[VirtualTarget] = [answer.target.in_unit for answer in self.answers]
        return only(targets, "targets and measures")

    @property
    def correlations(self) -> pd.DataFrame:
        """Pearson, Spearman and Kendall in both forms, and Pearson's r under three null models, in which runs differ
        only in their means.

        ``null_low`` to ``null_high`` is the widest of their central 95 %, ``null_r`` the median of the first, ``p`` is
        two-sided, and ``verdict`` is stronger, weaker or none; the gap form has no p and no verdict. ``null=False``
        leaves these five out.
        """
        return self.frame("correlations").set_index("form")


_RESULTS: Mapping[str, type[Result]] = {"target": TargetResult, "decompose": DecompositionResult}


def function_of(analysis: str) -> Callable[..., Any]:
    """The function of an analysis: that of its module ``notebook``, or made of ``FUNCTION`` beside its request.

    Its docstring ends with what each argument means.
    """
    module = _module(analysis, "notebook")
    function: Callable[..., Any] = _made_function(analysis) if module is None else getattr(module, analysis)
    requests = [*vars(_module("tradeoff", "request")).values(), *vars(_module(analysis, "request") or object).values()]
    meanings = {name: text for request in requests for name, text in meanings_of(request).items()}
    explain(function, MEANINGS | meanings, signature(function).parameters)
    return function


def _made_function(analysis: str) -> Callable[..., Any]:
    """A function of the scores, the settings of a request, and how inputs are read."""
    declared: Function = _module(analysis, "request").FUNCTION
    result = _RESULTS.get(analysis, Result)
    made = signature_of(declared, result)
    defaults = {name: parameter.default for name, parameter in made.parameters.items() if name != "reading"}

    def function(**arguments: Any) -> Result:
        reading: Any = {name: value for name, value in arguments.items() if name not in defaults}
        values = defaults | arguments
        request = requested(declared.request, values, **({"null": None} if "null" in values else {}))
        auxiliary = getattr(request, "auxiliary", ())
        loaded = scores_from(values["scores"], values["measure"], values["qrels"], reading, auxiliary)
        if "null" in values:
            null = null_request(values, loaded.jobs, stability=values.get("stability", False))
            request = replace(request, null=null)
        if hasattr(request, "jobs"):
            request = replace(request, jobs=loaded.jobs)
        return result.made(
            analysis,
            _module(analysis, "answer").answer(loaded.track, request),
            declared.tables(request) or tuple(_module(analysis, "columns").TABLES),
            scores=loaded,
            text={name: values[name] for name in declared.text_settings},
        )

    function.__name__ = function.__qualname__ = analysis
    function.__module__, function.__doc__ = "biasvar_cli", declared.words
    function.__annotations__ = {name: parameter.annotation for name, parameter in made.parameters.items()}
    function.__signature__ = made  # type: ignore[attr-defined]
    return warning_there(function)


def signature_of(declared: Function, result: type[Result]) -> Signature:
    """The scores, the setting behind them, target, measure and judgments, other settings, and how inputs are read.

    Null models, and settings of the text, stand behind the settings of the request, but before a last seed.
    """
    settings = _parameters(declared.request, declared.without)
    last = {"seed": settings.pop("seed")} if next(reversed(settings)) == "seed" else {}
    if "null" in (field.name for field in fields(declared.request)):
        settings["null"] = Parameter("null", Parameter.KEYWORD_ONLY, default=True, annotation=bool)
        settings["null_samples"] = Parameter(
            "null_samples", Parameter.KEYWORD_ONLY, default=None, annotation=int | None
        )
    if declared.text is not None:
        settings |= _parameters(declared.text)
    settings |= last
    second = settings.pop(declared.first).replace(kind=Parameter.POSITIONAL_OR_KEYWORD)
    scores = Parameter("scores", Parameter.POSITIONAL_OR_KEYWORD, annotation=ScoresLike)
    measure = Parameter("measure", Parameter.KEYWORD_ONLY, default=None, annotation=object | None)
    qrels = Parameter("qrels", Parameter.KEYWORD_ONLY, default=None, annotation=Judgments | None)
    reading = Parameter("reading", Parameter.VAR_KEYWORD, annotation=Unpack[Reading])
    target = [settings.pop("target")] if "target" in settings else []
    parameters = [scores, second, *target, measure, qrels, *settings.values(), reading]
    return Signature(parameters, return_annotation=result)


def _parameters(request: type, without: Collection[str] = ()) -> dict[str, Parameter]:
    """An argument for each setting of a request, by name."""
    return {
        field.name: Parameter(
            field.name, Parameter.KEYWORD_ONLY, default=_default(field), annotation=_hint(field, get_type_hints(owner))
        )
        for owner, field in settings_of(request)
        if field.name not in without
    }


def _hint(field: Field[Any], hints: Mapping[str, Any]) -> Any:
    """The type of an argument: of several values, or one of them alone."""
    hint = hints[field.name]
    if field.name == "clusters":
        return ClustersLike | None
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


def _module(analysis: str, name: str) -> Any:
    """A module of an analysis; None where it has none of this name."""
    path = f"biasvar_cli.analyses.{analysis}.{name}"
    return import_module(path) if find_spec(path) is not None else None
