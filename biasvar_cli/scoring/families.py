"""Families of runs: the correlation of bias² and variance within each, and members below a baseline.

SIGIR'13 section 3 compares families of query models in this way: a mixture by its weight, removal by its share.
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from biasvar_cli.arrays import equalised
from biasvar_cli.decomposition.decompose import Decomposition
from biasvar_cli.decomposition.generalised import TradeoffRow, single_rows
from biasvar_cli.errors import DataError, UsageError, full_name, warn
from biasvar_cli.readers.maps import Member
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.scoring.labels import compiled_expression
from biasvar_cli.words import argument, counted, examples, plural

LEAST_MEMBERS = 10  # of a family with null models: under them a correlation over fewer can be nearly anything
_FAMILIES = argument("families")


@dataclass(frozen=True)
class Family:
    """One family: its members in order of their parameter, and the correlations over them, a row for each form.

    ``below_score`` and ``below_gap`` are the members with less bias^2 and less variance than the baseline, in each
    form; None where there is no baseline.
    """

    name: str
    members: tuple[str, ...]
    rows: tuple[TradeoffRow, ...]
    below_score: tuple[str, ...] | None
    below_gap: tuple[str, ...] | None
    is_numeric: bool

    @property
    def has_null(self) -> bool:
        """Whether null models are drawn for its rows."""
        return len(self.members) >= LEAST_MEMBERS


def _by_pattern(pattern: str, runs: Iterable[str]) -> dict[str, Member]:
    """The family and the parameter of every run whose whole name a regular expression matches.

    Its groups ``family`` and ``parameter`` say them, or its first two groups in that order; a parameter is not needed.
    Raises `UsageError` for what is no regular expression, or has no group.

    >>> _by_pattern("(comb|nrr)-(.*)", ["comb-0.1", "rm"])
    {'comb-0.1': Member(family='comb', parameter='0.1')}
    """
    option = argument(families=pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # of Python's, for what other versions may read otherwise
        compiled = compiled_expression(pattern, option)
    if not compiled.groups:
        raise UsageError(f"{option}: no file of that name, and as a pattern it needs a group, as in (a|b)-.*")
    names = compiled.groupindex
    family_at, parameter_at = names.get("family", 1), names.get("parameter", 2)
    members = {}
    for run in runs:
        match = compiled.fullmatch(run)
        if match and match[family_at]:
            has_parameter = parameter_at <= compiled.groups and parameter_at != family_at
            members[run] = Member(match[family_at], match[parameter_at] if has_parameter else None)
    return members


def families_in(
    result: Decomposition,
    named: Mapping[str, Member] | str,
    baseline: str | None = None,
    *,
    noun: str = "run",
    text_order: bool = True,
) -> list[Family]:
    """The families of the decomposed runs in order of their names; messages call a run by ``noun``.

    ``named`` are the members that a file names, or a pattern (`_by_pattern`). Raises `DataError` if no member is among
    the runs, or the baseline is not; members that are not among the runs are left out with a warning. ``text_order``
    says that the caller shows the order of members whose parameters are no numbers; only then a doubtful order is
    warned of.

    >>> import numpy as np
    >>> from biasvar_cli.decomposition.decompose import decompose
    >>> from biasvar_cli.score_matrix import ScoreMatrix
    >>> from biasvar_cli.decomposition.decompose import mean_target
    >>> values = np.array([[0.3, 0.1], [0.6, 0.08], [0.32, 0.11]])  # SIGIR'13, Table 1: A, B, and change C
    >>> result = decompose(ScoreMatrix(values, ("A", "B", "C2"), ("q1", "q2"), "AP"), mean_target(0.45))
    >>> (ours,) = families_in(result, {"A": Member("ours", None), "C2": Member("ours", None)}, "B")
    >>> ours.members, ours.below_score  # B has the least bias^2 of the three
    (('A', 'C2'), ())
    """
    members = _by_pattern(named, result.runs) if isinstance(named, str) else named
    index = {run: row for row, run in enumerate(result.runs)}
    absent = [run for run in members if run not in index]
    if len(absent) == len(members):
        what = f"none of the {plural(noun)} is in a family (a pattern has to match the whole name)"
        raise DataError(f"{_FAMILIES}: {what}; the {plural(noun)} are {examples(result.runs, 5)}")
    if absent:
        warn(f"{_FAMILIES}: {counted(len(absent), noun)} outside the evaluated ones left out: {examples(absent)}")
    if baseline is not None:
        baseline = full_name(argument(baseline=baseline), baseline, result.runs, noun)
    names = natural_order({members[run].family for run in result.runs if run in members})
    return [_family(name, result, members, index, baseline, text_order) for name in names]


def null_rows(families: Iterable[Family]) -> list[TradeoffRow]:
    """The rows of the families that are large enough for null models to be drawn."""
    return [row for family in families if family.has_null for row in family.rows]


def _family(
    name: str,
    result: Decomposition,
    members: Mapping[str, Member],
    index: Mapping[str, int],
    baseline: str | None,
    text_order: bool,
) -> Family:
    runs = [run for run in result.runs if run in members and members[run].family == name]
    is_numeric = all(_number(members[run].parameter or "") is not None for run in runs)
    runs = _sorted_members(runs, members, is_numeric or text_order)
    rows = tuple(single_rows(result, tuple(index[run] for run in runs)))
    if baseline is None:
        return Family(name, tuple(runs), rows, None, None, is_numeric)
    bound, equal_bias2 = index[baseline], equalised(result.bias2)  # differences by rounding are none
    less_bias2 = equal_bias2 < equal_bias2[bound]
    below = [less_bias2 & (var < var[bound]) for var in map(equalised, (result.var, result.var_gap))]
    score, gap = (tuple(run for run in runs if is_below[index[run]]) for is_below in below)
    return Family(name, tuple(runs), rows, score, gap, is_numeric)


def _sorted_members(runs: Sequence[str], members: Mapping[str, Member], warns: bool) -> list[str]:
    """Members in order of their parameter, as numbers where all are, else as text; then of their name.

    ``warns`` of parameters of which some are numbers and some are not, and of two members with the same.
    """
    parameters = [members[run].parameter or "" for run in runs]
    numbers = [_number(parameter) for parameter in parameters]
    keys: list[float | str] = [number for number in numbers if number is not None]
    family = members[runs[0]].family
    if len(keys) < len(runs):
        if warns and keys and any(parameters):
            odd = [parameter for parameter, number in zip(parameters, numbers, strict=True) if number is None]
            warn(f"{_FAMILIES}: parameters of {family} in order as text, for not all are numbers: {examples(odd)}")
        keys = list(parameters)
    alike = [run for run, key in zip(runs, keys, strict=True) if key != "" and keys.count(key) > 1]
    if warns and alike:
        warn(f"{_FAMILIES}: members of {family} with the same parameter, in order of their names: {examples(alike)}")
    return [run for _, run in sorted(zip(keys, runs, strict=True), key=lambda pair: (pair[0], pair[1]))]


def _number(parameter: str) -> float | None:
    """A parameter as a number, an infinite one too; None for what has no place in an order of numbers."""
    try:
        value = float(parameter)
    except ValueError:
        return None
    return None if isnan(value) else value
