"""Options that several commands share: inputs and scoring, rows of a table, families of runs, query samples, and null
models.

INPUTS may be a MANIFEST.toml.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from biasvar_cli import settings, words
from biasvar_cli.console import completion, options, terminal
from biasvar_cli.console.options import Decorator, group, option, option_of, together, whole
from biasvar_cli.console.output import Destination, Rows, require_separate
from biasvar_cli.decomposition import Design
from biasvar_cli.errors import UsageError
from biasvar_cli.readers.settings import DISPLAY, STAGES, SYSTEMS, InputSettings
from biasvar_cli.readers.unpacking import parse_size
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.settings import COMMON, OUTPUT, QUERY_SAMPLES, STATISTICS, requested, settings_by_name
from biasvar_cli.specs.baselines import named_run
from biasvar_cli.specs.limits import require_one
from biasvar_cli.specs.machine import available_cores, is_file
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.tables import column, render
from biasvar_cli.words import COEFFICIENTS, FORMS, RUN, RUNS, listed

if TYPE_CHECKING:
    from biasvar_cli.readers.manifest import ManifestTrack
    from biasvar_cli.readers.maps import Member
    from biasvar_cli.scoring.track import Track


class _Inputs(click.Argument):
    """Files and folders, and on Windows, whose shells do not expand them, patterns such as ``runs\\*.gz``."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        if words.ON_WINDOWS:
            from glob import glob

            is_pattern = re.compile(r"(?!.*://).*[*?]").match
            files = [sorted(glob(name)) if is_pattern(name) else [] for name in value or ()]  # noqa: PTH207
            value = [path for name, paths in zip(value or (), files, strict=True) for path in paths or [name]]
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter:
            run, others = ctx.params.get("run"), [name for name in value or () if not Path(name).exists()]
            if run is None or not Path(run).exists() or len(others) != 1:
                raise
            there = " ".join(map(words.shell_word, [others[0], run, *(name for name in value if name != others[0])]))
            what = f"{run} is a file or folder, and there is none called {others[0]}"
            raise click.UsageError(f"{what}; is it the other way round? The run comes first: {there}") from None


def _size(_: click.Context, __: click.Parameter, value: str | None) -> int | None:
    try:
        return None if value is None else parse_size(value)
    except UsageError as error:
        raise click.BadParameter(error.typed) from None


_COUNT = whole("count")

inputs_argument = options.argument(
    "inputs", cls=_Inputs, nargs=-1, required=True, type=options.INPUT, metavar="INPUTS..."
)
_scores_argument = options.argument(
    "inputs", cls=_Inputs, nargs=-1, required=True, type=options.SCORES, metavar="INPUTS..."
)
manifest_argument = options.argument("manifest", type=options.MANIFEST, metavar="MANIFEST.toml")
_top_option = option(
    OUTPUT,
    "--top",
    type=_COUNT,
    metavar="N",
    brief="Show the first N rows only.",
    help="Show the first N rows only, the same ones in every format; every number is still of all runs.",
)
drawn_option = option(
    OUTPUT,
    "--top",
    type=_COUNT,
    metavar="N",
    brief="Show the first N runs.",
    help="Show the first N runs and those highlighted; numbers are of all runs.",
)
groups_option = option(QUERY_SAMPLES, "--groups", type=options.FILE, help=settings.GROUPS_HELP)
form_option = option(
    STATISTICS,
    "--form",
    type=click.Choice(FORMS),
    default="score",
    show_default=True,
    help="Variance of the scores, or of the gaps (target - score).",
)


_FOR_INPUTS: Mapping[str, Mapping[str, Any]] = {  # attributes of options that the settings of inputs do not declare
    "qrels": {"type": options.QRELS},
    "pool": {"type": options.INPUT},
    "max_size": {"type": str, "callback": _size},
    "jobs": {
        "default": None,
        "show_default": False,
        "callback": lambda _, __, value: value or available_cores(),
    },
    "measures": {"shell_complete": completion.measure},
    "replicates": {"type": str},
    "highlight": {"shell_complete": completion.run_name},
}


def input_option(name: str, **attributes: Any) -> Decorator:
    """The option of a setting of inputs (`readers.settings`); ``attributes`` are as in `options.option_of`."""
    return option_of(InputSettings, name, **{**_FOR_INPUTS.get(name, {}), **attributes})


def baseline_option(what: str, brief: str | None = None) -> Decorator:
    """``--baseline RUN``, the run that others are compared with; ``run:RUN`` is accepted too."""
    return option(
        STATISTICS,
        "--baseline",
        metavar="RUN",
        shell_complete=completion.run_name,
        callback=lambda _, __, value: None if value is None else named_run(value),
        brief=brief,
        help=what,
    )


