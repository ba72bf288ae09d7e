"""What the text says of one run: its differences, its evenness, its losses, and the sentences for a paper."""

from __future__ import annotations

from collections.abc import Iterator

from biasvar_cli.analyses.compare.pairs import PairTests
from biasvar_cli.analyses.compare.sentences import unranked_words
from biasvar_cli.analyses.profile.answer import ProfileAnswer, Versus
from biasvar_cli.nulls.rows import LEAST_RUNS
from biasvar_cli.scores import in_unit
from biasvar_cli.scoring.targets import log_transform
from biasvar_cli.specs import FEWEST_QUERIES
from biasvar_cli.stats.significance import CORRECTIONS, PRIMARY, TESTS
from biasvar_cli.tables.layout import PLUS_MINUS
from biasvar_cli.tables.rounding import num, p_words
from biasvar_cli.tables.table import few_clusters, listed, target_words
from biasvar_cli.words import QUERIES, QUERY, RUN, RUNS, argument, counted, counted_queries, in_nouns, numbered, verb

LOSSES = 3  # named in a sentence
_UNUSUAL = 1.96  # standard deviations of simulated runs


def title_of(answer: ProfileAnswer) -> str:
    """The measure, the run, its mean and its rank: the first line."""
    n_runs = answer.scores.n_runs
    among = f" among {counted(n_runs, 'run')}" if n_runs > 1 else ""
    rank = f", rank {rank_words(answer)}" if n_runs > 1 else ""
    where = f"on {counted_queries(answer.scores.n_queries, answer.scores.n_clusters)}"
    return f"{answer.measure or 'Mean score'} of {answer.run}{among} {where}: {_mean(answer)}{rank}"


def _mean(answer: ProfileAnswer) -> str:
    """The mean of the run, with the standard deviation of the means of its replicates."""
    spread = "" if answer.spread is None else f" {PLUS_MINUS} {num(answer.spread[1])}"
    return f"{num(answer.quantities[0].value)}{spread}"


def rank_words(answer: ProfileAnswer) -> str:
    """The rank, and the ranks that the test leaves."""
    low, high = answer.rank_ends
    if low is None or high is None:
        return f"{answer.rank}"
    return f"{answer.rank} ({100 * answer.request.level:g} % range {low} to {high})"


# ---- the answer to the question


def verdict_notes(answer: ProfileAnswer) -> Iterator[str]:
    """Against the best, against the baselines, how evenly, on which queries."""
    if answer.scores.n_runs == 1:
        yield f"There is one {RUN}: nothing to compare it with."
    elif not answer.versus:
        yield f"There is one {QUERY}: no difference can be tested."
    for versus in answer.versus:
        if not is_repeated(answer, versus):
            yield _against(answer, versus)
    yield from _evenness_notes(answer)


def is_repeated(answer: ProfileAnswer, versus: Versus) -> bool:
    """Whether sentences leave it to another comparison with the same run: a named one, or that with the best."""
    compared = answer.compared
    if versus.role == "best":
        return versus.run in compared.names
    return versus.chosen and versus.run not in compared.names


def _against(answer: ProfileAnswer, versus: Versus) -> str:
    """What the test says of the run and another one, with the difference and what it is of."""
    also = f" and best {RUN}" if versus.run == answer.compared.best and versus.delta < 0 else ""
    other = f"the baseline{also}, {versus.run}" if not versus.chosen else best_words(answer, versus)
    start = {
        "better": "Significantly better than",
        "worse": "Significantly worse than",
        "neither": "Not significantly different from",
        "untested": f"{'Above' if (versus.delta > 0) == (answer.better == 'more') else 'Below'}",
    }[versus.outcome]
    if is_tied(answer, versus):
        start = "The same mean as"
    p = "not tested" if versus.outcome == "untested" else _p_words(answer, versus)
    inside = f"{num(versus.mean)}; {difference_words(answer, versus)}, {p}"
    n_equal = answer.scores.n_queries - versus.wins - versus.losses
    equal = f", equal on {n_equal}" if n_equal else ""
    return f"{start} {other} ({inside}): better on {counted(versus.wins, 'query')}, worse on {versus.losses}{equal}."


def _p_words(answer: ProfileAnswer, versus: Versus) -> str:
    """p, and whether it allows for several pairs."""
    adjusted = "adjusted " if versus.tests.n_family > 1 and _is_corrected(versus) else ""
    return f"{adjusted}{p_words(versus.p, answer.request.level)}"


