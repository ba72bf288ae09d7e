"""The script of the page: in one scope, short, with types that hold."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from biasvar_cli.drawing.style import THEMES
from biasvar_cli.page.script import TEMPLATES, colour_variables, page_script
from biasvar_cli.tables.layout import LATEX_SIGNS
from biasvar_cli.words import COEFFICIENT_TITLES

MODULES = TEMPLATES / "script"


def _compiler(root):
    installed = root / ".typescript" / "node_modules" / ".bin" / "tsc"
    return installed if installed.is_file() else shutil.which("tsc")


def test_the_scripts_of_the_page_are_short():
    paths = sorted(MODULES.glob("*.js"))
    assert sum(len(path.read_text("utf-8").splitlines()) for path in paths) <= 1700
    for path in paths:
        assert len(path.read_text("utf-8").splitlines()) < 200, path.name
    code = page_script()
    assert not re.search(r"(?m)^\s*(?:import|export|/\*\*)", code)


def test_colours_titles_and_rules_come_from_python():
    code = page_script()
    assert not re.search(r"#(?:[0-9a-fA-F]{3}){1,2}\b", code)
    assert not [title for title in COEFFICIENT_TITLES.values() if title in code]
    assert not [text for text in LATEX_SIGNS.values() if len(text) > 2 and text in code]
    assert "1e-12" not in code
    variables = colour_variables()
    for theme in THEMES.values():
        assert all(f": {colour};" in variables for colour in (theme.text, theme.below, *theme.series))
        assert f"--ramp: {' '.join(theme.ramp)};" in variables


@pytest.mark.long
def test_the_types_of_the_scripts_hold(pytestconfig):
    compiler = _compiler(pytestconfig.rootpath)
    if compiler is None or shutil.which("node") is None:
        pytest.skip("TypeScript is not installed (make types-js)")
    done = subprocess.run([compiler, "-p", MODULES / "jsconfig.json"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
