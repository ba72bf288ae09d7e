"""The null models of tracks that are large, or too small for a correlation: fewer samples or none, and it is said."""

from __future__ import annotations

import itertools
import os
import tracemalloc

import numpy as np
import pytest
from conftest import only, write_manifest, write_scores
from hypothesis import given
from hypothesis import strategies as st
from mutations import examples

from biasvar_cli import nulls
from biasvar_cli.cli import main
from biasvar_cli.decomposition import Design
from biasvar_cli.decomposition import samples as of_samples
from biasvar_cli.decomposition.decompose import Moments, TargetedScores, best_of_runs
from biasvar_cli.decomposition.generalised import Partition, by_difficulty, expected_over_random, tradeoff_rows
from biasvar_cli.decomposition.samples import decompose_samples, generalise_samples, normalise_samples, subset_means
from biasvar_cli.nulls import DECIDING, SHUFFLED, draw_together, statistic
from biasvar_cli.nulls import laws as null_laws
from biasvar_cli.nulls import models as null
from biasvar_cli.nulls.laws import Deviates
from biasvar_cli.nulls.models import usual_samples
from biasvar_cli.nulls.statistic import cross_half, mean_and_variance
from biasvar_cli.nulls.surface import fit_surface
from biasvar_cli.score_matrix import ScoreMatrix
from biasvar_cli.stats import monte_carlo

pytestmark = pytest.mark.anew

WARNING = (
    "120 samples of each null model are drawn, because 300 would take long for 10 runs on 12 queries; "
    "--null-samples 300 draws 300"
)


def _written(path, n_runs, n_queries, seed=0):
    """Scores of runs of which each is better than the one before, so that their order is no chance."""
    values = np.random.default_rng(seed).beta(np.linspace(1, 9, n_runs), 3, size=(n_queries, n_runs)).round(4)
    return write_scores(path, values.T)


@pytest.fixture
def many(tmp_path, monkeypatch):
    """Ten runs on twelve queries that count as many: a block costs as much as 120 times 10 (12 + 40) scores."""
    monkeypatch.setattr(monte_carlo, "_BLOCK_SCORES", 120 * 10 * (12 + 40))
    return _written(tmp_path / "many.csv", 10, 12)


def _one_line(text):
    return " ".join(text.split())


def test_few_samples_are_named_wherever_samples_are(biasvar, many):
    text = biasvar("decompose", many, "--top", 1, "--notes", "full")
    assert (text.code, text.err) == (0, f"biasvar: warning: {WARNING}\n")
    assert "Null models: 120 simulated tracks of each, seed 0" in _one_line(text.out)
    page = many.with_suffix(".vl.json")
    assert biasvar("plot", "tradeoff", many, "-o", page).code == 0
    assert "(120 samples each)" in page.read_text().replace('",\n   "', " ")


def test_a_huge_pool_has_a_model_only_if_asked_for(biasvar, tmp_path, monkeypatch):
    monkeypatch.setattr(null, "_LARGEST", 99)
    path = _written(tmp_path / "huge.csv", 10, 10)
    why = "to simulate 10 runs on 10 queries would take long; --null-samples 100 does it all the same"
    for command in ("decompose", "tradeoff"):
        text = biasvar(command, path)
        assert (text.code, text.err) == (0, f"biasvar: warning: no null model: {why}\n")
        without = f"No verdict on a tradeoff without a null model ({why}): bias² and variance correlate with r = +"
        assert without in _one_line(text.out)
        assert "null" not in _one_line(text.out).replace(without, "")
        assert "simulated tracks" not in biasvar(command, path, "--notes", "full").out
        asked = biasvar(command, path, "--null-samples", 100, "--notes", "full")
        assert "Null models: 100 simulated tracks" in _one_line(asked.out)
    held = only(biasvar("decompose", path, "--stability", "-f", "json"))
    said = held["tradeoff"]["score"]
    assert (said["null"]["verdict"], said["null"]["reason"], said["null_exchangeable"]) == (None, why, None)
    assert (held["stability"]["H"], {row["stability"] for row in held["runs"]}) == (None, {None})
    page = tmp_path / "page.html"
    assert biasvar("report", path, "-o", page).code == 0
    assert f"no null model: {why}" in page.read_text()


