"""What decompose and tradeoff say under their tables: few lines in plain words, and nothing that is not so."""

import math
import re

import numpy as np
import pytest
from conftest import SAMPLE, UNIT, matrix_of, only, score_arrays, track_of
from hypothesis import assume, given
from scipy.stats import kendalltau, pearsonr

from biasvar_cli.analyses.decompose import DecomposeRequest
from biasvar_cli.analyses.decompose import answer as decompose
from biasvar_cli.analyses.decompose.table import verdict_notes
from biasvar_cli.decomposition import SINGLE
from biasvar_cli.decomposition.decompose import best_of_runs
from biasvar_cli.decomposition.decompose import decompose as decomposed
from biasvar_cli.decomposition.generalised import TradeoffRow
from biasvar_cli.decomposition.reliability import SplitHalf
from biasvar_cli.nulls import NULLS
from biasvar_cli.nulls.models import Null
from biasvar_cli.nulls.verdicts import RowNull
from biasvar_cli.stats.correlation import UNDEFINED, Correlations
from biasvar_cli.stats.monte_carlo import Simulated
from biasvar_cli.tables.null_words import gap_notes, null_note, one_run_notes
from biasvar_cli.tables.rounding import in_words
from biasvar_cli.tables.rows import is_chance, order_notes, order_warning

NEGATIVE = "bias² and variance correlate with r = -0.50."
ALONE = "A negative r alone shows no tradeoff: bounded scores have a negative correlation of their own."


def row(r, form="score"):
    return TradeoffRow(SINGLE, form, Correlations(r, r, r) if r is not None else UNDEFINED, 50, 0)


def null_of(verdict, *, form="score", reason=""):
    said = RowNull(*[Simulated(-0.8, -0.9, -0.5, 0.5, 500, 0)] * 3, {}, verdict, reason)
    return Null({row(0.0, form).key: said}, {}, "", 500, 0)


GIVE = "simulated runs that differ only in their means give -0.90 to -0.50."


@pytest.mark.parametrize(
    ("r", "verdict", "reason", "start", "end"),
    [
        (-0.95, "stronger", "", "Evidence of", f", more negative than differences in means explain; {GIVE}"),
        (-0.40, "weaker", "", "No evidence of", f", less negative than differences in means explain; {GIVE}"),
        (-0.95, "none", "", "No evidence of", f"; {GIVE}"),
        (-0.75, "none", "", "No evidence of", f", as do {GIVE.replace('give -0.90 to -0.50', '(-0.90 to -0.50)')}"),
        (-0.40, "none", "of ERR", "No evidence of", f"; {GIVE}"),
        (-0.75, None, "found 8", "No verdict on", f"; {GIVE}"),
        (0.30, "weaker", "", "No evidence of", f", which is not negative; {GIVE}"),
        (0.30, "stronger", "", "No evidence of", f", which is not negative; {GIVE}"),
        (0.76, None, "found 4", "No verdict on", f"; {GIVE}"),
    ],
)
def test_the_score_form_is_judged_in_words(r, verdict, reason, start, end):
    because = f" ({reason})" if reason else ""
    judged = f"{start} a tradeoff between effectiveness and stability{because}"
    text = f"{judged}: bias² and variance correlate with r = {r:+.2f}{end}"
    assert in_words(null_note(row(r), null_of(verdict, reason=reason)), 4) == text


@pytest.mark.parametrize(
    ("r", "null", "text"),
    [
        (-0.5, None, f" null models (--null): {NEGATIVE} {ALONE}"),
        (-0.5, Null({}, {}, "why", 500, 0), f" a null model (why): {NEGATIVE} {ALONE}"),
        (0.5, None, " null models (--null): bias² and variance correlate with r = +0.50."),
    ],
)
def test_without_a_null_model_nothing_is_judged(r, null, text):
    assert in_words(null_note(row(r), null), 4) == f"No verdict on a tradeoff without{text}"
    assert "undefined" in in_words(null_note(row(None), null_of("none")), 4)


@pytest.mark.parametrize(
    ("r", "where"),
    [
        (-0.95, "more negative than expected from the means alone"),
        (-0.7, "consistent with differences in means alone"),
        (-0.1, "less negative than expected from the means alone"),
        (0.1, "higher than expected from the means alone"),
    ],
)
def test_the_gap_form_has_a_range_in_words_and_no_verdict(r, where):
    (note,) = gap_notes(row(r, "gap"), null_of(None, form="gap"))
    assert in_words(note, 4) == f"Gap form: r = {r:+.2f} is {where} (-0.90 to -0.50; not tested)."


