"""The correlations of bias² and variance under query samples, their data, and families of runs, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from biasvar_cli.analyses.tradeoff.sentences import null_models_table, sampling_words, tradeoff_details, tradeoff_notes
from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.decomposition.design import Design, Sampling
from biasvar_cli.decomposition.generalised import Generalised
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import TradeoffRow
from biasvar_cli.nulls.models import Null
from biasvar_cli.scoring.families import LEAST_MEMBERS, Family
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.null import ALONE, NULL_INTERVAL, SIGNED, how_notes, null_columns, null_document
from biasvar_cli.tables.table import KEYS, Note, Table, about, document_of, keyed, listed, plain, row_order
from biasvar_cli.words import COEFFICIENTS, ERRORS, TOTAL, VAR, counted


def tradeoff_table(
    rows: Sequence[TradeoffRow],
    targeted: TargetedScores,
    design: Design,
    null: Null | None = None,
    *,
    nested: bool = False,
) -> Table:
    """One row per sampling and form: the table of CIKM'14 for one track, one measure and one target.

    The null models are the keys ``null`` and ``null_exchangeable`` of each row if ``nested``, as JSON has them, and
    columns on Pearson's r otherwise.
    """
    columns: dict[str, list[Any]] = {
        **{name: [getattr(row.sampling, place) for row in rows] for name, place in _SAMPLING_COLUMNS.items()},
        "form": [row.form for row in rows],
        **{name: [getattr(row.correlations, name) for row in rows] for name in COEFFICIENTS},
        "n_subsets": [row.n_subsets for row in rows],
        "n_dropped": [row.n_dropped for row in rows],
    }
    columns |= _null_columns(rows, null, nested)
    return Table(
        title=f"Correlation of bias² and variance over the runs: {_about(targeted)}",
        columns=keyed(targeted.scores.measure, targeted.target, columns),
        keys=KEYS,
        notes=tradeoff_notes(rows, targeted, null),
        details=tradeoff_details(rows, targeted, design, null),
        second=null_models_table(rows, null),
        intervals=NULL_INTERVAL,
        signed=SIGNED,
        hidden=_COUNTS if null is None or null.fitted else _COUNTS | set(null_columns((), null)),
        more=("biasvar decompose", "biasvar plot tradeoff"),
        document=_document(targeted),
    )


def detail_table(
    result: Generalised | None,
    single: Decomposition,
    sampling: Sampling,
    targeted: TargetedScores,
    design: Design,
    sort: str,
) -> Table:
    """One row per run under one sampling: the data of CIKM'14 Figure 1, with the runs of least error marked.

    ``between`` is the share of the run's variance over single queries that lies between the subsets, nan for the
    normalised form and for subsets of equal weight, which do not split a variance. Raises `UsageError` for a column
    to sort by that is not there.
    """
    result = result or Generalised.undefined(len(single.runs))
    between = undefined = np.full(len(single.runs), np.nan)
    if not sampling.normalised and design.subset_weights == "size":
        between = np.divide(result.var, single.var, out=undefined.copy(), where=single.var > 0)
    columns: dict[str, list[Any]] = {
        "run": list(single.runs),
        "mean": single.mean.tolist(),
        **{name: getattr(result, name).tolist() for name in ERRORS},
        "between": between.tolist(),
        "least": _least(result),
    }
    order = row_order(columns, sort)
    own = {name: getattr(sampling, place) for name, place in _SAMPLING_COLUMNS.items()}
    keys = {"measure": single.measure, "target": single.target.label, **own}
    return Table(
        title=f"Bias-variance over {sampling_words(sampling)}: {_about(targeted)}",
        columns={
            **{name: [value] * len(order) for name, value in keys.items()},
            **{name: [column[index] for index in order] for name, column in columns.items()},
        },
        keys=tuple(keys),
        notes=(
            Note(_subsets(result, targeted)),
            Note("between: the share of the run's variance over single queries that lies between the subsets"),
            Note("least: this run has the least bias², variance or total of all (score form)"),
        ),
        document={**_document(targeted), **own},
        rows_key="runs",
    )


def _subsets(result: Generalised, targeted: TargetedScores) -> str:
    if not result.n_subsets:
        what = "is a mean alone" if targeted.target.scores is None else "is 0 or negative where it would be divided by"
        return f"Undefined (-): the target {what}"
    dropped = f", {result.n_dropped} more dropped because the target is 0 there" if result.n_dropped else ""
    return counted(result.n_subsets, "subset") + dropped


def families_table(
    found: Sequence[Family],
    baseline: str | None,
    targeted: TargetedScores,
    null: Null | None = None,
    *,
    nested: bool = False,
) -> Table:
    """One row per family and form: the correlation within it, and its members below the baseline in both.

    The null models stand where `tradeoff_table` has them; families of few members have none.
    """
    rows = [row for family in found for row in family.rows]
    columns: dict[str, list[Any]] = {
        "family": [family.name for family in found for _ in family.rows],
        "n_runs": [len(family.members) for family in found for _ in family.rows],
        "form": [row.form for row in rows],
        **{name: [getattr(row.correlations, name) for row in rows] for name in COEFFICIENTS},
        **_null_columns(rows, null, nested),
    }
    notes = [
        Note(f"Correlation of bias² and variance over the runs of a family; none (-) of fewer than {LEAST_POINTS}"),
        *_family_null_notes(found, null),
    ]
    if baseline is not None:
        below = [getattr(family, f"below_{row.form}") or () for family in found for row in family.rows]
        columns |= {"n_below": [len(each) for each in below], "below": [list(each) for each in below]}
        notes.append(_below_note(found, baseline))
    alone = targeted.scores.n_runs - sum(len(family.members) for family in found)
    if alone:
        notes.append(Note(f"{counted(alone, 'run')} in no family"))
    return Table(
        title=f"Families: {_about(targeted)}",
        columns=keyed(targeted.scores.measure, targeted.target, columns),
        keys=KEYS,
        notes=tuple(notes),
        details=tuple(how_notes(null)) if null is not None else (),
        intervals=NULL_INTERVAL,
        signed=SIGNED,
        more=("biasvar tradeoff",),
        document=_document(targeted),
        rows_key="families",
        hidden=frozenset({"n_below", "below"}),
    )


_COUNTS = frozenset({"n_subsets", "n_dropped"})
_SAMPLING_COLUMNS = {"sampling": "kind", "subset_size": "subset_size", "normalised": "normalised"}


def _about(targeted: TargetedScores) -> str:
    return about(targeted.scores.measure, targeted.target, targeted.scores.n_runs, targeted.scores.n_queries)


def _document(targeted: TargetedScores) -> dict[str, Any]:
    return document_of(targeted.scores.measure, targeted.target, targeted.scores.n_runs, targeted.scores.n_queries)


def _null_columns(rows: Sequence[TradeoffRow], null: Null | None, nested: bool) -> dict[str, list[Any]]:
    """The null models of rows, as JSON has them or for people; nothing where they were not asked for."""
    if null is None:
        return {}
    if not nested:
        return null_columns(rows, null)
    documents = [null_document(row, null) for row in rows]
    return {name: [each[name] for each in documents] for name in ("null", "null_exchangeable")}


def _family_null_notes(found: Sequence[Family], null: Null | None) -> list[Note]:
    """What the null models beside families are, and which families have none."""
    small = [plain(family.name) for family in found if not family.has_null]
    notes = []
    if null is None or len(small) == len(found) or not null.fitted:
        notes.append(Note(ALONE))
    if null is not None and len(small) < len(found):
        text = "null r: r over the same runs in simulated tracks whose runs differ only in their means"
        notes.append(Note(text if null.fitted else f"No null model: {null.why}"))
    if null is not None and small:
        of = f"No null model of {listed(small)}: with fewer than {LEAST_MEMBERS} members"
        notes.append(Note(f"{of} a correlation can be nearly anything under it"))
    return notes


def _below_note(found: Sequence[Family], baseline: str) -> Note:
    """Which members of each family have less of both parts of the error than a baseline, by form."""
    words = []
    for family, row in ((each, row) for each in found for row in each.rows):
        below = getattr(family, f"below_{row.form}") or ()
        if below:
            which = f"all {len(below)}" if len(below) == len(family.members) > 1 else listed(below, 99)
            words.append(f"{plain(family.name)} ({row.form}): {which}")
    return Note(f"Members with less bias² and less variance than {plain(baseline)}: {'; '.join(words) or 'none'}")


def _least(result: Generalised) -> list[str]:
    """Which of bias², variance and total each run has least of, the names separated by a space."""
    marks: list[list[str]] = [[] for _ in result.bias]
    for name in ("bias2", VAR["score"], TOTAL["score"]):
        values: FloatArray = equalised(getattr(result, name))
        for index in np.flatnonzero(values == values.min()):
            marks[index].append(name)
    return [" ".join(names) for names in marks]
