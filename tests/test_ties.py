"""Runs that are tied in exact arithmetic are tied in columns and sentences, whatever the last digits of floats are."""

from __future__ import annotations

import re
from fractions import Fraction
from math import comb
from operator import mul
from statistics import median

import numpy as np
from conftest import COARSE, TENTHS, matrix_of, score_arrays, track_of
from hypothesis import example, given

from biasvar_cli.analyses.decompose import DecomposeRequest
from biasvar_cli.analyses.decompose import answer as decompose
from biasvar_cli.analyses.decompose.table import DecomposeView, decompose_table
from biasvar_cli.analyses.sensitivity import SensitivityRequest
from biasvar_cli.analyses.sensitivity import answer as sensitivity
from biasvar_cli.analyses.sensitivity.table import sensitivity_table
from biasvar_cli.analyses.target import TargetRequest
from biasvar_cli.analyses.target import answer as target
from biasvar_cli.analyses.target.table import target_table
from biasvar_cli.arrays import in_order, is_below, is_least, ranks
from biasvar_cli.scoring.targets import best_run
from biasvar_cli.tables.rounding import in_words
from biasvar_cli.tables.rows import View
from biasvar_cli.tables.table import Table

LAST_DIGITS = (  # floats take these for untied: for a rank by total, a median mean, a share of a rise
    [[0.5, 0.7], [0.2, 0.0], [0.8, 0.5], [0.5, 0.2], [1.0, 0.5]],
    [[0.9, 0.7, 0.0, 0.8], [0.8, 0.5, 0.0, 0.4], [0.5, 0.1, 0.6, 0.5]],
    [[0.7, 0.7, 0.0], [0.9, 1.0, 0.4], [0.6, 0.1, 0.2], [1.0, 0.3, 0.9], [0.6, 0.4, 0.7]],
)
TIED = score_arrays((2, 7), (2, 5), COARSE, TENTHS)


def exact(values: np.ndarray) -> list[list[Fraction]]:
    """Scores in thirtieths, which both tenths and thirds are."""
    return [[Fraction(round(30 * float(value)), 30) for value in row] for row in values]


