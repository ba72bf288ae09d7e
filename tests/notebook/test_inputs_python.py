"""What comes in from Python: every form gives the numbers that the same data give from files, and is not changed."""

from __future__ import annotations

import copy
import itertools
from collections import defaultdict
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from conftest import OF_SCORES_ALONE, rows_of

import biasvar_cli as bv
from biasvar_cli.notebook.scores import scores_from

JUDGED = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 0, "d4": 1}}
BM25 = {"q1": {"d2": 3.0, "d1": 2.0, "d9": 1.0}, "q2": {"d4": 1.0}}
RM3 = {"q1": {"d3": 2.5, "d1": 1.5}, "q2": {"d1": 2.0, "d4": 1.0}}
RUNS = {"bm25": BM25, "rm3": RM3}
# bm25 ranks d1, one of two relevant documents, second on q1; rm3 ranks both first on q1 and d4 second on q2
AP = {"bm25": {"q1": 0.25, "q2": 1.0}, "rm3": {"q1": 1.0, "q2": 0.5}}
RR = {"bm25": {"q1": 0.5, "q2": 1.0}, "rm3": {"q1": 1.0, "q2": 0.5}}
BY_MEASURE = {"AP": AP, "RR": RR}
QUERIES = ["q1", "q2"]


class Ranx:
    """The interface of ``ranx.Run`` and ``ranx.Qrels``."""

    def __init__(self, nested: Any, name: str | None = None) -> None:
        self.nested, self.name = nested, name

    def to_dict(self) -> dict[str, dict[str, Any]]:
        return defaultdict(dict, {query: dict(by) for query, by in self.nested.items()})

    def to_dataframe(self) -> pd.DataFrame:
        return _ranx_frame(self.nested)


class RanxRun(Ranx):
    def __init__(self, run: dict[str, dict[str, float]], name: str | None = None) -> None:
        super().__init__(run, name)
        self.run, self.scores = run, defaultdict(dict)  # type: ignore[var-annotated]


class RanxQrels(Ranx):
    def __init__(self, qrels: dict[str, dict[str, int]], name: str | None = None) -> None:
        super().__init__(qrels, name)
        self.qrels = qrels


def _ranx_frame(nested: Any) -> pd.DataFrame:
    rows = [(query, doc, score) for query, by in nested.items() for doc, score in by.items()]
    return pd.DataFrame(rows, columns=["q_id", "doc_id", "score"])


RUNS_OF_RANX = [RanxRun(run, name) for name, run in RUNS.items()]


@pytest.fixture(params=["stand-in", "ranx"])
def ranx(request: pytest.FixtureRequest) -> Any:
    """``Run`` and ``Qrels`` of ranx, and classes of the same interface."""
    if request.param == "stand-in":
        return RanxRun, RanxQrels
    package = pytest.importorskip("ranx")
    return package.Run, package.Qrels


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """The runs and their judgments as files."""
    folder, qrels = tmp_path / "runs", tmp_path / "qrels.txt"
    folder.mkdir()
    for name, run in RUNS.items():
        lines = [f"{query} Q0 {doc} 0 {score} {name}" for query, by in run.items() for doc, score in by.items()]
        (folder / name).write_text("\n".join(lines) + "\n")
    lines = [f"{query} 0 {doc} {grade}" for query, by in JUDGED.items() for doc, grade in by.items()]
    qrels.write_text("\n".join(lines) + "\n")
    return str(folder), str(qrels)


def ap(runs: Any, qrels: Any = JUDGED, **options: Any) -> dict[str, dict[str, float]]:
    return bv.evaluate(runs, qrels, **options).frame().to_dict()


def read(scores: Any, **options: Any) -> tuple[dict[str, float], set[str]]:
    """The scores of a form as an analysis has them: the means of the runs, and the queries."""
    means = bv.risk(scores, "mean", **options).frame()["mean"].to_dict()
    return means, set(bv.target(scores, **options).frame().index)


def expected(by_run: dict[str, dict[str, float]]) -> tuple[dict[str, float], set[str]]:
    return {run: sum(by.values()) / len(by) for run, by in by_run.items()}, set(QUERIES)


# ---- several measures


SEVERAL = (("map", "recip_rank"), "AP RR", ["AP", "RR", "map", ir_measures.AP], [ir_measures.AP, ir_measures.RR])


