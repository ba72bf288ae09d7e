"""What may be asked of judges, and the columns of the tables of judges, runs and queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, STATISTICS, Completion, same_setting, setting
from biasvar_cli.specs.baselines import BaselineSpec, parse_run_baseline
from biasvar_cli.specs.limits import LEVEL, require_one
from biasvar_cli.specs.requests import QueryClusters, SampledRequest, TargetedRequest
from biasvar_cli.specs.targets import target_help
from biasvar_cli.stats.significance import USUAL_RESAMPLES
from biasvar_cli.tables.column import MEASURE, QUERY, RUN, Column, Declared, attribute
from biasvar_cli.words import argument

if TYPE_CHECKING:
    from biasvar_cli.analyses.judges.answer import JudgeAnswer, JudgesAnswer, Mark


Calibrated = Literal["mean", "bias", "total_gap"]


@dataclass(frozen=True, kw_only=True)
class JudgesRequest(TargetedRequest):
    """Against which ``target`` the errors under each judge are measured, and which judges are passes of one.

    p below 1 - ``level`` is significant; ``samples`` are those of each test. ``replicates`` is a pattern of names of
    judges or the path of a csv. Queries of one of the ``clusters`` are drawn together (`scoring.labels`).

    Raises `UsageError` for what cannot be asked.
    """

    target: tuple[str, ...] = same_setting(TargetedRequest, "target", help=target_help(several=False), single=True)
    replicates: str | None = setting(
        None,
        COMMON,
        "Which judges are passes of one, whose row is of their mean: a pattern of names, of which a group is the name "
        "of the judge, '(.*)-pass[0-9]+', or which is left out of the name, '-pass[0-9]+'; or a csv of judge,name.",
        completion=Completion(paths=True),
        metavar="REGEX|FILE",
        brief="Which judges are passes of one.",
    )
    level: float = setting(
        LEVEL, STATISTICS, "Level of confidence: a p-value below 1 - LEVEL is significant.", metavar="LEVEL"
    )
    samples: int = setting(USUAL_RESAMPLES, STATISTICS, "Number of random samples of each test.", metavar="N")
    clusters: QueryClusters | None = same_setting(SampledRequest, "clusters")
    calibrate: bool = setting(
        False,
        STATISTICS,
        "Make use of the queries that a judge alone judged: means and differences under the reference, moved by what "
        "the judge says of these, with intervals (prediction-powered inference). A row per run.",
    )
    of: Calibrated = setting("mean", STATISTICS, "With --calibrate: what of each run is calibrated.")
    baseline: str | None = setting(
        None,
        STATISTICS,
        "With --calibrate: the differences of all runs from this one, NAME or run:NAME, tested together.",
        completion=Completion(names=True),
        metavar="NAME",
    )
    half_width: float | None = setting(
        None,
        STATISTICS,
        "With --calibrate: say how many queries the reference has to judge for intervals of differences of this "
        "half-width.",
        metavar="W",
    )
    seed: int = same_setting(SampledRequest, "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_one("target", self.target)
        if self.log is not None:
            raise UsageError("judges are compared by the scores themselves", option="log")
        if self.calibrate and self.clusters is not None:
            raise UsageError("queries in clusters cannot be calibrated: it takes independent ones", option="clusters")
        if not self.calibrate:
            for name, unset in (("of", "mean"), ("baseline", None), ("half_width", None)):
                if getattr(self, name) != unset:
                    raise UsageError(f"only with {argument(calibrate=True)}", option=name)
        if self.versus is not None and self.versus.kind == "top":
            reason = f"name a run that was chosen beforehand; {argument(calibrate=True)} ranks all runs without one"
            raise UsageError(reason, option="baseline")

    @property
    def versus(self) -> BaselineSpec | None:
        """The run that all others are compared with; None without one."""
        return None if self.baseline is None else parse_run_baseline(self.baseline)


@dataclass(frozen=True, kw_only=True)
class CalibratedRequest(JudgesRequest):
    """What may be asked of judges that are calibrated."""

    calibrate: bool = True


def _judge_column(name: str, meaning: str, path: str = "", **others: Any) -> Column[JudgesAnswer]:
    """A column of a row a judge: what is at a path of it, by default the column's name."""
    return attribute(name, meaning, path, **others).on("judges")


def _tau(name: str, quantity: str, **others: Any) -> Column[JudgesAnswer]:
    rankings = f"the rankings of the runs by `{quantity}` under the judge and under the reference"
    return _judge_column(name, f"Kendall's tau-b between {rankings}", f"taus.{quantity}", **others)


def _pairs(name: str, meaning: str, **others: Any) -> Column[JudgesAnswer]:
    """A number of pairs of runs; None where too few queries are tested."""
    return Column(
        name, meaning, lambda answer: [of.classes and getattr(of.classes, name) for of in answer.judges], **others
    )


