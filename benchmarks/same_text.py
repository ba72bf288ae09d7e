"""What people read from two versions of biasvar, compared line by line: text, LaTeX, figures, pages and errors.

    python benchmarks/same_text.py ../old/.venv/bin/python .venv/bin/python

Both versions are given the same commands on made scores, in every usual wording: with usual names, with names that hold
nouns, options, marks of Markdown and LaTeX and escapes of a terminal, with another unit, and with replicates; and on
the sample track of this checkout. An argument is the Python that a version is installed for, so that a version runs all
its commands in one process. A difference is printed once, with the number of the outputs that have it and the first of
them. Csv and JSON are compared by ``same_output.py``. Exits 1 if anything differs.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import difflib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
SAMPLE = ("sample_runs", "-q", "qrels/npl.qrels.txt")
USUAL = [f"rm{number}" for number in range(1, 8)]
HOSTILE = ["rm1", "query", "runs", "queries of x", "`seed`|&_", "a run\x1b[31m", "Run `qrels=x` $y^2"]
HOSTILE_QUERIES = ["query", "a run", "queries", "`eps`", "Query 3", "a|b & c_d", "x\x1b[0m"]
REPLICATES = [f"{system}-{number}" for system in ("rm", "ql", "axiom") for number in (1, 2)]
VARIANTS: Mapping[str, tuple[str, ...]] = {  # the made file, and what is typed behind it
    "usual": ("usual.csv",),
    "unit": ("usual.csv", "--unit", "assessor"),
    "hostile": ("hostile.csv", "--unit", "collection", "-m", "AP", "--id-column", "query_id"),
    "replicates": ("replicates.csv", "--replicates", "(.*)-[12]", "--unit", "european set"),
}
FEW, TESTS = ("--null-samples", "100"), ("--samples", "200", "--splits", "10")
TEXTS: tuple[tuple[str, ...], ...] = (
    ("decompose", "--rank", "--pareto", "--stability", *FEW),
    ("decompose", "--form", "both", "--ci", ".9", "--resamples", "50", "--over", "both", "--baseline", "bm25", *FEW),
    ("decompose", "-f", "latex", "--no-null"),
    ("decompose", "--target", "mean:.5", "--target", "run:bm25", "--no-null", "-f", "markdown"),
    ("tradeoff", "--subset-size", "4", *FEW),
    ("tradeoff", "--detail", "difficulty", "--subset-size", "4", "--no-null"),
    ("tradeoff", "--families", "(rm)(.*)", *FEW),
    *(("target", "--table", table) for table in ("queries", "runs", "rarefied")),
    *(
        ("sensitivity", "--precision", ".2", "--table", table)
        for table in ("targets", "runs", "neighbours", "queries", "reliability", "mean")
    ),
    *(("risk", "--baseline", baseline) for baseline in ("mean", "best", "run:bm25", "top")),
    ("risk", "--baseline", "run:bm25", "--ci", ".9", "--resamples", "50"),
    ("risk", "--baseline", "run:bm25", "--table", "queries", "-f", "markdown"),
    *(("compare", "--test", "t", *TESTS, "--table", table) for table in ("runs", "pairs", "power", "swap")),
    ("compare", "--baseline", "top", "-f", "latex", *TESTS),
    ("summary", "--errors", "--samples", "200"),
    ("summary", "--baseline", "bm25", "--samples", "200", "-f", "latex"),
    ("summary", "--marks", "letters", "--samples", "200"),
)
FIGURES: tuple[tuple[str, ...], ...] = (
    *((name,) for name in ("plane", "total", "ranked", "tradeoff", "target", "queries", "rarefaction", "compare")),
    *((name,) for name in ("asl", "summary", "risk")),
    ("losses", "--baseline", "mean", "--run", "bm25"),
)
WRONG: tuple[tuple[str, ...], ...] = (
    *(("--subset-size", "50"), ("--target", "run:absent"), ("--target", "ideal"), ("--target", "mean:3")),
    *(("--eps", ".1"), ("--log", "floor", "--eps", "0"), ("--topics", "qrels"), ("--keep-empty-topics",)),
    *(("--names", "x=y"), ("--highlight", "zz"), ("--replicates", "(q)x"), ("--clusters", "(q)x"), ("-m", "nosuch")),
    *(("--exclude", "*"), ("--glob", "*.x"), ("--orient", "runs"), ("--id-column", "zz"), ("--max-grade", "2")),
    *(("--columns", "zz"), ("--sort", "zz"), ("--recursive",), ("--resamples", "9"), ("--over", "teams")),
    *(("--teams", "x.csv"), ("--unit", "runs"), ("--weights", "1"), ("--jobs", "0"), ("-f", "latex", "--wide")),
)
OF_SAMPLE: tuple[tuple[str, ...], ...] = (
    ("decompose", *SAMPLE, "--no-null"),
    ("compare", *SAMPLE, "-m", "AP", "-m", "P@10", "--samples", "200"),
    ("summary", *SAMPLE, "-m", "AP", "-m", "P@10", "--samples", "200", "-f", "latex"),
    ("check", *SAMPLE),
    ("profile", "orig", *SAMPLE),
    ("scores", *SAMPLE, "--top", "3"),
    ("risk", *SAMPLE, "--baseline", "orig"),
    ("judges", *SAMPLE, "-q", "qrels/npl-pool.qrels.txt"),
    ("unjudged", "sample_runs", "-q", "qrels/npl-pool.qrels.txt"),
    ("models", "sample_models", "--true", "sample_models/true.tsv.gz"),
    ("tracks", "docs/tracks.toml", "--no-null"),
)
HELPED = (
    "decompose",
    "compare",
    "models",
    "report",
    "risk",
    "tracks",
    "check",
    "judges",
    "plot",
    "summary",
    "unjudged",
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare what people read from two installed versions of biasvar.")
    parser.add_argument("pythons", type=Path, nargs=2, help="the Python of the version before, and after")
    parser.add_argument("--only", default="", help="only outputs whose name matches this regular expression")
    parser.add_argument("--most", type=int, default=60, help="the most differences that are printed (60)")
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)  # of one version, called by the other form
    asked = parser.parse_args(arguments)
    if asked.write is not None:
        write_outputs(asked.write, asked.only)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        outputs = [
            outputs_of(python, Path(folder, str(number)), asked.only) for number, python in enumerate(asked.pythons)
        ]
    found: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    different = [name for name in outputs[0] if outputs[0][name] != outputs[1][name]]
    for name in different:
        for change in changes(outputs[0][name], outputs[1][name]):
            found[change] += 1
            first.setdefault(change, name)
    for (before, after), number in found.most_common(asked.most):
        print(f"{number} x {first[before, after]}\n  - {before}\n  + {after}")
    print(f"{len(outputs[0])} outputs: {len(different)} differ, in {len(found)} ways")
    return int(bool(different))


def commands() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The name of each output, what is typed, and the suffix of the file that it writes, if any."""
    for variant, given in VARIANTS.items():
        scores, more = given[0], given[1:]
        for name, *typed in TEXTS:
            yield f"text {variant} {name} {' '.join(typed)}", (name, scores, *typed, "--notes", "full", *more), ""
        for name, *typed in FIGURES:
            yield f"figure {variant} {name}", ("plot", name, scores, *typed, *more), ".json"
        page: tuple[str, ...] = (
            "report",
            scores,
            "--baseline",
            "bm25",
            "--families",
            "(rm)(.*)",
            "--highlight",
            "bm25",
            *FEW,
            *more,
        )
        yield f"page {variant}", page, ".html"
        for wrong in WRONG:
            yield f"error {variant} {' '.join(wrong)}", ("decompose", scores, *more, *wrong), ""
        yield f"check {variant}", ("check", scores, *more), ""
        yield f"scores {variant}", ("scores", scores, *more), ""
    for command in OF_SAMPLE:
        yield f"sample {' '.join(command)}", command, ""
    for name in HELPED:
        yield f"help {name}", (name, "--help"), ""


