"""How tables look: notes short and full, small tables, wrapped lines, chosen columns, formats by suffix, notices."""

import json
import re
from dataclasses import replace

import pytest
from conftest import assert_refused, rows_of, write_manifest

from biasvar_cli.tables.column import Column, filled
from biasvar_cli.tables.latex import latex
from biasvar_cli.tables.layout import Layout, wrapped
from biasvar_cli.tables.render import markdown, text
from biasvar_cli.tables.table import Table

SMALL = Table(
    "How the runs go together",
    {"form": ["score"], "r": [0.5], "low": [0.25], "high": [0.75]},
    notes=("That is a lot.",),
    details=("r: Pearson's.",),
    intervals={"95 %": ("low", "high")},
    signed=frozenset({"r"}),
)
WHOLE = Table(
    "One run",
    {"run": ["a_b"], "mean": [0.25], "spare": [0.5]},
    notes=("One run of many.",),
    details=("mean: over queries.",),
    second=(SMALL,),
    hidden=frozenset({"spare"}),
    more=("biasvar report",),
)
RUN_A = "301 Q0 d1 1 2.0 A\n301 Q0 d2 2 1.0 A\n302 Q0 d1 1 2.0 A\n"
RUN_B = "301 Q0 d1 1 1.0 tag-of-B\n301 Q0 d2 2 1.0 tag-of-B\n302 Q0 d1 1 2.0 tag-of-B\n302 Q0 d2 2 1.0 tag-of-B\n"
QRELS = "301 0 d1 1\n301 0 d2 0\n302 0 d1 1\n"


