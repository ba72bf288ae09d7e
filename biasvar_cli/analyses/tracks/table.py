"""Many tracks, their null models, and their trends over the years as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from biasvar_cli.analyses.tracks.answer import TracksAnswer
from biasvar_cli.analyses.tracks.columns import NULL, RANGES, SIGNS, TABLES
from biasvar_cli.analyses.tracks.request import SAMPLINGS
from biasvar_cli.analyses.tracks.sentences import (
    has_trend,
    null_details,
    null_notes,
    track_details,
    track_notes,
    tracks_title,
    trend_note,
    trends_notes,
    verdict_notes,
)
from biasvar_cli.tables.column import Cells, Column, filled
from biasvar_cli.tables.null import IN_MODELS
from biasvar_cli.tables.table import Table, signature
from biasvar_cli.tables.view import View, row_order, shown_note
from biasvar_cli.words import COEFFICIENTS, Better, Coefficient, counted

_SAME = ("series", "measure", "target")  # in the title where they are the same for all tracks


@dataclass(frozen=True, kw_only=True)
class TracksView(View):
    """Which table to show, which of its rows, and the correlations that people see.

    With ``top`` every format has the rows that people see.
    """

    table: str = "tracks"
    correlation: Sequence[Coefficient] = ("pearson",)

    @property
    def others(self) -> tuple[Coefficient, ...]:
        """The coefficients that are not shown."""
        return tuple(name for name in COEFFICIENTS if name not in self.correlation)

    def order(self, cells: Cells, order: Sequence[int], names: str) -> list[int]:
        """The rows in the order that is shown, before ``top``, where ``order`` is the usual one.

        Raises `UsageError` for an unknown column.
        """
        order = list(order)
        if "quantity" in cells.columns and (self.for_people or self.top is not None):
            quantities = cells.columns["quantity"]
            order = [index for index in order if quantities[index].rpartition("_")[2] not in self.others]
        if self.sort is not None:
            some = cells.rows(order).columns
            order = [order[index] for index in row_order(some, self.sort, names=names, declared=TABLES[self.table])]
        return order


def tracks_table(answer: TracksAnswer, view: TracksView) -> Table:
    """The table that a view asks for. Raises `UsageError` for a column to sort by that is not there."""
    table = {"tracks": _tracks_table, "null": _null_table, "trends": _trends_table}[view.table](answer, view)
    hidden = table.hidden | _same(answer) if view.for_people else table.hidden
    document = {} if view.for_people else _document(answer)
    if document and view.table == "tracks":
        rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows()]
        table, document["tracks"] = replace(table, rows_key=""), _with_directions(rows, answer)
    return replace(table, name="tracks", signature=_signature(answer), hidden=hidden, document=document)


def _document(answer: TracksAnswer) -> dict[str, Any]:
    """All tables, of which the shown one takes its place, and the errors of broken tracks."""
    null = filled(NULL, answer.null_rows).records()
    return {
        "tracks": _with_directions(filled(TABLES["tracks"], answer).rows(_usual_order(answer)).records(), answer),
        "null": sorted(null, key=lambda row: _by_year(row["series"], row["year"])),
        "trends": filled(TABLES["trends"], answer.trends).records(),
        "errors": [asdict(track) for track in answer.broken],
    }


def _with_directions(rows: Sequence[Mapping[str, Any]], answer: TracksAnswer) -> list[dict[str, Any]]:
    """Tracks as JSON has them, which say behind their measure whether more or less of it is better."""
    better = {track.track: track.better for track in answer.whole}
    return [
        {key: part for name, value in row.items() for key, part in _beside(name, value, better[row["track"]])}
        for row in rows
    ]


def _beside(name: str, value: Any, better: Better) -> list[tuple[str, Any]]:
    """A value by its name, with the direction behind the measure."""
    return [(name, value), ("better", better)] if name == "measure" else [(name, value)]


def _usual_order(answer: TracksAnswer) -> list[int]:
    """The tracks by series and year, those without a year behind the others in the order of the manifest."""
    tracks = answer.whole
    return sorted(range(len(tracks)), key=lambda row: _by_year(tracks[row].series, tracks[row].year))


def _by_year(series: str, year: int | None) -> tuple[str, bool, int]:
    return series, year is None, year or 0


def _tracks_table(answer: TracksAnswer, view: TracksView) -> Table:
    """One row per track: what it is made of, and the correlations of bias² and variance of (a) to (d) of CIKM'14.

    People see the ranges of the null models beside single queries.
    """
    cells = filled(TABLES["tracks"], answer)
    order = view.order(cells, _usual_order(answer), "track")
    compared = answer.sizes_differ and any(track.rarefied for track in answer.whole)
    return Table.of(
        tracks_title(answer),
        (_with_ranges(cells, answer) if view.for_people else cells).rows(order[: view.top]),
        verdict=(*verdict_notes(answer), trend_note(_shown(answer, view))),
        notes=(*shown_note(view.top, len(order)), *track_notes(answer)),
        details=tuple(track_details(answer)),
        appendix=(_small_trends(answer, view),) if has_trend(answer.trends) else (),
        intervals={
            f"{SIGNS[name]} {IN_MODELS}": (f"single_{name}_low", f"single_{name}_high") for name in view.correlation
        },
        hidden=frozenset(
            {
                "target_mean" if compared else "target_rarefied",  # one of them is enough for people
                *(f"{sampling}_{name}" for sampling in SAMPLINGS for name in view.others),
                *(column.name for name in view.others for column in RANGES[name]),
            }
        ),
        more=("--table null", "--table trends"),
        rows_key="tracks",
    )


def _with_ranges(cells: Cells, answer: TracksAnswer) -> Cells:
    """The columns of the tracks with what the null models say of single queries, behind each of their correlations."""
    if not any(track.beside_single for track in answer.whole):
        return cells
    columns: dict[str, Column[Any]] = {}
    for name, column in cells.declared.items():
        columns[name] = column
        sampling, _, coefficient = name.rpartition("_")
        if sampling == "single":
            columns |= {end.name: end for end in RANGES[coefficient]}
    return filled(tuple(columns.values()), answer)


def _shown(answer: TracksAnswer, view: TracksView) -> list[Any]:
    """The trends of what people see."""
    return [row for row in answer.trends if row.quantity.rpartition("_")[2] not in view.others]


def _null_table(answer: TracksAnswer, view: TracksView) -> Table:
    """One row per track, null model, sampling and coefficient that has one: the observed number and the model's."""
    cells = filled(NULL, answer.null_rows)
    order = view.order(cells, range(len(answer.null_rows)), "track")
    if view.for_people:  # the p of shuffled scores is not that of a verdict
        rows = zip(answer.null_rows, cells.columns["p"], strict=True)
        cells.columns["p"] = [None if row.model == "shuffled" else p for row, p in rows]
    return Table.of(
        tracks_title(answer),
        cells.rows(order[: view.top]),
        verdict=tuple(verdict_notes(answer)),
        notes=(*shown_note(view.top, len(order)), *null_notes()),
        details=tuple(null_details(answer)),
        intervals={"95 %": ("low", "high")},
        rows_key="null",
    )


