from typing import Literal, Unpack

from biasvar_cli.notebook.frames import ClustersLike
from biasvar_cli.notebook.memory import Judgments
from biasvar_cli.notebook.scores import ScoresLike
from biasvar_cli.analyses.check.notebook import CheckResult as CheckResult
from biasvar_cli.analyses.check.notebook import check as check
from biasvar_cli.errors import BiasVarError as BiasVarError
from biasvar_cli.errors import DataWarning as DataWarning
from biasvar_cli.notebook.arguments import JudgedReading
from biasvar_cli.notebook.arguments import Reading
from biasvar_cli.notebook.arguments import RunReading
from biasvar_cli.notebook.figure import Figure as Figure
from biasvar_cli.notebook.frames import Judgment
from biasvar_cli.notebook.frames import RanxQrels
from biasvar_cli.notebook.frames import RanxRun
from biasvar_cli.notebook.frames import Retrieved
from biasvar_cli.notebook.frames import Value
from biasvar_cli.notebook.results import DecompositionResult as DecompositionResult
from biasvar_cli.notebook.results import Result as Result
from biasvar_cli.notebook.results import TargetResult as TargetResult
from biasvar_cli.notebook.scores import Scores as Scores
from biasvar_cli.notebook.scores import evaluate as evaluate
from biasvar_cli.notebook.scores import means as means
from biasvar_cli.page.notebook import Page as Page
from biasvar_cli.page.notebook import report as report
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from numpy import ndarray
from os import PathLike
from pandas import DataFrame
from typing import Any

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

def judges(
    scores: str | PathLike[str] | DataFrame | Mapping[str, Any] | RanxRun | Iterable[str | PathLike[str]] | Iterable[RanxRun] | Iterable[Retrieved] | Sequence[Any],
    qrels: Mapping[str, str | PathLike[str] | DataFrame | Mapping[str, Mapping[str, int]] | RanxQrels | Iterable[Judgment]] | Sequence[str] | None = None,
    *,
    measure: object | None = None,
    clusters: str | PathLike[str] | Mapping[str, str] | None = None,
    target: str = 'best',
    replicates: str | None = None,
    level: float = 0.95,
    samples: int = 9999,
    calibrate: bool = False,
    of: Literal['mean', 'bias', 'total_gap'] = 'mean',
    baseline: str | None = None,
    half_width: float | None = None,
    seed: int = 0,
    **reading: Unpack[JudgedReading],
) -> Result: ...

def models(
    inputs: str | PathLike[str] | Iterable[str | PathLike[str]],
    true: str | PathLike[str],
    *,
    background: str | PathLike[str] | None = None,
    exclude_queries: str | PathLike[str] | None = None,
    glob: str | None = None,
    exclude: str | Sequence[str] = (),
    recursive: bool = False,
    max_size: int | None = None,
    families: str | None = None,
    runs: Scores | str | PathLike[str] | DataFrame | Mapping[str, Any] | RanxRun | Iterable[str | PathLike[str]] | Iterable[RanxRun] | Iterable[Retrieved] | ndarray[Any, Any] | Iterable[Value] | None = None,
    qrels: Judgments | None = None,
    measure: object | None = None,
    jobs: int | None = None,
    divergence: Literal['kl-fwd', 'kl-rev', 'jeffreys', 'js'] | Sequence[Literal['kl-fwd', 'kl-rev', 'jeffreys', 'js']] | None = None,
    epsilon: float | Sequence[float] | None = None,
    sum: Literal['squared', 'plain'] = 'squared',
    original: str | None = None,
    exclude_no_feedback: bool = False,
    baseline: str | None = None,
    ci: float | None = None,
    resamples: int | None = None,
    seed: int = 0,
    target: str | None = None,
) -> Result: ...

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

def summary(
    scores: Scores | str | PathLike[str] | DataFrame | Mapping[str, Any] | RanxRun | Iterable[str | PathLike[str]] | Iterable[RanxRun] | Iterable[Retrieved] | ndarray[Any, Any] | Iterable[Value] | Mapping[str, Scores],
    baseline: str | None = None,
    *,
    measure: object | None = None,
    qrels: Judgments | None = None,
    target: str = 'best',
    percent: bool = False,
    log: Literal['floor', 'add'] | None = None,
    eps: float | None = None,
    errors: bool = False,
    counts: bool = False,
    test: Literal['t', 'randomisation', 'bootstrap', 'wilcoxon', 'sign', 'tukey', 'stepdown'] = 'stepdown',
    correction: Literal['holm', 'bonferroni', 'bh', 'none'] = 'holm',
    level: float = 0.95,
    samples: int = 9999,
    marks: Literal['signs', 'letters'] = 'signs',
    infer: Literal['systems', 'runs'] = 'systems',
    paired_replicates: bool = False,
    half_width: float | None = None,
    clusters: ClustersLike | None = None,
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

def tracks(
    manifest: str | PathLike[str],
    *,
    subset_size: int | None = None,
    repeats: int = 10,
    seed: int = 0,
    difficulty: Literal['best', 'mean'] = 'best',
    remainder: Literal['last', 'balanced', 'merge'] = 'last',
    subset_weights: Literal['size', 'equal'] = 'size',
    normalise: Literal['ratio', 'maxmin'] = 'ratio',
    zero_target: Literal['drop', 'one', 'error'] = 'drop',
    null: bool = True,
    null_samples: int | None = None,
    correlation: Literal['pearson', 'spearman', 'kendall'] | Sequence[Literal['pearson', 'spearman', 'kendall']] = ('pearson',),
    jobs: int | None = None,
) -> Result: ...

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

def unjudged(
    runs: str | PathLike[str] | DataFrame | Mapping[str, Any] | RanxRun | Iterable[str | PathLike[str]] | Iterable[RanxRun] | Iterable[Retrieved],
    qrels: str | PathLike[str] | DataFrame | Mapping[str, Mapping[str, int]] | RanxQrels | Iterable[Judgment],
    *,
    measure: object | None = None,
    grade: int | None = None,
    teams: str | None = None,
    contributors: str | None = None,
    depth: int | None = None,
    **reading: Unpack[RunReading],
) -> Result: ...