def write_outputs(folder: Path, only: str) -> None:
    """Run every command with the version that this Python has, in this process; a file for each in the folder."""
    from biasvar_cli.cli import main as biasvar

    inputs = folder / "inputs"
    inputs.mkdir(parents=True)
    write_scores(inputs / "usual.csv", USUAL, [f"q{number}" for number in range(12)])
    write_scores(inputs / "replicates.csv", REPLICATES, [f"q{number}" for number in range(12)])
    write_scores(inputs / "hostile.csv", HOSTILE, [*HOSTILE_QUERIES, *(f"set{number}" for number in range(5))])
    for name in ("sample_runs", "sample_models", "qrels", "docs"):
        (inputs / name).symlink_to(ROOT / name)
    os.chdir(inputs)
    for number, (name, typed, suffix) in enumerate(commands()):
        if re.search(only, name):
            written = [] if not suffix else ["-o", f"written{suffix}"]
            text, error = Stream(), Stream()
            with contextlib.redirect_stdout(text), contextlib.redirect_stderr(error), warnings.catch_warnings():
                code = biasvar([*typed, *written])
            file = Path(f"written{suffix}")
            drawn = file.read_text("utf-8") if suffix and file.exists() else ""
            if suffix:
                file.unlink(missing_ok=True)
            (folder / f"{number:04}").write_text(f"exit {code}\n{text.text}\n{error.text}\n{drawn}", "utf-8")


