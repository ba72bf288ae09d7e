"""The page of ``biasvar report`` in Chromium, alone: runs are chosen, tables sorted and filtered, views sent, paper."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import FOUR, SAMPLE

from biasvar_cli.analyses.decompose import TABLES
from biasvar_cli.tables.column import meanings
from biasvar_cli.tables.rounding import number
from report.pages import HOSTILE, first

pytestmark = pytest.mark.usefixtures("in_the_checkout")
FAMILIES = ("--families", "(comb|nrr)-(.*)")
TWO = ("sample_runs/rm.gz", "sample_runs/orig.gz", *SAMPLE[1:])


def _choose(page, selector, value):
    """Choose a value of a list, or type it."""
    page.run(
        f"(() => {{ const s = document.querySelector({json.dumps(selector)}); s.value = {json.dumps(str(value))}; "
        "for (const kind of ['change', 'input']) s.dispatchEvent(new Event(kind, {bubbles: true})); })()"
    )
    page.run("new Promise(done => setTimeout(done, 20))")


def _text(page, selector):
    return page.run(f"document.querySelector({json.dumps(selector)}).textContent")


def _texts(page, selector):
    return page.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(e => e.textContent)")


def _shown_runs(browser, key="t0"):
    return browser.run(
        f"[...document.querySelectorAll('[data-sheet={key}-runs] .pick')]"
        ".filter(e => e.offsetParent).map(e => e.textContent)"
    )


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


_COPIED = """new Promise(done => {{
  document.addEventListener('copied', event => done(event.detail), {{once: true}});
  document.querySelector('[data-sheet="{}"] [data-copy="{}"]').click();
}})"""


_VIEW = """(() => {
  const chosen = id => document.getElementById(id).selectedOptions[0].textContent;
  const panel = [...document.querySelectorAll('.panel')].find(e => e.offsetParent);
  const heading = panel.querySelector('[data-sheet$="-runs"] th[aria-sort]');
  return {
    measure: panel.querySelector('h2').textContent, run: chosen('run'), second: chosen('second'),
    sort: [heading.textContent, heading.ariaSort], filter: panel.querySelector('.filter').value,
    rows: [...panel.querySelectorAll('[data-sheet$="-runs"] .pick')].filter(e => e.offsetParent)
      .map(e => e.textContent),
    form: panel.querySelector('.form').value, order: panel.querySelector('.order').value,
    name: panel.querySelector('.chosen .name').textContent,
  };
})()"""


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


@pytest.fixture(scope="session")
def many_runs(tmp_path_factory):
    """Scores of so many runs that their tables take several sheets of paper."""
    path = tmp_path_factory.mktemp("many") / "scores.csv"
    rows = [[f"q{query}", *(query * (run + 2) % 83 / 83 for run in range(75))] for query in range(1, 7)]
    lines = [["AP", *(f"run{run:02}" for run in range(75))], *rows]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")
    return path


def _printed(page, tmp_path):
    """The pages as they print, as text."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    (tmp_path / "page.pdf").write_bytes(page.pdf())
    done = subprocess.run(["pdftotext", "-layout", tmp_path / "page.pdf", "-"], capture_output=True, check=True)
    return done.stdout.decode().split("\f")


# ---- tables


def test_sorting_goes_both_ways_the_best_first(opened, biasvar):
    page = opened(*SAMPLE)
    rows = first(biasvar("decompose", *SAMPLE, "--stability", "-f", "json"))["runs"]
    ordered = {name: [row["run"] for row in sorted(rows, key=lambda row: row[name])] for name in ("mean", "total")}
    head = '[data-sheet="t0-runs"] [data-sort="{}"]'
    sorted_by = (
        "[...document.querySelectorAll('[data-sheet=t0-runs] [aria-sort]')].map(e => [e.textContent, e.ariaSort])"
    )
    pressed = "[...document.querySelectorAll('.sorts [aria-pressed=true]')].map(e => e.textContent)"
    page.click(head.format("mean"))
    assert _shown_runs(page) == ordered["mean"][::-1]
    assert page.run(sorted_by) == [["mean", "descending"]]
    assert page.run(pressed) == ["mean"]
    page.click(head.format("mean"))
    assert _shown_runs(page) == ordered["mean"]
    assert page.run(sorted_by) == [["mean", "ascending"]]
    assert page.run(pressed) == []
    for by, best in (("total", ordered["total"]), ("mean", ordered["mean"][::-1])):  # the switch on the first screen
        page.click(f'.sorts [data-by="{by}"]')
        assert _shown_runs(page) == best
        assert page.run(pressed) == [by]
    for column, best in {"bias2": min, "stability": min, "total_gap": min}.items():
        for index in (0, -1):
            page.click(head.format(column))
            assert _shown_runs(page)[index] == best(rows, key=lambda row, name=column: row[name])["run"]
    page.click(head.format("run"))
    assert _shown_runs(page) == sorted(ordered["mean"])


