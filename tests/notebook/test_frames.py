"""DataFrames of odd types and shapes: the right number, or an error that names the argument and the row."""

from __future__ import annotations

import contextlib
import itertools
from decimal import Decimal
from functools import partial
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import biasvar_cli as bv

JUDGED = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 0, "d4": 1}}
RUN = pd.DataFrame({"qid": ["q1", "q1", "q1", "q2"], "docno": ["d2", "d1", "d9", "d4"], "score": [3.0, 2.0, 1.0, 1.0]})
QRELS = pd.DataFrame(
    [(query, doc, grade) for query, docs in JUDGED.items() for doc, grade in docs.items()],
    columns=["qid", "docno", "label"],
)
AP = {"q1": 0.25, "q2": 1.0}  # q1: one of two relevant documents, at rank 2
WIDE = pd.DataFrame({"A": [0.25, 0.5], "B": [0.75, 0.125]}, index=["q1", "q2"])
LONG = pd.DataFrame(
    {"name": ["A", "A", "B", "B"], "qid": ["q1", "q2"] * 2, "measure": "map", "value": [0.25, 0.5, 0.75, 0.125]}
)
MEANS = {"A": 0.375, "B": 0.4375}
OTHER_IDS = ["x1", "x2", "x3", "x4"]
HOLES: tuple[Any, ...] = (None, float("nan"), pd.NA, pd.NaT, Decimal("nan"), Decimal("snan"))


def ap(runs: Any, qrels: Any = JUDGED, **options: Any) -> dict[str, dict[str, float]]:
    return bv.evaluate(runs, qrels, **options).frame().to_dict()


def means(scores: Any, **options: Any) -> dict[str, float]:
    found: dict[str, float] = bv.decompose(scores, null=False, **options).frame()["mean"].to_dict()
    return found


def with_cell(frame: pd.DataFrame, row: int, column: str, value: Any) -> pd.DataFrame:
    """The frame with another value in a row, counted from 1."""
    changed = frame.astype(object)
    changed.iat[row - 1, changed.columns.get_loc(column)] = value
    return changed


# ---- PyTerrier's own ids


def test_docno_is_the_document_where_docid_stands_beside_it():
    """PyTerrier numbers documents in docid, and has the words of a query in query."""
    pyterrier = RUN.assign(docid=[1, 2, 3, 4], rank=0, query="what is it")
    for columns in (["qid", "docid", "docno", "rank", "score", "query"], ["query", "docno", "docid", "score", "qid"]):
        assert ap(pyterrier[columns]) == {"run": AP}
    both = pyterrier.rename(columns={"docno": "doc_id", "qid": "query_id"})
    assert ap(both[["docid", "query", "doc_id", "query_id", "score"]]) == {"run": AP}
    assert ap({"bm25": pyterrier[["docid", "docno", "qid", "score"]]}) == {"bm25": AP}
    judged = QRELS.assign(docid=range(5), query="words")
    assert ap(RUN, judged[["query", "docid", "docno", "qid", "label"]]) == {"run": AP}
    assert ap(RUN.rename(columns={"docno": "docid"})) == {"run": AP}, "alone it is the document"


@pytest.mark.parametrize(
    ("runs", "qrels", "named"),
    [
        (RUN.assign(docid=[7, 8, 9, 10], docno=OTHER_IDS), JUDGED, ("docno ('x1')", "docid (7)", "d1")),
        (RUN.assign(docid=RUN["docno"], docno=OTHER_IDS), JUDGED, ("docno ('x1')", "docid ('d2')", "d1")),
        (RUN.assign(query_id=RUN["qid"], qid=[1, 1, 1, 2]), JUDGED, ("qid (1)", "query_id ('q1')", "q2")),
        (RUN, QRELS.assign(docid=QRELS["docno"], docno=list("abcde")), ("docno ('a')", "docid ('d1')", "d2")),
        (RUN, QRELS.assign(query_id=QRELS["qid"], qid=[1, 1, 1, 2, 2]), ("qid (1)", "query_id ('q1')", "q1")),
    ],
)
def test_two_columns_of_ids_are_both_named_where_no_id_is_judged(runs, qrels, named):
    with pytest.raises(bv.BiasVarError) as raised:
        bv.evaluate(runs, qrels)
    assert all(word in str(raised.value) for word in named), raised.value


