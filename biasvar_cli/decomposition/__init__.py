"""The algebra of the papers: bias, variance and total error of runs against a virtual target.

Here is what may be asked of samples of the queries. The types of its fields are read by the command line: no strings.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.settings import QUERY_SAMPLES, same_setting, setting
from biasvar_cli.specs.limits import require_limits
from biasvar_cli.specs.requests import SampledRequest
from biasvar_cli.words import DifficultyKey, SamplingKind, argument, counted

Remainder = Literal["last", "balanced", "merge"]
SubsetWeights = Literal["size", "equal"]
ZeroTarget = Literal["drop", "one", "error"]
Normalisation = Literal["ratio", "maxmin"]

USUAL_SIZE = 10  # queries in a subset (CIKM'14)


class Sampling(NamedTuple):
    """One way to take query samples; ``size`` is that of a subset, None for given groups."""

    kind: SamplingKind
    size: int | None
    normalised: bool = False

    @property
    def letter(self) -> str:
        """The column of CIKM'14, Table 2, that this is, such as ``(a)``; empty for what the paper does not have.

        >>> [Sampling("difficulty", 10, normalised).letter for normalised in (False, True)], SINGLE.letter
        (['(c)', '(d)'], '(a)')
        """
        if self.normalised:
            return "(d)" if self.kind == "difficulty" else ""
        return {"single": "(a)", "random": "(b)", "difficulty": "(c)"}.get(self.kind, "")


SINGLE = Sampling("single", 1)


def _sizes(text: str) -> tuple[int, ...]:
    sizes = text.split(",")
    if not all(size.strip().isdecimal() for size in sizes):
        raise ValueError("K or K,K, such as 5,10,25")
    return tuple(map(int, sizes))


@dataclass(frozen=True, kw_only=True)
class Design:
    """How query samples are taken, for every `Sampling` alike.

    ``subset_size`` are the numbers of queries in a subset; empty, it is 10 where there are more queries than that.
    ``groups`` maps every query to its group, and ``groups_path`` says where that stands.

    Raises `UsageError` for a number that is not within its limits.
    """

    subset_size: tuple[int, ...] = setting(
        (),
        QUERY_SAMPLES,
        lambda of_command: (
            f"Queries in a subset{'; one or more sizes' if of_command else ''}. Default: 10, if there are more queries."
        ),
        parse=_sizes,
        metavar="K[,K...]",
        brief="Queries in a subset. Default: 10.",
    )
    repeats: int = setting(10, QUERY_SAMPLES, "Random partitions of the queries to average over.", metavar="N")
    seed: int = same_setting(SampledRequest, "seed")
    difficulty: DifficultyKey = setting(
        "best", QUERY_SAMPLES, "A query is hard if its best, or its mean, score over the runs is low."
    )
    remainder: Remainder = setting(
        "last",
        QUERY_SAMPLES,
        "Queries left over: a smaller last subset, subsets of nearly one size, or added to the last one.",
    )
    subset_weights: SubsetWeights = setting("size", QUERY_SAMPLES, "Weigh subsets by their size, or equally.")
    normalise: Normalisation = setting(
        "ratio",
        QUERY_SAMPLES,
        "Normalised form: score / target; maxmin takes the lowest mean from both first.",
    )
    zero_target: ZeroTarget = setting(
        "drop", QUERY_SAMPLES, "Normalised form, where the target is 0: drop the subset, count it as 1, or stop."
    )
    groups: Mapping[str, str] | None = None
    groups_path: str = ""

    def __post_init__(self) -> None:
        require_limits(self)

    @property
    def first_size(self) -> int:
        """The size of subsets where one is to be named: the first of those given, or 10."""
        return next(iter(self.subset_size), USUAL_SIZE)

    def require_single(self, why: str) -> None:
        """Raise `UsageError` with a reason where other samples than single queries are asked for."""
        for name in ("groups", "subset_size"):
            if getattr(self, name):
                raise UsageError(why, option=name)

    def sizes(self, n_queries: int) -> tuple[int, ...]:
        """The subset sizes for a number of queries, ascending. Raises `DataError` for one that is larger.

        >>> Design(subset_size=(10, 5)).sizes(50), Design().sizes(50), Design().sizes(2)
        ((5, 10), (10,), ())
        """
        if not self.subset_size:
            return (USUAL_SIZE,) if n_queries > USUAL_SIZE else ()
        largest = max(self.subset_size)
        if largest > n_queries:
            raise DataError(f"{argument(subset_size=largest)} is more than there are: {counted(n_queries, 'query')}")
        return tuple(sorted(set(self.subset_size)))

    def words(self, n_queries: int) -> list[str]:
        """What the query samples depend on, for a signature: sizes, partitions and seed, and what is not as usual.

        >>> Design(difficulty="mean").words(50), Design().words(2)
        (['subsets of 10', '10 partitions seed 0', 'difficulty mean'], [])
        """
        sizes, words = ",".join(map(str, self.sizes(n_queries))), []
        if sizes:
            words += [f"subsets of {sizes}", f"{self.repeats} partitions seed {self.seed}"]
        if self.groups is not None:
            words.append("groups")
        named = ("difficulty", "remainder", "subset_weights", "normalise", "zero_target")
        other = {name: value for name in named if (value := getattr(self, name)) != getattr(Design, name)}
        return words + [f"{name.replace('_', '-')} {value}" for name, value in other.items()]

    def samplings(self, n_queries: int) -> list[Sampling]:
        """Every sampling of the design: single queries, those by subset size, groups, normalised ones last.

        >>> [sampling.kind for sampling in Design().samplings(50)]
        ['single', 'random', 'random-exact', 'difficulty', 'difficulty', 'single']
        """
        kinds: tuple[SamplingKind, ...] = ("random", "random-exact", "difficulty")
        sizes = self.sizes(n_queries)
        groups = [Sampling("groups", None)] if self.groups is not None else []
        plain = [SINGLE, *(Sampling(kind, size) for size in sizes for kind in kinds), *groups]
        by_size = [Sampling("difficulty", size) for size in sizes]
        return [*plain, *(sampling._replace(normalised=True) for sampling in (*by_size, SINGLE, *groups))]
