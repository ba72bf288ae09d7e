"""Declarations of the columns of tables: name, meaning, source of the values, and appearance.

Heads of text and LaTeX, ``--sort`` and ``--columns`` with their completion, the page and the reference are made from
these declarations. This module imports no module that computes, so that a shell can complete names quickly. The columns
that several analyses share are at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from operator import attrgetter
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from biasvar_cli import words
from biasvar_cli.words import Better, in_nouns, nouns_in_use

Source = TypeVar("Source")
Part = TypeVar("Part")
_Other = TypeVar("_Other")


@dataclass(frozen=True, eq=False)
class Column(Generic[Source]):
    r"""A column of a table whose rows are read from a ``Source``.

    Attributes
    ----------
    name
        The column's name in csv, in JSON and for ``--sort`` and ``--columns``.
    meaning
        The definition, in markdown.
    values
        A function of the source, or the path of an attribute of the source, by default ``name``. The result is a value
        for each row, or None if the column was not asked for.
    head, latex
        The head in text, by default ``name``, and in LaTeX, by default ``head``.
    better
        Whether the largest ("more") or the smallest value ("less") is the best.
    signed
        Whether positive numbers are printed with a plus.
    hidden
        Whether only programs and ``--columns`` show the column.
    priority
        Columns with the highest priority are left out first where the text is too narrow for all. Columns with
        priority 0 are left out only if nothing else helps (`tables.narrow`).
    option
        The option that adds the column.
    key
        Whether the column has one value for all rows. ``values`` returns that value, and rows of JSON do not have it.
    cell_headings
        The LaTeX heads of columns that cells name.
    of_replicates
        Whether the words "runs" in head and meaning are the replicates of a system.
    kind
        "score" for utilities, of which more is better; the table prints them as scores (`Cells.in_unit`).
    turned
        Whether less of the measure is better, so that values are printed with their sign changed.
    other_end
        The column with the other end of the same interval. When signs change, the two ends change places.

    >>> half = Column("half", "half of it", lambda numbers: [x / 2 for x in numbers], latex="$x/2$")
    >>> half.of([1, 2]), half.heading
    ([0.5, 1.0], '$x/2$')
    >>> imaginary = Column("imag", "the imaginary part")
    >>> imaginary.of(1j), Column("var_gap", "a variance").heading, Column("n", "how many", len, head="rows").heading
    (1.0, 'var gap', 'rows')
    """

    name: str
    meaning: str
    values: Callable[[Source], Any] | str = ""
    _: KW_ONLY
    head: str = ""
    latex: str = ""
    better: Literal["more", "less", ""] = ""
    signed: bool = False
    hidden: bool = False
    priority: int = 0
    option: str = ""
    key: bool = False
    cell_headings: Mapping[str, str] = field(default_factory=dict)
    of_replicates: bool = False
    kind: Literal["score", ""] = ""
    turned: bool = False
    other_end: str = ""

    def __post_init__(self) -> None:
        if not self.values:
            object.__setattr__(self, "values", self.name)

    def of(self, source: Source) -> Any:
        """The values of a source."""
        return _reader(self.values)(source)

    @property
    def heading(self) -> str:
        """The head in LaTeX."""
        return self.latex or (self.head or self.name).replace("_", " ").replace("&", "\\&").replace("%", "\\%")

    @property
    def text_head(self) -> str:
        """The head in text, in the nouns in use."""
        if self.name == "query_id" and nouns_in_use().query != "query":
            return str(words.QUERY)
        return in_nouns(self.head or self.name, runs=not self.of_replicates)

    @property
    def latex_head(self) -> str:
        """The head in LaTeX, in the nouns in use."""
        return in_nouns(self.heading, runs=not self.of_replicates)

    @property
    def text_meaning(self) -> str:
        """The meaning as plain text, in the nouns in use."""
        return in_nouns(self.meaning, runs=not self.of_replicates).replace("`", "")

    def towards(self, better: Better) -> Column[Source]:
        """The same column where more or less of the measure is better.

        >>> mean = Column("mean", "the mean score", better="more", kind="score")
        >>> mean.towards("less").better, mean.towards("less").turned, mean.towards("more") is mean
        ('less', True, True)
        """
        if better == "more" or self.kind != "score":
            return self
        other: dict[str, Literal["more", "less", ""]] = {"more": "less", "less": "more", "": ""}
        return replace(self, better=other[self.better], turned=True)

    def on(self, source: Callable[[_Other], Source | None] | str) -> Column[_Other]:
        """The same column of another object, from which a path or function gets the source, or None for no values."""
        read = _reader(source)
        return replace(self, values=lambda other: None if (part := read(other)) is None else self.of(part))  # type: ignore[arg-type, return-value]

    def over(self, sources: Callable[[_Other], Iterable[Source | None] | None] | str) -> Column[_Other]:
        """The same column of another object, from which a path or function gets several sources, one for each row.

        A source that is None makes an empty row. None in place of all sources leaves the column out.

        >>> from types import SimpleNamespace
        >>> Column("imag", "the imaginary part").over("numbers").of(SimpleNamespace(numbers=[1j, None, 2 + 3j]))
        [1.0, None, 3.0]
        """
        read = _reader(sources)

        def values(other: _Other) -> list[Any] | None:
            parts = read(other)
            return None if parts is None else [None if part is None else self.of(part) for part in parts]

        return replace(self, values=values)  # type: ignore[arg-type, return-value]

    def labelled(self, label: str) -> Column[Source]:
        """The column of a family for one of its parts: the label replaces every ``{}``."""
        return replace(
            self, **{name: getattr(self, name).replace("{}", label) for name in ("name", "meaning", "head", "latex")}
        )

    def part(
        self, suffix: str, meaning: str, values: Callable[[Source], Any] | str, latex: str, **changes: Any
    ) -> Column[Source]:
        """A column that belongs to this one, such as its p-values; ``latex`` is added to the LaTeX head of this one."""
        return Column(f"{self.name}{suffix}", meaning, values, latex=f"{self.heading}, {latex}", **changes)

    def ends(self, of: Callable[[Source], Any], **changes: Any) -> tuple[Column[Source], Column[Source]]:
        """The columns of the two ends of this column's interval; ``of`` returns both, or None without an interval."""

        def end(index: int) -> Callable[[Source], Any]:
            return lambda source: None if (ends := of(source)) is None else ends[index]

        meaning = f"end of the interval of `{self.name}`"
        changes |= {"kind": self.kind}
        low, high = (
            self.part(
                f"_{name}", f"the {word} {meaning}", end(index), name, other_end=f"{self.name}_{other}", **changes
            )
            for index, (name, word, other) in enumerate((("low", "lower", "high"), ("high", "upper", "low")))
        )
        return low, high

    def optional(self, option: str) -> Column[Source]:
        """The same column, added by an option."""
        return replace(self, option=option)


