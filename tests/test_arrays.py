"""Equality up to rounding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from biasvar_cli.arrays import ROUNDING, equalised

CLOSE = st.sampled_from([0.1 + 0.2, 0.3, 0.3 + 3e-13, 0.3 + 8e-13, 0.3 + 2e-12, -1e-13, 0.0, 1e-13, 2e-12, 1.0, -1.0])
VALUES = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=6), elements=CLOSE | st.floats())


@given(st.floats(0.001, 1), st.lists(st.integers(-20, 20), min_size=1, max_size=8))
def test_values_that_differ_in_their_last_digit_are_equal_wherever_they_lie(value, units):
    near = value + np.array(units) * np.spacing(value)
    assert len(set(equalised(near).tolist())) == 1
    assert len(set(equalised(np.append(near, 1.0))[:-1].tolist())) == 1


def test_values_on_both_sides_of_a_twelfth_decimal_are_equal():
    assert len(set(equalised(np.array([0.1234567890125 - 1e-16, 0.1234567890125 + 1e-16, 1.0])).tolist())) == 2


@given(VALUES)
def test_they_keep_their_order_and_move_by_rounding_alone(values):
    settled = equalised(values)
    flat, moved = values.ravel(), settled.ravel()
    assert np.array_equal(np.isnan(flat), np.isnan(moved))
    assert np.array_equal(flat[np.isinf(flat)], moved[np.isinf(flat)])
    finite = np.isfinite(flat)
    flat, moved = flat[finite], moved[finite]
    ordered = moved[np.argsort(flat)]
    assert (ordered[:-1] <= ordered[1:]).all()
    assert (np.abs(flat - moved) <= len(flat) * ROUNDING * np.abs(flat).max(initial=0.0)).all()
    assert np.array_equal(equalised(settled), settled, equal_nan=True)


@given(VALUES, st.randoms())
def test_neither_order_nor_place_matters(values, random):
    order = random.sample(range(values.size), values.size)
    assert np.array_equal(equalised(values.ravel()[order]), equalised(values).ravel()[order], equal_nan=True)
    by_row = [equalised(row) for row in values]
    assert np.array_equal(equalised(values, axis=1), np.array(by_row).reshape(values.shape), equal_nan=True)
    assert np.array_equal(equalised(values.T, axis=0), equalised(values, axis=1).T, equal_nan=True)