def test_a_negative_r_without_a_model_is_called_no_tradeoff(biasvar, tmp_path, monkeypatch):
    monkeypatch.setattr(null, "_LARGEST", 99)
    path = write_scores(tmp_path / "huge.csv", np.outer(np.arange(1, 11) / 10, np.linspace(0.1, 0.9, 10)))
    for command in ("decompose", "tradeoff"):  # a run is a multiple of another: the more effective, the more it varies
        text = _one_line(biasvar(command, path, "--quiet").out)
        assert "No verdict on a tradeoff without a null model (to simulate 10 runs on 10 queries would take" in text
        assert "A negative r alone shows no tradeoff" in text
        assert "evidence" not in text


def test_the_tracks_of_a_trend_say_how_many(biasvar, tmp_path, many):
    few, two = _written(tmp_path / "few.csv", 5, 12), _written(tmp_path / "two.csv", 2, 12)
    tracks = enumerate({"a": few, "b": many, "c": two}.items(), 1)
    tracks = ({"track": name, "year": year, "scores": str(path)} for year, (name, path) in tracks)
    shelf = write_manifest(tmp_path / "shelf.toml", *tracks)
    figure = tmp_path / "trend.vl.json"
    result = biasvar("plot", "trend", shelf, "-o", figure)
    fewer = WARNING.replace("120 samples", "240 samples").replace("10 runs", "5 runs")
    caption, *warned = result.err.splitlines()
    assert (result.code, warned) == (0, [f"biasvar: warning: a: {fewer}", f"biasvar: warning: b: {WARNING}"])
    assert caption.startswith("caption: ")
    assert "(120 to 240 samples" in figure.read_text()


@pytest.mark.parametrize("n_queries", [12, 400])
def test_two_runs_have_no_correlation_and_nothing_is_drawn(biasvar, tmp_path, monkeypatch, n_queries):
    def fail(*_):
        raise AssertionError("nothing is to be drawn")

    monkeypatch.setattr(monte_carlo, "over_blocks", fail)
    path = _written(tmp_path / "two.csv", 2, n_queries)
    text = biasvar("decompose", path)
    assert (text.code, text.err) == (0, "")
    assert "over 2 runs: at least 3" in _one_line(text.out)
    assert "samples" not in text.out
    assert "samples" not in biasvar("tradeoff", path).out
    nothing = {name: dict.fromkeys(("median", "low", "high", "p")) for name in ("pearson", "spearman", "kendall")}
    for of_form in only(biasvar("decompose", path, "-f", "json"))["tradeoff"].values():
        assert of_form["null"].items() >= (nothing | {"verdict": None}).items()
        assert of_form["null_exchangeable"] == nothing


def test_two_runs_have_a_stability(biasvar, tmp_path):
    path = _written(tmp_path / "two.csv", 2, 30)
    result = biasvar("decompose", path, "--stability", "-f", "json")
    assert all(isinstance(row["stability"], float) for row in only(result)["runs"])


