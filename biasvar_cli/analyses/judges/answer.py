"""What other judgments of the same runs change: the parts of the difference, what stays true, and whom a judge favours.

The errors, their correlation with its null models and the reliability of the ranking are those of `decompose`, and the
differences of runs are tested as in `compare`.
"""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import nan
from typing import Literal, NamedTuple, get_args

import numpy as np

from biasvar_cli.analyses.decompose import DecomposeRequest
from biasvar_cli.analyses.decompose.answer import DecomposeAnswer
from biasvar_cli.analyses.judges import JudgesRequest
from biasvar_cli.analyses.judges.calibration import Calibration
from biasvar_cli.arrays import FloatArray, IntArray, in_order
from biasvar_cli.decomposition import judge_differences as compared
from biasvar_cli.decomposition.components import Components, components
from biasvar_cli.decomposition.spread import Spread, spread
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.judged_tracks import Judges, with_passes
from biasvar_cli.scoring.targets import AnswerOfScores, best_run, targeted_scores
from biasvar_cli.scoring.track import Scored
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.stats import paired, step_down
from biasvar_cli.stats.agreement import cohen_kappa, krippendorff_alpha
from biasvar_cli.stats.correlation import kendall, tau_ap
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.significance import PRIMARY, TESTS
from biasvar_cli.words import QUERIES, RUNS, argument

Mark = Literal["favoured", "disfavoured"]
MARKS: tuple[Mark, ...] = get_args(Mark)
TOP = 10  # runs whose order is compared by itself


@dataclass(frozen=True, eq=False)
class Judged(AnswerOfScores):
    """The runs under one judge and one measure. ``passes`` are the scores of each pass, (K, R, n)."""

    name: str
    scored: Scored
    passes: FloatArray
    request: JudgesRequest

    @property
    def scores(self) -> ScoreMatrix:
        return self.scored.scores

    @property
    def mean(self) -> float:
        """The mean utility of all runs."""
        return float(self.scores.values.mean())

    @cached_property
    def run_means(self) -> FloatArray:
        """The mean utility of each run, (R,)."""
        return np.asarray(self.scores.values.mean(axis=1))

    @cached_property
    def query_means(self) -> FloatArray:
        """The mean utility of all runs on each query, (n,)."""
        return np.asarray(self.scores.values.mean(axis=0))

    @cached_property
    def decomposed(self) -> DecomposeAnswer:
        """The errors against the target under this judge."""
        request, (spec,) = self.request, self.request.targets
        null = NullRequest(seed=request.seed, jobs=request.jobs)
        wanted = DecomposeRequest(target=request.target, null=null, seed=request.seed)
        return DecomposeAnswer(wanted, self.scored, targeted_scores(self.scored, spec))

    @property
    def pearson(self) -> float:
        """Pearson's r of bias^2 and variance over the runs."""
        return self.decomposed.rows[0].correlations.pearson

    @property
    def verdict(self) -> str | None:
        """What the null models say of it."""
        null, row = self.decomposed.null, self.decomposed.rows[0]
        row_null = None if null is None else null.of(row)
        return None if row_null is None else row_null.verdict

    @cached_property
    def signs(self) -> IntArray | None:
        """Which runs differ significantly, by pair, as in `compare`; None for too few queries."""
        request = self.request
        draws = TESTS[PRIMARY].draws(request.samples, seed=request.seed, jobs=request.jobs)
        return step_down.significant_signs(self.scores.values, request.level, draws, self.scores.clusters)

    @property
    def n_significant(self) -> int | None:
        return None if self.signs is None else int(np.count_nonzero(self.signs))

    @cached_property
    def best(self) -> str:
        """The run with the best mean, of equal ones the first by name."""
        return best_run(self.scores)


class Agreement(NamedTuple):
    """How far a judge agrees with the reference: in grades, where it has some, and in the order of the runs by mean.

    ``n_documents`` are those that both judged, of which the share ``equal`` has one grade; None and nan for scores and
    for the mean of several passes. ``tau_top`` is Kendall's tau-b of the reference's `TOP` best runs, all where there
    are fewer, ``tau_ap`` that of the judge's ranking beside the reference's.
    """

    n_documents: int | None
    equal: float
    kappa: float
    alpha: float
    tau_top: float
    tau_ap: float


