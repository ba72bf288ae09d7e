"""Which runs differ, as tables: runs, pairs, the power of the tests, swaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite, nan
from typing import Any

from biasvar_cli.analyses.compare.answer import CompareAnswer
from biasvar_cli.analyses.compare.columns import TABLES
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.analyses.compare.sentences import about_compared, details_under, notes_under
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, Test
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.table import Table, document_of, row_order

_TITLES = {
    "runs": "Which runs differ",
    "pairs": "Pairs of runs",
    "power": "Discriminative power",
    "swap": "Swaps between halves of the queries",
}


@dataclass(frozen=True, kw_only=True)
class CompareView:
    """Which table, in which order (None: the usual one), and how many of its rows.

    Tables have their words ``for_people``, and the other tables too ``for_json``; both may take further tests.
    """

    table: str
    sort: str | None = None
    top: int | None = None
    best_first: bool = True
    for_people: bool = True
    for_json: bool = False

    @property
    def is_ordered(self) -> bool:
        """Whether the rows may be put in another order."""
        return self.table in ("runs", "pairs")

    def n_samples(self, request: CompareRequest) -> int:
        """How many samples and splits the table takes for each measure and target."""
        tests: set[Test] = set()
        if self.for_json or self.table in ("pairs", "power") or (self.for_people and self.is_ordered):
            tests |= set(request.tests)
        if self.for_json or self.table == "runs" or (self.for_people and self.is_ordered):
            tests |= {PRIMARY}
        n_drawn = sum(bool(TESTS[test].stream) for test in tests)
        splits = request.splits if self.for_json or self.table == "swap" else 0
        return request.samples * n_drawn * request.n_families + splits


def compare_table(answer: CompareAnswer, view: CompareView) -> Table:
    """One of the four tables; JSON has them all. Raises `UsageError` for a column to sort by that is not there."""
    tests, declared = answer.tests, TABLES[view.table]
    cells = filled(declared, answer)
    columns, n_all = cells.columns, len(next(iter(cells.columns.values())))
    order = list(range(n_all))
    if view.is_ordered:
        order = row_order(columns, view.sort or _usual_order(answer, view), declared=declared)
    shown = cells.rows(order[: view.top])
    n_rows = len(order[: view.top])
    is_pairs = view.table == "pairs"
    return Table.of(
        f"{_TITLES[view.table]}: {about_compared(answer)}"
        + ("" if answer.baseline_name is None else f", against {answer.baseline_name}"),
        shown,
        hidden=frozenset(f"{test}_p" for test in tests.adjusted) if is_pairs else frozenset(),
        notes=tuple(notes_under(answer, view.table, _best(answer, columns), n_rows=n_rows, n_all=n_all))
        if view.for_people
        else (),
        details=tuple(details_under(answer, view.table)) if view.for_people else (),
        second=(tests_table(answer),) if view.for_people and view.is_ordered else (),
        intervals={"[low, high]": ("low", "high")} if view.is_ordered else {},
        document=_document(answer, view, shown) if view.for_json else {},
        rows_key="",
    )


def _best(answer: CompareAnswer, columns: Mapping[str, list[Any]]) -> list[str]:
    """The runs that the best one does not beat, itself first; none where that is not known."""
    if "best" not in columns:
        return []
    order = row_order(columns, "mean" if answer.request.lower_is_better else "-mean")
    return [columns["run"][index] for index in order if columns["best"][index]]


def _usual_order(answer: CompareAnswer, view: CompareView) -> str:
    """People read the best run, and the largest differences, first; scripts look runs up by name."""
    if not view.best_first:
        return "run"
    column = "mean" if view.table == "runs" else "delta"
    return column if answer.request.lower_is_better else f"-{column}"


def tests_table(answer: CompareAnswer) -> Table:
    """How many pairs each test finds, and from which difference on the tests of all pairs do."""
    tests, words = answer.tests, []
    for row in answer.power:
        after = f" with {CORRECTIONS[row.correction].words} correction" if row.correction is not None else ""
        words.append(f"{tests.words(row.test)}{after}")
    columns: dict[str, list[Any]] = {
        "test": words,
        "pairs": [row.n_significant for row in answer.power],
        "share": [row.share for row in answer.power],
    }
    critical = [tests.critical.get(row.test, nan) for row in answer.power]
    if any(isfinite(value) for value in critical):
        columns["critical difference"] = [value if isfinite(value) else None for value in critical]
    return Table(f"Pairs of runs that differ (p below {answer.request.threshold:g}), of {len(tests.delta)}", columns)


def _document(answer: CompareAnswer, view: CompareView, shown: Cells) -> dict[str, Any]:
    """All tables in JSON; the chosen one as it is shown, where ``--sort`` or ``--top`` asks for that."""
    size, swaps, request = answer.size, answer.compared.swaps, answer.request
    head = document_of(answer.measure, answer.target, len(answer.runs), answer.n_queries)
    rows = {table: filled(declared, answer).records() for table, declared in TABLES.items()}
    if (view.sort is not None or view.top is not None) and view.table != "swap":
        rows[view.table] = shown.records()
    return {
        "measure": head.pop("measure"),
        "of": request.of,
        **head,
        "level": request.level,
        "correction": request.correction,
        "samples": request.samples,
        "baseline": answer.baseline_name,
        "critical": {test: value if isfinite(value) else None for test, value in answer.tests.critical.items()},
        "anova": asdict(answer.compared.anova),
        "friedman": asdict(answer.compared.friedman),
        "runs": rows["runs"],
        "pairs": rows["pairs"],
        "power": rows["power"],
        "design": {
            "power": size.power,
            "sd": size.sd,
            "detectable": size.detectable,
            **({} if request.detect is None else {"detect": size.detect, "queries": size.queries}),
        },
        "swap": {
            "n_splits": swaps.n_splits,
            "half": swaps.half,
            "bins": rows["swap"],
            "needed": swaps.needed,
            "share": swaps.share,
        },
    }
