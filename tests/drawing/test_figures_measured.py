"""Every figure, measured on its SVG: no text on another, below 6 pt or cut, no mark beyond the frame of its plot.

Tracks: the sample, 143 runs, the 26 of them with the longest names, 40 runs whose names are alike, seven runs on
collections with long names, eight runs of the web, and 63 runs with three judges. Besides three tracks together, and
simulated systems of several runs.
"""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from svg_boxes import drawing_of, problems_of
from track_results import result_of

import biasvar_cli as bv
from biasvar_cli.analyses import ANALYSES
from biasvar_cli.drawing.converter import svg_of
from biasvar_cli.drawing.style import width_of
from biasvar_cli.notebook.results import Result

pytest.importorskip("vl_convert", reason="the extra plot is not installed")
_QUIETLY = pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
pytestmark = [pytest.mark.usefixtures("in_the_checkout"), _QUIETLY]
FIGURES = [(analysis.name, figure) for analysis in ANALYSES for figure in analysis.figures]
OF_TRACKS = [(analysis, figure) for analysis, figure in FIGURES if analysis not in ("models", "tracks")]
WIDTHS = ("one", "two")
OF_TRACK = {"covid": ("one",), "covid26": ("one",), "trec3": ("7cm",), "beir": ("one",), "web2012": ("one",)}  # narrow
OF_TRACK["dl21"] = ("one",)  # with two judges beside people
ALL_NAMED = {
    "ranked": "parts",
    "compare": "runs",
    "summary": "runs",
    "queries": "cells",
    "calibrated": "runs",
}  # with the data of their runs
N_MARKS = {  # of 143 runs and 30 queries
    "ranked": ("parts", 286),
    "tradeoff": ("rows", 5),
    "target": ("queries", 30),
    "queries": ("cells", 143 * 30),
    "rarefaction": ("means", 143),
    "losses": ("queries", 30),
    "compare": ("runs", 143),
    "asl": ("rows", 1000),
    "judges": ("runs0", 143),
    "calibrated": ("runs", 2 * 143),
    "profile": ("queries", 30),
    "unjudged": ("runs", 143),
}


@pytest.mark.parametrize(("analysis", "figure"), FIGURES)
def test_nothing_covers_anything_else_or_is_too_small_or_beyond_its_frame(analysis, figure):
    assert_legible(result_of(analysis, "sample"), figure)


@pytest.mark.parametrize(
    ("analysis", "figure", "track"),
    [
        (analysis, figure, track)
        for track in OF_TRACK
        for analysis, figure in OF_TRACKS
        if track != "dl21" or figure in ("judges", "plane", "ranked", "summary", "target")
    ],
)
def test_nor_is_it_on_real_tracks(shared, analysis, figure, track):
    if analysis == "unjudged" and track in ("trec3", "beir"):
        pytest.skip("these are scores, whose documents are not known")
    result = result_of(analysis, track, shared)
    assert_legible(result, figure, OF_TRACK[track])
    if track == "covid" and figure in N_MARKS:
        dataset, number = N_MARKS[figure]
        assert len(result.plot(figure).spec["datasets"][dataset]) == number


def test_nor_is_it_of_three_tracks(shared):
    assert_legible(result_of("tracks", "adhoc", shared), "trend")


@pytest.mark.parametrize(("track", "run"), [("sample", "nrr-1.0"), ("dl21", "watpfp")])
@pytest.mark.parametrize(
    ("analysis", "figure"),
    [("target", "target"), ("decompose", "ranked"), ("summary", "summary"), ("judges", "judges")],
)
def test_nor_is_it_of_a_highlighted_run(shared, analysis, figure, track, run):
    spec = result_of(analysis, track, shared, run).plot(figure).spec
    assert problems_of(drawing_of(svg_of(spec))) == []
    assert f"Highlighted: {run}" in spec["description"]


def assert_legible(result: Result, figure: str, widths: tuple[str, ...] = WIDTHS) -> None:
    for width in widths:
        spec = result.plot(figure, width=width).spec
        drawing = drawing_of(svg_of(spec))
        assert drawing.size[0] == pytest.approx(width_of(width), abs=3), width
        assert problems_of(drawing) == [], width
        runs = {row["run"] for row in spec["datasets"].get(ALL_NAMED.get(figure, ""), ())}
        words = [text.words for text in drawing.texts]
        assert len(runs) > 40 or [run for run in runs if not any(_is_name(text, run) for text in words)] == [], width


def _is_name(text: str, run: str) -> bool:
    """Whether a text is the name of a run, maybe without a part in the middle."""
    return re.fullmatch(".*".join(map(re.escape, text.split("…"))), run) is not None


