"""Every command of docs/pipelines.md is run, as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, unix

_BLOCKS = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "pipelines.md").read_text(), re.DOTALL)
_SLOW = [block for block in _BLOCKS if block.startswith("make ")]


@pytest.fixture
def shell(tmp_path, folder_of_program):
    """Run a script in a folder with the sample track, where biasvar and bash are found."""
    for name in ("sample_runs", "qrels", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    path = f"{folder_of_program}:{os.environ['PATH']}"

    def run(script):
        environment = {**os.environ, "PATH": path, "MAKEFLAGS": ""}
        words = ["bash", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True)

    return run


def _without_missing_programs(block):
    """The lines of a block, without those of a program that is not here."""
    lines = block.splitlines()
    return [line for line in lines if not line.startswith("jq ") or shutil.which("jq")]


@unix
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_the_commands_of_the_page_work_in_their_order(shell, tmp_path):
    assert len(_BLOCKS) > 7
    for block in (block for block in _BLOCKS if block not in _SLOW):
        script = "\n".join(_without_missing_programs(block))
        done = shell(script)
        assert done.returncode == 0, (script, done.stderr)
        assert not re.search(r"error|warning|Usage", done.stderr), (script, done.stderr)
    written = {path.name for path in tmp_path.iterdir()}
    assert {"table.tex", "best.csv", "result.json", "scores.csv", "tracks.csv", "comb.csv", "nrr.csv"} <= written
    assert (tmp_path / "table.tex").read_text().startswith("%")


@unix
def test_make_is_called_as_the_page_has_it(shell):
    """The whole run is a test of its own; here, that make understands the line and would do something."""
    if shutil.which("make") is None:
        pytest.skip("make is not here")
    (block,) = _SLOW
    done = shell(block.rstrip() + " -n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("biasvar scores ") == len(list((ROOT / "sample_runs").iterdir()))
