"""The correlations of bias² and variance under query samples, their data, and families of runs, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biasvar_cli.analyses.tradeoff.answer import Correlated, Detail, TradeoffAnswer
from biasvar_cli.analyses.tradeoff.columns import TABLES
from biasvar_cli.decomposition.design import Sampling
from biasvar_cli.decomposition.generalised import ease
from biasvar_cli.decomposition.tradeoff import of_single
from biasvar_cli.nulls.registry import BESIDE
from biasvar_cli.scoring.families import LEAST_MEMBERS
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.column import Cells, filled
from biasvar_cli.tables.null import ALONE, NULL_INTERVAL, NULL_KEYS, gap_notes, how_notes, null_document, null_note
from biasvar_cli.tables.quantities import NULL
from biasvar_cli.tables.table import Note, Table, about, document_of, listed, plain, row_order
from biasvar_cli.words import counted

_KINDS = {  # what a row is, in the order of the rows
    "single": "each query",
    "random": "random subsets of the queries",
    "random-exact": "their expectation",
    "difficulty": "subsets of queries as hard as each other",
    "groups": "the given groups",
}


def sampling_words(sampling: Sampling) -> str:
    """A sampling in words, as a title has it."""
    by_kind = {
        "single": "single queries",
        "random": f"random subsets of {sampling.size}",
        "random-exact": f"random subsets of {sampling.size} (expectation)",
        "difficulty": f"subsets of {sampling.size} by difficulty",
        "groups": "the given groups",
    }
    return by_kind[sampling.kind] + (", normalised" if sampling.normalised else "")


def tradeoff_notes(answer: TradeoffAnswer) -> Iterator[Note]:
    """The few lines under the table: what the rows are, why some are undefined, and what the null model says."""
    kinds = {row.sampling.kind for row in answer.rows}
    words = [f"{kind}: {what}" for kind, what in _KINDS.items() if kind in kinds]
    yield Note("; ".join([*words, "normalised (*): divided by the target"]))
    yield from map(Note, _why_undefined(answer))
    dropped = [
        f"{row.dropped} of {row.dropped + row.n_subsets} {sampling_words(row.sampling._replace(normalised=False))}"
        for row in answer.rows
        if row.dropped and row.n_subsets
    ]
    if dropped:
        yield Note(f"Normalised scores leave out {', '.join(dropped)}, whose target score is 0")
    single, null = of_single(answer.rows), answer.null
    if null is None or single["score"].correlations.pearson != single["score"].correlations.pearson:
        yield Note(ALONE)
    else:
        yield null_note(single["score"], null)
        yield from gap_notes(single["gap"], null)


def _why_undefined(answer: TradeoffAnswer) -> Iterator[str]:
    undefined = [row for row in answer.rows if row.correlations.pearson != row.correlations.pearson]
    if undefined and answer.scores.n_runs < LEAST_POINTS:
        yield f"Undefined (-) for {counted(answer.scores.n_runs, 'run')}: at least {LEAST_POINTS} are needed"
        return
    is_mean = answer.target.scores is None
    if undefined and is_mean:
        yield "Undefined (-): a target that is a mean alone has no gap form and no normalised form"
    elif any(row.n_subsets == 0 for row in undefined):
        yield "Undefined (-): the target is 0 or negative where it would have to be divided by"
    if any(row.n_subsets and (row.form == "score" or not is_mean) for row in undefined):
        yield "Undefined (-): bias² or variance is the same for every run"


def tradeoff_details(answer: TradeoffAnswer) -> Iterator[Note]:
    """How the samples of the queries and of the null models were drawn."""
    design, null = answer.request.design, answer.null
    yield Note("In CIKM'14 (a) is single, (b) random, (c) difficulty, (d) normalised difficulty, all in the score form")
    kinds = {row.sampling.kind for row in answer.rows}
    if "random" in kinds:
        yield Note(
            f"random: bias² and variance averaged over {counted(design.repeats, 'partition')} drawn with seed "
            f"{design.seed}. Where it is nearer to 0 than random-exact, that is the noise of few partitions"
        )
    else:
        size = counted(answer.scores.n_queries, "query")
        yield Note(f"No subsets of 10 of {size}: --subset-size chooses smaller ones")
    if "difficulty" in kinds:
        keys = ease(answer.targeted.pool.values, design.difficulty)
        tied = len(keys) - len(set(keys.tolist()))
        ties = f"; {counted(tied, 'query')} as hard as another, in order of id" if tied else ""
        yield Note(f"difficulty: queries in order of their {design.difficulty} score over the pool{ties}")
    form = "subset mean / the target's"
    if design.normalise == "maxmin":
        form = "(subset mean - least one of the pool) / (the target's - least one), which is inferred"
    yield Note(f"normalised: {form}; its gap form is the same")
    if null is not None and null.fitted:
        yield from how_notes(null, of_single(answer.rows)["score"])
        yield Note(
            "null r, null 95 %: r of these simulated tracks through the same sampling, normalisation, target and form"
        )


def null_models_table(answer: TradeoffAnswer) -> tuple[Table, ...]:
    """Pearson's r over single queries under each null model, as a small table; none where one is missing."""
    score, null = of_single(answer.rows)["score"], answer.null
    row_null, beside = (None, {}) if null is None else (null.of(score), null.beside(score))
    if row_null is None or not beside:
        return ()
    models = {**row_null.models, **{name: model.both_tails for name, model in beside.items()}}
    if any(model.median != model.median for model in models.values()):
        return ()
    heads = {"r": "median", **{name: name for name in ("low", "high", "p_lower", "p_upper")}}
    columns: dict[str, list[Any]] = {"null model": list(models)}
    columns |= {head: [getattr(model, name) for model in models.values()] for head, name in heads.items()}
    title = "Pearson's r of single queries in the score form under each null model"
    meanings = tuple(Note(f"{model.name}: {model.words}") for model in BESIDE)
    signed = frozenset({"r", "low"})
    return (Table(title, columns, details=meanings, intervals={"95 %": ("low", "high")}, signed=signed),)


