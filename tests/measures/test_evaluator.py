"""Scores through ir-measures: the same numbers as pytrec_eval and gdeval, without their traps."""

from __future__ import annotations

import shutil
import tomllib
from itertools import groupby, islice
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from conftest import ROOT
from hypothesis import assume, given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.errors import DataError, UsageError
from biasvar_cli.measures import parse_measures
from biasvar_cli.readers.qrels import parse_qrels, read_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.scoring import rank_measures
from biasvar_cli.scoring.evaluator import _PACKAGES, Evaluator

# Every measure and parameter that is computed on columns and that a standard provider computes as well.
MEASURES = [
    "AP", "AP@5", "AP(rel=2)", "AP(judged_only=True)@3", "nDCG", "nDCG@5", "nDCG(judged_only=True)@5",
    "nDCG(gains={1:5,2:1})", "nDCG(gains={0:1,3:0})@4", "P@5", "P(rel=2)@3", "P(judged_only=True)@3", "R@5",
    "R(rel=2)@2", "RR", "RR(rel=2)", "RR@3", "RR(judged_only=True)", "Rprec", "Rprec(rel=2)",
    "Rprec(judged_only=True)", "Bpref", "Bpref(rel=2)", "Success@1", "Success(rel=2)@3", "Judged", "Judged@5", "SetP",
    "SetP(rel=2)", "SetP(relative=True)", "SetP(judged_only=True)", "SetR", "SetR(rel=2)", "SetF", "SetF(beta=2.0)",
    "SetF(rel=2,beta=0.5)", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumRel",
]  # fmt: skip
DOCS = st.sampled_from([f"d{number}" for number in range(12)])
RETRIEVED = st.dictionaries(DOCS, st.sampled_from([0.5, 1.0, 1.00000001, 2.0, -1.0]), min_size=1, max_size=12)
QUERIES = st.sampled_from(["1", "2", "10", "q1", "2012-151"])
# pytrec_eval reads beyond its memory where every grade of a topic is negative, so one is not.
JUDGED = st.dictionaries(DOCS, st.integers(-2, 3), min_size=1).filter(lambda grades: max(grades.values()) >= 0)


def run_text(run: dict[str, dict[str, float]]) -> bytes:
    return "".join(
        f"{query} Q0 {doc} 0 {score!r} tag\n" for query, docs in run.items() for doc, score in docs.items()
    ).encode()


def qrels_text(qrels: dict[str, dict[str, int]]) -> bytes:
    return "".join(
        f"{query} 0 {doc} {grade}\n" for query, docs in qrels.items() for doc, grade in docs.items()
    ).encode()


