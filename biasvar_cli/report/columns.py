"""What the columns of the page mean, and in which order their best comes first."""

from __future__ import annotations

import re

_ALL = {
    "run": "the name of the run",
    "mean": "mean score over the queries",
    "bias": "the target's mean minus the run's mean",
    "bias2": "bias squared",
    "var": "variance of the run's scores over the queries (divisor n): score form",
    "total": "bias2 + var: total error in the score form",
    "var_gap": "variance over the queries of the gap, target minus score: gap form",
    "total_gap": "bias2 + var_gap: total error in the gap form",
    "rank": "rank by total; 1 is the least",
    "pareto": "* where no other run is at least as low on both bias2 and var and lower on one",
    "stability": "z of the variance among simulated runs of the same mean, nearest to 0 of three models; well below "
    "0 is steadier than its mean predicts",
    "delta": "mean difference from the baseline",
    "wins": "queries on which the run is above the baseline",
    "ties": "queries on which it equals the baseline",
    "losses": "queries on which it is below the baseline",
    "ri": "(wins - losses) / queries",
    "lt_init": "losses / queries",
    "reward": "mean gain over all queries",
    "risk": "mean loss over all queries",
    "gmap": "geometric mean of the scores",
    "break_even": "delta / risk: up to this A, u_risk_A is above 0; none without a loss, or where delta is not above 0",
    "supplied": "queries on which the run has the target's score, ties included",
    "alone": "queries on which no other run has it",
    "unique": "what the target's mean loses without the run",
    "bias_loro": "bias against the target of the other runs",
    "sampling": "the sample of queries: single, random subsets, subsets of like difficulty, given groups",
    "subset_size": "queries in a subset",
    "normalised": "* where scores are shares of the target",
    "form": "score: variance of the scores; gap: variance of target minus score",
    "pearson": "Pearson's r of bias² and variance over the runs",
    "spearman": "Spearman's ρ of bias² and variance over the runs",
    "kendall": "Kendall's τ of bias² and variance over the runs",
    "n_subsets": "subsets of queries",
    "n_dropped": "subsets left out because the target is 0 there",
    "null_r": "median r of the first null model; in the null models runs differ only in their means",
    "null_median": "median of the first null model; in the null models runs differ only in their means",
    "null_low": "lower end of the null models' range: the widest of their 95 %",
    "null_high": "upper end of the null models' range: the widest of their 95 %",
    "p": "how often the null models are as far out: two-sided, the largest of them",
    "verdict": "stronger or weaker: r lies beyond all null models; none: it does not",
    "family": "the family of runs",
    "n_runs": "number of runs",
    "n_queries": "number of queries",
    "query_id": "the query",
    "score": "the score on the query",
    "target": "the target's score on the query",
    "gap": "target minus score",
    "second": "score of the second run",
    "difference": "score of the run minus that of the second run",
    "outcome": "win, tie or loss of the run against the second run",
    "difficulty": "rank of the query by difficulty; 1 is the hardest",
    "track": "the track",
    "series": "the series of tracks that are compared over the years",
    "year": "the year of the track",
    "measure": "the measure",
    "tau": "Kendall's τ of the quantity with the year",
    "least_p": "the least p that so few years can have",
}
_OF = {
    "queries": {
        "score": "the target's score on the query",
        "suppliers": "runs that have this score, ties included",
        "n_suppliers": "how many runs have it",
        "mean": "mean score of the query over the runs of the pool",
        "sd": "standard deviation of the query's scores over the runs of the pool",
        "group": "1 for the hardest subset of queries, 2 for the next",
    },
    "families": {"n_runs": "runs of the family"},
    "trend-tracks": {
        "target": "the target",
        "target_mean": "mean of the target",
        "target_rarefied": "expected mean of the target of fewer runs, as many in every track",
    },
    "trend-trends": {
        "quantity": "what changes over the years: a correlation by its query sample, or the target's mean",
        "n_years": "years with a value",
        "n_undefined": "years without one",
        "p": "p of tau; two-sided",
    },
    "trend-null": {
        "model": "means: models in which runs differ only in their means; shuffled: scores shuffled among the runs",
        "quantity": "the correlation, by its query sample",
        "observed": "the observed correlation",
        "median": "median of the first model",
        "low": "lower end of the models' range: the widest of their 95 %",
        "high": "upper end of the models' range: the widest of their 95 %",
    },
    "shown": {"target": "the target"},
}
_PATTERNS = (
    (r"(single|random|difficulty|normalised)_(?:pearson|spearman|kendall)", "correlation of bias² and variance: {}"),
    (r"(.+)_low", "lower end of the interval of {}"),
    (r"(.+)_high", "upper end of the interval of {}"),
    (r"d_(\w+)", "{} of the run minus that of the baseline"),
    (r"ratio_(\w+)", "{} of the run over that of the baseline"),
    (r"(.+)_holm", "{}, adjusted for the number of runs"),
    (r"u_risk_(\S+)", "reward - (1 + {}) risk"),
    (r"t_risk_(\S+)_p", "p of t_risk_{}, of this run alone; two-sided"),
    (r"t_risk_(\S+)", "u_risk_{} over its standard error"),
    (r"z_risk_(\S+)", "risk against all runs together; a loss counts 1 + {} times"),
    (r"geo_risk_(\S+)", "the mean score and z_risk_{} in one number, from 0 to 1"),
)
_MORE_IS_BETTER = re.compile(
    r"mean|pareto|delta|wins|ties|ri|reward|gmap|break_even|[utz]_risk_[^_]+|geo_risk_[^_]+|supplied|alone|unique|score|difference"
    r"|d_mean|ratio_mean|n_suppliers|n_runs|n_queries|n_subsets"
)


def explained(kind: str, name: str) -> str:
    """What a column of a kind of table means; empty for one that is not known.

    >>> explained("runs", "bias2"), explained("queries", "mean"), explained("risk", "u_risk_5")
    ('bias squared', 'mean score of the query over the runs of the pool', 'reward - (1 + 5) risk')
    """
    known = _OF.get(kind, {}).get(name) or _ALL.get(name)
    if known is not None:
        return known
    for pattern, words in _PATTERNS:
        found = re.fullmatch(pattern, name)
        if found is not None:
            return words.format(found[1])
    return ""


def best_is_high(name: str) -> bool:
    """Whether the best values of a column are its largest ones, which a first click then sorts to the top.

    >>> [best_is_high(name) for name in ("mean", "bias2", "var", "u_risk_1", "t_risk_1_p", "run")]
    [True, False, False, True, False, False]
    """
    return _MORE_IS_BETTER.fullmatch(name) is not None
