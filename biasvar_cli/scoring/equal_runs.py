"""Runs that cannot be told apart: equal rankings, equal scores, and scores that are nearly equal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from biasvar_cli.errors import notice
from biasvar_cli.readers.columns import taken
from biasvar_cli.readers.runs import Run
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.ranking import rank_order
from biasvar_cli.words import NEARLY_EQUAL, QUERY, RUN, RUNS, counted, listed

_MOST_RUNS, _MOST_GROUPS = 3, 2  # that a notice names, of each group and in all
NEAR = 0.01  # of the root mean square difference over all pairs of runs
Group = tuple[str, ...]


def groups_of_equals(names: Sequence[str], keys: Iterable[bytes | None]) -> list[Group]:
    """The names whose keys are equal, two or more in a group, in the order of the names; a key of None equals none.

    >>> groups_of_equals(["a", "b", "c", "d"], [b"1", b"2", b"1", None])
    [('a', 'c')]
    """
    by_key: dict[bytes, list[str]] = {}
    for name, key in zip(names, keys, strict=True):
        if key is not None:
            by_key.setdefault(key, []).append(name)
    return [tuple(group) for group in by_key.values() if len(group) > 1]


def equal_runs(scores: ScoreMatrix) -> tuple[list[Group], Group]:
    """The runs that have the same score on every query, in groups; and apart from these, those that score 0 on all.

    Runs that find nothing score alike without being alike.

    >>> scores = ScoreMatrix(np.array([[.5, .2], [0, 0], [.5, .2], [.5, 0]]), ("a", "b", "c", "d"), ("1", "2"), "AP")
    >>> equal_runs(scores)
    ([('a', 'c')], ('b',))
    """
    rows = scores.values + 0.0  # no negative zero, whose bytes are others
    zeros = [run for run, row in zip(scores.runs, rows, strict=True) if not row.any()]
    return groups_of_equals(scores.runs, (row.tobytes() if row.any() else None for row in rows)), tuple(zeros)


def near_runs(scores: ScoreMatrix) -> list[Group]:
    """The pairs of runs that have nearly, but not quite, the same scores.

    The root mean square over the queries of the difference of their scores is less than `NEAR` times that over the
    queries and all pairs of runs. None without a third run, which says what a usual difference is.

    The mean square over all n (n - 1) / 2 pairs is 2 n / (n - 1) times the variance over the runs, averaged over the
    queries. A difference of means is never larger than the root mean square difference, so that only neighbours in the
    order of means are compared.

    >>> rows = np.array([[.5, .2], [.5, .2001], [.1, .6], [.1, .6]])
    >>> near_runs(ScoreMatrix(rows, ("a", "b", "c", "d"), ("1", "2"), "AP"))
    [('a', 'b')]
    """
    values, n_runs = scores.values, scores.n_runs
    if n_runs < 3:
        return []
    limit = NEAR * np.sqrt(2 * n_runs / (n_runs - 1) * values.var(axis=0, ddof=0).mean())
    means = values.mean(axis=1)
    order = means.argsort(kind="stable")
    order = order[values[order].any(axis=1)]  # runs that find nothing are like no other
    ends = np.searchsorted(means[order], means[order] + limit, side="right")
    pairs = []
    for index, (row, end) in enumerate(zip(order, ends, strict=True)):
        others = order[index + 1 : end]
        differences = np.sqrt(np.square(values[others] - values[row]).mean(axis=1))
        near = others[(differences > 0) & (differences < limit)]
        pairs += [(min(row, other), max(row, other)) for other in near.tolist()]
    return [(scores.runs[one], scores.runs[two]) for one, two in sorted(pairs)]


def notice_equal_runs(matrices: Sequence[ScoreMatrix]) -> None:
    """Issue a notice of the runs that cannot be told apart, one for all measures under which these are the same."""
    measures: dict[tuple[Group, ...], list[str]] = {}
    nothing: dict[Group, list[str]] = {}
    for scores in matrices:
        groups, zeros = equal_runs(scores)
        name = scores.measure or "score"
        if groups:
            measures.setdefault(tuple(groups), []).append(name)
        if len(zeros) > 1:
            nothing.setdefault(zeros, []).append(name)
    for equal, names in measures.items():
        what = f"have the same {listed(names, None)} on every {QUERY} as another run, and all of them are counted"
        notice(f"{sum(map(len, equal))} runs {what}: {group_words(equal)}")
    for runs, names in nothing.items():
        notice(f"{len(runs)} runs have {listed(names, None)} 0 on every {QUERY}: {group_words([runs], ', ')}")


def notice_near_runs(matrices: Sequence[ScoreMatrix]) -> None:
    """Issue a notice of the runs that are nearly equal, one for all measures under which these are the same."""
    near: dict[tuple[Group, ...], list[str]] = {}
    for scores in matrices:
        pairs = near_runs(scores)
        if pairs:
            near.setdefault(tuple(pairs), []).append(scores.measure or "score")
    for close, names in near.items():
        what = f"{NEARLY_EQUAL} {listed(names, None)} as another {RUN}, and all of them are counted"
        notice(f"{len({run for pair in close for run in pair})} {RUNS} {what}: {group_words(close, ' and ', 'pair')}")


def group_words(groups: Sequence[Group], between: str = " = ", what: str = "group") -> str:
    """The first of some groups of equal runs, and the first runs of each.

    >>> group_words([("a", "b"), ("c", "d", "e", "f")])
    'a = b; c = d = e and 1 more'
    """
    left = len(groups) - _MOST_GROUPS
    more = f"; and {counted(left, f'more {what}')}" if left > 0 else ""
    words = []
    for group in groups[:_MOST_GROUPS]:
        rest = f" and {len(group) - _MOST_RUNS} more" if len(group) > _MOST_RUNS else ""
        words.append(f"{between.join(group[:_MOST_RUNS])}{rest}")
    return "; ".join(words) + more


def key_of_run(run: Run) -> bytes:
    """A digest that two runs share if they have the same results in the same order on every topic.

    Topics may stand in any order; not so in a run of many parts, in which these have to be the same.
    """
    import hashlib  # OpenSSL, in 5 ms and some megabytes, which only a check takes

    digest = hashlib.blake2b(digest_size=16)
    for part, _ in run.parts():
        order, _ = rank_order(part.topic, part.scores, part.docs)
        by_name = np.argsort(np.array(part.topics, dtype=object), kind="stable")
        rank = np.empty_like(by_name)
        rank[by_name] = np.arange(len(by_name))
        order = order[np.argsort(rank[part.topic[order]], kind="stable")]
        sizes = np.bincount(part.topic, minlength=len(part.topics))[by_name]
        for topic, size in zip(by_name.tolist(), sizes.tolist(), strict=True):
            digest.update(f"{part.topics[topic]}\t{size}\n".encode("utf-8", "surrogateescape"))
        _, ends, text = taken(part.docs, order).buffers()
        for buffer in (ends, text):
            digest.update(buffer or b"")
    return digest.digest()


def keys_of_scores(scores: ScoreFile) -> list[bytes | None]:
    """For each run of a file a digest that two share if all their scores are equal; None where all of them are 0."""
    import hashlib

    names = repr((scores.measures, scores.queries)).encode("utf-8", "backslashreplace")
    return [
        hashlib.blake2b(names + row.tobytes(), digest_size=16).digest() if np.nan_to_num(row).any() else None
        for row in scores.values + 0.0
    ]
