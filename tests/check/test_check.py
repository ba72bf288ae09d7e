"""The command check: a summary of many files, every file on demand, errors always in full."""

from __future__ import annotations

import json

import pytest
from conftest import rows_of

N_RUNS = 40
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


def summary(out: str) -> list[list[str]]:
    """The cells of the rows of a summary in markdown, without examples."""
    lines = [line for line in out.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _counts(out: str) -> list[int]:
    """The numbers in the first line: files, files with errors, with warnings and with notices."""
    return [int(word) for word in out.partition("\n")[0].split() if word.isdigit()]


def test_many_files_with_the_same_oddities_are_a_row_a_kind(biasvar, track):
    result = biasvar("check", "runs", "-q", "qrels")
    assert result.code == 0
    assert len(result.out.splitlines()) <= 15
    text = " ".join(result.out.split())
    assert text.startswith("Check of 41 files: qrels (1), run (40) No file has an error. ")
    assert "3 files have a warning, which may change what numbers mean; 37 files have only notices" in text
    head, *rows = summary(biasvar("check", "runs", "-q", "qrels", "-f", "markdown").out)
    assert head == ["level", "what", "files", "examples"]
    # By hand: 1 + 1 + 2 topics disagree; one topic of every run ties; b, half of the results, is never judged.
    assert rows == [
        ["warning", "ranks and scores disagree; scores are used", "3", "r02 (2 topics), r00 (1 topic)"],
        ["notice", "the run tag is not the file's name", "40", "r00, r01, r02"],
        ["notice", "tied scores (as 32-bit floats)", "40", "r00 (1 topic), r01 (1 topic)"],
        ["notice", "unjudged results in the top 10", "40", "r00 (50.0 %), r01 (50.0 %)"],
        ["notice", "the same ranking as another run", "40", "r00, r01, r02"],
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
    listed = biasvar("check", "runs", "-q", "qrels", "--files").out
    assert all(f"runs/r{place:02} " in listed for place in range(N_RUNS))
    rows = rows_of(biasvar("check", "runs", "-q", "qrels", "-f", "csv"))
    assert list(rows[0])[:8] == ["file", "kind", "queries", "lines", "level", "what", "number", "unit"]
    found = [(row["level"], row["what"], row["notice"]) for row in rows if row["file"] == "runs/r02"]
    assert found == [
        ("oddity", "the run tag is not the file's name: tag tag", "true"),
        ("oddity", "ranks and scores disagree; scores are used", "false"),
        ("oddity", "tied scores (as 32-bit floats)", "true"),
        ("oddity", "unjudged results in the top 10", "true"),
        ("oddity", SAME_RANKING, "true"),
    ]
    assert rows_of(biasvar("check", "runs", "-q", "qrels", "-f", "csv", "--files")) == rows


def test_the_error_of_every_file_is_said_in_full_before_the_summary(biasvar, track):
    for place in range(5):
        (track / "runs" / f"bad{place}").write_text(f"{'1 Q0 a 1 9 tag' + chr(10)}1 Q0 b{place}\n")
    result = biasvar("check", "runs", "-q", "qrels")
    assert result.code == 1
    assert "\n5 files have an error; errors stop an evaluation.\n3 files have a warning" in result.out
    errors, odd = result.out.split("Warnings and notices")
    for place in range(5):
        assert f"runs/bad{place}: line 2: expected 6 columns, found 3\n" in errors
    assert "ranks and scores disagree" in odd
    assert "runs/" not in odd


def test_files_without_anything_odd_say_what_they_are(biasvar, tmp_path):
    (tmp_path / "r").write_text("1 Q0 a 1 9 r\n")
    (tmp_path / "s").write_text("1 Q0 b 1 9 s\n")
    assert biasvar("check", tmp_path / "r", tmp_path / "s").out == (
        "Check of 2 files: run (2)\n\nNo file has an error.\nNo file has a warning.\n"
    )


def test_strict_makes_errors_of_warnings_and_none_of_notices(biasvar, track):
    result = biasvar("check", "runs", "-q", "qrels", "--strict")
    assert (result.code, result.out) == (1, "")
    assert "warning: ranks and scores disagree; scores are used: in 3 files: r02, r00 and r01\n" in result.err
    assert "1 warning, and --strict allows none" in result.err
    for name in ("r00", "r01", "r02"):
        (track / "runs" / name).unlink()
    result = biasvar("check", "runs", "-q", "qrels", "--strict")
    assert (result.code, result.err) == (0, "")
    assert "tied scores" in result.out
    (track / "runs" / "bad").write_text("1 Q0 a 1 9 tag\n1 Q0 b\n")
    result = biasvar("check", "runs", "-q", "qrels", "--strict")
    assert (result.code, result.err) == (1, "")
    assert "expected 6 columns" in result.out


def test_rows_are_chosen_in_every_format(biasvar, track):
    first = rows_of(biasvar("check", "runs", "-q", "qrels", "-f", "csv", "--sort", "-number", "--top", 2))
    assert [row["file"] for row in first] == ["runs/r00", "runs/r01"]  # half of their results, 50 %, is not judged
    document = json.loads(biasvar("check", "runs", "-q", "qrels", "-f", "json", "--sort", "-number", "--top", 2).out)
    assert [file["path"] for file in document["results"][0]["files"]] == ["runs/r00", "runs/r01"]
    kinds = biasvar("check", "runs", "-q", "qrels", "--sort", "what", "--top", 1).out
    assert [line.split()[:2] for line in kinds.partition("\n---")[2].splitlines()[1:2]] == [["warning", "ranks"]]
    for options in ((), ("--files",), ("-f", "csv")):
        assert biasvar("check", "runs", "-q", "qrels", "--sort", "nope", *options).code == 2
    assert biasvar("check", "qrels", "--sort", "nope").code == 2


@pytest.mark.parametrize(
    ("ranks", "what"),
    [
        ((1, 1), "a rank given twice; ranks are not read"),
        (("1", "x"), "ranks not all whole numbers; ranks are not read"),
    ],
)
def test_ranks_are_not_read_so_what_is_odd_in_them_is_a_notice(biasvar, tmp_path, ranks, what):
    path = tmp_path / "bm25"
    path.write_text(f"1 Q0 a {ranks[0]} 9 bm25\n1 Q0 b {ranks[1]} 8 bm25\n")
    result = biasvar("check", path, "--files", "--strict", "-f", "json")
    assert result.code == 0
    (file,) = json.loads(result.out)["results"][0]["files"]
    assert [(odd["what"], odd["notice"]) for odd in file["oddities"]] == [(what, True)]
    assert what in biasvar("check", path).out
    path.write_text("1 Q0 a 2 9 bm25\n1 Q0 b 1 8 bm25\n")
    assert biasvar("check", path, "--strict").code == 1  # such a run may have been meant otherwise


def test_runs_whose_top_documents_are_mostly_unjudged_are_counted(biasvar, tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n2 0 b 0\n")
    for name, documents in {"known": "abcd", "strange": "acde"}.items():  # 2 and 1 of 4 are judged
        lines = [f"{query} Q0 {doc} 0 {9 - rank} {name}" for query in (1, 2) for rank, doc in enumerate(documents)]
        (tmp_path / name).write_text("\n".join(lines))
    command = ("decompose", tmp_path / "known", tmp_path / "strange", "-q", qrels, "-f", "json")
    what = "1 run has mostly unjudged documents in the top 10"
    assert json.loads(biasvar(*command).out)["notices"][0] == what
    checked = rows_of(biasvar("check", *command[1:-2], "--files", "-f", "csv"))
    shares = [row["number"] for row in checked if row["what"] == "unjudged results in the top 10"]
    assert [float(share) for share in shares] == [50, 75]
    qrels.write_text("1 0 a 1\n2 0 a 1\n")  # of what is not relevant nothing is listed, so nothing is known
    assert what not in json.loads(biasvar(*command).out)["notices"]
