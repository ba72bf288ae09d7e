"""Tables made from one matrix by the many ways in which people and programs write them: the same numbers, or an error.

Expected values are the matrix itself; a summary is computed by the standard library.
"""

from __future__ import annotations

import csv
import io
import json
import math
import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import assert_refused
from hypothesis import assume, given
from hypothesis import strategies as st
from mutations import examples
from test_score_files import error, read

from biasvar_cli.errors import DataError
from biasvar_cli.readers.score_formats import parse_scores
from biasvar_cli.readers.score_formats.nested import UnclearKeys, levels_of
from biasvar_cli.readers.score_formats.records import ScoreFile

Matrix = dict[str, dict[str, str]]  # run, query, and the value as it is printed
Rows = list[list[str]]
FEW = examples(20)

RUNS = ("bm25", "rm3", "1", "sab20.1.blind", "ql", "Über", "a,b", "p;q", "uogTr", "12b")
NAME_ALL = "as in the header, found {}: name every column"
DECIMAL = "; if the numbers have decimal commas, write points, or separate the cells by ;"
PERCENT = "from 0 to 1; divide percentages by 100"
COUNTS = ("num_rel", "num_q", "num_rel_ret", "NumRet", "year", "query", "qid", "Topic ID", "model", "tag")
SUMMARIES: dict[str, Callable[[Sequence[float]], float]] = {
    **dict.fromkeys(("mean", "Average", "AVG", "MAP", "amean", "ALL"), statistics.fmean),
    **dict.fromkeys(("All", "sum", "Total"), math.fsum),
    "median": statistics.median,
    "std": statistics.pstdev,
    "SD": lambda values: statistics.stdev(values) if len(values) > 1 else 0.0,
    "variance": statistics.pvariance,
    "min": min,
    "Max": max,
    "gm_map": lambda values: statistics.geometric_mean(max(value, 1e-5) for value in values),
    "25%": lambda values: statistics.quantiles(values, n=4, method="inclusive")[0] if len(values) > 1 else values[0],
    "count": len,
}


@st.composite
def matrices(draw: st.DrawFn, least: int = 1) -> Matrix:
    """Two runs or more on two queries or more, from 0 to 1, some with a fraction, as printed with 1 to 5 digits."""
    runs = draw(st.lists(st.sampled_from(RUNS), min_size=2, max_size=4, unique=True))
    queries = draw(st.lists(st.integers(1, 999).map(str), min_size=2, max_size=4, unique=True))
    digits = draw(st.integers(1, 5))
    scores = st.integers(0, 10**digits).map(lambda number: f"{number / 10**digits:.{digits}f}")
    matrix = {run: {query: draw(scores) for query in queries} for run in runs}
    assume(any(0 < float(value) < 1 for row in matrix.values() for value in row.values()))
    return matrix


def held(file: ScoreFile, measure: str | None = None) -> dict[str, dict[str, float]]:
    """What was read under one measure, as a matrix."""
    values = file.values[:, file.measures.index(measure) if measure else 0]
    return {
        run: {query: float(value) for query, value in zip(file.queries, row, strict=True) if not math.isnan(value)}
        for run, row in zip(file.runs, values, strict=True)
    }


def numbers(matrix: Matrix) -> dict[str, dict[str, float]]:
    return {run: {query: float(value) for query, value in row.items()} for run, row in matrix.items()}


def read_or_none(text: str, **options: Any) -> dict[str, dict[str, float]] | None:
    try:
        return held(read(text, **options))
    except DataError:
        return None


def rows_of(matrix: Matrix, corner: str = "topic") -> Rows:
    """A row for each query, with a header."""
    runs = list(matrix)
    queries = list(matrix[runs[0]])
    return [[corner, *runs], *([query, *(matrix[run][query] for run in runs)] for query in queries)]


def transposed(rows: Rows) -> Rows:
    return [list(column) for column in zip(*rows, strict=True)]


