"""Figures in a notebook: those of ``biasvar plot``, with the same options; what they show and save."""

from __future__ import annotations

import inspect
import json
import pickle
import struct
import sys
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, other_judge

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.analyses.compare import CompareRequest
from biasvar_cli.analyses.decompose import DecomposeRequest
from biasvar_cli.analyses.judges import JudgesRequest
from biasvar_cli.analyses.models import EstimationRequest
from biasvar_cli.analyses.profile import ProfileRequest
from biasvar_cli.analyses.risk import RiskRequest
from biasvar_cli.analyses.summary import SummaryRequest
from biasvar_cli.analyses.summary.answer import NamedTrack
from biasvar_cli.analyses.target import TargetRequest
from biasvar_cli.analyses.tracks import TracksRequest
from biasvar_cli.analyses.tradeoff import TradeoffRequest
from biasvar_cli.cli import biasvar as program
from biasvar_cli.decomposition.design import Design
from biasvar_cli.drawing.export import MIME_TYPE
from biasvar_cli.drawing.style import Spec, style_of
from biasvar_cli.errors import BiasVarError, DataError, DataWarning, UsageError, keep_warnings
from biasvar_cli.notebook.figure import Figure, drawn, figure_of
from biasvar_cli.query_models import ModelRequest
from biasvar_cli.query_models.load import QueryModels, load_models
from biasvar_cli.readers.manifest import read_manifest
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.scoring.judges import same_runs
from biasvar_cli.scoring.track import Track, load_track
from biasvar_cli.specs import NullRequest
from biasvar_cli.stats.significance import MEAN_TESTS, TESTS
from biasvar_cli.words import listed

pytestmark = pytest.mark.usefixtures("in_the_checkout")
RUNS, QRELS = str(ROOT / "sample_runs"), str(ROOT / "qrels" / "npl.qrels.txt")
MANIFEST = "docs/tracks.toml"
FAMILIES = "(comb|nrr)-(.*)"
NAMES = [(analysis.name, figure) for analysis in ANALYSES for figure in analysis.figures]
REQUESTS: Mapping[str, Callable[..., Any]] = {  # as the commands of the figures make them
    "decompose": DecomposeRequest,
    "tradeoff": TradeoffRequest,
    "target": TargetRequest,
    "risk": RiskRequest,
    "profile": partial(ProfileRequest, run="rm"),
    "compare": CompareRequest,
    "summary": SummaryRequest,
    "judges": JudgesRequest,
    "models": EstimationRequest,
    "tracks": TracksRequest,
}
NULL = NullRequest(null_samples=100)
# A value of every option of a figure, other than its default, with the options that it needs.
VALUES: Mapping[str, Mapping[str, Any]] = {
    "form": {"form": "gap"},
    "families": {"families": FAMILIES},
    "baseline": {"families": FAMILIES, "baseline": "rm"},
    "correlation": {"correlation": "kendall"},
    "alpha": {"alpha": 3},
    "run": {"run": "rm"},
    "test": {"test": "tukey"},
    "top": {"top": 5},
    "width": {"width": "9cm"},
    "theme": {"theme": "dark"},
    "title": {"title": False},
}


def function_of(analysis: str, figure: str | None = None) -> Callable[..., Spec]:
    return figure_of(import_module(f"biasvar_cli.analyses.{analysis}.figures").FIGURES, figure)


def options_of(function: Callable[..., Any]) -> set[str]:
    """The names of the options of a figure, and of how it looks."""
    own = inspect.signature(function).parameters.values()
    looks = set(inspect.signature(style_of).parameters)
    return looks | {parameter.name for parameter in own if parameter.kind is parameter.KEYWORD_ONLY} - {"style"}


def flags_of(figure: str) -> set[str]:
    """The options of the command of a figure, by their names in Python."""
    params = program.commands["plot"].commands[figure].params  # type: ignore[attr-defined]
    return {max(param.opts, key=len).removeprefix("--").replace("-", "_") for param in params}


@cache
def track_of(*inputs: str, qrels: str | None = None, measures: tuple[str, ...] = ()) -> Track:
    return load_track(TrackRequest(inputs=inputs, qrels=qrels, measures=measures))


@pytest.fixture(scope="module")
def models(few_models) -> QueryModels:
    with keep_warnings():
        return load_models(ModelRequest(inputs=(str(few_models),), true=str(few_models / "true.tsv.gz")))


