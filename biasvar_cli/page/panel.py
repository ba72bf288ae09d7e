"""What the page shows of one measure and one target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.analyses.compare import answer as compare
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.analyses.compare.table import CompareView, compare_table
from biasvar_cli.analyses.decompose import answer as decompose
from biasvar_cli.analyses.decompose.request import DecomposeRequest
from biasvar_cli.analyses.decompose.table import DecomposeView, decompose_table
from biasvar_cli.analyses.risk import answer as risk
from biasvar_cli.analyses.risk.request import RiskRequest
from biasvar_cli.analyses.risk.table import RiskView, risk_table
from biasvar_cli.analyses.target.answer import TargetAnswer
from biasvar_cli.analyses.target.request import TargetRequest
from biasvar_cli.analyses.target.table import TargetView, target_table
from biasvar_cli.analyses.tradeoff import answer as tradeoffs
from biasvar_cli.analyses.tradeoff.request import TradeoffRequest
from biasvar_cli.analyses.tradeoff.sentences import reading_order, sampling_words
from biasvar_cli.analyses.tradeoff.table import families_table, tradeoff_table
from biasvar_cli.arrays import equalised, out_of_range
from biasvar_cli.decomposition.decompose import Decomposition, pareto_front
from biasvar_cli.decomposition.design import Design
from biasvar_cli.measures import value_range
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.page.drawings import Drawing, correlations_drawn, growth_drawn
from biasvar_cli.page.sheet import DIGITS, Sheet, document, sheet
from biasvar_cli.readers.maps import Member
from biasvar_cli.scores import ScoreMatrix, in_unit
from biasvar_cli.scoring.families import Family
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs import TargetSpec
from biasvar_cli.stats.monte_carlo import Done, unwatched
from biasvar_cli.stats.significance import PRIMARY, TESTS
from biasvar_cli.stats.step_down import FEWEST_QUERIES
from biasvar_cli.tables.order import warn_of_chance
from biasvar_cli.tables.rounding import in_words, printable
from biasvar_cli.tables.table import Table, measure_words
from biasvar_cli.tables.view import View, row_order
from biasvar_cli.words import FORMS, QUERIES, RUNS, VAR, LogForm, counted

_OPENS_BY = "total"  # the order of the runs when the page opens
_QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, kw_only=True)
class PanelRequest:
    """What is to be shown beside the decomposition: families are a file's members, or a pattern, or None."""

    design: Design
    null: NullRequest | None
    families: Mapping[str, Member] | str | None = None
    baseline: str | None = None
    log: LogForm | None = None
    eps: float | None = None


class Panel(NamedTuple):
    """One tab: tables, the sentences under its heading, and the data of the figures."""

    key: str
    label: str
    lead: list[str]
    baseline: str
    runs: Sheet
    compared: Sheet | None
    risk: Sheet | None
    tradeoff: Sheet
    correlations: list[Drawing]
    families: Sheet | None
    queries: Sheet | None
    suppliers: Sheet | None
    growth: list[str]
    rarefied: Drawing | None
    data: dict[str, Any]

    @property
    def sheets(self) -> list[Sheet]:
        """The tables that are there."""
        return [part for part in self if isinstance(part, Sheet)]


def panel(key: str, scored: Scored, spec: TargetSpec, request: PanelRequest, *, done: Done = unwatched) -> Panel:
    """The analyses of one measure and target; ``done`` is called with the number of samples that were just drawn."""
    of_systems = scored.scores.replicates is not None
    null_models = request.null
    if null_models is not None and of_systems:
        null_models = replace(null_models, stability=False)
    asked = TradeoffRequest(
        target=(spec.text,),
        log=request.log,
        eps=request.eps,
        design=request.design,
        null=null_models,
        families=request.families,
        with_samplings=True,
    )
    (correlated,) = tradeoffs.answer(Track((scored,)), asked, done=done)
    targeted, result, null = correlated.targeted, correlated.decomposition, correlated.null
    wanted = _decompose_request(spec, request, of_systems=of_systems)
    decomposed = decompose.DecomposeAnswer(wanted, scored, targeted, drawn=null)
    runs = _runs(decomposed)
    samples = TargetRequest(difficulty=request.design.difficulty, subset_size=request.design.first_size)
    target = TargetAnswer(samples, scored, targeted)
    queries, suppliers = _target(key, target)
    compared = _compared(scored, spec, request)
    order = row_order(runs.columns, _OPENS_BY)
    measure = printable(measure_words(targeted.scores.measure))
    data = {
        "key": key,
        "measure": measure,
        "better": result.better,
        "order": order,
        "bounds": _bounds(targeted.scores),
        "families": _members(result, correlated.families),
        "fronts": _fronts(result),
        "replicates": list(_replicates(decomposed)),
        "apart": _critical_difference(compared),
        **_scores(target),
    }
    return Panel(
        key=key,
        label=f"{measure_words(targeted.scores.measure)}, target {targeted.target.label}",
        lead=[in_words(note, DIGITS) for note in runs.verdict],
        baseline=printable(request.baseline) if request.baseline is not None else "",
        runs=sheet(f"{key}-runs", runs, order=order),
        compared=None if compared is None else _compared_sheet(f"{key}-compare", compared),
        risk=_risk(key, scored, request.baseline, request.design.seed),
        tradeoff=_titled(
            f"{key}-tradeoff",
            "Correlation of bias² and variance",
            tradeoff_table(correlated, View(format="csv", best_first=True)),
            tradeoff_table(correlated, View()),
        ),
        correlations=correlations_drawn(_samplings(correlated), _no_null(null)),
        families=(
            _titled(f"{key}-families", "Correlation of bias² and variance within families", families_table(correlated))
            if request.families is not None
            else None
        ),
        queries=queries,
        suppliers=suppliers,
        growth=_growth(target),
        rarefied=growth_drawn(_means(target), measure) if _is_pooled(target) else None,
        data=data,
    )


