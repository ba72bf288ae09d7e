"""What code and pages refer to is in the repository: pages, their sections, and no notes that only some have."""

from __future__ import annotations

import pkgutil
import re

from conftest import ROOT

import biasvar_cli

FOLDERS = ("biasvar_cli", "benchmarks", "docs", "release", "studies", "tests")
SOURCES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if path.name != "test_pointers.py"]
SOURCES += [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
OURS = {module.name for module in pkgutil.iter_modules(biasvar_cli.__path__)}
DOTTED = re.compile(r"(?<!`)`((?:[a-z_]+\.)+[A-Za-z_]+)`(?!`)")
SECTION = re.compile(r'((?:docs/)?[\w-]+\.md), "([^"]+)"')


def test_a_page_and_its_section_are_there():
    pointers = [(path.name, *pointer) for path in SOURCES for pointer in SECTION.findall(path.read_text("utf-8"))]
    assert pointers
    lost = []
    for source, page, section in pointers:
        heads = re.findall(r"^#+ (.*)$", (ROOT / page).read_text("utf-8"), re.MULTILINE)
        lost += [(source, page, section)] if section not in heads else []
    assert lost == []


def test_a_name_with_dots_is_in_the_module_that_it_names():
    sources = sorted((ROOT / "biasvar_cli").rglob("*.py"))
    names = [(path.name, name) for path in sources for name in DOTTED.findall(path.read_text("utf-8"))]
    ours = [(source, name) for source, name in names if name.split(".")[0] in OURS]
    assert ours
    lost = []
    for source, name in ours:
        try:
            pkgutil.resolve_name(f"biasvar_cli.{name}")
        except (ImportError, AttributeError):
            lost.append((source, name))
    assert lost == []


def test_nothing_refers_to_notes_that_are_not_here():
    notes = re.compile(r"\b(METHODS|FINDINGS|DESIGN|FIELD)\b")
    lines = [(path.name, line) for path in SOURCES for line in path.read_text("utf-8").splitlines()]
    assert [pair for pair in lines if notes.search(pair[1])] == []
