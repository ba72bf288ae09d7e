"""``biasvar report``: numbers and sentences are those of the commands; hostile names stay text."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from conftest import FOUR, REAL_MATRICES, SAMPLE, only, unix

import biasvar_cli as bv
from biasvar_cli.tables.rounding import number
from report.pages import HOSTILE, first, records

pytestmark = pytest.mark.usefixtures("in_the_checkout")
FAMILIES = ("--families", "(comb|nrr)-(.*)")
SYSTEMS = ("--replicates", "(comb|nrr)-.*", "--no-null")
HIGHLIGHTED = ("--highlight", "rm")


def _has(data, key, wanted, name="run"):
    """Whether a table of the page has all rows and numbers of a document, and no other row."""
    rows = records(data, key)
    same = all({column: rows[row[name]][column] for column in row} == row for row in wanted)
    return same and len(rows) == len(wanted)


def _verdict(text, heading):
    """The sentences under a heading, up to the next table."""
    part = text.partition(f"<h3>{heading}</h3>")[2].partition('<div class="sheet"')[0]
    return [html.unescape(line) for line in re.findall(r'<p class="verdict">(.*?)</p>', part)]


def _columns(sheet, *names):
    places = [sheet["columns"].index(name) for name in names]
    return [tuple(row[place] for place in places) for row in sheet["rows"]]


def _table_of(text, key):
    """The markup of a table of the page."""
    return text.partition(f'data-sheet="{key}"')[2].partition("</table>")[0]


def _facts(text):
    """What the page says of itself, without tags."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def _section(text: str, number: int = 1) -> str:
    """The words of a section, in lines of its elements."""
    section = text.partition(f'<section id="profile-{number}" tabindex="-1">')[2].partition("</section>")[0]
    return html.unescape(re.sub(r"<[^>]*>", "\n", section))