def summarised(track: Track, **asked: Any) -> Any:
    """The summary of one track."""
    request = SummaryRequest(**asked)
    answer = import_module("biasvar_cli.analyses.summary.answer").answer
    return answer([NamedTrack(None, track, request.targets[0])], request)


def answers_of(analysis: str, scores: str, models: QueryModels, **asked: Any) -> Any:
    """What an analysis answers on the sample track, with null models that are quickly drawn."""
    answer = import_module(f"biasvar_cli.analyses.{analysis}.answer").answer
    if analysis == "tracks":
        return [answer(read_manifest(MANIFEST).tracks, TracksRequest(design=Design(), null=NULL))]
    if analysis == "models":
        return answer(models, EstimationRequest(**asked))
    if analysis == "summary":
        return [summarised(track_of(scores), **asked)]
    if analysis == "judges":
        judges = {path.stem: track_of(str(path)) for path in (Path(scores), other_judge(Path(scores)))}
        return answer(same_runs(judges), JudgesRequest(**asked))
    null = {"null": NULL} if analysis == "tradeoff" else {}
    return answer(track_of(scores), REQUESTS[analysis](**null, **asked))


@pytest.fixture(scope="module")
def answers(sample_scores, models) -> Callable[..., Any]:
    """The answers of an analysis with its defaults, which all figures share, or to what else is asked."""
    shared = cache(lambda analysis: answers_of(analysis, str(sample_scores), models))

    def find(analysis: str, **asked: Any) -> Any:
        return answers_of(analysis, str(sample_scores), models, **asked) if asked else shared(analysis)

    return find


@pytest.fixture
def typed(drawn, sample_scores, few_models) -> Callable[..., Spec]:
    """The specification that the command of a figure writes, with options by their names in Python."""

    def draw(analysis: str, figure: str, *words: object, **options: Any) -> Spec:
        of_models = [few_models, "--true", few_models / "true.tsv.gz"]
        of_judges = [sample_scores, other_judge(sample_scores)]
        inputs = {"tracks": [MANIFEST], "models": of_models, "judges": of_judges}.get(analysis, [sample_scores])
        null = ["--null-samples", "100"] if analysis in ("tradeoff", "tracks") else []
        first = ["rm"] if analysis == "profile" else []
        spec: Spec = drawn(figure, *first, *inputs, *null, *words, *as_typed(options), "--quiet")
        return spec

    return draw


def as_typed(options: Mapping[str, Any]) -> list[str]:
    """Options as the command line has them."""
    words: list[str] = []
    for name, value in options.items():
        flag = name.replace("_", "-")
        words += [f"--no-{flag}"] if value is False else [f"--{flag}", str(value)]
    return words


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: analysis.name)
def test_an_analysis_has_the_figures_that_its_line_names_the_first_by_default(analysis):
    if not analysis.figures:
        return
    figures = import_module(f"biasvar_cli.analyses.{analysis.name}.figures").FIGURES
    assert list(figures) == list(analysis.figures)
    assert [function.__name__ for function in figures.values()] == [f"{name}_figure" for name in figures]
    assert function_of(analysis.name) is next(iter(figures.values()))


@pytest.mark.parametrize(("analysis", "figure"), NAMES)
def test_a_figure_has_every_option_of_its_command_that_is_not_of_the_request(analysis, figure):
    options, flags = options_of(function_of(analysis, figure)), flags_of(figure)
    assert options <= flags
    requests = (
        TrackRequest,
        ModelRequest,
        Design,
        NullRequest,
        getattr(REQUESTS[analysis], "func", REQUESTS[analysis]),
    )
    asked = {field.name for request in requests for field in fields(request)}  # type: ignore[arg-type]
    others = {"manifest", "measure", "null", "groups"}  # of the inputs and the requests, by other names
    others |= {"glob", "exclude", "recursive", "max_size"} | {"output", "caption", "strict", "quiet"}
    assert flags - options <= asked | others


LOOKS = set(inspect.signature(style_of).parameters)  # which all figures have, and the plane stands for
CASES = [
    (analysis, figure, option)
    for analysis, figure in NAMES
    for option in (None, *sorted(options_of(function_of(analysis, figure)) - (set() if figure == "plane" else LOOKS)))
]


