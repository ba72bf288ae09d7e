"""Pivot tables, with a column for each run under each measure, such as ``A_map,A_ndcg,B_map,B_ndcg``."""

from collections.abc import Iterator, Sequence

from biasvar_cli.measures import canonical
from biasvar_cli.measures.catalogue import cost_of
from biasvar_cli.readers.score_formats import names
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.records import ScoreFile
from biasvar_cli.readers.score_formats.tables import Cells, ScoreOptions, TableFormat
from biasvar_cli.readers.text import quoted
from biasvar_cli.words import argument

_SEPARATORS = ("_", ".", "-", "/", "|", ":", "__", " ")
Column = tuple[str, str]  # a run and a measure


def crossed(header: Sequence[str]) -> list[Column]:
    """The run and the measure in each name of a header, divided by one separator; empty for any other header.

    The measure is on the same side of the separator in all names. At least half of the names have a known measure, the
    others have runs that these have, and some run has two measures. No whole name is a known measure.

    >>> crossed(["A_map", "A_ndcg_cut_10", "B_map", "B_time"])
    [('A', 'map'), ('A', 'ndcg_cut_10'), ('B', 'map'), ('B', 'time')]
    >>> crossed(["P_5-bm25", "map-bm25"]), crossed(["bm25_map", "rm3_map"]), crossed(["set_P", "set_recall"])
    ([('bm25', 'P_5'), ('bm25', 'map')], [], [])
    """
    for separator in _SEPARATORS:
        if len(header) < 2 or not all(separator in name for name in header):
            continue
        for at_end in (True, False):
            columns = _split(header, separator, at_end=at_end)
            measures = {(run, canonical(measure)) for run, measure in columns}
            if len(measures) == len(columns) and len({run for run, _ in columns}) < len(columns):
                return columns
    return []


def _split(header: Sequence[str], separator: str, *, at_end: bool) -> list[Column]:
    """The run and the measure in each name; empty unless at least half of the measures, on this side, are known."""
    cuts = [_cuts(name, separator, at_end=at_end) for name in header]
    known = [next((cut for cut in parts if _is_measure(cut[1])), None) for parts in cuts]
    runs = {column[0] for column in known if column is not None}
    if 2 * (len(known) - known.count(None)) < len(header) or any(map(names.is_known, header)):
        return []
    other = [next((cut for cut in parts if cut[0] in runs), None) for parts in cuts]
    columns = [column or beside for column, beside in zip(known, other, strict=True)]
    return [column for column in columns if column is not None] if None not in columns else []


def _cuts(name: str, separator: str, *, at_end: bool) -> list[Column]:
    """All pairs of a run and a measure from cutting a name at one separator, the longest measure first."""
    words = name.split(separator)
    halves = [(separator.join(words[:at]).strip(), separator.join(words[at:]).strip()) for at in range(1, len(words))]
    cuts = halves if at_end else [(run, measure) for measure, run in reversed(halves)]
    return [cut for cut in cuts if all(cut)]


def _is_measure(word: str) -> bool:
    """Whether a part of a name is a measure; single letters are not, nor words that start with a digit."""
    is_word = len(word) > 1 and word[0].isalpha()
    return is_word and (names.is_like_a_measure(word) or cost_of(word) is not None)


def two_measures(header: Sequence[str], columns: Sequence[Column]) -> str:
    """The words of a message about two columns of one run, the run with the most columns.

    >>> two_measures(["B_map", "A_map", "A_ndcg"], [("B", "map"), ("A", "map"), ("A", "ndcg")])
    'A_map and A_ndcg are named as two measures of A'
    """
    runs = [run for run, _ in columns]
    run = max(runs, key=runs.count)
    one, other = [quoted(name) for name, called in zip(header, runs, strict=True) if called == run][:2]
    return f"{one} and {other} are named as two measures of {quoted(run)}"


def _columns_of(table: Cells, options: ScoreOptions) -> tuple[int | None, list[int], list[Column]]:
    """The column of ids (None: no column), the columns of scores, and their runs and measures."""
    named = [at for at, name in enumerate(table.header) if not names.is_nameless(name)]
    if options.id_column == "none" or crossed([table.header[at] for at in named]):
        return None, named, crossed(table.header)
    ids = table.roles.get("query", [0])[0]
    others = [at for at in named if at != ids]
    return ids, others, crossed([table.header[at] for at in others])


def _are_crossed(table: Cells, options: ScoreOptions) -> bool:
    """Whether the columns are runs under measures, and none is called a run, a measure or a score."""
    has_role = any(role in table.roles for role in ("run", "measure", "score"))
    return not has_role and options.orient is None and bool(_columns_of(table, options)[2])


def _read_crossed(table: Cells, options: ScoreOptions) -> ScoreFile:
    """The scores of the wanted measures. Raises `DataError` if no measure is wanted, and for a run that lacks one.

    >>> from biasvar_cli.readers.score_formats.tables import read_table
    >>> table = read_table("query,A_map,A_ndcg,B_map,B_ndcg\\n301,0.5,0.6,0.25,0.4\\n", "pivot.csv").with_roles()
    >>> file = _read_crossed(table, ScoreOptions(measures=("AP",)))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('A', 'B'), ('AP',), ('301',), [[[0.5]], [[0.25]]])
    """
    ids, others, columns = _columns_of(table, options)
    by_column = {at: (run, canonical(measure)) for at, (run, measure) in zip(others, columns, strict=True)}
    wanted = {at: column for at, column in by_column.items() if column[1] in options.names}
    runs = list(dict.fromkeys(run for run, _ in columns))
    if not wanted:
        measures = [measure for _, measure in columns]
        choice = argument(measure=quoted(max(measures, key=measures.count)))
        runs_all = f"{argument(orient='queries')} if all columns are runs"
        what = two_measures([table.header[at] for at in others], columns)
        raise table.error(f"columns {what}; choose one with {choice}, or say {runs_all}")
    for run in runs:
        for measure in dict.fromkeys(measure for _, measure in wanted.values()):
            if (run, measure) not in wanted.values():
                raise table.error(f"no column has {measure} of {quoted(run)}; add one, or leave {quoted(run)} out")

    def records() -> Iterator[Record]:
        for number, (line, cells) in enumerate(table.rows, 1):
            query = str(number) if ids is None else cells[ids]
            for at, (run, measure) in wanted.items():
                yield Record(line, run, measure, query, cells[at], f"column {quoted(table.header[at])}")

    return options.assemble(layout_of(records(), table.path), numbered=ids is None)


FORMAT = TableFormat(
    _are_crossed,
    _read_crossed,
    {"pivot.csv": "topic,bm25_map,bm25_P_5,rm3_map,rm3_P_5\n301,0.5,0.2,0.25,0.2\n302,1.0,0.4,0.5,0.2\n"},
)
