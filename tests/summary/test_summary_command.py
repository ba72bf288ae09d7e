"""``biasvar summary``: means, marks, tracks, names, what it looks like, and what it refuses."""

from __future__ import annotations

import json
import re
import statistics

import pytest
from conftest import SAMPLE, SYSTEMS_RUNS, only, rows_of

import biasvar_cli as bv

FEW = ("--samples", 500)
MEASURES = ("-m", "AP", "-m", "P@10")


def matrix(path, measure, scores):
    """A file of scores, a run a key; returns its path."""
    rows = enumerate(zip(*scores.values(), strict=True), 1)
    lines = [",".join([f"q{number}", *map(str, row)]) for number, row in rows]
    path.write_text("\n".join([",".join([measure, *scores]), *lines]) + "\n")
    return path


def near(*means, n_queries=14):
    """Runs r0, r1, ... whose scores vary little around these means, which they have on 7 queries and 14."""
    return {
        f"r{row}": [round(mean + 0.01 * ((5 * query + 3 * row) % 7 - 3), 6) for query in range(n_queries)]
        for row, mean in enumerate(means)
    }


def long(path, **measures):
    """A file of scores under several measures; returns its path."""
    cells = [(measure, run, values) for measure, scores in measures.items() for run, values in scores.items()]
    rows = [f"{run},q{q},{measure},{value}" for measure, run, values in cells for q, value in enumerate(values)]
    path.write_text("\n".join(["run,query_id,measure,score", *rows]) + "\n")
    return path


def manifest(folder, *tracks, names=None):
    """The manifest of tracks, each in the file of its name, of the years from 2001 on; returns its path."""
    entries = [
        f'[[track]]\ntrack = "{name}"\nyear = {year}\nscores = "{track}.csv"\n'
        for year, (track, name) in enumerate(zip(tracks, names or tracks, strict=True), 2001)
    ]
    path = folder / "shelf.toml"
    path.write_text("\n".join(entries))
    return path


@pytest.fixture
def shelf(tmp_path):
    """Three tracks of 14, 7 and 14 queries, with runs that are not in all of them, and no r0 in the last one."""
    tracks = {"T 1": near(0.6, 0.5, 0.45), "T_2": near(0.3, 0.5, n_queries=7), "T3": near(0.1, 0.2, 0.3, 0.7)}
    del tracks["T3"]["r0"]
    for year, scores in enumerate(tracks.values(), 2001):
        matrix(tmp_path / f"{year}.csv", "AP", scores)
    return manifest(tmp_path, "2001", "2002", "2003", names=tracks)


# ---- numbers


@pytest.mark.usefixtures("in_the_checkout")
def test_a_mean_is_that_of_the_scores(biasvar):
    rows = rows_of(biasvar("summary", *SAMPLE, *MEASURES, *FEW, "-f", "csv"))
    names = "run AP AP_p AP_mark P@10 P@10_p P@10_mark AP_rank_low AP_rank_high P@10_rank_low P@10_rank_high"
    assert " ".join(rows[0]) == names
    scores = {}
    for row in rows_of(biasvar("scores", *SAMPLE, *MEASURES, "-f", "csv")):
        scores.setdefault((row["run"], row["measure"]), []).append(float(row["score"]))
    means = {(row["run"], measure): float(row[measure]) for row in rows for measure in ("AP", "P@10")}
    assert means == pytest.approx({key: statistics.fmean(values) for key, values in scores.items()}, abs=1e-14)
    assert [row["run"] for row in rows] == sorted({run for run, _ in scores})


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_runs_significantly_below_the_best_have_a_triangle(biasvar, sample_scores, level):
    options = ("--level", level, *FEW, "--seed", 3)
    found = rows_of(biasvar("summary", sample_scores, *options, "-f", "csv"))
    best = {row["run"]: row["best"] for row in rows_of(biasvar("compare", sample_scores, *options, "-f", "csv"))}
    assert all((row["AP_mark"] == "not-below-best") == (best[row["run"]] == "true") for row in found)
    for columns in ((), ("--columns", "AP,AP_p")):  # p takes another way to the same marks
        text = biasvar("summary", sample_scores, *options, *columns).out
        marked = set(re.findall(r"^(\S+) +\S+▽(?: |$)", text, re.MULTILINE))
        assert marked == {row["run"] for row in found if not row["AP_mark"]}
        assert not marked or "▽ significantly below the best run: step-down bootstrap" in " ".join(text.split())


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("options", [(), ("--target", "run:rm"), ("--log", "floor")])
def test_errors_are_those_of_decompose(biasvar, options):
    found = only(biasvar("summary", *SAMPLE, "-m", "AP", *FEW, *options, "-f", "json"))
    rows = rows_of(biasvar("summary", *SAMPLE, "-m", "AP", *FEW, "--errors", *options, "-f", "csv"))
    expected = only(biasvar("decompose", *SAMPLE, "--no-null", *options, "-f", "json"))
    measure, names = expected["measure"], ("mean", "bias", "bias2", "var", "total")
    for own, row, other in zip(found["runs"], rows, expected["runs"], strict=True):
        (scores,) = own["scores"]
        assert (own["run"], scores["measure"]) == (other["run"], measure)
        assert [scores[name] for name in names] == [other[name] for name in names]
        assert [float(row[f"{measure}_{name}"]) for name in names[2:]] == [other[name] for name in names[2:]]


