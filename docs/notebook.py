"""docs/notebook.ipynb: the first part of docs/python.md as a notebook, with what its cells show.

The cells are run here, as Jupyter would run them, so that neither Jupyter nor its versions, times and paths get into
the file. Figures are in it as PNG, drawn with the typeface that comes with the converter, whatever fonts the machine
has; a notebook that is run has their Vega-Lite too.
"""

from __future__ import annotations

import ast
import io
import json
import os
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd

FOLDER = Path(__file__).resolve().parent
NOTEBOOK = FOLDER / "notebook.ipynb"
_END = "\n## What goes in\n"  # where the reference begins
_BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_FIRST = """\
import os

if not os.path.exists("sample_runs"):
    os.chdir("..")  # the sample track is at the top of the checkout, this notebook in docs
"""
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_COLUMNS = 20  # of a frame, as Jupyter shows it

Cell = dict[str, Any]


def notebook(page: str, *, run: bool = True) -> str:
    """The notebook of a page of markdown. Raises what its code raises, warnings among it.

    The working directory is `FOLDER` while it runs. Without ``run`` cells have no outputs.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    before = Path.cwd()
    os.chdir(FOLDER)
    try:
        with pd.option_context("display.max_columns", _COLUMNS), warnings.catch_warnings():
            warnings.simplefilter("error")
            cells = [
                _code(text, _outputs(text, names) if run else []) if is_code else _text(text)
                for is_code, text in _parts(page)
            ]
    finally:
        os.chdir(before)
    _number(cells)
    document = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _parts(page: str) -> Iterator[tuple[bool, str]]:
    """The cells, code or text: every block is one, and a heading begins one. The first code finds the sample track."""
    for number, part in enumerate(_BLOCK.split(page.partition(_END)[0])):
        if number == 1:
            yield True, _FIRST
        if number % 2:
            yield True, part
        else:
            yield from ((False, text) for text in re.split(r"^(?=## )", part, flags=re.MULTILINE) if text.strip())


def _text(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(text.strip())}


def _code(text: str, outputs: list[Cell]) -> Cell:
    return {"cell_type": "code", "metadata": {}, "outputs": outputs, "source": _lines(text.strip())}


def _outputs(text: str, names: dict[str, Any]) -> list[Cell]:
    """What code prints, and the value of its last line."""
    printed = io.StringIO()
    body = ast.parse(text).body
    last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None  # type: ignore[attr-defined]
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)  # noqa: S102
        value = None if last is None else eval(compile(last, "<cell>", "eval"), names)  # noqa: S307
    outputs: list[Cell] = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        outputs.append({"output_type": "execute_result", **_shown(value)})
    return outputs


def _shown(value: Any) -> Cell:
    """A value by MIME type, with its metadata: of a figure the PNG, of others HTML where they have it."""
    if hasattr(value, "_repr_mimebundle_"):
        data, metadata = value._repr_mimebundle_(include={"text/plain", "image/png"})
        return {"data": data, "metadata": metadata}
    data = {"text/plain": _lines(repr(value))}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = _lines(value._repr_html_())
    return {"data": data, "metadata": {}}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _number(cells: list[Cell]) -> None:
    """Give every cell an id that depends on its source alone, and those of code their number."""
    seen = Counter[str]()
    count = 0
    for cell in cells:
        source = "".join(cell["source"])
        cell["id"] = sha256(f"{seen[source]} {source}".encode()).hexdigest()[:12]
        seen[source] += 1
        if cell["cell_type"] == "code":
            count += 1
            cell["execution_count"] = count
            for output in cell["outputs"]:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count


@contextmanager
def _without_fonts_of_the_machine() -> Iterator[None]:
    """Hide the fonts of the machine from the converter, which looks for them when it draws its first figure.

    Its own Liberation Sans yields to one that is installed. An empty list of folders would mean the usual ones.
    """
    with tempfile.TemporaryDirectory() as folder:
        fonts, settings = Path(folder, "fonts"), Path(folder, "fonts.conf")
        fonts.mkdir()
        settings.write_text(f"<fontconfig><dir>{fonts}</dir></fontconfig>\n", encoding="utf-8")
        os.environ["FONTCONFIG_FILE"] = str(settings)
        yield


if __name__ == "__main__":
    with _without_fonts_of_the_machine():
        NOTEBOOK.write_text(notebook((FOLDER / "python.md").read_text(encoding="utf-8")), encoding="utf-8")
