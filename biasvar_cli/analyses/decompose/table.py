"""A decomposition as a table: a row a run, and under it the correlations, their intervals, and stability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.analyses.decompose.columns import TABLES, VISIBLE_INTERVALS
from biasvar_cli.analyses.decompose.request import DecomposeText
from biasvar_cli.analyses.decompose.sentences import (
    OF_SYSTEMS,
    ONE_REPLICATE,
    known_intervals,
    redrawn,
    run_details,
    run_notes,
    stability_notes,
    undefined_notes,
    verdict_notes,
)
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.null import NULL_INTERVAL, SIGNED, gap_notes, how_notes, null_columns, null_document
from biasvar_cli.tables.quantities import COEFFICIENTS
from biasvar_cli.tables.row_notes import order_document, order_notes, warn_of_chance, with_row_notes
from biasvar_cli.tables.table import Table, document_of, evaluated, signature
from biasvar_cli.tables.view import View, row_order, rows_of
from biasvar_cli.words import FORMS, QUANTITIES, RUN, RUNS, TOTAL, VAR, Form, counted, either

if TYPE_CHECKING:
    from biasvar_cli.decomposition.intervals import Intervals
    from biasvar_cli.decomposition.over_queries import CorrelationInterval
    from biasvar_cli.nulls.models import Null


@dataclass(frozen=True, kw_only=True)
class DecomposeView(DecomposeText, View):
    """Which rows and which form to show."""

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms that people are shown, score first."""
        return FORMS if self.form == "both" else (self.form,)

    @property
    def order(self) -> str:
        """The column that the rows are ordered by."""
        best = TOTAL[self.forms[0]] if self.for_people else "total"
        return self.sort or (best if self.is_best_first else "run")


@with_row_notes("targeted.scores", OF_SYSTEMS, details=(ONE_REPLICATE,))
def decompose_table(answer: DecomposeAnswer, view: DecomposeView) -> Table:
    """A row a run; with ``--notes full`` the correlations beside their null models.

    Warns where people are shown rows in an order that is close to chance. Raises `UsageError` for a column to sort by
    that is not there.
    """
    if view.rows_alone:
        cells = filled(TABLES["runs"], answer)
        return Table.of("", cells.rows(row_order(cells.columns, view.order, declared=TABLES["runs"])[: view.top]))
    if view.for_people:
        warn_of_chance(
            answer.halves, view.order, answer.targeted, remedy=either(": --sort -mean", "; see the column mean")
        )
    cells = filled(TABLES["runs"], answer)
    order = row_order(cells.columns, view.order, declared=TABLES["runs"])
    on_front = [answer.result.runs[index] for index in order if answer.front[index]]
    percent, result = _percent(answer), answer.result
    return Table.of(
        evaluated(
            answer.measure,
            len(result.runs),
            result.n_queries,
            answer.target,
            n_clusters=answer.targeted.scores.n_clusters,
        ),
        rows_of(cells, order, view),
        verdict=tuple(verdict_notes(answer, view.forms)),
        notes=(
            *run_notes(answer, view.forms, on_front, view.top),
            *undefined_notes(answer, view.forms),
            *order_notes(answer.halves, view.order),
        ),
        details=tuple(run_details(answer, on_front)),
        second=(*_stability_table(answer), *_interval_table(answer)),
        appendix=(correlations_table(answer, view.forms),),
        intervals={f"{name} {percent}": (f"{name}_low", f"{name}_high") for name in VISIBLE_INTERVALS if percent},
        hidden=_hidden(view),
        more=(*(["--form both (gaps)"] if view.form == "score" else []), "biasvar report"),
        with_notices=True,
        name="decompose",
        signature=_signature(answer),
        target_row=_target_row(answer),
        document=_document(answer),
        rows_key="runs",
    )


VIEW = DecomposeView


def tables(answers: Sequence[DecomposeAnswer], view: DecomposeView) -> list[Table]:
    """A table for each answer: its runs, or its correlations."""
    if view.table == "correlations":
        return [correlations_table(answer) for answer in answers]
    return [decompose_table(answer, view) for answer in answers]


def _hidden(view: DecomposeView) -> frozenset[str]:
    """The columns of the form that is not shown, but for the one that the rows are ordered by."""
    names = {name for form in FORMS if form not in view.forms for name in (VAR[form], TOTAL[form])}
    return frozenset(names - {view.order.removeprefix("-")})


def correlations_table(answer: DecomposeAnswer, forms: Sequence[Form] = FORMS) -> Table:
    """The correlations of both forms beside their null models."""
    rows, null = answer.rows, answer.null
    columns: dict[str, list[Any]] = {
        "form": [row.form for row in rows],
        **{name: [getattr(row.correlations, name) for row in rows] for name in COEFFICIENTS},
    }
    if null is not None and null.fitted and null.n_samples:
        columns |= null_columns(rows, null)
    return Table(
        f"Correlation of bias² and variance over {counted(len(answer.result.runs), 'run')}",
        columns,
        notes=tuple(gap_notes(rows[1], null)) if null is not None and "gap" not in forms else (),
        details=tuple(how_notes(null, rows[0])),
        intervals=NULL_INTERVAL,
        signed=SIGNED,
        declared=COEFFICIENTS,
    )


