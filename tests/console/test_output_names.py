"""Files that results are written to, what their suffixes mean, Parquet, and columns that an option adds."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pyarrow.parquet
import pytest
from conftest import ROOT, SAMPLE, assert_refused, rows_of, unix, write_scores
from test_help import ALL

from biasvar_cli.analyses import ANALYSES

MODELS = ("sample_models", "--true", "sample_models/true.tsv.gz")
SUFFIXES = ".txt .md .tex .csv .tsv .parquet .json"
INPUTS = {"models": MODELS, "profile": ("A", "SCORES"), "tracks": ("docs/tracks.toml",)}  # SCORES is a file of scores
INPUTS["unjudged"] = ("sample_runs", "-q", "qrels/npl-pool.qrels.txt")
COMMANDS = [analysis.name for analysis in ANALYSES if analysis.name != "judges"]  # which needs two files


@pytest.fixture
def scores(tmp_path):
    return write_scores(tmp_path / "ap.csv", [[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]], "ABC")


@pytest.fixture
def call(biasvar, scores, monkeypatch):
    monkeypatch.chdir(ROOT)

    def call(command, *options):
        given = [scores if each == "SCORES" else each for each in INPUTS.get(command, ("SCORES",))]
        return biasvar(command, *given, *options)

    return call


def parquet_of(path):
    return pyarrow.parquet.read_table(path)


@pytest.mark.parametrize("name", ["x.csv.gz", "x.bz2", "x.tex.XZ", "x.zst"])
def test_no_output_is_compressed(biasvar, scores, tmp_path, name):
    result = biasvar("decompose", scores, "-o", tmp_path / name, "-f", "csv")
    assert_refused(result, 2, "biasvar writes no compressed files; write ")
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("command", "name"),
    [*((command, "x.xlsx") for command in COMMANDS), *(("decompose", name) for name in ("x.CSVX", "AP.2012"))],
)
def test_a_suffix_of_no_format_is_refused_with_those_that_there_are(call, tmp_path, command, name):
    known, suffix = ".csv .tsv .parquet .json .tot .jsonl" if command == "scores" else SUFFIXES, name[name.index(".") :]
    message = f"{name}: {suffix} is the suffix of no format; take one of {known}, or choose with -f"
    assert_refused(call(command, "-o", tmp_path / name), 2, message)
    assert not (tmp_path / name).exists()


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("name", [name for name, command in ALL.items() if name not in (*COMMANDS, "judges")])
def test_a_figure_and_the_page_refuse_any_other_suffix(biasvar, tmp_path, name):
    others = {"plot trend": ("docs/tracks.toml",), "plot estimation": MODELS, "plot profile": ("rm", *SAMPLE)}
    known = "a figure's name ends in one of .pdf, .svg, .png, .json\n"
    if name == "report":
        known = "a page's name ends in .html, or is - for standard output\n"
    for file in (tmp_path / "x", tmp_path / "x.PDFX"):
        result = biasvar(*name.split(), *others.get(name, SAMPLE), "-o", file)
        assert_refused(result, 2, f"-o {file}: {known}")
        assert not file.exists()


def test_a_chosen_format_goes_to_a_file_of_any_suffix(call, tmp_path):
    assert call("decompose", "-f", "csv", "-o", tmp_path / "x.csv").code == 0
    assert call("decompose", "-f", "csv", "-o", tmp_path / "x.foo").code == 0
    assert (tmp_path / "x.foo").read_text() == (tmp_path / "x.csv").read_text()


@pytest.mark.parametrize("name", ["table", "x.txt", "x.TXT", ".hidden", "x."])
def test_a_name_without_a_suffix_and_txt_are_text(biasvar, scores, tmp_path, name):
    assert biasvar("decompose", scores, "-o", tmp_path / name, "--no-null").code == 0
    assert (tmp_path / name).read_text().startswith("AP of 3 runs")


def test_scores_without_a_suffix_are_csv(biasvar, scores, tmp_path):
    assert biasvar("scores", scores, "-o", tmp_path / "table").code == 0
    assert (tmp_path / "table").read_text().startswith("run,query_id,measure,score\n")


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_names_of_standard_output_have_no_suffix(biasvar, scores, name):
    result = biasvar("decompose", scores, "-o", name, "--no-null")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("AP of 3 runs")


@unix
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such devices")
def test_another_open_file_can_be_written_to(scores):
    read, write = os.pipe()
    command = [sys.executable, "-m", "biasvar_cli", "decompose", str(scores), "-o", f"/dev/fd/{write}", "-f", "csv"]
    done = subprocess.run(command, pass_fds=[write], capture_output=True, text=True, check=False)
    os.close(write)
    with os.fdopen(read) as pipe:
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert pipe.read().startswith("measure,target,run,")


@pytest.mark.parametrize("command", COMMANDS)
def test_parquet_has_the_cells_of_csv(call, tmp_path, command):
    path = tmp_path / "x.parquet"
    options = ("--table", "tracks") if command == "tracks" else ()
    assert call(command, "-o", path, *options).code == 0
    table = parquet_of(path)
    expected = rows_of(call(command, "-f", "csv", *options))
    assert table.column_names == list(expected[0])
    for row, cells in zip(table.to_pylist(), expected, strict=True):
        for name, value in row.items():
            text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
            assert float(cells[name]) == value if isinstance(value, float) else cells[name] == text


def test_parquet_goes_to_a_pipe_and_not_to_a_terminal(biasvar, scores, monkeypatch):
    out = subprocess.check_output([sys.executable, "-m", "biasvar_cli", "decompose", scores, "-f", "parquet"])
    assert parquet_of(io.BytesIO(out))["run"].to_pylist() == ["A", "B", "C"]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    result = biasvar("decompose", scores, "-f", "parquet")
    assert_refused(result, 2, "-f parquet is not text, which a terminal shows; write it with -o FILE")


def test_a_column_of_parquet_without_any_value_has_its_type(biasvar, tmp_path):
    one = write_scores(tmp_path / "one.csv", [0.5, 0.25], measure="query")  # an unknown measure
    given = ("--target", "mean:0.5", "--stability", "-o", tmp_path / "x.parquet")  # one run has neither
    assert biasvar("decompose", one, *given).code == 0
    table = parquet_of(tmp_path / "x.parquet")
    for name, kind in {"measure": "string", "var_gap": "double", "stability": "double"}.items():
        assert (table[name].to_pylist(), str(table.schema.field(name).type)) == ([None], kind), name


@pytest.mark.parametrize(
    ("column", "option"),
    [
        ("pareto", "--pareto"),
        ("total_w", "--weights"),
        ("mean_low", "--ci"),
    ],
)
def test_a_column_that_an_option_adds_names_it(biasvar, scores, column, option):
    for name, words in (("--columns", "no such column"), ("--sort", f"no column {column}")):
        result = biasvar("decompose", scores, name, column, "--no-null")
        assert_refused(result, 2, f"{name} {column}: there is {words}; {option} adds it")
    assert "adds it" not in biasvar("sensitivity", scores, "--columns", column).err
