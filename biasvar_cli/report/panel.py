"""What the page shows of one measure and one target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.analyses.compare.answer import METHODS
from biasvar_cli.analyses.compare.pairs import PairRequest, primary_test
from biasvar_cli.analyses.decompose.baseline_columns import baseline_extra
from biasvar_cli.analyses.decompose.table import DecompositionView, decomposition_table, log_extra
from biasvar_cli.analyses.risk import answer as risk
from biasvar_cli.analyses.risk.request import RiskRequest
from biasvar_cli.analyses.risk.table import RiskView, risk_table
from biasvar_cli.analyses.target.table import TargetView, target_table
from biasvar_cli.analyses.tradeoff import answer as tradeoffs
from biasvar_cli.analyses.tradeoff.request import TradeoffRequest
from biasvar_cli.analyses.tradeoff.table import families_table, tradeoff_table
from biasvar_cli.arrays import equalised
from biasvar_cli.decomposition.baseline import compare
from biasvar_cli.decomposition.contribution import Difficulty, contributions, difficulty, rarefied_means
from biasvar_cli.decomposition.decompose import Decomposition, pareto_front
from biasvar_cli.decomposition.design import Design
from biasvar_cli.decomposition.reliability import split_half
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import of_single, tradeoff
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.request import NullRequest
from biasvar_cli.readers.maps import Member
from biasvar_cli.report.sheet import DIGITS, Sheet, document, sheet
from biasvar_cli.scores import LogTransform, ScoreMatrix
from biasvar_cli.scoring.families import Family
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.stats.step_down import FEWEST_QUERIES
from biasvar_cli.tables.null import gap_notes, null_note
from biasvar_cli.tables.order import warn_of_chance
from biasvar_cli.tables.render import in_words, printable
from biasvar_cli.tables.table import Extra, Table, measure_words, row_order
from biasvar_cli.target_spec import TargetSpec
from biasvar_cli.words import FORMS, VAR, counted

_OPENS_BY = "total"  # the order of the runs when the page opens
_QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, kw_only=True)
class PanelRequest:
    """What is to be shown beside the decomposition: families are a file's members, or a pattern, or None."""

    design: Design
    null: NullRequest | None
    families: Mapping[str, Member] | str | None = None
    baseline: str | None = None
    transform: LogTransform | None = None


class Panel(NamedTuple):
    """One tab: tables, the sentences under its heading, and the data of the figures."""

    key: str
    label: str
    lead: list[str]
    baseline: str
    runs: Sheet
    risk: Sheet | None
    tradeoff: Sheet
    families: Sheet | None
    queries: Sheet | None
    suppliers: Sheet | None
    data: dict[str, Any]

    @property
    def sheets(self) -> list[Sheet]:
        """The tables that are there."""
        return [each for each in self if isinstance(each, Sheet)]


def panel(key: str, scored: Scored, spec: TargetSpec, request: PanelRequest) -> Panel:
    """The analyses of one measure and target; ``data`` holds the documents of ``decompose`` and ``tradeoff``."""
    asked = TradeoffRequest(
        target=(spec.text,),
        log=None if request.transform is None else request.transform.form,
        eps=None if request.transform is None else request.transform.eps,
        design=request.design,
        null=request.null,
        families=request.families,
        with_samplings=True,
    )
    (correlated,) = tradeoffs.answer(Track((scored,)), asked)
    targeted, result, null = correlated.targeted, correlated.decomposition, correlated.null
    runs = _runs(scored, spec, targeted, result, null, request)
    hardness = difficulty(targeted.pool, key=request.design.difficulty, subset_size=request.design.first_size)
    queries, suppliers, of_target = _target(key, targeted, hardness)
    data = {
        "key": key,
        "measure": printable(measure_words(targeted.scores.measure)),
        "decompose": document(runs),
        "tradeoff": document(tradeoff_table(correlated, nested=True)),
        "target": of_target,
        "families": _members(result, correlated.families),
        "fronts": _fronts(result),
        "no_null": _no_null(null),
        "apart": _apart(targeted.scores, request.design.seed),
        **_scores(targeted.scores, targeted, hardness),
    }
    return Panel(
        key=key,
        label=f"{measure_words(targeted.scores.measure)}, target {targeted.target.label}",
        lead=_lead(correlated.rows, null),
        baseline=printable(request.baseline) if request.baseline is not None else "",
        runs=sheet(f"{key}-runs", runs, order=row_order(runs.columns, _OPENS_BY)),
        risk=_risk(key, scored, request.baseline, request.design.seed),
        tradeoff=sheet(f"{key}-tradeoff", tradeoff_table(correlated)),
        families=sheet(f"{key}-families", families_table(correlated)) if request.families is not None else None,
        queries=queries,
        suppliers=suppliers,
        data=data,
    )


