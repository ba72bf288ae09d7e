"""The pages: links and anchors lead somewhere, and the commands of blocks that show no output run."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, unix

PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "qrels" / "ORIGIN.md"]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")


def words(page: Path) -> str:
    """A page without its blocks of code."""
    return BLOCK.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """The anchors of the headings, as the code host makes them."""
    heads = re.findall(r"^#+ (.*)$", words(page), re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", head).lower() for head in heads]
    return {re.sub(r"[^\w\- ]", "", head).strip().replace(" ", "-") for head in plain}


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_to_files_and_headings(name: str) -> None:
    page = ROOT / name
    lost = []
    for url in (one or other for one, other in LINK.findall(words(page))):
        path, _, anchor = url.partition("#")
        if re.match(r"[a-z]+:", url):
            continue
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(url)
    assert lost == []


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("docs/reference/")])
def test_a_page_that_people_write_is_short(name: str) -> None:
    assert (ROOT / name).stat().st_size <= 40_000


def test_the_readme_begins_with_the_two_commands_of_make_and_is_short() -> None:
    """The first installs and shows, the second tests; what the second needs and how long it takes stand beside it."""
    page = ROOT / "README.md"
    block = re.search(r"^```sh\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert block is not None
    demo, test = block[1].splitlines()
    assert demo.startswith("make demo ")
    assert re.fullmatch(r"make test +# .*\bmake\b.*\bPython 3\.\d+\b.*\bnetwork\b.*\d+ minutes .*", test)
    assert page.stat().st_size <= 8_000


def commands(name: str) -> list[str]:
    """The commands of the blocks of the shell on a page."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / name).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line.partition(" #")[0].strip() for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("biasvar ") and "://" not in line]


BY_OTHER_TESTS = ("docs/pipelines.md", "docs/figures.md")
NAMES_OF_RUNS = {"orig": "orig", "nrr-1.0": "myrun", "rm": "bm25", "rel-fb": "base.unipd.it", "comb-0.5": "comb-0.5"}
MATRIX = "{},A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\nq3,0.2,0.3,0.4\n"
FILES = {
    "scores.csv": MATRIX.format("AP"),
    "ndcg.csv": MATRIX.format("nDCG@10"),
    "names.csv": "old,new\nbm25,BM25\n",
    "shelf.toml": '[[track]]\ntrack = "A"\nyear = 2001\nruns = "runs"\nqrels = "qrels.txt"\n',
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs and files of the names that the pages use."""
    for name in ("runs", "qrels"):
        (tmp_path / name).mkdir()
    for name, shown in NAMES_OF_RUNS.items():
        shutil.copy(ROOT / "sample_runs" / f"{name}.gz", tmp_path / "runs" / f"{shown}.gz")
    for name in ("qrels.txt", "qrels/npl.qrels.txt", "qrels/qrels-rnd1.txt"):
        shutil.copy(ROOT / "qrels" / "npl.qrels.txt", tmp_path / name)
    for name in ("sample_runs", "sample_models", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


@unix
@pytest.mark.usefixtures("folder", "undrawn")
@pytest.mark.parametrize("name", [name for name in NAMES if commands(name) and name not in BY_OTHER_TESTS])
def test_the_commands_of_a_page_run_in_their_order(biasvar: Callable[..., Any], name: str) -> None:
    for command in commands(name):
        result = biasvar(*shlex.split(command)[1:])
        assert result.code == 0, (command, result.err)


def test_the_scripts_of_simulations_know_the_options_that_the_page_gives_them() -> None:
    page = (ROOT / "docs" / "validation.md").read_text("utf-8")
    named = re.findall(r"python benchmarks/([^`|]*?)(?:`|\n\n|\n```)", page.replace("\\\n", " "))
    assert len(named) > 8
    for command in named:
        script, *words = shlex.split(command)
        text = (ROOT / "benchmarks" / script).read_text("utf-8")
        for option in (word for word in words if word.startswith("--")):
            assert f'"{option}"' in text, command
