"""``biasvar compare``: the columns and keys that scripts read, the tables, wrong usage."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, SAMPLE, Result, interruptible, only, rows_of, unix

from biasvar_cli.cli import main

Command = Callable[..., Result]
Draw = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.usefixtures("in_the_checkout")

FEW = ("--samples", "200")
NULL = {"decompose": ("--no-null", "--notes", "full")}
OF_PAIR = ["run", "versus", "delta", "low", "high", "es", "es_e2", "wins", "ties", "losses"]


def test_columns_are_of_the_tests_asked_for(biasvar: Command):
    asked = ("--test", "sign", "--test", "bootstrap", "--table", "pairs", *FEW)
    rows = rows_of(biasvar("compare", *SAMPLE, *asked, "--correction", "bh", "-f", "csv"))
    tests = ["bootstrap_p", "bootstrap_bh", "sign_p", "sign_bh"]
    assert list(rows[0]) == ["measure", "target", "of", *OF_PAIR, *tests, "family_low", "family_high"]
    rows = rows_of(biasvar("compare", *SAMPLE, *asked, "--correction", "none", "-f", "csv"))
    assert list(rows[0])[-4:-2] == ["bootstrap_p", "sign_p"]
    assert len(rows) == 231


@pytest.mark.parametrize("correction", ["holm", "none"])
@pytest.mark.parametrize("test", ["t", "bootstrap", "sign", "tukey", "stepdown"])
def test_runs_are_counted_by_the_first_test_named(biasvar: Command, sample_scores: Path, test: str, correction: str):
    other = "t" if test != "t" else "sign"
    asked = ("--test", test, "--test", other, "--correction", correction, "--samples", "5000")
    found = only(biasvar("compare", sample_scores, *asked, "-f", "json"))
    assert found["deciding"] == test
    with_bars = test in ("tukey", "stepdown")
    column = f"{test}_p" if with_bars or correction == "none" else f"{test}_{correction}"
    significant = [pair for pair in found["pairs"] if pair[column] < 0.05]
    differ = [(pair["run"], pair["versus"]) for pair in significant if test != "sign" or pair["wins"] > pair["losses"]]
    assert 0 < len(differ) < len(found["pairs"])
    for row in found["runs"]:
        assert row["better"] == sum(better == row["run"] for better, _ in differ)
        assert row["worse"] == sum(worse == row["run"] for _, worse in differ)
        assert row["best"] == (row["worse"] == 0)
        half = found["critical"][test] / 2 if with_bars else None
        assert (row["low"], row["high"]) == ((row["mean"] - half, row["mean"] + half) if with_bars else (None, None))


def test_the_first_test_typed_decides_and_the_columns_stay_where_they_are(biasvar: Command, sample_scores: Path):
    def tested(*words: str) -> dict[str, Any]:
        return only(biasvar("compare", sample_scores, *FEW, *words, "-f", "json"))

    t, sign = tested("--test", "t", "--test", "sign"), tested("--test", "sign", "--test", "t")
    assert (t["deciding"], sign["deciding"], tested()["deciding"]) == ("t", "sign", "stepdown")
    assert all(row.pop(f"family_{end}") is not None for row in t["pairs"] for end in ("low", "high"))
    assert all(row.pop(f"family_{end}") is None for row in sign["pairs"] for end in ("low", "high"))
    assert t["pairs"] == sign["pairs"]
    assert t["runs"] != sign["runs"]
    assert tested("--test", "stepdown", "--test", "t") == tested()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--test sign --notes full", "decided by sign"),
        ("--test wilcoxon --table pairs", "on real scores they reject that too often"),
        ("--detect .02", "a difference of 0.02 needs 230 queries"),
        ("--notes full", "Significant pairs of runs by test (p < 0.05), of 231 "),
        ("--table swap --splits 50", "two runs on 46 queries are reversed on 46 other queries in at most 5 % of"),
        ("-f latex", "top group: no run is significantly better.} \\label{tab:compare-ap"),
        ("-f latex --baseline rm", "(step-down) are adjusted for all 21 pairs."),
    ],
)
def test_sentences_on_a_test_and_its_correction(said, sample_scores: Path, options: str, sentence: str):
    """One of each table and format; the sentences themselves are tested on answers."""
    assert sentence in said("compare", sample_scores, *FEW, *options.split())


def test_too_few_samples_for_so_many_pairs_are_named(biasvar: Command, said, sample_scores: Path):
    asked = ("compare", sample_scores, "--test", "bootstrap", "--samples", "1000")
    text = said(*asked)
    assert "1000 samples are too few for this level and 231 pairs; raise --samples." in text
    assert "differ significantly" not in text
    assert {row["better"] for row in only(biasvar(*asked, "-f", "json"))["runs"]} == {None}


def test_a_baseline_is_what_every_pair_is_compared_with(biasvar: Command, sample_scores: Path):
    found = only(biasvar("compare", sample_scores, *FEW, "--baseline", "run:rm", "-f", "json"))
    assert (found["baseline"], list(found["critical"]), len(found["pairs"])) == ("rm", ["stepdown"], 21)
    critical, differ = found["critical"]["stepdown"], [row["stepdown_p"] < 0.05 for row in found["pairs"]]
    assert [abs(row["delta"]) > critical + 1e-12 for row in found["pairs"]] == differ
    assert {row["versus"] for row in found["pairs"]} == {"rm"}
    power = [(row["test"], row["correction"]) for row in found["power"]]
    assert power == [("t", None), ("t", "holm"), ("stepdown", None)]
    assert {row["low"] for row in found["runs"]} == {None}
    targets = ("--target", "best", "--target", "perfect", *FEW, "-f", "json")
    for of, n_results in (("mean", 1), ("total", 2)):  # a mean has no target
        assert len(json.loads(biasvar("compare", sample_scores, "--of", of, *targets).out)["results"]) == n_results


def test_the_best_run_by_its_name_has_a_line_beside_it(biasvar: Command, said):
    line = "rel-fb has the best mean. If it was chosen for that, use --baseline top: its p-values allow for the choice."
    for command in ("compare", "decompose", "summary"):
        words = (command, *SAMPLE, *NULL.get(command, FEW), "--baseline")
        assert line in said(*words, "rel-fb")
        assert "has the best mean. If" not in said(*words, "top") + said(*words, "rm")
        assert line not in biasvar(*words, "rel-fb", "-f", "csv").out


def test_several_baselines_are_compared_one_after_the_other(biasvar: Command):
    asked = ("--baseline", "run:rm", "--baseline", "top", "--baseline", "rm", "--baseline", "orig", *FEW)
    several = json.loads(biasvar("compare", *SAMPLE, *asked, "-f", "json").out)["results"]
    assert [each["baseline"] for each in several] == ["rm", "rel-fb", "orig"]
    for baseline, found in zip(("rm", "top", "orig"), several, strict=True):
        assert found == only(biasvar("compare", *SAMPLE, *FEW, "--baseline", baseline, "-f", "json"))
    for table, column, n_rows in (("pairs", "versus", 21), ("power", "baseline", 3)):
        rows = rows_of(biasvar("compare", *SAMPLE, *asked, "--table", table, "-f", "csv"))
        assert [row[column] for row in rows] == n_rows * ["rm"] + n_rows * ["rel-fb"] + n_rows * ["orig"]


def test_pairs_with_the_best_run_have_the_p_values_of_all_pairs(biasvar: Command, sample_scores: Path):
    tests = [word for name in ("stepdown", "t", "randomisation", "sign") for word in ("--test", name)]
    every, top, named = (
        only(biasvar("compare", sample_scores, *FEW, *tests, *baseline, "-f", "json"))
        for baseline in ((), ("--baseline", "top"), ("--baseline", "rel-fb"))
    )
    columns = ("stepdown_p", "t_p", "t_holm", "randomisation_p", "randomisation_holm", "sign_p", "sign_holm")
    p = {frozenset((pair["run"], pair["versus"])): [pair[name] for name in columns] for pair in every["pairs"]}
    for pair, other in zip(top["pairs"], named["pairs"], strict=True):
        assert [pair[name] for name in OF_PAIR] == [other[name] for name in OF_PAIR]
        assert [pair[name] for name in columns] == p[frozenset((pair["run"], "rel-fb"))]
    assert top["critical"]["stepdown"] == every["critical"]["stepdown"] != named["critical"]["stepdown"]


def test_equal_means_for_the_first_place_are_the_first_by_name(biasvar: Command, written):
    path = written("AP,C,B,A\n" + "".join(f"q{i},{i / 10},{(7 - i) / 10},0.1\n" for i in range(8)))
    assert only(biasvar("compare", path, *FEW, "--baseline", "top", "-f", "json"))["baseline"] == "B"


def test_the_best_run_is_one_of_those_listed(biasvar: Command):
    (best,) = Path("sample_runs").glob("rel-fb*")
    asked = ("--exclude", best.name, "--pool", best, *FEW, "--baseline", "top", "-f", "json")
    found = only(biasvar("compare", *SAMPLE, *asked))
    assert (found["baseline"], found["n_runs"]) == ("nrr-1.0", 21)


@pytest.mark.parametrize("options", [[], ["--baseline", "top"], ["--baseline", "r1"], ["--test", "t"]])
def test_on_few_queries_there_are_p_values_of_t_and_no_test_decides(
    biasvar: Command, said, written, options: list[str]
):
    path = written("AP,r1,r2,r3\n" + "".join(f"q{i},0.{2 + i},0.{3 + i},0.9{i}\n" for i in range(5)))
    found = only(biasvar("compare", path, *FEW, *options, "-f", "json"))
    assert found["critical"] == {"stepdown": None}
    assert {row.get("stepdown_p") for row in found["pairs"]} == {None}
    assert min(row["t_holm"] for row in found["pairs"]) < 0.05
    names = ("low", "high", "better", "worse", "best", "rank_low", "rank_high")
    assert {row[name] for row in found["runs"] for name in names} == {None}
    assert found["no_ranks"] == "ranks need at least 6 queries, and there are 5"
    assert {row["n_significant"] for row in found["power"] if row["test"] == "stepdown"} <= {None}
    for table in ("runs", "pairs"):
        text = said("compare", path, *FEW, *options, "--table", table)
        assert "takes at least 6 queries, and there are 5." in text
        assert "No run is called significantly better or worse than" in text
        assert "beats" not in text


def test_one_pair_on_few_queries_is_studentised(said, written):
    path = written("AP,r1,r2\n" + "".join(f"q{i},0.{5 + i % 3},0.{1 + i % 2}\n" for i in range(9)))
    text = said("compare", path, *FEW)
    assert "two-sided studentised bootstrap, p < 0.05 for one pair; p is not adjusted." in text
    assert "Best mean: r1 (0.6000), significantly better than the other run." in text


def test_signatures_say_what_the_numbers_depend_on(biasvar: Command, sample_scores: Path):
    asked = ("--of", "total", "--baseline", "top", "--seed", "3", "--level", ".9")
    found = only(biasvar("compare", sample_scores, *FEW, *asked, "-f", "json"))["signature"]
    assert found.split(" | ")[1:] == [
        *("AP", "target best of 22", "93 queries (union)", "of total", "baseline top rel-fb"),
        *("t stepdown of 231 pairs", "level 0.9 correction holm", "power 0.8", "200 samples 1000 splits seed 3"),
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("--baseline mean", 2, "--baseline: runs are compared with a run, NAME, run:NAME or top; found mean"),
        ("--table power --sort mean", 2, "--sort mean: there is no column mean; the columns are test, "),
        ("--of total_gap --target mean:.5", 2, "--of: total_gap needs the target's score per query"),
    ],
)
def test_what_is_wrong_is_said(refused, written, arguments: str, code: int, message: str):
    path = written("topic,r1,r2\n1,.30,.60\n2,.10,.08\n3,.50,.50\n")
    refused(code, message, "compare", path, *arguments.split())


def test_the_text_begins_with_who_is_best_and_by_which_test(biasvar: Command, written):
    # the means .6, .5 and .1; run C is .4 and more below the others on every query, A and B take turns
    a_b = [(0.8, 0.4), (0.4, 0.6)] * 6

    def text(*runs: str) -> str:
        scores = [dict(zip("ABC", (a, b, 0.1), strict=True)) for a, b in a_b]
        rows = [f"q{query},{','.join(str(row[run[0]]) for run in runs)}\n" for query, row in enumerate(scores)]
        return biasvar("compare", written("".join([f"AP,{','.join(runs)}\n", *rows])), *FEW).out

    _, verdict, _, notes = text("A", "B", "C").split("\n\n")
    best, alike, pairs, _ = verdict.splitlines()
    assert best == "Best mean: A (0.6000), significantly better than 1 of the other 2 runs."
    assert alike == "1 run does not differ significantly from it: B."
    assert pairs.startswith("2 of 3 pairs of runs differ significantly: every pair more than 0.")
    assert len(notes.splitlines()) <= 5
    assert "Best mean: A (0.6000). No two runs differ significantly." in text("A", "B")
    assert "Best mean: A and A2 (0.6000), significantly better than the other run." in text("A", "A2", "C")


def test_against_a_baseline_the_runs_that_differ_are_named(biasvar: Command, written):
    rows = [(0.5 + 0.01 * (q % 3), 0.5, 0.9 - 0.01 * (q % 4), 0.1, 0.4 + 0.2 * (q % 2)) for q in range(12)]
    lines = [f"q{q},{','.join(map(str, row))}" for q, row in enumerate(rows)]
    path = written("\n".join(["AP,A{0},base,up,down,B{0}", *lines]))
    text = biasvar("compare", path, *FEW, "--baseline", "run:base", "--test", "stepdown").out
    assert "Significantly better than base: up.\nSignificantly worse than base: down.\n" in text
    assert "Not significantly different: the other 2 runs, whose mean is within 0." in text
    total = biasvar("compare", path, *FEW, "--baseline", "run:down", "--of", "total", "--target", "perfect").out
    assert "Significantly better than down: up, A{0}, base and B{0}.\n" in total
    assert "Significantly worse than down: no run.\nTest:" in total


def test_a_p_that_is_too_small_for_a_number_is_not_0(said, written):
    rows = (f"{query},0.1,0.{6000000 + query % 7}\n" for query in range(300))  # .5 apart, by 1e-6 more or less
    text = said("compare", written("topic,r1,r2\n" + "".join(rows)), "--test", "t", "--notes", "full")
    assert ", p <.0001: the runs are not all equal (p < 0.05)." in text
    assert "Friedman's test of both runs: chi-square(1) = 300.0000, p <.0001" in text


# ---- figures


@pytest.mark.parametrize(("test", "of"), [("stepdown", "mean"), ("stepdown", "total"), ("tukey", "total_gap")])
def test_bars_are_half_the_critical_difference_within_the_measure_s_range(
    biasvar: Command, drawn: Draw, test: str, of: str
):
    options = (*FEW, "--test", test, "--of", of, "--level", ".9", "--seed", "3")
    table = only(biasvar("compare", *SAMPLE, *options, "-f", "json"))
    spec = drawn("compare", *SAMPLE, *options)
    rows = spec["datasets"]["runs"]
    sign, half = -1 if of == "mean" else 1, table["critical"][test] / 2
    by_mean = sorted(table["runs"], key=lambda row: (round(sign * row["mean"], 12), row["run"]))
    worse = {row["versus"] for row in table["pairs"] if row[f"{test}_p"] < 0.1}
    assert [(row["run"], row["mean"], row["what"] == "significantly worse") for row in rows] == [
        (row["run"], row["mean"], row["run"] in worse) for row in by_mean
    ]
    for row in rows:
        ends = max(0, row["mean"] - half), row["mean"] + half
        assert (row["low"], row["high"]) == pytest.approx(ends, abs=1e-12)
    assert spec["layer"][1]["encoding"]["y"]["scale"]["domain"] == [row["run"] for row in by_mean]
    best = [row["run"] for row in by_mean if row["run"] not in worse]
    assert spec["datasets"]["best"] == [{"run": best[0], "last": best[-1]}]
    bars = "Comparison bars: two runs whose bars do not overlap differ significantly, 90 % for all 231 pairs together"
    shaded = f"best: {best[0]}. Shaded: {len(best)} of 22 runs not significantly worse than the best"
    assert all(words in spec["description"] for words in (bars, shaded))
    words = " ".join(spec["layer"][1]["encoding"]["color"]["legend"]["title"])
    kind = {"mean": "mean", "total": "total error", "total_gap": "total error of the gap form"}[of]
    assert words.startswith(f"Bars: {kind} ± half the critical difference (")
    assert ", p < 0.1 for all 231 pairs together); runs whose bars do not overlap differ significantly" in words
    assert ("They are cut at 0" in words) == any(row["mean"] < half for row in rows)


def test_bars_end_where_the_measure_does_if_that_is_known(drawn: Draw, written):
    values = np.random.default_rng(0).random((3, 8)) ** np.array([[9], [1], [0.1]])
    for measure, words in (
        ("AP", "They are cut at 0 and 1, the bounds of the measure"),
        ("topic", "They may pass the bounds of the measure, which are not known"),
    ):
        spec = drawn("compare", written("\n".join([f"{measure},low,middle,high", *_lines(values)])), *FEW, "--quiet")
        least = min(row["low"] for row in spec["datasets"]["runs"])
        assert least == 0 if measure == "AP" else least < 0
        title = spec["layer"][1]["encoding"]["color"]["legend"]["title"]
        assert words in (title if isinstance(title, str) else " ".join(title))


@pytest.mark.parametrize("test", ["t", "tukey"])
def test_curves_are_the_p_values_in_descending_order(biasvar: Command, drawn: Draw, test: str):
    options = ("-m", "AP", "-m", "P@5", *FEW, "--test", test, "--level", ".99")
    tables = json.loads(biasvar("compare", *SAMPLE, *options, "-f", "json").out)["results"]
    spec = drawn("asl", *SAMPLE, *options)
    series = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "line")["encoding"]
    for channel in ("color", "strokeDash"):  # neither colour nor pattern is the only sign
        domain, signs = (series[channel]["scale"][key] for key in ("domain", "range"))
        assert domain == ["AP", "P@5"]
        assert signs[0] != signs[1]
    legend = series["color"]["legend"]
    shares = json.loads(legend["labelExpr"].partition("[datum")[0])
    for table in tables:
        rows = [row for row in spec["datasets"]["rows"] if row["of"] == table["measure"]]
        assert [row["p"] for row in rows] == sorted((pair[f"{test}_p"] for pair in table["pairs"]), reverse=True)
        assert [row["share"] for row in rows] == pytest.approx([place / 231 for place in range(1, 232)])
        (start,) = (row for row in spec["datasets"]["starts"] if row["of"] == table["measure"])
        assert start["share"] == pytest.approx(1 - table["power"][0]["share"])
        assert shares[table["measure"]] == f"{table['measure']}: {100 * table['power'][0]['share']:.0f} %"
    assert spec["datasets"]["line"] == [{"at": 0.01}]
    words = "corrected for all 231 pairs together" if test == "tukey" else "not corrected for the number of pairs (231)"
    assert " ".join(legend["title"]) == f"Share of the pairs with p < 0.01, {words}"


def test_swaps_are_those_of_the_table(biasvar: Command, drawn: Draw):
    options = ("-m", "AP", "-m", "nDCG@10", "--splits", "50", "--seed", "2", "--of", "mean")
    tables = json.loads(biasvar("compare", *SAMPLE, *options, "--test", "t", "-f", "json").out)["results"]
    spec = drawn("swap", *SAMPLE, *options)
    for table in tables:
        swap = table["swap"]
        points = [(row["low"], row["rate"]) for row in spec["datasets"]["rows"] if row["of"] == table["measure"]]
        assert points == [(each["low"], each["rate"]) for each in swap["bins"] if each["n"]]
        needed = f"{table['measure']} {swap['needed']:g} ({100 * swap['share']:.0f} %"
        assert needed in spec["description"]
    assert spec["datasets"]["line"] == [{"at": 0.05}]
    assert "in halves of 46 queries. 50 splits; " in spec["description"]


def test_the_open_bin_of_swaps_stands_apart_and_few_comparisons_are_hollow(drawn: Draw, written):
    path = written("\n".join(["AP,a,b,c,d", *_lines(np.random.default_rng(4).random((4, 10)))]))
    spec = drawn("swap", path, "--splits", "400")
    rows = spec["datasets"]["rows"]
    assert [row["low"] for row in rows if row["open"]] == [0.2]
    assert all(row["difference"] == (0.22 if row["open"] else pytest.approx(row["low"] + 0.005)) for row in rows)
    assert 0 < sum(row["n"] < 100 for row in rows) < len(rows)
    assert all(row["few"] == (row["n"] < 100) for row in rows)
    curve = next(layer for layer in spec["layer"] if layer["mark"]["type"] == "line")
    assert curve["transform"] == [{"filter": "!datum.open && !datum.few"}]
    assert spec["datasets"]["edge"] == [{"at": 0.2}]
    x = curve["encoding"]["x"]
    assert x["axis"]["values"][-1] == 0.22
    assert "≥ 0.20" in x["axis"]["labelExpr"]
    assert "hollow: of fewer than 100 comparisons" in " ".join(x["title"])


def test_a_test_of_single_pairs_colours_the_runs_and_has_no_bars(biasvar: Command, drawn: Draw):
    asked = ("--test", "t", "--correction", "none")
    found, spec = only(biasvar("compare", *SAMPLE, *asked, "-f", "json")), drawn("compare", *SAMPLE, *asked)
    rows = {row["run"]: row for row in spec["datasets"]["runs"]}
    for row in found["runs"]:
        point = rows[row["run"]]
        assert (point["low"], point["high"]) == (row["mean"], row["mean"])
        assert (point["what"] == "no run is significantly better") == row["best"]
    assert "rule" not in [layer["mark"]["type"] for layer in spec["layer"]]
    assert "No comparison bars: a test of single pairs has no critical difference." in spec["description"]


@pytest.mark.parametrize("figure", ["compare", "asl", "swap"])
def test_equal_runs_make_a_figure(drawn: Draw, written, figure: str):
    spec = drawn(figure, written("topic,r1,r2\n1,.5,.5\n2,.25,.25\n3,.5,.5\n4,.2,.2\n5,.1,.1\n6,.7,.7\n"))
    for layer in spec["layer"]:
        low, high = layer["encoding"].get("y", {"scale": {"domain": [0, 1]}})["scale"]["domain"]
        assert low < high
    if figure == "compare":
        assert {row["what"] for row in spec["datasets"]["runs"]} == {"not significantly worse than the best"}


def test_no_bars_of_few_queries_or_of_a_pair_that_cannot_differ(biasvar: Command, said, written, tmp_path: Path):
    path = written("topic,r1,r2\n1,.5,.4\n2,.25,.1\n3,.5,.3\n")
    for options in (("compare",), ("asl", "--test", "stepdown")):
        error = biasvar("plot", *options, path, "-o", tmp_path / "out.json").err
        assert "the step-down bootstrap needs at least 6 queries, found 3" in error
    written("topic,r1,r2\n1,.5,.1\n" + "".join(f"{query},.2,.2\n" for query in range(2, 10)))
    error = biasvar("plot", "compare", path, "-o", tmp_path / "out.json").err
    assert "no difference of these two runs on 9 queries would be significant" in error
    assert "no difference on these queries would be significant" in said("compare", path)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("compare --samples 100 --level .999", 1, "100 samples are too few for level 0.999; raise"),
        ("compare --test bootstrap --samples 100", 1, "100 samples are too few for level 0.95; raise"),
        ("asl --test sign", 2, "'sign' is not one of"),
    ],
)
def test_a_figure_that_cannot_be_drawn_is_an_error(refused, tmp_path: Path, options: str, code: int, message: str):
    figure, *words = options.split()
    refused(code, message, "plot", figure, *SAMPLE, *words, "-o", tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


def test_runs_that_differ_by_the_same_on_every_query(biasvar: Command, written):
    # an infinite t, which JSON cannot hold; no spread, so that no number of queries can be said
    path = written("topic,r1,r2\n1,.2,.3\n2,.4,.5\n3,.1,.2\n")
    found = only(biasvar("compare", path, *FEW, "--detect", ".05", "-f", "json"))
    (pair,) = found["pairs"]
    assert (pair["t"], pair["t_p"], pair["es"], found["design"]["queries"]) == (None, 0, None, None)
    text = biasvar("compare", path, *FEW, "--detect", ".05", "--notes", "full").out
    assert "ANOVA of all runs is undefined: the runs differ by the same on every query." in text
    assert "Friedman's test of both runs: chi-square(1) = 3" in text
    assert "Which differences these queries can find is undefined" in text
    rough = biasvar("compare", path, *FEW, "--table", "pairs", "--test", "wilcoxon").out
    assert "Wilcoxon's p is rough where fewer than 10 queries differ: 1 pair" in rough
    written("topic,r1,r2\n1,.2,.2\n2,.4,.4\n3,.1,.1\n")
    text = biasvar("compare", path, *FEW, "--notes", "full").out
    assert "Friedman's test of all runs is undefined: all runs are equal on every query" in text


def test_a_difference_that_no_number_of_queries_finds(biasvar: Command):
    asked = ("--test", "t", "--detect", "1e-300")
    assert only(biasvar("compare", *SAMPLE, *asked, "-f", "json"))["design"]["queries"] is None
    assert "queries (for the median pair)" not in biasvar("compare", *SAMPLE, *asked).out


# ---- the progress bar, and an interrupt amid the tests


def on_a_terminal(*arguments: object, seen: bytes) -> tuple[int, bytes]:
    """Exit code and standard error of a comparison on a terminal, which is interrupted once ``seen`` stands there."""
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "biasvar_cli", "compare", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment, preexec_fn=interruptible
    ) as process:
        os.close(theirs)
        shown, interrupted = b"", False
        with contextlib.suppress(OSError):  # Linux has no end of such a file
            while piece := os.read(ours, 10_000):
                shown += piece
                if seen in shown and not interrupted:
                    interrupted = True
                    process.send_signal(signal.SIGINT)
        code = process.wait(timeout=60)
    os.close(ours)
    return code, shown


@unix
def test_an_interrupt_ends_long_tests_at_once(written):
    values = np.random.default_rng(0).random((60, 50)).round(3)
    path = written("\n".join([",".join(["AP", *(f"r{i}" for i in range(60))]), *_lines(values)]))
    code, shown = on_a_terminal(path, "--samples", 1_000_000, "--jobs", 2, seen=b"/1000000 ")
    assert code == 130
    assert shown.endswith(b"\x1b[?25h\r\nbiasvar: interrupted\r\n")  # the cursor is back
    assert shown.startswith(b"\r\x1b[?25lTesting  [")
    assert b" samples/s" in shown
    assert b"1000000/1000000" not in shown


def _lines(values: np.ndarray) -> list[str]:
    return [",".join([f"q{number}", *map(str, column)]) for number, column in enumerate(values.T)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_counts_the_samples_of_all_tests_unless_they_are_quick_or_quiet(monkeypatch: pytest.MonkeyPatch):
    tests = ("--test", "t", "--test", "tukey", "--test", "bootstrap", "-m", "AP", "-m", "P@10", "--samples", "300")
    for delay, options in ((0.0, []), (0.0, ["--quiet"]), (600.0, [])):
        monkeypatch.setattr("biasvar_cli.console.terminal.SHORT", delay)
        monkeypatch.setattr("sys.stderr", Terminal())
        assert main(["compare", *SAMPLE[:3], *tests, "-f", "json", *options]) == 0
        # two measures, each with three tests of 300 samples and 1000 splits
        assert ("  3800/3800  " in sys.stderr.getvalue()) == (delay == 0 and not options)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("runs", "code", "sentence"),
    [
        ("a", 1, "pairs of runs are compared: at least 2 runs are needed, found 1"),
        ("ac", 0, "between two runs on 4 queries are at least 0.10. At most 5 % of them are reversed on 4"),
        ("abc", 0, "of any size between two runs on 4 queries are reversed on 4 other queries in at most 5 %"),
    ],
)
def test_swaps_of_few_runs(biasvar: Command, written, runs: str, code: int, sentence: str):
    """One run has no pair; where no difference is reversed, the least that was seen is said, if it is above 0."""
    rows = [dict(zip("abc", (0.5, 0.5 + row / 1000, 0.605 + row / 1000), strict=True)) for row in range(8)]
    lines = [f"q{number},{','.join(str(row[run]) for run in runs)}" for number, row in enumerate(rows)]
    path = written("\n".join([",".join(["AP", *runs]), *lines]))
    result = biasvar("compare", path, "--table", "swap", "--splits", 50)
    assert sentence in " ".join((result.out + result.err).split())
    assert result.code == code


# ---- ranges of ranks


def test_a_rank_is_one_more_than_the_runs_that_are_better(biasvar: Command):
    found, summary = (only(biasvar(name, *SAMPLE, *FEW, "-f", "json")) for name in ("compare", "summary"))
    assert found["no_ranks"] is None
    for row, run in zip(found["runs"], summary["runs"], strict=True):
        ranks = (row["rank_low"], row["rank_high"])
        assert ranks == (1 + row["worse"], 22 - row["better"])
        assert [(score["rank_low"], score["rank_high"]) for score in run["scores"]] == [ranks]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("--test t --correction bh", "p-values with Benjamini and Hochberg's correction do not"),
        ("--test t --correction none", "uncorrected p-values do not allow for all 231 pairs together"),
        ("--test sign", "the sign test does not compare means"),
        ("--samples 100 --test randomisation", "100 samples are too few for this level"),
        ("--baseline orig", "the pairs with orig are tested, which give its rank alone"),
    ],
)
def test_tests_that_do_not_hold_for_all_runs_give_no_ranks(biasvar, sample_scores, options, reason):
    found = only(biasvar("compare", sample_scores, *options.split(), "-f", "json"))
    assert found["no_ranks"].startswith(reason)
    ranks = [row[end] for row in found["runs"] for end in ("rank_low", "rank_high") if row["run"] != "orig"]
    assert set(ranks) == {None}


def test_pairs_with_a_baseline_are_those_of_decompose(biasvar: Command):
    command = ("compare", *SAMPLE, *FEW, "--baseline", "run:rm", "--test", "t", "-f", "json")
    found = only(biasvar(*command))
    decomposed = only(biasvar("decompose", *SAMPLE, "--baseline", "rm", "-f", "json", "--no-null"))
    by_run = {row["run"]: row for row in decomposed["runs"]}
    for row in found["pairs"]:
        theirs = by_run[row["run"]]
        assert row["delta"] == pytest.approx(-theirs["d_bias"], abs=1e-12)
        assert (row["t_p"], row["t_holm"]) == pytest.approx((theirs["d_bias_p"], theirs["d_bias_holm"]), rel=1e-9)
    totals = only(biasvar(*command, "--of", "total"))
    for row in totals["pairs"]:
        theirs = by_run[row["run"]]
        assert row["delta"] == pytest.approx(theirs["d_total"], abs=1e-12)
        assert row["t_holm"] == pytest.approx(theirs["d_total_holm"], rel=1e-9)
