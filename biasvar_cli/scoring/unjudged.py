"""Unjudged documents: the highest score that they allow, and judgments without what one team gave to the pool.

A document that is not judged counts as not relevant. Here each one could have a grade, independently of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import ir_measures
import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray, IntArray
from biasvar_cli.readers.columns import HashArray, taken
from biasvar_cli.scoring import rank_measures
from biasvar_cli.scoring.ranking import Judgments, KeyIndex, Ranking, position
from biasvar_cli.specs.limits import MAX_GRADE

# a relevant document more can only raise them, so the highest value has all of them
_RISING = frozenset(["P", "RBP", "RR", "Success", "ERR"])
BOUNDED = "AP, nDCG, P, R, RBP, RR, Success and ERR"
_ADDITIVE = frozenset(["P", "RBP"])  # sums of what each relevant document adds at its rank


class Documents(NamedTuple):
    """The documents of a run that are judged or may be relevant, as `Ranking` has them, in little memory."""

    query: IntArray
    rank: IntArray
    judgment: IntArray
    key: HashArray
    retrieved: IntArray

    @classmethod
    def of(cls, ranking: Ranking, unjudged_to: int | None) -> Documents:
        """Those of a ranking that are judged, or stand in the first ``unjudged_to``; all for None."""
        kept = slice(None) if unjudged_to is None else ranking.judged | (ranking.rank <= unjudged_to)
        columns, small = (ranking.query, ranking.rank, ranking.judgment), cast("type[np.int64]", np.int32)
        query, rank, judgment = (column[kept].astype(small) for column in columns)
        return cls(query, rank, judgment, ranking.key[kept], ranking.retrieved)


@dataclass(frozen=True, eq=False)
class JudgedDocuments:
    """The judgments, and the documents of every run by its name; ``max_grade`` is the highest that ERR allows for."""

    judgments: Judgments
    of_run: Mapping[str, Documents]
    max_grade: int

    def ranking(self, run: str, depth: int | None = None) -> Ranking:
        """The ranking of a run, down to a rank; its lines are not known any more."""
        query, rank, judgment, key, retrieved = self.of_run[run]
        if depth is not None:
            top = rank <= depth
            query, rank, judgment, key = query[top], rank[top], judgment[top], key[top]
        judged, none = judgment >= 0, np.full(len(query), -1)
        grade = np.where(judged, self.judgments.grade[judgment], 0)
        return Ranking(self.judgments, none, query, rank, grade, judged, judgment, key, none[:0], retrieved)


def unbounded(measure: ir_measures.Measure) -> str:
    """Why the highest value of a measure is not known; "" for one of which it is, which are those of ``BOUNDED``.

    >>> from biasvar_cli.measures import parse_measures
    >>> [unbounded(measure) for measure in parse_measures(["P@10", "Bpref"])]
    ['', 'the highest value that unjudged documents allow is not known for Bpref']
    >>> unbounded(parse_measures(["AP(judged_only=True)"])[0])
    'AP(judged_only=True) leaves unjudged documents out'
    """
    if rank_measures.parameters(measure).get("judged_only"):
        return f"{measure} leaves unjudged documents out"
    known = measure.NAME in _RISING or measure.NAME in _RELATIVE
    if known and rank_measures.supports(measure):
        return ""
    return f"the highest value that unjudged documents allow is not known for {measure}"


def deepest(measures: Iterable[ir_measures.Measure]) -> int | None:
    """The last rank at which an unjudged document changes one of the measures, None where there is no last one.

    >>> from biasvar_cli.measures import parse_measures
    >>> deepest(parse_measures(["P@10", "nDCG@20"])), deepest(parse_measures(["P@10", "AP"]))
    (20, None)
    """
    cutoffs: list[Any] = [measure.params.get("cutoff") for measure in measures if not unbounded(measure)]
    return None if None in cutoffs else max(cutoffs, default=0)


def highest(measure: ir_measures.Measure, ranking: Ranking, grade: int, *, max_grade: int = MAX_GRADE) -> FloatArray:
    """The highest score of each query if unjudged documents may have a grade, or be not relevant; (n_queries,).

    P, RBP (Moffat and Zobel, TOIS 2008: their residual), RR, Success and ERR have it where all of them are relevant.
    Of AP, nDCG and R@k, which depend on the number of relevant documents, it is the best of the values where the m
    highest-ranked ones are relevant, m from 0 to all: with m of them no others give more, since the same number of
    relevant documents then stands at better ranks, and a larger m may give less.

    Of the relevant documents d1, d2, d9 the run d1, d5, d3, d6, d2 retrieves two; d3 is judged not relevant. With d5
    relevant its AP is (1 + 2/2 + 3/5) / 4 = .65, with d5 and d6 (1 + 2/2 + 3/4 + 4/5) / 5 = .71:

    >>> from biasvar_cli.measures import parse_measures
    >>> measures = parse_measures(["AP", "P@5", "nDCG@5", "RBP(p=0.8,rel=1)", "RR"])
    >>> [float(highest(measure, example(), 1)[0].round(5)) for measure in measures]
    [0.71, 0.8, 0.83042, 0.54432, 1.0]
    """
    score = rank_measures.score(measure, ranking, max_grade=max_grade)
    if not is_relevant(measure, grade):
        return score
    if measure.NAME in _RISING:
        grades = np.where(ranking.judged, ranking.grade, grade)
        relevant = replace(ranking, grade=grades, judged=np.ones(len(grades), dtype=bool))
        return rank_measures.score(measure, relevant, max_grade=max_grade)
    params = rank_measures.parameters(measure)
    params.pop("judged_only", None)
    cutoff = params.pop("cutoff", None)
    top = ranking if cutoff is None else ranking.down_to(cutoff)
    score = score.copy()
    np.maximum.at(score, top.query[~top.judged], _RELATIVE[str(measure.NAME)](top, grade, cutoff, **params))
    return score


def is_relevant(measure: ir_measures.Measure, grade: int) -> bool:
    """Whether documents of a grade count as relevant: by the measure's ``rel``, or by its gain.

    >>> from biasvar_cli.measures import parse_measures
    >>> [is_relevant(measure, 1) for measure in parse_measures(["P@10", "P(rel=2)@10", "nDCG(gains={1: 0})@10"])]
    [True, False, False]
    """
    if measure.NAME == "nDCG":
        params = rank_measures.parameters(measure)
        return bool(rank_measures.gains_of(np.array([grade]), params["dcg"], params.get("gains"))[0] > 0)
    return bool(grade >= rank_measures.parameters(measure).get("rel", 1))


def example() -> Ranking:
    """The ranking of the worked example: d1, d5, d3, d6, d2, of which d5 and d6 are not judged.

    >>> example().judged.tolist(), example().grade.tolist()
    ([True, False, True, False, True], [1, 0, 0, 0, 1])
    """
    from biasvar_cli.readers import qrels, runs

    judged = qrels.parse_qrels(b"q 0 d1 1\nq 0 d2 1\nq 0 d9 1\nq 0 d3 0\n", "qrels")
    lines = "".join(f"q Q0 {doc} 0 {-rank} run\n" for rank, doc in enumerate(("d1", "d5", "d3", "d6", "d2")))
    return Judgments.of(judged, ("q",)).judge(runs.parse_run(lines.encode(), "run"))


def _average_precision(ranking: Ranking, _grade: int, _cutoff: int | None, *, rel: int = 1) -> FloatArray:
    """AP where an unjudged document and those above it are relevant, a value for each unjudged document.

    A document more, at rank r, adds the precision there, and 1 / rank at each relevant document below it.
    """
    relevant, added = ranking.judged & (ranking.grade >= rel), ~ranking.judged
    above, m = _running(ranking, relevant), _running(ranking, added)
    reciprocal = _running(ranking, relevant / ranking.rank)
    total, precision = _last(ranking, reciprocal), _last(ranking, _running(ranking, relevant * above / ranking.rank))
    query = ranking.query
    gains = np.where(added, (above + m) / ranking.rank + total[query] - reciprocal, 0.0)
    summed = precision[query] + _running(ranking, gains)
    return summed[added] / (ranking.judgments.relevant(rel)[query] + m)[added]


def _ndcg(
    ranking: Ranking, grade: int, cutoff: int | None, *, dcg: str = "log2", gains: Mapping[int, float] | None = None
) -> FloatArray:
    """nDCG where an unjudged document and those above it have the grade; the ideal ranking has them too."""
    gain, added = rank_measures.gains_of(np.array([grade]), dcg, gains)[0], ~ranking.judged
    of_rank = np.where(added, gain, rank_measures.gains_of(ranking.grade, dcg, gains)) / np.log2(ranking.rank + 1)
    judged = _last(ranking, _running(ranking, np.where(added, 0.0, of_rank)))
    query, m = ranking.query[added], _running(ranking, added)[added]
    summed = judged[query] + _running(ranking, np.where(added, of_rank, 0.0))[added]
    judgments = ranking.judgments
    of_judged = rank_measures.gains_of(judgments.grade, dcg, gains)
    most = len(judgments.query) + int(m.max(initial=0))
    depth = most if cutoff is None else min(cutoff, most)
    discounts = np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(depth) + 2))])
    ideal, start = np.zeros(len(query)), np.zeros(len(query), dtype=np.int64)
    for level in sorted({gain, *of_judged[of_judged > 0].tolist()}, reverse=True):
        number = np.bincount(judgments.query[of_judged == level], minlength=ranking.n_queries)[query]
        end = start + number + (m if level == gain else 0)
        ideal += level * (discounts[np.minimum(end, depth)] - discounts[np.minimum(start, depth)])
        start = end
    return summed / ideal


def _recall(ranking: Ranking, _grade: int, _cutoff: int | None, *, rel: int = 1) -> FloatArray:
    """R@k where an unjudged document and those above it are relevant."""
    added = ~ranking.judged
    hits = _last(ranking, _running(ranking, ranking.judged & (ranking.grade >= rel)))
    query, m = ranking.query[added], _running(ranking, added)[added]
    return (hits[query] + m) / (ranking.judgments.relevant(rel)[query] + m)


_RELATIVE: Mapping[str, Callable[..., FloatArray]] = {"AP": _average_precision, "nDCG": _ndcg, "R": _recall}


def _running(ranking: Ranking, values: FloatArray | BoolArray) -> Any:
    """The sum of the values of each entry and those above it on the same query, shape (n_entries,)."""
    summed = np.concatenate([[0], np.cumsum(values)])
    starts = np.searchsorted(ranking.query, np.arange(ranking.n_queries))
    return summed[1:] - summed[starts][ranking.query]


def _last(ranking: Ranking, running: FloatArray) -> FloatArray:
    """The last running sum of each query, 0 where it has no entry, shape (n_queries,)."""
    last = np.zeros(ranking.n_queries)
    last[ranking.query] = running  # of several values the last one stays
    return last


def only_rises(measure: ir_measures.Measure) -> bool:
    """Whether a relevant document more never lowers a score, so that none is below the one as it is."""
    return measure.NAME in _RISING


def is_additive(measure: ir_measures.Measure) -> bool:
    """Whether a score is the sum of what each relevant document adds at its rank."""
    return measure.NAME in _ADDITIVE


def weights(measure: ir_measures.Measure, rank: IntArray) -> FloatArray:
    """What a relevant document adds to an additive measure at each rank, shape (n,).

    >>> from biasvar_cli.measures import parse_measures
    >>> p, rbp = parse_measures(["P@2", "RBP(p=0.5,rel=1)"])
    >>> weights(p, np.array([1, 2, 3])).tolist(), weights(rbp, np.array([1, 2, 3])).tolist()
    ([0.5, 0.5, 0.0], [0.5, 0.25, 0.125])
    """
    cutoff = measure.params.get("cutoff")
    within = rank <= cutoff if cutoff is not None else np.ones(len(rank), dtype=bool)
    if measure.NAME == "P":
        return within / cutoff
    return np.where(within, (1 - measure["p"]) * np.power(measure["p"], rank - 1.0), 0.0)


def shared(row: IntArray, key: HashArray, weight: FloatArray, n_rows: int) -> FloatArray:
    """What unjudged documents add to both of two rows at least: the sum of the lesser weights, (n_rows, n_rows).

    ``row``, ``key`` and ``weight`` have an entry for each unjudged document of each row; those of one document, which
    several runs of a system have, add up.

    >>> keys = np.array([7, 8, 7], dtype=np.uint64)
    >>> shared(np.array([0, 0, 1]), keys, np.array([0.5, 0.25, 0.125]), 2).tolist()
    [[0.75, 0.125], [0.125, 0.125]]
    """
    if not len(row):
        return np.zeros((n_rows, n_rows))
    order = np.lexsort((row, key))
    row, key, weight = row[order], key[order], weight[order]
    first: IntArray = np.flatnonzero(np.append(True, (key[1:] != key[:-1]) | (row[1:] != row[:-1])))
    row, key, weight = row[first], key[first], np.add.reduceat(weight, first)
    order = np.lexsort((-weight, key))
    row, key, weight = row[order], key[order], weight[order]
    sums: FloatArray = np.diag(np.bincount(row, weight, n_rows))
    first = np.arange(len(row))
    for distance in range(1, n_rows):
        first = first[first + distance < len(row)]
        first = first[key[first] == key[first + distance]]
        if not len(first):
            break
        pairs = np.bincount(row[first] * n_rows + row[first + distance], weight[first + distance], n_rows * n_rows)
        sums += pairs.reshape(n_rows, n_rows) + pairs.reshape(n_rows, n_rows).T
    return sums


class Cover(NamedTuple):
    """Down to which rank all documents of some runs are judged, and which run and query end it, None where none do."""

    depth: int
    run: str | None
    query: str | None


def cover(documents: JudgedDocuments, runs: Collection[str]) -> Cover:
    """Down to which rank the documents of all these runs are judged on every query."""
    covers, longest, n_queries = [], 0, len(documents.judgments.queries)
    for run in runs:
        query, rank, judgment, _, retrieved = documents.of_run[run]
        query, rank = query[judgment >= 0], rank[judgment >= 0]
        depth = np.bincount(query[rank == position(query, n_queries) + 1], minlength=n_queries)
        ended = np.flatnonzero(depth < retrieved)
        covers += [Cover(int(depth[at]), run, documents.judgments.queries[at]) for at in ended]
        longest = max(longest, int(retrieved.max(initial=0)))
    return min(covers, key=lambda cover: cover.depth, default=Cover(longest, None, None))


def contributed(documents: JudgedDocuments, runs: Collection[str], depth: int) -> BoolArray:
    """Which judgments are of documents in the first ``depth`` of one of the runs, shape (n_judgments,)."""
    there = np.zeros(len(documents.judgments.query), dtype=bool)
    for run in runs:
        of_run = documents.of_run[run]
        there[of_run.judgment[(of_run.judgment >= 0) & (of_run.rank <= depth)]] = True
    return there


def rescored(
    measure: ir_measures.Measure, documents: JudgedDocuments, runs: Collection[str], removals: Iterable[BoolArray]
) -> Iterator[FloatArray]:
    """The scores of the runs, (n_runs, n_queries), under the judgments without each of some ``removals`` of them.

    What is removed, shape (n_judgments,), is not judged any more: it counts as not relevant, and relevant documents
    are fewer.
    """
    judgments = documents.judgments
    rankings = [documents.ranking(run, measure.params.get("cutoff")) for run in runs]
    for removed in removals:
        kept = np.flatnonzero(~removed)
        query, docs, grade = judgments.query[kept], taken(judgments.docs, kept), judgments.grade[kept]
        fewer = Judgments(judgments.queries, query, docs, grade, KeyIndex.of(judgments.index.keys[kept]))
        scores = []
        for ranking in rankings:
            judged = ranking.judged & ~removed[ranking.judgment]
            without = replace(ranking, judgments=fewer, judged=judged, grade=np.where(judged, ranking.grade, 0))
            scores.append(rank_measures.score(measure, without, max_grade=documents.max_grade))
        yield np.array(scores)
