"""The names of columns in tables of scores: ids, measures, scores, counts, and row numbers, which have no name.

A table of measures and a matrix of runs may look alike: only names and cells together tell which columns are measures.
A name such as ``mean``, ``std`` or ``total`` alone does not make a summary, for a run may have that name. If the values
equal that statistic of the others, they are a summary and left out; if not, the user has to decide.
"""

import re
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import BoolArray, FloatArray
from biasvar_cli.measures import canonical, is_measure, spelled_name, value_range
from biasvar_cli.measures.catalogue import cost_of
from biasvar_cli.readers.text import HOLES, NUMBER, Row

# If a table with documents has several of these columns, the first in this order has the ids: PyTerrier writes the text
# of a query in query, and an internal number of a document in docid. q_id is ranx'.
QUERY_NAMES = ("qid", "query_id", "q_id", "topic", "query")
RUN_NAMES = ("run", "run_id", "runid", "system", "tag")
_ITEM_NAMES = (  # columns of queries if there are no others
    *("question_id", "sample_id", "item_id", "example_id", "doc_id", "idx", "id"),
    *("task_id", "task_name", "instance_id", "user_id"),
)
# Names of ids if a table has none of the usual ones.
LESS_USUAL = {
    "query": (
        *("topic_id", "topicid", "queryid", "query_no", "topic_no", "query_number", "topic_number"),
        *("qidx", "query_idx", "query_index"),
    ),
    "run": (
        *("run_name", "runname", "run_tag", "runtag", "system_name", "system_id"),
        *("name", "model", "model_name", "model_names"),
    ),
}
_USUAL = {"query": QUERY_NAMES, "run": RUN_NAMES, "measure": ("measure", "metric"), "score": ("score", "value")}
_COUNT = re.compile(
    r"num_\w+|num(q|rel|ret|relret)|n_(rel|ret|rel_ret|docs|judged|queries)|year|fold|rank|iter(ation)?"
)
_NAMELESS = re.compile(r"(unnamed: ?[\d._]+|\.\.\.\d+|index|level_0|rownames|row[._]names)?", re.IGNORECASE)
# Measures of trec_eval, versions 7 to 10, that ir-measures does not have, compiled where it is used, as the next two.
_TREC_EVAL_ONLY = (
    r"runid|relstring|gm_(map|ap|bpref)|num_\w+|micro_\w+|utility\S*|1?[13]-?pt_avg|(bin)?G|Rndcg|ndcg_(rel|p)|rbp(_resid)?"
    r"|unj_\d+|recall\d+|relative_(P_|prec|unranked_avg_prec)\d+|unranked_avg_prec\d+|Rprec_mult_\S+|(int_)?\d\.\d+R-prec"
    r"|exact_\w+|avg_(doc|relative)_prec|(int_)?map(_at_R)?|(old_)?bpref_\w+|rank_first_rel|rcl_at_\w+|fallout_recall_\d+"
)
# Names of measures in ranx that differ from those in ir-measures.
_RANX_ONLY = (
    r"(hits|hit_rate|precision|recall|f1|r-precision|mrr|map|ndcg|ndcg_burges|dcg|dcg_burges|bpref|promptness)(@\d+)?(-l\d+)?"
    r"|rbp\.\d+"
)
# Names that ragas, deepeval, TruLens and MLflow have for scores of judges; ragas adds parameters in brackets.
_JUDGED = (
    r"(faithfulness(_with_hhem)?|groundedness|factual_correctness|semantic_similarity|topic_adherence|task_completion"
    r"|(nv_)?(answer|response|context|contextual)_(relevancy|relevance|correctness|similarity|groundedness|accuracy)"
    r"|(llm_|non_llm_|id_based_)?context(ual)?_(precision|recall)(_with(out)?_reference)?"
    r"|context_(entity_recall|entities_recall|utilization)|tool_call_accuracy|agent_goal_accuracy|summary_score|g_eval)"
    r"(\(.*\))?"
)
DOCUMENT_NAMES = (
    *("docno", "doc_id", "docid", "document", "doc", "document_id"),
    *("documentid", "corpus_id", "passage_id", "pid", "did", "chunk_id"),
)
# What a judge says beside a score, in words.
WORDS_OF_A_JUDGE = (
    *("judgment", "judgement", "explanation", "reason", "reasoning", "rationale", "justification", "comment"),
    *("feedback", "critique"),
)
GRADE_NAMES = ("label", "relevance", "rel", "grade")
# Names of topics only beside documents or items, or in a table of runs and scores; and names of documents only beside
# topics, as in MovieLens.
RANKED_FOR = ("query_text", "user_id", "userid", "user", "uid", "session_id", "sessionid", "reviewerid")
RANKED = ("item_id", "itemid", "item", "iid", "product_id", "movie_id", "movieid", "asin")


