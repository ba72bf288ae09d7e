"""Figures in a notebook: those of ``biasvar plot``, with the same options; what they show and save."""

from __future__ import annotations

import inspect
import json
import pickle
import struct
import sys
from base64 import b64decode
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import ROOT, drawn_of, typed

import biasvar_cli as bv
from biasvar_cli.analyses import ANALYSES
from biasvar_cli.cli import biasvar as program
from biasvar_cli.drawing.export import MIME_TYPE
from biasvar_cli.drawing.style import Spec, style_of
from biasvar_cli.errors import BiasVarError, DataError, DataWarning, UsageError
from biasvar_cli.notebook.arguments import Reading
from biasvar_cli.notebook.figure import Figure, figure_of
from biasvar_cli.notebook.results import Result
from biasvar_cli.stats.significance import MEAN_TESTS, TESTS
from biasvar_cli.words import listed

pytestmark = [
    pytest.mark.usefixtures("in_the_checkout"),
    pytest.mark.filterwarnings("ignore::biasvar_cli.errors.DataWarning"),
]
FAMILIES = "(comb|nrr)-(.*)"
RUNS = ["orig", "rm", "rel-fb", "comb-0.1", "comb-0.2", "comb-0.5", "comb-0.9", "nrr-0.1", "nrr-0.5", "nrr-1.0"]
NAMES = [(analysis.name, figure) for analysis in ANALYSES for figure in analysis.figures]
NULL = {"null_samples": 100}  # null models that are quickly drawn
ASKED: Mapping[str, Mapping[str, Any]] = {"calibrated": {"calibrate": True}}  # what its command has of itself
# A value of every option of a figure, other than its default, with the options that it needs.
VALUES: Mapping[str, Mapping[str, Any]] = {
    "baseline": {"families": FAMILIES, "baseline": "rm"},
    **{
        name: {name: value}
        for name, value in (
            *(("form", "gap"), ("families", FAMILIES), ("correlation", "kendall"), ("alpha", 3), ("run", "rm")),
            *(("test", "tukey"), ("top", 5), ("width", "9cm"), ("theme", "dark"), ("title", False)),
        )
    },
}


def function_of(analysis: str, figure: str | None = None) -> Callable[..., Spec]:
    return figure_of(import_module(f"biasvar_cli.analyses.{analysis}.figures").FIGURES, figure)


def options_of(function: Callable[..., Any]) -> set[str]:
    """The names of the options of a figure, and of how it looks."""
    own = inspect.signature(function).parameters.values()
    looks = set(inspect.signature(style_of).parameters)
    return looks | {parameter.name for parameter in own if parameter.kind is parameter.KEYWORD_ONLY} - {"style"}


