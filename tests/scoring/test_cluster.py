"""The same bytes from a Dask cluster, also when a worker dies midway; and inputs that are URLs."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import ROOT, assert_refused, unix

pytestmark = pytest.mark.anew

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

HELP = "Try 'biasvar decompose -h' for help.\n"
DASK = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
WORKER = [sys.executable, "-m", "distributed.cli.dask_worker"]


class Cluster(NamedTuple):
    """A real scheduler on loopback, and its real workers of one thread each that are alive."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Callable[[int], Cluster]]:
    """The one cluster of all tests, with at least so many workers; the test that ends its scheduler is the last."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    workers: list[subprocess.Popen[bytes]] = []
    with contextlib.ExitStack() as stack:

        def started(*command: str) -> subprocess.Popen[bytes]:
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        scheduler = started(*DASK, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show")

        def of(n_workers: int) -> Cluster:
            workers[:] = [worker for worker in workers if worker.poll() is None]
            if len(workers) < n_workers:
                worker = (*WORKER, address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
                workers.extend(started(*worker) for _ in range(n_workers - len(workers)))
                with distributed.Client(address, timeout=60, set_as_default=False) as client:
                    client.wait_for_workers(n_workers, timeout=60)  # work goes to those that are there
            return Cluster(address, scheduler, list(workers))

        yield of


@pytest.fixture
def track(tmp_path: Path) -> Path:
    """The sample track's folder, copied."""
    shutil.copytree(ROOT / "sample_runs", tmp_path / "runs")
    shutil.copy(ROOT / "qrels" / "npl.qrels.txt", tmp_path / "qrels")
    return tmp_path


@pytest.fixture
def pipe(track: Path) -> Iterator[Callable[[], None]]:
    """Make of one run a pipe: whoever reads it waits until the run is written, as the function given does."""
    run = track / "runs" / "rm.gz"
    content = run.read_bytes()
    run.unlink()
    os.mkfifo(run)
    with os.fdopen(os.open(run, os.O_RDWR), "wb", buffering=0) as end:

        def write() -> None:
            end.write(content)
            end.close()

        yield write


