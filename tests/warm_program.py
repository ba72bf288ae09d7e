"""``biasvar`` for the shells of tests, without its start: a fork of a process that has imported everything.

``python warm_program.py ADDRESS`` waits at a Unix socket for calls, until its standard input ends. A call is the three
standard streams, the working directory, the arguments and the environment; its answer is the exit code. Tests of the
start itself, of streams and of signals have to run the program instead.
"""

from __future__ import annotations

import importlib
import marshal
import os
import pkgutil
import select
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

CLIENT = """\
import marshal, os, socket, sys
with socket.socket(socket.AF_UNIX) as call:
    call.connect({address!r})
    socket.send_fds(call, [b"."], [0, 1, 2])
    call.sendall(marshal.dumps((os.getcwd(), sys.argv[1:], dict(os.environ))))
    call.shutdown(socket.SHUT_WR)
    code = call.recv(1)
sys.exit(code[0] if code else "the program ended without an exit code")
"""


@contextmanager
def warm_program() -> Iterator[str]:
    """How a shell runs the program while the context lasts; on Linux warm, elsewhere a fork may not work."""
    if not sys.platform.startswith("linux"):
        yield f"{shlex.quote(Path(sys.executable).as_posix())} -m biasvar_cli"
        return
    with TemporaryDirectory() as folder:
        address, client = f"{folder}/calls", Path(folder, "call.py")
        client.write_text(CLIENT.format(address=address))
        command = [sys.executable, __file__, address]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield f"{shlex.quote(sys.executable)} -IS {shlex.quote(str(client))}"
            server.stdin.close()


def _serve(address: str) -> None:
    """Import everything, then fork for every call."""
    import biasvar_cli

    packages = (module.name for module in pkgutil.walk_packages(biasvar_cli.__path__, "biasvar_cli."))
    for name in ("pandas", "pyarrow.compute", "pyarrow.csv", "scipy.special", *packages):
        if not name.endswith("__main__"):
            importlib.import_module(name)
    assert threading.active_count() == 1, "a fork has none of the other threads"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for a call
        print("ready", flush=True)
        while server in select.select([server, 0], [], [])[0]:
            call, _ = server.accept()
            with call:
                if not os.fork():
                    server.close()
                    _answer(call)


def _answer(call: socket.socket) -> None:
    """Be the program of one call, and end."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _, streams, _, _ = socket.recv_fds(call, 1, 3)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        with call.makefile("rb") as file:
            folder, arguments, environment = marshal.loads(file.read())  # noqa: S302
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv[1:] = arguments
        from biasvar_cli.__main__ import run

        code = run()
        sys.stdout.flush()
    finally:
        call.sendall(bytes([code]))
        os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
