"""Divergences of two distributions of terms, and the smoothing that most of them need.

Sources: Kullback and Leibler, "On information and sufficiency", Annals of Mathematical Statistics 22, 1951; Jeffreys,
Theory of Probability, 1939; Lin, "Divergence measures based on the Shannon entropy", IEEE Transactions on Information
Theory 37, 1991. IPM'14 measures the error of a query model by "the KL-divergence between the estimated model and the
true model"; neither its direction nor its smoothing is in the text that could be read: both are inferred.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from biasvar_cli.arrays import FloatArray
from biasvar_cli.query_models.request import DivergenceName


def kl_forward(true: FloatArray, estimate: FloatArray) -> FloatArray:
    """The terms of KL(true || estimate) in nats, p ln(p / q), any shape; all probabilities positive.

    It punishes what the estimate lacks of the true model.

    >>> kl_forward(np.array([0.5, 0.5]), np.array([0.25, 0.75])).sum().round(6)  # ln 2 / 2 + ln(2/3) / 2
    np.float64(0.143841)
    """
    terms: FloatArray = true * np.log(true / estimate)
    return terms


def kl_reverse(true: FloatArray, estimate: FloatArray) -> FloatArray:
    """The terms of KL(estimate || true) in nats, q ln(q / p): it punishes what the true model lacks."""
    return kl_forward(estimate, true)


def jeffreys(true: FloatArray, estimate: FloatArray) -> FloatArray:
    """The terms of Jeffreys' divergence in nats, (p - q) ln(p / q): the sum of KL in both directions."""
    terms: FloatArray = (true - estimate) * np.log(true / estimate)
    return terms


def jensen_shannon(true: FloatArray, estimate: FloatArray) -> FloatArray:
    """The terms of the Jensen-Shannon divergence in bits, any shape; probabilities may be 0.

    JS = KL(p || m) / 2 + KL(q || m) / 2 with m = (p + q) / 2 and logarithms of base 2: symmetric, and from 0 to 1.

    >>> jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])).sum()  # nothing in common
    np.float64(1.0)
    """
    both = true + estimate
    halves = [0.5 * one * np.log2(np.where(one > 0, 2 * one / both, 1.0)) for one in (true, estimate)]
    terms: FloatArray = halves[0] + halves[1]
    return terms


def smoothed(model: FloatArray, background: FloatArray, epsilon: float | FloatArray) -> FloatArray:
    """(1 - epsilon) p(w) + epsilon p(w | background): any shapes that broadcast.

    The true model is smoothed as well as the estimate, or its divergence from itself would not be 0.

    >>> smoothed(np.array([1.0, 0.0]), np.array([0.25, 0.75]), 0.1).round(6).tolist()
    [0.925, 0.075]
    """
    mixed: FloatArray = (1 - epsilon) * model + epsilon * background
    return mixed


class Divergence(NamedTuple):
    """A divergence: its terms from the true probabilities and the estimated ones, its formula in words, its unit."""

    terms: Callable[[FloatArray, FloatArray], FloatArray]
    formula: str
    unit: str = "nats"


DIVERGENCES: dict[DivergenceName, Divergence] = {
    "kl-fwd": Divergence(kl_forward, "KL(true || model) = sum of p ln(p / q), in nats"),
    "kl-rev": Divergence(kl_reverse, "KL(model || true) = sum of q ln(q / p), in nats"),
    "jeffreys": Divergence(jeffreys, "KL(true || model) + KL(model || true), in nats"),
    "js": Divergence(
        jensen_shannon, "the Jensen-Shannon divergence of true and model, in bits, from 0 to 1", unit="bits"
    ),
}
