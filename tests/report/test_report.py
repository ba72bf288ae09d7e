"""``biasvar report``: the numbers are the tables'; hostile names stay text; the page works in Chromium, alone."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import FOUR, REAL_MATRICES, SAMPLE, unix

from biasvar_cli.tables.rounding import number

pytestmark = pytest.mark.usefixtures("in_the_checkout")
FAMILIES = ("--families", "(comb|nrr)-(.*)")
HOSTILE = (
    "<script>alert(1)</script>",
    '=HYPERLINK("http://example.org/","x")',
    "</script><img src=x onerror=alert(2)>",
    "+1 & {a_b}%$#~^\\",
    "{{ 7*7 }} ${1}",
    "@SUM(A1)",
    "-2 'quoted' \"twice\" |*`[x]",
    "naïve ρ² 検索",
)


def _first(result):
    assert result.code == 0, result.err
    return json.loads(result.out)["results"][0]


def _records(data, key):
    """The rows of a table of the page, by the first of their names."""
    sheet = data["sheets"][key]
    rows = [dict(zip(sheet["columns"], row, strict=True)) for row in sheet["rows"]]
    return {row.get("run", row.get("track")): row for row in rows}


def _has(data, key, wanted, name="run"):
    """Whether a table of the page has all rows and numbers of a document, and no other row."""
    rows = _records(data, key)
    same = all({column: rows[row[name]][column] for column in row} == row for row in wanted)
    return same and len(rows) == len(wanted)


def _verdict(text, heading):
    """The sentences under a heading, up to the next table."""
    part = text.partition(f"<h3>{heading}</h3>")[2].partition('<div class="sheet"')[0]
    return [html.unescape(line) for line in re.findall(r'<p class="verdict">(.*?)</p>', part)]


def _columns(sheet, *names):
    places = [sheet["columns"].index(name) for name in names]
    return [tuple(row[place] for place in places) for row in sheet["rows"]]


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


# ---- content ---------------------------------------------------------------------------------------------------------


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
    rows = _first(biasvar("tradeoff", *SAMPLE, *options, "-f", "json"))["rows"]
    wanted = {tuple(row[name] for name in names) for row in rows if row["sampling"] != "random-exact"}
    assert set(_columns(data["sheets"]["t0-tradeoff"], *names)) == wanted  # the expectation is that of single queries
    scores = _first(biasvar("scores", *SAMPLE, "-f", "json"))
    assert panel["queries"] == scores["queries"]
    assert panel["scores"] == [row["scores"] for row in scores["runs"]]
    target = _first(biasvar("target", *SAMPLE, "-f", "json"))
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
    table = text.partition('data-sheet="t0-runs"')[2].partition("</table>")[0]
    shown = re.findall(r'<tr data-row="\d+"><th scope="row"><button type="button" class="pick">([^<]*)</button>', table)
    assert shown == [run for (run,) in _columns(sheet, "run")]
    first = biasvar("decompose", *SAMPLE, "--top", 1).out.partition("\n---")[2].split("\n")[1].split()
    assert all(f">{html.escape(cell)}<" in text for cell in first)


def test_the_answer_is_in_the_words_of_decompose(biasvar, made):
    text, _ = made(*SAMPLE)
    out = " ".join(biasvar("decompose", *SAMPLE, "--form", "both").out.split())
    lead = [html.unescape(line) for line in re.findall(r'<p class="lead">(.*?)</p>', text)]
    assert [line.split()[0] for line in lead] == ["Least", "Ranking", "No", "Gap"]
    assert all(line in out for line in lead)


def test_a_baseline_adds_the_columns_of_decompose(biasvar, made):
    text, data = made(*SAMPLE, "--baseline", "rm")
    assert data["names"][data["baseline"]] == "rm"
    extra = ("--rank", "--pareto", "--stability", "--baseline", "rm")
    assert _has(data, "t0-runs", _first(biasvar("decompose", *SAMPLE, *extra, "-f", "json"))["runs"])
    assert 'data-sort="d_bias"' in text
    assert 'data-sort="d_bias_low"' not in text


def test_a_baseline_adds_the_table_of_risk(biasvar, made):
    text, data = made(*SAMPLE, "--baseline", "rm")
    assert "<h3>Risk against rm</h3>" in text
    assert _has(data, "t0-risk", _first(biasvar("risk", *SAMPLE, "--baseline", "run:rm", "-f", "json"))["runs"])
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
        table = text.partition(f'data-sheet="t0-{key}"')[2].partition("</table>")[0]
        heads = [html.unescape(head) for head in re.findall(r"<button [^>]*data-sort[^>]*>([^<]*)</button>", table)]
        lines = biasvar(*command, *SAMPLE, "--wide").out.splitlines()
        (rule,) = [place for place, line in enumerate(lines) if re.match("--+  --+", line)]
        assert re.split(r"  +", lines[rule - 1].strip()) == heads
        cells = [html.unescape(re.sub("<[^>]*>", "", row)) for row in re.findall(r"<tr data-row.*?</tr>", table)]
        printed = ["".join(line.split()) for line in lines[rule + 1 : rule + 1 + len(cells)]]
        assert ["".join(row.split()) for row in cells] == printed
    runs = text.partition('data-sheet="t0-runs"')[2].partition("</thead>")[0]
    assert ">bias²</button>" in runs


def test_several_measures_have_the_table_of_summary(biasvar, made):
    words = (*SAMPLE, "-m", "AP", "-m", "nDCG@10", "--baseline", "rm")
    text, data = made(*words, "--no-null")
    wanted = list(csv.DictReader(io.StringIO(biasvar("summary", *words, "-f", "csv").out)))
    rows = _records(data, "summary")
    for row in wanted:
        for name in ("AP", "nDCG@10"):
            assert rows[row["run"]][name] == float(row[name])
            assert (rows[row["run"]][f"{name}_mark"] or "") == row[f"{name}_mark"]
    section = text.partition('<section id="all-measures">')[2].partition("</section>")[0]
    assert ">AP ↑</button>" in section
    assert ">0.443†</td>" in section
    printed = " ".join(biasvar("summary", *words).out.split())
    verdicts = [html.unescape(line) for line in re.findall(r'<p class="verdict">(.*?)</p>', section)]
    assert len(verdicts) == 3
    assert all(line in printed for line in verdicts)
    assert 'id="all-measures"' not in made(*SAMPLE)[0]


def test_families_are_those_of_tradeoff(biasvar, made):
    options = (*FAMILIES, "--null-samples", 100)
    _, data = made(*SAMPLE, *options)
    wanted = _first(biasvar("tradeoff", *SAMPLE, *options, "-f", "json"))["families"]
    sheet = data["sheets"]["t0-families"]
    assert _columns(sheet, "family", "pearson") == [(row["family"], row["pearson"]) for row in wanted]
    medians = [row["null"] and row["null"]["pearson"]["median"] for row in wanted]
    assert [median for (median,) in _columns(sheet, "null_r")] == pytest.approx(medians)  # None where there is none
    families = {each["name"]: [data["names"][run] for run in each["members"]] for each in data["panels"][0]["families"]}
    assert families["comb"] == [f"comb-0.{tenth}" for tenth in range(1, 10)]
    assert all(each["joined"] for each in data["panels"][0]["families"])


def test_families_whose_parameters_are_text_are_not_joined(made):
    _, data = made(*SAMPLE, "--families", "(comb|nrr)-.*", "--no-null")
    joined = {each["name"]: each["joined"] for each in data["panels"][0]["families"]}
    assert joined == {"comb": False, "nrr": False}


def test_the_trend_is_that_of_tracks(biasvar, made, tmp_path):
    entries = []
    for year in (2001, 2002, 2003):
        lines = ["AP,a,b,c,d"]
        lines += [f"q{q}," + ",".join(str((q * year * (run + 2)) % 11 / 11) for run in range(4)) for q in range(1, 13)]
        (tmp_path / f"{year}.csv").write_text("\n".join(lines) + "\n")
        entries.append(f'[[track]]\ntrack = "T{year}"\nseries = "made up"\nyear = {year}\nscores = "{year}.csv"\n')
    shelf = tmp_path / "shelf.toml"
    shelf.write_text("\n".join(entries))
    text, data = made(*SAMPLE, "--manifest", shelf)
    wanted = _first(biasvar("tracks", shelf, "-f", "json"))["tracks"]
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


def test_a_mean_alone_and_no_null_model_leave_their_parts_out(made):
    text, data = made(*SAMPLE, "--target", "mean:0.5", "--no-null")
    assert not {"t0-queries", "t0-suppliers"} & data["sheets"].keys()
    assert "no score per query, so no suppliers and no gaps" in text
    assert 'data-sort="stability"' not in text
    assert "No verdict on a tradeoff without null models" in text
    assert 'value="gap">by gap' not in text


@pytest.mark.parametrize("target", ["run:rm", "perfect", "best:0.9"])
def test_the_target_of_fewer_runs_is_of_the_best_alone(made, target):
    text, _ = made(*SAMPLE, "--target", "best", "--target", target, "--no-null")
    assert text.count("The target grows with the pool") == 1


def test_the_figure_says_why_there_is_no_null_model(opened, tmp_path):
    said = "document.querySelector('[data-figure=tradeoff] .caption').textContent"
    (tmp_path / "m.csv").write_text("topic,a,b,c\n1,5,3,2\n2,1,4,1\n3,2,2,6\n4,1,1,2\n")
    why = "No null model: the null models need scores from 0 to 1, found 6"
    assert opened(tmp_path / "m.csv", "--quiet").run(said) == f"Dot: observed. {why}."
    assert opened(*FOUR, "--no-null").run(said) == "Dot: observed. No null model was asked for."


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
        arguments = ["report", *inputs, *SAMPLE[1:], "-m", "AP", "-m", "nDCG@10", "--null-samples", "100"]
        arguments += ["--jobs", jobs, "-o", str(path)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, env=environment)
        pages.append(path.read_bytes())
    assert pages[0] == pages[1]
    assert len(pages[0]) > 100_000


# ---- hostile names ---------------------------------------------------------------------------------------------------


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
    assert not re.search(r'(?:src|href|action)="|url\(|@import|https?://(?!www\.w3\.org/2000/svg)', text)
    assert " style=" not in text
    assert not re.search(r"<[^>]* on\w+=", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))


# ---- bad input -------------------------------------------------------------------------------------------------------


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


# ---- in a browser ----------------------------------------------------------------------------------------------------


def _shown_runs(browser, key="t0"):
    return browser.run(
        f"[...document.querySelectorAll('[data-sheet={key}-runs] .pick')]"
        ".filter(e => e.offsetParent).map(e => e.textContent)"
    )


_SELECT = """(() => {{
  const s = document.querySelector('{}'); s.value = {}; s.dispatchEvent(new Event('change'));
}})()"""


def _filter(browser, text):
    browser.run(
        f"(() => {{ const f = document.querySelector('.filter'); f.value = {json.dumps(text)}; "
        "f.dispatchEvent(new Event('input')); })()"
    )


def test_sorting_goes_both_ways(opened, biasvar):
    page = opened(*SAMPLE)
    rows = _first(biasvar("decompose", *SAMPLE, "-f", "json"))["runs"]
    by_mean = [row["run"] for row in sorted(rows, key=lambda row: row["mean"])]
    page.click('[data-sheet="t0-runs"] [data-sort="mean"]')
    assert _shown_runs(page) == by_mean[::-1]  # the best first
    heading = 'document.querySelector(\'[data-sheet="t0-runs"] [data-sort="mean"]\').parentElement.ariaSort'
    assert page.run(heading) == "descending"
    page.click('[data-sheet="t0-runs"] [data-sort="mean"]')
    assert _shown_runs(page) == by_mean
    assert page.run(heading) == "ascending"
    page.click('[data-sheet="t0-runs"] [data-sort="var"]')
    assert _shown_runs(page)[0] == min(rows, key=lambda row: row["var"])["run"]
    page.click('[data-sheet="t0-runs"] [data-sort="run"]')
    assert _shown_runs(page) == sorted(by_mean)


def test_filters_narrow_the_table_and_dim_the_figures(opened, biasvar):
    page = opened(*SAMPLE)
    rows = _first(biasvar("decompose", *SAMPLE, "--pareto", "-f", "json"))["runs"]
    _filter(page, "comb mean>0.34")
    wanted = {row["run"] for row in rows if "comb" in row["run"] and row["mean"] > 0.34}
    assert set(_shown_runs(page)) == wanted
    assert page.run("document.querySelector('.count').textContent") == f"{len(wanted)} of 22 rows: comb mean>0.34"
    assert page.run("document.querySelectorAll('[data-figure=plane] .mark:not(.dim)').length") == len(wanted)
    _filter(page, "")
    page.click(".front")
    assert set(_shown_runs(page)) == {row["run"] for row in rows if row["pareto"]}


_LINKED = """(() => {
  const text = selector => document.querySelector(selector).textContent;
  const labels = figure => [...document.querySelectorAll(`[data-figure=${figure}] .mark[aria-pressed=true]`)]
    .map(e => e.ariaLabel.split(/[,:] /)[0]);
  return {
    select: document.querySelector('#run').selectedOptions[0].textContent, heading: text('.chosen .name'),
    row: [...document.querySelectorAll('[data-sheet=t0-runs] tr.run .pick')].map(e => e.textContent),
    plane: labels('plane'), ranked: labels('ranked'), tag: text('[data-figure=plane] .name-tag'),
    gap: text('[data-figure=gap] .title'), table: text('.query-table caption'),
  };
})()"""


def _linked(run):
    return {
        **dict.fromkeys(("select", "heading", "tag"), run),
        **{key: [run] for key in ("row", "plane", "ranked")},
        "gap": f"Gap of {run} to the target",
        "table": f"Queries of {run}, AP",
    }


def test_a_run_chosen_anywhere_is_chosen_everywhere(opened):
    page = opened(*SAMPLE)
    assert page.run(_LINKED) == _linked("rel-fb")
    page.click('[data-sheet="t0-runs"] tbody tr:nth-child(4) .pick')
    assert page.run(_LINKED) == _linked("nrr-0.8")
    mark = '[data-figure="plane"] .mark[aria-label^="{}:"]'
    page.click(mark.format("orig"))
    assert page.run(_LINKED) == _linked("orig")
    page.run("document.querySelector('[data-figure=ranked] .mark[tabindex=\"0\"]').focus()")
    page.press("ArrowLeft", 37)
    page.press("Enter", 13)
    assert page.run(_LINKED) == _linked("comb-0.1")
    page.run(
        "(() => { const s = document.querySelector('#run'); s.value = '21'; s.dispatchEvent(new Event('change')) })()"
    )
    assert page.run(_LINKED)["select"] == page.run(_LINKED)["heading"] == "rm"
    page.click('[data-figure="heat"] canvas')
    chosen = page.run(_LINKED)
    assert chosen == _linked(chosen["select"])
    assert chosen["select"] != "rm"


def test_the_page_opens_with_the_least_total_beside_the_second_run(opened):
    page = opened(*SAMPLE, "--baseline", "rel-fb")
    chosen = "['run', 'second'].map(id => document.getElementById(id).selectedOptions[0].textContent)"
    assert page.run(chosen) == ["nrr-1.0", "rel-fb"]


_APART = """(() => {
  const all = [...document.querySelectorAll('[data-sheet=t0-runs] tbody tr .pick')];
  const named = picks => picks.map(e => e.textContent).sort();
  return {
    words: document.querySelector('.of-apart').textContent,
    marked: named(all.filter(e => e.closest('tr').classList.contains('apart'))),
    signed: named(all.filter(e => getComputedStyle(e, '::before').content.includes('≠'))),
  };
})()"""


@pytest.mark.parametrize("options", [(), ("--log", "floor", "--seed", "3")])
def test_runs_that_differ_from_the_second_one_are_marked(opened, biasvar, options):
    found = _first(biasvar("compare", *SAMPLE, *options, "--test", "stepdown", "-f", "json"))
    mean, critical = {row["run"]: row["mean"] for row in found["runs"]}, found["critical"]["stepdown"]
    page = opened(*SAMPLE, *options)
    seen = page.run(_APART)
    assert (seen["marked"], seen["signed"]) == ([], [])
    assert seen["words"].startswith(
        "Choose a second run (against), and the runs that differ from it in mean are marked"
    )
    names = page.run("[...document.querySelectorAll('#second option')].map(e => e.textContent)")[1:]
    counts = set()
    for second in ("rm", "nrr-0.3", "rel-fb"):
        page.run(_SELECT.format("#second", names.index(second)))
        wanted = sorted(run for run in names if abs(mean[run] - mean[second]) > critical)
        seen = page.run(_APART)
        assert seen["marked"] == seen["signed"] == wanted
        how = "95 % for all 231 pairs of runs together, step-down bootstrap"
        apart = f"≠: the mean differs from that of {second}, by more than {number(critical, 4)} ({how})"
        assert seen["words"] == f"{apart}: {len(wanted)} of 21 others."
        counts.add(len(wanted))
    assert len(counts) > 1
    _filter(page, "comb")
    assert page.run(_APART)["words"] == seen["words"]  # of all runs, whatever is shown


def test_the_bar_names_the_chosen_runs_and_their_ranks(opened, biasvar):
    page = opened(*FOUR, "-m", "AP", "-m", "P@10", "--no-null", width=390)
    ranks = {}
    for measure in ("AP", "P@10"):
        rows = _first(biasvar("decompose", *FOUR, "-m", measure, "--rank", "-f", "json"))["runs"]
        ranks[measure] = {row["run"]: row["rank"] for row in rows}
    names = page.run("[...document.querySelectorAll('#run option')].map(e => e.textContent)")
    page.run(_SELECT.format("#run", names.index("orig")))
    page.run(_SELECT.format("#second", names.index("comb-0.1")))
    bar = "['#rank-of-run', '#rank-of-second'].map(e => document.querySelector(e).textContent)"
    for place, measure in enumerate(("AP", "P@10")):
        page.click(f"#tab-t{place}")
        of = ranks[measure]
        assert page.run(bar) == [f"rank {of['orig']} of 4 by total", f"rank {of['comb-0.1']} by total"]
    for place in ("0", "document.body.scrollHeight"):
        page.run(f"scrollTo(0, {place}); new Promise(done => requestAnimationFrame(done))")
        box = page.run(
            "(() => { const b = document.querySelector('#choice').getBoundingClientRect(); "
            "return [b.top, b.bottom] })()"
        )
        assert box[1] < 900
        assert place == "0" or box[0] == 0
    assert page.run("document.documentElement.scrollWidth") <= 390


@pytest.fixture(scope="session")
def many_runs(tmp_path_factory):
    """Scores of so many runs that their tables take several sheets of paper."""
    path = tmp_path_factory.mktemp("many") / "scores.csv"
    rows = [[f"q{query}", *(query * (run + 2) % 83 / 83 for run in range(75))] for query in range(1, 7)]
    lines = [["AP", *(f"run{run:02}" for run in range(75))], *rows]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")
    return path


def test_the_row_of_the_chosen_run_is_seen_wherever_a_table_is_scrolled(opened, many_runs):
    page = opened(many_runs, "--quiet", "--no-null", width=390)
    page.run("document.querySelectorAll('[data-sheet=t0-runs] .pick')[37].click()")
    seen = """(() => {
      const sheet = document.querySelector('[data-sheet=t0-%s]'), scroll = sheet.querySelector('.scroll');
      scroll.scrollTop = %s;
      const [box, row] = [scroll, sheet.querySelector('tr.run th')].map(e => e.getBoundingClientRect());
      return row.top >= box.top && row.bottom <= box.bottom;
    })()"""
    for name in ("runs", "compare", "suppliers"):
        assert [page.run(seen % (name, top)) for top in (0, 600, 1e6)] == [True] * 3, name
    assert page.run("document.documentElement.scrollWidth") <= 390


def test_comparisons_and_risk_are_figures_whose_runs_can_be_chosen(opened, biasvar):
    page = opened(*SAMPLE, "--baseline", "rm", "--no-null")
    rows = _first(biasvar("compare", *SAMPLE, "--test", "stepdown", "-f", "json"))["runs"]
    by_mean = [row["run"] for row in sorted(rows, key=lambda row: (-row["mean"], row["run"]))]
    named = "[...document.querySelectorAll('[data-figure=%s] .mark')].map(e => e.ariaLabel.split(': ')[0])"
    assert page.run(named % "compare") == by_mean
    best = page.run("document.querySelectorAll('[data-figure=compare] circle.own').length")
    assert best == sum(row["best"] for row in rows)
    page.click('[data-figure="compare"] .mark[aria-label^="orig:"]')
    assert [page.run(_LINKED)[key] for key in ("select", "heading", "row", "plane")] == [
        "orig",
        "orig",
        ["orig"],
        ["orig"],
    ]
    found = _first(biasvar("risk", *SAMPLE, "--baseline", "run:rm", "-f", "json"))["runs"]
    risky = [row["run"] for row in sorted(found, key=lambda row: (-row["u_risk_1"], row["run"]))]
    assert page.run(named % "risk") == risky
    page.run("document.querySelector('[data-figure=risk] .mark[tabindex=\"0\"]').focus()")
    page.press("ArrowRight", 39)
    page.press("Enter", 13)
    after = risky[(risky.index("orig") + 1) % len(risky)]
    assert page.run(_LINKED)["select"] == after


def test_every_figure_copies_the_command_that_draws_it(opened, biasvar, tmp_path):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--baseline", "rm", "--null-samples", 100)
    page.click("#tab-t1")
    copied = """new Promise(done => {
      document.addEventListener('copied', event => done(event.detail), {once: true});
      document.querySelector('#t1 [data-figure=%s] .command').click();
    })"""
    names = {"heat": "queries", "rarefied": "rarefaction"}
    for figure in ("plane", "ranked", "compare", "risk", "heat", "tradeoff", "rarefied"):
        words = shlex.split(page.run(copied % figure))
        assert words[:3] == ["biasvar", "plot", names.get(figure, figure)]
        assert words[words.index("-m") + 1] == "nDCG@10"
        assert biasvar(*words[1:-1], tmp_path / "figure.json", "--quiet").code == 0
    page.run(copied % "plane")
    assert page.run("document.querySelector('#t1 [data-figure=plane] .command').textContent") == "Copied"


def test_values_of_equal_total_are_told_from_the_axis(opened):
    page = opened(*SAMPLE, "--no-null")
    tags = page.run("[...document.querySelectorAll('[data-figure=plane] .level-tag')].map(e => e.textContent)")
    assert tags
    assert all(re.fullmatch(r"total \d\.\d+", tag) for tag in tags)


def test_a_run_is_chosen_in_the_table_of_risk(opened):
    page = opened(*SAMPLE, "--baseline", "rm")
    page.click('[data-sheet="t0-risk"] tbody tr:nth-child(7) .pick')
    wanted = page.run("document.querySelector('[data-sheet=t0-risk] tbody tr:nth-child(7) .pick').textContent")
    assert [page.run(_LINKED)[key] for key in ("select", "heading", "row", "plane")] == [
        wanted,
        wanted,
        [wanted],
        [wanted],
    ]
    chosen = "[...document.querySelectorAll('[data-sheet=t0-risk] tr.run .pick')].map(e => e.textContent)"
    assert page.run(chosen) == [wanted]


def test_one_query_is_no_test_of_differences(opened, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("topic,a,b,c\n1,.1,.2,.9\n")
    page = opened(path, "--quiet")
    page.run(_SELECT.format("#second", 0))
    seen = page.run(_APART)
    assert seen["marked"] == []
    assert (
        seen["words"]
        == "Which differences are significant: not tested: the step-down bootstrap needs at least 6 queries, found 1."
    )


def test_wins_and_losses_against_a_second_run(opened, biasvar):
    page = opened(*SAMPLE, "--baseline", "rm")
    page.click('[data-figure="plane"] .mark[aria-label^="orig:"]')
    scores = {row["run"]: row["scores"] for row in _first(biasvar("scores", *SAMPLE, "-f", "json"))["runs"]}
    pairs = list(zip(scores["orig"], scores["rm"], strict=True))
    wins, losses = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    words = page.run("document.querySelector('.summary').textContent")
    assert f"against rm: better on {wins}, worse on {losses}, equal on {len(pairs) - wins - losses}" in words
    high = "filter(e => Number(e.getAttribute('height')) > 0).length"
    assert page.run(f"[...document.querySelectorAll('[data-figure=second] rect.win')].{high}") == wins
    assert page.run("document.querySelector('[data-figure=second] .title').textContent") == "orig against rm"
    outcomes = page.run("[...document.querySelectorAll('.query-table tbody tr')].map(e => e.lastChild.textContent)")
    assert (outcomes.count("win"), outcomes.count("loss")) == (wins, losses)
    assert page.run("document.querySelectorAll('.query-table')[0].offsetParent !== null")
    page.click("#swap")
    assert page.run("document.querySelector('[data-figure=second] .title').textContent") == "rm against orig"


def test_the_second_run_stays_while_the_first_one_comes_past_it(opened):
    page = opened(*FOUR, "--baseline", "rm", "--no-null")
    both = "['#run', '#second'].map(e => document.querySelector(e).selectedOptions[0].textContent)"
    page.run("document.querySelector('canvas').focus()")
    seen = []
    for _ in range(4):
        page.press("ArrowDown", 40)
        seen.append(page.run(both))
    assert sorted(run for run, _ in seen) == sorted({run for run, _ in seen})
    assert {second for run, second in seen if run != "rm"} == {"rm"}
    assert ["rm", "no second run"] in seen
    order = "document.querySelector('.order').value"
    page.run(_SELECT.format(".order", "'second'"))
    page.run("document.querySelector('canvas').focus()")
    orders = []
    for _ in range(4):
        page.press("ArrowDown", 40)
        orders.append((page.run(both)[0], page.run(order)))
    assert {how for run, how in orders if run != "rm"} == {"second"}
    assert ("rm", "difficulty") in orders
    page.click('[data-figure="plane"] .mark[aria-label^="orig:"]')
    page.click('[data-figure="plane"] .mark[aria-label^="orig:"]', shift=True)
    assert page.run(both) == ["rm", "orig"]
    page.run(_SELECT.format("#second", "''"))
    page.click('[data-figure="plane"] .mark[aria-label^="rm:"]', shift=True)
    assert page.run(both) == ["rm", "no second run"]


def test_tabs_work_with_keys(opened):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--no-null")
    page.click('[data-figure="plane"] .mark[aria-label^="orig:"]')
    page.run("document.querySelector('[role=tab]').focus()")
    page.press("ArrowRight", 39)
    shown = "[...document.querySelectorAll('[role=tabpanel]')].filter(e => e.offsetParent).map(e => e.id)"
    assert page.run(shown) == ["t1"]
    assert page.run("document.activeElement.textContent") == "nDCG@10, target best"
    assert page.run("document.querySelector('#t1 .chosen .name').textContent") == "orig"
    page.press("Home", 36)
    assert page.run(shown) == ["t0"]


_COPIED = """new Promise(done => {{
  document.addEventListener('copied', event => done(event.detail), {{once: true}});
  document.querySelector('[data-sheet="{}"] [data-copy="{}"]').click();
}})"""


def test_copies_are_the_tables(opened, biasvar):
    page = opened(*SAMPLE)
    arguments = ("decompose", *SAMPLE, "--rank", "--pareto", "--stability", "--sort", "total", "--form", "both")
    rows = list(csv.reader(io.StringIO(page.run(_COPIED.format("t0-runs", "csv")))))
    wanted = list(csv.reader(io.StringIO(biasvar(*arguments, "-f", "csv").out)))
    assert rows[0] == wanted[0]
    assert [[_number(cell) for cell in row] for row in rows] == [[_number(cell) for cell in row] for row in wanted]

    def cells(text, sign):
        return [
            [cell.strip() for cell in line.strip("| \\").split(sign)]
            for line in re.sub(r"\\textbf\{(.*?(?:\{\}.*?)?)\}", r"\1", text).splitlines()
            if sign in line and "--" not in line
        ]

    for copied, format_, sign in (("LaTeX", "latex", "&"), ("markdown", "markdown", "|")):
        found = cells(page.run(_COPIED.format("t0-runs", copied)), sign)
        printed = cells(biasvar(*arguments, "-f", format_).out, sign)
        assert found == printed[: len(found)]  # the small tables come after it


def test_without_a_clipboard_the_text_is_shown(opened):
    page = opened(*SAMPLE)
    page.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.run("(() => { document.execCommand = () => false })()")
    assert page.run(_COPIED.format("t0-runs", "markdown")).startswith("**AP of 22 runs")
    assert page.run("document.querySelector('#clip').open")
    assert page.run("document.querySelector('#clip textarea').value").startswith("**AP of 22 runs")


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def test_hostile_names_are_text_everywhere(opened, hostile):
    page = opened(hostile, "--baseline", HOSTILE[0])
    assert sorted(_shown_runs(page)) == sorted(HOSTILE)
    for place in range(len(HOSTILE)):
        page.click(f'[data-sheet="t0-runs"] tbody tr:nth-child({place + 1}) .pick')
        assert page.run("document.querySelector('.chosen .name').textContent") in HOSTILE
        assert page.run("document.querySelectorAll('img, iframe, script').length") == 2
    rows = list(csv.reader(io.StringIO(page.run(_COPIED.format("t0-runs", "csv")))))
    names = [row[rows[0].index("run")] for row in rows[1:]]
    assert sorted(names) == sorted(f"'{name}" if name[0] in "=+-@" else name for name in HOSTILE)
    latex = page.run(_COPIED.format("t0-runs", "LaTeX"))
    assert "+1 \\& \\{a\\_b\\}\\%\\$\\#\\textasciitilde{}\\textasciicircum{}\\textbackslash{}" in latex
    assert "\\textless{}script\\textgreater{}alert(1)\\textless{}/script\\textgreater{}" in latex
    markdown = page.run(_COPIED.format("t0-runs", "markdown"))
    assert "\\<script\\>alert(1)\\</script\\>" in markdown
    assert "\\|\\*\\`\\[x\\]" in markdown


@pytest.fixture
def axe():
    """The program axe, as text."""
    package = pytest.importorskip("axe_playwright_python", reason="axe is in the package axe-playwright-python")
    return (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")


def test_nothing_serious_for_axe(axe, opened, tmp_path):
    """Both widths and both themes, each once: no rule of the style has a colour for a width or a width for a theme.

    axe takes a millisecond for each cell, so there are few; tables are as long as is needed to scroll.
    """
    (tmp_path / "topics").write_text("".join(f"{query}\n" for query in range(1, 22)))
    runs = [f"sample_runs/{run}.gz" for run in ("comb-0.1", "comb-0.2", "nrr-0.1", "nrr-0.2", "orig", "rel-fb", "rm")]
    options = ("-m", "AP", "-m", "nDCG@10", "--baseline", "rm", *FAMILIES, "--null-samples", 100)
    page = opened(*runs, *SAMPLE[1:], *options, "--topics", tmp_path / "topics")
    page.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
    page.run(axe + "\n;0")
    scrolled = "[...document.querySelectorAll('#t0 .scroll')].filter(e => e.scrollHeight > e.clientHeight).length"
    for width, dark in ((1280, False), (400, True)):
        page.resize(width, dark=dark)
        assert page.run("document.documentElement.dataset.theme") == ("dark" if dark else "light")
        found = page.run(
            "axe.run(document, {resultTypes: ['violations']}).then(r => "
            "r.violations.map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html)]))"
        )
        assert [each for each in found if each[0] in ("serious", "critical", "moderate")] == []
        assert page.run("document.documentElement.scrollWidth") <= width
        assert page.run(scrolled) >= 2


_NAMES = """(() => {
  const named = e =>
    (e.ariaLabel || e.textContent || '').trim() || e.labels?.length || e.getAttribute('aria-labelledby');
  const controls = [...document.querySelectorAll('button, select, input, textarea, [role], [tabindex]')]
    .filter(e => e.getAttribute('role') !== 'status');
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  return {
    unnamed: controls.filter(e => !named(e)).map(e => e.outerHTML.slice(0, 90)),
    figures: [...document.querySelectorAll('figure svg:not([aria-hidden]), canvas')].filter(e => !e.ariaLabel).length,
    doubled: ids.length - new Set(ids).size,
    stops: [...document.querySelectorAll('[data-figure] svg')].map(e => e.querySelectorAll('[tabindex="0"]').length),
  };
})()"""


def test_every_control_and_figure_has_a_name(opened):
    found = opened(*SAMPLE, *FAMILIES, "--baseline", "rm", "--null-samples", 100).run(_NAMES)
    assert found["unnamed"] == []
    assert (found["figures"], found["doubled"]) == (0, 0)
    assert sorted(set(found["stops"])) == [0, 1]


def _printed(page, tmp_path):
    """The pages as they print, as text."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    (tmp_path / "page.pdf").write_bytes(page.pdf())
    done = subprocess.run(["pdftotext", "-layout", tmp_path / "page.pdf", "-"], capture_output=True, check=True)
    return done.stdout.decode().split("\f")


