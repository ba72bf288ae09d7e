"""Estimation bias-variance of query models: how far their distributions of terms are from the true one.

Here is the request: which query models are compared with which true one, and how.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from biasvar_cli.errors import UsageError
from biasvar_cli.settings import COMMON, INPUT_DETAILS, STATISTICS, setting
from biasvar_cli.specs.limits import require_limits
from biasvar_cli.words import argument

if TYPE_CHECKING:
    from biasvar_cli.readers.listing import Selection


DivergenceName = Literal["kl-fwd", "kl-rev", "jeffreys", "js"]
Sum = Literal["squared", "plain"]

_USUAL_EPSILON = 0.1
_EPSILONS = (0.01, _USUAL_EPSILON, 0.5)  # the ranking by variance depends on these, that by total hardly


class Setting(NamedTuple):
    """A divergence with the epsilon of its smoothing; None for ``js``, which needs none."""

    divergence: DivergenceName
    epsilon: float | None


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """The query models and the true model to compare them with, as the user asked for them; paths and names as typed.

    Without a ``divergence`` it is kl-fwd if there is a ``background``, else js; without an ``epsilon`` it is 0.1. With
    ``compare_epsilons`` the order of the models is compared with that under other epsilons. ``original`` names the
    model of the original query, with which models are compared to find the queries without feedback;
    ``exclude_no_feedback`` leaves those out. ``exclude_queries`` is a file that lists queries to be left out;
    ``other_files`` are no models, wherever they lie.

    Raises `UsageError` for what cannot be asked.
    """

    inputs: tuple[str, ...]
    true: str
    background: str | None = setting(
        None,
        COMMON,
        "Counts of terms in the collection for smoothing, term<TAB>count. Default: a uniform background for each "
        "query.",
        file=True,
        metavar="FILE",
        brief="Counts of terms for smoothing: term<TAB>count.",
    )
    divergence: tuple[DivergenceName, ...] = setting(
        (),
        COMMON,
        lambda of_command: (
            "Error of a model on a query: kl-fwd, KL(true || model); kl-rev, KL(model || true); jeffreys, their sum; "
            f"js, Jensen-Shannon.{' Repeatable.' if of_command else ''} Default: kl-fwd with --background, else js."
        ),
        metavar="NAME",
        brief="Error of a model: js, kl-fwd, kl-rev or jeffreys.",
    )
    epsilon: tuple[float, ...] = setting(
        (),
        STATISTICS,
        lambda of_command: (
            "Weight of the background in smoothing, which js does not use."
            f"{' Repeatable.' if of_command else ''} Default: {_USUAL_EPSILON:g}."
        ),
        metavar="X",
    )
    compare_epsilons: bool = False
    sum: Sum = setting("squared", STATISTICS, "total_est: bias² + variance, or bias + variance.")
    original: str | None = setting(
        None,
        STATISTICS,
        "The model of the original query: where another model equals it, the query had no feedback.",
        metavar="MODEL",
    )
    exclude_no_feedback: bool = setting(False, STATISTICS, "Leave out the queries without feedback.")
    exclude_queries: str | None = setting(None, INPUT_DETAILS, "Queries to leave out: ids, one per line.", file=True)
    other_files: tuple[str, ...] = ()
    glob: str | None = None
    exclude: tuple[str, ...] = ()
    recursive: bool = False
    max_size: int | None = None

    def __post_init__(self) -> None:
        require_limits(self)
        if {setting.epsilon for setting in self.settings} == {None}:
            unused = "background" if self.background is not None else "epsilon" if self.epsilon else None
            if unused is not None:
                raise UsageError("is for smoothing, which js does not use; add the divergence kl-fwd", option=unused)
        if self.exclude_no_feedback and self.original is None:
            what = f"needs {argument('original')}, the model that queries without feedback use"
            raise UsageError(what, option="exclude_no_feedback")

    @cached_property
    def settings(self) -> tuple[Setting, ...]:
        """Every divergence with every epsilon, each once, in the order asked.

        >>> ModelRequest(inputs=(), true="true.tsv", divergence=("js", "kl-fwd")).settings
        (Setting(divergence='js', epsilon=None), Setting(divergence='kl-fwd', epsilon=0.1))
        """
        usual: DivergenceName = "js" if self.background is None else "kl-fwd"
        return _settings(self.divergence or (usual,), self.epsilon or (_USUAL_EPSILON,))

    @cached_property
    def beside(self) -> tuple[Setting, ...]:
        """The settings under which the order of the models is compared: the same divergences with other epsilons.

        >>> ModelRequest(inputs=(), true="true.tsv", divergence=("kl-fwd",), compare_epsilons=True).beside
        (Setting(divergence='kl-fwd', epsilon=0.01), Setting(divergence='kl-fwd', epsilon=0.5))
        """
        if not self.compare_epsilons:
            return ()
        smoothed = tuple(setting.divergence for setting in self.settings if setting.epsilon is not None)
        return tuple(setting for setting in _settings(smoothed, _EPSILONS) if setting not in self.settings)

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that the request names."""
        named = (*self.inputs, self.true, self.background, self.exclude_queries)
        return tuple(path for path in named if path is not None)

    @property
    def selection(self) -> Selection:
        """Which files of directories are read."""
        from biasvar_cli.readers.listing import Selection

        return Selection(self.glob, self.exclude, self.recursive)


def _settings(divergences: tuple[DivergenceName, ...], epsilons: tuple[float, ...]) -> tuple[Setting, ...]:
    pairs = ((name, epsilon) for name in divergences for epsilon in ((None,) if name == "js" else epsilons))
    return tuple(dict.fromkeys(Setting(*pair) for pair in pairs))
