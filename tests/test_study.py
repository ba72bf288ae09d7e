"""The study script against another program's figures (``study.csv`` of each collection), and docs/study.md."""

from __future__ import annotations

import doctest
import gzip
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, RealData, rows_of, unix, write_scores

COMBINED = [f"comb-0.{tenths}" for tenths in range(1, 10)]
REMOVED = [f"nrr-0.{tenths}" for tenths in range(1, 10)] + ["nrr-1.0"]
OTHER_NAMES = {"target": "rel-fb"}  # the other program's names of models that have another one here
FOLDERS = {"npl": "vaswani-npl", "cranfield": "cranfield"}
SIX_DECIMALS = 6e-7
Study = dict[str, dict[str, float]]


class Made(NamedTuple):
    """What the script makes of a collection: AP of every model, (n_queries,), and which queries have no feedback."""

    collection: Any
    mu: int
    scores: dict[str, np.ndarray]
    without_feedback: int


@pytest.fixture(scope="module")
def studies() -> Iterator[dict[str, ModuleType]]:
    """The modules of the script by name."""
    pytest.importorskip("Stemmer", reason="PyStemmer is not here (extra studies)")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "studies")
        names = ("collection", "models", "query_models")
        yield {name: importlib.import_module(name) for name in names}
        for name in names:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def expected(shared: RealData) -> dict[str, Study]:
    studies = {name: pd.read_csv(shared / folder / "study.csv", index_col="model") for name, folder in FOLDERS.items()}
    return {name: study.rename(OTHER_NAMES).to_dict("index") for name, study in studies.items()}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def made(shared: RealData, studies: dict[str, ModuleType], results: Path) -> dict[str, Made]:
    """Both collections; what `make study` writes for the page is in ``results``, without the runs."""
    return {name: _made(studies, shared / folder, results / name) for name, folder in FOLDERS.items()}


def _made(studies: dict[str, ModuleType], folder: Path, out: Path) -> Made:
    """As ``query_models.study``, but with AP of the rankings in place of their lines."""
    models, lines = studies["models"], studies["query_models"]
    collection = studies["collection"].read_collection(folder)
    mu = models.default_mu(collection)
    index = models.index_of(collection, mu)
    scores = {name: [] for name in models.NAMES}
    kept = {name: [] for name in models.NAMES}
    without = 0
    judged = np.zeros(len(collection.documents), dtype=bool)
    for query, counts, relevant in zip(collection.query_ids, collection.queries, collection.relevant, strict=True):
        found = models.query_models(index, counts, relevant, models.Settings(mu))
        without += np.array_equal(found["rel-fb"], found["orig"])
        values = models.scores_of(index, np.array([found[name] for name in models.NAMES]))
        judged[:] = False
        judged[relevant] = True
        for name, row in zip(models.NAMES, values, strict=True):
            scores[name].append(_average_precision(judged[models.rank(row, 1000).documents], len(relevant)))
            kept[name] += lines.model_lines(query, collection.terms, found[name])
    for name, text in kept.items():
        lines.write_lines(out / "models" / f"{name}.tsv.gz", text)
    lines.write_lines(out / "background.tsv.gz", lines.background_lines(collection))
    for file, names in (("ap.csv", models.NAMES), ("sigir13.csv", models.SIGIR_2013)):
        _write_matrix(out / file, collection.query_ids, {name: scores[name] for name in sorted(names)})
    return Made(collection, mu, {name: np.array(values) for name, values in scores.items()}, without)


def _average_precision(relevant: np.ndarray, n_relevant: int) -> float:
    """AP of a ranking, of which ``relevant`` says at every rank whether the document is."""
    ranks = np.flatnonzero(relevant) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum() / n_relevant)


def _write_matrix(path: Path, queries: list[str], scores: dict[str, list[float]]) -> None:
    write_scores(path, [*scores.values()], scores, queries)


def test_settings_are_those_of_the_note(made):
    """Documents, queries, mu, and queries without a relevant feedback document, as another program has them."""
    for name, settings in {"npl": (11429, 93, 100, 6), "cranfield": (1400, 225, 400, 16)}.items():
        collection, mu, _, without_feedback = made[name]
        assert (len(collection.documents), len(collection.query_ids), mu, without_feedback) == settings