def test_it_prints_all_tabs_and_the_head_of_a_table_on_each_of_its_pages(opened, many_runs, tmp_path):
    page = opened(many_runs, "--target", "best", "--target", "perfect", "--quiet", "--no-null")
    sheets = _printed(page, tmp_path)
    whole = "".join(sheets)
    assert re.search(r"^AP, target best$", whole, re.MULTILINE)
    assert re.search(r"^AP, target perfect$", whole, re.MULTILINE)
    rows = [sheet for sheet in sheets if re.search(r"^ *\S+( +-?\d\.\d{4}){7} +\d+", sheet, re.MULTILINE)]
    assert len(rows) > 2
    assert all(re.search(r"run +mean +bias +bias² +var", sheet) for sheet in rows)
    assert "lick" not in whole
    assert "with Shift" not in whole
    assert page.run("[...document.querySelectorAll('[role=tabpanel]')].filter(e => e.offsetParent).length") == 1


def test_a_filtered_table_says_so_on_paper(opened, tmp_path):
    page = opened(*FOUR, "--no-null")
    _filter(page, "nrr mean > 0.5")
    assert re.search(r"\d+ of 4 rows: nrr mean>0.5", "".join(_printed(page, tmp_path)))


def test_filters_that_mean_nothing_say_why(opened):
    page = opened(*FOUR, "--no-null")
    for typed, said in {
        "Mean > 0.5": "of 4 rows: Mean>0.5",
        "foo>0.3": "0 of 4 rows: there is no column foo",
        "mean>0,3": "0 of 4 rows: mean>0,3: conditions are on numbers, such as mean>0.3",
        "run=rm": "0 of 4 rows: run=rm: conditions are on numbers, such as mean>0.3",
    }.items():
        _filter(page, typed)
        assert said in page.run("document.querySelector('.count').textContent")


