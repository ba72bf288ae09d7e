"""The oldest releases that pyproject.toml allows, as constraints for pip: a line ``name==floor`` for each floor.

Only the standard library is imported, since ``make lowest`` runs this before anything is installed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

_FLOOR = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*>=\s*([0-9][0-9A-Za-z.]*)")


def floors(requirements: Sequence[str]) -> list[str]:
    """A line for each requirement with a floor; one without a version has none. Raises `ValueError` for other limits.

    >>> floors(["numpy>=1.26", "pytest", "biasvar-cli[plot]", "numpy>=1.26"])
    ['numpy==1.26']
    >>> floors(["numpy>=1.26,<2"])
    Traceback (most recent call last):
    ValueError: numpy>=1.26,<2: expected a name, or name>=version
    """
    lines: dict[str, None] = {}
    for requirement in requirements:
        match = _FLOOR.fullmatch(requirement)
        if match is not None:
            lines[f"{match[1]}=={match[2]}"] = None
        elif re.search(r"[<>=!~;@]", requirement):
            raise ValueError(f"{requirement}: expected a name, or name>=version")
    return list(lines)


def requirements_of(project: Path) -> list[str]:
    """Everything that a pyproject.toml requires, its extras included."""
    declared = tomllib.loads(project.read_text("utf-8"))["project"]
    extras = declared["optional-dependencies"].values()
    return [*declared["dependencies"], *(requirement for extra in extras for requirement in extra)]


if __name__ == "__main__":
    print("\n".join(floors(requirements_of(Path(__file__).resolve().parents[1] / "pyproject.toml"))))
