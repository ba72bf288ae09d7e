"""Every analysis has what a user looks for: a line, a section, an example, and a meaning for each of its columns."""

from __future__ import annotations

import doctest
from importlib import import_module

import click
import pytest
from conftest import ROOT

import biasvar_cli
from biasvar_cli.analyses import ANALYSES, Analysis
from biasvar_cli.cli import biasvar
from biasvar_cli.tables.column import expanded


@pytest.fixture(params=ANALYSES, ids=lambda analysis: analysis.name)
def analysis(request: pytest.FixtureRequest) -> Analysis:
    return request.param


def test_it_has_a_line_in_the_readme(analysis):
    assert f"[`{analysis.name}`](docs/reference/{analysis.name}.md)" in (ROOT / "README.md").read_text("utf-8")


def test_it_has_a_page_with_an_example_its_options_columns_and_keys(analysis):
    page = (ROOT / "docs" / "reference" / f"{analysis.name}.md").read_text("utf-8")
    assert page.startswith(f"# biasvar {analysis.name}\n")
    assert "```console\n$ " in page.partition("\n## Options\n")[0]
    for part in (f'help_of("{analysis.name}")', f'columns("{analysis.name}")', f'keys("{analysis.name}")'):
        assert f"<!-- [[[cog cog.out(generate.{part}) ]]] -->" in page


def test_its_command_has_a_help_with_an_example(analysis):
    command = biasvar.commands[analysis.name]
    assert command.name == analysis.name
    assert f"biasvar {analysis.name} " in (command.help or "")


def test_its_figures_have_a_help_and_a_name(analysis):
    plot = biasvar.commands["plot"]
    assert isinstance(plot, click.Group)
    for name in analysis.figures:
        assert plot.commands[name].name == name
        assert plot.commands[name].help


def test_its_function_for_notebooks_is_a_name_of_the_package(analysis):
    assert (analysis.name in biasvar_cli.__all__) == analysis.notebook
    if analysis.notebook:
        function, names = getattr(biasvar_cli, analysis.name), vars(biasvar_cli)
        examples = doctest.DocTestFinder().find(function, analysis.name, globs=names)
        assert examples[0].docstring
        assert doctest.DocTestRunner().run(examples[0]).failed == 0


def test_every_column_has_a_meaning_and_stands_once_in_its_table(analysis):
    tables = import_module(f"biasvar_cli.analyses.{analysis.name}").TABLES
    for table, declared in tables.items():
        columns = list(expanded(declared))
        names = [column.name for column in columns]
        assert len(set(names)) == len(names), table
        for column in columns:
            assert column.meaning, (table, column.name)
            assert "{}" not in f"{column.name}{column.meaning}{column.latex}{column.head}", (table, column.name)


@pytest.mark.parametrize(
    ("name", "table", "more", "others"),
    [
        ("risk", "runs", "u_risk_0 geo_risk_5 wins reward", "risk losses t_risk_5_p"),
        ("decompose", "runs", "mean pareto", "bias2 var total rank stability d_total_holm"),
        ("target", "runs", "unique supplied alone", "bias_loro"),
        ("tracks", "tracks", "n_runs n_queries", "year"),
    ],
)
def test_a_column_knows_whether_more_of_it_is_better(name, table, more, others):
    declared = import_module(f"biasvar_cli.analyses.{name}").TABLES[table]
    better = {column.name: column.better for column in expanded(declared)}
    assert {better[column] for column in more.split()} == {"more"}
    assert "more" not in {better[column] for column in others.split()}