_RINGS = """(() => {
  const s = document.querySelector('.form'); s.value = '%s'; s.dispatchEvent(new Event('change'));
  const at = e => [e.getAttribute('cx'), e.getAttribute('cy')].join();
  const rings = new Set([...document.querySelectorAll('[data-figure=plane] circle.front-line')].map(at));
  return [...document.querySelectorAll('[data-figure=plane] .mark')]
    .filter(e => rings.has(e.getAttribute('transform').slice(10, -1))).map(e => e.ariaLabel.split(/[,:] /)[0]);
})()"""


@pytest.mark.parametrize(("form", "var"), [("score", "var"), ("gap", "var_gap")])
def test_rings_are_the_front_of_the_form(opened, biasvar, tmp_path, form, var):
    """By the definition: no other run has as little of both, and less of one; copies of a run are on it together."""
    columns = {
        "a": (0.9, 0.1, 0.3, 0.2),
        "b": (0.2, 0.2, 0.3, 0.1),
        "c": (0.3, 0.8, 0.1, 0.6),
        "d": (0.1, 0.1, 0.1, 0.1),
    }
    columns |= {"a2": columns["a"], "e": (0.5, 0.4, 0.3, 0.3)}
    rows = [",".join([f"q{q}", *(str(values[q]) for values in columns.values())]) for q in range(4)]
    (tmp_path / "m.csv").write_text("\n".join([",".join(["AP", *columns]), *rows]) + "\n")
    page = opened(tmp_path / "m.csv", "--quiet", "--no-null")
    runs = _first(biasvar("decompose", tmp_path / "m.csv", "--quiet", "-f", "json"))["runs"]
    pairs = {row["run"]: (row["bias2"], row[var]) for row in runs}
    front = {
        run
        for run, own in pairs.items()
        if not any(other[0] <= own[0] and other[1] <= own[1] and other != own for other in pairs.values())
    }
    assert set(page.run(_RINGS % form)) == front
    page.click(".front")
    assert set(_shown_runs(page)) == front


