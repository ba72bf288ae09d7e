"""The scripts of a release, the versions that are allowed, and what is said where they do not agree."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from itertools import chain

import pytest
from conftest import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from biasvar_cli.words import VERSION

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def script(name):
    """A script of the folder release as a module."""
    spec = spec_from_file_location(f"release_{name}", ROOT / "release" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["check", "floors", "tag"])
def test_the_examples_of_the_scripts_are_true(name):
    result = doctest.testmod(script(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_everything_that_the_program_needs_has_a_floor_and_no_tool_of_tests_has_one():
    printed = subprocess.check_output([sys.executable, "release/floors.py"], cwd=ROOT, text=True)
    floors = dict(line.split("==") for line in printed.split())
    required = map(Requirement, PROJECT["dependencies"])
    needed = {line.name: line.specifier for line in required if line.marker is None or line.marker.evaluate()}
    assert all(f">={floors[name]}" in str(specifier) for name, specifier in needed.items())
    assert {"distributed", "vl-convert-python"} <= floors.keys()
    assert not {"pytest", "biasvar-cli"} & floors.keys()


def test_the_pinned_versions_are_allowed_and_name_no_host():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line) for line in lines)
    pinned = {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}
    listed = [PROJECT["dependencies"], *(lines for extra, lines in EXTRAS.items() if extra != "measures")]
    for requirement in map(Requirement, chain(*listed)):
        if requirement.name != PROJECT["name"]:
            assert pinned[canonicalize_name(requirement.name)] in requirement.specifier, requirement


def test_all_installs_every_extra_of_users():
    (everything,) = map(Requirement, EXTRAS["all"])
    assert everything.name == PROJECT["name"]
    assert everything.extras == EXTRAS.keys() - {"all", "dev", "release", "site", "studies", "test"}


def test_a_tag_of_another_version_is_refused():
    for tag in ("", VERSION, f"v{VERSION}.post1", f"v{VERSION}0"):
        (sentence,) = script("tag").disagreements(tag, VERSION, f"version: {VERSION}", f"## {VERSION}")
        assert sentence == f"the tag is {tag!r}, and the version is {VERSION}: expected the tag v{VERSION}"
    result = subprocess.run([sys.executable, "release/tag.py"], cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, f"expected the tag v{VERSION}\n" in result.stderr) == (1, True)


@pytest.mark.parametrize(("citation", "changelog"), [("version: 1.2.0", "## Unreleased"), ("version: 1.2", "## 1.2.0")])
def test_a_tag_needs_the_citation_and_the_changelog(citation, changelog):
    assert len(script("tag").disagreements("v1.2.0", "1.2.0", citation, changelog)) == 1


def test_the_citation_and_the_changelog_have_the_version_of_the_program():
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert script("tag").disagreements(f"v{VERSION}", VERSION, citation, changelog) == []