def _is_corrected(versus: Versus) -> bool:
    """Whether p allows for all pairs of its family."""
    return versus.tests.request.correction in CORRECTIONS or not TESTS[versus.tests.deciding].corrected


def best_words(answer: ProfileAnswer, versus: Versus) -> str:
    """Who the best of the other runs is, in a sentence about the run."""
    tied = is_tied(answer, versus)
    role = f"the best {RUN}" if versus.delta < 0 and not tied else f"the best other {RUN}"
    also = " and baseline" if answer.compared.has_top else ""
    return f"{role}{also}, {versus.run}"


def is_tied(answer: ProfileAnswer, versus: Versus) -> bool:
    """Whether both means are equal up to rounding."""
    scale = abs(answer.result.mean).max(initial=0.0)
    return bool(abs(versus.delta) <= 1e-12 * scale)


def difference_words(answer: ProfileAnswer, versus: Versus) -> str:
    """The difference with its t interval; of a measure of which less is better, by how much the run is better."""
    alone = "" if versus.tests.n_family == 1 else " of this pair alone"
    words = f"{100 * answer.request.level:g} % interval{alone}"
    if versus.outcome == "untested":
        return f"difference {num(in_unit(versus.delta, answer.better), signed=True)}"
    if answer.better == "more":
        interval = f"{num(versus.low, signed=True)} to {num(versus.high, signed=True)}"
        return f"difference {num(versus.delta, signed=True)}, {words} {interval}"
    if versus.delta < 0:
        interval = f"{num(-versus.high, signed=True)} to {num(-versus.low, signed=True)}"
        return f"worse by {num(-versus.delta)}, {words} {interval}"
    interval = f"{num(versus.low, signed=True)} to {num(versus.high, signed=True)}"
    return f"better by {num(versus.delta)}, {words} {interval}"


def _evenness_notes(answer: ProfileAnswer) -> Iterator[str]:
    """The variance beside that of simulated runs of the same mean, and the largest losses."""
    z, var = answer.stability, num(answer.quantities[3].value)
    if z is not None and answer.scores.n_runs >= LEAST_RUNS:  # fewer tell little of how runs of a mean vary
        side = "lower" if z < 0 else "higher"
        expected = f"is {side} than expected" if abs(z) > _UNUSUAL else "is in the range expected"
        stability = f"stability {num(z, 2, signed=True)}, unusual beyond ±{_UNUSUAL}"
        yield f"Its variance over the {QUERIES}, {var}, {expected} of {RUN:a} with its mean ({stability})."
    reference = answer.compared.reference
    if reference is None or answer.delta is None:
        return
    worst = [query for query in answer.worst_first[:LOSSES] if answer.delta[query] < 0]
    most = [query for query in answer.worst_first[: -LOSSES - 1 : -1] if answer.delta[query] > 0]
    losses, gains = (
        [f"{answer.scores.queries[query]} ({num(answer.delta[query], signed=True)})" for query in queries]
        for queries in (worst, most)
    )
    loses = f"loses most on {verb(len(worst), f'{QUERY}', f'{QUERIES}')} {listed(losses)}"
    gained = f"gains most on {listed(gains)}" if gains else f"gains on no {QUERY}"
    yield f"Against {reference} it {loses if losses else f'loses on no {QUERY}'}, and {gained}."


# ---- for a paper


def paper_sentences(answer: ProfileAnswer) -> list[str]:
    """What may be written of the run: a sentence for each baseline and for the best of the others.

    None claims more than its test: without a test only the difference is said.
    """
    baselines_first = sorted(answer.versus, key=lambda versus: versus.role == "best")
    return [paper_sentence(answer, versus) for versus in baselines_first if not is_repeated(answer, versus)]


def paper_sentence(answer: ProfileAnswer, versus: Versus) -> str:
    """What may be written of the run and another one."""
    less = ", less is better" if answer.better == "less" else ""
    mean = f"{answer.measure or 'mean score'} {_mean(answer)}{less}"
    if answer.spread is not None:
        mean += f", mean and standard deviation of {numbered(answer.spread[0], 'run')}"
    subject = f"{answer.run} ({mean})"
    other = versus.run
    if versus.chosen:
        other = f"the best of the other {counted(answer.scores.n_runs - 1, 'run')}, {versus.run}"
        if answer.scores.n_runs == 2:
            other = f"the other {RUN}, {versus.run}"
    n_queries = counted_queries(answer.scores.n_queries, answer.scores.n_clusters)
    inside = f"{num(versus.mean)}; {difference_words(answer, versus)}"
    if is_tied(answer, versus):
        unequal = versus.wins + versus.losses
        return f"{subject} has the same mean as {other}; their scores differ on {unequal} of {n_queries}."
    if versus.outcome == "untested":
        side = "higher" if (versus.delta > 0) == (answer.better == "more") else "lower"
        return f"{subject} has a {side} mean than {other} ({inside}; {n_queries}, not tested)."
    p = _p_words(answer, versus)
    tested = f"{test_words(versus.tests)} {family_words(answer, versus)}, {p}; {n_queries}"
    if versus.outcome == "neither":
        return f"{subject} does not differ significantly from {other} ({inside}; {tested})."
    return f"{subject} is significantly {versus.outcome} than {other} ({inside}; {tested})."


