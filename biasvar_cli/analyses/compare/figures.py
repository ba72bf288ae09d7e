"""Which differences are significant: means with comparison bars, and p-values and swaps by measure.

The three figures stand together, since lines, captions and the words of tests are common to them.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, groupby, islice
from math import inf
from operator import itemgetter

import numpy as np

from biasvar_cli.analyses.compare.answer import N_BINS, TOLERATED, WIDTH, CompareAnswer, Swaps
from biasvar_cli.analyses.compare.notes import TOTALS, test_note
from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.arrays import FloatArray, in_order
from biasvar_cli.drawing import axes, chart, run_axis
from biasvar_cli.drawing.style import AXIS, Rows, Spec, Style, as_title, cleaned, layer, width_of_text
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.score_matrix import in_unit, in_unit_ends, negated
from biasvar_cli.scoring.targets import utility_range
from biasvar_cli.specs.limits import FEWEST_QUERIES, is_significant
from biasvar_cli.stats.significance import MEAN_TESTS, PRIMARY, TESTS, Test
from biasvar_cli.tables.rounding import number
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import QUERIES, RUN, RUNS, argument, counted, counted_queries, listed

_MOST = 1000  # points of a curve: a pair takes less than a hundredth of an inch of the widest page
_NAMES, _MOST_NAMES = 0.34, 0.45  # of the width, at most for the names of runs; the more, if the legend has room
_SIGN = 30.0  # points of the sign of an entry in the legend, and what is beside it
_NEAR_END = 0.6  # of the pairs, from which on words stand left of their point
_RELIABLE = 100  # comparisons, fewer than which give a rough share of swaps
_OPEN = axes.rounded(WIDTH * (N_BINS + 1))  # where the open bin of swaps is drawn: apart from the others
_CLOSED = axes.rounded(WIDTH * (N_BINS - 1))  # the largest difference that is in no open bin
_TICKS = (0, 0.05, 0.1, 0.15)  # of differences, beside the open bin
_UNCUT = ". They may pass the bounds of the measure, which are not known"
_BEST, _WORSE = "not significantly worse than the best", "significantly worse"


def compare_figure(
    answers: Sequence[CompareAnswer], *, test: Test | None = None, top: int | None = None, style: Style | None = None
) -> Spec:
    """The ``top`` runs, best first, with comparison bars; those that no run is significantly better than are coloured.

    The answers are on one measure and target; all pairs are compared, whatever their baselines, by a ``test`` or else
    by that of the answers. A bar is the mean plus and minus half the critical difference, as far as the measure goes:
    two runs whose bars do not overlap differ. A test of single pairs has no critical difference, and so no bars. Raises
    `DataError` for a single run and where no test decides, `UsageError` for answers on several measures.
    """
    style = style or Style()
    answer = chart.one_answer(_answers_on_all_pairs(answers, test), measure=lambda answer: answer.measure)
    half = _half_of_bars(answer.tests)
    rows = _rows(answer, half)
    drawn = [row for rank, row in enumerate(rows) if run_axis.is_drawn(row["run"], rank, top)]
    states = _states(half)
    room = style.width - max(map(width_of_text, states)) - _SIGN
    longest = max(_NAMES * style.width, min(_MOST_NAMES * style.width, room))
    axis = run_axis.run_axis([row["run"] for row in drawn], style, longest=longest)
    y = axis.channel
    ends = np.array([[row["low"], row["high"]] for row in drawn])
    title = _capitalised(TOTALS.get(answer.request.of, f"mean {answer.measure or 'score'}"))
    low, high = axes.extent(ends)
    x = axes.quantity("mean", title, scale={"domain": [low, high], "nice": False})
    x["axis"] = {"tickCount": 5, **axes.tick_format(float(np.abs(ends).max()))}
    about_bars = test_note(answer).removesuffix(".") if half is None else _bar_words(answer, rows, half)
    beside = axis.width + 2 * chart.PADDING
    words = style.wrapped(about_bars, width=style.width - beside)
    legend = {"title": as_title(words), "orient": "bottom", "symbolOpacity": 1}
    legend["columns"] = chart.legend_columns(states, style, indent=beside)
    domain = {"domain": list(states), "range": [style.colours.dark_fill, style.colours.grey]}
    colour = {"field": "what", "type": "nominal", "scale": domain, "legend": legend}
    bars = {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": colour}
    last = {"field": "last", "bandPosition": 1}
    stretches = [list(stretch) for what, stretch in groupby(drawn, itemgetter("what")) if what == states[0]]
    thin = axis.step < run_axis.ROW
    short = min(row["high"] - row["low"] for row in rows) / (high - low) * (style.width - axis.width)
    size = 7 if thin else run_axis.dot_size(short if half is not None else inf)
    part = [f"{len(drawn)} of {counted(len(rows), 'run')} shown"] if len(drawn) < len(rows) else []
    return chart.chart(
        [
            layer("best", "rect", {"y": {**y, "bandPosition": 0}, "y2": last}, color=style.colours.faint, opacity=0.5),
            *([] if half is None else [layer("runs", "rule", bars, strokeWidth=0.8 if thin else 1.4)]),
            layer("runs", "point", {"y": y, "x": x, "color": colour}, filled=True, size=size),
            *axis.layers,
        ],
        {
            "runs": drawn,
            "best": [{"run": stretch[0]["run"], "last": stretch[-1]["run"]} for stretch in stretches],
            **axis.data,
        },
        title=_finding(rows, half),
        subtitle=_about([answer]),
        caption=[
            f"{_capitalised(TOTALS.get(answer.request.of, 'mean'))} of each {RUN}, best first",
            *part,
            *_run_caption(answer, half, rows),
            *chart.remarks_on([answer.compared]),
        ],
        style=style,
        height=axis.height,
        legend_rows=None,
    )


def _finding(rows: Rows, half: float | None) -> str:
    """How many runs may be the best.

    >>> rows = [{"run": "A", "what": _BEST}, {"run": "B", "what": _BEST}, {"run": "C", "what": _WORSE}]
    >>> _finding(rows, 0.1), _finding(rows[1:], 0.1)
    ('2 of 3 runs are not significantly worse than the best', 'B is significantly better than all other runs')
    """
    best = [row["run"] for row in rows if row["what"] in _states(half)[:1]]
    if half is None:
        unbeaten = best[0] if len(best) == 1 else f"{len(best)} of {counted(len(rows), 'run')}"
        return f"No {RUN} is significantly better than {unbeaten}"
    if len(best) == 1:
        return f"{best[0]} is significantly better than all other {RUNS}"
    if len(best) == len(rows):
        return f"No {RUN} is significantly worse than the best"
    return f"{len(best)} of {counted(len(rows), 'run')} are {_BEST}"


def asl_figure(answers: Sequence[CompareAnswer], *, test: Test = "t", style: Style | None = None) -> Spec:
    """The p-values of all pairs by a ``test``, the largest first, over the share of pairs: a curve for each measure.

    Where a curve comes below 1 - level begins the share of pairs that differ (Sakai, SIGIR 2006). The legend has these
    shares, and says whether p is corrected for the number of pairs; the title has the shares of the test that decides.
    Of more than a thousand pairs each curve has a thousand, evenly spaced. Baselines do not matter. Raises `DataError`
    for a single run, and where there are too few queries for the test, `UsageError` for a test of something else than
    means and for several targets.
    """
    style = style or Style()
    if test not in MEAN_TESTS:
        raise UsageError(f"expected {listed(MEAN_TESTS, None, 'or')}, found {test}", option="test")
    answers = _answers_on_all_pairs(answers, test)
    one = answers[0].tests
    if np.isnan(one.p[test]).any():
        raise DataError(f"no p-values: {_too_few(one, test)}")
    p_values = {measure_words(answer.measure): answer.tests.p[test] for answer in answers}
    least, scale = one.request.threshold, {"domain": [0, 1], "nice": False}
    x = axes.quantity("share", f"Pairs of {RUNS} in order of p, the largest first", scale=scale)
    x["axis"] = {"format": ".0%", "labelExpr": "format(100 * datum.value, '~g') + ' %'"}
    y = axes.quantity("p", f"p, {TESTS[test].words}", scale=scale)
    significant = {name: float(is_significant(p, one.request.level).mean()) for name, p in p_values.items()}
    shares = {name: f"{100 * share:.0f} %" for name, share in significant.items()}
    what = f"Share of the pairs with p < {least:.4g}, {_correction(test, len(one.delta))}"
    words = style.wrapped(what, width=style.width - 50)
    labels = json.dumps({cleaned(name): f"{cleaned(name)}: {share}" for name, share in shares.items()})
    legend = {"title": as_title(words), "orient": "bottom", "columns": 1, "symbolType": "stroke", "symbolSize": 150}
    legend |= {"labelExpr": f"{labels}[datum.label]", "labelLimit": round(style.width - 90)}
    title, by = _differing(answers, test)
    starts: Rows = [{"of": name, "share": 1 - share, "p": least, "words": ""} for name, share in significant.items()]
    if len(shares) == 1:
        (share,), (start,) = shares.values(), starts
        alone = ", not corrected" if TESTS[test].corrected and len(one.delta) > 1 else ""
        start["words"] = f"{share} from here on{alone}" if start["share"] < 1 else ""
    near_end = starts[0]["share"] > _NEAR_END
    beside = {"align": "right" if near_end else "left", "dx": 4 if near_end else 0, "dy": -15}
    words_over = {"x": x, "y": y, "text": {"field": "words"}}
    shared = ", ".join(f"{name} {share}" for name, share in shares.items())
    signs: Spec = {"color": style.colours.series, "strokeDash": chart.DASHES}
    ranges = {channel: list(islice(cycle(values), len(p_values))) for channel, values in signs.items()}
    series = chart.by_range("of", list(p_values), ranges, legend)
    if len(shares) == 1:
        series = {channel: {**sign, "legend": None} for channel, sign in series.items()}
    return chart.chart(
        [
            *_line_layers(x, y, 0.99, "right", f"p = {least:.4g}", style),
            layer("rows", "line", {"x": x, "y": y, **series}, strokeWidth=1.2, point=len(one.delta) == 1),
            layer("starts", "point", {"x": x, "y": y, "color": series["color"]}, filled=True, size=26),
            layer("starts", "text", words_over, **beside),
        ],
        {
            "rows": [row for name, p in p_values.items() for row in _curve(name, p)],
            "starts": starts,
            "line": [{"at": axes.rounded(least)}],
        },
        title=title,
        subtitle=f"{_about(answers)}; {by}",
        caption=[
            f"p of all pairs of {RUNS}, the largest first",
            f"{what}: {shared}",
            *chart.remarks_on(answer.compared for answer in answers),
        ],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width,
        legend_rows=len(p_values) + len(words) if len(p_values) > 1 else 0,
    )


def _differing(answers: Sequence[CompareAnswer], test: Test) -> tuple[str, str]:
    """The share of the pairs that differ by each measure, and by which test: the primary one, unless ``test`` decides.

    A test of single pairs does where the primary one has too few queries or samples.
    """
    answers = _answers_on_all_pairs(answers, PRIMARY if TESTS[test].corrected else test)
    tests, least, n_pairs = answers[0].tests, answers[0].request.threshold, len(answers[0].tests.delta)
    if tests.why_undecided is None:
        shares = [float(answer.tests.differs.mean()) for answer in answers]
        by = f"{tests.deciding_words}, p < {least:.4g}{f' for all {n_pairs} pairs together' if n_pairs > 1 else ''}"
    else:
        tested = _answers_on_all_pairs(answers, test)
        shares = [float(is_significant(answer.tests.p[test], answer.request.level).mean()) for answer in tested]
        by = f"{TESTS[test].words}, p < {least:.4g}, {_correction(test, n_pairs)}"
    if len(answers) == 1:
        return f"{100 * shares[0]:.0f} % of the pairs differ significantly", by
    of = (f"{measure_words(answer.measure)} {100 * share:.0f} %" for answer, share in zip(answers, shares, strict=True))
    return f"Pairs that differ significantly: {', '.join(of)}", by


def swap_figure(answers: Sequence[CompareAnswer], *, style: Style | None = None) -> Spec:
    """The share of swaps between halves of the queries by the size of the difference: a curve for each measure.

    Empty bins have no point, those of few comparisons a hollow one beside the curve. The open bin of the largest
    differences stands apart. Raises `DataError` for a single run, `UsageError` for several targets.
    """
    style = style or Style()
    answers = _answers_on_all_pairs(answers)
    swaps = {measure_words(answer.measure): answer.compared.swaps for answer in answers}
    rows = [row for name, rates in swaps.items() for row in _bins(name, rates)]
    opened, few = any(row["open"] for row in rows), any(row["few"] for row in rows)
    last = max(row["difference"] for row in rows) + WIDTH / 2
    highest = max([TOLERATED, *(row["rate"] for row in rows)])
    notes = [f"right of the line: all from {_CLOSED:g} on"] if opened else []
    notes += [f"hollow: of fewer than {_RELIABLE} comparisons"] if few else []
    title = f"Difference on one half of the {QUERIES}" + (f" ({'; '.join(notes)})" if notes else "")
    words = as_title(style.wrapped(title, AXIS, style.width - 50))
    x = axes.quantity("difference", words, scale={"domain": [0, axes.rounded(last)], "nice": False})
    if opened:
        x["axis"] = {"values": [*_TICKS, _OPEN]}
        x["axis"]["labelExpr"] = f"datum.value > {_CLOSED:g} ? '≥ {_CLOSED:.2f}' : format(datum.value, '.2f')"
    domain = {"domain": [axes.rounded(-0.04 * highest), axes.rounded(1.07 * highest)], "nice": False}
    y = axes.quantity("rate", "Pairs that swap on the other half", scale=domain)
    y["axis"] = {"labelExpr": "format(100 * datum.value, '~g') + ' %'"}
    series, encoding = chart.by_series("of", list(swaps), style), {"x": x, "y": y}
    if len(swaps) == 1:
        series = {channel: {**sign, "legend": None} for channel, sign in series.items()}
    on_curve, one = [{"filter": "!datum.open && !datum.few"}], next(iter(swaps.values()))
    halves = f"halves of {counted(one.half, 'cluster' if one.of_clusters else 'query')}"
    finding = f"From a difference of {one.needed:g}, at most {100 * TOLERATED:g} % of the pairs of {RUNS} swap"
    if len(swaps) > 1 or np.isnan(one.needed):
        finding = f"Pairs of {RUNS} that swap, by the size of the difference"
    edge = layer("edge", "rule", {"x": {**x, "field": "at"}}, color=style.colours.grey, strokeWidth=0.7)
    hollow = layer("rows", "point", encoding, filled=True, size=8, color=style.colours.background, aria=False)
    return chart.chart(
        [
            *_line_layers(x, y, _clear_difference(rows, highest), "center", f"{100 * TOLERATED:g} %", style),
            *([edge] if opened else []),
            {**layer("rows", "line", {**encoding, "color": series["color"]}, strokeWidth=1), "transform": on_curve},
            layer("rows", "point", {**encoding, **series}, filled=True, size=26),
            *([{**hollow, "transform": [{"filter": "datum.few"}]}] if few else []),
        ],
        {"rows": rows, "line": [{"at": TOLERATED}], **({"edge": [{"at": _CLOSED}]} if opened else {})},
        title=finding,
        subtitle=f"{_about(answers)}, in {halves}",
        caption=[
            f"Swaps: pairs of {RUNS} that change places on the other half of the {QUERIES}",
            f"{counted(one.n_splits, 'split')}; differences in bins of {WIDTH:g}, the last one open",
            f"At most {100 * TOLERATED:g} % are swaps from: {_needed(swaps)}",
            *chart.remarks_on(answer.compared for answer in answers),
        ],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width,
        legend_rows=chart.legend_rows(list(swaps), style) if len(swaps) > 1 else 0,
    )


def _answers_on_all_pairs(answers: Sequence[CompareAnswer], test: Test | None = None) -> list[CompareAnswer]:
    """The answers without baselines, each once, and with a ``test`` if one is given.

    Raises `DataError` for a single run, `UsageError` for several targets.
    """
    chart.require_runs(answers[0].runs)
    chart.one_answer(answers, target=lambda answer: answer.target.label)
    comparisons = [
        compared
        if test in (None, compared.request.deciding) or compared.request.infer == "systems"  # whose test is t
        else replace(compared, request=replace(compared.request, test=(test,), baseline=()))
        for compared in dict.fromkeys(answer.compared for answer in answers)
    ]
    return [CompareAnswer(compared) for compared in comparisons]


def _about(answers: Sequence[CompareAnswer]) -> str:
    """What runs are compared by, at the beginning of a caption; several measures are all named."""
    answer, measures = answers[0], ", ".join(measure_words(answer.measure) for answer in answers)
    if answer.request.of == "mean":  # which has no target
        return f"{measures}, {counted(answer.n_runs, 'run')}, {counted_queries(answer.n_queries, answer.n_clusters)}"
    words = about(measures, answer.target, answer.n_runs, answer.n_queries, answer.n_clusters)
    return f"{_capitalised(TOTALS[answer.request.of])}, {words}"


def _capitalised(words: str) -> str:
    return words[0].upper() + words[1:]


def _needed(swaps: Mapping[str, Swaps]) -> str:
    """From which differences on swaps are few."""
    return ", ".join(
        f"{name} no difference"
        if np.isnan(rates.needed)
        else f"{name} {rates.needed:g} ({100 * rates.share:.0f} % of comparisons)"
        for name, rates in swaps.items()
    )


def _clear_difference(rows: Rows, highest: float) -> float:
    """The difference at which words over the line of the tolerated share are farthest from the curves."""
    words = TOLERATED + 0.04 * highest
    bins: list[float] = sorted({row["difference"] for row in rows if not row["open"]}, reverse=True)

    def distance(at: float) -> float:
        near = (row["rate"] for row in rows if abs(row["difference"] - at) < 1.5 * WIDTH)
        return float(min(abs(rate - words) for rate in near))

    return max(bins[1:-1] or bins, key=distance, default=_OPEN)  # words in the first or last bin would be on the frame


def _line_layers(x: Spec, y: Spec, at: float, align: str, words: str, style: Style) -> list[Spec]:
    """A broken line across at one height, and words over it at one place."""
    across = {"y": {**y, "field": "at"}}
    rule = layer("line", "rule", across, color=style.colours.text, strokeWidth=0.7, strokeDash=[3, 2])
    there = {"datum": at, **{key: value for key, value in x.items() if key != "field"}}
    text = {**across, "x": there, "text": {"value": words}}
    return [rule, layer("line", "text", text, align=align, dy=-5)]


def _correction(test: Test, n_pairs: int) -> str:
    """Whether the p-values of a test allow for the number of pairs.

    >>> _correction("t", 28), _correction("stepdown", 28)
    ('not corrected for the number of pairs (28)', 'corrected for all 28 pairs together')
    """
    if TESTS[test].corrected:
        return f"not corrected for the number of pairs ({n_pairs})"
    return f"corrected for all {n_pairs} pairs together"


def _half_of_bars(tests: PairTests) -> float | None:
    """Half the critical difference; None for a test of single pairs. Raises `DataError` where no test decides."""
    n_queries, request, critical = tests.values.shape[1], tests.request, tests.critical_difference
    if tests.units.n < FEWEST_QUERIES:
        reason = _too_few(tests, tests.deciding)
    elif tests.why_undecided is not None:
        reason = f"{request.samples} samples are too few for level {request.level:g}; raise {argument('samples')}"
    elif np.isinf(critical):
        reason = f"no difference of these two {RUNS} on {n_queries} {QUERIES} would be significant"
    else:
        return None if np.isnan(critical) else critical / 2
    raise DataError(f"no comparison bars: {reason}")


def _too_few(tests: PairTests, test: Test) -> str:
    what = QUERIES if tests.units.are_single else "clusters"
    return f"the {TESTS[test].words} needs at least {FEWEST_QUERIES} {what}, found {tests.units.n}"


def _limits(answer: CompareAnswer) -> tuple[float, float]:
    """The bounds of what is compared, utilities, infinite where they are not known or a mean lies beyond."""
    mean, lower = answer.tests.values.mean(axis=1), answer.request.lower_is_better
    scores = answer.compared.targeted.scores
    least, largest = (0.0, np.inf) if lower else utility_range(scores) or (-np.inf, np.inf)
    return least if least <= mean.min() else -np.inf, largest if mean.max() <= largest else np.inf


def _bar_words(answer: CompareAnswer, rows: Rows, half: float) -> str:
    """What the bars are, and where they end: at the bounds of a measure, if these are known."""
    kind, (least, largest) = TOTALS.get(answer.request.of, "mean"), in_unit_ends(*_limits(answer), answer.better)
    tests, means = answer.tests, [row["mean"] for row in rows]
    family = f" for all {len(tests.delta)} pairs together" if len(tests.delta) > 1 else ""
    test = f"{tests.words(tests.deciding)}, p < {answer.request.threshold:g}{family}"
    words = (
        f"Bars: {kind} ± half the critical difference ({test}); {RUNS} whose bars do not overlap differ significantly"
    )
    values = tests.values if answer.better == "more" else negated(tests.values)
    low, high = min(means) - half, max(means) + half
    if low < least and high > largest:
        return f"{words}. They are cut at {least:g} and {largest:g}, the bounds of the measure"
    if low < least:
        return f"{words}. They are cut at {least:g}, the least possible {kind}"
    if high > largest:
        return f"{words}. They are cut at {largest:g}, the highest possible {kind}"
    return words + ("" if values.min() <= low and high <= values.max() else _UNCUT)


def _states(half: float | None) -> tuple[str, str]:
    """What is said of runs, with bars of this half or without.

    By a test that has bars the runs that no run is better than are those that the best one is not better than; another
    test may find a run worse than the third and not than the first.
    """
    better = "is significantly better"
    return (f"no {RUN} {better}", f"{RUN:a} {better}") if half is None else (_BEST, _WORSE)


def _rows(answer: CompareAnswer, half: float | None) -> Rows:
    """A row a run, the best first, equal ones in order of names.

    No bar goes beyond the range of the measure, with all means in it; a total error is at least 0.
    """
    tests, lower, (best, beaten) = answer.tests, answer.request.lower_is_better, _states(half)
    mean = tests.values.mean(axis=1)
    low, high = (np.clip(ends, *_limits(answer)) for ends in (mean - (half or 0.0), mean + (half or 0.0)))
    n_better = np.bincount(tests.versus[tests.differs], minlength=len(mean))
    ends = [in_unit_ends(*bar, answer.better) for bar in zip(low.tolist(), high.tolist(), strict=True)]
    return [
        {
            "run": tests.runs[index],
            "mean": in_unit(float(mean[index]), answer.better),
            "low": ends[index][0],
            "high": ends[index][1],
            "what": beaten if n_better[index] else best,
        }
        for index in in_order(mean if lower else -mean, tests.runs)
    ]


def _run_caption(answer: CompareAnswer, half: float | None, rows: Rows) -> list[str]:
    """What the bars mean, or by which test runs differ without them, and how many may be the best."""
    tests, (unbeaten, _) = answer.tests, _states(half)
    n_unbeaten = sum(row["what"] == unbeaten for row in rows)
    level, pairs = f"{100 * tests.request.level:g} %", counted(len(tests.delta), "pair")
    family = f"all {pairs} together" if len(tests.delta) > 1 else "this pair"
    best = listed([row["run"] for row in rows if row["mean"] == rows[0]["mean"]], 2)
    shaded = f"Shaded: {n_unbeaten} of {counted(len(rows), 'run')}{', than which' * (half is None)} {unbeaten}"
    if half is None:
        test = test_note(answer).removesuffix(".")
        none = f"No comparison bars: a test of single pairs has no critical difference. {test}"
        return [none, f"Best: {best}", shaded]
    bars = f"Comparison bars: two {RUNS} whose bars do not overlap differ significantly"
    return [
        f"{bars}, {level} for {family} ({tests.words(tests.deciding)})",
        f"Critical difference {number(2 * half, 4)}; best: {best}",
        shaded,
    ]


def _curve(name: str, p: FloatArray) -> Rows:
    """Points of one curve."""
    ordered, n = np.sort(p)[::-1].tolist(), len(p)
    steps = np.unique(np.linspace(0, n - 1, min(n, _MOST)).round().astype(np.int64)).tolist()
    return [{"of": name, "share": axes.rounded((step + 1) / n), "p": ordered[step]} for step in steps]


def _bins(name: str, swaps: Swaps) -> Rows:
    """A row for each bin with comparisons, in the middle of it, the open one apart."""
    return [
        {
            "of": name,
            "low": low,
            "difference": _OPEN if low == _CLOSED else axes.rounded(low + WIDTH / 2),
            "rate": rate,
            "n": n,
            "open": low == _CLOSED,
            "few": n < _RELIABLE,
        }
        for low, rate, n in zip(swaps.low.tolist(), swaps.rate.tolist(), swaps.n.tolist(), strict=True)
        if n
    ]


FIGURES: Mapping[str, Callable[..., Spec]] = {"compare": compare_figure, "asl": asl_figure, "swap": swap_figure}
