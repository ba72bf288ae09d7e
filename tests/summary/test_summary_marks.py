"""Letters and counts of ``biasvar summary`` and ``biasvar compare``, and the sentence of many measures."""

from __future__ import annotations

import pytest
from conftest import SAMPLE, only, rows_of

FEW = ("--samples", 500)
MEASURES = ("-m", "AP", "-m", "P@10")
LETTERS = ("--marks", "letters")


def pairs_of(biasvar, measure, *options):
    """Which run is significantly better than which, by the pairs of compare."""
    found = only(biasvar("compare", *SAMPLE, "-m", measure, *FEW, *options, "--table", "pairs", "-f", "json"))
    test = options[1] if options else "stepdown"
    column = f"{test}_holm" if test == "t" else f"{test}_p"
    return {(pair["run"], pair["versus"]) for pair in found["pairs"] if pair[column] < 0.05}


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("options", [(), ("--test", "t")])
def test_letters_name_the_runs_that_each_run_beats_in_compare(biasvar, options):
    rows = rows_of(biasvar("summary", *SAMPLE, *MEASURES, *FEW, *LETTERS, *options, "-f", "csv"))
    by_mean = sorted(rows, key=lambda row: (-float(row["AP"]), row["run"]))
    assert "".join(row["letter"] for row in by_mean) == "abcdefghijklmnopqrstuv"
    run_of = {row["letter"]: row["run"] for row in rows}
    for measure in ("AP", "P@10"):
        beaten = {(row["run"], run_of[letter]) for row in rows for letter in row[f"{measure}_beaten"]}
        assert beaten == pairs_of(biasvar, measure, *options)
    of_compare = rows_of(biasvar("compare", *SAMPLE, *FEW, *LETTERS, *options, "-f", "csv"))
    assert [(row["run"], row["letter"], row["beaten"]) for row in of_compare] == [
        (row["run"], row["letter"], row["AP_beaten"]) for row in rows
    ]


@pytest.mark.usefixtures("in_the_checkout")
def test_letters_stand_behind_means_in_text_and_are_raised_in_latex(biasvar):
    text = biasvar("summary", *SAMPLE, *FEW, *LETTERS, "--top", 2).out
    assert "rel-fb   a         0.443 bcdefghijklmnopqrstuv" in text
    assert "Letters a to v behind a mean name the runs that this one is significantly better than: step-down" in text
    latex = biasvar("summary", *SAMPLE, *FEW, *LETTERS, "--top", 2, "-f", "latex").out
    assert "\\textbf{0.443}$^{bcdefghijklmnopqrstuv}$" in latex
    assert "▽" not in text + latex


@pytest.mark.parametrize("command", ["summary", "compare"])
@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--baseline", "orig"), 2, "--marks: letters are of all pairs of runs: leave out the baseline"),
        (("--baseline", "top"), 2, "--marks: letters are of all pairs of runs: leave out the baseline"),
        ((), 1, "--marks letters: there are letters for 26 runs, and 27 runs to compare; name fewer as INPUTS, or "),
    ],
)
def test_letters_are_of_all_pairs_of_at_most_26_runs(biasvar, tmp_path, command, options, code, message):
    scores = [[(7 * run + 3 * query) % 11 / 11 for run in range(27)] for query in range(8)]
    names = ["orig", *(f"r{run}" for run in range(26))]
    lines = [",".join(["AP", *names]), *(",".join([f"q{at}", *map(str, row)]) for at, row in enumerate(scores))]
    (tmp_path / "ap.csv").write_text("\n".join(lines) + "\n")
    result = biasvar(command, tmp_path / "ap.csv", *LETTERS, *options)
    assert (result.code, result.out) == (code, "")
    assert message in " ".join(result.err.split())
    if not options:  # the remedy
        assert biasvar(command, tmp_path / "ap.csv").code == 0


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize("baseline", ["orig", "top"])
def test_counts_are_the_wins_and_losses_of_compare(biasvar, baseline):
    options = () if baseline == "top" else ("--baseline", baseline)
    rows = rows_of(biasvar("summary", *SAMPLE, "-m", "AP", *FEW, *options, "--counts", "-f", "csv"))
    pairs = only(biasvar("compare", *SAMPLE, *FEW, "--baseline", baseline, "-f", "json"))["pairs"]
    expected = {pair["run"]: (str(pair["wins"]), str(pair["losses"])) for pair in pairs}
    counts = {row["run"]: (row["AP_wins"], row["AP_losses"]) for row in rows}
    assert counts.pop(pairs[0]["versus"]) == ("", "")
    assert counts == expected


@pytest.mark.usefixtures("in_the_checkout")
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "not significantly below the best under "),
        (("--baseline", "nrr-0.3"), "Number of runs significantly better than nrr-0.3: "),
    ],
)
def test_every_measure_is_in_a_sentence(biasvar, options, sentence):
    measures = ("AP", "P@10", "RR", "nDCG@10", "P@30", "AP@3", "Bpref")
    typed = [word for measure in measures for word in ("-m", measure)]
    runs = ("sample_runs", "--exclude", "rel-fb*", "-q", "qrels/npl.qrels.txt")
    verdict = " ".join(
        biasvar("summary", *runs, *typed, "--samples", 200, *options).out.partition("\n\nrun")[0].split()
    )
    assert "See the table" not in verdict
    counts = verdict.partition(sentence)
    assert counts[1], verdict
