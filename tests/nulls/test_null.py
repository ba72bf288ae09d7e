"""The null models beside the correlations: the same analysis as of the data, and what is printed of it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from conftest import SAMPLE, assert_refused, matrix_of, only, rows_of, write_manifest, write_scores
from hypothesis import example, given
from hypothesis import strategies as st
from mutations import examples
from scipy import stats

from biasvar_cli.decomposition import Design
from biasvar_cli.decomposition.decompose import TargetedScores, best_of_runs
from biasvar_cli.decomposition.generalised import tradeoff_rows
from biasvar_cli.errors import keep_warnings
from biasvar_cli.nulls.models import null_models
from biasvar_cli.nulls.statistic import sample_statistic
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.scoring.targets import make_target
from biasvar_cli.scoring.track import Scored
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.specs.targets import parse_target

pytestmark = pytest.mark.usefixtures("in_the_checkout")
DESIGNS = st.builds(
    Design,
    subset_size=st.sampled_from([(), (2,), (3, 5)]),
    repeats=st.integers(1, 3),
    difficulty=st.sampled_from(["best", "mean"]),
    remainder=st.sampled_from(["last", "balanced", "merge"]),
    subset_weights=st.sampled_from(["size", "equal"]),
    zero_target=st.sampled_from(["drop", "one"]),
    normalise=st.sampled_from(["ratio", "maxmin"]),
    groups=st.sampled_from([None, {f"q{index}": "ab"[index % 3 == 0] for index in range(12)}]),
)
TARGETS = st.sampled_from(["best", "best:0.75", "perfect", "run:r1", "mean:0.6"])


def _aim(values, spec, listed=None):
    pool = matrix_of(values)
    scores = pool if listed is None else pool.select([f"r{index}" for index in listed])
    with keep_warnings():
        return TargetedScores(scores, pool, make_target(parse_target(spec), Scored(scores, pool, None, None)))


@pytest.mark.anew
@examples(20)
@given(DESIGNS, TARGETS, st.integers(0, 2**32 - 1), st.booleans())
@example(Design(subset_size=(3, 5), repeats=1), "best:0.75", 3, True)  # equal values, summed in two orders
def test_every_sample_goes_through_the_analysis_of_the_data(design, spec, seed, some_listed):
    """Each sample's correlations are those that `tradeoff_rows` finds in it as if it were the data."""
    rng = np.random.default_rng(seed)
    samples = rng.beta(0.4, 1.0, size=(4, 6, 12)).round(2)  # ties and zeros occur
    samples[:, :, 0] = 0.0  # a query that no run answers
    listed = [0, 1, 2, 4] if some_listed else None
    all_targeted = [_aim(sample, spec, listed) for sample in samples]
    rows = tradeoff_rows(all_targeted[0], design)
    found = sample_statistic(all_targeted[0], rows, design, of_runs=False)(samples)
    for targeted, got in zip(all_targeted, found, strict=True):
        expected = [value for row in tradeoff_rows(targeted, design) for value in vars(row.correlations).values()]
        assert got.tolist() == pytest.approx(expected, abs=1e-8, nan_ok=True)


def test_json_has_null_models_for_every_row_and_a_verdict_for_single_queries(biasvar):
    rows = only(biasvar("tradeoff", *SAMPLE, "-f", "json"))["rows"]
    for row in rows:
        null, shuffled = row["null"], row["null_exchangeable"]
        assert list(null) == ["verdict", "reason", "pearson", "spearman", "kendall", "models"]
        assert list(null["models"]) == ["common", "by-query", "empirical"]
        assert list(shuffled) == ["pearson", "spearman", "kendall"]
        for name in shuffled:
            for model in (null, shuffled):
                assert list(model[name]) == ["median", "low", "high", "p"]
                assert -1 <= model[name]["low"] <= model[name]["median"] <= model[name]["high"] <= 1
            assert (shuffled[name]["p"] is None) == (row["form"] == "gap")
        models = null["models"].values()
        assert all(list(model) == ["median", "low", "high", "p_lower", "p_upper"] for model in models)
        assert null["pearson"]["low"] == min(model["low"] for model in models)
        assert null["pearson"]["high"] == max(model["high"] for model in models)
        judged = (row["sampling"], row["form"], row["normalised"]) == ("single", "score", False)
        assert (null["verdict"] is not None) == (null["pearson"]["p"] is not None) == (null["reason"] is None) == judged
        if judged:
            least = [min(model["p_lower"], model["p_upper"]) for model in models]
            assert null["pearson"]["p"] == min(1, 2 * max(least))