def moved(rows: Rows, column: int, place: int) -> Rows:
    """The rows with a column taken out and put in elsewhere."""
    columns = transposed(rows)
    columns.insert(place, columns.pop(column))
    return transposed(columns)


def text_of(rows: Rows, delimiter: str = ",", **options: Any) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n", **options).writerows(rows)
    return out.getvalue()


def numbered(rows: Rows, name: str, start: int) -> Rows:
    """The rows with a first column of row numbers."""
    return [[name, *rows[0]], *([str(number), *row] for number, row in enumerate(rows[1:], start))]


def quoted_as_r(rows: Rows, delimiter: str = ",", decimal: str = ".") -> str:
    """As R writes a data frame: names and row names in quotes, numbers bare."""
    lines = []
    for place, row in enumerate(rows):
        cells = [f'"{cell}"' if place == 0 or at == 0 else cell.replace(".", decimal) for at, cell in enumerate(row)]
        lines.append(delimiter.join(cells) + "\n")
    return "".join(lines)


# ---- ids


@FEW
@given(matrices(), st.sampled_from(["topic", "query_id", "QID", "Query", "topic_id"]), st.data())
def test_the_ids_are_found_by_their_name_wherever_they_are(matrix: Matrix, name: str, data: st.DataObject) -> None:
    rows = moved(rows_of(matrix, name), 0, data.draw(st.integers(0, len(matrix))))
    for delimiter in ",\t;":
        assume(not (delimiter == ";" and any("," in cell for cell in rows[0])))
        file = read(text_of(rows, delimiter, quoting=csv.QUOTE_NONNUMERIC))
        assert (held(file), file.oddities) == (numbers(matrix), ())


@FEW
@given(matrices(), st.sampled_from([("", 0), ("", 1), ("Unnamed: 0", 0), ("index", 0), ("...1", 1), ("row.names", 1)]))
def test_row_numbers_before_the_ids_are_left_out_and_that_is_said(matrix: Matrix, index: tuple[str, int]) -> None:
    file = read(text_of(numbered(rows_of(matrix), *index)))
    assert held(file) == numbers(matrix)
    assert [odd.what for odd in file.oddities] == ["columns that hold no scores left out"]
    assert file.oddities[0].extent == f"column 1, {index[0] or 'without a name'}"


@FEW
@given(matrices())
def test_what_r_writes_is_read(matrix: Matrix) -> None:
    assume(not any('"' in run or "," in run or ";" in run for run in matrix))
    rows = rows_of(matrix)
    with_numbers = numbered(rows, "", 1)
    assert held(read(quoted_as_r(with_numbers))) == numbers(matrix)  # write.csv
    assert held(read(quoted_as_r(with_numbers, ";", ","))) == numbers(matrix)  # write.csv2
    short = [with_numbers[0][1:], *with_numbers[1:]]
    assert held(read(quoted_as_r(short, "\t"))) == numbers(matrix)  # write.table(sep = "\t")
    assert held(read(quoted_as_r(short))) == numbers(matrix)  # write.table(sep = ",")


@pytest.mark.parametrize("index", [True, False])
def test_what_pandas_writes_is_read(index: bool) -> None:
    pandas = pytest.importorskip("pandas")
    matrix = {"bm25": {"301": 0.25, "302": 0.1}, "rm3": {"301": 0.5, "302": 0.3}}
    frame = pandas.DataFrame(matrix).rename_axis("topic")
    plain = frame.reset_index()
    long = plain.melt("topic", var_name="name", value_name="value")
    described = pandas.concat([frame, frame.describe()]).rename_axis("topic")
    for text in (
        *(table.to_csv() for table in (frame, frame.rename_axis(None), described)),
        *(table.to_csv(index=index) for table in (plain, long)),
        plain.to_csv(index=index, sep=";", decimal=","),
        *(table.to_json(orient=orient) for orient in ("split", "table", "columns") for table in (long, plain, frame)),
        *(table.to_json(orient=orient) for orient in ("records", "index") for table in (long, plain)),
        long.to_json(orient="records", lines=True),
    ):
        assert held(read(text)) == matrix
    assert held(read(frame.T.rename_axis("run").to_csv(), orient="runs")) == matrix
    assert read_or_none(long.to_json(orient="values")) is None
    assert read_or_none(frame.to_json(orient="index")) is None  # {query: {run: score}}


