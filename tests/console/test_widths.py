"""How wide the text of every command is: at most 100 columns in a pipe, and at most those of a terminal."""

from __future__ import annotations

import pytest
from conftest import SAMPLE, other_judge

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.cli import main

MODELS = ("sample_models", "--true", "sample_models/true.tsv.gz")
NOT_A_TABLE = ("scores",)  # its usual format is csv
FEW = ("--null-samples", 100)
OPTIONS = {  # by command, further tables and columns
    "compare": [("--baseline", "run1"), ("--table", "pairs", "--top", 5), ("--table", "power"), ("--table", "swap")],
    "decompose": [("--ci", ".9", "--resamples", 50), ("--baseline", "run1"), ("--form", "both", "--rank", "--pareto")],
    "risk": [("--alpha", "0,1,5,10"), ("--baseline", "run:run1"), ("--ci", ".9", "--resamples", 50)],
    "judges": [("--table", "runs"), ("--table", "runs", "--level", ".9"), ("--table", "queries"), ("--notes", "full")],
    "unjudged": [("-m", "nDCG@10", "--notes", "full")],
    "models": [
        ("--baseline", "rm", "--ci", ".9", "--resamples", 50, "--families", "(comb)-(.*)"),
        ("--runs", "sample_runs", "-q", "qrels/npl.qrels.txt", "--notes", "full"),
        ("--divergence", "kl-fwd", "--notes", "full"),
    ],
    "sensitivity": [
        ("--table", "runs"),
        ("--table", "targets"),
        ("--table", "neighbours"),
        ("--table", "mean"),
        ("--table", "queries"),
    ],
    "profile": [("--baseline", "top", "--notes", "full"), ("--table", "versus"), ("--table", "queries", "--top", 5)],
    "summary": [("--errors",), ("--baseline", "run1")],
    "target": [
        ("--table", "runs"),
        ("--table", "queries"),
        ("--table", "rarefied"),
        ("--rarefied", 10),
        ("--notes", "full"),
    ],
    "tracks": [("--table", "null"), ("--table", "trends"), ("--notes", "full"), ("--correlation", "kendall")],
    "check": [("--files",)],
    "tradeoff": [("--detail", "difficulty"), ("--families", "(run)(.*)", *FEW)],
}
USUAL = {"decompose": FEW, "tradeoff": FEW, "tracks": FEW}
ALL = [analysis.name for analysis in ANALYSES if analysis.name not in NOT_A_TABLE]


@pytest.fixture(scope="session")
def scores(shared, tmp_path_factory):
    """nDCG@10 of the runs with the 20 longest names of a track, and of run1."""
    track, path = shared / "covid-round1", tmp_path_factory.mktemp("widths") / "ndcg.csv"
    runs = sorted((track / "runs").iterdir(), key=lambda run: (run.name != "run1.gz", -len(run.name), run.name))[:21]
    options = ("-q", track / "qrels.txt", "-m", "nDCG@10", "-f", "matrix", "--quiet", "-o", path)
    assert main(["scores", *map(str, runs), *map(str, options)]) == 0
    return path


def widest(out):
    """The longest line of a text that has one table or more."""
    return max(out.rstrip("\n").split("\n"), key=len)


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("command", ALL)
@pytest.mark.parametrize("columns", [100, 40])
def test_no_line_is_wider_than_the_page_or_the_terminal(biasvar, scores, monkeypatch, command, columns):
    if columns != 100:
        monkeypatch.setattr("biasvar_cli.console.output.width", lambda: columns)
    others = {"models": MODELS, "tracks": ("docs/tracks.toml",), "profile": ("run1", scores)}
    others |= {"judges": (scores, other_judge(scores)), "unjudged": ("sample_runs", "-q", "qrels/npl-pool.qrels.txt")}
    others |= {"check": SAMPLE}
    given = others.get(command, (scores,))
    for options in [USUAL.get(command, ()), *OPTIONS.get(command, [])]:
        result = biasvar(command, *given, *options)
        assert result.code == 0, result.err
        assert len(widest(result.out)) <= columns, (options, widest(result.out))


@pytest.mark.usefixtures("in_the_checkout")
def test_a_wide_table_has_all_columns(biasvar, monkeypatch):
    monkeypatch.setattr("biasvar_cli.console.output.width", lambda: 60)
    text = biasvar("decompose", *SAMPLE, "--no-null", "--form", "both").out
    assert "Hidden (--wide): bias, total_gap" in " ".join(text.split())
    wide = biasvar("decompose", *SAMPLE, "--no-null", "--form", "both", "--wide").out
    assert "left out" not in wide
    assert len(widest(wide)) > 60


@pytest.mark.usefixtures("in_the_checkout")
def test_long_names_are_broken_in_a_narrow_terminal_and_whole_with_wide(biasvar, tmp_path, monkeypatch):
    monkeypatch.setattr("biasvar_cli.console.output.width", lambda: 40)
    names = ["team-" + sign * 60 for sign in "xy"]
    table = tmp_path / "scores.csv"
    table.write_text("query," + ",".join(names) + "\n" + "".join(f"{q},.{q},.{q * q + 3}\n" for q in range(1, 9)))
    lines = biasvar("compare", table, "--table", "pairs").out.splitlines()
    rows = [line for line in lines if line.startswith(("---", "team-", "x", "y"))]
    assert max(map(len, rows)) <= 40
    assert "".join(row.split("  ")[0] for row in rows[1:]) in names
    assert names[0] in biasvar("compare", table, "--table", "pairs", "--wide").out
