"""docs/figures.md: every figure once, with a picture that is what its command draws."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest
from conftest import ROOT

from biasvar_cli.analyses import ANALYSES

pytestmark = pytest.mark.usefixtures("in_the_checkout")
FOLDER = ROOT / "docs" / "figures"
FIGURES = [name for analysis in ANALYSES for name in analysis.figures]
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


@pytest.fixture
def page() -> list[str]:
    return (ROOT / "docs" / "figures.md").read_text("utf-8").splitlines()


@pytest.fixture
def draw(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script that draws the pictures, in this process."""
    monkeypatch.syspath_prepend(ROOT / "docs")
    monkeypatch.setattr("biasvar_cli.console.commands.start_early", lambda: None)
    return import_module("draw")


def test_every_figure_is_there_once_in_the_order_of_the_analyses(page):
    assert [line.removeprefix("## ") for line in page if line.startswith("## ")] == FIGURES
    assert re.findall('<img src="(.*?)"', "\n".join(page)) == [f"figures/{name}.svg" for name in FIGURES]
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{name}.svg" for name in FIGURES)


def test_the_pictures_are_small():
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert max(sizes.values()) < 60_000
    assert sum(sizes.values()) < 700_000


@pytest.mark.long
@pytest.mark.parametrize("figure", FIGURES)
def test_a_picture_is_what_its_command_draws(draw, tmp_path, figure):
    """Words, marks and, to a point or two, places: those of text differ with the typefaces of a machine."""
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    old, new = (FOLDER / f"{figure}.svg").read_text("utf-8"), draw.picture(figure, tmp_path)
    one, other = ElementTree.fromstring(old), ElementTree.fromstring(new)  # noqa: S314
    remedy = f"docs/figures/{figure}.svg is not up to date: make docs"
    assert words(one) == words(other), remedy
    assert [each.tag for each in one.iter()] == [each.tag for each in other.iter()], remedy
    assert places(one) == pytest.approx(places(other), abs=2), remedy


def words(root: Element) -> list[str]:
    return [text.strip() for text in root.itertext() if text.strip()]


def places(root: Element) -> list[float]:
    """The numbers of all places and paths."""
    texts = (each.get(name, "") for each in root.iter() for name in ("transform", "d"))
    return [float(number) for text in texts for number in _NUMBER.findall(text)]


def test_the_readme_shows_the_plane_of_the_gallery_with_its_command(page):
    lines = Path("README.md").read_text("utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("biasvar plot plane")]
    assert line in page
    assert shlex.split(line)[-2:] == ["-o", "plane.svg"]
    assert any('src="docs/figures/plane.svg"' in line for line in lines)
