"""The profile of one run: its numbers are those of other analyses, and its sentences claim what was tested."""

import csv

import numpy as np
import pytest
from conftest import SAMPLE_RUNS, only

from biasvar_cli.specs.limits import is_significant

FEW = ("--samples", "299")


def columns_of(path, runs, folder):
    """A matrix with some of the runs of another one."""
    with path.open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    kept = [0, *(rows[0].index(run) for run in runs)]
    other = folder / "pair.csv"
    other.write_text("\n".join(",".join(row[index] for index in kept) for row in rows) + "\n", encoding="utf-8")
    return other


def same_as_others(biasvar, path, run, baseline, target, folder):
    """That each key of a profile is the number of the analysis that it comes from."""

    def of(analysis, *words):
        return only(biasvar(analysis, *words, "-f", "json", "--quiet"))

    found = of("profile", run, path, "--baseline", baseline, "--target", target, *FEW)
    decomposed = of("decompose", path, "--target", target, "--stability")
    compared = of("compare", path, "--baseline", run, *FEW, "--splits", "5")
    risk = of("risk", path, "--baseline", baseline, "--table", f"run:{run}")
    runs = {row["run"]: row for row in decomposed["runs"]}
    for key in ("measure", "better", "target", "n_runs", "n_queries"):
        assert found[key] == decomposed[key]
    assert (found["run"], found["stability"]) == (run, runs[run]["stability"])
    best = min((row for name, row in runs.items() if name != run), key=lambda row: (-row["mean"], row["run"]))["run"]
    assert [row["quantity"] for row in found["quantities"]] == ["mean", "bias", "bias2", "var", "total"]
    for row in found["quantities"]:
        name = row["quantity"]
        values = np.array([other[name] for other in runs.values()])
        assert [row["value"], row["baseline"], row["best"]] == [runs[each][name] for each in (run, baseline, best)]
        assert row["median"] == float(np.median(values))
        ahead = values > row["value"] + 1e-12 if name == "mean" else values < row["value"] - 1e-12
        assert row["rank"] == 1 + int(ahead.sum())
    of_run = next(row for row in compared["runs"] if row["run"] == run)
    assert found["rank"] == found["quantities"][0]["rank"]
    assert [found[end] for end in ("rank_low", "rank_high")] == [of_run[end] for end in ("rank_low", "rank_high")]
    assert found["rank_low"] <= found["rank"] <= found["rank_high"]
    assert [(row["run"], row["role"]) for row in found["versus"]] == [(best, "best"), (baseline, "baseline")]
    pair = columns_of(path, [run, baseline], folder)
    of_pair = of("compare", pair, "--baseline", run, *FEW, "--splits", "5")
    for row, source in zip(found["versus"], (compared, of_pair), strict=True):
        pair = next(pair for pair in source["pairs"] if pair["run"] == row["run"])
        assert row["mean"] == runs[row["run"]]["mean"]
        assert [row["delta"], row["low"], row["high"]] == [-pair["delta"], -pair["high"], -pair["low"]]
        assert [row["wins"], row["ties"], row["losses"]] == [pair["losses"], pair["ties"], pair["wins"]]
        assert [row["family_low"], row["family_high"]] == [-pair["family_high"], -pair["family_low"]]
        assert (row["p"], row["test"]) == (pair["stepdown_p"], source["deciding"])
    assert found["queries_versus"] == baseline
    lost = {row["query_id"]: row for row in risk["queries"]}
    scores = {row["query_id"]: row["score"] for row in of("target", path, "--target", target)["queries"]}
    for row in found["queries"]:
        own = lost[row["query_id"]]
        assert (row["score"], row["delta"], row["baseline"]) == (own["score"], own["delta"], own["baseline_score"])
        assert row["target"] == scores[row["query_id"]]
    values = [found[key] for key in ("no_ranks", "replicates", "test", "correction", "level")]
    assert values == [None, None, "stepdown", None, 0.95]
    return found


@pytest.mark.parametrize(("run", "target"), [("rel-fb", "best"), ("rm", "best:0.9")])
def test_numbers_are_those_of_other_analyses(biasvar, sample_scores, tmp_path, run, target):
    same_as_others(biasvar, sample_scores, run, "orig", target, tmp_path)


