"""Names of runs as typed: the whole name, or the beginning of one run's; outputs have the whole name."""

from __future__ import annotations

import pytest
from conftest import assert_refused, only, write_scores

RUNS = ("ql-cata.run", "ql-catb.run", "rm", "rm3.run")
VALUES = ([0.3, 0.1, 0.4, 0.2], [0.6, 0.08, 0.2, 0.3], [0.65, 0.03, 0.5, 0.1], [0.7, 0.2, 0.1, 0])
TWO = "2 runs begin with that: ql-cata, ql-catb; which one is meant?"
NONE = "there is no such run; "


@pytest.fixture
def scores(tmp_path):
    return write_scores(tmp_path / "ap.csv", VALUES, RUNS)


COMMANDS = {  # what is typed, with the name that stands for NAME; where the full name is in JSON
    "decompose --baseline NAME --no-null": lambda result: result["baseline"]["run"],
    "decompose --target run:NAME --no-null": lambda result: result["target"]["label"].removeprefix("run:"),
    "risk --baseline run:NAME": lambda result: result["baseline"]["label"].removeprefix("run:"),
    "risk --table run:NAME": lambda result: result["run"],
    "compare --baseline NAME --samples 100 --splits 10": lambda result: result["baseline"],
    "summary --baseline run:NAME --samples 100": lambda result: result["baseline"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_run_is_named_by_the_beginning_of_its_name(biasvar, scores, command):
    def call(name):
        first, *options = command.replace("NAME", name).split()
        return biasvar(first, scores, *options, "-f", "json")

    full = call("ql-cata.run")
    assert call("ql-cata") == full
    assert COMMANDS[command](only(full)) == "ql-cata.run"
    for name, message in (("ql-cat", TWO), ("q", TWO), ("cata.run", NONE), ("rm3.run.gz", NONE)):
        assert_refused(call(name), 1, "biasvar: error: --", message)
    assert only(call("rm")) != only(call("rm3")), "a whole name is no beginning"


def test_a_file_names_the_family_s_baseline_by_its_beginning_too(biasvar, scores):
    words = ("tradeoff", scores, "--families", "(ql|rm)(.*)", "--no-null")
    full = biasvar(*words, "--baseline", "ql-cata.run")
    assert (full.code, full.err) == (0, "")
    assert biasvar(*words, "--baseline", "ql-cata") == full
    assert "ql-cata" in full.out


def test_figures_and_the_page_take_the_beginning_of_a_name(biasvar, scores, tmp_path):
    families = ("--families", "(ql|rm)(.*)", "--baseline")
    for words in (("plot", "plane", scores, *families), ("plot", "losses", scores, "--run")):
        written = []
        for name in ("ql-cata.run", "ql-cata"):
            result = biasvar(*words, name, "-o", tmp_path / "x.json")
            assert result.code == 0, result.err
            written.append((tmp_path / "x.json").read_bytes())
        assert written[0] == written[1]
    assert_refused(biasvar("report", scores, "--baseline", "ql", "-o", tmp_path / "x.html"), 1, TWO)


@pytest.mark.usefixtures("in_the_checkout")
def test_models_are_named_by_the_beginning_of_their_names(biasvar):
    words = ("models", "sample_models", "--true", "sample_models/true.tsv.gz", "-f", "json")
    short = biasvar(*words, "--original", "ori", "--baseline", "n")
    assert short == biasvar(*words, "--original", "orig", "--baseline", "nrr-1.0")
    several = "2 models begin with that: comb-0.1, comb-0.5; which one is meant?"
    for option in ("--original", "--baseline"):
        assert_refused(biasvar(*words, option, "comb"), 1, f"{option} comb: {several}")


def test_decompose_takes_the_run_of_the_best_mean_as_its_baseline(biasvar, scores):
    baselines = ("top", "rm")  # mean .32, the best
    top, named = (only(biasvar("decompose", scores, "--baseline", name, "-f", "json")) for name in baselines)
    assert top["baseline"] == named["baseline"]
    for row, other in zip(top["runs"], named["runs"], strict=True):
        assert {name for name in row if row[name] != other[name]} <= {name for name in row if name.endswith("_holm")}
    for word in ("mean", "median", "best", "file:x"):
        message = f"--baseline: runs are compared with a run, NAME, run:NAME or top; found {word}\n"
        assert_refused(biasvar("decompose", scores, "--baseline", word), 2, message)


def test_a_suffix_comes_before_other_names_that_begin_so(biasvar, shared):
    folder = shared / "web2012-indri"
    words = ("decompose", folder / "runs", "-q", folder / "qrels.txt", "-m", "ERR@20", "--no-null", "-f", "json")
    full = biasvar(*words, "--baseline", "ql-cata.run")
    assert only(full)["baseline"]["run"] == "ql-cata.run"
    assert biasvar(*words, "--baseline", "ql-cata") == full  # there is ql-cata-filtered.run too
    listed = "ql-cata-filtered, ql-cata, ql-catb-filtered, ql-catb; which one is meant?"
    assert_refused(biasvar(*words, "--baseline", "ql"), 1, f"--baseline ql: 4 runs begin with that: {listed}\n")
