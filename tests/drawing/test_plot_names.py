"""Figures of runs, queries, families and tracks whose names mean something to JavaScript or to Vega."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import drawn_of

from biasvar_cli.cli import plot
from biasvar_cli.drawing import export
from biasvar_cli.drawing.style import cleaned

vl_convert = pytest.importorskip("vl_convert", reason="the extra plot is not installed")

OF_OBJECTS = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf"]
SIGNS = ["length", "undefined", "a.b", "a[0]", "a['x']", 'a"b', "a\\b", "it's", "\\", "a\\.b", "datum", "-", "NaN", "%"]
OF_RUNS = [figure for figure in plot.commands if figure not in ("trend", "estimation")]
OF_QUERIES = ("queries", "target")


def write_csv(path: Path, rows: list[list[Any]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def write_scores(path: Path, runs: list[str], queries: list[str]) -> None:
    """Scores without a pattern, the same for every choice of names."""
    rows = [
        [(7 * run + 5 * query * query + run * query) % 23 / 25 for run in range(len(runs))]
        for query in range(len(queries))
    ]
    write_csv(path, [["AP", *runs], *([name, *row] for name, row in zip(queries, rows, strict=True))])


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
    others = {
        cleaned(name).strip(): f"{'n' * len(name)}{place}"[-max(len(name), 2) :] for place, name in enumerate(names)
    }
    assert shapes(export.as_svg(spec)) == shapes(export.as_svg(plain(spec, others)))


@pytest.mark.parametrize("figure", OF_RUNS)
def test_runs_of_any_name_are_drawn(biasvar, tmp_path, figure):
    names = OF_OBJECTS + SIGNS
    runs = [*names, "bm25", "rm3", "ql"]
    write_scores(tmp_path / "ap.csv", runs, [f"q{number}" for number in range(12)])
    spec = _spec(biasvar, tmp_path, figure, *drawn_of(figure, tmp_path / "ap.csv"))
    assert_drawn_as_with_plain_names(spec, names)
    shown = {str(row["run"]).strip() for rows in spec["datasets"].values() for row in rows if "run" in row}
    assert not shown or shown <= set(runs)


@pytest.mark.parametrize("figure", ["plane", "total", "ranked"])
def test_two_runs_are_drawn_if_one_is_called_constructor(biasvar, tmp_path, figure):
    rows = [["AP", "constructor", "bm25"], ["q1", 0.1, 0.2], ["q2", 0.3, 0.2], ["q3", 0.5, 0.1]]
    write_csv(tmp_path / "ap.csv", rows)
    assert_drawn_as_with_plain_names(_spec(biasvar, tmp_path, figure, tmp_path / "ap.csv"), ["constructor"])


@pytest.mark.parametrize("figure", OF_QUERIES)
def test_queries_of_any_name_are_drawn(biasvar, tmp_path, figure):
    names = [*OF_OBJECTS, *SIGNS[:6]]
    write_scores(tmp_path / "ap.csv", ["bm25", "rm3", "ql"], [*names, "q1", "q2"])
    assert_drawn_as_with_plain_names(_spec(biasvar, tmp_path, figure, tmp_path / "ap.csv"), names)


@pytest.mark.parametrize("figure", ["plane", "total"])
def test_families_of_any_name_are_drawn(biasvar, tmp_path, figure):
    runs, names = [f"run{number}" for number in range(8)], ["constructor", "__proto__", "valueOf", 'a"b']
    write_scores(tmp_path / "ap.csv", runs, [f"q{number}" for number in range(12)])
    rows = [[run, names[place % 4], place] for place, run in enumerate(runs)]
    write_csv(tmp_path / "families.csv", [["run", "family", "parameter"], *rows])
    spec = _spec(biasvar, tmp_path, figure, tmp_path / "ap.csv", "--families", tmp_path / "families.csv")
    assert_drawn_as_with_plain_names(spec, names)


def test_tracks_and_series_of_any_name_are_drawn(biasvar, tmp_path):
    names = ["constructor", "toString", "__proto__", "valueOf"]
    entries = []
    for place, name in enumerate(names):
        write_scores(tmp_path / f"{place}.csv", [f"run{run}" for run in range(5 + place)], [f"q{q}" for q in range(12)])
        keys = [f'track = "{name}"', f'series = "{names[place // 3]}"', f"year = {1990 + place}"]
        entries.append("\n".join(["[[track]]", *keys, f'scores = "{place}.csv"\n']))
    (tmp_path / "shelf.toml").write_text("\n".join(entries))
    spec = _spec(biasvar, tmp_path, "trend", tmp_path / "shelf.toml", "--subset-size", 4, "--no-null")
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

    write_scores(tmp_path / "ap.csv", ["bm25", "rm3", "ql"], ["q1", "q2", "q3"])
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", fails)
    result = biasvar("plot", "plane", tmp_path / "ap.csv", "--quiet", "-o", tmp_path / "plane.svg")
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "biasvar: error: the figure cannot be drawn (Vega-Lite to Vega conversion failed); rename the runs or queries, "
        "or write a .json\n"
    )
    assert not (tmp_path / "plane.svg").exists()