def test_filters_narrow_the_table_and_dim_the_figures(opened, biasvar, tmp_path):
    page = opened(*SAMPLE, "--no-null")
    rows = first(biasvar("decompose", *SAMPLE, "--pareto", "-f", "json"))["runs"]
    count = '[data-sheet="t0-runs"] .count'
    for typed, said in {
        "Mean > 0.5": "0 of 22 rows: Mean>0.5",
        "foo>0.3": "0 of 22 rows: there is no column foo",
        "mean>0,3": "0 of 22 rows: mean>0,3: conditions are on numbers, such as mean>0.3",
        "run=rm": "0 of 22 rows: run=rm: conditions are on numbers, such as mean>0.3",
    }.items():
        _choose(page, ".filter", typed)
        assert _text(page, count) == said
    _choose(page, ".filter", "comb mean>0.34")
    wanted = {row["run"] for row in rows if "comb" in row["run"] and row["mean"] > 0.34}
    assert set(_shown_runs(page)) == wanted
    assert _text(page, count) == f"{len(wanted)} of 22 rows: comb mean>0.34"
    assert page.run("document.querySelectorAll('[data-figure=plane] .mark:not(.dim)').length") == len(wanted)
    assert f"{len(wanted)} of 22 rows: comb mean>0.34" in "".join(_printed(page, tmp_path))
    _choose(page, ".filter", "")
    page.click(".front")
    assert set(_shown_runs(page)) == {row["run"] for row in rows if row["pareto"]}
    assert _text(page, count).endswith("of 22 rows: Pareto front of bias² and var")
    _choose(page, ".form", "gap")
    assert _text(page, count).endswith("of 22 rows: Pareto front of bias² and var_gap")
    assert page.run("document.querySelector('.front').parentElement.textContent").endswith("of bias² and var_gap")
    assert page.run(_COPIED.format("t0-runs", "markdown")).partition("\n")[0].endswith("bias² and var\\_gap**")


def test_the_words_of_a_column_are_shown_to_pointer_keyboard_and_reader(opened):
    page = opened(*FOUR, "--no-null")
    head = "document.querySelector('[data-sheet=t0-runs] [data-sort=bias]')"
    words = meanings(TABLES["runs"])["bias"]
    assert page.run(f"{head}.getAttribute('aria-description')") == words
    page.run("document.querySelector('[data-sheet=t0-runs] [data-sort=total]').focus()")
    page.press("Tab", 9)
    assert page.run("document.activeElement.dataset.sort") == "bias"
    assert page.run("document.querySelector('#tip').textContent") == words
    assert page.run("document.querySelector('#tip').hidden") is False
    page.press("Tab", 9)
    assert page.run("document.querySelector('#tip').textContent") != words
    made_here = "[...document.querySelectorAll('[data-sheet=t0-own] [data-sort]')].map(e => e.ariaDescription)"
    assert page.run(made_here)[0] == "the query"
    assert all(page.run(made_here))


def test_a_table_that_scrolls_says_so(opened):
    page = opened(*SAMPLE, "--baseline", "rm", "--no-null", width=400)
    sheet = "document.querySelector('[data-sheet=t0-runs]')"
    said = f"{sheet}.querySelector('.more').textContent"
    shades = f"['data-right', 'data-below'].map(e => {sheet}.querySelector('.frame').hasAttribute(e))"
    later = "new Promise(done => setTimeout(done, 100))"
    assert page.run(said) == "Scroll for more rows ↓ and columns →"
    assert page.run(shades) == [True, True]
    page.run(f"{sheet}.querySelector('.scroll').scrollLeft = 1e6")
    page.run(later)
    assert page.run(said) == "Scroll for more rows ↓"
    page.run(
        "(() => { const f = document.querySelector('.filter'); f.value = 'rm'; f.dispatchEvent(new Event('input')) })()"
    )
    page.run(later)
    assert page.run(said) == ""
    assert page.run(shades) == [False, False]


def test_a_long_table_shows_the_chosen_run_and_prints_its_head_on_each_page(opened, many_runs, tmp_path):
    page = opened(many_runs, "--target", "best", "--target", "perfect", "--quiet", "--no-null", width=390)
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
    sheets = _printed(page, tmp_path)
    whole = "".join(sheets)
    assert re.search(r"^AP, target best$", whole, re.MULTILINE)
    assert re.search(r"^AP, target perfect$", whole, re.MULTILINE)
    rows = [sheet for sheet in sheets if re.search(r"^ *\S+( +-?\d\.\d{4}){7} +\d+", sheet, re.MULTILINE)]
    assert len(rows) > 2
    assert all(re.search(r"run +mean +total ▲ +bias +bias² +var", sheet) for sheet in rows)
    assert "lick" not in whole
    assert "with Shift" not in whole
    assert page.run("[...document.querySelectorAll('[role=tabpanel]')].filter(e => e.offsetParent).length") == 1


