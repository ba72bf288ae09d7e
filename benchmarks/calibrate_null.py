"""How often the program finds a tradeoff, or less than the null models, in worlds whose truth is known.

    python benchmarks/calibrate_null.py --tracks data/score-matrices --out zoo.csv --jobs 2
    python benchmarks/calibrate_null.py --tracks data/score-matrices --out zoo.csv --world "ranked AP" --runs 24

The worlds are those of `null_worlds`: in most of them runs differ in nothing but expected effectiveness, so that any
verdict is false; in the others they do differ in stability, which gives the power. `null_claims.claims` is what the
program says of a simulated track. A cell is a world with a number of runs and a number of queries; ``--each`` tracks
are simulated for it, and its rates are written to ``--out`` when it is done. Cells that the file has, with as many
tracks and the same seed, are not simulated again. Without ``--queries`` every world has 50 queries, and those of `LONG`
have 150 as well, with 60 runs.

Seeded by the names of the cells: neither the number of jobs nor the choice of cells changes a rate. Nothing here is
asserted. Set OPENBLAS_NUM_THREADS=1: each process has a core of its own.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from null_claims import VERDICTS, claims
from null_worlds import World, zoo

RUNS, QUERIES, MANY_QUERIES = (24, 60), 50, 150
LONG = ("logit-alike", "slope-by-query", "ranked AP", "ranked nDCG@10", "ranked ERR@20", "falling", "idiosyncratic")
COLUMNS = ("world", "differs", "runs", "queries", "tracks", "seed", "claim", "count", "rate", "se")


class Cell(NamedTuple):
    """What is simulated together: a world, a size, so many tracks, and the seed."""

    world: str
    runs: int
    queries: int
    tracks: int
    seed: int


Rates = Mapping[str, float]  # by claim


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="a csv of rates; cells that it has are not done again")
    parser.add_argument(
        "--tracks", type=Path, required=True, help="folder of score matrices, which some worlds are fitted to"
    )
    parser.add_argument("--each", type=int, default=100, help="simulated tracks of each cell (100)")
    parser.add_argument("--world", action="append", help="a world; repeatable (all)")
    parser.add_argument("--runs", type=int, action="append", help="runs of a track; repeatable (24 and 60)")
    parser.add_argument("--queries", type=int, action="append", help="queries of a track; repeatable")
    parser.add_argument("--verdict", action="store_true", help="only the verdict, in a third of the time")
    parser.add_argument("--jobs", type=int, default=1, help="processes (1)")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    worlds = zoo(asked.tracks)
    chosen = {name: worlds[name] for name in asked.world or worlds}
    sizes = partial(sizes_of, runs=asked.runs or RUNS, queries=asked.queries)
    cells = [Cell(name, *size, asked.each, asked.seed) for name in chosen for size in sizes(name)]
    cells.sort(key=lambda cell: (cell.queries, cell.runs))
    done = read(asked.out)
    with ProcessPoolExecutor(asked.jobs) as pool:
        for cell in cells:
            if cell not in done:
                one = partial(claims_of_track, chosen[cell.world], cell, asked.verdict)
                found = list(pool.map(one, range(cell.tracks)))
                done[cell] = {claim: float(np.mean([track[claim] for track in found])) for claim in found[0]}
                write(asked.out, cell, done[cell], differs=chosen[cell.world].differs)
    print(report({cell: done[cell] for cell in cells}, chosen), flush=True)


def sizes_of(name: str, runs: Sequence[int], queries: Sequence[int] | None) -> Iterator[tuple[int, int]]:
    """How many runs and queries the tracks of a world have.

    >>> list(sizes_of("ranked AP", (24, 60), None)), list(sizes_of("probit", (24,), (50, 100)))
    ([(24, 50), (60, 50), (60, 150)], [(24, 50), (24, 100)])
    """
    yield from ((n_runs, n_queries) for n_runs in runs for n_queries in queries or (QUERIES,))
    if queries is None and name in LONG and RUNS[-1] in runs:
        yield RUNS[-1], MANY_QUERIES


def claims_of_track(world: World, cell: Cell, verdict_alone: bool, number: int) -> dict[str, float]:
    """What is said of one simulated track."""
    rng = np.random.default_rng([cell.seed, crc32(cell.world.encode()), cell.runs, cell.queries, number])
    return claims(world.law(rng, cell.runs, cell.queries), number, world.measure, verdict_alone=verdict_alone)


def read(path: Path) -> dict[Cell, dict[str, float]]:
    """The rates of the cells that a file has; none where there is no file."""
    found: dict[Cell, dict[str, float]] = {}
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                cell = Cell(row["world"], *(int(row[key]) for key in Cell._fields[1:]))
                found.setdefault(cell, {})[row["claim"]] = float(row["rate"])
    return found


def write(path: Path, cell: Cell, rates: Rates, *, differs: bool) -> None:
    """Adds the rates of a cell to a file, with their standard errors."""
    new = not path.exists() or not path.stat().st_size
    with path.open("a", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        if new:
            rows.writerow(COLUMNS)
        name, *size = cell
        rows.writerows(
            (name, int(differs), *size, claim, round(rate * cell.tracks), rate, round(error(rate, cell.tracks), 4))
            for claim, rate in rates.items()
        )


def error(rate: float, tracks: int) -> float:
    """The standard error of a rate: sqrt(rate (1 - rate) / tracks).

    >>> round(error(0.05, 100), 4)
    0.0218
    """
    return sqrt(rate * (1 - rate) / tracks)


def report(found: Mapping[Cell, Rates], worlds: Mapping[str, World]) -> str:
    """Two markdown tables: the verdict of each world, and every claim over all null worlds and each alternative."""
    tracks = {cell.tracks for cell in found}
    per = ", ".join(map(str, sorted(tracks)))
    head = f"{per} tracks a cell; standard error of a rate of .05: {figure(error(0.05, min(tracks)))}"
    return "\n".join([head, "", *_verdicts(found, worlds), "", *_all_claims(found, worlds), ""])


def _verdicts(found: Mapping[Cell, Rates], worlds: Mapping[str, World]) -> list[str]:
    """A line a world, a column a size: how often `stronger` and `weaker`, then the means over the null worlds."""
    sizes = sorted({(cell.queries, cell.runs) for cell in found})
    by = {(cell.world, (cell.queries, cell.runs)): rates for cell, rates in found.items()}
    lines = [
        "| world, stronger / weaker | " + " | ".join(f"{runs} x {queries}" for queries, runs in sizes) + " |",
        "| --- |" + " --- |" * len(sizes),
    ]
    for name, world in worlds.items():
        cells = [_pair([by[name, size]]) if (name, size) in by else "" for size in sizes]
        lines.append(f"| {name}{' (alternative)' if world.differs else ''} | {' | '.join(cells)} |")
    null = [[by[name, size] for name in worlds if not worlds[name].differs and (name, size) in by] for size in sizes]
    lines.append(f"| **all null worlds** | {' | '.join(map(_pair, null))} |")
    return lines


def _pair(rates: Sequence[Rates]) -> str:
    """The mean rates of the two verdicts."""
    return " / ".join(figure(float(np.mean([each[key] for each in rates]))) for key in VERDICTS) if rates else ""


def _all_claims(found: Mapping[Cell, Rates], worlds: Mapping[str, World]) -> list[str]:
    """A line a claim: mean and largest rate over the cells of the null worlds, and the mean of each alternative."""
    null = {cell: rates for cell, rates in found.items() if not worlds[cell.world].differs}
    others = [name for name, world in worlds.items() if world.differs]
    lines = [
        f"| claim | mean of null worlds | largest, and where | {' | '.join(others)} |",
        "| --- | --- | --- |" + " --- |" * len(others),
    ]
    for claim in next(iter(found.values())):
        cells = ["", ""]
        if null:
            worst = max(null, key=lambda cell: null[cell][claim])
            mean = float(np.mean([rates[claim] for rates in null.values()]))
            cells = [figure(mean), f"{figure(null[worst][claim])} {worst.world}, {worst.runs} x {worst.queries}"]
        for name in others:
            rates = [rates[claim] for cell, rates in found.items() if cell.world == name]
            cells.append(figure(float(np.mean(rates))) if rates else "")
        lines.append(f"| {claim} | {' | '.join(cells)} |")
    return lines


def figure(rate: float) -> str:
    """Two decimals without the zero, three below .1.

    >>> figure(0.4), figure(0.013), figure(1), figure(0)
    ('.40', '.013', '1.00', '0')
    """
    if rate == 0:
        return "0"
    return f"{rate:.{2 if rate >= 0.1 else 3}f}".removeprefix("0")


if __name__ == "__main__":
    main()
