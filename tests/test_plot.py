"""``biasvar plot``: the marks are the tables' numbers; every format opens; bad input leaves the old file as it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from biasvar_cli.commands.plot import FIGURES
from biasvar_cli.plots.export import FORMATS
from biasvar_cli.plots.style import THEMES

SAMPLE = ("sample_runs", "-q", "qrels/simulated.qrels.txt", "--quiet")
FAMILIES = ("--families", "(comb|nrr)-(.*)", "--reference", "rm")
OF_RUNS = [figure for figure in FIGURES if figure != "trend"]


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch, pytestconfig):
    monkeypatch.chdir(pytestconfig.rootpath)


@pytest.fixture
def drawn(biasvar, tmp_path):
    """A figure's specification, drawn without a converter."""

    def draw(figure, *arguments):
        path = tmp_path / "figure.json"
        result = biasvar("plot", figure, *arguments, "-o", path)
        assert (result.code, result.out) == (0, ""), result.err
        return json.loads(path.read_text())

    return draw


def _first(result):
    assert result.code == 0, result.err
    return json.loads(result.out)["results"][0]


def _titles(spec, channel):
    """The titles that the layers give an axis: one, or the axis would have several."""
    return {layer["encoding"][channel]["title"] for layer in spec["layer"] if channel in layer["encoding"]}


@pytest.mark.parametrize(("form", "var", "total"), [("score", "var", "total"), ("gap", "var_gap", "total_gap")])
@pytest.mark.parametrize("figure", ["plane", "total"])
def test_points_are_the_rows_of_decompose(biasvar, drawn, figure, form, var, total):
    table = _first(biasvar("decompose", *SAMPLE, "-f", "json"))["runs"]
    runs = drawn(figure, *SAMPLE, "--form", form)["datasets"]["runs"]
    assert [(row["run"], row["bias2"], row[var], row[total]) for row in runs] == [
        (row["run"], row["bias2"], row[var], row[total]) for row in table
    ]
    assert len(runs) == 22


def test_ringed_runs_are_those_that_decompose_marks(biasvar, drawn):
    table = _first(biasvar("decompose", *SAMPLE, "--pareto", "-f", "json"))["runs"]
    front = drawn("plane", *SAMPLE)["datasets"]["front"]
    assert {row["run"] for row in front} == {row["run"] for row in table if row["pareto"]}
    assert [row["bias2"] for row in front] == sorted(row["bias2"] for row in front)


def test_axes_have_the_papers_names_with_real_superscripts(drawn):
    spec = drawn("plane", *SAMPLE)
    assert (_titles(spec, "x"), _titles(spec, "y")) == ({"Bias²"}, {"Var"})
    assert _titles(drawn("plane", *SAMPLE, "--form", "gap"), "y") == {"Var(ρ̂)"}
    assert _titles(drawn("total", *SAMPLE), "y") == {"Bias² + Var"}
    assert _titles(drawn("total", *SAMPLE, "--form", "gap"), "y") == {"Bias² + Var(ρ̂)"}


def test_caption_says_measure_target_runs_queries_form_and_unit(drawn):
    spec = drawn("plane", *SAMPLE, "-m", "nDCG@10", "--target", "best:0.9", "--form", "gap")
    caption = " ".join(spec["title"]["subtitle"])
    assert "nDCG@10, target best:0.9, 22 runs, 30 queries; gap form (gap = target − score); unit: nDCG@10 sq" in caption
    assert "title" not in drawn("plane", *SAMPLE, "--no-title")


def test_lines_of_equal_total_are_of_round_totals(drawn):
    lines = drawn("plane", *SAMPLE)["datasets"]["lines"]
    assert len(lines) >= 4
    for end in lines:
        assert end["bias2"] + end["y"] == pytest.approx(end["total"], abs=1e-12)
        assert end["total"] / 0.05 == pytest.approx(round(end["total"] / 0.05))


