"""The command check: a summary of many files, every file on demand, errors always in full."""

from __future__ import annotations

import json

import pytest
from conftest import only, rows_of

N_RUNS, UNJUDGED = 40, "unjudged results in the top 10"
SAME_RANKING = "the same ranking as another run, and all of them are counted: r00 = r01 = r02 and 37 more"


def run_with(disagreeing: int) -> str:
    """A run on three topics: scores tie on topic 1; on so many of the others the second rank is the better one."""
    lines = ["1 Q0 a 1 9 tag", "1 Q0 b 2 9 tag"]
    for query in (2, 3):
        first, second = (2, 1) if query - 1 <= disagreeing else (1, 2)
        lines += [f"{query} Q0 a {first} 9 tag", f"{query} Q0 b {second} 8 tag"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def track(tmp_path, monkeypatch):
    """Forty runs, the first two with one topic whose ranks and scores disagree, the third with two."""
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    for place in range(N_RUNS):
        (tmp_path / "runs" / f"r{place:02}").write_text(run_with({0: 1, 1: 1, 2: 2}.get(place, 0)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


CHECK = ("check", "runs", "-q", "qrels")


def summary(out: str) -> list[str]:
    """The rows of a summary in markdown."""
    return [" ".join(line.split()) for line in out.splitlines() if line.startswith("| ")]


def test_many_files_with_the_same_oddities_are_a_row_a_kind(biasvar, track):
    result = biasvar(*CHECK)
    assert result.code == 0
    assert len(result.out.splitlines()) <= 15 + 6  # and what can be done next
    assert "37 files have only notices" in " ".join(result.out.split())
    # By hand: 1 + 1 + 2 topics disagree; one topic of every run ties; b, half of the results, is never judged.
    assert summary(biasvar(*CHECK, "-f", "markdown").out) == [
        "| level | what | files | examples |",
        "| warning | ranks and scores disagree; scores are used | 3 | r02 (2 topics), r00 (1 topic) |",
        "| notice | the run tag is not the file's name | 40 | r00, r01, r02 |",
        "| notice | tied scores (as 32-bit floats) | 40 | r00 (1 topic), r01 (1 topic) |",
        "| notice | unjudged results in the top 10 | 40 | r00 (50.0 %), r01 (50.0 %) |",
        "| notice | the same ranking as another run | 40 | r00, r01, r02 |",
    ]


def test_the_summary_of_a_real_track_is_no_wider_than_a_page(biasvar, shared):
    track = shared / "web2012-indri"
    out = biasvar("check", track / "runs", "-q", track / "qrels.txt").out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize("name", ["r-of-16-columns.", "検索実行番号十一"])
def test_examples_of_wide_names_fit_the_width(biasvar, tmp_path, name):
    """Beside 7, 42 and 7 columns and three gaps of two are 38 of 100: two names of 17 and a comma, not three."""
    for number in range(3):
        (tmp_path / f"{name}{number}").write_text("1 Q0 a 2 9 tag\n1 Q0 b 1 8 tag\n")
    rows = [line for line in biasvar("check", tmp_path).out.splitlines() if "the run tag" in line]
    assert [line.split()[-2:] for line in rows] == [[f"{name}0,", f"{name}1"]]


def test_every_file_is_listed_on_demand_and_for_programs(biasvar, track):
    listed = biasvar(*CHECK, "--files").out
    assert all(f"runs/r{place:02} " in listed for place in range(N_RUNS))
    rows = rows_of(biasvar(*CHECK, "-f", "csv"))
    assert list(rows[0])[:8] == ["file", "kind", "queries", "lines", "level", "what", "number", "unit"]
    oddities = {row["what"]: row["notice"] for row in rows if (row["file"], row["level"]) == ("runs/r02", "oddity")}
    assert oddities.pop("ranks and scores disagree; scores are used") == "false"
    tag, tied, unjudged = "the run tag is not the file's name: tag tag", "tied scores (as 32-bit floats)", UNJUDGED
    assert oddities == dict.fromkeys((tag, tied, unjudged, SAME_RANKING), "true")
    assert rows_of(biasvar(*CHECK, "-f", "csv", "--files")) == rows


def test_the_error_of_every_file_is_said_in_full_before_the_summary(biasvar, track):
    for place in range(5):
        (track / "runs" / f"bad{place}").write_text("1 Q0 a 1 9 tag\n" + "1 Q0 b\n" * (place < 3) + "1 Q0 c 2 x tag\n")
    result = biasvar(*CHECK)
    assert result.code == 1
    assert "\n5 files have an error; errors stop an evaluation.\n3 files have a warning" in result.out
    errors, odd = result.out.split("Warnings and notices")
    for place in range(5):
        what = "expected 6 columns, found 3" if place < 3 else "score x is not a number"
        assert f"runs/bad{place}: line 2: {what}\n" in errors
    assert "ranks and scores disagree" in odd
    assert "runs/" not in odd


def test_many_files_with_one_fault_share_a_line(biasvar, track):
    for place in range(30):
        (track / "runs" / f"bad{place:02}").write_text("\n" * place + "1 Q0 a 1 5\n")
    result = biasvar(*CHECK)
    names = "bad01, bad02, bad03, ..."
    line = f"runs/bad00: line 1: expected 6 columns, found 5 (and 29 more files with this fault: {names})"
    assert line in " ".join(result.out.split())
    assert result.out.count("expected 6 columns") == 1
    shared = f"runs/bad00:1: expected 6 columns, found 5 (and 29 more files with this fault: {names})"
    assert biasvar("scores", *CHECK[1:]).err.splitlines() == [f"biasvar: error: {shared}"]
    result = biasvar(*CHECK, "-f", "json")
    (document,) = json.loads(result.out)["results"]
    assert sum(len(file["errors"]) for file in document["files"]) == 30


def test_files_without_anything_odd_say_what_they_are(biasvar, written):
    paths = [written(f"1 Q0 {doc} 1 9 {run}\n", run) for run, doc in ("ra", "sb")]
    found = "Check of 2 files: run (2)\n\nNo file has an error.\nNo file has a warning.\n\n"
    needed = "Blocked: all other commands (runs need relevance judgments: -q QRELS).\n"
    assert biasvar("check", *paths).out == found + needed


def test_strict_makes_errors_of_warnings_and_none_of_notices(biasvar, refused, track):
    for words in ("disagree; scores are used: in 3 files: r02, r00 and r01", "1 warning, and --strict allows none"):
        refused(1, words, *CHECK, "--strict")
    for name in ("r00", "r01", "r02"):
        (track / "runs" / name).unlink()
    result = biasvar(*CHECK, "--strict")
    assert (result.code, result.err) == (0, "")
    assert "tied scores" in result.out
    (track / "runs" / "bad").write_text("1 Q0 a 1 9 tag\n1 Q0 b\n")
    result = biasvar(*CHECK, "--strict")
    assert (result.code, result.err) == (1, "")
    assert "expected 6 columns" in result.out


def test_rows_are_chosen_in_every_format(biasvar, refused, track):
    chosen = (*CHECK, "--sort", "-number", "--top", 2)
    rows, (document,) = rows_of(biasvar(*chosen, "-f", "csv")), only(biasvar(*chosen, "-f", "json")).values()
    assert [row["file"] for row in rows] == ["runs/r00", "runs/r01"]  # half of their results, 50 %, is not judged
    assert [file["path"] for file in document] == ["runs/r00", "runs/r01"]
    kinds = biasvar(*CHECK, "--sort", "what", "--top", 1).out
    assert kinds.partition("\n---")[2].splitlines()[1].split()[:2] == ["warning", "ranks"]
    for command in (CHECK, (*CHECK, "--files"), (*CHECK, "-f", "csv"), ("check", "qrels")):
        refused(2, "--sort nope: there is no column nope", *command, "--sort", "nope")


@pytest.mark.parametrize(
    ("second", "what"),
    [("1", "a rank given twice; ranks are not read"), ("x", "ranks not all whole numbers; ranks are not read")],
)
def test_ranks_are_not_read_so_what_is_odd_in_them_is_a_notice(biasvar, written, second, what):
    path = written(f"1 Q0 a 1 9 bm25\n1 Q0 b {second} 8 bm25\n", "bm25")
    ((file,),) = only(biasvar("check", path, "--files", "--strict", "-f", "json")).values()
    assert [(odd["what"], odd["notice"]) for odd in file["oddities"]] == [(what, True)]
    written("1 Q0 a 2 9 bm25\n1 Q0 b 1 8 bm25\n", "bm25")
    assert biasvar("check", path, "--strict").code == 1  # such a run may have been meant otherwise


def test_runs_whose_top_documents_are_mostly_unjudged_are_counted(biasvar, written):
    qrels, paths = written("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n", "qrels"), []
    for name, documents in {"known": "abcd", "strange": "acde"}.items():  # 2 and 1 of 4 are judged
        lines = [f"{query} Q0 {doc} 0 {9 - rank} {name}" for query in (1, 2) for rank, doc in enumerate(documents)]
        paths.append(written("\n".join(lines), name))
    command = ("decompose", *paths, "-q", qrels, "-f", "json")
    what = "1 run has mostly unjudged documents in the top 10 (biasvar unjudged shows what these can change)"
    assert json.loads(biasvar(*command).out)["notices"][0] == what
    checked = rows_of(biasvar("check", *paths, "-q", qrels, "--files", "-f", "csv"))
    assert [float(row["number"]) for row in checked if row["what"] == UNJUDGED] == [50, 75]
    written("1 0 a 1\n2 0 a 1\n", "qrels")  # of what is not relevant nothing is listed, so nothing is known
    assert what not in json.loads(biasvar(*command).out)["notices"]
