"""Where a page's numbers come from: what was typed and read, and the commands that repeat it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import click
from click.core import ParameterSource

from biasvar_cli.scoring.judges import named_judges
from biasvar_cli.specs import BEST, TargetSpec
from biasvar_cli.words import shell_word

if TYPE_CHECKING:
    from biasvar_cli.page.about import Origin
    from biasvar_cli.page.panel import Panel
    from biasvar_cli.scoring.request import TrackRequest

_NO_NUMBER = {"file", "jobs", "quiet", "strict", "dask", "dask_timeout"}  # options that change nothing on the page
_SORTED = {"inputs", "pool"}  # whose order means nothing
_OF_RISK = ["risk", "losses"]  # figures against a baseline
_OF_PAGE = {"measures", "target", "baseline"}  # those of other tabs; a comparison that no figure shows


def typed_origin(
    request: TrackRequest,
    panels: Sequence[Panel],
    targets: Sequence[TargetSpec],
    others: Mapping[str, Sequence[str | None]],
) -> Origin:
    """Where the numbers of a page come from, as it was typed; ``others`` is what else was read, and why.

    The ``panels`` are those of every measure and, in each, of every one of the ``targets``.
    """
    from biasvar_cli.page.about import Origin, files_of, words_by_role, words_of_files

    roles: dict[str, Sequence[str | None]] = {
        "Pool": sorted(request.pool),
        "List of topics": [request.topics_file],
        "List of systems": [request.systems_file],
    }
    roles = {**roles, **others}
    words = words_by_role(roles)
    if "-" in (*request.files, *(name for names in roles.values() for name in names)):
        words["Standard input"] = "what - stands for in the command; it has to be given again"
    files = files_of(request)
    return Origin(
        inputs=words_of_files(request, files),
        judgments=request.qrels or "none: the inputs are scores",
        files=files,
        others=words,
        command=f"biasvar report {' '.join(_typed())} -o report.html",
        figures=[
            dict([*_figures(request, panel, targets[index % len(targets)], index // len(targets)), *_trend()])
            for index, panel in enumerate(panels)
        ],
    )


def _figures(request: TrackRequest, panel: Panel, target: TargetSpec, measure: int) -> Iterator[tuple[str, str]]:
    """The figures of a measure, by its place, and a target, and the commands, each with the options that it has."""
    from biasvar_cli.measures import spelled_names

    context = click.get_current_context()
    chosen = ["-m", shell_word(spelled_names(request.measures)[measure])] if request.measures else []
    baseline = context.params["baseline"]
    of_risk = ["--baseline", _word(f"run:{baseline!s}")] if baseline is not None else []
    for name in _figure_names(panel, target):
        options = {option: parameter for parameter in _parameters(name) for option in parameter.opts}
        names = {str(parameter.name) for parameter in options.values()} - _OF_PAGE
        more = ["--target", _word(target.text)] if target != BEST and "--target" in options else []
        more += of_risk if name in _OF_RISK else []
        yield name, " ".join(["biasvar plot", name, *_typed(names), *chosen, *more, "-o", f"{name}.pdf"])


def _trend() -> Iterator[tuple[str, str]]:
    """The figure of the tracks of a manifest and its command, where there is a manifest; it has one size of subsets."""
    values = click.get_current_context().params
    if values["manifest"] is None:
        return
    names = {str(parameter.name) for parameter in _parameters("trend")} - {"manifest", "subset_size"}
    size = ["--subset-size", str(values["subset_size"][0])] if values["subset_size"] else []
    yield "trend", " ".join(["biasvar plot trend", _word(values["manifest"]), *_typed(names), *size, "-o", "trend.pdf"])


def _parameters(figure: str) -> list[click.Parameter]:
    """The arguments and options of the command of a figure."""
    root = cast("click.Group", click.get_current_context().find_root().command)
    return cast("click.Group", root.commands["plot"]).commands[figure].params


def _figure_names(panel: Panel, target: TargetSpec) -> list[str]:
    """The figures that there are of a measure and a target."""
    names = ["plane", "total", "ranked"]
    names += ["tradeoff"] if panel.correlations[0].caption else []
    names += ["queries", "target"] if target.form.per_query else []
    names += ["rarefaction"] if target == BEST else []
    names += _OF_RISK
    return names + (["compare", "asl", "swap"] if len(panel.data["queries"]) > 1 else [])


def _typed(only: Collection[str] | None = None) -> Iterator[str]:
    """What was typed, quoted for a shell, without what changes nothing on the page; inputs in order of name."""
    context = click.get_current_context()
    for parameter in sorted(context.command.params, key=lambda parameter: isinstance(parameter, click.Option)):
        name = str(parameter.name)
        if name in _NO_NUMBER or (only is not None and name not in only):
            continue
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        if name == "qrels" and only is not None:
            value = tuple(named_judges(value).values())[:1]  # a figure has one judge
        if isinstance(value, tuple) and isinstance(parameter, click.Option) and not parameter.multiple:
            value = ",".join(map(str, value))
        values = list(value) if isinstance(value, tuple) else [value]
        for item in sorted(values) if name in _SORTED else values:
            if isinstance(parameter, click.Option):
                yield parameter.opts[0] if item is not False else parameter.secondary_opts[0]
            if not isinstance(item, bool):
                yield _word(str(item), is_path=name == "inputs")


def _word(text: str, *, is_path: bool = False) -> str:
    """A word for a shell; one that cannot be printed in the quotes that bash and zsh have for it.

    >>> print(_word("my runs"), _word("-odd.csv", is_path=True), _word("new\\nline"))
    'my runs' ./-odd.csv $'new\\x0aline'
    """
    if is_path and text.startswith("-") and text != "-":
        text = f"./{text}"
    if text.isprintable():
        return shell_word(text)
    return f"$'{''.join(map(_escaped, text))}'"


def _escaped(sign: str) -> str:
    if sign.isprintable():
        return f"\\{sign}" if sign in "\\'" else sign
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(sign))