@pytest.mark.parametrize("measure", [*SEVERAL, np.array(["AP", "RR"]), (name for name in ("AP", "RR"))])
def test_several_measures_at_once_are_each_alone(measure):
    scores = bv.evaluate(RUNS, JUDGED, measure)
    assert scores.measures == ("AP", "RR")
    assert repr(scores) == "Scores(AP, RR, 2 runs, 2 queries)"
    for name in ("AP", "RR"):
        assert scores[name] == bv.evaluate(RUNS, JUDGED, name)
        assert scores[name].frame().to_dict() == BY_MEASURE[name]
    assert scores["recip_rank"] == scores[ir_measures.RR] == scores["rr"] == scores["RR"]
    assert scores[["RR", "AP"]].measures == ("RR", "AP")
    assert list(scores) == ["AP", "RR"]
    assert "map" in scores
    assert "P@5" not in scores
    assert scores != scores["AP"]
    assert (scores.runs, scores.queries) == (("bm25", "rm3"), ("q1", "q2"))
    assert len(scores.track.scored) == 2


def test_the_only_measure_is_refused_where_there_are_several():
    scores = bv.evaluate(RUNS, JUDGED, ["AP", "RR"])
    with pytest.raises(bv.BiasVarError, match=r"several measures, AP and RR: .*scores\['AP'\] .*\.measures"):
        scores.measure  # noqa: B018
    with pytest.raises(bv.BiasVarError, match=r"these scores are of AP and RR, not of P@5"):
        scores["P@5"]
    with pytest.raises(bv.BiasVarError, match=r"there is no table 'wide'; there are queries, long"):
        scores.frame("wide")


def test_frames_of_several_measures_are_blocks_in_the_order_asked(biasvar, files):
    folder, qrels = files
    scores = bv.evaluate(folder, qrels, ["RR", "AP"])
    frame = scores.frame()
    assert list(frame.columns) == ["measure", "bm25", "rm3"]
    assert (frame.index.name, list(frame.index)) == ("query_id", [*QUERIES, *QUERIES])
    assert frame["measure"].tolist() == ["RR", "RR", "AP", "AP"]
    assert frame["bm25"].tolist() == [0.5, 1.0, 0.25, 1.0]
    rows = rows_of(biasvar("scores", folder, "-q", qrels, "-m", "RR", "-m", "AP", "-f", "csv"))
    long = scores.frame("long").astype({"score": str})
    assert long.to_dict("records") == rows
    for form in (frame, frame.reset_index(), scores.frame("long"), frame.set_index("measure", append=True)):
        for name in ("AP", "RR"):
            assert read(form, measure=name) == expected(BY_MEASURE[name])


def test_measure_chooses_among_scores_that_are_made():
    scores = bv.evaluate(RUNS, JUDGED, ["AP", "RR"])
    assert bv.decompose(scores, measure="map", null=False) == bv.decompose(scores["AP"], null=False)
    with pytest.raises(bv.BiasVarError, match=r"measure: these scores are of AP and RR, not of nDCG@10"):
        bv.decompose(scores, measure="ndcg_cut_10")
    with pytest.raises(bv.BiasVarError, match=r"qrels: these scores are made"):
        bv.decompose(scores, qrels=JUDGED, measure="AP")
    with pytest.raises(bv.BiasVarError, match=r"queries: these scores are made"):
        bv.decompose(scores["AP"], queries=QUERIES)


def test_a_chosen_measure_keeps_the_others_for_analyses_that_need_them():
    every = bv.evaluate(RUNS, JUDGED, ["AP", "P@1"])["AP"]
    loaded = scores_from(RUNS_OF_RANX, None, JUDGED, {}, auxiliary=("P@1",))
    for scores in (every, scores_from(every, "AP", None, {}, auxiliary=("P@1",)), loaded):
        assert scores.measures == ("AP",)
        assert scores.track.auxiliary["P@1"].scores.values.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_pyterrier_s_experiment_may_have_objects_of_ir_measures():
    for names in (["map", "recip_rank"], [ir_measures.AP, ir_measures.RR]):
        by_name = dict(zip(names, BY_MEASURE.values(), strict=True))
        keys = itertools.product(RUNS, QUERIES, by_name)
        rows = [(run, query, name, by_name[name][run][query]) for run, query, name in keys]
        frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
        assert read(frame, measure=ir_measures.RR) == expected(RR)
        assert read(frame, measure="map") == expected(AP)


