"""The site of README.md and docs: it builds without a warning, such as of a lost link, and nothing is fetched."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import unicodedata
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ROOT
from page.browser import Browser, texts_of

for _package in ("sphinx", "myst_parser", "furo", "latex2mathml", "ziamath"):
    pytest.importorskip(_package, reason="the site needs '.[site]'")
fonts = pytest.importorskip("fontTools.ttLib", reason="the site needs '.[site]'")

_LOADED = {("script", "src"), ("link", "href"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("use", "href")}
_SECONDS = 20


class Page(HTMLParser):
    """The attributes of a page by tag and name, and the text of its formulas."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.formulas: list[str] = []
        self.letters: set[str] = set()
        self._stack: list[str] = []
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value) for name, value in attrs if value is not None]
        if tag == "math":
            self.formulas.append("")
        self._stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._stack:
            while self._stack.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if "math" in self._stack:
            self.formulas[-1] += data
            if self._stack[-1] == "mi" and len(data) == 1 and data.isalpha():
                self.letters.add(data)


def _build(source: Path, output: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", ROOT / "docs", "-d", output / "trees"]
    return subprocess.run([*command, source, output / "site"], cwd=ROOT, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("site")
    result = _build(ROOT, output)
    assert (result.returncode, result.stderr) == (0, "")
    return output / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html")}


def test_every_page_of_the_docs_is_there(site):
    sources = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "docs" / "notebook.ipynb"]
    names = {str(path.relative_to(ROOT).with_suffix(".html")) for path in sources}
    assert {"README.html", "docs/definitions.html"} <= names
    assert names <= {str(path.relative_to(site)) for path in site.rglob("*.html")}
    assert (site / "index.html").read_bytes() == (site / "README.html").read_bytes()


def test_a_link_that_leads_nowhere_is_an_error(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("# Start\n\n[an anchor](#nowhere) [a page](docs/none.md) ![](none.svg)\n")
    result = _build(tmp_path, tmp_path)
    assert result.returncode == 1
    assert all(name in result.stderr for name in ("'nowhere'", "'docs/none.md'", "none.svg"))


def test_nothing_is_loaded_from_another_host(site, pages):
    foreign = re.compile(r"\s*(?:https?:)?//")
    loaded = [value for page in pages.values() for tag, name, value in page.attributes if (tag, name) in _LOADED]
    assert any(value.endswith("furo.css") or "furo.css?" in value for value in loaded)
    assert [value for value in loaded if foreign.match(value)] == []
    foreign = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//")
    assert [path for path in site.rglob("*.css") if foreign.search(path.read_text(encoding="utf-8"))] == []


def test_the_comments_that_make_pages_are_not_in_them(site, pages):
    assert "[[[cog" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert [path for path, page in pages.items() if "[[[cog" in page.text or "[[[end" in page.text] == []
    assert "cog.out" not in (site / "searchindex.js").read_text(encoding="utf-8")


def test_every_formula_is_mathml_with_the_characters_of_the_font(site, pages):
    source = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8")
    page = pages[site / "docs" / "definitions.html"]
    assert len(page.formulas) == source.count("```math\n") > 0
    text = "".join(page.formulas)
    assert "total" in text
    assert not set("\\&{}") & set(text), "LaTeX that was not understood"
    characters = {chr(code) for code in fonts.TTFont(site / "_static" / "math.woff").getBestCmap()}
    assert set(text) - characters - set("\n") == set()
    italic = {unicodedata.normalize("NFKC", character) for character in characters if ord(character) > 0x1D400} | {"h"}
    assert page.letters - italic == set()


def _open(browser: Browser, url: str) -> None:
    """Open a page of the site; what the page before it still reports is not kept."""
    for address, footers in (("about:blank", 0), (url, 1)):
        browser.events.clear()
        browser.call("Page.navigate", url=address)
        deadline = time.monotonic() + _SECONDS
        ready = f"document.readyState === 'complete' && document.querySelectorAll('body footer').length === {footers}"
        while not browser.run(ready):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_search_from_the_disk_shows_the_pages_with_the_word(site, browser: Browser):
    _open(browser, (site / "search.html").as_uri() + "?q=rarefaction")
    deadline = time.monotonic() + _SECONDS
    while "Figures > rarefaction" not in (titles := texts_of(browser, "#search-results li > a")):
        assert time.monotonic() < deadline, titles
        time.sleep(0.05)
    assert "Contributing" not in titles
    assert [url for url in browser.requests() if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("page", ["index", "docs/reference/decompose", "docs/definitions", "docs/notebook"])
def test_no_page_is_wider_than_the_screen(site, browser: Browser, page):
    width = 1280 if page == "index" else 390
    browser.resize(width)
    _open(browser, (site / f"{page}.html").as_uri())
    assert browser.run("document.documentElement.scrollWidth") == width
    if page == "index":
        blocks = "[...document.querySelectorAll('.highlight-console pre')]"
        assert browser.run(f"{blocks}.length") > 0
        assert browser.run(f"{blocks}.filter(block => block.scrollWidth > block.clientWidth).length") == 0
    assert browser.problems() == []