@FEW
@given(matrices(), st.sampled_from(COUNTS), st.data())
def test_a_count_or_a_second_id_column_is_never_a_run(matrix: Matrix, name: str, data: st.DataObject) -> None:
    rows = rows_of(matrix)
    added = data.draw(st.lists(st.integers(0, 3000).map(str), min_size=len(rows) - 1, max_size=len(rows) - 1))
    with_count = [[*row, cell] for row, cell in zip(rows, [name, *added], strict=True)]
    place = data.draw(st.integers(0, len(matrix) + 1))
    text = text_of(moved(with_count, len(matrix) + 1, place))
    assert read_or_none(text) is None
    if name not in ("model", "tag"):  # the numbers of such a column may be names of runs
        file = read(text, id_column="topic")
        assert held(file) == numbers(matrix)
        assert [odd.extent for odd in file.oddities] == [f"column {place + 1}, {name}"]


@FEW
@given(matrices(), st.sampled_from(["length", "edition", "judged"]), st.data())
def test_whole_numbers_among_scores_are_no_run_whatever_they_are_called(
    matrix: Matrix, name: str, data: st.DataObject
) -> None:
    rows = rows_of(matrix)
    added = [name, *(str(data.draw(st.integers(2, 3000))) for _ in rows[1:])]
    place = data.draw(st.integers(1, len(matrix) + 1))
    text = text_of(moved([[*row, cell] for row, cell in zip(rows, added, strict=True)], len(matrix) + 1, place))
    assume(all(any(0 < float(value) < 1 for value in row.values()) for row in matrix.values()))
    assert f"f:1: column {name} has whole numbers above 1" in error(text)
    assert read_or_none(text, measure="AP") is None
    assert set(held(read(text, allow_range=True))) == {*matrix, name}


def test_the_errors_of_columns_say_how_to_name_the_ids() -> None:
    assert error("year,topic,bm25\n2010,301,0.25\n2010,302,0.5\n") == (
        "f:1: column year is named like ids or a count, not like a run; --id-column topic, the column of ids, leaves "
        "it out; rename it if it is a run"
    )
    assert error("qid,query,bm25\n301,cats,0.25\n302,dogs,0.5\n") == (
        "f:1: columns qid and query could both have the ids; say which does with --id-column qid, and the other is "
        "left out"
    )
    assert error("edition,bm25\n2010,0.25\n2010,0.5\n") == (
        "f:1: column edition has whole numbers above 1, all others have scores from 0 to 1; give --id-column edition "
        "if it has ids, leave it out if it has counts; --allow-range reads the values as they are"
    )
    assert error("AP,301,302\nbm25,0.5,0.25\nnum_rel,12,9\n") == (
        "f:3: row num_rel is named like ids or a count, not like a run or a query; leave it out, or rename it"
    )


def test_words_beside_the_ids_are_left_out_once_the_ids_are_named() -> None:
    text = "topic,title,bm25,\n301,cats,0.25,x\n302,dogs,0.5,y\n"
    assert held(read(text, id_column="topic")) == {"bm25": {"301": 0.25, "302": 0.5}}
    assert error(text.replace(",\n", ",note\n")) == (
        "f:1: column title has no numbers, but text such as cats; if bm25 is a measure, choose it with -m bm25; "
        "--id-column topic leaves columns of words out"
    )


def test_a_run_that_is_called_as_ids_are_is_read_once_the_ids_are_named() -> None:
    text = "topic,model,bm25\n301,0.25,0.5\n302,0.5,0.75\n"
    assert "give --id-column topic" in error(text)
    expected = {"model": {"301": 0.25, "302": 0.5}, "bm25": {"301": 0.5, "302": 0.75}}
    assert held(read(text, id_column="topic")) == expected


