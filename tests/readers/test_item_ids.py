"""The names of columns of items, such as question_id: ids of queries, in a table that has no other ones."""

from __future__ import annotations

import pytest
from conftest import rows_of

NAMES = ("question_id", "sample_id", "item_id", "example_id", "doc_id", "idx", "id")


@pytest.fixture
def scores(biasvar, tmp_path):
    def call(text, *options):
        (tmp_path / "t.csv").write_text(text)
        return biasvar("scores", tmp_path / "t.csv", "-f", "csv", *options)

    return call


def found(result):
    assert result.code == 0, result.err
    return {(row["run"], row["query_id"]): float(row["score"]) for row in rows_of(result)}


@pytest.mark.parametrize("name", [*NAMES, "Sample ID", "ID"])
def test_an_item_is_a_query(scores, name):
    long, matrix = f"model,{name},score\nA,1,0.5\nA,2,1\nB,1,0\nB,2,0.25\n", f"{name},A,B\n1,0.5,0\n2,1,0.25\n"
    wide = f"model,{name},judge,latency\nA,1,0.5,2\nA,2,1,3\nB,1,0,4\nB,2,0.25,5\n"
    expected = {("A", "1"): 0.5, ("A", "2"): 1.0, ("B", "1"): 0.0, ("B", "2"): 0.25}
    assert found(scores(long)) == expected
    assert found(scores(matrix)) == expected
    assert found(scores(wide, "-m", "judge")) == expected


def test_a_column_named_as_queries_are_comes_first(scores):
    assert found(scores("id,query_id,model,score\n7,301,A,0.5\n8,302,A,1\n")) == {("A", "301"): 0.5, ("A", "302"): 1.0}
    assert found(scores("id,question_id,model,score\n7,301,A,0.5\n8,302,A,1\n")) == {
        ("A", "301"): 0.5,
        ("A", "302"): 1.0,
    }


@pytest.mark.parametrize("name", NAMES)
def test_an_item_beside_topics_is_no_run(scores, name):
    result = scores(f"topic,{name},A\n301,7,0.5\n302,8,1\n")
    assert (result.code, result.out) == (1, "")


@pytest.mark.parametrize(("name", "others"), [("id", "A,B"), ("doc_id", "score"), ("idx", "f1,accuracy")])
def test_an_item_given_twice_is_refused_as_a_query(scores, name, others):
    row = ",".join(["0.5"] * len(others.split(",")))
    result = scores(f"{name},{others}\n1,{row}\n2,{row}\n1,{row}\n")
    assert (result.code, result.out) == (1, "")
    assert "t.csv:4: " in result.err
    assert "is given twice, first in line 2; keep one, or add a column called run" in result.err
    assert "two rows" not in result.err
