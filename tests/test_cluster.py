"""The same bytes from a Dask cluster, also when a worker dies midway; and inputs that are URLs."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

distributed = pytest.importorskip("distributed", reason="the extra dask is not installed")

DASK = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
WORKER = [sys.executable, "-m", "distributed.cli.dask_worker"]


@pytest.fixture
def cluster() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a real scheduler on loopback; the scheduler and its two real workers of one thread each."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    scheduler = [*DASK, "--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show"]
    worker = [*WORKER, address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(subprocess.Popen(scheduler, **quiet))]  # type: ignore[call-overload]
        processes += [stack.enter_context(subprocess.Popen(worker, **quiet)) for _ in range(2)]  # type: ignore[call-overload]
        stack.callback(lambda: [process.kill() for process in processes])
        with distributed.Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)  # what is sent to every worker is sent to those that are there
        yield address, processes


@pytest.fixture
def track(tmp_path: Path) -> Path:
    """The sample track's folder, copied."""
    shutil.copytree(ROOT / "sample_runs", tmp_path / "runs")
    shutil.copy(ROOT / "qrels" / "simulated.qrels.txt", tmp_path / "qrels")
    return tmp_path


def _runs(track: Path) -> list[str]:
    """Every run by name: a pipe is left out of a folder."""
    return sorted(map(str, (track / "runs").iterdir()))


def test_a_cluster_gives_the_same_bytes(biasvar, cluster, track):
    address, _ = cluster
    arguments = ("decompose", track / "runs", "-q", track / "qrels", "-m", "AP", "-m", "IPrec@0.1", "-f", "json")
    here = biasvar(*arguments)
    there = biasvar(*arguments, "--dask", address)
    assert (there.code, there.out) == (0, here.out)
    (track / "runs" / "bad").write_text("1 Q0 a 1 x bad\n1 Q0 a 1 2 bad\n")
    (track / "runs" / "worse").write_text("1 Q0 a 1\n")
    assert biasvar(*arguments, "--dask", address) == biasvar(*arguments)


def test_a_worker_that_dies_midway_changes_nothing(biasvar, cluster, track):
    address, (_, *workers) = cluster
    arguments = ["decompose", *_runs(track), "-q", str(track / "qrels"), "-f", "csv", "--quiet"]
    expected = biasvar(*arguments).out.encode()
    run = track / "runs" / "rm.gz"
    content = run.read_bytes()
    run.unlink()
    os.mkfifo(run)  # whoever reads this run waits until it is written
    pipe = os.open(run, os.O_RDWR)
    command = [sys.executable, "-m", "biasvar_cli", *arguments, "--dask", address]
    with _running(command) as process:
        first = _reader(run, workers, process)
        first.send_signal(signal.SIGKILL)
        _reader(run, [worker for worker in workers if worker is not first], process)
        os.write(pipe, content)
        os.close(pipe)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err.decode()  # on a busy machine distributed logs the worker's silence to stderr
    assert out == expected


def test_a_scheduler_that_ends_is_an_error(cluster, track):
    address, (scheduler, *workers) = cluster
    (track / "runs" / "rm.gz").unlink()
    os.mkfifo(track / "runs" / "rm.gz")
    pipe = os.open(track / "runs" / "rm.gz", os.O_RDWR)
    command = [sys.executable, "-m", "biasvar_cli", "decompose", *_runs(track), "-q", str(track / "qrels")]
    with _running([*command, "--dask", address]) as process:
        _reader(track / "runs" / "rm.gz", workers, process)
        scheduler.kill()
        _, err = process.communicate(timeout=90)
    os.close(pipe)
    assert process.returncode == 1
    assert err.decode().splitlines()[-1].startswith(f"biasvar: error: --dask {address}: the scheduler ended")


@contextlib.contextmanager
def _running(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A command that does not outlive a test that fails: it may wait for a run that never comes."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


def _reader(
    path: Path, workers: list[subprocess.Popen[bytes]], client: subprocess.Popen[bytes]
) -> subprocess.Popen[bytes]:
    """The worker that has a file open; waits for one while the client is there."""
    for _ in range(600):
        for worker in workers:
            with contextlib.suppress(OSError):
                for link in Path(f"/proc/{worker.pid}/fd").iterdir():
                    if link.readlink() == path:
                        return worker
        assert client.poll() is None, client.communicate()
        time.sleep(0.1)
    raise AssertionError("no worker read the file")


def test_no_scheduler_is_wrong_usage(biasvar, track, monkeypatch):
    monkeypatch.setattr("biasvar_cli.scoring.cluster._SECONDS", 1)
    result = biasvar("decompose", track / "runs", "-q", track / "qrels", "--dask", "tcp://127.0.0.1:1")
    assert (result.code, result.out) == (2, "")
    assert "--dask tcp://127.0.0.1:1: no scheduler with a worker answers" in result.err


def test_inputs_and_qrels_may_be_urls(biasvar, track):
    here = biasvar("decompose", track / "runs", "-q", track / "qrels", "-f", "csv")
    there = biasvar("decompose", f"file://{track}/runs", "-q", f"file://{track}/qrels", "-f", "csv")
    assert there == here
    one = biasvar("decompose", f"file://{track}/runs/rm.gz", "-q", track / "qrels", "-f", "csv")
    assert one.out.splitlines()[1].startswith("AP,best,rm,")


def test_a_url_that_is_not_there_is_an_error_with_its_place(biasvar, track):
    result = biasvar("decompose", f"file://{track}/none", "-q", track / "qrels")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"biasvar: error: file://{track}/none: cannot be read: FileNotFoundError")
    unknown = biasvar("decompose", "nowhere://bucket/runs", "-q", track / "qrels")
    assert (unknown.code, unknown.out) == (1, "")
    assert unknown.err.startswith(
        "biasvar: error: nowhere://bucket/runs: cannot be read: ValueError: Protocol not known"
    )
