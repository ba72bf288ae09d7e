"""A decomposition as a table: a row a run, what it says, and under it the correlations, intervals, and stability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from statistics import median, pstdev
from typing import TYPE_CHECKING, Any

import numpy as np

from biasvar_cli import words
from biasvar_cli.analyses.decompose import TABLES, VISIBLE_INTERVALS, DecomposeText, interval_words
from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.arrays import equalised, in_order, is_below, is_least, ranks
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.specs.limits import LEVEL, is_significant
from biasvar_cli.stats.correlation import LEAST_POINTS, kendall
from biasvar_cli.tables import null_words, rows
from biasvar_cli.tables.column import BY_NULL, CORRELATIONS, filled
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.table import CLOSE, UNRELATED, Table, below, minus, relation, targeted_table
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, Form, counted, listed

if TYPE_CHECKING:
    from biasvar_cli.nulls.statistic import Stability

_ONE_REPLICATE = (
    "total is the mean squared error of one run of a system, drawn at random. As an estimate for all runs that a "
    "system might have, var_replicates is too small by the factor (runs - 1) / runs on average, and var_queries is too "
    "large by var_replicates / (runs - 1) - sd_replicates² / runs; neither is corrected."
)
_OF_SYSTEMS = (
    "var = var_queries (of a system's mean scores over queries) + var_replicates (of its runs on a query, mean over "
    "queries); sd_replicates: of the means of its runs. - : a system of one run."
)
_NAMED = 4  # runs of the Pareto front


def _inference_notes(answer: DecomposeAnswer, *, typed: bool = True) -> Iterator[str]:
    """What intervals and the comparison with a baseline are about, where rows are systems."""
    if parts := _inferred(answer):
        of_others = f" ({words.either('biasvar compare', 'compare')} is)" if typed else ""
        about = f"about other {QUERIES} and these runs of a system, not about other runs{of_others}"
        sentence = listed(parts)
        yield f"{sentence[0].upper()}{sentence[1:]} are {about}."


def _inferred(answer: DecomposeAnswer) -> list[str]:
    """What is said beyond the queries at hand."""
    request = answer.request
    return ["intervals"] * (request.ci is not None) + ["tests against the baseline"] * (request.baseline is not None)


@dataclass(frozen=True, kw_only=True)
class DecomposeView(DecomposeText, rows.View):
    """Which rows and which form to show."""

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms that people are shown, score first."""
        return words.FORMS if self.form == "both" else (self.form,)

    @property
    def order(self) -> str:
        """The column that the rows are ordered by."""
        best = words.TOTAL[self.forms[0]] if self.for_people else "total"
        return self.sort or (best if self.is_best_first else "run")


VIEW = DecomposeView


def tables(answers: Sequence[DecomposeAnswer], view: DecomposeView) -> list[Table]:
    """A table for each answer: its runs, or its correlations."""
    if view.table == "correlations":
        return [_correlations_table(answer) for answer in answers]
    return [decompose_table(answer, view) for answer in answers]


@rows.with_row_notes("scores", _OF_SYSTEMS, lambda answer: _inference_notes(answer), details=(_ONE_REPLICATE,))
def decompose_table(answer: DecomposeAnswer, view: DecomposeView) -> Table:
    """A row a run; with ``--notes full`` the correlations beside their null models.

    Warns where people are shown rows in an order that is close to chance. Raises `UsageError` for a column to sort by
    that is not there.
    """
    cells = filled(TABLES["runs"], answer)
    order = rows.row_order(cells.columns, view.order, declared=TABLES["runs"])
    if view.rows_alone:
        return Table.of("", cells.rows(order[: view.top]))
    if view.for_people:
        remedy = words.either(": --sort -mean", "; see the column mean")
        rows.warn_of_chance(answer.halves, view.order, answer.targeted, remedy=remedy)
    forms, percent = view.forms, interval_words.percent(answer)
    on_front = [answer.result.runs[index] for index in order if answer.front[index]]
    other_form = {name for form in words.FORMS if form not in forms for name in (words.VAR[form], words.TOTAL[form])}
    sampled, target = "", answer.target
    if (made := answer.intervals) is not None:
        sampled = f"intervals {made.level:g} of {made.n_resamples} resamples seed {made.seed}"
    gap, of_systems = 0.0 if target.scores is not None else float("nan"), answer.scores.replicates is not None
    of_target = (target.mean, 0.0, 0.0, target.var, target.var, gap, gap)  # its error is its variance
    return targeted_table(
        answer,
        rows.rows_of(cells, order, view),
        answer.request.log_words,
        sampled,
        null=answer.null,
        verdict=tuple(verdict_notes(answer, forms)),
        notes=(*_notes(answer, forms, on_front, view.top), *rows.order_notes(answer.halves, view.order)),
        details=tuple(_details(answer, on_front)),
        second=(*_stability_table(answer), *interval_words.interval_table(answer)),
        appendix=(_correlations_table(answer, forms),),
        caption=tuple(words.in_nouns(note, runs=False) for note in _inference_notes(answer, typed=False) if of_systems),
        intervals={f"{name} {percent}": (f"{name}_low", f"{name}_high") for name in VISIBLE_INTERVALS if percent},
        hidden=frozenset(other_form - {view.order.removeprefix("-")}),
        more=(*(["--form both (gaps)"] if view.form == "score" else []), "biasvar report"),
        with_notices=True,
        name="decompose",
        target_row={"run": "virtual target", **dict(zip(words.QUANTITIES, of_target, strict=True))},
        document=_document(answer),
        rows_key="runs",
    )


