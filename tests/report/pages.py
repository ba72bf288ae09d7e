"""What tests of the page share: hostile names, and the tables of a page as records."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import write_scores

HOSTILE = (
    "<script>alert(1)</script>",
    '=HYPERLINK("http://example.org/","x")',
    "</script><img src=x onerror=alert(2)>",
    "+1 & {a_b}%$#~^\\",
    "{{ 7*7 }} ${1}",
    "@SUM(A1)",
    "-2 'quoted' \"twice\" |*`[x]",
    "naïve ρ² 検索",
)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """Scores of runs whose names are attacks on a page, a spreadsheet, LaTeX and markdown."""
    values = np.outer(np.arange(2, 2 + len(HOSTILE)), np.arange(1, 13)) % 13 / 13
    return write_scores(tmp_path_factory.mktemp("hostile") / "scores.csv", values.round(3), HOSTILE)


def records(data, key):
    """The rows of a table of the page, by the first of their names."""
    sheet = data["sheets"][key]
    rows = [dict(zip(sheet["columns"], row, strict=True)) for row in sheet["rows"]]
    return {row.get("run", row.get("track")): row for row in rows}
