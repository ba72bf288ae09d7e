"""The pictures of docs/figures.md: ``python docs/draw.py`` draws them into docs/figures, from their commands.

``python docs/draw.py tutorial`` draws that of docs/tutorial.md, which needs the data of that page.

What a screen reader would read of every single mark is left out: the page says in words what a picture shows, and a
heat map has a quarter of the bytes without.
"""

from __future__ import annotations

import re
import shlex
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from generate import ROOT, figure_command, round1, tutorial

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.cli import main
from biasvar_cli.errors import BiasVarError

FOLDER = ROOT / "docs" / "figures"
_SVG = "http://www.w3.org/2000/svg"
_OF_MARKS = ("aria-label", "aria-roledescription", "aria-hidden", "role", "class", "pointer-events")
_INHERITED = (
    "fill",
    "font-family",
    "font-size",
    "font-weight",
    "stroke",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
)
_DECIMALS = re.compile(r"(\d\.\d\d)\d+")
_ZEROS = re.compile(r"(?<=\d)\.0+(?!\d)|(?<=\.\d)0+(?!\d)")
_RGB = re.compile(r"rgb\((\d+), (\d+), (\d+)\)")


def picture(name: str, folder: Path) -> str:
    """The SVG of a figure, drawn by its command in the root of the checkout; ``folder`` is for its file.

    Raises `BiasVarError` where the command fails.
    """
    path = folder / f"{name}.svg"
    words = shlex.split(figure_command(name))
    if main([*words[1:-1], str(path), "--quiet"]):
        raise BiasVarError(f"{name} was not drawn")
    return compact(path.read_text("utf-8"))


def compact(svg: str) -> str:
    """The same picture without what is said of single marks, and with two decimals of a point.

    What all parts of a group have in common stands once, with the group.

    >>> line = '<path role="x" d="M1.23456,2.50h3" fill="rgb(10, 255, 0)"/>'
    >>> compact(f'<svg xmlns="http://www.w3.org/2000/svg">{line}{line}</svg>')
    '<svg xmlns="http://www.w3.org/2000/svg" fill="#0aff00"><path d="M1.23,2.5h3"/><path d="M1.23,2.5h3"/></svg>'
    """
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(svg)  # noqa: S314
    _simplify(root)
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _simplify(element: Element) -> None:
    """Leave out of an element what is not seen, and hoist what its parts have in common."""
    for part in list(element):
        _simplify(part)
        if part.get("display") == "none" or part.get("d") in ("", "M0,0h0v0h0Z") or (_is_group(part) and not len(part)):
            element.remove(part)
    for name in _OF_MARKS:
        element.attrib.pop(name, None)
    if element.get("opacity") == "1":
        del element.attrib["opacity"]
    for name in ("d", "transform", "x2", "y2", "points"):
        if name in element.attrib:
            element.set(name, _ZEROS.sub("", _DECIMALS.sub(r"\1", element.attrib[name])))
    for name in ("fill", "stroke"):
        element.attrib |= {name: _RGB.sub(_hexadecimal, element.attrib[name])} if name in element.attrib else {}
    for name in _INHERITED if _is_group(element) else ():
        values = {part.get(name) for part in element}
        if len(values) == 1 and None not in values and name not in element.attrib:
            element.set(name, str(values.pop()))
            for part in element:
                del part.attrib[name]


def _is_group(element: Element) -> bool:
    return element.tag in (f"{{{_SVG}}}g", f"{{{_SVG}}}svg")


def _hexadecimal(found: re.Match[str]) -> str:
    return f"#{bytes(map(int, found.groups())).hex()}"


def draw() -> None:
    """Write every picture, and remove those of figures that are no more."""
    FOLDER.mkdir(exist_ok=True)
    names = [name for analysis in ANALYSES for name in analysis.figures]
    for path in FOLDER.iterdir():
        if path.stem not in names:
            path.unlink()
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            (FOLDER / f"{name}.svg").write_text(picture(name, Path(folder)) + "\n", "utf-8")


def tutorial_picture() -> str:
    """The SVG of the figure of docs/tutorial.md."""
    tutorial(
        "biasvar scores runs -q qrels/qrels-rnd1.txt -m nDCG@10 -f matrix -o ndcg.csv",
        "biasvar plot plane ndcg.csv -o plane.svg --quiet",
    )
    return compact((round1() / "plane.svg").read_text("utf-8"))


if __name__ == "__main__":
    if sys.argv[1:] == ["tutorial"]:
        (ROOT / "docs" / "tutorial-plane.svg").write_text(tutorial_picture() + "\n", "utf-8")
    else:
        draw()
