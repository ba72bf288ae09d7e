"""Where the variance of scores comes from, as a table, and what would make the ranking of the runs more reliable."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, isfinite, isnan
from typing import Any

from biasvar_cli.analyses.judges import TABLES
from biasvar_cli.analyses.judges.answer import JudgesAnswer
from biasvar_cli.decomposition.components import Components
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.component_words import limit_sentence, needed_sentence, reliability_sentence
from biasvar_cli.tables.rows import View, chosen_rows, top_note
from biasvar_cli.tables.table import Table, clusters_document, evaluated, signature
from biasvar_cli.words import QUERIES, RUNS

_MORE_QUERIES, _MORE_JUDGES = (1, 2, 5), (1, 2, 3, 5)  # times as many queries; judges


def components_table(answer: JudgesAnswer, view: View) -> Table:
    """A row a component; JSON has the reliability of other numbers of queries and judges, too."""
    parts, declared = answer.components, TABLES["components"]
    cells = chosen_rows(filled(declared, answer), view, names="", declared=declared)
    people = view.for_people
    return Table.of(
        evaluated(answer.measure, answer.n_runs, answer.n_queries, n_clusters=answer.n_clusters) if people else "",
        cells,
        verdict=tuple(_verdict(answer, parts)) if people else (),
        notes=(*_notes(parts), *top_note(view.top, len(parts.variances))) if people else (),
        name="judges-components",
        document={
            "measure": answer.measure,
            "n_runs": answer.n_runs,
            "n_queries": answer.n_queries,
            **clusters_document(answer.n_clusters),
            "components": cells.records(),
            "reliability": reliabilities(parts),
            "limit": parts.reliability(inf),
        }
        if view.for_json
        else {},
        signature=signature(answer.measure, answer.reference.scored.basis, f"components of {parts.n_judges} judges"),
        rows_key="" if view.for_json else "rows",
    )


def reliabilities(parts: Components) -> list[dict[str, Any]]:
    """The reliability of other numbers of queries and judges; of one judge no number of judges is known."""
    numbers = _MORE_JUDGES if parts.n_judges > 1 else (1,)
    return [
        {"n_queries": times * parts.n_queries, "n_judges": judges, "reliability": parts.reliability(n_queries, judges)}
        for judges in numbers
        for times in _MORE_QUERIES
        for n_queries in [times * parts.n_queries]
    ]


def _verdict(answer: JudgesAnswer, parts: Components) -> Iterator[str]:
    """How reliable the ranking is under one judge, and whether queries or judges would help."""
    if isnan(parts.reliability(parts.n_queries)):
        yield f"All {RUNS} have the same scores: no ranking is reliable."
        return
    yield reliability_sentence(parts)
    if parts.n_judges == 1:
        yield needed_sentence(parts)
        yield f"What a judge other than {answer.reference.name} would change is not known: give a second one."
    else:
        yield limit_sentence(parts)


def _notes(parts: Components) -> Iterator[str]:
    """What the components are, and those that are below 0."""
    yield (
        f"variance: of the scores by where it comes from, without bias; share: of their sum. Reliability: the share of "
        f"the variance of {RUNS}' means that is due to the {RUNS}, on other {QUERIES} and under other judges."
    )
    below = [name for name, variance in parts.variances.items() if isfinite(variance) and variance < 0]
    if below:
        yield f"Below 0, and 0 in shares: {', '.join(below)}."
