"""The table of bad input: what is refused, in which words, and what is read after all.

Every refusal is asked for twice, on stdout and with ``-o FILE``: nothing may be printed, and no file may change.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import importlib.util
import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import textwrap
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from conftest import ROOT, Result, assert_refused, rows_of, unix
from remedies import fruitless

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")
QRELS = "1 0 a 1\n2 0 a 1\n"
GOOD = "1 Q0 a 1 2 good\n2 Q0 a 1 1 good\n"
BAD = "1 Q0 a 1 2 bad\n2 Q0 a 1 1 bad\n"  # as good as GOOD; the tests damage it
MATRIX = "AP,A,B\nq1,0.3,0.6\nq2,0.1,0.08\n"
RUNS = ("decompose", "good", "bad", "-q", "qrels")
EMPTY = "the file is empty; --exclude bad leaves it out"


def other(line: str, columns: str) -> str:
    """What is said of a file that is none, by its first line."""
    wanted = "a run has 6 with a number in the fifth, trec_eval -q prints 3, a table starts with names"
    return f"neither a TREC run nor a file of scores: the first line, {line}, has {columns} ({wanted})"


SCORE_ALL = "give every query a score, 0 if nothing was found"
HOLE = f"{SCORE_ALL}; --topics intersection leaves out those without"
CUT = "the compressed file is cut off or damaged"

Text = str | bytes
Files = Mapping[str, Text]
Refused = Callable[..., str]


def write(files: Files) -> None:
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def contents() -> dict[str, bytes]:
    """Every file below the working directory, hidden ones too."""
    files = (path for path in Path().rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path): path.read_bytes() for path in files}


@pytest.fixture
def refused(biasvar: Callable[..., Result]) -> Refused:
    """Write files, see that a command refuses them in every way, and return what it says."""

    def run(files: Files, *arguments: str, code: int = 1) -> str:
        write(files)
        write({"old.csv": "what was there\n"})
        before = contents()
        result = biasvar(*arguments)
        assert (result.code, result.out) == (code, "")
        assert "Traceback" not in result.err
        assert biasvar(*arguments, "-o", "old.csv") == result
        assert contents() == before
        assert fruitless(biasvar, arguments) == []
        return result.err

    return run


@pytest.fixture
def accepted(biasvar: Callable[..., Result]) -> Callable[..., tuple[list[list[str]], list[str]]]:
    """Write files and return the rows that a command prints as csv, and its warnings."""

    def run(files: Files, *arguments: str) -> tuple[list[list[str]], list[str]]:
        write(files)
        result = biasvar(*arguments, "-f", "csv")
        assert result.code == 0, result.err
        lines = result.err.splitlines()
        assert all(line.startswith("biasvar: warning: ") for line in lines)
        return list(csv.reader(io.StringIO(result.out))), [line.removeprefix("biasvar: warning: ") for line in lines]

    return run


def error(*messages: str) -> str:
    return "".join(f"biasvar: error: {message}\n" for message in messages)


def warning(*messages: str) -> str:
    return "".join(f"biasvar: warning: {message}\n" for message in messages)


def with_bad(content: Text, *, qrels: Text = QRELS) -> dict[str, Text]:
    return {"qrels": qrels, "good": GOOD, "bad": content}


COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
COMPRESSIONS["zst"] = lambda data: bytes(pa.compress(data, "zstd", asbytes=True))
LONG = "".join(f"{1 + i % 2} Q0 doc{i * 7919 % 100003} 1 {i} bad\n" for i in range(3000)).encode()


# ---- runs and qrels: a file, and what is said of it

NO_TOPIC = "no topic in common with qrels: the run has"
BAD_RUNS: dict[Text, str] = {
    "301 Q0 a 1 2 bad\n": f": {NO_TOPIC} 301, the qrels 1, 2",
    "".join(
        f"{topic} Q0 a 1 2 b\n" for topic in (301, 40, 302, 303)
    ): f": {NO_TOPIC} 40, 301, 302, ..., the qrels 1, 2",
    # a document twice: both lines and the topic
    f"{GOOD}1 Q0 a 1 1 bad\n": ":3: document a is listed twice for topic 1, first in line 1",
    "# a\n\n1 Q0 a 1 2 b\r\n \n1\tQ0  a 1 1 b extra": ":5: document a is listed twice for topic 1, first in line 3",
    "\ufeff\n1 Q0 b 1 3 bad\n" + 3 * "1 Q0 a 1 2 bad\n": ":4: document a is listed twice for topic 1, first in line 3",
    # scores
    **{
        f"{GOOD}3 Q0 a 1 {score} bad\n": f":3: score {score} is not a number" for score in ("abc", "0x10", "1_0", "1,5")
    },
    **{f"{GOOD}3 Q0 a 1 {score} bad\n": f":3: score {score} is not finite" for score in ("NaN", "-inf", "1e999")},
    f"# run\n\n1\tQ0 b 1 2 bad\r\n2 Q0 a 1 --1 bad\n{BAD}": ":4: score --1 is not a number",
    f"# run\n\n1\tQ0 b 1 2 bad\r\n2 Q0 a 1 Infinity bad\n{BAD}": ":4: score Infinity is not finite",
    f"{BAD}#1 Q0 a 1 nan bad\n": ":3: score nan is not finite",  # a record, for all its hash
    # columns
    f"{BAD}1 Q0 b 2 1\n": ":3: expected 6 columns, found 5",
    "1 Q0 a 1 2\n2 Q0 a 1 1\n": ":1: expected 6 columns, found 5",
    f"{BAD}1\n{BAD}": ":3: expected 6 columns, found 1",
    "\n\n1 Q0 a 1 2 bad\r\n2 Q0 a 1 1\r\n": ":4: expected 6 columns, found 5",
    BAD[:-5]: ":2: expected 6 columns, found 5",  # cut off within the last line
    f"{GOOD}3 Q0 a b c 1 1 bad\n": ":3: expected 6 columns, found 8, and column 5 c is not a number",
    "1 Q0 a b x 1 2 bad\n": ":1: expected 6 columns, found 8, and column 5 x is not a number",
    f"{GOOD}3 Q0 a 1 nan bad x\n": ":3: score nan is not finite",
    **dict.fromkeys((b"", b"\n \t\r\n\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)), f": {EMPTY}"),
}
SUBTOPICS = "1 1 a 1\n1 2 a 0\n2 1 a 1\n"
OF_SUBTOPICS = (
    ": column 2 holds subtopics (a document is judged more than once for a topic), but AP needs one grade per "
)
OF_QRELS = ": topic, iteration, document and grade, or a header"
WHOLE = "write whole grades, unless this is a run"
BAD_QRELS = {
    # a document judged twice: both lines
    f"{QRELS}1 0 a 0\n": ":3: document a of topic 1 has grade 0, but 1 in line 1; keep one",
    f"\n# q\n{QRELS}2\t0 a  -2": ":5: document a of topic 2 has grade -2, but 1 in line 4; keep one",
    f"{QRELS}2 1 a 1\n2 1 a 2\n": ":4: document a of topic 2 has grade 2, but 1 in line 3; keep one",
    SUBTOPICS: f"{OF_SUBTOPICS}document; use a measure of subtopics such as alpha_nDCG@20, or qrels without subtopics",
    **dict.fromkeys(("", "\n \n", "# judgments\n"), ": the file has no judgments"),
    "1 0 a 0\n2 0 a -2\n": ": no topic has a relevant document (grade 1 or more)",
    # grades and columns
    **{f"1 0 a 1\n2 0 a {grade}\n": f":2: grade {grade} is not an integer" for grade in ("x", "0x1", "1_0")},
    "1 0 a 1\n2 0 a 1.5\n": f":2: grade 1.5 is not an integer; {WHOLE}",
    "# q\n1 0 a 1\n2 0 a 1.5\n": f":3: grade 1.5 is not an integer; {WHOLE}",
    "1,0,a,1\n": ":1: expected 4 columns, found 1; separate the columns with blanks or tabs, not commas",
    **{
        f"1 0 a 1\n{line}\n": f":2: expected 4 columns, found {len(line.split())}{OF_QRELS}"
        for line in ("2 0 1", "2 0 a 1 x", "2", " # x")
    },
    "1 0 a 1\n2 Q0 a 1 2 bad\n": ":2: expected 4 columns, found 6",
}


@pytest.mark.parametrize(("content", "message"), BAD_RUNS.items(), ids=BAD_RUNS.values())
def test_what_is_wrong_with_a_run_is_said_with_its_line(refused, content, message):
    assert refused(with_bad(content), *RUNS) == error(f"bad{message}")


@pytest.mark.parametrize(("content", "message"), BAD_QRELS.items(), ids=BAD_QRELS.values())
def test_what_is_wrong_with_qrels_is_said_with_its_line(refused, content, message):
    assert refused(with_bad(BAD, qrels=content), *RUNS) == error(f"qrels{message}")


def test_a_file_of_comments_alone_is_not_called_empty(refused):
    message = refused(with_bad("# a run of 2012\n# nothing below\n"), *RUNS)
    assert message.startswith("biasvar: error: bad: ")
    assert "the file is empty" not in message


@pytest.mark.parametrize("grade", ["9223372036854775808", "-" + "9" * 30])
def test_a_grade_beyond_all_bounds_is_an_error_that_does_not_deny_that_it_is_an_integer(refused, grade):
    message = refused(with_bad(BAD, qrels=f"1 0 a 1\n2 0 a {grade}\n"), *RUNS)
    assert message.startswith(f"biasvar: error: qrels:2: grade {grade} ")
    assert "not an integer" not in message


def test_subtopics_in_column_2_are_what_a_measure_of_subtopics_takes(biasvar):
    write(with_bad(BAD, qrels=SUBTOPICS))
    result = biasvar(*RUNS, "-m", "alpha_nDCG@20")
    if importlib.util.find_spec("pyndeval"):
        assert (result.code, result.err) == (0, "")
    else:
        assert (result.code, result.out) == (2, "")
        assert "measure alpha_nDCG@20 needs the package pyndeval: " in result.err


@pytest.mark.parametrize("grade", ["1000000000000000000", "5000000000", "2000"])
@pytest.mark.parametrize("measure", ["AP", "IPrec@0.1", "nDCG(dcg='exp-log2')@20"])
def test_a_high_grade_is_scored_right_or_refused_whatever_else_is_in_the_file(biasvar, grade, measure):
    """The best ranking there is has a score of 1 under these measures."""
    found = []
    for start in ("", "# a comment sends the file down the tolerant path\n"):
        write(with_bad(BAD, qrels=f"{start}1 0 a 1\n2 0 a {grade}\n"))
        result = biasvar(*RUNS, "-m", measure, "-f", "csv")
        if result.code == 0:
            assert {row[3] for row in csv.reader(result.out.splitlines()[1:])} == {"1.0"}
        else:
            assert result.err.startswith("biasvar: error: qrels:")
            assert grade in result.err
        found.append(result.code)
    assert found[0] == found[1]


# ---- what is read all the same


def test_a_judged_topic_missing_scores_0_with_one_warning_that_counts_topics_and_names_runs(accepted):
    runs = {name: f"1 Q0 a 1 2 {name}\n" for name in "ABCD"}
    rows, warnings = accepted({"qrels": QRELS, "good": GOOD, **runs}, "decompose", "good", *runs, "-q", "qrels")
    assert [row[2:4] for row in rows[1:]] == [*([name, "0.5"] for name in runs), ["good", "1.0"]]
    assert warnings == ["no results for a query, scored 0: in 4 runs: A (1 query), B (1 query), C (1 query) and 1 more"]


def test_a_warning_under_strict_leaves_nothing_written(biasvar, refused):
    said = "no results for a query, scored 0: in bad (1 query)"
    nothing = "1 warning, and --strict allows none; nothing was written"
    assert refused(with_bad("1 Q0 a 1 2 bad\n"), *RUNS, "--strict") == error(nothing) + warning(said)
    assert refused({}, *RUNS, "--strict", "--quiet") == error(f"{nothing}: {said}")
    assert biasvar(*RUNS, "--strict", "-o", "new.csv").code == 1
    assert not Path("new.csv").exists()


def test_a_run_with_topics_only_that_have_no_relevant_document_says_which_are_evaluated(refused):
    message = refused(with_bad("3 Q0 a 1 2 bad\n", qrels=f"{QRELS}3 0 a 0\n"), *RUNS)
    assert message.startswith(error(f"bad: {NO_TOPIC} 3, the qrels 1, 2"))


WARNED: dict[str, Files] = {
    "judgments given twice: in qrels (2 lines)": {"qrels": f"{QRELS}1 0 a 1\n1 0 a +1\n"},
    "columns beyond the sixth ignored: in bad (2 lines)": {"bad": "1 Q0 a 1 2 bad more\n2 Q0 a 1 1 bad more 9\n"},
    "topics that are not judged are left out: in bad (1 topic)": {"bad": f"{BAD}#1 Q0 a 1 2 bad\n"},  # a record
}


@pytest.mark.parametrize("warning", WARNED)
def test_what_is_odd_and_harms_nothing_is_a_warning(accepted, warning):
    rows, warnings = accepted({**with_bad(BAD), **WARNED[warning]}, *RUNS)
    assert [row[3] for row in rows[1:]] == ["1.0", "1.0"]
    assert warnings == [warning]


def test_a_line_that_starts_with_a_hash_and_is_a_record_is_a_record(accepted):
    qrels = f"{QRELS}#1 0 a 1\n# 4 columns here\n"
    rows, _ = accepted(with_bad(f"{BAD}#1 Q0 a 1 2 bad\n", qrels=qrels), *RUNS)
    assert [row[3] for row in rows[1:]] == ["1.0", "0.6666666666666666"]


# ---- documents


NONE_JUDGED = "not one document is judged in qrels; check that the ids of documents match"
OTHER_IDS = "1 Q0 FT911-1.txt 1 2 bad\n1 Q0 FT911-2.txt 2 1 bad\n2 Q0 a 1 1 bad\n"
OTHER_QRELS = "1 0 FT911-2 0\n1 0 FT911-1 1\n2 0 FT911-3 1\n"
SIDES = "for topic 1 the run has FT911-1.txt, the qrels FT911-1"


def test_a_run_without_a_judged_document_is_an_error_that_shows_an_id_of_each_side(refused):
    message = error(f"bad: {NONE_JUDGED}: {SIDES}")
    assert refused({"bad": OTHER_IDS, "qrels": OTHER_QRELS}, "decompose", "bad", "-q", "qrels") == message
    assert refused({}, "scores", "bad", "-q", "qrels", "-m", "NumRet") == message
    run = "1 Q0 FT911-3 1 1 bad\n2 Q0 FT911-1 1 1 bad\n"  # whose documents are judged for other topics alone
    assert refused({"bad": run}, "decompose", "bad", "-q", "qrels") == message.replace("-1.txt", "-3")


def test_runs_without_a_judged_document_are_one_error(refused):
    files = {**{f"runs/{name}": OTHER_IDS for name in "cab"}, "qrels": OTHER_QRELS}
    assert refused(files, "decompose", "runs", "-q", "qrels") == error(
        "runs/a: not one document of any of the 3 runs is judged in qrels; check that the ids of documents match: "
        f"{SIDES}"
    )
    pool = ("decompose", "runs/a", "--pool", "runs/b", "-q", "qrels")
    assert "not one document of any of the 2 runs is judged" in refused(files, *pool)


def test_a_run_without_a_judged_document_beside_others_is_a_warning_that_shows_an_id_of_each_side(accepted):
    good = "1 Q0 FT911-2 1 1 good\n2 Q0 x 1 1 good\n"  # judged, and not relevant: nothing is odd in that
    rows, warnings = accepted({"bad": OTHER_IDS, "good": good, "qrels": OTHER_QRELS}, *RUNS)
    assert [row[3] for row in rows[1:]] == ["0.0", "0.0"]
    dead = "scores of nothing but 0: in 2 runs: bad (AP), good (AP)"
    assert warnings == [f"{NONE_JUDGED}: in bad ({SIDES})", dead]


def test_check_says_that_no_document_is_judged_as_an_error_where_it_is_so_of_every_run(biasvar):
    write({"bad": OTHER_IDS, "worse": OTHER_IDS, "good": "1 Q0 FT911-2 1 1 good\n", "qrels": OTHER_QRELS})
    code, (_, *runs) = checked(biasvar, "bad", "worse")
    assert (code, [run["errors"] for run in runs]) == (1, [[f"{NONE_JUDGED}: {SIDES}"]] * 2)
    code, files = checked(biasvar, "bad", "good")
    assert (code, [file["errors"] for file in files]) == (0, [[], [], []])
    assert f"{NONE_JUDGED}: {SIDES}" in str(files[1]["oddities"])
    assert "not one document" not in str(files[2])


def checked(biasvar: Callable[..., Result], *inputs: str) -> tuple[int, list[dict[str, Any]]]:
    """The exit code of `check`, and what it reports of the qrels and of the files of the inputs."""
    result = biasvar("check", *inputs, "-q", "qrels", "-f", "json")
    assert result.err == ""
    return result.code, json.loads(result.out)["results"][0]["files"]


# ---- bytes


def test_a_byte_order_mark_is_dropped(accepted):
    mark, target = "\ufeff", "query_id,score\nq1,1\nq2,1\n"
    plain = accepted(with_bad(BAD), *RUNS)
    assert accepted(with_bad(mark + BAD, qrels=mark + QRELS), *RUNS) == plain
    assert accepted(with_bad(gzip.compress((mark + BAD).encode())), *RUNS) == plain
    words = ("decompose", "ap.csv", "--target", "file:target", "--topics", "topics")
    files = {"ap.csv": MATRIX, "target": target, "topics": "q1\nq2\n"}
    expected = accepted(files, *words)
    assert accepted({name: mark + content for name, content in files.items()}, *words) == expected


def test_ids_that_are_not_utf_8_are_named_with_line_and_remedy(refused):
    for files, place in (
        (with_bad(b"1 Q0 a 1 2 bad\n\xe92 Q0 a 1 1 bad\n"), "bad:2"),
        (with_bad(BAD, qrels=b"1 0 a 1\n\xe92 0 a 1\n"), "qrels:2"),
    ):
        message = refused(files, *RUNS)
        assert message.startswith(f"biasvar: error: {place}: the id \\xe92 is not UTF-8 text")
        assert "save it as UTF-8" in message


def test_document_ids_may_be_in_any_encoding(accepted):
    rows, _ = accepted(with_bad(b"1 Q0 \xe9 1 2 bad\n2 Q0 a 1 1 bad\n", qrels=b"1 0 \xe9 1\n2 0 a 1\n"), *RUNS)
    assert [row[2:4] for row in rows[1:]] == [["bad", "1.0"], ["good", "0.5"]]


@pytest.mark.parametrize(
    ("name", "kind"), [("bad", "gz"), ("bad.gz", "plain"), ("bad.bz2", "xz"), ("bad.xz", "bz2"), ("bad.txt", "zst")]
)
def test_a_compressed_file_is_read_by_content_whatever_its_name(accepted, name, kind):
    compress = COMPRESSIONS.get(kind, bytes)
    plain = accepted(with_bad(BAD), *RUNS)
    files = {"qrels": compress(QRELS.encode()), "good": GOOD, name: compress(BAD.encode())}
    rows, _ = accepted(files, "decompose", "good", name, "-q", "qrels")
    shown = name if name == "bad.txt" else "bad"
    assert rows == [[shown if cell == "bad" else cell for cell in row] for row in plain[0]]


@pytest.mark.parametrize(("kind", "share"), list(zip(COMPRESSIONS, (0.02, 0.5, 0.999, 0.5), strict=True)))
def test_a_cut_off_compressed_file_is_an_error_that_names_it(refused, kind, share):
    whole = COMPRESSIONS[kind](LONG)
    cut = whole[: max(8, int(len(whole) * share))]
    for files, name in ((with_bad(cut), "bad"), (with_bad(BAD, qrels=cut), "qrels")):
        message = refused(files, *RUNS)
        assert message.startswith(f"biasvar: error: {name}: {CUT} (")
        assert message.count("\n") == 1


@pytest.mark.parametrize("kind", COMPRESSIONS)
def test_a_damaged_second_member_is_not_dropped_in_silence(refused, kind):
    first, second = (COMPRESSIONS[kind](line.encode()) for line in BAD.splitlines(keepends=True))
    message = refused(with_bad(first + b"?" + second[1:]), *RUNS)
    assert message.startswith(f"biasvar: error: bad: {CUT}")


def tar_of_run() -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("bad"))
    return sink.getvalue()


HIGH_BYTES = "".join(f"\\x{byte:x}" for byte in range(128, 142)) + "\\..."
OTHER_FILES: dict[Text, str] = {
    b"%PDF-1.7\n1 0 obj\n": "not a text file, but a PDF document",
    b"PK\x03\x04\x14\x00\x00\x00": "not a text file, but a ZIP archive (unpack it first; save a workbook as csv)",
    b"\x89PNG\r\n\x1a\n\x00\x00": "not a text file, but a PNG picture",
    b"\x7fELF\x02\x01\x01\x00": "not a text file, but a program",
    b"SQLite format 3\x00": "not a text file, but an SQLite database",
    tar_of_run(): "not a text file, but a tar archive (unpack it first)",
    BAD.encode("utf-16"): "not a text file, but UTF-16 text (save it as UTF-8)",
    b"\xfe\xff" + BAD.encode("utf-16-be"): "not a text file, but UTF-16 text (save it as UTF-8)",
    BAD.encode("utf-16-le"): "not a text file: NUL byte at offset 1",
    f"{BAD}\x00": f"not a text file: NUL byte at offset {len(BAD)}",
    bytes(range(128, 256)) * 4: other(HIGH_BYTES, "1 column"),
    "<!DOCTYPE html>\n<html><body>404 Not Found</body></html>\n": other("<!DOCTYPE html>", "2 columns"),
    "Runs of the Web track 2012.\n\nSee the overview.\n": other("Runs of the Web track 2012.", "6 columns"),
    "import sys\nprint(sys.argv)\n": other("import sys", "2 columns"),
}


@pytest.mark.parametrize(("content", "message"), OTHER_FILES.items(), ids=OTHER_FILES.values())
def test_another_kind_of_file_is_named_with_what_it_looks_like(refused, content, message):
    assert refused(with_bad(content), *RUNS) == error(f"bad: {message}; --exclude bad leaves it out")


def test_another_kind_of_file_is_named_as_qrels_and_as_a_target_too(refused):
    content, message = BAD.encode("utf-16"), "not a text file, but UTF-16 text (save it as UTF-8)"
    assert refused(with_bad(BAD, qrels=content), *RUNS) == error(f"qrels: {message}")
    arguments = ("decompose", "ap.csv", "--target", "file:bad")
    assert refused({"ap.csv": MATRIX, "bad": content}, *arguments) == error(f"bad: {message}")


# ---- files and directories


@pytest.mark.parametrize("first", ["[[track]]", "# tracks\n[defaults]\nmeasure = 'AP'", "defaults.measure = 'AP'"])
def test_a_manifest_is_named_with_what_reads_it(biasvar, first):
    Path("shelf.toml").write_text(f"{first}\ntrack = 'TREC-3'\nscores = 'trec3.csv'\n")
    what = "a manifest of tracks, neither a run nor scores: tracks reads it, and report takes it as --manifest FILE"
    for command in (("decompose",), ("report", "-o", "page.html")):
        assert_refused(biasvar(*command, "shelf.toml"), 1, f"shelf.toml: {what}")
    assert what in biasvar("check", "shelf.toml").out.replace("\n  ", " ")


NOT_MATCHED = "they cannot be matched safely: add a column of ids"
FILES: Files = {
    "qrels": QRELS,
    "good": GOOD,
    "again": GOOD,
    "tags": "1 Q0 a 1 2 x\n2 Q0 a 1 1 y\n",
    "run/.hidden": GOOD,
    "ap.csv": MATRIX,
    "b.csv": "AP,C,B\nq1,0.3,0.6\n",
    "ndcg.csv": "nDCG,C\nq1,0.3\n",
    "x.csv": "AP,C\nx1,0.3\n",
    "three.csv": "qid,AP,P@5,Rprec\n1,0.5,0.2,0.2\n",
    "plain.csv": "C,D\n.3,.5\n.2,.1\n",
    "l.csv": "E,F\n.3,0\n.3,0\n0,0\n",
    "topics": "q1\n\nq7\n",
    "none": "# nothing\n",
    "folder/x": "x\n",
    "judged/qrels": QRELS,
}
REFUSED = {
    "run -q qrels": "run: there is no visible file in the directory",
    "ap.csv -q qrels": "ap.csv: run A has none of the 2 queries (1, 2); it has q1, q2",
    "tags -q qrels --name-by tag": "tags: --name-by tag needs one run tag in the file, found x and y",
    # measures
    "ap.csv -m nDCG@20": "ap.csv: has no nDCG@20; it has AP",
    "ap.csv -m D#-nDCG -m map": "ap.csv: has no D#-nDCG; it has AP",
    "three.csv": "three.csv: has 3 measures; choose with -m: AP, P@5, Rprec",
    "ap.csv ndcg.csv": "the scores of ap.csv are AP, those of ndcg.csv nDCG; name one with -m",
    # queries
    "ap.csv plain.csv -m AP": f"the rows of plain.csv have no query ids, those of ap.csv have; {NOT_MATCHED}",
    "plain.csv -q qrels": "plain.csv: the rows have no query ids, so -q cannot restrict them",
    "plain.csv l.csv": "l.csv has 3 rows and plain.csv 2, without query ids to match them by: add a column of ids",
    "ap.csv --topics topics": "topics:3: query q7 cannot be evaluated; the queries are q1, q2",
    "ap.csv --topics none": "none: the file lists no query",
    "ap.csv x.csv --topics intersection": "there is no query that the runs have in common (--topics intersection)",
    "ap.csv -q qrels --topics union": "none of the queries of the runs is in the qrels",
    # targets
    "ap.csv --target file:folder": "folder: cannot be read: Is a directory",
    "ap.csv --target file:nowhere": "nowhere: cannot be read: No such file or directory",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_decomposed_is_refused(refused, words):
    assert refused(FILES, "decompose", *words.split()) == error(REFUSED[words])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("good again -q qrels --name-by tag", "two runs are called good: again and good; "),
        ("ap.csv b.csv", "two runs are called B: ap.csv and b.csv; "),
    ],
)
def test_two_runs_of_one_name_in_the_files_name_both(refused, words, said):
    message = refused(FILES, "decompose", *words.split())
    assert message.startswith(f"biasvar: error: {said}")
    assert "rename one file" not in message  # which changes neither the tag nor the name in a table


def test_a_directory_of_qrels_alone_holds_no_run(refused):
    assert refused(FILES, "decompose", "judged", "-q", "qrels") == error(
        "none of the inputs is a run or a score file"
    ) + warning("1 file shaped like qrels left out: judged/qrels")
    assert "folder is a folder, and judgments are one file" in refused(
        FILES, "decompose", "good", "-q", "folder", code=2
    )


def test_two_runs_of_one_name_name_both_files(refused, biasvar):
    files = {"qrels": QRELS, "one/bad": BAD, "two/input.bad.gz": gzip.compress(BAD.encode())}
    said = "two runs are called bad: one/bad and two/input.bad.gz; give one another name, or give the folder above both"
    message = error(f"{said} with --recursive --name-by path")
    assert refused(files, "decompose", "one", "two", "-q", "qrels") == message
    code, (_, *files) = checked(biasvar, "one", "two")
    assert code == 1
    assert [file["errors"] for file in files] == [[], ["the run is called bad, as that of one/bad is"]]


@unix
def test_a_file_that_vanishes_is_an_error_that_names_it(refused):
    Path("runs").mkdir()
    Path("runs/gone").symlink_to("nowhere")
    files = {"qrels": QRELS, "runs/good": GOOD}
    assert refused(files, "decompose", "runs", "-q", "qrels") == error(
        "runs/gone: cannot be read: No such file or directory"
    )
    message = refused(files, "decompose", "runs/gone", "-q", "qrels", code=2)
    assert "Path 'runs/gone' does not exist" in message


@unix
def test_an_unreadable_file_is_an_error_that_names_it(biasvar):
    write({"qrels": QRELS, "runs/good": GOOD, "runs/bad": BAD})
    Path("runs/bad").chmod(0)
    if os.access("runs/bad", os.R_OK):
        pytest.skip("root reads everything")
    result = biasvar("decompose", "runs", "-q", "qrels")
    assert result == (1, "", error("runs/bad: cannot be read: Permission denied"))


@unix
def test_a_file_whose_reading_fails_is_an_error_that_names_it(refused):
    if not Path("/proc/self/mem").exists():
        pytest.skip("this system has no /proc/self/mem")
    Path("bad").symlink_to("/proc/self/mem")
    files = {"qrels": QRELS, "good": GOOD}
    assert refused(files, *RUNS) == error("bad: cannot be read: Input/output error")


@unix
def test_a_file_of_the_kernel_is_not_waited_for(biasvar):
    """What looks like a file of the disk, and has nothing to read now."""
    if not os.access("/proc/kmsg", os.R_OK):
        pytest.skip("/proc/kmsg cannot be read here")
    assert_refused(biasvar("decompose", "/proc/kmsg"), 1, "/proc/kmsg: ")


def test_a_file_name_that_is_not_utf_8_does_no_harm():
    """All commands in one process, whose standard output is that of the program."""
    name = os.fsdecode(b"caf\xe9")
    try:
        write({"qrels": QRELS, "good": GOOD, name: BAD})
    except OSError:
        pytest.skip("this file system allows no such name")
    ways = list(product(("decompose", "check"), ("text", "csv", "json")))
    lines = [[command, "good", name, "-q", "qrels", "-f", style, "--quiet"] for command, style in ways]
    script = (
        "import sys\nfrom biasvar_cli.__main__ import run\n"
        f"for words in {lines!r}:\n    sys.argv[1:] = words\n    assert run() == 0\n    print(end='\\0', flush=True)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")
    *outputs, end = result.stdout.split(b"\0")
    assert end == b""
    for (_, style), output in zip(ways, outputs, strict=True):
        assert b"caf" in output
        if style == "json":
            json.loads(output)  # which must be UTF-8


# ---- several at once


WRONG: dict[str, tuple[Text, str]] = {  # the name of a run, what is in its file, and what is said of it
    "A": ("1 Q0 a 1 x A\n1 Q0 a 1\n2 Q0 a 1 1 A\n", ":1: score x is not a number"),
    "B": ("1 Q0 a 1 1 B\n1 Q0 a 2 1 B\n1 Q0 b 2 inf B\n", ":3: score inf is not finite"),
    "C": (gzip.compress(LONG, mtime=0)[:100], f": {CUT} (it ends too early)"),
    "D": ("topic,x\n1,\n2,oops\n", ":3: column x: oops is not a number; --exclude D leaves it out"),
    "E": ("", ": the file is empty; --exclude E leaves it out"),
    "F": ("Hello world.\n", f": {other('Hello world.', '2 columns')}; --exclude F leaves it out"),
    "G": ("9 Q0 a 1 1 G\n", f": {NO_TOPIC} 9, the qrels 1, 2"),
    "H": (b"%PDF-1.4\n", ": not a text file, but a PDF document; --exclude H leaves it out"),
    "I": ("1 Q0 a 1 1 I\n1 Q0 a 2 1 I\n", ":2: document a is listed twice for topic 1, first in line 1"),
    "J": ("1 Q0 a 1 1\n", ":1: expected 6 columns, found 5"),
}
WRONG_FILES: Files = {"runs/good": GOOD, **{f"runs/{name}": content for name, (content, _) in WRONG.items()}}


def test_the_first_error_of_every_file_is_reported_in_one_go(refused):
    files = {**WRONG_FILES, "qrels": QRELS, "pool": "1 Q0 a 1 nan P\n"}
    arguments = ("decompose", "runs", "--pool", "pool", "-q", "qrels")
    expected = error(*(f"runs/{name}{said}" for name, (_, said) in WRONG.items()), "pool:1: score nan is not finite")
    found = refused(files, *arguments)
    assert sorted(found.splitlines()) == sorted(expected.splitlines())
    assert refused(files, *arguments, "--jobs", "1") == refused(files, *arguments, "--jobs", "5") == found


def test_bad_qrels_do_not_hide_what_is_wrong_with_the_runs(refused):
    found = refused(with_bad("1 Q0 a 1 x bad\n", qrels=f"{QRELS}3 0 a 1.5\n"), *RUNS)
    expected = error("bad:1: score x is not a number", f"qrels:3: grade 1.5 is not an integer; {WHOLE}")
    assert sorted(found.splitlines()) == sorted(expected.splitlines())


def test_check_goes_on_after_every_error(biasvar):
    write({**WRONG_FILES, "qrels": f"{QRELS}1 0 b x\n"})
    before = contents()
    code, reports = checked(biasvar, "runs")
    assert (code, contents()) == (1, before)
    found = {report["path"]: report["errors"] for report in reports}
    assert found.pop("qrels") == ["line 3: grade x is not an integer"]
    assert (found.pop("runs/good"), found.pop("runs/G")) == ([], [])  # of the topics, the qrels alone could tell
    expected = {f"runs/{name}": said for name, (_, said) in WRONG.items() if name != "G"}
    expected["runs/D"] = ":3: column x: oops is not a number"
    said = {path: f": {message}".replace(": line ", ":", 1) for path, (message,) in found.items()}
    assert said == expected


def test_check_goes_on_after_an_empty_directory(biasvar):
    write({"qrels": QRELS, "bad": "1 Q0 a 1 x bad\n"})
    Path("empty").mkdir()
    result = biasvar("check", "empty", "bad", "-q", "qrels", "-f", "json")
    assert result.code == 1
    assert "line 1: score x is not a number" in result.out
    assert "there is no visible file in the directory" in result.out + result.err


# ---- targets


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("q1,1,\n\nq2,x,\n", ":4: column score: x is not a number"),
        ("q1,1,\nq2,nan,\n", ":3: column score is nan, a hole; give every query a score"),
        ("q1,1e999,\n", ":2: column score: 1e999 is not finite"),
        ("q1,1,\n", ": no score for 1 query: q2"),
        *(
            (f"q{end}1,1,\nq2,x,\n", ":3: column score: x is not a number") for end in "\x85\u2028\x0b"
        ),  # no line ends there
        ('q1,1,"two\nlines"\nq2,x,\n', ":4: column score: x is not a number"),
    ],
)
def test_a_bad_target_file_is_named_with_its_line(refused, rows, message):
    files = {"ap.csv": MATRIX, "target": f"query_id,score,note\n{rows}"}
    assert refused(files, "decompose", "ap.csv", "--target", "file:target") == error(f"target{message}")


def test_a_long_cell_in_a_target_file_does_no_harm(biasvar):
    write({"ap.csv": MATRIX, "target": f'query_id,score,note\nq1,1,"{"x" * 140_000}"\nq2,1,\n'})
    result = biasvar("decompose", "ap.csv", "--target", "file:target")
    assert result.code in (0, 1)
    assert result.code == 0 or result.err.startswith("biasvar: error: target:2: ")


# ---- numbers and names at their limits


def test_highest_grades_too_large_for_a_power_of_two_are_refused_or_scored(biasvar):
    write(with_bad(BAD, qrels=f"{QRELS}2 0 b 2000\n"))
    result = biasvar(*RUNS, "-m", "ERR@20", "--max-grade", "2000", "-f", "csv")
    assert result.code in (0, 1, 2)
    assert "nan" not in result.out
    assert "Traceback" not in result.err


@pytest.mark.parametrize("name", ["\x1b]0;x\x07", "9" * 5000])
def test_messages_quote_what_cannot_be_shown_and_cut_what_is_long(refused, name):
    table = f"run,query_id,measure,score\nA,1,{name},0.5\nA,1,AP,0.2\n"
    target = ("decompose", "ap.csv", "--target", "file:bad")
    for bad, arguments in (
        (f"1 Q0 a 1 2 {name}\n2 Q0 a 1 1 bad\n", (*RUNS, "--name-by", "tag")),
        (f'AP,"{name}","{name}"\nq1,0.3,0.6\n', ("decompose", "bad")),
        (table, ("decompose", "bad")),
        (table, ("decompose", "bad", "-m", "RR")),
        (table, ("decompose", "bad", "-m", "AP", "-q", "qrels", "--target", "run:B")),
        (f"{name}\n", ("decompose", "ap.csv", "--topics", "bad")),
        (f"query_id,score\n{name},1\n{name},1\n", target),
        (f"query_id,{name}\n1,1\n", target),
        (f"query_id,score\n1,{name}x\n", target),
        (f"AP,{name}\nq1,0.5\n", ("decompose", "ap.csv", "bad", "-q", "qrels")),
    ):
        files = {**with_bad(bad), "ap.csv": MATRIX}
        message = refused(files, *arguments)
        assert all(line.isprintable() for line in message.split("\n")), arguments
        assert max(map(len, message.split("\n"))) < 1000, arguments


@unix
def test_a_warning_of_a_library_is_reported_once_and_does_not_go_round_for_ever():
    """`warnings.showwarning` adds to the list of warnings that is being reported, as long as that list is recorded."""
    code = """
        import resource, sys, warnings
        resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))
        from biasvar_cli.cli import biasvar, main
        biasvar.command("odd")(lambda: warnings.warn("overflow encountered", RuntimeWarning))
        sys.exit(main(["odd"]))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    result = subprocess.run(command, capture_output=True, check=False, cwd=ROOT, text=True, timeout=60)
    assert result.returncode == 0, result.stderr[-300:]
    assert result.stderr.count("RuntimeWarning: overflow encountered") == 1


