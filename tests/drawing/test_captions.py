"""Captions: one line in the figure, all of it on standard error or in a file of text or LaTeX; type and typefaces."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from conftest import SAMPLE, assert_refused, unix, write_scores
from track_results import result_of

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.drawing.export import caption_latex, caption_of
from biasvar_cli.drawing.style import LABEL, width_of, width_of_text
from biasvar_cli.notebook.figure import Figure

pytestmark = pytest.mark.usefixtures("in_the_checkout")
FIGURES = [(analysis.name, figure) for analysis in ANALYSES for figure in analysis.figures]


@pytest.mark.parametrize("width", ["7cm", "two"])
@pytest.mark.parametrize(("analysis", "figure"), FIGURES)
@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_the_figure_has_two_lines_of_its_caption_at_most(analysis, figure, width):
    result = result_of(analysis, "sample")
    spec = result.plot(figure, width=width).spec
    lines, title = spec["title"]["subtitle"], spec["title"]["text"]
    assert len(lines) <= 2
    line = " ".join(lines)
    words = title if isinstance(title, str) else " ".join(title)
    start, _, end = line.partition("…")
    drawn_words, _, rest = spec["description"].removeprefix(f"{words}. ").partition(". ")
    assert drawn_words not in (words, line)  # the caption does not say again what the title says
    assert rest.startswith(start)
    assert end in rest
    assert caption_of(spec).startswith(drawn_words)
    assert "{" not in spec["description"]
    assert ".." not in spec["description"]
    assert all(width_of_text(line, LABEL) <= width_of(width) for line in lines)
    latex = caption_latex(caption_of(spec), figure)
    assert f"\\label{{fig:biasvar-{figure}}}" in latex
    assert not set("−αρτ²") & set(latex)


def test_a_line_that_is_too_long_loses_its_middle(drawn, tmp_path):
    target = write_scores(tmp_path / f"{'a-long-name-' * 9}.csv", [0.9] * 3, ["score"], measure="query_id")
    scores = write_scores(tmp_path / "ap.csv", [[0.5, 0.4, 0.1], [0.2, 0.3, 0.9], [0.1, 0.6, 0.2]])
    spec = drawn("plane", scores, "--target", f"file:{target}", "--quiet")
    (line,) = spec["title"]["subtitle"]
    assert "…" in line
    assert target.name in spec["description"]


def test_the_caption_goes_to_standard_error_unless_quiet(biasvar, tmp_path):
    result = biasvar("plot", "plane", *SAMPLE[:-1], "-o", tmp_path / "plane.json")
    spec = json.loads((tmp_path / "plane.json").read_text())
    assert result.err == f"caption: {caption_of(spec)}\n"
    assert "Grey lines: equal total (bias² + variance)" in result.err
    assert biasvar("plot", "plane", *SAMPLE, "-o", tmp_path / "plane.json", "--quiet").err == ""


def test_a_file_has_the_caption_as_text_or_latex(biasvar, tmp_path):
    options = ("-o", tmp_path / "plane.json", "--target", "run:rel-fb", "--caption")
    for suffix in ("txt", "tex"):
        result = biasvar("plot", "plane", *SAMPLE[:-1], *options, tmp_path / f"plane.{suffix}")
        assert (result.code, result.out, result.err) == (0, "", "")
    caption = caption_of(json.loads((tmp_path / "plane.json").read_text()))
    assert (tmp_path / "plane.txt").read_text() == f"{caption}\n"
    latex = (tmp_path / "plane.tex").read_text()
    assert latex.startswith("\\caption{Bias$^2$ and variance of each run. AP, 22 runs, 93 queries; target run:rel-fb.")
    assert latex.endswith("}\n\\label{fig:biasvar-plane}\n")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (("f.json", "f.md"), "a caption's name ends in .txt or .tex"),
        (("f.json", "f"), "a caption's name ends in .txt or .tex"),
        (("f.json", "scores.txt"), "is among the inputs, which are never written over"),
    ],
)
def test_a_caption_elsewhere_is_refused_and_nothing_is_written(biasvar, tmp_path, files, message):
    scores = write_scores(tmp_path / "scores.txt", [[0.5, 0.4, 0.1], [0.2, 0.3, 0.9], [0.1, 0.6, 0.2]])
    before = scores.read_bytes()
    figure, caption = (tmp_path / name for name in files)
    assert_refused(biasvar("plot", "plane", scores, "-o", figure, "--caption", caption), 2, message)
    assert not figure.exists()
    assert scores.read_bytes() == before


@unix
def test_a_caption_is_not_written_into_the_figure(biasvar, tmp_path):
    (tmp_path / "f.tex").symlink_to(tmp_path / "f.json")
    files = ("-o", tmp_path / "f.json", "--caption", tmp_path / "f.tex")
    assert_refused(biasvar("plot", "plane", *SAMPLE, *files), 2, "is the file of the figure")


def test_without_a_figure_the_caption_stays_as_it_was(biasvar, tmp_path):
    caption = tmp_path / "f.txt"
    caption.write_text("as it was")
    files = ("-o", tmp_path / "f.json", "--caption", caption)
    result = biasvar("plot", "plane", *SAMPLE[:-1], "-m", "P@10", "--target", "perfect", "--strict", *files)
    assert_refused(result, 1, "--strict allows none")
    assert "caption:" not in result.err
    assert caption.read_text() == "as it was"
    assert not (tmp_path / "f.json").exists()


def test_without_a_title_the_caption_begins_with_the_finding(drawn):
    spec = drawn("plane", *SAMPLE, "--quiet", "--no-title")
    figure = Figure.of(spec)
    assert figure.caption == spec["description"]
    assert figure.caption.startswith("Least total error and best mean: rel-fb. Bias² and variance of each run. AP")
    assert "\n" not in repr(figure)


@pytest.mark.parametrize("figure", ["plane", "risk", "target"])
def test_the_text_of_a_pdf_is_text_and_its_typefaces_are_in_it(biasvar, tmp_path, figure):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    if shutil.which("pdffonts") is None:
        pytest.skip("pdffonts and pdftotext (poppler-utils) are not installed")
    assert biasvar("plot", figure, *SAMPLE, "--quiet", "-o", tmp_path / "f.pdf").code == 0
    fonts = subprocess.check_output(["pdffonts", tmp_path / "f.pdf"], text=True).splitlines()[2:]
    assert {line.split()[-5] for line in fonts} == {"yes"}
    assert "22 runs" in subprocess.check_output(["pdftotext", tmp_path / "f.pdf", "-"], text=True)