def _reader(values: Callable[[Source], Any] | str) -> Callable[[Source], Any]:
    return attrgetter(values) if isinstance(values, str) else values


def attribute(name: str, meaning: str, path: str = "", **others: Any) -> Column[Any]:
    """A column of rows that are objects: the attribute ``name`` of each, or the one at ``path``, such as ``trend.tau``.

    >>> attribute("imag", "the imaginary part").of([1j, 2 + 3j])
    [1.0, 3.0]
    """
    value = attrgetter(path or name)
    return Column(name, meaning, lambda rows: [value(row) for row in rows], **others)


@dataclass(frozen=True)
class Family(Generic[Source, Part]):
    """Columns that a table has for each of several parts, such as for each alpha.

    ``parts`` returns the parts by label; the label replaces ``{}`` in the columns. Completion offers the ``usual``
    labels. The reference lists the columns once, with the label ``any``, or, if that is empty, with all usual labels.
    """

    parts: Callable[[Source], Mapping[str, Part]]
    columns: tuple[Column[Part], ...]
    usual: tuple[str, ...]
    any: str = ""


Declared = Sequence[Column[Source] | Family[Source, Any]]


def expanded(declared: Declared[Any], *, once: bool = False) -> Iterator[Column[Any]]:
    """All columns, with the columns of families for all usual labels, or ``once``, as in the reference."""
    for column in declared:
        if isinstance(column, Family):
            labels = (column.any,) if once and column.any else column.usual
            yield from (member.labelled(label) for label in labels for member in column.columns)
        else:
            yield column


def meanings(declared: Declared[Any]) -> dict[str, str]:
    """The meanings of all columns, with the options that add them, as the reference lists them."""
    return {
        column.name: f"with `{column.option}`: {column.meaning}" if column.option else column.meaning
        for column in expanded(declared, once=True)
    }