def _correlations_table(answer: DecomposeAnswer, forms: Sequence[Form] = words.FORMS) -> Table:
    """The correlations of both forms beside their null models."""
    (score, gap), null = answer.rows, answer.null
    how = tuple(null_words.how_notes(null, score))
    return Table.of(
        f"Correlation of bias² and variance over {counted(len(answer.result.runs), 'run')}",
        filled((*CORRELATIONS, *BY_NULL), answer),
        notes=tuple(null_words.gap_notes(gap, null)) if null is not None and "gap" not in forms else (),
        details=(null_words.RANGE, *how) if how else (),
        intervals=null_words.NULL_INTERVAL,
    )


def _document(answer: DecomposeAnswer) -> dict[str, Any]:
    """The keys of JSON: those that are always there, those that options add, and how far the order can be relied on."""
    null = answer.null
    tradeoff = {row.form: {**vars(row.correlations), **null_words.null_document(row, null)} for row in answer.rows}
    document: dict[str, Any] = {"runs": None, "tradeoff": tradeoff}
    if answer.request.stability and null is not None:
        numbers: dict[str, Any] = {"H": None, "D": None}
        if (stability := null.stability) is not None:
            h, d = (stability.spread, stability.spread_null), (stability.trend, stability.trend_null)
            for name, (value, model) in (("H", h), ("D", d)):
                ends = {part: getattr(model, part) for part in ("median", "low", "high", "p")}
                numbers[name] = {"value": value, **ends}
        if (halves := null.cross_half) is not None:
            numbers["cross_half"] = {"other": vars(halves.other), "same": vars(halves.same)}
        document["stability"] = numbers
    if answer.intervals is not None:
        document["intervals"] = interval_words.interval_document(answer, answer.intervals)
    if answer.compared is not None:
        document["baseline"] = {"run": answer.compared.baseline, "level": answer.compared.level}
    if answer.scores.replicates is not None and _inferred(answer):
        document["infer"] = "runs"
    order = {name: getattr(answer.halves, name) for name in ("half", "n_splits", *words.RANKED)}
    return {**document, "reliability": order}


def verdict_notes(answer: DecomposeAnswer, forms: Sequence[Form]) -> Iterator[str]:
    """The least total, in the first of the forms that are shown, the ranking by it and by mean, and the tradeoff."""
    yield from total_notes(answer, forms[0])
    yield from tradeoff_notes(answer, forms)


def total_notes(answer: DecomposeAnswer, form: Form) -> Iterator[str]:
    """The least total of a form, and the ranking by it and by mean."""
    yield _least_note(answer.result, form)
    if len(answer.result.runs) > 1:
        yield from _ranking_notes(answer.result)
    yield from _replicate_notes(answer.result)


def tradeoff_notes(answer: DecomposeAnswer, forms: Sequence[Form]) -> Iterator[str]:
    """Whether there is a tradeoff, with a run that decides it; nothing of fewer than `LEAST_POINTS` runs."""
    if len(answer.result.runs) >= LEAST_POINTS:
        yield null_words.null_note(answer.rows[0], answer.null)
        yield from null_words.one_run_notes(answer.result, answer.rows[0], answer.null)
        if answer.null is not None and "gap" in forms:
            yield from null_words.gap_notes(answer.rows[1], answer.null)


def _least_note(result: Decomposition, form: Form) -> str:
    """The run of the least total of a form, and the next one or the best by mean."""
    total = getattr(result, words.TOTAL[form])
    if np.isnan(total[0]):
        return f"No total of the gap form: the target has no score per {QUERY}."
    order, rank = in_order(total, result.runs), ranks(total)
    first = [run for run in order if rank[run] == 1]
    rest = [run for run in order if rank[run] > 1]
    best = np.flatnonzero(is_least(-result.mean)).tolist()
    of_gap = " of the gap form" if form == "gap" else ""
    least = f"Least total error{of_gap}: {_names(result, first)} ({num(total[order[0]])})"
    if not rest:
        return f"{least}."
    if set(best) & set(first):
        which = "which has" if len(first) == 1 else "which have" if set(best) >= set(first) else "one of which has"
        return f"{least}, {which} the best mean too; next {_names(result, rest[:1])} ({num(total[rest[0]])})."
    mean = num(result.mean[best[0]], better=result.better)
    by_total = f", rank {rank[best[0]]} by total" if len(best) == 1 else ""
    return f"{least}. Best mean: {_names(result, best)} ({mean}){by_total}."


