"""What arguments may be: ranges of numbers, levels, targets and baselines, and what requests share of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import inf, isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from biasvar_cli.errors import UsageError, warn
from biasvar_cli.settings import COMMON, INPUT_DETAILS, STATISTICS, Completion, setting
from biasvar_cli.words import COEFFICIENTS, LogForm, argument, listed

if TYPE_CHECKING:
    from biasvar_cli.arrays import FloatArray

QueryClusters = str | os.PathLike[str] | Mapping[str, str]  # a file or a pattern of ids, or the cluster of each query
Systems = str | os.PathLike[str] | Mapping[str, str]  # a file or a pattern of names, or the system of each run
FEWEST_QUERIES = 6  # of a test or an interval, or clusters of them


class Limits(NamedTuple):
    """A range, and what its numbers are called; ``open_least`` and ``open_most`` say that an end is not in it.

    >>> 0.5 in Limits(0, 1, open_least=True), 0 in Limits(0, 1, open_least=True), float("nan") in Limits(0, 1)
    (True, False, False)
    """

    least: float
    most: float = inf
    open_least: bool = False
    open_most: bool = False
    noun: str = "number"

    def expected(self, *, whole: bool = False, several: bool = False) -> str:
        """What is expected of a number, or of ``several``, in words.

        >>> Limits(1, 10).expected(whole=True), Limits(0, 1, True, True, "level").expected(several=True)
        ('a whole number from 1 to 10', 'levels between 0 and 1')
        """
        noun = f"{'whole ' if whole else ''}{self.noun}"
        return f"{noun}s {self.words}" if several else f"a {noun} {self.words}"

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int | float) or (isinstance(number, float) and isnan(number)):
            return False
        above = number > self.least if self.open_least else number >= self.least
        return above and (number < self.most if self.open_most else number <= self.most)

    @property
    def words(self) -> str:
        """The range in words.

        >>> [Limits(*ends).words for ends in ((1, 10), (0, 1, True, True), (0, inf, True, True), (0.5, 1, False, True))]
        ['from 1 to 10', 'between 0 and 1', 'above 0', 'of at least 0.5 and below 1']
        """
        least, most = (str(end) if isinstance(end, int) else f"{end:g}" for end in (self.least, self.most))
        if self.most < inf and self.open_least == self.open_most:
            return f"between {least} and {most}" if self.open_least else f"from {least} to {most}"
        upper = "" if self.most == inf else f" and {'below' if self.open_most else 'at most'} {most}"
        return f"{'above' if self.open_least else 'of at least'} {least}{upper}"


LEVEL = 0.95  # of intervals and tests, where none is asked for
RESAMPLES = 2000  # of bootstrap intervals, where no number is asked for
MAX_GRADE = 4  # of judgments, for ERR
DASK_TIMEOUT = 30  # seconds that a cluster is waited for

_SHARE = Limits(0, 1, open_least=True, open_most=True)
_LEVEL = _SHARE._replace(noun="level")
_SAMPLES = Limits(1, 100_000)  # some kB each on a track of sixty runs: as many as a machine has room for
_COUNT = Limits(1, 1_000_000)  # more than a track has runs or queries

LIMITS: Mapping[str, Limits] = {
    "alpha": Limits(0, 1_000_000),
    "ci": _LEVEL,
    "count": _COUNT,
    "dask_timeout": Limits(1, 86_400),  # seconds: a day
    "depth": _COUNT,
    "detect": Limits(0, inf, open_least=True, open_most=True),
    "digits": Limits(0, 17),  # which distinguish all doubles
    "eps": Limits(0, 1e100, open_least=True),
    "epsilon": _SHARE,
    "grade": Limits(1, 1_000_000),
    "half_width": Limits(0, inf, open_least=True, open_most=True),
    "highest_alpha": Limits(0, 1_000_000, open_least=True),
    "jobs": Limits(1, 1024),
    "level": _LEVEL,
    "max_grade": Limits(1, 1000),  # beyond 1023, 2^grade is no number
    "max_size": Limits(1, 1024**5),
    "null_samples": Limits(100, _SAMPLES.most),
    "power": Limits(0.5, 1, open_most=True),
    "precision": Limits(1e-4, 100),  # half an interval of ln var
    "r_loss": _COUNT,  # documents
    "rarefied": _COUNT,
    "repeats": _SAMPLES,
    "resamples": _SAMPLES,
    "samples": Limits(100, 1_000_000),
    "seed": Limits(0, 2**64 - 1),
    "splits": Limits(1, 1_000_000),
    "subset_size": _COUNT,
    "tie_eps": Limits(0, inf, open_most=True),
    "top": _COUNT,
    "weights": Limits(0, 1e100),  # of larger ones a sum may be no number
}


def require_limits(request: object) -> None:
    """Raise `UsageError` for a number of a request, or one of several, that is not within the limits of its name.

    Warns of a level below 0.5, which was probably meant as a p-value.

    >>> class Request:
    ...     tie_eps = -1.0
    >>> require_limits(Request())
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: tie_eps: expected a number of at least 0, found -1
    """
    for name in LIMITS:
        value = getattr(request, name, None)
        several = isinstance(value, tuple)
        for number in value if isinstance(value, tuple) else () if value is None else (value,):
            if isinstance(number, int | float) and number not in LIMITS[name]:
                reason = f"expected {LIMITS[name].expected(whole=isinstance(number, int), several=several)}"
                raise UsageError(f"{reason}, found {number:g}", option=name)
            if LIMITS[name].noun == "level" and number < 0.5:
                meant = argument(**{name: threshold(number)})
                warn(f"{argument(**{name: number})} is a level of confidence, 1 - p: for p < {number:g} it is {meant}")


def require_one(option: str, values: Iterable[object]) -> None:
    """Raise `UsageError` where different values of an option are given and one thing is looked at.

    >>> require_one("target", ["best", "perfect"])
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: target: expected one, found best and perfect
    """
    names = dict.fromkeys(map(str, values))
    if len(names) > 1:
        raise UsageError(f"expected one, found {listed(names, None)}", option=option)


def is_file(path: str) -> bool:
    """Whether there is a file of that name, or a pipe; a name that no file can have, or may be seen, is none.

    A shell gives the name of a pipe for ``<(command)``.
    """
    try:
        return Path(path).is_file() or Path(path).is_fifo()
    except (OSError, ValueError):
        return False


def files_and_measure(text: str) -> tuple[list[str], str | None]:
    """The files, or a folder, and the measure behind them, of FILE:MEASURE, in which FILE may be a pattern.

    The text itself where there is no such file.

    >>> files_and_measure("no such file:GRADE")
    (['no such file:GRADE'], None)
    """
    path, _, measure = text.rpartition(":")
    pairs = ((text, None), (path, measure)) if path and measure and "://" not in text else ((text, None),)
    return next(((files, behind) for name, behind in pairs if (files := _matching(name))), ([text], None))


def _matching(pattern: str) -> list[str]:
    """The path itself if it is there, or else the files that it is a pattern of, in order of their names."""
    from glob import glob

    with suppress(OSError, ValueError):
        return [pattern] if pattern == "-" or Path(pattern).exists() else sorted(glob(pattern))  # noqa: PTH207
    return []


def available_cores() -> int:
    """The cores this process may run on.

    >>> available_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


