"""Any bytes give a result or an error of ours, and the fast path of the readers agrees with a slow, plain one."""

from __future__ import annotations

import bz2
import copy
import gzip
import json
import lzma
import re
from collections.abc import Callable
from functools import reduce
from math import ceil
from operator import getitem
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st
from mutations import WHERE, anything, examples, outcome, result_or_error

from biasvar_cli.readers.qrels import parse_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.readers.score_formats import EXAMPLES, parse_scores, recognise
from biasvar_cli.readers.score_formats.samples import EXAMPLES as SAMPLE_FILES
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.scoring.ranking import rank_order

RUN = b"1 Q0 a 1 2.5 bm25\n1 Q0 b 2 1e-04 bm25\n2 Q0 a 1 -3 bm25\n2 Q0 c 2 -3 bm25\n10 Q0 d 1 7 bm25\n"
QRELS = b"1 0 a 1\n1 0 b -2\n2 0 c 2\n2 0 a 0\n10 0 d 1\n"
EVALUATION = b"map \t1\t0.5000\nP_5 \t1\t0.2000\nmap \t2\t0.2500\nP_5 \t2\t0.0000\n"
EVALUATION += b"num_q \tall\t2\nmap \tall\t0.3750\nP_5 \tall\t0.1000\n"
ROWS = [{"run": "A", "scores": [0.5, 0.25]}, {"run": "B", "scores": [0.125, 1]}]
JSON = json.dumps({"results": [{"measure": "AP", "queries": ["1", "2"], "runs": ROWS}]}).encode()
MATRIX = b'AP,A,"B"\n1,0.3,0.6\n2,0.1,0.08\n10,0,1\n'
LONG = b"run,query_id,measure,score\nA,1,AP,0.5\nA,2,AP,0.25\nB,1,AP,1\nB,2,AP,0\n"
TARGET = b"query_id,supplier,score\n1,A,0.5\n2,B,0.75\n10,B,1\n"
SCORES = (EVALUATION, MATRIX, LONG, JSON, b'{"query_id": "1", "measure": "AP", "value": 0.5}\n')
SAMPLES = tuple(EXAMPLES[name].encode() for name in ("leaderboard.txt", "ragas.csv", *SAMPLE_FILES))
SEEDS = (RUN, QRELS, *SCORES, TARGET, gzip.compress(RUN, mtime=0), bz2.compress(RUN), lzma.compress(RUN))


# ---- (a) any bytes


@examples(30)
@given(anything(RUN, RUN, RUN, QRELS, MATRIX), st.booleans())
def test_any_bytes_are_a_run_or_an_error(data: bytes, ranks: bool) -> None:
    run = result_or_error(lambda: parse_run(data, "the-file", ranks=ranks))
    assume(run is not None)
    n = len(run.scores)
    assert n > 0
    assert len(run.topic) == len(run.docs) == n
    assert np.isfinite(run.scores).all()
    assert sorted(set(run.topic.tolist())) == list(range(len(run.topics)))
    assert len(set(zip(run.topic.tolist(), run.docs.to_pylist(), strict=True))) == n
    assert (run.ranks is not None) == ranks


@examples(30)
@given(anything(QRELS, QRELS, QRELS, RUN))
def test_any_bytes_are_qrels_or_an_error(data: bytes) -> None:
    qrels = result_or_error(lambda: parse_qrels(data, "the-file"))
    assume(qrels is not None)
    n = len(qrels.grades)
    assert n > 0
    assert len(qrels.topic) == len(qrels.docs) == len(qrels.iterations) == n
    pairs = zip(qrels.topic.tolist(), qrels.iterations.to_pylist(), qrels.docs.to_pylist(), strict=True)
    assert len({(topic, iteration if qrels.subtopics else b"", doc) for topic, iteration, doc in pairs}) == n


@examples(40)
@given(anything(*SCORES, *SAMPLES))
@example(b"map\t" + b"9" * 5000 + b"\t0.5")
@example(b'a,b\n1,"' + b"x" * 200_000)
@example(b"AP,A,B\n1,NA,")  # nothing but holes
def test_any_bytes_are_scores_or_an_error(data: bytes) -> None:
    kind = recognise(data)
    event(str(kind))
    assume(kind in ("evaluation", "table", "json", "leaderboard"))
    scores = result_or_error(lambda: parse_scores(data, "the-file", kind))
    assume(scores is not None)
    assert scores.values.shape == (len(scores.runs), len(scores.measures), len(scores.queries))
    assert scores.values.size > 0
    assert not np.isinf(scores.values).any()
    assert all(np.isfinite(run).any() or scores.holes for run in scores.values)


