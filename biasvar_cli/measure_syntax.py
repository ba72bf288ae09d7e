"""How measures are written: the names in an argument of ``-m``, and the parts of a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from biasvar_cli.trec_eval_names import with_underscore

_NUMBER = re.compile(r"\d*\.?\d+")
# Python's parser warns of backslashes, and of a number that runs into a word, such as 5if7.
_WORD_OR_NUMBER = re.compile(r"[^\W\d]\w*|\.?\d[\w.]*")
_PLAIN = re.compile(r"[^\W\d]\w*|\.?\d[\d_.]*([eE]\d*)?")


class Parts(NamedTuple):
    """``NAME(key=value, ...)@at``; ``at`` is None where there is none."""

    base: str
    params: dict[str, Any]
    at: Any


def names_in(argument: str) -> list[str]:
    """The names in an argument, between blanks or commas; trec_eval's with a point as they are with an underscore.

    A number after a name with a point is another cutoff of that name.

    >>> names_in("AP nDCG@10"), names_in("map,P.5,10,recip_rank")
    (['AP', 'nDCG@10'], ['map', 'P_5', 'P_10', 'recip_rank'])
    >>> names_in("nDCG(gains={1: 1, 2: 4}) @ 10, RR")
    ['nDCG(gains={1: 1, 2: 4})@10', 'RR']
    """
    names: list[str] = []
    stem = ""
    for word in _words(re.sub(r"\s*@\s*", "@", argument)):
        again = f"{stem}.{word}" if stem and _NUMBER.fullmatch(word) else word
        stem, name = with_underscore(again) or ("", word)
        names.append(name)
    return names


def parts_of(text: str) -> Parts | None:
    """The parts of a name; None for what is no name of a measure.

    >>> parts_of("P(rel=2)@10")
    Parts(base='P', params={'rel': 2}, at=10)
    >>> parts_of("11-pt_avg") is None
    True
    """
    if "\\" in text or not all(_PLAIN.fullmatch(word) for word in _WORD_OR_NUMBER.findall(text)):
        return None
    try:
        node = ast.parse(text, mode="eval").body
        at = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at = ast.literal_eval(node.right)
            node = node.left
        params = {}
        if isinstance(node, ast.Call):
            if node.args or any(keyword.arg is None for keyword in node.keywords):
                return None
            params = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
            node = node.func
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return None
    return Parts(node.id, params, at) if isinstance(node, ast.Name) else None


def _words(text: str) -> Iterator[str]:
    """What stands between blanks and commas that are in no brackets."""
    depth, word = 0, ""
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}" and depth > 0)
        if depth or not (sign.isspace() or sign == ","):
            word += sign
        elif word:
            yield word
            word = ""
    if word:
        yield word
