"""Errors and warnings that a user can act on, and what is odd in a file."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple, Self

from biasvar_cli import words
from biasvar_cli.words import RUN_SUFFIXES, argument, counted, examples, in_python, near_names, nouns_in_use, plural


class BiasVarError(Exception):
    """An error that the user can correct. ``str()`` of it is the whole message: place, value, remedy.

    It names arguments as Python does, and ``typed`` as the command line does; ``message`` has both wordings.
    ``exit_code`` is what the command line ends with: 1 for data, 2 for usage.

    >>> error = BiasVarError(f"{argument('subset_size')} is too large")
    >>> str(error), error.typed
    ('subset_size is too large', '--subset-size is too large')
    """

    exit_code = 1

    def __init__(self, message: str) -> None:
        self.message = self._message(message)
        super().__init__(in_python(self.message))

    @staticmethod
    def _message(message: str) -> str:
        """A message whose names cannot move the cursor of whoever reads it."""
        return words.printable_message(message)

    @property
    def typed(self) -> str:
        """The message for who typed the command."""
        return words.as_typed(self.message)


class DataError(BiasVarError):
    """What is in a file is wrong: ``path:line: what is wrong, what was found, what to do``.

    ``path`` and ``line`` are the place, None where it is not known, and ``what`` is the rest of the message.

    >>> print(DataError("expected 6 columns, found 5", path="runs/bm25.gz", line=17))
    runs/bm25.gz:17: expected 6 columns, found 5
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        self.what, self.path, self.line = in_python(message), path, line
        self._said = message
        position = "" if path is None else path if line is None else f"{path}:{line}"
        super().__init__(f"{position}: {message}" if position else message)

    @classmethod
    def of(cls, error: DataError, remedy: str = "") -> Self:
        """An error of this class about the place of another one, with its words and a further ``remedy``.

        >>> NotInput.of(DataError("no number", path="ap.csv", line=2), "; write one").message
        'ap.csv:2: no number; write one'
        """
        return cls(f"{error._said}{remedy}", path=error.path, line=error.line)


class NotInput(DataError):
    """A file is of no kind that is read as one of the INPUTS."""


class NotText(NotInput):
    """A file is no text at all, so neither a run nor scores."""


class Unreadable(DataError):
    """A file cannot be read by the machine that tries."""


class DataErrors(BiasVarError):
    """Several files are wrong: the first error of each, one a line; many files with one fault share a line."""

    def __init__(self, errors: list[DataError]) -> None:
        self.errors = errors
        super().__init__("\n".join(grouped([(error.path or "", error.message) for error in errors])))

    @staticmethod
    def _message(message: str) -> str:
        return message  # of lines that have been errors

    def __reduce__(self) -> tuple[type[DataErrors], tuple[list[DataError]]]:
        return type(self), (self.errors,)


def grouped(faults: Sequence[tuple[str, str]]) -> list[str]:
    """The lines of faults by file, more than three that differ in the file and in numbers alone as one line.

    >>> grouped([(name, f"{name}:{line}: no topic") for line, name in enumerate(("a", "b", "c", "d", "e"), 1)])
    ['a:1: no topic (and 4 more files with this fault: b, c, d, ...)']
    """
    kinds: dict[str, list[tuple[str, str]]] = {}
    for path, line in faults:
        named = "|".join(re.escape(name) for name in (path, Path(path).name))
        kind = re.sub(rf"(?<!\w)({named})(?!\w)|\d+", "#", line) if path else line
        kinds.setdefault(kind, []).append((path, line))
    lines = []
    for files in kinds.values():
        if len(files) <= _EXAMPLES or not files[0][0]:
            lines += [line for _, line in files]
            continue
        names = examples([Path(path).name for path, _ in files[1:]])
        lines.append(f"{files[0][1]} (and {counted(len(files) - 1, 'more file')} with this fault: {names})")
    return lines


