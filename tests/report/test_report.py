"""``biasvar report``: numbers and sentences are those of the commands; hostile names stay text."""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from conftest import FOUR, SAMPLE, assert_refused, only, rows_of, unix, write_manifest, write_scores

import biasvar_cli as bv
from biasvar_cli.tables.rounding import number
from report.pages import HOSTILE, hostile, records

__all__ = ["hostile"]  # a fixture
pytestmark = pytest.mark.usefixtures("in_the_checkout", "undrawn")
FAMILIES = ("--families", "(comb|nrr)-(.*)")
SYSTEMS = ("--replicates", "(comb|nrr)-.*", "--no-null")
HIGHLIGHTED = ("--highlight", "rm")


def _has(data, key, wanted, name="run"):
    """Whether a table of the page has all rows and numbers of a document, and no other row."""
    rows = records(data, key)
    same = all({column: rows[row[name]][column] for column in row} == row for row in wanted)
    return same and len(rows) == len(wanted)


def _part(text, start, end):
    """What stands between two marks."""
    return text.partition(start)[2].partition(end)[0]


def _all(pattern, text):
    """All that is found in a part of a page, without escapes."""
    return [html.unescape(found) for found in re.findall(pattern, text, re.DOTALL)]


def _verdicts(part):
    return _all(r'<p class="verdict">(.*?)</p>', part)


def _columns(sheet, *names):
    places = [sheet["columns"].index(name) for name in names]
    return [tuple(row[place] for place in places) for row in sheet["rows"]]


def _table_of(text, key):
    """The markup of a table of the page."""
    return _part(text, f'data-sheet="{key}"', "</table>")


def _plain(markup):
    """The words of markup, in lines of its elements."""
    return html.unescape(re.sub(r"<[^>]*>", "\n", markup))


def _words(text):
    return " ".join(text.split())


@pytest.fixture
def shelf(tmp_path):
    """Three made-up tracks of one series."""
    years = (2001, 2002, 2003)
    for year in years:
        write_scores(tmp_path / f"{year}.csv", np.outer(np.arange(2, 6), year * np.arange(1, 13)) % 11 / 11)
    tracks = ({"track": f"T{year}", "series": "made up", "year": year, "scores": f"{year}.csv"} for year in years)
    return write_manifest(tmp_path / "shelf.toml", *tracks)


# ---- numbers and sentences


def test_the_data_are_those_of_decompose(biasvar, made):
    words = (*FOUR, "-m", "AP", "-m", "nDCG@10", "--null-samples", 100)
    text, data = made(*words)
    wanted = json.loads(biasvar("decompose", *words, "--rank", "--pareto", "--stability", "-f", "json").out)
    assert all(_has(data, f"t{place}-runs", each["runs"]) for place, each in enumerate(wanted["results"]))
    assert all(html.escape(warning) in text for warning in wanted["warnings"])
    assert data["names"] == [row["run"] for row in wanted["results"][0]["runs"]]


@pytest.mark.drawn
def test_the_data_are_those_of_tradeoff_target_and_scores(biasvar, made):
    options = ("--subset-size", "5,10", "--null-samples", 100)
    text, data = made(*SAMPLE, *options)
    (panel,) = data["panels"]
    names = ("sampling", "subset_size", "normalised", "form", "pearson", "spearman", "kendall")
    rows = only(biasvar("tradeoff", *SAMPLE, *options, "-f", "json"))["rows"]
    wanted = {tuple(row[name] for name in names) for row in rows if row["sampling"] != "random-exact"}
    assert set(_columns(data["sheets"]["t0-tradeoff"], *names)) == wanted  # the expectation is that of single queries
    scores = only(biasvar("scores", *SAMPLE, "-f", "json"))
    assert panel["queries"] == scores["queries"]
    assert panel["scores"] == [row["scores"] for row in scores["runs"]]
    target = only(biasvar("target", *SAMPLE, "-f", "json"))
    assert panel["target_scores"] == [row["score"] for row in target["queries"]]
    for row in (target["rarefied"][size - 1] for size in (1, 10, 22)):
        assert f">{row['n_runs']}: {number(row['mean'], 3)}</text>" in text
    suppliers = data["sheets"]["t0-suppliers"]
    columns = ("run", "supplied", "alone")
    assert sorted(_columns(suppliers, *columns)) == [tuple(row[name] for name in columns) for row in target["runs"]]


