"""What is said where the packages of an extra are missing: a command that works where it is said."""

from __future__ import annotations

import shlex
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from conftest import ROOT
from packaging.requirements import Requirement

from biasvar_cli import errors
from biasvar_cli.errors import needs_extra


@pytest.mark.parametrize("extra", ["plot", "dask", "datasets"])
def test_in_the_checkout_the_command_installs_it_with_the_extra(in_the_checkout, extra):
    message = str(needs_extra("this", extra, "; or do without"))
    shown = shlex.quote(str(Path(sys.executable)).removeprefix(f"{ROOT}/"))
    assert message == f"this needs another package: {shown} -m pip install -e '.[{extra}]'; or do without"
    assert f"\n{extra} = [" in (ROOT / "pyproject.toml").read_text()


def test_elsewhere_the_command_names_the_checkout(in_an_empty_folder):
    command = shlex.join([sys.executable, "-m", "pip", "install", "-e", f"{ROOT}[plot]"])
    assert str(needs_extra("this", "plot")) == f"this needs another package: {command}"


@pytest.mark.parametrize(("extra", "packages"), [("plot", ["vl-convert-python"]), ("dask", ["distributed", "fsspec"])])
def test_outside_a_checkout_the_command_installs_the_packages_of_the_extra(tmp_path, monkeypatch, extra, packages):
    monkeypatch.setattr(errors, "__file__", str(tmp_path / "site-packages" / "biasvar_cli" / "errors.py"))
    with (ROOT / "pyproject.toml").open("rb") as file:
        declared = tomllib.load(file)["project"]["optional-dependencies"][extra]
    message = str(needs_extra("this", extra, "; or do without"))
    start, end = f"this needs another package: {shlex.quote(sys.executable)} -m pip install ", "; or do without"
    assert message.startswith(start)
    assert message.endswith(end)
    wanted = [Requirement(word) for word in shlex.split(message.removeprefix(start).removesuffix(end))]
    assert wanted == [Requirement(word) for word in declared]
    assert [requirement.name for requirement in wanted] == packages


def test_without_the_metadata_of_the_program_the_extra_is_named(tmp_path, monkeypatch):
    def requires(_: str) -> list[str]:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(errors, "__file__", str(tmp_path / "biasvar_cli" / "errors.py"))
    monkeypatch.setattr(metadata, "requires", requires)
    assert str(needs_extra("this", "plot")).endswith("-m pip install 'biasvar-cli[plot]'")
