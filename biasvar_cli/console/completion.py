"""What a shell offers for a value that is half typed. Nothing here reads a file or imports what computes."""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click import shell_completion
from click.core import ParameterSource

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import Completion
from biasvar_cli.tables.column import Declared, expanded

Complete = Callable[[click.Context, click.Parameter, str], list[str]]

_CUTOFFS = (5, 10, 20, 100, 1000)
_MOST_FILES = 2000  # of a folder; more names help nobody
_CHOOSE_TABLE = ("table", "detail", "families")  # the options that show another table


def of(offered: Completion) -> Complete:
    """Completion of what a setting declares."""

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
    """The runs among the inputs, by the names of their files; ``run:`` may stand before them."""
    before = "run:" if incomplete.startswith("run:") else ""
    return _starting([before + name for name in _run_names(ctx)], incomplete)


def model_name(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """The query models among the inputs, by the names of their files."""
    from biasvar_cli.readers.sources import model_name

    return _starting(sorted(set(map(model_name, _input_files(ctx)))), incomplete)


def measure(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Measures by ir-measures' and trec_eval's names; a cutoff behind ``@``, or where the measure needs one."""
    from biasvar_cli.measures import names_to_offer

    base, at, _typed = incomplete.partition("@")
    return _starting([f"{base}@{k}" for k in _CUTOFFS] if at else names_to_offer(), incomplete)


def column_of(tables: Mapping[str, Declared[Any]]) -> Complete:
    """Completion of the columns of a command's ``tables``: of the first one, or of all where one is chosen.

    A column behind a minus is not offered: to click it is the start of an option.
    """
    return lambda ctx, _, incomplete: _starting(_names_in(tables, ctx), incomplete)


def columns_of(tables: Mapping[str, Declared[Any]]) -> Complete:
    """Completion of a comma list of columns, by those that it does not have yet."""

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
    return [choice for choice in choices if choice.startswith(incomplete)]


def _run_names(ctx: click.Context) -> list[str]:
    """The names of the runs by their files."""
    from biasvar_cli.readers.sources import run_name

    return sorted(set(map(run_name, _input_files(ctx))))


def _input_files(ctx: click.Context) -> list[str]:
    """The files among the inputs; click leaves inputs that it has not come to among the other arguments."""
    typed = [name for option in ("inputs", "pool") for name in ctx.params.get(option) or ()] + ctx.args
    files: list[str] = []
    for name in typed:
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            folder = Path(name).expanduser()
            files += [str(path) for path in _entries(folder) if path.is_file()] if folder.is_dir() else [name]
    return files


def _paths(incomplete: str) -> list[str]:
    """The visible files and folders that go on as typed; a folder ends in a slash."""
    folder, slash, start = incomplete.rpartition("/")
    with contextlib.suppress(OSError, ValueError, RuntimeError):
        paths = [path for path in _entries(Path(f"{folder}{slash}" or ".").expanduser()) if path.name.startswith(start)]
        return [f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}" for path in paths]
    return []


def _entries(folder: Path) -> list[Path]:
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))
    return sorted(path for path, _ in zip(visible, range(_MOST_FILES), strict=False))


_SOURCE = """\
%(complete_func)s() {
    local IFS=$'\\n' response completion type value
    response=$(env COMP_LINE="${COMP_LINE:0:$COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
        %(complete_var)s=bash_complete "$1")
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        case $type in
            dir) COMPREPLY=(); compopt -o dirnames ;;
            file) COMPREPLY=(); compopt -o default ;;
            plain) COMPREPLY+=("$value") ;;
        esac
    done
    case ${COMPREPLY[0]} in
        *[:/@]) if [[ ${#COMPREPLY[@]} -eq 1 ]]; then compopt -o nospace; fi ;;
    esac
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class WholeWords(shell_completion.BashComplete):
    """bash's completion, of words as they were typed."""

    source_template = _SOURCE

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being typed, without the program's name, and that word."""
        line = os.environ.get("COMP_LINE", "")
        typed = shell_completion.split_arg_string(line)
        incomplete = typed.pop() if typed and not line[-1:].isspace() else ""
        return typed[1:], incomplete

    def format_completion(self, item: shell_completion.CompletionItem) -> str:
        """A value without what stands before the last sign at which bash splits: bash puts it behind that."""
        _, typed = self.get_completion_args()
        breaks = set(os.environ.get("COMP_WORDBREAKS", "")) & set("@:=")
        ahead = typed[: 1 + max((typed.rfind(sign) for sign in breaks), default=-1)]
        shared = next((ahead[start:] for start in range(len(ahead)) if item.value.startswith(ahead[start:])), "")
        return f"{item.type},{item.value.removeprefix(shared)}"


def register(instruction: str) -> None:
    """Let click use it for bash. Raises `UsageError` for a shell that this version of click does not know."""
    shell_completion.add_completion_class(WholeWords, "bash")
    shell = instruction.partition("_")[0]
    if shell and shell_completion.get_completion_class(shell) is None:
        shells = "bash, zsh and fish have it, and PowerShell (powershell) with click 8.5 or later"
        raise UsageError(f"there is no completion for {shell}; {shells}")