def test_families_are_joined_in_order_and_named_at_their_ends(biasvar, drawn):
    spec = drawn("plane", *SAMPLE, *FAMILIES)
    runs = spec["datasets"]["runs"]
    for family, ends in {"comb": ("comb-0.1", "comb-0.9"), "nrr": ("nrr-0.1", "nrr-1.0")}.items():
        members = sorted((row for row in runs if row["family"] == family), key=lambda row: row["place"])
        assert [row["place"] for row in members] == list(range(1, len(members) + 1))
        assert (members[0]["run"], members[-1]["run"]) == ends
    table = _first(biasvar("tradeoff", *SAMPLE, *FAMILIES, "-f", "json"))["families"]
    below = {
        row["family"]: f"{row['family']} {row['n_below']} of {row['n_runs']}" for row in table if row["form"] == "score"
    }
    assert f"than rm: {below['comb']}, {below['nrr']}" in " ".join(spec["title"]["subtitle"])
    named = {row["run"] for name, rows in spec["datasets"].items() if name.startswith("labels_") for row in rows}
    assert named <= {"comb-0.1", "comb-0.9", "nrr-0.1", "nrr-1.0", "orig", "rm", "target"}
    assert {"comb-0.1", "comb-0.9", "nrr-0.1", "rm"} <= named
    assert f"{22 - len(named)} of 22 runs are not" in " ".join(spec["title"]["subtitle"])


def test_families_of_a_file_are_those_of_a_pattern(drawn, tmp_path, pytestconfig):
    names = [path.name.removesuffix(".gz") for path in (pytestconfig.rootpath / "sample_runs").iterdir()]
    lines = [f"{run},{run.partition('-')[0]},{run.partition('-')[2]}" for run in sorted(names) if "-" in run]
    (tmp_path / "families.csv").write_text("\n".join(["run,family,parameter", *lines]) + "\n")
    file = drawn("plane", *SAMPLE, "--families", tmp_path / "families.csv", "--reference", "rm")
    assert file == drawn("plane", *SAMPLE, *FAMILIES)


@pytest.mark.parametrize("form", ["score", "gap"])
def test_ranked_bars_are_in_ascending_order_of_bias(biasvar, drawn, form):
    var, total = ("var", "total") if form == "score" else ("var_gap", "total_gap")
    table = _first(biasvar("decompose", *SAMPLE, "-f", "json", "--sort", "bias2"))["runs"]
    spec = drawn("ranked", *SAMPLE, "--form", form)
    parts = spec["datasets"]["parts"]
    assert [row["run"] for row in parts[::2]] == [row["run"] for row in table]
    assert [row["value"] for row in parts[::2]] == [row["bias2"] for row in table]
    assert [row["value"] for row in parts[1::2]] == [row[var] for row in table]
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [row["run"] for row in table]
    least = {name: min(table, key=lambda row: row[name])["run"] for name in ("bias2", var, total)}
    marked = {name: row["run"] for row in spec["datasets"]["least"] for name in row["least"].split(", ")}
    assert list(marked.values()) == list(least.values())


def test_every_run_of_a_tie_is_marked(drawn, tmp_path):
    (tmp_path / "ap.csv").write_text("topic,f,g,h\n1,.1,.2,.3\n2,.2,.1,.5\n")
    least = drawn("ranked", tmp_path / "ap.csv", "--quiet")["datasets"]["least"]
    assert {(row["run"], row["least"]) for row in least} == {
        ("h", "Bias², Bias² + Var"),
        ("f", "Var"),
        ("g", "Var"),
    }


@pytest.mark.parametrize("form", ["score", "gap"])
@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_tradeoff_rows_are_those_of_tradeoff(biasvar, drawn, form, coefficient):
    options = ("--null-samples", 100, "-m", "AP", "-m", "P@10", "--subset-size", "5,10")
    tables = json.loads(biasvar("tradeoff", *SAMPLE, *options, "-f", "json").out)["results"]
    spec = drawn("tradeoff", *SAMPLE, *options, "--form", form, "--correlation", coefficient)
    expected = [
        (table["measure"], row[coefficient], *(row["null"][coefficient][key] for key in ("median", "low", "high")))
        for table in tables
        for row in table["rows"]
        if row["form"] == form or row["normalised"]
    ]
    rows = spec["datasets"]["rows"]
    assert [(row["of"], row["observed"], row["median"], row["low"], row["high"]) for row in rows] == expected
    assert len(rows) == 2 * 10


