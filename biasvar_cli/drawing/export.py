"""A figure as a file (PDF, SVG, PNG, or the specification itself), its caption in text or LaTeX, and it on a screen.

The same figure gives the same bytes of SVG and JSON; those of PDF and PNG are the converter's, and may differ.

Lengths on a page are points, 72 to the inch. A browser takes the lengths of a specification for pixels, 96 to the inch,
so that type of 7 to 9 points would be too small to read: for a screen all lengths become pixels.
"""

import json
import re
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from biasvar_cli.drawing.converter import Converter, ConverterEnded
from biasvar_cli.drawing.style import Spec
from biasvar_cli.errors import DataError, UsageError, exhausted, needs_extra
from biasvar_cli.tables.layout import latex_cell
from biasvar_cli.words import QUERIES, RUNS

_DOTS_PER_INCH = 300
_GRADIENT = re.compile(r'( id="| fill="url\(#)gradient_(\d+)')
_MARKS = re.compile(r"role-mark [^>]*[^/>]>")  # a group of marks that is not empty
# Attributes with coordinates.
_COORDINATES = re.compile(r' (?:transform|d|x|x1|x2|y|y1|y2|width|height|cx|cy|r)="[^"]*"')
_LONG = re.compile(r"-?\d+\.\d{4,}(?:e-?\d+)?")


def format_of(path: str, argument: str = "path") -> str:
    """The format that a file's suffix names. Raises `UsageError` for another, or for one without its converter.

    Messages call the path by the ``argument`` that it was given as.

    >>> format_of("figures/plane.JSON")
    'json'
    """
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in FIGURE_FORMATS:
        known = ", ".join(f".{name}" for name in FIGURE_FORMATS)
        raise UsageError(f"{argument} {path}: a figure's name ends in one of {known}")
    if suffix != "json":
        _require_converter()
    return suffix


