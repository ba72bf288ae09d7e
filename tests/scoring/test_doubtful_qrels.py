"""Qrels that are not those of the runs, ranks that contradict scores, and queries among their own results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Result, only, rows_of

import biasvar_cli as bv
from biasvar_cli.errors import BiasVarError
from biasvar_cli.readers.runs import CONTRADICTION, parse_run

N_TOPICS, DEPTH = 20, 30
COMMANDS = ("scores", "summary", "compare", "decompose --no-null")
RIGHT = "are these the right qrels"


def results(topic: int, step: int = 1) -> list[str]:
    """Documents of a topic, and last one of the topic before."""
    own = [f"d{topic}-{place * step}" for place in range(DEPTH)]
    return [*own, f"d{(topic - 2) % N_TOPICS + 1}-0"]


def write_run(path: Path, *, step: int = 1, tag: str = "tag") -> str:
    lines = [
        f"{topic} Q0 {doc} {rank} {100 - rank} {tag}"
        for topic in range(1, N_TOPICS + 1)
        for rank, doc in enumerate(results(topic, step), 1)
    ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def write_qrels(path: Path, *, shift: int = 0, judged: int = 12, irrelevant: bool = True) -> str:
    """The first documents of each topic are judged, alternately relevant and not; topics may be shifted."""
    lines = [
        f"{(topic + shift - 1) % N_TOPICS + 1} 0 d{topic}-{place} {1 - place % 2 if irrelevant else 1}"
        for topic in range(1, N_TOPICS + 1)
        for place in range(judged)
    ]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    return write_run(tmp_path / "one"), write_run(tmp_path / "two", step=2)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("sparse", [False, True])
def test_qrels_whose_topics_are_shifted_are_refused_by_every_command(
    biasvar: Callable[..., Result], tmp_path: Path, runs: tuple[str, str], command: str, sparse: bool
) -> None:
    judged = {"judged": 1, "irrelevant": False} if sparse else {}
    qrels = write_qrels(tmp_path / "qrels", shift=1, **judged)
    result = biasvar(*command.split(), *runs, "-q", qrels)
    assert (result.code, result.out) == (1, "")
    assert f"100 % of the top 10 is unjudged (median of 2 runs): {RIGHT} ({qrels})? --allow-unjudged" in result.err
    allowed = biasvar(*command.split(), *runs, "-q", qrels, "--allow-unjudged")
    assert allowed.code == 0
    assert f"{RIGHT} ({qrels})?\n" in allowed.err
    right = biasvar(*command.split(), *runs, "-q", write_qrels(tmp_path / "qrels", **judged))
    assert right.code == 0
    assert RIGHT not in right.err


@pytest.mark.parametrize(
    ("judged", "irrelevant", "level"),
    [
        (12, True, None),  # all of the top of one run, six documents of ten of the other
        (7, True, None),  # seven and four of seven that could be judged
        (1, True, None),  # one of one
        (1, False, None),
    ],
)
def test_only_documents_that_could_be_judged_are_missed(
    biasvar: Callable[..., Result], tmp_path: Path, runs: tuple[str, str], judged: int, irrelevant: bool, level: None
) -> None:
    qrels = write_qrels(tmp_path / "qrels", judged=judged, irrelevant=irrelevant)
    assert RIGHT not in biasvar("summary", *runs, "-q", qrels).err
    assert RIGHT not in biasvar("check", *runs, "-q", qrels).out


def test_most_of_the_top_of_most_runs_is_a_warning_in_check_too(biasvar: Callable[..., Result], tmp_path: Path) -> None:
    """Steps of 3 leave 4 of 10 judged documents, 60 % unjudged; one run of three with all of them changes nothing."""
    names = ("a", "b", "c")
    paths = [write_run(tmp_path / name, step=step) for name, step in zip(names, (3, 3, 1), strict=True)]
    qrels = write_qrels(tmp_path / "qrels")
    what = f"60 % of the top 10 is unjudged (median of 3 runs): {RIGHT} ({qrels})?"
    result = biasvar("summary", *paths, "-q", qrels)
    assert (result.code, result.err) == (0, f"biasvar: warning: {what}\n")
    ((file, *_),) = only(biasvar("check", *paths, "-q", qrels, "-f", "json")).values()
    assert file["oddities"] == [{"what": what, "number": None, "unit": "", "notice": False}]
    assert RIGHT not in biasvar("summary", paths[0], *paths[2:], "-q", qrels).err  # one of two


def test_in_a_notebook_and_in_a_manifest_the_option_has_its_name(
    biasvar: Callable[..., Result], tmp_path: Path, runs: tuple[str, str]
) -> None:
    qrels = write_qrels(tmp_path / "qrels", shift=1)
    with pytest.raises(BiasVarError, match="allow_unjudged=True computes"):
        bv.evaluate(list(runs), qrels)
    with pytest.warns(UserWarning, match=RIGHT):
        bv.evaluate(list(runs), qrels, allow_unjudged=True)
    manifest = tmp_path / "tracks.toml"
    text = f'[[track]]\ntrack = "A"\nyear = 1999\nruns = ["one", "two"]\nqrels = "{Path(qrels).name}"\n'
    manifest.write_text(text)
    assert RIGHT in biasvar("summary", manifest).err
    manifest.write_text(f"{text}allow_unjudged = true\n")
    assert biasvar("summary", manifest).code == 0


def run_of(topics: dict[str, list[tuple[int, float]]]) -> bytes:
    lines = [
        f"{topic} Q0 d{place} {rank} {score} t"
        for topic, of in topics.items()
        for place, (rank, score) in enumerate(of)
    ]
    return "\n".join(lines).encode()


def contradicted(data: bytes) -> list[int]:
    return [odd.number for odd in parse_run(data, "t").oddities if odd.what == CONTRADICTION]


RISING = [(1, 0.1), (2, 0.2), (3, 0.3)]
FALLING = [(1, 0.3), (2, 0.2), (3, 0.1)]


@pytest.mark.parametrize(
    ("topics", "number"),
    [
        ({"1": RISING, "2": RISING}, [2]),
        ({"1": RISING[::-1], "2": RISING}, [2]),  # in any order of lines
        ({"1": [(1, 3.0), (2, 1.0), (3, 2.0)]}, [1]),  # old ranks of results that were ranked again
        ({"1": [(1, 0.5)], "2": [(1, 0.5), (2, 0.5)], "3": RISING}, [1]),  # the others can contradict nothing
        ({"1": RISING, "2": FALLING}, []),
        ({"1": FALLING, "2": RISING}, []),
        ({"1": [(0, 0.1), (0, 0.3), (0, 0.2)]}, []),  # no rank at all
        ({"1": [(1, 0.5), (2, 0.5)]}, []),
    ],
)
def test_ranks_that_contradict_the_scores_on_all_topics_are_a_warning(
    topics: dict[str, list[tuple[int, float]]], number: list[int]
) -> None:
    assert contradicted(run_of(topics)) == number


def test_ranks_are_compared_in_a_run_of_several_parts() -> None:
    places = range(1500)
    rising = {str(topic): [(place + 1, place / 10) for place in places] for topic in range(200)}
    assert contradicted(run_of(rising)) == [200]
    assert contradicted(run_of({**rising, "last": FALLING})) == []


def test_ranks_that_are_no_numbers_are_not_read() -> None:
    assert contradicted(b"1 Q0 a x 1 t\n1 Q0 b y 2 t\n") == []
    assert contradicted(run_of({"1": RISING}) + b"\n1 Q0 z x 0 t\n") == []


def test_queries_among_their_own_results_are_left_out_where_that_is_asked_for(
    biasvar: Callable[..., Result], tmp_path: Path
) -> None:
    """By hand: the query comes first and the relevant document second, or first without the query."""
    ids = [f"q{number}" for number in range(10)]
    run, qrels = tmp_path / "r", tmp_path / "qrels"
    run.write_text("".join(f"{query} Q0 {query} 1 9 r\n{query} Q0 rel{query} 2 8 r\n" for query in ids))
    qrels.write_text("".join(f"{query} 0 rel{query} 1\n{query} 0 other 0\n" for query in ids))
    command = ("scores", run, "-q", qrels, "-m", "RR", "-f", "csv")
    assert {row["score"] for row in rows_of(biasvar(*command))} == {"0.5"}
    assert {row["score"] for row in rows_of(biasvar(*command, "--ignore-identical-ids"))} == {"1.0"}
    document = json.loads(biasvar("summary", run, "-q", qrels, "-f", "json").out)
    assert any("--ignore-identical-ids" in notice for notice in document["notices"])
    said = " ".join(biasvar("summary", run, "-q", qrels, "--ignore-identical-ids", "--notes", "full").out.split())
    assert "10 queries (qrels, results that are their own query left out)" in said
    assert "own results" not in said
    scores: Any = bv.evaluate(str(run), str(qrels), "RR", ignore_identical_ids=True)
    assert np.all(scores.frame()["r"] == 1)


def test_numbers_that_queries_and_documents_share_are_no_queries_among_their_results(
    biasvar: Callable[..., Result], tmp_path: Path
) -> None:
    run, qrels = tmp_path / "r", tmp_path / "qrels"
    run.write_text("".join(f"{query} Q0 {doc} 1 {9 - doc} r\n" for query in range(1, 10) for doc in range(1, 4)))
    qrels.write_text("".join(f"{query} 0 1 1\n" for query in range(1, 10)))
    document = json.loads(biasvar("summary", run, "-q", qrels, "-f", "json").out)
    assert not any("own results" in notice for notice in document["notices"])


def test_a_run_that_has_its_queries_alone_cannot_lose_them(biasvar: Callable[..., Result], tmp_path: Path) -> None:
    run, qrels = tmp_path / "r", tmp_path / "qrels"
    run.write_text("q1 Q0 q1 1 9 r\n")
    qrels.write_text("q1 0 a 1\nq1 0 q1 0\n")
    result = biasvar("scores", run, "-q", qrels, "--ignore-identical-ids")
    assert (result.code, result.err) == (
        1,
        f"biasvar: error: {run}: every result is a document with the id of its topic; none would be left\n",
    )
