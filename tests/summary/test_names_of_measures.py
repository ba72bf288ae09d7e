"""Names of measures that hold signs for a terminal."""

import pytest


@pytest.mark.parametrize("errors", [(), ("--errors",)])
@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_a_measure_cannot_steer_a_terminal(biasvar, tmp_path, form, errors):
    table, measure = tmp_path / "scores.csv", "M\x1b[1m"
    rows = [f"{run},q{query},{measure},.{query}{add}\n" for run, add in (("A", 1), ("B", 5)) for query in range(9)]
    table.write_text("run,query_id,measure,score\n" + "".join(rows))
    result = biasvar("summary", table, "-f", form, *errors)
    assert result.code == 0, result.err
    assert "x1b[1m" in result.out.replace(r"\[", "[")
    assert "\x1b" not in result.out
