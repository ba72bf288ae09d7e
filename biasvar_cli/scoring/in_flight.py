"""How many files are read and scored at once: as many as there are jobs, if their texts fit into memory.

Or they are scored on other machines, through the client of Dask's package distributed.

Parsing, inflating and most array work let go of the interpreter, and yet threads wait for each other: about a quarter
of the time on runs of usual size, and nearly all of it on files of a hundred lines. Much work is therefore done by
forked processes, where that is safe: on Linux, and where no other thread of Python is there to be copied halfway.
"""

import contextlib
import logging
import os
import pickle
import re
import signal
import stat
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import Context
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from biasvar_cli import words
from biasvar_cli.errors import BiasVarError, UsageError, needs_extra
from biasvar_cli.readers.sources import STDIN, Source, is_url
from biasvar_cli.words import argument

_LARGE = 1 << 20  # bytes; smaller files are not worth a look inside
_PACKED = ((b"\x1f\x8b", 4), (b"BZh", 8), (b"\xfd7zXZ\x00", 8), (b"\x28\xb5\x2f\xfd", 5))  # text in a byte, about
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2 = ("memory.max", "memory.current", "inactive_file")


def text_size(path: str) -> int:
    """About how many bytes of text an input has: of a compressed file an estimate, 0 where nothing is known.

    A gzip file ends with the size of its text, but for what is above 4 GB and for all but its last part; no run that
    is compressed 4 times is estimated below its size. Nothing is known of standard input, a URL, a pipe.

    >>> text_size("-"), text_size("s3://bucket/runs/bm25.gz")
    (0, 0)
    """
    if path == STDIN or is_url(path):
        return 0
    try:
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size < _LARGE:
            return status.st_size if stat.S_ISREG(status.st_mode) else 0
        with Path(path).open("rb") as file:
            start = file.read(6)
            file.seek(-4, os.SEEK_END)
            end = file.read(4)
    except OSError:
        return 0  # whoever reads it says what is wrong
    ratio = next((times for magic, times in _PACKED if start.startswith(magic)), 1)
    named = int.from_bytes(end, "little") if start.startswith(b"\x1f\x8b") else 0
    return max(ratio * status.st_size, named)


