"""``biasvar tracks``: a shelf of tracks, trends, broken tracks, and what --resume takes over."""

from __future__ import annotations

import io
import json
import os
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT, SAMPLE_TEAMS, only, rows_of, unix

from biasvar_cli.analyses.tracks import HEADS
from biasvar_cli.analyses.tracks import answer as module
from biasvar_cli.analyses.tracks.answer import SeriesTrend, fingerprint
from biasvar_cli.analyses.tracks.table import trend_note, verdict_notes
from biasvar_cli.decomposition import Design
from biasvar_cli.readers import manifest, sources
from biasvar_cli.readers.manifest import read_manifest
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.stats.correlation import Correlations, trend
from biasvar_cli.tables.rounding import in_words

YEARS = (1994, 1996, 1997, 1999)


def matrix(values, *, numbered="run"):
    """A score matrix of runs (columns) and queries (rows), as a file has it."""
    head = ",".join(["AP", *(f"{numbered}{run}" for run in range(len(values[0])))])
    return "\n".join([head, *(f"{query},{','.join(map(repr, row))}" for query, row in enumerate(values.tolist(), 1))])


def entry(track, year, *keys):
    """A track of a manifest, with the scores in the file of its year; other keys follow."""
    return "\n".join([f'[[track]]\ntrack = "{track}"\nyear = {year}\nscores = "{year}.csv"', *keys, ""])


@pytest.fixture
def shelf(written):
    """Four made-up tracks of 6 to 9 runs on 12 queries, in one series."""
    rng = np.random.default_rng(0)
    for year, n_runs in zip(YEARS, (6, 7, 8, 9), strict=True):
        ability, ease = rng.random(n_runs)[:, None], rng.random(12)
        written(matrix((ability * ease * rng.random((n_runs, 12))).T), f"{year}.csv")
    return written("\n".join(entry(f"T{year}", year, 'series = "ad hoc"') for year in YEARS), "shelf.toml")


@pytest.fixture
def lone(shelf, written):
    """The first of the tracks alone, in no series."""
    return written(entry("T", 1994), "lone.toml")


def test_each_track_has_the_correlations_that_tradeoff_prints(biasvar, shelf):
    found = only(biasvar("tracks", shelf, "-f", "json", "--subset-size", 4))["tracks"]
    assert [(row["year"], row["n_runs"]) for row in found] == list(zip(YEARS, (6, 7, 8, 9), strict=True))
    for row in found:
        one = only(biasvar("tradeoff", shelf.parent / f"{row['year']}.csv", "-f", "json", "--subset-size", 4))
        assert (row["n_queries"], row["target_mean"]) == (12, one["target"]["mean"])
        for each in (each for each in one["rows"] if each["form"] == "score"):
            normalised = each["normalised"] and each["sampling"] == "difficulty"
            name = "normalised" if normalised else each["sampling"]
            if f"{name}_pearson" in row and each["normalised"] == normalised:
                for coefficient in ("pearson", "spearman", "kendall"):
                    assert row[f"{name}_{coefficient}"] == each[coefficient], (row["track"], name)


def test_rarefied_target_is_of_as_many_runs_as_the_smallest_track_has(biasvar, said, shelf):
    for row in only(biasvar("tracks", shelf, "-f", "json"))["tracks"]:
        curve = only(biasvar("target", shelf.parent / f"{row['year']}.csv", "-f", "json"))["rarefied"]
        assert row["target_rarefied"] == pytest.approx(curve[5]["mean"], abs=1e-15)
        assert (row["target_rarefied"] == row["target_mean"]) == (row["n_runs"] == 6)
    text = said("tracks", shelf, "--wide", "--notes", "full")
    assert "as expected of as many runs as the smallest track of the series has" in text
    assert "target_rarefied" in text.partition(" --- ")[0]
    assert "target_mean" not in text
    assert "target_mean" in said("tracks", shelf, "--columns", "target_mean")


def test_trends_are_of_each_series_with_the_normalised_first(biasvar, shelf):
    found = only(biasvar("tracks", shelf, "-f", "json"))
    assert len(found["trends"]) == 13
    assert found["trends"][0]["quantity"] == "normalised_pearson"
    for row in found["trends"]:
        values = [track[row["quantity"]] for track in found["tracks"]]
        signs = [np.sign(b - a) for i, a in enumerate(values) for b in values[i + 1 :]]
        assert row["tau"] == pytest.approx(sum(signs) / 6)
        assert row["n_years"] == 4
        assert row["least_p"] == pytest.approx(2 / 24)


