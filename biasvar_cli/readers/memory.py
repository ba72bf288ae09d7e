"""How much memory this process may still take."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
_V2 = ("memory.max", "memory.current", "inactive_file")


def available_memory(root: Path = Path("/")) -> int | None:
    """The bytes that the machine has available, or a control group or a limit of this process allows; None if unknown.

    ``root`` is where ``proc`` and ``sys`` are. A system that does not say what is available has half of all available.
    """
    found = [*_machine(root), *_control_groups(root), *_address_space(root)]
    return max(0, min(found)) if found else None


def _machine(root: Path) -> Iterator[int]:
    fields = _fields(root / "proc" / "meminfo")
    if "MemAvailable" in fields:
        yield 1024 * fields["MemAvailable"]
    else:
        with contextlib.suppress(AttributeError, OSError, ValueError):
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _control_groups(root: Path) -> Iterator[int]:
    """What the control groups of this process leave, and those above them; in a container its own is the root."""
    top = root / "sys" / "fs" / "cgroup"
    for line in _text(root / "proc" / "self" / "cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers or "memory" in controllers.split(","):
            names, base = (_V1, top / "memory") if controllers else (_V2, top)
            group = base / path.lstrip("/")
            for folder in {base, group, *(each for each in group.parents if each.is_relative_to(base))}:
                yield from _left(folder, *names)


def _left(folder: Path, limit: str, usage: str, reclaimable: str) -> Iterator[int]:
    allowed, used = _text(folder / limit).strip(), _text(folder / usage).strip()
    if allowed.isdigit() and used.isdigit():
        yield int(allowed) - int(used) + _fields(folder / "memory.stat").get(reclaimable, 0)


def _address_space(root: Path) -> Iterator[int]:
    """What ``ulimit -v`` leaves."""
    try:
        import resource
    except ImportError:  # not a Unix
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _text(root / "proc" / "self" / "statm").split()
    if limit != resource.RLIM_INFINITY and pages:
        yield limit - int(pages[0]) * resource.getpagesize()


def _fields(path: Path) -> dict[str, int]:
    """The lines ``name value`` or ``name: value unit`` of a file that has whole numbers for values."""
    rows = [line.replace(":", " ").split() for line in _text(path).splitlines()]
    return {row[0]: int(row[1]) for row in rows if len(row) > 1 and row[1].isdigit()}


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