def raise_all(errors: Sequence[DataError]) -> None:
    """Raise the only one of some errors, several as `DataErrors`; nothing where there is none.

    >>> raise_all([DataError("no topic", path=name) for name in ("a.run", "b.run")])
    Traceback (most recent call last):
    biasvar_cli.errors.DataErrors: a.run: no topic
    b.run: no topic
    """
    if errors:
        raise errors[0] if len(errors) == 1 else DataErrors(list(errors))


class UsageError(BiasVarError):
    """Wrong usage: the arguments contradict each other or cannot be understood.

    ``option`` is the argument that is wrong, by its name in Python, and ``reason`` the rest of the message. With None
    the message names what it is about.

    >>> error = UsageError(f"needs {argument('log')}, floor or add", option="eps")
    >>> str(error), error.typed
    ('eps: needs log, floor or add', '--eps: needs --log, floor or add')
    """

    exit_code = 2

    def __init__(self, reason: str, *, option: str | None = None) -> None:
        self.reason, self.option = in_python(reason), option
        if option is not None:
            typed = option.replace("_", "-")
            reason = f"{words.either(f'--{typed}', option)}: {reason}"
        super().__init__(reason)

    @staticmethod
    def _message(message: str) -> str:
        """A message as any other; several faults of one argument have a line each."""
        return "\n".join(map(words.printable_message, message.split("\n")))


class MissingQrels(UsageError):
    """Runs are to be scored without relevance judgments. ``qrels`` are the inputs that are shaped like them.

    >>> str(MissingQrels(("a.txt", "b.txt")))
    'qrels: TREC runs need relevance judgments; a.txt, b.txt are shaped like qrels'
    >>> MissingQrels().typed
    'TREC runs need relevance judgments: add -q QRELS'
    """

    def __init__(self, qrels: Sequence[str] = ()) -> None:
        shaped = f"; {examples(qrels)} {words.verb(len(qrels), 'is', 'are')} shaped like qrels" if qrels else ""
        super().__init__(f"TREC runs need relevance judgments{shaped}", option="qrels")
        self.qrels = tuple(qrels)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.qrels,)

    @property
    def typed(self) -> str:
        """The message for who typed the command; where one file is shaped like qrels, the command follows it."""
        remedy = ": add -q QRELS" if not self.qrels else "; choose one with -q"
        return f"{self.reason}{', so give it with -q:' if len(self.qrels) == 1 else remedy}"


def needs_extra(what: str, extra: str, otherwise: str = "", *, package: str = "another package") -> UsageError:
    """The error of something that needs a ``package`` of an extra, with the command that installs the extra here.

    In a checkout that command installs the checkout with the extra; elsewhere it installs the packages of the extra.

    >>> print(str(needs_extra("plot", "plot", "; .json does without")).partition(":")[0])
    plot needs another package
    """
    from importlib import metadata

    root, python = Path(__file__).resolve().parents[1], sys.executable
    if not (root / "pyproject.toml").is_file():
        declared: list[str] = []
        with suppress(metadata.PackageNotFoundError):
            declared = metadata.requires("biasvar-cli") or []
        parts = (requirement.partition(";") for requirement in declared)
        packages = [name.strip() for name, _, condition in parts if re.search(rf"extra *== *.{extra}\b", condition)]
        wanted = " ".join(map(words.shell_word, packages or [f"biasvar-cli[{extra}]"]))
    elif Path.cwd() == root:
        wanted, python = f"-e {words.shell_word(f'.[{extra}]')}", python.removeprefix(f"{root}/")
    else:
        wanted = f"-e {words.shell_word(f'{root}[{extra}]')}"
    return UsageError(f"{what} needs {package}: {words.shell_word(python)} -m pip install {wanted}{otherwise}")


class _Worded(UserWarning):
    """A warning that names arguments as Python does, and in ``typed`` as the command line does; it is printable."""

    def __init__(self, message: str) -> None:
        message = words.printable_message(message)
        self.typed = words.as_typed(message)
        super().__init__(in_python(message))


