"""Unjudged documents: the mean of every run as it is, and the bar up to the highest one that they allow."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from biasvar_cli.analyses.unjudged.answer import UnjudgedAnswer
from biasvar_cli.drawing import axes, chart, run_axis
from biasvar_cli.drawing.style import Rows, Spec, Style, as_title, layer
from biasvar_cli.tables.rounding import number
from biasvar_cli.words import RUN, RUNS, counted, counted_queries

_NAMES = 0.34  # of the width, at most for the names of runs
_COULD, _NEVER = "could be the best", "could not"


def unjudged_figure(answers: Sequence[UnjudgedAnswer], *, top: int | None = None, style: Style | None = None) -> Spec:
    """The ``top`` runs, best first: the mean of each and a bar to its highest one; those that could be best are dark.

    A line is at the best mean as it is. Raises `DataError` for a single run, `UsageError` for several measures.
    """
    style = style or Style()
    answer = chart.one_answer(answers, measure=lambda answer: answer.measure)
    chart.require_runs(answer.runs)
    rows: Rows = [
        {
            "run": answer.runs[row],
            "mean": float(answer.mean[row]),
            "high": float(answer.high[row]),
            "best_rank": int(answer.best_rank[row]),
            "worst_rank": int(answer.worst_rank[row]),
            "what": _COULD if answer.best_rank[row] == 1 else _NEVER,
        }
        for rank, row in enumerate(answer.order)
        if run_axis.is_drawn(answer.runs[row], rank, top)
    ]
    axis = run_axis.run_axis([row["run"] for row in rows], style, longest=_NAMES * style.width)
    y, thin = axis.channel, axis.step < run_axis.ROW
    ends = np.array([[row["mean"], row["high"]] for row in rows])
    low, high = axes.extent(ends)
    x = axes.quantity("mean", f"Mean {answer.measure}", scale={"domain": [low, high], "nice": False})
    x["axis"] = {"tickCount": 5, **axes.tick_format(float(ends.max()))}
    states = [state for state in (_COULD, _NEVER) if any(row["what"] == state for row in rows)]
    beside = axis.width + 2 * chart.PADDING
    words = style.wrapped("Dot: as it is; bar: up to what is possible", width=style.width - beside)
    legend = {"title": as_title(words), "orient": "bottom", "symbolOpacity": 1}
    legend["columns"] = chart.legend_columns(states, style, indent=beside)
    paints = {_COULD: style.colours.dark_fill, _NEVER: style.colours.grey}
    scale = {"domain": states, "range": [paints[state] for state in states]}
    colour = {"field": "what", "type": "nominal", "scale": scale, "legend": legend}
    bars = {"y": y, "x": x, "x2": {"field": "high"}, "color": colour}
    best = float(answer.mean.max())
    runs = counted(answer.n_runs, "run")
    part = [f"{len(rows)} of {runs} shown"] if len(rows) < answer.n_runs else []
    return chart.chart(
        [
            layer("best", "rule", {"x": {**x, "field": "at"}}, color=style.colours.grey, strokeWidth=0.6),
            layer("runs", "rule", bars, strokeWidth=0.8 if thin else 1.4),
            layer("runs", "point", {"y": y, "x": x, "color": colour}, filled=True, size=7 if thin else 19.6),
            *axis.layers,
        ],
        {"runs": rows, "best": [{"at": axes.rounded(best)}], **axis.data},
        title=_finding(answer),
        subtitle=f"{answer.measure}, {runs}, {counted_queries(answer.n_queries, answer.n_clusters)}",
        caption=[
            f"Mean of each {RUN}, best first, and the highest one that unjudged documents allow",
            f"Each of these could have grade {answer.grade}",
            f"Line: the best mean as it is, {number(best, 4)}",
            *part,
            *chart.remarks(answer.scored, None),
        ],
        style=style,
        height=axis.height,
        legend_rows=None,
    )


def _finding(answer: UnjudgedAnswer) -> str:
    """How many runs could be the best."""
    if answer.n_could_be_best == 1:
        return f"No other {RUN} could reach {answer.runs[answer.order[0]]}"
    if answer.n_could_be_best == answer.n_runs:
        return f"Each of the {RUNS} could be the best"
    return f"{answer.n_could_be_best} of {counted(answer.n_runs, 'run')} could be the best"


FIGURES: Mapping[str, Callable[..., Spec]] = {"unjudged": unjudged_figure}