def detail_notes(detail: Detail) -> Iterator[Note]:
    """How many subsets there are, or why there is none, and what the columns are."""
    errors = detail.errors
    if errors.n_subsets:
        dropped = f", {errors.n_dropped} more dropped because the target is 0 there" if errors.n_dropped else ""
        yield Note(counted(errors.n_subsets, "subset") + dropped)
    else:
        is_mean = detail.answer.target.scores is None
        what = "is a mean alone" if is_mean else "is 0 or negative where it would be divided by"
        yield Note(f"Undefined (-): the target {what}")
    yield Note("between: the share of the run's variance over single queries that lies between the subsets")
    yield Note("least: this run has the least bias², variance or total of all (score form)")


def families_notes(answer: TradeoffAnswer) -> Iterator[Note]:
    """What the correlations and the null models beside families are, which have none, and who is below the baseline."""
    yield Note(f"Correlation of bias² and variance over the runs of a family; none (-) of fewer than {LEAST_POINTS}")
    families, null = answer.families, answer.null
    small = [plain(family.name) for family in families if not family.has_null]
    if null is None or len(small) == len(families) or not null.fitted:
        yield Note(ALONE)
    if null is not None and len(small) < len(families):
        text = "null r: r over the same runs in simulated tracks whose runs differ only in their means"
        yield Note(text if null.fitted else f"No null model: {null.why}")
    if null is not None and small:
        fewer = f"No null model of {listed(small)}: with fewer than {LEAST_MEMBERS} members"
        yield Note(f"{fewer} a correlation can be nearly anything under it")
    if answer.request.baseline is not None:
        yield _below_note(answer, answer.request.baseline)
    alone = answer.scores.n_runs - sum(len(family.members) for family in families)
    if alone:
        yield Note(f"{counted(alone, 'run')} in no family")