def _names(result: Decomposition, runs: Sequence[int]) -> str:
    return listed([result.runs[run] for run in runs], 3)


def _ranking_notes(result: Decomposition) -> Iterator[str]:
    """How far the ranking by total is that by mean and, where it is not close to it, why."""
    tau = float(kendall(result.total, result.bias))
    if isnan(tau):
        return
    if relation(tau) == CLOSE:
        yield f"Ranking by total {CLOSE} ranking by mean (Kendall's tau {num(tau, 2)})."
        return
    ranking = f"Ranking by total {relation(tau)} ranking by mean (Kendall's tau {num(tau, 2, signed=True)})"
    by_mean = words.either("--sort -mean ranks by mean", "see the column mean")
    caution, with_mean = ";", float(kendall(result.mean, result.var))
    if with_mean > 0 and relation(with_mean) != UNRELATED:
        rises = f"variance {'rises' if result.better == 'more' else 'falls'} with the mean"
        caution = f". Here {rises} (Kendall's tau {num(with_mean, 2)}), so a low total need not mean a good {RUN}:"
    yield f"{ranking}, because {_reason(result)}{caution} {by_mean}."


def _reason(result: Decomposition) -> str:
    """Why the ranking by total is not that by mean."""
    above = int((equalised(result.bias) < 0).sum())
    if above and relation(float(kendall(result.bias2, result.bias))) != CLOSE:
        higher, has = "higher" if result.better == "more" else "lower", words.verb(above, "has", "have")
        return f"{counted(above, 'run')} {has} a {higher} mean than the target, and bias² counts that as an error too"
    var, bias2 = (pstdev(values.tolist()) for values in (result.var, result.bias2))
    if var > bias2:
        return f"the {RUNS} differ more in variance (standard deviation {num(var, 4)}) than in bias² ({num(bias2, 4)})"
    return f"differences in variance (standard deviation {num(var, 4)}) add to those in bias² ({num(bias2, 4)})"


def _replicate_notes(result: Decomposition) -> Iterator[str]:
    """How much of the variance of the systems is between their replicates, the least and the most."""
    parts = result.parts
    if parts is None:
        return
    share = np.divide(parts.replicates, result.var, out=np.full(len(result.runs), np.nan), where=result.var > 0)
    defined = sorted(np.flatnonzero(np.isfinite(share)).tolist(), key=lambda row: (share[row], result.runs[row]))
    if not defined:
        return
    least, most = defined[0], defined[-1]
    low, high = ("less than 1 %" if 0 < share[row] < 0.005 else f"{round(100 * share[row])} %" for row in (least, most))
    of_var = low if low == high else f"{low} ({_names(result, [least])}) to {high} ({_names(result, [most])})"
    largest = max(defined, key=lambda row: (parts.sd[row], -row))
    yield (
        f"Replicates account for {of_var} of the variance of a system; the means of its runs have a standard deviation "
        f"of up to {num(parts.sd[largest])} ({_names(result, [largest])})."
    )


def _notes(answer: DecomposeAnswer, forms: Sequence[Form], on_front: list[str], top: int | None) -> Iterator[str]:
    """The lines under the runs; ``on_front`` are those on the Pareto front, of which ``top`` rows are shown."""
    result, better, request = answer.result, answer.better, answer.request
    n_runs = len(result.runs)
    over = f"over {QUERIES}" if result.parts is None else f"over {QUERIES} and the runs of a system"
    bias = minus("target mean", "mean", better)
    yield f"bias: {bias}; var: variance {over}; total: bias² + var. Low scores have low var."
    if "gap" in forms:
        yield f"var_gap: variance of {minus('target', 'score', better)} over the {QUERIES}. total_gap: bias² + var_gap."
    for row in answer.rows:
        if row.form in forms and not isnan(row.correlations.pearson):
            pearson, spearman, tau = (num(r, signed=True) for r in vars(row.correlations).values())
            var = "variance" if row.form == "score" else "var_gap"
            correlations = f"Pearson {pearson}, Spearman {spearman}, Kendall {tau}"
            yield f"Correlation of bias² and {var} over {n_runs} {RUNS}: {correlations}"
    if n_runs > 1:
        front = f"Pareto front (no {RUN} has less of both): {_front_words(result, on_front)}"
        yield " ".join([*rows.top_note(top, n_runs, "run"), front])
    yield from _log_notes(answer)[0]
    if request.weights is not None:
        yield "total_w: {:.15g} bias² + {:.15g} var".format(*request.weights)
    yield from interval_words.interval_notes(answer)
    yield from interval_words.baseline_notes(answer)
    undefined = [row.form for row in answer.rows if row.form in forms and isnan(row.correlations.pearson)]
    if undefined and n_runs < LEAST_POINTS:
        yield f"No correlation over {counted(n_runs, 'run')}: at least {LEAST_POINTS} are needed"
        return
    if result.target.scores is None and "gap" in undefined:
        undefined.remove("gap")
        yield f"No gap form: the target is a mean alone, without a score per {QUERY}"
    if len(undefined) == 1:
        yield f"{undefined[0].capitalize()} form: no correlation: bias² or variance is the same for every {RUN}"
    elif undefined:
        yield f"No correlation: bias² or variance is the same for every {RUN}"


