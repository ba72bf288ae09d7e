"""``bv.compare``: which runs differ, in a notebook."""

from biasvar_cli.analyses.compare.request import CompareRequest
from biasvar_cli.notebook.results import notebook_function

compare = notebook_function(
    "compare",
    CompareRequest,
    """Which differences are significant: paired tests of all pairs, or against a baseline, run:NAME or top.

    ``frame()`` has a row a run, with a baseline a row a pair; ``frame("pairs")``, ``frame("power")`` and
    ``frame("swap")`` are the other tables of ``biasvar compare``. ``clusters`` says which queries belong together: a
    pattern of ids, a csv of query_id,cluster, or the cluster of each query as a dict or a DataFrame. The other
    arguments are as there and in `decompose`.
    """,
    first="baseline",
    first_table=lambda request: "pairs" if request.baseline else "runs",
)
