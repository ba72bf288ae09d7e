"""Write ``docs/schema.json``: a JSON schema of what every command writes with ``-f json``.

    python docs/schema.py [--check]

The shape is that of outputs on the sample track and on two queries, with many options; rows of tables have all declared
columns with their meanings. An undefined number is null, so every number may be null. A whole number or a text may be
null where it is so in one of the outputs. ``--check`` writes nothing, and exits 1 where the file is not up to date.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stderr
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from biasvar_cli.analyses import ANALYSES
from biasvar_cli.cli import main
from biasvar_cli.tables.column import Column, Family, expanded

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "schema.json"

_TRACK = "sample_runs/comb-0.1.gz sample_runs/comb-0.5.gz sample_runs/orig.gz sample_runs/rm.gz -q qrels/npl.qrels.txt"
_ALL = "sample_runs -q qrels/npl.qrels.txt"
_HALF = "qrels/npl-half.qrels.txt"
_POOL = _TRACK.replace("npl.", "npl-pool.")
_SYSTEMS = "SEEDS --replicates -seed[0-9]"
_MODELS = "sample_models --true sample_models/true.tsv.gz"
OUTPUTS: Mapping[str, tuple[str, ...]] = {  # what is typed behind the command; a name in capitals is a file of _FILES
    **{analysis.name: ("MATRIX", _TRACK, _SYSTEMS) for analysis in ANALYSES},
    "check": ("sample_runs/rm.gz", "sample_runs/rm.gz -q qrels/npl.qrels.txt", "BROKEN"),
    "scores": (_TRACK, "MATRIX"),
    "decompose": (
        "MATRIX --no-null",
        _SYSTEMS,
        f"{_ALL} --null-samples 100 --rank --weights 1,1 --pareto --stability --ci .95 --resamples 200 --baseline orig",
    ),
    "tradeoff": (
        "MATRIX --no-null",
        f"{_SYSTEMS} --no-null",
        "MATRIX --groups GROUPS",
        "MATRIX --groups GROUPS --detail groups",
        f"{_ALL} --null-samples 100 --families (comb|nrr)-(.*)",
        f"{_ALL} --null-samples 100 --subset-size 10",
        f"{_ALL} --null-samples 100 --families (comb|nrr)-(.*) --baseline rm",
        f"{_TRACK} --detail difficulty",
    ),
    "target": ("MATRIX", _SYSTEMS, f"{_TRACK} --pool sample_runs/rel-fb.gz"),
    "sensitivity": ("MATRIX", "ONE", "COUNTS", _TRACK, _SYSTEMS),
    "risk": (
        "MATRIX",
        _SYSTEMS,
        f"{_TRACK} --baseline orig --ci .95 --resamples 200 --r-loss 10 --with-decomposition",
        f"{_TRACK} --table queries",
        f"{_TRACK} --table run:rm",
    ),
    "profile": (
        "A MATRIX",
        "A ONE",
        f"rm {_TRACK} --baseline orig --samples 100",
        f"A {_SYSTEMS} --half-width .01",
        "A PEOPLE MODEL --calibrate --baseline B --samples 100",
    ),
    "compare": (
        "MATRIX",
        f"{_SYSTEMS} --half-width .01",
        f"{_TRACK} --samples 100 --test tukey --test stepdown --test t --test wilcoxon --detect .02",
        f"{_TRACK} --samples 100 --test sign --test randomisation --test bootstrap --table swap",
        f"{_TRACK} --samples 100 --baseline orig --of total",
        f"{_TRACK} --samples 100 --marks letters",
    ),
    "summary": (
        "MATRIX",
        f"{_TRACK} --samples 100 -m AP -m P@10 --errors",
        f"{_TRACK} --samples 100 --marks letters --counts",
        f"{_TRACK} --samples 100 --baseline orig",
        _SYSTEMS,
        "docs/tracks.toml --samples 100",
        "TRACKS --samples 100 --replicates -seed[0-9]",
    ),
    "judges": (
        "MATRIX OTHER",
        f"{_ALL} -q {_HALF} -m nDCG@10 --samples 100",
        f"{_TRACK} -q {_HALF} --samples 100 --table queries",
        f"{_TRACK} -q {_HALF} --samples 100 --table agreement",
        "PEOPLE MODEL --calibrate --half-width .1 --baseline A --samples 100",
        "PEOPLE MODEL --table components",
        f"{_TRACK} -q half-pass1={_HALF} -q half-pass2={_HALF} --replicates -pass[0-9] --samples 100",
    ),
    "unjudged": (
        f"{_POOL} -m P@10 -m nDCG@10",
        f"{_POOL} -m P@10 --teams TEAMS_OF_RUNS --depth 5",
        f"{_POOL} -m P@10 --replicates -.*",
    ),
    "models": (
        _MODELS,
        f"{_MODELS} --ci .95 --resamples 200 --baseline rm --runs {_ALL} --original orig --families (comb)-(.*)",
        f"{_MODELS} --divergence kl-fwd --families (comb)-(.*)",
    ),
    "tracks": ("docs/tracks.toml --null-samples 100", "TRACKS --null-samples 100", "BROKEN_TRACKS"),
}


def _judged(n_queries: int) -> str:
    """Scores of three runs on some queries."""
    rows = (f"q{number},.{number % 7}1,.{number % 5}2,.{number % 3}{n_queries % 7}" for number in range(n_queries))
    return "\n".join(["topic,A,B,C", *rows, ""])


_FILES = {
    "MATRIX": ("scores.csv", "topic,A,B,C,C2,T\nq1,0.3,0.6,0.65,0.32,0.7\nq2,0.1,0.08,0.03,0.11,0.2\n"),
    "OTHER": ("other.csv", "topic,A,B,C,C2,T\nq1,0.4,0.6,0.5,0.3,0.9\nq2,0.2,0.1,0.03,0.2,0.3\n"),
    "PEOPLE": ("people.csv", _judged(8)),
    "MODEL": ("model.csv", _judged(16)),
    "SEEDS": ("seeds.csv", "AP,A-seed1,A-seed2,B-seed1,B-seed2,C\nq1,.3,.5,.6,.4,.45\nq2,.1,.2,.08,.12,.2\n"),
    "BROKEN": ("broken", "1 Q0 a 1 x t\n"),
    "ONE": ("one.csv", "AP,A\nq1,0.3\nq2,0.1\n"),
    "COUNTS": ("counts.csv", "topic,A,B,C\nq1,3,6,7\nq2,1,8,3\n"),
    "GROUPS": ("groups.csv", "query,group\nq1,x\nq2,y\n"),
    "TEAMS": ("teams.csv", "run,team\nA-seed1,x\nA-seed2,x\nB-seed1,y\nB-seed2,y\nC,z\n"),
    "TEAMS_OF_RUNS": ("teams-of-runs.csv", "run,team\ncomb-0.1,x\ncomb-0.5,x\norig,y\nrm,y\n"),
    "MORE": (
        "more.csv",
        "AP,A-seed1,A-seed2,B-seed1,B-seed2,C\nq1,.3,.5,.6,.4,.45\nq2,.1,.2,.1,.1,.2\nq3,.2,.2,.1,.2,.3\n",
    ),
    "TRACKS": (
        "tracks.toml",
        (
            '[defaults]\nteams = "teams.csv"\n[[track]]\ntrack = "A"\nscores = "seeds.csv"\n'
            '[[track]]\ntrack = "B"\nscores = "more.csv"\n'
        ),
    ),
    "BROKEN_TRACKS": (
        "broken.toml",
        (
            '[[track]]\ntrack = "A"\nyear = 2001\nscores = "scores.csv"\n'
            '[[track]]\ntrack = "B"\nyear = 2002\nscores = "none.csv"\n'
        ),
    ),
}
_BY_NAME = ("systems", "totals")  # objects whose keys are names of runs
_WORDS = ("background", "correction", "mark", "verdict")  # words where they are not null
_OF_CSV = ("--null", "--runs -f csv")  # options that add columns to csv alone

Schema = dict[str, Any]


def schema() -> Schema:
    """The whole schema: a definition of each command's output."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "JSON outputs of biasvar",
        "description": "A definition of the output of each command. Later releases may add keys.",
        "anyOf": [{"$ref": f"#/$defs/{command}"} for command in OUTPUTS],
        "$defs": {command: _of_command(command, outputs(command)) for command in OUTPUTS},
    }


