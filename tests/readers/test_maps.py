"""Tables of groups, families, teams and targets: what is read, and in which words the rest is refused."""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import unix
from hypothesis import given
from hypothesis import strategies as st
from mutations import anything, examples, result_or_error

from biasvar_cli.errors import DataError
from biasvar_cli.readers.maps import Member, read_families, read_groups, read_target, read_teams

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")
GROUPS = "query,group\n301,long\n302,short\n"
FAMILIES = "run,family,parameter\ncomb-0.1,comb,0.1\nrm,reference,\n"
TEAMS = "run,team\nbm25.1,waterloo\nbm25.2,waterloo\n"
ALL = {read_groups: GROUPS, read_families: FAMILIES, read_teams: TEAMS}
KEYS = {read_groups: "query", read_families: "run", read_teams: "run"}

Reader = Callable[[str], Any]


def read(reader: Reader, content: str | bytes) -> Any:
    Path("f").write_bytes(content if isinstance(content, bytes) else content.encode())
    return reader("f")


def refused(reader: Reader, content: str | bytes) -> str:
    with pytest.raises(DataError) as caught:
        read(reader, content)
    return caught.value.typed


# ---- what is read


@pytest.mark.parametrize(
    "text",
    [
        """{"runtag": "bm25.1", "org": "waterloo", "email": "a@b", "validated": "success", "std-priority": "1 (top)"}
{"runtag": "bm25.2", "org": "waterloo", "email": "a@b", "validated": "fail"}
""",
        """[{"runid": "bm25.1", "track": "rag", "participant": {"pid": "waterloo", "name": "A"}},
 {"runid": "bm25.2", "participant": {"pid": "waterloo"}}]""",
        "email,runtag,org\na@b,bm25.1,waterloo\na@b,bm25.2,waterloo\n",
    ],
    ids=["Evalbase", "TREC Browser", "csv of Evalbase"],
)
def test_teams_are_read_as_trec_lists_them(text):
    assert read(read_teams, text) == {"bm25.1": "waterloo", "bm25.2": "waterloo"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"runtag": "a", "org": "x"}\n{"runtag": "b"', "f:2: cannot be read as JSON"),
        (
            '{"runtag": "a", "org": "x"}\n{"runtag": "b", "team": null}\n',
            "f:2: expected an object with a run and its team",
        ),
        ('{"runtag": "a", "org": "x"}\n{"runtag": "a", "org": "y"}\n', "f:2: run a has two teams, x and y; keep one"),
        ('["a", "b"]', "f:1: expected an object with a run and its team, such as runtag and org; found a"),
        ("[]", "f: the file lists no run"),
        ("runtag,org\na\n", "f:2: expected 2 columns"),
    ],
)
def test_lists_of_teams_that_are_cut_off_or_none_are_refused(text, message):
    assert refused(read_teams, text).startswith(message)


def test_groups_are_read_by_query_in_the_order_of_the_file():
    assert list(read(read_groups, "query,group\n9,b\n10,a\n").items()) == [("9", "b"), ("10", "a")]
    assert read(read_groups, "query_id,group\n301,long\n") == {"301": "long"}


def test_families_have_a_parameter_as_it_is_written_or_none():
    assert read(read_families, FAMILIES) == {"comb-0.1": Member("comb", "0.1"), "rm": Member("reference", None)}
    assert read(read_families, "run,family\na,x\n") == {"a": Member("x", None)}


def test_teams_are_read_by_run():
    assert read(read_teams, TEAMS) == {"bm25.1": "waterloo", "bm25.2": "waterloo"}


