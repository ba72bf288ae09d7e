"""The page itself: Jinja2 templates with autoescape, filled; data as JSON that cannot end its element."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.page.drawings import Drawing
from biasvar_cli.page.panel import Panel
from biasvar_cli.page.script import page_script
from biasvar_cli.page.script_data import colour_variables, vocabulary
from biasvar_cli.page.sheet import Sheet
from biasvar_cli.tables.rounding import printable
from biasvar_cli.words import VERSION, counted

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


@dataclass(frozen=True, kw_only=True)
class About:
    """What was evaluated, and how to do it again; ``command`` and ``figures`` are empty where no command does it.

    ``figures`` has the commands of the figures of each panel, by name.
    """

    title: str
    facts: Sequence[tuple[str, str]]
    files: Sequence[str]
    command: str
    figures: Sequence[Mapping[str, str]]
    warnings: Sequence[str]
    notices: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class TrendSection:
    """The tracks of a manifest over the years: their tables, and the figure of each coefficient."""

    sheets: Sequence[Sheet]
    correlations: Sequence[Drawing]


class Content(NamedTuple):
    """What a page shows. ``names`` are the listed runs, in the order of the scores of every panel.

    ``summary`` has the means of all measures, None for one measure.
    """

    summary: Sheet | None
    panels: Sequence[Panel]
    names: Sequence[str]
    baseline: str | None
    trend: TrendSection | None


def page(about: About, content: Content) -> str:
    """The whole page."""
    summary, panels, names, baseline, trend = content
    environment = _environment()
    style, script = colour_variables() + (_TEMPLATES / "report.css").read_text("utf-8"), page_script()
    sheets = [] if summary is None else [summary]
    sheets += [table for panel in panels for table in panel.sheets] + list(trend.sheets if trend is not None else [])
    data = {
        **vocabulary(),
        "names": [printable(name) for name in names],
        "baseline": None if baseline is None else list(names).index(baseline),
        "panels": [panel.data for panel in panels],
        "sheets": {table.key: table.data for table in sheets},
    }
    numbers = [(len(about.warnings), "warning"), (len(about.notices), "notice")]
    return environment.get_template("report.html.j2").render(
        about=about,
        n_messages=", ".join(counted(number, noun) for number, noun in numbers if number),
        n_warnings=counted(len(about.warnings), "warning"),
        words_of_columns=_words_of_columns(sheets),
        summary=summary,
        panels=panels,
        names=data["names"],
        trend=trend,
        coefficients=data["coefficients"],
        nouns=data["nouns"],
        version=VERSION,
        style=style,
        script=script,
        policy=_policy(script, style),
        data=embedded_json(data),
    )


def _words_of_columns(sheets: Sequence[Sheet]) -> list[tuple[str, str]]:
    """What the columns of some tables mean, each once; those that mean the same by all their names."""
    names: dict[str, dict[str, None]] = {}
    for table in sheets:
        for name, words in zip(table.heads, table.explained, strict=True):
            names.setdefault(words, {})[name] = None
    return [(", ".join(heads), words) for words, heads in names.items() if words]


def embedded_json(data: Any) -> str:
    r"""JSON for a script element: no character in it can end the element or begin a comment.

    >>> print(embedded_json(["</script><!--"]))
    ["\u003c/script\u003e\u003c!--"]
    """
    return json.dumps(data, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)


def _policy(script: str, style: str) -> str:
    """A Content-Security-Policy that forbids every request, and every script and style but ours."""
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    """The templates, which are compiled for the first page alone."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
