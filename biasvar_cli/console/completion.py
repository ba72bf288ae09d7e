"""The completions that a shell offers for a value. Nothing here reads a file or imports a module that computes.

Names with characters that a terminal does not print are not offered.
"""

import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import click
from click import shell_completion
from click.core import ParameterSource

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import Completion
from biasvar_cli.tables.column import Declared, expanded

_Complete = Callable[[click.Context, click.Parameter, str], list[str]]

_CUTOFFS = (5, 10, 20, 100, 1000)
_MOST_FILES = 2000  # of a folder; more names help nobody
_CHOOSE_TABLE = ("table", "detail", "families")  # the options that show another table


def of(offered: Completion) -> _Complete:
    """A completion function, as click calls it, for what a setting declares."""

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        if offered.paths:
            return [*_starting(offered.words, incomplete), *_paths(incomplete)]
        if (offered.runs or offered.names) and incomplete.startswith("run:"):
            return _starting([f"run:{name}" for name in _run_names(ctx)], incomplete)
        if offered.files and incomplete.startswith("file:"):
            return [f"file:{path}" for path in _paths(incomplete.removeprefix("file:"))]
        before = (*(["run:"] if offered.runs or offered.names else ()), *(["file:"] if offered.files else ()))
        return _starting([*offered.words, *before, *(_run_names(ctx) if offered.names else ())], incomplete)

    return complete