def test_numbers_that_the_page_rounds_are_those_of_the_tables(opened, tmp_path):
    """Ties such as 1/32 at four decimals go to the even digit, as in Python."""
    values = [1 / 32, 3 / 32, 5 / 32, 0.00005, 0.12345, 1 / 3, 2 / 3, 0.99995, 0.5, 1.0, 0.0, 7 / 32]
    rows = [f"q{q},{value!r},{1 - value!r}" for q, value in enumerate(values)]
    (tmp_path / "m.csv").write_text("\n".join(["RR,a,b", *rows]) + "\n")
    page = opened(tmp_path / "m.csv", "--target", "run:a", "--quiet", "--no-null")
    page.run(_SELECT.format("#run", 0))
    cells = page.run(
        "[...document.querySelectorAll('[data-sheet=t0-own] tbody tr')].map(e => [e.children[0], e.children[3]]"
        ".map(c => c.textContent))"
    )
    assert dict(cells) == {f"q{q}": number(value, 4) for q, value in enumerate(values)}


def test_the_table_of_queries_stays_sorted(opened):
    page = opened(*FOUR, "--no-null")
    scores = (
        "[...document.querySelectorAll('[data-sheet=t0-own] tbody tr')].map(e => Number(e.children[3].textContent))"
    )
    ids = "[...document.querySelectorAll('[data-sheet=t0-own] tbody tr')].map(e => e.children[0].textContent)"
    for descending in (True, False):
        page.run("document.querySelector('[data-sheet=t0-own] [data-sort=score]').click()")
        for run in (1, 3):
            page.run(_SELECT.format("#run", run))
            assert page.run(scores) == sorted(page.run(scores), reverse=descending)
    page.run(_SELECT.format(".order", "'id'"))
    assert page.run(ids) == sorted(page.run(ids), key=int)


