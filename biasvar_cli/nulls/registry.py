"""The null models there are, by their names: a model is declared in its own module and listed here."""

from __future__ import annotations

from biasvar_cli.nulls.by_query import BY_QUERY
from biasvar_cli.nulls.common import COMMON
from biasvar_cli.nulls.empirical import EMPIRICAL
from biasvar_cli.nulls.model import NullModel
from biasvar_cli.nulls.shuffled import SHUFFLED

DECIDING = (COMMON, BY_QUERY, EMPIRICAL)  # a verdict needs all of them; the first gives the median that is printed
NULLS: dict[str, NullModel] = {model.name: model for model in (*DECIDING, SHUFFLED)}
