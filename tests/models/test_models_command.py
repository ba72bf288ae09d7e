"""``biasvar models``: what its options add, what it refuses, and what it says of odd models."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, RealData, only, rows_of
from scipy import stats

TRUE = {"q1": {"a": 0.5, "b": 0.3, "c": 0.2}, "q2": {"b": 0.6, "d": 0.4}, "q3": {"a": 0.7, "d": 0.3}}
ORIGINAL = {"q1": {"a": 1.0}, "q2": {"b": 0.5, "d": 0.5}, "q3": {"a": 1.0}}
FEEDBACK = {"q1": {"a": 0.4, "b": 0.4, "c": 0.2}, "q2": {"b": 0.5, "c": 0.5}, "q3": {"a": 1.0}}  # q3: none found


def write(name: str, model: dict[str, dict[str, float]]) -> None:
    lines = [f"{query}\t{term}\t{weight}\n" for query, own in model.items() for term, weight in own.items()]
    Path(name).write_text("".join(lines))


def mixed(share: float) -> dict[str, dict[str, float]]:
    return {
        query: {
            term: share * ORIGINAL[query].get(term, 0) + (1 - share) * FEEDBACK[query].get(term, 0)
            for term in ORIGINAL[query] | FEEDBACK[query]
        }
        for query in TRUE
    }


@pytest.fixture
def models(in_an_empty_folder: None) -> tuple[str, ...]:
    """Six models in a folder with the true one, a score file of their runs, and the counts of a background."""
    Path("models").mkdir()
    write("models/true.tsv", TRUE)
    write("models/orig.tsv", ORIGINAL)
    write("models/rm.tsv", FEEDBACK)
    for share in (0.2, 0.5, 0.8):
        write(f"models/mix-{share}.tsv", mixed(share))
    Path("ap.csv").write_text(
        "AP,orig,rm,mix-0.2,mix-0.5,mix-0.8,true,other\n"
        "q1,.1,.5,.4,.3,.2,.9,.2\nq2,.2,.1,.3,.3,.2,.8,.3\nq3,.3,.3,.25,.4,.53,.7,.1\n"
    )
    Path("background.tsv").write_text("a\t5\nb\t3\nc\t2\nd\t1\n")
    Path("out.txt").write_text("# no feedback\nq3\n")
    return ("models", "--true", "models/true.tsv")


@pytest.fixture
def estimated(biasvar, models) -> Callable[..., Any]:
    """The one result of the models with some options, in JSON."""
    return lambda *options: only(biasvar("models", *models, *options, "-f", "json", "--quiet"))


NPL_FAMILIES = ("--families", "(comb|nrr|rmw|relw)-(.*)", "--baseline", "rm", "--original", "orig")


def npl(shared: RealData) -> tuple[object, ...]:
    folder = shared / "vaswani-npl"
    of_models = (folder / "models", "--true", folder / "models" / "true.tsv.gz")
    return (*of_models, "--background", folder / "background.tsv.gz", "--quiet", "-f", "json")


def test_families_of_npl_below_the_baseline_with_and_without_feedback(biasvar, shared):
    # by another program: six queries without a relevant feedback document; mixtures below RM 1 of 9, removals 0 of 10,
    # and 2 without the six
    for exclude, n_queries, removals in ((), 93, 0), (("--exclude-no-feedback",), 87, 2):
        found = only(biasvar("models", *npl(shared), *NPL_FAMILIES, *exclude))
        assert (found["n_queries"], found["n_excluded"], len(found["no_feedback"])) == (n_queries, 93 - n_queries, 6)
        families = {each["family"]: each for each in found["families"]}
        assert [families[name]["n_models"] for name in ("comb", "nrr")] == [9, 10]
        assert [families[name]["n_below"] for name in ("comb", "nrr")] == [1, removals]
        assert families["comb"]["below"] == ["comb-0.1"]


def test_rm_has_less_bias_and_more_variance_than_the_original_on_npl(biasvar, shared):
    # as in the study of another program, by KL and by JS
    result = biasvar("models", *npl(shared), "--divergence", "kl-fwd", "--divergence", "js", "--baseline", "orig")
    for found in json.loads(result.out)["results"]:
        rm = next(row for row in found["models"] if row["model"] == "rm")
        assert rm["d_bias_est_high"] < 0
        assert rm["ratio_var_est_low"] > 1


def test_variance_ranks_depend_on_epsilon_and_total_ranks_do_not_on_npl(biasvar, shared):
    # by another program: over five collections tau of the total ranks is at least .91, of the variance ranks .25 to .89
    few, many = json.loads(biasvar("models", *npl(shared), "--epsilon", ".1", "--epsilon", ".5").out)["results"]
    assert [few["epsilon"], many["epsilon"]] == [0.1, 0.5]
    assert [row["epsilon"] for row in few["other_epsilons"]] == [0.01, 0.5]
    assert few["other_epsilons"][1]["least"] == "target"
    for name, low, high in (("total_est", 0.91, 1), ("var_est", 0.245, 0.895)):
        tau = stats.kendalltau(*([row[name] for row in each["models"]] for each in (few, many))).statistic
        assert few["other_epsilons"][1][name] == pytest.approx(tau)
        assert low <= tau < high


def test_queries_without_feedback_are_counted_and_left_out(said, estimated, models):
    found = estimated("--original", "orig")
    assert (found["no_feedback"], found["n_queries"], found["n_excluded"]) == (["q3"], 3, 0)
    text = said("models", *models, "--original", "orig")
    assert "1 query without feedback (some model equals orig): q3; --exclude-no-feedback leaves them out." in text
    found = estimated("--original", "orig", "--exclude-no-feedback")
    assert (found["n_queries"], found["n_excluded"]) == (2, 1)
    assert estimated("--exclude-queries", "out.txt")["models"] == found["models"]
    write("models/copy.tsv", ORIGINAL)  # another name for the original query: no query of it fell back
    assert estimated("--original", "orig")["no_feedback"] == ["q3"]


@pytest.mark.parametrize(
    ("original", "feedback", "without"),
    [
        (ORIGINAL | {"q3": {"z": 1.0}}, FEEDBACK | {"q3": {"z": 1.0}}, ["q3"]),  # a term that no other model has
        ({query: {"a": 0.0} for query in TRUE} | {"q9": {"a": 1.0}}, FEEDBACK, []),  # no term at all
    ],
)
def test_a_query_without_feedback_has_the_terms_of_the_original(estimated, models, original, feedback, without):
    write("models/orig.tsv", original)
    write("models/rm.tsv", feedback)
    assert estimated("--original", "orig")["no_feedback"] == without


def test_errors_against_a_baseline_are_those_of_scipy(estimated):
    found = estimated("--baseline", "rm")
    rows = {row["model"]: row for row in found["models"]}
    # JS of orig and rm on every query, by the definition with natural logarithms and then in bits
    errors = {}
    for name, model in (("orig", ORIGINAL), ("rm", FEEDBACK)):
        errors[name] = []
        for query, true in TRUE.items():
            p, q = (np.array([each.get(term, 0.0) for term in "abcd"]) for each in (true, model[query]))
            m = (p + q) / 2
            errors[name].append((stats.entropy(p, m, base=2) + stats.entropy(q, m, base=2)) / 2)
    test = stats.ttest_rel(errors["orig"], errors["rm"])
    names = ("d_bias_est", "d_bias_est_p", "d_bias_est_low", "d_bias_est_high", "ratio_var_est")
    difference, ratio = np.mean(errors["orig"]) - np.mean(errors["rm"]), np.var(errors["orig"]) / np.var(errors["rm"])
    expected = [difference, test.pvalue, *test.confidence_interval(), ratio]
    assert [rows["orig"][name] for name in names] == pytest.approx(expected)
    assert found["baseline"]["model"] == "rm"


def test_below_is_less_of_both(said, estimated, models):
    asked = ("--baseline", "orig", "--families", "(mix)-(.*)")
    found = estimated(*asked)
    errors = {row["model"]: (row["bias_est"], row["var_est"]) for row in found["models"]}
    bias, var = errors["orig"]
    below = [name for name, (own_bias, own_var) in errors.items() if own_bias < bias and own_var < var]
    assert found["baseline"]["below"] == below
    (family,) = found["families"]
    assert family["members"] == ["mix-0.2", "mix-0.5", "mix-0.8"]
    assert family["below"] == [name for name in below if name.startswith("mix")]
    few = f"Less bias² and less variance than orig: {len(below)} of 4 models ({', '.join(below[:-1])} and {below[-1]})"
    assert few in said("models", *models, *asked)


def test_intervals_hold_the_estimates(estimated):
    found = estimated("--ci", ".9", "--resamples", "200")
    for row in found["models"]:
        for name in ("bias_est", "bias2_est", "total_est"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
    assert found["intervals"]["level"] == 0.9
    assert "total_est_low" not in estimated("--ci", ".9", "--sum", "plain")["models"][0]


def test_performance_stands_beside_estimation(biasvar, said, models):
    options = (*models, "--runs", "ap.csv", "--target", "run:true")
    result = biasvar("models", *options, "-f", "json")
    joint = only(result)["joint"]
    assert "1 run has no model and is left out of the joint table: other" in result.err
    assert (joint["measure"], joint["target"]["label"], joint["n_runs"], joint["n_queries"]) == ("AP", "run:true", 5, 3)
    decomposed = only(biasvar("decompose", "ap.csv", "--target", "run:true", "-f", "json", "--no-null", "--quiet"))
    of_runs = {row["run"]: row for row in decomposed["runs"]}
    for row in joint["models"]:
        of_run = {key: row[key] for key in row if key != "model" and not key.endswith("_est")}
        assert of_run | {"run": row["model"]} == of_runs[row["model"]]
    tau, words = joint["correlation"], said("models", *options, "--quiet")
    by = f"(Kendall's tau {tau['total']:.2f}, by bias {tau['bias']:.2f}, by variance {tau['var']:.2f})"
    assert f"ranking of the models' runs by total error in AP {by}; the best mean AP is that of the run of" in words
    over = "Kendall's tau of estimation and performance over 5 models"
    assert over not in words
    assert over in said("models", *options, "--quiet", "--notes", "full")
    row = rows_of(biasvar("models", *options, "-f", "csv", "--quiet"))[0]
    assert list(row)[9:16] == ["mean", "bias", "bias2", "var", "total", "var_gap", "total_gap"]
    assert (row["n_queries_joint"], row["bias_est_joint"]) == ("3", row["bias_est"])
    assert float(row["mean"]) == pytest.approx(of_runs[row["model"]]["mean"])


def test_the_joint_table_is_on_the_queries_of_both(biasvar, models):
    result = biasvar("models", *models, "--exclude-queries", "out.txt", "--runs", "ap.csv", "-f", "json")
    assert "the joint table uses the 2 queries that models and runs share: the models have 2, the runs 3" in result.err
    joint = only(result)["joint"]
    assert joint["n_queries"] == 2
    assert next(row["mean"] for row in joint["models"] if row["model"] == "orig") == pytest.approx(0.15)


def test_what_stands_side_by_side_is_of_the_same_queries(biasvar, estimated, models):
    Path("two.csv").write_text("\n".join(Path("ap.csv").read_text().splitlines()[:3]) + "\n")  # q1 and q2 alone
    options = ("--runs", "two.csv", "--target", "run:true")
    joint, alone = estimated(*options)["joint"], estimated("--exclude-queries", "out.txt")
    assert joint["n_queries"] == 2
    expected = {row["model"]: row for row in alone["models"]}
    for row in joint["models"]:
        for name in ("bias_est", "bias2_est", "var_est", "total_est"):
            assert row[name] == pytest.approx(expected[row["model"]][name])
    for name, tau in joint["correlation"].items():
        pairs = [(round(row[f"{name}_est"], 12), round(row[name], 12)) for row in joint["models"]]
        assert tau == pytest.approx(stats.kendalltau(*zip(*pairs, strict=True)).statistic)
    for row in rows_of(biasvar("models", *models, *options, "-f", "csv", "--quiet")):
        assert row["n_queries_joint"] == "2"
        assert float(row["total_est_joint"]) == pytest.approx(expected[row["model"]]["total_est"])
        assert row["total_est_joint"] != row["total_est"]
    text = biasvar("models", *models, *options).out.partition("beside the performance of the runs: ")[2]
    assert text.startswith("AP, target run:true, 2 queries")
    line = next(line.split() for line in text.splitlines() if line.startswith("orig"))
    assert float(line[3]) == pytest.approx(expected["orig"]["total_est"], abs=5e-5)


def test_one_measure_of_runs(refused, models):
    for asked in (("-m", "AP P@10"), ("-m", "AP", "-m", "P@10")):
        refused(2, "--measure: expected one, found AP and P@10", "models", *models, "--runs", "ap.csv", *asked)


def test_the_run_of_the_true_model_shapes_no_target_unless_named(biasvar, models):
    result = biasvar("models", *models, "--runs", "ap.csv", "-f", "json")
    assert "the run of the true model, true, does not count for the target; --target run:true makes" in result.err
    # best of the others: .5, .3, .53
    assert only(result)["joint"]["target"]["mean"] == pytest.approx((0.5 + 0.3 + 0.53) / 3)
    named = biasvar("models", *models, "--runs", "ap.csv", "--target", "run:true", "-f", "json")
    assert "count for the target" not in named.err
    assert only(named)["joint"]["target"]["mean"] == pytest.approx(0.8)


def test_a_copy_of_the_original_shows_no_query_without_feedback(biasvar, models):
    write("models/copy.tsv", {query: own for query, own in ORIGINAL.items() if query != "q2"})
    result = biasvar("models", *models, "--original", "orig", "-f", "json")
    assert only(result)["no_feedback"] == ["q3"]
    assert "1 model equals orig on more than half of the queries; it counts as a copy" in result.err
    assert "does not show the queries without feedback: copy" in result.err


def test_warnings_are_of_the_queries_that_are_evaluated(biasvar, models):
    write("models/odd.tsv", {"q1": TRUE["q1"], "q2": TRUE["q2"], "q3": {"y": 1.0}})
    Path("models/twice.tsv").write_text("q1\ta\t1\nq2\tb\t1\nq3\ta\t1\nq3\ta\t2\n")
    Path("models/none.tsv").write_text("q1\ta\t1\nq1\ty\t0\nq2\tb\t1\nq9\tz\t1\n")  # y and z are in no number
    asked = ("models", *models, "--background", "background.tsv")
    every, kept = (biasvar(*asked, *options).err for options in ((), ("--exclude-queries", "out.txt")))
    for words in ("not in the background", "given twice", "no term for a query"):
        assert words in every
        assert words not in kept
    assert "1 model equals the true model and has no error: odd" in kept


def test_smoothing_that_multiplies_to_nothing_is_refused(refused, models):
    Path("background.tsv").write_text("a\t5\nb\t3\nc\t2\nd\t1e-20\n")
    asked = ("models", *models, "--epsilon", "1e-300")
    share = "background.tsv: term d has a share of 1e-21 of all counts: with epsilon 1e-300 the numbers"
    refused(1, share, *asked, "--background", "background.tsv")
    refused(1, "give a larger --epsilon", *asked, "--divergence", "kl-fwd")


def test_files_with_another_part_are_no_models(estimated):
    Path("out.txt").rename("models/out.txt")
    Path("models/qrels.txt").write_text("".join(f"q{n} 0 d1 1\n" for n in (1, 2, 3)))
    Path("models/families.csv").write_text("run,family,position\norig,f,0\nrm,f,1\n")
    Path("runs").mkdir()
    for name in ("orig", "rm"):
        Path(f"runs/{name}").write_text("".join(f"q{n} Q0 d{len(name) - 1} 1 2.5 x\n" for n in (1, 2, 3)))
    asked = ("--exclude-queries", "models/out.txt", "--runs", "runs", "-q", "models/qrels.txt")
    assert estimated(*asked, "--families", "models/families.csv")["n_models"] == 5


def test_totals_stand_beside_those_of_other_epsilons(biasvar, said, estimated, models):
    asked = ("--divergence", "kl-fwd")
    found, few = estimated(*asked), estimated(*asked, "--epsilon", "0.01")
    assert found["other_epsilons"][0]["totals"] == {row["model"]: row["total_est"] for row in few["models"]}
    text = biasvar("models", *models, *asked, "--notes", "full").out.partition("total_est by epsilon\n")[2]
    assert text.split()[:4] == ["model", "0.01", "0.1", "0.5"]
    tau = [other["total_est"] for other in found["other_epsilons"]]
    short = f"other epsilons: {tau[0]:.2f} with epsilon 0.01 and {tau[1]:.2f} with epsilon 0.5; the nearest"
    assert short in said("models", *models, *asked)


def test_a_model_of_any_format_pairs_with_its_run(estimated):
    Path("models/rm.tsv").unlink()
    Path("models/rm.csv").write_text("qid,query\nq1,a^.4 b^.4 c^.2\nq2,b c\nq3,a\n")
    Path("models/mix-0.2.tsv").unlink()
    Path("models/mix-0.2.json").write_text(json.dumps([{"qid": query, "model": own} for query, own in TRUE.items()]))
    assert {"rm", "mix-0.2"} <= {row["model"] for row in estimated("--runs", "ap.csv")["joint"]["models"]}


def test_a_model_of_real_words_is_said_not_to_share_them(biasvar, models):
    write("models/raw.tsv", {query: dict.fromkeys((f"{term}s" for term in own), 1.0) for query, own in TRUE.items()})
    unseen = "1 model lacks the terms of more than half of the true model's mass (unseen): raw; check"
    assert unseen in biasvar("models", *models).err


def test_odd_models_are_counted(biasvar, models):
    Path("models/odd.tsv").write_text("q1\ta\t1\nq1\ta\t2\nq2\tb\t0\nq9\ta\t1\n")
    Path("background.tsv").write_text("a\t5\nb\t3\nc\t2\n")
    asked = ("models", *models, "--background", "background.tsv")
    errors = biasvar(*asked).err
    for words in (
        "1 model has no term for a query; the background alone is the estimate there (error 1 under js): odd (2",
        "1 model has terms that are given twice for a query; their weights are summed: odd (1 term)",
        "1 model has queries that are not in the true model; these are left out: odd (1 query)",
        "background.tsv: 1 term of the models is not in the background and counts as likely as its least likely term",
    ):
        assert words in errors
    assert biasvar(*asked, "--strict").code == 1


def test_a_true_query_without_a_term_is_left_out(biasvar, models):
    write("models/true.tsv", TRUE | {"q4": {"a": 0.0}})
    result = biasvar("models", *models, "-f", "json")
    assert "models/true.tsv: 1 query has no term and is left out: q4" in result.err
    assert only(result)["n_queries"] == 3


def test_what_is_no_model_is_left_out_by_name(biasvar, models):
    Path("models/README.md").write_text("# Models of the example\n")
    Path("models/notes.txt").write_text("made by hand\n")
    Path("models/picture.png").write_bytes(b"\x89PNG")
    result = biasvar("models", *models)
    assert (result.code, result.out) == (1, "")
    assert "found made by hand; --exclude notes.txt leaves it out" in result.err
    assert "models/picture.png: not a text file, but a PNG picture; --exclude picture.png leaves it out" in result.err
    asked = ("--exclude", "*.txt", "--exclude", "*.png", "-f", "json")
    assert only(biasvar("models", *models, *asked))["n_models"] == 5
    Path("all").mkdir()
    Path("models").rename("all/models")
    asked = ("all", "--true", "all/models/true.tsv", "--recursive", "--glob", "*.tsv", "-f", "json")
    assert only(biasvar("models", *asked))["n_models"] == 5


def test_the_first_error_of_every_file_is_told(refused, models):
    Path("models/bad.tsv").write_text("q1\ta\tx\n")
    Path("models/worse.tsv").write_text("q1\ta\t-1\n")
    Path("models/foreign.tsv").write_text("301\ta\t1\n")
    for words in (
        "models/bad.tsv:1: the weight of a in query q1: x is not a number",
        "models/worse.tsv:1: the weight of a in query q1 is negative: -1",
        "models/foreign.tsv: the model has none of the queries of the true model (q1, q2, q3); it has 301",
    ):
        refused(1, words, "models", *models)
    Path("models/true.tsv").write_text("q1\n")
    for name in ("true", "bad"):
        refused(1, f"models/{name}.tsv:1: ", "models", *models)


WRONG = {
    "--divergence js --epsilon .1": (2, "--epsilon: is for smoothing, which js does not use"),
    "--exclude-no-feedback": (2, "--exclude-no-feedback: needs --original"),
    "-m AP": (2, "--measure: needs --runs"),
    "--resamples 100": (2, "--resamples: needs --ci, the level of the intervals"),
    "--target best": (2, "--target: needs --runs"),
    "--epsilon 0": (2, "expected a number between 0 and 1, found 0"),
    "--families (mix)-(.*) -f csv": (2, "--families adds a table, for which csv has no place; -f json holds it"),
    "--original org": (1, "--original org: there is no such model; did you mean orig?"),
    "--baseline rm3": (1, "--baseline rm3: there is no such model; did you mean rm?"),
    "--families (xx)-(.*)": (1, "--families: none of the models is in a family"),
    "-o models/rm.tsv": (2, "-o models/rm.tsv is among the inputs"),
    "--runs other.csv": (1, "no run has the name of a model: the models are mix-0.2, mix-0.5, mix-0.8, ..."),
    "--exclude-queries out.txt": (1, "out.txt:1: query q7 is not in the true model, whose queries are q1, q2, q3"),
    "rm.jsonl": (1, "two models are called rm: models/rm.tsv and rm.jsonl; rename one of them"),
}


@pytest.mark.parametrize("options", WRONG)
def test_what_cannot_be_done_is_said(refused, models, options):
    Path("other.csv").write_text("AP,x,y\nq1,.1,.2\n")
    Path("out.txt").write_text("q7\n")
    Path("rm.jsonl").write_text('{"qid": "q1", "model": {"a": 1}}')
    refused(*WRONG[options], "models", *models, *options.split())


def test_the_order_of_the_inputs_changes_nothing(biasvar, models):
    files = [f"models/{name}.tsv" for name in ("orig", "rm", "mix-0.2", "mix-0.5", "mix-0.8", "true")]
    options = ("--true", "models/true.tsv", "--ci", ".9", "--resamples", "100", "-f", "json", "--quiet")
    assert biasvar("models", *files, *options).out == biasvar("models", *files[::-1], *options).out


def test_the_figure_has_the_table_s_numbers(drawn, estimated, refused, models):
    own = (*models, "--quiet")
    spec = drawn("estimation", *own, "--families", "(mix)-(.*)", "--baseline", "rm")
    points = {row["run"]: (row["bias2"], row["var"], row["total"]) for row in spec["datasets"]["runs"]}
    table = estimated()["models"]
    assert points == {row["model"]: (row["bias2_est"], row["var_est"], row["total_est"]) for row in table}
    caption = spec["description"]
    what = "5 query models on 3 queries, against the true model 'true'. Jensen-Shannon divergence; unit: bits squared"
    assert what in caption
    assert "Less bias² and variance than rm: mix " in caption
    smoothed = drawn("estimation", *own, "--divergence", "kl-fwd", "--original", "orig", "--exclude-no-feedback")
    caption = smoothed["description"]
    measured = "Kullback-Leibler divergence KL(true || model), smoothed with epsilon 0.1 and a uniform background"
    assert f"2 queries, against the true model 'true'. {measured}; unit: nats squared" in caption
    assert "1 query of the true model left out" in caption
    several = ("plot", "estimation", *own, "--divergence", "js", "--divergence", "kl-fwd", "-o", "a.json")
    refused(2, "--divergence: expected one, found js and kl-fwd", *several)
    one = ("plot", "estimation", "models/rm.tsv", "--true", "models/true.tsv", "-o", "a.json")
    refused(1, "the figure compares models: it needs at least 2, found 1 model", *one)


def test_text_for_people(biasvar, estimated, models):
    _, verdict, table, _ = biasvar("models", *models, "--quiet", "--top", "2", "--digits", "2").out.split("\n\n")
    rows = {row["model"]: row for row in estimated()["models"]}
    order = sorted(rows, key=lambda name: rows[name]["total_est"])
    first = rows[order[0]]
    assert first["var_est"] < 0.005  # small but not zero
    parts = f"bias² {first['bias2_est']:.2f}, variance <.01"
    least = f"true model: {order[0]} (total_est {first['total_est']:.2f}: {parts}); next {order[1]}"
    assert least in " ".join(verdict.split())
    assert [line.split()[0] for line in table.splitlines()[2:]] == order[:2]
    full = biasvar("models", *models, "--quiet", "--notes", "full").out
    assert "The error of a query is the Jensen-Shannon divergence of the true model and the model" in full
    assert "| js | 3 queries | true model true | sum squared" in " ".join(full.split())


def test_models_without_runs_load_nothing_that_reads_runs():
    code = "import sys; from biasvar_cli.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    arguments = ("models", "sample_models", "--true", "sample_models/true.tsv.gz")
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, check=True, text=True, cwd=ROOT
    )
    assert not {"pyarrow", "scipy", "ir_measures", "pandas"} & set(result.stderr.split())
