"""What is said of runs against a baseline: which are safe, which risky, and which deviate more than the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from biasvar_cli.analyses.risk.answer import RiskOfRuns
from biasvar_cli.analyses.risk.verdicts import LEVEL, RiskVerdicts
from biasvar_cli.arrays import BoolArray, FloatArray, equalised
from biasvar_cli.stats.step_down import FEWEST_QUERIES, method_for
from biasvar_cli.tables.table import Note, listed
from biasvar_cli.words import counted

_NAMED = 4  # runs of a verdict
_TIMES = {1.0: "once", 2.0: "twice"}


def times(factor: float) -> str:
    """How often something counts.

    >>> times(2.0), times(3.5)
    ('twice', '3.5 times')
    """
    return _TIMES.get(factor, f"{factor:g} times")


def verdict_notes(found: RiskOfRuns) -> Iterator[Note]:
    """Which runs are safe and which risky; or why nothing is said of that."""
    why = _untested(found)
    if why:
        yield Note(f"No run is called safe or risky: {why}.")
    elif found.verdicts is not None:
        yield from _claims(found, found.verdicts)


def _untested(found: RiskOfRuns) -> str:
    """Why no run is called safe or risky; empty where that was tested, and against the best scores, which say why."""
    n_queries = found.risk.n_queries
    if found.baseline.spec.kind == "top":
        return "the baseline was chosen for its mean on these queries, so the other runs look worse than they are"
    if n_queries < FEWEST_QUERIES and found.baseline.kind != "best":
        few = f"{counted(n_queries, 'query')} say{'s' if n_queries == 1 else ''} little"
        return f"{few}; the test needs at least {FEWEST_QUERIES}"
    return ""


def _claims(found: RiskOfRuns, verdicts: RiskVerdicts) -> Iterator[Note]:
    (at,) = (each for each in found.risk.at if each.alpha == verdicts.alpha)
    alpha, u_risk = f"{verdicts.alpha:g}", equalised(at.u_risk)
    safe, risky = _ordered(verdicts.safe, -u_risk), _ordered(verdicts.risky, u_risk)
    counts = [f"{found.risk.runs[run]} ({found.risk.wins[run]}/{found.risk.losses[run]})" for run in safe]
    text = f"Safe (mean significantly better, u_risk_{alpha} above 0): {_share(safe, verdicts)}"
    yield Note(f"{text} (wins/losses): {listed(counts, _NAMED)}." if safe else f"{text}.")
    text = f"Risky at weight alpha = {alpha} (its losses, counted {times(1 + verdicts.alpha)}, exceed its gains): "
    text += f"{_named(found, risky, verdicts)}."
    if risky and verdicts.alpha > 0:
        text += " This is true of every run that merely differs enough from the baseline."
    yield Note(text)


def verdict_details(found: RiskOfRuns) -> Iterator[Note]:
    """Which runs deviate most, how the claims were tested, and what t_risk does not say."""
    verdicts = found.verdicts
    if verdicts is not None and not _untested(found):
        if verdicts.n_compared > 1:
            deviant = _named(found, _ordered(verdicts.deviant, -equalised(verdicts.deviation)), verdicts)
            yield Note(f"Deviates significantly more from the baseline, up or down, than the other runs: {deviant}.")
        test = f"step-down bootstrap test of {counted(verdicts.n_compared, 'run')} together"
        if method_for(found.risk.n_queries, verdicts.n_compared) == "studentised":
            test = "studentised bootstrap test"
        drawn = f"{verdicts.n_resamples} resamples, seed {verdicts.seed}"
        yield Note(
            f"Significant: p < {1 - LEVEL:.2g} in a {test} ({drawn}), one for each of: safe, risky, deviates more."
        )
    yield Note(
        f"t_risk_A_p is of one run alone, not adjusted for {counted(len(found.risk.runs), 'run')}. For A above 0, a "
        "run that differs from the baseline without being worse has t_risk_A below -2 too if there are enough queries: "
        "that is no test of more risk than chance."
    )


def _ordered(claimed: BoolArray, order: FloatArray) -> list[int]:
    """The places of the claimed runs, in ascending order of some numbers, (n_runs,)."""
    return [run for run in np.argsort(order, kind="stable").tolist() if claimed[run]]


def _share(runs: list[int], verdicts: RiskVerdicts) -> str:
    return f"{len(runs) or 'none'} of {counted(verdicts.n_compared, 'run')}"


def _named(found: RiskOfRuns, runs: list[int], verdicts: RiskVerdicts) -> str:
    """How many of the compared runs these are, and the first of them."""
    names = listed([found.risk.runs[run] for run in runs], _NAMED)
    return f"{_share(runs, verdicts)}: {names}" if runs else _share(runs, verdicts)
