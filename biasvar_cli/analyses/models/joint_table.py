"""The performance of the runs beside the estimation of their query models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from biasvar_cli.analyses.models.joint import Joint
from biasvar_cli.tables.table import Extra, Note, Table, document_of, measure_words, records, target_words
from biasvar_cli.words import QUANTITIES, counted

_ESTIMATED = ("bias", "bias2", "var", "total")
_SHOWN = ("mean", "bias2", "var", "total")  # of the performance, for people


def joint_rows(found: Joint, models: Sequence[str]) -> Extra:
    """The performance as columns of all models, for formats with rows alone; nothing for a model without a run.

    Behind it stands the estimation on the queries of the performance, ``_joint``, and the number of these.
    """
    place = {run: index for index, run in enumerate(found.performance.runs)}
    columns = _columns(found) | {f"{name}_joint": column for name, column in _estimated(found).items()}
    columns["n_queries_joint"] = [found.performance.n_queries] * len(place)
    return Extra(
        {
            name: [column[place[model]] if model in place else float("nan") for model in models]
            for name, column in columns.items()
        }
    )


def joint_extra(found: Joint, names: Sequence[str]) -> Extra:
    """Both side by side as a small table, of the models in ``names``, and their correlations; ``joint`` in JSON."""
    result = found.performance
    of = {"bias": found.bias, "var": found.var, "total": found.total}
    rows = {"model": list(result.runs), **_columns(found), **_estimated(found)}
    n_models = counted(len(result.runs), "model")
    tau = Table(
        f"Kendall's tau of estimation and performance over {n_models}",
        {name: [value] for name, value in of.items()},
        details=(Note(target_words(result.target)),),
        signed=frozenset(of),
    )
    document = document_of(result.measure, result.target, len(result.runs), result.n_queries)
    return Extra(
        second=(_side_by_side(found, [name for name in names if name in result.runs]), tau),
        document={"joint": {**document, "models": records(rows), "correlation": of}},
    )


def _columns(found: Joint) -> dict[str, list[Any]]:
    """The errors of the runs, in the order of their models."""
    return {name: getattr(found.performance, name).tolist() for name in QUANTITIES}


def _estimated(found: Joint) -> dict[str, list[Any]]:
    """The estimation on the queries of the performance, in the order of the models."""
    return {f"{name}_est": getattr(found.estimation, name).tolist() for name in _ESTIMATED}


def _side_by_side(found: Joint, names: Sequence[str]) -> Table:
    result = found.performance
    at, estimated = [result.runs.index(name) for name in names], _estimated(found)
    shown = {f"{name}_est": [estimated[f"{name}_est"][index] for index in at] for name in ("bias2", "var", "total")}
    performed = {name: getattr(result, name)[at].tolist() for name in _SHOWN}
    about = f"{measure_words(result.measure)}, target {result.target.label}, {counted(result.n_queries, 'query')}"
    return Table(
        f"Estimation beside the performance of the runs: {about}", {"model": list(names), **shown, **performed}
    )