@examples(20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.booleans())
def test_large_samples_are_worked_on_in_parts(seed, at_once, one):
    """Samples that are worked on alone, with their queries first, give what all give, up to the last digits."""
    samples = np.random.default_rng(seed).beta(0.5, 1, size=(3, 7, 11)).round(2)
    target, order, sizes = samples.max(axis=1), by_difficulty(samples), np.array([4, 4, 3])

    def all_forms():
        return [
            decompose_samples(samples, target),
            generalise_samples(samples, target, [order, np.arange(11)], sizes),
            normalise_samples(samples, target, order, sizes, one=one, pool=samples if one else None),
            *of_means(),
        ]

    def of_means():
        """Both forms of one partition, by its subset means."""
        runs, best = subset_means(samples, target, order, sizes)
        whole = [np.arange(3)], np.ones(3, dtype=int), sizes / 11
        pool = runs if one else None
        yield generalise_samples(runs, best, *whole, target.mean(axis=1))
        yield normalise_samples(runs, best, *whole[0], *whole[1:], one=one, pool=pool)

    direct = generalise_samples(samples, target, [order], sizes), all_forms()[2]
    for expected, found in zip(direct, of_means(), strict=True):
        for name, values in vars(expected).items():
            assert getattr(found, name) == pytest.approx(values, abs=1e-14, nan_ok=True)
    whole = all_forms()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_samples, "_SLICE", at_once)
        parts = all_forms()
    for expected, found in zip(whole, parts, strict=True):
        for name, values in vars(expected).items():
            assert getattr(found, name) == pytest.approx(values, abs=1e-14, nan_ok=True)


def test_large_samples_are_drawn_together_with_their_queries_first(monkeypatch):
    """The deviates are those of each model alone; 32 bits change a score by rounding."""
    values = np.random.default_rng(0).beta(1, 3, size=(6, 15))
    surface = fit_surface(values)
    z = np.random.default_rng(2).standard_normal((6, 15, 4))
    laws = [model.fit(surface).law for model in DECIDING[:2]]
    exact = [law.scores(slice(0, 15), Deviates.of(z), np.random.default_rng(0)) for law in laws]
    shuffled = SHUFFLED.fit(surface).draw(np.random.default_rng(1), 9)
    monkeypatch.setattr(nulls, "LARGE_SAMPLE", 20)
    monkeypatch.setattr(null_laws, "LARGE_SAMPLE", 20)
    samplers = [model.fit(surface) for model in DECIDING]
    together = draw_together(samplers, np.random.default_rng(1), 9, jobs=2)
    for number, sampler in enumerate(samplers):
        found = sampler.draw(np.random.default_rng(1), 9)
        assert np.array_equal(found, together[:, number])
        assert found.strides[1] == found.itemsize
    assert np.array_equal(SHUFFLED.fit(surface).draw(np.random.default_rng(1), 9, jobs=2), shuffled)
    for law, wanted in zip([sampler.law for sampler in samplers], exact, strict=False):
        deviates = Deviates.of(z.astype(np.float32).transpose(1, 2, 0))
        scores = law.scores(slice(0, 15), deviates, np.random.default_rng(0)).transpose(2, 0, 1)
        assert scores.dtype == np.float32
        assert scores == pytest.approx(wanted, abs=1e-5)


def test_one_random_partition_says_what_the_average_over_several_does():
    """Means and covariances of the average over two partitions, by brute force over all pairs of all 120 of five."""
    samples = np.random.default_rng(0).beta(1, 3, size=(1, 3, 5))
    sizes, target = np.array([2, 2, 1]), samples.max(axis=1)
    orders = [np.array(order) for order in itertools.permutations(range(5))]
    ones = [generalise_samples(samples, target, [order], sizes) for order in orders]
    expected = expected_over_random(decompose_samples(samples, target), 5, Partition.of(orders[0], sizes))

    def errors(of: Moments) -> list[float]:
        return [*of.bias2[0], *of.var[0], *of.var_gap[0]]

    found = np.array([errors(statistic.repeated(expected, one, 2)) for one in ones])
    each = np.array([errors(one) for one in ones])
    pairs = (each[:, None] + each).reshape(-1, 9) / 2
    assert found.mean(axis=0) == pytest.approx(pairs.mean(axis=0), abs=1e-14)
    assert np.cov(found.T, ddof=0) == pytest.approx(np.cov(pairs.T, ddof=0), abs=1e-14)


