"""The null models beside correlations: columns and sentences for people, keys for programs."""

from collections.abc import Iterator
from math import isnan
from typing import Any

import numpy as np

from biasvar_cli.arrays import is_least
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.decomposition.generalised import TradeoffRow
from biasvar_cli.nulls import BESIDE, DECIDING
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.verdicts import LEAST_RUNS, TAIL_LEVEL, RowNull, Side, side
from biasvar_cli.stats.correlation import pearson_without
from biasvar_cli.tables.column import NULL
from biasvar_cli.tables.rounding import num
from biasvar_cli.words import COEFFICIENTS, RUN, RUNS, VAR, argument, counted, in_nouns, listed

QUESTION = "Do runs with less bias² (more effective) have more variance over the queries (less stable)?"
_BETWEEN = "effectiveness and stability"
ALONE = "A negative r alone shows no tradeoff: bounded scores have a negative correlation of their own"
NULL_KEYS = ("null", *(model.key for model in BESIDE))  # of a row in JSON
IN_MODELS = f"in {len(DECIDING)} null models"
NULL_INTERVAL = {f"r {IN_MODELS}": (NULL[1].name, NULL[2].name)}
MODELS = "simulated runs that differ only in their means"
POINTS: dict[Side, str] = {"below": "towards a tradeoff", "above": "away from a tradeoff"}
RANGE = (
    f"r {IN_MODELS} ({', '.join(model.name for model in DECIDING)}): "
    "from the lowest to the highest end of their central 95 % ranges."
)
_MEDIAN = f"null median: that of {DECIDING[0].name}; p: two-sided, the largest of the models."
JUDGED = (
    "Verdict: stronger (r is more negative) or weaker where the p of that tail is at most "
    f"{TAIL_LEVEL:g} in all models, else none. Only single queries in the score form have one: for them "
    "simulation shows how often it is wrong."
)
_OF_SYSTEMS = (
    "The null models are made from the mean scores of the systems, and every simulated system has the variance between "
    "replicates that its data have."
)
NO_CONCLUSION = "For systems of several runs these ranges are not negative enough: nothing is concluded from them."
_WEAKENED = "Bounded scores alone make most of a negative r; real differences in stability weaken it."


def null_document(row: TradeoffRow, null: Null | None) -> dict[str, Any]:
    """The keys `NULL_KEYS` of a row in JSON; none if null models were not asked for."""
    if null is None:
        return {}
    beside = null.beside(row)
    models = dict(zip(NULL_KEYS, (null.of(row), *(beside.get(model.name) for model in BESIDE)), strict=True))
    documents = {name: None if model is None else model.document() for name, model in models.items()}
    if not null.fitted:  # the reason why there is no verdict, and no numbers
        nothing: dict[str, None] = dict.fromkeys(("median", "low", "high", "p"))
        documents["null"] = {"verdict": None, "reason": null.why, **dict.fromkeys(COEFFICIENTS, nothing), "models": {}}
    return documents


def null_note(row: TradeoffRow, null: Null | None, *, with_p: bool = False) -> str:
    """The conclusion from the null models for the score form, with their p-value if ``with_p``.

    Only this sentence may speak of a tradeoff, because it gives the range of the null models.
    """
    r, verdict = row.correlations.pearson, verdict_words(row, null)
    if isnan(r):
        return f"{verdict}: the correlation of bias² and variance is undefined."
    row_null = null.of(row) if null is not None else None
    if null is None or row_null is None or isnan(row_null.pearson.median):
        if null is None:
            why = f" without null models ({argument('null')})"
        else:
            why = f" without a null model ({null.why})" if null.why else " (r of every simulated track is undefined)"
        return f"{verdict}{why}: {_correlated(r)}.{f' {ALONE}.' if r < 0 else ''}"
    judged = f"{verdict}{_reason(row_null, r)}"
    if null.of_systems:
        return f"{judged}."
    simulated = row_null.pearson
    p = f", two-sided p {num(simulated.p, 3)}" if with_p and not isnan(simulated.p) else ""
    ends = f"{signed(simulated.low)} to {signed(simulated.high)}{p}"
    if row_null.verdict == "none" and r < 0 and side(r, simulated.low, simulated.high) == "within":
        return f"{judged}, as do {in_nouns(MODELS)} ({ends})."
    return f"{judged}; {in_nouns(MODELS)} give {ends}."


