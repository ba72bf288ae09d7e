"""``biasvar scores --means`` and ``bv.means``: a row a track, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import assert_refused, only, rows_of

import biasvar_cli as bv

# A on T1: (0.2 + 0.4) / 2, on T2: (0.6 + 0.3 + 0) / 3; B on T1: (0.5 + 1) / 2, on T2: (0.9 + 0.9 + 0) / 3
ONE, TWO = "AP,A,B\nq1,0.2,0.5\nq2,0.4,1\n", "AP,B,A\nq1,0.9,0.6\nq2,0.9,0.3\nq3,0,0\n"
MEANS = {"T2": {"A": 0.3, "B": 0.6}, "T1": {"A": 0.3, "B": 0.75}}


def shelf(folder: Path, **tracks: str) -> Path:
    """A manifest of files of scores, in the order given."""
    entries = []
    for year, (name, text) in enumerate(tracks.items(), 2001):
        (folder / f"{name}.csv").write_text(text)
        entries.append(f'[[track]]\ntrack = "{name}"\nyear = {year}\nscores = "{name}.csv"\n')
    path = folder / "shelf.toml"
    path.write_text("\n".join(entries))
    return path


def test_a_matrix_has_a_row_a_track_in_the_order_of_the_manifest(biasvar, tmp_path):
    out = biasvar("scores", shelf(tmp_path, T2=TWO, T1=ONE), "--means", "-f", "matrix").out
    head, *rows = (line.split(",") for line in out.splitlines())
    assert head == ["AP", "A", "B"]
    assert [row[0] for row in rows] == ["T2", "T1"]
    for track, *values in rows:
        assert dict(zip(head[1:], map(float, values), strict=True)) == pytest.approx(MEANS[track])


def test_the_other_formats_have_the_same_means(biasvar, tmp_path):
    path = shelf(tmp_path, T2=TWO, T1=ONE)
    expected = pytest.approx({(run, track): mean for track, row in MEANS.items() for run, mean in row.items()})
    for format_ in ("csv", "tsv"):
        _, *rows = biasvar("scores", path, "--means", "-f", format_).out.replace(",", "\t").splitlines()
        assert {(run, track): float(mean) for run, track, _, mean in map(str.split, rows)} == expected
    result = only(biasvar("scores", path, "--means", "-f", "json"))
    assert (result["measure"], result["queries"]) == ("AP", ["T2", "T1"])
    rows = [(row["run"], *pair) for row in result["runs"] for pair in zip(MEANS, row["scores"], strict=True)]
    assert {(run, track): mean for run, track, mean in rows} == expected


def test_the_matrix_is_input_to_decompose_as_bv_means_is(biasvar, tmp_path):
    path, kept = shelf(tmp_path, T2=TWO, T1=ONE), tmp_path / "means.csv"
    assert biasvar("scores", path, "--means", "-f", "matrix", "-o", kept).code == 0
    result = only(biasvar("decompose", kept, "-f", "json"))
    assert {each["run"]: each["mean"] for each in result["runs"]} == pytest.approx({"A": 0.3, "B": 0.675})
    means = bv.means(path)
    assert (means.measure, means.queries) == ("AP", ("T1", "T2"))
    assert bv.decompose(means).to_dict()["results"] == [result]


@pytest.mark.filterwarnings("ignore:scores of nothing but 0")
def test_scores_of_tracks_by_name_are_the_manifest_in_python():
    judged = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    runs = {"A": {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}, "B": {"q1": {"d1": 1.0}, "q2": {"d3": 1.0}}}
    first = {run: {"q1": documents["q1"]} for run, documents in runs.items()}
    tracks = {
        "MED": bv.evaluate(runs, judged, ["RR", "P@1"]),
        "NPL": bv.evaluate(first, {"q1": judged["q1"]}, ["RR", "P@1"]),
    }
    means = bv.means(tracks)
    assert means.measures == ("RR", "P@1")
    assert means["RR"].frame().loc["MED"].to_dict() == {"A": 0.75, "B": 1.0}
    assert bv.means(tracks, measure="P@1").frame().loc["NPL"].to_dict() == {"A": 0.0, "B": 1.0}


def test_inputs_of_one_track_are_one_row(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text(ONE)
    (row,) = biasvar("scores", tmp_path / "ap.csv", "--means", "-f", "matrix").out.splitlines()[1:]
    assert row.split(",")[0] == "ap.csv"
    words = ("sample_runs/rm.gz", "-q", "qrels/npl.qrels.txt", "-m", "map")
    means = rows_of(biasvar("scores", *words, "--means"))
    *_, overall = biasvar("scores", *words, "-f", "trec_eval").out.splitlines()
    assert [row["query_id"] for row in means] == ["npl.qrels.txt"]
    assert format(float(means[0]["score"]), ".4f") == overall.split()[-1]


def test_a_run_that_a_track_lacks_is_no_zero(biasvar, tmp_path):
    path = shelf(tmp_path, T1=ONE, T2="AP,A,C\nq1,0.9,0.6\nq2,0.5,0.5\n")
    result = biasvar("scores", path, "--means", "-f", "matrix")
    remedy = "; add them, or leave these runs out of all tracks"
    assert (result.code, result.out) == (1, "")
    assert f"track T1 has no scores of 1 run of other tracks: C{remedy}" in result.err
    assert f"track T2 has no scores of 1 run of other tracks: B{remedy}" in result.err
    with pytest.raises(bv.BiasVarError, match="track T2 has no scores of 1 run of other tracks: B"):
        bv.means(path)


def test_tracks_of_other_measures_are_refused(biasvar, tmp_path):
    result = biasvar("scores", shelf(tmp_path, T1=ONE, T2=TWO.replace("AP", "P@10")), "--means")
    assert (result.code, result.out) == (1, "")
    assert "track T1 has AP, track T2 P@10: means of different measures do not compare; name one with -m" in result.err


WRONG_USAGE = {
    ("docs/tracks.toml",): "docs/tracks.toml lists tracks; --means gives the mean of each run on each of them",
    ("docs/tracks.toml", "sample_runs", "--means"): "docs/tracks.toml: a manifest has to be the only input",
    ("docs/tracks.toml", "--means", "-q", "qrels/npl.qrels.txt"): "--qrels: docs/tracks.toml sets this",
    ("docs/tracks.toml", "--means", "-f", "trec_eval"): "--means: -f trec_eval has the scores of queries",
}


@pytest.mark.parametrize(("words", "reason"), WRONG_USAGE.items())
def test_what_cannot_be_asked_is_wrong_usage(biasvar, words, reason):
    assert_refused(biasvar("scores", *words), 2, reason)


def test_a_matrix_of_means_has_one_measure(biasvar):
    words = ("sample_runs/rm.gz", "-q", "qrels/npl.qrels.txt", "-m", "AP", "-m", "P@10")
    result = biasvar("scores", *words, "--means", "-f", "matrix")
    assert_refused(result, 2, "-f matrix holds one measure, found 2; choose one with -m")


@pytest.mark.parametrize("tracks", [{}, {"T1": [[0.5]]}])
def test_python_says_what_tracks_are(tracks):
    with pytest.raises(bv.BiasVarError, match=r"^tracks: expected the path of a manifest, or scores of evaluate"):
        bv.means(tracks)