@examples(25)
@given(anything(*SEEDS), st.sampled_from([bytes, gzip.compress, bz2.compress, lzma.compress]))
def test_any_bytes_are_a_text_or_an_error(tmp_path, data, compress):
    path = tmp_path / "the-file"
    path.write_bytes(compress(data))
    found = result_or_error(lambda: read_bytes(str(path)), path)
    if found is not None:
        assert b"\x00" not in found
        recognise(found)


def well_behaved(result: Any) -> None:
    """No traceback, an exit code of ours, nothing on stdout but a whole result."""
    assert result.code in (0, 1, 2)
    assert "Traceback" not in result.err
    if result.code == 0:
        json.loads(result.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
    else:
        assert result.out == ""
        assert "biasvar: error: " in result.err or result.err.startswith("Usage: ")


MEASURES = ["AP", "nDCG@5", "nDCG(dcg='exp-log2')@5", "ERR@5", "Bpref", "infAP", "IPrec@0.1", "Compat", "Accuracy"]


@examples(20)
@given(anything(RUN), anything(QRELS), st.sampled_from(["run", "qrels", "both"]), st.sampled_from(MEASURES))
def test_decompose_on_any_runs_and_qrels(biasvar, tmp_path, run, qrels, which, measure):
    (tmp_path / "good").write_bytes(RUN.replace(b"bm25", b"good"))
    (tmp_path / "run").write_bytes(run if which != "qrels" else RUN)
    (tmp_path / "qrels").write_bytes(qrels if which != "run" else QRELS)
    names = [tmp_path / "good", tmp_path / "run"]
    well_behaved(biasvar("decompose", *names, "-q", tmp_path / "qrels", "-m", measure, "-f", "json", "--jobs", 1))


@examples(20)
@given(anything(*SCORES, *SAMPLES), anything(TARGET), st.sampled_from(["best", "file", "perfect"]))
def test_decompose_on_any_scores_and_target(biasvar, tmp_path, scores, target, kind):
    (tmp_path / "scores").write_bytes(scores if kind != "file" else MATRIX)
    (tmp_path / "target").write_bytes(target)
    spec = f"file:{tmp_path / 'target'}" if kind == "file" else kind
    well_behaved(biasvar("decompose", tmp_path / "scores", "--target", spec, "-f", "json", "--jobs", 1))


FINITE = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, -1.0, 5e-324, 1e308]), st.floats(allow_nan=False, allow_infinity=False)
)
TABLES = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(FINITE, min_size=n, max_size=n), min_size=1, max_size=4))
OPTIONS = [(), ("--log", "add"), ("--rank", "--pareto"), ("--rank", "--weights", "1e100,1e100")]
OPTIONS += [("--target", name) for name in ("perfect", "run:run0", "mean:1e200")]


@examples(20)
@given(TABLES, st.sampled_from(OPTIONS))
@example(rows=[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1e78]], options=())  # the square of a variance is infinite
@example(rows=[[1e308, 1e308, 0.0], [-1e308, 0.08, 0.0]], options=())
@example(rows=[[1e308, 2.5, 3.5], [1.5e308, 3.5, 2.5]], options=())  # the sum is infinite
@example(rows=[[1e200, 1e200, 0.0], [-1e200, 0.08, 0.0]], options=("--target", "run:run0"))
def test_any_finite_scores_give_numbers_or_an_error(biasvar, tmp_path, rows, options):
    header = ["topic", *(f"run{number}" for number in range(len(rows[0])))]
    cells = [header, *([f"q{number}", *map(repr, row)] for number, row in enumerate(rows))]
    (tmp_path / "scores.csv").write_text("".join(",".join(line) + "\n" for line in cells))
    well_behaved(biasvar("decompose", tmp_path / "scores.csv", *options, "-f", "json"))
    text = biasvar("decompose", tmp_path / "scores.csv", *options, "--no-null")
    assert text.code in (0, 1, 2)
    assert "inf" not in text.out.lower()


@examples(20)
@given(anything(*SEEDS), anything(*SEEDS), anything(QRELS))
def test_check_on_anything(biasvar, tmp_path, one, two, qrels):
    contents = {"one": one, "two": two, "qrels": qrels}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    arguments = (tmp_path / "one", tmp_path / "two", "-q", tmp_path / "qrels", "-f", "json", "--jobs", 1)
    result = biasvar("check", *arguments)
    assert result.code in (0, 1)
    assert result.err == ""
    (document,) = json.loads(result.out)["results"]
    assert len(document["files"]) == 3
    assert any(file["errors"] for file in document["files"]) == (result.code == 1)
    if result.code == 0:  # what check lets pass, a score of it all can refuse for what it means only
        well_behaved(biasvar("scores", *arguments))


