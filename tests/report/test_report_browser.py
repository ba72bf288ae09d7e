"""The page of ``biasvar report`` in Chromium, alone: runs are chosen, tables sorted and filtered, views sent, paper."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import FOUR, SAMPLE, only, write_scores
from page.browser import choose, texts_of

from biasvar_cli.analyses.decompose import TABLES
from biasvar_cli.tables.column import meanings
from biasvar_cli.tables.rounding import number
from report.pages import HOSTILE, hostile

__all__ = ["hostile"]  # a fixture
pytestmark = pytest.mark.usefixtures("in_the_checkout")
FAMILIES = ("--families", "(comb|nrr)-(.*)")
TWO = ("sample_runs/rm.gz", "sample_runs/orig.gz", *SAMPLE[1:])


def _text(page, selector):
    return page.run(f"document.querySelector({json.dumps(selector)}).textContent")


def _chosen(page, *ids):
    """What is chosen in lists, by their ids."""
    return [page.run(f"document.querySelector('#{name}').selectedOptions[0].textContent") for name in ids]


def _with_first(page):
    """The page with the first run of its table chosen, the one with the least total."""
    page.click('[data-sheet="t0-runs"] tbody .pick')
    return page


def _width(page):
    return page.run("document.documentElement.scrollWidth")


def _count(page, selector):
    return page.run(f"document.querySelectorAll({json.dumps(selector)}).length")


def _shown_runs(browser):
    runs = "[...document.querySelectorAll('[data-sheet=t0-runs] .pick')]"
    return browser.run(f"{runs}.filter(e => e.offsetParent).map(e => e.textContent)")


def _copied(page, selector):
    """What a button copies."""
    listener = "document.addEventListener('copied', event => done(event.detail), {once: true})"
    return page.run(f"new Promise(done => {{ {listener}; document.querySelector({json.dumps(selector)}).click(); }})")


def _table(page, form, sheet="t0-runs"):
    """A table as it is copied in a format."""
    return _copied(page, f'[data-sheet="{sheet}"] [data-copy="{form}"]')


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
def many_runs(tmp_path_factory):
    """Scores of so many runs that their tables take several sheets of paper."""
    values = np.outer(np.arange(2, 77), np.arange(1, 7)) % 83 / 83
    return write_scores(tmp_path_factory.mktemp("many") / "scores.csv", values, [f"run{run:02}" for run in range(75)])


def _printed(page, tmp_path):
    """The pages as they print, as text."""
    if shutil.which("pdftotext") is None:
        pytest.skip("pdftotext (poppler-utils) is not installed")
    (tmp_path / "page.pdf").write_bytes(page.pdf())
    done = subprocess.run(["pdftotext", "-layout", tmp_path / "page.pdf", "-"], capture_output=True, check=True)
    return done.stdout.decode().split("\f")


# ---- tables

OWN = "[data-sheet=t0-own] tbody tr > :nth-child({})"  # a column of the table of queries


def test_sorting_goes_both_ways_the_best_first(opened, biasvar):
    page = opened(*SAMPLE)
    rows = only(biasvar("decompose", *SAMPLE, "--stability", "-f", "json"))["runs"]
    ordered = {name: [row["run"] for row in sorted(rows, key=lambda row: row[name])] for name in ("mean", "total")}
    head = '[data-sheet="t0-runs"] [data-sort="{}"]'
    pressed = ".sorts [aria-pressed=true]"
    for order, runs, by in (("descending", ordered["mean"][::-1], ["mean"]), ("ascending", ordered["mean"], [])):
        page.click(head.format("mean"))
        assert texts_of(page, f"[data-sheet=t0-runs] [aria-sort={order}]") == ["mean"]
        assert (_shown_runs(page), texts_of(page, pressed)) == (runs, by)
    for by, best in (("total", ordered["total"]), ("mean", ordered["mean"][::-1])):  # the switch on the first screen
        page.click(f'.sorts [data-by="{by}"]')
        assert (_shown_runs(page), texts_of(page, pressed)) == (best, [by])
    for column, best in {"bias2": min, "stability": min, "total_gap": min}.items():
        for index in (0, -1):
            page.click(head.format(column))
            assert _shown_runs(page)[index] == best(rows, key=lambda row, name=column: row[name])["run"]
    page.click(head.format("run"))
    assert _shown_runs(page) == sorted(ordered["mean"])


def test_filters_narrow_the_table_and_dim_the_figures(opened, biasvar, tmp_path):
    page = opened(*SAMPLE, "--no-null")
    rows = only(biasvar("decompose", *SAMPLE, "--pareto", "-f", "json"))["runs"]
    count = '[data-sheet="t0-runs"] .count'
    why = "conditions are on numbers, such as mean>0.3"
    filters = {"Mean > 0.5": "Mean>0.5", "foo>0.3": "there is no column foo"}
    for typed, said in (filters | {wrong: f"{wrong}: {why}" for wrong in ("mean>0,3", "run=rm")}).items():
        choose(page, ".filter", typed)
        assert _text(page, count) == f"0 of 22 rows: {said}"
    for typed in ('"rm"', '-nrr -comb -rel !"orig"'):
        choose(page, ".filter", typed)
        assert _shown_runs(page) == ["rm"]
    choose(page, ".filter", "comb mean>0.34")
    wanted = {row["run"] for row in rows if "comb" in row["run"] and row["mean"] > 0.34}
    assert set(_shown_runs(page)) == wanted
    assert _text(page, count) == f"{len(wanted)} of 22 rows: comb mean>0.34"
    assert _count(page, "[data-figure=plane] [role=button]:not(.dim)") == len(wanted)
    assert _text(page, count) in "".join(_printed(page, tmp_path))
    choose(page, ".filter", "")
    page.click(".front")
    assert set(_shown_runs(page)) == {row["run"] for row in rows if row["pareto"]}
    assert _text(page, count).endswith("of 22 rows: Pareto front of bias² and var")
    choose(page, ".form", "gap")
    assert _text(page, count).endswith("of 22 rows: Pareto front of bias² and var_gap")
    assert page.run("document.querySelector('.front').parentElement.textContent").endswith("of bias² and var_gap")
    assert _table(page, "markdown").partition("\n")[0].endswith("bias² and var\\_gap**")


def test_the_words_of_a_column_are_shown_to_pointer_keyboard_and_reader(opened):
    page = opened(*FOUR, "--no-null")
    words = meanings(TABLES["runs"])["bias"]
    assert page.run("document.querySelector('[data-sheet=t0-runs] [data-sort=bias]').ariaDescription") == words
    page.run("document.querySelector('[data-sheet=t0-runs] [data-sort=total]').focus()")
    page.press("Tab", 9)
    assert page.run("document.activeElement.dataset.sort") == "bias"
    assert texts_of(page, "#tip:not([hidden])") == [words]
    page.press("Tab", 9)
    assert _text(page, "#tip") != words
    heads = "[...document.querySelectorAll('[data-sheet=t0-own] [data-sort]')]"  # which the script makes
    meanings_here = page.run(f"{heads}.map(e => e.ariaDescription)")
    assert meanings_here[0] == "the query"
    assert all(meanings_here)


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
    choose(page, ".filter", "rm")
    page.run(later)
    assert page.run(said) == ""
    assert page.run(shades) == [False, False]


@pytest.mark.long
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
    assert _width(page) <= 390
    sheets = _printed(page, tmp_path)
    whole = "".join(sheets)
    assert re.findall(r"^AP, target (best|perfect)$", whole, re.MULTILINE) == ["best", "perfect"]
    rows = [sheet for sheet in sheets if re.search(r"^ *\S+( +-?\d\.\d{4}){7} +\d+", sheet, re.MULTILINE)]
    assert len(rows) > 2
    assert all(re.search(r"run +mean +total ▲ +bias +bias² +var", sheet) for sheet in rows)
    assert "lick" not in whole
    assert "with Shift" not in whole
    assert page.run("[...document.querySelectorAll('[role=tabpanel]')].filter(e => e.offsetParent).length") == 1


def test_copies_are_the_tables(opened, biasvar):
    page = opened(*SAMPLE)
    arguments = ("decompose", *SAMPLE, "--rank", "--pareto", "--stability", "--sort", "total", "--form", "both")
    texts = _table(page, "csv"), biasvar(*arguments, "-f", "csv").out
    copied, printed = (pd.read_csv(io.StringIO(text)) for text in texts)
    pd.testing.assert_frame_equal(copied, printed, rtol=1e-15)

    def cells(text, sign):
        """The cells of each column, by its head, in the order of the heads."""
        lines = re.sub(r"\\textbf\{(.*?(?:\{\}.*?)?)\}", r"\1", text).splitlines()
        lines = [line.strip("| \\") for line in lines if sign in line and "--" not in line]
        rows = [re.split(rf" *{re.escape(sign)} *", line) for line in lines]
        return sorted(zip(*[row for row in rows if len(row) == len(rows[0])], strict=True))

    for form, sign in (("LaTeX", "&"), ("markdown", "|")):
        columns = cells(_table(page, form), sign)
        wanted = cells(biasvar(*arguments, "-f", form.lower()).out, sign)
        assert columns == [column[: len(columns[0])] for column in wanted]  # the small tables come after it
    page.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")  # then the text is shown
    assert _table(page, "markdown").startswith("**AP of 22 runs")
    page.run("new Promise(done => setTimeout(done, 20))")
    assert page.run("document.querySelector('#clip').open")
    assert page.run("document.querySelector('#clip textarea').value").startswith("**AP of 22 runs")


def test_the_columns_against_a_run_say_which(opened):
    page = opened(*FOUR, "--baseline", "rm", "--no-null")
    choose(page, "#second", 0)
    assert "always compare with rm, even if you choose another run above" in _text(page, ".against")
    assert "; d\\_, ratio\\_: against rm**\n" in _table(page, "markdown")
    assert re.match("% .*; d_, ratio_: against rm\n", _table(page, "LaTeX"))


def test_the_table_of_queries_stays_sorted(opened):
    page = opened(*FOUR, "--no-null")
    for descending in (True, False):
        page.run("document.querySelector('[data-sheet=t0-own] [data-sort=score]').click()")
        for run in (1, 3):
            choose(page, "#run", run)
            scores = texts_of(page, OWN.format(4))
            assert scores == sorted(scores, key=float, reverse=descending)
    choose(page, ".order", "id")
    assert texts_of(page, OWN.format(1)) == sorted(texts_of(page, OWN.format(1)), key=int)


def test_numbers_that_the_page_rounds_are_those_of_the_tables(opened, tmp_path):
    """Ties such as 1/32 at four decimals go to the even digit, as in Python."""
    values = [1 / 32, 3 / 32, 5 / 32, 0.00005, 0.12345, 1 / 3, 2 / 3, 0.99995, 0.5, 1.0, 0.0, 7 / 32]
    scores = write_scores(tmp_path / "m.csv", [values, np.subtract(1, values)], measure="RR")
    page = opened(scores, "--target", "run:r0", "--quiet", "--no-null")
    choose(page, "#run", 0)
    cells = zip(texts_of(page, OWN.format(1)), texts_of(page, OWN.format(4)), strict=True)
    assert dict(cells) == {f"q{q}": number(value, 4) for q, value in enumerate(values)}


# ---- chosen runs


_LINKED = """(() => {
  const text = selector => document.querySelector(selector).textContent;
  const labels = figure => [...document.querySelectorAll(`[data-figure=${figure}] [aria-pressed=true]`)]
    .map(e => e.ariaLabel.split(/[,:] /)[0]);
  return {
    select: document.querySelector('#run').selectedOptions[0].textContent, heading: text('.chosen .name'),
    row: [...document.querySelectorAll('[data-sheet=t0-runs] tr.run .pick')].map(e => e.textContent),
    plane: labels('plane'), ranked: labels('ranked'), tag: text('[data-figure=plane] .broad text.run'),
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
    page = _with_first(opened(*SAMPLE, "--baseline", "rm", "--no-null"))
    comparisons = only(biasvar("compare", *SAMPLE, "--test", "stepdown", "-f", "json"))["runs"]
    assert page.run(_LINKED) == _linked("rel-fb")
    page.click('[data-sheet="t0-runs"] tbody tr:nth-child(4) .pick')
    assert page.run(_LINKED) == _linked("nrr-0.8")
    page.click('[data-figure="plane"] [aria-label^="orig:"]')
    assert page.run(_LINKED) == _linked("orig")
    page.run("document.querySelector('[data-figure=ranked] [tabindex=\"0\"]').focus()")
    page.press("ArrowLeft", 37)
    page.press("Enter", 13)
    assert page.run(_LINKED) == _linked("comb-0.1")
    choose(page, "#run", 21)
    assert page.run(_LINKED)["select"] == page.run(_LINKED)["heading"] == "rm"
    for name in ("risk", "suppliers", "compare"):
        page.click(f'[data-sheet="t0-{name}"] tbody tr:nth-child(3) .pick')
        assert page.run(_LINKED) == _linked(_text(page, f'[data-sheet="t0-{name}"] tbody tr:nth-child(3) .pick'))
    page.click('[data-figure="heat"] canvas')
    chosen = page.run(_LINKED)
    assert chosen == _linked(chosen["select"])
    named = "[...document.querySelectorAll('[data-figure=%s] [role=button]')].map(e => e.ariaLabel.split(': ')[0])"
    by_mean = [row["run"] for row in sorted(comparisons, key=lambda row: (-row["mean"], row["run"]))]
    assert page.run(named % "compare") == by_mean
    page.click('[data-figure="compare"] [aria-label^="orig:"]')
    assert page.run(_LINKED) == _linked("orig")


def test_my_run_has_the_profile_of_profile(opened, biasvar):
    """Its table has the numbers of `profile`, its sentences those of `profile` and `compare`."""
    page = opened(*SAMPLE)
    comparisons = {row["run"]: row for row in only(biasvar("compare", *SAMPLE, "-f", "json"))["runs"]}
    names = texts_of(page, "#run option")[1:]
    for run in ("rm", "nrr-0.9", "rel-fb"):
        choose(page, "#run", names.index(run))
        wanted = only(biasvar("profile", run, *SAMPLE, "-f", "json"))
        numbers = ["value", "rank", "best", "median"]
        copied = pd.read_csv(io.StringIO(_table(page, "csv", "t0-quantities")), index_col="quantity")
        copied = copied.rename(index={"bias²": "bias2"})
        assert list(copied.index) == ["mean", "bias2", "var", "total", "var_gap", "total_gap"]
        quantities = pd.DataFrame(wanted["quantities"]).set_index("quantity").drop("bias")
        pd.testing.assert_frame_equal(copied.loc[quantities.index, numbers], quantities[numbers], check_dtype=False)
        mean, rank = quantities.value["mean"], quantities["rank"]
        assert _text(page, "#rank-of-run") == f"rank {rank['mean']} by mean, {rank['total']} by total"
        better, worse = comparisons[run]["better"], comparisons[run]["worse"]
        words = texts_of(page, ".chosen .summary p")
        assert words[0].startswith(f"Mean {number(mean, 4)}, rank {rank['mean']} by mean")
        assert words[1].startswith(f"Significantly better than {better} of the other 21 runs, worse than {worse}.")
        assert words[3].startswith("It reaches the target on ")
        assert words[2] in " ".join(biasvar("profile", run, *SAMPLE).out.split())


def test_the_page_opens_with_the_runs_that_are_named_alone(opened):
    page = opened(*FOUR, "--baseline", "rm", "--no-null")
    assert _chosen(page, "run", "second") == ["no run chosen", "rm"]
    assert _count(page, ".choice[hidden]") == 1
    assert "Choose a run" in _text(page, ".unchosen")
    page = opened(*FOUR, "--highlight", "orig", "--highlight", "rm", "--no-null")
    assert _chosen(page, "run", "second") == ["orig", "rm"]
    assert texts_of(page, ".profile:not([hidden]) h4") == ["Profile of orig"]
    assert len(texts_of(page, ".chosen .summary p")) == 1  # the rest is in the profile
    page.click("#swap")
    assert texts_of(page, ".profile:not([hidden]) h4") == ["Profile of rm"]


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
    found = only(biasvar("compare", *SAMPLE, *options, "--test", "stepdown", "-f", "json"))
    mean, critical = {row["run"]: row["mean"] for row in found["runs"]}, found["critical"]["stepdown"]
    page = opened(*SAMPLE, *options, "--no-null")
    seen = page.run(_APART)
    assert (seen["marked"], seen["signed"]) == ([], [])
    assert seen["words"].startswith("Choose a second run (against), and the runs that differ from it in mean are ")
    names = texts_of(page, "#second option")[1:]
    counts = set()
    for second in ("rm", "nrr-0.3", "rel-fb"):
        choose(page, "#second", names.index(second))
        wanted = sorted(run for run in names if abs(mean[run] - mean[second]) > critical)
        seen = page.run(_APART)
        assert seen["marked"] == seen["signed"] == wanted
        how = "95 % for all 231 pairs of runs together, step-down bootstrap"
        apart = f"≠: the mean differs from that of {second}, by more than {number(critical, 4)} ({how})"
        assert seen["words"] == f"{apart}: {len(wanted)} of 21 others."
        counts.add(len(wanted))
    assert len(counts) > 1
    choose(page, ".filter", "comb")
    assert page.run(_APART)["words"] == seen["words"]  # of all runs, whatever is shown


def test_one_query_is_no_test_of_differences(opened, tmp_path):
    page = opened(write_scores(tmp_path / "one.csv", [[0.1], [0.2], [0.9]]), "--quiet")
    choose(page, "#second", 0)
    why = "not tested: the step-down bootstrap needs at least 6 queries, found 1."
    assert page.run(_APART) == {"words": f"Which differences are significant: {why}", "marked": [], "signed": []}


@pytest.mark.long
def test_the_bar_stays_with_the_chosen_runs_and_the_contents(opened, biasvar):
    page = opened(*FOUR, "-m", "AP", "-m", "P@10", "--no-null", width=390)
    ranks = {}
    for measure in ("AP", "P@10"):
        rows = only(biasvar("decompose", *FOUR, "-m", measure, "--rank", "-f", "json"))["runs"]
        by_mean = sorted(-row["mean"] for row in rows)
        ranks[measure] = {row["run"]: (1 + by_mean.index(-row["mean"]), row["rank"]) for row in rows}
    names = texts_of(page, "#run option")[1:]
    choose(page, "#run", names.index("orig"))
    choose(page, "#second", names.index("comb-0.1"))
    for place, measure in enumerate(("AP", "P@10")):
        page.click(f"#tab-t{place}")
        for name, run in (("run", "orig"), ("second", "comb-0.1")):
            assert _text(page, f"#rank-of-{name}") == "rank {} by mean, {} by total".format(*ranks[measure][run])
    for place in ("0", "document.body.scrollHeight"):
        page.run(f"scrollTo(0, {place}); new Promise(done => requestAnimationFrame(done))")
        bar = page.run("document.querySelector('#bar').getBoundingClientRect().toJSON()")
        assert bar["bottom"] < 400
        assert place == "0" or bar["top"] == 0
    assert _width(page) <= 390
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
    page.click('[data-figure="plane"] [aria-label^="orig:"]')
    scores = {row["run"]: row["scores"] for row in only(biasvar("scores", *SAMPLE, "-f", "json"))["runs"]}
    pairs = list(zip(scores["orig"], scores["rm"], strict=True))
    wins, losses = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    words = f"Against rm: better on {wins}, worse on {losses}, equal on {len(pairs) - wins - losses}"
    assert words in _text(page, ".summary")
    assert _count(page, '[data-figure=second] rect.win:not([height="0"])') == wins
    assert _text(page, "[data-figure=second] .title") == "orig against rm"
    outcomes = texts_of(page, "[data-sheet=t0-own] tbody tr > :last-child")
    assert (outcomes.count("win"), outcomes.count("loss")) == (wins, losses)
    page.click("#swap")
    assert _text(page, "[data-figure=second] .title") == "rm against orig"


def test_the_second_run_stays_while_the_first_one_comes_past_it(opened):
    page = opened(*FOUR, "--baseline", "rm", "--no-null")
    choose(page, ".order", "second")
    page.run("document.querySelector('canvas').focus()")
    seconds, orders = {}, {}
    for _ in range(4):
        page.press("ArrowDown", 40)
        run, seconds[run] = _chosen(page, "run", "second")
        orders[run] = next(text for text in texts_of(page, "[data-figure=profile] svg text") if text[:8] == "Queries,")
    against = "Queries, by difference from the second run"
    runs = {"comb-0.1", "nrr-0.1", "orig"}  # and rm, which is not compared with itself
    assert seconds == dict.fromkeys(runs, "rm") | {"rm": "no second run"}
    assert orders == dict.fromkeys(runs, against) | {"rm": "Queries, hardest first"}
    page.click('[data-figure="plane"] [aria-label^="orig:"]')
    page.click('[data-figure="plane"] [aria-label^="orig:"]', shift=True)
    assert _chosen(page, "run", "second") == ["rm", "orig"]
    choose(page, "#second", "")
    page.click('[data-figure="plane"] [aria-label^="rm:"]', shift=True)
    assert _chosen(page, "run", "second") == ["rm", "no second run"]


def test_tabs_work_with_keys(opened):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--no-null")
    page.click('[data-figure="plane"] [aria-label^="orig:"]')
    page.run("document.querySelector('[role=tab]').focus()")
    page.press("ArrowRight", 39)
    shown = "[...document.querySelectorAll('[role=tabpanel]')].filter(e => e.offsetParent).map(e => e.id)"
    assert page.run(shown) == ["t1"]
    assert page.run("document.activeElement.textContent") == "nDCG@10, target best"
    assert _text(page, "#t1 .chosen .name") == "orig"
    page.press("Home", 36)
    assert page.run(shown) == ["t0"]
    choose(page, ".filter", "comb")  # of its own tab
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert [_count(page, f"#{tab} [data-figure=plane] .dim:not(text)") for tab in ("t0", "t1")] == [3, 0]
    page.run("dispatchEvent(new Event('afterprint'))")


def test_only_what_can_be_chosen_takes_the_focus(opened):
    page = opened(*SAMPLE, *FAMILIES, "--no-null")
    page.run("document.querySelector('[data-figure=tradeoff] svg g:last-of-type').focus()")
    assert page.run("document.activeElement.closest('[data-figure=tradeoff]')") is None
    one, other = _shown_runs(page)[:2]
    assert texts_of(page, '[data-sheet=t0-runs] .pick[tabindex="0"]') == [one]
    page.run("document.querySelector('[data-sheet=t0-runs] .pick[tabindex=\"0\"]').focus()")
    page.press("ArrowDown", 40)
    page.press("Enter", 13)
    assert _chosen(page, "run") == [other]
    page.run("document.querySelector('canvas').focus()")
    page.press("ArrowDown", 40)
    assert _chosen(page, "run") != [other]


# ---- figures


def test_every_figure_copies_the_command_that_draws_it(opened):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--baseline", "rm", "--no-null")
    page.click("#tab-t1")
    for figure in ("heat", "ranked", "compare", "risk", "tradeoff", "rarefaction", "plane"):
        words = _copied(page, f"#t1 [data-figure={figure}] .command")
        assert words.startswith(f"biasvar plot {figure.replace('heat', 'queries')} sample_runs/comb-0.1.gz")
        assert "-m nDCG@10" in words
    assert _count(page, "#t1 [data-figure=plane] .command[data-done]") == 1


def test_figures_are_of_the_form_and_the_coefficient_that_are_chosen(opened):
    page = opened(*FOUR, "--no-null")
    seen = "[...document.querySelectorAll('.drawing')].filter(e => e.offsetParent).map(e => e.dataset.of)"
    assert page.run(seen) == ["", "score", "score", "pearson", ""]
    choose(page, ".form", "gap")
    choose(page, ".coefficient", "kendall")
    assert page.run(seen) == ["", "gap", "gap", "kendall", ""]
    page.click('[data-figure=plane] .drawing:not([hidden]) [aria-label^="orig:"]')
    assert _chosen(page, "run") == ["orig"]


def test_a_filter_by_the_front_has_that_of_the_form(opened, biasvar, tmp_path):
    """By the definition: no other run has as little of both, and less of one; copies of a run are on it together."""
    values = [[0.9, 0.1, 0.3, 0.2], [0.2, 0.2, 0.3, 0.1], [0.3, 0.8, 0.1, 0.6], [0.1] * 4, [0.5, 0.4, 0.3, 0.3]]
    scores = write_scores(tmp_path / "m.csv", [*values, values[0]])
    page = opened(scores, "--quiet", "--no-null")
    runs = only(biasvar("decompose", scores, "--quiet", "-f", "json"))["runs"]
    page.click(".front")

    def beats(one, other):
        return one[0] <= other[0] and one[1] <= other[1] and one != other

    for form, var in (("score", "var"), ("gap", "var_gap")):
        pairs = {row["run"]: (row["bias2"], row[var]) for row in runs}
        choose(page, ".form", form)
        assert set(_shown_runs(page)) == {
            run for run, pair in pairs.items() if not any(beats(other, pair) for other in pairs.values())
        }


@pytest.mark.long
def test_at_400_pixels_every_query_has_its_label(opened, tmp_path):
    for many, scrolls in ((25, False), (70, True)):
        queries = np.arange(900, 900 + many)
        scores = write_scores(tmp_path / "m.csv", [queries % 7 / 7, queries % 5 / 5], queries=map(str, queries))
        page = _with_first(opened(scores, "--quiet", "--no-null", width=400))
        assert _width(page) <= 400
        for figure in ("profile", "gap", "heat"):
            assert set(map(str, queries)) <= set(texts_of(page, f"[data-figure={figure}] text")), figure
            canvas = f"document.querySelector('[data-figure={figure}] .canvas')"
            wide = f"[{canvas}.scrollWidth > {canvas}.clientWidth, {canvas}.tabIndex === 0]"
            assert page.run(wide) == [scrolls, scrolls], figure


FEW = ("--quiet", "--no-null")


def _three(tmp_path, **names):
    """Scores of three runs on six queries."""
    return write_scores(tmp_path / "m.csv", np.outer([1, 3, 5], np.arange(1, 7)) % 7 / 10, **names)


@pytest.mark.long
def test_long_ids_keep_their_ends(opened, tmp_path):
    page = opened(_three(tmp_path, queries=[f"{'q' * 20}{query}" for query in range(1, 7)]), *FEW, width=400)
    _with_first(page)
    for figure in ("profile", "gap", "heat"):
        assert [text for text in texts_of(page, f"[data-figure={figure}] text") if text[0] == "q"][-1] == "qqqq…qqq6"


@pytest.mark.long
def test_long_names_are_whole_and_do_not_widen_the_page(opened, tmp_path):
    names = ["a" * 180, *(f"covidex.round1.doc2query.{end}" for end in ("t5.rerank.first", "t5.rerank.second"))]
    for width in (1280, 390):
        page = opened(_three(tmp_path, runs=names), "--baseline", names[0], *FEW, width=width)
        assert _width(page) <= width
        assert {*names[1:]} <= set(texts_of(page, "[data-figure=heat] .names text"))
        boxes = "[...document.querySelectorAll('.names, .names text')].map(e => e.getBoundingClientRect())"
        box, *texts = page.run(f"{boxes}.map(e => e.toJSON())")
        assert all(box["left"] <= text["left"] <= text["right"] <= box["right"] for text in texts)


def test_the_focus_outlives_a_change_of_width(opened):
    page = opened(*FOUR, "--no-null")
    page.run("document.querySelector('[data-figure=plane] [aria-label^=\"orig:\"]').focus()")
    page.resize(700)
    assert page.run("document.activeElement.ariaLabel").startswith("orig:")
    page.run("document.querySelector('canvas').focus()")
    page.resize(900)
    assert page.run("document.activeElement.tagName") == "CANVAS"


def test_a_page_of_143_runs_is_small_and_its_runs_can_be_chosen(opened, covid_scores, tmp_path):
    for width in (1280, 390):
        page = _with_first(opened(covid_scores, "--quiet", "--no-null", width=width))
        assert (tmp_path / "page.html").stat().st_size < 430_000
        assert (len(_shown_runs(page)), _width(page)) == (143, width)
        assert _count(page, "[data-figure=compare] [role=button]") == 143
        assert _count(page, "[data-figure=ranked] [role=button]") == 143
        page.run("document.querySelectorAll('#t0 .pick')[77].click()")
        (run,) = _chosen(page, "run")
        assert texts_of(page, "[data-figure=ranked] .name-tag, [data-figure=ranked] .run:is(text)") == [run]


# ---- the address


def test_a_view_can_be_sent_and_reloaded(opened):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--no-null")
    assert page.run("location.hash") == ""
    page.click("#tab-t1")
    choose(page, "#run", "2")
    choose(page, "#second", "3")
    page.click('[data-sheet="t1-runs"] [data-sort="mean"]')
    choose(page, "#t1 .form", "gap")
    choose(page, "#t1 .order", "id")
    choose(page, "#t1 .filter", "mean>0.3 r")
    seen, address = page.run(_VIEW), page.run("location.href")
    assert (seen["measure"], seen["run"], seen["second"]) == ("nDCG@10, target best", "orig", "rm")
    assert seen["sort"][1] == "descending"
    page.call("Page.navigate", url="about:blank")
    page.visit(address)
    assert page.run(_VIEW) == seen
    assert _text(page, "#absent") == ""


def _go(page, event, script):
    """Run what changes the address, and wait until the page has seen it."""
    listener = f"addEventListener('{event}', () => setTimeout(done), {{once: true}})"
    page.run(f"new Promise(done => {{ {listener}; {script} }})")


def test_back_and_forward_go_from_view_to_view(opened):
    page = opened(*FOUR, "--no-null")
    page.run("const clock = performance.now.bind(performance); let ahead = 0; performance.now = () => clock() + ahead")
    seen = [page.run(_VIEW)]
    for run in ("0", "1"):
        page.run("ahead += 1100")  # a change that comes sooner than a second after another is no step
        choose(page, "#run", run)
        seen.append(page.run(_VIEW))
    assert len({view["run"] for view in seen}) == 3
    for step, place in (("back", 1), ("back", 0), ("forward", 1), ("forward", 2)):
        _go(page, "popstate", f"history.{step}()")
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


def test_a_section_can_be_sent(opened):
    page = opened(*FOUR, "-m", "AP", "-m", "nDCG@10", "--no-null")
    address = page.run("location.href")
    page.call("Page.navigate", url="about:blank")
    page.visit(f"{address}#t1-target")
    assert (_text(page, "#absent"), page.run("document.activeElement.id")) == ("", "t1-target")
    assert page.run("document.querySelector('[aria-selected=true]').id") == "tab-t1"


_SAVED = """new Promise(done => {
  const made = URL.createObjectURL;
  URL.createObjectURL = (file) => { file.text().then(done); return made(file); };
  HTMLAnchorElement.prototype.click = () => {};
  document.querySelector('%s').click();
})"""


def test_figures_and_tables_can_be_saved(opened):
    page = _with_first(opened(*FOUR, "--no-null"))
    for figure in ("plane", "profile"):
        saved = page.run(_SAVED % f"[data-figure={figure}] [data-save]")
        assert re.match('<svg [^>]*xmlns="http://www.w3.org/2000/svg"', saved)
        assert "rgb(" in saved
        assert not re.search(r"var\(|class=|data-run", saved)
    assert page.run(_SAVED % "[data-sheet=t0-runs] [data-save]") == _table(page, "csv")


def test_the_heat_map_has_a_scale_and_says_the_cell_of_the_keys(opened):
    page = opened(*FOUR, "--no-null")
    assert len(texts_of(page, "[data-figure=heat] .legend li")) == 5
    page.run("document.querySelector('canvas').focus()")
    page.press("ArrowRight", 39)
    page.press("ArrowDown", 40)
    run, (name, numbers) = _chosen(page, "run")[0], _text(page, "#tip").split("\n")
    assert name.startswith(f"{run} on ")
    assert re.fullmatch(r"score \d.\d{4}, target \d.\d{4}, gap \S+", numbers)
    assert _text(page, "#said") == _text(page, "#tip")


_MISNAMED = """[...document.querySelectorAll('[aria-label]')].filter(e => {
  const words = e.textContent.replace(/[^\\p{L}\\p{N}]+/gu, ' ').trim().toLowerCase();
  const name = e.ariaLabel.replace(/[^\\p{L}\\p{N}]+/gu, ' ').toLowerCase();
  return e.matches('button, a, [role=button]') && words && !name.includes(words);
}).map(e => e.outerHTML)"""


def test_names_of_buttons_have_the_words_that_are_seen(opened):
    """As axe-core's rule label-content-name-mismatch (WCAG 2.5.3) asks."""
    assert opened(*FOUR, "--baseline", "rm", "--no-null").run(_MISNAMED) == []


def test_what_is_not_in_the_page_is_said(opened):
    page = opened(*FOUR, "--no-null")
    first = page.run(_VIEW)
    _go(page, "hashchange", "location.hash = 'run=no+such+run&sort=cost&against=rm'")
    assert _text(page, "#absent") == "Not in this page: no such run, cost"
    assert page.run(_VIEW) == {**first, "second": "rm"}


@pytest.mark.long
def test_hostile_names_survive_the_address(opened, tmp_path):
    names = ["a&b=c", "per cent % of", "</script><b>", "naïve ρ 検索", "x#y?z", "+1"]
    values = np.outer(np.arange(1, 7), np.arange(1, 13)) % 7 / 7
    page = opened(write_scores(tmp_path / "m.csv", values, names), *FEW)
    for place in range(len(names)):
        choose(page, "#run", str(place))
        page.run("dispatchEvent(new PopStateEvent('popstate'))")
        assert page.run("document.querySelector('#run').value") == str(place)
        assert _text(page, "#absent") == ""


# ---- for everybody


@pytest.fixture
def axe():
    """The program axe, as text."""
    package = pytest.importorskip("axe_playwright_python", reason="axe is in the package axe-playwright-python")
    return (Path(package.__file__).parent / "axe.min.js").read_text("utf-8")


@pytest.mark.long
def test_nothing_serious_for_axe(axe, opened, tmp_path):
    """Both widths and both themes, each once: no rule of the style has a colour for a width or a width for a theme.

    axe takes a millisecond for each cell, so there are few; tables are as long as is needed to scroll.
    """
    (tmp_path / "topics").write_text("".join(f"{query}\n" for query in range(1, 22)))
    runs = [f"sample_runs/{run}.gz" for run in ("comb-0.1", "comb-0.2", "nrr-0.1", "nrr-0.2", "orig", "rel-fb", "rm")]
    options = ("-m", "AP", "-m", "nDCG@10", "--baseline", "rm", *FAMILIES, "--null-samples", 100)
    page = opened(*runs, *SAMPLE[1:], *options, "--topics", tmp_path / "topics")
    _with_first(page).run("document.querySelectorAll('details').forEach(each => { each.open = true })")
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
        assert _width(page) <= width
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
    browser.resize(1280)
    with browser.without_scripts(tmp_path / "page.html"):
        root = browser.call("DOM.getDocument")["root"]["nodeId"]

        def height(selector):
            node = browser.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
            return browser.call("DOM.getBoxModel", nodeId=node)["model"]["height"]

        tables = [f"[data-sheet=t{number}-runs] table" for number in (0, 1)]
        for selector in (*tables, "[data-figure=tradeoff] .picture", "[data-figure=plane] .broad"):
            assert height(selector) > 100
        with pytest.raises(RuntimeError, match="box model"):
            height(".command")


def test_hostile_names_are_text_everywhere(opened, hostile):
    page = opened(hostile, "--baseline", HOSTILE[0])
    assert sorted(_shown_runs(page)) == sorted(HOSTILE)
    for place in range(len(HOSTILE)):
        page.click(f'[data-sheet="t0-runs"] tbody tr:nth-child({place + 1}) .pick')
        assert _text(page, ".chosen .name") in HOSTILE
        assert _count(page, "img, iframe, script") == 2
    names = pd.read_csv(io.StringIO(_table(page, "csv"))).run
    assert sorted(names) == sorted(f"'{name}" if name[0] in "=+-@" else name for name in HOSTILE)
    latex = _table(page, "LaTeX")
    assert "+1 \\& \\{a\\_b\\}\\%\\$\\#\\textasciitilde{}\\textasciicircum{}\\textbackslash{}" in latex
    assert "\\textless{}script\\textgreater{}alert(1)\\textless{}/script\\textgreater{}" in latex
    markdown = _table(page, "markdown")
    assert "\\<script\\>alert(1)\\</script\\>" in markdown
    assert "\\|\\*\\`\\[x\\]" in markdown


@pytest.mark.long
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
    page = _with_first(opened(*(each.format(folder=tmp_path) for each in arguments)))
    page.click('[data-sheet="t0-runs"] tbody tr:nth-child(2) .pick', shift=True)
    assert "better on" in _text(page, ".chosen .summary")
    for form in page.run("[...document.querySelector('.form').options].map(each => each.value)"):
        choose(page, ".form", form)
