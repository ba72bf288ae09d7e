"""Targets of all forms: on the data, in samples of all null models, and in logs."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from conftest import matrix_of

from biasvar_cli.decomposition import SINGLE, Design
from biasvar_cli.decomposition.decompose import TargetedScores, VirtualTarget
from biasvar_cli.decomposition.generalised import TradeoffRow
from biasvar_cli.errors import UsageError
from biasvar_cli.nulls import NULLS
from biasvar_cli.nulls.statistic import sample_statistic
from biasvar_cli.nulls.surface import fit_surface
from biasvar_cli.score_matrix import LogTransform, ScoreMatrix
from biasvar_cli.scoring.targets import make_target, targeted_scores
from biasvar_cli.scoring.track import Scored
from biasvar_cli.specs import targets as target_forms
from biasvar_cli.specs.targets import TARGETS, TargetForm, TargetKind, TargetSpec, parse_target
from biasvar_cli.stats.correlation import UNDEFINED
from biasvar_cli.tables.table import target_words

VALUES = np.random.default_rng(7).beta(1, 3, size=(6, 12)).clip(0.01)
IDEAL, FILE = np.linspace(0.5, 1.0, 12), np.linspace(0.3, 0.8, 12)
TYPED = {
    "best": "best",
    "best:Q": "best:0.75",
    "perfect": "perfect",
    "ideal": "ideal",
    "run:NAME": "run:r1",
    "mean:X": "mean:0.6",
    "file:PATH": "file:target.csv",
}
FROM_RUNS = {  # by hand: what the scores of the runs, (R, n), make of the target
    "best": lambda values: values.max(axis=0),
    "best:Q": lambda values: np.sort(values, axis=0)[3:5].T @ [0.25, 0.75],  # of six, 0.75 * 5 = 3.75 from the least
    "run:NAME": lambda values: values[1],
}
FIXED = {"perfect": np.ones(12), "ideal": IDEAL, "mean:X": np.full(12, 0.6), "file:PATH": FILE}


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"q{index},{score!r}\n" for index, score in enumerate(FILE.tolist()))
    (tmp_path / "target.csv").write_text(f"query_id,score\n{rows}")


def _scored(pool: ScoreMatrix) -> Scored:
    return Scored(pool, pool, None, lambda: IDEAL)


def _expected(written: str, values: np.ndarray) -> np.ndarray:
    return FROM_RUNS[written](values) if written in FROM_RUNS else FIXED[written]


def test_the_forms_have_all_kinds():
    assert {form.kind for form in TARGETS.values()} == set(get_args(TargetKind))
    assert list(TYPED) == list(TARGETS)
    assert [parse_target(text).form.written for text in TYPED.values()] == list(TARGETS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("written", TARGETS)
def test_every_form_on_the_data(written):
    target = make_target(parse_target(TYPED[written]), _scored(matrix_of(VALUES)))
    expected = _expected(written, VALUES)
    assert target.mean == pytest.approx(expected.mean(), abs=1e-12)
    assert (target.scores is None) == (written == "mean:X")
    assert target.scores is None or np.allclose(target.scores, expected, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", NULLS.values(), ids=NULLS)
@pytest.mark.parametrize("written", TARGETS)
def test_every_form_in_samples_of_every_null_model(written, model):
    """The target of a sample is made of it where runs make the target, and that of the data everywhere else."""
    pool = matrix_of(VALUES)
    targeted = TargetedScores(pool, pool, make_target(parse_target(TYPED[written]), _scored(pool)))
    samples = model.fit(fit_surface(VALUES) if model.fitted else pool).draw(np.random.default_rng(1), 3)
    row = TradeoffRow(SINGLE, "score", UNDEFINED, 12, 0)
    pearsons = sample_statistic(targeted, [row], Design(), of_runs=False)(samples)[:, 0]
    for sample, pearson in zip(samples, pearsons, strict=True):
        bias2 = (_expected(written, sample).mean() - sample.mean(axis=1)) ** 2
        assert pearson == pytest.approx(np.corrcoef(bias2, sample.var(axis=1))[0, 1], abs=1e-9)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("written", TARGETS)
def test_every_form_in_logs(written):
    """Of runs the logs of the target's scores; of systems what their mean logs make, where runs make the target."""
    logs, spec = LogTransform("floor", 1e-5), parse_target(TYPED[written])
    runs = matrix_of(VALUES)
    twins = ScoreMatrix(
        np.concatenate([VALUES, VALUES[:, ::-1]]),
        tuple(f"{r}-{k}" for k in "ab" for r in runs.runs),
        runs.queries,
        "AP",
    )
    systems = ScoreMatrix.of_systems(twins, {run: run[:2] for run in twins.runs})
    if written == "mean:X":
        with pytest.raises(UsageError, match="a mean alone"):
            targeted_scores(_scored(runs), spec, logs)
        return
    of_runs = targeted_scores(_scored(runs), spec, logs).target.scores
    of_systems = targeted_scores(_scored(systems), spec, logs).target.scores
    assert np.allclose(of_runs, np.log(_expected(written, VALUES)), rtol=0, atol=1e-12)
    mean_logs = (np.log(VALUES) + np.log(VALUES[:, ::-1])) / 2
    expected = FROM_RUNS[written](mean_logs) if written in FROM_RUNS else np.log(FIXED[written])
    assert np.allclose(of_systems, expected, rtol=0, atol=1e-12)


def test_a_kind_that_is_declared_alone_has_no_numbers_and_no_words(monkeypatch):
    monkeypatch.setitem(TARGETS, "worst", TargetForm("worst", "", "the least score of all runs"))
    monkeypatch.setitem(target_forms._FORMS, ("worst", False), TARGETS["worst"])
    spec = parse_target("worst")
    assert spec == TargetSpec("worst", "worst")
    with pytest.raises(AssertionError, match="worst"):
        make_target(spec, _scored(matrix_of(VALUES)))
    with pytest.raises(AssertionError, match="worst"):
        target_words(VirtualTarget.of(spec, IDEAL, 0))
