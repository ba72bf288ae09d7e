"""The section of a page on a highlighted run: what `profile` says of it; without such a run there is none."""

from __future__ import annotations

import html
import json
import re

import pytest
from conftest import FOUR

import biasvar_cli as bv

pytestmark = pytest.mark.usefixtures("in_the_checkout")
HIGHLIGHTED = ("--highlight", "rm")


def section_of(text: str, number: int = 1) -> str:
    """The words of a section, in lines of its elements."""
    section = text.partition(f'<section id="profile-{number}">')[2].partition("</section>")[0]
    return html.unescape(re.sub(r"<[^>]*>", "\n", section))


def words_of(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("baseline", [(), ("--baseline", "orig")])
def test_it_has_the_sentences_and_the_table_of_profile(biasvar, made, baseline):
    text, data = made(*FOUR, *HIGHLIGHTED, *baseline, "--no-null")
    printed = words_of(biasvar("profile", "rm", *FOUR, *baseline).out)
    assert "<h2>Profile of rm</h2>" in text
    lines = [line for line in section_of(text).split("\n") if line.rstrip().endswith((".", '."'))]
    assert len(lines) >= 6
    assert all(words_of(line) in printed for line in lines)
    assert sum("For a paper" in line for line in lines) == 1 + bool(baseline)
    (result,) = json.loads(biasvar("profile", "rm", *FOUR, *baseline, "-f", "json").out)["results"]
    sheet = data["sheets"]["profile0-0-profile"]
    rows = [dict(zip(sheet["columns"], row, strict=True)) for row in sheet["rows"]]
    for row, wanted in zip(rows, result["quantities"], strict=True):
        assert {name: row[name] for name in wanted} == wanted


def test_without_a_highlighted_run_there_is_none(made):
    text, data = made(*FOUR, "--baseline", "orig", "--no-null")
    assert "Profile of" not in text
    assert not [key for key in data["sheets"] if key.startswith("profile")]


def test_a_table_for_each_measure_and_a_section_for_each_run(made):
    words = ("-m", "AP", "-m", "nDCG@10", *HIGHLIGHTED, "--highlight", "orig", "--baseline", "orig", "--no-null")
    text, data = made(*FOUR, *words)
    assert re.findall("<h2>Profile of (.*?)</h2>", text) == ["orig", "rm"]
    assert len([key for key in data["sheets"] if key.startswith("profile")]) == 4
    assert "baseline" not in section_of(text, 1)  # no run is compared with itself
    assert "the baseline, orig" in section_of(text, 2)


def test_a_notebook_has_it_too():
    page = bv.report("sample_runs", qrels="qrels/npl.qrels.txt", highlight="rm", glob="r*", null=False)
    assert "<h2>Profile of rm</h2>" in page.html


def test_the_page_opens_with_the_highlighted_run(opened):
    page = opened(*FOUR, *HIGHLIGHTED, "--no-null")
    assert page.run("document.querySelector('#run').selectedOptions[0].textContent") == "rm"
