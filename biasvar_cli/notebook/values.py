"""Values as messages show them, and text that can be a name or a path."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_text(value: Any) -> bool:
    """Whether a value is text that a path, a pattern or a name can be."""
    if not isinstance(value, str) or not value or "\0" in value:
        return False
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def shown_value(value: Any) -> str:
    """A value as a message shows it: plain ones as they are, others by their type.

    >>> shown_value("bm25"), shown_value(float("nan")), shown_value([1])
    ("'bm25'", 'nan', 'a list')
    """
    if value is None or isinstance(value, str | bool | int | float | np.generic):
        return short(value.item() if isinstance(value, np.generic) else value)
    word = type(value).__name__
    return f"{'an' if word[:1].lower() in 'aeio' else 'a'} {word}"


def short(value: object) -> str:
    """A value as Python writes it, cut if it is long; its type where Python does not write it.

    >>> short("bm25"), len(short("9" * 100)), short(10**5000)
    ("'bm25'", 60, 'a int')
    """
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python writes
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
