"""Files of query models: one model in every format, real lines of each system, and what is wrong with a line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import only
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.errors import DataError, DataWarning
from biasvar_cli.readers.query_models import parse_model
from biasvar_cli.readers.query_models.tables import parse_background
from biasvar_cli.readers.sources import model_name

MODEL = {"301": {"kabila": 0.5, "dissid": 0.25, "rwanda": 0.25}, "302": {"polio": 0.75, "vaccin": 0.25}}


def _result(query: str) -> str:
    return f"{query} Q0 FT911-1 1 -4.5 indri\n"


def _log(form: str) -> str:
    """Two threads that write at the same time."""
    head = "2024-05-01 10:00:00,123 INFO  [pool-2-thread-{}] lib.Rm3Reranker (Rm3Reranker.java:98) - "
    lines = [(1, "QID: 301"), (2, "QID: 302"), (1, "Original Query: (kabila)^1.0"), (2, "Original Query: (polio)^1.0")]
    for thread, query in ((2, "302"), (1, "301")):
        own = MODEL[query].items()
        whole = " ".join(f"({term})^{weight}" for term, weight in own)
        if form == "old":
            lines.append((thread, f"Running new query: {whole}"))
        else:
            lines.append((thread, f"Feedback Query: {whole}"))
            lines += [(thread, f"Feedback term: {term} -> {weight}") for term, weight in own]
    return "INFO  [main] search - starting\n" + "".join(head.format(at) + words + "\n" for at, words in lines)


def _indri(query: str, terms: dict[str, float]) -> str:
    words = " ".join(f'{weight:.32f} "{term}"' for term, weight in terms.items())
    return f"# query: {query}\n# expanded: #weight( 0.0 #combine( zero ) 1.0 #weight( {words} ) )\n{_result(query)}"


def _boosted(terms: dict[str, float], factor: float = 1.0) -> str:
    return " ".join(f"{term}^{factor * weight:.9f}" for term, weight in terms.items())


def _each(form: Callable[[str, dict[str, float]], str]) -> str:
    """The model with every query in one form, a line each."""
    return "".join(form(query, own) + "\n" for query, own in MODEL.items())


FORMATS = {
    "tsv": "".join(f"{query}\t{term}\t{weight}\n" for query, own in MODEL.items() for term, weight in own.items()),
    "jsonl": _each(lambda query, own: json.dumps({"qid": query, "model": own})),
    "json array": json.dumps([{"qid": query, "model": own} for query, own in MODEL.items()], indent=1),
    "query_toks": _each(lambda query, own: json.dumps({"qid": query, "query_toks": own, "query": "a"})),
    "query_toks csv": "qid,query,query_toks\n" + _each(lambda query, own: f'{query},a b,"{own}"'),
    "indri": "".join(_indri(query, own) for query, own in MODEL.items()),
    "anserini old": _log("old"),
    "anserini new": _log("new"),
    "terrier": _each(lambda query, own: f"{query} applypipeline:off {_boosted(own, 2)}"),
    "terrier csv": "qid,query\n" + _each(lambda query, own: f"{query},{_boosted(own)}"),
    "matchop": "301\t#combine:0=2:1=1:2=1(kabila dissid rwanda)\n"
    "302\t#combine:0=0.75(polio) #combine:0=0.25(#base64(dmFjY2lu))\n",
}


@pytest.mark.parametrize("name", FORMATS)
def test_one_model_has_the_same_numbers_in_every_format(biasvar, in_an_empty_folder, name):
    Path("true.tsv").write_text("301\tkabila\t.7\n301\tcongo\t.3\n302\tpolio\t.6\n302\tdiseas\t.4\n")
    Path("model.tsv").write_text(FORMATS["tsv"])
    Path("other.txt").write_text(FORMATS[name].replace("\n", "\r\n"))
    found = only(biasvar("models", "model.tsv", "other.txt", "--true", "true.tsv", "-f", "json", "--strict"))
    expected, other = ({key: row[key] for key in row if key != "model"} for row in found["models"])
    assert other == pytest.approx(expected, abs=1e-12)


def shares(text: str) -> dict[str, float]:
    """The terms of a one-query model, divided by their sum."""
    rows = parse_model(text.encode(), "model")
    return dict(zip(rows.terms, (rows.weights / rows.weights.sum()).tolist(), strict=True))


INDRI = "# query: {}\n1 Q0 D 1 -1 x\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # .5 #combine(a b) .5 #weight(.02 b .06 c): a .25, b .25 + .125, c .375, though .02 + .06 is not 1
        (
            INDRI.format('a\n# expanded: #weight( 0.5 #combine( a b ) 0.5 #weight( 0.02 "b" 0.06 "c" ) )'),
            {"a": 0.25, "b": 0.375, "c": 0.375},
        ),
        (INDRI.format("radio wave radio"), {"radio": 2 / 3, "wave": 1 / 3}),  # not expanded: its words
        (INDRI.format('#weight( 1 "u.s" 1 3.5 )'), {"u.s": 0.5, "3.5": 0.5}),
        ("1 dog^2.000000000 colli^1.0 cat^0.0\n", {"dog": 2 / 3, "colli": 1 / 3, "cat": 0.0}),
        ("1 #combine:0=0.5:1=0.5(#combine:0=1:1=3(a b) c)", {"a": 0.2, "b": 0.6, "c": 0.2}),
    ],
)
def test_weights_are_multiplied_and_divided_by_their_sums(text, expected):
    assert shares(text) == pytest.approx(expected)


def test_lines_of_real_systems():
    rm3 = (  # PyTerrier's RM3 on Vaswani
        "1 applypipeline:off equip^0.037346367 ferrit^0.027371584 modul^0.027371584 suppli^0.037346367 "
        "design^0.056739070 microwav^0.027371584 anod^0.037346367 "
        "unit^0.037346367 compact^0.674414337 stabil^0.037346367"
    )
    found = shares(rm3)
    assert len(found) == 10
    assert found["compact"] == pytest.approx(0.674414337 / 0.999000000, rel=1e-3)
    old = (  # Anserini, before it logged single terms
        "2020-02-17 12:00:00,000 INFO [pool-2-thread-1] lib.Rm3Reranker - QID: 1\n"
        "2020-02-17 12:00:00,001 INFO [pool-2-thread-1] lib.Rm3Reranker - Running new query: "
        "(kabila)^0.044330347 (dissid)^0.16666667 (congo)^9.1E-4\n"
    )
    total = 0.044330347 + 0.16666667 + 9.1e-4
    expected = {"kabila": 0.044330347 / total, "dissid": 0.16666667 / total, "congo": 9.1e-4 / total}
    assert shares(old) == pytest.approx(expected)


WRONG = {
    "q1\ta\t0.5\nq1\tb\t-0.1\n": "m:2: the weight of b in query q1 is negative: -0.1; weights are probabilities",
    "q1\ta\tnan\n": "m:1: the weight of a in query q1 is nan, a hole",
    "q1\ta\t0,5\n": "m:1: the weight of a in query q1: 0,5 has a decimal comma; write 0.5",
    "q1\ta\t0.5\nq1\tb\n": "m:2: expected query, term and weight separated by tabs, found 2: q1, b",
    "q1\ta\t0.5\nq1\t\t0.5\n": "m:2: the term is blank",
    "q1\ta\t1e308\nq2\ta\t1e308\n": "m: the weights are too large to be summed; divide them all by one number",
    "q1\ta\t0\n": "m: the model is empty: no term has a positive weight",
    "": "m: the file is empty",
    "# nothing\n": "m: the file has nothing but comments",
    '{"qid": "1", "model": {"a": 1}}\n{"qid": "1", "model": {"a": 1}}': "m:2: query 1 is given twice, first in line 1",
    '{"qid": "1", "model": {"a": 1, "a": 2}}': "m:1: a is given twice in one object; keep one",
    '{"qid": "1", "model": {"a": "x"}}': "m:1: the weight of a is not a number",
    '{"qid": "1", "model": [1]}': "m:1: model: expected {term: weight}, found [1]",
    '{"qid": "1"}': "m:1: expected model, the weights of terms, found qid",
    '{"model": {"a": 1}}': "m:1: expected qid, the id of the query, found model",
    '{"qid": "1", "model": {"a": 1}}\n{"qid": ': "m:2: not JSON",
    "# query: #1(a b)\n1 Q0 D 1 -1 x\n": "m:1: #1 does not weight terms",
    "# query: a\n# expanded: #weight( 0.5 #uw8( a b ) )\n1 Q0 D 1 -1 x\n": "m:2: #uw8 does not weight terms",
    '# query: #weight( 0.5 "a b" )\n1 Q0 D 1 -1 x\n': "m:1: the phrase a b is not a weighted term",
    "# query: #weight( 0.5 a\n1 Q0 D 1 -1 x\n": "m:1: a bracket is not closed",
    "# query: #weight( a b )\n1 Q0 D 1 -1 x\n": "m:1: expected a weight, found a",
    "# query: #weight( -1 a )\n1 Q0 D 1 -1 x\n": "m:1: the weight -1 is negative",
    "# query: a\n# query: b\n": "m: no result follows a printed query, so no query has an id; print",
    "# query: a\n1 Q0 D 1 -1 x\n# query: b\n1 Q0 D 1 -1 x\n": "m:3: query 1 is given twice, first in line 1",
    "INFO [t1] - QID: 1\nINFO [t2] - Running new query: (a)^1.0\n": "m:2: no QID: line of the thread t2",
    "- QID: 1\n- Running new query: (a b)^1 c^2\n": "m:2: expected (term)^weight, found (a b)^1 c^2",
    '- QID: 1\n- Running new query: (a)^1 f:"a b"^2\n': 'm:2: expected (term)^weight, found f:"a b"^2',
    "- QID: 1\n- Running new query: (a)^1\n- QID: 1\n": "m:3: query 1 is logged twice, first in line 1",
    "- QID: 1\n- Feedback term: a 0.5\n": "m:2: expected a term and its weight, k -> v, found a 0.5",
    "1 a^x b^1\n": "m:1: expected a weight, found x",
    "1 a^1\n1 b^1\n": "m:2: query 1 is given twice, first in line 1; keep one",
    "1 #uw8(a b)\n": "m:1: #uw8 does not weight terms",
    "1 +a^1 b^1\n": "m:1: +a^1 is a condition, not a weighted term",
    "1 a^2^3\n": "m:1: a^2^3 has two weights; keep one",
    "1 +5g^1 b^1\n": "m:1: +5g^1 is a condition, not a weighted term",
    "1 a^1\n2 title:d^0.4\n": "m:2: title:d^0.4 is a term of one field, or a control",
    "1 #combine:0=.5:0=.3(a)\n": "m:1: #combine has two weights for part 0; keep one",
    "1 #combine:0=.5:2=.3(a b)\n": "m:1: #combine has a weight for part 2 (the first is 0), but only 2 parts",
    "- QID: 1\n- Running new query: +a (b)^1\n": "m:2: +a is a condition, or a term of another field",
    "- QID: 1\n- Running new query: (contents:c)^1\n": "m:2: contents:c is a condition, or a term of another field",
    "- QID: 1\n- QID: 2\n- Running new query: (a)^1\n": "m:2: query 2 begins before the new query of 1 is logged",
    "- QID: 1\n- Running new query: (a)^1\n- Running new query: (b)^1\n": "m:3: a second Running new query: of query 1",
    "# query: a.title\n1 Q0 D 1 -1 x\n": "m:1: a.title is a term of one field; write it without the field",
    "# query: a\nit took two seconds in all\n1 x D 1 -1 x\n": "m: no result follows a printed query",
    '{"qid": "1", "model": {"": 1}}\n': "m:1: query 1 has '', which is not a term",
    "qid,query_toks\n1,\"{'a': 1, 'a': 2}\"\n": "m:2: a is given twice in one object; keep one",
    'qid\tquery_toks\n1\t{"a": 1, "a": 2}\n': "m:2: a is given twice in one object; keep one",
    '{"qid": "1", "model": {"a": ' + "9" * 5000 + "}}\n": "m:1: a number has too many digits to be read",
    '[\n{"qid": "1", "model": {"a": 1}},\n{"qid": "2", "model": {"a": -1}}\n]\n': "m:3: the weight of a in query 2",
    '\n[{"qid": "1", "model": {"a": 1}},\n {"qid": "2",\n  "model": {"a" 1}}]': "m:4: not JSON: Expecting ':'",
    '[{"qid": "1", "model": {"a": 1}},\n]': "m:2: not JSON: ",
    '[{"qid": "1", "model": {"a": 1}}\n{}]': "m:2: not JSON: expected a comma or ]",
    '[{"qid": "1", "model": {"a": 1}}]\n[]': "m:2: not JSON: extra data",
    "1\ta\tNA\n": "m:1: the weight of a in query 1 is NA, a hole; give every term a weight",
    "1 #base64(*)\n": "m:1: #base64: * is not text in Base64",
    "qid,query_toks\n1,{a}\n": "m:2: query_toks: expected {term: weight, ...}, found {a}",
    "1 Q0 D1 1 2.5 bm25\n": "m:1: no query model: expected query, term and weight",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_a_bad_line_is_named_with_what_is_wrong(text):
    with pytest.raises(DataError) as error:
        parse_model(text.encode(), "m")
    assert str(error.value).startswith(WRONG[text])


def test_threads_are_paired_by_name_beside_levels_and_times():
    head = "[2024-05-01 10:00:00,123] [INFO ] [pool-{}] [Rm3] - "
    lines = [(1, "QID: 1"), (2, "QID: 2"), (1, "Running new query: (a)^1"), (2, "Running new query: (b)^1")]
    rows = parse_model("".join(head.format(at) + words + "\n" for at, words in lines).encode(), "m")
    assert list(zip(rows.queries, rows.terms, strict=True)) == [("1", "a"), ("2", "b")]


def test_terrier_is_recognised_though_the_first_query_has_no_weight():
    rows = parse_model(b"1 dog cat\n2 dog^0.5 cat^2\n", "m")
    assert (rows.terms, rows.weights.tolist()) == (["dog", "cat", "dog", "cat"], [1, 1, 0.5, 2])


def test_words_that_are_no_result_have_no_query():
    assert parse_model(b"# query: a\nit took two seconds in all\n301 Q0 D 1 -1 x\n", "m").queries == ["301"]


LOG = "[t] - QID: 1\n[t] - QID: 2\n[t] - Running new query: (b)^1\n[t] - QID: 3\n"
PRINTED = "# query: a\n# query: b\n2 Q0 D 1 -1 x\n# query: c\n"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (LOG, "2 queries logged without a new query left out: 1, 3"),
        (PRINTED, "left out 2 printed queries without a result"),
    ],
)
def test_queries_without_terms_or_results_are_counted(text, what):
    with pytest.warns(DataWarning, match=f"^m: {what}"):
        assert parse_model(text.encode(), "m").queries == ["2"]


WRONG_BACKGROUNDS = {
    "a\t1\nb\n": "b.tsv:2: expected term and count separated by a tab, found b",
    "a\t-1\n": "b.tsv:1: the count of a is negative: -1",
    "a\tx\n": "b.tsv:1: the count of a: x is not a number",
    "a\t1\na\t2\n": "b.tsv:2: term a is given twice; add its counts up in one line",
    "a\t\n": "b.tsv:1: the count of a is empty; give every term a count",
    "a\t0\n": "b.tsv: the background has no term with a positive count",
}


@pytest.mark.parametrize(("text", "message"), WRONG_BACKGROUNDS.items())
def test_a_bad_background_is_refused(text, message):
    with pytest.raises(DataError) as error:
        parse_background(text.encode(), "b.tsv")
    assert str(error.value) == message


def test_headers_comments_and_blank_lines_are_no_terms():
    assert parse_model(b"qid\tterm\tweight\n# RM1\n\n1\ta\t0.5\n1\t b \t0.5\n", "m").terms == ["a", "b"]
    assert parse_background(b"term\tcount\n\n# all\na\t1\nb\t0\n", "b") == {"a": 1.0}


@given(
    st.dictionaries(
        st.text("abé \t#", min_size=1).map(str.strip).filter(lambda term: term and term[0] != "#" and "\t" not in term),
        st.floats(0, 1e6),
        min_size=1,
    )
)
def test_both_ways_through_a_table_agree(terms):
    text = "".join(f"1\t{term}\t{weight!r}\n" for term, weight in terms.items())
    try:
        fast = parse_model(text.encode(), "m")
    except DataError:
        assert not any(terms.values())
        return
    slow = parse_model((text + "\n").encode(), "m")
    for rows in (fast, slow):
        assert (rows.terms, rows.weights.tolist()) == (list(terms), list(terms.values()))


NAMES = {"a/rm.tsv.gz": "rm", "comb-0.1.jsonl": "comb-0.1", "comb-0.1": "comb-0.1", "rm.log.xz": "rm", ".tsv": ".tsv"}


@pytest.mark.parametrize(("path", "name"), NAMES.items())
def test_a_model_is_named_by_its_file(path, name):
    assert model_name(path) == name


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
@examples(10)
@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_a_damaged_file_is_read_or_refused(name, data):
    text = bytearray(FORMATS[name].encode())
    for _ in range(data.draw(st.integers(1, 4))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.sampled_from(b'\x00\t\n #()"{}:^-9a\xff'))
    try:
        rows = parse_model(bytes(text), "m")
    except DataError:
        return
    assert (rows.weights >= 0).all()
    assert rows.weights.sum() > 0
    assert len(rows.queries) == len(rows.terms) == len(rows.weights)
