"""Shared by the tests: the sample track, the real data beside the repository, and the command line as a function."""

from __future__ import annotations

import base64
import csv
import gc
import gzip
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import real_data
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mutations import examples
from once import answers_once, drawings_once, null_models_once, scores_once, step_down_once
from page.browser import Browser, chromium
from warm_program import warm_program

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.cli import main
from biasvar_cli.clusters import Clusters
from biasvar_cli.decomposition.decompose import VirtualTarget, best_of_runs
from biasvar_cli.page.pictures import Picture, Pictures
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.track import Scored, Track
from biasvar_cli.specs.targets import TargetSpec
from biasvar_cli.tables.rounding import in_words
from biasvar_cli.words import Better

ROOT = Path(__file__).parents[1]
SAMPLE = ("sample_runs", "-q", "qrels/npl.qrels.txt", "--quiet")  # from within the checkout
FOUR = (*(f"sample_runs/{run}.gz" for run in ("comb-0.1", "nrr-0.1", "orig", "rm")), *SAMPLE[1:])  # of its runs
SAMPLE_RUNS = sorted(path.name.removesuffix(".gz") for path in (ROOT / "sample_runs").iterdir())
SAMPLE_TEAMS = "".join(["run,team\n", *(f"{run},{run.partition('-')[0]}\n" for run in SAMPLE_RUNS)])
SCORED = [  # the analyses of one file of scores
    analysis.name
    for analysis in ANALYSES
    if analysis.notebook and analysis.name not in ("check", "judges", "unjudged", "models", "tracks")
]
OF_SCORES_ALONE = [name for name in SCORED if name != "profile"]  # which is of a run, too
REAL_MATRICES = [f"trec{number}-adhoc-ap" for number in (3, 5, 6)] + ["terabyte06-ap-named"]
REAL_MATRICES += [f"web{year}-{measure}" for year in (2010, 2011) for measure in ("ap", "err20", "ndcg20")]
SYSTEMS_RUNS = {  # the worked example of docs/definitions.md, Replicates: three runs of A, two of B, one of C
    "A-1": (0.3, 0.1, 0.5),
    "A-2": (0.5, 0.2, 0.5),
    "A-3": (0.4, 0.3, 0.2),
    "B-1": (0.6, 0.08, 0.5),
    "B-2": (0.4, 0.12, 0.3),
    "C": (0.45, 0.2, 0.1),
}
unix = pytest.mark.skipif(os.name == "nt", reason="needs a Unix: a shell, signals, named pipes, links or permissions")
UNIT = st.integers(0, 1000).map(lambda value: value / 1000)
COARSE = st.integers(0, 3).map(lambda value: value / 3)  # many ties
TENTHS = st.integers(0, 10).map(lambda value: value / 10)
_STEPS = {UNIT: 1000, COARSE: 3, TENTHS: 10}

_NO_CHECK = [HealthCheck.function_scoped_fixture]
settings.register_profile("default", examples(20), deadline=None, suppress_health_check=_NO_CHECK)
settings.load_profile("default")


@dataclass(frozen=True)
class RealData:
    """A folder of the real runs and scores, to which ``/`` joins its parts; where a part is absent, the test skips.

    It is no path itself, so that nothing gets round that. What is no part of the data is absent as any other file.
    """

    folder: Path

    def __truediv__(self, name: str) -> RealData | Path:
        path = self.folder / name
        reason = real_data.lack(real_data.DATA, path)
        if reason is not None:
            pytest.skip(reason)
        return RealData(path) if real_data.has_parts(real_data.DATA, path) else path

    def __str__(self) -> str:
        raise TypeError(f"{self!r} is no path: join a part of the data to it with /")


def pytest_configure() -> None:
    """Refuse a variable that names no real data: tests would skip without a word of it."""
    fault = real_data.fault(os.environ.get(real_data.VARIABLE))
    if fault is not None:
        raise pytest.UsageError(fault)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use the fixture ``shared``, be it through others: ``-m real_data`` runs them alone."""
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker("real_data")


def pytest_sessionstart() -> None:
    """What is collected stays to the end: nobody looks through it for garbage."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def shared() -> RealData:
    """The folder of real runs and scores; tests that use a part of it skip without that part."""
    return RealData(real_data.DATA)


