"""Few queries judged by people, many by a model: the intervals of the runs by people alone, and calibrated."""

from collections.abc import Sequence

import numpy as np

from biasvar_cli.analyses.judges.answer import JudgesAnswer
from biasvar_cli.analyses.judges.calibrated_table import compared_words, worth_words
from biasvar_cli.analyses.judges.calibration import Calibration
from biasvar_cli.arrays import in_order
from biasvar_cli.drawing import axes, chart, run_axis
from biasvar_cli.drawing.style import Rows, Spec, Style, as_title, layer
from biasvar_cli.errors import UsageError
from biasvar_cli.score_matrix import in_unit, in_unit_ends
from biasvar_cli.words import RUN, Better, argument, counted, listed

_NAMES = 0.34  # of the width, at most for the names of runs
_BANDS = (0.3, 0.7)  # where the intervals of a run stand, by people alone and calibrated
_CALIBRATED = "calibrated"
_TITLES = {"mean": "mean {}", "bias": "bias of {}", "total_gap": "total error of {} (gap form)"}


def calibrated_figure(answers: Sequence[JudgesAnswer], *, top: int | None = None, style: Style | None = None) -> Spec:
    """The ``top`` runs, best first: the interval of each by people alone, and below it the calibrated one.

    With a baseline the intervals are of the differences from it, which hold for all runs together. Raises `DataError`
    for a single run, `UsageError` for answers on several measures, without calibration, or with several judges.
    """
    style = style or Style()
    answer = chart.one_answer(answers, measure=lambda answer: answer.measure)
    chart.require_runs(answer.runs)
    calibration = _only(answer)
    kinds = (alone := f"{calibration.reference} alone", _CALIBRATED)
    rows = [row for row in _rows(calibration, kinds) if run_axis.is_drawn(row["run"], row["rank"], top)]
    axis = run_axis.run_axis(list(dict.fromkeys(row["run"] for row in rows)), style, longest=_NAMES * style.width)
    thin, ends = axis.step < run_axis.ROW, np.array([[row["low"], row["high"]] for row in rows])
    low, high = axes.extent(ends)
    of = _of(answer, calibration)
    x = axes.quantity("value", as_title(style.wrapped(of, width=style.width - axis.width)))
    x["scale"] = {"domain": [low, high], "nice": False}
    x["axis"] = {"tickCount": 5, **axes.tick_format(float(np.abs(ends).max()))}
    beside = axis.width + 2 * chart.PADDING
    words = f"{100 * answer.request.level:g} % intervals"
    legend = {"title": words, "orient": "bottom", "symbolOpacity": 1, "labelLimit": round(style.width - beside)}
    legend["columns"] = chart.legend_columns(kinds, style, indent=beside)
    scale = {"domain": list(kinds), "range": [style.colours.grey, style.colours.dark_fill]}
    colour = {"field": "by", "type": "nominal", "scale": scale, "legend": legend}
    layers = []
    for kind, band in zip(kinds, _BANDS, strict=True):
        y = {**axis.channel, "bandPosition": band}
        of_kind = {"transform": [{"filter": {"field": "by", "equal": kind}}]}
        bars = {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour}
        size = 4 if thin else 9
        layers += [
            layer("runs", "rule", bars, strokeWidth=0.6 if thin else 1.2) | of_kind,
            layer("runs", "point", {"y": y, "x": x, "color": colour}, filled=True, size=size) | of_kind,
        ]
    n_drawn = len(rows) // len(kinds)
    part = [f"{n_drawn} of {counted(answer.n_runs, 'run')} shown"] if n_drawn < answer.n_runs else []
    zero: Rows = [{"at": 0}] if answer.request.baseline is not None else []
    line = [layer("zero", "rule", {"x": {**x, "field": "at"}}, color=style.colours.text, strokeWidth=0.6)]
    return chart.chart(
        [*(line if zero else []), *layers, *axis.layers],
        {"runs": rows, **({"zero": zero} if zero else {}), **axis.data},
        title=(worth_words if calibration.baseline is None else compared_words)(calibration).removesuffix("."),
        subtitle=f"{answer.measure or 'Scores'} of {counted(answer.n_runs, 'run')}; {calibration.words}",
        caption=[
            f"{of} of each {RUN}, best first: by {alone}, and moved by what {calibration.judge} says",
            *(["The intervals hold for all differences together"] if zero else []),
            *part,
            *chart.remarks(answer.reference.scored, None),
        ],
        style=style,
        height=axis.height,
        legend_rows=None,
    )


def _only(answer: JudgesAnswer) -> Calibration:
    """The one calibration. Raises `UsageError` for none and for several."""
    if not answer.request.calibrate:
        raise UsageError(f"calibrated takes judges with {argument(calibrate=True)}", option="figure")
    if len(answer.calibrations) > 1:
        names = listed([calibration.judge for calibration in answer.calibrations], None, "or")
        raise UsageError(f"calibrated shows one judge beside {answer.reference.name}: give {names} alone")
    return answer.calibrations[0]


def _of(answer: JudgesAnswer, calibration: Calibration) -> str:
    """What the axis has."""
    what = _TITLES[answer.request.of].format(answer.measure or "score")
    if calibration.baseline is None:
        return f"{what[0].upper()}{what[1:]}"
    return f"Difference of {what} from {answer.runs[calibration.baseline]}"


def _rows(calibration: Calibration, kinds: tuple[str, str]) -> Rows:
    """Two rows for each run, by people and calibrated, the best run first; none for a baseline."""
    level, of = calibration.request.level, calibration.calibrated
    better = calibration.people.scores.better
    if calibration.baseline is None:
        estimates = [(estimate.value, *estimate.interval(level)) for estimate in (of.by_people.runs(), of.runs())]
        turned: Better = better if calibration.request.of == "mean" else "more"
    else:
        estimates, turned = [calibration.versus_by_people[:3], calibration.versus[:3]], "more"
    rows, runs = [], calibration.people.scores.runs
    for rank, row in enumerate(in_order(calibration.rank.astype(float), runs)):
        for kind, estimate in zip(kinds, estimates, strict=True) if row != calibration.baseline else ():
            value, *ends = (float(part[row]) for part in estimate)
            low, high = in_unit_ends(ends[0], ends[1], turned)
            found = {"value": in_unit(value, turned), "low": low, "high": high}
            rows.append({"run": runs[row], "rank": rank, "by": kind, **found})
    return rows
