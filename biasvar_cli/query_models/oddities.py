"""What is odd in query models, said once for each kind."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from biasvar_cli.arrays import BoolArray
from biasvar_cli.errors import warn
from biasvar_cli.query_models.measured import Measured
from biasvar_cli.words import counted, examples

_MUCH = 0.5  # of the true model's mass, on terms that a model lacks


def warn_of_models(
    models: Mapping[str, Measured], kept: BoolArray, background: str | None, lacking: Mapping[int, Sequence[str]]
) -> None:
    """Warn of what is odd in models by name on the queries that are kept, (n_queries,).

    ``lacking`` are the true model's terms that the background has not, by the place of the query.
    """
    found = {name: int(each.empty[kept].sum()) for name, each in models.items()}
    _warn_of_some(
        found, "query", "without a term for a query, estimated there by the background alone (error 1 under js)"
    )
    found = {name: int(each.n_twice[kept].sum()) for name, each in models.items()}
    _warn_of_some(found, "term", "with terms given twice for a query, whose weights are summed")
    found = {name: each.n_other for name, each in models.items()}
    _warn_of_some(found, "query", "with queries that the true model lacks, left out")
    same = [name for name, each in models.items() if not each.errors[:, kept].any()]
    if same:
        warn(f"{counted(len(same), 'model')} equal to the true one, without any error: {examples(same)}")
    absent = (lacking, *(each.lacking for each in models.values()))
    _warn_of_terms({term for by in absent for place, terms in by.items() if kept[place] for term in terms}, background)
    unseen = [name for name, each in models.items() if each.unseen[kept].mean() > _MUCH]
    if unseen:
        warn(
            f"{counted(len(unseen), 'model')} without the terms of more than half of the true model's mass (unseen): "
            f"{examples(unseen)}; were all terms made by the same analyser and stemmer?"
        )


def _warn_of_some(found: Mapping[str, int], noun: str, what: str) -> None:
    """Warn of the models that have any of something."""
    words = [f"{name} ({counted(number, noun)})" for name, number in found.items() if number]
    if words:
        warn(f"{counted(len(words), 'model')} {what}: {examples(words)}")


def _warn_of_terms(lacking: Collection[str], background: str | None) -> None:
    if lacking:
        warn(
            f"{background}: {counted(len(lacking), 'term')} of the models not in the background, taken to be as likely "
            f"as its least likely one: {examples(sorted(lacking))}"
        )