def test_columns_that_differ_and_mean_the_same_are_refused():
    with pytest.raises(bv.BiasVarError, match="label and relevance could both have the grades, and differ in row 2"):
        bv.evaluate(RUN, QRELS.assign(relevance=[1, 5, 2, 0, 1]))
    assert ap(RUN, QRELS.assign(relevance=QRELS["label"])) == {"run": AP}
    with pytest.raises(bv.BiasVarError, match="columns system and tag could both have the names of the runs"):
        bv.evaluate(RUN.assign(system="a", tag="b"), JUDGED)
    frame = WIDE.rename_axis("qid").reset_index().assign(query=["what", "who"])
    with pytest.raises(bv.BiasVarError, match="qid and query could both have the ids of the queries"):
        bv.decompose(frame)
    with pytest.warns(bv.DataWarning, match="query"):
        assert means(frame, id_column="qid") == MEANS
    assert ap(RUN, QRELS.assign(iteration="Q0", subtopic_id=["1", "1", "1", "1", "1"])) == {"run": AP}


# ---- holes


NO_NUMBERS: tuple[Any, ...] = (True, "x", "2,5", "", 1 + 2j, pd.Timestamp("2026-01-01"), [1.0], b"1")
NOT_FINITE: tuple[Any, ...] = (float("inf"), -float("inf"), 10**400, Decimal("1e999"))
NO_IDS: tuple[Any, ...] = ("", " ", "a b", " a", 1.5, 301.0, True, b"q1", ("q1",), "\ud800")
RUN_OF, JUDGMENTS, SCORES = partial(bv.evaluate, qrels=JUDGED), partial(bv.evaluate, RUN), bv.decompose


@pytest.mark.parametrize(
    ("frame", "columns", "read", "values", "match"),
    [
        (RUN.assign(run=["a", "b", "a", "b"]), "qid docno score run", RUN_OF, HOLES, r"row {}: {}\b"),
        (QRELS, "qid docno", JUDGMENTS, HOLES, r"the judgments: row {}: {}\b"),
        (QRELS, "label", JUDGMENTS, HOLES, r"the judgments: row {}: grade\b"),
        (LONG, "name qid measure value", SCORES, HOLES, r"the DataFrame of scores: row {}: .*{}\b"),
        (WIDE, "B", SCORES, HOLES, "row {}: column {} is empty"),
        (RUN, "score", RUN_OF, NO_NUMBERS, "run run: row {}: score .* is not a number"),
        (WIDE, "B", SCORES, NO_NUMBERS, r"row {}: (column )?{}"),
        (LONG, "value", SCORES, NO_NUMBERS, r"row {}: (column )?{}"),
        (RUN, "score", RUN_OF, NOT_FINITE, "row {}: score .* is not finite"),
        (WIDE, "B", SCORES, NOT_FINITE, "row {}: column {}: .*not finite"),
        (QRELS, "label", JUDGMENTS, NOT_FINITE, "row {}: grade .* is not finite"),
        (RUN, "qid docno", RUN_OF, NO_IDS, "run run: row {}: {} should be an id"),
        (QRELS, "qid docno", JUDGMENTS, NO_IDS, "the judgments: row {}: {} should be an id"),
    ],
)
def test_a_cell_that_will_not_do_is_refused_with_its_row(frame, columns, read, values, match):
    for row, column, value in itertools.product((1, len(frame)), columns.split(), values):
        with pytest.raises(bv.BiasVarError, match=match.format(row, column)):
            read(with_cell(frame, row, column, value))


@pytest.mark.parametrize("value", HOLES)
def test_a_hole_in_the_index_of_a_matrix_is_refused_with_its_place(value):
    with pytest.raises(bv.BiasVarError, match="row 2: query_id should be text"):
        bv.decompose(WIDE.set_axis(pd.Index(["q1", value], dtype=object)))
    with pytest.raises(bv.BiasVarError, match="column 3 has no name"):
        bv.decompose(WIDE.set_axis(pd.Index(["A", value], dtype=object), axis=1))


