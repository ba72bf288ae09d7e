"""Runs and qrels to scores, through ir-measures.

Measures on whole columns come from `rank_measures`, gdeval's among them, the others from ir-measures' own providers.
These are not given what they cannot deal with: ties (ranks replace the scores), several measures at once (some change
each other's numbers, so each has an evaluator of its own), topics with negative grades only. Topics without results are
left undefined here; `alignment` fills and counts them.

Traps of the providers that this module keeps away, as seen in ir-measures 0.4.3; do not take a short cut around it:

* Its parser of names fails on Python 3.14 for anything with ``@k`` or parentheses, and reports a bad name by one of
  three kinds of exception. `measures` builds the objects from the registry.
* Its reader of runs lets the last of two lines win, accepts nan, and gives zeros for an empty run or foreign topics.
* It fills every judged topic with 0, topics without a relevant document too. Ours leaves those out, and leaves a
  query without results undefined until `scoring.alignment` counts it and fills it.
* Providers break ties each in its own way, so RR and RR@10 can differ on one ranking.
* Subtopic measures with different parameters in one evaluator give zeros, and which ones depends on the hash seed;
  NumRet beside a judged-only measure is wrong.
* gdeval cuts a topic id at its last hyphen (``2014-301`` scores 0), fails on ids that are no numbers and on grades
  above 4, rounds to five decimals, and starts Perl for every run: ERR and exponential nDCG are in
  `scoring.rank_measures`.
* cwl_eval tears interleaved topics apart, and cuts at rank 1000. Judged divides by zero on a topic without results.
* trec_eval's code inside pytrec_eval reads beyond its memory for a topic whose judgments are all negative: it hangs
  or crashes. Such grades are given to it as 0, which means the same to its measures.
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

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError, Oddity, UsageError, needs_extra
from biasvar_cli.measures import DIVERSITY, catalogue
from biasvar_cli.readers.columns import selected, taken
from biasvar_cli.readers.delimited import quoted_word
from biasvar_cli.readers.qrels import RELEVANT, Qrels
from biasvar_cli.readers.runs import Run
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.scoring import rank_measures
from biasvar_cli.scoring.coverage import ALL_JUDGED, MOSTLY, TOP, Coverage, lists_irrelevant
from biasvar_cli.scoring.ranking import Judgments, Ranking, joined
from biasvar_cli.scoring.unjudged import Documents, deepest
from biasvar_cli.specs.limits import MAX_GRADE
from biasvar_cli.words import TiePrecision, argument, either, examples

_CWL_DEPTH = 1000
_PACKAGES = {"cwl_eval": "cwl-eval", "pyndeval": "pyndeval"}  # of the extra ``measures``, by ir-measures' providers
_HIGHEST_STANDARD = 10_000  # trec_eval's code has a table with an entry per grade
MOSTLY_UNJUDGED = f"mostly unjudged documents in the top {TOP}"


class NoCommonTopic(DataError):
    """A run has none of the judged topics."""


@dataclass(frozen=True, eq=False)
class RunScores:
    """The scores of one run: ``values`` has the shape (n_measures, n_queries), nan where the run has no results.

    The queries are the evaluator's: they are not copied into every run. ``unjudged`` says which ids do not match where
    not one document of the run is judged, and is "" elsewhere. ``coverage`` says how many of its first ones are.
    """

    name: str
    path: str
    values: FloatArray
    oddities: tuple[Oddity, ...]
    unjudged: str = ""
    coverage: Coverage = ALL_JUDGED
    documents: Documents | None = None


def judged_queries(qrels: Qrels, *, keep_empty: bool = False) -> tuple[str, ...]:
    """The judged topics with a relevant document (grade 1 or more, whatever a measure's ``rel``), in natural order.

    With ``keep_empty`` all judged topics. Raises `DataError` if there is none.

    >>> from biasvar_cli.readers.qrels import parse_qrels
    >>> judged_queries(parse_qrels(b"10 0 a 1\\n9 0 a 2\\n11 0 a 0\\n", "qrels.txt"))
    ('9', '10')
    """
    counts = qrels.relevant_counts()
    topics = [topic for topic, count in zip(qrels.topics, counts, strict=True) if count or keep_empty]
    if not topics:
        raise DataError("no topic has a relevant document (grade 1 or more)", path=qrels.path)
    return tuple(natural_order(topics))


class Evaluator:
    """Scores runs against qrels under several measures, one run at a time; safe to call from several threads.

    ``queries`` are the `judged_queries`; ``max_grade`` is the highest grade that ERR allows for. With ``documents`` the
    scores of a run have its documents, too.

    Raises `DataError` for qrels that a measure cannot use, `UsageError` for a measure that nothing here computes.
    """

    def __init__(
        self,
        qrels: Qrels,
        measures: Sequence[ir_measures.Measure],
        *,
        keep_empty: bool = False,
        precision: TiePrecision = "single",
        max_grade: int = MAX_GRADE,
        documents: bool = False,
    ) -> None:
        _check_qrels(qrels, measures, max_grade)
        self.measures = tuple(measures)
        self.queries = judged_queries(qrels, keep_empty=keep_empty)
        self._qrels = qrels
        self._precision = precision
        self.max_grade = max_grade
        self.judgments = Judgments.of(qrels, self.queries)
        self._with_documents, self._unjudged_to = documents, deepest(measures) if documents else 0
        self._has_irrelevant = lists_irrelevant(qrels)
        others = [measure for measure in measures if not rank_measures.supports(measure)]
        self._standard = _StandardMeasures(others, qrels, self.queries)

    @property
    def notices(self) -> list[str]:
        """What ir-measures logs about the measures."""
        return self._standard.notices

    def evaluate(self, run: Run) -> RunScores:
        """The scores of one run. Raises `DataError` if no evaluated query has results."""
        ranking, values = self._scores(self.measures, run, precision=self._precision)
        if not ranking.retrieved.any():
            raise NoCommonTopic(no_common_topic(run.topics, self._qrels.path, self.queries), path=run.path)
        values[:, ranking.retrieved == 0] = np.nan
        some_judged = ranking.judged.any() or self.judgments.judge(run).judged.any()
        unjudged = "" if some_judged else ids_of_both(run, ranking)
        coverage = Coverage.of(ranking)
        oddities = (*run.oddities, *self._oddities(run, ranking, unjudged, coverage.unjudged))
        documents = Documents.of(ranking, self._unjudged_to) if self._with_documents else None
        return RunScores(run.name, run.path, values, oddities, unjudged, coverage, documents)

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
            raise UsageError(f"{argument(target='ideal')} is not defined for {measure}, which rewards subtopics")
        qrels = self._qrels
        keep = np.flatnonzero(qrels.grades >= RELEVANT)
        docs = taken(qrels.docs, keep)
        grades = qrels.grades[keep].astype(np.float64)
        run = Run("ideal", qrels.path, (), qrels.topics, qrels.topic[keep], docs, grades)
        return self._scores([measure], run)[1][0]

    def _scores(
        self, measures: Sequence[ir_measures.Measure], run: Run, *, precision: TiePrecision = "single"
    ) -> tuple[Ranking, FloatArray]:
        """The ranking of a run, with what its measures and its `TOP` need, and its scores, (n_measures, n_queries).

        ir-measures needs every document, and is given those of one part of the run at a time.
        """
        values = np.array([np.full(len(self.queries), float(measure.DEFAULT)) for measure in measures])
        rankings = []
        relevant = not self._with_documents and all(map(rank_measures.needs_relevant_alone, measures))
        columns_alone = all(map(rank_measures.supports, measures))
        top = None if not columns_alone else TOP if relevant else self._unjudged_to
        for part, ranking in self.judgments.judge_parts(run, precision=precision, top=top, relevant=relevant):
            there = slice(None) if part.lines is None else ranking.retrieved > 0
            for row, measure in zip(values, measures, strict=True):
                if not rank_measures.supports(measure) and ranking.retrieved.any():
                    row[there] = self._standard.score(measure, part.run, ranking)[there]
            rankings.append(ranking.in_whole_run(part, unjudged_to=self._unjudged_to))
        ranking = joined(rankings)
        for row, measure in zip(values, measures, strict=True):
            if rank_measures.supports(measure):
                row[:] = rank_measures.score(measure, ranking, max_grade=self.max_grade)
        return ranking, values

    def _oddities(self, run: Run, ranking: Ranking, strange: str, unjudged_share: float) -> list[Oddity]:
        oddities = [Oddity(none_judged(self._qrels.path), run.name, 0, strange)] if strange else []
        if ranks_itself(run):
            words = "queries among their own results"
            remedy = f"{argument(ignore_identical_ids=True)} leaves them out, as BEIR does"
            oddities.append(Oddity(words, run.name, 0, "", notice=f"{words} ({remedy})"))
        if has_equal_scores(run):
            oddities.append(Oddity(EQUAL_SCORES, run.name, len(ranking.tied), "topic"))
        elif len(ranking.tied):
            what = "tied scores within a topic, ordered by document id, descending"
            words = "tied retrieval scores, broken by document id"
            oddities.append(Oddity(what, run.name, len(ranking.tied), "topic", notice=words))
        if self._has_irrelevant and not strange and unjudged_share > MOSTLY:
            share = f"{100 * unjudged_share:.0f} %"
            shows = f"{either('biasvar unjudged', 'unjudged')} shows what these can change"
            more = "" if self._with_documents else f" ({shows})"
            oddities.append(Oddity(MOSTLY_UNJUDGED, run.name, 0, share, notice=f"{MOSTLY_UNJUDGED}{more}"))
        unjudged = len(set(run.topics) - set(self._qrels.topics))
        if unjudged:
            oddities.append(Oddity("topics that are not judged are left out", run.name, unjudged, "topic"))
        deep = int((ranking.retrieved > _CWL_DEPTH).sum())
        if deep and self._standard.has_cwl:
            oddities.append(Oddity(f"cwl_eval counts no result below rank {_CWL_DEPTH}", run.name, deep, "topic"))
        return oddities


def ranks_itself(run: Run) -> bool:
    """Whether most queries are among their own results; a few are where queries and documents have numbers.

    >>> from biasvar_cli.readers.runs import parse_run
    >>> lines = [b"1 Q0 1 1 9 bm25", b"1 Q0 7 2 8 bm25", b"2 Q0 7 1 9 bm25", b"3 Q0 3 1 9 bm25"]
    >>> ranks_itself(parse_run(b"\\n".join(lines), "bm25")), ranks_itself(parse_run(b"\\n".join(lines[:3]), "bm25"))
    (True, False)
    """
    if not len(next(run.parts()).run.own_results(_MANY)):
        return False
    return 2 * sum(len(part.run.own_results()) for part in run.parts()) > len(run.topics)


_FEW, _MANY = 100, 2000  # results, of some topics, which tell most runs from one that is odd
EQUAL_SCORES = "all scores of a topic are equal, on all topics; document ids make the order"


def has_equal_scores(run: Run) -> bool:
    """Whether the scores say nothing about the order of any topic, and some topic has two results.

    >>> from biasvar_cli.readers.runs import parse_run
    >>> lines = [b"1 Q0 a 1 1 q", b"1 Q0 b 2 1 q", b"2 Q0 a 1 0 q", b"2 Q0 b 2 -1 q"]
    >>> has_equal_scores(parse_run(b"\\n".join(lines), "q")), has_equal_scores(parse_run(b"\\n".join(lines[:3]), "q"))
    (False, True)
    """
    start = run.scores[:_FEW][run.topic[:_FEW] == 0]
    if (start != start[0]).any() or len(run.topic) == len(run.topics):
        return False
    last = np.empty(len(run.topics))
    last[run.topic] = run.scores
    return bool((run.scores == last[run.topic]).all())


def no_common_topic(topics: Sequence[str], qrels: str, judged: Sequence[str]) -> str:
    """The message about a run that has no judged topic: ids of the run and of the qrels.

    >>> no_common_topic(["401"], "qrels.txt", ["301", "302"])
    'no topic in common with qrels.txt: the run has 401, the qrels 301, 302'
    """
    ours, theirs = examples(natural_order(topics)), examples(natural_order(judged))
    return f"no topic in common with {qrels}: the run has {ours}, the qrels {theirs}"


def none_judged(qrels: str) -> str:
    """The message about a run that has judged topics and no judged document, which an id of each side follows."""
    return f"not one document is judged in {qrels}; check that the ids of documents match"


def ids_of_both(run: Run, ranking: Ranking) -> str:
    """A document of a ranking and one that is judged for the same topic, as a message shows them.

    >>> from biasvar_cli.readers.qrels import parse_qrels
    >>> from biasvar_cli.readers.runs import parse_run
    >>> run = parse_run(b"301 Q0 ft911-1.txt 1 2 bm25", "bm25")
    >>> ids_of_both(run, Judgments.of(parse_qrels(b"301 0 FT911-1 1", "qrels"), ["301"]).judge(run))
    'for topic 301 the run has ft911-1.txt, the qrels FT911-1'
    """
    judgments, query = ranking.judgments, ranking.query[0]
    (ours,) = selected(run.docs, ranking.line[:1]).to_pylist()
    theirs = min(taken(judgments.docs, np.flatnonzero(judgments.query == query)).to_pylist())
    topic = judgments.queries[query]
    return f"for topic {topic} the run has {quoted_word(ours)}, the qrels {quoted_word(theirs)}"


def _check_qrels(qrels: Qrels, measures: Sequence[ir_measures.Measure], max_grade: int) -> None:
    highest = int(qrels.grades.max())
    for measure in measures:
        fault = ""
        if qrels.subtopics and measure.NAME not in DIVERSITY:
            what = "column 2 holds subtopics (a document is judged more than once for a topic)"
            remedy = "use a measure of subtopics such as alpha_nDCG@20, or qrels without subtopics"
            fault = f"{what}, but {measure} needs one grade per document; {remedy}"
        elif highest > _HIGHEST_STANDARD and not rank_measures.supports(measure):
            fault = f"grade {highest} is too high for {measure}, which counts the grades one by one"
        elif measure.NAME == "nDCG" and measure["dcg"] == "exp-log2" and highest > catalogue.LARGEST_EXPONENT:
            fault = f"grade {highest} is too high for {measure}: its gain is 2^{highest} - 1"
        elif measure.NAME == "ERR" and highest > max_grade:
            remedy = f"set {argument(max_grade=highest)}"
            fault = f"grade {highest} is above {max_grade}, the highest that {measure} allows for; {remedy}"
        if fault:
            raise DataError(fault, path=qrels.path)


class _StandardMeasures:
    """Scores of runs under these measures, one run at a time; safe to call from several threads.

    ``notices`` are what ir-measures logs about them. Raises `UsageError` for a measure that nothing here computes.
    """

    def __init__(self, measures: Sequence[ir_measures.Measure], qrels: Qrels, queries: Sequence[str]) -> None:
        self.notices: list[str] = []
        self._queries = queries
        self._lock = threading.Lock()
        self._evaluators: dict[ir_measures.Measure, Any] = {}
        if not measures:
            return
        highest = np.full(len(qrels.topics), np.iinfo(np.int64).min)
        np.maximum.at(highest, qrels.topic, qrels.grades)
        grades = np.where(highest[qrels.topic] < 0, 0, qrels.grades)  # 0 for a topic without others
        topics = [qrels.topics[topic] for topic in qrels.topic.tolist()]
        columns = (topics, _doc_ids(qrels.docs), grades.tolist(), _doc_ids(qrels.iterations))
        wanted = set(queries)
        judged = [ir_measures.Qrel(*judgment) for judgment in zip(*columns, strict=True) if judgment[0] in wanted]
        for measure in measures:
            provider = _provider(measure)
            with _Notices() as notices:
                try:
                    self._evaluators[measure] = provider.evaluator([measure], judged)
                except Exception as error:  # whatever other people's code does with the parameters
                    what = f"{type(error).__name__}: {error}"
                    raise UsageError(f"ir-measures cannot compute {measure} ({what})") from None
            self.notices.extend(f"{measure}: {text}" for text in notices.texts)

    @property
    def has_cwl(self) -> bool:
        """Whether cwl_eval computes one of the measures."""
        return any(type(evaluator).__name__ == "CwlEvaluator" for evaluator in self._evaluators.values())

    def score(self, measure: ir_measures.Measure, run: Run, ranking: Ranking) -> FloatArray:
        """The scores of a run under one of the measures, shape (n_queries,).

        Raises `DataError` where ir-measures fails, or gives a score that is not finite.
        """
        values = np.full(len(self._queries), float(measure.DEFAULT))
        row = {query: index for index, query in enumerate(self._queries)}
        docs, ends = _doc_ids(taken(run.docs, ranking.line)), np.cumsum(ranking.retrieved).tolist()
        scores = {  # fall by one a rank, so that nothing ties
            query: dict(zip(docs[start:end], map(float, range(end - start, 0, -1)), strict=True))
            for query, start, end in zip(ranking.judgments.queries, [0, *ends], ends, strict=False)
            if end > start
        }
        with self._lock:
            try:
                for metric in self._evaluators[measure].iter_calc(scores):
                    values[row[metric.query_id]] = metric.value
            except Exception as error:  # whatever goes wrong in other people's code, say where
                what = f"{type(error).__name__}: {error}"
                raise DataError(f"ir-measures cannot compute {measure} for this run ({what})", path=run.path) from None
        if not np.isfinite(values).all():
            query = self._queries[int(np.argmin(np.isfinite(values)))]
            raise DataError(f"ir-measures gives no finite {measure} for this run on query {query}", path=run.path)
        return values


def _provider(measure: ir_measures.Measure) -> Any:
    """The first of ir-measures' providers that computes the measure, in ir-measures' own order of preference."""
    needed = []
    for provider in ir_measures.DefaultPipeline.providers:
        if provider.supports(measure):
            if provider.is_available():
                return provider
            needed.append(provider)
    for provider in needed:
        if provider.NAME in _PACKAGES:
            raise needs_extra(f"measure {measure}", "measures", package=f"the package {_PACKAGES[provider.NAME]}")
    if needed:
        others = " or ".join(str(provider.install_instructions() or provider.NAME) for provider in needed)
        raise UsageError(f"measure {measure} needs another package: {others}")
    raise _not_computed(measure)


def _not_computed(measure: ir_measures.Measure) -> UsageError:
    """The error of a measure that nothing computes: it lacks a parameter, or has one too many.

    >>> from biasvar_cli.measures import parse_measures
    >>> print(_not_computed(parse_measures(["RBP(p=0.8)"])[0]))
    measure RBP(p=0.8) needs its rel: RBP(p=0.8,rel=1)
    """
    specs = {key: spec for key, spec in measure.SUPPORTED_PARAMS.items() if spec.dtype is int}
    for key in specs:
        other = measure(**{key: 10 if key == "cutoff" else 1})
        if key not in measure.params and _is_computed(other):
            return UsageError(f"measure {_written(measure)} needs its {key}: {_written(other)}")
    names = sorted(measure.params)
    fewer = [type(measure)(**{key: measure.params[key] for key in names if key != gone}) for gone in names]
    computed = [_written(other) for other in fewer if _is_computed(other)]
    instead = f"; {' or '.join(computed)} can be computed" if computed else ""
    return UsageError(f"no program computes measure {_written(measure)}{instead}")


def _is_computed(measure: ir_measures.Measure) -> bool:
    """Whether something that is installed computes a measure."""
    providers: list[Any] = ir_measures.DefaultPipeline.providers
    return rank_measures.supports(measure) or any(one.is_available() and one.supports(measure) for one in providers)


def _written(measure: ir_measures.Measure) -> str:
    """A measure with every parameter that was given: ir-measures leaves out those that have their default."""
    parameters = ",".join(f"{key}={value!r}" for key, value in measure.params.items() if key != measure.AT_PARAM)
    at = measure.params.get(measure.AT_PARAM)
    return f"{measure.NAME}{f'({parameters})' if parameters else ''}{'' if at is None else f'@{at}'}"


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
