"""Tables, and the words that several tables share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, assert_never

from biasvar_cli.specs.limits import FEWEST_QUERIES
from biasvar_cli.tables.column import Cells, Column
from biasvar_cli.tables.rounding import num
from biasvar_cli.words import QUERIES, QUERY, RUNS, VERSION, Better, argument, counted, counted_queries, verb

if TYPE_CHECKING:
    import pandas as pd

    from biasvar_cli.clusters import Clusters
    from biasvar_cli.decomposition.decompose import VirtualTarget
    from biasvar_cli.nulls.models import Null
    from biasvar_cli.score_matrix import ScoreMatrix
    from biasvar_cli.scoring.targets import TargetedAnswer


@dataclass(frozen=True, eq=False)
class Table:
    """Unrounded columns and the sentences on them, from which every format is rendered.

    Attributes
    ----------
    title
        The first line: what was evaluated.
    columns
        Lists of plain values, of the same length.
    keys
        The leading columns, whose values are the same in every row; formats for people do not show them.
    verdict
        Sentences before the rows that answer the question of the command.
    notes, details
        Sentences under the rows, and those that only ``--notes full`` adds.
    second, appendix
        Small tables under the notes, and those that only ``--notes full`` adds.
    intervals
        Pairs of columns that people see as one, ``[low, high]``, by its head.
    signed
        Columns whose positive numbers have a plus.
    marks, spreads
        The marks after the cells of a column, "" for none, and the numbers after ±, nan for none.
    groups
        The heading over the heads of columns that belong together, by column.
    emphasis
        Whether the best values are bold in markdown and HTML.
    caption
        Notes that the caption in LaTeX repeats.
    more
        Commands that show more.
    with_notices
        Whether the notices on the files follow the last table.
    name
        The command, for the label in LaTeX.
    signature
        One line with everything that the numbers depend on; a key of the result in JSON.
    target_row
        A last row, which programs do not get.
    document, rows_key
        The result for JSON without the rows, and the key of the rows.
    top
        Keys of JSON beside the version.
    hidden
        Columns for programs only.
    declared
        The declarations of the columns.
    below, n_rows, best_elsewhere
        As in `Cells`.

    >>> table = Table("Two runs", {"run": ["A", "B"], "mean": [0.2, 0.34]})
    >>> list(table.rows())
    [('A', 0.2), ('B', 0.34)]
    >>> float(table.frame()["mean"].max())  # a pandas DataFrame, for work in a notebook
    0.34
    """

    title: str
    columns: Mapping[str, list[Any]]
    keys: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    second: tuple[Table, ...] = ()
    appendix: tuple[Table, ...] = ()
    intervals: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    signed: frozenset[str] = frozenset()
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    spreads: Mapping[str, Sequence[float]] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    emphasis: bool = False
    caption: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    with_notices: bool = False
    name: str = ""
    signature: str = ""
    target_row: Mapping[str, Any] | None = None
    document: Mapping[str, Any] = field(default_factory=dict)
    top: Mapping[str, Any] = field(default_factory=dict)
    rows_key: str = "rows"
    hidden: frozenset[str] = frozenset()
    declared: Mapping[str, Column[Any]] = field(default_factory=dict)
    below: tuple[tuple[str, int], ...] = ()
    n_rows: int | None = None
    best_elsewhere: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        title: str,
        cells: Cells,
        *,
        hidden: frozenset[str] = frozenset(),
        target_row: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> Table:
        """A table of cells; their declarations say which columns are keys, signed or hidden.

        Scores, also those of the ``target_row``, are turned into the unit of the measure.
        """
        declared, printed = cells.declared, cells.in_unit
        if target_row is not None:
            of_target = Cells({name: [value] for name, value in target_row.items()}, declared)
            target_row = {name: values[0] for name, values in of_target.in_unit.columns.items()}
        return cls(
            title,
            printed.columns,
            keys=tuple(name for name, column in declared.items() if column.key),
            signed=frozenset(name for name, column in declared.items() if column.signed),
            hidden=hidden | {name for name, column in declared.items() if column.hidden},
            declared=printed.declared,
            target_row=target_row,
            below=cells.below,
            n_rows=cells.n_rows,
            best_elsewhere=cells.best_elsewhere,
            **others,
        )

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows, one tuple each, in the order of the columns."""
        return zip(*self.columns.values(), strict=True)

    def frame(self) -> pd.DataFrame:
        """The columns as a DataFrame. pandas is imported here, not by every command: it takes 0.2 s."""
        import pandas as pd

        return pd.DataFrame(self.columns)


def measure_words(measure: str | None) -> str:
    """The name of a measure in a title.

    >>> measure_words("AP"), measure_words(None)
    ('AP', 'unknown measure')
    """
    return measure if measure is not None else "unknown measure"


