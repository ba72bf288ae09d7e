"""Regression on real runs and scores (METHODS G); the expected numbers come from an independent implementation."""

from __future__ import annotations

import csv
import gzip
import json

import numpy as np
import pytest
import pytrec_eval
from conftest import only

from biasvar_cli.measures import parse_measures
from biasvar_cli.readers.qrels import read_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.scoring.evaluator import Evaluator

MATRICES = {  # file: runs, queries, target mean, (a) Pearson, Spearman, Kendall, then the gap form
    "trec3-adhoc-ap": (40, 50, 0.498188, (-0.864039, -0.753283, -0.589744), (0.871316, 0.817824, 0.638462)),
    "trec5-adhoc-ap": (61, 50, 0.444868, (-0.879227, -0.800106, -0.625137), (0.731351, 0.721470, 0.535519)),
    "trec6-adhoc-ap": (74, 50, 0.558600, (-0.913892, -0.883480, -0.714920), (0.629096, 0.613003, 0.452055)),
    "web2010-err20": (88, 48, 0.333195, (-0.779123, -0.719305, -0.544788), (0.271331, 0.314546, 0.214248)),
    "web2011-err20": (62, 50, 0.268798, (-0.768715, -0.732037, -0.551669), (0.785587, 0.683280, 0.548490)),
    "terabyte06-ap-named": (61, 149, None, (-0.954254, -0.817821, -0.649180), None),
}
LEAST_TOTAL = {  # file: run, mean, bias2, var, total, var_gap
    "trec5-adhoc-ap": ("run26", 0.316530, 0.016471, 0.052256, 0.068727, 0.017638),
    "trec6-adhoc-ap": ("run70", 0.463054, 0.009129, 0.057977, 0.067106, 0.011333),
    "web2011-err20": ("sys55", 0.148055, 0.014579, 0.017778, 0.032357, 0.020303),
    "terabyte06-ap-named": ("indri06AtdnD", 0.406546, 0.007978, 0.038136, 0.046114, 0.006004),
}


def three(correlations: dict) -> tuple[float, float, float]:
    return tuple(correlations[name] for name in ("pearson", "spearman", "kendall"))


@pytest.mark.parametrize("name", MATRICES)
def test_correlations_of_the_score_matrices(biasvar, shared, name):
    n_runs, n_queries, mean, score, gap = MATRICES[name]
    found = only(biasvar("decompose", shared / "score-matrices" / f"{name}.csv", "-f", "json"))
    assert (found["n_runs"], found["n_queries"]) == (n_runs, n_queries)
    assert three(found["tradeoff"]["score"]) == pytest.approx(score, abs=5.1e-7)
    if gap is not None:
        assert found["target"]["mean"] == pytest.approx(mean, abs=5.1e-7)
        assert three(found["tradeoff"]["gap"]) == pytest.approx(gap, abs=5.1e-7)


@pytest.mark.parametrize("name", LEAST_TOTAL)
def test_runs_of_least_total_error(biasvar, shared, name):
    found = only(biasvar("decompose", shared / "score-matrices" / f"{name}.csv", "-f", "json", "--sort", "total"))
    first = found["runs"][0]
    run, *expected = LEAST_TOTAL[name]
    assert first["run"] == run
    keys = ("mean", "bias2", "var", "total", "var_gap")
    assert [first[key] for key in keys] == pytest.approx(expected, abs=5.1e-7)


