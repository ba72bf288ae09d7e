"""One judge calibrated by the reference: the queries that both judged, and those that the judge alone judged.

What is calibrated is the mean, the bias or the total error in the gap form, each against the target of its own judge.
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from biasvar_cli.analyses.judges import JudgesRequest
from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.arrays import ranks as ranks_of
from biasvar_cli.decomposition.calibrated import Calibrated, Estimate
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.scoring.judged_tracks import Judges
from biasvar_cli.scoring.targets import listed_run, targeted_scores
from biasvar_cli.scoring.track import Scored
from biasvar_cli.specs.limits import FEWEST_QUERIES, is_significant
from biasvar_cli.stats.monte_carlo import Draws, Stream, generator
from biasvar_cli.stats.paired import Pairs
from biasvar_cli.stats.step_down import significant_signs
from biasvar_cli.words import QUERIES, QUERY, RUNS, argument, counted


def is_possible(loaded: Judges) -> bool:
    """Whether each judge has enough queries that the reference judged, and enough others, and there are two runs."""
    first, *others = (set(judge.track.scored[0].scores.queries) for judge in loaded.whole or loaded.judges)
    enough = all(min(len(first & other), len(other - first)) >= FEWEST_QUERIES for other in others)
    return enough and loaded.judges[0].track.scored[0].scores.n_runs > 1


class Differences(NamedTuple):
    """Calibrated differences, (k,), the ends of their intervals and p of the test, of all of them together.

    ``worth`` is how many queries judged by people alone would tell as much of each.
    """

    delta: FloatArray
    low: FloatArray
    high: FloatArray
    p: FloatArray
    worth: FloatArray


@dataclass(frozen=True, eq=False)
class Calibration:
    """A judge and the reference, each with the scores of the same runs on its own queries.

    Raises `DataError` for too few queries or runs, `UsageError` for a target without a score per query.
    """

    reference: str
    judge: str
    people: Scored
    model: Scored
    request: JudgesRequest

    def __post_init__(self) -> None:
        what, both, alone = argument(calibrate=True), len(self.on_both[0]), len(self.alone)
        if not alone:
            raise DataError(f"{what}: {self.reference} judged every {QUERY} that {self.judge} judged")
        if min(both, alone) < FEWEST_QUERIES:
            raise DataError(
                f"{what} needs at least {FEWEST_QUERIES} {QUERIES} that {self.reference} and {self.judge} judged and "
                f"{FEWEST_QUERIES} that {self.judge} alone judged, found {both} and {alone}"
            )
        if self.people.scores.n_runs < 2:
            raise DataError(f"{what} needs at least 2 {RUNS}, found 1")

    @cached_property
    def on_both(self) -> tuple[list[int], list[int]]:
        """Where the queries that both judged stand, under people and under the model."""
        column = {query: index for index, query in enumerate(self.model.scores.queries)}
        common = [(index, column[query]) for index, query in enumerate(self.people.scores.queries) if query in column]
        return [index for index, _ in common], [index for _, index in common]

    @cached_property
    def alone(self) -> list[int]:
        """Where the queries that the model alone judged stand."""
        judged = set(self.people.scores.queries)
        return [index for index, query in enumerate(self.model.scores.queries) if query not in judged]

    def _values(self, scored: Scored) -> FloatArray:
        """What is calibrated, of each run and query, (R, n)."""
        values = scored.scores.values
        if self.request.of == "mean":
            return values
        (spec,) = self.request.targets
        target = targeted_scores(scored, spec).target
        if target.scores is None:
            reason = f"{self.request.of} of single {QUERIES} takes a target with a score for each"
            raise UsageError(reason, option="target")
        gaps = target.scores - values
        return gaps if self.request.of == "bias" else gaps**2

    @cached_property
    def calibrated(self) -> Calibrated:
        people, model = self._values(self.people), self._values(self.model)
        of_people, of_model = self.on_both
        return Calibrated(people[:, of_people], model[:, of_model], model[:, self.alone])

    @property
    def n_both(self) -> int:
        return len(self.on_both[0])

    @property
    def n_alone(self) -> int:
        return len(self.alone)

    @cached_property
    def runs(self) -> Estimate:
        """The calibrated value of each run, as utilities have it for means."""
        return self.calibrated.runs()

    @cached_property
    def ends(self) -> tuple[FloatArray, FloatArray]:
        """The ends of their intervals."""
        return self.runs.interval(self.request.level)

    @cached_property
    def of_people(self) -> FloatArray:
        """What people alone give, on their queries, (R,)."""
        return np.asarray(self.calibrated.people.mean(axis=1))

    @cached_property
    def of_model(self) -> FloatArray:
        """What the model alone gives, on all of its queries, (R,)."""
        return np.asarray(np.hstack([self.calibrated.model, self.calibrated.alone]).mean(axis=1))

    @property
    def _is_turned(self) -> bool:
        """Whether a column of scores changes the sign of what has to keep it: of errors, where less is better."""
        return self.request.of != "mean" and self.people.scores.better == "less"

    def printed(self, values: FloatArray) -> FloatArray:
        """Values for a column of scores."""
        return -values if self._is_turned else values

    @property
    def low(self) -> FloatArray:
        """The lower end of each interval, or the upper one where the column changes signs and ends."""
        return self.ends[self._is_turned]

    @property
    def high(self) -> FloatArray:
        """The upper end."""
        return self.ends[not self._is_turned]

    def _draws(self) -> Draws:
        request = self.request
        return Draws(request.samples, partial(generator, Stream.STEP_DOWN, request.seed), request.jobs)

    @cached_property
    def signs(self) -> IntArray:
        """Which run of each pair is significantly better, by the step-down test of all pairs: 1, -1 or 0."""
        significant = is_significant(self.calibrated.p_of_pairs(self.request.level, self._draws()), self.request.level)
        pairs = Pairs.of_all(len(self.runs.value))
        direction = np.sign(self.runs.value[pairs.first] - self.runs.value[pairs.second])
        return np.where(significant, direction if self.request.of == "mean" else -direction, 0).astype(np.int64)

    @property
    def n_significant(self) -> int:
        return int(np.count_nonzero(self.signs))

    @cached_property
    def n_significant_reference(self) -> int:
        """How many pairs differ significantly by people alone."""
        signs = significant_signs(self.calibrated.people, self.request.level, self._draws())
        assert signs is not None, "there are six queries"
        return int(np.count_nonzero(signs))

    @cached_property
    def rank(self) -> IntArray:
        """The rank of each run by its calibrated value, 1 for the best."""
        return ranks_of(-self.runs.value if self.request.of == "mean" else self.runs.value)

    @cached_property
    def rank_ends(self) -> tuple[IntArray, IntArray]:
        """The least and the greatest rank of each run, which hold for all runs together."""
        pairs, n_runs = Pairs.of_all(len(self.rank)), len(self.rank)
        better = np.where(self.signs > 0, pairs.first, pairs.second)[self.signs != 0]
        worse = np.where(self.signs < 0, pairs.first, pairs.second)[self.signs != 0]
        return 1 + np.bincount(worse, minlength=n_runs), n_runs - np.bincount(better, minlength=n_runs)

    def differences(self, pairs: Pairs, *, by_people: bool = False) -> Differences:
        """The differences of pairs, first minus second run, which are one family of the test; or those by people."""
        calibrated, level = self.calibrated.by_people if by_people else self.calibrated, self.request.level
        estimate, (p, reach) = calibrated.differences(pairs), calibrated.family(pairs, level, self._draws())
        return Differences(estimate.value, estimate.value - reach, estimate.value + reach, p, estimate.worth)

    @cached_property
    def baseline(self) -> int | None:
        """The row of the run that all others are compared with, None without one; `DataError` for one not there."""
        scores, spec = self.people.scores, self.request.versus
        return None if spec is None else scores.runs.index(listed_run(spec, scores))

    @cached_property
    def versus(self) -> Differences:
        """The differences of all runs from the baseline, (R,), nan for itself."""
        return self._versus(by_people=False)

    @cached_property
    def versus_by_people(self) -> Differences:
        """Those by people alone."""
        return self._versus(by_people=True)

    def _versus(self, *, by_people: bool) -> Differences:
        assert self.baseline is not None, "a baseline was named"
        others, baseline = Pairs.against(len(self.rank), self.baseline)[::-1]
        differences = self.differences(Pairs(others, baseline), by_people=by_people)
        return Differences(*(np.insert(values, self.baseline, np.nan) for values in differences))

    def counts(self, differences: Differences) -> tuple[int, int]:
        """How many runs are significantly better and worse than the baseline."""
        significant = is_significant(differences.p, self.request.level)
        above, below = (
            int(np.count_nonzero(significant & of)) for of in (differences.delta > 0, differences.delta < 0)
        )
        return (above, below) if self.request.of == "mean" else (below, above)

    @cached_property
    def worth(self) -> float:
        """How many queries of people alone tell differences as well, the median over the pairs."""
        worth = self.calibrated.differences(Pairs.of_all(len(self.rank))).worth
        return float(np.median(worth[np.isfinite(worth)])) if np.isfinite(worth).any() else float("nan")

    @cached_property
    def sample_p(self) -> float:
        """p of the test that the queries that people judged are like the others under the model."""
        return self.calibrated.sample_p()

    @property
    def is_easier(self) -> bool:
        """Whether the model's scores are better on the queries that people judged."""
        both, alone = float(self.calibrated.model.mean()), float(self.calibrated.alone.mean())
        return both > alone if self.request.of == "mean" else both < alone

    @cached_property
    def queries_needed(self) -> int | None:
        """How many queries people have to judge for the half-width that was asked for, if any; None for too many."""
        wanted, level = self.request.half_width, self.request.level
        return None if wanted is None else self.calibrated.queries_needed(wanted, level)

    @cached_property
    def model_outside(self) -> BoolArray:
        """Whether the model's own value of each run lies outside the calibrated interval, (R,)."""
        low, high = self.ends
        return (self.of_model < low) | (self.of_model > high)

    @property
    def words(self) -> str:
        """How many queries there are of both kinds."""
        both, alone = counted(self.n_both, "query"), f"{self.n_alone} more"
        return f"{both} judged by {self.reference} and {self.judge}, {alone} by {self.judge} alone"