def _trends_table(answer: TracksAnswer, view: TracksView) -> Table:
    """One row per series and quantity, the normalised correlations first."""
    cells = filled(TABLES["trends"], answer.trends)
    order = view.order(cells, range(len(answer.trends)), "quantity")
    cells = cells.rows(order[: view.top])
    verdict = (trend_note(_shown(answer, view)),)
    if view.for_people and not has_trend(answer.trends):  # a table of dashes
        return Table(tracks_title(answer), {}, verdict=verdict, rows_key="trends")
    return Table.of(
        tracks_title(answer),
        cells,
        verdict=verdict,
        notes=(*shown_note(view.top, len(order)), *trends_notes(answer.trends)),
        rows_key="trends",
        hidden=frozenset() if any(cells.columns["n_undefined"]) else frozenset({"n_undefined"}),
    )


def _small_trends(answer: TracksAnswer, view: TracksView) -> Table:
    """The trends under the tracks."""
    table = _trends_table(answer, TracksView(table="trends", correlation=view.correlation))
    return replace(table, title="Trends over the years of a series", hidden=table.hidden | _same(answer))


def _same(answer: TracksAnswer) -> frozenset[str]:
    """The columns that are the same for all tracks, which the title has."""
    return frozenset(name for name in _SAME if len({getattr(track, name) for track in answer.whole}) == 1)


def _signature(answer: TracksAnswer) -> str:
    """What the numbers of the tracks depend on."""
    tracks, design = answer.whole, answer.request.design
    words = design.words(max(track.n_queries for track in tracks))
    numbers = sorted({track.n_samples for track in tracks if track.n_samples})
    if numbers:
        words.append(
            f"null models {' to '.join(map(str, dict.fromkeys((numbers[0], numbers[-1]))))} seed {design.seed}"
        )
    targets = list(dict.fromkeys(track.target for track in tracks))
    measures = ", ".join(dict.fromkeys(track.measure or "unknown measure" for track in tracks))
    return signature(measures, (counted(len(tracks), "track"), f"target {', '.join(targets)}"), *words)
