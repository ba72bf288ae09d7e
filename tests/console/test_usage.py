"""Wrong usage: one style of errors, and below the error the line that helps."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pytest
from conftest import assert_refused, write_scores
from test_help import FEW

import biasvar_cli as bv
from biasvar_cli.console.help import with_qrels

MODELS = ("sample_models", "--true", "sample_models/true.tsv.gz", "--runs")
QRELS = "qrels/npl.qrels.txt"
SCORING = [  # the commands that score runs
    name for name, command in FEW.items() if name != "check" and any("-q" in each.opts for each in command.params)
]


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ("decompose", "missing argument 'INPUTS...'\nUsage: biasvar decompose [OPTIONS] INPUTS..."),
        ("decompose --tpo 3", "no such option '--tpo'; did you mean --top or --pool or --topics?"),
        ("check --unit task", "no such option '--unit'; it is an option of compare, decompose, judges and 9 more"),
        ("decompose sample_runs -m", "option '-m' requires an argument"),
        ("plot plane x -o y", "invalid value for 'INPUTS...': Path 'x' does not exist"),
        ("tracks docs/tracks.toml y", "got unexpected extra argument (y)"),
        ("decompose sample_runs --eps 3", "--eps: needs --log, floor or add"),
        ("decompose sample_runs", "TREC runs need relevance judgments: add -q QRELS"),
        ("risk sample_runs --baseline run:", "baseline 'run:': expected run:NAME"),
    ],
)
def test_wrong_usage_is_one_error_and_says_what_helps(biasvar, arguments, lines):
    command = "plot plane" if "plot" in arguments else arguments.split()[0]
    result = biasvar(*arguments.split())
    assert (result.code, result.out) == (2, "")
    assert result.err == f"biasvar: error: {lines}\nTry 'biasvar {command} -h' for help.\n"


def test_an_unknown_command_has_near_ones(biasvar):
    result = biasvar("dcompose")
    assert_refused(result, 2, "no such command 'dcompose'; did you mean decompose or compare?\nUsage: biasvar [OPT")
    assert result.err.endswith("\nTry 'biasvar -h' for help.\n")


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", [name for name in SCORING if not {"judges", "calibrated"} & {*name.split()}])
def test_qrels_among_the_inputs_are_answered_with_the_command_that_was_meant(biasvar, name):
    first = {"models": MODELS, "profile": ("rm",)}.get(name.split()[-1], ())
    typed = [*name.split(), *first, "sample_runs"]
    qrels = ["--runs", QRELS] if name == "models" else [QRELS]
    output = ["-o", "my file.html" if name == "report" else "my file.json"]
    result = biasvar(*typed, *qrels, *output)
    assert (result.code, result.out) == (2, "")
    error, command = result.err.splitlines()
    assert error.endswith(f"{QRELS} is shaped like qrels, so give it with -q:")
    expected = [*output, "-q", QRELS] if name == "models" else ["-q", QRELS, *output]
    assert shlex.split(command) == ["biasvar", *typed, *expected]


def test_the_corrected_command_is_quoted_and_works_and_several_qrels_are_named(biasvar, in_an_empty_folder):
    for name in ("my qrels", "b"):
        Path(name).write_text("1 0 a 1\n")
    Path("bm25").write_text("1 Q0 a 1 1 bm25\n")
    command = biasvar("decompose", "my qrels", "bm25", "-f", "csv").err.splitlines()[-1]
    assert command == "biasvar decompose -q 'my qrels' bm25 -f csv"
    assert biasvar(*shlex.split(command)[1:]).code == 0
    message = "TREC runs need relevance judgments; b, my qrels are shaped like qrels; choose one with -q\n"
    assert_refused(biasvar("decompose", "my qrels", "b", "bm25"), 2, message)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("runs q", "runs -q q"),
        ("q runs -m AP q", "-q q runs -m AP"),
        ("folder -m AP -- -runs", "folder -m AP -q q -- -runs"),
        ("runs --pool=q", "runs -q q"),
        ("runs -m q q", "runs -q q"),
        ("--recursive q runs", "--recursive -q q runs"),
    ],
)
def test_the_judgments_take_the_place_of_the_input(typed, expected):
    assert shlex.join(with_qrels(typed.split(), "q", {"-m", "--pool"})) == expected


def test_an_error_of_a_file_is_told_without_the_line_for_wrong_usage(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text("AP,A\nq1,x\n")
    result = biasvar("decompose", tmp_path / "ap.csv")
    assert (result.code, "Try " in result.err) == (1, False)


@pytest.mark.filterwarnings("always::biasvar_cli.errors.DataWarning")
def test_a_level_that_was_meant_as_a_p_value_has_a_warning(biasvar, tmp_path):
    path = write_scores(tmp_path / "ap.csv", [np.arange(1, 9) / 10, np.arange(9, 1, -1) / 10])
    result = biasvar("compare", path, "--level", "0.01")
    assert result.code == 0
    assert "warning: --level 0.01 is a level of confidence, 1 - p: for p < 0.01 it is --level 0.99\n" in result.err
    with pytest.warns(bv.DataWarning, match=r"ci=0\.05 is a level of confidence, 1 - p: for p < 0\.05 it is ci=0\.95"):
        bv.decompose(path, ci=0.05)
    assert "level of confidence" not in biasvar("compare", path, "--level", "0.5").err


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("measure", ["P(rel=1or 2)@5", "P(rel=1if 1 else 2)@5", "P@(1is 2)"])
def test_python_says_nothing_beside_the_error(biasvar, measure):
    """It finds doubtful what stands there, and warns of it."""
    result = biasvar("decompose", "sample_runs", "-q", QRELS, "-m", measure)
    assert result.code == 2
    assert "SyntaxWarning" not in result.err
    assert f"cannot read measure '{measure}'" in result.err
