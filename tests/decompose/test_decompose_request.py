"""What may be asked of a decomposition: Python and the command line refuse the same for the same reasons."""

import pytest
from conftest import typed

from biasvar_cli.analyses.decompose import TABLES, DecomposeRequest
from biasvar_cli.errors import UsageError
from biasvar_cli.tables.column import expanded

SYSTEMS = "AP,A,B,C-1,C-2\nq1,0.3,0.6,0.65,0.6\nq2,0.1,0.08,0.03,0.1\n"


@pytest.mark.parametrize(
    ("asked", "option", "reason"),
    [
        ({"eps": 0.1}, "eps", "needs log, floor or add"),
        ({"resamples": 100}, "resamples", "needs ci"),
        ({"ci_method": "auto"}, "ci_method", "needs ci"),
        ({"over": ("runs",)}, "over", "needs ci"),
        ({"ci": 0.9, "over": ("teams",)}, "over", "needs teams"),
        ({"ci": 0.9, "teams": "ap.csv"}, "teams", "needs over"),
        ({"target": ("best", "worst")}, None, "unknown target 'worst'"),
    ],
)
def test_python_and_the_command_line_refuse_for_the_same_reason(refused, written, monkeypatch, asked, option, reason):
    monkeypatch.chdir(written("AP,A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\n").parent)
    with pytest.raises(UsageError) as raised:
        DecomposeRequest(**asked)
    assert raised.value.option == option
    assert reason in raised.value.reason
    refused(2, raised.value.typed, "decompose", "ap.csv", *typed(asked))


@pytest.mark.parametrize(
    ("options", "absent"),
    [(("--replicates", "-[12]"), "--stability"), (("--stability", "--null-samples", 100), "--replicates")],
)
def test_columns_are_declared_in_the_order_of_the_csv(biasvar, written, options, absent):
    many = ("--rank", "--weights", "1,1", "--pareto", "--ci", "0.9", "--baseline", "A", "--quiet", "-f", "csv")
    result = biasvar("decompose", written(SYSTEMS), *many, *options)
    declared = [column.name for column in expanded(TABLES["runs"]) if column.option != absent]
    assert result.out.splitlines()[0].split(",") == declared


def test_stability_is_not_of_systems_of_several_runs(refused, written):
    message = "--stability: is of single runs; with --replicates the means of systems of more runs vary less"
    refused(2, message, "decompose", written(SYSTEMS), "--replicates", "-[12]", "--stability")