# ---- either way round


@FEW
@given(matrices(), st.sampled_from(["run", "system", "name", "AP", "model", "run_name"]))
def test_a_transposed_matrix_is_read_the_same_or_refused(matrix: Matrix, corner: str) -> None:
    rows = transposed(rows_of(matrix, corner))
    names_say_nothing = all(run.isdigit() for run in matrix)
    assert read_or_none(text_of(rows)) in (numbers(matrix), *([None] if names_say_nothing else []))
    assert held(read(text_of(rows), orient="runs")) == numbers(matrix)


# ---- summaries


@FEW
@given(
    matrices(), st.sampled_from(sorted(SUMMARIES)), st.sampled_from(["row", "column", "both"]), st.booleans(), st.data()
)
def test_a_summary_is_left_out_if_it_is_one_and_refused_otherwise(
    matrix: Matrix, name: str, where: str, by_run: bool, data: st.DataObject
) -> None:
    rows, digits = rows_of(matrix, "run" if by_run else "topic"), data.draw(st.integers(2, 6))

    def summed(cells: Sequence[str]) -> str:
        return f"{SUMMARIES[name]([float(cell) for cell in cells]):.{digits}f}"

    if by_run:
        assume(not all(run.isdigit() for run in matrix))
        rows = transposed(rows)
    body = rows[1:]
    below = [name, *(summed(column) for column in transposed(body)[1:])]
    across = [name, *(summed(row[1:]) for row in body)]
    if where != "row":
        rows = [[*row, cell] for row, cell in zip(rows, across, strict=True)]
    if where != "column":
        rows = [*rows, [*below, *(["0.123"] if where == "both" else [])]]
    file = read(text_of(rows))
    assert held(file) == numbers(matrix)
    assert [odd.what for odd in file.oddities] == ["summaries left out"]
    at_row, at_column = (len(rows) - 1, 1) if where != "column" else (1, len(rows[0]) - 1)
    wrong = [list(row) for row in rows]
    wrong[at_row][at_column] = "0.9876543" if float(rows[at_row][at_column]) < 0.5 else "-0.2"
    assert read_or_none(text_of(wrong)) is None


@FEW
@given(matrices(), st.sampled_from(["mean", "ALL", "average", "Median", "Total"]), st.sampled_from(["run", "query"]))
def test_summaries_in_long_tables_are_left_out_or_refused(matrix: Matrix, name: str, of: str) -> None:
    rows = [[run, query, value] for run, row in matrix.items() for query, value in row.items()]
    key, other = (0, 1) if of == "query" else (1, 0)
    statistic = statistics.median if name == "Median" else math.fsum if name == "Total" else statistics.fmean
    for label in dict.fromkeys(row[key] for row in rows):
        value = f"{statistic([float(row[2]) for row in rows if row[key] == label and row[other] != name]):.6f}"
        added = ["", "", value]
        added[key], added[other] = label, name
        rows.append(added)
    header = ["run", "query_id", "score"]
    file = read(text_of([header, *rows]))
    assert held(file) == numbers(matrix)
    assert file.oddities[0].extent == f"{name} over the {'queries' if of == 'query' else 'runs'}"
    rows[-1][2] = "7.5"
    assert read_or_none(text_of([header, *rows])) is None


def test_a_summary_over_the_topics_that_trec_eval_printed_no_row_for_is_one_and_says_so() -> None:
    text = "query,measure,value\n301,map,1.0\n302,map,0.5\nall,num_q,5\nall,map,0.3\n"
    assert [odd.what for odd in read(text).oddities] == [
        "the `all` rows count topics that have no row, as trec_eval 9 does with -c",
        "summaries left out",
    ]


def test_the_only_run_of_a_table_cannot_be_a_summary_but_that_of_a_file_may_be_called_so() -> None:
    assert error("topic,mean\n301,0.25\n302,0.5\n") == (
        "f: the only run is called mean, like a summary of runs; give it another name, or add the runs"
    )
    data = b"query_id,score\n301,0.25\n"
    assert parse_scores(data, "mean", "table").runs == ("mean",)


