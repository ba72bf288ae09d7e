"""``plot`` with ``--replicates``: systems as points, their runs as small points joined to them."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import SYSTEMS_RUNS as RUNS
from conftest import write_scores

from biasvar_cli.words import TOTAL, VAR

SYSTEMS = ("--replicates", "-[0-9]+")


@pytest.fixture
def matrix(tmp_path):
    target = write_scores(tmp_path / "target.csv", [0.5, 0.2, 0.4], ["score"], measure="query_id")
    return write_scores(tmp_path / "runs.csv", [*RUNS.values()], RUNS), "--target", f"file:{target}"


@pytest.mark.parametrize("form", ["score", "gap"])
@pytest.mark.parametrize("figure", ["plane", "total"])
def test_every_replicate_has_its_own_errors_and_the_point_of_its_system(drawn, matrix, figure, form):
    data = drawn(figure, *matrix, *SYSTEMS, "--form", form)["datasets"]
    systems, target = {row["run"]: row for row in data["runs"]}, np.array([0.5, 0.2, 0.4])
    assert {row["run"]: row["system"] for row in data["replicates"]} == {run: run[0] for run in RUNS if run != "C"}
    for row in data["replicates"]:
        scores = np.array(RUNS[row["run"]])
        of_form = scores if form == "score" else target - scores
        assert row["bias2"] == pytest.approx((target.mean() - scores.mean()) ** 2)
        assert row[VAR[form]] == pytest.approx(np.var(of_form))
        for name in ("bias2", VAR[form], TOTAL[form]):
            assert row[f"system_{name}"] == systems[row["system"]][name]


def test_a_system_has_the_mean_total_of_its_replicates_as_the_caption_says(drawn, matrix):
    spec = drawn("plane", *matrix, *SYSTEMS)
    data, means = spec["datasets"], {run: np.mean(scores) for run, scores in RUNS.items()}
    for system in ("A", "B"):
        (point,) = (row for row in data["runs"] if row["run"] == system)
        own = [row for row in data["replicates"] if row["system"] == system]
        luck = np.var([means[row["run"]] for row in own])
        assert point["total"] == pytest.approx(np.mean([row["total"] for row in own]))
        assert point["bias2"] == pytest.approx(np.mean([row["bias2"] for row in own]) - luck)
        assert point["var"] == pytest.approx(np.mean([row["var"] for row in own]) + luck)
    assert "A system has the mean total of its runs, with less bias² and more variance than " in spec["description"]


def test_both_axes_and_the_legend_have_room_for_the_replicates(drawn, matrix):
    spec = drawn("plane", *matrix, *SYSTEMS)
    first = spec["layer"][0]["encoding"]
    for channel, name in (("x", "bias2"), ("y", "var")):
        low, high = first[channel]["scale"]["domain"]
        assert all(low < row[name] < high for row in spec["datasets"]["replicates"])
    domains = {tuple(layer["encoding"].get("color", {}).get("scale", {}).get("domain", ())) for layer in spec["layer"]}
    assert domains - {()} == {("system", "one run of a system", "Pareto front of bias² and variance")}
    drawn_first = [layer["data"]["name"] for layer in spec["layer"]]
    assert drawn_first.index("replicates") < drawn_first.index("runs")


def test_families_of_systems_colour_their_replicates(drawn, matrix):
    spec = drawn("plane", *matrix, *SYSTEMS, "--families", "([AB])()")
    assert {(row["system"], row["shown"]) for row in spec["datasets"]["replicates"]} == {("A", "A"), ("B", "B")}
    domain = {"A", "B", "no family", "one run of a system", "Pareto front of bias² and variance"}
    colours = [layer["encoding"]["color"] for layer in spec["layer"] if "color" in layer["encoding"]]
    assert all(set(colour["scale"]["domain"]) == domain for colour in colours)


@pytest.mark.parametrize("figure", ["ranked", "risk", "queries", "tradeoff"])
def test_captions_say_what_systems_are_made_of(drawn, matrix, figure):
    inputs = matrix if figure in ("ranked", "queries") else matrix[:1]
    more = ("--baseline", "C") if figure == "risk" else ()
    spec = drawn(figure, *inputs, *SYSTEMS, *more)
    assert "Systems of several runs: 3 systems with 1 to 3 runs each (6 runs in all)." in spec["description"]