def test_rows_are_those_of_the_whole_frame():
    """Not those of the run that a row belongs to."""
    runs = pd.concat([RUN.assign(run="a"), RUN.assign(run="b"), RUN.iloc[[0]].assign(run="a")], ignore_index=True)
    with pytest.raises(bv.BiasVarError, match="run a: row 9: document d2 is listed twice for topic q1, first in row 1"):
        bv.evaluate(runs, JUDGED)
    with pytest.raises(bv.BiasVarError, match="run b: row 6: score 'x' is not a number"):
        bv.evaluate(with_cell(runs.iloc[:8], 6, "score", "x"), JUDGED)
    with pytest.raises(bv.BiasVarError, match="row 6: document d2 of topic q1 has grade 2, but 0 in row 2"):
        bv.evaluate(RUN, pd.concat([QRELS, QRELS.iloc[[1]].assign(label=2)]))


# ---- types

TYPES: list[Any] = [
    lambda frame: frame,
    lambda frame: frame.astype(object),
    lambda frame: frame.astype(pd.CategoricalDtype([*pd.unique(frame.astype(object).values.ravel()), "no row's"])),
    lambda frame: frame.convert_dtypes(),
    lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    lambda frame: frame.sample(frac=1, random_state=3),
    lambda frame: frame[frame.columns[::-1]],
    lambda frame: frame.rename(columns=str.upper),
]


@pytest.mark.parametrize("convert", TYPES)
def test_the_type_of_a_column_changes_no_number(convert):
    runs = pd.concat([RUN.assign(run="a"), RUN.assign(run="b")], ignore_index=True)
    assert ap(convert(runs), convert(QRELS)) == {"a": AP, "b": AP}
    assert means(convert(LONG)) == MEANS
    assert means(convert(WIDE.rename_axis("qid").reset_index()), measure="AP") == MEANS


@pytest.mark.parametrize("kind", [str, Decimal, np.float32, np.int64, np.float16])
def test_numbers_of_other_types_are_numbers(kind):
    scores = pd.Series([kind(value) for value in (3, 2, 1, 1)], dtype=object)
    assert ap(RUN.assign(score=scores)) == {"run": AP}
    if kind is not np.int64:
        assert means(WIDE.map(kind).astype(object)) == MEANS


def test_true_and_false_are_grades_and_no_scores():
    assert ap(RUN, QRELS.assign(label=QRELS["label"] > 0)) == {"run": AP}
    with pytest.raises(bv.BiasVarError, match="row 1: column A: score True is not a number"):
        bv.decompose(WIDE > 0)


def test_whole_numbers_and_their_text_are_the_same_ids():
    ids, documents = (pd.Series(cells, dtype=object) for cells in ([1, "1", np.int64(1), 2], [2, 1, "9", 4]))
    runs = RUN.assign(qid=ids, docno=documents)
    judged = {1: {1: 1, 2: 0, 3: 2}, "2": {"1": 0, 4: 1}}
    assert ap(runs, judged) == {"run": {"1": 0.25, "2": 1.0}}
    assert bv.evaluate(runs, judged).queries == ("1", "2")
    assert sorted(bv.target(WIDE.set_axis([301, "302"])).frame().index) == ["301", "302"]


# ---- shapes


