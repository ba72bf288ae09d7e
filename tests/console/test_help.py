"""The help: commands in the order of the work, options under headings, examples that work in the checkout."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from conftest import ROOT, SCORED, unix

from biasvar_cli.cli import biasvar as program
from biasvar_cli.console.help import WORDS, broken
from biasvar_cli.console.options import HeadedOption
from biasvar_cli.settings import HEADINGS

FIGURES = program.commands["plot"].commands
COMMANDS = {name: command for name, command in program.commands.items() if name != "plot"}
ALL = {**COMMANDS, **{f"plot {name}": figure for name, figure in FIGURES.items()}}
FEW = {name: command for name, command in ALL.items() if name in (*COMMANDS, "plot plane")}  # figures are made alike


def help_of(name: str, width: int = 110) -> str:
    command = ALL.get(name, program.commands.get(name, program))
    with program.make_context("biasvar", ["-h"], resilient_parsing=True) as parent:
        return command.get_help(click.Context(command, parent, name, terminal_width=width))


def sections(name: str) -> dict[str, list[str]]:
    """The options under each heading of a help, by their first long names, in their order."""
    found: dict[str, list[str]] = {}
    for line in help_of(name).splitlines():
        title = re.fullmatch(f"({'|'.join(HEADINGS)})(, explained by .*)?:", line)
        if title:
            options = found[title[1]] = []
        elif re.match("  -", line):  # an option with its help, or a line of names alone
            named = re.findall(r"--[a-z-]+", line)
            options += named if line.split() == named else named[:1]
    return found


@pytest.mark.parametrize("name", ALL)
def test_every_option_stands_under_its_heading_and_the_usual_ones_stand_first(name):
    found = sections(name)
    assert list(found) == [heading for heading in HEADINGS if heading in found]
    for option in ALL[name].params:
        if isinstance(option, click.Option):
            assert option.opts[-1] in found[option.heading], option.name
    usual = ["--qrels", "--measure", "--target", "--format", "--output"]
    common = [each for each in found["Common"] if each in usual]
    assert common == [each for each in usual if each in common]
    assert "--help" in found["Output"]


def test_decompose_has_the_five_usual_options_and_nothing_else_first():
    assert sections("decompose")["Common"] == ["--qrels", "--measure", "--target", "--format", "--output"]


@pytest.mark.parametrize("name", ALL)
def test_help_is_as_wide_as_the_terminal_and_names_no_type_and_no_other_help_than_the_long_one(name):
    for width in (80, 110):
        text = help_of(name, width)
        assert all(len(line) <= width or re.match(r"  biasvar |  -", line) for line in text.splitlines())
        assert not re.search(r"RANGE|INTEGER|FLOAT|[<≤]=?x|biasvar [a-z]+ -h\b", text)


def test_commands_are_listed_once_each_in_the_order_of_the_work():
    listed = re.findall(r"^  ([a-z]+) +[A-Z]", help_of("biasvar").partition("Look at the files:")[2], re.MULTILINE)
    assert listed == list(program.commands)
    assert listed.index("check") < listed.index("decompose") < listed.index("tracks") < listed.index("report")


def examples() -> list[str]:
    pages = [help_of(name, 200) for name in ("biasvar", "plot", *ALL)]
    return list(dict.fromkeys(re.findall(r"^  (biasvar .*)$", "\n".join(pages), re.MULTILINE)))


@unix
def test_the_examples_name_files_that_are_there_and_options_that_exist(tmp_path, monkeypatch):
    """Every example is parsed, in a folder with the sample track and with what earlier examples have written."""
    for name in ("sample_runs", "sample_models", "qrels", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    found = [shlex.split(line)[1:] for line in examples()]
    assert len(found) > 25
    for words in found:
        if "-o" in words:
            (tmp_path / words[words.index("-o") + 1]).touch()
    for words in (each for each in found if "-h" not in each):
        name = " ".join(words[: 2 if words[0] == "plot" else 1])
        with ALL[name].make_context(name, words[len(name.split()) :]) as context:
            assert context.args == []


@pytest.mark.parametrize("command", [*SCORED, "scores", "check"])
def test_the_help_says_what_inputs_are_and_speaks_of_no_target_where_there_is_none(biasvar, command):
    text = " ".join(biasvar(command, "--help").out.split())
    assert "INPUTS are " in text
    assert "such as mean,total" not in text
    if command == "check":
        assert "target" not in text


GROUPS = ("biasvar", "plot")


def short(biasvar, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result = biasvar(*(name.split() if name != "biasvar" else ()), "-h")
    assert (result.code, result.err) == (0, "")
    return result.out.splitlines()


@pytest.mark.parametrize("name", [*GROUPS, *ALL])
def test_the_short_help_is_at_most_a_screen_with_two_examples_and_the_way_to_the_long_one(biasvar, monkeypatch, name):
    lines = short(biasvar, name, monkeypatch)
    listed = {"plot": FIGURES, "biasvar": program.commands}.get(name, ())
    assert len(lines) <= max(25, 10 + len(listed))
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Usage: biasvar ")
    assert sum(line.startswith("  biasvar ") for line in lines) == (1 if name == "biasvar" else 2)
    assert "--help" in lines[-1]


@pytest.mark.parametrize("name", ALL)
def test_the_short_help_has_the_common_options_and_those_with_a_brief(biasvar, monkeypatch, name):
    lines = short(biasvar, name, monkeypatch)
    listed = [re.findall(r"--[a-z-]+", line)[0] for line in lines if re.match("  -", line)]
    options = [each for each in ALL[name].params if isinstance(each, HeadedOption)]
    assert {each.opts[-1] for each in options if each.heading == "Common"} <= set(listed)
    assert sorted(listed) == sorted(each.opts[-1] for each in options if each.brief)


def test_the_short_help_in_full(biasvar, monkeypatch):
    assert short(biasvar, "check", monkeypatch) == [
        "Usage: biasvar check [OPTIONS] INPUTS...",
        "",
        "  Read every file and say what is wrong or odd in them, without computing a",
        "  measure.",
        "",
        "  biasvar check sample_runs -q qrels/npl.qrels.txt",
        "  biasvar check sample_runs -q qrels/npl.qrels.txt --files --strict",
        "",
        "Options:",
        "  -q, --qrels FILE     Relevance judgments; runs need them.",
        "  -f, --format FORMAT  csv, json, latex, markdown, parquet, text or tsv.",
        "  -o, --output FILE    Write to FILE, not to standard output.",
        "  --files              List every file instead of a summary.",
        "  --sort COLUMN        Order of the rows; -COLUMN: largest first.",
        "  --top N              Show the first N rows only.",
        "",
        "All options: biasvar check --help",
    ]


def test_the_short_help_of_a_group_lists_its_commands(biasvar, monkeypatch):
    for name, group in (("biasvar", program), ("plot", program.commands["plot"])):
        lines = [line.split()[0] for line in short(biasvar, name, monkeypatch) if re.match("  [a-z]+ {2}", line)]
        assert lines == list(group.commands)
    nothing = biasvar()
    assert (nothing.code, nothing.out, nothing.err) == (2, "", biasvar("-h").out)


def test_words_are_explained(biasvar):
    printed = biasvar("--words").out
    names = [line.partition("  ")[0] for line in printed.splitlines() if not line.startswith(" ")]
    assert names == list(WORDS)
    assert {"virtual target", "gap form", "normalised", "u_risk_1", "bias_loro", "least_p", "signature"} <= {*names}


def test_the_examples_of_the_short_help_can_be_pasted():
    assert broken("biasvar check runs -q qrels --files", 28) == ["biasvar check runs \\", "    -q qrels --files"]
    for line in examples():
        assert shlex.split("\n".join(broken(line, 40)).replace("\\\n", "")) == shlex.split(line)