def test_numbers_of_a_real_track_are_those_of_other_analyses(biasvar, covid_scores, tmp_path):
    """Every fourth of its runs, two equal ones among them."""
    run, others = "xj4wang_run1", ["base.unipd.it", "BBGhelani1", "BBGhelani2"]
    names = next(csv.reader([covid_scores.read_text().partition("\n")[0]]))[1::4]
    track = columns_of(covid_scores, list(dict.fromkeys([run, *others, *names])), tmp_path)
    track = track.rename(tmp_path / "track.csv")
    found = same_as_others(biasvar, track, run, "base.unipd.it", "best", tmp_path)
    text = biasvar("profile", run, track, "--baseline", "base.unipd.it", *FEW).out.splitlines()
    assert len(text) <= 45
    assert max(map(len, text)) <= 100
    assert text[0].endswith(f"rank {found['rank']} (95 % range {found['rank_low']} to {found['rank_high']})")


@pytest.mark.parametrize("run", sorted({*SAMPLE_RUNS[::3]} - {"orig"}))
def test_a_sentence_calls_significant_what_the_test_does(biasvar, sample_scores, run):
    """Of the one pair with a baseline, and of all pairs with the run."""
    found = only(biasvar("profile", run, sample_scores, "--baseline", "orig", *FEW, "-f", "json"))
    best, baseline = found["versus"]
    first, _, second = found["sentence"].partition(". ")
    for sentence, row, family in ((first, baseline, "of this one pair"), (second, best, "21 comparisons")):
        assert sentence.startswith(f"{run} (AP ")
        assert family in sentence
        assert row["run"] in sentence
        word = "better" if row["delta"] > 0 else "worse"
        assert (f"is significantly {word} than" in sentence) == bool(is_significant(row["p"], 0.95))
        assert ("does not differ significantly from" in sentence) != bool(is_significant(row["p"], 0.95))


def test_p_stands_alone_where_a_later_step_finds_what_the_interval_leaves_open(biasvar, sample_scores):
    names = ("rm", *(f"nrr-{share}" for share in ("0.5", "0.6", "0.7", "0.8", "0.9", "1.0")))
    asked = [word for name in names for word in ("--baseline", name)]
    found = only(biasvar("profile", "comb-0.7", sample_scores, *asked, "--test", "t", "-f", "json"))
    alone = []
    for row, sentence in zip(found["versus"][1:], found["sentence"].split("queries). "), strict=False):
        assert f"than {row['run']} (" in sentence
        alone += [] if "simultaneous 95 % interval" in sentence else [row]
    assert [row["run"] for row in alone] == ["rm"]
    assert alone[0]["family_low"] < 0 < alone[0]["family_high"]
    assert alone[0]["p"] < 0.05


@pytest.fixture
def tables(tmp_path):
    """Small tracks: few queries, one run, one query, equal runs, costs, seeds."""
    rng = np.random.default_rng(1)
    ease = rng.random(30)
    seeds = {f"A-{seed}": ease / 2 + 0.1 * rng.random(30) for seed in (1, 2, 3)}
    for name, columns in {
        "few": {"A": (0.1, 0.2, 0.1), "B": (0.2, 0.3, 0.3), "C": (0.3, 0.5, 0.2)},
        "one": {"A": (0.1, 0.2)},
        "query": {"A": (0.1,), "B": (0.2,)},
        "tied": {"A": ease, "B": ease, "C": ease / 2},
        "costs": {"fast": 10 + ease, "mid": 11 + rng.random(30), "slow": 20 + 5 * ease},
        "seeds": {**seeds, "B-1": ease / 3, "C": ease / 4},
    }.items():
        rows = [f"q{query},{','.join(map(str, row))}" for query, row in enumerate(zip(*columns.values(), strict=True))]
        head = f"{'ESL' if name == 'costs' else 'AP'},{','.join(columns)}"
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("A few --baseline B", "has a lower mean than B (0.2667; difference -0.1333; 3 queries, not tested)."),
        ("A few --target mean:0.5", "3 queries, not tested"),
        ("A one", None),
        ("A query", None),
        ("A tied", "has the same mean as the best of the other 2 runs, B; their scores are the same on all 30"),
        ("A tied --test t --baseline C", "two-sided paired t test of this one pair, p < 0.001"),
        ("C tied --test t", "Holm's correction for both comparisons with C, adjusted p < 0.001"),
        ("C tied --test t --correction none", "of this pair, not corrected for 2 comparisons"),
        ("fast costs --baseline slow", "less is better) is significantly better than slow"),
        ("fast costs --baseline slow", "better by"),
        ("fast costs --baseline slow", "of this one pair, p = 0.0"),
        ("slow costs", "is significantly worse than the best of the other 2 runs, fast"),
        ("slow costs", "worse by"),
        ("A seeds --replicates -[0-9]$ --baseline B", "mean and standard deviation of 3 runs) is significantly better"),
        ("A seeds --replicates -[0-9]$ --baseline B", " ± 0.0"),
    ],
)
def test_the_sentence_for_a_paper(biasvar, said, tables, words, part):
    run, name, *options = words.split()
    command = ("profile", run, tables / f"{name}.csv", *options, *FEW, "--quiet")
    sentence = only(biasvar(*command, "-f", "json"))["sentence"]
    assert part in sentence if part else not sentence
    assert all(each in said(*command) for each in sentence.removesuffix(".").split(". "))