def test_the_table_to_see_is_in_order_of_total_and_rounded(biasvar, made):
    text, data = made(*SAMPLE)
    sheet = data["sheets"]["t0-runs"]
    totals = [total for (total,) in _columns(sheet, "total")]
    assert totals == sorted(totals)
    table = _table_of(text, "t0-runs")
    heads = _all('data-sort="([^"]*)"', table)
    assert heads[:6] == ["run", "mean", "total", "bias", "bias2", "var"]  # the first three have room on a telephone
    runs = _all(r'<th scope="row"[^>]*>([^<]*)<', table)
    assert runs == [run for (run,) in _columns(sheet, "run")]
    row = biasvar("decompose", *SAMPLE, "--top", 1).out.partition("\n---")[2].split("\n")[1].split()
    assert all(f">{html.escape(cell)}<" in text for cell in row)


@pytest.mark.parametrize("options", [(), ("-m", "P@10", "--target", "perfect", "--no-null")])
def test_the_page_opens_with_three_answers(biasvar, made, options):
    """The best run and whether it is significantly so, the least total error, the tradeoff; then all else."""
    body = made(*SAMPLE, *options)[0].partition("<body>")[2]
    answers = re.findall(r"<dt>([^<]*)</dt>\n<dd>(.*?)</dd>", body.partition('<dl class="answers">')[2], re.DOTALL)[:3]
    questions = ["Which run is best?", "Which run has the least total error?", "Is there a tradeoff?"]
    assert [question for question, _ in answers] == questions
    best, total, tradeoff = (_verdicts(answer) for _, answer in answers)
    begun = ("Best mean: ", "Test: ", "Least total error: ", "Ranking by total ")
    assert all(map(str.startswith, (best[0], best[2], *total), begun))
    assert (len(best), " tradeoff " in tradeoff[0]) == (3, True)
    printed = _words(biasvar("compare", *SAMPLE, *options[:2]).out)
    printed += _words(biasvar("decompose", *SAMPLE, *options, "--form", "both").out)
    assert all(re.split("[:;] see the column", line)[0] in printed for line in (*best, *total, *tradeoff))
    order = ('href="#t0-target"', 'class="answers"', 'data-by="mean"', "<h3>Runs</h3>", "<h3>My run: ")
    places = [body.index(words) for words in (*order, "<dt>Topics</dt>")]
    assert places == sorted(places)
    assert body.index("qrels/npl.qrels.txt") > body.index("<h3>Runs</h3>")


def test_a_baseline_adds_columns_of_decompose_and_the_table_of_risk(biasvar, made):
    text, data = made(*SAMPLE, "--baseline", "rm")
    assert data["names"][data["second"]] == "rm"
    extra = ("--rank", "--pareto", "--stability", "--baseline", "rm")
    assert _has(data, "t0-runs", only(biasvar("decompose", *SAMPLE, *extra, "-f", "json"))["runs"])
    assert 'data-sort="d_bias"' in text
    assert 'data-sort="d_bias_low"' not in text
    assert "<h3>Risk against rm</h3>" in text
    assert _has(data, "t0-risk", only(biasvar("risk", *SAMPLE, "--baseline", "run:rm", "-f", "json"))["runs"])
    assert "<h3>Risk against" not in made(*SAMPLE)[0]


def test_the_sentences_of_each_command_stand_over_its_table(biasvar, made):
    text, _ = made(*SAMPLE, "--baseline", "rm")
    for heading, command, n_least in (
        ("Which differences are significant", "compare", 3),
        ("Risk against rm", "risk --baseline rm", 4),
        ("Tradeoff of bias² and variance", "tradeoff", 2),
        ("The virtual target", "target --table rarefied", 1),
    ):
        printed = _words(biasvar(*command.split(), *SAMPLE).out)
        verdicts = _verdicts(_part(text, f"<h3>{heading}</h3>", '<div class="sheet"'))
        assert len(verdicts) >= n_least, heading
        assert all(line in printed for line in verdicts[: n_least if "target" in heading else None]), heading
    queries = _part(text, "<h4>Its queries and their suppliers</h4>", "<table")
    assert "Hardest other queries by the best score of the runs" in queries


