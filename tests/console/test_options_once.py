"""Options that take one value are given once, in every command."""

from __future__ import annotations

import click
import pytest
from conftest import SAMPLE
from test_help import ALL

SCORES = "AP,A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\n"
VALUES = {  # two values of an option; of any other, numbers, which are looked at before they are read
    "--format": ("csv", "json"),
    "--output": ("a.csv", "b.csv"),
    "--true": ("sample_models/orig.tsv.gz", "sample_models/true.tsv.gz"),
    "--qrels": ("qrels/npl.qrels.txt", "qrels/npl.qrels.txt"),
}


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", ALL)
def test_an_option_of_one_value_is_given_once(biasvar, name):
    for option in ALL[name].params:
        if not isinstance(option, click.Option) or option.multiple or option.is_flag:
            continue
        short, long = option.opts[0], option.opts[-1]
        first, second = VALUES.get(long, ("1", "2"))
        for words in dict.fromkeys([(short, first, f"{long}={second}"), (long, first, *_spelt(short, second))]):
            result = biasvar(*name.split(), "sample_runs", *words)
            assert (result.code, result.out) == (2, ""), words
            assert f"error: {long} takes one value and is given 2 times: {first} and {second}\n" in result.err, words


def _spelt(option: str, value: str) -> tuple[str, ...]:
    """An option with its value: one word of a long option, two of a short one."""
    return (f"{option}={value}",) if option.startswith("--") else (option, value)


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", ALL)
def test_a_command_that_looks_at_one_target_or_baseline_is_given_one(biasvar, tmp_path, name):
    for option in ALL[name].params:
        if option.name in ("target", "baseline") and option.multiple and "Repeatable." not in option.help:
            twice = ("best", "perfect") if option.name == "target" else ("rm", "orig")
            given = [word for value in twice for word in (option.opts[-1], value)]
            run = ("rm",) if "profile" in name else ()
            result = biasvar(*name.split(), *run, *SAMPLE, *given, "-o", tmp_path / "x.json")
            assert (result.code, result.out) == (2, "")
            assert f"error: {option.opts[-1]}: " in result.err
            assert f" one{' target,' if name == 'summary' else ','} found {' and '.join(twice)}\n" in result.err


def test_three_values_are_all_named_and_equal_ones_count(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text(SCORES)
    result = biasvar("decompose", tmp_path / "ap.csv", "--seed", "1", "--no-null", "--seed=1", "--seed", "5")
    assert (result.code, result.out) == (2, "")
    assert "--seed takes one value and is given 3 times: 1 and 1 and 5" in result.err


def test_repeatable_options_and_flags_may_be_repeated(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text(SCORES)
    given = ("--target", "best", "--target", "perfect", "--rank", "--rank", "--no-null", "--no-null", "-f", "csv")
    result = biasvar("decompose", tmp_path / "ap.csv", *given)
    assert (result.code, result.err) == (0, "")
    assert len(result.out.splitlines()) == 1 + 2 * 3


def test_a_flag_and_its_opposite_contradict_each_other(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text(SCORES)
    for given in (("--null", "--no-null"), ("--no-null", "--null")):
        result = biasvar("decompose", tmp_path / "ap.csv", *given)
        assert (result.code, result.out) == (2, "")
        assert "error: --null and --no-null contradict each other\n" in result.err


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", ALL)
def test_no_option_takes_an_empty_value(biasvar, name):
    for option in ALL[name].params:
        if isinstance(option, click.Option) and not option.is_flag:
            for empty in ("", " "):
                result = biasvar(*name.split(), "sample_runs", option.opts[-1], empty)
                assert (result.code, result.out) == (2, "")
                assert f"{option.opts[-1]} is given an empty value\n" in result.err


def test_samples_of_null_models_that_are_left_out_are_refused(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text(SCORES)
    for command in ("decompose", "tradeoff"):
        result = biasvar(command, tmp_path / "ap.csv", "--no-null", "--null-samples", "200")
        assert (result.code, result.out) == (2, "")
        assert "--null-samples is of the null models, which --no-null leaves out\n" in result.err


def test_weights_that_overflow_or_say_nothing_are_refused(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text(SCORES)
    for weights in ("1e308,1", "1,1e101", "0,0", "nan,1", "1,nan", "inf,1", "1,-1"):
        result = biasvar("decompose", tmp_path / "ap.csv", "--weights", weights, "--no-null")
        assert (result.code, result.out) == (2, "")
        reason = "weights of which one is above 0" if weights == "0,0" else "numbers from 0 to 1e+100, found "
        assert f"--weights: expected {reason}" in result.err


def test_samples_of_queries_have_no_place_beside_families(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text(SCORES)
    (tmp_path / "groups.csv").write_text("query,group\nq1,a\nq2,b\n")
    for option, value in (("--subset-size", "1"), ("--groups", tmp_path / "groups.csv")):
        result = biasvar("tradeoff", tmp_path / "ap.csv", "--families", "(.*)", "--no-null", option, value)
        assert (result.code, result.out) == (2, "")
        assert f"{option}: has no place beside families, which is of single queries\n" in result.err
