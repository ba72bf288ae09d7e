"""What unjudged documents can change as tables, a row a run or a team, and what the text says of it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from biasvar_cli.analyses.unjudged import TABLES
from biasvar_cli.analyses.unjudged.answer import UnjudgedAnswer
from biasvar_cli.arrays import IntArray
from biasvar_cli.errors import UsageError
from biasvar_cli.tables.column import filled
from biasvar_cli.tables.rounding import num
from biasvar_cli.tables.rows import View, chosen_rows, top_note, with_row_notes
from biasvar_cli.tables.table import Table, clusters_document, evaluated, signature
from biasvar_cli.words import RUN, RUNS, argument, counted, either

_HIGH_LOSS = 0.9  # of the runs

VIEW = View


def tables(answers: Sequence[UnjudgedAnswer], view: View) -> list[Table]:
    """A table for each measure."""
    return [unjudged_table(answer, view) for answer in answers]


@with_row_notes("scores")
def unjudged_table(answer: UnjudgedAnswer, view: View) -> Table:
    """One of the two tables; JSON has both. People read the best run, or the team that loses most, first.

    Raises `UsageError` for teams where these are not left out, and for a column to sort by that is not there.
    """
    if view.table == "teams" and answer.pool is None:
        raise UsageError(f"{either('--table teams', 'the table teams')} needs {argument('teams FILE')}")
    declared = TABLES[view.table]
    cells = filled(declared, answer)
    if view.is_best_first:
        order = answer.order
        if view.table == "teams":
            order = sorted(range(len(answer.teams)), key=lambda at: answer.teams[at].rank - answer.teams[at].rank_out)
        cells = cells.rows(order)
    n_rows = len(next(iter(cells.columns.values())))
    visible = chosen_rows(cells, view, names="team" if view.table == "teams" else "run", declared=declared)
    return Table.of(
        evaluated(answer.measure, answer.n_runs, answer.n_queries, n_clusters=answer.n_clusters),
        visible,
        verdict=tuple(_verdict(answer)) if view.for_people else (),
        notes=(*top_note(view.top, n_rows, view.table[:-1]), *(_notes(answer, view.table) if view.for_people else ())),
        more=("--table teams",) if answer.pool is not None and view.table == "runs" else (),
        name="unjudged" if view.table == "runs" else "unjudged-teams",
        signature=_signature(answer),
        document=_document(answer, view, visible.records()) if view.for_json else {},
        rows_key="" if view.for_json else "rows",
    )


def _signature(answer: UnjudgedAnswer) -> str:
    pool = answer.pool
    pooled = "" if pool is None else f"pool of {counted(len(pool.contributors), 'run')} to depth {pool.depth}"
    return signature(answer.measure, answer.scored.basis, f"grade {answer.grade}", pooled)


def _document(answer: UnjudgedAnswer, view: View, chosen: list[dict[str, Any]]) -> dict[str, Any]:
    """Both tables in JSON, the chosen one as it is shown."""
    pool = answer.pool
    rows = {"runs": filled(TABLES["runs"], answer).records(), "teams": []}
    rows["teams"] = filled(TABLES["teams"], answer).records() if pool is not None else []
    rows[view.table] = chosen
    return {
        "measure": answer.measure,
        "n_runs": answer.n_runs,
        "n_queries": answer.n_queries,
        **clusters_document(answer.n_clusters),
        "grade": answer.grade,
        "exact": answer.exact,
        "target": {"mean": answer.target_mean, "high": answer.target_high},
        "n_could_be_best": answer.n_could_be_best,
        **rows,
        "n_settled": answer.n_settled,
        "depth": None if pool is None else pool.depth,
        "n_contributors": None if pool is None else len(pool.contributors),
        "losses": None if pool is None or not len(answer.losses) else _losses_document(answer.losses),
    }


def _losses_document(losses: IntArray) -> dict[str, Any]:
    """The ranks that runs lose without their teams: the median, what one run in ten loses at least, and the most."""
    return {
        "n_runs": len(losses),
        "median": float(np.median(losses)),
        "high": int(np.quantile(losses, _HIGH_LOSS, method="inverted_cdf")),
        "worst": int(losses.max()),
    }


# ---- the sentences


def _verdict(answer: UnjudgedAnswer) -> Iterator[str]:
    """Who could be best, what is settled, how much is unjudged, and what teams lose."""
    if not answer.unjudged.any() and not (answer.high > answer.mean).any():
        yield "No unjudged document can change a score: all that count are judged."
    else:
        yield from _ranking(answer)
        share, most = np.median(answer.unjudged), answer.unjudged.max()
        worst = answer.runs[int(answer.unjudged.argmax())]
        yield (
            f"Of the first {answer.depth} documents the median {RUN} has {_percent(share)} unjudged, {worst} most "
            f"({_percent(most)}). The virtual target, the best score of each query, has a mean of "
            f"{num(answer.target_mean)}, at most {num(answer.target_high)}."
        )
    if answer.pool is not None:
        yield from _losses(answer)


def _ranking(answer: UnjudgedAnswer) -> Iterator[str]:
    """Which runs could be the best, and how far down the order is settled."""
    if answer.n_runs < 2:
        yield f"The mean of {answer.runs[0]} is {num(answer.mean[0])}, at most {num(answer.high[0])}."
        return
    number, best, runs = answer.n_could_be_best, answer.runs[answer.order[0]], counted(answer.n_runs, "run")
    if number == 1 and answer.only_rises:
        yield f"{best} has the best mean whatever unjudged documents are."
    elif answer.exact:
        yield f"{number} of {runs} could have the best mean: no other is above them in every case."
    else:
        many = f"No other {RUN}" if number == 1 else f"{number} of {runs}"
        mean = f"{num(answer.mean[answer.order[0]])} of {best}"
        yield f"{many} could reach the best mean, {mean}, if its own unjudged documents alone were relevant."
    settled = answer.n_settled
    first = f"the {RUNS}" if settled == answer.n_runs else f"the first {settled} {RUNS}"
    if settled > 1 and answer.only_rises:
        yield f"The order of {first} does not depend on unjudged documents."
    elif settled > 1:
        yield f"Each of {first} has a higher mean than any after it could have."


def _losses(answer: UnjudgedAnswer) -> Iterator[str]:
    """What the runs of teams lose without what these alone contributed."""
    assert answer.pool is not None, "asked for with teams"
    losses, pool = answer.losses, answer.pool
    pooled = f"{counted(len(pool.contributors), 'run')} to depth {pool.depth}"
    if not len(losses):
        yield f"No team of the {RUNS} was pooled."
        return
    summary = _losses_document(losses)
    most = max(answer.teams, key=lambda row: (row.rank_out - row.rank, row.score - row.score_out))
    teams = counted(len(answer.teams), "team")
    best = f"The best {RUN} of {most.team}, {most.best_run}, goes from rank {most.rank} to {most.rank_out}"
    yield (
        f"Without what its team alone gave to the pool ({pooled}), the median {RUN} of {teams} loses "
        f"{summary['median']:g} ranks, one in ten loses {summary['high']} or more, and the worst {summary['worst']}. "
        f"{best} "
        f"({num(most.score)} to {num(most.score_out)})."
    )


def _notes(answer: UnjudgedAnswer, table: str) -> Iterator[str]:
    """What the columns mean, and what they leave out."""
    pool = answer.pool
    if table == "runs":
        yield f"high: the highest mean if unjudged documents could have grade {answer.grade} ({argument('grade')})."
        if answer.exact:
            yield f"best and worst rank: a document that two {RUNS} retrieve counts for both."
        else:
            yield f"best rank: the {RUN}'s own unjudged documents alone count; worst rank: those of all others do."
        if not answer.only_rises:
            yield f"Not taken into account: relevant documents that {RUN:a} does not retrieve would lower its mean."
    if table == "teams":
        yield "documents: judged ones that only the pooled runs of the team have in their first documents."
    if pool is not None and pool.cover is not None:
        cover = pool.cover
        if cover.run is not None:
            ends = f"document {cover.depth + 1} of {cover.run} on query {cover.query} is not judged"
            yield f"Depth {pool.depth}: {ends}; another one with {argument('depth')}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