class Cells(NamedTuple):
    """The columns of a table by name, as lists of the same length, and their declarations.

    Scores are utilities, by which rows are ordered, until `in_unit`. If rows are left out, ``n_rows`` is the number of
    all rows, and ``best_elsewhere`` has the names of the columns whose best value is in a row that is left out. The
    last rows may be rows from further down; ``below`` has their names and their numbers in the order of all rows.
    """

    columns: dict[str, list[Any]]
    declared: dict[str, Column[Any]]
    below: tuple[tuple[str, int], ...] = ()
    n_rows: int | None = None
    best_elsewhere: frozenset[str] = frozenset()

    def rows(self, order: Iterable[int]) -> Cells:
        """The same columns, with some of the rows in another order."""
        rows = list(order)
        return self._replace(columns={name: [values[row] for row in rows] for name, values in self.columns.items()})

    def moved(self, names: Iterable[str], *, before: str) -> Cells:
        """The same columns, with some moved ``before`` another column.

        >>> list(Cells({"a": [], "b": [], "c": []}, {}).moved(["c"], before="b").columns)
        ['a', 'c', 'b']
        """
        order = [name for name in self.columns if name not in (moved := tuple(names))]
        order[order.index(before) : order.index(before)] = moved
        return self._replace(columns={name: self.columns[name] for name in order})

    @property
    def in_unit(self) -> Cells:
        """The same columns with scores in the unit of the measure: ``turned`` columns change their sign.

        The two ends of an interval change places.

        >>> mean = Column("mean", "the mean score", lambda means: means, kind="score").towards("less")
        >>> ends = (column.towards("less") for column in mean.ends(lambda means: ([-3.0], [-1.0])))
        >>> filled([mean, *ends], [-2.0]).in_unit.columns
        {'mean': [2.0], 'mean_low': [1.0], 'mean_high': [3.0]}
        """
        turned = {name: column for name, column in self.declared.items() if column.turned and name in self.columns}
        printed = {
            name: [None if value is None else 0.0 - value for value in self.columns[column.other_end or name]]
            for name, column in turned.items()
        }
        done = {name: replace(column, turned=False) for name, column in turned.items()}
        if not turned:
            return self
        return self._replace(columns={**self.columns, **printed}, declared={**self.declared, **done})

    def records(self) -> list[dict[str, Any]]:
        """The rows of JSON, as dicts without the keys, with scores in the unit of the measure.

        >>> filled([Column("run", "the run", lambda _: ["B", "A"])], None).records()
        [{'run': 'B'}, {'run': 'A'}]
        """
        columns = {name: values for name, values in self.in_unit.columns.items() if not self.declared[name].key}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def filled(declared: Declared[Source], source: Source) -> Cells:
    """The columns that were asked for, with their values; keys first.

    A source, or a part of one, may have an attribute ``better`` for the direction of its measure.

    >>> size = Column("size", "how many", lambda words: [len(word) for word in words])
    >>> filled((Column("of", "of what", lambda words: "words", key=True), size), ["a", "bc"]).columns
    {'of': ['words', 'words'], 'size': [1, 2]}
    """
    there = list(_with_values(declared, source, "more"))
    columns = {
        column.name: values.tolist() if hasattr(values, "tolist") else list(values)
        for column, values in there
        if not column.key
    }
    n_rows = len(next(iter(columns.values())))
    keys = {column.name: [value] * n_rows for column, value in there if column.key}
    named = {column.name: column for column, _ in there}
    return Cells({**keys, **columns}, {name: named[name] for name in (*keys, *columns)})


def _with_values(declared: Declared[Any], source: Any, better: Better) -> Iterator[tuple[Column[Any], Any]]:
    """The columns that were asked for, with their values; families of columns are expanded."""
    better = getattr(source, "better", better)
    for column in declared:
        if isinstance(column, Family):
            for label, part in column.parts(source).items():
                yield from _with_values([member.labelled(label) for member in column.columns], part, better)
        elif (values := column.of(source)) is not None or column.key:
            yield column if column.key else column.towards(better), values


def added_by(name: str, declared: Iterable[Column[Any]]) -> str:
    """The option that adds a column, as a hint; empty for a column without an option, or of an unknown name.

    >>> added_by("rank", [Column("rank", "rank by total", len, option="--rank")])
    '--rank adds it'
    """
    options = [column.option for column in declared if column.name == name and column.option]
    return f"{options[0]} adds it" if options else ""


