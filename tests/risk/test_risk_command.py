"""``biasvar risk``: the columns and keys that scripts read, the baselines, wrong usage, and gdeval's figures."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import SAMPLE, RealData, Result, only, rows_of
from scipy.stats import kendalltau

Command = Callable[..., Result]
Draw = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.usefixtures("in_the_checkout")

THREE = "topic,r1,r2,r3\n1,.30,.60,.45\n2,.10,.08,.20\n3,.50,.50,.10\n4,.20,.10,.25\n"
OF_RUN = ("run", "mean", "delta", "wins", "ties", "losses", "ri", "lt_init", "reward", "risk", "gmap")
OF_ALPHA = ("u_risk_{}", "t_risk_{}", "t_risk_{}_p", "z_risk_{}", "geo_risk_{}")


@pytest.fixture
def three(written) -> Path:
    path: Path = written(THREE, "three.csv")
    return path


def columns(*alphas: str) -> list[str]:
    return [*OF_RUN, *(name.format(alpha) for alpha in alphas for name in OF_ALPHA), "break_even"]


def of_verdicts(*alphas: str) -> list[str]:
    return ["verdict", "mean_p", *(f"risk_p_{alpha}" for alpha in alphas)]


def test_json_and_csv_have_the_fixed_keys(biasvar: Command, three: Path):
    found = only(biasvar("risk", three, "-f", "json", "--alpha", "0,2.5"))
    var = pytest.approx(0.017314, abs=5.1e-7)  # of .45, .126667, .366667, .183333
    baseline = {"kind": "mean", "label": "mean", "mean": pytest.approx(3.38 / 12), "var": var, "n_pool": 3}
    assert found["baseline"] == baseline
    assert list(found["runs"][0]) == columns("0", "2.5") + of_verdicts("0", "2.5")
    asked = ("--baseline", "run:r1", "--baseline", "best", "--with-decomposition")
    rows, alphas = rows_of(biasvar("risk", three, "-f", "csv", *asked)), ("0", "1", "5", "10")
    assert list(rows[0]) == ["measure", "baseline", *columns(*alphas), "bias2", "var", "total", *of_verdicts(*alphas)]
    pairs = [(row["baseline"], row["run"]) for row in rows]
    assert pairs == [(baseline, run) for baseline in ("run:r1", "best") for run in ("r1", "r2", "r3")]


@pytest.mark.parametrize(
    ("text", "kind", "n_pool", "wins"),
    [  # the medians are .45, .1, .5, .2; the best .6, .2, .5, .25; r2 has the best mean
        ("run:r1", "run", 1, [0, 1, 3]),
        ("r1", "run", 1, [0, 1, 3]),
        ("top", "run", 1, [2, 0, 2]),
        ("mean", "mean", 3, [2, 2, 2]),
        ("median", "median", 3, [0, 1, 2]),
        ("best", "best", 3, [0, 0, 0]),
        ("file:base.csv", "file", 0, [0, 1, 3]),
    ],
)
def test_every_kind_of_baseline(biasvar: Command, written, three: Path, monkeypatch, text, kind, n_pool, wins):
    monkeypatch.chdir(written("query_id,score\n1,.3\n2,.1\n3,.5\n4,.2\n", "base.csv").parent)
    found = only(biasvar("risk", three, "-f", "json", "--baseline", text))
    baseline = found["baseline"]
    assert (baseline["kind"], baseline["label"], baseline["n_pool"]) == (kind, text, n_pool)
    assert [row["wins"] for row in found["runs"]] == wins


def test_the_pool_shapes_the_baseline_and_geo_risk_and_is_not_listed(biasvar: Command, three: Path, written):
    rows = [line.split(",") for line in THREE.splitlines()]
    two = written("\n".join(",".join(row[:3]) for row in rows), "two.csv")
    third = written("\n".join(f"{row[0]},{row[3]}" for row in rows), "third.csv")
    whole, some = (only(biasvar("risk", *words, "-f", "json")) for words in ((three,), (two, "--pool", third)))
    assert (some["n_runs"], some["baseline"]) == (2, whole["baseline"])
    assert some["runs"] == whole["runs"][:2]


# amean of gdeval.pl 1.3 with -c -baseline ... -riskAlpha 0, 1, 5, 10: nDCG@20, then ERR@20
GDEVAL = {
    ("ql-cata", "ql-catb-filtered"): ("0.05625 0.03999 -0.02507 -0.10639", "0.07634 0.04017 -0.10448 -0.28530"),
    ("ql-cata", "rm-cata"): ("-0.00068 -0.00981 -0.04636 -0.09205", "-0.01144 -0.03742 -0.14135 -0.27127"),
    ("rm-catb", "ql-catb-filtered"): ("0.00613 -0.02424 -0.14574 -0.29760", "0.02316 -0.02515 -0.21840 -0.45996"),
    ("rm-catb", "rm-cata"): ("-0.05080 -0.11364 -0.36502 -0.67925", "-0.06461 -0.15871 -0.53511 -1.00561"),
}


@pytest.mark.parametrize(("baseline", "run"), GDEVAL)
def test_gdeval_prints_the_same_u_risk(biasvar: Command, shared: RealData, baseline: str, run: str):
    folder = shared / "web2012-indri"
    measures = ("-m", "nDCG(dcg='exp-log2')@20", "-m", "ERR@20")
    asked = ("--baseline", f"run:{baseline}.run", "--quiet", "-f", "json")
    result = biasvar("risk", folder / "runs", "-q", folder / "qrels.txt", *measures, *asked)
    for found, expected in zip(json.loads(result.out)["results"], GDEVAL[baseline, run], strict=True):
        (row,) = (row for row in found["runs"] if row["run"] == f"{run}.run")
        assert [f"{row[f'u_risk_{alpha}']:.5f}" for alpha in (0, 1, 5, 10)] == expected.split()


def test_the_divisor_of_t_risk_can_decide(biasvar: Command, shared: RealData):
    # p .0518 with the divisor n - 1 of the authors' own program, .0495 with n
    folder = shared / "web2012-indri"
    asked = ("-m", "ERR@20", "--baseline", "run:ql-cata.run", "--quiet", "-f", "json")
    found = only(biasvar("risk", folder / "runs", "-q", folder / "qrels.txt", *asked))
    (row,) = (row for row in found["runs"] if row["run"] == "rm-cata.run")
    assert row["t_risk_10_p"] == pytest.approx(0.0518, abs=5.1e-5)


def test_r_loss_counts_relevant_documents(biasvar: Command, shared: RealData):
    # counted by another program: relevant documents in the top 20 and 1000, baseline less run where it has fewer
    folder = shared / "web2012-indri"
    for k, rm_cata, filtered in ((20, 0.22, 0.32), (1000, 1.34, 9.78)):
        asked = ("--baseline", "run:ql-cata.run", "--r-loss", k, "--quiet", "-f", "json")
        found = only(biasvar("risk", folder / "runs", "-q", folder / "qrels.txt", *asked))
        assert (found["measure"], found["r_loss_k"]) == ("AP", k)
        rows = {row["run"].removesuffix(".run"): row["r_loss"] for row in found["runs"]}
        assert (rows["ql-cata"], rows["rm-cata"], rows["ql-catb-filtered"]) == pytest.approx((0, rm_cata, filtered))


def test_r_loss_of_a_baseline_of_the_pool_and_beside_the_measure_of_the_same_name(biasvar: Command):
    """A baseline of the pool loses nothing that the same run would not lose if it were listed."""
    folder, qrels = SAMPLE[0], SAMPLE[1:]
    asked = ("-m", "P@5", "--baseline", "run:rm", "--r-loss", "5", "-f", "json")
    found = only(biasvar("risk", *SAMPLE, *asked))
    assert found["measure"] == "P@5"
    assert [row["r_loss"] for row in found["runs"]] == pytest.approx([5 * row["risk"] for row in found["runs"]])
    one = only(biasvar("risk", f"{folder}/orig.gz", *qrels, "--pool", f"{folder}/rm.gz", *asked))["runs"]
    assert [row["r_loss"] for row in one] == [row["r_loss"] for row in found["runs"] if row["run"] == "orig"]


def test_with_decomposition(biasvar: Command):
    found = only(biasvar("risk", *SAMPLE, "--with-decomposition", "-f", "json", "--alpha", "1"))
    decomposed = only(biasvar("decompose", *SAMPLE, "-f", "json", "--no-null"))
    by_run = {row["run"]: row for row in decomposed["runs"]}
    for row, name in itertools.product(found["runs"], ("bias2", "var", "total")):
        assert row[name] == by_run[row["run"]][name]
    tau = kendalltau(
        *([sign * row[name] for row in found["runs"]] for sign, name in ((-1, "geo_risk_1"), (1, "total")))
    )
    assert found["decomposition"]["geo_risk_and_total"][0]["kendall"] == pytest.approx(tau.statistic)


def test_table_of_queries_is_a_baseline_to_read_back(biasvar: Command, three: Path, tmp_path: Path):
    rows = rows_of(biasvar("risk", three, "--baseline", "run:r1", "--table", "queries", "-f", "csv"))
    cells = [" ".join(row[name] for name in ("query_id", "wins", "ties", "losses", "run")) for row in rows]
    assert cells == ["1 2 1 0 ", "2 1 1 1 r2", "3 0 2 1 r3", "4 1 1 1 r2"]
    assert [float(row["largest_loss"]) for row in rows] == pytest.approx([0, 0.02, 0.4, 0.1])
    path = tmp_path / "kept.csv"
    assert biasvar("risk", three, "--baseline", "mean", "--table", "queries", "-o", path, "-f", "csv").code == 0
    one, two = (only(biasvar("risk", three, "--baseline", base, "-f", "json")) for base in ("mean", f"file:{path}"))
    assert one["runs"] == two["runs"]


def test_table_of_one_run_starts_with_its_largest_losses(biasvar: Command, three: Path):
    rows = rows_of(biasvar("risk", three, "--baseline", "run:r1", "--table", "run:r2", "--alpha", "1", "-f", "csv"))
    assert [row["query_id"] for row in rows] == ["4", "2", "3", "1"]
    # delta_q / s with s = .208726
    assert [float(row["t_risk_1"]) for row in rows] == pytest.approx([-0.958193, -0.191639, 0, 1.437291], abs=5e-6)


def test_intervals_are_columns_after_the_others(biasvar: Command):
    options = ("--ci", ".9", "--resamples", "200", "--alpha", "0,1", "--baseline", "run:rm")
    found = only(biasvar("risk", *SAMPLE, *options, "-f", "json"))
    assert list(found["runs"][0])[len(columns("0", "1")) :] == [
        f"{name}_{alpha}_{end}" for name in ("u_risk", "geo_risk") for alpha in (0, 1) for end in ("low", "high")
    ] + of_verdicts("0", "1")
    assert found["intervals"] == {"level": 0.9, "resamples": 200, "seed": 0, "u_risk": "t", "geo_risk": "bca"}
    again = only(biasvar("risk", *SAMPLE, *options, "-f", "json", "--jobs", "1"))
    assert again == found


def test_columns_of_the_text_and_what_is_best(biasvar: Command, sample_scores: Path):
    asked = ("risk", sample_scores, "--baseline", "run:rm", "--ci", ".95", "--resamples", "100")
    head = biasvar(*asked, "--top", "3", "--wide").out.split("\n\n")[2].splitlines()[0]
    names = "run mean delta wins losses ri reward risk u_risk_1 t_risk_1 geo_risk_1 u_risk_1 95 % verdict"
    assert sorted(head.split()) == sorted(names.split())
    full = biasvar(*asked, "--notes", "full").out
    assert "Best by mean, u_risk_1, t_risk_1, geo_risk_1: rel-fb" in full
    assert "\nri: (wins - losses) / n, n the number of queries.\n" in full


def test_signatures_say_what_the_numbers_depend_on(biasvar: Command, three: Path):
    asked = ("--baseline", "top", "--baseline", "mean", "--alpha", "0,2.5", "--tie-eps", ".01", "-f", "json")
    found = json.loads(biasvar("risk", three, *asked).out)["results"]
    assert [each["signature"].split(" | ")[3:] for each in found] == [
        [baseline, "alpha 0 2.5", "ties within 0.01", "stepdown 9999 resamples seed 0"]
        for baseline in ("baseline top r2", "baseline mean of 3")
    ]


def test_the_text_begins_with_which_runs_are_safe_and_which_risky(biasvar: Command, said, written):
    # up is about .1 above the baseline, down about .1 below; mixed takes turns: with losses counted twice its mean is
    # -.05, its deviation .15, so t = -.05 / (.157 / sqrt(12)) = -1.1
    rows = [(0.6 + place / 1000, 0.5 + (0.1 if place % 2 else -0.1), 0.4 - place / 1000) for place in range(12)]
    path = written("AP,up,mixed,down\n" + "".join(f"q{p},{','.join(map(str, row))}\n" for p, row in enumerate(rows)))
    base = written("query_id,score\n" + "".join(f"q{place},0.5\n" for place in range(12)), "base.csv")
    _, verdict, _, notes = biasvar("risk", path, "--baseline", f"file:{base}").out.split("\n\n")
    assert " ".join(map(str.strip, verdict.splitlines())) == (
        "Safe (mean significantly above the baseline's, u_risk_1 above 0): 1 of 3 runs: up (wins 12, losses 0). "
        "Risky (u_risk_1 significantly below 0): 1 of 3 runs: down. "
        "Neither: the other run, for which these queries do not decide. "
        "Tests: two-sided step-down bootstrap, p < 0.05, adjusted for 3 runs; of mean differences for safe, of "
        "u_risk_1 for risky."
    )
    assert len(notes.splitlines()) <= 6
    full = said("risk", path, "--baseline", f"file:{base}", "--notes", "full", "--seed", "3")
    assert "than the other runs: 2 of 3 runs: down and up." in full  # by p / 1000 more on query p
    assert "(9999 resamples, seed 3)" in full


def test_text_says_why_no_run_is_called_safe_or_risky(biasvar: Command, three: Path):
    few = biasvar("risk", three).out
    assert "No run is called safe or risky: that takes at least 6 queries, and there are 4." in few
    best = biasvar("risk", *SAMPLE, "--baseline", "best").out  # no run can be above it
    alone = biasvar("risk", "sample_runs/rm.gz", *SAMPLE[1:], "--baseline", "rm").out
    assert "safe" not in (best + alone).lower()
    assert "Every difference from the best scores is a loss or a tie" in best
    assert "The baseline is the only run" in alone


def test_undefined_numbers_are_null_with_the_reason(biasvar: Command, written):
    path = written("topic,r1,r2\n1,-.5,.5\n2,.25,.5\n")
    rows = only(biasvar("risk", path, "-f", "json"))["runs"]
    assert [[row[name] for name in ("gmap", "z_risk_1", "geo_risk_1")] for row in rows] == [[None] * 3] * 2
    assert all(isinstance(row["u_risk_1"], float) for row in rows)
    assert "there is a negative score" in biasvar("risk", path).out
    assert "only one run" in biasvar("risk", written("topic,r1\n1,.5\n2,.25\n")).out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("--baseline run:r4", 1, "--baseline run:r4: there is no such run; the runs are r1, r2, r3"),
        ("--baseline meen", 1, "--baseline meen: there is no such run; did you mean mean or median?"),
        ("--baseline run:", 2, "baseline 'run:': expected run:NAME"),
        ("--baseline file:absent.csv", 1, "absent.csv: cannot be read: No such file or directory"),
        ("--baseline file:half.csv", 1, "half.csv: no score for 3 queries: 2, 3, 4"),
        ("--baseline file:large.csv -m AP", 1, "large.csv: the score of query 2 is 20, but AP is from 0 to"),
        ("--baseline file:other.csv -m AP", 1, "other.csv:3: this score is of nDCG@10, but the runs are"),
        ("--alpha 1,1.0000001", 2, "1.0 and 1.0000001 would both be the column u_risk_1; keep one of them"),
        ("--alpha 1,x", 2, "'1,x' is not A or A,A,..., such as 0,1,5,10"),
        ("--r-loss 20", 2, "--r-loss: needs a run as the baseline: run:NAME or top"),
        ("--r-loss 20 --baseline top", 2, "--r-loss: needs runs and their qrels (-q)"),
        ("--r-loss 20 --baseline top -q qrels", 2, "--r-loss needs runs; three.csv has scores"),
        ("--table run:r9", 1, "--table run:r9: there is no such run; the runs are r1, r2, r3"),
        ("--table losses", 2, "'losses' is not runs, queries or run:NAME"),
        ("--table queries --ci .9", 2, "--ci adds columns to --table runs; --table queries has none of"),
        ("--table queries --sort delta", 2, "--sort delta: there is no column delta; the columns are query"),
        ("--resamples 100", 2, "--resamples: needs --ci, the level of the intervals"),
    ],
)
def test_what_is_wrong_is_said(refused, written, monkeypatch, arguments: str, code: int, message: str):
    monkeypatch.chdir(written(THREE, "three.csv").parent)
    written("query_id,score\n1,.5\n", "half.csv")
    written("query_id,score\n1,.5\n2,20\n3,.5\n4,.5\n", "large.csv")
    written("measure,query_id,score\nAP,1,.5\nnDCG@10,2,.2\nAP,3,.5\nAP,4,.5\n", "other.csv")
    written("".join(f"{query} 0 d 1\n" for query in range(1, 5)), "qrels")
    refused(code, message, "risk", "three.csv", *arguments.split())


# ---- figures


def test_lines_are_u_risk_and_rings_stand_where_the_best_run_changes(biasvar: Command, drawn: Draw, shared: RealData):
    track = shared / "score-matrices" / "trec5-adhoc-ap.csv"
    spec = drawn("risk", track, "--baseline", "run:run60", "--alpha", "5")
    rows = {row["run"]: row for row in only(biasvar("risk", track, "--baseline", "run:run60", "-f", "json"))["runs"]}
    for row in spec["datasets"]["lines"]:
        if row["alpha"] in (0, 5):
            assert row["u_risk"] == pytest.approx(rows[row["run"]][f"u_risk_{row['alpha']:g}"])
    (change,) = spec["datasets"]["changes"]
    one, other = rows["run26"], rows[change["run"]]
    assert change["alpha"] == pytest.approx((one["delta"] - other["delta"]) / (one["risk"] - other["risk"]))
    for alpha, best in ((change["alpha"] - 0.01, "run26"), (change["alpha"] + 0.01, change["run"])):
        assert max(rows, key=lambda run: rows[run]["delta"] - alpha * rows[run]["risk"]) == best
    assert spec["title"]["text"] == "The best run changes with the weight of losses"


def test_bars_are_the_differences_of_a_run(biasvar: Command, drawn: Draw):
    spec = drawn("losses", *SAMPLE, "--baseline", "run:rm", "--run", "orig")
    rows = only(biasvar("risk", *SAMPLE, "--baseline", "run:rm", "--table", "run:orig", "-f", "json"))["queries"]
    bars = spec["datasets"]["queries"]
    assert {bar["query_id"]: bar["delta"] for bar in bars} == {row["query_id"]: row["delta"] for row in rows}
    assert [bar["delta"] for bar in reversed(bars)] == [row["delta"] for row in rows]
    assert {bar["what"] for bar in bars if bar["delta"] < 0} == {"loss"}
    gains, losses = (sum(sign * bar["delta"] > 0 for bar in bars) for sign in (1, -1))
    assert str(spec["title"]["text"]) == f"orig against rm: {gains} gains, {losses} losses, equal on 2"


def test_the_run_of_losses_is_the_best_but_the_baseline(drawn: Draw, three: Path):
    assert str(drawn("losses", three, "--baseline", "run:r2")["title"]["text"]).startswith("r1 against r2: ")
    against_mean = " ".join(drawn("losses", three, "--baseline", "mean", "--width", "two")["title"]["text"].split())
    assert against_mean.startswith("r2 against the mean of the runs: ")


@pytest.mark.parametrize(("run", "counts", "bound"), [("b", "2 gains, no loss", 0), ("a", "2 losses, no gain", 1)])
def test_a_legend_and_an_axis_have_gains_or_losses_only_where_there_are_some(
    drawn: Draw, written, run: str, counts: str, bound: int
):
    other = "a" if run == "b" else "b"
    path = written("topic,a,b\n1,.25,.5\n2,.25,.75\n3,.5,.5\n")
    spec = drawn("losses", path, "--run", run, "--baseline", f"run:{other}")
    encoding = spec["layer"][0]["encoding"]
    assert spec["title"]["text"] == f"{run} against {other}: {counts}, equal on 1"
    assert encoding["fill"]["legend"] is None
    assert encoding["y"]["scale"]["domain"][bound] == 0


def test_equal_runs_share_a_line_with_both_names(drawn: Draw, written):
    data = drawn("risk", written("topic,a,b,c,d\n1,.5,.1,.5,.3\n2,.25,.4,.25,.3\n"))["datasets"]
    assert [row["run"] for row in data["lines"][::5]] == ["a and c", "d", "b"]
    own = {row["text"]: row for row in data["names"]}
    assert list(own) == ["a,", "c", "d", "b"]
    assert own["a,"]["u_risk"] == own["c"]["u_risk"]
    assert own["c"]["dy"] - own["a,"]["dy"] == pytest.approx(8.5)


def test_names_that_have_no_room_are_in_a_legend(drawn: Draw, written):
    names = [f"{'x' * 60}{letter}{'y' * 60}" for letter in "abc"]
    spec = drawn("risk", written(f"topic,{','.join(names)}\n1,.5,.1,.2\n2,.25,.4,.3\n"))
    assert "names" not in spec["datasets"]
    assert spec["layer"][1]["encoding"]["shape"]["legend"]["orient"] == "bottom"


@pytest.mark.parametrize("figure", ["risk", "losses"])
def test_equal_runs_make_a_figure(drawn: Draw, written, figure: str):
    layers = drawn(figure, written("topic,r1,r2\n1,.5,.5\n2,.25,.25\n"))["layer"]
    ((low, high),) = {tuple(layer["encoding"]["y"]["scale"]["domain"]) for layer in layers}
    assert low < 0 < high


def test_a_figure_of_what_is_not_there(refused, three: Path, tmp_path: Path):
    message = "--run r9: there is no such run; the runs are r1, r2, r3"
    refused(1, message, "plot", "losses", three, "--run", "r9", "-o", tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


def test_the_verdict_follows_from_the_adjusted_p(biasvar: Command):
    found = only(biasvar("risk", *SAMPLE, "--baseline", "run:orig", "--alpha", "0,5,1", "-f", "json"))
    pairs = only(biasvar("compare", *SAMPLE, "--baseline", "orig", "--test", "stepdown", "-f", "json"))["pairs"]
    p = {pair["run"]: pair["stepdown_p"] for pair in pairs}
    called = set()
    for row in found["runs"]:
        if row["run"] == "orig":
            assert {row[name] for name in of_verdicts("0", "5", "1")} == {None}
            continue
        assert row["mean_p"] == row["risk_p_0"] == pytest.approx(p[row["run"]], abs=1e-12)
        safe = row["mean_p"] < 0.05 and row["delta"] > 0 and row["u_risk_5"] > 0
        risky = row["risk_p_5"] < 0.05 and row["u_risk_5"] < 0
        assert row["verdict"] == ("safe" if safe else "risky" if risky else "neither")
        called.add(row["verdict"])
    assert called == {"safe", "risky", "neither"}
    at_1 = only(biasvar("risk", *SAMPLE, "--baseline", "run:orig", "--alpha", "1", "-f", "json"))["runs"]
    assert [row["risk_p_1"] for row in at_1] == [row["risk_p_1"] for row in found["runs"]]


def test_beside_the_best_run_p_allows_for_all_pairs(biasvar: Command, said):
    found = only(biasvar("risk", *SAMPLE, "--baseline", "top", "-f", "json"))
    pairs = only(biasvar("compare", *SAMPLE, "--baseline", "top", "--test", "stepdown", "-f", "json"))["pairs"]
    p = {pair["run"]: pair["stepdown_p"] for pair in pairs}
    for row in found["runs"]:
        expected = p.get(row["run"])
        assert {row[name] for name in ("mean_p", "risk_p_0", "risk_p_1", "risk_p_10")} == {expected}
        assert row["verdict"] == (None if expected is None else "risky" if expected < 0.05 else "neither")
        assert expected is None or row["u_risk_1"] <= row["delta"] < 0
    text = said("risk", *SAMPLE, "--baseline", "top")
    n_risky = sum(row["verdict"] == "risky" for row in found["runs"])
    assert f"Risky (mean significantly below that of rel-fb, and so u_risk_1 below 0): {n_risky} of 21 runs" in text
    assert "for all 231 pairs of runs together, since rel-fb was chosen for its mean." in text
    assert "Safe (" not in text
    named = said("risk", *SAMPLE, "--baseline", "rel-fb")
    assert "rel-fb has the best mean. If it was chosen for that, use --baseline top" in named


def test_no_verdict_without_a_test_is_an_empty_column(biasvar: Command, three: Path):
    for baseline in ("best", "mean"):  # of four queries
        rows = rows_of(biasvar("risk", three, "--baseline", baseline, "-f", "csv"))
        assert {row[name] for row in rows for name in of_verdicts("0", "1", "5", "10")} == {""}
        assert "verdict" not in biasvar("risk", three, "--baseline", baseline).out
