"""How large the text of an input is, before it is read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from biasvar_cli.readers.sources import STDIN, is_url

_LARGE = 1 << 20  # bytes; smaller files are not worth a look inside
_PACKED = ((b"\x1f\x8b", 4), (b"BZh", 8), (b"\xfd7zXZ\x00", 8), (b"\x28\xb5\x2f\xfd", 5))  # text in a byte, about


def text_size(path: str) -> int:
    """About how many bytes of text an input has: of a compressed file an estimate, 0 where nothing is known.

    A gzip file ends with the size of its text, but for what is above 4 GB and for all but its last part; no run that
    is compressed 4 times is estimated below its size. Nothing is known of standard input, a URL, a pipe.

    >>> text_size("-"), text_size("s3://bucket/runs/bm25.gz")
    (0, 0)
    """
    if path == STDIN or is_url(path):
        return 0
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size < _LARGE:
            return found.st_size if stat.S_ISREG(found.st_mode) else 0
        with Path(path).open("rb") as file:
            start = file.read(6)
            file.seek(-4, os.SEEK_END)
            end = file.read(4)
    except OSError:
        return 0  # whoever reads it says what is wrong
    ratio = next((times for magic, times in _PACKED if start.startswith(magic)), 1)
    named = int.from_bytes(end, "little") if start.startswith(b"\x1f\x8b") else 0
    return max(ratio * found.st_size, named)