NAMES = st.one_of(
    st.sampled_from(["1", "2", "A", "AP", "all", "query_id", "score", "0.5", "x" * 3000, "9" * 3000, "\x1b]0;x\x07"]),
    st.text("a1é検 ,\"'\t\r\n\x01\x1b\x7f\x85\x9b\u061c\u200f\u2028\ufeff\ufffe\U000e0001", min_size=1, max_size=4),
)


@examples(20)
@given(st.lists(NAMES, min_size=6, max_size=6), st.sampled_from(["decompose", "check"]), st.booleans())
def test_messages_are_printable_and_short_whatever_names_are_made_of(biasvar, tmp_path, names, command, matrix):
    topic, doc, rank, score, tag, grade = names
    if matrix:
        rows = [[topic, doc, rank], ["q1", "0.5", "0.25"], [tag, "0.5", score]]
        run = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
    else:
        run = f"1 Q0 a 1 2 {tag}\n{topic} Q0 {doc} {rank} {score} {tag}\n1 Q0 {doc} 1 2 {tag}\n"
    (tmp_path / "run").write_text(run, newline="")
    (tmp_path / "qrels").write_text(f"1 0 a 1\n{topic} 0 {doc} {grade}\n", newline="")
    result = biasvar(command, tmp_path / "run", "-q", tmp_path / "qrels")
    assert result.code in (0, 1)
    assert all(line.isprintable() for line in (result.err + result.out).split("\n"))
    assert max(map(len, result.err.split("\n"))) < 1000


# ---- (b) the fast and the tolerant path against a plain parser


Records = list[tuple[int, list[bytes]]]  # the numbers and the words of lines
Found = tuple[Records, int]


