"""Query models: an example by hand, the figures of an independent study, and what holds for all models."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest
from conftest import only, rows_of
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli.query_models import Setting
from biasvar_cli.query_models.estimation import DIVERGENCES, QueryModel, Terms, errors
from biasvar_cli.readers.query_models import parse_model

BACKGROUND = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
TRUE = {"q1": {"a": 0.5, "b": 0.3, "c": 0.2}, "q2": {"b": 0.6, "d": 0.4}}
ML = {"q1": {"a": 1.0}, "q2": {"b": 0.5, "d": 0.5}}
RM1 = {"q1": {"a": 0.4, "b": 0.2, "c": 0.1, "d": 0.3}, "q2": {"b": 0.3, "c": 0.3, "d": 0.4}}
RM3 = {
    query: {term: (ML[query].get(term, 0) + RM1[query].get(term, 0)) / 2 for term in ML[query] | RM1[query]}
    for query in TRUE
}
D1 = {  # errors of both queries, bias, variance, total: by hand, six decimals
    ("ml", "kl-fwd"): (0.870324, 0.016938, 0.443631, 0.182067, 0.378875),
    ("rm1", "kl-fwd"): (0.243518, 0.299434, 0.271476, 0.000782, 0.074481),
    ("rm3", "kl-fwd"): (0.286399, 0.123362, 0.204881, 0.006645, 0.048621),
    ("ml", "js"): (0.311278, 0.007299, 0.159289, 0.023101, 0.048474),
    ("rm1", "js"): (0.173534, 0.186767, 0.180150, 0.000044, 0.032498),
    ("rm3", "js"): (0.159582, 0.090586, 0.125084, 0.001190, 0.016836),
}
ONE_OF_EACH = [Setting(name, None if name == "js" else 0.1) for name in DIVERGENCES]


def tsv(model: dict[str, dict[str, float]]) -> str:
    return "".join(f"{query}\t{term}\t{weight}\n" for query, own in model.items() for term, weight in own.items())


def measured(true: dict, estimate: dict, setting: Setting, background: dict | None = BACKGROUND) -> list[float]:
    of_true, own = (parse_model(tsv(model).encode(), "model.tsv") for model in (true, estimate))
    terms = Terms.of(background, of_true)
    of = [QueryModel.of(each, list(true), terms) for each in (of_true, own)]
    return errors(*of, terms, [setting])[0].tolist()


@pytest.fixture
def d1(in_an_empty_folder: None) -> tuple[str, ...]:
    """The example as files; the options that name them."""
    for name, model in (("true", TRUE), ("ml", ML), ("rm1", RM1), ("rm3", RM3)):
        Path(f"{name}.tsv").write_text(tsv(model))
    Path("background.txt").write_text("".join(f"{term}\t{10 * share:g}\n" for term, share in BACKGROUND.items()))
    return ("ml.tsv", "rm1.tsv", "rm3.tsv", "--true", "true.tsv")


@pytest.mark.parametrize(("name", "divergence"), D1)
def test_the_example_has_the_errors_of_every_query(name, divergence):
    setting = Setting(divergence, None if divergence == "js" else 0.1)
    assert measured(TRUE, {"ml": ML, "rm1": RM1, "rm3": RM3}[name], setting) == pytest.approx(
        D1[name, divergence][:2], abs=5.1e-7
    )


@pytest.mark.parametrize("divergence", ["kl-fwd", "js"])
def test_the_command_prints_the_example(biasvar, d1, divergence):
    background = ("--background", "background.txt") if divergence == "kl-fwd" else ()
    found = only(biasvar("models", *d1, *background, "-f", "json"))
    assert (found["divergence"], found["n_models"], found["n_queries"], found["true"]) == (divergence, 3, 2, "true")
    assert found["epsilon"] == (0.1 if background else None)
    for row in found["models"]:
        *_, bias, var, total = D1[row["model"], divergence]
        numbers = row["bias_est"], row["bias2_est"], row["var_est"], row["total_est"]
        assert numbers == pytest.approx((bias, bias**2, var, total), abs=1.1e-6)
        assert row["total_est"] == pytest.approx(row["bias2_est"] + row["var_est"], abs=1e-15)
    by_name = {row["model"]: row for row in found["models"]}
    assert by_name["ml"]["unseen"] == pytest.approx((0.5 + 0) / 2)  # b and c of q1
    assert by_name["rm1"]["n_terms"] == 3.5


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("divergence", ["kl-fwd", "kl-rev", "jeffreys"])
def test_divergences_of_the_example_with_the_sum_written_out(divergence, epsilon):
    def plain(true: dict[str, float], estimate: dict[str, float]) -> float:
        total = 0.0
        for term, background in BACKGROUND.items():
            p, q = ((1 - epsilon) * each.get(term, 0.0) + epsilon * background for each in (true, estimate))
            forward, reverse = p * math.log(p / q), q * math.log(q / p)
            total += {"kl-fwd": forward, "kl-rev": reverse, "jeffreys": forward + reverse}[divergence]
        return total

    expected = [plain(TRUE[query], RM1[query]) for query in TRUE]
    assert measured(TRUE, RM1, Setting(divergence, epsilon)) == pytest.approx(expected, abs=1e-12)


def test_without_a_background_the_terms_of_a_query_and_one_more_are_alike():
    # q2: b, c, d and one more term, 1/4 each; epsilon .1 puts .025 on each: .565, .025, .385 beside .295, .295, .385
    expected = 0.565 * math.log(0.565 / 0.295) + 0.025 * math.log(0.025 / 0.295)
    assert measured(TRUE, RM1, Setting("kl-fwd", 0.1), None)[1] == pytest.approx(expected, abs=1e-12)


def test_a_term_that_the_background_lacks_is_as_likely_as_its_least_likely():
    known = {term: share for term, share in BACKGROUND.items() if term != "d"}  # .1, .2, .3, and .1 for d: a has 1/7
    true = {"q1": {"a": 1.0}}
    p_a, p_d = 0.9 + 0.1 / 7, 0.1 / 7
    expected = p_a * math.log(p_a / (0.1 / 7)) + p_d * math.log(p_d / (0.9 + 0.1 / 7))
    assert measured(true, {"q1": {"d": 1.0}}, Setting("kl-fwd", 0.1), known) == pytest.approx([expected], abs=1e-12)


def test_a_query_without_a_term_is_estimated_by_the_background():
    smooth = {term: 0.9 * TRUE["q1"].get(term, 0.0) + 0.1 * share for term, share in BACKGROUND.items()}
    expected = sum(p * math.log(p / BACKGROUND[term]) for term, p in smooth.items())
    found = measured(TRUE, {"q2": TRUE["q2"]}, Setting("kl-fwd", 0.1))
    assert found == pytest.approx([expected, 0.0], abs=1e-12)
    assert measured(TRUE, {"q2": TRUE["q2"]}, Setting("js", None)) == [1.0, 0.0]


def test_an_empty_model_of_terms_that_the_background_lacks_has_an_error():
    # a .5 of the background; b, c, d are lacking and get .5 each: a, b, c, d and z are 1/5 each of what is 2.5
    true, known = {"q1": dict.fromkeys("bcd", 1.0), "q2": {"a": 1.0}}, {"a": 1.0, "z": 1.0}
    smooth = 0.9 / 3 + 0.1 / 5
    expected = 3 * smooth * math.log(smooth / 0.2) + 2 * 0.02 * math.log(0.02 / 0.2)
    found = measured(true, {"q2": {"a": 1.0}}, Setting("kl-fwd", 0.1), known)
    assert found == pytest.approx([expected, 0.0], abs=1e-12)


WEIGHTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 1000), min_size=1)


@given(WEIGHTS, WEIGHTS, st.permutations("abcdefgh"), st.sampled_from([0.5, 3.0, 1e6]))
@examples(20)
def test_order_and_scale_of_weights_change_nothing(true, estimate, order, factor):
    other = {term: estimate[term] * factor for term in order if term in estimate}
    for setting in ONE_OF_EACH:
        for background in (None, dict.fromkeys("abcd", 1.0)):
            found = measured({"q": true}, {"q": estimate}, setting, background)
            assert measured({"q": true}, {"q": other}, setting, background) == pytest.approx(found, abs=1e-12)
            assert measured({"q": true}, {"q": true}, setting, background) == [0.0]
            assert found[0] >= 0
    js = measured({"q": true}, {"q": estimate}, Setting("js", None))[0]
    assert 0 <= js <= 1
    assert measured({"q": estimate}, {"q": true}, Setting("js", None))[0] == pytest.approx(js, abs=1e-12)


def test_the_numbers_of_a_model_depend_on_no_other_file(biasvar, d1):
    options = ("--background", "background.txt", "--divergence", "kl-fwd", "--divergence", "js", "-f", "csv", "--quiet")
    Path("aaa.tsv").write_text("q1\tzz\t1\nq2\tyy\t3\nq2\tb\t0.1\n")
    alone = rows_of(biasvar("models", "rm1.tsv", *d1[3:], *options))
    beside = rows_of(biasvar("models", "rm3.tsv", "aaa.tsv", "rm1.tsv", *d1[3:], *options))
    assert [row for row in beside if row["model"] == "rm1"] == alone
    names = "divergence epsilon model bias_est bias2_est var_est total_est unseen n_terms"
    assert list(alone[0]) == names.split()


def test_the_true_model_is_in_no_table(biasvar, d1):
    found = only(biasvar("models", ".", *d1[3:], "--glob", "*.tsv", "-f", "json"))
    assert [row["model"] for row in found["models"]] == ["ml", "rm1", "rm3"]
    Path("copy.tsv").write_bytes(Path("true.tsv").read_bytes())
    result = biasvar("models", *d1, "copy.tsv", "-f", "json")
    assert "1 model equals the true model and has no error: copy" in result.err


def test_plain_sum_is_bias_and_variance(biasvar, d1):
    found = only(biasvar("models", *d1, "--sum", "plain", "-f", "json"))
    assert found["sum"] == "plain"
    ml = found["models"][0]
    assert ml["total_est"] == pytest.approx(0.159289 + 0.023101, abs=1.1e-6)


STUDY = {  # an independent prototype's figures by JS: bias, variance, total, unseen
    "comb-0.1": (0.457106, 0.018090, 0.227036, 0.462184),
    "comb-0.5": (0.495874, 0.013478, 0.259369, 0.462184),
    "nrr-1.0": (0.417197, 0.026642, 0.200696, 0.451528),
    "orig": (0.714552, 0.005964, 0.516549, 0.838284),
    "rel-fb": (0.320729, 0.032168, 0.135035, 0.438958),
    "rm": (0.460672, 0.019434, 0.231652, 0.463590),
}


def test_the_sample_models_have_the_figures_of_the_study(biasvar, in_the_checkout):
    found = rows_of(biasvar("models", "sample_models", "--true", "sample_models/true.tsv.gz", "-f", "csv", "--quiet"))
    assert [row["model"] for row in found] == list(STUDY)
    for row in found:
        numbers = [float(row[name]) for name in ("bias_est", "var_est", "total_est", "unseen")]
        assert numbers == pytest.approx(STUDY[row["model"]], abs=1e-4)


def test_the_study_on_npl(biasvar, shared, tmp_path):
    folder = shared / "vaswani-npl"
    options = ("--true", folder / "models" / "true.tsv.gz", "--background", folder / "background.tsv.gz", "--quiet")
    asked = ("--divergence", "kl-fwd", "--divergence", "js")
    found = rows_of(biasvar("models", folder / "models", *options, *asked, "-f", "csv"))
    with (folder / "study.csv").open() as file:
        study = {row["model"]: row for row in csv.DictReader(file)}
    assert len(found) == 2 * 31
    for row in found:
        of, suffix = study[row["model"]], row["divergence"].replace("-", "_")
        for name in ("bias_est", "var_est", "total_est"):
            assert float(row[name]) == pytest.approx(float(of[f"{name}_{suffix}"]), abs=1e-3), (row["model"], name)
        assert float(row["unseen"]) == pytest.approx(float(of["unseen_true_mass"]), abs=1e-3)
