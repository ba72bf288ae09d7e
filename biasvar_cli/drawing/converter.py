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


_started: list[subprocess.Popen[bytes]] = []  # at most one, which draws for the next converter


def start_early() -> None:
    """Start a process for the next `Converter`; where it fails, figures are drawn in this one."""
    if not _started:
        with contextlib.suppress(OSError):
            command, pipe = [sys.executable, "-P", __file__], subprocess.PIPE
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)  # noqa: S603
            _started.append(process)


class Converter:
    """Draws figures one after the other: in the process that was started early, if there is one."""

    def __init__(self) -> None:
        self._process = _started.pop() if _started else None
        self._ended = ""  # the signal that has ended it

    def svg_of(self, spec: dict[str, Any]) -> str:
        """A figure as SVG. Raises `ValueError` where it cannot be drawn, `ConverterEnded` where its process is gone."""
        if self._ended:
            raise ConverterEnded(self._ended)
        if self._process is None:
            return _svg_of(spec)
        line = self._answer(self._process, json.dumps(spec))
        if not line:
            process, self._process = self._process, None
            process.communicate()
            if process.returncode < 0:  # in this process it would end likewise
                self._ended = signal.Signals(-process.returncode).name
                raise ConverterEnded(self._ended)
            return _svg_of(spec)
        answer = json.loads(line)
        if "error" in answer:
            raise ValueError(answer["error"])
        return str(answer["svg"])

    @staticmethod
    def _answer(process: subprocess.Popen[bytes], line: str) -> bytes:
        """The line that a process writes for one; empty where it has ended."""
        if process.stdin is None or process.stdout is None:
            return b""
        with contextlib.suppress(OSError):
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        return process.stdout.readline()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.communicate()
            self._process = None


def svg_of(spec: dict[str, Any]) -> str:
    """One figure as SVG. Raises what `Converter.svg_of` raises."""
    with contextlib.closing(Converter()) as converter:
        return converter.svg_of(spec)


def _svg_of(spec: dict[str, Any]) -> str:
    import vl_convert

    return str(vl_convert.vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=[]))


def _answer_to(line: bytes) -> dict[str, str]:
    try:
        return {"svg": _svg_of(json.loads(line))}
    except ValueError as error:
        return {"error": str(error)}


if __name__ == "__main__":  # draw figures, one a line, for the process that has started this one, until it ends
    _svg_of({"mark": "point"})  # all is loaded now
    for typed in sys.stdin.buffer:
        sys.stdout.buffer.write(json.dumps(_answer_to(typed)).encode() + b"\n")
        sys.stdout.buffer.flush()
