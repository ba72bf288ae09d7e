"""Runs and qrels to scores, through ir-measures.

ir-measures computes the scores. What would disturb it is kept from it here: ties (it is given ranks for scores),
topics without results (left undefined here, filled and counted by `track`), measures that spoil each other's numbers
(each has an evaluator of its own), and gdeval, whose measures `columnar` computes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures
import numpy as np
import pyarrow as pa

from biasvar_cli.arrays import FloatArray, IntArray
from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import DIVERSITY
from biasvar_cli.readers.columns import taken
from biasvar_cli.readers.oddities import Oddity
from biasvar_cli.readers.qrels import Qrels
from biasvar_cli.readers.runs import Run
from biasvar_cli.scores import natural_order
from biasvar_cli.scoring import columnar
from biasvar_cli.scoring.ranking import Judgments, Ranking, TiePrecision
from biasvar_cli.words import examples


@dataclass(frozen=True, eq=False)
class RunScores:
    """The scores of one run: ``values`` has the shape (n_measures, n_queries), nan where the run has no results.

    The queries are the evaluator's; they do not travel with every run.
    """

    name: str
    path: str
    values: FloatArray
    oddities: tuple[Oddity, ...]


def judged_queries(qrels: Qrels, *, keep_empty: bool = False) -> tuple[str, ...]:
    """The judged topics with a relevant document (grade 1 or more, whatever a measure's ``rel``), in natural order.

    With ``keep_empty`` all judged topics. Raises `DataError` if there is none.

    >>> from biasvar_cli.readers.qrels import parse_qrels
    >>> judged_queries(parse_qrels(b"10 0 a 1\\n9 0 a 2\\n11 0 a 0\\n", "qrels.txt"))
    ('9', '10')
    """
    counts = qrels.relevant_counts()
    kept = [topic for topic, count in zip(qrels.topics, counts, strict=True) if count or keep_empty]
    if not kept:
        raise DataError("no topic has a relevant document (grade 1 or more)", path=qrels.path)
    return tuple(natural_order(kept))


class Evaluator:
    """Scores runs against qrels under several measures, one run at a time; safe to call from several threads.

    ``queries`` are the `judged_queries`; ``max_grade`` is the highest grade that ERR allows for.

    Raises `DataError` for qrels that a measure cannot use, `UsageError` for a measure that nothing here computes.
    """

    def __init__(
        self,
        qrels: Qrels,
        measures: Sequence[ir_measures.Measure],
        *,
        keep_empty: bool = False,
        precision: TiePrecision = "single",
        max_grade: int = 4,
    ) -> None:
        _check_qrels(qrels, measures, max_grade)
        self.measures = tuple(measures)
        self.queries = judged_queries(qrels, keep_empty=keep_empty)
        self.notices: list[str] = []
        self._qrels = qrels
        self._precision = precision
        self._max_grade = max_grade
        self._judgments = Judgments.of(qrels, self.queries)
        self._lock = threading.Lock()
        self._standard = {
            measure: self._standard_evaluator(measure) for measure in measures if not columnar.supports(measure)
        }

    def evaluate(self, run: Run) -> RunScores:
        """The scores of one run. Raises `DataError` if no evaluated query has results."""
        ranking = self._judgments.judge(run, precision=self._precision)
        if not len(ranking.query):
            raise DataError(no_common_topic(run.topics, self._qrels.path, self.queries), path=run.path)
        values = np.array([self._score(measure, run, ranking) for measure in self.measures])
        values[:, ranking.retrieved == 0] = np.nan
        return RunScores(run.name, run.path, values, (*run.oddities, *self._oddities(run, ranking)))

    def ideal(self, measure: ir_measures.Measure) -> FloatArray:
        """The score of each query's relevant documents alone in order of grade, shape (n_queries,).

        Below 1 where the measure's cutoff hides some of them: AP@10 with twenty relevant documents is 0.5. Raises
        `UsageError` for a measure of subtopics, under which order of grade is not the best order.

        >>> from biasvar_cli.measures import parse_measures
        >>> from biasvar_cli.readers.qrels import parse_qrels
        >>> lines = "".join(f"1 0 doc{number:02} 1\\n" for number in range(20))
        >>> measures = parse_measures(["AP", "AP@10", "ERR@20"])
        >>> evaluator = Evaluator(parse_qrels(lines.encode(), "qrels"), measures)
        >>> [evaluator.ideal(measure).round(4).tolist() for measure in measures[:2]]
        [[1.0], [0.5]]
        """
        if measure.NAME in DIVERSITY:
            raise UsageError(f"--target ideal is not defined for {measure}, which rewards subtopics")
        qrels = self._qrels
        keep = np.flatnonzero(qrels.grades >= 1)
        docs = taken(qrels.docs, keep)
        grades = qrels.grades[keep].astype(np.float64)
        run = Run("ideal", qrels.path, (), qrels.topics, qrels.topic[keep], docs, grades)
        return self._score(measure, run, self._judgments.judge(run))

    def _score(self, measure: ir_measures.Measure, run: Run, ranking: Ranking) -> FloatArray:
        if columnar.supports(measure):
            return columnar.score(measure, ranking, max_grade=self._max_grade)
        values = np.full(len(self.queries), float(measure.DEFAULT))
        place = {query: index for index, query in enumerate(self.queries)}
        with self._lock:
            try:
                for metric in self._standard[measure].iter_calc(self._by_rank(run, ranking)):
                    values[place[metric.query_id]] = metric.value
            except Exception as error:  # whatever other people's code meets, say where
                what = f"{type(error).__name__}: {error}"
                raise DataError(f"ir-measures cannot compute {measure} for this run ({what})", path=run.path) from None
        if not np.isfinite(values).all():
            query = self.queries[int(np.argmin(np.isfinite(values)))]
            raise DataError(f"ir-measures gives no finite {measure} for this run on query {query}", path=run.path)
        return values

    def _by_rank(self, run: Run, ranking: Ranking) -> dict[str, dict[str, float]]:
        """The ranking as ir-measures takes it, with scores that fall by one a rank, so that nothing ties."""
        docs = _doc_ids(taken(run.docs, ranking.line))
        ends = np.cumsum(ranking.retrieved).tolist()
        result = {}
        for query, start, end in zip(self.queries, [0, *ends], ends, strict=False):
            if end > start:
                result[query] = dict(zip(docs[start:end], map(float, range(end - start, 0, -1)), strict=True))
        return result

    def _oddities(self, run: Run, ranking: Ranking) -> list[Oddity]:
        found = []
        if len(ranking.tied):
            what = "scores tie within a topic, where document ids in descending order decide"
            found.append(Oddity(what, run.name, len(ranking.tied), "topic"))
        unjudged = len(set(run.topics) - set(self._qrels.topics))
        if unjudged:
            found.append(Oddity("topics that are not judged are left out", run.name, unjudged, "topic"))
        deep = int((ranking.retrieved > _CWL_DEPTH).sum())
        if deep and any(type(standard).__name__ == "CwlEvaluator" for standard in self._standard.values()):
            found.append(Oddity("cwl_eval counts no result below rank 1000", run.name, deep, "topic"))
        return found

    def _standard_evaluator(self, measure: ir_measures.Measure) -> Any:
        qrels = self._qrels
        # trec_eval's code reads beyond its memory on a topic whose grades are all negative; 0 means the same there.
        grades = np.where(_highest(qrels)[qrels.topic] < 0, 0, qrels.grades)
        columns = (qrels.topic.tolist(), _doc_ids(qrels.docs), grades.tolist(), _doc_ids(qrels.iterations))
        judged = [
            ir_measures.Qrel(qrels.topics[topic], doc, grade, iteration)
            for topic, doc, grade, iteration in zip(*columns, strict=True)
        ]
        wanted = set(self.queries)
        provider = _provider(measure)
        with _Notices() as notices:
            try:
                evaluator = provider.evaluator([measure], [qrel for qrel in judged if qrel.query_id in wanted])
            except Exception as error:  # whatever other people's code makes of the parameters
                raise UsageError(f"ir-measures cannot compute {measure} ({type(error).__name__}: {error})") from None
        self.notices.extend(f"{measure}: {text}" for text in notices.texts)
        return evaluator


def no_common_topic(topics: Sequence[str], qrels: str, judged: Sequence[str]) -> str:
    """What to say of a run that has none of the judged topics: ids from both sides.

    >>> no_common_topic(["401"], "qrels.txt", ["301", "302"])
    'no topic in common with qrels.txt: the run has 401, the qrels 301, 302'
    """
    ours, theirs = examples(natural_order(topics)), examples(natural_order(judged))
    return f"no topic in common with {qrels}: the run has {ours}, the qrels {theirs}"


_CWL_DEPTH = 1000
_HIGHEST_STANDARD = 10_000  # trec_eval's code has a table with an entry per grade
_HIGHEST_EXPONENT = 1000  # 2^1024 is beyond a double


def _check_qrels(qrels: Qrels, measures: Sequence[ir_measures.Measure], max_grade: int) -> None:
    highest = int(qrels.grades.max())
    for measure in measures:
        if qrels.subtopics and measure.NAME not in DIVERSITY:
            raise DataError(
                f"column 2 holds subtopics (a document is judged more than once for a topic), but {measure} needs one "
                "grade per document; use a measure of subtopics such as alpha_nDCG@20, or qrels without subtopics",
                path=qrels.path,
            )
        if highest > _HIGHEST_STANDARD and not columnar.supports(measure):
            raise DataError(
                f"grade {highest} is too high for {measure}, which counts the grades one by one", path=qrels.path
            )
        if measure.NAME == "nDCG" and measure["dcg"] == "exp-log2" and highest > _HIGHEST_EXPONENT:
            raise DataError(f"grade {highest} is too high for {measure}: its gain is 2^{highest} - 1", path=qrels.path)
        if measure.NAME == "ERR" and highest > max_grade:
            raise DataError(
                f"grade {highest} is above {max_grade}, the highest that {measure} allows for; "
                f"set --max-grade {highest}",
                path=qrels.path,
            )


def _highest(qrels: Qrels) -> IntArray:
    """The highest grade of each topic, shape (n_topics,)."""
    highest = np.full(len(qrels.topics), np.iinfo(np.int64).min)
    np.maximum.at(highest, qrels.topic, qrels.grades)
    return highest


def _provider(measure: ir_measures.Measure) -> Any:
    """The first of ir-measures' providers that computes the measure, in ir-measures' own order of preference."""
    needed = []
    for provider in ir_measures.DefaultPipeline.providers:
        if provider.supports(measure):
            if provider.is_available():
                return provider
            needed.append(provider.install_instructions() or provider.NAME)
    if needed:
        raise UsageError(f"measure {measure} needs another package: {' or '.join(needed)}")
    hint = f"; try {' or '.join(_alternatives(measure))}" if _alternatives(measure) else ""
    raise UsageError(f"measure {measure} is known to ir-measures, but nothing computes it with these parameters{hint}")


def _alternatives(measure: ir_measures.Measure) -> list[str]:
    """The same measure with one parameter more or one fewer, where something computes that."""
    specs = {key: spec for key, spec in measure.SUPPORTED_PARAMS.items() if spec.dtype is int}
    more = [measure(**{key: 10 if key == "cutoff" else 1}) for key in specs if key not in measure.params]
    names = sorted(measure.params)
    fewer = [type(measure)(**{key: measure.params[key] for key in names if key != gone}) for gone in names]
    providers: list[Any] = ir_measures.DefaultPipeline.providers
    return [
        str(other)
        for other in more + fewer
        if columnar.supports(other) or any(one.is_available() and one.supports(other) for one in providers)
    ]


def _doc_ids(column: pa.Array) -> list[str]:
    """Ids as text, byte for byte, whatever their encoding; only equality matters from here on."""
    return [word.decode("latin-1") for word in column.to_pylist()]


class _Notices(logging.Handler):
    """What ir-measures logs while the context lasts, kept for the user's warnings instead of printed."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._logger = logging.getLogger("ir_measures")
        self._printing: list[logging.Handler] = []

    def __enter__(self) -> _Notices:
        self._printing, self._logger.handlers = self._logger.handlers, [self]
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.handlers = self._printing

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())
