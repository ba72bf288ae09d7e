"""What unjudged documents can change: the highest means and possible ranks of runs, and the pool without each team.

A run s is above a run r in every case where the mean of s exceeds the highest mean of r, less what documents of r that
add to it add to s, too. For P and RBP, sums over documents, the latter is the sum of the lesser of both weights over
the documents that both retrieve; for other measures it is not taken into account, and the others are as they are.

Leaving out a team (Zobel, SIGIR 1998; Buckley and Voorhees, SIGIR 2004): what only its runs contributed to the pool is
not judged any more, and all runs are scored again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from biasvar_cli.analyses.unjudged import NEEDS, UnjudgedRequest
from biasvar_cli.arrays import ROUNDING, BoolArray, FloatArray, IntArray, in_order, ranks
from biasvar_cli.decomposition.decompose import Moments, moments
from biasvar_cli.decomposition.intervals import require_teams
from biasvar_cli.errors import DataError, UsageError, warn
from biasvar_cli.measures.catalogue import LARGEST_EXPONENT
from biasvar_cli.readers.maps import read_names_of_runs, read_teams
from biasvar_cli.readers.qrels import RELEVANT
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring import rank_measures, unjudged
from biasvar_cli.scoring.coverage import TOP
from biasvar_cli.scoring.targets import AnswerOfScores
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.scoring.unjudged import JudgedDocuments
from biasvar_cli.words import argument, counted, examples


class Pool(NamedTuple):
    """The runs that were pooled, by team, and the ``depth`` down to which their documents were judged.

    ``cover`` says which run and query end a depth that was not given; None for one that was.
    """

    team_of: Mapping[str, str]
    contributors: tuple[str, ...]
    depth: int
    cover: unjudged.Cover | None


class TeamOut(NamedTuple):
    """A team, how many of its runs were pooled, the documents that only they contributed, and its best run."""

    team: str
    n_runs: int
    n_documents: int
    best_run: str
    score: float
    score_out: float
    rank: int
    rank_out: int


class LeftOut(NamedTuple):
    """The mean and the rank of every run without its team, (n_runs,), and a row for each team."""

    score_out: FloatArray
    rank_out: IntArray
    teams: tuple[TeamOut, ...]


@dataclass(frozen=True, eq=False)
class UnjudgedAnswer(AnswerOfScores):
    """What unjudged documents can change under one measure, if each may have the ``grade``."""

    request: UnjudgedRequest
    scored: Scored
    documents: JudgedDocuments
    grade: int
    pool: Pool | None

    @property
    def scores(self) -> ScoreMatrix:
        return self.scored.scores

    @property
    def judged_by(self) -> Any:
        """The measure itself, as ir-measures has it."""
        assert self.scored.measure is not None, "runs are scored by a known measure"
        return self.scored.measure

    @property
    def exact(self) -> bool:
        """Whether the ranks possible allow for documents that two runs share."""
        return unjudged.is_additive(self.judged_by)

    @property
    def only_rises(self) -> bool:
        """Whether no mean can be below the one as it is: relevant documents more do not lower the measure."""
        return unjudged.only_rises(self.judged_by)

    @property
    def depth(self) -> int:
        """How many documents of each query the share of unjudged ones is of."""
        return self.judged_by.params.get("cutoff") or TOP

    @cached_property
    def _columns(self) -> list[int]:
        """The place of each query of the scores in the judgments."""
        column = {query: at for at, query in enumerate(self.documents.judgments.queries)}
        return [column[query] for query in self.scores.queries]

    def _members(self, matrix: ScoreMatrix) -> list[tuple[str, ...]]:
        """The runs that each row is the mean of."""
        return [(run,) for run in matrix.runs] if matrix.replicates is None else [*matrix.replicates.members.values()]

    def _highest(self, run: str) -> FloatArray:
        """The highest score of a run on each query."""
        ranking = self.documents.ranking(run, self.judged_by.params.get("cutoff"))
        high = unjudged.highest(self.judged_by, ranking, self.grade, max_grade=self.documents.max_grade)
        return high[self._columns]

    @cached_property
    def _high_pool(self) -> ScoreMatrix:
        """The highest score of every run of the pool on each query."""
        pool = self.scored.pool
        values = [np.mean([self._highest(run) for run in runs], axis=0) for runs in self._members(pool)]
        return ScoreMatrix(np.array(values), pool.runs, pool.queries, pool.measure)

    @cached_property
    def mean(self) -> FloatArray:
        """The mean of each run as it is, (n_runs,)."""
        return np.asarray(self.scores.values.mean(axis=1))

    @cached_property
    def high(self) -> FloatArray:
        """The highest mean of each run, (n_runs,)."""
        return np.asarray(self._high_pool.select(self.runs).values.mean(axis=1))

    @cached_property
    def unjudged(self) -> FloatArray:
        """The share of unjudged documents at the top of each run, (n_runs,)."""
        return np.array([np.mean([self._share(run) for run in runs]) for runs in self._members(self.scores)])

    def _share(self, run: str) -> float:
        """The share of unjudged documents at the top of a run, over all queries of the scores together."""
        ranking = self.documents.ranking(run, self.depth)
        judged = np.bincount(ranking.query[ranking.judged], minlength=ranking.n_queries)[self._columns].sum()
        there = np.minimum(ranking.retrieved, self.depth)[self._columns].sum()
        return float((there - judged) / max(there, 1))

    @cached_property
    def rank(self) -> IntArray:
        return ranks(-self.mean)

    @cached_property
    def always_above(self) -> BoolArray:
        """Whether the run of the row is above that of the column in every case, (n_runs, n_runs)."""
        bound = self.high[None, :] - self._shared
        return np.asarray(self.mean[:, None] - bound > ROUNDING * max(1.0, float(self.high.max())))

    @cached_property
    def _shared(self) -> FloatArray:
        """What the unjudged documents of the run of the column add to that of the row at least, (n_runs, n_runs)."""
        entries, n = [], len(self._columns)
        if not self.exact or not unjudged.is_relevant(self.judged_by, self.grade):
            return np.zeros((self.n_runs, self.n_runs))
        evaluated = np.isin(np.arange(len(self.documents.judgments.queries)), self._columns)
        for row, runs in enumerate(self._members(self.scores)):
            for run in runs:
                ranking = self.documents.ranking(run, self.judged_by.params.get("cutoff"))
                there = ~ranking.judged & evaluated[ranking.query]
                weight = unjudged.weights(self.judged_by, ranking.rank[there]) / (n * len(runs))
                entries.append((np.full(len(weight), row), ranking.key[there], weight))
        rows, keys, weights = (np.concatenate(columns) for columns in zip(*entries, strict=True))
        return unjudged.shared(rows, keys, weights, self.n_runs)

    @cached_property
    def best_rank(self) -> IntArray:
        return np.asarray(1 + self.always_above.sum(axis=0))

    @cached_property
    def worst_rank(self) -> IntArray:
        return np.asarray(self.n_runs - self.always_above.sum(axis=1))

    @property
    def n_could_be_best(self) -> int:
        """How many runs could have the best mean."""
        return int((self.best_rank == 1).sum())

    @cached_property
    def order(self) -> list[int]:
        """The runs, the best mean first."""
        return in_order(-self.mean, self.runs)

    @cached_property
    def n_settled(self) -> int:
        """How many of the first runs are above all after them in every case, so that their order is settled."""
        above = self.always_above[np.ix_(self.order, self.order)]
        settled = [bool(above[rank, rank + 1 :].all()) for rank in range(self.n_runs)]
        return settled.index(False) if False in settled else self.n_runs

    @property
    def target_mean(self) -> float:
        """The mean of the best scores as they are."""
        return float(self.scored.pool.values.max(axis=0).mean())

    @property
    def target_high(self) -> float:
        """The mean of the best scores, every run at its highest."""
        return float(self._high_pool.values.max(axis=0).mean())

    @cached_property
    def _errors(self) -> tuple[Moments, Moments] | None:
        """The parts of the error as it is and with every run at its highest; None for systems."""
        if self.scores.replicates is not None:
            return None
        values = (self.scores.values, self._high_pool.select(self.runs).values)
        best = (self.scored.pool.values.max(axis=0), self._high_pool.values.max(axis=0))
        return moments(values[0], best[0], best[0].mean()), moments(values[1], best[1], best[1].mean())

    @property
    def bias2(self) -> FloatArray | None:
        return None if self._errors is None else self._errors[0].bias2

    @property
    def bias2_high(self) -> FloatArray | None:
        return None if self._errors is None else self._errors[1].bias2

    @property
    def total(self) -> FloatArray | None:
        return None if self._errors is None else self._errors[0].total

    @property
    def total_high(self) -> FloatArray | None:
        return None if self._errors is None else self._errors[1].total

    @property
    def if_teams(self) -> UnjudgedAnswer | None:
        """The answer itself where teams are left out; None where they are not."""
        return None if self.pool is None else self

    @property
    def teams(self) -> tuple[TeamOut, ...]:
        """A row for each team that was pooled; none where teams are not left out."""
        return () if self.pool is None else self.left_out.teams

    @cached_property
    def left_out(self) -> LeftOut:
        """All runs without each team."""
        assert self.pool is not None, "asked for with teams"
        team_of, contributors, depth, _ = self.pool
        runs_of_team: dict[str, list[str]] = {}
        for run in contributors:
            runs_of_team.setdefault(team_of[run], []).append(run)
        contributed = {team: unjudged.contributed(self.documents, runs, depth) for team, runs in runs_of_team.items()}
        number = sum(there.astype(int) for there in contributed.values())
        alone = {team: there & (number == 1) for team, there in contributed.items()}
        score_out, rank_out, teams = self.mean.copy(), self.rank.copy(), []
        rescored = unjudged.rescored(self.judged_by, self.documents, self.runs, alone.values())
        for (team, removed), values in zip(alone.items(), rescored, strict=True):
            mean = values[:, self._columns].mean(axis=1)
            rows = [row for row in self.order if team_of[self.runs[row]] == team]
            score_out[rows], rank_out[rows] = mean[rows], ranks(-mean)[rows]
            for best in rows[:1]:
                scores = float(self.mean[best]), float(mean[best]), int(self.rank[best]), int(rank_out[best])
                teams.append(TeamOut(team, len(runs_of_team[team]), int(removed.sum()), self.runs[best], *scores))
        return LeftOut(score_out, rank_out, tuple(teams))

    @cached_property
    def losses(self) -> IntArray:
        """The ranks that each run of a pooled team loses without its team, (n,)."""
        assert self.pool is not None, "asked for with teams"
        pooled = {row.team for row in self.teams}
        rows = [row for row, run in enumerate(self.runs) if self.pool.team_of[run] in pooled]
        return (self.left_out.rank_out - self.rank)[rows]


def answer(track: Track, request: UnjudgedRequest) -> list[UnjudgedAnswer]:
    """What unjudged documents can change, for every measure of a track.

    Raises `UsageError` for a measure whose highest value is not known, and for scores, whose documents are not known.
    """
    documents = track.documents
    if documents is None:
        raise UsageError(f"{NEEDS} needs the documents of runs, and these are scores; give runs and their qrels")
    grade = int(documents.judgments.grade.max()) if request.grade is None else request.grade
    for scored in track.scored:
        assert scored.measure is not None, "runs are scored by a known measure"
        fault = unjudged.unbounded(scored.measure)
        if fault:
            raise UsageError(f"{fault}; it is for {unjudged.BOUNDED}", option="measure")
        if scored.measure.NAME == "ERR" and grade > documents.max_grade:
            raise UsageError(f"{grade} is above {documents.max_grade}, the highest that ERR allows for", option="grade")
        if rank_measures.parameters(scored.measure).get("dcg") == "exp-log2" and grade > LARGEST_EXPONENT:
            raise UsageError(f"{grade} is too high: the gain under {scored.measure} is 2^{grade} - 1", option="grade")
    if not (documents.judgments.grade < RELEVANT).any():
        warn("all judged documents are relevant: if those that are not listed were judged, too, nothing is unjudged")
    pool = None if request.teams is None else _pool(track, documents, request, request.teams)
    return [UnjudgedAnswer(request, scored, documents, grade, pool) for scored in track.scored]


def bounded(track: Track) -> Track | None:
    """The track with those of its measures whose highest value is known; None for none, and for scores.

    None too where only relevant documents are listed: which of the others were judged is not known.
    """
    if track.documents is None or not (track.documents.judgments.grade < RELEVANT).any():
        return None
    known = [scored for scored in track.scored if scored.measure and not unjudged.unbounded(scored.measure)]
    return replace(track, scored=tuple(known)) if known else None


def _pool(track: Track, documents: JudgedDocuments, request: UnjudgedRequest, teams: str) -> Pool:
    """The pool as the request has it. Raises `DataError` for a run without a team, and for a pool without depth."""
    scores = track.scored[0].scores
    if scores.replicates is not None:
        raise UsageError(f"teams are of runs, not of systems; leave out {argument('replicates')}", option="teams")
    team_of = read_teams(teams)
    names = [*documents.of_run] if request.contributors is None else read_names_of_runs(request.contributors)
    contributors = tuple(name for name in names if name in documents.of_run)
    if not contributors:
        raise DataError("none of these runs is among the inputs", path=request.contributors)
    require_teams(tuple(dict.fromkeys([*scores.runs, *contributors])), team_of)
    absent = sorted(set(names) - set(contributors))
    if absent:
        what = f"{counted(len(absent), 'run')} of {request.contributors} not among the inputs: {examples(absent)}"
        warn(f"{what}; what they contributed counts as contributed by others alone")
    if request.depth is not None:
        return Pool(team_of, contributors, request.depth, None)
    cover = unjudged.cover(documents, contributors)
    if not cover.depth:
        what = f"the first document of {cover.run} on query {cover.query} is not judged"
        raise DataError(
            f"{what}: not all of these runs were pooled; name those that were, or give {argument(depth=10)}"
        )
    return Pool(team_of, contributors, cover.depth, cover)