class DataWarning(_Worded):
    """Worth saying, no reason to stop."""


class DataNotice(_Worded):
    """Usual in real tracks, such as tied scores, and changes no reading: counted, and never an error.

    Python shows none unless a filter asks for it.
    """


warnings.simplefilter("ignore", DataNotice, append=True)


class Messages(NamedTuple):
    """Messages that were kept instead of issued, with both wordings (`words.either`)."""

    warnings: list[str]
    notices: list[str]

    @classmethod
    def none(cls) -> Messages:
        """No message yet."""
        return cls([], [])


_messages: ContextVar[Messages | None] = ContextVar("_messages", default=None)


def warn(message: str) -> None:
    """Issue one `DataWarning`, of the code that calls, unless the warnings are kept (`keep_warnings`)."""
    messages = _messages.get()
    if messages is None:
        warnings.warn(DataWarning(message), stacklevel=3)
    else:
        messages.warnings.append(words.printable_message(message))


def notice(message: str) -> None:
    """Issue one `DataNotice`, of the code that calls, unless they are kept (`keep_warnings`)."""
    messages = _messages.get()
    if messages is None:
        warnings.warn(DataNotice(message), stacklevel=3)
    else:
        messages.notices.append(words.printable_message(message))


@contextmanager
def keep_warnings() -> Iterator[Messages]:
    """Keep the warnings and notices of this thread instead of issuing them, for several pieces of work at once.

    >>> with keep_warnings() as messages:
    ...     warn("two topics are missing")
    ...     notice("1 run has tied scores")
    >>> messages
    Messages(warnings=['two topics are missing'], notices=['1 run has tied scores'])
    """
    messages = Messages.none()
    token = _messages.set(messages)
    try:
        yield messages
    finally:
        _messages.reset(token)


_NO_ROOM = "failed to map segment"  # of a library that is loaded
_NO_THREAD = ("can't start new thread", "Failed to launch worker thread")  # as Python and Arrow say it


