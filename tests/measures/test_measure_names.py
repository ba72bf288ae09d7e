"""What ``-m`` understands: names of ir-measures and trec_eval in any case, several in one argument, and refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, SAMPLE, assert_refused, only, rows_of

from biasvar_cli.errors import UsageError
from biasvar_cli.measures import canonical, is_measure, parse_measures

SCORES = {  # run, query: the scores under three measures
    ("a", 1): (0.2, 2.25, 0.25),
    ("a", 2): (0.4, 2.5, 0.5),
    ("b", 1): (0.5, 2.75, 0.75),
    ("b", 2): (0.3, 2.5, 0.5),
}
LONG = "run,query_id,measure,score\n" + "".join(
    f"{run},{query},{measure},{scores[column]}\n"
    for column, measure in enumerate(("ap", "my score", "ndcg_cut_10"))
    for (run, query), scores in SCORES.items()
)


@pytest.fixture
def decomposed(biasvar, in_an_empty_folder):
    """The command on a file, LONG unless another is given."""

    def call(*options, text=LONG):
        Path("scores.csv").write_text(text)
        return biasvar("decompose", "scores.csv", *options, "-f", "json")

    return call


ALIASES = {"ndcg@10": "nDCG@10", "NDCG": "nDCG", "mrr": "RR", "mrr@10": "RR@10", "p@10": "P@10", "Map": "AP"}
ALIASES |= {"RPREC": "Rprec", "err@20": "ERR@20", "Ndcg_Cut_10": "nDCG@10", "recall@5": "R@5"}


ARGUMENTS = {
    "AP nDCG@10": ["AP", "nDCG@10"],
    "AP,nDCG@10": ["AP", "nDCG@10"],
    "AP,  nDCG@10 ,": ["AP", "nDCG@10"],
    **{alias: [name] for alias, name in ALIASES.items()},
    "rbp(rel=1, p=0.5)": ["RBP(rel=1,p=0.5)"],
    "alpha_ndcg@20": ["alpha_nDCG@20"],
    "ndcg_cut.10,20": ["nDCG@10", "nDCG@20"],
    "P.5,10 recip_rank": ["P@5", "P@10", "RR"],
    "map,P.5,10,ndcg_cut.10": ["AP", "P@5", "P@10", "nDCG@10"],
    "recall.100 success.1": ["R@100", "Success@1"],
    "iprec_at_recall.0.10,.5": ["IPrec@0.1", "IPrec@0.5"],
    "nDCG(gains={1: 2, 2: 3})@10 AP": ["nDCG(gains={1:2,2:3})@10", "AP"],
    "P(rel=2) @ 10": ["P(rel=2)@10"],
    "map AP MAP ap": ["AP"],
    "RBP(p=0.5,rel=1) RBP(rel=1,p=0.5)": ["RBP(p=0.5,rel=1)"],
}


@pytest.mark.parametrize(("argument", "names"), ARGUMENTS.items())
def test_an_argument_is_measures_by_any_of_their_names_each_once(argument, names):
    assert list(map(str, parse_measures([argument]))) == names


NO_SCORES = {
    "GMAP": "made of all queries together; ask for the mean of the logs of AP: -m AP --log floor",
    "gm_bpref": "-m Bpref --log floor",
    "num_q": "is the number of queries, and no score of a query",
    "official": "a group of measures of trec_eval; name those you want",
    "nDCG@10,20": "'20' is no measure; write each cutoff with its measure",
    "p": "measure 'p' needs its cutoff: P@10",
    "ndcg_cut": "unknown measure 'ndcg_cut'; did you mean ndcg_cut_10",
    "AP nDGC@20": "unknown measure 'nDGC@20'; did you mean nDCG@20 or alpha_nDCG@20?",
    "NDGC_cut@20": "did you mean ndcg_cut_20",
    "iprec_at_recall.10,.20": "unknown measure 'iprec_at_recall_10'; did you mean IPrec@0.1?",
}


@pytest.mark.parametrize(("name", "words"), NO_SCORES.items())
def test_what_no_query_has_a_score_of_is_refused_with_what_to_ask_for(name, words):
    with pytest.raises(UsageError) as refusal:
        parse_measures([name])
    assert words in refusal.value.typed
    assert "\n" not in str(refusal.value)


def test_names_in_files_are_not_taken_in_any_case():
    """A run may be called p@10 or err@20; only what is asked for is sure to be a measure."""
    assert [is_measure(name) for name in ("mrr", "p@10", "ndcg@10")] == [False, False, False]
    assert canonical("ndcg@10") == "ndcg@10"


@pytest.mark.parametrize("name", ["5if7", "P@5if7", "P(rel=1or2)@5", "P(rel='\\d')@5"])
def test_no_name_makes_python_warn(name, tmp_path):
    code = "import sys; from biasvar_cli.measures import is_measure; sys.exit(is_measure(sys.argv[1]))"
    found = subprocess.run(
        [sys.executable, "-W", "always", "-c", code, name], cwd=tmp_path, capture_output=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.usefixtures("in_the_checkout")
def test_a_command_that_looks_at_one_measure_refuses_two_in_an_argument(biasvar, tmp_path):
    result = biasvar("plot", "plane", *SAMPLE, "-m", "AP P@5", "-o", tmp_path / "plane.json")
    assert_refused(result, 2, "--measure: expected one, found AP and P@5")
    result = biasvar("plot", "plane", *SAMPLE, "-m", "AP map", "-o", tmp_path / "plane.json")
    assert result.code == 0


MEANS = {**dict.fromkeys(("ap", "AP", "map"), 0.3), **dict.fromkeys(("my score", "My Score"), 2.375)}
MEANS |= dict.fromkeys(("NDCG@10", "ndcg_cut.10"), 0.375)


@pytest.mark.parametrize(("asked", "mean"), MEANS.items())
def test_scores_of_a_file_are_found_by_any_name_of_their_measure(decomposed, asked, mean):
    assert only(decomposed("-m", asked))["runs"][0]["mean"] == pytest.approx(mean)  # of run a


def test_several_measures_of_a_file_each_once(decomposed):
    results = json.loads(decomposed("-m", "map,nDCG@10", "-m", "ap").out)["results"]
    assert [result["measure"] for result in results] == ["ap", "nDCG@10"]


def test_an_exact_name_comes_first_and_two_that_are_alike_are_refused(decomposed):
    text = LONG.replace("my score", "Ap")
    for name, mean in (("ap", 0.3), ("Ap", 2.375)):
        found = only(decomposed("-m", name, "--allow-range", text=text))
        assert found["runs"][0]["mean"] == pytest.approx(mean)
    assert_refused(decomposed("-m", "AP", "--allow-range", text=text), 2, "the scores have ap and Ap")


def test_a_measure_that_a_file_lacks_is_bad_data_and_near_ones_are_named(decomposed):
    result = decomposed("-m", "nDCG@20 AP")
    assert_refused(result, 1, "scores.csv: has no nDCG@20; did you mean nDCG@10? it has ap, my score, nDCG@10")


def test_a_matrix_is_of_the_measure_that_is_named(decomposed):
    text = "topic,a,b\n1,0.2,0.5\n2,0.4,0.3\n"
    for typed, name in (("ndcg@10", "nDCG@10"), ("my score", "my score")):
        assert only(decomposed("-m", typed, text=text))["measure"] == name
    assert_refused(decomposed("-m", "AP nDCG@10", text=text), 1, "has no AP and no nDCG@10; it has an unknown measure")


def test_a_track_of_a_manifest_has_one_measure_by_any_name(biasvar, tmp_path):
    entry = f'[[track]]\ntrack = "s"\nruns = "{ROOT}/sample_runs"\nqrels = "{ROOT}/qrels/npl.qrels.txt"\nmeasure = '
    manifest = tmp_path / "MANIFEST.toml"
    manifest.write_text(f'{entry}"ndcg_cut.10"\n')
    assert rows_of(biasvar("tracks", manifest, "-f", "csv", "--quiet"))[0]["measure"] == "nDCG@10"
    manifest.write_text(f'{entry}"AP nDCG@10"\n')
    assert_refused(biasvar("tracks", manifest), 1, "expected the name of one measure, found 'AP nDCG@10'")


UNNAMED = {
    "topic,bm25,rm3\n301,0.5,0.25\n302,1,0\n": (),
    "run,query_id,score\nbm25,301,0.5\nbm25,302,1\n": (),
    '{"bm25": {"q1": 0.5}, "rm3": {"q1": 0.25}}': (),
    "0.5 0.25\n1 0.5\n": ("--orient", "queries"),
}


@pytest.mark.parametrize(("text", "options"), UNNAMED.items())
def test_a_label_that_is_spelled_like_a_measure_is_warned_of(biasvar, tmp_path, text, options):
    path = tmp_path / "scores"
    path.write_text(text)

    def err(name):
        result = biasvar("scores", path, "-m", name, *options)
        assert result.code == 0
        return result.err

    what = "no measure is called that, so it is a label; did you mean"
    assert err("nDGC@10") == f"biasvar: warning: -m nDGC@10: {what} nDCG@10?\n"
    assert err("nDCG_10") == f"biasvar: warning: -m nDCG_10: {what} nDCG@10?\n"
    for name in ("latency", "DCG@10", "nDCG@10", "ndcg_cut_10"):
        assert err(name) == ""


def test_a_name_that_a_file_has_is_no_label(biasvar, tmp_path):
    path = tmp_path / "bm25.csv"
    path.write_text("query_id,nDGC@10,AP\n1,.2,.3\n2,.2,.4\n")
    assert biasvar("scores", path, "-m", "nDGC@10").err == ""
