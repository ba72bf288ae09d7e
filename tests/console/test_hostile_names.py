"""Names that would steer a terminal, or look like marks of the program's own: every command shows them as escapes."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

SIGNS = ["\x1b[31m", "\x9b2J", "\u202e", "\x07", "\ufdd3x;1;\ufdd4", "\ufdd0a\ufdd1b\ufdd2", "\u2028", "\ue000"]
COMMANDS = [
    ("decompose", "--no-null"),
    ("tradeoff", "--no-null", "--subset-size", 4),
    ("target", "--table", "runs"),
    ("sensitivity",),
    ("risk", "--baseline", "mean"),
    ("compare", "--samples", 200),
    ("summary", "--samples", 200),
    ("check", "--files"),
]


@pytest.fixture
def scores(tmp_path):
    """Four runs, two of which are equal, whose names and whose queries' have such signs."""
    values = np.random.default_rng(7).random((9, 3)).round(3)
    path = tmp_path / "ap.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["AP", *(f"a{sign}{number}" for number, sign in enumerate([*SIGNS, "last"]))])
        for number, row in enumerate(values):
            runs = np.resize(row, len(SIGNS) + 1)
            writer.writerow([f"q{SIGNS[number % len(SIGNS)]}{number}", *runs])
    return path


def unseen(text):
    return {sign for sign in text if not sign.isprintable()} - {"\n"}


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "json"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_no_output_for_people_and_no_json_has_a_sign_that_steers(biasvar, scores, command, form):
    form = "text" if command[0] == "check" and form != "json" else form  # the one that it has for people
    notes = () if form == "json" or command[0] == "check" else ("--notes", "full")
    result = biasvar(command[0], scores, *command[1:], "-f", form, *notes)
    assert result.code == 0, result.err
    assert unseen(result.out) == unseen(result.err) == set()
    assert form != "json" or json.loads(result.out)


def test_json_has_the_names_themselves(biasvar, scores):
    found = json.loads(biasvar("decompose", scores, "--no-null", "-f", "json").out)
    runs = {row["run"] for row in found["results"][0]["runs"]}
    assert runs == {f"a{sign}{number}" for number, sign in enumerate([*SIGNS, "last"])}