@pytest.mark.parametrize(("analysis", "figure", "option"), CASES)
def test_a_figure_is_that_of_the_command(answers, typed, analysis, figure, option):
    options = VALUES[option] if option else {}
    shown = drawn(function_of(analysis, figure), answers(analysis), options)
    assert shown.spec == typed(analysis, figure, **options)
    if option:
        assert shown != drawn(function_of(analysis, figure), answers(analysis), {})


@pytest.mark.parametrize(
    ("analysis", "figure", "asked"),
    [
        ("decompose", "plane", {"log": "floor", "target": ("perfect",)}),
        ("tradeoff", "tradeoff", {"log": "floor", "target": ("best", "perfect")}),
        ("target", "target", {"target": ("run:rm",), "difficulty": "mean"}),
        ("target", "rarefaction", {"log": "floor"}),
        ("risk", "losses", {"baseline": ("top",)}),
        ("profile", "profile", {"baseline": ("orig",), "test": "t", "log": "floor"}),
        ("profile", "profile", {"target": ("mean:0.5",)}),
        ("compare", "compare", {"of": "total", "level": 0.9}),
        ("compare", "compare", {"test": ("t",), "correction": "bonferroni"}),
        ("compare", "swap", {"splits": 50, "seed": 3, "log": "add"}),
        ("summary", "summary", {"baseline": "rm", "level": 0.9, "samples": 500}),
    ],
)
def test_what_was_asked_is_in_the_figure(answers, typed, analysis, figure, asked):
    words = [f"--{name}={part}" for name, value in asked.items() for part in as_tuple(value)]
    shown = drawn(function_of(analysis, figure), answers(analysis, **asked), {})
    assert shown.spec == typed(analysis, figure, *words)


