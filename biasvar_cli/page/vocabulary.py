"""What the script of the page shares with the rest of the program: words, rules of rounding and escaping, colours."""

from __future__ import annotations

from typing import Any

from biasvar_cli.analyses.target import columns as target
from biasvar_cli.arrays import ROUNDING
from biasvar_cli.drawing.style import THEMES, Theme
from biasvar_cli.page.sheet import DIGITS
from biasvar_cli.tables.column import Column, expanded
from biasvar_cli.tables.escapes import LATEX_SIGNS, LIGATURE, MARKDOWN
from biasvar_cli.words import COEFFICIENT_TITLES, FORMS, QUERIES, QUERY, RUN, RUNS, TOTAL, VAR, VAR_TITLES

_OF_PAGE: tuple[Column[Any], ...] = (  # columns of the table that the script makes of one run, or of two
    Column("score", "the score on the query", len, better="more"),
    Column("target", "the target's score on the query", len),
    Column("gap", "target minus score", len),
    Column("second", "score of the second run", len),
    Column("difference", "score of the run minus that of the second run", len, better="more"),
    Column("outcome", "win, tie or loss of the run against the second run", len),
)


def _made() -> dict[str, Column[Any]]:
    """The columns of the table that the script makes, of the queries of one run."""
    return {column.name: column for column in (*expanded(target.TABLES["queries"]), *_OF_PAGE)}


def nouns() -> dict[str, str]:
    """What sentences of the page call a query and a run, by the usual nouns."""
    words = {"query": QUERY, "queries": QUERIES, "run": RUN, "runs": RUNS}
    with_capital = {name.title(): f"{noun:title}" for name, noun in words.items()}
    return {name: str(noun) for name, noun in words.items()} | with_capital | {"aRun": f"{RUN:a}"}


def vocabulary() -> dict[str, Any]:
    """Words and rules, as they go into the data of the page."""
    made = _made()
    return {
        "nouns": nouns(),
        "digits": DIGITS,
        "rounding": ROUNDING,
        "n_colours": len(THEMES["light"].series),
        "coefficients": COEFFICIENT_TITLES,
        "forms": {form: {"var": VAR[form], "total": TOTAL[form], "words": VAR_TITLES[form]} for form in FORMS},
        "heads": {name: [column.shown_meaning, column.better == "more"] for name, column in made.items()},
        "escapes": {
            "markdown": MARKDOWN.pattern,
            "ligature": LIGATURE.pattern,
            "latex": LATEX_SIGNS,
            "headings": {name: column.shown_heading for name, column in made.items()},
        },
    }


def colour_variables() -> str:
    """The colours of both themes as variables of the style sheet, of which the script reads those of the heat map."""
    light, dark = (_variables(THEMES[theme]) for theme in ("light", "dark"))
    return f':root {{ {light} }}\n:root[data-theme="dark"] {{ {dark} }}\n'


def _variables(theme: Theme) -> str:
    colours = {
        "back": theme.background,
        "text": theme.text,
        "grey": theme.grey,
        "faint": theme.faint,
        "dark-fill": theme.dark_fill,
        "light-fill": theme.light_fill,
        "loss": theme.below,
        "ramp": " ".join(theme.ramp),
        **{f"c{index}": colour for index, colour in enumerate(theme.series)},
    }
    return " ".join(f"--{name}: {value};" for name, value in colours.items())