# ---- runs and judgments


def test_runs_of_ranx_are_those_of_files(ranx, files):
    run, qrels = ranx
    runs = [run(by, name=name) for name, by in RUNS.items()]
    judged = qrels(JUDGED)
    assert ap(*files) == AP
    for form in (runs, tuple(runs), iter(runs), dict(zip(RUNS, runs, strict=True)), RUNS):
        assert ap(form, judged) == AP
    assert ap(runs[0], judged) == {"bm25": AP["bm25"]}
    assert ap(run(BM25), judged) == {"run": AP["bm25"]}
    assert ap(runs[0].to_dataframe(), judged.to_dataframe()) == {"run": AP["bm25"]}
    frames = {one.name: one.to_dataframe() for one in runs}
    assert ap(frames, judged.to_dataframe()) == AP
    assert ap(runs[0], JUDGED, pool=runs[1:]) == {"bm25": AP["bm25"]}
    result = bv.decompose(runs, qrels=judged, null=False)
    assert result == bv.decompose(bv.evaluate(*files), null=False)


def test_what_is_wrong_with_runs_of_ranx_is_said(ranx):
    run, qrels = ranx
    one = run(BM25, name="bm25")
    for runs, judged, message in (
        ([one, run(RM3, name="bm25")], JUDGED, "two runs have one name: bm25, bm25"),
        ([one, run(RM3)], JUDGED, r"runs: run 2 of the list has no name; name it, .* or give \{name: run\}"),
        ([one, "rm3.gz"], JUDGED, "runs: expected paths, a DataFrame or a dict, found (Ranx)?Run"),
        (qrels(JUDGED), one, "runs: found judgments; runs and judgments look swapped"),
        (RUNS, one, "qrels: found a run; runs and judgments look swapped"),
        (qrels(JUDGED), JUDGED, "runs: found judgments; runs and judgments look swapped"),
        (one, one.to_dataframe(), "runs and judgments look swapped"),
    ):
        with pytest.raises(bv.BiasVarError, match=message):
            bv.evaluate(runs, judged)
    with pytest.raises(bv.BiasVarError, match="scores: these are retrieved documents; give them to evaluate"):
        bv.decompose([one])


def test_records_of_ir_measures_are_runs_and_judgments(files):
    def run(by_query: dict[str, dict[str, float]]) -> list[ir_measures.ScoredDoc]:
        return [ir_measures.ScoredDoc(query, doc, by[doc]) for query, by in by_query.items() for doc in by]

    judged = [ir_measures.Qrel(query, doc, grade) for query, by in JUDGED.items() for doc, grade in by.items()]
    assert ap({name: run(by) for name, by in RUNS.items()}, judged) == AP
    assert ap(iter(run(BM25)), iter(judged)) == {"run": AP["bm25"]}
    folder, qrels = files
    assert ap(ir_measures.read_trec_run(f"{folder}/bm25"), ir_measures.read_trec_qrels(qrels)) == {"run": AP["bm25"]}


def test_paths_come_in_any_sequence(files, tmp_path):
    folder, qrels = files
    every = sorted(Path(folder).iterdir())
    forms = (folder, every, tuple(map(str, every)), (path for path in every), np.array(list(map(str, every))))
    for form in (*forms, np.array(every), pd.Series(list(map(str, every)))):
        assert ap(form, qrels) == AP
    bv.evaluate(folder, qrels).frame("long").to_csv(tmp_path / "ap.csv", index=False)
    by_path = bv.decompose((path for path in [tmp_path / "ap.csv"]), null=False)
    assert by_path == bv.decompose(AP, measure="AP", null=False)


# ---- scores


def nested(*, by_measure: bool = False) -> dict[str, dict[str, dict[str, float]]]:
    """The scores by run as pytrec_eval has them, or with the measures outside, as ranx has them."""
    names = {"map": AP, "recip_rank": RR}
    if by_measure:
        return {run: {name: by[run] for name, by in names.items()} for run in RUNS}
    return {run: {query: {name: by[run][query] for name, by in names.items()} for query in QUERIES} for run in RUNS}


