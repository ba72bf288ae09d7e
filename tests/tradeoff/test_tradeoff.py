"""``biasvar tradeoff``: the numbers of scipy on real scores, every option, families, and bad input."""

from __future__ import annotations

import itertools
import re
from types import SimpleNamespace

import by_scipy
import numpy as np
import pytest
from by_scipy import COEFFICIENTS
from conftest import REAL_MATRICES, SAMPLE, SAMPLE_RUNS, only, real_matrix, rows_of
from scipy import stats

from biasvar_cli.analyses.tradeoff.notes import verdict_notes
from biasvar_cli.decomposition import Design, Sampling
from biasvar_cli.decomposition.decompose import TargetedScores, best_of_runs, decompose
from biasvar_cli.decomposition.generalised import TradeoffRow
from biasvar_cli.nulls import DECIDING
from biasvar_cli.nulls.models import Null, null_models
from biasvar_cli.nulls.surface import fit_surface
from biasvar_cli.nulls.verdicts import RowNull
from biasvar_cli.readers.maps import Member
from biasvar_cli.scoring.families import families_in, null_rows
from biasvar_cli.specs.requests import NullRequest
from biasvar_cli.stats.correlation import Correlations
from biasvar_cli.stats.monte_carlo import Simulated, Stream, block_size, generator
from biasvar_cli.tables.rounding import in_words

pytestmark = pytest.mark.usefixtures("in_the_checkout")

ROWS = {  # sampling, normalised, form
    "(a)": ("single", False, "score"),
    "(c)": ("difficulty", False, "score"),
    "(d)": ("difficulty", True, "score"),
    "gap": ("single", False, "gap"),
}
FIVE = "topic,f,g,h\n1,.1,.05,.3\n2,.2,.3,.3\n3,.3,.2,.1\n4,.4,.5,.2\n5,.6,.45,.1\n"


def _rows(result):
    return only(result)["rows"]


@pytest.mark.parametrize("name", REAL_MATRICES)
def test_correlations_of_the_score_matrices(biasvar, shared, name):
    rows = _rows(biasvar("tradeoff", shared / "score-matrices" / f"{name}.csv", "-f", "json", "--no-null"))
    held = {(row["sampling"], row["normalised"], row["form"]): row for row in rows}
    for of, expected in by_scipy.tradeoffs(real_matrix(shared, name).values).items():
        assert [held[ROWS[of]][each] for each in COEFFICIENTS] == pytest.approx(expected, abs=1e-9), of


def test_ten_repeats_are_nearer_to_zero_by_chance_and_ten_thousand_are_not(biasvar, shared):
    """Web 2011, ERR@20: r(a) = -.769; a prototype's ten repeats gave -.698 +- .069 over seeds, ten thousand -.771."""
    path = shared / "score-matrices" / "web2011-err20.csv"

    def random(*words):
        rows = _rows(biasvar("tradeoff", path, "-f", "json", "--no-null", *words))
        return {row["sampling"]: row["pearson"] for row in rows if row["form"] == "score" and not row["normalised"]}

    few = [random("--seed", seed)["random"] for seed in range(20)]
    assert sum(few) / len(few) == pytest.approx(-0.698, abs=3 * 0.069 / 20**0.5)
    many = random("--repeats", 3000)
    assert many["random"] == pytest.approx(-0.771, abs=0.01)
    assert many["random-exact"] == pytest.approx(many["single"], abs=1e-12)


def test_several_measures_and_targets_are_reported_apart_in_csv(biasvar):
    several = ("-m", "AP", "-m", "P@10", "--target", "best", "--target", "perfect")
    rows = rows_of(biasvar("tradeoff", *SAMPLE, *several, "-f", "csv"))
    parts = [(row["measure"], row["target"]) for row in rows]
    assert parts == [part for part in itertools.product(("AP", "P@10"), ("best", "perfect")) for _ in range(10)]
    perfect = [row for row in rows if row["target"] == "perfect" and row["sampling"] == "single"]
    score, gap = (float(row["pearson"]) for row in perfect[:2])
    assert score == pytest.approx(gap)  # a constant target: both forms are one


def test_text_without_a_null_model_says_that_noise_is_noise_and_finds_no_tradeoff(said):
    text = said("tradeoff", *SAMPLE, "--no-null", "--notes", "full")
    assert "10 partitions of the queries, drawn with seed 0" in text
    assert "that is the noise of few partitions" in text
    assert "A negative r alone shows no tradeoff" in text
    assert "null models:" not in text


