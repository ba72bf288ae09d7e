"""The correlation of bias² and variance beside its null models, by sampling (CIKM'14, Table 2)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from biasvar_cli.analyses.tradeoff.answer import TradeoffAnswer
from biasvar_cli.analyses.tradeoff.notes import reading_order, sampling_words
from biasvar_cli.decomposition import SINGLE
from biasvar_cli.decomposition.generalised import TradeoffRow, of_single
from biasvar_cli.drawing import axes, chart
from biasvar_cli.drawing.style import AXIS, LABEL, Rows, Spec, Style, as_title, layer, width_of_text
from biasvar_cli.errors import DataError
from biasvar_cli.tables.null_words import NO_CONCLUSION, verdict_words
from biasvar_cli.tables.table import about, measure_words
from biasvar_cli.words import QUERY, RUNS, VAR_TITLES, Coefficient, Form, counted, listed

_OBSERVED, _RANGE, _MEDIAN = "observed", "95 % range of the null models", "their median"
_NULL_SIGNS = {_RANGE: chart.BAR, _MEDIAN: chart.STROKE}
_LABELS = 0.4  # of the width, for the names of samplings
_LINE = LABEL + 2  # points, of such a name


def tradeoff_figure(
    answers: Sequence[TradeoffAnswer],
    *,
    form: Form = "score",
    correlation: Coefficient = "pearson",
    style: Style | None = None,
) -> Spec:
    """The observed correlation on the range and the median of its null models, by sampling, measure and target.

    Samplings have the letters and the order of the table. Normalised rows are in both forms: their gap form is the
    same. Rows that are undefined are left out and counted; raises `DataError` if none is defined.
    """
    style = style or Style()
    answers = [  # with null models of the samplings, where those of an answer are of families alone
        answer if answer.members is None or answer.request.with_samplings else replace(answer, members=None)
        for answer in answers
    ]
    names = _names(answers)
    rows = [row for name, answer in zip(names, answers, strict=True) for row in _rows(answer, form, name, correlation)]
    known = [row for row in rows if row["observed"] is not None]
    if not known:
        raise DataError(
            f"no correlation is defined: it needs at least 3 {RUNS} that differ in bias² and variance, and for the gap "
            f"form a target with a score per {QUERY}"
        )
    samplings = list(dict.fromkeys(row["sampling"] for row in known))
    labels = [style.wrapped(words, LABEL, _LABELS * style.width) for words in samplings]
    indent = max(width_of_text(line) for label in labels for line in label) + 12
    signs = _NULL_SIGNS if any(row["median"] is not None for row in known) else {}
    entries = [*names, *signs]
    series = chart.by_series("of", entries, style, signs, indent=indent) if len(entries) > 1 else {}
    if series:
        colours = series["color"]["scale"]["range"]
        colours[len(names) :] = [style.colours.faint, style.colours.text][: len(signs)]  # as they are drawn
    x = axes.correlation_axis(correlation, form, known)
    x["title"] = as_title(style.wrapped(x["title"], AXIS, style.width - indent - AXIS))
    axis = {"grid": True, **axes.in_lines(labels)}
    y = {"field": "sampling", "type": "nominal", "title": None, "scale": {"domain": samplings}, "axis": axis}
    return chart.chart(
        _layers(x, y, names, series, style),
        {"rows": known},
        title=_title(answers, form, correlation, known),
        subtitle=_about(answers),
        caption=[
            f"Correlation of {chart.BIAS2} and {VAR_TITLES[form]} over the {RUNS}",
            *_caption(answers, form, len(rows) - len(known)),
            *_outside(answers, form, correlation, known),
            *chart.remarks_on(answers),
        ],
        style=style,
        height=max(10 + 9 * len(names), _LINE * max(map(len, labels)) + 3) * len(samplings),
        legend_rows=chart.legend_rows(entries, style, indent=indent) if series else 0,
    )


def _title(answers: Sequence[TradeoffAnswer], form: Form, coefficient: Coefficient, known: Rows) -> str:
    """The verdict as the text has it, one for each measure and target where they differ.

    Where the figure does not have the r that is judged, or nothing is, it is the range of the correlations.
    """
    if (form, coefficient) != ("score", "pearson") or all(row["low"] is None for row in known):
        return axes.correlation_range(known)
    of_verdict: dict[str, list[str]] = {}
    for name, answer in zip(_names(answers), answers, strict=True):
        of_verdict.setdefault(verdict_words(of_single(answer.rows)["score"], answer.null), []).append(name)
    if len(of_verdict) == 1:
        return next(iter(of_verdict))
    return "; ".join(f"{listed(names)}: {verdict[0].lower()}{verdict[1:]}" for verdict, names in of_verdict.items())


def _rows_in_form(answer: TradeoffAnswer, form: Form) -> list[TradeoffRow]:
    """The rows of one form that people are shown, in their order, and last those whose form makes no difference."""
    rows = [answer.rows[index] for index in reading_order(answer)]
    return sorted(
        (row for row in rows if row.form == form or row.sampling.normalised), key=lambda row: row.sampling.normalised
    )


def _layers(x: Spec, y: Spec, names: Sequence[str], series: Spec, style: Style) -> list[Spec]:
    """Bars and ticks of the null models, points of what was observed; a line for each sampling."""
    line = {"y": y, "yOffset": {"field": "of", "type": "nominal", "scale": {"domain": names}}}
    bar = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, **line}
    tick = {"x": {**x, "field": "median"}, **line}
    alone = {} if series else {"color": style.colours.series[0]}
    return [
        layer("rows", "rule", bar, strokeWidth=4, color=style.colours.faint),
        layer("rows", "tick", tick, color=style.colours.text, size=7, thickness=1, orient="vertical"),
        layer("rows", "point", {"x": x, **line, **series}, filled=True, size=32, **alone),
    ]


def _names(answers: Sequence[TradeoffAnswer]) -> list[str]:
    """Measures, and targets where they differ, as the legend has them; a single one stands over the figure."""
    if len(answers) == 1:
        return [_OBSERVED]
    several = len({answer.target.label for answer in answers}) > 1
    return [
        measure_words(answer.measure) + (f", target {answer.target.label}" if several else "") for answer in answers
    ]


def _rows(answer: TradeoffAnswer, form: Form, name: str, coefficient: Coefficient) -> Rows:
    """What the figure shows of the rows of one form."""
    rows = []
    for row in _rows_in_form(answer, form):
        row_null = answer.null.of(row) if answer.null is not None else None
        simulated = None if row_null is None else getattr(row_null, coefficient)
        observed = getattr(row.correlations, coefficient)
        values = {key: getattr(simulated, key, None) for key in ("median", "low", "high", "p")}
        values = {"observed": observed if isfinite(observed) else None, **values}
        rows.append({"of": name, "sampling": sampling_words(row.sampling), **values})
    return rows


def _about(answers: Sequence[TradeoffAnswer]) -> str:
    """What was evaluated; several measures are in the legend."""
    first = answers[0]
    scores = first.scores
    if len(answers) == 1:
        return about(scores.measure, first.target, scores.n_runs, scores.n_queries)
    targets = list(dict.fromkeys(answer.target.label for answer in answers))
    return f"Target {listed(targets)}, {counted(scores.n_runs, 'run')}, {counted(scores.n_queries, 'query')}"


def _caption(answers: Sequence[TradeoffAnswer], form: Form, n_undefined: int) -> Iterator[str]:
    first = answers[0]
    scores, design = first.scores, first.request.design
    yield chart.form_words(form).capitalize()
    if any(row.sampling.kind == "random" for row in _rows_in_form(first, form)):
        yield f"Subsets {chart.design_words(design)}"
    else:
        yield f"No subsets of {counted(scores.n_queries, 'query')}: --subset-size chooses a size"
    dropped = sum(row.dropped for answer in answers for row in _rows_in_form(answer, form) if row.n_subsets)
    if dropped:
        yield f"{counted(dropped, 'subset')} dropped because the target is 0 there"
    nulls = [(answer, answer.null) for answer in answers if answer.null is not None]
    fitted = [null for _, null in nulls if null.fitted]
    if fitted:
        yield f"Grey bars and ticks: 95 % range and median of the null models ({fitted[0].n_samples} samples each)"
        if fitted[0].of_systems:
            yield NO_CONCLUSION.removesuffix(".")
    for answer, null in nulls:
        if not null.fitted:
            yield f"No comparison for {measure_words(answer.measure)}: {null.why}"
    if n_undefined:
        yield f"{counted(n_undefined, 'correlation')} undefined and left out"


def _outside(answers: Sequence[TradeoffAnswer], form: Form, coefficient: Coefficient, known: Rows) -> Iterator[str]:
    """How many correlations are outside their range, and which one is tested."""
    nulls = [answer.null for answer in answers if answer.null is not None]
    if all(row["low"] is None for row in known) or any(null.of_systems for null in nulls):
        return
    yield axes.outside_words(known)
    is_tested = (form, coefficient) == ("score", "pearson")
    yield (
        f"Only {SINGLE.letter} is tested"
        if is_tested
        else f"Only Pearson’s r of {SINGLE.letter}, score form, is tested"
    )


FIGURES: Mapping[str, Callable[..., Spec]] = {"tradeoff": tradeoff_figure}
