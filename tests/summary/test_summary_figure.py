"""``biasvar plot summary``: means, comparison bars and marks are those of the analysis, runs in one order."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from conftest import SAMPLE, only
from test_summary_command import manifest, matrix, near

from biasvar_cli.drawing.axes import ticks_with_room
from biasvar_cli.drawing.style import width_of_text

pytestmark = pytest.mark.usefixtures("in_the_checkout")
MEASURES = ("-m", "AP", "-m", "nDCG@10", "-m", "P@10")
FEW = ("--samples", 500)


def panels(spec):
    """The panels, in the order of reading."""
    return [view for line in spec.get("vconcat", [spec]) for view in line["hconcat"]]


def axis(spec):
    """The axis of the runs of the first panel."""
    return panels(spec)[0]["layer"][0]["encoding"].get("y") or panels(spec)[0]["layer"][-1]["encoding"]["y"]


def of_measure(spec, measure="AP"):
    return {row["run"]: row for row in spec["datasets"]["runs"] if row["measure"] == measure}


@pytest.mark.parametrize("baseline", [(), ("--baseline", "comb-0.5")])
def test_means_and_marks_are_those_of_the_table(biasvar, drawn, baseline):
    words, signs = (
        ("summary", *SAMPLE, *MEASURES, *baseline),
        {"better": "†", "worse": "‡", None: "" if baseline else "▽"},
    )
    spec, table = drawn(*words), only(biasvar(*words, "-f", "json"))
    scores = [(run["run"], score) for run in table["runs"] for score in run["scores"]]
    expected = [(run, score["measure"], score["mean"], signs.get(score["mark"], "")) for run, score in scores]
    shown = [(row["run"], row["measure"], row["mean"], row["sign"]) for row in spec["datasets"]["runs"]]
    assert sorted(shown) == sorted(expected)


def test_bars_overlap_exactly_where_two_runs_do_not_differ(biasvar, drawn):
    rows = of_measure(drawn("summary", *SAMPLE, "-m", "P@10"), "P@10")
    pairs = only(biasvar("compare", *SAMPLE, "-m", "P@10", "--test", "stepdown", "-f", "json"))["pairs"]
    differs = {(pair["run"], pair["versus"]): pair["stepdown_p"] < 0.05 for pair in pairs}
    assert len(differs) == 231
    assert 0 < sum(differs.values()) < 231
    for (one, other), different in differs.items():
        gap = rows[one]["low"] - rows[other]["high"]
        assert (gap > 1e-12) == different, (one, other)


def test_bars_are_those_of_compare(drawn):
    bars = {row["run"]: (row["low"], row["high"]) for row in drawn("compare", *SAMPLE)["datasets"]["runs"]}
    assert bars == {run: (row["low"], row["high"]) for run, row in of_measure(drawn("summary", *SAMPLE)).items()}


def test_a_run_differs_from_the_baseline_exactly_outside_the_band(drawn):
    spec = drawn("summary", *SAMPLE, *MEASURES, "--baseline", "comb-0.5")
    for test in spec["datasets"]["tests"]:
        rows = of_measure(spec, test["measure"])
        assert test["line"] == rows["comb-0.5"]["mean"]
        for row in rows.values():
            assert (row["low"], row["high"]) == (row["mean"], row["mean"])  # no bars: only the baseline is compared
            assert bool(row["sign"]) == (not test["low"] <= row["mean"] <= test["high"])
    assert "Band: the baseline’s mean ± the critical difference" in spec["description"]
    assert "Bars" not in spec["description"]


def test_a_state_has_its_colour_and_shape_whether_or_not_there_are_others(drawn):
    colours = {}
    for baseline in ("rm", "rel-fb", "comb-0.5"):  # all others better, all worse, both
        spec = drawn("summary", *SAMPLE, "--baseline", baseline)
        (point,) = (layer for layer in panels(spec)[0]["layer"] if layer["mark"]["type"] == "point")
        for channel in ("color", "shape"):
            scale, legend = (point["encoding"][channel][key] for key in ("scale", "legend"))
            of_state = dict(zip(scale["domain"], scale["range"], strict=True))
            assert set(legend["values"]) == {row["what"] for row in spec["datasets"]["runs"]}
            for state in legend["values"]:
                assert colours.setdefault((channel, state), of_state[state]) == of_state[state], (baseline, state)
    assert len({sign for (channel, _), sign in colours.items() if channel == "shape"}) == 4


def test_runs_are_in_the_order_of_the_table(biasvar, drawn):
    words = ("summary", *SAMPLE, *MEASURES, "--baseline", "rm", "--top", 6)
    names = [line.split("\t")[0] for line in biasvar(*words, "-f", "tsv").out.splitlines()[1:]]
    spec = drawn(*words)
    domain, means = axis(spec)["scale"]["domain"], {run: row["mean"] for run, row in of_measure(spec).items()}
    assert sorted(domain) == sorted(names)
    assert domain == ["rm", *sorted(domain[1:], key=lambda run: -means[run])]
    assert "6 of 22 runs shown, rm and then the best first by AP" in spec["description"]
    for view in panels(spec):
        assert all(layer["encoding"].get("y", axis(spec))["scale"]["domain"] == domain for layer in view["layer"])


def test_numbers_do_not_change_with_the_runs_shown(drawn):
    every, few = (drawn("summary", *SAMPLE, "--top", top)["datasets"] for top in (22, 3))
    assert few["runs"] == [row for row in every["runs"] if row["run"] in ("rel-fb", "nrr-1.0", "nrr-0.9")]
    assert few["tests"] == every["tests"]


def test_where_nothing_is_tested_there_are_means_alone_and_the_reason(drawn, tmp_path):
    scores = matrix(tmp_path / "a.csv", "AP", near(0.6, 0.5, n_queries=5))
    spec = drawn("summary", scores)
    assert {layer["mark"]["type"] for layer in panels(spec)[0]["layer"]} == {"point", "text"}
    assert {row["sign"] for row in spec["datasets"]["runs"]} == {""}
    assert "takes at least 6 queries, and there are 5" in spec["description"]
    assert "differ" not in spec["description"].partition("No run")[0]
    assert '"legend": null' in json.dumps(panels(spec)[0]["layer"][0])


def test_tracks_of_a_manifest_are_panels(drawn, tmp_path):
    for name, means in (("T2001", (0.6, 0.5, 0.45)), ("T2002", (0.3, 0.5))):
        matrix(tmp_path / f"{name}.csv", "AP", near(*means))
    manifest(tmp_path, "T2001", "T2002")
    spec = drawn("summary", tmp_path / "shelf.toml", *FEW)
    assert [view["layer"][-1]["encoding"]["x"]["title"] for view in panels(spec)] == ["T2001/AP", "T2002/AP"]
    assert set(of_measure(spec, "T2002/AP")) == {"r0", "r1"}
    assert "AP, 3 runs in order of T2001/AP, 2 tracks" in spec["description"]


@pytest.mark.parametrize(("width", "sizes"), [("one", [3, 2]), ("two", [5])])
def test_panels_that_have_no_room_go_below(drawn, width, sizes):
    measures = [word for name in ("AP", "P@5", "P@10", "nDCG@10", "RR") for word in ("-m", name)]
    spec = drawn("summary", *SAMPLE, *measures, "--width", width)
    lines = spec.get("vconcat", [spec])
    assert [len(line["hconcat"]) for line in lines] == sizes
    for line in lines:  # the names stand once in a row
        named = ["minExtent" in view["layer"][-1]["encoding"]["y"]["axis"] for view in line["hconcat"]]
        assert named == [True] + [False] * (len(named) - 1)


@pytest.mark.parametrize("width", [52.0, 58.0, 150.0, 400.0])
@pytest.mark.parametrize(
    "ends", [(0.05, 0.19), (0.505, 0.695), (0.0, 1.0), (-0.01, 0.0101), (3.0, 912.0), (0.2, 0.2002)]
)
def test_an_axis_has_two_ticks_at_least_and_their_labels_have_room(ends, width):
    (low, high), ticks = ticks_with_room(*ends, width)
    assert low <= ends[0] < ends[1] <= high
    values = ticks["values"]
    assert len(values) >= 2
    places = [(value - low) / (high - low) * width for value in values]
    halves = [width_of_text(f"{value:{ticks['format'].lstrip('~')}}") / 2 for value in values]
    assert places[0] - halves[0] >= -0.01
    assert places[-1] + halves[-1] <= width + 0.01
    boxes = list(zip(places, halves, strict=True))
    assert all(abs(one[0] - other[0]) > one[1] + other[1] for one, other in combinations(boxes, 2))
    assert np.allclose(np.diff(values), values[1] - values[0])


def test_a_test_of_single_pairs_has_marks_and_no_bars(biasvar, drawn):
    spec = drawn("summary", *SAMPLE, "--test", "t")
    found = only(biasvar("summary", *SAMPLE, "--test", "t", "-f", "json"))
    below = {row["run"] for row in found["runs"] if row["scores"][0]["mark"] is None}
    assert {row["run"] for row in spec["datasets"]["runs"] if row["sign"] == "▽"} == below
    assert all(row["low"] == row["mean"] == row["high"] for row in spec["datasets"]["runs"])
    assert spec["datasets"]["tests"] == [{"measure": "AP", "line": None, "low": None, "high": None}]
    assert "No bars: a test of single pairs has no critical difference" in spec["description"]