def _lines(text):
    """The cells of the rows of a table in text."""
    return [line.split("  ") for line in text.partition("\n---")[2].partition("\n\n")[0].split("\n")[1:]]


def test_no_sampling_is_shown_twice_and_scripts_have_them_all(biasvar, sample_scores):
    rows = rows_of(biasvar("tradeoff", sample_scores, "-f", "csv"))
    kinds = [row["sampling"] for row in rows]
    assert kinds == ["single"] * 2 + ["random"] * 2 + ["random-exact"] * 2 + ["difficulty"] * 3 + ["single"]
    names = ["single", "random", "difficulty", "normalised"]
    letters = [f"({letter}) {name}" for letter, name in zip("abcd", names, strict=True)]
    shown = [line[0] for line in _lines(biasvar("tradeoff", sample_scores, "--no-null").out)]
    assert shown == [*letters, "(a) normalised", *letters[:3]]
    apart = biasvar("tradeoff", sample_scores, "--no-null", "--subset-weights", "equal", "--subset-size", 10).out
    assert len(_lines(apart)) == 10  # 93 queries make a subset of 3, and by equal weights the variance is another


def test_the_same_rows_in_every_format_with_top(biasvar, sample_scores):
    words = ("tradeoff", sample_scores, "--no-null", "--top", 4, "--sort", "-kendall")
    text = biasvar(*words).out
    assert [line[0] for line in _lines(text)] == ["(c) difficulty", "(a) single", "(b) random", "(a) normalised"]
    assert "4 of 8 rows shown;" in text
    found, table = only(biasvar(*words, "-f", "json"))["rows"], rows_of(biasvar(*words, "-f", "csv"))
    assert [row["sampling"] for row in found] == ["difficulty", "single", "random", "single"]
    assert [float(row["kendall"]) for row in table] == [row["kendall"] for row in found]


def _row(kind, form, r, normalised=False):
    size = 1 if kind == "single" else 10
    return TradeoffRow(Sampling(kind, size, normalised), form, Correlations(r, r, r), 50, 0)


def _sentences(rows, verdict="none"):
    """What is said of rows whose null models all give -0.9 to -0.5."""
    simulated = Simulated(-0.8, -0.9, -0.5, float("nan"), 500, 0)
    verdicts = [verdict, *[None] * len(rows)]
    nulls = {row.key: RowNull(*[simulated] * 3, {}, said, "") for row, said in zip(rows, verdicts, strict=False)}
    few = SimpleNamespace(runs=())  # of which none is said to decide
    answer = SimpleNamespace(rows=rows, null=Null(nulls, {}, "", 500, 0), decomposition=few)
    return [in_words(note, 4) for note in verdict_notes(answer)]


def test_a_sentence_for_every_correlation_outside_its_range():
    rows = [_row("single", "score", -0.7), _row("single", "gap", -0.95), _row("difficulty", "gap", 0.6)]
    _, low, high, rest = _sentences([*rows, _row("random", "score", -0.6)])
    where = "expected from the means alone (-0.90 to -0.50), which points"
    assert low == f"(a) single, gap form: r = -0.95 is more negative than {where} towards a tradeoff."
    assert high == f"(c) difficulty, gap form: r = +0.60 is higher than {where} away from a tradeoff."
    within = "The 1 other correlation lies within the range of its null models."
    assert rest == f"{within} Only r of (a) single in the score form is tested."


def test_many_correlations_outside_their_ranges_share_a_sentence():
    kinds = ["single", "random", "difficulty"]
    rows = [_row("single", "score", -0.7), *(_row(kind, "gap", 0.1) for kind in kinds)]
    _, below, above, rest = _sentences([*rows, _row("difficulty", "score", -0.99)], verdict=None)
    names = "; ".join(f"({letter}) {kind}, gap form (+0.10)" for letter, kind in zip("abc", kinds, strict=True))
    means = "expected from the means alone, which points"
    assert above == f"3 correlations are higher than {means} away from a tradeoff: {names}."
    assert below == f"1 correlation is lower than {means} towards a tradeoff: (c) difficulty, score form (-0.99)."
    assert rest == "None of these correlations is tested."


