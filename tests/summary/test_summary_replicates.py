"""``biasvar summary`` with ``--replicates``: a row a system, with ± of the means of its runs."""

from __future__ import annotations

import json
import statistics

import pytest
from conftest import SYSTEMS_RUNS as RUNS
from conftest import only, rows_of

import biasvar_cli as bv

SD = {"A": 0.057735, "B": 0.084853}
SYSTEMS = ("--replicates", "-[0-9]+")


def write(path, runs):
    lines = [f"q{number},{','.join(map(str, row))}" for number, row in enumerate(zip(*runs.values(), strict=True), 1)]
    path.write_text("\n".join([",".join(["AP", *runs]), *lines]) + "\n")
    return path


@pytest.fixture
def matrix(tmp_path):
    return write(tmp_path / "runs.csv", RUNS)


@pytest.fixture
def shelf(tmp_path):
    """Two tracks: A has three runs on one and one on the other, where B has two."""
    write(tmp_path / "one.csv", RUNS)
    write(tmp_path / "two.csv", {run: RUNS[run] for run in ("A-1", "B-1", "B-2")})
    tracks = [
        f'[[track]]\ntrack = "{name}"\nyear = {year}\nscores = "{name}.csv"\n'
        for year, name in enumerate(("one", "two"), 2001)
    ]
    path = tmp_path / "shelf.toml"
    path.write_text("\n".join(tracks))
    return path


def test_csv_has_the_standard_deviation_behind_the_mean(biasvar, matrix):
    rows = rows_of(biasvar("summary", matrix, *SYSTEMS, "-f", "csv"))
    assert list(rows[0])[:3] == ["run", "AP", "AP_sd_replicates"]
    for row in rows:
        own = [statistics.fmean(scores) for run, scores in RUNS.items() if run.startswith(row["run"])]
        assert float(row["AP"]) == pytest.approx(statistics.fmean(own))
        if row["run"] == "C":
            assert row["AP_sd_replicates"] == ""
        else:
            assert float(row["AP_sd_replicates"]) == pytest.approx(statistics.stdev(own))
            assert float(row["AP_sd_replicates"]) == pytest.approx(SD[row["run"]], abs=5e-7)


def test_json_has_it_behind_the_mean_and_the_runs_of_every_system(biasvar, matrix):
    result = only(biasvar("summary", matrix, *SYSTEMS, "--names", "A=Best", "-f", "json"))
    assert result["systems"] == {"Best": ["A-1", "A-2", "A-3"], "B": ["B-1", "B-2"], "C": ["C"]}
    scores = {row["run"]: row["scores"][0] for row in result["runs"]}
    assert list(scores["B"])[2:4] == ["mean", "sd_replicates"]
    assert scores["Best"]["sd_replicates"] == pytest.approx(SD["A"], abs=5e-7)
    assert scores["C"]["sd_replicates"] is None


def test_text_has_it_in_the_cell_of_the_mean(biasvar, matrix):
    lines = biasvar("summary", matrix, *SYSTEMS).out.split("\n")
    assert [line for line in lines if line[:2] in ("A ", "B ", "C ")][-3:] == [
        "A         0.333 ± 0.058",
        "B         0.333 ± 0.085",
        "C         0.250",
    ]
    assert "±: standard deviation of the means of a system's runs." in lines
    assert "The test is" not in "\n".join(lines)  # three queries are too few for one
    percent = biasvar("summary", matrix, *SYSTEMS, "--percent", "--columns", "AP").out
    assert "A         33.3 ± 5.8" in percent


def test_markdown_latex_and_html_have_it(biasvar, matrix):
    assert "| A        | **0.333** ± 0.058 |" in biasvar("summary", matrix, *SYSTEMS, "-f", "markdown").out
    latex = biasvar("summary", matrix, *SYSTEMS, "-f", "latex").out
    assert "\\textbf{0.333} $\\pm$ 0.058 \\\\" in latex
    assert "0.250\\phantom{ $\\pm$ 0.058} \\\\" in latex
    html = bv.summary(matrix, replicates="-[0-9]+")._repr_html_()
    assert "<strong>0.333</strong> ± 0.058</td>" in html
    assert "<td>0.250</td>" in html


def test_marks_stand_behind_the_mean(biasvar, tmp_path):
    runs = {
        f"{name}-{seed}": [mean + 0.01 * ((5 * query + 3 * seed) % 7) for query in range(14)]
        for name, mean in (("A", 0.5), ("B", 0.2))
        for seed in (1, 2)
    }
    out = biasvar("summary", write(tmp_path / "many.csv", runs), *SYSTEMS, "--samples", 200).out
    mean = {name: [statistics.fmean(runs[f"{name}-{seed}"]) for seed in (1, 2)] for name in "AB"}
    words = {name: f"{statistics.fmean(each):.3f}" for name, each in mean.items()}
    assert f"A         {words['A']}* ± {statistics.stdev(mean['A']):.3f}" in out
    assert f"B         {words['B']}  ± {statistics.stdev(mean['B']):.3f}" in out
    assert "so it is about these runs, not about others" in " ".join(out.split())


def test_a_system_may_have_replicates_on_some_tracks_of_a_manifest(biasvar, shelf):
    rows = {row["run"]: row for row in rows_of(biasvar("summary", shelf, *SYSTEMS, "-f", "csv"))}
    assert float(rows["A"]["one/AP_sd_replicates"]) == pytest.approx(SD["A"], abs=5e-7)
    assert (rows["A"]["two/AP"], rows["A"]["two/AP_sd_replicates"]) == ("0.3", "")
    assert float(rows["B"]["two/AP_sd_replicates"]) == pytest.approx(SD["B"], abs=5e-7)
    (result,) = json.loads(biasvar("summary", shelf, *SYSTEMS, "-f", "json").out)["results"]
    assert result["systems"]["two"] == {"A": ["A-1"], "B": ["B-1", "B-2"]}
    text = " ".join(biasvar("summary", shelf, *SYSTEMS).out.split())
    assert "3 systems with 1 to 3 runs each (6 runs in all) on one; 2 systems with 1 to 2 runs each" in text


def test_a_track_without_replicates_is_an_error_with_its_name(biasvar, shelf):
    write(shelf.parent / "two.csv", {"A": RUNS["A-1"], "D": RUNS["C"]})
    result = biasvar("summary", shelf, *SYSTEMS)
    assert result.code == 1
    assert "track two: --replicates -[0-9]+: no file of that name, and no run matches" in result.err


def test_the_file_of_systems_beside_a_manifest_is_not_written_over(biasvar, shelf):
    file = shelf.parent / "systems.csv"
    file.write_text(text := "run,system\nA-1,A\nA-2,A\nB-1,B\nB-2,B\n")
    assert biasvar("summary", shelf, "--replicates", file, "-f", "csv").code == 0
    result = biasvar("summary", shelf, "--replicates", file, "-o", file)
    assert (result.code, file.read_text()) == (2, text)
