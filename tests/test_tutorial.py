"""docs/tutorial.md: what its commands print, and its figure, where the data of TREC-COVID are."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pytest
import real_data
from conftest import ROOT, unix

PAGE = ROOT / "docs" / "tutorial.md"
REMEDY = "make tutorial writes it again"


@pytest.fixture
def tracks(shared: Path) -> None:
    """The data that the page is about; a test skips where any of it is absent."""
    for part in real_data.OF_TUTORIAL:
        assert (shared / part).exists()


def test_the_page_is_short():
    assert PAGE.stat().st_size <= 12 * 1024


@unix
def test_the_page_is_what_the_commands_print(tracks: None):
    command = [sys.executable, "-m", "cogapp", "--check", "--diff", "docs/tutorial.md"]
    checked = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, f"{REMEDY}\n{checked.stdout}{checked.stderr}"


def test_the_figure_is_what_its_command_draws(tracks: None, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    monkeypatch.syspath_prepend(ROOT / "docs")
    (name,) = re.findall(r"\(([\w-]+\.svg)\)", PAGE.read_text("utf-8"))
    path = ROOT / "docs" / name
    assert path.stat().st_size < 60_000
    old, new = path.read_text("utf-8"), import_module("draw").tutorial_picture()
    one, other = (ElementTree.fromstring(each) for each in (old, new))  # noqa: S314
    assert [text.strip() for text in one.itertext()] == [text.strip() for text in other.itertext()], REMEDY
    assert [each.tag for each in one.iter()] == [each.tag for each in other.iter()], REMEDY