def verdict_words(row: TradeoffRow, null: Null | None) -> str:
    """The beginning of `null_note`, and the title of a figure: evidence of a tradeoff, no evidence, or no verdict."""
    r, row_null = row.correlations.pearson, null.of(row) if null is not None else None
    if isnan(r) or row_null is None or isnan(row_null.pearson.median):
        return "No verdict on a tradeoff"
    evidence = "Evidence" if row_null.verdict == "stronger" and r < 0 else "No evidence"
    return f"{'No verdict on' if row_null.verdict is None else f'{evidence} of'} a tradeoff between {_BETWEEN}"


def signed(r: float) -> str:
    """A correlation in a sentence."""
    return num(r, 2, signed=True)


def _correlated(r: float) -> str:
    return f"bias² and variance correlate with r = {signed(r)}"


def _reason(row_null: RowNull, r: float) -> str:
    """The words after a verdict: the reason for no verdict, and r."""
    reason = f"{f' ({row_null.reason})' if row_null.reason else ''}: {_correlated(r)}"
    if row_null.verdict is None:
        return reason
    if r >= 0:
        return f"{reason}, which is not negative"
    beside = {"stronger": ", more negative", "weaker": ", less negative"}.get(row_null.verdict)
    return f"{reason}{beside} than differences in means explain" if beside else reason


def side_words(where: Side, observed: float) -> str:
    """The place of a correlation relative to the range of its null models, in words.

    >>> side_words("above", -0.4), side_words("above", 0.9)
    ('less negative than expected from the means alone', 'higher than expected from the means alone')
    """
    if where == "within":
        return "consistent with differences in means alone"
    words = {"below": "lower than", "above": "higher than"}
    if observed < 0:
        words = {"below": "more negative than", "above": "less negative than"}
    return f"{words[where]} expected from the means alone"


def one_run_notes(result: Decomposition, row: TradeoffRow, null: Null | None) -> Iterator[str]:
    """A note on a run without which r of single queries changes its sign or its side of the null models' range.

    Of several such runs the note names the run that changes r most. Target and null models are those of all runs.
    There is no note for fewer than `LEAST_RUNS` runs.
    """
    r, row_null = row.correlations.pearson, null.of(row) if null is not None else None
    if len(result.runs) < LEAST_RUNS or np.isnan(r):
        return
    without = pearson_without(result.bias2, getattr(result, VAR[row.form]))
    changes = np.isfinite(without) & ((without < 0) != (r < 0))
    if row_null is not None and np.isfinite(row_null.pearson.low):
        low, high = row_null.pearson.low, row_null.pearson.high
        changes |= np.isfinite(without) & [side(other, low, high) != side(r, low, high) for other in without]
    if not changes.any():
        return
    runs = np.flatnonzero(is_least(-np.where(changes, np.abs(without - r), -1.0)))
    names = listed([result.runs[run] for run in runs], 3)
    name = f"one of {names}" if len(runs) > 1 else names
    yield f"r depends on a single {RUN}: without {name} it is {signed(without[runs[0]])} (against the same target)."


def gap_notes(row: TradeoffRow, null: Null) -> Iterator[str]:
    """The place of r of the gap form, which has no verdict; no note if r or the range is undefined."""
    row_null, r, beside = null.of(row), row.correlations.pearson, null.side(row)
    if row_null is not None and beside is not None:
        ends = f"{signed(row_null.pearson.low)} to {signed(row_null.pearson.high)}"
        yield f"Gap form: r = {signed(r)} is {side_words(beside, r)} ({ends}; not tested)."


def how_notes(null: Null | None, row: TradeoffRow | None = None) -> Iterator[str]:
    """How the null models were made, and how many samples of a row were left out; nothing if none were drawn."""
    if null is None or not null.n_samples or not null.fitted:
        return
    row_null = null.of(row) if row is not None else None
    lost = row_null.pearson.n_undefined if row_null is not None else 0
    left_out = f"; r of {counted(lost, 'track')} is undefined and left out" if lost else ""
    yield from sample_notes(str(null.n_samples), null.seed, left_out)
    if null.of_systems:
        yield from (_OF_SYSTEMS, NO_CONCLUSION)


def sample_notes(number: str, seed: int, left_out: str = "") -> Iterator[str]:
    """How a ``number`` of samples of each null model was made, and how to read their range and verdict.

    ``left_out`` is added after the seed.
    """
    models = "; ".join(f"{model.name}: {in_nouns(model.words)}" for model in DECIDING)
    yield (
        f"Null models: {number} simulated tracks of each, seed {seed}, in which {RUNS} differ only in their "
        f"means{left_out}. {models}."
    )
    yield from map(in_nouns, (_MEDIAN, JUDGED, _WEAKENED))
