"""Figures of runs, queries, families and tracks whose names mean something to JavaScript or to Vega."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from conftest import assert_refused, drawn_of, write_manifest, write_scores

from biasvar_cli.cli import plot
from biasvar_cli.drawing import export
from biasvar_cli.drawing.style import cleaned

vl_convert = pytest.importorskip("vl_convert", reason="the extra plot is not installed")

OF_OBJECTS = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf"]
SIGNS = ["length", "undefined", "a.b", "a[0]", "a['x']", 'a"b', "a\\b", "it's", "\\", "a\\.b", "datum", "-", "NaN", "%"]
OF_RUNS = [figure for figure in plot.commands if figure not in ("trend", "estimation")]
OF_QUERIES = ("queries", "target")
QUERIES = [f"q{number}" for number in range(12)]


def scores_of(path: Path, runs: list[str], queries: list[str]) -> Path:
    """Scores without a pattern, the same for every choice of names."""
    run, query = np.arange(len(runs))[:, None], np.arange(len(queries))
    return write_scores(path, (7 * run + 5 * query**2 + run * query) % 23 / 25, runs, queries)


def shapes(svg: bytes) -> Counter[str]:
    """How many shapes of each kind a picture has."""
    return Counter(element.tag for element in ElementTree.fromstring(svg).iter())  # noqa: S314


def plain(spec: Any, names: dict[str, str]) -> Any:
    """A figure with other names, wherever one stands alone."""
    if isinstance(spec, str):
        return names.get(spec.strip(), spec)
    if isinstance(spec, dict):
        return {key: plain(each, names) for key, each in spec.items()}
    return [plain(each, names) for each in spec] if isinstance(spec, list) else spec


def assert_drawn_as_with_plain_names(spec: Any, names: list[str]) -> None:
    """That a picture has as many shapes as the same one with names that mean nothing to anyone."""
    plain_names = (f"{'n' * len(name)}{place}"[-max(len(name), 2) :] for place, name in enumerate(names))
    others = dict(zip((cleaned(name).strip() for name in names), plain_names, strict=True))
    assert shapes(export.as_svg(spec)) == shapes(export.as_svg(plain(spec, others)))


@pytest.mark.parametrize("figure", OF_RUNS)
def test_runs_of_any_name_are_drawn(biasvar, tmp_path, figure):
    names = OF_OBJECTS + SIGNS
    runs = [*names, "bm25", "rm3", "ql"]
    scores = scores_of(tmp_path / "ap.csv", runs, QUERIES)
    given = _ranked(tmp_path / "ranked", runs) if figure == "unjudged" else drawn_of(figure, scores)
    spec = _spec(biasvar, tmp_path, figure, *given)
    assert_drawn_as_with_plain_names(spec, names)
    shown = {str(row["run"]).strip() for rows in spec["datasets"].values() for row in rows if "run" in row}
    assert not shown or shown <= set(runs)


def _ranked(folder: Path, runs: list[str]) -> tuple[str | Path, ...]:
    """TREC runs with these tags and judgments of most of their documents, for a figure that takes no scores."""
    folder.mkdir()
    for number, run in enumerate(runs):
        lines = [
            f"{query} Q0 d{(number + place * (3 + 4 * (number % 3))) % 40} {place + 1} {20 - place} {run}\n"
            for query in QUERIES
            for place in range(12)
        ]
        (folder / f"{number}.run").write_text("".join(lines))
    judged = [f"{query} 0 d{doc} {int(doc % 3 == 0)}\n" for query in QUERIES for doc in range(36)]
    (folder.parent / "judged.qrels").write_text("".join(judged))
    return folder, "-q", folder.parent / "judged.qrels", "--name-by", "tag"


@pytest.mark.parametrize("figure", ["plane", "total", "ranked"])
def test_two_runs_are_drawn_if_one_is_called_constructor(biasvar, tmp_path, figure):
    scores = scores_of(tmp_path / "ap.csv", ["constructor", "bm25"], QUERIES)
    assert_drawn_as_with_plain_names(_spec(biasvar, tmp_path, figure, scores), ["constructor"])


@pytest.mark.parametrize("figure", OF_QUERIES)
def test_queries_of_any_name_are_drawn(biasvar, tmp_path, figure):
    names = [*OF_OBJECTS, *SIGNS[:6]]
    scores = scores_of(tmp_path / "ap.csv", ["bm25", "rm3", "ql"], [*names, "q1", "q2"])
    assert_drawn_as_with_plain_names(_spec(biasvar, tmp_path, figure, scores), names)


@pytest.mark.parametrize("figure", ["plane", "total"])
def test_families_of_any_name_are_drawn(biasvar, tmp_path, figure):
    runs, names = [f"run{number}" for number in range(8)], ["constructor", "__proto__", "valueOf", 'a"b']
    scores, families = scores_of(tmp_path / "ap.csv", runs, QUERIES), tmp_path / "families.csv"
    members = {"run": runs, "family": names * 2, "parameter": range(8)}
    pd.DataFrame(members).to_csv(families, index=False)
    spec = _spec(biasvar, tmp_path, figure, scores, "--families", families)
    assert_drawn_as_with_plain_names(spec, names)


def test_tracks_and_series_of_any_name_are_drawn(biasvar, tmp_path):
    names = ["constructor", "toString", "__proto__", "valueOf"]
    tracks = []
    for place, name in enumerate(names):
        scores = scores_of(tmp_path / f"{place}.csv", [f"run{run}" for run in range(5 + place)], QUERIES)
        tracks.append({"track": name, "series": names[place // 3], "year": 1990 + place, "scores": str(scores)})
    shelf = write_manifest(tmp_path / "shelf.toml", *tracks)
    spec = _spec(biasvar, tmp_path, "trend", shelf, "--subset-size", 4, "--no-null")
    assert_drawn_as_with_plain_names(spec, names)


def _spec(biasvar: Any, tmp_path: Path, figure: str, *arguments: object) -> Any:
    result = biasvar("plot", figure, *arguments, "--quiet", "-o", tmp_path / "figure.json")
    assert (result.code, result.out, result.err) == (0, "", "")
    return json.loads((tmp_path / "figure.json").read_text())


def test_names_stay_different_when_a_blank_is_added():
    names = ["constructor", "constructor ", "constructor  ", " constructor", "Constructor"]
    found = [cleaned(name) for name in names]
    assert found == ["constructor ", "constructor  ", "constructor   ", " constructor", "Constructor"]


@pytest.mark.anew
def test_a_figure_that_the_converter_cannot_draw_is_an_error_and_no_traceback(biasvar, monkeypatch, tmp_path):
    def fails(*_: object, **__: object) -> str:
        raise ValueError("Vega-Lite to Vega conversion failed:\nTypeError: x is not a function\n")

    scores = scores_of(tmp_path / "ap.csv", ["bm25", "rm3", "ql"], QUERIES)
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", fails)
    result = biasvar("plot", "plane", scores, "--quiet", "-o", tmp_path / "plane.svg")
    remedy = "rename the runs or queries, or write a .json\n"
    assert_refused(result, 1, f"the figure cannot be drawn (Vega-Lite to Vega conversion failed); {remedy}")
    assert not (tmp_path / "plane.svg").exists()