@pytest.mark.parametrize("run", ["fast", "mid"])
def test_costs_are_scores_with_their_sign_changed(biasvar, tables, run):
    """The same numbers, but for the scores themselves."""
    head, *rows = (line.split(",") for line in (tables / "costs.csv").read_text(encoding="utf-8").splitlines())
    turned = [["X", *head[1:]], *([row[0], *(str(-float(value)) for value in row[1:])] for row in rows)]
    (tables / "gains.csv").write_text("\n".join(map(",".join, turned)) + "\n", encoding="utf-8")
    options = ("--baseline", "slow", *FEW, "-f", "json", "--quiet", "--allow-range")
    less, more = (only(biasvar("profile", run, tables / f"{name}.csv", *options)) for name in ("costs", "gains"))
    assert [less[key] for key in ("rank", "rank_low", "rank_high")] == [
        more[key] for key in ("rank", "rank_low", "rank_high")
    ]
    for one, other in zip(less["versus"], more["versus"], strict=True):
        assert {**one, "mean": -one["mean"]} == pytest.approx(other)
    for one, other in zip(less["queries"], more["queries"], strict=True):
        assert (one["delta"], one["score"]) == pytest.approx((other["delta"], -other["score"]))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("nosuch few", 1, "run nosuch: there is no such run; the runs are A, B, C"),
        ("A few --baseline A", 1, "--baseline A: that is the run of the profile itself"),
        ("A few --baseline X", 1, "--baseline X: there is no such run"),
        ("A few --test tukey", 2, "tukey is of all pairs of runs"),
        ("A one --baseline top", 1, "--baseline top: there is no other run"),
    ],
)
def test_what_cannot_be_asked(refused, tables, words, code, message):
    run, name, *options = words.split()
    refused(code, message, "profile", run, tables / f"{name}.csv", *options)


def test_a_run_is_named_by_the_beginning_of_its_name(biasvar, sample_scores):
    full = biasvar("profile", "rel-fb", sample_scores, *FEW, "-f", "json")
    assert full == biasvar("profile", "rel", sample_scores, *FEW, "-f", "json")
    assert full == biasvar("profile", "run:rel-fb", sample_scores, *FEW, "-f", "json")


@pytest.mark.parametrize(("run", "best"), [("rm", "rel-fb"), ("rel-fb", "nrr-1.0")])
def test_top_is_the_best_of_the_others(biasvar, sample_scores, run, best):
    found = only(biasvar("profile", run, sample_scores, "--baseline", "top", *FEW, "-f", "json"))
    one, other = found["versus"]
    assert {**one, "role": "baseline"} == other
    assert one["run"] == found["queries_versus"] == best


def test_several_baselines_are_one_family(biasvar, sample_scores, tmp_path):
    named = ("rm", "comb-0.5")
    options = [word for name in named for word in ("--baseline", name)]
    found = only(biasvar("profile", "orig", sample_scores, *options, "--test", "t", "-f", "json"))
    three = columns_of(sample_scores, ["orig", *named], tmp_path)
    pairs = only(biasvar("compare", three, "--baseline", "orig", "--test", "t", "--splits", "5", "-f", "json"))["pairs"]
    expected = {pair["run"]: pair["t_holm"] for pair in pairs}
    assert {row["run"]: row["p"] for row in found["versus"][1:]} == expected


def test_queries_of_equal_scores_are_counted_and_gains_named_beside_losses(said, written):
    """On q1 to q8 the scores of A - B are .4, .3, .2, .1, 0, 0, -.1 and -.2; C is below both."""
    scores = zip([9, 8, 7, 6, 5, 5, 3, 2], [5, 5, 5, 5, 5, 5, 4, 4], strict=True)
    path = written("AP,A,B,C\n" + "".join(f"q{n},{a / 10},{b / 10},0.1\n" for n, (a, b) in enumerate(scores, 1)))
    text = said("profile", "A", path, "--baseline", "B", *FEW, "--quiet")
    assert "better on 4 queries, worse on 2, equal on 2." in text
    assert "Against B it loses most on queries q8 (-0.2000) and q7 (-0.1000), and gains most on q1 (+0.4000)" in text
    assert "best other: B. median: over all runs, of each row by itself." in text