def _stability_table(answer: DecomposeAnswer) -> Iterator[Table]:
    """H and D beside the null models, each with what it says; nothing where they are not defined or not asked for."""
    stability = answer.null.stability if answer.null is not None else None
    if stability is None or not answer.request.stability:
        return
    models = (stability.spread_null, stability.trend_null)
    yield Table(
        f"Stability: how much more (above 0) or less {RUN:a} varies than its mean implies, in standard deviations",
        {
            "number": ["H", "D"],
            "value": [stability.spread, stability.trend],
            "null": [model.median for model in models],
            **{name: [getattr(model, name) for model in models] for name in ("low", "high", "p")},
        },
        notes=tuple(stability_notes(stability)),
        details=(
            f"stability: z of the {RUN}'s variance among simulated {RUNS} of its mean; nearest to 0 of three models.",
            "The row of H, and that of D, is of the null model with the largest p of the three.",
        ),
        intervals={"95 %": ("low", "high")},
    )


def _interval_table(answer: DecomposeAnswer) -> Iterator[Table]:
    """The intervals of the correlations; nothing where there is not one."""
    rows = list(known_intervals(answer))
    if not rows:
        return
    coefficients, forms, intervals = zip(*rows, strict=True)
    columns: dict[str, list[Any]] = {
        "for new": [redrawn(answer, coefficient) for coefficient in coefficients],
        "form": list(forms),
        "coefficient": [coefficient.coefficient for coefficient in coefficients],
        "value": [interval.estimate for interval in intervals],
        **{name: [getattr(interval, name) for interval in intervals] for name in ("low", "high", "corrected")},
    }
    if all(interval.rule != "test-inversion" for interval in intervals):
        del columns["corrected"]
    percent = _percent(answer)
    signed = frozenset({"value", "low", "high", "corrected"})
    title = f"{percent} intervals of the correlations"
    yield Table(title, columns, intervals={percent: ("low", "high")}, signed=signed)


def _percent(answer: DecomposeAnswer) -> str:
    """The level of the intervals as heads have it; empty where there are none."""
    return "" if answer.request.ci is None else f"{100 * answer.request.ci:g} %"


def _signature(answer: DecomposeAnswer) -> str:
    transform, intervals = log_transform(answer.request), answer.intervals
    words = [] if transform is None else [f"ln {transform.form} {transform.eps:g}"]
    if intervals is not None:
        words.append(f"intervals {intervals.level:g} of {intervals.n_resamples} resamples seed {intervals.seed}")
    return signature(answer.measure, answer.scored.basis, *words, target=answer.target, null=answer.null)


def _target_row(answer: DecomposeAnswer) -> dict[str, Any]:
    """The target as a run: its error is its variance, and the gap to itself is 0."""
    target = answer.target
    gap = 0.0 if target.scores is not None else float("nan")
    values = (target.mean, 0.0, 0.0, target.var, target.var, gap, gap)
    return {"run": "virtual target", **dict(zip(QUANTITIES, values, strict=True))}


def _document(answer: DecomposeAnswer) -> dict[str, Any]:
    """The keys of JSON: those that are always there, those that options add, and how far the order can be relied on."""
    result, null = answer.result, answer.null
    document = {
        **document_of(
            answer.measure,
            answer.target,
            len(result.runs),
            result.n_queries,
            answer.targeted.scores.n_clusters,
        ),
        "runs": None,
        "tradeoff": {row.form: {**vars(row.correlations), **null_document(row, null)} for row in answer.rows},
    }
    if answer.request.stability and null is not None:
        document["stability"] = _stability_document(null)
    if answer.intervals is not None:
        document["intervals"] = _interval_document(answer, answer.intervals)
    if answer.compared is not None:
        document["baseline"] = {"run": answer.compared.baseline, "level": answer.compared.level}
    return {**document, "reliability": order_document(answer.halves)}


def _stability_document(null: Null) -> dict[str, Any]:
    """H, D and the correlations across halves."""
    stability, halves = null.stability, null.cross_half
    document: dict[str, Any] = {"H": None, "D": None}
    if stability is not None:
        h, d = (stability.spread, stability.spread_null), (stability.trend, stability.trend_null)
        for name, (value, model) in (("H", h), ("D", d)):
            ends = {part: getattr(model, part) for part in ("median", "low", "high", "p")}
            document[name] = {"value": value, **ends}
    if halves is not None:
        document["cross_half"] = {"other": vars(halves.other), "same": vars(halves.same)}
    return document


def _interval_document(answer: DecomposeAnswer, intervals: Intervals) -> dict[str, Any]:
    """How the intervals were made, and those of each coefficient in both forms, over queries first."""

    def ends(interval: CorrelationInterval) -> dict[str, Any]:
        values = {"value": interval.estimate, "low": interval.low, "high": interval.high}
        return {**values, "method": interval.rule, "corrected": interval.corrected}

    return {
        "level": intervals.level,
        "resamples": intervals.n_resamples,
        "seed": intervals.seed,
        "method": intervals.method,
        **{
            name: [
                {"over": coefficient.over, **{form: ends(getattr(coefficient, form)) for form in FORMS}}
                for coefficient in answer.correlation_intervals
                if coefficient.coefficient == name
            ]
            for name in COEFFICIENTS
        },
    }
