"""What is said where the packages of an extra are missing: a command that works where it is said."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT

from biasvar_cli import errors
from biasvar_cli.errors import needs_extra


@pytest.mark.parametrize("extra", ["plot", "dask", "datasets"])
def test_in_the_checkout_the_command_installs_it_with_the_extra(in_the_checkout, extra):
    message = str(needs_extra("this", extra, "; or do without"))
    python = str(Path(sys.executable))
    shown = python.removeprefix(f"{ROOT}/")
    assert message == f"this needs another package: {shown} -m pip install -e '.[{extra}]'; or do without"
    assert f"\n{extra} = [" in (ROOT / "pyproject.toml").read_text()


def test_elsewhere_the_command_names_the_checkout(in_an_empty_folder):
    assert str(needs_extra("this", "plot")) == (
        f"this needs another package: {sys.executable} -m pip install -e '{ROOT}[plot]'"
    )


def test_outside_a_checkout_one_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(errors, "__file__", str(tmp_path / "site-packages" / "biasvar_cli" / "errors.py"))
    assert str(needs_extra("this", "plot")).endswith("-m pip install '.[plot]' in a checkout of biasvar")
