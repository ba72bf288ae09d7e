"""Repeated (topic, document) pairs are found, whatever the ids look like; nothing else is."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from biasvar_cli.readers.columns import has_repeats, taken, word_hashes

WORDS = st.binary(min_size=1, max_size=40) | st.sampled_from([b"a", b"aa", b"12345678", b"123456789", b"x12345678"])
PAIRS = st.lists(st.tuples(st.integers(0, 3), WORDS), min_size=1, max_size=40)


@given(PAIRS, st.data())
def test_repeats_are_found_and_only_repeats(pairs, data):
    again = data.draw(st.lists(st.sampled_from(pairs), max_size=2))
    drawn = data.draw(st.permutations(pairs + again))
    topic = np.array([pair[0] for pair in drawn])
    docs = pa.array([pair[1] for pair in drawn], pa.binary())
    assert has_repeats(topic, docs, word_hashes(docs)) == (len(set(drawn)) < len(drawn))


@given(st.lists(WORDS, min_size=1, max_size=30, unique=True), st.integers(0, 5))
def test_a_word_has_one_hash_wherever_it_stands_and_others_have_others(words, start):
    column = pa.array([b"before"] * start + words, pa.binary())
    hashes = word_hashes(column.slice(start)).tolist()
    assert len(set(hashes)) == len(words)
    assert word_hashes(pa.array(words[::-1], pa.binary())).tolist() == hashes[::-1]
    assert word_hashes(taken(column, np.arange(start, start + len(words)))).tolist() == hashes


@given(st.integers(8, 40), st.integers(1, 20), st.integers(0, 3), st.randoms(use_true_random=False))
def test_words_of_one_length_hash_as_they_do_among_words_of_other_lengths(length, n_words, start, random):
    words = [random.randbytes(length) for _ in range(n_words)]
    alone = word_hashes(pa.array([b"x" * length] * start + words, pa.binary()).slice(start))
    mixed = word_hashes(pa.array([b"", b"another length", *words], pa.binary()))
    assert alone.tolist() == mixed[2:].tolist()