def correlation_option(*, several: bool, of: str = "") -> Decorator:
    """``--correlation``, the coefficient to show, or several coefficients."""
    return option(
        STATISTICS,
        "--correlation",
        type=click.Choice(COEFFICIENTS),
        multiple=several,
        default=("pearson",) if several else "pearson",
        show_default=True,
        help=of or "The coefficient to show.",
    )


def row_options(tables: Mapping[str, column.Declared[Any]], usual: str, by: str = "run") -> Decorator:
    """The options of the order and number of rows, as ``rows``.

    ``usual`` names the default order for people, and ``by`` the default order for scripts, empty if it is the same.
    """
    for_scripts = f"; in {listed(render.FOR_PROGRAMS, None)} by {by}, unless --top is given" if by else ""
    sort = option(
        OUTPUT,
        "--sort",
        metavar="COLUMN",
        shell_complete=completion.column_of(tables),
        brief="Order of the rows; -COLUMN: largest first.",
        help=f"Order of the rows; -COLUMN: largest first. Default: {usual}{for_scripts}.",
    )
    return group("rows", Rows, sort, _top_option)


@dataclass(frozen=True, kw_only=True)
class FamilyChoice:
    """Families as typed, a file or a pattern, and the run that members of families are compared with."""

    text: str
    baseline: str | None = None

    @property
    def file(self) -> str | None:
        """The file that lists the families; None for a pattern."""
        return self.text if is_file(self.text) else None

    def read(self) -> Mapping[str, Member] | str:
        """The families that the file lists, or the pattern, which is applied to the runs later."""
        from biasvar_cli.readers.maps import families_named

        return families_named(self.text)


def families_options(what: str, *, baseline: bool = True) -> Decorator:
    """``--families``, and the run that members of families are compared with, as ``families``."""
    families = option(
        STATISTICS,
        "--families",
        metavar="FILE|PATTERN",
        shell_complete=completion.of(settings.Completion(paths=True)),
        brief=settings.FAMILIES_BRIEF,
        help=f"{what}: {settings.FAMILIES_HELP}",
    )
    compared = [baseline_option(settings.BELOW_HELP)] if baseline else []

    def choice(families: str | None, baseline: str | None = None) -> FamilyChoice | None:
        if baseline is not None and families is None:
            options = [name for parameter in click.get_current_context().command.params for name in parameter.opts]
            other = f"; --highlight marks a {RUN} without them" if "--highlight" in options else ""
            raise click.UsageError(f"--baseline needs --families, the {RUNS} that it is compared with{other}")
        return FamilyChoice(text=families, baseline=baseline) if families is not None else None

    return group("families", choice, families, *compared)


@dataclass(frozen=True, kw_only=True)
class NullChoice:
    """The options of null models as typed; ``wanted`` is None if neither ``--null`` nor ``--no-null`` was typed."""

    wanted: bool | None
    n_samples: int | None

    def __post_init__(self) -> None:
        if self.wanted is False and self.n_samples is not None:
            raise click.UsageError("--null-samples is an option of the null models, which --no-null leaves out")

    @property
    def is_wanted(self) -> bool:
        """Whether null models were asked for, by ``--null`` or by a number of samples."""
        return self.wanted or (self.wanted is None and self.n_samples is not None)

    def refuse(self, where: str, instead: str) -> None:
        """Raise `click.UsageError` if null models were asked for where the output has no place for them."""
        if self.is_wanted:
            raise click.UsageError(f"--null, --null-samples: {where} has no place for null models; {instead}")

    def request(self, *, unasked: bool = True, stability: bool = False, **fields: Any) -> NullRequest | None:
        """The null models to fit, None for none; ``unasked`` is whether they are fitted if no option was typed.

        Raises `click.UsageError` for ``stability``, which is computed from null models, with ``--no-null``.
        """
        if stability and self.wanted is False:
            raise click.UsageError("--stability is computed from null models, which --no-null leaves out")
        if self.wanted is False or not (self.is_wanted or unasked or stability):
            return None
        return NullRequest(null_samples=self.n_samples, stability=stability, **fields)


def null_options(*, by_format: bool = True) -> Decorator:
    """The options of null models, as ``null``; ``by_format`` if some formats have no place for them."""
    default = f"yes, but not in {listed(render.ROWS_ALONE, None)}" if by_format else "yes"
    return group(
        "null",
        lambda null, null_samples: NullChoice(wanted=null, n_samples=null_samples),
        option(
            STATISTICS,
            "--null/--no-null",
            default=None,
            help=f"Compare the correlations with null models. Default: {default}.",
        ),
        option(
            STATISTICS,
            "--null-samples",
            type=whole("null_samples"),
            metavar="N",
            help="Samples of each null model. Default: 300, or 2000 for a close verdict; fewer of a large track.",
        ),
    )