@pytest.fixture(scope="module")
def sample_scores(sample_scores: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten of the sample runs on 40 queries: their names are placed in a fifth of the time."""
    path = tmp_path_factory.mktemp("few") / sample_scores.name
    pd.read_csv(sample_scores, index_col=0, dtype=str).iloc[:40][RUNS].to_csv(path)
    return path


@pytest.fixture(scope="module")
def inputs(sample_scores: Path, few_models: Path) -> Callable[[str], dict[str, Any]]:
    """What an analysis is of: the sample track, with null models where a figure has them."""

    def find(analysis: str) -> dict[str, Any]:
        scores = {"scores": str(sample_scores)}
        return {
            "models": {"inputs": str(few_models), "true": str(few_models / "true.tsv.gz")},
            "tracks": {"manifest": "docs/tracks.toml", **NULL},
            "judges": {"scores": [str(path) for path in drawn_of("calibrated", sample_scores)]},
            "profile": {**scores, "run": "rm"},
            "unjudged": {"runs": "sample_runs", "qrels": "qrels/npl-pool.qrels.txt"},
            "tradeoff": {**scores, **NULL},
        }.get(analysis, scores)

    return find


@pytest.fixture(scope="module")
def results(inputs: Callable[[str], dict[str, Any]]) -> Callable[..., Result]:
    """The result of an analysis with its defaults, which all figures share, or of what else is asked."""
    shared = cache(lambda analysis: getattr(bv, analysis)(**inputs(analysis)))

    def find(analysis: str, **asked: Any) -> Result:
        result: Result = getattr(bv, analysis)(**inputs(analysis), **asked) if asked else shared(analysis)
        return result

    return find


@pytest.fixture
def by_command(drawn: Callable[..., Spec], inputs: Callable[[str], dict[str, Any]]) -> Callable[..., Spec]:
    """The specification that the command of a figure writes, with options by their names in Python."""

    def draw(analysis: str, figure: str, **options: Any) -> Spec:
        given = inputs(analysis)
        words = [given.pop(name) for name in ("run", "runs", "scores", "inputs", "manifest") if name in given]
        paths = [path for word in words for path in (word if isinstance(word, list) else [word])]
        return drawn(figure, *paths, *typed(given | options), "--quiet")

    return draw


@pytest.mark.parametrize(
    "analysis", [analysis for analysis in ANALYSES if analysis.figures], ids=lambda each: each.name
)
def test_an_analysis_has_the_figures_that_its_line_names_the_first_by_default(analysis):
    figures = import_module(f"biasvar_cli.analyses.{analysis.name}.figures").FIGURES
    assert list(figures) == list(analysis.figures)
    assert [function.__name__ for function in figures.values()] == [f"{name}_figure" for name in figures]
    assert function_of(analysis.name) is next(iter(figures.values()))


@pytest.mark.parametrize(("analysis", "figure"), NAMES)
def test_a_figure_has_every_option_of_its_command_that_is_not_of_the_request(analysis, figure):
    params = program.commands["plot"].commands[figure].params
    flags = {max(param.opts, key=len).removeprefix("--").replace("-", "_") for param in params}
    options = options_of(function_of(analysis, figure))
    assert options <= flags
    asked = {*inspect.signature(inspect.unwrap(getattr(bv, analysis))).parameters, *Reading.__annotations__}
    assert flags - options - asked <= {"inputs", "output", "caption", "strict", "quiet", "log", "eps"}


LOOKS = set(inspect.signature(style_of).parameters)  # which all figures have, and the plane stands for
CASES = [
    (analysis, figure, option)
    for analysis, figure in NAMES
    for option in (None, *sorted(options_of(function_of(analysis, figure)) - (set() if figure == "plane" else LOOKS)))
]


@pytest.mark.parametrize(("analysis", "figure", "option"), CASES)
def test_a_figure_is_that_of_the_command(results, by_command, analysis, figure, option):
    options, result = VALUES[option] if option else {}, results(analysis, **ASKED.get(figure, {}))
    shown = result.plot(figure, **options)
    assert shown.spec == by_command(analysis, figure, **options)
    if option:
        assert shown != result.plot(figure)


@pytest.mark.parametrize(
    ("analysis", "figure", "asked"),
    [
        ("decompose", "plane", {"log": "floor", "target": "perfect"}),
        ("tradeoff", "tradeoff", {"log": "floor", "target": ("best", "perfect")}),
        ("target", "target", {"target": "run:rm", "difficulty": "mean"}),
        ("risk", "losses", {"baseline": "top"}),
        ("profile", "profile", {"baseline": "orig", "test": "t", "log": "floor"}),
        ("profile", "profile", {"target": "mean:0.5"}),
        ("compare", "compare", {"of": "total", "level": 0.9}),
        ("compare", "compare", {"test": "t", "correction": "bonferroni"}),
        ("compare", "swap", {"splits": 50, "seed": 3, "log": "add"}),
        ("summary", "summary", {"baseline": "rm", "level": 0.9, "samples": 500}),
        ("models", "estimation", {"baseline": "rm", "families": FAMILIES}),
    ],
)
def test_what_was_asked_is_in_the_figure(results, by_command, analysis, figure, asked):
    assert results(analysis, **asked).plot(figure).spec == by_command(analysis, figure, **asked)


@pytest.mark.parametrize(
    ("analysis", "figure", "asked", "options"),
    [
        ("target", "rarefaction", {"target": "run:rm"}, {}),
        ("target", "rarefaction", {"rarefied": 5}, {}),
        ("risk", "risk", {"alpha": 5.0}, {}),
        ("risk", "losses", {"alpha": (0.0, 5.0)}, {}),
        ("compare", "compare", {"baseline": ("rm", "top")}, {}),
        ("compare", "asl", {"baseline": "rm"}, {"test": "stepdown"}),
        ("compare", "swap", {"baseline": "top"}, {}),
        ("tradeoff", "tradeoff", {"families": FAMILIES, "baseline": "rm"}, {}),
        ("decompose", "plane", {"form": "gap"}, {"form": "gap"}),
        ("decompose", "plane", {"baseline": "rm", "ci": 0.9}, {}),
        ("models", "estimation", {"baseline": "rm"}, {}),
    ],
)
def test_what_was_asked_and_is_not_of_the_figure_does_not_change_it(
    results, by_command, analysis, figure, asked, options
):
    shown = results(analysis, **asked).plot(figure, **options)
    assert shown.spec == by_command(analysis, figure, **options)


def test_families_are_a_file_or_a_pattern(results, written):
    path, result = written("run,family,parameter\ncomb-0.1,comb,0.1\ncomb-0.2,comb,0.2\n"), results("decompose")
    for families in (path, str(path)):
        assert result.plot("plane", families=families) == result.plot("plane", families="(comb)-(0.[12])")
    with pytest.raises(UsageError, match="families: expected a file or a pattern of names, found 5"):
        result.plot("plane", families=5)


@pytest.fixture(scope="module")
def two_measures() -> bv.Scores:
    runs = [str(ROOT / "sample_runs" / f"{name}.gz") for name in ("rm", "orig", "rel-fb")]
    return bv.evaluate(runs, str(ROOT / "qrels" / "npl.qrels.txt"), ["AP", "P@10"])


@pytest.mark.parametrize(
    ("analysis", "figure"), [name for name in NAMES if name[0] not in ("judges", "unjudged", "models", "tracks")]
)
def test_several_measures_are_in_one_figure_or_refused_by_name(drawn, two_measures, tmp_path, analysis, figure):
    null = {"null": False} if analysis == "tradeoff" else {}
    run = {"run": "rm"} if analysis == "profile" else {}
    result = getattr(bv, analysis)(two_measures, **null, **run)
    if figure not in ("tradeoff", "asl", "swap", "summary"):
        with pytest.raises(UsageError, match=r"^measure: expected one, found AP and P@10$"):
            result.plot(figure)
        return
    two_measures.frame("long").to_csv(tmp_path / "two.csv", index=False)
    spec = drawn(figure, tmp_path / "two.csv", "-m", "AP", "-m", "P@10", *typed(null), "--quiet")
    assert result.plot(figure).spec == spec


TARGETS = "target: expected one, found best and perfect"
COMPARED = {
    name: f"test: expected {listed(tests, None, 'or')}, found"
    for name, tests in (("compare", TESTS), ("asl", MEAN_TESTS))
}


@pytest.mark.parametrize(
    ("analysis", "figure", "asked", "options", "message"),
    [
        ("decompose", "plane", {"target": ("best", "perfect")}, {}, TARGETS),
        ("decompose", "ranked", {"target": ("best", "perfect")}, {}, TARGETS),
        ("risk", "risk", {"baseline": ("mean", "top")}, {}, "baseline: expected one, found mean and top"),
        ("compare", "asl", {"of": "total", "target": ("best", "perfect")}, {}, TARGETS),
        ("decompose", "plane", {}, {"form": "both"}, "form: expected score or gap, found 'both'"),
        ("decompose", "plane", {}, {"baseline": "rm"}, "baseline: needs families"),
        ("decompose", "plane", {}, {"width": "3"}, "width='3': neither one, two, lncs, nor a width from 7cm to 60cm"),
        ("decompose", "plane", {}, {"theme": "blue"}, "theme: expected light or dark, found 'blue'"),
        ("decompose", "plane", {}, {"title": "no"}, "title: expected True or False, found 'no'"),
        ("tradeoff", "tradeoff", {}, {"correlation": 1}, "correlation: expected pearson, spearman or kendall, found 1"),
        ("risk", "risk", {}, {"alpha": 0}, "alpha: expected a number above 0 and at most 1000000, found 0"),
        ("risk", "risk", {}, {"alpha": -1}, "alpha: expected a number from 0 to 1000000, found -1"),
        ("risk", "losses", {}, {"run": 5}, "run: expected text, found 5"),
        ("compare", "compare", {}, {"test": "f"}, f"{COMPARED['compare']} 'f'"),
        ("compare", "asl", {}, {"test": "sign"}, f"{COMPARED['asl']} sign"),
        ("models", "estimation", {}, {"baseline": "rm"}, "baseline: needs families"),
        ("judges", "calibrated", {}, {}, "figure: calibrated takes judges with calibrate=True"),
    ],
)
def test_what_a_figure_cannot_have_is_refused_by_name(results, analysis, figure, asked, options, message):
    with pytest.raises(UsageError) as error:
        results(analysis, **asked).plot(figure, **options)
    assert str(error.value) == message


def test_a_gap_that_is_not_defined_is_refused_with_the_name_of_the_option(results):
    with pytest.raises(UsageError, match=r"^form='gap' needs the target's score per query; mean:0.5 is a mean alone$"):
        results("decompose", target="mean:0.5").plot("plane", form="gap")


def test_an_option_that_there_is_not_is_a_type_error_with_the_near_ones(results):
    with pytest.raises(TypeError, match="the figure plane has no option 'famlies'; did you mean families"):
        results("decompose").plot("plane", famlies=FAMILIES)
    with pytest.raises(TypeError, match=r"has no option 'colour'; its options are form, top, width, theme, title$"):
        results("decompose").plot("ranked", colour="red")


def test_a_figure_that_there_is_not_is_refused_with_those_that_there_are(results):
    for name in ("pie", 5, ["plane"]):
        with pytest.raises(UsageError, match=r"^figure: expected plane, total or ranked, found "):
            results("decompose").plot(name)
    with pytest.raises(UsageError, match="there is no figure of this result"):
        results("sensitivity").plot("plane")


def test_a_track_that_is_broken_is_no_gap_in_a_figure(written):
    text = (ROOT / "docs" / "tracks.toml").read_text().replace("../", f"{ROOT}/")
    path = written(text.replace('glob = "nrr-*"', 'glob = "zzz-*"'), "tracks.toml")
    with pytest.raises(BiasVarError, match="track nrr: "):
        bv.tracks(str(path), null=False).plot("trend")


def test_a_warning_is_of_the_line_that_asks_for_the_figure(results, written):
    path, result = written("run,family\ncomb-0.1,comb\ncomb-0.2,comb\nnone,comb\n"), results("decompose")
    with pytest.warns(DataWarning, match="1 run outside the evaluated ones left out: none") as warned:
        result.plot("plane", families=path)  # this line
    (warning,) = warned
    assert warning.filename == __file__
    assert "# this line" in Path(__file__).read_text().splitlines()[warning.lineno - 1]


# What a figure shows and saves.


@pytest.fixture
def plane(results) -> Figure:
    return results("decompose").plot("plane")


@pytest.mark.parametrize(("analysis", "figure"), [("target", "queries"), ("models", None)])
@pytest.mark.parametrize("suffix", ["svg", "json"])
def test_a_file_is_that_of_the_command(biasvar, results, sample_scores, few_models, tmp_path, analysis, figure, suffix):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    inputs = [few_models, "--true", few_models / "true.tsv.gz"] if analysis == "models" else [sample_scores]
    out, path = tmp_path / f"command.{suffix}", tmp_path / f"python.{suffix.upper()}"
    assert biasvar("plot", figure or "estimation", *inputs, "--quiet", "-o", out).code == 0
    assert results(analysis).plot(figure).save(path) == path
    assert path.read_bytes() == out.read_bytes()


@pytest.mark.anew
def test_a_file_is_whole_or_as_it_was(plane, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plane.gif").write_text("as it was")
    for name in ("plane.gif", "plane", "plane.pdf.gz"):
        with pytest.raises(UsageError, match=f"^path {name}: a figure's name ends in one of .pdf, .svg, .png, .json$"):
            plane.save(name)
    with pytest.raises(UsageError, match=r"^path: expected a path, found "):
        plane.save(b"plane.json")
    with pytest.raises(BiasVarError, match=r"none/plane\.json: cannot be written: No such file or directory"):
        plane.save("none/plane.json")
    Path("plane.svg").write_text("as it was")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UsageError, match=r"plot needs another package: .*; .json does without"):
        plane.save("plane.svg")
    assert plane.save("plane.json") == Path("plane.json")
    assert {path.name for path in Path().iterdir()} == {"plane.gif", "plane.svg", "plane.json"}
    assert {path.read_text() for path in Path().iterdir() if path.suffix != ".json"} == {"as it was"}


def test_a_notebook_gets_vega_lite_and_a_picture_of_the_same_size(plane):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    data, metadata = plane._repr_mimebundle_()
    assert list(data) == ["application/vnd.vegalite.v5+json", "text/plain", "image/png"]
    json.dumps((data, metadata), allow_nan=False)
    shown = data["application/vnd.vegalite.v5+json"]
    assert shown["$schema"] == "https://vega.github.io/schema/vega-lite/v5.json"
    assert shown["datasets"] == plane.spec["datasets"]
    assert len(shown["datasets"]["runs"]) == len(RUNS)
    assert shown["width"] == 320  # the 8.5 cm of a column, on the screen
    assert metadata == {"image/png": {"width": 320, "height": pytest.approx(shown["height"], abs=0.5)}}
    png = b64decode(data["image/png"], validate=True)
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">II", png[16:24]) == (640, 2 * metadata["image/png"]["height"])
    assert data["text/plain"] == repr(plane)


def test_a_notebook_gets_the_kinds_that_it_asks_for(plane):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    assert set(plane._repr_mimebundle_(include=["image/png"])[0]) == {"image/png"}
    data, metadata = plane._repr_mimebundle_(exclude={"image/png"})
    assert (set(data), metadata) == ({"application/vnd.vegalite.v5+json", "text/plain"}, {})


@pytest.mark.anew
def test_without_the_extra_vega_lite_is_still_shown(plane, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    data, metadata = plane._repr_mimebundle_()
    assert (list(data), metadata) == (["application/vnd.vegalite.v5+json", "text/plain"], {})


def test_ipython_takes_what_a_figure_gives(plane):
    formatters = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    data, metadata = formatters.DisplayFormatter().format(plane)
    assert (data, metadata) == plane._repr_mimebundle_()


def test_the_specification_is_a_copy_and_a_figure_does_not_change(plane):
    before = plane.spec
    changed = plane.spec
    changed["datasets"]["runs"].clear()
    changed["width"] = 1
    assert plane.spec == before
    assert Figure.of(changed) != plane
    assert Figure.of(before) == plane
    with pytest.raises(AttributeError):
        plane.vega_lite = b""


def test_a_figure_is_pickled_and_hashed_and_says_in_a_line_what_it_is(plane, results):
    again = pickle.loads(pickle.dumps(plane))  # noqa: S301
    assert again == plane
    assert len({plane, again, results("decompose").plot("total")}) == 2
    assert repr(plane) == 'Figure(Least total error and best mean: rel-fb; .save("figure.pdf"), or .svg, .png, .json)'
    assert repr(results("decompose").plot("plane", title=False)) == repr(plane)


def test_a_picture_that_cannot_be_made_is_a_warning_and_the_specification_is_shown(monkeypatch):
    def fail(_: object) -> None:
        raise DataError("the picture is empty")

    monkeypatch.setattr("biasvar_cli.drawing.export.picture_of", fail)
    with pytest.warns(DataWarning, match="no picture of the figure: the picture is empty"):
        data, _ = Figure.of({"description": "A figure. AP.", "mark": "point"})._repr_mimebundle_()
    assert set(data) == {MIME_TYPE, "text/plain"}
