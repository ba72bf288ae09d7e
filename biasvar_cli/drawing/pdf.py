"""A PDF with its objects in a fixed order: the converter writes them in an order of chance, which means nothing."""

from __future__ import annotations

import re
from itertools import pairwise

_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_ENTRIES = re.compile(rb"(?:^ *+/\w+ \d+ 0 R\n){2,}", re.MULTILINE)  # lines of a dictionary that name objects
_IN_USE = re.compile(rb"(\d{10}) \d{5} n")
_OBJECT = re.compile(rb"(\d+) 0 obj\n")


def in_order(pdf: bytes) -> bytes:
    """The same PDF, its objects numbered as they are met from the root, dictionaries of objects by their keys.

    Only the uncompressed form with one table of offsets, which the converter writes; what streams hold is not touched.

    >>> one = b"%PDF-1.7\\n2 0 obj\\n<</A 1 0 R>>\\nendobj\\n1 0 obj\\n(a)\\nendobj\\n"
    >>> one += b"xref\\n0 3\\n0000000000 65535 f \\n0000000037 00000 n \\n0000000009 00000 n \\n"
    >>> one += b"trailer\\n<</Size 3 /Root 2 0 R>>\\nstartxref\\n56\\n%%EOF"
    >>> in_order(one).split(b"xref")[0]
    b'%PDF-1.7\\n1 0 obj\\n<</A 2 0 R>>\\nendobj\\n2 0 obj\\n(a)\\nendobj\\n'
    """
    table = int(pdf[pdf.rindex(b"startxref\n") :].split(b"\n")[1])
    offsets = [int(place) for place in _IN_USE.findall(pdf, table)]
    bounds = [*sorted(offsets), table]
    objects: dict[int, tuple[bytes, bytes]] = {}
    for start, end in pairwise(bounds):
        head = _OBJECT.match(pdf, start)
        assert head is not None, "the table of offsets leads to objects"
        words, stream, data = pdf[head.end() : end].partition(b"stream\n")
        objects[int(head[1])] = (_ENTRIES.sub(_sorted, words), stream + data)
    trailer = pdf[pdf.index(b"trailer\n", table) : pdf.rindex(b"startxref\n")]
    number = {old: new for new, old in enumerate(_as_met(trailer, objects), 1)}

    def renumbered(text: bytes) -> bytes:
        return _REFERENCE.sub(lambda found: b"%d 0 R" % number[int(found[1])], text)

    parts, places = [pdf[: bounds[0]]], []
    for old, new in number.items():
        places.append(sum(map(len, parts)))
        words, data = objects[old]
        parts.append(b"%d 0 obj\n%s%s" % (new, renumbered(words), data))
    start = sum(map(len, parts))
    lines = [b"0000000000 65535 f \n", *(b"%010d 00000 n \n" % place for place in places)]
    size = re.sub(rb"/Size \d+", b"/Size %d" % len(lines), renumbered(trailer))
    return b"".join([*parts, b"xref\n0 %d\n" % len(lines), *lines, size, b"startxref\n%d\n%%%%EOF" % start])


def _as_met(trailer: bytes, objects: dict[int, tuple[bytes, bytes]]) -> list[int]:
    """The objects in the order in which references lead to them, the trailer's first."""
    met: dict[int, None] = {}
    waiting = [trailer]
    while waiting:
        for found in _REFERENCE.finditer(waiting.pop(0)):
            if int(found[1]) not in met:
                met[int(found[1])] = None
                waiting.append(objects[int(found[1])][0])
    return list(met)


def _sorted(entries: re.Match[bytes]) -> bytes:
    """Lines of a dictionary in order of their keys."""
    lines: list[bytes] = entries[0].splitlines(keepends=True)
    lines.sort(key=lambda line: line.split()[0])
    return b"".join(lines)
