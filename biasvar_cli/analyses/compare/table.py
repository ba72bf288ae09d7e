"""Which runs differ, as tables of runs, pairs, the power of the tests and swaps."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite, nan
from typing import Any

from biasvar_cli.analyses.compare import TABLES, CompareRequest
from biasvar_cli.analyses.compare.answer import CompareAnswer
from biasvar_cli.analyses.compare.notes import caption_notes, full_notes, table_notes, title_of, verdict_notes
from biasvar_cli.analyses.compare.system_notes import pair_notes
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS, Test
from biasvar_cli.tables.column import Cells, Column, filled
from biasvar_cli.tables.rows import View, chosen_rows, top_note, with_row_notes
from biasvar_cli.tables.table import (
    Table,
    document_of,
    explained,
    signature,
)
from biasvar_cli.words import RUNS, counted

_CRITICAL: Column[Any] = Column(
    "critical difference", "the difference above which two runs differ significantly", lambda _: None, priority=1
)
_EXPLAINED = {"pairs": ("es",), "power": ("smallest_significant", "largest_not_significant")}  # by no other line
_RANK = ("rank_low", "rank_high")
_ALONE, _FAMILY = ("low", "high"), ("family_low", "family_high")  # of the interval of a pair
_ROW_NAMES = {"runs": "run", "pairs": "run", "power": "test", "swap": "low"}  # the column that names the rows


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


VIEW = CompareView


def tables(answers: Sequence[CompareAnswer], view: CompareView) -> list[Table]:
    """A table for each answer."""
    return [compare_table(answer, view) for answer in answers]


@with_row_notes("scores", lambda answer: pair_notes(answer.tests))
def compare_table(answer: CompareAnswer, view: CompareView) -> Table:
    """One of the four tables; JSON has them all. Raises `UsageError` for a column to sort by that is not there."""
    cells, of = filled(TABLES[view.table], answer), answer.request.of
    if view.table == "runs":  # the means are called what they are means of
        head = "" if of == "mean" else of.replace("_", " ")
        mean = replace(cells.declared["mean"], head=head, latex=head or "mean")
        is_less = answer.request.lower_is_better or answer.better == "less"
        cells.declared["mean"] = replace(mean, better="less" if is_less else "more")
    column = view.sort
    if column is None and view.is_of_runs:  # people read the best run or the largest difference first
        best_first = "mean" if view.table == "runs" else "delta"
        column = ("" if answer.request.lower_is_better else "-") + best_first if view.is_best_first else "run"
    visible = chosen_rows(cells, replace(view, sort=column), names=_ROW_NAMES[view.table], declared=TABLES[view.table])
    sentences: dict[str, Any] = {}
    if view.for_people and view.table == "pairs":
        visible = visible.moved(_FAMILY, before="low")
    if view.for_people:
        n_rows, runs = len(next(iter(cells.columns.values()))), "run" if view.table == "runs" else ""
        explanations = [explained(cells.declared, name) for name in _EXPLAINED.get(view.table, ())]
        sentences = {
            "verdict": tuple(verdict_notes(answer, view.table)),
            "notes": (*top_note(view.top, n_rows, runs), *table_notes(answer, view.table)),
            "details": (*full_notes(answer, view.table), *explanations),
            "appendix": (tests_table(answer),) if view.is_of_runs else (),
            "caption": tuple(caption_notes(answer, view.table)) if view.is_of_runs else (),
        }
    return Table.of(
        title_of(answer),
        visible,
        hidden=_hidden(answer, view.table, cells),
        intervals={
            "pairs": {f"{100 * answer.request.level:g} % interval": _interval_columns(answer)},
            "runs": {"comparison bar": ("low", "high"), "rank": _RANK},
        }.get(view.table, {}),
        marks={"mean": visible.columns["beaten"]} if "beaten" in visible.columns else {},
        name="compare" if view.table == "runs" else f"compare-{view.table}",
        signature=_signature(answer),
        document=_document(answer, view, visible) if view.for_json else {},
        rows_key="",
        **sentences,
    )


def _hidden(answer: CompareAnswer, table: str, cells: Cells) -> frozenset[str]:
    """What people are not shown: p that a corrected p stands for, the one baseline, and columns without a value."""
    hidden: set[str] = set()
    if table == "pairs":
        hidden = {f"{test}_p" for test in answer.tests.adjusted} | (
            {"versus"} if answer.baseline is not None else set()
        )
        hidden |= {*_ALONE, *_FAMILY} - {*_interval_columns(answer)}
    elif table == "runs":
        hidden = {name for name in ("better", "worse", "best", *_RANK) if set(cells.columns[name]) == {None}}
        hidden |= set(_RANK) if answer.baseline is not None and not answer.is_top else set()
    return frozenset(hidden)


def _interval_columns(answer: CompareAnswer) -> tuple[str, str]:
    """The ends of the interval that people are shown: the simultaneous one, or that of a pair alone without one."""
    return _FAMILY if answer.tests.has_family_intervals else _ALONE


def _signature(answer: CompareAnswer) -> str:
    request = answer.request
    decided = "" if request.deciding == PRIMARY else f" decided by {request.deciding}"
    return signature(
        answer.measure,
        answer.compared.scored.basis,
        request.log_words,
        f"of {request.of}",
        "" if answer.baseline is None else f"baseline {'top ' * answer.is_top}{answer.baseline_name!s}",
        f"{' '.join(request.tests or (PRIMARY,))} of {counted(answer.tests.n_family, 'pair')}{decided}",
        f"systems{' paired' * request.paired_replicates}" if answer.tests.systems is not None else "",
        f"level {request.level:g} correction {request.correction}",
        f"power {request.power:g}" + ("" if request.detect is None else f" detect {request.detect:g}"),
        f"{request.samples} samples {request.splits} splits seed {request.seed}",
        target=answer.target if request.lower_is_better else None,
    )


def tests_table(answer: CompareAnswer) -> Table:
    """How many pairs each test finds, and the difference above which the tests of all pairs together find them."""
    tests = [
        f"{answer.tests.words(row.test)}"
        + ("" if row.correction is None else f", {CORRECTIONS[row.correction].latex.replace('--', '-')}")
        for row in answer.power
    ]
    sizes = [answer.tests.critical.get(row.test, nan) for row in answer.power]
    columns: dict[str, list[Any]] = {
        "test": tests,
        "pairs": [row.n_significant for row in answer.power],
        "share": [row.share for row in answer.power],
    }
    if any(map(isfinite, sizes)):
        columns[_CRITICAL.name] = [size if isfinite(size) else None for size in sizes]
    title = f"Significant pairs of {RUNS} by test (p < {answer.request.threshold:g}), of {len(answer.tests.delta)}"
    return Table(title, columns, declared={_CRITICAL.name: _CRITICAL})


def _document(answer: CompareAnswer, view: CompareView, visible: Cells) -> dict[str, Any]:
    """All tables in JSON; the chosen one as it is shown, where ``--sort`` or ``--top`` asks for that."""
    size, swaps, request = asdict(answer.size), answer.compared.swaps, answer.request
    head = document_of(answer.measure, answer.target, answer.n_runs, answer.n_queries, answer.n_clusters)
    rows = {table: filled(declared, answer).records() for table, declared in TABLES.items()}
    if view.sort is not None or view.top is not None:
        rows[view.table] = visible.records()
    if request.detect is None:
        del size["detect"], size["queries"]
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
        "anova": answer.compared.anova and asdict(answer.compared.anova),
        "friedman": answer.compared.friedman and asdict(answer.compared.friedman),
        **{table: rows[table] for table in ("runs", "pairs", "power")},
        "design": size,
        "swap": {
            "n_splits": swaps.n_splits,
            "half": swaps.half,
            "bins": rows["swap"],
            "needed": swaps.needed,
            "share": swaps.share,
        },
        "deciding": request.deciding,
        **({} if answer.scores.replicates is None else {"infer": request.infer}),
        "no_ranks": answer.ranks.why_not_all_ranked,
    }