def _marked(mark: Mark, meaning: str) -> Column[JudgesAnswer]:
    """The runs with a mark, of a row a judge."""
    return Column(mark, meaning, lambda answer: [judge.marked(mark) for judge in answer.judges], hidden=True)


def _pass_column(name: str, meaning: str, **others: Any) -> Column[JudgesAnswer]:
    """A column of a row a judge, where passes of a judge are one row."""
    column: Column[Any] = attribute(name, meaning, option="--replicates", **others)
    return column.on(lambda answer: answer.judges if answer.with_passes else None)


def _rows(name: str, meaning: str, values: Callable[[JudgeAnswer], Any] | str, **others: Any) -> Column[JudgesAnswer]:
    """A column of the runs or the queries under each judge, one judge after the other."""
    values_of = attrgetter(values) if isinstance(values, str) else values

    def of(answer: JudgesAnswer) -> list[Any]:
        parts = (values_of(judge) for judge in answer.judges)
        return [value for part in parts for value in (part.tolist() if hasattr(part, "tolist") else part)]

    return Column(name, meaning, of, **others)


def _calibrated(name: str, meaning: str, path: str, setting: str = "calibrate", **others: Any) -> Column[JudgesAnswer]:
    """A column of the runs under each judge, with ``--calibrate`` or another ``setting``; None without."""
    head, _, index = path.partition(".")

    def of(answer: JudgesAnswer) -> list[Any] | None:
        if not getattr(answer.request, setting):
            return None
        values: list[Any] = []
        for calibration in answer.calibrations:
            part = getattr(calibration, head)
            if index:
                part = part[int(index)] if index.isdigit() else getattr(part, index)
            values += (calibration.printed(part) if others.get("kind", "score") else part).tolist()
        return values

    return Column(name, meaning, of, **{"kind": "score", **others}, option=f"--{setting}")


def _difference(name: str, meaning: str, **others: Any) -> Column[JudgesAnswer]:
    """A column of the differences from ``--baseline``; None without one."""
    return _calibrated(name, meaning, f"versus.{name.removeprefix('delta_')}", "baseline", kind="", **others)


def _calibration(name: str, meaning: str, path: str = "") -> Column[JudgesAnswer]:
    """A column of a row a judge, with ``--calibrate``: what is at a path of the calibration; None without."""
    value = attrgetter(f"{path}{name}" if path.endswith(".") else path or name)

    def of(answer: JudgesAnswer) -> list[Any] | None:
        return [value(calibration) for calibration in answer.calibrations] if answer.request.calibrate else None

    return Column(name, meaning, of, hidden=True, option="--calibrate")