@pytest.mark.parametrize(
    ("kind", "subset_size"), [("single", 1), ("random", 10), ("random-exact", 10), ("difficulty", 10)]
)
def test_detail_is_the_data_of_the_correlation(biasvar, kind, subset_size):
    found = only(biasvar("tradeoff", *SAMPLE, "--detail", kind, "-f", "json"))
    assert (found["sampling"], found["subset_size"]) == (kind, subset_size)
    rows, runs = _rows(biasvar("tradeoff", *SAMPLE, "-f", "json")), found["runs"]
    row = next(row for row in rows if (row["sampling"], row["normalised"], row["form"]) == (kind, False, "score"))
    bias2, var = ([run[name] for run in runs] for name in ("bias2", "var"))
    assert stats.pearsonr(bias2, var).statistic == pytest.approx(row["pearson"])
    least = {name: min(run[name] for run in runs) for name in ("bias2", "var", "total")}
    for run in runs:
        assert run["least"].split() == [name for name in least if run[name] == least[name]]
        assert run["total"] == pytest.approx(run["bias2"] + run["var"])
        assert 0 <= run["between"] <= 1 + 1e-12


def test_detail_is_in_ascending_order_of_bias_for_people_and_by_run_for_programs(biasvar):
    text = biasvar("tradeoff", *SAMPLE, "--detail", "difficulty-normalised").out
    bias2 = [float(line.split()[3]) for line in text.partition("\n---")[2].split("\n")[1:23]]
    assert bias2 == sorted(bias2)
    words = rf"Over \(d\) subsets of 10 queries by difficulty, normalised, \S+ has the least bias² \({bias2[0]:.4f}\), "
    assert re.search(rf"{words}variance \(.*\) and total ", " ".join(text.split()))
    for options, column in (((), "run"), (("--sort", "total"), "total")):
        rows = rows_of(biasvar("tradeoff", *SAMPLE, "--detail", "single", *options, "-f", "csv"))
        assert [row[column] for row in rows] == sorted(row[column] for row in rows)


def test_groups_of_ones_own_making(biasvar, written):
    groups = written("query,group\n1,short\n2,short\n3,mid\n4,mid\n5,long\n", "groups.csv")
    arguments = ("tradeoff", written(FIVE), "--groups", groups, "--quiet", "-f", "json")
    rows = [row for row in _rows(biasvar(*arguments)) if row["sampling"] == "groups"]
    assert [(row["normalised"], row["form"]) for row in rows] == [(False, "score"), (False, "gap"), (True, "score")]
    assert {(row["subset_size"], row["n_subsets"]) for row in rows} == {(None, 3)}
    runs = only(biasvar(*arguments, "--detail", "groups"))["runs"]
    assert [run["var"] for run in runs[:2]] == pytest.approx([0.0276, 0.01175])  # the worked example of the partition
    equal = ("--detail", "difficulty", "--subset-size", "2", "--subset-weights", "equal")  # does not split a variance
    assert {run["between"] for run in only(biasvar(*arguments, *equal))["runs"]} == {None}


def test_families_by_pattern_and_by_file_are_the_same(biasvar, written):
    names = [run for run in SAMPLE_RUNS if run.startswith(("comb-", "nrr-"))]
    lines = [f"{run},{run.partition('-')[0]},{run.partition('-')[2]}" for run in names]
    path = written("\n".join(["run,family,parameter", *lines]) + "\n", "families.csv")
    options = (*SAMPLE, "--baseline", "rm", "--no-null", "-f", "json")
    pattern, file = (biasvar("tradeoff", *options, "--families", families) for families in ("(comb|nrr)-(.*)", path))
    assert pattern.out == file.out
    found = {(row["family"], row["form"]): row for row in only(file)["families"]}
    below = [f"comb-0.{tenths}" for tenths in range(4, 10)]  # by another program, of whole runs
    assert (found["comb", "score"]["n_runs"], found["comb", "score"]["below"]) == (9, below)
    assert found["nrr", "gap"]["n_below"] == 10


def _families(biasvar, tmp_path, members, *options):
    lines = [f"{run},{family}" for run, family in members.items()]
    (tmp_path / "families.csv").write_text("\n".join(["run,family", *lines]) + "\n")
    return biasvar("tradeoff", *SAMPLE, "--quiet", "--families", tmp_path / "families.csv", *options)