def _below_note(answer: TradeoffAnswer, baseline: str) -> Note:
    """Which members of each family have less of both parts of the error than a baseline, by form."""
    words = []
    for family, row in ((one, row) for one in answer.families for row in one.rows):
        below = getattr(family, f"below_{row.form}") or ()
        if below:
            which = f"all {len(below)}" if len(below) == len(family.members) > 1 else listed(below, 99)
            words.append(f"{plain(family.name)} ({row.form}): {which}")
    return Note(f"Members with less bias² and less variance than {plain(baseline)}: {'; '.join(words) or 'none'}")


def tradeoff_tables(answer: TradeoffAnswer, *, nested: bool = False, sort: str = "bias2") -> list[Table]:
    """The tables that the request asks for; ``sort`` is the order of the runs, where these are shown."""
    if answer.request.detail is not None:
        return [detail_table(detail, sort) for detail in answer.details]
    of_families = answer.request.families is not None
    return [families_table(answer, nested=nested) if of_families else tradeoff_table(answer, nested=nested)]


def tradeoff_table(answer: TradeoffAnswer, *, nested: bool = False) -> Table:
    """One row per sampling and form: the table of CIKM'14 for one track, one measure and one target.

    The null models are the keys `NULL_KEYS` of each row if ``nested``, as JSON has them, and
    columns on Pearson's r otherwise.
    """
    unfitted = answer.null is not None and not answer.null.fitted
    return Table.of(
        f"Correlation of bias² and variance over the runs: {_about(answer)}",
        _cells("samplings", Correlated(answer, answer.rows, nested=nested)),
        notes=tuple(tradeoff_notes(answer)),
        details=tuple(tradeoff_details(answer)),
        second=null_models_table(answer),
        intervals=NULL_INTERVAL,
        hidden=frozenset(column.name for column in NULL if unfitted),
        more=("biasvar decompose", "biasvar plot tradeoff"),
        document=_document(answer),
    )


def detail_table(detail: Detail, sort: str) -> Table:
    """One row per run under one sampling: the data of CIKM'14 Figure 1, with the runs of least error marked.

    Raises `UsageError` for a column to sort by that is not there.
    """
    cells, document = filled(TABLES["detail"], detail), _document(detail.answer)
    keys = {name: cells.columns[name][0] for name, column in cells.declared.items() if column.key}
    order = row_order(cells.columns, sort, declared=TABLES["detail"])
    return Table.of(
        f"Bias-variance over {sampling_words(detail.sampling)}: {_about(detail.answer)}",
        cells.rows(order),
        notes=tuple(detail_notes(detail)),
        document=document | {name: value for name, value in keys.items() if name not in document},
        rows_key="runs",
    )


def families_table(answer: TradeoffAnswer, *, nested: bool = False) -> Table:
    """One row per family and form: the correlation within it, and its members below the baseline in both.

    The null models stand where `tradeoff_table` has them; families of few members have none.
    """
    pairs = [(family, row) for family in answer.families for row in family.rows]
    table = Correlated(answer, [row for _, row in pairs], [family for family, _ in pairs], nested)
    return Table.of(
        f"Families: {_about(answer)}",
        _cells("families", table),
        notes=tuple(families_notes(answer)),
        details=tuple(how_notes(answer.null)) if answer.null is not None else (),
        intervals=NULL_INTERVAL,
        more=("biasvar tradeoff",),
        document=_document(answer),
        rows_key="families",
    )


def _cells(name: str, table: Correlated) -> Cells:
    """The columns of a table of correlations; in JSON the null models of a row are documents."""
    cells, null = filled(TABLES[name], table), table.answer.null
    if null is None or not table.nested:
        return cells
    documents = [null_document(row, null) for row in table.rows]
    nested: dict[str, list[Any]] = {key: [document[key] for document in documents] for key in NULL_KEYS}
    behind: dict[str, list[Any]] = {key: cells.columns.pop(key) for key in ("n_below", "below") if key in cells.columns}
    return Cells({**cells.columns, **nested, **behind}, cells.declared)


def _about(answer: TradeoffAnswer) -> str:
    return about(answer.measure, answer.target, answer.scores.n_runs, answer.scores.n_queries)


def _document(answer: TradeoffAnswer) -> dict[str, Any]:
    return document_of(answer.measure, answer.target, answer.scores.n_runs, answer.scores.n_queries)
