"""Whether a tag names the version that the files of this checkout declare: ``python release/tag.py v1.2.0``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from biasvar_cli.words import VERSION

ROOT = Path(__file__).resolve().parents[1]


def disagreements(tag: str, version: str, citation: str, changelog: str) -> list[str]:
    """What does not have the version: the tag, CITATION.cff or CHANGELOG.md, each a sentence.

    >>> disagreements("v1.2.0", "1.2.0", "version: 1.2.0", "## 1.2.0 (2026-11-23)")
    []
    >>> disagreements("1.2.0", "1.2.0", "version: 1.1.0", "## Unreleased")[0]
    "the tag is '1.2.0', and the version is 1.2.0: expected the tag v1.2.0"
    """
    sentences = []
    if tag != f"v{version}":
        sentences.append(f"the tag is {tag!r}, and the version is {version}: expected the tag v{version}")
    if not re.search(rf"^version: {re.escape(version)}$", citation, re.MULTILINE):
        sentences.append(f"CITATION.cff has another version: expected the line 'version: {version}'")
    if not re.search(rf"^## {re.escape(version)}(?: |$)", changelog, re.MULTILINE):
        sentences.append(f"CHANGELOG.md has no section of this version: expected '## {version}'")
    return sentences


if __name__ == "__main__":
    texts = ((ROOT / name).read_text("utf-8") for name in ("CITATION.cff", "CHANGELOG.md"))
    if errors := disagreements(sys.argv[1] if len(sys.argv) > 1 else "", VERSION, *texts):
        sys.exit("\n".join(errors))
