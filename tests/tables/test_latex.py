"""LaTeX of every command: heads in words, every sign escaped, as many cells in every row; compiled where a TeX is."""

from __future__ import annotations

import re
import shutil
import subprocess

import numpy as np
import pytest
from conftest import ROOT, SAMPLE, write_manifest, write_scores

from biasvar_cli.cli import main

RUNS = ("a_b", "c&d%e", "$x$#1", "[y]", "*z", "~f--g^{h}", "i\\j<k>", "l|m")
COMMANDS = {
    "decompose": ("--rank", "--pareto", "--weights", "1,2", "--stability", "--ci", 0.95, "--resamples", 100),
    "decompose --baseline": ("--baseline", "a_b"),
    "tradeoff": (),
    "tradeoff --families": ("--families", "families.csv", "--baseline", "a_b"),
    "tradeoff --detail": ("--detail", "single"),
    **{f"target --table {table}": ("--table", table) for table in ("queries", "runs", "rarefied")},
    **{
        f"sensitivity --table {table}": ("--table", table, "--teams", "teams.csv")
        for table in ("targets", "runs", "neighbours", "queries", "reliability", "mean")
    },
    "risk": ("--alpha", "2.5,5", "--ci", 0.95, "--resamples", 100, "--with-decomposition"),
    "risk --table queries": ("--table", "queries"),
    "risk --table run": ("--table", "run:a_b", "--alpha", "0,2.5"),
    **{
        f"compare --table {table}": ("--table", table, "--samples", 200, "--splits", 10)
        for table in ("runs", "pairs", "power", "swap")
    },
    "summary": ("--baseline", "a_b", "--samples", 200),
    "summary --errors": ("--errors", "--counts", "--samples", 200, "--highlight", "l|m", "--top", 3),
    "summary --marks": ("--marks", "letters", "--samples", 200),
    "compare --marks": ("--marks", "letters", "--samples", 200),
    "profile": (),
    "compare --test": ("--table", "pairs", "--samples", 200, "--test", "wilcoxon", "--test", "sign"),
}
MODELS = ("--ci", 0.95, "--resamples", 100, "--baseline", "rm")


@pytest.fixture(scope="module")
def latex(tmp_path_factory):
    """What the commands write as LaTeX, by what was typed."""
    folder = tmp_path_factory.mktemp("latex")
    run, query = np.arange(len(RUNS))[:, None], np.arange(1, 13)
    write_scores(folder / "ap.csv", (7 * query + 3 * run * query + run) % 19 / 19, RUNS)
    write_scores(folder / "half.csv", (7 * query + 5 * run * query + run) % 19 / 29, RUNS)
    (folder / "teams.csv").write_text("run,team\n" + "".join(f"{run},{place % 3}\n" for place, run in enumerate(RUNS)))
    (folder / "families.csv").write_text("run,family\n" + "".join(f"{run},q_&\n" for run in RUNS[1:]))
    files = {"series": "ad_hoc", "scores": "ap.csv"}
    tracks = ({"track": f"T_{year}", "year": year, **files} for year in (2001, 2002, 2003))
    write_manifest(folder / "shelf.toml", *tracks)
    models = ROOT / "sample_models"
    typed = {name: (name.split()[0], "ap.csv", *options) for name, options in COMMANDS.items()}
    typed["profile"] = ("profile", "a_b", "ap.csv", "--samples", 200)
    typed |= {"models": ("models", models, "--true", models / "true.tsv.gz", *MODELS)}
    typed |= {"judges": ("judges", "ap.csv", "half.csv", "--samples", 200)}
    typed |= {"tracks": ("tracks", "shelf.toml", "--subset-size", 4)}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, words in typed.items():
            assert main([str(word) for word in (*words, "-f", "latex", "--quiet", "-o", f"{name}.tex")]) == 0, words
    return {name: (folder / f"{name}.tex").read_text() for name in typed}


def test_every_table_has_heads_in_words_and_as_many_cells_in_every_row(latex):
    for name, text in latex.items():
        blocks = re.findall(r"\\begin\{tabular\}\{([lr]+)\}\n(.*?)\\end\{tabular\}", text, re.DOTALL)
        assert blocks, name
        for align, block in blocks:
            lines = [line for line in block.splitlines() if not re.search(r"rule$|^\\cmidrule|\\multicolumn", line)]
            assert all(len(re.split(r"(?<!\\)&", line)) == len(align) for line in lines), name
            in_words = re.sub(r"\$[^$]*\$", "", lines[0])
            assert "_" not in in_words, (name, lines[0])
            assert [line for line in block.splitlines() if line.endswith("rule")][:2] == ["\\toprule", "\\midrule"]


