"""Bias-variance evaluation of retrieval runs.

    import biasvar_cli as bv

    scores = bv.evaluate("runs", "qrels.txt", "nDCG@10")  # a folder of TREC runs and their judgments, or DataFrames
    bv.summary(scores)                                    # which run is best
    bv.profile(scores, "myrun", baseline="bm25")          # whether my run is better, and on which queries
    bv.compare(scores)                                    # which differences are significant
    result = bv.decompose(scores)                         # bias², variance and total error of each run
    result.verdict, result.frame(), result.plot("plane")  # sentences, a DataFrame, a figure

`evaluate` scores runs; scores of other programs are taken as they are. Each analysis is a function with the options of
its command as arguments, and gives a `Result`. What is wrong is a `BiasVarError`, what is odd in the data a
`DataWarning`.
docs/python.md has a tour, and the forms of what goes in and what comes out.
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
