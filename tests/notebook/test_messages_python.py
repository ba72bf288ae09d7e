"""Errors and warnings name the arguments of Python in a notebook, and options on the command line."""

from __future__ import annotations

import ast
import inspect
import json
import pickle
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pandas as pd
import pytest
from conftest import ROOT, typed

import biasvar_cli as bv
from biasvar_cli.cli import biasvar as program
from biasvar_cli.errors import BiasVarError, DataError, DataErrors, MissingQrels, UsageError
from biasvar_cli.notebook.arguments import Reading
from biasvar_cli.notebook.results import Looks, Result
from biasvar_cli.words import argument, as_typed, either, in_python, option_name

PACKAGE = ROOT / "biasvar_cli"
SPELLING = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[qmfo])(?![\w-])")
TYPED = {"console", "cli.py", "command.py", "provenance.py", "settings.py", "words.py"}  # of the command line alone
OF_RESULTS = {"analyses", "tables"}  # whose text is the command line's, but for messages
OF_PROGRAMS = ("evaluate again with -q", "trec_eval -q", "biasvar scores -f json", " -m pip install")
WORDED = {"argument", "either", "setting", "Function", "TargetForm"}  # words of both, of help, and docstrings
TYPED_ALONE = re.compile(r"^typed$|_help$")  # functions whose words are those of the command line
SCORES_ALONE = "analyses/scores/table.py"  # formats of the command alone


@cache
def modules() -> tuple[tuple[str, ast.Module], ...]:
    """The modules that are not of the command line alone, parsed once."""
    names = [path.relative_to(PACKAGE) for path in sorted(PACKAGE.rglob("*.py"))]
    shared = [name for name in names if TYPED.isdisjoint(name.parts)]
    return tuple((str(name), ast.parse((PACKAGE / name).read_text("utf-8"))) for name in shared)


def spells(name: str) -> bool:
    """Whether an option stands anywhere in a module, be it in a comment."""
    return SPELLING.search((PACKAGE / name).read_text("utf-8")) is not None


def docstrings(tree: ast.AST) -> set[ast.AST]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def name_of(node: ast.AST) -> str:
    """The name of a function or a class; empty for anything else."""
    return str(getattr(node, "name", None) or "")


def called(node: ast.AST) -> str:
    """The name of the function that a call calls."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def spelled(tree: ast.AST, *, messages_alone: bool) -> Iterator[tuple[int, str]]:
    """The options in the text of a module that no `argument` and no `either` has made."""
    left_out = docstrings(tree)
    worded = {part for node in ast.walk(tree) if called(node) in WORDED for part in ast.walk(node)}
    typed = {part for node in ast.walk(tree) if TYPED_ALONE.search(name_of(node)) for part in ast.walk(node)}
    is_message: Callable[[ast.AST], bool] = lambda node: (  # noqa: E731
        isinstance(node, ast.Raise) or called(node).endswith("Error") or called(node) in ("warn", "notice", "full_name")
    )
    messages = {part for node in ast.walk(tree) if is_message(node) for part in ast.walk(node)}
    left_out |= worded | typed
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node in left_out:
            continue
        text = node.value
        for words in OF_PROGRAMS:
            text = text.replace(words, "")
        if SPELLING.search(text) and (node in messages or not messages_alone):
            yield node.lineno, node.value


def test_no_message_spells_an_option_that_is_worded_for_the_command_line_alone():
    found = {
        f"{name}:{line}: {text}"
        for name, tree in modules()
        if spells(name)
        for line, text in spelled(tree, messages_alone=not OF_RESULTS.isdisjoint(Path(name).parts))
        if name != SCORES_ALONE
    }
    assert found == set(), "word options with `words.argument`, which knows both spellings"


def functions() -> Iterator[Any]:
    for name in bv.__all__:
        value = getattr(bv, name)
        if callable(value) and not isinstance(value, type):
            yield inspect.unwrap(value)


def options_of(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)
    if isinstance(command, click.Group):
        for own in command.commands.values():
            yield from options_of(own)


def test_every_argument_in_a_message_is_one_of_python_and_an_option():
    known = set(Reading.__annotations__)
    known |= {name for function in functions() for name in inspect.signature(function).parameters}
    known |= set(inspect.signature(Result.to_latex).parameters) | set(Looks.__annotations__)
    of_figures = {"run", "width"}
    options = set(options_of(program))
    named = set()
    for _, tree in modules():
        for node in ast.walk(tree):
            if called(node) == "argument":
                assert isinstance(node, ast.Call)
                named |= {str(word.value).partition(" ")[0] for word in node.args if isinstance(word, ast.Constant)}
                named |= {keyword.arg for keyword in node.keywords if keyword.arg is not None}
    assert len(named) > 30
    assert named - known - of_figures == set()
    assert {option_name(name) for name in named} - options == set()


def test_an_error_of_ours_is_a_part_of_another_with_both_wordings():
    """``str(error)`` in another message would have the wording of Python alone."""
    ours = {BiasVarError.__name__, *(kind.__name__ for kind in subclasses(BiasVarError))}
    for name, tree in modules():
        for handler in (node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)):
            kinds = {getattr(kind, "id", "") for kind in ast.walk(handler.type)} if handler.type else set()
            if handler.name is None or not kinds & ours:
                continue
            for node in (part for line in handler.body for part in ast.walk(line)):
                value = node.value if isinstance(node, ast.FormattedValue) else None
                if called(node) == "str" and isinstance(node, ast.Call):
                    value = node.args[0]
                assert not (isinstance(value, ast.Name) and value.id == handler.name), f"{name}:{node.lineno}"


def subclasses(kind: type) -> Iterator[type]:
    for own in kind.__subclasses__():
        yield own
        yield from subclasses(own)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Runs, judgments and scores."""
    (tmp_path / "runs").mkdir()
    for name in ("a", "b"):
        (tmp_path / "runs" / name).write_text(f"q1 Q0 d1 1 2.5 {name}\nq2 Q0 d2 1 1.5 {name}\n")
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d2 1\nq3 0 d3 0\n")
    (tmp_path / "ap.csv").write_text("AP,a,b\nq1,0.25,0.5\nq2,0.5,0.25\nq3,0.25,0.75\n")
    (tmp_path / "wide.csv").write_text("qid,AP,RR,latency\nq1,0.25,0.5,3\nq2,0.5,0.25,4\n")
    (tmp_path / "high").write_text("q1 0 d1 7\nq2 0 d2 1\n")
    (tmp_path / "numbers.csv").write_text("A,B\n301,0.25\n302,0.5\n")
    (tmp_path / "notes -q.txt").write_text("neither a run nor scores\n")
    (tmp_path / "odd -q runs").mkdir()
    (tmp_path / "odd -q runs" / "--seed").write_text("q1 Q0 d1 1 2.5 x\n")
    monkeypatch.chdir(tmp_path)


