"""What may be asked of query models: the same reasons in Python and on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from biasvar_cli.analyses.models.columns import JOINT, TABLES
from biasvar_cli.analyses.models.request import EstimationRequest
from biasvar_cli.decomposition import decompose
from biasvar_cli.errors import UsageError
from biasvar_cli.query_models import estimation
from biasvar_cli.query_models.estimation import DIVERGENCES
from biasvar_cli.query_models.request import DivergenceName, ModelRequest
from biasvar_cli.tables.column import expanded

ROOT = Path(__file__).parents[2]
MODELS = ("sample_models", "--true", "sample_models/true.tsv.gz")


def request(**asked):
    if set(asked) & {"epsilon", "exclude_no_feedback", "background", "divergence"}:
        return ModelRequest(inputs=("models",), true="true.tsv", **asked)
    return EstimationRequest(**asked)


@pytest.mark.parametrize(
    ("option", "asked", "typed"),
    [
        ("ci", {"ci": 95.0}, ("--ci", "95")),
        ("resamples", {"resamples": 100}, ("--resamples", "100")),
        ("measure", {"measure": ("AP",)}, ("-m", "AP")),
        ("target", {"target": "best"}, ("--target", "best")),
        ("epsilon", {"epsilon": (0.5,), "divergence": ("js",)}, ("--epsilon", ".5", "--divergence", "js")),
        ("exclude_no_feedback", {"exclude_no_feedback": True}, ("--exclude-no-feedback",)),
    ],
)
def test_nonsense_is_refused_for_one_reason(biasvar, in_the_checkout, option, asked, typed):
    with pytest.raises(UsageError) as error:
        request(**asked)
    assert error.value.option == option
    result = biasvar("models", *MODELS, *typed)
    assert result.code == 2
    message = " ".join(result.err.split())
    named, _, reason = error.value.typed.partition(",")[0].partition(": ")
    assert named in message
    assert reason in message


def test_every_divergence_has_its_record():
    assert tuple(DIVERGENCES) == get_args(DivergenceName)


def test_every_column_has_a_meaning():
    for declared in (*TABLES.values(), JOINT):
        columns = list(expanded(declared))
        assert len({column.name for column in columns}) == len(columns)
        assert all(column.meaning for column in columns)


def test_a_plain_run_decomposes_once(biasvar, in_the_checkout, monkeypatch):
    calls = []

    def counting(*arguments):
        calls.append(arguments)
        return decompose.decompose(*arguments)

    monkeypatch.setattr(estimation, "decompose", counting)
    assert biasvar("models", *MODELS).code == 0
    assert len(calls) == 1


def test_models_without_runs_load_nothing_that_reads_runs():
    code = "import sys; from biasvar_cli.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", code, "models", *MODELS]
    result = subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT)
    assert not {"pyarrow", "scipy", "ir_measures", "pandas"} & set(result.stderr.split())