class Stream(io.TextIOWrapper):
    """A stream in memory, of text and of bytes."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8", errors="backslashreplace", write_through=True)

    @property
    def text(self) -> str:
        """What was written."""
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


def write_scores(path: Path, runs: Sequence[str], queries: Sequence[str]) -> None:
    """Drawn scores of ``bm25`` and of ``runs``, of which one is better than the one before it."""
    draw = np.random.default_rng(1)
    levels = draw.beta(4, 4, len(queries))
    noise = draw.normal(0, 0.08, (len(queries), len(runs) + 1)) + np.linspace(-0.1, 0.1, len(runs) + 1)
    values = np.clip(levels[:, None] + noise, 0.01, 0.99).round(4)
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["query_id", "bm25", *runs])
        rows.writerows([query, *scores] for query, scores in zip(queries, values.tolist(), strict=True))


def outputs_of(python: Path, folder: Path, only: str) -> dict[str, str]:
    """What a version prints and writes, by the name of the output."""
    here = [str(python.absolute()), "-P", __file__, "x", "x", "--only", only, "--write", str(folder)]
    subprocess.run(here, check=True, cwd=ROOT, env={**os.environ, "COLUMNS": "100"}, stdin=subprocess.DEVNULL)
    names = [name for name, _, _ in commands()]
    return {names[int(path.name)]: path.read_text("utf-8") for path in sorted(folder.glob("[0-9]*"))}


def changes(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The parts that differ: of long lines, such as those of a page, the words that differ and a few around them."""
    old, new = before.split("\n"), after.split("\n")
    for kind, *ends in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            lines = " ".join(old[ends[0] : ends[1]]), " ".join(new[ends[2] : ends[3]])
            yield from [lines] if max(map(len, lines)) < 400 else _words(*lines)


def _words(before: str, after: str) -> Iterator[tuple[str, str]]:
    old, new = before.split(" "), after.split(" ")
    for kind, first, last, start, end in difflib.SequenceMatcher(None, old, new, autojunk=True).get_opcodes():
        if kind != "equal":
            around = " ".join(old[max(0, first - 4) : last + 3]), " ".join(new[max(0, start - 4) : end + 3])
            yield around[0][:300], around[1][:300]


if __name__ == "__main__":
    sys.exit(main())