def test_tradeoff_without_a_reference_has_points_alone_and_says_nothing_of_one(drawn):
    spec = drawn("tradeoff", *SAMPLE, "--no-null")
    assert {row["median"] for row in spec["datasets"]["rows"]} == {None}
    assert "reference" not in spec["description"]


def test_undefined_correlations_are_left_out_and_counted(drawn, tmp_path):
    lines = [f"{query},{query / 20},{query / 30},{1 / query}" for query in range(1, 13)]
    (tmp_path / "ap.csv").write_text("\n".join(["topic,f,g,h", *lines]) + "\n")
    spec = drawn("tradeoff", tmp_path / "ap.csv", "--target", "mean:0.7", "--quiet", "--no-null")
    assert len(spec["datasets"]["rows"]) == 4
    assert "2 correlations undefined and left out" in spec["description"]


@pytest.fixture
def shelf(tmp_path):
    """Three made-up tracks of one series, and one of another."""
    entries = []
    for year, series in ((1994, "ad hoc"), (1995, "ad hoc"), (1996, "ad hoc"), (2010, "web")):
        runs = range(6)
        lines = ["AP," + ",".join(f"run{run}" for run in runs)]
        lines += [
            f"{query}," + ",".join(str((1 + (7 * run + year * query) % 11) / (12 + run)) for run in runs)
            for query in range(1, 13)
        ]
        (tmp_path / f"{year}.csv").write_text("\n".join(lines) + "\n")
        entries.append(f'[[track]]\ntrack = "T{year}"\nseries = "{series}"\nyear = {year}\nscores = "{year}.csv"\n')
    path = tmp_path / "shelf.toml"
    path.write_text("\n".join(entries))
    return path


def test_trend_points_are_those_of_tracks(biasvar, drawn, shelf):
    options = ("--subset-size", 4, "--null-samples", 100)
    table = _first(biasvar("tracks", shelf, *options, "-f", "json"))
    spec = drawn("trend", shelf, *options, "--correlation", "spearman")
    names = {
        "(a) single": "single",
        "(b) random": "random",
        "(c) by difficulty": "difficulty",
        "(d) normalised": "normalised",
    }
    points = {(row["track"], names[row["sampling"]]): row for row in spec["datasets"]["rows"]}
    assert len(points) == 4 * 4
    for track in table["tracks"]:
        for sampling in names.values():
            assert points[track["track"], sampling]["observed"] == track[f"{sampling}_spearman"]
            assert points[track["track"], sampling]["year"] == track["year"]
    for row in table["references"]:
        if row["model"] != "common":
            continue
        sampling, _, coefficient = row["quantity"].partition("_")
        if coefficient == "spearman":
            point = points[row["track"], sampling]
            assert (point["median"], point["low"], point["high"]) == (row["median"], row["low"], row["high"])
    assert {row["line"] for row in spec["datasets"]["rows"]} == {"ad hoc, AP, target best", "web, AP, target best"}
    assert _titles(spec, "y") == {"Spearman’s ρ of Bias² and Var"}


def test_trend_is_not_drawn_where_a_track_is_broken(biasvar, shelf):
    (shelf.parent / "1995.csv").unlink()
    out = shelf.parent / "out.json"
    result = biasvar("plot", "trend", shelf, "-o", out)
    assert result.code == 1
    assert "track T1995: there is no such file" in result.err
    assert not out.exists()


def test_target_is_in_order_of_difficulty_with_its_suppliers(biasvar, drawn):
    table = _first(biasvar("target", *SAMPLE, "-f", "json"))["queries"]
    ranked = sorted(table, key=lambda row: row["difficulty"])
    spec = drawn("target", *SAMPLE)
    rows = spec["datasets"]["queries"]
    assert [(row["query_id"], row["score"], row["n_suppliers"]) for row in rows] == [
        (row["query_id"], row["score"], row["n_suppliers"]) for row in ranked
    ]
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"] == [row["query_id"] for row in ranked]
    for row, told in zip(rows, ranked, strict=True):
        assert row["low"] <= row["lower"] <= row["median"] <= row["upper"] <= row["high"] == row["score"]
        if row["supplier"] not in ("another run", "several runs"):
            assert told["suppliers"] == [row["supplier"]]
        assert (row["supplier"] == "several runs") == (len(told["suppliers"]) > 1)


