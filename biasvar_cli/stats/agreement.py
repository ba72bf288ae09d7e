"""Agreement of two judges on the grades of documents, corrected for chance.

Sources: Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960;
Krippendorff, "Computing Krippendorff's alpha-reliability", 2011.
"""

from __future__ import annotations

from math import nan

import numpy as np

from biasvar_cli.arrays import FloatArray, IntArray


def cohen_kappa(one: IntArray, other: IntArray) -> float:
    """kappa = (p_o - p_e) / (1 - p_e) of the grades of two judges, (n,) both; nan where both have one grade alone.

    p_o is the share of equal grades, p_e = sum_c p(one = c) p(other = c). Grades are names
    here: a 1 in place of a 0 counts as much as a 3.

    20 times both say 1 and 15 times 0; 5 times only the first says 1, 10 times the second: p_o = .7, p_e = .5.

    >>> one, other = np.repeat([1, 1, 0, 0], [20, 5, 10, 15]), np.repeat([1, 0, 1, 0], [20, 5, 10, 15])
    >>> round(cohen_kappa(one, other), 6), cohen_kappa(one[:3], other[:3])
    (0.4, nan)
    """
    table = _table(one, other) / max(len(one), 1)
    by_chance = float(table.sum(axis=1) @ table.sum(axis=0))
    return (float(np.trace(table)) - by_chance) / (1 - by_chance) if len(one) and by_chance < 1 else nan


def krippendorff_alpha(one: IntArray, other: IntArray) -> float:
    """alpha = 1 - D_o / D_e of ordinal grades of two judges, (n,) both; nan where both have one grade alone.

    With the coincidences o_ck = n_ck + n_kc and n_c = sum_k o_ck, N = 2 n: D_o = sum_ck o_ck d_ck / N and D_e = sum_ck
    n_c n_k d_ck / (N (N - 1)), where d_ck = (n_c / 2 + n_k / 2 + the n of all grades between c and k)^2, 0 for c = k.

    Two observers of ten units and two values (Krippendorff 2011, section A): .095.

    >>> one, other = np.array([0, 1, 0, 0, 0, 0, 0, 0, 1, 0]), np.array([1, 1, 1, 0, 0, 1, 0, 0, 0, 0])
    >>> round(krippendorff_alpha(one, other), 3)
    0.095
    """
    table = _table(one, other)
    coincidences = table + table.T
    of_grade = coincidences.sum(axis=1)
    total, up_to = of_grade.sum(), np.cumsum(of_grade) - of_grade / 2
    distances = (up_to[:, None] - up_to) ** 2
    expected = float((np.outer(of_grade, of_grade) * distances).sum())
    if expected == 0:
        return nan
    return 1 - float((coincidences * distances).sum()) * (float(total) - 1) / expected


def _table(one: IntArray, other: IntArray) -> FloatArray:
    """How often the first judge gives the grade of the row and the other that of the column, grades ascending."""
    grades, places = np.unique(np.concatenate([one, other]), return_inverse=True)
    table = np.zeros((len(grades), len(grades)))
    np.add.at(table, (places[: len(one)], places[len(one) :]), 1)
    return table
