"""The oldest releases that pyproject.toml allows, as constraints for pip: a line ``name==floor`` for each floor.

A requirement may have a second floor for newer versions of Python, for which older releases were never built. Only the
standard library is imported, because ``make lowest`` runs this before anything is installed.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

_FLOOR = re.compile(
    r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*>=\s*([0-9][0-9A-Za-z.]*)"
    r"(?:\s*;\s*python_version\s*>=\s*['\"]3\.([0-9]+)['\"])?"
)


def floors(requirements: Sequence[str], minor: int) -> list[str]:
    """A line for each requirement with a floor, for Python 3.``minor``; the last floor of a requirement holds.

    A requirement without a version has none. Raises `ValueError` for other limits.

    >>> needed = ["numpy>=1.26", "pytest", "biasvar-cli[plot]", "numpy>=2.1; python_version >= '3.13'"]
    >>> floors(needed, 12), floors(needed, 13)
    (['numpy==1.26'], ['numpy==2.1'])
    >>> floors(["numpy>=1.26,<2"], 12)
    Traceback (most recent call last):
    ValueError: numpy>=1.26,<2: expected a name, or name>=version
    """
    oldest: dict[str, str] = {}
    for requirement in requirements:
        match = _FLOOR.fullmatch(requirement)
        if match is not None:
            if int(match[3] or 0) <= minor:
                oldest[match[1]] = match[2]
        elif re.search(r"[<>=!~;@]", requirement):
            raise ValueError(f"{requirement}: expected a name, or name>=version")
    return [f"{name}=={version}" for name, version in oldest.items()]


def requirements_of(project: Path) -> list[str]:
    """Everything that a pyproject.toml requires, its extras included."""
    declared = tomllib.loads(project.read_text("utf-8"))["project"]
    extras = declared["optional-dependencies"].values()
    return [*declared["dependencies"], *(requirement for extra in extras for requirement in extra)]


if __name__ == "__main__":
    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    print("\n".join(floors(requirements_of(project), sys.version_info.minor)))
