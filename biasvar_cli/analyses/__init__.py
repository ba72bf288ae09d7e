"""What can be asked: one folder for an analysis, and the one list of them.

The command group and its headings, the group of figures, the table of the README and the names of
``import biasvar_cli as bv`` are made from `ANALYSES`. It is data alone, so that ``--help`` loads no analysis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Analysis(NamedTuple):
    """An analysis: its name, the heading under which commands are listed, and what it shows, in one line.

    The command is ``command.NAME`` in its folder, each figure ``plot.draw_FIGURE``, and with ``notebook`` its function
    for notebooks is ``notebook.NAME``. ``figures`` maps the name of a figure to what it shows.
    """

    name: str
    heading: str
    summary: str
    figures: Mapping[str, str] = {}
    notebook: bool = False

    @property
    def command(self) -> str:
        """Where the command is, as ``module:name`` of this program."""
        return f"analyses.{self.name}.command:{self.name}"

    def figure(self, name: str) -> str:
        """Where the command of a figure is."""
        return f"analyses.{self.name}.plot:draw_{name}"


_FILES = "Look at the files"
_RUNS = "Evaluate the runs of a track"

ANALYSES = (  # in the order of the work
    Analysis("check", _FILES, "What is wrong or odd in the files, without computing.", notebook=True),
    Analysis("scores", _FILES, "The score of every run on every query."),
    Analysis(
        "decompose",
        _RUNS,
        "Bias², variance and total error of every run.",
        {
            "plane": "bias² against variance, lines of equal total, the Pareto front.",
            "total": "bias² against bias² + variance.",
            "ranked": "Runs in order of bias², with bias², variance and their sum.",
        },
        notebook=True,
    ),
    Analysis(
        "tradeoff",
        _RUNS,
        "Correlation of bias² and variance under query samples.",
        {"tradeoff": "Correlations of bias² and variance beside null models."},
        notebook=True,
    ),
    Analysis(
        "target",
        _RUNS,
        "The virtual target: its score and suppliers on every query.",
        {
            "target": "On each query: the target's score and supplier, the runs' spread.",
            "queries": "Heat map of runs and queries: the gap to the target.",
            "rarefaction": "The target's mean against the number of runs pooled.",
        },
        notebook=True,
    ),
    Analysis("sensitivity", _RUNS, "What a ranking depends on: target, single queries, chance.", notebook=True),
    Analysis(
        "risk",
        _RUNS,
        "Wins, losses and risk of every run against a baseline.",
        {
            "risk": "U_risk of the leading runs over the weight of losses.",
            "losses": "A run's gains and losses against a baseline, query by query.",
        },
        notebook=True,
    ),
    Analysis(
        "compare",
        _RUNS,
        "Which runs differ: paired tests of all pairs, or with a baseline.",
        {
            "compare": "Runs by mean with comparison bars: which ones differ.",
            "asl": "The p-values of all pairs: which measure tells runs apart.",
            "swap": "How often two runs change places on other queries.",
        },
        notebook=True,
    ),
    Analysis(
        "summary",
        _RUNS,
        "The table of a paper: runs and measures, marks of significance.",
        {"summary": "Means of several measures with comparison bars, runs in one order."},
        notebook=True,
    ),
    Analysis(
        "models",
        "Evaluate query models",
        "Query models against the true one: estimation bias² and variance.",
        {"estimation": "Query models: estimation bias² against variance, families joined."},
        notebook=True,
    ),
    Analysis(
        "tracks",
        "Compare tracks",
        "The tradeoff over many tracks and years, and its trend.",
        {"trend": "Correlations over the years of a manifest."},
        notebook=True,
    ),
)
