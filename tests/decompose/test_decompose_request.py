"""What may be asked of a decomposition: Python and the command line refuse the same for the same reasons."""

import pytest

from biasvar_cli.analyses.decompose import TABLES, DecomposeRequest
from biasvar_cli.errors import UsageError
from biasvar_cli.tables.column import expanded

SCORES = "AP,A,B,C\nq1,0.3,0.6,0.65\nq2,0.1,0.08,0.03\n"


@pytest.mark.parametrize(
    ("asked", "typed", "option", "reason"),
    [
        ({"eps": 0.1}, ("--eps", "0.1"), "eps", "needs log, floor or add"),
        ({"resamples": 100}, ("--resamples", "100"), "resamples", "needs ci"),
        ({"ci_method": "auto"}, ("--ci-method", "auto"), "ci_method", "needs ci"),
        ({"over": ("runs",)}, ("--over", "runs"), "over", "needs ci"),
        ({"ci": 0.9, "over": ("teams",)}, ("--ci", "0.9", "--over", "teams"), "over", "needs teams"),
        ({"ci": 0.9, "teams": "ap.csv"}, ("--ci", "0.9", "--teams", "ap.csv"), "teams", "needs over"),
        ({"target": ("best", "worst")}, ("--target", "best", "--target", "worst"), None, "unknown target 'worst'"),
    ],
)
def test_python_and_the_command_line_refuse_for_the_same_reason(
    biasvar, tmp_path, monkeypatch, asked, typed, option, reason
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ap.csv").write_text(SCORES)
    with pytest.raises(UsageError) as refused:
        DecomposeRequest(**asked)
    assert refused.value.option == option
    assert reason in refused.value.reason
    result = biasvar("decompose", "ap.csv", *typed)
    assert (result.code, result.out) == (2, "")
    assert refused.value.typed in result.err


def test_every_column_has_a_meaning_and_columns_are_declared_in_the_order_of_the_csv(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text("AP,A,B,C-1,C-2\nq1,0.3,0.6,0.65,0.6\nq2,0.1,0.08,0.03,0.1\n")
    declared = list(expanded(TABLES["runs"]))
    assert all(column.meaning for column in declared)
    options = ("--rank", "--weights", "1,1", "--pareto", "--ci", "0.9", "--baseline", "A", "--quiet", "-f", "csv")
    for only, absent in (
        (("--replicates", "-[12]"), ["--stability"]),
        (("--stability", "--null-samples", 100), ["--replicates"]),
    ):
        result = biasvar("decompose", tmp_path / "ap.csv", *options, *only)
        names = [column.name for column in declared if column.option not in absent]
        assert result.out.splitlines()[0].split(",") == names


def test_stability_is_not_of_systems_of_several_runs(biasvar, tmp_path):
    (tmp_path / "ap.csv").write_text("AP,A,B,C-1,C-2\nq1,0.3,0.6,0.65,0.6\nq2,0.1,0.08,0.03,0.1\n")
    result = biasvar("decompose", tmp_path / "ap.csv", "--replicates", "-[12]", "--stability")
    assert (result.code, result.out) == (2, "")
    assert "--stability: is of single runs; with --replicates the means of systems of more runs vary less" in result.err
