"""``bv.sensitivity``: what a ranking depends on, in a notebook."""

from biasvar_cli.analyses.sensitivity.request import SensitivityRequest
from biasvar_cli.notebook.results import notebook_function

sensitivity = notebook_function(
    "sensitivity",
    SensitivityRequest,
    """How far the ranking of the runs by total depends on the target, on single runs and queries, and on chance.

    ``frame()`` has the ranking against other targets; ``frame("runs")``, ``frame("neighbours")``, ``frame("queries")``,
    ``frame("reliability")`` and ``frame("mean")`` are the other tables of ``biasvar sensitivity``. ``teams`` is the
    path of a csv of run,team. The other arguments are as in `decompose`.
    """,
)
