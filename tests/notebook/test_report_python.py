"""``bv.report``: the page of the command, from files and from what is in memory."""

from __future__ import annotations

import inspect
import pickle
import re
from dataclasses import fields
from html import unescape
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import ROOT, SAMPLE_RUNS, typed

import biasvar_cli as bv
from biasvar_cli.cli import biasvar as program
from biasvar_cli.decomposition import Design
from biasvar_cli.notebook.arguments import Reading
from biasvar_cli.specs.requests import NullRequest, TargetedRequest

pytestmark = pytest.mark.usefixtures("in_the_checkout", "undrawn")

QRELS = "qrels/npl.qrels.txt"
QUICK: dict[str, Any] = {"null": False, "repeats": 2}
GROUPS, MANIFEST = "groups.csv", "tracks.toml"
CASES: list[dict[str, Any]] = [
    {},
    {"target": ("best:0.9", "perfect"), "log": "floor", "eps": 0.01},
    {"measure": ["AP", "nDCG@10"], "baseline": "run:rm", "families": "(comb|nrr)-(.*)"},
    {"subset_size": (5, 20), "seed": 4, "difficulty": "mean", "remainder": "balanced"},
    {"subset_weights": "equal", "normalise": "maxmin", "zero_target": "one", "subset_size": 7, "manifest": MANIFEST},
    {"groups": GROUPS, "glob": "comb-*", "name_by": "tag"},
    {"null": True, "null_samples": 100, "exclude": ("comb-0.*", "nrr*"), "topics": "intersection"},
]
REPEATED = r"<dt>To repeat it</dt><dd><code>.*?</code></dd>\n|<details><summary>The figures for a paper.*?</details>\n"
HOW_TO_REPEAT = re.compile(rf'{REPEATED}|<button class="command".*?</button>\n', re.DOTALL)


@pytest.fixture(scope="module")
def scores() -> bv.Scores:
    return bv.evaluate("sample_runs", QRELS, "AP")


@pytest.fixture(autouse=True)
def others(in_the_checkout, tmp_path, monkeypatch):
    """Files of groups and a manifest, beside the sample track."""
    for name in ("sample_runs", "qrels"):
        (tmp_path / name).symlink_to(Path(name).resolve())
    topics = dict.fromkeys(line.split()[0] for line in Path(QRELS).read_text().splitlines())
    rows = [f"{topic},{'ab'[place % 2]}" for place, topic in enumerate(topics)]
    (tmp_path / GROUPS).write_text("\n".join(["query,group", *rows]) + "\n")
    of_both = f'series = "npl"\nruns = "sample_runs"\nqrels = "{QRELS}"\n'
    entries = [f'[[track]]\ntrack = "n{year}"\nyear = {year}\n{of_both}' for year in (2001, 2002)]
    (tmp_path / MANIFEST).write_text("\n".join(entries))
    monkeypatch.chdir(tmp_path)


def fact(page: bv.Page, name: str) -> str:
    """What the page says of itself under a name; empty where it says nothing."""
    found = re.search(rf"<dt>{name}</dt><dd>(?:<code>)?(.*?)(?:</code>)?</dd>", page.html)
    return unescape(found[1]) if found else ""


@pytest.mark.parametrize(
    "options",
    [pytest.param(CASES[0], marks=[pytest.mark.drawn, pytest.mark.long]), *CASES[1:]],
    ids=lambda options: " ".join(options) or "nothing",
)
def test_the_page_of_files_is_that_of_the_command(biasvar, tmp_path, options):
    given = QUICK | options
    page = bv.report("sample_runs", "here.html", qrels=QRELS, **given)
    words = [word for word in typed(given) if word != "--null"]  # which is the usual
    result = biasvar("report", "sample_runs", "-q", QRELS, *words, "--quiet", "-o", "there.html")
    assert result.code == 0, result.err
    command = Path("there.html").read_text("utf-8")
    assert Path("here.html").read_bytes() == page.html.encode()
    assert HOW_TO_REPEAT.sub("", page.html) == HOW_TO_REPEAT.sub("", command)
    assert HOW_TO_REPEAT.sub("", command) != command


