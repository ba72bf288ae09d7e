"""``bv.target``: the virtual target in a notebook."""

from __future__ import annotations

from dataclasses import dataclass

from biasvar_cli.analyses.target.request import TargetRequest
from biasvar_cli.decomposition.decompose import VirtualTarget
from biasvar_cli.notebook.results import Result, notebook_function, only


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TargetResult(Result):
    """A virtual target: ``frame()`` has a row a query."""

    @property
    def target(self) -> VirtualTarget:
        """The target: ``label``, ``mean``, ``var``, ``n_pool``, and ``scores`` in the order of the queries.

        Raises `UsageError` for several.
        """
        targets: list[VirtualTarget] = [answer.target for answer in self.answers]
        return only(targets, "measures")


target = notebook_function(
    "target",
    TargetRequest,
    """The virtual target: its score on every query, the runs that supply it, and how hard the query is.

    ``frame("runs")`` has what each run contributes, ``frame("rarefied")`` the target of fewer runs, as ``biasvar target
    --table`` has them. The other arguments are as in `decompose`.
    """,
    result=TargetResult,
    without=("log", "eps"),
)
