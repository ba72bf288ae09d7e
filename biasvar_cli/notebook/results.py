"""The results that the functions for notebooks return, and the functions themselves.

A `Result` holds the answers of an analysis, and shows them as DataFrames, text, HTML, LaTeX, JSON and figures.
`function_of` gives the function of an analysis, such as ``bv.compare``. Its arguments are the settings of the analysis'
request: it is generated (`settings.Function`), or one that reads more than scores (`arguments.with_settings`).
`biasvar_cli/__init__.pyi` lists all of them for editors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from inspect import Parameter, Signature, signature
from typing import Any, Self, TypedDict, TypeVar, Unpack

import pandas as pd

from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.errors import Messages, UsageError, keep_warnings
from biasvar_cli.notebook import arguments, memory
from biasvar_cli.notebook.arguments import Reading, null_request, read_argument
from biasvar_cli.notebook.figure import Draw, Figure, drawn, figure_of
from biasvar_cli.notebook.scores import Scores, ScoresLike, scores_from
from biasvar_cli.readers.settings import InputSettings
from biasvar_cli.settings import Function, requested
from biasvar_cli.tables import html, render, rounding
from biasvar_cli.tables.layout import Layout, NotesChoice, with_columns
from biasvar_cli.tables.rows import View
from biasvar_cli.tables.table import Table
from biasvar_cli.words import USUAL_NOUNS, Nouns, as_typed, in_python, listed, nouns_in_use, worded

# the index of a DataFrame, by the table without the part behind the colon: run:NAME has a row a query
_INDEX = {"runs": "run", "queries": "query_id", "run": "query_id", "models": "model"}
_DIGITS = 4  # decimals in text

Value = TypeVar("Value")


class Looks(TypedDict, total=False):
    """Options of the methods that print a table, as on the command line.

    ``digits`` is the number of decimals, ``notes`` is short or full, ``columns`` names the columns to show. ``sort`` is
    the column by which rows are ordered, behind a minus for descending order, and ``top`` the number of rows.
    """

    digits: int | None
    notes: NotesChoice
    columns: str | Sequence[str]
    sort: str | None
    top: int | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result:
    """The result of an analysis. A notebook shows its sentences and its table; as text it is what the command prints.

    ``analysis`` is the name of the analysis, and ``answers`` has an answer for each measure, target and baseline that
    was asked for. ``tables`` are the names that `frame` takes, ``figures`` those that `plot` takes. ``scores`` are
    the scores that were analysed, None if the analysis takes something else. ``text`` are the settings that change only
    the text, by name. ``digits`` is the usual number of decimals, ``messages`` are the warnings and notices so far, and
    ``nouns`` are what sentences call runs and queries. Two results are equal if all their tables are. Numbers that take
    long are computed when they are first used.
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
    def from_answers(cls, analysis: str, answers: Sequence[Any], tables: tuple[str, ...], **others: Any) -> Self:
        """A result with these answers; ``others`` are further fields of this class.

        Its first table is made at once, so that errors and warnings come from the call that makes the result.
        """
        result = cls(analysis=analysis, answers=tuple(answers), tables=tables, nouns=nouns_in_use(), **others)
        result._make_tables(View(table=tables[0], format="csv", best_first=True))
        return result

    def with_messages(self, messages: Messages) -> Self:
        """The same result with the messages of its scores, if it has scores, and these ones after them."""
        earlier = self.messages if self.scores is None else self.scores.messages
        return replace(self, messages=_merged(earlier, messages))

    @property
    def figures(self) -> Mapping[str, Draw]:
        """The functions that draw the figures of the analysis, by the names of the figures."""
        module = _module(self.analysis, "figures")
        figures: Mapping[str, Draw] = {} if module is None else module.FIGURES
        return figures

    @property
    def measures(self) -> tuple[str | None, ...]:
        """The names of the measures, as in ir-measures; None for a measure that is not known."""
        return () if self.scores is None else self.scores.measures

    @property
    def measure(self) -> str | None:
        """The measure; None if it is not known. Raises `BiasVarError` where there are several or none."""
        return only(self.measures, "measures")

    @property
    def n_runs(self) -> int | None:
        """The number of runs; None if the analysis takes no scores of runs."""
        return None if self.scores is None else len(self.scores.runs)

    @property
    def n_queries(self) -> int | None:
        """The number of queries of the runs; None if the analysis takes no scores of runs."""
        return None if self.scores is None else len(self.scores.queries)

    def frame(self, table: str | None = None) -> pd.DataFrame:
        """A table as a DataFrame with the columns of the command's csv, unrounded, the best rows first.

        ``table`` is one of ``tables``, by default the first. The index is the run, the query or the model, if each row
        belongs to one. The columns that name a part of the result, such as ``measure`` and ``target``, are left out if
        there is only one part. Raises `BiasVarError` for a table that the result does not have.
        """
        name = self._table_name(table)
        tables, _ = self._tables(View(table=name, format="csv", best_first=True))
        if len(tables) == 1:
            frame = tables[0].frame().drop(columns=list(tables[0].keys))
        else:
            frame = pd.DataFrame(_stacked([part.columns for part in tables]))
        index = _INDEX.get(name.partition(":")[0])
        return frame.set_index(index) if index in frame.columns else frame

    @cached_property
    def verdict(self) -> str:
        """The sentences that answer the question of the analysis, one a line, as on the command line.

        If the result is of several measures or targets, a line before the sentences of each one names it.
        """
        tables, _ = self._tables(View(table=self.tables[0]))
        paragraphs = []
        for table in tables:
            sentences = [rounding.in_words(sentence, self.digits, in_python) for sentence in table.verdict]
            title = [rounding.in_words(table.title, self.digits, in_python)] if len(tables) > 1 else []
            if title or sentences:
                paragraphs.append("\n".join([*title, *sentences]))
        return "\n\n".join(paragraphs)

    @cached_property
    def signature(self) -> str:
        """The settings that the numbers depend on, to reproduce them; a line for each part of the result."""
        tables, _ = self._tables(View(table=self.tables[0]))
        return "\n".join(dict.fromkeys(table.signature for table in tables if table.signature))

    def to_text(self, table: str | None = None, *, wide: bool = False, **looks: Unpack[Looks]) -> str:
        """A table as lines of text; ``wide`` shows all columns. The rest is as in `to_markdown`."""
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
            return render.document(tables, self._layout(messages))

    def plot(self, figure: str | None = None, **options: Any) -> Figure:
        """A figure as ``biasvar plot`` draws it; ``figure`` is one of ``figures``, by default the first.

        ``options`` are those of the figure, such as ``form`` and ``families``, and those of all figures: ``width``
        (one, two, or 9cm), ``theme`` (light or dark) and ``title=False``. Raises `BiasVarError` for a figure that does
        not exist, and if the result is of several measures or targets but the figure is of one; `TypeError` for an
        unknown option.
        """
        with worded(self.nouns):
            return drawn(figure_of(self.figures, figure), self.answers, options)

    def _repr_html_(self) -> str:
        tables, messages = self._tables(View(table=self.tables[0]))
        with worded(self.nouns):
            return html.html(tables, self._layout(messages, typed=False))

    def __repr__(self) -> str:
        return self._rendered("text", None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        if self.analysis != other.analysis or self.tables != other.tables or self.measures != other.measures:
            return False
        if len(self.answers) != len(other.answers):
            return False
        names = [name for name in self.tables if "NAME" not in name]  # run:NAME stands for a table of each run
        return all(self.frame(name).equals(other.frame(name)) for name in names)

    def __hash__(self) -> int:
        return hash((self.analysis, self.measures, self.n_runs, self.n_queries))

    def _table_name(self, table: str | None) -> str:
        """The name of a table, by default of the first. Raises `UsageError` for a name that is not among ``tables``.

        ``run:NAME`` among ``tables`` stands for run:A, run:B and so on; that the run exists is checked where the table
        is made.
        """
        name = self.tables[0] if table is None else table
        if name not in self.tables and f"{name.partition(':')[0]}:NAME" not in self.tables:
            raise UsageError(f"there is no table {name!r}; there are {listed(self.tables, None)}")
        return name

    def _make_tables(self, view: View) -> list[Table]:
        """The tables of a view, one for each answer in most analyses."""
        module = _module(self.analysis, "table")
        tables: list[Table] = module.tables(self.answers, module.VIEW(**vars(view), **self.text))
        return tables

    def _tables(self, view: View) -> tuple[list[Table], Messages]:
        """The tables of a view, and the messages of the result with those that making the tables added."""
        with worded(self.nouns), keep_warnings() as messages:
            return self._make_tables(view), _merged(self.messages, messages)

    def _rendered(
        self,
        format_name: str,
        table: str | None,
        *,
        digits: int | None = None,
        notes: NotesChoice = "short",
        columns: str | Sequence[str] = (),
        sort: str | None = None,
        top: int | None = None,
        wide: bool = False,
        typed: bool = False,
    ) -> str:
        """A table in one of the text formats of `FORMATS`, as the command prints it where that is ``typed``.

        Raises `UsageError` for an option that is not valid.
        """
        sort, top = read_argument("sort", sort, str | None), read_argument("top", top, int | None)
        digits = read_argument("digits", digits, int | None)
        names = read_argument("columns", columns, str | Sequence[str])
        tables, messages = self._tables(View(table=self._table_name(table), format=format_name, sort=sort, top=top))
        layout = replace(
            self._layout(messages, typed=typed),
            digits=self.digits if digits is None else digits,
            notes=read_argument("notes", notes, NotesChoice),
            wide=wide or bool(names),
        )
        tables = with_columns(tables, names) if names else tables
        with worded(self.nouns):
            text = render.FORMATS[format_name].render(tables, layout)
        assert isinstance(text, str), "formats for people are text"
        return text

    def _layout(self, messages: Messages, *, typed: bool = True) -> Layout:
        """The usual layout, with these messages beside the table, in the words of the command where that is typed."""
        warnings, notices = (list(map(as_typed if typed else in_python, lines)) for lines in messages)
        return Layout(digits=self.digits, warnings=warnings, notices=notices, typed=typed)


def _stacked(tables: Sequence[Mapping[str, Sequence[Any]]]) -> dict[str, list[Any]]:
    """The columns of several tables below each other, with None where a table lacks a column.

    >>> _stacked([{"run": ["A"], "mean": [0.2]}, {"run": ["B"], "p": [0.1]}])
    {'run': ['A', 'B'], 'mean': [0.2, None], 'p': [None, 0.1]}
    """
    stacked: dict[str, list[Any]] = {name: [] for columns in tables for name in columns}
    for columns in tables:
        n_rows = len(next(iter(columns.values())))
        for name, values in stacked.items():
            values.extend(columns.get(name, [None] * n_rows))
    return stacked


def _merged(*messages: Messages) -> Messages:
    """All warnings and all notices of several `Messages`, without repetitions, in their order."""
    return Messages(
        list(dict.fromkeys(line for part in messages for line in part.warnings)),
        list(dict.fromkeys(line for part in messages for line in part.notices)),
    )


def only(values: Sequence[Value], noun: str) -> Value:
    """The single value of a sequence. Raises `UsageError` if there are none or several; ``noun`` names them.

    >>> only(["AP", "RR"], "measures")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: the result is of 2 measures
    """
    if len(values) != 1:
        raise UsageError(f"the result is of {len(values)} {noun}")
    return values[0]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TargetResult(Result):
    """The result of ``target``: ``frame()`` has a row for each query."""

    @property
    def target(self) -> VirtualTarget:
        """The virtual target: ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` in the order of the queries.

        Raises `UsageError` if the result has several measures.
        """
        targets: list[VirtualTarget] = [answer.target.in_unit for answer in self.answers]
        return only(targets, "measures")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DecompositionResult(Result):
    """The result of ``decompose``: ``frame()`` has a row for each run.

    ``correlations`` has the correlations of bias² and variance over the runs.
    """

    @property
    def target(self) -> VirtualTarget:
        """The virtual target: ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` in the order of the queries.

        ``scores`` is None for a target that is a mean alone. Raises `UsageError` if the result has several targets or
        measures.
        """
        targets: list[VirtualTarget] = [answer.target.in_unit for answer in self.answers]
        return only(targets, "targets and measures")

    @property
    def correlations(self) -> pd.DataFrame:
        """The correlations of bias² and variance over the runs, a row for each form, ``score`` and ``gap``.

        The columns are the coefficients of Pearson, Spearman and Kendall, and Pearson's r under the three null models,
        in which runs differ only in their means: ``null_r`` is the median of the first model, ``null_low`` and
        ``null_high`` are the least and the greatest end of the central 95 % of the three, ``p`` is two-sided, and
        ``verdict`` is stronger, weaker or none. The gap form has no p and no verdict, and ``null=False`` leaves out
        these five columns.
        """
        return self.frame("correlations").set_index("form")


_RESULT_TYPES: Mapping[str, type[Result]] = {"target": TargetResult, "decompose": DecompositionResult}


def function_of(analysis: str) -> Callable[..., Any]:
    """The function for notebooks of an analysis, such as ``bv.compare``.

    It is the function in the module ``notebook`` of the analysis, or one generated from the ``FUNCTION`` that the
    analysis declares. The meaning of each argument is added to the end of its docstring.
    """
    module = _module(analysis, "notebook")
    function: Callable[..., Any] = _generated_function(analysis) if module is None else getattr(module, analysis)
    meanings = dict(arguments.MEANINGS)
    for known in (module, import_module(f"biasvar_cli.analyses.{analysis}")):
        for member in vars(known).values() if known is not None else ():
            if not (isinstance(member, type) and issubclass(member, InputSettings)):
                meanings |= arguments.meanings_of(member)  # of a request that the function makes
    arguments.explain(function, meanings, signature(function).parameters)
    return function


def _generated_function(analysis: str) -> Callable[..., Any]:
    """The function that reads scores and answers a request, both as its arguments say; see `_signature_of`."""
    declared = import_module(f"biasvar_cli.analyses.{analysis}")
    declaration: Function = declared.FUNCTION
    result_type = _RESULT_TYPES.get(analysis, Result)
    function_signature = _signature_of(declaration, result_type)
    defaults = {name: argument.default for name, argument in function_signature.parameters.items() if name != "reading"}
    text_settings = [] if declaration.text is None else list(arguments.of_settings(declaration.text))

    def function(**typed: Any) -> Result:
        reading: Any = {name: value for name, value in typed.items() if name not in defaults}
        values = defaults | typed
        # the null models need the number of jobs, which is known once the scores are loaded
        request = requested(declaration.request, values, **({"null": None} if "null" in defaults else {}))
        scores = scores_from(values["scores"], values["measure"], values["qrels"], reading, request.auxiliary)
        if "null" in defaults:
            null = null_request(values, scores.jobs, stability=values.get("stability", False))
            request = replace(request, null=null)
        request = replace(request, jobs=scores.jobs)
        return result_type.from_answers(
            analysis,
            _module(analysis, "answer").answer(scores.track, request),
            declaration.tables(request) or tuple(declared.TABLES),
            scores=scores,
            text={name: values[name] for name in text_settings},
        )

    function.__name__ = function.__qualname__ = analysis
    function.__module__, function.__doc__ = "biasvar_cli", declaration.words
    function.__annotations__ = {name: argument.annotation for name, argument in function_signature.parameters.items()}
    function.__signature__ = function_signature  # type: ignore[attr-defined]
    return arguments.warning_there(function)


def _signature_of(declaration: Function, result_type: type[Result]) -> Signature:
    """The signature of a generated function: its arguments, and the type of its result.

    The arguments are, in this order: ``scores``; the setting that the declaration has first, if any; ``target``, if the
    request has one; ``measure`` and ``qrels``; the other settings of the request; ``null`` and ``null_samples``, if the
    request has null models; the settings of the text; ``seed``, if it is the last setting of the request; and
    ``reading``, the options of how inputs are read. All but the first two are keyword-only.
    """
    settings = arguments.of_settings(declaration.request, declaration.without)
    seed = {"seed": settings.pop("seed")} if next(reversed(settings), "") == "seed" else {}
    if declaration.null:
        settings["null"] = arguments.keyword("null", True, bool)
        settings["null_samples"] = arguments.keyword("null_samples", None, int | None)
    if declaration.text is not None:
        settings |= arguments.of_settings(declaration.text)
    settings |= seed
    names = [declaration.first] if declaration.first else []
    first = [settings.pop(name).replace(kind=Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    target = [settings.pop("target")] if "target" in settings else []
    scores = Parameter("scores", Parameter.POSITIONAL_OR_KEYWORD, annotation=ScoresLike)
    measure = arguments.keyword("measure", None, object | None)
    qrels = arguments.keyword("qrels", None, memory.Judgments | None)
    reading = Parameter("reading", Parameter.VAR_KEYWORD, annotation=Unpack[Reading])
    parameters = [scores, *first, *target, measure, qrels, *settings.values(), reading]
    return Signature(parameters, return_annotation=result_type)


def _module(analysis: str, name: str) -> Any:
    """A module of an analysis, such as ``figures``; None if the analysis has no module of this name."""
    path = f"biasvar_cli.analyses.{analysis}.{name}"
    return import_module(path) if find_spec(path) is not None else None