_BIAS = (
    "the target's mean minus the run's mean, or the reverse for a measure of which less is better: less is more "
    "effective; negative if the run has the better mean"
)
_VAR = "population variance of the run's scores over the queries (score form): less is more even"
_TOTAL = "`bias2` + `var`, the mean squared distance of the scores from the target's mean; never weighted"
_VAR_GAP = (
    "population variance of target minus score over the queries (gap form): less is more evenly behind the target"
)
_TOTAL_GAP = "`bias2` + `var_gap`, the mean squared distance of the scores from the target's; never weighted"
_VAR_QUERIES = (
    "the part of `var` that is over queries: the population variance of the mean scores of the system's runs; empty "
    "for a system of one run, like the next two"
)
_VAR_REPLICATES = (
    "the rest of `var`: the population variance of the scores of the system's runs on a query, mean over the queries; "
    "also the rest of `var_gap`"
)
_SD_REPLICATES = "the standard deviation, divisor K - 1, of the means of the system's K runs: the ± of a mean"
_UNIQUE = (
    "what the mean of the best scores would lose without the run: the mean over queries of max(0, score - best of the "
    "other runs); undefined for a pool of one run; `biasvar target` has it for the target `best` alone"
)
_BIAS_LORO = (
    "the bias against the best of the other runs (leave one run out), that against the best of all minus `unique`; may "
    "be negative; undefined where `unique` is"
)
_NULL_R = "the median of Pearson's r under the first of three null models, in which runs differ only in their means"
_NULL_LOW = "the lower end of the range of r in these models: the least of the lower ends of their central 95 %"
_NULL_P = "two-sided, the largest of the three; only where there is a verdict"
_VERDICT = "`stronger` or `weaker` where r lies beyond all three, else `none`; of single queries in the score form"


def _by_name(*columns: Column[Any]) -> dict[str, Column[Any]]:
    return {column.name: column for column in columns}


MEASURE: Column[Any] = Column("measure", "the measure, by ir-measures' name; empty if it is not known", key=True)
TARGET: Column[Any] = Column("target", "the target, as asked for", "target.label", key=True)
RUN: Column[Any] = Column("run", "the name of the run", "runs")
QUERY: Column[Any] = Column("query_id", "the query", "queries", latex="query")
MEAN: Column[Any] = Column("mean", "the mean score of the run over the queries", better="more", kind="score")
QUANTITIES = _by_name(
    MEAN,
    Column("bias", _BIAS, better="less", priority=4),
    Column("bias2", "`bias` squared", head="bias²", latex="bias$^2$", better="less", priority=1),
    Column("var", _VAR, latex="variance", better="less", priority=1),
    Column("total", _TOTAL, better="less"),
    Column("var_gap", _VAR_GAP, latex="variance (gap)", better="less", priority=3),
    Column("total_gap", _TOTAL_GAP, latex="total (gap)", better="less", priority=3),
)
_REPLICATES: tuple[Column[Any], ...] = (
    Column("n_replicates", "the number of runs of the system", head="runs"),
    Column("var_queries", _VAR_QUERIES, "queries", latex="variance over queries", better="less", priority=7),
    Column("var_replicates", _VAR_REPLICATES, "replicates", latex="variance over replicates", better="less"),
    Column("sd_replicates", _SD_REPLICATES, "sd", latex="sd over replicates", better="less", priority=3),
)
REPLICATES = tuple(  # of the parts of the variance of systems
    replace(column, option="--replicates", of_replicates=True) for column in _REPLICATES
)
UNIQUE: Column[Any] = Column("unique", _UNIQUE, better="more")
BIAS_LORO: Column[Any] = Column("bias_loro", _BIAS_LORO, "bias", latex="bias without the run", better="less")
_PEARSON = "Pearson's r of bias² and variance over the runs"
COEFFICIENTS = _by_name(
    Column("pearson", _PEARSON, latex="Pearson's $r$", signed=True),
    Column("spearman", "Spearman's rho", latex="Spearman's $\\rho$", signed=True, priority=3),
    Column("kendall", "Kendall's tau-b", latex="Kendall's $\\tau$", signed=True, priority=4),
)
_FORM: Column[Any] = Column("form", "`score` or `gap`; the normalised form has one, `score`")
_NULL: tuple[Column[Any], ...] = (
    Column("null_r", _NULL_R, "pearson.median", head="null median", latex="null $r$", signed=True, priority=5),
    Column("null_low", _NULL_LOW, "pearson.low", latex="null, low", signed=True, priority=1),
    Column("null_high", "the upper end of that range", "pearson.high", latex="null, high"),
    Column("p", _NULL_P, "pearson.p", latex="$p$", priority=2),
    Column("verdict", _VERDICT),
)
NULL = tuple(column.optional("--null") for column in _NULL)  # of what null models say of a row
CORRELATIONS: tuple[Column[Any], ...] = (
    _FORM.over("rows"),
    *(column.on("correlations").over("rows") for column in COEFFICIENTS.values()),
)
BY_NULL: tuple[Column[Any], ...] = tuple(column.over("by_null") for column in NULL)  # a row of null models each
_R: Column[Any] = Column("r", "Pearson's r", latex="$r$", signed=True)
SHARED = _by_name(*QUANTITIES.values(), *COEFFICIENTS.values(), _FORM, *NULL, _R)  # for small tables without columns
