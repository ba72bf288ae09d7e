"""Scores of runs that are read too, as PyTerrier leaves them: NAME.res.gz beside perquery.csv."""

import gzip

import pytest
from conftest import ROOT, rows_of

RUNS = ("orig", "rm", "rel-fb")
QRELS = str(ROOT / "qrels" / "npl.qrels.txt")


@pytest.fixture
def folder(biasvar, tmp_path):
    for run in RUNS:
        (tmp_path / f"{run}.res.gz").write_bytes((ROOT / "sample_runs" / f"{run}.gz").read_bytes())
    rows = rows_of(biasvar("scores", *(ROOT / "sample_runs" / f"{run}.gz" for run in RUNS), "-q", QRELS, "-f", "csv"))
    lines = [f"{row['run']},{row['query_id']},map,{row['score']}\n" for row in rows]
    (tmp_path / "perquery.csv").write_text("name,qid,measure,value\n" + "".join(lines))
    return tmp_path


def runs_of(result):
    return [row["run"] for row in rows_of(result)]


def test_a_system_is_one_run(biasvar, folder):
    result = biasvar("decompose", folder, "-q", QRELS, "-f", "csv")
    assert runs_of(result) == ["orig.res", "rel-fb.res", "rm.res"]
    assert "perquery.csv: the scores of orig, rel-fb, rm are those of runs that are read too" in result.err
    assert biasvar("decompose", folder, "-q", QRELS, "--strict").code == 1


def test_other_scores_and_other_systems_stay(biasvar, folder):
    path = folder / "perquery.csv"
    lines = path.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("orig,"))
    name, query, measure, value = lines[at].split(",")
    lines[at] = f"{name},{query},{measure},{float(value) + 0.01}"
    path.write_text("\n".join([*lines, *(line.replace("rm,", "new,") for line in lines if line.startswith("rm,")), ""]))
    result = biasvar("decompose", folder, "-q", QRELS, "-f", "csv")
    assert runs_of(result) == ["new", "orig", "orig.res", "rel-fb.res", "rm.res"]
    assert "the scores of rel-fb, rm are those" in result.err


def test_scores_beside_runs_of_the_pool_stay(biasvar, folder):
    runs = [folder / f"{run}.res.gz" for run in RUNS]
    result = biasvar(
        "decompose",
        folder / "perquery.csv",
        *(word for run in runs for word in ("--pool", run)),
        "-q",
        QRELS,
        "-f",
        "csv",
    )
    assert runs_of(result) == ["orig", "rel-fb", "rm"]


def test_a_run_that_is_cut_is_no_copy(biasvar, folder):
    path = folder / "rm.res.gz"
    text = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join(text[: len(text) // 2])))
    assert "rm" in runs_of(biasvar("decompose", folder, "-q", QRELS, "-f", "csv"))
