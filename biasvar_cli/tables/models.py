"""Query models and their estimation errors as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from biasvar_cli.query_models.estimation import Estimation
from biasvar_cli.query_models.load import Loaded
from biasvar_cli.stats.correlation import Correlations, correlations
from biasvar_cli.tables.table import Extra, Note, Table, row_order
from biasvar_cli.words import counted

KEYS = ("divergence", "epsilon")


@dataclass(frozen=True, kw_only=True)
class ModelsView:
    """Which rows of a table of query models to show, and in which order."""

    sort: str = "total_est"
    top: int | None = None


def models_table(
    found: Estimation,
    loaded: Loaded,
    *,
    background: str | None,
    view: ModelsView,
    extras: tuple[Extra, ...] = (),
) -> Table:
    """One row per model, sorted and cut as ``view`` says."""
    columns = _columns(found)
    for extra in extras:
        columns |= extra.columns
    order = row_order(columns, view.sort, names="model")
    shown = {name: [column[index] for index in order[: view.top]] for name, column in columns.items()}
    n_rows, of = len(shown["model"]), correlations(found.bias2, found.var)
    return Table(
        title=_title(found, loaded, background),
        columns={
            "divergence": [found.setting.divergence] * n_rows,
            "epsilon": [found.setting.epsilon] * n_rows,
            **shown,
        },
        keys=KEYS,
        notes=(_correlation_note(of), *(note for extra in extras for note in extra.notes)),
        document=_document(found, loaded, background, of, extras),
        rows_key="models",
        hidden=frozenset().union(*(extra.hidden for extra in extras)),
    )


def _columns(found: Estimation) -> dict[str, list[Any]]:
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
    found: Estimation, loaded: Loaded, background: str | None, of: Correlations, extras: tuple[Extra, ...]
) -> dict[str, Any]:
    return {
        "divergence": found.setting.divergence,
        "epsilon": found.setting.epsilon,
        "background": background if found.setting.epsilon is not None else None,
        "sum": found.sum,
        "true": loaded.true,
        "n_models": len(found.models),
        "n_queries": len(found.queries),
        "n_excluded": loaded.n_excluded,
        "no_feedback": None if loaded.no_feedback is None else list(loaded.no_feedback),
        "models": None,
        "tradeoff": vars(of),
        **{key: held for extra in extras for key, held in extra.document.items()},
    }


def setting_words(found: Estimation, background: str | None) -> str:
    """A divergence with what smooths it, as titles have it."""
    epsilon = found.setting.epsilon
    if epsilon is None:
        return "js (no smoothing)"
    return f"{found.setting.divergence}, epsilon {epsilon:g}, {background or 'uniform'} background"


def _title(found: Estimation, loaded: Loaded, background: str | None) -> str:
    what = f"{counted(len(found.models), 'model')}, {counted(len(found.queries), 'query')}"
    return f"Estimation bias-variance, true model {loaded.true}, {setting_words(found, background)}: {what}"


def _correlation_note(of: Correlations) -> Note:
    text = "Correlation of bias² and variance over the models: Pearson {}, Spearman {}, Kendall {}"
    return Note(text, tuple(vars(of).values()))