TargetKind = Literal["best", "perfect", "ideal", "run", "mean", "file"]


class TargetSpec(NamedTuple):
    """A target as asked for: ``text`` as it was typed, and what it means.

    ``name`` is the run of ``run:NAME`` or the path of ``file:PATH``, ``number`` the quantile of ``best:Q`` or the mean
    of ``mean:X``; each is None for the other kinds, and ``number`` for ``best`` itself.
    """

    kind: TargetKind
    text: str
    name: str | None = None
    number: float | None = None

    @property
    def form(self) -> TargetForm:
        """The form that it was typed in."""
        return _FORMS[self.kind, self.name is not None or self.number is not None]

    @property
    def file(self) -> str | None:
        """The file that its scores are read from."""
        return self.name if self.kind == "file" else None


class TargetForm(NamedTuple):
    """A form that a target is written in, and all that follows from it alone.

    ``argument`` stands behind the colon, a number within the ``limits``, or a name where there are none. ``score`` and
    ``gap`` are its row in the documentation: its score of a query, and the columns of the gap form; ``brief`` is said
    of it in help.

    ``of_runs`` makes the target's scores from those of the runs, (..., n_runs, n_queries), the names of the runs and
    the specification: those of the data, of a sample, and the mean logs of systems alike. It is None for a target that
    does not depend on the runs, and that samples leave as it is. ``of_pool`` says that all runs of the pool count for
    it, and ``same_in_logs`` that the logs of the runs make the log of the target.
    """

    kind: TargetKind
    argument: str
    score: str
    gap: str = "yes"
    limits: Limits | None = None
    brief: str = ""
    of_runs: Callable[[FloatArray, tuple[str, ...], TargetSpec], FloatArray] | None = None
    of_pool: bool = False
    same_in_logs: bool = False

    @property
    def written(self) -> str:
        return f"{self.kind}:{self.argument}" if self.argument else self.kind

    @property
    def per_query(self) -> bool:
        """Whether there is a score per query, and not a mean alone."""
        return self.kind != "mean"