def as_tuple(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize(
    ("analysis", "figure", "asked", "options"),
    [
        ("target", "rarefaction", {"target": ("run:rm",)}, {}),
        ("target", "rarefaction", {"rarefied": 5}, {}),
        ("risk", "risk", {"alpha": (5.0,)}, {}),
        ("risk", "losses", {"alpha": (0.0, 5.0)}, {}),
        ("compare", "compare", {"baseline": ("rm", "top")}, {}),
        ("compare", "asl", {"baseline": ("rm",)}, {"test": "stepdown"}),
        ("compare", "swap", {"baseline": ("top",)}, {}),
        ("tradeoff", "tradeoff", {"families": FAMILIES, "baseline": "rm"}, {}),
        ("tradeoff", "tradeoff", {"form": "gap"}, {"form": "gap"}),
        ("decompose", "plane", {"baseline": "rm", "ci": 0.9}, {}),
    ],
)
def test_what_was_asked_and_is_not_of_the_figure_does_not_change_it(answers, typed, analysis, figure, asked, options):
    shown = drawn(function_of(analysis, figure), answers(analysis, **asked), options)
    assert shown.spec == typed(analysis, figure, **options)


def test_query_models_have_the_families_and_the_baseline_that_were_asked_for(typed, models):
    answer = import_module("biasvar_cli.analyses.models.answer").answer
    answers = answer(models, EstimationRequest(baseline="rm"), members=FAMILIES)
    shown = drawn(function_of("models"), answers, {})
    assert shown.spec == typed("models", "estimation", families=FAMILIES, baseline="rm")
    alone = drawn(function_of("models"), answer(models, EstimationRequest(baseline="rm")), {})
    assert alone.spec == typed("models", "estimation")


def test_families_are_a_file_or_a_pattern(answers, tmp_path):
    (tmp_path / "families.csv").write_text("run,family,parameter\ncomb-0.1,comb,0.1\ncomb-0.2,comb,0.2\n")
    plane, given = function_of("decompose"), answers("decompose")
    pattern = drawn(plane, given, {"families": "(comb)-(0.[12])"})
    assert drawn(plane, given, {"families": tmp_path / "families.csv"}) == pattern
    assert drawn(plane, given, {"families": str(tmp_path / "families.csv")}) == pattern
    with pytest.raises(UsageError, match="families: expected a file or a pattern of names, found 5"):
        drawn(plane, given, {"families": 5})


@pytest.fixture(scope="module")
def two_measures() -> Track:
    return track_of(f"{RUNS}/rm.gz", f"{RUNS}/orig.gz", f"{RUNS}/rel-fb.gz", qrels=QRELS, measures=("AP", "P@10"))


@pytest.mark.parametrize(("analysis", "figure"), [name for name in NAMES if name[0] not in ("models", "tracks")])
def test_several_measures_are_in_one_figure_or_refused_by_name(drawn, two_measures, analysis, figure):
    answer = import_module(f"biasvar_cli.analyses.{analysis}.answer").answer
    asked = {"null": None} if analysis == "tradeoff" else {}
    scores = same_runs({"a": two_measures, "b": two_measures}) if analysis == "judges" else two_measures
    found = [summarised(two_measures)] if analysis == "summary" else answer(scores, REQUESTS[analysis](**asked))
    if figure not in ("tradeoff", "asl", "swap", "summary"):
        with pytest.raises(UsageError, match=r"^measure: expected one, found AP and P@10$"):
            figure_in_python(analysis, figure, found)
        return
    runs = (f"{RUNS}/{name}.gz" for name in ("rm", "orig", "rel-fb"))
    null = ["--no-null"] if analysis == "tradeoff" else []
    spec = drawn(figure, *runs, "-q", QRELS, "-m", "AP", "-m", "P@10", *null, "--quiet")
    assert figure_in_python(analysis, figure, found).spec == spec


def figure_in_python(analysis: str, figure: str, answers: object, **options: Any) -> Figure:
    return drawn(function_of(analysis, figure), answers, options)


@pytest.mark.parametrize(
    ("analysis", "figure", "asked", "message"),
    [
        ("decompose", "plane", {"target": ("best", "perfect")}, "target: expected one, found best and perfect"),
        ("decompose", "ranked", {"target": ("best", "perfect")}, "target: expected one, found best and perfect"),
        ("risk", "risk", {"baseline": ("mean", "top")}, "baseline: expected one, found mean and top"),
        (
            "compare",
            "asl",
            {"of": "total", "target": ("best", "perfect")},
            "target: expected one, found best and perfect",
        ),
    ],
)
def test_several_targets_or_baselines_are_refused_by_name(answers, analysis, figure, asked, message):
    with pytest.raises(UsageError) as error:
        figure_in_python(analysis, figure, answers(analysis, **asked))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("analysis", "figure", "options", "message"),
    [
        ("decompose", "plane", {"form": "both"}, "form: expected score or gap, found 'both'"),
        ("decompose", "plane", {"baseline": "rm"}, "baseline: needs families"),
        (
            "decompose",
            "plane",
            {"width": "three"},
            "width='three': neither one, two, lncs, nor a width from 7cm to 60cm",
        ),
        ("decompose", "plane", {"theme": "blue"}, "theme: expected light or dark, found 'blue'"),
        ("decompose", "plane", {"title": "no"}, "title: expected True or False, found 'no'"),
        ("tradeoff", "tradeoff", {"correlation": 1}, "correlation: expected pearson, spearman or kendall, found 1"),
        ("risk", "risk", {"alpha": 0}, "alpha: expected a number above 0 and at most 1000000, found 0"),
        ("risk", "risk", {"alpha": -1}, "alpha: expected a number from 0 to 1000000, found -1"),
        ("risk", "losses", {"run": 5}, "run: expected text, found 5"),
        ("compare", "compare", {"test": "f"}, f"test: expected {listed(TESTS, None, 'or')}, found 'f'"),
        ("compare", "asl", {"test": "sign"}, f"test: expected {listed(MEAN_TESTS, None, 'or')}, found sign"),
        ("models", "estimation", {"baseline": "rm"}, "baseline: needs families"),
    ],
)
def test_a_value_that_an_option_cannot_have_is_refused(answers, analysis, figure, options, message):
    with pytest.raises(UsageError) as error:
        figure_in_python(analysis, figure, answers(analysis), **options)
    assert str(error.value) == message


def test_a_gap_that_is_not_defined_is_refused_with_the_name_of_the_option(answers):
    with pytest.raises(UsageError, match=r"^form='gap' needs the target's score per query; mean:0.5 is a mean alone$"):
        figure_in_python("decompose", "plane", answers("decompose", target=("mean:0.5",)), form="gap")


def test_a_choice_has_its_own_spelling(answers):
    given = answers("decompose")
    assert figure_in_python("decompose", "plane", given, form=" GAP ") == figure_in_python(
        "decompose", "plane", given, form="gap"
    )


def test_an_option_that_there_is_not_is_a_type_error_with_the_near_ones(answers):
    with pytest.raises(TypeError, match="the figure plane has no option 'famlies'; did you mean families"):
        figure_in_python("decompose", "plane", answers("decompose"), famlies=FAMILIES)
    with pytest.raises(TypeError, match=r"has no option 'colour'; its options are form, top, width, theme, title$"):
        figure_in_python("decompose", "ranked", answers("decompose"), colour="red")


