"""What many tests compute from the same input, computed once in a process.

These are answers of analyses, null models, scores of files, tests of pairs of runs, and drawings.

Only pure functions are kept, and only by all that goes into them. Arrays that tests share cannot be written to, so an
analysis that changes its input fails.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
import real_data

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.analyses.tracks import answer as tracks_answer
from biasvar_cli.analyses.tradeoff import answer as tradeoff_answer
from biasvar_cli.drawing import converter
from biasvar_cli.errors import keep_warnings, notice, warn
from biasvar_cli.nulls import models
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.sources import Source
from biasvar_cli.scoring import scorer
from biasvar_cli.scoring.evaluator import RunScores
from biasvar_cli.specs.machine import is_file
from biasvar_cli.stats import step_down
from biasvar_cli.stats.monte_carlo import USUAL_SAMPLES
from biasvar_cli.words import nouns_in_use


class _Answer(NamedTuple):
    """An answer, and what it warned of."""

    value: Any
    warnings: list[str]
    notices: list[str]


_ROOT = Path(__file__).parents[1]
_UNCHANGED = [Path(os.path.normpath(path)) for path in (_ROOT / "sample_runs", _ROOT / "qrels", real_data.DATA)]
_ANSWERED = [analysis.name for analysis in ANALYSES if analysis.name not in ("check", "scores", "models", "tracks")]
_MOST = 500  # answers to keep, the newest
_ANSWERS: dict[bytes, _Answer] = {}
_NULLS: dict[bytes, Any] = {}
_SCORES: dict[bytes, Any] = {}
_TESTS: dict[bytes, Any] = {}
_DRAWINGS: dict[str, str] = {}


def answers_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer the same request of a command, figure, page or notebook once; answers compute much when asked for it.

    A test that calls the function itself has an answer of its own, which it may change.
    """
    for module, once in _answering():
        monkeypatch.setattr(module, "answer", once)


@cache
def _answering() -> list[tuple[ModuleType, Callable[..., Any]]]:
    """The modules that have the function ``answer`` of an analysis, and what takes its place."""
    found = []
    for name in _ANSWERED:
        folder = f"biasvar_cli.analyses.{name}"
        module = import_module(f"{folder}.answer")
        found.append((module, _once_of(name, module.answer)))
        if find_spec(f"{folder}.notebook") is not None:
            found.append((import_module(f"{folder}.notebook"), found[-1][1]))
    return found


def _once_of(name: str, fresh: Callable[..., Any]) -> Callable[..., Any]:
    def once(scores: Any, request: Any, **options: Any) -> Any:
        is_of_program = sys._getframe(1).f_globals["__name__"].startswith("biasvar_cli.")
        key = _key(name, scores, request, options) if is_of_program else None
        if key is None:
            return fresh(scores, request, **options)
        if key not in _ANSWERS:
            with keep_warnings() as messages:
                value = fresh(scores, request, **options)
            if len(_ANSWERS) == _MOST:
                _ANSWERS.pop(next(iter(_ANSWERS)))
            _ANSWERS[key] = _Answer(value, messages.warnings, messages.notices)
        answer = _ANSWERS[key]
        for text in answer.warnings:
            warn(text)
        for text in answer.notices:
            notice(text)
        return list(answer.value) if isinstance(answer.value, list) else answer.value

    return once


def _key(name: str, scores: Any, request: Any, options: dict[str, Any]) -> bytes | None:
    """All that goes into an answer; None where it is to be computed anew.

    That is so of intervals, which warn when they are asked for, of what is read from a pipe, and where no pickle has
    it: of judges, which are scored when they are asked for.
    """
    texts = (text for value in vars(request).values() for text in (value if type(value) is tuple else (value,)))
    paths = [Path(text) for text in texts if isinstance(text, str) and is_file(text)]
    if getattr(request, "ci", None) is not None or any(path.is_fifo() for path in paths):
        return None
    files = [path.read_bytes() for path in paths]
    try:
        return pickle.dumps((name, str(Path.cwd()), scores, request, options, files, nouns_in_use()))
    except (AttributeError, pickle.PicklingError):
        return None


def null_models_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fit and draw the null models of the same scores, rows and request once, where that warns of nothing."""
    fresh = models.null_models

    def once(targeted: Any, rows: Any, design: Any, request: Any) -> Any:
        if request.null_samples is None and models.usual_samples(*targeted.pool.values.shape) < USUAL_SAMPLES:
            return fresh(targeted, rows, design, request)
        key = pickle.dumps((targeted, rows, design, request, nouns_in_use()))
        if key not in _NULLS:
            _NULLS[key] = fresh(targeted, rows, design, request)
        return _NULLS[key]

    for module in (models, tracks_answer, tradeoff_answer):
        monkeypatch.setattr(module, "null_models", once)


def scores_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read and score a file that no test writes, with qrels that no test writes, once for the same request."""
    fresh = scorer._attempt

    def once(source: Any, shared: Any) -> Any:
        request, (made, *others) = shared
        paths = [source.path, *([] if request.qrels is None else [request.qrels])]
        if others or type(source) is not Source or made.qrels_error or not all(map(_is_unchanged, paths)):
            return fresh(source, shared)
        key = pickle.dumps((str(Path.cwd()), source, replace(request, inputs=(), pool=(), jobs=1)))
        if key not in _SCORES:
            (result,) = fresh(source, shared)
            if not isinstance(result, RunScores | ScoreFile):
                return [result]
            result.values.setflags(write=False)
            _SCORES[key] = result
        return [_SCORES[key]]

    monkeypatch.setattr(scorer, "_attempt", once)


def step_down_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Test the same pairs of rows once with the same resamples; samples that no pickle describes are drawn again."""
    fresh = step_down._tested

    def once(steps: Any, scale: float, level: float, draws: Any) -> Any:
        try:
            samples = draws.n_samples, pickle.dumps(draws.generators)
        except (AttributeError, pickle.PicklingError):
            return fresh(steps, scale, level, draws)
        key = pickle.dumps((type(steps), vars(steps), scale, level, samples))
        if key not in _TESTS:
            _TESTS[key] = fresh(steps, scale, level, draws)
            _TESTS[key].p.setflags(write=False)
        else:
            draws.finished()
        return _TESTS[key]

    monkeypatch.setattr(step_down, "_tested", once)


def drawings_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same specification once; a test that replaces the converter's library is marked ``anew``."""
    fresh = converter._svg_of

    def once(spec: Any) -> str:
        key = json.dumps(spec)
        if key not in _DRAWINGS:
            _DRAWINGS[key] = fresh(spec)
        return _DRAWINGS[key]

    monkeypatch.setattr(converter, "_svg_of", once)
    monkeypatch.setattr(converter, "start_early", lambda: None)


def _is_unchanged(path: str) -> bool:
    # Links are not followed: a test can make a link of its own point to another file.
    named = Path(os.path.normpath(Path.cwd() / path))
    return any(named.is_relative_to(folder) for folder in _UNCHANGED)
