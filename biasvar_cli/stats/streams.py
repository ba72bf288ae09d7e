"""Which random numbers belong to what: every use has a stream of its own behind the one seed that the user gives.

In one analysis of one track no two streams meet. `PARTITIONS` and `HALVES` are started by a number of queries, all
others by a word of their own, and those that are drawn in blocks by the number of the block besides. A partition into
subsets of one query, or into one subset, has the number of another stream; but there is nothing to draw in it.
"""

from __future__ import annotations

from enum import Enum, unique

import numpy as np


@unique
class Stream(Enum):
    """The uses of random numbers, each by what starts it and a word that no other of its kind has."""

    PARTITIONS = "number", 0  # random partitions of the queries; started by the subset size
    HALVES = "number", 1  # halves of the queries, whose rankings are compared; started by the number of queries
    QUERIES = "word", 0  # bootstrap over queries
    RUNS = "word", 1  # bootstrap over runs or teams
    NULL = "block", 0  # samples of the null model
    NULL_FRESH = "block", 1  # more samples of it, to which no line was fitted
    SHUFFLED = "block", 2  # scores shuffled among the runs
    CROSS_HALVES = "block", 3  # halves of the queries, bias² on one and variance on the other
    SUBSETS = "block", 4  # subsets of the queries, on which rank correlations are computed again
    SIGNS = "block", 5  # signs of the differences of two runs
    PAIRED = "block", 6  # bootstrap of single pairs of runs
    TUKEY = "block", 7  # scores shuffled among the runs, for the largest difference of all pairs
    STEP_DOWN = "block", 8  # bootstrap of all pairs of runs together
    SWAPS = "block", 9  # two halves of the queries, on which pairs of runs may change places


def generator(stream: Stream, seed: int, number: int = 0) -> np.random.Generator:
    """The generator of a stream; ``number`` is the number of queries that starts it, or the block.

    >>> first, again, other = (generator(stream, 0, 5) for stream in (Stream.HALVES, Stream.HALVES, Stream.NULL))
    >>> first.random() == again.random() != other.random()
    True
    """
    start, word = stream.value
    if start == "block":
        return np.random.default_rng(np.random.SeedSequence([seed, word], spawn_key=(number,)))
    return np.random.default_rng([seed, number if start == "number" else word])