@pytest.mark.parametrize(
    ("analysis", "figure", "options"),
    [
        ("decompose", "plane", {"families": "(comb|nrr)-(.*)", "baseline": "rm"}),
        ("decompose", "plane", {"form": "gap", "theme": "dark"}),
        ("decompose", "total", {"families": "(comb|nrr)-(.*)", "baseline": "rm"}),
        ("models", "estimation", {"families": "(comb|nrr)-(.*)", "baseline": "rm"}),
        ("risk", "losses", {"run": "comb-0.5"}),
        ("summary", "summary", {"top": 5}),
    ],
)
def test_options_keep_to_it(analysis, figure, options):
    spec = result_of(analysis, "sample").plot(figure, **options).spec
    assert problems_of(drawing_of(svg_of(spec))) == []


@pytest.mark.parametrize(
    ("n_systems", "n_replicates", "figure", "form"), [(8, 5, "plane", "gap"), (40, 2, "total", "score")]
)
def test_replicates_keep_to_it(n_systems, n_replicates, figure, form):
    result = bv.decompose(_simulated(n_systems, n_replicates), replicates="-seed[0-9]+", null=False)
    spec = result.plot(figure, form=form).spec
    assert len(spec["datasets"]["replicates"]) == n_systems * n_replicates
    if n_systems <= 8:  # replicates crowd out no name
        assert len(spec["datasets"]["labels"]) == n_systems
    assert problems_of(drawing_of(svg_of(spec))) == []


def _simulated(n_systems: int, n_replicates: int, n_queries: int = 50) -> pd.DataFrame:
    """Scores of runs that differ in a seed, a row a query."""
    rng = np.random.default_rng(1)
    level = rng.beta(2, 3, n_queries) * rng.uniform(0.2, 1.2, (n_systems, 1))
    scores = np.repeat(level, n_replicates, axis=0) + rng.normal(0, 0.1, (n_systems * n_replicates, n_queries))
    names = [f"system{system}-seed{seed}" for system in range(n_systems) for seed in range(n_replicates)]
    return pd.DataFrame(np.clip(scores, 0, 1).T, [f"q{query}" for query in range(n_queries)], names)


SPEC = {
    "width": 100,
    "height": 100,
    "datasets": {"rows": [{"x": 1, "name": "ab"}, {"x": 1.05, "name": "cd"}]},
    "data": {"name": "rows"},
    "encoding": {"x": {"field": "x", "type": "quantitative", "scale": {"domain": [0, 2]}, "title": None}},
    "layer": [{"mark": {"type": "text", "fontSize": 9}, "encoding": {"text": {"field": "name"}}}, {"mark": "point"}],
    "config": {"axis": {"labelFontSize": 7}},
}


BEYOND = {"x": {"field": "x", "type": "quantitative", "scale": {"domain": [0, 1]}}}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, "'ab' and 'cd' overlap"),
        ({"config": {"axis": {"labelFontSize": 5}}}, "'0.0' is 5 pt"),
        ({"encoding": BEYOND}, "a symbol at 111.0 55.0 is beyond its frame"),
        ({"autosize": "none"}, "'0.0' is cut at the edge of the page"),
    ],
)
def test_the_measure_finds_what_it_is_for(change, problem):
    assert problem in problems_of(drawing_of(svg_of(SPEC | change)))


def test_turned_text_has_a_turned_box():
    encoding = {"x": {"field": "name", "type": "nominal", "axis": {"labelAngle": -90, "labelFontSize": 7}}}
    drawing = drawing_of(svg_of(SPEC | {"encoding": encoding, "datasets": {"rows": [{"name": "a-long-name"}]}}))
    (label,) = (text for text in drawing.texts if text.words == "a-long-name" and "axis" in text.role)
    left, right = (edge(x for x, _ in label.corners) for edge in (min, max))
    top, bottom = (edge(y for _, y in label.corners) for edge in (min, max))
    assert bottom - top > 30 > 10 > right - left


def test_seven_runs_of_a_leaderboard_have_a_name_each_and_collections_their_whole_names(shared):
    """Two of the runs stand at one point, at the left end of the stairs of the front."""
    labels = {row["label"] for row in result_of("decompose", "beir", shared).plot("plane").spec["datasets"]["labels"]}
    assert len(labels) == 7
    first, second = sorted(label for label in labels if label.startswith("bge"))
    assert first.endswith("flat")
    assert second.endswith("aiss")
    for figure in ("target", "queries"):
        drawing = drawing_of(svg_of(result_of("target", "beir", shared).plot(figure, width="two").spec))
        assert "cqadupstack-programmers" in {text.words for text in drawing.texts}
