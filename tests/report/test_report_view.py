"""``biasvar report`` as it is read: the verdict first, columns that explain themselves, views that can be sent."""

from __future__ import annotations

import html
import json
import re
import tomllib
from pathlib import Path

import pytest
from conftest import FOUR, SAMPLE

from biasvar_cli.analyses.decompose.columns import TABLES
from biasvar_cli.tables.column import meanings

pytestmark = pytest.mark.usefixtures("in_the_checkout")
FAMILIES = ("--families", "(comb|nrr)-(.*)")


def _choose(page, selector, value):
    page.run(
        f"(() => {{ const s = document.querySelector({json.dumps(selector)}); s.value = {json.dumps(value)}; "
        "s.dispatchEvent(new Event('change', {bubbles: true})); s.dispatchEvent(new Event('input')); })()"
    )
    page.run("new Promise(done => setTimeout(done, 20))")


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


# ---- what stands first -----------------------------------------------------------------------------------------------


def test_the_verdict_is_before_paths_topics_and_warnings(made):
    text, _ = made(*SAMPLE, "-m", "P@10", "--target", "perfect", "--no-null")
    body = text.partition("<body>")[2]
    places = [
        body.index(words) for words in ('class="lead"', "1 warning</summary>", "<h3>Runs</h3>", "<dt>Topics</dt>")
    ]
    assert places == sorted(places)
    assert body.index("qrels/npl.qrels.txt") > places[2]


def test_warnings_and_notices_are_apart(made):
    text, _ = made(*SAMPLE, "-m", "P@10", "--target", "perfect", "--no-null")
    (warned,) = re.findall(r'<ul class="warning">(.*?)</ul>', text, re.DOTALL)
    assert "22 runs have tied retrieval scores" not in warned
    assert html.unescape(warned).count("<li>") == 1
    (noticed,) = re.findall(r"<strong>Notices</strong>.*?</ul>", text, re.DOTALL)
    assert "22 runs have tied retrieval scores" in noticed
    assert "What was evaluated: 1 warning, 1 notice</button>" in text
    assert "1 warning" not in made(*SAMPLE, "--no-null")[0]


def test_the_button_leads_to_what_was_evaluated(opened):
    page = opened(*FOUR, "--no-null")
    page.run("document.querySelector('#about').open = false")
    page.click("#to-about")
    assert page.run("document.querySelector('#about').open")
    assert page.run("document.activeElement.id") == "about-title"
    assert 0 <= page.run("document.querySelector('#about').getBoundingClientRect().y") < 900


# ---- columns ---------------------------------------------------------------------------------------------------------


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


def test_every_column_says_what_it_means(made, shelf):
    text, _ = made(*SAMPLE, *FAMILIES, "--baseline", "rm", "--manifest", shelf, "--null-samples", 100)
    heads = re.findall(r"<button [^>]*data-sort=[^>]*>", text)
    assert len(heads) > 60
    assert [head for head in heads if ' title="' not in head] == []
    listed = text.partition("<summary>Words and columns</summary>")[2].partition("</dl>")[0]
    for words in ("bias squared", "reward - (1 + 1) risk", "on how many queries no other run reaches it"):
        assert f"<dd>{words}</dd>" in listed


def test_the_words_of_a_column_are_shown_to_pointer_keyboard_and_reader(opened):
    page = opened(*FOUR, "--no-null")
    head = "document.querySelector('[data-sheet=t0-runs] [data-sort=var_gap]')"
    words = meanings(TABLES["runs"])["var_gap"]
    assert page.run(f"{head}.getAttribute('aria-description')") == words
    page.run("document.querySelector('[data-sheet=t0-runs] [data-sort=total]').focus()")
    page.press("Tab", 9)
    assert page.run("document.activeElement.dataset.sort") == "var_gap"
    assert page.run("document.querySelector('#tip').textContent") == words
    assert page.run("document.querySelector('#tip').hidden") is False
    page.press("Tab", 9)
    assert page.run("document.querySelector('#tip').textContent") != words
    made_here = "[...document.querySelectorAll('[data-sheet=t0-own] [data-sort]')].map(e => e.ariaDescription)"
    assert page.run(made_here)[0] == "the query"
    assert all(page.run(made_here))


def test_a_first_click_puts_the_best_first(opened, biasvar):
    rows = json.loads(biasvar("decompose", *SAMPLE, "--stability", "-f", "json").out)["results"][0]["runs"]
    page = opened(*SAMPLE)
    for column, best in {"mean": max, "bias2": min, "stability": min, "total_gap": min}.items():
        for place in (0, -1):
            page.click(f'[data-sheet="t0-runs"] [data-sort="{column}"]')
            assert page.run(_VIEW)["rows"][place] == best(rows, key=lambda row, name=column: row[name])["run"]


# ---- a table that does not fit ---------------------------------------------------------------------------------------


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


def test_at_400_pixels_every_query_has_its_label(opened, tmp_path):
    texts = "[...document.querySelectorAll('[data-figure={}] text')].map(e => e.textContent)"
    ids = texts + ".filter(e => /^9\\d\\d$/.test(e))"
    for number, scrolls in ((30, False), (70, True)):
        rows = [f"{query},{query % 7 / 7},{query % 5 / 5}" for query in range(900, 900 + number)]
        (tmp_path / "m.csv").write_text("\n".join(["AP,a,b", *rows]) + "\n")
        page = opened(tmp_path / "m.csv", "--quiet", "--no-null", width=400)
        assert page.run("document.documentElement.scrollWidth") <= 400
        for figure in ("profile", "gap", "heat"):
            assert len(page.run(ids.format(figure))) == number, figure
            canvas = f"document.querySelector('[data-figure={figure}] .canvas')"
            wide = f"[{canvas}.scrollWidth > {canvas}.clientWidth, {canvas}.tabIndex === 0]"
            assert page.run(wide) == [scrolls, scrolls], figure


# ---- the address -----------------------------------------------------------------------------------------------------


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


# ---- installation ----------------------------------------------------------------------------------------------------


def test_a_plain_install_has_the_template_engine_and_no_converter():
    project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
    assert any(each.startswith("jinja2") for each in project["dependencies"])
    assert [each.partition(">")[0] for each in project["optional-dependencies"]["plot"]] == ["vl-convert-python"]
