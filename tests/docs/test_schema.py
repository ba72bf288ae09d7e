"""docs/schema.json: outputs on other tracks and with other options are as it says, key by key."""

from __future__ import annotations

import doctest
import json
import re
import shlex
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from conftest import ROOT

from biasvar_cli.analyses import ANALYSES

pytestmark = pytest.mark.usefixtures("in_the_checkout")
SCHEMA = json.loads((ROOT / "docs" / "schema.json").read_text("utf-8"))
DEFINITIONS = SCHEMA["$defs"]
TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}
TRACK = "sample_runs/nrr-0.1.gz sample_runs/nrr-0.2.gz sample_runs/nrr-0.3.gz sample_runs/rm.gz -q qrels/npl.qrels.txt"
OUTPUTS = (
    "check sample_runs/orig.gz sample_runs/rm.gz -q qrels/npl-half.qrels.txt --files",
    f"scores {TRACK} -m P@10 -m AP",
    f"decompose {TRACK} --target perfect --target run:rm --no-null --baseline top",
    f"decompose {TRACK} --log floor --ci .9 --resamples 100 --ci-method percentile --over runs --no-null",
    f"tradeoff {TRACK} --subset-size 5,10 --no-null",
    f"tradeoff {TRACK} --detail single --no-null",
    f"target {TRACK} --rarefied 2 --table runs",
    f"sensitivity {TRACK} -m P@10 --target perfect",
    f"risk {TRACK} --alpha 0,2.5 --baseline mean",
    f"profile nrr-0.1 {TRACK} --samples 100 --test t",
    f"compare {TRACK} --test t --correction bh",
    f"compare {TRACK} --baseline rm --test wilcoxon --correction bonferroni",
    f"summary {TRACK} -m P@10 --baseline rm --samples 100",
    f"judges {TRACK} -q half=qrels/npl-half.qrels.txt --samples 100",
    "models sample_models --true sample_models/true.tsv.gz --divergence jeffreys --families '(comb|nrr)-(.*)'",
    "tracks docs/tracks.toml --no-null",
    *(f"{name} {TRACK} --replicates '(comb|nrr)-.*'" for name in ("target", "sensitivity", "risk", "compare")),
    f"tradeoff {TRACK} --replicates '(comb|nrr)-.*' --no-null",
)


def violations(value: Any, schema: dict[str, Any], path: str = "$") -> Iterator[str]:
    """Where a value is not as its schema says; a key that the schema does not have is one too."""
    kinds = schema.get("type", list(TYPES))
    if not any(isinstance(value, TYPES[kind]) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        yield f"{path}: {value!r:.40} is not {kinds}"
    elif isinstance(value, bool) and "boolean" not in kinds:
        yield f"{path}: {value} is not {kinds}"
    elif isinstance(value, dict):
        yield from (f"{path} lacks {key}" for key in schema.get("required", ()) if key not in value)
        patterns = schema.get("patternProperties", {})
        for key, part in value.items():
            of_pattern = [part for pattern, part in patterns.items() if re.search(pattern, key)]
            others = [*of_pattern, schema.get("additionalProperties")]
            known = schema.get("properties", {}).get(key) or others[0]
            yield from violations(part, known, f"{path}.{key}") if known is not None else [f"{path}.{key} is not known"]
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from violations(part, schema["items"], f"{path}[{number}]")


@pytest.mark.parametrize("command", OUTPUTS)
def test_an_output_is_as_the_schema_says(biasvar: Callable[..., Any], command: str) -> None:
    words = shlex.split(command)
    result = biasvar(*words, "--quiet", "-f", "json")
    assert result.code == 0, result.err
    assert list(violations(json.loads(result.out), DEFINITIONS[words[0]])) == []


def test_another_validator_agrees(biasvar: Callable[..., Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    document = json.loads(biasvar(*shlex.split(OUTPUTS[1]), "--quiet", "-f", "json").out)
    assert validator.is_valid(document)
    assert not validator.is_valid({**document, "warnings": 1})


def test_every_analysis_has_a_definition() -> None:
    assert list(DEFINITIONS) == [analysis.name for analysis in ANALYSES]
    assert SCHEMA["anyOf"] == [{"$ref": f"#/$defs/{name}"} for name in DEFINITIONS]


def test_what_is_not_as_the_schema_says_is_found() -> None:
    schema = DEFINITIONS["scores"]
    row = {"measure": "AP", "queries": ["1"], "runs": [{"run": "A", "scores": [0.5]}]}
    document = {"version": "1", "results": [row], "warnings": [], "notices": []}
    assert list(violations(document, schema)) == []
    assert list(violations({**document, "results": [{**row, "n": 1}]}, schema)) == ["$.results[0].n is not known"]
    assert list(violations({**document, "results": 1}, schema)) == ["$.results: 1 is not array"]
    found = violations({**document, "results": [{**row, "queries": [True]}]}, schema)
    assert list(found) == ["$.results[0].queries[0]: True is not string"]
    assert next(iter(violations({}, schema))) == "$ lacks version"


def test_the_meanings_of_columns_are_in_the_schema() -> None:
    columns = DEFINITIONS["decompose"]["properties"]["results"]["items"]["properties"]["runs"]["items"]["properties"]
    assert columns["bias2"]["description"] == "bias squared"
    assert columns["rank"]["description"].startswith("with --rank: ")


def test_the_examples_of_the_script_are_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    assert doctest.testmod(import_module("schema")).failed == 0
