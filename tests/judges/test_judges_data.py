"""63 runs of TREC Deep Learning 2021 under eight judges, beside figures of an independent program."""

from __future__ import annotations

import json
from typing import Any

import pytest

JUDGES = {  # mean, slope, msd, shift, query, compression, favour, rest; taus; both, reversed, lost, gained; favoured
    "umbrela-gpt-4o": (
        (0.671, 1.10, 0.0395, 0.0104, 0.0202, 0.0001, 0.0002, 0.0086),
        (0.94, 0.93, 0.69, 0.93, 0.78),
        (742, 0, 28, 71),
        {"favoured": [], "disfavoured": []},
    ),
    "umbrela-gpt-4": (
        (0.711, 1.05, 0.0504, 0.0201, 0.0203, 0.0000, 0.0002, 0.0097),
        (0.92, 0.91, 0.71, 0.91, 0.78),
        (682, 0, 88, 27),
        {"favoured": [], "disfavoured": []},
    ),
    "binary-gpt-4": (
        (0.802, 0.98, 0.1001, 0.0544, 0.0282, 0.0000, 0.0008, 0.0167),
        (0.90, 0.87, 0.59, 0.87, 0.78),
        (429, 0, 341, 4),
        {"favoured": ["watpfd"], "disfavoured": ["uogTrPCP"]},
    ),
    "exam-gpt-4": (
        (0.754, 0.72, 0.0744, 0.0342, 0.0256, 0.0010, 0.0009, 0.0126),
        (0.85, 0.80, 0.59, 0.82, 0.69),
        (380, 0, 390, 15),
        {"favoured": ["watpfd", "watpff", "watpfp"], "disfavoured": ["uogTrPCP"]},
    ),
    "umbrela-llama3.2-pass1": (
        (0.689, 0.47, 0.0702, 0.0145, 0.0331, 0.0036, 0.0003, 0.0186),
        (0.84, 0.82, 0.48, 0.82, 0.66),
        (257, 0, 513, 0),
        {"favoured": [], "disfavoured": ["uogTrPCP"]},
    ),
}
PARTS = ["mean", "slope", "msd", "shift", "query", "compression", "favour", "rest"]
TAUS = ["tau", "tau_total", "tau_var", "tau_total_gap", "tau_var_gap"]
PAIRS = ["both", "reversed", "lost", "gained"]
DIGITS = (3, 2, *[4] * 6)
_FOUND: dict[str, Any] = {}


@pytest.fixture
def found(biasvar: Any, shared: Any) -> dict[str, Any]:
    """All judges at once, in JSON; computed once."""
    folder = shared / "dl21-judges"
    runs, qrels = folder / "runs", folder / "qrels"
    if not _FOUND:
        words = [word for name in ("human", *JUDGES) for word in ("-q", qrels / f"{name}.txt")]
        out = biasvar("judges", runs, *words, "-m", "nDCG@10", "--samples", "1000", "-f", "json", "--quiet").out
        _FOUND.update(json.loads(out)["results"][0])
    return _FOUND


def test_the_reference(found):
    assert (found["n_runs"], found["n_queries"], round(found["mean"], 3)) == (63, 53, 0.569)
    assert abs(found["n_significant"] - 770) < 50
    assert round(found["pearson"], 2) == 0.47


@pytest.mark.parametrize("name", JUDGES)
def test_a_judge(found, name):
    """Pairs have a Monte Carlo error: a standard deviation of about 16 for each judge."""
    (judge,) = (judge for judge in found["judges"] if judge["judge"] == name)
    parts, taus, pairs, called = JUDGES[name]
    assert [round(judge[part], digits) for part, digits in zip(PARTS, DIGITS, strict=True)] == list(parts)
    assert [round(judge[tau], 2) for tau in TAUS] == list(taus)
    assert judge["pearson"] > found["pearson"] + 0.1
    for kind, number in zip(PAIRS, pairs, strict=True):
        assert abs(judge[kind] - number) < 50, kind
    assert {mark: sorted(judge[mark]) for mark in called} == called
    marks = {run["run"]: run["mark"] for run in found["runs"] if run["judge"] == name and run["mark"]}
    assert marks == {
        **dict.fromkeys(judge["favoured"], "favoured"),
        **dict.fromkeys(judge["disfavoured"], "disfavoured"),
    }


def test_three_passes_are_one_row(biasvar, shared):
    folder = shared / "dl21-judges"
    words = [word for number in (1, 2, 3) for word in ("-q", folder / "qrels" / f"umbrela-llama3.2-pass{number}.txt")]
    start = ("judges", folder / "runs", "-q", folder / "qrels" / "human.txt", *words, "-m", "nDCG@10", "-f", "json")
    quick = (*start, "--samples", "100", "--quiet")
    passes = json.loads(biasvar(*quick).out)["results"][0]["judges"]
    (row,) = json.loads(biasvar(*quick, "--replicates", "-pass[0-9]+").out)["results"][0]["judges"]
    assert (row["judge"], row["n_passes"]) == ("umbrela-llama3.2", 3)
    assert sum(judge["msd"] for judge in passes) / 3 == pytest.approx(row["msd"] + row["var_passes"])
