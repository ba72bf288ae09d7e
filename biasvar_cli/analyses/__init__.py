"""The list of all analyses; each has a folder of its name here.

The command group and its headings, the group of figures, the table of the README and the functions of
``import biasvar_cli as bv`` are made from `ANALYSES`. It is data alone, so that ``--help`` loads no analysis.
"""

from collections.abc import Mapping
from typing import NamedTuple


class FigureWords(NamedTuple):
    """A figure in words: what it shows, in a line of a list; ``when`` completes the sentence "Use it ..."."""

    shows: str
    when: str


class Analysis(NamedTuple):
    """An analysis: its name, the heading under which commands are listed, and what it shows, in one line.

    The command is ``command.NAME`` in its folder, each figure ``command.draw_FIGURE``, and with ``notebook`` its
    function for notebooks is ``notebook.NAME``. ``figures`` maps the name of a figure, which no other analysis has, to
    what is said of it; the functions are those of ``FIGURES`` in the folder.
    """

    name: str
    heading: str
    summary: str
    figures: Mapping[str, FigureWords] = {}
    notebook: bool = True

    @property
    def command_path(self) -> str:
        """Where the command is, as ``module:name`` of this program."""
        return f"analyses.{self.name}.command:{self.name}"

    def figure_path(self, name: str) -> str:
        """Where the command of a figure is."""
        return f"analyses.{self.name}.command:draw_{name}"


_FILES = "Look at the files"
_RUNS = "Evaluate the runs of a track"

ANALYSES = (  # in the order of the work
    Analysis("check", _FILES, "What is wrong or odd in the files, without computing."),
    Analysis("scores", _FILES, "The score of every run on every query.", notebook=False),
    Analysis(
        "decompose",
        _RUNS,
        "Bias², variance and total error of every run.",
        {
            "plane": FigureWords(
                "bias² against variance, lines of equal total, the Pareto front.",
                "to show which runs are effective, which are stable, and how a parameter trades one for the other",
            ),
            "total": FigureWords(
                "bias² against bias² + variance.",
                "to show how much of each run's total error is bias, and how much is variance",
            ),
            "ranked": FigureWords(
                "Runs in order of bias², with bias², variance and their sum.",
                "to compare both parts of the error of a few runs, or the shape of them over many",
            ),
        },
    ),
    Analysis(
        "tradeoff",
        _RUNS,
        "Correlation of bias² and variance under query samples.",
        {
            "tradeoff": FigureWords(
                "Correlations of bias² and variance beside null models.",
                "before you claim a tradeoff, to see whether the correlation is beyond what the means alone give",
            )
        },
    ),
    Analysis(
        "target",
        _RUNS,
        "The virtual target: its score and suppliers on every query.",
        {
            "target": FigureWords(
                "On each query: the target's score and supplier, the runs' spread.",
                "to see which queries are hard even for the best run, and which runs supply the target",
            ),
            "queries": FigureWords(
                "Heat map of runs and queries: the gap to the target.",
                "to find the queries on which all runs fail, and those on which one does",
            ),
            "rarefaction": FigureWords(
                "The target's mean against the number of runs pooled.",
                "to judge whether more runs would still raise the target",
            ),
        },
    ),
    Analysis(
        "sensitivity",
        _RUNS,
        "What a ranking depends on: target, single queries, chance.",
    ),
    Analysis(
        "risk",
        _RUNS,
        "Wins, losses and risk of every run against a baseline.",
        {
            "risk": FigureWords(
                "U_risk of the leading runs over the weight of losses.",
                "to choose a run where losses weigh more than gains",
            ),
            "losses": FigureWords(
                "A run's gains and losses against a baseline, query by query.",
                "to show where a run gains and where it loses, behind a difference of means",
            ),
        },
    ),
    Analysis(
        "profile",
        _RUNS,
        "One run: better than a baseline, than the best? On which queries?",
        {
            "profile": FigureWords(
                "One run on every query, beside a baseline and the target.",
                "to show on which queries a run gains and loses against a baseline, and how far it is from the target",
            )
        },
    ),
    Analysis(
        "compare",
        _RUNS,
        "Which differences are significant: paired tests of runs.",
        {
            "compare": FigureWords(
                "Runs by mean with comparison bars: which ones differ.",
                "to say which runs differ significantly under one measure",
            ),
            "asl": FigureWords(
                "The p-values of all pairs: which measure tells runs apart.",
                "to compare measures by the share of pairs of runs that they tell apart",
            ),
            "swap": FigureWords(
                "How often two runs change places on other queries.",
                "to see how large a difference has to be before it seldom turns round on other queries",
            ),
        },
    ),
    Analysis(
        "summary",
        _RUNS,
        "The table of a paper: runs and measures, marks of significance.",
        {
            "summary": FigureWords(
                "Means under several measures, with comparison bars.",
                "in place of the main table of a paper, or beside it",
            )
        },
    ),
    Analysis(
        "judges",
        _RUNS,
        "What other judgments of the same runs change.",
        {
            "judges": FigureWords(
                "What judges change: parts of each difference, and runs favoured.",
                "to show in which way a judge differs from the reference, and which runs it favours",
            ),
            "calibrated": FigureWords(
                "Intervals of the runs by people alone, and calibrated by a judge.",
                "where people judged few queries and a model many, to show what the model adds",
            ),
        },
    ),
    Analysis(
        "unjudged",
        _RUNS,
        "What unjudged documents can change.",
        {
            "unjudged": FigureWords(
                "The means of runs, and what unjudged documents could add.",
                "to show which runs could still be the best, where runs have documents that nobody judged",
            )
        },
    ),
    Analysis(
        "models",
        "Evaluate query models",
        "Query models against the true one: estimation bias² and variance.",
        {
            "estimation": FigureWords(
                "Query models: estimation bias² against variance, families joined.",
                "to show which query models are near the true one, and where their parameter moves them",
            )
        },
    ),
    Analysis(
        "tracks",
        "Compare tracks",
        "The tradeoff over many tracks and years, and its trend.",
        {
            "trend": FigureWords(
                "Correlations over the years of a manifest.", "to show how the tradeoff changes from year to year"
            )
        },
    ),
)
