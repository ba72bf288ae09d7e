"""Score files to arrays: output of trec_eval, ir_measures, gdeval and ndeval, tables, matrices, and our own JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from biasvar_cli.errors import DataError
from biasvar_cli.measures import canonical, is_measure
from biasvar_cli.readers.recognise import FileKind
from biasvar_cli.readers.score_matrices import parse_matrix
from biasvar_cli.readers.score_means import SUMMARIES
from biasvar_cli.readers.score_records import Record, ScoreFile, assemble
from biasvar_cli.readers.score_tables import Orient, read_table, records_of
from biasvar_cli.readers.sources import run_name
from biasvar_cli.readers.text import decoded, line_feeds, shown

# trec_eval's names, versions 7 to 10, that ir-measures has no measure for.
_TREC_EVAL_ONLY = re.compile(
    r"runid|relstring|gm_(map|ap|bpref)|num_\w+|micro_\w+|utility\S*|1?[13]-?pt_avg|(bin)?G|Rndcg|ndcg_(rel|p)|rbp(_resid)?"
    r"|unj_\d+|recall\d+|relative_(P_|prec|unranked_avg_prec)\d+|unranked_avg_prec\d+|Rprec_mult_\S+|(int_)?\d\.\d+R-prec"
    r"|exact_\w+|avg_(doc|relative)_prec|(int_)?map(_at_R)?|(old_)?bpref_\w+|rank_first_rel|rcl_at_\w+|fallout_recall_\d+"
)
_TEXT_ROWS = ("runid", "relstring")
_AVERAGES = "evaluate again with -q, which prints every query"


class _Line(NamedTuple):
    """Three columns of an evaluation; ``padded``: blanks fill up the first one, as in trec_eval's output."""

    number: int
    columns: tuple[str, str, str]
    padded: bool


def parse_scores(
    data: bytes,
    path: str,
    kind: FileKind,
    *,
    orient: Orient | None = None,
    id_column: str | None = None,
    measure: str | None = None,
) -> ScoreFile:
    """The scores in a file of a ``kind`` that `recognise.recognise` found: ``evaluation``, ``table`` or ``json``.

    ``orient`` and ``id_column`` say what the rows of a matrix are and which column has their ids; ``measure`` is its
    measure where the file names none. Raises `DataError`, with the line, for what is wrong, and for what is ambiguous.

    >>> file = parse_scores(b"map  \\t301\\t0.2500\\nmap  \\tall\\t0.2500\\n", "runs/bm25.eval", "evaluation")
    >>> file.runs, file.measures, file.queries, file.values.tolist(), file.oddities
    (('bm25.eval',), ('AP',), ('301',), [[[0.25]]], ())
    """
    assert kind in ("evaluation", "table", "json"), "runs and qrels are read elsewhere"
    text = decoded(line_feeds(data, quotes=kind == "table"), path)
    if kind == "table":
        table = read_table(text, path)
        records = records_of(table, orient=orient, measure=canonical(measure) if measure else None)
        if records is None:
            return parse_matrix(table, orient=orient, id_column=id_column, measure=measure)
        return assemble(records, path)
    if kind == "json":
        return _parse_json(text, path)
    return assemble(_evaluation(text, path), path, means_expected=True)


def _evaluation(text: str, path: str) -> Iterator[Record]:
    """The records of trec_eval's output (measure, query, value) or ir_measures' (query, measure, value)."""
    lines = list(_three_columns(text, path))
    if not lines:
        raise DataError("the file has no scores", path=path)
    place = _measure_column(lines, path)
    run = run_name(path)
    for number, columns, _ in lines:
        measure, query = columns[place], columns[1 - place]
        if place == 0 and measure in _TEXT_ROWS:
            continue
        yield Record(number, run, canonical(measure), query, columns[2], f"{measure} of query {query}")


