"""The group of the figures; a figure is a command of a module beside this one, and a name here."""

from __future__ import annotations

import click

from biasvar_cli.commands.lazy import LazyCommands, Place

_FIGURES = {
    "plane": Place("plot.runs:draw_plane", "bias² against variance, lines of equal total, the Pareto front."),
    "total": Place("plot.runs:draw_total", "bias² against bias² + variance."),
    "ranked": Place("plot.runs:draw_ranked", "Runs in order of bias², with bias², variance and their sum."),
    "tradeoff": Place("plot.correlations:draw_tradeoff", "Correlations of bias² and variance beside null models."),
    "trend": Place("plot.correlations:draw_trend", "Correlations over the years of a manifest."),
    "target": Place(
        "plot.queries:draw_target", "The target's score of each query, its supplier, the spread of the runs."
    ),
    "queries": Place("plot.queries:draw_queries", "Heat map of runs and queries: the gap to the target."),
    "rarefaction": Place("plot.queries:draw_rarefaction", "The target's mean against the number of runs pooled."),
    "risk": Place("plot.risk:draw_risk", "U_risk of the leading runs over the weight of losses."),
    "losses": Place("plot.risk:draw_losses", "A run's gains and losses against a baseline, query by query."),
    "compare": Place(
        "plot.compare:draw_compare", "Runs by mean with simultaneous intervals; those not beyond the best."
    ),
    "asl": Place("plot.compare:draw_asl", "p-values of all pairs in descending order: which measure tells runs apart."),
    "swap": Place("plot.compare:draw_swap", "How often two runs change places on other queries, by their difference."),
    "estimation": Place(
        "plot.models:draw_estimation", "Query models: estimation bias² against variance, families joined."
    ),
}


class _Figures(click.Group):
    """A group that calls its commands figures."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands:
            ctx.fail(f"No such figure '{args[0]}'; it is one of {', '.join(self.commands)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Figures"):
            formatter.write_dl([(name, place.short_help) for name, place in _FIGURES.items()])


@click.group(cls=_Figures, commands=LazyCommands(_FIGURES), subcommand_metavar="FIGURE INPUTS...")
def plot() -> None:
    """The papers' figures, for a publication: PDF, SVG, PNG, or a Vega-Lite specification (.json).

    INPUTS are as for decompose; for trend one MANIFEST.toml, as for tracks; for estimation query models, as for models.
    All but .json needs the extra plot; in a checkout: pip install -e '.[plot]'.

    \b
    biasvar plot plane sample_runs -q qrels/npl.qrels.txt --families '(comb|nrr)-(.*)' -o plane.pdf
    biasvar plot ranked sample_runs -q qrels/npl.qrels.txt -m nDCG@10 --width two -o ranked.pdf
    biasvar plot trend docs/tracks.toml -o trend.svg
    biasvar plot plane -h
    """
