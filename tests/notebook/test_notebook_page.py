"""docs/notebook.ipynb is what its script makes of docs/python.md, and Jupyter shows the same."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import ROOT

NOTEBOOK = ROOT / "docs" / "notebook.ipynb"
TEXT, TABLE, PNG, VEGA_LITE = "text/plain", "text/html", "image/png", "application/vnd.vegalite.v5+json"
SAMPLE = ("sample_runs", "sample_models", "qrels")


def outputs(notebook: Any) -> list[Any]:
    """What the cells of code show, one list a cell."""
    return [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown(notebook: Any) -> list[dict[str, Any]]:
    """What every cell prints, in however many parts, and its value; pictures depend on how they are compressed.

    Jupyter shows a text without its last line feed.
    """
    return [
        {
            "stdout": "".join("".join(output["text"]) for output in cell if output["output_type"] == "stream"),
            TEXT: _data(cell, TEXT).rstrip("\n"),
            TABLE: _data(cell, TABLE),
            "metadata": [output["metadata"] for output in cell if output["output_type"] == "execute_result"],
        }
        for cell in outputs(notebook)
    ]


def _data(cell: list[Any], kind: str) -> str:
    return "".join("".join(output.get("data", {}).get(kind, "")) for output in cell)


def sizes(notebook: Any) -> list[int]:
    """The bytes of the pictures, as they are encoded."""
    return [len(output["data"][PNG]) for cell in outputs(notebook) for output in cell if PNG in output.get("data", {})]


@pytest.fixture(scope="module")
def committed() -> Any:
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = spec_from_file_location("notebook_of_the_page", ROOT / "docs" / "notebook.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_has_the_cells_that_the_script_makes(committed, script):
    """`make docs` writes it again; what the cells show is compared with what Jupyter shows."""
    made = json.loads(script.notebook((ROOT / "docs" / "python.md").read_text(encoding="utf-8"), run=False))
    cells = [{**cell, "outputs": []} if cell["cell_type"] == "code" else cell for cell in committed["cells"]]
    assert made == {**committed, "cells": cells}, "run make docs"


def test_the_script_runs_cells_and_keeps_what_they_show(script):
    table = 'import pandas as pd\n\npd.DataFrame({"AP": [0.25]})'
    page = f"# Title\n\n```python\nx = 1\nprint(x)\nx + 1\n```\n\n```python\n{table}\n```\n\n## What goes in\n"
    title, first, second, third = json.loads(script.notebook(page))["cells"]
    assert (title["cell_type"], title["source"]) == ("markdown", ["# Title"])
    assert (first["execution_count"], first["outputs"]) == (1, [])
    printed, value = second["outputs"]
    assert printed == {"name": "stdout", "output_type": "stream", "text": ["1\n"]}
    assert value == {"data": {TEXT: ["2"]}, "execution_count": 2, "metadata": {}, "output_type": "execute_result"}
    (frame,) = third["outputs"]
    assert "".join(frame["data"][TEXT]) == "     AP\n0  0.25"
    assert "<td>0.25</td>" in "".join(frame["data"][TABLE])
    with pytest.raises(UserWarning, match="odd"):
        script.notebook('```python\nimport warnings\nwarnings.warn("odd")\n```\n\n## What goes in\n')


def test_the_file_is_small_and_names_no_machine(committed):
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert NOTEBOOK.stat().st_size < 600_000
    assert all(size * 3 / 4 < 200_000 for size in sizes(committed))
    assert committed["metadata"]["language_info"] == {"name": "python"}, "no version of Python"
    assert not re.search(r"/home/|/root|/tmp|/usr/|site-packages|ipykernel_|\d\d:\d\d:\d\d", text)
    assert str(ROOT) not in text


def test_every_cell_has_an_id_of_its_own(committed):
    ids = [cell["id"] for cell in committed["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[0-9a-f]{12}", name) for name in ids)


@pytest.fixture
def executed(tmp_path: Path) -> Any:
    """The notebook, run by Jupyter in a copy of what it reads."""
    for package in ("nbclient", "ipykernel"):
        pytest.importorskip(package, reason=f"{package} is not here (extra notebook)")
    folder = tmp_path
    for name in SAMPLE:
        shutil.copytree(ROOT / name, folder / name)
    (folder / "docs").mkdir()
    for name in ("notebook.ipynb", "tracks.toml"):
        shutil.copy(ROOT / "docs" / name, folder / "docs")
    own = {name: str(folder / "home") for name in ("HOME", "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR")}
    code = "from nbclient.cli import main; main()"
    command = [sys.executable, "-c", code, "--output=executed", "docs/notebook.ipynb"]
    subprocess.run(command, cwd=folder, env={**os.environ, **own}, timeout=300, check=True)
    return json.loads((folder / "docs" / "executed.ipynb").read_text(encoding="utf-8"))


@pytest.mark.long
def test_jupyter_runs_it_without_an_error_and_shows_what_the_file_has(executed, committed):
    kinds = {output["output_type"] for cell in outputs(executed) for output in cell}
    assert kinds == {"stream", "execute_result"}
    assert not [output for cell in outputs(executed) for output in cell if output.get("name") == "stderr"]
    data = [output.get("data", {}) for cell in outputs(executed) for output in cell]
    tables = [cell[TABLE] for cell in shown(executed) if "biasvar-rows" in cell[TABLE]]
    figures = [bundle[VEGA_LITE] for bundle in data if VEGA_LITE in bundle and PNG in bundle]
    printed = "".join(cell["stdout"] for cell in shown(executed))
    assert len(tables) >= 5
    assert len(figures) == 2
    assert all("layer" in figure and figure["datasets"] for figure in figures)
    assert "No evidence of a tradeoff between effectiveness and stability" in printed
    assert shown(executed) == shown(committed)
