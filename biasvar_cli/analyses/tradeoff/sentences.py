"""What is said under the correlations of bias² and variance: what the rows are, and what the null models say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasvar_cli.decomposition.design import Design, Sampling
from biasvar_cli.decomposition.partitions import ease
from biasvar_cli.decomposition.target import TargetedScores
from biasvar_cli.decomposition.tradeoff import TradeoffRow, of_single
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.registry import SHUFFLED
from biasvar_cli.stats.correlation import LEAST_POINTS
from biasvar_cli.tables.null import ALONE, gap_notes, how_notes, null_note
from biasvar_cli.tables.table import Note, Table
from biasvar_cli.words import counted


def tradeoff_notes(rows: Sequence[TradeoffRow], targeted: TargetedScores, null: Null | None) -> tuple[Note, ...]:
    """The few lines under the table: what the rows are, why some are undefined, and what the null model says."""
    lines = [_kinds_note(rows), *_why_undefined(rows, targeted), *_dropped(rows)]
    return (*map(Note, lines), *_null_notes(rows, null))


def tradeoff_details(
    rows: Sequence[TradeoffRow], targeted: TargetedScores, design: Design, null: Null | None
) -> tuple[Note, ...]:
    """How the samples of the queries and of the null models were drawn."""
    return (*map(Note, _details(rows, targeted, design)), *_null_details(rows, null))


def sampling_words(sampling: Sampling) -> str:
    """A sampling in words, as a title has it."""
    by_size = {
        "single": "single queries",
        "random": f"random subsets of {sampling.subset_size}",
        "random-exact": f"random subsets of {sampling.subset_size} (expectation)",
        "difficulty": f"subsets of {sampling.subset_size} by difficulty",
        "groups": "the given groups",
    }
    return by_size[sampling.kind] + (", normalised" if sampling.normalised else "")


_KINDS = {  # what a row is, in the order of the rows
    "single": "each query",
    "random": "random subsets of the queries",
    "random-exact": "their expectation",
    "difficulty": "subsets of queries as hard as each other",
    "groups": "the given groups",
}


def _kinds_note(rows: Sequence[TradeoffRow]) -> str:
    """What the rows are, in a line."""
    there = {row.sampling.kind for row in rows}
    words = [f"{kind}: {what}" for kind, what in _KINDS.items() if kind in there]
    return "; ".join([*words, "normalised (*): divided by the target"])


def _details(rows: Sequence[TradeoffRow], targeted: TargetedScores, design: Design) -> list[str]:
    kinds = {row.sampling.kind for row in rows}
    notes = ["In CIKM'14 (a) is single, (b) random, (c) difficulty, (d) normalised difficulty, all in the score form"]
    if "random" not in kinds:
        notes.append(
            f"No subsets of 10 of {counted(targeted.scores.n_queries, 'query')}: --subset-size chooses smaller ones"
        )
    if "random" in kinds:
        notes.append(
            f"random: bias² and variance averaged over {counted(design.repeats, 'partition')} drawn with seed "
            f"{design.seed}. Where it is nearer to 0 than random-exact, that is the noise of few partitions"
        )
    if "difficulty" in kinds:
        notes.append(
            f"difficulty: queries in order of their {design.difficulty} score over the pool{_ties(targeted, design)}"
        )
    form = "subset mean / the target's"
    if design.normalise == "maxmin":
        form = "(subset mean - least one of the pool) / (the target's - least one), which is inferred"
    return [*notes, f"normalised: {form}; its gap form is the same"]


def _null_notes(rows: Sequence[TradeoffRow], null: Null | None) -> list[Note]:
    single = of_single(rows)
    score = single["score"]
    if null is None or score.correlations.pearson != score.correlations.pearson:
        return [Note(ALONE)]
    return [null_note(score, null), *gap_notes(single["gap"], null)]


def _null_details(rows: Sequence[TradeoffRow], null: Null | None) -> list[Note]:
    if null is None or not null.fitted:
        return []
    text = "null r, null 95 %: r of these simulated tracks through the same sampling, normalisation, target and form"
    return [*how_notes(null, of_single(rows)["score"]), Note(text)]


def null_models_table(rows: Sequence[TradeoffRow], null: Null | None) -> tuple[Table, ...]:
    """Pearson's r over single queries under each null model, as a small table; none where one is missing."""
    score = of_single(rows)["score"]
    said, shuffled = (None, None) if null is None else (null.of(score), null.shuffled(score))
    if said is None or shuffled is None:
        return ()
    models = [*said.models.values(), shuffled.both_tails]
    if any(model.median != model.median for model in models):
        return ()
    columns: dict[str, list[Any]] = {"null model": [*said.models, SHUFFLED.name]}
    columns |= {"r": [model.median for model in models]}
    columns |= {name: [getattr(model, name) for model in models] for name in ("low", "high", "p_lower", "p_upper")}
    title = "Pearson's r of single queries in the score form under each null model"
    meaning = Note(f"{SHUFFLED.name}: {SHUFFLED.words}")
    signed = frozenset({"r", "low"})
    return (Table(title, columns, details=(meaning,), intervals={"95 %": ("low", "high")}, signed=signed),)


def _ties(targeted: TargetedScores, design: Design) -> str:
    keys = ease(targeted.pool.values, design.difficulty)
    tied = len(keys) - len(set(keys.tolist()))
    return f"; {counted(tied, 'query')} as hard as another, in order of id" if tied else ""


def _dropped(rows: Sequence[TradeoffRow]) -> list[str]:
    """How much of the queries normalised rows are without."""
    dropped = [row for row in rows if row.n_dropped and row.n_subsets]
    words = [
        f"{row.n_dropped} of {row.n_dropped + row.n_subsets} {sampling_words(row.sampling._replace(normalised=False))}"
        for row in dropped
    ]
    return [f"normalised leaves out, for the target is 0 there: {', '.join(words)}"] if dropped else []


def _why_undefined(rows: Sequence[TradeoffRow], targeted: TargetedScores) -> list[str]:
    undefined = [row for row in rows if row.correlations.pearson != row.correlations.pearson]
    if not undefined:
        return []
    if targeted.scores.n_runs < LEAST_POINTS:
        return [f"Undefined (-) for {counted(targeted.scores.n_runs, 'run')}: at least {LEAST_POINTS} are needed"]
    notes = []
    if targeted.target.scores is None:
        notes.append("Undefined (-): a target that is a mean alone has no gap form and no normalised form")
    elif any(row.n_subsets == 0 for row in undefined):
        notes.append("Undefined (-): the target is 0 or negative where it would have to be divided by")
    if any(row.n_subsets and (row.form == "score" or targeted.target.scores is not None) for row in undefined):
        notes.append("Undefined (-): bias² or variance is the same for every run")
    return notes
