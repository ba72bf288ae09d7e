"""Progress bars: what they count, and that there is none without a terminal, with --quiet and before a delay."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pytest
from conftest import FOUR

from biasvar_cli.analyses.risk import inference
from biasvar_cli.cli import main
from biasvar_cli.progress import watched
from biasvar_cli.score_matrix import ScoreMatrix

pytestmark = pytest.mark.usefixtures("in_the_checkout")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.anew
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("jobs", "command", "n_samples"),
    [
        ("1", ("decompose", "-m", "AP", "-m", "P@5"), 2 * 3 * 100),  # two measures, each with three models of a verdict
        ("2", ("decompose", "-f", "json"), 4 * 100),  # shuffled scores too
        ("1", ("decompose", "--stability", "-f", "csv"), 2 * 3 * 100),  # as many fresh samples of the three
        ("2", ("tradeoff", "--target", "best", "--target", "perfect"), 2 * 3 * 100),
        ("1", ("report", "-o", "{tmp}/page.html"), 6 * 100),
    ],
)
def test_a_bar_counts_the_samples_of_the_null_models(monkeypatch, tmp_path, jobs, command, n_samples):
    monkeypatch.setattr("biasvar_cli.console.terminal.SHORT", 0.0)
    name, *options = (word.replace("{tmp}", str(tmp_path)) for word in command)
    words = [name, *FOUR[:6], *options, "--null-samples", "100", "--jobs", jobs]
    for quiet in ([], ["--quiet"]) if name == "tradeoff" else ([],):
        monkeypatch.setattr("sys.stderr", Terminal())
        assert main([*words, *quiet]) == 0
        assert (f"  {n_samples}/{n_samples}  " in sys.stderr.getvalue()) is not bool(quiet)


def test_null_models_without_a_terminal_or_before_the_delay_have_no_bar(monkeypatch):
    for delay, stream in ((600.0, Terminal()), (0.0, io.StringIO())):
        monkeypatch.setattr("biasvar_cli.console.terminal.SHORT", delay)
        monkeypatch.setattr("sys.stderr", stream)
        assert main(["tradeoff", *FOUR[:6], "--null-samples", "100"]) == 0
        assert "Simulating" not in stream.getvalue()


def test_a_bar_of_risk_counts_resamples_of_tests_and_of_intervals(monkeypatch):
    monkeypatch.setattr("biasvar_cli.console.terminal.SHORT", 0.0)
    frames = []
    for interval in ([], ["--ci", ".95", "--resamples", "1200"]):
        monkeypatch.setattr("sys.stderr", Terminal())
        assert main(["risk", *FOUR[:6], "--baseline", "median", *interval]) == 0
        frames.append([int(number) for number in re.findall(r"  (\d+)/(\d+)  ", sys.stderr.getvalue())[-1]])
    (tested, of_tests), (finished, length) = frames
    assert (finished - tested, length - of_tests) == (1200, 1200)


@pytest.mark.parametrize("values", [2**22, 44 * 100])  # all runs together, and one at a time
def test_the_resamples_of_all_runs_are_counted(monkeypatch, values):
    monkeypatch.setattr(inference, "_VALUES", values)
    scores = ScoreMatrix(np.random.default_rng(0).random((5, 44)), tuple("abcde"), tuple(map(str, range(44))), "AP")
    numbers = []
    with watched("tested", lambda number, _: numbers.append(number)):
        inference.risk_intervals(scores, scores, scores.values[0], [1], n_resamples=1001, level=0.9)
    assert sum(numbers) == 1001


def test_a_bar_of_tracks_counts_tracks(monkeypatch):
    monkeypatch.setattr("biasvar_cli.console.terminal.SHORT", 0.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    assert main(["tracks", "docs/tracks.toml", "--no-null"]) == 0
    assert "  2/2  " in sys.stderr.getvalue()
