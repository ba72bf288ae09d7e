"""Scores that judges have written: measures of other names than the reference's, files RUN.JUDGE, and what is typed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import assert_refused

import biasvar_cli as bv

RUNS = ("oak", "elm.v1", "ash")
TOPICS = range(1, 9)


@pytest.fixture
def judges(in_an_empty_folder: None) -> dict[str, Any]:
    """truth.tot of one measure, a.tot of two and b.jsonl of one, none of one name."""
    values = {
        name: np.random.default_rng(seed).random((3, 8)).round(3) for seed, name in enumerate(("cover", "GRADE", "s"))
    }
    for file, names in {"truth.tot": ("cover",), "a.tot": ("GRADE", "MATCH")}.items():
        rows = [
            f"{run}\t{name}\t{topic}\t{values[name][at][topic - 1] if name in values else topic % 2 == at % 2}\n"
            for name in names
            for at, run in enumerate(RUNS)
            for topic in TOPICS
        ]
        Path(file).write_text("".join(rows))
    records = [
        {"run_id": run, "topic_id": str(topic), "measure": "s", "value": values["s"][at][topic - 1]}
        for at, run in enumerate(RUNS)
        for topic in TOPICS
    ]
    Path("b.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return values


def result_of(biasvar: Any, *words: str) -> Any:
    result = biasvar("judges", *words, "-f", "json")
    assert result.code == 0, result.err
    return json.loads(result.out)


@pytest.mark.parametrize("words", ["-m cover=GRADE", "a.tot:GRADE", "a.tot:GRADE -m cover"])
def test_a_judge_s_measure_may_have_another_name(biasvar, judges, words):
    """msd is the mean squared difference of the scores, here of cover and GRADE."""
    files = [] if "a.tot" in words else ["a.tot"]
    document = result_of(biasvar, "truth.tot", *files, *words.split())
    (result,) = document["results"]
    assert (result["measure"], result["reference"], result["judges"][0]["judge"]) == ("cover", "truth", "a")
    assert result["judges"][0]["msd"] == pytest.approx(np.mean((judges["cover"] - judges["GRADE"]) ** 2))
    assert result["judges"][0]["mean"] == pytest.approx(judges["GRADE"].mean())
    assert "compared with cover of truth: GRADE of a" in " ".join(document["notices"])


def test_several_judges_and_several_measures_have_a_name_each(biasvar, judges):
    (result,) = result_of(biasvar, "truth.tot", "a.tot", "b.jsonl:s", "-m", "cover=GRADE")["results"]
    assert [judge["judge"] for judge in result["judges"]] == ["a", "b"]
    assert result["judges"][1]["mean"] == pytest.approx(judges["s"].mean())
    two = result_of(biasvar, "a.tot", "truth.tot", "-m", "GRADE=cover MATCH=cover")["results"]
    assert [result["measure"] for result in two] == ["GRADE", "MATCH"]
    assert [result["judges"][0]["mean"] for result in two] == [pytest.approx(judges["cover"].mean())] * 2


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("truth.tot a.tot", "-m cover=GRADE"),
        ("truth.tot a.tot -m cover", "-m cover=GRADE"),
        ("truth.tot b.jsonl", "-m cover=s"),
        ("truth.tot a.tot -m GRADE", "-m cover=GRADE"),
        ("a.tot truth.tot -m GRADE", "-m GRADE=cover"),
        ("truth.tot a.tot b.jsonl -m cover=GRADE", "b.jsonl:s"),
    ],
)
def test_the_remedy_of_other_measures_runs_when_it_is_typed(biasvar, judges, words, remedy):
    refused = biasvar("judges", *words.split())
    assert_refused(refused, 1, remedy)
    files = [word for word in words.partition(" -m ")[0].split() if not remedy.startswith(word)]
    typed = "-m cover=GRADE" if remedy == "b.jsonl:s" else ""
    result_of(biasvar, *files, *shlex.split(remedy), *typed.split())


def test_what_cannot_be_compared_is_refused(biasvar, judges):
    assert_refused(
        biasvar("judges", "a.tot", "truth.tot:cover", "-m", "GRADE MATCH"), 2, "truth.tot:cover is one measure"
    )
    text = Path("b.jsonl").read_text()
    Path("cost.jsonl").write_text(text.replace('"s"', '"wer"'))
    assert_refused(biasvar("judges", "truth.tot", "cost.jsonl", "-m", "cover=wer"), 1, "less is better for one of")
    assert_refused(biasvar("judges", "none.tot:GRADE", "truth.tot"), 2, "does not exist")
    assert_refused(biasvar("judges", "a.tot:GRADE", "-q", "truth.tot", "-q", "a.tot"), 2, "a.tot:GRADE: patterns and")


def test_python_takes_the_same(judges):
    means = [
        bv.judges(["truth.tot", "a.tot"], measure="cover=GRADE").frame()["mean"].item(),
        bv.judges(["truth.tot", "a.tot:GRADE"]).frame()["mean"].item(),
        bv.judges({"people": "truth.tot", "model": "a.tot:GRADE"}).frame()["mean"].item(),
    ]
    assert means == [pytest.approx(judges["GRADE"].mean())] * 3
    with pytest.raises(bv.BiasVarError, match="measure='cover=GRADE' compares GRADE with it"):
        bv.judges(["truth.tot", "a.tot"])


@pytest.fixture
def by_run(judges: dict[str, Any]) -> dict[str, Any]:
    """eval/RUN.JUDGE, each of one run, as trec_eval prints."""
    Path("eval").mkdir()
    for judge, name in {"nist-post-edit": "cover", "gpt-4.1": "GRADE"}.items():
        for at, run in enumerate(RUNS):
            rows = [f"f1\t{topic}\t{value}\n" for topic, value in zip(TOPICS, judges[name][at], strict=True)]
            Path(f"eval/{run}.{judge}").write_text("".join(rows))
    return judges


@pytest.mark.parametrize(
    "words", [["eval/*.nist-post-edit", "eval/*.gpt-4.1"], ["eval/*.nist-post-edit", "eval/*.gpt-4.1:f1"], None]
)
def test_files_of_one_ending_are_a_judge(biasvar, by_run, words):
    """As a shell expands the patterns, and as they are."""
    files = [f"eval/{run}.{judge}" for judge in ("nist-post-edit", "gpt-4.1") for run in RUNS]
    (result,) = result_of(biasvar, *(words or files))["results"]
    assert (result["reference"], result["judges"][0]["judge"]) == ("nist-post-edit", "gpt-4.1")
    assert [row["run"] for row in result["runs"]] == sorted(RUNS)
    assert result["judges"][0]["mean"] == pytest.approx(by_run["GRADE"].mean())


def test_folders_of_such_files_have_runs_in_common_and_one_folder_says_what_to_type(biasvar, by_run):
    refused = biasvar("judges", "eval")
    assert_refused(refused, 2, "give those of the reference first: 'eval/*.gpt-4.1' 'eval/*.nist-post-edit'")
    for judge in ("nist-post-edit", "gpt-4.1"):
        Path(judge[:4]).mkdir()
        for run in RUNS:
            Path(f"eval/{run}.{judge}").rename(f"{judge[:4]}/{run}.{judge}")
    (result,) = result_of(biasvar, "nist", "gpt-")["results"]
    assert [row["run"] for row in result["runs"]] == sorted(RUNS)
