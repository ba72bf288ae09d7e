"""What people are shown of a run, in every command and figure: a shorter or another name, and a mark."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import assert_refused, drawn_of, rows_of
from test_nouns import FEW, FIGURES, TEXTS, matrix, text_of_page, words_of

import biasvar_cli as bv
from biasvar_cli.cli import biasvar as biasvar_command
from biasvar_cli.drawing.style import THEMES
from biasvar_cli.tables.layout import HIGHLIGHT

__all__ = ["matrix"]  # a fixture
SHORT = ("--quiet",)
OF_RUNS = [command for command in TEXTS if "power" not in command and "swap" not in command]
NO_RUNS = ("check", "scores", "models", "tracks", "plot")  # files; formats for programs; query models; tracks
WITHOUT_RUNS = ("asl", "swap", "tradeoff", "rarefaction")  # figures


@pytest.fixture
def with_suffix(matrix: Path) -> Path:
    """The same scores, whose runs have names that end in .run."""
    path = matrix.with_name("suffix.csv")
    pd.read_csv(matrix, index_col=0).add_suffix(".run").to_csv(path)
    return path


def lines_with(text: str, pattern: str) -> list[str]:
    return [line for line in text.split("\n") if re.search(pattern, line)]


def drawn(biasvar: Any, figure: tuple[str, ...], *words: Any) -> Any:
    path = words[0].with_name("figure.json")
    result = biasvar("plot", figure[0], *drawn_of(figure[0], words[0]), *figure[1:], *words[1:], "-o", path, *SHORT)
    assert result.code == 0, result.err
    return json.loads(path.read_text("utf-8"))


def data_of(spec: Any) -> str:
    return json.dumps([spec["datasets"], [*words_of(spec)]], ensure_ascii=False)


@pytest.mark.parametrize("command", TEXTS, ids=lambda command: " ".join(map(str, command)))
def test_people_are_shown_no_suffix_that_the_names_can_do_without(biasvar, matrix, with_suffix, command):
    short, long = (biasvar(command[0], path, *command[1:], *SHORT) for path in (matrix, with_suffix))
    assert long.code == 0, long.err
    assert lines_with(long.out, r"(?<!run:)\b(bm25|rm\d)\.run\b") == []  # run:NAME as typed has the name in the files
    assert re.sub(r"\.run\b|-run(?=\}\n)", "", long.out).split() == short.out.split()


@pytest.mark.parametrize("ending", [".autoargue.tot", ".gpt-4.1", ".v2.eval"])
def test_people_are_shown_no_ending_that_all_runs_have(biasvar, matrix, ending):
    path = matrix.with_name("ending.csv")
    scores = pd.read_csv(matrix, index_col=0)
    scores.add_suffix(ending).to_csv(path)
    short, long = (biasvar("summary", name, "--baseline", "bm25", *SHORT) for name in (matrix, path))
    assert long.out.replace("ending.csv", matrix.name) == short.out
    assert f"bm25{ending}" in biasvar("summary", path, "-f", "csv", *SHORT).out
    scores.add_suffix(ending).assign(other=0.5).to_csv(path)
    assert f"bm25{ending}" in biasvar("summary", path, *SHORT).out  # another run has another ending


@pytest.mark.parametrize("command", [TEXTS[0], ("risk", "--baseline", "run:bm25"), ("summary", "--baseline", "bm25")])
def test_the_signature_has_the_names_of_the_files(biasvar, with_suffix, command):
    text = biasvar(command[0], with_suffix, *command[1:], "--notes", "full", *SHORT).out
    named, _, signature = " ".join(text.split()).partition("Signature: ")
    assert ".run" not in named.replace("run:bm25.run", "")
    assert ("baseline bm25.run" in signature) == ("--baseline" in command)


@pytest.mark.parametrize(
    ("command", "form"),
    [(command, ("csv", "json")[number % 2]) for number, command in enumerate(TEXTS)],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, tuple) else value,
)
def test_csv_and_json_have_the_names_of_the_files(biasvar, with_suffix, command, form):
    """Whatever people are shown, and whichever run is marked."""
    of_people = ("-f", "latex", "markdown", *FEW)  # for which csv and JSON have no place
    words = (*(word for word in command[1:] if word not in of_people), "-f", form, *SHORT)
    plain = biasvar(command[0], with_suffix, *words)
    other = biasvar(command[0], with_suffix, *words, "--highlight", "rm3", "--names", "rm5.run=zz9")
    assert plain.code == 0, plain.err
    assert other.out == plain.out or command[0] == "summary"  # whose rows --names may order
    assert not re.search(r"\b(bm25|rm\d)\b(?!\.run)", plain.out)


@pytest.mark.parametrize("command", TEXTS, ids=lambda command: " ".join(map(str, command)))
def test_every_text_has_the_new_names(biasvar, matrix, command):
    old = biasvar(command[0], matrix, *command[1:], *SHORT)
    new = biasvar(command[0], matrix, *command[1:], "--names", "rm3=zz9", "--names", "bm25=qq8", *SHORT)
    assert new.code == 0, new.err
    assert [line for line in lines_with(new.out, r"\brm3\b|(?<!run:)\bbm25\b") if "\\label" not in line] == []
    assert lines_with(old.out, r"^(% |\\W*)?(rm3|bm25)\b") == [] or re.search("zz9|qq8", new.out)


@pytest.mark.parametrize("command", OF_RUNS, ids=lambda command: " ".join(map(str, command)))
def test_a_run_is_marked_wherever_a_table_has_it_and_the_mark_is_explained(biasvar, matrix, command):
    plain = biasvar(command[0], matrix, *command[1:], *SHORT)
    marked = biasvar(command[0], matrix, *command[1:], "--highlight", "rm3", *SHORT)
    assert marked.code == 0, marked.err
    rows = [line for line in plain.out.split("\n") if re.match(r"\W*rm3\b", line) and not line.startswith("%")]
    if "latex" in command:  # where a name in bold is its own explanation
        assert marked.out.count("\\textbf{rm3}") >= len(rows)
        return
    assert marked.out.count(f"rm3 {HIGHLIGHT}") >= len(rows)
    assert marked.out.count(f"{HIGHLIGHT} highlighted") == command.count("--target") or (
        f"rm3 {HIGHLIGHT}" in marked.out
    )


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure[0])
def test_figures_have_the_names_for_people(biasvar, matrix, with_suffix, figure):
    assert ".run" not in data_of(drawn(biasvar, figure, with_suffix))
    new = data_of(drawn(biasvar, figure, matrix, "--names", "rm3=zz9", "--names", "rm7=yy9"))
    assert not re.search(r"\brm[37]\b", new)


def test_the_page_has_the_names_for_people(made, with_suffix):
    text = text_of_page(made(with_suffix, "--names", "rm3.run=zz9", "--no-null", *SHORT)[0])
    assert not re.search(r"\.run\b|\brm3\b", re.sub(r"biasvar .*", "", text))
    assert "zz9" in text


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure[0])
def test_a_figure_of_runs_has_the_highlighted_one_on_top_and_in_its_caption(biasvar, matrix, figure):
    plain, marked = (drawn(biasvar, figure, matrix, *more) for more in ((), ("--highlight", "rm3")))
    if figure[0] in (*WITHOUT_RUNS, "losses"):
        assert plain["description"] == marked["description"]
        return
    assert "Highlighted: rm3." in marked["description"]
    assert marked != plain
    assert "rm3" in data_of(marked)
    if "layer" in marked and figure[0] != "queries":
        assert THEMES["light"].highlight in json.dumps(marked["layer"][-1])


def test_losses_are_those_of_the_highlighted_run(biasvar, matrix):
    figure = ("losses", "--baseline", "mean")
    assert "rm3" in data_of(drawn(biasvar, figure, matrix, "--highlight", "rm3"))


def test_every_command_that_shows_runs_has_the_options():
    plot = biasvar_command.commands["plot"]
    commands = [command for name, command in biasvar_command.commands.items() if name not in NO_RUNS]
    figures = [command for name, command in plot.commands.items() if name not in ("estimation", "trend")]
    assert len(commands) > 8
    for command in [*commands, *figures]:
        names = {name for option in command.params for name in option.opts}
        assert {"--highlight", "--names"} <= names, command.name


def test_a_highlighted_run_below_the_top_is_shown_to_people_with_its_number(biasvar, matrix):
    text = biasvar("decompose", matrix, "--no-null", "--top", 2, "--highlight", "bm2", "--sort", "-mean", *SHORT).out
    rows = [line for line in text.split("\n") if re.match(r"(bm25|rm\d) ", line)]
    assert [row.split()[0] for row in rows] == ["rm7", "rm6", "bm25"]
    assert re.search(r"← highlighted; not among the first 2: bm25 \(number [78]\)\.", text)
    assert len(rows_of(biasvar("decompose", matrix, "--top", 2, "-f", "csv", "--highlight", "bm25"))) == 2


@pytest.mark.parametrize(("name", "words"), [("rm", "7 runs begin with that: rm1, "), ("bm52", "did you mean bm25?")])
def test_a_name_to_highlight_is_that_of_one_run(biasvar, matrix, name, words):
    assert_refused(biasvar("decompose", matrix, "--highlight", name), 1, f"--highlight {name}: ", words)


def test_a_notebook_marks_and_names_runs_as_the_command_does(biasvar, with_suffix):
    given = ("--names", "rm3.run=mine", "--highlight", "mine", "--no-null", *SHORT)
    result = bv.decompose(with_suffix, names={"rm3.run": "mine"}, highlight="mine", null=False)
    assert result._rendered("text", None, typed=True) == biasvar("decompose", with_suffix, *given).out
    assert "<strong>mine ←</strong>" in result._repr_html_()
    assert set(result.frame().index) == {f"{run}.run" for run in ("bm25", *(f"rm{k}" for k in range(1, 8)))}
    loaded = bv.decompose(with_suffix, null=False).scores
    assert repr(bv.decompose(loaded, names={"rm3.run": "mine"}, highlight="mine", null=False)) == repr(result)
    assert "Highlighted: mine." in result.plot("plane").spec["description"]


def test_the_page_opens_with_the_highlighted_run(made, with_suffix):
    text, data = made(with_suffix, "--highlight", "rm3", "--no-null", *SHORT)
    assert data["names"][data["run"]] == "rm3"
    assert f"rm3 {HIGHLIGHT}" not in text