def test_json_of_a_baseline(biasvar, sample_scores):
    document = json.loads(biasvar("summary", sample_scores, *FEW, "--baseline", "orig", "-f", "json").out)
    assert "stepdown level 0.95 of 500 samples seed 0 | baseline orig" in document["signature"]
    (found,) = document["results"]
    values = [found[key] for key in ("n_runs", "n_queries", "test", "level", "baseline")]
    assert values == [22, 93, "stepdown", 0.95, "orig"]
    no_ranks = "the pairs with orig are tested, which give its rank alone"
    measure = {"measure": "AP", "track": None, "better": "more", "best": "rel-fb", "no_ranks": no_ranks}
    assert found["measures"] == [measure]
    own = next(row["scores"][0] for row in found["runs"] if row["run"] == "orig")
    assert (own["p"], own["mark"]) == (None, None)


# ---- edges


def test_one_run_is_compared_with_nothing(biasvar, tmp_path):
    path = matrix(tmp_path / "ap.csv", "AP", near(0.5))
    text = biasvar("summary", path).out
    assert "There is one run, r0: nothing to compare it with." in text
    assert "▽" not in text
    found = only(biasvar("summary", path, "-f", "json"))
    assert (found["test"], found["runs"][0]["scores"][0]["mark"], found["measures"][0]["best"]) == (None, None, "r0")
    assert "bf" not in biasvar("summary", path, "-f", "latex").out


@pytest.mark.parametrize(("n_queries", "there"), [(1, "there is 1"), (5, "there are 5")])
@pytest.mark.parametrize("options", [(), ("--baseline", "r1")])
def test_few_queries_have_no_test(biasvar, said, tmp_path, n_queries, there, options):
    path = matrix(tmp_path / "ap.csv", "AP", near(0.2, 0.8, n_queries=n_queries))
    text = said("summary", path, *options)
    assert f"that takes at least 6 queries, and {there}." in text
    assert not set("*†‡") & set(text)
    found = only(biasvar("summary", path, *options, "-f", "json"))
    assert found["test"] is None
    assert {(row["scores"][0]["p"], row["scores"][0]["mark"]) for row in found["runs"]} == {(None, None)}


def test_two_runs_have_one_pair_and_on_few_queries_another_test(said, tmp_path):
    text = said("summary", matrix(tmp_path / "ap.csv", "AP", near(0.2, 0.8)))
    assert "studentised bootstrap, p < 0.05, corrected for the one pair of runs." in text
    assert "r1 is significantly better than the other run." in text


def test_runs_with_the_same_best_mean_are_best_together(biasvar, tmp_path):
    scores = near(0.8, 0.5, 0.2)
    scores["a"] = scores["r0"][::-1]
    path = matrix(tmp_path / "ap.csv", "AP", scores)
    text = biasvar("summary", path).out
    assert "a and r0 have the best AP (0.800)." in text
    assert "a is not significantly better than r0." in text
    assert [line.split()[0] for line in text.splitlines() if line.endswith("▽")] == ["r1", "r2"]
    assert biasvar("summary", path, "-f", "latex").out.count("\\textbf{0.800}\\hphantom{$^{\\triangledown}$}") == 2
    assert only(biasvar("summary", path, "-f", "json"))["measures"][0]["best"] == "a"


# ---- tracks


