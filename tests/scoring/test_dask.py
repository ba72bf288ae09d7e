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

from biasvar_cli.errors import BiasVarError
from biasvar_cli.scoring import in_flight
from biasvar_cli.words import VERSION

pytestmark = pytest.mark.anew

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

HELP = "Try 'biasvar decompose -h' for help.\n"
DASK = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
WORKER = [sys.executable, "-m", "distributed.cli.dask_worker"]
HOLDING = """\
import os, time
from pathlib import Path
from biasvar_cli.readers.sources import read_bytes as read
from biasvar_cli.scoring import scorer

def held(path, **options):
    mark = Path(path).parent.parent / f"{Path(path).name}.held"
    while mark.exists():
        mark.with_suffix(f".{os.getpid()}").touch()
        time.sleep(0.05)
    return read(path, **options)

scorer.read_bytes = held
"""
OLDER = "from biasvar_cli import words\nwords.VERSION = '0.9.9'\n"
ABSENT = "import sys\nsys.modules['biasvar_cli'] = None\n"


class Cluster(NamedTuple):
    """A real scheduler on loopback, and its real workers of one thread each that are alive."""

    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Cluster]]:
    """The one cluster of all tests, with at least so many workers; the test that ends its scheduler is the last.

    Every worker runs ``code`` first; with another one than that of the workers there are, they end.
    """
    script, last = tmp_path_factory.mktemp("worker") / "preload.py", [HOLDING]
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

        def of(n_workers: int, code: str = HOLDING) -> Cluster:
            if code != last[0]:
                for worker in workers:
                    worker.kill()
                    worker.wait()
            last[0] = code
            script.write_text(code)
            workers[:] = [worker for worker in workers if worker.poll() is None]
            if len(workers) < n_workers:
                worker = (*WORKER, address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--preload", str(script))
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
def held(track: Path) -> Callable[[], None]:
    """Hold a worker that reads one run (`HOLDING`) until the function given is called."""
    mark = track / "rm.gz.held"
    mark.touch()
    return mark.unlink


@contextlib.contextmanager
def decomposing(track: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command, which does not outlive a test that fails: it may wait for a run that never comes."""
    command = [sys.executable, "-m", "biasvar_cli", "decompose", str(track / "runs"), "-q", str(track / "qrels")]
    command += options
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.long
def test_a_cluster_gives_the_same_bytes(biasvar, cluster, track):
    address = cluster(2).address
    measures = ("-m", "AP", "-m", "IPrec@0.1")
    arguments = ("decompose", track / "runs", "-q", track / "qrels", *measures, "--no-null", "-f", "json")
    here = biasvar(*arguments)
    there = biasvar(*arguments, "--dask", address)
    assert (there.code, there.err) == (0, here.err)
    assert there.out == here.out
    (track / "runs" / "bad").write_text("1 Q0 a 1 x bad\n1 Q0 a 1 2 bad\n")
    (track / "runs" / "worse").write_text("1 Q0 a 1\n")
    assert biasvar(*arguments, "--dask", address) == biasvar(*arguments)


@pytest.mark.long
def test_relative_names_are_those_of_who_typed_them(biasvar, cluster, track, monkeypatch):
    monkeypatch.chdir(track)
    (track / "runs" / "bad").write_text("1 Q0 a 1 x bad\n")
    (track / "ap.csv").write_text("0.3,0.1\n0.6,0.08\n")
    (track / "ap.csv.runs").write_text("A\nB\n")
    for arguments in (("runs", "-q", "qrels", "--exclude", "bad", "--no-null"), ("runs", "-q", "qrels"), ("ap.csv",)):
        here = biasvar("decompose", *arguments, "-f", "json")
        assert biasvar("decompose", *arguments, "-f", "json", "--dask", cluster(1).address) == here


@pytest.mark.long
@unix
def test_pipes_are_read_here(biasvar, cluster, track):
    runs, pipe = sorted((track / "runs").iterdir()), track / "pipe"
    expected = biasvar("scores", *runs, "-q", track / "qrels").out
    os.mkfifo(pipe)
    content = runs[0].read_bytes()
    threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True).start()
    found = biasvar("scores", pipe, *runs[1:], "-q", track / "qrels", "--dask", cluster(1).address)
    assert found.code == 0, found.err
    assert sorted(found.out.replace("pipe,", f"{runs[0].stem},").splitlines()) == sorted(expected.splitlines())


@pytest.mark.long
@unix
def test_a_file_that_a_worker_does_not_see_is_its_fault(biasvar, cluster, track):
    gone = "from biasvar_cli.readers import sources\n"
    gone += "sources._located = lambda path: '/nowhere' if str(path).endswith('rm.gz') else str(path)\n"
    address, run = cluster(1, gone).address, track / "runs" / "rm.gz"
    result = biasvar("decompose", track / "runs", "-q", track / "qrels", "--dask", address)
    why = "a worker of the cluster: cannot be read: No such file or directory; all workers have to see the files"
    assert_refused(result, 1, f"biasvar: error: {run}: {why} under the same names\n")


@pytest.mark.long
@unix
@pytest.mark.parametrize(
    ("code", "words"),
    [
        (OLDER, "has biasvar 0.9.9, and this is biasvar 1"),
        (ABSENT, "has no biasvar ("),
    ],
)
def test_a_worker_with_another_version_or_none_computes_nothing(biasvar, cluster, track, code, words):
    address = cluster(1, code).address
    result = biasvar("decompose", track / "runs", "-q", track / "qrels", "--dask", address, "--dask-timeout", 5)
    assert_refused(result, 1, f"biasvar: error: --dask {address}: the worker tcp://", words)


def test_the_version_travels_with_the_work():
    """A worker may come after the others were asked."""
    with pytest.raises(
        BiasVarError, match=r"^a worker has biasvar 1\S*, and this is biasvar 0\.9\.9; install one version"
    ):
        in_flight._by_version(max, "0.9.9", 1, 2)
    assert in_flight._by_version(max, VERSION, 1, 2) == 2


@pytest.mark.long
@unix
def test_a_worker_that_dies_midway_changes_nothing(biasvar, cluster, track, request):
    address, _, workers = cluster(2)
    expected = biasvar("decompose", track / "runs", "-q", track / "qrels", "-f", "csv", "--quiet").out.encode()
    release = request.getfixturevalue("held")
    with decomposing(track, "-f", "csv", "--quiet", "--dask", address) as process:
        first = _reader(track, workers, process)
        first.kill()
        first.wait()
        _reader(track, [worker for worker in workers if worker is not first], process)
        release()
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err.decode()  # on a busy machine distributed logs the worker's silence to stderr
    assert out == expected


def _reader(track: Path, workers: list[subprocess.Popen[bytes]], client: subprocess.Popen[bytes]) -> Any:
    """The worker that is held; waits for one while the client is there."""
    for _ in range(600):
        for worker in workers:
            if (track / f"rm.gz.{worker.pid}").exists():
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


_LATE = pytest.mark.long  # a second each


@pytest.mark.parametrize(
    "listener", ["nothing", *(pytest.param(name, marks=_LATE) for name in ("silence", "another program"))]
)
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


@pytest.mark.long
@unix
def test_a_cluster_without_a_worker_is_an_error_before_the_work_and_amid_it(biasvar, cluster, track, held):
    address, _, workers = cluster(1)
    options = ("--dask", address, "--dask-timeout", "1")
    with decomposing(track, *options) as process:
        _reader(track, workers, process)
        for worker in workers:
            worker.kill()
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, b"")
    why = "all workers ended, and there has been no other for 1 s (--dask-timeout); their logs say why"
    assert err.decode() == f"biasvar: error: --dask {address}: {why}\n"
    said = f"biasvar: error: --dask {address}: the scheduler has no worker within 1 s (--dask-timeout)\n"
    assert biasvar("decompose", track / "runs" / "orig.gz", "-q", track / "qrels", *options) == (2, "", said + HELP)


@pytest.mark.long
@unix
def test_a_scheduler_that_ends_is_an_error(cluster, track, held):
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
