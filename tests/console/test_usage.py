"""Wrong usage: one style of errors, and below the error the line that helps."""

from __future__ import annotations

import shlex

import pytest
from test_help import ALL

import biasvar_cli as bv
from biasvar_cli.console.help import with_qrels

MODELS = ("sample_models", "--true", "sample_models/true.tsv.gz", "--runs")
QRELS = "qrels/npl.qrels.txt"
SCORING = [  # the commands that score runs
    name for name, command in ALL.items() if name != "check" and any("-q" in each.opts for each in command.params)
]


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (
            "decompose",
            ["missing argument 'INPUTS...'", "Usage: biasvar decompose [OPTIONS] INPUTS...", "biasvar decompose -h"],
        ),
        (
            "dcompose",
            [
                "no such command 'dcompose'; did you mean decompose or compare?",
                "Usage: biasvar [OPTIONS] COMMAND [ARGS]...",
                "biasvar -h",
            ],
        ),
        (
            "decompose --tpo 3",
            ["no such option '--tpo'; did you mean --top or --pool or --topics?", "biasvar decompose -h"],
        ),
        ("decompose sample_runs -m", ["option '-m' requires an argument", "biasvar decompose -h"]),
        ("plot plane x -o y", ["invalid value for 'INPUTS...': Path 'x' does not exist", "biasvar plot plane -h"]),
        ("tracks docs/tracks.toml y", ["got unexpected extra argument (y)", "biasvar tracks -h"]),
        ("decompose sample_runs --eps 3", ["--eps: needs --log, floor or add", "biasvar decompose -h"]),
        ("decompose sample_runs", ["TREC runs need relevance judgments: add -q QRELS", "biasvar decompose -h"]),
        ("risk sample_runs --baseline run:", ["baseline 'run:': expected run:NAME", "biasvar risk -h"]),
    ],
)
def test_wrong_usage_is_one_error_and_says_what_helps(biasvar, arguments, lines):
    result = biasvar(*shlex.split(arguments))
    first, *others, last = lines
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines() == [f"biasvar: error: {first}", *others, f"Try '{last}' for help."]


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", [name for name in SCORING if "judges" not in name])
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


def test_the_corrected_command_is_quoted_and_works(biasvar, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my qrels").write_text("1 0 a 1\n")
    (tmp_path / "bm25").write_text("1 Q0 a 1 1 bm25\n")
    result = biasvar("decompose", "my qrels", "bm25", "-f", "csv")
    command = result.err.splitlines()[-1]
    assert command == "biasvar decompose -q 'my qrels' bm25 -f csv"
    assert biasvar(*shlex.split(command)[1:]).code == 0


def test_several_files_that_may_be_the_qrels_are_named(biasvar, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        (tmp_path / name).write_text("1 0 a 1\n")
    (tmp_path / "bm25").write_text("1 Q0 a 1 1 bm25\n")
    result = biasvar("decompose", "a", "b", "bm25")
    assert result.err == (
        "biasvar: error: TREC runs need relevance judgments; a, b are shaped like qrels; choose one with -q\n"
        "Try 'biasvar decompose -h' for help.\n"
    )


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("runs q", "runs -q q"),
        ("q runs -m AP q", "-q q runs -m AP"),
        ("folder -m AP", "folder -m AP -q q"),
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
    assert result.code == 1
    assert "Try " not in result.err


@pytest.mark.filterwarnings("always::biasvar_cli.errors.DataWarning")
def test_a_level_that_was_meant_as_a_p_value_has_a_warning(biasvar, tmp_path):
    path = tmp_path / "ap.csv"
    path.write_text("AP,A,B\n" + "".join(f"{query},0.{query},0.{9 - query}\n" for query in range(1, 9)))
    result = biasvar("compare", path, "--level", "0.01")
    assert result.code == 0
    assert "warning: --level 0.01 is a level of confidence, 1 - p: for p < 0.01 it is --level 0.99\n" in result.err
    with pytest.warns(bv.DataWarning, match=r"ci=0\.05 is a level of confidence, 1 - p: for p < 0\.05 it is ci=0\.95"):
        bv.decompose(path, ci=0.05)
    assert "level of confidence" not in biasvar("compare", path, "--level", "0.5").err