@pytest.mark.parametrize("target", ["best", "run:rm"])
def test_cells_are_the_gaps_of_every_run_and_query_both_in_order(biasvar, drawn, target):
    scores = _first(biasvar("scores", *SAMPLE, "-f", "json"))
    held = {run["run"]: dict(zip(scores["queries"], run["scores"], strict=True)) for run in scores["runs"]}
    best = {query: max(run[query] for run in held.values()) for query in scores["queries"]}
    aim = best if target == "best" else held["rm"]
    spec = drawn("queries", *SAMPLE, "--target", target)
    cells = spec["datasets"]["cells"]
    assert len(cells) == 22 * 30
    for cell in cells:
        assert cell["gap"] == pytest.approx(aim[cell["query_id"]] - held[cell["run"]][cell["query_id"]], abs=1e-15)
    order = [
        row["run"]
        for row in _first(biasvar("decompose", *SAMPLE, "--target", target, "--sort", "bias2", "-f", "json"))["runs"]
    ]
    encoding = spec["layer"][0]["encoding"]
    assert encoding["y"]["scale"]["domain"] == order
    assert encoding["x"]["scale"]["domain"] == sorted(best, key=best.get)
    assert [cell for cell in cells if cell["gap"] < 0] == spec["datasets"].get("above", [])
    assert bool(spec["datasets"].get("above")) == (target == "run:rm")


def test_rarefaction_is_the_table_of_target(biasvar, drawn):
    table = _first(biasvar("target", *SAMPLE, "-f", "json"))["rarefied"]
    spec = drawn("rarefaction", *SAMPLE)
    assert spec["datasets"]["means"] == table
    assert [row["n_runs"] for row in spec["datasets"]["marked"]] == [1, 10, 22]


def test_names_that_have_no_room_are_left_out_with_a_count(drawn, tmp_path):
    runs = [f"run{index}" for index in range(100)]
    lines = [f"{query}," + ",".join(str((index * query) % 7 / 7) for index in range(100)) for query in (1, 2, 3)]
    (tmp_path / "ap.csv").write_text("\n".join(["topic," + ",".join(runs), *lines]) + "\n")
    for figure in ("ranked", "queries"):
        assert "(100 names left out)" in json.dumps(drawn(figure, tmp_path / "ap.csv", "--quiet")), figure


def test_hostile_names_stay_text(biasvar, tmp_path):
    names = ["<script>alert(1)</script>", "=HYPERLINK(1)", "a&b", "datum.x", "${expr}", "\\u0000"]
    lines = [f"{query}," + ",".join(str((place + query) / 20) for place in range(6)) for query in (1, 2, 3)]
    (tmp_path / "ap.csv").write_text("\n".join(["topic," + ",".join(names), *lines]) + "\n")
    result = biasvar("plot", "ranked", tmp_path / "ap.csv", "-o", tmp_path / "a.json", "--quiet")
    assert result.code == 0, result.err
    assert {row["run"] for row in json.loads((tmp_path / "a.json").read_text())["datasets"]["parts"]} == set(names)
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    assert biasvar("plot", "ranked", tmp_path / "ap.csv", "-o", tmp_path / "a.svg", "--quiet").code == 0
    texts = _texts(tmp_path / "a.svg")
    assert set(names) <= set(texts)
    assert b"<script" not in (tmp_path / "a.svg").read_bytes()


def test_names_of_hidden_characters_are_shown_as_escapes_on_axes_and_in_rows_alike(drawn, tmp_path):
    lines = [f"{query}," + ",".join(str((place + query) / 20) for place in range(3)) for query in (1, 2, 3)]
    (tmp_path / "ap.csv").write_text("\n".join(["topic,a\u202eb,c,d", *lines]) + "\n")
    for figure, name in (("ranked", "parts"), ("queries", "cells")):
        spec = drawn(figure, tmp_path / "ap.csv", "--quiet")
        encoding = spec["layer"][0]["encoding"]
        domain = encoding["x" if figure == "ranked" else "y"]["scale"]["domain"]
        assert domain == ["d", "c", "a\\u202eb"]
        assert {row["run"] for row in spec["datasets"][name]} == set(domain)