def test_copies_are_the_tables(opened, biasvar):
    page = opened(*SAMPLE)
    arguments = ("decompose", *SAMPLE, "--rank", "--pareto", "--stability", "--sort", "total", "--form", "both")
    rows = list(csv.reader(io.StringIO(page.run(_COPIED.format("t0-runs", "csv")))))
    wanted = list(csv.reader(io.StringIO(biasvar(*arguments, "-f", "csv").out)))
    assert rows[0] == wanted[0]
    assert [[_number(cell) for cell in row] for row in rows] == [[_number(cell) for cell in row] for row in wanted]

    def cells(text, sign):
        """The cells of each column, by its head, in the order of the heads."""
        lines = [
            [cell.strip() for cell in line.strip("| \\").split(sign)]
            for line in re.sub(r"\\textbf\{(.*?(?:\{\}.*?)?)\}", r"\1", text).splitlines()
            if sign in line and "--" not in line
        ]
        return sorted(zip(*[line for line in lines if len(line) == len(lines[0])], strict=True))

    for copied, format_, sign in (("LaTeX", "latex", "&"), ("markdown", "markdown", "|")):
        columns = cells(page.run(_COPIED.format("t0-runs", copied)), sign)
        printed = cells(biasvar(*arguments, "-f", format_).out, sign)
        n_rows = len(columns[0])
        assert columns == [column[:n_rows] for column in printed]  # the small tables come after it
    page.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # then the text is shown
    assert page.run(_COPIED.format("t0-runs", "markdown")).startswith("**AP of 22 runs")
    page.run("new Promise(done => setTimeout(done, 20))")
    assert page.run("document.querySelector('#clip').open")
    assert page.run("document.querySelector('#clip textarea').value").startswith("**AP of 22 runs")


def test_the_columns_against_a_run_say_which(opened):
    page = opened(*FOUR, "--baseline", "rm", "--no-null")
    _choose(page, "#second", 0)
    assert "or over, rm, whichever second run is chosen" in page.run("document.querySelector('.against').textContent")
    assert "; d\\_, ratio\\_: against rm**\n" in page.run(_COPIED.format("t0-runs", "markdown"))
    assert re.match("% .*; d_, ratio_: against rm\n", page.run(_COPIED.format("t0-runs", "LaTeX")))


def test_the_table_of_queries_stays_sorted(opened):
    page = opened(*FOUR, "--no-null")
    scores = (
        "[...document.querySelectorAll('[data-sheet=t0-own] tbody tr')].map(e => Number(e.children[3].textContent))"
    )
    ids = "[...document.querySelectorAll('[data-sheet=t0-own] tbody tr')].map(e => e.children[0].textContent)"
    for descending in (True, False):
        page.run("document.querySelector('[data-sheet=t0-own] [data-sort=score]').click()")
        for run in (1, 3):
            _choose(page, "#run", run)
            assert page.run(scores) == sorted(page.run(scores), reverse=descending)
    _choose(page, ".order", "id")
    assert page.run(ids) == sorted(page.run(ids), key=int)


def test_numbers_that_the_page_rounds_are_those_of_the_tables(opened, tmp_path):
    """Ties such as 1/32 at four decimals go to the even digit, as in Python."""
    values = [1 / 32, 3 / 32, 5 / 32, 0.00005, 0.12345, 1 / 3, 2 / 3, 0.99995, 0.5, 1.0, 0.0, 7 / 32]
    rows = [f"q{q},{value!r},{1 - value!r}" for q, value in enumerate(values)]
    (tmp_path / "m.csv").write_text("\n".join(["RR,a,b", *rows]) + "\n")
    page = opened(tmp_path / "m.csv", "--target", "run:a", "--quiet", "--no-null")
    _choose(page, "#run", 0)
    cells = page.run(
        "[...document.querySelectorAll('[data-sheet=t0-own] tbody tr')].map(e => [e.children[0], e.children[3]]"
        ".map(c => c.textContent))"
    )
    assert dict(cells) == {f"q{q}": number(value, 4) for q, value in enumerate(values)}


# ---- chosen runs


_LINKED = """(() => {
  const text = selector => document.querySelector(selector).textContent;
  const labels = figure => [...document.querySelectorAll(`[data-figure=${figure}] .mark[aria-pressed=true]`)]
    .map(e => e.ariaLabel.split(/[,:] /)[0]);
  return {
    select: document.querySelector('#run').selectedOptions[0].textContent, heading: text('.chosen .name'),
    row: [...document.querySelectorAll('[data-sheet=t0-runs] tr.run .pick')].map(e => e.textContent),
    plane: labels('plane'), ranked: labels('ranked'), tag: text('[data-figure=plane] .name-tag:last-of-type'),
    gap: text('[data-figure=gap] .title'), table: text('[data-sheet=t0-own] caption'),
  };
})()"""


