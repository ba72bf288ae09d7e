"""The generated parts of docs/study.md: evidence on the hypotheses of IP&M 2014, from JSON and csv of biasvar.

``make study`` makes the models and runs, and writes the page again. A folder (npl, cranfield) holds models, background,
and AP of the runs: ap.csv, and of those of SIGIR 2013 alone: sigir13.csv.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from generate import output

from biasvar_cli.stats.correlation import spearman

FOLDERS = ("npl", "cranfield")
FAMILIES = "--families '(comb|nrr|rmw)-(.*)'"
ESTIMATION = "biasvar models {0}/models --true {0}/models/true.tsv.gz --background {0}/background.tsv.gz"
AP = "biasvar {1} {0}/ap.csv --target run:true"
NAMES = {"estimation": ("bias_est", "var_est"), "AP": ("bias", "var")}

Row = dict[str, Any]


class Interval(NamedTuple):
    """An estimate and the ends of its interval of 95 %."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def evidence() -> str:
    """The table of all hypotheses: a row for each number, a column for each collection and kind of decomposition."""
    header = ["", *(f"{_title(folder)}, {kind}" for folder, kind in _columns())]
    rows = [[label, *(cell(folder, kind) for folder, kind in _columns())] for label, cell in _CELLS.items()]
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def flatness() -> str:
    """Estimation of RM with flatter document weights against RM: a row for each s, two columns for each collection."""
    header = ["", *(f"{_title(folder)}, {what}" for folder in FOLDERS for what in ("bias minus", "variance over"))]
    cells = [
        [f"`{name}`", *(cell(name)(folder, "estimation") for folder in FOLDERS for cell in (_bias, _ratio))]
        for name in _family(FOLDERS[0], "estimation", "rmw")["members"]
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in [header, ["---"] * len(header), *cells])


def taus() -> str:
    """Kendall's tau between estimation and AP over the models, a row for each collection."""
    lines = ["| | bias | variance | total |", "| --- | --- | --- | --- |"]
    for folder in FOLDERS:
        found = _models(folder)["joint"]["correlation"]
        lines.append(f"| {_title(folder)} | {' | '.join(f'{found[name]:.2f}' for name in ('bias', 'var', 'total'))} |")
    return "\n".join(lines) + "\n"


def _columns() -> Iterator[tuple[str, str]]:
    return ((folder, kind) for kind in NAMES for folder in FOLDERS)


def _title(folder: str) -> str:
    return {"npl": "NPL", "cranfield": "Cranfield"}[folder]


@cache
def _models(folder: str) -> Row:
    """The one result of ``biasvar models``, by kl-fwd with epsilon 0.1."""
    options = f"{FAMILIES} --baseline rm --runs {folder}/ap.csv -m AP --target run:true"
    (found,) = json.loads(output(f"{ESTIMATION.format(folder)} {options} --quiet -f json"))["results"]
    return dict(found)


@cache
def _differences(folder: str, kind: str) -> dict[str, Row]:
    """Every model or run with its differences from rm."""
    if kind == "estimation":
        return {row["model"]: row for row in _models(folder)["models"]}
    printed = output(f"{AP.format(folder, 'decompose')} --baseline rm --no-null --quiet -f csv")
    return {row["run"]: row for row in csv.DictReader(io.StringIO(printed))}


@cache
def _tradeoff(folder: str) -> Row:
    """The one result of ``biasvar tradeoff`` on AP."""
    command = f"{AP.format(folder, 'tradeoff')} {FAMILIES} --baseline rm --no-null --quiet -f json"
    (found,) = json.loads(output(command))["results"]
    return dict(found)


@cache
def _family(folder: str, kind: str, family: str) -> Row:
    """The correlation within a family, and which of its members have less bias² and less variance than rm."""
    if kind == "estimation":
        found = _models(folder)["families"]
    else:
        found = [row for row in _tradeoff(folder)["families"] if row["form"] == "score"]
    (one,) = (row for row in found if row["family"] == family)
    return dict(one)


def _interval(folder: str, kind: str, name: str, prefix: str) -> Interval:
    """The difference of bias (d), or the ratio of variances (ratio), of a model or run and rm."""
    bias, var = NAMES[kind]
    column = f"{prefix}_{bias if prefix == 'd' else var}"
    row = _differences(folder, kind)[name]
    return Interval(*(float(row[f"{column}{end}"]) for end in ("", "_low", "_high")))


def _bias(name: str) -> Callable[[str, str], str]:
    return lambda folder, kind: str(_interval(folder, kind, name, "d"))


def _ratio(name: str) -> Callable[[str, str], str]:
    return lambda folder, kind: str(_interval(folder, kind, name, "ratio"))


def _correlation(family: str) -> Callable[[str, str], str]:
    return lambda folder, kind: f"{_family(folder, kind, family)['pearson']:+.2f}"


def _rho(family: str, quantity: str, first: str | None = None) -> Callable[[str, str], str]:
    """Spearman's correlation over a family of its parameter and the bias or variance; with ``first`` as parameter 1."""

    def cell(folder: str, kind: str) -> str:
        name = NAMES[kind][("bias", "var").index(quantity)]
        members = {each: float(each.rpartition("-")[2]) for each in _family(folder, "estimation", family)["members"]}
        at = {**({first: 1.0} if first is not None else {}), **members}
        values = [float(_differences(folder, kind)[each][name]) for each in at]
        order = np.argsort(np.argsort(list(at.values())))  # s may be infinite
        return f"{spearman(order.astype(float), np.array(values)).item():+.2f}"

    return cell


def _below(family: str) -> Callable[[str, str], str]:
    """How many members have less of both than rm, and how many of these with both intervals."""

    def cell(folder: str, kind: str) -> str:
        found = _family(folder, kind, family)
        members = found["n_models"] if kind == "estimation" else found["n_runs"]
        clear = [
            name
            for name in found["below"]
            if _interval(folder, kind, name, "d").high < 0 and _interval(folder, kind, name, "ratio").high < 1
        ]
        return f"{len(found['below'])} of {members} ({len(clear)})"

    return cell


_CELLS: dict[str, Callable[[str, str], str]] = {
    "h1: bias of the original minus that of RM": _bias("orig"),
    "h1: variance of the original over that of RM": _ratio("orig"),
    "h2: r of bias² and variance over the nine λ": _correlation("comb"),
    "h2: ρ(λ, bias)": _rho("comb", "bias"),
    "h2: ρ(λ, variance)": _rho("comb", "var"),
    "h3: ρ(s, bias)": _rho("rmw", "bias", "rm"),
    "h3: ρ(s, variance)": _rho("rmw", "var", "rm"),
    "h3: s with less of both than RM": _below("rmw"),
    "h3: bias of RM with equal weights minus that of RM": _bias("rmw-inf"),
    "h3: its variance over that of RM": _ratio("rmw-inf"),
    "h4: λ with less of both than RM": _below("comb"),
    "h5: rates of removal with less of both than RM": _below("nrr"),
}
