"""``biasvar judges --calibrate`` and ``--table components``: what is printed, what JSON has, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import only
from test_judges_command import QUICK, scores

import biasvar_cli as bv
from biasvar_cli.decomposition.calibrated import Calibrated
from biasvar_cli.decomposition.components import components
from biasvar_cli.stats.paired import Pairs

N_BOTH, N_ALONE = 12, 40


def worlds(n_runs: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Scores under people, who judged the first queries, and under a model that judged all."""
    rng = np.random.default_rng(5)
    truth = np.linspace(0.2, 0.7, n_runs)[:, None] + rng.normal(size=N_BOTH + N_ALONE) * 0.15
    truth = truth + rng.normal(size=truth.shape) * 0.05
    return truth[:, :N_BOTH], 0.1 + truth + rng.normal(size=truth.shape) * 0.05


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    people, model = worlds()
    return scores(tmp_path, people=people, model=model)


def test_runs_have_the_calibrated_values_of_the_formulas(biasvar, files):
    people, model = worlds()
    expected = Calibrated(people, model[:, :N_BOTH], model[:, N_BOTH:])
    found = only(biasvar("judges", *files, "--calibrate", "--half-width", ".05", *QUICK, "-f", "json", "--quiet"))
    runs, low, high = expected.runs(), *expected.runs().interval(0.95)
    for row, run in enumerate(found["runs"]):
        assert run["calibrated"] == pytest.approx(runs.value[row])
        assert (run["low"], run["high"]) == (pytest.approx(low[row]), pytest.approx(high[row]))
        assert run["people"] == pytest.approx(people[row].mean())
        assert run["model"] == pytest.approx(model[row].mean())
        assert run["rank_low"] <= run["rank"] <= run["rank_high"]
    (judge,) = found["judges"]
    of_judge = judge["calibrated"]
    assert ",".join(of_judge) == (
        "of,n_both,n_alone,lambda_level,lambda_differences,worth,n_significant,n_significant_reference,sample_p,"
        "queries_needed"
    )
    assert (of_judge["of"], of_judge["n_both"], of_judge["n_alone"]) == ("mean", N_BOTH, N_ALONE)
    assert of_judge["lambda_differences"] == pytest.approx(expected.lambda_differences)
    assert of_judge["queries_needed"] == expected.queries_needed(0.05, 0.95)
    assert of_judge["n_significant"] >= of_judge["n_significant_reference"]


def test_judges_in_another_order_keep_their_own_calibration(biasvar, tmp_path):
    people, model = worlds()
    files = scores(tmp_path, people=people, model=model, noise=np.random.default_rng(7).random(model.shape))
    words = ("judges", *files, "--calibrate", *QUICK, "-f", "json", "--quiet", "--table", "judges")
    as_given, sorted_by_name = only(biasvar(*words))["judges"], only(biasvar(*words, "--sort", "-judge"))["judges"]
    assert [judge["judge"] for judge in sorted_by_name] == ["noise", "model"]
    assert sorted_by_name == as_given[::-1]
    assert as_given[0]["calibrated"]["lambda_differences"] > as_given[1]["calibrated"]["lambda_differences"]


@pytest.mark.parametrize("half_width", ["1e-5", "1e-300"])
def test_no_number_is_said_to_be_needed_for_an_absurd_half_width(biasvar, said, files, half_width):
    words = ("judges", *files, "--calibrate", "--half-width", half_width, *QUICK, "--quiet")
    what = f"A difference of two runs within ±{float(half_width):g} takes more than 1000000 queries judged by people."
    assert what in said(*words)
    assert only(biasvar(*words, "-f", "json"))["judges"][0]["calibrated"]["queries_needed"] is None


