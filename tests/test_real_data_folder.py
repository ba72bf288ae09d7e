"""BIASVAR_DATA, the folder of the real data: where it is wrong, where a part is absent, and the page about it."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys

import pytest
import real_data
from conftest import ROOT, RealData, pytest_configure

ABOUT_THE_FOLDER = ("conftest.py", "once.py", "test_real_data_folder.py")


@pytest.mark.long
def test_tests_skip_without_their_part_and_say_where_it_comes_from(tmp_path):
    (tmp_path / "covid-round1").mkdir()
    (tmp_path / "covid-round1" / "qrels.txt").write_text("1 0 a 1\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "beir", "-m", "real_data"]
    command.append("tests/drawing/test_figures_measured.py")
    environment = {**os.environ, "BIASVAR_DATA": str(tmp_path), "COLUMNS": "500"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "skipped" in done.stdout.splitlines()[-1]
    absent = f"beir-leaderboard is not in {tmp_path}; set BIASVAR_DATA to the folder of the real data"
    assert f"{absent}: {real_data.SECTION}" in done.stdout


def test_a_folder_without_any_of_the_data_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("BIASVAR_DATA", str(tmp_path))
    with pytest.raises(pytest.UsageError, match="where there is none of the real data"):
        pytest_configure()


def test_a_misspelled_path_does_not_skip(monkeypatch, tmp_path):
    monkeypatch.setattr(real_data, "DATA", tmp_path)
    (tmp_path / "covid-round1" / "runs").mkdir(parents=True)
    data = RealData(tmp_path)
    assert (data / "covid-round1" / "runs").is_dir()
    for name in ("covid-round2", "covid-round1/run", "covid-round1/runs/BERT.gz"):
        assert not (data / name).exists()
    with pytest.raises(TypeError, match="is no path: join a part of the data to it with /"):
        str(data)
    with pytest.raises(pytest.skip.Exception, match=r"covid-round1/qrels\.txt is not in"):
        data / "covid-round1" / "qrels.txt"


def test_the_page_names_every_part():
    section = (ROOT / real_data.SECTION.partition(",")[0]).read_text("utf-8")
    named = set(re.findall(r"`([^`\s]+)`", section))
    assert {part.split("/")[0] for part in real_data.PARTS} <= named
    assert {part.split("/")[1] for part in real_data.PARTS} <= named
    assert real_data.VARIABLE in section


def test_every_part_is_there_where_all_of_the_data_are(shared):
    """A part that no data set has would make every test skip that asks for it."""
    for folder in dict.fromkeys(part.split("/")[0] for part in real_data.PARTS):
        assert shared / folder
    assert [part for part in real_data.PARTS if not (real_data.DATA / part).exists()] == []


def test_no_test_comes_to_the_data_but_through_the_fixture():
    """A test that did would lack the mark, without which it is not run where the data are."""
    around = re.compile(r"real_data\.(DATA|DEFAULT)|BIASVAR_DATA|RealData\(|shared/|[\"']shared[\"']")
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.name not in ABOUT_THE_FOLDER]
    assert [path.name for path in files if around.search(path.read_text("utf-8"))] == []


def test_the_examples_are_true():
    assert doctest.testmod(real_data).failed == 0
