"""The progress of long work: loops report what is finished, and a terminal shows it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeVar

Kind = Literal["files", "models", "tracks", "simulated", "tested"]  # the last two are samples: of null models, of tests
Watcher = Callable[[int, int | None], None]  # takes a number of things just finished and, where it is known, of all
Item = TypeVar("Item")
_WATCHER: ContextVar[tuple[Kind, Watcher] | None] = ContextVar("_WATCHER", default=None)


@contextmanager
def watched(kind: Kind, watcher: Watcher) -> Iterator[None]:
    """Tell a watcher of the things of one kind that this thread finishes meanwhile.

    >>> with watched("tested", print):
    ...     finished("tested", 250)
    ...     finished("simulated", 100)
    250 None
    """
    before = _WATCHER.set((kind, watcher))
    try:
        yield
    finally:
        _WATCHER.reset(before)


def finished(kind: Kind, number: int, length: int | None = None) -> None:
    """Say that a number of things, of a whole ``length``, is finished; nobody hears it of another kind or thread."""
    watching = _WATCHER.get()
    if watching is not None and watching[0] == kind:
        watching[1](number, length)


def counting(kind: Kind, items: Iterable[Item], length: int) -> Iterator[Item]:
    """The items, each of which is finished when it is there.

    >>> with watched("files", print):
    ...     list(counting("files", "ab", 2))
    0 2
    1 2
    1 2
    ['a', 'b']
    """
    finished(kind, 0, length)
    for item in items:
        finished(kind, 1, length)
        yield item
