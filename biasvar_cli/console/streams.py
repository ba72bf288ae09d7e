"""The standard streams and the interrupt, as a program of its own has them: what `biasvar_cli.__main__` sets up first.

Python leaves a stream that is closed out, takes a short write for a whole one where PYTHONUNBUFFERED is set, and raises
KeyboardInterrupt in the midst of anything, where libraries may take it for an error of their own.
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
    """Nobody reads standard output any more: there is nothing left to do, and nothing to say."""


def set_up() -> None:
    """Let an interrupt end the program at once, and make the standard streams such that writing to them is safe.

    A stream that is closed gets its number back, so that no other file is opened under it, but nothing can be read or
    written there. Standard output is written to the end or raises `ClosedPipe` or `BiasVarError`; what cannot be
    written to standard error is lost, and changes nothing else. Lines end in a line feed on every system, and a sign
    that the encoding lacks is written as an escape.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where whoever started us ignores it
        signal.signal(signal.SIGINT, _end)
    for ending in _ENDING:
        if signal.getsignal(ending) is signal.SIG_DFL:
            signal.signal(ending, _die)
    for number, refused in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:  # closed: the null device gets its number, the lowest that is free, and fails when it is used
            os.open(os.devnull, refused)
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)))
    sys.stdout = _text(_Output(1, sys.stdout), sys.stdout)
    sys.stderr = _text(_Messages(2, sys.stderr), sys.stderr)


def write_to_end(write: Callable[[Any], int | None], fileno: Callable[[], int], data: Any) -> int:
    """Write all of the data to standard output, a piece at a time if need be; returns how many bytes these were.

    ``write`` takes bytes and returns how many it wrote, None where nobody can take any now; ``fileno`` returns the
    descriptor that is then waited for. Raises `ClosedPipe`, and `BiasVarError` where standard output cannot be written.

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
        if error.errno == errno.EINVAL and words.ON_WINDOWS:  # what Windows says of a broken pipe
            raise ClosedPipe from None
        why = "it is closed" if error.errno == errno.EBADF else error.strerror
        raise BiasVarError(f"standard output cannot be written: {why}") from None
    return n_bytes


class _Raw(io.FileIO):
    """A standard stream by its number; a console of Windows, whose code page is not UTF-8, through Python's stream."""

    def __init__(self, number: int, former: TextIO | None) -> None:
        super().__init__(number, "w", closefd=False)
        raw = getattr(former, "buffer", None)
        raw = getattr(raw, "raw", raw)
        self._console = raw if type(raw).__name__ == "_WindowsConsoleIO" else None

    def some(self, data: Any) -> int | None:
        """Write some of the data, and return how many bytes these were; None where nobody can take any now."""
        return super().write(data) if self._console is None else self._console.write(data)


class _Output(_Raw):
    """Standard output, written to the end."""

    def write(self, data: Any, /) -> int:
        return write_to_end(self.some, self.fileno, data)


class _Messages(_Raw):
    """Standard error: what cannot be written is lost."""

    def write(self, data: Any, /) -> int:
        with contextlib.suppress(OSError):
            self.some(data)
        return len(data)


def _text(raw: io.FileIO, former: TextIO | None) -> TextIO:
    """A text stream that keeps nothing back, with the encoding that Python gave to the former one."""
    encoding, errors = (former.encoding, former.errors) if former is not None else ("utf-8", "backslashreplace")
    errors = "backslashreplace" if errors == "strict" else errors
    return io.TextIOWrapper(raw, encoding=encoding, errors=errors, newline="\n", write_through=True)


def _end(*_: object) -> None:
    """End the program now, leave no file that is half written, and show the cursor, which a bar may have hidden."""
    _leave_nothing()
    with contextlib.suppress(OSError):
        os.write(2, _cursor() + b"\nbiasvar: interrupted\n")
    os._exit(INTERRUPTED)


def _die(number: int, _: object) -> None:
    """End the program now as the signal does that somebody has sent it, without a file that is half written."""
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