@pytest.fixture
def tied(tmp_path, monkeypatch):
    """Two runs, of which one has a tie and a tag that is not its file's name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "A").write_text(RUN_A)
    (tmp_path / "runs" / "B").write_text(RUN_B)
    (tmp_path / "qrels.txt").write_text(QRELS)
    return ("runs", "-q", "qrels.txt")


def test_a_table_its_notes_its_small_table_and_where_more_is():
    assert text([WHOLE], Layout(digits=2)) == (
        "One run\n\n"
        "run      mean\n-----  ------\na_b      0.25\n\n"
        "One run of many.\n\n"
        "How the runs go together\n"
        "form        r          95 %\nscore   +0.50  [0.25, 0.75]\n\n"
        "That is a lot.\n"
        "More: --notes full, biasvar report\n"
    )


def test_columns_align_by_what_names_take_of_a_terminal():
    """実行一 takes 6 columns, bm25 takes 4, and e with an accent of its own takes 1; a head has two more."""
    accent = "e\u0301"
    table = Table("Runs", {"run": ["実行一", "bm25", accent], "mean": [0.25, 0.5, 0.125]}, target_row={"run": "最良"})
    rows = ["run       mean", "------  ------", "実行一    0.25", "bm25      0.50", f"{accent}         0.12"]
    assert text([table], Layout(digits=2)).split("\n")[2:] == [*rows, "------  ------", "最良", ""]


def test_wide_names_count_twice_where_columns_and_lines_are_fitted():
    """A name takes 16 columns: two and their blanks fit 40, three do not. Columns of 20 and 7, two apart, need 29."""
    name = "検索実行番号十一"
    assert wrapped(" ".join([name] * 5), 40) == [f"{name} {name}", f"  {name} {name}", f"  {name}"]
    spare = Column("spare", "a number", lambda _: [0.5], priority=1)
    table = replace(Table("Runs", {"run": ["検索実行番号検索実行"], "spare": [0.5]}), declared={"spare": spare})
    assert "Hidden (--wide): spare" in text([table], Layout(digits=2, width=28))
    assert "left out" not in text([table], Layout(digits=2, width=29))


def test_all_notes_on_demand():
    found = text([WHOLE], Layout(digits=2, notes="full"))
    assert found.endswith("lot.\n\nmean: over queries.\nr: Pearson's.\nMore: biasvar report, biasvar --words\n")


def test_markdown_has_lists_and_whole_lines():
    long = Table("One run", {"run": ["A"]}, notes=("word " * 40 + "end",))
    assert markdown([long], Layout(width=40)).split("\n")[-2] == "* " + "word " * 40 + "end"
    found = markdown([WHOLE], Layout(digits=2))
    assert "**How the runs go together**\n\n| form   |     r |           95 % |" in found
    assert "| score  | +0.50 | \\[0.25, 0.75\\] |" in found


def test_latex_has_a_tabular_a_table_and_its_lines_as_comments():
    found = latex([replace(WHOLE, with_notices=True)], Layout(digits=2, notices=["1 run has tied scores"]))
    for part in ("table", "tabular"):
        assert found.count(f"\\begin{{{part}}}") == found.count(f"\\end{{{part}}}") == 2
    assert found.count("\\caption{") == 2
    outside = [line for line in found.split("\n") if line.startswith("%")]
    assert outside[-1] == "% 1 run has tied scores (biasvar check). More: --notes full, biasvar report"
    assert "% That is a lot." in outside
    assert "% mean: over queries." not in outside


def test_undefined_intervals_are_one_dash():
    nan = float("nan")
    table = Table("", {"run": ["A"], "low": [nan], "high": [nan]}, intervals={"95 %": ("low", "high")})
    assert text([table], Layout()).split("\n")[-2].split() == ["A", "-"]


def test_lines_are_as_wide_as_asked_and_words_stay_whole():
    name = "a-run-with-a-name-longer-than-the-line-could-ever-be"
    lines = wrapped(f"The best run of the whole track is {name} and no other.", 40)
    assert lines == ["The best run of the whole track is", f"  {name}", "  and no other."]


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("md", "**AP of"), ("tex", "% Least"), ("csv", "measure,"), ("tsv", "measure\t"), ("JSON", "{"), ("txt", "AP of")],
)
def test_the_suffix_of_the_output_says_the_format(biasvar, tied, tmp_path, suffix, start):
    assert biasvar("decompose", *tied, "-o", f"x.{suffix}").code == 0
    assert (tmp_path / f"x.{suffix}").read_text().startswith(start)


def test_columns_are_chosen_and_runs_stay(biasvar, tied):
    out = biasvar("decompose", *tied, "--ci", ".9", "--columns", "total,mean_low").out  # one of them for programs
    assert re.search(r"^run +total +mean_low$", out, re.MULTILINE)
    rows = rows_of(biasvar("decompose", *tied, "--columns", "mean", "-f", "csv"))
    assert [*rows[0]] == ["measure", "target", "run", "mean"]
    assert [row["run"] for row in rows] == ["A", "B"]


def test_an_unknown_column_is_wrong_usage_and_names_the_others(biasvar, tied):
    message = "--columns medium: there is no such column; the columns are measure, target, run, mean, bias"
    assert_refused(biasvar("decompose", *tied, "--columns", "mean,medium"), 2, message)
    assert_refused(biasvar("decompose", *tied, "--columns", "mean,,"), 2)
    json_has_fixed_keys = biasvar("decompose", *tied, "--columns", "mean", "-f", "json")
    assert_refused(json_has_fixed_keys, 2, "--columns has no place in JSON")


NOTICES = ["1 run has a tag that is not the file's name", "1 run has tied retrieval scores, broken by document id"]


def test_ties_and_tags_are_notices_said_once_and_no_error_under_strict(biasvar, tied):
    document = json.loads(biasvar("decompose", *tied, "--strict", "-f", "json").out)
    assert (document["notices"], document["warnings"]) == (NOTICES, [])
    result = biasvar("decompose", *tied)
    assert result.err == ""
    assert result.out.count("tied") == result.out.count("tag that") == 1
    assert f"{'; '.join(NOTICES)} (biasvar check)." in " ".join(result.out.split())


def test_the_last_line_has_notices_where_they_are_wanted():
    shown, plain = replace(WHOLE, with_notices=True), WHOLE
    notices = [f"{number} runs have a kind of oddity" for number in range(4)]
    assert "4 notices on the files (biasvar check). More: " in text([shown], Layout(notices=notices))
    assert "notices" not in text([plain], Layout(notices=notices))
    assert "; ".join(notices) in " ".join(text([plain], Layout(notices=notices, notes="full")).split())


WIDE = Table.of(
    "One run",
    filled(
        [
            Column("run", "the run", lambda _: ["A"]),
            *(Column(name, name, lambda _: [0.5], priority=rank) for rank, name in enumerate(("abc", "def", "ghi"))),
        ],
        None,
    ),
)


def test_columns_of_the_highest_priority_are_left_out_first_and_named():
    """A column takes six letters and two spaces before it, the run takes five."""
    shown = text([WIDE], Layout(width=29))
    assert shown.split("\n")[2].split() == ["run", "abc", "def", "ghi"]
    shown = text([WIDE], Layout(width=28))
    assert shown.split("\n")[2].split() == ["run", "abc", "def"]
    assert "Hidden (--wide): ghi" in " ".join(shown.split())
    assert "Hidden (--wide): def, ghi" in " ".join(text([WIDE], Layout(width=14)).split())
    assert text([WIDE], Layout(width=1)).split("\n")[2].split() == ["run", "abc"]  # of priority 0
    assert text([WIDE], Layout(width=14, wide=True)).split("\n")[2].split() == ["run", "abc", "def", "ghi"]


def test_latex_has_the_best_of_each_column_in_bold_and_a_label():
    columns = [
        Column("run", "the run", lambda _: ["A", "B", "C"]),
        Column("mean", "the mean", lambda _: [0.25, 0.5, 0.5], better="more"),
        Column("total", "the total", lambda _: [0.25, 0.5, 0.5], better="less"),
        Column("same", "all the same", lambda _: [0.25, 0.25, 0.25], better="less"),
    ]
    shown = latex([Table.of("Three_runs", filled(columns, None), name="decompose")], Layout(digits=2))
    rows = [line.strip(" \\").split(" & ") for line in shown.split("\n") if line.startswith((" A", " B", " C"))]
    cells = [[cell.strip() for cell in row] for row in rows]
    best = "\\textbf{0.50}"
    assert cells == [["A", "0.25", "\\textbf{0.25}", "0.25"], *([name, best, "0.50", "0.25"] for name in "BC")]
    assert "\\caption{Three\\_runs. Bold: the best value in each column.}" in shown
    assert "\\label{tab:decompose}" in shown


def test_notices_of_the_files_of_tracks_are_told_on_demand(biasvar, tied, tmp_path):
    files = {"series": "s", "runs": "runs", "qrels": "qrels.txt"}
    write_manifest(tmp_path / "m.toml", *({"track": f"{number}", "year": 2000 + number} | files for number in range(3)))
    result = biasvar("tracks", "m.toml", "--no-null")
    assert (result.code, result.err) == (0, "")
    assert "notices" not in result.out
    assert "1: 1 run has tied retrieval scores" in biasvar("tracks", "m.toml", "--no-null", "--notes", "full").out