JUDGE = "the name of the judge: that of its file without the suffix, or as `-q NAME=FILE` says"
_SLOPE = (
    "the slope of the runs' means under the judge on those under the reference (least squares), which the noise of the "
    "reference's means draws to 0: `spread` is without it; empty where the reference's means do not vary"
)
_MSD = (
    "the mean squared difference of the scores under the judge and the reference, the sum of `shift`, `query`, "
    "`compression`, `favour` and `rest`"
)
_QUERY = (
    "the population variance over the queries of the mean differences: some queries become easier, others harder, for "
    "all runs alike"
)
_COMPRESSION = "(`slope` - 1)² times the variance of the reference's run means"
_FAVOUR = (
    "the population variance of the runs' means around their line: what is left of the means, which can change their "
    "order"
)
_PEARSON = "Pearson's r of bias² and variance over the runs under the judge"
_VERDICT = "what the null models say of it: `stronger`, `weaker` or `none`, as in `biasvar tradeoff`"
_VAR_PASSES = (
    "the variance of the scores between the passes, mean over runs and queries, divisor K; the mean `msd` of the "
    "passes is that of their mean plus this; empty for one pass"
)
_BOTH = "pairs of runs that differ significantly under both, in the same direction; empty below 6 queries"
_NEEDED = (
    "how many queries the reference has to judge for differences within `--half-width`; empty without it, and for more "
    "than a million"
)
_SPREAD = (
    "how far the judge spreads the true means of the runs, those over all queries of the kind, beside the reference: 2 "
    "is twice as far; empty where the reference's spread is not above its noise, or below 6 queries"
)
_SPREAD_P = "p of the test that the judge spreads them as far as the reference does; empty below 6 queries"
_FAVOURED = (
    "the runs whose mean lies significantly above the line of all runs, `p`; the text says *favours* only where "
    "`curve_p` is small too"
)
CALIBRATED_JUDGES = (
    _calibration("of", "what is calibrated: `mean`, `bias` or `total_gap`", "request.of"),
    _calibration("n_both", "how many queries the reference and the judge judged"),
    _calibration("n_alone", "how many more the judge alone judged"),
    _calibration("lambda_level", "how far the judge is followed in the level of all runs, 0 to 1", "calibrated."),
    _calibration("lambda_differences", "how far it is followed in differences of runs, 0 to 1", "calibrated."),
    _calibration("worth", "how many queries of the reference alone tell differences as well, median over the pairs"),
    _calibration("n_significant", "how many pairs of runs differ significantly by the calibrated values"),
    _calibration("n_significant_reference", "how many do by the reference alone"),
    _calibration("sample_p", "p of the test that the queries of the reference are like the others under the judge"),
    _calibration("queries_needed", _NEEDED),
)
_JUDGES: Declared[JudgesAnswer] = (
    MEASURE,
    _judge_column("judge", JUDGE, "name"),
    _judge_column("mean", "the mean score of all runs under the judge", "judge.mean", kind="score"),
    _judge_column("slope", _SLOPE, "split.slope", priority=2),
    _judge_column("msd", _MSD, "split.msd", priority=1),
    _judge_column("shift", "the square of the mean difference: all scores move together", "split.shift", priority=3),
    _judge_column("query", _QUERY, "split.query", priority=3),
    _judge_column("compression", _COMPRESSION, "split.compression", priority=3),
    _judge_column("favour", _FAVOUR, "split.favour", priority=3),
    _judge_column("rest", "what differs by run and query: it changes no mean", "split.rest", priority=3),
    _tau("tau", "mean", latex="$\\tau$"),
    _tau("tau_total", "total", head="tau_total", latex="$\\tau$, total", priority=4),
    _tau("tau_var", "var", head="tau_var", latex="$\\tau$, var", priority=1),
    _tau("tau_total_gap", "total_gap", latex="$\\tau$, total gap", hidden=True),
    _tau("tau_var_gap", "var_gap", latex="$\\tau$, var gap", hidden=True),
    _pairs("both", _BOTH),
    _pairs("reversed", "pairs that differ significantly under both, in opposite directions"),
    _pairs("lost", "pairs that differ significantly under the reference alone"),
    _pairs("gained", "pairs that differ significantly under the judge alone"),
    _pairs("neither", "pairs that differ significantly under none", hidden=True),
    _judge_column("best", "the run with the best mean under the judge", "judge.best", hidden=True),
    _judge_column("pearson", _PEARSON, "judge.pearson", latex="$r$", signed=True, hidden=True),
    Column("verdict", _VERDICT, "verdicts", hidden=True),
    _marked("favoured", _FAVOURED),
    _marked("disfavoured", "the runs whose mean lies significantly below it"),
    _pass_column("n_passes", "how many passes of the judge the row is the mean of", head="passes"),
    _pass_column("var_passes", _VAR_PASSES, head="var of passes", priority=1),
    _judge_column("spread", _SPREAD, "spread.ratio"),
    _judge_column("spread_low", "the lower end of the interval of `spread`", "spread.low", hidden=True),
    _judge_column("spread_high", "the upper end of the interval of `spread`", "spread.high", hidden=True),
    _judge_column("spread_p", _SPREAD_P, "spread.p", latex="$p$, spread", hidden=True),
    *CALIBRATED_JUDGES,
)
_RESIDUAL = (
    "how far the run's mean lies above the line of all runs (below: negative); for a measure of which less is better, "
    "a run above it has the lower mean"
)
_P = "p of the test that the residual is 0, for all runs of the judge together; empty below 6 queries"
_CURVE_P = (
    "that of the distance from a parabola through the means, 1 where it has another sign than the residual: a judge is "
    "said to favour a run where both are below 1 - LEVEL"
)
_MARKED = "`favoured` or `disfavoured` where p is below 1 - LEVEL, else empty"
CALIBRATED = ("run", "people", "calibrated", "low", "high", "model", "worth", "rank", "rank_low", "rank_high")
COMPARED = ("run", "people", "calibrated", "model", "delta", "delta_low", "delta_high", "delta_p", "rank")
_DELTA = (
    "`calibrated` of the run minus that of `--baseline`, for a measure of which less is better the reverse of means; "
    "above 0 the run has the better mean, or the larger error; empty for the baseline"
)
_DELTA_LOW = (
    "the lower end of the interval of `delta`, which holds for all runs together; a later step of the test may call a "
    "run different whose interval contains 0"
)
_DELTA_P = "p of no difference from `--baseline`, for all runs together (step-down; t for two runs)"
_OF_QUERIES = "how many queries that the reference alone judged would tell as much of the run"
_CALIBRATED_RUNS: Declared[JudgesAnswer] = (
    _calibrated("people", "the mean, or what `--of` names, under the reference alone", "of_people"),
    _calibrated("calibrated", "that, moved by what the judge says of the queries that it alone judged", "runs.value"),
    _calibrated("low", "the lower end of the interval of `calibrated`", "low", other_end="high"),
    _calibrated("high", "the upper end of that interval", "high", other_end="low"),
    _calibrated("model", "what the judge alone says, on all of its queries", "of_model"),
    _calibrated("worth", _OF_QUERIES, "runs.worth", kind=""),
    _calibrated("rank", "the rank by `calibrated`; 1 is best", "rank", kind=""),
    _calibrated("rank_low", "the least rank, 1 + the runs that are significantly better", "rank_ends.0", kind=""),
    _calibrated("rank_high", "the greatest rank; the ranges of all runs hold together", "rank_ends.1", kind=""),
    _difference("delta", _DELTA, latex="$\\Delta$", signed=True),
    _difference("delta_low", _DELTA_LOW, signed=True),
    _difference("delta_high", "the upper end", signed=True),
    _difference("delta_p", _DELTA_P, head="p", latex="$p$"),
)
_RUNS: Declared[JudgesAnswer] = (
    MEASURE,
    _rows("judge", JUDGE, lambda judge: [judge.name] * judge.n_runs),
    _rows(RUN.name, RUN.meaning, "runs"),
    _rows("mean", "the mean score of the run under the judge", "judge.run_means", kind="score"),
    _rows(
        "reference_mean",
        "its mean score under the reference",
        "reference.run_means",
        head="reference",
        kind="score",
        priority=1,
    ),
    _rows("residual", _RESIDUAL, "favour.residual", signed=True),
    _rows("p", _P, "favour.p", latex="$p$"),
    _rows("curve_p", _CURVE_P, "favour.curve_p", head="p, curve", priority=2),
    _rows("mark", _MARKED, lambda judge: [mark or "" for mark in judge.marks()]),
    *_CALIBRATED_RUNS,
)
_DIFFERENCE = (
    "the mean over the runs of the score under the judge less that under the reference; the reverse for a measure of "
    "which less is better"
)
_QUERY_REST = (
    "the mean square of what differs by run on this query, beside the means of run and query; `rest` of the judge is "
    "the mean over the queries"
)
_QUERIES: Declared[JudgesAnswer] = (
    MEASURE,
    _rows("judge", JUDGE, lambda judge: [judge.name] * judge.n_queries),
    _rows(QUERY.name, QUERY.meaning, "scores.queries"),
    _rows("mean", "the mean score of all runs on the query under the judge", "judge.query_means", kind="score"),
    _rows("reference_mean", "that under the reference", "reference.query_means", head="reference", kind="score"),
    _rows("difference", _DIFFERENCE, "query_differences", signed=True),
    _rows("rest", _QUERY_REST, "query_rests"),
)
_COMPONENT = "where it comes from: `runs`, `queries`, `judges`, two of them together, or the `rest`"
_COMPONENTS: Declared[JudgesAnswer] = (
    MEASURE,
    Column("component", _COMPONENT, lambda answer: list(answer.components.variances)),
    Column(
        "variance",
        "the component of the variance of the scores, without bias; may be below 0",
        lambda answer: list(answer.components.variances.values()),
    ),
    Column("share", "its share in the sum; 0 below 0", lambda answer: list(answer.components.shares.values())),
)
_KAPPA = (
    "Cohen's kappa (1960) of these grades, as names; empty where both judges use one grade alone, and like the two "
    "columns before it for scores and passes, which have no grades"
)
_ALPHA = "Krippendorff's alpha of these grades, which are taken as ordered (ordinal); empty where kappa is"
_TAU_TOP = "Kendall's tau-b of the ten runs with the best means under the reference, of all where there are fewer"
_TAU_AP = (
    "tau_AP (Yilmaz, Aslam and Robertson, SIGIR 2008) of the ranking by mean under the judge beside that under the "
    "reference: changes near the top weigh most; the mean over all orders of tied runs"
)
_AGREEMENT: Declared[JudgesAnswer] = (
    MEASURE,
    _judge_column("judge", JUDGE, "name"),
    _judge_column("n_documents", "documents of the common queries that both judged", "agreement.n_documents"),
    _judge_column("equal", "the share of these with the same grade under both", "agreement.equal"),
    _judge_column("kappa", _KAPPA, "agreement.kappa", latex="$\\kappa$"),
    _judge_column("alpha", _ALPHA, "agreement.alpha", latex="$\\alpha$"),
    _tau("tau", "mean", latex="$\\tau$"),
    _judge_column("tau_top", _TAU_TOP, "agreement.tau_top", head="tau, top 10", latex="$\\tau$, top 10"),
    _judge_column("tau_ap", _TAU_AP, "agreement.tau_ap", head="tau_AP", latex="$\\tau_\\mathrm{AP}$"),
)
TABLES: dict[str, Declared[Any]] = {
    "judges": _JUDGES,
    "runs": _RUNS,
    "queries": _QUERIES,
    "components": _COMPONENTS,
    "agreement": _AGREEMENT,
}