def about(
    measure: str | None,
    target: VirtualTarget,
    n_runs: int,
    n_queries: int,
    n_clusters: int | None = None,
    *,
    order: str = "",
) -> str:
    """Measure, runs, queries and target of a result, for a subtitle; ``order`` is the quantity that orders the runs.

    >>> from biasvar_cli.decomposition.decompose import mean_target
    >>> about("AP", mean_target(0.45), 3, 1), about(None, mean_target(0.45), 3, 2, order="bias²")
    ('AP, 3 runs, 1 query; target mean:0.45', '3 runs in order of bias², 2 queries; target mean:0.45')
    """
    runs = counted(n_runs, "run") + (f" in order of {order}" if order else "")
    words = f"target: best score of each {QUERY}" if target.is_best else f"target {target.label}"
    parts = [*([measure] if measure is not None else []), runs, counted_queries(n_queries, n_clusters)]
    return f"{', '.join(parts)}; {words}"


def document_of(
    measure: str | None, target: VirtualTarget, n_runs: int, n_queries: int, n_clusters: int | None = None
) -> dict[str, Any]:
    """The keys of every result in JSON: measure, direction, target, and the numbers of runs, queries and clusters."""
    of_target = {name: getattr(target.in_unit, name) for name in ("kind", "label", "mean", "var", "n_pool")}
    sizes = {"n_runs": n_runs, "n_queries": n_queries, **clusters_document(n_clusters)}
    return {"measure": measure, "better": target.better, "target": of_target, **sizes}


_FOR_PAPER = "For a paper: "
UNKNOWN_SCORES = "Scores (unknown measure)"


def for_paper(sentences: Iterable[str]) -> str:
    """Sentences on a result that a paper may print, as a note.

    >>> for_paper(["We compared two runs.", "They do not differ."])
    'For a paper: "We compared two runs. They do not differ."'
    """
    return f'{_FOR_PAPER}"{" ".join(sentences)}"'


