"""What the script of the page shares with the rest of the program: words, rules of rounding and escaping, colours."""

from __future__ import annotations

from typing import Any

from biasvar_cli.analyses.tracks.request import SAMPLINGS
from biasvar_cli.arrays import ROUNDING
from biasvar_cli.drawing.style import THEMES, Theme
from biasvar_cli.report.columns import best_is_high, explained
from biasvar_cli.report.sheet import DIGITS
from biasvar_cli.tables.escapes import LATEX_SIGNS, LIGATURE, MARKDOWN
from biasvar_cli.tables.headings import LATEX_HEADINGS
from biasvar_cli.words import COEFFICIENT_TITLES, FORMS, TOTAL, VAR, VAR_TITLES

_SAMPLING_WORDS = {
    "single": "single queries",
    "random": "random subsets",
    "random-exact": "random, expected",
    "difficulty": "by difficulty",
    "groups": "given groups",
}
_MADE = (  # columns of the tables that the script makes
    *("query_id", "difficulty", "target", "score", "gap", "second", "difference", "outcome"),
    *("sampling", "subset_size", "normalised", "form", *COEFFICIENT_TITLES, "null_median", "null_low", "null_high"),
    *("track", "series", "year", "measure"),
)


def vocabulary() -> dict[str, Any]:
    """Words and rules, as they go into the data of the page."""
    return {
        "digits": DIGITS,
        "rounding": ROUNDING,
        "n_colours": len(THEMES["light"].series),
        "coefficients": COEFFICIENT_TITLES,
        "forms": {form: {"var": VAR[form], "total": TOTAL[form], "words": VAR_TITLES[form]} for form in FORMS},
        "samplings": _SAMPLING_WORDS,
        "series": SAMPLINGS,
        "heads": {
            kind: {name: [explained(kind, name), best_is_high(name)] for name in _MADE} for kind in ("own", "shown")
        },
        "escapes": {
            "markdown": MARKDOWN.pattern,
            "ligature": LIGATURE.pattern,
            "latex": LATEX_SIGNS,
            "headings": LATEX_HEADINGS,
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
        **{f"c{place}": colour for place, colour in enumerate(theme.series)},
    }
    return " ".join(f"--{name}: {value};" for name, value in colours.items())
