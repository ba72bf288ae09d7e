"""Large files are read in pieces and scored in parts: the same result as in one piece, in little memory."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples, outcome
from test_fuzz import QRELS_TEXTS, RUN_TEXTS

from biasvar_cli.analyses.check.answer import check_run
from biasvar_cli.errors import DataError
from biasvar_cli.measures import parse_measures
from biasvar_cli.readers import columns, delimited, runs
from biasvar_cli.readers.columns import has_repeats, taken, word_hashes
from biasvar_cli.readers.qrels import parse_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.scoring.evaluator import Evaluator
from biasvar_cli.scoring.ranking import Judgments

MEASURES = [
    *("AP", "nDCG@3", "P@2", "RR", "Bpref", "Judged@3", "ERR", "NumRet", "SetP", "Rprec", "AP(judged_only=True)"),
    *("IPrec@0.5", "infAP", "SetAP"),  # by ir-measures' own providers
]
ODD_LINES = {
    "a comment": b"# made by hand\n",
    "a blank line": b"\n",
    "seven columns": b"1 Q0 odd 1 1 t more\n",
    "tabs": b"1\tQ0\todd\t1\t1\tt\n",
    "double spaces": b"1  Q0  odd 1 1 t\n",
    "a line of Windows": b"1 Q0 odd 1 1 t\r\n",
    "an interleaved topic": b"3 Q0 odd 1 1 t\n",
}
LONG = "".join(f"{1 + place // 50} Q0 doc{place} {place % 50} {-place} t\n" for place in range(200)).encode()

SIZES = st.integers(1, 60)


def in_pieces(size: int, function: Callable[[], Any]) -> Any:
    """What a function makes of texts that are read in pieces of this many bytes, and runs of parts of two lines."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_PIECE", size)
        patch.setattr(runs, "_PART", 2)
        return outcome(function)


def columns_of(data: bytes) -> tuple[Any, ...]:
    run = parse_run(data, "run", ranks=True)
    assert run.ranks is not None
    columns = (run.topic.tolist(), run.docs.to_pylist(), run.scores.tolist(), run.ranks.to_pylist())
    return run.name, run.tags, run.topics, run.oddities, *columns


@examples(20)
@given(RUN_TEXTS, SIZES)
def test_a_run_read_in_pieces_is_the_same_or_has_the_same_error(data, size):
    assert in_pieces(size, lambda: columns_of(data)) == outcome(lambda: columns_of(data))


@examples(20)
@given(QRELS_TEXTS, SIZES)
def test_qrels_read_in_pieces_are_the_same_or_have_the_same_error(data, size):
    def read() -> tuple[Any, ...]:
        found = parse_qrels(data, "qrels")
        columns = (found.topic.tolist(), found.docs.to_pylist(), found.grades.tolist(), found.iterations.to_pylist())
        return found.topics, found.subtopics, found.oddities, *columns

    assert in_pieces(size, read) == outcome(read)


PAIRS = st.sets(st.tuples(st.sampled_from("1234"), st.sampled_from("abcdefgh")), min_size=1, max_size=25)


@examples(20)
@given(PAIRS, PAIRS, st.data())
def test_a_run_scored_in_parts_has_the_same_scores_to_the_last_bit_and_the_same_oddities(judged, retrieved, data):
    order = data.draw(st.permutations(sorted(retrieved)))
    near = st.integers(1, 3)
    text = "".join(f"{topic} Q0 {doc} {data.draw(near)} {data.draw(near)} t\n" for topic, doc in order)
    grades = "".join(f"{topic} 0 {doc} {data.draw(st.integers(-1, 2))}\n" for topic, doc in sorted(judged))
    judgments = parse_qrels((grades + "9 0 a 1\n").encode(), "qrels")
    evaluator = Evaluator(judgments, parse_measures(MEASURES), keep_empty=True)

    def evaluate() -> tuple[Any, ...]:
        run = parse_run(text.encode(), "run", ranks=True)
        found = evaluator.evaluate(run)
        return found.values.tobytes(), found.oddities, check_run(run, judgments)

    assert in_pieces(20, evaluate) == outcome(evaluate)


