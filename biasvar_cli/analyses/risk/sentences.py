"""What stands under the table of risk: which runs are safe and which risky, what the baseline and the columns are."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from biasvar_cli.analyses.risk.answer import RiskOfRuns
from biasvar_cli.analyses.risk.verdict_sentences import times, verdict_notes
from biasvar_cli.tables.table import Note, plain
from biasvar_cli.words import counted

_NO_GEO_RISK = {
    "negative": "z_risk, geo_risk and gmap are undefined (-): there is a negative score.",
    "one-run": "z_risk and geo_risk are undefined (-): there is only one run.",
}


def run_notes(found: RiskOfRuns, hidden: Collection[str]) -> Iterator[Note]:
    """The lines under the runs; ``hidden`` are the columns that people do not see."""
    main, factor = f"{found.main_alpha:g}", 1 + found.main_alpha
    weight = f"{factor:g} " if factor != 1 else ""
    yield from verdict_notes(found)
    yield baseline_note(found)
    meanings = {
        "delta": "delta: mean minus the baseline's.",
        "ri": "ri: (wins - losses) / n.",
        "reward": "reward, risk: mean gain, mean loss.",
    }
    yield Note(" ".join(words for name, words in meanings.items() if name not in hidden))
    made_of = f"mean gain - {weight}mean loss" if "reward" in hidden else f"reward - {weight}risk"
    t_risk = f"t_risk_{main}: that over its standard error{_no_t(found)}"
    yield Note(f"u_risk_{main}: {made_of} (losses count {times(factor)}). {t_risk}.")
    if found.geo.reason is not None:
        yield Note(_NO_GEO_RISK[found.geo.reason])
    else:
        yield Note(f"geo_risk_{main}: high for a high mean, lower for losses against the other runs; 0 to 1.")
    if found.r_loss_k is not None:
        text = f"r_loss: relevant documents in the top {found.r_loss_k} lost against the baseline, mean over queries."
        yield Note(text)


def _no_t(found: RiskOfRuns) -> str:
    """For how many runs there is no t_risk, and why."""
    undefined = int(np.isnan(found.risk.at[0].t_risk).sum())
    if not undefined:
        return ""
    why = "there is one query" if found.risk.n_queries == 1 else "every difference is the same"
    return f"; none (-) for {counted(undefined, 'run')}: {why}"


def baseline_note(found: RiskOfRuns) -> Note:
    """What the baseline is, and its mean."""
    baseline = found.baseline
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