def _linked(run):
    return {
        **dict.fromkeys(("select", "heading", "tag"), run),
        **{key: [run] for key in ("row", "plane", "ranked")},
        "gap": f"Gap of {run} to the target",
        "table": f"Queries of {run} against rm, AP" if run != "rm" else "Queries of rm, AP",
    }


def test_a_run_chosen_anywhere_is_chosen_everywhere(opened, biasvar):
    page = opened(*SAMPLE, "--baseline", "rm", "--no-null")
    comparisons = first(biasvar("compare", *SAMPLE, "--test", "stepdown", "-f", "json"))["runs"]
    risks = first(biasvar("risk", *SAMPLE, "--baseline", "run:rm", "-f", "json"))["runs"]
    assert page.run(_LINKED) == _linked("rel-fb")
    page.click('[data-sheet="t0-runs"] tbody tr:nth-child(4) .pick')
    assert page.run(_LINKED) == _linked("nrr-0.8")
    page.click('[data-figure="plane"] .mark[aria-label^="orig:"]')
    assert page.run(_LINKED) == _linked("orig")
    page.run("document.querySelector('[data-figure=ranked] .mark[tabindex=\"0\"]').focus()")
    page.press("ArrowLeft", 37)
    page.press("Enter", 13)
    assert page.run(_LINKED) == _linked("comb-0.1")
    _choose(page, "#run", 21)
    assert page.run(_LINKED)["select"] == page.run(_LINKED)["heading"] == "rm"
    for name in ("risk", "suppliers", "compare"):
        page.click(f'[data-sheet="t0-{name}"] tbody tr:nth-child(3) .pick')
        assert page.run(_LINKED) == _linked(_text(page, f'[data-sheet="t0-{name}"] tbody tr:nth-child(3) .pick'))
    page.click('[data-figure="heat"] canvas')
    chosen = page.run(_LINKED)
    assert chosen == _linked(chosen["select"])
    named = "[...document.querySelectorAll('[data-figure=%s] .mark')].map(e => e.ariaLabel.split(': ')[0])"
    by_mean = [row["run"] for row in sorted(comparisons, key=lambda row: (-row["mean"], row["run"]))]
    assert page.run(named % "compare") == by_mean
    best = page.run("document.querySelectorAll('[data-figure=compare] .mark circle.own').length")
    assert best == sum(row["best"] for row in comparisons)
    page.click('[data-figure="compare"] .mark[aria-label^="orig:"]')
    assert page.run(_LINKED) == _linked("orig")
    risky = [row["run"] for row in sorted(risks, key=lambda row: (-row["u_risk_1"], row["run"]))]
    assert page.run(named % "risk") == risky
    page.run("document.querySelector('[data-figure=risk] .mark[tabindex=\"0\"]').focus()")
    page.press("ArrowRight", 39)
    page.press("Enter", 13)
    assert page.run(_LINKED) == _linked(risky[(risky.index("orig") + 1) % len(risky)])


def test_my_run_has_the_profile_of_profile(opened, biasvar):
    """Its table has the numbers of `profile`, its sentences those of `profile` and `compare`."""
    page = opened(*SAMPLE)
    comparisons = {row["run"]: row for row in first(biasvar("compare", *SAMPLE, "-f", "json"))["runs"]}
    names = _texts(page, "#run option")
    for run in ("rm", "nrr-0.9", "rel-fb"):
        _choose(page, "#run", names.index(run))
        wanted = first(biasvar("profile", run, *SAMPLE, "-f", "json"))
        rows = list(csv.DictReader(io.StringIO(page.run(_COPIED.format("t0-quantities", "csv")))))
        quantities = {row["quantity"].replace("²", "2"): row for row in rows}
        assert list(quantities) == ["mean", "bias2", "var", "total", "var_gap", "total_gap"]
        for row in wanted["quantities"]:
            if row["quantity"] != "bias":
                numbers = [float(quantities[row["quantity"]][name]) for name in ("value", "rank", "best", "median")]
                assert numbers == pytest.approx([row[name] for name in ("value", "rank", "best", "median")])
        rank = {row["quantity"]: row["rank"] for row in wanted["quantities"]}
        assert _text(page, "#rank-of-run") == f"rank {rank['mean']} by mean, {rank['total']} by total"
        words = _texts(page, ".chosen .summary p")
        assert words[0].startswith(f"Mean {number(quantities_of(wanted, 'mean'), 4)}, rank {rank['mean']} by mean")
        better, worse = comparisons[run]["better"], comparisons[run]["worse"]
        assert words[1].startswith(f"Significantly better than {better} of the other 21 runs, worse than {worse}.")
        printed = " ".join(biasvar("profile", run, *SAMPLE).out.split())
        assert words[2].startswith("Its variance over the queries")
        assert words[2] in printed
        assert words[3].startswith("It reaches the target on ")