def metrics(run: str) -> list[ir_measures.Metric]:
    scores = ((ir_measures.AP, AP), (ir_measures.RR, RR))
    return [ir_measures.Metric(query, measure, by[run][query]) for measure, by in scores for query in QUERIES]


ARRAY = np.array([[AP[run][query] for run in RUNS] for query in QUERIES])
NAMES = {"runs": list(RUNS), "queries": QUERIES}
NAMELESS = [  # forms that name runs and queries themselves
    *(nested(), nested(by_measure=True), AP, defaultdict(dict, AP), pd.DataFrame(AP)),
    {run: pd.Series(by) for run, by in AP.items()},
    {run: metrics(run) for run in RUNS},
    {run: pd.DataFrame(metrics(run)) for run in RUNS},
    {run: pd.DataFrame(nested()[run]).T.rename_axis("qid") for run in RUNS},
]
FORMS: list[tuple[Any, dict[str, Any]]] = [
    *((form, {}) for form in NAMELESS),
    ({run: list(by.values()) for run, by in AP.items()}, {"queries": QUERIES}),
    ({run: np.array(list(by.values())) for run, by in AP.items()}, {"queries": pd.Index(QUERIES)}),
    ({run: pd.Series(by.values()) for run, by in AP.items()}, {"queries": iter(QUERIES)}),
    *((form, NAMES) for form in (ARRAY, ARRAY.astype(object), np.asfortranarray(ARRAY), np.ma.masked_array(ARRAY))),
    (ARRAY.tolist(), NAMES),
]


@pytest.mark.parametrize(("form", "names"), FORMS)
def test_every_form_of_scores_has_the_same_numbers(form, names, tmp_path):
    path = tmp_path / "ap.csv"
    pd.DataFrame(AP).rename_axis("topic").to_csv(path)
    result = bv.decompose(form, measure="AP", null=False, **names)
    assert result == bv.decompose(str(path), measure="AP", null=False)
    assert result.measure == "AP"


def test_results_of_pytrec_eval_are_those_of_evaluate():
    package = pytest.importorskip("pytrec_eval")
    evaluator = package.RelevanceEvaluator(JUDGED, {"map", "recip_rank", "ndcg_cut_10"})
    results = {name: evaluator.evaluate(run) for name, run in RUNS.items()}
    scores = bv.evaluate(RUNS, JUDGED, ["AP", "RR", "nDCG@10"])
    for name in ("AP", "RR", "ndcg_cut_10"):
        frame = bv.decompose(results, measure=name, null=False).frame()
        pd.testing.assert_frame_equal(frame, bv.decompose(scores[name], null=False).frame(), rtol=1e-12)


def test_scores_of_ranx_are_those_of_evaluate():
    package = pytest.importorskip("ranx")
    runs = [package.Run(run, name=name) for name, run in RUNS.items()]
    for run in runs:
        package.evaluate(package.Qrels(JUDGED), run, ["map", "mrr"])
    assert read({run.name: dict(run.scores) for run in runs}, measure="map") == expected(AP)


@pytest.mark.filterwarnings("ignore:the pool is one run")
def test_one_run_without_a_name_is_called_run():
    for form in (nested()["bm25"], nested(by_measure=True)["bm25"], metrics("bm25"), iter(metrics("bm25"))):
        assert list(bv.decompose(form, measure="RR", null=False).frame()["mean"].items()) == [("run", 0.75)]
    by_word = {"air": {"map": 0.25}, "war": {"map": 0.5}}
    with pytest.raises(bv.BiasVarError, match=r"is 'air' a query or a run\? Say orient='queries'"):
        bv.decompose(by_word)
    assert bv.decompose(by_word, orient="queries", null=False).frame()["mean"].to_dict() == {"run": 0.375}


def test_queries_may_be_words_and_numbers():
    words = {"bm25": {"air-traffic": 0.25, "war": 1.0}, "rm3": {"air-traffic": 1.0, "war": 0.5}}
    assert list(bv.target(words, measure="AP").frame().index) == ["air-traffic", "war"]
    numbers = {"bm25": {301: 0.25, 302: 1.0}, "rm3": {301: 1.0, np.int64(302): 0.5}}
    assert list(bv.target(numbers, measure="AP").frame().index) == ["301", "302"]
    array = bv.target(ARRAY, measure="AP", runs=["a", "b"], queries=range(301, 303))
    assert list(array.frame().index) == ["301", "302"]


