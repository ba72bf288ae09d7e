"""The figure of a profile: its marks are the rows of ``--table queries``, and its title says what the test says."""

import numpy as np
import pytest
from conftest import only
from svg_boxes import drawing_of, problems_of

FEW = ("--samples", "299", "--quiet")


@pytest.fixture
def scores(written):
    """A matrix of scores of so many queries, ``mine`` a little worse than ``base``."""

    def write(n_queries, better="more"):
        rng = np.random.default_rng(n_queries)
        level, shifts = rng.uniform(0.2, 0.8, (n_queries, 1)), (-0.1, 0, 0.02)
        rows = np.clip(level + shifts + rng.normal(0, 0.1, (n_queries, 3)), 0, 1).round(4)
        measure, rows = ("AP", rows) if better == "more" else ("ESL", np.round(1000 * (1 - rows)))
        lines = [f"query-{number},{','.join(map(str, row))}" for number, row in enumerate(rows)]
        return written("\n".join([f"{measure},mine,base,other", *lines]) + "\n")

    return write


@pytest.mark.parametrize("better", ["more", "less"])
@pytest.mark.parametrize("baseline", [("--baseline", "base"), ()])
def test_its_marks_are_the_rows_of_the_table(biasvar, drawn, scores, baseline, better):
    words = ("mine", scores(40, better), *baseline, *FEW)
    profile, rows = only(biasvar("profile", *words, "-f", "json")), drawn("profile", *words)["datasets"]["queries"]
    names = ("query_id", "score", "target", "baseline", "delta")
    shown, table = (sorted([row[name] for name in names] for row in each) for each in (rows, profile["queries"]))
    assert shown == table
    assert [row["delta"] for row in rows] == sorted((row["delta"] for row in rows), reverse=True)
    versus = next(row for row in profile["versus"] if row["role"] == ("baseline" if baseline else "best"))
    counts = [sum(row["what"] == what for row in rows) for what in ("better", "equal", "worse")]
    assert counts == [versus["wins"], versus["ties"], versus["losses"]]
    assert profile["queries_versus"] == versus["run"]


@pytest.mark.parametrize(("better", "difference"), [("more", "mine − base"), ("less", "base − mine")])
def test_the_largest_losses_are_named_the_largest_on_top(drawn, scores, better, difference):
    spec = drawn("profile", "mine", scores(40, better), "--baseline", "base", *FEW)
    losses, rows = spec["datasets"]["losses"], spec["datasets"]["queries"]
    assert [row["query_id"] for row in losses] == [row["query_id"] for row in rows[:-4:-1]]
    assert [row["at"] for row in losses] == sorted((row["at"] for row in losses), reverse=True)
    assert all(row["label"].startswith(f"{row['query_id']} (−") for row in losses)
    assert f"Named: the largest losses, {difference} in" in spec["description"]


def test_a_run_without_losses_has_no_names(drawn, written):
    path = written("AP,a,b\n" + "".join(f"q{n},{0.5 + n / 20},{0.4 + n / 30}\n" for n in range(8)))
    spec = drawn("profile", "a", path, *FEW)
    assert "losses" not in spec["datasets"]
    assert "Named" not in spec["description"]


@pytest.mark.parametrize(
    ("words", "run", "baseline"),
    [
        ("mine is significantly worse than base", "mine", ("--baseline", "base")),
        ("base is significantly better than mine", "base", ("--baseline", "mine")),
        ("mine is significantly worse than the best run, ", "mine", ()),
        ("base does not differ significantly from other", "base", ("--baseline", "other")),
    ],
)
def test_the_title_says_what_the_test_says(biasvar, drawn, scores, words, run, baseline):
    command = (run, scores(40), *baseline, *FEW)
    profile, caption = only(biasvar("profile", *command, "-f", "json")), drawn("profile", *command)["description"]
    assert (profile["versus"][-1]["p"] < 0.05) == ("is significantly" in words)
    assert caption.startswith(words)
    if baseline:
        assert profile["sentence"].partition(". ")[0].removesuffix(".") in caption


@pytest.mark.parametrize("n_queries", [1, 5])
def test_few_queries_make_no_claim(drawn, scores, n_queries):
    spec = drawn("profile", "mine", scores(n_queries), "--baseline", "base", *FEW)
    assert spec["description"].startswith("mine and base on every query. ")
    assert "significant" not in spec["description"]


@pytest.mark.parametrize(("n_queries", "better"), [(1, "more"), (12, "less"), (600, "less")])
def test_nothing_overlaps_or_is_cut(drawn, scores, n_queries, better):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    from biasvar_cli.drawing.converter import svg_of

    path = scores(n_queries, better)
    for options in (("--width", "one"), ("--width", "two", "--theme", "dark", "--highlight", "other")):
        spec = drawn("profile", "mine", path, "--baseline", "base", *options, *FEW)
        assert problems_of(drawing_of(svg_of(spec))) == [], options
