"""The script of the page: its modules joined into one, which needs no file beside the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

_FOLDER = Path(__file__).parent / "templates" / "script"
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
    return joined({path.name: path.read_text("utf-8") for path in _FOLDER.glob("*.js")}, "main.js")


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