def test_a_manifest_has_the_columns_of_each_track(biasvar, shelf):
    rows = rows_of(biasvar("summary", shelf, *FEW, "-f", "csv"))
    names, parts, ranks = ("T 1", "T_2", "T3"), ("", "_p", "_mark"), ("_rank_low", "_rank_high")
    assert list(rows[0]) == ["run", *(f"{name}/AP{part}" for some in (parts, ranks) for name in names for part in some)]
    assert [row["run"] for row in rows] == ["r0", "r1", "r2", "r3"]
    absent = dict.fromkeys((f"AP{part}" for part in (*parts, *ranks)), "")
    for year, name in enumerate(names, 2001):
        alone = {
            row["run"]: row for row in rows_of(biasvar("summary", shelf.parent / f"{year}.csv", *FEW, "-f", "csv"))
        }
        for row in rows:
            assert absent | {"run": row["run"]} | alone.get(row["run"], {}) == {
                "run": row["run"],
                **{key: row[f"{name}/{key}"] for key in absent},
            }


def test_a_manifest_in_text_counts_what_is_missing(biasvar, shelf):
    lines = biasvar("summary", shelf, *FEW).out.splitlines()
    assert lines[0] == "AP of 4 runs on 3 tracks: T 1 (14 queries), T_2 (7 queries) and T3 (14 queries)."
    assert "4 means missing (-): 3 runs are not in every track." in lines
    start = next(number for number, line in enumerate(lines) if line.split()[:1] == ["T"])
    assert [line.split() for line in lines[start : start + 2]] == [
        ["T", "1", "T_2", "T3"],
        ["run", "AP", "↑", "AP", "↑", "AP", "↑"],
    ]
    assert [line.split()[0] for line in lines[start + 3 : start + 7]] == ["r0", "r1", "r2", "r3"]
    assert lines[start + 6].split()[1:3] == ["-", "-"]
    found = only(biasvar("summary", shelf, *FEW, "-f", "json"))
    assert (found["n_runs"], found["n_queries"]) == (4, None)
    assert [(each["track"], each["best"]) for each in found["measures"]] == [("T 1", "r0"), ("T_2", "r1"), ("T3", "r3")]
    absent = found["runs"][0]["scores"][2]
    assert (absent.pop("measure"), absent.pop("track"), set(absent.values())) == ("AP", "T3", {None})


def test_a_track_without_the_baseline_has_no_test(biasvar, said, shelf):
    words = ("summary", shelf, *FEW, "--baseline", "r0")
    assert "No run is called better than another under AP on T3: there is no run r0." in said(*words)
    found = only(biasvar(*words, "-f", "json"))
    assert {row["scores"][2]["mark"] for row in found["runs"]} == {None}
    assert [row["scores"][1]["mark"] for row in found["runs"]][1] == "better"


def test_latex_of_a_manifest_has_its_tracks_over_the_columns(biasvar, shelf):
    latex = biasvar("summary", shelf, *FEW, "-f", "latex", "--errors").out
    assert " & \\multicolumn{4}{c}{T 1 AP} & \\multicolumn{4}{c}{T\\_2 AP} & \\multicolumn{4}{c}{T3 AP} \\\\" in latex
    assert "\\cmidrule(lr){2-5}\\cmidrule(lr){6-9}\\cmidrule(lr){10-13}" in latex
    assert latex.count("bias$^2$ $\\downarrow$") == 3
    alone = biasvar("summary", shelf, *FEW, "-f", "latex").out
    assert " & \\multicolumn{1}{c}{T 1} & \\multicolumn{1}{c}{T\\_2} & \\multicolumn{1}{c}{T3} \\\\" in alone


def test_a_manifest_says_how_its_tracks_are_read_and_has_its_own_targets(biasvar, refused, shelf):
    for option in (("--topics", "union"), ("--exclude", "x"), ("--recursive",)):
        refused(2, f"{option[0]}: {shelf} sets this for each of its tracks", "summary", shelf, *option)
    refused(2, "a manifest has to be the only input", "summary", shelf, shelf.parent / "2001.csv")
    shelf.write_text(shelf.read_text().replace('"2002.csv"', '"2002.csv"\ntarget = "mean:0.7"'))
    own = only(biasvar("summary", shelf, *FEW, "-f", "json"))["runs"][1]["scores"][1]
    assert own["bias"] == pytest.approx(0.7 - own["mean"])
    typed = only(biasvar("summary", shelf, *FEW, "--target", "mean:0.9", "-f", "json"))["runs"][1]["scores"]
    assert [each["bias"] + each["mean"] for each in typed] == pytest.approx([0.9] * 3)