@dataclass(frozen=True, eq=False)
class JudgeAnswer(AnswerOfScores):
    """One judge beside the reference; what takes long is computed when it is first used."""

    reference: Judged
    judge: Judged
    calibration: Calibration | None = None
    grades: tuple[IntArray, IntArray] | None = None

    @property
    def name(self) -> str:
        return self.judge.name

    @property
    def scores(self) -> ScoreMatrix:
        """The scores under the judge."""
        return self.judge.scores

    @cached_property
    def split(self) -> compared.JudgeSplit:
        """The parts of the mean squared difference."""
        return compared.judge_split(self.reference.scores.values, self.scores.values)

    @property
    def n_passes(self) -> int:
        return len(self.judge.passes)

    @cached_property
    def var_passes(self) -> float:
        """The variance between the passes of the judge, nan for one."""
        return compared.passes_split(self.reference.scores.values, self.judge.passes).var_passes

    @cached_property
    def taus(self) -> compared.RankingTaus:
        """Kendall's tau between the rankings of the runs."""
        return compared.ranking_taus(self.reference.decomposed.result, self.judge.decomposed.result)

    @cached_property
    def agreement(self) -> Agreement:
        """How far grades and the order of the runs are those of the reference."""
        means, others, runs = self.reference.run_means, self.judge.run_means, self.runs
        top = in_order(-means, runs)[:TOP]
        taus = kendall(means[top], others[top]).item(), tau_ap(-others, -means)
        if self.grades is None:
            return Agreement(None, nan, nan, nan, *taus)
        one, other = self.grades
        equal = float((one == other).mean()) if len(one) else nan
        return Agreement(len(one), equal, cohen_kappa(one, other), krippendorff_alpha(one, other), *taus)

    @cached_property
    def classes(self) -> compared.PairClasses | None:
        """How many differences of runs are significant under both judges or one; None for too few queries."""
        before, after = self.reference.signs, self.judge.signs
        return None if before is None or after is None else compared.pair_classes(before, after)

    @cached_property
    def favour(self) -> compared.Favour:
        """Whom the judge favours."""
        request, scores = self.judge.request, self.scores
        seeded = partial(generator, Stream.FAVOUR, request.seed)
        draws = Draws(request.samples, seeded, request.jobs)
        return compared.favour(self.reference.scores.values, scores.values, request.level, draws, scores.clusters)

    def marks(self, *, curved: bool = False) -> list[Mark | None]:
        """Which runs are favoured or disfavoured beside the line of all runs; if ``curved``, beside a parabola too."""
        words: dict[int, Mark | None] = {1: "favoured", -1: "disfavoured", 0: None}
        return [words[sign] for sign in self.favour.signs(self.judge.request.level, curved=curved).tolist()]

    def marked(self, mark: Mark, *, curved: bool = False) -> list[str]:
        """The runs with a mark, the largest distance from the line first."""
        order = np.argsort(-np.abs(self.favour.residual), kind="stable").tolist()
        marks = self.marks(curved=curved)
        return [self.runs[row] for row in order if marks[row] == mark]

    @cached_property
    def on_curve(self) -> list[str]:
        """The marked runs that lie on a curve of the means, so that nothing shows that they are favoured."""
        beyond = {run for mark in MARKS for run in self.marked(mark, curved=True)}
        return [run for mark in MARKS for run in self.marked(mark) if run not in beyond]

    @cached_property
    def mean_p(self) -> float:
        """p of the test that the judge is not lenient or strict."""
        return compared.mean_p(self.reference.scores.values, self.scores.values, self.scores.clusters)

    @cached_property
    def spread(self) -> Spread:
        """How far the judge spreads the true means of the runs, beside the reference."""
        level = self.judge.request.level
        return spread(self.reference.scores.values, self.scores.values, self.scores.clusters, level=level)

    @cached_property
    def hardest(self) -> compared.HardestShared:
        """How many of the hardest queries both judges share."""
        return compared.hardest_shared(self.reference.scores.values, self.scores.values)

    @property
    def best_is_beaten(self) -> bool | None:
        """Whether the reference's best run is significantly below the best one under this judge; None untested."""
        if self.judge.signs is None:
            return None
        one, other = sorted(map(self.runs.index, (self.reference.best, self.judge.best)))
        first, second = paired.Pairs.of_all(self.n_runs)
        return bool(self.judge.signs[(first == one) & (second == other)].any())

    @cached_property
    def differences(self) -> FloatArray:
        """The scores under the judge less those under the reference, (R, n)."""
        return self.scores.values - self.reference.scores.values

    @property
    def query_differences(self) -> FloatArray:
        """The mean difference of each query, (n,)."""
        return np.asarray(self.differences.mean(axis=0))

    @property
    def query_rests(self) -> FloatArray:
        """The mean square of what is left of each query's differences, (n,); `rest` is the mean of them."""
        d = self.differences
        return np.asarray(((d - d.mean(axis=0) - d.mean(axis=1, keepdims=True) + d.mean()) ** 2).mean(axis=0))


