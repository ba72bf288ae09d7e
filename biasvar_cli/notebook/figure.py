"""A figure in a notebook: it shows itself, is saved by its suffix, and gives its specification."""

import json
import os
import warnings
from base64 import b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Self, get_type_hints

from biasvar_cli.drawing import export
from biasvar_cli.drawing.style import Spec, style_of
from biasvar_cli.errors import BiasVarError, DataWarning, UsageError, keep_warnings
from biasvar_cli.notebook import arguments, frames, memory
from biasvar_cli.whole_files import write_whole
from biasvar_cli.words import listed, near_names

_PNG = "image/png"
Draw = Callable[..., Spec]


@dataclass(frozen=True, repr=False)
class Figure:
    """A figure, as ``biasvar plot`` draws it. Two are equal if their specifications are.

    ``vega_lite`` is the specification as a file has it, data included. Front ends that know Vega-Lite, as JupyterLab
    and VS Code do, draw it; others show a PNG, which needs the extra ``plot``.

    >>> figure = Figure.of({"description": "Bias² and variance. AP, 22 runs.", "mark": "point"})
    >>> figure
    Figure(Bias² and variance; .save("figure.pdf"), or .svg, .png, .json)
    >>> figure.caption
    'Bias² and variance. AP, 22 runs.'
    >>> figure.spec["mark"]
    'point'
    """

    vega_lite: bytes

    @classmethod
    def of(cls, spec: Spec) -> Self:
        """The figure of a specification, which may then be changed without changing the figure."""
        return cls(export.as_vega_lite(spec))

    @property
    def spec(self) -> Spec:
        """The Vega-Lite specification, a new dict each time; its lengths are points."""
        spec: Spec = json.loads(self.vega_lite)
        return spec

    @property
    def caption(self) -> str:
        """The caption for a paper: title, what was evaluated, and what the marks mean."""
        return export.caption_of(self.spec)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the figure in the format of the suffix, .pdf, .svg, .png or .json, and return the path.

        The file is that of ``biasvar plot -o``. It is wholly there afterwards, or as it was. Raises `UsageError` for
        another suffix, and for one that needs the extra ``plot`` where that is missing; `BiasVarError` for a file that
        cannot be written.
        """
        if not isinstance(path, str | os.PathLike):
            raise UsageError(f"path: expected a path, found {frames.quoted_value(path)}")
        name = memory.path_of(path, "path")
        write_whole(name, export.FIGURE_FORMATS[export.format_of(name)](self.spec))
        return Path(name)

    def __repr__(self) -> str:
        title = self.spec["description"].partition(". ")[0]
        first, *others = (f".{name}" for name in export.FIGURE_FORMATS)
        return f'Figure({title}; .save("figure{first}"), or {", ".join(others)})'

    def _repr_mimebundle_(
        self, include: Collection[str] | None = None, exclude: Collection[str] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """The figure for the front end of a notebook: its data and metadata by MIME type."""
        data: dict[str, Any] = {export.MIME_TYPE: export.in_pixels(self.spec), "text/plain": repr(self)}
        metadata: dict[str, Any] = {}
        if (not include or _PNG in include) and _PNG not in (exclude or ()):
            try:
                picture = export.picture_of(self.spec)
            except UsageError:  # the extra is missing: the specification is there still
                pass
            except BiasVarError as error:
                warnings.warn(DataWarning(f"no picture of the figure: {error.message}"), stacklevel=2)
            else:
                data[_PNG] = b64encode(picture.png).decode("ascii")
                metadata[_PNG] = {"width": picture.width, "height": picture.height}
        wanted = {kind for kind in data if (not include or kind in include) and kind not in (exclude or ())}
        return {kind: value for kind, value in data.items() if kind in wanted}, metadata


def figure_of(figures: Mapping[str, Draw], name: str | None = None) -> Draw:
    """The function that draws a figure: that of a name, or without one the first.

    Raises `UsageError` for another name, and where there is no figure.

    >>> figure_of({"plane": dict, "total": dict}, "plain")
    Traceback (most recent call last):
    biasvar_cli.errors.UsageError: figure: expected plane or total, found 'plain'
    """
    if not figures:
        raise UsageError("there is no figure of this result", option="figure")
    if name is None:
        return next(iter(figures.values()))
    if not isinstance(name, str) or name not in figures:
        raise UsageError(f"expected {listed(figures, None, 'or')}, found {frames.quoted_value(name)}", option="figure")
    return figures[name]


def drawn(draw: Draw, answers: object, options: Mapping[str, Any]) -> Figure:
    """The figure that a function draws of answers.

    ``options`` are those of the function, and how the figure looks, as for ``biasvar plot``: ``width`` is ``one``
    or ``two`` columns, ``lncs`` or centimetres such as 9cm, ``theme`` light or dark, and ``title=False`` leaves out the
    title and the line under it.
    Each is checked by its type. A warning is of the line that calls the caller of this function. Raises `TypeError` for
    an option that there is not, `UsageError` for a value that it cannot have, and what the function raises.
    """
    specific, looks = _options(draw), _options(style_of)
    for name in options:
        if name not in specific and name not in looks:
            figure, known = draw.__name__.removesuffix("_figure"), [*specific, *looks]
            near = near_names(name, known)
            remedy = f"did you mean {' or '.join(near)}?" if near else f"its options are {', '.join(known)}"
            raise TypeError(f"the figure {figure} has no option {name!r}; {remedy}")
    values = {name: arguments.read_argument(name, value, (specific | looks)[name]) for name, value in options.items()}
    style = style_of(**{name: values.pop(name) for name in looks if name in values})
    with keep_warnings() as messages:
        try:
            return Figure.of(draw(answers, **values, style=style))
        finally:
            for message in dict.fromkeys(messages.warnings):
                warnings.warn(DataWarning(message), stacklevel=3)


def _options(function: Callable[..., Any]) -> dict[str, Any]:
    """The options of a function with their types: what has a default, but for the style."""
    hints, parameters = get_type_hints(function), signature(function).parameters.values()
    with_default = [parameter.name for parameter in parameters if parameter.default is not Parameter.empty]
    return {name: hints[name] for name in with_default if name != "style"}