def test_a_run_that_is_called_total_is_to_be_renamed() -> None:
    assert error("topic,bm25,total\n301,0.5,0.25\n") == (
        "f:2: the score of total on query 301 is 0.25, but the mean or sum of the others is 0.5: leave out total if it "
        "is a summary, or rename it if it is a run"
    )


# ---- decimal commas


@FEW
@given(matrices(), st.sampled_from(["AP", "topic", "nr"]), st.booleans())
def test_decimal_commas_between_commas_are_never_read(matrix: Matrix, corner: str, with_ids: bool) -> None:
    rows = rows_of(matrix, corner)
    rows = rows if with_ids else [row[1:] for row in rows]
    lines = [rows[0], *([cell.replace(".", ",") for cell in row] for row in rows[1:])]
    bare = "".join(",".join(line) + "\n" for line in lines)
    assume(bare.count(",") > text_of(rows).count(","))
    assert read_or_none(bare) is None
    assert read_or_none(bare, measure="AP") is None
    assert read_or_none(text_of(lines)) is None  # in quotes


@FEW
@given(matrices(), st.sampled_from(["", "sep=;\n", '"sep=;"\n']), st.sampled_from(["AP", "topic", ""]), st.booleans())
def test_semicolons_are_read_with_decimal_commas_and_with_points(
    matrix: Matrix, hint: str, corner: str, bom: bool
) -> None:
    assume(not any("," in run for run in matrix))
    rows = rows_of(matrix, corner)
    commas = [rows[0], *([row[0], *(cell.replace(".", ",") for cell in row[1:])] for row in rows[1:])]
    for written in (rows, commas):
        assert held(read(hint + text_of(written, ";"))) == numbers(matrix)
        assert held(read(hint + text_of(written, ";", quoting=csv.QUOTE_ALL))) == numbers(matrix)


BAD_ROWS = {
    "AP,bm25\n301,0,25\n302,0,5\n": f":2: expected 2 columns, {NAME_ALL.format(3)}{DECIMAL}",
    "topic,a,b\n301,0,25,1\n302,0,1,5\n": f":2: expected 3 columns, {NAME_ALL.format(4)}{DECIMAL}",
    "AP,bm25,rm3\n301,0.2,0.3,0.25\n": f":2: expected 3 columns, {NAME_ALL.format(4)}",
    "bm25,rm3\n301,0.2,0.3\n301,0.2,0.3\n": f":2: expected 2 columns, {NAME_ALL.format(3)}",
    "AP;bm25\n1;0,25\n2;0.5\n": ":3: 0.5 in line 3 has a decimal point, 0,25 in line 2 a decimal comma; use one",
    "AP;bm25\n1;0.5\n2;0,25\n": ":3: 0.5 in line 2 has a decimal point, 0,25 in line 3 a decimal comma; use one",
    'AP,bm25\n301,"0,25"\n': ":2: column bm25: 0,25 has a decimal comma; write 0.25",
}


@pytest.mark.parametrize(("text", "message"), BAD_ROWS.items())
def test_rows_longer_than_the_header_and_decimal_commas_are_refused(text: str, message: str) -> None:
    assert error(text) == f"f{message}"


# ---- ranges


@FEW
@given(matrices(), st.sampled_from(["AP", "ndcg_cut_20", "P@10", "RR", "NDCG@20", "err@20", "Rprec", "RBP(p=0.8)"]))
def test_percentages_are_refused_and_read_where_they_are_allowed(matrix: Matrix, measure: str) -> None:
    percent = {run: {query: f"{100 * float(value):.3f}" for query, value in row.items()} for run, row in matrix.items()}
    assume(any(float(value) > 1 for row in percent.values() for value in row.values()))
    text = text_of(rows_of(percent))
    assert f" is {PERCENT}; --allow-range reads the values as they are" in error(text, measure=measure)
    assert held(read(text, measure=measure, allow_range=True)) == numbers(percent)