def halves(half=25, **taus):
    return SplitHalf(100, half, 0, **dict.fromkeys(("bias", "var", "total", "var_gap", "total_gap"), 0.8) | taus)


@pytest.mark.parametrize(
    ("sort", "taus", "text"),
    [
        ("total", {}, "1 in 10 pairs of runs changes order by total (by var: 1 in 10)."),
        ("-mean", {"bias": 0.5}, "1 in 4 pairs of runs changes order by mean (by var: 1 in 10)."),
        ("var", {"var": 0.75, "total": 0.6}, "1 in 8 pairs of runs changes order by var (by total: 1 in 5)."),
        ("run", {"total": -0.6}, "8 in 10 pairs of runs change order by total (by var: 1 in 10)."),
        ("total", {"var": float("nan")}, "1 in 10 pairs of runs changes order by total."),
        ("total", {"half": 4, "total": 0.0}, "5 in 10 pairs of runs change order by total (by var: 1 in 10)."),
    ],
)
def test_the_order_that_the_rows_have_is_spoken_of(sort, taus, text):
    """Kendall's tau is 1 less twice the share of the pairs of runs that are in another order."""
    (note,) = order_notes(halves(**taus), sort)
    assert in_words(note, 4) == f"Split-half check: {text}"
    assert not list(order_notes(halves(half=1), sort))


def test_an_order_close_to_chance_is_a_warning():
    unreliable = halves(total=0.2, bias=0.54)
    assert in_words(order_warning(unreliable, "total", ": --sort -mean"), 4) == (
        "the order by total is not reliable: two random halves of the queries order 4 in 10 pairs of runs differently "
        "(by mean 1 in 4: --sort -mean)"
    )
    chance = [is_chance(unreliable, sort) for sort in ("total", "-mean", "run")]
    assert chance == [True, False, False]
    assert not is_chance(halves(total=0.3), "total")
    assert not is_chance(halves(half=4, total=0.0), "total"), "halves of few queries"
    both = in_words(order_warning(halves(total=0.1, bias=0.1), "total", ""), 4)
    assert "--sort" not in both
    assert "more queries are needed" in both


def under_the_rows(text):
    """The lines under the table of runs, those of the small tables left out; a line that goes on counts once."""
    _, _, below = text.partition("\nvirtual target")
    tables = re.compile(r"form  |score  |gap  |for new|queries  |runs  |number  |H  |D  |\d+ % intervals|Stab|  ")
    return [line for line in below.split("\n")[1:] if line and not tables.match(line)]


def test_the_text_of_a_real_track_is_short_and_counts_what_is_odd(biasvar, shared):
    track = shared / "covid-round1"
    words = ("decompose", track / "runs", "-q", track / "qrels.txt", "--top", 5, "--null-samples", 100)
    result = biasvar(*words)
    assert result.code == 0
    assert result.err.startswith("biasvar: warning: ranks contradict the scores on all topics")
    assert result.err.count("biasvar: ") == 1
    text = " ".join(result.out.split())
    for words in (
        "113 runs have tied retrieval scores, broken by document id; 19 runs have mostly unjudged documents",
        "7 runs have the same AP on every query as another run",
        "uogTrDPH_QE = uogTrDPH_QE_QQ; and 1 more group (biasvar check).",
    ):
        assert words in text
    assert len(under_the_rows(result.out)) <= 6


def test_a_ranking_by_total_that_reverses_that_by_mean_says_so_and_why(said, shared):
    """The Indri runs without expansion, of which those with the least scores have the least variance."""
    track = shared / "web2012-indri"
    text = said(
        *("decompose", track / "runs", "-q", track / "qrels.txt", "-m", "ERR@20", "--exclude", "rm-*"),
        *("--null-samples", 100),
    )
    assert "Least total error: ql-cata (0.0640). Best mean: ql-catb (0.1797), rank 4 by total." in text
    why = "because the runs differ more in variance (standard deviation 0.0093) than in bias² (0.0072)"
    rises = "Here variance rises with the mean (Kendall's tau 1.00), so a low total need not mean"
    assert f"Ranking by total reverses ranking by mean (Kendall's tau -1.00), {why}. {rises}" in text
    assert "(a verdict needs 10 runs, found 4): bias² and variance correlate with r = " in text