def is_known(name: str) -> bool:
    """Whether a name is the name of a measure in ir-measures, trec_eval or ranx.

    >>> is_known("nDCG@20"), is_known("gm_map"), is_known("faithfulness"), is_known("bm25")
    (True, True, True, False)
    """
    is_of_another = re.fullmatch(_TREC_EVAL_ONLY, name) or re.fullmatch(_RANX_ONLY, name)
    return bool(is_of_another) or is_measure(name) or is_judged(name)


def is_judged(name: str) -> bool:
    """Whether a name is one that evaluators of language models have for the scores of a judge.

    >>> is_judged("Answer Relevancy"), is_judged("factual_correctness(mode=f1)"), is_judged("nDCG@20")
    (True, True, False)
    """
    return bool(re.fullmatch(_JUDGED, plain(name)))


def is_document(name: str) -> bool:
    """Whether a column of this name has documents, which a table of scores does not have.

    >>> is_document("docno"), is_document("Doc ID"), is_document("bm25")
    (True, True, False)
    """
    return plain(name) in DOCUMENT_NAMES


def topic_and_document(header: Sequence[str]) -> tuple[int, int] | None:
    """The columns of topics and of documents in a table of a run or judgments; None for a table without both.

    Beside a column of runs, items are not documents, but topics: each run has a score on each item.

    >>> topic_and_document(["query-id", "corpus-id", "score"]), topic_and_document(["item_id", "user_id", "rating"])
    ((0, 1), (1, 0))
    >>> topic_and_document(["userId", "movieId", "rating"]), topic_and_document(["doc_id", "score"])
    ((0, 1), None)
    """
    names = [plain(name) for name in header]

    def first(*known: str) -> int | None:
        return next((names.index(name) for name in known if name in names), None)

    document = first(*DOCUMENT_NAMES, *(() if role_columns(header, "run") else RANKED))
    topic = first(*QUERY_NAMES, *LESS_USUAL["query"], *RANKED_FOR)
    return None if topic is None or document is None else (topic, document)


def named(name: str, role: str) -> bool:
    """Whether a column of this name has a role in a table: ``query``, ``run``, ``measure`` or ``score``.

    >>> named("Topic", "query"), named("query id", "query"), named("name", "run"), named("bm25", "run")
    (True, True, True, False)
    """
    return plain(name) in (*_USUAL[role], *LESS_USUAL.get(role, ()))


def role_columns(header: Sequence[str], role: str) -> list[int]:
    """The columns with a role: those with a usual name, or else with a less usual one, or else one of `_ITEM_NAMES`.

    If several columns have `_ITEM_NAMES`, only the first name in that order counts.

    >>> role_columns(["name", "qid", "run"], "run"), role_columns(["name", "qid"], "run")
    ([2], [0])
    >>> role_columns(["id", "sample_id", "f1"], "query"), role_columns(["id", "topic", "f1"], "query")
    ([1], [1])
    """
    names = [plain(name) for name in header]
    for known in (_USUAL[role], LESS_USUAL.get(role, ())):
        columns = [index for index, name in enumerate(names) if name in known]
        if columns:
            return columns
    item_columns = [names.index(name) for name in _ITEM_NAMES if name in names] if role == "query" else []
    return item_columns[:1]


