"""Wall time and peak memory of biasvar beside its peers and two limits, interleaved in one run: ratios, not seconds.

    make bench
    python benchmarks/compare.py --runs 10,100,1000 --only ours

The first has tracks of 100 and 400 runs x 50 topics x 1000 documents, 1700 of a topic judged, of 1000 runs x 50 topics
x 100 documents, and 1 and 10 runs of the shape of MS MARCO: 6980 topics x 1000 documents, one judged.

Every command is a cold process on the same files. ``TREC_EVAL`` names trec_eval binaries, separated by colons;
ir_measures' command comes with biasvar; ranx is timed where it is installed. Peers that take one run at a time are
looped by the shell; slow ones are timed on the first runs only and scaled, which the table says. Nothing here is
asserted.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import platform
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from make_track import JUDGED

BIN = Path(sys.executable).parent
_PYTREC_EVAL = """
import sys, pytrec_eval
with open(sys.argv[1]) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), {"map"})
for path in sys.argv[2:]:
    with open(path) as file:
        evaluator.evaluate(pytrec_eval.parse_run(file))
"""
_RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
for path in sys.argv[2:]:
    evaluate(qrels, Run.from_file(path, kind="trec"), "map", make_comparable=True)
"""
_PARSE = """
import sys
from concurrent.futures import ThreadPoolExecutor
import pyarrow as pa
import pyarrow.csv as csv
names = ["topic", "iteration", "doc", "rank", "score", "tag"]
types = {"topic": pa.binary(), "doc": pa.binary(), "score": pa.float64(), "tag": pa.binary()}
def parse(path):
    with open(path, "rb") as file:
        data = file.read()
    return csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(column_names=names, use_threads=False, block_size=len(data) + 1),
        parse_options=csv.ParseOptions(delimiter=" ", quote_char=False),
        convert_options=csv.ConvertOptions(column_types=types, include_columns=list(types), check_utf8=False),
    ).num_rows
with ThreadPoolExecutor(int(sys.argv[1])) as executor:
    sum(executor.map(parse, sys.argv[2:]))
"""
_IMPORTS = "import pyarrow, pyarrow.csv"


class Contender(NamedTuple):
    """One command; ``share`` of the runs that it is timed on, to be scaled by."""

    name: str
    command: list[str]
    share: float = 1.0


class Sample(NamedTuple):
    """One timing: wall seconds and the peak resident memory of the process and its children, in MB."""

    seconds: float
    peak: float


