"""Every function for notebooks against its command: the same numbers and the same text, over all arguments.

The arguments are those of the requests, so that a new one without a case here is a failure.
"""

from __future__ import annotations

import inspect
import io
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import SCORED, typed

import biasvar_cli as bv
from biasvar_cli.analyses import ANALYSES
from biasvar_cli.analyses.judges import JudgesRequest
from biasvar_cli.analyses.models import EstimationRequest
from biasvar_cli.analyses.summary import SummaryRequest
from biasvar_cli.analyses.unjudged import UnjudgedRequest
from biasvar_cli.decomposition import Design
from biasvar_cli.notebook.arguments import Reading
from biasvar_cli.notebook.results import Result
from biasvar_cli.query_models import ModelRequest
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.settings import settings_of
from biasvar_cli.tables.column import expanded

pytestmark = [pytest.mark.usefixtures("in_the_checkout")]

Arguments = Mapping[str, Any]
FUNCTIONS = [analysis.name for analysis in ANALYSES if analysis.notebook and analysis.name != "check"]
WRITTEN: Mapping[str, Sequence[type]] = {  # functions that are not made of their requests
    "summary": (SummaryRequest,),
    "judges": (JudgesRequest,),
    "unjudged": (UnjudgedRequest,),
    "models": (ModelRequest, EstimationRequest),
    "tracks": (Design,),
}
OF_INPUT = {"scores", "runs", "measure", "qrels", "reading", "true", "inputs", "manifest", "jobs"}
FEW = {"samples": 200, "splits": 10, "repeats": 3, "null": False, "run": "rm"}  # so that an analysis is quick


RUNS = ["orig", "rm", "rel-fb", "comb-0.1", "comb-0.5", "comb-0.9", "nrr-0.1", "nrr-0.5", "nrr-0.9", "nrr-1.0"]
CASES: Sequence[tuple[str, Arguments]] = (  # besides the arguments that are the usual ones
    ("decompose", {"target": ("best:0.9", "perfect", "best:0.9"), "log": "floor", "eps": 0.01}),
    ("decompose", {"weights": (1.0, 1.0), "rank": True, "form": "gap"}),
    ("decompose", {"stability": True, "null": True, "null_samples": 100, "seed": 5}),
    ("decompose", {"ci": 0.9, "resamples": 100, "over": ("runs", "teams"), "teams": "teams.csv", "baseline": "top"}),
    ("decompose", {"replicates": "(comb|nrr)-.*", "weights": (1.0, 2.0)}),
    ("tradeoff", {"subset_size": (5, 20), "repeats": 2, "difficulty": "mean", "groups": "groups.csv"}),
    ("tradeoff", {"detail": "difficulty-normalised", "target": ("best", "perfect")}),
    ("tradeoff", {"families": "families.csv", "baseline": "rm"}),
    ("target", {"rarefied": 5, "difficulty": "mean"}),
    ("sensitivity", {"target": ("best", "best:0.9"), "teams": "teams.csv", "precision": 0.1}),
    ("risk", {"baseline": ("run:rm", "median"), "alpha": (0, 2.5), "clusters": "clusters.csv", "ci": 0.9}),
    ("profile", {"run": "orig", "baseline": ("rm", "top"), "target": ("best", "best:0.9")}),
    ("profile", {"run": "comb", "replicates": "(comb|nrr)-.*", "clusters": "clusters.csv", "half_width": 0.02}),
    ("compare", {"baseline": ("rm", "orig"), "test": ("t", "sign", "wilcoxon"), "correction": "bonferroni"}),
    ("compare", {"clusters": "clusters.csv", "test": "bootstrap", "of": "total_gap", "detect": 0.01}),
    ("summary", {"baseline": "rm", "errors": True, "target": "best:0.9", "test": "t", "correction": "bonferroni"}),
    ("summary", {"level": 0.8, "samples": 300, "seed": 3, "log": "floor", "eps": 0.01, "names": "orig=Query"}),
    ("summary", {"names": "names.csv", "percent": True, "clusters": "(.).*", "test": "t"}),
    ("summary", {"replicates": "(comb|nrr)-.*", "errors": True, "infer": "runs"}),
    ("summary", {"replicates": "(comb|nrr)-.*", "half_width": 0.05}),
    ("summary", {"replicates": "(comb)-.*", "paired_replicates": True, "baseline": "rm"}),
    ("compare", {"replicates": "(comb|nrr)-.*", "infer": "runs", "test": "randomisation"}),
    ("summary", {"marks": "letters", "counts": True, "samples": 300}),
    ("judges", {"target": "best:0.9", "level": 0.8, "samples": 300, "seed": 3}),
    ("judges", {"replicates": "-pass[0-9]", "clusters": "(.).*"}),
    ("unjudged", {"grade": 2, "measure": ("P@5", "nDCG@5"), "replicates": "-.*"}),
    ("unjudged", {"measure": "P@5", "teams": "teams.csv", "contributors": "pooled.txt", "depth": 3}),
    ("judges", {"calibrate": True, "of": "bias", "half_width": 0.1, "baseline": "run:rm"}),
    ("models", {"background": "results", "divergence": ("js", "kl-fwd"), "epsilon": (0.1, 0.5), "sum": "plain"}),
    ("models", {"original": "orig", "exclude_no_feedback": True, "exclude_queries": "out.txt", "glob": "*.gz"}),
    ("models", {"exclude": "nrr*", "recursive": True, "max_size": 10_000_000, "ci": 0.9, "resamples": 100, "seed": 3}),
    ("models", {"baseline": "rm", "families": "(comb|nrr)-(.*)"}),
    ("models", {"runs": "scores", "measure": "AP", "qrels": "qrels/npl.qrels.txt", "target": "best:0.9", "jobs": 1}),
    ("tracks", {"subset_size": 5, "repeats": 2, "seed": 4, "difficulty": "mean", "remainder": "merge"}),
    ("tracks", {"subset_weights": "equal", "normalise": "maxmin"}),
    ("tracks", {"zero_target": "one", "correlation": ("spearman", "kendall")}),
    ("tracks", {"null": True, "null_samples": 100, "jobs": 1}),
)
OF_FAMILY = ("comb-0.1", "comb-0.5", "comb-0.9", "nrr-0.1", "nrr-0.5", "nrr-0.9")