def _runs(
    scored: Scored,
    spec: TargetSpec,
    targeted: TargetedScores,
    result: Decomposition,
    null: Null | None,
    request: PanelRequest,
) -> Table:
    """The table of ``decompose --rank --pareto --stability``, and ``--baseline`` where one is asked for."""
    extras: list[Extra] = []
    if request.baseline is not None:
        extras.append(baseline_extra(compare(targeted.scores, targeted.target, request.baseline)))
    halves = split_half(targeted.scores, targeted.target, seed=request.design.seed)
    warn_of_chance(halves, _OPENS_BY, targeted)
    table = decomposition_table(
        result,
        tradeoff(result),
        view=DecompositionView(sort="run", rank=True, pareto=True, stability=null is not None),
        null=null,
        halves=halves,
        log=None if request.transform is None else log_extra(scored, spec, request.transform, result),
        extras=extras,
    )
    if request.baseline is None:
        return table
    return replace(table, title=f"{table.title}; d_, ratio_: against {request.baseline}")


def _risk(key: str, scored: Scored, baseline: str | None, seed: int) -> Sheet | None:
    """The table of ``risk`` against the baseline, of the scores themselves; None where no run is named."""
    if baseline is None:
        return None
    (found,) = risk.answer(Track((scored,)), RiskRequest(baseline=(f"run:{baseline}",), seed=seed))
    return sheet(f"{key}-risk", risk_table(found, RiskView()))


def _lead(rows: Sequence[Any], null: Null | None) -> list[str]:
    """The tradeoff in words; without a null model a correlation says nothing of it."""
    if null is None:
        return ["A negative correlation alone shows no tradeoff: bounded scores have one anyway. No null model here"]
    single = of_single(rows)
    return [in_words(note, DIGITS) for note in (null_note(single["score"], null), *gap_notes(single["gap"], null))]


def _no_null(null: Null | None) -> str:
    """Why the figure of the correlations has no null model; empty where it has one."""
    if null is None:
        return "no null model was asked for"
    return "" if null.fitted else f"no null model: {printable(null.why)}"


def _apart(scores: ScoreMatrix, seed: int) -> dict[str, Any]:
    """The difference of means above which two runs differ, and by which test; or why there is none."""
    request = PairRequest(seed=seed)
    if scores.n_runs < 2:
        return {"critical": None, "words": "there is one run"}
    found = primary_test(scores.values, request)
    if found.method == "none":
        why = f"not tested: the {METHODS['none']} needs at least {FEWEST_QUERIES} queries, found {scores.n_queries}"
        return {"critical": None, "words": why}
    if not np.isfinite(found.critical):
        return {"critical": None, "words": f"no difference on {scores.n_queries} queries would be significant"}
    pairs = counted(scores.n_runs * (scores.n_runs - 1) // 2, "pair")
    how = f"{100 * request.level:g} % for all {pairs} of runs together, {METHODS[found.method]}"
    return {"critical": found.critical, "words": how}


def _fronts(result: Decomposition) -> dict[str, list[int] | None]:
    """The places of the runs on the Pareto front of each form, in ascending order of bias²; None for an undefined form.

    They are the front of `decomposition.pareto_front`, of which the page draws the rings and the steps.
    """
    found: dict[str, list[int] | None] = {}
    for form in FORMS:
        var = getattr(result, VAR[form])
        front = np.flatnonzero(pareto_front(result.bias2, var))
        along = np.lexsort((equalised(var)[front], equalised(result.bias2)[front]))
        found[form] = front[along].tolist() if np.isfinite(var).all() else None
    return found


def _target(
    key: str, targeted: TargetedScores, hardness: Difficulty
) -> tuple[Sheet | None, Sheet | None, dict[str, Any] | None]:
    """The target by query and by supplier; nothing for a target that is a mean alone."""
    if targeted.target.scores is None:
        return None, None, None
    found, means = contributions(targeted.pool, targeted.target), rarefied_means(targeted.pool)

    def table(view: TargetView) -> Table:
        return target_table(found, hardness, means, view=view)

    queries = table(TargetView(table="queries", for_people=False))
    people = table(TargetView(table="queries"))
    runs = table(TargetView(table="runs"))
    held = document(queries)
    order = row_order({"run": list(targeted.pool.queries), "difficulty": hardness.rank.tolist()}, "difficulty")
    return (
        sheet(f"{key}-queries", queries, order=order, people=people),
        sheet(f"{key}-suppliers", runs),
        {"rarefied": [each["mean"] for each in held["rarefied"]] if targeted.target.is_best else None},
    )


def _members(result: Decomposition, families: Sequence[Family]) -> list[dict[str, Any]]:
    """The members of families in order, as places among the runs."""
    place = {run: index for index, run in enumerate(result.runs)}
    return [{"name": printable(family.name), "members": [place[run] for run in family.members]} for family in families]


def _scores(scores: ScoreMatrix, targeted: TargetedScores, hardness: Difficulty) -> dict[str, Any]:
    """Scores of the runs and of the target by query, with the spread of the pool."""
    target = targeted.target.scores
    return {
        "queries": [printable(query) for query in scores.queries],
        "difficulty": hardness.rank.tolist(),
        "scores": scores.values.tolist(),
        "target_scores": None if target is None else target.tolist(),
        "spread": np.quantile(targeted.pool.values, _QUARTILES, axis=0).tolist(),
    }