def test_words(tests: PairTests) -> str:
    """The test that decides, with its correction where the pairs are several.

    A test of means is of the means of the queries.
    """
    test = TESTS[tests.deciding]
    words = tests.words(tests.deciding) if tests.deciding == PRIMARY else test.meaning.removeprefix("the ")
    if tests.n_family == 1:
        words = words.removeprefix("step-down ")  # which steps over several pairs
    correction = CORRECTIONS.get(tests.request.correction) if test.corrected and tests.n_family > 1 else None
    after = "" if correction is None else f" with {correction.words} correction"
    return f"two-sided paired {words.removeprefix('paired ')}{after}"


def family_words(answer: ProfileAnswer, versus: Versus) -> str:
    """The comparisons that p allows for."""
    n_family = versus.tests.n_family
    if n_family == 1:
        return "of this one pair"
    if not _is_corrected(versus):
        return f"of this pair, not corrected for {n_family} comparisons"
    number = "both" if n_family == 2 else f"{'all ' if versus.chosen else ''}{n_family}"
    return f"for {number} comparisons with {answer.run}"


# ---- under the table


def notes_under(answer: ProfileAnswer) -> Iterator[str]:
    """The sentences for a paper, the tests and their families, and why there is no test or no rank."""
    for sentence in paper_sentences(answer):
        yield f'For a paper: "{sentence}"'
    yield from _test_notes(answer)
    transform = log_transform(answer.request)
    if transform is not None:
        yield f"Scores are logarithms ({argument(log=transform.form, eps=transform.eps)})."
    yield (
        f"Virtual target: {target_words(answer.target, answer.scores.n_runs)}. bias: its mean - mean; var: variance of "
        f"the scores over the {QUERIES}; total: bias² + var."
    )
    if answer.compared.best is not None:
        most = "least" if answer.better == "less" else "highest"
        rows = f"median: of all {RUNS}, row by row"
        yield f"rank 1: {most} mean, least bias, var and total; best other: {answer.compared.best}; {rows}."


def _test_notes(answer: ProfileAnswer) -> Iterator[str]:
    """Which pairs p-values and ranks allow for, or why nothing is tested."""
    others = answer.compared.others
    if others is None:
        return
    if others.undecided == "few-queries":
        yield f"No test: that takes at least {FEWEST_QUERIES} {QUERIES}, and there are {answer.scores.n_queries}."
        return
    if others.undecided == "few-clusters":
        yield f"No test: {few_clusters(others.units.n)}."
        return
    if others.undecided == "few-samples":
        yield f"No test: {answer.request.samples} samples are too few for this level; raise --samples."
        return
    n_named = len(answer.compared.names)
    baseline = {0: "", 1: "the baseline is one pair; "}.get(n_named, f"the {n_named} baselines are a family; ")
    number = "both" if others.n_family == 2 else f"all {others.n_family}"
    pairs = f"{number} pairs with {answer.run}" if others.n_family > 1 else "one pair"
    if others.unranked is None:
        yield f"Tests: {baseline}p of the best {RUN} and the range of ranks allow for {pairs}."
    else:
        yield f"No range of ranks: {unranked_words(others)}."
    best = answer.compared.best
    if best in answer.compared.names and others.n_family > 1:
        chosen = f"If it was chosen for that, use {argument(baseline='top')}: its p allows for {pairs}"
        yield f"{best} has the best mean of the other {RUNS}. {chosen}."
    test = TESTS[answer.request.test]
    if test.caution:
        yield in_nouns(test.caution)


def caption_notes(answer: ProfileAnswer) -> Iterator[str]:
    """What the caption of the table says: what its columns are of."""
    if answer.compared.baseline is not None:
        yield f"baseline: {answer.compared.baseline}"
    if answer.compared.best is not None:
        yield f"best other: {answer.compared.best}, the best of the other {RUNS} by mean"
