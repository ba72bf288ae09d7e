"""The group of the figures; a figure is a command of a module beside this one, and a name here."""

from __future__ import annotations

import click

from biasvar_cli.commands.plot.compare import draw_asl, draw_compare, draw_swap
from biasvar_cli.commands.plot.correlations import draw_tradeoff, draw_trend
from biasvar_cli.commands.plot.models import draw_estimation
from biasvar_cli.commands.plot.queries import draw_queries, draw_rarefaction, draw_target
from biasvar_cli.commands.plot.risk import draw_losses, draw_risk
from biasvar_cli.commands.plot.runs import draw_plane, draw_ranked, draw_total


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
            formatter.write_dl([(name, str(figure.short_help)) for name, figure in self.commands.items()])


@click.group(
    cls=_Figures,
    subcommand_metavar="FIGURE INPUTS...",
    short_help="The papers' figures, as PDF, SVG, PNG or Vega-Lite.",
)
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


for _figure in (
    draw_plane,
    draw_total,
    draw_ranked,
    draw_tradeoff,
    draw_trend,
    draw_target,
    draw_queries,
    draw_rarefaction,
    draw_risk,
    draw_losses,
    draw_compare,
    draw_asl,
    draw_swap,
    draw_estimation,
):
    plot.add_command(_figure)
