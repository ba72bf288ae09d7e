"""Standard streams that are closed, full, or read by nobody; interrupts; and what a lack of memory says.

Every program here runs without PYTHONUNBUFFERED, and in `make long` with it, in an environment that is otherwise
empty.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT, assert_refused, interruptible, unix

TOOL = f"{shlex.quote(sys.executable)} -m biasvar_cli"
UNBUFFERED = {"PYTHONUNBUFFERED": "1"}
ENVIRONMENTS = [{}, pytest.param(UNBUFFERED, marks=pytest.mark.long)]
NO_SPACE = "standard output cannot be written: No space left on device"
IS_CLOSED = "standard output cannot be written: it is closed"
WARNS = "decompose one.csv -f csv"  # its warning: the pool is one run

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ap.csv").write_text("AP,A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\n")
    Path("one.csv").write_text("AP,A\nq1,0.3\nq2,0.1\n")


@pytest.fixture
def big():
    """A file whose scores are many times what a pipe holds."""
    rows = (f"r{run},{query},AP,0.5\n" for run in range(200) for query in range(50))
    Path("big.csv").write_text("run,query_id,measure,score\n" + "".join(rows))


def bash(script, environment, code=0):
    """What a script of the shell writes to stderr, where TOOL is the program; its exit code is that of the script."""
    everything = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment}
    command = ["bash", "-c", script.replace("TOOL", TOOL)]
    done = subprocess.run(command, capture_output=True, text=True, env=everything, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == code, done.stderr
    return done.stderr


@unix
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=str)
def test_a_pipe_that_is_closed_is_silent(environment, big):
    for arguments in ("scores big.csv", "--version" if environment else "scores big.csv -o /dev/stdout"):
        assert bash(f"TOOL {arguments} | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}", environment) == ""
    assert bash("TOOL --help | true; exit ${PIPESTATUS[0]}", environment) == ""


@unix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=str)
def test_a_full_disk_is_an_error(environment, big):
    for arguments in ("scores big.csv", "--help"):
        assert bash(f"TOOL {arguments} >/dev/full", environment, 1) == f"biasvar: error: {NO_SPACE}\n"


@unix
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=str)
def test_a_disk_that_is_full_after_the_first_bytes_is_an_error(environment, big):
    """Here it is a limit on the size of files: the system writes a part, and says so by how many bytes these were.

    Python would leave only a part of the compiled modules that it writes as well, and read them ever after.
    """
    environment = {**environment, "PYTHONDONTWRITEBYTECODE": "1"}
    message = bash("ulimit -f 10; trap '' XFSZ; TOOL scores big.csv >part.csv", environment, 1)
    assert message == "biasvar: error: standard output cannot be written: File too large\n"
    assert 0 < Path("part.csv").stat().st_size < 20_000


@unix
@pytest.mark.parametrize(("environment", "place"), [({}, "2>&-"), (UNBUFFERED, "2>/dev/full")], ids=str)
def test_what_cannot_be_said_on_stderr_changes_nothing(environment, place):
    if not Path("/dev/full").exists() and "full" in place:
        pytest.skip("this system has no /dev/full")
    for arguments, code in ((WARNS, 0), ("scores nowhere", 2), ("scores /dev/null", 1)):
        bash(f"TOOL {arguments} >out {place}", environment, code)
        assert bool(Path("out").read_bytes()) == (code == 0)


@unix
def test_a_pipe_for_stderr_that_is_closed_changes_nothing():
    assert bash(f"{{ TOOL {WARNS} 2>&1 >out; echo $? >code; }} | true; cat code >&2", {}) == "0\n"


@unix
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=str)
def test_a_closed_stdout_matters_to_what_is_written_there(environment):
    for arguments in ("scores ap.csv", "--help"):
        assert bash(f"TOOL {arguments} >&-", environment, 1) == f"biasvar: error: {IS_CLOSED}\n"
    assert bash("TOOL scores ap.csv -o out.csv >&-", environment) == ""
    assert Path("out.csv").read_text().startswith("run,query_id,measure,score\nA,q1,AP,0.3\n")


@unix
def test_all_streams_closed_at_once():
    assert bash("TOOL scores ap.csv -o out.csv <&- >&- 2>&-", {}) == ""
    assert Path("out.csv").exists()
    assert bash("TOOL scores ap.csv <&- >&- 2>&-", {}, 1) == ""


@unix
def test_standard_input_that_is_closed_or_empty():
    assert bash("TOOL scores - <&-", {}, 1) == "biasvar: error: -: cannot be read: standard input is closed\n"
    assert "biasvar: error: -: the file is empty" in bash("TOOL scores - </dev/null", {}, 1)
    assert bash("TOOL scores ap.csv <&- >/dev/null", {}) == ""


def test_a_reader_that_is_slow_gets_everything(big):
    """The pipe does not block: what it cannot take now is written later."""
    command = [sys.executable, "-m", "biasvar_cli", "scores", "big.csv"]
    read, write = os.pipe()
    os.set_blocking(write, False)
    with subprocess.Popen(command, stdout=write, env={**os.environ, "PYTHONPATH": str(ROOT)}) as process:
        os.close(write)
        time.sleep(1)
        with os.fdopen(read) as pipe:
            found = pipe.read().splitlines()
    assert process.returncode == 0
    assert sorted(found) == sorted(Path("big.csv").read_text().splitlines())


# Interrupts. A module of this name, found before the real one, sends the signal while it is imported.


@unix
@pytest.mark.parametrize(
    "name", ["numpy", *(pytest.param(name, marks=pytest.mark.long) for name in ("select", "click"))]
)
def test_an_interrupt_while_starting_up_ends_the_program(name):
    """Some libraries take an interrupt amid their import for an error of their own, and raise ImportError."""
    code = "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(5)\n"
    if name == "numpy":
        code = "try:\n" + re.sub("(?m)^", " ", code).rstrip() + "\nexcept BaseException: raise ImportError\n"
    Path("first").mkdir()
    Path("first", f"{name}.py").write_text(code)
    environment = {**os.environ, "PYTHONPATH": f"{Path('first').resolve()}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "biasvar_cli", "decompose", "ap.csv"]
    done = subprocess.run(command, capture_output=True, env=environment, timeout=60, preexec_fn=interruptible)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"\nbiasvar: interrupted\n")


@pytest.mark.long
@unix
def test_an_interrupt_at_any_time_is_silent():
    """From the moment at which the program is set up, before which there is the test above, to the end."""
    code = "from biasvar_cli.console.streams import set_up; set_up(); print(end='.', flush=True); "
    code += "from biasvar_cli.__main__ import run; exit(run())"
    command = [sys.executable, "-c", code, "decompose", "ap.csv", "-o", "out.txt"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for number in range(4):
        Path("out.txt").write_text("before")
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, **pipes, env=environment, preexec_fn=interruptible) as process:
            assert process.stdout is not None
            process.stdout.read(1)
            time.sleep(0.01 + 0.2 * number)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        whole = Path("out.txt").read_text() != "before"
        if process.returncode in (0, -signal.SIGINT):  # too late; -SIGINT is of the interpreter's own last moments
            assert (err, whole) == (b"", True)
        else:
            assert (process.returncode, err) == (130, b"\nbiasvar: interrupted\n")
    assert not list(Path().glob(".biasvar*"))


@unix
@pytest.mark.parametrize("name", ["SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.long)])
def test_a_signal_to_end_leaves_no_file(name):
    """It ends the program as it does any other, while a file is being written; where it is ignored it stays so."""
    code = "import os, signal, time; from biasvar_cli.__main__ import run; rename = os.replace\n"
    code += f"def end(*names):\n    os.kill(os.getpid(), signal.{name})\n    time.sleep(0.1)\n    rename(*names)\n"
    code += "os.replace = end\nexit(run())"
    command = [sys.executable, "-c", code, "decompose", "ap.csv", "-o", "out.txt"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for action, code in ((signal.SIG_DFL, -signal.Signals[name]), (signal.SIG_IGN, 0)):
        Path("out.txt").write_text("before")
        before = signal.signal(signal.Signals[name], action)
        try:
            done = subprocess.run(command, capture_output=True, env=environment, timeout=60)
        finally:
            signal.signal(signal.Signals[name], before)
        assert (done.returncode, done.stdout) == (code, b"")
        assert (Path("out.txt").read_text() == "before") == (code != 0)
        assert not list(Path().glob(".biasvar*"))


@unix
def test_an_interrupt_that_is_ignored_stays_ignored():
    """As of a program in the background of a script."""
    code = "import os, signal; from biasvar_cli.__main__ import run; os.kill(os.getpid(), signal.SIGINT); exit(run())"
    script = f'trap "" INT; {shlex.quote(sys.executable)} -c {shlex.quote(code)} scores ap.csv'
    assert bash(script, {}) == ""


# A lack of memory, of which the limit of a process is one kind.


def limited(megabytes, *arguments):
    code = "import sys; from biasvar_cli.cli import main; import numpy, pyarrow.csv, resource; "
    code += "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize(); "
    code += f"resource.setrlimit(resource.RLIMIT_AS, (used + {megabytes << 20},) * 2); sys.exit(main(sys.argv[1:]))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


@pytest.mark.long
@unix
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's limits")
def test_too_little_memory_is_an_error_that_names_the_file():
    Path("large.csv").write_text("run,query_id,measure,score\n" + "A,q1,AP,0.5\n" * 3_000_000)
    for command in ("scores", "check"):
        done = limited(200, command, "large.csv", "--jobs", "1")  # with less a thread of pyarrow may end the process
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        assert "large.csv" in done.stdout + done.stderr
        assert "not enough memory" in done.stdout + done.stderr


@pytest.mark.anew
def test_memory_that_runs_out_elsewhere_is_an_error_too(biasvar, monkeypatch):
    def lacking(*_, **__):
        raise MemoryError

    monkeypatch.setattr("biasvar_cli.analyses.decompose.answer.decompose", lacking)
    remedy = "free some, or give fewer or smaller files\n"
    assert_refused(biasvar("decompose", "ap.csv"), 1, f"biasvar: error: there is not enough memory; {remedy}")


@unix
def test_names_cannot_steer_a_terminal(biasvar):
    import pty

    Path("odd.json").write_text(
        '{"results": [{"measure": "AP", "queries": ["q1"], "runs": [{"run": "a\\u001b[2J\\u009bb", "scores": [0.5]}, '
        '{"run": "c\\rd", "scores": [0.25]}]}]}'
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for style in ("tsv", "json"):
        command = [sys.executable, "-m", "biasvar_cli", "scores", "odd.json", "-f", style]
        ours, theirs = pty.openpty()
        subprocess.run(command, stdout=theirs, env=environment, check=True)
        shown = os.read(ours, 10_000).replace(b"\r\n", b"\n").decode()
        os.close(theirs)
        os.close(ours)
        assert all(sign.isprintable() or sign in "\t\n" for sign in shown)
        written = biasvar(*command[3:]).out  # a file gets the name itself, JSON as an escape of its own
        assert ("\x9b" if style == "tsv" else "\\u009b") in written
