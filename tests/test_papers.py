"""SIGIR'13, Tables 1 and 2, recomputed by hand: from score files, and from runs and qrels.

Misprints of the paper: Table 1 prints Var(B) = 0.0646 for 0.0676 (the IP&M article prints 0.0676) and the total of C as
0.182 for 0.1082.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import only, write_scores

SCORES = {"A": (0.3, 0.1), "B": (0.6, 0.08), "C": (0.65, 0.03), "C2": (0.32, 0.11), "T": (0.7, 0.2)}

SCORE_FORM = {  # mean, bias, bias2, var, total
    "A": (0.20, 0.25, 0.0625, 0.01, 0.0725),
    "B": (0.34, 0.11, 0.0121, 0.0676, 0.0797),  # printed 0.0646
    "C": (0.34, 0.11, 0.0121, 0.0961, 0.1082),  # printed 0.182
    "C2": (0.215, 0.235, 0.055225, 0.011025, 0.06625),
    "T": (0.45, 0, 0, 0.0625, 0.0625),
}
GAP_FORM = {  # bias, var_gap, total_gap
    "A": (0.25, 0.0225, 0.0850),
    "B": (0.11, 0.0001, 0.0122),
    "C": (0.11, 0.0036, 0.0157),
    "C2": (0.235, 0.021025, 0.07625),
    "T": (0, 0, 0),
}
TARGET_ONE = {  # bias2 = (1 - mean)^2, total = bias2 + var
    "A": (0.64, 0.65),
    "B": (0.4356, 0.5032),
    "C": (0.4356, 0.5317),
    "C2": (0.616225, 0.62725),
    "T": (0.3025, 0.365),
}
# bias = ln(GMAP of T / GMAP), var that of ln AP; for A (ln 7/3 + ln 2)/2 = .770223 and ((ln 3)/2)^2 = .301737.
LOG_FORM = {  # bias, var, total, six decimals
    "A": (0.770223, 0.301737, 0.894980),
    "B": (0.535221, 1.014959, 1.301420),
    "C": (0.985614, 2.365098, 3.336533),
    "C2": (0.690298, 0.285071, 0.761582),
    "T": (0, 0.392354, 0.392354),
}


@pytest.fixture(params=["score file", "trec_eval files", "runs and qrels"])
def inputs(request, tmp_path: Path) -> list[str]:
    """The five runs of the tables in each kind of input."""
    folder = tmp_path / "in"
    folder.mkdir()
    if request.param == "score file":
        write_scores(folder / "ap.csv", [*SCORES.values()], SCORES)
        return [str(folder)]
    if request.param == "trec_eval files":
        for name, (one, two) in SCORES.items():
            lines = [("q1", one), ("q2", two), ("all", (one + two) / 2)]
            (folder / name).write_text("".join(f"{'map':22}\t{query}\t{value:.4f}\n" for query, value in lines))
        return [str(folder)]
    # A topic with 100 relevant documents of which the first n ranks hold n: AP = n / 100.
    qrels = "".join(f"q{query} 0 rel{doc:03} 1\n" for query in (1, 2) for doc in range(100))
    (tmp_path / "qrels").write_text(qrels)
    for name, pair in SCORES.items():
        found = ((query, doc) for query, score in enumerate(pair, 1) for doc in range(round(100 * score)))
        lines = (f"q{query} Q0 rel{doc:03} {doc + 1} {100 - doc} {name}\n" for query, doc in found)
        (folder / name).write_text("".join(lines))
    return [str(folder), "-q", str(tmp_path / "qrels")]


@pytest.mark.parametrize(
    ("options", "columns", "expected", "tolerance"),
    [
        ("--target run:T", "mean bias bias2 var total", SCORE_FORM, 1e-12),
        ("--target best", "mean bias bias2 var total", SCORE_FORM, 1e-12),  # which is T
        ("--target mean:0.45", "mean bias bias2 var total", SCORE_FORM, 1e-12),
        ("--target run:T", "bias var_gap total_gap", GAP_FORM, 1e-12),
        ("--target perfect", "bias2 total", TARGET_ONE, 1e-12),
        ("--target run:T --log floor", "bias var total", LOG_FORM, 5e-7),
    ],
)
def test_numbers_are_those_of_the_tables(biasvar, inputs, options, columns, expected, tolerance):
    for row in only(biasvar("decompose", *inputs, *options.split(), "-f", "json"))["runs"]:
        values = tuple(row[name] for name in columns.split())
        assert values == pytest.approx(expected[row["run"]], abs=tolerance), row["run"]
