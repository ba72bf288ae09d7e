"""--clusters: a pattern, a file, a mapping or a DataFrame; what is refused; what commands make of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from conftest import assert_refused, only

import biasvar_cli as bv
from biasvar_cli.clusters import Clusters
from biasvar_cli.decomposition.judge_differences import mean_p
from biasvar_cli.decomposition.spread import spread
from biasvar_cli.errors import BiasVarError, DataWarning
from biasvar_cli.scoring.labels import clusters_of

QUERIES = [f"{talk}_{turn}" for talk in range(31, 39) for turn in range(1, 1 + talk % 3 + 1)]
TALKS = r"(.*)_[0-9]+"
QUICK = "--samples 200 --splits 10"


@pytest.fixture
def scores(tmp_path):
    """Scores of four runs on 17 queries of eight conversations."""
    rng = np.random.default_rng(4)
    of_talk = rng.random((4, 8)).repeat([1 + talk % 3 for talk in range(31, 39)], 1)
    values = (0.6 * of_talk + 0.4 * rng.random(of_talk.shape)).round(4)
    path = tmp_path / "scores.csv"
    pd.DataFrame(values.T, columns=list("ABCD"), index=pd.Index(QUERIES, name="query_id")).to_csv(path)
    return path


@pytest.fixture
def typed(scores):
    """The words of a command, in which SCORES stands for the scores and OTHER for those of a lenient, noisy judge."""
    frame = pd.read_csv(scores, index_col=0)
    noise = np.random.default_rng(7).normal(0, 0.05, frame.shape)
    other = scores.with_name("other.csv")
    (0.8 * frame + 0.2 + noise).clip(0, 1).round(4).to_csv(other)
    files = {"SCORES": scores, "OTHER": other}
    return lambda words: [*(files.get(word, word) for word in words.split()), "-m", "AP"]


@pytest.fixture
def listed(tmp_path):
    path = tmp_path / "talks.csv"
    path.write_text("query_id,cluster\n" + "".join(f"{query},{query.partition('_')[0]}\n" for query in QUERIES))
    return path


def test_a_pattern_a_file_a_mapping_and_a_frame_say_the_same(scores, listed):
    mapping = {query: query.partition("_")[0] for query in QUERIES}
    frame = pd.DataFrame({"qid": list(mapping), "cluster": list(mapping.values())})
    made = [
        bv.compare(str(scores), measure="AP", clusters=clusters, samples=200, splits=10).to_dict()
        for clusters in (TALKS, str(listed), listed, mapping, frame)
    ]
    assert all(one == made[0] for one in made)
    assert made[0]["results"][0]["n_clusters"] == 8


@pytest.mark.parametrize(
    ("clusters", "code", "message"),
    [
        ("([0-9]+)_[12]", 1, "as a pattern it does not match 3 queries as a whole: 32_3, 35_3, 38_3"),
        ("[0-9]+_[0-9]", 2, "a pattern without a group; its group is the name of the cluster"),
        ("(.*)_(.*)", 2, "has 2 groups, and one is the name of the cluster"),
        ("(", 2, "no file of that name, and no regular expression"),
        ("(a{99999999999})", 2, "no regular expression: the repetition number is too large"),
        ("()[0-9]+_[0-9]", 1, "leaves no name for the cluster of query 31_1"),
        ("query_id,cluster\n31_1,31\n", 1, "no cluster for 16 queries: 31_2, 32_1, 32_2, ..."),
        ("query_id,cluster\nq1,31\n", 1, "it has one for q1, which is not evaluated"),
        ("query_id,group\n31_1,31\n", 1, "expected the columns query_id (or query) and cluster"),
        ("query_id,cluster\n31_1,\n", 1, "column cluster is blank"),
    ],
)
def test_a_pattern_or_a_file_that_lacks_a_query_is_refused(biasvar, scores, clusters, code, message):
    if "\n" in clusters:
        scores.with_name("clusters.csv").write_text(clusters)
        clusters = scores.with_name("clusters.csv")
    result = biasvar("compare", scores, "-m", "AP", "--clusters", clusters)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


def test_queries_that_are_listed_and_not_evaluated_are_a_warning_and_those_of_other_tracks_none():
    with pytest.warns(DataWarning, match="1 query outside the evaluated ones left out: z"):
        clusters = clusters_of(["x", "y"], {"x": "a", "y": "a", "z": "b"})
    assert clusters.n == 1
    assert clusters_of(["x", "y"], {"x": "a", "y": "a", "z": "b"}, elsewhere={"z"}).n == 1


INDEPENDENT = "{} takes queries for independent"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        *((f"{name} SCORES --test {test}", INDEPENDENT.format(test))
          for name in ("compare", "summary") for test in ("wilcoxon", "sign")),
        ("decompose SCORES --stability", "null models, in which queries are independent"),
    ],
)  # fmt: skip
def test_what_takes_queries_for_independent_is_refused(biasvar, typed, command, message):
    assert_refused(biasvar(*typed(command), "--clusters", TALKS), 2, message)


@pytest.mark.parametrize(
    "words",
    [
        f"compare SCORES --table pairs {QUICK} --test stepdown --test t --test tukey",
        f"compare SCORES --table swap {QUICK}",
        f"compare SCORES --baseline A {QUICK} --test bootstrap --test randomisation",
        "summary SCORES --samples 200",
        "decompose SCORES --ci 0.9 --resamples 100 --baseline A",
        "risk SCORES --ci 0.9 --resamples 100 --baseline A",
        "risk SCORES --baseline top",
        "profile B SCORES --baseline A --table versus --samples 200",
        "judges SCORES OTHER --samples 200",
        "judges SCORES OTHER --samples 200 --table runs",
    ],
)
def test_each_query_its_own_cluster_changes_no_byte(biasvar, typed, words):
    without, own = (biasvar(*typed(words), *more, "-f", "csv") for more in ((), ("--clusters", "(.*)")))
    assert (own.code, own.out) == (0, without.out)


def test_leniency_and_spread_of_a_judge_are_tested_over_clusters():
    """Each query twice, in a cluster of two: the t tests of mean and spread are those of each once."""
    rng = np.random.default_rng(2)
    a = rng.random((5, 9))
    a += np.arange(5)[:, None]
    b = 0.7 * a + 0.3 * rng.random(a.shape)
    twice = Clusters.named(np.repeat(list("abcdefghi"), 2).tolist())
    of_twice = (np.repeat(a, 2, axis=1), np.repeat(b, 2, axis=1), twice)
    assert mean_p(*of_twice) == pytest.approx(mean_p(a, b))
    assert spread(*of_twice)[1:] == pytest.approx(spread(a, b)[1:], nan_ok=True)


def test_clusters_of_very_different_sizes_are_a_warning(biasvar, tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "scores.csv"
    queries = [*(f"large-{number}" for number in range(12)), *(f"c{number}-1" for number in range(17))]
    pd.DataFrame(rng.random((29, 3)), columns=list("ABC"), index=pd.Index(queries, name="query_id")).to_csv(path)
    result = biasvar("compare", path, "-m", "AP", "--clusters", "(.*)-[0-9]+", *QUICK.split())
    assert result.code == 0
    assert "the largest of 18 clusters has 12 of 29 queries" in result.err
    assert "tests of one pair find too many false differences" in result.err


@pytest.mark.parametrize(
    "words",
    [
        f"compare SCORES {QUICK}",
        "summary SCORES --samples 200",
        "decompose SCORES --ci 0.9 --resamples 100",
        "risk SCORES",
        "profile B SCORES --samples 200",
        "judges SCORES OTHER --samples 200",
    ],
)
def test_text_and_json_name_the_clusters(biasvar, typed, words):
    text = biasvar(*typed(words), "--clusters", TALKS, "--notes", "full").out
    assert "17 queries in 8 clusters" in text.partition("\n\n")[0]
    assert "17 queries (union) | 8 clusters" in " ".join(text.split())
    assert only(biasvar(*typed(words), "--clusters", TALKS, "-f", "json"))["n_clusters"] == 8
    assert "n_clusters" not in only(biasvar(*typed(words), "-f", "json"))


@pytest.mark.parametrize(
    ("words", "rows", "names"),
    [
        (f"compare SCORES {QUICK} --test t", "pairs", "low high t t_p"),
        ("risk SCORES --ci 0.9", "runs", "u_risk_1_low geo_risk_1_high t_risk_1 t_risk_1_p mean_p verdict"),
        ("decompose SCORES --ci 0.9 --baseline A", "runs",
         "mean_low bias2_high var_low total_gap_high d_bias_p ratio_var_p"),
    ],
)  # fmt: skip
def test_fewer_than_six_clusters_have_no_test_and_no_interval(biasvar, typed, words, rows, names):
    made = only(biasvar(*typed(words), "--clusters", ".._(.)", "-f", "json"))
    assert {row[name] for row in made[rows] for name in names.split()} == {None}
    assert rows != "pairs" or made["anova"] is None


@pytest.mark.parametrize(
    ("words", "clusters", "message"),
    [
        (f"compare SCORES {QUICK}", ".._(.)", "that takes at least 6 clusters, and there are 3."),
        ("profile B SCORES --samples 200", ".._(.)", "that takes at least 6 clusters, and there are 3."),
        ("judges SCORES OTHER --samples 200", ".._(.)", "that takes at least 6 clusters, and there are 3."),
        ("decompose SCORES --ci 0.9", ".._(.)", "at least 6 clusters are needed"),
        ("summary SCORES", "(.).*", "that takes at least 6 clusters, and there is 1"),
    ],
)
def test_fewer_than_six_clusters_are_said_to_be_too_few(biasvar, typed, words, clusters, message):
    assert message in " ".join(biasvar(*typed(words), "--clusters", clusters).out.split())


def test_one_cluster_is_no_pair_test(biasvar, typed):
    result = biasvar(*typed("compare SCORES"), "--clusters", "(.).*")
    assert_refused(result, 1, "a paired test needs at least 2 clusters, found 1")


def test_a_request_refuses_what_is_no_pattern():
    with pytest.raises(BiasVarError, match="expected a pattern of query ids or a csv of query_id,cluster, found 3"):
        clusters_of(["x"], 3)
