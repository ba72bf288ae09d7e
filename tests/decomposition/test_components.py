"""Components of variance: worked numbers, gt4ireval's digits, a real track under five judges."""

from __future__ import annotations

from functools import partial
from math import inf

import conftest
import numpy as np
import pandas as pd
import pytest
from conftest import COARSE, UNIT, scores_of
from hypothesis import given
from hypothesis import strategies as st
from test_judge_differences import judged

from biasvar_cli.decomposition.components import FACETS, REST, components
from biasvar_cli.stats.variance import anova

close = partial(conftest.close, tolerance=6e-7, relative=0)
A = np.array([[0.9, 0.5, 0.1], [0.6, 0.4, 0.2], [0.3, 0.3, 0.0], [0.2, 0.0, 0.1]])
B = np.array([[0.8, 0.8, 0.4], [0.7, 0.5, 0.5], [0.5, 0.6, 0.1], [0.4, 0.4, 0.3]])


def test_worked_example():
    found = components(np.stack([A, B], axis=2))
    expected = [0.021667, 0.024583, 0.019167, 0.011667, -0.002083, 0.001667, 0.009583]
    assert close([*found.variances.values()], expected)
    assert found.shares["runs x judges"] == 0
    assert sum(found.shares.values()) == pytest.approx(1)


@given(st.tuples(st.integers(2, 5), st.integers(2, 6)), st.sampled_from((UNIT, COARSE)), st.data())
def test_with_one_judge_they_are_those_of_the_two_way_analysis_of_variance(shape, elements, data):
    scores = data.draw(scores_of(shape, elements))
    found, table = components(scores).variances, anova(scores)
    mean_squares = table.ss_runs / table.df_runs, table.ss_queries / table.df_queries
    sizes = shape[1], shape[0]
    assert close(found[REST], table.ms_error, tolerance=1e-9)
    expected = [(square - table.ms_error) / size for square, size in zip(mean_squares, sizes, strict=True)]
    assert close([found["runs"], found["queries"]], expected, tolerance=1e-9)


@given(st.tuples(st.integers(2, 4), st.integers(2, 5), st.integers(2, 4)), st.data())
def test_the_order_of_the_facets_does_not_matter(shape, data):
    scores = data.draw(scores_of(shape, UNIT))
    one, other = components(scores).variances, components(scores.transpose(1, 2, 0)).variances
    renamed = dict(zip(FACETS, ("judges", "runs", "queries"), strict=True))
    for name, variance in one.items():
        parts = sorted((renamed.get(part, part) for part in name.split(" x ")), key=[*FACETS, REST].index)
        assert close(variance, other[" x ".join(parts)], tolerance=1e-9)


def test_equal_passes_of_a_judge_add_nothing():
    found = components(np.stack([A, A, A], axis=2))
    assert found.variances["judges"] == found.variances["runs x judges"] == 0
    one = components(A)
    assert found.reliability(3) == pytest.approx(one.reliability(3))
    assert found.reliability(inf) == one.reliability(inf) == 1


def test_trec_3_as_gt4ireval_prints_it(shared):
    """gt4ireval's README: variances of systems, queries and their interaction, shares, and queries needed."""
    scores = pd.read_csv(shared / "score-matrices" / "trec3-adhoc-ap.csv").to_numpy().T
    found = components(scores)
    assert close([*found.variances.values()], [0.0071668, 0.022642, 0.01092], tolerance=6e-7)
    assert close([100 * share for share in found.shares.values()], [17.596, 55.593, 26.811], tolerance=6e-4)
    assert (found.queries_needed(0.95), found.dependability_queries(0.95)) == (29, 89)
    assert found.reliability(29) >= 0.95 > found.reliability(28)


def test_five_judges_of_trec_deep_learning_2021(shared):
    folder = shared / "dl21-judges"
    models = ("umbrela-gpt-4o", "umbrela-gpt-4", "binary-gpt-4", "exam-gpt-4", "umbrela-llama3.2-pass1")
    found = components(np.stack([judged(folder / "runs", folder / "qrels" / f"{name}.txt") for name in models], axis=2))
    expected = [0.00939, 0.01245, 0.00265, 0.01461, 0.00104, 0.00691, 0.00672]
    assert close([*found.variances.values()], expected, tolerance=6e-6)
    assert close(
        [100 * share for share in found.shares.values()], [17.5, 23.2, 4.9, 27.2, 1.9, 12.9, 12.5], tolerance=0.06
    )
    sizes = ((53, 1), (300, 1), (inf, 1), (53, 3))
    assert close([found.reliability(*size) for size in sizes], [0.867, 0.894, 0.900, 0.934], tolerance=6e-4)