def test_the_columns_against_a_run_say_which(opened):
    page = opened(*FOUR, "--baseline", "rm", "--no-null")
    page.run(_SELECT.format("#second", 0))
    assert "or over, rm, whichever second run is chosen" in page.run("document.querySelector('.against').textContent")
    assert "; d\\_, ratio\\_: against rm**\n" in page.run(_COPIED.format("t0-runs", "markdown"))
    assert re.match("% .*; d_, ratio_: against rm\n", page.run(_COPIED.format("t0-runs", "LaTeX")))


def test_only_what_can_be_chosen_takes_the_focus(opened):
    page = opened(*SAMPLE, *FAMILIES, "--no-null")
    page.run("document.querySelector('[data-figure=tradeoff] svg g:last-of-type').focus()")
    assert page.run("document.activeElement.closest('[data-figure=tradeoff]')") is None
    assert page.run("document.querySelectorAll('[data-sheet=t0-runs] .pick[tabindex=\"0\"]').length") == 1
    page.run("document.querySelector('[data-sheet=t0-runs] .pick[tabindex=\"0\"]').focus()")
    first = page.run("document.activeElement.textContent")
    page.press("ArrowDown", 40)
    second = page.run("document.activeElement.textContent")
    assert [first, second] == _shown_runs(page)[:2]
    page.press("Enter", 13)
    assert page.run("document.querySelector('#run').selectedOptions[0].textContent") == second
    page.run("document.querySelector('canvas').focus()")
    page.press("ArrowDown", 40)
    assert page.run("document.querySelector('#run').selectedOptions[0].textContent") != second