JUDGED, KEPT, PERFECT = {"qrels": "qrels"}, {"keep_empty_topics": True}, {"target": "perfect", "measure": "AP"}
# a function, its arguments, and the message: [in Python|on the command line]
ERRORS: list[tuple[str, str, dict[str, Any], str]] = [
    ("tradeoff", "ap.csv", {"subset_size": 20}, "[subset_size=20|--subset-size 20] is more than there are: 3 queries"),
    ("decompose", "ap.csv", {"target": "ideal"}, "[target='ideal'|--target ideal] needs qrels[| (-q)] and a measure"),
    ("decompose", "ap.csv", KEPT, "[keep_empty_topics=True|--keep-empty-topics] needs [qrels|-q QRELS]"),
    ("decompose", "runs", {}, "[qrels: |]TREC runs need relevance judgments[|: add -q QRELS]"),
    ("decompose", "ap.csv", {"eps": 0.1}, "[eps|--eps]: needs [log|--log], floor or add"),
    ("decompose", "numbers.csv", {}, "ids or scores? Say which with [id_column=NAME|--id-column NAME]"),
    ("decompose", "ap.csv", {"topics": "qrels"}, "[topics='qrels'|--topics qrels] needs [qrels|-q QRELS]"),
    ("evaluate", "runs", {"qrels": "high", "measure": "ERR@20"}, "ERR@20 allows for; set [max_grade=7|--max-grade 7]"),
    ("evaluate", "runs", JUDGED | {"measure": "gmap"}, "AP: [measure='AP', log='floor'|-m AP --log floor]"),
    ("evaluate", "runs", JUDGED | {"max_size": 10}, "[max_size|--max-size], such as [max_size=|--max-size ]20"),
    ("evaluate", "runs", JUDGED | {"exclude": "*"}, "runs: [exclude|--exclude] leaves out every file of the directory"),
    ("evaluate", "runs", {"qrels": "runs/a"}, "runs/a:1: "),
    ("evaluate", "notes -q.txt", JUDGED, "notes -q.txt: neither a TREC run nor a file of scores"),
]
WARNINGS: list[tuple[str, str, dict[str, Any], str]] = [
    ("evaluate", "runs", JUDGED, "left out ([keep_empty_topics=True|--keep-empty-topics] keeps them): q3"),
    ("decompose", "ap.csv", PERFECT | {"glob": "x*"}, "[glob|--glob] 'x*' has no effect: it chooses files of"),
    ("evaluate", "odd -q runs", JUDGED | {"exclude": "--top"}, "[exclude|--exclude] '--top' leaves nothing out"),
]


def call_and_command(function: str, path: str, arguments: dict[str, Any]) -> tuple[Callable[[], Any], list[str]]:
    """A call in Python, and the same command."""
    given = arguments if function == "evaluate" else {**arguments, "null": False}
    words = [f"--{name.replace('_', '-')}={value}" for name, value in given.items() if not isinstance(value, bool)]
    words += typed({name: value for name, value in given.items() if isinstance(value, bool)})
    command = [{"evaluate": "scores"}.get(function, function), path, *words]
    return lambda: getattr(bv, function)(path, **given), command


