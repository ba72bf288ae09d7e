"""``biasvar plot``: the marks are the tables' numbers; every format opens; bad input leaves the old file as it was."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest
from conftest import SAMPLE, SAMPLE_RUNS, assert_refused, only, rows_of, write_manifest, write_scores

from biasvar_cli.cli import plot
from biasvar_cli.drawing.export import FIGURE_FORMATS
from biasvar_cli.drawing.style import THEMES
from biasvar_cli.words import VAR_TITLES

pytestmark = pytest.mark.usefixtures("in_the_checkout")
FAMILIES = ("--families", "(comb|nrr)-(.*)", "--baseline", "rm")
OF_RUNS = [figure for figure in plot.commands if figure not in ("trend", "estimation")]
OF_BASELINE = {
    "risk": "baseline mean, ",
    "losses": "baseline mean, ",
    "judges": "",
    "calibrated": "",
    "unjudged": "",
}  # their captions name no target


def _first(figure):
    """What a figure takes before its inputs."""
    return ("rm",) if figure == "profile" else ()


def _views(spec):
    """The views of a figure, of rows and columns of views too."""
    parts = spec.get("vconcat", spec.get("hconcat"))
    return [spec] if parts is None else [view for part in parts for view in _views(part)]


def _titles(spec, channel):
    """The titles that the layers give an axis, in lines: one, or the axis would have several."""
    layers = [layer for view in _views(spec) for layer in view["layer"]]
    titles = [layer["encoding"][channel].get("title") for layer in layers if channel in layer["encoding"]]
    return {line for title in titles for line in ([title] if isinstance(title, str) else title or ())}


@pytest.mark.parametrize(("form", "var", "total"), [("score", "var", "total"), ("gap", "var_gap", "total_gap")])
@pytest.mark.parametrize("figure", ["plane", "total"])
def test_points_are_the_rows_of_decompose(biasvar, drawn, figure, form, var, total):
    table = only(biasvar("decompose", *SAMPLE, "-f", "json"))["runs"]
    runs = drawn(figure, *SAMPLE, "--form", form)["datasets"]["runs"]
    points, rows = ([(row["run"], row["bias2"], row[var], row[total]) for row in of] for of in (runs, table))
    assert points == rows


def test_ringed_runs_are_those_that_decompose_marks(biasvar, drawn):
    table = only(biasvar("decompose", *SAMPLE, "--pareto", "-f", "json"))["runs"]
    front = drawn("plane", *SAMPLE)["datasets"]["front"]
    assert {row["run"] for row in front} == {row["run"] for row in table if row["pareto"]}
    assert [row["bias2"] for row in front] == sorted(row["bias2"] for row in front)


def test_axes_of_the_gap_form_have_their_names_and_all_type_is_of_one_face(drawn):
    plane, total = (drawn(figure, *SAMPLE, "--form", "gap") for figure in ("plane", "total"))
    assert _titles(plane, "y") == {"variance of the gap"}
    assert _titles(total, "y") == {"total error: bias² + variance of the gap"}
    fonts = re.findall(r'"\w*[fF]ont": "([^"]*)"', json.dumps(plane))
    assert fonts == ["Liberation Sans, Arial, Helvetica, sans-serif"]


def test_caption_says_measure_target_runs_queries_form_and_unit(drawn):
    spec = drawn("plane", *SAMPLE, "-m", "nDCG@10", "--target", "best:0.9", "--form", "gap")
    caption = spec["description"]
    assert "nDCG@10, 22 runs, 93 queries; target best:0.9. Gap form (gap = target − score); unit: nDCG@10 sq" in caption
    assert "title" not in drawn("plane", *SAMPLE, "--no-title")


def test_families_are_joined_in_order_and_counted(biasvar, drawn):
    spec = drawn("plane", *SAMPLE, *FAMILIES)
    members = sorted((row["family"], row["place"], row["run"]) for row in spec["datasets"]["runs"] if row["family"])
    names = {family: [run for of, _, run in members if of == family] for family in ("comb", "nrr")}
    assert names == {family: [run for run in SAMPLE_RUNS if run.startswith(family)] for family in names}
    table = only(biasvar("tradeoff", *SAMPLE, *FAMILIES, "-f", "json"))["families"]
    below = [f"{row['family']} {row['n_below']} of {row['n_runs']}" for row in table if row["form"] == "score"]
    assert f"than rm: {', '.join(below)}" in spec["description"]
    assert "7 of 22 runs labelled" in spec["description"]


def test_families_of_a_file_are_those_of_a_pattern(drawn, tmp_path):
    names = [run for run in SAMPLE_RUNS if run.startswith(("comb-", "nrr-"))]
    lines = [f"{run},{run.partition('-')[0]},{run.partition('-')[2]}" for run in names]
    (tmp_path / "families.csv").write_text("\n".join(["run,family,parameter", *lines]) + "\n")
    file = drawn("plane", *SAMPLE, "--families", tmp_path / "families.csv", "--baseline", "rm")
    assert file == drawn("plane", *SAMPLE, *FAMILIES)


@pytest.mark.parametrize("form", ["score", "gap"])
def test_ranked_bars_are_in_ascending_order_of_bias(biasvar, drawn, form):
    var, total = ("var", "total") if form == "score" else ("var_gap", "total_gap")
    table = only(biasvar("decompose", *SAMPLE, "-f", "json", "--sort", "bias2"))["runs"]
    spec = drawn("ranked", *SAMPLE, "--form", form)
    parts = spec["datasets"]["parts"]
    assert [row["run"] for row in parts[::2]] == [row["run"] for row in table]
    assert [row["value"] for row in parts[::2]] == [row["bias2"] for row in table]
    assert [row["value"] for row in parts[1::2]] == [row[var] for row in table]
    assert spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == [row["run"] for row in table]
    least = spec["datasets"]["least"]
    for name, title in (("bias2", "bias²"), (var, VAR_TITLES[form]), (total, "total")):
        (run,) = (row["run"] for row in least if re.search(rf"\b{title}(,|$)|all three$", row["words"]))
        assert run == min(table, key=lambda row: row[name])["run"]
    few = drawn("ranked", *SAMPLE, "--form", form, "--top", 4)
    assert few["datasets"]["parts"] == parts[:8]
    assert "4 of 22 runs shown" in few["description"]


def test_every_run_of_a_tie_is_marked(drawn, tmp_path):
    scores = write_scores(tmp_path / "ap.csv", [[0.1, 0.2], [0.2, 0.1], [0.3, 0.5]], "fgh")
    least = drawn("ranked", scores, "--quiet")["datasets"]["least"]
    words = {row["run"]: row["words"] for row in least}
    assert words == {"h": "least bias², total"} | dict.fromkeys("fg", "least variance")


def test_tradeoff_rows_are_those_of_tradeoff(biasvar, drawn):
    options = ("--null-samples", 100, "-m", "AP", "-m", "P@10", "--subset-size", "5,10")
    tables = json.loads(biasvar("tradeoff", *SAMPLE, *options, "-f", "json").out)["results"]

    def place(row):
        """The order of people: (a) to (d), then (a) normalised; by size."""
        is_single, kinds = row["sampling"] == "single", ("single", "random", "random-exact", "difficulty")
        return row["normalised"], row["normalised"] and is_single, kinds.index(row["sampling"]), row["subset_size"] or 0

    for table in tables:  # the rows of all subsets are left out, as they repeat single queries
        for row in table["rows"]:
            if row["sampling"] == "random-exact":
                (single,) = (
                    each
                    for each in table["rows"]
                    if each["sampling"] == "single" and each["form"] == row["form"] and not each["normalised"]
                )
                assert row["pearson"] == pytest.approx(single["pearson"], abs=1e-9)
    for form, coefficient in (("score", "pearson"), ("gap", "spearman"), ("score", "kendall")):
        spec = drawn("tradeoff", *SAMPLE, *options, "--form", form, "--correlation", coefficient)
        expected = [
            (table["measure"], row[coefficient], *(row["null"][coefficient][key] for key in ("median", "low", "high")))
            for table in tables
            for row in sorted(table["rows"], key=place)
            if row["sampling"] != "random-exact" and (row["form"] == form or row["normalised"])
        ]
        rows = spec["datasets"]["rows"]
        assert [(row["of"], row["observed"], row["median"], row["low"], row["high"]) for row in rows] == expected
        assert len(rows) == 2 * 8


def test_tradeoff_without_a_null_model_has_points_alone_and_says_nothing_of_one(drawn):
    spec = drawn("tradeoff", *SAMPLE, "--no-null")
    assert {row["median"] for row in spec["datasets"]["rows"]} == {None}
    assert "null model" not in json.dumps(spec)
    assert "shape" not in spec["layer"][-1]["encoding"]


def test_undefined_correlations_are_left_out_and_counted(drawn, tmp_path):
    queries = np.arange(1, 13)
    scores = write_scores(tmp_path / "ap.csv", [queries / 20, queries / 30, 1 / queries])
    spec = drawn("tradeoff", scores, "--target", "mean:0.7", "--quiet", "--no-null")
    assert len(spec["datasets"]["rows"]) == 3  # all random subsets are as (a)
    assert "2 correlations undefined and left out" in spec["description"]


@pytest.fixture
def shelf(tmp_path):
    """Three made-up tracks of one series, and one of another."""
    series = {1994: "ad hoc", 1995: "ad hoc", 1996: "ad hoc", 2010: "web"}
    runs, queries = np.arange(6)[:, None], np.arange(1, 13)
    for year in series:
        values = (1 + (7 * runs + year * queries) % 11) / (12 + runs)
        write_scores(tmp_path / f"{year}.csv", values, queries=map(str, queries))
    tracks = ({"track": f"T{y}", "series": s, "year": y, "scores": f"{y}.csv"} for y, s in series.items())
    return write_manifest(tmp_path / "shelf.toml", *tracks)


def test_trend_points_are_those_of_tracks(biasvar, drawn, shelf):
    options = ("--subset-size", 4, "--null-samples", 100)
    table = only(biasvar("tracks", shelf, *options, "-f", "json"))
    spec = drawn("trend", shelf, *options, "--correlation", "spearman")
    names = {
        "(a) single queries": "single",
        "(b) subsets of 4 queries drawn at random": "random",
        "(c) subsets of 4 queries by difficulty": "difficulty",
        "(d) subsets of 4 queries by difficulty, normalised": "normalised",
    }
    rows, tracks = spec["datasets"]["rows"], {track["track"]: track for track in table["tracks"]}
    null = {(row["track"], row["quantity"]): row for row in table["null"] if row["model"] != "shuffled"}
    assert len(rows) == 4 * 4
    for row in rows:
        track, quantity = tracks[row["track"]], f"{names[row['sampling']]}_spearman"
        assert (row["observed"], row["year"], row["line"]) == (track[quantity], track["year"], track["series"])
        ends = ("median", "low", "high")
        assert [row[end] for end in ends] == [null[row["track"], quantity][end] for end in ends]
    outside = [row for row in rows if not row["low"] <= row["observed"] <= row["high"]]
    assert [{key: row[key] for key in outside[0]} for row in spec["datasets"]["outside"]] == outside
    assert _titles(spec, "y") == {"Spearman’s ρ of bias² and variance"}


def test_trend_is_not_drawn_where_a_track_is_broken(biasvar, shelf):
    (shelf.parent / "1995.csv").unlink()
    out = shelf.parent / "out.json"
    result = biasvar("plot", "trend", shelf, "-o", out)
    assert result.code == 1
    assert "track T1995: there is no such file" in result.err
    assert not out.exists()


def test_target_is_in_order_of_difficulty_with_its_suppliers(biasvar, drawn):
    table = only(biasvar("target", *SAMPLE, "-f", "json"))["queries"]
    ranked = sorted(table, key=lambda row: row["difficulty"])
    spec = drawn("target", *SAMPLE)
    rows = spec["datasets"]["queries"]
    for row, query in zip(rows, ranked, strict=True):
        assert row.items() >= {key: query[key] for key in ("query_id", "score", "n_suppliers")}.items()
    assert _suppliers(spec)["x"]["scale"]["domain"] == [row["query_id"] for row in ranked]
    for row, query in zip(rows, ranked, strict=True):
        assert row["low"] <= row["lower"] <= row["median"] <= row["upper"] <= row["high"] == row["score"]
        if row["supplier"] not in ("another run", "several runs"):
            assert query["suppliers"] == [row["supplier"]]
        assert (row["supplier"] == "several runs") == (len(query["suppliers"]) > 1)


def _suppliers(spec):
    """The channels of the marks below the target."""
    return spec["vconcat"][1]["layer"][0]["encoding"]


def test_queries_that_are_equally_hard_are_joined(drawn, tmp_path):
    columns = [[0.1, 0.5, 0.5, 0.2, 0.9, 0.9, 0.9], [0.1, 0.4, 0.2, 0.1, 0.9, 0.1, 0.1]]
    spec = drawn("target", write_scores(tmp_path / "m.csv", columns, "ab"), "--quiet")
    assert [(row["first"], row["last"]) for row in spec["datasets"]["ties"]] == [("q1", "q2"), ("q4", "q6")]
    assert _suppliers(spec)["y"]["scale"]["domain"] == ["a", "several runs", "equally hard"]
    assert "5 of 7 queries are tied" in spec["description"]
    assert _titles(spec, "x") == {"Queries, hardest (lowest best score) first"}
    spec = drawn("target", write_scores(tmp_path / "m.csv", [[0.5] * 3, [0.1] * 3]), "--quiet")
    assert _titles(spec, "x") == {"Queries, all equally hard"}


@pytest.mark.parametrize("target", ["best", "run:rm"])
def test_cells_are_the_gaps_of_every_run_and_query_both_in_order(biasvar, drawn, target):
    scores = only(biasvar("scores", *SAMPLE, "-f", "json"))
    of_runs = {run["run"]: dict(zip(scores["queries"], run["scores"], strict=True)) for run in scores["runs"]}
    best = {query: max(run[query] for run in of_runs.values()) for query in scores["queries"]}
    targeted = best if target == "best" else of_runs["rm"]
    spec = drawn("queries", *SAMPLE, "--target", target)
    cells = spec["datasets"]["cells"]
    assert len(cells) == 22 * 93
    for cell in cells:
        query, run = cell["query_id"], cell["run"]
        assert cell["gap"] == pytest.approx(targeted[query] - of_runs[run][query], abs=1e-15)
    rows = rows_of(biasvar("decompose", *SAMPLE, "--target", target, "--sort", "bias2", "-f", "csv"))
    encoding = spec["layer"][0]["encoding"]
    assert encoding["y"]["scale"]["domain"] == [row["run"] for row in rows]
    assert encoding["x"]["scale"]["domain"] == sorted(best, key=best.get)
    assert [cell for cell in cells if cell["gap"] < 0] == spec["datasets"].get("above", [])
    assert bool(spec["datasets"].get("above")) == (target == "run:rm")


def test_suppliers_of_most_queries_have_a_line_each_and_the_others_one(drawn, tmp_path):
    """Run r supplies alone as many queries as it is called: one of 16 runs one query, another 16."""
    n_alone = [16 - run for run in range(16)]
    owners = np.repeat(range(16), n_alone).tolist()
    columns = [[0.5 + 0.4 * (owner == run) for owner in owners] for run in range(16)]
    matrix = write_scores(tmp_path / "m.csv", columns, [f"r{number}" for number in n_alone])
    spec = drawn("target", matrix, "--quiet", "--highlight", "r1")
    leading = [f"r{number}" for number in range(16, 4, -1)]
    assert _suppliers(spec)["y"]["scale"]["domain"] == [*leading, "r1", "another run", "equally hard"]
    assert _titles(spec, "x") == {"Queries, all equally hard; one id of 5 shown"}
    counts = Counter(row["supplier"] for row in spec["datasets"]["queries"])
    assert counts == {**{f"r{number}": number for number in range(5, 17)}, "r1": 1, "another run": 2 + 3 + 4}


def test_rarefaction_is_the_table_of_target(biasvar, drawn):
    table = only(biasvar("target", *SAMPLE, "-f", "json"))["rarefied"]
    spec = drawn("rarefaction", *SAMPLE)
    assert spec["datasets"]["means"] == table
    assert [row["n_runs"] for row in spec["datasets"]["marked"]] == [1, 10, 22]


@pytest.mark.parametrize("figure", ["ranked", "queries", "compare", "summary"])
def test_up_to_forty_runs_are_named_and_of_more_both_ends_and_the_highlighted(drawn, tmp_path, figure):
    options = ("--test", "t") if figure in ("compare", "summary") else ()
    for n_runs in (2, 40, 41, 100):
        values = np.outer(np.arange(n_runs), np.arange(1, 7)) % 7 / 7
        scores = write_scores(tmp_path / "ap.csv", values, [f"run{run}" for run in range(n_runs)])
        spec = drawn(figure, scores, "--quiet", "--highlight", "run1", *options)
        plot = spec["hconcat"][0] if figure == "summary" else spec
        channels = (layer["encoding"].get("y", {}) for layer in plot["layer"])
        order = next(y["scale"]["domain"] for y in channels if y.get("field") == "run" and "domain" in y["scale"])
        assert len(order) == n_runs
        assert plot["height"] == (max(80, 8 * n_runs) if figure == "queries" and n_runs < 10 else min(320, 8 * n_runs))
        assert ("named" in spec["datasets"]) == (n_runs > 40)
        if n_runs > 40:
            named, (unnamed,) = spec["datasets"]["named"], spec["datasets"]["unnamed"]
            names = [row["run"] for row in named]
            assert [run for run in order if run in names] == names
            assert {*order[:8], *order[-8:], "run1"} <= set(names)
            assert unnamed["words"] == f"and {n_runs - len(named)} more runs"
            assert n_runs - len(named) > 1
            places = sorted([row["at"] for row in named] + [unnamed["at"]])
            assert min(np.diff(places)) >= 7.99
            assert 4 <= places[0] < places[-1] <= 316


def test_hostile_names_stay_text(biasvar, tmp_path):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    names = ["<script>alert(1)</script>", "=HYPERLINK(1)", "a&b", "datum.x", "${expr}", "\\u0000"]
    scores = write_scores(tmp_path / "ap.csv", np.add.outer(np.arange(6), np.arange(3)) / 20, names)
    assert biasvar("plot", "ranked", scores, "-o", tmp_path / "a.svg", "--quiet").code == 0
    assert set(names) <= set(_texts(tmp_path / "a.svg"))


def test_names_of_hidden_characters_are_shown_as_escapes_on_axes_and_in_rows_alike(drawn, tmp_path):
    scores = write_scores(tmp_path / "ap.csv", np.add.outer(np.arange(3), np.arange(3)) / 20, ["a\u202eb", "c", "d"])
    for figure, name in (("ranked", "parts"), ("queries", "cells")):
        spec = drawn(figure, scores, "--quiet")
        domain = spec["layer"][0]["encoding"]["y"]["scale"]["domain"]
        assert domain == ["d", "c", "a\\u202eb"]
        assert {row["run"] for row in spec["datasets"][name]} == set(domain)


def test_the_heat_map_of_many_queries_has_columns_of_several(drawn, tmp_path):
    scores = np.random.default_rng(0).random((3, 1000))
    spec = drawn("queries", write_scores(tmp_path / "ap.csv", scores, "abc"), "--quiet")
    columns = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert 200 < len(columns) < 2 * 240  # a column of half a point in a figure of 240
    hardest = np.argsort(scores.max(axis=0), kind="stable")
    n_together = next(size for size in range(1, 9) if len(columns) == -(-1000 // size))
    gaps = (scores.max(axis=0) - scores)[:, hardest]
    for row in spec["datasets"]["cells"]:
        first = n_together * columns.index(row["query_id"])
        mean = gaps["abc".index(row["run"]), first : first + n_together].mean()
        assert row["gap"] == pytest.approx(mean, abs=1e-12)
    assert len(spec["datasets"]["cells"]) == 3 * len(columns)
    assert f"Columns: means of up to {n_together} queries of similar difficulty" in spec["description"]
    assert f"{n_together} in a column" in " ".join(_titles(spec, "x"))


def test_long_names_keep_their_ends_beside_the_queries_that_they_supply(biasvar, tmp_path):
    scores = write_scores(tmp_path / "ap.csv", [[0.5, 0.25, 0.1], [0.25, 0.5, 0.2]], ["y" * 90 + end for end in "12"])
    assert biasvar("plot", "target", scores, "--quiet", "-o", tmp_path / "target.svg").code == 0
    texts = [text for text in _texts(tmp_path / "target.svg") if text.startswith("yy")]
    shown = [text for text in texts if " alone has" not in text]  # a title
    assert sorted((text[-1], "…" in text) for text in shown) == [("1", True), ("2", True)]


def _texts(path):
    return [text for text in ElementTree.parse(path).getroot().itertext() if text.strip()]  # noqa: S314


@pytest.mark.long
def test_same_bytes_whatever_hash_seed_locale_zone_jobs_and_order(tmp_path, pytestconfig):
    """The specifications of two figures, and the SVG of one; a PDF numbers its objects anew each time."""
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    names = ["plane.json", "queries.json", "ranked.svg"]
    code = "import json, sys; from biasvar_cli.cli import main; from biasvar_cli.console import commands\n"
    code += "commands.start_early = lambda: None\n"  # or every picture would start a converter of its own
    code += "names, words = map(json.loads, sys.argv[1:])\n"
    code += "for name in names: main(['plot', name.partition('.')[0], *words, '--quiet', '-o', name])"
    runs = sorted(str(path) for path in (pytestconfig.rootpath / "sample_runs").iterdir())
    qrels = str(pytestconfig.rootpath / "qrels" / "npl.qrels.txt")
    for seed, order, world, zone, jobs in (("0", runs, "C", "UTC", "1"), ("1", runs[::-1], "tr_TR", "Asia/Tokyo", "2")):
        (tmp_path / seed).mkdir()
        words = [sys.executable, "-c", code, json.dumps(names), json.dumps([*order, "-q", qrels, "--jobs", jobs])]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": world, "TZ": zone}
        subprocess.run(words, check=True, cwd=tmp_path / seed, env=environment)
    for name in names:
        assert (tmp_path / "0" / name).read_bytes() == (tmp_path / "1" / name).read_bytes(), name


@pytest.mark.parametrize("figure", ["plane", "queries", "summary"])  # a layered one, one with a gradient, one of views
def test_every_format_opens_and_holds_the_titles(biasvar, tmp_path, sample_scores, figure):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    paths = {name: tmp_path / f"{figure}.{name}" for name in FIGURE_FORMATS}
    for path in paths.values():
        result = biasvar("plot", figure, sample_scores, "--quiet", "-o", path)
        assert (result.code, result.out, result.err) == (0, "", ""), path
    spec = json.loads(paths["json"].read_text())
    title = spec["title"]["text"]
    wanted = {*([title] if isinstance(title, str) else title), *_titles(spec, "x")}
    assert wanted <= set(_texts(paths["svg"]))
    assert paths["pdf"].read_bytes().startswith(b"%PDF-")
    assert paths["png"].read_bytes().startswith(b"\x89PNG\r\n")
    assert ElementTree.parse(paths["svg"]).getroot().get("width") in ("239pt", "240pt", "241pt")  # noqa: S314


def test_the_same_chart_in_dark_has_the_same_data(drawn):
    light, dark = (drawn("plane", *SAMPLE, *FAMILIES, "--theme", theme) for theme in THEMES)
    assert light["datasets"] == dark["datasets"]
    assert light["background"] != dark["background"]


@pytest.mark.anew
@pytest.mark.parametrize("suffix", ["pdf", "svg", "png"])
def test_without_the_extra_the_remedy_is_reported_and_nothing_is_read(biasvar, monkeypatch, tmp_path, suffix):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    out = tmp_path / f"a.{suffix}"
    out.write_text("as it was")
    result = biasvar("plot", "plane", *SAMPLE, "-o", out)
    assert_refused(result, 2, "plot needs another package: ", "pip install -e '.[plot]'; .json does without")
    assert out.read_text() == "as it was"


@pytest.mark.anew
def test_the_specification_needs_no_extra(drawn, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert drawn("plane", *SAMPLE)["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("plain", *SAMPLE), 2, "no such figure 'plain'; it is one of plane, total"),
        (("plane", *SAMPLE, "--families", "(zzz)-.*"), 1, "is in a family"),
        (("plane", *SAMPLE, "--baseline", "rm"), 2, "--highlight marks a run without them"),
        (("plane", *SAMPLE, "--form", "gap", "--target", "mean:0.5"), 2, "--form gap needs the target's score per "),
        (("ranked", *SAMPLE, "--families", "(comb)-.*"), 2, "no such option '--families'"),
        (("target", *SAMPLE, "--target", "mean:0.5"), 2, "--target: mean:0.5 has no score per query"),
        (("queries", *SAMPLE, "--target", "mean:0.5"), 2, "--target: mean:0.5 has no score per query"),
        (("rarefaction", *SAMPLE, "--target", "perfect"), 2, "no such option '--target'"),
        (("tradeoff", *SAMPLE, "--form", "gap", "--target", "mean:0.5", "--no-null"), 1, "no correlation is defined"),
        (("trend", *SAMPLE[:1]), 2, "File 'sample_runs' is a directory"),
        (("trend", "pyproject.toml", "--subset-size", "5,10"), 2, "'5,10' is not a valid integer"),
        (("plane", *SAMPLE, "--width", "three"), 2, "--width three: neither one, two, lncs, nor a width from"),
    ],
)
def test_bad_requests_are_refused_and_the_old_file_stays(biasvar, tmp_path, arguments, code, message):
    out = tmp_path / "out.json"
    out.write_text("as it was")
    assert_refused(biasvar("plot", *arguments, "-o", out), code, message)
    assert out.read_text() == "as it was"


@pytest.mark.parametrize("figure", [figure for figure in OF_RUNS if figure not in ("judges", "calibrated")])
def test_one_run_alone_makes_no_figure(biasvar, tmp_path, figure):
    out = tmp_path / "out.json"
    result = biasvar("plot", figure, *_first(figure), "sample_runs/rm.gz", *SAMPLE[1:], "-o", out)
    assert result.code == 1
    assert ("needs at least 2, found 1 run" in result.err) or ("it needs at least 3 runs" in result.err)
    assert not out.exists()


# ---- odd but valid tracks


ODD = {
    "two runs about their median": ([[0.1, 0.5, 0.1], [0.2, 0.2, 0.9]], "--target", "best:0.5"),
    "differences by rounding": ([[0.3, 0.3 + 1e-14, 0.3], [0.3, 0.3, 0.3], [0.3, 0.3, 0.3]],),
    "tiny scores": ([[1e-9, 2e-9, 3e-9], [2e-9, 1e-9, 2e-9], [3e-9, 3e-9, 1e-9]],),
    "huge scores": ([[1e15, 2e15, 3e15], [2e15, 1e15, 2e15], [3e15, 3e15, 1e15]],),
    "zeros": ([[0.0] * 3] * 3,),
    "constant runs": ([[0.1] * 3, [0.2] * 3, [0.3] * 3], "--target", "best:0.5"),
}


@pytest.mark.parametrize("form", ["score", "gap"])
@pytest.mark.parametrize("figure", ["plane", "total", "ranked"])
@pytest.mark.parametrize("case", ODD)
def test_odd_scores_have_axes_that_hold_them(drawn, tmp_path, case, figure, form):
    columns, *options = ODD[case]
    scores = write_scores(tmp_path / "m.csv", columns, measure="topic")
    spec = drawn(figure, scores, *options, "--form", form, "--quiet")
    for channel in ("x", "y"):
        encoding = next(layer["encoding"][channel] for layer in reversed(spec["layer"]) if channel in layer["encoding"])
        if encoding["type"] == "quantitative":
            low, high = encoding["scale"]["domain"]
            assert low < high
            for rows in spec["datasets"].values():
                values = [row[encoding["field"]] for row in rows if row.get(encoding["field"]) is not None]
                assert all(low <= value <= high for value in values)
    if case in ("tiny scores", "huge scores"):
        assert '"format": "~g"' in json.dumps(spec)


def test_what_was_done_to_the_scores_stands_in_the_caption(biasvar, drawn):
    scores = only(biasvar("scores", *SAMPLE, "-f", "json"))
    floored = sum(score < 0.05 for run in scores["runs"] for score in run["scores"])
    assert floored > 0
    for figure in (each for each in OF_RUNS if each not in OF_BASELINE):
        caption = drawn(figure, *_first(figure), *SAMPLE, "--log", "floor", "--eps", "0.05")["description"]
        assert f"Scores are ln(max(AP, 0.05)); {floored} of {22 * 93} lie below 0.05" in caption, figure
    few = ("sample_runs/rm.gz", "sample_runs/orig.gz", *SAMPLE[1:], "--pool", "sample_runs")
    assert "The target is of 22 runs with the pool’s" in drawn("plane", *few)["description"]


def test_the_caption_of_the_tradeoff_says_how_queries_were_sampled(drawn, tmp_path):
    options = ("--normalise", "maxmin", "--difficulty", "mean", "--remainder", "merge", "--seed", "3", "--repeats", "4")
    caption = drawn("tradeoff", *SAMPLE, "--no-null", *options)["description"]
    words = "random: 4 partitions, seed 3; difficulty by the mean score; remainder: merge; normalised by maxmin"
    assert words in caption
    zeros = [[0.0, 0.0, 0.5, 0.2, 0.3, 0.1], [0.0, 0.0, 0.2, 0.6, 0.1, 0.2], [0.0, 0.0, 0.1, 0.3, 0.9, 0.4]]
    scores = write_scores(tmp_path / "zeros.csv", zeros)
    caption = drawn("tradeoff", scores, "--no-null", "--subset-size", 2, "--quiet")["description"]
    assert "3 subsets dropped because the target is 0 there" in caption  # one pair by difficulty, two single queries
    assert "No subsets of 6 queries" in drawn("tradeoff", scores, "--no-null", "--quiet")["description"]


@pytest.mark.parametrize(
    "words", [("best",), ("perfect",), ("file:{}",), ("best", "--lower-is-better"), ("file:{}", "--lower-is-better")]
)
def test_the_axis_of_the_target_has_the_scores_of_a_target_that_no_run_reaches(drawn, tmp_path, words):
    scores = write_scores(tmp_path / "m.csv", 0.1 + 0.01 * (np.outer(np.arange(4), np.arange(12)) % 7), measure="m")
    target = write_scores(tmp_path / "target.csv", [0.9] * 12, ["score"], measure="query_id")
    spec = drawn("target", scores, "--target", words[0].format(target), *words[1:], "--quiet")
    scores = [row["score"] for row in spec["datasets"]["queries"]]
    low, high = spec["vconcat"][0]["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert low < min(scores)
    assert max(scores) < high


def test_another_target_has_runs_that_reach_it_rather_than_suppliers(drawn):
    caption = drawn("target", *SAMPLE, "--target", "perfect")["description"]
    assert caption.startswith("No run reaches the target on 92 of 93 queries.")
    assert "Below: the run that reaches it" in caption
    assert "supplier" not in caption


# ---- names


def test_long_names_lose_their_middle_and_can_be_distinguished(drawn, tmp_path):
    names = [f"anserini-bm25-default-k1-{k1}-b-{b}" for k1 in (0.9, 1.2) for b in (0.4, 0.75)]
    domain, shown = _labels_of_runs(drawn, tmp_path, names)
    assert sorted(domain) == sorted(names)
    assert len(set(shown)) == 4
    pairs = zip(domain, shown, strict=True)
    assert all(re.fullmatch(".*".join(map(re.escape, label.split("…"))), name) for name, label in pairs)
    _, numbered = _labels_of_runs(drawn, tmp_path, [f"{'x' * 60}{letter}{'y' * 60}" for letter in "abcd"])
    assert re.fullmatch("3 xx.*yy", numbered[2])


def _labels_of_runs(drawn, tmp_path, names):
    """The runs of an axis and what it shows of their names."""
    scores = write_scores(tmp_path / "m.csv", np.add.outer(np.arange(4), np.arange(5)) % 7 / 10, names)
    y = drawn("ranked", scores, "--quiet")["layer"][0]["encoding"]["y"]
    return y["scale"]["domain"], json.loads(y["axis"]["labelExpr"].partition("[round(")[0])


def test_names_that_would_look_the_same_are_refused(biasvar, tmp_path):
    scores = write_scores(tmp_path / "m.csv", [[0.1, 0.2], [0.2, 0.5], [0.3, 0.1]], ["a\nb", "a\\nb", "c"])
    result = biasvar("plot", "ranked", scores, "-o", tmp_path / "a.json", "--quiet")
    assert_refused(result, 1, "two runs would both be shown as a\\nb: give one of them another name")


def test_a_run_named_as_a_sign_is_not_taken_for_it(drawn, tmp_path):
    columns = [[0.9, 0.1, 0.2, 0.5], [0.1, 0.9, 0.2, 0.5], [0.1, 0.1, 0.8, 0.5]]
    spec = drawn("target", write_scores(tmp_path / "m.csv", columns, ["several runs", "no run", "c"]), "--quiet")
    suppliers = {row["query_id"]: row["supplier"] for row in spec["datasets"]["queries"]}
    assert suppliers == {"q0": "several runs (run)", "q1": "no run (run)", "q2": "c", "q3": "several runs"}
    domain = ["c", "no run (run)", "several runs (run)", "several runs", "equally hard"]
    assert _suppliers(spec)["y"]["scale"]["domain"] == domain


def test_only_families_whose_parameters_are_numbers_are_joined(biasvar, tmp_path):
    names = ["f-1", "f-01", "g-2", "g-nan", "g-10"]
    scores = write_scores(tmp_path / "m.csv", np.outer(np.arange(1, 6), np.arange(2, 7)) % 7 / 10, names)
    out = tmp_path / "a.json"
    result = biasvar("plot", "plane", scores, "--families", "(f|g)-(.*)", "-o", out)
    assert result.code == 0, result.err
    assert "members of f with the same parameter, in order of their names: f-01, f-1" in result.err
    assert "in order as text" not in result.err
    spec = json.loads(out.read_text())
    places = {row["run"]: row["place"] for row in spec["datasets"]["runs"]}
    assert places == dict.fromkeys(names) | {"f-01": 1, "f-1": 2}
    (joined,) = [each for each in spec["layer"] if each["data"]["name"] == "runs" and each["mark"]["type"] == "line"]
    assert joined["transform"] == [{"filter": "datum.place !== null"}]
    assert "Lines join the members of f in order of their parameter" in spec["description"]
    assert "Not joined, as not all parameters are numbers: g" in spec["description"]


# ---- the command line


@pytest.mark.parametrize("figure", [figure for figure in plot.commands if figure != "tradeoff"])
def test_the_help_of_a_figure_fits_a_screen(biasvar, monkeypatch, figure):
    monkeypatch.setenv("COLUMNS", "110")
    result = biasvar("plot", figure, "--help")
    assert (result.code, result.err) == (0, "")
    assert len(result.out.splitlines()) <= (53 if figure in ("profile", "summary") else 48)  # tests of systems too


def test_the_figures_are_listed_in_a_line_each(biasvar, monkeypatch):
    monkeypatch.setenv("COLUMNS", "110")
    listed = biasvar("plot", "--help").out.partition("Figures:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == list(plot.commands)


def test_a_file_of_an_option_is_never_written_over(biasvar, tmp_path):
    path = tmp_path / "held.json"
    for figure, option, value, header in (
        ("tradeoff", "--groups", path, "query,group\n1,a\n"),
        ("plane", "--families", path, "run,family\nrm,x\n"),
        ("risk", "--baseline", f"file:{path}", "query_id,score\n1,.3\n"),
    ):
        path.write_text(header)
        assert_refused(biasvar("plot", figure, *SAMPLE, option, value, "-o", path), 2, "is among the inputs")
        assert path.read_text() == header
