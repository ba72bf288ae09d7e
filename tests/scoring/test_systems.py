"""Which runs are of one system: patterns of names, files and mappings, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from biasvar_cli.errors import DataError, DataWarning, UsageError
from biasvar_cli.scoring.labels import systems_of

RUNS = ["bm25", "bert-seed1", "bert-seed2", "t5-seed1", "t5-seed2"]
EXPECTED = {"bm25": "bm25", "bert-seed1": "bert", "bert-seed2": "bert", "t5-seed1": "t5", "t5-seed2": "t5"}


@pytest.mark.parametrize(
    "pattern", ["-seed[0-9]+", "-seed.$", "(.*)-seed[0-9]+", "(bert|t5)-.*", "(.*)-(?:seed)[12]", "-s.*"]
)
def test_what_a_pattern_makes_of_the_names(pattern):
    assert systems_of(RUNS, pattern) == EXPECTED


def test_what_a_pattern_without_a_group_matches_is_left_out_wherever_it_is():
    assert systems_of(["seed1_bert", "seed2_bert", "x"], "seed[0-9]_")["seed2_bert"] == "bert"
    systems = {"a.s1.dev": "a.dev", "a.s2.dev": "a.dev", "x": "x"}
    assert systems_of(list(systems), "[.]s[0-9]") == systems


def test_a_group_is_the_name_and_the_whole_name_has_to_match():
    systems = {"s1-A": "A", "s2-A": "A", "s1-A-more": "s1-A-more"}
    assert systems_of(list(systems), "s[0-9]-([A-Z])") == systems


@pytest.mark.parametrize("as_path", [str, Path])
def test_a_file_and_a_mapping_say_the_same(tmp_path, as_path):
    path = tmp_path / "systems.csv"
    path.write_text("run,system\nbert-seed1,bert\nbert-seed2,bert\nt5-seed1,t5\nt5-seed2,t5\n")
    assert systems_of(RUNS, as_path(path)) == EXPECTED
    assert systems_of(RUNS, {run: system for run, system in EXPECTED.items() if run != "bm25"}) == EXPECTED
    assert systems_of(RUNS, dict.fromkeys(RUNS, "all")) == dict.fromkeys(RUNS, "all")  # said run by run


def test_a_file_is_looked_for_before_a_pattern(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pattern = "-seed[0-9]"
    assert systems_of(RUNS, pattern) == EXPECTED
    Path(pattern).write_text("run,system\nbm25,sparse\nbert-seed1,dense\nbert-seed2,dense\n")
    assert systems_of(RUNS, pattern)["bert-seed1"] == "dense"
    assert systems_of(RUNS, pattern)["t5-seed1"] == "t5-seed1"


def test_a_run_can_be_listed_as_a_replicate_of_the_system_that_has_its_name_and_names_exchanged():
    mine = {"bert": "bert", "bert-seed2": "bert"}
    assert systems_of(["bert", "bert-seed2", "x"], mine) == {**mine, "x": "x"}
    exchanged = {"A": "B", "B": "A", "B2": "A"}
    assert systems_of(["A", "B", "B2"], exchanged) == exchanged


def test_runs_that_are_not_evaluated_are_left_out_with_a_warning():
    with pytest.warns(DataWarning, match="replicates: 2 runs outside the evaluated ones left out: y, z"):
        assert systems_of(["a1", "a2"], {"a1": "a", "a2": "a", "z": "a", "y": "b"}) == {"a1": "a", "a2": "a"}


@pytest.mark.parametrize(
    ("runs", "replicates", "kind", "message"),
    [
        (RUNS, "-fold[0-9]", DataError, "'-fold[0-9]': no file of that name, and no run matches; the runs are bm25, "),
        (RUNS, "(x.*)-seed", DataError, "no run matches as a whole (its group is the name of the system)"),
        (RUNS, "x*", DataError, "no run matches"),  # nothing is left out of a name by an empty match
        (RUNS, "(.*)-(seed.)", UsageError, "has 2 groups, and one is the name of the system; write the others as (?:"),
        (RUNS, "seed[0-9", UsageError, "no file of that name, and no regular expression: unterminated character set"),
        (RUNS, "[[a]", UsageError, "no regular expression: Possible nested set"),
        (RUNS, ".*", DataError, "leaves no name for the system of bm25; match a part of the name only"),
        (["a1", "a2"], "[0-9]", DataError, "makes one system, a, of all 2 runs; a csv of run,system can say so"),
        (RUNS, "t5-seed1|-seed1", DataError, "leaves no name for the system of t5-seed1"),
        (RUNS, "(.*)", DataError, "no two runs are of one system: bm25 is of bm25, bert-seed1 is of bert-seed1"),
        (RUNS, "eed1", DataError, "no two runs are of one system: bert-seed1 is of bert-s, t5-seed1 is of t5-s"),
        (["a", "a-1", "a-2"], "-[0-9]", DataError, "a is a run, and the name of the system of a-1, a-2; list the"),
        (["a", "a-1", "a-2"], {"a-1": "a", "a-2": "a"}, DataError, "; list a too, as a run of that system"),
        (["a"], "a1", DataError, "no run matches; the runs are a"),
        (RUNS, {}, DataError, "replicates: none of the runs is listed; the runs are bm25, bert-seed1, ..."),
        (RUNS, {"bert-seed1": "bm25", "bert-seed2": "bm25"}, DataError, "bm25 is a run, and the name of the system of"),
        (RUNS, {"bert-seed1": "bert", "bert-seed2": ""}, UsageError, "expected the name of the system of each run"),
        (RUNS, {"bert-seed1": None}, UsageError, "found {'bert-seed1': None}"),
        (RUNS, ["bert"], UsageError, "expected a pattern of names or a csv of run,system, found ['bert']"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(runs, replicates, kind, message):
    with pytest.raises(kind) as error:
        systems_of(runs, replicates)
    assert message in str(error.value)
    assert str(error.value).startswith("replicates")


def test_what_is_wrong_in_a_file_is_said_with_its_name(in_an_empty_folder):
    for rows, message in (
        ("a1,a\na2,\n", "^systems.csv:3: column system is blank"),
        ("a1,a\na2,b\n", "systems.csv.*: no two runs are of one system: a1 is of a, a2 is of b"),
    ):
        Path("systems.csv").write_text(f"run,system\n{rows}")
        with pytest.raises(DataError, match=message):
            systems_of(["a1", "a2", "a3"], "systems.csv")
