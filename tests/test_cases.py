"""What the commands print of files after public reports of people who evaluate runs: what is right, not what was so.

The files are not in the repository. A case is a folder of ``cases`` beside the real data, in which its command is run.
A test skips, saying so, where its folder is absent; ``make data`` runs all of them. What is right of each is by
trec_eval, by hand, or a message that names what is wrong and what to do.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
import real_data
from conftest import ROOT
from remedies import fruitless

pytestmark = pytest.mark.real_data
FOLDER = real_data.CASES


class Case(NamedTuple):
    """A command in a folder, its exit code, and what it ``says`` on standard output or error, as one line.

    It says none of ``never``. ``scores`` are the numbers in a ``column`` of the csv that it prints, to four decimals.
    """

    folder: str
    command: str
    code: int
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    column: str = "score"


SCORING = ("scores", "summary", "decompose --no-null", "risk", "target")
CASES = (
    Case(
        "01-empty-relevance-set",  # t2, of which nothing is judged, is left out
        "scores distinctA.json distinctB.json -q distinct-qrels.json -m AP",
        0,
        scores=(0.5, 7 / 12, 1, 1, 1, 0.5),
    ),
    Case(
        "01-empty-relevance-set",
        "scores runA.json runB.json -q qrels.json -m AP",
        0,
        scores=(0.5, 7 / 12, 1, 1, 1, 0.5),
    ),
    *(
        Case("02-float-grades", f"scores x.run -q {qrels} -m nDCG", 0, scores=(0.630930, 0.619906))
        for qrels in ("integers.qrels", "integral.qrels", "integral.json", "strings.json")
    ),
    *(
        Case("02-float-grades", f"scores x.run -q fractions.{form}", 1, ("grade 0.2", "write whole grades"))
        for form in ("qrels", "json")
    ),
    Case("03-hash-docids", "scores r.run -q qrels.txt -m 'nDCG AP'", 0, scores=(0.6697, 1, 0.5833, 1)),
    Case("03-hash-docids", "scores hashtopic.run -q hashtopic.qrels -m AP", 0, scores=(0.5, 1)),
    Case("03-hash-docids", "scores r.run -q qrels-suffixed.txt", 1, ("no topic in common", "2024-105, ", "2024-105.1")),
    Case(
        "06-query-in-its-own-ranking",
        "scores r.run -q qrels.txt -m 'nDCG@10' --ignore-identical-ids",
        0,
        never=("own results",),
        scores=(1, 1, 0.6309),  # as BEIR
    ),
    Case("06-query-in-its-own-ranking", "scores r.run -q qrels.txt -m nDCG@10", 0, scores=(0.6309, 0.6309, 0.5)),
    *(
        Case(
            "06-query-in-its-own-ranking",
            f"{command} r.run -q qrels.txt",
            0,
            ("--ignore-identical-ids leaves them out",),
        )
        for command in ("check", "summary --notes full")
    ),
    *(
        Case(
            "07-distances-as-scores",
            f"{command} faiss.run bm25.run -q qrels.txt",
            0,
            ("scores are used", "(20 topics)"),
        )
        for command in ("check", "compare", *SCORING)
    ),
    Case(
        "23-one-topic-of-fifty",
        "compare full.run one.run -q qrels.txt",
        0,
        ("no results for a query, scored 0: in one.run (49 queries)", "full (0.43"),
    ),
    Case(
        "25-judged-only-and-depth",
        "scores s.run -q qrels.txt -m 'AP@10 RR@10' -f trec_eval",
        0,
        ("map_cut_10 all 0.0399", "RR@10 all 0.3031"),
    ),
    *(
        Case("04-msmarco-run", f"scores {run} -q {qrels} -m RR@10", 1, ("topic, document and rank", "with 6 columns"))
        for run, qrels in (("bm25.tsv", "qrels.dev.tsv"), ("docs.tsv", "qrels.dev.tsv"), ("big.tsv", "big.qrels"))
    ),
    Case("05-beir-qrels", "scores r.run -q test.tsv -m nDCG@10", 0, scores=(0.479625, 1)),
    Case("05-beir-qrels", "scores n.run -q numeric.tsv -m nDCG", 0, scores=(0.479625, 1)),
    Case("05-beir-qrels", "scores one-each.tsv", 1, ("1 file shaped like qrels left out",)),
    Case("05-beir-qrels", "scores top1.tsv", 2, ("add -q QRELS",)),
    Case("05-beir-qrels", "check test.tsv one-each.tsv top1.tsv", 0, ("qrels (2), run (1)", "No file has an error")),
    *(
        Case("22-means-without-queries", f"compare {table}.csv{orient}", 1, ("has only averages",))
        for table in ("means", "leaderboard", "noname", "experiment")
        for orient in ("", " --orient runs")
    ),
    Case("22-means-without-queries", "compare all-only.eval all-only2.eval", 1, ("has only the averages",)),
    Case(
        "26-query-text-as-id",  # a limit of runs; score files take such ids
        "scores a.json b.json -q qrels.json -m nDCG@10",
        1,
        ("the id red shoes is empty or has a blank",),
    ),
    Case("15-inspect-eval-file", "scores 2026-05-01T10-00-00+00-00_triv_alpha.eval", 0, scores=(1, 0, 1, 1)),
    Case("27-helm-per-instance", "compare alpha beta -m exact_match", 0, ("Best mean: alpha (0.6667)",)),
    Case("28-struct-columns", "compare details_alpha.parquet details_beta.parquet -m em", 0, ("alpha (0.7143)",)),
    Case("31-windows-files", "scores utf8.run -q utf8bom.qrels -m RR", 0, scores=(1, 0.5)),
    Case("31-windows-files", "scores nfd.run -q utf8bom.qrels -m RR", 0, ("not judged", "scored 0"), scores=(1, 0)),
    Case("31-windows-files", "scores cp1252.run -q utf8bom.qrels", 1, ("cp1252.run:1: ", "save it as UTF-8")),
    Case("31-windows-files", "scores utf16.run -q utf8bom.qrels", 1, ("UTF-16", "save it as UTF-8")),
    Case("31-windows-files", "compare decimal-comma.eval", 1, ("write it with a point",)),
    Case("32-spaces-in-runs", "scores tagspace.run -q qrels.txt -m RR", 0, ("beyond the sixth",), scores=(0.5, 1)),
    Case("32-spaces-in-runs", "scores docspace.run -q qrels.txt", 1, ("docspace.run:2: ", "rank, found York", "blank")),
    Case("32-spaces-in-runs", "scores comma.run -q qrels.txt", 1, ("write blanks or tabs",), ("ids or scores",)),
    Case("32-spaces-in-runs", "scores header.run -q header.qrels -m RR", 0, scores=(0.5, 1)),
    Case("32-spaces-in-runs", "scores notag.run -q qrels.txt", 1, ("expected 6 columns, found 5",)),
    Case(
        "33-baseline-twice",
        "compare base.eval sysA.eval sysB.eval base.eval --baseline base -m ndcg_cut_10",
        0,
        ("nDCG@10 of 3 runs on 25 queries",),
    ),
    *(
        Case("35-all-scores-equal", f"{command} tied.run -q qrels.txt", 0, ("all scores of a topic are equal",))
        for command in ("check", *SCORING)
    ),
    Case(
        "36-judged-only-and-negative-grades",
        "scores s.run -q qrels.txt -m 'AP(judged_only=True) nDCG(judged_only=True) Judged@3'",
        0,
        scores=(1, 1, 1, 0.8597, 2 / 3, 2 / 3),
    ),
    Case("37-unjudged-queries-in-run", "scores s.run t.run -q qrels.txt -m AP", 0, scores=(0.5, 1, 1, 1, 0, 0)),
    *(
        Case(
            "41-shared-candidates",
            f"compare pop{form} knn{form} -q items.qrels{form.removeprefix('.run')} -m nDCG@10 -f csv",
            0,
            scores=(0.1353, 0.1772),
            column="mean",
        )
        for form in (".run", ".json")
    ),
    Case(
        "41-shared-candidates",  # q1: d3 d1 d2, of which d2 is relevant; q2: d1 d3 d2, of which d2 and d3 are
        "scores small.json -q small.qrels.json -m nDCG",
        0,
        scores=(0.5, 0.6934),
    ),
    Case(
        "42-lm-eval-nonscalar",
        "compare . --recursive --glob 'samples_lambada*' -m perplexity",
        1,
        ("choose it with -m loglikelihood",),
    ),
    Case(
        "42-lm-eval-nonscalar",
        "compare . --recursive --glob 'samples_lambada*' -m loglikelihood",
        0,
        ("Best mean: alpha (-2.4992)",),
    ),
    Case("63-mteb-predictions", "check SciFact_predictions.json -q qrels.txt", 0, ("run (1)", "No file has an error")),
    Case("62-every-eval-ever", "check koala_samples.jsonl", 0, ("No file has an error",)),
    *(
        Case("48-training-log", f"compare {log}.csv", 1, ("has only averages",), ("ids or scores",))
        for log in ("rerank", "Information-Retrieval_evaluation_results")
    ),
    Case("08-negative-scores", "scores bert.run -q qrels.txt -m RR", 0, scores=(0.5, 0.5, 1)),
    Case("08-negative-scores", "scores hex.run -q qrels.txt", 1, ("hex.run:8: ", "0x1p-2")),
    Case(
        "10-relevance-level",  # as trec_eval -l 2
        "scores s.run -q qrels.txt -m 'AP(rel=2) Bpref(rel=2) RR(rel=2) nDCG' -f trec_eval",
        0,
        ("AP(rel=2) all 0.2500", "Bpref(rel=2) all 0.3333", "RR(rel=2) all 0.2222", "ndcg all 0.7304"),
    ),
    Case("10-relevance-level", "scores s.run -q qrels.txt -m 'nDCG(rel=2)'", 2, ("it has: cutoff, dcg,",)),
    Case(
        "11-ndcg-and-its-cutoff",
        "scores s.run -q qrels.txt -m 'nDCG nDCG@20 nDCG@30 nDCG@35'",
        0,
        scores=(0.3029, 0.2862, 0, 0.3380, 0.3392, 0, 0.3029, 0.2992, 0, 0.3029, 0.2862, 0),
    ),
    *(
        Case("13-inspect-unscored", f"compare {alpha}.json beta.json{topics}", code, (says,))
        for alpha in ("alpha", "alpha-nan")
        for topics, code, says in (("", 1, "--topics intersection"), (" --topics intersection", 0, "on 6 queries"))
    ),
    Case("13-inspect-unscored", "compare dict-alpha.json dict-beta.json -m rubric.clarity", 0, ("on 6 queries",)),
    *(
        Case("16-ragas-failed-rows", f"compare {files}{topics}", code, (says,), ("0 if nothing",))
        for files in (
            "sysA.csv sysB.csv",
            "sysA.json sysB.json",
            "sysA-nan.json sysB-nan.json",
            "sysA.csv sysB-dropped.csv",
        )
        for topics, code, says in (("", 1, "--topics intersection"), (" --topics intersection", 0, "sysB"))
    ),
    Case("16-ragas-failed-rows", "compare sysA.csv sysB.csv --topics intersection", 0, ("(0.7083)", "on 6 queries")),
    Case("18-mteb-versions", "compare old --recursive --unit task", 1, ("(and 11 more files with this fault",)),
    Case("18-mteb-versions", "compare new --recursive --unit task --exclude CarSearch.json", 0, ("alpha (0.4900)",)),
    Case("18-mteb-versions", "compare mixed --recursive --unit task --exclude NewsRR.json", 1, ("(LawSearch)",)),
    *(
        Case(
            "20-wilcoxon-zeros",  # as scipy and scikit-posthocs
            f"compare ap.csv --test {test} --correction none --table pairs -f csv",
            0,
            scores=(p,),
            column=f"{test}_p",
        )
        for test, p in (("wilcoxon", 0.02090932), ("t", 0.0181121558), ("sign", 0.0573730469))
    ),
    *(
        Case("21-identical-and-dead-runs", f"{command} ndcg.csv", 0, ("scores of nothing but 0",), ("-0.0,",))
        for command in ("check", "compare --table pairs --test t -f csv", *SCORING)
    ),
    Case("34-incomplete-matrix", "compare acc.csv", 1, ("--topics intersection",), ("0 if nothing",)),
    Case(
        "34-incomplete-matrix", "compare acc.csv --topics intersection --unit dataset", 0, ("on 10 datasets", "(3 data")
    ),
    Case(
        "40-exponential-gain",
        "scores s.run -q qrels.txt -m \"nDCG(dcg='exp-log2')@20\"",
        0,
        scores=(0.302232, 0.286014, 0),
    ),
    Case("47-two-turns", "compare turn1.jsonl -f csv", 0, scores=(6.65, 6.7), column="mean"),
    Case(
        "61-pyterrier-save-dir",
        f"decompose . -q '{ROOT}/qrels/npl.qrels.txt' --exclude case.txt",
        0,
        ("AP of 5 runs", "No verdict"),
    ),
    *(
        Case("64-judges-close-runs", f"judges {files}", 0, never=("tells runs less apart", "spreads the runs less"))
        for files in ("human6.csv binary6.csv", "binary6.csv human6.csv", "h4.csv r4.csv")
    ),
    Case(
        "66-seeds",
        "profile B seeds.csv -m nDCG@10 --replicates _seed[0-9]+ --baseline A",
        0,
        ("t test over queries and runs",),
    ),
    *(
        Case("67-faults", f"decompose same.csv --no-null -f {form}", 0, ("[31mred",), ("\x1b",))
        for form in ("text", "markdown", "latex")
    ),
    Case("65-four-columns", "scores f12.txt", 0, ("runA,q1,AP,0.5", "runB,q2,AP,0.2"), scores=(0.5, 0.4, 0.3, 0.2)),
    Case("65-four-columns", "scores f8.txt -f matrix", 0, ("AP,bm25,rm3",)),
    Case("65-four-columns", "decompose f12.txt", 0, ("Least total error: runA",)),
)


_ANALYSED = re.compile(
    r"^[\w-]+( [AB](?= ))?| --(no-null|ignore-identical-ids)"
    r"| (-[mf]|--(baseline|notes|topics|orient|unit|test|correction|table|replicates)) ('[^']*'|\S+)"
)
INPUTS = sorted({(case.folder, _ANALYSED.sub("", case.command).strip()) for case in CASES})
INPUTS += sorted({(folder, re.sub(" -q .*", "", words)) for folder, words in INPUTS} - {*INPUTS})


@pytest.mark.parametrize(("folder", "words"), INPUTS)
def test_the_remedies_of_all_commands_lead_on(biasvar, monkeypatch, folder, words):
    """Of what a case's inputs are refused for, also without judgments; what ``check`` says comes next runs."""
    if not (FOLDER / folder).is_dir():
        pytest.skip(f"{folder} is not in {FOLDER}")
    monkeypatch.chdir(FOLDER / folder)
    for command in ("compare", "judges", "unjudged", "check"):
        assert fruitless(biasvar, [command, *shlex.split(words)]) == [], command
    for step in json.loads(biasvar("check", *shlex.split(words), "-f", "json").out)["next"]:
        if "command" in step:
            program, *typed = shlex.split(step["command"])
            assert (program, biasvar(*typed).code) == ("biasvar", 0), step["command"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.folder[:2]}: {case.command}")
def test_cases(biasvar, monkeypatch, case):
    folder: Path = FOLDER / case.folder
    if not folder.is_dir():
        pytest.skip(f"{case.folder} is not in {FOLDER}")
    monkeypatch.chdir(folder)
    result = biasvar(*shlex.split(case.command))
    text = " ".join((result.out + result.err).split())
    assert result.code == case.code, text
    assert all(words in text for words in case.says), text
    assert not any(words in text for words in case.never), text
    assert fruitless(biasvar, shlex.split(case.command)) == []
    if case.scores:
        rows = [float(row[case.column]) for row in csv.DictReader(result.out.splitlines())]
        assert rows == pytest.approx(list(case.scores), abs=5.1e-5)  # as trec_eval prints