def test_all_that_is_wrong_with_a_manifest_is_said_with_the_track(refused, shelf):
    (shelf.parent / "2001.csv").unlink()
    (shelf.parent / "2003.csv").write_text("AP,a\nq1,x\n")
    refused(1, "track T 1: there is no such file", "summary", shelf)
    refused(1, "track T3: ", "summary", shelf)


# ---- names and views


def test_percent_is_for_people(biasvar, sample_scores):
    text = biasvar("summary", sample_scores, *FEW, "--percent", "--errors", "--top", 1).out
    assert "rel-fb has the best AP (44.3)." in text
    assert re.search(r"^rel-fb +44\.3 +<\.1 +4\.5 +4\.5$", text, re.MULTILINE)
    assert "All numbers are times 100." in text
    two = biasvar("summary", sample_scores, *FEW, "--percent", "--digits", 2, "--top", 1).out
    assert "44.34" in two
    plain, percent = (biasvar("summary", sample_scores, *FEW, "-f", "csv", *each).out for each in ((), ("--percent",)))
    assert plain == percent


def test_rows_are_the_baseline_and_then_the_best_or_as_they_are_sorted(biasvar, sample_scores):
    def runs(*options):
        return [row["run"] for row in rows_of(biasvar("summary", sample_scores, *FEW, "-f", "csv", *options))]

    assert runs("--top", 3, "--baseline", "rm") == ["rm", "rel-fb", "nrr-1.0"]
    assert runs("--sort", "AP", "--top", 1) == ["rm"]
    assert runs("--sort", "-AP_p", "--top", 2) != runs("--top", 2)
    text = biasvar("summary", sample_scores, *FEW, "--top", 2, "--baseline", "rm").out
    assert re.findall(r"^(\S+) +0\.", text, re.MULTILINE) == ["rm", "rel-fb"]


@pytest.mark.usefixtures("in_the_checkout")
def test_measures_with_other_best_runs_have_a_sentence_each(biasvar, said, tmp_path):
    means = {"AP": (0.8, 0.2, 0.5), "P@10": (0.2, 0.8, 0.5), "RR": (0.2, 0.5, 0.8)}
    path = long(tmp_path / "scores.csv", **{measure: near(*own) for measure, own in means.items()})
    text = biasvar("summary", path, "-m", "AP", "-m", "P@10", *FEW).out
    assert "r0 has the best AP (0.800).\nr1 has the best P@10 (0.800).\n" in text
    assert "r1 is significantly better than every other run under P@10." in text
    many = ("summary", path, "-m", "AP P@10 RR", *FEW)
    assert "Best AP: r0 (0.800); P@10: r1 (0.800); RR: r2 (0.800)." in said(*many)
    against = "Compared with r2 under AP, significantly better (†): r0; significantly worse (‡): r1."
    assert against in said(*many, "--baseline", "r2")


