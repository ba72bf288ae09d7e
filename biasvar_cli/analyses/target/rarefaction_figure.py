"""How the target grows with the number of runs pooled."""

from __future__ import annotations

from collections.abc import Sequence

from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition.contribution import rarefied_means
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.drawing.axes import extent, quantity, rounded
from biasvar_cli.drawing.chart import chart
from biasvar_cli.drawing.quantities import require_runs
from biasvar_cli.drawing.spec import Spec, layer
from biasvar_cli.drawing.style import Style
from biasvar_cli.errors import UsageError
from biasvar_cli.tables.render import number
from biasvar_cli.tables.table import about, measure_words

_SIZES = (1, 10, 30)  # numbers of runs whose mean is written out


def rarefaction_figure(targeted: TargetedScores, *, remarks: Sequence[str] = (), style: Style | None = None) -> Spec:
    """The mean of the best scores of r runs drawn at random, for r from 1 to all of the pool; some are written out.

    Raises `DataError` for a pool of one run, `UsageError` for another target than best.
    """
    style = style or Style()
    pool = targeted.pool
    require_runs(pool.runs)
    if not targeted.target.is_best:
        raise UsageError(f"rarefaction is of --target best, not {targeted.target.label}")
    means = rarefied_means(pool)
    rows = [{"n_runs": place, "mean": mean} for place, mean in enumerate(means.tolist(), 1)]
    written = [size for size in _SIZES if size < pool.n_runs] + [pool.n_runs]
    words = {size: number(rows[size - 1]["mean"], 3).replace("-", "−") for size in written}
    marked = [{**rows[size - 1], "label": f"{size}: {mean}"} for size, mean in words.items()]
    beside = max(0.03 * pool.n_runs, 0.1)
    x = quantity("n_runs", "Runs pooled", scale={"domain": [1 - beside, pool.n_runs + beside], "nice": False})
    x["axis"] = {"tickMinStep": 1, "format": "d"}
    y = quantity("mean", f"Mean target, {measure_words(pool.measure)}", scale={"domain": _domain(means), "nice": False})
    place = {"x": x, "y": y}
    text = {**place, "text": {"field": "label"}}
    colour = style.colours.series[0]
    last = {"filter": {"field": "n_runs", "equal": pool.n_runs}}
    first = {"filter": {"field": "n_runs", "lt": pool.n_runs}}
    what = about(pool.measure, targeted.target, pool.n_runs, pool.n_queries)
    how = "Expected mean of the target if it is made of fewer runs, drawn at random"
    return chart(
        [
            layer("means", "line", place, color=colour, strokeWidth=1.2),
            layer("marked", "point", place, color=colour, filled=True, size=28),
            {**layer("marked", "text", text, align="left", dx=5, dy=5), "transform": [first]},
            {**layer("marked", "text", text, align="right", dx=0, dy=-8), "transform": [last]},
        ],
        {"means": rows, "marked": marked},
        title="The target grows with the pool",
        caption=[what, how, *remarks],
        style=style,
        height=(0.4 if style.wide else 0.6) * style.width,
    )


def _domain(means: FloatArray) -> list[float]:
    """From below the first mean to above the last one, with room for what is written over it."""
    low, high = extent(means, share=0.1)
    return [low, rounded(high + 0.05 * (high - low))]