@pytest.mark.anew
def test_decompose_and_tradeoff_and_tracks_give_the_same_null_model(biasvar, shared, tmp_path):
    path = shared / "score-matrices" / "trec5-adhoc-ap.csv"
    one = only(biasvar("decompose", path, "-f", "json"))["tradeoff"]["score"]["null"]
    two = only(biasvar("tradeoff", path, "-f", "json"))["rows"][0]["null"]
    manifest = write_manifest(tmp_path / "shelf.toml", {"track": "TREC-5", "year": 1996, "scores": str(path)})
    models = only(biasvar("tracks", manifest, "-f", "json"))["null"]
    three = {row["quantity"]: row for row in models if row["model"] == "means"}
    assert one == two
    assert three["single_pearson"]["verdict"] == one["verdict"] == "none"
    for name in ("pearson", "spearman", "kendall"):
        found = {key: three[f"single_{name}"][key] for key in ("median", "low", "high", "p")}
        assert found == one[name]
    assert one["pearson"]["median"] == pytest.approx(-0.936, abs=0.006)
    assert one["pearson"]["p"] == pytest.approx(2 * 0.159, abs=0.08)


def test_text_says_tradeoff_only_beside_its_null_models(biasvar, shared):
    path = shared / "score-matrices" / "trec5-adhoc-ap.csv"
    text = biasvar("decompose", path, "--top", 1, "--form", "both", "--notes", "full").out
    assert re.search(
        r"^form  +pearson  +spearman  +kendall  +null median  +r in 3 null models  +p  +verdict\n"
        r"score +-0\.8792 .* -0\.93\d\d +\[-0\.9[67]\d\d, -0\.8\d\d\d\]  0\.\d\d\d\d  none\n"
        r"gap .* - +-$",
        text,
        re.MULTILINE,
    )
    assert not re.search("null median|simulated", biasvar("decompose", path, "--top", 1, "--no-null").out)


@pytest.mark.parametrize(
    ("rate", "verdict"), [(0.0, "none"), (2.0, "stronger")]
)  # of ln precision on the mean: the scores of the more effective runs scatter as much as those of others, or more
def test_a_verdict_where_better_runs_are_less_steady(biasvar, tmp_path, rate, verdict):
    """Simulated: beta scores about expectations that are additive on the logit scale."""
    rng = np.random.default_rng(0)
    s, t = np.linspace(-1.2, 1.2, 40)[:, None], rng.normal(0, 0.8, 50)
    p, phi = 1 / (1 + np.exp(-s - t)), np.exp(2 - rate * s / 2.4)
    scores = write_scores(tmp_path / "scores.csv", rng.beta(p * phi, (1 - p) * phi))
    found = only(biasvar("decompose", scores, "-f", "json"))
    assert found["tradeoff"]["score"]["null"]["verdict"] == verdict


@pytest.mark.anew
def test_no_weaker_verdict_of_many_queries_on_measures_that_one_document_decides(biasvar, tmp_path, monkeypatch):
    monkeypatch.setattr("biasvar_cli.nulls.verdicts.verdict", lambda _: "weaker")
    values = np.random.default_rng(0).beta(1, 3, (12, 40))
    for measure, n_queries, expected in (("AP", 40, "weaker"), ("ERR@20", 39, "weaker"), ("ERR@20", 40, "none")):
        path = write_scores(tmp_path / "scores.csv", values[:, :n_queries], measure=measure)
        null = only(biasvar("decompose", path, "-f", "json", "--null-samples", 100))["tradeoff"]["score"]["null"]
        assert (null["verdict"], null["reason"] is None) == (expected, expected == "weaker")


@pytest.mark.parametrize(
    ("shape", "reason"),
    [((9, 30), "a verdict needs 10 runs, found 9"), ((12, 14), "a verdict needs 15 queries, found 14")],
)
def test_few_runs_or_queries_have_a_range_and_no_verdict(biasvar, tmp_path, shape, reason):
    values = np.random.default_rng(3).beta(np.arange(shape[0])[:, None] + 1, 9, shape)
    path = write_scores(tmp_path / "scores.csv", values)
    null = only(biasvar("decompose", path, "-f", "json"))["tradeoff"]["score"]["null"]
    assert (null["verdict"], null["reason"], null["pearson"]["p"]) == (None, reason, None)
    assert null["pearson"]["low"] < null["pearson"]["high"]
    assert null["pearson"]["median"] is not None