def test_measures_are_never_mixed_in_a_trend(biasvar, shelf):
    (shelf.parent / "1999.csv").write_text((shelf.parent / "1999.csv").read_text().replace("AP,", "P@5,", 1))
    found = only(biasvar("tracks", shelf, "-f", "json"))
    assert {(row["measure"], row["n_years"]) for row in found["trends"]} == {("AP", 3), ("P@5", 1)}


def test_csv_holds_one_table_and_text_both(biasvar, said, shelf):
    assert [row["track"] for row in rows_of(biasvar("tracks", shelf, "-f", "csv"))] == [f"T{year}" for year in YEARS]
    assert len(rows_of(biasvar("tracks", shelf, "-f", "csv", "--table", "trends"))) == 13
    text = said("tracks", shelf)
    assert text.startswith(
        "AP of 4 tracks (ad hoc, 1994 to 1999), 6 to 9 runs on 12 queries each. Virtual target: best."
    )
    assert "(a) tau" not in text
    assert "Trends over" not in text
    assert "(a) tau" in said("tracks", shelf, "--correlation", "kendall")
    assert "Trends over the years of a series" in said("tracks", shelf, "--notes", "full")


def test_text_answers_and_has_the_range_of_the_null_models_beside_single_queries(biasvar, said, shelf):
    text = said("tracks", shelf)
    assert "No verdict on T1994, T1996, T1997 and T1999. A negative r alone shows no tradeoff" in text
    null = only(biasvar("tracks", shelf, "-f", "json"))["null"]
    assert {each["model"] for each in null} == {"means", "shuffled"}
    ranges = {(each["track"], each["model"], each["quantity"]): (each["low"], each["high"]) for each in null}
    low, high = ranges["T1994", "means", "single_pearson"]
    assert f"[{low:+.4f}, {high:+.4f}]" in text
    assert "shuffled" not in text
    assert "shuffled" in said("tracks", shelf, "--table", "null")


def test_a_broken_track_is_reported_and_the_others_are_done(biasvar, shelf):
    (shelf.parent / "1996.csv").write_text("AP,a,b\n1,x,0.2\n")
    (shelf.parent / "1997.csv").unlink()
    result = biasvar("tracks", shelf, "-f", "json")
    found = only(result, code=1)
    assert [row["track"] for row in found["tracks"]] == ["T1994", "T1999"]
    assert [each["track"] for each in found["errors"]] == ["T1996", "T1997"]
    assert "biasvar: error: track T1996: " in result.err
    assert "1996.csv:2: " in result.err
    assert f"biasvar: error: track T1997: there is no such file: {shelf.parent}/1997.csv" in result.err
    assert "2 tracks could not be computed: T1996 and T1997." in biasvar("tracks", shelf).out


def test_nothing_is_written_where_every_track_is_broken(biasvar, shelf):
    for year in YEARS:
        (shelf.parent / f"{year}.csv").unlink()
    out = shelf.parent / "out.json"
    result = biasvar("tracks", shelf, "-f", "json", "-o", out, "--resume")
    assert (result.code, result.out) == (1, "")
    assert not out.exists()


def test_same_bytes_whatever_jobs_and_order_of_the_manifest(biasvar, shelf):
    plain = biasvar("tracks", shelf, "-f", "json", "--jobs", 1).out
    assert biasvar("tracks", shelf, "-f", "json", "--jobs", 4).out == plain
    shelf.write_text("\n\n".join(shelf.read_text().split("\n\n")[::-1]))
    assert biasvar("tracks", shelf, "-f", "json").out == plain


@pytest.fixture
def computed(monkeypatch):
    """The names of the tracks that are computed, not taken over."""
    names = []
    compute = module._compute

    def counting(track, *others):
        names.append(track.name)
        return compute(track, *others)

    monkeypatch.setattr(module, "_compute", counting)
    return names


