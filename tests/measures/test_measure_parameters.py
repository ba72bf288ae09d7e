"""Every parameter of every measure that ir-measures knows: its number, or a refusal that says what may be given."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import numpy as np
import pytest
from conftest import assert_refused
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples
from test_evaluator import qrels_text, run_text

from biasvar_cli.errors import BiasVarError, UsageError
from biasvar_cli.measures import canonical, is_measure, parse_measures
from biasvar_cli.measures.catalogue import MEASURES
from biasvar_cli.readers.qrels import parse_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.scoring.evaluator import Evaluator
from biasvar_cli.scoring.rank_measures import FORMULAS

REGISTRY = {name: measure for name, measure in ir_measures.measures.registry.items() if name == measure.NAME}
NO_TRACE = {"ERR", "Accuracy"}  # gdeval is a Perl program; Accuracy wants judged documents alone
ODD = [
    "0", "-1", "1", "2", "4", "1000000000", "1000000001", "9" * 20, "-" + "9" * 20, "9" * 400, "0.5", "1.0", "1.5",
    "2.0", "0.123", "-0.0", "1e400", "-1e400", "1e-300", "5e-324", "None", "True", "False", "'1'", "'log2'",
    "'exp-log2'", "''", "nan", "inf", "[]", "()", "{}", "{1:2}", "{1:0.5,2:1}", "{1:None}", "{1:'2'}", "{None:1}",
    "{1:1e400}", "{1:-5,2:1}", "{1.5:1}", "{1:True}", "{True:1}", "{1:{}}", "[1]*5", "1+1j", "1j", "b'1'", "0x10",
    "1_000", "...", "{1:99999999999999999999}", "{99999999999999999999:1}", "lambda:1", "__import__('os')", "1<2",
]  # fmt: skip
HIGHEST = 3
QRELS = {"1": {"a": 1, "b": 0, "c": 3, "d": 2}, "2": {"a": 2, "e": 1, "f": 0}}
RUN = {"1": {"b": 5.0, "a": 4.0, "x": 3.0, "c": 2.0}, "2": {"x": 3.0, "e": 2.0, "y": 1.0, "a": 0.5}}

JUDGED, RANKED = parse_qrels(qrels_text(QRELS), "qrels"), parse_run(run_text(RUN), "run")


def score(name: str) -> np.ndarray | BiasVarError:
    """The scores of a run on both queries, or the refusal."""
    try:
        return Evaluator(JUDGED, parse_measures([name])).evaluate(RANKED).values[0]
    except BiasVarError as refusal:
        return refusal


def check(name: str) -> None:
    """That a name gives what ir-measures gives, finite numbers where it gives none, or a refusal in few words."""
    values = score(name)
    if isinstance(values, BiasVarError):
        assert "\n" not in str(values)
        assert len(str(values)) < 600
        return
    assert np.isfinite(values).all(), name
    assert is_measure(name)
    assert parse_measures([canonical(name)]) == parse_measures([name]), "a name in a table can be typed again"
    (measure,) = parse_measures([name])
    if measure.NAME in NO_TRACE or measure.params.get("dcg") == "exp-log2":
        return
    if measure.NAME == "Bpref" and measure.params.get("rel", 1) > HIGHEST:
        return  # trec_eval's code reads beyond its table of grades there
    if "e" in repr(measure.params.get("beta", 1.0)):
        return  # pytrec_eval does not understand SetF's parameter as Python writes it there
    if any(isinstance(gain, float) for gain in measure.params.get("gains", {}).values()):
        return  # pytrec_eval takes whole gains alone: below, by hand
    try:
        theirs = {found.query_id: found.value for found in ir_measures.iter_calc([measure], QRELS, RUN)}
    except (ValueError, AssertionError, RuntimeError):  # nothing there computes it
        return
    assert values == pytest.approx([theirs["1"], theirs["2"]], abs=1e-9), name


def test_every_measure_of_ir_measures_has_a_record_and_every_formula_is_of_one():
    assert set(MEASURES) == set(REGISTRY)
    assert set(FORMULAS) <= set(MEASURES)


@pytest.mark.parametrize("measure", REGISTRY)
def test_every_parameter_of_every_measure_with_every_odd_value_is_scored_right_or_refused(measure):
    needed = {key: "1" for key, spec in REGISTRY[measure].SUPPORTED_PARAMS.items() if spec.required}
    for key in [*REGISTRY[measure].SUPPORTED_PARAMS, "odd"]:
        for value in ODD:
            params = {**needed, key: value}
            check(f"{measure}({','.join(f'{name}={each}' for name, each in params.items())})")
    for value in ODD:
        check(f"{measure}@{value}")


@examples(25)
@given(st.data())
def test_any_parameters_together_are_scored_right_or_refused(data):
    measure = data.draw(st.sampled_from(sorted(REGISTRY)))
    specs = REGISTRY[measure].SUPPORTED_PARAMS
    chosen = data.draw(st.sets(st.sampled_from(sorted(specs)))) if specs else set()
    chosen |= {key for key, spec in specs.items() if spec.required}
    params = {key: data.draw(_values(key, specs[key])) for key in sorted(chosen)}
    check(f"{measure}({','.join(f'{key}={value!r}' for key, value in params.items())})")


def _values(key: str, spec: Any) -> st.SearchStrategy[Any]:
    if isinstance(spec.choices, list):
        return st.sampled_from(spec.choices)
    if spec.dtype is bool:
        return st.booleans()
    if spec.dtype is dict:
        return st.dictionaries(st.integers(-1, 3), st.integers(-2, 5) | st.sampled_from([0.5, 1.25]))
    if spec.dtype is int:
        return st.integers(-1, 5) | st.integers()
    return st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0, 2.0]) | st.floats()


WHOLE = "must be a whole number from 1 to 1000000000"
EXPONENTIAL = "a gain of exp-log2 is 2^gain - 1, so that gain"


WRONG_VALUES = {
    **{f"P@{value}": f"cutoff {WHOLE}, found {value}" for value in ("0", "99999999999999999999", "0.5")},
    "ndcg_cut_0": f"cutoff {WHOLE}, found 0",
    **{f"AP(rel={value})": f"rel {WHOLE}, found {value}" for value in ("0", "-1", "True")},
    **{f"RBP(p={value},rel=1)": f"p must be above 0 and below 1, found {value}" for value in ("2", "1")},
    "Compat(p=1e400)": "p must be above 0 and below 1, found inf",
    "alpha_nDCG(alpha=1.5)@5": "alpha must be from 0 to 1, found 1.5",
    "NRBP(beta=-1)": "beta must be from 0 to 1, found -1",
    "SetF(beta=-1)": "beta must be from 0 to 1000000000, found -1",
    "INST(T=0,max_rel=1)": "T must be above 0 and below 1000000000, found 0",
    "INST(max_rel=1,min_rel=1)": "max_rel must be above min_rel (1), found 1",
    "IPrec@1.5": "recall must be from 0 to 1, found 1.5",
    "IPrec@0.105": "recall must have two decimals at most, as trec_eval's iprec_at_recall has, found 0.105",
    "nDCG(gains={1:1e400})": "a gain must be a number from -1000000000 to 1000000000, found inf",
    "nDCG(gains={1:None})": "a gain must be a number from -1000000000 to 1000000000, found None",
    "nDCG(gains={1.5:1})": "a grade of gains must be a whole number of at most 18 digits, found 1.5",
    "nDCG(gains=None)": "gains must be grades with their gains, as in gains={1: 0.5, 2: 1}, found None",
    "nDCG(gains={1:1001},dcg='exp-log2')": f"{EXPONENTIAL} must be at most 1000, found 1001",
}


@pytest.mark.parametrize(("name", "message"), WRONG_VALUES.items())
def test_a_refusal_says_which_values_there_are(name, message):
    with pytest.raises(UsageError) as refusal:
        parse_measures([name])
    assert str(refusal.value) == f"measure {name!r}: {message}"


def test_bad_parameters_are_wrong_usage(biasvar, tmp_path):
    (tmp_path / "qrels").write_bytes(qrels_text(QRELS))
    (tmp_path / "run").write_bytes(run_text(RUN))
    result = biasvar("decompose", tmp_path / "run", "-q", tmp_path / "qrels", "-m", "RBP(p=2,rel=1)", "-m", "P@0")
    assert_refused(result, 2, "error: measure 'RBP(p=2,rel=1)': p must be", "error: measure 'P@0': cutoff must be")


def test_fractions_of_gains_by_hand():
    """Query 1 ranks grades 0, 1, unjudged, 3; with gains {1: 0.5, 2: 1} grade 3 keeps its gain of 3."""
    log3, log4, log5 = math.log2(3), 2, math.log2(5)
    (first, second) = score("nDCG(gains={1:0.5,2:1})@5")
    assert first == pytest.approx((0.5 / log3 + 3 / log5) / (3 + 1 / log3 + 0.5 / log4))
    assert second == pytest.approx((0.5 / log3 + 1 / log5) / (1 + 0.5 / log3))
    exponential = score("nDCG(gains={1:0.5,2:1},dcg='exp-log2')@5")
    half = math.sqrt(2) - 1
    assert exponential[0] == pytest.approx((half / log3 + 7 / log5) / (7 + 1 / log3 + half / log4))
    tenths = score("nDCG(gains={1:0.1,2:0.2,3:0.3})")
    assert tenths == pytest.approx(score("nDCG"))  # gains in the same proportions
