"""Figures on a screen: the figure of the page, its lengths in pixels."""

from __future__ import annotations

import json
import re
import struct
from typing import Any, cast

import pytest
from conftest import ROOT, drawn_of

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.drawing.export import _AREAS, _LENGTHS, in_pixels, picture_of

FIGURES = [figure for analysis in ANALYSES for figure in analysis.figures]
INPUTS = {
    "estimation": ("sample_models", "--true", "sample_models/true.tsv.gz", "--families", "(comb|nrr)-(.*)"),
    "trend": ("docs/tracks.toml", "--no-null"),
}
OPTIONS = {
    "plane": ("--families", "(comb|nrr)-(.*)", "--baseline", "rm"),
    "tradeoff": ("--no-null",),
    "queries": ("--target", "run:rm"),
    "swap": ("--splits", 20),
}
# Numbers that are no lengths: shares, angles, numbers of something, and values of the data.
NUMBERS = {"opacity", "gridOpacity", "symbolOpacity", "labelAngle", "bandPosition", "paddingInner", "paddingOuter"}
NUMBERS |= {"angle", "datum", "zindex", "columns", "tickCount", "tickMinStep", "domain", "values"}
NUMBERS |= {"band", "equal", "lt"}


@pytest.fixture(scope="module")
def specs() -> dict[str, str]:
    """The figures that were drawn, as JSON."""
    return {}


@pytest.fixture(params=FIGURES)
def spec(request, drawn, specs, sample_scores, monkeypatch) -> dict[str, Any]:
    """Every figure, drawn once for all tests."""
    monkeypatch.chdir(ROOT)
    if request.param not in specs:
        inputs = INPUTS.get(request.param, drawn_of(request.param, sample_scores))
        specs[request.param] = json.dumps(drawn(request.param, *inputs, *OPTIONS.get(request.param, ()), "--quiet"))
    return cast("dict[str, Any]", json.loads(specs[request.param]))


def lengths(part: Any, key: str = "") -> list[tuple[str, Any]]:
    """The numbers and expressions of a specification, with their keys."""
    if isinstance(part, dict):
        if list(part) == ["expr"]:
            return [(key, part["expr"])]
        own = ((key if name in ("condition", "value") else name, value) for name, value in part.items())
        pairs = (lengths(value, name) for name, value in own if name not in ("datasets", "scale"))
        return [number for pair in pairs for number in pair] + lengths(part.get("scale", {}).get("range"), "range")
    if isinstance(part, list):
        return [number for value in part for number in lengths(value, key)]
    return [(key, part)] if isinstance(part, int | float) and not isinstance(part, bool) else []


def test_every_number_is_known_to_be_a_length_or_none(spec):
    unknown = {key for key, _ in lengths(spec)} - _LENGTHS - _AREAS - NUMBERS - {"align", "angle"}
    assert not unknown, "is it a length? then it belongs in drawing.export._LENGTHS"


def test_lengths_are_four_thirds_and_the_data_are_the_same(spec):
    shown = in_pixels(spec)
    assert shown["datasets"] == spec["datasets"]
    assert json.loads(json.dumps(spec)) == spec  # which is not changed
    pairs = list(zip(lengths(spec), lengths(shown), strict=True))
    assert len(pairs) > 20
    for (key, points), (name, pixels) in pairs:
        assert key == name
        if isinstance(points, str):
            assert (points == pixels) == (key in ("align", "angle")), key
        elif key in NUMBERS:
            assert points == pixels, key
        else:
            assert pixels in (pytest.approx(points * 4 / 3, abs=0.001), pytest.approx(points * 16 / 9, abs=0.001)), key


@pytest.mark.long
def test_version_5_draws_it_as_version_6_does_and_larger(spec):
    vl_convert = pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    page = vl_convert.vegalite_to_svg(spec, vl_version="6.1")
    other = vl_convert.vegalite_to_svg({**spec, "$schema": in_pixels(spec)["$schema"]}, vl_version="5.8")
    counted = re.compile(r"(gradient_|#?clip)\d+")
    assert counted.sub(r"\1", other) == counted.sub(r"\1", page)
    screen = vl_convert.vegalite_to_svg(in_pixels(spec), vl_version="5.20")
    tolerance = 0.01 if _is_fitted(spec) else 5  # of text, whose sizes are rounded
    assert sides(screen) == pytest.approx([side * 4 / 3 for side in sides(page)], abs=tolerance)
    assert sizes(screen) == pytest.approx([size * 4 / 3 for size in sizes(page)], abs=0.01)
    assert min(sizes(screen)) >= 8


def _is_fitted(spec: dict[str, Any]) -> bool:
    """Whether the figure has a height, and not one that is made of what is on it."""
    return spec.get("autosize", {}).get("type") == "fit"


def sides(svg: str) -> list[float]:
    return [float(side) for side in re.findall(r'(?:width|height)="([\d.]+)', svg)[:2]]


def sizes(svg: str) -> list[float]:
    """The sizes of type in a drawing."""
    return sorted({float(size) for size in re.findall(r'font-size="([\d.]+)px', svg)})


@pytest.mark.parametrize("spec", ["plane", "queries", "summary"], indirect=True)
def test_the_picture_has_two_dots_a_pixel(spec):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    picture = picture_of(spec)
    width, height = struct.unpack(">II", picture.png[16:24])
    assert (width, height) == pytest.approx((2 * picture.width, 2 * picture.height), abs=1)
    points = spec["height"] if _is_fitted(spec) else height * 72 / 192
    assert (picture.width, picture.height) == pytest.approx((320, points * 4 / 3), abs=1.5)
