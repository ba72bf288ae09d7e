"""The converter of figures in a process of its own: the same figure, and no figure lost where that process fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SAMPLE, unix

from biasvar_cli.drawing import converter

pytest.importorskip("vl_convert", reason="the extra plot is not installed")
pytestmark = pytest.mark.anew
SPEC = {"data": {"values": [{"a": 1}, {"a": 2}]}, "mark": "bar", "encoding": {"x": {"field": "a"}}}


def test_the_process_draws_what_this_one_draws():
    alone = converter.svg_of(SPEC)
    converter.start_early()
    converter.start_early()
    assert len(converter._started) == 1
    assert converter.svg_of(SPEC) == alone
    assert not converter._started


def test_a_figure_that_it_cannot_draw_is_an_error():
    converter.start_early()
    with pytest.raises(ValueError, match="conversion failed"):
        converter.svg_of({"mark": 5})


@unix
@pytest.mark.parametrize("program", ["false", "true", "no such program"])
def test_where_it_fails_the_figure_is_drawn_here(monkeypatch, tmp_path, program):
    path = tmp_path / "python"
    if program != "no such program":
        path.write_text(f"#!/bin/sh\n{program}\n")
        path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(path))
    converter.start_early()
    assert converter.svg_of(SPEC).startswith("<svg")


def test_without_a_figure_it_ends_quietly():
    done = subprocess.run([sys.executable, "-P", converter.__file__], stdin=subprocess.DEVNULL, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.long
def test_the_program_writes_what_one_process_writes(biasvar, tmp_path: Path):
    command = [sys.executable, "-m", "biasvar_cli", "plot", "total", *map(str, SAMPLE), "--quiet", "-o"]
    subprocess.run([*command, tmp_path / "two.svg"], check=True, cwd=ROOT)
    assert biasvar("plot", "total", *SAMPLE, "--quiet", "-o", tmp_path / "one.svg").code == 0
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
