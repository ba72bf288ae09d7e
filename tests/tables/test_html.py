"""HTML of every result: well-formed, with every cell and sentence of the text, and heads that stay where it scrolls."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from conftest import ROOT

import biasvar_cli as bv

QRELS, MODELS = str(ROOT / "qrels" / "npl.qrels.txt"), str(ROOT / "sample_models")
SAMPLED = {"samples": 200, "splits": 20}
ANALYSES = {
    "decompose": lambda ap, _: bv.decompose(ap, ci=0.95, resamples=100, null=False),
    "decompose, several": lambda _, three: bv.decompose(three, ["best", "perfect"], null=False),
    "tradeoff": lambda ap, _: bv.tradeoff(ap, null_samples=100),
    "target": lambda ap, _: bv.target(ap),
    "sensitivity": lambda ap, _: bv.sensitivity(ap, splits=10),
    "risk": lambda ap, _: bv.risk(ap, "run:rm", ci=0.95, resamples=100),
    "compare": lambda ap, _: bv.compare(ap, "run:rm", **SAMPLED),
    "summary": lambda _, three: bv.summary(three, samples=200),
    "summary, errors": lambda _, three: bv.summary(three, "run:rm", errors=True, percent=True, samples=200),
    "models": lambda ap, _: bv.models(
        MODELS, f"{MODELS}/true.tsv.gz", runs=ap, families="(comb|nrr)-(.*)", baseline="rm"
    ),
    "tracks": lambda *_: bv.tracks(str(ROOT / "docs" / "tracks.toml"), null=False, correlation=["pearson", "kendall"]),
}
pytestmark = pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
PAGE = '<!doctype html><html data-ready="true"><meta charset="utf-8"><meta name="viewport" content="width=300">'
NAMES = ("<script>alert(1)</script>", 'a&b"c', "</td></table>")


@pytest.fixture(scope="module")
def scores():
    """Of the sample track: AP, and three measures."""
    three = bv.evaluate(str(ROOT / "sample_runs"), QRELS, ["AP", "nDCG@10", "P@10"])
    return three["AP"], three


@pytest.fixture(scope="module", params=ANALYSES)
def result(request, scores):
    return ANALYSES[request.param](*scores)


def page(result):
    """The HTML as a tree: a parser of XML takes only what is well-formed, and so does every parser of HTML."""
    return ElementTree.fromstring(result._repr_html_())  # noqa: S314


def words(element):
    return "".join(element.itertext())


def html_rows(tree):
    """The cells of all rows but those of heads."""
    return [[words(cell) for cell in row] for part in ("tbody", "tfoot") for row in _rows(tree, part)]


def _rows(tree, part):
    return [row for body in tree.iter(part) for row in body.iter("tr")]


def markdown_rows(text):
    """The cells of the rows of tables in markdown, without heads, bold and escapes."""
    tables = re.findall(r"((?:^\|.*\n)+)", re.sub(r"(?<!\\)\*\*", "", text), re.MULTILINE)
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for table in tables for line in table.splitlines()[2:]]
    return [[re.sub(r"\\(.)", r"\1", cell.strip()).replace("&lt;", "<") for cell in row] for row in rows]


def test_every_cell_of_the_text_is_there(result):
    tree = page(result)
    assert sorted(html_rows(tree)) == sorted(markdown_rows(result.to_markdown()))


def test_every_sentence_is_there(result):
    paragraphs = [words(paragraph) for paragraph in page(result).iter("p")]
    told = set(result.verdict.split("\n")) - {""}
    assert told <= set(paragraphs)
    first = " ".join(repr(result).split("\n\n")[0].split())
    assert first == paragraphs[0]


def test_rows_are_as_long_as_the_heads(result):
    for table in page(result).iter("table"):
        sizes = {sum(int(cell.get("colspan", 1)) for cell in row) for row in table.iter("tr")}
        assert len(sizes) == 1


def test_there_is_a_section_for_every_answer(result):
    assert len(list(page(result).iter("section"))) == len(result.answers)


def test_there_is_no_script_and_no_colour_of_its_own(result):
    text = result._repr_html_()
    assert not re.search(r"<script|javascript:|\bon\w+=|https?:|url\(", text)
    assert not re.search(r"#[0-9a-fA-F]{3}|rgba?\(|hsl", re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1])


def test_names_are_escaped():
    runs = {name: {"1": 0.1 * number, "2": 0.2, "3": 0.3} for number, name in enumerate(NAMES)}
    result = bv.decompose(runs, measure="AP", null=False)
    assert "<script" not in result._repr_html_()
    assert {words(name) for name in page(result).iter("th")} >= set(NAMES)


def test_groups_stand_once_over_their_columns(scores):
    tree = page(ANALYSES["summary, errors"](*scores))
    over, heads = next(tree.iter("thead"))
    groups = [("", "1"), ("AP", "4"), ("nDCG@10", "4"), ("P@10", "4")]
    assert [(words(cell), cell.get("colspan")) for cell in over] == groups
    assert [words(cell) for cell in heads][:5] == ["run", "mean ↑", "bias² ↓", "var ↓", "total ↓"]


def test_marks_are_raised_and_the_best_is_bold(scores):
    tree = page(ANALYSES["summary"](*scores))
    tags = {words(row[0]): [[part.tag for part in cell] for cell in row[1:]] for row in _rows(tree, "tbody")}
    assert (tags["rel-fb"], tags["orig"]) == ([["strong"]] * 3, [["sup"]] * 3)


def test_a_head_says_what_its_column_means(scores):
    heads = {words(head): head.get("title", "") for head in page(ANALYSES["decompose"](*scores)).iter("th")}
    assert all(heads[name] for name in ("mean", "bias", "bias²", "var", "total"))
    assert "`" not in "".join(heads.values())


def test_the_row_of_the_target_is_the_last(scores):
    (last,) = page(ANALYSES["decompose"](*scores)).iter("tfoot")
    assert words(last[0][0]) == "virtual target"


def test_heads_and_names_stay_where_a_long_table_scrolls(covid_scores, browser, tmp_path):
    covid = bv.decompose(str(covid_scores), null=False)
    assert len(covid._repr_html_()) < 2 * len(repr(covid))  # two tags of nine signs a cell, where text has two blanks
    path = tmp_path / "page.html"
    path.write_text(f"{PAGE}{covid._repr_html_()}", encoding="utf-8")
    browser.resize(300)
    browser.open(path)
    box, *stays = browser.run("""(() => {
        const box = document.querySelector(".biasvar-rows");
        box.scrollTo(60, 900);
        const at = name => box.querySelector(name).getBoundingClientRect();
        const own = box.getBoundingClientRect();
        return [[box.scrollLeft, box.scrollTop], at("thead").top - own.top, at("tbody th").left - own.left,
                at("tfoot").bottom - own.top - box.clientHeight];
    })()""")
    assert box == [60, 900]
    assert stays == pytest.approx([0, 0, 0], abs=1)
    assert browser.run("document.documentElement.scrollWidth") <= 300, "a wide table scrolls by itself"