def test_resume_computes_what_has_changed_and_nothing_else(biasvar, shelf, computed):
    out = shelf.parent / "out.json"
    arguments = ("tracks", shelf, "-f", "json", "-o", out, "--resume", "--jobs", 1)

    def run(*options):
        computed.clear()
        assert biasvar(*arguments, *options).code == 0
        return list(computed)

    everything = [f"T{year}" for year in YEARS]
    assert run() == everything
    first = out.read_bytes()
    assert run() == []
    assert out.read_bytes() == first
    out.unlink()
    assert run() == []  # the results are kept beside the output
    assert out.read_bytes() == first
    path = shelf.parent / "1996.csv"
    path.write_text(path.read_text().replace("0.", "0.0", 1))
    assert run() == ["T1996"]
    assert run("--difficulty", "mean") == everything
    shelf.write_text(shelf.read_text().replace("year = 1994", "year = 1993"))
    assert run("--difficulty", "mean") == ["T1994"]


FILES_OF_KEYS = {  # a file for each key of a manifest that names one
    "qrels": "1 0 d 1\n2 0 d 1\n3 0 d 1\n4 0 d 1\n",
    "teams": "run,team\na,x\nb,y\nc,z\n",
    "topics": "1\n2\n3\n",
    "target": "query_id,score\n1,1\n2,1\n3,1\n4,1\n",
}


@pytest.fixture
def track_of_files(written):
    """A manifest whose track names a file by every key that can, and whose matrix has a file of names beside it."""
    for key, text in FILES_OF_KEYS.items():
        written(text, key)
    written("AP,a,b,c\n1,.1,.2,.6\n2,.3,.5,.4\n3,.2,.9,.1\n4,.7,.1,.8\n", "1994.csv")
    keys = [f'{key} = "{"file:" if key == "target" else ""}{key}"' for key in FILES_OF_KEYS]
    return written(entry("T", 1994, *keys), "m.toml")


def test_every_key_that_names_a_file_is_in_the_track_of_files():
    texts = ("file:x", "x")
    keys = {
        key for key, rule in manifest._RULES.items() if any(rule.allows(text) and rule.file(text) for text in texts)
    }
    assert keys == set(FILES_OF_KEYS)


def test_every_file_that_is_read_for_a_track_decides_its_fingerprint(biasvar, track_of_files, monkeypatch):
    (track,) = read_manifest(str(track_of_files)).tracks
    read, raw = [], sources._raw
    monkeypatch.setattr(sources, "_raw", lambda path, most: read.append(path) or raw(path, most))
    assert biasvar("tracks", track_of_files, "--no-null").code == 0
    assert set(read) == {*track.contents, str(track_of_files)}


def test_resume_computes_again_where_the_names_beside_a_matrix_change(biasvar, written, computed):
    written("0.5 0.25 .1\n1.0 0.5 .2\n.3 .4 .2\n.1 .2 .3\n", "ap.mat")
    written("run,team\n1,x\n2,y\n3,y\na,x\nb,x\nc,x\n", "teams.csv")
    keys = ('measure = "AP"', 'orient = "queries"', 'teams = "teams.csv"')
    path = written(entry("T", 1994, *keys).replace("1994.csv", "ap.mat"), "m.toml")

    def n_teams():
        out = path.with_name("o.json")
        assert biasvar("tracks", path, "-f", "json", "--resume", "--no-null", "-o", out).code == 0
        (row,) = json.loads(out.read_text())["results"][0]["tracks"]
        return row["n_teams"]

    assert n_teams() == 2
    for names, number in (("a\nb\nc\n", 1), ("a\nb\n2\n", 2)):
        written(names, "ap.mat.runs")
        assert n_teams() == number
    assert computed == ["T"] * 3


def test_resume_gives_the_bytes_of_a_fresh_computation(biasvar, shelf):
    fresh, again = shelf.parent / "fresh.json", shelf.parent / "again.json"
    biasvar("tracks", shelf, "-f", "json", "-o", again, "--resume")
    path = shelf.parent / "1999.csv"
    path.write_text(path.read_text().replace("0.", "0.0", 3))
    biasvar("tracks", shelf, "-f", "json", "-o", again, "--resume")
    biasvar("tracks", shelf, "-f", "json", "-o", fresh)
    assert again.read_bytes() == fresh.read_bytes()