def available_memory(root: Path = Path("/")) -> int | None:
    """The bytes that the machine has available, or a control group or ``ulimit -v`` allows; None if unknown.

    The control groups are those of this process and those above them. ``root`` is where ``proc`` and ``sys`` are. A
    system that does not say what is available has half of all available.
    """
    limits, fields = [], _fields(root / "proc" / "meminfo")
    if "MemAvailable" in fields:
        limits.append(1024 * fields["MemAvailable"])
    else:
        with contextlib.suppress(AttributeError, OSError, ValueError):
            limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
    top = root / "sys" / "fs" / "cgroup"  # in a container the root is its own group
    for line in _text(root / "proc" / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        (limit, usage, reclaimable), base = (_V1, top / "memory") if controllers else (_V2, top)
        group = base / path.lstrip("/")
        for folder in {base, group, *(parent for parent in group.parents if parent.is_relative_to(base))}:
            allowed, used = _text(folder / limit).strip(), _text(folder / usage).strip()
            if allowed.isdigit() and used.isdigit():
                limits.append(int(allowed) - int(used) + _fields(folder / "memory.stat").get(reclaimable, 0))
    with contextlib.suppress(ImportError):  # not a Unix
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        pages = _text(root / "proc" / "self" / "statm").split()
        if most != resource.RLIM_INFINITY and pages:
            limits.append(most - int(pages[0]) * resource.getpagesize())
    return max(0, min(limits)) if limits else None


def _fields(path: Path) -> dict[str, int]:
    """The lines ``name value`` or ``name: value unit`` of a file that has whole numbers for values."""
    rows = [line.replace(":", " ").split() for line in _text(path).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


Result = TypeVar("Result")

_PER_BYTE = 3  # bytes of memory that a byte of text takes at the most, while a run is read and scored
_SHARE = 0.8  # of the memory that is available; the rest is for what is kept of each file, and for other programs


class MemoryBudget:
    """Memory of ``size`` bytes that pieces of work share; None for no bound."""

    def __init__(self, size: float | None) -> None:
        self._size = float("inf") if size is None else size
        self._taken = 0.0
        self._change = threading.Condition()

    def fits(self, size: float) -> bool:
        """Whether ``size`` bytes are no more than all of it."""
        return size <= self._size

    @contextlib.contextmanager
    def share(self, size: float, stopped: threading.Event) -> Iterator[bool]:
        """Wait until ``size`` bytes fit, or nothing else takes any; False if it was given up before.

        >>> with MemoryBudget(10).share(20, threading.Event()) as fits:
        ...     print(fits)
        True
        """
        with self._change:
            self._change.wait_for(lambda: stopped.is_set() or self._taken + size <= max(self._size, size))
            fits = not stopped.is_set()
            self._taken += size
        try:
            yield fits
        finally:
            with self._change:
                self._taken -= size
                self._change.notify_all()

    def wake(self) -> None:
        """Wake the threads that wait for room, so that they see that the work was given up."""
        with self._change:
            self._change.notify_all()


@cache
def machine_memory() -> MemoryBudget:
    """The memory that all work of this process shares: most of what was available at the first call."""
    available = available_memory()
    return MemoryBudget(None if available is None else _SHARE * available)


def in_threads(
    function: Callable[[Source], Result], sources: Sequence[Source], jobs: int, budget: MemoryBudget | None = None
) -> Generator[Result]:
    """``function`` of every source, in the order of the sources, in threads: what takes long releases the interpreter.

    ``jobs`` sources are worked on at once, and fewer where there is no room for their texts: then they wait. One is
    worked on in any case. When the generator is closed, what was not started is not done.

    >>> list(in_threads(lambda source: source.name, [Source("b", "runs/b"), Source("a", "runs/a")], 2))
    ['b', 'a']
    """
    shared = machine_memory() if budget is None else budget
    stopped = threading.Event()

    def work(source: Source) -> list[Result]:
        with shared.share(_PER_BYTE * text_size(source.path), stopped) as fits:
            return [function(source)] if fits else []

    executor = ThreadPoolExecutor(max(1, min(jobs, len(sources))))
    try:
        for results in executor.map(work, sources):
            yield from results
    finally:
        stopped.set()
        shared.wake()
        executor.shutdown(wait=False, cancel_futures=True)


_MUCH = 4 << 20  # bytes of text, which take longer than to fork
_PER_FILE = 20_000  # bytes of text that take as long as what is done once a file


def in_parallel(function: Callable[[Source], Result], sources: Sequence[Source], jobs: int) -> Generator[Result]:
    """``function`` of every source, in the order of the sources, in as many processes or threads as there are ``jobs``.

    Processes are forked where that is safe, the work is long, and the largest texts fit into memory at once; they start
    from what the first source has made, such as the judgments in the form for scoring. What a process leaves undone,
    since the system ended it, is done here. When the generator is closed, the processes end.

    >>> list(in_parallel(lambda source: source.name, [Source("b", "runs/b"), Source("a", "runs/a")], 2))
    ['b', 'a']
    """
    sizes, jobs = sorted(text_size(source.path) for source in sources), min(jobs, len(sources) - 1)
    is_much = jobs > 1 and sum(sizes) + _PER_FILE * len(sizes) > _MUCH
    is_safe = sys.platform == "linux" and threading.active_count() == 1
    if not (is_much and is_safe and machine_memory().fits(_PER_BYTE * sum(sizes[-jobs:]))):
        yield from in_threads(function, sources, jobs)
        return
    yield Context().run(function, sources[0])  # as threads do, outside of the context of who called
    workers: list[tuple[int, BinaryIO]] = []
    try:
        for number in range(jobs):
            workers.append(_forked(function, sources[1 + number :: jobs], [stream for _, stream in workers]))
        for number, source in enumerate(sources[1:]):
            try:
                result = pickle.load(workers[number % jobs][1])  # noqa: S301 (our own)
            except (EOFError, pickle.UnpicklingError):
                result = Context().run(function, source)
            yield result
    finally:
        for process, stream in workers:
            stream.close()
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _forked(
    function: Callable[[Source], Result], sources: Sequence[Source], others: Sequence[BinaryIO]
) -> tuple[int, BinaryIO]:
    """A process that writes what ``function`` makes of each source, and the stream that reads it.

    It ends when nobody reads, because it has no copy of its stream or of the ``others``; and at a signal, without a
    word and without the files of its parent, who says what there is to say.
    """
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which are those of OpenBLAS and Arrow
        process = os.fork()
    if process:
        os.close(write)
        return process, os.fdopen(read, "rb")
    try:
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if callable(signal.getsignal(ending)):  # what its parent ignores, it ignores
                signal.signal(ending, signal.SIG_DFL)
        for stream in (os.fdopen(read, "rb"), *others):
            stream.close()
        with os.fdopen(write, "wb") as out:
            for source in sources:
                pickle.dump(Context().run(function, source), out, pickle.HIGHEST_PROTOCOL)
                out.flush()
    finally:
        os._exit(0)


Item = TypeVar("Item")
Shared = TypeVar("Shared")

_TRIES = 3
_LOOK = 1  # second between two looks at the workers, while a result is waited for
_CLOSING = 2  # seconds to take leave of a scheduler, which may be gone
_ADDRESS = re.compile(r"(?:(?:tcp|tls|wss?|ucxx?)://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+(?:%\w+)?\]):(\d{1,5})", re.ASCII)


def map_on_dask(
    address: str, function: Callable[[Item, Shared], Result], items: Sequence[Item], shared: Shared, *, timeout: float
) -> Generator[Result]:
    """``function(item, shared)`` for every item, on the workers of the scheduler at ``address``, in order of the items.

    ``shared`` is sent to every worker once, and again from the scheduler if the workers that have it die. A task whose
    worker dies is tried again, up to three times. The log of distributed is silenced: the errors raised here say what
    is wrong with a scheduler.

    Raises `UsageError` if the extra ``dask`` is not installed, for what is no address, or if no scheduler with a worker
    answers within ``timeout`` seconds; `BiasVarError` if a worker has no or another version of this program, a task
    fails, the scheduler ends, or the workers end and there is none for ``timeout`` seconds.
    """
    client = _connected(address, timeout)
    import distributed

    sent, futures = None, []
    try:
        _require_version(client)
        sent = client.submit(lambda same: same, shared, pure=False)  # can be done again; scattered data can be lost
        work = partial(_by_version, function, words.VERSION)
        futures = [client.submit(work, item, sent, retries=_TRIES, pure=False) for item in items]
        for future in futures:
            yield _result(future, client, timeout)
    except distributed.KilledWorker as error:
        raise BiasVarError(f"{argument(dask=address)}: a task ended {_TRIES} workers: {_first(error)}") from None
    except (CancelledError, distributed.comm.CommClosedError):
        raise BiasVarError(f"{argument(dask=address)}: the scheduler ended, or dropped the work; try again") from None
    except BiasVarError as error:
        raise BiasVarError(f"{argument(dask=address)}: {error.message}") from None
    finally:
        with contextlib.suppress(Exception):  # with the scheduler, its work has ended too
            client.cancel([sent, *futures] if sent else futures)
        with contextlib.suppress(Exception):
            client.close(timeout=_CLOSING)


def _require_version(client: Any) -> None:
    """Raises `BiasVarError` where a worker has no or another version of this program."""
    of_workers = client.run(lambda: __import__("biasvar_cli.words", fromlist=[""]).VERSION, on_error="return")
    for worker, version in of_workers.items():
        if isinstance(version, ImportError):
            remedy = f"install biasvar {words.VERSION} in the environment that starts the workers"
            raise BiasVarError(f"the worker {worker} has no biasvar ({_first(version)}); {remedy}")
        if isinstance(version, str):  # or else it ended
            _require_same(version, words.VERSION, f"the worker {worker}")


def _by_version(function: Callable[[Item, Shared], Result], version: str, item: Item, shared: Shared) -> Result:
    """The result of a task on a worker. Raises `BiasVarError` where who sent it has another version."""
    _require_same(words.VERSION, version, "a worker")
    return function(item, shared)


def _require_same(version: str, here: str, worker: str) -> None:
    if version != here:
        raise BiasVarError(
            f"{worker} has biasvar {version}, and this is biasvar {here}; install one version everywhere"
        )


def _connected(address: str, timeout: float) -> Any:
    """A client of the scheduler at an address, which has a worker."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 1 <= int(match[1]) <= 65535:
        raise UsageError(f"{argument(dask=address)}: not the address of a scheduler; write it as tcp://HOST:PORT")
    import asyncio

    try:
        import dask
        from distributed import Client
    except ImportError:
        raise needs_extra(argument("dask"), "dask") from None
    _be_quiet()
    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})
    end = time.monotonic() + timeout
    try:
        asyncio.run(_identity(address, timeout))  # a client that fails takes as long again, and says so at its end
        client = Client(address, timeout=max(1, end - time.monotonic()), set_as_default=False)
    except Exception as error:  # whatever else listens there, and however TLS and others are set up
        what = f" ({_first(error)})" if str(error) else ""
        raise UsageError(f"{argument(dask=address)}: no scheduler answers within {timeout:g} s{what}") from None
    try:
        client.wait_for_workers(1, timeout=max(1, end - time.monotonic()))
    except Exception as error:
        with contextlib.suppress(Exception):
            client.close(timeout=_CLOSING)
        what = "the scheduler has no worker" if isinstance(error, TimeoutError) else f"no answer ({_first(error)})"
        within = f"within {timeout:g} s ({argument('dask_timeout')})"
        raise UsageError(f"{argument(dask=address)}: {what} {within}") from None
    return client


async def _identity(address: str, timeout: float) -> None:
    """Ask a scheduler who it is, and nothing else."""
    import asyncio

    import distributed

    arguments = distributed.Security().get_connection_args("client")
    async with distributed.core.rpc(address, timeout=timeout, connection_args=arguments) as scheduler:
        await asyncio.wait_for(scheduler.identity(), timeout)


def _result(future: Any, client: Any, timeout: float) -> Any:
    """The result of a task; waits while there are workers, and ``timeout`` seconds for the first one to come back."""
    end = None
    while True:
        try:
            return future.result(timeout=_LOOK)
        except TimeoutError:
            if future.done():
                return future.result()
        if client.status == "running" and client.scheduler_info()["workers"]:
            end = None
            continue
        end = end or time.monotonic() + timeout
        if time.monotonic() > end:
            none = f"there has been no other for {timeout:g} s ({argument('dask_timeout')})"
            raise BiasVarError(f"all workers ended, and {none}; their logs say why")


def _be_quiet() -> None:
    """Silence the loggers of distributed and of its event loop, which would go on after this program's own error."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")]
    for name in [*names, "asyncio"]:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False


def _first(error: BaseException) -> str:
    return (str(error).split("\n")[0] or type(error).__name__)[:300]
