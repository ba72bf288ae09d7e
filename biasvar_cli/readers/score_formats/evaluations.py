"""The output of evaluation programs for one run: trec_eval and ir_measures with ``-q``, and NTCIREVAL.

A line of trec_eval has a measure, a query and a value; in a line of ir_measures the query comes first. ``ntcir_eval
compute`` and ``gcompute`` print the label of a topic, a measure with ``=``, and a value.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.names import SUMMARIES, is_known
from biasvar_cli.readers.score_formats.records import AVERAGES, Means, ScoreFile
from biasvar_cli.readers.score_formats.tables import ScoreFormat, ScoreOptions
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import NUMBER, Row, is_fraction_word, is_name, plain_text, quoted
from biasvar_cli.score_matrix import natural_order
from biasvar_cli.words import counted, examples

_TEXT_ROWS = ("runid", "relstring")
_PADDED = re.compile(r"^[^\t\n]*[^\S\t\n]\t[^\t\n]*\t[^\t\n]*$", re.MULTILINE)  # trec_eval pads measures with blanks
_MOST_UNKNOWN = 200  # measures with unknown names; trec_eval's all_trec are about 150, with known names
_ONE_RUN = "keep one, and give every run a file of its own"


def words_of(line: str, number: int) -> list[str]:
    """The words of a line; words may contain blanks if tabs separate this ``number`` of words."""
    cells = line.split("\t")
    return [cell.strip() for cell in cells] if len(cells) == number else line.split()


def rows_of(text: str, path: str, columns: str) -> list[Row]:
    """The words of each line of a text with these ``columns``.

    Raises `DataError` for a line of another length, and for a text without lines of words.
    """
    rows, width = [], len(columns.replace(" and", ",").split(","))
    for number, line in enumerate(text.split("\n"), 1):
        words = words_of(line, width)
        if len(words) == width:
            rows.append((number, words))
        elif words and not line.startswith("#"):
            remedy = f"; if these are averages only, {AVERAGES}" if (len(words), width) == (2, 3) else ""
            raise DataError(f"expected {width} columns, {columns}, found {len(words)}{remedy}", path=path, line=number)
    if not rows:
        raise DataError("the file has no scores", path=path)
    return rows


def measure_column(rows: Sequence[Row], first: int, *, all_known: bool, padded: bool) -> int | None:
    """The column of measures, either ``first`` or the next one, by the first evidence that fits only one of the two.

    The evidence is: ``all`` in the other column, known measures (with ``all_known``, first only known measures),
    ``padded`` names in the first column, and only whole numbers in the other column. None if nothing decides.
    """
    names = [{words[first + column] for _, words in rows} for column in (0, 1)]
    evidence: tuple[Callable[[int], bool], ...] = (
        lambda column: not names[1 - column].isdisjoint(SUMMARIES),
        lambda column: all_known and all(map(is_known, names[column])),
        lambda column: any(map(is_known, names[column])),
        lambda column: padded and column == 0,
        lambda column: all(map(str.isdigit, names[1 - column])),
    )
    for fits in evidence:
        columns = [column for column in (0, 1) if fits(column)]
        if len(columns) == 1:
            return first + columns[0]
    return None


def _is_evaluation_row(line: bytes) -> bool:
    """Whether a line has three columns, the last one a number, as trec_eval and ir_measures print, or is a row of text.

    Without tabs the number must be a fraction, for prose may end with a year.
    """
    cells = [cell.strip() for cell in line.split(b"\t")]
    has_tabs = len(cells) == 3
    words = cells if has_tabs else line.split()
    if len(words) != 3 or (not has_tabs and any(b"," in word for word in words)):
        return False
    return is_text_row(words) or (not is_name(words[2]) if has_tabs else is_fraction_word(words[2]))


def is_text_row(words: Sequence[bytes]) -> bool:
    """Whether these are the words of a row in trec_eval's output that has text in place of a number."""
    return words[0] == b"relstring" or list(words[:2]) == [b"runid", b"all"]


def resembles_evaluation(lines: Sequence[bytes]) -> bool:
    """Whether a text of unknown format resembles an evaluation: some rows have its form, or the first is an average."""
    words = lines[0].split()
    if len(words) == 3:
        return any(map(_is_evaluation_row, lines))
    return len(words) == 2 and is_name(words[0]) and is_fraction_word(words[1])


