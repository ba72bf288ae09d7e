"""``biasvar unjudged``: the table of runs, teams left out of the pool, and what is refused."""

from __future__ import annotations

import csv
import io
from statistics import median

import pytest
from conftest import assert_refused, only

import biasvar_cli as bv

# Three runs on two queries. Run a and b share u1 on query 1; w is judged for nobody.
RUNS = {
    "a": {"1": ["r1", "u1", "n1"], "2": ["r3", "n2", "u2"]},
    "b": {"1": ["r1", "n1", "u1"], "2": ["n2", "n3", "n4"]},
    "c": {"1": ["n1", "r2", "w"], "2": ["r3", "r4", "n2"]},
}
QRELS = {"1": {"r1": 1, "r2": 2, "n1": 0}, "2": {"r3": 1, "r4": 1, "n2": 0, "n3": 0, "n4": -1}}
TEAMS = {"a": "x", "b": "x", "c": "y"}


@pytest.fixture
def track(tmp_path):
    """The runs and the judgments as files, and the options that name them."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, queries in RUNS.items():
        lines = (
            f"{query} Q0 {doc} {rank} {-rank} {name}\n"
            for query, docs in queries.items()
            for rank, doc in enumerate(docs, 1)
        )
        (folder / name).write_text("".join(lines))
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(f"{query} 0 {doc} {grade}\n" for query, by in QRELS.items() for doc, grade in by.items()))
    (tmp_path / "teams.csv").write_text("run,team\n" + "".join(f"{run},{team}\n" for run, team in TEAMS.items()))
    (tmp_path / "pooled.txt").write_text("a\nb\nc\n")
    return folder, "-q", qrels


def test_means_shares_and_ranks_are_those_counted_by_hand(biasvar, track):
    """P@2: a has r1 u1 and r3 n2, so 2/4, at most 3/4; b r1 n1 and n2 n3, 1/4; c n1 r2 and r3 r4, 3/4.

    So a can reach c and no more, and both are above b in every case.
    """
    found = only(biasvar("unjudged", *track, "-m", "P@2", "-f", "json"))
    columns = ("run", "mean", "high", "unjudged", "rank", "best_rank", "worst_rank")
    assert [[row[name] for name in columns] for row in found["runs"]] == [
        ["a", 0.5, 0.75, 0.25, 2, 1, 2],
        ["b", 0.25, 0.25, 0.0, 3, 3, 3],
        ["c", 0.75, 0.75, 0.0, 1, 1, 2],
    ]
    assert (found["exact"], found["grade"], found["n_could_be_best"], found["n_settled"]) == (True, 2, 2, 0)
    assert found["target"] == {"mean": 0.75, "high": 1.0}  # u1 would give query 1 both documents
    assert found["teams"] == []


def test_a_document_that_two_runs_share_counts_for_both(biasvar, track):
    """P@3: b has 1/3 on query 1 and 0 on query 2, 1/6 in all, at most 2/6 with u1, which a has as well; a at least 2/6.

    By the highest values alone b could reach a; with u1 counting for both it cannot.
    """
    found = {row["run"]: row for row in only(biasvar("unjudged", *track, "-m", "P@3", "-f", "json"))["runs"]}
    assert found["b"]["high"] == pytest.approx(found["a"]["mean"])
    assert (found["b"]["best_rank"], found["a"]["worst_rank"]) == (3, 2)


def test_a_document_is_worth_the_grade_that_is_asked_for(biasvar, track):
    high = {}
    for grade in (1, 2):
        found = only(biasvar("unjudged", *track, "-m", "P(rel=2)@2", "--grade", grade, "-f", "json"))
        high[grade] = {row["run"]: row["high"] for row in found["runs"]}
    assert high[1] == {"a": 0, "b": 0, "c": 0.25}
    assert high[2] == {"a": 0.25, "b": 0, "c": 0.25}


def test_bias_and_total_move_with_the_target(biasvar, track):
    """P@2: the target is 1/2 and 1, or 1 and 1 at its highest; a is 1/2 and 1/2, or 1 and 1/2."""
    output = biasvar("unjudged", *track, "-m", "P@2", "-f", "csv")
    row = next(row for row in csv.DictReader(io.StringIO(output.out)) if row["run"] == "a")
    found = [float(row[name]) for name in ("bias2", "bias2_high", "total", "total_high")]
    assert found == pytest.approx([0.25**2, 0.25**2, 0.25**2, 0.25**2 + 0.25**2])


def rescored(removed: set[tuple[str, str]], cutoff: int) -> dict[str, float]:
    """Precision of each run by hand, without the judgments of some documents."""
    return {
        run: sum(
            QRELS[query].get(doc, 0) > 0 and (query, doc) not in removed
            for query, docs in queries.items()
            for doc in docs[:cutoff]
        )
        / (cutoff * len(queries))
        for run, queries in RUNS.items()
    }


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_leaving_out_a_team_is_scoring_without_what_it_alone_contributed(biasvar, track, tmp_path, depth):
    options = ("--teams", tmp_path / "teams.csv", "--depth", depth, "--contributors", tmp_path / "pooled.txt")
    found = only(biasvar("unjudged", *track, "-m", "P@2", *options, "-f", "json"))
    top = {run: {(q, doc) for q, docs in by.items() for doc in docs[:depth]} for run, by in RUNS.items()}
    judged = {(query, doc) for query, by in QRELS.items() for doc in by}
    rows = {row["team"]: row for row in found["teams"]}
    for team in "xy":
        own, others = (
            set().union(*(docs for run, docs in top.items() if (TEAMS[run] == team) is of_team))
            for of_team in (True, False)
        )
        removed = judged & (own - others)
        scores = rescored(removed, 2)
        assert rows[team]["n_documents"] == len(removed)
        assert rows[team]["n_runs"] == sum(name == team for name in TEAMS.values())
        for row in (row for row in found["runs"] if TEAMS[row["run"]] == team):
            assert row["score_out"] == pytest.approx(scores[row["run"]])
            assert row["rank_out"] == 1 + sum(score > scores[row["run"]] + 1e-9 for score in scores.values())
        best = max((run for run in RUNS if TEAMS[run] == team), key=lambda run: rescored(set(), 2)[run])
        assert (rows[team]["best_run"], rows[team]["score_out"]) == (best, pytest.approx(scores[best]))
    losses = sorted(row["rank_out"] - row["rank"] for row in found["runs"])
    assert found["losses"] == {"n_runs": 3, "median": losses[1], "high": losses[2], "worst": losses[2]}


def test_a_depth_that_is_not_given_is_the_one_down_to_which_all_is_judged(biasvar, track, tmp_path):
    """Of a document 2 of query 1 is not judged, of b document 3."""
    teams = ("--teams", tmp_path / "teams.csv")
    assert only(biasvar("unjudged", *track, "-m", "P@2", *teams, "-f", "json"))["depth"] == 1
    (tmp_path / "pooled.txt").write_text("run,what\nb,x\n")
    options = (*teams, "--contributors", tmp_path / "pooled.txt")
    assert only(biasvar("unjudged", *track, "-m", "P@2", *options, "-f", "json"))["depth"] == 2
    text = biasvar("unjudged", *track, "-m", "P@2", *options).out
    assert "Depth 2: document 3 of b on query 1 is not judged; another one with --depth." in " ".join(text.split())


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("-m Bpref", 2, "the highest value that unjudged documents allow is not known for Bpref; it is for AP, nDCG,"),
        ("-m AP(judged_only=True)", 2, "AP(judged_only=True) leaves unjudged documents out; it is for AP, nDCG, P,"),
        ("-m P@2 --table teams", 2, "--table teams needs --teams FILE"),
        ("-m P@2 --depth 3", 2, "--depth: says which pool teams are left out of; it needs --teams"),
        ("-m ERR --grade 5", 2, "--grade: 5 is above 4, the highest that ERR allows for"),
        ("-m P@2 --grade 0", 2, "'--grade': expected a whole number from 1 to 1000000, found 0"),
    ],
)
def test_what_cannot_be_asked_is_refused(biasvar, track, words, code, message):
    assert_refused(biasvar("unjudged", *track, *words.split()), code, message)


def test_scores_have_no_documents(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text("AP,A,B\nq1,0.3,0.6\nq2,0.1,0.08\n")
    assert_refused(biasvar("unjudged", tmp_path / "ap.csv"), 2, "biasvar unjudged needs runs; ")


def test_runs_without_a_team_and_pools_that_are_not_there_are_refused(biasvar, track, tmp_path):
    teams = tmp_path / "teams.csv"
    (tmp_path / "pooled.txt").write_text("z\n")
    words = ("unjudged", *track, "-m", "P@2", "--teams", teams)
    pooled = ("--contributors", tmp_path / "pooled.txt")
    assert_refused(biasvar(*words, *pooled), 1, "pooled.txt: none of these runs is among the inputs")
    teams.write_text("run,team\na,x\n")
    assert_refused(biasvar(*words), 1, "no team for 2 runs: b, c")


def test_judgments_of_relevant_documents_alone_are_warned_of(biasvar, track, tmp_path):
    (tmp_path / "qrels.txt").write_text("1 0 r1 1\n2 0 r3 1\n")
    assert "all judged documents are relevant" in biasvar("unjudged", *track, "-m", "P@2").err


def test_no_more_is_said_of_measures_that_relevant_documents_can_lower(biasvar, track):
    texts = {name: " ".join(biasvar("unjudged", *track, "-m", name).out.split()) for name in ("P@2", "nDCG@3")}
    assert "have the best mean" in texts["P@2"]
    assert "could reach the best mean" in texts["nDCG@3"]
    assert "relevant documents that a run does not retrieve would lower its mean" in texts["nDCG@3"]


def test_systems_have_the_means_of_their_runs(biasvar, track, tmp_path):
    """P@3: a is 1/3, at most 2/3, b 1/6, at most 1/3, so the system of both 1/4, at most 1/2, which is c as it is."""
    (tmp_path / "systems.csv").write_text("run,system\na,s\nb,s\n")
    systems = ("--replicates", tmp_path / "systems.csv")
    s, c = only(biasvar("unjudged", *track, "-m", "P@3", *systems, "-f", "json"))["runs"][::-1]
    assert [s["run"], s["mean"], s["high"], s["best_rank"]] == ["s", pytest.approx(1 / 4), pytest.approx(1 / 2), 1]
    assert [c["run"], c["mean"], c["worst_rank"]] == ["c", pytest.approx(1 / 2), 2]
    words = ("unjudged", *track, "-m", "P@3", *systems, "--teams", tmp_path / "teams.csv")
    assert_refused(biasvar(*words), 2, "--teams: teams are of runs, not of systems; leave out --replicates")


def test_a_notebook_takes_runs_and_no_scores():
    run = {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in RUNS["a"].items()}
    found = bv.unjudged({"a": run}, QRELS, measure="P@2")
    assert found.frame()[["mean", "high"]].loc["a"].tolist() == [0.5, 0.75]
    with pytest.raises(bv.BiasVarError, match="these are scores"):
        bv.unjudged(bv.evaluate({"a": run}, QRELS), QRELS)


def test_a_real_track_has_the_figures_that_were_counted_by_another_program(biasvar, shared, tmp_path):
    """Whole numbers of relevant and unjudged documents in each top ten, counted from the files: 43 runs have a case in
    which no run has more, of which one can only tie with the best, and no more.
    """
    folder = shared / "covid-round1"
    words = ("unjudged", folder / "runs", "-q", folder / "qrels.txt")
    found = only(biasvar(*words, "-m", "P@10", "-f", "json", "--quiet"))
    assert round(median(row["unjudged"] for row in found["runs"]), 2) == 0.2
    assert (found["n_runs"], found["n_could_be_best"]) == (143, 43)
    rows = list(csv.DictReader(io.StringIO((folder / "leaderboard.csv").read_text())))
    pooled = tmp_path / "pooled.txt"
    pooled.write_text("".join(f"{row['run']}\n" for row in rows if row["contributed judgments"] == "yes"))
    teams = ("--teams", folder / "leaderboard.csv", "--contributors", pooled)
    found = only(biasvar(*words, "-m", "nDCG@10", *teams, "--depth", 7, "-f", "json", "--quiet"))
    loss = {row["run"]: row["rank_out"] - row["rank"] for row in found["runs"]}
    (run,) = (row for row in found["runs"] if row["run"] == "xj4wang_run1")
    assert (loss["xj4wang_run1"], max(loss.values()), median(loss.values())) == (33, 33, 5)
    assert round(run["mean"] - run["score_out"], 2) == 0.16