def test_suppliers_choose_their_run(opened):
    page = opened(*FOUR, "--no-null")
    page.click('[data-sheet="t0-suppliers"] tbody tr:nth-child(3) .pick')
    chosen = page.run("document.querySelector('[data-sheet=t0-suppliers] tbody tr:nth-child(3) .pick').textContent")
    assert page.run("document.querySelector('.chosen .name').textContent") == chosen


def test_without_scripts_every_table_can_be_read(browser, made, tmp_path):
    made(*FOUR, "-m", "AP", "-m", "nDCG@10", "--no-null")
    with browser.without_scripts(tmp_path / "page.html"):
        root = browser.call("DOM.getDocument")["root"]["nodeId"]
        for place in (0, 1):
            selector = f"[data-sheet=t{place}-runs] table"
            node = browser.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
            assert browser.call("DOM.getBoxModel", nodeId=node)["model"]["height"] > 100


def test_without_scripts_the_figures_that_do_not_change_can_be_seen(browser, made, tmp_path):
    made(*FOUR, "--no-null")
    with browser.without_scripts(tmp_path / "page.html"):
        root = browser.call("DOM.getDocument")["root"]["nodeId"]
        for name in ("tradeoff", "rarefied"):
            node = browser.call("DOM.querySelector", nodeId=root, selector=f"[data-figure={name}] svg")["nodeId"]
            assert browser.call("DOM.getBoxModel", nodeId=node)["model"]["height"] > 100
        node = browser.call("DOM.querySelector", nodeId=root, selector=".command")["nodeId"]
        with pytest.raises(RuntimeError, match="box model"):
            browser.call("DOM.getBoxModel", nodeId=node)


