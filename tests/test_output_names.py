"""Files that results are not written to, and columns that an option adds."""

from __future__ import annotations

import pytest

SCORES = "AP,A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\n"


@pytest.fixture
def scores(tmp_path):
    path = tmp_path / "ap.csv"
    path.write_text(SCORES)
    return path


@pytest.mark.parametrize("name", ["x.csv.gz", "x.bz2", "x.tex.XZ", "x.zst"])
def test_no_output_is_compressed(biasvar, scores, tmp_path, name):
    result = biasvar("decompose", scores, "-o", tmp_path / name, "-f", "csv")
    assert (result.code, result.out) == (2, "")
    assert "biasvar writes no compressed files; write " in result.err
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["table", "x.txt", "x.out"])
def test_a_suffix_that_stands_for_no_format_is_text(biasvar, scores, tmp_path, name):
    assert biasvar("decompose", scores, "-o", tmp_path / name, "--no-null").code == 0
    assert (tmp_path / name).read_text().startswith("Bias-variance of AP")


@pytest.mark.parametrize(
    ("column", "option"),
    [
        *(("pareto", "--pareto"), ("rank", "--rank"), ("total_w", "--weights")),
        *(("stability", "--stability"), ("mean_low", "--ci")),
    ],
)
def test_a_column_that_an_option_adds_names_it(biasvar, scores, column, option):
    for name, words in (("--columns", "no such column"), ("--sort", f"no column {column}")):
        result = biasvar("decompose", scores, name, column, "--no-null")
        assert (result.code, result.out) == (2, "")
        assert f"{name} {column}: there is {words}; {option} adds it" in result.err
    assert "adds it" not in biasvar("sensitivity", scores, "--columns", column).err
