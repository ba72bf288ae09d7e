"""``biasvar compare``: which runs differ, beyond chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from biasvar_cli.commands.options import completion
from biasvar_cli.commands.options.apart import require_apart
from biasvar_cli.commands.options.compare import CompareChoice, compare_options
from biasvar_cli.commands.options.heading import OUTPUT, command, option
from biasvar_cli.commands.options.inputs import request_files, request_options
from biasvar_cli.commands.options.output import output_options
from biasvar_cli.commands.options.shared import top_option
from biasvar_cli.commands.options.target import log_options, target_files, target_options
from biasvar_cli.commands.terminal import load, progress
from biasvar_cli.tables.render import FORMATS

if TYPE_CHECKING:
    from biasvar_cli.analyses.pairs import PairRequest
    from biasvar_cli.commands.output import Output
    from biasvar_cli.decomposition.target import Aim
    from biasvar_cli.scores import LogTransform
    from biasvar_cli.scoring.scorer import Request
    from biasvar_cli.scoring.track import Scored
    from biasvar_cli.stats.monte_carlo import Done
    from biasvar_cli.tables.pair_results import PairResults
    from biasvar_cli.target_spec import TargetSpec

_SHORT = 1.0  # seconds; tests that take no longer have no progress bar


@command()
@request_options()
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
    request: Request,
    targets: tuple[TargetSpec, ...],
    log: LogTransform | None,
    choice: CompareChoice,
    sort: str | None,
    top: int | None,
    output: Output,
) -> None:
    """Which runs differ beyond chance: paired tests over all pairs of runs, or against a baseline.

    INPUTS are TREC runs (with -q QRELS) or files of scores per query, or directories of them; - is standard input. The
    usual tests of all pairs, Tukey's HSD and the step-down bootstrap, hold their level for all pairs together.

    \b
    biasvar compare sample_runs -q qrels/npl.qrels.txt
    biasvar compare sample_runs -q qrels/npl.qrels.txt --baseline run:rm
    biasvar compare sample_runs -q qrels/npl.qrels.txt -m AP -m nDCG@10 --table power
    biasvar compare sample_runs -q qrels/npl.qrels.txt --of total --table pairs -f csv -o pairs.csv
    """
    require_apart(output, *request_files(request), *target_files(targets), selection=request.selection)
    if sort is not None and choice.table in ("power", "swap"):
        raise click.UsageError(f"--sort is of runs and pairs, not of --table {choice.table}.")

    from biasvar_cli.scoring.targets import aim
    from biasvar_cli.tables.compare import CompareView, compare_table

    view = CompareView(table=choice.table, sort=sort, top=top, for_people=output.best_first(top))
    swaps = choice.table == "swap" or output.format == "json"
    specs = targets[:1] if choice.of == "mean" else targets  # a mean score has no target
    track = load(request)
    aims = [(scored, aim(scored, spec, log)) for scored in track.scored for spec in specs]
    asked = choice.request(request.jobs)
    length = len(aims) * (asked.n_drawn + (choice.n_splits if swaps else 0))
    with progress("Testing", "samples", length, after=_SHORT) as done:
        found = [_compared(scored, aimed, choice, asked, done, swaps=swaps) for scored, aimed in aims]
    output.emit([compare_table(each, view=view) for each in found])


def _compared(
    scored: Scored, aimed: Aim, choice: CompareChoice, asked: PairRequest, done: Done, *, swaps: bool
) -> PairResults:
    from biasvar_cli.analyses.discrimination import power_of_tests, sample_size
    from biasvar_cli.analyses.pairs import compare_pairs, losses_of
    from biasvar_cli.analyses.swaps import swap_rates
    from biasvar_cli.stats.two_way import anova, friedman
    from biasvar_cli.tables.pair_results import PairResults

    scores = aimed.scores
    values = losses_of(scores, aimed.target, choice.of)
    tests = compare_pairs(values, scores.runs, choice.of, asked, _place(scored, aimed, choice), done=done)
    return PairResults(
        measure=scores.measure,
        target=aimed.target,
        tests=tests,
        power=power_of_tests(tests),
        size=sample_size(tests, choice.power, choice.detect),
        anova=anova(values),
        friedman=friedman(values),
        swaps=swap_rates(values, n_splits=choice.n_splits, seed=choice.seed, done=done) if swaps else None,
    )


def _place(scored: Scored, aimed: Aim, choice: CompareChoice) -> int | None:
    """The baseline's place among the listed runs."""
    from biasvar_cli.errors import absent_run
    from biasvar_cli.scoring.baselines import make_baseline

    if choice.baseline is None:
        return None
    name = str(make_baseline(choice.baseline, scored, words=("top",)).run)
    if name not in aimed.scores.runs:
        raise absent_run(f"--baseline {choice.baseline.text}", name, aimed.scores.runs)
    return aimed.scores.runs.index(name)