def mean(numbers: list[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers)


def totals(rows: list[list[Fraction]]) -> list[Fraction]:
    """bias² + variance against the best score of a query."""
    best = mean([max(column) for column in zip(*rows, strict=True)])
    return [(best - mean(row)) ** 2 + mean([(score - mean(row)) ** 2 for score in row]) for row in rows]


def rank(values: list[Fraction]) -> list[int]:
    return [1 + sum(other < value for other in values) for value in values]


def runs(places: list[int]) -> set[str]:
    return {f"r{place}" for place in places}


def sentences(table: Table) -> str:
    return " ".join(in_words(note, 4) for note in (*table.verdict, *table.notes))


@given(TIED)
def test_rank_order_and_bound_are_those_of_exact_arithmetic(values):
    """Means, whose sums differ in their last digits with the order of the queries."""
    names = [f"r{run}" for run in range(len(values))]
    means, floats = [mean(row) for row in exact(values)], values.mean(axis=1)
    assert ranks(floats).tolist() == rank(means)
    assert is_least(floats).tolist() == [value == min(means) for value in means]
    assert is_least(-floats).tolist() == [value == max(means) for value in means]
    assert in_order(floats, names) == sorted(range(len(means)), key=lambda run: (means[run], names[run]))
    assert is_below(floats, float(np.median(floats))).tolist() == [value < median(means) for value in means]
    best = min(run for run, value in zip(names, means, strict=True) if value == max(means))
    assert best_run(matrix_of(values)) == best


@example(np.array(LAST_DIGITS[0]))
@example(np.array(LAST_DIGITS[1]))
@given(TIED)
def test_decompose_says_the_rank_that_its_column_has(values):
    (answer,) = decompose.answer(track_of(values), DecomposeRequest(rank=True, null=None, pareto=True))
    table = decompose_table(answer, DecomposeView())
    rows, text = exact(values), sentences(table)
    means, by_total = [mean(row) for row in rows], rank(totals(rows))
    columns = dict(zip(table.columns["run"], table.columns["rank"], strict=True))
    assert columns == {f"r{run}": number for run, number in enumerate(by_total)}
    named = re.findall(r"r\d", text.partition("error: ")[2].partition(" (")[0])
    assert runs([run for run, number in enumerate(by_total) if number == 1]) >= {*named}
    if said := re.search(r"Best mean: (r\d) \(\S+\), rank (\d+) by total", text):
        assert columns[said[1]] == int(said[2])
        assert means[int(said[1][1:])] == max(means)
    front = {run for run, mark in zip(table.columns["run"], table.columns["pareto"], strict=True) if mark}
    low = {run for run in front if means[int(run[1:])] < median(means)}
    number = re.search(r"(\d+) runs? below the median mean", text)
    assert (int(number[1]) if number else 0) == len(low)


@given(TIED)
def test_the_least_total_without_a_query_is_that_of_all_who_have_it(values):
    (answer,) = sensitivity.answer(track_of(values), SensitivityRequest())
    table = sensitivity_table(answer, View(table="queries", format="csv"))
    rows = exact(values)
    least = runs([run for run, number in enumerate(rank(totals(rows))) if number == 1])
    without = {}
    for query in range(values.shape[1]):
        numbers = rank(totals([row[:query] + row[query + 1 :] for row in rows]))
        without[f"q{query}"] = runs([run for run, number in enumerate(numbers) if number == 1])
    cells = zip(*(table.columns[name] for name in ("query_id", "least_total", "tied")), strict=True)
    for query, run, tied in cells:
        assert {run, *tied} == without[query]
        assert run in least or not least & without[query]
    changed = [query for query, first in without.items() if not first & least]
    text = sentences(sensitivity_table(answer, View(table="queries")))
    if len(changed) > 1:
        assert f"Without one of {len(changed)} of the {len(without)} queries" in text
    elif changed:
        (query,) = changed
        said = re.search(rf"Without query {query}, (.*?) ha(s|ve) the least total", text)
        assert set(re.findall(r"r\d", said[1])) <= without[query]
    elif all(first == least for first in without.values()):
        assert "Leaving out any one query does not change" in text
    else:
        said = re.search(r"Whichever query is left out, (.*?) has the least total, alone or tied", text)
        assert set(re.findall(r"r\d", said[1])) <= least


@given(TIED)
def test_all_runs_of_the_best_mean_are_named_with_their_ranks_by_total(values):
    (answer,) = sensitivity.answer(track_of(values), SensitivityRequest())
    text = sentences(sensitivity_table(answer, View(table="mean")))
    rows = exact(values)
    means, by_total = [mean(row) for row in rows], rank(totals(rows))
    best = [run for run, value in enumerate(means) if value == max(means)]
    names, numbers = re.search(r"Best mean: (.*?) \(.*?with ranks? (.*?) of", text).groups()
    assert set(re.findall(r"r\d", names)) == runs(best[:3])
    assert sorted({by_total[run] for run in best}) == [int(number) for number in re.findall(r"\d+", numbers)]


@example(np.array(LAST_DIGITS[2]))
@given(TIED)
def test_a_pool_of_the_size_that_is_said_reaches_its_share_of_the_rise(values):
    """The rarefied mean of r runs: the mean over the queries of the best of r, over all draws of r."""
    (answer,) = target.answer(track_of(values), TargetRequest())
    text = sentences(target_table(answer, View(table="rarefied")))
    means = rarefied(exact(values))
    if means[0] == means[-1]:
        assert "does not rise" in text
        return
    half, most = map(int, re.search(r"half of the rise takes (\d+) runs?, nine tenths (\d+)", text).groups())
    for size, share in ((half, Fraction(1, 2)), (most, Fraction(9, 10))):
        wanted = means[0] + share * (means[-1] - means[0])
        assert size == 1 + sum(value < wanted for value in means)


def rarefied(rows: list[list[Fraction]]) -> list[Fraction]:
    """The expected best of 1, 2, ... runs: a run is the best of r where the r - 1 others are of those below it."""
    n_runs = len(rows)
    columns = [sorted(column) for column in zip(*rows, strict=True)]
    means = []
    for size in range(1, n_runs + 1):
        chances = [Fraction(comb(below, size - 1), comb(n_runs, size)) for below in range(n_runs)]
        means.append(mean([sum(map(mul, column, chances)) for column in columns]))
    return means


def test_a_run_that_is_tied_with_the_first_is_no_other_first_run():
    """Without q1 the scores of r0 are those of r1: both have a total of 0. By hand, r1 is first without the others."""
    track = track_of(np.array([[0.4, 0.3, 0.4], [0.4, 0.5, 0.4], [0.1, 0.9, 0.2]]))
    (answer,) = sensitivity.answer(track, SensitivityRequest())
    text = sentences(sensitivity_table(answer, View(table="queries")))
    assert "Whichever query is left out, r1 has the least total, alone or tied." in text


def test_nobody_is_first_and_of_another_rank_in_one_sentence():
    """Of runs that are tied for the least total, some can be first alone against the best of the others."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        values = rng.integers(0, 3, (4, 3)) / 2
        (answer,) = sensitivity.answer(track_of(values), SensitivityRequest())
        text = sentences(sensitivity_table(answer, View(table="targets")))
        for said in re.findall(r"Against the best of the other runs \(leave-one-run-out\), (.*?)\.", text):
            first, _, others = said.partition(" first")
            assert not set(re.findall(r"r\d", first)) & set(re.findall(r"r\d", others))
