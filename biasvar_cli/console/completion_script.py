"""Completion in bash, which takes a word apart at its colons, at signs and equals signs.

click reads the words as bash has split them, so that ``run:bm25`` would be three. Here the line is split again as a
shell does it, and what bash keeps of the word is left out of the answer.
"""

from __future__ import annotations

import os

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from biasvar_cli.errors import UsageError

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


class WholeWords(BashComplete):
    """bash's completion, of words as they were typed."""

    source_template = _SOURCE

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one that is being typed, without the program's name, and that word."""
        line = os.environ.get("COMP_LINE", "")
        typed = split_arg_string(line)
        incomplete = typed.pop() if typed and not line[-1:].isspace() else ""
        return typed[1:], incomplete

    def format_completion(self, item: CompletionItem) -> str:
        """A value without what stands before the last sign at which bash splits: bash puts it behind that."""
        _, typed = self.get_completion_args()
        breaks = set(os.environ.get("COMP_WORDBREAKS", "")) & set("@:=")
        ahead = typed[: 1 + max((typed.rfind(sign) for sign in breaks), default=-1)]
        shared = next((ahead[start:] for start in range(len(ahead)) if item.value.startswith(ahead[start:])), "")
        return f"{item.type},{item.value.removeprefix(shared)}"


def register(instruction: str) -> None:
    """Let click use it for bash. Raises `UsageError` for a shell that this version of click does not know."""
    add_completion_class(WholeWords, "bash")
    shell = instruction.partition("_")[0]
    if shell and get_completion_class(shell) is None:
        shells = "bash, zsh and fish have it, and PowerShell (powershell) with click 8.5 or later"
        raise UsageError(f"there is no completion for {shell}; {shells}")
