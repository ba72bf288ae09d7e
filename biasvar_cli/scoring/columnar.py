"""The measures that are computed on whole columns, every query of a run at once; also as a provider of ir-measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from ir_measures.providers.base import NOT_PROVIDED, Evaluator, Provider
from ir_measures.util import Metric, QrelsConverter, RunConverter

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.readers.qrels import Qrels
from biasvar_cli.readers.runs import Run
from biasvar_cli.scoring import rank_measures
from biasvar_cli.scoring.ranking import Judgments, Ranking

if TYPE_CHECKING:
    import ir_measures

MEASURES: Mapping[str, Callable[..., FloatArray]] = {
    "AP": rank_measures.average_precision,
    "Bpref": rank_measures.bpref,
    "ERR": rank_measures.err,
    "Judged": rank_measures.judged_share,
    "NumRel": rank_measures.number_relevant,
    "NumRet": rank_measures.number_retrieved,
    "P": rank_measures.precision_at,
    "R": rank_measures.recall_at,
    "RBP": rank_measures.rank_biased_precision,
    "RR": rank_measures.reciprocal_rank,
    "Rprec": rank_measures.r_precision,
    "SetF": rank_measures.set_f,
    "SetP": rank_measures.set_precision,
    "SetR": rank_measures.set_recall,
    "Success": rank_measures.success_at,
    "nDCG": rank_measures.ndcg,
}


def supports(measure: ir_measures.Measure) -> bool:
    """Whether `score` computes the measure, with its parameters, on columns.

    >>> from biasvar_cli.measures import parse_measures
    >>> [supports(measure) for measure in parse_measures(["AP@10", "IPrec@0.1"])]
    [True, False]
    """
    if measure.NAME == "RBP":
        return measure["rel"] is not NOT_PROVIDED
    return measure.NAME in MEASURES


def score(measure: ir_measures.Measure, ranking: Ranking, *, max_grade: int = 4) -> FloatArray:
    """The scores of a ranking under a measure that `supports` accepts, shape (n_queries,).

    A query without results scores 0 here; ``ranking.retrieved`` says which those are.

    >>> from biasvar_cli.measures import parse_measures
    >>> score(parse_measures(["P@2"])[0], rank_measures.example()).tolist()
    [0.5]
    """
    params = {name: measure[name] for name in measure.SUPPORTED_PARAMS if measure[name] is not NOT_PROVIDED}
    if params.pop("judged_only", False):
        ranking = ranking.only_judged()
    if measure.NAME == "ERR":
        params["max_grade"] = max_grade
    values: FloatArray = MEASURES[str(measure.NAME)](ranking, **params)
    return values


class ColumnarProvider(Provider):
    """`score` as a provider of ir-measures, to stand in front of its own in a ``FallbackProvider``.

    Its evaluators take a `Run`, whole, or whatever else ir-measures takes for a run.

    >>> import ir_measures
    >>> from ir_measures.providers import FallbackProvider
    >>> provider = FallbackProvider([ColumnarProvider(), *ir_measures.DefaultPipeline.providers])
    >>> qrels, run = {"q": {"a": 1, "c": 2}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> provider.calc_aggregate([ir_measures.AP, ir_measures.ERR], qrels, run)[ir_measures.AP].round(6)
    np.float64(0.833333)
    """

    NAME = "columnar"

    def supports(self, measure: ir_measures.Measure) -> bool:
        measure.validate_params()
        return supports(measure)

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> _ColumnarEvaluator:
        return _ColumnarEvaluator(list(measures), qrels)


class _ColumnarEvaluator(Evaluator):
    """Evaluates runs against qrels in any of ir-measures' forms."""

    def __init__(self, measures: Sequence[ir_measures.Measure], qrels: Any) -> None:
        rows = [(row.query_id, row.doc_id, row.relevance) for row in QrelsConverter(qrels).as_namedtuple_iter()]
        topic, topics, docs = _columns_of(rows)
        grades = np.array([row[2] for row in rows], dtype=np.int64)
        judged = Qrels("qrels", topics, topic, docs, grades, docs, subtopics=False)
        self._judgments = Judgments.of(judged, topics)
        super().__init__(measures, set(topics))

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        if not isinstance(run, Run):
            rows = [(row.query_id, row.doc_id, row.score) for row in RunConverter(run).as_namedtuple_iter()]
            topic, topics, docs = _columns_of(rows)
            run = Run("run", "run", (), topics, topic, docs, np.array([row[2] for row in rows], dtype=np.float64))
        ranking = self._judgments.judge(run)
        found = np.flatnonzero(ranking.retrieved).tolist()
        for measure in self.measures:
            values = score(measure, ranking)
            for query in found:
                yield Metric(self._judgments.queries[query], measure, values[query])


def _columns_of(rows: Sequence[tuple[str, str, float]]) -> tuple[IntArray, tuple[str, ...], pa.BinaryArray]:
    """Topic of each row as an index, shape (n_rows,), the topics, and the documents as bytes."""
    topics = tuple(dict.fromkeys(row[0] for row in rows))
    place = {topic: index for index, topic in enumerate(topics)}
    topic = np.array([place[row[0]] for row in rows], dtype=np.int64)
    return topic, topics, pa.array([row[1].encode() for row in rows], pa.binary())
