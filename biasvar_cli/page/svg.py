"""The SVGs of the converter, made small for the page, with the colours of the style sheet and the runs of marks.

The converter writes nested groups, roles, typefaces and fifteen digits, which the page does not need. Numbers of places
have one decimal, and a group has the attributes that all its parts share.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    """An element of the drawing, with the attributes that the page needs."""

    name: str
    attributes: dict[str, str]
    children: "list[_Part]" = field(default_factory=list)
    text: str = ""

    def written(self) -> Iterator[str]:
        """The text of the element, in pieces."""
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
    """How to change a drawing for the page.

    ``label`` is its text for screen readers, and ``key`` begins its ids. ``colours`` maps its colours to the page's.
    ``places`` maps names of runs, which describe the marks, to their indices in the names of the page.
    """

    label: str
    key: str
    colours: Mapping[str, str]
    places: Mapping[str, int]


def for_page(drawing: str, kind: str, looks: Looks) -> Markup:
    """A drawing of the converter for the page, with the class ``kind``."""
    root = ElementTree.fromstring(drawing)  # noqa: S314 - the text is the converter's, not a user's
    ids: dict[str, str] = {}
    background = root.find("{*}rect")
    if background is not None:
        root.remove(background)
    parts = list(_parts(root, lambda old: ids.setdefault(old, f"{looks.key}-{len(ids)}"), looks))
    for part in parts:
        _gather(part)
        _leave_out(part, {"fill": "black", "stroke": "none"})
        part.children = list(_flat(part.children))
    attributes = {"class": f"picture {kind}", "viewBox": root.attrib["viewBox"], "role": "img"}
    return Markup("".join(_Part("svg", attributes | {"aria-label": looks.label}, parts).written()))  # noqa: S704


def _parts(element: ElementTree.Element, renamed: Callable[[str], str], looks: Looks) -> Iterator[_Part]:
    """The parts that the page needs of the children of an element."""
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
        part = _untranslated(_Part(name, attributes, parts, (child.text or "").strip("\n")))
        yield from [part] if element.tag.endswith("clipPath") else _visible(part)


def _short(number: re.Match[str]) -> str:
    """A number with one decimal, without needless zeros.

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


def _untranslated(part: _Part) -> _Part:
    """The element with coordinates in place of a translation; a path that is a circle becomes one."""
    moved = _TRANSLATED.fullmatch(part.attributes.get("transform", ""))
    attributes = part.attributes
    if moved is None:
        return part
    x, y = moved.groups()
    circle = _CIRCLE.fullmatch(attributes.get("d", ""))
    if part.name == "text" and not part.children:
        new = {"x": x, "y": y}
    elif part.name == "line":
        part.name, new = "path", {"d": _line(x, y, attributes.get("x2", "0"), attributes.get("y2", "0"))}
        attributes = {name: value for name, value in attributes.items() if name not in ("x2", "y2")}
    elif part.name == "path" and circle is not None:
        part.name, new = "circle", {"cx": x, "cy": y, "r": circle[1]}
        del attributes["d"]
    elif moved.groups() == ("0", "0"):
        new = {}
    else:
        return part
    part.attributes = {key: value for key, value in (attributes | new).items() if key != "transform"}
    return part


def _line(x: str, y: str, across: str, down: str) -> str:
    """The path of a line that starts at a point and goes so far across and down.

    >>> _line("1", "2.5", "-3", "0"), _line("1", "2.5", "3", "-4")
    ('M1,2.5h-3', 'M1,2.5l3,-4')
    """
    return f"M{x},{y}" + (f"h{across}" if down == "0" else f"v{down}" if across == "0" else f"l{across},{down}")


def _visible(part: _Part) -> Iterator[_Part]:
    """The element, or nothing if it is invisible; the opacity of an element with one paint moves to the paint."""
    attributes = part.attributes
    opacity, has_fill, has_stroke = attributes.get("opacity"), "fill" in attributes, "stroke" in attributes
    if not has_stroke and part.name != "g":
        attributes.pop("stroke-width", None)
    if opacity == "0" or (part.name == "path" and (not attributes.get("d") or not (has_fill or has_stroke))):
        return
    if opacity not in (None, "1") and part.name != "g" and has_fill != has_stroke:
        kind = "fill-opacity" if has_fill else "stroke-opacity"
        attributes[kind] = _rounded(float(attributes.pop("opacity")) * float(attributes.get(kind, "1")), 2)
    if part.children or part.name != "g":
        yield part


def _flat(parts: Iterable[_Part]) -> Iterator[_Part]:
    """The elements, with the children of a group without attributes in its place."""
    for part in parts:
        part.children = list(_flat(part.children))
        if part.name == "g" and not part.attributes:
            yield from part.children
        else:
            yield part


def _gather(part: _Part) -> None:
    """Move attributes that all parts of a group share to the group, and also the runs of its marks.

    Bars and lines are sorted by their paint first, for none covers another. Successive marks of the same paint get a
    group.
    """
    for child in part.children:
        _gather(child)
    if part.name != "g" or len(part.children) < 2:
        return
    marks = part.children
    if all(child.name == "path" and "transform" not in child.attributes for child in marks):
        paints = [_paint(child) for child in marks]
        marks = sorted(marks, key=lambda child: paints.index(_paint(child)))
    of_one_paint = [list(children) for _, children in groupby(marks, _paint)]
    if 1 < len(of_one_paint) < len(marks) / 2:
        part.children = [_Part("g", {}, children) for children in of_one_paint]
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
    """Remove attributes with the value that the element inherits, or has by default."""
    outer = _USUAL | dict(inherited)
    for name, value in list(part.attributes.items()):
        if (name in _INHERITED and outer.get(name) == value) or (name == "opacity" and value == "1"):
            del part.attributes[name]
    for child in part.children:
        _leave_out(child, outer | {name: value for name, value in part.attributes.items() if name in _INHERITED})
