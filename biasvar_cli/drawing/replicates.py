"""The single runs of systems in the plane of bias² and variance: small points, each joined to that of its system."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.drawing.chart import BIAS2, InForm, in_form
from biasvar_cli.drawing.style import Rows, Spec, layer
from biasvar_cli.words import TOTAL, VAR

SYSTEM, REPLICATE = "system", "one run of a system"  # in legends
SPOKE = (  # a line with a ring at its end
    "M-1.4,-0.09H0.25V0.09H-1.4ZM1.4,0A0.6,0.6 0 1,0 0.2,0A0.6,0.6 0 1,0 1.4,0Z"
    "M1.15,0A0.35,0.35 0 1,1 0.45,0A0.35,0.35 0 1,1 1.15,0Z"
)
_MANY = 60  # replicates, from which on they are fainter


class Replicated(NamedTuple):
    """The decomposition of single runs, and the system of each, whose replicates they are."""

    result: Decomposition
    system_of: Mapping[str, str]


def replicate_rows(rows: Rows, replicates: Replicated, errors: InForm) -> Rows:
    """A row for each replicate, with the point of its system, one of ``rows``; none for a system of one run."""
    systems, system_of, runs = {row["run"]: row for row in rows}, replicates.system_of, replicates.result.runs
    sizes = Counter(system_of[run] for run in runs)
    points, lines = in_form(replicates.result, errors.form), []
    for index, run in enumerate(runs):
        system = systems[system_of[run]]
        if sizes[system["run"]] > 1:
            values = {
                "bias2": float(replicates.result.bias2[index]),
                VAR[errors.form]: float(points.var[index]),
                TOTAL[errors.form]: float(points.total[index]),
            }
            ends = {f"system_{name}": system[name] for name in values}
            lines.append({"run": run, "system": system["run"], **values, **ends, "shown": system["shown"]})
    return lines


def replicate_layers(xy: Spec, color: Spec, number: int) -> list[Spec]:
    """The replicates as small hollow points, each joined to its system; many of them are fainter."""
    faint = number > _MANY
    ends = {f"{channel}2": {"field": f"system_{axis['field']}"} for channel, axis in xy.items()}
    line = {"strokeWidth": 0.35 if faint else 0.5, "opacity": 0.35 if faint else 0.55}
    point = {"size": 4 if faint else 8, "strokeWidth": 0.5, "opacity": 0.5 if faint else 0.75}
    return [
        layer("replicates", "rule", {**xy, **ends, "color": color}, aria=False, **line),
        layer("replicates", "point", {**xy, "color": color}, shape="circle", filled=False, aria=False, **point),
    ]


def replicate_words(variance: str) -> list[str]:
    """What the small points are, and why a system is not in their middle."""
    middle = (
        f"A system has the mean total of its runs, with less {BIAS2} and more {variance} than they have on "
        "average: the difference is the variance of their means"
    )
    return ["Small points: the runs of each system, joined to it", middle]
