"""TAB in a real shell at a pseudo-terminal: what is inserted is the name of a run, whatever signs it has."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import unix

NAMES = [
    *("my run", 'it\'s "so"', "$(touch X)", "b;touch X;", "c* [ab]?", "`touch X`&", "e!1 !!", "f\\g", "'", '"'),
    *("#h|touch X", "~i", "{j,k},$HOME", ">X", "r:s=t@u", "año 1"),
]
OPENINGS = ["--target run:", "--target 'run:", '--target "run:', "--target=run:", "--target run:'", '--target=run:"']
SOURCES = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
SET_UP = {
    "bash": 'eval "$(_BIASVAR_COMPLETE=bash_source biasvar)"',
    "zsh": 'autoload -Uz compinit; compinit -u -D; eval "$(_BIASVAR_COMPLETE=zsh_source biasvar)"',
    "fish": "_BIASVAR_COMPLETE=fish_source biasvar | source",
}

pytestmark = unix


@pytest.fixture
def shell(program: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str], list[str]]]:
    """Type a line into a shell whose completion is set up; gives the arguments with which it calls ``biasvar``."""
    import pty

    name = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not here")
    folder, calls = tmp_path / "bin", tmp_path / "calls"
    folder.mkdir()
    calls.touch()
    script = f'#!/bin/sh\n[ -n "$_BIASVAR_COMPLETE" ] && exec {program} "$@"\nprintf "%s\\0" "$@" END >>{calls}\n'
    (folder / "biasvar").write_text(script)
    (folder / "biasvar").chmod(0o755)
    place = {"HOME": str(tmp_path), "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execvpe(SOURCES[name][0], SOURCES[name], {"PATH": f"{folder}:{os.environ['PATH']}", **place})  # noqa: S606
    os.set_blocking(terminal, False)

    def call(line: str) -> list[str]:
        before = len(calls.read_bytes())
        os.write(terminal, line.encode())
        end = time.monotonic() + 60
        shown = b""
        while not calls.read_bytes()[before:].endswith(b"\0END\0"):
            try:
                shown += os.read(terminal, 65536)
            except BlockingIOError:
                time.sleep(0.01)
            assert time.monotonic() < end, shown.decode(errors="replace")
        return calls.read_bytes()[before:].decode().split("\0")[:-2]

    try:
        call(f"{SET_UP[name]}; biasvar ready\n")
        yield call
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def runs_in(tmp_path: Path, *names: str) -> str:
    """A new folder of runs of these names."""
    folder = tmp_path / f"runs{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    for name in names:
        (folder / name).touch()
    return folder.name


@pytest.mark.long
@pytest.mark.parametrize(
    ("shell", "openings"),
    [("bash", OPENINGS), ("zsh", OPENINGS[:1] * 2), ("fish", OPENINGS[:1] * 2)],
    indirect=["shell"],
)
def test_a_name_is_inserted_as_it_is_and_nothing_in_it_is_run(shell, tmp_path, openings):
    for number, name in enumerate(NAMES):
        folder = runs_in(tmp_path, name)
        for opening in openings[number % 3 :: 3] or openings[:1]:  # one of each kind of quotes, over all names
            words = shell(f"biasvar decompose {folder} {opening}\t\n")
            assert " ".join(words[2:]).replace("--target=", "--target ") == f"--target run:{name}", opening
    assert not list(tmp_path.rglob("X"))


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
@pytest.mark.parametrize("opening", OPENINGS)
def test_what_several_names_have_in_common_can_be_gone_on_from(shell, tmp_path, opening):
    folder = runs_in(tmp_path, "a $b1", "a $b2", "a $(touch X)")
    assert shell(f"biasvar decompose {folder} {opening}a\tb\t2\t\n")[-1].endswith("run:a $b2")


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
@pytest.mark.parametrize(("typed", "value"), [("'ru\tb\t", "run:b 1"), ("'my folder/l\t", "my folder/list; X")])
def test_a_prefix_in_an_open_quote_stays(shell, tmp_path, typed, value):
    (tmp_path / "my folder").mkdir()
    (tmp_path / "my folder" / "list; X").touch()
    option = "--target" if value.startswith("run:") else "--topics"
    assert shell(f"biasvar decompose {runs_in(tmp_path, 'b 1')} {option} {typed}\n")[-1] == value