def _words(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Scores of runs whose names are attacks on a page, a spreadsheet, LaTeX and markdown."""
    path = tmp_path_factory.mktemp("hostile") / "scores.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["AP", *HOSTILE])
        for query in range(1, 13):
            writer.writerow([f"q{query}", *(round((query * (run + 2) % 13) / 13, 3) for run in range(len(HOSTILE)))])
    return path


@pytest.fixture
def shelf(tmp_path):
    """Three made-up tracks of one series."""
    entries = []
    for year in (2001, 2002, 2003):
        lines = ["AP,a,b,c,d"]
        lines += [f"q{q}," + ",".join(str((q * year * (run + 2)) % 11 / 11) for run in range(4)) for q in range(1, 13)]
        (tmp_path / f"{year}.csv").write_text("\n".join(lines) + "\n")
        entries.append(f'[[track]]\ntrack = "T{year}"\nseries = "made up"\nyear = {year}\nscores = "{year}.csv"\n')
    (tmp_path / "shelf.toml").write_text("\n".join(entries))
    return tmp_path / "shelf.toml"


# ---- numbers and sentences


def test_the_data_are_those_of_decompose(biasvar, made):
    words = (*FOUR, "-m", "AP", "-m", "nDCG@10", "--null-samples", 100)
    text, data = made(*words)
    wanted = json.loads(biasvar("decompose", *words, "--rank", "--pareto", "--stability", "-f", "json").out)
    assert all(_has(data, f"t{place}-runs", each["runs"]) for place, each in enumerate(wanted["results"]))
    assert all(html.escape(warning) in text for warning in wanted["warnings"])
    assert data["names"] == [row["run"] for row in wanted["results"][0]["runs"]]


def test_the_data_are_those_of_tradeoff_target_and_scores(biasvar, made):
    options = ("--subset-size", "5,10", "--null-samples", 100)
    text, data = made(*SAMPLE, *options)
    (panel,) = data["panels"]
    names = ("sampling", "subset_size", "normalised", "form", "pearson", "spearman", "kendall")
    rows = first(biasvar("tradeoff", *SAMPLE, *options, "-f", "json"))["rows"]
    wanted = {tuple(row[name] for name in names) for row in rows if row["sampling"] != "random-exact"}
    assert set(_columns(data["sheets"]["t0-tradeoff"], *names)) == wanted  # the expectation is that of single queries
    scores = first(biasvar("scores", *SAMPLE, "-f", "json"))
    assert panel["queries"] == scores["queries"]
    assert panel["scores"] == [row["scores"] for row in scores["runs"]]
    target = first(biasvar("target", *SAMPLE, "-f", "json"))
    assert panel["target_scores"] == [row["score"] for row in target["queries"]]
    for row in (target["rarefied"][size - 1] for size in (1, 10, 22)):
        assert f">{row['n_runs']}: {number(row['mean'], 3)}</text>" in text
    suppliers = data["sheets"]["t0-suppliers"]
    assert sorted(_columns(suppliers, "run", "supplied", "alone")) == [
        (row["run"], row["supplied"], row["alone"]) for row in target["runs"]
    ]


def test_the_table_to_see_is_in_order_of_total_and_rounded(biasvar, made):
    text, data = made(*SAMPLE)
    sheet = data["sheets"]["t0-runs"]
    totals = [total for (total,) in _columns(sheet, "total")]
    assert totals == sorted(totals)
    table = _table_of(text, "t0-runs")
    heads = re.findall(r'data-sort="([^"]*)"', table)
    assert heads[:6] == ["run", "mean", "total", "bias", "bias2", "var"]  # the first three have room on a telephone
    shown = re.findall(r'<tr data-row="\d+"><th scope="row"><button class="pick">([^<]*)</button>', table)
    assert shown == [run for (run,) in _columns(sheet, "run")]
    row = biasvar("decompose", *SAMPLE, "--top", 1).out.partition("\n---")[2].split("\n")[1].split()
    assert all(f">{html.escape(cell)}<" in text for cell in row)


@pytest.mark.parametrize("options", [(), ("-m", "P@10", "--target", "perfect", "--no-null")])
def test_the_page_opens_with_three_answers(biasvar, made, options):
    """The best run and whether it is significantly so, the least total error, the tradeoff; then all else."""
    text, _ = made(*SAMPLE, *options)
    answers = re.findall(r"<dt>([^<]*)</dt>\n<dd>(.*?)</dd>", text.partition('<dl class="answers">')[2], re.DOTALL)[:3]
    assert [question for question, _ in answers] == [
        "Which run is best?",
        "Which run has the least total error?",
        "Is there a tradeoff?",
    ]
    best, total, tradeoff = (
        [html.unescape(line) for line in re.findall(r'<p class="verdict">(.*?)</p>', answer)] for _, answer in answers
    )
    printed = " ".join(biasvar("compare", *SAMPLE, *options[:2]).out.split())
    assert len(best) == 3
    assert all(line in printed for line in best)
    assert best[0].startswith("Best mean: ")
    assert best[2].startswith("Test: ")
    out = " ".join(biasvar("decompose", *SAMPLE, *options, "--form", "both").out.split())
    assert all(line in out for line in tradeoff)
    assert all(re.split("[:;] see the column", line)[0] in out for line in total)
    assert total[0].startswith("Least total error: ")
    assert total[1].startswith("Ranking by total ")
    assert " tradeoff " in tradeoff[0]
    body = text.partition("<body>")[2]
    order = [
        'href="#t0-target"',
        'class="answers"',
        'data-by="mean"',
        "<h3>Runs</h3>",
        "<h3>My run: ",
        "<dt>Topics</dt>",
    ]
    assert [body.index(words) for words in order] == sorted(body.index(words) for words in order)
    assert body.index("qrels/npl.qrels.txt") > body.index("<h3>Runs</h3>")


def test_a_baseline_adds_columns_of_decompose_and_the_table_of_risk(biasvar, made):
    text, data = made(*SAMPLE, "--baseline", "rm")
    assert data["names"][data["baseline"]] == "rm"
    extra = ("--rank", "--pareto", "--stability", "--baseline", "rm")
    assert _has(data, "t0-runs", first(biasvar("decompose", *SAMPLE, *extra, "-f", "json"))["runs"])
    assert 'data-sort="d_bias"' in text
    assert 'data-sort="d_bias_low"' not in text
    assert "<h3>Risk against rm</h3>" in text
    assert _has(data, "t0-risk", first(biasvar("risk", *SAMPLE, "--baseline", "run:rm", "-f", "json"))["runs"])
    assert "<h3>Risk against" not in made(*SAMPLE)[0]


def test_the_sentences_of_each_command_stand_over_its_table(biasvar, made):
    text, _ = made(*SAMPLE, "--baseline", "rm")
    for heading, command, n_least in (
        ("Which differences are significant", ("compare", *SAMPLE), 3),
        ("Risk against rm", ("risk", *SAMPLE, "--baseline", "rm"), 4),
        ("Tradeoff of bias² and variance", ("tradeoff", *SAMPLE), 2),
        ("The virtual target", ("target", *SAMPLE, "--table", "rarefied"), 1),
    ):
        printed = " ".join(biasvar(*command).out.split())
        found = _verdict(text, heading)
        assert len(found) >= n_least, heading
        assert all(line in printed for line in found[: n_least if "target" in heading else None]), heading
    queries = text.partition("<h4>Its queries and their suppliers</h4>")[2].partition("<table")[0]
    assert "Hardest other queries by the best score of the runs" in queries


def test_columns_have_the_heads_and_cells_of_the_text(biasvar, made):
    text, _ = made(*SAMPLE, "--baseline", "rm")
    for key, command in (
        ("compare", ("compare",)),
        ("tradeoff", ("tradeoff",)),
        ("risk", ("risk", "--baseline", "rm")),
    ):
        table = _table_of(text, f"t0-{key}")
        heads = [html.unescape(head) for head in re.findall(r"<button [^>]*data-sort[^>]*>([^<]*)</button>", table)]
        lines = biasvar(*command, *SAMPLE, "--wide").out.splitlines()
        (rule,) = [place for place, line in enumerate(lines) if re.match("--+  --+", line)]
        assert re.split(r"  +", lines[rule - 1].strip()) == heads
        cells = [html.unescape(re.sub("<[^>]*>", "", row)) for row in re.findall(r"<tr data-row.*?</tr>", table)]
        printed = ["".join(line.split()) for line in lines[rule + 1 : rule + 1 + len(cells)]]
        assert ["".join(row.split()) for row in cells] == printed
    assert ">bias²</button>" in _table_of(text, "t0-runs")


def test_every_column_says_what_it_means(made, shelf):
    text, _ = made(
        *FOUR, "--families", "(comb|nrr|orig|rm)-?(.*)", "--baseline", "rm", "--manifest", shelf, "--null-samples", 100
    )
    heads = re.findall(r"<button [^>]*data-sort=[^>]*>", text)
    assert len(heads) > 60
    assert [head for head in heads if ' title="' not in head] == []
    listed = text.partition("<summary>Words and columns</summary>")[2].partition("</dl>")[0]
    for words in ("bias squared", "reward - (1 + 1) risk", "on how many queries no other run reaches it"):
        assert f"<dd>{words}</dd>" in listed


def test_several_measures_have_the_table_of_summary(biasvar, made):
    words = (*SAMPLE, "-m", "AP", "-m", "nDCG@10", "--baseline", "rm")
    text, data = made(*words, "--no-null")
    wanted = list(csv.DictReader(io.StringIO(biasvar("summary", *words, "-f", "csv").out)))
    rows = records(data, "summary")
    for row in wanted:
        for name in ("AP", "nDCG@10"):
            assert rows[row["run"]][name] == float(row[name])
            assert (rows[row["run"]][f"{name}_mark"] or "") == row[f"{name}_mark"]
    section = text.partition('<section id="all-measures"')[2].partition("</section>")[0]
    assert ">AP ↑</button>" in section
    assert ">0.443†</td>" in section
    printed = " ".join(biasvar("summary", *words).out.split())
    verdicts = [
        html.unescape(line)
        for line in re.findall(
            r'<p class="verdict">(.*?)</p>', text.partition("<main>")[2].partition('<div role="tablist"')[0]
        )
    ]
    assert len(verdicts) == 3
    assert all(line in printed for line in verdicts)
    assert 'id="all-measures"' not in made(*SAMPLE)[0]


def test_families_are_those_of_tradeoff(biasvar, made):
    options = (*FAMILIES, "--null-samples", 100)
    _, data = made(*SAMPLE, *options)
    wanted = first(biasvar("tradeoff", *SAMPLE, *options, "-f", "json"))["families"]
    sheet = data["sheets"]["t0-families"]
    assert _columns(sheet, "family", "pearson") == [(row["family"], row["pearson"]) for row in wanted]
    medians = [row["null"] and row["null"]["pearson"]["median"] for row in wanted]
    assert [median for (median,) in _columns(sheet, "null_r")] == pytest.approx(medians)  # None where there is none
    families = {each["name"]: [data["names"][run] for run in each["members"]] for each in data["panels"][0]["families"]}
    assert families["comb"] == [f"comb-0.{tenth}" for tenth in range(1, 10)]
    assert all(each["joined"] for each in data["panels"][0]["families"])
    _, data = made(*SAMPLE, "--families", "(comb|nrr)-.*", "--no-null")  # parameters that are no numbers
    assert {family["name"]: family["joined"] for family in data["panels"][0]["families"]} == {
        "comb": False,
        "nrr": False,
    }


def test_the_trend_is_that_of_tracks(biasvar, made, shelf, tmp_path):
    text, data = made(*SAMPLE, "--manifest", shelf)
    wanted = first(biasvar("tracks", shelf, "-f", "json"))["tracks"]
    assert len(wanted) == 3
    defined = [{name: value for name, value in row.items() if value is not None and name != "better"} for row in wanted]
    assert _has(data, "trend-tracks", defined, "track")
    assert "Trends over the years" in text
    (command,) = re.findall(r'data-command="([^"]*)"[^>]*the figure trend"', text)
    assert biasvar(*shlex.split(html.unescape(command))[1:-1], tmp_path / "trend.json", "--quiet").code == 0
    (tmp_path / "2002.csv").write_text("nothing of the kind\n")
    result = biasvar("report", *SAMPLE, "--manifest", shelf, "-o", tmp_path / "other.html")
    assert result.code == 1
    assert "track T2002" in result.err
    assert not (tmp_path / "other.html").exists()


def test_series_of_the_trend_are_distinguished(made, shared, tmp_path):
    names = [name for name in REAL_MATRICES if name.startswith("web")]
    matrices = [shared / "score-matrices" / f"{name}.csv" for name in sorted(names)]
    entries = [
        f'[[track]]\ntrack = "{path.stem}"\nseries = "{path.stem[8:]}"\nyear = {path.stem[3:7]}\nscores = "{path}"\n'
        for path in matrices
    ]
    (tmp_path / "shelf.toml").write_text("\n".join(entries))
    text, _ = made(*FOUR, "--manifest", tmp_path / "shelf.toml", "--no-null")
    drawing = text.partition('data-figure="trend"')[2].partition('data-of="spearman"')[0]
    words = [re.sub("<.*?>", "", item) for item in re.findall(r"<li>(.*?)</li>", drawing)]
    series = {path.stem[8:] for path in matrices}
    assert len(series) > 1
    assert {text.partition(",")[0] for text in words[4:]} == series
    dashes = re.findall(r'<line class="axis"[^>]*stroke-dasharray="([^"]*)"', drawing.partition('class="legend"')[2])
    assert len(set(dashes)) == len(dashes) == len(series)
    assert drawing.partition('class="legend"')[0].count('<path class="dot') == 4 * len(matrices)


def _tips(text, coefficient, figure="tradeoff"):
    """What the marks of the figure of a coefficient say."""
    part = text.partition(f'data-figure="{figure}"')[2].partition("</figure>")[0]
    drawing = part.partition(f'data-of="{coefficient}"')[2].partition('class="drawing"')[0]
    return [html.unescape(words) for words in re.findall(r"<g><title>(.*?)</title>", drawing, re.DOTALL)]


def test_a_coefficient_has_a_figure_of_its_own(biasvar, made):
    text, _ = made(*SAMPLE)
    rows = first(biasvar("tradeoff", *SAMPLE, "-f", "json"))["rows"]
    for coefficient in ("pearson", "kendall", "spearman"):
        wanted = set()
        for row in rows:
            if row["sampling"] != "random-exact":
                null = [number(row["null"][coefficient][name], 4) for name in ("median", "low", "high")]
                wanted.add("{}\nnull models {} [{}, {}]".format(number(row[coefficient], 4), *null))
        tips = _tips(text, coefficient)
        assert {words.partition(": ")[2] for words in tips} == wanted
        assert len(tips) == 8


def test_the_figure_of_the_correlations_names_every_sampling(made, tmp_path):
    groups = "".join(f"{query},{query % 3}\n" for query in range(1, 94))
    (tmp_path / "groups.csv").write_text(f"query_id,group\n{groups}")
    text, _ = made(*SAMPLE, "--groups", tmp_path / "groups.csv", "--no-null")
    scores = [
        "(a) single queries",
        "(b) subsets of 10 queries drawn at random",
        "(c) subsets of 10 queries by difficulty",
    ]
    assert [words.partition(": ")[0] for words in _tips(text, "pearson")] == [
        *scores,
        "the given groups",
        "(d) subsets of 10 queries by difficulty, normalised",
        "single queries, normalised",
        "the given groups, normalised",
        *(f"{words}, gap form" for words in (*scores, "the given groups")),
    ]
    options = re.findall(r'<option value="(\w+)">([^<]*)</option>', text.partition('class="coefficient"')[2])
    assert options[:3] == [("pearson", "Pearson’s r"), ("spearman", "Spearman’s ρ"), ("kendall", "Kendall’s τ")]


def test_the_figure_says_why_there_is_no_null_model(made, tmp_path):
    (tmp_path / "m.csv").write_text("topic,a,b,c\n1,5,3,2\n2,1,4,1\n3,2,2,6\n4,1,1,2\n")
    why = "No null model: the null models need scores from 0 to 1, found 6"
    assert f"<p>Dot: observed. {why}.</p>" in made(tmp_path / "m.csv", "--quiet")[0].replace(' class="caption"', "")
    assert "Dot: observed. No null model was asked for.</p>" in made(*FOUR, "--no-null")[0]


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
    marked = re.findall(
        r'class="pick">([^<]*)</button><span class="unjudged" role="img" title="60 % not judged">', text
    )
    assert marked == ["less"]
    assert data["unjudged"] == {"less": "60 %"}
    assert "first 10 documents are not judged, so that the scores may be too low: 1 run." in text


def test_bars_of_scores_beyond_the_range_end_where_they_end(made, tmp_path):
    """With scores that were allowed below 0 nothing is cut at 0: a mean of -.2 would have a bar of negative height."""
    (tmp_path / "ap.csv").write_text("AP,A,B,C\n" + "".join(f"q{i},-.{i}5,.{i}2,.{9 - i}\n" for i in range(1, 8)))
    _, data = made(tmp_path / "ap.csv", "--allow-range", "--no-null")
    assert data["panels"][0]["bounds"] is None
    (tmp_path / "ap.csv").write_text("AP,A,B,C\n" + "".join(f"q{i},.{i}5,.{i}2,.{9 - i}\n" for i in range(1, 8)))
    _, data = made(tmp_path / "ap.csv", "--allow-range", "--no-null", "--seed", 1)
    assert data["panels"][0]["bounds"] == [0, 1]


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
    assert "<h2>Profile of rm</h2>" in text
    lines = [line for line in _section(text).split("\n") if line.rstrip().endswith((".", '."'))]
    assert len(lines) >= 6
    assert all(_words(line) in printed for line in lines)
    assert sum("For a paper" in line for line in lines) == 1 + bool(baseline)
    (result,) = json.loads(biasvar("profile", "rm", *FOUR, *baseline, "-f", "json").out)["results"]
    sheet = data["sheets"]["profile0-0-profile"]
    rows = [dict(zip(sheet["columns"], row, strict=True)) for row in sheet["rows"]]
    for row, wanted in zip(rows, result["quantities"], strict=True):
        assert {name: row[name] for name in wanted} == wanted


def test_without_a_highlighted_run_there_is_no_profile_of_one(made):
    text, data = made(*FOUR, "--baseline", "orig", "--no-null")
    assert "Profile of" not in text
    assert not [key for key in data["sheets"] if key.startswith("profile")]


def test_a_table_for_each_measure_and_a_section_for_each_run(made):
    words = ("-m", "AP", "-m", "nDCG@10", *HIGHLIGHTED, "--highlight", "orig", "--baseline", "orig", "--no-null")
    text, data = made(*FOUR, *words)
    assert data["names"][data["run"]] == "orig"  # the first of them is chosen when the page opens
    assert re.findall("<h2>Profile of (.*?)</h2>", text) == ["orig", "rm"]
    assert len([key for key in data["sheets"] if key.startswith("profile")]) == 4
    assert "baseline" not in _section(text, 1)  # no run is compared with itself
    assert "the baseline, orig" in _section(text, 2)


def test_the_page_has_every_run_of_a_system_as_decompose_of_the_runs_has_it(biasvar, made):
    """Nothing on the page is computed from mean scores: its variances are those of the tables."""
    _, data = made(*SAMPLE, *SYSTEMS)
    names = data["names"]
    assert [panel["replicates"] for panel in made(*SAMPLE)[1]["panels"]] == [[]]
    assert set(names) >= {"comb", "nrr", "orig"}
    runs = {row["run"]: row for row in only(biasvar("decompose", *SAMPLE, "-m", "AP", "-f", "json"))["runs"]}
    # the target of systems is of their means, so the biases differ from those of the runs, the variances do not
    (panel,) = data["panels"]
    assert len(panel["replicates"]) == sum(run.startswith(("comb", "nrr")) for run in runs)
    for replicate in panel["replicates"]:
        assert names[replicate["system"]] == replicate["run"].partition("-")[0]
        assert replicate["var"] == pytest.approx(runs[replicate["run"]]["var"])
    table = only(biasvar("decompose", *SAMPLE, *SYSTEMS, "-f", "json"))["runs"]
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


def test_the_page_says_what_systems_are_made_of_and_repeats_the_option(made, tmp_path):
    text, _ = made(*SAMPLE, *SYSTEMS)
    words = _facts(text)
    assert "Systems 5 systems with 1 to 10 runs each (22 runs in all) Files" in words
    assert "--replicates &#39;(comb|nrr)-.*&#39; --no-null -o report.html" in words
    assert "biasvar plot plane sample_runs -q qrels/npl.qrels.txt --replicates" in words
    file = tmp_path / "systems.csv"
    file.write_text("run,system\nnrr-0.1,nrr\nnrr-0.2,nrr\n")
    text, _ = made(*SAMPLE, "--replicates", file, "--no-null")
    assert f"List of systems {file} Topics" in _facts(text)


def test_means_of_several_measures_have_their_spread(made):
    text, data = made(*SAMPLE, "-m", "AP", "-m", "P@10", *SYSTEMS)
    assert data["sheets"]["summary"]["columns"][:3] == ["run", "AP", "AP_sd_replicates"]
    assert "±: standard deviation of the means of a system" in _facts(text)


def test_a_notebook_names_the_file_of_systems_and_has_the_profile(tmp_path):
    file = tmp_path / "systems.csv"
    file.write_text("run,system\nnrr-0.1,nrr\nnrr-0.2,nrr\n")
    given = {"qrels": "qrels/npl.qrels.txt", "glob": "nrr*", "null": False}
    page = bv.report("sample_runs", replicates=str(file), highlight="nrr", **given)
    assert "<h2>Profile of nrr</h2>" in page.html
    words = _facts(page.html)
    assert f"List of systems {file} Topics" in words
    assert "replicates=" in words


# ---- what was evaluated, and how to repeat it


def test_it_says_what_was_evaluated_and_how_to_repeat_it(biasvar, made, tmp_path):
    text, _ = made(*SAMPLE, "-m", "AP", *FAMILIES, "--no-null", "--jobs", "1")
    (command,) = re.findall(r"<dt>To repeat it</dt><dd><code>(.*?)</code>", text)
    assert html.unescape(command) == (
        "biasvar report sample_runs -q qrels/npl.qrels.txt -m AP --no-null --families '(comb|nrr)-(.*)' -o report.html"
    )
    assert "22 runs have tied retrieval scores" in text
    assert str(Path.cwd()) not in text
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b", text)
    stamped, _ = made(*SAMPLE, "--no-null", "--stamp")
    assert str(Path.cwd()) in stamped
    assert re.search(r"\b20\d\d-\d\d-\d\d \d\d:\d\d UTC", stamped)


def test_warnings_and_notices_are_apart(made):
    text, _ = made(*SAMPLE, "-m", "P@10", "--target", "perfect", "--no-null")
    (warned,) = re.findall(r'<ul class="warning">(.*?)</ul>', text, re.DOTALL)
    assert "22 runs have tied retrieval scores" not in warned
    assert html.unescape(warned).count("<li>") == 1
    (noticed,) = re.findall(r"<strong>Notices</strong>.*?</ul>", text, re.DOTALL)
    assert "22 runs have tied retrieval scores" in noticed
    assert ">What was evaluated: 1 warning, 1 notice</a>" in text
    assert "1 warning" not in made(*SAMPLE, "--no-null")[0]


def test_the_commands_of_the_figures_draw_them(biasvar, made, tmp_path):
    measures = ("-m", "nDCG@10", "-m", "AP")
    text, _ = made(*FOUR, *measures, *FAMILIES, "--target", "best:0.9", "--log", "floor", "--null-samples", 100)
    commands = [html.unescape(each) for each in re.findall(r"<li><code>(biasvar plot [^<]*)</code>", text)]
    names = [command.split()[2] for command in commands]
    assert names[:6] == ["plane", "total", "ranked", "tradeoff", "queries", "target"]
    assert names[6:] == ["risk", "losses", "compare", "asl", "swap"]
    for command in commands:
        words = shlex.split(command)[1:-1]
        result = biasvar(*words, tmp_path / "figure.json", "--quiet")
        assert result.code == 0, (command, result.err)
    assert [command for command in commands if "--families" in command] == commands[:2]


def test_the_figure_of_the_tradeoff_has_the_numbers_of_the_page(biasvar, made, tmp_path):
    options = ("--subset-size", "5,10", "--seed", "3", "--difficulty", "mean", "--normalise", "maxmin", "--no-null")
    text, data = made(*SAMPLE, *options)
    (command,) = [html.unescape(each) for each in re.findall(r"<li><code>(biasvar plot tradeoff [^<]*)</code>", text)]
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
        (command,) = re.findall(r"<dt>To repeat it</dt><dd><code>biasvar (.*?) -o report.html</code>", text)
        words = html.unescape(command).removeprefix("report ")
        found = subprocess.run(["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, text=True, check=True)
        assert [Path(word) for word in found.stdout.split("\0")[:-1]] == [Path(name)]


def test_every_file_that_was_read_is_listed_by_its_role(biasvar, made, tmp_path):
    (tmp_path / "topics").write_text("5\n6\n7\n")
    two = ("sample_runs/rm.gz", "sample_runs/orig.gz", *SAMPLE[1:])
    text, _ = made(*two, "--pool", "sample_runs/rel-fb.gz", "--topics", tmp_path / "topics")
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>", text))
    assert facts["Pool"] == "sample_runs/rel-fb.gz"
    assert facts["List of topics"] == str(tmp_path / "topics")


def test_the_same_input_gives_the_same_bytes(tmp_path):
    """Whatever the order of sets, inputs and threads; and without the converter of figures, which no page needs."""
    code = "import sys; sys.modules['vl_convert'] = None; from biasvar_cli.__main__ import run; run()"
    files, pages = list(FOUR[:4]), []
    for seed, inputs, jobs in (("1", files, "1"), ("2", files[::-1], "3")):
        path = tmp_path / f"{seed}.html"
        arguments = ["report", *inputs, *SAMPLE[1:], "--null-samples", "100"]
        arguments += ["--jobs", jobs, "-o", str(path)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, env=environment)
        pages.append(path.read_bytes())
    assert pages[0] == pages[1]
    assert len(pages[0]) > 100_000


# ---- hostile names, bad input


def test_hostile_names_are_text_in_the_page(made, hostile):
    text, data = made(hostile, "--baseline", HOSTILE[0])
    assert data["names"] == sorted(HOSTILE)
    assert text.count("<script") == text.count("</script>") == 2
    assert "<img" not in text
    assert "49" not in text.partition("<main>")[2].partition("<script")[0].replace("{{ 7*7 }}", "").split()
    table = text.partition('data-sheet="t0-runs"')[2].partition("</table>")[0]
    shown = [html.unescape(name) for name in re.findall(r'class="pick">([^<]*)</button>', table)]
    assert sorted(shown) == sorted(HOSTILE)


def test_a_policy_forbids_every_request(made):
    text, _ = made(*SAMPLE)
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
    policy = html.unescape(policy)
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
        ("-o", old, "--baseline", "quite another"): (1, "there is no such run; the runs are comb-0.1"),
        ("-o", old, "--families", "(no)such"): (1, "none of the runs is in a family"),
        ("-o", old, "--families", "no-group"): (2, "needs a group"),
        ("-o", old, "--strict", "-m", "P@10", "--target", "perfect"): (1, "--strict allows none"),
        ("-o", old, "--target", "run:absent"): (1, "--target run:absent: there is no such run"),
        ("-o", old, "--manifest", "absent.toml"): (2, "does not exist"),
    }
    for arguments, (code, words) in refused.items():
        result = biasvar("report", *FOUR[:-1], *arguments)
        assert (result.code, result.out) == (code, ""), arguments
        assert words in result.err, arguments
    one = biasvar("report", "sample_runs/rm.gz", *SAMPLE[1:], "-o", old)
    assert one.code == 1
    assert "at least 2, found 1 run: rm" in one.err
    assert old.read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["old.html"]


def test_a_plain_install_has_the_template_engine_and_no_converter():
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    assert any(each.startswith("jinja2") for each in project["dependencies"])
    assert [each.partition(">")[0] for each in project["optional-dependencies"]["plot"]] == ["vl-convert-python"]
