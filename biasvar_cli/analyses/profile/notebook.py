"""``bv.profile``: one run beside the best and the baselines, in a notebook."""

from biasvar_cli.analyses.profile.request import ProfileRequest
from biasvar_cli.notebook.results import notebook_function

profile = notebook_function(
    "profile",
    ProfileRequest,
    """One run: how good it is, beside the best of the others and a baseline, on which queries, how evenly.

    ``run`` is its name or the beginning of it. ``frame()`` has its quantities, ``frame("versus")`` the runs that it is
    compared with, and ``frame("queries")`` its queries, the largest loss first. The other arguments are as in
    ``biasvar profile`` and in `decompose`.
    """,
    first="run",
)
