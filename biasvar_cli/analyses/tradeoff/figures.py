"""The correlation of bias² and variance beside its null models, by sampling (CIKM'14, Table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from biasvar_cli.decomposition.design import Design, Sampling
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import TradeoffRow
from biasvar_cli.drawing.captions import design_words, form_words
from biasvar_cli.drawing.chart import chart
from biasvar_cli.drawing.correlations import correlation_axis
from biasvar_cli.drawing.legend import by_series, legend_rows
from biasvar_cli.drawing.quantities import BIAS2
from biasvar_cli.drawing.spec import Rows, Spec, layer
from biasvar_cli.drawing.style import Style
from biasvar_cli.drawing.text import width_of_text
from biasvar_cli.errors import DataError
from biasvar_cli.nulls.models import Null
from biasvar_cli.tables.table import about, listed, measure_words
from biasvar_cli.words import Coefficient, Form, counted


@dataclass(frozen=True, eq=False)
class Observed:
    """The correlations of one measure and target under every sampling, with their null models if any."""

    targeted: TargetedScores
    rows: Sequence[TradeoffRow]
    null: Null | None


def tradeoff_figure(
    found: Sequence[Observed],
    design: Design,
    *,
    coefficient: Coefficient = "pearson",
    form: Form = "score",
    remarks: Sequence[str] = (),
    style: Style | None = None,
) -> Spec:
    """The observed correlation on the range and the median of its null models, by sampling, measure and target.

    Normalised rows are in both forms: their gap form is the same. Rows that are undefined are left out and counted;
    raises `DataError` if none is defined.
    """
    style = style or Style()
    names = _names(found)
    held = [row for name, each in zip(names, found, strict=True) for row in _rows(each, name, coefficient, form)]
    rows = [row for row in held if row["observed"] is not None]
    if not rows:
        raise DataError(
            "no correlation is defined: it needs at least 3 runs that differ in bias² and variance, and for the gap "
            "form a target with a score per query"
        )
    samplings = list(dict.fromkeys(row["sampling"] for row in rows))
    indent = max(map(width_of_text, samplings)) + 12
    series = by_series("of", names, style, indent=indent) if len(names) > 1 else {}
    return chart(
        _layers(samplings, names, correlation_axis(coefficient, form, rows), series, style),
        {"rows": rows},
        title=f"Correlation of {BIAS2} and variance over the runs",
        caption=[*_caption(found, design, form, len(held) - len(rows)), *remarks],
        style=style,
        height=(10 + 9 * len(names)) * len(samplings),
        legend_rows=legend_rows(names, style, indent=indent) if len(names) > 1 else 0,
    )


def _layers(samplings: Sequence[str], names: Sequence[str], x: Spec, series: Spec, style: Style) -> list[Spec]:
    """Bars and ticks of the null models, points of what was observed; a line for each sampling."""
    y: Spec = {"field": "sampling", "type": "nominal", "title": None, "scale": {"domain": samplings}}
    y["axis"] = {"grid": True, "labelLimit": 0}
    place = {"y": y, "yOffset": {"field": "of", "type": "nominal", "scale": {"domain": names}}}
    bar = {"x": {**x, "field": "low"}, "x2": {"field": "high"}, **place}
    tick = {"x": {**x, "field": "median"}, **place}
    alone = {} if series else {"color": style.colours.series[0]}
    return [
        layer("rows", "rule", bar, strokeWidth=4, color=style.colours.grey, opacity=0.45),
        layer("rows", "tick", tick, color=style.colours.text, size=7, thickness=1, orient="vertical"),
        layer("rows", "point", {"x": x, **place, **series}, filled=True, size=32, **alone),
    ]


def _names(found: Sequence[Observed]) -> list[str]:
    """Measures, and targets where they differ, as the legend has them."""
    targets = {each.targeted.target.label for each in found}
    return [
        measure_words(each.targeted.scores.measure)
        + (f", target {each.targeted.target.label}" if len(targets) > 1 else "")
        for each in found
    ]


def _rows(each: Observed, name: str, coefficient: Coefficient, form: Form) -> Rows:
    rows = []
    for row in each.rows:
        if row.form != form and not row.sampling.normalised:
            continue
        said = each.null.of(row) if each.null is not None else None
        simulated = None if said is None else getattr(said, coefficient)
        observed = getattr(row.correlations, coefficient)
        rows.append(
            {
                "of": name,
                "sampling": _words(row.sampling),
                "observed": observed if isfinite(observed) else None,
                **{key: getattr(simulated, key, None) for key in ("median", "low", "high", "p")},
            }
        )
    return rows


def _words(sampling: Sampling) -> str:
    """A sampling as the axis names it, with its letter in CIKM'14.

    >>> _words(Sampling("difficulty", 10)), _words(Sampling("single", 1, True))
    ('(c) by difficulty, 10', 'single, normalised')
    """
    words = {
        "single": "single",
        "random": f"random, {sampling.subset_size}",
        "random-exact": f"random, {sampling.subset_size}, expected",
        "difficulty": f"by difficulty, {sampling.subset_size}",
        "groups": "given groups",
    }[sampling.kind]
    letters = {("single", False): "(a) ", ("random", False): "(b) ", ("difficulty", False): "(c) "}
    letters["difficulty", True] = "(d) "
    letter = letters.get((sampling.kind, sampling.normalised), "")
    return f"{letter}{words}{', normalised' if sampling.normalised else ''}"


def _caption(found: Sequence[Observed], design: Design, form: Form, n_undefined: int) -> list[str]:
    first = found[0]
    scores = first.targeted.scores
    if len(found) == 1:
        words = about(scores.measure, first.targeted.target, scores.n_runs, scores.n_queries)
    else:
        targets = list(dict.fromkeys(each.targeted.target.label for each in found))
        words = f"Target {listed(targets)}, {counted(scores.n_runs, 'run')}, {counted(scores.n_queries, 'query')}"
    sentences = [f"{words}; {form_words(form)}", *_sampling_words(first.rows, scores.n_queries, design)]
    dropped = sum(row.n_dropped for each in found for row in each.rows if row.n_subsets)
    if dropped:
        sentences.append(f"{counted(dropped, 'subset')} dropped because the target is 0 there")
    modelled = next((each.null for each in found if each.null is not None and each.null.fitted), None)
    if modelled is not None:
        sentences.append(f"Grey bar and tick: range and median of the null models ({modelled.n_samples} samples each)")
    sentences += [
        f"No comparison for {measure_words(each.targeted.scores.measure)}: {each.null.why}"
        for each in found
        if each.null is not None and not each.null.fitted
    ]
    if n_undefined:
        sentences.append(f"{counted(n_undefined, 'correlation')} undefined and left out")
    return sentences


def _sampling_words(rows: Sequence[TradeoffRow], n_queries: int, design: Design) -> list[str]:
    """How the queries were sampled; what is usual is left out."""
    if not any(row.sampling.kind == "random" for row in rows):
        return [f"No subsets of {counted(n_queries, 'query')}: --subset-size chooses a size"]
    return ["Numbers beside a sampling are queries in a subset", design_words(design)]
