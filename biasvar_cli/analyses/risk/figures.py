"""Risk: U_risk of the leading runs over alpha, and one run's gains and losses on every query."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.risk.answer import RiskAnswer
from biasvar_cli.analyses.risk.losses import Leader, Risk, differences, leaders
from biasvar_cli.analyses.risk.table import baseline_words
from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.drawing import axes, chart
from biasvar_cli.drawing.labels import over_lines
from biasvar_cli.drawing.style import LABEL, Rows, Spec, Style, layer, shortened, width_of_text
from biasvar_cli.errors import UsageError
from biasvar_cli.specs.limits import LIMITS
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.table import measure_words, minus
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, counted, counted_queries, is_highlighted, listed

_MOST = 7  # lines
_NAMES = 2  # of equal runs, on their line
_LINE = LABEL + 1.5  # points, of a name below another
_LEADER = 12.0  # points from the end of a line to its name
_OVER = 20.0  # points, from a ring to the end of the axis
_BESIDE = 5.0  # points beside the ends of lines
_AXIS_WIDTH = 42.0  # points, about what the vertical axis takes
_WIDEST_NAME = 0.36  # of the width
_N_MARKS = 5  # on a line
_HIGHEST = LIMITS["highest_alpha"]
_WEIGHT = 1.0  # alpha of one run's U_risk: losses count twice


def risk_figure(answers: Sequence[RiskAnswer], *, alpha: float = 10.0, style: Style | None = None) -> Spec:
    """U_risk over the weight of losses from 0 to ``alpha``: a line for each run that leads somewhere, and for the next.

    There is one answer. Runs that are equal share a line. Names stand at the ends of the lines where there is room, or
    else in a legend. Rings mark where the best run changes. Raises `DataError` for a single run, `UsageError` for
    several answers and for an alpha that is not above 0.
    """
    style, answer, highest = style or Style(), _one(answers), alpha
    if highest not in _HIGHEST:
        raise UsageError(f"expected {_HIGHEST.expected()}, found {highest:g}", option="alpha")
    risk = answer.risk
    chart.require_runs(risk.runs)
    leading = leaders(risk, highest)
    lines = _drawn(risk, leading, highest)
    alphas = np.linspace(0, highest, _N_MARKS).tolist()
    rows: Rows = [
        {"run": line.name, "alpha": axes.rounded(alpha), "u_risk": _u_risk(risk, line.row, alpha)}
        for line in lines
        for alpha in alphas
    ]
    changes = _changes(risk, leading, highest, style)
    values = np.array([row["u_risk"] for row in rows])
    height = (0.42 if style.wide else 0.62) * style.width
    low, high = axes.extent(values)
    if changes:  # with room for what is written over the highest ring
        high = max(high, axes.rounded(max(row["u_risk"] for row in changes) + _OVER / height * (high - low)))
    ends = [row["u_risk"] for row in rows[_N_MARKS - 1 :: _N_MARKS]]
    labels = _labels(lines, [(high - end) / (high - low) * height for end in ends], height, style)
    domain = _alphas(highest, labels, style)
    x = axes.quantity("alpha", "α: a loss counts 1 + α times", scale={"domain": domain, "nice": False})
    x["axis"] = {"values": list(map(axes.rounded, alphas)), "format": ".6~g"}
    y = axes.quantity("u_risk", "U-risk (higher is better)", scale={"domain": [low, high], "nice": False})
    y["axis"] = axes.tick_format(float(np.abs(values).max()))
    names = [line.name for line in lines]
    series, position = chart.by_series("run", names, style), {"x": x, "y": y}
    if labels is not None:
        series = {channel: {**encoding, "legend": None} for channel, encoding in series.items()}
    at_ends = [
        {"alpha": highest, "u_risk": end, "text": text, "dy": dy, "run": line.name}
        for line, end, label in zip(lines, ends, labels or (), strict=False)
        for text, dy in label
    ]
    first, *later = ((risk.runs[leader.run], number(leader.alpha, 2)) for leader in leading)
    best = f"Best {RUN}: {first[0]}" + "".join(f", {run} from α = {alpha} on" for run, alpha in later)
    finding = f"The best {RUN} changes with the weight of losses" if later else f"{first[0]} has the best U-risk"
    n_drawn = sum(len(line.runs) for line in lines)
    few = n_drawn < len(risk.runs)
    which = f"{counted(n_drawn, 'run')}: best somewhere, or next best at the right" if few else f"All {RUNS}"

    return chart.chart(
        [
            layer("lines", "line", {**position, "color": series["color"]}, strokeWidth=1),
            layer("lines", "point", {**position, **series}, filled=True, size=22),
            *([layer("changes", "point", position, size=70, color=style.colours.text, strokeWidth=1)] if later else []),
            *(_texts("changes", position, style) if later else []),
            *(_texts("names", position, style) if at_ends else []),
        ],
        {"lines": rows, **({"changes": changes} if later else {}), **({"names": at_ends} if at_ends else {})},
        title=finding,
        subtitle=_about(answer, n_drawn),
        caption=[
            "U-risk by the weight of losses",
            *([best] if later else []),
            which,
            *chart.remarks(answer.scored, None),
        ],
        style=style,
        height=height,
        legend_rows=chart.legend_rows(names, style) if labels is None else 0,
    )


def losses_figure(answers: Sequence[RiskAnswer], *, run: str | None = None, style: Style | None = None) -> Spec:
    """One run's difference from the baseline on every query, the largest gain first, losses in another colour.

    There is one answer. Without a ``run`` it is the highlighted one, or the best one by mean, other than the baseline.
    Raises `DataError` for a single run and for a run that is not there, `UsageError` for several answers.
    """
    style, answer = style or Style(), _one(answers)
    answer = replace(answer, request=replace(answer.request, alpha=(_WEIGHT,)))
    scores, baseline = answer.scores, answer.baseline
    chart.require_runs(scores.runs)
    marked = [name for name in scores.runs if is_highlighted(name) and name != baseline.run]
    run = answer.run_or_best(marked[0] if run is None and marked else run)
    gains = differences(scores.row(run), baseline.scores)
    order = np.argsort(-gains, kind="stable")
    ids = [scores.queries[index] for index in order]
    rows: Rows = [
        {"query_id": query, "delta": gain, "what": "loss" if gain < 0 else "gain"}
        for query, gain in zip(ids, gains[order].tolist(), strict=True)
    ]
    risk, at = answer.risk, scores.runs.index(run)
    n_wins, n_ties, n_losses = (int(numbers[at]) for numbers in (risk.wins, risk.ties, risk.losses))
    u_risk = f"U-risk, losses counted {1 + _WEIGHT:g} times, {_signed(risk.at[0].u_risk[at])}"
    title = f"{measure_words(scores.measure)}: {minus(str(RUN), 'baseline', scores.better).replace('-', '−')}"
    y = axes.quantity("delta", title, scale={"domain": _from_zero(gains), "nice": False})
    y["axis"] = axes.tick_format(float(np.abs(gains).max()))
    title = f"{QUERIES:title}, largest gain first"
    x, height_of_ids = axes.query_axis(ids, style.width - 40, title, style, some=False)
    words = {"gain": counted(n_wins, "gain"), "loss": counted(n_losses, "loss")}
    signs = {"gain": style.colours.dark_fill, "loss": style.colours.below}
    kinds = [kind for kind, number in (("gain", n_wins), ("loss", n_losses)) if number]
    domain = {"domain": kinds or ["gain"], "range": [signs[kind] for kind in kinds or ["gain"]]}
    legend = {"title": None, "orient": "bottom", "labelExpr": f"{json.dumps(words)}[datum.label]"}
    fill = {"field": "what", "scale": domain, "legend": legend if len(kinds) > 1 else None}
    named = baseline.run or baseline_words(answer)
    equal = f", equal on {n_ties}" if n_ties else ""
    title = {
        ("gain", "loss"): f"{run} against {named}: {words['gain']}, {words['loss']}{equal}",
        ("gain",): f"{run} against {named}: {words['gain']}, no loss{equal}",
        ("loss",): f"{run} against {named}: {words['loss']}, no gain{equal}",
        (): f"No difference between {run} and {named}",
    }[tuple(kinds)]
    return chart.chart(
        [layer("queries", "bar", {"x": x, "y": y, "fill": fill})],
        {"queries": rows},
        title=title,
        subtitle=_about(answer),
        caption=[
            f"Difference of {run} from {named} on each {QUERY}",
            f"{words['gain']}, {counted(n_ties, 'tie')}, {words['loss']}",
            f"Mean difference {_signed(risk.delta[at])}; {u_risk}",
            *chart.remarks(answer.scored, None),
        ],
        style=style,
        height=(0.33 if style.wide else 0.5) * style.width + height_of_ids,
        legend_rows=int(len(kinds) > 1),
    )


def _from_zero(gains: FloatArray) -> list[float]:
    """The domain of gains and losses, which begins or ends at 0 where there are none of the one or the other.

    >>> _from_zero(np.array([0.2, 0.0])), _from_zero(np.array([0.5, -0.5]))
    ([0.0, 0.214], [-0.57, 0.57])
    """
    low, high = axes.extent(np.append(gains, 0.0))
    if not gains.any():
        return [low, high]
    return [low if gains.min() < 0 else 0.0, high if gains.max() > 0 else 0.0]


def _one(answers: Sequence[RiskAnswer]) -> RiskAnswer:
    return chart.one_answer(
        answers, measure=lambda answer: answer.measure, baseline=lambda answer: answer.baseline.label
    )


class _Line(NamedTuple):
    """Runs that are equal, the first by its place."""

    row: int
    runs: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.runs[0] if len(self.runs) == 1 else listed(self.runs, _NAMES)


def _drawn(risk: Risk, leading: Sequence[Leader], highest: float) -> list[_Line]:
    """The lines of runs that lead, then of the best of the others at the highest alpha."""
    values = list(zip(equalised(risk.delta).tolist(), equalised(risk.risk).tolist(), strict=True))
    best_first = np.argsort(highest * risk.risk - risk.delta, kind="stable").tolist()
    equal: dict[tuple[float, float], list[int]] = {}
    for index in dict.fromkeys([*(leader.run for leader in leading), *best_first]):
        equal.setdefault(values[index], []).append(index)
    lines = [_Line(rows[0], tuple(risk.runs[row] for row in sorted(rows))) for rows in equal.values()]
    most = max(_MOST, len({leader.run for leader in leading}))
    return lines[:most] + [line for line in lines[most:] if any(map(is_highlighted, line.runs))]


def _labels(
    lines: Sequence[_Line], tops: Sequence[float], height: float, style: Style
) -> list[list[tuple[str, float]]] | None:
    """The names of each line with how far below its end they stand, in points; None where there is no room.

    ``tops`` are where lines end below the top of a plot of this ``height``.
    """
    texts = [
        [line.name] if len(line.runs) > _NAMES else [*(f"{run}," for run in line.runs[:-1]), line.runs[-1]]
        for line in lines
    ]
    short = shortened([text for label in texts for text in label], _WIDEST_NAME * style.width)
    if short is None or _LINE * len(short) > height:
        return None
    texts = [[short.pop(0) for _ in label] for label in texts]
    middles = _spread(tops, [_LINE * len(label) for label in texts], height)
    return [
        [(text, round(middle - top + (row - (len(label) - 1) / 2) * _LINE, 2)) for row, text in enumerate(label)]
        for label, top, middle in zip(texts, tops, middles, strict=True)
    ]


def _spread(wanted: Sequence[float], sizes: Sequence[float], height: float) -> list[float]:
    """Places of these sizes that do not overlap, within a height that has room for all, as near as wanted.

    >>> _spread([10.0, 12.0, 50.0], [8.0, 8.0, 8.0], 60.0), _spread([59.0, 58.0], [8.0, 8.0], 60.0)
    ([7.0, 15.0, 50.0], [56.0, 48.0])
    """
    blocks: list[tuple[float, float, list[int]]] = []  # the middle and size of names that touch, and which they are
    for index in np.argsort(wanted, kind="stable").tolist():
        middle, size, indices = wanted[index], sizes[index], [index]
        while True:
            middle = min(max(middle, size / 2), height - size / 2)
            if not blocks or blocks[-1][0] + blocks[-1][1] / 2 <= middle - size / 2:
                break
            other, its_size, above = blocks.pop()
            between = (other * its_size + middle * size) / (its_size + size)
            middle, size, indices = between, size + its_size, above + indices
        blocks.append((middle, size, indices))
    middles = [0.0] * len(wanted)
    for middle, size, indices in blocks:
        top = middle - size / 2
        for index in indices:
            middles[index] = top + sizes[index] / 2
            top += sizes[index]
    return middles


def _alphas(highest: float, labels: list[list[tuple[str, float]]] | None, style: Style) -> list[float]:
    """The domain of alpha: a little more than there is, and room for the names at the right."""
    longest = max((width_of_text(text) for label in labels or () for text, _ in label), default=0.0)
    beside = _LEADER + longest + 3 if labels else _BESIDE
    point = highest / (style.width - _AXIS_WIDTH - _BESIDE - beside)
    return [axes.rounded(-_BESIDE * point), axes.rounded(highest + beside * point)]


def _texts(data: str, position: Spec, style: Style) -> list[Spec]:
    """The texts of some rows, which break what is behind them; names at the ends of lines have a line to them."""
    words = {**position, "text": {"field": "text"}}
    if data == "changes":
        up = layer(
            data, "rule", {**position, "y2": {"value": 12}}, color=style.colours.grey, strokeWidth=0.5, aria=False
        )
        at_top = {**words, "y": {"value": 6}}  # of the plot, where no line is
        return [up, *over_lines(data, at_top, style.colours, 2.5, align={"expr": "datum.align"})]
    where = {"align": "left", "dx": _LEADER, "dy": {"expr": "datum.dy"}}
    ends = {**position, "x2": {"field": "alpha"}, "y2": {"field": "u_risk"}}
    offsets = {"xOffset": 4, "x2Offset": _LEADER - 1.5, "y2Offset": {"expr": "datum.dy"}}
    leader = layer(data, "rule", ends, color=style.colours.grey, strokeWidth=0.5, aria=False, **offsets)
    return [leader, *over_lines(data, words, style.colours, 2.5, **where)]


def _changes(risk: Risk, leading: Sequence[Leader], highest: float, style: Style) -> Rows:
    """A row for every change of the best run; a text that would cover the one before is left to the caption."""
    rows: Rows = []
    point = highest / ((1 - _WIDEST_NAME) * style.width - _AXIS_WIDTH)  # at most
    free = -highest
    for leader in leading[1:]:
        text, to_left = f"best from α = {number(leader.alpha, 2)}", leader.alpha > highest / 2
        width = width_of_text(text) * point
        start = leader.alpha - width * to_left
        fits = start >= free
        free = start + width if fits else free
        row = {"run": risk.runs[leader.run], "alpha": leader.alpha, "u_risk": _u_risk(risk, leader.run, leader.alpha)}
        rows.append({**row, "text": text if fits else "", "align": "right" if to_left else "left"})
    return rows


def _u_risk(risk: Risk, run: int, alpha: float) -> float:
    return float(risk.delta[run] - alpha * risk.risk[run])


def _about(answer: RiskAnswer, n_drawn: int | None = None) -> str:
    """What was evaluated; of how many runs lines are drawn where these are not all."""
    scores, top = answer.scores, ", the best by mean" if answer.baseline.spec.kind == "top" else ""
    runs = counted(scores.n_runs, "run")
    if n_drawn is not None and n_drawn < scores.n_runs:
        runs = f"the best {n_drawn} of {runs} by U-risk"
    size = f"{runs}, {counted_queries(scores.n_queries, scores.n_clusters)}"
    measure = f"{scores.measure}, " if scores.measure is not None else ""
    return f"{measure}{size}; baseline: {baseline_words(answer)}{top}"


def _signed(value: float | FloatArray) -> str:
    text = number(float(value), 4).replace("-", "−")
    return f"+{text}" if float(value) > 0 else text


FIGURES: Mapping[str, Callable[..., Spec]] = {"risk": risk_figure, "losses": losses_figure}
