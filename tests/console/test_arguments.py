"""Arguments from Python: each one of every function is refused, by its name, where the command line refuses it."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from inspect import Parameter, signature
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pandas as pd
import pytest
from conftest import OF_SCORES_ALONE, assert_refused

import biasvar_cli as bv
from biasvar_cli.score_matrix import LARGEST
from biasvar_cli.specs.limits import LIMITS

NAN = float("nan")
SCORES = pd.DataFrame({"A": [0.3, 0.1, 0.4], "B": [0.6, 0.08, 0.2], "C": [0.1, 0.2, 0.3]}, index=["q1", "q2", "q3"])
RUNS = {"a": {"q1": {"d1": 2.0}}}
JUDGED = {"q1": {"d1": 1}}
FUNCTIONS = {name: getattr(bv, name) for name in ("evaluate", *OF_SCORES_ALONE)}
USUAL: dict[str, dict[str, Any]] = {name: {"scores": SCORES} for name in FUNCTIONS} | {
    "evaluate": {"runs": RUNS, "qrels": JUDGED}
}
# What no number, word or switch is, and what is neither runs, scores, judgments nor a measure.
NEITHER: tuple[Any, ...] = (NAN, object(), b"x", [object()], np.array(NAN), pd.NaT, {"a": 3}, 3j)
UNREADABLE: tuple[Any, ...] = (3, True, NAN, object(), b"x", [3], {"a": 3}, [None], np.ones((2, 2)))


def parameters(function: Any) -> dict[str, Any]:
    """Every argument of a function for notebooks with its type, those of how inputs are read among them."""
    hints = get_type_hints(function)
    (reading,) = get_args(hints["reading"])
    own = [name for name, each in signature(function).parameters.items() if each.kind != Parameter.VAR_KEYWORD]
    return {name: hints[name] for name in own} | get_type_hints(reading)


def kinds(hint: Any) -> list[Any]:
    return [*get_args(hint)] if get_origin(hint) in (Union, types.UnionType) else [hint]


def nonsense(name: str, hint: Any) -> Iterator[Any]:
    """Values that an argument of this name and type cannot have: of another type, out of range, nan, another word."""
    found = kinds(hint)
    sequence = next((kind for kind in found if get_origin(kind) is Sequence), None)
    kind = get_args(sequence)[0] if sequence else next(each for each in found if each is not types.NoneType)
    values: list[Any] = []
    if get_origin(kind) is Literal:
        values = ["zz", "", 3, True, *NEITHER]
    elif kind is bool:
        values = ["yes", 1, 0.0, *NEITHER]
    elif kind is str:
        values = ["", 3, True, "a\0b", *NEITHER]
    elif kind in (int, float):
        limits = LIMITS[name]
        values = ["3", True, limits.least - 1, *([limits.least] if limits.open_least else []), *NEITHER]
        values += [float("inf"), 10**400] + ([limits.least + 0.5] if kind is int else [])
        values += [limits.most * 2] if limits.most < 1e300 else []
        values += [limits.most] if limits.open_most else []
    else:
        yield from UNREADABLE
        return
    yield from values
    if sequence:
        yield from ([value] for value in values if not isinstance(value, list))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nonsense_is_refused_with_the_name_of_the_argument(function):
    taken = []
    hints = parameters(FUNCTIONS[function])
    for name, value in [(of, value) for of, hint in hints.items() for value in nonsense(of, hint)]:
        try:
            FUNCTIONS[function](**USUAL[function] | {name: value})
        except bv.BiasVarError as error:
            if name not in str(error) and not (name == "qrels" and "the judgments" in str(error)):
                taken.append((name, value, str(error)))
        else:
            taken.append((name, value, "no error"))
    assert not taken


@pytest.mark.parametrize(
    ("function", "name", "value", "plain"),
    [
        ("compare", "test", "tukey", ("tukey",)),
        ("compare", "test", ["Tukey", "T"], ("t", "tukey")),
        ("compare", "of", "TOTAL", "total"),
        ("tradeoff", "subset_size", np.int64(2), (2,)),
        ("risk", "alpha", 1, [1.0]),
        ("risk", "alpha", np.array([0.0, 2.5]), [0.0, 2.5]),
        ("decompose", "eps", np.float32(0.25), 0.25),
        ("decompose", "pareto", np.bool_(True), True),
    ],
)
def test_what_means_the_same_is_read_as_such(function, name, value, plain):
    """A choice in another case, one value where there may be several, numbers of numpy."""
    more = {"log": "add"} if name == "eps" else {}
    found, expected = (FUNCTIONS[function](SCORES, **{name: each}, **more) for each in (value, plain))
    assert found == expected


def test_a_baseline_leaves_no_place_for_tukey():
    with pytest.raises(bv.BiasVarError, match="test: tukey is of all pairs"):
        bv.compare(SCORES, "run:A", test="tukey")


@pytest.mark.parametrize(
    ("function", "name", "message"),
    [
        *((function, "baseline", "baseline") for function in ("decompose", "risk", "compare")),
        ("decompose", "target", "target 'zz'"),
        ("decompose", "topics", "topics: expected qrels, intersection, union or the path"),
    ],
)
def test_a_word_that_nobody_knows_is_refused(function, name, message):
    with pytest.raises(bv.BiasVarError, match=message):
        FUNCTIONS[function](SCORES, **{name: "zz"})


def test_the_constant_of_logs_is_a_score():
    assert LIMITS["eps"].most == LARGEST


@pytest.mark.parametrize("option", ["--ci", "--eps"])
def test_nan_is_in_no_range(biasvar, tmp_path, option):
    (tmp_path / "ap.csv").write_text("AP,A,B\nq1,0.3,0.6\nq2,0.1,0.08\n")
    result = biasvar("decompose", tmp_path / "ap.csv", "--log", "floor", option, "nan")
    expected = f"invalid value for '{option}': expected a {LIMITS[option.strip('-')].noun} "
    assert_refused(result, 2, expected, ", found nan")