def outputs(command: str) -> Iterator[Any]:
    """The outputs whose shape the schema of a command has."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in _FILES.values():
                Path(folder, name).write_text(text, encoding="utf-8")
            paths = {name: str(Path(folder, file)) for name, (file, _) in _FILES.items()}
            target = Path(folder, "output.json")
            for typed in OUTPUTS[command]:
                words = [paths.get(word, word) for word in typed.split()]
                with redirect_stderr(StringIO()):  # of a track that is broken
                    code = main([command, *words, "--quiet", "-o", str(target)])
                if code not in ((0, 1) if command in ("check", "tracks") else (0,)):
                    raise RuntimeError(f"biasvar {command} {typed}: exit code {code}")
                yield json.loads(target.read_text(encoding="utf-8"))
    finally:
        os.chdir(before)


def _of_command(command: str, documents: Iterable[Any]) -> Schema:
    made = _merged_all(map(_shape, documents))
    _describe(made, list(import_module(f"biasvar_cli.analyses.{command}").TABLES.values()))
    return made


def _shape(value: Any) -> Schema:
    """The schema of one value.

    >>> _shape({"runs": [{"mean": None}, {"mean": 0.5}]})["properties"]["runs"]["items"]
    {'type': 'object', 'properties': {'mean': {'type': ['null', 'number']}}, 'required': ['mean']}
    """
    if isinstance(value, dict):
        properties = {key: _by_name(part) if key in _BY_NAME else _shape(part) for key, part in value.items()}
        properties |= {key: {"type": ["null", "string"]} for key in _WORDS if key in value}
        return {"type": "object", "properties": properties, "required": list(value)}
    if isinstance(value, list):
        return {"type": "array", "items": _merged_all(map(_shape, value))}
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    kind = kinds[type(value)]
    return {"type": ["null", "number"] if kind == "number" else kind}


def _by_name(value: dict[str, Any]) -> Schema:
    parts = (_by_name(part) if isinstance(part, dict) else _shape(part) for part in value.values())
    return {"type": "object", "additionalProperties": _merged_all(parts)}


def _merged_all(schemas: Iterable[Schema]) -> Schema:
    made: Schema = {}
    for schema in schemas:
        made = _merged(made, schema)
    return made


def _merged(one: Schema, other: Schema) -> Schema:
    """The schema of what either schema is of.

    >>> _merged({"type": "integer"}, {"type": ["null", "number"]})
    {'type': ['null', 'number']}
    """
    if not one or not other:
        return one or other
    kinds = {*_kinds(one), *_kinds(other)}
    kinds -= {"integer"} if "number" in kinds else set()
    merged: Schema = {"type": min(kinds) if len(kinds) == 1 else sorted(kinds)}
    if any("additionalProperties" in each for each in (one, other)):
        merged["additionalProperties"] = _merged(*(each.get("additionalProperties", {}) for each in (one, other)))
    elif "object" in kinds:
        objects = [each for each in (one, other) if "properties" in each]
        names = dict.fromkeys(name for each in objects for name in each["properties"])
        parts = {name: [each["properties"][name] for each in objects if name in each["properties"]] for name in names}
        merged["properties"] = {name: _merged(found[0], found[-1]) for name, found in parts.items()}
        merged["required"] = [name for name in names if all(name in each["required"] for each in objects)]
    if "array" in kinds:
        merged["items"] = _merged(*(each.get("items", {}) for each in (one, other)))
    return merged


def _kinds(schema: Schema) -> list[str]:
    kinds = schema["type"]
    return kinds if isinstance(kinds, list) else [kinds]


def _describe(schema: Schema, tables: list[Any]) -> None:
    """Give rows of tables every column of their table, with its meaning."""
    for part in schema.get("properties", {}).values():
        _describe(part, tables)
    items = schema.get("items", {})
    if "properties" in items:
        names = set(items["properties"])
        table = max(tables, key=lambda each: len(names & {column.name for column in expanded(each)}))
        columns = [column for column in expanded(table) if not column.key and column.option not in _OF_CSV]
        if {column.name for column in columns if not column.option} <= names:
            _add_columns(items, columns, table)
    if items:
        _describe(items, tables)


def _add_columns(items: Schema, columns: Iterable[Column[Any]], table: Any) -> None:
    patterns = {}
    families = [family for family in table if isinstance(family, Family) and family.any]
    for column in (member for family in families for member in family.columns):
        pattern = f"^{re.escape(column.name).replace(re.escape('{}'), '[0-9.e-]+')}$"
        labelled = column.labelled(family_label(families, column))
        patterns[pattern] = {"type": ["null", "number"], "description": labelled.meaning}
    for name in [name for name in items["properties"] if any(re.match(pattern, name) for pattern in patterns)]:
        del items["properties"][name]
        items["required"].remove(name) if name in items["required"] else None
    for column in columns:
        if not any(re.match(pattern, column.name) for pattern in patterns):
            part = items["properties"].setdefault(column.name, {"type": ["null", "number"]})
            added = f"with {column.option}: " if column.option else ""
            part["type"] = ["null", "number"] if part["type"] == "null" else part["type"]
            part["description"] = f"{added}{column.meaning}".replace("`", "")
    if patterns:
        items["patternProperties"] = patterns


def family_label(families: Iterable[Family[Any, Any]], column: Column[Any]) -> str:
    """What a family of columns has in place of a part, such as A of an alpha."""
    return next(family.any for family in families if column in family.columns)


if __name__ == "__main__":
    text = json.dumps(schema(), ensure_ascii=False, indent=1) + "\n"
    if sys.argv[1:] == ["--check"]:
        if not FILE.is_file() or FILE.read_text(encoding="utf-8") != text:
            sys.exit(f"{FILE.name} is not up to date: make docs")
    else:
        FILE.write_text(text, encoding="utf-8", newline="\n")