def test_a_target_below_the_runs_is_the_reason_where_it_is(biasvar, said, in_the_checkout):
    """All runs but rm itself, which has the worst mean, are better than rm, and the best ones are farthest from it."""
    arguments = ("decompose", *SAMPLE, "--target", "run:rm", "--no-null")
    runs = only(biasvar(*arguments, "-f", "json"))["runs"]
    mean, var, total = ([run[name] for run in runs] for name in ("mean", "var", "total"))
    tau, rising = -kendalltau(mean, total).statistic, kendalltau(mean, var).statistic
    assert rising > 0.2
    reason = "21 runs have a higher mean than the target, and bias² counts that as an error too."
    rises = f"Here variance rises with the mean (Kendall's tau {rising:.2f}), so a low total"
    reverses = f"Ranking by total reverses ranking by mean (Kendall's tau {tau:.2f}), because {reason} {rises}"
    assert reverses in said(*arguments)


def test_a_run_without_which_r_leaves_the_range_of_the_null_models_is_named():
    """The range is narrow and has r in it, so that r without the run that changes it most, by scipy, is outside."""
    values = np.random.default_rng(8).random((12, 6))
    matrix = matrix_of(values)
    result = decomposed(matrix, best_of_runs(matrix))
    r = pearsonr(result.bias2, result.var).statistic
    without = [pearsonr(np.delete(result.bias2, run), np.delete(result.var, run)).statistic for run in range(12)]
    most = max(range(12), key=lambda run: abs(without[run] - r))
    for half, words in ((1e-3, [f"r depends on a single run: without r{most} it is {without[most]:+.2f}"]), (2.0, [])):
        simulated = Simulated(r, r - half, r + half, 0.5, 500, 0)
        null = Null({row(r).key: RowNull(simulated, simulated, simulated, {}, "none", "")}, {}, "", 500, 0)
        told = [in_words(note, 4).partition(" (against")[0] for note in one_run_notes(result, row(r), null)]
        assert told == words


def test_variances_that_hardly_rise_with_the_means_are_not_said_to(said, written):
    """By hand: means .6 to 1.1 of A to F; standard deviations .2, .3, .1, .5 and .15 of A to E, half of whose ten
    pairs are in one order. F, with .6, is above all five, so that tau is (10 - 5) / 15; with .25 it is (8 - 7) / 15.
    """

    def text_of(last):
        means, deviations = np.arange(0.6, 1.15, 0.1), np.array((0.2, 0.3, 0.1, 0.5, 0.15, last))
        rows = (",".join(f"{score:g}" for score in means + sign * deviations) for sign in (-1, 1))
        path = written("query_id,A,B,C,D,E,F\nq1,{}\nq2,{}\n".format(*rows))
        return said("decompose", path, "-m", "gain", "--no-null")

    assert "Here variance rises with the mean (Kendall's tau 0.33)" in text_of(0.6)
    assert "--sort -mean ranks by mean." in text_of(0.25)
    assert "variance rises" not in text_of(0.25)


@given(score_arrays((9, 12), (3, 4), UNIT))
def test_a_run_that_alone_decides_the_sign_of_r_is_named_with_r_without_it(values):
    """r by scipy; of the runs without which the sign is another one, that which changes r most."""
    (answer,) = decompose.answer(track_of(values), DecomposeRequest(null=None))
    text = " ".join(in_words(note, 4) for note in verdict_notes(answer, ("score",)))
    bias2, var = (values.max(axis=0).mean() - values.mean(axis=1)) ** 2, values.var(axis=1)
    assume(np.ptp(np.sort(bias2)[1:-1]) > 1e-3 and np.ptp(np.sort(var)[1:-1]) > 1e-3)
    r = pearsonr(bias2, var).statistic
    without = [pearsonr(np.delete(bias2, run), np.delete(var, run)).statistic for run in range(len(values))]
    turned = [run for run, other in enumerate(without) if (other < 0) != (r < 0)]
    assume(np.abs(without).min() > 1e-6)
    if len(values) < 10 or not turned:
        assert "depends on a single run" not in text
        return
    most = max(turned, key=lambda run: abs(without[run] - r))
    assert f"r depends on a single run: without r{most} it is {without[most]:+.2f} (against the same target)." in text


