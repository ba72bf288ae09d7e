"""Sentences on systems of several runs, on tests whose shares of the error and numbers of runs are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import assert_says

from biasvar_cli.analyses.compare import system_notes

ABOUT = "The tests ask whether other runs of these systems, and other queries, would say so too"
ONE, TWO, MANY = np.array([1, 3]), np.array([2, 3]), np.array([5, 6])


def pairs_of(
    sizes: Any = MANY,
    *,
    paired: bool = False,
    shares: tuple[float, ...] = (0.8,),
    differs: tuple[bool, ...] = (False,),
    half_width: float | None = None,
    needed: Any = ([3], [40]),
    **others: Any,
) -> Any:
    """Tests of pairs of systems of these sizes, with the share of the squared standard error that is due to runs."""
    of_systems = None if sizes is None else SimpleNamespace(sizes=sizes, paired=paired)
    usual = {
        "runs": ("A", "B"), "systems": of_systems, "plans": [SimpleNamespace(share=share) for share in shares],
        "differs": np.array(differs), "why_undecided": None, "replicates_needed": needed and needed[0],
        "queries_needed": needed and needed[1], "request": SimpleNamespace(half_width=half_width, level=0.95),
    }  # fmt: skip
    return SimpleNamespace(**usual | others)


@pytest.mark.parametrize(
    ("tests", "typed", "text"),
    [
        (None, True, f"{system_notes.OF_RUNS} (--infer systems)."),
        (pairs_of(None), False, f"{system_notes.OF_RUNS}."),
        (pairs_of(), True, f"{ABOUT}; --infer runs is about these runs alone."),
        (pairs_of(paired=True), False, f"{ABOUT}, and the runs of one number belong together."),
        (pairs_of(ONE), False, f"{ABOUT}. A has one run and is taken as it is: its luck is not counted."),
        (pairs_of(np.array([1, 1])), False, (f"{ABOUT}. A and B have one run and are taken as they are: their luck is "
         "not counted.")),
        (pairs_of(TWO), False, (f"{ABOUT}. Two runs of a system tell little of others: a third one tells more than "
         "any number of queries.")),
    ],
)  # fmt: skip
def test_what_the_tests_ask(tests: Any, typed: bool, text: str):
    assert_says(system_notes.pair_notes(tests, typed=typed), text)


MOST = (
    "Most of the squared standard error of {} not differ is due to the runs of the systems: more runs, not more "
    "queries, would tell more."
)


@pytest.mark.parametrize(
    ("tests", "text"),
    [
        (pairs_of(), MOST.format("the pair that does")),
        (pairs_of(shares=(0.8, 0.2, 0.9), differs=(False, False, False)), MOST.format("2 of the 3 pairs that do")),
        (pairs_of(shares=(0.8, 0.9), differs=(True, False)), MOST.format("the pair that does")),
        (pairs_of(shares=(0.5,)), ""),
        (pairs_of(None), ""),
        (pairs_of(plans=None), ""),
        (pairs_of(why_undecided="few"), ""),
    ],
)
def test_whether_more_runs_would_tell_more(tests: Any, text: str):
    assert_says(system_notes.more_runs_notes(tests), text)


SHARE = "{} % of the squared standard error is due to the runs{}".format
MORE = ": more runs, not more queries"


@pytest.mark.parametrize(
    ("share", "differs", "text"),
    [
        (0.8, False, SHARE("80.00", MORE)),
        (0.8, True, SHARE("80.00", "")),
        (0.5, False, SHARE("50.00", "")),
        (float("nan"), False, ""),
    ],
)
def test_the_share_of_the_runs(share: float, differs: bool, text: str):
    assert_says(system_notes.share_words(pairs_of(shares=(share,), differs=(differs,)), 0), text)


@pytest.mark.parametrize(
    ("sizes", "half_width", "needed", "words", "notes"),
    [
        (MANY, 0.05, ([3], [40]), "For an interval of ±0.05: 3 runs of each system, or 40 queries", ("runs needed of "
         "each system, queries needed: for an interval of ±0.05 (95 %); - : no number will do.")),
        (TWO, 0.05, ([3], [40]), ("For an interval of ±0.05: about 3 runs of each system, or about 40 "
         "queries"), "runs needed …: no number will do. With fewer than 5 runs of a system the numbers are rough."),
        (np.array([1, 5]), 0.05, ([None], [None]), ("For an interval of ±0.05: no number of runs will do, or no "
         "number of queries will do"), "…no number will do."),
        (MANY, None, ([3], [40]), "", ""),
        (None, 0.05, ([3], [40]), "", ""),
        (MANY, 0.05, None, "", "runs needed …"),
    ],
)  # fmt: skip
def test_how_many_runs_and_queries_an_interval_takes(
    sizes: Any, half_width: float | None, needed: Any, words: str, notes: str
):
    tests = pairs_of(sizes, half_width=half_width, needed=needed)
    assert_says(system_notes.needed_words(tests, 0), words)
    assert_says(system_notes.needed_notes(tests.systems, half_width, 0.95), notes)