def _front_words(result: Decomposition, on_front: list[str]) -> str:
    """The runs on the Pareto front; where some are below the median mean, those from it upwards."""
    is_low = dict(zip(result.runs, is_below(result.mean, median(result.mean.tolist())), strict=True))
    high = [run for run in on_front if not is_low[run]]
    if len(high) == len(on_front):
        return listed(high, _NAMED)
    why = " (low scores vary little)" if result.better == "more" else ""
    low = f"{counted(len(on_front) - len(high), 'run')} {below(result.better)} the median mean{why}"
    return f"{listed(high, _NAMED)}, and {low}" if high else low


def _details(answer: DecomposeAnswer, on_front: list[str]) -> Iterator[str]:
    """What ``--notes full`` adds under the runs."""
    yield "var has divisor n (population)"
    yield f"All of the Pareto front: {listed(on_front, None)}"
    yield from _log_notes(answer)[1]
    yield from interval_words.interval_details(answer)
    yield from rows.order_details(answer.halves)
    null = answer.null
    if answer.request.stability and null is not None:
        if null.stability is None:
            yield f"Stability is not defined: {null.why}."
        halves = null.cross_half
        if halves is not None:
            other, same = num(halves.other.pearson, signed=True), num(halves.same.pearson, signed=True)
            yield (
                f"Without a model: r of bias² on one half of the {QUERIES} and variance on the other is {other}, on "
                f"the same half {same} (means over random halves)."
            )


def _log_notes(answer: DecomposeAnswer) -> tuple[list[str], list[str]]:
    """What a log transform did to the scores, and how much depends on its constant: for everybody, and as details.

    Everybody is told of a constant that decides, which is so where another run has the least total with ten times it.
    """
    transform, other, result = log_transform(answer.request), answer.coarser, answer.result
    if transform is None or other is None:
        return [], []
    values, eps = answer.scored.scores.in_unit.of_single_runs, transform.eps
    inner = f"max(score, {eps:g})" if transform.form == "floor" else f"score + {eps:g}"
    logarithms = f"Scores are ln({inner}); {int((values < eps).sum())} of {values.size} scores lie below {eps:g}"
    geometric = f"mean: the log of the geometric mean of {inner}"
    least, least_other = (np.flatnonzero(is_least(errors.total)).tolist() for errors in (result, other))
    same = [run for run in least_other if run in least]
    changed, total = f"With {10 * eps:g} in place of {eps:g}, the least total", num(other.total.min())
    if same:
        return [logarithms], [f"{changed} is still that of {_names(other, same)}, {total}", geometric]
    return [logarithms, f"{changed} would be that of {_names(other, least_other)}, {total}"], [geometric]


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
        notes=tuple(_stability_notes(stability)),
        details=(
            f"stability: z of the {RUN}'s variance among simulated {RUNS} of its mean; nearest to 0 of three models.",
            "The row of H, and that of D, is of the null model with the largest p of the three.",
        ),
        intervals={"95 %": ("low", "high")},
    )


def _stability_notes(stability: Stability) -> Iterator[str]:
    """What H and D are and say beside the null models, and how many runs have no stability, if any."""

    def beside(p: float, more: str) -> str:
        if isnan(p):
            return "which is undefined here"
        return f"here {more if is_significant(p, LEVEL) else 'as'} in the null models"

    higher = "higher than" if stability.trend > stability.trend_null.median else "lower than"
    spread, trend = beside(stability.spread_null.p, "larger than"), beside(stability.trend_null.p, higher)
    h = f"H: standard deviation of stability over the {RUNS}, {spread}"
    yield f"{h}; D: Spearman's correlation of stability and mean, {trend}."
    n_undefined = int(np.isnan(stability.z).sum())
    if n_undefined:
        yield f"No stability (-) of {counted(n_undefined, 'run')}, whose mean is 0 or 1 or whose samples do not vary."
