"""An SVG of the converter as the page has it: small, in the colours of the style sheet, its marks named by their run.

The converter writes groups within groups, roles, typefaces and fifteen digits, which the page does without. Numbers
have one decimal; what all parts of a group share stands at the group.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from xml.etree import ElementTree

from markupsafe import Markup, escape

_NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
_TRANSLATED = re.compile(r"translate\((-?[\d.]+),(-?[\d.]+)\)")
_CIRCLE = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0Z?")
_BAR = re.compile(r"M(-?[\d.]+),(-?[\d.]+)h(-?[\d.]+)v(-?[\d.]+)h-?[\d.]+Z")
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_KEPT = {"fill", "stroke", "opacity", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray",
         "stroke-linejoin", "font-size", "font-weight", "font-style", "text-anchor", "transform", "d", "x", "y", "dx",
         "dy", "x1", "y1", "x2", "y2", "width", "height", "id", "clip-path", "offset", "stop-color",
         "gradientUnits"}  # fmt: skip
_RUN = "data-run"
_PLACES = {"transform", "d", "x", "y", "dx", "dy", "x1", "y1", "x2", "y2", "width", "height", "stroke-dasharray"}
_NUMBERS = _PLACES | {"stroke-width", "opacity", "fill-opacity", "stroke-opacity"}
_INHERITED = ("fill", "stroke", "fill-opacity", "stroke-opacity", "stroke-width", "stroke-dasharray",
              "stroke-linejoin", "font-size", "font-weight", "font-style", "text-anchor")  # fmt: skip
_USUAL = {"fill-opacity": "1", "stroke-opacity": "1", "opacity": "1", "font-weight": "normal", "text-anchor": "start",
          "stroke-width": "1"}  # fmt: skip


@dataclass
class _Part:
    """An element of the drawing, without what the page does not need."""

    name: str
    attributes: dict[str, str]
    children: "list[_Part]" = field(default_factory=list)
    text: str = ""

    def written(self) -> Iterator[str]:
        yield f"<{self.name}"
        for key, value in self.attributes.items():
            yield f' {key}="{escape(value)}"'
        if not self.children and not self.text:
            yield "/>"
            return
        yield f">{escape(self.text)}"
        for child in self.children:
            yield from child.written()
        yield f"</{self.name}>"


@dataclass(frozen=True, kw_only=True)
class Looks:
    """How a drawing is changed for the page.

    ``label`` is what it shows, ``key`` begins its ids, ``colours`` has the page's colours by its own, and ``places``
    maps the names of runs, as marks are described, to their places among the names of the page.
    """

    label: str
    key: str
    colours: Mapping[str, str]
    places: Mapping[str, int]


def for_page(drawing: str, kind: str, looks: Looks) -> Markup:
    """A drawing of the converter as the page has it, of the class ``kind``."""
    root = ElementTree.fromstring(drawing)  # noqa: S314 - which the converter has just written
    ids: dict[str, str] = {}
    background = root.find("{*}rect")
    if background is not None:
        root.remove(background)
    parts = list(_parts(root, lambda old: ids.setdefault(old, f"{looks.key}-{len(ids)}"), looks))
    for part in parts:
        _gather(part)
        _leave_out(part, {"fill": "black", "stroke": "none"})
        part.children = list(_with_halos(list(_flat(part.children))))
    attributes = {"class": f"picture {kind}", "viewBox": root.attrib["viewBox"], "role": "img"}
    return Markup("".join(_Part("svg", attributes | {"aria-label": looks.label}, parts).written()))  # noqa: S704


def _parts(element: ElementTree.Element, renamed: Callable[[str], str], looks: Looks) -> Iterator[_Part]:
    """What is left of the children of an element."""
    for child in element:
        name, parts = child.tag.rpartition("}")[2], list(_parts(child, renamed, looks))
        if child.get("display") == "none":
            continue
        attributes = {key: value for key, value in child.attrib.items() if key in _KEPT}
        label = child.get("aria-label", "")
        if label in looks.places:
            attributes[_RUN] = str(looks.places[label])
        if "id" in attributes:
            attributes["id"] = renamed(attributes["id"])
        for key, value in attributes.items():
            value = _REFERENCE.sub(lambda match: f"url(#{renamed(match[1])})", value)
            value = looks.colours.get(value, value)
            value = _NUMBER.sub(_short if key in _PLACES else _fine, value) if key in _NUMBERS else value
            attributes[key] = _BAR.sub(r"M\1,\2h\3v\4H\1Z", value) if key == "d" else value
        part = _placed(_Part(name, attributes, parts, (child.text or "").strip("\n")))
        yield from [part] if element.tag.endswith("clipPath") else _without_use(part)


def _short(number: re.Match[str]) -> str:
    """A number with one decimal, without zeros that say nothing.

    >>> _NUMBER.sub(_short, "translate(10.04,-0.51)")
    'translate(10,-.5)'
    """
    return _rounded(float(number[0]), 1)


def _fine(number: re.Match[str]) -> str:
    return _rounded(float(number[0]), 2)


def _rounded(number: float, digits: int) -> str:
    text = f"{number:.{digits}f}".rstrip("0").rstrip(".")
    sign, size = ("-", text[1:]) if text.startswith("-") else ("", text)
    return "0" if size == "0" else sign + size.removeprefix("0") if size.startswith("0.") else text


def _placed(part: _Part) -> _Part:
    """The element at its place instead of moved there; a round path as a circle."""
    moved = _TRANSLATED.fullmatch(part.attributes.get("transform", ""))
    at = part.attributes
    if moved is None:
        return part
    x, y = moved.groups()
    circle = _CIRCLE.fullmatch(at.get("d", ""))
    if part.name == "text" and not part.children:
        new = {"x": x, "y": y}
    elif part.name == "line":
        part.name, new = "path", {"d": _line(x, y, at.get("x2", "0"), at.get("y2", "0"))}
        at = {name: value for name, value in at.items() if name not in ("x2", "y2")}
    elif part.name == "path" and circle is not None:
        part.name, new = "circle", {"cx": x, "cy": y, "r": circle[1]}
        del at["d"]
    elif moved.groups() == ("0", "0"):
        new = {}
    else:
        return part
    part.attributes = {key: value for key, value in (at | new).items() if key != "transform"}
    return part


def _line(x: str, y: str, across: str, down: str) -> str:
    """The path of a line from a place, so far across and down.

    >>> _line("1", "2.5", "-3", "0"), _line("1", "2.5", "3", "-4")
    ('M1,2.5h-3', 'M1,2.5l3,-4')
    """
    return f"M{x},{y}" + (f"h{across}" if down == "0" else f"v{down}" if across == "0" else f"l{across},{down}")


def _without_use(part: _Part) -> Iterator[_Part]:
    """The element, or nothing where nothing is seen."""
    at = part.attributes
    if at.get("stroke-width") is not None and "stroke" not in at and part.name != "g":
        del at["stroke-width"]
    if at.get("opacity") == "0" or (part.name == "path" and (not at.get("d") or not {"fill", "stroke"} & at.keys())):
        return
    if at.get("opacity") not in (None, "1") and part.name != "g" and ("fill" in at) != ("stroke" in at):
        kind = "fill-opacity" if "fill" in at else "stroke-opacity"
        at[kind] = _rounded(float(at.pop("opacity")) * float(at.get(kind, "1")), 2)
    if part.children or part.name != "g":
        yield part


def _flat(parts: Iterable[_Part]) -> Iterator[_Part]:
    """Elements without groups that say nothing."""
    for part in parts:
        part.children = list(_flat(part.children))
        if part.name == "g" and not part.attributes:
            yield from part.children
        else:
            yield part


def _with_halos(parts: Sequence[_Part]) -> Iterator[_Part]:
    """Texts that stand twice, first as the edges of their letters, once with these edges."""
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        edges = {name: part.attributes[name] for name in ("stroke", "stroke-width") if name in part.attributes}
        if after is not None and len(edges) == 2 and _words(part) and _words(part) == _words(after):
            after.attributes |= edges | {"stroke-linejoin": "round", "paint-order": "stroke"}
        else:
            yield part


def _words(part: _Part) -> list[str]:
    """The texts of a group of texts alone, or of a text."""
    texts = part.children if part.name == "g" else [part]
    return [text.text for text in texts] if all(text.name == "text" for text in texts) else []


def _gather(part: _Part) -> None:
    """Attributes that all parts of a group share stand at the group, and so do the runs of all its marks.

    What is not moved, bars and lines, is sorted by its paint: none of them covers another. Other marks of the same
    paint have a group where they follow each other.
    """
    for child in part.children:
        _gather(child)
    if part.name != "g" or len(part.children) < 2:
        return
    marks = part.children
    if all(child.name == "path" and "transform" not in child.attributes for child in marks):
        paints = [_paint(child) for child in marks]
        marks = sorted(marks, key=lambda child: paints.index(_paint(child)))
    alike = [list(children) for _, children in groupby(marks, _paint)]
    if 1 < len(alike) < len(marks) / 2:
        part.children = [_Part("g", {}, children) for children in alike]
        for child in part.children:
            _gather(child)
    if all(_RUN in child.attributes for child in part.children):
        part.attributes["data-runs"] = " ".join(child.attributes.pop(_RUN) for child in part.children)
    for name in _INHERITED:
        values = {child.attributes.get(name) for child in part.children}
        if len(values) == 1 and None not in values and name not in part.attributes:
            part.attributes[name] = values.pop() or ""
            for child in part.children:
                del child.attributes[name]


def _paint(part: _Part) -> tuple[str | None, str | None]:
    return part.attributes.get("fill"), part.attributes.get("stroke")


def _leave_out(part: _Part, inherited: Mapping[str, str]) -> None:
    """Attributes go that an element would have without them."""
    outer = _USUAL | dict(inherited)
    for name, value in list(part.attributes.items()):
        if (name in _INHERITED and outer.get(name) == value) or (name == "opacity" and value == "1"):
            del part.attributes[name]
    for child in part.children:
        _leave_out(child, outer | {name: value for name, value in part.attributes.items() if name in _INHERITED})
