"""The pattern for Makefiles that the README shows, run by make on a copy of the sample track."""

from __future__ import annotations

import csv
import gzip
import os
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest
from conftest import ROOT

TABLES = ("decompose", "tradeoff", "target")
OF_AP, OF_P_10 = ({"summary", *(f"{name}-{measure}" for name in TABLES)} for measure in ("AP", "P@10"))
RUNS = {"comb-0.1", "comb-0.2", "comb-0.3"}
ABOUT = ("README", "README.md", "LICENSE.txt", "licence")
ONE = "MEASURES=AP"
LISTS = {"runs", "options"}  # what the files depend on beside their inputs

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not here")


def _call(program, folder, *options, code=0):
    """Run make on the runs of a folder; gives the files that were written, without folder and suffix."""
    variables = ("RUNS=runs", "OUT=out", "QRELS=qrels", f"BIASVAR={program}")
    before = _times(folder / "out")
    command = ["make", "-f", (ROOT / "docs" / "pipeline.mk").as_posix(), *variables, *options]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "MAKEFLAGS": ""})
    assert result.returncode == code, result.stderr
    after = _times(folder / "out")
    changed = [Path(name).name for name, time in after.items() if before.get(name) != time]
    return {name.removesuffix(".tex").removesuffix(".csv") for name in changed}


@pytest.fixture(scope="module")
def built(program, tmp_path_factory):
    """A folder with three runs, files about them and what make wrote, from nothing; and which files these are."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "runs").mkdir()
    for path in sorted((ROOT / "sample_runs").iterdir())[:3]:
        shutil.copy(path, folder / "runs")
    shutil.copy(ROOT / "qrels" / "npl.qrels.txt", folder / "qrels")
    for name in ABOUT:
        (folder / "runs" / name).write_text("These runs are free for all.\n")
    return folder, _call(program, folder, "-j2", ONE)


@pytest.fixture
def make(program, built, tmp_path):
    """Run make in a copy of what was built."""
    shutil.copytree(built[0], tmp_path, dirs_exist_ok=True)
    return partial(_call, program, tmp_path)


def _times(folder):
    return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_every_file_is_made_of_the_runs_and_not_of_files_about_them(built):
    assert built[1] == OF_AP | RUNS | LISTS


@pytest.mark.parametrize(
    "name", ["my run", "it's", '"', "a;touch X", "a$(touch X)", "`touch X`", "a&", "a|b", "[a", "b]", "*"]
)
def test_a_name_that_is_more_to_a_shell_is_refused(make, tmp_path, name):
    shutil.copy(ROOT / "sample_runs" / "rm.gz", tmp_path / "runs" / f"{name}.gz")
    assert make(ONE, code=2) == set()
    assert not list(tmp_path.rglob("X"))


@pytest.mark.parametrize("variable", ["RUNS", "QRELS", "OUT"])
def test_a_path_with_a_blank_is_refused(make, variable):
    assert make(ONE, f"{variable}=a path", code=2) == set()


def test_a_file_is_made_again_with_what_depends_on_it_and_nothing_else(make, tmp_path):
    assert make(ONE) == set()
    (tmp_path / "runs" / "comb-0.3.gz").touch()
    assert make("-j2", ONE) == OF_AP | {"comb-0.3"}
    (tmp_path / "out" / "decompose-AP.tex").unlink()
    assert make(ONE) == {"decompose-AP"}
    assert make("-j2", "MEASURES=P@10") == OF_P_10 | RUNS | {"options"}
    assert make("MEASURES=P@10") == set()


def test_the_tables_are_of_the_runs_that_are_there(make, tmp_path):
    """A run that is deleted is in no table any more, nor in the target, whatever is made again beside it."""
    out = tmp_path / "out"
    assert "comb-0.2" in _suppliers(out)
    (tmp_path / "runs" / "comb-0.2.gz").unlink()
    (tmp_path / "runs" / "comb-0.3.gz").touch()
    shutil.copy(ROOT / "sample_runs" / "rm.gz", tmp_path / "runs" / "new.gz")
    assert make("-j2", ONE) == OF_AP | {"runs", "comb-0.3", "new"}
    table = (out / "decompose-AP.tex").read_text()
    assert [name in table for name in ("comb-0.1", "comb-0.2", "comb-0.3", "new")] == [True, False, True, True]
    assert "comb-0.2" not in _suppliers(out)
    (tmp_path / "runs" / "new.gz").unlink()
    assert make("-j2", ONE) == OF_AP | {"runs"}
    assert make("-j2", ONE) == set()


def _suppliers(out):
    with (out / "target-AP.csv").open() as file:
        return {name for row in csv.DictReader(file) for name in row["suppliers"].split()}


def test_a_broken_run_stops_make_and_leaves_the_old_files(make, tmp_path):
    old = (tmp_path / "out" / "decompose-AP.tex").read_bytes()
    (tmp_path / "runs" / "comb-0.3.gz").write_text("1 Q0 a 1\n")
    assert make(ONE, code=2) == set()
    assert (tmp_path / "out" / "decompose-AP.tex").read_bytes() == old


def test_two_files_of_one_run_stop_make(make, tmp_path):
    (tmp_path / "runs" / "comb-0.3").write_bytes(gzip.decompress((tmp_path / "runs" / "comb-0.3.gz").read_bytes()))
    assert "comb-0.3" not in make(ONE, code=2)


def _printed(*words):
    """What make prints in the checkout."""
    return subprocess.check_output(["make", *words], cwd=ROOT, text=True, env={**os.environ, "MAKEFLAGS": ""})


def test_the_demo_installs_what_figures_need():
    lines = _printed("--dry-run", "--always-make", "demo").splitlines()
    install, decompose = (line for line in lines if " -e " in line or "/biasvar decompose" in line)
    assert install.endswith("-e '.[plot]'")
    assert "sample_runs -q qrels/npl.qrels.txt" in decompose


def test_make_lists_its_targets():
    assert {"demo", "test", "docs", "sample"} <= {line.split()[1] for line in _printed().splitlines()}
