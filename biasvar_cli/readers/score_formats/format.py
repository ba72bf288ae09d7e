"""What a format of score files is: how it is recognised, how it is read, and examples of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from biasvar_cli.measures import canonical
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.score_formats.tables import Cells
from biasvar_cli.readers.text import DECIMAL, NOT_FINITE

Orient = Literal["queries", "runs"]
NUMBER_WORD = re.compile(f"{DECIMAL}|{NOT_FINITE}".encode(), re.IGNORECASE)
INTEGER_WORD = re.compile(rb"[+-]?\d+")


@dataclass(frozen=True)
class ScoreOptions:
    """How files of scores are to be read.

    ``orient`` and ``id_column`` say what the rows of a matrix are and which column has their ids, ``rows`` what the
    rows are where nothing else tells. ``asked`` are the measures asked for; one alone is the measure of a file that
    names none. Without ``allow_range`` a score that its measure cannot have is an error.
    """

    orient: Orient | None = None
    id_column: str | None = None
    asked: tuple[str, ...] = ()
    allow_range: bool = False
    rows: Orient | None = None

    @property
    def measure(self) -> str | None:
        """The only measure asked for, by ir-measures' spelling; None for several and for none."""
        return canonical(self.asked[0]) if len(self.asked) == 1 else None

    @cached_property
    def names(self) -> frozenset[str]:
        """The measures asked for, by ir-measures' spelling."""
        return frozenset(map(canonical, self.asked))


USUAL = ScoreOptions()


class ScoreFormat(NamedTuple):
    """A format of score files.

    ``recognise`` tells by the first lines of a text, stripped and without blank ones and comments. ``read`` takes the
    text and the path that messages name; what it gives as `Cells` is read as a table. ``examples`` are texts by the
    names of their files; all have the AP of one or two runs on the queries 301 and 302, and docs/inputs.md shows them.
    """

    kind: str
    recognise: Callable[[Sequence[bytes]], bool]
    read: Callable[[bytes, str, ScoreOptions], ScoreFile | Cells]
    examples: Mapping[str, str]


class TableFormat(NamedTuple):
    """What a table of cells may be, by its header and the roles of its columns.

    ``by_arrays`` reads a text in the usual shape in a hundredth of the time, to the same numbers, and gives None for
    any other text.
    """

    recognise: Callable[[Cells, ScoreOptions], bool]
    read: Callable[[Cells, ScoreOptions], ScoreFile]
    examples: Mapping[str, str]
    by_arrays: Callable[[bytes, str, ScoreOptions], ScoreFile | None] | None = None


def is_name(cell: bytes) -> bool:
    """Whether a cell is no number."""
    return NUMBER_WORD.fullmatch(cell) is None


def is_fraction_word(cell: bytes) -> bool:
    """Whether a word is a number with a decimal."""
    return not is_name(cell) and cell.find(b".") not in (-1, len(cell) - 1)
