"""Files in flight are as many as there is memory for; results and their order are the same."""

from __future__ import annotations

import bz2
import gzip
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.readers.sources import Source
from biasvar_cli.scoring import in_flight
from biasvar_cli.scoring.in_flight import (
    MemoryBudget,
    available_memory,
    in_parallel,
    in_threads,
    machine_memory,
    text_size,
)

pytestmark = pytest.mark.anew

SECONDS = 30


class Watch:
    """Work that takes fake memory, and the most of it and the most pieces that were under way at once."""

    def __init__(self) -> None:
        self.most = self.most_at_once = 0
        self._running: list[int] = []
        self._lock = threading.Lock()

    def __call__(self, source: Source) -> str:
        with self._lock:
            self._running.append(int(source.path))
            self.most = max(self.most, sum(self._running))
            self.most_at_once = max(self.most_at_once, len(self._running))
        threading.Event().wait(0.001)
        with self._lock:
            self._running.remove(int(source.path))
        return source.name


@pytest.fixture
def sizes_by_name(monkeypatch):
    """The path of a source is its size, and a byte of text takes a byte of memory."""
    monkeypatch.setattr(in_flight, "text_size", int)
    monkeypatch.setattr(in_flight, "_PER_BYTE", 1)


def test_what_is_worked_on_at_once_fits_or_is_alone_and_results_keep_their_order(sizes_by_name):
    @examples(20)
    @given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.integers(1, 8), st.integers(1, 20))
    def check(sizes, jobs, size):
        watch = Watch()
        sources = [Source(str(place), str(each)) for place, each in enumerate(sizes)]
        assert list(in_threads(watch, sources, jobs, MemoryBudget(size))) == [source.name for source in sources]
        assert watch.most <= max(size, *sizes)
        assert watch.most_at_once <= jobs

    check()


def test_where_there_is_room_all_jobs_work_at_once(sizes_by_name):
    together = threading.Barrier(4)
    sources = [Source(str(place), "5") for place in range(4)]
    assert list(in_threads(lambda _: together.wait(SECONDS) >= 0, sources, 4, MemoryBudget(20))) == [True] * 4
    assert list(in_threads(lambda _: together.wait(SECONDS) >= 0, sources, 4, MemoryBudget(None))) == [True] * 4


