"""Options that take one value are given once, in every command."""

from __future__ import annotations

import click
import pytest
from conftest import SAMPLE, assert_refused, write_scores
from test_help import ALL, FEW

VALUES = {  # two values of an option; of any other, numbers, which are looked at before they are read
    "--format": ("csv", "json"),
    "--output": ("a.csv", "b.csv"),
    "--true": ("sample_models/orig.tsv.gz", "sample_models/true.tsv.gz"),
    "--qrels": ("qrels/npl.qrels.txt", "qrels/npl.qrels.txt"),
}


@pytest.fixture
def scores(tmp_path):
    return write_scores(tmp_path / "ap.csv", [[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]])


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", FEW)
def test_an_option_of_one_value_is_given_once(biasvar, name):
    for option in ALL[name].params:
        if not isinstance(option, click.Option) or option.multiple or option.is_flag:
            continue
        short, long = option.opts[0], option.opts[-1]
        first, second = VALUES.get(long, ("1", "2"))
        result = biasvar(*name.split(), "sample_runs", short, first, f"{long}={second}")
        assert_refused(result, 2, f"error: {long} takes one value and is given 2 times: {first} and {second}\n")


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", ALL)
def test_a_command_that_looks_at_one_target_or_baseline_is_given_one(biasvar, tmp_path, name):
    for option in ALL[name].params:
        if option.name in ("target", "baseline") and option.multiple and "Repeatable." not in option.help:
            twice = ("best", "perfect") if option.name == "target" else ("rm", "orig")
            given = [word for value in twice for word in (option.opts[-1], value)]
            run = ("rm",) if "profile" in name else ()
            result = biasvar(*name.split(), *run, *SAMPLE, *given, "-o", tmp_path / "x.json")
            one = "one target" if name == "summary" else "one"
            assert_refused(result, 2, f"error: {option.opts[-1]}: ", f" {one}, found {' and '.join(twice)}\n")


def test_repeatable_options_and_flags_may_be_repeated(biasvar, scores):
    given = ("--target", "best", "--target", "perfect", "--rank", "--rank", "--no-null", "--no-null", "-f", "csv")
    result = biasvar("decompose", scores, *given)
    assert (result.code, result.err) == (0, "")
    assert len(result.out.splitlines()) == 1 + 2 * 3


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", FEW)
def test_no_option_takes_an_empty_value(biasvar, name):
    for option in ALL[name].params:
        if isinstance(option, click.Option) and not option.is_flag:
            for empty in ("", " "):
                result = biasvar(*name.split(), "sample_runs", option.opts[-1], empty)
                assert_refused(result, 2, f"{option.opts[-1]} is given an empty value\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("decompose --seed 1 --seed=1 --seed 5", "--seed takes one value and is given 3 times: 1 and 1 and 5"),
        ("decompose --null --no-null", "error: --null and --no-null contradict each other\n"),
        ("decompose --no-null --null", "error: --null and --no-null contradict each other\n"),
        (
            "decompose --no-null --null-samples 200",
            "--null-samples is an option of the null models, which --no-null leaves out",
        ),
        (
            "tradeoff --no-null --null-samples 200",
            "--null-samples is an option of the null models, which --no-null leaves out",
        ),
        ("decompose --weights 0,0", "--weights: expected weights of which one is above 0"),
        *(
            (f"decompose --weights {weights}", "--weights: expected numbers from 0 to 1e+100, found ")
            for weights in ("1e308,1", "1,1e101", "nan,1", "1,nan", "inf,1", "1,-1")
        ),
        *(
            (f"tradeoff --families (.*) {option}", f"{option.split()[0]}: has no place beside families, which is of ")
            for option in ("--subset-size 1", "--groups pyproject.toml")
        ),
    ],
)
@pytest.mark.usefixtures("in_the_checkout")
def test_options_that_contradict_each_other_or_have_no_value_of_theirs_are_refused(biasvar, scores, command, message):
    assert_refused(biasvar(*command.split(), scores), 2, message)
