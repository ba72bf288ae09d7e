"""Judgments are looked up by hash and proved by bytes: the answer is the dictionary's, however bad the hashes are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasvar_cli.readers import columns
from biasvar_cli.readers.qrels import parse_qrels
from biasvar_cli.readers.runs import parse_run
from biasvar_cli.scoring import ranking
from biasvar_cli.scoring.ranking import Judgments

DOCS = st.sampled_from(["a", "b", "c", "aa", "clueweb-1", "clueweb-2", "clueweb-10", "a-document-of-a-longer-id"])
PAIRS = st.sets(st.tuples(st.sampled_from("1234"), DOCS), min_size=1, max_size=20)


def _grades(qrels, run):
    """Of each retrieved pair the grade that `judge` finds and the one that a dictionary holds; None if not judged."""
    grades = {pair: grade for grade, pair in enumerate(sorted(qrels))}
    judged = parse_qrels("".join(f"{q} 0 {d} {grade}\n" for (q, d), grade in grades.items()).encode(), "qrels")
    results = parse_run("".join(f"{q} Q0 {d} 0 1 run\n" for q, d in sorted(run)).encode(), "run")
    queries = tuple(judged.topics)
    found = Judgments.of(judged, queries).judge(results)
    pairs = [
        (queries[query], results.docs[int(line)].as_py().decode())
        for query, line in zip(found.query, found.line, strict=True)
    ]
    got = [int(grade) if known else None for grade, known in zip(found.grade, found.judged, strict=True)]
    return got, [grades.get(pair) for pair in pairs]


@pytest.mark.parametrize("n_hashes", [None, 1, 2, 7])
def test_the_grade_of_every_pair_is_found_though_hashes_of_documents_clash(monkeypatch, n_hashes):
    def bad(words):
        return np.array([len(word) % n_hashes for word in words.to_pylist()], dtype=np.uint64)

    for module in (columns, ranking) if n_hashes else ():
        monkeypatch.setattr(module, "word_hashes", bad)

    @given(PAIRS, PAIRS)
    def check(qrels, run):
        got, expected = _grades(qrels, run)
        assert got == expected

    check()
