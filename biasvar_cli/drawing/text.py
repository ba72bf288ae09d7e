"""Text in a figure: how wide it is, in lines, and shortened."""

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


def shortened(names: Sequence[str], width: float, size: float = LABEL) -> list[str] | None:
    """Names that fit a width, those that are too long without their middle; None if two would then be the same.

    >>> shortened(["bm25-k1-0.9-b-0.40", "bm25-k1-0.9-b-0.75", "ql"], 45)
    ['bm25-…-0.40', 'bm25-…-0.75', 'ql']
    """
    short = [_shortened(printable(name), width, size) for name in names]
    return short if len(set(short)) == len(short) else None


def _shortened(name: str, width: float, size: float) -> str:
    n_chars, short = len(name), name
    while n_chars > 2 and width_of_text(short, size) > width:
        n_chars -= 1
        short = f"{name[: (n_chars + 1) // 2]}…{name[len(name) - n_chars // 2 :]}"
    return short


def wrapped(text: str, size: float, width: float) -> list[str]:
    """A text as lines that fit a width, in points; a word that is too long is broken.

    >>> wrapped("Runs in ascending order of bias", 8, 92)
    ['Runs in ascending order', 'of bias']
    """
    lines: list[str] = []
    for word in (part for match in _WORD.findall(printable(text)) for part in _broken(match, size, width)):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and width_of_text(joined, size) <= width:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def _broken(word: str, size: float, width: float) -> Iterator[str]:
    """A word in pieces that fit a width."""
    piece = ""
    for char in word:
        if piece and width_of_text(piece + char, size) > width:
            yield piece
            piece = ""
        piece += char
    yield piece


def as_title(lines: list[str]) -> str | list[str]:
    """Lines as Vega-Lite has a title: a single one is plain text."""
    return lines[0] if len(lines) == 1 else lines