def exhausted(error: BaseException) -> str | None:
    """What the machine has too little of, and the remedy, where that is what an exception says; None otherwise.

    >>> exhausted(RecursionError()), exhausted(KeyError("mean"))
    ('it is nested too deeply; write it flat', None)
    """
    if isinstance(error, MemoryError) or (isinstance(error, ImportError) and _NO_ROOM in str(error)):
        return "there is not enough memory; free some, or give fewer or smaller files"
    if isinstance(error, RecursionError):
        return "it is nested too deeply; write it flat"
    if any(cause in str(error) for cause in _NO_THREAD):
        return f"no thread could be started; free memory, or lower {argument('jobs')}"
    return None


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Name the file that is being read where the machine has not enough memory or threads for it.

    Raises `DataError` in place of what `exhausted` knows.

    >>> with reading("runs/bm25.gz"):
    ...     raise MemoryError
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: runs/bm25.gz: there is not enough memory; free some, or give fewer or smaller files
    """
    try:
        yield
    except Exception as error:
        lack = exhausted(error)
        if lack is None:
            raise
        raise DataError(lack, path=path) from None


def full_name(option: str, name: str, runs: Sequence[str], noun: str = "run", *, words: Sequence[str] = ()) -> str:
    """The run that is meant by a name that was typed: the run of that name, or the only one that begins so.

    The name is the one in the files, with a suffix such as ``.run`` or without it, or the one that people are shown. A
    run whose name goes on with a suffix comes before others that begin so. ``words`` are what the option takes besides.
    Raises `DataError` that begins with the ``option``: where several begin so it lists them, where none does it has the
    nearest names, or else the first ones.

    >>> runs = ["ql-a-filtered.run", "ql-a.run", "ql-b.run", "rm.run"]
    >>> full_name("the baseline", "ql-a", runs), full_name("the baseline", "r", runs)
    ('ql-a.run', 'rm.run')
    >>> full_name("the baseline", "ql-a-", runs)
    'ql-a-filtered.run'
    >>> full_name("the baseline", "bm25.run", ["bm25", "ql"])
    'bm25'
    >>> full_name("the baseline", "ql", runs[1:])
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: the baseline: 2 runs begin with that: ql-a.run, ql-b.run; which one is meant?
    >>> full_name(argument(baseline="meen"), "meen", ["bm25", "ql"], words=("mean", "top"))
    Traceback (most recent call last):
    biasvar_cli.errors.DataError: baseline='meen': there is no such run; did you mean mean?
    """
    named = [run for run in runs if run == name] or [run for run in runs if f"{run}" == name]
    beginning = [run for run in runs if run.startswith(name) or f"{run}".startswith(name)]
    but_for_suffix = [run for run in beginning if _SUFFIX.fullmatch(run, len(name))]
    with_suffix = [run for run in runs if name in {f"{run}{suffix}" for suffix in RUN_SUFFIXES}]
    for meant in (named, but_for_suffix, beginning or with_suffix):
        if len(meant) == 1:
            return meant[0]
    if not beginning:
        near = near_names(name, [*words, *runs])
        hint = f"did you mean {' or '.join(near)}?" if near else f"the {plural(noun)} are {examples(runs, 5)}"
        raise DataError(f"{option}: there is no such {nouns_in_use().noun(noun)}; {hint}")
    listed = examples(beginning, _MOST_LISTED)
    raise DataError(f"{option}: {counted(len(beginning), noun)} begin with that: {listed}; which one is meant?")


_EXAMPLES, _MOST_LISTED = 3, 20
_SUFFIX = re.compile(r"\.[A-Za-z]\w*")


class Oddity(NamedTuple):
    """One kind of oddity in one run or file: ``what`` is the kind in words, ``number`` of ``unit`` have it.

    ``unit`` is a noun in the singular. A number of 0 stands for an oddity that is not counted; ``unit`` then says more.
    ``holder`` is what ``where`` is: a run or a file. ``notice`` is what a run with it has, in words, where that is
    usual and changes no reading; empty for what is to be warned of.
    """

    what: str
    where: str
    number: int
    unit: str
    holder: str = "run"
    notice: str = ""

    @property
    def extent(self) -> str:
        """The number with its unit, or the unit alone: ``2 topics``."""
        return counted(self.number, self.unit) if self.number else self.unit


def warn_oddities(oddities: Iterable[Oddity]) -> None:
    """Issue one `DataWarning` per kind, with the number of runs or files and the first examples by name.

    What is a notice becomes one `DataNotice` per kind, which counts the runs; ``biasvar check`` names them.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as reported:
    ...     warnings.simplefilter("always")
    ...     warn_oddities([Oddity("no results, scored 0", run, 2, "topic") for run in ("b", "a")])
    >>> print(reported[0].message)
    no results, scored 0: in 2 runs: a (2 topics), b (2 topics)
    """
    kinds: dict[str, list[Oddity]] = {}
    for oddity in oddities:
        kinds.setdefault(oddity.what, []).append(oddity)
    for what, group in kinds.items():
        if group[0].notice:
            n_runs = len({oddity.where for oddity in group})
            notice(f"{counted(n_runs, group[0].holder)} {words.verb(n_runs, 'has', 'have')} {group[0].notice}")
            continue
        group.sort(key=lambda oddity: (oddity.where, oddity.number))
        names = ", ".join(f"{odd.where} ({odd.extent})" for odd in group[:_EXAMPLES])
        rest = f" and {len(group) - _EXAMPLES} more" if len(group) > _EXAMPLES else ""
        where = "in" if len(group) == 1 else f"in {len(group)} {plural(group[0].holder)}:"
        warn(f"{what}: {where} {names}{rest}")