def test_the_first_document_of_a_large_run_has_its_line_even_if_none_is_judged(monkeypatch):
    judgments = parse_qrels(b"1 0 z 1\n2 0 z 1\n", "qrels")
    data = b"2 Q0 a 1 1 t\n2 Q0 b 2 2 t\n3 Q0 a 1 1 t\n3 Q0 b 2 1 t\n1 Q0 c 1 1 t\n1 Q0 d 2 2 t\n"
    whole = Judgments.of(judgments, judgments.topics).judge(parse_run(data, "run"))
    monkeypatch.setattr(runs, "_PART", 2)
    parts = Judgments.of(judgments, judgments.topics).judge(parse_run(data, "run"))
    assert (parts.query[0], parts.line[0]) == (whole.query[0], whole.line[0]) == (0, 5)
    assert parts.retrieved.tolist() == whole.retrieved.tolist() == [2, 2]


def test_the_first_repetition_in_the_file_is_named_whatever_part_it_is_in(monkeypatch):
    monkeypatch.setattr(runs, "_PART", 2)
    monkeypatch.setattr(delimited, "_PIECE", 30)
    text = b"# head\n1 Q0 a 1 9 t\n2 Q0 x 1 9 t\n\n2 Q0 y 2 8 t\n2 Q0 x 3 7 t\n1 Q0 b 2 8 t\n1 Q0 a 3 7 t\n"
    with pytest.raises(DataError) as refusal:
        parse_run(text.replace(b"\n", b"\r\n"), "run")
    assert str(refusal.value) == "run:6: document x is listed twice for topic 2, first in line 3"


def test_repetitions_are_found_and_only_these_when_all_hashes_are_equal(monkeypatch):
    monkeypatch.setattr(columns, "word_hashes", lambda docs: np.zeros(len(docs), dtype=np.uint64))

    @examples(20)
    @given(RUN_TEXTS, SIZES)
    def check(data, size):
        assert in_pieces(size, lambda: columns_of(data)) == outcome(lambda: columns_of(data))

    check()


@pytest.mark.parametrize("odd", ODD_LINES.values(), ids=ODD_LINES)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"], ids=["", "with CRLF"])
def test_one_odd_line_does_not_make_the_others_be_read_line_by_line(monkeypatch, odd, ending):
    def slow(*_: object) -> None:
        raise AssertionError("read line by line")

    monkeypatch.setattr(delimited, "records", slow)
    half = len(LONG) // 2 + LONG[len(LONG) // 2 :].index(b"\n") + 1
    run = parse_run((LONG[:half] + odd + LONG[half:]).replace(b"\n", ending), "t")
    assert len(run.scores) == 200 + (b"odd" in odd)


@pytest.mark.parametrize("bad", [b"1 Q0 odd 1 1\n", b"1 Q0 odd 1 abc t\n", b"1 Q0 odd 1 nan t\n"])
def test_one_bad_line_is_found_without_reading_other_pieces_line_by_line(monkeypatch, bad):
    monkeypatch.setattr(delimited, "_PIECE", 400)
    by_line, seen = delimited.records, []
    monkeypatch.setattr(delimited, "records", lambda *words: seen.append(words) or by_line(*words))
    start = LONG.rindex(b"\n", 0, -100) + 1
    number = LONG.count(b"\n", 0, start) + 1
    with pytest.raises(DataError, match=f"^t:{number}: "):
        parse_run(LONG[:start] + bad + LONG[start:], "t")
    assert len(seen) == 1


def test_a_file_of_seven_columns_throughout_is_not_read_line_by_line(monkeypatch):
    monkeypatch.setattr(delimited, "_mended", None)
    monkeypatch.setattr(delimited, "records", None)
    run = parse_run(LONG.replace(b" t\n", b" t more\n"), "t")
    assert [odd.number for odd in run.oddities] == [200]


