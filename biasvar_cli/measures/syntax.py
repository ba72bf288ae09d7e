"""How measures are written: the names in an argument of ``-m``, the parts of a name, and the values of parameters."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from biasvar_cli.measures.table import CUT_STEMS, LARGEST, Range, Record

_NUMBER = re.compile(r"\d*\.?\d+")
_WITH_POINT = re.compile(rf"({'|'.join(CUT_STEMS)})\.(\d*\.?\d+)", re.IGNORECASE)  # as trec_eval's -m takes them
# Python's parser warns of backslashes, and of a number that runs into a word, such as 5if7.
_WORD_OR_NUMBER = re.compile(r"[^\W\d]\w*|\.?\d[\w.]*")
_PLAIN = re.compile(r"[^\W\d]\w*|\.?\d[\d_.]*([eE]\d*)?")
_GAIN = Range(-LARGEST, LARGEST)
_GRADE = Range(-(10**18), 10**18)
_LARGEST_EXPONENT = 1000  # 2^1024 is beyond a double


class Parts(NamedTuple):
    """``NAME(key=value, ...)@at``; ``at`` is None where there is none."""

    base: str
    params: dict[str, Any]
    at: Any


def names_in(argument: str) -> list[str]:
    """The names in an argument, between blanks or commas; trec_eval's with a point as they are with an underscore.

    A number after a name with a point is another cutoff of that name.

    >>> names_in("AP nDCG@10"), names_in("map,P.5,10,recip_rank,iprec_at_recall..5")
    (['AP', 'nDCG@10'], ['map', 'P_5', 'P_10', 'recip_rank', 'iprec_at_recall_0.5'])
    >>> names_in("nDCG(gains={1: 1, 2: 4}) @ 10, RR")
    ['nDCG(gains={1: 1, 2: 4})@10', 'RR']
    """
    names: list[str] = []
    stem = ""
    for word in _words(re.sub(r"\s*@\s*", "@", argument)):
        cut = _WITH_POINT.fullmatch(f"{stem}.{word}" if stem and _NUMBER.fullmatch(word) else word)
        stem = cut[1] if cut else ""
        names.append(f"{stem}_{'0' * cut[2].startswith('.')}{cut[2]}" if cut else word)
    return names


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


def fault(record: Record, key: str, value: Any, kind: type | None, choices: Any = None) -> str | None:
    """What is wrong with the value of a measure's parameter, None if nothing.

    ``kind`` is the type that it must have, ``choices`` a list of what it may be, or anything else where there is none.
    What lies beyond the ranges crashes a provider or gives a number without meaning.

    >>> from biasvar_cli.measures.table import MEASURES
    >>> fault(MEASURES["RBP"], "p", 2, float), fault(MEASURES["RBP"], "p", 0.8, float)
    ('p must be above 0 and below 1, found 2', None)
    >>> fault(MEASURES["P"], "cutoff", 0.5, int)
    'cutoff must be a whole number from 1 to 1000000000, found 0.5'
    """
    if kind is dict:
        return _fault_of_gains(value)
    allowed = [True, False] if kind is bool else choices
    if isinstance(allowed, list):
        is_one = any(value == choice and type(value) is type(choice) for choice in allowed)
        return None if is_one else f"{key} must be {' or '.join(map(repr, allowed))}, found {_shown(value)}"
    wanted = record.parameters.get(key)
    if kind not in (int, float) or wanted is None:
        return None
    right_type = isinstance(value, int) if kind is int else isinstance(value, int | float)
    if not right_type or value not in wanted:
        return f"{key} must be {'a whole number ' if kind is int else ''}{wanted}, found {_shown(value)}"
    if key == "recall" and round(value, 2) != value:
        return f"recall must have two decimals at most, as trec_eval's iprec_at_recall has, found {_shown(value)}"
    return None


def fault_between(params: Mapping[str, Any]) -> str | None:
    """What is wrong with parameters that do not go together, None if nothing.

    >>> fault_between({"min_rel": 2, "max_rel": 1})
    'max_rel must be above min_rel (2), found 1'
    """
    least = params.get("min_rel", 0)
    if "max_rel" in params and params["max_rel"] <= least:
        return f"max_rel must be above min_rel ({least}), found {params['max_rel']}"
    largest = max(params.get("gains", {}).values(), default=0)
    if params.get("dcg") == "exp-log2" and largest > _LARGEST_EXPONENT:
        return f"a gain of exp-log2 is 2^gain - 1, so that gain must be at most {_LARGEST_EXPONENT}, found {largest}"
    return None


def _fault_of_gains(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"gains must be grades with their gains, as in gains={{1: 0.5, 2: 1}}, found {_shown(value)}"
    for grade, gain in value.items():
        if not isinstance(grade, int) or grade not in _GRADE:
            return f"a grade of gains must be a whole number of at most 18 digits, found {_shown(grade)}"
        if gain not in _GAIN or math.isnan(gain):
            return f"a gain must be a number {_GAIN}, found {_shown(gain)}"
    return None


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python's limit on digits
        return "a number of too many digits"
    return text if len(text) <= 60 else f"{text[:57]}..."
