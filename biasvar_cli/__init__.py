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

from biasvar_cli.analyses import ANALYSES as _ANALYSES
from biasvar_cli.words import VERSION as _VERSION

__version__ = _VERSION
_FUNCTIONS = {analysis.name for analysis in _ANALYSES if analysis.notebook}
_MODULES = {
    "BiasVarError": "errors",
    "CheckResult": "analyses.check.notebook",
    "DataWarning": "errors",
    "DecompositionResult": "notebook.results",
    "Figure": "notebook.figure",
    "Page": "page.notebook",
    "Result": "notebook.results",
    "Scores": "notebook.scores",
    "TargetResult": "notebook.results",
    "evaluate": "notebook.scores",
    "means": "notebook.scores",
    "report": "page.notebook",
}

__all__ = sorted(["__version__", *_MODULES, *_FUNCTIONS])


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name in _FUNCTIONS:
        value = import_module(f"{__name__}.notebook.results").function_of(name)
    elif name in _MODULES:
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
