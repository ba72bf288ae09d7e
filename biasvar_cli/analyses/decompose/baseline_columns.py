"""The comparison of every run with a baseline, beside its decomposition."""

from __future__ import annotations

from collections import Counter
from typing import Any

from biasvar_cli.decomposition.baseline import Compared, Comparisons
from biasvar_cli.tables.table import Extra, Note
from biasvar_cli.words import counted

_WORDS = {
    "one-query": "one query has no spread",
    "mean-only": "the target is a mean alone",
    "no-variance": "a variance is 0",
    "one-query-has-all-variance": "without one query a variance is 0",
}
_PREFIXES = {"bias": "d", "total": "d", "total_gap": "d", "var": "ratio", "var_gap": "ratio"}  # of what is compared
_PARTS = {"": "value", "_low": "low", "_high": "high", "_p": "p", "_holm": "p_holm"}


def baseline_extra(found: Comparisons) -> Extra:
    """Differences of bias and totals, ratios of variances, each with its interval, its p, and the p after Holm."""
    columns: dict[str, list[Any]] = {}
    for name, prefix in _PREFIXES.items():
        compared: Compared = getattr(found, name)
        for suffix, part in _PARTS.items():
            columns[f"{prefix}_{name}{suffix}"] = getattr(compared, part).tolist()
    shown = {"d_bias", "d_bias_holm", "d_total", "d_total_holm", "ratio_var", "ratio_var_holm"}
    what = f"d_: minus {found.baseline}; ratio_: over {found.baseline}; _holm: p, adjusted for all runs"
    how = (
        "d_ has paired t tests over queries (d_total allows for the target's mean being that of these queries), ratio_ "
        f"the jackknife of its logarithm; the intervals in csv and JSON are of {100 * found.level:g} %"
    )
    return Extra(
        columns,
        frozenset(columns) - shown,
        notes=(Note(what), *_untested(found)),
        document={"baseline": {"run": found.baseline, "level": found.level}},
        details=(Note(how),),
    )


def _untested(found: Comparisons) -> list[Note]:
    """Why there is no test, and of how many runs."""
    notes = []
    for reason, words in _WORDS.items():
        untested = Counter(name for name in _PREFIXES if reason in getattr(found, name).reason)
        if untested:
            most = max(getattr(found, name).reason.count(reason) for name in untested)
            notes.append(Note(f"No test of {', '.join(untested)} for {counted(most, 'run')}: {words}"))
    return notes
