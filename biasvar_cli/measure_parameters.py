"""The values that the parameters of measures may have: what lies beyond gives a crash or a number without meaning."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_MOST = 10**9
_LARGEST_EXPONENT = 1000  # 2^1024 is beyond a double


class _Range(NamedTuple):
    """Numbers from ``low`` to ``high``, or between them where they are ``open``."""

    low: float
    high: float
    is_open: bool = False

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, int | float) or isinstance(value, bool):
            return False
        return self.low < value < self.high if self.is_open else self.low <= value <= self.high

    def __str__(self) -> str:
        low, high = (f"{bound:.0f}" for bound in (self.low, self.high))
        return f"above {low} and below {high}" if self.is_open else f"from {low} to {high}"


_RANGES: Mapping[str, _Range] = {
    "cutoff": _Range(1, _MOST),
    "rel": _Range(1, _MOST),  # at 0 what was judged not to be relevant would count, and trec_eval's unjudged at -1
    "min_rel": _Range(0, _MOST),
    "max_rel": _Range(1, _MOST),
    "recall": _Range(0, 1),
    "p": _Range(0, 1, is_open=True),
    "alpha": _Range(0, 1),
    "beta": _Range(0, 1),  # patience; SetF has another beta
    "T": _Range(0, _MOST, is_open=True),
}
_BETA_OF_F = _Range(0, _MOST)
_GAIN = _Range(-_MOST, _MOST)
_GRADE = _Range(-(10**18), 10**18)


def fault(measure: str, key: str, value: Any, kind: type | None, choices: Any = None) -> str | None:
    """What is wrong with the value of a measure's parameter, None if nothing.

    ``kind`` is the type that it must have, ``choices`` a list of what it may be, or anything else where there is none.

    >>> fault("RBP", "p", 2, float), fault("RBP", "p", 0.8, float)
    ('p must be above 0 and below 1, found 2', None)
    >>> fault("P", "cutoff", 0.5, int)
    'cutoff must be a whole number from 1 to 1000000000, found 0.5'
    """
    if kind is dict:
        return _fault_of_gains(value)
    allowed = [True, False] if kind is bool else choices
    if isinstance(allowed, list):
        is_one = any(value == choice and type(value) is type(choice) for choice in allowed)
        return None if is_one else f"{key} must be {' or '.join(map(repr, allowed))}, found {_shown(value)}"
    wanted = _BETA_OF_F if (measure, key) == ("SetF", "beta") else _RANGES.get(key)
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


def with_cutoff(name: str, at: Any, measure: Any) -> str:
    """The name of a ``measure``, None for one of trec_eval, with the cutoff that was typed, where it can have one.

    >>> with_cutoff("ndcg_cut_10", 20, None)
    'ndcg_cut_20'
    """
    if at is None or measure is None:
        return name if at is None else re.sub(r"_10$", f"_{at}", name)
    spec = measure.SUPPORTED_PARAMS.get(measure.AT_PARAM)
    return f"{name}@{at}" if spec is not None and isinstance(at, spec.dtype) else name
