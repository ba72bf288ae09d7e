"""Shared by the tests: the real data beside the repository, and the command line as a function."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from biasvar_cli.cli import main
from biasvar_cli.scores import ScoreMatrix

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"

settings.register_profile(
    "default", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("default")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real runs and scores; tests that use it skip without it."""
    if not SHARED.is_dir():
        pytest.skip("the real data (../shared/data) are not here")
    return SHARED


class Result(NamedTuple):
    """What a command left: its exit code and what it wrote."""

    code: int
    out: str
    err: str


@pytest.fixture
def biasvar(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Result]:
    """Run the command line in this process."""

    def run(*arguments: object) -> Result:
        capfdbinary.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Result(code, out.decode(), err.decode())

    return run


def matrix_of(values: object, measure: str | None = "AP") -> ScoreMatrix:
    """A score matrix with runs r0, r1, ... and queries q0, q1, ..."""
    array = np.atleast_2d(np.asarray(values, dtype=float))
    return ScoreMatrix(
        array, tuple(f"r{i}" for i in range(len(array))), tuple(f"q{i}" for i in range(array.shape[1])), measure
    )
