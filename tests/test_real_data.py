"""Real runs and scores: the numbers of numpy and scipy alone, of the official leaderboard, and of other programs."""

from __future__ import annotations

import csv
import gzip
import json

import by_scipy
import numpy as np
import pytest
import pytrec_eval
from conftest import REAL_MATRICES, only, real_matrix

from biasvar_cli.measures import parse_measures
from biasvar_cli.readers.qrels import read_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.readers.sources import read_bytes
from biasvar_cli.scoring.evaluator import Evaluator


def three(correlations: dict) -> tuple[float, float, float]:
    return tuple(correlations[name] for name in ("pearson", "spearman", "kendall"))


@pytest.mark.parametrize("name", REAL_MATRICES)
def test_decompositions_of_the_score_matrices(biasvar, shared, name):
    values = real_matrix(shared, name).values
    columns, of = by_scipy.errors(values), by_scipy.tradeoffs(values)
    path = shared / "score-matrices" / f"{name}.csv"
    found = only(biasvar("decompose", path, "-f", "json", "--sort", "total", "--no-null"))
    assert (found["n_runs"], found["n_queries"]) == values.shape
    assert found["target"]["mean"] == pytest.approx(values.max(axis=0).mean(), abs=1e-12)
    by_total = np.argsort(columns["total"], kind="stable")
    for key, expected in columns.items():
        assert [row[key] for row in found["runs"]] == pytest.approx(expected[by_total], abs=1e-12), key
    assert three(found["tradeoff"]["score"]) == pytest.approx(of["(a)"], abs=1e-9)
    assert three(found["tradeoff"]["gap"]) == pytest.approx(of["gap"], abs=1e-9)


def test_32_bit_scores_are_those_of_the_leaderboard_and_64_bit_ones_are_not(biasvar, shared):
    folder = shared / "covid-round1"
    words = ("decompose", folder / "runs" / "BERT.gz", "-q", folder / "qrels.txt", "-f", "json", "--tie-precision")
    for precision, expected in (("single", "0.0653"), ("double", "0.0652")):
        (row,) = only(biasvar(*words, precision))["runs"]
        assert f"{row['mean']:.4f}" == expected


def test_a_matrix_either_way_round_is_the_same_matrix(biasvar, shared, tmp_path):
    path = shared / "score-matrices" / "terabyte06-ap-named.csv"
    with path.open() as file:
        rows = list(csv.reader(file))
    with (tmp_path / path.name).open("w", newline="") as file:
        csv.writer(file).writerows(np.array(rows).T.tolist())
    turned = only(biasvar("decompose", tmp_path / path.name, "-f", "json", "--orient", "queries"))
    assert turned == only(biasvar("decompose", path, "-f", "json"))


def test_every_covid_run_scores_as_trec_eval_and_the_leaderboard_have_it_and_the_correlations_follow(biasvar, shared):
    folder = shared / "covid-round1"
    names = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@5": "P_5", "RR": "recip_rank"}
    names |= {"Bpref": "bpref", "Rprec": "Rprec"}
    qrels = read_qrels(str(folder / "qrels.txt"))
    evaluator = Evaluator(qrels, parse_measures(list(names)))
    with (folder / "qrels.txt").open() as file:
        theirs = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(names.values()))
    tables = []
    for path in sorted((folder / "runs").iterdir()):
        with gzip.open(path, "rt") as file:
            expected = theirs.evaluate(pytrec_eval.parse_run(file))
        values = evaluator.evaluate(parse_run(read_bytes(str(path)), path.name)).values
        table = [[expected[query][name] for query in evaluator.queries] for name in names.values()]
        assert values == pytest.approx(np.array(table), abs=1e-12), path.name
        tables.append(table)
    arguments = ("decompose", folder / "runs", "-q", folder / "qrels.txt", "-m", "AP", "-m", "nDCG@10", "-f", "json")
    results = json.loads(biasvar(*arguments, "--no-null").out)["results"]
    with (folder / "leaderboard.csv").open() as file:
        board = {row["run"]: row for row in csv.DictReader(file)}
    by_measure = np.moveaxis(np.array(tables), 1, 0)[:2]
    for found, scores, column in zip(results, by_measure, ("MAP", "ndcg@10"), strict=True):
        assert (found["n_runs"], found["n_queries"]) == (143, 30)
        for row in found["runs"]:
            assert f"{row['mean']:.4f}" == f"{float(board[row['run']][column]):.4f}", row["run"]
        expected = by_scipy.tradeoffs(scores)
        assert three(found["tradeoff"]["score"]) == pytest.approx(expected["(a)"], abs=1e-9)
        assert three(found["tradeoff"]["gap"]) == pytest.approx(expected["gap"], abs=1e-9)
