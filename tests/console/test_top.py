"""``--top``: the first rows that people read, the same ones in every format, and no other number."""

from __future__ import annotations

import csv
import io
import json
import re

import pyarrow.parquet
import pytest
from conftest import ROOT

FEW = ("--samples", "100", "--splits", "5")
MODELS = (str(ROOT / "sample_models"), "--true", str(ROOT / "sample_models" / "true.tsv.gz"))
TABLES = {  # a command, the column that names its rows, and where JSON has them
    "decompose": (("decompose", "ap.csv", "--no-null"), "run", "runs"),
    "decompose -mean": (("decompose", "ap.csv", "--no-null", "--sort", "-mean"), "run", "runs"),
    "risk": (("risk", "ap.csv"), "run", "runs"),
    "risk queries": (("risk", "ap.csv", "--table", "queries"), "query_id", "queries"),
    "risk of a run": (("risk", "ap.csv", "--table", "run:rm"), "query_id", "queries"),
    "compare": (("compare", "ap.csv", *FEW), "run", "runs"),
    "compare total": (("compare", "ap.csv", *FEW, "--of", "total"), "run", "runs"),
    "compare pairs": (("compare", "ap.csv", *FEW, "--table", "pairs"), "run", "pairs"),
    "compare baseline": (("compare", "ap.csv", *FEW, "--baseline", "rm"), "run", "pairs"),
    "summary": (("summary", "ap.csv", "--samples", "100"), "run", "runs"),
    "models": (("models", *MODELS), "model", "models"),
    "target": (("target", "ap.csv"), "query_id", "queries"),
    "target runs": (("target", "ap.csv", "--table", "runs"), "run", "runs"),
    "sensitivity": (("sensitivity", "ap.csv"), "under", "targets"),
    "sensitivity runs": (("sensitivity", "ap.csv", "--table", "runs"), "run", "runs"),
    "sensitivity queries": (("sensitivity", "ap.csv", "--table", "queries"), "query_id", "queries"),
}
FORMATS = ("text", "markdown", "latex", "csv", "tsv", "json", "parquet")


def rows_in(path, form, column, key, top):
    """The names of the rows in a file of a format."""
    text = path.read_bytes().decode() if form != "parquet" else ""
    match form:
        case "parquet":
            return pyarrow.parquet.read_table(path)[column].to_pylist()
        case "json":
            return [row[column] for row in json.loads(text)["results"][0][key]]
        case "csv" | "tsv":
            return [row[column] for row in csv.DictReader(io.StringIO(text), delimiter=",\t"[form == "tsv"])]
        case "text":
            rows = text.partition("\n---")[2].splitlines()[1:]
        case "markdown":
            rows = [line.strip("| ") for line in text.splitlines() if line.startswith("| ")][1:]
        case _:
            rows = text.partition("\\midrule\n")[2].splitlines()
    return [re.split(r"\s|\\ | \||&", row.strip())[0] for row in rows[:top]]


@pytest.mark.parametrize("name", TABLES)
def test_the_same_rows_in_every_format(biasvar, sample_scores, tmp_path, monkeypatch, name):
    monkeypatch.chdir(sample_scores.parent)
    command, column, key = TABLES[name]
    found, whole = {}, {}
    path, forms = tmp_path / "top", FORMATS if name in ("decompose", "compare pairs") else ("text", "csv", "json")
    for form in forms:
        assert biasvar(*command, "--top", "3", "-f", form, "-o", path).code == 0
        found[form] = rows_in(path, form, column, key, 3)
    assert [len(rows) for rows in found.values()] == [3] * len(forms), found
    assert len(set(map(tuple, found.values()))) == 1, found
    for form in ("text", "json"):
        assert biasvar(*command, "-f", form, "-o", path).code == 0
        whole[form] = rows_in(path, form, column, key, None)
    assert whole["text"][:3] == found["csv"]  # the best, and no other than without --top
    assert len(whole["json"]) > 3
