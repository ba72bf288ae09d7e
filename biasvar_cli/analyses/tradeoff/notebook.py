"""``bv.tradeoff``: the tradeoff in a notebook."""

from biasvar_cli.analyses.tradeoff.request import TradeoffRequest
from biasvar_cli.notebook.results import notebook_function

tradeoff = notebook_function(
    "tradeoff",
    TradeoffRequest,
    """The correlations of bias² and variance over the runs, under samples of the queries, in both forms.

    A row a sampling and form, as ``biasvar tradeoff`` has them; ``null`` adds the null models of Pearson's r. With
    ``detail`` a row a run under one sampling, with ``families`` (a csv of run,family or a pattern) a row a family. The
    other arguments are as in `decompose`, and ``groups`` is the path of a csv of query,group.
    """,
    only_table=lambda request: request.table,
)