def test_columns_have_the_heads_and_cells_of_the_text(biasvar, made):
    text, _ = made(*SAMPLE, "--baseline", "rm")
    for command in ("compare", "tradeoff", "risk --baseline rm"):
        table = _table_of(text, f"t0-{command.split()[0]}")
        lines = biasvar(*command.split(), *SAMPLE, "--wide").out.splitlines()
        (rule,) = [place for place, line in enumerate(lines) if re.match("--+  --+", line)]
        assert re.split(r"  +", lines[rule - 1].strip()) == _all(r"<button [^>]*data-sort[^>]*>([^<]*)</button>", table)
        rows = ["".join(_plain(row).split()) for row in re.findall(r'<tr>\s*<th scope="row.*?</tr>', table, re.DOTALL)]
        assert rows == ["".join(line.split()) for line in lines[rule + 1 : rule + 1 + len(rows)]]


def test_every_column_says_what_it_means(made, shelf):
    families = ("--families", "(comb|nrr|orig|rm)-?(.*)", "--null-samples", 100)
    text, _ = made(*FOUR, *families, "--baseline", "rm", "--manifest", shelf)
    heads = re.findall(r"<button [^>]*data-sort=[^>]*>", text)
    assert len(heads) > 60
    assert [head for head in heads if ' title="' not in head] == []
    listed = _part(text, "<summary>Words and columns</summary>", "</dl>")
    for words in ("bias squared", "reward - (1 + 1) risk", "on how many queries no other run reaches it"):
        assert f"<dd>{words}</dd>" in listed


def test_several_measures_have_the_table_of_summary(biasvar, made):
    words = (*SAMPLE, "-m", "AP", "-m", "nDCG@10", "--baseline", "rm")
    text, data = made(*words, "--no-null")
    rows = records(data, "summary")
    for row in rows_of(biasvar("summary", *words, "-f", "csv")):
        for name in ("AP", "nDCG@10"):
            assert rows[row["run"]][name] == float(row[name])
            assert (rows[row["run"]][f"{name}_mark"] or "") == row[f"{name}_mark"]
    section = _part(text, '<section id="all-measures"', "</section>")
    assert ">AP ↑</button>" in section
    assert ">0.443†</td>" in section
    printed, verdicts = _words(biasvar("summary", *words).out), _verdicts(_part(text, "<main>", '<div role="tablist"'))
    assert len(verdicts) == 3
    assert all(line in printed for line in verdicts)
    assert 'id="all-measures"' not in made(*SAMPLE)[0]


def test_families_are_those_of_tradeoff(biasvar, made):
    options = (*FAMILIES, "--null-samples", 100)
    _, data = made(*SAMPLE, *options)
    wanted = only(biasvar("tradeoff", *SAMPLE, *options, "-f", "json"))["families"]
    sheet = data["sheets"]["t0-families"]
    assert _columns(sheet, "family", "pearson") == [(row["family"], row["pearson"]) for row in wanted]
    medians = [row["null"] and row["null"]["pearson"]["median"] for row in wanted]
    assert [median for (median,) in _columns(sheet, "null_r")] == pytest.approx(medians)  # None where there is none
    comb, nrr = data["panels"][0]["families"]
    assert [data["names"][run] for run in comb["members"]] == [f"comb-0.{tenth}" for tenth in range(1, 10)]
    assert len(nrr["members"]) == 10