def quantities_of(profile, name):
    return next(row["value"] for row in profile["quantities"] if row["quantity"] == name)


def test_the_page_opens_with_the_least_total_beside_the_second_run(opened):
    page = opened(*SAMPLE, "--baseline", "rel-fb", "--no-null")
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


def test_runs_that_differ_from_the_second_one_are_marked(opened, biasvar):
    options = ("--log", "floor", "--seed", "3")
    found = first(biasvar("compare", *SAMPLE, *options, "--test", "stepdown", "-f", "json"))
    mean, critical = {row["run"]: row["mean"] for row in found["runs"]}, found["critical"]["stepdown"]
    page = opened(*SAMPLE, *options, "--no-null")
    seen = page.run(_APART)
    assert (seen["marked"], seen["signed"]) == ([], [])
    assert seen["words"].startswith(
        "Choose a second run (against), and the runs that differ from it in mean are marked"
    )
    names = page.run("[...document.querySelectorAll('#second option')].map(e => e.textContent)")[1:]
    counts = set()
    for second in ("rm", "nrr-0.3", "rel-fb"):
        _choose(page, "#second", names.index(second))
        wanted = sorted(run for run in names if abs(mean[run] - mean[second]) > critical)
        seen = page.run(_APART)
        assert seen["marked"] == seen["signed"] == wanted
        how = "95 % for all 231 pairs of runs together, step-down bootstrap"
        apart = f"≠: the mean differs from that of {second}, by more than {number(critical, 4)} ({how})"
        assert seen["words"] == f"{apart}: {len(wanted)} of 21 others."
        counts.add(len(wanted))
    assert len(counts) > 1
    _choose(page, ".filter", "comb")
    assert page.run(_APART)["words"] == seen["words"]  # of all runs, whatever is shown


