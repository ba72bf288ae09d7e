"""Figures can be read: names at their own points, labels and signs that cover nothing, axes that hold what is drawn."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from conftest import SAMPLE, assert_refused, write_scores

from biasvar_cli.analyses.tracks import SAMPLINGS, TracksRequest
from biasvar_cli.analyses.tracks.answer import TracksAnswer, TrackTradeoff
from biasvar_cli.analyses.tracks.figures import with_room
from biasvar_cli.drawing.labels import box_of, placed
from biasvar_cli.drawing.style import Style
from biasvar_cli.stats.correlation import UNDEFINED

pytestmark = pytest.mark.usefixtures("in_the_checkout")


def _away(box, place):
    """How far a place is from a box."""
    left, top, right, bottom = box
    return max(left - place[0], place[0] - right, 0) + max(top - place[1], place[1] - bottom, 0)


def _overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_a_name_that_is_nearer_to_another_point_has_a_line():
    """Steps of a front as in a plane: a name without a line is nearest to its own point, and no two overlap."""
    at = [(20.0 + 11 * step, 40.0 + 5 * step) for step in range(10)]
    names = [f"a-run-of-name-{step}" for step in range(10)]
    sides = placed(names, at, at, (240.0, 180.0))
    boxes = {place: box_of(name, *place, side) for name, place, side in zip(names, at, sides, strict=True) if side}
    assert len(boxes) >= 8
    assert any(side and side.line for side in sides)
    for place, side in zip(at, sides, strict=True):
        if side and not side.line:
            assert min(at, key=lambda other: _away(boxes[place], other)) == place
    assert not any(_overlap(one, other) for one, other in combinations(boxes.values(), 2))


def test_a_line_to_a_name_crosses_two_other_points_at_most():
    at, size = (100.0, 100.0), (200.0, 200.0)

    def around(radius, count):
        turns = [2 * math.pi * turn / count for turn in range(count)]
        return [(100 + radius * math.cos(turn), 100 + radius * math.sin(turn)) for turn in turns]

    for points, over in ((around(14, 18)[:-2], False), (around(14, 18), True)):
        (side,) = placed(["name"], [at], [at, *points], size)
        assert side.line
        assert side.over == over
        end = (100 + side.dx, 100 + side.dy)
        assert min(math.dist(end, point) for point in points) > 3.5
        steps = [(100 + side.dx * share / 20, 100 + side.dy * share / 20) for share in range(21)]
        crossed = [point for point in points if min(math.dist(step, point) for step in steps) <= 2.5]
        assert len(crossed) in ((1, 2) if over else (0,))
    three = [point for radius in (14, 22, 30) for point in around(radius, 2 * radius)]
    assert placed(["name"], [at], [at, *three], size) == [None]


def test_runs_that_find_hardly_anything_are_grey_points_without_names_and_the_axes_end_before_them(drawn, tmp_path):
    """Fifteen runs on a front, from the best mean to a score of 0: as a mean falls, so does its variance."""
    means = [*(0.9 - 0.06 * np.arange(15)), 0]
    scores = write_scores(tmp_path / "ap.csv", np.outer(means, [0.6, 1]), measure="topic")
    data = drawn("plane", scores, "--quiet", "--width", "two")["datasets"]
    front, named, runs = ({row["run"] for row in data[name]} for name in ("front", "labels", "runs"))
    assert front == runs == {f"r{run}" for run in range(12)}
    assert {"r0", "r11"} <= named <= runs  # 0.9 - 11 * 0.06 = 0.24 of 0.9
    assert data["low"] == []
    (note,) = data["note"]
    assert note["label"] == "Mean below 0.18: 4 runs, not shown"


def test_a_highlighted_run_that_finds_hardly_anything_is_a_run_as_others(drawn, tmp_path):
    (tmp_path / "ap.csv").write_text("topic,a,b,c,d\n1,.5,.4,.1,.2\n2,.9,.8,0,.1\n3,.4,.5,.1,.2\n")
    data = drawn("plane", tmp_path / "ap.csv", "--quiet")["datasets"]
    assert {row["run"] for row in data["runs"]} == {"a", "b", "d"}
    data = drawn("plane", tmp_path / "ap.csv", "--quiet", "--highlight", "c")["datasets"]
    assert {row["run"] for row in data["runs"]} == {"a", "b", "c", "d"}
    assert "note" not in data


def test_runs_at_one_point_have_one_label(drawn, tmp_path):
    (tmp_path / "ap.csv").write_text("topic,a,b,c,d,e\n1,.5,.5,.2,.2,.2\n2,.9,.9,.3,.3,.3\n3,.4,.4,.2,.2,.2\n")
    spec = drawn("plane", tmp_path / "ap.csv", "--quiet")
    assert [row["label"] for row in spec["datasets"]["labels"]] == ["a and b", "c, d and 1 more"]
    assert "labelled" not in spec["description"]


def test_lines_of_equal_total_have_their_values_in_words_and_as_many_digits_as_the_axis(drawn, covid_scores):
    spec = drawn("plane", covid_scores, "--quiet")
    values = spec["datasets"]["values"]
    assert len(values) >= 2
    assert {len(row["label"].removeprefix("total ")) for row in values} == {len("0.05")}
    assert any(row["label"].startswith("total ") for row in values)
    for row in values:
        assert row["bias2"] + row["y"] == pytest.approx(float(row["label"].removeprefix("total ")))
        for channel, value in (("x", row["bias2"]), ("y", row["y"])):
            low, high = spec["layer"][0]["encoding"][channel]["scale"]["domain"]
            assert low < value < high
    assert "Pareto front of bias² and variance, 9 runs and 13 in grey or outside the axes" in spec["description"]


@pytest.mark.parametrize("width", ["one", "two"])
def test_every_plane_has_the_least_total_named_and_values_on_its_lines(drawn, covid_scores, width):
    models = ("sample_models", "--true", "sample_models/true.tsv.gz")
    for figure, inputs in (("plane", SAMPLE), ("total", SAMPLE), ("total", [covid_scores]), ("estimation", models)):
        data = drawn(figure, *inputs, "--width", width, "--quiet")["datasets"]
        least = min(data["runs"], key=lambda row: row["total"])["run"]
        assert least in {row["run"] for row in data["labels"]}, figure
        words = ("total", "0.") if figure != "total" else "variance = 0"
        assert all(row["label"].startswith(words) for row in data["values"]), figure
        assert len(data["values"]) == len(data["lines"]) // 2 >= (3 if figure != "total" else 0), figure


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [([-0.95, -0.3], -1.0, -0.2), ([-0.9, 0.05], -1.0, 0.2), ([0.5, 0.97], 0.4, 1.0), ([-0.95, -0.9], -1.0, -0.6)],
)
def test_an_axis_of_correlations_goes_no_further_than_what_is_on_it(values, low, high):
    from biasvar_cli.drawing.axes import correlation_axis

    rows = [{"observed": value, "low": None, "high": None} for value in values]
    first, last = correlation_axis("pearson", "score", rows)["scale"]["domain"]
    assert low - 0.07 < first < low
    assert high < last < high + 0.07


def _tracks(named):
    plain = dict.fromkeys(TrackTradeoff.__dataclass_fields__)
    plain |= {"measure": "AP", "target": "best", "rarefied": (), "null": {}, "n_samples": 0}
    for year, series, value in named:
        correlations = {**dict.fromkeys(SAMPLINGS, UNDEFINED), "single": replace(UNDEFINED, pearson=value)}
        of_track = {"track": f"T{year}{series}", "series": series, "year": year, "correlations": correlations}
        yield TrackTradeoff(**plain | of_track)


def _trend(named):
    from biasvar_cli.analyses.tracks.figures import trend_figure
    from biasvar_cli.decomposition import Design

    return trend_figure([TracksAnswer(TracksRequest(design=Design()), [*_tracks(named)])])


def test_every_year_that_has_room_is_on_the_axis_of_a_trend():
    years = [1994, 1996, 1997, 2006, 2010, 2011]
    axis = _trend([(year, "ad hoc", -0.5) for year in years])["layer"][0]["encoding"]["x"]["axis"]
    assert (axis["values"], axis["labelAngle"], axis["labelOverlap"]) == (years, -90, False)
    assert with_room(range(1900, 2001), 30) == [1900, 1930, 1960, 2000]


def test_the_lines_of_a_trend_have_patterns_that_differ_and_names_without_what_is_common():
    spec = _trend([(year, series, -0.5) for year in (2010, 2011, 2012) for series in ("ad hoc", "web", "terabyte")])
    dash = spec["layer"][1]["encoding"]["strokeDash"]
    assert dash["scale"]["domain"] == ["ad hoc", "terabyte", "web"]
    shares = [pattern[0] / sum(pattern) for pattern in dash["scale"]["range"]]  # how much of a line is drawn
    assert min(abs(one - other) for one, other in combinations(shares, 2)) > 0.2


@pytest.mark.parametrize(
    "tracks",
    [
        [(2012, "ad hoc"), (None, "ad hoc"), (2010, "ad hoc"), (2011, "ad hoc")],  # one has no year
        [(2011, "web"), (2010, "web"), (2012, "ad hoc"), (2010, "ad hoc")],  # two of a series
        [(2011, ""), (2010, "")],
    ],
)
def test_tracks_without_years_or_a_series_are_points_in_the_order_of_the_manifest(tracks):
    spec = _trend([(year, series, -0.1 * index) for index, (year, series) in enumerate(tracks)])
    assert [mark["mark"]["type"] for mark in spec["layer"]] == ["rule", "point"]
    tracks_drawn = spec["layer"][1]["encoding"]["y"]["scale"]["domain"]
    assert tracks_drawn == [f"T{year}{series}" for year, series in tracks]
    shown = [(row["track"], row["observed"]) for row in spec["datasets"]["rows"]]
    assert shown == [(track, -0.1 * index) for index, track in enumerate(tracks_drawn)]
    assert "years" not in spec["description"]


def test_more_tracks_than_have_room_are_counted_as_tracks():
    spec = _trend([(None, f"series{number}", -0.5) for number in range(60)])
    assert spec["datasets"]["unnamed"][0]["words"].endswith(" more tracks")


def test_words_beside_the_least_cover_neither_bars_nor_each_other(drawn, covid_scores):
    for form in ("score", "gap"):
        spec = drawn("ranked", covid_scores, "--form", form, "--quiet")
        totals = {}
        for row in spec["datasets"]["parts"]:
            totals[row["run"]] = totals.get(row["run"], 0) + row["value"]
        order, step = list(totals), 320 / 143
        middles = []
        for row in spec["datasets"]["least"]:
            middle = (order.index(row["run"]) + 0.5) * step + row["lower"]
            covered = [run for at, run in enumerate(order) if middle - 3 - step < at * step < middle + 3]
            assert row["at"] >= max(totals[run] for run in covered)
            middles.append(middle)
        assert min(last - first for first, last in pairwise(sorted(middles))) >= 8 - 0.02
        assert min(middles) >= 4 - 0.02
        assert max(middles) <= 316.02


def test_a_number_stays_with_its_percent_sign():
    wrapped = Style().wrapped
    assert wrapped("AP 76 %", 7, 24) == ["AP", "76 %"]
    assert wrapped("AP 5 %, 7", 7, 24) == ["AP", "5 %, 7"]


def test_one_loss_is_a_loss(drawn, covid_scores):
    spec = drawn("losses", covid_scores, "--quiet")
    assert "29 gains, 0 ties, 1 loss. " in spec["description"]
    legend = spec["layer"][0]["encoding"]["fill"]["legend"]
    assert legend["labelExpr"] == '{"gain": "29 gains", "loss": "1 loss"}[datum.label]'


EMPTY = '<svg><g class="role-mark layer_0"/></svg>'


@pytest.mark.anew
@pytest.mark.parametrize(
    ("suffix", "converter", "picture"),
    [
        *((suffix, "vegalite_to_svg", EMPTY) for suffix in ("svg", "png", "pdf")),
        *((suffix, f"svg_to_{suffix}", b"") for suffix in ("png", "pdf")),
    ],
)
def test_an_empty_picture_is_an_error_and_no_file(biasvar, monkeypatch, tmp_path, suffix, converter, picture):
    vl_convert = pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    monkeypatch.setattr(vl_convert, converter, lambda *_, **__: picture)
    out = tmp_path / f"plane.{suffix}"
    result = biasvar("plot", "plane", *SAMPLE, "-o", out)
    assert_refused(result, 1, "the figure cannot be drawn (the picture is empty)")
    assert not out.exists()