def _titled(key: str, words: str, table: Table, people: Table | None = None) -> Sheet:
    """A table whose title says on the page what it shows, and not only of what."""
    title = f"{words}: {in_words(table.title, DIGITS)}"
    return sheet(key, replace(table, title=title), people=replace(people or table, title=title))


def _decompose_request(spec: TargetSpec, request: PanelRequest, *, of_systems: bool) -> DecomposeRequest:
    return DecomposeRequest(
        rank=True,
        pareto=True,
        target=(spec.text,),
        log=request.log,
        eps=request.eps,
        stability=request.null is not None and not of_systems,
        baseline=None if request.baseline is None else f"run:{request.baseline}",
        seed=request.design.seed,
    )


def _runs(answer: decompose.DecomposeAnswer) -> Table:
    """The table of the runs, whose title says what they are compared with."""
    warn_of_chance(answer.halves, _OPENS_BY, answer.targeted)
    table = decompose_table(answer, DecomposeView(sort="run", form="both", format="json"))
    if answer.compared is None:
        return table
    return replace(table, title=f"{table.title}; d_, ratio_: against {answer.compared.baseline}")


def _risk(key: str, scored: Scored, baseline: str | None, seed: int) -> Sheet | None:
    """The table of ``risk`` against the baseline, of the scores themselves; None where no run is named."""
    if baseline is None:
        return None
    (answer,) = risk.answer(Track((scored,)), RiskRequest(baseline=(f"run:{baseline}",), seed=seed))
    return sheet(f"{key}-risk", risk_table(answer, RiskView()))


def _no_null(null: Null | None) -> str:
    """Why the figure of the correlations has no null model; empty where it has one."""
    if null is None:
        return "no null model was asked for"
    return "" if null.fitted else f"no null model: {printable(null.why)}"


def _compared(scored: Scored, spec: TargetSpec, request: PanelRequest) -> compare.CompareAnswer | None:
    """All pairs of the runs, by the primary test alone; None for a single query, which no test is of."""
    if scored.scores.n_queries < 2:
        return None
    asked = CompareRequest(
        test=(PRIMARY,), target=(spec.text,), log=request.log, eps=request.eps, seed=request.design.seed
    )
    (answer,) = compare.answer(Track((scored,)), asked)
    return answer


def _compared_sheet(key: str, answer: compare.CompareAnswer) -> Sheet:
    rows = compare_table(answer, CompareView(table="runs", format="csv", best_first=True))
    return sheet(key, rows, people=compare_table(answer, CompareView(table="runs")))


def _bounds(scores: ScoreMatrix) -> tuple[float, float] | None:
    """The least and the largest value that the measure can have; None where that is not known or not finite.

    None, too, of scores that were allowed beyond it.
    """
    bounds = value_range(scores.measure) if scores.measure else None
    if bounds is None or not np.isfinite(bounds).all() or out_of_range(scores.of_single_runs, bounds).any():
        return None
    return bounds