def sampling_options(*, several: bool = True) -> Decorator:
    """The options of query samples, as ``design``; without ``several`` there is one size of subsets."""
    single = {"type": _COUNT, "metavar": "K", "multiple": False}
    attributes: dict[str, dict[str, Any]] = {} if several else {"subset_size": single}
    taken = (
        option_of(Design, name, of_command=several, **attributes.get(name, {})) for name in settings_by_name(Design)
    )
    return group("design", lambda **typed: requested(Design, typed), *taken)


_ONE_MEASURE = (
    "Measure, such as nDCG@20, or ndcg_cut_20 as trec_eval writes it. Default: AP, or the only one of the score files."
)


def input_options(stages: Collection[str] = STAGES, *, several: bool = True, pool: str = "") -> Decorator:
    """INPUTS and the options of these stages of reading and scoring, as ``inputs``.

    Without ``several`` there is one measure. ``pool`` is the help of ``--pool``.
    """
    return group("inputs", partial(_request, several=several), inputs_argument, *_of_stages(stages, several, pool))


def judged_input_options(
    *, several: bool = True, systems: bool = False, scores: bool = False, folders: bool = True, more: str = ""
) -> Decorator:
    """INPUTS and the options of reading and scoring, as ``inputs``, and the qrels of several judges, as ``qrels``.

    Parameters
    ----------
    several
        Whether there may be several measures.
    systems
        Whether there are options for systems of several runs.
    scores
        Whether an input may be the scores of a judge.
    folders
        Whether the qrels may be a folder.
    more
        A sentence that is added to the help of ``--qrels``.
    """
    qrels = option(
        COMMON,
        "-q",
        "--qrels",
        type=options.JUDGE if folders else options.JUDGE_FILE,
        multiple=True,
        metavar="[NAME=]FILE",
        brief=f"Relevance judgments{' of a judge; the first are the reference' * folders}.",
        help=f"Relevance judgments of a judge, called as the file is or NAME{', or a folder of them' * folders}; the "
        f"first ones are the reference. {more}Repeatable. Or irds:ID, a data set.",
    )
    stages = STAGES if systems else [stage for stage in STAGES if stage != SYSTEMS]
    return together(
        qrels,
        group(
            "inputs",
            partial(_request, several=several),
            _scores_argument if scores else inputs_argument,
            *_of_stages(stages, several, without=("qrels",)),
        ),
    )


def _of_stages(
    stages: Collection[str], several: bool, pool: str = "", without: Collection[str] = ()
) -> Iterator[Decorator]:
    """The options of inputs that belong to the stages, except those named in ``without``."""
    changes: dict[str, dict[str, Any]] = {"pool": {"help": f"{pool} Repeatable."}} if pool else {}
    if not several:
        changes["measures"] = {"help": _ONE_MEASURE}
    for name, setting in settings_by_name(InputSettings).items():
        if setting.stage in stages and name not in without:
            yield input_option(name, **changes.get(name, {}))


def require_one_measure(measures: Sequence[str]) -> None:
    """Raise `UsageError` if several measures are asked for."""
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


def manifest_among(inputs: TrackRequest) -> str | None:
    """The manifest among INPUTS, None without one.

    Raises `click.UsageError` for further inputs, and for options that a manifest sets for each of its tracks.
    """
    manifests = [name for name in inputs.inputs if name.lower().endswith(".toml")]
    if not manifests:
        return None
    if len(inputs.inputs) > 1:
        raise click.UsageError(f"{manifests[0]}: a manifest has to be the only input")
    for name, setting in settings_by_name(InputSettings).items():
        if setting.in_manifest and getattr(inputs, name) != getattr(InputSettings, name):
            typed = name.replace("_", "-")
            raise click.UsageError(f"--{typed}: {manifests[0]} sets this for each of its tracks")
    return manifests[0]


def load_manifest(
    manifest: str, inputs: TrackRequest, output: Destination, *files: str | None
) -> list[tuple[ManifestTrack, Track]]:
    """The tracks of a manifest with their scores, in its order; ``files`` are further inputs of the command."""
    from biasvar_cli.readers.manifest import read_manifest
    from biasvar_cli.scoring.track import load_tracks, names_of

    listed = read_manifest(manifest).tracks
    require_separate(output, inputs, *files, tracks=listed)
    beside = {
        name: getattr(inputs, name)
        for name, setting in settings_by_name(InputSettings).items()
        if not setting.in_manifest and setting.stage != DISPLAY
    }
    tracks = load_tracks(listed, terminal.load, **beside)
    names = names_of(tracks, inputs.names, inputs.highlight)
    return [(entry, track.named(names)) for entry, track in zip(listed, tracks, strict=True)]
