"""Work on a cluster, through Dask's distributed client."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError
from typing import TypeVar

from biasvar_cli.errors import BiasVarError, UsageError

Item = TypeVar("Item")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

_TRIES = 3
_SECONDS = 30


def map_on_cluster(
    address: str, function: Callable[[Item, Shared], Result], items: Sequence[Item], shared: Shared
) -> Generator[Result]:
    """``function(item, shared)`` for every item, on the workers of the scheduler at ``address``, in order of the items.

    ``shared`` is sent to every worker once, and again from the scheduler if the workers that have it die. A task whose
    worker dies is tried again, up to three times. Raises `UsageError` if the extra ``dask`` is not installed or no
    scheduler with a worker answers, `BiasVarError` if a task fails or the scheduler ends.
    """
    try:
        import dask
        from distributed import Client, KilledWorker
        from distributed.comm import CommClosedError
    except ImportError:
        raise UsageError("--dask needs another package: pip install 'biasvar-cli[dask]'") from None
    try:
        client = Client(address, timeout=_SECONDS, set_as_default=False)
        client.wait_for_workers(1, timeout=_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        what = str(error).split("\n")[0]
        raise UsageError(f"--dask {address}: no scheduler with a worker answers ({what})") from None
    with client, dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
        sent = client.submit(_same, shared, pure=False)  # a task can be done again; scattered data can be lost
        futures = [client.submit(function, item, sent, retries=_TRIES, pure=False) for item in items]
        try:
            for future in futures:
                yield future.result()
        except KilledWorker as error:
            raise BiasVarError(f"--dask {address}: a task ended {_TRIES} workers: {error}") from None
        except (CancelledError, CommClosedError):
            raise BiasVarError(f"--dask {address}: the scheduler ended, or dropped the work; try again") from None
        finally:
            with contextlib.suppress(CommClosedError, TimeoutError):  # with the scheduler, its work has ended too
                client.cancel([sent, *futures])


def _same(shared: Shared) -> Shared:
    return shared