def _quantile(values: FloatArray, _runs: tuple[str, ...], spec: TargetSpec) -> FloatArray:
    import numpy as np

    assert spec.number is not None
    quantile: FloatArray = np.quantile(values, spec.number, axis=-2)
    return quantile


BEST = TargetSpec("best", "best")
TARGETS: Mapping[str, TargetForm] = {
    form.written: form
    for form in (
        TargetForm(
            "best",
            "",
            "the best of all runs, those of `--pool` included",
            brief="score of each query",
            of_runs=lambda values, _runs, _spec: values.max(axis=-2),
            of_pool=True,
            same_in_logs=True,
        ),
        TargetForm(
            "best",
            "Q",
            "the quantile Q (0 to 1) of the runs' scores, such as `best:0.9`",
            limits=Limits(0, 1),
            brief="quantile",
            of_runs=_quantile,
            of_pool=True,
        ),
        TargetForm(
            "perfect",
            "",
            "1. Refused for counts; warns where a measure cannot reach 1",
            gap="yes, `var_gap` equals `var`",
        ),
        TargetForm("ideal", "", "that of the relevant documents alone, in order of grade; needs qrels"),
        TargetForm(
            "run",
            "NAME",
            "that of one run, which stays in the table",
            of_runs=lambda values, runs, spec: values[..., runs.index(str(spec.name)), :],
            same_in_logs=True,
        ),
        TargetForm("mean", "X", "none; only the mean X is known", gap="empty", limits=Limits(-inf, inf)),
        TargetForm("file", "PATH", "that in a csv with the columns `query_id` and `score`"),
    )
}
_FORMS = {(form.kind, bool(form.argument)): form for form in TARGETS.values()}
TARGET_COMPLETION = Completion(
    tuple(
        f"{form.kind}:" if form.argument else form.kind for form in TARGETS.values() if form.limits or not form.argument
    ),
    runs=True,
    files=True,
)


def target_help(*, several: bool = True, mean: bool = True) -> str:
    """The help of a target; without ``mean`` each target has a score of each query."""
    forms = [form for form in TARGETS.values() if mean or form.per_query]
    words = listed((f"{form.written} ({form.brief})" if form.brief else form.written for form in forms), None, "or")
    return f"Measure runs against: {words}.{' Repeatable.' if several else ''}"


def parse_target(text: str) -> TargetSpec:
    """What a target means; `TARGETS` has the forms. Raises `UsageError` for any other text.

    >>> parse_target("best:0.9").number, parse_target("run:bm25:a").name
    (0.9, 'bm25:a')
    >>> parse_target("mean:high")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: target 'mean:high': expected a number after the colon, found 'high'
    """
    kind, colon, argument = text.partition(":")
    forms = [form for form in TARGETS.values() if form.kind == kind and (form.argument or not colon)]
    if not forms or (forms[0].argument and not forms[0].limits and not argument):
        raise UsageError(f"unknown target {text!r}; it is one of {', '.join(TARGETS)}")
    limits = forms[0].limits
    if limits is None:
        return TargetSpec(forms[0].kind, text, name=argument or None)
    try:
        number = float(argument)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or number not in limits:
        between = f" {limits.words}" if isfinite(limits.least) else ""
        raise UsageError(f"target {text!r}: expected a number{between} after the colon, found {argument!r}")
    return TargetSpec(forms[0].kind, text, number=number)