@pytest.mark.parametrize(
    ("runs", "match"),
    [
        (RUN.iloc[:0], "runs: the DataFrame has no rows"),
        (pd.DataFrame(), "runs: the DataFrame has no columns"),
        (pd.DataFrame({"docno": ["d"], "score": [1.0]}), "there is no column qid or query_id or q_id"),
        (pd.concat({"x": RUN}, axis=1), "runs: the columns have several levels"),
        (pd.concat([RUN, RUN[["score"]] * 2], axis=1), "two columns are called score"),
        (RUN.set_index("qid"), "runs: the index has the queries, qid: make it a column"),
        (RUN.set_index(["qid", "docno"]), "runs: the index has the queries, qid"),
        (RUN.assign(run="a").set_index("run"), "runs: the index has the names of the runs, run"),
        (pd.concat({"a": RUN.iloc[:2], "b": RUN.iloc[2:]}), "runs: the index has several levels"),
        (3, "runs: expected paths, a DataFrame or a dict, found int"),
        ([], "expected at least one path"),
        ({}, "runs: there are no runs"),
        ({"a": {}}, "run a: there are no results"),
        ({"a": 3}, "found a int in a dict"),
        ({"a": RUN.drop(columns="docno")}, "run a: there is no column docno"),
        ({None: RUN}, "runs: the name of a run should be text, found None"),
        ({1: RUN, "1": RUN}, "two runs have one name: 1, 1"),
        ({"a": {"q1": {None: 1.0}}}, "run a: row 1: doc_id should be an id"),
        ({"a": {"q1": {"d1": None}}}, "run a: score None is not a number .query q1, document d1."),
        ({"a": {"q1": {"d1": "high"}}}, "run a: score 'high' is not a number"),
        ({"a": {"q1": {"d 1": 1.0}}}, "run a: row 1: doc_id should be an id, text without blanks"),
        ({"a": {"q9": {"d1": 1.0}}}, "run a: no topic in common with the judgments: the run has q9"),
        ("a\0b", "runs: expected a path"),
        ("no/such/file", "no/such/file: cannot be read"),
    ],
)
def test_runs_of_another_shape_are_refused(runs, match):
    with pytest.raises(bv.BiasVarError, match=match):
        bv.evaluate(runs, JUDGED)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"qrels": {"q1": {"d1": 0.5}}}, "the judgments: grade 0.5 is not a whole number"),
        ({"qrels": {"q1": 3}}, "the judgments: expected a dict of documents for query q1, found 3"),
        ({"measure": []}, "measure: expected at least one, found none"),
        ({"measure": {"AP", "RR"}}, "measure: a set has no order; give a list"),
        ({"measure": ["AP", 3]}, "measure: expected names or measures of ir-measures, found 3"),
        ({"measure": "nDGC@10"}, "did you mean nDCG"),
    ],
)
def test_judgments_and_measures_that_are_none_are_refused(arguments, match):
    with pytest.raises(bv.BiasVarError, match=match):
        bv.evaluate(RUN, **{"qrels": JUDGED} | arguments)


@pytest.mark.parametrize(
    ("scores", "match"),
    [
        (WIDE.iloc[:0], "the DataFrame of scores: the DataFrame has no rows"),
        (pd.DataFrame(), "the DataFrame of scores: the DataFrame has no columns"),
        (WIDE.T.rename_axis("run"), "run names the rows, which are runs; .* transpose it"),
        (WIDE.T.rename_axis("model"), "model names the rows, which are runs"),
        (WIDE.T.rename_axis("name").reset_index(), "name names the rows, which are runs"),
        (WIDE.T.rename_axis("qid", axis=1), "are the rows queries or runs"),
        (WIDE.set_axis([301, 302]).T, "are the rows queries or runs"),
        (WIDE.set_axis(["q1", "q1"]), "row 2: two rows are called q1, the first in row 1"),
        (WIDE.set_axis(["A", "A"], axis=1), "two columns are called A"),
        (WIDE.set_axis(pd.MultiIndex.from_tuples([("A", 1), ("B", 2)]), axis=1), "the columns have several levels"),
        (LONG.set_index(["name", "qid"]).rename_axis([None, None]), "the index has a level without a name"),
        (pd.concat([LONG, LONG[["value"]]], axis=1), "columns value and value could both be the score"),
        (pd.concat([LONG, LONG.iloc[[2]]]), "row 5: AP of B on query q1 is given twice, first in row 3"),
        (LONG.assign(qid=[1.0, 2.0, 1.0, 2.0]), "row 1: qid should be text, found 1.0"),
        (WIDE.rename_axis("qid").assign(qid=["q2", "q1"]), "the index and a column are both called qid, and differ"),
        (RUN, "scores: these are retrieved documents; give them to evaluate"),
    ],
)
def test_scores_of_another_shape_are_refused(scores, match):
    with pytest.raises(bv.BiasVarError, match=match):
        bv.decompose(scores)