def test_random_partitions_of_many_subsets_scatter_little_about_their_exact_expectation(monkeypatch):
    values = np.random.default_rng(0).beta(1, 3, size=(8, 40))
    runs = ScoreMatrix(values, tuple("abcdefgh"), tuple(map(str, range(40))), "AP")
    targeted, design = TargetedScores(runs, runs, best_of_runs(runs)), Design(repeats=2000)
    rows = [row for row in tradeoff_rows(targeted, design) if row.sampling.kind == "random" and row.form == "score"]
    of_sample = statistic.sample_statistic(targeted, rows, design, of_runs=False)
    expected = of_sample(values[None])
    monkeypatch.setattr(statistic, "_MANY_SUBSETS", 10**9)
    drawn = statistic.sample_statistic(targeted, rows, design, of_runs=False)(values[None])
    assert not np.array_equal(expected, drawn)
    assert drawn[0, 0] == pytest.approx(expected[0, 0], abs=0.02)  # Pearson's r of the averages of 2000 partitions


def test_halves_of_a_large_track_come_from_a_product_of_matrices(monkeypatch):
    values = np.random.default_rng(0).random((6, 13)).round(2)
    values[2] = 0.3
    halves = np.array([np.random.default_rng(seed).permutation(13)[:6] for seed in range(5)])
    expected = statistic._half_errors(values, values.max(axis=0), halves)
    monkeypatch.setattr(statistic, "LARGE_SAMPLE", 20)
    found = statistic._half_errors(values, values.max(axis=0), halves)
    for name, errors in vars(expected).items():
        assert getattr(found, name) == pytest.approx(errors, abs=1e-14)
    assert found.var[:, 2].tolist() == [0] * 5


def test_parts_change_no_mean_and_no_half(monkeypatch):
    values = np.random.default_rng(0).random((6, 13))
    samples = np.random.default_rng(1).random((5, 6, 13))
    whole = mean_and_variance(samples), cross_half(values, np.random.default_rng(0), 9)
    monkeypatch.setattr(statistic, "_AT_ONCE", 80)
    assert (mean_and_variance(samples) == whole[0]).all()
    assert cross_half(values, np.random.default_rng(0), 9) == whole[1]


def test_threads_share_a_block_of_large_samples(monkeypatch):
    """Otherwise 100 samples of a large track, which are all that are drawn of it, are worked on by one thread."""
    monkeypatch.setattr(monte_carlo, "LARGE_SAMPLE", 5)
    sizes = []

    def largest(samples):
        sizes.append(len(samples))
        return samples.max(axis=2)

    for jobs in (1, 2):
        found = monte_carlo.over_blocks(
            lambda rng, size: rng.random((size, 2, 3)), largest, 95, np.random.default_rng, size=100, jobs=jobs
        )
        assert np.array_equal(found, np.random.default_rng(0).random((100, 2, 3))[:95].max(axis=2))
    assert max(sizes) <= 10


def test_statistics_of_samples_need_little_memory_beside_them():
    samples = np.random.default_rng(0).random((40, 500, 200))  # 32 MB
    target = samples.max(axis=1)
    for of in (lambda: mean_and_variance(samples), lambda: decompose_samples(samples, target)):
        tracemalloc.start()
        of()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < samples.nbytes


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_the_number_of_samples_is_bounded(n_runs, n_queries):
    found = usual_samples(n_runs, n_queries)
    assert 100 <= found <= 300 or (found == 0 and n_runs * n_queries > 2**20)
    assert found * n_runs * n_queries * 8 <= 2**30  # bytes of the samples of a model


def test_linear_algebra_has_one_thread_unless_the_user_says_otherwise(biasvar, monkeypatch):
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")
    assert main(["--version"]) == 0
    assert (os.environ["OPENBLAS_NUM_THREADS"], os.environ["MKL_NUM_THREADS"]) == ("1", "3")
