"""The sample track is what its script simulates, to the byte, and shows what its docstring says."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import ir_measures
import numpy as np
import pytest
from conftest import ROOT

COMBINED = [f"comb-0.{tenths}" for tenths in range(1, 10)]
REMOVED = [f"nrr-0.{tenths}" for tenths in range(1, 10)] + ["nrr-1.0"]
NAMES = sorted(["orig", "rm", *COMBINED, *REMOVED, "target"])
TOPICS = [str(topic) for topic in range(901, 931)]
TARGETS = ["best", "run:target"]
FORMS = ["score", "gap"]


def rows(path: Path) -> list[list[str]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [line.split(" ") for line in text.decode("ascii").splitlines()]


def contents(top: Path) -> dict[str, bytes]:
    files = [*(top / "sample_runs").iterdir(), top / "qrels" / "simulated.qrels.txt"]
    read = {str(path.relative_to(top)): path.read_bytes() for path in files}
    return {name: gzip.decompress(data) if name.endswith(".gz") else data for name, data in read.items()}


@pytest.fixture(scope="module")
def runs() -> dict[str, list[list[str]]]:
    return {path.name.removesuffix(".gz"): rows(path) for path in sorted((ROOT / "sample_runs").iterdir())}


@pytest.fixture(scope="module")
def qrels() -> list[list[str]]:
    return rows(ROOT / "qrels" / "simulated.qrels.txt")


@pytest.fixture(scope="module")
def scores(runs, qrels) -> dict[str, np.ndarray]:
    """AP on every topic, by ir-measures."""
    evaluator = ir_measures.evaluator(
        [ir_measures.AP], [ir_measures.Qrel(topic, doc, int(grade)) for topic, _, doc, grade in qrels]
    )
    found = {}
    for name, lines in runs.items():
        run = [ir_measures.ScoredDoc(topic, doc, float(score)) for topic, _, doc, _, score, _ in lines]
        by_topic = {metric.query_id: metric.value for metric in evaluator.iter_calc(run)}
        found[name] = np.array([by_topic[topic] for topic in TOPICS])
    return found


class Plane(NamedTuple):
    """Where each run lies."""

    bias2: dict[str, float]
    var: dict[str, float]

    def below_rm(self, family: list[str]) -> list[str]:
        """The members of a family with less bias² and less variance than the relevance model."""
        return [name for name in family if self.bias2[name] < self.bias2["rm"] and self.var[name] < self.var["rm"]]


@pytest.fixture
def plane(scores, target, form) -> Plane:
    at = scores["target"] if target == "run:target" else np.max(list(scores.values()), axis=0)
    bias2 = {name: float((at.mean() - ap.mean()) ** 2) for name, ap in scores.items()}
    spread = {name: ap if form == "score" else at - ap for name, ap in scores.items()}
    return Plane(bias2, {name: float(values.var(ddof=0)) for name, values in spread.items()})


def test_the_script_writes_the_committed_files_again(tmp_path):
    script = ROOT / "benchmarks" / "sample_track.py"
    subprocess.run([sys.executable, str(script), "--out", str(tmp_path)], check=True, capture_output=True)
    assert contents(tmp_path) == contents(ROOT)


def test_the_compressed_files_carry_neither_time_nor_name():
    for path in (ROOT / "sample_runs").iterdir():
        header = path.read_bytes()[:10]
        assert header[:2] == b"\x1f\x8b", path.name
        assert (header[3], header[4:8]) == (0, bytes(4)), path.name


def test_the_runs_and_the_qrels_take_less_than_a_megabyte():
    files = [*(ROOT / "sample_runs").iterdir(), ROOT / "qrels" / "simulated.qrels.txt"]
    assert sum(path.stat().st_size for path in files) < 1_000_000


def test_there_are_22_runs_named_by_file_and_tag_alike(runs):
    assert sorted(runs) == NAMES
    assert {name: {line[5] for line in lines} for name, lines in runs.items()} == {name: {name} for name in NAMES}


def test_every_run_has_results_for_every_topic_and_no_document_twice(runs):
    for name, lines in runs.items():
        assert list(dict.fromkeys(line[0] for line in lines)) == TOPICS, name
        assert max(Counter((line[0], line[2]) for line in lines).values()) == 1, name
        assert max(Counter(line[0] for line in lines).values()) == 100, name


def test_every_run_is_in_order_of_score_and_equal_scores_in_descending_order_of_document(runs):
    for name, lines in runs.items():
        best_first = sorted(lines, key=lambda line: line[2], reverse=True)
        best_first.sort(key=lambda line: (line[0], -float(line[4])))
        assert best_first == lines, name
        ranks = Counter[str]()
        for line in lines:
            ranks[line[0]] += 1
            assert int(line[3]) == ranks[line[0]]


def test_some_scores_are_equal(runs):
    for name, lines in runs.items():
        assert max(Counter((line[0], line[4]) for line in lines).values()) > 1, name


def test_judgments_are_graded_and_every_topic_has_relevant_and_other_documents(qrels):
    assert {line[3] for line in qrels} == {"-2", "0", "1", "2"}
    assert list(dict.fromkeys(line[0] for line in qrels)) == TOPICS
    assert max(Counter((line[0], line[2]) for line in qrels).values()) == 1
    for topic in TOPICS:
        assert {"0", "1", "2"} <= {line[3] for line in qrels if line[0] == topic}


def test_documents_say_that_they_are_simulated(runs, qrels):
    docs = {line[2] for lines in [*runs.values(), qrels] for line in lines}
    assert all(doc.startswith("SIM-") and len(doc) == 8 for doc in docs)


def test_mean_average_precision_is_in_a_realistic_range(scores):
    assert {name: round(float(scores[name].mean()), 4) for name in ("orig", "rm", "comb-0.2", "nrr-1.0", "target")} == {
        "orig": 0.2943,
        "rm": 0.3468,
        "comb-0.2": 0.3484,
        "nrr-1.0": 0.5760,
        "target": 0.5809,
    }


def test_expansion_hurts_12_topics_of_30(scores):
    assert int((scores["rm"] < scores["orig"]).sum()) == 12


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_expansion_lowers_bias_and_raises_variance(plane):
    assert plane.bias2["rm"] < plane.bias2["orig"]
    assert plane.var["rm"] > plane.var["orig"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_combinations_trade_variance_for_bias_along_the_path_from_rm_to_the_original(plane):
    bias2 = [plane.bias2[name] for name in COMBINED]
    var = [plane.var[name] for name in COMBINED]
    assert np.corrcoef(bias2, var)[0, 1] < -0.95
    assert sorted([plane.var["rm"], *var, plane.var["orig"]], reverse=True) == [
        plane.var["rm"], *var, plane.var["orig"]
    ]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_the_two_smallest_weights_of_the_original_lower_both_bias_and_variance(plane):
    assert plane.below_rm(COMBINED) == ["comb-0.1", "comb-0.2"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", ["score"])
def test_removal_lowers_both_in_the_score_form_at_seven_rates_of_ten(plane):
    assert plane.below_rm(REMOVED) == REMOVED[3:]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", ["gap"])
def test_removal_lowers_both_in_the_gap_form_at_every_rate(plane):
    assert plane.below_rm(REMOVED) == REMOVED


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_removal_lowers_bias_further_at_every_rate(plane):
    bias2 = [plane.bias2[name] for name in ["rm", *REMOVED]]
    assert sorted(bias2, reverse=True) == bias2


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("form", FORMS)
def test_the_target_model_has_the_least_bias_and_the_least_variance(plane, scores):
    assert max(NAMES, key=lambda name: scores[name].mean()) == "target"
    assert min(NAMES, key=plane.bias2.__getitem__) == "target"
    assert min(NAMES, key=plane.var.__getitem__) == "target"


@pytest.mark.parametrize(
    ("target", "form", "expected"),
    [("best", "score", 0.19), ("best", "gap", 0.56), ("run:target", "score", 0.17), ("run:target", "gap", 0.53)],
)
def test_over_all_runs_together_bias_and_variance_are_no_tradeoff(plane, expected):
    pairs = [(plane.bias2[name], plane.var[name]) for name in NAMES]
    assert np.corrcoef(np.transpose(pairs))[0, 1] == pytest.approx(expected, abs=0.005)
