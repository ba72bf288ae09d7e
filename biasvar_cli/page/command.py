"""``biasvar report``: one page of all analyses, in one file, with the commands that repeat it and draw its figures."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click
from click.core import ParameterSource

from biasvar_cli.console import shared_options, terminal
from biasvar_cli.console.options import MANIFEST, command, option, request_options
from biasvar_cli.console.output import Destination, file_options, require_separate
from biasvar_cli.page import SUFFIXES
from biasvar_cli.settings import INPUT_DETAILS, OUTPUT
from biasvar_cli.specs.requests import TargetedRequest
from biasvar_cli.specs.targets import BEST, TargetSpec
from biasvar_cli.words import shell_word

if TYPE_CHECKING:
    from biasvar_cli.decomposition import Design
    from biasvar_cli.page.content import Panel
    from biasvar_cli.page.page import Origin
    from biasvar_cli.scoring import TrackRequest


def _require_page(file: str) -> None:
    """Raise a usage error for the name of a file that is not a page's; ``-`` is standard output."""
    if file != "-" and Path(file).suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"-o {file}: a page's name ends in .html, or is - for standard output")


@command()
@shared_options.judged_input_options(
    systems=True, more="With several the page has a section on what the others change. "
)
@request_options(TargetedRequest)
@shared_options.sampling_options()
@shared_options.groups_option
@shared_options.null_options(by_format=False)
@shared_options.families_options("Colour families in the figures, and show the correlation within them", baseline=False)
@shared_options.baseline_option(
    "Compare every run with this one; it is the second run when the page opens.", "Compare every run with this one."
)
@option(
    INPUT_DETAILS,
    "--manifest",
    type=MANIFEST,
    metavar="FILE",
    help="Add the trend over the tracks of a MANIFEST.toml, as biasvar tracks does.",
)
@option(OUTPUT, "--title", metavar="TEXT", help="What the page is called.", show_default="Bias-variance report")
@option(OUTPUT, "--stamp", is_flag=True, help="Say on the page when, where and on what machine it was made.")
@file_options("Write the page to FILE; - is standard output.", _require_page)
def report(
    inputs: TrackRequest,
    qrels: tuple[str, ...],
    request: TargetedRequest,
    design: Design,
    groups: str | None,
    null: shared_options.NullChoice,
    families: shared_options.FamilyChoice | None,
    baseline: str | None,
    manifest: str | None,
    title: str | None,
    stamp: bool,
    output: Destination,
) -> None:
    """One page that opens from disk and needs no network: runs, figures, target, tradeoff, and how to repeat it.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    Choose a run in a table or a figure and see it in all of them, on every query, against the target and against a
    second run. Every measure and target has its tab; tables can be copied as csv, markdown and LaTeX. The run
    that --highlight names first is chosen when the page opens, with its profile; without --baseline the second is the
    run that it is compared with. Figures are those of biasvar plot, and need the extra plot as well.

    \b
    biasvar report sample_runs -q qrels/npl.qrels.txt -o report.html
    biasvar report sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10 --baseline rm -o report.html
    biasvar report sample_runs -q qrels/npl.qrels.txt --manifest docs/tracks.toml -o report.html
    """
    from biasvar_cli.drawing.converter import start_early

    if find_spec("vl_convert") is not None:
        start_early()
    from biasvar_cli.page.content import PageRequest, content
    from biasvar_cli.page.page import about, page
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.scoring.judged_tracks import named_judges

    judges = named_judges(qrels)
    inputs = replace(inputs, qrels=next(iter(judges.values()), None))
    others: dict[str, tuple[str | None, ...]] = {
        "Target scores": request.files,
        "Groups of queries": (groups,),
        "Families": (families.file if families is not None else None,),
        "Manifest of the trend": (manifest,),
        "Other judgments": tuple(judges.values())[1:],
    }
    read = [name for names in others.values() for name in names]
    tracks = read_manifest(manifest).tracks if manifest is not None else None
    require_separate(output, inputs, *read, tracks=tracks or ())
    page_request = PageRequest(
        targeted=request,
        design=design,
        groups=groups,
        null=null.request(seed=design.seed, jobs=inputs.jobs, shuffled=False, stability=null.wanted is not False),
        families=families.text if families is not None else None,
        baseline=baseline,
        tracks=tracks,
        jobs=inputs.jobs,
    )
    track = terminal.load(replace(inputs, documents=True))
    judged = terminal.load_judged(inputs, judges) if len(judges) > 1 else None
    with terminal.simulating(track, len(request.targets), page_request.null):
        body = content(track, page_request, judged=judged)
    origin = typed_origin(inputs, body.panels, request.targets, others)
    messages = {"warnings": terminal.reported(), "notices": terminal.noticed()}
    words = about(origin, track, body.panels, **messages, stamp=stamp, heading=title)
    output.write(page(words, body))


_NO_NUMBER = {"file", "jobs", "quiet", "strict", "dask", "dask_timeout"}  # options that change nothing on the page
_SORTED = {"inputs", "pool"}  # parameters whose order means nothing
_OF_RISK = ["risk", "losses"]  # figures against a baseline
# Options that the command of a figure lacks, or has in another form.
_OF_PAGE = {"measures", "target", "baseline", "title"}