@pytest.mark.parametrize("name", FOLDERS)
def test_effectiveness_is_that_of_the_other_program(made, expected, name):
    assert made[name].scores.keys() == expected[name].keys()
    for model, ap in made[name].scores.items():
        gap = made[name].scores["true"] - ap
        wanted = [expected[name][model][key] for key in ("mean", "var", "var_gap_to_true")]
        assert (ap.mean(), ap.var(), gap.var()) == pytest.approx(wanted, abs=SIX_DECIMALS), model


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.usefixtures("made")
def test_estimation_is_that_of_the_other_program(biasvar, results, expected, name):
    folder = results / name
    options = ("--true", folder / "models" / "true.tsv.gz", "--background", folder / "background.tsv.gz", "--quiet")
    divergences = ("--divergence", "kl-fwd", "--divergence", "js")
    rows = rows_of(biasvar("models", folder / "models", *options, *divergences, "-f", "csv"))
    assert len(rows) == 2 * 31
    for row in rows:
        other = expected[name][row["model"]]
        kind = row["divergence"].replace("-", "_")
        wanted = [other[f"{key}_{kind}"] for key in ("bias_est", "var_est", "total_est")]
        found = [float(row[key]) for key in ("bias_est", "var_est", "total_est")]
        assert found == pytest.approx(wanted, abs=SIX_DECIMALS), (row["model"], kind)
        assert float(row["unseen"]) == pytest.approx(other["unseen_true_mass"], abs=SIX_DECIMALS), row["model"]
    kl = {row["model"]: row for row in rows if row["divergence"] == "kl-fwd"}
    path = [(float(kl[model]["bias_est"]), float(kl[model]["var_est"])) for model in COMBINED]
    assert path == sorted(path)  # h2: the larger lambda, the larger the bias
    assert sorted(path, key=lambda point: -point[1]) == path  # and the smaller the variance


def test_counts_are_those_of_the_other_program(made):
    """By another program: lambda and removals below RM in the score form, and in the gap form against ``rel-fb``."""
    found = {}
    for name, each in made.items():
        targeted = each.scores["rel-fb"]
        bias2 = {model: (targeted.mean() - ap.mean()) ** 2 for model, ap in each.scores.items()}
        score = {model: ap.var() for model, ap in each.scores.items()}
        gap = {model: (targeted - ap).var() for model, ap in each.scores.items()}
        found[name] = (
            _below(COMBINED, bias2, score),
            len(_below(REMOVED, bias2, score)),
            len(_below(REMOVED, bias2, gap)),
            *(round(_r(family, bias2, score), 2) for family in (COMBINED, REMOVED)),
        )
    assert found == {"npl": (COMBINED[3:], 2, 10, -0.02, 0.93), "cranfield": (COMBINED[:2], 0, 10, -0.99, 0.93)}


def _below(family: list[str], *quantities: dict[str, float]) -> list[str]:
    return [model for model in family if all(values[model] < values["rm"] for values in quantities)]


def _r(family: list[str], bias2: dict[str, float], var: dict[str, float]) -> float:
    return float(np.corrcoef([bias2[model] for model in family], [var[model] for model in family])[0, 1])


@unix
@pytest.mark.usefixtures("made")
def test_the_page_is_what_the_tool_prints(stale, results):
    assert not stale("docs/study.md", BIASVAR_STUDY=str(results)), "make study writes it again"


def test_the_figures_of_the_page_are_small():
    figures = sorted(set(re.findall(r"\(([\w-]+\.svg)\)", (ROOT / "docs" / "study.md").read_text())))
    assert len(figures) == 4
    for figure in figures:
        assert (ROOT / "docs" / figure).stat().st_size < 40_000, figure


def test_the_examples_of_the_script_are_true(studies):
    assert [doctest.testmod(module).failed for module in studies.values()] == [0, 0, 0]


def collection(folder: Path, documents: str, topics: str, qrels: str) -> None:
    """Write a collection as the script reads it."""
    (folder / "docs.tsv.gz").write_bytes(gzip.compress(documents.encode()))
    (folder / "topics.tsv").write_text(topics)
    (folder / "qrels.txt").write_text(qrels, encoding="utf-8")


