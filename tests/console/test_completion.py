"""What a shell offers: measures, targets, runs, columns, formats and figures; in bash, zsh and fish."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from click.shell_completion import ZshComplete
from conftest import ROOT, rows_of, unix, write_scores

from biasvar_cli.cli import biasvar as program
from biasvar_cli.console.completion import WholeWords

RUNS = ("sample_runs/comb-0.1.gz", "sample_runs/nrr-0.1.gz", "--pool", "sample_runs/rm.gz")

pytestmark = pytest.mark.usefixtures("in_the_checkout")


def offered(*typed: str) -> list[str]:
    """What is offered for the last word."""
    complete = ZshComplete(program, {}, "biasvar", "_BIASVAR_COMPLETE")
    return [item.value for item in complete.get_completions(list(typed[:-1]), typed[-1])]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (("dec",), ["decompose"]),
        (("plot", "ra"), ["ranked", "rarefaction"]),
        (("decompose", "-f", "m"), ["markdown"]),
        (("decompose", "--seed", "1", "--seed", "2", "-f", "p"), ["parquet"]),  # a line that is refused as a whole
        (("decompose", "sample_runs", "-m", "nDCG@1"), ["nDCG@10", "nDCG@100", "nDCG@1000"]),
        (("decompose", "-m", "ER"), ["ERR_IA", "ERR"]),
        (("decompose", "--target", "be"), ["best", "best:"]),
        (("decompose", *RUNS, "--target", "run:"), ["run:comb-0.1", "run:nrr-0.1", "run:rm"]),
        (("decompose", "--target", "file:docs/pipeline"), ["file:docs/pipeline.mk", "file:docs/pipelines.md"]),
        (("decompose", *RUNS, "--baseline", ""), ["top", "run:", "comb-0.1", "nrr-0.1", "rm"]),
        (("decompose", "sample_runs", "--baseline", "or"), ["orig"]),
        (("risk", *RUNS, "--baseline", "me"), ["mean", "median"]),
        (("risk", *RUNS, "--baseline", "run:n"), ["run:nrr-0.1"]),
        (("risk", *RUNS, "--table", "run:c"), ["run:comb-0.1"]),
        (("decompose", "--sort", "total_g"), ["total_gap", "total_gap_low", "total_gap_high"]),
        (("risk", "--sort", "u_risk_5"), ["u_risk_5", "u_risk_5_low", "u_risk_5_high"]),
        (("tradeoff", "--sort", "b"), []),
        (("tradeoff", "--detail", "single", "--sort", "b"), ["bias", "bias2", "between", "below"]),
        (("target", "--columns", "su"), ["suppliers"]),
        (("target", "--table", "runs", "--columns", "su"), ["suppliers", "supplied"]),
        (("sensitivity", "--columns", "r"), []),
        (("decompose", "--columns", "mean,pa"), ["mean,pareto"]),
        (("decompose", "--columns", "bias2,bias2"), ["bias2,bias2_low", "bias2,bias2_high"]),
        (("decompose", "--topics", "q"), ["qrels", "qrels/"]),
        (("models", "sample_models", "--baseline", "r"), ["rel-fb", "rm"]),
        (
            ("models", "sample_models", "--sort", "total"),
            ["total_est", "total_est_low", "total_est_high", "total", "total_gap", "total_est_joint"],
        ),
        (("tradeoff", "--detail", "diff"), ["difficulty", "difficulty-normalised"]),
    ],
)
def test_what_is_offered(typed, expected):
    assert offered(*typed) == expected


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "input.bm25.gz").touch()
    assert offered("decompose", "~/runs", "--target", "run:") == ["run:bm25"]
    assert offered("decompose", "--target", "file:~/ru") == ["file:~/runs/"]
    assert offered("decompose", "~nobody-is-called-so/runs", "--target", "run:") == []


@pytest.mark.parametrize("suffix", [".tsv.gz", ".csv", ".json", ".jsonl", ""])
def test_a_query_model_is_offered_by_the_name_that_it_has(tmp_path, suffix):
    (tmp_path / f"rm3{suffix}").touch()
    assert offered("models", str(tmp_path), "--original", "r") == ["rm3"]


def test_every_measure_that_is_offered_is_one():
    from biasvar_cli.measures import parse_measures

    found = offered("decompose", "-m", "")
    assert len(found) > 50
    assert len(parse_measures(found)) > 30


@pytest.mark.parametrize(
    "command",
    [
        *("decompose", "tradeoff", "tradeoff --detail single", "tradeoff --families (comb|nrr)-(.*)"),
        *("target", "target --table runs", "target --table rarefied", "risk", "risk --table queries"),
        *(
            f"sensitivity --table {table}"
            for table in ["targets", "runs", "neighbours", "queries", "reliability", "mean"]
        ),
        *(f"compare --table {table}" for table in ("runs", "pairs", "power")),
    ],
)
def test_the_columns_that_are_offered_are_those_of_the_table(biasvar, tmp_path, command):
    values = [[0.3, 0.1, 0.2], [0.6, 0.08, 0.1], [0.65, 0.03, 0.4]]
    scores, words = write_scores(tmp_path / "ap.csv", values, ["comb-1", "comb-2", "comb-3"]), command.split()
    extra = ["--samples", "100"] if words[0] == "compare" else []
    (row, *_) = rows_of(biasvar(*words, scores, *extra, "-f", "csv", "--quiet"))
    keys = {"measure", "target", "baseline", "of", "sampling", "subset_size", "normalised"}
    assert row.keys() - keys <= {*offered(*words, "--columns", "")}


@pytest.mark.parametrize(
    ("line", "breaks", "expected"),
    [
        ("decompose sample_runs --target run:nrr-1", "@=:", "nrr-1.0"),
        ("decompose sample_runs --target run:nrr-1", "", "run:nrr-1.0"),
        ("decompose sample_runs --target=run:nrr-1", "@=:", "nrr-1.0"),
        ("decompose sample_runs --target=per", "@=:", "perfect"),
        ("decompose sample_runs -m nDCG@2", "@=:", "20"),
        ("decompose --target file:docs/pipeline.", "@=:", "docs/pipeline.mk"),
        ("plot pl", "@=:", "plane"),
        ("decompose 'a folder' --target per", "@=:", "perfect"),
    ],
)
def test_bash_gets_the_part_of_the_word_that_it_replaces(monkeypatch, line, breaks, expected):
    monkeypatch.setenv("COMP_LINE", f"biasvar {line}")
    monkeypatch.setenv("COMP_WORDBREAKS", " \t\n\"'><;|&(" + breaks)
    assert WholeWords(program, {}, "biasvar", "_BIASVAR_COMPLETE").complete() == f"plain,{expected}"


def _asked(shell: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    code = "import sys; from biasvar_cli.__main__ import run; import atexit; "
    code += "atexit.register(lambda: print(*sys.modules, file=sys.stderr)); sys.exit(run())"
    current = "".join(words[-1:]) if shell == "fish_complete" else str(len(words) - 1)
    place = {"COMP_WORDS": " ".join(words), "COMP_CWORD": current, **environment}
    variables = {**os.environ, "_BIASVAR_COMPLETE": shell, **place}
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, cwd=ROOT)


@unix
def test_each_shell_is_answered_without_an_import_that_computes():
    words = ("biasvar", "decompose", "sample_runs", "--target", "run:nrr-1")
    for shell in ("zsh", "fish", "bash"):
        found = _asked(f"{shell}_complete", *words, COMP_LINE=" ".join(words), COMP_WORDBREAKS=":")
        assert found.returncode == 0, found.stderr
        assert found.stdout.split()[0].startswith("plain")
        assert ("nrr-1.0" if shell == "bash" else "run:nrr-1.0") in re.split(r"[\s,]", found.stdout)
        assert not {"numpy", "pyarrow", "pandas", "tabulate"} & set(found.stderr.split())
        assert "biasvar" in _asked(f"{shell}_source").stdout


@unix
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_bash_runs_the_function_that_it_is_given(tmp_path):
    (tmp_path / "biasvar").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m biasvar_cli "$@"\n')
    (tmp_path / "biasvar").chmod(0o755)
    script = """
        eval "$(_BIASVAR_COMPLETE=bash_source biasvar)"
        compopt() { echo "compopt $1 $2"; }
        COMP_LINE="biasvar decompose --target r"; COMP_POINT=28; _biasvar_completion biasvar; echo "${COMPREPLY[@]}"
        COMPREPLY=(); COMP_LINE="biasvar decompose -q q"; COMP_POINT=22; _biasvar_completion biasvar
        complete -p biasvar
    """
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], env=path, capture_output=True, text=True, cwd=ROOT)
    lines = ["compopt -o nospace", "run:", "compopt -o default", "complete -o nosort -F _biasvar_completion biasvar"]
    assert (done.stdout.splitlines(), done.stderr) == (lines, "")