def _three_columns(text: str, path: str) -> Iterator[_Line]:
    for number, line in enumerate(text.split("\n"), 1):
        cells = line.split("\t")
        words = [cell.strip() for cell in cells] if len(cells) == 3 else line.split()
        if len(words) == 3:
            yield _Line(number, (words[0], words[1], words[2]), len(cells) == 3 and cells[0] != cells[0].rstrip())
        elif words and not line.startswith("#"):
            remedy = f"; if these are averages only, {_AVERAGES}" if len(words) == 2 else ""
            raise DataError(
                f"expected 3 columns, measure, query and value, found {len(words)}{remedy}", path=path, line=number
            )


def _measure_column(lines: Sequence[_Line], path: str) -> int:
    """Which of the first two columns has the measures: by the first kind of evidence that fits only one of them."""
    evidence: tuple[Callable[[int], bool], ...] = (
        lambda place: any(line.columns[1 - place] in SUMMARIES for line in lines),
        lambda place: any(map(_is_known, {line.columns[place] for line in lines})),
        lambda place: place == 0 and any(line.padded for line in lines),
        lambda place: all(line.columns[1 - place].isdigit() for line in lines),
    )
    for fits in evidence:
        places = [place for place in (0, 1) if fits(place)]
        if len(places) == 1:
            return places[0]
    raise DataError(
        "cannot tell whether column 1 or column 2 has the measures; keep the `all` rows, or make it a csv with the "
        "header query_id,measure,score",
        path=path,
        line=lines[0].number,
    )


def _is_known(name: str) -> bool:
    return bool(_TREC_EVAL_ONLY.fullmatch(name)) or is_measure(name)


def _parse_json(text: str, path: str) -> ScoreFile:
    """The scores of ``biasvar scores -f json``, or of ir_measures' JSON lines."""
    try:
        document = _loads(text)
    except ValueError:
        return assemble(_json_lines(text, path), path, means_expected=True)
    if isinstance(document, dict) and "results" not in document and "value" in document:
        return assemble(_json_lines(text, path), path, means_expected=True)
    return assemble(_own_results(document, path), path)


def _loads(text: str) -> Any:
    """JSON with its numbers left as text; raises ValueError."""
    try:
        return json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _json_lines(text: str, path: str) -> Iterator[Record]:
    run = run_name(path)
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = _loads(line)
        except ValueError as error:
            raise DataError(f"cannot be read as JSON: {error}", path=path, line=number) from None
        if not isinstance(record, dict) or not {"measure", "value"} <= set(record):
            raise _unexpected_json(path, number)
        if "query_id" not in record:
            raise DataError(f"has averages only; {_AVERAGES}", path=path, line=number)
        query, measure = _name(record["query_id"], path, number), _name(record["measure"], path, number)
        column = f"{measure} of query {query}"
        yield Record(number, run, canonical(measure), query, _value(record["value"]), column)


def _own_results(document: Any, path: str) -> Iterator[Record]:
    """The records of ``biasvar scores -f json``, whose line numbers would say nothing."""
    try:
        for result in document["results"]:
            measure = result["measure"]
            name = None if measure is None else canonical(_name(measure, path))
            queries = [_name(query, path) for query in result["queries"]]
            for row in result["runs"]:
                run, scores = _name(row["run"], path), row["scores"]
                if not isinstance(scores, list) or len(scores) != len(queries):
                    raise DataError(f"run {shown(run)} does not have one score for each of the queries", path=path)
                for query, score in zip(queries, scores, strict=True):
                    yield Record(None, run, name, query, _value(score), f"the score of run {run} on query {query}")
    except (KeyError, TypeError):
        raise _unexpected_json(path) from None


def _name(value: object, path: str, line: int | None = None) -> str:
    if not isinstance(value, str):
        raise DataError(f"expected a name, found {shown(_value(value))}", path=path, line=line)
    return value


def _value(value: object) -> str:
    """A JSON value as text: a number as it stood there."""
    return value if isinstance(value, str) else json.dumps(value)


def _unexpected_json(path: str, line: int | None = None) -> DataError:
    what = (
        "JSON, but neither what biasvar scores -f json writes (results with measure, queries, runs and scores) nor what"
    )
    return DataError(
        f"{what} ir_measures -o jsonl does (query_id, measure and value in each line)", path=path, line=line
    )