def test_a_filter_is_of_its_own_tab(opened):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--no-null")
    _filter(page, "comb")
    dim = "['t0', 't1'].map(e => document.querySelectorAll(`#${e} [data-figure=plane] .dim`).length)"
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run(dim) == [3, 0]
    page.run("dispatchEvent(new Event('afterprint'))")


def test_the_filter_of_the_front_names_its_form(opened):
    page = opened(*SAMPLE, "--no-null")
    count = "document.querySelector('[data-sheet=t0-runs] .count').textContent"
    page.click(".front")
    assert page.run(count).endswith("of 22 rows: Pareto front of bias² and var")
    page.run(_SELECT.format(".form", "'gap'"))
    assert page.run(count).endswith("of 22 rows: Pareto front of bias² and var_gap")
    assert page.run("document.querySelector('.front').parentElement.textContent").endswith("of bias² and var_gap")
    assert page.run(_COPIED.format("t0-runs", "markdown")).partition("\n")[0].endswith("bias² and var\\_gap**")


_DRAWN = """(() => {
  const [shown, ...others] = [...document.querySelectorAll('[data-figure=%s] .drawing')].filter(e => e.offsetParent);
  return others.length ? null : [...shown.querySelectorAll('svg > g > title')].map(e => e.textContent);
})()"""


def test_a_coefficient_has_a_figure_of_its_own(opened, biasvar):
    page = opened(*SAMPLE)
    rows = _first(biasvar("tradeoff", *SAMPLE, "-f", "json"))["rows"]
    for coefficient in ("pearson", "kendall", "spearman"):
        page.run(_SELECT.format(".coefficient", f"'{coefficient}'"))
        wanted = set()
        for row in rows:
            if row["sampling"] != "random-exact":
                null = [number(row["null"][coefficient][each], 4) for each in ("median", "low", "high")]
                wanted.add("{}\nnull models {} [{}, {}]".format(number(row[coefficient], 4), *null))
        seen = page.run(_DRAWN % "tradeoff")
        assert {words.partition(": ")[2] for words in seen} == wanted
        assert len(seen) == 8


def test_the_figure_of_the_correlations_names_every_sampling(opened, tmp_path):
    groups = "".join(f"{query},{query % 3}\n" for query in range(1, 94))
    (tmp_path / "groups.csv").write_text(f"query_id,group\n{groups}")
    page = opened(*SAMPLE, "--groups", tmp_path / "groups.csv", "--no-null")
    scores = [
        "(a) single queries",
        "(b) subsets of 10 queries drawn at random",
        "(c) subsets of 10 queries by difficulty",
    ]
    assert [words.partition(": ")[0] for words in page.run(_DRAWN % "tradeoff")] == [
        *scores,
        "the given groups",
        "(d) subsets of 10 queries by difficulty, normalised",
        "single queries, normalised",
        "the given groups, normalised",
        *(f"{words}, gap form" for words in (*scores, "the given groups")),
    ]
    heads = page.run("[...document.querySelector('.coefficient').options].map(e => [e.value, e.textContent])")
    assert heads == [["pearson", "Pearson’s r"], ["spearman", "Spearman’s ρ"], ["kendall", "Kendall’s τ"]]


def test_series_of_the_trend_are_distinguished(opened, shared, tmp_path):
    names = [name for name in REAL_MATRICES if name.startswith("web")]
    matrices = [shared / "score-matrices" / f"{name}.csv" for name in sorted(names)]
    entries = [
        f'[[track]]\ntrack = "{path.stem}"\nseries = "{path.stem[8:]}"\nyear = {path.stem[3:7]}\nscores = "{path}"\n'
        for path in matrices
    ]
    (tmp_path / "shelf.toml").write_text("\n".join(entries))
    page = opened(*SAMPLE, "--manifest", tmp_path / "shelf.toml", "--no-null")
    shown = "[data-figure=trend] .drawing:not([hidden])"
    words = page.run(f"[...document.querySelectorAll('{shown} .legend li')].map(e => e.textContent)")
    series = {path.stem[8:] for path in matrices}
    assert len(series) > 1
    assert {text.partition(",")[0] for text in words[4:]} == series
    lines = f"[...document.querySelectorAll('{shown} .legend line')]"
    dashes = page.run(f"{lines}.map(e => e.getAttribute('stroke-dasharray'))")
    assert len(set(dashes)) == len(dashes) == len(series)
    assert page.run(f"document.querySelectorAll('{shown} path.dot').length") == 4 * len(matrices)


