"""A p-value beside the level of a test: one comparison for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biasvar_cli.arrays import FloatArray

_DIGITS = 12  # of p and of 1 - level, beyond which they differ by rounding alone


def threshold(level: float) -> float:
    """1 - level, the p below which a difference is significant, as a person writes it.

    >>> 1 - 0.95, threshold(0.95)
    (0.050000000000000044, 0.05)
    """
    return round(1 - level, _DIGITS)


def is_significant(p: FloatArray | float, level: float) -> Any:
    """Whether p is below 1 - level, of any shape: the one comparison of the two, both rounded to 12 digits.

    A p equal to 1 - level is not below it, whatever the last digits of either; nan, which was not tested, is not.

    >>> import numpy as np
    >>> is_significant(np.array([0.049, 0.05, 0.1 * 0.5, np.nan]), 0.95).tolist()
    [True, False, False, False]
    """
    import numpy as np

    return np.round(p, _DIGITS) < threshold(level)