def test_results_of_a_track_that_is_broken_for_a_while_are_kept(biasvar, shelf, computed):
    out = shelf.parent / "out.json"
    arguments = ("tracks", shelf, "-f", "json", "-o", out, "--resume", "--jobs", 1)
    assert biasvar(*arguments).code == 0
    before = out.read_bytes()
    for year in YEARS:
        (shelf.parent / f"{year}.csv").rename(shelf.parent / f"{year}.away")
    assert biasvar(*arguments).code == 1
    assert out.read_bytes() == before
    for year in YEARS:
        (shelf.parent / f"{year}.away").rename(shelf.parent / f"{year}.csv")
    computed.clear()
    assert biasvar(*arguments).code == 0
    assert computed == []


def test_tracks_without_a_verdict_are_counted_apart(biasvar, said, written):
    rng = np.random.default_rng(0)
    shapes = {1994: (12, 20), 1995: (12, 20), 1996: (4, 20), 1997: (12, 12)}  # the last two are too small for one
    for year, (n_runs, n_queries) in shapes.items():
        written(matrix(rng.beta(np.arange(1, n_runs + 1), 9, (n_queries, n_runs)).round(4)), f"{year}.csv")
    path = written("\n".join(entry(f"T{year}", year, 'series = "s"') for year in shapes), "m.toml")
    text = said("tracks", path, "--null-samples", 100)
    assert "No evidence of a tradeoff in either of 2 tracks. No verdict on T1996 and T1997. Pearson's r" in text
    rows = only(biasvar("tracks", path, "-f", "json", "--null-samples", 100))["null"]
    single = [row for row in rows if (row["quantity"], row["model"]) == ("single_pearson", "means")]
    assert [row["verdict"] for row in single] == ["none", "none", None, None]
    assert [row["p"] is None for row in single] == [False, False, True, True]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"tracks": [{}]}', '{"tracks": [{"fingerprint": 1}]}', "\x00"])
def test_resume_with_a_spoilt_state_computes_everything_and_says_so(biasvar, shelf, computed, text):
    out = shelf.parent / "out.json"
    (shelf.parent / "out.json.state.json").write_text(text)
    result = biasvar("tracks", shelf, "-f", "json", "-o", out, "--resume")
    assert result.code == 0
    assert len(computed) == 4
    assert "everything is computed again" in result.err


@unix
def test_runs_with_qrels_and_a_team_map(biasvar, refused, written, tmp_path):
    written(SAMPLE_TEAMS, "teams.csv")
    (tmp_path / "runs").symlink_to(ROOT / "sample_runs")
    (tmp_path / "qrels").symlink_to(ROOT / "qrels" / "npl.qrels.txt")
    keys = ('qrels = "qrels"', 'measure = "nDCG@10"', 'teams = "teams.csv"')
    path = written(entry("sample", 2026, *keys).replace('scores = "2026.csv"', 'runs = "runs"'), "m.toml")
    result = biasvar("tracks", path, "-f", "json")
    (row,) = only(result)["tracks"]
    assert (row["measure"], row["n_runs"], row["n_teams"]) == ("nDCG@10", 22, 5)
    assert json.loads(result.out)["notices"] == ["sample: 22 runs have tied retrieval scores, broken by document id"]
    assert result.err == ""
    written("run,team\nrm,rm\n", "teams.csv")
    refused(1, "track sample: ", "tracks", path)
    refused(1, "teams.csv: no team for 21 runs: comb-0.1", "tracks", path)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--resume", 2, "--resume needs -o FILE"),
        ("--subset-size 5,10", 2, "'5,10' is not a valid integer"),
        ("--subset-size 13", 1, "track T1994: --subset-size 13 is more than there are: 12 queries"),
        ("--groups groups.csv", 2, "no such option"),
        ("--sort size", 2, "--sort size: there is no column size; the columns are"),
        ("--no-null --table null", 2, "--table null shows the null models, which --no-null leaves out"),
        ("-f csv --null", 2, "--table null has them"),
    ],
)
def test_bad_options_are_refused(refused, shelf, options, code, message):
    refused(code, message, "tracks", shelf, *options.split())


