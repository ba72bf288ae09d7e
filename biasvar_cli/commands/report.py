"""``biasvar report``: one page of everything, in one file."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from biasvar_cli.commands.options import (
    design_of,
    files_options,
    names_in,
    null_of,
    null_options,
    request_of,
    sampling_options,
    scoring_options,
    target_options,
    targets_of,
)
from biasvar_cli.commands.output import Output, require_folder
from biasvar_cli.commands.terminal import load, session, told

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from biasvar_cli.analyses.null import NullRequest
    from biasvar_cli.analyses.tradeoff import Design
    from biasvar_cli.readers.maps import Member
    from biasvar_cli.report.page import About, TrendSection
    from biasvar_cli.report.panel import Panel
    from biasvar_cli.scoring.scorer import Request
    from biasvar_cli.scoring.track import Track

_NO_NUMBER = {"file", "jobs", "quiet", "strict", "dask"}  # options that change nothing on the page
_SORTED = {"inputs", "pool"}  # whose order means nothing
_OF_TRACK = (names_in(files_options) | names_in(scoring_options) | names_in(target_options)) - {"measures", "targets"}
_OF_FIGURE = {
    "plane": frozenset({"families"}),
    "tradeoff": names_in(sampling_options) | names_in(null_options),
    "queries": frozenset({"difficulty"}),
    "target": frozenset({"difficulty"}),
}


@click.command(short_help="One interactive page of everything, in one file.")
@files_options
@scoring_options
@target_options
@sampling_options
@null_options
@click.option(
    "--families",
    metavar="FILE|PATTERN",
    help="Colour families in the figures, and show the correlation within them: a csv of run,family,parameter, or a "
    "regular expression for names of runs, as in '(comb|nrr)-(.*)'.",
)
@click.option("--versus", metavar="RUN", help="Compare every run with this one; the second run when the page opens.")
@click.option(
    "--manifest",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Add the trend over the tracks and years of a MANIFEST.toml, as biasvar tracks has it.",
)
@click.option("--stamp", is_flag=True, help="Say when, where and on what machine the page was made.")
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Write the page to FILE, whole or not at all; - is standard output.",
)
@click.option("--strict", is_flag=True, help="Make warnings errors: exit 1, nothing written.")
@click.option("--quiet", is_flag=True, help="No progress and no warnings on stderr.")
def report(
    families: str | None,
    versus: str | None,
    manifest: str | None,
    stamp: bool,
    file: str,
    strict: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """One page that opens from disk and needs no network: runs, figures, target, tradeoff, and how to repeat it.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    Choose a run in a table or a figure and see it in all of them, on every query, against the target and against a
    second run. Every measure and target has its tab; tables can be copied as csv, markdown and LaTeX. Needs the extra
    plot: pip install 'biasvar-cli[plot]'.

    \b
    biasvar report sample_runs -q qrels/simulated.qrels.txt -o report.html
    biasvar report runs -q qrels.txt -m AP -m nDCG@10 --versus bm25 --families '(comb|nrr)-(.*)' -o report.html
    biasvar report runs -q qrels.txt --manifest shelf.toml -o report.html
    """
    session().quiet = quiet
    from biasvar_cli.report.page import page, require_jinja

    require_jinja()
    if file != "-" and Path(file).suffix.lower() not in (".html", ".htm"):
        raise click.UsageError(f"-o {file}: a page's name ends in .html, or is - for standard output")
    if file != "-":
        require_folder(file)
    output = Output(format="html", file=file, strict=strict)
    request, design = request_of(options), design_of(options)
    targets, transform = targets_of(options)
    if manifest is not None and len(design.subset_sizes) > 1:
        raise click.UsageError("--manifest takes one --subset-size.")
    null = null_of(options, seed=design.seed, jobs=request.jobs, stability=options["null"] is not False)

    from biasvar_cli.report.panel import PanelRequest, panel

    wanted = PanelRequest(design=design, null=null, families=_members(families), baseline=versus, transform=transform)
    track = load(request)
    names = _names(track, versus)
    asked = [(scored, spec) for scored in track.scored for spec in targets]
    panels = [panel(f"t{place}", track, *each, wanted) for place, each in enumerate(asked)]
    trend = _trend(manifest, design, null, request.jobs) if manifest is not None else None
    output.write(page(_about(request, track, panels, stamp=stamp), panels, names, versus, trend))


def _names(track: Track, versus: str | None) -> tuple[str, ...]:
    """The listed runs. Raises `DataError` for a single one, and for a second run that is not there."""
    from biasvar_cli.errors import DataError, absent_run

    names = track.scored[0].scores.runs
    if len(names) < 2:
        raise DataError(f"the report compares runs: it needs at least 2, found 1 run: {names[0]}")
    if versus is not None and versus not in names:
        raise absent_run(f"--versus {versus}", versus, names)
    return names


def _members(families: str | None) -> Mapping[str, Member] | str | None:
    """The families that a file holds; the pattern itself where it is one, which needs the runs."""
    from biasvar_cli.readers.maps import read_families

    return read_families(families) if families is not None and Path(families).is_file() else families


def _trend(manifest: str, design: Design, null: NullRequest | None, jobs: int) -> TrendSection:
    """The tracks of a manifest; unlike ``tracks``, nothing is written where one is broken."""
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.report.page import TrendSection
    from biasvar_cli.report.sheet import document, sheet
    from biasvar_cli.tables.tracks import for_people, null_models_table, tracks_table, trends_table
    from biasvar_cli.tracks.compute import compute_whole
    from biasvar_cli.tracks.trends import trends

    request = replace(null, stability=False) if null is not None else None
    whole = compute_whole(read_manifest(manifest).tracks, design, null=request, jobs=jobs)
    over = trends(whole)
    tables = [tracks_table(whole, over, design), trends_table(over), null_models_table(whole)]
    sheets = [sheet(f"trend-{table.rows_key}", for_people(table, ["pearson"])) for table in tables]
    return TrendSection(sheets=[each for each in sheets if each.rows], data=document(tables[0]))


def _about(request: Request, track: Track, panels: Sequence[Panel], *, stamp: bool) -> About:
    from biasvar_cli.readers.sources import Source, expand
    from biasvar_cli.report.page import About
    from biasvar_cli.tables.render import printable
    from biasvar_cli.words import counted, examples

    scores, pool = track.scored[0].scores, track.scored[0].pool
    own = Source("", request.qrels).identity if request.qrels is not None else None
    files = [each.path for each in expand(request.inputs, glob=request.glob) if each.identity != own]
    with_pool = f", {pool.n_runs} with the pool's" if pool.n_runs > scores.n_runs else ""
    facts = {
        "Runs": counted(scores.n_runs, "run") + with_pool,
        "Files": f"{counted(len(files), 'file')} of {examples(sorted(request.inputs))}",
        "Judgments": request.qrels or "none: the inputs are scores",
        **_other_files(request),
        "Topics": f"{scores.n_queries}: {examples(scores.queries, 400)}",
        "Measure and target": "; ".join(panel.label for panel in panels),
        "Versions": ", ".join(f"{name} {version}" for name, version in _versions()),
        **(dict(_stamp()) if stamp else {}),
    }
    return About(
        title=f"{counted(scores.n_runs, 'run')}, {counted(scores.n_queries, 'query')}",
        facts=[(name, printable(words)) for name, words in facts.items()],
        files=[printable(path) for path in files],
        command=printable(f"biasvar report {' '.join(_typed())} -o report.html"),
        figures=[printable(command) for command in _figures(panels[0])],
        warnings=[printable(message) for message in told()],
    )


def _other_files(request: Request) -> dict[str, str]:
    """What else was read, by what it was for."""
    from biasvar_cli.words import examples

    typed = click.get_current_context().params
    lists = [request.topics] if request.topics not in (None, "qrels", "union", "intersection") else []
    families = typed["families"] if typed["families"] is not None and Path(typed["families"]).is_file() else None
    roles = {
        "Pool": sorted(request.pool),
        "List of topics": lists,
        "Target scores": [each.removeprefix("file:") for each in typed["targets"] if each.startswith("file:")],
        "Groups of queries": [typed["groups"]],
        "Families": [families],
        "Manifest of the trend": [typed["manifest"]],
    }
    named = {role: [name for name in names if name] for role, names in roles.items()}
    found = {role: examples(names) for role, names in named.items() if names}
    if "-" in (*request.inputs, *request.pool, request.qrels, *(name for names in named.values() for name in names)):
        found["Standard input"] = "what - stands for in the command; it has to be given again"
    return found


def _figures(panel: Panel) -> Iterator[str]:
    """The commands that draw the figures of the first measure and target for a paper."""
    result = panel.data["decompose"]
    target = result["target"]
    names = ["plane", "ranked"]
    names += ["tradeoff"] if any(row["pearson"] is not None for row in panel.data["tradeoff"]["rows"]) else []
    names += ["queries", "target"] if target["kind"] != "mean" else []
    names += ["rarefaction"] if target["label"] == "best" else []
    context = click.get_current_context()
    common = list(_typed(_OF_TRACK))
    if context.params["measures"]:
        common += ["-m", shlex.quote(context.params["measures"][0])]
    if target["label"] != "best":
        common += ["--target", _word(target["label"])]
    for name in names:
        own = _typed(_OF_FIGURE.get(name, frozenset()))
        yield " ".join(["biasvar plot", name, *common, *own, "-o", f"{name}.pdf"])


def _typed(only: frozenset[str] | None = None) -> Iterator[str]:
    """What was typed, quoted for a shell, without what changes nothing on the page; inputs in order of name."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = str(parameter.name)
        if name in _NO_NUMBER or (only is not None and name not in only):
            continue
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        values = list(value) if isinstance(value, tuple) else [value]
        for each in sorted(values) if name in _SORTED else values:
            if isinstance(parameter, click.Option):
                yield parameter.opts[0] if each is not False else parameter.secondary_opts[0]
            if not isinstance(each, bool):
                yield _word(str(each), is_path=name == "inputs")


def _word(text: str, *, is_path: bool = False) -> str:
    """A word for a shell; one that cannot be printed in the quotes that bash and zsh have for it.

    >>> print(_word("my runs"), _word("-odd.csv", is_path=True), _word("new\\nline"))
    'my runs' ./-odd.csv $'new\\x0aline'
    """
    if is_path and text.startswith("-") and text != "-":
        text = f"./{text}"
    if text.isprintable():
        return shlex.quote(text)
    return f"$'{''.join(map(_escaped, text))}'"


def _escaped(sign: str) -> str:
    if sign.isprintable():
        return f"\\{sign}" if sign in "\\'" else sign
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(sign))


def _versions() -> Iterator[tuple[str, str]]:
    from importlib.metadata import version

    from biasvar_cli import __version__

    yield "biasvar", __version__
    yield from ((name, version(name)) for name in ("ir-measures", "numpy"))
    yield "Python", ".".join(map(str, sys.version_info[:3]))


def _stamp() -> Iterator[tuple[str, str]]:
    import platform
    from datetime import UTC, datetime

    yield "Made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    yield "In", os.getcwd()  # noqa: PTH109
    yield "On", f"{platform.node()}, {platform.platform()}"
