"""Query models and their estimation errors as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from biasvar_cli.arrays import equalised
from biasvar_cli.query_models.estimation import Estimation
from biasvar_cli.query_models.load import Loaded
from biasvar_cli.stats.correlation import LEAST_POINTS, Correlations, correlations, kendall
from biasvar_cli.tables.table import Extra, Note, Table, listed, row_order
from biasvar_cli.words import counted

KEYS = ("divergence", "epsilon")

_RANKED = ("bias", "var", "total")
_LARGE_SHARE = 0.8  # of bias^2 in the total, beyond which both rank models much alike
_FORMULAS = {
    "kl-fwd": "KL(true || model) = sum of p ln(p / q), in nats",
    "kl-rev": "KL(model || true) = sum of q ln(q / p), in nats",
    "jeffreys": "KL(true || model) + KL(model || true), in nats",
    "js": "the Jensen-Shannon divergence of true and model, in bits, from 0 to 1",
}


@dataclass(frozen=True, kw_only=True)
class ModelsView:
    """Which rows of a table of query models to show, and in which order."""

    sort: str = "total_est"
    top: int | None = None


def models_table(found: Estimation, loaded: Loaded, *, view: ModelsView, extras: Sequence[Extra] = ()) -> Table:
    """One row per model, sorted and cut as ``view`` says; the correlation of bias² and variance under it.

    Raises `UsageError` for a column to sort by that is not there.
    """
    columns = _columns(found)
    for extra in extras:
        columns |= extra.columns
    order = row_order(columns, view.sort, names="model")[: view.top]
    shown = {name: [column[index] for index in order] for name, column in columns.items()}
    keys = {name: [getattr(found.setting, name)] * len(order) for name in KEYS}
    of, orders = correlations(found.bias2, found.var), _orders(found, loaded)
    return Table(
        title=f"Estimation bias-variance of {about_models(found, loaded)}",
        columns=keys | shown,
        keys=KEYS,
        notes=(*_notes(found, loaded, view), *(note for extra in extras for note in extra.notes)),
        details=(*_details(found), *(note for extra in extras for note in extra.details)),
        second=(
            _correlation_table(of, found),
            *_epsilon_tables(orders, found, [columns["model"][index] for index in order]),
            *(table for extra in extras for table in extra.second),
        ),
        document=_document(found, loaded, of, orders, extras),
        rows_key="models",
        intervals={head: ends for extra in extras for head, ends in extra.intervals.items()},
        hidden=frozenset().union(*(extra.hidden for extra in extras)),
    )


def shown_models(found: Estimation, view: ModelsView, extras: Sequence[Extra] = ()) -> list[str]:
    """The models that `models_table` shows, in its order."""
    columns = _columns(found)
    for extra in extras:
        columns |= extra.columns
    return [found.models[index] for index in row_order(columns, view.sort, names="model")[: view.top]]


def setting_words(found: Estimation, background: str | None) -> str:
    """A divergence with what smooths it, as titles have it."""
    epsilon = found.setting.epsilon
    if epsilon is None:
        return f"{found.setting.divergence} without smoothing"
    where = "a uniform background" if background is None else f"the background {Path(background).name}"
    return f"{found.setting.divergence}, epsilon {epsilon:g} of {where}"


def about_models(found: Estimation, loaded: Loaded) -> str:
    """What a result is of: how many models and queries, the true model, the divergence and its smoothing."""
    what = f"{counted(len(found.models), 'model')}, {counted(len(found.queries), 'query')}"
    return f"{what}, true model {found.true}, {setting_words(found, loaded.background)}"


def _columns(found: Estimation) -> dict[str, list[Any]]:
    """The quantities of every model, in the order of the models."""
    return {
        "model": list(found.models),
        "bias_est": found.bias.tolist(),
        "bias2_est": found.bias2.tolist(),
        "var_est": found.var.tolist(),
        "total_est": found.total.tolist(),
        "unseen": found.unseen.tolist(),
        "n_terms": found.n_terms.tolist(),
    }


def _document(
    found: Estimation, loaded: Loaded, of: Correlations, orders: list[dict[str, Any]], extras: Sequence[Extra]
) -> dict[str, Any]:
    return {
        "divergence": found.setting.divergence,
        "epsilon": found.setting.epsilon,
        "background": loaded.background if found.setting.epsilon is not None else None,
        "true": found.true,
        "sum": found.sum,
        "n_models": len(found.models),
        "n_queries": len(found.queries),
        "n_excluded": loaded.n_excluded,
        "no_feedback": None if loaded.no_feedback is None else list(loaded.no_feedback),
        "models": None,
        "tradeoff": vars(of),
        **({"other_epsilons": orders} if orders else {}),
        **{key: held for extra in extras for key, held in extra.document.items()},
    }


def _orders(found: Estimation, loaded: Loaded) -> list[dict[str, Any]]:
    """For every other epsilon, Kendall's tau of the orders of the models under it and under this one."""
    divergence, epsilon = found.setting
    others = {
        each.setting.epsilon: each
        for each in (*loaded.estimations, *loaded.beside)
        if each.setting.divergence == divergence and each.setting.epsilon not in (None, epsilon)
    }
    return [
        {
            "epsilon": other,
            **{f"{name}_est": kendall(getattr(found, name), getattr(each, name)).item() for name in _RANKED},
            "least": each.models[int(equalised(each.total).argmin())],
            "totals": dict(zip(each.models, each.total.tolist(), strict=True)),
        }
        for other, each in sorted(others.items(), key=lambda item: item[0] or 0)
    ]


