"""``bv.tracks``: many tracks at once, in a notebook."""

from collections.abc import Mapping, Sequence
from typing import Any

from biasvar_cli.analyses.tracks import TABLES, TracksRequest
from biasvar_cli.analyses.tracks.answer import answer
from biasvar_cli.decomposition import Design
from biasvar_cli.notebook.arguments import null_request, warning_there, with_settings
from biasvar_cli.notebook.memory import Path, path_of
from biasvar_cli.notebook.results import Result
from biasvar_cli.readers.manifest import read_manifest
from biasvar_cli.settings import requested, several
from biasvar_cli.specs.machine import available_cores
from biasvar_cli.words import Coefficient


@warning_there
@with_settings(Design)
def tracks(
    manifest: Path,
    *,
    subset_size: int | None = None,
    settings: Mapping[str, Any],
    null: bool = True,
    null_samples: int | None = None,
    correlation: Coefficient | Sequence[Coefficient] = ("pearson",),
    jobs: int | None = None,
) -> Result:
    """The tradeoff of every track of a manifest, and its trend over the years; ``docs/tracks.toml`` is an example.

    ``frame()`` has a row a track, ``frame("null")`` the null models of every correlation, ``frame("trends")`` the
    trends. ``correlation`` are the coefficients that the text shows; ``jobs`` tracks are computed at once, by default
    as many as there are cores. Raises `BiasVarError` where a track cannot be computed.
    """
    jobs = jobs or available_cores()
    design = requested(Design, settings, subset_size=several(subset_size))
    request = TracksRequest(design=design, null=null_request(settings, jobs), jobs=jobs)
    result = answer(read_manifest(path_of(manifest, "manifest")).tracks, request, complete=True)
    tables = tuple(name for name in TABLES if null or name != "null")
    return Result.from_answers("tracks", [result], tables, text={"correlation": several(correlation)})