@contextlib.contextmanager
def decomposing(track: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command on every run by name, since a pipe is left out of a folder.

    It does not outlive a test that fails: it may wait for a run that never comes.
    """
    runs = sorted(map(str, (track / "runs").iterdir()))
    command = [sys.executable, "-m", "biasvar_cli", "decompose", *runs, "-q", str(track / "qrels"), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_cluster_gives_the_same_bytes(biasvar, cluster, track):
    address = cluster(2).address
    measures = ("-m", "AP", "-m", "IPrec@0.1")
    arguments = ("decompose", track / "runs", "-q", track / "qrels", *measures, "--no-null", "-f", "json")
    here = biasvar(*arguments)
    there = biasvar(*arguments, "--dask", address)
    assert (there.code, there.out) == (0, here.out)
    (track / "runs" / "bad").write_text("1 Q0 a 1 x bad\n1 Q0 a 1 2 bad\n")
    (track / "runs" / "worse").write_text("1 Q0 a 1\n")
    assert biasvar(*arguments, "--dask", address) == biasvar(*arguments)


@unix
def test_a_worker_that_dies_midway_changes_nothing(biasvar, cluster, track, request):
    address, _, workers = cluster(2)
    expected = biasvar("decompose", track / "runs", "-q", track / "qrels", "-f", "csv", "--quiet").out.encode()
    write = request.getfixturevalue("pipe")
    with decomposing(track, "-f", "csv", "--quiet", "--dask", address) as process:
        first = _reader(track, workers, process)
        first.kill()
        first.wait()
        _reader(track, [worker for worker in workers if worker is not first], process)
        write()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err.decode()  # on a busy machine distributed logs the worker's silence to stderr
    assert out == expected


def _reader(track: Path, workers: list[subprocess.Popen[bytes]], client: subprocess.Popen[bytes]) -> Any:
    """The worker that has the pipe open; waits for one while the client is there."""
    for _ in range(600):
        for worker in workers:
            with contextlib.suppress(OSError):
                for link in Path(f"/proc/{worker.pid}/fd").iterdir():
                    if link.readlink() == track / "runs" / "rm.gz":
                        return worker
        assert client.poll() is None, client.communicate()
        time.sleep(0.1)
    raise AssertionError("no worker read the file")


@pytest.mark.parametrize(
    "address",
    ["foo", "tcp://", "tcp://127.0.0.1", "localhost:port", "tcp://127.0.0.1:0", "tcp://127.0.0.1:65536", "/", "-1",
     "tcp://127.0.0.1:-5", "http://127.0.0.1:80", "inproc://1/2/3", "tcp://[::1", "\u00e9://x:1", "tcp://a b:1"],
)  # fmt: skip
def test_what_is_no_address_is_wrong_usage(biasvar, track, address):
    result = biasvar("decompose", track / "runs", "-q", track / "qrels", "--dask", address)
    said = f"biasvar: error: --dask {address}: not the address of a scheduler; write it as tcp://HOST:PORT\n"
    assert result == (2, "", said + HELP)


@pytest.mark.parametrize("listener", ["nothing", "silence", "another program"])
def test_no_scheduler_is_wrong_usage_within_the_time_given_and_without_noise(biasvar, track, listener):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        if listener != "nothing":
            server.listen()
        if listener == "another program":
            threading.Thread(target=_hang_up, args=(server,), daemon=True).start()
        result = biasvar("decompose", track / "runs", "-q", track / "qrels", "--dask", address, "--dask-timeout", 1)
    said = f"biasvar: error: --dask {address}: no scheduler answers within 1 s"
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 2)
    assert result.err.startswith(said)


def _hang_up(server: socket.socket) -> None:
    """Answer as a web server answers who does not speak its language."""
    with contextlib.suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.recv(100)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@unix
def test_a_cluster_without_a_worker_is_an_error_before_the_work_and_amid_it(biasvar, cluster, track, pipe):
    address, _, workers = cluster(1)
    options = ("--dask", address, "--dask-timeout", "1")
    with decomposing(track, *options) as process:
        _reader(track, workers, process)
        for worker in workers:
            worker.kill()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, b"")
    assert err.decode() == f"biasvar: error: --dask {address}: there has been no worker for 1 s (--dask-timeout)\n"
    said = f"biasvar: error: --dask {address}: the scheduler has no worker within 1 s (--dask-timeout)\n"
    assert biasvar("decompose", track / "runs" / "orig.gz", "-q", track / "qrels", *options) == (2, "", said + HELP)


@unix
def test_a_scheduler_that_ends_is_an_error(cluster, track, pipe):
    address, scheduler, workers = cluster(1)
    with decomposing(track, "--dask", address) as process:
        _reader(track, workers, process)
        scheduler.kill()
        _, err = process.communicate(timeout=90)
    assert process.returncode == 1
    (said,) = err.decode().splitlines()
    assert said.startswith(f"biasvar: error: --dask {address}: the scheduler ended")


def test_inputs_and_qrels_may_be_urls(biasvar, track):
    here = biasvar("decompose", track / "runs", "-q", track / "qrels", "-f", "csv")
    there = biasvar("decompose", f"file://{track}/runs", "-q", f"file://{track}/qrels", "-f", "csv")
    assert there == here
    one = biasvar("decompose", f"file://{track}/runs/rm.gz", "-q", track / "qrels", "-f", "csv")
    assert one.out.splitlines()[1].startswith("AP,best,rm,")


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("file:///none", "cannot be read: FileNotFoundError"),
        ("nowhere://bucket/runs", "cannot be read: ValueError: Protocol not known"),
    ],
)
def test_a_url_that_is_not_there_is_an_error_with_its_place(biasvar, track, place, reason):
    assert_refused(biasvar("decompose", place, "-q", track / "qrels"), 1, f"biasvar: error: {place}: {reason}")
