"""Words that all modules share: the names of what is computed, and nouns with their numbers."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, NamedTuple, get_args

VERSION = "1.0.0"  # of the program; setuptools reads it for the package
ON_WINDOWS = os.name == "nt"

Form = Literal["score", "gap"]
Better = Literal["more", "less"]  # which scores of a measure are the better ones
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
NEARLY_EQUAL = "have nearly the same"  # in a notice that needs scores, where others need files alone
RUN_SUFFIXES = (".run", ".txt", ".res")  # of names of runs, which people are not shown
TOPICS = ("qrels", "intersection", "union")  # words of --topics; any other is the path of a list
VAR_TITLES: dict[Form, str] = {"score": "variance", "gap": "variance of the gap"}  # in figures
COEFFICIENT_TITLES: dict[str, str] = {
    "pearson": "Pearson’s r",
    "spearman": "Spearman’s ρ",
    "kendall": "Kendall’s τ",
}


def printable(text: str, keep: str = "") -> str:
    r"""Text without characters that move a cursor: they are shown as escapes, but for those to ``keep``.

    >>> print(printable("bm25\x1b[2J\n"))
    bm25\x1b[2J\n
    """
    text = f"{text}"  # of a run the name for people
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in keep else repr(char)[1:-1] for char in text)


class RunName(str):
    """The name of a run in its files, and the one that people are shown: f-strings have the latter, `!s` the former.

    It equals, sorts and hashes as the name in the files, which csv and JSON have: no number depends on the ``label``
    that people are shown, which is printable. ``renamed`` says that a user chose the label (`--names`). ``highlighted``
    is the place of the run among those that `--highlight` names, from 1, and 0 for a run that it does not name.

    >>> name = RunName("bm25.run", "BM25", renamed=True)
    >>> f"{name} is best", f"run:{name!s}", name == "bm25.run"
    ('BM25 is best', 'run:bm25.run', True)
    """

    label: str
    renamed: bool
    highlighted: int

    def __new__(cls, name: str, label: str = "", *, renamed: bool = False, highlighted: int = 0) -> RunName:
        run = super().__new__(cls, name)
        run.label, run.renamed, run.highlighted = printable(label or str(name)), renamed, highlighted
        return run

    def __format__(self, form: str) -> str:
        return format(self.label, form)


def is_highlighted(name: object) -> bool:
    """Whether the name is that of a run to be marked.

    >>> is_highlighted(RunName("bm25", highlighted=True)), is_highlighted("bm25")
    (True, False)
    """
    return isinstance(name, RunName) and name.highlighted > 0


class Nouns(NamedTuple):
    """What sentences call the columns and the rows of a score matrix: a query and a run, in the singular."""

    query: str = "query"
    run: str = "run"

    def noun(self, usual: str) -> str:
        """The noun in place of a usual one, such as that of ``query``; another noun is itself.

        >>> Nouns("collection").noun("query"), Nouns("collection").noun("run"), Nouns("collection").noun("track")
        ('collection', 'run', 'track')
        """
        return self.query if usual == "query" else self.run if usual == "run" else usual


USUAL_NOUNS = Nouns()
_nouns: ContextVar[Nouns] = ContextVar("_nouns", default=USUAL_NOUNS)


@contextmanager
def worded(nouns: Nouns) -> Iterator[None]:
    """Call queries and runs by these nouns in the sentences that are made meanwhile.

    >>> with worded(Nouns("collection", "system")):
    ...     f"{counted(2, 'run')} on {counted(29, 'query')}"
    '2 systems on 29 collections'
    """
    token = _nouns.set(nouns)
    try:
        yield
    finally:
        _nouns.reset(token)


def use_nouns(nouns: Nouns) -> None:
    """Call queries and runs by these nouns from now on, to the end of the `worded` around it."""
    _nouns.set(nouns)


def nouns_in_use() -> Nouns:
    """The nouns of the sentences that are made now (`worded`)."""
    return _nouns.get()


class Word:
    """The noun in use for a query or a run, in a sentence that is made now.

    Its format has ``a`` or ``A`` for the noun with its article, and ``title`` for a capital letter.

    >>> f"{QUERY:a} of all {QUERIES}; {RUNS:title}"
    'a query of all queries; Runs'
    >>> with worded(Nouns("assessor")):
    ...     f"{QUERY:A}, {QUERIES}"
    'An assessor, assessors'
    """

    def __init__(self, usual: str, *, plural: bool = False) -> None:
        self._usual, self._is_plural = usual, plural

    def __str__(self) -> str:
        return plural(self._usual) if self._is_plural else _nouns.get().noun(self._usual)

    def __format__(self, form: str) -> str:
        noun = str(self)
        if form == "title":
            return noun[:1].upper() + noun[1:]
        begins_with_vowel = noun[:1].lower() in tuple("aeiou")
        is_spoken_with_consonant = noun.lower().startswith(("eu", "one", "uni", "us"))
        article = f"{form}n" if begins_with_vowel and not is_spoken_with_consonant else form
        return f"{article} {noun}" if form else noun


QUERY, QUERIES = Word("query"), Word("query", plural=True)
RUN, RUNS = Word("run"), Word("run", plural=True)
NOUNS = {"query": QUERY, "queries": QUERIES, "run": RUN, "runs": RUNS}


def counted(number: int, noun: str, nouns: Nouns | None = None) -> str:
    """A number and its noun; a query and a run have the ``nouns``, by default those in use (`worded`).

    >>> counted(1, "run"), counted(2, "run"), counted(0, "query")
    ('1 run', '2 runs', '0 queries')
    >>> with worded(Nouns(run="system")):
    ...     f"{counted(2, 'run')} of {counted(6, 'run', USUAL_NOUNS)}"
    '2 systems of 6 runs'
    """
    return f"{number} {(nouns or _nouns.get()).noun(noun) if number == 1 else plural(noun, nouns)}"


def counted_queries(n_queries: int, n_clusters: int | None) -> str:
    """How many queries there are, and in how many clusters they are; None where they are independent.

    >>> counted_queries(29, 18), counted_queries(1, None)
    ('29 queries in 18 clusters', '1 query')
    """
    queries = counted(n_queries, "query")
    return queries if n_clusters is None else f"{queries} in {counted(n_clusters, 'cluster')}"


def plural(noun: str, nouns: Nouns | None = None) -> str:
    """The plural of a regular noun; a query and a run have the ``nouns``, by default those in use (`worded`).

    >>> plural("query"), plural("run"), plural("day"), plural("class"), plural("search")
    ('queries', 'runs', 'days', 'classes', 'searches')
    """
    noun = (nouns or _nouns.get()).noun(noun)
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def in_nouns(text: str, *, runs: bool = True) -> str:
    """A constant sentence with the nouns in use for query, queries, run and runs, which holds no name (`worded`).

    Names of columns and of options, in backquotes, after hyphens and with underscores, stay. Without ``runs`` run and
    runs stay too, in sentences on the runs that a system is made of.

    >>> sentence = "Runs on a query: `run`, --table runs, n_queries, over single queries."
    >>> in_nouns(sentence) == sentence
    True
    >>> with worded(Nouns("assessor", "system")):
    ...     in_nouns(sentence)
    'Systems on an assessor: `run`, --table runs, n_queries, over single assessors.'
    """
    nouns = _nouns.get()
    if nouns == USUAL_NOUNS:
        return text

    def noun(match: re.Match[str]) -> str:
        article, usual = match["article"], match["noun"]
        if usual is None or (not runs and usual.lower() in ("run", "runs")):
            return match[0]
        word = NOUNS[usual.lower()]
        return f"{word:{article[0]}}" if article else f"{word:title}" if usual[0].isupper() else str(word)

    code = r"`[^`]*`|--[\w-]+ (?:queries|runs|query|run)\b"
    return re.sub(
        rf"{code}|(?<![\w-])(?P<article>[Aa]n? )?(?P<noun>[Qq]uer(?:y|ies)|[Rr]uns?)(?![\w=-]|:\w)", noun, text
    )


def all_of(number: int) -> str:
    """All of a number of things.

    >>> all_of(2), all_of(3)
    ('both', 'all 3')
    """
    return "both" if number == 2 else f"all {number}"


def verb(number: int, one: str, many: str) -> str:
    """The form of a verb, or of a pronoun, for a number of things.

    >>> verb(1, "is", "are"), verb(2, "it", "them"), verb(0, "does", "do")
    ('is', 'them', 'do')
    """
    return one if number == 1 else many


def listed(names: Iterable[str], most: int | None = 8, conjunction: Literal["and", "or"] = "and") -> str:
    """Names for a sentence, the first ones if they are more than ``most``; None lists all.

    >>> listed(["A", "B"]), listed(["A", "B", "C"], most=2)
    ('A and B', 'A, B and 1 more')
    >>> listed(["best", "perfect", "ideal"], None, "or")
    'best, perfect or ideal'
    """
    names = list(map(format, names))
    if most is not None and len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return f" {conjunction} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)


def examples(names: Sequence[str], most: int = 3) -> str:
    """The first of some names as an error message has them, each cut if it is long (`listed`, for sentences).

    >>> examples(["301", "302", "303", "304"])
    '301, 302, 303, ...'
    """
    first = [name if len(name) <= 200 else f"{name[:197]}..." for name in map(format, names[:most])]
    return ", ".join(first) + (", ..." if len(names) > most else "")


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
    typed, called = [], []
    for text in names:
        name, blank, placeholder = text.partition(" ")
        choices = placeholder.split(" | ")
        written = (choice if choice.isupper() else repr(choice) for choice in choices)
        typed.append(f"{option_name(name)}{blank}{placeholder}")
        called.append(name if len(choices) == 1 else f"{name}={listed(written, None, 'or')}")
    for name, value in values.items():
        typed.append(option_name(name) if value is True else f"{option_name(name)} {value}")
        called.append(f"{name}={value!r}")
    return either(" ".join(typed), ", ".join(called))


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


def printable_message(message: str) -> str:
    """A message in which the names are `printable`, still with both wordings of its arguments (`either`)."""
    return printable(message, _MARKS)


def as_typed(message: str) -> str:
    """A message in the wording of the command line."""
    return _chosen(message, 1)


def in_python(message: str) -> str:
    """A message in the wording of Python."""
    return _chosen(message, 2)


def _chosen(message: str, group: int) -> str:
    if _MARKS[0] not in message:
        return message
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


def shell_word(text: str) -> str:
    """A word as a shell of this system takes it: on Windows in double quotes, which both cmd and PowerShell have.

    >>> shell_word("bm25"), shell_word("my notes.txt")[1:-1]
    ('bm25', 'my notes.txt')
    """
    if not ON_WINDOWS:
        return shlex.quote(text)
    return text if re.fullmatch(r"[\w@%+=:,./\\-]+", text, re.ASCII) else f'"{text}"'
