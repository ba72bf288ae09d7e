"""The page itself: Jinja2 templates with autoescape, filled; data as JSON that cannot end its element.

The modules of the page's script are joined into one, so that the page needs no file beside it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from biasvar_cli.page.drawings import Drawing
from biasvar_cli.page.panel import Panel
from biasvar_cli.page.script_data import colour_variables, vocabulary
from biasvar_cli.page.sheet import Sheet
from biasvar_cli.tables.rounding import printable
from biasvar_cli.words import VERSION, counted, is_highlighted

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


class ProfileSection(NamedTuple):
    """A highlighted run beside the best of the others and the baseline: a table for each measure."""

    run: str
    sheets: Sequence[Sheet]


class Content(NamedTuple):
    """What a page shows. ``names`` are the listed runs, in the order of the scores of every panel; the first
    highlighted one is chosen when the page opens.

    ``summary`` has the means of all measures, None for one measure; ``judges`` what other judgments change, by measure;
    ``profiles`` the highlighted runs.
    """

    summary: Sheet | None
    panels: Sequence[Panel]
    names: Sequence[str]
    baseline: str | None
    trend: TrendSection | None
    judges: Sequence[Sheet] = ()
    profiles: Sequence[ProfileSection] = ()


def page(about: About, content: Content) -> str:
    """The whole page."""
    summary, panels, names, baseline, trend, judges, profiles = content
    environment = _environment()
    style, script = colour_variables() + (_TEMPLATES / "report.css").read_text("utf-8"), page_script()
    sheets = [] if summary is None else [summary]
    sheets += [table for profile in profiles for table in profile.sheets]
    sheets += [table for panel in panels for table in panel.sheets] + [
        *(trend.sheets if trend is not None else []),
        *judges,
    ]
    data = {
        **vocabulary(),
        "names": [printable(name) for name in names],
        "run": next((place for place, name in enumerate(names) if is_highlighted(name)), None),
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
        judges=judges,
        profiles=profiles,
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


_COMMENT = re.compile(r"^[ ]*(?:/\*.*?\*/|//[^\n]*)\n", re.DOTALL | re.MULTILINE)  # one that fills its lines
_IMPORT = re.compile(r'^import \{([^{}]*)\} from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) )", re.MULTILINE)
_DECLARED = re.compile(r"^(export )?(?:async )?(?:function|const|let|class) (\w+|\{[^{}]*\})", re.MULTILINE)
_LEFT = re.compile(r"^[ ]*(?:import|export)\b.*|</script|<!--", re.MULTILINE | re.IGNORECASE)


class Module(NamedTuple):
    """One module: its code without imports, the names that it imports by module, declares and exports."""

    code: str
    imports: Mapping[str, tuple[str, ...]]
    declared: tuple[str, ...]
    exported: frozenset[str]


def page_script() -> str:
    """The modules of the page as one script."""
    return joined({path.name: path.read_text("utf-8") for path in (_TEMPLATES / "script").glob("*.js")}, "main.js")


def joined(sources: Mapping[str, str], first: str) -> str:
    """A module and all that it imports as one script, each behind those that it imports; comments are left out.

    Modules import with ``import { a, b } from "./x.js";`` and export with ``export`` before a function, const or class,
    and names at the beginning of a line are theirs alone. Raises `ValueError` for a module that does anything else, for
    a name that is not exported or that two modules declare, for modules that import each other, and for a module that
    nothing imports.

    >>> sources = {"a.js": 'import { b } from "./b.js";\\nb(1);\\n', "b.js": "export const b = Math.abs;\\n"}
    >>> print(joined(sources, "a.js"))
    "use strict";
    (() => {
    const b = Math.abs;
    b(1);
    })();
    """
    modules = {name: _parsed(name, text) for name, text in sources.items()}
    order = _in_order(modules, first)
    if unused := sorted(modules.keys() - set(order)):
        raise ValueError(f"nothing imports {', '.join(unused)}")
    _require_names(modules)
    return '"use strict";\n(() => {\n' + "".join(modules[name].code for name in order) + "})();"


def _parsed(name: str, text: str) -> Module:
    code = _COMMENT.sub("", text)
    imports = {source: tuple(_names(names)) for names, source in _IMPORT.findall(code)}
    declared = [(bool(export), word) for export, names in _DECLARED.findall(code) for word in _names(names.strip("{}"))]
    code = _EXPORT.sub("", _IMPORT.sub("", code))
    if left := _LEFT.search(code):
        raise ValueError(f"{name}: {left[0].strip()!r} cannot be joined")
    exported = frozenset(word for export, word in declared if export)
    return Module(code.strip("\n") + "\n", imports, tuple(word for _, word in declared), exported)


def _names(text: str) -> Iterable[str]:
    """The names in a list; of ``a: b``, which renames a part of an object, the second."""
    return (part.rpartition(":")[2].strip() for part in text.split(",") if part.strip())


def _in_order(modules: Mapping[str, Module], first: str) -> list[str]:
    """The modules that the first one needs, each behind those that it imports."""
    order: list[str] = []

    def add(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise ValueError(f"{' imports '.join((*path, name))}")
        if name in order:
            return
        if name not in modules:
            raise ValueError(f"{path[-1]} imports {name}, which is not there")
        for source in modules[name].imports:
            add(source, (*path, name))
        order.append(name)

    add(first, ())
    return order


def _require_names(modules: Mapping[str, Module]) -> None:
    homes: dict[str, str] = {}
    for name, module in modules.items():
        for declared in module.declared:
            if declared in homes:
                raise ValueError(f"{homes[declared]} and {name} both declare {declared}")
            homes[declared] = name
        for source, names in module.imports.items():
            if absent := [declared for declared in names if declared not in modules[source].exported]:
                raise ValueError(f"{name} imports {', '.join(absent)}, which {source} does not export")
