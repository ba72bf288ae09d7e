"""Which runs differ: means with comparison bars, and p-values and swaps by measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from biasvar_cli.analyses.compare.answer import TOLERATED, WIDTH, CompareAnswer, Compared, Swaps
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.sentences import about_compared
from biasvar_cli.arrays import FloatArray, equalised
from biasvar_cli.drawing.chart import (
    by_series,
    chart,
    extent,
    labelled,
    legend_rows,
    one_answer,
    quantity,
    remarks_on,
    require_runs,
    rounded,
    tick_format,
)
from biasvar_cli.drawing.style import AXIS, Rows, Spec, Style, as_title, layer, shortened, width_of_text
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import value_range
from biasvar_cli.stats.significance import FAMILY_TESTS, MEAN_TESTS, PRIMARY, TESTS, USUAL, Test
from biasvar_cli.stats.step_down import FEWEST_QUERIES
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.table import measure_words
from biasvar_cli.words import argument, counted, enumerated

_NAME = 7.0  # points that a name beside another needs
_LONGEST_NAME = 80.0
_MOST = 1000  # points of a curve: a pair takes less than a hundredth of an inch of the widest page
_FEW = 60  # runs with thick bars
_SIGNS_AT = (0.9, 0.7, 0.5, 0.3, 0.1)  # where a curve comes below it, there is a sign of its series
_BEST, _WORSE = "not significantly worse than the best", "significantly worse"
_TOTALS = {"total": "Total error", "total_gap": "Total error of the gap"}


def compare_figure(answers: Sequence[CompareAnswer], *, test: Test = PRIMARY, style: Style | None = None) -> Spec:
    """The runs, best first, with comparison bars; those that no run is significantly better than have their colour.

    The answers are on one measure and target; all pairs are compared, whatever their baselines. A bar is the mean plus
    and minus half the critical difference, as far as the measure goes: two runs whose bars do not overlap differ by the
    ``test``, which is of all pairs together. Raises `DataError` for a single run, and where there is no critical
    difference, `UsageError` for another test and for answers on several measures.
    """
    style = style or Style()
    _require_test(test, FAMILY_TESTS)
    answer = one_answer(_of_all_pairs(answers, test), measure=lambda answer: answer.measure)
    tests = answer.tests
    critical = _critical(tests, test)
    rows = _rows(answer, test, critical)
    ends = np.array([[row["low"], row["high"]] for row in rows])
    title = _TOTALS.get(answer.request.of, f"Mean {answer.measure or 'score'}")
    y = quantity("mean", title, scale={"domain": extent(ends), "nice": False})
    y["axis"] = tick_format(float(np.abs(ends).max()))
    x, longest = _run_axis([row["run"] for row in rows], style)
    domain = {"domain": [_BEST, _WORSE], "range": [style.colours.dark_fill, style.colours.grey]}
    colour = {"field": "what", "type": "nominal", "scale": domain, "legend": {"title": None, "orient": "bottom"}}
    bars = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": colour}
    last, best = {"field": "last", "bandPosition": 1}, [row["run"] for row in rows if row["what"] == _BEST]
    thin, size = (0.8, 7) if len(rows) > _FEW else (1.4, 18)
    return chart(
        [
            layer("best", "rect", {"x": {**x, "bandPosition": 0}, "x2": last}, color=style.colours.faint, opacity=0.5),
            layer("runs", "rule", bars, strokeWidth=thin),
            layer("runs", "point", {"x": x, "y": y, "color": colour}, filled=True, size=size),
        ],
        {"runs": rows, "best": [{"run": best[0], "last": best[-1]}]},
        title="Which runs differ",
        caption=[_about([answer]), *_of_bars(tests, test, critical, rows), *_remarks([answer])],
        style=style,
        height=(0.33 if style.wide else 0.5) * style.width + longest,
        legend_rows=2,
    )


def asl_figure(answers: Sequence[CompareAnswer], *, test: Test = USUAL[0], style: Style | None = None) -> Spec:
    """The p-values of all pairs by a ``test``, the largest first, over the share of pairs: a curve for each measure.

    Where a curve comes below 1 - level begins the share of pairs that differ (Sakai, SIGIR 2006). Of more than a
    thousand pairs each curve has a thousand, evenly spaced. Baselines do not matter. Raises `DataError` for a single
    run, and where there are too few queries for the test, `UsageError` for a test of something else than means and for
    several targets.
    """
    style = style or Style()
    _require_test(test, MEAN_TESTS)
    answers = _of_all_pairs(answers, test)
    one = answers[0].tests
    p_values = {measure_words(answer.measure): answer.tests.p[test] for answer in answers}
    if np.isnan(one.p[test]).any():
        raise DataError(f"no p-values: {_too_few(one, test)}")
    least = one.request.threshold
    x = quantity("share", "Share of the pairs of runs", scale={"domain": [0, 1], "nice": False})
    y = quantity("p", f"p, {TESTS[test].words}", scale={"domain": [0, 1], "nice": False})
    shares = ", ".join(f"{name} {100 * float((p < least).mean()):.0f} %" for name, p in p_values.items())
    pairs = counted(len(one.delta), "pair")
    how = "each alone" if TESTS[test].corrected else "all of them together"
    return _series_chart(
        [row for name, p in p_values.items() for row in _curve(name, p)],
        list(p_values),
        x,
        y,
        rounded(least),
        title="Which measure tells the runs apart",
        caption=[_about(answers), f"{pairs}, {how}; p below {least:.4g}: {shares}", *_remarks(answers)],
        style=style,
    )


def swap_figure(answers: Sequence[CompareAnswer], *, style: Style | None = None) -> Spec:
    """The share of swaps between halves of the queries by the size of the difference: a curve for each measure.

    Empty bins have no point. Raises `DataError` for a single run, `UsageError` for several targets.
    """
    style = style or Style()
    answers = _of_all_pairs(answers)
    swaps = {measure_words(answer.measure): answer.compared.swaps for answer in answers}
    rows = [row for name, rates in swaps.items() for row in _bins(name, rates)]
    last = max(row["difference"] for row in rows) + WIDTH / 2
    highest = max([TOLERATED, *(row["rate"] for row in rows)])
    x = quantity("difference", "Difference on one half", scale={"domain": [0, rounded(last)], "nice": False})
    domain = {"domain": [0, rounded(1.07 * highest)], "nice": False}
    y = quantity("rate", "Other way round on the other half", scale=domain, axis={"format": "~%"})
    return _series_chart(
        rows,
        list(swaps),
        x,
        y,
        TOLERATED,
        title="Swaps by the size of the difference",
        caption=[_about(answers), *_of_swaps(swaps), *_remarks(answers)],
        style=style,
    )


def _require_test(test: Test, tests: Sequence[Test]) -> None:
    if test not in tests:
        raise UsageError(f"expected {enumerated(tests)}, found {test}", option="test")


def _of_all_pairs(answers: Sequence[CompareAnswer], test: Test | None = None) -> list[CompareAnswer]:
    """The answers without baselines, each once, and with a ``test`` if one is given.

    Raises `DataError` for a single run, `UsageError` for several targets.
    """
    require_runs(answers[0].runs)
    one_answer(answers, target=lambda answer: answer.target.label)
    every = dict.fromkeys(answer.compared for answer in answers)
    return [CompareAnswer(one if test is None else _with_test(one, test)) for one in every]


def _with_test(compared: Compared, test: Test) -> Compared:
    """What is compared, with a test that was maybe not asked for."""
    if test in compared.request.tests:
        return compared
    return replace(compared, request=replace(compared.request, test=(test,), baseline=()))


def _remarks(answers: Iterable[CompareAnswer]) -> list[str]:
    return remarks_on(answer.compared for answer in answers)


def _about(answers: Sequence[CompareAnswer]) -> str:
    """What runs are compared by, at the beginning of a caption; several measures are all named."""
    words = about_compared(answers[0], ", ".join(measure_words(answer.measure) for answer in answers))
    return words if answers[0].request.of == "mean" else words[0].upper() + words[1:]


def _of_swaps(swaps: Mapping[str, Swaps]) -> list[str]:
    """How swaps are counted, and from which differences on they are few."""
    one = next(iter(swaps.values()))
    splits = f"{counted(one.n_splits, 'split')} into halves of {counted(one.half, 'query')}"
    needed = ", ".join(f"{name} {_from(rates)}" for name, rates in swaps.items())
    return [
        f"{splits}; differences in bins of {WIDTH:g}, the last one open",
        f"At most {100 * TOLERATED:g} % are swaps from: {needed}",
    ]


def _series_chart(rows: Rows, names: Sequence[str], x: Spec, y: Spec, at: float, *, style: Style, **words: Any) -> Spec:
    """Curves by colour and signs, and a line across at one height; ``words`` are title and caption."""
    series = by_series("of", names, style)
    signs = {"filter": {"field": "sign", "equal": True}}
    axes = {"x": x, "y": y}
    across = {"y": {**y, "field": "at"}}
    return chart(
        [
            layer("line", "rule", across, color=style.colours.text, strokeWidth=0.7, strokeDash=[3, 2]),
            layer("rows", "line", {**axes, "color": series["color"]}, strokeWidth=1),
            {**layer("rows", "point", {**axes, **series}, filled=True, size=24), "transform": [signs]},
        ],
        {"rows": rows, "line": [{"at": at}]},
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width,
        legend_rows=legend_rows(names, style),
        **words,
    )


def _critical(tests: PairTests, test: Test) -> float:
    """The critical difference of a test of all pairs. Raises `DataError` where there is none, with the reason."""
    critical = tests.tested[test].critical
    assert critical is not None, "bars are of a test of all pairs together"
    if np.isfinite(critical):
        return critical
    n_queries, request = tests.values.shape[1], tests.request
    if test == PRIMARY and n_queries < FEWEST_QUERIES:
        reason = _too_few(tests, test)
    elif np.isinf(critical):
        reason = f"no difference of these two runs on {n_queries} queries would be significant"
    else:
        reason = f"{request.samples} samples are too few for level {request.level:g}; raise {argument('samples')}"
    raise DataError(f"no comparison bars: {reason}")


def _too_few(tests: PairTests, test: Test) -> str:
    return f"the {TESTS[test].words} needs at least {FEWEST_QUERIES} queries, found {tests.values.shape[1]}"


def _rows(answer: CompareAnswer, test: Test, critical: float) -> Rows:
    """A row a run, the best first, equal ones in order of names.

    No bar goes beyond the range of the measure, with all means in it; a total error is at least 0.
    """
    tests, measure, lower = answer.tests, answer.measure, answer.request.lower_is_better
    mean, half = tests.values.mean(axis=1), critical / 2
    least, largest = (0.0, np.inf) if lower else (measure and value_range(measure)) or (-np.inf, np.inf)
    limits = min(least, float(mean.min())), max(largest, float(mean.max()))
    low, high = (np.clip(ends, *limits) for ends in (mean - half, mean + half))
    worse = equalised(mean if lower else -mean)
    beaten = np.bincount(tests.versus[tests.p[test] < answer.request.threshold], minlength=len(mean))
    order = sorted(range(len(mean)), key=lambda index: (worse[index], tests.runs[index]))
    return [
        {
            "run": tests.runs[index],
            "mean": float(mean[index]),
            "low": float(low[index]),
            "high": float(high[index]),
            "what": _WORSE if beaten[index] else _BEST,
        }
        for index in order
    ]


def _of_bars(tests: PairTests, test: Test, critical: float, rows: Rows) -> list[str]:
    """What the bars mean, and how many runs may be the best."""
    n_best, level = sum(row["what"] == _BEST for row in rows), f"{100 * tests.request.level:g} %"
    pairs = counted(len(tests.delta), "pair")
    family = f"all {pairs} together" if len(tests.delta) > 1 else "this pair"
    shaded = f"{n_best} of {counted(len(rows), 'run')} not significantly worse than the best"
    return [
        f"Comparison bars: two runs whose bars do not overlap differ, {level} for {family} ({tests.words(test)})",
        f"Critical difference {number(critical, 4)}; shaded: {shaded}",
    ]


def _run_axis(runs: list[str], style: Style) -> tuple[Spec, float]:
    """The runs in order, with their names where they have room; and how high these are, in points."""
    labels = shortened(runs, _LONGEST_NAME) if style.width - 40 > _NAME * len(runs) else None
    title = "Runs, best first" + ("" if labels is not None else f" ({len(runs)} names left out)")
    names = {"labels": False, "ticks": False} if labels is None else {"labelAngle": -90, **labelled(runs, labels)}
    words = as_title(style.wrapped(title, AXIS, style.width - 40))
    scale = {"type": "band", "domain": runs, "paddingInner": 0, "paddingOuter": 0.5}
    axis = {**names, "grid": False}
    longest = max(map(width_of_text, labels)) if labels is not None else 0.0
    return {"field": "run", "type": "nominal", "title": words, "axis": axis, "scale": scale}, longest


def _curve(name: str, p: FloatArray) -> Rows:
    """Points of one curve, some of them with the sign of its series."""
    ordered = np.sort(p)[::-1]
    n = len(ordered)
    places = np.unique(np.linspace(0, n - 1, min(n, _MOST)).round().astype(np.int64))
    shown = ordered[places]
    signs = {int(np.count_nonzero(shown > height)) for height in _SIGNS_AT} | {0 if len(places) == 1 else -1}
    return [
        {"of": name, "share": rounded((place + 1) / n), "p": value, "sign": index in signs}
        for index, (place, value) in enumerate(zip(places.tolist(), shown.tolist(), strict=True))
    ]


def _bins(name: str, swaps: Swaps) -> Rows:
    return [
        {"of": name, "low": low, "difference": rounded(low + WIDTH / 2), "rate": rate, "n": n, "sign": True}
        for low, rate, n in zip(swaps.low.tolist(), swaps.rate.tolist(), swaps.n.tolist(), strict=True)
        if n
    ]


def _from(swaps: Swaps) -> str:
    if swaps.needed != swaps.needed:
        return "no difference"
    return f"{swaps.needed:g} ({100 * swaps.share:.0f} % of comparisons)"


FIGURES: Mapping[str, Callable[..., Spec]] = {"compare": compare_figure, "asl": asl_figure, "swap": swap_figure}