def test_braces_balance_and_no_sign_of_a_name_stands_for_itself(latex):
    for name, text in latex.items():
        code = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
        depth = [0]
        for brace in re.findall(r"(?<!\\)[{}]", code):
            depth.append(depth[-1] + (1 if brace == "{" else -1))
        assert (depth[-1], min(depth)) == (0, 0), name
        outside = re.sub(r"\\[a-z]+(\{[^{}]*\})*|\\[&%$#_{}\\]|\$[^$]*\$", "", code)
        assert not set("%$#_\\~^<>|") & set(outside), name
        assert not re.search(r"--|``|''|^ *[\[*]", code, re.MULTILINE), name


def test_heads_and_cells_that_name_a_column_are_in_words(latex):
    assert "& Pearson's $r$, single " in latex["tracks"]
    assert " variance (gap)" in latex["sensitivity --table reliability"]
    assert "$T_{\\mathrm{risk}}$, $\\alpha = 2.5$" in latex["risk"]
    assert "$p$ (step-down)" in latex["compare --table pairs"]


def test_the_row_of_the_target_stands_under_a_rule(latex):
    for name in ("decompose", "target --table queries"):
        assert re.search(r"\\midrule\n (virtual target|mean ).*\n\\bottomrule\n", latex[name]), name


@pytest.mark.parametrize(
    "preamble",
    [
        "\\documentclass[twocolumn]{article}\n\\usepackage{amssymb,booktabs}\n",
        "\\documentclass[sigconf,nonacm]{acmart}\n",
    ],
    ids=["article", "acmart"],
)
def test_every_table_compiles_in_two_columns_and_no_box_is_too_wide(latex, tmp_path, preamble):
    """A table that says it may be wider is the exception."""
    program, find = shutil.which("pdflatex"), shutil.which("kpsewhich")
    name = re.search(r"{(\w+)}", preamble)[1]
    if program is None or find is None or subprocess.run([find, f"{name}.cls"], capture_output=True).returncode:
        pytest.skip(f"there is no pdflatex with {name} here")
    lines, names = [*preamble.splitlines(), "\\title{Tables}", "\\begin{document}", "\\maketitle"], {}
    for table, text in latex.items():
        first = len(lines)
        lines += [*text.splitlines(), "\\clearpage"]
        names |= dict.fromkeys(range(first, len(lines) + 1), table)
    (tmp_path / "tables.tex").write_text("\n".join([*lines, "\\end{document}", ""]), "utf-8")
    options = ["-draftmode", "-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([program, *options, "tables.tex"], cwd=tmp_path, capture_output=True, check=False)
    said = done.stdout.decode(errors="replace")
    assert done.returncode == 0, said[-2000:]
    wide = {names[int(line)] for line in re.findall(r"Overfull \\hbox.* at lines (\d+)--", said)}
    assert {table for table in wide if "It may be wider" not in latex[table]} == set()


def test_a_caption_has_no_sentence_for_a_paper(latex):
    captions = [line for text in latex.values() for line in text.splitlines() if line.startswith("\\caption")]
    assert len(captions) >= 20
    assert not any("For a paper" in caption for caption in captions)


def test_a_highlighted_run_is_bold_without_a_sentence(latex):
    assert "\\textbf{l\\textbar{}m}" in latex["summary --errors"]
    assert "highlighted" not in latex["summary --errors"]
    assert "Below the first rows: l\\textbar{}m (number " in latex["summary --errors"]


@pytest.mark.parametrize(
    "words",
    [
        ("decompose", "--log", "floor", "--no-null"),
        ("decompose", "--replicates", "([a-z]+)-.*", "--no-null"),
        ("summary", "--replicates", "([a-z]+)-.*"),
        ("compare", "--baseline", "rm"),
        ("risk", "--baseline", "rm"),
        ("target", "--table", "rarefied"),
        ("tradeoff", "--no-null"),
    ],
)
def test_captions_name_no_options(biasvar, in_the_checkout, words):
    latex = biasvar(words[0], *SAMPLE, *words[1:], "-f", "latex").out
    captions = [line for line in latex.splitlines() if line.startswith("\\caption")]
    assert captions
    assert not any(re.search(r"(^|[\s(])-(\{\})?-[a-z]", caption) for caption in captions)
