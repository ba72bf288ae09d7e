"""What the analyses answer on a few tracks, as notebooks have it: for tests of figures, computed once in a process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, cast

import pandas as pd
from conftest import RealData

import biasvar_cli as bv
from biasvar_cli.notebook.results import Result

QUICK: Mapping[str, Mapping[str, Any]] = {
    "decompose": {"null": False},
    "tradeoff": {"null_samples": 100},
    "compare": {"samples": 1000, "splits": 50},
    "summary": {"samples": 1000},
    "judges": {"samples": 1000, "calibrate": True},
    "profile": {"samples": 1000},
    "tracks": {"null_samples": 100},
}


@cache
def result_of(analysis: str, track: str, shared: RealData | None = None, highlight: str = "") -> Result:
    """What an analysis answers on the sample, or on a real track in the folder ``shared``."""
    given, function = (
        {**QUICK.get(analysis, {}), **({"highlight": highlight} if highlight else {})},
        getattr(bv, analysis),
    )
    if analysis == "models":
        return cast("Result", function("sample_models", true="sample_models/true.tsv.gz"))
    if analysis == "tracks":
        return cast("Result", function("docs/tracks.toml" if shared is None else _manifest(shared), **given))
    if analysis == "unjudged":
        return _unjudged(track, shared)
    if track == "trec3":
        scores: Any = _long_names(str(shared / "score-matrices" / "trec3-adhoc-ap.csv"))
    elif track == "beir":
        scores = str(shared / "beir-leaderboard" / "beir-ndcg10.csv")
    else:
        read = _scores(track, shared)
        scores = read if analysis == "summary" else read[read.measures[0]]
    if analysis == "judges" and track == "dl21":
        folder, runs, (measure, *_) = _runs(track, shared)
        judges = {name: str(folder / "qrels" / f"{name}.txt") for name in ("human", "umbrela-gpt-4o", "exam-gpt-4")}
        return cast("Result", function(runs, judges, measure=measure, **{**given, "calibrate": False}))
    if analysis == "judges":
        matrix = _matrix(scores)
        scores = {"reference": matrix[: len(matrix) * 2 // 3], "tenths": matrix.round(1)}
    if analysis == "profile":
        return cast("Result", function(scores, _matrix(scores).columns[0], **given))
    return cast("Result", function(scores, **given))


def _manifest(shared: RealData) -> str:
    """A manifest of three tracks of real scores, a file that is left behind in a folder of the process."""
    tracks = ((name, shared / "score-matrices" / f"{name}-adhoc-ap.csv") for name in ("trec3", "trec5", "trec6"))
    text = "".join(
        f"[[track]]\ntrack = '{name}'\nseries = 'adhoc'\nyear = {1991 + int(name[4:])}\nmeasure = 'AP'\n"
        f"scores = '{path.absolute()}'\n"
        for name, path in tracks
    )
    manifest = Path(mkdtemp()) / "tracks.toml"
    manifest.write_text(text, "utf-8")
    return str(manifest)


def _unjudged(track: str, shared: RealData | None) -> Result:
    """What unjudged documents change on a track of runs."""
    if track == "sample":
        return cast("Result", bv.unjudged("sample_runs", "qrels/npl-pool.qrels.txt", measure="P@10"))
    folder, runs, _ = _runs(track, shared)
    return cast("Result", bv.unjudged(runs, _qrels(folder), measure="P@10"))


def _qrels(folder: Any) -> str:
    """The judgments of a track, or of its people where there are several judges."""
    one = folder / "qrels.txt"
    return str(one if one.exists() else folder / "qrels" / "human.txt")


def _matrix(scores: Any) -> pd.DataFrame:
    """The scores of runs (columns) per query."""
    if isinstance(scores, pd.DataFrame):
        return scores
    return pd.read_csv(scores, index_col=0) if isinstance(scores, str) else scores.frame()


def _long_names(path: str) -> pd.DataFrame:
    """Scores per query of a file without ids, whose runs get names of which many begin and end alike."""
    scores = pd.read_csv(path).rename(index=str)
    kinds = ("bm25", "splade", "colbert", "dense")
    names = {run: f"team{place % 5}_{kinds[place % 4]}-rerank-monot5-{place}" for place, run in enumerate(scores)}
    return scores.rename(columns=names)


@cache
def _scores(track: str, shared: RealData | None) -> bv.Scores:
    if track == "sample":
        return bv.evaluate("sample_runs", "qrels/npl.qrels.txt", ["AP", "nDCG@10", "P@10"])
    folder, runs, measures = _runs(track, shared)
    return bv.evaluate(runs, _qrels(folder), measures)


def _runs(track: str, shared: RealData | None) -> tuple[Any, list[str], list[str]]:
    """The folder of a track, its runs, the longest names first, and the measures."""
    name, measures = {
        "covid": ("covid-round1", ["nDCG@10", "AP", "P@10"]),
        "covid26": ("covid-round1", ["nDCG@10", "AP", "P@10"]),
        "dl21": ("dl21-judges", ["nDCG@10", "AP", "P@10"]),
        "web2012": ("web2012-indri", ["ERR@20", "nDCG@20", "AP"]),
    }[track]
    folder = shared / name
    runs = sorted((folder / "runs").iterdir(), key=lambda path: (-len(path.name), path.name))
    return folder, [str(path) for path in runs[: 26 if track == "covid26" else None]], measures