def plain(
    data: bytes,
    place: int,
    valid: Callable[[bytes], bool],
    seems: Callable[[bytes], bool],
    shifted: Callable[[bytes], bool] = lambda _: False,
) -> Found:
    """The records of a text, line by line, and the number of the line to blame, or 0.

    The value is the word at a place. A line that starts with # is a record if its value ``seems`` one, and a good one
    if it is ``valid`` and the line is not ``shifted``, its columns by a blank within one of them.
    """
    records: Records = []
    for number, line in enumerate(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"), 1):
        words = line.split()
        whole = len(words) >= 6 if place == 4 else len(words) == 4
        if not words or (line.startswith(b"#") and not (whole and seems(words[place]))):
            continue
        if not whole or not valid(words[place]) or shifted(line):
            return records, number
        records.append((number, words))
    return records, next((number for number, words in records if b"\xff" in words[0]), 0)


def number_of(word: bytes) -> float | None:
    try:
        return None if b"_" in word or not word.isascii() else float(word)
    except ValueError:
        return None


def plain_run(data: bytes) -> Found:
    def finite(word: bytes) -> bool:
        value = number_of(word)
        return value is not None and bool(np.isfinite(value))

    def shifted(line: bytes) -> bool:
        """The rank is no number where a document id may have a blank: of more than six words, or between tabs."""
        words = line.split()
        blank = re.match(rb"\s*\S+[ \v\f]*\t[ \v\f]*\S+[ \v\f]*\t[ \v\f]*\S+[ \v\f]+\S", line)
        return number_of(words[3]) is None and (len(words) > 6 or blank is not None)

    records, bad = plain(data, 4, finite, lambda word: number_of(word) is not None, shifted)
    pairs = [(words[0], words[2]) for _, words in records]
    repeated = (number for at, (number, _) in enumerate(records) if pairs[at] in pairs[:at])
    return records, bad or next(repeated, 0)


def plain_qrels(data: bytes) -> Found:
    """The judgments, each triple of topic, column 2 and document once."""

    def whole(word: bytes) -> bool:
        """Digits with a sign or without, and behind a point zeros alone."""
        digits, point, zeros = word.removeprefix(word[:1] if word[:1] in b"+-" else b"").partition(b".")
        return word.isascii() and digits.isdigit() and not (point and zeros.strip(b"0"))

    records, bad = plain(data, 3, whole, whole)
    once: dict[tuple[bytes, ...], tuple[int, list[bytes]]] = {}
    for number, words in records if not bad else []:
        _, first = once.setdefault(tuple(words[:3]), (number, words))
        if float(first[3]) != float(words[3]):
            return records, number
    return list(once.values()), bad


def rarely(usual: list[bytes], odd: list[bytes]) -> st.SearchStrategy[bytes]:
    """An odd one in about sixteen, in one draw."""
    return st.sampled_from([*usual * ceil(15 * len(odd) / len(usual)), *odd])


TOPIC = rarely([b"1", b"2", b"301"], [b"#1", b"\xff", "é".encode(), b"1,2", b'"1"', b"x" * 300])
SCORE = rarely(
    [b"1", b"2.5", b"-3", b"1e-04", b"0", b"+7", b"1E5", b".5", b"2."],
    [b"nan", b"NaN", b"inf", b"-Infinity", b"1e999", b"abc", b"0x10", b"1_0", b"1,5", b"1e", b".", b"-", b"1d3",
     b"nan(1)", b"1e-999", b"\xd9\xa1", b"0" * 400 + b"1", b"1." + b"0" * 400],
)  # fmt: skip
GRADE = rarely(
    [b"0", b"1", b"-2", b"2", b"1"],
    [b"1.5", b"1.0", b"x", b"0x1", b"0X1F", b"+1", b"-0", b"007", b"1e0", b"-", b"1.", b"\xd9\xa1"],
)
GAP = rarely([b" "], [b"  ", b"\t", b" \t", b"\v", b"\f", b"\t\t "])
END = rarely([b"\n"], [b"\r\n", b" \n", b"\t\r\n", b"\n\n", b"\n \t\n", b"\v\n", b"\n\r\n"])
START = rarely([b""], [b" ", b"\t", b"\v "])
COMMENT = st.sampled_from(
    [b"# six words in a comment ", b"#", b"# 1", b"#1 Q0 a 1", b"#1 0 a 1", b"#1 0 a x", b"#c Q0 a 1 2 t"]
)
DOC = st.integers(0, 40).map(lambda number: b"d%d" % number)


@st.composite
def lines_of(draw: Any, *columns: st.SearchStrategy[bytes]) -> bytes:
    """A text of records with odd spacing, and now and then a column more or less, or a comment."""
    text = b""
    for _ in range(draw(st.integers(1, 8))):
        shape = draw(st.integers(0, 23))
        words = [draw(column) for column in columns]
        if shape == 23:
            words = words[:-1]
        elif shape >= 21:
            words += [b"extra"] * (shape - 20)
        line = b"".join(word + draw(GAP) for word in words[:-1]) + words[-1]
        text += (draw(COMMENT) if shape == 20 else draw(START) + line) + draw(END)
    return text[:-1] if draw(st.booleans()) else text


RUN_TEXTS = lines_of(
    TOPIC, st.just(b"Q0"), DOC, st.sampled_from([b"1", b"x"]), SCORE, st.sampled_from([b"t", b"u\xff"])
)
QRELS_TEXTS = lines_of(TOPIC, st.sampled_from([b"0", b"0", b"0", b"1"]), DOC, GRADE)


def read_as_plain(parse: Callable[[], Any], records: Records, bad: int) -> Any:
    """What a reader gives, which refuses a text at the line to blame, or as a whole where it has no record."""
    event("bad" if bad else "good")
    result, message = outcome(parse)
    if message is not None:
        line = message.removeprefix("the-file:").partition(":")[0]
        assert (int(line) if line.isdigit() else 0) == bad
        assert bad or not records
    assume(message is None)
    assert not bad
    return result


@examples(50)
@given(RUN_TEXTS)
@example(b"1 Q0 a 1 1e-400 t\n")
@example(b"1 Q0 a 1 1 t ")
@example(b"1 Q0 a 1 2 t\n1\tQ0 b 1 0x1 t\n")
@example(b"1 Q0 d0 x\t\t 1 t\n")
@example(b"1\tQ0\td0 x\t1\t2\tt\n")
@example(b"1 Q0 d0 1 1 t\n1 Q0 d0 1 1 t\n1 Q0 d0 x 1 t extra\n")
def test_runs_read_as_a_plain_parser_reads_them(data):
    records, bad = plain_run(data)
    run = read_as_plain(lambda: parse_run(data, "the-file", ranks=True), records, bad)
    topics, _, docs, ranks, scores, tags = zip(*(words[:6] for _, words in records), strict=True)
    assert [run.topics[index].encode() for index in run.topic] == list(topics)
    assert run.topics == tuple(dict.fromkeys(word.decode() for word in topics))
    assert run.docs.to_pylist() == list(docs)
    assert run.ranks is not None
    assert run.ranks.to_pylist() == list(ranks)
    assert run.scores.tolist() == [float(word) for word in scores]
    assert run.tags == tuple(dict.fromkeys(word.decode("utf-8", "replace") for word in tags))
    extra = sum(len(words) > 6 for _, words in records)
    assert [odd.number for odd in run.oddities if odd.what.startswith("columns beyond")] == [extra] * bool(extra)


@examples(50)
@given(QRELS_TEXTS)
@example(b"1 0 a 1\n1 0 b 0x1\n")
@example(b"1 0 a 1.\n1 0 a 1.0\n1 0 b 1.00\n")
@example(b"1 0 a 1.0\n1 0 a 0\n")
def test_qrels_read_as_a_plain_parser_reads_them(data):
    records, bad = plain_qrels(data)
    qrels = read_as_plain(lambda: parse_qrels(data, "the-file"), records, bad)
    topics, iterations, docs, grades = zip(*(words for _, words in records), strict=True)
    assert [qrels.topics[index].encode() for index in qrels.topic] == list(topics)
    assert qrels.docs.to_pylist() == list(docs)
    assert qrels.iterations.to_pylist() == list(iterations)
    assert qrels.grades.tolist() == [float(word) for word in grades]
    assert qrels.subtopics == (len(set(zip(topics, docs, strict=True))) < len(topics))


# ---- (c) ties


TIED = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-30, 16777216.0, 16777217.0, 1e39, 1e300, -1e39, 1e-50, -1e-46]),
    st.floats(allow_nan=False, allow_infinity=False),
)
IDS = st.one_of(
    st.sampled_from([b"a", b"aa", b"b", b"B", b"\xff", b"a\xff", "é".encode(), b"10", b"9"]),
    st.binary(min_size=1, max_size=3),
)