def _epsilon_tables(orders: list[dict[str, Any]], found: Estimation, shown: list[str]) -> list[Table]:
    """The orders of the models under other epsilons as a small table, not of too few models; and the totals of those
    that are shown.
    """
    if not orders:
        return []
    totals = {row["epsilon"]: row["totals"] for row in orders}
    totals[found.setting.epsilon] = dict(zip(found.models, found.total.tolist(), strict=True))
    columns = {f"{epsilon:g}": [totals[epsilon][name] for name in shown] for epsilon in sorted(totals)}
    tables = [Table("total_est by epsilon", {"model": shown, **columns})]
    if any(row[f"{name}_est"] == row[f"{name}_est"] for row in orders for name in _RANKED):
        held = {name: [row[name] for row in orders] for name in orders[0] if name != "totals"}
        title = "Order of the models with another epsilon: Kendall's tau with this one's, and the least total_est"
        tables.insert(0, Table(title, held, signed=frozenset(f"{name}_est" for name in _RANKED)))
    return tables


def _notes(found: Estimation, loaded: Loaded, view: ModelsView) -> list[Note]:
    """What is to be known of the rows."""
    notes, n_models = [], len(found.models)
    if view.top is not None and view.top < n_models:
        notes.append(Note(f"{view.top} of {n_models} models shown; every number is of all {n_models}"))
    share = float(np.median(np.divide(found.bias2, found.total, out=np.zeros(n_models), where=found.total > 0)))
    if found.sum == "squared" and len(found.queries) > 1 and share > _LARGE_SHARE:
        many = f"bias² is {100 * share:.0f} % of total_est (median of the models)"
        notes.append(Note(f"{many}: the order by total_est is nearly that by bias_est"))
    if found.sum == "plain":
        notes.append(Note("total_est is bias + variance, whose units differ"))
    return notes + _feedback_notes(loaded)


def _feedback_notes(loaded: Loaded) -> list[Note]:
    """The queries that are left out, and those without feedback."""
    found = loaded.no_feedback or ()
    queries = f"{counted(len(found), 'query')} without feedback, where some model is {loaded.original}"
    if found and not loaded.no_feedback_excluded:
        queries = f"{queries}: {listed(found)} (--exclude-no-feedback leaves them out)"
    notes = [Note(queries)] if loaded.no_feedback is not None else []
    return [*notes, *map(Note, left_out_words(loaded))]


def left_out_words(loaded: Loaded) -> list[str]:
    """How many queries are left out, in words; nothing where none is."""
    return [f"{counted(loaded.n_excluded, 'query')} of the true model left out"] if loaded.n_excluded else []


def _details(found: Estimation) -> list[Note]:
    epsilon, total = found.setting.epsilon, "bias² + variance" if found.sum == "squared" else "bias + variance"
    smoothing = f"; both smoothed: {1 - epsilon:g} p + {epsilon:g} p(background)" if epsilon is not None else ""
    return [
        Note(f"The error of a query is {_FORMULAS[found.setting.divergence]}{smoothing}"),
        Note(
            "bias_est: mean of the errors over the queries; var_est: their variance, divisor n (population); "
            f"total_est: {total}"
        ),
        Note("unseen: mass of the true model on terms that the model lacks; n_terms: terms a query; both are means"),
        Note("That direction, smoothing and the sum are so in IPM'14 is inferred: its text leaves them open"),
    ]


def _correlation_table(of: Correlations, found: Estimation) -> Table:
    n_models, why = len(found.models), tuple[Note, ...]()
    if of.pearson != of.pearson:
        reason = ": bias² or variance is the same for every model"
        if n_models < LEAST_POINTS:
            reason = f" for {counted(n_models, 'model')}: at least {LEAST_POINTS} are needed"
        why = (Note(f"Undefined{reason}"),)
    names = {name: [value] for name, value in vars(of).items()}
    title = f"Correlation of bias² and variance over {counted(n_models, 'model')}"
    return Table(title, names, notes=why, signed=frozenset(names))
