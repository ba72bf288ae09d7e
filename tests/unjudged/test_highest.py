"""The highest scores that unjudged documents allow, against an enumeration of all that they can be."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.measures import parse_measures
from biasvar_cli.readers.qrels import parse_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.scoring import rank_measures
from biasvar_cli.scoring.ranking import Judgments
from biasvar_cli.scoring.unjudged import deepest, example, highest, is_relevant, shared, unbounded, weights

ADDITIVE = ["P@3", "P(rel=2)@3", "P@5", "RBP(p=0.8,rel=1)", "RBP(p=0.5,rel=2)@3"]
RISING = [*ADDITIVE, "RR", "RR(rel=2)@3", "Success@2", "ERR", "ERR@3"]
MEASURES = [
    *RISING, "AP", "AP@3", "AP(rel=2)", "R@2", "R(rel=2)@4", "nDCG", "nDCG@3", "nDCG(dcg='exp-log2')@4",
    "nDCG(gains={1:5,2:1})@4", "nDCG(gains={2:0})",
]  # fmt: skip
RETRIEVED = st.lists(st.sampled_from([f"d{number}" for number in range(9)]), min_size=1, max_size=7, unique=True)
JUDGED = st.dictionaries(st.sampled_from([f"d{number}" for number in range(0, 14, 2)]), st.integers(-1, 3), min_size=1)
DOCS, GRADES = ["a", "u", "b", "v", "c", "w"], {"a": 1, "b": 0, "c": 1}
FEW = 4  # unjudged documents whose cases are enumerated


def ranking(docs: list[str], qrels: dict[str, int]):
    """The ranking of one query, of documents in their order; the second query of every test has none."""
    lines = "".join(f"q Q0 {doc} 0 {-rank} run\n" for rank, doc in enumerate(docs))
    judged = "".join(f"q 0 {doc} {grade}\n" for doc, grade in qrels.items()) + "other 0 d0 1\n"
    judgments = Judgments.of(parse_qrels(judged.encode(), "qrels"), ("other", "q"))
    return judgments.judge(parse_run(lines.encode(), "run"))


def cases(docs: set[str], grade: int):
    """All that unjudged documents can be: judgments of those that are relevant."""
    for relevant in product([False, True], repeat=len(docs)):
        yield {doc: grade for doc, is_one in zip(sorted(docs), relevant, strict=True) if is_one}


@examples(15)
@given(docs=RETRIEVED, qrels=JUDGED, grade=st.integers(1, 3))
def test_no_case_is_above_the_highest_and_one_has_it(docs, qrels, grade):
    unjudged = set([doc for doc in docs if doc not in qrels][:FEW])
    docs = [doc for doc in docs if doc in qrels or doc in unjudged]
    as_it_is = ranking(docs, qrels)
    possible = [ranking(docs, qrels | case) for case in cases(unjudged, grade)]
    for measure in parse_measures(MEASURES):
        values = [rank_measures.score(measure, case)[1] for case in possible]
        found = highest(measure, as_it_is, grade)
        assert found[1] == pytest.approx(max(values), abs=1e-12), measure
        assert found[0] == 0
        if str(measure) in [str(rising) for rising in parse_measures(RISING)]:
            assert values[0] == min(values), measure  # as it is: none is relevant


@examples(6)
@given(first=RETRIEVED, second=RETRIEVED, qrels=JUDGED, grade=st.integers(1, 2))
def test_a_run_is_above_another_in_every_case_where_the_rule_says_so(first, second, qrels, grade):
    unjudged = set([doc for doc in dict.fromkeys([*first, *second]) if doc not in qrels][:FEW])
    runs = [[doc for doc in docs if doc in qrels or doc in unjudged] for docs in (first, second)]
    if not all(runs):
        return
    rankings = [ranking(docs, qrels) for docs in runs]
    for measure in parse_measures(ADDITIVE):
        entries = [part for part in rankings if is_relevant(measure, grade)]
        empty: Any = np.zeros(0)
        row = np.concatenate([empty, *(np.full((~part.judged).sum(), at) for at, part in enumerate(entries))])
        key = np.concatenate([part.key[~part.judged] for part in entries] or [empty])
        weight = np.concatenate([empty, *(weights(measure, part.rank[~part.judged]) for part in entries)])
        least = shared(row.astype(int), key, weight, 2)
        score, high = ([of(measure, part)[1] for part in rankings] for of in (rank_measures.score, at_grade(grade)))
        gaps = [
            np.subtract(*(rank_measures.score(measure, ranking(docs, qrels | case))[1] for docs in runs))
            for case in cases(unjudged, grade)
        ]
        assert score[0] - (high[1] - least[0, 1]) == pytest.approx(min(gaps), abs=1e-12), measure
        assert (high[0] - least[0, 1]) - score[1] == pytest.approx(max(gaps), abs=1e-12), measure


def at_grade(grade: int):
    return lambda measure, part: highest(measure, part, grade)


def test_worked_example():
    """AP .466667 as it is and .65 with one more, nDCG@5 .787702 with one more (Table of all cases by hand)."""
    measures = parse_measures(["AP", "nDCG@5", "P@5", "RBP(p=0.8,rel=1)", "RR"])
    scores = [float(rank_measures.score(measure, example())[0]) for measure in measures]
    assert scores == pytest.approx([1.4 / 3, 0.650821, 0.4, 0.28192, 1], abs=1e-6)
    one, discounts = [1, 1, 0, 0, 1], 1 / np.log2(np.arange(2, 7))
    assert (np.array(one) @ discounts) / discounts[:4].sum() == pytest.approx(0.787702, abs=1e-6)


def test_more_relevant_documents_can_lower_the_highest_average_precision():
    """A relevant document at rank 1 of 1: AP 1; one more at rank 9 gives (1 + 2/9) / 2. So m = 0 is the best."""
    docs = ["d0", *(f"n{number}" for number in range(7)), "u"]
    judged = {"d0": 1} | {f"n{number}": 0 for number in range(7)}
    (measure,) = parse_measures(["AP"])
    assert highest(measure, ranking(docs, judged), 1)[1] == 1


def residual(name: str) -> float:
    """What the unjudged documents of a run can add."""
    (measure,) = parse_measures([name])
    part = ranking(DOCS, GRADES)
    return highest(measure, part, 1)[1] - rank_measures.score(measure, part)[1]


def test_the_residual_of_precision_is_the_unjudged_share_of_ir_measures():
    qrels = [ir_measures.Qrel("q", doc, grade) for doc, grade in GRADES.items()]
    run = [ir_measures.ScoredDoc("q", doc, -rank) for rank, doc in enumerate(DOCS)]
    judged = ir_measures.calc_aggregate([ir_measures.Judged @ 4], qrels, run)[ir_measures.Judged @ 4]
    assert residual("P@4") == pytest.approx(1 - judged, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "module", "metric", "tail"),
    [
        ("P@4", "cwl_precision", lambda module: module.PrecisionCWLMetric(4), 0.0),
        ("RBP(p=0.8,rel=1)", "cwl_rbp", lambda module: module.RBPCWLMetric(0.8), 0.8**6),
    ],
)
def test_residuals_are_those_of_cwl_eval(name, module, metric, tail):
    """cwl_eval's residual of RBP has documents below the end of the run, too, which could add ``tail``."""
    path = f"cwl.ruler.measures.{module}"
    of_cwl = metric(pytest.importorskip(path, reason="the extra measures is not installed"))
    of_cwl.residuals = True
    gains = np.array([GRADES.get(doc, np.nan) for doc in DOCS])
    of_cwl.measure(import_module("cwl.ruler.ranking").Ranking("q", gains, np.ones(len(DOCS))))
    assert residual(name) + tail == pytest.approx(of_cwl.residual_expected_utility, abs=1e-9)


@pytest.mark.parametrize("name", ["Bpref", "infAP", "Rprec", "AP(judged_only=True)", "Judged@10", "RBP(p=0.8)"])
def test_other_measures_have_no_highest_value(name):
    (measure,) = parse_measures([name])
    assert unbounded(measure)


def test_unjudged_documents_count_to_the_deepest_cutoff():
    measures = map(parse_measures, (["P@10", "nDCG@20"], ["P@10", "AP"], ["Bpref"]))
    assert [*map(deepest, measures)] == [20, None, 0]
