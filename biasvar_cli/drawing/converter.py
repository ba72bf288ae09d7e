"""Vega-Lite to SVG. The converter takes half a second to start, which a process of its own does while data are read.

This file is also the program of that process, and so imports nothing of this package.
"""

import contextlib
import json
import signal
import subprocess
import sys
from typing import Any

_VEGA_LITE = "6.1"


class ConverterEnded(Exception):
    """The process that draws was ended by the signal of this name."""


_started: list[subprocess.Popen[bytes]] = []  # at most one, which draws one figure


def start_early() -> None:
    """Start a converter beside this process, for the next figure; where it fails, the figure is drawn in this one."""
    if not _started:
        with contextlib.suppress(OSError):
            command, pipe = [sys.executable, "-P", __file__], subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)  # noqa: S603
            _started.append(process)


def svg_of(spec: dict[str, Any]) -> str:
    """A figure as SVG. Raises `ValueError` where it cannot be drawn, `ConverterEnded` where its converter is gone."""
    if _started:
        process = _started.pop()
        output, _ = process.communicate(json.dumps(spec).encode())
        if process.returncode < 0:  # in this process it would end likewise
            raise ConverterEnded(signal.Signals(-process.returncode).name)
        if output and process.returncode == 0:
            answer = json.loads(output)
            if "error" in answer:
                raise ValueError(answer["error"])
            return str(answer["svg"])
    return _svg_of(spec)


def _svg_of(spec: dict[str, Any]) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=[]))


if __name__ == "__main__":  # draw one figure for the process that has started this one, unless it has ended without
    _svg_of({"mark": "point"})  # all is loaded now
    if drawn := sys.stdin.buffer.read():
        try:
            written = {"svg": _svg_of(json.loads(drawn))}
        except ValueError as error:
            written = {"error": str(error)}
        sys.stdout.buffer.write(json.dumps(written).encode())
