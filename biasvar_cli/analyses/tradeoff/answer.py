"""The correlation of bias² and variance over the runs of a track, and what is behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from biasvar_cli.analyses.tradeoff import NORMALISED, TradeoffRequest
from biasvar_cli.arrays import FloatArray, is_least
from biasvar_cli.decomposition import USUAL_SIZE, Sampling
from biasvar_cli.decomposition.decompose import Decomposition, decompose
from biasvar_cli.decomposition.generalised import Generalised, TradeoffRow, generalised_under, tradeoff_rows
from biasvar_cli.errors import DataError, full_name
from biasvar_cli.nulls.models import Null, null_models
from biasvar_cli.nulls.verdicts import RowNull
from biasvar_cli.readers.maps import Member, families_named, read_groups
from biasvar_cli.scoring.families import Family, families_in, null_rows
from biasvar_cli.scoring.targets import TargetedAnswer, targeted_track
from biasvar_cli.scoring.track import Track
from biasvar_cli.specs.baselines import named_run
from biasvar_cli.words import QUERIES, TOTAL, VAR, Better, argument


@dataclass(frozen=True, eq=False)
class TradeoffAnswer(TargetedAnswer[TradeoffRequest]):
    """The correlations under one measure against one target. What takes long is computed when it is first used.

    ``members`` are those of the families, by run, or the pattern of their names.
    """

    members: Mapping[str, Member] | str | None = None

    @cached_property
    def decomposition(self) -> Decomposition:
        """Bias, variance and total over single queries."""
        return decompose(self.scores, self.target)

    @cached_property
    def rows(self) -> list[TradeoffRow]:
        """The correlations under every sampling, those of one form alone where the request has one."""
        form = self.request.form
        rows = tradeoff_rows(self.targeted, self.request.design)
        return [row for row in rows if form in (None, row.form) or row.sampling.normalised]

    @cached_property
    def families(self) -> list[Family]:
        """The families of the runs, with the correlations within each; none where they are not asked for."""
        if self.members is None:
            return []
        return families_in(self.decomposition, self.members, self.request.baseline)

    @cached_property
    def null(self) -> Null | None:
        """What the null models say of the rows that are shown; None where they are not asked for."""
        if self.request.null is None:
            return None
        with_samplings = self.members is None or self.request.with_samplings
        rows = [*(self.rows if with_samplings else ()), *null_rows(self.families)]
        return null_models(self.targeted, rows, self.request.design, self.request.null)

    @cached_property
    def details(self) -> list[Detail]:
        """The runs under every sampling of the kind that the request names, one for each subset size.

        Raises `DataError` where there are too few queries for it.
        """
        samplings = self.request.design.samplings(self.scores.n_queries)
        name = self.request.detail
        details = [
            Detail(self, sampling)
            for sampling in samplings
            if name == (f"{sampling.kind}{NORMALISED}" if sampling.normalised else sampling.kind)
        ]
        if not details:
            few = f"{self.scores.n_queries} {QUERIES} are too few for subsets of {USUAL_SIZE}"
            raise DataError(f"{argument(detail=name)}: {few}; choose {argument('subset_size')}")
        return details


@dataclass(frozen=True, eq=False)
class Detail:
    """The runs under one sampling: the data of CIKM'14, Figure 1."""

    answer: TradeoffAnswer
    sampling: Sampling

    @property
    def better(self) -> Better:
        """Whether more or less of the measure is better."""
        return self.answer.better

    @cached_property
    def errors(self) -> Generalised:
        """Bias, variance and total of every run; nan where the normalised form is not defined."""
        errors = generalised_under(self.sampling, self.answer.request.design, self.answer.targeted)
        return errors or Generalised.undefined(self.answer.scores.n_runs)

    @property
    def between(self) -> FloatArray:
        """The share of the run's variance over single queries that lies between the subsets, (n_runs,).

        nan where that is 0; nan for the normalised form and for subsets of equal weight, which do not split a variance.
        """
        is_split = not self.sampling.normalised and self.answer.request.design.subset_weights == "size"
        single, undefined = self.answer.decomposition.var, np.full(self.answer.scores.n_runs, np.nan)
        between: FloatArray = np.divide(self.errors.var, single, out=undefined, where=is_split & (single > 0))
        return between

    @property
    def least(self) -> list[str]:
        """Which of bias², variance and total each run has least of, the names separated by a space."""
        marks: list[list[str]] = [[] for _ in self.errors.bias]
        for name in ("bias2", VAR["score"], TOTAL["score"]):
            for index in np.flatnonzero(is_least(getattr(self.errors, name))):
                marks[index].append(name)
        return [" ".join(names) for names in marks]


@dataclass(frozen=True, eq=False)
class Correlated:
    """Rows of correlations as a table has them; ``families`` has the family of each where they are of families.

    Where they are ``nested``, as in JSON, the null models of a row are documents and no columns.
    """

    answer: TradeoffAnswer
    rows: Sequence[TradeoffRow]
    families: Sequence[Family] = ()
    nested: bool = False

    @property
    def by_null(self) -> list[RowNull | None] | None:
        """What the null models say of each row; None where they are no columns."""
        null = self.answer.null
        return None if null is None or self.nested else [null.of(row) for row in self.rows]

    @property
    def below(self) -> list[list[str]] | None:
        """The members of each row's family that have less bias² and variance than the baseline, if there is one."""
        if self.answer.request.baseline is None:
            return None
        pairs = zip(self.families, self.rows, strict=True)
        return [list(getattr(family, f"below_{row.form}") or ()) for family, row in pairs]


def answer(track: Track, request: TradeoffRequest) -> list[TradeoffAnswer]:
    """The tradeoff for every measure of a track and every target.

    Raises what `make_target` and `full_name` raise,
    and for files of groups and families what `readers.maps` raises.
    """
    if request.groups is not None:
        design = replace(request.design, groups=read_groups(request.groups), groups_path=request.groups)
        request = replace(request, design=design)
    members = None if request.families is None else families_named(request.families)
    if request.baseline is not None:
        baseline, runs = named_run(request.baseline), track.scored[0].scores.runs
        request = replace(request, baseline=full_name(argument(baseline=baseline), baseline, runs))
    return [TradeoffAnswer(request, scored, targeted, members) for scored, targeted in targeted_track(track, request)]