def test_no_name_of_the_package_is_a_module_too():
    """An import of the module would set the name, and the function would be gone."""
    for name in bv.__all__:
        assert not list((ROOT / "biasvar_cli").glob(f"{name}.py")), name
        assert not (ROOT / "biasvar_cli" / name).exists(), name


def test_it_has_every_argument_of_the_command_and_of_the_requests():
    parameters = set(inspect.signature(inspect.unwrap(bv.report)).parameters) | set(Reading.__annotations__)
    of_requests = {each.name for kind in (TargetedRequest, Design, NullRequest) for each in fields(kind)}
    assert of_requests - parameters == {"groups_path", "ranks", "shuffled", "stability"}  # made of groups; of null
    of_command = {parameter.name for parameter in program.commands["report"].params}
    assert of_command - parameters == {"inputs", "measures", "strict", "quiet"}
    tried = {name for options in CASES for name in options}
    assert of_requests & parameters - tried == {"jobs", "repeats"}
    assert tried <= parameters


def test_what_was_evaluated_is_said_as_it_is(scores):
    files = bv.report(["sample_runs"], qrels=QRELS, **QUICK)
    assert fact(files, "Files") == "22 files of sample_runs"
    assert fact(files, "Judgments") == QRELS
    assert fact(files, "To repeat it") == (
        "bv.report(['sample_runs'], qrels='qrels/npl.qrels.txt', repeats=2, null=False).save('report.html')"
    )
    assert "<li>sample_runs/rm.gz</li>" in files.html
    assert "biasvar plot" not in files.html
    memory = bv.report(scores.frame(), measure="AP", **QUICK)
    assert fact(memory, "Files") == "in memory"
    assert fact(memory, "Judgments") == "none: the inputs are scores"
    made = bv.report(scores, **QUICK)
    assert fact(made, "Files") == fact(made, "Judgments") == "in memory"
    for page in (memory, made):
        assert not fact(page, "To repeat it")
        assert "biasvar report" not in page.html
        assert "<summary>Files</summary>" not in page.html


def test_its_own_call_makes_the_page_again():
    page = bv.report("sample_runs", qrels=Path(QRELS), baseline="rm", target=["best:0.9"], **QUICK)
    call = fact(page, "To repeat it")
    exec(call, {"bv": bv})  # noqa: S102
    assert Path("report.html").read_text("utf-8").replace(QRELS, "") == page.html.replace(QRELS, "")


def test_numbers_of_memory_and_of_files_are_the_same(scores):
    of_files = bv.report("sample_runs", qrels=QRELS, **QUICK).html
    of_scores = bv.report(scores, **QUICK).html
    data = r'<script type="application/json" id="data">(.*?)</script>'
    assert re.findall(data, of_files) == re.findall(data, of_scores)


def test_paths_that_are_looked_at_once_and_a_pool(scores):
    paths = (Path("sample_runs") / f"{name}.gz" for name in SAMPLE_RUNS[:4])
    pool = (Path("sample_runs") / f"{name}.gz" for name in SAMPLE_RUNS[4:6])
    page = bv.report(paths, qrels=QRELS, pool=pool, **QUICK)
    assert fact(page, "Files").startswith("4 files of sample_runs/comb-0.1.gz, ")
    assert fact(page, "Pool").startswith("sample_runs/comb-0.")
    assert fact(page, "Runs") == "4 runs, 6 with the pool's"
    frame = scores.frame()
    page = bv.report(frame.iloc[:, :4], pool=frame.iloc[:, 4:6], measure="AP", **QUICK)
    assert fact(page, "Pool") == "in memory"


def test_a_page_is_shown_saved_pickled_and_compared(scores, tmp_path):
    page = bv.report(scores, **QUICK)
    assert repr(page) == 'Page(22 runs, 93 queries, AP, target best; .save("report.html"))'
    shown = page._repr_html_()
    assert re.fullmatch(r'<iframe title="[^"<]*" style="[^"<]*" srcdoc="[^"<]*"></iframe>', shown)
    assert unescape(shown.partition('srcdoc="')[2].removesuffix('"></iframe>')) == page.html
    assert page.save(tmp_path / "page.HTM") == tmp_path / "page.HTM"
    assert (tmp_path / "page.HTM").read_text("utf-8") == page.html
    assert pickle.loads(pickle.dumps(page)) == page  # noqa: S301
    assert page != bv.report(scores, target="perfect", **QUICK)


