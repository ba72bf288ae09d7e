"""Output of NTCIREVAL, and the matrices without a header that Sakai's discpower scripts read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from conftest import assert_refused, unix
from test_score_files import held, read, whole

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats import parse_scores, recognise
from biasvar_cli.readers.score_formats.tables import ScoreOptions

# The form of NTCIREVAL's output; the numbers are no test of a formula.
NEV = """0001 # syslen=5 jrel=6 jnonrel=1
0001 # r1=2 rp=2
0001 RR=                  0.5000
0001 O-measure=           0.6667
0001 P-plus=              0.6333
0001 AP=                  0.4167
0001 Q-measure=           0.4583
0001 NCUrb,BR=            0.4417
0001 Q@0010=              0.4583
0001 nDCG@0010=           0.6270
0001 MSnDCG@0010=         0.6270
0001 Hit@0010=            1.0000
"""
pytestmark = pytest.mark.usefixtures("in_an_empty_folder")
LEAVE_OUT = "give every query a score; --topics intersection leaves out those without"
ONE_FILE = "keep one, and give every run a file of its own"
QUERIES = ScoreOptions(orient="queries")


def error(text: str, kind: str, options: ScoreOptions = QUERIES, path: str = "f") -> str:
    with pytest.raises(DataError) as caught:
        whole(parse_scores(text.encode(), path, kind, options))
    return caught.value.typed


def test_the_output_of_ntcireval_is_read() -> None:
    (odd,) = read(NEV).oddities
    assert odd.notice == "scores of NTCIREVAL's RR, AP, nDCG@10, which ir-measures may define differently"
    *scores, _ = held(NEV.replace("0001", "0002"), "runs/bm25.nev").split("; ")
    values = {"RR": 0.5, "O-measure": 0.6667, "P-plus": 0.6333, "AP": 0.4167, "Q-measure": 0.4583, "NCUrb,BR": 0.4417}
    values |= {"Q@10": 0.4583, "nDCG@10": 0.627, "MSnDCG@10": 0.627, "Hit@10": 1}
    assert scores == [f"bm25.nev {measure} 0002={value}" for measure, value in values.items()]


def test_lines_of_settings_are_no_output_of_ntcireval() -> None:
    assert recognise(b"set name= value\nset path= here\n") is None


def test_a_measure_of_ntcireval_is_asked_for_without_zeros(biasvar) -> None:
    Path("bm25.nev").write_text(NEV)
    for asked, value in (("nDCG@10", 0.627), ("NCUrb,BR", 0.4417), ("O-measure", 0.6667)):
        result = biasvar("scores", "bm25.nev", "-m", asked, "-f", "csv", "--quiet")
        assert result.out.splitlines()[1].endswith(f",{value}")


def test_a_topic_with_facts_alone_is_warned_of(biasvar) -> None:
    without = "0002 # syslen=0 jrel=3 jnonrel=0\n0002 # r1=0 rp=0\n"
    for run in "ab":
        Path(f"{run}.nev").write_text(NEV + without + NEV.replace("0001", "0003"))
    what = "NTCIREVAL's facts (#) but no score for a query"
    result = biasvar("scores", "a.nev", "b.nev", "-m", "AP", "-f", "csv")
    assert f"warning: {what}: in 2 runs: a.nev (1 query: 0002), b.nev (1 query: 0002)" in result.err
    assert biasvar("scores", "a.nev", "-m", "AP", "--strict").code == 1
    assert f"{what} (a.nev): 1 query: 0002" in biasvar("check", "a.nev", "--files", "-f", "csv").out


WRONG_LINES = {
    "0001 RR 0.5": "expected a topic, a measure with = at its end, and a value, as NTCIREVAL prints",
    "0001 RR= 0,5": "RR of query 0001: 0,5 has a decimal comma; write 0.5",
    "0001 RR= 0.25": f"RR of f on query 0001 is given twice, first in line 3; {ONE_FILE}",
    "0002 P-plus= x": "P-plus of query 0002: x is not a number",
}


@pytest.mark.parametrize(("line", "message"), WRONG_LINES.items())
def test_a_wrong_line_of_ntcireval_is_named(line: str, message: str) -> None:
    assert error(f"{NEV}{line}\n", "ntcireval") == f"f:13: {message}"


def test_a_matrix_without_a_header_needs_its_orientation() -> None:
    text = b"0.1 0.2 0.3 0.4 0.5 0.6\n0.2 0.3 0.4 0.5 0.6 0.7\n"
    assert (recognise(text), recognise(text, "queries")) == ("run", "matrix")
    assert recognise(b"301 Q0 a 1 0.5 bm25\n", "queries") == "run"
    assert recognise(b"topic,bm25\n301,0.5\n", "queries") == "table"
    file = parse_scores(text, "ap.mat", "matrix", ScoreOptions(orient="queries", measures=("map",)))
    assert (file.runs, file.measures, file.queries, file.numbered) == (tuple("123456"), ("AP",), ("1", "2"), True)
    assert file.values[1, 0].tolist() == [0.2, 0.3]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5 0.25\n0.5\n", "f:2: expected 2 columns, as in the first row, found 1"),
        ("0.5 0.25\n\n0.5 nan\n", f"f:3: column 2 is nan, a hole; {LEAVE_OUT}"),
    ],
)
def test_a_wrong_row_of_a_matrix_without_a_header_is_named(text: str, message: str) -> None:
    assert error(text, "matrix") == message


def test_the_file_beside_a_matrix_names_its_runs() -> None:
    Path("f.runs").write_text("bm25\n\nrm3\n")
    assert parse_scores(b"0.5 0.25\n", "f", "matrix", QUERIES).runs == ("bm25", "rm3")
    for names, message in (
        ("bm25\n", "f.runs: the file has 1 name for 2 columns; give a name for each"),
        ("bm25\nbm25\n", "f.runs: two runs have the same name; rename one"),
    ):
        Path("f.runs").write_text(names)
        assert error("0.5 0.25\n", "matrix") == message


@unix
def test_the_file_that_names_runs_is_never_ignored(biasvar) -> None:
    text = b"0.5 0.25\n1.0 0.5\n"
    Path("ap.mat.gz").write_bytes(gzip.compress(text))
    Path("ap.mat.runs").write_text("bm25\nrm3\n")
    command = ("scores", "ap.mat.gz", "--orient", "queries", "-m", "AP", "-f", "csv")
    assert "\nbm25,1,AP,0.5" in biasvar(*command).out
    Path("ap.mat.gz.runs").write_text("rm3\nbm25\n")
    assert "ap.mat.gz: both ap.mat.gz.runs and ap.mat.runs name its runs; remove one" in biasvar(*command).err
    Path("ap.mat.runs").unlink()
    assert "\nrm3,1,AP,0.5" in biasvar(*command).out
    Path("ap.mat.gz.runs").unlink()
    Path("ap.mat.runs").symlink_to("away")
    assert_refused(biasvar(*command), 1, "ap.mat.runs: cannot be read: No such file or directory")


def test_the_file_that_names_runs_is_an_input(biasvar) -> None:
    Path("d").mkdir()
    Path("d/ap.mat").write_text("0.5 0.25\n1.0 0.5\n")
    Path("d/ap.mat.runs").write_text("bm25\nrm3\n")
    options = ("--orient", "queries", "-m", "AP", "-f", "csv")
    assert "\nbm25,1,AP,0.5" in biasvar("scores", "d", *options).out  # and no run of its own
    for named in ("d", "d/ap.mat"):
        refused = biasvar("scores", named, *options, "-o", "d/ap.mat.runs")
        assert_refused(refused, 2, "d/ap.mat.runs is among the inputs, which are never written over")
    assert Path("d/ap.mat.runs").read_text() == "bm25\nrm3\n"


def test_check_says_what_the_files_are(biasvar) -> None:
    Path("bm25.nev").write_text(NEV)
    Path("ap.mat").write_text("0.5 0.25\n1.0 0.5\n")
    result = biasvar("check", "--files", "bm25.nev", "ap.mat", "--orient", "queries", "-f", "csv")
    assert result.code == 0, result.err
    assert "bm25.nev,ntcireval" in result.out
    assert "ap.mat,matrix" in result.out