def in_rank_order(run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The same run with scores that no provider can order otherwise than trec_eval does."""
    ranked = {}
    for query, docs in run.items():
        order = sorted(docs, key=lambda doc: (np.float32(docs[doc]), doc.encode()))
        ranked[query] = {doc: float(place) for place, doc in enumerate(order)}
    return ranked


def scored(judged: bytes, ranked: bytes, *names: str, **options: Any) -> np.ndarray:
    """The scores of a run, shape (n_measures, n_queries)."""
    evaluator = Evaluator(parse_qrels(judged, "qrels"), parse_measures(names), **options)
    return evaluator.evaluate(parse_run(ranked, "run")).values


@pytest.fixture(scope="module")
def measures():
    return parse_measures(MEASURES)


@examples(30)
@given(run=st.dictionaries(QUERIES, RETRIEVED, min_size=3), qrels=st.dictionaries(QUERIES, JUDGED, min_size=3))
def test_equal_to_the_standard_providers_on_ties_missing_topics_and_negative_grades(measures, run, qrels):
    judged = parse_qrels(qrels_text(qrels), "qrels")
    assume(set(run) & set(qrels) and (judged.grades >= 1).any())
    evaluator = Evaluator(judged, measures, keep_empty=True)
    assert all(rank_measures.supports(measure) for measure in measures)
    values = evaluator.evaluate(parse_run(run_text(run), "run")).values
    place = {query: index for index, query in enumerate(evaluator.queries)}
    assert np.isnan(values[:, [query not in run for query in evaluator.queries]]).all()
    for measure, row in zip(measures, values, strict=True):  # together, ir_measures can take NumRet for NumRet(rel=1)
        expected = {
            metric.query_id: metric.value
            for metric in ir_measures.evaluator([measure], qrels).iter_calc(in_rank_order(run))
            if metric.query_id in run and metric.query_id in qrels
        }
        assert {query: row[place[query]] for query in expected} == pytest.approx(expected, abs=1e-12), measure


@examples(30)
@given(run=st.dictionaries(QUERIES, RETRIEVED, min_size=1), qrels=st.dictionaries(QUERIES, JUDGED, min_size=1))
def test_trec_eval_itself_breaks_ties_as_we_do(run, qrels):
    names = {"AP": "map", "nDCG@5": "ndcg_cut_5", "RR": "recip_rank", "Bpref": "bpref", "P@5": "P_5"}
    judged = parse_qrels(qrels_text(qrels), "qrels")
    assume(set(run) & set(qrels) and (judged.grades >= 1).any())
    evaluator = Evaluator(judged, parse_measures(list(names)), keep_empty=True)
    values = evaluator.evaluate(parse_run(run_text(run), "run")).values
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(names.values())).evaluate(run)
    for query, column in zip(evaluator.queries, values.T, strict=True):
        if query in run:
            assert column == pytest.approx([theirs[query][name] for name in names.values()], abs=1e-12)


def test_a_topic_whose_grades_are_all_negative_harms_no_provider():
    ranked = b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n3 Q0 b 1 1 t\n"
    names = ("IPrec@0.1", "SetAP", "infAP", "AP")
    values = scored(b"1 0 a 1\n2 0 a -2\n3 0 a -1\n", ranked, *names, keep_empty=True)
    assert values == pytest.approx(np.array([[1, 0, 0]] * 4), abs=1e-4)  # infAP adds 0.00001 to what it divides by


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval needs perl, which is not here")
def test_err_and_exponential_ndcg_equal_gdeval_per_topic_in_five_decimals(shared):
    qrels = read_qrels(str(shared / "web2012-indri" / "qrels.txt"))
    measures = parse_measures(["ERR@20", "nDCG(dcg='exp-log2')@20"])
    evaluator = Evaluator(qrels, measures, precision="double", keep_empty=True)
    judged = list(ir_measures.read_trec_qrels(str(shared / "web2012-indri" / "qrels.txt")))
    gdeval = ir_measures.gdeval.evaluator(measures, judged)
    place = {query: index for index, query in enumerate(evaluator.queries)}
    compared = 0
    for path in sorted((shared / "web2012-indri" / "runs").iterdir()):
        values = evaluator.evaluate(parse_run(read_bytes(str(path)), path.name)).values
        results = groupby(ir_measures.read_trec_run(str(path)), lambda result: result.query_id)
        for metric in gdeval.iter_calc([result for _, ranked in results for result in islice(ranked, 100)]):
            ours = values[measures.index(metric.measure), place[metric.query_id]]
            assert ours == pytest.approx(metric.value, abs=5.0001e-6), (path.name, metric)
            compared += 1
    assert compared == 8 * 50 * 2


def test_err_by_hand():
    # Grades 1, 0, 3 with max grade 4: R = 1/16, 0, 7/16; ERR = 1/16 + 7/16 * 15/16 / 3.
    texts = b"1 0 a 1\n1 0 b -1\n1 0 c 3\n", b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n"
    err, at_1, ndcg = scored(*texts, "ERR", "ERR@1", "nDCG(dcg='exp-log2')")[:, 0]
    assert err == pytest.approx(1 / 16 + 7 / 16 * 15 / 16 / 3)
    assert at_1 == 1 / 16
    # DCG = (2^1 - 1)/log2(2) + (2^3 - 1)/log2(4) = 1 + 3.5; ideal 7 + 1/log2(3).
    assert ndcg == pytest.approx(4.5 / (7 + 1 / np.log2(3)))
    assert scored(*texts, "ERR", max_grade=3)[0, 0] == pytest.approx(1 / 8 + 7 / 8 * 7 / 8 / 3)


def test_rbp_by_hand():
    texts = b"1 0 a 1\n1 0 c 2\n", b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n"
    values = scored(*texts, "RBP(rel=1,p=0.5)", "RBP(rel=2)", "RBP(rel=1,p=0.5)@2")[:, 0]
    assert values == pytest.approx([0.5 * (1 + 0.25), 0.2 * 0.8**2, 0.5])


def test_ties_are_broken_by_document_id_descending_as_bytes_whatever_the_provider():
    ranked = b"1 Q0 a 1 1 t\n1 Q0 b 2 1 t\n1 Q0 B 3 1 t\n"
    assert scored(b"1 0 a 1\n", ranked, "RR", "RR@10", "P@1", "ERR@10")[:, 0].tolist() == [0.5, 0.5, 0, 1 / 32]


@pytest.mark.parametrize(("precision", "rr"), [("single", 0.5), ("double", 1)])
def test_precision_decides_what_ties(precision, rr):
    assert scored(b"1 0 a 1\n", b"1 Q0 a 1 1.00000001 t\n1 Q0 b 2 1 t\n", "RR", precision=precision)[0, 0] == rr


def test_measures_do_not_disturb_each_other():
    ranked = b"1 Q0 x 1 3 t\n1 Q0 a 2 2 t\n1 Q0 b 3 1 t\n"
    values = scored(b"1 0 a 1\n1 0 b 0\n", ranked, "NumRet", "AP(judged_only=True)", "AP")
    assert values[:, 0].tolist() == [3, 1, 0.5]


def test_topics_without_a_relevant_document_are_left_out_unless_kept():
    qrels, measures = parse_qrels(b"1 0 a 1\n2 0 a 0\n3 0 a -2\n", "qrels"), parse_measures(["AP"])
    assert Evaluator(qrels, measures).queries == ("1",)
    assert Evaluator(qrels, measures, keep_empty=True).queries == ("1", "2", "3")


def test_a_topic_without_results_is_undefined_here_and_not_zero():
    values = scored(b"1 0 a 1\n2 0 a 1\n", b"2 Q0 a 1 1 t\n", "AP", "ERR")
    assert np.isnan(values[:, 0]).all()
    assert values[:, 1].tolist() == [1, 1 / 16]


def test_ids_in_any_encoding_match_byte_for_byte():
    assert scored(b"1 0 caf\xe9 1\n", b"1 Q0 caf\xe9 1 1 t\n", "AP", "ERR")[:, 0].tolist() == [1, 1 / 16]


def test_a_grade_beyond_the_highest_is_named():
    qrels = parse_qrels(b"1 0 a 5\n", "qrels.txt")
    with pytest.raises(DataError, match=r"^qrels.txt: grade 5 is above 4, .*max_grade=5$"):
        Evaluator(qrels, parse_measures(["ERR@20"]))
    Evaluator(qrels, parse_measures(["ERR@20"]), max_grade=5)


def test_subtopics_are_refused_by_measures_that_know_none():
    qrels = parse_qrels(b"1 1 a 1\n1 2 a 1\n", "qrels.txt")
    with pytest.raises(DataError, match=r"^qrels.txt: column 2 holds subtopics .* AP needs one grade per document"):
        Evaluator(qrels, parse_measures(["AP"]))


def test_what_no_provider_computes_is_said_with_a_remedy():
    qrels = parse_qrels(b"1 0 a 1\n", "qrels")
    if not ir_measures.cwl_eval.is_available():
        with pytest.raises(
            UsageError, match=r"^measure INSQ\(max_rel=1\) needs the package cwl-eval: .* -m pip install .*\[measures\]"
        ):
            Evaluator(qrels, parse_measures(["INSQ(max_rel=1)"]))
    with pytest.raises(UsageError, match=r"^measure RBP@10 needs its rel: RBP\(rel=1\)@10$"):
        Evaluator(qrels, parse_measures(["RBP@10"]))


def test_the_packages_that_measures_need_are_those_of_the_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert sorted(_PACKAGES.values()) == sorted(extras["measures"])
    known = {provider.NAME for provider in ir_measures.DefaultPipeline.providers}
    assert set(_PACKAGES) <= known


def test_a_value_that_is_not_finite_is_an_error_and_not_a_missing_topic(monkeypatch):
    qrels = parse_qrels(b"1 0 a 1\n2 0 a 1\n", "qrels")
    run = parse_run(b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n", "runs/t")
    evaluator = Evaluator(qrels, parse_measures(["SetAP"]))
    (standard,) = evaluator._standard._evaluators.values()
    monkeypatch.setattr(standard, "iter_calc", lambda _: [ir_measures.Metric("2", ir_measures.SetAP, float("nan"))])
    with pytest.raises(DataError, match=r"^runs/t: ir-measures gives no finite SetAP for this run on query 2$"):
        evaluator.evaluate(run)
