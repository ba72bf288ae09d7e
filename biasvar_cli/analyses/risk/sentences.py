"""What the text says of risk: which runs are safe and which risky, what the baseline and the columns are."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from biasvar_cli.analyses.risk.answer import RiskAnswer
from biasvar_cli.analyses.risk.inference import LEVEL, RiskVerdicts
from biasvar_cli.arrays import BoolArray, FloatArray, equalised
from biasvar_cli.stats.step_down import FEWEST_QUERIES, method_for
from biasvar_cli.tables.table import Note, listed, plain
from biasvar_cli.words import counted

_NO_GEO_RISK = {
    "negative": "z_risk, geo_risk and gmap are undefined (-): there is a negative score.",
    "one-run": "z_risk and geo_risk are undefined (-): there is only one run.",
}
_NAMED = 4  # runs of a verdict
_TIMES = {1.0: "once", 2.0: "twice"}


def run_notes(answer: RiskAnswer, hidden: Collection[str]) -> Iterator[Note]:
    """The lines under the runs; ``hidden`` are the columns that people do not see."""
    main, factor = f"{answer.request.main_alpha:g}", 1 + answer.request.main_alpha
    weight = f"{factor:g} " if factor != 1 else ""
    yield from verdict_notes(answer)
    yield baseline_note(answer)
    meanings = {
        "delta": "delta: mean minus the baseline's.",
        "ri": "ri: (wins - losses) / n.",
        "reward": "reward, risk: mean gain, mean loss.",
    }
    yield Note(" ".join(words for name, words in meanings.items() if name not in hidden))
    made_of = f"mean gain - {weight}mean loss" if "reward" in hidden else f"reward - {weight}risk"
    t_risk = f"t_risk_{main}: that over its standard error{_no_t(answer)}"
    yield Note(f"u_risk_{main}: {made_of} (losses count {times(factor)}). {t_risk}.")
    if answer.geo.reason is not None:
        yield Note(_NO_GEO_RISK[answer.geo.reason])
    else:
        yield Note(f"geo_risk_{main}: high for a high mean, lower for losses against the other runs; 0 to 1.")
    if answer.request.r_loss is not None:
        top = f"the top {answer.request.r_loss}"
        yield Note(f"r_loss: relevant documents in {top} lost against the baseline, mean over queries.")


def _no_t(answer: RiskAnswer) -> str:
    """For how many runs there is no t_risk, and why."""
    undefined = int(np.isnan(answer.risk.at[0].t_risk).sum())
    if not undefined:
        return ""
    why = "there is one query" if answer.risk.n_queries == 1 else "every difference is the same"
    return f"; none (-) for {counted(undefined, 'run')}: {why}"


def baseline_note(answer: RiskAnswer) -> Note:
    """What the baseline is, and its mean."""
    baseline = answer.baseline
    pool = counted(baseline.n_pool, "run")
    if baseline.kind == "mean":
        text = f"Baseline mean: the mean of {pool} on each query ({{}}); almost every good run is above it."
        return Note(text, (baseline.mean,), signed=False)
    what = {
        "median": f"the median over {pool} on each query, the compared run among them",
        "best": f"the best of {pool} on each query, so no run is above it and u_risk_A is -(1 + A) bias",
        "file": "the scores in that file",
        "run": "the scores of that run",
    }[baseline.kind]
    named = f"the run with the best mean, {plain(str(baseline.run))}" if baseline.spec.kind == "top" else what
    return Note(f"Baseline {plain(baseline.label)}: {named}; its mean is {{}}.", (baseline.mean,), signed=False)


def shown_notes(top: int | None, n_rows: int, noun: str = "run") -> Iterator[Note]:
    """How many of the rows are shown, where these are not all."""
    if top is not None and top < n_rows:
        yield Note(f"{top} of {counted(n_rows, noun)} shown; every number is of all {n_rows}.")


def times(factor: float) -> str:
    """How often something counts.

    >>> times(2.0), times(3.5)
    ('twice', '3.5 times')
    """
    return _TIMES.get(factor, f"{factor:g} times")


def verdict_notes(answer: RiskAnswer) -> Iterator[Note]:
    """Which runs are safe and which risky; or why nothing is said of that."""
    why = _untested(answer)
    if why:
        yield Note(f"No run is called safe or risky: {why}.")
    elif answer.verdicts is not None:
        yield from _claims(answer, answer.verdicts)


def _untested(answer: RiskAnswer) -> str:
    """Why no run is called safe or risky; empty where that was tested, and against the best scores, which say why."""
    n_queries = answer.risk.n_queries
    if answer.baseline.spec.kind == "top":
        return "the baseline was chosen for its mean on these queries, so the other runs look worse than they are"
    if n_queries < FEWEST_QUERIES and answer.baseline.kind != "best":
        few = f"{counted(n_queries, 'query')} say{'s' if n_queries == 1 else ''} little"
        return f"{few}; the test needs at least {FEWEST_QUERIES}"
    return ""


def _claims(answer: RiskAnswer, verdicts: RiskVerdicts) -> Iterator[Note]:
    (at,) = (each for each in answer.risk.at if each.alpha == verdicts.alpha)
    alpha, u_risk = f"{verdicts.alpha:g}", equalised(at.u_risk)
    safe, risky = _ordered(verdicts.safe, -u_risk), _ordered(verdicts.risky, u_risk)
    counts = [f"{answer.risk.runs[run]} ({answer.risk.wins[run]}/{answer.risk.losses[run]})" for run in safe]
    text = f"Safe (mean significantly better, u_risk_{alpha} above 0): {_share(safe, verdicts)}"
    yield Note(f"{text} (wins/losses): {listed(counts, _NAMED)}." if safe else f"{text}.")
    text = f"Risky at weight alpha = {alpha} (its losses, counted {times(1 + verdicts.alpha)}, exceed its gains): "
    text += f"{_named(answer, risky, verdicts)}."
    if risky and verdicts.alpha > 0:
        text += " This is true of every run that merely differs enough from the baseline."
    yield Note(text)


def verdict_details(answer: RiskAnswer) -> Iterator[Note]:
    """Which runs deviate most, how the claims were tested, and what t_risk does not say."""
    verdicts = answer.verdicts
    if verdicts is not None and not _untested(answer):
        if verdicts.n_compared > 1:
            deviant = _named(answer, _ordered(verdicts.deviant, -equalised(verdicts.deviation)), verdicts)
            yield Note(f"Deviates significantly more from the baseline, up or down, than the other runs: {deviant}.")
        test = f"step-down bootstrap test of {counted(verdicts.n_compared, 'run')} together"
        if method_for(answer.risk.n_queries, verdicts.n_compared) == "studentised":
            test = "studentised bootstrap test"
        drawn = f"{verdicts.n_resamples} resamples, seed {verdicts.seed}"
        yield Note(
            f"Significant: p < {1 - LEVEL:.2g} in a {test} ({drawn}), one for each of: safe, risky, deviates more."
        )
    yield Note(
        f"t_risk_A_p is of one run alone, not adjusted for {counted(len(answer.risk.runs), 'run')}. For A above 0, a "
        "run that differs from the baseline without being worse has t_risk_A below -2 too if there are enough queries: "
        "that is no test of more risk than chance."
    )


def _ordered(claimed: BoolArray, order: FloatArray) -> list[int]:
    """The places of the claimed runs, in ascending order of some numbers, (n_runs,)."""
    return [run for run in np.argsort(order, kind="stable").tolist() if claimed[run]]


def _share(runs: list[int], verdicts: RiskVerdicts) -> str:
    return f"{len(runs) or 'none'} of {counted(verdicts.n_compared, 'run')}"


def _named(answer: RiskAnswer, runs: list[int], verdicts: RiskVerdicts) -> str:
    """How many of the compared runs these are, and the first of them."""
    names = listed([answer.risk.runs[run] for run in runs], _NAMED)
    return f"{_share(runs, verdicts)}: {names}" if runs else _share(runs, verdicts)
