"""``biasvar report --replicates``: rows are systems, and the page shows the runs of each."""

from __future__ import annotations

import re

import pytest
from conftest import SAMPLE, only

import biasvar_cli as bv

pytestmark = pytest.mark.usefixtures("in_the_checkout")
SYSTEMS = ("--replicates", "(comb|nrr)-.*")


def facts(text):
    """What the page says of itself, without tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def test_the_page_has_every_run_of_a_system_as_decompose_of_the_runs_has_it(biasvar, made):
    """Nothing on the page is computed from mean scores: its variances are those of the tables."""
    _, data = made(*SAMPLE, "-m", "AP", *SYSTEMS)
    names = data["names"]
    assert set(names) >= {"comb", "nrr", "orig"}
    runs = {row["run"]: row for row in only(biasvar("decompose", *SAMPLE, "-m", "AP", "-f", "json"))["runs"]}
    # the target of systems is of their means, so the biases differ from those of the runs, the variances do not
    (panel,) = data["panels"]
    assert len(panel["replicates"]) == sum(run.startswith(("comb", "nrr")) for run in runs)
    for replicate in panel["replicates"]:
        assert names[replicate["system"]] == replicate["run"].partition("-")[0]
        assert replicate["var"] == pytest.approx(runs[replicate["run"]]["var"])
    table = only(biasvar("decompose", *SAMPLE, "-m", "AP", *SYSTEMS, "-f", "json"))["runs"]
    (sheet,) = (sheet for key, sheet in data["sheets"].items() if key.endswith("-runs"))
    shown = sorted((dict(zip(sheet["columns"], row, strict=True)) for row in sheet["rows"]), key=lambda row: row["run"])
    names_of_columns = ("run", "var", "var_gap", "n_replicates", "var_queries", "var_replicates", "sd_replicates")
    assert [[row[name] for name in names_of_columns] for row in shown] == [
        [row[name] for name in names_of_columns] for row in table
    ]
    for place, row in enumerate(table):
        own = [each for each in panel["replicates"] if each["system"] == place]
        if own:  # a system has the mean total of its runs
            totals = [each["bias2"] + each["var"] for each in own]
            assert row["total"] == pytest.approx(sum(totals) / len(totals))


def test_a_page_of_runs_has_no_replicates(made):
    _, data = made(*SAMPLE, "-m", "AP")
    assert [panel["replicates"] for panel in data["panels"]] == [[]]


def test_the_page_says_what_systems_are_made_of_and_repeats_the_option(made, tmp_path):
    text, _ = made(*SAMPLE, "-m", "AP", *SYSTEMS)
    words = facts(text)
    assert "Systems 5 systems with 1 to 10 runs each (22 runs in all) Files" in words
    assert "--replicates &#39;(comb|nrr)-.*&#39; -o report.html" in words
    assert "biasvar plot plane sample_runs -q qrels/npl.qrels.txt --replicates" in words
    file = tmp_path / "systems.csv"
    file.write_text("run,system\nnrr-0.1,nrr\nnrr-0.2,nrr\n")
    text, _ = made(*SAMPLE, "-m", "AP", "--replicates", file)
    assert f"List of systems {file} Topics" in facts(text)


def test_a_notebook_names_the_file_of_systems_too(tmp_path):
    file = tmp_path / "systems.csv"
    file.write_text("run,system\nnrr-0.1,nrr\nnrr-0.2,nrr\n")
    given = {"qrels": "qrels/npl.qrels.txt", "glob": "nrr*", "null": False}
    words = facts(bv.report("sample_runs", replicates=str(file), **given).html)
    assert f"List of systems {file} Topics" in words
    assert "replicates=" in words


def test_means_of_several_measures_have_their_spread(made):
    text, data = made(*SAMPLE, "-m", "AP", "-m", "P@10", *SYSTEMS, "--no-null")
    assert data["sheets"]["summary"]["columns"][:3] == ["run", "AP", "AP_sd_replicates"]
    assert "±: standard deviation of the means of a system" in facts(text)


def test_the_figure_of_the_page_draws_them(browser, made, tmp_path):
    _, data = made(*SAMPLE, "-m", "AP", *SYSTEMS)
    browser.open(tmp_path / "page.html")
    count = "document.querySelectorAll('[data-figure=plane] {}.replicate').length"
    for mark in ("circle", "line"):
        assert browser.run(count.format(mark)) == len(data["panels"][0]["replicates"])
    assert "Small points: the runs of each system" in browser.run(
        "document.querySelector('[data-figure=plane] figcaption').textContent"
    )