def lines_of(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()


def test_the_script_writes_what_the_commands_read(studies, tmp_path, biasvar):
    """Three documents, one query; q2 has no relevant document."""
    docs = "d1\tred apples\nd2\tgreen apples and red pears\nd3\tblue plums\n"
    collection(tmp_path, docs, "q1\tRED apple\nq2\tplum\n", "q1 0 d2 1\nq2 0 d3 0\n")
    command = [sys.executable, ROOT / "studies" / "query_models.py", tmp_path, "--out", tmp_path / "out", "--mu", "2"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    runs = sorted((tmp_path / "out" / "runs").iterdir())
    assert [path.name.removesuffix(".gz") for path in runs] == sorted(studies["models"].NAMES)
    assert lines_of(tmp_path / "out" / "models" / "orig.tsv.gz") == ["q1\tappl\t0.5", "q1\tred\t0.5"]
    # ln p(w | d) for red and apple, both 2 of 8 words: d1 (1 + .5) / (2 + 2), d2 (1 + .5) / (4 + 2), d3 .5 / (2 + 2)
    lines = lines_of(tmp_path / "out" / "runs" / "orig.gz")
    assert lines == [f"q1 Q0 d{n} {n} {np.log(p):.6f} orig" for n, p in ((1, 1.5 / 4), (2, 1.5 / 6), (3, 0.5 / 4))]
    out = tmp_path / "out"
    assert biasvar("decompose", out / "runs", "-q", tmp_path / "qrels.txt", "--quiet").code == 0
    assert biasvar("models", out / "models", "--true", out / "models" / "true.tsv.gz", "--quiet").code == 0


def test_ids_of_any_script_and_judged_queries_without_a_text(studies, tmp_path, monkeypatch, capsys):
    docs = "café\tred apples\nd2\tgreen apples\n"
    collection(tmp_path, docs, "q1\tred apple\n", "q1 0 café 1\nq7 0 d2 1\n")
    words = ["query_models.py", str(tmp_path), "--out", str(tmp_path / "out"), "--mu", "2"]
    monkeypatch.setattr(sys, "argv", words)
    studies["query_models"].main()
    assert "topics.tsv: judged queries without a text here, left out: 1 (q7)" in capsys.readouterr().err
    assert lines_of(tmp_path / "out" / "runs" / "orig.gz")[0].split()[:4] == ["q1", "Q0", "café", "1"]
    for option in ("--mu", "--feedback", "--depth", "--terms"):
        monkeypatch.setattr(sys, "argv", [*words, option, "0"])
        with pytest.raises(SystemExit, match=r"^2$"):
            studies["query_models"].main()
        assert f"{option}: 0 is not above 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("topics.tsv", "q1\tfull\n", "query q1: none of its words is in the documents"),
        ("topics.tsv", "q1\tempty\nq2\tempty\n", "query q2: its relevant documents are all empty"),
        ("topics.tsv", "q1\tempty\nq1\tempty\n", r"topics.tsv:2: q1 is there twice"),
        ("topics.tsv", "q1 empty\n", r"topics.tsv:1: no tab between id and text: 'q1 empty'"),
        ("qrels.txt", "q1 0 d9 1\n", r"qrels.txt:1: no document d9 in docs.tsv.gz"),
        ("qrels.txt", "q1 0 d1 1\nq1 0 d1 1\n", r"qrels.txt:2: d1 is judged twice for query q1, first in line 1"),
        ("qrels.txt", "q1 0 d1\n", r"qrels.txt:1: expected query, 0, document and grade, found 'q1 0 d1'"),
        ("topics.tsv", None, r"topics.tsv: not there; a collection has docs.tsv.gz, topics.tsv and qrels.txt"),
    ],
)
def test_what_is_wrong_with_a_collection_stops_the_script(studies, tmp_path, name, text, message):
    collection(tmp_path, "d1\tvery empty\nd2\t\n", "q1\tempty\n", "q1 0 d1 1\nq2 0 d2 1\n")
    if text is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_text(text)
    with pytest.raises(SystemExit, match=message):
        studies["collection"].read_collection(tmp_path)