def test_a_qrels_file_called_as_a_word_of_topics_is_part_of_what_a_result_depends_on(written, monkeypatch):
    monkeypatch.chdir(written("1 Q0 a 1 1.0 bm25\n", "run").parent)
    written(entry("A", 2000, 'qrels = "qrels"').replace('scores = "2000.csv"', 'runs = "run"'), "shelf.toml")
    fingerprints = set()
    for grade in (0, 1):
        written(f"1 0 a {grade}\n", "qrels")
        fingerprints.add(fingerprint(read_manifest("shelf.toml").tracks[0], Design()))
    assert len(fingerprints) == 2


def test_text_says_whether_so_few_years_can_show_a_trend(said, shelf):
    # four years without ties: two of the 4! orders are as extreme as a rising one, so p is at least 2 / 24
    assert "No trend can be shown: with 4 years no p is below 0.08." in said("tracks", shelf)


def test_trends_beyond_chance_are_named():
    years = list(range(2000, 2006))
    rising, level = trend(years, np.arange(6.0)), trend(years, np.array([1.0, 3, 2, 2.5, 1.5, 2.2]))
    rises = SeriesTrend("web", "AP", "best", "single_pearson", rising)
    does_not = SeriesTrend("web", "AP", "best", "random_pearson", level)
    for found, words in (
        ([rises, does_not], "p below 0.05, of 2 quantities, each tested alone: (a) r rises (tau +1.00, p 0.003)."),
        ([does_not], "No trend over the years: the one quantity tested has no p below 0.05; "),
        ([does_not], f"(b) r has tau {level.tau:+.2f} with the year (p {level.p:.3f})."),
        ([does_not, does_not._replace(series="ad hoc")], "none of the 2 quantities, each tested alone, has p below"),
        ([rises._replace(series="ad hoc"), does_not], ": ad hoc: (a) r rises"),
    ):
        assert words in in_words(trend_note(found), 4)


def _judged(name, verdict, r, low=-0.9, high=-0.5):
    """A track whose null models give a range of r over single queries, and a verdict."""
    beside, correlations = {"verdict": verdict, "pearson": {"low": low, "high": high}}, Correlations(r, r, r)
    return SimpleNamespace(track=name, beside_single=beside, correlations={"single": correlations})


def test_tradeoffs_and_the_sides_of_the_null_models_are_counted():
    tracks = [_judged("A", "stronger", -0.95), _judged("B", "weaker", -0.2), _judged("C", "none", -0.7)]
    tracks += [_judged("D", None, 0.1), _judged("E", "stronger", 0.1, low=0.2, high=0.3)]
    answer = SimpleNamespace(whole=tracks, request=SimpleNamespace(null=NullRequest()))
    first, second = (in_words(note, 4) for note in verdict_notes(answer))
    assert first.partition("? ")[2] == (
        "Tradeoff in 1 of 4 tracks (A): r is more negative than differences in means explain. In B r is less negative "
        "than differences in means explain. No verdict on D."
    )
    assert second == (
        "Pearson's r over single queries (a) is negative in 3 of 5 tracks. It lies within the range of its null models "
        "in 1, above it in 2 (B and D) and below it in 2 (A and E)."
    )


def test_one_track_is_named(biasvar, said, lone):
    text = biasvar("tracks", lone).out
    assert text.startswith("AP of 1 track (1994), 6 runs on 12 queries. Virtual target: best.\n")
    assert "No verdict on T. " in " ".join(text.split())
    assert "Trend not computed: a series needs at least 3 years and values that differ.\n" in text
    assert "T: a verdict needs 10 runs, found 6." in said("tracks", lone, "--notes", "full")
    assert "tau in 3 null models" in said("tracks", lone, "--correlation", "kendall")


@pytest.mark.parametrize(
    ("options", "column"),
    [
        (("--sort", "-n_runs"), "track"),
        (("--table", "null", "--correlation", "kendall"), "quantity"),
        (("--table", "trends", "--sort", "tau"), "quantity"),
    ],
)
def test_the_same_rows_in_every_format_with_top(biasvar, shelf, options, column):
    arguments, table = ("tracks", shelf, *options, "--top", 2), options[1] if "--table" in options else "tracks"
    rows = [row[column] for row in rows_of(biasvar(*arguments, "-f", "csv"))]
    text = biasvar(*arguments, "--columns", column).out.partition("\n---")[2].partition("\n\n")[0]
    assert len(rows) == 2
    heads = {name: head.split()[-1] for name, head in (HEADS if table == "null" else {}).items()}
    assert [line.split()[-1] for line in text.split("\n")[1:]] == [heads.get(name, name) for name in rows]
    whole, found = (only(biasvar("tracks", shelf, *more, "-f", "json")) for more in ((), (*options, "--top", 2)))
    assert [row[column] for row in found[table]] == rows
    assert {key for key in whole if whole[key] != found[key]} == {table}