def run_name(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The names of the runs among the inputs, from the names of their files, with or without ``run:`` before them."""
    before = "run:" if incomplete.startswith("run:") else ""
    return _starting([before + name for name in _run_names(ctx)], incomplete)


def model_name(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The names of the query models among the inputs, from the names of their files."""
    from biasvar_cli.readers.sources import model_name

    return _starting(sorted(set(map(model_name, _input_files(ctx)))), incomplete)


def measure(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """The names of measures in ir-measures and trec_eval, with usual cutoffs once ``@`` is typed."""
    from biasvar_cli.measures import names_to_offer

    base, at, _typed = incomplete.partition("@")
    return _starting([f"{base}@{k}" for k in _CUTOFFS] if at else names_to_offer(), incomplete)


def column_of(tables: Mapping[str, Declared[Any]]) -> _Complete:
    """Completion of a column's name: a column of the first of the ``tables``, or of any once a table is chosen.

    ``-COLUMN`` is not completed, because click takes it for the start of an option.
    """
    return lambda ctx, _, incomplete: _starting(_names_in(tables, ctx), incomplete)


def columns_of(tables: Mapping[str, Declared[Any]]) -> _Complete:
    """Completion of a list of columns with commas; columns that it already has are not offered again."""

    def complete(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        rest = [name for name in _names_in(tables, ctx) if name not in before.split(",")]
        return [f"{before}{comma}{name}" for name in _starting(rest, last)]

    return complete


def _names_in(tables: Mapping[str, Declared[Any]], ctx: click.Context) -> Sequence[str]:
    chosen = any(ctx.get_parameter_source(option) is ParameterSource.COMMANDLINE for option in _CHOOSE_TABLE)
    declared = [part for table in tables.values() for part in table] if chosen else next(iter(tables.values()), ())
    return list(dict.fromkeys(column.name for column in expanded(declared) if not column.key))


def _starting(choices: Sequence[str], incomplete: str) -> list[str]:
    return [choice for choice in choices if choice.startswith(incomplete) and choice.isprintable()]


def _run_names(ctx: click.Context) -> list[str]:
    """The names of the runs, from the names of the input files."""
    from biasvar_cli.readers.sources import run_name

    return sorted(set(map(run_name, _input_files(ctx))))


def _input_files(ctx: click.Context) -> list[str]:
    """The files among the inputs, including inputs that click has not parsed yet."""
    typed = [name for option in ("inputs", "pool") for name in ctx.params.get(option) or ()] + ctx.args
    files: list[str] = []
    for name in typed:
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            folder = Path(name).expanduser()
            files += [str(path) for path in _entries(folder) if path.is_file()] if folder.is_dir() else [name]
    return files


def _paths(incomplete: str) -> list[str]:
    """The visible files and folders that begin with what is typed; a folder ends in a slash."""
    folder, slash, start = incomplete.rpartition("/")
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        paths = [
            path
            for path in _entries(Path(f"{folder}{slash}" or ".").expanduser())
            if path.name.startswith(start) and path.name.isprintable()
        ]
        return [f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}" for path in paths]
    return []


def _entries(folder: Path) -> list[Path]:
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))
    return sorted(path for path, _ in zip(visible, range(_MOST_FILES), strict=False))


_SOURCE = """\
%(complete_func)s() {
    local line value
    while IFS= read -r line; do
        value=${line#*,}
        case ${line%%%%,*} in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done < <(env COMP_LINE="${COMP_LINE:0:$COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \
        %(complete_var)s=bash_complete "$1")
    case ${COMPREPLY[0]} in
        *[:/@] | *[:/@]\\') if [[ ${#COMPREPLY[@]} -eq 1 ]]; then compopt -o nospace; fi ;;
    esac
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""
_PLAIN = re.compile(r"[\w%+,./:=@-]*")  # text that a shell takes literally without quotes
_HOME = re.compile(r"(?:~[\w.-]*/)?")  # a home folder, which a shell does not expand inside quotes
_SPECIAL_IN_QUOTES = re.compile(r'(?P<taken>[\\$`"])|(?P<history>!)')


class _Typed(NamedTuple):
    """A line of a shell as ``words`` without quotes and backslashes; the last word may be incomplete.

    ``quote`` is the quote that is still open at the end of the line, or empty. readline replaces the last word from
    the character at ``start`` on.
    """

    words: list[str]
    quote: str
    start: int


def _typed_line(line: str, breaks: str) -> _Typed:
    """The words of a line up to the cursor. Blanks and the characters of ``breaks`` end a word of readline.

    >>> _typed_line("biasvar 'my runs' --target run:a", "=:")
    _Typed(words=['biasvar', 'my runs', '--target', 'run:a'], quote='', start=4)
    >>> _typed_line("biasvar --target 'run:a", "=:")
    _Typed(words=['biasvar', '--target', 'run:a'], quote="'", start=0)
    """
    words, quote, start, before, is_escaped, in_word = [""], "", 0, 0, False, False
    for sign in line:
        if is_escaped:
            words[-1] += f"\\{sign}" if quote and sign not in '$`"\\' else sign
            is_escaped = False
        elif sign == "\\" and quote != "'":
            is_escaped = in_word = True
        elif quote and sign != quote:
            words[-1] += sign
        elif quote:
            quote, start = "", before
        elif sign in "'\"":
            quote, before, start, in_word = sign, start, len(words[-1]), True
        elif sign.isspace():
            if in_word:
                words.append("")
            start, in_word = 0, False
        else:
            words[-1] += sign
            start, in_word = len(words[-1]) if sign in breaks else start, True
    return _Typed(words, quote, start)


def quoted(values: Sequence[str], quote: str) -> list[str]:
    r"""Values quoted such that bash takes them literally; ``quote`` is the open quote of the line, empty for none.

    Outside quotes, either all values are quoted or none, because readline inserts their common beginning. readline
    closes an open quote itself, except directly after another quote.

    >>> print(*quoted(["bm25", "b;ls"], ""), *quoted(["it's"], "'"), *quoted(["$(ls)"], '"'))
    'bm25' 'b;ls' it'\''s \$(ls)
    """
    if not quote:
        if all(_PLAIN.fullmatch(value, _home(value)) for value in values):
            return list(values)
        return [f"{value[: _home(value)]}'{_in_quotes(value[_home(value) :], chr(39))}'" for value in values]
    parts = [_in_quotes(value, quote) for value in values]
    return [f"{quote * part.startswith(quote)}{part}{quote * part.endswith(quote)}" for part in parts]


def _home(value: str) -> int:
    match = _HOME.match(value)
    return match.end() if match else 0


def _in_quotes(text: str, quote: str) -> str:
    if quote == "'":
        return text.replace("'", "'\\''")
    return _SPECIAL_IN_QUOTES.sub(lambda sign: f"\\{sign[0]}" if sign["taken"] else "\"'!'\"", text)


class WholeWords(shell_completion.BashComplete):
    """The completion of bash, for words with any characters: values are quoted before bash gets them."""

    source_template = _SOURCE

    def get_completion_args(self) -> tuple[list[str], str]:
        """The complete words after the program's name, and the word that is being typed."""
        *before, word = self._typed.words
        return before[1:], word

    def complete(self) -> str:
        """A line for each value: its type, and the text that readline inserts."""
        words, quote, start = self._typed
        word, items = words[-1], self.get_completions(*self.get_completion_args())
        values = [item.value for item in items]
        ends = [next(at for at in range(len(word) + 1) if value.startswith(word[at:])) for value in values]
        replacing = quoted([f"{word[:end]}{value}"[start:] for end, value in zip(ends, values, strict=True)], quote)
        return "\n".join(f"{item.type},{value}" for item, value in zip(items, replacing, strict=True))

    @cached_property
    def _typed(self) -> _Typed:
        return _typed_line(os.environ.get("COMP_LINE", ""), os.environ.get("COMP_WORDBREAKS", ""))


class _WithCommas(shell_completion.FishComplete):
    """The completion of fish, for values with commas; fish and zsh quote what they insert themselves."""

    source_template = shell_completion.FishComplete.source_template.replace('split ","', 'split -m 1 ","')


def register(instruction: str) -> None:
    """Register both classes with click. Raises `UsageError` for a shell that this click does not complete."""
    shell_completion.add_completion_class(WholeWords, "bash")
    shell_completion.add_completion_class(_WithCommas, "fish")
    shell = instruction.partition("_")[0]
    if shell and shell_completion.get_completion_class(shell) is None:
        shells = "bash, zsh and fish have it, and PowerShell (powershell) with click 8.5 or later"
        raise UsageError(f"there is no completion for {shell}; {shells}")
