"""``bv.tracks``: many tracks at once, in a notebook."""

from collections.abc import Sequence

from biasvar_cli.analyses.tracks import TABLES, TracksRequest
from biasvar_cli.analyses.tracks.answer import answer
from biasvar_cli.decomposition import Design, Normalisation, Remainder, SubsetWeights, ZeroTarget
from biasvar_cli.notebook.arguments import null_request, warning_there
from biasvar_cli.notebook.memory import Path, path_of
from biasvar_cli.notebook.results import Result
from biasvar_cli.readers.manifest import read_manifest
from biasvar_cli.settings import requested, several
from biasvar_cli.specs.machine import available_cores
from biasvar_cli.words import Coefficient, DifficultyKey


@warning_there
def tracks(
    manifest: Path,
    *,
    subset_size: int | None = None,
    repeats: int = Design.repeats,
    difficulty: DifficultyKey = Design.difficulty,
    remainder: Remainder = Design.remainder,
    subset_weights: SubsetWeights = Design.subset_weights,
    normalise: Normalisation = Design.normalise,
    zero_target: ZeroTarget = Design.zero_target,
    null: bool = True,
    null_samples: int | None = None,
    correlation: Coefficient | Sequence[Coefficient] = ("pearson",),
    seed: int = Design.seed,
    jobs: int | None = None,
) -> Result:
    """The tradeoff of every track of a manifest, and its trend over the years; ``docs/tracks.toml`` is an example.

    ``frame()`` has a row a track, ``frame("null")`` the null models of every correlation, ``frame("trends")`` the
    trends. ``correlation`` are the coefficients that the text shows; ``jobs`` tracks are computed at once, by default
    as many as there are cores. Raises `BiasVarError` where a track cannot be computed.
    """
    arguments = locals()
    jobs = jobs or available_cores()
    design = requested(Design, arguments, subset_size=several(subset_size))
    request = TracksRequest(design=design, null=null_request(arguments, jobs), jobs=jobs)
    result = answer(read_manifest(path_of(manifest, "manifest")).tracks, request, complete=True)
    tables = tuple(name for name in TABLES if null or name != "null")
    return Result.from_answers("tracks", [result], tables, text={"correlation": several(correlation)})
