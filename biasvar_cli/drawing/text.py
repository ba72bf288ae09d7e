"""Words in the room of a figure: how wide they are, in lines, and shorter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from biasvar_cli.tables.render import printable

LABEL, AXIS, TITLE = 7, 8, 9  # points, of ticks and captions, of axis titles, of the figure's title
_EM = {  # widths of the typeface's characters as shares of its size; it has the metrics of Helvetica
    **dict.fromkeys("ijl'|", 0.22),
    **dict.fromkeys(" ft.,:;/\\!I[]", 0.28),
    **dict.fromkeys('r()-`*"^', 0.36),
    **dict.fromkeys("ckJsvxyz", 0.5),
    **dict.fromkeys("+=<>~−", 0.59),
    **dict.fromkeys("FTZ", 0.62),
    **dict.fromkeys("ABEKPSVXY&", 0.67),
    **dict.fromkeys("CDHNRUw", 0.73),
    **dict.fromkeys("GOQ", 0.78),
    **dict.fromkeys("mM%W@", 1.0),
}
_WORD = re.compile(r"\S+(?: %\S*)?")  # a number stays with its percent sign
_OTHER_EM = 0.56  # digits and the other letters of Latin scripts


@cache
def width_of_text(text: str, size: float = LABEL) -> float:
    """How wide a text is, in points; scripts that are not Latin are taken to be as wide as they are high.

    >>> round(width_of_text("AP, 30 queries", 10))  # 6.56 times its size in Helvetica's tables
    66
    """
    return size * sum(_EM.get(char, _OTHER_EM if char < "\u0250" else 1.0) for char in text)


def shortened(names: Sequence[str], room: float, size: float = LABEL) -> list[str] | None:
    """Names that have room, those that are too long without their middle; None if two would then be the same.

    >>> shortened(["bm25-k1-0.9-b-0.40", "bm25-k1-0.9-b-0.75", "ql"], 45)
    ['bm25-…-0.40', 'bm25-…-0.75', 'ql']
    """
    found = [_shortened(printable(name), room, size) for name in names]
    return found if len(set(found)) == len(found) else None


def wrapped(text: str, size: float, room: float) -> list[str]:
    """A text as lines that have room, in points; a word that is too long is broken.

    >>> wrapped("Runs in ascending order of bias", 8, 92)
    ['Runs in ascending order', 'of bias']
    """
    lines: list[str] = []
    for word in (part for each in _WORD.findall(printable(text)) for part in _broken(each, size, room)):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and width_of_text(joined, size) <= room:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def as_title(lines: list[str]) -> str | list[str]:
    """Lines as Vega-Lite has a title: a single one is plain text."""
    return lines[0] if len(lines) == 1 else lines


def _shortened(name: str, room: float, size: float) -> str:
    keep = len(name)
    short = name
    while keep > 2 and width_of_text(short, size) > room:
        keep -= 1
        short = f"{name[: (keep + 1) // 2]}…{name[len(name) - keep // 2 :]}"
    return short


def _broken(word: str, size: float, room: float) -> Iterator[str]:
    """A word in pieces that have room."""
    piece = ""
    for char in word:
        if piece and width_of_text(piece + char, size) > room:
            yield piece
            piece = ""
        piece += char
    yield piece