def as_vega_lite(spec: Spec) -> bytes:
    """The Vega-Lite specification, data included; needs no converter.

    >>> as_vega_lite({"mark": "point"})
    b'{\\n "mark": "point"\\n}\\n'
    """
    return (json.dumps(spec, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def caption_of(spec: Spec) -> str:
    """The caption of a figure: what is drawn, what was evaluated, and what the marks mean.

    It begins with the finding where the figure has no title.

    >>> spec = {"description": "Least total error: rm. Bias² and variance of each run. AP, 22 runs."}
    >>> caption_of({**spec, "title": {"text": "Least total error: rm"}})
    'Bias² and variance of each run. AP, 22 runs.'
    """
    title = spec.get("title", {}).get("text", "")
    finding = title if isinstance(title, str) else " ".join(title)
    return str(spec["description"]).removeprefix(f"{finding}. ")


def _caption_text(caption: str, _: str) -> str:
    """A caption as a line of text."""
    return f"{caption}\n"


def caption_latex(caption: str, name: str) -> str:
    r"""A caption for the environment ``figure`` of LaTeX, with a label of the figure's name.

    >>> print(caption_latex("Bias² of run_1.", "plane"), end="")
    \caption{Bias$^2$ of run\_1.}
    \label{fig:biasvar-plane}
    """
    return f"\\caption{{{latex_cell(caption)}}}\n\\label{{fig:biasvar-{name}}}\n"


def _as_pdf(spec: Spec) -> bytes:
    """PDF with its typefaces in it; a point of the specification is a point of the page."""
    return _whole(_require_converter().svg_to_pdf(_drawn(spec)), b"%PDF-")


def _as_png(spec: Spec, *, dots_per_inch: float = _DOTS_PER_INCH) -> bytes:
    """PNG, for print unless another number of ``dots_per_inch`` is asked for."""
    return _whole(_require_converter().svg_to_png(_drawn(spec), ppi=dots_per_inch), b"\x89PNG")


def as_svg(spec: Spec) -> bytes:
    """SVG whose size is in points, as that of the PDF; its text stays text, and its places have three decimals."""
    text = re.sub(r'width="([\d.]+)" height="([\d.]+)"', r'width="\1pt" height="\2pt"', _drawn(spec), count=1)
    return _COORDINATES.sub(lambda attribute: _LONG.sub(_rounded, attribute[0]), text).encode()


def _rounded(number: re.Match[str]) -> str:
    """A number with three decimals, without zeros at its end.

    >>> _LONG.sub(_rounded, 'translate(30.115358043820386,-11.00004)')
    'translate(30.115,-11)'
    """
    text = f"{float(number[0]):.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _drawn(spec: Spec) -> str:
    with closing(Converter()) as converter:
        return drawn(spec, converter)


def drawn(spec: Spec, converter: Converter) -> str:
    """A figure as a converter draws it. Raises `DataError` where it fails, or draws none of the data."""
    try:
        text = converter.svg_of(spec)
    except ConverterEnded as ended:
        cause = f"its converter has ended with {ended}, as it does with too little memory or under ulimit -v"
        raise DataError(f"the figure cannot be drawn: {cause}; lift the limit, or write a .json") from None
    except ValueError as error:
        raise _failed(next((line for line in str(error).splitlines() if line.strip()), "")) from None
    if not _MARKS.search(text):
        raise _failed("the picture is empty")
    return numbered(text)


def numbered(svg: str) -> str:
    """The same drawing, its gradients numbered from 0; the converter goes on from the last drawing of its process.

    >>> numbered('<path fill="url(#gradient_3)"/><linearGradient id="gradient_3"/>')
    '<path fill="url(#gradient_0)"/><linearGradient id="gradient_0"/>'
    """
    number = {old: new for new, old in enumerate(dict.fromkeys(old for _, old in _GRADIENT.findall(svg)))}
    return _GRADIENT.sub(lambda gradient: f"{gradient[1]}gradient_{number[gradient[2]]}", svg)


def _whole(data: bytes, start: bytes) -> bytes:
    """What the converter made of a drawing. Raises `DataError` where that is no file of its format."""
    if not data.startswith(start):
        raise _failed("the picture is empty")
    return data


def _failed(why: str) -> DataError:
    return DataError(
        f"the figure cannot be drawn ({why[:300].rstrip(':')}); rename the {RUNS} or {QUERIES}, or write a .json"
    )


def _require_converter() -> ModuleType:
    """The library of the converter. Raises `UsageError` with the command that installs it where it is not there."""
    try:
        import vl_convert
    except ImportError as error:
        if exhausted(error):
            raise
        raise needs_extra("plot", "plot", "; .json does without") from None
    module: ModuleType = vl_convert
    return module


FIGURE_FORMATS: dict[str, Callable[[Spec], bytes]] = {
    "pdf": _as_pdf,
    "svg": as_svg,
    "png": _as_png,
    "json": as_vega_lite,
}
CAPTIONS: dict[str, Callable[[str, str], str]] = {"txt": _caption_text, "tex": caption_latex}


MIME_TYPE = "application/vnd.vegalite.v5+json"  # the newest that JupyterLab (4.6) and VS Code know
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # whose figures are those of version 6, as a test says
_PIXELS = 96 / 72  # to the point
_DOTS = 2  # to the pixel, of a PNG: sharp on most screens
_LENGTHS = frozenset(
    ("width", "height", "padding", "margin", "offset", "thickness", "tickSize", "gridWidth", "strokeWidth",
     "symbolStrokeWidth",
     "strokeDash", "fontSize", "labelFontSize", "titleFontSize", "subtitleFontSize", "titlePadding", "subtitlePadding",
     "rowPadding", "labelFlush", "labelLimit", "labelLineHeight", "labelOffset", "labelPadding", "titleLimit",
     "titleLineHeight", "minExtent", "maxExtent", "spacing", "gradientLength", "gradientThickness", "range", "dx", "dy",
     "xOffset", "yOffset", "x2Offset", "y2Offset")
)  # fmt: skip
_AREAS = frozenset(("size", "symbolSize"))  # of points, in square points
_SIDES = re.compile(r"\b(width|height)\b")


class Picture(NamedTuple):
    """A PNG, and its width and height on the screen in pixels."""

    png: bytes
    width: int
    height: int


def in_pixels(spec: Spec) -> Spec:
    """The figure as Vega-Lite 5 whose lengths are pixels, with the same data.

    >>> spec = {"width": 240, "layer": [{"mark": {"type": "point", "size": 18, "dy": {"expr": "datum.dy"}}}]}
    >>> shown = in_pixels(spec)
    >>> shown["width"], shown["layer"][0]["mark"]
    (320.0, {'type': 'point', 'size': 32.0, 'dy': {'expr': '1.333333 * (datum.dy)'}})
    """
    return {**_scaled(spec), "$schema": _SCHEMA, "datasets": spec.get("datasets", {})}


def picture_of(spec: Spec) -> Picture:
    """The figure as PNG, of the size of `in_pixels`. Raises what `_as_png` raises."""
    png = _as_png(spec, dots_per_inch=96 * _DOTS)
    width, height = struct.unpack(">II", png[16:24])  # the first chunk of a PNG has its size
    return Picture(png, round(width / _DOTS), round(height / _DOTS))


def _scaled(part: Any) -> Any:
    """A part of a specification but for the data; the size of a tick is a length."""
    if isinstance(part, list):
        return [_scaled(value) for value in part]
    if not isinstance(part, dict):
        return part
    lengths = _LENGTHS | _AREAS if part.get("type") == "tick" else _LENGTHS
    return {
        key: _length(value) if key in lengths else round(value * _PIXELS**2, 3) if key in _AREAS else _scaled(value)
        for key, value in part.items()
        if key != "datasets"
    }


def _length(value: Any) -> Any:
    """A length, several, or an expression of one, in which the sides of the plot are lengths too."""
    if isinstance(value, list):
        return [_length(part) for part in value]
    if isinstance(value, dict) and list(value) == ["expr"]:
        points = _SIDES.sub(rf"(\1 / {_PIXELS:.6f})", value["expr"])
        return {"expr": f"{_PIXELS:.6f} * ({points})"}
    if isinstance(value, dict):  # a channel, such as yOffset, or what depends on a condition
        return {key: (_length if key in ("condition", "value") else _scaled)(part) for key, part in value.items()}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return round(value * _PIXELS, 3) if is_number else value
