"""``biasvar summary``: means, marks, tracks, names, what it looks like, and what it refuses."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from conftest import SAMPLE, only, rows_of

from biasvar_cli.analyses.summary.request import SummaryRequest
from biasvar_cli.errors import UsageError

FEW = ("--samples", 500)
MEASURES = ("-m", "AP", "-m", "P@10")


def matrix(path, measure, scores):
    """A file of scores, a run a key; returns its path."""
    runs = list(scores)
    lines = [",".join([measure, *runs])]
    rows = enumerate(zip(*scores.values(), strict=True), 1)
    lines += [",".join([f"q{number}", *map(str, row)]) for number, row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def near(*means, n_queries=14):
    """Runs r0, r1, ... whose scores vary little around these means, which they have on 7 queries and 14."""
    return {
        f"r{row}": [round(mean + 0.01 * ((5 * query + 3 * row) % 7 - 3), 6) for query in range(n_queries)]
        for row, mean in enumerate(means)
    }


def long(path, **measures):
    """A file of scores under several measures; returns its path."""
    rows = ["run,query_id,measure,score"]
    for measure, scores in measures.items():
        for run, values in scores.items():
            rows += [f"{run},q{query},{measure},{value}" for query, value in enumerate(values)]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.fixture
def shelf(tmp_path):
    """Three tracks of 14, 7 and 14 queries, with runs that are not in all of them, and no r0 in the last one."""
    tracks = {"T 1": near(0.6, 0.5, 0.45), "T_2": near(0.3, 0.5, n_queries=7), "T3": near(0.1, 0.2, 0.3, 0.7)}
    del tracks["T3"]["r0"]
    entries = []
    for year, (name, scores) in enumerate(tracks.items(), 2001):
        matrix(tmp_path / f"{year}.csv", "AP", scores)
        entries.append(f'[[track]]\ntrack = "{name}"\nyear = {year}\nscores = "{year}.csv"\n')
    path = tmp_path / "shelf.toml"
    path.write_text("\n".join(entries))
    return path


# ---- numbers


@pytest.mark.usefixtures("in_the_checkout")
def test_a_mean_is_that_of_the_scores(biasvar):
    scores: dict[tuple[str, str], list[float]] = {}
    for row in rows_of(biasvar("scores", *SAMPLE, *MEASURES, "-f", "csv")):
        scores.setdefault((row["run"], row["measure"]), []).append(float(row["score"]))
    rows = rows_of(biasvar("summary", *SAMPLE, *MEASURES, *FEW, "-f", "csv"))
    assert list(rows[0]) == [
        *("run", "AP", "AP_p", "AP_mark", "P@10", "P@10_p", "P@10_mark"),
        *("AP_rank_low", "AP_rank_high", "P@10_rank_low", "P@10_rank_high"),
    ]
    assert [row["run"] for row in rows] == sorted({run for run, _ in scores})
    for row in rows:
        for measure in ("AP", "P@10"):
            own = scores[row["run"], measure]
            assert float(row[measure]) == pytest.approx(sum(own) / len(own), abs=1e-14)


@pytest.mark.parametrize("level", [0.95, 0.5])
def test_marks_without_a_baseline_are_those_of_compare_with_all_pairs(biasvar, sample_scores, level):
    options = ("--level", level, *FEW, "--seed", 3)
    found = rows_of(biasvar("summary", sample_scores, *options, "-f", "csv"))
    pairs = rows_of(biasvar("compare", sample_scores, *options, "--table", "pairs", "--test", "stepdown", "-f", "csv"))
    p = {row["versus"]: row["stepdown_p"] for row in pairs if row["run"] == "rel-fb"}
    best = {row["run"]: row["best"] for row in rows_of(biasvar("compare", sample_scores, *options, "-f", "csv"))}
    for row in found:
        assert row["AP_p"] == p.get(row["run"], "")
        assert (row["AP_mark"] == "not-below-best") == (row["run"] == "rel-fb" or float(p[row["run"]]) >= 1 - level)
        assert (row["AP_mark"] == "not-below-best") == (best[row["run"]] == "true")
    text = biasvar("summary", sample_scores, *options).out
    stars = set(re.findall(r"^(\S+) +\S+\*$", text, re.MULTILINE))
    assert stars == {row["run"] for row in found if row["AP_mark"]}
    with_p = biasvar("summary", sample_scores, *options, "--columns", "AP,AP_p").out
    assert set(re.findall(r"^(\S+) +\S+\* ", with_p, re.MULTILINE)) == stars


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("options", [(), ("--target", "run:rm"), ("--log", "floor")])
def test_errors_are_those_of_decompose(biasvar, options):
    found = only(biasvar("summary", *SAMPLE, "-m", "AP", *FEW, *options, "-f", "json"))
    rows = rows_of(biasvar("summary", *SAMPLE, "-m", "AP", *FEW, "--errors", *options, "-f", "csv"))
    expected = only(biasvar("decompose", *SAMPLE, "--no-null", *options, "-f", "json"))
    assert [row["run"] for row in found["runs"]] == [row["run"] for row in expected["runs"]]
    for own, row, other in zip(found["runs"], rows, expected["runs"], strict=True):
        (scores,) = own["scores"]
        assert {name: scores[name] for name in ("mean", "bias", "bias2", "var", "total")} == {
            name: other[name] for name in ("mean", "bias", "bias2", "var", "total")
        }
        measure = expected["measure"]
        assert scores["measure"] == measure
        assert [float(row[f"{measure}_{name}"]) for name in ("bias2", "var", "total")] == [
            other[name] for name in ("bias2", "var", "total")
        ]


_RANK_OF_ORIG = "the pairs with orig are tested, which give its rank alone"


def test_json_has_its_keys(biasvar, sample_scores):
    document = json.loads(biasvar("summary", sample_scores, *FEW, "--baseline", "orig", "-f", "json").out)
    assert list(document) == ["version", "signature", "results", "warnings", "notices"]
    assert "stepdown level 0.95 of 500 samples seed 0 | baseline orig" in document["signature"]
    (found,) = document["results"]
    assert list(found) == ["n_runs", "n_queries", "test", "level", "baseline", "measures", "runs", "correction"]
    assert [found[key] for key in ("n_runs", "n_queries", "test", "level", "baseline")] == [
        22, 93, "stepdown", 0.95, "orig",
    ]  # fmt: skip
    assert found["measures"] == [
        {"measure": "AP", "track": None, "better": "more", "best": "rel-fb", "no_ranks": _RANK_OF_ORIG}
    ]
    keys = ["measure", "track", "mean", "bias", "bias2", "var", "total", "p", "mark", "rank_low", "rank_high"]
    assert all(list(row) == ["run", "scores"] and list(row["scores"][0]) == keys for row in found["runs"])
    own = next(row["scores"][0] for row in found["runs"] if row["run"] == "orig")
    assert (own["p"], own["mark"]) == (None, None)


# ---- edges


def test_one_run_is_compared_with_nothing(biasvar, tmp_path):
    path = matrix(tmp_path / "ap.csv", "AP", near(0.5))
    text = biasvar("summary", path).out
    assert "There is one run, r0: nothing to compare it with." in text
    assert "*" not in text
    found = only(biasvar("summary", path, "-f", "json"))
    assert (found["test"], found["runs"][0]["scores"][0]["mark"], found["measures"][0]["best"]) == (None, None, "r0")
    assert "bf" not in biasvar("summary", path, "-f", "latex").out


@pytest.mark.parametrize("n_queries", [1, 5])
@pytest.mark.parametrize("options", [(), ("--baseline", "r1")])
def test_few_queries_have_no_test(biasvar, tmp_path, n_queries, options):
    path = matrix(tmp_path / "ap.csv", "AP", near(0.2, 0.8, n_queries=n_queries))
    text = biasvar("summary", path, *options).out
    there = "there is 1" if n_queries == 1 else "there are 5"
    assert f"that takes at least 6 queries, and {there}." in " ".join(text.split())
    assert not set("*†‡") & set(text)
    found = only(biasvar("summary", path, *options, "-f", "json"))
    assert found["test"] is None
    assert {(row["scores"][0]["p"], row["scores"][0]["mark"]) for row in found["runs"]} == {(None, None)}


def test_samples_that_are_too_few_for_the_level_mark_nothing(biasvar, sample_scores):
    text = biasvar("summary", sample_scores, "--samples", 100, "--level", 0.9999).out
    assert "100 samples are too few for this level; raise --samples." in text
    assert "*" not in text


def test_two_runs_have_one_pair_and_on_few_queries_another_test(biasvar, tmp_path):
    path = matrix(tmp_path / "ap.csv", "AP", near(0.2, 0.8))
    text = " ".join(biasvar("summary", path).out.split())
    assert "studentised bootstrap, p < 0.05, corrected for the one pair of runs; 14 queries." in text
    assert "r1 is significantly better than the other run." in text


def test_runs_with_the_same_best_mean_are_best_together(biasvar, tmp_path):
    scores = near(0.8, 0.5, 0.2)
    scores["a"] = scores["r0"][::-1]
    path = matrix(tmp_path / "ap.csv", "AP", scores)
    text = biasvar("summary", path).out
    assert "a and r0 have the best AP (0.800)." in text
    assert "a is not significantly better than r0." in text
    assert [line.split()[0] for line in text.splitlines() if line.endswith("*")] == ["a", "r0"]
    assert biasvar("summary", path, "-f", "latex").out.count("\\textbf{0.800}$^{*}$") == 2
    assert only(biasvar("summary", path, "-f", "json"))["measures"][0]["best"] == "a"


# ---- tracks


def test_a_manifest_has_the_columns_of_each_track(biasvar, shelf):
    rows = rows_of(biasvar("summary", shelf, *FEW, "-f", "csv"))
    names, parts, ranks = ("T 1", "T_2", "T3"), ("", "_p", "_mark"), ("_rank_low", "_rank_high")
    assert list(rows[0]) == ["run", *(f"{name}/AP{part}" for some in (parts, ranks) for name in names for part in some)]
    assert [row["run"] for row in rows] == ["r0", "r1", "r2", "r3"]
    for year, name in enumerate(("T 1", "T_2", "T3"), 2001):
        own_rows = rows_of(biasvar("summary", shelf.parent / f"{year}.csv", *FEW, "-f", "csv"))
        alone = {row["run"]: row for row in own_rows}
        for row in rows:
            own = alone.get(row["run"], {f"AP{part}": "" for part in (*parts, *ranks)})
            assert [row[f"{name}/AP{part}"] for part in (*parts, *ranks)] == [
                own[f"AP{part}"] for part in (*parts, *ranks)
            ]


def test_a_manifest_in_text_counts_what_is_missing(biasvar, shelf):
    text = biasvar("summary", shelf, *FEW).out
    lines = text.splitlines()
    assert lines[0] == "AP of 4 runs on 3 tracks: T 1 (14 queries), T_2 (7 queries) and T3 (14 queries)."
    assert "4 means missing (-): 3 runs are not in every track." in text
    start = next(number for number, line in enumerate(lines) if line.split()[:1] == ["T"])
    assert [line.split() for line in lines[start : start + 2]] == [
        ["T", "1", "T_2", "T3"],
        ["run", "AP", "↑", "AP", "↑", "AP", "↑"],
    ]
    assert [line.split()[0] for line in lines[start + 3 : start + 7]] == ["r0", "r1", "r2", "r3"]
    assert lines[start + 6].split()[1:3] == ["-", "-"]
    assert "7 to 14 queries" in " ".join(text.split())


def test_a_manifest_in_json_has_null_for_runs_that_are_not_there(biasvar, shelf):
    found = only(biasvar("summary", shelf, *FEW, "-f", "json"))
    assert (found["n_runs"], found["n_queries"]) == (4, None)
    assert [(each["track"], each["best"]) for each in found["measures"]] == [("T 1", "r0"), ("T_2", "r1"), ("T3", "r3")]
    absent = found["runs"][0]["scores"][2]
    assert absent == {"measure": "AP", "track": "T3"} | dict.fromkeys(
        ("mean", "bias", "bias2", "var", "total", "p", "mark", "rank_low", "rank_high")
    )


def test_a_track_without_the_baseline_has_no_test(biasvar, shelf):
    text = " ".join(biasvar("summary", shelf, *FEW, "--baseline", "r0").out.split())
    assert "No run is called better than another under AP on T3: there is no run r0." in text
    found = only(biasvar("summary", shelf, *FEW, "--baseline", "r0", "-f", "json"))
    assert {row["scores"][2]["mark"] for row in found["runs"]} == {None}
    assert [row["scores"][1]["mark"] for row in found["runs"]][1] == "better"


def test_latex_of_a_manifest_has_its_tracks_over_the_columns(biasvar, shelf):
    latex = biasvar("summary", shelf, *FEW, "-f", "latex", "--errors").out
    assert " & \\multicolumn{4}{c}{T 1 AP} & \\multicolumn{4}{c}{T\\_2 AP} & \\multicolumn{4}{c}{T3 AP} \\\\" in latex
    assert "\\cmidrule(lr){2-5}\\cmidrule(lr){6-9}\\cmidrule(lr){10-13}" in latex
    assert latex.count("bias$^2$ $\\downarrow$") == 3
    alone = biasvar("summary", shelf, *FEW, "-f", "latex").out
    assert " & \\multicolumn{1}{c}{T 1} & \\multicolumn{1}{c}{T\\_2} & \\multicolumn{1}{c}{T3} \\\\" in alone


def test_a_manifest_says_how_its_tracks_are_read_and_has_its_own_targets(biasvar, shelf):
    for option in (("--topics", "union"), ("--exclude", "x"), ("--recursive",)):
        result = biasvar("summary", shelf, *option)
        assert result.code == 2
        assert f"{option[0]}: {shelf} says this for each of its tracks" in result.err
    result = biasvar("summary", shelf, shelf.parent / "2001.csv")
    assert (result.code, result.out) == (2, "")
    assert "a manifest stands alone among INPUTS" in result.err
    shelf.write_text(shelf.read_text().replace('"2002.csv"', '"2002.csv"\ntarget = "mean:0.7"'))
    own = only(biasvar("summary", shelf, *FEW, "-f", "json"))["runs"][1]["scores"][1]
    assert own["bias"] == pytest.approx(0.7 - own["mean"])
    typed = only(biasvar("summary", shelf, *FEW, "--target", "mean:0.9", "-f", "json"))["runs"][1]["scores"]
    assert [each["bias"] + each["mean"] for each in typed] == pytest.approx([0.9] * 3)


def test_all_that_is_wrong_with_a_manifest_is_said_with_the_track(biasvar, shelf):
    (shelf.parent / "2001.csv").unlink()
    (shelf.parent / "2003.csv").write_text("AP,a\nq1,x\n")
    result = biasvar("summary", shelf)
    assert (result.code, result.out) == (1, "")
    assert "track T 1: there is no such file" in result.err
    assert "track T3: " in result.err


# ---- names and views


@pytest.mark.parametrize(
    ("names", "code", "words"),
    [
        (("orgi=BM25",), 1, "--names orgi=BM25: there is no such run; did you mean orig?"),
        (("orig=rm",), 2, "--names: orig and rm would all be called rm; give each run a name of its own"),
        (("orig=",), 2, "--names: expected OLD=NEW, found orig="),
        (("no.csv",), 1, "no.csv"),
    ],
)
def test_names_that_cannot_be_given_are_refused(biasvar, sample_scores, names, code, words):
    result = biasvar("summary", sample_scores, *(part for name in names for part in ("--names", name)))
    assert (result.code, result.out) == (code, "")
    assert words in result.err


def test_percent_is_for_people(biasvar, sample_scores):
    text = biasvar("summary", sample_scores, *FEW, "--percent", "--errors", "--top", 1).out
    assert "rel-fb has the best AP (44.3)." in text
    assert re.search(r"^rel-fb +44\.3\* +<\.1 +4\.5 +4\.5$", text, re.MULTILINE)
    assert "All numbers are times 100." in text
    two = biasvar("summary", sample_scores, *FEW, "--percent", "--digits", 2, "--top", 1).out
    assert "44.34*" in two
    plain, percent = (biasvar("summary", sample_scores, *FEW, "-f", "csv", *each).out for each in ((), ("--percent",)))
    assert plain == percent


def test_rows_are_the_baseline_and_then_the_best_or_as_they_are_sorted(biasvar, sample_scores):
    def runs(*options):
        return [row["run"] for row in rows_of(biasvar("summary", sample_scores, *FEW, "-f", "csv", *options))]

    assert runs("--top", 3, "--baseline", "rm") == ["rm", "rel-fb", "nrr-1.0"]
    assert runs("--sort", "AP", "--top", 1) == ["rm"]
    assert runs("--sort", "-AP_p", "--top", 2) != runs("--top", 2)
    assert runs() == sorted(runs())
    text = biasvar("summary", sample_scores, *FEW, "--top", 2, "--baseline", "rm").out
    assert re.findall(r"^(\S+) +0\.", text, re.MULTILINE) == ["rm", "rel-fb"]
    assert "2 of 22 runs shown; every number is of all 22." in text


@pytest.mark.usefixtures("in_the_checkout")
def test_measures_with_other_best_runs_have_a_sentence_each(biasvar, tmp_path):
    means = {"AP": (0.8, 0.2, 0.5), "P@10": (0.2, 0.8, 0.5), "RR": (0.2, 0.5, 0.8)}
    path = long(tmp_path / "scores.csv", **{measure: near(*own) for measure, own in means.items()})
    text = biasvar("summary", path, "-m", "AP", "-m", "P@10", *FEW).out
    assert "r0 has the best AP (0.800).\nr1 has the best P@10 (0.800).\n" in text
    assert "r1 is significantly better than every other run under P@10." in text
    many = " ".join(biasvar("summary", path, "-m", "AP P@10 RR", *FEW).out.split())
    assert "Best AP: r0 (0.800); P@10: r1 (0.800); RR: r2 (0.800)." in many
    against = " ".join(biasvar("summary", path, "-m", "AP P@10 RR", "--baseline", "r2", *FEW).out.split())
    assert "Compared with r2 under AP, significantly better (†): r0; significantly worse (‡): r1." in against


# ---- what it looks like


@pytest.mark.usefixtures("in_the_checkout")
def test_text_of_the_sample_track(biasvar):
    assert biasvar("summary", *SAMPLE, "-m", "AP", "-m", "P@10", "--baseline", "orig", "--top", 4).out == (
        "AP and P@10 of 22 runs on 93 queries, compared with orig.\n"
        "\n"
        "rel-fb has the best AP (0.443) and P@10 (0.581).\n"
        "Compared with orig under both measures, significantly better (†): rel-fb, nrr-1.0, nrr-0.9 and 8\n"
        "  more; not significantly different: 10 runs.\n"
        "\n"
        "run        AP ↑    P@10 ↑\n"
        "-------  ------  --------\n"
        "orig     0.253     0.343\n"
        "rel-fb   0.443†    0.581†\n"
        "nrr-1.0  0.344†    0.465†\n"
        "nrr-0.9  0.341†    0.459†\n"
        "\n"
        "† significantly better than orig, ‡ significantly worse: step-down bootstrap, p < 0.05, corrected\n"
        "  for all 21 comparisons with it under each measure; 93 queries.\n"
        "4 of 22 runs shown; every number is of all 22.\n"
        "More: --notes full, biasvar compare\n"
    )


@pytest.mark.usefixtures("in_the_checkout")
def test_latex_of_the_sample_track_is_a_table_as_it_is(biasvar):
    rows = ("--sort", "AP", "--top", 2, "--names", "rm=R&M_3")
    out = biasvar("summary", *SAMPLE, "-m", "AP", *rows, *FEW, "-f", "latex").out
    code = [line for line in out.splitlines() if line and not line.startswith("%")]
    words = (
        "AP of 22 runs on 93 queries. Bold: the best value in each column of this table. $^{*}$ not significantly "
        "below the best run: step-down bootstrap, p \\textless{} 0.05, corrected for all 231 pairs of runs; 93 queries."
    )
    assert code == [
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{words}}}",
        "\\label{tab:summary}",
        "\\begin{tabular}{lr}",
        "\\toprule",
        " run     &  AP $\\uparrow$ \\\\",
        "\\midrule",
        " R\\&M\\_3 &          0.242 \\\\",
        " orig    & \\textbf{0.253} \\\\",
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
    ]


# ---- refusals


def test_markdown_has_the_best_in_bold_and_marks_that_are_no_markup(biasvar, sample_scores):
    out = biasvar("summary", sample_scores, *FEW, "--top", 2, "-f", "markdown").out
    assert "| rel-fb  | **0.443**\\* |" in out
    assert "| nrr-1.0 |      0.344  |" in out


@pytest.mark.parametrize("baseline", [(), ("--baseline", "comb-0.6"), ("--baseline", "top")])
@pytest.mark.parametrize(
    ("asked", "column"),
    [
        (("--test", "t"), "t_holm"),
        (("--test", "t", "--correction", "none"), "t_p"),
        (("--test", "sign", "--correction", "bh"), "sign_bh"),
        (("--test", "tukey"), "tukey_p"),
        (("--test", "stepdown"), "stepdown_p"),
    ],
)
def test_marks_are_by_the_test_named(biasvar, sample_scores, asked, column, baseline):
    options = (*FEW, *asked, *baseline)
    if "tukey" in asked and "comb-0.6" in baseline:
        result = biasvar("summary", sample_scores, *options)
        assert (result.code, "tukey is of all pairs of runs" in " ".join(result.err.split())) == (2, True)
        return
    found = only(biasvar("summary", sample_scores, *options, "-f", "json"))
    table = only(biasvar("compare", sample_scores, *FEW, *asked, *(baseline or ("--baseline", "top")), "-f", "json"))
    pairs = {pair["run"]: pair for pair in table["pairs"]}
    correction = "none" if "none" in asked else column.partition("_")[2].replace("p", "") or None
    assert (found["test"], found["correction"]) == (asked[1], correction)
    for row in found["runs"]:
        (score,) = row["scores"]
        pair = pairs.get(row["run"])
        assert score["p"] == (None if pair is None else pair[column])
        gain = 0 if pair is None else pair["delta"]
        differs = pair is not None and pair[column] < 0.05
        if differs and asked[1] == "sign":
            differs = gain * (pair["wins"] - pair["losses"]) > 0
        if baseline:
            assert score["mark"] == (None if not differs else "better" if gain > 0 else "worse")
        else:
            assert score["mark"] == (None if differs else "not-below-best")


def test_the_test_and_its_correction_stand_under_the_table(biasvar, sample_scores):
    def text(*options):
        return " ".join(biasvar("summary", sample_scores, *FEW, *options).out.split())

    assert "paired t test, p < 0.05, corrected (Holm) for all 231 pairs of runs; 93 queries." in text("--test", "t")
    alone = text("--test", "t", "--correction", "none")
    assert "paired t test, p < 0.05, not corrected for the 231 pairs of runs; 93 queries." in alone
    sign = text("--test", "sign")
    assert "Wilcoxon and sign do not test whether means are equal" in sign
    top = text("--baseline", "top")
    assert "compared with rel-fb, the run with the best AP." in top
    assert "corrected for all 231 pairs of runs, since rel-fb was chosen for its mean; 93 queries." in top
    chosen = "rel-fb has the best mean. If it was chosen for that, use --baseline top: its p-values allow for the"
    assert chosen in text("--baseline", "rel-fb")
    assert chosen not in top + text("--baseline", "rm") + text()
    few = text("--test", "bootstrap")
    assert "500 samples are too few for this level and 231 pairs; raise --samples." in few


def test_top_is_the_best_run_of_the_first_measure_under_every_measure(biasvar, tmp_path):
    path = tmp_path / "two.csv"
    rng = np.random.default_rng(5)
    rows = [
        f"r{run},q{query},{measure},{rng.random() + (0.4 * run if measure == 'AP' else -0.4 * run)}"
        for run in range(3)
        for query in range(12)
        for measure in ("AP", "P@10")
    ]
    path.write_text("\n".join(["run,query_id,measure,score", *rows]))
    asked = ("-m", "AP", "-m", "P@10", *FEW, "--allow-range")
    found = only(biasvar("summary", path, *asked, "--baseline", "top", "-f", "json"))
    assert found["baseline"] == "r2"
    assert [score["mark"] for row in found["runs"] if row["run"] == "r0" for score in row["scores"]] == [
        "worse",
        "better",
    ]


@pytest.mark.parametrize("baseline", ["mean", "file:x.csv"])
def test_the_baseline_is_a_run(biasvar, sample_scores, baseline):
    result = biasvar("summary", sample_scores, "--baseline", baseline)
    assert (result.code, result.out) == (2, "")
    assert f"--baseline: runs are compared with a run, NAME, run:NAME or top; found {baseline}" in result.err
    with pytest.raises(UsageError, match="baseline"):
        SummaryRequest(baseline=baseline)


def test_a_target_needs_columns_that_are_measured_against_it(biasvar, sample_scores):
    assert biasvar("summary", sample_scores, "--target", "perfect").code == 2
    assert biasvar("summary", sample_scores, "--target", "perfect", "--errors", *FEW).code == 0
    two = biasvar("summary", sample_scores, "--target", "perfect", "--target", "best", "--errors")
    assert (two.code, two.out) == (2, "")


def test_columns_of_one_name_are_an_error(biasvar, tmp_path):
    path = long(tmp_path / "scores.csv", x=near(0.2, 0.4), x_p=near(0.2, 0.4))
    result = biasvar("summary", path, "-m", "x", "-m", "x_p")
    assert result.code == 1
    assert "two columns would be called x_p" in result.err
