"""``biasvar judges --table agreement``: grades and rankings of a judge beside those of the reference."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from conftest import only
from test_judges_command import QUICK, scores

from biasvar_cli.stats.agreement import cohen_kappa, krippendorff_alpha

JSON = ("--table", "agreement", "-f", "json", *QUICK, "--quiet")


@pytest.mark.parametrize("seed", range(5))
def test_alpha_and_kappa_are_those_of_their_definitions(seed):
    """alpha over all pairs of values, with the ordinal metric as it is written; kappa over all grades."""
    rng = np.random.default_rng(seed)
    one = rng.integers(-1, 4, 40)
    other = np.where(rng.random(40) < 0.6, one, rng.integers(0, 3, 40))
    values = np.concatenate([one, other])

    def distance(c: int, k: int) -> float:
        low, high = sorted((c, k))
        numbers = [np.count_nonzero(values == grade) for grade in range(low, high + 1)]
        return (sum(numbers) - (numbers[0] + numbers[-1]) / 2) ** 2 if low < high else 0.0

    observed = np.mean([distance(c, k) for c, k in zip(one.tolist(), other.tolist(), strict=True)])
    expected = np.mean([distance(c, k) for c, k in combinations(values.tolist(), 2)])
    assert krippendorff_alpha(one, other) == pytest.approx(1 - observed / expected)
    by_chance = sum((one == grade).mean() * (other == grade).mean() for grade in range(-1, 4))
    assert cohen_kappa(one, other) == pytest.approx(((one == other).mean() - by_chance) / (1 - by_chance))


@pytest.mark.parametrize(("one", "other"), [([], []), ([1, 1], [1, 1])])
def test_of_nothing_and_of_one_grade_there_is_no_agreement_beyond_chance(one, other):
    pair = np.array(one, dtype=np.int64), np.array(other, dtype=np.int64)
    assert np.isnan([cohen_kappa(*pair), krippendorff_alpha(*pair)]).all()


@pytest.mark.usefixtures("in_the_checkout")
def test_grades_and_rankings_of_the_sample(biasvar, said, tmp_path):
    """The other judge gives every sixth document of eight topics another grade."""
    words = map(str.split, Path("qrels/npl.qrels.txt").read_text().splitlines())
    lines = [line for line in words if int(line[0]) <= 8]
    for name, grade in (("people", lambda row: 1 + row % 2), ("model", lambda row: 1 + (row % 2 if row % 3 else 0))):
        text = "".join(f"{topic} 0 {doc} {grade(row)}\n" for row, (topic, _, doc, _) in enumerate(lines))
        (tmp_path / f"{name}.txt").write_text(text)
    asked = ("judges", "sample_runs", "-q", tmp_path / "people.txt", "-q", tmp_path / "model.txt", "-m", "nDCG@10")
    (row,) = only(biasvar(*asked, *JSON))["agreement"]
    one = np.array([1 + row % 2 for row in range(len(lines))])
    other = np.array([1 + (row % 2 if row % 3 else 0) for row in range(len(lines))])
    assert (row["n_documents"], row["equal"]) == (len(lines), pytest.approx((one == other).mean()))
    assert (row["kappa"], row["alpha"]) == pytest.approx((cohen_kappa(one, other), krippendorff_alpha(one, other)))
    text = said(*asked, "--table", "agreement", *QUICK, "--quiet")
    assert (
        f"model and people give {100 * row['equal']:.1f} % of {len(lines)} documents the same grade (Cohen's kappa "
        in text
    )
    assert "None of these is a test." in text
    passes = [word for number in "12" for word in ("-q", f"m-pass{number}={tmp_path / 'model.txt'}")]
    both = (*asked[:4], *passes, "--replicates", "-pass[0-9]", "-m", "nDCG@10", "--table", "agreement", *QUICK)
    assert "m: no grades to compare; passes that are one judge have several." in said(*both, "--quiet")


def test_scores_have_no_grades_and_rankings_count_the_top(biasvar, said, tmp_path):
    """The judge swaps the two best of twelve runs, and the two last: tau_AP sees the first swap most."""
    people = np.repeat(np.arange(12, 0, -1)[:, None] / 20, 6, axis=1)
    order = [1, 0, *range(2, 12)], [*range(10), 11, 10]
    top, bottom = (people[list(rows)] for rows in order)
    files = scores(tmp_path, people=people, top=top, bottom=bottom)
    first, last = only(biasvar("judges", *files, *JSON))["agreement"]
    assert (first["n_documents"], first["kappa"], first["alpha"]) == (None, None, None)
    assert first["tau"] == pytest.approx(last["tau"]) == pytest.approx(1 - 2 / 66)
    assert (first["tau_top"], last["tau_top"]) == pytest.approx((1 - 2 / 45, 1))
    assert (first["tau_ap"], last["tau_ap"]) == pytest.approx((1 - 2 / 11, 1 - 2 / 11 / 11))
    assert "top: no grades to compare; these are scores." in said(
        "judges", *files, "--table", "agreement", *QUICK, "--quiet"
    )
