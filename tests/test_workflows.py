"""The workflows and templates of the code host: they call targets of the Makefile, and agree with pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PYTHONS = re.findall(r":: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
CALL = re.compile(r"make ([a-z-]+)(?: [A-Z]+=\S*)*")

workflows = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def content(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in content(path)["jobs"].values() for step in job.get("steps", [])]


def commands(path: Path) -> list[str]:
    return [step["run"] for step in steps(path) if "run" in step]


@workflows
def test_every_command_is_a_target_of_the_makefile(path):
    calls = [CALL.fullmatch(command) for command in commands(path)]
    assert calls
    assert None not in calls, commands(path)
    assert {call[1] for call in calls if call} <= TARGETS


@workflows
def test_a_job_may_read_the_code_and_nothing_else(path):
    workflow = content(path)
    assert workflow["permissions"] == {"contents": "read"}
    more = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert more == ({"publish": {"id-token": "write"}} if path.stem == "release" else {})
    assert not re.search(r"secrets|password", re.sub("#.*", "", path.read_text("utf-8")))
    checkouts = [step for step in steps(path) if step.get("uses", "").startswith("actions/checkout@")]
    assert {step["with"]["persist-credentials"] for step in checkouts} == {False}
    assert all("timeout-minutes" in job for job in workflow["jobs"].values() if "uses" not in job)
    assert workflow["concurrency"].keys() == {"group", "cancel-in-progress"}


@workflows
def test_actions_are_pinned_to_one_commit_each(path):
    for name, version in re.findall(r"uses: (\S+)(?:  # (v\S+))?", path.read_text("utf-8")):
        assert version if re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", name) else (ROOT / name).is_file(), name


def test_an_action_has_the_same_commit_everywhere():
    names = {name for path in WORKFLOWS for name in re.findall(r"uses: (\w\S+)", path.read_text("utf-8"))}
    assert len({name.partition("@")[0] for name in names}) == len(names)


def test_the_matrix_has_the_pythons_and_systems_that_are_promised():
    matrix = content(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["unit"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert matrix["system"] == [f"{system}-latest" for system in ("ubuntu", "macos", "windows")]


def test_the_oldest_python_is_one_fact():
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert f"\nOLDEST ?= python{PYTHONS[0]}\n" in (ROOT / "Makefile").read_text("utf-8")
    *_, setup, call = content(ROOT / ".github" / "workflows" / "tests.yml")["jobs"]["lowest"]["steps"]
    assert (setup["with"], call) == ({"python-version": PYTHONS[0]}, {"run": "make lowest"})


def test_a_release_is_of_a_tag_that_all_checks_have_passed():
    workflow = content(ROOT / ".github" / "workflows" / "release.yml")
    assert workflow[True] == {"push": {"tags": ["v*"]}}  # YAML reads "on" as true
    jobs = workflow["jobs"]
    assert jobs["tests"] == {"uses": "./.github/workflows/tests.yml"}
    assert set(jobs["publish"]["needs"]) == jobs.keys() - {"publish"}
    assert jobs["publish"]["environment"]
    commands_of_build = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert commands_of_build == ["make release-tag", "make release-check DIST=dist"]
    assert "TAG" in jobs["build"]["env"]


def test_the_weekly_run_has_no_pinned_versions():
    workflow = content(ROOT / ".github" / "workflows" / "newest.yml")
    assert workflow[True].keys() == {"schedule", "workflow_dispatch"}
    assert workflow["jobs"]["newest"]["env"]["CONSTRAINTS"] == ""


@pytest.mark.parametrize("name", ["ISSUE_TEMPLATE/bug.yml", "ISSUE_TEMPLATE/proposal.yml", "pull_request_template.md"])
def test_an_issue_and_a_pull_request_ask_for_version_and_check(name):
    text = (ROOT / ".github" / name).read_text("utf-8")
    assert {"biasvar --version", "biasvar check"} <= {*re.findall(r"`(biasvar [a-z-]+)`", text)}
    assert {*re.findall(r"`make ([a-z-]+)`", text)} <= TARGETS


def test_the_hook_before_a_commit_is_make_lint():
    (repository,) = content(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    assert [hook["entry"] for hook in repository["hooks"]] == ["make lint"]