def wordings(message: str) -> tuple[str, str]:
    """The message in Python, and as the command line has it."""
    in_a_call, in_a_command = (re.sub(r"\[([^|]*)\|([^]]*)\]", side, message) for side in (r"\1", r"\2"))
    return in_a_call, in_a_command


@pytest.mark.parametrize(("function", "path", "arguments", "message"), ERRORS, ids=lambda part: str(part))
@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
@pytest.mark.usefixtures("folder")
def test_an_error_names_what_was_called_or_typed(biasvar, function, path, arguments, message):
    (call, command), (in_notebook, on_the_command_line) = call_and_command(function, path, arguments), wordings(message)
    with pytest.raises(BiasVarError) as caught:
        call()
    error = caught.value
    assert in_notebook in str(error)
    assert error.args == (str(error),)
    assert on_the_command_line in error.typed
    assert not SPELLING.search(str(error).replace("notes -q.txt", "").replace("trec_eval -q", ""))
    assert error.__cause__ is None
    result = biasvar(*command)
    assert result.code == error.exit_code
    lines = [line for line in result.err.splitlines() if line.startswith("biasvar: error: ")]
    assert on_the_command_line in "\n".join(lines)


@pytest.mark.parametrize(("function", "path", "arguments", "message"), WARNINGS, ids=lambda part: str(part))
@pytest.mark.usefixtures("folder")
def test_a_warning_names_what_was_called_or_typed(biasvar, function, path, arguments, message):
    (call, command), (in_notebook, on_the_command_line) = call_and_command(function, path, arguments), wordings(message)
    with pytest.warns(bv.DataWarning) as caught:
        result = call()
    (found,) = [each for each in caught if in_notebook in str(each.message)]
    assert found.filename == __file__
    assert on_the_command_line in biasvar(*command).err
    if isinstance(result, Result):  # whose text is that of the command line
        document = json.loads(biasvar(*command, "-f", "json").out)
        assert result.to_dict()["warnings"] == document["warnings"]
        assert any(on_the_command_line in line for line in document["warnings"])
    assert "\ufdd0" not in repr(result) + str(getattr(result, "_repr_html_", str)())


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
@pytest.mark.usefixtures("folder")
def test_names_of_runs_and_paths_are_never_taken_for_options(biasvar):
    scores = pd.DataFrame({"--seed": [0.25, 0.5], "-q": [0.5, 0.75], "--top": [0.5, 0.25]}, index=["q1", "q2"])
    for baseline, near in (("--sed", "--seed"), ("-qq", "-q")):
        with pytest.raises(bv.BiasVarError) as caught:
            bv.decompose(scores, baseline=baseline, measure="AP", null=False)
        assert str(caught.value) == f"baseline={baseline!r}: there is no such run; did you mean {near}?"
        assert caught.value.typed == f"--baseline {baseline}: there is no such run; did you mean {near}?"
    with pytest.raises(bv.BiasVarError, match=r"^no -q folder/--seed: cannot be read: No such file"):
        bv.evaluate("no -q folder/--seed", "qrels")
    with pytest.warns(bv.DataWarning, match=r"scored 0: in --seed \(1 query\)"):
        bv.evaluate("odd -q runs", "qrels")
    checked = bv.check("odd -q runs", "qrels")
    assert checked.frame()["file"][1] == "odd -q runs/--seed"
    assert repr(checked) == biasvar("check", "odd -q runs", "-q", "qrels").out


@pytest.mark.usefixtures("folder")
def test_what_check_shows_is_the_text_of_the_command(biasvar):
    result = bv.check(["wide.csv", "numbers.csv", "notes -q.txt"])
    assert result._rendered("text", None, typed=True) == biasvar("check", "wide.csv", "numbers.csv", "notes -q.txt").out
    assert "--id-column NAME | none" in " ".join(repr(result).split())


@pytest.mark.parametrize(
    "error",
    [
        BiasVarError(f"lower {argument('jobs')}"),
        DataError(f"say {argument(orient='runs')}", path="a.csv", line=3),
        DataErrors([DataError(f"lower {argument('jobs')}"), DataError("empty", path="b")]),
        UsageError(f"needs {argument('log')}", option="eps"),
        MissingQrels(("a.txt",)),
    ],
    ids=lambda error: str(error),
)
def test_an_error_is_the_same_in_another_process(error):
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(copy) is type(error)
    assert (str(copy), copy.typed, copy.message) == (str(error), error.typed, error.message)
    for name in ("path", "line", "what", "option", "reason", "qrels"):
        assert getattr(copy, name, None) == getattr(error, name, None)
    assert [str(each) for each in getattr(copy, "errors", ())] == [str(each) for each in getattr(error, "errors", ())]


def test_a_part_that_has_marks_of_its_own_has_one_wording():
    mark = either("--x", "x")[0]
    name = f"run{mark}1"
    assert as_typed(argument(baseline=name)) == in_python(argument(baseline=name)) == f"--baseline {name}"
    assert in_python(f"{name}: {argument('jobs')}") == f"{name}: jobs"