def is_item(name: str) -> bool:
    """Whether a name is one of `_ITEM_NAMES`, which are query ids in a table without others.

    >>> is_item("Sample ID"), is_item("topic")
    (True, False)
    """
    return plain(name) in _ITEM_NAMES


def is_count(name: str) -> bool:
    """Whether a column of this name has counts or other numbers that are no scores, such as ``num_rel`` or ``year``.

    >>> is_count("num_rel"), is_count("NumRet"), is_count("year"), is_count("bm25")
    (True, True, True, False)
    """
    return bool(_COUNT.fullmatch(plain(name)))


def is_id(name: str) -> bool:
    """Whether a column of this name has ids: of queries, of runs, or of anything else.

    >>> is_id("topic"), is_id("model"), is_id("ID"), is_id("bm25")
    (True, True, True, False)
    """
    return is_item(name) or named(name, "query") or named(name, "run")


def is_id_or_count(name: str) -> bool:
    """Whether a column or a row of this name has ids or counts, and is not a run."""
    return is_id(name) or is_count(name)


def is_nameless(name: str) -> bool:
    """Whether a column has no name, or a name that a program gives to row numbers.

    >>> is_nameless(""), is_nameless("Unnamed: 0"), is_nameless("bm25")
    (True, True, False)
    """
    return bool(_NAMELESS.fullmatch(name))


def plain(name: str) -> str:
    """A name in small letters, with underscores in place of blanks, points and hyphens.

    >>> plain("Query ID"), plain("doc-id")
    ('query_id', 'doc_id')
    """
    return re.sub(r"[ .-]", "_", name.lower())


def named_as_measures(
    header: Sequence[str], rows: Sequence[Row], columns: Sequence[int], wanted: Collection[str] = ()
) -> list[int]:
    """Those of ``columns`` whose names show that a table has measures and not runs.

    These are names of measures in ir-measures, trec_eval and ranx, and ``wanted`` ones. A count shows nothing, for it
    may stand beside runs; nor does a column that is a summary of the others, such as ``map`` with their means.

    >>> rows = [(2, ["301", "0.2", "0.4", "0.3"]), (3, ["302", "0.1", "0.5", "0.3"])]
    >>> named_as_measures(["topic", "AP", "P@10", "latency"], rows, [1, 2, 3])
    [1, 2]
    >>> named_as_measures(["topic", "bm25", "rm3", "map"], rows, [1, 2, 3])  # the mean of both
    []
    """
    measures = []
    for column in columns:
        name = header[column]
        # A run may have the name of a single letter, such as G, which is a measure of trec_eval.
        is_name = is_measure(name) or (len(name) > 1 and is_known(name))
        if (is_name and not is_count(name)) or (wanted and canonical(name) in wanted):
            measures.append(column)
    if not measures:
        return []
    others = [column for column in columns if column not in measures and has_numbers(rows, column)]
    return [column for column in measures if not (others and _is_summary(header[column], rows, column, others))]


def is_like_a_measure(name: str) -> bool:
    """Whether a name is the name of a measure in any known spelling, in a table whose columns may be measures.

    >>> is_like_a_measure("ERR-IA@5"), is_like_a_measure("err@20"), is_like_a_measure("latency")
    (True, True, False)
    """
    return is_known(name) or spelled_name(name) is not None or (value_range(name) is not None and cost_of(name) is None)


def is_measured(name: str) -> bool:
    """Whether a word of a name is the name of a measure, whatever its case; other words may say what was measured.

    >>> is_measured("NDCG@10"), is_measured("cosine-MRR@10"), is_measured("map +"), is_measured("bm25")
    (True, True, True, False)
    """
    words = [word for word in re.split(r"[-/ ]", name) if word not in ("", "+")]
    return any(
        len(word) > 1 and (is_known(word) or is_known(word.lower()) or is_like_a_measure(word)) for word in words
    )