# ---- tracks without a year, and a manifest without a folder


def test_tracks_without_a_year_are_in_the_order_of_the_manifest_and_in_no_trend(biasvar, shelf):
    text = shelf.read_text().replace("T1999", "A1999")
    shelf.write_text("\n".join(line for line in text.splitlines() if line not in ("year = 1994", "year = 1999")))
    found = only(biasvar("tracks", shelf, "-f", "json"))
    of_years, in_the_order_of_the_file = [("T1996", 1996), ("T1997", 1997)], [("T1994", None), ("A1999", None)]
    assert [(row["track"], row["year"]) for row in found["tracks"]] == of_years + in_the_order_of_the_file
    assert {row["n_years"] for row in found["trends"]} == {2}
    assert "Without a year, so in no trend: T1994 and A1999." in biasvar("tracks", shelf).out
    assert biasvar("plot", "trend", shelf, "--no-null", "-o", shelf.parent / "trend.json").code == 0


def test_a_manifest_without_years_has_no_trends(biasvar, shelf, undrawn):
    shelf.write_text("\n".join(line for line in shelf.read_text().splitlines() if not line.startswith("year")))
    found = only(biasvar("tracks", shelf, "-f", "json"))
    assert ([row["track"] for row in found["tracks"]], found["trends"]) == ([f"T{year}" for year in YEARS], [])
    assert biasvar("tracks", shelf).out.startswith("AP of 4 tracks (ad hoc), 6 to 9 runs on 12 queries each.")
    page = shelf.parent / "page.html"
    assert biasvar("report", shelf.parent / "1994.csv", "--manifest", shelf, "--no-null", "-o", page).code == 0
    assert '<section id="trend"' in page.read_text()


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_trends_of_which_none_is_defined_are_a_sentence(biasvar, shelf, form):
    shelf.write_text("\n\n".join(shelf.read_text().split("\n\n")[:2]))
    reason = "Trend not computed: a series needs at least 3 years and values that differ."
    shown = biasvar("tracks", shelf, "--table", "trends", "-f", form).out
    assert shown.count(reason) == 1
    assert "tau" not in shown
    assert biasvar("tracks", shelf, "--table", "trends", "-f", form, "--columns", "tau").out == shown
    assert " ".join(biasvar("tracks", shelf, "-f", form, "--notes", "full").out.split()).count(reason) == 1
    assert len(rows_of(biasvar("tracks", shelf, "--table", "trends", "-f", "csv"))) == 13


@unix
def test_paths_of_a_manifest_on_standard_input_or_a_pipe_are_from_the_current_folder(biasvar, shelf, monkeypatch):
    expected = biasvar("tracks", shelf, "-f", "csv").out
    monkeypatch.chdir(shelf.parent)
    for descriptor in (None, True):
        read, write = os.pipe()
        os.write(write, shelf.read_bytes())
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(pipe))
            assert biasvar("tracks", f"/dev/fd/{read}" if descriptor else "-", "-f", "csv").out == expected


def test_the_p_of_shuffled_scores_stands_beside_no_verdict(biasvar, written):
    """People see no p of shuffled scores, which is not that of the verdict; csv has it."""
    written(matrix(np.random.default_rng(3).random((16, 11)).round(3)), "2020.csv")
    path = written(entry("t", 2020, 'series = "s"'), "m.toml")
    arguments = ("tracks", path, "--table", "null", "--null-samples", 100, "--quiet")
    assert any(row["p"] for row in rows_of(biasvar(*arguments, "-f", "csv")) if row["model"] == "shuffled")
    lines = biasvar(*arguments, "--wide").out.splitlines()
    cells = [line.split() for line in lines if line.lstrip().startswith("2020 ") and " shuffled " in line]
    assert {tuple(row[-2:]) for row in cells} == {("-", "-")}
