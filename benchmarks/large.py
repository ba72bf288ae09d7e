"""Seconds and memory of commands on large tracks, as ratios to a small one or to an older program.

    python benchmarks/large.py                      # .venv/bin/biasvar; ratios to the same program on a small track
    python benchmarks/large.py --old OLD/biasvar    # ratios of the older program to this one
    python benchmarks/large.py --only 1000          # only cases that match this regular expression

The scores are drawn: a logistic function of a run, a query and chance. Seconds are those of the processor, in all
threads, and of the clock; a case that takes longer than ``--limit`` is stopped. The last column is the wanted time on
two idle cores.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

PROGRAM = Path(sys.executable).with_name("biasvar")
SMALL = "decompose {40x50}"  # what ratios are to, where there is no older program
CASES = {  # a command, and the seconds it may take
    "decompose {143x30}": 2,
    "compare {143x30}": 4,
    "summary {143x30}": 2,
    "profile run0001 {143x30}": 3,
    "risk {143x30}": 2,
    "tradeoff {143x30}": 6,
    "plot plane {143x30} -o {tmp}/figure.svg": 4,
    "report {143x30} -o {tmp}/page.html": 6,
    "decompose {4000x6}": 4,
    "report {600x250} -o {tmp}/page.html": 10,
    "compare {1000x50} -f csv": 5,
    "summary {1000x50} -f csv": 5,
    "plot summary {1000x50} -o {tmp}/figure.svg": 5,
    "compare {4000x6}": 30,
    "plot summary {4000x6} -o {tmp}/figure.svg": 30,
    "plot swap {4000x6} -o {tmp}/figure.svg": 30,
    "plot asl {4000x6} -o {tmp}/figure.svg": 30,
    "risk {50x20000} --baseline run0001 --ci .95": 10,
    "plot queries {50x20000} -o {tmp}/figure.png": 5,
    "tradeoff {50x20000}": 10,
    "report {50x20000} -o {tmp}/page.html": 25,
}


class Sample(NamedTuple):
    """Seconds of the processor and of the clock, the peak memory in MB, and whether the command was not stopped."""

    processor: float
    clock: float
    peak: float
    ended: bool


def write_scores(path: Path, n_runs: int, n_queries: int) -> Path:
    """A score matrix: a row a query, a column a run."""
    rng = np.random.default_rng(0)
    run, query = rng.normal(0, 0.6, (n_runs, 1)), rng.normal(0, 1.2, (1, n_queries))
    scores = 1 / (1 + np.exp(0.5 - run - query - rng.normal(0, 0.8, (n_runs, n_queries))))
    lines = [",".join(["query_id", *(f"run{index:04d}" for index in range(n_runs))])]
    lines += [",".join([f"q{index:05d}", *(f"{x:.4f}" for x in row)]) for index, row in enumerate(scores.T.tolist())]
    path.write_text("\n".join([*lines, ""]))
    return path


def measure(program: Path, command: str, folder: Path, limit: float) -> Sample:
    """One command in a process; a size in braces is the track of that size."""

    def track(size: re.Match[str]) -> str:
        path = folder / f"{size[0][1:-1]}.csv"
        n_runs, n_queries = map(int, size.groups())
        return str(path if path.exists() else write_scores(path, n_runs, n_queries))

    arguments = re.sub(r"\{(\d+)x(\d+)\}", track, command).replace("{tmp}", str(folder)).split()
    run = [sys.executable, __file__, "--run", str(limit), str(program), *arguments, "--quiet"]
    processor, clock, peak, ended = subprocess.run(run, stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    return Sample(float(processor), float(clock), float(peak), ended == "True")


def run_alone(limit: float, arguments: list[str]) -> None:
    """Run a command as the only child of this process, and print what it took."""
    import resource  # Unix alone has it

    start, ended = time.perf_counter(), True
    try:
        subprocess.run(arguments, stdout=subprocess.DEVNULL, timeout=limit, check=True)
    except subprocess.TimeoutExpired:
        ended = False
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024, ended)


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        run_alone(float(sys.argv[2]), sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--old", type=Path, help="an older program, which runs every command too")
    parser.add_argument("--only", default="", help="only commands that match this regular expression")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a command is stopped (600)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small = measure(options.program, SMALL, folder, options.limit)
        against = "the older program's seconds" if options.old else f"seconds of {SMALL}"
        print(f"| command | processor s | clock s | peak MB | {against} | ratio | wanted s |")
        print("|---|---|---|---|---|---|---|")
        for command, wanted in CASES.items():
            if re.search(options.only, command):
                new = measure(options.program, command, folder, options.limit)
                old = measure(options.old, command, folder, options.limit) if options.old else small
                ratio = old.processor / new.processor if options.old else new.processor / old.processor
                print(
                    f"| {command} | {new.processor:.1f} | {'' if new.ended else '> '}{new.clock:.1f} | {new.peak:.0f} "
                    f"| {'' if old.ended else '> '}{old.processor:.1f} | {ratio:.1f} | {wanted} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