def unlike_measures(header: Sequence[str], rows: Sequence[Row], columns: Sequence[int]) -> list[int]:
    """Those of ``columns`` that may be runs: they have numbers, and no name of a measure, ids or a count."""
    return [
        column
        for column in columns
        if not (is_like_a_measure(header[column]) or is_id_or_count(header[column])) and has_numbers(rows, column)
    ]


def has_numbers(rows: Sequence[Row], column: int) -> bool:
    """Whether any cell of a column is a number."""
    return any(NUMBER.fullmatch(cells[column]) for _, cells in rows)


def has_words(rows: Sequence[Row], column: int) -> bool:
    """Whether all cells of a column are words, neither numbers nor holes."""
    return not any(NUMBER.fullmatch(cells[column]) or cells[column].lower() in HOLES for _, cells in rows)


def is_full(rows: Sequence[Row], column: int) -> bool:
    """Whether every cell of a column is a finite number."""
    return all(NUMBER.fullmatch(cells[column]) and np.isfinite(float(cells[column])) for _, cells in rows)


def _is_summary(name: str, rows: Sequence[Row], column: int, others: Sequence[int]) -> bool:
    """Whether a column equals, up to rounding, the statistic of the others that its name names."""
    meaning = summary(name)
    rows = [row for row in rows if not any(map(summary, row[1]))]  # without rows of summaries
    if meaning is None or not rows or any(cells[column].lower() in HOLES for _, cells in rows):
        return False
    stated, values = _numbers(rows, [column])[:, 0], _numbers(rows, others)
    slack, printed = (  # half a unit of the last decimal of the most exact number
        0.5 * 10.0 ** -max(len(cells[column].partition(".")[2]) for _, cells in rows for column in columns)
        for columns in (others, [column])
    )
    return bool(equals_summary(meaning, stated, values, slack=slack, printed=printed).all())


def _numbers(rows: Sequence[Row], columns: Sequence[int]) -> FloatArray:
    """The numbers of some columns, shape (n_rows, n_columns), nan for a cell that is not a number."""
    texts = [[cells[column] for column in columns] for _, cells in rows]
    return np.array([[float(text) if NUMBER.fullmatch(text) else np.nan for text in row] for row in texts])


# Printed in place of a query id: all by trec_eval and ir_measures, amean by gdeval and ndeval.
SUMMARIES = ("all", "amean")
LAST_DIGITS = 1e-9  # sums of the same numbers in another order may differ by so much
_LEAST = 1e-5  # trec_eval's gm_map has it in place of smaller scores


@lru_cache(maxsize=1 << 14)
def summary(name: str) -> str | None:
    """The statistic that a row or column of this name has, None for a name that is not the name of a statistic.

    >>> summary("AVG"), summary("std.dev"), summary("gm_map"), summary("Average \u2b06"), summary("bm25")
    ('mean', 'standard deviation', 'geometric mean', 'mean', None)
    """
    words = re.sub(r"[^\w\x00-\x7f]", "", name).lower()  # without arrows such as \u2b06
    return _MEANING.get(" ".join(re.sub(r"[_.-]", " ", words).split()))


def summed_up(meaning: str, values: FloatArray) -> FloatArray:
    """The statistic of the last axis, without nan; the standard deviation is that of a population.

    >>> summed_up("mean", np.array([0.25, 0.5, np.nan])).item()
    0.375
    """
    with np.errstate(all="ignore"):
        return _STATISTICS[meaning].ways[0](values)