def typed_origin(
    request: TrackRequest,
    panels: Sequence[Panel],
    targets: Sequence[TargetSpec],
    others: Mapping[str, Sequence[str | None]],
) -> Origin:
    """Where the numbers of a page come from, according to the command that was typed.

    ``others`` has further files by their roles. The ``panels`` are in the order of the measures, and under each measure
    in the order of the ``targets``.
    """
    from biasvar_cli.page.page import Origin, files_of, words_by_role, words_of_files

    roles: dict[str, Sequence[str | None]] = {
        "Pool": sorted(request.pool),
        "List of topics": [request.topics_file],
        "List of systems": [request.systems_file],
        **others,
    }
    words = words_by_role(roles)
    if "-" in (*request.files, *(name for names in roles.values() for name in names)):
        words["Standard input"] = "- in the command: give the same input again"
    files, values, trend = files_of(request), click.get_current_context().params, {}
    if values["manifest"] is not None:
        names = {str(parameter.name) for parameter in _parameters("trend")} - {"manifest", "subset_size", *_OF_PAGE}
        size = ["--subset-size", str(values["subset_size"][0])] if values["subset_size"] else []  # tracks have one size
        typed = [_word(values["manifest"]), *_typed(names), *size, "-o", "trend.pdf"]
        trend = {"trend": " ".join(["biasvar plot trend", *typed])}
    return Origin(
        inputs=words_of_files(request, files),
        judgments=request.qrels or "none: the inputs are scores",
        files=files,
        others=words,
        command=f"biasvar report {' '.join(_typed())} -o report.html",
        figures=[
            dict(_figures(request, panel, targets[index % len(targets)], index // len(targets))) | trend
            for index, panel in enumerate(panels)
        ],
    )


def _figures(request: TrackRequest, panel: Panel, target: TargetSpec, measure: int) -> Iterator[tuple[str, str]]:
    """The names of the figures of a panel, and the commands that draw them.

    ``measure`` is the index of the panel's measure. A command has those of the typed options that its figure has.
    """
    from biasvar_cli.measures import spelled_names

    context = click.get_current_context()
    measure_option = ["-m", shell_word(spelled_names(request.measures)[measure])] if request.measures else []
    baseline = context.params["baseline"]
    baseline_option = ["--baseline", _word(f"run:{baseline!s}")] if baseline is not None else []
    names = ["plane", "total", "ranked"]
    correlations = panel.tradeoff.data
    pearson = correlations["columns"].index("pearson")
    names += ["tradeoff"] if any(row[pearson] is not None for row in correlations["rows"]) else []
    names += ["queries", "target"] if target.form.per_query else []
    names += ["rarefaction"] if target == BEST else []
    names += _OF_RISK
    names += ["compare", "asl", "swap"] if len(panel.data["queries"]) > 1 else []
    for name in names:
        options = {option: parameter for parameter in _parameters(name) for option in parameter.opts}
        typed = _typed({str(parameter.name) for parameter in options.values()} - _OF_PAGE)
        more = ["--target", _word(target.text)] if target != BEST and "--target" in options else []
        more += baseline_option if name in _OF_RISK else []
        yield name, " ".join(["biasvar plot", name, *typed, *measure_option, *more, "-o", f"{name}.pdf"])


def _parameters(figure: str) -> list[click.Parameter]:
    """The arguments and options of the command that draws a figure."""
    root = cast("click.Group", click.get_current_context().find_root().command)
    return cast("click.Group", root.commands["plot"]).commands[figure].params


def _typed(only: Collection[str] | None = None) -> Iterator[str]:
    """The typed arguments and options, quoted for a shell, or ``only`` some of them; inputs are in order of name.

    Options that change nothing on the page are left out.
    """
    from biasvar_cli.scoring.judged_tracks import named_judges

    context = click.get_current_context()
    for parameter in sorted(context.command.params, key=lambda parameter: isinstance(parameter, click.Option)):
        name = str(parameter.name)
        if name in _NO_NUMBER or (only is not None and name not in only):
            continue
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if name == "qrels" and only is not None:
            value = tuple(named_judges(value).values())[:1]  # figures are drawn with the first judge's qrels
        if isinstance(value, tuple) and isinstance(parameter, click.Option) and not parameter.multiple:
            value = ",".join(map(str, value))
        values = list(value) if isinstance(value, tuple) else [value]
        for item in sorted(values) if name in _SORTED else values:
            if isinstance(parameter, click.Option):
                yield parameter.opts[0] if item is not False else parameter.secondary_opts[0]
            if not isinstance(item, bool):
                yield _word(str(item), is_path=name == "inputs")


def _word(text: str, *, is_path: bool = False) -> str:
    """A word for a shell; unprintable characters are escaped in the $'...' quotes of bash and zsh.

    >>> print(_word("my runs"), _word("-odd.csv", is_path=True), _word("new\\nline"))
    'my runs' ./-odd.csv $'new\\x0aline'
    """
    if is_path and text.startswith("-") and text != "-":
        text = f"./{text}"
    if text.isprintable():
        return shell_word(text)
    parts: list[str] = []
    for character in text:
        if character.isprintable():
            parts.append(f"\\{character}" if character in "\\'" else character)
        else:
            parts += [f"\\x{byte:02x}" for byte in os.fsencode(character)]
    return f"$'{''.join(parts)}'"