@pytest.mark.parametrize("baseline", [(), ("--baseline", "comb-0.6"), ("--baseline", "top")])
@pytest.mark.parametrize("asked", ["t holm", "t none", "sign bh", "tukey", "stepdown"])
def test_marks_are_by_the_test_named(biasvar, refused, sample_scores, asked, baseline):
    test, correction = [*asked.split(), None][:2]
    options = (sample_scores, *FEW, "--test", test, *([] if correction is None else ["--correction", correction]))
    if test == "tukey" and "comb-0.6" in baseline:
        refused(2, "tukey is of all pairs of runs", "summary", *options, *baseline)
        return
    found = only(biasvar("summary", *options, *baseline, "-f", "json"))
    table = only(biasvar("compare", *options, *(baseline or ("--baseline", "top")), "-f", "json"))
    pairs = {pair["run"]: pair for pair in table["pairs"]}
    column = f"{test}_p" if correction in (None, "none") else f"{test}_{correction}"
    assert (found["test"], found["correction"]) == (test, correction)
    for row in found["runs"]:
        (score,), pair = row["scores"], pairs.get(row["run"])
        assert score["p"] == (None if pair is None else pair[column])
        differs = pair is not None and pair[column] < 0.05
        if differs and test == "sign":
            differs = pair["delta"] * (pair["wins"] - pair["losses"]) > 0
        against_baseline = ("better" if pair["delta"] > 0 else "worse") if differs else None
        assert score["mark"] == (against_baseline if baseline else None if differs else "not-below-best")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--test bootstrap", "500 samples are too few for this level and 231 pairs; raise --samples."),
        ("--baseline top", "compared with rel-fb, the run with the best AP."),
        ("--top 2 -f markdown", "| rel-fb | **0.443** |"),
        ("--top 2 -f markdown", "| nrr-1.0 | 0.344▽ |"),
        (
            "--sort AP --top 2 -f latex",
            "orig & 0.253$^{\\triangledown}$ \\\\ \\bottomrule",
        ),  # the best run is not shown
        (
            "--sort -AP --top 2 -f latex",
            "\\textbf{0.443}\\hphantom{$^{\\triangledown}$} \\\\ nrr-1.0 & 0.344$^{\\triangledown}$",
        ),
        ("--top 2 -f latex", "Bold: the best value in each column, of all 22 rows. $^{\\triangledown}$ significantly"),
        ("--top 2 -f latex", "step-down bootstrap, $p<.05$, corrected"),
    ],
)
def test_the_test_and_its_correction_stand_under_the_table(said, sample_scores, options, sentence):
    assert sentence in said("summary", sample_scores, *FEW, *options.split())


def test_top_is_the_best_run_of_the_first_measure_under_every_measure(biasvar, tmp_path):
    path = long(tmp_path / "two.csv", **{"AP": near(0.1, 0.4, 0.8), "P@10": near(0.8, 0.4, 0.1)})
    found = only(biasvar("summary", path, "-m", "AP", "-m", "P@10", *FEW, "--baseline", "top", "-f", "json"))
    assert found["baseline"] == "r2"
    assert [score["mark"] for score in found["runs"][0]["scores"]] == ["worse", "better"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--baseline file:x.csv", 2, "runs are compared with a run, NAME, run:NAME or top; found file:x.csv"),
        ("--target perfect", 2, "--target needs --errors, whose columns are measured against it"),
        ("--target perfect --target best --errors", 2, "the table has one target, found perfect and best"),
        ("--names orgi=BM25", 1, "--names orgi=BM25: there is no such run; did you mean orig?"),
        ("--names orig=rm", 2, "--names: orig and rm would all be called rm; give each run a name of its own"),
        ("--names orig=", 2, "--names: expected OLD=NEW, found orig="),
        ("--names no.csv", 1, "no.csv"),
    ],
)
def test_what_cannot_be_asked_is_refused(refused, sample_scores, options, code, message):
    refused(code, message, "summary", sample_scores, *options.split())


def test_columns_of_one_name_are_an_error(refused, tmp_path):
    path = long(tmp_path / "scores.csv", x=near(0.2, 0.4), x_p=near(0.2, 0.4))
    refused(1, "two columns would be called x_p", "summary", path, "-m", "x", "-m", "x_p")


# ---- systems of several runs: a row a system, with ± of the means of its runs


SD = {"A": 0.057735, "B": 0.084853}  # of the worked example
SYSTEMS = ("--replicates", "-[0-9]+")


@pytest.fixture
def runs(tmp_path):
    return matrix(tmp_path / "runs.csv", "AP", SYSTEMS_RUNS)


@pytest.fixture
def systems_shelf(tmp_path):
    """Two tracks: A has three runs on one and one on the other, where B has two."""
    matrix(tmp_path / "one.csv", "AP", SYSTEMS_RUNS)
    matrix(tmp_path / "two.csv", "AP", {run: SYSTEMS_RUNS[run] for run in ("A-1", "B-1", "B-2")})
    return manifest(tmp_path, "one", "two")


def test_csv_has_the_standard_deviation_behind_the_mean(biasvar, runs):
    rows = rows_of(biasvar("summary", runs, *SYSTEMS, "-f", "csv"))
    assert list(rows[0])[:3] == ["run", "AP", "AP_sd_replicates"]
    for row in rows:
        own = [statistics.fmean(scores) for run, scores in SYSTEMS_RUNS.items() if run.startswith(row["run"])]
        assert float(row["AP"]) == pytest.approx(statistics.fmean(own))
        if row["run"] == "C":
            assert row["AP_sd_replicates"] == ""
        else:
            assert float(row["AP_sd_replicates"]) == pytest.approx(statistics.stdev(own))