def test_the_answer_comes_first_and_rows_are_runs(said, biasvar, files):
    text = said("judges", *files, "--calibrate", "--half-width", ".05", *QUICK, "--quiet")
    for words in (
        "With model on 40 more queries, the 12 judged by people tell differences as well as ",
        "Of 15 pairs of runs ",
        " with people alone.",
        "Do not read the means by model alone as those of people: for 6 of 6 runs they lie outside",
        "A difference of two runs within ±0.0500 takes ",
        'For a paper: "Means of scores are calibrated: 12 queries judged by people and model, 40 more by model alone',
    ):
        assert words in text
    csv = biasvar("judges", *files, "--calibrate", *QUICK, "-f", "csv", "--table", "judges", "--quiet").out.splitlines()
    assert csv[0].endswith(
        "spread_p,of,n_both,n_alone,lambda_level,lambda_differences,worth,n_significant,"
        "n_significant_reference,sample_p,queries_needed"
    )
    csv = biasvar("judges", *files, "--calibrate", *QUICK, "-f", "csv", "--quiet").out.splitlines()
    assert csv[0].endswith("mark,people,calibrated,low,high,model,worth,rank,rank_low,rank_high")
    assert len(csv) == 7
    other = biasvar("judges", *files, "--calibrate", "--table", "judges", *QUICK, "-f", "csv", "--quiet").out
    assert other.splitlines()[0].startswith("measure,judge,mean,slope")


@pytest.mark.parametrize("of", ["bias", "total_gap"])
def test_errors_are_calibrated_against_the_target_of_each_judge(biasvar, files, of):
    people, model = worlds()
    gaps = [values.max(axis=0) - values for values in (people, model)]
    y, f = gaps if of == "bias" else [gap**2 for gap in gaps]
    expected = Calibrated(y, f[:, :N_BOTH], f[:, N_BOTH:]).runs()
    found = only(biasvar("judges", *files, "--calibrate", "--of", of, *QUICK, "-f", "json", "--quiet"))
    assert [run["calibrated"] for run in found["runs"]] == pytest.approx(expected.value.tolist())
    best = min(found["runs"], key=lambda run: run["calibrated"])
    assert best["rank"] == 1


def test_less_is_better(biasvar, tmp_path):
    """Times: means are calibrated as they are, and the quickest run has rank 1; errors do not change their sign."""
    people, model = worlds()
    files = scores(tmp_path, people=people + 1, model=model + 1)
    words = ("judges", *files, "--calibrate", *QUICK, "-f", "json", "--quiet")
    more, less = (only(biasvar(*words, *option)) for option in ((), ("--lower-is-better",)))
    for name in ("people", "calibrated", "low", "high", "model", "worth"):
        assert [run[name] for run in less["runs"]] == pytest.approx([run[name] for run in more["runs"]])
    assert [run["rank"] for run in less["runs"]] == [7 - run["rank"] for run in more["runs"]]
    bias = only(biasvar(*words, "--lower-is-better", "--of", "bias"))["runs"]
    assert min(run["people"] for run in bias) >= 0
    assert all(run["low"] <= run["calibrated"] <= run["high"] for run in bias)


def test_several_models_have_rows_each_and_passes_are_one(biasvar, tmp_path):
    people, model = worlds()
    noise = np.random.default_rng(0).normal(size=model.shape) * 0.05
    judges = {"people": people, "m-pass1": model + noise, "m-pass2": model - noise, "other": model}
    files = scores(tmp_path, **judges)
    found = only(
        biasvar("judges", *files, "--calibrate", "--replicates", "-pass[0-9]", *QUICK, "-f", "json", "--quiet")
    )
    assert [judge["judge"] for judge in found["judges"]] == ["m", "other"]
    mean, other = (judge["calibrated"] for judge in found["judges"])
    assert mean["lambda_differences"] == pytest.approx(other["lambda_differences"])
    assert len(found["runs"]) == 12


def test_in_a_notebook(biasvar, files):
    people, model = worlds()
    result = bv.judges([str(path) for path in files], calibrate=True, samples=200)
    expected = Calibrated(people, model[:, :N_BOTH], model[:, N_BOTH:]).runs().value
    assert result.frame("runs")["calibrated"].tolist() == pytest.approx(sorted(expected, reverse=True))
    assert result.verdict.startswith("With model on 40 more queries, the 12 judged by people")


