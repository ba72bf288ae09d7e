"""What text and JSON say of systems of several runs: how many there are, and what is made from their means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from biasvar_cli.tables.table import Table, direction_notes, listed
from biasvar_cli.words import in_nouns, numbered

if TYPE_CHECKING:
    from biasvar_cli.scores import Replicates

Rest = ParamSpec("Rest")
TableOf = Callable[Concatenate[Any, Rest], Table]

_ALL = 999  # systems and runs that --notes full names


def with_systems(scores: str, *notes: str, details: tuple[str, ...] = ()) -> Callable[[TableOf[Rest]], TableOf[Rest]]:
    """A function of an answer that makes a table, which says what its rows are where they are systems of several runs.

    ``scores`` is the attribute of the answer that has the score matrix. ``notes`` say what is made from the means over
    the replicates, and ``details`` are for ``--notes full``. JSON has the runs of every system. A table of runs stays,
    but for a note where less of the measure is better, or may be.
    """
    matrix = attrgetter(scores)

    def decorated(table_of: TableOf[Rest]) -> TableOf[Rest]:
        @wraps(table_of)
        def table(answer: Any, /, *arguments: Rest.args, **named: Rest.kwargs) -> Table:
            made = table_of(answer, *arguments, **named)
            replicates: Replicates | None = matrix(answer).replicates
            of_direction = direction_notes(matrix(answer).measure, matrix(answer).better)
            made = replace(made, notes=(*made.notes, *of_direction)) if of_direction else made
            if replicates is None:
                return made
            return replace(
                made,
                notes=(*made.notes, row_note(sizes_words(replicates)), *_in_nouns(notes)),
                details=(*made.details, *_in_nouns(details), *member_notes(replicates)),
                document={**made.document, "systems": {name: list(runs) for name, runs in replicates.members.items()}},
            )

        return table

    return decorated


def _in_nouns(notes: Iterable[str]) -> Iterator[str]:
    """Constant notes, in which the runs of a system are called runs."""
    return (in_nouns(note, runs=False) for note in notes)


def row_note(sizes: str) -> str:
    """How many systems there are, of how many runs, and what their scores are."""
    return f"Rows are systems: {sizes}. Scores are means over these runs."


def sizes_words(replicates: Replicates) -> str:
    """How many systems there are, and of how many runs.

    >>> import numpy as np
    >>> from biasvar_cli.scores import Replicates, ScoreMatrix
    >>> runs = ScoreMatrix(np.array([[0.3], [0.5], [0.4]]), ("A-1", "A-2", "B"), ("q1",), "AP")
    >>> sizes_words(Replicates(runs, {"A-1": "A", "A-2": "A", "B": "B"}))
    '2 systems with 1 to 2 runs each (3 runs in all)'
    """
    least, most = int(replicates.sizes.min()), int(replicates.sizes.max())
    systems, runs = numbered(len(replicates.sizes), "system"), numbered(replicates.runs.n_runs, "run")
    if len(replicates.sizes) == 1:
        return f"{systems} with {runs}"
    number = numbered(most, "run") if least == most else f"{least} to {numbered(most, 'run')}"
    return f"{systems} with {number} each ({runs} in all)"


def member_notes(replicates: Replicates) -> Iterator[str]:
    """Which runs are of which system, where a system has several."""
    several = [f"{name} ({listed(runs, _ALL)})" for name, runs in replicates.members.items() if len(runs) > 1]
    if several:
        yield f"Systems of several runs: {'; '.join(several)}."