def test_covid_round_1_equals_the_official_leaderboard(biasvar, shared):
    folder = shared / "covid-round1"
    with (folder / "leaderboard.csv").open() as file:
        board = {row["run"]: row for row in csv.DictReader(file)}
    result = biasvar(
        "decompose", folder / "runs", "-q", folder / "qrels.txt", "-m", "AP", "-m", "nDCG@10", "-f", "json"
    )
    assert result.code == 0
    ap, ndcg = json.loads(result.out)["results"]
    assert (ap["n_runs"], ap["n_queries"]) == (143, 30)
    for found, column in ((ap, "MAP"), (ndcg, "ndcg@10")):
        for row in found["runs"]:
            assert f"{row['mean']:.4f}" == f"{float(board[row['run']][column]):.4f}", row["run"]
    assert three(ap["tradeoff"]["score"])[:2] == pytest.approx((-0.843926, -0.803360), abs=5.1e-7)
    assert three(ndcg["tradeoff"]["score"])[:2] == pytest.approx((-0.827273, -0.630322), abs=5.1e-7)


def test_32_bit_scores_are_those_of_the_leaderboard_and_64_bit_ones_are_not(biasvar, shared):
    folder = shared / "covid-round1"
    means = {
        precision: only(
            biasvar(
                "decompose", folder / "runs" / "BERT.gz", "-q", folder / "qrels.txt", "-f", "json",
                "--tie-precision", precision,
            )
        )["runs"][0]["mean"]
        for precision in ("single", "double")
    }  # fmt: skip
    assert {precision: f"{mean:.4f}" for precision, mean in means.items()} == {"single": "0.0653", "double": "0.0652"}


def test_a_matrix_either_way_round_is_the_same_matrix(biasvar, shared, tmp_path):
    path = shared / "score-matrices" / "terabyte06-ap-named.csv"
    with path.open() as file:
        rows = list(csv.reader(file))
    with (tmp_path / path.name).open("w", newline="") as file:
        csv.writer(file).writerows(np.array(rows).T.tolist())
    turned = only(biasvar("decompose", tmp_path / path.name, "-f", "json", "--orient", "queries"))
    assert turned == only(biasvar("decompose", path, "-f", "json"))


def test_scores_written_and_read_again_give_the_same_table(biasvar, shared, tmp_path):
    folder = shared / "web2012-indri"
    direct = only(biasvar("decompose", folder / "runs", "-q", folder / "qrels.txt", "-m", "ERR@20", "-f", "json"))
    for form in ("csv", "tsv", "json", "matrix"):
        kept = tmp_path / f"scores.{form}"
        written = biasvar(
            "scores", folder / "runs", "-q", folder / "qrels.txt", "-m", "ERR@20", "-f", form, "-o", kept, "--quiet"
        )
        assert written == (0, "", "")
        assert only(biasvar("decompose", kept, "-f", "json")) == direct, form


def test_a_run_is_the_same_whatever_its_compression(biasvar, shared, tmp_path):
    folder = shared / "web2012-indri"
    plain = tmp_path / "ql-catb.run"
    plain.write_bytes(gzip.decompress((folder / "runs" / "ql-catb.run.gz").read_bytes()))
    arguments = ("-q", folder / "qrels.txt", "-f", "csv")
    assert biasvar("decompose", plain, *arguments) == biasvar(
        "decompose", folder / "runs" / "ql-catb.run.gz", *arguments
    )


def test_every_covid_run_scores_as_trec_eval_scores_it(shared):
    folder = shared / "covid-round1"
    names = {
        "AP": "map",
        "nDCG@10": "ndcg_cut_10",
        "P@5": "P_5",
        "Bpref": "bpref",
        "RR": "recip_rank",
        "Rprec": "Rprec",
    }
    qrels = read_qrels(str(folder / "qrels.txt"))
    evaluator = Evaluator(qrels, parse_measures(list(names)))
    with (folder / "qrels.txt").open() as file:
        theirs = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(names.values()))
    for path in sorted((folder / "runs").iterdir()):
        with gzip.open(path, "rt") as file:
            expected = theirs.evaluate(pytrec_eval.parse_run(file))
        values = evaluator.evaluate(parse_run(read_bytes(str(path)), path.name)).values
        table = [[expected[query][name] for query in evaluator.queries] for name in names.values()]
        assert values == pytest.approx(np.array(table), abs=1e-12), path.name
