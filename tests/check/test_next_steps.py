"""What check says can be done next: every command that it prints runs, and what is blocked says by what."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import write_scores
from test_cases import FOLDER

import biasvar_cli as bv
from biasvar_cli.readers.score_formats import EXAMPLES

MOST = 6  # lines of the text


def steps_of(biasvar: Any, *arguments: object) -> list[dict[str, str]]:
    return json.loads(biasvar("check", *arguments, "-f", "json").out)["next"]


def commands_of(biasvar: Any, *arguments: object) -> dict[str, str]:
    """The commands by their first words, without the name of the program; each runs."""
    steps = steps_of(biasvar, *arguments)
    commands = [shlex.split(step["command"])[1:] for step in steps if "command" in step]
    for words in commands:
        result = biasvar(*words)
        assert result.code == 0 or (words[0] == "check" and result.code == 1), (words, result.err)
    return {words[0]: shlex.join(words[1:]) for words in reversed(commands)}  # of two the first


def blocked_of(biasvar: Any, *arguments: object) -> dict[str, str]:
    return {step["blocked"]: step["by"] for step in steps_of(biasvar, *arguments) if "blocked" in step}


def test_the_sample_track_supports_comparisons_with_its_original_queries(biasvar, in_the_checkout):
    inputs = "sample_runs -q qrels/npl.qrels.txt -m AP"
    found = commands_of(biasvar, "sample_runs", "-q", "qrels/npl.qrels.txt")
    against = f"{inputs} --baseline orig"
    assert found == {"compare": against, "decompose": inputs, "summary": against, "risk": against}
    text = biasvar("check", "sample_runs", "-q", "qrels/npl.qrels.txt").out
    assert f"Next: biasvar decompose {inputs}  # bias², variance and total" in text
    assert "Blocked: judges (it needs a second -q" in text
    result = bv.check("sample_runs", "qrels/npl.qrels.txt")
    assert result.next == steps_of(biasvar, "sample_runs", "-q", "qrels/npl.qrels.txt")
    assert "Next: biasvar compare" in result.to_text()


def test_runs_without_judgments_are_led_to_them(biasvar, in_the_checkout):
    assert blocked_of(biasvar, "sample_runs") == {
        "all other commands": "runs need relevance judgments: -q QRELS",
    }
    found = commands_of(biasvar, "sample_runs", "qrels/npl.qrels.txt")
    assert found == {"check": "sample_runs -q qrels/npl.qrels.txt"}
    more = commands_of(
        biasvar, "sample_runs/rm.gz", "sample_runs/orig.gz", "qrels", "-q", "qrels/npl.qrels.txt", "--exclude", "*.md"
    )
    assert "-q qrels/npl.qrels.txt -q " in more["judges"]
    assert "-q qrels/npl-half.qrels.txt" in more["judges"]


@pytest.mark.parametrize(
    ("grades", "measure"),
    [((1, 0, 0), "RR@10"), ((1, 1, 0), "AP"), ((2, 1, 0), "nDCG@10"), ((3, -1, 0), "nDCG@10")],
)
def test_the_measure_is_one_that_the_judgments_allow(biasvar, written, grades, measure):
    qrels = written("".join(f"{q} 0 d{d} {grade}\n" for q in range(7) for d, grade in enumerate(grades)), "qrels")
    runs = [written("".join(f"{q} Q0 d{(q + at) % 3} 1 9 t\n" for q in range(7)), f"run{at}") for at in range(2)]
    found = commands_of(biasvar, *runs, "-q", qrels)
    assert found["compare"].endswith(f"-q {qrels} -m {measure}")


def test_names_suggest_replicates_clusters_and_a_baseline(biasvar, tmp_path):
    values = np.random.default_rng(1).random((5, 12)).round(2)
    runs = ["my bm25", "A-seed1", "A-seed2", "B-seed1", "B-seed2"]
    queries = [f"{forum}_{turn}" for forum in range(6) for turn in range(2)]
    path = write_scores(tmp_path / "a b.csv", values, runs, queries, measure="topic")
    steps = [step["command"] for step in steps_of(biasvar, path) if "command" in step]
    assert "--replicates '-seed[0-9]+'" in steps[0]
    assert any("--clusters '(.*)_[0-9]+'" in step for step in steps)
    assert not any("--baseline" in step for step in steps)  # no run is called as a baseline is
    commands_of(biasvar, path)
    write_scores(path, values, ["bm25.run", *runs[1:]], queries, measure="topic")
    assert "--baseline bm25.run" in commands_of(biasvar, path)["summary"]


def test_too_few_queries_and_runs_are_said(biasvar, tmp_path):
    path = write_scores(tmp_path / "f.csv", [[0.5, 0.25, 0.5, 1], [0.25, 0.5, 0.5, 0]])
    blocked = blocked_of(biasvar, path)
    assert blocked["compare"] == "a test needs 6 queries, and here are 4"
    assert blocked["tradeoff"].endswith("needs 10 runs and 15 queries, and here are 2 runs and 4 queries")
    assert set(commands_of(biasvar, path)) == {"decompose", "summary"}
    one = write_scores(tmp_path / "g.csv", [[0.5, 0.25, 0.5, 1]])
    assert blocked_of(biasvar, one)["compare"] == "it takes two runs, and here is one"
    commands_of(biasvar, one)


def test_files_with_an_error_are_left_out_by_the_next_check(biasvar, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_scores(Path("f.csv"), [[0.5, 0.25, 0.5, 1, 0, 1], [0.25, 0.5, 0.5, 0, 1, 0]])
    Path("notes").write_text("nothing of interest\n")
    assert commands_of(biasvar, ".") == {"check": ". --exclude notes"}
    assert blocked_of(biasvar, ".") == {"all other commands": "1 file has an error"}
    assert commands_of(biasvar, ".", "--exclude", "notes")["compare"] == ". --exclude notes"


def test_scores_of_the_same_runs_in_several_files_are_judges(biasvar, tmp_path):
    for number, name in enumerate(("human.csv", "model.csv")):
        write_scores(tmp_path / name, np.random.default_rng(number).random((3, 8)), measure="nDCG@10")
    assert commands_of(biasvar, tmp_path)["judges"] == f"{tmp_path}/human.csv {tmp_path}/model.csv"


@pytest.mark.parametrize(
    "texts",
    [
        ("measure,topic,score\nAP,q1,.5\nRR,q1,.5\n", "measure,topic,score\nRR,q1,.5\n"),
        ("measure,topic,score\nAP,q1,.5\n", "measure,topic,score\nRR,q1,.5\n"),
        ("run,topic,measure,score\na,q1,wer,.5\na,q2,wer,.5\nb,q1,wer,.25\n", "measure,topic,score\nwer,q1,.5\n"),
        ("A,B\n.5,.25\n", "topic,C,D\nq1,.5,.25\n"),
    ],
)
def test_what_other_commands_refuse_is_blocked_and_never_typed(biasvar, tmp_path, texts):
    for number, text in enumerate(texts):
        (tmp_path / f"f{number}.csv").write_text(text)
    if not commands_of(biasvar, tmp_path):
        (reason,) = blocked_of(biasvar, tmp_path).values()
        assert reason in biasvar("decompose", tmp_path).err or "no measure in common" in reason


def test_the_text_has_at_most_six_lines_of_it(biasvar, tmp_path):
    runs = [*(f"{system}-seed{seed}" for system in "ABCD" for seed in (1, 2)), "bm25"]
    queries = [f"{forum}_{turn}" for forum in range(6) for turn in range(2)]
    path = write_scores(tmp_path / "f.csv", np.random.default_rng(1).random((9, 12)), runs, queries)
    text = biasvar("check", path).out
    assert sum(line.startswith(("Next: ", "Blocked: ")) for line in text.splitlines()) <= MOST


def follow(biasvar: Any, arguments: tuple[str, ...]) -> None:
    """Every command that check prints runs, and those that the checks among them print."""
    waiting = [arguments]
    for _ in range(2):
        found = [commands_of(biasvar, *words) for words in waiting]
        waiting = [tuple(shlex.split(commands["check"])) for commands in found if "check" in commands]


def test_judges_with_measures_of_their_own_are_compared_with_people(biasvar, in_an_empty_folder):
    rows = [(run, topic, number) for number, run in enumerate("abc") for topic in range(6)]
    for name, measure in {"model.tot": "GRADE", "truth.tot": "cover"}.items():
        Path(name).write_text("".join(f"{run}\t{measure}\t{topic}\t.{number}{topic}\n" for run, topic, number in rows))
    assert commands_of(biasvar, ".")["judges"] == "truth.tot model.tot:GRADE"
    with Path("model.tot").open("a") as file:
        file.write("".join(f"{run}\tcover\t{topic}\t.{topic}{number}\n" for run, topic, number in rows))
    assert commands_of(biasvar, ".")["judges"] == "truth.tot model.tot -m cover"
    Path("truth.tot").write_text(Path("truth.tot").read_text().replace("cover", "AP"))
    Path("model.tot").write_text(Path("model.tot").read_text().replace("cover", "RR").replace("GRADE", "RR@10"))
    assert "judges" not in commands_of(biasvar, ".")  # one known measure stands for no other


def test_files_of_runs_and_judges_are_compared_judge_by_judge(biasvar, in_an_empty_folder):
    Path("eval").mkdir()
    for judge in ("autoargue", "nist"):
        for number, run in enumerate(("a.v1", "b", "c")):
            rows = "".join(f"f1\t{topic}\t.{number}{topic}\n" for topic in range(6))
            Path(f"eval/{run}.{judge}").write_text(rows)
    found = commands_of(biasvar, "eval")
    assert found == {"judges": "'eval/*.nist' 'eval/*.autoargue'", "check": "eval --glob '*.nist'"}
    assert set(commands_of(biasvar, "eval", "--glob", "*.nist")) == {"compare", "decompose", "summary"}


def test_runs_beside_their_own_scores_are_runs_and_beside_others_apart(biasvar, in_an_empty_folder):
    for run in ("bm25", "rm3"):
        Path(f"{run}.res").write_text("".join(f"q{q} Q0 d{q} 1 9 t\n" for q in range(7)))
    Path("qrels").write_text("".join(f"q{q} 0 d{q} 1\n" for q in range(7)))
    Path("perquery.csv").write_text("name,qid,measure,value\nbm25,q1,RR@10,1.0\nrm3,q1,RR@10,1.0\n")
    inputs = ("bm25.res", "rm3.res", "perquery.csv")
    assert set(commands_of(biasvar, *inputs, "-q", "qrels")) == {"compare", "decompose", "summary", "risk"}
    assert commands_of(biasvar, *inputs)["check"].endswith("--exclude perquery.csv")
    follow(biasvar, inputs)
    Path("perquery.csv").write_text("name,qid,measure,value\nother,q1,RR@10,1.0\n")
    assert set(commands_of(biasvar, *inputs, "-q", "qrels")) == {"check"}
    Path("sub").mkdir()
    Path("bm25.res").rename("sub/bm25.res")
    for path in (Path("rm3.res"), Path("perquery.csv"), Path("qrels")):
        path.unlink()
    assert commands_of(biasvar, ".") == {"check": ". --recursive"}


@pytest.mark.parametrize(
    ("part", "arguments"),
    [
        ("web2012-indri/runs", "runs -q qrels.txt"),
        ("beir-leaderboard/beir-ndcg10.csv", "."),
        ("covid-round1/runs", "runs -q qrels.txt --glob 'run*'"),
        ("dl21-judges/runs", "runs qrels -q qrels/human.txt --exclude '[a-oq-z]*.gz' --exclude '[bu]*'"),
        ("vaswani-npl/docs.tsv.gz", "."),
        ("cranfield/docs.tsv.gz", "."),
    ],
)
def test_every_command_runs_on_real_data(biasvar, monkeypatch, shared, part, arguments):
    monkeypatch.chdir((shared / part).parent)
    follow(biasvar, tuple(shlex.split(arguments)))


def test_query_models_are_told_from_scores(biasvar, in_the_checkout):
    assert commands_of(biasvar, "sample_models") == {"models": "sample_models --true sample_models/true.tsv.gz"}


@pytest.mark.real_data
@pytest.mark.parametrize(
    "folder", sorted(path.name for path in FOLDER.iterdir() if path.is_dir()) if FOLDER.is_dir() else [None]
)
def test_every_command_runs_on_the_cases(biasvar, monkeypatch, folder):
    if folder is None or not (FOLDER / folder).is_dir():
        pytest.skip(f"no case in {FOLDER}")
    monkeypatch.chdir(FOLDER / folder)
    files = [path.name for path in sorted(Path().iterdir()) if path.name not in ("case.txt", "try.py")]
    inputs: list[tuple[str, ...]] = [(name,) for name in files] + [tuple(files)]
    for one in files:
        qrels = [name for name in files if "qrels" in name]
        inputs += [(one, "-q", name) for name in qrels if name != one]
    for arguments in inputs:
        follow(biasvar, arguments)


def test_every_command_runs_on_the_samples_of_formats(biasvar, tmp_path):
    for name, text in EXAMPLES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        commands_of(biasvar, path)