def _texts(path):
    return [element.text for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314


@pytest.mark.parametrize("figure", OF_RUNS)
def test_every_format_opens_and_holds_the_titles(biasvar, tmp_path, figure):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    paths = {name: tmp_path / f"{figure}.{name}" for name in FORMATS}
    for path in paths.values():
        result = biasvar("plot", figure, *SAMPLE, "--null-samples", 100, "-o", path) if figure == "tradeoff" else None
        result = result or biasvar("plot", figure, *SAMPLE, "-o", path)
        assert (result.code, result.out, result.err) == (0, "", ""), path
    spec = json.loads(paths["json"].read_text())
    wanted = {spec["title"]["text"], *_titles(spec, "x")}
    assert wanted <= set(_texts(paths["svg"]))
    assert paths["pdf"].read_bytes().startswith(b"%PDF-")
    assert paths["png"].read_bytes().startswith(b"\x89PNG\r\n")
    assert ElementTree.parse(paths["svg"]).getroot().get("width") == "240pt"  # noqa: S314


def test_pdftotext_finds_the_titles(biasvar, tmp_path):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    assert biasvar("plot", "total", *SAMPLE, "-o", tmp_path / "a.pdf").code == 0
    text = subprocess.run(["pdftotext", tmp_path / "a.pdf", "-"], capture_output=True, text=True, check=True).stdout
    for words in ("Bias² and total error", "AP, target best, 22 runs, 30 queries", "Bias² + Var"):
        assert words in text


@pytest.mark.parametrize(("width", "points"), [("one", 240), ("two", 504), ("12cm", 340)])
def test_width_is_that_of_the_page(biasvar, tmp_path, width, points):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    for figure in ("plane", "ranked", "queries"):
        path = tmp_path / f"{figure}.svg"
        assert biasvar("plot", figure, *SAMPLE, "--width", width, "-o", path).code == 0
        found = ElementTree.parse(path).getroot().get("width")  # noqa: S314
        assert found.endswith("pt")
        assert float(found[:-2]) == pytest.approx(points, abs=1)


def test_the_same_chart_in_dark_has_the_same_data(drawn):
    light, dark = (drawn("plane", *SAMPLE, *FAMILIES, "--theme", theme) for theme in THEMES)
    assert light["datasets"] == dark["datasets"]
    assert light["background"] != dark["background"]


@pytest.mark.parametrize("figure", ["plane", "ranked", "queries"])
def test_same_bytes_whatever_the_hash_seed(tmp_path, figure):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    files = {}
    for seed in ("0", "1"):
        for name in FORMATS:
            path = tmp_path / f"{seed}.{name}"
            words = [sys.executable, "-m", "biasvar_cli", "plot", figure, *SAMPLE, "-o", str(path)]
            subprocess.run(words, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
            files[seed, name] = path.read_bytes()
    for name in FORMATS:
        assert files["0", name] == files["1", name], name


@pytest.mark.parametrize("suffix", ["pdf", "svg", "png"])
def test_without_the_extra_the_remedy_is_told_and_nothing_is_read(biasvar, monkeypatch, tmp_path, suffix):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    out = tmp_path / f"a.{suffix}"
    out.write_text("as it was")
    result = biasvar("plot", "plane", *SAMPLE, "-o", out)
    assert (result.code, result.out) == (2, "")
    assert "plot needs another package: pip install 'biasvar-cli[plot]'" in result.err
    assert out.read_text() == "as it was"


def test_the_specification_needs_no_extra(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert drawn("plane", *SAMPLE)["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("plain", *SAMPLE), 2, "'plain' is not one of 'plane', 'total', 'ranked'"),
        (("plane", *SAMPLE, "--families", "(zzz)-.*"), 1, "none of the runs is in a family; the runs are comb-0.1"),
        (("plane", *SAMPLE, "--families", "(comb"), 2, "no regular expression"),
        (("plane", *SAMPLE, "--reference", "rm"), 2, "--reference needs --families."),
        (("plane", *SAMPLE, "--families", "(comb)-.*", "--reference", "mr"), 1, "there is no such run"),
        (
            ("plane", *SAMPLE, "--form", "gap", "--target", "mean:0.5"),
            2,
            "--form gap needs the target's score per query",
        ),
        (("ranked", *SAMPLE, "--families", "(comb)-.*"), 2, "--families means nothing to plot ranked."),
        (("queries", *SAMPLE, "--form", "gap"), 2, "--form means nothing to plot queries."),
        (("plane", *SAMPLE, "--subset-size", "5"), 2, "--subset-size means nothing to plot plane."),
        (("plane", *SAMPLE, "-m", "AP", "-m", "P@5"), 2, "is of one measure and one target"),
        (("plane", *SAMPLE, "--target", "best", "--target", "perfect"), 2, "is of one measure and one target"),
        (("target", *SAMPLE, "--target", "mean:0.5"), 2, "is a mean alone"),
        (("queries", *SAMPLE, "--target", "mean:0.5"), 2, "is a mean alone"),
        (("rarefaction", *SAMPLE, "--target", "perfect"), 2, "rarefaction is of --target best, not perfect"),
        (("tradeoff", *SAMPLE, "--form", "gap", "--target", "mean:0.5", "--no-null"), 1, "no correlation is defined"),
        (("trend", *SAMPLE[:1]), 2, "plot trend takes one MANIFEST.toml"),
        (("trend", "pyproject.toml", "-m", "AP"), 2, "--measure means nothing to plot trend."),
        (("plane", *SAMPLE, "--width", "three"), 2, "--width three: neither one, two, nor a width from 5cm to 60cm"),
        (("plane", *SAMPLE, "--width", "1cm"), 2, "--width 1cm: neither one, two"),
    ],
)
def test_bad_requests_are_refused_and_the_old_file_stays(biasvar, tmp_path, arguments, code, message):
    out = tmp_path / "out.json"
    out.write_text("as it was")
    result = biasvar("plot", *arguments, "-o", out)
    assert (result.code, result.out) == (code, ""), result.err
    assert message in result.err
    assert out.read_text() == "as it was"


@pytest.mark.parametrize("figure", OF_RUNS)
def test_one_run_alone_makes_no_figure(biasvar, tmp_path, figure):
    out = tmp_path / "out.json"
    result = biasvar("plot", figure, "sample_runs/rm.gz", *SAMPLE[1:], "-o", out)
    assert result.code == 1
    assert ("needs at least 2, found 1 run" in result.err) or ("it needs at least 3 runs" in result.err)
    assert not out.exists()


@pytest.mark.parametrize("name", ["plane.gif", "plane", "plane.pdf.gz", "-", "plane.html"])
def test_an_unknown_suffix_is_refused_before_anything_is_read(biasvar, name):
    result = biasvar("plot", "plane", "sample_runs", "-o", name)
    assert (result.code, result.out) == (2, "")
    assert f"-o {name}: a figure's name ends in one of .pdf, .svg, .png, .json" in result.err


def test_a_folder_that_is_not_there_is_told(biasvar, tmp_path):
    result = biasvar("plot", "plane", *SAMPLE, "-o", tmp_path / "none" / "a.json")
    assert (result.code, result.out) == (1, "")
    assert "a.json: cannot be written: No such file or directory" in result.err


def test_strict_writes_nothing_where_there_is_a_warning(biasvar, tmp_path):
    out = tmp_path / "out.json"
    result = biasvar("plot", "plane", *SAMPLE[:-1], "-m", "P@10", "--target", "perfect", "--strict", "-o", out)
    assert result.code == 1
    assert "--strict allows none; nothing was written" in result.err
    assert not out.exists()


@pytest.mark.parametrize("figure", OF_RUNS)
def test_whole_real_track(drawn, shared, figure):
    folder = shared / "covid-round1"
    options = ("--null-samples", 100) if figure == "tradeoff" else ()
    spec = drawn(figure, folder / "runs", "-q", folder / "qrels.txt", "--quiet", *options)
    caption = " ".join(spec["title"]["subtitle"])
    assert "AP, target best, 143 runs, 30 queries" in caption
    counts = {
        "plane": ("runs", 143),
        "total": ("runs", 143),
        "ranked": ("parts", 286),
        "tradeoff": ("rows", 6),
        "target": ("queries", 30),
        "queries": ("cells", 143 * 30),
        "rarefaction": ("means", 143),
    }
    name, number = counts[figure]
    assert len(spec["datasets"][name]) == number