# ---- queries without a score


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("AP,a,b,c\n1,.1,.2,.6\n2,.3,,.4\n3,.2,.9,.1\n", ()),
        ("AP,1,2,3\na,.1,.3,.2\nb,.2,NA,.9\nc,.6,.4,.1\n", ()),
        ('{"a": {"1": 0.1, "2": 0.3, "3": 0.2}, "b": {"1": 0.2, "2": null, "3": 0.9}}', ()),
        ("run,qid,score\na,1,.1\na,2,.3\na,3,.2\nb,1,.2\nb,2,\nb,3,.9\n", ()),
        (".1 .2 .6\n.3 nan .4\n.2 .9 .1\n", ("--orient", "queries")),
    ],
    ids=["rows of queries", "rows of runs", "JSON", "long", "without names"],
)
def test_a_query_with_an_empty_cell_is_left_out_of_an_intersection(biasvar, text, options):
    Path("ap").write_text(text)
    command = ("scores", "ap", "-m", "AP", "-f", "csv", *options)
    refused = biasvar(*command)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.endswith(f"{HOLE}\n")
    result = biasvar(*command, "--topics", "intersection")
    assert {row["query_id"] for row in rows_of(result)} == {"1", "3"}
    what = "no score for a query, left out of all runs (--topics intersection)"
    assert result.err == f"biasvar: warning: {what}: in {'2' if options else 'b'} (1 query: 2)\n"


def test_a_query_is_left_out_by_the_measures_that_were_asked_for(biasvar):
    Path("bm25.csv").write_text("query_id,AP,nDCG@10\n1,.2,.3\n2,,.4\n3,NA,\n4,.1,.1\n")

    def queries(measures):
        result = biasvar("scores", "bm25.csv", "--topics", "intersection", "-m", measures, "-f", "csv")
        return [row["query_id"] for row in rows_of(result)], result.err.rpartition(": in ")[2].strip()

    assert queries("nDCG@10") == (["1", "2", "4"], "bm25.csv (1 query: 3)")
    assert queries("AP") == (["1", "4"], "bm25.csv (2 queries: 2, 3)")
    assert queries("AP nDCG@10") == (["1", "4"] * 2, "bm25.csv (2 queries: 2, 3)")


def test_a_run_without_any_score_is_no_run(biasvar):
    Path("ap.csv").write_text("AP,a,b\n1,.2,\n2,.3,NA\n")
    result = biasvar("scores", "ap.csv", "--topics", "intersection")
    assert (result.code, result.out) == (1, "")
    assert result.err == "biasvar: error: ap.csv: run b has no score at all; leave it out\n"
