"""``bv.report``: the page of all analyses, in a notebook.

Its arguments are declared here, and not made from requests, because the page shows the call with them in this order.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Unpack

from biasvar_cli.decomposition import Design, Normalisation, Remainder, SubsetWeights, ZeroTarget
from biasvar_cli.errors import UsageError, keep_warnings, notice, warn
from biasvar_cli.notebook import arguments, frames, memory
from biasvar_cli.notebook.arguments import Reading, meanings_of, null_request, warning_there
from biasvar_cli.notebook.scores import Scores, ScoresLike, scores_from
from biasvar_cli.page import SUFFIXES
from biasvar_cli.page.content import PageRequest, content
from biasvar_cli.page.page import Origin, about, files_of, page, words_by_role, words_of_files
from biasvar_cli.readers.manifest import read_manifest
from biasvar_cli.scoring import TrackRequest
from biasvar_cli.settings import requested
from biasvar_cli.specs.baselines import named_run
from biasvar_cli.specs.machine import is_file
from biasvar_cli.specs.requests import TargetedRequest
from biasvar_cli.whole_files import require_writable, write_whole
from biasvar_cli.words import DifficultyKey, LogForm, as_typed

_MEMORY = "in memory"
_HEIGHT = "44em"  # of the page in a notebook: about two of its figures


@dataclass(frozen=True, repr=False)
class Page:
    """A page: ``html`` is its whole text, which needs no network. A notebook shows it, and `save` writes it.

    ``title`` names the track, the measures and the targets.
    """

    html: str
    title: str

    def save(self, path: memory.Path) -> Path:
        """Write the page to a file whose name ends in .html or .htm, and return its path.

        The file is written whole, or stays as it was. Raises `BiasVarError` for another suffix, and for a file that
        cannot be written.
        """
        name = _page_name(path, "path")
        write_whole(name, self.html.encode("utf-8", "backslashreplace"))
        return Path(name)

    def __repr__(self) -> str:
        return f'Page({self.title}; .save("report.html"))'

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {_HEIGHT}; border: 1px solid #ccc"
        return f'<iframe title="Bias-variance report" style="{style}" srcdoc="{escape(self.html)}"></iframe>'


@warning_there
def report(
    scores: ScoresLike,
    file: memory.Path | None = None,
    *,
    target: str | Sequence[str] = "best",
    measure: object | None = None,
    qrels: memory.Judgments | None = None,
    log: LogForm | None = None,
    eps: float | None = None,
    subset_size: int | Sequence[int] = (),
    repeats: int = Design.repeats,
    difficulty: DifficultyKey = Design.difficulty,
    remainder: Remainder = Design.remainder,
    subset_weights: SubsetWeights = Design.subset_weights,
    normalise: Normalisation = Design.normalise,
    zero_target: ZeroTarget = Design.zero_target,
    groups: str | None = None,
    null: bool = True,
    null_samples: int | None = None,
    families: str | None = None,
    baseline: str | None = None,
    manifest: memory.Path | None = None,
    title: str | None = None,
    stamp: bool = False,
    seed: int = Design.seed,
    **reading: Unpack[Reading],
) -> Page:
    """One page that opens from disk and needs no network: runs, figures, target and tradeoff, as ``biasvar report``.

    ``file`` is a name that ends in .html, to which the page is written; without it the page is only shown. ``baseline``
    is a run, NAME or run:NAME, that all runs are compared with. ``manifest`` adds the trend over the tracks of a
    manifest, ``title`` is the title of the page, and ``stamp`` says on the page when, where and on what machine it was
    made. Every measure and target has a tab.

    Raises `BiasVarError` for wrong data and wrong arguments, before anything is written.
    """
    values = {
        **locals(),
        "scores": _listed(scores),
        "reading": {name: _listed(value) for name, value in reading.items()},
    }
    name = None if file is None else _page_name(file, "file")
    if name is not None:
        require_writable(name)
    tracks = None if manifest is None else read_manifest(memory.path_of(manifest, "manifest")).tracks
    design = requested(Design, values, groups=None)
    targeted = requested(TargetedRequest, values)
    with keep_warnings() as messages:
        loaded = scores_from(values["scores"], measure, qrels, values["reading"], documents=True)
        request = PageRequest(
            targeted=targeted,
            design=design,
            groups=groups,
            null=null_request(values, loaded.jobs, shuffled=False, stability=null),
            families=families,
            baseline=None if baseline is None else named_run(baseline),
            tracks=tracks,
            jobs=loaded.jobs,
        )
        body = content(loaded.track, request)
    for message in messages.warnings:
        warn(message)
    for message in messages.notices:
        notice(message)
    others = {
        "Target scores": targeted.files,
        "Groups of queries": (groups,),
        "Families": (families if families is not None and is_file(families) else None,),
        "Manifest of the trend": (None if manifest is None else os.fspath(manifest),),
    }
    warned, noticed = (
        list(dict.fromkeys(map(as_typed, [*of_reading, *of_page])))
        for of_reading, of_page in zip(loaded.messages, messages, strict=True)
    )
    origin = _origin(values, others)
    words = about(origin, loaded.track, body.panels, warnings=warned, notices=noticed, stamp=stamp, heading=title)
    result = Page(page(words, body), f"{words.title}, {'; '.join(panel.label for panel in body.panels)}")
    if name is not None:
        result.save(name)
    return result


_meanings = arguments.MEANINGS | meanings_of(Design) | meanings_of(TargetedRequest)
arguments.explain(report, _meanings, signature(report).parameters)


def _page_name(path: memory.Path, argument: str) -> str:
    """The path of a file for a page. Raises `UsageError` for any other name."""
    if not isinstance(path, str | os.PathLike):
        raise UsageError(f"expected a path, found {frames.quoted_value(path)}", option=argument)
    name = memory.path_of(path, argument)
    if Path(name).suffix.lower() not in SUFFIXES:
        raise UsageError(f"a page's name ends in {SUFFIXES[0]}, found {frames.quoted_value(name)}", option=argument)
    return name


def _listed(value: Any) -> Any:
    """An argument; an iterator, such as `Path.glob`, becomes a list, which can be read more than once."""
    return list(value) if isinstance(value, Iterator) else value


def _origin(values: Mapping[str, Any], others: Mapping[str, Sequence[str | None]]) -> Origin:
    """Where the numbers come from: files, or data in memory.

    The command is a call of `report`, or empty if some argument is not text, a number or a path.
    """
    scores, qrels, reading = values["scores"], values["qrels"], values["reading"]
    inputs, judgments, pool = _paths(scores), _paths(qrels), _paths(reading.get("pool", ()))
    topics, systems = reading.get("topics"), _paths(reading.get("replicates")) or ()
    roles: dict[str, Sequence[str | None]] = {
        "Pool": [_MEMORY] if pool is None else sorted(pool),
        "List of topics": [topics if topics is not None and is_file(topics) else None],
        "List of systems": [name for name in systems if is_file(name)],
        **others,
    }
    files, words = [], _MEMORY
    if inputs is not None:
        request = requested(TrackRequest, reading, inputs=inputs, qrels=judgments[0] if judgments else None, pool=())
        files = files_of(request)
        words = words_of_files(request, files)
    judged = qrels is not None or isinstance(scores, Scores)
    return Origin(
        inputs=words,
        judgments=(judgments or (_MEMORY,))[0] if judged else "none: the inputs are scores",
        files=files,
        others=words_by_role(roles),
        command=_call(values) or "",
    )


def _paths(value: object) -> tuple[str, ...] | None:
    """One or several paths as text; None for anything else."""
    paths = value if isinstance(value, list | tuple) else [value]
    return tuple(map(os.fspath, paths)) if all(isinstance(path, str | os.PathLike) for path in paths) else None


def _call(values: Mapping[str, Any]) -> str | None:
    """The call of `report` with these arguments; None if one of them cannot be written down."""
    words = []
    for name, parameter in signature(report).parameters.items():
        value, default = values[name], parameter.default
        is_default = value is default or (isinstance(value, str | int | float | tuple) and value == default)
        if name == "file" or parameter.kind == Parameter.VAR_KEYWORD or is_default:
            continue
        words.append(("" if default is Parameter.empty else f"{name}=", _written(value)))
    words += [(f"{name}=", _written(value)) for name, value in values["reading"].items()]
    if any(text is None for _, text in words):
        return None
    return f"bv.report({', '.join(f'{label}{text}' for label, text in words)}).save('report.html')"


def _written(value: Any) -> str | None:
    """A value as Python code; None for anything but text, numbers, paths, and lists of these."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str | int | float | None):
        return repr(value)
    if isinstance(value, list | tuple):
        parts = [_written(part) for part in value]
        return None if None in parts else f"[{', '.join(map(str, parts))}]"
    return None