def test_measures_of_no_known_name_are_read_if_they_are_asked_for():
    own = {run: {query: {"map": value, "my score": value / 2} for query, value in by.items()} for run, by in AP.items()}
    assert bv.decompose(own, measure="my score", null=False).frame()["mean"].to_dict() == {"bm25": 0.3125, "rm3": 0.375}
    with pytest.warns(bv.DataWarning, match="my score"):
        assert bv.decompose(own, null=False).measure == "AP"


def test_a_pool_comes_in_the_same_forms():
    pool = {"best": {"q1": 1.0, "q2": 1.0}}
    for form in (pool, pd.DataFrame(pool), {"best": {query: {"map": 1.0} for query in QUERIES}}):
        result = bv.decompose(AP, measure="AP", pool=form, null=False)
        assert (result.target.mean, result.target.n_pool, sorted(result.frame().index)) == (1.0, 3, ["bm25", "rm3"])
    assert bv.decompose(AP, measure="AP", pool=bv.evaluate({"best": RM3}, JUDGED), null=False).target.n_pool == 3
    runs = bv.evaluate(RUNS, JUDGED, pool={"best": {query: {"map": 1.0} for query in QUERIES}})
    assert bv.decompose(runs, null=False).target.mean == 1.0


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (ARRAY, {}, r"scores: an array does not name its rows and columns; give runs=\[...\] and queries=\[...\]"),
        (ARRAY, {"runs": ["a", "b"]}, r"scores: .*; give queries=\[...\]$"),
        (ARRAY[:1], NAMES, r"\(2, 2\) by the names, found the shape \(1, 2\)$"),
        (ARRAY[:1], {"runs": ["a"], "queries": QUERIES}, r"\(2, 1\) by the names, found .* \(1, 2\); transpose it"),
        (ARRAY[0], NAMES, r"an array with a row a query and a column a run, found an array of .* \(2,\)"),
        ([[1, 2], [3]], NAMES, r"scores: expected an array with a row a query and a column a run, found a list"),
        (ARRAY, {**NAMES, "runs": ["a", "a"]}, "runs: two are called a"),
        (ARRAY, {**NAMES, "runs": ["a", None]}, "runs: expected names as text, found None"),
        (ARRAY, {**NAMES, "queries": "q1"}, "queries: expected a list of names, found 'q1'"),
        (ARRAY, {**NAMES, "queries": 2}, "queries: expected a list of names, found 2"),
        (ARRAY, {**NAMES, "orient": "runs"}, "orient: .*; transpose an array"),
        (ARRAY * np.nan, NAMES, r"scores: score nan is not a number \(run bm25, query q1\)"),
        (ARRAY > 0, NAMES, r"scores: score True is not a number"),
        (np.ma.masked_array(ARRAY, ARRAY > 0.6), NAMES, r"score None is not a number \(run bm25, query q2\)"),
        (ARRAY * 100, NAMES, "AP is from 0 to 1"),
        (pd.DataFrame(AP), NAMES, r"runs: runs= and queries= are the names of an array, and this has its own"),
        (AP, {"queries": QUERIES}, r"queries: runs= and queries= are the names of an array"),
        (RUNS_OF_RANX, {"qrels": JUDGED, "runs": ["a"]}, r"runs: runs= and queries= are the names of an array"),
        (["ap.csv"], {"queries": QUERIES}, r"queries: runs= and queries= are the names of an array"),
        ("ap.csv", {"runs": ["a"]}, r"runs: runs= and queries= are the names of an array"),
        ({"a": [0.5, 0.25]}, {}, r"scores: lists of scores do not name their queries; give queries=\[...\]"),
        ({"a": [0.5]}, {"queries": QUERIES}, "run a should have a score for each of 2 queries, found 1 score$"),
        ({"a": [0.5]}, NAMES, "runs: runs= and queries= are the names of an array"),
        ({"a": [0.5, 0.5], "b": AP["rm3"]}, {}, r"scores: expected \{run: \{query: score\}\}, .* found a list, a dict"),
        ({}, {}, "scores: expected .*; found an empty dict"),
        ({"a": 0.5}, {}, "scores: expected .*; found 0.5 under 'a'"),
        ({query: {"a": 0.5, "b": 0.5} for query in QUERIES}, {}, r"is 'q1' a query\? Scores are \{run: \{query: "),
        (BM25, {}, "is 'q1' a query"),
        ({"x": {"d1": 0.5}, "y": {"d2": 0.5}}, {}, "retrieved documents go to evaluate"),
        (RUNS, {"measure": None}, "'d2' is no measure that is known; name it with measure= .*; retrieved documents"),
        ({"ndcg": {"a": 0.5}, "b": {"a": 0.5}}, {}, r"are the keys measures or runs\? ndcg is named as a measure"),
        ({"q1": {"a": {"map": 0.5}}, "q2": {"a": {"map": 0.5}}}, {}, "is 'q1' a query, and 'a' a run"),
        ({"a": {"q1": {"map": 0.5}, "q2": 0.5}}, {}, "dicts and other values side by side"),
        ({"a": {"q1": None}}, {}, "score None is not a number .* query q1"),
        ({"1": {"q1": 0.5}, 1: {"q1": 0.5}}, {}, "two keys are the same as text"),
        ({"a": {1: 0.5, "1": 0.5}}, {}, "on query 1 is given twice"),
        ({"a": {1.5: 0.5}}, {}, "expected names as text, found the key 1.5"),
        ({"a": metrics("bm25")[:1] * 2}, {}, "AP on query q1 is given twice"),
        ({"a": pd.DataFrame(AP, index=QUERIES)}, {}, "scores of a: expected the scores of one run"),
        ([pd.DataFrame(AP)], {}, "found a list with a DataFrame, which says no name; give a dict, {run: DataFrame}"),
        (5, {}, "scores: expected paths, a DataFrame or a dict, found int"),
    ],
)
def test_what_lacks_a_name_or_has_another_shape_is_refused(scores, options, message):
    with pytest.raises(bv.BiasVarError, match=message):
        bv.decompose(scores, **{"measure": "AP", **options})


