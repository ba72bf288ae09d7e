"""What the page says of itself: what was evaluated, where it came from, the versions, and how to do it again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from biasvar_cli.page.page import About
from biasvar_cli.tables.rounding import printable
from biasvar_cli.tables.row_notes import sizes_words
from biasvar_cli.words import QUERIES, QUERY, RUNS, VERSION, counted, examples, in_nouns

if TYPE_CHECKING:
    from biasvar_cli.page.panel import Panel
    from biasvar_cli.scoring.request import TrackRequest
    from biasvar_cli.scoring.track import Track


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where the numbers of a page come from: ``inputs`` and ``judgments`` in words, and the ``files`` of the inputs.

    ``others`` maps what else was read to its words. ``command`` computes them again, and ``figures`` has the commands
    of the figures of each panel, by name; both are empty where there is none.
    """

    inputs: str
    judgments: str
    files: Sequence[str] = ()
    others: Mapping[str, str]
    command: str = ""
    figures: Sequence[Mapping[str, str]] = ()


def about(
    origin: Origin,
    track: Track,
    panels: Sequence[Panel],
    *,
    warnings: Sequence[str],
    notices: Sequence[str],
    stamp: bool,
) -> About:
    """What the page says of itself; with ``stamp`` when, where and on what machine it was made too."""
    scores, pool = track.scored[0].scores, track.scored[0].pool
    runs = counted(scores.n_runs, "run") if scores.replicates is None else sizes_words(scores.replicates)
    with_pool = f", {pool.n_runs} with the pool's" if pool.n_runs > scores.n_runs else ""
    queries = "Topics" if str(QUERY) == "query" else f"{QUERIES:title}"  # as tracks say, or the noun of an option
    facts = {
        f"{RUNS:title}": runs + with_pool,
        "Files": origin.inputs,
        "Judgments": origin.judgments,
        **origin.others,
        queries: f"{scores.n_queries}: {examples(scores.queries, 400)}",
        "Measure and target": "; ".join(panel.label for panel in panels),
        "Versions": ", ".join(f"{name} {version}" for name, version in _versions()),
        **(dict(_stamp()) if stamp else {}),
    }
    return About(
        title=f"{counted(scores.n_runs, 'run')}, {counted(scores.n_queries, 'query')}",
        facts=[(name, printable(words)) for name, words in facts.items()],
        files=[printable(path) for path in origin.files],
        command=printable(origin.command),
        figures=[{name: printable(text) for name, text in commands.items()} for commands in origin.figures],
        warnings=[printable(message) for message in warnings],
        notices=[printable(message) for message in notices],
    )


def files_of(request: TrackRequest) -> list[str]:
    """The files of the inputs, without the one of the judgments."""
    from biasvar_cli.readers.sources import Source

    judgments = Source("", request.qrels).identity if request.qrels is not None else None
    return [source.path for source in request.sources(request.inputs) if source.identity != judgments]


def words_of_files(request: TrackRequest, files: Sequence[str]) -> str:
    """How many files the inputs have, and the inputs by their names."""
    return f"{counted(len(files), 'file')} of {examples(sorted(request.inputs))}"


def words_by_role(roles: Mapping[str, Sequence[str | None]]) -> dict[str, str]:
    """The names of files by what they are for, without the roles that no file has."""
    named = {role: [name for name in names if name] for role, names in roles.items()}
    return {in_nouns(role): examples(names) for role, names in named.items() if names}


def _versions() -> Iterator[tuple[str, str]]:
    from importlib.metadata import version

    yield "biasvar", VERSION
    yield from ((name, version(name)) for name in ("ir-measures", "numpy"))
    yield "Python", ".".join(map(str, sys.version_info[:3]))


def _stamp() -> Iterator[tuple[str, str]]:
    import platform
    from datetime import UTC, datetime

    yield "Made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    yield "In", os.getcwd()  # noqa: PTH109
    yield "On", f"{platform.node()}, {platform.platform()}"