OUT_OF_RANGE = {
    "AP,bm25,rm3\n301,0.25,0.5\n302,30.0,20.5\n": f":3: AP of bm25 on query 302 is 30, but AP is {PERCENT}",
    "AP,bm25,rm3\n301,0.25,-0.5\n": ":2: AP of rm3 on query 301 is -0.5, but AP is from 0 to 1",
    "run,query,measure,score\na,1,num_rel,-3\n": ":2: NumRel of a on query 1 is -3, but NumRel is at least 0",
    "map\t301\t25.0\nmap\tall\t25.0\n": f":1: AP of f on query 301 is 25, but AP is {PERCENT}",
    "runid,topic,ndcg@20,err@20\na,1,0.5,2\n": f":2: ERR@20 of a on query 1 is 2, but ERR@20 is {PERCENT}",
    "topic,alpha_nDCG@20\n1,2\n": ":2: alpha_nDCG@20 of f on query 1 is 2, but alpha_nDCG@20 is from 0 to 1.582",
    '{"query_id": "1", "measure": "AP", "value": 2}': f":1: AP of f on query 1 is 2, but AP is {PERCENT}",
    '{"1": {"map": 25.0}}': f": AP of f on query 1 is 25, but AP is {PERCENT}",
}


@pytest.mark.parametrize(("text", "message"), OUT_OF_RANGE.items())
def test_the_first_value_out_of_range_is_named_with_the_measure_and_its_range(text: str, message: str) -> None:
    assert error(text) == f"f{message}; --allow-range reads the values as they are"
    read(text, allow_range=True)


VALUES = {
    "AP": "1.0000001",
    "NumRel": "400",
    "D#-nDCG": "30",
    "alpha_nDCG@20": "1.01",
    "utility": "-3",
    "nDCG(gains={0:-1,1:1})@5": "-0.5",
}


@pytest.mark.parametrize(("measure", "value"), VALUES.items())
def test_values_that_the_measure_can_have_are_read(measure: str, value: str) -> None:
    assert held(read(f"topic,a\n301,{value}\n", measure=measure)) == {"a": {"301": float(value)}}


def test_a_greedy_ideal_can_be_passed_but_not_by_more_than_its_bound() -> None:
    """Gains of new subtopics, alpha .5: `first` 3 + `right` 2.5 / log2(3), but `left` 3 + `right` 3 / log2(3)."""
    documents = {"first": {1, 2, 4}, "left": {1, 2, 3}, "right": {4, 5, 6}}

    def gain(order: Sequence[str]) -> float:
        seen = [subtopic for document in order[:-1] for subtopic in documents[document]]
        last = sum(0.5 ** seen.count(subtopic) for subtopic in documents[order[-1]]) / math.log2(len(order) + 1)
        return last + (gain(order[:-1]) if order[:-1] else 0.0)

    second = max(("left", "right"), key=lambda document: gain(["first", document]))
    ratio = gain(["left", "right"]) / gain(["first", second])
    assert second == "right"
    assert ratio == pytest.approx((3 + 3 / math.log2(3)) / (3 + 2.5 / math.log2(3)))
    assert 1 < ratio < math.e / (math.e - 1)
    assert held(read(f"topic,a\n301,{ratio}\n", measure="alpha_nDCG@2")) == {"a": {"301": ratio}}
    assert "from 0 to 1.582" in error("topic,a\n301,1.6\n", measure="alpha_nDCG@2")


def test_a_target_beyond_the_range_of_the_measure_is_refused(biasvar: Any, in_an_empty_folder: None) -> None:
    Path("ap.csv").write_text("AP,bm25,rm3\n301,0.25,0.5\n302,0.1,0.3\n")
    Path("target.csv").write_text("query_id,score\n301,0.5\n302,30\n")
    refused = biasvar("decompose", "ap.csv", "--target", "file:target.csv")
    message = f"biasvar: error: target.csv: the score of query 302 is 30, but AP is {PERCENT}\n"
    assert (refused.code, refused.err) == (1, message)
    refused = biasvar("decompose", "ap.csv", "--target", "mean:30")
    assert_refused(refused, 2, "biasvar: error: --target mean:30: AP is from 0 to 1\n")
    Path("ap.csv").write_text("AP,bm25,rm3\n301,25,50\n302,10,30\n")
    assert biasvar("decompose", "ap.csv", "--allow-range", "--target", "mean:30").code == 0


