"""What programs of NTCIR write and read: output of NTCIREVAL, and matrices without a header.

``ntcir_eval compute`` and ``gcompute`` print the label of a topic, a measure with ``=``, and a value. Sakai's discpower
scripts read a row for each topic and a column for each run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from biasvar_cli.errors import DataError, Oddity
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.score_formats.format import ScoreFormat, ScoreOptions, is_fraction_word, is_name
from biasvar_cli.readers.score_formats.layout import Record, layout_of
from biasvar_cli.readers.score_formats.records import ScoreFile, assemble
from biasvar_cli.readers.sources import names_files, read_bytes, run_name
from biasvar_cli.readers.text import NUMBER, decoded, line_feeds, quoted
from biasvar_cli.scores import natural_order
from biasvar_cli.words import counted, examples

_FACT = re.compile(rb"(\S+)\s+#.*")  # 0001 # syslen=5 jrel=6 jnonrel=1
_SCORE = re.compile(r"(\S+)\s+(\S*[^\s=])=\s+(\S+)")
_ZEROS = re.compile(r"@0+(?=\d)")


def _read_evaluation(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores of one run. A cutoff loses its leading zeros: ``nDCG@0010`` is read as nDCG@10.

    A name is NTCIREVAL's measure, which may differ from ir-measures' measure of the same name: a notice says so.

    >>> text = b"0001 # syslen=5 jrel=6 jnonrel=1\\n0001 RR=  0.5000\\n0001 Q@0010=  0.4583\\n"
    >>> file = _read_evaluation(text, "bm25.nev", ScoreOptions())
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('bm25.nev',), ('RR', 'Q@10'), ('0001',), [[[0.5], [0.4583]]])
    """
    records = _evaluation_records(decoded(line_feeds(data), path), path)
    layout = layout_of(records, path, "keep one, and give every run a file of its own")
    file = assemble(layout, runs_named=False, allow_range=options.allow_range)
    oddities = [*file.oddities, *_unscored(data, layout.queries, file.runs[0])]
    shared = [name for name in file.measures if name is not None and is_measure(name)]
    if shared:
        what = f"scores of NTCIREVAL's {examples(shared)}, which ir-measures may define differently"
        oddities.append(Oddity(what, file.runs[0], len(shared), "measure", notice=what))
    return replace(file, oddities=tuple(oddities))


def _unscored(data: bytes, scored: Sequence[str], run: str) -> Iterator[Oddity]:
    """The topics with lines of facts and no score: NTCIREVAL stopped there, or the file is cut off."""
    facts = map(_FACT.fullmatch, map(bytes.strip, data.split(b"\n")))
    topics = {fact[1].decode("utf-8", "replace") for fact in facts if fact and not fact[1].startswith(b"#")}
    unscored = natural_order(topics - set(scored))
    if unscored:
        number = f"{counted(len(unscored), 'query')}: {examples(unscored)}"
        yield Oddity("NTCIREVAL's facts (#) but no score for a query", run, 0, number)


def _evaluation_records(text: str, path: str) -> Iterator[Record]:
    run = run_name(path)
    for number, line in enumerate(text.split("\n"), 1):
        score = _SCORE.fullmatch(line.strip())
        if score is not None:
            topic, name, value = score.groups()
            measure = canonical(_ZEROS.sub("@", name))
            yield Record(number, run, measure, topic, value, f"{name} of query {topic}")
        elif line.strip() and not line.startswith("#") and not _FACT.fullmatch(line.strip().encode()):
            what = "expected a topic, a measure with = at its end, and a value, as NTCIREVAL prints"
            raise DataError(what, path=path, line=number)


def _are_scores(lines: Sequence[bytes]) -> bool:
    """Whether all lines are scores or facts, and some scores are numbers."""
    scores = [_SCORE.fullmatch(line.decode("utf-8", "replace")) for line in lines]
    numbers = any(score and NUMBER.fullmatch(score[3]) for score in scores)
    return numbers and all(score or _FACT.fullmatch(line) for score, line in zip(scores, lines, strict=True))


NTCIREVAL = ScoreFormat(
    "ntcireval",
    _are_scores,
    _read_evaluation,
    {
        "bm25.nev": "301 # syslen=2 jrel=1 jnonrel=0\n301 # r1=1 rp=2\n301 AP=                  0.5000\n"
        "301 nDCG@0010=           0.6309\n302 # syslen=1 jrel=1 jnonrel=0\n302 # r1=1 rp=1\n"
        "302 AP=                  1.0000\n302 nDCG@0010=           1.0000\n"
    },
)


def _are_numbers(lines: Sequence[bytes]) -> bool:
    """Whether all lines have the same number of numbers between blanks, two or more, and some are fractions.

    Runs, qrels and evaluations may have numbers alone, too: only ``--orient queries`` makes the lines a matrix.
    """
    words = [line.split() for line in lines]
    numbers = [word for line in words for word in line]
    return len(words[0]) > 1 and not any(map(is_name, numbers)) and any(map(is_fraction_word, numbers))


def _read_matrix(data: bytes, path: str, options: ScoreOptions) -> ScoreFile:
    """The scores of the runs 1, 2, 3 and so on on queries by number; a file beside it may name the runs.

    For that file see `sources.names_files`. Raises `DataError`, with the line, for a row of another length than the
    first.

    >>> file = _read_matrix(b"0.5 0.25\\n1 0.5\\n", "ap.mat", ScoreOptions(orient="queries", measures=("AP",)))
    >>> file.runs, file.measures, file.queries, file.values.tolist()
    (('1', '2'), ('AP',), ('1', '2'), [[[0.5, 1.0]], [[0.25, 0.5]]])
    """
    lines = enumerate(decoded(line_feeds(data), path).split("\n"), 1)
    rows = [(number, line.split()) for number, line in lines if line.strip() and not line.startswith("#")]
    runs = _run_names(path, len(rows[0][1]))
    layout = layout_of(_matrix_records(rows, runs, options.measure, path), path, holes=options.holes)
    return assemble(layout, numbered=True, allow_range=options.allow_range)


def _matrix_records(
    rows: Sequence[tuple[int, list[str]]], runs: Sequence[str], measure: str | None, path: str
) -> Iterator[Record]:
    for query, (number, cells) in enumerate(rows, 1):
        if len(cells) != len(runs):
            what = f"expected {counted(len(runs), 'column')}, as in the first row, found {len(cells)}"
            raise DataError(what, path=path, line=number)
        for run, cell in zip(runs, cells, strict=True):
            yield Record(number, run, measure, str(query), cell, f"column {quoted(run)}")


def _run_names(path: str, width: int) -> list[str]:
    """The names of the runs: those in the file beside the matrix, or else numbers."""
    files = names_files(path)
    if not files:
        return list(map(str, range(1, width + 1)))
    if len(files) > 1:
        raise DataError(f"both {' and '.join(files)} name its runs; remove one", path=path)
    (beside,) = files
    names = [name.strip() for name in decoded(line_feeds(read_bytes(beside)), beside).split("\n") if name.strip()]
    if len(names) != width:
        raise DataError(f"names {counted(len(names), 'run')} for {counted(width, 'column')}; name each", path=beside)
    if len(set(names)) < len(names):
        raise DataError("names a run twice; rename one", path=beside)
    return names


MATRIX = ScoreFormat("matrix", _are_numbers, _read_matrix, {"ap.mat": "0.5 0.25\n1.0 0.5\n"})