@pytest.mark.parametrize("name", ["page.pdf", "page", "page.html.gz", "page.\n"])
def test_a_file_that_no_page_goes_to_is_refused_before_anything_is_read(scores, name):
    with pytest.raises(bv.BiasVarError, match=r"^file: a page's name ends in \.html, found "):
        bv.report("no/such/file", name)
    with pytest.raises(bv.BiasVarError, match=r"^path: a page's name ends in \.html, found "):
        bv.report(scores, **QUICK).save(name)
    with pytest.raises(bv.BiasVarError, match="cannot be written"):
        bv.report("no/such/file", "no/such/folder/page.html")


def test_nothing_is_written_after_an_error(scores):
    Path("page.html").write_text("before")
    with pytest.raises(bv.BiasVarError, match="baseline='bm25': there is no such run"):
        bv.report(scores, "page.html", baseline="bm25", **QUICK)
    with pytest.raises(bv.BiasVarError, match="subset_size: the tracks of a manifest take one size"):
        bv.report(scores, "page.html", subset_size=(5, 10), manifest=MANIFEST)
    with pytest.raises(bv.BiasVarError, match="it needs at least 2, found 1 run"):
        bv.report(scores.frame()[["rm"]], "page.html", measure="AP", **QUICK)
    assert Path("page.html").read_text() == "before"


def test_a_warning_is_issued_and_stands_on_the_page(biasvar):
    frame = pd.DataFrame({"a": [0.25, 0.5], "b": [0.5, 0.75], "c": [0.5, 1.25]}, index=["q1", "q2"])
    with pytest.warns(bv.DataWarning, match="target='perfect'") as caught:
        page = bv.report(frame, target="perfect", measure="own", null=False, allow_range=True)
    assert {str(each.filename) for each in caught} == {__file__}
    frame.rename_axis("own").to_csv("own.csv")
    biasvar("report", "own.csv", "-m", "own", "--target", "perfect", "--no-null", "-o", "there.html")
    lines = r'<ul class="warning">(.*?)</ul>'
    assert re.findall(lines, page.html, re.DOTALL) == re.findall(lines, Path("there.html").read_text(), re.DOTALL)
    assert "--target perfect" in page.html
    assert "\ufdd0" not in page.html


def test_the_warnings_of_scores_stand_on_the_page():
    run, judged = {"q1": {"d": 1.0}, "q2": {"e": 1.0}}, {"q1": {"d": 1}, "q2": {"e": 1}}
    with pytest.warns(bv.DataWarning, match="no results for a query"):
        made = bv.evaluate({"a": {"q1": {"d": 1.0}}, "b": run}, judged, "RR")
    assert "no results for a query" in bv.report(made, null=False).html


@pytest.mark.drawn
def test_the_page_works_within_a_notebook(browser, scores, tmp_path):
    page = bv.report(scores, **QUICK)
    (tmp_path / "notebook.html").write_text(
        f'<!DOCTYPE html><html data-ready="true"><meta charset=utf-8>{page._repr_html_()}'
    )
    browser.resize(1000)
    browser.open(tmp_path / "notebook.html")
    script = """
        const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
        const ready = () => document.querySelector("iframe").contentDocument?.documentElement?.dataset.ready === "true";
        for (let waits = 0; waits < 200 && !ready(); waits += 1) await pause();
        const inner = document.querySelector("iframe").contentDocument;
        inner.querySelectorAll("button.pick")[3].click();
        for (let waits = 0; waits < 10; waits += 1) await pause();
        return [inner.querySelectorAll("svg").length > 3, inner.querySelectorAll("tr.run").length > 0];
    """
    assert browser.run(f"(async () => {{{script}}})()") == [True, True]
    assert browser.problems() == []
    assert browser.requests() == [(tmp_path / "notebook.html").as_uri()]