SPELLINGS: dict[str, Callable[[str], str]] = {
    "a byte order mark": lambda text: f"\ufeff{text}",
    "capitals": lambda text: text.replace("run,family,parameter", "Run,Family,Parameter"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "no end": lambda text: text.removesuffix("\n"),
    "tabs": lambda text: text.replace(",", "\t"),
    "blanks": lambda text: text.replace(",", " , "),
    "blank lines": lambda text: f"\n \n{text}".replace("\n", "\n\n"),
    "another column": lambda text: text.replace("\n", ',"x, ""y"""\n'),
    "empty rows": lambda text: text.replace("\n", "\n,,\n"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_usual_ways_of_writing_a_table_are_read_alike(spelling):
    text = SPELLINGS[spelling](FAMILIES).encode()
    assert read(read_families, text) == read(read_families, gzip.compress(text)) == read(read_families, FAMILIES)


HEADERS = {
    "year,group,note,query\n1994,long,,301\n": "long",  # columns in any order, others ignored
    "query\tgroup\n301\ta, b\n": "a, b",  # separated by tabs only if the header holds one
    "query,group\n301,a\tb\n": "a\tb",
    "\tquery\tgroup\n0\t301\tlong\n": "long",  # a column without a name
}


@pytest.mark.parametrize(("text", "expected"), HEADERS.items())
def test_the_columns_are_those_of_the_header(text, expected):
    assert read(read_groups, text) == {"301": expected}


def test_quoted_cells_hold_separators():
    assert read(read_teams, 'run,team\n"a,b", "Waterloo, University of"\n') == {"a,b": "Waterloo, University of"}


CELLS = st.text("aé0 ,;\t\"'\r\n#=\x1b\x85\u2028検\U0001f600", min_size=1).filter(lambda text: text == text.strip())


@given(st.dictionaries(CELLS, CELLS, min_size=1, max_size=4), st.sampled_from(",\t"))
def test_what_the_csv_module_writes_is_read_back(cells, delimiter):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([["run", "team"], *cells.items()])
    assert read(read_teams, text.getvalue()) == cells


# ---- what is refused


OF_GROUPS, OF_TEAMS = "expected the columns query (or query_id) and group", "expected the columns run and team"


@pytest.mark.parametrize(
    ("reader", "content", "message"),
    [
        (read_groups, "", f"f:1: {OF_GROUPS}, found nothing"),
        (read_groups, "\n\n", f"f:1: {OF_GROUPS}, found nothing"),
        (read_groups, "301,long\n", f"f:1: {OF_GROUPS}, found 301, long"),
        (read_groups, "Queries,Group\n", f"f:1: {OF_GROUPS}, found Queries, Group"),
        (read_groups, "query;note\n", f"f:1: {OF_GROUPS}, found query, note"),
        (read_families, "run,parameter\na,1\n", "f:1: expected the columns run and family, found run, parameter"),
        (read_teams, "\n\nquery,team\n1,a\n", f"f:3: {OF_TEAMS}, found query, team"),
    ],
)
def test_columns_that_are_not_there_are_named_with_those_that_are(reader, content, message):
    assert refused(reader, content) == f"{message}; name them in a header"


@pytest.mark.parametrize(
    ("reader", "header", "twice"),
    [
        (read_groups, "query,query_id,group", "query or query_id"),
        (read_groups, "query,query,group", "query or query_id"),
        (read_groups, "query,group,group", "group"),
        (read_families, "run,family,parameter,parameter", "parameter"),
        (read_teams, "run,team,run", "run"),
    ],
)
def test_a_wanted_column_that_is_there_twice_is_refused(reader, header, twice):
    shown = header.replace(",", ", ")
    assert refused(reader, f"{header}\n") == f"f:1: there are two columns {twice} in {shown}; keep one"


@pytest.mark.parametrize("reader", ALL)
def test_a_header_without_a_row_below_is_refused(reader):
    header = ALL[reader].split("\n")[0]
    assert refused(reader, f"{header}\n\n") == f"f: the file lists no {KEYS[reader]} below its header"


@pytest.mark.parametrize(
    ("reader", "content", "line", "column"),
    [
        (read_groups, GROUPS + ",long\n", 4, "query"),
        (read_groups, "query_id,group\n ,long\n", 2, "query_id"),
        (read_groups, GROUPS + "\n303, \n", 5, "group"),
        (read_groups, 'query,group\n301,""\n', 2, "group"),
        (read_families, "run,family,parameter\na,,1\n", 2, "family"),
        (read_teams, "run\tteam\na\t\n", 2, "team"),
        (read_teams, "run,team,note\n,,x\n", 2, "run"),
    ],
)
def test_a_blank_cell_is_refused_with_its_line_and_column(reader, content, line, column):
    assert refused(reader, content) == f"f:{line}: column {column} is blank; fill it in or drop the row"


@pytest.mark.parametrize("reader", ALL)
@pytest.mark.parametrize("same", [True, False])
def test_an_id_given_twice_is_refused_with_both_lines_whether_it_says_the_same_or_not(reader, same):
    first = ALL[reader].split("\n")[1]
    name = first.split(",")[0]
    again = first if same else first.replace(f",{first.split(',')[1]}", ",other")
    assert refused(reader, f"{ALL[reader]}{again}\n") == (
        f"f:4: {KEYS[reader]} {name} is given twice, first in line 2; keep one"
    )


@pytest.mark.parametrize(("row", "found"), [("303", 1), ("303,a,b", 3), ('303,"a",', 3)])
def test_a_row_of_another_length_is_refused(row, found):
    assert refused(read_groups, f"{GROUPS}{row}\n") == (
        f"f:4: expected 2 columns, as in the header, found {found}; quote a cell that contains a separator"
    )


def test_lines_are_counted_where_a_row_starts():
    assert refused(read_groups, 'query,group,note\n301,a,"two\nlines"\n302,,"two\nlines"\n').startswith("f:4: ")


@pytest.mark.parametrize("row", ['303,"long', '"303"x,long'])
@pytest.mark.parametrize("reader", [read_groups, read_target])
def test_a_quote_that_is_left_open_or_broken_is_refused_and_swallows_nothing(reader, row):
    header = ALL.get(reader, "query_id,score\n").split("\n")[0]
    message = refused(reader, f"{header}\n{row}\n304,a\n305,b\n")
    assert message.startswith("f:2: cannot be read as a table: ")
    assert message.endswith("; check the quotes")


def test_other_encodings_are_refused_with_the_line_and_the_byte():
    content = "run,team\na,b\nbibliothèque,c\n".encode("latin-1")
    assert refused(read_teams, content) == "f:3: not UTF-8 text: byte 0xe8; save it as UTF-8"


def test_a_file_that_is_not_there_is_refused_by_its_name():
    with pytest.raises(DataError, match=r"^absent: cannot be read: No such file or directory$"):
        read_teams("absent")


def test_long_and_odd_names_are_cut_and_quoted():
    assert len(refused(read_teams, f"run,{'x' * 5000}\na,b\n")) < 200
    name = "\x1b[31m" + "9" * 5000
    message = refused(read_teams, f"run,team\n{name},b\n{name},b\n")
    assert message.isprintable()
    assert len(message) < 200


# ---- targets


def test_scores_of_another_measure_are_refused_whatever_it_is_called():
    text = "measure,query_id,score\nmap,301,0.5\nAP,302,0.25\n,303,0\nndcg_cut_10,304,0.75\n"
    assert len(read(read_target, text)) == 4  # of a measure that nobody knows
    remedy = "but the runs are evaluated with AP; give scores of AP, or use -m ndcg_cut_10"
    assert refused(lambda path: read_target(path, "AP"), text) == f"f:5: this score is of ndcg_cut_10, {remedy}"
    assert read(lambda path: read_target(path, "AP"), text.rsplit("\n", 2)[0]) == {"301": 0.5, "302": 0.25, "303": 0}


@examples(25)
@given(anything(GROUPS.encode(), FAMILIES.encode(), TEAMS.replace(",", "\t").encode(), b"query_id,score\n1,0.5\n"))
def test_any_bytes_are_a_map_or_an_error(data):
    Path("f").write_bytes(data)
    for reader in (*ALL, read_target):
        found = result_or_error(lambda reader=reader: reader("f"), "f")
        if found is None:
            continue
        if reader is read_target:
            assert np.isfinite(list(found.values())).all()
        else:
            values = [value.family if isinstance(value, Member) else value for value in found.values()]
            assert found
            assert all(cell and cell == cell.strip() for cell in (*found, *values))


@pytest.mark.parametrize(
    "text", ['query_id, score\n"301", "0.5"\n', "query_id;score\n301;0,5\n", "sep=;\nquery_id;score\n301;0.5\n"]
)
def test_a_target_may_have_quotes_after_blanks_or_semicolons_with_decimal_commas_or_points(text):
    assert read(read_target, text) == {"301": 0.5}


# ---- pipes, as a shell makes them for <(command)

SCORES = "AP,a,b,c\n1,.1,.2,.6\n2,.3,.5,.4\n3,.2,.9,.1\n4,.7,.1,.8\n"
SYSTEMS = "run,system\na,x\nb,x\n"
MANIFEST = "".join(f'[[track]]\ntrack = "T{year}"\nyear = {year}\nscores = "ap.csv"\n' for year in (1994, 1995))


@unix
@pytest.mark.parametrize(
    ("command", "option", "text"),
    [
        (("decompose", "ap.csv"), "--replicates", SYSTEMS),
        (("summary", "m.toml"), "--replicates", SYSTEMS),  # which is read once for both tracks
        (("tradeoff", "ap.csv"), "--families", "run,family\na,x\nb,x\n"),
        (("decompose", "ap.csv"), "--topics", "1\n2\n"),
        (("tradeoff", "ap.csv"), "--groups", "query,group\n1,x\n2,x\n3,y\n4,y\n"),
        (("decompose", "ap.csv"), "--target", "query_id,score\n1,1\n2,1\n3,1\n4,1\n"),
    ],
)
def test_a_pipe_is_read_as_the_file_of_the_same_text(biasvar, command, option, text):
    Path("ap.csv").write_text(SCORES)
    Path("m.toml").write_text(MANIFEST)
    Path("map.csv").write_text(text)
    prefix = "file:" if option == "--target" else ""
    read, write = os.pipe()
    os.write(write, text.encode())
    os.close(write)
    try:
        piped = biasvar(*command, option, f"{prefix}/dev/fd/{read}", "-f", "csv")
    finally:
        os.close(read)
    expected = biasvar(*command, option, f"{prefix}map.csv", "-f", "csv")
    assert (piped.code, piped.err) == (0, expected.err)
    assert piped.out.replace(f"/dev/fd/{read}", "map.csv") == expected.out
