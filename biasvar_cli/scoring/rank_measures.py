"""The measures that are computed on whole columns, every query of a run at once: the formulas."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import ir_measures
import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.readers import qrels, runs
from biasvar_cli.scoring.ranking import Judgments, Ranking, position
from biasvar_cli.specs.limits import MAX_GRADE

Formula = TypeVar("Formula", bound=Callable[..., FloatArray])
FORMULAS: dict[str, Callable[..., FloatArray]] = {}  # by the measure's name


def supports(measure: ir_measures.Measure) -> bool:
    """Whether `score` computes the measure, with its parameters, on columns.

    >>> from biasvar_cli.measures import parse_measures
    >>> [supports(measure) for measure in parse_measures(["AP@10", "IPrec@0.1"])]
    [True, False]
    """
    return measure.NAME in FORMULAS and (measure.NAME != "RBP" or measure["rel"] is not NOT_PROVIDED)


def needs_relevant_alone(measure: ir_measures.Measure) -> bool:
    """Whether `score` gives a measure the same value without the judged documents that are not relevant.

    >>> from biasvar_cli.measures import parse_measures
    >>> measures = parse_measures(["AP", "P(rel=2)@5", "nDCG", "AP(judged_only=True)", "Bpref", "Judged@10"])
    >>> [needs_relevant_alone(measure) for measure in measures]
    [True, True, True, False, False, False]
    """
    others = [name for name in ("judged_only", "gains") if measure.params.get(name)]
    return supports(measure) and measure.NAME not in ("Bpref", "Judged") and not others


def score(measure: ir_measures.Measure, ranking: Ranking, *, max_grade: int = MAX_GRADE) -> FloatArray:
    """The scores of a ranking under a measure that `supports` accepts, shape (n_queries,).

    A query without results scores 0 here; ``ranking.retrieved`` says which those are.

    >>> from biasvar_cli.measures import parse_measures
    >>> score(parse_measures(["P@2"])[0], example()).tolist()
    [0.5]
    """
    params = parameters(measure)
    if params.pop("judged_only", False):
        ranking = ranking.only_judged()
    if measure.NAME == "ERR":
        params["max_grade"] = max_grade
    return FORMULAS[str(measure.NAME)](ranking, **params)


def parameters(measure: ir_measures.Measure) -> dict[str, Any]:
    """The parameters of a measure that it was given or has a default for, by their names in ir-measures."""
    return {name: measure[name] for name in measure.SUPPORTED_PARAMS if measure[name] is not NOT_PROVIDED}


def _computes(name: str) -> Callable[[Formula], Formula]:
    """Make a function the formula of a measure, whose parameters it takes by their names in ir-measures."""

    def register(formula: Formula) -> Formula:
        FORMULAS[name] = formula
        return formula

    return register


def example() -> Ranking:
    """The ranking of the worked examples: one query, ranks 1 to 4 with grades 1, 0, 2 and one not judged.

    A third relevant document, of grade 1, is not retrieved.

    >>> example().grade.tolist(), example().judged.tolist()
    ([1, 0, 2, 0], [True, True, True, False])
    """
    judged = qrels.parse_qrels(b"q 0 a 1\nq 0 b 0\nq 0 c 2\nq 0 e 1\n", "qrels")
    run = runs.parse_run(b"q Q0 a 1 4 run\nq Q0 b 2 3 run\nq Q0 c 3 2 run\nq Q0 d 4 1 run\n", "run")
    return Judgments.of(judged, ("q",)).judge(run)


@_computes("AP")
def average_precision(ranking: Ranking, *, rel: int = 1, cutoff: int | None = None) -> FloatArray:
    """AP = (1 / R) sum over relevant documents of precision at their rank, in [0, 1]; up to rank ``cutoff`` with AP@k.

    R counts all relevant documents of the query, also those below the cutoff (trec_eval's map and map_cut).

    >>> average_precision(example()).round(6).tolist()  # (1/1 + 2/3) / 3
    [0.555556]
    """
    query, rank, nth = ranking.relevant(rel, cutoff)
    return _ratio(_sums(query, nth / rank, ranking.n_queries), ranking.judgments.relevant(rel))


@_computes("P")
def precision_at(ranking: Ranking, *, cutoff: int, rel: int = 1) -> FloatArray:
    """P@k = relevant documents in the top k / k, whatever the number retrieved.

    >>> precision_at(example(), cutoff=2).tolist()
    [0.5]
    """
    return _hits(ranking, rel, cutoff) / cutoff


@_computes("R")
def recall_at(ranking: Ranking, *, cutoff: int, rel: int = 1) -> FloatArray:
    """R@k = relevant documents in the top k / all relevant documents.

    >>> recall_at(example(), cutoff=3).round(6).tolist()
    [0.666667]
    """
    return _ratio(_hits(ranking, rel, cutoff), ranking.judgments.relevant(rel))


@_computes("Success")
def success_at(ranking: Ranking, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Success@k = 1 if a relevant document is in the top k, else 0.

    >>> success_at(example(), cutoff=1).tolist(), success_at(example(), cutoff=1, rel=2).tolist()
    ([1.0], [0.0])
    """
    return np.minimum(_hits(ranking, rel, cutoff), 1.0)


@_computes("RR")
def reciprocal_rank(ranking: Ranking, *, rel: int = 1, cutoff: int | None = None) -> FloatArray:
    """RR = 1 / rank of the first relevant document; 0 if there is none, up to rank ``cutoff``.

    >>> reciprocal_rank(example(), rel=2).round(6).tolist()
    [0.333333]
    """
    query, rank, nth = ranking.relevant(rel, cutoff)
    first = nth == 1
    return _sums(query[first], 1 / rank[first], ranking.n_queries)


@_computes("Rprec")
def r_precision(ranking: Ranking, *, rel: int = 1) -> FloatArray:
    """Rprec = precision at rank R, the number of relevant documents of the query.

    >>> r_precision(example()).round(6).tolist()  # two of the top three
    [0.666667]
    """
    query, rank, _ = ranking.relevant(rel)
    total = ranking.judgments.relevant(rel)
    return _ratio(_counts(query[rank <= total[query]], ranking.n_queries), total)


@_computes("Bpref")
def bpref(ranking: Ranking, *, rel: int = 1) -> FloatArray:
    """Bpref = (1 / R) sum over relevant retrieved of 1 - min(judged non-relevant above it, R) / min(N, R).

    N counts the judged non-relevant documents of the query; negative grades count as not judged (trec_eval's bpref;
    Buckley and Voorhees, SIGIR 2004).

    >>> bpref(example()).round(6).tolist()  # (1 + (1 - 1/1)) / 3: one judged non-relevant, above the second
    [0.333333]
    """
    relevant = ranking.judged & (ranking.grade >= rel)
    against = ranking.judged & (ranking.grade >= 0) & (ranking.grade < rel)
    above: IntArray = np.cumsum(against) - against
    starts = np.concatenate([[0], np.cumsum(_counts(ranking.query[against], ranking.n_queries))]).astype(np.int64)
    above = (above - starts[ranking.query])[relevant]
    query = ranking.query[relevant]
    total = ranking.judgments.relevant(rel)
    bound = np.minimum(ranking.judgments.count(0, rel), total)[query]
    lost = _ratio(np.minimum(above, total[query]), bound)
    return _ratio(_sums(query, 1 - lost, ranking.n_queries), total)


@_computes("nDCG")
def ndcg(
    ranking: Ranking, *, cutoff: int | None = None, dcg: str = "log2", gains: Mapping[int, float] | None = None
) -> FloatArray:
    """nDCG = DCG / DCG of the ideal ranking, in [0, 1]; DCG = sum of gain / log2(rank + 1) up to the cutoff.

    The gain is the grade (Jarvelin and Kekalainen, TOIS 2002; trec_eval), with ``exp-log2`` 2^grade - 1 (Burges et al.,
    ICML 2005; gdeval), or what ``gains`` maps the grade to. Gains below 0 count as 0; a query without any scores 0.

    >>> ndcg(example(), cutoff=3).round(6).tolist()  # (1 + 2 / log2 4) / (2 + 1 / log2 3 + 1 / log2 4)
    [0.638788]
    """
    judgments, named = ranking.judgments, None if gains is None else tuple(sorted(gains.items()))

    def ideal_dcg() -> FloatArray:
        gain = gains_of(judgments.grade, dcg, gains)
        order = np.lexsort((-gain, judgments.query))
        query = judgments.query[order]
        return _dcg(query, position(query, ranking.n_queries) + 1, gain[order], cutoff, ranking.n_queries)

    ideal = judgments.once(("ideal", cutoff, dcg, named), ideal_dcg)
    gain = np.where(ranking.judged, gains_of(ranking.grade, dcg, gains), 0.0)
    return _ratio(_dcg(ranking.query, ranking.rank, gain, cutoff, ranking.n_queries), ideal)


@_computes("ERR")
def err(ranking: Ranking, *, cutoff: int | None = None, max_grade: int = MAX_GRADE) -> FloatArray:
    """Expected reciprocal rank, in [0, 1): sum over ranks of R(g) / rank times the product of 1 - R above it.

    R(g) = (2^g - 1) / 2^max_grade, and 0 for g <= 0: the convention of the TREC Web track's gdeval, whose ``max_grade``
    is 4 (Chapelle et al., CIKM 2009). One document of grade 1 at rank 1 gives 1/16.

    >>> err(example()).round(6).tolist()  # 1/16 + 15/16 * 3/16 / 3
    [0.121094]
    """
    query, rank, nth = ranking.relevant(1)
    grade = ranking.grade[ranking.judged & (ranking.grade >= 1)]
    stop = np.exp2(grade - float(max_grade)) - np.exp2(-float(max_grade))
    passed = np.ones((ranking.n_queries, int(nth.max(initial=0)) + 1))
    passed[query, nth] = 1 - stop
    reach = np.cumprod(passed, axis=1)[query, nth - 1]
    within = rank <= cutoff if cutoff is not None else slice(None)
    return _sums(query[within], (stop * reach / rank)[within], ranking.n_queries)


@_computes("RBP")
def rank_biased_precision(ranking: Ranking, *, rel: int, p: float = 0.8, cutoff: int | None = None) -> FloatArray:
    """RBP = (1 - p) sum over relevant documents of p^(rank - 1), in [0, 1) (Moffat and Zobel, TOIS 2008).

    >>> rank_biased_precision(example(), rel=1, p=0.5).tolist()  # 0.5 (1 + 0.25)
    [0.625]
    """
    query, rank, _ = ranking.relevant(rel, cutoff)
    return (1 - p) * _sums(query, np.power(p, rank - 1.0), ranking.n_queries)


@_computes("Judged")
def judged_share(ranking: Ranking, *, cutoff: int | None = None) -> FloatArray:
    """Judged@k = judged documents among the first k retrieved / how many these are.

    >>> judged_share(example()).tolist(), judged_share(example(), cutoff=3).tolist()
    ([0.75], [1.0])
    """
    keep = ranking.judged if cutoff is None else ranking.judged & (ranking.rank <= cutoff)
    depth = ranking.retrieved if cutoff is None else np.minimum(ranking.retrieved, cutoff)
    return _ratio(_counts(ranking.query[keep], ranking.n_queries), depth)


@_computes("SetP")
def set_precision(ranking: Ranking, *, rel: int = 1, relative: bool = False) -> FloatArray:
    """SetP = relevant retrieved / retrieved; ``relative`` divides by the most that a set of that size could hold.

    >>> set_precision(example()).tolist(), set_precision(example(), relative=True).round(6).tolist()
    ([0.5], [0.666667])
    """
    depth = np.minimum(ranking.retrieved, ranking.judgments.relevant(rel)) if relative else ranking.retrieved
    return _ratio(number_retrieved(ranking, rel=rel), depth)


@_computes("SetR")
def set_recall(ranking: Ranking, *, rel: int = 1) -> FloatArray:
    """SetR = relevant retrieved / relevant.

    >>> set_recall(example()).round(6).tolist()
    [0.666667]
    """
    return _ratio(number_retrieved(ranking, rel=rel), ranking.judgments.relevant(rel))


@_computes("SetF")
def set_f(ranking: Ranking, *, rel: int = 1, beta: float = 1.0) -> FloatArray:
    """SetF = (b + 1) P R / (R + b P) of SetP and SetR, with b = beta as trec_eval has it, not beta squared.

    >>> set_f(example()).round(6).tolist()  # 2 * 1/2 * 2/3 / (2/3 + 1/2)
    [0.571429]
    """
    p, r = set_precision(ranking, rel=rel), set_recall(ranking, rel=rel)
    return _ratio((beta + 1) * p * r, r + beta * p)


@_computes("NumRet")
def number_retrieved(ranking: Ranking, *, rel: int | None = None) -> FloatArray:
    """NumRet: how many documents are retrieved, of grade ``rel`` or more if it is given.

    >>> number_retrieved(example()).tolist(), number_retrieved(example(), rel=1).tolist()
    ([4.0], [2.0])
    """
    if rel is None:
        return ranking.retrieved.astype(np.float64)
    return _counts(ranking.relevant(rel)[0], ranking.n_queries)


@_computes("NumRel")
def number_relevant(ranking: Ranking, *, rel: int = 1) -> FloatArray:
    """NumRel: how many judged documents of the query have grade ``rel`` or more.

    >>> number_relevant(example()).tolist()
    [3.0]
    """
    return ranking.judgments.relevant(rel).astype(np.float64)


def _hits(ranking: Ranking, rel: int, cutoff: int) -> FloatArray:
    """How many relevant documents each query has in its top ``cutoff``."""
    return _counts(ranking.relevant(rel, cutoff)[0], ranking.n_queries)


def gains_of(grade: IntArray, dcg: str, gains: Mapping[int, float] | None) -> FloatArray:
    """The gain of each grade under nDCG, at least 0, shape (n,)."""
    gain = grade.astype(np.float64)
    if gains is not None:
        grades, inverse = np.unique(grade, return_inverse=True)
        gain = np.array([gains.get(value, value) for value in grades.tolist()], dtype=np.float64)[inverse]
    positive = np.maximum(gain, 0.0)
    return np.exp2(positive) - 1 if dcg == "exp-log2" else positive


def _dcg(query: IntArray, rank: IntArray, gain: FloatArray, cutoff: int | None, n_queries: int) -> FloatArray:
    keep = gain > 0 if cutoff is None else (gain > 0) & (rank <= cutoff)
    return _sums(query[keep], gain[keep] / np.log2(rank[keep] + 1), n_queries)


def _counts(query: IntArray, n_queries: int) -> FloatArray:
    """How many entries each query has, shape (n_queries,)."""
    return np.bincount(query, minlength=n_queries).astype(np.float64)


def _sums(query: IntArray, values: FloatArray, n_queries: int) -> FloatArray:
    """The sum of the values of each query, shape (n_queries,)."""
    return np.asarray(np.bincount(query, weights=values, minlength=n_queries), dtype=np.float64)


def _ratio(part: FloatArray, whole: FloatArray | IntArray) -> FloatArray:
    """part / whole, and 0 where the whole is 0: a query without relevant documents scores 0."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