# ---- long tables and JSON


LONG = st.permutations(["run", "query", "measure", "score"])
NAMES = {
    "run": ("run", "run_name", "run_id", "system", "name", "model", "tag"),
    "query": ("query_id", "qid", "query", "topic", "topic_id"),
    "measure": ("measure", "metric"),
    "score": ("score", "value"),
}


@FEW
@given(matrices(), LONG, st.data(), st.sampled_from([None, 0, 1]))
def test_long_tables_are_read_by_the_names_of_their_columns(
    matrix: Matrix, order: list[str], data: st.DataObject, index: int | None
) -> None:
    """PyTerrier's Experiment(perquery=True) has name, qid, measure, value."""
    header = [data.draw(st.sampled_from(NAMES[role])) for role in order]
    records = [
        {"run": run, "query": query, "measure": "map", "score": value}
        for run, row in matrix.items()
        for query, value in row.items()
    ]
    rows = [header, *([record[role] for role in order] for record in records)]
    file = read(text_of(rows if index is None else numbered(rows, "", index)))
    assert (held(file, "AP"), file.measures) == (numbers(matrix), ("AP",))
    for record in records:
        record["score"] = float(record["score"])
    values = [{name: record[role] for name, role in zip(header, order, strict=True)} for record in records]
    for text in (json.dumps(values), "\n".join(map(json.dumps, values)), json.dumps(values, indent=1)):
        assert held(read(text), "AP") == numbers(matrix)


@FEW
@given(matrices())
def test_objects_within_objects_are_read_or_refused(matrix: Matrix) -> None:
    values = numbers(matrix)
    one = next(iter(values.values()))
    by_query = {query: {"map": value, "P_5": 0.2} for query, value in one.items()}
    assert held(read(json.dumps(by_query)), "AP") == {"f": one}  # pytrec_eval
    by_measure = {"map": one, "ndcg": one}
    assert held(read(json.dumps(by_measure)), "nDCG") == {"f": one}  # ranx's Run.scores
    found = read_or_none(json.dumps(values))
    assert found in (None, values)
    if not any(run.isdigit() for run in matrix):
        assert found == values
    deep = {run: {query: {"map": value} for query, value in row.items()} for run, row in values.items()}
    assert read_or_none(json.dumps(deep)) in (None, values)  # PyTerrier's Experiment(dataframe=False)
    assert read_or_none(json.dumps({query: {run: values[run][query] for run in values} for query in one})) is None


@pytest.mark.parametrize(
    "document",
    [
        {"q1": {"d1": 12.5, "d2": 11.0}, "q2": {"d1": 3.0, "d2": 2.0}},  # a run, as ranx and pytrec_eval have it
        {"301": {"7187158": 12.5}, "302": {"7187158": 11.0}},
        {"q1": {"d1": 1}},  # qrels
        {"length": {"301": 3, "302": 4}, "bm25": {"301": 0.25, "302": 0.5}},
        {"bm25": {"301": [0.25]}, "rm3": {"301": [0.5]}},
    ],
)
def test_other_objects_within_objects_are_refused(document: dict[str, Any]) -> None:
    assert error(json.dumps(document)).startswith("f: ")


RECORD = '{"query_id": "2", "measure": "AP", "value": 1'
OURS = '{{"results": [{{"measure": "AP", "queries": ["1"], "runs": [{{"run": "A", {}}}]}}]}}'


