"""The script of the page, joined from its modules, and its data: tables, scores, words and colours.

A table has rounded cells to show, and the same rows unrounded for sorting and for csv.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from biasvar_cli.analyses.compare.answer import CompareAnswer
from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.analyses.profile.table import UNUSUAL
from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.arrays import ROUNDING, equalised
from biasvar_cli.decomposition.decompose import Decomposition, pareto_front
from biasvar_cli.drawing.style import THEMES
from biasvar_cli.nulls.verdicts import LEAST_RUNS
from biasvar_cli.scoring.families import Family
from biasvar_cli.specs.limits import FEWEST_QUERIES
from biasvar_cli.stats.significance import PRIMARY, TESTS
from biasvar_cli.tables import render
from biasvar_cli.tables.column import Column
from biasvar_cli.tables.layout import LATEX_SIGNS, LIGATURE, MARKDOWN, NO_MARK, Layout, text_columns
from biasvar_cli.tables.rounding import in_words
from biasvar_cli.tables.rows import View
from biasvar_cli.tables.table import Table
from biasvar_cli.words import (
    COEFFICIENT_TITLES,
    FORMS,
    NOUNS,
    QUERIES,
    RUNS,
    TOTAL,
    VAR,
    VAR_TITLES,
    counted,
    in_nouns,
    printable,
)

DIGITS = 4
AnyView = TypeVar("AnyView", bound=View)
_LAYOUT = Layout(digits=DIGITS, notes="full")


class Sheet(NamedTuple):
    """One table of the page.

    ``label`` is the title with the kind of table; no two tables of the page have the same label. ``verdict`` are the
    sentences above the table. ``columns`` are the names of the columns to sort by (for an interval, its lower end),
    ``heads`` their heads, ``explained`` their meanings. ``descends`` says whether the best values of a column are the
    largest ones. ``rows`` are the cells as text, in the order of the page; ``last`` is the row of the target below
    them, or empty. ``data`` goes into the page as JSON: all columns, hidden ones too, and the rows unrounded.
    """

    key: str
    title: str
    label: str
    columns: tuple[str, ...]
    heads: tuple[str, ...]
    numeric: tuple[bool, ...]
    explained: tuple[str, ...]
    descends: tuple[bool, ...]
    data: dict[str, Any]
    verdict: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    last: Sequence[str] = ()
    notes: Sequence[str] = ()


def sheet(
    key: str,
    table: Table,
    *,
    order: Sequence[int] | None = None,
    people: Table | None = None,
    words: str = "",
    digits: int = DIGITS,
    first: Sequence[str] = (),
) -> Sheet:
    """A table for the page, with its rows in this ``order`` and these columns ``first``.

    ``people`` is the same table with cells for people, if they differ from those of ``table``, which the csv has.
    ``words`` stand before the title.

    >>> from biasvar_cli.tables.column import Column, filled
    >>> run, mean = Column("run", "the run", lambda _: "AB"), Column("mean", "the mean", lambda means: means)
    >>> two_runs = sheet("t", Table.of("Two runs", filled([run, mean], [0.25, 1 / 3])), order=[1, 0])
    >>> two_runs.rows, two_runs.data["rows"]
    ([['B', '0.3333'], ['A', '0.2500']], [['B', 0.3333333333333333], ['A', 0.25]])
    """
    people = people or table
    rows = list(table.rows())
    indices = range(len(rows)) if order is None else order
    columns = [column.marked() for column in text_columns(people, digits)]
    columns.sort(key=lambda column: first.index(column.column_name) if column.column_name in first else len(first))
    title = f"{words}: {in_words(people.title, digits)}" if words else in_words(people.title, digits)
    declared = [column.declared for column in columns]
    return Sheet(
        key=key,
        title=title,
        label=f"{in_nouns(key.rpartition('-')[2])}: {title}",
        verdict=_lines(people.verdict, digits),
        columns=tuple(people.intervals.get(column.column_name, (column.column_name, ""))[0] for column in columns),
        heads=tuple(column.head for column in columns),
        numeric=tuple(column.right for column in columns),
        explained=tuple(column.text_meaning if column else "" for column in declared),
        descends=tuple(column is not None and column.better == "more" for column in declared),
        rows=[[column.cells[index].replace(NO_MARK, "") for column in columns] for index in indices],
        last=[column.last for column in columns] if people.target_row else [],
        notes=[line for part in _LAYOUT.parts(people) for line in _lines((*part.notes, *part.details), digits)],
        data={
            "title": title,
            "columns": list(table.columns),
            "headings": {name: column.latex_head for name, column in table.declared.items()},
            "rows": [
                [None if isinstance(cell, float) and isnan(cell) else cell for cell in rows[index]] for index in indices
            ],
        },
    )


def sheet_in_order(
    key: str, table: Callable[[AnyView], Table], view: AnyView, *, words: str = "", digits: int = DIGITS
) -> Sheet:
    """A table in a view for people; its csv has the same rows in the same order."""
    rows = table(replace(view, format="csv", best_first=True))
    return sheet(key, rows, people=table(view), words=words, digits=digits)


def blank_sheet(key: str, title: str, columns: Iterable[Column[Any]], words: Collection[str]) -> Sheet:
    """A table of the chosen runs, whose rows the script fills in; the columns in ``words`` have no numbers."""
    declared = list(columns)
    names = tuple(column.name for column in declared)
    return Sheet(
        key=key,
        title=title,
        label=title,
        columns=names,
        heads=tuple(column.text_head for column in declared),
        numeric=tuple(name not in words for name in names),
        explained=tuple(column.text_meaning for column in declared),
        descends=tuple(column.better == "more" for column in declared),
        data={
            "title": title,
            "columns": list(names),
            "headings": {column.name: column.latex_head for column in declared},
            "rows": [],
        },
    )


def _lines(notes: Iterable[str], digits: int) -> list[str]:
    return [in_words(note, digits) for note in notes]


def document(table: Table) -> dict[str, Any]:
    """The JSON of a table, as ``-f json`` writes it."""
    result: dict[str, Any] = render.document([table], _LAYOUT)["results"][0]
    return result


TEMPLATES = Path(__file__).parent / "templates"


def vocabulary() -> dict[str, Any]:
    """The words and rules that the script shares with the program: nouns, digits, titles of columns, escapes."""
    nouns = {name: str(noun) for name, noun in NOUNS.items()}
    with_capital = {name.title(): f"{noun:title}" for name, noun in NOUNS.items()}
    return {
        "nouns": {**nouns, **with_capital, "aRun": f"{NOUNS['run']:a}"},
        "digits": DIGITS,
        "rounding": ROUNDING,
        "coefficients": COEFFICIENT_TITLES,
        "forms": {form: {"var": VAR[form], "total": TOTAL[form], "words": VAR_TITLES[form]} for form in FORMS},
        "escapes": {"markdown": MARKDOWN.pattern, "ligature": LIGATURE.pattern, "latex": LATEX_SIGNS},
        "stability": {"unusual": UNUSUAL, "least_runs": LEAST_RUNS},
    }


def colour_variables() -> str:
    """The colours of both themes as variables of the style sheet; the script reads the variables of the heat map."""
    rules = []
    for selector, theme in ((":root", THEMES["light"]), (':root[data-theme="dark"]', THEMES["dark"])):
        colours = {
            "back": theme.background,
            "text": theme.text,
            "grey": theme.grey,
            "faint": theme.faint,
            "dark-fill": theme.dark_fill,
            "light-fill": theme.light_fill,
            "loss": theme.below,
            "highlight": theme.highlight,
            "ramp": " ".join(theme.ramp),
            **{f"c{index}": colour for index, colour in enumerate(theme.series)},
        }
        variables = " ".join(f"--{name}: {value};" for name, value in colours.items())
        rules.append(f"{selector} {{ {variables} }}\n")
    return "".join(rules)


def panel_data(
    decomposed: DecomposeAnswer, target: TargetAnswer, compared: CompareAnswer | None, families: Sequence[Family]
) -> dict[str, Any]:
    """The data that the script needs for a panel, apart from its tables; ``compared`` is None for a single query."""
    result, scores, goal = decomposed.result, target.targeted.scores.in_unit, target.target.in_unit.scores
    index_of = {run: index for index, run in enumerate(result.runs)}
    return {
        "families": [
            {
                "name": printable(family.name),
                "members": [index_of[run] for run in family.members],
            }
            for family in families
        ],
        "fronts": _fronts(result),
        "apart": _critical_difference(compared),
        "queries": [printable(query) for query in scores.queries],
        "difficulty": target.difficulty.rank.tolist(),
        "alike": target.difficulty.alike.tolist(),
        "scores": scores.values.tolist(),
        "target_scores": None if goal is None else goal.tolist(),
        "spread": np.quantile(target.pool.in_unit.values, (0, 0.25, 0.5, 0.75, 1), axis=0).tolist(),
    }


def _critical_difference(answer: CompareAnswer | None) -> dict[str, Any]:
    """The difference of means above which two runs differ, and its test; or None and the reason."""
    n_queries = 1 if answer is None else answer.n_queries
    if answer is None or n_queries < FEWEST_QUERIES:
        needs = f"the {TESTS[PRIMARY].words} needs at least {FEWEST_QUERIES} {QUERIES}, found {n_queries}"
        return {"critical": None, "words": f"not tested: {needs}"}
    tests = answer.tests
    if tests.systems is not None:
        words = "systems of several runs have no critical difference; beats, beaten by and rank stand under Differences"
        return {"critical": None, "words": words}
    if not np.isfinite(tests.primary.critical):
        return {"critical": None, "words": f"no difference on {n_queries} {QUERIES} would be significant"}
    pairs = counted(len(tests.delta), "pair")
    how = f"{100 * answer.request.level:g} % for all {pairs} of {RUNS} together, {tests.words(PRIMARY)}"
    return {"critical": tests.primary.critical, "words": how}


def _fronts(result: Decomposition) -> dict[str, list[int] | None]:
    """The indices of the runs on the Pareto front of each form, by ascending bias²; None for an undefined form.

    The same `pareto_front` filters the table of runs.
    """
    fronts: dict[str, list[int] | None] = {}
    for form in FORMS:
        var = getattr(result, VAR[form])
        front = np.flatnonzero(pareto_front(result.bias2, var))
        along = np.lexsort((equalised(var)[front], equalised(result.bias2)[front]))
        fronts[form] = front[along].tolist() if np.isfinite(var).all() else None
    return fronts


_COMMENT = re.compile(r"^[ ]*(?:/\*.*?\*/|//[^\n]*)\n", re.DOTALL | re.MULTILINE)  # comments on lines of their own
_INDENT = re.compile(r"^ +", re.MULTILINE)  # the scripts have no text of several lines, whose indents would matter


def page_script() -> str:
    """The scripts of the page in one scope, without indents, and without comments on lines of their own.

    The order of the modules is free, except for `data`, which comes first, and `main`, which starts the page: before
    `main`, modules define functions and use only the data.
    """
    names = {path.stem for path in (TEMPLATES / "script").glob("*.js")}
    order = ["data", *sorted(names - {"data", "main"}), "main"]
    texts = ((TEMPLATES / "script" / f"{name}.js").read_text("utf-8") for name in order)
    code = "".join(_INDENT.sub("", _COMMENT.sub("", text)).strip("\n") + "\n" for text in texts)
    return f'"use strict";\n(() => {{\n{code}}})();'