def test_topics_that_people_judged_without_a_relevant_document_are_not_those_of_the_model_alone(biasvar, tmp_path):
    """People judge topics 1 to 8, of which 8 has nothing relevant; the model judges 1 to 20."""
    runs = tmp_path / "runs"
    runs.mkdir()
    rng = np.random.default_rng(0)
    for name in "xy":
        lines = [
            f"{topic} Q0 {doc} 1 {rng.random():.4f} {name}" for topic in range(1, 21) for doc in ("a", "b", "c", "d")
        ]
        (runs / name).write_text("\n".join(lines))
    judged = [f"{topic} 0 {doc} {int(doc == 'a' and topic != 8)}" for topic in range(1, 9) for doc in "abcd"]
    model = [f"{topic} 0 {doc} {int(doc in 'ab')}" for topic in range(1, 21) for doc in "abcd"]
    for name, lines in (("people", judged), ("model", model)):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines))
    qrels = [word for name in ("people", "model") for word in ("-q", tmp_path / f"{name}.txt")]
    found = only(biasvar("judges", runs, *qrels, "-m", "RR", "--calibrate", *QUICK, "-f", "json", "--quiet"))
    of_judge = found["judges"][0]["calibrated"]
    assert (of_judge["n_both"], of_judge["n_alone"]) == (7, 12)


def test_runs_have_their_differences_from_a_baseline(biasvar, said, files):
    """Intervals and p are of the five pairs together."""
    people, model = worlds()
    expected, others = Calibrated(people, model[:, :N_BOTH], model[:, N_BOTH:]), np.array([0, 1, 3, 4, 5])
    deltas = expected.differences(Pairs(others, np.full(5, 2)))
    words = ("judges", *files, "--calibrate", "--baseline", "r2", "--samples", "999")
    rows = only(biasvar(*words, "-f", "json", "--quiet"))["runs"]
    assert {rows[2][name] for name in ("delta", "delta_low", "delta_high", "delta_p")} == {None}
    rows = [row for row in rows if row["run"] != "r2"]
    assert [row["delta"] for row in rows] == pytest.approx(deltas.value.tolist())
    assert len({round(row["delta_high"] - row["delta"], 9) for row in rows}) == 1
    reach = rows[0]["delta_high"] - rows[0]["delta"]
    assert reach > (deltas.interval(0.95)[1] - deltas.value).min()
    for row in rows:
        assert row["delta_low"] == pytest.approx(row["delta"] - reach)
        assert (row["delta_p"] < 0.05) or abs(row["delta"]) <= reach
    better = sum(row["delta_p"] < 0.05 and row["delta"] > 0 for row in rows)
    text = said(*words, "--quiet")
    assert f"Of 5 other runs {better} are significantly better than r2 and " in text
    assert "(step-down bootstrap over these 5 pairs, p < 0.05)" in text
    assert "delta: the calibrated difference from the baseline; interval: 95 %, for all runs together" in text


def test_with_a_judge_that_says_nothing_a_baseline_is_tested_as_in_compare(biasvar, tmp_path):
    people, model = worlds()
    files = scores(tmp_path, people=people, model=np.ones_like(model))
    asked = ("--baseline", "r2", "--samples", "999", "-f", "json", "--quiet")
    rows = only(biasvar("judges", *files, "--calibrate", *asked))["runs"]
    pairs = {pair["run"]: pair for pair in only(biasvar("compare", files[0], *asked))["pairs"]}
    for row in (row for row in rows if row["run"] != "r2"):
        pair = pairs[row["run"]]
        assert row["delta_p"] == pair["stepdown_p"]
        assert (row["delta_low"], row["delta_high"]) == pytest.approx((pair["family_low"], pair["family_high"]))


@pytest.mark.parametrize("baseline", [(), ("--baseline", "r2")])
@pytest.mark.parametrize("unit", [(), ("--lower-is-better",)])
def test_the_figure_has_two_intervals_a_run(biasvar, drawn, tmp_path, baseline, unit):
    people, model = worlds()
    files = scores(tmp_path, people=people + 1, model=model + 1)
    words = (*files, *baseline, *unit, *QUICK, "--quiet")
    runs = only(biasvar("judges", *words, "--calibrate", "-f", "json"))["runs"]
    spec = drawn("calibrated", *words)
    rows, prefix = spec["datasets"]["runs"], "delta_" if baseline else ""
    best_first = sorted(runs, key=lambda run: run["rank"])
    runs = [run for run in best_first if run["run"] != "r2" or not baseline]
    assert [row["run"] for row in rows] == [run["run"] for run in runs for _ in "12"]
    for run, by_people, calibrated in zip(runs, rows[::2], rows[1::2], strict=True):
        assert (by_people["by"], calibrated["by"]) == ("people alone", "calibrated")
        assert calibrated["low"] == pytest.approx(run[f"{prefix}low"])
        assert calibrated["high"] == pytest.approx(run[f"{prefix}high"])
        if not baseline:
            assert by_people["value"] == pytest.approx(run["people"])
        assert by_people["low"] < by_people["value"] < by_people["high"]
    title = " ".join(spec["title"]["text"])
    assert ("Of 5 other runs" if baseline else "With model on 40 more queries, the 12 judged by people tell") in title


