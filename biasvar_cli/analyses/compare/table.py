"""Which runs differ, as tables: runs, pairs, the power of the tests, swaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

import numpy as np

from biasvar_cli.analyses.compare.answer import CompareTable, PairResults
from biasvar_cli.analyses.compare.pairs import Of
from biasvar_cli.analyses.compare.sentences import under
from biasvar_cli.decomposition.target import VirtualTarget
from biasvar_cli.tables.table import Table, about, document_of, measure_words, records, row_order
from biasvar_cli.words import counted


@dataclass(frozen=True, kw_only=True)
class CompareView:
    """Which table, in which order (None: the usual one), and how many of its rows.

    ``names_baseline`` adds the baseline to a table whose rows do not have it, where there are several.
    """

    table: CompareTable
    sort: str | None = None
    top: int | None = None
    for_people: bool = True
    names_baseline: bool = False


def compare_table(found: PairResults, *, view: CompareView) -> Table:
    """One of the four tables; JSON has them all. Raises `UsageError` for a column to sort by that is not there."""
    tests = found.tests
    columns = {"runs": _runs, "pairs": _pairs, "power": _power, "swap": _swap}[view.table](found)
    order = list(range(len(next(iter(columns.values())))))
    if view.table in ("runs", "pairs"):
        order = row_order(columns, view.sort or _usual_order(found, view))
    shown = {name: [column[index] for index in order[: view.top]] for name, column in columns.items()}
    n_rows = len(next(iter(shown.values())))
    keys = {"measure": found.measure, "target": found.target.label, "of": tests.of}
    if view.names_baseline and view.table != "pairs":
        keys["baseline"] = found.baseline
    words = under(found, view.table, _best(found, columns), n_rows=n_rows, n_all=len(order))
    hidden = {"es_e2", "ties", "t", *(f"{test}_p" for test in tests.adjusted)} if view.table == "pairs" else set()
    return Table(
        title=_title(found, view),
        columns={**{name: [value] * n_rows for name, value in keys.items()}, **shown},
        keys=tuple(keys),
        notes=words.notes,
        details=words.details,
        second=words.second,
        intervals={"[low, high]": ("low", "high")} if view.table in ("runs", "pairs") else {},
        document=_document(found) | _chosen(shown, view),
        rows_key="",
        hidden=frozenset(hidden),
    )


def _best(found: PairResults, columns: Mapping[str, list[Any]]) -> list[str]:
    """The runs that the best one does not beat, itself first; none where that is not known."""
    if "best" not in columns:
        return []
    order = row_order(columns, "mean" if found.tests.lower_is_better else "-mean")
    return [columns["run"][index] for index in order if columns["best"][index]]


def _usual_order(found: PairResults, view: CompareView) -> str:
    """People read the best run, and the largest differences, first; scripts look runs up by name."""
    if not view.for_people:
        return "run"
    lower = found.tests.lower_is_better
    column = "mean" if view.table == "runs" else "delta"
    return column if lower else f"-{column}"


def _runs(found: PairResults) -> dict[str, list[Any]]:
    """A row a run: its mean, the ends of its comparison bar, and how many runs it beats and is beaten by."""
    tests = found.tests
    mean, half = tests.values.mean(axis=1), found.primary.critical / 2
    columns: dict[str, list[Any]] = {"run": list(tests.runs), "mean": mean.tolist()}
    nothing: list[Any] = [None] * len(mean)
    columns |= dict.fromkeys(("low", "high", "better", "worse", "best"), nothing)
    if tests.n_beaten is None or tests.n_beaten_by is None or np.isnan(half):
        return columns
    if np.isfinite(half):
        columns |= {"low": (mean - half).tolist(), "high": (mean + half).tolist()}
    columns |= {"better": tests.n_beaten.tolist(), "worse": tests.n_beaten_by.tolist()}
    return columns | {"best": (tests.n_beaten_by == 0).tolist()}


def _pairs(found: PairResults) -> dict[str, list[Any]]:
    """A row a pair."""
    tests = found.tests
    columns: dict[str, list[Any]] = {
        "run": [tests.runs[index] for index in tests.run],
        "versus": [tests.runs[index] for index in tests.versus],
    }
    for name in ("delta", "low", "high", "es", "es_e2", "wins", "ties", "losses"):
        columns[name] = getattr(tests, name).tolist()
    for test, p in tests.p.items():
        if test == "t":
            columns["t"] = np.where(np.isfinite(tests.t), tests.t, np.nan).tolist()  # JSON has no infinity
        columns[f"{test}_p"] = p.tolist()
        if test in tests.adjusted:
            columns[f"{test}_{tests.request.correction}"] = tests.adjusted[test].tolist()
    return columns


def _power(found: PairResults) -> dict[str, list[Any]]:
    """A row for every test, and one for its corrected p-values."""
    rows = [asdict(each) for each in found.power]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _swap(found: PairResults) -> dict[str, list[Any]]:
    """A row a bin of differences on the first half."""
    swaps = found.swaps
    assert swaps is not None, "swaps are counted where they are shown"
    return {
        "low": swaps.low.tolist(),
        "high": [*swaps.low[1:].tolist(), None],
        "n": swaps.n.tolist(),
        "swaps": swaps.swaps.tolist(),
        "rate": swaps.rate.tolist(),
    }


def _document(found: PairResults) -> dict[str, Any]:
    tests, size = found.tests, found.size
    of_runs = document_of(found.measure, found.target, len(tests.runs), tests.values.shape[1])
    asked = {} if size.detect != size.detect else {"detect": size.detect, "queries": size.queries}
    held: dict[str, Any] = {
        "measure": of_runs.pop("measure"),
        "of": tests.of,
        **of_runs,
        "level": tests.request.level,
        "correction": tests.request.correction,
        "samples": tests.request.n_samples,
        "baseline": found.baseline,
        "critical": {test: value if isfinite(value) else None for test, value in tests.critical.items()},
        "anova": asdict(found.anova),
        "friedman": asdict(found.friedman),
        "runs": records(_runs(found)),
        "pairs": records(_pairs(found)),
        "power": records(_power(found)),
        "design": {"power": size.power, "sd": size.sd, "detectable": size.detectable, **asked},
    }
    if found.swaps is not None:
        swaps = found.swaps
        held["swap"] = {
            "n_splits": swaps.n_splits,
            "half": swaps.half,
            "bins": records(_swap(found)),
            "needed": swaps.needed,
            "share": swaps.share,
        }
    return held


def _chosen(shown: Mapping[str, list[Any]], view: CompareView) -> dict[str, Any]:
    """The rows of the chosen table in JSON, where ``--sort`` or ``--top`` asks for these."""
    if (view.sort is None and view.top is None) or view.table == "swap":
        return {}
    return {view.table: records(shown)}


_TITLES: Mapping[CompareTable, str] = {
    "runs": "Which runs differ",
    "pairs": "Pairs of runs",
    "power": "Discriminative power",
    "swap": "Swaps between halves of the queries",
}
_OF = {"total": "total error, ", "total_gap": "total error of the gap, "}


def _title(found: PairResults, view: CompareView) -> str:
    tests = found.tests
    words = about_pairs(found.measure, found.target, tests.of, len(tests.runs), tests.values.shape[1])
    against = "" if found.baseline is None else f", against {found.baseline}"
    return f"{_TITLES[view.table]}: {words}{against}"


def about_pairs(measure: str | None, target: VirtualTarget, of: Of, n_runs: int, n_queries: int) -> str:
    """What is compared, in words; a mean score has no target."""
    if of == "mean":
        return f"{measure_words(measure)}, {counted(n_runs, 'run')}, {counted(n_queries, 'query')}"
    return _OF[of] + about(measure, target, n_runs, n_queries)


def about_compared(measure: str | None, target: VirtualTarget, of: Of, n_runs: int, n_queries: int) -> str:
    """What a figure compares runs by, at the beginning of a caption.

    >>> from biasvar_cli.decomposition.target import given_mean
    >>> about_compared("AP", given_mean(0.5), "mean", 22, 30), about_compared("AP", given_mean(0.5), "total", 22, 30)
    ('AP, 22 runs, 30 queries', 'Total error, AP, target mean:0.5, 22 runs, 30 queries')
    """
    words = about_pairs(measure, target, of, n_runs, n_queries)
    return words if of == "mean" else words[0].upper() + words[1:]
