"""What to read and how to score it.

A MANIFEST.toml may stand in place of INPUTS.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.console import completion
from biasvar_cli.console.options import (
    INPUT,
    JUDGE,
    QRELS,
    Decorator,
    group,
    option,
    option_of,
    setting,
    together,
)
from biasvar_cli.console.output import Destination, require_separate
from biasvar_cli.console.shared_options import inputs_argument, jobs_option, max_size_option, selection_options
from biasvar_cli.console.terminal import load
from biasvar_cli.scoring.request import TrackRequest
from biasvar_cli.settings import COMMON, INPUT_DETAILS
from biasvar_cli.specs import is_file, require_one

if TYPE_CHECKING:
    from biasvar_cli.readers.manifest import ManifestTrack
    from biasvar_cli.scoring.track import Track


_POOL = "Runs or scores that count for the target but are not listed."


def input_options(
    *, scoring: bool = True, several: bool = True, for_people: bool = True, pool: str = _POOL
) -> Decorator:
    """INPUTS and the options that say how they are read, scored and called, as ``inputs``.

    Without ``scoring`` nothing is scored; without ``several`` there is one measure; what is not ``for_people`` has the
    names of the files. ``pool`` explains ``--pool``.
    """
    files = (inputs_argument, _QRELS, _pool(pool), _FILES)
    names = (_NAMES,) if for_people else ()
    options = (*files, _measure_option(several), _TOPICS, _REPLICATES, _SCORING, *names) if scoring else files
    return group("inputs", partial(_request, several=several), *options)


def judged_input_options(*, several: bool = True, systems: bool = False, more: str = "") -> Decorator:
    """INPUTS and how they are read and scored, as ``inputs``, and the judgments of several judges, as ``qrels``.

    Without ``several`` there is one measure; with ``systems`` rows may be systems of several runs. ``more`` is said of
    the judgments.
    """
    qrels = option(
        COMMON,
        "-q",
        "--qrels",
        type=JUDGE,
        multiple=True,
        metavar="[NAME=]FILE",
        brief="Relevance judgments of a judge; the first are the reference.",
        help="Relevance judgments of a judge, called as the file is or NAME; the first ones are the reference. "
        f"{more}Repeatable. Or irds:ID, a data set.",
    )
    replicates = (_REPLICATES,) if systems else ()
    scoring = (_measure_option(several), _TOPICS, *replicates, _SCORING)
    options = (inputs_argument, _pool(_POOL), _FILES, *scoring, _NAMES)
    inputs = group("inputs", partial(_request, several=several), *options)
    return together(qrels, inputs)


def _pool(words: str) -> Decorator:
    return setting(TrackRequest, "pool", INPUT_DETAILS, type=INPUT, help=f"{words} Repeatable.")


_QRELS = option_of(TrackRequest, "qrels", type=QRELS)
_FILES = together(
    selection_options,
    *(option_of(TrackRequest, name) for name in ("name_by", "orient", "id_column", "allow_range", "lower_is_better")),
    max_size_option,
    jobs_option("Files to read"),
)
_TOPICS = together(*(option_of(TrackRequest, name) for name in ("topics", "unit")))
_REPLICATES = option_of(TrackRequest, "replicates", type=str)
_SCORING = together(
    *(
        option_of(TrackRequest, name)
        for name in ("keep_empty_topics", "tie_precision", "dask", "dask_timeout", "max_grade")
    )
)
_NAMES = together(
    option_of(TrackRequest, "highlight", shell_complete=completion.run_name), option_of(TrackRequest, "names")
)


def _measure_option(several: bool) -> Decorator:
    other = "'map P.5,10' or" if several else "or"
    return setting(
        TrackRequest,
        "measures",
        COMMON,
        names=("-m", "--measure", "measures"),
        metavar="NAME",
        shell_complete=completion.measure,
        brief="Measure, such as nDCG@20. Default: AP.",
        help=f"Measure, such as nDCG@20, {other} ndcg_cut_20 as trec_eval writes it. Default: AP, or the only "
        "one of the score files.",
    )


def require_one_measure(measures: Sequence[str]) -> None:
    """Raise `UsageError` where several measures are asked for."""
    from biasvar_cli.measures import spelled_names

    require_one("measure", spelled_names(measures))


def _request(*, several: bool, **typed: Any) -> TrackRequest:
    request = TrackRequest(**typed)
    if not several:
        require_one_measure(request.measures)
    listed = request.topics_file
    if listed not in (None, "-") and not is_file(str(listed)):
        raise click.UsageError(f"--topics {listed}: neither qrels, intersection or union, nor a file that exists")
    return request


# what is typed beside a manifest
_BESIDE = ("inputs", "measures", "jobs", "dask", "dask_timeout", "replicates", "unit", "names", "highlight")
_OF_ALL = ("inputs", "measures", "names", "highlight")  # of these, what the tracks have together


def manifest_among(inputs: TrackRequest) -> str | None:
    """The manifest that stands in place of INPUTS, None where there is none.

    Raises `click.UsageError` for further inputs, and for options that a manifest has for each of its tracks.
    """
    manifests = [name for name in inputs.inputs if name.lower().endswith(".toml")]
    if not manifests:
        return None
    if len(inputs.inputs) > 1:
        raise click.UsageError(f"{manifests[0]}: a manifest stands alone among INPUTS")
    for field in fields(inputs):
        if field.name not in _BESIDE and getattr(inputs, field.name) != field.default:
            name = field.name.replace("_", "-")
            raise click.UsageError(f"--{name}: {manifests[0]} says this for each of its tracks")
    return manifests[0]


def load_manifest(
    manifest: str, inputs: TrackRequest, output: Destination, *files: str | None
) -> list[tuple[ManifestTrack, Track]]:
    """The tracks of a manifest with their scores, in its order; ``files`` are others that the command reads."""
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.scoring.track import load_tracks, names_of

    listed = read_manifest(manifest).tracks
    require_separate(output, inputs, *files, tracks=listed)
    options = {name: getattr(inputs, name) for name in _BESIDE if name not in _OF_ALL}
    tracks = load_tracks(listed, load, measures=inputs.measures, **options)
    names = names_of(tracks, inputs.names, inputs.highlight)
    return [(entry, track.named(names)) for entry, track in zip(listed, tracks, strict=True)]
