"""Write ``biasvar_cli/__init__.pyi``: the types of the names that notebooks use, for editors and type checkers.

    python docs/stubs.py [--check]

The functions of analyses are made of the settings of their requests, and have no signature in the source. ``--check``
writes nothing, and exits 1 where the file is not up to date.
"""

from __future__ import annotations

import sys
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import biasvar_cli
from biasvar_cli.notebook.frames import ClustersLike
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import ScoresLike

PACKAGE = Path(biasvar_cli.__file__).parent
_NAMED = {
    ScoresLike: "ScoresLike",
    Judgments | None: "Judgments | None",
    ClustersLike | None: "ClustersLike | None",
}
_IMPORTS: set[str] = set()  # of the types that have been written
_HEAD = """from typing import Literal, Unpack

from biasvar_cli.notebook.frames import ClustersLike
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import ScoresLike
"""


def stub() -> str:
    """The whole file."""
    imports: list[str] = []
    functions: list[str] = []
    for name in biasvar_cli.__all__:
        if name == "__version__":
            continue
        thing = getattr(biasvar_cli, name)
        made = getattr(thing, "__signature__", None)
        if isinstance(made, Signature):
            functions.append(_function(name, signature(thing)))
        else:
            imports.append(f"from {thing.__module__} import {name} as {name}\n")
    imports += _IMPORTS - {line for line in _IMPORTS if line.split()[-1] in biasvar_cli.__all__}
    return "".join([_HEAD, *sorted(imports), "\n__all__: list[str]\n__version__: str\n", *functions])


def _function(name: str, made: Signature) -> str:
    """A function with its types."""
    lines: list[str] = []
    for parameter in made.parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY and "    *," not in lines:
            lines.append("    *,")
        if parameter.kind is Parameter.VAR_KEYWORD:
            lines.append(f"    **{parameter.name}: Unpack[{_type(*get_args(parameter.annotation))}],")
            continue
        default = "" if parameter.default is Parameter.empty else f" = {parameter.default!r}"
        lines.append(f"    {parameter.name}: {_type(parameter.annotation)}{default},")
    return "\n".join([f"\ndef {name}(", *lines, f") -> {_type(made.return_annotation)}: ...\n"])


def _type(annotation: Any) -> str:
    """A type as it is written, the same with every Python."""
    if annotation in _NAMED:
        return _NAMED[annotation]
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, parts))}]"
    if origin in (Union, UnionType):
        return " | ".join(map(_type, parts))
    if annotation in (None, NoneType):
        return "None"
    if annotation is Ellipsis:
        return "..."
    name, module = str((origin or annotation).__name__), (origin or annotation).__module__
    if module not in ("builtins", "types"):
        _IMPORTS.add(f"from {module} import {name}\n")
    return f"{name}[{', '.join(map(_type, parts))}]" if parts else name


if __name__ == "__main__":
    file, text = PACKAGE / "__init__.pyi", stub()
    if sys.argv[1:] == ["--check"]:
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            sys.exit(f"{file.name} is not up to date: make docs")
    else:
        file.write_text(text, encoding="utf-8", newline="\n")
