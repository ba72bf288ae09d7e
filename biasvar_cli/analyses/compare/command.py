"""``biasvar compare``: which runs differ significantly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.analyses.compare.options import CompareChoice, compare_options
from biasvar_cli.console.options import completion
from biasvar_cli.console.options.heading import OUTPUT, command, option
from biasvar_cli.console.options.inputs import input_files, input_options
from biasvar_cli.console.options.output import output_options
from biasvar_cli.console.options.separate_files import require_separate
from biasvar_cli.console.options.shared import top_option
from biasvar_cli.console.options.target import log_options, target_files, target_options
from biasvar_cli.console.terminal import load, progress
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biasvar_cli.analyses.compare.answer import PairResults
    from biasvar_cli.analyses.compare.pairs import PairRequest, PairTests
    from biasvar_cli.arrays import FloatArray
    from biasvar_cli.console.output import Output
    from biasvar_cli.decomposition.target import TargetedScores
    from biasvar_cli.scores import LogTransform, ScoreMatrix
    from biasvar_cli.scoring.scorer import TrackRequest
    from biasvar_cli.stats.monte_carlo import Done
    from biasvar_cli.target_spec import TargetSpec

_SHORT = 1.0  # seconds; tests that take no longer have no progress bar


@command()
@input_options()
@target_options()
@log_options()
@compare_options()
@option(
    OUTPUT,
    "--sort",
    metavar="COLUMN",
    shell_complete=completion.column,
    help="Order of the rows; -COLUMN: largest first. Default: best run or largest difference first; in csv, tsv, "
    "parquet and json by run, unless --top is given.",
)
@top_option
@output_options(sorted(FORMATS), "text")
def compare(
    inputs: TrackRequest,
    targets: tuple[TargetSpec, ...],
    log: LogTransform | None,
    choice: CompareChoice,
    sort: str | None,
    top: int | None,
    output: Output,
) -> None:
    """Which runs differ significantly: paired tests over all pairs of runs, or against a baseline.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input.
    Which runs differ is decided by one test, the step-down bootstrap, which holds its level for all pairs together.

    \b
    biasvar compare sample_runs -q qrels/npl.qrels.txt
    biasvar compare sample_runs -q qrels/npl.qrels.txt --baseline run:rm
    biasvar compare sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10 --table power
    biasvar compare sample_runs -q qrels/npl.qrels.txt --of total --table pairs -f csv -o pairs.csv
    """
    require_separate(output, *input_files(inputs), *target_files(targets), selection=inputs.selection)
    if sort is not None and choice.table in ("power", "swap"):
        raise click.UsageError(f"--sort is of runs and pairs, not of --table {choice.table}.")

    from biasvar_cli.analyses.compare.table import CompareView, compare_table
    from biasvar_cli.scoring.targets import targeted_scores

    view = CompareView(
        table=choice.table,
        sort=sort,
        top=top,
        for_people=output.best_first(top),
        names_baseline=len(choice.baselines) > 1,
    )
    swaps = choice.table == "swap" or output.format == "json"
    specs = targets[:1] if choice.of == "mean" else targets  # a mean score has no target
    track = load(inputs)
    all_targeted = [targeted_scores(scored, spec, log) for scored in track.scored for spec in specs]
    asked = choice.request(inputs.jobs)
    length = len(all_targeted) * (asked.n_drawn * choice.n_families + (choice.n_splits if swaps else 0))
    with progress("Testing", "samples", length, after=_SHORT) as done:
        found = [each for targeted in all_targeted for each in _compared(targeted, choice, asked, done, swaps=swaps)]
    output.emit([compare_table(each, view=view) for each in found])


def _compared(
    targeted: TargetedScores, choice: CompareChoice, asked: PairRequest, done: Done, *, swaps: bool
) -> list[PairResults]:
    """All that is known of which runs differ, once for every baseline."""
    from biasvar_cli.analyses.compare.answer import PairResults
    from biasvar_cli.analyses.compare.discrimination import power_of_tests, sample_size
    from biasvar_cli.analyses.compare.pairs import losses_of
    from biasvar_cli.analyses.compare.swaps import swap_rates
    from biasvar_cli.stats.two_way import anova, friedman

    values = losses_of(targeted.scores, targeted.target, choice.of)
    tested = list(_tested(values, targeted.scores, choice, asked, done))
    of_runs, of_ranks = anova(values), friedman(values)
    rates = swap_rates(values, n_splits=choice.n_splits, seed=choice.seed, done=done) if swaps else None
    return [
        PairResults(
            measure=targeted.scores.measure,
            target=targeted.target,
            tests=tests,
            power=power_of_tests(tests),
            size=sample_size(tests, choice.power, choice.detect),
            anova=of_runs,
            friedman=of_ranks,
            swaps=rates,
        )
        for tests in tested
    ]


def _tested(
    values: FloatArray, scores: ScoreMatrix, choice: CompareChoice, asked: PairRequest, done: Done
) -> Iterator[PairTests]:
    """The tests of all pairs, or of those with each baseline; all pairs are tested once, for the best run too."""
    from biasvar_cli.analyses.compare.pairs import against_top, compare_pairs
    from biasvar_cli.scoring.baselines import listed_place

    places = {spec: listed_place(f"--baseline {spec.text}", spec, scores) for spec in choice.baselines}
    every = compare_pairs(values, scores.runs, choice.of, asked, done=done) if choice.tests_all_pairs else None
    if every is not None and not places:
        yield every
    for spec, place in places.items():
        if every is not None and spec.kind == "top":
            yield against_top(every, place)
        else:
            yield compare_pairs(values, scores.runs, choice.of, asked, place, done=done)