@pytest.mark.drawn
def test_the_trend_is_that_of_tracks(biasvar, made, shelf, tmp_path):
    text, data = made(*SAMPLE, "--manifest", shelf)
    wanted = only(biasvar("tracks", shelf, "-f", "json"))["tracks"]
    assert len(wanted) == 3
    defined = [{name: value for name, value in row.items() if value is not None and name != "better"} for row in wanted]
    assert _has(data, "trend-tracks", defined, "track")
    assert "Trends over the years" in text
    drawings = re.findall('<svg [^>]*aria-label="([^"]+)"', _part(text, 'data-figure="trend"', "</figure>"))
    assert drawings == ["Correlation of bias² and variance over the years"] * 3
    (command,) = _all(r'data-command="([^"]*)"[^>]*the figure trend"', text)
    assert biasvar(*shlex.split(command)[1:-1], tmp_path / "trend.json", "--quiet").code == 0
    (tmp_path / "2002.csv").write_text("nothing of the kind\n")
    assert_refused(biasvar("report", *SAMPLE, "--manifest", shelf, "-o", tmp_path / "other.html"), 1, "track T2002")
    assert not (tmp_path / "other.html").exists()


@pytest.mark.drawn
def test_figures_are_those_of_plot(biasvar, made, tmp_path):
    """Each has the caption of `plot`, and the marks of the runs, the plane in two widths."""
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    text, data = made(*SAMPLE, "--baseline", "rm", *FAMILIES, "--null-samples", 100)
    for name, options in {
        "plane": [("--form", "score"), ("--form", "gap")],
        "ranked": [("--form", "score"), ("--form", "gap")],
        "tradeoff": [("--correlation", name) for name in ("pearson", "spearman", "kendall")],
        "compare": [()],
        "rarefaction": [()],
    }.items():
        figure = _part(text, f'data-figure="{name}"', "</figure>")
        captions = _all('<p class="caption">(.*?)</p>', figure)
        for caption, words in zip(captions, options, strict=True):
            more = {"plane": FAMILIES, "tradeoff": ("--null-samples", 100)}.get(name, ())
            path = tmp_path / "figure.json"
            assert biasvar("plot", name, *SAMPLE, *words, *more, "--no-title", "-o", path).code == 0
            assert caption == json.loads(path.read_text())["description"]
        drawings = re.findall(r"<svg.*?</svg>", figure, re.DOTALL)
        assert len(drawings) == (2 if name == "plane" else 1) * len(captions)
        for drawing in drawings if name in ("plane", "compare") else ():
            marks = re.findall('data-run="([0-9]+)"', drawing)
            marks += [run for runs in re.findall('data-runs="([0-9 ]+)"', drawing) for run in runs.split()]
            assert set(map(int, marks)) == set(range(len(data["names"])))
    assert 'aria-label="Risk by the weight of losses"' in _part(text, 'data-figure="risk"', "</figure>")
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert "#fe00" not in text  # the colours are those of the style sheet


