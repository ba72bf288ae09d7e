"""Numbers and sentences for people. Numbers are rounded only here, and only zero is printed as zero."""

import re
from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

from biasvar_cli.words import Better, as_typed, printable

_START, _END = "\ufdd3\ufdd4"  # noncharacters of Unicode, which no text interchanges
_FLOAT = r"-?(?:nan|inf|[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?)"  # as Python writes a float
_NUMBER = re.compile(f"{_START}({_FLOAT});([0-9]{{0,2}});([+]?){_END}")


def num(value: float, digits: int | None = None, *, signed: bool = False, better: Better = "more") -> str:
    """A number for a sentence. `in_words` rounds it when the sentence is printed, to at most ``digits`` decimals.

    A positive ``signed`` number has a plus. ``better`` turns a utility into a score: if less is better, the sign
    changes.

    >>> in_words(f"r is {num(0.25, signed=True)}, of {num(-0.5)} ({num(0.123456, 2)}; {num(-2.5, better='less')})", 4)
    'r is +0.2500, of -0.5000 (0.12; 2.5000)'
    """
    value = value if better == "more" else 0.0 - value
    return f"{_START}{float(value)!r};{'' if digits is None else digits};{'+' * signed}{_END}"


def number(value: Any, digits: int) -> str:
    """A value as a cell: rounded, ``-`` for undefined, ``yes`` for true. A small number is not rounded to zero.

    >>> [number(value, 4) for value in (0.25, 0.00001, -0.00001, 0.0, float("nan"), 3, True, False, "bm25")]
    ['0.2500', '<.0001', '>-.0001', '0.0000', '-', '3', 'yes', '', 'bm25']
    """
    if value is None or (isinstance(value, float) and isnan(value)):
        return "-"
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return " ".join(map(printable, value))
    if isinstance(value, bool):
        return "yes" if value else ""
    if not isinstance(value, float):
        return str(value)
    text = f"{value + 0.0:.{digits}f}"
    if value == 0 or float(text) != 0:
        return text
    least = f"{10.0**-digits:.{digits}f}".removeprefix("0")
    return f"<{least}" if value > 0 else f">-{least}"


def p_words(p: float, level: float) -> str:
    """A p-value as papers print it: three decimals, or more if rounding would move it to the other side of the level.

    >>> p_words(0.0312, 0.95), p_words(0.0004, 0.95), p_words(1.0, 0.95), p_words(0.04999996, 0.95)
    ('p = 0.031', 'p < 0.001', 'p = 1', 'p = 0.04999996')
    """
    limit = round(1 - level, 12)
    if p < min(0.001, limit):
        return f"p < {min(0.001, limit):g}"
    digits = next(digits for digits in range(3, 16) if (round(p, digits) < limit) == (p < limit) or digits == 15)
    return "p = " + f"{p:.{digits}f}".rstrip("0").rstrip(".")


def with_sign(value: Any, digits: int, *, signed: bool) -> str:
    """A value as a cell (`number`), with a plus before a positive number if numbers are ``signed``.

    >>> with_sign(0.25, 2, signed=True), with_sign(-0.25, 2, signed=True), with_sign(0.0, 2, signed=True)
    ('+0.25', '-0.25', '0.00')
    """
    text = number(value, digits)
    return f"+{text}" if signed and isinstance(value, float) and value > 0 and text[0] != "<" else text


def display_width(text: str) -> int:
    """The width of printable text in columns of a terminal, as tabulate counts: a wide character takes two.

    >>> display_width("bm25"), display_width("実行一"), display_width("e\u0301")
    (4, 6, 1)
    """
    if text.isascii():
        return len(text)

    from wcwidth import wcswidth

    return int(wcswidth(text))


def in_words(sentence: str, digits: int, wording: Callable[[str], str] = as_typed) -> str:
    """A sentence with its numbers (`num`) rounded as in tables; ``wording`` writes its arguments.

    >>> in_words(f"r is {num(0.25, signed=True)}, of {num(-0.5)}", 2)
    'r is +0.25, of -0.50'
    """

    def rounded(match: re.Match[str]) -> str:
        value, most, sign = match.groups()
        return with_sign(float(value), min(digits, int(most)) if most else digits, signed=bool(sign))

    return printable(_NUMBER.sub(rounded, wording(sentence)))


def is_numeric(column: Sequence[Any]) -> bool:
    """Whether a column has only numbers and missing values, so that it is aligned to the right.

    >>> is_numeric([1, None, 0.5]), is_numeric(["1"])
    (True, False)
    """
    return all(value is None or isinstance(value, int | float) for value in column)
