"""What may be asked of `compare`, the records of the tests of significance, and the columns made from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from conftest import Result

import biasvar_cli as bv
from biasvar_cli.analyses.compare.columns import TABLES
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.errors import UsageError
from biasvar_cli.stats.monte_carlo import Stream
from biasvar_cli.stats.paired import PairedRows
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, USUAL, Correction, Test
from biasvar_cli.tables.column import expanded, meanings

NONSENSE: list[tuple[dict[str, Any], str]] = [
    ({"baseline": "median"}, "runs are compared with a run, NAME, run:NAME or top; found median"),
    ({"baseline": "run:A", "test": "tukey"}, "tukey is of all pairs of runs, and a baseline tests some of them"),
    ({"of": "total_gap", "target": "mean:0.5"}, "total_gap needs the target's score per query"),
    ({"level": 1.5}, "expected a level between 0 and 1, found 1.5"),
    ({"samples": 5}, "expected a whole number from 100 to 1000000, found 5"),
]


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "ap.csv"
    path.write_text("AP,A,B,C\n" + "".join(f"q{i},0.{2 + i},0.{3 + i},0.{i * i % 7}\n" for i in range(6)))
    return path


@pytest.mark.parametrize(("arguments", "reason"), NONSENSE)
def test_the_same_reason_in_python_and_on_the_command_line(
    biasvar: Callable[..., Result], scores: Path, arguments: dict[str, Any], reason: str
):
    with pytest.raises(bv.BiasVarError) as error:
        bv.compare(scores, **arguments)
    assert reason in str(error.value)
    typed = [part for name, value in arguments.items() for part in (f"--{name}", value)]
    result = biasvar("compare", scores, *typed)
    assert (result.code, result.out) == (2, "")
    assert reason in " ".join(result.err.split())


def test_a_request_refuses_what_its_limits_do():
    with pytest.raises(UsageError, match=r"splits: expected a whole number from 1 to 1000000, found 0"):
        CompareRequest(splits=0)
    assert CompareRequest(test=("tukey",), baseline=("top",)).tests_all_pairs
    assert {each.name for each in fields(CompareRequest)} >= {
        "baseline",
        "test",
        "correction",
        "of",
        "target",
        "log",
        "eps",
    }


def test_every_test_of_significance_has_one_record():
    assert list(TESTS) == list(get_args(Test))
    assert [*CORRECTIONS, "none"] == list(get_args(Correction))
    assert set(USUAL) < set(TESTS)
    assert [name for name, test in TESTS.items() if test.family != "pair"] == ["tukey", PRIMARY]
    streams = [test.stream for test in TESTS.values() if test.stream]
    assert len(set(streams)) == len(streams)
    assert set(streams) < set(Stream.__members__)


@pytest.mark.parametrize("name", TESTS)
def test_a_test_gives_p_of_every_pair(name: Test):
    rows, finished = PairedRows(np.random.default_rng(0).random((4, 12))), []
    tested = TESTS[name](rows, n_samples=300, done=finished.append)
    assert tested.p.shape == (6,)
    assert ((tested.p > 0) & (tested.p <= 1)).all()
    assert (tested.critical is None) == TESTS[name].corrected
    assert sum(finished) == (300 if TESTS[name].stream else 0)


def test_every_column_has_a_meaning_and_those_of_p_come_from_the_records():
    for table in TABLES.values():
        assert all(meanings(table).values())
    names = [column.name for column in expanded(TABLES["pairs"]) if column.option]
    assert names == [
        "t",
        *(
            name
            for test, record in TESTS.items()
            for name in (f"{test}_p", *(f"{test}_{each}" for each in CORRECTIONS if record.corrected))
        ),
    ]


def test_a_column_of_a_test_that_was_not_asked_for_names_its_option(biasvar: Callable[..., Result], scores: Path):
    result = biasvar("compare", scores, "--table", "pairs", "--sort", "sign_p")
    assert (result.code, result.out) == (2, "")
    assert "--test sign adds it" in result.err