def test_a_family_of_all_runs_has_the_null_models_of_the_track(biasvar, tmp_path):
    found = only(_families(biasvar, tmp_path, dict.fromkeys(SAMPLE_RUNS, "all"), "-f", "json"))["families"]
    rows = _rows(biasvar("tradeoff", *SAMPLE, "--quiet", "-f", "json"))
    single = [row for row in rows if row["sampling"] == "single" and not row["normalised"]]
    assert [row["form"] for row in found] == [row["form"] for row in single]
    for one, other in zip(found, single, strict=True):  # of the runs in another order: equal up to rounding
        assert [one[name] for name in COEFFICIENTS] == pytest.approx([other[name] for name in COEFFICIENTS])
        assert one["null"]["verdict"] == other["null"]["verdict"]
        for model, name in itertools.product(("null", "null_exchangeable"), COEFFICIENTS):
            assert one[model][name] == pytest.approx(other[model][name]), (model, name)


def test_the_null_model_of_a_family_is_of_samples_of_the_whole_pool(shared):
    """By loops: of every sample the target is the best of all its runs, and the correlation is over the members."""
    runs = real_matrix(shared, "trec3-adhoc-ap")
    own = list(range(3, 40, 3))
    members = {runs.runs[place]: Member("third", None) for place in own}
    found = families_in(decompose(runs, best_of_runs(runs)), members)
    targeted = TargetedScores(runs, runs, best_of_runs(runs))
    null = null_models(targeted, null_rows(found), Design(), NullRequest(null_samples=200, seed=3))
    surface = fit_surface(runs.values)
    for row, model in itertools.product(found[0].rows, DECIDING):
        drawn = []
        samples = model.fit(surface).draw(generator(Stream.NULL, 3, 0), block_size(*runs.values.shape))
        for sample in samples[:200]:
            target = sample.max(axis=0)
            bias2 = (target.mean() - sample.mean(axis=1)) ** 2
            var = (sample if row.form == "score" else target - sample).var(axis=1)
            drawn.append(stats.pearsonr(bias2[own], var[own]).statistic)
        said = null.of(row).models[model.name]
        assert (said.median, said.low) == pytest.approx(np.quantile(drawn, [0.5, 0.025]), abs=1e-9)
        assert np.isnan(null.of(row).pearson.p) == (row.form == "gap")


def test_what_the_text_says_of_families_and_of_few_members(biasvar, tmp_path):
    members = {run: "nine" if place < 9 else "others" for place, run in enumerate(SAMPLE_RUNS)}

    def text(members, *options):
        return " ".join(_families(biasvar, tmp_path, members, *options).out.split())

    assert "No null models (-) of nine: over fewer than 10 simulated runs r can be nearly anything." in text(members)
    assert "No verdict on nine (fewer than 10 members)." in text(members)
    found = only(_families(biasvar, tmp_path, members, "-f", "json"))["families"]
    for name in ("null", "null_exchangeable"):
        assert [row[name] is None for row in found] == [True, True, False, False]
    assert "A negative r alone shows no tradeoff" in text(dict.fromkeys(SAMPLE_RUNS[:5], "five"))
    without = text(members, "--no-null")
    assert "in 3 null models" not in without
    assert "No verdict without null models (--null)." in without
    assert "(less stable)? No evidence of a tradeoff within all. " in text(dict.fromkeys(SAMPLE_RUNS, "all"))
    nrr = {run: "nrr" for run in SAMPLE_RUNS if run.startswith("nrr")}
    assert "No evidence of a tradeoff within nrr: r is not negative." in text(nrr)


def test_csv_of_families_has_null_models_where_they_are_asked_for(biasvar, tmp_path):
    members = dict.fromkeys(SAMPLE_RUNS, "all")
    plain, asked = (rows_of(_families(biasvar, tmp_path, members, "-f", "csv", *more)) for more in ((), ("--null",)))
    assert list(asked[0]) == [*plain[0], "null_r", "null_low", "null_high", "p", "verdict"]
    assert float(asked[0]["null_low"]) <= float(asked[0]["null_r"]) <= float(asked[0]["null_high"])
    assert (asked[0]["p"] == "", asked[1]["p"] == "") == (False, True)


def test_families_outside_the_range_of_the_null_model_say_why(said, written):
    rows = [f"{query}," + ",".join(str((run * query * 7) % 31) for run in range(1, 13)) for query in range(1, 9)]
    path = written("\n".join(["topic," + ",".join(f"f-{run}" for run in range(1, 13)), *rows]) + "\n")
    reason = "No verdict without a null model (the null models need scores from 0 to 1, found 30"
    assert reason in said("tradeoff", path, "--families", "(f)-.*", "--quiet")


