"""Whether two installed versions of biasvar give the same csv and JSON, byte by byte.

    python benchmarks/same_output.py ../old/.venv/bin/biasvar .venv/bin/biasvar \\
        --option decompose:--versus=--baseline --option tradeoff:--reference=--baseline \\
        --option tracks:references=null --word decompose:versus=baseline --word tracks:references=null

Every command runs with both programs, on the sample track and, with ``--data FOLDER``, on real runs and score matrices
(docs/real-data.md, "Real data"). ``--option COMMAND:OLD=NEW`` is a renamed argument: a program whose help has OLD is
given OLD for NEW. ``--word COMMAND:OLD=NEW`` is a renamed JSON string or csv cell. Numbers whose name matches
``--inexact`` may differ by ``--tolerance`` of their value; the largest of these differences is reported.
``--except NAME`` is a key of JSON, with all below it, or a column of csv, that is not compared, because it is new or is
to change. A line has the outcome, the bytes of both outputs and the command. Exits 1 if anything else differs, or if a
command is refused.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
ALONE = {**os.environ, "PYTHONSAFEPATH": "1"}  # `python -m biasvar_cli` is not the package of the folder it runs in
SAMPLE = "sample_runs -q qrels/npl.qrels.txt"
RUNS = {"covid-round1": "BERT", "web2012-indri": "rm-catb.run", "trec5-adhoc-ap": "run3"}  # a run, with all options
DECOMPOSE = (
    "",
    "--no-null",
    "--target best --target perfect --target best:0.9 --target mean:.3 --rank --pareto --stability",
    "--log floor --weights .3,.7",
    "--log add --target best:0.5 --sort -var_gap",
    "--ci .95 --resamples 100",
    "--ci .9 --resamples 100 --ci-method percentile --no-null",
)
TRADEOFF = (
    "",
    "--subset-size 5,7 --remainder balanced --subset-weights equal --normalise maxmin",
    "--target perfect --difficulty mean --repeats 3 --seed 1 --zero-target one",
    "--detail difficulty",
    "--detail single-normalised",
)
COMPARE = (
    "--samples 200 --splits 50",
    "--test t --test randomisation --test tukey --correction bonferroni --samples 200 --splits 50",
    "--of total --test t --test wilcoxon --correction bh --level .9 --samples 200 --splits 50",
)
RISK = ("", "--baseline median --alpha 1,5", "--baseline mean --tie-eps .05")
RISK_OF_RUNS = "--baseline best --with-decomposition --ci .95 --resamples 100"
SUMMARY = ("--samples 200", "--errors --target perfect --level .9 --samples 200")
OF_SAMPLE = (
    f"decompose {SAMPLE} --ci .95 --resamples 100 --over teams --over both --teams {{tmp}}/teams.csv",
    f"decompose {SAMPLE} -m AP -m nDCG@10 -m P@5 -m ERR@20 -m RR -m recall_100 --topics intersection",
    f"tradeoff {SAMPLE} --families (comb|nrr)-(.*) --baseline rm",
    f"tradeoff {SAMPLE} --groups {{tmp}}/groups.csv",
    f"target {SAMPLE} --rarefied 5 --difficulty mean --subset-size 7",
    f"sensitivity {SAMPLE} --teams {{tmp}}/teams.csv --splits 20 --precision .3 --seed 3 --target perfect",
    f"scores {SAMPLE} -m AP -m nDCG@20 -m P@10 -m ERR@20 -m RR",
    f"summary {SAMPLE} -m AP -m nDCG@20 -m P@10 --baseline orig --log floor --samples 200",
    f"risk {SAMPLE} --baseline orig --r-loss 10 -m AP -m nDCG@10",
    f"compare {SAMPLE} -m AP -m P@10 --baseline orig --baseline rel-fb --samples 200 --splits 50",
)


class Outcome(NamedTuple):
    """One command with both programs: what differs, if anything, and the largest allowed difference of a number."""

    command: str
    sizes: list[int]
    difference: str
    inexact: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Compare the output of two installed versions of biasvar.")
    parser.add_argument("programs", type=Path, nargs=2, help="the program before and after")
    parser.add_argument("--data", type=lambda text: Path(text).resolve(), help="folder of the real data (none)")
    parser.add_argument("--option", action="append", default=[], metavar="COMMAND:OLD=NEW")
    parser.add_argument("--word", action="append", default=[], metavar="COMMAND:OLD=NEW")
    parser.add_argument("--except", action="append", default=[], metavar="NAME", dest="excepted")
    parser.add_argument("--inexact", default=r"(^|_)(p|holm|low|high)$", help="names of the numbers that may differ")
    parser.add_argument("--tolerance", type=float, default=1e-9, help="by this share of their value (1e-9)")
    parser.add_argument("--only", default="", help="only commands that match this regular expression")
    parser.add_argument("--jobs", type=int, default=1, help="commands at once (1)")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        matrices = sorted((asked.data / "score-matrices").glob("*.csv")) if asked.data else []
        write_inputs(Path(folder), matrices)
        wanted = [command for command in commands(asked.data, matrices) if re.search(asked.only, command)]
        found = [show(each) for each in pool.map(lambda command: compare(command, folder, asked), wanted)]
    different = sum(bool(each.difference) for each in found)
    digits = [each.inexact for each in found if each.inexact and not each.difference]
    same = len(found) - different - len(digits)
    print(f"{len(found)} commands: {same} the same, {len(digits)} but for last digits, {different} different")
    if digits:
        print(f"largest relative difference in last digits: {max(digits):.1e}")
    return int(different > 0)


def commands(data: Path | None, matrices: Sequence[Path]) -> Iterator[str]:
    """Every command in the words of today; {tmp} stands for the folder of made files."""
    inputs_of = {"sample": SAMPLE}
    if data is not None:
        folders = [data / name for name in RUNS if (data / name).is_dir()]
        inputs_of |= {folder.name: f"{folder}/runs -q {folder}/qrels.txt" for folder in folders}
        inputs_of |= {path.stem: str(path) for path in matrices}
    yield from both(*OF_SAMPLE)
    yield "scores sample_runs/orig.gz -q qrels/npl.qrels.txt -m AP -m P@10 -f trec_eval"
    if matrices:
        yield from both("tracks {tmp}/shelf.toml --null-samples 100", tables="tracks null trends")
        yield from both("tracks {tmp}/shelf.toml --subset-size 5 --difficulty mean --no-null", tables="tracks trends")
    for name, inputs in inputs_of.items():
        run = {"sample": "orig", **RUNS}.get(name, "")
        fewer = "" if name == "sample" else " --null-samples 100"
        yield from both(*(f"decompose {inputs} {each}{fewer}" for each in DECOMPOSE[: None if run else 2]))
        yield from both(*(f"tradeoff {inputs} {each}{fewer}" for each in TRADEOFF[: None if run else 2]))
        if run:
            yield from both(f"decompose {inputs} --target run:{run} --no-null", f"decompose {inputs} --baseline {run}")
        yield from both(f"target {inputs}", tables="queries runs rarefied")
        yield from both(f"sensitivity {inputs} --splits 20", tables="targets runs neighbours queries reliability")
        yield from both(*(f"compare {inputs} {words}" for words in COMPARE), tables="runs pairs power swap")
        yield from both(*(f"risk {inputs} {words}" for words in RISK), tables="runs queries")
        yield from both(f"risk {inputs} {RISK_OF_RUNS}")
        yield from both(*(f"summary {inputs} {words}" for words in SUMMARY))
        yield from both(f"check {inputs}", f"scores {inputs}")
        yield f"scores {inputs} -f matrix"


def both(*given: str, tables: str = "") -> Iterator[str]:
    """In JSON, and in csv: there with every table in turn."""
    for command in given:
        yield _drawn(command, "--detail" not in command) + " -f json"
        for table in tables.split():
            yield f"{_drawn(command, table == 'null')} --table {table} -f csv"
        if not tables:
            drawn = "--stability" in command or (command.startswith("tradeoff") and "--detail" not in command)
            yield f"{_drawn(command, drawn)} -f csv"


def _drawn(command: str, drawn: bool) -> str:
    """A command, without the number of samples where none are ``drawn``: it would be refused."""
    return command if drawn and "--no-null" not in command else command.replace(" --null-samples 100", "")


def write_inputs(folder: Path, matrices: Sequence[Path]) -> None:
    """A manifest of the score matrices, teams of the sample runs (by their first letter) and groups of its queries."""
    shelf = ["[defaults]", 'measure = "AP"']
    for number, path in enumerate(matrices):
        shelf += ["[[track]]", f'track = "{path.stem}"', f"year = {1994 + number}"]
        shelf += [f'series = "{path.stem[:3]}"', f"scores = {json.dumps(str(path.resolve()))}"]
    (folder / "shelf.toml").write_text("\n".join([*shelf, ""]))
    runs = sorted(path.name.removesuffix(".gz") for path in (ROOT / "sample_runs").iterdir())
    (folder / "teams.csv").write_text("\n".join(["run,team", *(f"{run},{run[0]}" for run in runs), ""]))
    lines = (ROOT / "qrels" / "npl.qrels.txt").read_text().splitlines()
    topics = sorted({line.split()[0] for line in lines})
    (folder / "groups.csv").write_text("\n".join(["query,group", *(f"{each},g{int(each) % 4}" for each in topics), ""]))


def compare(command: str, folder: str, asked: argparse.Namespace) -> Outcome:
    """Run a command with both programs, and compare the exit code and standard output."""
    name, *given = command.split()
    options, words = ([re.split("[:=]", each) for each in pairs] for pairs in (asked.option, asked.word))
    codes, texts, errors = [], [], []
    for program in asked.programs:
        own = [each.replace("{tmp}", folder) for each in given]
        for of, old, new in options:
            if of == name and re.search(rf"(?<![\w-]){re.escape(old)}(?![\w-])", help_of(program, name)):
                own = [old if each == new else each for each in own]
        run = [program.absolute(), name, *own, "--quiet"]
        done = subprocess.run(run, cwd=ROOT, env=ALONE, capture_output=True, check=False, text=True)
        codes.append(done.returncode)
        texts.append(done.stdout)
        errors.append(done.stderr.partition("\n")[0])
    sizes = [len(text.encode()) for text in texts]
    for of, old, new in words:
        if of == name:  # as a JSON string or a csv cell
            texts = [re.sub(rf'(?m)(^|[,"]){re.escape(old)}(?=$|[,"])', rf"\g<1>{new}", text) for text in texts]
    if codes[0] != codes[1] or not all(texts):
        return Outcome(command, sizes, f"exit {codes[0]} ({errors[0]}) and {codes[1]} ({errors[1]})", 0.0)
    return Outcome(command, sizes, *differences(texts, re.compile(asked.inexact), asked.tolerance, {*asked.excepted}))


@cache
def help_of(program: Path, command: str) -> str:
    return subprocess.run(
        [program.absolute(), command, "-h"], env=ALONE, capture_output=True, check=True, text=True
    ).stdout


def differences(
    texts: Sequence[str], inexact: re.Pattern[str], limit: float, excepted: Set[str] = frozenset()
) -> tuple[str, float]:
    """The first value that differs by more than is allowed (or none), and the largest allowed difference.

    Values of a name that is ``excepted``, or below one in JSON, are not compared.
    """
    if texts[0] == texts[1]:
        return "", 0.0
    largest = 0.0
    compared = [
        [value for value in values(text) if excepted.isdisjoint((value[1], *value[0].split("/")))] for text in texts
    ]
    for old, new in zip_longest(*compared):
        if old != new:
            try:
                first, second = float(old[2]), float(new[2])
                apart = abs(first - second) / max(abs(first), abs(second), 1e-300)
            except (TypeError, ValueError):
                return f"{old} is {new}", 0.0
            if not apart <= limit or old[:2] != new[:2] or not inexact.search(new[1]):
                return f"{old} is {new}", 0.0
            largest = max(largest, apart)
    return "" if largest or excepted else "not the values, but how they are written", largest


def values(text: str) -> Iterator[tuple[str, str, str]]:
    """Where each value of JSON or csv stands, its name (a key, a column) and its text, in their order."""

    def walk(value: Any, path: str, name: str) -> Iterator[tuple[str, str, str]]:
        inner: Iterable[tuple[Any, Any]] = enumerate(value) if isinstance(value, list) else ()
        for key, each in value.items() if isinstance(value, dict) else inner:
            yield from walk(each, f"{path}/{key}", key if isinstance(key, str) else name)
        if not isinstance(value, (dict, list)):
            yield path, name, str(value)

    if text.startswith("{"):
        yield from walk(json.loads(text, parse_float=str, parse_int=str), "", "")
        return
    header, *rows = csv.reader(io.StringIO(text))
    for number, row in enumerate([header, *rows], start=1):
        yield from ((f"line {number}", name, cell) for name, cell in zip_longest(header, row, fillvalue=""))


def show(outcome: Outcome) -> Outcome:
    word = "DIFFERENT" if outcome.difference else "digits" if outcome.inexact else "same"
    print(f"{word:9} {outcome.sizes[0]:8} {outcome.sizes[1]:8}  {outcome.command}", flush=True)
    if outcome.difference:
        print(f"          {outcome.difference}")
    return outcome


if __name__ == "__main__":
    sys.exit(main())