def contenders(track: Path, files: Sequence[str], only: str) -> list[Contender]:
    """What is timed on a track; ``only`` is ``all``, or ``ours`` for biasvar and the limits."""
    qrels = str(track / "qrels.txt")
    runs = str(track / "runs")
    cores = str(len(os.sched_getaffinity(0)))

    def ours(name: str, *options: str, form: str = "csv", folder: str = runs) -> Contender:
        command = [str(BIN / "biasvar"), "decompose", folder, "-q", qrels, "-f", form, "-o", os.devnull, "--quiet"]
        return Contender(name, [*command, *options])

    found = [
        ours("biasvar AP"),
        ours("biasvar AP, the default text with its null model", form="text"),
        ours("biasvar AP, runs compressed with gzip", folder=str(track / "packed")),
        ours("biasvar ERR@20", "-m", "ERR@20"),
        ours("biasvar nDCG@20", "-m", "nDCG@20"),
        ours("biasvar AP, nDCG@20, P@10, ERR@20", "-m", "AP", "-m", "nDCG@20", "-m", "P@10", "-m", "ERR@20"),
        ours("biasvar AP, one job", "--jobs", "1"),
        Contender("limit: read the bytes", ["cat", *files]),
        Contender("limit: parse with pyarrow", [sys.executable, "-c", _PARSE, cores, *files]),
        Contender("limit: import pyarrow", [sys.executable, "-c", _IMPORTS]),
    ]
    if only == "ours":
        return found
    found += [
        _loop(f"{Path(path).name} -q -c -m map, loop", f"{path} -q -c -m map {qrels}", files)
        for path in filter(None, os.environ.get("TREC_EVAL", "").split(os.pathsep))
    ]
    few = files[: max(1, len(files) // 10)]
    found.append(_loop("ir_measures -q AP, loop", f"{BIN}/ir_measures {qrels} $f AP -q #", few, len(few) / len(files)))
    share = len(few) / len(files)
    found.append(Contender("pytrec_eval, one process", [sys.executable, "-c", _PYTREC_EVAL, qrels, *few], share))
    if importlib.util.find_spec("ranx"):
        found.append(Contender("ranx, one process", [sys.executable, "-c", _RANX, qrels, *few], share))
    return found


def _loop(name: str, command: str, files: Sequence[str], share: float = 1.0) -> Contender:
    """A shell loop over the runs; the file comes last, or stands as $f before a trailing #."""
    body = command.removesuffix("#") if command.endswith("#") else f"{command} $f"
    return Contender(name, ["sh", "-c", f'for f in "$@"; do {body}; done', "sh", *files], share)


def _write(track: Path, shape: dict[str, int]) -> None:
    """Write a track, its runs plain and compressed, in other processes: a child's peak counts from its parent's."""
    options = [word for name, number in shape.items() for word in (f"--{name}", str(number))]
    subprocess.run([sys.executable, str(Path(__file__).with_name("make_track.py")), str(track), *options], check=True)
    (track / "packed").mkdir()
    for path in (track / "runs").iterdir():
        with path.open("rb") as plain, gzip.GzipFile(track / "packed" / f"{path.name}.gz", "wb", mtime=0) as packed:
            shutil.copyfileobj(plain, packed)


def measure(contender: Contender) -> Sample:
    """Run a command once, its output thrown away."""
    start = time.perf_counter()
    with subprocess.Popen(contender.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            message = process.stderr.read().decode() if process.stderr else ""
            raise SystemExit(f"{contender.name} failed: {shlex.join(contender.command[:4])} ...\n{message}")
    return Sample(seconds / contender.share, usage.ru_maxrss / 1024)


def compare(entries: Sequence[Contender], repeats: int) -> dict[str, list[Sample]]:
    """Time everything in turn, ``repeats`` times over, after one round that warms the disk cache and counts not."""
    samples: dict[str, list[Sample]] = {entry.name: [] for entry in entries}
    for turn in range(repeats + 1):
        for entry in entries:
            sample = measure(entry)
            if turn:
                samples[entry.name].append(sample)
    return samples


def show(samples: dict[str, list[Sample]], title: str) -> None:
    """A markdown table: seconds (median), the ratio to biasvar AP with its range over the repeats, peak memory."""
    base = [sample.seconds for sample in samples["biasvar AP"]]
    print(f"\n{title}\n\n| command | seconds | ratio to biasvar AP | range | peak MB |\n|---|---|---|---|---|")
    for name, found in samples.items():
        ratios = sorted(sample.seconds / one for sample, one in zip(found, base, strict=True))
        seconds = statistics.median(sample.seconds for sample in found)
        peak = max(sample.peak for sample in found)
        print(
            f"| {name} | {seconds:.2f} | {statistics.median(ratios):.2f} | {ratios[0]:.2f} to {ratios[-1]:.2f} "
            f"| {peak:.0f} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", default="100", help="numbers of runs, separated by commas")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--depth", type=int, default=1000)
    parser.add_argument("--judged", type=int, default=JUDGED)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=["all", "ours"], default="all")
    parser.add_argument("--json", type=Path, help="also write every sample here")
    arguments = parser.parse_args()
    print(f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, Python {platform.python_version()}")
    everything = {}
    for n_runs in map(int, arguments.runs.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            track = Path(folder)
            shape = {"topics": arguments.topics, "depth": arguments.depth, "judged": arguments.judged}
            _write(track, {"runs": n_runs, **shape})
            files = sorted(str(path) for path in (track / "runs").iterdir())
            samples = compare(contenders(track, files, arguments.only), arguments.repeats)
            show(samples, f"{n_runs} runs, " + ", ".join(f"{name} {number}" for name, number in shape.items()))
            everything[n_runs] = samples
    if arguments.json:
        arguments.json.write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