@pytest.fixture(autouse=True)
def computed_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers, null models, scores of files that no test writes, and drawings are those of an earlier test.

    Tests that are about the computation are marked ``anew``.
    """
    if request.node.get_closest_marker("anew") is None:
        answers_once(monkeypatch)
        null_models_once(monkeypatch)
        scores_once(monkeypatch)
        step_down_once(monkeypatch)
        drawings_once(monkeypatch)


@pytest.fixture
def in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in the checkout, where ``SAMPLE`` is."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, so that messages have short paths."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def covid_scores(shared: RealData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """AP of the 143 runs of TREC-COVID, round 1, as a score matrix."""
    folder, path = shared / "covid-round1", tmp_path_factory.mktemp("covid") / "ap.csv"
    options = ("-q", folder / "qrels.txt", "-m", "AP", "-f", "matrix", "--quiet", "-o", path)
    assert main(["scores", str(folder / "runs"), *map(str, options)]) == 0
    return path


def systems_of(sizes: Mapping[str, int], path: Path) -> tuple[Path, dict[str, Any]]:
    """Drawn scores of systems of so many runs, A the best, on 30 queries: in a file, and as arrays (runs, 30)."""
    rng = np.random.default_rng(5)
    ease = 0.2 + rng.random(30) / 3
    systems = {
        name: ease + 0.2 * rng.random((size, 30)) + rng.normal(0, 0.03, (size, 1)) + 0.1 * (name == "A")
        for name, size in sizes.items()
    }
    columns = {f"{name}-{run + 1}": runs[run] for name, runs in systems.items() for run in range(len(runs))}
    lines = [",".join(["AP", *columns])]
    lines += [f"q{query}," + ",".join(repr(float(run[query])) for run in columns.values()) for query in range(30)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path, systems


@pytest.fixture(scope="session")
def sample_scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """AP of the sample track, as a score matrix: the numbers of ``SAMPLE`` without its runs being read again."""
    path = tmp_path_factory.mktemp("sample") / "ap.csv"
    words = (str(ROOT / "sample_runs"), "-q", str(ROOT / "qrels" / "npl.qrels.txt"), "-f", "matrix", "--quiet")
    assert main(["scores", *words, "-o", str(path)]) == 0
    return path


def drawn_of(figure: str, scores: Path) -> tuple[str | Path, ...]:
    """A score matrix as the input of a figure: of `profile` behind its first run, of `judges` with a second judge
    beside it, the same scores in tenths, of `calibrated` with half of the queries before it; `unjudged` has the
    sample runs.
    """
    if figure == "unjudged":
        return ("sample_runs", "-q", "qrels/npl-pool.qrels.txt")
    if figure not in ("profile", "judges", "calibrated"):
        return (scores,)
    matrix = pd.read_csv(scores, index_col=0)
    if figure == "profile":
        return matrix.columns[0], scores
    matrix.round(1).to_csv(scores.with_name("tenths.csv"))
    if figure == "judges":
        return scores, scores.with_name("tenths.csv")
    matrix[: len(matrix) // 2].to_csv(scores.with_name("few.csv"))
    return scores.with_name("few.csv"), scores.with_name("tenths.csv")


@pytest.fixture(scope="session")
def few_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The query models of the sample for its first 12 queries, as a folder: they are read in a fifth of the time."""
    folder, queries = tmp_path_factory.mktemp("models"), {str(query).encode() for query in range(1, 13)}
    for path in (ROOT / "sample_models").iterdir():
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
        some = b"".join(line for line in lines if line.split(b"\t")[0] in queries)
        (folder / path.name).write_bytes(gzip.compress(some, mtime=0))
    return folder


