"""What the commands print of files after public reports of people who evaluate runs: what is right, not what was so.

The files are not in the repository. A case is a folder of ``../shared/cases`` beside the checkout, in which its command
is run; a test skips, saying so, where its folder is absent. What is right of each is by trec_eval, by hand, or a
message that names what is wrong and what to do.
"""

from __future__ import annotations

import csv
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import ROOT

FOLDER = ROOT.parent / "shared" / "cases"


class Case(NamedTuple):
    """A command in a folder, its exit code, and what it ``says`` on standard output or error, as one line.

    It says none of ``never``. ``scores`` are the numbers in a ``column`` of the csv that it prints, to four decimals.
    """

    folder: str
    command: str
    code: int
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    column: str = "score"


CASES = (
    Case(
        "01-empty-relevance-set",  # t2, of which nothing is judged, is left out
        "scores distinctA.json distinctB.json -q distinct-qrels.json -m AP",
        0,
        scores=(0.5, 7 / 12, 1, 1, 1, 0.5),
    ),
    Case("02-float-grades", "scores x.run -q integers.qrels -m nDCG", 0, scores=(0.630930, 0.619906)),
    Case("03-hash-docids", "scores r.run -q qrels.txt -m 'nDCG AP'", 0, scores=(0.6697, 1, 0.5833, 1)),
    Case("03-hash-docids", "scores hashtopic.run -q hashtopic.qrels -m AP", 0, scores=(0.5, 1)),
    Case("03-hash-docids", "scores r.run -q qrels-suffixed.txt", 1, ("no topic in common", "2024-105, ", "2024-105.1")),
    Case("22-means-without-queries", "compare means.csv", 1, ("has only averages",)),
    Case("22-means-without-queries", "compare all-only.eval all-only2.eval", 1, ("has only the averages",)),
    Case("31-windows-files", "scores utf8.run -q utf8bom.qrels -m RR", 0, scores=(1, 0.5)),
    Case("31-windows-files", "scores nfd.run -q utf8bom.qrels -m RR", 0, ("not judged", "scored 0"), scores=(1, 0)),
    Case("31-windows-files", "scores cp1252.run -q utf8bom.qrels", 1, ("cp1252.run:1: ", "save it as UTF-8")),
    Case("31-windows-files", "scores utf16.run -q utf8bom.qrels", 1, ("UTF-16", "save it as UTF-8")),
    Case("31-windows-files", "compare decimal-comma.eval", 1, ("write it with a point",)),
    Case("32-spaces-in-runs", "scores tagspace.run -q qrels.txt -m RR", 0, ("beyond the sixth",), scores=(0.5, 1)),
    Case(
        "33-baseline-twice",
        "compare base.eval sysA.eval sysB.eval base.eval --baseline base -m ndcg_cut_10",
        0,
        ("nDCG@10 of 3 runs on 25 queries",),
    ),
    Case("41-shared-candidates", "scores pop.run knn.run -q items.qrels -m nDCG@10", 0),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.folder[:2]}: {case.command}")
def test_cases(biasvar, monkeypatch, case):
    folder: Path = FOLDER / case.folder
    if not folder.is_dir():
        pytest.skip(f"{case.folder} is not in {FOLDER}")
    monkeypatch.chdir(folder)
    result = biasvar(*shlex.split(case.command))
    text = " ".join((result.out + result.err).split())
    assert result.code == case.code, text
    assert all(words in text for words in case.says), text
    assert not any(words in text for words in case.never), text
    if case.scores:
        rows = [float(row[case.column]) for row in csv.DictReader(result.out.splitlines())]
        assert rows == pytest.approx(list(case.scores), abs=5.1e-5)  # as trec_eval prints
