"""What a row of scores and a run are called: the nouns of ``--unit``, everywhere that text is made of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import OF_SCORES_ALONE, assert_refused, drawn_of, only, write_manifest, write_scores

import biasvar_cli as bv
from biasvar_cli.analyses import ANALYSES
from biasvar_cli.errors import BiasVarError, UsageError
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.words import Nouns, in_nouns, worded

FULL = ("--notes", "full")
FEW = ("--null-samples", 100)
TESTS = ("--samples", 200, "--splits", 10)
TEXTS = [
    ("decompose", "--rank", "--pareto", "--stability", *FEW),
    ("decompose", "--form", "both", "--ci", ".9", "--resamples", 50, "--over", "both", "--baseline", "bm25", *FEW),
    ("decompose", "-f", "latex", "--no-null"),
    ("decompose", "--target", "mean:.5", "--target", "run:bm25", "--no-null"),
    ("tradeoff", "--subset-size", 4, *FEW),
    ("tradeoff", "--detail", "difficulty", "--subset-size", 4, "--no-null"),
    ("tradeoff", "--families", "(rm)(.*)", *FEW),
    *(("target", "--table", table, "--subset-size", 4) for table in ("queries", "runs", "rarefied")),
    ("target", "--target", "perfect", "--table", "runs"),
    *(
        ("sensitivity", "--table", table, "--precision", ".2")
        for table in ("targets", "runs", "neighbours", "queries", "reliability", "mean")
    ),
    *(("risk", "--baseline", baseline) for baseline in ("mean", "best", "run:bm25", "top")),
    ("risk", "--baseline", "run:bm25", "--ci", ".9", "--resamples", 50),
    ("risk", "--baseline", "run:bm25", "--table", "queries", "-f", "markdown"),
    ("risk", "--baseline", "run:bm25", "--table", "run:rm1", "-f", "latex"),
    *(
        ("compare", "--table", table, "--test", "t", "--test", "tukey", "--detect", ".05", *TESTS)
        for table in ("runs", "pairs", "power", "swap")
    ),
    ("compare", "--baseline", "top", "-f", "latex", *TESTS),
    ("summary", "--errors", "--samples", 200),
    ("summary", "--baseline", "bm25", "--samples", 200),
]
FIGURES = [
    (figure, *(("--baseline", "mean", "--run", "bm25") if figure == "losses" else ()))
    for analysis in ANALYSES
    for figure in analysis.figures
    if figure not in ("estimation", "trend", "judges", "calibrated", "unjudged")
]
NAMES = (  # of options, columns, keys, models, targets and attributes of elements: these are fixed
    r"--[\w-]+(?: (?:queries|runs|run:\S+|RUN))?",
    r"\\label\{.*?\}",
    r"by-query",
    r"leave-one-run-out",
    r"\w+_(?:id|queries|runs)|n_(?:queries|runs)",
    r"run:\S+",
    r"\[data-\w+\]",
)


@pytest.fixture
def matrix(tmp_path):
    """The scores of eight runs on twelve collections."""
    levels = np.random.default_rng(1).beta(4, 4, 12)
    noise = np.random.default_rng(2).normal(0, 0.08, (12, 8)).T
    values = np.clip(levels + np.linspace(-0.1, 0.1, 8)[:, None] + noise, 0.01, 0.99).round(4)
    runs, queries = ["bm25", *(f"rm{k}" for k in range(1, 8))], [f"set{k}" for k in range(12)]
    return write_scores(tmp_path / "scores.csv", values, runs, queries, "nDCG@10")


@pytest.fixture
def systems(monkeypatch):
    """Both nouns are other ones, as where several runs are of one system."""
    monkeypatch.setattr(TrackRequest, "nouns", property(lambda _: Nouns("collection", "system")))


def words_left(text: str, words: str) -> list[str]:
    """The lines of a text that have one of the words outside fixed names."""
    names = re.compile("|".join(NAMES))
    return [line for line in text.split("\n") if re.search(rf"\b(?:{words})\b", names.sub("", line), re.IGNORECASE)]


def words_of(spec: Any, key: str = "") -> Iterator[str]:
    """The words that a figure shows; fields and the names of data are for programs."""
    if isinstance(spec, dict):
        for name, value in spec.items():
            if name not in ("field", "name", "groupby", "fields"):
                yield from words_of(value, name)
    elif isinstance(spec, list):
        for value in spec:
            yield from words_of(value, key)
    elif isinstance(spec, str) and not re.search(r"datum|data\(", spec):
        yield spec


def text_of_page(page: str) -> str:
    """What a page shows without its script, a line an element: text, titles and labels."""
    page = re.sub(r"<(script|style|code)\b.*?</\1>", "", page, flags=re.DOTALL)
    page = re.sub(r'data-\w+="[^"]*"|title="biasvar [^"]*"|aria-label="Copy command[^"]*"', "", page)
    return re.sub(r"<[^>]*>", lambda tag: " ".join(re.findall(r'(?:title|label)="([^"]*)"', tag[0])) + "\n", page)


@pytest.mark.parametrize("command", TEXTS[::4], ids=lambda command: " ".join(map(str, command)))
def test_no_text_of_collections_speaks_of_queries(biasvar, matrix, command):
    result = biasvar(command[0], matrix, *command[1:], *FULL, "--unit", "collection")
    assert result.code == 0, result.err
    assert "collection" in result.out
    assert words_left(result.out + result.err, "query|queries") == []


@pytest.mark.usefixtures("systems")
@pytest.mark.parametrize("command", TEXTS, ids=lambda command: " ".join(map(str, command)))
def test_no_text_of_systems_speaks_of_runs(biasvar, matrix, command):
    result = biasvar(command[0], matrix, *command[1:], *FULL)
    assert result.code == 0, result.err
    assert words_left(result.out + result.err, "query|queries|run|runs") == []


@pytest.mark.usefixtures("systems")
@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure[0])
def test_no_figure_of_systems_and_collections_speaks_of_runs_or_queries(biasvar, matrix, tmp_path, figure):
    path = tmp_path / "figure.json"
    assert biasvar("plot", figure[0], *drawn_of(figure[0], matrix), *figure[1:], "-o", path).code == 0
    assert words_left("\n".join(words_of(json.loads(path.read_text()))), "query|queries|run|runs") == []


@pytest.mark.usefixtures("systems")
def test_no_page_of_systems_and_collections_speaks_of_runs_or_queries(made, matrix):
    page, data = made(matrix, "--baseline", "bm25", "--families", "(rm)(.*)", *FEW)
    assert words_left(text_of_page(page), "query|queries|run|runs") == []
    assert (data["nouns"]["Queries"], data["nouns"]["aRun"]) == ("Collections", "a system")


def test_the_script_of_the_page_has_its_nouns_from_the_data():
    """No sentence of a template has a noun of its own."""
    from biasvar_cli.page.page import page_script

    quoted = re.findall(r'"[^"\n]*"|`[^`\n]*`', page_script())
    sentences = [re.sub(r"\$\{[^}]*(?:\}|$)", "", text[1:-1]) for text in quoted]
    nouns = [text for text in sentences if " " in text.strip() and words_left(text, "query|queries|run|runs")]
    assert nouns == []


def test_names_stay_whatever_the_nouns_are(biasvar, tmp_path):
    runs, queries = ["query", "runs", "queries of x"], ["query", "a run", "queries", "run"]
    values = np.random.default_rng(3).uniform(0.1, 0.9, (3, 4)).round(3)
    path = write_scores(tmp_path / "scores.csv", values, runs, queries, "query_id")
    given = ("-m", "AP", "--id-column", "query_id")
    text = biasvar("decompose", path, *given, "--unit", "collection", *FULL).out
    for name in runs:
        assert re.search(rf"^{name} +0\.", text, re.MULTILINE), name
    text = biasvar("target", path, *given, "--unit", "collection", *FULL).out
    for name in queries:
        assert re.search(rf"^{name} +", text, re.MULTILINE), name
    assert "Hardest collection" in text


def test_csv_and_json_have_the_same_names_and_numbers(biasvar, matrix):
    for command in ("decompose", "scores", "summary", "compare", "risk"):
        assert biasvar(command, matrix, "-f", "csv", "--unit", "topic").out == biasvar(command, matrix, "-f", "csv").out
        usual, other = (only(biasvar(command, matrix, "-f", "json", *unit)) for unit in ((), ("--unit", "topic")))
        assert [*usual] == [*other]


def test_the_nouns_end_with_the_command(biasvar, matrix):
    usual = biasvar("decompose", matrix, "--no-null", *FULL).out
    biasvar("decompose", matrix, "--no-null", "--unit", "collection")
    biasvar("decompose", matrix, "--no-null", "--unit", "collection", "--target", "run:absent")
    assert biasvar("decompose", matrix, "--no-null", *FULL).out == usual


def test_replicates_are_runs_of_systems(biasvar, matrix):
    """Rows are systems, and what a system is made of are runs still."""
    given = ("--replicates", "(bm|rm).*", "--unit", "collection", "--no-null", "--wide")
    text = biasvar("decompose", matrix, *given, *FULL).out
    assert "nDCG@10 of 2 systems on 12 collections" in text
    assert "2 systems with 1 to 7 runs each (8 runs in all)" in text
    head = next(line for line in text.split("\n") if line.startswith("system "))
    assert head.split()[-4:] == ["runs", "var_queries", "var_replicates", "sd_replicates"]
    result = bv.decompose(matrix, replicates="(bm|rm).*", unit="collection", null=False)
    assert repr(result).startswith("nDCG@10 of 2 systems on 12 collections")
    assert result.frame().index.name == "run"


def test_a_summary_of_tracks_has_the_noun_that_they_share(biasvar, matrix):
    tracks = ({"scores": matrix.name, "year": year, "track": name} for name, year in (("A", 1), ("B", 2)))
    manifest = write_manifest(matrix.with_name("tracks.toml"), *tracks)
    assert "A (12 topics) and B (12 topics)" in biasvar("summary", manifest, "--unit", "topic", "--samples", 200).out
    topics, collections = (bv.decompose(matrix, unit=unit, null=False).scores for unit in ("topic", "collection"))
    assert "12 topics" in repr(bv.summary({"A": topics, "B": topics}))
    assert "12 queries" in repr(bv.summary({"A": topics, "B": collections}))


def test_errors_and_warnings_have_the_noun(biasvar, matrix):
    error = biasvar("tradeoff", matrix, "--unit", "collection", "--subset-size", 50, "--no-null").err
    assert "is more than there are: 12 collections" in error


@pytest.mark.parametrize("unit", ["x" * 31, "run1", "a{}", "two  blanks", "-topic", "query\n", "8"])
def test_a_unit_is_a_noun(biasvar, matrix, unit):
    assert_refused(biasvar("decompose", matrix, "--unit", unit), 2, "--unit: expected a noun in the singular")
    with pytest.raises(UsageError, match="unit: expected a noun in the singular"):
        bv.decompose(matrix, unit=unit)


@pytest.mark.parametrize(("unit", "several"), [("test collection", "test collections"), ("assessor", "assessors")])
def test_nouns_have_their_article_and_plural(unit, several):
    article = "An" if unit[0] == "a" else "A"
    with worded(Nouns(unit)):
        sentence = in_nouns("A query, of queries; Query: `query`")
    assert sentence == f"{article} {unit}, of {several}; {unit.capitalize()}: `query`"


@pytest.mark.parametrize("analysis", OF_SCORES_ALONE)
def test_a_notebook_has_the_nouns_of_the_command(biasvar, matrix, analysis):
    given = {"null": False} if analysis in ("decompose", "tradeoff") else {}
    typed = ("--no-null",) if given else ()
    result = getattr(bv, analysis)(matrix, unit="collection", **given)
    assert (
        result._rendered("text", None, typed=True)
        == biasvar(analysis, matrix, "--unit", "collection", *typed, "--quiet").out
    )
    assert words_left(result.verdict + result.to_markdown(notes="full"), "query|queries") == []
    loaded = bv.decompose(matrix, unit="collection", null=False).scores
    assert loaded is not None
    assert repr(getattr(bv, analysis)(loaded, **given)) == repr(result)
    if result.figures:
        assert words_left(result.plot().caption, "query|queries") == []


def test_scores_and_the_page_of_a_notebook_have_the_noun(matrix):
    result = bv.decompose(matrix, unit="collection", null=False)
    assert result.scores is not None
    assert repr(result.scores) == "Scores(nDCG@10, 8 runs, 12 collections)"
    assert "12 collections" in result._repr_html_()
    page = bv.report(matrix, unit="collection", null=False)
    assert words_left(text_of_page(page.html), "query|queries") == []
    assert "12 queries" in repr(bv.decompose(matrix, null=False))
    with pytest.raises(BiasVarError, match="than there are: 12 collections"):
        bv.tradeoff(matrix, unit="collection", subset_size=50, null=False)


@pytest.mark.parametrize(("unit", "noun"), [("Topic", "topic"), ("corpus", "corpus"), ("time series", "time series")])
def test_a_unit_is_a_noun_in_the_singular_whatever_its_first_letter(unit, noun):
    assert TrackRequest(inputs=("ap.csv",), unit=unit).nouns.query == noun
    assert TrackRequest(inputs=("ap.csv",), unit="BEIR set").unit == "BEIR set"


@pytest.mark.parametrize("unit", ["Queries", "topics", "test collections", "test runs", "Runs", "runs", "Run"])
def test_a_plural_and_the_noun_of_the_rows_are_no_units(unit):
    with pytest.raises(UsageError, match=r"^unit: "):
        TrackRequest(inputs=("ap.csv",), unit=unit)
