"""What the text says of systems, each of several runs: how many there are, and what is made from their means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from biasvar_cli.tables.table import Note, listed, plain
from biasvar_cli.words import counted

if TYPE_CHECKING:
    from biasvar_cli.scores import Replicates, ScoreMatrix

_NAMED = 999  # systems and runs of one that are named where all are to be


def system_notes(scores: ScoreMatrix, of: str = "") -> Iterator[Note]:
    """What a row is where rows are systems of several runs; nothing where they are runs.

    ``of`` says what is made from the means over the runs, such as ``tests``.
    """
    replicates = scores.replicates
    if replicates is None:
        return
    made = f"; {of} their means over these runs" if of else ""
    yield Note(f"Each row is a system: {sizes_words(replicates)}{made}.")


def sizes_words(replicates: Replicates) -> str:
    """How many systems there are, of how many runs.

    >>> import numpy as np
    >>> from biasvar_cli.scores import Replicates, ScoreMatrix
    >>> runs = ScoreMatrix(np.array([[0.3], [0.5], [0.4]]), ("A-1", "A-2", "B"), ("q1",), "AP")
    >>> sizes_words(Replicates(runs, {"A-1": "A", "A-2": "A", "B": "B"}))
    '2 systems, 3 runs, 1 to 2 of each system'
    """
    sizes = sorted({int(size) for size in replicates.sizes})
    number = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    systems = counted(len(replicates.systems), "system")
    return f"{systems}, {counted(replicates.runs.n_runs, 'run')}, {number} of each system"


def system_details(scores: ScoreMatrix) -> Iterator[Note]:
    """Which runs are of which system, where some are of several; what ``--notes full`` adds."""
    replicates = scores.replicates
    if replicates is not None:
        several = [f"{name} ({listed(runs, _NAMED)})" for name, runs in replicates.members.items() if len(runs) > 1]
        yield Note(plain(f"Systems of several runs: {'; '.join(several)}."))


def null_details(scores: ScoreMatrix) -> Iterator[Note]:
    """What null models are made of where rows are systems; what ``--notes full`` adds."""
    if scores.replicates is not None:
        yield Note(
            "The null models are made from the mean scores of the systems; every simulated system has the variance "
            "between replicates of the data."
        )


def system_document(scores: ScoreMatrix) -> dict[str, Any]:
    """The runs of every system, a key of JSON; empty where rows are runs."""
    replicates = scores.replicates
    if replicates is None:
        return {}
    return {"systems": {name: list(replicates.members[name]) for name in scores.runs}}
