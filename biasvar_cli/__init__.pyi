from collections.abc import Sequence
from typing import Literal, Unpack

from biasvar_cli.notebook.arguments import Reading
from biasvar_cli.notebook.frames import ClustersLike
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import ScoresLike
from biasvar_cli.analyses.check.notebook import CheckResult as CheckResult
from biasvar_cli.analyses.check.notebook import check as check
from biasvar_cli.analyses.judges.notebook import judges as judges
from biasvar_cli.analyses.models.notebook import models as models
from biasvar_cli.analyses.summary.notebook import summary as summary
from biasvar_cli.analyses.tracks.notebook import tracks as tracks
from biasvar_cli.analyses.unjudged.notebook import unjudged as unjudged
from biasvar_cli.errors import BiasVarError as BiasVarError
from biasvar_cli.errors import DataWarning as DataWarning
from biasvar_cli.notebook.figure import Figure as Figure
from biasvar_cli.notebook.results import DecompositionResult as DecompositionResult
from biasvar_cli.notebook.results import Result as Result
from biasvar_cli.notebook.results import TargetResult as TargetResult
from biasvar_cli.notebook.scores import Scores as Scores
from biasvar_cli.notebook.scores import evaluate as evaluate
from biasvar_cli.notebook.scores import means as means
from biasvar_cli.page.notebook import Page as Page
from biasvar_cli.page.notebook import report as report

__all__: list[str]
__version__: str

def compare(
    scores: ScoresLike,
    baseline: str | Sequence[str] | None = None,
    *,
    target: str | Sequence[str] = 'best',
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: Literal['floor', 'add'] | None = None,
    eps: float | None = None,
    test: Literal['t', 'randomisation', 'bootstrap', 'wilcoxon', 'sign', 'tukey', 'stepdown'] | Sequence[Literal['t', 'randomisation', 'bootstrap', 'wilcoxon', 'sign', 'tukey', 'stepdown']] = ('stepdown', 't'),
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
    of: Literal['mean', 'total', 'total_gap'] = 'mean',
    level: float = 0.95,
    samples: int = 9999,
    power: float = 0.8,
    detect: float | None = None,
    splits: int = 1000,
    marks: Literal['signs', 'letters'] = 'signs',
    infer: Literal['systems', 'runs'] = 'systems',
    paired_replicates: bool = False,
    half_width: float | None = None,
    clusters: ClustersLike | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Result: ...

def decompose(
    scores: ScoresLike,
    target: str | Sequence[str] = 'best',
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: Literal['floor', 'add'] | None = None,
    eps: float | None = None,
    weights: tuple[float, float] | None = None,
    rank: bool = False,
    pareto: bool = False,
    stability: bool = False,
    ci: float | None = None,
    resamples: int | None = None,
    ci_method: Literal['auto', 'percentile'] | None = None,
    over: Literal['runs', 'teams', 'both'] | Sequence[Literal['runs', 'teams', 'both']] = (),
    teams: str | None = None,
    baseline: str | None = None,
    clusters: ClustersLike | None = None,
    null: bool = True,
    null_samples: int | None = None,
    form: Literal['score', 'gap', 'both'] = 'score',
    seed: int = 0,
    **reading: Unpack[Reading],
) -> DecompositionResult: ...

def profile(
    scores: ScoresLike,
    run: str = '',
    *,
    target: str | Sequence[str] = 'best',
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: Literal['floor', 'add'] | None = None,
    eps: float | None = None,
    baseline: str | Sequence[str] | None = None,
    test: Literal['t', 'randomisation', 'bootstrap', 'wilcoxon', 'sign', 'tukey', 'stepdown'] = 'stepdown',
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
    level: float = 0.95,
    samples: int = 9999,
    infer: Literal['systems', 'runs'] = 'systems',
    paired_replicates: bool = False,
    half_width: float | None = None,
    clusters: ClustersLike | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Result: ...

def risk(
    scores: ScoresLike,
    baseline: str | Sequence[str] = 'mean',
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    alpha: float | Sequence[float] = (0.0, 1.0, 5.0, 10.0),
    tie_eps: float = 0.0,
    r_loss: int | None = None,
    with_decomposition: bool = False,
    ci: float | None = None,
    resamples: int | None = None,
    infer: Literal['systems', 'runs'] = 'systems',
    paired_replicates: bool = False,
    half_width: float | None = None,
    clusters: ClustersLike | None = None,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Result: ...

def sensitivity(
    scores: ScoresLike,
    target: str | Sequence[str] = 'best',
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: Literal['floor', 'add'] | None = None,
    eps: float | None = None,
    teams: str | None = None,
    splits: int = 100,
    precision: float = 0.2,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Result: ...

def target(
    scores: ScoresLike,
    target: str = 'best',
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    rarefied: int | None = None,
    difficulty: Literal['best', 'mean'] = 'best',
    subset_size: int = 10,
    **reading: Unpack[Reading],
) -> TargetResult: ...

def tradeoff(
    scores: ScoresLike,
    target: str | Sequence[str] = 'best',
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    log: Literal['floor', 'add'] | None = None,
    eps: float | None = None,
    subset_size: int | Sequence[int] | None = None,
    repeats: int = 10,
    seed: int = 0,
    difficulty: Literal['best', 'mean'] = 'best',
    remainder: Literal['last', 'balanced', 'merge'] = 'last',
    subset_weights: Literal['size', 'equal'] = 'size',
    normalise: Literal['ratio', 'maxmin'] = 'ratio',
    zero_target: Literal['drop', 'one', 'error'] = 'drop',
    groups: str | None = None,
    detail: str | None = None,
    families: str | None = None,
    baseline: str | None = None,
    null: bool = True,
    null_samples: int | None = None,
    **reading: Unpack[Reading],
) -> Result: ...