# ---- nothing is changed


def same(one: Any, two: Any) -> bool:
    if isinstance(one, pd.DataFrame | pd.Series):
        return bool(one.equals(two)) and one.index.equals(two.index)
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, two)) and one.flags.writeable == two.flags.writeable
    if isinstance(one, dict):
        return list(one) == list(two) and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, RanxRun | RanxQrels):
        return same(vars(one), vars(two))
    return bool(one == two)


CHANGEABLE = [(form, names) for form, names in FORMS if not any(hasattr(names.get(key), "__next__") for key in names)]


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
@pytest.mark.parametrize("analysis", OF_SCORES_ALONE)
def test_no_function_changes_the_scores_that_it_is_given(analysis):
    for form, names in CHANGEABLE:
        before = copy.deepcopy(form)
        getattr(bv, analysis)(form, measure="AP", **names)
        assert same(form, before)


def test_evaluate_changes_neither_runs_nor_judgments():
    frame, judged = _ranx_frame(BM25), _ranx_frame(JUDGED)
    ranx_runs = [RanxRun(run, name) for name, run in RUNS.items()]
    in_dicts = (RUNS, JUDGED), ({"bm25": frame}, defaultdict(dict, JUDGED))
    for runs, qrels in (*in_dicts, (ranx_runs, RanxQrels(JUDGED)), (frame, judged)):
        before = copy.deepcopy((runs, qrels))
        bv.evaluate(runs, qrels, ["AP", "RR"])
        assert same((runs, qrels), before)


def test_readonly_arrays_are_accepted_and_results_share_nothing_with_them():
    array = ARRAY.copy()
    array.flags.writeable = False
    assert bv.decompose(array, measure="AP", null=False, **NAMES) == bv.decompose(AP, measure="AP", null=False)
    frame = pd.DataFrame(array, index=QUERIES, columns=list(RUNS))
    assert bv.decompose(frame, measure="AP", null=False) == bv.decompose(AP, measure="AP", null=False)
    scores = bv.evaluate(RUNS, JUDGED)
    own = scores.frame()
    own.loc["q1", "bm25"] = 9.0
    assert scores.frame().to_dict() == AP
