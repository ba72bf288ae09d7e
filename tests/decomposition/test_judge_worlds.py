"""The simulated judges of benchmarks/: where they favour a run and where not, and the same track each time."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import numpy as np
import pytest
from conftest import ROOT

from biasvar_cli.decomposition.judge_differences import judge_split

NAMES = ("alike", "lenient", "compressing", "noisy", "noisy reference", "close runs", "close, noisy reference")
NAMES += ("shared errors", "blind at times", "a failed run", "bent", "bent, a failed run")
GRADED = ("grades", "lenient grades", "noisy grades", "binary-like grades")


@pytest.fixture(scope="module")
def simulated() -> Iterator[ModuleType]:
    """The simulation of benchmarks/."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        yield importlib.import_module("judge_favour")
        for name in ("judge_favour", "simulated_rankings"):
            sys.modules.pop(name, None)


def in_errors(reference: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Run means under the other judge less the line through them, by numpy, in standard errors over the queries."""
    slope = np.polyfit(reference.mean(axis=1), other.mean(axis=1), 1)[0]
    rows = (other - other.mean(axis=0)) - slope * (reference - reference.mean(axis=0))
    return rows.mean(axis=1) / rows.std(axis=1) * np.sqrt(rows.shape[1])


@pytest.mark.parametrize("name", NAMES)
def test_no_run_is_favoured_unless_the_line_is_bent(simulated, name):
    from_line = in_errors(*simulated.track(name, 0, 40, 5000, 0))
    assert np.abs(from_line).max() > 6 if "bent" in name else np.abs(from_line).max() < 4
    if name == "bent, a failed run":
        assert from_line[-1] == from_line.min()


@pytest.mark.parametrize("name", NAMES)
def test_a_gain_is_of_the_first_run_alone(simulated, name):
    world = simulated.SCORED[name]
    plain, favoured = (simulated.scored(np.random.default_rng(3), world, gain, 5, 200) for gain in (0.0, 0.1))
    assert np.array_equal(plain[0], favoured[0])
    assert np.array_equal(plain[1][1:], favoured[1][1:])
    gains = favoured[1][0] - plain[1][0]
    assert gains.min() >= 0
    assert gains.max() == pytest.approx(0.1)


def test_worlds_have_the_slope_and_the_shift_that_they_name(simulated):
    for name in NAMES[:4]:
        world = simulated.SCORED[name]
        split = judge_split(*simulated.track(name, 0, 10, 20_000, 0))
        assert split.slope == pytest.approx(world.slope, abs=0.03), name
        assert split.query == pytest.approx(((world.slope - 1) * 0.2) ** 2 + world.query**2, abs=0.01), name


@pytest.mark.parametrize("name", GRADED)
def test_judges_of_documents_favour_a_run_whose_noise_they_share(simulated, name):
    reference, other = simulated.track(name, 0, 6, 300, 0)
    assert 0 <= min(reference.min(), other.min()) <= max(reference.max(), other.max()) <= 1
    assert np.abs(in_errors(reference, other)).max() < 4
    assert np.mean([in_errors(*simulated.track(name, 2, 6, 300, number))[0] for number in range(3)]) > 6


def test_a_track_is_the_same_each_time(simulated):
    one, two = (simulated.called("alike", 2, (6, 20), 199, 7) for _ in range(2))
    assert one == two
    assert simulated.WORLDS == NAMES + GRADED
    assert not np.array_equal(*(simulated.track("alike", 0, 6, 20, number)[0] for number in (7, 8)))