@examples(40)
@given(st.dictionaries(st.tuples(st.integers(0, 2), IDS), TIED, min_size=1), st.sampled_from(["single", "double"]))
def test_order_is_score_descending_as_the_precision_has_it_then_document_descending_as_bytes(drawn, precision):
    def held(score: float) -> float:
        with np.errstate(over="ignore"):
            return float(np.float32(score)) if precision == "single" else score

    lines = [(topic, score, doc) for (topic, doc), score in drawn.items()]
    topics, scores, docs = (list(column) for column in zip(*lines, strict=True))
    order, tied = rank_order(np.array(topics), np.array(scores), pa.array(docs, pa.binary()), precision=precision)
    by_doc = sorted(range(len(lines)), key=lambda line: docs[line], reverse=True)
    assert order.tolist() == sorted(by_doc, key=lambda line: (topics[line], -held(scores[line])))
    keys = [(topic, held(score)) for topic, score in zip(topics, scores, strict=True)]
    assert tied.tolist() == sorted({topic for topic, score in keys if keys.count((topic, score)) > 1})


# ---- (d) JSON that is well formed and holds something else


ODD = [None, True, 0, 0.5, float("nan"), 1e400, "", "x", "C", "all", "1" * 2000]
ODD += [[], {}, [1], {"value": "C"}, {"x": {"y": 1}}]
RECORDS = [json.loads(line) for name in SAMPLE_FILES if ".jsonl" in name for line in EXAMPLES[name].splitlines()]
DOCUMENTS = [RECORDS[:2], RECORDS[2:], *(json.loads(EXAMPLES[name]) for name in SAMPLE_FILES if ".jsonl" not in name)]


def places(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The keys and numbers that lead to every value in a JSON value."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in below for place in ((*above, key), *places(inner, (*above, key)))]


CHANGES = st.lists(st.tuples(WHERE, st.sampled_from(ODD)), min_size=1, max_size=3)


@example(
    document=json.loads(EXAMPLES["e5-base/no_revision_available/SciFact.json"]),
    changes=[(0, "all"), (92, None)],
    by_line=False,
)
@examples(30)
@given(st.sampled_from(DOCUMENTS), CHANGES, st.booleans())
def test_odd_values_in_samples_are_scores_or_an_error(document, changes, by_line):
    changed = copy.deepcopy(document)
    for where, odd in changes:
        there = places(changed)
        if there:
            *above, last = there[where % len(there)]
            reduce(getitem, above, changed)[last] = copy.deepcopy(odd)
    is_lines = by_line and isinstance(changed, list)
    text = "\n".join(map(json.dumps, changed)) if is_lines else json.dumps(changed, indent=1)
    scores = result_or_error(lambda: parse_scores(text.encode(), "the-file", "json"))
    assert scores is None or scores.values.size > 0
    assert scores is None or all(np.isfinite(run).any() or scores.holes for run in scores.values)