# ---- memory, measured


TOPICS, DEPTH, LEAST = 400, 1000, 15_000_000


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A folder with a run of more than half a million lines, its qrels, and a run of one line."""
    folder = tmp_path_factory.mktemp("large")
    text, qrels = [], []
    for topic in range(TOPICS):
        docs = [f"clueweb09-en{topic:04}-{rank * 7919 % 100003:05}" for rank in range(DEPTH)]
        text += [f"{topic} Q0 {doc} {rank} {3 * DEPTH - rank}.5 large\n" for rank, doc in enumerate(docs)]
        qrels += [f"{topic} 0 {docs[rank]} 1\n" for rank in (3, 50)]
    (folder / "large").write_text("".join(text))
    (folder / "qrels").write_text("".join(qrels))
    (folder / "small").write_text(text[3])
    return folder


def peak(folder: Path, run: str, *options: str) -> int:
    """The most bytes that a process which scores a run had in memory at once."""
    command = [sys.executable, "-m", "biasvar_cli", "scores", run, "-q", "qrels", "--quiet", *options]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def interleaved(text: bytes) -> bytes:
    rows = text.splitlines(keepends=True)
    return b"".join(rows[topic * DEPTH + rank] for rank in range(DEPTH) for topic in range(TOPICS))


KINDS = {"gzip, with a comment": lambda text: gzip.compress(b"# a comment\n" + text, 1), "interleaved": interleaved}


@pytest.mark.long
@pytest.mark.parametrize("change", KINDS.values(), ids=KINDS)
def test_a_large_run_takes_at_most_three_bytes_a_byte(large, change):
    text = (large / "large").read_bytes()
    (large / "changed").write_bytes(change(text))
    assert len(text) > LEAST
    assert peak(large, "changed") - peak(large, "small") < 3 * len(text)


# ---- repeated pairs of topic and document, and hashes of documents


IDS = st.binary(min_size=1, max_size=40) | st.sampled_from([b"a", b"aa", b"12345678", b"123456789", b"x12345678"])
TOPICS_AND_IDS = st.lists(st.tuples(st.integers(0, 3), IDS), min_size=1, max_size=40)


@given(TOPICS_AND_IDS, st.data())
def test_repeats_are_found_and_only_repeats(pairs, data):
    again = data.draw(st.lists(st.sampled_from(pairs), max_size=2))
    drawn = data.draw(st.permutations(pairs + again))
    topic = np.array([pair[0] for pair in drawn])
    docs = pa.array([pair[1] for pair in drawn], pa.binary())
    assert has_repeats(topic, docs, word_hashes(docs)) == (len(set(drawn)) < len(drawn))


@given(st.lists(IDS, min_size=1, max_size=30, unique=True), st.integers(0, 5))
def test_a_word_has_one_hash_wherever_it_stands_and_others_have_others(words, start):
    column = pa.array([b"before"] * start + words, pa.binary())
    hashes = word_hashes(column.slice(start)).tolist()
    assert len(set(hashes)) == len(words)
    assert word_hashes(pa.array(words[::-1], pa.binary())).tolist() == hashes[::-1]
    assert word_hashes(taken(column, np.arange(start, start + len(words)))).tolist() == hashes


@given(st.integers(8, 40), st.integers(1, 20), st.integers(0, 3), st.randoms(use_true_random=False))
def test_words_of_one_length_hash_as_they_do_among_words_of_other_lengths(length, n_words, start, random):
    words = [random.randbytes(length) for _ in range(n_words)]
    alone = word_hashes(pa.array([b"x" * length] * start + words, pa.binary()).slice(start))
    mixed = word_hashes(pa.array([b"", b"another length", *words], pa.binary()))
    assert alone.tolist() == mixed[2:].tolist()
