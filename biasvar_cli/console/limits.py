"""Run under a limit of the address space (``ulimit -v``): reserve little of it, and report when it is used up.

numpy, Arrow and the C library end a process that gets no memory. The program therefore runs in a child process, whose
parent reports the error.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable

_M_ARENA_MAX = -8  # of malloc.h
_GIVEN_UP = 127  # the exit code of the C library when it has no memory for a thread
_PATIENCE = 1.0  # seconds


def is_limited() -> bool:
    """Whether the address space of this process is limited."""
    try:
        import resource
    except ImportError:  # not a Unix
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def watched(main: Callable[[], int]) -> int:
    """Run the program in a child process, and return its exit code, or 1 if a library has ended it."""
    _reserve_little()
    child = os.fork()
    if not child:
        return main()

    def pass_on(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)
            time.sleep(_PATIENCE)
            os.kill(child, signal.SIGKILL)  # a library may block other signals

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) not in (signal.SIG_IGN, signal.SIG_DFL):
            signal.signal(number, pass_on)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code in (-signal.SIGTERM, -signal.SIGHUP, -signal.SIGKILL):
        if code != -signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    if code < 0 or code == _GIVEN_UP:
        why = f" (a library ended with {signal.Signals(-code).name})" if code < 0 else ""
        lack = "there is not enough memory within the limit of ulimit -v"
        os.write(2, f"biasvar: error: {lack}{why}; raise it, or give fewer or smaller files\n".encode())
        return 1
    return code


def _reserve_little() -> None:
    """Allocate all memory from one arena: one for each thread would reserve far more than is used."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError, TypeError):  # other systems have other allocators
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
