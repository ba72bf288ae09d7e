"""Risk: U_risk of the leading runs over alpha, and one run's gains and losses on every query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from biasvar_cli.analyses.risk.answer import RiskAnswer
from biasvar_cli.analyses.risk.losses import Leader, Risk, differences, leaders
from biasvar_cli.arrays import FloatArray
from biasvar_cli.drawing.chart import (
    by_series,
    chart,
    extent,
    legend_rows,
    one_answer,
    quantity,
    query_axis,
    remarks,
    require_runs,
    rounded,
    tick_format,
)
from biasvar_cli.drawing.style import Datum, Rows, Spec, Style, layer
from biasvar_cli.errors import UsageError
from biasvar_cli.specs import LIMITS
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.table import measure_words
from biasvar_cli.words import counted

_MOST = 7  # runs with a line
_PLACES = 5  # of marks on a line
_HIGHEST = LIMITS["highest_alpha"]
_WEIGHT = 1.0  # alpha of one run's U_risk: losses count twice


def risk_figure(answers: Sequence[RiskAnswer], *, alpha: float = 10.0, style: Style | None = None) -> Spec:
    """U_risk over the weight of losses from 0 to ``alpha``: a line for each run that leads somewhere, and for the next.

    There is one answer. Rings mark where the best run changes. Raises `DataError` for a single run, `UsageError` for
    several answers and for an alpha that is not above 0.
    """
    style, answer, highest = style or Style(), _one(answers), alpha
    if highest not in _HIGHEST:
        raise UsageError(f"expected {_HIGHEST.expected()}, found {highest:g}", option="alpha")
    risk, scores = answer.risk, answer.scores
    require_runs(risk.runs)
    leading = leaders(risk, highest)
    shown = _shown(risk, leading, highest)
    rows, changes = _lines(risk, shown, highest), _changes(risk, leading)
    values = np.array([row["u_risk"] for row in rows])
    x = quantity(
        "alpha", "α: a loss counts 1 + α times", scale={"domain": [-0.025 * highest, 1.025 * highest], "nice": False}
    )
    title = f"U-risk, {measure_words(scores.measure)}"
    y = quantity("u_risk", title, scale={"domain": extent(values), "nice": False})
    y["axis"] = tick_format(float(np.abs(values).max()))
    names = [risk.runs[index] for index in shown]
    series, position = by_series("run", names, style), {"x": x, "y": y}
    text = {**position, "text": {"field": "label"}}
    first, *later = ((risk.runs[leader.run], number(leader.alpha, 2)) for leader in leading)
    best = f"Best run: {first[0]}" + "".join(f", from α={alpha} on {run}" for run, alpha in later)
    which = "best somewhere, or next best at the right" if len(shown) < len(risk.runs) else "all of them"
    return chart(
        [
            layer("lines", "line", {**position, "color": series["color"]}, strokeWidth=1),
            layer("lines", "point", {**position, **series}, filled=True, size=22),
            layer("changes", "point", position, size=70, color=style.colours.text, strokeWidth=1),
            layer("changes", "text", text, dy=-9, align="left"),
        ],
        {"lines": rows, "changes": changes},
        title="The best run changes with the weight of losses" if later else "Risk by the weight of losses",
        subtitle=_about(answer),
        caption=[best, f"{counted(len(shown), 'line')}: {which}", *remarks(answer.scored, None)],
        style=style,
        height=(0.42 if style.wide else 0.62) * style.width,
        legend_rows=legend_rows(names, style),
    )


def losses_figure(answers: Sequence[RiskAnswer], *, run: str | None = None, style: Style | None = None) -> Spec:
    """One run's difference from the baseline on every query, the largest gain first, losses in another colour.

    There is one answer. Without a ``run`` it is the best one by mean, other than the baseline. Raises `DataError` for a
    single run and for a run that is not there, `UsageError` for several answers.
    """
    style, given = style or Style(), _one(answers)
    require_runs(given.scores.runs)
    answer, run = replace(given, request=replace(given.request, alpha=(_WEIGHT,))), given.own_run(run)
    risk, scores, baseline = answer.risk, answer.scores, answer.baseline
    gains = differences(scores.row(run), baseline.scores)
    order = np.argsort(-gains, kind="stable")
    ids = [scores.queries[index] for index in order]
    rows: Rows = [
        {"query_id": query, "delta": gain, "what": "loss" if gain < 0 else "gain"}
        for query, gain in zip(ids, gains[order].tolist(), strict=True)
    ]
    at = scores.runs.index(run)
    n_losses = int(risk.losses[at])
    counts = f"{counted(int(risk.wins[at]), 'win')}, {counted(int(risk.ties[at]), 'tie')}, "
    counts += f"{n_losses} {'loss' if n_losses == 1 else 'losses'}"
    main = risk.at[0]
    weight, u_risk = f"losses counted {1 + main.alpha:g} times", _signed(main.u_risk[at])
    mean = f"Mean difference {_signed(risk.delta[at])}; U-risk, {weight}, {u_risk}"
    title = f"{measure_words(scores.measure)}: run − baseline"
    y = quantity("delta", title, scale={"domain": extent(np.append(gains, 0.0)), "nice": False})
    y["axis"] = tick_format(float(np.abs(gains).max()))
    x, height_of_ids = query_axis(ids, style.width - 40, "Queries, largest gain first", style)
    domain = {"domain": ["gain", "loss"], "range": [style.colours.dark_fill, style.colours.below]}
    fill = {"field": "what", "scale": domain, "legend": {"title": None, "orient": "bottom"}}
    return chart(
        [layer("queries", "bar", {"x": x, "y": y, "fill": fill})],
        {"queries": rows},
        title=f"{run} against {baseline.label}: gains and losses",
        subtitle=_about(answer),
        caption=[counts, mean, *remarks(answer.scored, None)],
        style=style,
        height=(0.33 if style.wide else 0.5) * style.width + height_of_ids,
        legend_rows=1,
    )


def _one(answers: Sequence[RiskAnswer]) -> RiskAnswer:
    return one_answer(answers, measure=lambda answer: answer.measure, baseline=lambda answer: answer.baseline.label)


def _shown(risk: Risk, leading: Sequence[Leader], highest: float) -> list[int]:
    """The runs that lead, then the best of the others at the highest alpha, by their places."""
    own = list(dict.fromkeys(leader.run for leader in leading))
    u_risk = risk.delta - highest * risk.risk
    others = sorted(set(range(len(risk.runs))) - set(own), key=lambda index: (-u_risk[index], index))
    return (own + others)[: max(_MOST, len(own))]


def _lines(risk: Risk, shown: Sequence[int], highest: float) -> Rows:
    alphas = np.linspace(0, highest, _PLACES).tolist()
    return [{**_point(risk, index, alpha), "alpha": rounded(alpha)} for index in shown for alpha in alphas]


def _changes(risk: Risk, leading: Sequence[Leader]) -> Rows:
    """A row for every change of the best run."""
    return [
        {**_point(risk, leader.run, leader.alpha), "label": f"α={number(leader.alpha, 2)}"} for leader in leading[1:]
    ]


def _point(risk: Risk, run: int, alpha: float) -> Datum:
    return {"run": risk.runs[run], "alpha": alpha, "u_risk": float(risk.delta[run] - alpha * risk.risk[run])}


def _about(answer: RiskAnswer) -> str:
    scores, baseline = answer.scores, answer.baseline
    size = f"{counted(scores.n_runs, 'run')}, {counted(scores.n_queries, 'query')}"
    named = f" ({baseline.run})" if baseline.spec.kind == "top" else ""
    return f"{measure_words(scores.measure)}, baseline {baseline.label}{named}, {size}"


def _signed(value: float | FloatArray) -> str:
    text = number(float(value), 4).replace("-", "−")
    return f"+{text}" if float(value) > 0 else text


FIGURES: Mapping[str, Callable[..., Spec]] = {"risk": risk_figure, "losses": losses_figure}
