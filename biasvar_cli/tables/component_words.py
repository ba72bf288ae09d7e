"""Sentences on components of variance, for `judges` and `sensitivity`."""

from math import inf, isfinite

from biasvar_cli.decomposition.components import Components
from biasvar_cli.tables.rounding import num
from biasvar_cli.words import QUERIES, RUNS, counted

_WANTED = 0.95  # of the reliability


def reliability_sentence(components: Components) -> str:
    """The reliability of the ranking by mean, and the shares of the components in the variance of the scores."""
    under = "" if components.n_judges == 1 else " and one judge"
    now = num(components.reliability(components.n_queries), 3)
    parts = [f"{100 * share:.1f} % {_part(name)}" for name, share in components.shares.items() if share]
    size = f"{counted(components.n_queries, 'query')}{under}"
    reliable = f"The ranking of the {RUNS} by mean has a reliability of {now} with {size}"
    return f"{reliable}. Of the variance: {', '.join(parts)}."


def _part(name: str) -> str:
    """The name of a component, with the nouns in use for runs and queries.

    >>> _part("runs x judges"), _part("rest")
    ('runs x judges', 'the rest')
    """
    words = {"rest": "the rest", "runs": f"{RUNS}", "queries": f"{QUERIES}"}
    return " x ".join(words.get(factor, factor) for factor in name.split(" x "))


def needed_sentence(components: Components) -> str:
    """The number of queries that a reliability of .95 takes.

    >>> import numpy as np
    >>> from biasvar_cli.decomposition.components import components
    >>> needed_sentence(components(np.array([[0.1, 0.4], [0.3, 0.5], [0.6, 0.6]])))
    'A reliability of 0.95 takes 9 queries.'
    """
    needed = components.queries_needed(_WANTED)
    if not isfinite(needed):
        return f"No number of {QUERIES} makes the ranking reliable: the {RUNS} do not differ more than by chance."
    return f"A reliability of {_WANTED:g} takes {counted(int(needed), 'query')}."


def limit_sentence(components: Components) -> str:
    """Whether more queries would make the ranking reliable, or another judge would."""
    if components.variances["runs x judges"] <= 0:
        alike = f"The judges differ in nothing that tells {RUNS} apart, as passes of one model do"
        return f"{alike}: they do not say what another judge would change."
    limit, n_judges = num(components.reliability(inf), 3), components.n_judges
    several = num(components.reliability(components.n_queries, n_judges), 3)
    least = f"More {QUERIES} cannot bring it above {limit} under one judge"
    return f"{least}: with the mean of {n_judges} judges it is {several}."