def test_the_index_may_have_what_columns_have():
    assert means(LONG.set_index("name")) == MEANS
    assert means(LONG.set_index("qid")) == MEANS
    assert means(LONG.set_index(["name", "qid"])) == MEANS
    assert means(WIDE.rename_axis("qid").assign(qid=["q1", "q2"])) == MEANS
    assert means(WIDE.rename_axis("topics")) == MEANS
    assert means(WIDE.set_axis([3, 7])) == MEANS


def test_orient_and_id_column_hold_for_a_frame():
    assert means(WIDE, orient="queries") == MEANS
    assert list(means(WIDE.set_axis([301, 302]).T, orient="queries")) == ["301", "302"]
    with pytest.raises(bv.BiasVarError, match=r"orient: .* transpose it"):
        bv.decompose(WIDE, orient="runs")
    assert means(WIDE.assign(key=["x", "y"]), id_column="key") == MEANS
    assert sorted(bv.target(WIDE.assign(key=["x", "y"]), id_column="key").frame().index) == ["x", "y"]
    assert sorted(bv.target(WIDE, id_column="none").frame().index) == ["1", "2"]
    with pytest.raises(bv.BiasVarError, match="id_column: there is no column 'zz'; there are A, B"):
        bv.decompose(WIDE, id_column="zz")


@pytest.mark.filterwarnings("ignore:the pool is one run")
def test_what_evaluate_gives_is_read_back():
    """A run without a name is called run, as a column of the names of runs is."""
    for runs in (RUN, {"run": RUN, "b": RUN}):
        scores = bv.evaluate(runs, JUDGED, "P@1")
        assert bv.decompose(scores.frame(), measure="P@1") == bv.decompose(scores)


def test_what_ir_measures_gives_is_read():
    pairs = ([ir_measures.Qrel("q1", "d1", 1)], [ir_measures.ScoredDoc("q1", "d1", 1.0)])
    values = pd.DataFrame(list(ir_measures.iter_calc([ir_measures.AP, ir_measures.RR], *pairs)))
    with pytest.warns(bv.DataWarning, match="pool is one run"):
        assert means(values, measure=ir_measures.RR) == {"run": 1.0}


# ---- everything at once

ODD = st.sampled_from(
    [*HOLES[:3], True, "", "q1", "d1", "d4", "a b", 1, 1.5, -3.0, "2.5", Decimal("0.5"), b"x", [1], 10**400]
)


@given(st.data())
def test_an_odd_cell_gives_a_number_or_an_error_of_ours(data):
    frame = data.draw(st.sampled_from([RUN.assign(run="a"), LONG, WIDE, QRELS]))
    row, column = data.draw(st.integers(1, len(frame))), data.draw(st.sampled_from(list(frame.columns)))
    changed = with_cell(frame, row, column, data.draw(ODD))
    if data.draw(st.booleans()):
        changed.index = pd.Index(changed.pop(column), dtype=object)  # set_index of pandas 2 has no place for 10**400
    with contextlib.suppress(bv.BiasVarError, bv.DataWarning):
        if "docno" in frame:
            ap(*((RUN, changed) if "label" in frame else (changed,)))
        else:
            means(changed)


PAIRS = st.tuples(st.sampled_from(["q1", "q2"]), st.sampled_from([f"d{n}" for n in range(1, 8)]))


@given(st.dictionaries(PAIRS, st.floats(-9, 9), min_size=1, max_size=12), st.sampled_from(TYPES[:7]))
@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_a_frame_is_scored_as_its_dict_is(scores, convert):
    frame = pd.DataFrame([(*pair, score) for pair, score in scores.items()], columns=["qid", "docno", "score"])
    by_query: dict[str, dict[str, float]] = {}
    for (query, doc), score in scores.items():
        by_query.setdefault(query, {})[doc] = score
    try:
        expected = ap(by_query)
    except bv.BiasVarError:
        with pytest.raises(bv.BiasVarError):
            ap(convert(frame))
    else:
        assert ap(convert(frame)) == expected
