"""The virtual target of a track: its suppliers, the difficulty of the queries, and the target of fewer runs."""

from dataclasses import dataclass, replace
from functools import cached_property

from biasvar_cli.analyses.target import TargetRequest
from biasvar_cli.arrays import FloatArray
from biasvar_cli.decomposition import contribution
from biasvar_cli.decomposition.decompose import Decomposition, decompose
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.targets import TargetedAnswer, log_transform, targeted_scores
from biasvar_cli.scoring.track import Track


@dataclass(frozen=True, eq=False)
class TargetAnswer(TargetedAnswer[TargetRequest]):
    """The target under one measure. What takes long is computed on its first use."""

    @property
    def pool(self) -> ScoreMatrix:
        """The scores of all runs that count for the target."""
        return self.targeted.pool

    @property
    def target_scores(self) -> FloatArray:
        """The target's score of each query, shape (n_queries,)."""
        assert self.target.scores is not None, "a request is of a target with scores"
        return self.target.scores

    @cached_property
    def contributions(self) -> contribution.Contributions:
        """What each run of the pool contributes to the target."""
        return contribution.contributions(self.pool, self.target)

    @cached_property
    def difficulty(self) -> contribution.Difficulty:
        """How hard each query is for the pool."""
        return contribution.difficulty(self.pool, key=self.request.difficulty, subset_size=self.request.subset_size)

    @cached_property
    def means(self) -> FloatArray:
        """The expected mean of the best of 1, 2, ... runs drawn at random, shape (n_runs,)."""
        return contribution.rarefied_means(self.pool)

    @cached_property
    def sizes(self) -> range:
        """The numbers of runs drawn, one for each of ``means``."""
        return range(1, self.pool.n_runs + 1)

    @cached_property
    def decomposition(self) -> Decomposition:
        """The listed runs against the target."""
        return decompose(self.scores, self.target)

    def suppliers(self, query: int) -> list[str]:
        """The runs that reach the target on a query."""
        reached = self.contributions.supplies[:, query].nonzero()[0].tolist()
        return [self.pool.runs[index] for index in reached]


def answer(track: Track, request: TargetRequest) -> list[TargetAnswer]:
    """The target, for every measure of a track; raises what `make_target` raises.

    Raises `DataError` for a pool that is smaller than the number of runs drawn from it.
    """
    answers = []
    for scored in track.scored:
        targeted = targeted_scores(scored, request.spec, log_transform(request))
        if request.rarefied is not None:
            targeted = replace(targeted, target=contribution.rarefied_target(targeted.pool, request.rarefied))
        answers.append(TargetAnswer(request, scored, targeted))
    return answers
