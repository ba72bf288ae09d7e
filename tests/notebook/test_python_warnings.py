"""Nothing that is typed makes Python itself warn."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasvar_cli.measures.catalogue import parts_of


@pytest.mark.parametrize(
    "text", ["5if7", "nDCG@5if7", "P(rel=1if)@5", "a.5if7", "AP@1.5else", "0x1for", "nDCG(gains={1if1: 1})@5", "P\\d@5"]
)
def test_a_number_that_runs_into_a_word_leaks_no_warning_of_python(text):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert parts_of(text) is None
    assert found == []


@given(st.lists(st.sampled_from(["5", ".", "if", "e", "_", "0x", "or", "@", "(", "=", "'", "\\", "nDCG", "é", " "])))
def test_no_text_makes_python_s_parser_warn(parts):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        parts_of("".join(parts))
    assert found == []


def test_a_pattern_of_families_leaks_no_warning_of_python(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text("AP,[x-1,[x-2,[x-3\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\n")
    result = biasvar("tradeoff", tmp_path / "ap.csv", "--families", "([[]x)-(.*)", "--no-null")
    assert (result.code, result.err) == (0, "")