@dataclass(frozen=True, kw_only=True)
class SampledRequest:
    """What the requests of analyses that test and resample queries have in common.

    A request repeats the fields that it has (`settings.same_setting`), in the order of its own help. ``ci`` is the
    level of intervals and ``resamples`` the number of bootstrap samples that they are made of. ``clusters`` are the
    queries that belong together; the `answer` of a request passes them to `Track.in_clusters`.
    """

    ci: float | None = setting(
        None, STATISTICS, f"Add confidence intervals of this level, such as {LEVEL}.", metavar="LEVEL"
    )
    resamples: int | None = setting(None, STATISTICS, f"Bootstrap samples for --ci. Default: {RESAMPLES}.", metavar="N")
    clusters: QueryClusters | None = setting(
        None,
        INPUT_DETAILS,
        "Which queries belong together (variants, turns, forums of one collection): tests and intervals draw them "
        "together. A pattern of ids, whose group is the name of the cluster, '(.*)_[0-9]+', or a csv of "
        "query_id,cluster.",
        completion=Completion(paths=True),
        metavar="REGEX|FILE",
        type=str,
    )
    seed: int = setting(0, STATISTICS, "Seed of the random numbers: the same seed, the same output.", metavar="N")


def cluster_files(clusters: QueryClusters | None) -> tuple[str, ...]:
    """The file that lists the clusters of queries, if one does."""
    named = isinstance(clusters, str | os.PathLike) and is_file(os.fspath(clusters))
    return (str(clusters),) if named else ()