def test_json_has_it_behind_the_mean_and_the_runs_of_every_system(biasvar, runs):
    result = only(biasvar("summary", runs, *SYSTEMS, "--names", "A=Best", "-f", "json"))
    assert result["systems"] == {"Best": ["A-1", "A-2", "A-3"], "B": ["B-1", "B-2"], "C": ["C"]}
    scores = {row["run"]: row["scores"][0] for row in result["runs"]}
    assert list(scores["B"])[2:4] == ["mean", "sd_replicates"]
    deviations = [scores[system]["sd_replicates"] for system in ("Best", "B", "C")]
    assert deviations == [pytest.approx(SD["A"], abs=5e-7), pytest.approx(SD["B"], abs=5e-7), None]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("", " A 0.333 ± 0.058 B 0.333 ± 0.085 C 0.250 "),
        ("", " ±: standard deviation of the means of a system's runs."),
        ("--percent --columns AP", " A 33.3 ± 5.8 "),
        ("-f markdown", "| A | **0.333** ± 0.058 |"),
        ("-f latex", "\\textbf{0.333} $\\pm$ 0.058 \\\\"),
        ("-f latex", "0.250\\phantom{ $\\pm$ 0.058} \\\\"),
    ],
)
def test_text_has_it_in_the_cell_of_the_mean(said, runs, options, text):
    assert text in said("summary", runs, *SYSTEMS, *options.split())
    assert "The test is" not in said("summary", runs, *SYSTEMS, *options.split())  # three queries are too few for one


def test_a_notebook_has_it_in_the_cell_of_the_mean(runs):
    html = bv.summary(runs, replicates="-[0-9]+")._repr_html_()
    assert "<strong>0.333</strong> ± 0.058</td>" in html
    assert "<td>0.250</td>" in html


def test_marks_stand_behind_the_mean(biasvar, tmp_path):
    many = {
        f"{name}-{seed}": [mean + 0.01 * ((5 * query + 3 * seed) % 7) for query in range(14)]
        for name, mean in (("A", 0.5), ("B", 0.2))
        for seed in (1, 2)
    }
    out = biasvar("summary", matrix(tmp_path / "many.csv", "AP", many), *SYSTEMS, "--samples", 200).out
    mean = {name: [statistics.fmean(many[f"{name}-{seed}"]) for seed in (1, 2)] for name in "AB"}
    words = {name: f"{statistics.fmean(each):.3f}" for name, each in mean.items()}
    assert f"A         {words['A']}  ± {statistics.stdev(mean['A']):.3f}" in out
    assert f"B         {words['B']}▽ ± {statistics.stdev(mean['B']):.3f}" in out
    assert "The tests ask whether other runs of these systems, and other queries, would say so too" in " ".join(
        out.split()
    )


def test_a_system_may_have_replicates_on_some_tracks_of_a_manifest(biasvar, systems_shelf):
    rows = {row["run"]: row for row in rows_of(biasvar("summary", systems_shelf, *SYSTEMS, "-f", "csv"))}
    assert float(rows["A"]["one/AP_sd_replicates"]) == pytest.approx(SD["A"], abs=5e-7)
    assert (rows["A"]["two/AP"], rows["A"]["two/AP_sd_replicates"]) == ("0.3", "")
    assert float(rows["B"]["two/AP_sd_replicates"]) == pytest.approx(SD["B"], abs=5e-7)
    (result,) = json.loads(biasvar("summary", systems_shelf, *SYSTEMS, "-f", "json").out)["results"]
    assert result["systems"]["two"] == {"A": ["A-1"], "B": ["B-1", "B-2"]}
    text = " ".join(biasvar("summary", systems_shelf, *SYSTEMS).out.split())
    assert "3 systems with 1 to 3 runs each (6 runs in all) on one; 2 systems with 1 to 2 runs each" in text


def test_a_track_without_replicates_is_an_error_with_its_name(refused, systems_shelf):
    matrix(systems_shelf.parent / "two.csv", "AP", {"A": SYSTEMS_RUNS["A-1"], "D": SYSTEMS_RUNS["C"]})
    message = "track two: --replicates -[0-9]+: no file of that name, and no run matches"
    refused(1, message, "summary", systems_shelf, *SYSTEMS)
