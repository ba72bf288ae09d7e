"""Measures that ir-measures' own providers compute.

The providers are not given what they cannot deal with: ties (ranks replace the scores), several measures at once (some
change each other's numbers, so each has an evaluator of its own), topics with negative grades only.

Traps that this module keeps away, as seen in ir-measures 0.4.3; do not take a short cut around it:

* Its parser of names fails on Python 3.14 for anything with ``@k`` or parentheses, and reports a bad name by one of
  three kinds of exception. `measures` builds the objects from the registry.
* Its reader of runs lets the last of two lines win, accepts nan, and gives zeros for an empty run or foreign topics.
* It fills every judged topic with 0, topics without a relevant document too. Ours leaves those out, and leaves a
  query without results undefined until `scoring.track` counts it and fills it.
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
from typing import Any

import ir_measures
import numpy as np
import pyarrow as pa

from biasvar_cli.arrays import FloatArray
from biasvar_cli.errors import DataError, UsageError, needs_extra
from biasvar_cli.readers.columns import taken
from biasvar_cli.readers.qrels import Qrels
from biasvar_cli.readers.runs import Run
from biasvar_cli.scoring import rank_measures
from biasvar_cli.scoring.ranking import Ranking

_CWL_DEPTH = 1000
_PACKAGES = {"cwl_eval": "cwl-eval", "pyndeval": "pyndeval"}  # of the extra ``measures``, by ir-measures' providers


class StandardMeasures:
    """Scores of runs under these measures, one run at a time; safe to call from several threads.

    ``notices`` are what ir-measures has to say of them. Raises `UsageError` for a measure that nothing here computes.
    """

    def __init__(self, measures: Sequence[ir_measures.Measure], qrels: Qrels, queries: Sequence[str]) -> None:
        self.notices: list[str] = []
        self._queries = queries
        self._lock = threading.Lock()
        judged = _judged(qrels, queries) if measures else []
        self._evaluators = {measure: self._evaluator(measure, judged) for measure in measures}

    @property
    def depth(self) -> int | None:
        """The last rank that all of the measures count, None where they count every rank."""
        cwl = any(type(evaluator).__name__ == "CwlEvaluator" for evaluator in self._evaluators.values())
        return _CWL_DEPTH if cwl else None

    def score(self, measure: ir_measures.Measure, run: Run, ranking: Ranking) -> FloatArray:
        """The scores of a run under one of the measures, shape (n_queries,).

        Raises `DataError` where ir-measures fails, or gives a score that is not finite.
        """
        values = np.full(len(self._queries), float(measure.DEFAULT))
        row = {query: index for index, query in enumerate(self._queries)}
        with self._lock:
            try:
                for metric in self._evaluators[measure].iter_calc(_by_rank(run, ranking)):
                    values[row[metric.query_id]] = metric.value
            except Exception as error:  # whatever goes wrong in other people's code, say where
                what = f"{type(error).__name__}: {error}"
                raise DataError(f"ir-measures cannot compute {measure} for this run ({what})", path=run.path) from None
        if not np.isfinite(values).all():
            query = self._queries[int(np.argmin(np.isfinite(values)))]
            raise DataError(f"ir-measures gives no finite {measure} for this run on query {query}", path=run.path)
        return values

    def _evaluator(self, measure: ir_measures.Measure, judged: Sequence[ir_measures.Qrel]) -> Any:
        provider = _provider(measure)
        with _Notices() as notices:
            try:
                evaluator = provider.evaluator([measure], judged)
            except Exception as error:  # whatever other people's code does with the parameters
                raise UsageError(f"ir-measures cannot compute {measure} ({type(error).__name__}: {error})") from None
        self.notices.extend(f"{measure}: {text}" for text in notices.texts)
        return evaluator


def _judged(qrels: Qrels, queries: Sequence[str]) -> list[ir_measures.Qrel]:
    """The judgments of these queries as ir-measures takes them."""
    highest = np.full(len(qrels.topics), np.iinfo(np.int64).min)
    np.maximum.at(highest, qrels.topic, qrels.grades)
    # trec_eval's code reads beyond its memory on a topic whose grades are all negative; 0 has the same meaning.
    grades = np.where(highest[qrels.topic] < 0, 0, qrels.grades)
    columns = (qrels.topic.tolist(), _doc_ids(qrels.docs), grades.tolist(), _doc_ids(qrels.iterations))
    index = {query: topic for topic, query in enumerate(qrels.topics)}
    wanted = {index[query] for query in queries}
    return [
        ir_measures.Qrel(qrels.topics[topic], doc, grade, iteration)
        for topic, doc, grade, iteration in zip(*columns, strict=True)
        if topic in wanted
    ]


def _by_rank(run: Run, ranking: Ranking) -> dict[str, dict[str, float]]:
    """The ranking as ir-measures takes it, with scores that fall by one a rank, so that nothing ties."""
    docs = _doc_ids(taken(run.docs, ranking.line))
    ends = np.cumsum(ranking.retrieved).tolist()
    result = {}
    for query, start, end in zip(ranking.judgments.queries, [0, *ends], ends, strict=False):
        if end > start:
            result[query] = dict(zip(docs[start:end], map(float, range(end - start, 0, -1)), strict=True))
    return result


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
