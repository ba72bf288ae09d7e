"""The sample track: real judgments, the runs and models that the study script makes, and what they show."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from conftest import ROOT

COMBINED = [f"comb-0.{tenths}" for tenths in range(1, 10)]
REMOVED = [f"nrr-0.{tenths}" for tenths in range(1, 10)] + ["nrr-1.0"]
NAMES = sorted(["orig", "rm", *COMBINED, *REMOVED, "rel-fb"])
MODELS = ["comb-0.1", "comb-0.5", "nrr-1.0", "orig", "rel-fb", "rm", "true"]
TOPICS = [str(topic) for topic in range(1, 94)]
FOLDERS = ("sample_runs", "sample_models", "qrels")


def rows(path: Path) -> list[list[str]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [line.split() for line in text.decode("ascii").splitlines()]


def contents(top: Path) -> dict[str, bytes]:
    files = [path for folder in FOLDERS for path in (top / folder).iterdir() if path.suffix != ".md"]
    read = {str(path.relative_to(top)): path.read_bytes() for path in files}
    return {name: gzip.decompress(data) if name.endswith(".gz") else data for name, data in read.items()}


@pytest.fixture(scope="module")
def runs() -> dict[str, list[list[str]]]:
    return {path.name.removesuffix(".gz"): rows(path) for path in sorted((ROOT / "sample_runs").iterdir())}


@pytest.fixture(scope="module")
def qrels() -> list[list[str]]:
    return rows(ROOT / "qrels" / "npl.qrels.txt")


@pytest.fixture(scope="module")
def scores(runs, qrels) -> dict[str, np.ndarray]:
    """AP on every topic, by pytrec_eval."""
    parsed = pytrec_eval.parse_qrel(map(" ".join, qrels))
    evaluator = pytrec_eval.RelevanceEvaluator(parsed, {"map"})
    found = {name: evaluator.evaluate(pytrec_eval.parse_run(map(" ".join, lines))) for name, lines in runs.items()}
    return {name: np.array([by_topic[topic]["map"] for topic in TOPICS]) for name, by_topic in found.items()}


def test_the_script_writes_the_committed_files_again(tmp_path, shared):
    pytest.importorskip("Stemmer", reason="PyStemmer is not here (extra studies)")
    script, abstracts = ROOT / "studies" / "sample_track.py", shared / "vaswani-npl" / "docs.tsv.gz"
    command = [sys.executable, str(script), str(abstracts.parent), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    assert contents(tmp_path) == contents(ROOT)


def test_the_compressed_files_carry_neither_time_nor_name():
    for path in [*(ROOT / "sample_runs").iterdir(), *(ROOT / "sample_models").iterdir()]:
        header = path.read_bytes()[:10]
        assert header[:2] == b"\x1f\x8b", path.name
        assert (header[3], header[4:8]) == (0, bytes(4)), path.name


def test_every_run_has_100_documents_for_every_topic_in_order_of_score_and_ties_in_descending_order(runs):
    assert sorted(runs) == NAMES
    for name, lines in runs.items():
        assert {line[5] for line in lines} == {name}
        assert [(line[0], int(line[3])) for line in lines] == [*product(TOPICS, range(1, 101))], name
        assert len({(line[0], line[2]) for line in lines}) == len(lines), name
        best_first = sorted(lines, key=lambda line: line[2], reverse=True)
        assert sorted(best_first, key=lambda line: (int(line[0]), -float(line[4]))) == lines, name


def test_the_judgments_are_those_of_the_collection(qrels):
    """2083 relevant documents, 1 to 84 a query, 83 queries with five or more: the collection's ORIGIN.md."""
    assert len(qrels) == len({(line[0], line[2]) for line in qrels}) == 2083
    assert {line[3] for line in qrels} == {"1"}
    counts = Counter(line[0] for line in qrels)
    assert sorted(counts, key=int) == TOPICS
    assert (min(counts.values()), max(counts.values()), sum(n >= 5 for n in counts.values())) == (1, 84, 83)


def test_there_are_seven_models_of_every_topic_whose_weights_sum_to_one():
    found = {path.name.removesuffix(".tsv.gz"): rows(path) for path in sorted((ROOT / "sample_models").iterdir())}
    assert list(found) == MODELS
    for name, lines in found.items():
        assert list(dict.fromkeys(line[0] for line in lines)) == TOPICS, name
        sums = Counter[str]()
        for topic, _, weight in lines:
            sums[topic] += float(weight)
        assert list(sums.values()) == pytest.approx([1] * 93, abs=1e-4), name
    assert max(Counter(line[0] for line in found["rm"]).values()) == 100


def test_a_combination_is_that_share_of_the_original_and_the_rest_of_the_relevance_model():
    models = [rows(ROOT / "sample_models" / f"{name}.tsv.gz") for name in ("orig", "rm", "comb-0.1")]
    orig, rm, comb = ({(topic, term): float(weight) for topic, term, weight in lines} for lines in models)
    assert {key: 0.1 * orig.get(key, 0) + 0.9 * rm.get(key, 0) for key in orig | rm} == pytest.approx(comb, abs=1e-6)


def test_what_the_track_shows(scores):
    """As on the whole collection: expansion does not gain, six of nine combinations are below RM in both."""
    best, ap = np.max(list(scores.values()), axis=0), np.array([scores[name] for name in NAMES])
    assert scores["orig"].mean() == pytest.approx(0.2535, abs=5e-5)  # by another program, at depth 100
    assert scores["rm"].mean() < scores["orig"].mean()
    bias2, var, gap = (best.mean() - ap.mean(axis=1)) ** 2, ap.var(axis=1), (best - ap).var(axis=1)
    rm, best_run = NAMES.index("rm"), NAMES.index("rel-fb")
    below = {name for at, name in enumerate(NAMES) if bias2[at] < bias2[rm] and var[at] < var[rm]}
    assert [name for name in COMBINED if name in below] == COMBINED[3:]
    assert {name for at, name in enumerate(NAMES) if bias2[at] < bias2[rm] and gap[at] < gap[rm]} >= {*REMOVED}
    assert var[rm] > var[NAMES.index("orig")]
    assert -0.7 < np.corrcoef(bias2, var)[0, 1] < -0.6
    assert np.corrcoef(bias2, gap)[0, 1] > 0.9
    assert bias2.argmin() == gap.argmin() == best_run
