"""Words that the whole program shares: the names of what is computed, and nouns with their numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

VERSION = "0.1.0"  # of the program, of which setuptools makes that of the package

Form = Literal["score", "gap"]
Coefficient = Literal["pearson", "spearman", "kendall"]
DifficultyKey = Literal["best", "mean"]  # of the scores of a query over the runs
LogForm = Literal["floor", "add"]  # of a score and a small constant
IntervalMethod = Literal["auto", "percentile"]  # the most reliable way for each quantity, or percentiles
Redrawn = Literal["runs", "teams", "both"]  # for an interval of a correlation, beside or instead of queries
SamplingKind = Literal["single", "random", "random-exact", "difficulty", "groups"]
NameBy = Literal["file", "path", "tag"]  # what runs are called by
Orient = Literal["queries", "runs"]  # what the rows of a score matrix are
TiePrecision = Literal["single", "double"]  # of the floats in which retrieval scores are compared

FORMS: tuple[Form, ...] = get_args(Form)
COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
SAMPLING_KINDS: tuple[SamplingKind, ...] = get_args(SamplingKind)
ERRORS = ("bias", "bias2", "var", "total", "var_gap", "total_gap")  # of a run, in the order of columns and keys
QUANTITIES = ("mean", *ERRORS)
RANKED = tuple(name for name in ERRORS if name != "bias2")  # by which runs are ranked on halves of the queries
VAR: dict[Form, str] = {"score": "var", "gap": "var_gap"}  # the variance of each form, by the name of its column
TOTAL: dict[Form, str] = {"score": "total", "gap": "total_gap"}
NEARLY_EQUAL = "have nearly the same"  # what a notice says of runs that only scores tell of
TOPICS = ("qrels", "intersection", "union")  # words of --topics; any other is the path of a list
VAR_TITLES: dict[Form, str] = {"score": "variance", "gap": "variance of the gap"}  # in figures
COEFFICIENT_TITLES: dict[str, str] = {
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "kendall": "Kendall’s τ",
}


def counted(number: int, noun: str) -> str:
    """A number and its noun: ``1 run``, ``2 runs``.

    >>> counted(1, "run"), counted(2, "run"), counted(0, "query")
    ('1 run', '2 runs', '0 queries')
    """
    return f"{number} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of a regular noun: ``queries``, ``runs``.

    >>> plural("query"), plural("run")
    ('queries', 'runs')
    """
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def enumerated(choices: Iterable[str], conjunction: str = "or") -> str:
    """Choices for a sentence, of which one is expected, or with the conjunction ``and`` all are meant.

    >>> enumerated(["best", "perfect", "ideal"]), enumerated(["csv", "tsv"], "and"), enumerated(["runs"])
    ('best, perfect or ideal', 'csv and tsv', 'runs')
    """
    *others, last = choices
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def examples(names: Sequence[str], most: int = 3) -> str:
    """The first of some names, each cut if it is long.

    >>> examples(["301", "302", "303", "304"])
    '301, 302, 303, ...'
    """
    shown = [name if len(name) <= 200 else f"{name[:197]}..." for name in names[:most]]
    return ", ".join(shown) + (", ..." if len(names) > most else "")


_MARKS = "\ufdd0\ufdd1\ufdd2"  # noncharacters of Unicode, which no text interchanges


def argument(*names: str, **values: object) -> str:
    """Arguments in a message, worded for both who typed options and who called a function (`either`).

    ``names`` are arguments as Python has them, each maybe with a blank and what stands for its value on the command
    line; ``values`` are arguments with their values.

    >>> message = f"{argument(subset_size=20)} is too large; {argument('qrels QRELS')} or {argument(recursive=True)}"
    >>> in_python(message)
    'subset_size=20 is too large; qrels or recursive=True'
    >>> as_typed(message)
    '--subset-size 20 is too large; -q QRELS or --recursive'
    >>> in_python(argument("orient queries | runs"))
    "orient='queries' or 'runs'"
    """
    given = [(name, blank + placeholder) for name, blank, placeholder in (each.partition(" ") for each in names)]
    given += [(name, "" if value is True else f" {value}") for name, value in values.items()]
    typed = " ".join(f"{option_name(name)}{value}" for name, value in given)
    called = [*map(_without_value, names), *(f"{name}={value!r}" for name, value in values.items())]
    return either(typed, ", ".join(called))


def _without_value(name: str) -> str:
    """An argument as Python has it, with its choices where these stand behind it: ``orient queries | runs``."""
    own, _, placeholder = name.partition(" ")
    choices = placeholder.split(" | ")
    if len(choices) == 1:
        return own
    return f"{own}={enumerated(choice if choice.isupper() else repr(choice) for choice in choices)}"


def option_name(name: str) -> str:
    """The option of an argument, as messages write it.

    >>> option_name("subset_size"), option_name("qrels")
    ('--subset-size', '-q')
    """
    return _SHORT.get(name, f"--{name.replace('_', '-')}")


def either(typed: str, called: str) -> str:
    """Two wordings of a part of a message: for the command line, and for Python.

    The message is text that can be a part of another one, until `as_typed` or `in_python` chooses. So nothing else in
    it, such as the name of a run, is ever taken for an option.
    """
    if any(mark in typed + called for mark in _MARKS):
        return typed
    return f"{_MARKS[0]}{typed}{_MARKS[1]}{called}{_MARKS[2]}"


def as_typed(message: str) -> str:
    """A message in the wording of the command line."""
    return _chosen(message, 1)


def in_python(message: str) -> str:
    """A message in the wording of Python."""
    return _chosen(message, 2)


def _chosen(message: str, group: int) -> str:
    if _MARKS[0] not in message:
        return message
    import re

    start, middle, end = tuple(_MARKS)
    return re.sub(f"{start}([^{_MARKS}]*){middle}([^{_MARKS}]*){end}", rf"\{group}", message)


_SHORT = {"qrels": "-q", "measure": "-m"}  # options that messages call by their short names


def near_names(name: str, names: Iterable[str]) -> list[str]:
    """At most three names that are spelled much like one, the nearest first.

    >>> near_names("bm52", ["bm25", "ql"])
    ['bm25']
    """
    import difflib

    return difflib.get_close_matches(name, list(names), n=3)