@pytest.mark.parametrize(
    ("options", "columns"),
    [
        ("", "var total"),
        ("--form gap", "var_gap total_gap"),
        ("--form both", "var total var_gap total_gap"),
        ("--sort var_gap", "var total var_gap"),
    ],
)
def test_the_gap_form_is_shown_on_demand(said, in_the_checkout, options, columns):
    text = said("decompose", *SAMPLE, "--null-samples", 100, *options.split())
    assert f" run mean bias bias² {columns} --" in text
    if options == "--form gap":
        assert "Least total error of the gap form: " in text
        assert "Correlation of bias² and var_gap over 22 runs: Pearson +0.9401" in text
        assert "Gap form: r = +0.94 is " in text


def test_the_order_by_total_can_be_noise(biasvar, shared, tmp_path):
    track = shared / "web2012-indri"
    words = (track / "runs", "-q", track / "qrels.txt", "-m", "nDCG@10", "--no-null")
    warning = "nDCG@10, target best: the order by total is not reliable: two random halves of "
    result = biasvar("decompose", *words)
    assert result.code == 0
    assert warning in result.err
    assert "(by mean 1 in 4: --sort -mean)" in result.err
    assert "Split-half check: 5 in 10 pairs of runs change order by total" in result.out
    for form in ("markdown", "latex"):
        text = biasvar("decompose", *words, "-f", form, "--quiet").out
        assert "5 in 10 pairs" in " ".join(text.replace("\n%  ", "").split())
    sorted_by_mean = biasvar("decompose", *words, "--sort", "-mean")
    assert sorted_by_mean.err == ""
    assert "1 in 4 pairs of runs changes order by mean" in sorted_by_mean.out
    for form in ("csv", "json"):  # their rows are in order of name
        result = biasvar("decompose", *words, "-f", form, "--strict")
        assert (result.code, result.err) == (0, "")
    for command in (("decompose",), ("report", "-o", tmp_path / "page.html")):
        strict = biasvar(*command, *words, "--strict")
        assert (strict.code, warning in strict.err) == (1, True)
    assert not (tmp_path / "page.html").exists()


@pytest.mark.anew
def test_shuffled_scores_are_drawn_where_they_are_shown(biasvar, monkeypatch, in_the_checkout):
    def refuse(*_, **__):
        raise AssertionError("scores were shuffled")

    monkeypatch.setattr("biasvar_cli.nulls.ShuffledScores.draw", refuse)
    for command, shown in (("decompose", ("-f", "json")), ("tradeoff", ("--notes", "full"))):
        words = (command, *SAMPLE, "--null-samples", 100)
        assert biasvar(*words).code == 0
        with pytest.raises(AssertionError, match="scores were shuffled"):
            biasvar(*words, *shown)


def test_tradeoff_has_all_null_models_side_by_side(biasvar, in_the_checkout):
    out = biasvar("tradeoff", *SAMPLE, "--null-samples", 100, "--notes", "full").out
    _, _, second = out.partition("Pearson's r of (a) single, score form, in each null model\n")
    lines = second.split("\n")
    assert lines[0].split() == ["null", "model", "median", "95", "%", "p_lower", "p_upper"]
    assert [line.split()[0] for line in lines[1:5]] == list(NULLS)
    assert "so r outside its range shows only that the means differ" in " ".join(second.split())


def test_the_constant_of_a_log_is_spoken_of_where_it_decides(said, written):
    """Against a target of ln 1 = 0 the total is the mean of the squared logarithms."""
    path = written("AP,A,B\nq1,0,.00085\nq2,1,.00085\n")
    arguments = ("decompose", path, "--target", "perfect", "--log", "floor", "--no-null", "--quiet")
    b, a = math.log(0.00085) ** 2, math.log(1e-4) ** 2 / 2
    text = said(*arguments)
    assert "Scores are ln(max(score, 1e-05)); 1 of 4 scores lie below 1e-05" in text
    assert f"Least total error: B ({b:.4f})" in text
    assert f"With 0.0001 in place of 1e-05, the least total would be that of A, {a:.4f}" in text
    assert "in place of" not in said(*arguments, "--eps", "1e-7")  # B at 1e-7 and at 1e-6
    full = said(*arguments, "--eps", "1e-7", "--notes", "full")
    assert "With 1e-06 in place of 1e-07, the least total is still that of B" in full