@dataclass(frozen=True, kw_only=True)
class AnalysisRequest:
    """What commands and notebooks ask every analysis of runs.

    ``jobs`` is the number of threads. ``null`` are the null models to fit beside the answer, None for none.
    """

    jobs: int = 1
    null: NullRequest | None = None

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Further measures that the answer needs."""
        return ()

    @property
    def of_documents(self) -> str:
        """What needs the documents of runs, for the error where inputs have none; empty where nothing does."""
        return ""


@dataclass(frozen=True, kw_only=True)
class TargetedRequest(AnalysisRequest):
    """What the requests of all analyses that measure runs against targets have in common.

    ``target`` are the targets, with an answer for each. With ``log`` scores are analysed as their
    logarithms, floored at ``eps`` (1e-5) or with it added.

    Raises `UsageError` for what cannot be asked.
    """

    target: tuple[str, ...] = setting(
        ("best",),
        COMMON,
        lambda of_command: target_help(several=of_command),
        completion=TARGET_COMPLETION,
        metavar="TARGET",
        brief="Measure against best (default), ideal, run:NAME, ...",
    )
    log: LogForm | None = setting(
        None, STATISTICS, "Analyse ln max(score, eps) or ln(score + eps): GMAP instead of MAP."
    )
    eps: float | None = setting(None, STATISTICS, "The eps of --log. Default: 1e-05.", metavar="X")

    def __post_init__(self) -> None:
        require_limits(self)
        if self.eps is not None and self.log is None:
            raise UsageError(f"needs {argument('log')}, floor or add", option="eps")
        for text in self.target:
            parse_target(text)

    @property
    def targets(self) -> tuple[TargetSpec, ...]:
        """The targets, each once."""
        return tuple(parse_target(text) for text in dict.fromkeys(self.target))

    @property
    def log_words(self) -> str:
        """The logarithms in a signature; empty without any."""
        return "" if self.log is None else f"ln {self.log} {self.eps or 1e-5:g}"

    @property
    def files(self) -> tuple[str, ...]:
        """The files that targets, and clusters of queries where a request has them, are read from."""
        targets = tuple(spec.file for spec in self.targets if spec.file is not None)
        return (*targets, *cluster_files(getattr(self, "clusters", None)))


BaselineKind = Literal["run", "top", "mean", "median", "best", "file"]
WORDS = ("mean", "median", "best", "top")
_ARGUMENTS = {"run": "run:NAME", "file": "file:PATH"}


class BaselineSpec(NamedTuple):
    """A baseline as asked for: ``text`` as it was typed, and what it means.

    ``name`` is the run of ``run:NAME`` or the path of ``file:PATH``, None for the others.
    """

    kind: BaselineKind
    text: str
    name: str | None = None


def parse_baseline(text: str) -> BaselineSpec:
    """What a baseline means: top, mean, median, best, file:PATH, or a run, run:NAME or its name alone.

    Raises `UsageError` where nothing follows ``run:`` or ``file:``.

    >>> parse_baseline("run:bm25:a").name, parse_baseline("mean").kind
    ('bm25:a', 'mean')
    >>> parse_baseline("bm25")
    BaselineSpec(kind='run', text='bm25', name='bm25')
    >>> parse_baseline("run:")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: baseline 'run:': expected run:NAME
    """
    kind, colon, argument = text.partition(":")
    for known in get_args(BaselineKind):
        if kind == known and (known in _ARGUMENTS) == bool(colon):
            if colon and not argument:
                raise UsageError(f"baseline {text!r}: expected {_ARGUMENTS[known]}")
            return BaselineSpec(known, text, argument or None)
    if not text:
        raise UsageError("the baseline is empty; give the name of a run")
    return BaselineSpec("run", text, text)


def parse_run_baseline(text: str) -> BaselineSpec:
    """A baseline that is a run: NAME, run:NAME, or top, the run of the best mean. Raises `UsageError` for another.

    >>> parse_run_baseline("mean")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: baseline: runs are compared with a run, NAME, run:NAME or top; found mean
    """
    spec = parse_baseline(text)
    if spec.kind not in ("run", "top"):
        reason = f"runs are compared with a run, NAME, run:NAME or top; found {spec.text}"
        raise UsageError(reason, option="baseline")
    return spec


def parse_run_baselines(texts: Iterable[str]) -> tuple[BaselineSpec, ...]:
    """The baselines, each run once, by the last of its names. Raises what `parse_run_baseline` raises.

    >>> [spec.text for spec in parse_run_baselines(["bm25", "top", "run:bm25"])]
    ['run:bm25', 'top']
    """
    return tuple({(spec.kind, spec.name): spec for spec in map(parse_run_baseline, texts)}.values())


def named_run(text: str) -> str:
    """The run that ``run:NAME`` or ``NAME`` names. Raises `UsageError` where there is no name.

    >>> named_run("run:bm25"), named_run("bm25")
    ('bm25', 'bm25')
    """
    name = text.removeprefix("run:")
    if not name:
        raise UsageError(f"baseline {text!r}: expected a run, NAME or run:NAME")
    return name


_DIGITS = 12  # of p and of 1 - level, beyond which they differ by rounding alone


def threshold(level: float) -> float:
    """1 - level, the p below which a difference is significant, as a person writes it.

    >>> 1 - 0.95, threshold(0.95)
    (0.050000000000000044, 0.05)
    """
    return round(1 - level, _DIGITS)


def is_significant(p: FloatArray | float, level: float) -> Any:
    """Whether p is below 1 - level, of any shape: the one comparison of the two, both rounded to 12 digits.

    A p equal to 1 - level is not below it, whatever the last digits of either; nan, which was not tested, is not.

    >>> import numpy as np
    >>> is_significant(np.array([0.049, 0.05, 0.1 * 0.5, np.nan]), 0.95).tolist()
    [True, False, False, False]
    """
    import numpy as np

    return np.round(p, _DIGITS) < threshold(level)


@dataclass(frozen=True, kw_only=True)
class NullRequest:
    """How many samples of each model, their seed, and how many threads; what is asked for beside the deciding models.

    ``ranks`` says whether Spearman's and Kendall's correlations are simulated beside Pearson's, which alone is printed.
    ``null_samples`` None is `nulls.models.usual_samples` of the pool, and more where these leave the verdict open.
    Raises `UsageError` for a number that is out of range.
    """

    null_samples: int | None = None
    seed: int = 0
    jobs: int = 1
    shuffled: bool = True
    stability: bool = False
    ranks: bool = True

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The correlations that are simulated."""
        return COEFFICIENTS if self.ranks else COEFFICIENTS[:1]

    def __post_init__(self) -> None:
        require_limits(self)
