"""``biasvar judges``: the worked example, what is printed, what is counted, and what is refused."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, RealData, only

import biasvar_cli as bv
from biasvar_cli.errors import BiasVarError, DataWarning, keep_warnings
from biasvar_cli.scoring import scorer

A = "AP,q1,q2,q3\nr1,.9,.5,.1\nr2,.6,.4,.2\nr3,.3,.3,0\nr4,.2,0,.1\n"
B = "AP,q1,q2,q3\nr1,.8,.8,.4\nr2,.7,.5,.5\nr3,.5,.6,.1\nr4,.4,.4,.3\n"
JUDGES = (
    "judge,mean,slope,msd,shift,query,compression,favour,rest,tau,tau_total,tau_var,tau_total_gap,tau_var_gap,both,"
    "reversed,lost,gained,neither,best,pearson,verdict,favoured,disfavoured,spread,"
    "spread_low,spread_high,spread_p"
)
RUNS = "judge,run,mean,reference_mean,residual,p,curve_p,mark"
QUICK = ("--samples", "200")


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def scores(tmp_path: Path, **matrices: np.ndarray) -> list[Path]:
    """A file of scores for each judge, by name: a row a query, a column a run."""
    for name, values in matrices.items():
        frame = pd.DataFrame(values.T, columns=[f"r{row}" for row in range(len(values))])
        frame.index = pd.Index([f"q{query}" for query in range(1, values.shape[1] + 1)], name="score")
        frame.to_csv(tmp_path / f"{name}.csv")
    return [tmp_path / f"{name}.csv" for name in matrices]


def result(biasvar: Callable[..., Any], *words: Any) -> dict[str, Any]:
    """The one result in JSON."""
    return only(biasvar("judges", *words, *QUICK, "-f", "json", "--quiet"))


@pytest.fixture
def example(tmp_path: Path) -> list[Path]:
    return [write(tmp_path / "a.csv", A), write(tmp_path / "b.csv", B)]


def test_the_worked_example(biasvar, example):
    found = result(biasvar, *example, "--orient", "runs")
    (judge,) = found["judges"]
    parts = {"mean": 0.5, "slope": 0.766667, "msd": 0.056667, "shift": 0.04, "query": 0.005417}
    parts |= {"compression": 0.001361, "favour": 0.000306, "rest": 0.009583, "tau": 1, "tau_total": 0.666667}
    parts |= {"tau_var": 0.333333, "tau_total_gap": 1, "tau_var_gap": 0.333333}
    assert {name: round(judge[name], 6) for name in parts} == parts
    assert [round(run["residual"], 6) for run in found["runs"]] == [0.013333, -0.01, -0.023333, 0.02]
    assert (found["reference"], found["n_runs"], found["n_queries"], found["mean"]) == ("a", 4, 3, pytest.approx(0.3))
    assert [judge[name] for name in ("both", "reversed", "lost", "gained", "neither")] == [None] * 5  # 3 queries
    assert (judge["best"], judge["favoured"], judge["disfavoured"]) == ("r1", [], [])


@pytest.mark.parametrize(("table", "columns"), [("judges", JUDGES), ("runs", RUNS)])
def test_keys_of_json_and_columns_of_csv(biasvar, example, table, columns):
    found = result(biasvar, *example, "--orient", "runs")
    assert ",".join(found[table][0]) == columns
    words = ("judges", *example, "--orient", "runs", "--table", table, "-f", "csv", "--quiet", *QUICK)
    assert biasvar(*words).out.splitlines()[0] == f"measure,{columns}"


def test_sentences_on_a_judge_that_is_lenient_compresses_and_favours_a_run(said, tmp_path):
    rng = np.random.default_rng(1)
    people = np.linspace(0.2, 0.7, 10)[:, None] + rng.normal(size=40) * 0.1 + rng.normal(size=(10, 40)) * 0.1
    model = 0.4 + 0.5 * people + rng.normal(size=people.shape) * 0.03
    model[3] += 0.2
    text = said("judges", *scores(tmp_path, people=people, model=model), *QUICK, "--quiet")
    for words in (
        "model ranks the runs by mean only partly as people does (Kendall's tau 0.",
        "It is lenient (mean 0.",
        "spreads the runs less (0.",
        " favours r3",
    ):
        assert words in text
    same = said("judges", *scores(tmp_path, people=people, again=people), *QUICK, "--quiet")
    assert "It favours no run." in same
    assert "lenient" not in same


def test_many_judges_have_a_line_each(biasvar, tmp_path):
    values = np.random.default_rng(0).random((5, 8))
    judges = {"a": values, "b": values**2, "c": values**3, "d": 1 - values}
    verdict = biasvar("judges", *scores(tmp_path, **judges), *QUICK, "--quiet").out.split("\n\n")[1]
    *names, best = [line.partition(":")[0] for line in verdict.splitlines() if not line.startswith(" ")]
    assert names == ["b", "c", "d"]
    first, *others = (f"r{np.argmax(each.mean(axis=1))}" for each in judges.values())
    assert best == f"The best run under a, {first}, is the best under {others.count(first)} of the 3 others."
    assert "d: rankings in reverse (Kendall's tau -" in verdict


def test_passes_are_one_row_of_their_mean_with_the_variance_between_them(biasvar, tmp_path):
    people, one, two = np.random.default_rng(0).random((3, 5, 8))

    def judge(*words, **matrices):
        (row,) = result(biasvar, *scores(tmp_path, people=people, **matrices), *words)["judges"]
        return row

    passes = judge("--replicates", "-pass[0-9]", **{"model-pass1": one, "model-pass2": two})
    assert (passes["judge"], passes["n_passes"]) == ("model", 2)
    assert passes["msd"] == pytest.approx(judge(mean=(one + two) / 2)["msd"])
    assert passes["var_passes"] == pytest.approx(((one - two) ** 2).mean() / 4)
    assert (judge(x=one)["msd"] + judge(x=two)["msd"]) / 2 == pytest.approx(passes["msd"] + passes["var_passes"])


def test_less_is_better(biasvar, tmp_path):
    """Times: parts as for their negatives, means as they are; the run that is quicker than the line is favoured."""
    times = np.random.default_rng(0).random((5, 8)) + np.arange(1, 6)[:, None]
    other = 2 * times
    other[0] -= 1
    files = scores(tmp_path, a=times, b=other)
    cost, gain = (result(biasvar, *files, *more) for more in (("--lower-is-better",), ()))
    for name in ("slope", "msd", "shift", "query", "compression", "favour", "rest", "mean", "tau"):
        assert cost["judges"][0][name] == pytest.approx(gain["judges"][0][name])
    residuals = [[run["residual"] for run in each["runs"]] for each in (cost, gain)]
    assert residuals[0] == pytest.approx([-value for value in residuals[1]])
    assert (cost["best"], gain["best"]) == ("r0", "r4")


def test_the_spread_of_a_judge_is_said_of_true_means_and_reverse_order_of_the_ranking_alone(said, biasvar, tmp_path):
    """The means of the second judge are in reverse and twice as far apart: the slope is -2, and that is not less."""
    people = np.linspace(0.1, 0.4, 4)[:, None] + np.linspace(0, 0.2, 8)
    files = scores(tmp_path, people=people, model=1 - 2 * people)
    text = said("judges", *files, *QUICK, "--quiet")
    for words in (
        "model ranks the runs by mean in reverse of people (Kendall's tau -1.00",
        "Of 6 significant differences none stands: 6 are reversed.",
        "spreads the runs more (2.00 times people's spread, 2.00 to 2.00)",
    ):
        assert words in text
    (judge,) = result(biasvar, *files)["judges"]
    assert [judge[name] for name in ("slope", "spread", "spread_low", "spread_high")] == pytest.approx([-2, 2, 2, 2])
    (back,) = result(biasvar, *files[::-1])["judges"]
    assert [back[name] for name in ("spread", "spread_low", "spread_high")] == pytest.approx([0.5, 0.5, 0.5])


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({}, "All 6 significant differences stand."),
        ({3: 2}, "Of 6 significant differences 5 stand and 1 is lost."),
        ({0: 3}, "Of 6 significant differences 3 stand, 1 is lost and 2 are reversed."),
    ],
)
def test_what_becomes_of_significant_differences_is_one_sentence(said, tmp_path, changed, sentence):
    """``changed`` maps a run to the one whose scores, or nearly so, it has under the judge."""
    people = np.arange(4)[:, None] / 5 + np.linspace(0, 0.2, 8)
    model = people.copy()
    for run, other in changed.items():
        model[run] = people[other] + 0.001 * np.array([1, -1] * 4)
    text = said("judges", *scores(tmp_path, people=people, model=model), *QUICK, "--quiet")
    assert sentence in text
    paper = sentence[0].lower() + sentence[1:-1]
    tau = "The rankings of 4 runs by mean score under people and under model have a Kendall's tau of"
    assert f'For a paper: "{tau}' in text
    assert f"(8 queries); {paper} (step-down bootstrap over all pairs, p < 0.05)." in text


@pytest.mark.parametrize("values", [np.full((4, 7), 0.3), np.full((1, 7), 0.3), np.eye(2)[:, :1]])
def test_constant_scores_one_run_and_one_query(biasvar, tmp_path, values):
    files = scores(tmp_path, a=values, b=values / 2 + 0.1)
    (judge,) = result(biasvar, *files)["judges"]
    parts = [judge[name] for name in ("shift", "query", "compression", "favour", "rest")]
    assert sum(parts) == pytest.approx(judge["msd"])
    assert biasvar("judges", *files, *QUICK, "--quiet").code == 0


# ---- runs under several judgments


@pytest.fixture
def track(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Two runs on seven topics, a judge with grades 0 to 2, and one with 0 and 1 that lacks a topic and a pair."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for name, order in (("x", "abc"), ("y", "cab")):
        lines = [f"{topic} Q0 {doc} 1 {3 - rank} {name}" for topic in range(1, 8) for rank, doc in enumerate(order)]
        (runs / name).write_text("\n".join(lines))
    people = [f"{topic} 0 {doc} {grade}" for topic in range(1, 8) for doc, grade in zip("abc", (2, 1, 0), strict=True)]
    model = [f"{topic} 0 {doc} {grade}" for topic in range(1, 7) for doc, grade in zip("abc", (1, 0, 1), strict=True)]
    return runs, write(tmp_path / "people.txt", "\n".join(people)), write(tmp_path / "model.txt", "\n".join(model[:-1]))


def test_what_judgments_do_not_have_in_common_is_counted(biasvar, said, track):
    runs, people, model = track
    words = ("judges", runs, "-q", people, "-q", model, "-m", "nDCG@10", *QUICK, "--quiet")
    found = json.loads(biasvar(*words, "-f", "json").out)
    for words_of_a_notice in (
        "1 query left out, which not all judges have: 7",
        "1 document judged by people and not by model",
        "grade 2 is used by people only",
        "the highest grades differ (people 2, model 1), which changes nDCG@10",
        "unjudged documents in the top 10: people 0.0 %, model",
    ):
        assert any(notice.startswith(words_of_a_notice) for notice in found["notices"]), words_of_a_notice
    (track,) = found["results"]
    assert (track["n_queries"], track["n_runs"]) == (6, 2)
    assert "6 queries (of all judges)" in track["signature"]
    assert "The highest grades differ (people 2, model 1), which changes nDCG@10." in said(*words)


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_scores_under_each_judge_are_those_of_the_judge_alone(biasvar, track):
    runs, people, model = track
    found = result(biasvar, runs, "-q", people, "-q", model, "-m", "P@1", "--table", "queries")
    alone = bv.evaluate(runs, model, "P@1").frame()
    assert [row["mean"] for row in found["queries"]] == alone.mean(axis=1).tolist()


def test_a_run_is_read_once(biasvar, track, monkeypatch):
    runs, people, model = track
    read: list[str] = []
    fresh = scorer.parse_run
    monkeypatch.setattr(scorer, "parse_run", lambda data, path, **more: read.append(path) or fresh(data, path, **more))
    assert biasvar("judges", runs, "-q", people, "-q", model, "-q", f"third={people}", *QUICK).code == 0
    assert sorted(Path(path).name for path in read) == ["x", "y"]


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_judgments_in_memory_are_those_of_the_files(biasvar, track):
    runs, people, model = track
    columns = {"names": ["qid", "iteration", "docno", "label"], "dtype": {"qid": str}}
    frames = {path.stem: pd.read_csv(path, sep=" ", **columns) for path in (people, model)}
    asked = {"measure": "nDCG@10", "samples": 200}
    of_files, of_memory = (bv.judges(runs, judged, **asked) for judged in ([str(people), str(model)], frames))
    assert of_files.frame().equals(of_memory.frame())
    assert of_files.to_dict()["results"] == [result(biasvar, runs, "-q", people, "-q", model, "-m", "nDCG@10")]
    of_scores = bv.judges({name: bv.evaluate(runs, frame, "nDCG@10") for name, frame in frames.items()}, samples=200)
    assert of_scores.frame().equals(of_files.frame())


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("runs -q people.txt", 2, "a judge is compared with the first one"),
        ("runs -q people.txt -q ./people.txt", 2, "two judges would be called people"),
        ("runs -q people.txt -q x=nowhere.txt", 2, "does not exist"),
        ("a.csv", 2, "a judge is compared with the first one"),
        ("a.csv -q people.txt -q model.txt", 2, "-q needs runs"),
        ("a.csv other.csv", 1, "have no runs in common"),
        ("a.csv ndcg.csv", 1, "-m AP=nDCG compares these"),
        ("a.csv a-1.csv a-2.csv --replicates a", 1, "--replicates a"),
        ("a.csv a-1.csv --replicates -[0-9]", 1, "no two judges"),
        ("rows.csv more.csv -m AP", 1, "add a column of ids"),  # rows without ids that are not as many
    ],
)
def test_what_cannot_be_compared_is_refused(refused, track, monkeypatch, words, code, message):
    folder = track[0].parent
    monkeypatch.chdir(folder)
    for name in ("a", "a-1", "a-2"):
        write(folder / f"{name}.csv", A)
    write(folder / "other.csv", A.replace("q", "t"))
    write(folder / "ndcg.csv", A.replace("AP", "nDCG"))
    rows = write(folder / "rows.csv", "A,B\n.1,.2\n.3,.5\n").read_text()
    write(folder / "more.csv", rows + ".1,.1\n")
    refused(code, message, "judges", *words.split())


def test_the_report_has_a_section_on_other_judgments(made, undrawn, in_the_checkout):
    words = ("sample_runs", "-q", "qrels/npl.qrels.txt", "-q", "half=qrels/npl-half.qrels.txt", "--glob", "*m*")
    text, _ = made(*words, "--no-null", "--quiet")
    assert "<h2>Other judgments</h2>" in text
    assert "half ranks the runs by mean" in text
    assert "-q qrels/npl.qrels.txt -q" not in text.split("biasvar plot plane")[1].split("</")[0]


def test_the_figure_has_a_bar_and_a_panel_for_each_judge(biasvar, drawn, tmp_path):
    values = np.random.default_rng(0).random((6, 12))
    files = scores(tmp_path, a=values, b=values**2, c=values / 2)
    data = drawn("judges", *files, *QUICK, "--quiet")["datasets"]
    for judge in result(biasvar, *files)["judges"]:
        parts = {row["part"]: row["value"] for row in data["parts"] if row["judge"] == judge["judge"]}
        assert sum(parts.values()) == pytest.approx(judge["msd"])
        assert all(parts[name] == pytest.approx(judge[name]) for name in parts)
    assert [len(data[f"runs{number}"]) for number in (0, 1)] == [6, 6]


def test_python_needs_several_judges():
    with pytest.raises(BiasVarError, match="expected those of each judge"):
        bv.judges("ap.csv")


def test_the_half_of_the_sample_is_every_second_judgment():
    lines = (ROOT / "qrels" / "npl.qrels.txt").read_text().splitlines()
    assert (ROOT / "qrels" / "npl-half.qrels.txt").read_text().splitlines() == lines[::2]


def test_names_and_marks_of_the_figure_are_those_of_every_figure(drawn, tmp_path):
    values = np.random.default_rng(0).random((6, 12))
    files = scores(tmp_path, a=values, b=values**2)
    spec = json.dumps(drawn("judges", *files, "--names", "r1=BM25", "--highlight", "r2", "--quiet", *QUICK))
    assert "BM25" in spec
    assert '"r1"' not in spec
    assert "Highlighted: r2" in spec


# ---- 63 runs of TREC Deep Learning 2021 under eight judges, beside figures of an independent program


OF_JUDGES = {  # mean, slope, msd, shift, query, compression, favour, rest; taus; both, reversed, lost, gained
    "umbrela-gpt-4o": "0.671 1.10 0.0395 0.0104 0.0202 0.0001 0.0002 0.0086  0.94 0.93 0.69 0.93 0.78  742 0 28 71",
    "umbrela-gpt-4": "0.711 1.05 0.0504 0.0201 0.0203 0.0000 0.0002 0.0097  0.92 0.91 0.71 0.91 0.78  682 0 88 27",
    "binary-gpt-4": "0.802 0.98 0.1001 0.0544 0.0282 0.0000 0.0008 0.0167  0.90 0.87 0.59 0.87 0.78  429 0 341 4",
    "exam-gpt-4": "0.754 0.72 0.0744 0.0342 0.0256 0.0010 0.0009 0.0126  0.85 0.80 0.59 0.82 0.69  380 0 390 15",
    "umbrela-llama3.2-pass1": (
        "0.689 0.47 0.0702 0.0145 0.0331 0.0036 0.0003 0.0186  0.84 0.82 0.48 0.82 0.66  257 0 513 0"
    ),
}
MARKED = {  # the runs that a judge favours, and those that it disfavours
    "binary-gpt-4": ("watpfd", "uogTrPCP"),
    "exam-gpt-4": ("watpfd watpff watpfp", "uogTrPCP"),
    "umbrela-llama3.2-pass1": ("", "uogTrPCP"),
}
PARTS = ["mean", "slope", "msd", "shift", "query", "compression", "favour", "rest"]
TAUS = ["tau", "tau_total", "tau_var", "tau_total_gap", "tau_var_gap"]
PAIRS = ["both", "reversed", "lost", "gained"]
DIGITS = (3, 2, *[4] * 6)


@pytest.fixture(scope="module")
def found(shared: RealData) -> dict[str, Any]:
    """People and all judges at once."""
    folder = shared / "dl21-judges"
    qrels = [str(folder / "qrels" / f"{name}.txt") for name in ("human", *OF_JUDGES)]
    with keep_warnings(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # on ranks of a run that contradict its scores
        result = bv.judges(str(folder / "runs"), qrels, measure="nDCG@10", samples=1000)
    (document,) = result.to_dict()["results"]
    return document


def test_the_reference(found):
    assert (found["n_runs"], found["n_queries"], round(found["mean"], 3)) == (63, 53, 0.569)
    assert abs(found["n_significant"] - 770) < 50
    assert round(found["pearson"], 2) == 0.47


@pytest.mark.parametrize("name", OF_JUDGES)
def test_a_judge(found, name):
    """Pairs have a Monte Carlo error: a standard deviation of about 16 for each judge."""
    (judge,) = (judge for judge in found["judges"] if judge["judge"] == name)
    parts, taus, pairs = (list(map(float, numbers.split())) for numbers in OF_JUDGES[name].split("  "))
    assert [round(judge[part], digits) for part, digits in zip(PARTS, DIGITS, strict=True)] == parts
    assert [round(judge[tau], 2) for tau in TAUS] == taus
    assert judge["pearson"] > found["pearson"] + 0.1
    assert [judge[kind] for kind in PAIRS] == pytest.approx(pairs, abs=50)
    favoured, disfavoured = (runs.split() for runs in MARKED.get(name, ("", "")))
    assert (sorted(judge["favoured"]), sorted(judge["disfavoured"])) == (favoured, disfavoured)
    marks = {run["run"]: run["mark"] for run in found["runs"] if run["judge"] == name and run["mark"]}
    assert marks == dict.fromkeys(favoured, "favoured") | dict.fromkeys(disfavoured, "disfavoured")


def test_three_passes_are_one_row(biasvar, shared):
    qrels = shared / "dl21-judges" / "qrels"
    names = ["human", *(f"umbrela-llama3.2-pass{number}" for number in (1, 2, 3))]
    words = [word for name in names for word in ("-q", qrels / f"{name}.txt")]
    quick = (shared / "dl21-judges" / "runs", *words, "-m", "nDCG@10")
    passes = result(biasvar, *quick)["judges"]
    (row,) = result(biasvar, *quick, "--replicates", "-pass[0-9]+")["judges"]
    assert (row["judge"], row["n_passes"]) == ("umbrela-llama3.2", 3)
    assert sum(judge["msd"] for judge in passes) / 3 == pytest.approx(row["msd"] + row["var_passes"])
