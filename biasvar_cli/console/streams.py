"""The standard streams and the signals of the program, which `biasvar_cli.__main__` sets up first.

Python sets a closed stream to None, takes an incomplete write for a complete one under PYTHONUNBUFFERED, and raises
KeyboardInterrupt anywhere, also in libraries that take it for an error of their own.
"""

import contextlib
import errno
import io
import os
import select
import signal
import sys
from collections.abc import Callable
from typing import Any, TextIO

from biasvar_cli import words
from biasvar_cli.errors import BiasVarError
from biasvar_cli.whole_files import unfinished

INTERRUPTED = 130
_SHOW_CURSOR = b"\x1b[?25h"
_ENDING = [signal.SIGTERM, *([] if words.ON_WINDOWS else [signal.SIGHUP])]


class ClosedPipe(Exception):
    """Nobody reads standard output any more; the program ends without a message."""


def set_up() -> None:
    """Let signals end the program at once, and replace the standard streams by streams that are safe to write to.

    The number of a closed stream is taken by the null device, opened such that using it fails, so that no other file
    gets that number. Standard output is written completely, or writing raises `ClosedPipe` or `BiasVarError`. What
    cannot be written to standard error is lost. Lines end in a line feed on every system, and a character that the
    encoding lacks is written as an escape.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if the parent process ignores interrupts
        signal.signal(signal.SIGINT, _exit_interrupted)
    for ending in _ENDING:
        if signal.getsignal(ending) is signal.SIG_DFL:
            signal.signal(ending, _exit_by_signal)
    for number, refused in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except (
            OSError
        ):  # closed: the null device, in the wrong mode, takes its number, which is the lowest that is free
            os.open(os.devnull, refused)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout = _text(_Output(1, sys.stdout), sys.stdout)
    sys.stderr = _text(_Messages(2, sys.stderr), sys.stderr)


def write_to_end(write: Callable[[Any], int | None], fileno: Callable[[], int], data: Any) -> int:
    """Write all of the data to standard output, in as many pieces as it takes, and return the number of bytes.

    ``write`` takes bytes and returns the number of bytes that it wrote, or None if the descriptor, which ``fileno``
    returns, is not ready. Raises `ClosedPipe`, and `BiasVarError` if standard output cannot be written.

    >>> pieces = []
    >>> write_to_end(lambda data: pieces.append(bytes(data[:2])) or 2, int, b"abcdef")
    6
    >>> pieces
    [b'ab', b'cd', b'ef']
    """
    left = memoryview(data).cast("B")
    n_bytes = len(left)
    try:
        while left:
            written = write(left)
            if written is None:
                select.select([], [fileno()], [])
            else:
                left = left[written:]
    except BrokenPipeError:
        raise ClosedPipe from None
    except OSError as error:
        if error.errno == errno.EINVAL and words.ON_WINDOWS:  # the error of Windows for a broken pipe
            raise ClosedPipe from None
        why = "it is closed" if error.errno == errno.EBADF else error.strerror
        raise BiasVarError(f"standard output cannot be written: {why}") from None
    return n_bytes


class _Raw(io.FileIO):
    """A standard stream by its number. A console of Windows is written through Python's stream, which recodes."""

    def __init__(self, number: int, former: TextIO | None) -> None:
        super().__init__(number, "w", closefd=False)
        raw = getattr(former, "buffer", None)
        raw = getattr(raw, "raw", raw)
        self._console = raw if type(raw).__name__ == "_WindowsConsoleIO" else None

    def some(self, data: Any) -> int | None:
        """Write some of the data, and return the number of bytes; None if the stream is not ready."""
        return super().write(data) if self._console is None else self._console.write(data)


class _Output(_Raw):
    """Standard output; every write is complete."""

    def write(self, data: Any, /) -> int:
        return write_to_end(self.some, self.fileno, data)


class _Messages(_Raw):
    """Standard error: what cannot be written is lost."""

    def write(self, data: Any, /) -> int:
        with contextlib.suppress(OSError):
            self.some(data)
        return len(data)


def _text(raw: io.FileIO, former: TextIO | None) -> TextIO:
    """An unbuffered text stream with the encoding of Python's stream, ``former``."""
    encoding, errors = (former.encoding, former.errors) if former is not None else ("utf-8", "backslashreplace")
    errors = "backslashreplace" if errors == "strict" else errors
    return io.TextIOWrapper(raw, encoding=encoding, errors=errors, newline="\n", write_through=True)


def _exit_interrupted(*_: object) -> None:
    """Exit at once: remove unfinished files, and show the cursor, which a progress bar may have hidden."""
    _leave_nothing()
    with contextlib.suppress(OSError):
        os.write(2, _cursor() + b"\nbiasvar: interrupted\n")
    os._exit(INTERRUPTED)


def _exit_by_signal(number: int, _: object) -> None:
    """Remove unfinished files, and end the program by the signal that it received."""
    _leave_nothing()
    with contextlib.suppress(OSError):
        os.write(2, _cursor())
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _leave_nothing() -> None:
    for name in tuple(unfinished):
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108


def _cursor() -> bytes:
    return _SHOW_CURSOR if os.isatty(2) and not words.ON_WINDOWS else b""
