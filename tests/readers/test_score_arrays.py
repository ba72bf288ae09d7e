"""What `scores` writes is read as arrays, to what the readers of any table and any JSON read, or by these."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats import json_scores, matrix, parse_scores, tables
from biasvar_cli.readers.score_formats.json_scores import scores_json_arrays
from biasvar_cli.readers.score_formats.matrix import matrix_arrays
from biasvar_cli.readers.score_formats.tables import USUAL, ScoreOptions, long_arrays
from biasvar_cli.readers.text import NUMBER

HEADER = "run,query_id,measure,score"
PLAIN = ["bm25", "rm3", "q1", "301", "302", "é", "a b", "#1"]
MEASURES = ["AP", "map", "nDCG@10", "P_5", "mine", "ndcg_cut_10"]
SCORES = ["0.25", "0.5", ".5", "1.", "1", "0", "-0", "1e-1", "0.30000000000000004"]
ODD_CELLS = ["mean", "all", "total", "x", "2.5", "+0.5", "nan", "inf", "1e400", "-2", "map", "bm25", "301"]
ODD_CELLS += [" x", "y ", "", " 0.5", "0,5", '"0.5"']
ODD_LINES = ["", " ", "bm25,301,AP", '"bm25",301,AP,0.5', "a,b,c,0.5,d", "bm25,303,AP,0.5\r", "# a,b,c,1"]


@st.composite
def grids(draw: st.DrawFn) -> list[list[str]]:
    """The cells of a table of some runs, measures and queries, in any order; often with something odd."""
    names = [draw(st.lists(st.sampled_from(each), unique=True, min_size=1, max_size=3)) for each in (PLAIN, PLAIN)]
    measures = draw(st.lists(st.sampled_from(MEASURES), unique=True, min_size=1, max_size=2))
    score = st.sampled_from(SCORES)
    rows = [[*each, draw(score)] for each in draw(st.permutations(list(product(names[0], names[1], measures))))]
    for _ in range(draw(st.integers(0, 2))):
        rows[draw(st.integers(0, len(rows) - 1))][draw(st.integers(0, 3))] = draw(st.sampled_from(ODD_CELLS))
    return rows


def read(text: str, kind: str, *, arrays: bool, **options: Any) -> object:
    """What a text is read as, or the error; without the ``arrays`` by the readers of any file."""
    with pytest.MonkeyPatch.context() as patch:
        if not arrays:
            patch.setattr(json_scores, "scores_json_arrays", lambda *_: None)
            for module in (tables, matrix):
                patch.setattr(module, "plain_header", lambda _: [])
        try:
            file = parse_scores(text.encode(), "scores", kind, ScoreOptions(**options))  # type: ignore[arg-type]
        except DataError as error:
            return str(error)
    values = np.where(np.isnan(file.values), -9.0, file.values).tolist()
    return file.runs, file.measures, file.queries, values, file.numbered, file.oddities, file.is_run


@given(grids(), st.none() | st.sampled_from(ODD_LINES), st.booleans(), st.sampled_from([",", "\t"]), st.booleans())
def test_a_table_gives_the_same_either_way(rows, odd, end, separator, allow_range):
    lines = [HEADER, *map(",".join, rows), *([] if odd is None else [odd])]
    text = "\n".join(lines).replace(",", separator) + ("\n" if end else "")
    found = [read(text, "table", arrays=arrays, allow_range=allow_range) for arrays in (True, False)]
    assert found[0] == found[1]


@st.composite
def matrices(draw: st.DrawFn) -> list[list[str]]:
    """The cells of a matrix of some runs and queries with its header, often with something odd."""
    names = [draw(st.lists(st.sampled_from(PLAIN), unique=True, min_size=1, max_size=4)) for _ in range(2)]
    corner = draw(st.sampled_from(["AP", "topic", "run", "", "mine", "qid", "301"]))
    rows = [[corner, *names[0]], *([name, *(draw(st.sampled_from(SCORES)) for _ in names[0])] for name in names[1])]
    for _ in range(draw(st.integers(0, 2))):
        row = rows[draw(st.integers(0, len(rows) - 1))]
        odd = [*ODD_CELLS, "num_rel", "docno", "score", "q1", "std", "topic", "P_5", "mine"]
        row[draw(st.integers(0, len(row) - 1))] = draw(st.sampled_from(odd))
    return rows


@given(
    matrices(),
    st.none() | st.sampled_from(["", " ", "301,0.5", "303,0.5,0.25,1,0.5,0.5", "# by hand", '"303",0.5']),
    st.sampled_from([",", "\t"]),
    st.sampled_from([(), ("AP",), ("mine",), ("bm25", "AP")]),
    st.sampled_from([None, "queries", "runs"]),
    st.booleans(),
)
def test_a_matrix_gives_the_same_either_way(rows, odd, separator, measures, orient, allow_range):
    lines = [*map(",".join, rows), *([] if odd is None else [odd])]
    text = "\n".join(lines).replace(",", separator) + "\n"
    options = {"measures": measures, "orient": orient, "allow_range": allow_range}
    assert read(text, "table", arrays=True, **options) == read(text, "table", arrays=False, **options)


@given(grids(), st.sampled_from(["run,topic,score,measure", "name,qid,value,metric", "system,query,score,rank"]))
def test_a_long_table_of_any_names_gives_the_same_either_way(rows, header):
    text = "\n".join([header, *(",".join([row[0], row[1], row[3], row[2]]) for row in rows)])
    assert read(text, "table", arrays=True) == read(text, "table", arrays=False)


@given(grids(), st.none() | st.sampled_from([None, "0.5", True, 2, float("nan"), []]), st.booleans())
def test_our_json_gives_the_same_either_way(rows, odd, allow_range):
    held: dict[Any, dict[str, dict[str, Any]]] = {}
    for run, query, measure, score in rows:
        by_run = held.setdefault(measure if measure != "mine" else None, {})
        by_run.setdefault(run, {})[query] = float(score) if NUMBER.fullmatch(score) else odd
    results = [
        {
            "measure": measure,
            "queries": list(next(iter(by_run.values()))),
            "runs": [{"run": run, "scores": list(scores.values())} for run, scores in by_run.items()],
        }
        for measure, by_run in held.items()
    ]
    text = json.dumps({"version": "1.0", "results": results}, indent=1)
    found = [read(text, "json", arrays=arrays, allow_range=allow_range) for arrays in (True, False)]
    assert found[0] == found[1]


def test_the_files_of_scores_are_read_as_arrays(biasvar, tmp_path):
    source = tmp_path / "ap.csv"
    source.write_text("AP,bm25,rm3\n301,0.1,0.2\n302,0.30000000000000004,0\n")
    for suffix, arrays in (("csv", long_arrays), ("tsv", long_arrays), ("json", scores_json_arrays)):
        path = tmp_path / f"scores.{suffix}"
        assert biasvar("scores", source, "-o", path).code == 0
        found = arrays(path.read_bytes(), "scores", USUAL)
        assert found is not None
        assert (found.runs, found.queries) == (("bm25", "rm3"), ("301", "302"))
        assert found.values.tolist() == [[[0.1, 0.30000000000000004]], [[0.2, 0.0]]]
    assert matrix_arrays(source.read_bytes(), "ap.csv", USUAL) is not None


def test_a_key_twice_or_another_form_is_left_to_the_other_readers():
    run = '{"run": "a", "scores": [0.5]}'
    for text in (
        f'{{"results": [{{"measure": "AP", "queries": ["1"], "queries": ["2"], "runs": [{run}]}}]}}',
        '{"results": [{"measure": "AP", "queries": ["1"]}]}',
        '{"results": {"a": 1}}',
        '{"results": []}',
        '{"results": [{"measure": ["AP"], "queries": ["1"], "runs": [' + run + "]}]}",
        '{"results": [{"measure": "AP", "queries": [1], "runs": [' + run + "]}]}",
        '{"results": [',
        '{"301": {"results": 0.5}}',
    ):
        assert scores_json_arrays(text.encode(), "scores", USUAL) is None


def test_a_table_of_few_values_among_many_names_is_left_to_the_other_readers():
    lines = "".join(f"r{number},{number},AP,0.5\n" for number in range(10))
    assert long_arrays(f"{HEADER}\n{lines}".encode(), "scores", USUAL) is None