def test_without_a_converter_the_tables_stand_alone(biasvar, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    result = biasvar("report", *FOUR, "--no-null", "-o", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert (result.code, "is not installed" in text, "<svg" in text) == (0, True, False)
    assert 'python -m pip install "biasvar-cli[plot]"' in text
    assert "Runs in figures" not in text


def test_a_mean_alone_and_no_null_model_leave_their_parts_out(made):
    text, data = made(*SAMPLE, "--target", "mean:0.5", "--no-null")
    assert not {"t0-queries", "t0-suppliers"} & data["sheets"].keys()
    assert "no score per query, so no suppliers and no gaps" in text
    assert 'data-sort="stability"' not in text
    assert "No verdict on a tradeoff without null models" in text
    assert 'value="gap">by gap' not in text


def test_the_target_of_fewer_runs_is_of_the_best_alone(made):
    targets = [word for target in ("best", "run:rm", "perfect", "best:0.9") for word in ("--target", target)]
    assert made(*FOUR, *targets, "--no-null")[0].count("The target grows with the pool") == 1


def test_runs_that_are_mostly_unjudged_are_marked(made, tmp_path):
    """More than half of the first ten documents: 6 of 10, not 5 of 10."""
    for run, judged in (("half", 5), ("less", 4), ("all", 10)):
        documents = [*(f"d{place}" for place in range(judged)), *(f"{run}{place}" for place in range(10 - judged))]
        lines = [f"{q} Q0 {doc} {rank} {10 - rank} {run}" for q in (1, 2) for rank, doc in enumerate(documents)]
        (tmp_path / f"{run}.run").write_text("\n".join(lines) + "\n")
    (tmp_path / "qrels").write_text("".join(f"{q} 0 d{place} {place % 2}\n" for q in (1, 2) for place in range(10)))
    runs = [tmp_path / f"{run}.run" for run in ("half", "less", "all")]
    text, data = made(*runs, "-q", tmp_path / "qrels", "--no-null", "--quiet")
    marked = '<th scope="row">([^<]*)<span class="unjudged" role="img" title="60 % not judged">'
    assert re.findall(marked, text) == ["less"]
    assert data["unjudged"] == {"less": "60 %"}
    assert "first 10 documents are not judged, so that the scores may be too low: 1 run." in text


@pytest.mark.drawn
def test_runs_are_calibrated_where_a_judge_alone_judged_enough_queries(made, tmp_path):
    """Below the table of judges, and drawn; not where the reference judged all queries but five."""
    lines = Path("qrels/npl.qrels.txt").read_text().splitlines(keepends=True)
    queries = sorted({line.split()[0] for line in lines})
    for n_judged in (20, len(queries) - 5):
        (tmp_path / "people.txt").write_text("".join(line for line in lines if line.split()[0] in queries[:n_judged]))
        qrels = ("-q", tmp_path / "people.txt", "-q", "model=qrels/npl.qrels.txt")
        text, data = made(*FOUR[:4], *qrels, "--no-null", "--quiet")
        assert ("judges0-runs" in data["sheets"]) == (n_judged == 20)
        for name, is_drawn in {"judges": True, "calibrated": n_judged == 20}.items():
            drawings = re.findall(f'<figure data-figure="{name}".*?</figure>', text, re.DOTALL)
            assert [re.findall('<svg [^>]*aria-label="([^"]+)"', drawing) for drawing in drawings] == (
                [[{"judges": "What judges change", "calibrated": "Calibrated runs"}[name]]] if is_drawn else []
            )
        assert ("the 20 judged by people tell differences as well as" in text) == (n_judged == 20)


def test_what_unjudged_documents_can_change_has_a_section(made):
    """A table for each measure that has a highest value, as `unjudged` has it; none of scores, and where only
    relevant documents are listed.
    """
    pooled = (*FOUR[:4], "-q", "qrels/npl-pool.qrels.txt", "--no-null", "--quiet")
    text, data = made(*pooled, "-m", "P@10", "-m", "Bpref", "-m", "nDCG@5")
    assert '<a href="#unjudged">Unjudged documents</a>' in text
    assert [key for key in data["sheets"] if key.startswith("unjudged")] == ["unjudged0-runs", "unjudged1-runs"]
    with pytest.warns(bv.DataWarning, match="without a relevant document"):
        answers = bv.unjudged(list(FOUR[:4]), "qrels/npl-pool.qrels.txt", measure="nDCG@5").frame()
    rows = records(data, "unjudged1-runs")
    assert {run: row["high"] for run, row in rows.items()} == pytest.approx(answers["high"].to_dict())
    for others in ((*SAMPLE,), (*pooled, "-m", "Bpref")):
        assert 'id="unjudged"' not in made(*others)[0]


def test_notes_are_of_tables_that_the_page_has(made):
    """The small table of each null model, with its p_lower and p_upper, is in the text of `tradeoff` alone."""
    text, _ = made(*SAMPLE)
    assert "p_lower" not in text
    assert "shuffled" not in text


# ---- highlighted runs, and systems of several runs


@pytest.mark.parametrize("baseline", [(), ("--baseline", "orig")])
def test_it_has_the_sentences_and_the_table_of_profile(biasvar, made, baseline):
    text, data = made(*FOUR, *HIGHLIGHTED, *baseline, "--no-null")
    printed = _words(biasvar("profile", "rm", *FOUR, *baseline).out)
    assert "<h4>Profile of rm</h4>" in text
    section = _plain(_part(text, '<div class="profile"', '<div class="unprofiled">'))
    lines = [line for line in section.split("\n") if line.rstrip().endswith((".", '."'))]
    assert len(lines) >= 6
    assert all(_words(line) in printed for line in lines)
    assert sum("For a paper" in line for line in lines) == 1 + bool(baseline)
    quantities = only(biasvar("profile", "rm", *FOUR, *baseline, "-f", "json"))["quantities"]
    assert _columns(data["sheets"][f"t0-profile{data['run']}-profile"], *quantities[0]) == [
        (*row.values(),) for row in quantities
    ]


def test_without_a_highlighted_run_there_is_no_profile_of_one(made):
    text, data = made(*FOUR, "--baseline", "orig", "--no-null")
    assert "Profile of" not in text
    assert not [key for key in data["sheets"] if "profile" in key]
    assert (data["run"], data["names"][data["second"]]) == (-1, "orig")  # nothing is chosen that nobody named


def test_a_table_for_each_measure_and_each_highlighted_run(made):
    words = ("-m", "AP", "-m", "nDCG@10", *HIGHLIGHTED, "--highlight", "orig", "--baseline", "orig", "--no-null")
    text, data = made(*FOUR, *words)
    assert data["names"][data["run"]] == "rm"  # the one that is typed first is chosen when the page opens
    assert re.findall("<h4>Profile of (.*?)</h4>", text) == ["rm", "orig"] * 2
    assert len([key for key in data["sheets"] if "profile" in key]) == 4
    rm, orig = re.findall('<div class="profile".*?(?=<div class="(?:profile|unprofiled)")', text, re.DOTALL)[:2]
    assert "baseline" not in _plain(orig)  # no run is compared with itself
    assert "the baseline, orig" in _plain(rm)


def test_the_second_highlighted_run_is_the_second_run_where_no_baseline_is_named(made):
    for typed in (("rm", "orig"), ("orig", "rm")):
        text, data = made(*FOUR, "--highlight", typed[0], "--highlight", typed[1], "--no-null")
        assert tuple(data["names"][data[name]] for name in ("run", "second")) == typed
        assert re.findall('class="highlighted">(\\w+)<', _part(text, 'data-sheet="t0-runs"', "</table>")) == [
            run
            for run in re.findall('<th scope="row"[^>]*>(\\w+)<', _part(text, 'data-sheet="t0-runs"', "</table>"))
            if run in typed
        ]


def test_the_table_of_systems_is_that_of_decompose(biasvar, made):
    _, data = made(*SAMPLE, *SYSTEMS)
    table = only(biasvar("decompose", *SAMPLE, *SYSTEMS, "-f", "json"))["runs"]
    columns = ("run", "var", "var_gap", "n_replicates", "var_queries", "var_replicates", "sd_replicates")
    assert sorted(_columns(data["sheets"]["t0-runs"], *columns)) == [
        tuple(row[name] for name in columns) for row in table
    ]


def test_the_page_says_what_systems_are_made_of_and_repeats_the_option(made, tmp_path):
    text, _ = made(*SAMPLE, *SYSTEMS)
    words = _words(_plain(text))
    assert "Systems 5 systems with 1 to 10 runs each (22 runs in all) Files" in words
    assert "--replicates '(comb|nrr)-.*' --no-null -o report.html" in words
    assert "biasvar plot plane sample_runs -q qrels/npl.qrels.txt --replicates" in words
    file = tmp_path / "systems.csv"
    file.write_text("run,system\nnrr-0.1,nrr\nnrr-0.2,nrr\n")
    text, _ = made(*SAMPLE, "--replicates", file, "--no-null")
    assert f"List of systems {file} Topics" in _words(_plain(text))


def test_means_of_several_measures_have_their_spread(made):
    text, data = made(*SAMPLE, "-m", "AP", "-m", "P@10", *SYSTEMS)
    assert data["sheets"]["summary"]["columns"][:3] == ["run", "AP", "AP_sd_replicates"]
    assert "±: standard deviation of the means of a system" in _words(_plain(text))


def test_a_notebook_names_the_file_of_systems_and_has_the_profile(tmp_path):
    file = tmp_path / "systems.csv"
    file.write_text("run,system\nnrr-0.1,nrr\nnrr-0.2,nrr\n")
    options = {"qrels": "qrels/npl.qrels.txt", "glob": "nrr*", "null": False}
    words = _words(_plain(bv.report("sample_runs", replicates=str(file), highlight="nrr", **options).html))
    assert all(part in words for part in ("Profile of nrr", f"List of systems {file} Topics", "replicates="))


# ---- what was evaluated, and how to repeat it


def test_it_says_what_was_evaluated_and_how_to_repeat_it(biasvar, made, tmp_path):
    text, _ = made(*SAMPLE, "-m", "AP", *FAMILIES, "--no-null", "--jobs", "1")
    options = "sample_runs -q qrels/npl.qrels.txt -m AP --no-null --families '(comb|nrr)-(.*)' -o report.html"
    assert f"<dt>To repeat it</dt><dd><code>biasvar report {options}</code>" in html.unescape(text)
    assert "22 runs have tied retrieval scores" in text
    assert str(Path.cwd()) not in text
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text)
    stamped, _ = made(*SAMPLE, "--no-null", "--stamp")
    assert str(Path.cwd()) in stamped
    assert re.search(r"\b20\d\d-\d\d-\d\d \d\d:\d\d UTC", stamped)


def test_the_title_names_the_measure_and_the_inputs(made):
    subject = "AP, 22 runs, 93 queries, 22 files of sample_runs"
    text, _ = made(*SAMPLE, "--no-null")
    assert f"<title>Bias-variance report: {subject}</title>" in text
    text, _ = made(*SAMPLE, "--no-null", "--title", "Ours & <theirs>")
    assert f"<h1>Ours &amp; &lt;theirs&gt; <small>{subject}</small></h1>" in text
    repeated, *figures = _all("<code>(biasvar [^<]*)</code>", text)
    assert "--title 'Ours & <theirs>'" in html.unescape(repeated)
    assert not [command for command in figures if "--title" in command]


def test_warnings_and_notices_are_apart(made):
    text, _ = made(*SAMPLE, "-m", "P@10", "--target", "perfect", "--no-null")
    (warned,), (noticed,) = _all('<ul class="warning">(.*?)</ul>', text), _all("<strong>Notices</strong>.*?</ul>", text)
    assert warned.count("<li>") == 1
    assert "22 runs have tied retrieval scores" not in warned
    assert "22 runs have tied retrieval scores" in noticed
    assert ">What was evaluated: 1 warning, 1 notice</a>" in text
    assert "1 warning" not in made(*SAMPLE, "--no-null")[0]


def test_the_commands_of_the_figures_draw_them(biasvar, made, tmp_path):
    measures = ("-m", "nDCG@10", "-m", "AP")
    text, _ = made(*FOUR, *measures, *FAMILIES, "--target", "best:0.9", "--log", "floor", "--null-samples", 100)
    commands = _all("<li><code>(biasvar plot [^<]*)</code>", text)
    figures = "plane total ranked tradeoff queries target risk losses compare asl swap"
    assert [command.split()[2] for command in commands] == figures.split()
    for command in commands:
        result = biasvar(*shlex.split(command)[1:-1], tmp_path / "figure.json", "--quiet")
        assert result.code == 0, (command, result.err)
    assert [command for command in commands if "--families" in command] == commands[:2]


def test_the_figure_of_the_tradeoff_has_the_numbers_of_the_page(biasvar, made, tmp_path):
    options = ("--subset-size", "5,10", "--seed", "3", "--difficulty", "mean", "--normalise", "maxmin", "--no-null")
    text, data = made(*SAMPLE, *options)
    (command,) = _all("<li><code>(biasvar plot tradeoff [^<]*)</code>", text)
    assert biasvar(*shlex.split(command)[1:-1], tmp_path / "figure.json", "--quiet").code == 0
    drawn = json.loads((tmp_path / "figure.json").read_text())["datasets"]["rows"]
    rows = _columns(data["sheets"]["t0-tradeoff"], "sampling", "form", "normalised", "pearson")
    wanted = {pearson for _, form, normalised, pearson in rows if form == "score" or normalised}
    assert len(wanted) > 3
    assert wanted <= {row["observed"] for row in drawn}


@unix
def test_odd_names_of_files_are_repeated_as_a_shell_needs_them(biasvar, made, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("-odd.csv", "new\nline.csv"):
        Path(name).write_text("AP,a,b\n1,0.5,0.25\n2,0.125,0.75\n3,0.5,0.5\n")
        result = biasvar("report", "-o", "page.html", "--quiet", "--", name)
        assert result.code == 0, result.err
        text = Path("page.html").read_text("utf-8")
        (words,) = _all("<dt>To repeat it</dt><dd><code>biasvar report (.*?) -o report.html</code>", text)
        found = subprocess.run(["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, text=True, check=True)
        assert [Path(word) for word in found.stdout.split("\0")[:-1]] == [Path(name)]


def test_every_file_that_was_read_is_listed_by_its_role(biasvar, made, tmp_path):
    (tmp_path / "topics").write_text("5\n6\n7\n")
    two = ("sample_runs/rm.gz", "sample_runs/orig.gz", *SAMPLE[1:])
    text, _ = made(*two, "--pool", "sample_runs/rel-fb.gz", "--topics", tmp_path / "topics")
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", text))
    assert facts["Pool"] == "sample_runs/rel-fb.gz"
    assert facts["List of topics"] == str(tmp_path / "topics")


@pytest.mark.long
def test_the_same_input_gives_the_same_bytes(tmp_path):
    """Whatever the order of sets, inputs and threads."""
    one, two = tmp_path / "one.html", tmp_path / "two.html"
    for path, seed, inputs, jobs in ((one, "1", FOUR[:4], "1"), (two, "2", FOUR[3::-1], "3")):
        arguments = ["report", *inputs, *SAMPLE[1:], "--null-samples", "100", "--jobs", jobs, "-o", path]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-m", "biasvar_cli", *arguments], check=True, env=environment)
    assert one.read_bytes() == two.read_bytes()


# ---- hostile names, bad input


def test_hostile_names_are_text_in_the_page(made, hostile):
    text, data = made(hostile, "--baseline", HOSTILE[0])
    assert data["names"] == sorted(HOSTILE)
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img" not in text
    assert "49" not in text.partition("<main>")[2].partition("<script")[0].replace("{{ 7*7 }}", "").split()
    assert sorted(_all('<th scope="row"[^>]*>([^<]*)<', _table_of(text, "t0-runs"))) == sorted(HOSTILE)


def test_a_policy_forbids_every_request(made):
    text, _ = made(*SAMPLE)
    (policy,) = _all('<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search(r'(?:src|action)="|href="(?!#)|url\(|@import|https?://(?!www\.w3\.org/2000/svg)', text)
    assert " style=" not in text
    assert not re.search(r"<[^>]* on\w+=", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))


def test_bad_input_is_refused_and_the_old_file_stays(biasvar, tmp_path, monkeypatch):
    old = tmp_path / "old.html"
    old.write_text("as it was")
    refused = {
        (): (2, "missing option '-o'"),
        ("-o", tmp_path / "page.pdf"): (2, "a page's name ends in .html, or is - for standard output"),
        ("-o", ""): (2, "--output is given an empty value"),
        ("-o", tmp_path / "nowhere" / "page.html"): (1, "cannot be written"),
        ("-o", old, "--baseline", "origin"): (1, "--baseline origin: there is no such run; did you mean orig"),
        ("-o", old, "--families", "(no)such"): (1, "none of the runs is in a family"),
        ("-o", old, "--strict", "-m", "P@10", "--target", "perfect"): (1, "--strict allows none"),
        ("-o", old, "--manifest", "absent.toml"): (2, "does not exist"),
    }
    for arguments, (code, words) in refused.items():
        assert_refused(biasvar("report", *FOUR[:-1], *arguments), code, words)
    one = biasvar("report", "sample_runs/rm.gz", *SAMPLE[1:], "-o", old)
    assert_refused(one, 1, "at least 2, found 1 run: rm")
    assert old.read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]


def test_a_plain_install_has_the_template_engine_and_no_converter():
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    assert any(each.startswith("jinja2") for each in project["dependencies"])
    assert [each.partition(">")[0] for each in project["optional-dependencies"]["plot"]] == ["vl-convert-python"]