def test_the_figure_shows_one_judge(refused, tmp_path):
    people, model = worlds()
    files = scores(tmp_path, people=people, one=model, two=model)
    message = "calibrated shows one judge beside people: give one or two alone"
    refused(2, message, "plot", "calibrated", *files, *QUICK, "-o", tmp_path / "x.json")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("people.csv all.csv --calibrate --baseline r9", 1, "--baseline r9: there is no such run"),
        ("people.csv all.csv --calibrate --baseline top", 2, "--baseline: name a run that was chosen beforehand"),
        ("people.csv all.csv --baseline r2", 2, "--baseline: only with --calibrate"),
        ("people.csv all.csv --calibrate --clusters (.*)", 2, "queries in clusters cannot be calibrated"),
        ("people.csv same.csv --calibrate", 1, "people judged every query that same judged"),
        ("few.csv all.csv --calibrate", 1, "found 5 and 47"),
        ("people.csv some.csv --calibrate", 1, "found 12 and 3"),
        ("people.csv all.csv --of bias", 2, "--of"),
        ("people.csv all.csv --half-width .1", 2, "--half-width"),
        ("people.csv all.csv --calibrate --half-width 0", 2, "--half-width"),
        ("people.csv all.csv --calibrate --of bias --target mean:.5", 2, "takes a target with a score for each"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(refused, tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    people, model = worlds()
    size = {"all": 52, "same": N_BOTH, "some": N_BOTH + 3}
    scores(tmp_path, people=people, few=people[:, :5], **{name: model[:, :n] for name, n in size.items()})
    refused(code, message, "judges", *words.split(), *QUICK)


# ---- components of variance


def test_components_of_several_judges(biasvar, said, tmp_path):
    people, model = worlds()
    both = np.stack([people, model[:, :N_BOTH]], axis=2)
    files = scores(tmp_path, people=people, model=model[:, :N_BOTH])
    found = only(biasvar("judges", *files, "--table", "components", "-f", "json", "--quiet"))
    expected = components(both)
    assert {row["component"]: row["variance"] for row in found["components"]} == pytest.approx(expected.variances)
    assert found["limit"] == pytest.approx(expected.reliability(np.inf))
    sizes = {(row["n_queries"], row["n_judges"]): row["reliability"] for row in found["reliability"]}
    assert sizes[24, 3] == pytest.approx(expected.reliability(24, 3))
    text = said("judges", *files, "--table", "components", "--quiet")
    assert "The ranking of the runs by mean has a reliability of 0." in text


def test_components_of_one_judge_and_of_sensitivity_are_the_same(said, tmp_path):
    (file,) = scores(tmp_path, people=worlds()[0])
    sentence = "The ranking of the runs by mean has a reliability of "
    texts = [said(*words, file, "--quiet") for words in (("judges", "--table", "components"), ("sensitivity",))]
    texts[1] = said("sensitivity", file, "--table", "reliability", "--quiet")
    one, two = (text[text.index(sentence) :].partition(" % the rest.")[0] for text in texts)
    assert one == two
    assert "What a judge other than people would change is not known" in texts[0]


def test_passes_of_one_model_tell_nothing_of_another_judge(said, tmp_path):
    people, _ = worlds()
    files = scores(tmp_path, one=people, two=people + 0.1, three=people - 0.1)
    text = said("judges", *files, "--table", "components", "--quiet")
    assert "The judges differ in nothing that tells runs apart, as passes of one model do" in text


def test_json_of_components_has_one_result(biasvar, files):
    document = json.loads(biasvar("judges", *files, "--table", "components", "-f", "json", "--quiet").out)
    (found,) = document["results"]
    assert [name for name in found if name in ("components", "reliability", "limit")] == [*found][-4:-1]