@dataclass(frozen=True, eq=False)
class JudgesAnswer(AnswerOfScores):
    """All judges beside the reference, under one measure.

    ``remarks`` say how the judgments differ; ``with_verdicts`` that the verdicts of null models are wanted, which take
    long.
    """

    request: JudgesRequest
    reference: Judged
    judges: tuple[JudgeAnswer, ...]
    remarks: tuple[str, ...] = ()
    with_verdicts: bool = True

    @property
    def scores(self) -> ScoreMatrix:
        """The scores under the reference."""
        return self.reference.scores

    @property
    def calibrations(self) -> list[Calibration]:
        """The calibration of each judge; none where it was not asked for."""
        return [judge.calibration for judge in self.judges if judge.calibration is not None]

    @cached_property
    def components(self) -> Components:
        """Where the variance of the scores comes from, under all judges. Raises `DataError` for one run or query."""
        if min(self.n_runs, self.n_queries) < 2:
            raise DataError(f"components of variance take at least 2 {RUNS} and 2 {QUERIES}")
        everyone = [self.reference, *(judge.judge for judge in self.judges)]
        scores = np.stack([judged.scores.values for judged in everyone], axis=2)
        return components(scores if len(everyone) > 1 else scores[..., 0])

    @property
    def verdicts(self) -> list[str | None] | None:
        """What the null models say of r under each judge; None where that is not wanted."""
        return [judge.judge.verdict for judge in self.judges] if self.with_verdicts else None

    @property
    def with_passes(self) -> bool:
        """Whether passes of a judge are one row."""
        return any(judge.n_passes > 1 for judge in self.judges)


def answer(
    loaded: Judges, request: JudgesRequest, *, alone: bool = False, with_verdicts: bool = True
) -> list[JudgesAnswer]:
    """What each judge changes, the first one being the reference, under every measure.

    A judge may be ``alone`` where components of variance are wanted. Raises `UsageError` for a single judge and what
    `with_passes` raises.
    """
    judges, whole = loaded.judges, loaded.whole if request.calibrate else ()
    if request.replicates is not None:
        judges, whole = (with_passes(some, request.replicates) if some else () for some in (judges, whole))
    if len(judges) < 2 and not alone:
        raise UsageError(
            f"judges are compared with the first one: give at least two, {argument('qrels FILE')} for each, or a score "
            "file for each"
        )
    single = {id(judge.track): judge.name for judge in loaded.judges}  # all but the mean tracks of passes
    names = [single.get(id(judge.track), "") for judge in judges]
    grades = [loaded.grades.get(name) if names[0] else None for name in names[1:]]
    tracks = [judge.track.in_clusters(request.clusters) for judge in judges]
    answers = []
    for number in range(len(judges[0].track.scored)):
        judged = []
        for judge, track in zip(judges, tracks, strict=True):
            passes = np.array([one.scored[number].scores.values for one in judge.passes])
            judged.append(Judged(judge.name, track.scored[number], passes, request))
        reference, *others = judged
        beside = [JudgeAnswer(reference, other, grades=of) for other, of in zip(others, grades, strict=True)]
        if whole:
            first, *rest = (one.track.scored[number] for one in whole)
            beside = [
                replace(judge, calibration=Calibration(reference.name, judge.name, first, scored, request))
                for judge, scored in zip(beside, rest, strict=True)
            ]
        remarks = tuple(remark for remark in loaded.remarks if not (whole and remark in loaded.left_out))
        answers.append(JudgesAnswer(request, reference, tuple(beside), remarks, with_verdicts))
    return answers
