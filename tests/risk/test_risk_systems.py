"""Risk of systems that have several runs: the formula by hand, what agrees with compare, and what the text says."""

import numpy as np
import pytest
from conftest import only, rows_of, systems_of
from scipy import stats

from biasvar_cli.stats.significance import holm

SYSTEMS = ("--replicates", "-[0-9]+")
RUNS = {"A": 3, "B": 2, "C": 1, "D": 5}
ALPHA = 5


@pytest.fixture
def scores(tmp_path):
    """Four systems of three, two, one and five runs on 30 queries, as a file and as arrays by system."""
    return systems_of(RUNS, tmp_path / "seeds.csv")


def by_hand(systems, name, of_baseline, alpha):
    """U_risk of a system, df and p, by the formula; ``of_baseline`` are the weights of the systems in the baseline."""
    means = {system: runs.mean(axis=0) for system, runs in systems.items()}
    d = means[name] - sum(of_baseline[system] * means[system] for system in systems)
    weight = np.where(d < 0, 1 + alpha, 1)
    parts = [((weight * d).var(ddof=1) / len(d), len(d) - 1)]
    several = {system: runs for system, runs in systems.items() if len(runs) > 1}
    spread = {system: (weight * runs).mean(axis=1).var(ddof=1) for system, runs in several.items()}
    df = {system: len(runs) - 1 for system, runs in several.items()}
    pooled = sum(df[system] * spread[system] for system in several) / sum(df.values())
    for system, runs in several.items():
        variance = spread[system] if len(runs) >= 5 else max(spread[system], pooled)
        parts.append((((system == name) - of_baseline[system]) ** 2 * variance / len(runs), df[system]))
    v = sum(part for part, _ in parts)
    of_t = v**2 / sum(part**2 / f for part, f in parts)
    u_risk = (weight * d).mean()
    return u_risk, v, of_t, 2 * stats.t.sf(abs(u_risk) / v**0.5, of_t)


@pytest.mark.parametrize("baseline", ["run:B", "mean", "file"])
def test_risk_of_systems_is_the_formula(biasvar, scores, baseline, tmp_path):
    path, systems = scores
    weights = {"run:B": {**dict.fromkeys(systems, 0), "B": 1}, "mean": dict.fromkeys(systems, 0.25)}
    of_baseline = weights.get(baseline, dict.fromkeys(systems, 0))
    typed, others = baseline, [name for name in systems if baseline != f"run:{name}"]
    if baseline == "file":
        fixed = tmp_path / "zero.csv"
        fixed.write_text("query_id,score\n" + "".join(f"q{query},0.35\n" for query in range(30)), encoding="utf-8")
        typed, systems = f"file:{fixed}", {name: runs - 0.35 for name, runs in systems.items()}
    options = (*SYSTEMS, "--baseline", typed, "--alpha", f"0,{ALPHA}", "--ci", 0.9)
    found = only(biasvar("risk", path, *options, "-f", "json"))
    assert found["infer"] == "systems"
    rows = {row["run"]: row for row in found["runs"]}
    hand = {(name, alpha): by_hand(systems, name, of_baseline, alpha) for name in others for alpha in (0, ALPHA)}
    for alpha, column in ((0, "mean_p"), (ALPHA, f"risk_p_{ALPHA}")):
        adjusted = holm(np.array([hand[name, alpha][-1] for name in others]))
        assert [rows[name][column] for name in others] == pytest.approx(adjusted.tolist())
        for name in others:
            u_risk, v, df, _ = hand[name, alpha]
            assert rows[name][f"u_risk_{alpha}"] == pytest.approx(u_risk)
            assert rows[name][f"u_risk_{alpha}_high"] == pytest.approx(u_risk + stats.t.isf(0.05, df) * v**0.5)
            if alpha == 0:
                assert rows[name]["df"] == pytest.approx(df)
                assert 0 <= rows[name]["share_replicates"] <= 1


