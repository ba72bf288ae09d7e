"""Work on a cluster, through Dask's distributed client."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from biasvar_cli.errors import BiasVarError, UsageError, needs_extra
from biasvar_cli.specs import DASK_TIMEOUT
from biasvar_cli.words import argument

Item = TypeVar("Item")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

_TRIES = 3
_LOOK = 1  # second between two looks at the workers, while a result is waited for
_CLOSING = 2  # seconds to take leave of a scheduler, which may be gone
_ADDRESS = re.compile(r"(?:(?:tcp|tls|wss?|ucxx?)://)?(?:[\w.-]+|\[[0-9a-fA-F:.]+(?:%\w+)?\]):(\d{1,5})", re.ASCII)


def map_on_cluster(
    address: str,
    function: Callable[[Item, Shared], Result],
    items: Sequence[Item],
    shared: Shared,
    *,
    timeout: float = DASK_TIMEOUT,
) -> Generator[Result]:
    """``function(item, shared)`` for every item, on the workers of the scheduler at ``address``, in order of the items.

    ``shared`` is sent to every worker once, and again from the scheduler if the workers that have it die. A task whose
    worker dies is tried again, up to three times. The log of distributed is silenced: the errors raised here say what
    is wrong with a scheduler.

    Raises `UsageError` if the extra ``dask`` is not installed, for what is no address, or if no scheduler with a worker
    answers within ``timeout`` seconds; `BiasVarError` if a task fails, the scheduler ends, or there is no worker for
    ``timeout`` seconds.
    """
    client = _connected(address, timeout)
    sent = client.submit(lambda same: same, shared, pure=False)  # a task can be done again; scattered data can be lost
    futures = [client.submit(function, item, sent, retries=_TRIES, pure=False) for item in items]
    try:
        with _failures(address):
            for future in futures:
                yield _result(future, client, timeout)
    finally:
        with contextlib.suppress(Exception):  # with the scheduler, its work has ended too
            client.cancel([sent, *futures])
        with contextlib.suppress(Exception):
            client.close(timeout=_CLOSING)


def _connected(address: str, timeout: float) -> Any:
    """A client of the scheduler at an address, which has a worker."""
    match = _ADDRESS.fullmatch(address)
    if match is None or not 1 <= int(match[1]) <= 65535:
        raise UsageError(f"{argument(dask=address)}: not the address of a scheduler; write it as tcp://HOST:PORT")
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
        raise UsageError(
            f"{argument(dask=address)}: {what} within {timeout:g} s ({argument('dask_timeout')})"
        ) from None
    return client


async def _identity(address: str, timeout: float) -> None:
    """Ask a scheduler who it is, and nothing else."""
    from distributed import Security
    from distributed.core import rpc

    arguments = Security().get_connection_args("client")
    async with rpc(address, timeout=timeout, connection_args=arguments) as scheduler:
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
            raise BiasVarError(f"there has been no worker for {timeout:g} s ({argument('dask_timeout')})")


@contextlib.contextmanager
def _failures(address: str) -> Iterator[None]:
    """Name the cluster in its errors."""
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    try:
        yield
    except KilledWorker as error:
        raise BiasVarError(f"{argument(dask=address)}: a task ended {_TRIES} workers: {_first(error)}") from None
    except (CancelledError, CommClosedError):
        raise BiasVarError(f"{argument(dask=address)}: the scheduler ended, or dropped the work; try again") from None
    except BiasVarError as error:
        raise BiasVarError(f"{argument(dask=address)}: {error.message}") from None


def _be_quiet() -> None:
    """Silence the loggers of distributed and of its event loop, which would go on after this program's own error."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")]
    for name in [*names, "asyncio"]:
        logger = logging.getLogger(name)
        logger.handlers = [logging.NullHandler()]
        logger.propagate = False


def _first(error: BaseException) -> str:
    return (str(error).split("\n")[0] or type(error).__name__)[:300]
