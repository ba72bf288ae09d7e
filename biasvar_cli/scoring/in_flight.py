"""Files in flight: as many at once as there are jobs, and as there is memory for.

Threads score the runs, because parsing, inflating and most array work let go of the interpreter. On two cores a run
takes 5.5 ms in one thread, 3.9 in two threads, and 2.9 in two forked processes: the threads wait for each other about a
quarter of the time. Processes would cost a second copy of everything in memory, start-up, and the care that forking
beside other threads, errors and interrupts need; 400 runs would take 1.4 s instead of 1.8.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

from biasvar_cli.readers.memory import available_memory, text_size
from biasvar_cli.readers.sources import Source

Result = TypeVar("Result")

_PER_BYTE = 3  # bytes of memory that a byte of text takes at the most, while a run is read and scored
_SHARE = 0.8  # of the memory that is available; the rest is for what is kept of each file, and for other programs


class MemoryBudget:
    """Memory of ``size`` bytes that pieces of work share; None for no bound."""

    def __init__(self, size: float | None) -> None:
        self._size = float("inf") if size is None else size
        self._taken = 0.0
        self._change = threading.Condition()

    @contextmanager
    def share(self, size: float, given_up: threading.Event) -> Iterator[bool]:
        """Wait until ``size`` bytes fit, or nothing else takes any; False if it was given up before.

        >>> with MemoryBudget(10).share(20, threading.Event()) as fits:
        ...     print(fits)
        True
        """
        with self._change:
            self._change.wait_for(lambda: given_up.is_set() or self._taken + size <= max(self._size, size))
            fits = not given_up.is_set()
            self._taken += size
        try:
            yield fits
        finally:
            with self._change:
                self._taken -= size
                self._change.notify_all()

    def wake(self) -> None:
        """Make those who wait see what was given up."""
        with self._change:
            self._change.notify_all()


@cache
def machine_memory() -> MemoryBudget:
    """The memory that all work of this process shares: most of what was available when it was first asked for."""
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
    given_up = threading.Event()

    def work(source: Source) -> list[Result]:
        with shared.share(_PER_BYTE * text_size(source.path), given_up) as fits:
            return [function(source)] if fits else []

    executor = ThreadPoolExecutor(max(1, min(jobs, len(sources))))
    try:
        for results in executor.map(work, sources):
            yield from results
    finally:
        given_up.set()
        shared.wake()
        executor.shutdown(wait=False, cancel_futures=True)
