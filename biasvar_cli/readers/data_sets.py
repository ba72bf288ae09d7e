"""Relevance judgments by the id of a data set of ir_datasets, which loads them, if need be from the network."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from biasvar_cli.errors import DataError, UsageError, needs_extra
from biasvar_cli.words import examples, near_names

_PREFIX = "irds:"
_NETWORK = ("requests", "urllib3", "urllib", "http", "socket", "ssl")  # packages whose errors are those of a download
_LONGEST = 200


def is_data_set(path: str) -> bool:
    """Whether a name is that of a data set, and not of a file.

    >>> is_data_set("irds:vaswani"), is_data_set("qrels/vaswani.txt")
    (True, False)
    """
    return path.startswith(_PREFIX)


def data_set_qrels(path: str) -> bytes:
    """The judgments of the data set in ``irds:ID``, as a file of qrels has them; subtopics in column 2, if it has any.

    Raises `UsageError` where ir_datasets is not installed, and for an id that it does not know or that has no
    judgments; `DataError` where they cannot be loaded.
    """
    if path == _PREFIX:
        raise UsageError(f"{path} is without the id of a data set; give one, such as {_PREFIX}vaswani")
    with _without_its_log():
        judgments = _judgments(path, _data_set(path))
    return b"".join(_line(judgment) for judgment in judgments)


def _data_set(path: str) -> Any:
    try:
        import ir_datasets
    except ImportError:
        raise needs_extra(f"{path}: a data set of ir_datasets", "datasets") from None
    name = path.removeprefix(_PREFIX)
    try:
        data_set = ir_datasets.load(name)
    except KeyError:
        parts = [registered for registered in ir_datasets.registry if f"/{name}/" in f"/{registered}/"]
        near = parts[:3] or near_names(name, ir_datasets.registry)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"{path}: ir_datasets has no data set of that id{hint}") from None
    except Exception as error:  # every data set is made in its own way
        raise _failed(path, error) from None
    if not data_set.has_qrels():
        names = [registered for registered in ir_datasets.registry if registered.startswith(f"{name}/")]
        judged = [registered for registered in names if ir_datasets.load(registered).has_qrels()]
        hint = f"; those below it that have are {examples(judged, 5)}" if judged else ""
        raise UsageError(f"{path}: the data set has no relevance judgments{hint}")
    return data_set


def _judgments(path: str, data_set: Any) -> list[Any]:
    try:
        return list(data_set.qrels_iter())
    except Exception as error:  # downloads fail in many ways
        raise _failed(path, error) from None


def _failed(path: str, error: Exception) -> DataError:
    """The error of a data set that cannot be loaded; ir_datasets nests those of all places that it downloads from."""
    while error.args and _of_mirrors(error.args[-1]):
        error = error.args[-1][-1][1]
    what = str(error).split("\n")[0]
    kind = type(error).__name__
    if not (isinstance(error, ConnectionError | TimeoutError) or type(error).__module__.startswith(_NETWORK)):
        return DataError(f"ir_datasets cannot load it: {kind}: {what[:_LONGEST]}", path=path)
    url = str(getattr(getattr(error, "request", None), "url", None) or "")
    why = f"{kind} at {urlsplit(url).netloc}" if url else f"{kind}: {what[:_LONGEST]}"
    remedy = "check the network, or download the judgments and give the file"
    return DataError(f"ir_datasets cannot download it ({why}); {remedy}", path=path)


def _of_mirrors(errors: object) -> bool:
    """Whether these are the pairs of a place and its error that ir_datasets gives where all have failed."""
    return (
        isinstance(errors, list)
        and bool(errors)
        and all(isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[1], Exception) for pair in errors)
    )


@contextmanager
def _without_its_log() -> Iterator[None]:
    """Keep the log of ir_datasets off the terminal: what goes wrong is an error of ours."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def _line(judgment: Any) -> bytes:
    """A judgment as a line of qrels; data sets that were not made for TREC have no iteration."""
    second = getattr(judgment, "subtopic_id", None) or getattr(judgment, "iteration", None) or "0"
    return f"{judgment.query_id} {second} {judgment.doc_id} {judgment.relevance}\n".encode()
