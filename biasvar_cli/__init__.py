"""Bias-variance evaluation of retrieval runs.

The names of `__all__` are for notebooks (docs/python.md). They are loaded when they are first used, for the command
line needs none of them to start.
"""

from typing import TYPE_CHECKING

from biasvar_cli.analyses import ANALYSES as _ANALYSES
from biasvar_cli.words import VERSION as __version__  # noqa: N811

if TYPE_CHECKING:
    from biasvar_cli.analyses.check.notebook import CheckResult, check
    from biasvar_cli.analyses.compare.notebook import compare
    from biasvar_cli.analyses.decompose.notebook import DecompositionResult, decompose
    from biasvar_cli.analyses.judges.notebook import judges
    from biasvar_cli.analyses.models.notebook import models
    from biasvar_cli.analyses.profile.notebook import profile
    from biasvar_cli.analyses.risk.notebook import risk
    from biasvar_cli.analyses.sensitivity.notebook import sensitivity
    from biasvar_cli.analyses.summary.notebook import summary
    from biasvar_cli.analyses.target.notebook import TargetResult, target
    from biasvar_cli.analyses.tracks.notebook import tracks
    from biasvar_cli.analyses.tradeoff.notebook import tradeoff
    from biasvar_cli.errors import BiasVarError, DataWarning
    from biasvar_cli.notebook.figure import Figure
    from biasvar_cli.notebook.results import Result
    from biasvar_cli.notebook.scores import Scores, evaluate, means
    from biasvar_cli.page.notebook import Page, report

_MODULES = {
    "evaluate": "notebook.scores",
    "Scores": "notebook.scores",
    "means": "notebook.scores",
    **{analysis.name: f"analyses.{analysis.name}.notebook" for analysis in _ANALYSES if analysis.notebook},
    "CheckResult": "analyses.check.notebook",
    "DecompositionResult": "analyses.decompose.notebook",
    "TargetResult": "analyses.target.notebook",
    "Result": "notebook.results",
    **dict.fromkeys(("Page", "report"), "page.notebook"),
    "Figure": "notebook.figure",
    **dict.fromkeys(("BiasVarError", "DataWarning"), "errors"),
}

__all__ = [
    "BiasVarError",
    "CheckResult",
    "DataWarning",
    "DecompositionResult",
    "Figure",
    "Page",
    "Result",
    "Scores",
    "TargetResult",
    "__version__",
    "check",
    "compare",
    "decompose",
    "evaluate",
    "judges",
    "means",
    "models",
    "profile",
    "report",
    "risk",
    "sensitivity",
    "summary",
    "target",
    "tracks",
    "tradeoff",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