def parameters(analysis: str) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(inspect.unwrap(getattr(bv, analysis))).parameters


def few(analysis: str) -> dict[str, Any]:
    return {name: value for name, value in FEW.items() if name in parameters(analysis)}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, sample_scores: Path, few_models: Path) -> Mapping[str, str]:
    """The files that arguments name, by what they are called above."""
    folder = tmp_path_factory.mktemp("files")
    scores = pd.read_csv(sample_scores, index_col=0, dtype=str).iloc[:40][RUNS]
    contents = {
        "scores": scores.to_csv(),
        "few": scores.iloc[:25].to_csv(),
        **{f"other-pass{number}": (scores.astype(float) ** 0.5 * number / 2).to_csv() for number in (1, 2)},
        "teams.csv": "run,team\n" + "".join(f"{run},{run.partition('-')[0]}\n" for run in RUNS),
        "pooled.txt": "orig\nrel-fb\n",
        "groups.csv": "query,group\n" + "".join(f"{query},{n % 4}\n" for n, query in enumerate(scores.index)),
        "families.csv": "run,family,parameter\n" + "".join(f"{run},{run.replace('-', ',')}\n" for run in OF_FAMILY),
        "clusters.csv": "query_id,cluster\n" + "".join(f"{query},{n // 3}\n" for n, query in enumerate(scores.index)),
        "names.csv": "old,new\norig,Query\nrm,RM3\n",
        "out.txt": "1\n2\n",
        "results": "the\t500\nof\t300\n",
    }
    for name, text in contents.items():
        (folder / name).write_text(text)
    return {"models": str(few_models), **{name: str(folder / name) for name in contents}}


def with_files(given: Arguments, files: Mapping[str, str]) -> dict[str, Any]:
    return {name: files.get(value, value) if isinstance(value, str) else value for name, value in given.items()}


def words_of(given: Arguments, inputs: Sequence[str]) -> list[str]:
    """What is typed behind the name of the command: the run of a profile, the inputs, the options."""
    options = {name: value for name, value in given.items() if name != "run"}
    return [*([str(given["run"])] if "run" in given else []), *inputs, *typed(options), "--quiet"]