def _read_evaluation(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores and the run tags of an evaluation.

    >>> file = _read_evaluation(b"map  \\t301\\t0.2500\\nmap  \\tall\\t0.2500\\n", "runs/bm25.eval", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist(), file.oddities
    (('bm25.eval',), ('AP',), ('301',), [[[0.25]]], ())
    """
    text = plain_text(data, path)
    rows = rows_of(text, path, "measure, query and value")
    column = measure_column(rows, 0, all_known=False, padded=_PADDED.search(text) is not None)
    if column is None:
        for doubtful in (1, 0):
            if len(rows) > _MOST_UNKNOWN or _are_ranks(rows, doubtful) or _fall(rows, doubtful):
                _refuse_documents(rows, doubtful, path, falling=_fall(rows, doubtful))
        remedy = "keep the `all` rows, or make it a csv with the header query_id,measure,score"
        what = "cannot tell whether column 1 or column 2 has the measures"
        raise DataError(f"{what}; {remedy}", path=path, line=rows[0][0])
    _refuse_documents(rows, column, path)

    def records() -> Iterator[Record]:
        run, spellings = run_name(path), dict[str, str]()
        for line, words in rows:
            measure, query = words[column], words[1 - column]
            if column == 0 and measure in _TEXT_ROWS:
                continue
            if measure not in spellings and NUMBER.fullmatch(measure):
                what = f"column {column + 1} should have measures, but {quoted(measure)} is a number"
                raise DataError(f"{what}; a table needs a header, topic and the names of runs", path=path, line=line)
            name = spellings.setdefault(measure, canonical(measure))
            yield Record(line, run, name, query, words[2], f"{measure} of query {query}")

    means: Means = "optional" if column else "expected"
    layout = layout_of(records(), path, _ONE_RUN)
    file = options.assemble(layout, means=means, runs_named=False)
    tags = dict.fromkeys(words[2] for _, words in rows if words[:2] == ["runid", "all"])
    return replace(file, tags=tuple(tags), absent_is_zero=True)


def _refuse_documents(rows: Sequence[Row], column: int, path: str, *, falling: bool = False) -> None:
    """Raise `DataError` if the measures are probably documents: unknown names that rarely repeat.

    Each measure of an evaluation repeats with every query, so that there are about as many rows as measures times
    queries. Ranks in place of values also show a run, in the format of MS MARCO; and so do ``falling`` values.
    """
    scores = [words for _, words in rows if words[0] not in _TEXT_ROWS]
    names = dict.fromkeys(words[column] for words in scores)
    queries = {words[1 - column] for words in scores}
    are_rare = 2 * len(names) > len(scores) or 2 * len(scores) < len(names) * len(queries)
    are_ranks = _are_ranks(rows, column)
    if not (are_rare and len(names) > 1) and len(names) <= _MOST_UNKNOWN and not are_ranks and not falling:
        return
    first_names = list(names)[:_MOST_UNKNOWN]
    if 2 * sum(map(is_known, first_names)) < len(first_names):
        number = "rank, as in a run of MS MARCO" if are_ranks else "score"
        found = f"column {column + 1} has {len(names)} names in {len(scores)} rows, such as {quoted(first_names[0])}"
        remedy = "write a run with 6 columns, topic Q0 document rank score tag"
        remedy += ", whose scores fall, such as 1/rank" if are_ranks else ", or give a query model to biasvar models"
        what = f"this looks like topic, document and {number}, not measures ({found})"
        raise DataError(f"{what}; {remedy}", path=path, line=rows[0][0])


def _are_ranks(rows: Sequence[Row], column: int) -> bool:
    """Whether the values of each query are 1, 2, 3 and so on, in this order, and some query has two or more."""
    values = _values_of_queries(rows, column)
    ranks = [str(rank) for rank in range(1, max(map(len, values)) + 1)]
    return len(ranks) > 1 and all(numbers == ranks[: len(numbers)] for numbers in values)


def _fall(rows: Sequence[Row], column: int) -> bool:
    """Whether the values of each query fall from row to row, and chance would order them so with p <= 0.01.

    >>> rows = [(1, ["q1", "d7", "2.5"]), (2, ["q1", "d3", "2.25"]), (3, ["q1", "d9", "2.0"]), (4, ["q1", "d1", "1"])]
    >>> _fall([*rows, (5, ["q2", "d7", "1.5"]), (6, ["q2", "d8", "0.5"]), (7, ["q2", "d5", "0.1"])], 1)
    True
    """
    texts = _values_of_queries(rows, column)
    if not all(NUMBER.fullmatch(text) for numbers in texts for text in numbers):
        return False
    values = [list(map(float, numbers)) for numbers in texts]
    chance = math.prod(math.factorial(len(numbers)) for numbers in values)
    return chance >= 100 and all(one > next_one for numbers in values for one, next_one in pairwise(numbers))


def _values_of_queries(rows: Sequence[Row], column: int) -> list[list[str]]:
    """The values of each query, in the order of the rows."""
    values: dict[str, list[str]] = {}
    for _, words in rows:
        values.setdefault(words[1 - column], []).append(words[2])
    return list(values.values())


EVALUATION = ScoreFormat(
    "evaluation",
    lambda lines: all(map(_is_evaluation_row, lines)),
    _read_evaluation,
    {
        "bm25.eval": "".join(f"{'map':22}\t{row}\n" for row in ("301\t0.5000", "302\t1.0000", "all\t0.7500")),
        "bm25.tsv": "301\tAP\t0.5000\n302\tAP\t1.0000\nall\tAP\t0.7500\n",
    },
    "trec_eval -q prints 3",
)


_FACT = re.compile(r"(\S+)\s+#.*", re.ASCII)  # 0001 # syslen=5 jrel=6 jnonrel=1
_SCORE = re.compile(r"(\S+)\s+(\S*[^\s=])=\s+(\S+)")


def _is_ntcireval(lines: Sequence[bytes]) -> bool:
    """Whether all lines are scores or facts (``#``), and some scores are numbers."""
    texts = [line.decode("utf-8", "replace") for line in lines]
    scores = [_SCORE.fullmatch(text) for text in texts]
    numbers = any(score and NUMBER.fullmatch(score[3]) for score in scores)
    return numbers and all(score or _FACT.fullmatch(text) for score, text in zip(scores, texts, strict=True))


def _read_ntcireval(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores of one run. Cutoffs lose their leading zeros: ``nDCG@0010`` becomes nDCG@10.

    A notice says that measures of NTCIREVAL may differ from those of the same name in ir-measures. Topics with facts
    and no score are an oddity, for NTCIREVAL may have stopped there, or the file may be cut off.

    >>> text = b"0001 # syslen=5 jrel=6 jnonrel=1\\n0001 RR=  0.5000\\n0001 Q@0010=  0.4583\\n"
    >>> file = _read_ntcireval(text, "bm25.nev", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25.nev',), ('RR', 'Q@10'), ('0001',), [[[0.5], [0.4583]]])
    """
    run, topics = run_name(path), set[str]()

    def records() -> Iterator[Record]:
        for number, line in enumerate(plain_text(data, path).split("\n"), 1):
            score, fact = _SCORE.fullmatch(line.strip()), _FACT.fullmatch(line.strip())
            if fact is not None and not fact[1].startswith("#"):
                topics.add(fact[1])
            if score is not None:
                topic, name, value = score.groups()
                measure = canonical(re.sub(r"@0+(?=\d)", "@", name))
                yield Record(number, run, measure, topic, value, f"{name} of query {topic}")
            elif line.strip() and not line.startswith("#") and fact is None:
                what = "expected a topic, a measure with = at its end, and a value, as NTCIREVAL prints"
                raise DataError(what, path=path, line=number)

    layout = layout_of(records(), path, _ONE_RUN)
    file = options.assemble(layout, runs_named=False)
    oddities = list(file.oddities)
    unscored = natural_order(topics - set(layout.queries))
    if unscored:
        topics_without = f"{counted(len(unscored), 'query')}: {examples(unscored)}"
        oddities.append(Oddity("NTCIREVAL's facts (#) but no score for a query", run, 0, topics_without))
    shared = [name for name in file.measures if name is not None and is_measure(name)]
    if shared:
        what = f"scores of NTCIREVAL's {examples(shared)}, which ir-measures may define differently"
        oddities.append(Oddity(what, run, len(shared), "measure", notice=what))
    return replace(file, oddities=tuple(oddities), absent_is_zero=True)


NTCIREVAL = ScoreFormat(
    "ntcireval",
    _is_ntcireval,
    _read_ntcireval,
    {
        "bm25.nev": "301 # syslen=2 jrel=1 jnonrel=0\n301 # r1=1 rp=2\n301 AP=                  0.5000\n"
        "301 nDCG@0010=           0.6309\n302 # syslen=1 jrel=1 jnonrel=0\n302 # r1=1 rp=1\n"
        "302 AP=                  1.0000\n302 nDCG@0010=           1.0000\n"
    },
)