def test_a_figure_that_there_is_not_is_refused_with_those_that_there_are():
    for name in ("pie", 5, ["plane"]):
        with pytest.raises(UsageError, match=r"^figure: expected plane, total or ranked, found "):
            function_of("decompose", name)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="there is no figure of this result"):
        figure_of({}, "plane")


def test_a_track_that_is_broken_is_no_gap_in_a_figure(tmp_path):
    text = (ROOT / MANIFEST).read_text().replace("../", f"{ROOT}/")
    (tmp_path / "tracks.toml").write_text(text.replace('glob = "nrr-*"', 'glob = "zzz-*"'))
    answer = import_module("biasvar_cli.analyses.tracks.answer").answer
    result = answer(read_manifest(str(tmp_path / "tracks.toml")).tracks, TracksRequest(design=Design()))
    assert len(result.broken) == 1
    with pytest.raises(BiasVarError, match="track nrr: "):
        figure_in_python("tracks", "trend", [result])


def test_a_warning_is_of_the_line_that_asks_for_the_figure(answers, tmp_path):
    (tmp_path / "families.csv").write_text("run,family\ncomb-0.1,comb\ncomb-0.2,comb\nnone,comb\n")
    given = answers("decompose")
    with pytest.warns(DataWarning, match="1 run outside the evaluated ones left out: none") as warned:
        figure_in_python("decompose", "plane", given, families=tmp_path / "families.csv")  # this line
    (warning,) = warned
    assert warning.filename == __file__
    assert "# this line" in Path(__file__).read_text().splitlines()[warning.lineno - 1]


# What a figure shows and saves.


@pytest.fixture
def plane(answers) -> Figure:
    return figure_in_python("decompose", "plane", answers("decompose"))


@pytest.mark.parametrize(("analysis", "figure"), [("target", "queries"), ("models", None)])
@pytest.mark.parametrize("suffix", ["svg", "json"])
def test_a_file_is_that_of_the_command(biasvar, answers, sample_scores, few_models, tmp_path, analysis, figure, suffix):
    pytest.importorskip("vl_convert", reason="the extra plot is not installed")
    inputs = [few_models, "--true", few_models / "true.tsv.gz"] if analysis == "models" else [sample_scores]
    out, path = tmp_path / f"command.{suffix}", tmp_path / f"python.{suffix.upper()}"
    assert biasvar("plot", figure or "estimation", *inputs, "--quiet", "-o", out).code == 0
    assert figure_in_python(analysis, figure, answers(analysis)).save(path) == path
    assert path.read_bytes() == out.read_bytes()


@pytest.mark.anew
def test_a_file_is_whole_or_as_it_was(plane, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plane.gif").write_text("as it was")
    for name in ("plane.gif", "plane", "plane.pdf.gz"):
        with pytest.raises(UsageError, match=f"^path {name}: a figure's name ends in one of .pdf, .svg, .png, .json$"):
            plane.save(name)
    for name in (5, None, b"plane.json"):
        with pytest.raises(UsageError, match=r"^path: expected a path, found "):
            plane.save(name)
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
    assert len(shown["datasets"]["runs"]) == 22
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


def test_a_figure_is_pickled_and_hashed_and_says_in_a_line_what_it_is(plane, answers):
    again = pickle.loads(pickle.dumps(plane))  # noqa: S301
    assert again == plane
    assert len({plane, again, figure_in_python("decompose", "total", answers("decompose"))}) == 2
    assert repr(plane) == 'Figure(Least total error and best mean: rel-fb; .save("figure.pdf"), or .svg, .png, .json)'
    untitled = figure_in_python("decompose", "plane", answers("decompose"), title=False)
    assert repr(untitled) == repr(plane)


def test_a_picture_that_cannot_be_made_is_a_warning_and_the_specification_is_shown(monkeypatch):
    def fail(_: object) -> None:
        raise DataError("the picture is empty")

    monkeypatch.setattr("biasvar_cli.notebook.figure.picture_of", fail)
    with pytest.warns(DataWarning, match="no picture of the figure: the picture is empty"):
        data, _ = Figure.of({"description": "A figure. AP.", "mark": "point"})._repr_mimebundle_()
    assert set(data) == {MIME_TYPE, "text/plain"}
