"""Which random numbers belong to what: every use has a stream of its own behind the one seed that the user gives.

In one analysis of one track no two streams meet. `PARTITIONS` and `HALVES` are started by a number of queries, all
others by a word of their own, and those that are drawn in blocks by the number of the block besides. A partition into
subsets of one query, or into one subset, has the number of another stream; but there is nothing to draw in it.
"""

from __future__ import annotations

from enum import Enum, auto

import numpy as np


class Stream(Enum):
    """The uses of random numbers. A new one needs a word in `_WORDS` or `_BLOCK_WORDS` that is not taken there."""

    PARTITIONS = auto()  # random partitions of the queries; started by the subset size
    HALVES = auto()  # halves of the queries, whose rankings are compared; started by the number of queries
    QUERIES = auto()  # bootstrap over queries
    RUNS = auto()  # bootstrap over runs or teams
    NULL = auto()  # samples of the null model
    NULL_FRESH = auto()  # more samples of it, to which no line was fitted
    SHUFFLED = auto()  # scores shuffled among the runs
    CROSS_HALVES = auto()  # halves of the queries, bias² on one and variance on the other
    SUBSETS = auto()  # subsets of the queries, on which rank correlations are computed again
    SIGNS = auto()  # signs of the differences of two runs
    PAIRED = auto()  # bootstrap of single pairs of runs
    TUKEY = auto()  # scores shuffled among the runs, for the largest difference of all pairs
    STEP_DOWN = auto()  # bootstrap of all pairs of runs together
    SWAPS = auto()  # two halves of the queries, on which pairs of runs may change places


_WORDS = {Stream.QUERIES: 0, Stream.RUNS: 1}
_BLOCK_WORDS = {
    Stream.NULL: 0,
    Stream.NULL_FRESH: 1,
    Stream.SHUFFLED: 2,
    Stream.CROSS_HALVES: 3,
    Stream.SUBSETS: 4,
    Stream.SIGNS: 5,
    Stream.PAIRED: 6,
    Stream.TUKEY: 7,
    Stream.STEP_DOWN: 8,
    Stream.SWAPS: 9,
}


def generator(stream: Stream, seed: int, number: int = 0) -> np.random.Generator:
    """The generator of a stream; ``number`` is the number of queries that starts it, or the block.

    >>> first, again, other = (generator(stream, 0, 5) for stream in (Stream.HALVES, Stream.HALVES, Stream.NULL))
    >>> first.random() == again.random() != other.random()
    True
    """
    if stream in _BLOCK_WORDS:
        return np.random.default_rng(np.random.SeedSequence([seed, _BLOCK_WORDS[stream]], spawn_key=(number,)))
    return np.random.default_rng([seed, _WORDS.get(stream, number)])
