"""A figure as a file: PDF, SVG, PNG, or the specification itself. The same figure gives the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from biasvar_cli.drawing.converter import svg_of
from biasvar_cli.drawing.pdf import in_order
from biasvar_cli.drawing.spec import Spec
from biasvar_cli.errors import DataError, UsageError, needs_extra

_DOTS_PER_INCH = 300
_MARKS = re.compile(r"role-mark [^>]*[^/>]>")  # a group of marks that is not empty


def format_of(path: str) -> str:
    """The format that a file's suffix names. Raises `UsageError` for another, or for one without its converter.

    >>> format_of("figures/plane.JSON")
    'json'
    """
    found = Path(path).suffix.removeprefix(".").lower()
    if found not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"-o {path}: a figure's name ends in one of {known}")
    if found != "json":
        _converter()
    return found


def as_vega_lite(spec: Spec) -> bytes:
    """The Vega-Lite specification, data included; needs no converter.

    >>> as_vega_lite({"mark": "point"})
    b'{\\n "mark": "point"\\n}\\n'
    """
    return (json.dumps(spec, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode()


def as_pdf(spec: Spec) -> bytes:
    """PDF with its typefaces in it; a point of the specification is a point of the page."""
    return in_order(_whole(_converter().svg_to_pdf(_drawn(spec)), b"%PDF-"))


def as_png(spec: Spec) -> bytes:
    """PNG with 300 dots per inch."""
    return _whole(_converter().svg_to_png(_drawn(spec), ppi=_DOTS_PER_INCH), b"\x89PNG")


def as_svg(spec: Spec) -> bytes:
    """SVG whose size is in points, as that of the PDF; its text stays text."""
    return re.sub(r'width="([\d.]+)" height="([\d.]+)"', r'width="\1pt" height="\2pt"', _drawn(spec), count=1).encode()


def _drawn(spec: Spec) -> str:
    """A figure as the converter draws it. Raises `DataError` where it fails, or draws none of the data."""
    try:
        text = svg_of(spec)
    except ValueError as error:
        raise _failed(next((line for line in str(error).splitlines() if line.strip()), "")) from None
    if not _MARKS.search(text):
        raise _failed("the picture is empty")
    return text


def _whole(data: bytes, start: bytes) -> bytes:
    """What the converter made of a drawing. Raises `DataError` where that is no file of its format."""
    if not data.startswith(start):
        raise _failed("the picture is empty")
    return data


def _failed(why: str) -> DataError:
    return DataError(
        f"the figure cannot be drawn ({why[:300].rstrip(':')}); rename the runs or queries, or write a .json"
    )


def _converter() -> ModuleType:
    try:
        import vl_convert
    except ImportError:
        raise needs_extra("plot", "plot", "; .json does without") from None
    module: ModuleType = vl_convert
    return module


FORMATS: dict[str, Callable[[Spec], bytes]] = {"pdf": as_pdf, "svg": as_svg, "png": as_png, "json": as_vega_lite}