@pytest.mark.parametrize(
    ("text", "where", "key"),
    [
        ('{"301": {"map": 0.25}, "301": {"map": 0.5}}', "f", "301"),
        ('{"301": {"map": 0.25, "map": 0.5}}', "f", "map"),
        (OURS.format('"scores": [0.5], "scores": [0.9]'), "f", "scores"),
        ('{"results": [], "results": []}', "f", "results"),
        (f'{RECORD}}}\n{RECORD}, "value": 0}}', "f:2", "value"),
        ('[{"run": "a", "qid": "1", "value": 0.5},\n {"run": "a", "run": "b", "qid": "2", "value": 1}]', "f", "run"),
    ],
)
def test_a_key_that_is_given_twice_is_refused_at_any_depth(text: str, where: str, key: str) -> None:
    assert error(text) == f"{where}: an object has the key {key} twice; keep one"


def test_records_of_a_list_are_named_by_their_lines() -> None:
    text = '[\n {"run": "a", "qid": "1", "value": 0.5},\n {"run": "a", "qid": "2", "value": null}\n]\n'
    remedy = "give every query a score; --topics intersection leaves out those without"
    assert error(text) == f"f:3: column value is null, a hole; {remedy}"
    keys = "expected an object with the keys run, qid, value, like the first"
    assert error(text.replace(', "value": null', "")) == f"f:3: {keys}"


@pytest.mark.parametrize(
    ("text", "what", "column", "other"),
    [
        ("algorithm,qid,measure,value\na,301,map,0.25\nb,301,map,0.5\n", "AP of f", "run", "algorithm"),
        ("run,qid,value,statistic\na,301,0.25,map\na,301,0.5,ndcg\n", "the score of a", "measure", "statistic"),
    ],
)
def test_rows_that_repeat_say_which_column_is_missing(text: str, what: str, column: str, other: str) -> None:
    remedy = f"keep one, or add a column called {column} that tells them apart (columns not read: {other})"
    assert error(text) == f"f:3: {what} on query 301 is given twice, first in line 2; {remedy}"


@pytest.mark.parametrize(
    ("document", "doubt"),
    [
        ({"301": {"G": 0.25, "x": 0.5}}, "query outside"),
        ({"system 1": {"AP": 0.25}}, "query or run"),
        ({"bm25": {"AP": 0.25, "latency": 12.5}, "rm3": {"AP": 0.5, "latency": 20.5}}, "query or run"),
        ({"ndcg": {"AP": 0.25}}, "measure or run"),
        ({"bm25": {"301": 0.25}, "ndcg": {"301": 0.5}}, "measure or run"),
        ({"bm25": {"301": 0.25}, "year": {"301": 2012}}, "id or count"),
        ({"301": {"bm25": 0.25}}, "query outside"),
        ({"301": {"bm25": {"map": 0.25}}}, "run as query"),
        ({"bm25": {"301": {"d1": 2.5, "d2": 1.5, "map": 1.0}}}, "no measure"),
        ({"bm25": {"301": {"map": 0.25}, "302": 0.5}}, "uneven"),
        ({"bm25": {"301": {"map": 0.25}, "302": {}}}, "uneven"),
        ({"bm25": {}}, "uneven"),
        ({}, "uneven"),
    ],
)
def test_keys_that_do_not_show_what_they_are_raise_a_doubt(document: dict[str, Any], doubt: str) -> None:
    with pytest.raises(UnclearKeys, match=f"^{doubt}$"):
        levels_of(document)


@pytest.mark.parametrize(
    ("document", "measures"),
    [({"bm25": {"301": {"AP": 0.25, "latency": 12.5}}}, ("AP", "latency")), ({"1": {"NumRet": 5}}, ("NumRet",))],
)
def test_files_and_dicts_have_the_same_measures(document: dict[str, Any], measures: tuple[str, ...]) -> None:
    """Both were refused by one of the two: measures of no known name in a file, counts alone in a dict."""
    from biasvar_cli.notebook.score_forms import sources_of

    file = read(json.dumps(document))
    (source,) = sources_of(document, (), {})
    assert source.content.measures == file.measures == measures
    assert source.content.queries == file.queries
    assert source.content.values.tolist() == file.values.tolist()