@pytest.mark.anew
def test_a_close_verdict_draws_more_samples_and_a_number_that_is_typed_is_kept(biasvar, shared):
    """TREC-3 has an upper p near .012, which 300 samples cannot tell from .015."""
    path = shared / "score-matrices" / "trec3-adhoc-ap.csv"
    for options, n_samples in (((), 2000), (("--null-samples", 300), 300)):
        text = " ".join(biasvar("decompose", path, "--notes", "full", *options).out.split())
        assert f"Null models: {n_samples} simulated tracks of each" in text


@pytest.mark.anew
@pytest.mark.parametrize("command", ["decompose", "tradeoff"])
@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_csv_and_tsv_compute_no_null_model_unless_asked(biasvar, monkeypatch, command, form):
    def refuse(*_):
        raise AssertionError("a null model was computed")

    monkeypatch.setattr("biasvar_cli.nulls.models.fit_surface", refuse)
    assert biasvar(command, *SAMPLE, "-f", form).code == 0
    for asked in (("--null",), ("--null-samples", 200)):
        if command == "decompose":  # a null model is of the track, and these formats hold runs alone
            message = f"a row a run in {form} has no place for null models; -f json holds them"
            assert_refused(biasvar(command, *SAMPLE, "-f", form, *asked), 2, message)
        else:
            with pytest.raises(AssertionError, match="a null model was computed"):
                biasvar(command, *SAMPLE, "-f", form, *asked)


def test_null_model_columns_of_csv_are_those_of_json(biasvar):
    rows = rows_of(biasvar("tradeoff", *SAMPLE, "-f", "csv", "--null"))
    documents = only(biasvar("tradeoff", *SAMPLE, "-f", "json"))["rows"]
    for row, document in zip(rows, documents, strict=True):
        expected = document["null"]["pearson"]
        assert row["verdict"] == (document["null"]["verdict"] or "")
        assert (float(row["null_r"]), float(row["null_low"])) == (expected["median"], expected["low"])
        assert (row["p"] == "") == (expected["p"] is None)


@pytest.mark.anew
def test_same_bytes_whatever_jobs_and_others_by_another_seed(biasvar, monkeypatch):
    monkeypatch.setattr("biasvar_cli.nulls.models._LEAST_FOR_THREADS", 0)  # threads for so small a track too
    arguments = ("decompose", *SAMPLE, "-f", "json", "--stability", "--null-samples", 400)
    one = biasvar(*arguments, "--jobs", 1).out
    assert one == biasvar(*arguments, "--jobs", 3).out
    assert one != biasvar(*arguments, "--jobs", 1, "--seed", 1).out


def test_stability_is_a_column_with_the_tracks_numbers(biasvar, shared):
    path = shared / "score-matrices" / "trec5-adhoc-ap.csv"
    result = only(biasvar("decompose", path, "-f", "json", "--stability"))
    z = np.array([row["stability"] for row in result["runs"]])
    held = result["stability"]
    assert held["H"]["value"] == pytest.approx(z.std(), rel=0.3)  # both the least extreme of three models
    assert held["H"]["p"] < 0.1
    mean = [row["mean"] for row in result["runs"]]
    assert held["D"]["value"] == pytest.approx(stats.spearmanr(z, mean).statistic, abs=0.2)
    assert held["D"]["low"] < 0 < held["D"]["high"]
    assert held["cross_half"]["other"]["pearson"] == pytest.approx(-0.71, abs=0.02)
    assert held["cross_half"]["same"]["pearson"] == pytest.approx(-0.83, abs=0.02)
    (first, *_) = rows_of(biasvar("decompose", path, "-f", "csv", "--stability", "--rank", "--sort", "stability"))
    assert [*first][-3:] == ["total_gap", "rank", "stability"]
    assert first["run"] == min(result["runs"], key=lambda row: row["stability"])["run"]
    text = biasvar("decompose", path, "--stability", "--top", 1, "--notes", "full").out
    for name in "HD":
        assert re.search(rf"^{name} +{held[name]['value']:.4f} ", text, re.MULTILINE)
    other = held["cross_half"]["other"]["pearson"]
    without = f"Without a model: r of bias² on one half of the queries and variance on the other is {other:.4f}"
    assert without in " ".join(text.split())


LEVELS = np.arange(11, 41)


