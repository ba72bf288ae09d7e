"""The profile of one run as tables: its quantities, the runs that it is compared with, its queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from biasvar_cli.analyses.compare.sentences import unranked_words
from biasvar_cli.analyses.profile.answer import ProfileAnswer
from biasvar_cli.analyses.profile.columns import TABLES
from biasvar_cli.analyses.profile.sentences import (
    caption_notes,
    notes_under,
    paper_sentences,
    title_of,
    verdict_notes,
)
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.stats.significance import TESTS
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.rounding import in_words
from biasvar_cli.tables.row_notes import with_row_notes
from biasvar_cli.tables.table import Table, document_of, signature
from biasvar_cli.tables.view import View, row_order, top_note

_OF_SYSTEMS = "The tests are of these means, so they are about these runs of a system, not about others."
_NAMED_BY = {"quantities": "", "versus": "versus", "queries": "query_id"}
_DIGITS = 4  # of the sentence in JSON


@dataclass(frozen=True, kw_only=True)
class ProfileView(View):
    """Which of the three tables to show, and which of its rows."""

    table: str = "quantities"


@with_row_notes("scores", _OF_SYSTEMS)
def profile_table(answer: ProfileAnswer, view: ProfileView) -> Table:
    """One of the three tables; JSON has them all. Raises `UsageError` for a column to sort by that is not there."""
    declared = TABLES[view.table]
    cells = filled(declared, answer)
    n_rows = len(next(iter(cells.columns.values())))
    order = list(range(n_rows))
    if view.sort is not None:
        order = row_order(cells.columns, view.sort, names=_NAMED_BY[view.table], declared=declared)
    elif view.table == "queries" and view.is_best_first:
        order = answer.worst_first
    visible = cells.rows(order[: view.top])
    return Table.of(
        title_of(answer),
        visible,
        hidden=_hidden(answer, view.table),
        verdict=tuple(verdict_notes(answer)) if view.for_people else (),
        notes=(*top_note(view.top, n_rows), *(notes_under(answer) if view.for_people else ())),
        intervals={f"{100 * answer.request.level:g} % interval": ("low", "high")} if view.table == "versus" else {},
        caption=tuple(caption_notes(answer)) if view.for_people else (),
        more=tuple(f"--table {name}" for name in TABLES if name != view.table),
        name="profile" if view.table == "quantities" else f"profile-{view.table}",
        signature=_signature(answer),
        document=_document(answer, view, visible) if view.for_json else {},
        rows_key="",
    )


VIEW = ProfileView


def tables(answers: Sequence[ProfileAnswer], view: ProfileView) -> list[Table]:
    """A table for each answer."""
    return [profile_table(answer, view) for answer in answers]


def _hidden(answer: ProfileAnswer, table: str) -> frozenset[str]:
    """What people are not shown: columns that have no value."""
    if table == "queries":
        return frozenset({"target_score"} if answer.target.scores is None else ())
    if table == "versus":
        return frozenset()
    without = {"baseline": answer.compared.baseline is None, "best": answer.compared.best is None}
    return frozenset(name for name, is_empty in without.items() if is_empty)


def _signature(answer: ProfileAnswer) -> str:
    request, transform = answer.request, log_transform(answer.request)
    corrected = f" correction {request.correction}" if TESTS[request.test].corrected else ""
    baselines = [*answer.compared.names, *(["top"] if answer.compared.has_top else [])]
    words = (
        "" if transform is None else f"ln {transform.form} {transform.eps:g}",
        f"run {answer.run}",
        f"baseline {', '.join(baselines)}" if baselines else "",
        f"{request.test}{corrected} level {request.level:g} of {request.samples} samples seed {request.seed}",
    )
    return signature(answer.measure, answer.scored.basis, *filter(None, words), target=answer.target)


def _document(answer: ProfileAnswer, view: ProfileView, visible: Cells) -> dict[str, Any]:
    """All tables in JSON; the chosen one as it is shown, where ``--sort`` or ``--top`` asks for that."""
    head = document_of(
        answer.measure, answer.target, answer.scores.n_runs, answer.scores.n_queries, answer.scores.n_clusters
    )
    rows = {table: filled(declared, answer).records() for table, declared in TABLES.items()}
    if view.sort is not None or view.top is not None:
        rows[view.table] = visible.records()
    low, high = answer.rank_ends
    others = answer.compared.others
    return {
        "measure": head.pop("measure"),
        "run": answer.run,
        "n_runs": head.pop("n_runs"),
        "n_queries": head.pop("n_queries"),
        "rank": answer.rank,
        "rank_low": low,
        "rank_high": high,
        "quantities": [_defined(record) for record in rows["quantities"]],
        "versus": [{"run": record.pop("versus"), **record} for record in rows["versus"]],
        "queries": [
            {name.replace("target_score", "target"): value for name, value in record.items()}
            for record in rows["queries"]
        ],
        "stability": answer.stability,
        "sentence": in_words(" ".join(paper_sentences(answer)), _DIGITS),
        **head,
        "no_ranks": "there is nothing to compare" if others is None else unranked_words(others) or None,
        "queries_versus": answer.compared.reference,
        "replicates": None if answer.spread is None else {"n": answer.spread[0], "sd_replicates": answer.spread[1]},
        "test": answer.request.test,
        "correction": answer.request.correction if TESTS[answer.request.test].corrected else None,
        "level": answer.request.level,
    }


def _defined(record: dict[str, Any]) -> dict[str, Any]:
    """A record whose undefined numbers are None."""
    return {name: None if isinstance(value, float) and isnan(value) else value for name, value in record.items()}
