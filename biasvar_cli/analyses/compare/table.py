"""Which runs differ, as tables: runs, pairs, the power of the tests, swaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite, nan
from typing import Any

from biasvar_cli.analyses.compare.answer import CompareAnswer, Power
from biasvar_cli.analyses.compare.columns import TABLES
from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.analyses.compare.sentences import (
    caption_notes,
    details_under,
    notes_under,
    title_of,
    verdict_notes,
    without_ranks,
)
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, Test
from biasvar_cli.tables.column import Cells, Column, filled
from biasvar_cli.tables.row_notes import with_row_notes
from biasvar_cli.tables.table import Table, document_of, explained, signature
from biasvar_cli.tables.view import View, row_order, rows_of
from biasvar_cli.words import RUNS, Better, counted

_OF_SYSTEMS = "The tests are of these means, so they are about these runs of a system, not about others."
_CRITICAL: Column[Any] = Column(
    "critical difference", "the difference above which two runs differ significantly", lambda _: None, priority=1
)
_EXPLAINED = {"pairs": ("es",), "power": ("smallest_significant", "largest_not_significant")}  # by no other line
_RANK = ("rank_low", "rank_high")
_NAMED_BY = {"runs": "run", "pairs": "run", "power": "test", "swap": "low"}  # the column that names the rows


@dataclass(frozen=True, kw_only=True)
class CompareView(View):
    """Which table, and which of its rows.

    Tables have their words ``for_people``, and the other tables too ``for_json``; both may take further tests.
    """

    table: str

    @property
    def is_of_runs(self) -> bool:
        """Whether the rows are runs or pairs of runs."""
        return self.table in ("runs", "pairs")

    def n_samples(self, request: CompareRequest) -> int:
        """The number of samples and splits that the table takes for each measure and target."""
        tests: set[Test] = set()
        if self.for_json or self.table in ("pairs", "power") or (self.for_people and self.is_of_runs):
            tests |= set(request.tests)
        if self.table == "runs" or (self.for_people and self.is_of_runs):
            tests |= {request.deciding}
        if self.for_json:
            tests |= {PRIMARY}
        n_drawn = sum(bool(TESTS[test].stream) for test in tests)
        splits = request.splits if self.for_json or self.table == "swap" else 0
        return request.samples * n_drawn * request.n_families + splits


@with_row_notes("compared.targeted.scores", _OF_SYSTEMS)
def compare_table(answer: CompareAnswer, view: CompareView) -> Table:
    """One of the four tables; JSON has them all. Raises `UsageError` for a column to sort by that is not there."""
    cells, people = _cells(answer, view.table), view.for_people
    n_all = len(next(iter(cells.columns.values())))
    order, column = list(range(n_all)), view.sort or _usual_order(answer, view)
    if column is not None:
        order = row_order(cells.columns, column, names=_NAMED_BY[view.table], declared=TABLES[view.table])
    visible = rows_of(cells, order, view)
    notes = notes_under(answer, view.table, top=view.top, n_rows=n_all)
    explanations = [explained(cells.declared, name) for name in _EXPLAINED.get(view.table, ())]
    return Table.of(
        title_of(answer),
        visible,
        hidden=_hidden(answer, view.table, cells),
        verdict=tuple(verdict_notes(answer, view.table)) if people else (),
        notes=tuple(notes) if people else (),
        details=(*details_under(answer, view.table), *explanations) if people else (),
        appendix=(tests_table(answer),) if people and view.is_of_runs else (),
        intervals=_intervals(answer, view.table),
        caption=tuple(caption_notes(answer, view.table)) if people else (),
        name="compare" if view.table == "runs" else f"compare-{view.table}",
        signature=_signature(answer),
        document=_document(answer, view, visible) if view.for_json else {},
        rows_key="",
    )


VIEW = CompareView


def tables(answers: Sequence[CompareAnswer], view: CompareView) -> list[Table]:
    """A table for each answer."""
    return [compare_table(answer, view) for answer in answers]


def _cells(answer: CompareAnswer, table: str) -> Cells:
    """The columns of a table; the means of runs are called what they are means of."""
    cells = filled(TABLES[table], answer)
    if table != "runs":
        return cells
    of = answer.request.of
    head = "" if of == "mean" else of.replace("_", " ")
    better: Better = "less" if answer.request.lower_is_better or answer.better == "less" else "more"
    mean = replace(cells.declared["mean"], head=head, latex=head or "mean", better=better)
    return Cells(cells.columns, {**cells.declared, "mean": mean})


def _hidden(answer: CompareAnswer, table: str, cells: Cells) -> frozenset[str]:
    """What people are not shown: p that a corrected p stands for, the one baseline, and columns without a value."""
    if table == "pairs":
        versus = {"versus"} if answer.baseline is not None else set()
        return frozenset({f"{test}_p" for test in answer.tests.adjusted} | versus)
    if table == "runs":
        of_all_pairs = ("better", "worse", "best", *_RANK)
        return frozenset(_RANK if answer.baseline is not None and not answer.is_top else ()) | {
            name for name in of_all_pairs if set(cells.columns[name]) == {None}
        }
    return frozenset()


def _intervals(answer: CompareAnswer, table: str) -> dict[str, tuple[str, str]]:
    """The two ends that people are shown as one: a bar to compare runs by, or the interval of a difference."""
    if table == "runs":
        return {"comparison bar": ("low", "high"), "rank": _RANK}
    return {f"{100 * answer.request.level:g} % interval": ("low", "high")} if table == "pairs" else {}


def _usual_order(answer: CompareAnswer, view: CompareView) -> str | None:
    """People read the best run, and the largest differences, first; scripts look runs up by name."""
    if not view.is_of_runs:
        return None
    if not view.is_best_first:
        return "run"
    column = "mean" if view.table == "runs" else "delta"
    return column if answer.request.lower_is_better else f"-{column}"


def _signature(answer: CompareAnswer) -> str:
    request, transform = answer.request, log_transform(answer.request)
    tests = " ".join(request.tests or (PRIMARY,))
    decided = "" if request.deciding == PRIMARY else f" decided by {request.deciding}"
    detect = "" if request.detect is None else f" detect {request.detect:g}"
    words = (
        "" if transform is None else f"ln {transform.form} {transform.eps:g}",
        f"of {request.of}",
        "" if answer.baseline is None else f"baseline {'top ' * answer.is_top}{answer.baseline_name!s}",
        f"{tests} of {counted(answer.tests.n_family, 'pair')}{decided}",
        f"level {request.level:g} correction {request.correction}",
        f"power {request.power:g}{detect}",
        f"{request.samples} samples {request.splits} splits seed {request.seed}",
    )
    target = answer.target if request.lower_is_better else None
    return signature(answer.measure, answer.compared.scored.basis, *filter(None, words), target=target)


def tests_table(answer: CompareAnswer) -> Table:
    """How many pairs each test finds, and the difference above which the tests of all pairs together find them."""
    tests, power = answer.tests, answer.power
    critical = [tests.critical.get(row.test, nan) for row in power]
    columns: dict[str, list[Any]] = {
        "test": [_test_words(answer, row) for row in power],
        "pairs": [row.n_significant for row in power],
        "share": [row.share for row in power],
    }
    if any(map(isfinite, critical)):
        columns[_CRITICAL.name] = [value if isfinite(value) else None for value in critical]
    title = f"Significant pairs of {RUNS} by test (p < {answer.request.threshold:g}), of {len(tests.delta)}"
    return Table(title, columns, declared={_CRITICAL.name: _CRITICAL})


def _test_words(answer: CompareAnswer, row: Power) -> str:
    """The test of a row, with its correction."""
    test = answer.tests.words(row.test)
    return test if row.correction is None else f"{test}, {CORRECTIONS[row.correction].latex.replace('--', '-')}"


def _document(answer: CompareAnswer, view: CompareView, visible: Cells) -> dict[str, Any]:
    """All tables in JSON; the chosen one as it is shown, where ``--sort`` or ``--top`` asks for that."""
    size, swaps, request = answer.size, answer.compared.swaps, answer.request
    head = document_of(answer.measure, answer.target, len(answer.runs), answer.n_queries, answer.n_clusters)
    rows = {table: filled(declared, answer).records() for table, declared in TABLES.items()}
    if view.sort is not None or view.top is not None:
        rows[view.table] = visible.records()
    return {
        "measure": head.pop("measure"),
        "better": head.pop("better"),
        "of": request.of,
        **head,
        "level": request.level,
        "correction": request.correction,
        "samples": request.samples,
        "baseline": answer.baseline_name,
        "critical": {test: value if isfinite(value) else None for test, value in answer.tests.critical.items()},
        "anova": None if answer.compared.anova is None else asdict(answer.compared.anova),
        "friedman": None if answer.compared.friedman is None else asdict(answer.compared.friedman),
        **{table: rows[table] for table in ("runs", "pairs", "power")},
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
        "deciding": request.deciding,
        "no_ranks": without_ranks(answer.tests),
    }