def test_two_callers_share_the_room(sizes_by_name):
    watch, room = Watch(), MemoryBudget(10)
    sources = [Source(str(place), "6") for place in range(5)]
    callers = [threading.Thread(target=lambda: list(in_threads(watch, sources, 3, room))) for _ in range(2)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(SECONDS)
    assert watch.most == 6


def test_what_waits_is_not_done_any_more_when_the_work_is_given_up(sizes_by_name):
    done, go = [], threading.Event()
    room = MemoryBudget(10)

    def work(source: Source) -> str:
        done.append(source.name)
        if source.name == "first":
            return source.name
        go.wait(SECONDS)
        return source.name

    results = in_threads(work, [Source("first", "0"), Source("a", "8"), Source("b", "8"), Source("c", "8")], 3, room)
    assert next(results) == "first"
    results.close()
    go.set()
    with room.share(10, threading.Event()) as there_is_room:  # once all that was under way is over
        assert there_is_room
    assert len(done) <= 2


def test_an_error_is_raised_and_gives_its_room_back(sizes_by_name):
    room = MemoryBudget(10)

    def fail(source: Source) -> str:
        raise OSError(source.name)

    with pytest.raises(OSError, match="a"):
        list(in_threads(fail, [Source("a", "8"), Source("b", "8")], 2, room))
    with room.share(10, threading.Event()) as there_is_room:
        assert there_is_room


def test_the_size_of_a_text_is_estimated_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("biasvar_cli.scoring.in_flight._LARGE", 100)
    text = b"301 Q0 clueweb09-en0000-00-00000 1 2.5 run\n" * 5000
    files = {"plain": text, "gz": gzip.compress(text), "bz2": bz2.compress(text), "two": gzip.compress(text) * 2}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    found = {name: text_size(str(tmp_path / name)) for name in files}
    assert found["plain"] == found["gz"] == found["two"] == len(text)
    assert found["bz2"] == 8 * len(files["bz2"])
    assert text_size(str(tmp_path)) == text_size(str(tmp_path / "absent")) == 0


GIB = 1 << 30


def machine(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


MEMINFO = {"proc/meminfo": f"MemTotal: {32 << 20} kB\nMemAvailable: {16 << 20} kB\n"}
V2 = {"proc/self/cgroup": "0::/job/step\n", "sys/fs/cgroup/job/step/memory.max": "max\n"}
V2_LIMIT = {
    "sys/fs/cgroup/job/memory.max": f"{4 * GIB}\n",
    "sys/fs/cgroup/job/memory.current": f"{3 * GIB}\n",
    "sys/fs/cgroup/job/memory.stat": f"anon 1\ninactive_file {GIB}\n",
}
V1_LIMIT = {
    "proc/self/cgroup": "5:cpu:/\n4:memory:/job\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{8 * GIB}\n",
    "sys/fs/cgroup/memory/memory.usage_in_bytes": f"{5 * GIB}\n",
}


@pytest.mark.parametrize(
    ("files", "expected"),
    [(MEMINFO, 16 * GIB), (MEMINFO | V2, 16 * GIB), (MEMINFO | V2 | V2_LIMIT, 2 * GIB), (MEMINFO | V1_LIMIT, 3 * GIB)],
    ids=["a machine", "a group without a limit", "a limit above the group", "a limit of the first kind of groups"],
)
def test_the_memory_available_is_the_machine_s_or_what_a_limit_leaves(tmp_path, files, expected):
    assert available_memory(machine(tmp_path, files)) == expected


def test_the_memory_of_this_machine_is_known():
    assert available_memory() is not None
    assert machine_memory() is machine_memory()


@pytest.fixture
def forks(monkeypatch):
    """Any work is much, and the threads of pytest-xdist are none."""
    if sys.platform != "linux":
        pytest.skip("processes are forked on Linux alone")
    monkeypatch.setattr(in_flight, "_MUCH", 0)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    workers, forked = [], in_flight._forked
    monkeypatch.setattr(in_flight, "_forked", lambda *work: workers.append(forked(*work)) or workers[-1])
    yield
    assert workers
    for process, _ in workers:
        with pytest.raises(ChildProcessError):  # none is left
            os.waitpid(process, os.WNOHANG)


SOURCES = [Source(f"{number}", f"runs/{number}") for number in range(9)]


def test_processes_give_the_results_of_threads_in_their_order(forks):
    results = list(in_parallel(lambda source: (source.name, os.getpid()), SOURCES, 3))
    assert [name for name, _ in results] == [source.name for source in SOURCES]
    assert results[0][1] == os.getpid()
    assert len({process for _, process in results[1:]} - {os.getpid()}) == 3


def test_what_a_process_leaves_undone_is_done_here(forks):
    here = os.getpid()

    def work(source: Source) -> str:
        if source.name == "3" and os.getpid() != here:
            os._exit(1)
        return source.name

    assert list(in_parallel(work, SOURCES, 2)) == [source.name for source in SOURCES]


def test_an_error_of_a_process_is_raised_here_and_closing_ends_the_processes(forks):
    def fail(source: Source) -> int:
        return 1 // (4 - int(source.name))

    with pytest.raises(ZeroDivisionError):
        list(in_parallel(fail, SOURCES, 2))
    results = in_parallel(lambda source: source.name and bytes(1 << 20), SOURCES, 2)
    next(results)
    next(results)
    results.close()


def test_a_process_leaves_what_is_said_at_a_signal_to_its_parent(forks):
    said = [signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)]
    ignored = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        work = in_parallel(lambda _: (signal.getsignal(signal.SIGINT) is signal.SIG_DFL, _ignores_hangup()), SOURCES, 2)
        assert list(work)[1:] == [(True, True)] * (len(SOURCES) - 1)
    finally:
        for number, handler in zip((signal.SIGINT, signal.SIGTERM, signal.SIGHUP), (*said, ignored), strict=True):
            signal.signal(number, handler)


def _ignores_hangup() -> bool:
    return signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
