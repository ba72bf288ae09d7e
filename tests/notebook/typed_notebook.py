"""A notebook for mypy, which `make lint` runs: calls that hold, and two that mypy has to refuse.

Where mypy accepts one of the two, its ``type: ignore`` is unused, which is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    import biasvar_cli as bv

    scores = bv.evaluate({"bm25": {"q1": {"d1": 2.5}}}, {"q1": {"d1": 1}}, "AP", jobs=1, topics="union")
    frame: pd.DataFrame = scores.frame()
    result: bv.DecompositionResult = bv.decompose(frame, "best", measure="AP", ci=0.95)
    mean: float = result.target.mean
    table: pd.DataFrame = bv.compare(scores, "top", of="total").frame("pairs")
    bv.decompose(frame, topics=3)  # type: ignore[arg-type]
    bv.compare(scores, of="median")  # type: ignore[arg-type]