def without_paper(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes without those of `for_paper`, for a caption, which is in a paper already."""
    return tuple(note for note in notes if not note.startswith(_FOR_PAPER))


def clusters_document(n_clusters: int | None) -> dict[str, int]:
    """The number of clusters of queries as a key of JSON; none if the queries are independent."""
    return {} if n_clusters is None else {"n_clusters": n_clusters}


def at_least(units: Clusters) -> str:
    """The number of queries, or clusters, that a test needs and that there are, for a message if these are too few.

    >>> from biasvar_cli.clusters import Clusters
    >>> at_least(Clusters.of_single_queries(1)), at_least(Clusters.named("aab"))
    ('at least 6 queries, and there is 1', 'at least 6 clusters, and there are 2')
    """
    what = QUERIES if units.are_single else "clusters"
    return f"at least {FEWEST_QUERIES} {what}, and there {verb(units.n, 'is', 'are')} {units.n}"


def in_mid_sentence(title: str) -> str:
    """A title within a sentence, after other words.

    >>> in_mid_sentence("Scores (unknown measure) of 3 runs"), in_mid_sentence("AP of 3 runs")
    ('scores (unknown measure) of 3 runs', 'AP of 3 runs')
    """
    return title[0].lower() + title[1:] if title.startswith(UNKNOWN_SCORES) else title


def evaluated(
    measure: str | None,
    n_runs: int,
    n_queries: int,
    target: VirtualTarget | None = None,
    *,
    n_clusters: int | None = None,
) -> str:
    """The first line of a text: measure, runs, queries and, if there is one, the target with its mean.

    >>> evaluated("AP", 3, 1)
    'AP of 3 runs on 1 query.'
    """
    subject = measure if measure is not None else UNKNOWN_SCORES
    size = f"{subject} of {counted(n_runs, 'run')} on {counted_queries(n_queries, n_clusters)}"
    if target is None:
        return f"{size}."
    if target.scores is None:
        return f"{size}. Target: a given mean, {num(target.in_unit.mean)}"
    return f"{size}. Virtual target: {target_words(target, n_runs)}, mean {num(target.in_unit.mean)}"


def target_words(target: VirtualTarget, n_runs: int | None = None) -> str:
    """The source of a target's scores, in words; a pool of ``n_runs`` runs is called "the runs".

    >>> from biasvar_cli.decomposition.decompose import mean_target
    >>> target_words(mean_target(0.45))
    'a given mean, without a score per query'
    """
    pool = f"the {RUNS}" if target.n_pool == n_runs else f"a pool of {counted(target.n_pool, 'run')}"
    more = target.better == "more"
    match target.kind:
        case "best" if target.n_drawn is not None:
            drawn = counted(target.n_drawn, "run")
            return f"the best score of each {QUERY} over {drawn}, expected over all draws from {pool}"
        case "best" if target.spec.number is not None:
            quantile = target.spec.number if more else 1 - target.spec.number
            return f"quantile {quantile:g} of the scores of each {QUERY} over {pool}"
        case "best":
            return f"the best score of each {QUERY} over {pool}"
        case "perfect":
            return f"a score of {'1' if more else f'{target.in_unit.mean:g}'} on every {QUERY}"
        case "ideal" if more:
            return f"the score of an ideal ranking of the relevant documents of each {QUERY}"
        case "ideal":
            return "the least possible score"
        case "run":
            return f"the scores of {target.spec.name}"
        case "mean":
            return f"a given mean, without a score per {QUERY}"
        case "file":
            return f"the scores in {target.spec.name}"
        case _:
            assert_never(target.kind)


def direction_notes(measure: str | None, better: Better) -> tuple[str, ...]:
    """A note on the direction of the measure, if less is better.

    >>> direction_notes("AP", "more")
    ()
    """
    if better == "more":
        return ()
    what = f"Less is better ({measure_words(measure)}): ranks, wins and losses go by that"
    return (f"{what}, and differences are those of the scores with their sign changed.",)


def above(better: Better) -> str:
    """The side of a score on which better scores are.

    >>> above("more"), above("less")
    ('above', 'below')
    """
    return "above" if better == "more" else "below"


def below(better: Better) -> str:
    """The side of a score on which worse scores are.

    >>> below("more"), below("less")
    ('below', 'above')
    """
    return "below" if better == "more" else "above"


def falls(better: Better) -> str:
    """The change of a mean that becomes worse.

    >>> falls("more"), falls("less")
    ('falls', 'rises')
    """
    return "falls" if better == "more" else "rises"


def minus(first: str, second: str, better: Better) -> str:
    """The difference of two scores, or the reverse if less is better, in words.

    >>> minus("target", "score", "more"), minus("target", "score", "less")
    ('target - score', 'score - target')
    """
    return f"{first} - {second}" if better == "more" else f"{second} - {first}"


def signature(
    measure: str | None,
    basis: Sequence[str],
    *words: str,
    target: VirtualTarget | None = None,
    null: Null | None = None,
) -> str:
    """One line with everything that the numbers depend on, so that they can be reproduced; ``words`` are the command's.

    >>> print(signature("AP", ("93 queries (qrels)", "ties single"), "level 0.95").partition(" | ")[2])
    AP | 93 queries (qrels) | ties single | level 0.95
    """
    parts = [f"biasvar {VERSION}", measure or "unknown measure"]
    if target is not None:
        parts.append(f"target {target.label}" + (f" of {target.n_pool}" if target.n_pool else ""))
    parts += [*basis, *filter(None, words)]
    if null is not None and null.fitted and null.n_samples:
        parts.append(f"null models {null.n_samples} seed {null.seed}")
    return " | ".join(parts)


def targeted_table(
    answer: TargetedAnswer[Any],
    cells: Cells,
    *words: str,
    scores: ScoreMatrix | None = None,
    null: Null | None = None,
    document: Mapping[str, Any] | None = None,
    **others: Any,
) -> Table:
    """A table of the ``scores`` of an answer, by default of the listed runs, with its title, signature and JSON.

    ``words`` and ``null`` are arguments of `signature`; ``document`` are further keys of JSON beside those of
    `document_of`.
    """
    scores, measure, target = scores or answer.scores, answer.measure, answer.target
    size = scores.n_runs, scores.n_queries
    basis = answer.scored.basis
    return Table.of(
        evaluated(measure, *size, target, n_clusters=scores.n_clusters),
        cells,
        signature=signature(measure, basis, *words, target=target, null=null),
        document={**document_of(measure, target, *size, scores.n_clusters), **(document or {})},
        **others,
    )


def best_baseline_note(name: str, n_runs: int) -> Iterator[str]:
    """The note on a baseline that is the best of more than two runs, and may have been chosen for that.

    >>> from biasvar_cli.words import as_typed
    >>> [as_typed(note) for note in best_baseline_note("bm25", 3)]
    ['bm25 has the best mean. If it was chosen for that, use --baseline top: its p-values allow for the choice.']
    """
    if n_runs > 2:
        chosen = f"If it was chosen for that, use {argument(baseline='top')}: its p-values allow for the choice"
        yield f"{name} has the best mean. {chosen}."


def explained(declared: Mapping[str, Column[Any]], *names: str) -> str:
    """The meanings of some columns, in one line, by their heads in text.

    >>> column = Column("ri", "(`wins` - `losses`) / n", len, head="RI")
    >>> explained({"ri": column}, "ri")
    'RI: (wins - losses) / n.'
    """
    meanings = (f"{declared[name].text_head}: {declared[name].text_meaning}" for name in names)
    return " ".join(f"{meaning}." for meaning in meanings)


def share_words(share: float) -> str:
    """A share in words, such as "1 in 8".

    >>> [share_words(share) for share in (0.0, 0.001, 0.125, 0.25, 0.3, 0.8)]
    ['none', 'fewer than 1 in 200', '1 in 8', '1 in 4', '3 in 10', '8 in 10']
    """
    if not share:
        return "none"
    if share < 1 / 200:
        return "fewer than 1 in 200"
    return f"1 in {round(1 / share)}" if share <= 0.27 else f"{round(10 * share)} in 10"


CLOSE, UNRELATED = "is close to", "is unrelated to"


def relation(tau: float) -> str:
    """The relation of two rankings in words, by Kendall's tau between them.

    >>> [relation(tau) for tau in (0.8, 0.2, 0.0, -0.2)]
    ['is close to', 'differs from', 'is unrelated to', 'reverses']
    """
    if abs(tau) < 0.2:
        return UNRELATED
    return CLOSE if tau >= 0.8 else "differs from" if tau > 0 else "reverses"