def _critical_difference(answer: compare.CompareAnswer | None) -> dict[str, Any]:
    """The difference of means above which two runs differ, and by which test; or why there is none."""
    n_queries = 1 if answer is None else answer.n_queries
    if answer is None or n_queries < FEWEST_QUERIES:
        needs = f"the {TESTS[PRIMARY].words} needs at least {FEWEST_QUERIES} {QUERIES}, found {n_queries}"
        return {"critical": None, "words": f"not tested: {needs}"}
    tests = answer.tests
    if not np.isfinite(tests.primary.critical):
        return {"critical": None, "words": f"no difference on {n_queries} {QUERIES} would be significant"}
    pairs = counted(len(tests.delta), "pair")
    how = f"{100 * answer.request.level:g} % for all {pairs} of {RUNS} together, {tests.words(PRIMARY)}"
    return {"critical": tests.primary.critical, "words": how}


def _fronts(result: Decomposition) -> dict[str, list[int] | None]:
    """The places of the runs on the Pareto front of each form, in ascending order of bias²; None for an undefined form.

    They are the front of `decomposition.decompose.pareto_front`, of which the page draws the rings and the steps.
    """
    fronts: dict[str, list[int] | None] = {}
    for form in FORMS:
        var = getattr(result, VAR[form])
        front = np.flatnonzero(pareto_front(result.bias2, var))
        along = np.lexsort((equalised(var)[front], equalised(result.bias2)[front]))
        fronts[form] = front[along].tolist() if np.isfinite(var).all() else None
    return fronts


def _replicates(answer: decompose.DecomposeAnswer) -> Iterator[dict[str, Any]]:
    """The runs of the systems that have several, each by itself, and the places of the systems; none of runs."""
    replicates, result = answer.targeted.scores.replicates, answer.replicates
    if replicates is None or result is None:
        return
    index_of = {system: index for index, system in enumerate(answer.result.runs)}
    for index, run in enumerate(result.runs):
        system = replicates.system_of[run]
        if len(replicates.members[system]) > 1:
            quantities = {name: float(getattr(result, name)[index]) for name in ("bias2", "var", "var_gap")}
            defined = {name: value if np.isfinite(value) else None for name, value in quantities.items()}
            yield {"run": printable(run), "system": index_of[system], **defined}


def _target(key: str, answer: TargetAnswer) -> tuple[Sheet | None, Sheet | None]:
    """The target by query and by supplier; nothing for a target that is a mean alone."""
    if answer.target.scores is None:
        return None, None
    queries = target_table(answer, TargetView(table="queries", format="json", best_first=True))
    people = target_table(answer, TargetView(table="queries"))
    return (
        sheet(f"{key}-queries", queries, people=people),
        sheet(f"{key}-suppliers", target_table(answer, TargetView(table="runs"))),
    )


def _is_pooled(answer: TargetAnswer) -> bool:
    """Whether the target is the best of all runs, and so grows with their number."""
    return answer.target.scores is not None and answer.target.is_best


def _samplings(answer: tradeoffs.TradeoffAnswer) -> list[tuple[str, Mapping[str, Any]]]:
    """The rows of the correlations in the order of their table, each with its words."""
    rows = document(tradeoff_table(answer, View(format="json")))["rows"]
    ordered = [(answer.rows[index], rows[index]) for index in reading_order(answer)]
    return [(sampling_words(row.sampling) + ", gap form" * (row.form == "gap"), numbers) for row, numbers in ordered]


def _growth(answer: TargetAnswer) -> list[str]:
    """How the target grows with the pool, in sentences; none for a target that is not the best of all runs."""
    if not _is_pooled(answer):
        return []
    return [in_words(note, DIGITS) for note in target_table(answer, TargetView(table="rarefied")).verdict]


def _means(answer: TargetAnswer) -> list[float]:
    """The means of the target of 1, 2, ... runs, as the measure has them."""
    return [in_unit(mean, answer.better) for mean in answer.means.tolist()]


def _members(result: Decomposition, families: Sequence[Family]) -> list[dict[str, Any]]:
    """The members of families in order, as places among the runs, and whether a line joins them."""
    index_of = {run: index for index, run in enumerate(result.runs)}
    return [
        {
            "name": printable(family.name),
            "members": [index_of[run] for run in family.members],
            "joined": family.is_numeric,
        }
        for family in families
    ]


def _scores(answer: TargetAnswer) -> dict[str, Any]:
    """Scores of the runs and of the target by query, with the spread of the pool."""
    scores, pool, target = answer.targeted.scores.in_unit, answer.pool.in_unit, answer.target.in_unit.scores
    return {
        "queries": [printable(query) for query in scores.queries],
        "difficulty": answer.difficulty.rank.tolist(),
        "alike": answer.difficulty.alike.tolist(),
        "scores": scores.values.tolist(),
        "target_scores": None if target is None else target.tolist(),
        "spread": np.quantile(pool.values, _QUARTILES, axis=0).tolist(),
    }