class Result(NamedTuple):
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def biasvar(capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the command line in this process; no figure's converter is started beside it."""
    monkeypatch.setattr("biasvar_cli.console.commands.start_early", lambda: None)

    def run(*arguments: object) -> Result:
        capfdbinary.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = (text.decode() for text in capfdbinary.readouterr())
        assert "\ufdd0" not in out + err, "a message is shown with both of its wordings"
        return Result(code, out, err)

    return run


@pytest.fixture
def said(biasvar: Callable[..., Result]) -> Callable[..., str]:
    """What a command prints, as one line: where its lines end is no part of a sentence."""
    return lambda *arguments: " ".join(biasvar(*arguments).out.split())


@pytest.fixture
def refused(biasvar: Callable[..., Result]) -> Callable[..., None]:
    """That a command ends with an exit code and a message, and prints nothing."""

    def check(code: int, message: str, *arguments: object) -> None:
        result = biasvar(*arguments)
        assert (result.code, result.out) == (code, "")
        assert message in " ".join(result.err.split())

    return check


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    """Write a text to a file, by default a file of scores; its path."""

    def write(text: str, name: str = "ap.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def program() -> Iterator[str]:
    """How a shell runs the program, for tests that are about what a shell or make does with it."""
    with warm_program() as command:
        yield command


@pytest.fixture(scope="session")
def folder_of_program(program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH, in which ``biasvar`` is ``program``."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "biasvar").write_text(f'#!/bin/sh\nexec {program} "$@"\n')
    (folder / "biasvar").chmod(0o755)
    return folder


@pytest.fixture
def stale(folder_of_program: Path) -> Callable[..., str]:
    """What cog would change on a page, whose commands ``program`` runs; nothing where the page is up to date."""
    code = "import sys; sys.executable = sys.argv.pop(1); from cogapp import Cog; sys.exit(Cog().main(sys.argv))"

    def check(page: str, **environment: str) -> str:
        command = [sys.executable, "-c", code, folder_of_program / "python", "--check", "--diff", page]
        variables = {**os.environ, **environment}
        checked = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
        return f"exit code {checked.returncode}\n{checked.stdout}{checked.stderr}" if checked.returncode else ""

    return check


def interruptible() -> None:
    """Run in a new process before its program: let SIGINT interrupt it, where whoever started the tests ignores it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def drawn(biasvar: Callable[..., Result], tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """A figure's specification, drawn without a converter."""

    def draw(figure: str, *arguments: object) -> dict[str, Any]:
        path = tmp_path / "figure.json"
        result = biasvar("plot", figure, *arguments, "-o", path)
        assert (result.code, result.out) == (0, ""), result.err
        return json.loads(path.read_text())

    return draw


@pytest.fixture
def undrawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages have no figures, which take most of their time; tests that are about figures are marked ``drawn``."""
    if request.node.get_closest_marker("drawn") is None:
        monkeypatch.setattr(Pictures, "_picture", lambda _, __, ___, key, *____: Picture(key, "Not drawn."))


@pytest.fixture(scope="session")
def pages() -> dict[tuple[str, ...], bytes]:
    """The pages that tests share, by folder and arguments."""
    return {}


def unpacked(value: dict[str, Any]) -> Any:
    """What the page's script makes of a packed value."""
    packed = value.get("", value)
    if packed is value:
        return value
    if not isinstance(packed, str):
        return [[column[row % len(column)] for column in packed] for row in range(value["rows"])]
    floats = np.frombuffer(base64.b64decode(packed), "<f8").tolist()
    return [None if math.isnan(number) else number for number in floats]


@pytest.fixture
def made(
    biasvar: Callable[..., Result], tmp_path: Path, pages: dict[tuple[str, ...], bytes]
) -> Callable[..., tuple[str, Any]]:
    """A page as text, and its data; a page of files that no test writes is made once for all tests."""

    def make(*arguments: object) -> tuple[str, Any]:
        path, kind = tmp_path / "page.html", Pictures._picture.__name__
        key = (kind, str(Path.cwd()), *map(str, arguments))
        if key not in pages:
            result = biasvar("report", *arguments, "-o", path)
            assert (result.code, result.out) == (0, ""), result.err
        else:
            path.write_bytes(pages[key])
        if not any(word.startswith(str(tmp_path)) for word in key):
            pages[key] = path.read_bytes()
        text = path.read_text("utf-8")
        (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
        return text, json.loads(data, object_hook=unpacked)

    return make


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; tests that use it skip without it."""
    program = chromium()
    if program is None:
        pytest.skip("there is no chromium here (apt-get install chromium)")
    held = Browser(program)
    yield held
    held.close()


@pytest.fixture
def opened(browser: Browser, made: Callable[..., object], tmp_path: Path) -> Iterator[Callable[..., Browser]]:
    """A page, open in the browser at a width; afterwards it has asked for nothing and complained of nothing."""

    def open_page(*arguments: object, width: int = 1280, dark: bool = False) -> Browser:
        made(*arguments)
        browser.resize(width, dark=dark)
        browser.open(tmp_path / "page.html")
        return browser

    yield open_page
    assert browser.problems() == []
    if (tmp_path / "page.html").exists():
        assert browser.requests() == [(tmp_path / "page.html").as_uri()]


def matrix_of(values: object, measure: str | None = "AP") -> ScoreMatrix:
    """A score matrix with runs r0, r1, ... and queries q0, q1, ..."""
    array = np.atleast_2d(np.asarray(values, dtype=float))
    runs, queries = (tuple(f"{kind}{i}" for i in range(n)) for kind, n in zip("rq", array.shape, strict=True))
    return ScoreMatrix(array, runs, queries, measure)


def track_of(
    scores: object, pool: object = None, *, measure: str | None = "AP", better: Better = "more", clusters: str = ""
) -> Track:
    """A track of one measure with these scores and no judgments; the runs of the ``pool`` shape the target.

    ``clusters`` names that of each query by a letter.
    """
    named = Clusters.named(clusters) if clusters else None
    matrices = (
        replace(matrix_of(values, measure).oriented(better), clusters=named)
        for values in (scores, scores if pool is None else pool)
    )
    return Track((Scored(*matrices, None, None),))


def spaced(*means: float, n_queries: int = 8, noise: float = 0.02) -> np.ndarray:
    """Runs of exactly these means, that are 0.02 above and below them on half of the queries each, each in its own way.

    A run that is 0.1 better than another one is so on every query.
    """
    query = np.arange(n_queries)
    signs = np.array([(-1.0) ** (query >> bit) for bit in range(3)])
    ways = np.array([signs[0], signs[1], signs[2], signs[0] * signs[1], signs[0] * signs[2], signs[1] * signs[2]])
    return np.array([mean + noise * ways[run % len(ways)] for run, mean in enumerate(means)])


def swinging(*runs: tuple[float, float], n_queries: int = 8) -> np.ndarray:
    """Runs by their mean and deviation: so much above it on every other query, and below it on the others."""
    sides = np.resize([1.0, -1.0], n_queries)
    return np.array([mean + deviation * sides for mean, deviation in runs])


def assert_says(notes: str | Iterable[str], text: str) -> None:
    """Sentences are those of a text, in which … stands for anything, such as a number that other tests check."""
    said = " ".join(in_words(note, 4) for note in ([notes] if isinstance(notes, str) else notes))
    assert re.fullmatch(".*".join(map(re.escape, text.split("…"))), said), f"{said}\n!= {text}"


def aimed(values: object) -> tuple[ScoreMatrix, VirtualTarget]:
    """The runs of ``matrix_of``, and the best score of each query as their target."""
    runs = matrix_of(values)
    return runs, best_of_runs(runs)


def write_scores(
    path: Path, values: object, runs: Iterable[str] = (), queries: Iterable[str] = (), measure: str = "AP"
) -> Path:
    """Write the scores of ``matrix_of`` to a file, under the names of the runs and queries that are given."""
    matrix = matrix_of(values)
    names, index = [*runs] or matrix.runs, pd.Index([*queries] or matrix.queries, name=measure)
    pd.DataFrame(matrix.values.T, index=index, columns=names).to_csv(path)
    return path


def write_manifest(path: Path, *tracks: Mapping[str, object]) -> Path:
    """Write a manifest of tracks by their keys."""
    entries = ("\n".join(f"{key} = {json.dumps(value)}" for key, value in track.items()) for track in tracks)
    path.write_text("".join(f"[[track]]\n{entry}\n" for entry in entries))
    return path


def book() -> ScoreMatrix:
    """Three systems X, Y and Z on 20 queries: the sample data of Sakai's book, as the program elinor has them."""
    rows = (
        ".7 .3 .2 .6 .4 .4 0 .7 .1 .3 .5 .4 0 .6 .5 .3 .1 .5 .2 .1",
        ".5 .1 0 .2 .4 .3 0 .5 .3 .3 .4 .4 .1 .4 .2 .1 .1 .6 .3 .2",
        "0 0 .2 .1 .3 .3 .1 .2 .4 .4 .4 .3 .3 .2 .2 .2 .1 .5 .4 .3",
    )
    return matrix_of([[float(word) for word in row.split()] for row in rows])


def perfect_of(n_queries: int) -> VirtualTarget:
    """The target that scores 1 on every query."""
    return VirtualTarget(TargetSpec("perfect", "perfect"), 1.0, np.ones(n_queries), 0)


def real_matrix(shared: RealData, name: str) -> ScoreMatrix:
    """One of ``REAL_MATRICES``, with runs r0, r1, ..."""
    path = shared / "score-matrices" / f"{name}.csv"
    if name == "terabyte06-ap-named":
        return matrix_of(np.genfromtxt(path, delimiter=",", skip_header=1)[:, 1:])
    return matrix_of(np.loadtxt(path, delimiter=",", skiprows=1).T)


def score_arrays(
    runs: tuple[int, int], queries: tuple[int, int], *elements: st.SearchStrategy[float]
) -> st.SearchStrategy[np.ndarray]:
    """Scores of at least and at most so many runs and queries, all of them of one kind of elements."""
    return st.tuples(st.integers(*runs), st.integers(*queries), st.sampled_from(elements)).flatmap(
        lambda drawn: scores_of(drawn[:2], drawn[2])
    )


def scores_of(shape: tuple[int, ...], elements: st.SearchStrategy[float]) -> st.SearchStrategy[np.ndarray]:
    """Scores of one kind of elements; those of ``UNIT``, ``COARSE`` and ``TENTHS`` take one draw in all.

    Of the elements of ``UNIT`` about one in 43 is 0 and as many are 1.
    """
    if elements not in _STEPS:
        return arrays(float, shape, elements=elements)
    steps, size = _STEPS[elements], 2 * int(np.prod(shape))

    def scores(data: bytes) -> np.ndarray:
        drawn = np.frombuffer(data, "<u2").astype(int)
        numbers = np.clip(drawn % (steps + 47) - 23, 0, steps) if elements is UNIT else drawn % (steps + 1)
        return (numbers / steps).reshape(shape)

    return st.binary(min_size=size, max_size=size).map(scores)


def typed(arguments: Mapping[str, Any]) -> list[str]:
    """Arguments of Python as the command line has them."""
    words: list[str] = []
    for name, value in arguments.items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, bool):
            words.append(option if value else option.replace("--", "--no-", 1))
        elif name in ("weights", "alpha", "subset_size") and isinstance(value, tuple):
            words += [option, ",".join(map(str, value))]
        else:
            values = value if isinstance(value, tuple | list) else (value,)
            words += [word for each in values for word in (option, str(each))]
    return words


def only(result: Result, code: int = 0) -> dict[str, Any]:
    """The one result in the JSON of a command."""
    assert result.code == code, result.err
    (found,) = json.loads(result.out)["results"]
    return found


def assert_refused(result: Result, code: int, *messages: str) -> None:
    """A command has the exit code, printed nothing, and has the messages in its error."""
    assert (result.code, result.out) == (code, ""), result.err
    assert [message for message in messages if message not in result.err] == []


def rows_of(result: Result, code: int = 0) -> list[dict[str, str]]:
    """The rows in the csv of a command."""
    assert result.code == code, result.err
    return list(csv.DictReader(io.StringIO(result.out)))


def other_judge(scores: Path) -> Path:
    """A second judge of the same runs beside a matrix of scores: their squares."""
    path = scores.with_name("squares.csv")
    if not path.exists():
        (pd.read_csv(scores, index_col=0) ** 2).to_csv(path)
    return path


def close(
    found: object, expected: object, tolerance: float = 1e-12, relative: float = 0.0, *, nan: bool = False
) -> bool:
    """Whether all numbers are equal but for rounding; with ``nan``, undefined ones equal each other."""
    return np.allclose(np.asarray(found), np.asarray(expected), rtol=relative, atol=tolerance, equal_nan=nan)
