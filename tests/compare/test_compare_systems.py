"""``--infer``: tests of systems, whatever their runs, in compare, profile and summary, and what texts say of them."""

import json

import pytest
from conftest import only, rows_of, systems_of
from scipy import stats

SYSTEMS = ("--replicates", "-[0-9]+")
RUNS = {"A": 3, "B": 2, "C": 1}


@pytest.fixture
def scores(tmp_path):
    """Three systems of three, two and one runs on 30 queries, as a file and as arrays by system."""
    return systems_of(RUNS, tmp_path / "seeds.csv")


def pair_by_hand(one, other, pooled):
    """Difference, v, df and p of a pair of systems, by the formula."""
    d = one.mean(axis=0) - other.mean(axis=0)
    parts = [(d.var(ddof=1) / len(d), len(d) - 1)]
    several = (runs for runs in (one, other) if len(runs) > 1)
    parts += [(max(runs.mean(axis=1).var(ddof=1), pooled) / len(runs), len(runs) - 1) for runs in several]
    v = sum(part for part, _ in parts)
    df = v**2 / sum(part**2 / f for part, f in parts)
    return d.mean(), v, df, 2 * stats.t.sf(abs(d.mean()) / v**0.5, df)


def test_pairs_of_systems_are_the_formula(biasvar, scores):
    path, systems = scores
    found = only(biasvar("compare", path, *SYSTEMS, "-f", "json"))
    assert (found["infer"], found["deciding"], found["critical"]) == ("systems", "t", {"stepdown": None})
    spread = {name: runs.mean(axis=1).var(ddof=1) if len(runs) > 1 else 0 for name, runs in systems.items()}
    pooled = (2 * spread["A"] + spread["B"]) / 3
    by_hand = {
        (one, other): pair_by_hand(systems[one], systems[other], pooled)
        for one in "ABC"
        for other in "ABC"
        if one != other
    }
    ps = []
    for pair in found["pairs"]:
        delta, v, df, p = by_hand[pair["run"], pair["versus"]]
        assert (pair["delta"], pair["df"], pair["t_p"]) == (pytest.approx(delta), pytest.approx(df), pytest.approx(p))
        half_width = stats.t.isf(0.025, df) * v**0.5
        assert pair["high"] - pair["delta"] == pytest.approx(half_width)
        assert pair["family_high"] - pair["delta"] == pytest.approx(stats.t.isf(0.025 / 3, df) * v**0.5)
        assert 0 <= pair["share_replicates"] <= 1
        ps.append(p)
    assert max(pair["t_holm"] for pair in found["pairs"]) >= max(ps)


def test_profile_and_summary_have_the_same_p(biasvar, scores):
    path, systems = scores
    pair = only(biasvar("profile", "A", path, *SYSTEMS, "--baseline", "B", "-f", "json"))
    (row,) = (row for row in pair["versus"] if row["role"] == "baseline")
    pooled = (2 * systems["A"].mean(axis=1).var(ddof=1) + systems["B"].mean(axis=1).var(ddof=1)) / 3
    delta, _, df, p = pair_by_hand(systems["A"], systems["B"], pooled)
    assert (row["delta"], row["df"], row["p"]) == (pytest.approx(delta), pytest.approx(df), pytest.approx(p))
    assert (pair["infer"], pair["test"]) == ("systems", "t")
    compared = only(biasvar("compare", path, *SYSTEMS, "--baseline", "C", "-f", "json"))
    (result,) = json.loads(biasvar("summary", path, *SYSTEMS, "--baseline", "C", "-f", "json").out)["results"]
    p_of = {row["run"]: row["scores"][0]["p"] for row in result["runs"]}
    assert {pair["run"]: pair["t_holm"] for pair in compared["pairs"]} == {name: p_of[name] for name in "AB"}


def test_infer_runs_is_the_test_of_the_means(biasvar, scores, tmp_path):
    path, systems = scores
    lines = ["AP,A,B,C"]
    lines += [
        ",".join([f"q{at}", *(repr(float(systems[name].mean(axis=0)[at])) for name in "ABC")]) for at in range(30)
    ]
    means = tmp_path / "means.csv"
    means.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = ("--samples", "500", "--table", "pairs", "-f", "csv")
    of_runs, of_means = (
        rows_of(biasvar("compare", *words, *asked)) for words in ((path, *SYSTEMS, "--infer", "runs"), (means,))
    )
    assert list(of_runs[0]) == list(of_means[0])
    for one, other in zip(of_runs, of_means, strict=True):
        assert float(one["t_p"]) == pytest.approx(float(other["t_p"]))
        assert one["stepdown_p"] == other["stepdown_p"]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ("", "C has one run and is taken as it is: its luck is not counted."),
        ("", "Two runs of a system tell little of others: a third one tells more than any number of queries."),
        ("", "two-sided t test over queries and runs with Holm's correction, p < 0.05 for all 3 pairs"),
        ("--infer runs", "so they are about these runs of a system, not about others"),
        ("--half-width .001 --table pairs", "for an interval of ±0.001 (95 %); - : no number will do."),
    ],
)
def test_what_is_said_of_systems(said, scores, options, part):
    path, _ = scores
    assert part in said("compare", path, *SYSTEMS, *options.split())


def test_numbers_of_runs_and_queries(biasvar, scores):
    path, _ = scores
    found = only(biasvar("compare", path, *SYSTEMS, "--half-width", "1", "-f", "json"))
    assert {(pair["replicates_needed"], pair["queries_needed"]) for pair in found["pairs"]} == {(1, 1)}
    found = only(biasvar("compare", path, *SYSTEMS, "--half-width", "1e-6", "-f", "json"))
    assert {pair["replicates_needed"] for pair in found["pairs"]} == {None}


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (
            "--replicates -[0-9]+ --test wilcoxon",
            2,
            "wilcoxon is of these runs of the systems alone, as --infer runs has",
        ),
        ("--half-width .1", 2, "--half-width: needs systems of several runs (--replicates)"),
        ("--paired-replicates", 2, "--paired-replicates: needs systems of several runs"),
        ("--replicates -[0-9]+ --paired-replicates", 1, "these differ: A has 1, 2, 3; B has 1, 2"),
        ("--replicates -[0-9]+ --half-width 0", 2, "'--half-width': expected a number above 0"),
    ],
)
def test_what_cannot_be_asked_of_systems(refused, scores, options, code, message):
    refused(code, message, "compare", scores[0], *options.split())


def test_errors_of_systems_are_said_to_be_about_these_runs(biasvar, scores):
    typed = ("decompose", scores[0], *SYSTEMS, "--baseline", "B", "--ci", 0.9)
    about = "about other queries and these runs of a system, not about other runs"
    assert about in " ".join(biasvar(*typed).out.split())
    (caption,) = (line for line in biasvar(*typed, "-f", "latex").out.splitlines() if line.startswith("\\caption"))
    assert f"Intervals and tests against the baseline are {about}." in caption
    assert only(biasvar(*typed, "-f", "json"))["infer"] == "runs"
    assert "infer" not in only(biasvar("decompose", scores[0], *SYSTEMS, "-f", "json"))