def inputs(analysis: str, files: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """What an analysis is of, for the function and for the command."""
    if analysis == "models":
        folder, true = files["models"], f"{files['models']}/true.tsv.gz"
        return {"inputs": folder, "true": true}, [folder, "--true", true]
    if analysis == "tracks":
        return {"manifest": "docs/tracks.toml"}, ["docs/tracks.toml"]
    if analysis == "judges":
        judges = [files["few"], files["other-pass1"], files["other-pass2"]]
        return {"scores": judges}, judges
    if analysis == "unjudged":
        runs, qrels = [f"sample_runs/{run}.gz" for run in RUNS], "qrels/npl-pool.qrels.txt"
        return {"runs": runs, "qrels": qrels}, [*runs, "-q", qrels]
    return {"scores": files["scores"]}, [files["scores"]]


@pytest.mark.parametrize("analysis", WRITTEN)
def test_a_function_that_is_written_out_has_the_defaults_of_its_requests_and_a_case_of_each_argument(analysis):
    known = parameters(analysis)
    assert set(known) - OF_INPUT <= {name for of, case in CASES if of == analysis for name in case}
    for field in (field for request in WRITTEN[analysis] for _, field in settings_of(request)):
        default = known[field.name].default if field.name in known else inspect.Parameter.empty
        if default is not inspect.Parameter.empty:
            assert default in (field.default, field.default or None) or (default,) == field.default, field.name


def test_what_says_how_inputs_are_read_are_the_options_of_the_command_line():
    of_track = {field.name for field in fields(TrackRequest)} - {"needs_runs", "auxiliary", "documents"}
    assert of_track - {"inputs", "qrels", "measures"} == set(Reading.__annotations__) - {"runs", "queries"}


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_r_loss_is_that_of_the_command(biasvar):
    """It is made of the runs themselves, of which a file of scores has nothing."""
    words = ("sample_runs", "-q", "qrels/npl.qrels.txt", "--quiet", "--glob", "*m*", "--r-loss", "10")
    result = bv.risk("sample_runs", "run:rm", qrels="qrels/npl.qrels.txt", glob="*m*", r_loss=10)
    same_document(result, biasvar("risk", *words, "--baseline", "run:rm", "-f", "json").out)
    made = bv.evaluate("sample_runs", "qrels/npl.qrels.txt", ["AP", "P@10"], glob="*m*")
    assert bv.risk(made, "run:rm", measure="AP", r_loss=10) == result


@pytest.mark.parametrize("analysis", SCORED)
@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_several_measures_are_one_frame_in_the_order_asked(biasvar, tmp_path, analysis):
    """The frames of each alone, one after the other; the command has them in one csv too."""
    several, given = tmp_path / "scores.csv", few(analysis)
    words = ("sample_runs", "-q", "qrels/npl.qrels.txt", "--quiet", "--glob", "*m*", "-m", "AP", "-m", "nDCG@10")
    assert biasvar("scores", *words, "-o", several).code == 0
    result: Result = getattr(bv, analysis)(several, measure=["nDCG@10", "AP"], **given)
    command = [analysis, *words_of(given | {"measure": ("nDCG@10", "AP")}, [str(several)])]
    assert result.measures == ("nDCG@10", "AP")
    same_document(result, biasvar(*command, "-f", "json").out)
    assert as_typed(result) == biasvar(*command).out
    same_rows(result, biasvar, command, result.tables[0])
    if analysis != "summary":
        frame = result.frame()
        for measure in result.measures:
            alone: pd.DataFrame = getattr(bv, analysis)(several, measure=measure, **given).frame()
            own = frame[frame["measure"] == measure][list(alone.columns)]
            assert own.reset_index(drop=True).equals(alone.reset_index(drop=True))


@pytest.mark.parametrize(("analysis", "asked"), [*((name, {}) for name in FUNCTIONS), *CASES])
@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_numbers_and_text_are_those_of_the_command(biasvar, files, analysis, asked):
    given = few(analysis) | with_files(asked, files)
    arguments, paths = inputs(analysis, files)
    result: Result = getattr(bv, analysis)(**arguments, **given)
    command = [analysis, *words_of(given, paths)]
    same_document(result, biasvar(*command, "-f", "json").out)
    same_text(result, biasvar, command)
    if not asked:
        assert as_typed(result, notes="full") == biasvar(*command, "--notes", "full").out
        assert as_typed(result, "markdown") == biasvar(*command, "-f", "markdown").out
        assert as_typed(result, "latex") == biasvar(*command, "-f", "latex").out
    in_no_csv = {("models", "--families"), ("tracks", "--null")}
    in_json_alone = {("decompose", "correlations"), ("models", "families")}  # see the tests of these
    for table in result.tables[:1] if asked else result.tables:
        if (analysis, table) not in in_json_alone and in_no_csv.isdisjoint((analysis, word) for word in command):
            same_rows(result, biasvar, command, table)


def same_document(result: Result, text: str) -> None:
    """That a result is the JSON of the command, its warnings and notices too."""
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == json.loads(text)


def as_typed(result: Result, format_name: str = "text", **looks: Any) -> str:
    """What a result shows, in the words of the command line; in Python its sentences name arguments."""
    called = result._rendered(format_name, None, **looks)
    assert "More: " not in called
    assert "(--" not in called
    return result._rendered(format_name, None, typed=True, **looks)


def same_text(result: Result, biasvar: Callable[..., Any], command: Sequence[str]) -> None:
    """That a result shows itself as the command prints it, and that its verdict and signature are parts of that."""
    assert as_typed(result) == biasvar(*command).out
    flat = " ".join(as_typed(result, notes="full").split())
    typed = {"see the column mean": "--sort -mean ranks by mean", "models (null)": "models (--null)"}
    told = result.verdict
    for called, option in typed.items():
        told = told.replace(called, option)
    assert all(" ".join(line.split()) in flat for line in told.split("\n"))
    assert all(" ".join(line.split()) in flat for line in result.signature.split("\n"))


_TABLE_OPTION = {"compare", "judges", "profile", "sensitivity", "target", "tracks", "risk", "unjudged"}


def same_rows(result: Result, biasvar: Callable[..., Any], command: Sequence[str], table: str) -> None:
    """That a DataFrame is the csv of the command with ``--top``, whose rows are those that people read first."""
    analysis, name = command[0], table.replace("NAME", "rm")
    chosen = ["--table", name] if analysis in _TABLE_OPTION else []
    as_people_read = analysis != "tracks" and (analysis != "tradeoff" or table == "detail")  # these leave rows out
    output = biasvar(*command, *chosen, "-f", "csv", *(["--top", "100000"] if as_people_read else []))
    assert output.code == 0, output.err
    expected = pd.read_csv(io.StringIO(output.out), dtype=str, keep_default_na=False)
    frame = result.frame(name)
    found = frame.reset_index() if frame.index.name else frame
    keys = [column for column in expected.columns if column not in found.columns]
    assert set(keys) <= key_columns(analysis)  # a column of anything else is never left out
    assert all(expected[key].nunique() == 1 for key in keys)
    assert set(found.columns) == set(expected.columns) - set(keys)
    for column in found.columns:
        assert list(map(_value, found[column])) == list(map(_value, expected[column])), column


def key_columns(analysis: str) -> set[str]:
    """The columns that say what a result is of, which is the same in all of its rows."""
    tables = import_module(f"biasvar_cli.analyses.{analysis}").TABLES
    return {column.name for declared in tables.values() for column in expanded(declared) if column.key}


def _value(cell: Any) -> float | str:
    """A cell of a DataFrame or of csv: a number, or a text."""
    if cell is None or cell != cell:
        return ""
    text = " ".join(cell) if isinstance(cell, list) else str(cell)
    try:
        return float(text)
    except ValueError:
        return {"True": "true", "False": "false"}.get(text, text)


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_families_of_models_are_those_of_the_json(files):
    """The families of models; `test_python` has the correlations of a decomposition."""
    words = inputs("models", files)[0] | {"families": "(comb|nrr)-(.*)", "baseline": "rm"}
    models = bv.models(**words)
    families = models.to_dict()["results"][0]["families"]
    assert models.frame("families")["family"].tolist() == [family["family"] for family in families]


def test_several_targets_are_columns_of_one_frame(files):
    frame = bv.decompose(files["scores"], ["best", "perfect"], null=False).frame()
    assert (list(frame.columns[:2]), frame.index.name) == (["measure", "target"], "run")
    assert frame["target"].tolist() == ["best"] * len(RUNS) + ["perfect"] * len(RUNS)
    best = bv.decompose(files["scores"], null=False).frame()
    assert frame[frame["target"] == "best"][list(best.columns)].equals(best)
    with pytest.raises(bv.BiasVarError, match="2 targets and measures"):
        _ = bv.decompose(files["scores"], ["best", "perfect"], null=False).target


@pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning")
def test_results_compare_by_their_numbers_and_pickle(files):
    for name in FUNCTIONS:
        arguments, given = inputs(name, files)[0], few(name)
        function = getattr(bv, name)
        result: Result = function(**arguments, **given)
        again = pickle.loads(pickle.dumps(result))  # noqa: S301
        assert again == result == function(**arguments, **given)
        assert hash(again) == hash(result)
        assert repr(again) == repr(result)
    changed = bv.decompose(files["scores"], "best:0.9", null=False)
    assert changed != bv.decompose(files["scores"], null=False)
    assert changed != bv.target(files["scores"])


def test_how_a_table_is_shown_is_checked(files, biasvar):
    result = bv.decompose(files["scores"], null=False)
    looks = {"digits": 2, "columns": ["mean", "total"], "sort": "-mean", "top": 3}
    words = ("decompose", files["scores"], "--no-null", "--quiet", "-f", "latex")
    assert as_typed(result, "latex", **looks) == biasvar(*words, *typed(looks | {"columns": "mean,total"})).out
    for given in ({"digits": 40}, {"top": 0}, {"notes": "long"}, {"sort": "nothing"}, {"columns": "nothing"}):
        with pytest.raises(bv.BiasVarError, match=next(iter(given))):
            result.to_markdown(**given)
    with pytest.raises(bv.BiasVarError, match="there is no table 'pairs'; there are runs and correlations"):
        result.frame("pairs")
