"""Figures of a leaderboard: few runs, two of which are nearly the same, and collections with long names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from conftest import RealData


@pytest.fixture
def board(shared: RealData) -> Path:
    """Seven runs on 29 collections; the best two have one point, at the left end of the stairs of the front."""
    return shared / "beir-leaderboard" / "beir-ndcg10.csv"


def drawn(biasvar: Any, out: Path, *words: object) -> str:
    result = biasvar("plot", *words, "-o", out)
    assert result.code == 0, result.err
    return out.read_text()


@pytest.mark.parametrize("figure", ["target", "queries"])
def test_names_of_collections_stand_in_full_on_the_axis(biasvar, board, tmp_path, figure):
    spec = drawn(biasvar, tmp_path / "figure.json", figure, board, "--width", "two")
    assert "cqadupstack-programmers" in spec
    assert "cqadupst…" not in spec
    assert "cqadupsta…" not in spec


def test_the_least_total_has_a_name_where_there_is_little_space_too(biasvar, board, tmp_path):
    spec = drawn(biasvar, tmp_path / "plane.json", "plane", board)
    labels = re.findall(r'"label": "(?!total)(.*)"', spec)
    assert len(labels) == 7  # of all runs: two that stand at one point have a name each
    first, second = sorted(label for label in labels if label.startswith("bge"))
    assert first.endswith("flat")
    assert second.endswith("aiss")