def test_a_normalised_row_counts_the_subsets_it_drops(biasvar, said, written):
    path = written("topic,f,g,h\n1,0,0,0\n2,.2,.3,.3\n3,.3,.2,.1\n4,.4,.5,.2\n")
    rows = _rows(biasvar("tradeoff", path, "--quiet", "-f", "json"))
    assert [(row["n_subsets"], row["n_dropped"]) for row in rows if row["normalised"]] == [(3, 1)]
    text = said("tradeoff", path, "--quiet")
    assert "Normalised scores leave out 1 of 4 queries, where the target's score is 0." in text


@pytest.mark.parametrize(
    ("matrix", "options", "why"),
    [
        ("f,g\n1,.1,.2\n2,.2,.1\n", (), "Undefined (-) for 2 runs: at least 3 are needed"),
        ("f,g,h\n1,.1,.2,.3\n2,.2,.1,.3\n", ("--target", "mean:0.5"), "has no gap form and no normalised form"),
        ("f,g,h\n1,.1,.1,.1\n2,.2,.2,.2\n", (), "Undefined (-): bias² or variance is the same for every run"),
        ("f,g,h\n1,0,0,0\n2,0,0,0\n", (), "Undefined (-): the target is 0 or negative"),
        ("f,g,h\n1,.1,.2,.3\n2,.2,.1,.3\n", ("--log", "floor"), "Undefined (-): the target is 0 or negative"),
    ],
)
def test_undefined_correlations_are_reported_with_a_reason(said, written, matrix, options, why):
    text = said("tradeoff", written(f"topic,{matrix}"), *options, "--quiet")
    assert why in text
    assert "nan" not in text


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ("--subset-size 94", 1, "--subset-size 94 is more than there are: 93 queries"),
        ("--subset-size 5,,10", 2, "'5,,10' is not K or K,K"),
        ("--subset-size=", 2, "--subset-size is given an empty value"),
        ("--sort mean", 2, "--sort mean: there is no column mean; the columns are sampling, subset_size"),
        ("--detail single --sort men", 2, "--sort men: there is no column men"),
        ("--families no-such-file.csv", 2, "no file of that name, and as a pattern it needs a group"),
        ("--families (comb", 2, "no file of that name, and no regular expression"),
        ("--families (a{99999999999})", 2, "no regular expression: the repetition number is too large"),
        ("--families (zzz)-.*", 1, "none of the runs is in a family (a pattern has to match the whole name)"),
        ("--families (comb)-.* --baseline mr", 1, "--baseline mr: there is no such run"),
        ("--detail single --null", 2, "--detail has no place for null models"),
        ("--baseline rm", 2, "--baseline: needs --families"),
        ("--detail groups", 2, "--detail: groups needs groups of queries"),
        ("--detail single --families (comb)-.*", 2, "--detail: shows another table than --families"),
        ("--groups - -", 2, "can be read only once"),
        ("--target file:- -", 2, "can be read only once"),
        ("--groups no-such-file.csv", 2, "does not exist"),
    ],
)
def test_bad_options_are_refused(refused, options, code, message):
    refused(code, message, "tradeoff", *SAMPLE, *options.split())


@pytest.mark.parametrize(
    ("queries", "code", "message"),
    [
        (["1"], 1, "groups.csv: no group for 92 queries: 2, 3, 4, ..."),
        ([*range(1, 94), 999], 0, "groups.csv: 1 query outside the evaluated ones left out: 999"),
    ],
)
def test_every_query_needs_a_group_and_others_are_left_out(biasvar, sample_scores, written, queries, code, message):
    groups = written("query_id,group\n" + "".join(f"{query},a{query}\n" for query in queries), "groups.csv")
    result = biasvar("tradeoff", sample_scores, "--no-null", "--groups", groups)
    assert result.code == code
    assert message in result.err


def test_the_title_of_the_figure_is_the_verdict_and_its_samplings_are_those_of_the_table(biasvar, drawn, sample_scores):
    """A correlation outside its range that is not tested is no title."""
    text = " ".join(biasvar("tradeoff", sample_scores).out.split())
    spec = drawn("tradeoff", sample_scores)
    title = spec["title"]["text"]
    assert f"{title if isinstance(title, str) else ' '.join(title)}: bias² and variance correlate" in text
    letters = [row["sampling"][:3] for row in spec["datasets"]["rows"]]
    assert letters == ["(a)", "(b)", "(c)", "(d)", "(a)"]
    assert "Only (a) is tested" in spec["description"]