def equals_summary(meaning: str, stated: FloatArray, values: FloatArray, *, slack: float, printed: float) -> BoolArray:
    """Where ``stated``, shape (...), is the statistic of ``values``, shape (..., n), up to rounding.

    ``slack`` is the largest error of a value by rounding, ``printed`` that of the statistic; nan is no value. A mean
    may count missing values as 0.

    >>> values = np.array([[0.33, 0.11]])
    >>> equals_summary("mean", np.array([0.222]), values, slack=0.005, printed=0.0005).tolist()
    [True]
    >>> equals_summary("mean", np.array([0.232]), values, slack=0.005, printed=0.0005).tolist()
    [False]
    """
    equal = np.zeros(stated.shape, dtype=bool)
    with np.errstate(all="ignore"):
        for statistic in _STATISTICS[meaning].ways:
            low, high = statistic(values - slack), statistic(values + slack)  # for statistics that grow with each value
            if meaning in ("standard deviation", "variance"):  # a deviation changes by at most sqrt(2) times the slack
                power = 2 if meaning == "variance" else 1
                deviation = statistic(values) ** (1 / power)
                low, high = np.maximum(deviation - 1.5 * slack, 0) ** power, (deviation + 1.5 * slack) ** power
            tolerance = printed + LAST_DIGITS * (1 + np.abs(stated))
            equal |= (stated >= low - tolerance) & (stated <= high + tolerance)
    return equal


def _number(values: FloatArray) -> FloatArray:
    return np.asarray((~np.isnan(values)).sum(axis=-1), dtype=np.float64)


def _sum(values: FloatArray) -> FloatArray:
    return np.where(_number(values) > 0, np.nansum(values, axis=-1), np.nan)


def _mean(values: FloatArray) -> FloatArray:
    return _sum(values) / _number(values)


def _variance(values: FloatArray, lost: int = 0) -> FloatArray:
    return np.asarray(_sum((values - _mean(values)[..., None]) ** 2) / (_number(values) - lost))


def _geometric_mean(values: FloatArray) -> FloatArray:
    return np.asarray(np.exp(_mean(np.log(np.maximum(values, _LEAST)))))


def _quantile(share: float) -> Callable[[FloatArray], FloatArray]:
    def quantile(values: FloatArray) -> FloatArray:
        """The quantile by linear interpolation between the two nearest values, as in pandas and R."""
        ordered = np.sort(values, axis=-1)  # nan last
        position = share * np.maximum(_number(values) - 1, 0)[..., None]
        below, above = np.floor(position).astype(np.int64), np.ceil(position).astype(np.int64)
        low, high = (np.take_along_axis(ordered, rank, axis=-1) for rank in (below, above))
        return np.asarray(low + (position - below) * (high - low))[..., 0]

    return quantile


class _Statistic(NamedTuple):
    """A statistic: its names in tables, and the ways in which programs compute it."""

    names: str
    ways: tuple[Callable[[FloatArray], FloatArray], ...]


_MEANS = (_mean, lambda values: np.asarray(_sum(values) / values.shape[-1]))
_VARIANCES = (_variance, lambda values: _variance(values, 1))
_DEVIATIONS = (lambda values: np.sqrt(_variance(values)), lambda values: np.sqrt(_variance(values, 1)))
_STATISTICS = {
    "mean": _Statistic("mean|means|average|averages|avg|ave|amean|map|mrr|overall|mean ap", _MEANS),
    "mean or sum": _Statistic("all|total|totals|grand total", (*_MEANS, _sum)),
    "sum": _Statistic("sum", (_sum,)),
    "median": _Statistic("median|med|50%", (_quantile(0.5),)),
    "standard deviation": _Statistic("std|stdev|stddev|std dev|sd|standard deviation", _DEVIATIONS),
    "variance": _Statistic("var|variance", _VARIANCES),
    "geometric mean": _Statistic("gmean|gm map|gmap|geomean|geometric mean", (_geometric_mean,)),
    "smallest": _Statistic("min|minimum", (_quantile(0.0),)),
    "largest": _Statistic("max|maximum", (_quantile(1.0),)),
    "lower quartile": _Statistic("25%", (_quantile(0.25),)),
    "upper quartile": _Statistic("75%", (_quantile(0.75),)),
    "number": _Statistic("count", (_number,)),
}
_MEANING = {name: meaning for meaning, statistic in _STATISTICS.items() for name in statistic.names.split("|")}
