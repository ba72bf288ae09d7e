"""One run of the program at a terminal: its warnings, the width of its text, and its progress bar."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli.errors import DataNotice, DataWarning
from biasvar_cli.progress import Kind, watched
from biasvar_cli.words import worded

if TYPE_CHECKING:
    from biasvar_cli.scoring import TrackRequest
    from biasvar_cli.scoring.judged_tracks import Judges
    from biasvar_cli.scoring.track import Track
    from biasvar_cli.specs.requests import NullRequest


@dataclass
class Session:
    """One run of the program: its warnings so far, its arguments, and whether it is quiet. `cli` creates it."""

    warnings: list[warnings.WarningMessage]
    arguments: Sequence[str] = ()
    quiet: bool = False


def session() -> Session:
    """The session of the running command."""
    current = click.get_current_context().find_object(Session)
    if current is None:
        raise RuntimeError("a command runs through biasvar_cli.cli.main")
    return current


def reported() -> list[str]:
    """The data warnings of this session, each once, in their order."""
    return _messages(DataWarning)


def noticed() -> list[str]:
    """The notices of this session, each once, in their order."""
    return _messages(DataNotice)


def _messages(category: type[DataWarning | DataNotice]) -> list[str]:
    messages = (record.message for record in session().warnings)
    return list(dict.fromkeys(message.typed for message in messages if isinstance(message, category)))


def width() -> int:
    """The width of text on standard output: the width of the terminal, or `FILE_WIDTH`."""
    from biasvar_cli.tables.layout import FILE_WIDTH

    return shutil.get_terminal_size((FILE_WIDTH, 24)).columns if sys.stdout.isatty() else FILE_WIDTH


def load(request: TrackRequest) -> Track:
    """Load a track, with a progress bar.

    From here to the end of the command, sentences have the nouns of the track (`words.worded`).
    """
    from biasvar_cli.readers.listing import warn_of_idle_patterns
    from biasvar_cli.scoring.track import load_track

    _keep_freed_memory()
    context = click.get_current_context()
    context.with_resource(worded(request.nouns))
    with progress("files"):
        track = load_track(request)
    context.with_resource(worded(track.nouns))
    warn_of_idle_patterns((*request.inputs, *request.pool), request.selection)
    return track


def load_judged(request: TrackRequest, qrels: Mapping[str, str]) -> Judges:
    """The scores of the runs under the qrels of each judge, by name; without qrels, the scores in each input."""
    from biasvar_cli.scoring.judged_tracks import load_judges, load_scores_of_judges

    if not qrels:
        return load_scores_of_judges(request, load)

    from biasvar_cli.readers.listing import warn_of_idle_patterns

    _keep_freed_memory()
    click.get_current_context().with_resource(worded(request.nouns))
    with progress("files"):
        judges = load_judges(request, qrels)
    warn_of_idle_patterns((*request.inputs, *request.pool), request.selection)
    return judges


def _keep_freed_memory() -> None:
    """Make glibc keep freed memory, which the next file needs again; fresh pages cost 7 % of the whole time."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError, TypeError):  # other systems have other allocators
        c_library = ctypes.CDLL(None)
        c_library.mallopt(_M_MMAP_THRESHOLD, 32 << 20)
        c_library.mallopt(_M_TRIM_THRESHOLD, 512 << 20)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of malloc.h


def simulating(track: Track, n_targets: int, null: NullRequest | None) -> AbstractContextManager[None]:
    """A progress bar of the samples of null models, for a number of targets of every measure."""
    if null is None:
        return contextlib.nullcontext()

    from biasvar_cli.nulls.models import n_drawn

    length = n_targets * sum(n_drawn(scored.pool.n_runs, scored.pool.n_queries, null) for scored in track.scored)
    return progress("simulated", length)


SHORT = 1.0  # seconds; work that takes no longer has no progress bar
_LONG = 20  # files; their bar is drawn at once, and fewer are scored before a bar could be read
_LABELS: Mapping[Kind, tuple[str, str]] = {  # what is done, and to what
    "files": ("Scoring", "files"),
    "models": ("Reading", "models"),
    "tracks": ("Computing", "tracks"),
    "simulated": ("Simulating", "samples"),
    "tested": ("Testing", "samples"),
}


@contextlib.contextmanager
def progress(kind: Kind, length: int | None = None) -> Iterator[None]:
    """A progress bar on stderr, if that is a terminal, of the things of a kind that the body finishes.

    Without a ``length``, the loop in the body tells the number of things (`biasvar_cli.progress`).
    """
    if not sys.stderr.isatty() or session().quiet:
        yield
        return
    (label, unit), (after, fewest) = _LABELS[kind], (0.0, _LONG) if kind == "files" else (SHORT, 0)
    started, n_finished = time.monotonic(), 0
    bar: Any = None

    def rate(_: object) -> str:
        return f"{n_finished / max(time.monotonic() - started, 0.001):.0f} {unit}/s"

    with contextlib.ExitStack() as stack:

        def move(number: int, of: int | None) -> None:
            nonlocal bar, n_finished
            n_finished, n_all = n_finished + number, length if of is None else of
            if bar is None and n_all is not None and n_all >= fewest and time.monotonic() - started >= after:
                drawn = click.progressbar(None, n_all, label, show_pos=True, item_show_func=rate, file=sys.stderr)
                bar = stack.enter_context(drawn)
            if bar is not None:
                bar.update(n_finished - bar.pos)

        move(0, length)
        with watched(kind, move):
            yield
