"""What is odd in query models, said once for each kind."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from biasvar_cli.errors import warn
from biasvar_cli.query_models.measured import Measured
from biasvar_cli.words import counted, examples

_MUCH = 0.5  # of the true model's mass, on terms that a model lacks


def warn_of_models(models: Mapping[str, Measured], background: str | None, lacking: Collection[str]) -> None:
    """Warn of what is odd in models by name; ``lacking`` are the true model's terms that the background has not."""
    found = {name: int(each.empty.sum()) for name, each in models.items()}
    _warn_of_some(
        found, "query", "without a term for a query, estimated there by the background alone (error 1 under js)"
    )
    found = {name: each.n_twice for name, each in models.items()}
    _warn_of_some(found, "term", "with terms given twice for a query, whose weights are summed")
    found = {name: each.n_other for name, each in models.items()}
    _warn_of_some(found, "query", "with queries that the true model lacks, left out")
    same = [name for name, each in models.items() if not each.errors.any()]
    if same:
        warn(f"{counted(len(same), 'model')} equal to the true one, without any error: {examples(same)}")
    _warn_of_terms({*lacking, *(term for each in models.values() for term in each.lacking)}, background)
    unseen = [name for name, each in models.items() if each.unseen.mean() > _MUCH]
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