@pytest.mark.parametrize("more", [(), ("--paired-replicates",)])
@pytest.mark.parametrize("baseline", ["B", "top"])
def test_means_have_the_p_of_compare(biasvar, scores, baseline, more):
    path, _ = scores
    pattern = SYSTEMS
    if more:  # three systems, of which two have two runs that belong together
        listed = path.parent / "systems.csv"
        listed.write_text("run,system\nA-1,A\nA-2,A\nB-1,B\nB-2,B\nC-1,C\n", encoding="utf-8")
        lines = [line.split(",") for line in path.read_text(encoding="utf-8").splitlines()]
        keep = [0, *(lines[0].index(name) for name in ("A-1", "A-2", "B-1", "B-2", "C-1"))]
        path.write_text("".join(",".join(line[column] for column in keep) + "\n" for line in lines), encoding="utf-8")
        pattern = ("--replicates", listed)
    arguments = (path, *pattern, *more, "--half-width", 0.05)
    compared = only(biasvar("compare", *arguments, "--baseline", baseline, "-f", "json"))
    risk = only(biasvar("risk", *arguments, "--baseline", baseline, "-f", "json"))
    names = ("df", "share_replicates", "replicates_needed", "queries_needed")
    p_of = {row["run"]: row for row in risk["runs"]}
    for pair in compared["pairs"]:
        row = p_of[pair["run"]]
        assert row["mean_p"] == pytest.approx(pair["t_holm"])
        assert [row[name] for name in names] == pytest.approx([pair[name] for name in names])


def test_one_run_each_and_infer_runs_are_the_tests_of_the_means(biasvar, scores, tmp_path):
    path, systems = scores
    means = tmp_path / "means.csv"
    lines = ["AP," + ",".join(systems)]
    lines += [f"q{q}," + ",".join(repr(float(runs.mean(axis=0)[q])) for runs in systems.values()) for q in range(30)]
    means.write_text("\n".join(lines) + "\n", encoding="utf-8")
    columns = ("mean_p", "risk_p_1", "verdict")
    of_means = [[row[name] for name in columns] for row in rows_of(biasvar("risk", means, "-f", "csv"))]
    of_runs = rows_of(biasvar("risk", path, *SYSTEMS, "--infer", "runs", "-f", "csv"))
    assert [[row[name] for name in columns] for row in of_runs] == of_means
    assert "so they are about these runs of a system" in biasvar("risk", path, *SYSTEMS, "--infer", "runs").out
    of_systems = rows_of(biasvar("risk", path, *SYSTEMS, "-f", "csv"))
    assert [row["mean_p"] for row in of_systems] != [row["mean_p"] for row in of_runs]


@pytest.mark.parametrize(("baseline", "claim"), [("B", "Tests"), ("median", "Tests"), ("top", "Test")])
def test_text_says_what_the_tests_ask(biasvar, scores, baseline, claim):
    text = " ".join(biasvar("risk", scores[0], *SYSTEMS, "--baseline", baseline, "--notes", "full").out.split())
    assert f"{claim}: two-sided t test over queries and runs with Holm's correction" in text
    assert "The tests ask whether other runs of these systems, and other queries, would say so too" in text
    assert "C has one run and is taken as it is" in text
    assert "resamples" not in text


def test_options_of_systems_need_systems(biasvar, scores):
    result = biasvar("risk", scores[0], "--half-width", 0.02)
    assert result.code == 2
    assert "--half-width: needs systems of several runs (--replicates)" in result.err


@pytest.mark.parametrize("infer", ["systems", "runs"])
def test_the_best_system_is_compared_in_clusters(biasvar, scores, tmp_path, infer):
    clusters = tmp_path / "clusters.csv"
    clusters.write_text("query_id,cluster\n" + "".join(f"q{q},{q // 3}\n" for q in range(30)), encoding="utf-8")
    typed = ("--clusters", clusters, "--infer", infer, *SYSTEMS, "-f", "json")
    risk = only(biasvar("risk", scores[0], *typed, "--baseline", "top"))
    compared = only(biasvar("compare", scores[0], *typed, "--baseline", "top"))
    p = {pair["run"]: pair["stepdown_p" if infer == "runs" else "t_holm"] for pair in compared["pairs"]}
    assert {row["run"]: row["mean_p"] for row in risk["runs"] if row["mean_p"] is not None} == pytest.approx(p)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("baseline", ["A", "top", "mean", "best"])
@pytest.mark.parametrize("queries", [1, 4, 12])
def test_few_queries_and_equal_runs_have_no_verdict(biasvar, tmp_path, queries, baseline):
    path = tmp_path / "equal.csv"
    rows = [f"q{query},{0.1 * (query % 7):.1f}" + f",{0.1 * (query % 7):.1f}" * 4 for query in range(queries)]
    path.write_text("\n".join(["AP,A-1,A-2,A-3,B-1,B-2", *rows]) + "\n", encoding="utf-8")
    typed = ("risk", path, *SYSTEMS, "--baseline", baseline, "--half-width", 0.05, "--ci", 0.9, "-f", "json")
    assert {row["verdict"] for row in only(biasvar(*typed))["runs"]} <= {None, "neither"}