@pytest.mark.parametrize(
    ("values", "options", "why"),
    [
        ([LEVELS, LEVELS + 2, LEVELS + 3 * (LEVELS % 2)], (), "need scores from 0 to 1, found 42"),
        ([[0.1, 0.2, 0.1], [0.2, 0.1, 0.5], [0.3, 0.4, 0.2]], ("--log", "floor"), "are of scores, not of"),
        ([[0.1], [0.2], [0.3]], (), "too few scores for null models: 3 runs on 1 query"),
        ([[0.1, 0.3]], (), "too few scores for null models: 1 run on 2 queries"),
        ([LEVELS / 100] * 3, (), "find no scatter"),
    ],
)
def test_where_there_is_no_null_model_the_reason_is_reported(biasvar, tmp_path, values, options, why):
    scores = write_scores(tmp_path / "scores.csv", values, measure="topic")
    for command in ("decompose", "tradeoff"):
        words = (command, scores, *options, "--quiet")
        text = " ".join(biasvar(*words).out.split())
        undefined = "No correlation over 1 run|no correlation: bias²|variance is undefined|which is not negative"
        assert re.search(rf"without a null model \((the null models )?{re.escape(why)}|{undefined}", text)
        assert "nan" not in text
        result = only(biasvar(*words, "-f", "json"))
        null = (result["tradeoff"]["score"] if command == "decompose" else result["rows"][0])["null"]
        assert (null["verdict"], why in null["reason"], null["pearson"]["low"]) == (None, True, None)
    text = biasvar("decompose", scores, *options, "--quiet", "--stability", "--notes", "full").out
    assert re.search(f"Stability is not defined: (the null models )?{re.escape(why)}", " ".join(text.split()))
    assert not re.search(r"null r|Null models: |Bounded scores|\[-, -\]", text)  # what was not drawn is not named


DEGENERATE = {
    "two runs": [[0.1, 0.5, 0.3], [0.2, 0.1, 0.7]],
    "a run of zeros": [[0.0, 0.0, 0.0, 0.0], [0.2, 0.1, 0.7, 0.3], [0.5, 0.1, 0.2, 0.6]],
    "a constant run": [[0.3, 0.3, 0.3, 0.3], [0.2, 0.1, 0.7, 0.3], [0.5, 0.1, 0.2, 0.6]],
    "runs twice": [[0.2, 0.1, 0.7, 0.3], [0.2, 0.1, 0.7, 0.3], [0.5, 0.1, 0.2, 0.6], [0.5, 0.1, 0.2, 0.6]],
    "all or nothing": [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0]],
    "a query of zeros": [[0.0, 0.1, 0.4], [0.0, 0.5, 0.1], [0.0, 0.2, 0.2]],
    "two queries": [[0.3, 0.1], [0.6, 0.08], [0.65, 0.03]],
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_data_give_numbers_or_a_dash_with_no_warning(biasvar, tmp_path, name):
    scores = write_scores(tmp_path / "scores.csv", DEGENERATE[name], measure="topic")
    for command, *options in (("decompose", "--stability"), ("tradeoff",)):
        result = biasvar(command, scores, *options)
        zeros = "biasvar: warning: scores of nothing but 0: in r0 (all)\n" if name == "a run of zeros" else ""
        assert (result.code, result.err) == (0, zeros)
        assert "nan" not in result.out


def test_stability_needs_the_models(biasvar):
    message = "--stability is computed from null models, which --no-null leaves out"
    assert_refused(biasvar("decompose", *SAMPLE, "--stability", "--no-null"), 2, message)


def test_measures_that_are_counts_have_shuffled_scores_alone():
    scores = ScoreMatrix(np.arange(12.0).reshape(3, 4) ** 1.5, ("A", "B", "C"), tuple("1234"), "NumRet")
    targeted = TargetedScores(scores, scores, best_of_runs(scores))
    rows = tradeoff_rows(targeted, Design())
    null = null_models(targeted, rows, Design(), NullRequest(null_samples=100))
    assert null.of(rows[0]) is None
    assert null.beside(rows[0])["shuffled"].pearson.n_samples > 0


def test_runs_at_the_edge_have_no_stability_and_do_not_make_one(biasvar, tmp_path):
    """A run of zeros follows no law of scatter: it has no z, and H is that of the others."""
    rng = np.random.default_rng(5)
    values = np.vstack([rng.beta(0.6, 2, size=(8, 20)), np.zeros(20), np.ones(20)])
    scores = write_scores(tmp_path / "scores.csv", values)
    result = biasvar("decompose", scores, "--stability", "-f", "json", "--target", "mean:0.9")
    assert [row["run"] for row in only(result)["runs"] if row["stability"] is None] == ["r8", "r9"]
    text = biasvar("decompose", scores, "--stability").out
    assert "No stability (-) of 2 runs, whose mean is 0 or 1" in text
