"""docs/tutorial.md: what its commands print, and its figure, where the data of TREC-COVID are."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
import real_data
from conftest import ROOT, RealData, unix

import biasvar_cli as bv

PAGE = ROOT / "docs" / "tutorial.md"
REMEDY = "make tutorial writes it again"


@pytest.fixture
def tracks(shared: RealData) -> None:
    """The data that the page is about; a test skips where any of it is absent."""
    for part in real_data.OF_TUTORIAL:
        assert (shared / part).exists()


def test_the_page_is_short():
    assert PAGE.stat().st_size <= 14 * 1024


@unix
def test_the_page_is_what_the_commands_print(tracks: None, stale: Callable[..., str]):
    assert not stale("docs/tutorial.md"), REMEDY


@pytest.mark.filterwarnings("ignore:ranks contradict the scores", "ignore:scores of nothing but 0")  # of the track
def test_the_numbers_in_the_sentences(shared: RealData):
    track = shared / "covid-round1"
    scores = bv.evaluate(track / "runs", track / "qrels.txt", "nDCG@10")
    ratio = bv.decompose(scores, baseline="run1", null=False).frame().loc["xj4wang_run1"]
    assert [round(ratio[f"ratio_var{end}"], 2) for end in ("", "_low", "_high")] == [0.63, 0.37, 1.13]
    sentence = "0.63 times that of `run1`, with a 95 % interval (`ratio_var_low`, `ratio_var_high`) from 0.37 to 1.13"
    assert sentence in " ".join(PAGE.read_text("utf-8").split())


def test_the_collections_of_one_are_no_independent_rows(shared: RealData):
    rows = pd.read_csv(shared / "beir-leaderboard" / "beir-ndcg10.csv", index_col=0)
    forums = rows.index.str.startswith("cqadupstack")
    one = pd.concat([rows[~forums], rows[forums].mean().rename("cqadupstack").to_frame().T])
    assert (len(rows), int(forums.sum()), len(one)) == (29, 12, 18)
    assert bv.decompose(one, measure="nDCG@10", null=False).frame().index[0] == "splade-pp-ed"
    several, single = (bv.compare(each, measure="nDCG@10").frame("pairs").stepdown_p for each in (rows, one))
    assert (len(several), int((several < 0.05).sum()), int((single < 0.05).sum())) == (21, 18, 14)


def test_the_figure_is_what_its_command_draws(
    tracks: None, folder_of_program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    monkeypatch.setattr(sys, "executable", str(folder_of_program / "python"))
    (name,) = re.findall(r"\(([\w-]+\.svg)\)", PAGE.read_text("utf-8"))
    path = ROOT / "docs" / name
    assert path.stat().st_size < 60_000
    old, new = path.read_text("utf-8"), import_module("draw").tutorial_picture()
    one, other = (ElementTree.fromstring(each) for each in (old, new))  # noqa: S314
    assert [text.strip() for text in one.itertext()] == [text.strip() for text in other.itertext()], REMEDY
    assert [each.tag for each in one.iter()] == [each.tag for each in other.iter()], REMEDY
