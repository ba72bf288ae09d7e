"""Files in flight: as many at once as there are jobs, and as there is memory for."""

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


class Room:
    """Memory for so many bytes, which pieces of work share; None for no bound."""

    def __init__(self, size: float | None) -> None:
        self._size = size
        self._taken = 0.0
        self._change = threading.Condition()

    @contextmanager
    def share(self, size: float, given_up: threading.Event) -> Iterator[bool]:
        """Wait until there is room for ``size`` bytes, or nothing else takes any; False if it was given up before.

        >>> with Room(10).share(20, threading.Event()) as there_is_room:
        ...     print(there_is_room)
        True
        """
        with self._change:
            self._change.wait_for(lambda: given_up.is_set() or self._fits(size))
            there_is_room = not given_up.is_set()
            self._taken += size
        try:
            yield there_is_room
        finally:
            with self._change:
                self._taken -= size
                self._change.notify_all()

    def wake(self) -> None:
        """Make those who wait see what was given up."""
        with self._change:
            self._change.notify_all()

    def _fits(self, size: float) -> bool:
        return self._size is None or not self._taken or self._taken + size <= self._size


@cache
def machine_room() -> Room:
    """The room that all work of this process shares: most of what was available when it was first asked for."""
    available = available_memory()
    return Room(None if available is None else _SHARE * available)


def in_threads(
    function: Callable[[Source], Result], sources: Sequence[Source], jobs: int, room: Room | None = None
) -> Generator[Result]:
    """``function`` of every source, in the order of the sources, in threads: what takes long releases the interpreter.

    ``jobs`` sources are worked on at once, and fewer where there is no room for their texts: then they wait. One is
    worked on in any case. When the generator is closed, what was not started is not done.

    >>> list(in_threads(lambda source: source.name, [Source("b", "runs/b"), Source("a", "runs/a")], 2))
    ['b', 'a']
    """
    shared = machine_room() if room is None else room
    given_up = threading.Event()

    def work(source: Source) -> list[Result]:
        with shared.share(_PER_BYTE * text_size(source.path), given_up) as there_is_room:
            return [function(source)] if there_is_room else []

    executor = ThreadPoolExecutor(max(1, min(jobs, len(sources))))
    try:
        for found in executor.map(work, sources):
            yield from found
    finally:
        given_up.set()
        shared.wake()
        executor.shutdown(wait=False, cancel_futures=True)