def test_one_query_is_no_test_of_differences(opened, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("topic,a,b,c\n1,.1,.2,.9\n")
    page = opened(path, "--quiet")
    _choose(page, "#second", 0)
    seen = page.run(_APART)
    assert seen["marked"] == []
    assert (
        seen["words"]
        == "Which differences are significant: not tested: the step-down bootstrap needs at least 6 queries, found 1."
    )


def test_the_bar_stays_with_the_chosen_runs_and_the_contents(opened, biasvar):
    page = opened(*FOUR, "-m", "AP", "-m", "P@10", "--no-null", width=390)
    ranks = {}
    for measure in ("AP", "P@10"):
        rows = first(biasvar("decompose", *FOUR, "-m", measure, "--rank", "-f", "json"))["runs"]
        by_mean = sorted(-row["mean"] for row in rows)
        ranks[measure] = {row["run"]: (1 + by_mean.index(-row["mean"]), row["rank"]) for row in rows}
    names = page.run("[...document.querySelectorAll('#run option')].map(e => e.textContent)")
    _choose(page, "#run", names.index("orig"))
    _choose(page, "#second", names.index("comb-0.1"))
    bar = "['#rank-of-run', '#rank-of-second'].map(e => document.querySelector(e).textContent)"
    for place, measure in enumerate(("AP", "P@10")):
        page.click(f"#tab-t{place}")
        of = ranks[measure]
        assert page.run(bar) == ["rank {} by mean, {} by total".format(*of[run]) for run in ("orig", "comb-0.1")]
    for place in ("0", "document.body.scrollHeight"):
        page.run(f"scrollTo(0, {place}); new Promise(done => requestAnimationFrame(done))")
        box = page.run(
            "(() => { const b = document.querySelector('#bar').getBoundingClientRect(); return [b.top, b.bottom] })()"
        )
        assert box[1] < 400
        assert place == "0" or box[0] == 0
    assert page.run("document.documentElement.scrollWidth") <= 390
    links = page.run("[...document.querySelectorAll('#contents a')].map(e => [e.textContent, e.getAttribute('href')])")
    assert [words for words, _ in links][:3] == ["Answers", "Runs", "My run"]
    for words, link in links:  # to the section of the tab that is seen, under the bar
        page.click(f'#contents a[href="{link}"]')
        section = f"document.querySelector('{link.replace('#t0-', '#t1-')}').getBoundingClientRect()"
        assert 0 <= page.run(f"{section}.top") < 900, words
        assert page.run("document.activeElement.id") == link.replace("#t0-", "#t1-")[1:]
    assert "t1" not in page.run("location.hash")


def test_wins_and_losses_against_a_second_run(opened, biasvar):
    page = opened(*SAMPLE, "--baseline", "rm", "--no-null")
    page.click('[data-figure="plane"] .mark[aria-label^="orig:"]')
    scores = {row["run"]: row["scores"] for row in first(biasvar("scores", *SAMPLE, "-f", "json"))["runs"]}
    pairs = list(zip(scores["orig"], scores["rm"], strict=True))
    wins, losses = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    words = page.run("document.querySelector('.summary').textContent")
    assert f"Against rm: better on {wins}, worse on {losses}, equal on {len(pairs) - wins - losses}" in words
    high = "filter(e => Number(e.getAttribute('height')) > 0).length"
    assert page.run(f"[...document.querySelectorAll('[data-figure=second] rect.win')].{high}") == wins
    assert page.run("document.querySelector('[data-figure=second] .title').textContent") == "orig against rm"
    outcomes = page.run(
        "[...document.querySelectorAll('[data-sheet=t0-own] tbody tr')].map(e => e.lastChild.textContent)"
    )
    assert (outcomes.count("win"), outcomes.count("loss")) == (wins, losses)
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
    _choose(page, ".order", "second")
    page.run("document.querySelector('canvas').focus()")
    orders = {}
    for _ in range(4):
        page.press("ArrowDown", 40)
        orders[page.run(both)[0]] = next(
            t for t in _texts(page, "[data-figure=profile] svg text") if t[:8] == "Queries,"
        )
    title = {run: words.partition(", ")[2] for run, words in orders.items()}
    assert title.pop("rm") == "hardest first"  # no run is compared with itself
    assert set(title.values()) == {"by difference from the second run"}
    page.click('[data-figure="plane"] .mark[aria-label^="orig:"]')
    page.click('[data-figure="plane"] .mark[aria-label^="orig:"]', shift=True)
    assert page.run(both) == ["rm", "orig"]
    _choose(page, "#second", "")
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
    _choose(page, ".filter", "comb")  # of its own tab
    dim = "['t0', 't1'].map(e => document.querySelectorAll(`#${e} [data-figure=plane] .dim`).length)"
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.run(dim) == [3, 0]
    page.run("dispatchEvent(new Event('afterprint'))")


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


# ---- figures


def test_every_figure_copies_the_command_that_draws_it(opened):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--baseline", "rm", "--no-null")
    page.click("#tab-t1")
    copied = """new Promise(done => {
      document.addEventListener('copied', event => done(event.detail), {once: true});
      document.querySelector('#t1 [data-figure=%s] .command').click();
    })"""
    names = {"heat": "queries", "rarefied": "rarefaction"}
    for figure in ("plane", "ranked", "compare", "risk", "heat", "tradeoff", "rarefied"):
        words = page.run(copied % figure)
        assert words.startswith(f"biasvar plot {names.get(figure, figure)} sample_runs/comb-0.1.gz")
        assert "-m nDCG@10" in words
    page.run(copied % "plane")
    assert _text(page, "#t1 [data-figure=plane] .command") == "Copied"


_RINGS = """(() => {
  const s = document.querySelector('.form'); s.value = '%s'; s.dispatchEvent(new Event('change'));
  const at = e => [e.getAttribute('cx'), e.getAttribute('cy')].join();
  const rings = new Set([...document.querySelectorAll('[data-figure=plane] circle.front-line')].map(at));
  return [...document.querySelectorAll('[data-figure=plane] .mark')]
    .filter(e => rings.has(e.getAttribute('transform').slice(10, -1))).map(e => e.ariaLabel.split(/[,:] /)[0]);
})()"""


def test_rings_are_the_front_of_the_form(opened, biasvar, tmp_path):
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
    runs = first(biasvar("decompose", tmp_path / "m.csv", "--quiet", "-f", "json"))["runs"]
    page.click(".front")
    for form, var in (("score", "var"), ("gap", "var_gap")):
        pairs = {row["run"]: (row["bias2"], row[var]) for row in runs}
        front = {
            run
            for run, pair in pairs.items()
            if not any(other[0] <= pair[0] and other[1] <= pair[1] and other != pair for other in pairs.values())
        }
        assert set(page.run(_RINGS % form)) == front
        assert set(_shown_runs(page)) == front


def test_the_plane_has_the_runs_of_systems(opened, made):
    words = (*SAMPLE, "-m", "AP", "--replicates", "(comb|nrr)-.*")
    data, page = made(*words)[1], opened(*words)
    count = "document.querySelectorAll('[data-figure=plane] {}.replicate').length"
    for mark in ("circle", "line"):
        assert page.run(count.format(mark)) == len(data["panels"][0]["replicates"])
    assert "Small points: the runs of each system" in page.run(
        "document.querySelector('[data-figure=plane] figcaption').textContent"
    )


def test_at_400_pixels_every_query_has_its_label(opened, tmp_path):
    texts = "[...document.querySelectorAll('[data-figure={}] text')].map(e => e.textContent)"
    ids = texts + ".filter(e => /^9\\d\\d$/.test(e))"
    for many, scrolls in ((30, False), (70, True)):
        rows = [f"{query},{query % 7 / 7},{query % 5 / 5}" for query in range(900, 900 + many)]
        (tmp_path / "m.csv").write_text("\n".join(["AP,a,b", *rows]) + "\n")
        page = opened(tmp_path / "m.csv", "--quiet", "--no-null", width=400)
        assert page.run("document.documentElement.scrollWidth") <= 400
        for figure in ("profile", "gap", "heat"):
            assert len(page.run(ids.format(figure))) == many, figure
            canvas = f"document.querySelector('[data-figure={figure}] .canvas')"
            wide = f"[{canvas}.scrollWidth > {canvas}.clientWidth, {canvas}.tabIndex === 0]"
            assert page.run(wide) == [scrolls, scrolls], figure


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


def test_long_names_are_whole_and_do_not_widen_the_page(opened, tmp_path):
    names = ["a" * 180, *(f"covidex.round1.doc2query.{end}" for end in ("t5.rerank.first", "t5.rerank.second"))]
    rows = [f"q{q},{q / 10},{(q * 3 % 7) / 10},{(q * 5 % 7) / 10}" for q in range(1, 7)]
    (tmp_path / "m.csv").write_text("\n".join([",".join(["AP", *names]), *rows]) + "\n")
    for width in (1280, 390):
        page = opened(tmp_path / "m.csv", "--baseline", names[0], "--quiet", "--no-null", width=width)
        assert page.run("document.documentElement.scrollWidth") <= width
        assert {*names[1:]} <= set(_texts(page, "[data-figure=heat] .names text"))
        assert page.run(
            "(() => { const [box, ...names] = [...document.querySelectorAll('.names, .names text')]"
            ".map(e => e.getBoundingClientRect()); "
            "return names.every(e => e.left >= box.left && e.right <= box.right) })()"
        )


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


_PLACES = """(() => {
  const boxes = selector => [...document.querySelectorAll(selector)].map(e => e.getBoundingClientRect());
  const meet = (a, b, by) =>
    a.left < b.right - by && b.left < a.right - by && a.top < b.bottom - by && b.top < a.bottom - by;
  const marks = boxes('[data-figure=plane] .mark'), [frame] = boxes('[data-figure=ranked] .axis');
  const tags = boxes('[data-figure=plane] .level-tag'), signs = boxes('[data-figure=ranked] .least');
  const ends = boxes('.pair > figure > .canvas').map(e => e.bottom);
  return {
    tags: tags.length, covered: tags.filter(tag => marks.some(mark => meet(tag, mark, 2))).length,
    out: signs.filter(e => e.left < frame.left || e.right > frame.right || e.top < frame.top).length, ends,
    outline: boxes('[data-figure=ranked] .run .outline')[0].top - frame.top,
  };
})()"""


def test_a_page_of_143_runs_is_small_and_its_texts_cover_nothing(opened, covid_scores, tmp_path):
    for width in (1280, 400):
        page = opened(covid_scores, "--quiet", "--no-null", width=width)
        assert (tmp_path / "page.html").stat().st_size < 450_000
        assert len(_shown_runs(page)) == 143
        places = page.run(_PLACES)
        assert places["tags"] >= 3
        assert (places["covered"], places["out"]) == (0, 0)
        assert places["outline"] > 50, "the frame of the chosen run is that of its bar alone, below the signs"
        if width == 1280:
            assert abs(places["ends"][0] - places["ends"][1]) < 2
        tags = _texts(page, "[data-figure=plane] .level-tag")
        assert all(re.fullmatch(r"total \d\.\d+", tag) for tag in tags)  # told from the ticks of the axes
    page.run("document.querySelectorAll('#t0 .pick')[77].click()")
    assert page.run("document.querySelectorAll('[data-figure=plane] .mark').length") == 143


# ---- the address


def test_a_view_can_be_sent_and_reloaded(opened):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--no-null")
    assert page.run("location.hash") == ""
    page.click("#tab-t1")
    _choose(page, "#run", "2")
    _choose(page, "#second", "3")
    page.click('[data-sheet="t1-runs"] [data-sort="mean"]')
    _choose(page, "#t1 .form", "gap")
    _choose(page, "#t1 .order", "id")
    _choose(page, "#t1 .filter", "mean>0.3 r")
    seen, address = page.run(_VIEW), page.run("location.href")
    assert (seen["measure"], seen["run"], seen["second"]) == ("nDCG@10, target best", "orig", "rm")
    assert seen["sort"][1] == "descending"
    page.call("Page.navigate", url="about:blank")
    page.visit(address)
    assert page.run(_VIEW) == seen
    assert page.run("document.querySelector('#absent').textContent") == ""


def test_back_and_forward_go_from_view_to_view(opened):
    page = opened(*FOUR, "--no-null")
    page.run("const clock = performance.now.bind(performance); let ahead = 0; performance.now = () => clock() + ahead")
    seen = [page.run(_VIEW)]
    for run in ("0", "1"):
        page.run("ahead += 1100")  # a change that comes sooner than a second after another is no step
        _choose(page, "#run", run)
        seen.append(page.run(_VIEW))
    assert len({view["run"] for view in seen}) == 3
    for step, place in (("back", 1), ("back", 0), ("forward", 1), ("forward", 2)):
        page.run(
            "new Promise(done => { addEventListener('popstate', () => setTimeout(done), {once: true}); "
            f"history.{step}() }})"
        )
        assert page.run(_VIEW) == seen[place], (step, place)


def test_arrow_keys_are_no_steps_of_their_own(opened):
    page = opened(*FOUR, "--no-null")
    page.run("document.querySelector('canvas').focus()")
    before = page.run("history.length")
    for _ in range(7):
        page.press("ArrowDown", 40)
    page.run("new Promise(done => setTimeout(done, 50))")
    assert page.run("history.length") <= before + 2
    assert "run=" in page.run("location.hash")


def test_what_is_not_in_the_page_is_said(opened):
    page = opened(*FOUR, "--no-null")
    first = page.run(_VIEW)
    page.run(
        "new Promise(done => { addEventListener('hashchange', () => setTimeout(done), {once: true}); "
        "location.hash = 'run=no+such+run&sort=cost&against=rm' })"
    )
    assert page.run("document.querySelector('#absent').textContent") == "Not in this page: no such run, cost"
    assert page.run(_VIEW) == {**first, "second": "rm"}


def test_hostile_names_survive_the_address(opened, tmp_path):
    names = ["a&b=c", "per cent % of", "</script><b>", "naïve ρ 検索", "x#y?z", "+1"]
    rows = [f"{query}," + ",".join(str((query * run) % 7 / 7) for run in range(1, 7)) for query in range(1, 13)]
    header = ",".join(["AP", *(f'"{name}"' for name in names)])
    (tmp_path / "m.csv").write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    page = opened(tmp_path / "m.csv", "--quiet", "--no-null")
    for place in range(len(names)):
        _choose(page, "#run", str(place))
        page.run("dispatchEvent(new PopStateEvent('popstate'))")
        assert page.run("document.querySelector('#run').value") == str(place)
        assert page.run("document.querySelector('#absent').textContent") == ""


# ---- for everybody


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
    found = opened(*SAMPLE, *FAMILIES, "--baseline", "rm", "--no-null").run(_NAMES)
    assert found["unnamed"] == []
    assert (found["figures"], found["doubled"]) == (0, 0)
    assert sorted(set(found["stops"])) == [0, 1]


def test_without_scripts_tables_and_figures_that_do_not_change_can_be_seen(browser, made, tmp_path):
    made(*FOUR, "-m", "AP", "-m", "nDCG@10", "--no-null")
    with browser.without_scripts(tmp_path / "page.html"):
        root = browser.call("DOM.getDocument")["root"]["nodeId"]

        def height(selector):
            node = browser.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
            return browser.call("DOM.getBoxModel", nodeId=node)["model"]["height"]

        tables = [f"[data-sheet=t{number}-runs] table" for number in (0, 1)]
        for selector in (*tables, "[data-figure=tradeoff] svg", "[data-figure=rarefied] svg"):
            assert height(selector) > 100
        with pytest.raises(RuntimeError, match="box model"):
            height(".command")


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


@pytest.mark.parametrize(
    "arguments",
    [
        (*FOUR, "--target", "mean:0.5", "--no-null"),
        (*FOUR, "--target", "run:rm", "--target", "perfect", "--no-null"),
        (*FOUR, "--target", "best:0.5", "--log", "floor", "--difficulty", "mean", "--no-null"),
        (*TWO, "--pool", "sample_runs/rel-fb.gz"),
        (*TWO, "--topics", "{folder}/topics"),
    ],
    ids=["mean", "several targets", "log", "two runs and a pool", "one topic"],
)
def test_other_requests_open_without_complaint(opened, tmp_path, arguments):
    (tmp_path / "topics").write_text("5\n")
    page = opened(*(each.format(folder=tmp_path) for each in arguments))
    page.click('[data-sheet="t0-runs"] tbody tr:nth-child(2) .pick', shift=True)
    assert "better on" in _text(page, ".chosen .summary")
    for form in page.run("[...document.querySelector('.form').options].map(each => each.value)"):
        _choose(page, ".form", form)
