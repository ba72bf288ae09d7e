"""The pattern for Makefiles that the README shows, run by make on a copy of the sample track."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

ALL = {f"{name}-{measure}" for name in ("decompose", "tradeoff", "target") for measure in ("AP", "nDCG@20")}

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")


@pytest.fixture
def make(tmp_path):
    """Run make on four runs of the track; gives the files that were written, without folder and suffix."""
    (tmp_path / "runs").mkdir()
    for path in sorted((ROOT / "sample_runs").iterdir())[:4]:
        shutil.copy(path, tmp_path / "runs")
    biasvar = f"{sys.executable} -m biasvar_cli"

    def run(*options, code=0):
        variables = (f"RUNS={tmp_path}/runs", f"OUT={tmp_path}/out", f"BIASVAR={biasvar}")
        before = _times(tmp_path / "out")
        command = ["make", "-f", "docs/pipeline.mk", *variables, *options]
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "MAKEFLAGS": ""})
        assert result.returncode == code, result.stderr
        after = _times(tmp_path / "out")
        return {Path(name).name.rpartition(".")[0] for name, time in after.items() if before.get(name) != time}

    return run


def _times(folder):
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_touching_a_run_makes_again_what_depends_on_it_and_nothing_else(make, tmp_path):
    runs = {path.name.removesuffix(".gz") for path in (tmp_path / "runs").iterdir()}
    assert make("-j2") == ALL | runs
    assert make() == set()
    (tmp_path / "runs" / "comb-0.3.gz").touch()
    assert make("-j2") == ALL | {"comb-0.3"}
    (tmp_path / "out" / "decompose-AP.tex").unlink()
    assert make() == {"decompose-AP"}


def test_a_broken_run_stops_make_and_leaves_the_old_files(make, tmp_path):
    make("-j2")
    old = (tmp_path / "out" / "decompose-AP.tex").read_bytes()
    (tmp_path / "runs" / "comb-0.3.gz").write_text("1 Q0 a 1\n")
    assert make(code=2) == set()
    assert (tmp_path / "out" / "decompose-AP.tex").read_bytes() == old