def test_long_ids_keep_their_ends_and_axes_have_two_ticks(opened, tmp_path):
    rows = [f"{'q' * 20}{q},{q / 10},{(q * 3 % 7) / 10},{(q * 5 % 7) / 10}" for q in range(1, 7)]
    (tmp_path / "m.csv").write_text("\n".join(["AP,a,b,c", *rows]) + "\n")
    page = opened(tmp_path / "m.csv", "--quiet", "--no-null", width=400)
    texts = "[...document.querySelectorAll('[data-figure={}] text')].map(e => e.textContent)"
    for figure in ("profile", "gap", "heat"):
        assert [text for text in page.run(texts.format(figure)) if text[0] == "q"][-1] == "qqqq…qqq6"
    assert len([text for text in page.run(texts.format("rarefied")) if text.isdigit()]) >= 2
    assert not [text for text in page.run(texts.format("rarefied")) if text in ("0.5", "1.0", "1.5")]
    same = "e.getAttribute('x1') === e.getAttribute('x2')"
    assert page.run(f"[...document.querySelectorAll('[data-figure=plane] line.grid')].filter(e => {same}).length") >= 2


def test_all_of_the_least_are_marked(opened, tmp_path):
    (tmp_path / "m.csv").write_text("AP,a,b,c\n1,0.1,0.1,0.2\n2,0.5,0.5,0.2\n3,0.9,0.9,0.2\n")
    page = opened(tmp_path / "m.csv", "--quiet", "--no-null")
    places = page.run(
        "[...document.querySelectorAll('[data-figure=ranked] .least')].map(e => e.getAttribute('transform'))"
    )
    assert len(set(places)) == len(places) == 5  # least bias² and total: a and b; least variance: c


def test_the_focus_outlives_a_change_of_width(opened):
    page = opened(*FOUR, "--no-null")
    page.run("document.querySelector('[data-figure=plane] .mark[aria-label^=\"orig:\"]').focus()")
    page.resize(700)
    assert page.run("document.activeElement.ariaLabel").startswith("orig:")
    page.run("document.querySelector('canvas').focus()")
    page.resize(900)
    assert page.run("document.activeElement.tagName") == "CANVAS"


def test_long_names_do_not_widen_the_page(opened, tmp_path):
    names = [letter * 180 for letter in "abc"]
    rows = [f"q{q},{q / 10},{(q * 3 % 7) / 10},{(q * 5 % 7) / 10}" for q in range(1, 7)]
    (tmp_path / "m.csv").write_text("\n".join([",".join(["AP", *names]), *rows]) + "\n")
    page = opened(tmp_path / "m.csv", "--baseline", names[0], "--quiet", "--no-null", width=400)
    assert page.run("document.documentElement.scrollWidth") <= 400


TWO = ("sample_runs/rm.gz", "sample_runs/orig.gz", *SAMPLE[1:])


@pytest.mark.parametrize(
    "arguments",
    [
        (*FOUR, "--target", "mean:0.5"),
        (*FOUR, "--target", "run:rm", "--target", "perfect", "--no-null"),
        (*FOUR, "--target", "best:0.5", "--log", "floor", "--difficulty", "mean"),
        (*TWO, "--pool", "sample_runs/rel-fb.gz"),
        (*TWO, "--topics", "{folder}/topics"),
    ],
    ids=["mean", "several targets", "log", "two runs and a pool", "one topic"],
)
def test_other_requests_open_without_complaint(opened, tmp_path, arguments):
    (tmp_path / "topics").write_text("5\n")
    page = opened(*(each.format(folder=tmp_path) for each in arguments))
    page.click('[data-sheet="t0-runs"] tbody tr:nth-child(2) .pick', shift=True)
    assert "better on" in page.run("document.querySelector('.summary').textContent")
    for form in page.run("[...document.querySelector('.form').options].map(each => each.value)"):
        page.run(
            f"(() => {{ const s = document.querySelector('.form'); s.value = '{form}'; "
            "s.dispatchEvent(new Event('change')) })()"
        )


def test_the_page_of_143_runs_is_small(covid_scores, opened, tmp_path):
    page = opened(covid_scores, "--quiet", "--no-null")
    assert (tmp_path / "page.html").stat().st_size < 1_000_000
    assert len(_shown_runs(page)) == 143
    page.run("document.querySelectorAll('#t0 .pick')[77].click()")
    assert page.run("document.querySelectorAll('[data-figure=plane] .mark').length") == 143


_PLACES = """(() => {
  const boxes = selector => [...document.querySelectorAll(selector)].map(e => e.getBoundingClientRect());
  const meet = (a, b, by) =>
    a.left < b.right - by && b.left < a.right - by && a.top < b.bottom - by && b.top < a.bottom - by;
  const marks = boxes('[data-figure=plane] .mark'), [frame] = boxes('[data-figure=ranked] .axis');
  const tags = boxes('[data-figure=plane] .level-tag'), signs = boxes('[data-figure=ranked] .least');
  const ends = boxes('.pair > figure > :last-child').slice(0, 2).map(e => e.bottom);
  return {
    tags: tags.length, covered: tags.filter(tag => marks.some(mark => meet(tag, mark, 2))).length,
    out: signs.filter(e => e.left < frame.left || e.right > frame.right || e.top < frame.top).length, ends,
    outline: boxes('[data-figure=ranked] .run .outline')[0].top - frame.top,
  };
})()"""


@pytest.mark.parametrize("width", [1280, 400])
def test_values_of_lines_and_signs_cover_nothing(opened, covid_scores, width):
    page = opened(covid_scores, "--quiet", "--no-null", width=width)
    found = page.run(_PLACES)
    assert found["tags"] >= 3
    assert (found["covered"], found["out"]) == (0, 0)
    assert found["outline"] > 50, "the frame of the chosen run is that of its bar alone, below the signs"
    if width == 1280:
        assert abs(found["ends"][0] - found["ends"][1]) < 20


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
    text, _ = made(*SAMPLE, "--null-samples", 100)
    assert "p_lower" not in text
    assert "shuffled" not in text
